//! Boxes whose fastest axis differs on both sides: transposition by square tiles.
//!
//! A *row* runs along the destination's fastest axes, a *column* along the source's. Each may consist of several axes, so that a thin
//! axis next to the fastest one does not make thin tiles; tables hold where the positions lie on the side on which they are apart.
//! Cache lines a power of two apart fall into one set of the cache, so a tile reads and writes whole cache lines one after the other,
//! and is transposed in a buffer in between.

#![allow(clippy::arithmetic_side_effects, reason = "offsets inside objects, which isize::MAX bounds, and counts inside boxes")]

use std::mem::MaybeUninit;

use super::lanes::{Native, transpose};
use super::{Axes, Axis, Counter};

/// The most positions on one side of a tile.
const MOST: usize = 64;
/// The most bytes of a tile.
const TILE_LEN: usize = MOST * MOST * 4;
/// Bytes of one vector.
const VECTOR_LEN: usize = 16;

/// Positions on one side of a tile of numbers of `unit` bytes: what filled both buffers and a level-1 cache best.
const fn side(unit: usize) -> usize {
    if unit == 8 { 32 } else { MOST }
}

/// A buffer of one tile, aligned to cache lines.
#[repr(align(64))]
struct Buffer(MaybeUninit<[u8; TILE_LEN]>);

/// Several axes walked as one, first fastest.
struct Chain {
    axes: Axes,
    count: usize,
    /// Whether the positions follow each other without gap on the chain's own side.
    contiguous: bool,
}

impl Chain {
    fn new(axis: Axis, contiguous: bool) -> Self {
        let mut chain = Self { axes: Axes::new(), count: 1, contiguous };
        chain.push(axis);
        chain
    }

    fn push(&mut self, axis: Axis) {
        self.count *= axis.count;
        self.axes.push(axis);
    }
}

/// One side of a tile: `count` positions of a chain from the one at `(src, dst)` on.
struct Side {
    count: usize,
    src: isize,
    dst: isize,
    /// The bytes from the first position to each, on both sides.
    src_offsets: [isize; MOST],
    dst_offsets: [isize; MOST],
}

impl Side {
    const fn new() -> Self {
        Self { count: 0, src: 0, dst: 0, src_offsets: [0; MOST], dst_offsets: [0; MOST] }
    }

    /// Takes the next positions of `chain` from `start` on, at most `most`.
    fn take(&mut self, chain: &Chain, start: usize, most: usize) {
        let count = most.min(chain.count - start);
        let (mut src, mut dst) = (0, 0);
        let mut at = [0_usize; MOST];
        let mut rest = start;
        for (axis, at) in chain.axes.iter().zip(&mut at) {
            *at = rest % axis.count;
            rest /= axis.count;
            src += axis.src * at.cast_signed();
            dst += axis.dst * at.cast_signed();
        }
        (self.src, self.dst) = (src, dst);
        if let [_] = chain.axes[..]
            && self.count > 0
        {
            // On a single axis the offsets are the same everywhere, and the first positions taken were the most.
            self.count = count;
            return;
        }
        self.count = count;
        for (src_offset, dst_offset) in self.src_offsets.iter_mut().zip(&mut self.dst_offsets).take(count) {
            (*src_offset, *dst_offset) = (src - self.src, dst - self.dst);
            for (axis, at) in chain.axes.iter().zip(&mut at) {
                *at += 1;
                src += axis.src;
                dst += axis.dst;
                if *at < axis.count {
                    break;
                }
                src -= axis.src * axis.count.cast_signed();
                dst -= axis.dst * axis.count.cast_signed();
                *at = 0;
            }
        }
    }
}

/// A box split into rows, columns and the axes that are in neither.
pub(super) struct Plan {
    src: *const u8,
    dst: *mut u8,
    rows: Chain,
    columns: Chain,
    others: Axes,
}

