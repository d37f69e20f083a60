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

    /// The same error with `place` in front of its message: the key of what is stored, or the name
    /// of an argument. What a stranger chose in it is escaped.
    #[must_use]
    pub fn about(self, place: &str) -> Self {
        if self.kind == ErrorKind::OutOfMemory {
            return Self::out_of_memory();
        }
        let message = Cow::Owned(format!("{}: {}", escaped(place), self.message));
        Self { message, ..self }
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

/// How many characters of a text that a stranger chose a message shows.
const SHOWN: usize = 80;

/// Characters that say nothing by themselves and change or hide what stands around them: soft
/// hyphens, marks of direction, separators of lines and paragraphs, invisible operators, tags. The
/// joiners U+200C and U+200D are not among them, for Persian, Indic scripts and emoji need them.
const HIDDEN: [(char, char); 11] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{e0000}', '\u{e00ff}'),
];

/// `text` without a character that could change what a terminal shows: controls, marks of direction
/// and what else hides text become escapes such as `\n` and `\u{202e}`. All else stays, quotation
/// marks, backslashes and the letters of every script among it.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().saturating_add(8));
    for character in text.chars() {
        push_escaped(&mut out, character);
    }
    Cow::Owned(out)
}

fn is_unprintable(character: char) -> bool {
    character.is_control() || HIDDEN.iter().any(|&(first, last)| (first..=last).contains(&character))
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '\t' | '\n' | '\r' => out.extend(character.escape_default()),
        _ if is_unprintable(character) => out.extend(character.escape_unicode()),
        _ => out.push(character),
    }
}

/// `text` for a message, [`escaped`] and cut after some 80 characters.
#[must_use]
pub fn excerpt(text: &str) -> String {
    shortened(text, push_escaped)
}

/// `text` in quotation marks for a message: as [`excerpt`], with backslashes and quotation marks
/// escaped too, so that it is plain where the text ends.
#[must_use]
pub fn quoted(text: &str) -> String {
    let inside = shortened(text, |out, character| {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        push_escaped(out, character);
    });
    format!("\"{inside}\"")
}

fn shortened(text: &str, push: impl Fn(&mut String, char)) -> String {
    let mut out = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        push(&mut out, character);
    }
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
#[allow(clippy::unwrap_used)]
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
    fn an_error_names_its_place() {
        let error = Error::new(ErrorKind::InvalidJson, "bad").at(3).with_native_code(2).about("a\u{1b}/b\"");
        assert_eq!(error.to_string(), "a\\u{1b}/b\": bad");
        assert_eq!((error.kind(), error.offset(), error.native_code()), (ErrorKind::InvalidJson, Some(3), 2));
        assert_eq!(Error::out_of_memory().about("a"), Error::out_of_memory());
    }

    #[test]
    fn what_could_change_a_terminal_is_escaped() {
        // C0, DEL and C1; the marks of direction; separators; what is invisible.
        let controls = (0..0x20).chain(0x7f..0xa0);
        let bidi = [0x61c, 0x200e, 0x200f].into_iter().chain(0x202a..=0x202e).chain(0x2066..=0x2069);
        let others = [0x2028, 0x2029, 0xad, 0x200b, 0x2060, 0x206f, 0xfeff, 0xfff9, 0xe0001, 0xe0041, 0xe007f];
        for code in controls.chain(bidi).chain(others) {
            let character = char::from_u32(code).unwrap();
            let text = escaped(character.encode_utf8(&mut [0; 4])).into_owned();
            assert!(text.is_ascii() && text.starts_with('\\') && text.bytes().all(|byte| byte >= 0x20), "{code:#x}");
        }
        assert_eq!(escaped("\u{1b}[31mred\u{7}\r\n\t\0"), r"\u{1b}[31mred\u{7}\r\n\t\u{0}");
        assert_eq!(escaped("a\u{202e}gpj.exe"), r"a\u{202e}gpj.exe");
        assert_eq!(escaped("\u{9b}2J"), r"\u{9b}2J");
    }

    #[test]
    fn ordinary_text_of_every_script_stays_as_it_is() {
        let texts = [
            "",
            r#"a "b" 'c' \d \u{1b}"#,
            "Größe µm Å",
            "\u{301}e\u{301}",
            "日本語\u{3000}の",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}🔬",
            "❤\u{fe0f}",
            "עברית",
        ];
        for text in texts {
            assert!(matches!(escaped(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn quoted_text_is_short_and_printable() {
        assert_eq!(quoted("a\nb\"c"), r#""a\nb\"c""#);
        assert_eq!(quoted(r"C:\x"), r#""C:\\x""#);
        assert_eq!(excerpt(r#""a\n"'"#), r#""a\n"'"#);
        assert_eq!(excerpt(&"\u{202e}".repeat(81)), format!("{}…", "\\u{202e}".repeat(80)));
        assert_eq!(quoted(&"x".repeat(500)).chars().count(), 83);
    }
}
