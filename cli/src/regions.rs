//! Regions of an array: reading them from the command line, and cutting them into pieces that fit into memory.
//!
//! Everything is in the order of the array's shape; pieces follow one another with the first axis fastest.

use std::collections::VecDeque;

use zn5::dataset::{self, Cells};
use zn5::error::Error;
use zn5::model::byte_count;

use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::output::extents_text;

/// A box of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// The first element.
    pub(crate) offset: Vec<u64>,
    /// Elements along each axis.
    pub(crate) extent: Vec<u64>,
}

impl Region {
    /// All of an array.
    pub(crate) fn whole(shape: &[u64]) -> Self {
        Self { offset: vec![0; shape.len()], extent: shape.to_vec() }
    }

    /// As the engine has it.
    pub(crate) fn to_engine(&self) -> std::result::Result<dataset::Region, Error> {
        dataset::Region::new(&self.offset, &self.extent)
    }

    /// What the engine has.
    pub(crate) fn of_engine(region: &dataset::Region) -> Self {
        Self { offset: region.offset.to_vec(), extent: region.extents.to_vec() }
    }

    /// Reads "0:10,5:20,:". An axis is `begin:end`, either may be missing, or one index; negative numbers count from the end.
    pub(crate) fn parse(text: &str, shape: &[u64]) -> Result<Self> {
        let parts: Vec<&str> = if text.trim().is_empty() { Vec::new() } else { text.split(',').map(str::trim).collect() };
        if parts.len() != shape.len() {
            return Err(Failure::usage(format!(
                "--region {text}: {} parts for an array of {} ({} axes); give one part per axis in the order of the shape, ':' for all of an axis",
                parts.len(),
                extents_text(shape),
                shape.len()
            )));
        }
        let mut region = Self { offset: Vec::new(), extent: Vec::new() };
        for (axis, (part, &size)) in parts.into_iter().zip(shape).enumerate() {
            let (begin, end) = range(part, size).map_err(|problem| {
                Failure::usage(format!(
                    "--region {text}: axis {axis}: {problem}; the axis has the indices 0 to {}, and 0:{size} is all of it",
                    size.saturating_sub(1)
                ))
            })?;
            region.offset.push(begin);
            region.extent.push(end - begin);
        }
        Ok(region)
    }

    /// The region that the user names, or all of the array.
    pub(crate) fn given(text: Option<&str>, shape: &[u64]) -> Result<Self> {
        text.map_or_else(|| Ok(Self::whole(shape)), |text| Self::parse(text, shape))
    }

    /// The number of elements, 2^128 - 1 where there are more.
    pub(crate) fn count(&self) -> u128 {
        count(&self.extent)
    }

    /// "0:10,5:20".
    pub(crate) fn text(&self) -> String {
        let parts: Vec<String> =
            self.offset.iter().zip(&self.extent).map(|(offset, extent)| format!("{offset}:{}", offset.saturating_add(*extent))).collect();
        parts.join(",")
    }
}

/// The number of elements of a box, 2^128 - 1 where there are more.
pub(crate) fn count(extents: &[u64]) -> u128 {
    if extents.contains(&0) {
        return 0;
    }
    extents.iter().fold(1_u128, |count, &extent| count.saturating_mul(u128::from(extent)))
}

fn range(part: &str, size: u64) -> std::result::Result<(u64, u64), String> {
    let index = |text: &str| -> std::result::Result<u64, String> {
        let number: i128 = text.trim().parse().map_err(|_| format!("'{text}' is no whole number"))?;
        let from_start = if number < 0 { number.saturating_add(i128::from(size)) } else { number };
        u64::try_from(from_start).ok().filter(|&index| index <= size).ok_or_else(|| format!("{number} is outside"))
    };
    let Some((begin, end)) = part.split_once(':') else {
        let at = index(part)?;
        return if at < size { Ok((at, at + 1)) } else { Err(format!("{part} is outside")) };
    };
    if end.contains(':') {
        return Err(format!("'{part}' has a step, which zn5 does not do"));
    }
    let begin = if begin.trim().is_empty() { 0 } else { index(begin)? };
    let end = if end.trim().is_empty() { size } else { index(end)? };
    if begin > end {
        return Err(format!("{begin} is behind {end}"));
    }
    Ok((begin, end))
}

