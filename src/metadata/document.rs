//! A JSON document as an ordered list of members with raw text.
//!
//! Only the members that zn5 interprets are ever parsed; all else stays the text it is. So neither a lone surrogate escape nor a number
//! beyond every type nor deep nesting in somebody's attribute can refuse a document. Where a key occurs twice, the last one counts,
//! as it does for Java's and Python's readers.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result, excerpt};

/// The text of a document: UTF-8, and JSON once `root` has succeeded.
pub(super) struct Document<'a> {
    text: Cow<'a, str>,
}

impl<'a> Document<'a> {
    /// A document of pure JSON.
    pub(super) fn strict(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self { text: Cow::Borrowed(utf8(bytes)?) })
    }

    /// A document that may have a byte order mark and comments, as programs and people leave them in attributes.json.
    pub(super) fn lenient(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self { text: without_comments(utf8(bytes)?)? })
    }

    /// The one value that the document is.
    pub(super) fn root(&self) -> Result<Value<'_>> {
        let raw: &RawValue = serde_json::from_str(&self.text).map_err(|error| syntax_error(&self.text, &error))?;
        Ok(Value { raw: raw.get(), offset: distance(&self.text, raw.get()) })
    }
}

/// A value inside a document: its raw text and the byte offset where that begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    raw: &'a str,
    offset: u64,
}

impl<'a> Value<'a> {
    /// The text as the document has it.
    pub(super) fn raw(self) -> &'a str {
        self.raw
    }

    /// Whether it is `null`.
    pub(super) fn is_null(self) -> bool {
        self.raw == "null"
    }

    /// The truth value, if it is one.
    pub(super) fn boolean(self) -> Option<bool> {
        match self.raw {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The text of a string; `None` for another type and for a string that is no Unicode text (an unpaired surrogate escape).
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        unescaped(self.raw)
    }

    /// The text of a string.
    pub(super) fn string(self, path: &str) -> Result<Cow<'a, str>> {
        self.text().ok_or_else(|| self.invalid(path, "a string"))
    }

    /// Whether it is a string, of text or not.
    pub(super) fn is_string(self) -> bool {
        self.raw.starts_with('"')
    }

    /// Whether it is an object.
    pub(super) fn is_object(self) -> bool {
        self.raw.starts_with('{')
    }

    /// The items of an array.
    pub(super) fn array(self, path: &str) -> Result<Vec<Value<'a>>> {
        if !self.raw.starts_with('[') {
            return Err(self.invalid(path, "an array"));
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.raw);
        let items = deserializer.deserialize_seq(Items { parent: self }).map_err(|error| self.syntax_error(&error))?;
        items.ok_or_else(Error::out_of_memory)
    }

    /// The members of an object. `path` is what messages call it; the document itself is "".
    pub(super) fn object(self, path: &str) -> Result<Object<'a>> {
        if !self.is_object() {
            return Err(self.invalid(path, "an object"));
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.raw);
        let members = deserializer.deserialize_map(Members { parent: self }).map_err(|error| self.syntax_error(&error))?;
        Ok(Object { members: members.ok_or_else(Error::out_of_memory)?, value: self, path: path.to_owned() })
    }

    /// The error that this value is not what it must be.
    pub(super) fn invalid(self, path: &str, wanted: &str) -> Error {
        self.error(ErrorKind::InvalidMetadata, format!("{} is {}; it must be {wanted}", called(path), self.shown()))
    }

    /// An error about this value.
    pub(super) fn error(self, kind: ErrorKind, message: String) -> Error {
        Error::new(kind, message).at(self.offset)
    }

    /// The raw text for a message: cut after some 80 characters, control characters escaped.
    pub(super) fn shown(self) -> String {
        excerpt(self.raw)
    }

    fn child(self, raw: &'a RawValue) -> Value<'a> {
        Value { raw: raw.get(), offset: self.offset.saturating_add(distance(self.raw, raw.get())) }
    }

    fn syntax_error(self, error: &serde_json::Error) -> Error {
        syntax_error(self.raw, error).shifted(self.offset)
    }
}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    key: Value<'a>,
    value: Value<'a>,
}

impl<'a> Member<'a> {
    /// Whether the key, escapes resolved, is `name`.
    pub(super) fn is_named(self, name: &str) -> bool {
        self.key.text().is_some_and(|key| key == name)
    }

    /// The key's text with its quotation marks.
    pub(super) fn key(self) -> Value<'a> {
        self.key
    }

    /// The value.
    pub(super) fn value(self) -> Value<'a> {
        self.value
    }
}

