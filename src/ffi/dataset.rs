//! Section "Datasets" of the header: arrays in a store, read and written by region.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::block::{optional_strides, region, size_mismatch};
use super::codec::zn5_codec;
use super::error::{c_text, zn5_error};
use super::guard::{guard, guard_value};
use super::metadata::{ZN5_LANGUAGE_AUTO, language_number, zn5_language};
use super::node::node_path;
use super::options::{self, read_sized, zn5_codec_options};
use super::ptr;
use super::status::{status_of, zn5_status};
use super::store::zn5_store;
use crate::array::{Destination, Source};
use crate::dataset::{Dataset, IoOptions, Problem};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{CodecOptions, Extents, Strides};

/// One array in a store. It never changes, and any number of threads read and write it at once.
///
/// Made by zn5_dataset_open() or zn5_dataset_create(), freed by zn5_dataset_free(). It keeps its store alive, so that the store's handle
/// may be freed first.
pub struct zn5_dataset {
    dataset: Dataset,
    codec: zn5_codec,
}

/// Flag of zn5_io_options: a block of 0 bytes, which a writer left that was interrupted, is taken for a missing one, not for an error.
pub const ZN5_IO_EMPTY_AS_MISSING: u32 = 1;
/// Flag of zn5_io_options: blocks that hold nothing but the fill value are stored like others; else they are erased, or not written.
pub const ZN5_IO_WRITE_FILL: u32 = 2;
/// Flag of zn5_io_options: N5 blocks at the array's edge are stored with the extents of a whole chunk, padded with the fill value; else cut.
pub const ZN5_IO_PAD_EDGES: u32 = 4;

/// How a call reads or writes blocks. Initialise it with ZN5_IO_OPTIONS_INIT, then set what differs from the defaults.
///
/// Zero is the default of every field. The struct may grow at its end in later releases; struct_size tells how much of it the program knows.
#[repr(C)]
pub struct zn5_io_options {
    /// sizeof(zn5_io_options).
    pub struct_size: usize,
    /// Threads of the call, the calling one among them: 0 for as many as cores that the process may use, 1 for the calling thread only. Not
    /// more than there are blocks, nor than 256, are made. Each keeps a few blocks in memory.
    pub threads: u32,
    /// 0, or ZN5_IO_... flags joined by |.
    pub flags: u32,
    /// Gets how many of how many blocks are done, on the calling thread only: at the beginning, after blocks, at the end. It must not throw or
    /// jump out of zn5. A number other than 0 ends the call with ZN5_ERROR_CANCELLED. NULL if nobody wants to know.
    pub progress: Option<unsafe extern "C" fn(user_data: *mut c_void, done: u64, total: u64) -> i32>,
    /// Is passed to progress.
    pub user_data: *mut c_void,
}

/// Takes one problem that zn5_dataset_verify() found. Runs on the calling thread only, before the call returns.
///
/// It must not throw or jump out of zn5. It may call zn5, the dataset in use included.
///
/// @param user_data  what the caller gave along
/// @param status     what is wrong with the block, as reading it would return,
///   or with the folder of blocks, as listing it would;
///   ZN5_ERROR_INVALID_ARGUMENT for what is no block of the array
/// @param key        the key in the store, UTF-8, not terminated; lives until the callback returns
/// @param key_len    its bytes
/// @param offset     the byte offset in the block; -1 unknown
/// @param message    what is wrong, NUL-terminated UTF-8, which lives until the callback returns; begins with the key
/// @return 0 to go on; another number ends the call with ZN5_ERROR_CANCELLED
pub type zn5_problem_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        status: zn5_status,
        key: *const c_char,
        key_len: usize,
        offset: i64,
        message: *const c_char,
    ) -> i32,
>;

/// What a call's options say, with the callback apart.
struct Io {
    options: IoOptions,
    progress: Option<unsafe extern "C" fn(*mut c_void, u64, u64) -> i32>,
    user_data: *mut c_void,
}

