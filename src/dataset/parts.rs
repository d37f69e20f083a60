//! What is in the stored blocks of a region, block by block, and many boxes of an array at once.
//!
//! Blocks are decoded by as many threads as the call asks for, some megabytes ahead of who takes
//! them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::read::Patience;
use super::workers::{self, Progress, Scratch};
use super::{Dataset, IoOptions, grid};
use crate::array::{Destination, Source, Tile};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Extents, Order, byte_count, try_vec};

/// Blocks that are listed ahead, so that it is known how many there are.
const AHEAD: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// Blocks that are decoded before they are handed out.
const BATCH_BLOCKS: usize = if cfg!(test) { 3 } else { 1 << 10 };

/// Bytes that are decoded before they are handed out, if they are more than one block.
const BATCH_BYTES: u64 = 32 << 20;

/// A box of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// Its first element.
    pub offset: Extents,
    /// Its elements along each axis.
    pub extents: Extents,
}

impl Region {
    /// A box from `offset` with `extents`.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(offset: &[u64], extents: &[u64]) -> Result<Self> {
        Ok(Self { offset: grid::copied(offset)?, extents: grid::copied(extents)? })
    }

    /// Bytes of the box's elements, as far as memory can have them.
    fn len(&self, element_size: usize) -> Result<usize> {
        byte_count(self.extents.iter().copied(), element_size).and_then(|len| usize::try_from(len).ok()).ok_or_else(Error::out_of_memory)
    }
}

/// What is stored of one block, as far as a region reaches into it.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Where in the array.
    pub region: &'a Region,
    /// The elements, without gaps, in native byte order.
    pub elements: &'a [u8],
}

impl Dataset {
    /// Reads what is stored of the region, block by block, and calls `visit` with each part on the
    /// calling thread, ascending with the last axis fastest. What `visit` is not called with has
    /// the fill value. Elements lie in `order`.
    ///
    /// `progress` hears how many of how many blocks were read.
    ///
    /// # Errors
    /// Those of [`Dataset::read`], of listing the store, and of `visit`.
    pub fn read_stored(
        &self,
        (region, order): (&Region, Order),
        io: &IoOptions,
        mut progress: Progress<'_>,
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut stored = self.stored(&region.offset, &region.extents)?;
        let mut ahead = VecDeque::new();
        let mut total = 0_u64;
        if progress.is_some() {
            ahead.try_reserve_exact(AHEAD).map_err(|_| Error::out_of_memory())?;
            while ahead.len() < AHEAD {
                let Some(position) = stored.next() else { break };
                ahead.push_back(position?);
            }
            total = ahead.len() as u64;
            if ahead.len() == AHEAD {
                total = self.count_stored(region, &mut progress)?;
            }
        }
        let mut positions = std::iter::from_fn(|| ahead.pop_front().map(Ok).or_else(|| stored.next()));
        let mut batch = Batch::default();
        let mut done = 0_u64;
        let patience = Patience::of(io, true);
        loop {
            let next = positions.next().transpose()?;
            let tile = next.map(|position| self.tile_of(region, position)).transpose()?;
            let len = tile.as_ref().map_or(Ok(0), |(_, region)| region.len(self.codec.element_size()))?;
            if tile.is_none() || !batch.has_room_for(len) {
                let before = done;
                let mut report = |count: u64, _| {
                    let count = before.saturating_add(count);
                    progress.as_mut().is_none_or(|progress| progress(count, total.max(count)))
                };
                self.read_batch(&mut batch, order, io, &patience, &mut report)?;
                done = done.saturating_add(batch.entries.len() as u64);
                batch.visit(visit)?;
            }
            let Some((tile, region)) = tile else { return Ok(()) };
            batch.entries.push(Entry { tile, region, len, found: false });
            batch.len = batch.len.saturating_add(len);
        }
    }

    fn count_stored(&self, region: &Region, progress: &mut Progress<'_>) -> Result<u64> {
        let mut count = 0_u64;
        for position in self.stored(&region.offset, &region.extents)? {
            position?;
            count = count.saturating_add(1);
            if count.is_multiple_of(AHEAD as u64) && progress.as_mut().is_some_and(|progress| !progress(0, count)) {
                return Err(workers::cancelled());
            }
        }
        Ok(count)
    }

    /// The part of the block at `position` that lies in the region: as a tile of it, and in the
    /// array.
    fn tile_of(&self, region: &Region, position: Extents) -> Result<(Tile, Region)> {
        let ndim = position.len();
        let mut tile = Tile { position, start: grid::zeros(ndim)?, within: grid::zeros(ndim)?, extents: grid::zeros(ndim)? };
        let mut part = Region { offset: grid::zeros(ndim)?, extents: Extents::new() };
        let axes = tile.position.iter().zip(self.grid.chunk()).zip(region.offset.iter().zip(&region.extents));
        let slots = tile.start.iter_mut().zip(&mut tile.within).zip(&mut tile.extents).zip(&mut part.offset);
        for (((&position, &chunk), (&offset, &extent)), (((start, within), tile_extent), at)) in axes.zip(slots) {
            let cell = position.saturating_mul(chunk);
            let (from, to) = (cell.max(offset), cell.saturating_add(chunk).min(offset.saturating_add(extent)));
            *start = from.saturating_sub(offset);
            *within = from.saturating_sub(cell);
            *tile_extent = to.saturating_sub(from);
            *at = from;
        }
        part.extents = grid::copied(&tile.extents)?;
        Ok((tile, part))
    }

