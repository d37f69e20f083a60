//! The four formats that share N5's name `lz4`, told apart by their first bytes; written is the first, Java's `LZ4Block` chain.
//!
//! The others: the LZ4 frame (rust-n5), a block after its decoded size (numcodecs), a bare block (z5).

mod block;
mod chain;
mod frame;

use std::ffi::c_int;

pub(super) use chain::{decode_part, encode, encode_bound};

use super::output::{Decoded, Failure, Output, check_tail, corrupt, not_strict, rest, u32_at};
use super::{Payload, mismatch};

const NAME: &str = "lz4";
/// Of the decoded size in front of numcodecs' block.
const PREFIX_LEN: usize = 4;

pub(super) fn decode(payload: Payload, output: &mut Output) -> Decoded<()> {
    let Payload { src, strict, .. } = payload;
    if src.starts_with(chain::MAGIC) {
        return chain::decode(payload, output);
    }
    if strict {
        return Err(not_strict(NAME, "is no chain of LZ4Block frames", 0).into());
    }
    if src.starts_with(frame::MAGIC) {
        return frame::decode(src, output);
    }
    decode_block(payload, output)
}

/// Whether pieces can be decoded alone.
pub(super) fn decodes_parts(src: &[u8]) -> bool {
    src.starts_with(chain::MAGIC)
}

/// Decodes numcodecs' block, or else z5's. Neither says where it ends; the decoded size does.
fn decode_block(payload: Payload, output: &mut Output) -> Decoded<()> {
    let Payload { src, exact, .. } = payload;
    let room = output.room();
    let prefix = u32_at(src, 0).and_then(|len| usize::try_from(len).ok());
    let prefixed = prefix.filter(|&len| !exact || len == room).map(|len| (PREFIX_LEN, len));
    // Without the decoded size almost anything passes for a bare block.
    let bare = exact.then_some((0, room));
    for (start, len) in [prefixed, bare].into_iter().flatten() {
        let Some(extent) = block::measure(rest(src, start), 0, Some(len)) else { continue };
        if len > room {
            return Err(Failure::Full);
        }
        let end = start.saturating_add(extent.len);
        if block::decode(src.get(start..end).unwrap_or_default(), len, 0, output) == Some(len) {
            return Ok(check_tail(src, end, false, NAME)?);
        }
    }
    // A whole block of another size is a mismatch, not damage. Zeros and the beginning of a magic number only look like one.
    let is_cut = chain::MAGIC.starts_with(src) || frame::MAGIC.starts_with(src);
    let whole = prefix.and_then(|len| block::measure(rest(src, PREFIX_LEN), 0, Some(len))).or_else(|| block::measure(src, 0, None));
    match whole {
        Some(extent) if exact && !is_cut && extent.decoded_len > 0 && extent.decoded_len != room => {
            Err(mismatch(&format!("{} bytes", extent.decoded_len), room).into())
        }
        _ => Err(corrupt(NAME, "is damaged or cut, or in none of the four formats of that name", 0).into()),
    }
}

pub(super) fn version() -> String {
    // SAFETY: has no precondition.
    let number: c_int = unsafe { lz4_sys::LZ4_versionNumber() };
    // Two decimal digits for each part.
    format!("lz4 {}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}
