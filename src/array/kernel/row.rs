//! Boxes whose fastest axis is the same on both sides: rows that are contiguous on both, of one number where there is a gap.
//!
//! Long rows are walked in the order of the destination. Short ones share cache lines with neighbours on both sides, so they are
//! walked in blocks that are as wide on the one side as on the other.

use super::swap::{Rows, copy_rows as rows_of};
use super::{Axis, Counter};

/// Bytes from which on a row has cache lines enough of its own.
const LONG: usize = 256;
/// Rows of a block along each of its two axes: where these are a power of two apart, no more of them fit in one set of the level-1 cache.
const BLOCK: usize = 8;

/// Copies rows of `len` contiguous bytes, one for each position of `outer`.
///
/// # Safety
/// As [`super::copy`]; at every position of `outer` a row begins.
pub(super) unsafe fn copy_rows(src: *const u8, dst: *mut u8, len: usize, outer: &mut [Axis], unit: usize, swap: bool) {
    let copy = rows_of(unit, swap);
    let fastest_src = outer.iter().enumerate().filter(|(_, axis)| axis.src != 0).min_by_key(|(_, axis)| axis.src.unsigned_abs());
    let blocked = len < LONG && matches!(fastest_src, Some((at, _)) if at > 0);
    if blocked && let Some((at, _)) = fastest_src {
        outer.swap(1, at);
    }
    let (first, rest) = outer.split_first().map_or((Axis::ONE, &[][..]), |(axis, rest)| (*axis, rest));
    let (second, rest) = rest.split_first().map_or((Axis::ONE, &[][..]), |(axis, rest)| (*axis, rest));
    let block = if blocked { BLOCK } else { usize::MAX };
    let mut counter = Counter::new(rest);
    let (mut src, mut dst) = (src, dst);
    loop {
        for (outer_src, outer_dst, outer) in second.parts(block) {
            for (inner_src, inner_dst, inner) in first.parts(block) {
                let src = src.wrapping_offset(outer_src).wrapping_offset(inner_src);
                let dst = dst.wrapping_offset(outer_dst).wrapping_offset(inner_dst);
                // SAFETY: rows of the box.
                unsafe { copy(&Rows { src, dst, len, inner, outer }) };
            }
        }
        let Some((src_step, dst_step)) = counter.next(rest) else { return };
        src = src.wrapping_offset(src_step);
        dst = dst.wrapping_offset(dst_step);
    }
}
