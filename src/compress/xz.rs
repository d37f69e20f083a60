//! xz streams, several in a row with stream padding, both ways, by liblzma.
//!
//! Decoding has a memory limit that every preset keeps; encoding cuts the dictionary to the payload.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use liblzma_sys as sys;

use super::out_of_range;
use super::output::{Decoded, Failure, Output, check_stream_count, check_tail, corrupt, offset, rest};
use crate::error::{Error, ErrorKind, Result};
use crate::model::XzCheck;

const MAGIC: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
/// Stream padding comes in units of this many zero bytes.
const PADDING_UNIT: usize = 4;
/// Preset 9 needs 65 MiB.
const MEMORY_LIMIT: u64 = 80 << 20;

struct Decoder(sys::lzma_stream);

impl Decoder {
    fn new() -> Result<Self> {
        // SAFETY: zeros are how the library wants a new stream; its pointers and functions may be NULL.
        let mut decoder = Self(unsafe { MaybeUninit::zeroed().assume_init() });
        // A check that cannot be verified is refused.
        // SAFETY: the stream is new.
        let code = unsafe { sys::lzma_stream_decoder(&raw mut decoder.0, MEMORY_LIMIT, sys::LZMA_TELL_UNSUPPORTED_CHECK) };
        if code == sys::LZMA_OK { Ok(decoder) } else { Err(Error::out_of_memory()) }
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the stream is one that the library knows, or zeros.
        unsafe { sys::lzma_end(&raw mut self.0) };
    }
}

pub(super) fn decode(src: &[u8], strict: bool, output: &mut Output) -> Decoded<()> {
    if !src.starts_with(MAGIC) {
        return Err(corrupt("xz", "does not begin like one (fd 37 7a 58 5a 00)", 0).into());
    }
    let (mut end, mut count) = (0_usize, 0_usize);
    loop {
        check_stream_count(count, output.len(), end, "xz")?;
        let before = output.len();
        end = decode_stream(src, end, output)?;
        count = count.saturating_add(usize::from(output.len() > before));
        let tail = rest(src, end);
        let padding = tail.iter().position(|&byte| byte != 0).unwrap_or(tail.len());
        let legal = padding.is_multiple_of(PADDING_UNIT);
        if legal && padding == tail.len() {
            return Ok(());
        }
        if !(legal && rest(tail, padding).starts_with(MAGIC)) {
            return Ok(check_tail(src, end, strict, "xz")?);
        }
        end = end.saturating_add(padding);
    }
}

/// Decodes the one stream that begins at `start`, and returns where it ends.
fn decode_stream(src: &[u8], start: usize, output: &mut Output) -> Decoded<usize> {
    let mut decoder = Decoder::new()?;
    let input = rest(src, start);
    decoder.0.next_in = input.as_ptr();
    decoder.0.avail_in = input.len();
    loop {
        // One byte beside the full output tells whether more would come.
        let mut beyond = MaybeUninit::<u8>::uninit();
        let full = output.room() == 0;
        let offered_out = if full { 1 } else { output.room() };
        let before = decoder.0.avail_in;
        decoder.0.next_out = if full { beyond.as_mut_ptr() } else { output.next_ptr() };
        decoder.0.avail_out = offered_out;
        // SAFETY: the decoder was initialised; both memories are as long as said, and do not overlap as one is borrowed mutably.
        let code = unsafe { sys::lzma_code(&raw mut decoder.0, sys::LZMA_FINISH) };
        let written = offered_out.saturating_sub(decoder.0.avail_out);
        if full && written > 0 {
            return Err(Failure::Full);
        }
        if !full {
            // SAFETY: the library wrote that many bytes.
            unsafe { output.advance(written) };
        }
        match code {
            sys::LZMA_STREAM_END => return Ok(src.len().saturating_sub(decoder.0.avail_in)),
            sys::LZMA_OK if written > 0 || decoder.0.avail_in < before || !full => {}
            sys::LZMA_OK | sys::LZMA_BUF_ERROR => return Err(corrupt("xz", "is cut", start).into()),
            sys::LZMA_MEM_ERROR => return Err(Error::out_of_memory().into()),
            sys::LZMA_MEMLIMIT_ERROR => return Err(memory_limit(&decoder, start).into()),
            sys::LZMA_UNSUPPORTED_CHECK => {
                return Err(corrupt("xz", "has an integrity check of an unknown kind", start).with_native_code(i64::from(code)).into());
            }
            code => return Err(corrupt("xz", "is damaged", start).with_native_code(i64::from(code)).into()),
        }
    }
}