/// Bytes that a command holds of an array at a time, as far as blocks allow.
pub(crate) const BUDGET_BYTES: u64 = 64 << 20;

/// Pieces of a region, the first axis fastest.
pub(crate) struct Pieces {
    region: Region,
    /// Where pieces begin: multiples of these.
    step: Vec<u64>,
    next: Option<Vec<u64>>,
}

impl Pieces {
    /// Pieces that consist of whole blocks as far as the region does, so that no block is decoded twice.
    pub(crate) fn of_blocks(region: &Region, block: &[u64], element_size: usize, budget: u64) -> Self {
        let mut step = block.to_vec();
        let mut bytes = block.iter().fold(element_size as u64, |bytes, &extent| bytes.saturating_mul(extent)).max(1);
        for ((step, &extent), &block) in step.iter_mut().zip(&region.extent).zip(block) {
            let wanted = extent.div_ceil(block.max(1)).saturating_add(1);
            let times = (budget / bytes).clamp(1, wanted.max(1));
            *step = block.saturating_mul(times);
            bytes = bytes.saturating_mul(times);
            if times < wanted {
                break;
            }
        }
        Self::new(region, step)
    }

    /// Pieces that follow one another in a file whose first axis is fastest: whole along the first axes, cut along one, one thick beyond.
    pub(crate) fn in_sequence(region: &Region, block: &[u64], element_size: usize, budget: u64) -> Self {
        let mut step = vec![1; region.extent.len()];
        let mut bytes = (element_size as u64).max(1);
        for ((step, (&extent, &offset)), &block) in step.iter_mut().zip(region.extent.iter().zip(&region.offset)).zip(block) {
            let fits = (budget / bytes).max(1);
            if fits >= extent {
                // One step over all of it, from wherever it begins.
                *step = offset.saturating_add(extent).max(1);
                bytes = bytes.saturating_mul(extent.max(1));
            } else {
                *step = if fits >= block { fits - fits % block.max(1) } else { fits };
                break;
            }
        }
        Self::new(region, step)
    }

    fn new(region: &Region, step: Vec<u64>) -> Self {
        let next = (region.count() > 0).then(|| region.offset.clone());
        Self { region: region.clone(), step, next }
    }

    /// How many pieces there are.
    pub(crate) fn total(&self) -> u64 {
        if self.region.count() == 0 {
            return 0;
        }
        let along = |((&offset, &extent), &step): ((&u64, &u64), &u64)| {
            let step = step.max(1);
            offset.saturating_add(extent).div_ceil(step).saturating_sub(offset / step)
        };
        self.region.offset.iter().zip(&self.region.extent).zip(&self.step).map(along).fold(1, u64::saturating_mul)
    }
}

impl Iterator for Pieces {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        let offset = self.next.take()?;
        let end_of = |axis: usize, at: u64| -> u64 {
            let step = self.step.get(axis).copied().unwrap_or(1).max(1);
            let region_end = self.region.offset.get(axis).zip(self.region.extent.get(axis)).map_or(0, |(a, b)| a.saturating_add(*b));
            (at / step).saturating_add(1).saturating_mul(step).min(region_end)
        };
        let extent = offset.iter().enumerate().map(|(axis, &at)| end_of(axis, at) - at).collect();
        let mut following = offset.clone();
        for (axis, at) in following.iter_mut().enumerate() {
            let begin = self.region.offset.get(axis).copied().unwrap_or(0);
            let end = begin.saturating_add(self.region.extent.get(axis).copied().unwrap_or(0));
            let next = end_of(axis, *at);
            if next < end {
                *at = next;
                self.next = Some(following);
                break;
            }
            *at = begin;
        }
        Some(Region { offset, extent })
    }
}

