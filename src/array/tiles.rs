//! A box cut by a grid: which tiles there are, and a destination that hands each of its tiles to whoever asks first.
//!
//! So any number of threads fill one image block by block, and no two of them ever hold the same element.

use std::sync::atomic::{AtomicU64, Ordering};

use super::strides::shape_text;
use super::view::{Destination, try_extents};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Extents;

/// A box of an array that a regular grid cuts into tiles, numbered with the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    axes: Vec<Axis>,
    count: u64,
}

/// One axis: the box reaches from `from` to `to`, and the grid cuts at every multiple of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    from: u64,
    to: u64,
    step: u64,
    /// The position in the grid of the first tile.
    first: u64,
    count: u64,
}

/// The part of a box that lies in one cell of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The cell's position in the grid.
    pub position: Extents,
    /// Where the tile begins in the box.
    pub start: Extents,
    /// Where the tile begins in the cell.
    pub within: Extents,
    /// The tile's extents.
    pub extents: Extents,
}

impl Cuts {
    /// The box from `offset` with `extents`, in a grid of cells of `step`.
    ///
    /// # Errors
    /// `InvalidArgument` if the ranks differ or a step is 0; `LimitExceeded` if the box passes 2^64 - 1 or has more tiles than that;
    /// `OutOfMemory`.
    pub fn new(offset: &[u64], extents: &[u64], step: &[u64]) -> Result<Self> {
        if offset.len() != extents.len() || step.len() != extents.len() || step.contains(&0) {
            let message = format!(
                "a box of {} at an offset of {} numbers in a grid of cells with {}; all need one number per dimension, and cells at least one element",
                shape_text(extents),
                offset.len(),
                shape_text(step)
            );
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let mut axes = crate::model::try_vec(extents.len())?;
        let mut count = Some(1_u64);
        for ((&from, &extent), &step) in offset.iter().zip(extents).zip(step) {
            let to = from.checked_add(extent).ok_or_else(|| {
                Error::new(ErrorKind::LimitExceeded, format!("offset {from} and extent {extent} together exceed 2^64 - 1"))
            })?;
            let first = from.checked_div(step).unwrap_or(0);
            // The last element's cell, where there is an element.
            let last = to.saturating_sub(1).checked_div(step).unwrap_or(0);
            let axis_count = if extent == 0 { 0 } else { last.saturating_sub(first).saturating_add(1) };
            axes.push(Axis { from, to, step, first, count: axis_count });
            count = count.and_then(|count| count.checked_mul(axis_count));
        }
        if axes.iter().any(|axis| axis.count == 0) {
            count = Some(0);
        }
        let count = count.ok_or_else(|| {
            let message = format!("a box of {} has more than 2^64 - 1 blocks; ask for a smaller region", shape_text(extents));
            Error::new(ErrorKind::LimitExceeded, message)
        })?;
        Ok(Self { axes, count })
    }

    /// The number of tiles.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of the tile in the cell at `position`; `None` if the box has no such tile.
    #[must_use]
    pub fn number(&self, position: &[u64]) -> Option<u64> {
        if position.len() != self.axes.len() || self.count == 0 {
            return None;
        }
        position.iter().zip(&self.axes).try_fold(0_u64, |number, (&position, axis)| {
            let index = position.checked_sub(axis.first).filter(|&index| index < axis.count)?;
            number.checked_mul(axis.count)?.checked_add(index)
        })
    }

    /// The tile of this number.
    ///
    /// # Errors
    /// `InvalidArgument` from [`Self::count`] on; `OutOfMemory`.
    pub fn tile(&self, number: u64) -> Result<Tile> {
        if number >= self.count {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("tile {number} of {}; tiles count from 0", self.count)));
        }
        let mut zeros = Extents::new();
        zeros.try_reserve_exact(self.axes.len()).map_err(|_| Error::out_of_memory())?;
        zeros.resize(self.axes.len(), 0);
        let mut tile = Tile { position: try_extents(&zeros)?, start: try_extents(&zeros)?, within: try_extents(&zeros)?, extents: zeros };
        let mut rest = number;
        let slots = tile.position.iter_mut().zip(&mut tile.start).zip(&mut tile.within).zip(&mut tile.extents);
        for (axis, (((position, start), within), extent)) in self.axes.iter().zip(slots).rev() {
            let index = rest.checked_rem(axis.count).unwrap_or(0);
            rest = rest.checked_div(axis.count).unwrap_or(0);
            // No further than the cell of the last element, so only the cell's end may lie beyond 2^64 - 1.
            *position = axis.first.saturating_add(index);
            let cell = position.saturating_mul(axis.step);
            let from = cell.max(axis.from);
            let to = cell.saturating_add(axis.step).min(axis.to);
            *start = from.saturating_sub(axis.from);
            *within = from.saturating_sub(cell);
            *extent = to.saturating_sub(from);
        }
        Ok(tile)
    }
}

