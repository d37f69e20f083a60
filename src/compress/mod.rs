//! Compressors: payloads are decoded into memory of known size and encoded, one file a compressor.
//!
//! Everything that is decoded is untrusted: work and memory follow the input and the bytes asked for, never what a stream claims.

mod blosc;
mod bzip2;
mod gzip;
mod lz4;
mod output;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests;
mod xz;
mod zstd;

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Compressor;

use output::{Decoded, Failure, Output, offset};

/// What decoding and encoding reuse between calls. Results never depend on what it was used for before.
#[derive(Default)]
pub struct Workspace {
    gzip: gzip::State,
    zstd: zstd::State,
    blosc: blosc::State,
    /// A whole payload, when only a part of it is asked for and the compressor cannot skip.
    whole: Vec<u8>,
}

impl Workspace {
    /// About how many bytes it holds, so that its owner can drop large ones.
    #[must_use]
    pub fn retained_bytes(&self) -> usize {
        let parts = [self.gzip.retained_bytes(), self.zstd.retained_bytes(), self.blosc.retained_bytes(), self.whole.capacity()];
        parts.into_iter().fold(0, usize::saturating_add)
    }
}

/// One payload as a decoder gets it.
#[derive(Clone, Copy)]
struct Payload<'a> {
    src: &'a [u8],
    /// Whether the output's length is the decoded size; else it is only the most that may come out.
    exact: bool,
    /// Whether the decoder is called again with a longer output if this one does not do.
    can_grow: bool,
    strict: bool,
}

/// Decodes `src` into exactly `dst.len()` bytes; all of them are initialised on success.
///
/// # Errors
/// `CorruptPayload`, `PayloadSizeMismatch`, `TrailingData`, `TruncatedBlock` (raw), `LimitExceeded` (xz) or `OutOfMemory`.
pub fn decode(compressor: Compressor, src: &[u8], dst: &mut [MaybeUninit<u8>], strict: bool, workspace: &mut Workspace) -> Result<()> {
    let len = dst.len();
    match decode_into(compressor, Payload { src, exact: true, can_grow: false, strict }, &mut Output::new(dst), workspace) {
        Ok(decoded) if decoded == len => Ok(()),
        Ok(decoded) => Err(mismatch(&format!("{decoded} bytes"), len)),
        Err(Failure::Full) => Err(overflow(len)),
        Err(Failure::Error(error)) => Err(error),
    }
}

/// Like [`decode`], into `dst`, whose content is replaced by exactly `len` bytes. After an error it is empty.
///
/// # Errors
/// As [`decode`].
pub fn decode_to(compressor: Compressor, src: &[u8], len: usize, dst: &mut Vec<u8>, strict: bool, workspace: &mut Workspace) -> Result<()> {
    dst.clear();
    // Raw sizes are compared before memory is asked for, so that a short block cannot ask for much of it.
    if compressor == Compressor::Raw {
        check_raw_len(src, len)?;
    }
    let spare = reserve(dst, len)?;
    decode(compressor, src, spare, strict, workspace)?;
    // SAFETY: `decode` initialised all `len` bytes, which lie within the capacity.
    unsafe { dst.set_len(len) };
    Ok(())
}

/// Decodes a payload of unknown size, at most `max_len` bytes, into `dst`, whose content is replaced. After an error it is empty.
///
/// Memory grows by doubling with what really comes out.
///
/// # Errors
/// As [`decode`]; `PayloadSizeMismatch` if there are more than `max_len` bytes.
pub fn decode_at_most(
    compressor: Compressor,
    src: &[u8],
    max_len: usize,
    dst: &mut Vec<u8>,
    strict: bool,
    workspace: &mut Workspace,
) -> Result<()> {
    const FIRST_LEN: usize = 64 << 10;
    let mut len = max_len.min(src.len().saturating_mul(2).max(FIRST_LEN));
    loop {
        let spare = reserve(dst, len)?;
        let payload = Payload { src, exact: false, can_grow: len < max_len, strict };
        match decode_into(compressor, payload, &mut Output::new(spare), workspace) {
            Ok(decoded) => {
                // SAFETY: the decoder counted `decoded` initialised bytes, which lie within the capacity.
                unsafe { dst.set_len(decoded) };
                return Ok(());
            }
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Full) if !payload.can_grow => {
                let message =
                    format!("the payload decodes to more than the {max_len} bytes that the array allows; check the block's codecs");
                return Err(Error::new(ErrorKind::PayloadSizeMismatch, message));
            }
            Err(Failure::Full) => len = max_len.min(len.saturating_mul(2)),
        }
    }
}

/// Whether parts of this payload can be decoded without the rest: raw, Blosc frames and `LZ4Block` chains.
#[must_use]
pub fn decodes_parts(compressor: Compressor, src: &[u8]) -> bool {
    match compressor {
        Compressor::Raw => true,
        Compressor::Blosc { .. } => blosc::decodes_parts(src),
        Compressor::Lz4 { .. } => lz4::decodes_parts(src),
        _ => false,
    }
}

