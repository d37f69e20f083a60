//! What a new document and the container around it need to know: its language, and the version of N5 that a root states.
//!
//! Both look at one member and leave the others as text.

use std::borrow::Cow;

use crate::error::Result;

use super::attributes::Language;
use super::text::ObjectText;
use crate::json::{Document, Value};

/// The version of N5 that zn5 writes.
const N5_VERSION: &str = "\"4.0.0\"";

/// The language of a metadata document: zarr.json has `zarr_format`.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the document is no object.
pub fn language_of(json: &[u8]) -> Result<Language> {
    let document = Document::lenient(json)?;
    let is_zarr = document.root()?.object("")?.get("zarr_format").is_some();
    Ok(if is_zarr { Language::Zarr } else { Language::N5 })
}

/// The version of N5 that an attributes.json states, as JSON has it; `None` if it states none, as
/// by null.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the document is no object.
pub fn n5_version(json: &[u8]) -> Result<Option<String>> {
    let document = Document::lenient(json)?;
    let attributes = document.root()?.object("")?;
    Ok(attributes.get("n5").filter(|version| !version.is_null()).map(|version| version.raw().to_owned()))
}

/// An attributes.json with a version of N5 in front of its members: `version`, as [`n5_version`]
/// tells it, or the one that zn5 writes. `None` if it states one already.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the document is no object; `OutOfMemory`.
pub fn with_n5_version(json: &[u8], version: Option<&str>) -> Result<Option<String>> {
    let document = Document::lenient(json)?;
    let attributes = document.root()?.object("")?;
    if attributes.get("n5").is_some_and(|version| !version.is_null()) {
        return Ok(None);
    }
    let mut text = ObjectText::new();
    text.put("n5", version.unwrap_or(N5_VERSION))?;
    text.copy_all(attributes.others(&["n5"]))?;
    text.finish().map(Some)
}

/// The same for people: without quotation marks, and `None` too where it is no text.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the document is no object.
pub fn n5_version_text(json: &[u8]) -> Result<Option<String>> {
    let document = Document::lenient(json)?;
    let version = document.root()?.object("")?.get("n5");
    Ok(version.and_then(Value::text).map(Cow::into_owned))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_member_tells_the_language() {
        for (json, language) in [
            (r#"{"zarr_format":3}"#, Language::Zarr),
            (r#"{"zarr_format":2}"#, Language::Zarr),
            (r#"{"a":{"zarr_format":3}} // N5"#, Language::N5),
            ("{}", Language::N5),
        ] {
            assert_eq!(language_of(json.as_bytes()).unwrap(), language, "{json}");
        }
        assert!(language_of(b"[]").is_err() && language_of(b"{").is_err());
    }

    #[test]
    fn a_root_gets_its_version_once() {
        let with = |json: &str| with_n5_version(json.as_bytes(), None);
        let text = with("/* c */{\"x\": 1.50,\n\"y\":\"\\ud800\"}").unwrap().unwrap();
        assert_eq!(text, r#"{"n5":"4.0.0","x":1.50,"y":"\ud800"}"#);
        assert_eq!(with(&text).unwrap(), None);
        assert_eq!(with("{\"n5\":\"2.0.0\"}").unwrap(), None);
        assert_eq!(with("{}").unwrap().unwrap(), r#"{"n5":"4.0.0"}"#);
        assert!(with("[]").is_err());
    }

    #[test]
    fn policy_43_a_version_is_told_and_kept_as_it_is_spelled() {
        for (json, version) in [
            ("{}", None),
            (r#"{"n5":null}"#, None),
            (r#"{"a":{"n5":"1.0.0"}}"#, None),
            (r#"{"n5" : "2.5.0" , "note":1}"#, Some(r#""2.5.0""#)),
            (r#"{"\u006e5":"3.1.3-\u0053NAPSHOT"}"#, Some(r#""3.1.3-\u0053NAPSHOT""#)),
        ] {
            assert_eq!(n5_version(json.as_bytes()).unwrap().as_deref(), version, "{json}");
        }
        assert!(n5_version(b"[]").is_err());
        // Null says nothing.
        assert_eq!(with_n5_version(br#"{"a":1,"n5":null}"#, None).unwrap().unwrap(), r#"{"n5":"4.0.0","a":1}"#);
        assert_eq!(with_n5_version(b"{\"a\":1}", Some("\"2.5.0\"")).unwrap().unwrap(), r#"{"n5":"2.5.0","a":1}"#);
        assert_eq!(with_n5_version(b"{\"n5\":\"2.0.0\"}", Some("\"2.5.0\"")).unwrap(), None);
    }

    #[test]
    fn the_version_is_told_where_there_is_one() {
        for (json, version) in [
            (r#"{"n5":"2.5.0","x":NaN}"#, Some("2.5.0")),
            ("/* c */{\"n5\":\"4.0.0\"}", Some("4.0.0")),
            (r#"{"n5":4}"#, None),
            (r#"{"x":"n5"}"#, None),
        ] {
            assert_eq!(n5_version_text(json.as_bytes()).unwrap().as_deref(), version, "{json}");
        }
        assert!(n5_version_text(b"").is_err());
    }
}
