//! Where decoders write, and the outcomes that they share: room exhausted, a damaged stream, bytes after it.
//!
//! The memory starts uninitialised; what `Output` counts as written is initialised.

use std::mem::MaybeUninit;

use crate::error::{Error, ErrorKind};

/// Why a decoder stopped early.
#[derive(Debug)]
pub(super) enum Failure {
    /// The stream goes on and the output is full.
    Full,
    /// Everything else.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What decoders return.
pub(super) type Decoded<T> = Result<T, Failure>;

/// Memory that is filled from its beginning.
pub(super) struct Output<'a> {
    memory: &'a mut [MaybeUninit<u8>],
    len: usize,
}

impl<'a> Output<'a> {
    pub(super) fn new(memory: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { memory, len: 0 }
    }

    /// Bytes written so far.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes that still fit.
    pub(super) fn room(&self) -> usize {
        self.memory.len().saturating_sub(self.len)
    }

    /// Where the next byte goes; writable for `room()` bytes, and what was written lies directly before it.
    pub(super) fn next_ptr(&mut self) -> *mut u8 {
        // SAFETY: `len` never exceeds the length of the slice.
        unsafe { self.memory.as_mut_ptr().add(self.len) }.cast()
    }

    /// The next `len` bytes, if they fit.
    pub(super) fn next(&mut self, len: usize) -> Option<&mut [MaybeUninit<u8>]> {
        self.memory.get_mut(self.len..).and_then(|room| room.get_mut(..len))
    }

    /// Counts `count` bytes more as written.
    ///
    /// # Safety
    /// The first `count` bytes from `next_ptr()` are initialised, and `count` is at most `room()`.
    pub(super) unsafe fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.room());
        self.len = self.len.saturating_add(count).min(self.memory.len());
    }

    /// What was written.
    pub(super) fn written(&self) -> &[u8] {
        // SAFETY: the first `len` bytes are initialised and belong to the slice.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.len) }
    }

    /// Writes a copy of `bytes`.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Decoded<()> {
        if bytes.len() > self.room() {
            return Err(Failure::Full);
        }
        // SAFETY: there is room, and shared memory cannot overlap memory that is borrowed mutably.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.next_ptr(), bytes.len()) };
        // SAFETY: the copy initialised them.
        unsafe { self.advance(bytes.len()) };
        Ok(())
    }
}

/// A position in the input as errors give it.
pub(super) fn offset(position: usize) -> u64 {
    u64::try_from(position).unwrap_or(u64::MAX)
}

/// The error of a stream of `format` that is damaged, cut, or another format, noticed at `position`.
pub(super) fn corrupt(format: &str, what: &str, position: usize) -> Error {
    refused(format, what, "restore the block from its source", position)
}

/// The error of a stream that is sound and not allowed when decoding is strict.
pub(super) fn not_strict(format: &str, what: &str, position: usize) -> Error {
    refused(format, what, "write the block again, or decode without the strict flag", position)
}

fn refused(format: &str, what: &str, remedy: &str, position: usize) -> Error {
    Error::new(ErrorKind::CorruptPayload, format!("the {format} stream at byte {position} of the payload {what}; {remedy}"))
        .at(offset(position))
}

/// Refuses the stream at `position` if too many came before it for the `decoded_len` bytes that they held together.
///
/// Starting a decoder costs as much as decoding many bytes, so that a payload of tiny streams would take far longer than its size suggests.
/// Parallel writers make a stream for each 100 kB at least.
pub(super) fn check_stream_count(count: usize, decoded_len: usize, position: usize, format: &str) -> Result<(), Error> {
    const ALLOWANCE: usize = 256;
    const BYTES_PER_STREAM: usize = 16 << 10;
    let limit = ALLOWANCE.saturating_add(decoded_len / BYTES_PER_STREAM);
    if count < limit {
        return Ok(());
    }
    let message = format!(
        "the {format} stream at byte {position} of the payload follows {count} others that hold {decoded_len} bytes together, and the limit \
         is {limit}; write the block again as one stream"
    );
    Err(Error::new(ErrorKind::LimitExceeded, message).at(offset(position)))
}

/// The bytes of `src` from `position` on; none if it lies beyond the end.
pub(super) fn rest(src: &[u8], position: usize) -> &[u8] {
    src.get(position..).unwrap_or_default()
}

/// Four bytes at `position`, least significant first.
pub(super) fn u32_at(src: &[u8], position: usize) -> Option<u32> {
    rest(src, position).first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Checks what follows the complete stream of `format` that ends at `end`: nothing, or zero bytes unless `strict`.
pub(super) fn check_tail(src: &[u8], end: usize, strict: bool, format: &str) -> Result<(), Error> {
    let tail = rest(src, end);
    let surplus = if strict { (!tail.is_empty()).then_some(0) } else { tail.iter().position(|&byte| byte != 0) };
    let Some(surplus) = surplus else { return Ok(()) };
    let remedy = if strict { "cut them off, or decode without the strict flag if they are zeros" } else { "cut them off" };
    Err(Error::new(ErrorKind::TrailingData, format!("{} bytes follow the complete {format} stream; {remedy}", tail.len()))
        .at(offset(end.saturating_add(surplus))))
}
