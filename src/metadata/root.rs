//! What a new document and the container around it need to know: its language, and the version of N5 that a root states.
//!
//! Both look at one member and leave the others as text.

use crate::error::Result;

use super::attributes::Language;
use super::document::Document;
use super::text::ObjectText;

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

/// An attributes.json with the version of N5 in front of its members; `None` if it states one already.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the document is no object; `OutOfMemory`.
pub fn with_n5_version(json: &[u8]) -> Result<Option<String>> {
    let document = Document::lenient(json)?;
    let attributes = document.root()?.object("")?;
    if attributes.get("n5").is_some() {
        return Ok(None);
    }
    let mut text = ObjectText::new();
    text.put("n5", N5_VERSION)?;
    text.copy_all(attributes.others(&[]))?;
    text.finish().map(Some)
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
        let with = with_n5_version(b"/* c */{\"x\": 1.50,\n\"y\":\"\\ud800\"}").unwrap().unwrap();
        assert_eq!(with, r#"{"n5":"4.0.0","x":1.50,"y":"\ud800"}"#);
        assert_eq!(with_n5_version(with.as_bytes()).unwrap(), None);
        assert_eq!(with_n5_version(b"{\"n5\":\"2.0.0\"}").unwrap(), None);
        assert_eq!(with_n5_version(b"{}").unwrap().unwrap(), r#"{"n5":"4.0.0"}"#);
        assert!(with_n5_version(b"[]").is_err());
    }
}
