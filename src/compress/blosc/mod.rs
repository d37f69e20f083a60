//! Blosc 1 frames, both ways: framing and rearrangement of our own around the compressors that the other payloads have too.
//!
//! A part of a frame is decoded from the blocks that it touches; streams that were not rearranged are decoded into place.

mod encode;
mod frame;
mod inner;
mod shuffle;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests;

use std::ffi::CStr;
use std::ops::Range;

pub(super) use encode::{Settings, encode, encode_bound};

use super::output::{Decoded, Failure, Output, corrupt};
use super::{Payload, Workspace, reserve};
use frame::{Block, Frame};
use inner::Contexts;
use shuffle::{Filter, Level, Shape};

const NAME: &str = "Blosc";
const HEADER_LEN: usize = 16;
const FORMAT_VERSION: u8 = 2;
const CODEC_VERSION: u8 = 1;
/// 2^31 - 17: lengths with the header are 32-bit and signed.
pub(super) const MAX_LEN: usize = 0x7fff_ffff - HEADER_LEN;
const MAX_BLOCK_LEN: usize = (0x7fff_ffff - 255 * 4) / 3;

// Flags of the header. The upper three bits are the codec's number.
const BYTE_SHUFFLE: u8 = 1;
const STORED: u8 = 2;
const BIT_SHUFFLE: u8 = 4;
const NOT_SPLIT: u8 = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Codec {
    BloscLz,
    Lz4,
    Zlib,
    Zstd,
}

/// Whether blocks may be split into one stream a byte of the type: for short types and blocks of many elements.
fn splits(type_size: usize, block_len: usize) -> bool {
    const MAX_STREAM_COUNT: usize = 16;
    const MIN_COUNT: usize = 128;
    type_size <= MAX_STREAM_COUNT && block_len.checked_div(type_size).is_some_and(|count| count >= MIN_COUNT)
}

/// Memory that is reused.
#[derive(Default)]
pub(super) struct State {
    /// One block, between compressor and rearrangement.
    scratch: Vec<u8>,
    /// What LZ4's high-compression mode works in.
    hc_state: Vec<u64>,
}

impl State {
    pub(super) fn retained_bytes(&self) -> usize {
        self.scratch.capacity().saturating_add(self.hc_state.capacity().saturating_mul(size_of::<u64>()))
    }
}

pub(super) fn decode(payload: Payload, output: &mut Output, workspace: &mut Workspace) -> Decoded<()> {
    let Payload { src, exact, strict, .. } = payload;
    let room = output.room();
    let frame = Frame::parse(src, exact.then_some(room), strict)?;
    if frame.len > room {
        return Err(Failure::Full);
    }
    let whole = 0..frame.len;
    decode_range(&frame, whole, output, workspace).map(|_| ())
}

/// Whether parts can be decoded without writing the rest.
pub(super) fn decodes_parts(src: &[u8]) -> bool {
    Frame::parse(src, None, false).is_ok()
}

/// Decodes the bytes `range` of a frame of `len` bytes: only the blocks that it touches. `false` if there is no frame.
pub(super) fn decode_part(
    src: &[u8],
    len: usize,
    range: Range<usize>,
    dst: &mut Vec<u8>,
    strict: bool,
    workspace: &mut Workspace,
) -> Decoded<bool> {
    if src.is_empty() {
        return Ok(false);
    }
    let frame = Frame::parse(src, Some(len), strict)?;
    // Elements that are rearranged together are decoded together.
    let slack = frame.type_size.saturating_mul(2 * Filter::Bit.unit_count());
    let wanted_len = range.len();
    let mut output = Output::new(reserve(dst, wanted_len.saturating_add(slack))?);
    let surplus = decode_range(&frame, range, &mut output, workspace)?;
    let decoded = output.len();
    // SAFETY: the output counted that many bytes as initialised, and they lie within the capacity.
    unsafe { dst.set_len(decoded) };
    if surplus > 0 {
        dst.copy_within(surplus.min(decoded).., 0);
    }
    dst.truncate(wanted_len);
    Ok(true)
}

/// Decodes the bytes `range` of the content, and returns how many others come before them. Others may come after them, too.
fn decode_range(frame: &Frame, range: Range<usize>, output: &mut Output, workspace: &mut Workspace) -> Decoded<usize> {
    let codec = match frame.codec_or_content() {
        Ok(codec) => codec,
        Err(content) => return output.push(content.get(range).unwrap_or_default()).map(|()| 0),
    };
    let Workspace { gzip, zstd, blosc, .. } = workspace;
    let mut decoder = Decoder { codec, type_size: frame.type_size, scratch: &mut blosc.scratch, contexts: Contexts { gzip, zstd } };
    let (mut surplus, mut stored_len) = (0, 0_usize);
    if range.is_empty() {
        return Ok(surplus);
    }
    for number in frame.blocks_of(&range) {
        let mut block = frame.block(number)?;
        let start = block.position;
        let within = range.start.saturating_sub(block.start)..range.end.saturating_sub(block.start).min(block.len);
        // Only the first block that is touched can be touched behind its beginning.
        surplus = surplus.max(match block.filter {
            None => decoder.decode_streams(&mut block, within, output).map(|()| 0)?,
            Some(filter) => decoder.decode_filtered(&mut block, filter, within, output)?,
        });
        stored_len = stored_len.saturating_add(block.position.saturating_sub(start));
        // Shared streams would make the work grow with the square of the frame.
        if stored_len > frame.stored_len() {
            return Err(corrupt(NAME, "has blocks that share their streams", 0).into());
        }
    }
    Ok(surplus)
}

