//! Section "Codec" of the header: making a codec from metadata, and asking it.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::dtype::{dtype_of, n5_data_type, zn5_dtype};
use super::error::zn5_error;
use super::guard::{guard, guard_value};
use super::options::{self, zn5_codec_options};
use super::ptr::{self, Span};
use super::status::zn5_status;
use crate::codec::Codec;
use crate::error::{Error, ErrorKind, Result};
use crate::metadata;
use crate::model::{ArraySettings, CodecOptions};

/// What decodes and encodes the chunks of one array. It never changes, and any number of threads use it at once.
///
/// Made by zn5_codec_new(), zn5_codec_from_zarr_metadata() or zn5_codec_from_n5_attributes(), freed by zn5_codec_free(); that of
/// zn5_dataset_codec() belongs to its dataset.
pub struct zn5_codec(pub(super) Arc<Codec>);

/// Makes a codec and delivers its handle; on failure the handle is NULL.
///
/// # Safety
/// `codec` is NULL or may be written, `error` is NULL or may be written, and `options` as [`options::read`] wants it; `inputs` are what
/// `settings` reads.
unsafe fn deliver(
    codec: *mut *mut zn5_codec,
    error: *mut *mut zn5_error,
    options: *const zn5_codec_options,
    inputs: &[Span],
    settings: impl FnOnce() -> Result<ArraySettings>,
) -> zn5_status {
    // SAFETY: the caller's contract.
    unsafe { ptr::put_optional(codec, std::ptr::null_mut()) };
    let body = || {
        if codec.is_null() {
            return Err(ptr::null("codec"));
        }
        ptr::check_apart(inputs, &[ptr::place("codec", codec)])?;
        // SAFETY: the caller's contract.
        let options: CodecOptions = unsafe { options::read(options) }?;
        let made = Box::new(zn5_codec(Arc::new(Codec::new(settings()?, options)?)));
        // SAFETY: the caller's contract.
        unsafe { ptr::put(codec, Box::into_raw(made), "codec") }
    };
    // SAFETY: the caller's contract.
    unsafe { guard(error, body) }
}

/// Makes a codec from a Zarr v3 codec object `{"name":"n5_default","configuration":{"codecs":[...]}}`.
///
/// @param codec_json      the object as JSON text, UTF-8
/// @param codec_json_len  its bytes, without a terminator
/// @param dtype           the type of the elements: any but ZN5_DTYPE_UTF32
/// @param ndim            the number of dimensions, 0 to 65535
/// @param chunk_shape     ndim extents, each at least 1, in N5 blockSize order, which is also Zarr chunk_shape order; NULL if ndim is 0
/// @param options         see zn5_codec_options; NULL for the defaults
/// @param codec           gets the codec, to be freed by zn5_codec_free(); NULL on failure
/// @param error           gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK;
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (dtype, options);
///   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA (a member is missing or wrong, a chunk extent of 0, more than 65535 dimensions);
///   ZN5_ERROR_UNSUPPORTED_DATA_TYPE (ZN5_DTYPE_UTF32); ZN5_ERROR_UNSUPPORTED_CODEC; ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_new(
    codec_json: *const c_char,
    codec_json_len: usize,
    dtype: zn5_dtype,
    ndim: u32,
    chunk_shape: *const u64,
    options: *const zn5_codec_options,
    codec: *mut *mut zn5_codec,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let settings = || {
        // SAFETY: the caller's buffer.
        let json = unsafe { ptr::input(codec_json.cast::<c_void>(), codec_json_len, "codec_json") }?;
        let data_type = n5_data_type(dtype)?;
        if ndim > u32::from(u16::MAX) {
            return Err(Error::new(ErrorKind::InvalidMetadata, format!("ndim is {ndim}; an N5 block has at most 65535 dimensions")));
        }
        // SAFETY: the caller's array.
        let numbers = unsafe { ptr::extents(chunk_shape, ndim as usize, "chunk_shape") }?;
        metadata::codec_from_object(json, data_type, &numbers)
    };
    // A rank that is refused says nothing of the memory behind `chunk_shape`.
    let count = u16::try_from(ndim).unwrap_or(0);
    let inputs = [ptr::bytes("codec_json", codec_json, codec_json_len), ptr::numbers("chunk_shape", chunk_shape, count.into())];
    // SAFETY: the caller's places.
    unsafe { deliver(codec, error, options, &inputs, settings) }
}

