//! Whether a text is JSON, and if not, what a person has to know to mend it.
//!
//! Nesting costs a byte a level and no stack, for a stranger chooses how deep it is.

use std::borrow::Cow;
use std::ops::Range;

use super::parts;
use crate::error::{Error, ErrorKind, Result, excerpt, quoted};

const CORRECT: &str = "correct it there or restore the document";

/// The numbers that Python and Java write and JSON has not.
pub(super) const WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// Refuses bytes that are no text at all, and texts that are plainly something else than a
/// document.
pub(super) fn text(bytes: &[u8]) -> Result<&str> {
    if let Some(message) = other_content(bytes) {
        return Err(Error::new(ErrorKind::InvalidJson, message).at(0));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let place = place(bytes, at);
        let message = if error.error_len().is_none() {
            format!("the document is cut: it ends inside a character at {place}; restore it or complete it")
        } else {
            let byte = bytes.get(at).copied().unwrap_or_default();
            format!("the document is not UTF-8: at {place} is the byte {byte:#04x}, as in Latin-1 or in what is no text; store it as UTF-8")
        };
        failure(at, message)
    })
}

/// What the bytes are, where they are nothing that a document begins with.
fn other_content(bytes: &[u8]) -> Option<String> {
    let len = bytes.len();
    let count = |what: &str| format!("{len} {what}{}", if len == 1 { "" } else { "s" });
    if bytes.is_empty() {
        return Some("the document is empty; restore it from a copy or write it anew".to_owned());
    }
    if bytes.iter().all(|&byte| byte == 0) {
        let bytes = count("NUL byte");
        return Some(format!(
            "the document holds {bytes} and nothing else, as a crash of the machine leaves it; restore it from a copy or write it anew"
        ));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let blanks = count("blank");
        return Some(format!("the document holds {blanks} and nothing else; restore it from a copy or write it anew"));
    }
    let packed = [
        ("gzip", &b"\x1f\x8b"[..]),
        ("zstd", b"\x28\xb5\x2f\xfd"),
        ("xz", b"\xfd7zXZ\0"),
        ("bzip2", b"BZh"),
        ("zip", b"PK\x03\x04"),
        ("lz4", b"\x04\x22\x4d\x18"),
    ];
    if let Some((name, _)) = packed.iter().find(|(_, magic)| bytes.starts_with(magic)) {
        return Some(format!("the document is packed by {name}; metadata are read as plain text, so unpack it"));
    }
    if let Some(units) = wide_text(bytes) {
        return Some(format!("the document is {units}; store it as UTF-8"));
    }
    let visible = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    visible.starts_with(b"<").then(|| {
        "the document begins with `<`: it is a page of HTML or XML, as servers send in the place of a file; get the file itself".to_owned()
    })
}

/// UTF-16 or UTF-32, by a byte order mark or by the zeros between Latin letters.
fn wide_text(bytes: &[u8]) -> Option<&'static str> {
    let zeros = |start: usize, step: usize| bytes.iter().skip(start).step_by(step).take(8).all(|&byte| byte == 0);
    let letters = |start: usize, step: usize| bytes.iter().skip(start).step_by(step).take(8).all(|&byte| byte != 0);
    let is_longer = bytes.len() >= 4;
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        return Some("UTF-32");
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Some("UTF-16");
    }
    if is_longer && (letters(0, 4) && zeros(1, 4) && zeros(2, 4) && zeros(3, 4) || letters(3, 4) && zeros(0, 4) && zeros(1, 4)) {
        return Some("UTF-32");
    }
    (is_longer && (letters(0, 2) && zeros(1, 2) || letters(1, 2) && zeros(0, 2))).then_some("UTF-16")
}

/// Where the one value of a document lies. `with_words` lets NaN and the infinities pass for
/// numbers.
///
/// `text` is what is read, `original` of the same length what messages show.
pub(super) fn root(text: &str, original: &str, with_words: bool) -> Result<Range<usize>> {
    let mut checker = Checker { text, bytes: text.as_bytes(), at: 0, open: Vec::new(), with_words };
    checker.document().map_err(|stop| match stop {
        Stop::OutOfMemory => Error::out_of_memory(),
        Stop::Fault { at, what } => checker.describe(original, at, what),
    })
}

