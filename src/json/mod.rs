//! JSON documents as ordered lists of members with raw text, and strings of JSON.
//!
//! Only the members that zn5 interprets are ever read; all else stays the text it is. So neither a
//! lone surrogate escape nor a number beyond every type, nor NaN, nor deep nesting in somebody's
//! attribute can refuse a document. Where a key occurs twice, the last one counts, as it does for
//! Java's and Python's readers.

#![forbid(unsafe_code)]

mod parts;
mod syntax;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::Write as _;

use parts::{Characters, Parts, Words};

use crate::error::{Error, ErrorKind, Result, excerpt};

/// A document that is UTF-8, and JSON once `root` has succeeded.
pub(crate) struct Document<'a> {
    original: &'a str,
    /// What is read, as long as the original.
    text: Cow<'a, str>,
    /// Whether NaN and the infinities pass for numbers.
    with_words: bool,
}

impl<'a> Document<'a> {
    /// A document of pure JSON, as what a caller gives has to be.
    pub(crate) fn strict(bytes: &'a [u8]) -> Result<Self> {
        let original = syntax::text(bytes)?;
        Ok(Self { original, text: Cow::Borrowed(original), with_words: false })
    }

    /// A zarr.json: JSON, but for NaN and the infinities, which Python writes into attributes.
    pub(crate) fn zarr(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self { with_words: true, ..Self::strict(bytes)? })
    }

    /// An attributes.json, which may have a byte order mark and comments as well, as programs and
    /// people leave them there.
    pub(crate) fn lenient(bytes: &'a [u8]) -> Result<Self> {
        let original = syntax::text(bytes)?;
        Ok(Self { original, text: without_comments(original)?, with_words: true })
    }

    /// The one value that the document is.
    pub(crate) fn root(&self) -> Result<Value<'_>> {
        let range = syntax::root(&self.text, self.original, self.with_words)?;
        let offset = u64::try_from(range.start).unwrap_or(u64::MAX);
        Ok(Value { raw: self.text.get(range).unwrap_or_default(), offset })
    }
}

/// A value inside a document: its raw text and the byte offset where that begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    raw: &'a str,
    offset: u64,
}

impl<'a> Value<'a> {
    /// The text as the document has it.
    pub(crate) fn raw(self) -> &'a str {
        self.raw
    }

    /// The byte offset in the document.
    pub(crate) fn offset(self) -> u64 {
        self.offset
    }

    /// Whether it is `null`.
    pub(crate) fn is_null(self) -> bool {
        self.raw == "null"
    }

    /// The truth value, if it is one.
    pub(crate) fn boolean(self) -> Option<bool> {
        match self.raw {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The characters of a string; each is `None` that is an unpaired surrogate escape.
    pub(crate) fn characters(self) -> Option<impl Iterator<Item = Option<char>> + Clone + 'a> {
        self.inner().map(Characters::of)
    }

    /// The text of a string; `None` for another type, for a string that is no Unicode text (an
    /// unpaired surrogate escape), and where memory is exhausted.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.inner()?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        let mut text = String::new();
        text.try_reserve_exact(inner.len()).ok()?;
        for character in Characters::of(inner) {
            text.push(character?);
        }
        Some(Cow::Owned(text))
    }

    /// The text of a string.
    pub(crate) fn string(self, path: &str) -> Result<Cow<'a, str>> {
        self.text().ok_or_else(|| self.invalid(path, "a string"))
    }

    /// Whether it is a string, of text or not.
    pub(crate) fn is_string(self) -> bool {
        self.raw.starts_with('"')
    }

    /// Whether it is an object.
    pub(crate) fn is_object(self) -> bool {
        self.raw.starts_with('{')
    }

    /// The items of an array.
    pub(crate) fn array(self, path: &str) -> Result<Vec<Value<'a>>> {
        if !self.raw.starts_with('[') {
            return Err(self.invalid(path, "an array"));
        }
        let mut items = Vec::new();
        for range in Parts::of(self.raw) {
            items.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            items.push(self.part(range));
        }
        Ok(items)
    }

    /// The members of an object. `path` is what messages call it; the document itself is "".
    pub(crate) fn object(self, path: &str) -> Result<Object<'a>> {
        if !self.is_object() {
            return Err(self.invalid(path, "an object"));
        }
        let mut members = Vec::new();
        let mut parts = Parts::of(self.raw);
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            members.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            members.push(Member { key: self.part(key), value: self.part(value) });
        }
        Ok(Object { members, value: self, path: path.to_owned() })
    }

    /// Where NaN and the infinities stand in it, which are no JSON.
    pub(crate) fn words(self) -> impl Iterator<Item = Value<'a>> {
        Words::of(self.raw).map(move |range| self.part(range))
    }

    /// The value as pure JSON: NaN and the infinities as the strings that Zarr has for them. The
    /// pieces follow one another.
    pub(crate) fn json(self) -> impl Iterator<Item = &'a str> {
        let mut from = 0;
        let mut words = Words::of(self.raw);
        let next = move || {
            let start = from;
            let word = words.next();
            let end = word.as_ref().map_or(self.raw.len(), |word| word.start);
            from = word.as_ref().map_or(usize::MAX, |word| word.end);
            let before = self.raw.get(start..end)?;
            Some((before, word.and_then(|word| self.raw.get(word))))
        };
        std::iter::from_fn(next).flat_map(|(before, word)| {
            let (mark, word) = word.map_or(("", ""), |word| ("\"", word));
            [before, mark, word, mark]
        })
    }

    /// The error that this value is not what it must be.
    pub(crate) fn invalid(self, path: &str, wanted: &str) -> Error {
        self.error(ErrorKind::InvalidMetadata, format!("{} is {}; it must be {wanted}", called(path), self.shown()))
    }

    /// An error about this value.
    pub(crate) fn error(self, kind: ErrorKind, message: String) -> Error {
        Error::new(kind, message).at(self.offset)
    }

    /// The raw text for a message: cut after some 80 characters, what is no plain text escaped.
    pub(crate) fn shown(self) -> String {
        excerpt(self.raw)
    }

    /// What stands between the quotation marks of a string.
    fn inner(self) -> Option<&'a str> {
        self.raw.strip_prefix('"')?.strip_suffix('"')
    }

    fn part(self, range: std::ops::Range<usize>) -> Value<'a> {
        let offset = self.offset.saturating_add(u64::try_from(range.start).unwrap_or(u64::MAX));
        Value { raw: self.raw.get(range).unwrap_or_default(), offset }
    }
}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    key: Value<'a>,
    value: Value<'a>,
}

