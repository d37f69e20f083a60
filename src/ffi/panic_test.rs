//! One function that panics on purpose, for the C tests of the boundary; only in builds with the feature `test-panic`.

use super::error::zn5_error;
use super::guard::guard;
use super::status::zn5_status;

/// Panics inside the boundary.
///
/// @param error  gets the error object; may be NULL
/// @return ZN5_ERROR_PANIC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_test_panic(error: *mut *mut zn5_error) -> zn5_status {
    #[allow(clippy::panic, reason = "the purpose")]
    let body = || panic!("on purpose");
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}
