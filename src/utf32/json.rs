//! JSON scalars: a string of at most `length_bytes / 4` code points for one element.
//!
//! The string is read with its escapes. An unpaired surrogate escape is refused for what it is, not as bad JSON, so that a document
//! that holds one in a fill value can be told apart from a broken one.

use super::units::{stored, value, without_padding};
use super::{Format, array, too_long};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, Document};
use crate::model::try_vec;

/// The element that a JSON string stands for.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` for JSON that is no string; `InvalidCodePoint` for an unpaired surrogate escape; `StringTooLong`;
/// `OutOfMemory`.
pub fn from_json(json: &[u8], format: Format) -> Result<Vec<u8>> {
    let document = Document::strict(json)?;
    let string = document.root()?;
    let Some(characters) = string.characters() else {
        let message = format!("{} is no JSON string, which text must be", string.shown());
        return Err(string.error(ErrorKind::InvalidMetadata, message));
    };
    let mut count = 0_usize;
    for character in characters.clone() {
        if character.is_none() {
            let message = format!("the JSON string {} has an unpaired surrogate escape, which is no text", string.shown());
            return Err(string.error(ErrorKind::InvalidCodePoint, message));
        }
        count = count.saturating_add(1);
    }
    if count > format.capacity() {
        let error = too_long(count, format);
        return Err(string.error(error.kind(), format!("the JSON string {}: {}", string.shown(), error.message())));
    }
    let mut element = try_vec(format.length_bytes())?;
    element.extend(characters.flatten().flat_map(|point| stored(u32::from(point), format.endian())));
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
    json::string(&text)
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