/// What decodes the blocks of one frame.
struct Decoder<'a> {
    codec: Codec,
    type_size: usize,
    scratch: &'a mut Vec<u8>,
    contexts: Contexts<'a>,
}

impl Decoder<'_> {
    /// Decodes the bytes `within` of a block that was not rearranged: the streams that they touch, into place where they are whole.
    fn decode_streams(&mut self, block: &mut Block, within: Range<usize>, output: &mut Output) -> Decoded<()> {
        for number in 0..block.stream_count {
            let stream = block.next_stream()?;
            let start = number.saturating_mul(block.stream_len);
            let part = within.start.saturating_sub(start)..within.end.saturating_sub(start).min(block.stream_len);
            if part.is_empty() {
                continue;
            }
            if stream.bytes.len() == block.stream_len {
                output.push(stream.bytes.get(part).unwrap_or_default())?;
            } else if part == (0..block.stream_len) {
                let room = output.next(block.stream_len).ok_or(Failure::Full)?;
                inner::decode(self.codec, stream.bytes, stream.start, room, &mut self.contexts)?;
                // SAFETY: decoding initialised as many bytes.
                unsafe { output.advance(block.stream_len) };
            } else {
                inner::decode(self.codec, stream.bytes, stream.start, reserve(self.scratch, block.stream_len)?, &mut self.contexts)?;
                // SAFETY: decoding initialised as many bytes, which lie within the capacity.
                unsafe { self.scratch.set_len(block.stream_len) };
                output.push(self.scratch.get(part).unwrap_or_default())?;
            }
        }
        Ok(())
    }

    /// Decodes the bytes `within` of a block that was rearranged, with the elements that are rearranged together; returns how many bytes
    /// come before them.
    fn decode_filtered(&mut self, block: &mut Block, filter: Filter, within: Range<usize>, output: &mut Output) -> Decoded<usize> {
        let type_size = self.type_size;
        let planes = self.planes(block)?;
        let block_count = block.len.checked_div(type_size).unwrap_or(0);
        let unit = type_size.saturating_mul(filter.unit_count());
        // Bytes behind the last element stayed where they were.
        let filtered_len = block_count.saturating_mul(type_size);
        let first_unit = within.start.min(filtered_len).checked_div(unit).unwrap_or(0);
        let end_unit = within.end.min(filtered_len).div_ceil(unit.max(1));
        let start = first_unit.saturating_mul(unit);
        let len = end_unit.saturating_mul(unit).saturating_sub(start);
        let count = end_unit.saturating_sub(first_unit).saturating_mul(filter.unit_count());
        let shape = Shape { filter, type_size, count, block_count };
        let room = output.next(len).ok_or(Failure::Full)?.as_mut_ptr().cast::<u8>();
        let planes_ptr = planes.as_ptr().wrapping_add(first_unit);
        // SAFETY: the planes of the block hold all its elements, of which `count` follow the first; the output has room for these, and does
        // not overlap.
        unsafe { shuffle::to_elements(Level::best(), shape, planes_ptr, room) };
        // SAFETY: the elements fill as many bytes.
        unsafe { output.advance(len) };
        let tail = within.start.max(filtered_len)..within.end;
        output.push(planes.get(tail).unwrap_or_default())?;
        Ok(if within.start < filtered_len { within.start.saturating_sub(start) } else { 0 })
    }

    /// The whole block before it is put back in order: in the frame, if it is stored in one piece, or decoded to the scratch.
    fn planes<'s, 'f: 's>(&'s mut self, block: &mut Block<'f>) -> Decoded<&'s [u8]> {
        let mut scratch = Output::new(reserve(self.scratch, block.len)?);
        for _ in 0..block.stream_count {
            let stream = block.next_stream()?;
            if stream.bytes.len() == block.stream_len {
                if block.stream_count == 1 {
                    return Ok(stream.bytes);
                }
                scratch.push(stream.bytes)?;
                continue;
            }
            let room = scratch.next(block.stream_len).ok_or(Failure::Full)?;
            inner::decode(self.codec, stream.bytes, stream.start, room, &mut self.contexts)?;
            // SAFETY: decoding initialised as many bytes.
            unsafe { scratch.advance(block.stream_len) };
        }
        let len = scratch.len();
        // SAFETY: the streams initialised as many bytes, which lie within the capacity.
        unsafe { self.scratch.set_len(len) };
        Ok(self.scratch)
    }
}

pub(super) fn version() -> String {
    // SAFETY: has no precondition.
    let version = unsafe { blosc_sys::blosc_get_version_string() };
    // SAFETY: the library returns a constant that ends with NUL.
    let version = unsafe { CStr::from_ptr(version) };
    format!("c-blosc {}", version.to_string_lossy())
}
