//! The chain of `LZ4Block` frames, Java's format: pieces of a few KiB to MiB, each with lengths and checksum, then an end mark.
//!
//! Headers alone tell where every piece lies, so that a part is decoded without the rest.

use std::mem::MaybeUninit;
use std::ops::Range;

use xxhash_rust::xxh32::xxh32;

use super::super::output::{Decoded, Failure, Output, check_tail, corrupt, not_strict, rest, u32_at};
use super::super::{Payload, mismatch, out_of_range, reserve};
use super::{NAME, block};
use crate::error::{Error, ErrorKind, Result};

pub(super) const MAGIC: &[u8] = b"LZ4Block";
/// Magic, token, stored length, decoded length, checksum.
const HEADER_LEN: usize = 21;
const METHOD_STORED: u8 = 0x10;
const METHOD_LZ4: u8 = 0x20;
/// The token's level counts powers of two from this one, for the longest piece.
const LEVEL_BASE: u32 = 10;
const CHECKSUM_SEED: u32 = 0x9747_b28c;
/// Java keeps 28 bits of the hash.
const CHECKSUM_MASK: u32 = 0x0fff_ffff;

/// One frame of the chain.
struct Piece<'a> {
    start: usize,
    is_stored: bool,
    stored: &'a [u8],
    decoded_len: usize,
    checksum: u32,
}

enum Step<'a> {
    Piece(Piece<'a>),
    /// The end mark.
    End,
    /// No header here, and not the beginning of one.
    Absent,
}

fn checksum(bytes: &[u8]) -> u32 {
    xxh32(bytes, CHECKSUM_SEED) & CHECKSUM_MASK
}

/// Reads the header at `start`; what it claims lies within `src`.
fn step(src: &[u8], start: usize) -> Result<Step<'_>> {
    let here = rest(src, start);
    let Some(header) = here.get(..HEADER_LEN) else {
        let begins = !here.is_empty() && (here.starts_with(MAGIC) || MAGIC.starts_with(here));
        return if begins { Err(corrupt(NAME, "is cut inside a frame's header", start)) } else { Ok(Step::Absent) };
    };
    if !header.starts_with(MAGIC) {
        return Ok(Step::Absent);
    }
    let damaged = |what| Err(corrupt(NAME, what, start));
    let token = header.get(MAGIC.len()).copied().unwrap_or(0);
    let length_at = |position| u32_at(header, position).and_then(|len| i32::try_from(len).ok()).and_then(|len| usize::try_from(len).ok());
    let (Some(stored_len), Some(decoded_len)) = (length_at(9), length_at(13)) else {
        return damaged("has a frame whose length is negative");
    };
    let checksum = u32_at(header, 17).unwrap_or(0);
    let is_stored = match token & 0xf0 {
        METHOD_STORED => true,
        METHOD_LZ4 => false,
        _ => return damaged("has a frame of an unknown method"),
    };
    if decoded_len == 0 {
        return if stored_len == 0 && checksum == 0 { Ok(Step::End) } else { damaged("has a damaged end mark") };
    }
    if decoded_len > 1 << LEVEL_BASE.saturating_add(u32::from(token & 0x0f)) {
        return damaged("has a frame that is longer than its level allows");
    }
    if is_stored && stored_len != decoded_len {
        return damaged("has a stored frame whose two lengths differ");
    }
    match rest(here, HEADER_LEN).get(..stored_len) {
        Some(stored) => Ok(Step::Piece(Piece { start, is_stored, stored, decoded_len, checksum })),
        None => damaged("has a frame that is cut"),
    }
}

impl Piece<'_> {
    /// Where the next header stands.
    fn end(&self) -> usize {
        self.start.saturating_add(HEADER_LEN).saturating_add(self.stored.len())
    }

    /// Decodes and verifies the piece into `output`, which has room for it.
    fn decode(&self, output: &mut Output) -> Decoded<()> {
        if self.decoded_len > output.room() {
            return Err(Failure::Full);
        }
        let before = output.len();
        if self.is_stored {
            output.push(self.stored)?;
        } else if block::decode(self.stored, self.decoded_len, 0, output) != Some(self.decoded_len) {
            return Err(corrupt(NAME, "has a damaged frame", self.start).into());
        }
        if checksum(rest(output.written(), before)) != self.checksum {
            return Err(corrupt(NAME, "has a frame whose checksum is wrong", self.start).into());
        }
        Ok(())
    }
}

/// Checks what follows the last piece, at `end`: the end mark and nothing else.
///
/// Java accepts a chain without end mark once all bytes are there; so does this, unless `strict`.
fn finish(src: &[u8], end: usize, has_end_mark: bool, is_complete: bool, strict: bool) -> Result<()> {
    if has_end_mark {
        return check_tail(src, end.saturating_add(HEADER_LEN), strict, NAME);
    }
    if !is_complete {
        return Err(corrupt(NAME, "ends before all bytes are there", end));
    }
    if strict {
        return Err(not_strict(NAME, "has no end mark", end));
    }
    check_tail(src, end, strict, NAME)
}