/// The cells in which two arrays are gone through together: along each axis multiples of `unit`
/// that hold a block of each, as far as the budget allows, so that few blocks are decoded more than
/// once.
pub(crate) fn common_cell(blocks: (&[u64], &[u64]), unit: &[u64], element_size: usize, budget: u64) -> Vec<u64> {
    let mut cell: Vec<u64> = blocks.0.iter().zip(blocks.1).map(|(&a, &b)| a.max(b)).collect();
    for (cell, &unit) in cell.iter_mut().zip(unit) {
        let unit = unit.max(1);
        *cell = cell.div_ceil(unit).min(u64::MAX / unit).saturating_mul(unit);
    }
    // A block is never cut.
    let bytes = |extents: &[u64]| count(extents).saturating_mul(element_size as u128);
    let budget = bytes(blocks.0).max(bytes(blocks.1)).max(budget.into());
    for axis in (0..cell.len()).rev() {
        if bytes(&cell) <= budget {
            break;
        }
        let mut others = cell.clone();
        others.remove(axis);
        if let (Some(extent), Some(&unit)) = (cell.get_mut(axis), unit.get(axis)) {
            let unit = unit.max(1);
            let units = u64::try_from(budget / bytes(&others).max(1)).unwrap_or(u64::MAX) / unit;
            *extent = units.max(1).saturating_mul(unit).min(*extent);
        }
    }
    cell
}

/// Boxes of cells that something stored touches: cells side by side are one box, up to a budget. No
/// element is in two of them.
pub(crate) struct Joined<'a> {
    cells: Cells<'a>,
    place: String,
    element_size: usize,
    budget: u64,
    /// For each axis, the last one first, the box that may still grow along it, and what it weighs.
    growing: Vec<Option<(dataset::Region, u64)>>,
    ready: VecDeque<(dataset::Region, u64)>,
    ended: bool,
}

impl<'a> Joined<'a> {
    /// Joins cells of `ndim` axes; `place` is what messages call the array.
    pub(crate) fn new(cells: Cells<'a>, place: &str, ndim: usize, element_size: usize, budget: u64) -> Self {
        let growing = std::iter::repeat_with(|| None).take(ndim).collect();
        Self { cells, place: place.to_owned(), element_size, budget, growing, ready: VecDeque::new(), ended: false }
    }

    /// What all boxes together weigh: the blocks that touch their cells.
    pub(crate) fn total(&self) -> u64 {
        self.cells.total()
    }

    /// The next boxes that together keep to the budget, at least one, and what they weigh.
    pub(crate) fn batch(&mut self) -> Result<Option<(Vec<dataset::Region>, u64)>> {
        let (mut boxes, mut weight, mut bytes) = (Vec::new(), 0_u64, 0_u64);
        while let Some((region, touches)) = self.next()? {
            let len = self.len(&region);
            if !boxes.is_empty() && bytes.saturating_add(len) > self.budget {
                self.ready.push_front((region, touches));
                break;
            }
            bytes = bytes.saturating_add(len);
            weight = weight.saturating_add(touches);
            boxes.push(region);
        }
        Ok(if boxes.is_empty() { None } else { Some((boxes, weight)) })
    }

    fn next(&mut self) -> Result<Option<(dataset::Region, u64)>> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Ok(Some(ready));
            }
            if self.ended {
                return Ok(None);
            }
            let cell = self.cells.next(&mut || !interrupt::requested()).map_err(|error| Failure::at(&self.place, &error))?;
            if let Some((cell, touches)) = cell {
                self.push((cell, touches), 0);
            } else {
                self.ended = true;
                for level in 0..self.growing.len() {
                    if let Some(grown) = self.growing.get_mut(level).and_then(Option::take) {
                        self.push(grown, level + 1);
                    }
                }
            }
        }
    }

    /// Joins a box with the one before it along the axis of `level`, or lets that one go.
    fn push(&mut self, (region, touches): (dataset::Region, u64), level: usize) {
        let Some(axis) = self.growing.len().checked_sub(level + 1) else {
            self.ready.push_back((region, touches));
            return;
        };
        let len = self.len(&region);
        let before = self.growing.get_mut(level).and_then(Option::take);
        let grown = match before {
            None => (region, touches),
            Some((mut before, weight)) if is_next(&before, &region, axis) && self.len(&before).saturating_add(len) <= self.budget => {
                if let (Some(extent), Some(more)) = (before.extents.get_mut(axis), region.extents.get(axis)) {
                    *extent = extent.saturating_add(*more);
                }
                (before, weight.saturating_add(touches))
            }
            Some(before) => {
                self.push(before, level + 1);
                (region, touches)
            }
        };
        if let Some(growing) = self.growing.get_mut(level) {
            *growing = Some(grown);
        }
    }

    fn len(&self, region: &dataset::Region) -> u64 {
        byte_count(region.extents.iter().copied(), self.element_size).unwrap_or(u64::MAX)
    }
}