/// The error of a comment that begins at `at` and never ends.
pub(super) fn open_comment(text: &str, at: usize) -> Error {
    let place = place(text.as_bytes(), at);
    failure(at, format!("the document is not JSON: the comment that begins at {place} never ends; close it with `*/`"))
}

fn failure(at: usize, message: String) -> Error {
    Error::new(ErrorKind::InvalidJson, message).at(u64::try_from(at).unwrap_or(u64::MAX))
}

/// Line and column, counted in characters from 1.
fn place(bytes: &[u8], at: usize) -> String {
    let before = bytes.get(..at).unwrap_or(bytes);
    let lines = before.split(|&byte| byte == b'\n').count();
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end.saturating_add(1));
    let line = before.get(line_start..).unwrap_or_default();
    // What continues a character of UTF-8 is none by itself.
    let column = line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    format!("line {lines}, column {}", column.saturating_add(1))
}

/// Why the checker stopped.
enum Stop {
    Fault { at: usize, what: What },
    OutOfMemory,
}

/// What is wrong at a place.
#[derive(Clone, Copy)]
enum What {
    /// The text ends too early; in a string, where that begins.
    End { string: Option<usize> },
    /// No value is here.
    NoValue,
    /// Letters that are no value, up to `end`.
    Word { end: usize },
    /// No number of JSON, up to `end`.
    Number { end: usize },
    /// No name of a member is here.
    NoName,
    /// No colon is here, behind the name that begins at `name`.
    NoColon { name: usize },
    /// A comma before what closes an object or array.
    TrailingComma,
    /// Neither a comma nor what closes the object or array.
    NoComma,
    /// A control character in a string.
    Control,
    /// A backslash that begins no escape.
    Escape,
    /// Something behind the value.
    Behind,
}

struct Checker<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// What closes each object and array that is open.
    open: Vec<u8>,
    with_words: bool,
}

