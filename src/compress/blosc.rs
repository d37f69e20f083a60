//! Blosc 1 frames, both ways, by c-blosc's context calls: no global state, one thread.
//!
//! c-blosc believes much of what a frame says, so that header, offsets and stream lengths are checked here before it sees them.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ops::Range;

use blosc_sys as sys;

use super::output::{Decoded, Failure, Output, check_tail, corrupt, rest, u32_at};
use super::{Payload, mismatch, out_of_range, reserve, zstd};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{BloscInner, BloscShuffle};

const NAME: &str = "Blosc";
const HEADER_LEN: usize = 16;
const FORMAT_VERSION: u8 = 2;
const CODEC_VERSION: u8 = 1;
/// 2^31 - 17: lengths with the header are 32-bit and signed.
const MAX_LEN: usize = 0x7fff_ffff - HEADER_LEN;
const MAX_BLOCK_LEN: usize = (0x7fff_ffff - 255 * 4) / 3;
const MAX_TYPE_SIZE: usize = 255;
/// Encoding leaves room for one block below the limit: c-blosc adds the length of a block to what it has written before it compares.
const MAX_ENCODED_LEN: usize = MAX_LEN - LARGEST_OWN_BLOCK_LEN - 4;
/// The largest block that c-blosc chooses by itself is 1 MiB.
const LARGEST_OWN_BLOCK_LEN: usize = 2 << 20;

const BYTE_SHUFFLE: u8 = 1;
const STORED: u8 = 2;
const BIT_SHUFFLE: u8 = 4;
const RESERVED: u8 = 8;
const NOT_SPLIT: u8 = 16;

/// Blocks are split into one stream a byte of the type, if the type is at most this long...
const MAX_STREAM_COUNT: usize = 16;
/// ...and the block has at least this many elements.
const MIN_SPLIT_COUNT: usize = 128;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Codec {
    BloscLz,
    Lz4,
    Zlib,
    Zstd,
}

/// What a frame's header says, checked against the bytes that are there.
struct Frame<'a> {
    /// The frame, without what follows it.
    bytes: &'a [u8],
    flags: u8,
    type_size: usize,
    len: usize,
    block_len: usize,
    /// `None` where the content is stored.
    codec: Option<Codec>,
}

impl<'a> Frame<'a> {
    /// `wanted` is the decoded size, where it is known.
    fn parse(src: &'a [u8], wanted: Option<usize>, strict: bool) -> Result<Self> {
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

    fn block_count(&self) -> usize {
        self.len.div_ceil(self.block_len.max(1))
    }

    /// The content, if it is stored.
    fn stored(&self) -> Option<&'a [u8]> {
        self.codec.is_none().then(|| rest(self.bytes, HEADER_LEN))
    }

    /// Checks the streams of these blocks.
    fn check_blocks(&self, blocks: Range<usize>) -> Result<()> {
        let Some(codec) = self.codec else { return Ok(()) };
        let mut total = 0_usize;
        for block in blocks {
            total = total.saturating_add(self.check_block(codec, block)?);
            // Shared streams would make the work grow with the square of the frame.
            if total > self.bytes.len() {
                return Err(corrupt(NAME, "has blocks that share their streams", 0));
            }
        }
        Ok(())
    }

    /// Checks the streams of one block, and returns their stored length.
    fn check_block(&self, codec: Codec, block: usize) -> Result<usize> {
        let table_end = HEADER_LEN.saturating_add(self.block_count().saturating_mul(4));
        let entry = HEADER_LEN.saturating_add(block.saturating_mul(4));
        let begin = block.saturating_mul(self.block_len);
        let len = self.len.saturating_sub(begin).min(self.block_len);
        let splits = self.flags & NOT_SPLIT == 0
            && self.type_size <= MAX_STREAM_COUNT
            && len.checked_div(self.type_size).is_some_and(|count| count >= MIN_SPLIT_COUNT)
            && len == self.block_len;
        let stream_count = if splits { self.type_size } else { 1 };
        // c-blosc would leave the bytes that the streams do not cover as they were.
        if !len.is_multiple_of(stream_count) {
            return Err(corrupt(NAME, "has blocks that are no multiple of the type size", entry));
        }
        let stream_len = len.checked_div(stream_count).unwrap_or(len);
        let mut position = u32_at(self.bytes, entry).and_then(|offset| usize::try_from(offset).ok()).unwrap_or(usize::MAX);
        if position < table_end {
            return Err(corrupt(NAME, "has a block that begins inside the header", entry));
        }
        let begin_position = position;
        for _ in 0..stream_count {
            let stored_len = u32_at(self.bytes, position).and_then(|len| usize::try_from(len).ok());
            let start = position.saturating_add(4);
            let stream = stored_len.and_then(|len| rest(self.bytes, start).get(..len));
            let Some(stream) = stream else {
                return Err(corrupt(NAME, "has a block that reaches beyond the end", position.min(self.bytes.len())));
            };
            if stream.len() != stream_len {
                check_stream(codec, stream, start)?;
            }
            position = start.saturating_add(stream.len());
        }
        Ok(position.saturating_sub(begin_position))
    }
}

