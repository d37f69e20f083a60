//! Zstandard frames, both ways. Only today's frames and skippable ones get to the library.
//!
//! The bundled library also has decoders of the formats before 1.0, which Blosc's crate switches on; they stay out of reach.

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
        let encoder = self.encoder.as_ref().map_or(0, |kept| unsafe { sys::ZSTD_sizeof_CCtx(kept.0.as_ptr()) });
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

struct Encoder(NonNull<sys::ZSTD_CCtx>);

impl Encoder {
    fn new() -> Result<Self> {
        // SAFETY: has no precondition.
        NonNull::new(unsafe { sys::ZSTD_createCCtx() }).map(Self).ok_or_else(Error::out_of_memory)
    }

    fn set(&self, parameter: sys::ZSTD_cParameter, value: c_int) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { sys::ZSTD_CCtx_setParameter(self.0.as_ptr(), parameter, value) }).map_err(encoding_failed).map(|_| ())
    }

    fn encode(&self, src: &[u8], level: i32, checksum: bool, dst: &mut [MaybeUninit<u8>]) -> Result<usize> {
        // SAFETY: the context is alive.
        let reset = unsafe { sys::ZSTD_CCtx_reset(self.0.as_ptr(), sys::ZSTD_ResetDirective::ZSTD_reset_session_and_parameters) };
        check(reset).map_err(encoding_failed)?;
        self.set(sys::ZSTD_cParameter::ZSTD_c_compressionLevel, level)?;
        self.set(sys::ZSTD_cParameter::ZSTD_c_contentSizeFlag, 1)?;
        self.set(sys::ZSTD_cParameter::ZSTD_c_checksumFlag, c_int::from(checksum))?;
        // SAFETY: the context is alive; both memories are as long as said, and do not overlap as one is borrowed mutably.
        let written = unsafe { sys::ZSTD_compress2(self.0.as_ptr(), dst.as_mut_ptr().cast(), dst.len(), src.as_ptr().cast(), src.len()) };
        check(written).map_err(encoding_failed)
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: the context was created by the library and is freed once.
        unsafe { sys::ZSTD_freeCCtx(self.0.as_ptr()) };
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
    // SAFETY: the memory is as long as said.
    let dictionary = unsafe { sys::ZSTD_getDictID_fromFrame(frame.as_ptr().cast(), frame.len()) };
    if dictionary != 0 {
        return Err(corrupt("zstd", &format!("needs dictionary {dictionary}, which N5 has no place for"), start));
    }
    Ok(Frame::Data(len.min(frame.len())))
}

pub(super) fn decode(src: &[u8], strict: bool, output: &mut Output, state: &mut State) -> Decoded<()> {
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
                let written = check(result).map_err(|code| match code {
                    sys::ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall => Failure::Full,
                    sys::ZSTD_ErrorCode::ZSTD_error_memory_allocation => Error::out_of_memory().into(),
                    code => corrupt("zstd", "is damaged", position).with_native_code(native_code(code)).into(),
                })?;
                // SAFETY: the library wrote that many bytes.
                unsafe { output.advance(written) };
                position = position.saturating_add(len);
            }
            Frame::None if position == 0 => {
                let what = "does not begin with a frame of the format that zstd has had since 1.0 (28 b5 2f fd)";
                return Err(corrupt("zstd", what, 0).into());
            }
            Frame::None => return Ok(check_tail(src, position, strict, "zstd")?),
        }
    }
}

/// Whether `src` is frames and nothing else, so that the library's own loop over frames meets no older format.
pub(super) fn is_frames_only(src: &[u8]) -> bool {
    let mut position = 0_usize;
    while position < src.len() {
        match frame_at(src, position) {
            Ok(Frame::Data(len) | Frame::Skippable(len)) => position = position.saturating_add(len.max(1)),
            _ => return false,
        }
    }
    position > 0
}

pub(super) fn encode_bound(len: usize) -> Option<usize> {
    // SAFETY: has no precondition.
    check(unsafe { sys::ZSTD_compressBound(len) }).ok()
}

pub(super) fn encode(src: &[u8], level: i32, checksum: bool, dst: &mut [MaybeUninit<u8>], state: &mut State) -> Result<usize> {
    if !(-131_072..=22).contains(&level) {
        return Err(out_of_range("the zstd level", level, "-131072 to 22"));
    }
    if level > LAST_REUSABLE_LEVEL || src.len() > LAST_REUSABLE_LEN {
        return Encoder::new()?.encode(src, level, checksum, dst);
    }
    let encoder = match state.encoder.take() {
        Some(encoder) => encoder,
        None => Encoder::new()?,
    };
    // A context that met an error is not kept.
    let written = encoder.encode(src, level, checksum, dst)?;
    state.encoder = Some(encoder);
    Ok(written)
}

pub(super) fn version() -> String {
    // SAFETY: has no precondition.
    let version = unsafe { sys::ZSTD_versionString() };
    // SAFETY: the library returns a constant that ends with NUL.
    let version = unsafe { CStr::from_ptr(version) };
    format!("zstd {}", version.to_string_lossy())
}
