//! Section "Version" of the header: what this library is, for programs and for bug reports.
//!
//! The version itself stands in the manifest only; the header's macros are generated from the same place.

use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

use super::guard::guard_value;
use super::ptr;
use crate::compress;

/// A part of the version as a number, at compile time.
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "evaluated at compile time, where a fault is an error")]
const fn number(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let (mut index, mut value) = (0, 0_u32);
    while index < bytes.len() {
        value = value * 10 + (bytes[index] - b'0') as u32;
        index += 1;
    }
    value
}

const VERSION_NUMBER: u32 = number(env!("CARGO_PKG_VERSION_MAJOR")) * 10_000
    + number(env!("CARGO_PKG_VERSION_MINOR")) * 100
    + number(env!("CARGO_PKG_VERSION_PATCH"));

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// Returns the version of the library that runs, to compare with ZN5_VERSION_NUMBER, the version of the header that was compiled.
///
/// @return major * 10000 + minor * 100 + patch
#[unsafe(no_mangle)]
pub extern "C" fn zn5_version_number() -> u32 {
    VERSION_NUMBER
}

/// Returns the version of the library that runs as text.
///
/// @return such as "0.1.0", a static NUL-terminated string
#[unsafe(no_mangle)]
pub extern "C" fn zn5_version_string() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// Returns a line for bug reports: zn5's version, the target, and the bundled compression libraries with theirs.
///
/// @return a static NUL-terminated string
#[unsafe(no_mangle)]
pub extern "C" fn zn5_build_info() -> *const c_char {
    static INFO: OnceLock<CString> = OnceLock::new();
    guard_value(VERSION.as_ptr().cast(), || {
        INFO.get_or_init(|| {
            let text = format!(
                "zn5 {} ({}-{}, {}); {}",
                env!("CARGO_PKG_VERSION"),
                std::env::consts::ARCH,
                std::env::consts::OS,
                if cfg!(debug_assertions) { "debug" } else { "release" },
                compress::versions()
            );
            CString::new(text).unwrap_or_default()
        })
        .as_ptr()
    })
}

/// Tells whether this library decodes and encodes a compression.
///
/// @param n5_type  the NUL-terminated "type" of N5's "compression", such as "gzip"; NULL is none
/// @return 1 if it does, else 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_compression_available(n5_type: *const c_char) -> i32 {
    // SAFETY: the caller passes NULL or a NUL-terminated string.
    let name = unsafe { ptr::c_string(n5_type) };
    guard_value(0, || i32::from(name.and_then(|name: &CStr| name.to_str().ok()).is_some_and(compress::available)))
}
