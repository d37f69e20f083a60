//! The user's attributes apart from the members that belong to N5 or Zarr: to read, and to replace.
//!
//! They are text throughout: what a user stored comes back digit for digit and byte for byte.

use crate::error::{Error, ErrorKind, Result};

use super::text::{ObjectText, significant};
use super::zarr;
use crate::json::{Document, Member, Object, Value};

/// The language of a metadata document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// attributes.json.
    N5,
    /// zarr.json, version 3.
    Zarr,
}

/// The attribute of zarr.json that holds the attributes.json from which it was made.
pub(super) const ORIGIN: &str = "_n5";

/// What attributes.json reserves in a group.
const OF_GROUPS: [&str; 1] = ["n5"];

/// What attributes.json reserves in an array.
pub(super) const OF_ARRAYS: [&str; 6] = ["n5", "dimensions", "blockSize", "dataType", "compression", "compressionType"];

/// What would change an array for some reader of N5, `codecs` included, by which Java recognises its own experiments.
pub(super) const RESERVED: [&str; 7] = ["n5", "dimensions", "blockSize", "dataType", "compression", "compressionType", "codecs"];

/// The members of this attributes.json that are N5's. Groups may have a `dataType` and the like of their own.
pub(super) fn own_members(attributes: &Object) -> &'static [&'static str] {
    let is_array = ["dimensions", "blockSize"].iter().any(|name| attributes.get(name).is_some());
    if is_array { &OF_ARRAYS } else { &OF_GROUPS }
}

/// The error of an attribute with a name of N5's.
pub(super) fn reserved(place: Value, name: &str) -> Error {
    let message =
        format!("the attribute `{name}` has the name of a member of N5, which attributes.json keeps in the same place; rename it");
    place.error(ErrorKind::NotRepresentable, message)
}

/// The error of an attribute with the name under which a zarr.json keeps the attributes.json it was made from.
pub(super) fn reserved_origin(place: Value) -> Error {
    let message = format!("the attribute `{ORIGIN}` has the name under which zarr.json keeps the document it was made from; rename it");
    place.error(ErrorKind::NotRepresentable, message)
}

/// The user's attributes as a JSON object, each member byte for byte; arrays that zn5 cannot read have some too.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the document is no object, or not one of this language.
pub fn user_attributes(json: &[u8], language: Language) -> Result<String> {
    written(json, language, ObjectText::copy)
}

/// The same as JSON in any case: NaN and the infinities as the strings "NaN", "Infinity" and
/// "-Infinity", for those who parse it.
///
/// # Errors
/// Those of [`user_attributes`].
pub fn user_attributes_as_json(json: &[u8], language: Language) -> Result<String> {
    written(json, language, ObjectText::copy_json)
}

fn written(json: &[u8], language: Language, copy: impl Fn(&mut ObjectText, Member) -> Result<()>) -> Result<String> {
    let document = read(json, language)?;
    let node = document.root()?.object("")?;
    let mut text = ObjectText::new();
    users(&node, language)?.into_iter().try_for_each(|member| copy(&mut text, member))?;
    text.finish()
}

/// The user's members of a document.
fn users<'a>(node: &Object<'a>, language: Language) -> Result<Vec<Member<'a>>> {
    let (object, own) = match language {
        Language::N5 => (Some(node.clone()), own_members(node)),
        Language::Zarr => (of_zarr(node)?, &[ORIGIN][..]),
    };
    let mut members = Vec::new();
    for member in object.iter().flat_map(|object| object.others(own)) {
        members.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        members.push(member);
    }
    Ok(members)
}

/// Checks that a stored document has user attributes, be it none.
///
/// # Errors
/// Those of [`user_attributes`].
pub fn check_attributes(json: &[u8], language: Language) -> Result<()> {
    let document = read(json, language)?;
    users(&document.root()?.object("")?, language).map(|_| ())
}

