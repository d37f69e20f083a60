//! JSON text put together from raw members, with memory that may run out.
//!
//! Documents are as long as their user made them, so no copy of one may abort the program.

use crate::error::{Error, Result};

use crate::json::{Member, Value};

/// An object that is being written, without blanks between its members.
pub(super) struct ObjectText {
    text: String,
}

impl ObjectText {
    /// An object without members.
    pub(super) fn new() -> Self {
        Self { text: String::new() }
    }

    /// Adds a member whose name needs no escapes. `value` is JSON.
    pub(super) fn put(&mut self, name: &str, value: &str) -> Result<()> {
        self.push(&["\"", name, "\":", value])
    }

    /// Adds a member as another document has it.
    pub(super) fn copy(&mut self, member: Member) -> Result<()> {
        self.push(&[member.key().raw(), ":", member.value().raw()])
    }

    /// Adds a member as another document has it, but as JSON: NaN and the infinities as strings.
    pub(super) fn copy_json(&mut self, member: Member) -> Result<()> {
        self.push(&[member.key().raw(), ":"])?;
        member.value().json().try_for_each(|piece| append(&mut self.text, piece))
    }

    /// Adds a member whose name needs no escapes, and whose value is another document's, as JSON.
    pub(super) fn put_json(&mut self, name: &str, value: Value) -> Result<()> {
        self.put(name, "")?;
        value.json().try_for_each(|piece| append(&mut self.text, piece))
    }

    /// Adds several members as another document has them.
    pub(super) fn copy_all<'a>(&mut self, members: impl IntoIterator<Item = Member<'a>>) -> Result<()> {
        members.into_iter().try_for_each(|member| self.copy(member))
    }

    /// The object.
    pub(super) fn finish(mut self) -> Result<String> {
        let end = if self.text.is_empty() { "{}" } else { "}" };
        append(&mut self.text, end)?;
        Ok(self.text)
    }

    fn push(&mut self, parts: &[&str]) -> Result<()> {
        let start = if self.text.is_empty() { "{" } else { "," };
        append(&mut self.text, start)?;
        parts.iter().try_for_each(|part| append(&mut self.text, part))
    }
}

/// A copy of a value as JSON: NaN and the infinities as strings.
pub(super) fn copied_as_json(value: Value) -> Result<String> {
    let mut copy = String::new();
    copy.try_reserve(value.raw().len()).map_err(|_| Error::out_of_memory())?;
    value.json().try_for_each(|piece| append(&mut copy, piece))?;
    Ok(copy)
}

fn append(text: &mut String, part: &str) -> Result<()> {
    text.try_reserve(part.len()).map_err(|_| Error::out_of_memory())?;
    text.push_str(part);
    Ok(())
}

/// Whether two JSON texts differ in nothing but blanks between their tokens.
pub(super) fn same_tokens(a: &str, b: &str) -> bool {
    a == b || significant(a).eq(significant(b))
}

/// The bytes of JSON but for the blanks outside strings.
pub(super) fn significant(json: &str) -> impl Iterator<Item = u8> {
    let mut in_string = false;
    let mut is_escaped = false;
    json.bytes().filter(move |&byte| {
        if !in_string && matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return false;
        }
        if byte == b'"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = byte == b'\\' && !is_escaped;
        true
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn members_are_copied_as_they_are() {
        assert_eq!(ObjectText::new().finish().unwrap(), "{}");
        let document = Document::strict(br#" { "\ud800" : [ 1.50 ] , "b":"\u00e9" } "#).unwrap();
        let object = document.root().unwrap().object("").unwrap();
        let mut text = ObjectText::new();
        text.put("a", "1").unwrap();
        text.copy_all(object.others(&[])).unwrap();
        assert_eq!(text.finish().unwrap(), r#"{"a":1,"\ud800":[ 1.50 ],"b":"\u00e9"}"#);
    }

    #[test]
    fn blanks_count_only_inside_strings() {
        for (a, b, same) in [
            ("[1, 2]", "[1,\n\t2\r]", true),
            (r#"{"a b":1}"#, r#"{ "a b" : 1 }"#, true),
            (r#""a b""#, r#""ab""#, false),
            (r#"["\" ", 1]"#, r#"["\" ",1]"#, true),
            (r#"["\\", " "]"#, r#"["\\",""]"#, false),
            (r#"["\"", " "]"#, r#"["\"",""]"#, false),
            ("1.0", "1.00", false),
            ("[1]", "[1", false),
        ] {
            assert_eq!(same_tokens(a, b), same, "{a} {b}");
        }
    }
}
