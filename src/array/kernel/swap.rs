//! Copying rows of contiguous numbers, with or without reversing the bytes of each.
//!
//! The loops are written once and compiled for several instruction sets; which one runs is found out at run time.

use std::mem::MaybeUninit;

/// Copies a row: source, destination, bytes. The two may be the same, or must not overlap.
pub(super) type CopyRow = unsafe fn(*const u8, *mut u8, usize);

/// The fastest copy of rows of numbers of `unit` bytes on this machine.
pub(super) fn copy_row(unit: usize, swap: bool) -> CopyRow {
    if !swap || unit == 1 {
        return keep;
    }
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            return match unit {
                2 => swap_avx2::<2>,
                4 => swap_avx2::<4>,
                _ => swap_avx2::<8>,
            };
        }
        if std::arch::is_x86_feature_detected!("ssse3") {
            return match unit {
                2 => swap_ssse3::<2>,
                4 => swap_ssse3::<4>,
                _ => swap_ssse3::<8>,
            };
        }
    }
    match unit {
        2 => reverse_numbers::<2>,
        4 => reverse_numbers::<4>,
        _ => reverse_numbers::<8>,
    }
}

/// # Safety
/// `from` is valid for reads, `to` for writes of `len` bytes; they do not overlap.
unsafe fn keep(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, len) };
}

/// # Safety
/// As [`reverse_numbers`], and the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn swap_avx2<const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { reverse_numbers::<UNIT>(from, to, len) }
}

/// # Safety
/// As [`reverse_numbers`], and the processor has SSSE3.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "ssse3")]
unsafe fn swap_ssse3<const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { reverse_numbers::<UNIT>(from, to, len) }
}

/// Reverses each number of `UNIT` bytes; bytes behind the last whole number stay.
///
/// # Safety
/// `from` is valid for reads, `to` for writes of `len` bytes; they are the same or do not overlap.
#[inline(always)]
unsafe fn reverse_numbers<const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    const BATCH: usize = 128;
    let mut at = 0_usize;
    while len.wrapping_sub(at) >= BATCH {
        // SAFETY: a whole batch is left, and arrays of bytes need no alignment.
        let mut batch = unsafe { from.wrapping_add(at).cast::<[MaybeUninit<u8>; BATCH]>().read() };
        reverse::<UNIT>(&mut batch);
        // SAFETY: as above.
        unsafe { to.wrapping_add(at).cast::<[MaybeUninit<u8>; BATCH]>().write(batch) };
        at = at.wrapping_add(BATCH);
    }
    while len.wrapping_sub(at) >= UNIT {
        // SAFETY: a whole number is left.
        let mut number = unsafe { from.wrapping_add(at).cast::<[MaybeUninit<u8>; UNIT]>().read() };
        number.reverse();
        // SAFETY: as above.
        unsafe { to.wrapping_add(at).cast::<[MaybeUninit<u8>; UNIT]>().write(number) };
        at = at.wrapping_add(UNIT);
    }
}

#[inline(always)]
fn reverse<const UNIT: usize>(bytes: &mut [MaybeUninit<u8>]) {
    for number in bytes.chunks_exact_mut(UNIT) {
        number.reverse();
    }
}

/// Reverses the bytes of each number of `unit` bytes. They may be uninitialised: they are moved, never looked at.
pub(in crate::array) fn swap_in_place(bytes: &mut [MaybeUninit<u8>], unit: usize) {
    let start = bytes.as_mut_ptr().cast::<u8>();
    // SAFETY: both sides are the same valid bytes.
    unsafe { copy_row(unit, true)(start, start, bytes.len()) };
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    fn check(copy: CopyRow, unit: usize) {
        for len in (0..40).chain([127, 128, 129, 136, 300, 1024]).map(|count| count / unit * unit) {
            let from: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let mut to = vec![0; len];
            // SAFETY: both have `len` bytes.
            unsafe { copy(from.as_ptr(), to.as_mut_ptr(), len) };
            let expected: Vec<u8> = from.chunks_exact(unit).flat_map(|number| number.iter().rev().copied()).collect();
            assert_eq!(to, expected, "{unit} {len}");
        }
    }

    #[test]
    fn every_instruction_set_swaps_alike() {
        check(reverse_numbers::<2>, 2);
        check(reverse_numbers::<4>, 4);
        check(reverse_numbers::<8>, 8);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("ssse3") {
            check(swap_ssse3::<2>, 2);
            check(swap_ssse3::<4>, 4);
            check(swap_ssse3::<8>, 8);
        }
        for unit in [2, 4, 8] {
            check(copy_row(unit, true), unit);
        }
    }
}