/// An object's members in the document's order, duplicates included.
#[derive(Clone, Debug)]
pub(super) struct Object<'a> {
    members: Vec<Member<'a>>,
    value: Value<'a>,
    path: String,
}

impl<'a> Object<'a> {
    /// The value of the last member with this name.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.iter().rev().find(|member| member.is_named(name)).map(|member| member.value)
    }

    /// The value of a member that must be there.
    pub(super) fn required(&self, name: &str) -> Result<Value<'a>> {
        self.get(name).ok_or_else(|| {
            let message = format!("{} has no member `{name}`; add it", called(&self.path));
            self.value.error(ErrorKind::InvalidMetadata, message)
        })
    }

    /// The members whose names are none of `known`.
    pub(super) fn others(&self, known: &[&str]) -> impl Iterator<Item = Member<'a>> {
        self.members.iter().copied().filter(move |member| !known.iter().any(|name| member.is_named(name)))
    }

    /// Refuses members whose names are none of `known`.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        match self.others(known).next() {
            None => Ok(()),
            Some(member) => {
                let message = format!("{} has the member {}, which zn5 does not know; remove it", called(&self.path), member.key.shown());
                Err(member.key.error(ErrorKind::InvalidMetadata, message))
            }
        }
    }

    /// What messages call the member `name`.
    pub(super) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The object as a value.
    pub(super) fn value(&self) -> Value<'a> {
        self.value
    }
}

/// What messages call the value at `path`.
pub(super) fn called(path: &str) -> String {
    if path.is_empty() { "the document".to_owned() } else { format!("`{path}`") }
}

struct Members<'a> {
    parent: Value<'a>,
}

impl<'a> Visitor<'a> for Members<'a> {
    /// `None` where memory is exhausted.
    type Value = Option<Vec<Member<'a>>>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut members = Some(Vec::new());
        while let Some((key, value)) = map.next_entry::<&'a RawValue, &'a RawValue>()? {
            push(&mut members, Member { key: self.parent.child(key), value: self.parent.child(value) });
        }
        Ok(members)
    }
}

struct Items<'a> {
    parent: Value<'a>,
}

impl<'a> Visitor<'a> for Items<'a> {
    /// `None` where memory is exhausted.
    type Value = Option<Vec<Value<'a>>>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut sequence: A) -> std::result::Result<Self::Value, A::Error> {
        let mut items = Some(Vec::new());
        while let Some(item) = sequence.next_element::<&'a RawValue>()? {
            push(&mut items, self.parent.child(item));
        }
        Ok(items)
    }
}

/// Adds `item`, or drops the list where memory is exhausted.
fn push<T>(list: &mut Option<Vec<T>>, item: T) {
    if let Some(items) = list {
        if items.try_reserve(1).is_ok() {
            items.push(item);
        } else {
            *list = None;
        }
    }
}

/// How many bytes into `whole` its part `part` begins.
fn distance(whole: &str, part: &str) -> u64 {
    let bytes = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// The text that a JSON string stands for.
fn unescaped(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(raw).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("the document is not JSON, because it is not UTF-8 from byte {} on; store it as UTF-8", error.valid_up_to());
        Error::new(ErrorKind::InvalidJson, message).at(u64::try_from(error.valid_up_to()).unwrap_or(u64::MAX))
    })
}

fn syntax_error(text: &str, error: &serde_json::Error) -> Error {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let column = error.column().saturating_sub(1);
    let offset = if error.is_eof() { text.len() } else { line_start.saturating_add(column).min(text.len()) };
    let remedy = match text.as_bytes().get(offset) {
        Some(0) => "a NUL byte is there, and the length is to be given without the terminator",
        Some(b'{' | b'[') | None => "correct it there or restore it",
        Some(_) if offset == 0 => "the text itself is to be given, not the name of its file",
        Some(_) => "correct it there or restore it",
    };
    let message = format!("the document is not JSON: {error}; {remedy}");
    Error::new(ErrorKind::InvalidJson, message).at(u64::try_from(offset).unwrap_or(u64::MAX))
}