impl Checker<'_> {
    fn document(&mut self) -> std::result::Result<Range<usize>, Stop> {
        self.blanks();
        let start = self.at;
        self.value()?;
        let end = self.at;
        self.blanks();
        if self.at < self.bytes.len() { Err(fault(self.at, What::Behind)) } else { Ok(start..end) }
    }

    /// A value with all that is in it.
    fn value(&mut self) -> std::result::Result<(), Stop> {
        loop {
            self.blanks();
            match self.peek() {
                Some(b'{') => {
                    self.begin(b'}')?;
                    if self.peek() != Some(b'}') {
                        self.name()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.begin(b']')?;
                    if self.peek() != Some(b']') {
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                _ => self.token()?,
            }
            if self.ends()? {
                return Ok(());
            }
        }
    }

    /// Closes what ends behind a value; whether nothing is open any more. Otherwise another value
    /// follows.
    fn ends(&mut self) -> std::result::Result<bool, Stop> {
        while let Some(&close) = self.open.last() {
            self.blanks();
            match self.peek() {
                Some(b',') => {
                    let comma = self.at;
                    self.step();
                    self.blanks();
                    if matches!(self.peek(), Some(b'}' | b']')) {
                        return Err(fault(comma, What::TrailingComma));
                    }
                    if close == b'}' {
                        self.name()?;
                    }
                    return Ok(false);
                }
                Some(byte) if byte == close => {
                    self.step();
                    self.open.pop();
                }
                None => return Err(fault(self.at, What::End { string: None })),
                Some(_) => return Err(fault(self.at, What::NoComma)),
            }
        }
        Ok(true)
    }

    /// The beginning of an object or array, and the blanks behind it.
    fn begin(&mut self, close: u8) -> std::result::Result<(), Stop> {
        self.open.try_reserve(1).map_err(|_| Stop::OutOfMemory)?;
        self.open.push(close);
        self.step();
        self.blanks();
        Ok(())
    }

    /// The name of a member and the colon behind it.
    fn name(&mut self) -> std::result::Result<(), Stop> {
        let name = self.at;
        match self.peek() {
            Some(b'"') => self.string()?,
            None => return Err(fault(self.at, What::End { string: None })),
            Some(_) => return Err(fault(self.at, What::NoName)),
        }
        self.blanks();
        match self.peek() {
            Some(b':') => {
                self.step();
                Ok(())
            }
            None => Err(fault(self.at, What::End { string: None })),
            Some(_) => Err(fault(self.at, What::NoColon { name })),
        }
    }

    fn string(&mut self) -> std::result::Result<(), Stop> {
        let start = self.at;
        self.step();
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(skipped) = rest.iter().position(|&byte| byte < 0x20 || matches!(byte, b'"' | b'\\')) else {
                return Err(fault(self.bytes.len(), What::End { string: Some(start) }));
            };
            self.at = self.at.saturating_add(skipped);
            match (rest.get(skipped), rest.get(skipped.saturating_add(1))) {
                (Some(b'"'), _) => {
                    self.step();
                    return Ok(());
                }
                (Some(b'\\'), None) => return Err(fault(self.bytes.len(), What::End { string: Some(start) })),
                (Some(b'\\'), Some(b'u')) => {
                    let digits = rest.iter().skip(skipped.saturating_add(2)).take(4);
                    if !digits.clone().all(u8::is_ascii_hexdigit) {
                        return Err(fault(self.at, What::Escape));
                    }
                    if digits.len() < 4 {
                        return Err(fault(self.bytes.len(), What::End { string: Some(start) }));
                    }
                    self.at = self.at.saturating_add(6);
                }
                (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => self.at = self.at.saturating_add(2),
                (Some(b'\\'), Some(_)) => return Err(fault(self.at, What::Escape)),
                _ => return Err(fault(self.at, What::Control)),
            }
        }
    }

    /// A number or a word.
    fn token(&mut self) -> std::result::Result<(), Stop> {
        let start = self.at;
        let end = self.token_end(start);
        let token = self.text.get(start..end).unwrap_or_default();
        let what = match token.bytes().next() {
            None if start == self.bytes.len() => What::End { string: None },
            None => What::NoValue,
            Some(_) if matches!(token, "true" | "false" | "null") || is_number(token) => {
                self.at = end;
                return Ok(());
            }
            Some(_) if self.with_words && WORDS.contains(&token) => {
                self.at = end;
                return Ok(());
            }
            // The text ends in the middle of a word or a number.
            Some(_) if end == self.bytes.len() && !self.open.is_empty() && self.is_beginning(token) => What::End { string: None },
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => What::Number { end },
            Some(_) => What::Word { end },
        };
        Err(fault(if matches!(what, What::End { .. }) { end } else { start }, what))
    }

    fn is_beginning(&self, token: &str) -> bool {
        let words = ["true", "false", "null"].into_iter().chain(WORDS.into_iter().filter(|_| self.with_words));
        let is_cut_number = || [format!("{token}0"), format!("{token}+0")].iter().any(|number| is_number(number));
        words.into_iter().any(|word| word.starts_with(token)) || (token.len() < 400 && is_cut_number())
    }

    /// The end of the letters, digits and marks from `start` on.
    fn token_end(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let len = rest.iter().position(|&byte| byte <= b' ' || byte == 0x7f || b",:[]{}\"'`/".contains(&byte)).unwrap_or(rest.len());
        start.saturating_add(len)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(parts::is_blank) {
            self.step();
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// The error of a fault, told of `original`, which differs from the text in blanked comments.
    fn describe(&self, original: &str, at: usize, what: What) -> Error {
        let place_of = |at: usize| place(original.as_bytes(), at);
        let place = place_of(at);
        let shown = |end: usize| quoted(original.get(at..end).unwrap_or_default());
        let inside = || self.container(at).map(|(kind, start)| format!("{kind} that begins at {}", place_of(start)));
        let rest = original.get(at..).unwrap_or_default();
        let (problem, remedy): (String, Cow<str>) = match what {
            What::End { string } => {
                let inside = match string {
                    Some(start) => Some(format!("the string that begins at {}", place_of(start))),
                    None => inside(),
                };
                let Some(inside) = inside else {
                    let message = "the document holds nothing but blanks and comments; restore it from a copy or write it anew";
                    return failure(at, message.to_owned());
                };
                return failure(at, format!("the document is cut: it ends at {place}, inside {inside}; restore it or complete it"));
            }
            What::Number { end } => number_remedy(&shown(end), original.get(at..end).unwrap_or_default()),
            What::Word { .. } | What::NoValue if self.names_a_file(original) => (
                format!("{} begins no document", quoted(original.trim())),
                "the text itself is to be given, not the name of its file".into(),
            ),
            What::Word { end } => word_remedy(&shown(end), original.get(at..end).unwrap_or_default()),
            What::NoValue => match rest.chars().next() {
                Some(mark @ (',' | ':' | '}' | ']')) => (format!("a value is missing before `{mark}`"), CORRECT.into()),
                _ => stranger(rest),
            },
            What::NoName => match rest.chars().next() {
                Some(mark @ (',' | ':' | '{' | '[' | ']')) => (format!("a name is missing before `{mark}`"), CORRECT.into()),
                Some(first) if first.is_alphanumeric() || matches!(first, '_' | '-' | '$' | '.') => {
                    let name = original.get(at..self.token_end(at)).unwrap_or_default();
                    (format!("the name {} stands without quotation marks", quoted(name)), "put it between double ones".into())
                }
                _ => stranger(rest),
            },
            What::NoColon { name } => {
                let end = parts::string_end(self.bytes, name);
                (format!("no colon follows the name {}", excerpt(original.get(name..end).unwrap_or_default())), CORRECT.into())
            }
            What::TrailingComma => {
                let close = rest.chars().find(|mark| matches!(mark, '}' | ']')).unwrap_or('}');
                (format!("a comma stands before `{close}`"), "remove the comma".into())
            }
            What::NoComma => match rest.chars().next() {
                Some(mark @ ('}' | ']')) => {
                    (format!("`{mark}` does not close {}", inside().unwrap_or_default()), "close that first, or correct the bracket".into())
                }
                Some('"' | '{' | '[' | '-' | '0'..='9' | 't' | 'f' | 'n') => ("a comma is missing before this".to_owned(), CORRECT.into()),
                _ => stranger(rest),
            },
            What::Control => match rest.chars().next() {
                Some('\n' | '\r') => ("a line ends inside a string".to_owned(), "close the string before, or write \\n".into()),
                Some('\0') => ("a NUL byte stands inside a string".to_owned(), "restore the document from a copy".into()),
                control => {
                    let code = u32::from(control.unwrap_or_default());
                    (format!("the control character U+{code:04X} stands inside a string"), format!("write \\u{code:04x}").into())
                }
            },
            What::Escape => {
                let escape: String = rest.chars().take(if rest.starts_with("\\u") { 6 } else { 2 }).collect();
                (format!("{} is no escape of JSON", quoted(&escape)), "a backslash itself is written twice".into())
            }
            What::Behind => behind(rest),
        };
        failure(at, format!("the document is not JSON: at {place}, {problem}; {remedy}"))
    }

    /// The innermost object or array that is open at `at`, and where it begins.
    fn container(&self, at: usize) -> Option<(&'static str, usize)> {
        let depth = self.open.len();
        let kind = match self.open.last()? {
            b'}' => "the object",
            _ => "the array",
        };
        let mut now = 0_usize;
        let mut start = 0;
        let mut here = 0;
        while here < at {
            match self.bytes.get(here) {
                Some(b'"') => {
                    here = parts::string_end(self.bytes, here);
                    continue;
                }
                Some(b'{' | b'[') => {
                    now = now.saturating_add(1);
                    if now == depth {
                        start = here;
                    }
                }
                Some(b'}' | b']') => now = now.saturating_sub(1),
                _ => {}
            }
            here = here.saturating_add(1);
        }
        Some((kind, start))
    }

    /// Whether somebody gave a path in the place of a text.
    fn names_a_file(&self, original: &str) -> bool {
        let text = original.trim();
        self.open.is_empty()
            && !text.contains(['{', '[', '"', '\n'])
            && (text.contains(['/', '\\']) || text.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json")))
    }
}

fn fault(at: usize, what: What) -> Stop {
    Stop::Fault { at, what }
}

/// Whether a token is a number of JSON.
fn is_number(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (integral, fraction) = match mantissa.split_once('.') {
        Some((integral, fraction)) => (integral, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(integral)
        && (integral == "0" || !integral.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits)
}

/// What is wrong with what looks like a number, and the remedy.
fn number_remedy(shown: &str, token: &str) -> (String, Cow<'static, str>) {
    let unsigned = token.trim_start_matches('-');
    let second = unsigned.as_bytes().get(1);
    let remedy = if unsigned.starts_with(|first: char| first.is_alphabetic()) {
        return word_remedy(shown, token);
    } else if token.starts_with('+') {
        "leave the plus sign out"
    } else if unsigned.starts_with('.') {
        "write a digit before the point"
    } else if unsigned.starts_with('0') && second.is_some_and(|byte| matches!(byte, b'x' | b'X')) {
        "write it in decimal digits"
    } else if unsigned.starts_with('0') && second.is_some_and(u8::is_ascii_digit) {
        "leave the zeros in front out"
    } else if unsigned.ends_with('.') {
        "write a digit behind the point"
    } else {
        "write it as in 12, -0.5 or 1e3, and text between double quotation marks"
    };
    (format!("{shown} is no number of JSON"), remedy.into())
}

/// What is wrong with a word, and the remedy.
fn word_remedy(shown: &str, token: &str) -> (String, Cow<'static, str>) {
    let word = token.trim_start_matches(['-', '+']).to_ascii_lowercase();
    let remedy = match word.as_str() {
        "true" | "false" | "null" => format!("write {word}"),
        "none" | "nil" | "undefined" => "write null".to_owned(),
        "nan" => "write null, or \"NaN\" as text".to_owned(),
        "infinity" | "inf" if token.starts_with('-') => "write null, or \"-Infinity\" as text".to_owned(),
        "infinity" | "inf" => "write null, or \"Infinity\" as text".to_owned(),
        _ if token.starts_with('\u{feff}') => return stranger(token),
        _ => "text stands between double quotation marks".to_owned(),
    };
    (format!("{shown} is no value of JSON"), remedy.into())
}

/// What stands where nothing of its kind can, and the remedy.
fn stranger(rest: &str) -> (String, Cow<'static, str>) {
    let first: String = rest.chars().take(1).collect();
    let (problem, remedy) = match first.as_str() {
        "'" | "`" => ("a quotation mark that is no double one", "put names and text between double ones"),
        "/" if rest.starts_with("//") || rest.starts_with("/*") => ("a comment", "remove it, for JSON has none"),
        "#" => ("a comment", "remove it, for JSON has none"),
        "\u{feff}" => ("a byte order mark", "remove its three bytes"),
        "\0" => ("a NUL byte", "restore the document from a copy"),
        _ => return (format!("{} stands where it cannot", quoted(&first)), CORRECT.into()),
    };
    (format!("{problem} is here"), remedy.into())
}

/// What is wrong with what follows the end of a document, and the remedy.
fn behind(rest: &str) -> (String, Cow<'static, str>) {
    if rest.bytes().all(|byte| byte == 0) {
        let count = rest.len();
        let bytes = if count == 1 { "a NUL byte follows".to_owned() } else { format!("{count} NUL bytes follow") };
        return (format!("{bytes} the document"), "cut the file there, or give its length without a terminator".into());
    }
    match rest.chars().next() {
        Some('{' | '[') => ("a second document begins".to_owned(), "keep one of them".into()),
        Some(mark @ ('}' | ']')) => (format!("`{mark}` closes nothing"), "remove it, or open what it is to close".into()),
        Some(',') => ("a comma follows the document".to_owned(), "remove it".into()),
        Some('/' | '#') => stranger(rest),
        _ => {
            let line = rest.lines().next().unwrap_or_default();
            (format!("more follows the end of the document: {}", quoted(line)), "remove it, or correct what ended too early".into())
        }
    }
}
