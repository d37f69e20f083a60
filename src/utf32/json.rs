//! JSON scalars: a string of at most `length_bytes / 4` code points for one element.
//!
//! The string is read with its escapes. An unpaired surrogate escape is refused for what it is, not as bad JSON, so that a document
//! that holds one in a fill value can be told apart from a broken one.

use std::fmt;

use serde::Deserializer as _;
use serde::de::Visitor;

use super::units::{stored, value, without_padding};
use super::{Format, array, too_long};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::try_vec;

/// The element that a JSON string stands for.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` for JSON that is no string; `InvalidCodePoint` for an unpaired surrogate escape; `StringTooLong`;
/// `OutOfMemory`.
pub fn from_json(json: &[u8], format: Format) -> Result<Vec<u8>> {
    let bytes = string(json)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        Error::new(
            ErrorKind::InvalidCodePoint,
            format!("the JSON string {} has an unpaired surrogate escape, which is no text", shown(json)),
        )
        .at(0)
    })?;
    let count = text.chars().count();
    if count > format.capacity() {
        let error = too_long(count, format);
        return Err(Error::new(error.kind(), format!("the JSON string {}: {}", shown(json), error.message())).at(0));
    }
    let mut element = try_vec(format.length_bytes())?;
    element.extend(text.chars().flat_map(|point| stored(u32::from(point), format.endian())));
    element.resize(format.length_bytes(), 0);
    Ok(element)
}

/// The JSON string of one element, trailing U+0000 removed.
///
/// # Errors
/// `InvalidCodePoint`; `OutOfMemory`.
pub fn to_json(element: &[u8], format: Format) -> Result<String> {
    let len = array::text_len(element, format)?;
    let mut text = String::new();
    text.try_reserve_exact(len).map_err(|_| Error::out_of_memory())?;
    text.extend(without_padding(element.as_chunks().0).iter().filter_map(|&unit| char::from_u32(value(unit, format.endian()))));
    serde_json::to_string(&text).map_err(|error| Error::new(ErrorKind::Internal, format!("cannot write a JSON string: {error}")))
}

/// The bytes of a JSON string: UTF-8, but for unpaired surrogates.
fn string(json: &[u8]) -> Result<Vec<u8>> {
    let bad = |offset: usize, why: &str| Error::new(ErrorKind::InvalidJson, format!("not JSON at byte {offset}: {why}")).at(offset as u64);
    std::str::from_utf8(json).map_err(|error| bad(error.valid_up_to(), "it is not UTF-8"))?;
    let is_blank = |byte: &u8| b" \t\n\r".contains(byte);
    let start = json.iter().take_while(|byte| is_blank(byte)).count();
    let end = json.len() - json.iter().rev().take_while(|byte| is_blank(byte)).count();
    let inside = json.get(start..end).unwrap_or_default();
    if let Some(offset) = inside.iter().position(|&byte| byte < 0x20)
        && inside.first() == Some(&b'"')
    {
        return Err(bad(start + offset, "a control character stands unescaped in a string"));
    }
    let mut parser = serde_json::Deserializer::from_slice(inside);
    let parsed = parser.deserialize_bytes(Bytes).and_then(|bytes| parser.end().map(|()| bytes));
    parsed.map_err(|error| {
        if error.is_data() {
            return Error::new(ErrorKind::InvalidMetadata, format!("{} is no JSON string, which text must be", shown(json)))
                .at(start as u64);
        }
        bad(start + error.column().saturating_sub(1), &error.to_string())
    })
}

fn shown(json: &[u8]) -> String {
    quoted(String::from_utf8_lossy(json).trim().trim_matches('"'))
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> std::result::Result<Vec<u8>, E> {
        let mut copy = Vec::new();
        copy.try_reserve_exact(bytes.len()).map_err(E::custom)?;
        copy.extend_from_slice(bytes);
        Ok(copy)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::Endian;

    fn element(json: &str, length_bytes: usize) -> Result<Vec<u32>> {
        let format = Format::new(length_bytes, Endian::Big)?;
        let element = from_json(json.as_bytes(), format)?;
        assert_eq!(element.len(), length_bytes);
        Ok(without_padding(element.as_chunks().0).iter().map(|&unit| value(unit, Endian::Big)).collect())
    }

    fn kind(json: &str) -> ErrorKind {
        element(json, 20).unwrap_err().kind()
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(element(r#" "\ud83d\ude00A\n\"" "#, 20).unwrap(), [0x1f600, 65, 10, 34]);
        assert_eq!(element("\"é日\"", 20).unwrap(), [0xe9, 0x65e5]);
        assert_eq!(element(r#""a\u0000b""#, 20).unwrap(), [97, 0, 98]);
    }

    #[test]
    fn policy_25_unpaired_surrogates_have_their_own_code() {
        assert_eq!(kind(r#""\ud800""#), ErrorKind::InvalidCodePoint);
        assert_eq!(kind(r#""\udc00\ud800""#), ErrorKind::InvalidCodePoint);
        assert_eq!(kind(r#""a\ud83d\ud83d\ude00""#), ErrorKind::InvalidCodePoint);
    }

    #[test]
    fn policy_27_long_strings_are_counted_with_their_nuls() {
        assert_eq!(kind(r#""abcdef""#), ErrorKind::StringTooLong);
        assert_eq!(kind(r#""a\u0000\u0000\u0000\u0000\u0000""#), ErrorKind::StringTooLong);
        assert_eq!(element(r#""a\u0000\u0000\u0000\u0000""#, 20).unwrap(), [97]);
        assert_eq!(element(r#""\ud83d\ude00\ud83d\ude00""#, 8).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_string_is_refused() {
        for json in ["0", "null", "true", "[\"a\"]", "{}"] {
            assert_eq!(kind(json), ErrorKind::InvalidMetadata, "{json}");
        }
        for json in ["", "\"", "\"a", "\"a\" x", "\"\\q\"", "\"a\nb\"", "'a'", " ", "\u{c}\"a\""] {
            assert_eq!(kind(json), ErrorKind::InvalidJson, "{json}");
        }
        let format = Format::new(4, Endian::Little).unwrap();
        assert_eq!(from_json(b"\"\xff\"", format).unwrap_err().kind(), ErrorKind::InvalidJson);
    }

    #[test]
    fn elements_become_json() {
        let json = |units: &[u32], endian| {
            let bytes: Vec<u8> = units.iter().flat_map(|&unit| stored(unit, endian)).collect();
            to_json(&bytes, Format::new(bytes.len(), endian).unwrap())
        };
        assert_eq!(json(&[0x66, 0x22, 0, 0x1f600, 0, 0], Endian::Big).unwrap(), "\"f\\\"\\u0000😀\"");
        assert_eq!(json(&[0], Endian::Little).unwrap(), "\"\"");
        assert_eq!(json(&[0xd800], Endian::Little).unwrap_err().kind(), ErrorKind::InvalidCodePoint);
    }
}
