//! The LZ4 block: the unit that all LZ4 formats wrap. Decoding and encoding by liblz4, and measuring without decoding.
//!
//! A block knows neither its own length nor its decoded one; liblz4 cannot tell damage from lack of room, measuring can.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use super::super::output::Output;

/// How far back a match can reach.
pub(super) const WINDOW_LEN: usize = 64 << 10;

unsafe extern "C" {
    /// Missing in lz4-sys.
    fn LZ4_decompress_safe_usingDict(
        src: *const c_char,
        dst: *mut c_char,
        src_len: c_int,
        dst_len: c_int,
        dictionary: *const c_char,
        dictionary_len: c_int,
    ) -> c_int;
}

/// The result of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Stored bytes.
    pub(super) len: usize,
    /// Decoded bytes.
    pub(super) decoded_len: usize,
}

/// Follows the sequences of the block at the beginning of `src`, whose matches may reach `history` bytes before it.
///
/// The block ends where `wanted` bytes are decoded, or, without `wanted`, where `src` does. `None` if it does not, or is damaged.
pub(super) fn measure(src: &[u8], history: usize, wanted: Option<usize>) -> Option<Extent> {
    const MIN_MATCH_LEN: usize = 4;
    let mut position = 0_usize;
    let mut decoded_len = 0_usize;
    loop {
        let token = usize::from(*src.get(position)?);
        position = position.checked_add(1)?;
        let literal_len = length(src, &mut position, token >> 4)?;
        position = position.checked_add(literal_len).filter(|&position| position <= src.len())?;
        decoded_len = decoded_len.checked_add(literal_len)?;
        let ended = wanted.map_or(position == src.len(), |wanted| decoded_len == wanted);
        if ended {
            return Some(Extent { len: position, decoded_len });
        }
        let distance = usize::from(u16::from_le_bytes(*src.get(position..)?.first_chunk()?));
        position = position.checked_add(2)?;
        if distance == 0 || distance > decoded_len.saturating_add(history) {
            return None;
        }
        let match_len = length(src, &mut position, token & 15)?.checked_add(MIN_MATCH_LEN)?;
        decoded_len = decoded_len.checked_add(match_len)?;
        if wanted.is_some_and(|wanted| decoded_len > wanted) {
            return None;
        }
    }
}

/// A length of a sequence: what the token says, and if that is 15, bytes that add up until one is not 255.
fn length(src: &[u8], position: &mut usize, in_token: usize) -> Option<usize> {
    let mut len = in_token;
    let mut more = in_token == 15;
    while more {
        let byte = *src.get(*position)?;
        *position = position.checked_add(1)?;
        len = len.checked_add(usize::from(byte))?;
        more = byte == 255;
    }
    Some(len)
}

/// Decodes the block `src` to at most `limit` bytes, and returns their number. Matches may reach `history` bytes back into `output`.
///
/// `None` if it is damaged, or if there is no room: nothing is counted as written then.
pub(super) fn decode(src: &[u8], limit: usize, history: usize, output: &mut Output) -> Option<usize> {
    let src_len = c_int::try_from(src.len()).ok()?;
    let dst_len = c_int::try_from(limit.min(output.room())).unwrap_or(c_int::MAX);
    let history = history.min(output.len()).min(WINDOW_LEN);
    let dst = output.next_ptr();
    // SAFETY: at least `history` written bytes lie before the next one, in the same memory.
    let dictionary = unsafe { dst.sub(history) };
    let history = c_int::try_from(history).unwrap_or(0);
    // SAFETY: both memories are as long as said and do not overlap, as one is borrowed mutably; the dictionary is initialised.
    let decoded = unsafe {
        LZ4_decompress_safe_usingDict(src.as_ptr().cast(), dst.cast(), src_len, dst_len, dictionary.cast_const().cast(), history)
    };
    let decoded = usize::try_from(decoded).ok()?;
    // SAFETY: the library wrote that many bytes.
    unsafe { output.advance(decoded) };
    Some(decoded)
}

/// The most that a block of `len` bytes takes; `None` for more than a block can hold.
pub(super) fn bound(len: usize) -> Option<usize> {
    let len = c_int::try_from(len).ok()?;
    // SAFETY: has no precondition; 0 says that the size is too large.
    let bound = unsafe { lz4_sys::LZ4_compressBound(len) };
    usize::try_from(bound).ok().filter(|&bound| bound > 0)
}

/// Encodes `src` into `dst`, which has at least `bound(src.len())` bytes, and returns the length.
pub(super) fn encode(src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Option<usize> {
    let src_len = c_int::try_from(src.len()).ok()?;
    let dst_len = c_int::try_from(dst.len()).unwrap_or(c_int::MAX);
    // SAFETY: both memories are as long as said, and do not overlap as one is borrowed mutably.
    let written = unsafe { lz4_sys::LZ4_compress_default(src.as_ptr().cast(), dst.as_mut_ptr().cast(), src_len, dst_len) };
    usize::try_from(written).ok().filter(|&written| written > 0)
}
