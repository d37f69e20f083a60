//! Byte swapping of contiguous numbers.
//!
//! The bytes may be uninitialised, so they are moved and never looked at.

use std::mem::MaybeUninit;

/// Reverses the bytes of each number of `unit` bytes.
pub(in crate::array) fn swap_in_place(bytes: &mut [MaybeUninit<u8>], unit: usize) {
    for number in bytes.chunks_exact_mut(unit) {
        number.reverse();
    }
}
