//! Section "Blocks" of the header: headers, decoding into arrays and images, encoding.

use std::ffi::c_void;

use super::codec::zn5_codec;
use super::error::zn5_error;
use super::guard::guard;
use super::ptr;
use super::status::zn5_status;
use crate::array::{Destination, Source};
use crate::block;
use crate::codec::Codec;
use crate::error::{Error, ErrorKind, Result, listed};
use crate::model::{Extents, Strides};

/// Reads the header of an N5 block; needs no codec and looks at nothing behind the header.
///
/// Modes 0 (default), 1 (varlength) and 2 (object) are read; zn5 decodes mode 0 alone.
///
/// @param src            the block, or its beginning
/// @param src_len        its bytes
/// @param mode           gets the mode
/// @param ndim           gets the number of dimensions, also with ZN5_ERROR_BUFFER_TOO_SMALL; 0 in mode 2, which has none; may be NULL
/// @param shape          gets the extents, axis 0 first; NULL with shape_count 0 if they are not wanted
/// @param shape_count    the numbers that shape has room for, at least *ndim
/// @param element_count  gets the count in the header (modes 1 and 2) or the product of the extents (mode 0); may be NULL
/// @param header_len     gets the bytes of the header, where the payload begins; may be NULL
/// @param error          gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_BUFFER_TOO_SMALL (shape_count); ZN5_ERROR_BUFFERS_OVERLAP (src and shape);
///   ZN5_ERROR_EMPTY_BLOCK (src_len 0); ZN5_ERROR_TRUNCATED_BLOCK; ZN5_ERROR_UNSUPPORTED_BLOCK_MODE (another mode);
///   ZN5_ERROR_LIMIT_EXCEEDED (the product exceeds 2^64 - 1)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_block_header(
    src: *const c_void,
    src_len: usize,
    mode: *mut u16,
    ndim: *mut u16,
    shape: *mut u64,
    shape_count: usize,
    element_count: *mut u64,
    header_len: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        if mode.is_null() {
            return Err(ptr::null("mode"));
        }
        let shape_bytes = ptr::bytes("shape", shape, shape_count.saturating_mul(size_of::<u64>()));
        let outputs = [
            ptr::place("mode", mode),
            ptr::place("ndim", ndim),
            shape_bytes,
            ptr::place("element_count", element_count),
            ptr::place("header_len", header_len),
        ];
        ptr::check_apart(&[ptr::bytes("src", src, src_len)], &outputs)?;
        // SAFETY: the caller's buffer, apart from the outputs.
        let src_bytes = unsafe { ptr::input(src, src_len, "src") }?;
        let header = block::parse(src_bytes)?;
        let count = header.element_count()?;
        let rank = header.ndim();
        let wanted = !shape.is_null() || shape_count != 0;
        let fits = !wanted || shape_count >= rank;
        let values = (header.mode().number(), u16::try_from(rank).unwrap_or(u16::MAX), count, header.len());
        if !fits {
            // SAFETY: the caller's place; `header` is not used again.
            unsafe { ptr::put_optional(ndim, values.1) };
            return Err(Error::new(
                ErrorKind::BufferTooSmall,
                format!("the block has {rank} dimensions and shape_count is {shape_count}; *ndim says so too"),
            ));
        }
        if wanted {
            for (index, extent) in header.extents().enumerate() {
                // SAFETY: `index` is below the rank, which is at most `shape_count`.
                let place = unsafe { shape.add(index) };
                // SAFETY: the caller's array, apart from `src`; alignment is not assumed.
                unsafe { place.write_unaligned(extent) };
            }
        }
        // SAFETY: the caller's place for a result.
        unsafe { ptr::put_optional(ndim, values.1) };
        // SAFETY: the caller's place for a result.
        unsafe { ptr::put_optional(element_count, values.2) };
        // SAFETY: the caller's place for a result.
        unsafe { ptr::put_optional(header_len, values.3) };
        // SAFETY: the caller's place for a result.
        unsafe { ptr::put(mode, values.0, "mode") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Decodes a block into a contiguous array of `shape`, in the codec's order and native byte order.
///
/// The stored block is cropped and padded axis by axis to `shape`; padding is the fill value. Every check is made: of the header, of the
/// compressed stream to its end, of its checksums. To get a block as it is stored, pass the extents that zn5_block_header() tells.
/// A shape in the wrong order of axes is no error: it crops and pads.
///
/// @param codec    a codec
/// @param src      the block (of a plain chain: the stored chunk)
/// @param src_len  its bytes
/// @param shape    zn5_codec_ndim() extents of the array; NULL for the chunk shape
/// @param dst      gets the array; no alignment is needed; apart from src
/// @param dst_len  the bytes that dst has room for, at least zn5_codec_decoded_size(); those behind it stay untouched
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; after any error the content of dst is unspecified;
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_BUFFERS_OVERLAP;
///   ZN5_ERROR_EMPTY_BLOCK, ZN5_ERROR_TRUNCATED_BLOCK, ZN5_ERROR_UNSUPPORTED_BLOCK_MODE, ZN5_ERROR_DIMENSION_MISMATCH,
///   ZN5_ERROR_INVALID_BLOCK_SHAPE (ZN5_STRICT), ZN5_ERROR_CORRUPT_PAYLOAD, ZN5_ERROR_PAYLOAD_SIZE_MISMATCH, ZN5_ERROR_TRAILING_DATA,
///   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_decode_block(
    codec: *const zn5_codec,
    src: *const c_void,
    src_len: usize,
    shape: *const u64,
    dst: *mut c_void,
    dst_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let inputs = [ptr::bytes("src", src, src_len), ptr::numbers("shape", shape, codec.0.ndim())];
        ptr::check_apart(&inputs, &[ptr::bytes("dst", dst, dst_len)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, codec.0.ndim(), "shape") }?;
        let shape = codec.0.shape_or_chunk(shape.as_deref());
        // SAFETY: the caller's buffer, apart from `dst`.
        let src = unsafe { ptr::input(src, src_len, "src") }?;
        // SAFETY: the caller's buffer.
        let destination = unsafe { whole_destination(&codec.0, shape, dst, dst_len) }?;
        codec.0.decode(src, shape, &zeros(shape.len())?, destination, true)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Decodes a box of a block straight into a larger image.
///
/// The box is `offset` and `extent` of the array that zn5_decode_block() would give. Only bytes of the box are written, so several
/// threads may decode into one image at once if their boxes share no element. Of a payload that can be decoded in parts (raw, Blosc,
/// LZ4Block) only the parts that the box touches are decoded and checked.
///
/// @param codec        a codec
/// @param src          the block (of a plain chain: the stored chunk)
/// @param src_len      its bytes
/// @param shape        zn5_codec_ndim() extents of the whole array; NULL for the chunk shape
/// @param offset       where in it the box begins; NULL for zeros
/// @param extent       the extents of the box; NULL for the rest of shape
/// @param dst          the whole image; no alignment is needed; apart from src
/// @param dst_len      the bytes of the whole image
/// @param dst_origin   the byte offset in the image of the box's first element
/// @param dst_strides  zn5_codec_ndim() byte strides in the image; a negative one flips its axis; NULL for a contiguous box in the codec's order
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; after any error the content of the box is unspecified;
///   those of zn5_decode_block(); ZN5_ERROR_INVALID_ARGUMENT if the box leaves shape, or strides let two elements overlap or are too
///   entangled to tell;
///   ZN5_ERROR_BUFFER_TOO_SMALL if an element of the box would lie outside the image
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_decode_region(
    codec: *const zn5_codec,
    src: *const c_void,
    src_len: usize,
    shape: *const u64,
    offset: *const u64,
    extent: *const u64,
    dst: *mut c_void,
    dst_len: usize,
    dst_origin: usize,
    dst_strides: *const isize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let ndim = codec.0.ndim();
        let inputs = [
            ptr::bytes("src", src, src_len),
            ptr::numbers("shape", shape, ndim),
            ptr::numbers("offset", offset, ndim),
            ptr::numbers("extent", extent, ndim),
            ptr::numbers("dst_strides", dst_strides, ndim),
        ];
        ptr::check_apart(&inputs, &[ptr::bytes("dst", dst, dst_len)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, ndim, "shape") }?;
        let shape = codec.0.shape_or_chunk(shape.as_deref());
        // SAFETY: the caller's array.
        let offset = unsafe { ptr::optional_extents(offset, ndim, "offset") }?;
        // SAFETY: the caller's array.
        let extent = unsafe { ptr::optional_extents(extent, ndim, "extent") }?;
        let (offset, extent) = region(shape, offset, extent)?;
        // SAFETY: the caller's array.
        let strides = unsafe { optional_strides(dst_strides, ndim, "dst_strides") }?;
        // SAFETY: the caller's buffer, apart from `dst`.
        let src = unsafe { ptr::input(src, src_len, "src") }?;
        let (order, size) = (codec.0.order(), codec.0.element_size());
        // SAFETY: the caller's image, of which the box is this call's own.
        let destination = unsafe { Destination::from_raw(dst.cast(), dst_len, dst_origin, strides.as_deref(), order, &extent, size) }?;
        codec.0.decode(src, shape, &offset, destination, false)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Encodes a contiguous array, in the codec's order and native byte order, into a block of that shape.
///
/// Pass the cut shape for a truncated block at the array's edge, the chunk shape for a padded one. The same input gives the same bytes on
/// every run, whatever dst_len is.
///
/// @param codec    a codec
/// @param shape    zn5_codec_ndim() extents of the block; NULL for the chunk shape
/// @param src      the array; no alignment is needed
/// @param src_len  its bytes, exactly zn5_codec_decoded_size()
/// @param dst      gets the block; apart from src
/// @param dst_len  the bytes that dst has room for; zn5_codec_encode_bound() bytes always do, fewer may
/// @param written  gets the bytes of the block
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_SIZE_MISMATCH (src_len), ZN5_ERROR_BUFFERS_OVERLAP;
///   ZN5_ERROR_BUFFER_TOO_SMALL, whose message tells the bytes it takes;
///   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_BLOCK_SHAPE as zn5_codec_encode_bound(); ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_encode_block(
    codec: *const zn5_codec,
    shape: *const u64,
    src: *const c_void,
    src_len: usize,
    dst: *mut c_void,
    dst_len: usize,
    written: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let inputs = [ptr::bytes("src", src, src_len), ptr::numbers("shape", shape, codec.0.ndim())];
        ptr::check_apart(&inputs, &[ptr::bytes("dst", dst, dst_len), ptr::place("written", written)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, codec.0.ndim(), "shape") }?;
        let shape = codec.0.shape_or_chunk(shape.as_deref());
        codec.0.encode_bound(shape)?;
        let size = codec.0.decoded_size(shape)?;
        if u64::try_from(src_len) != Ok(size) {
            return Err(Error::new(
                ErrorKind::SizeMismatch,
                format!("src_len is {src_len} and an array of shape {} has {size} bytes; both must be equal", listed(shape)),
            ));
        }
        // SAFETY: the caller's buffer.
        let source = unsafe { Source::from_raw(src.cast(), src_len, 0, None, codec.0.order(), shape, codec.0.element_size()) }?;
        // SAFETY: the caller's buffers.
        unsafe { encode(&codec.0, &source, (dst, dst_len), written) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Encodes a box of a larger image into a block of that shape.
///
/// @param codec        a codec
/// @param shape        zn5_codec_ndim() extents of the box and of the block; NULL for the chunk shape
/// @param src          the whole image; no alignment is needed
/// @param src_len      the bytes of the whole image
/// @param src_origin   the byte offset in the image of the box's first element
/// @param src_strides  zn5_codec_ndim() byte strides in the image; may be negative or 0; NULL for a contiguous box in the codec's order
/// @param dst          gets the block; apart from src
/// @param dst_len      the bytes that dst has room for; zn5_codec_encode_bound() bytes always do, fewer may
/// @param written      gets the bytes of the block
/// @param error        gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; those of zn5_encode_block(), where ZN5_ERROR_SIZE_MISMATCH means that an element of the box would lie outside the image
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_encode_region(
    codec: *const zn5_codec,
    shape: *const u64,
    src: *const c_void,
    src_len: usize,
    src_origin: usize,
    src_strides: *const isize,
    dst: *mut c_void,
    dst_len: usize,
    written: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        let ndim = codec.0.ndim();
        let inputs = [ptr::bytes("src", src, src_len), ptr::numbers("shape", shape, ndim), ptr::numbers("src_strides", src_strides, ndim)];
        ptr::check_apart(&inputs, &[ptr::bytes("dst", dst, dst_len), ptr::place("written", written)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, ndim, "shape") }?;
        let shape = codec.0.shape_or_chunk(shape.as_deref());
        // SAFETY: the caller's array.
        let strides = unsafe { optional_strides(src_strides, ndim, "src_strides") }?;
        codec.0.encode_bound(shape)?;
        let (order, size) = (codec.0.order(), codec.0.element_size());
        // SAFETY: the caller's image.
        let source = unsafe { Source::from_raw(src.cast(), src_len, src_origin, strides.as_deref(), order, shape, size) };
        let source = source.map_err(size_mismatch)?;
        // SAFETY: the caller's buffers.
        unsafe { encode(&codec.0, &source, (dst, dst_len), written) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Fills a contiguous array with the fill value: what a missing block reads as.
///
/// @param codec    a codec
/// @param shape    zn5_codec_ndim() extents of the array; NULL for the chunk shape
/// @param dst      gets the array; no alignment is needed
/// @param dst_len  the bytes that dst has room for, at least zn5_codec_decoded_size(); those behind it stay untouched
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_BUFFER_TOO_SMALL; ZN5_ERROR_LIMIT_EXCEEDED above PTRDIFF_MAX
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_fill_block(
    codec: *const zn5_codec,
    shape: *const u64,
    dst: *mut c_void,
    dst_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let codec = unsafe { ptr::handle(codec, "codec") }?;
        ptr::check_apart(&[ptr::numbers("shape", shape, codec.0.ndim())], &[ptr::bytes("dst", dst, dst_len)])?;
        // SAFETY: the caller's array.
        let shape = unsafe { ptr::optional_extents(shape, codec.0.ndim(), "shape") }?;
        let shape = codec.0.shape_or_chunk(shape.as_deref());
        // SAFETY: the caller's buffer.
        let destination = unsafe { whole_destination(&codec.0, shape, dst, dst_len) }?;
        codec.0.fill(destination)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// The contiguous array at the start of a caller's buffer, which has been checked.
///
/// # Safety
/// `dst` is NULL or `dst_len` bytes from it may be written during `'a`.
unsafe fn whole_destination<'a>(codec: &Codec, shape: &[u64], dst: *mut c_void, dst_len: usize) -> Result<Destination<'a>> {
    let size = codec.decoded_size(shape)?;
    if u64::try_from(dst_len).is_ok_and(|dst_len| dst_len < size) {
        return Err(Error::new(
            ErrorKind::BufferTooSmall,
            format!("an array of shape {} takes {size} bytes and dst_len, which counts bytes, is {dst_len}", listed(shape)),
        ));
    }
    // SAFETY: the caller's contract.
    unsafe { Destination::from_raw(dst.cast(), dst_len, 0, None, codec.order(), shape, codec.element_size()) }
}

/// Encodes `source` into `dst`.
///
/// # Safety
/// `dst` is NULL or may be written, `written` is NULL or may be written; neither shares memory with the other or with the source.
unsafe fn encode(codec: &Codec, source: &Source<'_>, dst: (*mut c_void, usize), written: *mut usize) -> Result<()> {
    if written.is_null() {
        return Err(ptr::null("written"));
    }
    // SAFETY: the caller's buffer.
    let dst = unsafe { ptr::output(dst.0, dst.1, "dst") }?;
    let len = codec.encode(source, dst)?;
    // SAFETY: the caller's place for the result.
    unsafe { ptr::put(written, len, "written") }
}

/// The error of an image that is too small for what is read from it; "buffer too small" speaks of outputs in C.
pub(super) fn size_mismatch(error: Error) -> Error {
    match error.kind() {
        ErrorKind::BufferTooSmall => Error::new(ErrorKind::SizeMismatch, error.message().to_owned()),
        _ => error,
    }
}

/// The box of a region call; it must lie inside `shape`.
pub(super) fn region(shape: &[u64], offset: Option<Extents>, extent: Option<Extents>) -> Result<(Extents, Extents)> {
    let offset = match offset {
        Some(offset) => offset,
        None => zeros(shape.len())?,
    };
    let mut rest = Extents::new();
    rest.try_reserve_exact(shape.len()).map_err(|_| Error::out_of_memory())?;
    for (axis, (&whole, &offset)) in shape.iter().zip(&offset).enumerate() {
        let remaining = whole.checked_sub(offset).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("offset {offset} of axis {axis} is beyond the shape's extent {whole}"))
        })?;
        if let Some(&extent) = extent.as_ref().and_then(|extent| extent.get(axis))
            && extent > remaining
        {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("the box of axis {axis}, offset {offset} and extent {extent}, leaves the shape's extent {whole}"),
            ));
        }
        rest.push(remaining);
    }
    Ok((offset, extent.unwrap_or(rest)))
}

fn zeros(ndim: usize) -> Result<Extents> {
    let mut zeros = Extents::new();
    zeros.try_reserve_exact(ndim).map_err(|_| Error::out_of_memory())?;
    zeros.resize(ndim, 0);
    Ok(zeros)
}

/// Byte strides from C, copied; NULL means contiguous.
///
/// # Safety
/// `start` is NULL or `ndim` numbers from it may be read.
pub(super) unsafe fn optional_strides(start: *const isize, ndim: usize, name: &str) -> Result<Option<Strides>> {
    if start.is_null() {
        return Ok(None);
    }
    ptr::check(start.cast(), ndim.saturating_mul(size_of::<isize>()), name)?;
    let mut strides = Strides::new();
    strides.try_reserve_exact(ndim).map_err(|_| Error::out_of_memory())?;
    for axis in 0..ndim {
        // SAFETY: `axis` is below `ndim`.
        let place = unsafe { start.add(axis) };
        // SAFETY: the caller's contract; alignment is not assumed.
        strides.push(unsafe { place.read_unaligned() });
    }
    Ok(Some(strides))
}
