//! Section "Fixed-length UTF-32" of the header: text into elements and back, and the names of the type.

use std::ffi::{c_char, c_void};

use super::dtype::{endian, endian_of, zn5_endian};
use super::error::zn5_error;
use super::guard::guard;
use super::ptr;
use super::status::zn5_status;
use crate::error::{Error, ErrorKind, Result};
use crate::utf32::{self, Format};

/// Writes text into one element, padded with U+0000.
///
/// @param utf8          the text, UTF-8, not terminated
/// @param utf8_len      its bytes
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param dst           gets the element; no alignment is needed; apart from utf8
/// @param length_bytes  the bytes of the element, a positive multiple of 4
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
///   ZN5_ERROR_BUFFERS_OVERLAP;
///   ZN5_ERROR_INVALID_UTF8; ZN5_ERROR_STRING_TOO_LONG (more than length_bytes / 4 code points, trailing U+0000 counted; text is never cut)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_encode(
    utf8: *const c_char,
    utf8_len: usize,
    endian: zn5_endian,
    dst: *mut c_void,
    length_bytes: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        ptr::check_apart(&[ptr::bytes("utf8", utf8, utf8_len)], &[ptr::bytes("dst", dst, length_bytes)])?;
        // SAFETY: the caller's buffer, apart from `dst`.
        let utf8 = unsafe { ptr::input(utf8.cast(), utf8_len, "utf8") }?;
        // SAFETY: the caller's buffer.
        let dst = unsafe { ptr::output(dst, length_bytes, "dst") }?;
        utf32::encode(utf8, format, dst)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Reads the text of one element, trailing U+0000 removed.
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param src           the element; no alignment is needed
/// @param length_bytes  its bytes, a positive multiple of 4
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param dst           gets the text, UTF-8, not terminated; apart from src
/// @param dst_len       the bytes that dst has room for; length_bytes always do
/// @param needed        gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
///   ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_BUFFER_TOO_SMALL;
///   ZN5_ERROR_INVALID_CODE_POINT (a surrogate or a unit above U+10FFFF; zn5_error_offset() is where it begins in src)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_decode(
    src: *const c_void,
    length_bytes: usize,
    endian: zn5_endian,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        // SAFETY: the caller's buffers.
        unsafe { decode((src, length_bytes), format, (dst, dst_len), (std::ptr::null_mut(), 0), needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes count texts into an array of elements.
///
/// Text number i begins at byte offsets(i) of utf8 and ends before byte offsets(i + 1). The first offset may be above 0.
///
/// @param utf8          the texts in one buffer, UTF-8
/// @param utf8_len      its bytes
/// @param offsets       count + 1 byte offsets that never fall, the last at most utf8_len
/// @param count         the number of elements
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param length_bytes  the bytes of one element, a positive multiple of 4
/// @param dst           gets the elements; no alignment is needed; apart from utf8 and offsets
/// @param dst_len       the bytes that dst has room for, at least count * length_bytes; those behind it stay untouched
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; after any error the content of dst is unspecified;
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_INVALID_ARGUMENT (endian, offsets), ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_BUFFERS_OVERLAP,
///   ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_LIMIT_EXCEEDED;
///   ZN5_ERROR_INVALID_UTF8, ZN5_ERROR_STRING_TOO_LONG (the message names the element, zn5_error_offset() is in utf8)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_encode_array(
    utf8: *const c_char,
    utf8_len: usize,
    offsets: *const u64,
    count: usize,
    endian: zn5_endian,
    length_bytes: usize,
    dst: *mut c_void,
    dst_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        let needed = array_len(count, format)?;
        let offsets_bytes = ptr::bytes("offsets", offsets, count.saturating_add(1).saturating_mul(size_of::<u64>()));
        ptr::check_apart(&[ptr::bytes("utf8", utf8, utf8_len), offsets_bytes], &[ptr::bytes("dst", dst, dst_len)])?;
        // SAFETY: the caller's buffer, apart from `dst`.
        let utf8 = unsafe { ptr::input(utf8.cast(), utf8_len, "utf8") }?;
        if dst_len < needed {
            return Err(Error::new(
                ErrorKind::BufferTooSmall,
                format!("{count} elements of {length_bytes} bytes take {needed} bytes and dst_len is {dst_len}"),
            ));
        }
        // SAFETY: the caller's buffer, of which only the elements are used.
        let dst = unsafe { ptr::output(dst, needed, "dst") }?;
        let offset = |index: usize| {
            // SAFETY: `index` is at most `count`, and the array has one number more.
            let place = unsafe { offsets.add(index) };
            // SAFETY: the caller's array; alignment is not assumed.
            unsafe { place.read_unaligned() }
        };
        utf32::encode_array(utf8, offset, format, dst)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Reads the texts of an array of elements, trailing U+0000 removed from each.
///
/// One element that is no text fails the call, and then nothing is written; zn5_utf32_decode() reads its neighbours.
/// dst NULL with dst_len 0 asks for the size; dst_len = src_len always suffices.
///
/// @param src           the elements; no alignment is needed
/// @param src_len       their bytes, exactly count * length_bytes
/// @param count         the number of elements
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param length_bytes  the bytes of one element, a positive multiple of 4
/// @param dst           gets the texts one behind the other, UTF-8, not terminated; apart from src and offsets
/// @param dst_len       the bytes that dst has room for
/// @param offsets       gets count + 1 byte offsets, where the texts begin in dst and the last one ends; may be NULL when asking for the size
/// @param needed        gets the bytes of all texts, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_SIZE_MISMATCH (src_len),
///   ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_LIMIT_EXCEEDED;
///   ZN5_ERROR_INVALID_CODE_POINT (zn5_error_offset() is where the unit begins in src, so the element is that divided by length_bytes)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_decode_array(
    src: *const c_void,
    src_len: usize,
    count: usize,
    endian: zn5_endian,
    length_bytes: usize,
    dst: *mut c_char,
    dst_len: usize,
    offsets: *mut u64,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        check_src_len(src_len, count, format)?;
        if offsets.is_null() && !dst.is_null() {
            return Err(ptr::null("offsets"));
        }
        let offsets_count = if offsets.is_null() { 0 } else { count.saturating_add(1) };
        // SAFETY: the caller's buffers.
        unsafe { decode((src, src_len), format, (dst, dst_len), (offsets, offsets_count), needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Looks for an element that is no text: one with a surrogate or a unit above U+10FFFF.
///
/// @param src           the elements; no alignment is needed
/// @param src_len       their bytes, exactly count * length_bytes
/// @param count         the number of elements
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param length_bytes  the bytes of one element, a positive multiple of 4
/// @param bad_index     gets the first element that is no text, or count if all are
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK when the check was made, whatever it found; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
///   ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_SIZE_MISMATCH (src_len), ZN5_ERROR_LIMIT_EXCEEDED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_validate(
    src: *const c_void,
    src_len: usize,
    count: usize,
    endian: zn5_endian,
    length_bytes: usize,
    bad_index: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        check_src_len(src_len, count, format)?;
        ptr::check_apart(&[ptr::bytes("src", src, src_len)], &[ptr::place("bad_index", bad_index)])?;
        // SAFETY: the caller's buffer.
        let src = unsafe { ptr::input(src, src_len, "src") }?;
        let found = utf32::first_invalid(src, format).unwrap_or(count);
        // SAFETY: the caller's place for the result.
        unsafe { ptr::put(bad_index, found, "bad_index") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes the text of a JSON string, such as a fill value, into one element, padded with U+0000.
///
/// @param json          the JSON text of a string, with its quotation marks, UTF-8
/// @param json_len      its bytes
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param dst           gets the element; no alignment is needed; apart from json
/// @param length_bytes  the bytes of the element, a positive multiple of 4
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
///   ZN5_ERROR_BUFFERS_OVERLAP;
///   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA (JSON that is no string); ZN5_ERROR_STRING_TOO_LONG (trailing U+0000 counted);
///   ZN5_ERROR_INVALID_CODE_POINT (an unpaired surrogate escape); ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_from_json(
    json: *const c_char,
    json_len: usize,
    endian: zn5_endian,
    dst: *mut c_void,
    length_bytes: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        ptr::check_apart(&[ptr::bytes("json", json, json_len)], &[ptr::bytes("dst", dst, length_bytes)])?;
        // SAFETY: the caller's buffer, apart from `dst`.
        let json = unsafe { ptr::input(json.cast(), json_len, "json") }?;
        // SAFETY: the caller's buffer.
        let dst = unsafe { ptr::output(dst, length_bytes, "dst") }?;
        ptr::copy(&utf32::from_json(json, format).map_err(|error| error.about("json"))?, dst);
        Ok(())
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes one element as a JSON string, trailing U+0000 removed.
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param src           the element; no alignment is needed
/// @param length_bytes  its bytes, a positive multiple of 4
/// @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param dst           gets the JSON text with its quotation marks, UTF-8, not terminated; apart from src
/// @param dst_len       the bytes that dst has room for
/// @param needed        gets the bytes of the JSON text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
///   ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_BUFFER_TOO_SMALL; ZN5_ERROR_INVALID_CODE_POINT; ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_to_json(
    src: *const c_void,
    length_bytes: usize,
    endian: zn5_endian,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        let outputs = [ptr::bytes("dst", dst, dst_len), ptr::place("needed", needed)];
        ptr::check_apart(&[ptr::bytes("src", src, length_bytes)], &outputs)?;
        // SAFETY: the caller's buffer.
        let text = utf32::to_json(unsafe { ptr::input(src, length_bytes, "src") }?, format)?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(&text, dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Reads a Zarr data type object, {"name":"fixed_length_utf32","configuration":{"length_bytes":48}}.
///
/// @param json          the object as JSON text, UTF-8
/// @param json_len      its bytes
/// @param length_bytes  gets the bytes of one element
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_JSON;
///   ZN5_ERROR_UNSUPPORTED_DATA_TYPE (another name);
///   ZN5_ERROR_INVALID_METADATA (a member is missing, wrong or unknown, length_bytes is no positive multiple of 4, the name as a bare string)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_data_type_parse(
    json: *const c_char,
    json_len: usize,
    length_bytes: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        ptr::check_apart(&[ptr::bytes("json", json, json_len)], &[ptr::place("length_bytes", length_bytes)])?;
        // SAFETY: the caller's buffer.
        let json = unsafe { ptr::input(json.cast::<c_void>(), json_len, "json") }?;
        let parsed = utf32::parse_data_type(json).map_err(|error| error.about("json"))?;
        // SAFETY: the caller's place for the result.
        unsafe { ptr::put(length_bytes, parsed, "length_bytes") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes the Zarr data type object of elements of a length.
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param length_bytes  the bytes of one element, a positive multiple of 4
/// @param dst           gets the JSON text, not terminated
/// @param dst_len       the bytes that dst has room for
/// @param needed        gets the bytes of the JSON text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_LENGTH,
///   ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_data_type_json(
    length_bytes: usize,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = Format::new(length_bytes, crate::model::Endian::NATIVE)?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(&utf32::data_type_json(format.length_bytes()), dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Reads a NumPy name of the type, as Zarr v2 uses it: "<U12" is 48 bytes little-endian, ">U12" 48 bytes big-endian.
///
/// @param dtype         the name
/// @param dtype_len     its bytes
/// @param length_bytes  gets the bytes of one element
/// @param endian        gets ZN5_ENDIAN_LITTLE or ZN5_ENDIAN_BIG
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED;
///   ZN5_ERROR_INVALID_METADATA (no byte order: "|U12", "U12"); ZN5_ERROR_INVALID_LENGTH ("<U0");
///   ZN5_ERROR_UNSUPPORTED_DATA_TYPE (another type)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_numpy_dtype_parse(
    dtype: *const c_char,
    dtype_len: usize,
    length_bytes: *mut usize,
    endian: *mut zn5_endian,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let outputs = [ptr::place("length_bytes", length_bytes), ptr::place("endian", endian)];
        ptr::check_apart(&[ptr::bytes("dtype", dtype, dtype_len)], &outputs)?;
        // SAFETY: the caller's buffer.
        let dtype = unsafe { ptr::input(dtype.cast::<c_void>(), dtype_len, "dtype") }?;
        let (bytes, order) = utf32::parse_numpy_dtype(&String::from_utf8_lossy(dtype)).map_err(|error| error.about("dtype"))?;
        if endian.is_null() {
            return Err(ptr::null("endian"));
        }
        // SAFETY: the caller's place for a result.
        unsafe { ptr::put(length_bytes, bytes, "length_bytes") }?;
        // SAFETY: the caller's place for a result.
        unsafe { ptr::put(endian, endian_of(order), "endian") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes the NumPy name of elements of a length and byte order, such as "<U12".
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param length_bytes  the bytes of one element, a positive multiple of 4
/// @param endian        ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
/// @param dst           gets the name, ASCII, not terminated
/// @param dst_len       the bytes that dst has room for
/// @param needed        gets the bytes of the name, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error         gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian),
///   ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_utf32_numpy_dtype(
    length_bytes: usize,
    endian: zn5_endian,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        let format = format(length_bytes, endian)?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(&utf32::numpy_dtype(format.length_bytes(), format.endian()), dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

fn format(length_bytes: usize, order: zn5_endian) -> Result<Format> {
    Format::new(length_bytes, endian(order)?)
}

/// Bytes of `count` elements.
fn array_len(count: usize, format: Format) -> Result<usize> {
    count.checked_mul(format.length_bytes()).filter(|&len| isize::try_from(len).is_ok()).ok_or_else(|| {
        Error::new(ErrorKind::LimitExceeded, format!("{count} elements of {} bytes are larger than memory can be", format.length_bytes()))
    })
}

fn check_src_len(src_len: usize, count: usize, format: Format) -> Result<()> {
    let len = array_len(count, format)?;
    if src_len == len {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::SizeMismatch,
        format!("src_len is {src_len} and {count} elements of {} bytes have {len}; both must be equal", format.length_bytes()),
    ))
}

/// Decodes elements by two passes, one that checks and measures and one that writes.
///
/// # Safety
/// `src` is NULL or its bytes may be read, `dst` is NULL or its bytes may be written, `offsets` is NULL or its numbers may be written,
/// `needed` is NULL or may be written.
unsafe fn decode(
    src: (*const c_void, usize),
    format: Format,
    dst: (*mut c_char, usize),
    offsets: (*mut u64, usize),
    needed: *mut usize,
) -> Result<()> {
    let outputs = [ptr::bytes("dst", dst.0, dst.1), ptr::numbers("offsets", offsets.0, offsets.1), ptr::place("needed", needed)];
    ptr::check_apart(&[ptr::bytes("src", src.0, src.1)], &outputs)?;
    // SAFETY: the caller's buffer, apart from the outputs.
    let src = unsafe { ptr::input(src.0, src.1, "src") }?;
    let len = utf32::text_len(src, format)?;
    // SAFETY: the caller's place for the result.
    unsafe { ptr::put(needed, len, "needed") }?;
    if dst.0.is_null() && offsets.0.is_null() {
        return Ok(());
    }
    let asks = dst.0.is_null();
    if dst.1 < len && !asks {
        return Err(Error::new(
            ErrorKind::BufferTooSmall,
            format!("the text has {len} bytes and dst_len is {}; *needed says so too", dst.1),
        ));
    }
    if asks && len > 0 {
        return Ok(());
    }
    // SAFETY: the caller's buffer, of which only the text's bytes are used.
    let room = unsafe { ptr::output(dst.0.cast(), len, "dst") }?;
    utf32::decode_array(src, format, room, |index, offset| {
        if index < offsets.1 {
            // SAFETY: `index` is below the numbers of the array.
            let place = unsafe { offsets.0.add(index) };
            // SAFETY: the caller's array, apart from `src` and `dst`; alignment is not assumed.
            unsafe { place.write_unaligned(offset) };
        }
    })
}
