//! Writing Blosc frames: how long the blocks are, which of them are split, and what is stored because it does not shrink.
//!
//! The choices are c-blosc's, so that a frame is what it would write.

use std::mem::MaybeUninit;

use super::super::output::Output;
use super::super::{Workspace, out_of_range, reserve};
use super::inner::{self, Contexts, Encoder};
use super::shuffle::{self, Filter, Level, Shape};
use super::{
    BIT_SHUFFLE, BYTE_SHUFFLE, CODEC_VERSION, FORMAT_VERSION, HEADER_LEN, MAX_BLOCK_LEN, MAX_LEN, NOT_SPLIT, STORED, State, splits,
};
use crate::error::Result;
use crate::model::{BloscInner, BloscShuffle};

const MAX_TYPE_SIZE: usize = 255;
/// Shorter content is stored, and no block is asked to be shorter.
const MIN_LEN: usize = 128;

/// The parameters of encoding.
pub(in super::super) struct Settings {
    pub(in super::super) inner: BloscInner,
    pub(in super::super) level: u8,
    pub(in super::super) shuffle: BloscShuffle,
    /// 0 lets Blosc choose.
    pub(in super::super) block_size: u32,
    pub(in super::super) type_size: usize,
}

impl Settings {
    /// The type size that the header tells.
    fn type_size(&self) -> usize {
        if (1..=MAX_TYPE_SIZE).contains(&self.type_size) { self.type_size } else { 1 }
    }

    fn splits(&self, block_len: usize) -> bool {
        self.inner != BloscInner::Zstd && splits(self.type_size(), block_len)
    }

    /// How much of `len` bytes a block holds.
    fn block_len(&self, len: usize) -> usize {
        const LEVEL_1: usize = 16 << 10;
        const LONGEST_STREAM: usize = 256 << 10;
        const SHORTEST_SPLIT: usize = 64 << 10;
        const LONGEST_SPLIT: usize = 1 << 20;
        let type_size = self.type_size();
        if len < type_size {
            return 1;
        }
        let forced = usize::try_from(self.block_size).unwrap_or(usize::MAX);
        let mut block_len = len;
        if forced > 0 {
            block_len = forced.clamp(MIN_LEN, MAX_BLOCK_LEN);
        } else if len >= 2 * LEVEL_1 {
            let is_thorough = matches!(self.inner, BloscInner::Lz4Hc | BloscInner::Zlib | BloscInner::Zstd);
            let doublings = match self.level {
                0 => 0,
                level @ 1..=3 => level.saturating_sub(1),
                4 | 5 => 3,
                9 if is_thorough => 5,
                _ => 4,
            };
            block_len = (if self.level == 0 { LEVEL_1 / 2 } else { LEVEL_1 << doublings }) << u8::from(is_thorough);
        }
        if self.level > 0 && self.splits(block_len) {
            block_len = block_len.min(LONGEST_STREAM).saturating_mul(type_size).clamp(SHORTEST_SPLIT, LONGEST_SPLIT);
        }
        block_len = block_len.min(len);
        if block_len > type_size { block_len.saturating_sub(block_len.checked_rem(type_size).unwrap_or(0)) } else { block_len }
    }
}

pub(in super::super) fn encode_bound(len: usize) -> Option<usize> {
    (len <= MAX_LEN).then(|| len.saturating_add(HEADER_LEN))
}

/// `dst` has exactly the bound's length; what does not fit is stored.
pub(in super::super) fn encode(src: &[u8], settings: &Settings, dst: &mut [MaybeUninit<u8>], workspace: &mut Workspace) -> Result<usize> {
    if settings.level > 9 {
        return Err(out_of_range("Blosc's clevel", settings.level, "0 to 9"));
    }
    let type_size = settings.type_size();
    let block_len = settings.block_len(src.len());
    let is_split = settings.splits(block_len);
    let shuffle = match settings.shuffle {
        BloscShuffle::None => 0,
        BloscShuffle::Auto if settings.type_size == 1 => BIT_SHUFFLE,
        BloscShuffle::Byte | BloscShuffle::Auto => BYTE_SHUFFLE,
        BloscShuffle::Bit => BIT_SHUFFLE,
    };
    let codec = match settings.inner {
        BloscInner::BloscLz => 0,
        BloscInner::Lz4 | BloscInner::Lz4Hc => 1,
        BloscInner::Zlib => 3,
        BloscInner::Zstd => 4,
    };
    let mut flags = shuffle | codec << 5 | if is_split { 0 } else { NOT_SPLIT };
    let mut encoded = None;
    if settings.level == 0 || src.len() < MIN_LEN {
        flags |= STORED;
    } else {
        let Workspace { gzip, zstd, blosc, .. } = workspace;
        let mut contexts = Contexts { gzip, zstd };
        let blocks = Blocks { src, type_size, block_len, is_split, filter: filter_of(shuffle, type_size) };
        let mut compressor = Encoder::new(settings.inner, settings.level, is_split);
        encoded = blocks.encode(dst, &mut compressor, blosc, &mut contexts)?;
        compressor.finish(&mut contexts);
    }
    let len = encoded.unwrap_or_else(|| src.len().saturating_add(HEADER_LEN));
    let mut output = Output::new(dst);
    let type_size = u8::try_from(type_size).unwrap_or(1);
    let too_small = |_| inner::internal();
    if encoded.is_none() {
        flags |= STORED;
    }
    output.push(&[FORMAT_VERSION, CODEC_VERSION, flags, type_size]).map_err(too_small)?;
    for size in [src.len(), block_len, len] {
        output.push(&u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes()).map_err(too_small)?;
    }
    if encoded.is_none() {
        output.push(src).map_err(too_small)?;
    }
    Ok(len)
}