/// `text` with blanks for a byte order mark and for `//` and `/* */` comments outside strings, so that byte offsets stay right.
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
                    let Some((_, commented)) = characters.next() else {
                        let message = "the document is not JSON: a comment begins with `/*` and never ends; close it with `*/`";
                        return Err(Error::new(ErrorKind::InvalidJson, message).at(u64::try_from(offset).unwrap_or(u64::MAX)));
                    };
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    fn root(document: &Document) -> Object<'static> {
        // Leaking a test's few bytes spares every test the three nested lifetimes.
        let text: &'static str = Box::leak(document.text.clone().into_owned().into_boxed_str());
        Box::leak(Box::new(Document { text: Cow::Borrowed(text) })).root().unwrap().object("").unwrap()
    }

    #[test]
    fn members_keep_their_order_their_text_and_their_offsets() {
        let text = r#" {"b": [1.50, 2e2] , "a":{"x" : null}}"#;
        let object = root(&Document::strict(text.as_bytes()).unwrap());
        let raw: Vec<_> = object.others(&[]).map(|member| (member.key().raw(), member.value().raw())).collect();
        assert_eq!(raw, [("\"b\"", "[1.50, 2e2]"), ("\"a\"", "{\"x\" : null}")]);
        for member in object.others(&[]) {
            let start = usize::try_from(member.value().offset).unwrap();
            assert!(text[start..].starts_with(member.value().raw()));
        }
        let items = object.required("b").unwrap().array("b").unwrap();
        assert_eq!(items[1].raw(), "2e2");
        assert_eq!(items[1].offset, text.find("2e2").unwrap() as u64);
    }

    #[test]
    fn the_last_of_equal_keys_counts_and_escapes_in_keys_are_resolved() {
        let object = root(&Document::strict(br#"{"a":1,"\u0061":2,"b":3}"#).unwrap());
        assert_eq!(object.get("a").unwrap().raw(), "2");
        assert_eq!(object.others(&["a"]).count(), 1);
        assert!(object.get("c").is_none());
    }

    #[test]
    fn text_that_no_string_type_can_hold_is_kept() {
        let text = r#"{"\ud800":1,"v":"\ud800","n":1e999999,"m":123456789012345678901234567890.10}"#;
        let object = root(&Document::strict(text.as_bytes()).unwrap());
        assert_eq!(object.others(&[]).next().unwrap().key().raw(), r#""\ud800""#);
        let value = object.get("v").unwrap();
        assert!(value.is_string());
        assert!(value.text().is_none());
        assert_eq!(object.get("m").unwrap().raw(), "123456789012345678901234567890.10");
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let depth = 1_000_000;
        let text = format!(r#"{{"deep":{}{},"a":1}}"#, "[".repeat(depth), "]".repeat(depth));
        let object = root(&Document::strict(text.as_bytes()).unwrap());
        assert_eq!(object.get("a").unwrap().raw(), "1");
        assert_eq!(object.get("deep").unwrap().raw().len(), 2 * depth);
    }

    #[test]
    fn what_is_not_json_is_refused_where_it_stops_being_json() {
        let refused: [(&[u8], u64); 9] = [
            (b"", 0),
            (b"{\"a\":1,", 7),
            (b"{\"a\":\n01}", 7),
            (b"{\"a\":1}x", 7),
            (b"{\"a\":nul}", 8),
            (b"{a:1}", 1),
            (b"{\"a\":\"\xff\"}", 6),
            (b"\xef\xbb\xbf{}", 0),
            (b"// no\n{}", 0),
        ];
        for (bytes, offset) in refused {
            let error = match Document::strict(bytes) {
                Ok(document) => document.root().unwrap_err(),
                Err(error) => error,
            };
            assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidJson, Some(offset)), "{error} in {bytes:?}");
        }
    }

    #[test]
    fn an_open_comment_is_refused_where_it_begins() {
        for text in ["{} /* ", "{} /*/"] {
            let error = Document::lenient(text.as_bytes()).err().unwrap();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidJson, Some(3)));
        }
    }

    #[test]
    fn policy_23_comments_and_a_byte_order_mark_are_blanked_in_place() {
        let text = "\u{feff}{ // µ \"\n\"a//\\\"/*b\": 1, /* * ünd / **/ \"c\": /**/ 2} // end";
        let document = Document::lenient(text.as_bytes()).unwrap();
        let object = root(&document);
        assert_eq!(object.get("a//\"/*b").unwrap().raw(), "1");
        let two = object.get("c").unwrap();
        assert_eq!((two.raw(), two.offset), ("2", text.find("2}").unwrap() as u64));
        assert_eq!(document.text.len(), text.len());
        assert_eq!(document.text.lines().count(), text.lines().count());
    }

    #[test]
    fn messages_show_short_printable_text() {
        let text = format!("[\"{}\", \"\u{7f}\"]", "x".repeat(500));
        let document = Document::strict(text.as_bytes()).unwrap();
        let items = document.root().unwrap().array("").unwrap();
        assert_eq!(items[0].shown().chars().count(), 81);
        assert_eq!(items[1].shown(), r#""\u{7f}""#);
        assert_eq!(items[0].invalid("a", "short").kind(), ErrorKind::InvalidMetadata);
    }
}
