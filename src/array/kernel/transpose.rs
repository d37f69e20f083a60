//! The two halves of a transposition, made of the vectors of any instruction set.
//!
//! [`gather`] reads some rows at a time and interleaves them to *pieces* of 8 bytes, each with numbers of one column; [`scatter`] makes
//! the rows of the result of the pieces. So every cache line of the box is read once and written once, as a whole; between the two
//! lies a buffer without gaps. Rows a power of two apart fall into one set of the level-1 cache, whose misses wait for each other:
//! both halves therefore take several *layers* in turn, which lie in other sets.

use super::lanes::{Columns, Lanes, PIECE_LEN, Plain};
use super::path::Path;

/// So many tiles of one form, and the bytes from one to the next in the box and in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layers {
    pub(super) count: usize,
    pub(super) step: isize,
    pub(super) buffer_step: usize,
}

/// What [`gather`] reads and where it writes.
pub(super) struct Gather<'a> {
    pub(super) from: *const u8,
    /// Where the rows begin; a multiple of the rows of a piece.
    pub(super) rows: &'a [isize],
    /// Where in each row its vectors begin.
    pub(super) vectors: &'a [isize],
    pub(super) layers: Layers,
    pub(super) to: *mut u8,
}

/// What [`scatter`] reads and where it writes.
pub(super) struct Scatter<'a> {
    pub(super) from: *const u8,
    /// The bytes in the buffer from the pieces of some rows to those of the next.
    pub(super) pitch: usize,
    pub(super) lines: &'a [Line],
    /// Where in each row of the result its vectors begin.
    pub(super) vectors: &'a [isize],
    pub(super) layers: Layers,
    pub(super) to: *mut u8,
}

/// A vector of pieces: where it lies in the buffer, and where the rows of the result begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: usize,
    pub(super) to: Columns,
}

/// Both halves for one instruction set and one size of numbers.
#[derive(Clone, Copy)]
pub(super) struct Loops {
    /// Bytes of a vector.
    pub(super) vector_len: usize,
    /// [`gather`].
    pub(super) gather: unsafe fn(&Gather<'_>),
    /// [`scatter`].
    pub(super) scatter: unsafe fn(&Scatter<'_>),
}

/// The loops for numbers of `unit` bytes; with vectors of 32 bytes only where `wide` says that there are as many to fill them.
pub(super) fn loops(unit: usize, swap: bool, wide: bool) -> Loops {
    let path = match Path::best() {
        Path::Wide if !wide => Path::Narrow,
        path => path,
    };
    match path {
        #[cfg(target_arch = "x86_64")]
        Path::Wide => super::x86_64::wide(unit, swap),
        #[cfg(target_arch = "x86_64")]
        Path::Narrow => super::x86_64::narrow(unit, swap),
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Path::Narrow => super::aarch64::narrow(unit, swap),
        _ => with_lanes::<Plain>(unit, swap),
    }
}

/// The loops with vectors that every processor has.
pub(super) fn with_lanes<L: Lanes>(unit: usize, swap: bool) -> Loops {
    let gather = match (unit, swap) {
        (1, _) => gather::<L, 1, 8, false>,
        (2, false) => gather::<L, 2, 4, false>,
        (2, true) => gather::<L, 2, 4, true>,
        (4, false) => gather::<L, 4, 2, false>,
        (4, true) => gather::<L, 4, 2, true>,
        (_, false) => gather::<L, 8, 1, false>,
        (_, true) => gather::<L, 8, 1, true>,
    };
    Loops { vector_len: L::LEN, gather, scatter: scatter::<L> }
}

/// Reads rows, reverses bytes where asked for, and interleaves as many rows as numbers are in a piece: `ROWS = 8 / UNIT`.
///
/// Interleaving row `k` with row `k + ROWS / 2` rotates the bits of (row, column) by one place; after log2(ROWS) times each piece holds
/// one column, and the pieces of a lane are in the order of the columns.
///
/// # Safety
/// Each vector of each row of each layer is valid for reads of initialised bytes, and `to` for writes of as many bytes.
#[inline(always)]
pub(super) unsafe fn gather<L: Lanes, const UNIT: usize, const ROWS: usize, const SWAP: bool>(job: &Gather<'_>) {
    let group_len = job.vectors.len().wrapping_mul(ROWS).wrapping_mul(L::LEN);
    let mut group = job.to;
    for rows in job.rows.as_chunks::<ROWS>().0 {
        let (mut from, mut layer) = (job.from, group);
        for _ in 0..job.layers.count {
            let mut to = layer;
            for vector in job.vectors {
                let from = from.wrapping_offset(*vector);
                let first = rows.first().copied().unwrap_or(0);
                // SAFETY: the caller's promise.
                let mut vectors = [unsafe { L::load(from.wrapping_offset(first)) }; ROWS];
                for (vector, row) in vectors.iter_mut().zip(rows).skip(1) {
                    // SAFETY: the caller's promise.
                    *vector = unsafe { L::load(from.wrapping_offset(*row)) };
                }
                if SWAP {
                    for vector in &mut vectors {
                        *vector = vector.swapped::<UNIT>();
                    }
                }
                for _ in 0..ROWS.trailing_zeros() {
                    let before = vectors;
                    let halves = before.iter().zip(before.iter().skip(ROWS / 2));
                    for (pair, (first, second)) in vectors.as_chunks_mut::<2>().0.iter_mut().zip(halves) {
                        *pair = first.interleave::<UNIT>(*second);
                    }
                }
                for vector in vectors {
                    // SAFETY: the caller's promise.
                    unsafe { vector.store(to) };
                    to = to.wrapping_add(L::LEN);
                }
            }
            from = from.wrapping_offset(job.layers.step);
            layer = layer.wrapping_add(job.layers.buffer_step);
        }
        group = group.wrapping_add(group_len);
    }
}

/// Writes the rows of the result of the pieces that [`gather`] left.
///
/// # Safety
/// The buffer has what the lines say, and each vector of each row of each layer of the result is valid for writes.
#[inline(always)]
pub(super) unsafe fn scatter<L: Lanes>(job: &Scatter<'_>) {
    let square_len = job.pitch.wrapping_mul(L::LEN / PIECE_LEN);
    for line in job.lines {
        let (mut layer, mut to) = (job.from.wrapping_add(line.from), job.to);
        for _ in 0..job.layers.count {
            let mut from = layer;
            for vector in job.vectors {
                // SAFETY: the caller's promise.
                unsafe { L::turn(from, job.pitch, to.wrapping_offset(*vector), &line.to) };
                from = from.wrapping_add(square_len);
            }
            layer = layer.wrapping_add(job.layers.buffer_step);
            to = to.wrapping_offset(job.layers.step);
        }
    }
}