/// A destination in tiles, each of which is handed out once.
pub struct Tiles<'a> {
    destination: Destination<'a>,
    cuts: Cuts,
    next: AtomicU64,
}

// SAFETY: a shared `Tiles` gives away boxes that share no element, each of them once, and a box may go to any thread.
unsafe impl Sync for Tiles<'_> {}

impl<'a> Tiles<'a> {
    /// Cuts `destination`, which lies at `offset` in a grid of cells of `step`.
    ///
    /// # Errors
    /// Those of [`Cuts::new`].
    pub fn new(destination: Destination<'a>, offset: &[u64], step: &[u64]) -> Result<Self> {
        let cuts = Cuts::new(offset, destination.extents(), step)?;
        Ok(Self { destination, cuts, next: AtomicU64::new(0) })
    }

    /// The number of tiles.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.cuts.count()
    }

    /// The next tile that nobody has, its number, and the memory it stands for. `None` behind the last one.
    ///
    /// Numbers ascend. After `OutOfMemory` the tile is lost.
    pub fn next(&self) -> Option<(u64, Result<(Tile, Destination<'a>)>)> {
        let more = |number: u64| (number < self.count()).then(|| number.saturating_add(1));
        let number = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        let tile = self.cuts.tile(number).and_then(|tile| {
            // SAFETY: this is the only call that got `number`, tiles of different numbers share no element, and of the destination
            // itself nothing but its tiles is ever used.
            let destination = unsafe { self.destination.alias(&tile.start, &tile.extents) }?;
            Ok((tile, destination))
        });
        Some((number, tile))
    }

    /// Hands out no tile before that of the cell at `position`; `false`, and nothing changes, if
    /// there is none.
    pub fn skip_to(&self, position: &[u64]) -> bool {
        let number = self.cuts.number(position);
        number.is_some_and(|number| self.next.fetch_max(number, Ordering::Relaxed) <= number)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::model::Order;

    #[test]
    fn tiles_are_numbered_as_their_positions_ascend() {
        let cuts = Cuts::new(&[2, 7], &[5, 4], &[3, 4]).unwrap();
        for number in 0..cuts.count() {
            assert_eq!(cuts.number(&cuts.tile(number).unwrap().position), Some(number));
        }
        for outside in [&[0, 0][..], &[3, 1], &[0, 3], &[0], &[0, 1, 0]] {
            assert_eq!(cuts.number(outside), None, "{outside:?}");
        }
        assert_eq!(Cuts::new(&[0], &[0], &[1]).unwrap().number(&[0]), None);
        assert_eq!(Cuts::new(&[], &[], &[]).unwrap().number(&[]), Some(0));
        assert_eq!(Cuts::new(&[0], &[u64::MAX], &[1]).unwrap().number(&[u64::MAX - 1]), Some(u64::MAX - 1));
    }

    #[test]
    fn tiles_that_are_skipped_are_not_handed_out() {
        let mut image = [0_u8; 20];
        let destination = Destination::over(&mut image, &[20], 1, Order::C).unwrap();
        let tiles = Tiles::new(destination, &[100], &[2]).unwrap();
        let next = || tiles.next().map(|(_, tile)| tile.unwrap().0.position[0]);
        assert!(tiles.skip_to(&[53]));
        assert_eq!(next(), Some(53));
        assert!(!tiles.skip_to(&[52]) && !tiles.skip_to(&[60]) && !tiles.skip_to(&[49]));
        assert_eq!(next(), Some(54));
        assert!(tiles.skip_to(&[59]));
        assert_eq!((next(), next()), (Some(59), None));
    }

    #[test]
    fn tiles_cover_the_box_in_order() {
        let cuts = Cuts::new(&[2, 7], &[5, 4], &[3, 4]).unwrap();
        assert_eq!(cuts.count(), 6);
        let tiles: Vec<Tile> = (0..6).map(|number| cuts.tile(number).unwrap()).collect();
        let of = |numbers: [u64; 2]| Extents::from_slice(&numbers);
        assert_eq!(tiles[0], Tile { position: of([0, 1]), start: of([0, 0]), within: of([2, 3]), extents: of([1, 1]) });
        assert_eq!(tiles[1], Tile { position: of([0, 2]), start: of([0, 1]), within: of([2, 0]), extents: of([1, 3]) });
        assert_eq!(tiles[3], Tile { position: of([1, 2]), start: of([1, 1]), within: of([0, 0]), extents: of([3, 3]) });
        assert_eq!(tiles[5], Tile { position: of([2, 2]), start: of([4, 1]), within: of([0, 0]), extents: of([1, 3]) });
        assert_eq!(cuts.tile(6).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }

    #[test]
    fn the_end_of_the_number_range_is_reached_without_wrapping() {
        let cuts = Cuts::new(&[u64::MAX - 5], &[5], &[u64::MAX / 2]).unwrap();
        assert_eq!(cuts.count(), 2);
        assert_eq!(cuts.tile(0).unwrap().extents[..], [4]);
        let last = cuts.tile(1).unwrap();
        assert_eq!((last.position[0], last.within[0], last.extents[0]), (2, 0, 1));
        assert_eq!(Cuts::new(&[u64::MAX], &[1], &[1]).unwrap_err().kind(), ErrorKind::LimitExceeded);
        assert_eq!(Cuts::new(&[0, 0], &[u64::MAX, 2], &[1, 1]).unwrap_err().kind(), ErrorKind::LimitExceeded);
        assert_eq!(Cuts::new(&[0, 0, 9], &[u64::MAX, 2, 0], &[1, 1, 1]).unwrap().count(), 0);
        assert_eq!(Cuts::new(&[], &[], &[]).unwrap().count(), 1);
        for (offset, extents, step) in [(&[0][..], &[1][..], &[0][..]), (&[0, 0], &[1], &[1]), (&[0], &[1], &[1, 1])] {
            assert_eq!(Cuts::new(offset, extents, step).unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn threads_fill_each_element_once() {
        let extents = [23_u64, 17];
        let mut image = vec![MaybeUninit::new(0_u8); 23 * 17];
        let tiles = Tiles::new(Destination::contiguous(&mut image, &extents, 1, Order::C).unwrap(), &[5, 1], &[4, 6]).unwrap();
        let filled = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some((number, tile)) = tiles.next() {
                        let (tile, mut destination) = tile.unwrap();
                        filled.fetch_add(tile.extents.iter().product(), Ordering::Relaxed);
                        crate::array::fill(&mut destination, &[number as u8 + 1]).unwrap();
                    }
                });
            }
        });
        assert_eq!(filled.into_inner(), 23 * 17);
        let count = tiles.count();
        let cuts = Cuts::new(&[5, 1], &extents, &[4, 6]).unwrap();
        let mut expected = vec![0; 23 * 17];
        for number in 0..count {
            let tile = cuts.tile(number).unwrap();
            for x in 0..tile.extents[0] {
                for y in 0..tile.extents[1] {
                    expected[((tile.start[0] + x) * 17 + tile.start[1] + y) as usize] = number as u8 + 1;
                }
            }
        }
        // SAFETY: the image was initialised when it was made.
        let image: Vec<u8> = image.iter().map(|byte| unsafe { byte.assume_init() }).collect();
        assert_eq!(image, expected);
    }
}
