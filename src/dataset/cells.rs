//! Where arrays have something stored, in cells of any grid; and the first place where they have
//! nothing.
//!
//! Several arrays with other blocks are so gone through together, without a look at what none of
//! them has.

use std::collections::{BTreeMap, btree_map};

use super::stored::following;
use super::{Dataset, Region, grid, workers};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Extents;

/// Cells that are kept at a time; where there are more, what is stored is listed again for the next
/// ones.
const KEPT_CELLS: usize = if cfg!(test) { 3 } else { 1 << 18 };

/// The cells of a grid that stored blocks of a region touch, of one array or of several with the
/// same shape; each once, ascending with the last axis fastest.
///
/// Of a large array not all of them are in memory: what is stored is then listed again for the next
/// ones.
pub struct Cells<'a> {
    datasets: &'a [&'a Dataset],
    region: Region,
    step: Extents,
    window: btree_map::IntoIter<Extents, u64>,
    last: Option<Extents>,
    more: bool,
    total: u64,
}

impl<'a> Cells<'a> {
    /// The cells of `step` elements, the first of which begins at the array's first element.
    ///
    /// `progress` is asked now and then whether to go on.
    ///
    /// # Errors
    /// `InvalidArgument` if the region leaves an array, or a step is 0; those of listing the
    /// stores; `Cancelled`.
    pub fn new(datasets: &'a [&'a Dataset], region: &Region, step: &[u64], go_on: &mut dyn FnMut() -> bool) -> Result<Self> {
        if step.len() != region.offset.len() || step.contains(&0) {
            let message = format!("cells of {step:?} in an array of {} dimensions; cells have at least one element", region.offset.len());
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let mut cells = Self {
            datasets,
            region: region.clone(),
            step: grid::copied(step)?,
            window: BTreeMap::new().into_iter(),
            last: None,
            more: false,
            total: 0,
        };
        cells.total = cells.fill(go_on)?;
        Ok(cells)
    }

    /// The blocks that all cells together are touched by.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The next cell, as far as it lies in the region, and how many blocks touch it.
    ///
    /// # Errors
    /// Those of [`Cells::new`].
    pub fn next(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Option<(Region, u64)>> {
        if self.window.len() == 0 && self.more {
            self.fill(go_on)?;
        }
        let Some((position, touches)) = self.window.next() else { return Ok(None) };
        let mut cell = Region { offset: position, extents: grid::zeros(self.step.len())? };
        let axes = self.step.iter().zip(self.region.offset.iter().zip(&self.region.extents));
        for ((&step, (&offset, &extent)), (at, cell_extent)) in axes.zip(cell.offset.iter_mut().zip(&mut cell.extents)) {
            let begin = at.saturating_mul(step);
            *at = begin.max(offset);
            *cell_extent = begin.saturating_add(step).min(offset.saturating_add(extent)).saturating_sub(*at);
        }
        Ok(Some((cell, touches)))
    }

    /// Takes the first cells behind the last one; how many times any cell behind it is touched.
    fn fill(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<u64> {
        let mut window: BTreeMap<Extents, u64> = BTreeMap::new();
        let mut total = 0_u64;
        self.more = false;
        let mut looked = 0_u64;
        for dataset in self.datasets {
            for position in dataset.stored(&self.region.offset, &self.region.extents)? {
                let (first, last) = self.touched(dataset, &position?)?;
                let mut next = Some(first.clone());
                while let Some(cell) = next.take() {
                    looked = looked.wrapping_add(1);
                    if looked.is_multiple_of(1024) && !go_on() {
                        return Err(workers::cancelled());
                    }
                    next = following(cell.clone(), &first, &last);
                    if self.last.as_ref().is_some_and(|last| cell <= *last) {
                        continue;
                    }
                    total = total.saturating_add(1);
                    let touches = window.entry(cell).or_insert(0);
                    *touches = touches.saturating_add(1);
                    if window.len() > KEPT_CELLS {
                        window.pop_last();
                        self.more = true;
                    }
                }
            }
        }
        self.last = window.last_key_value().map(|(cell, _)| cell.clone());
        self.window = window.into_iter();
        Ok(total)
    }

    /// The first and the last of the cells that a block touches inside the region, along each axis.
    fn touched(&self, dataset: &Dataset, position: &[u64]) -> Result<(Extents, Extents)> {
        let (mut first, mut last) = (grid::zeros(position.len())?, grid::zeros(position.len())?);
        let axes = position.iter().zip(dataset.grid.chunk()).zip(&self.step).zip(self.region.offset.iter().zip(&self.region.extents));
        for ((((&position, &chunk), &step), (&offset, &extent)), (first, last)) in axes.zip(first.iter_mut().zip(&mut last)) {
            let begin = position.saturating_mul(chunk);
            let end = begin.saturating_add(chunk).min(offset.saturating_add(extent));
            *first = begin.max(offset).checked_div(step).unwrap_or(0);
            *last = end.saturating_sub(1).checked_div(step).unwrap_or(0);
        }
        Ok((first, last))
    }
}

/// The first position of a region, the first axis fastest, at which none of the arrays has a block
/// stored; all have the same shape.
///
/// No more blocks are asked for than are stored before it and one, where all arrays have the same
/// blocks, and not many more elsewhere: what lies beside a stored block is passed over as far as
/// that reaches.
///
/// # Errors
/// Those of the stores; `Cancelled` if `go_on` says so.
pub fn first_missing(datasets: &[&Dataset], region: &Region, go_on: &mut dyn FnMut() -> bool) -> Result<Option<Extents>> {
    let mut at = grid::copied(&region.offset)?;
    if region.extents.contains(&0) {
        return Ok(None);
    }
    let ndim = region.extents.len();
    Ok(if stored_along(datasets, region, &mut at, ndim, go_on)?.is_none() { Some(at) } else { None })
}

/// Whether all is stored along the first `count` axes, `at` telling the place along the others:
/// then how far along each axis it is so. `None` if something is missing, and `at` is where.
fn stored_along(
    datasets: &[&Dataset],
    region: &Region,
    at: &mut Extents,
    count: usize,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Extents>> {
    let Some(axis) = count.checked_sub(1) else { return reach(datasets, at, go_on) };
    let place = |extents: &Extents| extents.get(axis).copied().unwrap_or(0);
    let (begin, end) = (place(&region.offset), place(&region.offset).saturating_add(place(&region.extents)));
    let mut next = begin;
    let mut all: Option<Extents> = None;
    while next < end {
        if let Some(at) = at.get_mut(axis) {
            *at = next;
        }
        let Some(ends) = stored_along(datasets, region, at, axis, go_on)? else { return Ok(None) };
        next = place(&ends);
        match &mut all {
            None => all = Some(ends),
            Some(all) => {
                for (all, end) in all.iter_mut().zip(ends) {
                    *all = end.min(*all);
                }
            }
        }
    }
    if let Some(begin_again) = at.get_mut(axis) {
        *begin_again = begin;
    }
    Ok(all)
}

/// Where along each axis the stored block ends that the element belongs to; `None` if none is
/// stored.
fn reach(datasets: &[&Dataset], at: &[u64], go_on: &mut dyn FnMut() -> bool) -> Result<Option<Extents>> {
    if !go_on() {
        return Err(workers::cancelled());
    }
    for dataset in datasets {
        let chunk = dataset.grid.chunk();
        let position: Extents = at.iter().zip(chunk).map(|(at, &chunk)| at.checked_div(chunk).unwrap_or(0)).collect();
        if dataset.is_stored(&position)? {
            let ends = position.iter().zip(chunk).map(|(&position, &chunk)| position.saturating_add(1).saturating_mul(chunk));
            return Ok(Some(ends.collect()));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::stored::tests::{FLAT, NESTED, array};
    use super::*;

    /// The cells that the definition gives: for each stored block those of its elements in the
    /// region.
    fn expected(positions: &[Vec<[u64; 2]>], region: &Region, step: &[u64; 2]) -> BTreeSet<(u64, u64)> {
        let mut cells = BTreeSet::new();
        for [x, y] in positions.iter().flatten() {
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(dx, dy)| (x * 2 + dx, y * 2 + dy)) {
                let inside = |axis: usize, at: u64| (region.offset[axis]..region.offset[axis] + region.extents[axis]).contains(&at);
                if inside(0, x) && inside(1, y) {
                    cells.insert((x / step[0], y / step[1]));
                }
            }
        }
        cells
    }

    #[test]
    fn cells_come_once_each_and_in_order_however_many_are_kept() {
        let a: Vec<[u64; 2]> = (0..30).map(|number: u64| [number * 7 % 40, number * 3 % 40]).collect();
        let b: Vec<[u64; 2]> = (0..9).map(|number: u64| [number * 5 % 40, 39 - number]).collect();
        let slices = |positions: &[[u64; 2]]| positions.iter().map(|position| position.to_vec()).collect::<Vec<_>>();
        let (a_slices, b_slices) = (slices(&a), slices(&b));
        let left = array(&[79, 80], FLAT, &a_slices.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let right = array(&[79, 80], NESTED, &b_slices.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let both = [a, b];
        for (offset, extents) in [([0, 0], [79, 80]), ([3, 5], [40, 61]), ([78, 0], [1, 80]), ([5, 5], [0, 4])] {
            let region = Region::new(&offset, &extents).unwrap();
            for step in [[2, 2], [3, 5], [1, 1], [100, 1], [64, 64]] {
                let datasets = [&left, &right];
                let mut cells = Cells::new(&datasets, &region, &step, &mut || true).unwrap();
                let mut found = Vec::new();
                let mut touches = 0;
                while let Some((cell, weight)) = cells.next(&mut || true).unwrap() {
                    touches += weight;
                    let position = (cell.offset[0] / step[0], cell.offset[1] / step[1]);
                    for axis in 0..2 {
                        let begin = [position.0, position.1][axis] * step[axis];
                        assert_eq!(cell.offset[axis], begin.max(offset[axis]));
                        assert_eq!(cell.offset[axis] + cell.extents[axis], (begin + step[axis]).min(offset[axis] + extents[axis]));
                    }
                    found.push(position);
                }
                assert_eq!(found, expected(&both, &region, &step).into_iter().collect::<Vec<_>>(), "{offset:?} {extents:?} {step:?}");
                assert_eq!(touches, cells.total());
            }
        }
        let region = Region::new(&[0, 0], &[79, 80]).unwrap();
        assert_eq!(Cells::new(&[&left], &region, &[0, 1], &mut || true).err().unwrap().kind(), ErrorKind::InvalidArgument);
        assert_eq!(Cells::new(&[&left], &region, &[1], &mut || true).err().unwrap().kind(), ErrorKind::InvalidArgument);
    }

    #[test]
    fn a_search_for_cells_can_be_cancelled() {
        let dataset = array(&[1 << 40], NESTED, &[&[0]]);
        let coarse = Dataset::create(
            std::sync::Arc::new(crate::store::Memory::new()),
            "",
            br#"{"dimensions":[1048576],"blockSize":[1048576],"dataType":"uint8","compression":{"type":"raw"}}"#,
            crate::model::CodecOptions::default(),
        )
        .unwrap();
        coarse.store.set("0", &[0, 0, 0, 1, 0, 0, 0, 1, 5]).unwrap();
        let region = Region::new(&[0], &[1 << 20]).unwrap();
        let mut asked = 0;
        let mut go_on = || {
            asked += 1;
            asked < 3
        };
        assert_eq!(Cells::new(&[&coarse], &region, &[1], &mut go_on).err().unwrap().kind(), ErrorKind::Cancelled);
        assert_eq!(first_missing(&[&dataset], &region, &mut || false).unwrap_err().kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn the_first_missing_position_is_the_first_with_the_first_axis_fastest() {
        let region = |offset: [u64; 2], extents: [u64; 2]| Region::new(&offset, &extents).unwrap();
        let find = |datasets: &[&Dataset], region: &Region| {
            let mut steps = 0;
            let mut count = || {
                steps += 1;
                true
            };
            (first_missing(datasets, region, &mut count).unwrap().map(|at| at.to_vec()), steps)
        };
        // The first row of blocks is whole, of the second the third is missing.
        let blocks: [&[u64]; 7] = [&[0, 0], &[1, 0], &[2, 0], &[3, 0], &[0, 1], &[1, 1], &[3, 1]];
        let dataset = array(&[8, 8], NESTED, &blocks);
        assert_eq!(find(&[&dataset], &region([0, 0], [8, 8])), (Some(vec![4, 2]), 7));
        assert_eq!(find(&[&dataset], &region([1, 1], [6, 1])), (None, 4));
        assert_eq!(find(&[&dataset], &region([1, 1], [6, 7])), (Some(vec![4, 2]), 7));
        assert_eq!(find(&[&dataset], &region([5, 3], [2, 5])), (Some(vec![5, 3]), 1));
        assert_eq!(find(&[&dataset], &region([6, 0], [2, 4])), (None, 2));
        assert_eq!(find(&[&dataset], &region([0, 0], [0, 4])), (None, 0));
        // What one lacks the other has.
        let other = array(&[8, 8], FLAT, &[&[2, 1], &[0, 2]]);
        assert_eq!(find(&[&dataset, &other], &region([0, 0], [8, 8])).0, Some(vec![2, 4]));
        assert_eq!(find(&[&other], &region([0, 0], [8, 8])), (Some(vec![0, 0]), 1));
        let scalar = array(&[], FLAT, &[]);
        assert_eq!(first_missing(&[&scalar], &Region::default(), &mut || true).unwrap(), Some(Extents::new()));
        let scalar = array(&[], FLAT, &[&[]]);
        assert_eq!(first_missing(&[&scalar], &Region::default(), &mut || true).unwrap(), None);
        let endless = array(&[u64::MAX, u64::MAX], NESTED, &[&[0, 0]]);
        assert_eq!(find(&[&endless], &region([0, 0], [u64::MAX, u64::MAX])), (Some(vec![2, 0]), 2));
    }
}
