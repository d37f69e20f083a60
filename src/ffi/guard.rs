//! The boundary that every fallible function runs in: stops panics, turns errors into a status and an error object.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::error::zn5_error;
use super::status::{ZN5_ERROR_PANIC, ZN5_OK, status_of, zn5_status};
use crate::error::Result;

/// Runs `body` and reports its outcome: the status is returned, and `*error`, unless `error` is NULL, becomes NULL or a new object.
///
/// # Safety
/// `error` is NULL or may be written.
pub(super) unsafe fn guard(error: *mut *mut zn5_error, body: impl FnOnce() -> Result<()>) -> zn5_status {
    let (status, object) = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => (ZN5_OK, None),
        Ok(Err(failure)) => (status_of(failure.kind()), Some(failure.into())),
        Err(payload) => (ZN5_ERROR_PANIC, Some(zn5_error::from_panic(&panic_text(payload.as_ref())))),
    };
    if !error.is_null() {
        let object: *mut zn5_error = object.map_or(std::ptr::null_mut(), zn5_error::into_raw);
        // SAFETY: the caller vouches for `error`, which is not NULL; alignment is not assumed.
        unsafe { error.write_unaligned(object) };
    }
    status
}

/// Runs `body`, which cannot fail, and returns `fallback` where it panics all the same.
pub(super) fn guard_value<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("zn5 panicked: {}; please report this", text.unwrap_or("no message"))
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use super::super::error::{zn5_error_free, zn5_error_message, zn5_error_status};
    use super::super::status::ZN5_ERROR_INVALID_ARGUMENT;
    use super::*;
    use crate::error::{Error, ErrorKind};
    use std::ffi::CStr;

    fn run(body: impl FnOnce() -> Result<()>) -> (zn5_status, zn5_status, String) {
        let mut object = std::ptr::dangling_mut::<zn5_error>();
        // SAFETY: `object` is a local variable.
        let status = unsafe { guard(&raw mut object, body) };
        // SAFETY: `object` is NULL or what `guard` made.
        let of_object = unsafe { zn5_error_status(object) };
        // SAFETY: as above.
        let message = unsafe { zn5_error_message(object) };
        // SAFETY: the message is NUL-terminated and lives as long as its object.
        let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
        // SAFETY: `object` is NULL or what `guard` made, and not used again.
        unsafe { zn5_error_free(object) };
        (status, of_object, message)
    }

    #[test]
    fn success_sets_the_object_to_null() {
        assert_eq!(run(|| Ok(())), (ZN5_OK, ZN5_OK, String::new()));
    }

    #[test]
    fn a_failure_brings_its_status_and_message() {
        let (status, of_object, message) = run(|| Err(Error::new(ErrorKind::InvalidArgument, "a\0b")));
        assert_eq!((status, of_object), (ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_ARGUMENT));
        assert_eq!(message, "a\u{fffd}b");
    }

    #[test]
    fn a_panic_becomes_a_status_with_its_text() {
        let (status, of_object, message) = run(|| panic!("on {}", "purpose"));
        assert_eq!((status, of_object), (ZN5_ERROR_PANIC, ZN5_ERROR_PANIC));
        assert!(message.contains("on purpose"), "{message}");
        assert_eq!(guard_value(7, || panic!("again")), 7);
    }

    #[test]
    fn no_error_object_is_made_where_none_is_asked_for() {
        // SAFETY: NULL is allowed.
        let status = unsafe { guard(std::ptr::null_mut(), || Err(Error::out_of_memory())) };
        assert_eq!(status, super::super::status::ZN5_ERROR_OUT_OF_MEMORY);
    }
}
