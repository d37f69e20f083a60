//! Boxes whose fastest axis differs on both sides: transposition by tiles.
//!
//! A *row* runs along the destination's fastest axes, a *column* along the source's. Each may consist of several axes, so that a thin
//! axis next to the fastest one does not make thin tiles; tables hold where the positions lie on the side on which they are apart.

#![allow(clippy::arithmetic_side_effects, reason = "offsets inside objects, which isize::MAX bounds, and counts inside boxes")]

use std::mem::MaybeUninit;

use smallvec::SmallVec;

use super::lanes::{Columns, PIECE_LEN};
use super::swap::copy_runs;
use super::transpose::{Gather, Layers, Line, Loops, Scatter, loops};
use super::{Axes, Axis, Counter, VECTOR_LEN, box_len};

/// Bytes of the buffer between reading and writing: a level-1 cache. Layers fill what one tile leaves.
const BUFFER_LEN: usize = 32 << 10;
/// Bytes of the buffer, and of each of those for rows and columns, where these have gaps.
const LOOSE_LEN: usize = 16 << 10;
/// Bytes of all buffers on the stack.
const ROOM_LEN: usize = 3 * LOOSE_LEN;
/// The same for small boxes without gaps, which have no use for more and no time to touch more pages: the longest row, times a vector.
const SMALL_LEN: usize = 8 << 10;
/// Bytes of a box up to which it stays in the level-1 cache, so that tiles need not be as wide as a cache line.
const NEAR_LEN: usize = 16 << 10;
/// The most positions on one side of a tile.
const MOST: usize = 256;
/// The most bytes on one side of a tile: a few cache lines of one page.
const SIDE_LEN: usize = 256;
/// Bytes below which a row or column takes a further axis: a cache line.
const LINE_LEN: usize = 64;

/// A buffer, aligned to cache lines.
#[repr(align(64))]
struct Buffer<const LEN: usize>(MaybeUninit<[u8; LEN]>);

impl<const LEN: usize> Buffer<LEN> {
    const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Several axes walked as one, first fastest.
struct Chain {
    axes: SmallVec<[Axis; 8]>,
    count: usize,
    /// Whether the positions follow each other without gap on the chain's own side.
    contiguous: bool,
}

impl Chain {
    fn new(contiguous: bool) -> Self {
        Self { axes: SmallVec::new(), count: 1, contiguous }
    }

    fn push(&mut self, axis: Axis) {
        self.count *= axis.count;
        self.axes.push(axis);
    }

    /// How many positions a tile of at most `most` takes, best a multiple of `lane`.
    fn step(&self, most: usize, lane: usize) -> usize {
        let even = self.count.div_ceil(self.count.div_ceil(most)).next_multiple_of(lane).min(most);
        // Cuts between the runs of a chain with gaps leave runs of one length.
        let run = self.axes.first().map_or(1, |axis| axis.count);
        if self.contiguous || run > even { even.min(self.count) } else { (even - even % run).min(self.count) }
    }
}

/// On which side of the copy a chain has no gaps, if it has none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Source,
    Destination,
}

/// Runs of neighbours on a chain's own side, which follow each other at equal distances.
#[derive(Clone, Copy)]
struct Runs {
    /// The position with which the first one begins, and where that is.
    first: usize,
    at: isize,
    /// Positions of each run.
    len: usize,
    count: usize,
    step: isize,
}

/// Bytes from the first of some positions to each.
type Offsets = SmallVec<[isize; MOST]>;

/// One side of a tile: `count` positions of a chain from the one at `(src, dst)` on.
struct Side<'a> {
    own: Own,
    count: usize,
    src: isize,
    dst: isize,
    /// Where the positions lie on the other side.
    others: &'a mut Offsets,
    /// What lies together on the own side.
    runs: SmallVec<[Runs; 4]>,
}

impl<'a> Side<'a> {
    fn new(own: Own, others: &'a mut Offsets) -> Self {
        Self { own, count: 0, src: 0, dst: 0, others, runs: SmallVec::new() }
    }

