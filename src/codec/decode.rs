//! From a stored block to a box of the caller's memory: limits first, then decompression, then placement.

use smallvec::SmallVec;

use super::Codec;
use super::pool::Workspace;
use crate::array::{self, Destination, Element, Stored};
use crate::block;
use crate::compress;
use crate::error::{Error, ErrorKind, Result, listed};
use crate::model::{Chain, Compressor, Extents, byte_count};

/// What is known of a block from its header and its length, all of it within the limits.
pub(super) struct Outline {
    pub(super) extents: Extents,
    /// Decoded bytes.
    len: usize,
    /// Where the payload begins in the block.
    pub(super) payload_offset: usize,
}

impl Codec {
    /// Decodes a box of the chunk that `src` stores: from `offset`, of `destination`'s extents, padded with the fill value
    /// where the block does not reach. `shape` is the chunk's (for N5 chains the block says its own extents).
    ///
    /// `whole` asks for every check even where a part of the payload would do.
    ///
    /// # Errors
    /// Those of the block and its payload; `LimitExceeded`, `OutOfMemory`.
    pub fn decode(&self, src: &[u8], shape: &[u64], offset: &[u64], mut destination: Destination<'_>, whole: bool) -> Result<()> {
        let outline = self.outline(src, src.len() as u64, shape)?;
        let payload = src.get(outline.payload_offset..).unwrap_or_default();
        if self.compressors().is_empty() {
            return self.place(&outline.extents, payload, 0, offset, &mut destination);
        }
        self.pool
            .with(|workspace| self.decompress(&outline, payload, offset, &mut destination, whole, workspace))
            .map_err(|error| error.shifted(outline.payload_offset as u64))
    }

    /// Fills an array with the fill value, as a missing block does.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn fill(&self, mut destination: Destination<'_>) -> Result<()> {
        array::fill(&mut destination, &self.settings.fill_value)
    }

    /// What the `head` of a block of `block_len` bytes says, which are all or just the header.
    pub(super) fn outline(&self, head: &[u8], block_len: u64, shape: &[u64]) -> Result<Outline> {
        let (extents, payload_offset) = match &self.settings.chain {
            Chain::N5 { .. } => {
                let (extents, payload) = block::parse_default(head, self.ndim())?;
                (extents, head.len().saturating_sub(payload.len()))
            }
            Chain::Plain { .. } => {
                if block_len == 0 {
                    return Err(Error::new(
                        ErrorKind::EmptyBlock,
                        "the chunk has 0 bytes: its writer was interrupted, or is still writing",
                    )
                    .at(0));
                }
                (Extents::from_slice(shape), 0)
            }
        };
        let len = byte_count(extents.iter().copied(), self.element_size());
        if self.compressors().is_empty() {
            let payload_len = block_len.saturating_sub(payload_offset as u64);
            check_raw_len(&extents, len, payload_len).map_err(|error| error.shifted(payload_offset as u64))?;
        }
        self.check_limits(&extents, len)?;
        let len = len.and_then(|len| usize::try_from(len).ok()).ok_or_else(Error::out_of_memory)?;
        Ok(Outline { extents, len, payload_offset })
    }

    fn check_limits(&self, extents: &Extents, len: Option<u64>) -> Result<()> {
        let exceeded = |limit: u64| {
            let asked = len.map_or_else(|| "more than 2^64".to_owned(), |len| len.to_string());
            Err(Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "the block of extents {} asks for {asked} bytes and the limit is {limit}; if it is no damage, raise max_decoded_bytes",
                    listed(extents)
                ),
            )
            .at(block::EXTENTS_OFFSET))
        };
        let limit = self.max_decoded_bytes();
        if len.is_none_or(|len| len > limit) {
            return exceeded(limit);
        }
        let Some(axis) = self.exceeds_chunk(extents) else { return Ok(()) };
        if matches!(self.settings.chain, Chain::Plain { .. }) {
            return Ok(());
        }
        if self.options.strict {
            return Err(Error::new(
                ErrorKind::InvalidBlockShape,
                format!(
                    "the block has extents {} and the chunk shape is {}: axis {axis} is larger, which the strict flag forbids",
                    listed(extents),
                    listed(&self.settings.chunk_shape)
                ),
            )
            .at(block::EXTENTS_OFFSET));
        }
        let oversize = self.oversize_bytes();
        if len.is_none_or(|len| len > oversize) {
            return exceeded(oversize);
        }
        Ok(())
    }

    /// Puts what is asked for of the decoded `bytes`, which begin at `first_byte` of the block's, into `destination`.
    pub(super) fn place(
        &self,
        extents: &Extents,
        bytes: &[u8],
        first_byte: usize,
        offset: &[u64],
        destination: &mut Destination<'_>,
    ) -> Result<()> {
        let (endian, order) = self.stored();
        let element = Element::new(self.settings.data_type, endian);
        array::place(&Stored { bytes, first_byte, extents, order }, offset, destination, element, &self.settings.fill_value)
    }

    fn decompress(
        &self,
        outline: &Outline,
        payload: &[u8],
        offset: &[u64],
        destination: &mut Destination<'_>,
        whole: bool,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let (endian, order) = self.stored();
        let element = Element::new(self.settings.data_type, endian);
        let strict = self.options.strict;
        let Workspace { compress: contexts, payload: decoded, staging } = workspace;
        let (compressor, payload) = outer_stages(self.compressors(), outline.len, payload, strict, (decoded, staging), contexts)?;
        if !whole && compress::decodes_parts(compressor, payload) {
            let range = array::touched_bytes(&outline.extents, order, self.element_size(), offset, destination.extents())?;
            if range.len() < outline.len {
                let first_byte = range.start;
                compress::decode_part_to(compressor, payload, outline.len, range, decoded, strict, contexts)?;
                return self.place(&outline.extents, decoded, first_byte, offset, destination);
            }
        }
        let same_box = destination.extents() == &outline.extents[..] && offset.iter().all(|&first| first == 0);
        if same_box && let Some(bytes) = destination.as_contiguous(order) {
            compress::decode(compressor, payload, bytes, strict, contexts)?;
            array::swap_in_place(bytes, element);
            return Ok(());
        }
        compress::decode_to(compressor, payload, outline.len, decoded, strict, contexts)?;
        self.place(&outline.extents, decoded, 0, offset, destination)
    }
}

