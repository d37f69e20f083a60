//! Boxes whose fastest axis is the same on both sides: whole rows where it is contiguous, else number by number along it.
//!
//! The other axes are walked in the order of the destination.

use super::swap::copy_row;
use super::{Axis, Counter};

/// Copies rows of `row_len` contiguous bytes, one for each position of `outer`.
///
/// # Safety
/// As [`super::copy`]; at every position of `outer` a row begins.
pub(super) unsafe fn copy_rows(mut src: *const u8, mut dst: *mut u8, row_len: usize, outer: &[Axis], unit: usize, swap: bool) {
    let copy = copy_row(unit, swap);
    let (axis, rest) = match outer.split_first() {
        Some((axis, rest)) => (*axis, rest),
        None => (Axis { count: 1, src: 0, dst: 0 }, outer),
    };
    let mut counter = Counter::new(rest);
    loop {
        let (mut from, mut to) = (src, dst);
        for _ in 0..axis.count {
            // SAFETY: a row of the box.
            unsafe { copy(from, to, row_len) };
            from = from.wrapping_offset(axis.src);
            to = to.wrapping_offset(axis.dst);
        }
        match counter.next(rest) {
            Some((src_step, dst_step)) => {
                src = src.wrapping_offset(src_step);
                dst = dst.wrapping_offset(dst_step);
            }
            None => return,
        }
    }
}

/// Copies number by number along `axis`, for each position of `outer`.
///
/// # Safety
/// As [`super::copy`].
pub(super) unsafe fn copy_numbers<const UNIT: usize, const SWAP: bool>(mut src: *const u8, mut dst: *mut u8, axis: Axis, outer: &[Axis]) {
    let mut counter = Counter::new(outer);
    loop {
        let (mut from, mut to) = (src, dst);
        for _ in 0..axis.count {
            // SAFETY: a number of the box.
            unsafe { copy_number::<UNIT, SWAP>(from, to) };
            from = from.wrapping_offset(axis.src);
            to = to.wrapping_offset(axis.dst);
        }
        match counter.next(outer) {
            Some((src_step, dst_step)) => {
                src = src.wrapping_offset(src_step);
                dst = dst.wrapping_offset(dst_step);
            }
            None => return,
        }
    }
}

/// # Safety
/// `from` is valid for reads of a number of `UNIT` initialised bytes, `to` for writes.
#[inline(always)]
unsafe fn copy_number<const UNIT: usize, const SWAP: bool>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise; an array of bytes needs no alignment.
    let mut number = unsafe { from.cast::<[u8; UNIT]>().read() };
    if SWAP {
        number.reverse();
    }
    // SAFETY: as above.
    unsafe { to.cast::<[u8; UNIT]>().write(number) };
}
