//! Copying rows of contiguous numbers, with or without reversing the bytes of each.
//!
//! The loops are written once and compiled for several instruction sets; which one runs is found out at run time.

use std::mem::MaybeUninit;

use super::Axis;
#[cfg(any(test, target_arch = "x86_64"))]
use super::path::Path;

/// Bytes that are reversed at a time.
const BATCH: usize = 128;
/// Bytes of a cache line.
const LINE_LEN: usize = 64;
/// Bytes from which on it is worth to begin with a whole cache line of the destination.
const ALIGNED_LEN: usize = 1024;

/// Rows of the same length, at every position of two axes.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    /// Bytes of a row.
    pub(super) len: usize,
    pub(super) inner: Axis,
    pub(super) outer: Axis,
}

/// Copies rows. Source and destination of each may be the same, or must not overlap.
pub(super) type CopyRows = unsafe fn(&Rows);

/// The fastest copy of rows of numbers of `unit` bytes on this machine.
pub(super) fn copy_rows(unit: usize, swap: bool) -> CopyRows {
    if !swap {
        return each::<1>;
    }
    #[cfg(target_arch = "x86_64")]
    if Path::best() == Path::Wide {
        return match unit {
            2 => each_avx2::<2>,
            4 => each_avx2::<4>,
            8 => each_avx2::<8>,
            _ => each::<1>,
        };
    }
    match unit {
        2 => each::<2>,
        4 => each::<4>,
        8 => each::<8>,
        _ => each::<1>,
    }
}

/// # Safety
/// As [`each`], and the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn each_avx2<const UNIT: usize>(rows: &Rows) {
    // SAFETY: the caller's promise.
    unsafe { each::<UNIT>(rows) }
}

/// Copies rows and reverses each number of `UNIT` bytes; bytes behind the last whole number stay.
///
/// # Safety
/// The source of every row is valid for reads, the destination for writes; they are the same or do not overlap.
#[inline(always)]
unsafe fn each<const UNIT: usize>(rows: &Rows) {
    let (mut src, mut dst) = (rows.src, rows.dst);
    for _ in 0..rows.outer.count {
        // Pixels and short strings: a loop for each length costs less than finding out for each row.
        match rows.len {
            // SAFETY: the caller's promise.
            len if len == UNIT => unsafe { copy_pieces::<UNIT, UNIT>(src, dst, rows.inner) },
            // SAFETY: the caller's promise.
            3 if UNIT == 1 => unsafe { copy_pieces::<3, UNIT>(src, dst, rows.inner) },
            // SAFETY: the caller's promise.
            6 if UNIT <= 2 => unsafe { copy_pieces::<6, UNIT>(src, dst, rows.inner) },
            // SAFETY: the caller's promise.
            12 if UNIT <= 4 => unsafe { copy_pieces::<12, UNIT>(src, dst, rows.inner) },
            // SAFETY: the caller's promise.
            _ => unsafe { copy_rows_of::<UNIT>(src, dst, rows.len, rows.inner) },
        }
        src = src.wrapping_offset(rows.outer.src);
        dst = dst.wrapping_offset(rows.outer.dst);
    }
}

/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn copy_rows_of<const UNIT: usize>(mut from: *const u8, mut to: *mut u8, len: usize, axis: Axis) {
    for _ in 0..axis.count {
        // SAFETY: the caller's promise.
        unsafe { copy_row::<UNIT>(from, to, len) };
        from = from.wrapping_offset(axis.src);
        to = to.wrapping_offset(axis.dst);
    }
}

/// # Safety
/// `from` is valid for reads, `to` for writes of `len` bytes; they are the same or do not overlap.
#[inline(always)]
unsafe fn copy_row<const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    let len = len.wrapping_sub(len % UNIT);
    match len {
        // SAFETY: the caller's promise.
        ..=BATCH => unsafe { copy_short::<UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        _ if UNIT == 1 => unsafe { to.copy_from(from, len) },
        // SAFETY: the caller's promise.
        _ => unsafe { batches::<UNIT>(from, to, len) },
    }
}

