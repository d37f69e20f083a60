//! What a Blosc frame says of itself, none of it believed: header, offsets of blocks, lengths of streams.
//!
//! A frame is a header of 16 bytes, the offset of each block, and the blocks; a block is streams, each after its length.

use std::ops::Range;

use super::super::mismatch;
use super::super::output::{check_tail, corrupt, rest, u32_at};
use super::shuffle::Filter;
use super::{
    BIT_SHUFFLE, BYTE_SHUFFLE, CODEC_VERSION, Codec, FORMAT_VERSION, HEADER_LEN, MAX_BLOCK_LEN, MAX_LEN, NAME, NOT_SPLIT, STORED, splits,
};
use crate::error::Result;

const RESERVED: u8 = 8;

/// What a frame's header says, checked against the bytes that are there.
pub(super) struct Frame<'a> {
    /// The frame, without what follows it.
    bytes: &'a [u8],
    flags: u8,
    pub(super) type_size: usize,
    pub(super) len: usize,
    pub(super) block_len: usize,
    /// `None` where the content is stored.
    codec: Option<Codec>,
}

impl<'a> Frame<'a> {
    /// `wanted` is the decoded size, where it is known.
    pub(super) fn parse(src: &'a [u8], wanted: Option<usize>, strict: bool) -> Result<Self> {
        let Some(&[version, codec_version, flags, type_size]) = src.get(..HEADER_LEN).and_then(<[u8]>::first_chunk) else {
            return Err(corrupt(NAME, "is cut inside its header", 0));
        };
        let damaged = |what: &str| Err(corrupt(NAME, what, 0));
        if version != FORMAT_VERSION {
            return damaged(&format!("has format version {version}, and 2 is what Blosc 1 writes"));
        }
        if flags & RESERVED != 0 {
            return damaged("has a flag that Blosc 1 does not know");
        }
        let size_at = |position| u32_at(src, position).and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        let (len, block_len, frame_len) = (size_at(4), size_at(8), size_at(12));
        let type_size = usize::from(type_size);
        if len > MAX_LEN {
            return damaged("has a negative size in its header");
        }
        let Some(bytes) = src.get(..frame_len) else {
            return damaged("is cut: its header promises more bytes than there are");
        };
        if frame_len < HEADER_LEN {
            return damaged("has a header that promises fewer bytes than itself");
        }
        if type_size == 0 {
            return damaged("has type size 0 in its header");
        }
        if len > 0 && (block_len == 0 || block_len > len || block_len > MAX_BLOCK_LEN) {
            return damaged("has a block size in its header that cannot be");
        }
        let mut frame = Self { bytes, flags, type_size, len, block_len, codec: None };
        if flags & STORED != 0 {
            if frame_len != HEADER_LEN.saturating_add(len) {
                return damaged("has a header whose two sizes do not belong to a stored frame");
            }
        } else {
            frame.codec = Some(Self::codec(flags >> 5, codec_version)?);
            if frame.block_count() > frame_len.saturating_sub(HEADER_LEN) / 4 {
                return damaged("is too short for the offsets of its blocks");
            }
        }
        // A header that contradicts itself is damage; one that holds together and tells another size is a frame for something else.
        if let Some(wanted) = wanted.filter(|&wanted| wanted != len) {
            return Err(mismatch(&format!("{len} bytes"), wanted));
        }
        check_tail(src, frame_len, strict, NAME)?;
        Ok(frame)
    }

    fn codec(number: u8, version: u8) -> Result<Codec> {
        let codec = match number {
            0 => Codec::BloscLz,
            1 => Codec::Lz4,
            2 => return Err(corrupt(NAME, "is compressed with snappy, which is not built in", 0)),
            3 => Codec::Zlib,
            4 => Codec::Zstd,
            number => return Err(corrupt(NAME, &format!("has inner codec {number}, which does not exist"), 0)),
        };
        if version != CODEC_VERSION {
            return Err(corrupt(NAME, &format!("has version {version} of its inner codec's format, and 1 is what Blosc 1 writes"), 0));
        }
        Ok(codec)
    }