    fn read_batch(
        &self,
        batch: &mut Batch,
        order: Order,
        io: &IoOptions,
        patience: &Patience,
        report: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<()> {
        let Batch { entries, bytes, len } = batch;
        if bytes.len() < *len {
            bytes.try_reserve_exact(len.saturating_sub(bytes.len())).map_err(|_| Error::out_of_memory())?;
            bytes.resize(*len, 0);
        }
        let count = entries.len() as u64;
        let size = self.codec.element_size();
        let mut rest = bytes.as_mut_slice();
        let pieces = entries.iter_mut().map(move |entry| {
            let (piece, behind) = std::mem::take(&mut rest).split_at_mut_checked(entry.len)?;
            rest = behind;
            Some((entry, piece))
        });
        let pieces = Mutex::new((0..).zip(pieces.flatten()));
        let take = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let read = |scratch: &mut Scratch, (entry, bytes): (&mut Entry, &mut [u8])| {
            let destination = &mut Destination::over(bytes, &entry.tile.extents, size, order)?;
            entry.found = self.find_tile(&entry.tile, destination, scratch, patience)?;
            Ok(())
        };
        workers::run((io.threads, &self.scratches), count, Some(report), &take, &read)
    }

    /// Reads boxes of the array one after another into `bytes`, as many threads at a time as the
    /// call asks for. Each is without gaps in `order`.
    ///
    /// # Errors
    /// Those of [`Dataset::read`]; `InvalidArgument` if `bytes` is shorter than the boxes.
    pub fn read_boxes(&self, (boxes, order): (&[Region], Order), bytes: &mut [u8], io: &IoOptions, progress: Progress<'_>) -> Result<()> {
        let size = self.codec.element_size();
        let mut rest = bytes;
        let mut pieces = try_vec(boxes.len())?;
        for region in boxes {
            let len = region.len(size)?;
            let (piece, behind) = std::mem::take(&mut rest).split_at_mut_checked(len).ok_or_else(|| too_short(boxes.len()))?;
            rest = behind;
            pieces.push((region, piece));
        }
        self.each_box(pieces, io, progress, &|(region, bytes), io, progress| {
            self.read(&region.offset, Destination::over(bytes, &region.extents, size, order)?, io, progress)
        })
    }

    /// Writes boxes of the array that lie one after another in `bytes`, as many threads at a time
    /// as the call asks for. No block may be touched by two boxes.
    ///
    /// # Errors
    /// Those of [`Dataset::write`]; `InvalidArgument` if `bytes` is shorter than the boxes.
    pub fn write_boxes(&self, (boxes, order): (&[Region], Order), bytes: &[u8], io: &IoOptions, progress: Progress<'_>) -> Result<()> {
        let size = self.codec.element_size();
        let mut rest = bytes;
        let mut pieces = try_vec(boxes.len())?;
        for region in boxes {
            let len = region.len(size)?;
            let (piece, behind) = rest.split_at_checked(len).ok_or_else(|| too_short(boxes.len()))?;
            rest = behind;
            pieces.push((region, piece));
        }
        self.each_box(pieces, io, progress, &|(region, bytes), io, progress| {
            self.write(&region.offset, &Source::contiguous(bytes, &region.extents, size, order)?, io, progress)
        })
    }

    /// Works on boxes: many are shared among the threads, of few each gets all of them.
    fn each_box<T: Send>(
        &self,
        boxes: Vec<T>,
        io: &IoOptions,
        mut progress: Progress<'_>,
        work: &(impl Fn(T, &IoOptions, Progress<'_>) -> Result<()> + Sync),
    ) -> Result<()> {
        let count = boxes.len() as u64;
        let threads = workers::thread_count(io.threads, u64::MAX);
        if boxes.len() / 2 >= threads {
            let alone = IoOptions { threads: 1, ..*io };
            let boxes = Mutex::new((0..).zip(boxes));
            let take = || boxes.lock().unwrap_or_else(PoisonError::into_inner).next();
            return workers::run((threads, &self.scratches), count, progress, &take, &|_, piece| work(piece, &alone, None));
        }
        for (index, piece) in (0_u64..).zip(boxes) {
            match &mut progress {
                None => work(piece, io, None)?,
                Some(progress) => {
                    // As if all were as large as this one.
                    let mut report = |done: u64, total: u64| {
                        progress(index.saturating_mul(total).saturating_add(done), count.saturating_mul(total.max(1)))
                    };
                    work(piece, io, Some(&mut report))?;
                }
            }
        }
        Ok(())
    }
}

fn too_short(count: usize) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("the memory is shorter than the {count} boxes together; give all their bytes"))
}

/// Blocks that are read together.
#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// How many of the bytes the entries need.
    len: usize,
}

struct Entry {
    tile: Tile,
    region: Region,
    len: usize,
    found: bool,
}

impl Batch {
    fn has_room_for(&self, len: usize) -> bool {
        self.entries.is_empty() || (self.entries.len() < BATCH_BLOCKS && self.len.saturating_add(len) as u64 <= BATCH_BYTES)
    }

    /// Hands out what was found, and begins anew.
    fn visit(&mut self, visit: &mut dyn FnMut(Part<'_>) -> Result<()>) -> Result<()> {
        let mut rest = self.bytes.as_slice();
        for entry in &self.entries {
            let (elements, behind) = rest.split_at_checked(entry.len).unwrap_or_default();
            rest = behind;
            if entry.found {
                visit(Part { region: &entry.region, elements })?;
            }
        }
        self.entries.clear();
        self.len = 0;
        Ok(())
    }
}
