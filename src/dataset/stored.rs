//! Which blocks of a region are stored: the listing of the store decides, not the grid, which may
//! be endless.
//!
//! One folder's names are in memory at a time for each level, of a large folder the next ones only,
//! and no listing is open while a caller works. So a call costs what is stored or what the region
//! reaches, whichever is less.

use std::ops::Range;

use super::{Dataset, grid};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Extents, try_vec};
use crate::store::{self, EntryKind};

/// Names of one folder that are kept at a time; where there are more, the folder is listed again
/// for the next ones.
const KEPT_NAMES: usize = if cfg!(test) { 3 } else { 1 << 20 };

/// A listing that shows more names than this, and than four for each block that is wanted of the
/// folder, costs more than asking for these.
const FEW_NAMES: usize = 1024;

/// Blocks of one folder that are asked for one by one where the store lists no names.
const ASKED: u64 = 1 << 20;

/// What the names of one folder stand for.
struct Level {
    /// The axes whose positions a name tells; none for a name that is always the same.
    axes: Range<usize>,
    /// How each name begins.
    lead: &'static str,
}

impl Level {
    /// The levels of keys such as that of the first block.
    fn of(first: &str, ndim: usize) -> Vec<Self> {
        let mut next = 0_usize;
        let level = |name: &str| {
            let (lead, numbers) = match name {
                _ if ndim == 0 => (if name == "c" { "c" } else { "0" }, 0),
                "c" => ("c", 0),
                _ => (if name.starts_with('c') { "c." } else { "" }, name.split('.').filter(|part| *part != "c").count()),
            };
            let from = next;
            next = next.saturating_add(numbers);
            Self { axes: from..next, lead }
        };
        first.split('/').map(level).collect()
    }

    fn name(&self, numbers: &[u64]) -> String {
        let mut name = self.lead.to_owned();
        for (index, number) in numbers.iter().enumerate() {
            if index > 0 {
                name.push('.');
            }
            name.push_str(&number.to_string());
        }
        name
    }

    /// The positions that `name` tells, if it is one that zn5 would give.
    fn numbers(&self, name: &str) -> Option<Extents> {
        let rest = name.strip_prefix(self.lead)?;
        let mut numbers = Extents::new();
        if self.axes.is_empty() {
            return rest.is_empty().then_some(numbers);
        }
        for part in rest.split('.') {
            let is_canonical = part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
            if !is_canonical || numbers.len() == self.axes.len() {
                return None;
            }
            numbers.push(part.parse().ok()?);
        }
        (numbers.len() == self.axes.len()).then_some(numbers)
    }
}

/// A folder that is being gone through.
struct Folder {
    /// Below the array, with no '/' behind.
    path: String,
    entries: Entries,
}

enum Entries {
    /// All that the region reaches, whether they are stored or not: the next one.
    Every(Option<Extents>),
    /// Those that were listed, in order; `more` tells that others follow behind them.
    Listed { names: std::vec::IntoIter<Extents>, more: bool, last: Extents },
}

/// The positions of a region's blocks that are stored, ascending with the last axis fastest.
///
/// Where a folder has many more names than the region has blocks in it, or cannot be listed, the
/// blocks there are given whether they are stored or not: reading tells. A block that is stored
/// after its folder was listed may be missed.
pub struct Stored<'a> {
    dataset: &'a Dataset,
    levels: Vec<Level>,
    /// Of each axis the first and the last position that the region reaches.
    ranges: Vec<(u64, u64)>,
    /// Folders that are being gone through, the array's own first.
    open: Vec<Folder>,
    position: Extents,
}

impl Dataset {
    /// What is stored of the region from `offset` with `extents`.
    ///
    /// # Errors
    /// `InvalidArgument` if the region leaves the array.
    pub fn stored(&self, offset: &[u64], extents: &[u64]) -> Result<Stored<'_>> {
        self.grid.check_region(offset, extents)?;
        let first = self.keys.key(&grid::zeros(offset.len())?);
        let mut ranges = try_vec(offset.len())?;
        for ((&offset, &extent), &chunk) in offset.iter().zip(extents).zip(self.grid.chunk()) {
            // Inside the array, so without overflow; of an empty region nothing is looked at.
            let last = offset.saturating_add(extent).saturating_sub(1);
            ranges.push((offset.checked_div(chunk).unwrap_or(0), last.checked_div(chunk).unwrap_or(0)));
        }
        let levels = Level::of(&first, offset.len());
        let mut stored = Stored { dataset: self, levels, ranges, open: Vec::new(), position: Extents::new() };
        if !extents.contains(&0) {
            stored.enter(String::new())?;
        }
        Ok(stored)
    }

    /// Whether the block at `position` is stored.
    ///
    /// # Errors
    /// Those of the store.
    pub fn is_stored(&self, position: &[u64]) -> Result<bool> {
        self.store.holds(&self.block_key(position))
    }
}

