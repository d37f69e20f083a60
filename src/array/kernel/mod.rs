//! The loops that move bytes: one pass that swaps, transposes and copies a box, and one that fills it.
//!
//! A box arrives as a list of axes with the strides on both sides; here it is normalised and handed to the loop that suits it.

#![allow(clippy::inline_always, reason = "the loops are fast only as a whole, and must take on the caller's instruction set")]

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod aarch64;
mod fill;
mod lanes;
mod path;
mod row;
mod swap;
mod tile;
mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use smallvec::SmallVec;

pub(super) use fill::fill;
#[cfg(test)]
pub(super) use path::Path;
pub(super) use swap::swap_in_place;

/// One axis of a box: `count` elements, and the bytes from one to the next on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) count: usize,
    pub(super) src: isize,
    pub(super) dst: isize,
}

impl Axis {
    const ONE: Self = Self { count: 1, src: 0, dst: 0 };

    /// Pieces of at most `most` elements: the bytes to each on both sides, and the piece.
    fn parts(self, most: usize) -> impl Iterator<Item = (isize, isize, Self)> {
        (0..self.count).step_by(most).map(move |start| {
            let count = most.min(self.count.wrapping_sub(start));
            (self.src.wrapping_mul(start.cast_signed()), self.dst.wrapping_mul(start.cast_signed()), Self { count, ..self })
        })
    }
}

/// The axes of a box. A box without overlap has at most 62 of more than one element, so this never allocates.
pub(super) type Axes = SmallVec<[Axis; 64]>;

/// Numbers of a box up to which the tables of a transposition cost more than they save: where either side has less than a vector
/// without gaps, and where both have.
const FEW: usize = 512;
const FEW_VECTORS: usize = 128;
/// Bytes of the narrowest vector.
const VECTOR_LEN: usize = 16;

/// Copies `len` bytes in one run, each number of `unit` bytes with its bytes reversed if `swap`.
///
/// # Safety
/// `src` is valid for reads of initialised bytes and `dst` for writes; they do not overlap.
pub(super) unsafe fn copy_run(src: *const u8, dst: *mut u8, len: usize, unit: usize, swap: bool) {
    // SAFETY: the caller's promise.
    unsafe { swap::copy_rows(unit, swap)(&swap::Rows { src, dst, len, inner: Axis::ONE, outer: Axis::ONE }) };
}

/// Copies the numbers of `unit` bytes of a box from `src` to `dst`, each with its bytes reversed if `swap`.
///
/// # Safety
/// `src` and `dst` are the first element of boxes with `axes`, valid for reads of initialised bytes and for writes. The boxes do not
/// overlap each other, nor do elements of the second.
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, axes: &mut Axes, unit: usize, swap: bool) {
    let (src, dst) = normalise(src, dst, axes);
    let size = unit.cast_signed();
    let Some(first) = axes.first().copied() else {
        // SAFETY: a box of one number.
        return unsafe { row::copy_rows(src, dst, unit, &mut [], unit, swap) };
    };
    if first.dst == size && first.src == size {
        axes.remove(0);
        // SAFETY: along the first axis there is no gap on either side.
        return unsafe { row::copy_rows(src, dst, unit.wrapping_mul(first.count), axes, unit, swap) };
    }
    let steps = axes.iter().enumerate().filter(|(_, axis)| axis.src != 0);
    let fastest_src = steps.min_by_key(|(_, axis)| axis.src.unsigned_abs()).map_or(0, |(at, _)| at);
    let column = axes.get(fastest_src).copied().unwrap_or(Axis::ONE);
    let side_len = first.count.min(column.count).wrapping_mul(unit);
    // Numbers that make a piece alone gain the least.
    let vectors = unit < lanes::PIECE_LEN && first.dst == size && column.src.unsigned_abs() == unit && side_len >= VECTOR_LEN;
    let few = box_len(axes, 1) <= if vectors { FEW_VECTORS } else { FEW };
    if fastest_src == 0 || first.src == 0 || few {
        // SAFETY: every number is a row of its own.
        unsafe { row::copy_rows(src, dst, unit, axes, unit, swap) };
    } else {
        // SAFETY: the caller's promise; the axes differ.
        unsafe { tile::copy(src, dst, axes, fastest_src, unit, swap) };
    }
}

/// Bytes of all numbers of a box.
fn box_len(axes: &[Axis], unit: usize) -> usize {
    axes.iter().map(|axis| axis.count).fold(unit, usize::saturating_mul)
}

/// Walks through a box, first axis fastest.
struct Counter(SmallVec<[usize; 64]>);

impl Counter {
    fn new(axes: &[Axis]) -> Self {
        Self(SmallVec::from_elem(0, axes.len()))
    }

    /// The bytes to the next position on both sides; `None` behind the last one.
    fn next(&mut self, axes: &[Axis]) -> Option<(isize, isize)> {
        let (mut src, mut dst) = (0_isize, 0_isize);
        for (axis, at) in axes.iter().zip(self.0.iter_mut()) {
            *at = at.wrapping_add(1);
            if *at < axis.count {
                return Some((src.wrapping_add(axis.src), dst.wrapping_add(axis.dst)));
            }
            // Back to the beginning of this axis, before the next one steps on.
            let back = axis.count.cast_signed().wrapping_sub(1);
            src = src.wrapping_sub(axis.src.wrapping_mul(back));
            dst = dst.wrapping_sub(axis.dst.wrapping_mul(back));
            *at = 0;
        }
        None
    }
}

/// Brings the axes into a normal form, and the pointers to its first element: no axis of extent 1, destination strides positive and
/// ascending, and what is contiguous on both sides merged into one axis.
fn normalise(mut src: *const u8, mut dst: *mut u8, axes: &mut Axes) -> (*const u8, *mut u8) {
    axes.retain(|axis| axis.count != 1);
    for axis in axes.iter_mut().filter(|axis| axis.dst < 0) {
        let last = axis.count.cast_signed().wrapping_sub(1);
        src = src.wrapping_offset(axis.src.wrapping_mul(last));
        dst = dst.wrapping_offset(axis.dst.wrapping_mul(last));
        axis.src = axis.src.wrapping_neg();
        axis.dst = axis.dst.wrapping_neg();
    }
    axes.sort_unstable_by_key(|axis| axis.dst);
    axes.dedup_by(|outer, inner| {
        let count = inner.count.cast_signed();
        let joins = outer.dst == inner.dst.wrapping_mul(count) && outer.src == inner.src.wrapping_mul(count);
        if joins {
            inner.count = inner.count.wrapping_mul(outer.count);
        }
        joins
    });
    (src, dst)
}
