//! A box of a block that is not compressed, from the bytes that the box needs and no others.
//!
//! The header and the length of the block tell which these are, and are checked as if the whole block were there.

use std::ops::Range;

use smallvec::SmallVec;

use super::Codec;
use super::decode::Outline;
use crate::array::{self, Destination};
use crate::block;
use crate::error::Result;
use crate::model::{Chain, Extents, Order};

/// Reading over a gap of this many bytes costs about as much as reading anew behind it.
const GAP_BYTES: usize = 8 << 10;

/// Which bytes of a block a box needs.
pub struct Parts {
    outline: Outline,
    /// From the first to the last byte needed, in the block.
    hull: Range<usize>,
    run_len: usize,
    /// How often, and how many bytes apart, runs follow each other.
    repeats: SmallVec<[(usize, usize); 8]>,
}

impl Codec {
    /// How many bytes at the start of a block tell which others a box needs; `None` where every box needs all.
    #[must_use]
    pub fn head_len(&self) -> Option<usize> {
        self.compressors().is_empty().then(|| match &self.settings.chain {
            Chain::N5 { .. } => block::header_len(self.ndim()),
            Chain::Plain { .. } => 0,
        })
    }

    /// Which bytes the box at `offset` with `extents` needs of a block of `block_len` bytes that begins with `head`, its first
    /// [`Self::head_len`] bytes. `shape` as for [`Self::decode`].
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn parts(&self, head: &[u8], block_len: u64, shape: &[u64], offset: &[u64], extents: &[u64]) -> Result<Parts> {
        let outline = self.outline(head, block_len, shape)?;
        let (_, order) = self.stored();
        let touched = array::touched_bytes(&outline.extents, order, self.element_size(), offset, extents)?;
        let start = outline.payload_offset.saturating_add(touched.start);
        let hull = start..start.saturating_add(touched.len());
        let (run_len, repeats) = runs(&outline.extents, order, self.element_size(), offset, extents);
        Ok(Parts { outline, hull, run_len, repeats })
    }

    /// Puts the box at `offset` of `destination`'s extents there, from the bytes [`Parts::hull`], of which those of [`Parts::runs`] count.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn decode_parts(&self, parts: &Parts, bytes: &[u8], offset: &[u64], mut destination: Destination<'_>) -> Result<()> {
        let first_byte = parts.hull.start.saturating_sub(parts.outline.payload_offset);
        self.place(&parts.outline.extents, bytes, first_byte, offset, &mut destination)
    }
}

impl Parts {
    /// From the first to the last byte of the block that is needed.
    #[must_use]
    pub fn hull(&self) -> Range<usize> {
        self.hull.clone()
    }

    /// What of it is needed, or lies in gaps too small to be left out; ascending.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let count = self.repeats.iter().fold(1_usize, |count, &(times, _)| count.saturating_mul(times));
        (0..if self.hull.is_empty() { 0 } else { count }).map(|number| {
            let mut rest = number;
            let mut start = self.hull.start;
            for &(times, step) in &self.repeats {
                start = start.saturating_add(step.saturating_mul(rest.checked_rem(times).unwrap_or(0)));
                rest = rest.checked_div(times).unwrap_or(0);
            }
            start..start.saturating_add(self.run_len)
        })
    }
}

/// How long a run of needed bytes is, and how it repeats. The box lies inside the block in part at least, and the block in memory.
fn runs(stored: &Extents, order: Order, element_size: usize, offset: &[u64], extents: &[u64]) -> (usize, SmallVec<[(usize, usize); 8]>) {
    let mut run_len = element_size;
    let mut repeats = SmallVec::new();
    let mut step = element_size;
    let mut next = |((&stored, &offset), &extent): ((&u64, &u64), &u64)| {
        let count = usize::try_from(stored.saturating_sub(offset).min(extent)).unwrap_or(usize::MAX);
        if count > 1 {
            if repeats.is_empty() && step.saturating_sub(run_len) <= GAP_BYTES {
                run_len = step.saturating_mul(count.saturating_sub(1)).saturating_add(run_len);
            } else {
                repeats.push((count, step));
            }
        }
        step = step.saturating_mul(usize::try_from(stored).unwrap_or(usize::MAX));
    };
    let axes = stored.iter().zip(offset).zip(extents);
    match order {
        Order::F => axes.for_each(&mut next),
        Order::C => axes.rev().for_each(&mut next),
    }
    (run_len, repeats)
}
