//! Section "Errors" of the header: the error object and its accessors.
//!
//! The object of a failed allocation is a static one, so that reporting it allocates nothing.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char};

use super::guard::guard_value;
use super::status::{ZN5_ERROR_OUT_OF_MEMORY, ZN5_ERROR_PANIC, ZN5_OK, status_of, zn5_status};
use crate::error::{Error, ErrorKind};

/// What went wrong in one call: status, message, offset, and the code of the compression library or of the program's own store.
///
/// A failing call makes it where it was given a place for it; zn5_error_free() frees it. One thread uses it at a time.
pub struct zn5_error {
    status: zn5_status,
    message: Cow<'static, CStr>,
    offset: i64,
    native_code: i64,
}

static OUT_OF_MEMORY: zn5_error = zn5_error {
    status: ZN5_ERROR_OUT_OF_MEMORY,
    message: Cow::Borrowed(c"memory is exhausted; decode smaller blocks or regions, or free memory"),
    offset: -1,
    native_code: 0,
};

impl zn5_error {
    pub(super) fn from_panic(text: &str) -> Self {
        Self { status: ZN5_ERROR_PANIC, message: Cow::Owned(c_text(text)), offset: -1, native_code: 0 }
    }

    /// Hands the object to C.
    pub(super) fn into_raw(self) -> *mut Self {
        if self.status == ZN5_ERROR_OUT_OF_MEMORY {
            return std::ptr::from_ref(&OUT_OF_MEMORY).cast_mut();
        }
        Box::into_raw(Box::new(self))
    }
}

impl From<Error> for zn5_error {
    fn from(error: Error) -> Self {
        let message = match error.kind() {
            ErrorKind::OutOfMemory => OUT_OF_MEMORY.message.clone(),
            _ => Cow::Owned(c_text(error.message())),
        };
        Self {
            status: status_of(error.kind()),
            message,
            offset: error.offset().map_or(-1, |offset| i64::try_from(offset).unwrap_or(i64::MAX)),
            native_code: error.native_code(),
        }
    }
}

/// `text` for C, in which a NUL would end it too early.
pub(super) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// Returns the status of a failure.
///
/// @param error  an error object, or NULL
/// @return the status that the failing call returned; ZN5_OK of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_error_status(error: *const zn5_error) -> zn5_status {
    // SAFETY: the caller passes NULL or a live error object.
    let error = unsafe { error.as_ref() };
    guard_value(ZN5_ERROR_PANIC, || error.map_or(ZN5_OK, |error| error.status))
}

/// Returns the message of a failure: one line of English that names the value, the place and the remedy.
///
/// The wording may change between releases; programs decide by the status.
///
/// @param error  an error object, or NULL
/// @return NUL-terminated UTF-8 that lives as long as the object; "" of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_error_message(error: *const zn5_error) -> *const c_char {
    // SAFETY: the caller passes NULL or a live error object.
    let error = unsafe { error.as_ref() };
    guard_value(c"".as_ptr(), || error.map_or(c"".as_ptr(), |error| error.message.as_ptr()))
}

/// Returns where in the input the failure was noticed.
///
/// @param error  an error object, or NULL
/// @return a byte offset in the input that the failing call was given (the block, the document, the elements); -1 if unknown, and of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_error_offset(error: *const zn5_error) -> i64 {
    // SAFETY: the caller passes NULL or a live error object.
    let error = unsafe { error.as_ref() };
    guard_value(-1, || error.map_or(-1, |error| error.offset))
}

/// Returns the code that the compression library itself gave for the failure, for bug reports; or the number that a callback of a
/// program's own store returned and that is no status, for the program.
///
/// @param error  an error object, or NULL
/// @return the library's number, whose meaning depends on the library, or the program's; 0 if there is none, and of NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_error_native_code(error: *const zn5_error) -> i64 {
    // SAFETY: the caller passes NULL or a live error object.
    let error = unsafe { error.as_ref() };
    guard_value(0, || error.map_or(0, |error| error.native_code))
}

/// Frees an error object.
///
/// @param error  an error object that is not used afterwards, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_error_free(error: *mut zn5_error) {
    if error.is_null() || std::ptr::eq(error, &raw const OUT_OF_MEMORY) {
        return;
    }
    guard_value((), || {
        // SAFETY: every object but the static one came from `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(error) });
    });
}
