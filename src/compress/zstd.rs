//! Zstandard frames, both ways. Only today's frames and skippable ones get to the library.
//!
//! A program that has zstd-sys too may switch on its decoders of the formats before 1.0; they stay out of reach.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use zstd_sys as sys;

use super::out_of_range;
use super::output::{Decoded, Failure, Output, check_tail, corrupt, rest, u32_at};
use crate::error::{Error, ErrorKind, Result};

const FRAME_MAGIC: u32 = 0xfd2f_b528;
const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;
const SKIPPABLE_HEADER_LEN: usize = 8;

/// Levels up to this find matches in ways whose result does not depend on what the context did before. The higher ones salt their hash
/// tables with it.
const LAST_REUSABLE_LEVEL: i32 = 3;
/// Beyond this the positions that a reused context counts on from might have to be reduced within a frame.
const LAST_REUSABLE_LEN: usize = 64 << 20;

/// Contexts that are reused.
#[derive(Default)]
pub(super) struct State {
    decoder: Option<Decoder>,
    encoder: Option<Encoder>,
}

impl State {
    pub(super) fn retained_bytes(&self) -> usize {
        // SAFETY: the context is alive.
        let decoder = self.decoder.as_ref().map_or(0, |kept| unsafe { sys::ZSTD_sizeof_DCtx(kept.0.as_ptr()) });
        // SAFETY: the context is alive.
        let encoder = self.encoder.as_ref().map_or(0, |kept| unsafe { sys::ZSTD_sizeof_CCtx(kept.context.as_ptr()) });
        decoder.saturating_add(encoder)
    }

    fn decoder(&mut self) -> Result<*mut sys::ZSTD_DCtx> {
        if self.decoder.is_none() {
            // SAFETY: has no precondition.
            let created = NonNull::new(unsafe { sys::ZSTD_createDCtx() });
            self.decoder = Some(Decoder(created.ok_or_else(Error::out_of_memory)?));
        }
        self.decoder.as_ref().map(|kept| kept.0.as_ptr()).ok_or_else(Error::out_of_memory)
    }
}

struct Decoder(NonNull<sys::ZSTD_DCtx>);

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the context was created by the library and is freed once.
        unsafe { sys::ZSTD_freeDCtx(self.0.as_ptr()) };
    }
}

// SAFETY: the context is plain memory without ties to a thread.
unsafe impl Send for Decoder {}

/// A context that encodes.
pub(super) struct Encoder {
    context: NonNull<sys::ZSTD_CCtx>,
    is_reusable: bool,
}

impl Encoder {
    /// A context for streams of `level`, each at most `len` bytes: the one that is kept, or a new one where its past would show.
    pub(super) fn take(level: i32, len: usize, state: &mut State) -> Result<Self> {
        let is_reusable = level <= LAST_REUSABLE_LEVEL && len <= LAST_REUSABLE_LEN;
        if let Some(encoder) = state.encoder.take_if(|_| is_reusable) {
            return Ok(encoder);
        }
        // SAFETY: has no precondition.
        let context = NonNull::new(unsafe { sys::ZSTD_createCCtx() }).ok_or_else(Error::out_of_memory)?;
        Ok(Self { context, is_reusable })
    }

    /// Keeps it for the next time, if it may be used again.
    pub(super) fn put(self, state: &mut State) {
        if self.is_reusable {
            state.encoder = Some(self);
        }
    }

    fn set(&self, parameter: sys::ZSTD_cParameter, value: c_int) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { sys::ZSTD_CCtx_setParameter(self.context.as_ptr(), parameter, value) }).map_err(encoding_failed).map(|_| ())
    }

    /// Encodes `src` as one frame and returns its length, or `None` where it does not fit.
    pub(super) fn encode(&self, src: &[u8], level: i32, checksum: bool, dst: &mut [MaybeUninit<u8>]) -> Result<Option<usize>> {
        // SAFETY: the context is alive.
        let reset = unsafe { sys::ZSTD_CCtx_reset(self.context.as_ptr(), sys::ZSTD_ResetDirective::ZSTD_reset_session_and_parameters) };
        check(reset).map_err(encoding_failed)?;
        self.set(sys::ZSTD_cParameter::ZSTD_c_compressionLevel, level)?;
        self.set(sys::ZSTD_cParameter::ZSTD_c_contentSizeFlag, 1)?;
        self.set(sys::ZSTD_cParameter::ZSTD_c_checksumFlag, c_int::from(checksum))?;
        // SAFETY: the context is alive; both memories are as long as said, and do not overlap as one is borrowed mutably.
        let written =
            unsafe { sys::ZSTD_compress2(self.context.as_ptr(), dst.as_mut_ptr().cast(), dst.len(), src.as_ptr().cast(), src.len()) };
        match check(written) {
            Ok(written) => Ok(Some(written)),
            Err(sys::ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall) => Ok(None),
            Err(code) => Err(encoding_failed(code)),
        }
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: the context was created by the library and is freed once.
        unsafe { sys::ZSTD_freeCCtx(self.context.as_ptr()) };
    }
}

// SAFETY: the context is plain memory without ties to a thread.
unsafe impl Send for Encoder {}