/// Whether `next` begins where `before` ends along an axis and has the same place along all others.
fn is_next(before: &dataset::Region, next: &dataset::Region, axis: usize) -> bool {
    let mut places = before.offset.iter().zip(&before.extents).zip(next.offset.iter().zip(&next.extents)).enumerate();
    places.all(
        |(other, ((&offset, &extent), (&next_offset, &next_extent)))| {
            if other == axis { offset.saturating_add(extent) == next_offset } else { offset == next_offset && extent == next_extent }
        },
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn parsed(text: &str, shape: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let region = Region::parse(text, shape).unwrap();
        (region.offset, region.extent)
    }

    fn message(text: &str, shape: &[u64]) -> String {
        match Region::parse(text, shape) {
            Err(Failure::Message { message, .. }) => message,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn regions_are_written_as_in_numpy() {
        assert_eq!(parsed("0:10,5:20,:", &[30, 30, 30]), (vec![0, 5, 0], vec![10, 15, 30]));
        assert_eq!(parsed(" 3 , -2: , :-1", &[30, 30, 30]), (vec![3, 28, 0], vec![1, 2, 29]));
        assert_eq!(parsed("-1", &[7]), (vec![6], vec![1]));
        assert_eq!(parsed("7:7", &[7]), (vec![7], vec![0]));
        assert_eq!(parsed("", &[]), (vec![], vec![]));
        assert_eq!(parsed(":", &[i64::MAX.cast_unsigned()]), (vec![0], vec![i64::MAX.cast_unsigned()]));
    }

    #[test]
    fn a_region_that_cannot_be_is_refused_with_the_axis() {
        assert!(message("0:3", &[5, 5]).contains("1 parts for an array of 5 × 5"));
        assert!(message("0:3,0:6", &[5, 5]).contains("axis 1: 6 is outside; the axis has the indices 0 to 4"));
        assert!(message("5", &[5]).contains("5 is outside"));
        assert!(message("3:2", &[5]).contains("3 is behind 2"));
        assert!(message("0:4:2", &[5]).contains("step"));
        assert!(message("x", &[5]).contains("'x' is no whole number"));
    }

    fn covered(pieces: Pieces, shape: &[u64]) -> Vec<u32> {
        let mut counts = vec![0; usize::try_from(shape.iter().product::<u64>()).unwrap()];
        let expected = pieces.total();
        let mut seen = 0;
        for piece in pieces {
            seen += 1;
            for y in 0..piece.extent[1] {
                for x in 0..piece.extent[0] {
                    counts[usize::try_from((piece.offset[1] + y) * shape[0] + piece.offset[0] + x).unwrap()] += 1;
                }
            }
        }
        assert_eq!(seen, expected);
        counts
    }

    #[test]
    fn pieces_cover_every_element_once() {
        let shape = [17, 11];
        for budget in [1, 8, 30, 100, 10_000] {
            for text in [":,:", "3:9,2:11", "16,:", ":,10"] {
                let region = Region::parse(text, &shape).unwrap();
                for pieces in [Pieces::of_blocks(&region, &[4, 3], 1, budget), Pieces::in_sequence(&region, &[4, 3], 1, budget)] {
                    let counts = covered(pieces, &shape);
                    for (at, count) in counts.iter().enumerate() {
                        let (x, y) = (at as u64 % 17, at as u64 / 17);
                        let inside = (region.offset[0]..region.offset[0] + region.extent[0]).contains(&x)
                            && (region.offset[1]..region.offset[1] + region.extent[1]).contains(&y);
                        assert_eq!(*count, u32::from(inside), "{text} with {budget} at {x},{y}");
                    }
                }
            }
        }
        assert_eq!(Pieces::of_blocks(&Region::whole(&[5, 0]), &[2, 2], 1, 100).total(), 0);
        assert_eq!(Pieces::of_blocks(&Region::whole(&[]), &[], 1, 100).collect::<Vec<_>>(), [Region::whole(&[])]);
    }

    #[test]
    fn pieces_in_sequence_continue_where_the_last_one_ended() {
        let region = Region::whole(&[6, 5, 4]);
        for budget in [1, 5, 12, 31, 65, 1000] {
            let mut position = 0;
            for piece in Pieces::in_sequence(&region, &[2, 2, 2], 1, budget) {
                let first = piece.offset[0] + 6 * (piece.offset[1] + 5 * piece.offset[2]);
                assert_eq!(first, position, "budget {budget}");
                assert!(u64::try_from(piece.count()).unwrap() <= budget);
                position += u64::try_from(piece.count()).unwrap();
            }
            assert_eq!(position, 120);
        }
    }

    #[test]
    fn common_cells_hold_blocks_of_both_and_keep_to_units_and_budget() {
        let cell = |a: &[u64], b: &[u64], unit: &[u64], budget| common_cell((a, b), unit, 2, budget);
        assert_eq!(cell(&[64, 64], &[32, 128], &[1, 1], 1 << 20), [64, 128]);
        assert_eq!(cell(&[64, 64], &[48, 48], &[48, 48], 1 << 20), [96, 96]);
        assert_eq!(cell(&[], &[], &[], 10), [] as [u64; 0]);
        // Blocks that lie across each other have no cell that both fit into.
        assert_eq!(cell(&[1, 1 << 20], &[1 << 20, 1], &[1 << 20, 1], 1 << 20), [1 << 20, 1]);
        assert_eq!(cell(&[1, 1 << 20], &[1 << 20, 1], &[1, 1], 1 << 20), [1 << 20, 1]);
        // No budget cuts a block.
        assert_eq!(cell(&[100, 100], &[100, 100], &[100, 100], 10), [100, 100]);
        let most = u64::MAX;
        let cell = cell(&[most, 3], &[7, most], &[7, 5], 1 << 20);
        assert!(cell[0] % 7 == 0 && cell[1] % 5 == 0, "{cell:?}");
    }

    #[test]
    fn cells_side_by_side_become_one_box_up_to_the_budget() {
        use std::sync::Arc;
        use zn5::dataset::Dataset;
        use zn5::model::CodecOptions;
        use zn5::store::{Memory, Store};
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let json = br#"{"dimensions":[40,40],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"raw"}}"#;
        let dataset = Dataset::create(Arc::clone(&store), "", json, CodecOptions::default()).unwrap();
        // A rectangle of 3 by 4 blocks, and one alone.
        let mut stored: Vec<(u64, u64)> = (5..8).flat_map(|x| (2..6).map(move |y| (x, y))).collect();
        stored.push((12, 3));
        for (x, y) in &stored {
            store.set(&format!("{x}/{y}"), &[0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 1, 1, 1]).unwrap();
        }
        let region = dataset::Region::new(&[0, 0], &[40, 40]).unwrap();
        let datasets = [&dataset];
        for (budget, expected) in [(1000, 1 + 1), (16, 3 + 1), (8, 6 + 1), (1, 12 + 1)] {
            let cells = Cells::new(&datasets, &region, &[2, 2], &mut || true).unwrap();
            let mut joined = Joined::new(cells, "here", 2, 1, budget);
            assert_eq!(joined.total(), 13);
            let (mut boxes, mut weight) = (Vec::new(), 0);
            while let Some((batch, touches)) = joined.batch().unwrap() {
                let bytes: u128 = batch.iter().map(|region| count(&region.extents)).sum();
                assert!(batch.len() == 1 || bytes <= u128::from(budget));
                boxes.extend(batch);
                weight += touches;
            }
            assert_eq!((boxes.len(), weight), (expected, 13), "{budget}");
            let mut found: Vec<(u64, u64)> = boxes
                .iter()
                .flat_map(|region| {
                    let (x, y) = (region.offset[0] / 2, region.offset[1] / 2);
                    let (columns, rows) = (region.extents[0] / 2, region.extents[1] / 2);
                    (x..x + columns).flat_map(move |x| (y..y + rows).map(move |y| (x, y)))
                })
                .collect();
            found.sort_unstable();
            assert_eq!(found, stored, "{budget}");
        }
    }

    #[test]
    fn block_pieces_begin_at_blocks() {
        let region = Region::parse("3:100,:", &[100, 100]).unwrap();
        for piece in Pieces::of_blocks(&region, &[16, 32], 2, 5000) {
            assert!(piece.offset[0] == 3 || piece.offset[0] % 16 == 0);
            assert_eq!(piece.offset[1] % 32, 0);
        }
    }
}