impl Io {
    /// Reads the caller's options; NULL means defaults.
    ///
    /// # Safety
    /// `io` is NULL or points to as many readable bytes as its first field says.
    unsafe fn read(io: *const zn5_io_options) -> Result<Self> {
        if io.is_null() {
            return Ok(Self { options: IoOptions::default(), progress: None, user_data: std::ptr::null_mut() });
        }
        // SAFETY: not NULL, the caller's struct; integers take any bytes, and functions are what the caller declares them to be.
        let io = unsafe { read_sized(io, "io", "zn5_io_options", "begin with ZN5_IO_OPTIONS_INIT") }?;
        let known = ZN5_IO_EMPTY_AS_MISSING | ZN5_IO_WRITE_FILL | ZN5_IO_PAD_EDGES;
        if io.flags & !known != 0 {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("io->flags is {:#x}; zn5 {} knows the bits of {known:#x}, ZN5_IO_...", io.flags, env!("CARGO_PKG_VERSION")),
            ));
        }
        let options = IoOptions {
            threads: usize::try_from(io.threads).unwrap_or(usize::MAX),
            empty_as_missing: io.flags & ZN5_IO_EMPTY_AS_MISSING != 0,
            write_fill: io.flags & ZN5_IO_WRITE_FILL != 0,
            pad_edges: io.flags & ZN5_IO_PAD_EDGES != 0,
            by_listing: false,
        };
        Ok(Self { options, progress: io.progress, user_data: io.user_data })
    }

    /// Runs `call` with the options, and the callback where there is one.
    fn with(&self, call: impl FnOnce(&IoOptions, Option<&mut dyn FnMut(u64, u64) -> bool>) -> Result<()>) -> Result<()> {
        let Some(progress) = self.progress else { return call(&self.options, None) };
        // SAFETY: the caller's function, with the arguments that it is declared to take, on the calling thread.
        call(&self.options, Some(&mut |done, total| unsafe { progress(self.user_data, done, total) } == 0))
    }
}

/// Makes a dataset and delivers its handle; on failure the handle is NULL.
///
/// # Safety
/// `store` is NULL or a live store, `path` NULL or a string, `options` as [`options::read`] wants it; `dataset` and `error` are NULL or may
/// be written.
unsafe fn deliver(
    store: *const zn5_store,
    path: *const c_char,
    options: *const zn5_codec_options,
    dataset: *mut *mut zn5_dataset,
    error: *mut *mut zn5_error,
    make: impl FnOnce(&zn5_store, &str, CodecOptions) -> Result<Dataset>,
) -> zn5_status {
    // SAFETY: the caller's contract.
    unsafe { ptr::put_optional(dataset, std::ptr::null_mut()) };
    let body = || {
        // SAFETY: the caller's contract.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's contract.
        let path = unsafe { node_path(path) }?;
        if dataset.is_null() {
            return Err(ptr::null("dataset"));
        }
        // SAFETY: the caller's contract.
        let options = unsafe { options::read(options) }?;
        let opened = make(store, path, options)?;
        let codec = zn5_codec(Arc::clone(opened.codec()));
        let handle = Box::new(zn5_dataset { dataset: opened, codec });
        // SAFETY: the caller's contract.
        unsafe { ptr::put(dataset, Box::into_raw(handle), "dataset") }
    };
    // SAFETY: the caller's contract.
    unsafe { guard(error, body) }
}

/// Opens an array: by attributes.json if that describes one, else by zarr.json.
///
/// What is stored later is not seen: the dataset keeps the metadata that it
/// found.
///
/// @param store    a store, which the dataset keeps alive
/// @param path     the array, NUL-terminated UTF-8, such as "volume/s0"; "" or
///                 "/" is the root
/// @param options  see zn5_codec_options; NULL for the defaults. Its fill_value
///                 is what missing blocks read as, and is never stored
/// @param dataset  gets the dataset, to be freed by zn5_dataset_free(); NULL on
///                 failure
/// @param error    gets NULL or an error object, which the caller frees; may be
///                 NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (path,
///   options); ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_NOT_FOUND;
///   ZN5_ERROR_NOT_AN_ARRAY (a group); those of zn5_codec_from_n5_attributes()
///   and zn5_codec_from_zarr_metadata(), with the key in the message;
///   ZN5_ERROR_UNSUPPORTED_CODEC also for an array of Zarr version 2, where
///   .zarray is the only document; ZN5_ERROR_LIMIT_EXCEEDED (a document above
///   64 MiB); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; whatever a callback of the
///   store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_open(
    store: *const zn5_store,
    path: *const c_char,
    options: *const zn5_codec_options,
    dataset: *mut *mut zn5_dataset,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let make = |store: &zn5_store, path: &str, options| Dataset::open(Arc::clone(&store.0), path, options);
    // SAFETY: the caller's pointers.
    unsafe { deliver(store, path, options, dataset, error, make) }
}