fn memory_limit(decoder: &Decoder, start: usize) -> Error {
    // SAFETY: the decoder was initialised.
    let needed = unsafe { sys::lzma_memusage(&raw const decoder.0) };
    let message = format!(
        "the xz stream at byte {start} of the payload needs {needed} bytes of memory and the limit is {MEMORY_LIMIT}; \
         write it again with preset 9 or lower"
    );
    Error::new(ErrorKind::LimitExceeded, message).at(offset(start)).with_native_code(i64::from(sys::LZMA_MEMLIMIT_ERROR))
}

pub(super) fn encode_bound(len: usize) -> Option<usize> {
    // SAFETY: has no precondition; 0 says that the size is too large.
    Some(unsafe { sys::lzma_stream_buffer_bound(len) }).filter(|&bound| bound > 0)
}

pub(super) fn encode(src: &[u8], preset: u8, check: XzCheck, dst: &mut [MaybeUninit<u8>]) -> Result<usize> {
    if preset > 9 {
        return Err(out_of_range("the xz preset", preset, "0 to 9"));
    }
    let mut options = MaybeUninit::<sys::lzma_options_lzma>::zeroed();
    // SAFETY: the memory is writable; presets 0 to 9 exist, so that it is filled.
    unsafe { sys::lzma_lzma_preset(options.as_mut_ptr(), u32::from(preset)) };
    // SAFETY: the call above filled it, and zeros are valid for every member.
    let mut options = unsafe { options.assume_init() };
    let len = u32::try_from(src.len()).unwrap_or(u32::MAX);
    options.dict_size = options.dict_size.min(len).max(sys::LZMA_DICT_SIZE_MIN);
    let mut filters = [
        sys::lzma_filter { id: sys::LZMA_FILTER_LZMA2, options: (&raw mut options).cast::<c_void>() },
        sys::lzma_filter { id: sys::LZMA_VLI_UNKNOWN, options: null_mut() },
    ];
    let check = match check {
        XzCheck::None => sys::LZMA_CHECK_NONE,
        XzCheck::Crc32 => sys::LZMA_CHECK_CRC32,
        XzCheck::Crc64 => sys::LZMA_CHECK_CRC64,
        XzCheck::Sha256 => sys::LZMA_CHECK_SHA256,
    };
    let mut written = 0;
    // SAFETY: the filters end with the mark and their options live; both memories are as long as said, and do not overlap as one is
    // borrowed mutably.
    let code = unsafe {
        sys::lzma_stream_buffer_encode(
            filters.as_mut_ptr(),
            check,
            null(),
            src.as_ptr(),
            src.len(),
            dst.as_mut_ptr().cast(),
            &raw mut written,
            dst.len(),
        )
    };
    match code {
        sys::LZMA_OK => Ok(written),
        sys::LZMA_MEM_ERROR => Err(Error::out_of_memory()),
        code => {
            Err(Error::new(ErrorKind::Internal, "liblzma refuses to encode; report this as a defect of zn5")
                .with_native_code(i64::from(code)))
        }
    }
}

pub(super) fn version() -> String {
    // SAFETY: has no precondition.
    let version = unsafe { sys::lzma_version_string() };
    // SAFETY: the library returns a constant that ends with NUL.
    let version = unsafe { CStr::from_ptr(version) };
    format!("liblzma {}", version.to_string_lossy())
}
