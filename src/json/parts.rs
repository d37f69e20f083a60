//! The parts of a text that is known to be JSON: members, items, strings, the words that are no
//! numbers.
//!
//! Nothing here fails, and nothing needs more memory or stack where values are nested deeply.

use std::ops::Range;
use std::str::Chars;

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The end of the string that begins at `start`; the end of the text where it does not end.
pub(super) fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start.saturating_add(1);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(skipped) = rest.iter().position(|&byte| matches!(byte, b'"' | b'\\')) else {
            return text.len();
        };
        at = at.saturating_add(skipped);
        if rest.get(skipped) == Some(&b'"') {
            return at.saturating_add(1);
        }
        at = at.saturating_add(2);
    }
}

/// The end of the value that begins at `start`.
fn value_end(text: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' if depth <= 1 => return if depth == 0 { at } else { at.saturating_add(1) },
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ if depth == 0 && is_blank(byte) => return at,
            _ => {}
        }
        at = at.saturating_add(1);
    }
    at
}

/// The values in an array, or the names and values by turns in an object.
pub(super) struct Parts<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parts<'a> {
    /// The parts of `raw`, which begins with the bracket.
    pub(super) fn of(raw: &'a str) -> Self {
        Self { text: raw.as_bytes(), at: 1 }
    }
}

impl Iterator for Parts<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..)?;
        let skipped = rest.iter().position(|&byte| !is_blank(byte) && !matches!(byte, b',' | b':'))?;
        if matches!(rest.get(skipped), Some(b'}' | b']')) {
            return None;
        }
        let start = self.at.saturating_add(skipped);
        self.at = if rest.get(skipped) == Some(&b'"') { string_end(self.text, start) } else { value_end(self.text, start) };
        Some(start..self.at)
    }
}

/// Where NaN and the infinities stand in a value, in ascending order.
pub(super) struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn of(raw: &'a str) -> Self {
        Self { text: raw.as_bytes(), at: 0 }
    }
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let rest = self.text.get(self.at..)?;
            // Outside strings no other value has one of these letters.
            let skipped = rest.iter().position(|&byte| matches!(byte, b'"' | b'N' | b'I'))?;
            let start = self.at.saturating_add(skipped);
            self.at = match rest.get(skipped) {
                Some(b'N') => start.saturating_add("NaN".len()),
                Some(b'I') => start.saturating_add("Infinity".len()),
                _ => {
                    self.at = string_end(self.text, start);
                    continue;
                }
            };
            let before = start.checked_sub(1).filter(|&before| self.text.get(before) == Some(&b'-'));
            return Some(before.unwrap_or(start)..self.at);
        }
    }
}

/// The characters of a string without its quotation marks, escapes resolved; `None` for an escape
/// of an unpaired surrogate.
#[derive(Clone)]
pub(super) struct Characters<'a> {
    rest: Chars<'a>,
}

impl<'a> Characters<'a> {
    pub(super) fn of(inner: &'a str) -> Self {
        Self { rest: inner.chars() }
    }

    /// The code unit behind `\u`.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest.as_str().get(..4)?;
        let unit = u32::from_str_radix(digits, 16).ok()?;
        self.rest = self.rest.as_str().get(4..)?.chars();
        Some(unit)
    }

    /// The second half of a pair, if one follows.
    fn low_surrogate(&mut self) -> Option<u32> {
        let mut behind = Self { rest: self.rest.as_str().strip_prefix("\\u")?.chars() };
        let low = behind.unit().filter(|unit| (0xdc00..0xe000).contains(unit))?;
        *self = behind;
        Some(low)
    }
}

impl Iterator for Characters<'_> {
    type Item = Option<char>;

    fn next(&mut self) -> Option<Option<char>> {
        let character = self.rest.next()?;
        if character != '\\' {
            return Some(Some(character));
        }
        Some(match self.rest.next()? {
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'u' => {
                let unit = self.unit()?;
                match unit {
                    0xd800..0xdc00 => {
                        self.low_surrogate().and_then(|low| char::from_u32(0x1_0000 + ((unit & 0x3ff) << 10) + (low & 0x3ff)))
                    }
                    unit => char::from_u32(unit),
                }
            }
            escaped => Some(escaped),
        })
    }
}
