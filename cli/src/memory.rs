//! Buffers whose size comes from a dataset: allocated so that failure is an error, and lent to the engine to fill.
//!
//! The only place of this program with `unsafe`.

use std::mem::MaybeUninit;

use zn5::error::Error;

/// `len` zero bytes.
pub(crate) fn zeroed(len: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = zn5::model::try_vec(len)?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// The bytes as memory that the engine may write.
#[allow(unsafe_code)]
pub(crate) fn writable(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let pointer: *mut [u8] = bytes;
    // SAFETY: both types have the same layout. The engine writes decoded values and never takes initialised bytes back to
    // uninitialised ones, so the bytes are still `u8` when the borrow ends.
    unsafe { &mut *(pointer as *mut [MaybeUninit<u8>]) }
}
