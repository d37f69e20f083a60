//! The LZ4 frame (magic 184d2204), read only: rust-n5 and pyn5 write it. One frame makes a payload.
//!
//! Decoded straight into the output, whose last 64 KiB serve linked blocks as history, so that no memory follows the header's claims.

use xxhash_rust::xxh32::xxh32;

use super::super::output::{Decoded, Failure, Output, check_tail, corrupt, offset, rest, u32_at};
use super::{NAME, block};
use crate::error::Result;

pub(super) const MAGIC: &[u8] = &[0x04, 0x22, 0x4d, 0x18];
/// Of a block's length: the block is stored.
const STORED: u32 = 1 << 31;
const CHECKSUM_LEN: usize = 4;

/// What the frame's descriptor says.
struct Descriptor {
    blocks_are_independent: bool,
    blocks_have_checksums: bool,
    content_has_checksum: bool,
    content_len: Option<u64>,
    max_block_len: usize,
    /// Where the first block stands.
    end: usize,
}

impl Descriptor {
    fn parse(src: &[u8]) -> Result<Self> {
        let cut = || corrupt(NAME, "is cut inside the frame's header", 0);
        let damaged = |what| Err(corrupt(NAME, what, 0));
        let [flags, sizes] = *rest(src, MAGIC.len()).first_chunk().ok_or_else(cut)?;
        if flags >> 6 != 1 || flags & 2 != 0 || sizes & 0x8f != 0 {
            return damaged("has a frame header of an unknown version");
        }
        if flags & 1 != 0 {
            return damaged("needs a dictionary, which N5 has no place for");
        }
        let max_block_len = match sizes >> 4 {
            4 => 64 << 10,
            5 => 256 << 10,
            6 => 1 << 20,
            7 => 4 << 20,
            _ => return damaged("has a frame header with an unknown block size"),
        };
        let mut end = MAGIC.len().saturating_add(2);
        let mut content_len = None;
        if flags & 8 != 0 {
            content_len = Some(u64::from_le_bytes(*rest(src, end).first_chunk().ok_or_else(cut)?));
            end = end.saturating_add(8);
        }
        let checksum = *src.get(end).ok_or_else(cut)?;
        let descriptor = src.get(MAGIC.len()..end).unwrap_or_default();
        if u32::from(checksum) != xxh32(descriptor, 0) >> 8 & 0xff {
            return damaged("has a frame header whose checksum is wrong");
        }
        Ok(Self {
            blocks_are_independent: flags & 0x20 != 0,
            blocks_have_checksums: flags & 0x10 != 0,
            content_has_checksum: flags & 4 != 0,
            content_len,
            max_block_len,
            end: end.saturating_add(1),
        })
    }
}

pub(super) fn decode(src: &[u8], output: &mut Output) -> Decoded<()> {
    let descriptor = Descriptor::parse(src)?;
    let before = output.len();
    let mut position = descriptor.end;
    loop {
        let cut = || corrupt(NAME, "is cut", position);
        let header = u32_at(src, position).ok_or_else(cut)?;
        let start = position.saturating_add(4);
        if header == 0 {
            position = start;
            break;
        }
        let len = usize::try_from(header & !STORED).unwrap_or(usize::MAX);
        if len > descriptor.max_block_len {
            return Err(corrupt(NAME, "has a block that is longer than the frame allows", position).into());
        }
        let stored = rest(src, start).get(..len).ok_or_else(cut)?;
        let mut end = start.saturating_add(len);
        if descriptor.blocks_have_checksums {
            if u32_at(src, end).ok_or_else(cut)? != xxh32(stored, 0) {
                return Err(corrupt(NAME, "has a block whose checksum is wrong", position).into());
            }
            end = end.saturating_add(CHECKSUM_LEN);
        }
        if header & STORED != 0 {
            output.push(stored)?;
        } else {
            let history = if descriptor.blocks_are_independent { 0 } else { output.len().saturating_sub(before) };
            if block::decode(stored, descriptor.max_block_len, history, output).is_none() {
                if overflows(stored, descriptor.max_block_len, history, output.room()) {
                    return Err(Failure::Full);
                }
                return Err(corrupt(NAME, "has a damaged block", position).into());
            }
        }
        position = end;
    }
    let content = rest(output.written(), before);
    if descriptor.content_len.is_some_and(|len| len != offset(content.len())) {
        return Err(corrupt(NAME, "decodes to another size than its header says", 0).into());
    }
    if descriptor.content_has_checksum {
        let stored = u32_at(src, position).ok_or_else(|| corrupt(NAME, "is cut before its checksum", position))?;
        if stored != xxh32(content, 0) {
            return Err(corrupt(NAME, "has a wrong content checksum", position).into());
        }
        position = position.saturating_add(CHECKSUM_LEN);
    }
    Ok(check_tail(src, position, false, NAME)?)
}

/// Whether the block that liblz4 refused is a sound one that needs more room than there is.
fn overflows(stored: &[u8], max_len: usize, history: usize, room: usize) -> bool {
    block::measure(stored, history.min(block::WINDOW_LEN), None)
        .is_some_and(|extent| extent.decoded_len > room && extent.decoded_len <= max_len)
}