    /// Takes the `count` positions of `chain` from `start` on. False if only the first position has changed.
    fn take(&mut self, chain: &Chain, start: usize, count: usize, unit: usize) -> bool {
        let (mut src, mut dst) = (0, 0);
        let mut at: SmallVec<[usize; 8]> = SmallVec::new();
        let mut rest = start;
        for axis in &chain.axes {
            let position = rest % axis.count;
            rest /= axis.count;
            src += axis.src * position.cast_signed();
            dst += axis.dst * position.cast_signed();
            at.push(position);
        }
        (self.src, self.dst) = (src, dst);
        if self.count == count && chain.axes.len() == 1 {
            return false;
        }
        self.count = count;
        self.others.clear();
        self.runs.clear();
        let Some(axis) = chain.axes.first() else { return true };
        let (own_step, other_step) = self.own_first(axis.src, axis.dst);
        let mut done = 0;
        while done < count {
            // What is left of the fastest axis, before the others step on.
            let here = at.first().copied().unwrap_or(0);
            let len = (axis.count - here).min(count - done);
            let (own, other) = self.own_first(src - self.src, dst - self.dst);
            self.others.extend((0..len.cast_signed()).map(|position| other + position * other_step));
            if chain.contiguous || own_step == unit.cast_signed() {
                self.push_run(Runs { first: done, at: own, len, count: 1, step: 0 }, chain.contiguous);
            } else {
                self.push_run(Runs { first: done, at: own, len: 1, count: len, step: own_step }, false);
            }
            done += len;
            src -= axis.src * here.cast_signed();
            dst -= axis.dst * here.cast_signed();
            at.iter_mut().take(1).for_each(|at| *at = 0);
            for (axis, at) in chain.axes.iter().zip(&mut at).skip(1) {
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
        true
    }

    /// What belongs to the own side first.
    fn own_first(&self, src: isize, dst: isize) -> (isize, isize) {
        if self.own == Own::Source { (src, dst) } else { (dst, src) }
    }

    /// Adds runs, to those before them where they continue them.
    fn push_run(&mut self, runs: Runs, contiguous: bool) {
        let Some(last) = self.runs.last_mut() else { return self.runs.push(runs) };
        if contiguous {
            last.len += runs.len;
        } else if last.len == runs.len && runs.count == 1 && last.count == 1 {
            (last.count, last.step) = (2, runs.at - last.at);
        } else if last.len == runs.len && runs.count == 1 && runs.at == last.at + last.step * last.count.cast_signed() {
            last.count += 1;
        } else {
            self.runs.push(runs);
        }
    }

    /// Copies all runs between their places on the own side and a line without gaps: to it, or from it if `out`.
    ///
    /// # Safety
    /// The runs are valid for reads at `from` and for writes at `to`, which do not overlap.
    #[inline]
    unsafe fn copy_runs(&self, from: *const u8, to: *mut u8, unit: usize, out: bool) {
        for runs in &self.runs {
            let len = runs.len * unit;
            let (at_line, line_step) = ((runs.first * unit).cast_signed(), len.cast_signed());
            let (src, dst) = if out { (at_line, runs.at) } else { (runs.at, at_line) };
            let (src_step, dst_step) = if out { (line_step, runs.step) } else { (runs.step, line_step) };
            let inner = Axis { count: runs.count, src: src_step, dst: dst_step };
            // SAFETY: the caller's promise.
            unsafe { copy_runs(from.wrapping_offset(src), to.wrapping_offset(dst), len, inner) };
        }
    }
}

/// A box split into rows, columns and the axes that are in neither.
struct Plan {
    src: *const u8,
    dst: *mut u8,
    rows: Chain,
    columns: Chain,
}

impl Plan {
    /// Splits the box at `src` and `dst`, where the first of `axes` is the destination's fastest, and the one at `fastest_src`, not
    /// the first, the source's. What is in neither rows nor columns stays in `axes`, smallest steps first.
    fn new(src: *const u8, dst: *mut u8, axes: &mut Axes, fastest_src: usize, unit: usize) -> Self {
        let near = box_len(axes, unit) <= NEAR_LEN;
        let column = axes.remove(fastest_src);
        let row = axes.remove(0);
        let size = unit.cast_signed();
        let mut plan = Self { src, dst, rows: Chain::new(row.dst == size), columns: Chain::new(column.src.abs() == size) };
        plan.rows.push(row);
        plan.push_column(column);
        plan.fuse(axes, unit, if near { VECTOR_LEN } else { LINE_LEN });
        axes.sort_unstable_by_key(|axis| axis.dst.unsigned_abs().max(axis.src.unsigned_abs()));
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

    /// Lengthens rows and columns of less than `wanted_len` bytes by further axes.
    fn fuse(&mut self, others: &mut Axes, unit: usize, wanted_len: usize) {
        let size = unit.cast_signed();
        let wanted = wanted_len / unit;
        // The shorter one takes the axis that continues it without a gap.
        loop {
            let (rows, columns) = (&self.rows, &self.columns);
            let next_row = (rows.contiguous && rows.count < wanted)
                .then(|| others.iter().position(|axis| axis.dst == size * rows.count.cast_signed()))
                .flatten();
            let next_column = (columns.contiguous && columns.count < wanted)
                .then(|| others.iter().position(|axis| axis.src.abs() == size * columns.count.cast_signed()))
                .flatten();
            match (next_row, next_column) {
                (Some(at), None) => self.rows.push(others.remove(at)),
                (Some(at), Some(_)) if rows.count <= columns.count => self.rows.push(others.remove(at)),
                (_, Some(at)) => {
                    let axis = others.remove(at);
                    self.push_column(axis);
                }
                (None, None) => break,
            }
        }
        // Less than a vector without a gap is not worth a row or column: run by run, but many at a time.
        let thin = VECTOR_LEN / unit;
        while self.rows.count < thin && !others.is_empty() {
            self.rows.contiguous = false;
            self.rows.push(others.remove(0));
        }
        while self.columns.count < thin {
            let steps = others.iter().enumerate().filter(|(_, axis)| axis.src != 0);
            let Some((at, _)) = steps.min_by_key(|(_, axis)| axis.src.unsigned_abs()) else { return };
            let axis = others.remove(at);
            self.columns.contiguous = false;
            self.push_column(axis);
        }
    }
}

/// Copies a box of numbers of `unit` bytes, where the first of `axes` is the destination's fastest, and the one at `fastest_src`, not
/// the first, the source's.
///
/// # Safety
/// As [`super::copy`].
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, axes: &mut Axes, fastest_src: usize, unit: usize, swap: bool) {
    let plan = Plan::new(src, dst, axes, fastest_src, unit);
    let tight = |chain: &Chain| chain.contiguous && chain.count * unit >= VECTOR_LEN;
    let small = tight(&plan.rows) && tight(&plan.columns) && plan.rows.count * plan.columns.count * box_len(axes, unit) <= NEAR_LEN;
    let copy = if small { copy_in::<SMALL_LEN> } else { copy_in::<ROOM_LEN> };
    // SAFETY: the caller's promise.
    unsafe { copy(&plan, axes, unit, swap) };
}

/// Copies with so many bytes of buffers.
///
/// # Safety
/// As [`copy`]; where `LEN` is less than [`ROOM_LEN`], neither rows nor columns have gaps.
#[inline(never)]
unsafe fn copy_in<const LEN: usize>(plan: &Plan, axes: &[Axis], unit: usize, swap: bool) {
    let mut room = Buffer::<LEN>::new();
    // SAFETY: the caller's promise.
    unsafe { copy_by_tiles(plan, axes, unit, swap, room.start(), LEN) };
}

/// Copies with `room_len` bytes of buffers at `room`.
///
/// # Safety
/// As [`copy_in`].
#[inline(never)]
unsafe fn copy_by_tiles(plan: &Plan, axes: &[Axis], unit: usize, swap: bool, room: *mut u8, room_len: usize) {
    let side_len = plan.rows.count.min(plan.columns.count) * unit;
    let loops = loops(unit, swap, side_len >= 2 * VECTOR_LEN);
    let lane = loops.vector_len / unit;
    let tight_rows = plan.rows.contiguous && plan.rows.count >= lane;
    let tight_columns = plan.columns.contiguous && plan.columns.count >= lane;
    let tight = tight_rows && tight_columns;
    let buffer_len = if tight { BUFFER_LEN.min(room_len) } else { LOOSE_LEN };
    let most = buffer_len / unit;
    let row_step = plan.rows.step(SIDE_LEN / unit, lane);
    let row_room = row_step.next_multiple_of(lane);
    let column_most = most / row_room;
    let column_step = plan.columns.step((column_most - column_most % lane).min(SIDE_LEN / unit), lane);
    let column_room = column_step.next_multiple_of(lane);
    let layers = if tight { (most / (row_room * column_room)).max(1) } else { 1 };
    // Each a variable of its own, and so never moved.
    let (mut row_offsets, mut column_offsets, mut row_table) = (Offsets::new(), Offsets::new(), Offsets::new());
    let mut lines = SmallVec::new();
    let mut tile = Tile {
        unit,
        loops,
        rows: Side::new(Own::Destination, &mut row_offsets),
        columns: Side::new(Own::Source, &mut column_offsets),
        tight_rows,
        tight_columns,
        row_table: &mut row_table,
        row_vectors: SmallVec::new(),
        column_vectors: SmallVec::new(),
        lines: &mut lines,
        done: 0,
        pitch: 0,
        pieces: room,
        pieces_len: buffer_len,
        read_pitch: column_room * unit,
        turned_pitch: row_room * unit,
        read: room.wrapping_add(LOOSE_LEN),
        turned: room.wrapping_add(2 * LOOSE_LEN),
    };
    let (layer, others) = axes.split_first().map_or((Axis::ONE, &[][..]), |(axis, rest)| (*axis, rest));
    // Tables of fused axes cost more than those of single ones: then they serve for all other positions before they change.
    let fused = plan.rows.axes.len() > 1 || plan.columns.axes.len() > 1;
    let (once, inner): (&[Axis], &[Axis]) = if fused { (&[], others) } else { (others, &[]) };
    let mut outer = Counter::new(once);
    let (mut src, mut dst) = (plan.src, plan.dst);
    loop {
        // SAFETY: at every position of `once` there is a part of the box.
        unsafe { tile.copy_plane(src, dst, plan, (row_step, column_step), (layer, layers), inner) };
        let Some((src_step, dst_step)) = outer.next(once) else { return };
        src = src.wrapping_offset(src_step);
        dst = dst.wrapping_offset(dst_step);
    }
}

/// The pieces of `step` positions of which a chain of `count` consists: where each starts, how many it has, and how many of them are
/// done already. Where it can, the last one has a whole vector of `lane` and does some again rather than one by one.
fn pieces(count: usize, step: usize, lane: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..count).step_by(step).map(move |begin| {
        let start = begin.min(count.saturating_sub(lane));
        (start, (begin + step).min(count) - start, begin - start)
    })
}

/// The vectors of a side of `count` positions: where each starts. The last one overlaps the one before rather than pass the end.
fn vectors(count: usize, lane: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(lane).map(move |first| first.min(count.saturating_sub(lane)))
}

/// Where the positions of a tile lie, and its buffers.
struct Tile<'a> {
    unit: usize,
    loops: Loops,
    rows: Side<'a>,
    columns: Side<'a>,
    /// Whether rows are written, and columns read, by whole vectors.
    tight_rows: bool,
    tight_columns: bool,
    /// Where the rows are read, for each of a vector.
    row_table: &'a mut Offsets,
    row_vectors: SmallVec<[isize; VECTOR_LEN]>,
    column_vectors: SmallVec<[isize; VECTOR_LEN]>,
    lines: &'a mut SmallVec<[Line; MOST]>,
    /// Columns done already, for which no lines are.
    done: usize,
    /// The bytes of a piece's rows in the buffer.
    pitch: usize,
    pieces: *mut u8,
    pieces_len: usize,
    /// The bytes of a line in each of the buffers for what has gaps.
    read_pitch: usize,
    turned_pitch: usize,
    read: *mut u8,
    turned: *mut u8,
}