impl Stored<'_> {
    /// Begins with the folder at `path` below the array; its positions so far are known.
    fn enter(&mut self, path: String) -> Result<()> {
        let entries = self.entries(&path, None)?;
        self.open.push(Folder { path, entries });
        Ok(())
    }

    /// The positions that the region reaches along the axes of a level.
    fn reached(&self, level: usize) -> &[(u64, u64)] {
        self.levels.get(level).and_then(|level| self.ranges.get(level.axes.clone())).unwrap_or_default()
    }

    /// What is to be looked at in the folder of a level, behind `last` if that is given.
    fn entries(&self, path: &str, last: Option<&Extents>) -> Result<Entries> {
        let level = self.open.len().saturating_sub(usize::from(last.is_some()));
        let reached = self.reached(level);
        let wanted = reached.iter().fold(1_u64, |count, (first, last)| count.saturating_mul(last.abs_diff(*first).saturating_add(1)));
        let every = || Ok(Entries::Every(Some(reached.iter().map(|(first, _)| *first).collect())));
        if wanted == 1 {
            return every();
        }
        // Once names were taken from the listing, the others come from it too.
        let enough =
            if last.is_some() { usize::MAX } else { usize::try_from(wanted.saturating_mul(4)).unwrap_or(usize::MAX).max(FEW_NAMES) };
        match self.listed(path, level, last, enough) {
            Ok(Some(entries)) => Ok(entries),
            Ok(None) => every(),
            // Such as that of a folder that may be entered and not be read.
            Err(error) if wanted <= ASKED && last.is_none() && is_of_the_store(error.kind()) => every(),
            Err(error) => Err(error),
        }
    }

    /// The names of a folder that the region reaches, the first ones behind `last`; `None` if there
    /// are more names than `enough`.
    fn listed(&self, path: &str, level: usize, last: Option<&Extents>, enough: usize) -> Result<Option<Entries>> {
        let Some(names_of) = self.levels.get(level) else { return Ok(None) };
        let kind = if level.saturating_add(1) == self.levels.len() { EntryKind::Key } else { EntryKind::Prefix };
        let reached = self.reached(level);
        let mut seen = 0_usize;
        let mut more = false;
        let mut names: Vec<Extents> = Vec::new();
        let place = if path.is_empty() { self.dataset.path.clone() } else { store::join(&self.dataset.path, path) };
        let listed = self.dataset.store.list(&store::prefix_of(&place), &mut |name, found| {
            seen = seen.saturating_add(1);
            if seen > enough {
                return Err(Error::new(ErrorKind::Cancelled, "asking costs less"));
            }
            let Some(numbers) = names_of.numbers(name).filter(|_| found == kind) else { return Ok(()) };
            let inside = numbers.iter().zip(reached).all(|(number, (first, last))| (first..=last).contains(&number));
            if !inside || last.is_some_and(|last| numbers <= *last) {
                return Ok(());
            }
            names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            names.push(numbers);
            if names.len() >= KEPT_NAMES.saturating_mul(2) {
                more |= keep_first(&mut names);
            }
            Ok(())
        });
        if seen > enough {
            return Ok(None);
        }
        listed?;
        more |= keep_first(&mut names);
        names.sort_unstable();
        // A store that a program brings may say a name twice.
        names.dedup();
        let last = names.last().cloned().unwrap_or_default();
        Ok(Some(Entries::Listed { names: names.into_iter(), more, last }))
    }

    /// The positions along the axes of the innermost folder's next entry.
    fn next_entry(&mut self) -> Result<Option<Extents>> {
        let level = self.open.len().saturating_sub(1);
        let reached: Extents = self.reached(level).iter().map(|(first, _)| *first).collect();
        let ends: Extents = self.reached(level).iter().map(|(_, last)| *last).collect();
        let Some(folder) = self.open.last_mut() else { return Ok(None) };
        match &mut folder.entries {
            Entries::Every(next) => {
                let here = next.take();
                *next = here.clone().and_then(|position| following(position, &reached, &ends));
                Ok(here)
            }
            Entries::Listed { names, more, last } => {
                if let Some(name) = names.next() {
                    return Ok(Some(name));
                }
                if !*more {
                    return Ok(None);
                }
                let (path, last) = (folder.path.clone(), last.clone());
                let entries = self.entries(&path, Some(&last))?;
                if let Some(folder) = self.open.last_mut() {
                    folder.entries = entries;
                }
                self.next_entry()
            }
        }
    }

    fn advance(&mut self) -> Result<Option<Extents>> {
        while !self.open.is_empty() {
            let Some(numbers) = self.next_entry()? else {
                self.open.pop();
                continue;
            };
            let depth = self.open.len();
            let Some(level) = self.levels.get(depth.saturating_sub(1)) else { return Ok(None) };
            self.position.truncate(level.axes.start);
            self.position.extend_from_slice(&numbers);
            if depth == self.levels.len() {
                return Ok(Some(self.position.clone()));
            }
            let below = self.open.last().map_or_else(String::new, |folder| store::join(&folder.path, &level.name(&numbers)));
            self.enter(below)?;
        }
        Ok(None)
    }
}