/// The result of a call, or the code of its error.
fn check(result: usize) -> std::result::Result<usize, sys::ZSTD_ErrorCode> {
    // SAFETY: has no precondition.
    if unsafe { sys::ZSTD_isError(result) } == 0 {
        return Ok(result);
    }
    // SAFETY: has no precondition.
    Err(unsafe { sys::ZSTD_getErrorCode(result) })
}

fn native_code(code: sys::ZSTD_ErrorCode) -> i64 {
    i64::from(code as u32)
}

fn encoding_failed(code: sys::ZSTD_ErrorCode) -> Error {
    if code == sys::ZSTD_ErrorCode::ZSTD_error_memory_allocation {
        return Error::out_of_memory();
    }
    Error::new(ErrorKind::Internal, "zstd refuses to encode; report this as a defect of zn5").with_native_code(native_code(code))
}

/// What begins at some place of a payload.
enum Frame {
    /// A frame that decodes to bytes, with its stored length.
    Data(usize),
    /// A skippable frame, with its stored length.
    Skippable(usize),
    /// Neither.
    None,
}

/// Looks at the frame at `start` without decoding it; its whole length lies within `src`.
fn frame_at(src: &[u8], start: usize) -> Result<Frame> {
    let frame = rest(src, start);
    let Some(magic) = u32_at(src, start) else { return Ok(Frame::None) };
    if magic & !0xf == SKIPPABLE_MAGIC {
        let content = u32_at(frame, 4).and_then(|len| usize::try_from(len).ok());
        let len = content.and_then(|len| len.checked_add(SKIPPABLE_HEADER_LEN)).filter(|&len| len <= frame.len());
        return len.map(Frame::Skippable).ok_or_else(|| corrupt("zstd", "is cut inside a skippable frame", start));
    }
    if magic != FRAME_MAGIC {
        return Ok(Frame::None);
    }
    // SAFETY: the memory is as long as said, and the magic keeps the older formats out.
    let len = check(unsafe { sys::ZSTD_findFrameCompressedSize(frame.as_ptr().cast(), frame.len()) })
        .map_err(|code| corrupt("zstd", "is damaged or cut", start).with_native_code(native_code(code)))?;
    Ok(Frame::Data(len.min(frame.len())))
}

/// Why the library refused the frame at `start`.
fn refusal(code: sys::ZSTD_ErrorCode, frame: &[u8], start: usize) -> Failure {
    // SAFETY: the memory is as long as said.
    let dictionary = unsafe { sys::ZSTD_getDictID_fromFrame(frame.as_ptr().cast(), frame.len()) };
    match code {
        sys::ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall => Failure::Full,
        sys::ZSTD_ErrorCode::ZSTD_error_memory_allocation => Error::out_of_memory().into(),
        _ if dictionary != 0 => corrupt("zstd", &format!("needs dictionary {dictionary}, which N5 has no place for"), start).into(),
        code => corrupt("zstd", "is damaged", start).with_native_code(native_code(code)).into(),
    }
}

pub(super) fn decode(src: &[u8], strict: bool, output: &mut Output, state: &mut State) -> Decoded<()> {
    let end = decode_frames(src, output, state)?;
    if end == 0 {
        let what = "does not begin with a frame of the format that zstd has had since 1.0 (28 b5 2f fd)";
        return Err(corrupt("zstd", what, 0).into());
    }
    Ok(check_tail(src, end, strict, "zstd")?)
}

/// Decodes the frames at the beginning of `src`, and returns where they end.
pub(super) fn decode_frames(src: &[u8], output: &mut Output, state: &mut State) -> Decoded<usize> {
    let decoder = state.decoder()?;
    let mut position = 0_usize;
    loop {
        match frame_at(src, position)? {
            Frame::Skippable(len) => position = position.saturating_add(len),
            Frame::Data(len) => {
                let frame = rest(src, position).get(..len).unwrap_or_default();
                // SAFETY: the context is alive and ours; both memories are as long as said, and do not overlap as one is borrowed
                // mutably.
                let result = unsafe {
                    sys::ZSTD_decompressDCtx(decoder, output.next_ptr().cast(), output.room(), frame.as_ptr().cast(), frame.len())
                };
                let written = check(result).map_err(|code| refusal(code, frame, position))?;
                // SAFETY: the library wrote that many bytes.
                unsafe { output.advance(written) };
                position = position.saturating_add(len);
            }
            Frame::None => return Ok(position),
        }
    }
}

pub(super) fn encode_bound(len: usize) -> Option<usize> {
    // SAFETY: has no precondition.
    check(unsafe { sys::ZSTD_compressBound(len) }).ok()
}

pub(super) fn encode(src: &[u8], level: i32, checksum: bool, dst: &mut [MaybeUninit<u8>], state: &mut State) -> Result<usize> {
    if !(-131_072..=22).contains(&level) {
        return Err(out_of_range("the zstd level", level, "-131072 to 22"));
    }
    let encoder = Encoder::take(level, src.len(), state)?;
    // A context that met an error is not kept.
    let written = encoder.encode(src, level, checksum, dst)?;
    encoder.put(state);
    written.ok_or_else(|| encoding_failed(sys::ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall))
}

pub(super) fn version() -> String {
    // SAFETY: has no precondition.
    let version = unsafe { sys::ZSTD_versionString() };
    // SAFETY: the library returns a constant that ends with NUL.
    let version = unsafe { CStr::from_ptr(version) };
    format!("zstd {}", version.to_string_lossy())
}