/// # Safety
/// As [`copy_row`], with at most [`BATCH`] bytes.
#[inline(always)]
unsafe fn copy_short<const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    // Two pieces of one size, which may overlap, have all bytes: there is no loop for what is left over.
    match len {
        0 => {}
        // SAFETY: the caller's promise.
        1 => unsafe { ends::<1, UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        2..4 => unsafe { ends::<2, UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        4..8 => unsafe { ends::<4, UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        8..16 => unsafe { ends::<8, UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        16..32 => unsafe { ends::<16, UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        32..64 => unsafe { ends::<32, UNIT>(from, to, len) },
        // SAFETY: the caller's promise.
        _ => unsafe { ends::<64, UNIT>(from, to, len) },
    }
}

/// Copies the first and the last `SIZE` of `len` bytes, which are all there is.
///
/// # Safety
/// As [`copy_row`], with `SIZE <= len <= 2 * SIZE`.
#[inline(always)]
unsafe fn ends<const SIZE: usize, const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    let last_at = len.wrapping_sub(SIZE);
    // SAFETY: the caller's promise.
    let first = unsafe { read::<SIZE, UNIT>(from) };
    // SAFETY: the caller's promise.
    let last = unsafe { read::<SIZE, UNIT>(from.wrapping_add(last_at)) };
    // SAFETY: the caller's promise.
    unsafe { write(to, first) };
    // SAFETY: the caller's promise.
    unsafe { write(to.wrapping_add(last_at), last) };
}

/// # Safety
/// As [`copy_row`], with at least [`BATCH`] bytes.
#[inline(always)]
unsafe fn batches<const UNIT: usize>(from: *const u8, to: *mut u8, len: usize) {
    let (mut from, mut to, mut len) = (from, to, len);
    // Stores that lie across two cache lines cost more than loads.
    let before = to.align_offset(LINE_LEN);
    if len >= ALIGNED_LEN && before < LINE_LEN && before.is_multiple_of(UNIT) {
        // SAFETY: less than the row has.
        unsafe { copy_short::<UNIT>(from, to, before) };
        from = from.wrapping_add(before);
        to = to.wrapping_add(before);
        len = len.wrapping_sub(before);
    }
    let last_at = len.wrapping_sub(BATCH);
    // Read before its bytes may be overwritten.
    // SAFETY: the caller's promise.
    let last = unsafe { read::<BATCH, UNIT>(from.wrapping_add(last_at)) };
    let mut at = 0_usize;
    while at < last_at {
        // SAFETY: a whole batch is left.
        let batch = unsafe { read::<BATCH, UNIT>(from.wrapping_add(at)) };
        // SAFETY: as above.
        unsafe { write(to.wrapping_add(at), batch) };
        at = at.wrapping_add(BATCH);
    }
    // SAFETY: the caller's promise.
    unsafe { write(to.wrapping_add(last_at), last) };
}

/// Reads bytes, each number of `UNIT` of them reversed. They may be uninitialised: they are moved, never looked at.
///
/// # Safety
/// `from` is valid for reads of `SIZE` bytes.
#[inline(always)]
unsafe fn read<const SIZE: usize, const UNIT: usize>(from: *const u8) -> [MaybeUninit<u8>; SIZE] {
    // SAFETY: the caller's promise; an array of bytes needs no alignment.
    let mut bytes = unsafe { from.cast::<[MaybeUninit<u8>; SIZE]>().read() };
    if UNIT > 1 {
        for number in bytes.chunks_exact_mut(UNIT) {
            number.reverse();
        }
    }
    bytes
}

/// # Safety
/// `to` is valid for writes of `SIZE` bytes.
#[inline(always)]
unsafe fn write<const SIZE: usize>(to: *mut u8, bytes: [MaybeUninit<u8>; SIZE]) {
    // SAFETY: the caller's promise; an array of bytes needs no alignment.
    unsafe { to.cast::<[MaybeUninit<u8>; SIZE]>().write(bytes) };
}

/// Copies runs of `len` bytes at every position of `axis`; short ones with a loop for each length.
///
/// # Safety
/// Every run is valid for reads at `from`, and for writes at `to`; they do not overlap.
pub(super) unsafe fn copy_runs(from: *const u8, to: *mut u8, len: usize, axis: Axis) {
    let copy: unsafe fn(*const u8, *mut u8, Axis) = match len {
        1 => copy_pieces::<1, 1>,
        2 => copy_pieces::<2, 1>,
        3 => copy_pieces::<3, 1>,
        4 => copy_pieces::<4, 1>,
        6 => copy_pieces::<6, 1>,
        8 => copy_pieces::<8, 1>,
        12 => copy_pieces::<12, 1>,
        16 => copy_pieces::<16, 1>,
        24 => copy_pieces::<24, 1>,
        // SAFETY: the caller's promise.
        _ => return unsafe { each::<1>(&Rows { src: from, dst: to, len, inner: axis, outer: Axis::ONE }) },
    };
    // SAFETY: the caller's promise.
    unsafe { copy(from, to, axis) };
}

/// # Safety
/// As [`each`], with rows of `LEN` bytes.
#[inline(always)]
unsafe fn copy_pieces<const LEN: usize, const UNIT: usize>(mut from: *const u8, mut to: *mut u8, axis: Axis) {
    for _ in 0..axis.count {
        // SAFETY: the caller's promise.
        let bytes = unsafe { read::<LEN, UNIT>(from) };
        // SAFETY: the caller's promise.
        unsafe { write(to, bytes) };
        from = from.wrapping_offset(axis.src);
        to = to.wrapping_offset(axis.dst);
    }
}

/// Reverses the bytes of each number of `unit` bytes. They may be uninitialised.
pub(in crate::array) fn swap_in_place(bytes: &mut [MaybeUninit<u8>], unit: usize) {
    let start = bytes.as_mut_ptr().cast::<u8>();
    let rows = Rows { src: start, dst: start, len: bytes.len(), inner: Axis::ONE, outer: Axis::ONE };
    // SAFETY: both sides are the same valid bytes.
    unsafe { copy_rows(unit, true)(&rows) };
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    fn check(unit: usize) {
        for len in (0..140).chain([192, 255, 256, 300, 384, 1024, 1025, 1096, 1160, 2000]).map(|len| len / unit * unit) {
            let from: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let expected: Vec<u8> = from.chunks_exact(unit).flat_map(|number| number.iter().rev().copied()).collect();
            for path in Path::all() {
                let mut to = vec![0; len];
                let rows = Rows { src: from.as_ptr(), dst: to.as_mut_ptr(), len, inner: Axis::ONE, outer: Axis::ONE };
                // SAFETY: both have `len` bytes.
                path.with(|| unsafe { copy_rows(unit, true)(&rows) });
                assert_eq!(to, expected, "{path:?} {unit} {len}");
                to.copy_from_slice(&from);
                let rows = Rows { src: to.as_ptr(), dst: to.as_mut_ptr(), ..rows };
                // SAFETY: both are the same `len` bytes.
                path.with(|| unsafe { copy_rows(unit, true)(&rows) });
                assert_eq!(to, expected, "in place: {path:?} {unit} {len}");
            }
        }
    }

    #[test]
    fn every_instruction_set_swaps_alike_in_place_too() {
        for unit in [1, 2, 4, 8] {
            check(unit);
        }
    }

    #[test]
    fn runs_of_every_length_are_copied_with_gaps() {
        for len in 0..40_usize {
            let from: Vec<u8> = (0..200).collect();
            let mut to = vec![0; 300];
            let axis = Axis { count: 4, src: len.cast_signed() + 5, dst: len.cast_signed() + 3 };
            // SAFETY: four runs of less than 40 bytes and their gaps are shorter than both.
            unsafe { copy_runs(from.as_ptr(), to.as_mut_ptr(), len, axis) };
            let mut expected = vec![0; 300];
            for (to, from) in expected.chunks_exact_mut(len + 3).zip(from.chunks_exact(len + 5)).take(4) {
                to.iter_mut().zip(from).take(len).for_each(|(to, from)| *to = *from);
            }
            assert_eq!(to, expected, "{len}");
        }
    }
}
