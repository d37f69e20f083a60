//! Section "Metadata" of the header: attributes.json to zarr.json and back, and the keys of stored blocks.
//!
//! All results are text by two calls; nothing here touches a file.

use std::ffi::{CStr, c_char};

use super::error::zn5_error;
use super::guard::guard;
use super::ptr;
use super::status::zn5_status;
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{self, Grid, Language};

/// The language of metadata: one of ZN5_LANGUAGE_...
pub type zn5_language = u32;

/// As an argument: the language of what is there already. As a result: none.
pub const ZN5_LANGUAGE_AUTO: zn5_language = 0;
/// N5: attributes.json.
pub const ZN5_LANGUAGE_N5: zn5_language = 1;
/// Zarr version 3: zarr.json.
pub const ZN5_LANGUAGE_ZARR: zn5_language = 2;

/// The language that a program asks for; `None` for that of what is there.
pub(super) fn asked_language(language: zn5_language) -> Result<Option<Language>> {
    match language {
        ZN5_LANGUAGE_AUTO => Ok(None),
        ZN5_LANGUAGE_N5 => Ok(Some(Language::N5)),
        ZN5_LANGUAGE_ZARR => Ok(Some(Language::Zarr)),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("language is {language}; it must be one of ZN5_LANGUAGE_..."))),
    }
}

/// The number of a language.
pub(super) const fn language_number(language: Language) -> zn5_language {
    match language {
        Language::N5 => ZN5_LANGUAGE_N5,
        Language::Zarr => ZN5_LANGUAGE_ZARR,
    }
}

/// Chunk grid "regular", which every reader of Zarr knows; chunks at the edges reach past the array.
pub const ZN5_GRID_REGULAR: u32 = 0;
/// Chunk grid "zarrs.regular_bounded", which zarrs knows; chunks at the edges are cut.
pub const ZN5_GRID_REGULAR_BOUNDED: u32 = 1;
/// Chunk grid "rectilinear", which lists the extents of all chunks; those at the edges are cut.
pub const ZN5_GRID_RECTILINEAR: u32 = 2;

/// The kind of chunk grid that a program asks for.
pub(super) const fn grid_of(flags: u32) -> Option<Grid> {
    match flags {
        ZN5_GRID_REGULAR => Some(Grid::Regular),
        ZN5_GRID_REGULAR_BOUNDED => Some(Grid::RegularBounded),
        ZN5_GRID_RECTILINEAR => Some(Grid::Rectilinear),
        _ => None,
    }
}

const IMPLICIT_GROUP: &CStr = c"{\"zarr_format\":3,\"node_type\":\"group\"}";

/// Writes the zarr.json of an attributes.json, array or group.
///
/// Nothing is reversed: shape is dimensions, chunk keys are N5's paths, the
/// fill value is 0. User attributes are kept byte for byte; the whole document
/// becomes the attribute "_n5", from which zn5_metadata_zarr_to_n5() finds the
/// exact way back. The result is JSON: comments are blanked, and NaN, Infinity
/// and -Infinity become strings. dst NULL with dst_len 0 asks for the size.
///
/// @param json      the text of attributes.json
/// @param json_len  its bytes
/// @param flags     the chunk grid, ZN5_GRID_...
/// @param dst       gets the text of zarr.json, UTF-8, not terminated
/// @param dst_len   the bytes that dst has room for
/// @param needed    gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error     gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NOT_REPRESENTABLE (lz4, jpeg, a user attribute "_n5"); ZN5_ERROR_INVALID_JSON, ZN5_ERROR_INVALID_METADATA,
///   ZN5_ERROR_UNSUPPORTED_DATA_TYPE or ZN5_ERROR_UNSUPPORTED_COMPRESSION naming the member; ZN5_ERROR_NULL_POINTER,
///   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (flags); ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_metadata_n5_to_zarr(
    json: *const c_char,
    json_len: usize,
    flags: u32,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let grid = || {
        grid_of(flags).ok_or_else(|| Error::new(ErrorKind::InvalidArgument, format!("flags is {flags}; it must be one of ZN5_GRID_...")))
    };
    // SAFETY: the caller's buffers.
    let body = || unsafe { converted(json, json_len, dst, dst_len, needed, grid, metadata::n5_to_zarr) };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Writes the attributes.json of a zarr.json, array or group.