/// Checks what the inner decoder would not survive or must not be given.
fn check_stream(codec: Codec, stream: &[u8], start: usize) -> Result<()> {
    /// Below this many bytes of 255, a length in `BloscLZ` stays within 31 bits; its decoder adds without looking.
    const LONGEST_LENGTH: usize = (1 << 31) / 255 - 16;
    let refused = match codec {
        Codec::Zstd if !zstd::is_frames_only(stream) => "has a stream that is no sound zstd frame",
        Codec::BloscLz if stream.len() > LONGEST_LENGTH && stream.split(|&byte| byte != 255).any(|run| run.len() > LONGEST_LENGTH) => {
            "has a stream with an impossible length"
        }
        _ => return Ok(()),
    };
    Err(corrupt(NAME, refused, start))
}

/// Asks for what c-blosc is about to allocate: it would go on without.
fn check_memory(block_len: usize) -> Result<()> {
    let mut probe = Vec::<u8>::new();
    let len = block_len.saturating_mul(3).saturating_add(MAX_TYPE_SIZE * 4);
    probe.try_reserve_exact(len).map_err(|_| Error::out_of_memory())?;
    std::hint::black_box(&mut probe);
    Ok(())
}

fn refused_by_library(code: c_int) -> Error {
    corrupt(NAME, "is damaged", 0).with_native_code(i64::from(code))
}

pub(super) fn decode(payload: Payload, output: &mut Output) -> Decoded<()> {
    let Payload { src, exact, strict, .. } = payload;
    let room = output.room();
    let frame = Frame::parse(src, exact.then_some(room), strict)?;
    if frame.len > room {
        return Err(Failure::Full);
    }
    if frame.len == 0 {
        return Ok(());
    }
    if let Some(stored) = frame.stored() {
        return output.push(stored);
    }
    frame.check_blocks(0..frame.block_count())?;
    check_memory(frame.block_len)?;
    // SAFETY: the frame was checked against its own length; the output has room for what it decodes to, and does not overlap as it is
    // borrowed mutably.
    let decoded = unsafe { sys::blosc_decompress_ctx(frame.bytes.as_ptr().cast(), output.next_ptr().cast(), frame.len, 1) };
    if usize::try_from(decoded) != Ok(frame.len) {
        return Err(refused_by_library(decoded).into());
    }
    // SAFETY: the library wrote that many bytes.
    unsafe { output.advance(frame.len) };
    Ok(())
}

/// Whether there are pieces that can be decoded alone.
pub(super) fn decodes_parts(src: &[u8]) -> bool {
    Frame::parse(src, None, false).is_ok_and(|frame| frame.codec.is_none() || frame.block_count() > 1)
}

