//! Reading: a region block by block, each decoded into its own tile of the destination.
//!
//! Here too is how one block is fetched while its writer may be at work.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::workers::{self, Progress, Scratch};
use super::{Dataset, IoOptions};
use crate::array::{Cuts, Destination, Tile, Tiles};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{self, Buffer, Value};

/// How long a writer is given to finish the block that it is writing.
const SECOND_LOOK: Duration = Duration::from_millis(20);

/// How far the clock of a medium may be behind: its time stamps come in steps.
const CLOCK_STEP: Duration = Duration::from_secs(1);

/// Files up to this length are read whole: asking twice costs more.
const SHORT: u64 = 16 << 10;

/// Regions of fewer blocks are read without asking what is stored.
const LISTED_FROM: u64 = 64;

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
    /// Each block of the region is asked for, unless [`IoOptions::by_listing`] lets the store's
    /// listing decide.
    ///
    /// # Errors
    /// `InvalidArgument` if the region leaves the array or the destination does not suit it; those of blocks and of the store, of several
    /// bad blocks that of the first, whose key begins the message; `Cancelled`.
    pub fn read(&self, offset: &[u64], destination: Destination<'_>, io: &IoOptions, progress: Progress<'_>) -> Result<()> {
        self.grid.check_region(offset, destination.extents())?;
        if io.by_listing
            && let Some(count) = self.count_few(offset, destination.extents())?
        {
            return self.read_few((offset, count), destination, io, progress);
        }
        let tiles = Tiles::new(destination, offset, self.grid.chunk())?;
        self.read_tiles(io, (tiles.count(), progress), &|| tiles.next())
    }

    /// How many of a region's blocks are stored, if the region has many and most of them are
    /// missing.
    fn count_few(&self, offset: &[u64], extents: &[u64]) -> Result<Option<u64>> {
        let all = Cuts::new(offset, extents, self.grid.chunk())?.count();
        if all < LISTED_FROM {
            return Ok(None);
        }
        let mut count = 0_u64;
        for position in self.stored(offset, extents)? {
            position?;
            count = count.saturating_add(1);
            if count > all / 2 {
                return Ok(None);
            }
        }
        Ok(Some(count))
    }

    /// Reads a region of which only `count` blocks are stored, so that it is filled first.
    fn read_few(
        &self,
        (offset, count): (&[u64], u64),
        mut destination: Destination<'_>,
        io: &IoOptions,
        progress: Progress<'_>,
    ) -> Result<()> {
        self.codec.fill(destination.reborrow()?)?;
        let stored = Mutex::new(self.stored(offset, destination.extents())?);
        let tiles = Tiles::new(destination, offset, self.grid.chunk())?;
        let take = || {
            // Held until the tile is taken, for positions ascend.
            let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                match stored.next()? {
                    Ok(position) if tiles.skip_to(&position) => return tiles.next(),
                    Ok(_) => {}
                    Err(error) => return Some((u64::MAX, Err(error))),
                }
            }
        };
        self.read_tiles(io, (count, progress), &take)
    }

    fn read_tiles<'a>(
        &self,
        io: &IoOptions,
        (count, progress): (u64, Progress<'_>),
        take: &(impl Fn() -> Option<(u64, Result<(Tile, Destination<'a>)>)> + Sync),
    ) -> Result<()> {
        let patience = Patience::of(io, true);
        let read_tile = |scratch: &mut Scratch, tile: Result<(Tile, Destination<'_>)>| {
            let (tile, mut destination) = tile?;
            if self.find_tile(&tile, &mut destination, scratch, &patience)? { Ok(()) } else { self.codec.fill(destination) }
        };
        workers::run((io.threads, &self.scratches), count, progress, take, &read_tile)
    }

    /// Decodes a tile straight into its place; `false` if its block is missing.
    pub(super) fn find_tile(
        &self,
        tile: &Tile,
        destination: &mut Destination<'_>,
        scratch: &mut Scratch,
        patience: &Patience,
    ) -> Result<bool> {
        let key = self.block_key(&tile.position);
        let shape = self.stored_extents(&tile.position)?;
        self.fetch(&key, &mut scratch.stored, patience, &mut |block| {
            if self.decode_part(block, &shape, tile, destination)? {
                return Ok(());
            }
            self.codec.decode(block.whole()?, &shape, &tile.within, destination.reborrow()?, false)
        })
    }

    /// Reads and places only what the tile needs of the block, where that spares anything; `false` if the whole is to be read.
    fn decode_part(&self, block: &mut Value<'_>, shape: &[u64], tile: &Tile, destination: &mut Destination<'_>) -> Result<bool> {
        let Some(head_len) = self.codec.head_len().filter(|_| block.is_outside() && block.len() > SHORT) else { return Ok(false) };
        // The grid's chunk, and more: extents of the block itself are not known yet.
        if tile.extents[..] == *self.grid.chunk() || block.len() <= head_len as u64 {
            return Ok(false);
        }
        let len = block.len();
        let Some(head) = block.parts(0..head_len, std::iter::once(0..head_len))? else { return Ok(false) };
        let parts = self.codec.parts(head, len, shape, &tile.within, destination.extents())?;
        let Some(bytes) = block.parts(parts.hull(), parts.runs())? else { return Ok(false) };
        self.codec.decode_parts(&parts, bytes, &tile.within, destination.reborrow()?)?;
        Ok(true)
    }

    /// Reads the block under `key` and lets `decode` have it; `false` if it is missing.
    ///
    /// A block that is empty, truncated or corrupt may be one that is just being written: if its stamp changes, it is read once more.
    pub(super) fn fetch(
        &self,
        key: &str,
        stored: &mut Buffer,
        patience: &Patience,
        decode: &mut dyn FnMut(&mut Value<'_>) -> Result<()>,
    ) -> Result<bool> {
        let max_len = self.codec.max_block_len();
        let seen_len = Cell::new(0);
        let mut attempt = || -> Result<bool> {
            let Some(mut block) = self.store.open(key, max_len, stored)? else { return Ok(false) };
            seen_len.set(block.len());
            store::check_len(&block, max_len, || {
                "no block that the limits allow is longer; if it is no damage, raise max_decoded_bytes".to_owned()
            })?;
            decode(&mut block)?;
            Ok(true)
        };
        let mut result = attempt();
        if let Err(error) = &result
            && matches!(error.kind(), ErrorKind::EmptyBlock | ErrorKind::TruncatedBlock | ErrorKind::CorruptPayload)
        {
            let may_wait = patience.always && !(patience.empty_as_missing && error.kind() == ErrorKind::EmptyBlock);
            if self.has_changed(key, seen_len.get(), patience, may_wait)? {
                result = attempt();
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