///
/// Where the attribute "_n5" says what the document says, its spelling is used;
/// otherwise the document wins. "_n5" itself is left out. Refused by name is
/// what N5 has no place for: codecs other than one n5_default, a fill value
/// other than 0, dimension names, irregular grids, other chunk keys, attributes
/// named like members of N5. The result is JSON: NaN, Infinity and -Infinity
/// become strings. dst NULL with dst_len 0 asks for the size.
///
/// @param json      the text of zarr.json
/// @param json_len  its bytes
/// @param flags     0
/// @param dst       gets the text of attributes.json, UTF-8, not terminated
/// @param dst_len   the bytes that dst has room for
/// @param needed    gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error     gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NOT_REPRESENTABLE; ZN5_ERROR_INVALID_JSON, ZN5_ERROR_INVALID_METADATA, ZN5_ERROR_UNSUPPORTED_DATA_TYPE or
///   ZN5_ERROR_UNSUPPORTED_CODEC naming the member; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (flags);
///   ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_metadata_zarr_to_n5(
    json: *const c_char,
    json_len: usize,
    flags: u32,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let check = || match flags {
        0 => Ok(()),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("flags is {flags}; it must be 0, since every grid is read"))),
    };
    // SAFETY: the caller's buffers.
    let body = || unsafe { converted(json, json_len, dst, dst_len, needed, check, |json, ()| metadata::zarr_to_n5(json)) };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Returns the zarr.json of a group that nobody stored: in N5 every prefix is a group.
///
/// @return a JSON object, a static NUL-terminated string
#[unsafe(no_mangle)]
pub extern "C" fn zn5_metadata_implicit_group() -> *const c_char {
    IMPLICIT_GROUP.as_ptr()
}

/// Delivers what `convert` makes of a document, and of the flags that `checked`
/// tells.
///
/// # Safety
/// As for [`ptr::input`] and [`ptr::put_text`].
unsafe fn converted<T>(
    json: *const c_char,
    json_len: usize,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    checked: impl FnOnce() -> Result<T>,
    convert: impl FnOnce(&[u8], T) -> Result<String>,
) -> Result<()> {
    if needed.is_null() {
        return Err(ptr::null("needed"));
    }
    ptr::check_apart(&[ptr::bytes("json", json, json_len)], &[ptr::bytes("dst", dst, dst_len), ptr::place("needed", needed)])?;
    // SAFETY: the caller's buffer, which shares no byte with an output.
    let json = unsafe { ptr::input(json.cast(), json_len, "json") }?;
    let flags = checked()?;
    let text = convert(json, flags).map_err(|error| error.about("json"))?;
    // SAFETY: the caller's buffers.
    unsafe { ptr::put_text(&text, dst, dst_len, needed) }
}

/// Writes the key of a block below its dataset: the grid position with '/' between, such as "0/3/1"; "0" for no dimension.
///
/// dst NULL with dst_len 0 asks for the size.
///
/// @param ndim           the number of dimensions, 0 to 65535
/// @param grid_position  ndim positions in the grid of chunks, axis 0 first; NULL if ndim is 0
/// @param dst            gets the key, ASCII, not terminated
/// @param dst_len        the bytes that dst has room for
/// @param needed         gets the bytes of the key, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error          gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (ndim);
///   ZN5_ERROR_BUFFER_TOO_SMALL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_block_key(
    ndim: u32,
    grid_position: *const u64,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        if ndim > u32::from(u16::MAX) {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("ndim is {ndim}; an N5 block has at most 65535 dimensions")));
        }
        let position = ptr::numbers("grid_position", grid_position, ndim as usize);
        ptr::check_apart(&[position], &[ptr::bytes("dst", dst, dst_len), ptr::place("needed", needed)])?;
        // SAFETY: the caller's array.
        let grid_position = unsafe { ptr::extents(grid_position, ndim as usize, "grid_position") }?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(&metadata::block_key(&grid_position), dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_implicit_group_is_the_engine_s() {
        assert_eq!(IMPLICIT_GROUP.to_str(), Ok(metadata::IMPLICIT_GROUP));
    }
}