/// Makes a new array without blocks and opens it.
///
/// The document is pure JSON and stored as it is given: under zarr.json if it
/// has a member `zarr_format`, else under attributes.json. What opening
/// forgives is refused here: in `compression`, members that its type has not
/// and values outside their range.
///
/// What lies above is made as by zn5_group_create() in the document's language,
/// before the document is stored: of N5 the root gets `"n5":"4.0.0"` beside its
/// other attributes if it has no version; of Zarr all groups above are made
/// that are missing, the root included. A container of the other language stays
/// as it is: one where the nearest document above, or beside what is made, is
/// of that. An attributes.json for the root itself is given `"n5":"4.0.0"` as
/// its first member if it has no version, each other member byte for byte;
/// zn5_dataset_metadata() tells what was stored.
///
/// @param store              a store that can be written, which the dataset
/// keeps alive
/// @param path               the array, NUL-terminated UTF-8; "" or "/" is the
/// root
/// @param metadata_json      the text of an attributes.json or zarr.json, UTF-8
/// @param metadata_json_len  its bytes, without a terminator
/// @param options            see zn5_codec_options; NULL for the defaults
/// @param dataset            gets the dataset, to be freed by
/// zn5_dataset_free(); NULL on failure
/// @param error              gets NULL or an error object, which the caller
/// frees; may be NULL
/// @return ZN5_OK; those of zn5_dataset_open() but ZN5_ERROR_NOT_FOUND, with
///   "metadata_json: " or a key before messages about documents;
///   ZN5_ERROR_ALREADY_EXISTS (path has either document, or one of Zarr version
///   2); ZN5_ERROR_READ_ONLY, and then nothing was stored
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_create(
    store: *const zn5_store,
    path: *const c_char,
    metadata_json: *const c_char,
    metadata_json_len: usize,
    options: *const zn5_codec_options,
    dataset: *mut *mut zn5_dataset,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let make = |store: &zn5_store, path: &str, options| {
        ptr::check_apart(&[ptr::bytes("metadata_json", metadata_json, metadata_json_len)], &[ptr::place("dataset", dataset)])?;
        // SAFETY: the caller's buffer.
        let json = unsafe { ptr::input(metadata_json.cast(), metadata_json_len, "metadata_json") }?;
        Dataset::create(Arc::clone(&store.0), path, json, options)
    };
    // SAFETY: the caller's pointers.
    unsafe { deliver(store, path, options, dataset, error, make) }
}

/// Returns the codec of a dataset's blocks, which tells type, rank, chunk shape, fill value and compression, and decodes single blocks.
///
/// @param dataset  a dataset, or NULL
/// @return a codec that belongs to the dataset and lives as long: not to be freed; NULL of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_codec(dataset: *const zn5_dataset) -> *const zn5_codec {
    // SAFETY: the caller passes NULL or a live dataset.
    let dataset = unsafe { dataset.as_ref() };
    dataset.map_or(std::ptr::null(), |dataset| &raw const dataset.codec)
}

