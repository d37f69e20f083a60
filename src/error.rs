//! The engine's error: which kind of failure, with which value, what to do about it, and where in the input.
//!
//! The kinds are those of the C API's status codes; `ffi::status` maps them one to one.

use std::borrow::Cow;
use std::fmt;

/// What every fallible function of the engine returns.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of a failure; each has one status code in the C API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A pointer that must not be NULL is NULL.
    NullPointer,
    /// An argument has a value outside its domain.
    InvalidArgument,
    /// An output buffer is too small for the result.
    BufferTooSmall,
    /// A length differs from the one that the shape asks for.
    SizeMismatch,
    /// An input and an output share memory.
    BuffersOverlap,
    /// Text given by the caller is not UTF-8.
    InvalidUtf8,
    /// A document is not JSON.
    InvalidJson,
    /// A document is JSON, and a member is missing or has an impossible value.
    InvalidMetadata,
    /// The data type is none that zn5 knows.
    UnsupportedDataType,
    /// A Zarr codec that zn5 does not know, or not in this place.
    UnsupportedCodec,
    /// An N5 compression that zn5 does not know.
    UnsupportedCompression,
    /// The value has no expression in the other metadata language.
    NotRepresentable,
    /// The document describes a group.
    NotAnArray,
    /// The block has no byte at all.
    EmptyBlock,
    /// The block ends inside its header or inside its raw payload.
    TruncatedBlock,
    /// The block mode is not `default`.
    UnsupportedBlockMode,
    /// The block's rank differs from the array's.
    DimensionMismatch,
    /// The block's extents are not allowed here.
    InvalidBlockShape,
    /// The compressed stream is damaged, cut or of another format.
    CorruptPayload,
    /// The compressed stream is whole and of the wrong decoded size.
    PayloadSizeMismatch,
    /// Bytes follow the payload.
    TrailingData,
    /// A size exceeds a limit.
    LimitExceeded,
    /// A string has more code points than its element holds.
    StringTooLong,
    /// A code unit is no Unicode scalar value.
    InvalidCodePoint,
    /// An element length is no positive multiple of four bytes.
    InvalidLength,
    /// Nothing is stored under this name.
    NotFound,
    /// Something is stored under this name already.
    AlreadyExists,
    /// The operating system forbids the access.
    Permission,
    /// The operating system reports an input or output error.
    Io,
    /// The store cannot be written.
    ReadOnly,
    /// A callback stopped the call.
    Cancelled,
    /// Memory is exhausted.
    OutOfMemory,
    /// zn5 itself is at fault.
    Internal,
}

/// A failure of the engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
    offset: Option<u64>,
    native_code: i64,
}

impl Error {
    /// An error of `kind`, whose message names the value, the place and the remedy.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into(), offset: None, native_code: 0 }
    }

    /// The error of an allocation that failed; making it allocates nothing.
    #[must_use]
    pub const fn out_of_memory() -> Self {
        Self {
            kind: ErrorKind::OutOfMemory,
            message: Cow::Borrowed("memory is exhausted; decode smaller blocks or regions, or free memory"),
            offset: None,
            native_code: 0,
        }
    }

    /// The same error with the byte offset in the input where it was noticed.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same error with its offset, if it has one, moved by `base` bytes: for errors found in a part of the input.
    #[must_use]
    pub fn shifted(mut self, base: u64) -> Self {
        self.offset = self.offset.map(|offset| offset.saturating_add(base));
        self
    }

    /// The same error with the code that a compression library returned.
    #[must_use]
    pub fn with_native_code(mut self, code: i64) -> Self {
        self.native_code = code;
        self
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The byte offset in the input, where one is known.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// The compression library's own code; 0 if there is none.
    #[must_use]
    pub fn native_code(&self) -> i64 {
        self.native_code
    }
}

/// `text` in quotation marks for a message: control characters escaped, cut after some 80 characters.
#[must_use]
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut out = String::from("\"");
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        out.extend(character.escape_debug());
    }
    out.push('"');
    out
}

/// `numbers` in brackets for a message: the first eight, and of more than these how many there are.
#[must_use]
pub fn listed<T: fmt::Display>(numbers: &[T]) -> String {
    const SHOWN: usize = 8;
    let first = numbers.iter().take(SHOWN).map(T::to_string).collect::<Vec<_>>().join(", ");
    if numbers.len() > SHOWN { format!("[{first}, … {} in all]", numbers.len()) } else { format!("[{first}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_what_it_is_given() {
        let error = Error::new(ErrorKind::CorruptPayload, "bad").at(3).shifted(12).with_native_code(-7);
        assert_eq!(error.kind(), ErrorKind::CorruptPayload);
        assert_eq!(error.to_string(), "bad");
        assert_eq!(error.offset(), Some(15));
        assert_eq!(error.native_code(), -7);
        assert_eq!(Error::new(ErrorKind::Io, "x").shifted(9).offset(), None);
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        assert_eq!(listed::<u64>(&[]), "[]");
        assert_eq!(listed(&[1, -2, 3]), "[1, -2, 3]");
        assert_eq!(listed(&[7_u64; 8]), "[7, 7, 7, 7, 7, 7, 7, 7]");
        assert_eq!(listed(&vec![7_u64; 65_535]), "[7, 7, 7, 7, 7, 7, 7, 7, … 65535 in all]");
    }

    #[test]
    fn quoted_text_is_short_and_printable() {
        assert_eq!(quoted("a\nb\"c"), r#""a\nb\"c""#);
        assert_eq!(quoted(&"x".repeat(500)).chars().count(), 83);
    }
}