impl<'a> Member<'a> {
    /// Whether the key, escapes resolved, is `name`.
    pub(crate) fn is_named(self, name: &str) -> bool {
        self.key.characters().is_some_and(|key| key.eq(name.chars().map(Some)))
    }

    /// The key's text with its quotation marks.
    pub(crate) fn key(self) -> Value<'a> {
        self.key
    }

    /// The value.
    pub(crate) fn value(self) -> Value<'a> {
        self.value
    }
}

/// An object's members in the document's order, duplicates included.
#[derive(Clone, Debug)]
pub(crate) struct Object<'a> {
    members: Vec<Member<'a>>,
    value: Value<'a>,
    path: String,
}

impl<'a> Object<'a> {
    /// The value of the last member with this name.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.iter().rev().find(|member| member.is_named(name)).map(|member| member.value)
    }

    /// The value of a member that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<Value<'a>> {
        self.get(name).ok_or_else(|| {
            let message = format!("{} has no member `{name}`; {}", called(&self.path), self.addition(name, "add it"));
            self.value.error(ErrorKind::InvalidMetadata, message)
        })
    }

    /// What to do where the member `name` is missing: `remedy`, unless another one seems to be it,
    /// misspelt.
    pub(crate) fn addition(&self, name: &str, remedy: &str) -> String {
        let similar = self.members.iter().find(|member| member.key.inner().is_some_and(|key| is_similar(key, name)));
        match similar {
            Some(member) => format!("{} may be meant for it, so correct its spelling", member.key.shown()),
            None => remedy.to_owned(),
        }
    }

    /// The members whose names are none of `known`.
    pub(crate) fn others(&self, known: &[&str]) -> impl Iterator<Item = Member<'a>> {
        self.members.iter().copied().filter(move |member| !known.iter().any(|name| member.is_named(name)))
    }

    /// Refuses members whose names are none of `known`.
    pub(crate) fn only(&self, known: &[&str]) -> Result<()> {
        match self.others(known).next() {
            None => Ok(()),
            Some(member) => {
                let similar = known.iter().find(|name| member.key.inner().is_some_and(|key| is_similar(key, name)));
                let remedy = similar.map_or_else(|| "remove it".to_owned(), |name| format!("is `{name}` meant?"));
                let message = format!("{} has the member {}, which zn5 does not know; {remedy}", called(&self.path), member.key.shown());
                Err(member.key.error(ErrorKind::InvalidMetadata, message))
            }
        }
    }

    /// Refuses NaN and the infinities in the members with these names.
    pub(crate) fn check_numbers(&self, names: &[&str]) -> Result<()> {
        for member in &self.members {
            let Some(name) = names.iter().find(|name| member.is_named(name)) else { continue };
            if let Some(word) = member.value.words().next() {
                let message = format!(
                    "`{}` has {}, which is no JSON and may stand in users' attributes alone; correct it",
                    self.path_of(name),
                    word.raw
                );
                return Err(word.error(ErrorKind::InvalidMetadata, message));
            }
        }
        Ok(())
    }

    /// What messages call the member `name`.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The object as a value.
    pub(crate) fn value(&self) -> Value<'a> {
        self.value
    }
}