impl Iterator for Stored<'_> {
    type Item = Result<Extents>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.open.clear();
        }
        next.transpose()
    }
}

/// Whether an error of listing says that the store cannot list, while it may get values all the
/// same.
fn is_of_the_store(kind: ErrorKind) -> bool {
    !matches!(kind, ErrorKind::OutOfMemory | ErrorKind::InvalidArgument | ErrorKind::Internal | ErrorKind::Cancelled)
}

/// Keeps no more than the first names; whether there were more.
fn keep_first(names: &mut Vec<Extents>) -> bool {
    let more = names.len() > KEPT_NAMES;
    if more {
        names.select_nth_unstable(KEPT_NAMES);
        names.truncate(KEPT_NAMES);
    }
    more
}

/// The position behind this one, the last axis fastest, in a box from `first` to `last`.
pub(super) fn following(mut position: Extents, first: &[u64], last: &[u64]) -> Option<Extents> {
    for ((at, &first), &last) in position.iter_mut().zip(first).zip(last).rev() {
        if *at < last {
            *at = at.saturating_add(1);
            return Some(position);
        }
        *at = first;
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::model::CodecOptions;
    use crate::store::{Memory, Store};

    /// An array of `shape` in blocks of two elements along each axis, of which those at `positions`
    /// are stored.
    pub(in crate::dataset) fn array(shape: &[u64], encoding: &str, positions: &[&[u64]]) -> Dataset {
        let blocks = vec![2; shape.len()];
        let json = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"uint8","fill_value":0,"chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{blocks:?}}}}},"chunk_key_encoding":{encoding},"codecs":[{{"name":"bytes"}}]}}"#
        );
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let dataset = Dataset::create(Arc::clone(&store), "a", json.as_bytes(), CodecOptions::default()).unwrap();
        for position in positions {
            store.set(&dataset.block_key(position), &vec![7; 1 << shape.len()]).unwrap();
        }
        dataset
    }

    pub(in crate::dataset) const FLAT: &str = r#"{"name":"default","configuration":{"separator":"."}}"#;
    pub(in crate::dataset) const NESTED: &str = r#"{"name":"default","configuration":{"separator":"/"}}"#;

    fn positions(dataset: &Dataset, offset: &[u64], extents: &[u64]) -> Vec<Vec<u64>> {
        dataset.stored(offset, extents).unwrap().map(|position| position.unwrap().to_vec()).collect()
    }

    #[test]
    fn folders_with_more_names_than_are_kept_are_listed_again() {
        let all: Vec<[u64; 2]> = (0..40).map(|number: u64| [number * 7 % 40, number * 3 % 40]).collect();
        let stored: Vec<&[u64]> = all.iter().map(<[u64; 2]>::as_slice).collect();
        for encoding in [FLAT, NESTED] {
            let dataset = array(&[80, 80], encoding, &stored);
            let expected: BTreeSet<Vec<u64>> = all.iter().map(|position| position.to_vec()).collect();
            assert_eq!(positions(&dataset, &[0, 0], &[80, 80]), expected.into_iter().collect::<Vec<_>>(), "{encoding}");
        }
        // One folder with many names, and one folder in each of many.
        let row: Vec<[u64; 2]> = (0..11).map(|number| [3, number]).collect();
        let row: Vec<&[u64]> = row.iter().map(<[u64; 2]>::as_slice).collect();
        assert_eq!(positions(&array(&[80, 80], NESTED, &row), &[0, 0], &[80, 80]), row);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let level = |first: &str, ndim| Level::of(first, ndim).pop().unwrap();
        for (first, ndim, name, numbers) in [
            ("0", 1, "18446744073709551615", Some(vec![u64::MAX])),
            ("0", 1, "18446744073709551616", None),
            ("0", 1, "01", None),
            ("0", 1, "+1", None),
            ("0", 1, "", None),
            ("0", 1, "0.0", None),
            ("0/0", 2, "5", Some(vec![5])),
            ("0.0", 2, "10.0", Some(vec![10, 0])),
            ("0.0", 2, "c.10.0", None),
            ("c.0.0", 2, "c.10.0", Some(vec![10, 0])),
            ("c.0.0", 2, "10.0", None),
            ("c.0.0", 2, "c.1", None),
            ("c.0", 1, "c.", None),
            ("c/0", 1, "7", Some(vec![7])),
            ("0", 0, "0", Some(vec![])),
            ("0", 0, "1", None),
            ("c", 0, "c", Some(vec![])),
        ] {
            assert_eq!(level(first, ndim).numbers(name).map(|numbers| numbers.to_vec()), numbers, "{first} {name}");
            if let Some(numbers) = numbers {
                assert_eq!(level(first, ndim).name(&numbers), name);
            }
        }
        let levels = Level::of("c/0/0", 2);
        assert_eq!(levels.iter().map(|level| level.axes.clone()).collect::<Vec<_>>(), [0..0, 0..1, 1..2]);
        assert_eq!(levels[0].name(&[]), "c");
    }
}
