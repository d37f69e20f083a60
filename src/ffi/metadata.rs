//! Section "Metadata" of the header: text that leads from metadata to stored blocks.

use std::ffi::c_char;

use super::error::zn5_error;
use super::guard::guard;
use super::ptr;
use super::status::zn5_status;
use crate::error::{Error, ErrorKind};
use crate::metadata;

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
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (ndim); ZN5_ERROR_BUFFER_TOO_SMALL
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
        // SAFETY: the caller's array.
        let grid_position = unsafe { ptr::extents(grid_position, ndim as usize, "grid_position") }?;
        // SAFETY: the caller's buffers.
        unsafe { ptr::put_text(&metadata::block_key(&grid_position), dst, dst_len, needed) }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}
