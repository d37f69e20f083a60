//! Reading: a region block by block, each decoded into its own tile of the destination.
//!
//! Here too is how one block is fetched while its writer may be at work.

use std::time::{Duration, SystemTime};

use super::workers::{self, Progress, Scratch};
use super::{Dataset, IoOptions};
use crate::array::{Destination, Tile, Tiles};
use crate::error::{Error, ErrorKind, Result};

/// How long a writer is given to finish the block that it is writing.
const SECOND_LOOK: Duration = Duration::from_millis(20);

/// How far the clock of a medium may be behind: its time stamps come in steps.
const CLOCK_STEP: Duration = Duration::from_secs(1);

/// How blocks are fetched that look as if they were being written.
pub(super) struct Patience {
    began: SystemTime,
    /// Whether a block of 0 bytes is taken for a missing one.
    empty_as_missing: bool,
    /// Whether to wait also for blocks that nobody has touched since the call began.
    always: bool,
}

impl Patience {
    pub(super) fn of(io: &IoOptions, always: bool) -> Self {
        Self { began: SystemTime::now(), empty_as_missing: io.empty_as_missing, always }
    }
}

impl Dataset {
    /// Reads the region from `offset` with the destination's extents. Missing blocks read as fill value.
    ///
    /// # Errors
    /// `InvalidArgument` if the region leaves the array or the destination does not suit it; those of blocks and of the store, of several
    /// bad blocks that of the first, whose key begins the message; `Cancelled`.
    pub fn read(&self, offset: &[u64], destination: Destination<'_>, io: &IoOptions, progress: Progress<'_>) -> Result<()> {
        self.grid.check_region(offset, destination.extents())?;
        let tiles = Tiles::new(destination, offset, self.grid.chunk())?;
        let patience = Patience::of(io, true);
        let read_tile = |scratch: &mut Scratch, tile: Result<(Tile, Destination<'_>)>| {
            let (tile, destination) = tile?;
            self.read_tile(&tile, destination, scratch, &patience)
        };
        workers::run(io.threads, tiles.count(), progress, &|| tiles.next(), &read_tile)
    }

    fn read_tile(&self, tile: &Tile, mut destination: Destination<'_>, scratch: &mut Scratch, patience: &Patience) -> Result<()> {
        let key = self.block_key(&tile.position);
        let shape = self.stored_extents(&tile.position)?;
        let found = self.fetch(&key, &mut scratch.stored, patience, &mut |block| {
            self.codec.decode(block, &shape, &tile.within, destination.reborrow()?, false)
        })?;
        if found { Ok(()) } else { self.codec.fill(destination) }
    }

    /// Reads the block under `key` and lets `decode` have it; `false` if it is missing.
    ///
    /// A block that is empty, truncated or corrupt may be one that is just being written: if its stamp changes, it is read once more.
    pub(super) fn fetch(
        &self,
        key: &str,
        stored: &mut Vec<u8>,
        patience: &Patience,
        decode: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        let mut attempt = |stored: &mut Vec<u8>| -> Result<bool> {
            if !self.store.get(key, 0, u64::MAX, stored)? {
                return Ok(false);
            }
            decode(stored)?;
            Ok(true)
        };
        let mut result = attempt(stored);
        if let Err(error) = &result
            && matches!(error.kind(), ErrorKind::EmptyBlock | ErrorKind::TruncatedBlock | ErrorKind::CorruptPayload)
        {
            let may_wait = patience.always && !(patience.empty_as_missing && error.kind() == ErrorKind::EmptyBlock);
            if self.has_changed(key, stored.len() as u64, patience, may_wait)? {
                result = attempt(stored);
            }
        }
        match result {
            Err(error) if error.kind() == ErrorKind::EmptyBlock && patience.empty_as_missing => Ok(false),
            Err(error) => Err(Self::of_block(key, &error)),
            found => found,
        }
    }

    /// Whether the value of `key`, of which `len` bytes were read, changes within a moment, or did since the call began.
    fn has_changed(&self, key: &str, len: u64, patience: &Patience, may_wait: bool) -> Result<bool> {
        let named = |error: Error| Self::of_block(key, &error);
        let Some(before) = self.store.stamp(key).map_err(named)? else { return Ok(false) };
        let is_new = before.modified.is_some_and(|modified| modified.checked_add(CLOCK_STEP).is_none_or(|time| time >= patience.began));
        let differs = before.len != len;
        if !may_wait && !is_new && !differs {
            return Ok(false);
        }
        std::thread::sleep(SECOND_LOOK);
        Ok(is_new || differs || self.store.stamp(key).map_err(named)? != Some(before))
    }
}
