//! What an array or a group holds, for a remark beside it and for the choice of colours.
//!
//! Attributes say it; where none does, names such as "labels" are the best that there is.

use serde_json::Value;

/// What the attributes say of the kind of content.
#[must_use]
pub fn content(attributes: &Value) -> Option<String> {
    if attributes.get("isLabelMultiset").and_then(Value::as_bool) == Some(true) {
        return Some("Paintera label multisets (varlength blocks)".to_owned());
    }
    let kind = attributes.get("painteraData").and_then(|data| data.get("type")).and_then(Value::as_str)?;
    Some(format!("Paintera {kind} data"))
}

/// Whether attributes or the path say that an array holds numbers of segments.
///
/// `groups` are the attributes of the groups around it.
#[must_use]
pub fn holds_labels(attributes: &Value, groups: &[&Value], path: &str) -> bool {
    let said = |attributes: &Value| {
        attributes.get("maxId").is_some()
            || attributes.get("isLabel").and_then(Value::as_bool) == Some(true)
            || attributes.get("image-label").is_some()
            || attributes.get("ome").is_some_and(|ome| ome.get("image-label").is_some())
    };
    let named = |part: &str| {
        let part = part.to_ascii_lowercase();
        part.contains("label") || part.starts_with("seg") || part.ends_with("_seg")
    };
    said(attributes) || groups.iter().any(|group| said(group)) || path.split('/').any(named)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_are_known_by_attribute_or_name() {
        assert!(holds_labels(&json!({"maxId": 3}), &[], "a"));
        assert!(holds_labels(&json!({}), &[&json!({"ome": {"image-label": {}}})], "a/0"));
        assert!(holds_labels(&json!({}), &[], "labels/s0"));
        assert!(holds_labels(&json!({}), &[], "volumes/segmentation"));
        assert!(!holds_labels(&json!({}), &[], "volumes/raw"));
    }

    #[test]
    fn paintera_says_what_its_data_are() {
        assert_eq!(content(&json!({"isLabelMultiset": true})).unwrap(), "Paintera label multisets (varlength blocks)");
        assert_eq!(content(&json!({"painteraData": {"type": "raw"}})).unwrap(), "Paintera raw data");
        assert_eq!(content(&json!({"painteraData": 3})), None);
    }
}
