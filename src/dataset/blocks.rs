//! Which blocks of an array are stored: the store's listing under its path, read as positions of the grid.
//!
//! The grid may be too large to enumerate and the array sparse, so what is stored decides. One folder's names are in memory at a time
//! for each level, and no listing is open while a visitor runs.

use super::Dataset;
use super::document::{N5_NAME, ZARR_NAME};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Extents, try_vec};
use crate::store::{self, EntryKind};

/// What a name below the path of an array is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A block of the grid.
    Block(Extents),
    /// A block whose position the grid does not have.
    Outside(Extents),
    /// A file whose name is no position.
    StrayName,
    /// A folder where a block should be.
    StrayFolder,
    /// A folder of blocks that cannot be listed, or not to its end.
    Unlisted(Error),
}

/// What [`Dataset::survey`] meets.
#[derive(Clone, Copy, Debug)]
pub enum Surveyed<'a> {
    /// A block of the grid.
    Block {
        /// Its position in the grid.
        position: &'a [u64],
        /// Its key in the store.
        key: &'a str,
    },
    /// A folder of blocks that cannot be listed: what else lies in it is not known.
    Unlisted {
        /// Its key in the store.
        key: &'a str,
        /// Why.
        error: &'a Error,
    },
}

/// The names of one folder, sorted as numbers where they are numbers.
#[derive(Default)]
struct Folder {
    keys: Vec<Box<str>>,
    prefixes: Vec<Box<str>>,
}

impl Dataset {
    /// Calls `visit` with position and key of every block of the grid that is stored, folder by folder, in ascending order within each.
    ///
    /// # Errors
    /// Those of the store, at the first folder that cannot be listed, and of `visit`.
    pub fn stored_blocks(&self, visit: &mut dyn FnMut(&[u64], &str) -> Result<()>) -> Result<()> {
        self.survey(&mut |stored| match stored {
            Surveyed::Block { position, key } => visit(position, key),
            Surveyed::Unlisted { error, .. } => Err(error.clone()),
        })
    }

    /// As [`Self::stored_blocks`], but tells `visit` of a folder of blocks that cannot be listed,
    /// and goes on.
    ///
    /// # Errors
    /// Those of listing the array's own folder, and of `visit`; `OutOfMemory`; `Cancelled` by the
    /// store.
    pub fn survey(&self, visit: &mut dyn FnMut(Surveyed<'_>) -> Result<()>) -> Result<()> {
        self.walk(&mut |key, found| match found {
            Found::Block(position) => visit(Surveyed::Block { position: &position, key: &key }),
            Found::Unlisted(error) => visit(Surveyed::Unlisted { key: &key, error: &error }),
            Found::Outside(_) | Found::StrayName | Found::StrayFolder => Ok(()),
        })
    }

    /// Calls `visit` with the key of everything that is stored as if it were a block, and of the
    /// folders that cannot be listed.
    ///
    /// Where the array's own folder cannot be listed nothing is known, which is an error.
    pub(super) fn walk(&self, visit: &mut dyn FnMut(String, Found) -> Result<()>) -> Result<()> {
        let pattern = self.keys.key(&super::grid::zeros(self.codec.ndim())?);
        let levels: Vec<&str> = pattern.split('/').collect();
        // Paths below the array's own that are still to be looked at, the next one last.
        let mut paths = vec![String::new()];
        while let Some(path) = paths.pop() {
            let level = if path.is_empty() { 0 } else { path.split('/').count() };
            let place = if level == 0 { self.path.clone() } else { store::join(&self.path, &path) };
            let (folder, listed) = self.list_folder(&place);
            let unlisted = match listed {
                Ok(()) => None,
                Err(error) if level == 0 || matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::Cancelled) => return Err(error),
                Err(error) => Some(error),
            };
            for name in folder.keys {
                if *name == *N5_NAME || *name == *ZARR_NAME {
                    continue;
                }
                let key = store::join(&path, &name);
                let found = self.position_of(&key);
                visit(store::join(&self.path, &key), found)?;
            }
            if let Some(error) = unlisted {
                visit(place, Found::Unlisted(error))?;
            }
            let last = level.saturating_add(1) >= levels.len();
            let folder_name = levels.get(level).copied().unwrap_or_default();
            let mut below = try_vec(folder.prefixes.len())?;
            for name in folder.prefixes {
                let key = store::join(&path, &name);
                if !is_block_name(&name, folder_name) {
                    // A node of its own, which may lie below an array.
                } else if last {
                    visit(store::join(&self.path, &key), Found::StrayFolder)?;
                } else {
                    below.push(key);
                }
            }
            paths.extend(below.into_iter().rev());
        }
        Ok(())
    }

    /// The names in a folder, as far as they can be listed.
    fn list_folder(&self, path: &str) -> (Folder, Result<()>) {
        let mut folder = Folder::default();
        let listed = self.store.list(&store::prefix_of(path), &mut |name, kind| {
            let names = match kind {
                EntryKind::Key => &mut folder.keys,
                EntryKind::Prefix => &mut folder.prefixes,
            };
            names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            names.push(name.into());
            Ok(())
        });
        for names in [&mut folder.keys, &mut folder.prefixes] {
            names.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        }
        (folder, listed)
    }

    /// The position that a key below the array's path stands for.
    fn position_of(&self, key: &str) -> Found {
        let ndim = self.codec.ndim();
        let mut position = Extents::new();
        if ndim > 0 {
            let numbers = key.split(['/', '.']).filter(|part| *part != "c").map(str::parse);
            for number in numbers {
                match number {
                    Ok(number) if position.len() < ndim => position.push(number),
                    _ => return Found::StrayName,
                }
            }
        }
        if position.len() != ndim || self.keys.key(&position) != key {
            return Found::StrayName;
        }
        if self.grid.contains(&position) { Found::Block(position) } else { Found::Outside(position) }
    }
}

/// Whether a folder of this name can hold blocks, given the name of the folder that holds the first one.
pub(super) fn is_block_name(name: &str, first: &str) -> bool {
    if first == "0" { !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) } else { name == first }
}