/// What is done to the blocks, whose own lengths may yet forbid it.
fn filter_of(shuffle: u8, type_size: usize) -> Option<Filter> {
    match shuffle {
        BYTE_SHUFFLE if type_size > 1 => Some(Filter::Byte),
        BIT_SHUFFLE => Some(Filter::Bit),
        _ => None,
    }
}

/// Content that is cut into blocks.
struct Blocks<'a> {
    src: &'a [u8],
    type_size: usize,
    block_len: usize,
    is_split: bool,
    filter: Option<Filter>,
}

impl Blocks<'_> {
    /// Writes offsets and blocks behind the header's place, and returns the length of the frame; `None` if it would be longer than `dst`.
    fn encode(
        &self,
        dst: &mut [MaybeUninit<u8>],
        compressor: &mut Encoder,
        state: &mut State,
        contexts: &mut Contexts,
    ) -> Result<Option<usize>> {
        let table_len = self.src.len().div_ceil(self.block_len.max(1)).saturating_mul(4);
        let mut end = HEADER_LEN.saturating_add(table_len);
        let mut entry = HEADER_LEN;
        for block in self.src.chunks(self.block_len.max(1)) {
            if !put_u32(dst, entry, end) {
                return Ok(None);
            }
            entry = entry.saturating_add(4);
            let State { scratch, hc_state } = state;
            let block = self.filtered(block, scratch)?;
            let stream_count = if self.is_split && block.len() == self.block_len { self.type_size } else { 1 };
            let stream_len = block.len().checked_div(stream_count).unwrap_or(0);
            for stream in block.chunks(stream_len.max(1)) {
                let start = end.saturating_add(4);
                let room = dst.get_mut(start..).unwrap_or_default();
                let most = room.len().min(stream.len());
                let Some(room) = room.get_mut(..most).filter(|room| !room.is_empty()) else { return Ok(None) };
                // A stream as long as its content counts as stored.
                let shrunk = compressor.encode(stream, room, hc_state, contexts)?.filter(|&len| len < stream.len());
                let len = match shrunk {
                    Some(len) => len,
                    None if Output::new(room).push(stream).is_ok() => stream.len(),
                    None => return Ok(None),
                };
                put_u32(dst, end, len);
                end = start.saturating_add(len);
            }
        }
        Ok(Some(end))
    }

    /// The block as it is compressed.
    fn filtered<'b>(&self, block: &'b [u8], scratch: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let count = block.len().checked_div(self.type_size).unwrap_or(0);
        let Some(filter) = self.filter.filter(|filter| count > 0 && count.is_multiple_of(filter.unit_count())) else { return Ok(block) };
        let shape = Shape { filter, type_size: self.type_size, count, block_count: count };
        let planes = reserve(scratch, block.len())?;
        // SAFETY: the block holds `count` elements, and the scratch is as long; they do not overlap as one is borrowed mutably.
        unsafe { shuffle::to_planes(Level::best(), shape, block.as_ptr(), planes.as_mut_ptr().cast()) };
        let filtered_len = count.saturating_mul(self.type_size);
        // SAFETY: the planes of all elements fill that many bytes, which lie within the capacity.
        unsafe { scratch.set_len(filtered_len) };
        // Bytes that make no element stay where they are.
        scratch.extend_from_slice(block.get(filtered_len..).unwrap_or_default());
        Ok(scratch)
    }
}

/// Writes four bytes, least significant first; `false` where they do not fit.
fn put_u32(dst: &mut [MaybeUninit<u8>], position: usize, value: usize) -> bool {
    let bytes = u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
    let Some(place) = dst.get_mut(position..).and_then(|dst| dst.get_mut(..4)) else { return false };
    Output::new(place).push(&bytes).is_ok()
}