/// What messages call the value at `path`.
pub(crate) fn called(path: &str) -> String {
    if path.is_empty() { "the document".to_owned() } else { format!("`{path}`") }
}

/// The JSON string of a text.
pub(crate) fn string(text: &str) -> Result<String> {
    let mut out = String::new();
    let escapes = text.bytes().filter(|&byte| byte < 0x20 || matches!(byte, b'"' | b'\\')).count();
    let room = text.len().saturating_add(escapes.saturating_mul(5)).saturating_add(2);
    out.try_reserve_exact(room).map_err(|_| Error::out_of_memory())?;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    Ok(out)
}

/// Whether two names differ as a slip of the pen makes them differ: in case, in one letter, or in
/// two that changed places.
fn is_similar(given: &str, name: &str) -> bool {
    const LONGEST: usize = 64;
    if given.len() > LONGEST || given == name {
        return false;
    }
    let (given, name) = (given.to_lowercase(), name.to_lowercase());
    let (given, name): (Vec<char>, Vec<char>) = (given.chars().collect(), name.chars().collect());
    let same_before = given.iter().zip(&name).take_while(|(a, b)| a == b).count();
    let (given, name) = (given.get(same_before..).unwrap_or_default(), name.get(same_before..).unwrap_or_default());
    match (given, name) {
        ([], []) => true,
        ([a, b, given @ ..], [c, d, name @ ..]) if a == d && b == c && given == name => true,
        ([_, given @ ..], [_, name @ ..]) if given == name => same_before > 0,
        (given, [_, name @ ..]) if given == name => true,
        ([_, given @ ..], name) if given == name => true,
        _ => false,
    }
}

/// `text` with blanks for a byte order mark and for `//` and `/* */` comments outside strings, so
/// that byte offsets stay right.
fn without_comments(text: &str) -> Result<Cow<'_, str>> {
    if !text.starts_with('\u{feff}') && !text.contains("//") && !text.contains("/*") {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::new();
    out.try_reserve_exact(text.len()).map_err(|_| Error::out_of_memory())?;
    let mut in_string = false;
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        match (character, next) {
            ('"', _) => {
                in_string = !in_string;
                out.push(character);
            }
            ('\\', Some(escaped)) if in_string => {
                out.push(character);
                out.push(escaped);
                characters.next();
            }
            ('/', Some('/')) if !in_string => {
                blank(&mut out, character);
                while let Some((_, commented)) = characters.next_if(|&(_, next)| next != '\n' && next != '\r') {
                    blank(&mut out, commented);
                }
            }
            ('/', Some('*')) if !in_string => {
                out.push_str("  ");
                characters.next();
                let mut previous = ' ';
                loop {
                    let Some((_, commented)) = characters.next() else { return Err(syntax::open_comment(text, offset)) };
                    blank(&mut out, commented);
                    if previous == '*' && commented == '/' {
                        break;
                    }
                    previous = commented;
                }
            }
            ('\u{feff}', _) if offset == 0 => blank(&mut out, character),
            _ => out.push(character),
        }
    }
    Ok(Cow::Owned(out))
}

/// As many blanks as `character` has bytes; a line end stays, for the line numbers.
fn blank(out: &mut String, character: char) {
    if matches!(character, '\n' | '\r') {
        out.push(character);
    } else {
        out.extend(std::iter::repeat_n(' ', character.len_utf8()));
    }
}
