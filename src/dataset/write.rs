//! Writing: a region block by block, each encoded from its own part of the source; partly covered blocks are completed first.
//!
//! What is stored depends on the metadata alone, never on the fill value that the caller wants to see. Calls by the same handle lose
//! nothing of each other's, see `locks`.

use super::locks::{Turn, Turns};
use super::read::Patience;
use super::workers::{self, Numbers, Progress, Scratch};
use super::{Dataset, IoOptions, grid};
use crate::array::{self, Cuts, Destination, Source, Tile};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::Extents;

impl Dataset {
    /// Writes the region from `offset` with the source's extents. Blocks that are covered in part keep their other elements.
    ///
    /// Any number of calls at once may cover parts of the same block. Other handles of the array are not waited for.
    ///
    /// # Errors
    /// `InvalidArgument` if the region leaves the array or the source does not suit it; `ReadOnly`; those of the store, and of blocks that
    /// must be completed and cannot be read, whose keys begin the message; `Cancelled`. Blocks may have been written before the error.
    pub fn write(&self, offset: &[u64], source: &Source<'_>, io: &IoOptions, progress: Progress<'_>) -> Result<()> {
        self.grid.check_region(offset, source.extents())?;
        if !self.store.is_writable() {
            return Err(Error::new(
                ErrorKind::ReadOnly,
                format!("the array {} lies in a read-only store; open the store for writing", quoted(&self.path)),
            ));
        }
        let cuts = Cuts::new(offset, source.extents(), self.grid.chunk())?;
        let numbers = Numbers::new(cuts.count());
        let patience = Patience::of(io, true);
        let turns = self.locks.turns();
        let write_tile =
            |scratch: &mut Scratch, number: u64| self.write_tile(&cuts.tile(number)?, source, scratch, (io, &patience), &turns);
        workers::run((io.threads, &self.scratches), cuts.count(), progress, &|| numbers.take(), &write_tile)
    }

    fn write_tile(
        &self,
        tile: &Tile,
        source: &Source<'_>,
        scratch: &mut Scratch,
        (io, patience): (&IoOptions, &Patience),
        turns: &Turns<'_>,
    ) -> Result<()> {
        let key = self.block_key(&tile.position);
        let part = source.part(&tile.start, &tile.extents)?;
        let inside = self.grid.inside(&tile.position)?;
        let shape = self.shape_to_write(&tile.position, &inside, io)?;
        let is_whole = tile.extents == inside;
        if is_whole && shape == inside {
            return self.store_block(&key, &part, &mut scratch.encoded, io, || turns.shared(&tile.position));
        }
        let codec = &self.storing;
        // Refuses shapes that no block can have before memory is asked for.
        codec.encode_bound(&shape)?;
        let len = usize::try_from(codec.decoded_size(&shape)?).map_err(|_| Error::out_of_memory())?;
        let Scratch { stored, elements, encoded } = scratch;
        elements.clear();
        elements.try_reserve_exact(len).map_err(|_| Error::out_of_memory())?;
        elements.resize(len, 0);
        let (size, order) = (codec.element_size(), codec.order());
        let mut block = Destination::over(elements, &shape, size, order)?;
        // From here on nobody else may change what is stored, until the completed block is.
        let alone = (!is_whole).then(|| turns.alone(&tile.position));
        let is_stored = !is_whole && {
            let (stored_shape, zeros) = (self.stored_extents(&tile.position)?, grid::zeros(shape.len())?);
            self.fetch(&key, stored, patience, &mut |bytes| codec.decode(bytes.whole()?, &stored_shape, &zeros, block.reborrow()?, true))?
        };
        if !is_stored {
            codec.fill(block.reborrow()?)?;
        }
        array::copy(&part, &mut block.part(&tile.within, &tile.extents)?)?;
        let block = Source::contiguous(elements, &shape, size, order)?;
        self.store_block(&key, &block, encoded, io, || alone.unwrap_or_else(|| turns.shared(&tile.position)))
    }

    /// The extents that the block of this position is stored with.
    fn shape_to_write(&self, position: &[u64], inside: &Extents, io: &IoOptions) -> Result<Extents> {
        if self.is_plain() {
            return self.stored_extents(position);
        }
        grid::copied(if io.pad_edges { self.grid.chunk() } else { inside })
    }

    /// Stores a block, unless it holds nothing that a missing one would not: then none is left.
    ///
    /// It is encoded before it takes its `turn`, so that nobody waits for that.
    fn store_block<'a>(
        &self,
        key: &str,
        elements: &Source<'_>,
        encoded: &mut Vec<u8>,
        io: &IoOptions,
        turn: impl FnOnce() -> Turn<'a>,
    ) -> Result<()> {
        let named = |error: Error| Self::of_block(key, &error);
        let is_stored = io.write_fill || !array::all_equal(elements, &self.storing.settings().fill_value)?;
        if is_stored {
            self.storing.encode_to(elements, encoded).map_err(named)?;
        }
        let _turn = turn();
        if is_stored { self.store.set(key, encoded) } else { self.store.erase(key) }.map_err(named)
    }
}