/// Replaces the content of `dst` by the bytes `range` of a payload that decodes to `len` bytes. After an error it is empty.
///
/// Where [`decodes_parts`] holds, only the pieces that `range` touches are decoded and checked, beside the total size and what follows
/// the stream; otherwise the whole payload is.
///
/// # Errors
/// As [`decode`]; `InvalidArgument` for a range outside the payload.
pub fn decode_part_to(
    compressor: Compressor,
    src: &[u8],
    len: usize,
    range: Range<usize>,
    dst: &mut Vec<u8>,
    strict: bool,
    workspace: &mut Workspace,
) -> Result<()> {
    dst.clear();
    if range.start > range.end || range.end > len {
        let message = format!("bytes {} to {} lie outside a payload of {len} bytes; ask for bytes within it", range.start, range.end);
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    if range == (0..len) {
        return decode_to(compressor, src, len, dst, strict, workspace);
    }
    let part = match compressor {
        Compressor::Raw => {
            check_raw_len(src, len)?;
            let part = src.get(range.clone()).unwrap_or_default();
            reserve(dst, part.len())?;
            dst.extend_from_slice(part);
            Ok(true)
        }
        Compressor::Blosc { .. } => blosc::decode_part(src, len, range.clone(), dst, strict, workspace),
        Compressor::Lz4 { .. } if lz4::decodes_parts(src) => lz4::decode_part(src, len, range.clone(), dst, strict).map(|()| true),
        _ => Ok(false),
    };
    match part {
        Ok(true) => Ok(()),
        Ok(false) => {
            let mut whole = std::mem::take(&mut workspace.whole);
            let decoded = decode_to(compressor, src, len, &mut whole, strict, workspace).and_then(|()| {
                let part = whole.get(range).unwrap_or_default();
                reserve(dst, part.len())?;
                dst.extend_from_slice(part);
                Ok(())
            });
            workspace.whole = whole;
            decoded
        }
        Err(failure) => {
            dst.clear();
            Err(match failure {
                Failure::Error(error) => error,
                Failure::Full => overflow(len),
            })
        }
    }
}

/// The memory that encoding `len` bytes needs; `None` if the compressor cannot take so many.
#[must_use]
pub fn encode_bound(compressor: Compressor, len: usize) -> Option<usize> {
    match compressor {
        Compressor::Raw => Some(len),
        Compressor::Gzip { zlib, .. } => gzip::encode_bound(zlib, len),
        Compressor::Bzip2 { .. } => bzip2::encode_bound(len),
        Compressor::Xz { .. } => xz::encode_bound(len),
        Compressor::Lz4 { block_size } => lz4::encode_bound(block_size, len),
        Compressor::Blosc { .. } => blosc::encode_bound(len),
        Compressor::Zstd { .. } => zstd::encode_bound(len),
    }
}

/// The error of a payload of `len` bytes that has no [`encode_bound`].
#[must_use]
pub fn too_large(compressor: Compressor, len: usize) -> Error {
    let message = match compressor {
        Compressor::Blosc { .. } => format!(
            "a Blosc frame holds at most {} bytes and the block has {len}; choose another compressor, or smaller blocks",
            blosc::MAX_LEN
        ),
        _ => format!("{len} bytes are too many for one {} stream; use smaller blocks", compressor.n5_name()),
    };
    Error::new(ErrorKind::InvalidArgument, message)
}

/// Encodes `src`, whose elements have `element_size` bytes, into the beginning of `dst` and returns the bytes written.
///
/// The same input gives the same bytes, however long `dst` is and whatever `workspace` was used for.
///
/// # Errors
/// `BufferTooSmall` if `dst` is shorter than [`encode_bound`], `InvalidArgument` for a parameter outside its range or too large a
/// payload, `OutOfMemory`.
pub fn encode(
    compressor: Compressor,
    src: &[u8],
    element_size: usize,
    dst: &mut [MaybeUninit<u8>],
    workspace: &mut Workspace,
) -> Result<usize> {
    let bound = encode_bound(compressor, src.len()).ok_or_else(|| too_large(compressor, src.len()))?;
    let available = dst.len();
    let Some(dst) = dst.get_mut(..bound) else {
        let message =
            format!("{bound} bytes are needed to encode {} bytes and {available} are given; give as many as the bound", src.len());
        return Err(Error::new(ErrorKind::BufferTooSmall, message));
    };
    match compressor {
        Compressor::Raw => {
            let mut output = Output::new(dst);
            // The bound is the length, so it fits.
            let _ = output.push(src);
            Ok(output.len())
        }
        Compressor::Gzip { level, zlib } => gzip::encode(src, level, zlib, dst, &mut workspace.gzip),
        Compressor::Bzip2 { block_size } => bzip2::encode(src, block_size, dst),
        Compressor::Xz { preset, check } => xz::encode(src, preset, check, dst),
        Compressor::Lz4 { block_size } => lz4::encode(src, block_size, dst),
        Compressor::Blosc { inner, level, shuffle, block_size, type_size } => {
            let type_size = type_size.and_then(|size| usize::try_from(size).ok()).unwrap_or(element_size);
            blosc::encode(src, &blosc::Settings { inner, level, shuffle, block_size, type_size }, dst, workspace)
        }
        Compressor::Zstd { level, checksum } => zstd::encode(src, level, checksum, dst, &mut workspace.zstd),
    }
}

/// Like [`encode`], into `dst`, whose content is replaced. After an error it is empty.
///
/// # Errors
/// As [`encode`].
pub fn encode_to(compressor: Compressor, src: &[u8], element_size: usize, dst: &mut Vec<u8>, workspace: &mut Workspace) -> Result<()> {
    dst.clear();
    encode_behind(compressor, src, element_size, dst, workspace)
}

/// Like [`encode`], behind what `dst` holds, which alone is there after an error.
///
/// # Errors
/// As [`encode`].
pub fn encode_behind(compressor: Compressor, src: &[u8], element_size: usize, dst: &mut Vec<u8>, workspace: &mut Workspace) -> Result<()> {
    let bound = encode_bound(compressor, src.len()).ok_or_else(|| too_large(compressor, src.len()))?;
    dst.try_reserve_exact(bound).map_err(|_| Error::out_of_memory())?;
    let room = dst.spare_capacity_mut().get_mut(..bound).unwrap_or_default();
    let len = encode(compressor, src, element_size, room, workspace)?;
    // SAFETY: `encode` initialised the `len` bytes behind the content, which lie within the capacity.
    unsafe { dst.set_len(dst.len().saturating_add(len)) };
    Ok(())
}

/// The bundled libraries with their versions: `zstd 1.5.7, libdeflate 1.26, …`.
#[must_use]
pub fn versions() -> String {
    [zstd::version(), gzip::version(), gzip::zlib_version(), blosc::version(), lz4::version(), bzip2::version(), xz::version()].join(", ")
}

/// Whether payloads of N5's compression `n5_type` can be decoded and encoded.
#[must_use]
pub fn available(n5_type: &str) -> bool {
    ["raw", "gzip", "bzip2", "xz", "lz4", "blosc", "zstd"].contains(&n5_type)
}

fn decode_into(compressor: Compressor, payload: Payload, output: &mut Output, workspace: &mut Workspace) -> Decoded<usize> {
    let Payload { src, exact, strict, .. } = payload;
    if compressor == Compressor::Raw {
        if exact {
            check_raw_len(src, output.room())?;
        }
        output.push(src)?;
        return Ok(output.len());
    }
    if src.is_empty() {
        if output.room() == 0 {
            return Ok(0);
        }
        let message = format!("the block has no {} stream after its header; restore the block from its source", compressor.n5_name());
        return Err(Error::new(ErrorKind::CorruptPayload, message).at(0).into());
    }
    match compressor {
        Compressor::Raw => {}
        Compressor::Gzip { zlib, .. } => gzip::decode(payload, zlib, output, &mut workspace.gzip)?,
        Compressor::Bzip2 { .. } => bzip2::decode(src, strict, output)?,
        Compressor::Xz { .. } => xz::decode(src, strict, output)?,
        Compressor::Lz4 { .. } => lz4::decode(payload, output)?,
        Compressor::Blosc { .. } => blosc::decode(payload, output, workspace)?,
        Compressor::Zstd { .. } => zstd::decode(src, strict, output, &mut workspace.zstd)?,
    }
    Ok(output.len())
}

/// Compares the length of a raw payload with what the shape asks for.
fn check_raw_len(src: &[u8], len: usize) -> Result<()> {
    let found = src.len();
    if found == len {
        return Ok(());
    }
    if len == 0 {
        return Err(mismatch(&format!("{found} bytes"), 0));
    }
    if found < len {
        let message = format!("the raw payload has {found} bytes and the block's shape asks for {len}; restore the block from its source");
        return Err(Error::new(ErrorKind::TruncatedBlock, message).at(offset(found)));
    }
    let message =
        format!("{} bytes follow the {len} bytes of the raw payload; cut them off, or check data type and shape", found.abs_diff(len));
    Err(Error::new(ErrorKind::TrailingData, message).at(offset(len)))
}

fn mismatch(found: &str, len: usize) -> Error {
    let message = format!("the payload decodes to {found} and the block's shape asks for {len}; check data type and shape");
    Error::new(ErrorKind::PayloadSizeMismatch, message)
}

fn overflow(len: usize) -> Error {
    let message = format!("the payload decodes to more than the {len} bytes that the block's shape asks for; check data type and shape");
    Error::new(ErrorKind::PayloadSizeMismatch, message)
}

fn out_of_range(name: &str, value: impl std::fmt::Display, range: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("{name} is {value}; it must be {range}"))
}

/// The spare memory of `dst` after its content is cleared: exactly `len` elements.
fn reserve<T>(dst: &mut Vec<T>, len: usize) -> Result<&mut [MaybeUninit<T>]> {
    dst.clear();
    dst.try_reserve_exact(len).map_err(|_| Error::out_of_memory())?;
    Ok(dst.spare_capacity_mut().get_mut(..len).unwrap_or_default())
}