impl Plan {
    /// Splits the box at `src` and `dst`, where the first of `axes` is the destination's fastest, and the one at `fastest_src`, not
    /// the first, the source's.
    pub(super) fn new(src: *const u8, dst: *mut u8, axes: &[Axis], fastest_src: usize, unit: usize) -> Self {
        let mut others: Axes = axes.into();
        let column = others.remove(fastest_src);
        let row = others.remove(0);
        let size = unit.cast_signed();
        let rows = Chain::new(row, row.dst == size);
        let columns = Chain::new(column, column.src.abs() == size);
        let mut plan = Self { src, dst, rows, columns, others };
        plan.columns.axes.clear();
        plan.columns.count = 1;
        plan.push_column(column);
        plan.fuse(unit);
        // What takes the smallest steps innermost.
        plan.others.sort_unstable_by_key(|axis| axis.dst.unsigned_abs().max(axis.src.unsigned_abs()));
        plan
    }

    /// Adds an axis to the columns, flipped so that they ascend in the source.
    fn push_column(&mut self, mut axis: Axis) {
        if axis.src < 0 {
            let last = axis.count.cast_signed() - 1;
            self.src = self.src.wrapping_offset(axis.src * last);
            self.dst = self.dst.wrapping_offset(axis.dst * last);
            axis.src = -axis.src;
            axis.dst = -axis.dst;
        }
        self.columns.push(axis);
    }

    /// Lengthens short rows and columns by further axes.
    fn fuse(&mut self, unit: usize) {
        let size = unit.cast_signed();
        let wanted = side(unit);
        // The shorter one takes the axis that continues it without a gap.
        loop {
            let (rows, columns) = (&self.rows, &self.columns);
            let next_row = (rows.contiguous && rows.count < wanted)
                .then(|| self.others.iter().position(|axis| axis.dst == size * rows.count.cast_signed()))
                .flatten();
            let next_column = (columns.contiguous && columns.count < wanted)
                .then(|| self.others.iter().position(|axis| axis.src.abs() == size * columns.count.cast_signed()))
                .flatten();
            match (next_row, next_column) {
                (Some(at), None) => self.rows.push(self.others.remove(at)),
                (Some(at), Some(_)) if rows.count <= columns.count => self.rows.push(self.others.remove(at)),
                (_, Some(at)) => {
                    let axis = self.others.remove(at);
                    self.push_column(axis);
                }
                (None, None) => break,
            }
        }
        // Less than a vector without a gap is not worth a row or column: number by number, but many at a time.
        let thin = VECTOR_LEN / unit;
        while self.rows.count < thin && !self.others.is_empty() {
            self.rows.contiguous = false;
            self.rows.push(self.others.remove(0));
        }
        while self.columns.count < thin {
            let steps = self.others.iter().enumerate().filter(|(_, axis)| axis.src != 0);
            let Some((at, _)) = steps.min_by_key(|(_, axis)| axis.src.unsigned_abs()) else { return };
            let axis = self.others.remove(at);
            self.columns.contiguous = false;
            self.push_column(axis);
        }
    }
}

/// Copies the box of `plan`, numbers of `UNIT` bytes, `N` of them in a vector.
///
/// # Safety
/// As [`super::copy`].
pub(super) unsafe fn copy_tiles<const UNIT: usize, const N: usize, const SWAP: bool>(plan: &Plan) {
    let side = side(UNIT);
    let mut tile = Tile {
        rows: Side::new(),
        columns: Side::new(),
        whole_rows: plan.rows.contiguous,
        whole_columns: plan.columns.contiguous,
        read: Buffer(MaybeUninit::uninit()),
        turned: Buffer(MaybeUninit::uninit()),
    };
    // Offsets of fused axes cost more than those of single ones: then they serve for all other positions before they change.
    let fused = plan.rows.axes.len() > 1 || plan.columns.axes.len() > 1;
    let (once, inner): (&[Axis], &[Axis]) = if fused { (&[], &plan.others) } else { (&plan.others, &[]) };
    let (mut src, mut dst) = (plan.src, plan.dst);
    let mut outer = Counter::new(once);
    loop {
        for row in (0..plan.rows.count).step_by(side) {
            tile.rows.take(&plan.rows, row, side);
            for column in (0..plan.columns.count).step_by(side) {
                tile.columns.take(&plan.columns, column, side);
                let from = src.wrapping_offset(tile.rows.src).wrapping_offset(tile.columns.src);
                let to = dst.wrapping_offset(tile.rows.dst).wrapping_offset(tile.columns.dst);
                // SAFETY: the tile at each position of `inner` is part of the box.
                unsafe { tile.copy_all::<UNIT, N, SWAP>(from, to, inner) };
            }
        }
        let Some((src_step, dst_step)) = outer.next(once) else { break };
        src = src.wrapping_offset(src_step);
        dst = dst.wrapping_offset(dst_step);
    }
}

