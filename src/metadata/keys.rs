//! Where a block is stored: the key below its array, and the chunk key encoding in which zarr.json says so.
//!
//! N5's paths are Zarr's `v2` encoding with `/`; both count the axes in the same order.

use std::fmt::Write as _;

use crate::error::{ErrorKind, Result};

use super::extension::Extension;
use crate::json::Value;

/// The key of the block at this position of the grid; without dimensions it is "0".
#[must_use]
pub fn block_key(grid_position: &[u64]) -> String {
    KeyEncoding::N5.key(grid_position)
}

/// How a grid position becomes a key: one of Zarr's encodings, of which N5's is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyEncoding {
    has_prefix: bool,
    separator: char,
}

impl KeyEncoding {
    /// N5's, `0/1/2`.
    pub const N5: Self = Self { has_prefix: false, separator: '/' };

    /// The key of the block at this position, below its array.
    #[must_use]
    pub fn key(&self, position: &[u64]) -> String {
        let mut key = String::new();
        if self.has_prefix {
            key.push('c');
        }
        for index in position {
            if !key.is_empty() {
                key.push(self.separator);
            }
            // Writing to a String cannot fail.
            let _ = write!(key, "{index}");
        }
        if key.is_empty() {
            key.push('0');
        }
        key
    }
}

/// The encoding; refuses what Zarr does not define, and for an N5 array all but `v2` with "/" written out.
pub(super) fn encoding(value: Value, is_n5: bool) -> Result<KeyEncoding> {
    let encoding = Extension::parse(value, "chunk_key_encoding")?;
    if !matches!(encoding.name(), "default" | "v2") {
        return Err(value.invalid("chunk_key_encoding", "`default` or `v2`"));
    }
    encoding.only(&["separator"])?;
    let separator = match encoding.get("separator") {
        Some(separator) => {
            let text = separator.text().filter(|text| matches!(text.as_ref(), "/" | "."));
            Some(text.ok_or_else(|| separator.invalid("chunk_key_encoding.configuration.separator", "\"/\" or \".\""))?)
        }
        None => None,
    };
    if is_n5 && (encoding.name() != "v2" || separator.as_deref() != Some("/")) {
        let message = format!(
            "`chunk_key_encoding` is {}; blocks of n5_default lie under {{\"name\":\"v2\",\"configuration\":{{\"separator\":\"/\"}}}}, with the separator written out",
            value.shown()
        );
        return Err(value.error(ErrorKind::InvalidMetadata, message));
    }
    let has_prefix = encoding.name() == "default";
    let separator = match separator.as_deref() {
        Some(".") => '.',
        None if !has_prefix => '.',
        _ => '/',
    };
    Ok(KeyEncoding { has_prefix, separator })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn policy_16_a_block_without_dimensions_has_the_key_0() {
        assert_eq!(block_key(&[]), "0");
        assert_eq!(block_key(&[0, 1, 2]), "0/1/2");
        assert_eq!(block_key(&[u64::MAX]), "18446744073709551615");
        for (has_prefix, separator, key) in [(true, '/', "c"), (true, '.', "c"), (false, '.', "0")] {
            assert_eq!(KeyEncoding { has_prefix, separator }.key(&[]), key);
        }
    }

    #[test]
    fn n5_arrays_need_v2_keys_with_a_slash_written_out() {
        // Accepted: for N5, for other arrays.
        let cases = [
            (r#"{"name":"v2","configuration":{"separator":"/"}}"#, true, true),
            (r#"{"name":"v2","configuration":{"separator":"\/"}}"#, true, true),
            (r#"{"name":"v2","configuration":{"separator":"."}}"#, false, true),
            (r#"{"name":"v2"}"#, false, true),
            (r#""v2""#, false, true),
            (r#""default""#, false, true),
            (r#"{"name":"default","configuration":{"separator":"/"}}"#, false, true),
            (r#"{"name":"default","configuration":{"separator":"."}}"#, false, true),
            (r#"{"name":"v2","configuration":{"separator":"-"}}"#, false, false),
            (r#"{"name":"v2","configuration":{"separator":"/","x":1}}"#, false, false),
            (r#"{"name":"suffix"}"#, false, false),
            (r#"{"configuration":{"separator":"/"}}"#, false, false),
            ("null", false, false),
        ];
        for (json, for_n5, for_others) in cases {
            let document = Document::strict(json.as_bytes()).unwrap();
            for (is_n5, accepted) in [(true, for_n5), (false, for_others)] {
                let result = encoding(document.root().unwrap(), is_n5);
                assert_eq!(result.is_ok(), accepted, "{json} for N5: {is_n5}");
                if let Err(error) = result {
                    assert_eq!(error.kind(), ErrorKind::InvalidMetadata);
                    assert!(error.message().contains("chunk_key_encoding"), "{error}");
                }
            }
        }
    }
}
