//! Which blocks of an array are stored: the store's listing under its path, read as positions of the grid.
//!
//! The grid may be too large to enumerate and the array sparse, so what is stored decides. One folder's names are in memory at a time
//! for each level, and no listing is open while a visitor runs.

use super::Dataset;
use super::document::{N5_NAME, ZARR_NAME};
use crate::error::Result;
use crate::model::{Extents, try_vec};
use crate::store::{self, EntryKind};

/// What a name below the path of an array is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A block of the grid.
    Block(Extents),
    /// A block whose position the grid does not have.
    Outside(Extents),
    /// No block at all.
    Stray(&'static str),
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
    /// Those of the store and of `visit`.
    pub fn stored_blocks(&self, visit: &mut dyn FnMut(&[u64], &str) -> Result<()>) -> Result<()> {
        self.walk(&mut |key, found| match found {
            Found::Block(position) => visit(&position, &key),
            _ => Ok(()),
        })
    }

    /// Calls `visit` with the key of everything that is stored as if it were a block.
    pub(super) fn walk(&self, visit: &mut dyn FnMut(String, Found) -> Result<()>) -> Result<()> {
        let pattern = self.keys.key(&super::grid::zeros(self.codec.ndim())?);
        let levels: Vec<&str> = pattern.split('/').collect();
        // Paths below the array's own that are still to be looked at, the next one last.
        let mut paths = vec![String::new()];
        while let Some(path) = paths.pop() {
            let level = if path.is_empty() { 0 } else { path.split('/').count() };
            let folder = if level == 0 { self.list_folder(&self.path)? } else { self.list_folder(&store::join(&self.path, &path))? };
            for name in folder.keys {
                if *name == *N5_NAME || *name == *ZARR_NAME {
                    continue;
                }
                let key = store::join(&path, &name);
                let found = self.position_of(&key);
                visit(store::join(&self.path, &key), found)?;
            }
            let last = level.saturating_add(1) >= levels.len();
            let folder_name = levels.get(level).copied().unwrap_or_default();
            let mut below = try_vec(folder.prefixes.len())?;
            for name in folder.prefixes {
                let key = store::join(&path, &name);
                if !is_block_name(&name, folder_name) {
                    // A node of its own, which may lie below an array.
                } else if last {
                    visit(store::join(&self.path, &key), Found::Stray("is a folder where a block should be"))?;
                } else {
                    below.push(key);
                }
            }
            paths.extend(below.into_iter().rev());
        }
        Ok(())
    }

    fn list_folder(&self, path: &str) -> Result<Folder> {
        let mut folder = Folder::default();
        self.store.list(&store::prefix_of(path), &mut |name, kind| {
            let names = match kind {
                EntryKind::Key => &mut folder.keys,
                EntryKind::Prefix => &mut folder.prefixes,
            };
            names.try_reserve(1).map_err(|_| crate::error::Error::out_of_memory())?;
            names.push(name.into());
            Ok(())
        })?;
        for names in [&mut folder.keys, &mut folder.prefixes] {
            names.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        }
        Ok(folder)
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
                    _ => return Found::Stray("has a name that is no position in the grid"),
                }
            }
        }
        if position.len() != ndim || self.keys.key(&position) != key {
            return Found::Stray("has a name that is no position in the grid");
        }
        if self.grid.contains(&position) { Found::Block(position) } else { Found::Outside(position) }
    }
}

/// Whether a folder of this name can hold blocks, given the name of the folder that holds the first one.
pub(super) fn is_block_name(name: &str, first: &str) -> bool {
    if first == "0" { !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) } else { name == first }
}
