//! Verifying: every stored block is read and decoded whole; what is no block, or cannot be listed,
//! is named too.
//!
//! Blocks are checked in batches, so that memory does not grow with their number, and reported in the order of their keys.

use std::sync::{Mutex, PoisonError};

use super::blocks::Found;
use super::document::named;
use super::grid;
use super::read::Patience;
use super::workers::{self, Numbers, Progress, Scratch};
use super::{Dataset, IoOptions};
use crate::array::Destination;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Extents, try_vec};

/// Blocks that are listed before they are checked.
const BATCH: usize = 1024;

/// What a [`Problem`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A block of the grid.
    Block,
    /// A folder of blocks that cannot be listed, or not to its end: what else lies in it was not
    /// checked.
    Unlisted,
    /// A file whose name is no position in the grid.
    StrayName,
    /// A folder where a block should be.
    StrayFolder,
    /// A block whose position the grid does not have.
    Outside,
}

impl Subject {
    /// Whether it is no block of the array, and so no damage to it.
    #[must_use]
    pub const fn is_stray(self) -> bool {
        matches!(self, Self::StrayName | Self::StrayFolder | Self::Outside)
    }
}

/// What is wrong with one stored block, file or folder.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The kind of damage, or `InvalidArgument` for what is no block of the grid.
    pub kind: ErrorKind,
    /// What it is about.
    pub subject: Subject,
    /// The key in the store.
    pub key: &'a str,
    /// Where in the block, where that is known.
    pub offset: Option<u64>,
    /// What is wrong, and the remedy.
    pub message: &'a str,
}

/// What reports a problem; `false` ends the call.
type Report<'a> = &'a mut dyn FnMut(Problem<'_>) -> bool;

/// What was listed and not yet checked.
struct Batch {
    entries: Vec<(String, Found)>,
    done: u64,
    total: u64,
}

impl Dataset {
    /// Reads every stored block whole and reports the bad ones, in the order of their keys folder by folder.
    ///
    /// Missing blocks are no problem, nor are nodes below the array. A folder of blocks that cannot
    /// be listed is one, and the others are checked all the same. A problem is no error of the
    /// call.
    ///
    /// # Errors
    /// Those of listing the array's own folder; `Cancelled` if `problem` or `progress` say so, or
    /// the store.
    pub fn verify(&self, problem: Report<'_>, io: &IoOptions, mut progress: Progress<'_>) -> Result<()> {
        let mut batch = Batch { entries: try_vec(BATCH)?, done: 0, total: 0 };
        if let Some(progress) = &mut progress {
            self.walk(&mut |_, _| {
                batch.total = batch.total.saturating_add(1);
                Ok(())
            })?;
            if !progress(0, batch.total) {
                return Err(cancelled());
            }
        }
        let patience = Patience::of(io, false);
        self.walk(&mut |key, found| {
            batch.entries.push((key, found));
            if batch.entries.len() < BATCH { Ok(()) } else { self.check_batch(&mut batch, problem, io, &patience, &mut progress) }
        })?;
        self.check_batch(&mut batch, problem, io, &patience, &mut progress)
    }

    fn check_batch(
        &self,
        batch: &mut Batch,
        problem: Report<'_>,
        io: &IoOptions,
        patience: &Patience,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let count = batch.entries.len() as u64;
        if count == 0 {
            return Ok(());
        }
        let numbers = Numbers::new(count);
        let problems = Mutex::new(Vec::new());
        let check = |scratch: &mut Scratch, number: u64| {
            let entry = usize::try_from(number).ok().and_then(|index| batch.entries.get(index));
            if let Some((key, found)) = entry
                && let Err(error) = self.check(key, found, scratch, patience)
            {
                problems.lock().unwrap_or_else(PoisonError::into_inner).push((number, error));
            }
            Ok(())
        };
        let (before, listed) = (batch.done, batch.total);
        let mut report = |done: u64, _| {
            let done = before.saturating_add(done);
            // Blocks may have come since they were counted; the first count of a batch was reported with the last one.
            done == before || progress.as_mut().is_none_or(|progress| progress(done, listed.max(done)))
        };
        workers::run((io.threads, &self.scratches), count, Some(&mut report), &|| numbers.take(), &check)?;
        let mut problems = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
        problems.sort_unstable_by_key(|(number, _)| *number);
        for (number, error) in &problems {
            let Some((key, found)) = usize::try_from(*number).ok().and_then(|index| batch.entries.get(index)) else { continue };
            let subject = match found {
                Found::Block(_) => Subject::Block,
                Found::Outside(_) => Subject::Outside,
                Found::StrayName => Subject::StrayName,
                Found::StrayFolder => Subject::StrayFolder,
                Found::Unlisted(_) => Subject::Unlisted,
            };
            if !problem(Problem { kind: error.kind(), subject, key, offset: error.offset(), message: error.message() }) {
                return Err(cancelled());
            }
        }
        batch.done = before.saturating_add(count);
        batch.entries.clear();
        Ok(())
    }

    fn check(&self, key: &str, found: &Found, scratch: &mut Scratch, patience: &Patience) -> Result<()> {
        let no_block = |message: String| Err(named(key, &Error::new(ErrorKind::InvalidArgument, message)));
        let stray = |what: &str| no_block(format!("it {what}, so no reader of the array looks at it; move it elsewhere"));
        match found {
            Found::Block(position) => self.check_block(key, position, scratch, patience),
            Found::Outside(position) => {
                let counts = self.block_grid();
                let axis = position.iter().zip(&counts).position(|(index, count)| index >= count).unwrap_or(0);
                let count = counts.get(axis).copied().unwrap_or(0);
                no_block(format!(
                    "the block lies outside the array, which has {count} blocks along axis {axis}; it belongs to another array, or the array was larger"
                ))
            }
            Found::StrayName => stray("has a name that is no position in the grid"),
            Found::StrayFolder => stray("is a folder where a block should be"),
            Found::Unlisted(error) => Err(named(key, error)),
        }
    }

    fn check_block(&self, key: &str, position: &Extents, scratch: &mut Scratch, patience: &Patience) -> Result<()> {
        let shape = self.stored_extents(position)?;
        // A box without elements: the block is decoded all the same, and nothing is kept of it.
        let zeros = grid::zeros(shape.len())?;
        let size = self.codec.element_size();
        let Scratch { stored, elements, .. } = scratch;
        elements.clear();
        elements.try_reserve_exact(size).map_err(|_| Error::out_of_memory())?;
        elements.resize(size, 0);
        let order = self.codec.order();
        self.fetch(key, stored, patience, &mut |block| {
            self.codec.decode(block.whole()?, &shape, &zeros, Destination::over(elements, &zeros, size, order)?, true)
        })?;
        Ok(())
    }
}

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the call was cancelled by its callback")
}