    /// Stored bytes, with the header.
    pub(super) fn stored_len(&self) -> usize {
        self.bytes.len()
    }

    fn block_count(&self) -> usize {
        self.len.div_ceil(self.block_len.max(1))
    }

    /// The codec of the streams, or else the content, which is stored.
    pub(super) fn codec_or_content(&self) -> std::result::Result<Codec, &'a [u8]> {
        self.codec.ok_or_else(|| rest(self.bytes, HEADER_LEN))
    }

    /// The blocks that these bytes of the content touch.
    pub(super) fn blocks_of(&self, range: &Range<usize>) -> Range<usize> {
        range.start.checked_div(self.block_len).unwrap_or(0)..range.end.div_ceil(self.block_len.max(1))
    }

    /// The block of this number, up to its first stream.
    pub(super) fn block(&self, number: usize) -> Result<Block<'a>> {
        let table_end = HEADER_LEN.saturating_add(self.block_count().saturating_mul(4));
        let entry = HEADER_LEN.saturating_add(number.saturating_mul(4));
        let start = number.saturating_mul(self.block_len);
        let len = self.len.saturating_sub(start).min(self.block_len);
        let is_split = self.flags & NOT_SPLIT == 0 && len == self.block_len && splits(self.type_size, len);
        let stream_count = if is_split { self.type_size } else { 1 };
        // Bytes that the streams do not cover would be left as they were.
        if !len.is_multiple_of(stream_count) {
            return Err(corrupt(NAME, "has blocks that are no multiple of the type size", entry));
        }
        let position = u32_at(self.bytes, entry).and_then(|offset| usize::try_from(offset).ok()).unwrap_or(usize::MAX);
        if position < table_end {
            return Err(corrupt(NAME, "has a block that begins inside the header", entry));
        }
        let stream_len = len.checked_div(stream_count).unwrap_or(len);
        Ok(Block { frame: self.bytes, start, len, filter: self.filter(len), stream_count, stream_len, position })
    }

    /// What was done to a block of this length before it was compressed.
    fn filter(&self, len: usize) -> Option<Filter> {
        let count = len.checked_div(self.type_size).unwrap_or(0);
        let filter = if self.flags & BYTE_SHUFFLE != 0 && self.type_size > 1 {
            Filter::Byte
        } else if self.flags & BIT_SHUFFLE != 0 {
            Filter::Bit
        } else {
            return None;
        };
        (count > 0 && count.is_multiple_of(filter.unit_count())).then_some(filter)
    }
}

/// One block of a frame.
pub(super) struct Block<'a> {
    frame: &'a [u8],
    /// Where it begins in the content, and how long it is there.
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) filter: Option<Filter>,
    pub(super) stream_count: usize,
    /// Decoded bytes of each stream.
    pub(super) stream_len: usize,
    /// Where the next stream's length stands.
    pub(super) position: usize,
}

/// One stream of a block.
pub(super) struct Stream<'a> {
    pub(super) bytes: &'a [u8],
    /// Where it begins in the payload.
    pub(super) start: usize,
}

impl<'a> Block<'a> {
    /// The next of the `stream_count` streams.
    pub(super) fn next_stream(&mut self) -> Result<Stream<'a>> {
        let stored_len = u32_at(self.frame, self.position).and_then(|len| usize::try_from(len).ok());
        let start = self.position.saturating_add(4);
        let stream = stored_len.and_then(|len| rest(self.frame, start).get(..len));
        let Some(bytes) = stream else {
            return Err(corrupt(NAME, "has a block that reaches beyond the end", self.position.min(self.frame.len())));
        };
        self.position = start.saturating_add(bytes.len());
        Ok(Stream { bytes, start })
    }
}