/// The document with other user attributes; the members of N5 or Zarr stay byte for byte.
///
/// `attributes` are JSON. Only what the document has already may stay what it is: a member with NaN
/// or an infinity that is the same in both.
///
/// # Errors
/// Those of [`check_attributes`]; all others are about `attributes`: `InvalidJson`,
/// `InvalidMetadata`, and `NotRepresentable` for one that has a name of the language's own.
pub fn with_user_attributes(json: &[u8], language: Language, attributes: &[u8]) -> Result<String> {
    let document = read(json, language)?;
    let node = document.root()?.object("")?;
    let stored = users(&node, language)?;
    let new_document = Document::zarr(attributes)?;
    let new = new_document.root()?.object("")?;
    check_words(&new, stored)?;
    let mut text = ObjectText::new();
    match language {
        Language::N5 => {
            let own = own_members(&node);
            for name in RESERVED {
                // What is the user's already may stay the user's, such as the `dataType` of a group.
                if let Some(value) = new.get(name)
                    && (own.contains(&name) || node.get(name).is_none())
                {
                    return Err(reserved(value, name));
                }
            }
            text.copy_all(node.others(&[]).filter(|member| own.iter().any(|name| member.is_named(name))))?;
            text.copy_all(new.others(&[]))?;
        }
        Language::Zarr => {
            if let Some(value) = new.get(ORIGIN) {
                return Err(reserved_origin(value));
            }
            let mut inner = ObjectText::new();
            inner.copy_all(new.others(&[]))?;
            if let Some(origin) = of_zarr(&node)?.and_then(|attributes| attributes.get(ORIGIN)) {
                inner.put(ORIGIN, origin.raw())?;
            }
            text.copy_all(node.others(&["attributes"]))?;
            text.put("attributes", &inner.finish()?)?;
        }
    }
    text.finish()
}

/// Refuses NaN and the infinities but where they are stored already.
fn check_words(new: &Object, mut stored: Vec<Member>) -> Result<()> {
    // In order, for neither object has a limit to its members.
    let order = |a: &Member, b: &Member| {
        a.key().raw().cmp(b.key().raw()).then_with(|| significant(a.value().raw()).cmp(significant(b.value().raw())))
    };
    stored.retain(|member| member.value().words().next().is_some());
    stored.sort_unstable_by(order);
    for member in new.others(&[]) {
        let Some(word) = member.value().words().next() else { continue };
        if stored.binary_search_by(|old| order(old, &member)).is_err() {
            let message = format!(
                "the attribute {} has {}, which is no JSON; write null, or \"{}\" as text",
                member.key().shown(),
                word.raw(),
                word.raw()
            );
            return Err(word.error(ErrorKind::InvalidJson, message));
        }
    }
    Ok(())
}

/// The `attributes` of a zarr.json.
pub(super) fn of_zarr<'a>(node: &Object<'a>) -> Result<Option<Object<'a>>> {
    node.get("attributes").map(|attributes| attributes.object("attributes")).transpose()
}