/// Where the positions of a tile lie, and its buffers.
struct Tile {
    rows: Side,
    columns: Side,
    /// Whether rows are contiguous in the destination, columns in the source.
    whole_rows: bool,
    whole_columns: bool,
    read: Buffer,
    turned: Buffer,
}

impl Tile {
    /// Copies the tile at every position of `axes`.
    ///
    /// # Safety
    /// As [`Tile::copy`], for each of them.
    unsafe fn copy_all<const UNIT: usize, const N: usize, const SWAP: bool>(
        &mut self,
        mut src: *const u8,
        mut dst: *mut u8,
        axes: &[Axis],
    ) {
        let mut counter = Counter::new(axes);
        loop {
            // SAFETY: the caller's promise.
            unsafe { self.copy::<UNIT, N, SWAP>(src, dst) };
            let Some((src_step, dst_step)) = counter.next(axes) else { return };
            src = src.wrapping_offset(src_step);
            dst = dst.wrapping_offset(dst_step);
        }
    }

    /// Copies one tile: read into a buffer, transposed into another, written.
    ///
    /// # Safety
    /// The first position and all others of the tile lie in the boxes at `src` and `dst`.
    #[inline(always)]
    unsafe fn copy<const UNIT: usize, const N: usize, const SWAP: bool>(&mut self, src: *const u8, dst: *mut u8) {
        let pitch = side(UNIT) * UNIT;
        // Single bytes come in lines too short to be read again for every square; partial squares would read beyond the box.
        let direct = UNIT > 1 && self.whole_columns && self.rows.count.is_multiple_of(N) && self.columns.count.is_multiple_of(N);
        if !direct {
            // SAFETY: the caller's promise.
            unsafe { self.read::<UNIT, N>(src, pitch) };
        }
        let read = self.read.0.as_ptr().cast::<u8>();
        let turned = self.turned.0.as_mut_ptr().cast::<u8>();
        let squares = self.rows.count.div_ceil(N);
        for (row, offsets) in self.rows.src_offsets.as_chunks::<N>().0.iter().take(squares).enumerate() {
            for column in 0..self.columns.count.div_ceil(N) {
                let at = column * VECTOR_LEN;
                let rows = if direct {
                    offsets.map(|offset| src.wrapping_offset(offset).wrapping_add(at))
                } else {
                    std::array::from_fn(|number| read.wrapping_add((row * N + number) * pitch + at))
                };
                let to = turned.wrapping_add(column * N * pitch + row * VECTOR_LEN);
                // SAFETY: the rows are 16 bytes of the source, of which none is beyond the box, or of the buffer, where `read` has
                // written them; the square lies in the other buffer, which has room for a full tile.
                unsafe { transpose::<Native, UNIT, N, SWAP>(rows, to, pitch) };
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.write::<UNIT>(dst, pitch) };
    }

    /// Reads the tile into the first buffer: one line of it for each position along the rows. What is missing to whole squares
    /// becomes 0.
    ///
    /// # Safety
    /// As [`Tile::copy`].
    #[inline(always)]
    unsafe fn read<const UNIT: usize, const N: usize>(&mut self, src: *const u8, pitch: usize) {
        let buffer = self.read.0.as_mut_ptr().cast::<u8>();
        let len = self.columns.count * UNIT;
        let whole_len = len.next_multiple_of(VECTOR_LEN);
        for (line, offset) in self.rows.src_offsets.iter().take(self.rows.count).enumerate() {
            let (from, to) = (src.wrapping_offset(*offset), buffer.wrapping_add(line * pitch));
            if len < whole_len {
                // SAFETY: the last vector of the line lies in the buffer.
                unsafe { to.wrapping_add(whole_len - VECTOR_LEN).write_bytes(0, VECTOR_LEN) };
            }
            if self.whole_columns {
                // SAFETY: the numbers lie one behind the other in the source, and the line has room for them.
                unsafe { copy_piece(from, to, len) };
            } else {
                for (column, offset) in self.columns.src_offsets.iter().take(self.columns.count).enumerate() {
                    // SAFETY: one number of the source, and its place in the line.
                    unsafe { copy_number::<UNIT>(from.wrapping_offset(*offset), to.wrapping_add(column * UNIT)) };
                }
            }
        }
        for line in self.rows.count..self.rows.count.next_multiple_of(N) {
            // SAFETY: a full tile has as many lines as whole squares.
            unsafe { buffer.wrapping_add(line * pitch).write_bytes(0, whole_len) };
        }
    }

    /// Writes the second buffer: one line of it for each position along the columns.
    ///
    /// # Safety
    /// As [`Tile::copy`].
    #[inline(always)]
    unsafe fn write<const UNIT: usize>(&self, dst: *mut u8, pitch: usize) {
        let buffer = self.turned.0.as_ptr().cast::<u8>();
        for (line, offset) in self.columns.dst_offsets.iter().take(self.columns.count).enumerate() {
            let (from, to) = (buffer.wrapping_add(line * pitch), dst.wrapping_offset(*offset));
            if self.whole_rows {
                // SAFETY: the squares cover the line, and the numbers lie one behind the other in the destination.
                unsafe { copy_piece(from, to, self.rows.count * UNIT) };
            } else {
                for (row, offset) in self.rows.dst_offsets.iter().take(self.rows.count).enumerate() {
                    // SAFETY: one number of the line, and its place in the destination.
                    unsafe { copy_number::<UNIT>(from.wrapping_add(row * UNIT), to.wrapping_offset(*offset)) };
                }
            }
        }
    }
}

/// Copies a few bytes without a call: as many as lines of a tile have.
///
/// # Safety
/// `from` is valid for reads, `to` for writes of `len` bytes; they do not overlap.
#[inline(always)]
unsafe fn copy_piece(mut from: *const u8, mut to: *mut u8, mut len: usize) {
    while len >= 64 {
        // SAFETY: the caller's promise.
        unsafe { copy_number::<64>(from, to) };
        from = from.wrapping_add(64);
        to = to.wrapping_add(64);
        len -= 64;
    }
    match len {
        0 => {}
        // SAFETY: the caller's promise.
        1 => unsafe { copy_number::<1>(from, to) },
        // SAFETY: the caller's promise.
        2..4 => unsafe { copy_ends::<2>(from, to, len) },
        // SAFETY: the caller's promise.
        4..8 => unsafe { copy_ends::<4>(from, to, len) },
        // SAFETY: the caller's promise.
        8..16 => unsafe { copy_ends::<8>(from, to, len) },
        // SAFETY: the caller's promise.
        16..32 => unsafe { copy_ends::<16>(from, to, len) },
        // SAFETY: the caller's promise.
        _ => unsafe { copy_ends::<32>(from, to, len) },
    }
}

/// Copies the first and the last `SIZE` of `len` bytes, which may overlap and are all there is.
///
/// # Safety
/// As [`copy_piece`], with `SIZE <= len`.
#[inline(always)]
unsafe fn copy_ends<const SIZE: usize>(from: *const u8, to: *mut u8, len: usize) {
    let last = len - SIZE;
    // SAFETY: the caller's promise.
    unsafe { copy_number::<SIZE>(from, to) };
    // SAFETY: the caller's promise.
    unsafe { copy_number::<SIZE>(from.wrapping_add(last), to.wrapping_add(last)) };
}

/// # Safety
/// `from` is valid for reads, `to` for writes of `SIZE` bytes.
#[inline(always)]
unsafe fn copy_number<const SIZE: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise; an array of bytes needs no alignment.
    let number = unsafe { from.cast::<[u8; SIZE]>().read() };
    // SAFETY: as above.
    unsafe { to.cast::<[u8; SIZE]>().write(number) };
}
