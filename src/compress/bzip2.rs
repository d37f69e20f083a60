//! bzip2 streams, several in a row, both ways, by the Rust port of libbzip2.
//!
//! A full output does not end the decoding: the stream is followed to its end, where its checksum stands.

use std::ffi::{c_char, c_int, c_uint};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use libbz2_rs_sys as sys;

use super::out_of_range;
use super::output::{Decoded, Failure, Output, check_stream_count, check_tail, corrupt, rest};
use crate::error::{Error, ErrorKind, Result};

const MAGIC: &[u8] = b"BZh";
const HEADER_LEN: usize = 4;

/// What follows `BZh` and the block size in a stream of no byte: its end mark and checksum.
const EMPTY: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// The port tells its version only together with functions on `FILE`; a test compares this with the lock file.
const VERSION: &str = "0.2.6";

fn new_stream() -> sys::bz_stream {
    sys::bz_stream {
        next_in: null(),
        avail_in: 0,
        total_in_lo32: 0,
        total_in_hi32: 0,
        next_out: null_mut(),
        avail_out: 0,
        total_out_lo32: 0,
        total_out_hi32: 0,
        state: null_mut(),
        bzalloc: None,
        bzfree: None,
        opaque: null_mut(),
    }
}

/// The library counts in 32 bits; longer memory is passed piece by piece.
fn piece_len(len: usize) -> c_uint {
    c_uint::try_from(len).unwrap_or(c_uint::MAX)
}

fn usize_of(len: c_uint) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}

/// The library refuses a stream that moved since it was initialised, so that this stays where it is made.
struct Decoder(sys::bz_stream);

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: without a state, after a failed start, this only returns an error.
        unsafe { sys::BZ2_bzDecompressEnd(&raw mut self.0) };
    }
}

pub(super) fn decode(src: &[u8], strict: bool, output: &mut Output) -> Decoded<()> {
    if !src.starts_with(MAGIC) {
        return Err(corrupt("bzip2", "does not begin like one (BZh)", 0).into());
    }
    let (mut end, mut count) = (0, 0_usize);
    while rest(src, end).starts_with(MAGIC) {
        // Starting the library costs far more than these few bytes, of which there may be many.
        if let Some(len) = empty_stream_len(rest(src, end)) {
            end = end.saturating_add(len);
        } else {
            check_stream_count(count, output.len(), end, "bzip2")?;
            end = decode_stream(src, end, output)?;
            count = count.saturating_add(1);
        }
    }
    Ok(check_tail(src, end, strict, "bzip2")?)
}

/// The length of the stream at the beginning of `src`, if it holds nothing.
fn empty_stream_len(src: &[u8]) -> Option<usize> {
    let (header, end) = src.split_at_checked(HEADER_LEN)?;
    (matches!(header, [.., b'1'..=b'9']) && end.starts_with(&EMPTY)).then_some(const { HEADER_LEN + EMPTY.len() })
}