/// Undoes all compressors of a chain but the first one of encoding, and gives that one with what it has to decode.
///
/// How long an intermediate stream may be is nowhere said; more than twice what its encoder needs at worst is refused as hostile.
fn outer_stages<'a>(
    compressors: &[Compressor],
    decoded_len: usize,
    payload: &'a [u8],
    strict: bool,
    (next, current): (&mut Vec<u8>, &'a mut Vec<u8>),
    contexts: &mut compress::Workspace,
) -> Result<(Compressor, &'a [u8])> {
    let Some((&innermost, outer)) = compressors.split_first() else {
        return Ok((Compressor::Raw, payload));
    };
    if outer.is_empty() {
        return Ok((innermost, payload));
    }
    let mut max_lens = SmallVec::<[usize; 4]>::new();
    // The doubling must not add up: a long chain would then allow any length.
    let mut worst_len = decoded_len;
    for &compressor in compressors {
        worst_len = compress::encode_bound(compressor, worst_len).unwrap_or(usize::MAX);
        max_lens.push(worst_len.saturating_mul(2));
    }
    let mut first = true;
    for (&compressor, &max_len) in outer.iter().zip(&max_lens).rev() {
        let src = if first { payload } else { &**current };
        compress::decode_at_most(compressor, src, max_len, next, strict, contexts)?;
        std::mem::swap(next, current);
        first = false;
    }
    Ok((innermost, current))
}

/// A raw payload must have exactly the bytes that its extents ask for; compared before any limit, so that a damaged header gets the error of a cut block.
fn check_raw_len(extents: &[u64], len: Option<u64>, payload_len: u64) -> Result<()> {
    if len == Some(payload_len) {
        return Ok(());
    }
    let asked = len.map_or_else(|| "more than 2^64".to_owned(), |len| len.to_string());
    match len {
        Some(0) => Err(Error::new(
            ErrorKind::PayloadSizeMismatch,
            format!("the extents {} hold nothing and a payload of {payload_len} bytes follows", listed(extents)),
        )
        .at(0)),
        Some(len) if len < payload_len => Err(Error::new(
            ErrorKind::TrailingData,
            format!("the raw payload has {payload_len} bytes and the extents {} hold {len}; bytes follow it", listed(extents)),
        )
        .at(len)),
        _ => Err(Error::new(
            ErrorKind::TruncatedBlock,
            format!("the raw payload has {payload_len} bytes and the extents {} ask for {asked}; the block is cut", listed(extents)),
        )
        .at(payload_len)),
    }
}