/// Makes a codec from a whole `zarr.json` (Zarr v3).
///
/// The array's `codecs` are one `n5_default`, or `bytes` followed by up to 16 of `gzip`, `zstd`, `blosc`, `numcodecs.bz2`, `numcodecs.lzma`,
/// `numcodecs.zlib`. In the second case, a plain chain, stored chunks have no header, so shape parameters of later calls are the stored
/// shape: nothing is cropped or padded.
///
/// @param json      the document, UTF-8
/// @param json_len  its bytes, without a terminator
/// @param options   see zn5_codec_options; NULL for the defaults
/// @param codec     gets the codec, to be freed by zn5_codec_free(); NULL on failure
/// @param error     gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK;
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (options);
///   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA; ZN5_ERROR_NOT_AN_ARRAY (the document of a group);
///   ZN5_ERROR_UNSUPPORTED_DATA_TYPE; ZN5_ERROR_UNSUPPORTED_CODEC; ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_from_zarr_metadata(
    json: *const c_char,
    json_len: usize,
    options: *const zn5_codec_options,
    codec: *mut *mut zn5_codec,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let settings = || {
        // SAFETY: the caller's buffer.
        let json = unsafe { ptr::input(json.cast::<c_void>(), json_len, "json") }?;
        metadata::array_from_zarr(json).map_err(|error| error.about("json"))
    };
    // SAFETY: the caller's places.
    unsafe { deliver(codec, error, options, &[ptr::bytes("json", json, json_len)], settings) }
}

/// Makes a codec from a whole N5 `attributes.json`, also one from before N5 2.0, which has `compressionType`.
///
/// Decoding looks at `type` and `useZlib` of `compression` alone; a parameter
/// that is missing or out of range does no harm, encoding then takes N5's
/// default. Comments and a byte order mark are read over, NaN and the
/// infinities in users' members too. The fill value is 0.
///
/// @param json      the document, UTF-8
/// @param json_len  its bytes, without a terminator
/// @param options   see zn5_codec_options; NULL for the defaults
/// @param codec     gets the codec, to be freed by zn5_codec_free(); NULL on failure
/// @param error     gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK;
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (options);
///   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA; ZN5_ERROR_NOT_AN_ARRAY (the document of a group);
///   ZN5_ERROR_UNSUPPORTED_DATA_TYPE; ZN5_ERROR_UNSUPPORTED_COMPRESSION (jpeg among them); ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_from_n5_attributes(
    json: *const c_char,
    json_len: usize,
    options: *const zn5_codec_options,
    codec: *mut *mut zn5_codec,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let settings = || {
        // SAFETY: the caller's buffer.
        let json = unsafe { ptr::input(json.cast::<c_void>(), json_len, "json") }?;
        metadata::array_from_n5(json).map_err(|error| error.about("json"))
    };
    // SAFETY: the caller's places.
    unsafe { deliver(codec, error, options, &[ptr::bytes("json", json, json_len)], settings) }
}

/// Frees a codec. No other call may be using it.
///
/// @param codec  a codec that is not used afterwards, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_free(codec: *mut zn5_codec) {
    if codec.is_null() {
        return;
    }
    // A panic here has nobody to report to; the memory is then lost.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: every codec came from `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(codec) });
    }));
}

/// Returns the type of the elements.
///
/// @param codec  a codec, or NULL
/// @return one of ZN5_DTYPE_...; 0 of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_dtype(codec: *const zn5_codec) -> zn5_dtype {
    // SAFETY: the caller passes NULL or a live codec.
    let codec = unsafe { codec.as_ref() };
    guard_value(0, || codec.map_or(0, |codec| dtype_of(codec.0.settings().data_type)))
}

/// Returns the size of one element.
///
/// @param codec  a codec, or NULL
/// @return bytes; 0 of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_element_size(codec: *const zn5_codec) -> usize {
    // SAFETY: the caller passes NULL or a live codec.
    let codec = unsafe { codec.as_ref() };
    guard_value(0, || codec.map_or(0, |codec| codec.0.element_size()))
}

/// Returns the number of dimensions.
///
/// @param codec  a codec, or NULL
/// @return 0 to 65535; 0 of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_ndim(codec: *const zn5_codec) -> u32 {
    // SAFETY: the caller passes NULL or a live codec.
    let codec = unsafe { codec.as_ref() };
    guard_value(0, || codec.map_or(0, |codec| u32::try_from(codec.0.ndim()).unwrap_or(u32::MAX)))
}

/// Returns the N5 name of the compression: "raw", "gzip", "bzip2", "xz", "lz4", "blosc" or "zstd".
///
/// @param codec  a codec, or NULL
/// @return a static NUL-terminated string; of a plain chain the name of its last codec; "" of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_compression(codec: *const zn5_codec) -> *const c_char {
    // SAFETY: the caller passes NULL or a live codec.
    let codec = unsafe { codec.as_ref() };
    let name = guard_value("", || codec.map_or("", |codec| codec.0.compression()));
    match name {
        "raw" => c"raw",
        "gzip" => c"gzip",
        "bzip2" => c"bzip2",
        "xz" => c"xz",
        "lz4" => c"lz4",
        "blosc" => c"blosc",
        "zstd" => c"zstd",
        _ => c"",
    }
    .as_ptr()
}