pub(super) fn decode(payload: Payload, output: &mut Output) -> Decoded<()> {
    let Payload { src, exact, strict, .. } = payload;
    let mut position = 0;
    loop {
        match step(src, position)? {
            Step::Piece(piece) => {
                piece.decode(output)?;
                position = piece.end();
            }
            Step::End => return Ok(finish(src, position, true, true, strict)?),
            Step::Absent => return Ok(finish(src, position, false, !exact || output.room() == 0, strict)?),
        }
    }
}

/// Decodes the bytes `range` of a chain of `len` bytes: every header is read, and the pieces are decoded that `range` touches.
pub(in super::super) fn decode_part(src: &[u8], len: usize, range: Range<usize>, dst: &mut Vec<u8>, strict: bool) -> Decoded<()> {
    let touches = |start: usize, end: usize| start < range.end && end > range.start;
    // The pieces that are touched begin at this decoded position, and hold so many bytes.
    let (mut first, mut touched_len) = (None, 0_usize);
    let (mut position, mut decoded) = (0, 0_usize);
    let has_end_mark = loop {
        match step(src, position)? {
            Step::Piece(piece) => {
                let end = decoded.saturating_add(piece.decoded_len);
                if end > len {
                    return Err(Failure::Full);
                }
                if touches(decoded, end) {
                    first = first.or(Some((position, decoded)));
                    touched_len = touched_len.saturating_add(piece.decoded_len);
                }
                decoded = end;
                position = piece.end();
            }
            Step::End => break true,
            Step::Absent => break false,
        }
    };
    finish(src, position, has_end_mark, decoded == len, strict)?;
    if decoded != len {
        return Err(mismatch(&format!("{decoded} bytes"), len).into());
    }
    let spare = reserve(dst, touched_len)?;
    let mut output = Output::new(spare);
    let Some((mut position, start)) = first else { return Ok(()) };
    while output.len() < touched_len
        && let Step::Piece(piece) = step(src, position)?
    {
        piece.decode(&mut output)?;
        position = piece.end();
    }
    let filled = output.len();
    // SAFETY: the pieces initialised that many bytes, which lie within the capacity.
    unsafe { dst.set_len(filled) };
    let surplus = range.start.saturating_sub(start).min(filled);
    dst.copy_within(surplus.., 0);
    dst.truncate(range.len());
    Ok(())
}

pub(in super::super) fn encode_bound(block_size: u32, len: usize) -> Option<usize> {
    let block_size = usize::try_from(block_size).ok()?.max(1);
    let frames = len.div_ceil(block_size).checked_add(1)?;
    // The last piece needs as much as incompressible data may take while they are tried.
    let slack = block::bound(block_size.min(len).max(1))?;
    frames.checked_mul(HEADER_LEN)?.checked_add(len)?.checked_add(slack)
}

pub(in super::super) fn encode(src: &[u8], block_size: u32, dst: &mut [MaybeUninit<u8>]) -> Result<usize> {
    if !(64..=1 << 25).contains(&block_size) {
        return Err(out_of_range("lz4's blockSize", block_size, "64 to 33554432"));
    }
    let too_small = || Error::new(ErrorKind::Internal, "the bound of an lz4 chain is too small; report this as a defect of zn5");
    // The power of two that holds a piece; the first level stands for all up to its own.
    let level = u8::try_from(block_size.next_power_of_two().trailing_zeros().saturating_sub(LEVEL_BASE)).unwrap_or(0);
    let mut len = 0_usize;
    for piece in src.chunks(usize::try_from(block_size).unwrap_or(usize::MAX)) {
        let frame = dst.get_mut(len..).ok_or_else(too_small)?;
        let (header, body) = frame.split_at_mut_checked(HEADER_LEN).ok_or_else(too_small)?;
        let compressed = block::encode(piece, body).filter(|&stored_len| stored_len < piece.len());
        let (method, stored_len) = if let Some(stored_len) = compressed {
            (METHOD_LZ4, stored_len)
        } else {
            Output::new(body).push(piece).map_err(|_| too_small())?;
            (METHOD_STORED, piece.len())
        };
        write_header(header, method | level, stored_len, piece.len(), checksum(piece)).map_err(|_| too_small())?;
        len = len.saturating_add(HEADER_LEN).saturating_add(stored_len);
    }
    let end_mark = dst.get_mut(len..).and_then(|dst| dst.get_mut(..HEADER_LEN)).ok_or_else(too_small)?;
    write_header(end_mark, METHOD_STORED | level, 0, 0, 0).map_err(|_| too_small())?;
    Ok(len.saturating_add(HEADER_LEN))
}

fn write_header(dst: &mut [MaybeUninit<u8>], token: u8, stored_len: usize, decoded_len: usize, checksum: u32) -> Decoded<()> {
    let mut header = Output::new(dst);
    header.push(MAGIC)?;
    header.push(&[token])?;
    for len in [stored_len, decoded_len] {
        header.push(&u32::try_from(len).map_err(|_| Failure::Full)?.to_le_bytes())?;
    }
    header.push(&checksum.to_le_bytes())
}
