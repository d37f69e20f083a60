//! From a stored block to a box of the caller's memory: limits first, then decompression, then placement.

use smallvec::SmallVec;

use super::Codec;
use super::pool::Workspace;
use crate::array::{self, Destination, Element, Stored};
use crate::block;
use crate::compress;
use crate::error::{Error, ErrorKind, Result, listed};
use crate::model::{Chain, Compressor, Extents, byte_count};

/// Above this, a block that is larger than its chunk is taken for a hostile one, unless the caller set a limit of his own.
const OVERSIZE_BYTES: u64 = 64 << 20;
const OVERSIZE_CHUNKS: u64 = 16;

/// A block whose extents passed the limits.
struct Checked<'a> {
    extents: Extents,
    /// Decoded bytes.
    len: usize,
    payload: &'a [u8],
    /// Where the payload begins in the block.
    payload_offset: u64,
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
        let checked = self.check(src, shape)?;
        self.pool
            .with(|workspace| self.decode_checked(&checked, offset, &mut destination, whole, workspace))
            .map_err(|error| error.shifted(checked.payload_offset))
    }

    /// Fills an array with the fill value, as a missing block does.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn fill(&self, mut destination: Destination<'_>) -> Result<()> {
        array::fill(&mut destination, &self.settings.fill_value)
    }

    fn check<'a>(&self, src: &'a [u8], shape: &[u64]) -> Result<Checked<'a>> {
        let (extents, payload) = match &self.settings.chain {
            Chain::N5 { .. } => block::parse_default(src, self.ndim())?,
            Chain::Plain { .. } => {
                if src.is_empty() {
                    return Err(Error::new(
                        ErrorKind::EmptyBlock,
                        "the chunk has 0 bytes: its writer was interrupted, or is still writing",
                    )
                    .at(0));
                }
                (Extents::from_slice(shape), src)
            }
        };
        let payload_offset = src.len().saturating_sub(payload.len()) as u64;
        let len = byte_count(extents.iter().copied(), self.element_size());
        if self.compressors().is_empty() {
            check_raw_len(&extents, len, payload).map_err(|error| error.shifted(payload_offset))?;
        }
        self.check_limits(&extents, len)?;
        let len = len.and_then(|len| usize::try_from(len).ok()).ok_or_else(Error::out_of_memory)?;
        Ok(Checked { extents, len, payload, payload_offset })
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
        let chunk = byte_count(self.settings.chunk_shape.iter().copied(), self.element_size()).unwrap_or(u64::MAX);
        let oversize = OVERSIZE_BYTES.max(chunk.saturating_mul(OVERSIZE_CHUNKS));
        if self.options.max_decoded_bytes.is_none() && len.is_none_or(|len| len > oversize) {
            return exceeded(oversize);
        }
        Ok(())
    }

    fn decode_checked(
        &self,
        checked: &Checked<'_>,
        offset: &[u64],
        destination: &mut Destination<'_>,
        whole: bool,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let (endian, order) = self.stored();
        let element = Element::new(self.settings.data_type, endian);
        let place = |destination: &mut Destination<'_>, bytes: &[u8], first_byte: usize| {
            let stored = Stored { bytes, first_byte, extents: &checked.extents, order };
            array::place(&stored, offset, destination, element, &self.settings.fill_value)
        };
        if self.compressors().is_empty() {
            return place(destination, checked.payload, 0);
        }

        let strict = self.options.strict;
        let Workspace { compress: contexts, payload: decoded, staging } = workspace;
        let (compressor, payload) = outer_stages(self.compressors(), checked, strict, (decoded, staging), contexts)?;
        if !whole && compress::decodes_parts(compressor, payload) {
            let range = array::touched_bytes(&checked.extents, order, self.element_size(), offset, destination.extents())?;
            if range.len() < checked.len {
                let first_byte = range.start;
                compress::decode_part_to(compressor, payload, checked.len, range, decoded, strict, contexts)?;
                return place(destination, decoded, first_byte);
            }
        }
        let same_box = destination.extents() == &checked.extents[..] && offset.iter().all(|&first| first == 0);
        if same_box && let Some(bytes) = destination.as_contiguous(order) {
            compress::decode(compressor, payload, bytes, strict, contexts)?;
            array::swap_in_place(bytes, element);
            return Ok(());
        }
        compress::decode_to(compressor, payload, checked.len, decoded, strict, contexts)?;
        place(destination, decoded, 0)
    }
}

/// Undoes all compressors of a chain but the first one of encoding, and gives that one with what it has to decode.
///
/// How long an intermediate stream may be is nowhere said; more than twice what its encoder needs at worst is refused as hostile.
fn outer_stages<'a>(
    compressors: &[Compressor],
    checked: &Checked<'a>,
    strict: bool,
    (next, current): (&mut Vec<u8>, &'a mut Vec<u8>),
    contexts: &mut compress::Workspace,
) -> Result<(Compressor, &'a [u8])> {
    let Some((&innermost, outer)) = compressors.split_first() else {
        return Ok((Compressor::Raw, checked.payload));
    };
    if outer.is_empty() {
        return Ok((innermost, checked.payload));
    }
    let mut max_lens = SmallVec::<[usize; 4]>::new();
    // The doubling must not add up: a long chain would then allow any length.
    let mut worst_len = checked.len;
    for &compressor in compressors {
        worst_len = compress::encode_bound(compressor, worst_len).unwrap_or(usize::MAX);
        max_lens.push(worst_len.saturating_mul(2));
    }
    let mut first = true;
    for (&compressor, &max_len) in outer.iter().zip(&max_lens).rev() {
        let src = if first { checked.payload } else { &**current };
        compress::decode_at_most(compressor, src, max_len, next, strict, contexts)?;
        std::mem::swap(next, current);
        first = false;
    }
    Ok((innermost, current))
}

/// A raw payload must have exactly the bytes that its extents ask for; compared before any limit, so that a damaged header gets the error of a cut block.
fn check_raw_len(extents: &[u64], len: Option<u64>, payload: &[u8]) -> Result<()> {
    let payload_len = payload.len() as u64;
    let asked = len.map_or_else(|| "more than 2^64".to_owned(), |len| len.to_string());
    match len {
        Some(len) if len == payload_len => Ok(()),
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