/// Tells the chunk shape: N5's blockSize, Zarr's chunk_shape.
///
/// @param codec        a codec
/// @param shape        gets zn5_codec_ndim() extents, axis 0 first
/// @param shape_count  the numbers that shape has room for, at least zn5_codec_ndim()
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_chunk_shape(
    codec: *const zn5_codec,
    shape: *mut u64,
    shape_count: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        // SAFETY: the caller's array.
        unsafe { ptr::put_extents(shape, shape_count, &codec.0.settings().chunk_shape, "shape") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Tells the shape of the whole array: N5's dimensions, Zarr's shape. Its extents may be 0.
///
/// @param codec        a codec
/// @param shape        gets zn5_codec_ndim() extents, axis 0 first
/// @param shape_count  the numbers that shape has room for, at least zn5_codec_ndim()
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
///   ZN5_ERROR_NOT_FOUND for a codec from zn5_codec_new(), which was never told
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_array_shape(
    codec: *const zn5_codec,
    shape: *mut u64,
    shape_count: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let array_shape = codec.0.settings().array_shape.as_deref().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "the codec was made by zn5_codec_new, which is not told the array's shape; make it from the array's metadata",
            )
        })?;
        // SAFETY: the caller's array.
        unsafe { ptr::put_extents(shape, shape_count, array_shape, "shape") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Tells the fill value: what padding and missing chunks hold.
///
/// @param codec    a codec
/// @param dst      gets one element in native byte order
/// @param dst_len  the bytes that dst has room for, at least zn5_codec_element_size()
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_fill_value(
    codec: *const zn5_codec,
    dst: *mut c_void,
    dst_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let fill_value = &codec.0.settings().fill_value;
        // SAFETY: the caller's buffer.
        let room = unsafe { ptr::output(dst, dst_len, "dst") }?;
        let room = room.get_mut(..fill_value.len()).ok_or_else(|| {
            Error::new(ErrorKind::BufferTooSmall, format!("one element has {} bytes and dst_len is {dst_len}", fill_value.len()))
        })?;
        ptr::copy(fill_value, room);
        Ok(())
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes the codec as Zarr metadata: the `n5_default` object, or for a plain chain the array of codecs. The same codec always gives the same text.
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param codec    a codec
/// @param dst      gets the JSON text, UTF-8, not terminated
/// @param dst_len  the bytes that dst has room for
/// @param needed   gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
///   ZN5_ERROR_NOT_REPRESENTABLE for N5's lz4, which no Zarr codec describes
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_to_json(
    codec: *const zn5_codec,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let text = metadata::codec_to_json(codec.0.settings())?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(&text, dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Tells the bytes of a decoded array.
///
/// @param codec  a codec
/// @param shape  zn5_codec_ndim() extents; NULL for the chunk shape
/// @param size   gets the product of the extents and the element size
/// @param error  gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_LIMIT_EXCEEDED above PTRDIFF_MAX
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_decoded_size(
    codec: *const zn5_codec,
    shape: *const u64,
    size: *mut u64,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        ptr::check_apart(&[ptr::numbers("shape", shape, codec.0.ndim())], &[ptr::place("size", size)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, codec.0.ndim(), "shape") }?;
        let decoded_size = codec.0.decoded_size(codec.0.shape_or_chunk(shape.as_deref()))?;
        // SAFETY: the caller's place for the result.
        unsafe { ptr::put(size, decoded_size, "size") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Tells the most bytes that an encoded block can have.
///
/// @param codec  a codec
/// @param shape  the block's zn5_codec_ndim() extents; NULL for the chunk shape
/// @param size   gets the bound, header included
/// @param error  gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP;
///   ZN5_ERROR_INVALID_ARGUMENT if the block cannot be written so (an extent of
///   0, or above 2^32 - 1 in an N5 block; more than a Blosc frame holds);
///   ZN5_ERROR_LIMIT_EXCEEDED above the codec's max_decoded_bytes; ZN5_ERROR_INVALID_BLOCK_SHAPE above the chunk shape (ZN5_STRICT)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_codec_encode_bound(
    codec: *const zn5_codec,
    shape: *const u64,
    size: *mut u64,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        ptr::check_apart(&[ptr::numbers("shape", shape, codec.0.ndim())], &[ptr::place("size", size)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, codec.0.ndim(), "shape") }?;
        let bound = codec.0.encode_bound(codec.0.shape_or_chunk(shape.as_deref()))?;
        // SAFETY: the caller's place for the result.
        unsafe { ptr::put(size, bound, "size") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}