/// Tells the shape of the array: N5's dimensions, Zarr's shape. Its extents may be 0.
///
/// @param dataset      a dataset
/// @param shape        gets as many extents as the dataset's codec has dimensions, axis 0 first
/// @param shape_count  the numbers that shape has room for, at least the number of dimensions
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_shape(
    dataset: *const zn5_dataset,
    shape: *mut u64,
    shape_count: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let dataset = unsafe { ptr::handle(dataset, "dataset") }?;
        // SAFETY: the caller's array.
        unsafe { ptr::put_extents(shape, shape_count, dataset.dataset.shape(), "shape") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Gets the metadata document, attributes.json or zarr.json, as it was stored when the dataset was opened.
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param dataset  a dataset
/// @param dst      gets the JSON text, UTF-8, not terminated
/// @param dst_len  the bytes that dst has room for
/// @param needed   gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_metadata(
    dataset: *const zn5_dataset,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let dataset = unsafe { ptr::handle(dataset, "dataset") }?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(dataset.dataset.metadata(), dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Tells whether the array is N5 or Zarr: by which of the two documents it was
/// opened or made.
///
/// @param dataset  a dataset, or NULL
/// @return ZN5_LANGUAGE_N5 or ZN5_LANGUAGE_ZARR; ZN5_LANGUAGE_AUTO of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_language(dataset: *const zn5_dataset) -> zn5_language {
    // SAFETY: the caller passes NULL or a live dataset.
    let dataset = unsafe { dataset.as_ref() };
    guard_value(ZN5_LANGUAGE_AUTO, || dataset.map_or(ZN5_LANGUAGE_AUTO, |dataset| language_number(dataset.dataset.language())))
}

/// Region and strides of a read or write.
struct Target {
    offset: Extents,
    extent: Extents,
    strides: Option<Strides>,
}

impl Target {
    /// # Safety
    /// Each pointer is NULL or leads to as many numbers as the dataset has dimensions.
    unsafe fn read(dataset: &Dataset, offset: *const u64, extent: *const u64, strides: *const isize, strides_name: &str) -> Result<Self> {
        let ndim = dataset.shape().len();
        // SAFETY: the caller's array.
        let offset = unsafe { ptr::optional_extents(offset, ndim, "offset") }?;
        // SAFETY: the caller's array.
        let extent = unsafe { ptr::optional_extents(extent, ndim, "extent") }?;
        let (offset, extent) = region(dataset.shape(), offset, extent)?;
        // SAFETY: the caller's array.
        let strides = unsafe { optional_strides(strides, ndim, strides_name) }?;
        Ok(Self { offset, extent, strides })
    }
}

/// Reads a region of the array into an image.
///
/// Each block is decoded straight into its part of the image; of a payload that can be decoded in parts only those are decoded, and
/// checked, that the region touches. Of an uncompressed block in a folder only these bytes, and its header, are read. Missing blocks read as
/// the fill value. A block that is empty, truncated or corrupt is read once more after 20 ms if its size or time changed meanwhile, for
/// somebody may be writing it. Only bytes of the region are written, so several calls may read into one image at once if their regions
/// share no element.
///
/// What it costs: a compressed block is decoded whole, however little of it the
/// region touches; only with lz4 and Blosc the pieces are that it touches.
/// Nothing is kept for the next call, so reading a volume plane by plane decodes
/// each block once for every plane through it. Read slabs as thick as a block
/// instead, and take the planes from memory.
///
/// @param dataset      a dataset
/// @param offset       where in the array the region begins; NULL for zeros
/// @param extent       the extents of the region; NULL for the rest of the array
/// @param dst          the whole image; no alignment is needed
/// @param dst_len      the bytes of the whole image
/// @param dst_origin   the byte offset in the image of the region's first element
/// @param dst_strides  byte strides in the image; a negative one flips its axis; NULL for a contiguous region in the codec's order
/// @param io           see zn5_io_options; NULL for the defaults
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; after any error the content of the region is unspecified;
///   ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (the region leaves the array, strides let elements overlap, io);
///   ZN5_ERROR_BUFFER_TOO_SMALL (an element of the region would lie outside the image);
///   those of zn5_decode_block() for a bad block, of several bad ones that of the first, whose key begins the message;
///   ZN5_ERROR_LIMIT_EXCEEDED also for a value that is longer than a block can be;
///   ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_CANCELLED by progress; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_read(
    dataset: *const zn5_dataset,
    offset: *const u64,
    extent: *const u64,
    dst: *mut c_void,
    dst_len: usize,
    dst_origin: usize,
    dst_strides: *const isize,
    io: *const zn5_io_options,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let dataset = &unsafe { ptr::handle(dataset, "dataset") }?.dataset;
        let ndim = dataset.shape().len();
        let inputs =
            [ptr::numbers("offset", offset, ndim), ptr::numbers("extent", extent, ndim), ptr::numbers("dst_strides", dst_strides, ndim)];
        ptr::check_apart(&inputs, &[ptr::bytes("dst", dst, dst_len)])?;
        // SAFETY: the caller's arrays.
        let target = unsafe { Target::read(dataset, offset, extent, dst_strides, "dst_strides") }?;
        // SAFETY: the caller's struct.
        let io = unsafe { Io::read(io) }?;
        let (order, size) = (dataset.codec().order(), dataset.codec().element_size());
        let Target { offset, extent, strides } = &target;
        // SAFETY: the caller's image, of which the region is this call's own.
        let destination = unsafe { Destination::from_raw(dst.cast(), dst_len, dst_origin, strides.as_deref(), order, extent, size) }?;
        io.with(|options, progress| dataset.read(offset, destination, options, progress))
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes a region of the array from an image.
///
/// Each block is stored whole: what a reader finds is the old block or the new one, as far as the store does that. Blocks that the region
/// covers in part are read first and keep their other elements, those that were missing get the fill value of the metadata there. A block
/// whose every element equals that fill value, bit for bit, is erased or not written, see ZN5_IO_WRITE_FILL. The result does not depend on
/// the number of threads.
///
/// Calls at the same time by the same handle may cover parts of the same block,
/// and nothing is lost: they wait for each other, block by block. Other handles
/// of the same array, in this process or in others, are not waited for: there,
/// calls that cover parts of the same block can lose what one of them wrote. Use
/// one handle, align regions to blocks, or serialise the calls.
///
/// @param dataset      a dataset
/// @param offset       where in the array the region begins; NULL for zeros
/// @param extent       the extents of the region; NULL for the rest of the array
/// @param src          the whole image; no alignment is needed
/// @param src_len      the bytes of the whole image
/// @param src_origin   the byte offset in the image of the region's first element
/// @param src_strides  byte strides in the image; may be negative or 0; NULL for a contiguous region in the codec's order
/// @param io           see zn5_io_options; NULL for the defaults
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; after any error some blocks may have been written;
///   ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (the region leaves the array, io, a block that N5 or its compressor cannot hold);
///   ZN5_ERROR_SIZE_MISMATCH (an element of the region would lie outside the image); ZN5_ERROR_READ_ONLY;
///   those of zn5_decode_block() for a block that must be completed and is bad; ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_PERMISSION;
///   ZN5_ERROR_IO; ZN5_ERROR_CANCELLED by progress; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_write(
    dataset: *const zn5_dataset,
    offset: *const u64,
    extent: *const u64,
    src: *const c_void,
    src_len: usize,
    src_origin: usize,
    src_strides: *const isize,
    io: *const zn5_io_options,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let dataset = &unsafe { ptr::handle(dataset, "dataset") }?.dataset;
        // SAFETY: the caller's arrays.
        let target = unsafe { Target::read(dataset, offset, extent, src_strides, "src_strides") }?;
        // SAFETY: the caller's struct.
        let io = unsafe { Io::read(io) }?;
        ptr::check(src, src_len, "src")?;
        let (order, size) = (dataset.codec().order(), dataset.codec().element_size());
        let Target { offset, extent, strides } = &target;
        // SAFETY: the caller's image, which nobody writes during the call.
        let source = unsafe { Source::from_raw(src.cast(), src_len, src_origin, strides.as_deref(), order, extent, size) };
        let source = source.map_err(size_mismatch)?;
        io.with(|options, progress| dataset.write(offset, &source, options, progress))
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Reads every stored block of the array whole, checks all that can be checked, and reports what is wrong.
///
/// Reported are blocks that cannot be read or decoded, folders of blocks that
/// cannot be listed, blocks outside the grid, and files that are no block at
/// all; missing blocks are not, nor are groups and arrays below this one.
/// Whatever is wrong in one place, the others are checked. Problems come in the
/// order of the keys, folder by folder; that of a folder has its key, and the
/// status of listing it. The call is ZN5_OK when the check was made, whatever
/// it found. Memory does not grow with the number of blocks.
///
/// @param dataset    a dataset
/// @param callback   gets each problem
/// @param user_data  is passed to callback
/// @param io         see zn5_io_options; NULL for the defaults
/// @param error      gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (io);
///   ZN5_ERROR_PERMISSION, ZN5_ERROR_IO (listing the array's own folder);
///   ZN5_ERROR_OUT_OF_MEMORY; ZN5_ERROR_CANCELLED by callback, progress or the
///   store; whatever the store's callback list returns for the array's own
///   folder
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_verify(
    dataset: *const zn5_dataset,
    callback: zn5_problem_callback,
    user_data: *mut c_void,
    io: *const zn5_io_options,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let dataset = unsafe { ptr::handle(dataset, "dataset") }?;
        let callback = callback.ok_or_else(|| ptr::null("callback"))?;
        // SAFETY: the caller's struct.
        let io = unsafe { Io::read(io) }?;
        let mut report = |problem: Problem<'_>| {
            let message = c_text(problem.message);
            let offset = problem.offset.map_or(-1, |offset| i64::try_from(offset).unwrap_or(i64::MAX));
            let (key, status) = (problem.key, status_of(problem.kind));
            // SAFETY: the caller's function, with the arguments that it is declared to take, on the calling thread.
            let answer = unsafe { callback(user_data, status, key.as_ptr().cast(), key.len(), offset, message.as_ptr()) };
            answer == 0
        };
        io.with(|options, progress| dataset.dataset.verify(&mut report, options, progress))
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Frees a dataset, and with it the codec that zn5_dataset_codec() gave. No other call may be using it.
///
/// @param dataset  a dataset that is not used afterwards, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dataset_free(dataset: *mut zn5_dataset) {
    if dataset.is_null() {
        return;
    }
    // A panic here has nobody to report to; the memory is then lost.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: every dataset came from `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(dataset) });
    }));
}

const _: () = assert!(offset_of!(zn5_io_options, struct_size) == 0, "read_sized reads it first");