/// Decodes the bytes `range` of a frame of `len` bytes: only the blocks that it touches. `false` if the whole has to be decoded.
pub(super) fn decode_part(src: &[u8], len: usize, range: Range<usize>, dst: &mut Vec<u8>, strict: bool) -> Decoded<bool> {
    if src.is_empty() {
        return Ok(false);
    }
    let frame = Frame::parse(src, Some(len), strict)?;
    if let Some(stored) = frame.stored() {
        let part = stored.get(range).unwrap_or_default();
        reserve(dst, part.len())?;
        dst.extend_from_slice(part);
        return Ok(true);
    }
    if range.is_empty() {
        return Ok(true);
    }
    // c-blosc counts in elements, and knows none that is cut.
    let first = range.start.checked_div(frame.type_size).unwrap_or(0);
    let end = range.end.div_ceil(frame.type_size);
    let (start_byte, end_byte) = (first.saturating_mul(frame.type_size), end.saturating_mul(frame.type_size));
    if end_byte > frame.len || frame.block_count() == 1 {
        return Ok(false);
    }
    frame.check_blocks(start_byte.checked_div(frame.block_len).unwrap_or(0)..end_byte.div_ceil(frame.block_len))?;
    check_memory(frame.block_len)?;
    let touched_len = end_byte.saturating_sub(start_byte);
    let spare = reserve(dst, touched_len)?;
    let count = |count: usize| c_int::try_from(count).unwrap_or(0);
    // SAFETY: the blocks that are touched were checked; the items lie within the frame, and the memory has room for them.
    let decoded = unsafe {
        sys::blosc_getitem(frame.bytes.as_ptr().cast(), count(first), count(end.saturating_sub(first)), spare.as_mut_ptr().cast())
    };
    if usize::try_from(decoded) != Ok(touched_len) {
        return Err(refused_by_library(decoded).into());
    }
    // SAFETY: the library wrote that many bytes, which lie within the capacity.
    unsafe { dst.set_len(touched_len) };
    dst.copy_within(range.start.saturating_sub(start_byte).min(touched_len).., 0);
    dst.truncate(range.len());
    Ok(true)
}

/// The parameters of encoding.
pub(super) struct Settings {
    pub(super) inner: BloscInner,
    pub(super) level: u8,
    pub(super) shuffle: BloscShuffle,
    /// 0 lets Blosc choose.
    pub(super) block_size: u32,
    pub(super) type_size: usize,
}

pub(super) fn encode_bound(len: usize) -> Option<usize> {
    (len <= MAX_ENCODED_LEN).then(|| len.saturating_add(HEADER_LEN))
}

/// `dst` has exactly the bound's length, on which the result depends: Blosc stores what does not fit.
pub(super) fn encode(src: &[u8], settings: &Settings, dst: &mut [MaybeUninit<u8>]) -> Result<usize> {
    if settings.level > 9 {
        return Err(out_of_range("Blosc's clevel", settings.level, "0 to 9"));
    }
    let shuffle = match settings.shuffle {
        BloscShuffle::None => 0,
        BloscShuffle::Auto if settings.type_size == 1 => BIT_SHUFFLE / 2,
        BloscShuffle::Byte | BloscShuffle::Auto => BYTE_SHUFFLE,
        BloscShuffle::Bit => BIT_SHUFFLE / 2,
    };
    let type_size = if (1..=MAX_TYPE_SIZE).contains(&settings.type_size) { settings.type_size } else { 1 };
    let block_limit = MAX_LEN.saturating_sub(4).saturating_sub(src.len()).min(MAX_BLOCK_LEN);
    let block_size = usize::try_from(settings.block_size).unwrap_or(usize::MAX).min(block_limit);
    check_memory(block_size.max(LARGEST_OWN_BLOCK_LEN).min(src.len()))?;
    let inner = match settings.inner {
        BloscInner::BloscLz => c"blosclz",
        BloscInner::Lz4 => c"lz4",
        BloscInner::Lz4Hc => c"lz4hc",
        BloscInner::Zlib => c"zlib",
        BloscInner::Zstd => c"zstd",
    };
    // SAFETY: both memories are as long as said, and do not overlap as one is borrowed mutably; the name ends with NUL.
    let written = unsafe {
        sys::blosc_compress_ctx(
            c_int::from(settings.level),
            c_int::from(shuffle),
            type_size,
            src.len(),
            src.as_ptr().cast(),
            dst.as_mut_ptr().cast(),
            dst.len(),
            inner.as_ptr(),
            block_size,
            1,
        )
    };
    usize::try_from(written).ok().filter(|&written| written > 0).ok_or_else(|| {
        Error::new(ErrorKind::Internal, "c-blosc refuses to encode; report this as a defect of zn5").with_native_code(i64::from(written))
    })
}

pub(super) fn version() -> String {
    // SAFETY: has no precondition.
    let version = unsafe { sys::blosc_get_version_string() };
    // SAFETY: the library returns a constant that ends with NUL.
    let version = unsafe { CStr::from_ptr(version) };
    format!("c-blosc {}", version.to_string_lossy())
}
