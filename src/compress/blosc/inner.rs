//! The compressors inside Blosc: one stream decoded to a known length, or encoded into what room there is.
//!
//! BloscLZ is c-blosc's own code; the others are those of the payloads of their names.

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;

// Linked for the functions below.
use blosc_sys as _;

use super::super::output::{Decoded, Failure, Output, corrupt};
use super::super::{gzip, reserve, zstd};
use super::{Codec, NAME};
use crate::error::{Error, ErrorKind, Result};
use crate::model::BloscInner;

unsafe extern "C" {
    /// Of c-blosc 1.21, in no header that it installs; the manifest fixes the version.
    fn blosclz_decompress(src: *const c_void, src_len: c_int, dst: *mut c_void, dst_len: c_int) -> c_int;
    fn blosclz_compress(level: c_int, src: *const c_void, src_len: c_int, dst: *mut c_void, dst_len: c_int, is_split: c_int) -> c_int;

    /// Missing in lz4-sys.
    fn LZ4_sizeofStateHC() -> c_int;
    fn LZ4_compress_HC_extStateHC(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_len: c_int,
        dst_len: c_int,
        level: c_int,
    ) -> c_int;
}

/// What the inner compressors reuse.
pub(super) struct Contexts<'a> {
    pub(super) gzip: &'a mut gzip::State,
    pub(super) zstd: &'a mut zstd::State,
}

/// Decodes the stream that begins at `start` of the payload into all of `dst`, which is initialised on success.
pub(super) fn decode(codec: Codec, src: &[u8], start: usize, dst: &mut [MaybeUninit<u8>], contexts: &mut Contexts) -> Decoded<()> {
    let wanted = dst.len();
    let damaged = || corrupt(NAME, "has a damaged stream", start);
    let decoded = match codec {
        Codec::BloscLz => {
            if has_impossible_length(src) {
                return Err(corrupt(NAME, "has a stream with an impossible length", start).into());
            }
            let (src_len, dst_len) = (c_len(src.len()), c_len(wanted));
            // SAFETY: both memories are as long as said, and do not overlap as one is borrowed mutably.
            let decoded = unsafe { blosclz_decompress(src.as_ptr().cast(), src_len, dst.as_mut_ptr().cast(), dst_len) };
            usize::try_from(decoded).map_err(|_| damaged().with_native_code(i64::from(decoded)))?
        }
        Codec::Lz4 => {
            let (src_len, dst_len) = (c_len(src.len()), c_len(wanted));
            // SAFETY: both memories are as long as said, and do not overlap as one is borrowed mutably.
            let decoded = unsafe { lz4_sys::LZ4_decompress_safe(src.as_ptr().cast(), dst.as_mut_ptr().cast(), src_len, dst_len) };
            usize::try_from(decoded).map_err(|_| damaged().with_native_code(i64::from(decoded)))?
        }
        Codec::Zlib => gzip::decode_zlib(src, dst, contexts.gzip)?.map_err(|code| damaged().with_native_code(code))?,
        Codec::Zstd => {
            let mut output = Output::new(dst);
            match zstd::decode_frames(src, &mut output, contexts.zstd) {
                Ok(end) if end == src.len() => output.len(),
                Err(Failure::Error(error)) if error.kind() == ErrorKind::OutOfMemory => return Err(error.into()),
                _ => return Err(corrupt(NAME, "has a stream that is no sound zstd frame", start).into()),
            }
        }
    };
    if decoded == wanted { Ok(()) } else { Err(damaged().into()) }
}

/// Whether a length in a `BloscLZ` stream could pass 31 bits: its decoder adds without looking.
fn has_impossible_length(stream: &[u8]) -> bool {
    /// As many bytes of 255.
    const LONGEST: usize = (1 << 31) / 255 - 16;
    stream.len() > LONGEST && stream.split(|&byte| byte != 255).any(|run| run.len() > LONGEST)
}

/// A length for a library that counts in 31 bits; none in a frame is longer.
fn c_len(len: usize) -> c_int {
    c_int::try_from(len).unwrap_or(c_int::MAX)
}

/// An inner compressor with its level, for the streams of one frame.
pub(super) struct Encoder {
    inner: BloscInner,
    level: u8,
    is_split: bool,
    zstd: Option<zstd::Encoder>,
}

impl Encoder {
    /// `is_split` tells whether the blocks are.
    pub(super) fn new(inner: BloscInner, level: u8, is_split: bool) -> Self {
        Self { inner, level, is_split, zstd: None }
    }

    /// Encodes `src` into the beginning of `dst`, and returns the length; `None` where there is no room.
    pub(super) fn encode(
        &mut self,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
        hc_state: &mut Vec<u64>,
        contexts: &mut Contexts,
    ) -> Result<Option<usize>> {
        let (src_len, dst_len) = (c_len(src.len()), c_len(dst.len()));
        let level = c_int::from(self.level);
        let written = match self.inner {
            BloscInner::BloscLz => {
                let is_split = c_int::from(self.is_split);
                // SAFETY: both memories are as long as said, and do not overlap as one is borrowed mutably; the level is 1 to 9.
                unsafe { blosclz_compress(level, src.as_ptr().cast(), src_len, dst.as_mut_ptr().cast(), dst_len, is_split) }
            }
            BloscInner::Lz4 => {
                let acceleration = 10_i32.saturating_sub(level);
                // SAFETY: both memories are as long as said, and do not overlap as one is borrowed mutably.
                unsafe { lz4_sys::LZ4_compress_fast(src.as_ptr().cast(), dst.as_mut_ptr().cast(), src_len, dst_len, acceleration) }
            }
            BloscInner::Lz4Hc => {
                // SAFETY: has no precondition.
                let state_len = usize::try_from(unsafe { LZ4_sizeofStateHC() }).unwrap_or(usize::MAX);
                let state = reserve(hc_state, state_len.div_ceil(size_of::<u64>()))?.as_mut_ptr();
                // SAFETY: the state is as long as the library asks, and aligned for its pointers; both memories are as long as said, and
                // do not overlap as one is borrowed mutably.
                unsafe { LZ4_compress_HC_extStateHC(state.cast(), src.as_ptr().cast(), dst.as_mut_ptr().cast(), src_len, dst_len, level) }
            }
            BloscInner::Zlib => return gzip::encode_zlib(src, self.level, dst, contexts.gzip),
            BloscInner::Zstd => return self.encode_zstd(src, dst, contexts.zstd),
        };
        Ok(usize::try_from(written).ok().filter(|&written| written > 0))
    }

    fn encode_zstd(&mut self, src: &[u8], dst: &mut [MaybeUninit<u8>], state: &mut zstd::State) -> Result<Option<usize>> {
        let level = match self.level {
            9 => 22,
            8 => 20,
            level => i32::from(level).saturating_mul(2).saturating_sub(1),
        };
        let encoder = match self.zstd.take() {
            Some(encoder) => encoder,
            None => zstd::Encoder::take(level, src.len(), state)?,
        };
        let written = encoder.encode(src, level, false, dst)?;
        self.zstd = Some(encoder);
        Ok(written)
    }

    /// Gives back what can be reused.
    pub(super) fn finish(self, contexts: &mut Contexts) {
        if let Some(encoder) = self.zstd {
            encoder.put(contexts.zstd);
        }
    }
}

/// What no compressor of a frame does: fail for another reason than lack of room.
pub(super) fn internal() -> Error {
    Error::new(ErrorKind::Internal, "the bound of a Blosc frame is too small; report this as a defect of zn5")
}