/// Decodes the one stream that begins at `start`, and returns where it ends.
fn decode_stream(src: &[u8], start: usize, output: &mut Output) -> Decoded<usize> {
    let mut decoder = Decoder(new_stream());
    // SAFETY: the structure asks for the default allocator.
    if unsafe { sys::BZ2_bzDecompressInit(&raw mut decoder.0, 0, 0) } != sys::BZ_OK {
        return Err(Error::out_of_memory().into());
    }
    let mut position = start;
    loop {
        let input = rest(src, position);
        let offered_in = piece_len(input.len());
        // One byte beside the full output tells whether more would come.
        let mut beyond = MaybeUninit::<u8>::uninit();
        let full = output.room() == 0;
        let offered_out = if full { 1 } else { piece_len(output.room()) };
        decoder.0.next_in = input.as_ptr().cast();
        decoder.0.avail_in = offered_in;
        decoder.0.next_out = if full { beyond.as_mut_ptr().cast() } else { output.next_ptr().cast::<c_char>() };
        decoder.0.avail_out = offered_out;
        // SAFETY: the decoder was initialised; both memories are as long as said, and do not overlap as one is borrowed mutably.
        let code = unsafe { sys::BZ2_bzDecompress(&raw mut decoder.0) };
        let read = usize_of(offered_in.saturating_sub(decoder.0.avail_in));
        let written = usize_of(offered_out.saturating_sub(decoder.0.avail_out));
        position = position.saturating_add(read);
        if full && written > 0 {
            return Err(Failure::Full);
        }
        if !full {
            // SAFETY: the library wrote that many bytes.
            unsafe { output.advance(written) };
        }
        match code {
            sys::BZ_STREAM_END => return Ok(position),
            sys::BZ_OK if read > 0 || written > 0 => {}
            sys::BZ_OK => return Err(corrupt("bzip2", "is cut", start).into()),
            sys::BZ_MEM_ERROR => return Err(Error::out_of_memory().into()),
            code => return Err(corrupt("bzip2", "is damaged", start).with_native_code(i64::from(code)).into()),
        }
    }
}

/// As with the decoder, this stays where it is made.
struct Encoder(sys::bz_stream);

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: without a state, after a failed start, this only returns an error.
        unsafe { sys::BZ2_bzCompressEnd(&raw mut self.0) };
    }
}

/// bzip2's own promise: one percent and 600 bytes.
pub(super) fn encode_bound(len: usize) -> Option<usize> {
    len.checked_add(len / 100)?.checked_add(601)
}

pub(super) fn encode(src: &[u8], block_size: u8, dst: &mut [MaybeUninit<u8>]) -> Result<usize> {
    if !(1..=9).contains(&block_size) {
        return Err(out_of_range("bzip2's blockSize", block_size, "1 to 9"));
    }
    let mut encoder = Encoder(new_stream());
    // SAFETY: the structure asks for the default allocator.
    let code = unsafe { sys::BZ2_bzCompressInit(&raw mut encoder.0, c_int::from(block_size), 0, 0) };
    if code != sys::BZ_OK {
        return Err(Error::out_of_memory());
    }
    let mut output = Output::new(dst);
    let mut position = 0_usize;
    loop {
        let input = rest(src, position);
        let offered_in = piece_len(input.len());
        let offered_out = piece_len(output.room());
        let action = if usize_of(offered_in) == input.len() { sys::BZ_FINISH } else { sys::BZ_RUN };
        encoder.0.next_in = input.as_ptr().cast();
        encoder.0.avail_in = offered_in;
        encoder.0.next_out = output.next_ptr().cast();
        encoder.0.avail_out = offered_out;
        // SAFETY: the encoder was initialised; both memories are as long as said, and do not overlap as one is borrowed mutably.
        let code = unsafe { sys::BZ2_bzCompress(&raw mut encoder.0, action) };
        let read = usize_of(offered_in.saturating_sub(encoder.0.avail_in));
        let written = usize_of(offered_out.saturating_sub(encoder.0.avail_out));
        position = position.saturating_add(read);
        // SAFETY: the library wrote that many bytes.
        unsafe { output.advance(written) };
        match code {
            sys::BZ_STREAM_END => return Ok(output.len()),
            sys::BZ_RUN_OK | sys::BZ_FINISH_OK if read > 0 || written > 0 => {}
            code => {
                let message = "bzip2 refuses to encode; report this as a defect of zn5";
                return Err(Error::new(ErrorKind::Internal, message).with_native_code(i64::from(code)));
            }
        }
    }
}

pub(super) fn version() -> String {
    format!("libbz2-rs {VERSION}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_is_that_of_the_lock_file() {
        assert!(include_str!("../../Cargo.lock").contains(&format!("name = \"libbz2-rs-sys\"\nversion = \"{}\"", super::VERSION)));
    }
}