fn read(json: &[u8], language: Language) -> Result<Document<'_>> {
    match language {
        Language::N5 => Document::lenient(json),
        Language::Zarr => {
            let document = Document::zarr(json)?;
            zarr::is_group(&document.root()?.object("")?)?;
            Ok(document)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ARRAY: &str =
        r#"{"x": 1.50, "dimensions": [5],"blockSize":[3], "dataType":"string","compression":{"type" : "zfp"},"codecs":[ ],"n5":"4.0.0"}"#;
    const ZARR: &str = r#"{"zarr_format":3,"attributes":{"x":1e999 ,"_n5":{ "x":2 },"y":"\ud800"},"node_type":"array","shape":[ 5]}"#;

    #[test]
    fn attributes_are_what_is_not_the_language_s() {
        use Language::{N5, Zarr};
        let cases = [
            (N5, ARRAY, r#"{"x":1.50,"codecs":[ ]}"#),
            (N5, r#"{"n5":"4.0.0","dataType":"uint8","_n5":1}"#, r#"{"dataType":"uint8","_n5":1}"#),
            (N5, r#"{"dimensions":[5],"dataType":"uint8","a":1,"a":2}"#, r#"{"a":1,"a":2}"#),
            (N5, "// none\n{}", "{}"),
            (N5, r#"{"dimension\u0073":[1],"\u006e5":"4"}"#, "{}"),
            (Zarr, ZARR, r#"{"x":1e999,"y":"\ud800"}"#),
            (Zarr, r#"{"zarr_format":3,"node_type":"group"}"#, "{}"),
            (Zarr, r#"{"zarr_format":3,"node_type":"group","attributes":{"dimensions":1,"n5":2}}"#, r#"{"dimensions":1,"n5":2}"#),
        ];
        for (language, json, expected) in cases {
            assert_eq!(user_attributes(json.as_bytes(), language).unwrap(), expected, "{json}");
        }
        for (language, json, kind) in [
            (N5, "[]", ErrorKind::InvalidMetadata),
            (N5, "{", ErrorKind::InvalidJson),
            (Zarr, "{}", ErrorKind::InvalidMetadata),
            (Zarr, "/**/{}", ErrorKind::InvalidJson),
            (Zarr, r#"{"zarr_format":3,"node_type":"group","attributes":null}"#, ErrorKind::InvalidMetadata),
        ] {
            assert_eq!(user_attributes(json.as_bytes(), language).unwrap_err().kind(), kind, "{json}");
        }
    }

    #[test]
    fn replacing_attributes_keeps_the_language_s_members() {
        let replaced = |json: &str, language, new: &str| with_user_attributes(json.as_bytes(), language, new.as_bytes());
        let own = r#""dimensions":[5],"blockSize":[3],"dataType":"string","compression":{"type" : "zfp"},"n5":"4.0.0""#;
        assert_eq!(replaced(ARRAY, Language::N5, "{}").unwrap(), format!("{{{own}}}"));
        let new = r#"{ "\ud800": [1, 2e99999] }"#;
        assert_eq!(replaced(ARRAY, Language::N5, new).unwrap(), format!(r#"{{{own},"\ud800":[1, 2e99999]}}"#));
        assert_eq!(
            replaced(ZARR, Language::Zarr, new).unwrap(),
            r#"{"zarr_format":3,"node_type":"array","shape":[ 5],"attributes":{"\ud800":[1, 2e99999],"_n5":{ "x":2 }}}"#
        );
        for (json, language) in [(ARRAY, Language::N5), (ZARR, Language::Zarr), (r#"{"dataType":1}"#, Language::N5)] {
            let attributes = user_attributes(json.as_bytes(), language).unwrap();
            let same = replaced(json, language, &attributes).unwrap();
            assert_eq!(user_attributes(same.as_bytes(), language).unwrap(), attributes);
        }
    }

    #[test]
    fn attributes_with_the_language_s_names_are_refused() {
        let group = r#"{"x":1}"#;
        for (json, language, new, name) in [
            (ARRAY, Language::N5, r#"{"dimensions":[6]}"#, "dimensions"),
            (ARRAY, Language::N5, r#"{"compressionType":"raw"}"#, "compressionType"),
            (ARRAY, Language::N5, r#"{"\u006e5":"1.0.0"}"#, "n5"),
            (group, Language::N5, r#"{"codecs":1}"#, "codecs"),
            (group, Language::N5, r#"{"blockSize":1}"#, "blockSize"),
            (ZARR, Language::Zarr, r#"{"_n5":1}"#, "_n5"),
        ] {
            let error = with_user_attributes(json.as_bytes(), language, new.as_bytes()).unwrap_err();
            assert!(error.kind() == ErrorKind::NotRepresentable && error.message().contains(name), "{error}");
        }
        for (new, kind) in [("[1]", ErrorKind::InvalidMetadata), ("{", ErrorKind::InvalidJson), ("", ErrorKind::InvalidJson)] {
            assert_eq!(with_user_attributes(group.as_bytes(), Language::N5, new.as_bytes()).unwrap_err().kind(), kind);
        }
    }
}