impl Tile<'_> {
    /// Copies the part of the box that rows, columns, a layer axis and `inner` have at `src` and `dst`.
    ///
    /// # Safety
    /// It is part of the box.
    unsafe fn copy_plane(
        &mut self,
        src: *const u8,
        dst: *mut u8,
        plan: &Plan,
        (row_step, column_step): (usize, usize),
        (layer, layers): (Axis, usize),
        inner: &[Axis],
    ) {
        let lane = self.loops.vector_len / self.unit;
        for (layer_src, layer_dst, layer) in layer.parts(layers) {
            let (src, dst) = (src.wrapping_offset(layer_src), dst.wrapping_offset(layer_dst));
            for (start, count, _) in pieces(plan.rows.count, row_step, lane) {
                if self.rows.take(&plan.rows, start, count, self.unit) {
                    self.prepare_rows(lane);
                }
                for (start, count, done) in pieces(plan.columns.count, column_step, lane) {
                    if self.columns.take(&plan.columns, start, count, self.unit) || done != self.done {
                        self.prepare_columns(lane, done);
                    }
                    let mut from = src.wrapping_offset(self.rows.src).wrapping_offset(self.columns.src);
                    let mut to = dst.wrapping_offset(self.rows.dst).wrapping_offset(self.columns.dst);
                    let mut counter = Counter::new(inner);
                    loop {
                        // SAFETY: the layers of the tile at each position of `inner` are part of the box.
                        unsafe { self.copy(from, to, layer) };
                        let Some((src_step, dst_step)) = counter.next(inner) else { break };
                        from = from.wrapping_offset(src_step);
                        to = to.wrapping_offset(dst_step);
                    }
                }
            }
        }
    }

    /// Fills the tables of the rows. What is missing to a whole vector repeats the last row.
    fn prepare_rows(&mut self, lane: usize) {
        self.row_table.clear();
        self.row_vectors.clear();
        let last = self.rows.count - 1;
        for first in vectors(self.rows.count, lane) {
            self.row_vectors.push((first * self.unit).cast_signed());
            if !self.tight_columns {
                self.row_table.extend((first..first + lane).map(|row| (row.min(last) * self.read_pitch).cast_signed()));
            } else if let Some(rows) = self.rows.others.get(first..first + lane) {
                self.row_table.extend_from_slice(rows);
            } else {
                let others = &self.rows.others;
                self.row_table.extend((first..first + lane).filter_map(|row| others.get(row.min(last)).copied()));
            }
        }
    }

    /// Fills the tables of the columns, of which the first `done` are written already.
    fn prepare_columns(&mut self, lane: usize, done: usize) {
        self.done = done;
        self.column_vectors.clear();
        self.lines.clear();
        let unit = self.unit;
        let piece = PIECE_LEN / unit;
        let missing = lane.saturating_sub(self.columns.count);
        let mut next = done;
        let mut from = 0;
        for first in vectors(self.columns.count, lane) {
            self.column_vectors.push((first * unit).cast_signed());
            for vector in 0..piece {
                let mut to: Columns = [0; 4];
                let mut column = 0;
                for (place, to) in to.iter_mut().enumerate().take(self.loops.vector_len / PIECE_LEN) {
                    column = first + place / 2 * (VECTOR_LEN / unit) + 2 * vector + place % 2;
                    // What is missing before the first column is written where the last one follows.
                    let at = column.checked_sub(missing).unwrap_or(self.columns.count - 1);
                    let in_buffer = (at * self.turned_pitch).cast_signed();
                    *to = if self.tight_rows { self.columns.others.get(at).copied().unwrap_or(0) } else { in_buffer };
                }
                // The last column of a vector is the highest one.
                if column >= next {
                    self.lines.push(Line { from, to });
                }
                from += self.loops.vector_len;
            }
            next = next.max(first + lane);
        }
        self.pitch = from;
    }

    /// Copies the tile at each layer: read to pieces, and written.
    ///
    /// # Safety
    /// The first position and all others of the tile lie in the boxes at `src` and `dst`.
    unsafe fn copy(&mut self, src: *const u8, dst: *mut u8, layer: Axis) {
        let buffer = self.pieces;
        let buffer_step = self.pitch * self.row_table.len() * self.unit / PIECE_LEN;
        let layers = |step: isize| Layers { count: layer.count, step, buffer_step };
        debug_assert!(buffer_step * layer.count <= self.pieces_len, "the pieces fit in their buffer");
        debug_assert!(self.tight_columns || self.rows.count * self.read_pitch <= LOOSE_LEN, "the rows fit in their buffer");
        debug_assert!(self.tight_rows || self.columns.count * self.turned_pitch <= LOOSE_LEN, "the columns fit in their buffer");
        let from = if self.tight_columns {
            src
        } else {
            // SAFETY: the caller's promise.
            unsafe { self.read(src) }
        };
        let (rows, vectors) = (&self.row_table, &self.column_vectors);
        let job = Gather { from, rows, vectors, layers: layers(layer.src), to: buffer };
        // SAFETY: rows and columns are those of the tile or of the buffer, whose vectors `read` has written.
        unsafe { (self.loops.gather)(&job) };
        let to = if self.tight_rows { dst } else { self.turned };
        let (lines, vectors) = (&self.lines, &self.row_vectors);
        let job = Scatter { from: buffer, pitch: self.pitch, lines, vectors, layers: layers(layer.dst), to };
        // SAFETY: the pieces are those that were just made; the rows of the result are those of the tile or of the buffer.
        unsafe { (self.loops.scatter)(&job) };
        if !self.tight_rows {
            // SAFETY: the caller's promise.
            unsafe { self.write(dst) };
        }
    }

    /// Reads the tile into a buffer, one line for each row, at whose end the columns lie.
    ///
    /// # Safety
    /// As [`Tile::copy`].
    unsafe fn read(&mut self, src: *const u8) -> *const u8 {
        let buffer = self.read;
        let missing = self.loops.vector_len.saturating_sub(self.columns.count * self.unit);
        for (row, offset) in self.rows.others.iter().enumerate() {
            let start = buffer.wrapping_add(row * self.read_pitch);
            if missing > 0 {
                // SAFETY: a line of the buffer has whole vectors.
                unsafe { start.write_bytes(0, missing) };
            }
            let from = src.wrapping_offset(*offset);
            // SAFETY: the runs lie in the source, and the line has room for them.
            unsafe { self.columns.copy_runs(from, start.wrapping_add(missing), self.unit, false) };
        }
        buffer
    }

    /// Writes the tile from a buffer, one line for each column.
    ///
    /// # Safety
    /// As [`Tile::copy`].
    unsafe fn write(&mut self, dst: *mut u8) {
        let buffer = self.turned;
        // Nothing is in the lines of columns that are done.
        for (column, offset) in self.columns.others.iter().enumerate().skip(self.done) {
            let line = buffer.wrapping_add(column * self.turned_pitch);
            // SAFETY: the runs lie in the line and in the destination.
            unsafe { self.rows.copy_runs(line, dst.wrapping_offset(*offset), self.unit, true) };
        }
    }
}
