//! NaN and the infinities, which Python and Java write into attributes and JSON has not: read where
//! a user's members hold them, refused in the members of N5 and Zarr, kept in documents that are
//! changed in place, and made strings in new ones.

#![allow(clippy::unwrap_used, clippy::panic)]

use serde::de::IgnoredAny;
use zn5::error::ErrorKind;
use zn5::metadata::{
    Grid, Language, Node, array_from_n5, array_from_zarr, codec_from_object, language_of, n5_to_zarr, new_array, node_from_n5,
    node_from_zarr, user_attributes, user_attributes_as_json, with_n5_version, with_user_attributes, zarr_to_n5,
};
use zn5::model::DataType;

const OWN: &str = r#""dimensions":[3],"blockSize":[3],"dataType":"uint8","compression":{"type":"raw"}"#;

/// What Python's json module makes of float("nan") and the like, nested, in every position.
const USERS: [&str; 8] = [
    r#""background":NaN"#,
    r#""intensityLimits":{"min": NaN,"max":-Infinity}"#,
    r#""resolution":[NaN, Infinity,1.50]"#,
    r#""a":[[[{"b":[{"c":-Infinity}]}]]]"#,
    r#""NaN":NaN,"Infinity":"Infinity","-Infinity":-Infinity"#,
    r#""text":"NaN, \"Infinity\\","x":NaN"#,
    r#""a":NaN,"a":1e999,"a":Infinity"#,
    r#""\ud800":[NaN],"µ":"\udfff""#,
];

/// The same as pure JSON.
const AS_JSON: [&str; 8] = [
    r#""background":"NaN""#,
    r#""intensityLimits":{"min": "NaN","max":"-Infinity"}"#,
    r#""resolution":["NaN", "Infinity",1.50]"#,
    r#""a":[[[{"b":[{"c":"-Infinity"}]}]]]"#,
    r#""NaN":"NaN","Infinity":"Infinity","-Infinity":"-Infinity""#,
    r#""text":"NaN, \"Infinity\\","x":"NaN""#,
    r#""a":"NaN","a":1e999,"a":"Infinity""#,
    r#""\ud800":["NaN"],"µ":"\udfff""#,
];

const ZARR_ARRAY: &str = r#""zarr_format":3,"node_type":"array","shape":[3],"data_type":"float32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[0]}},{"name":"bytes","configuration":{"endian":"big"}}]}}]"#;
const ZARR_GROUP: &str = r#""zarr_format":3,"node_type":"group""#;

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[test]
fn policy_39_users_members_may_hold_numbers_that_are_no_json() {
    let plain = array_from_n5(format!("{{{OWN}}}").as_bytes()).unwrap();
    let zarr = array_from_zarr(format!("{{{ZARR_ARRAY}}}").as_bytes()).unwrap();
    for users in USERS {
        assert!(!is_json(&format!("{{{users}}}")));
        for json in [format!("{{{OWN},{users}}}"), format!("/* c */{{{users} , {OWN}}}"), format!("\u{feff}{{{users},{OWN}}}")] {
            assert_eq!(array_from_n5(json.as_bytes()).unwrap(), plain, "{json}");
            assert!(matches!(node_from_n5(json.as_bytes()), Ok(Node::Array(_))), "{json}");
        }
        assert_eq!(node_from_n5(format!(r#"{{"n5":"2.5.0",{users}}}"#).as_bytes()), Ok(Node::Group));
        assert_eq!(language_of(format!("{{{users}}}").as_bytes()), Ok(Language::N5));

        let json = format!(r#"{{{ZARR_ARRAY},"attributes":{{{users}}}}}"#);
        assert_eq!(array_from_zarr(json.as_bytes()).unwrap(), zarr, "{json}");
        let ignorable = format!(r#"{{{ZARR_ARRAY},"future":{{"must_understand":false,{users}}}}}"#);
        assert_eq!(array_from_zarr(ignorable.as_bytes()).unwrap(), zarr, "{ignorable}");
        let consolidated = format!(
            r#"{{{ZARR_GROUP},"attributes":{{{users}}},"consolidated_metadata":{{"kind":"inline","must_understand":false,"metadata":{{"a":{json}}}}}}}"#
        );
        assert_eq!(node_from_zarr(consolidated.as_bytes()), Ok(Node::Group), "{consolidated}");
    }
}

#[test]
fn policy_39_members_of_n5_and_zarr_are_json() {
    for (member, value) in [
        ("dimensions", "[NaN]"),
        ("dimensions", "NaN"),
        ("blockSize", "[Infinity]"),
        ("dataType", "-Infinity"),
        ("compression", "NaN"),
        ("compression", r#"{"type":"gzip","level":NaN}"#),
        ("compression", r#"{"type":"raw","mine":[NaN]}"#),
        ("compressionType", "Infinity"),
        ("n5", "NaN"),
    ] {
        // The last of equal names counts.
        let json = format!(r#"{{{OWN},"{member}":{value}}}"#);
        for error in [array_from_n5(json.as_bytes()).unwrap_err(), node_from_n5(json.as_bytes()).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidMetadata, "{json}");
            assert!(error.message().contains(&format!("`{member}`")), "{error} in {json}");
            assert!(error.offset().is_some_and(|offset| offset >= OWN.len() as u64), "{error}");
        }
    }
    for (member, value) in [
        ("shape", "[NaN]"),
        ("chunk_grid", r#"{"name":"regular","configuration":{"chunk_shape":[Infinity]}}"#),
        ("chunk_key_encoding", "NaN"),
        ("fill_value", "NaN"),
        ("fill_value", "-Infinity"),
        ("codecs", r#"[{"name":"bytes","configuration":{"endian":NaN}}]"#),
        ("data_type", "NaN"),
        ("dimension_names", "[NaN]"),
        ("storage_transformers", "[NaN]"),
        ("attributes", "NaN"),
        ("zarr_format", "NaN"),
        ("future", "NaN"),
    ] {
        let json = format!(r#"{{{ZARR_ARRAY},"{member}":{value}}}"#);
        let error = array_from_zarr(json.as_bytes()).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains(member), "{error} in {json}");
    }
    // As the specification spells it.
    let json = format!(r#"{{{ZARR_ARRAY},"fill_value":"NaN"}}"#);
    assert_eq!(array_from_zarr(json.as_bytes()).unwrap().fill_value, f32::from_bits(0x7fc0_0000).to_ne_bytes());
}

#[test]
fn policy_39_documents_in_place_keep_their_bytes() {
    for users in USERS {
        let group = format!("{{{users}}}");
        assert_eq!(with_n5_version(group.as_bytes(), None).unwrap().unwrap(), format!(r#"{{"n5":"4.0.0",{users}}}"#));
        assert_eq!(with_n5_version(format!(r#"{{"n5":"2.5.0",{users}}}"#).as_bytes(), None), Ok(None));
        let array = format!("{{{OWN},{users}}}");
        assert_eq!(user_attributes(array.as_bytes(), Language::N5).unwrap(), group);
        let zarr = format!(r#"{{{ZARR_GROUP},"attributes":{{{users}}}}}"#);
        assert_eq!(user_attributes(zarr.as_bytes(), Language::Zarr).unwrap(), group);

        // What was got is set again, and nothing is changed by it.
        for (json, language) in [(&array, Language::N5), (&zarr, Language::Zarr)] {
            assert_eq!(&with_user_attributes(json.as_bytes(), language, group.as_bytes()).unwrap(), json);
            let more = format!(r#"{{"new":[1],{users}}}"#);
            let changed = with_user_attributes(json.as_bytes(), language, more.as_bytes()).unwrap();
            assert_eq!(user_attributes(changed.as_bytes(), language).unwrap(), more);
            // Other blanks are no change either.
            let spread = format!("{{{}}}", users.replace(":[", " : [ "));
            assert!(with_user_attributes(json.as_bytes(), language, spread.as_bytes()).is_ok(), "{spread}");
        }
    }
    // Of other members of a zarr.json too.
    let kept = format!(r#"{{{ZARR_GROUP},"future":{{"must_understand":false,"x":NaN}},"attributes":{{}}}}"#);
    assert_eq!(with_user_attributes(kept.as_bytes(), Language::Zarr, b"{}").unwrap(), kept);
}

#[test]
fn policy_39_what_a_caller_adds_is_json() {
    let array = format!(r#"{{{OWN},"a":NaN,"b":[-Infinity],"c":1}}"#);
    let zarr = format!(r#"{{{ZARR_GROUP},"attributes":{{"a":NaN,"b":[-Infinity],"c":1}}}}"#);
    for (json, language) in [(&array, Language::N5), (&zarr, Language::Zarr)] {
        for (new, offset, word) in [
            (r#"{"x":NaN}"#, 5, "NaN"),
            (r#"{"a":NaN,"c":NaN}"#, 13, "NaN"),
            (r#"{"a":Infinity}"#, 5, "Infinity"),
            (r#"{"b":[-Infinity,1]}"#, 6, "-Infinity"),
            (r#"{"b":[Infinity]}"#, 6, "Infinity"),
            (r#"{"\u0061":NaN}"#, 10, "NaN"),
        ] {
            let error = with_user_attributes(json.as_bytes(), language, new.as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidJson, Some(offset)), "{error} in {new}");
            assert!(error.message().contains(&format!("has {word}, which is no JSON; write null")), "{error}");
        }
        assert!(with_user_attributes(json.as_bytes(), language, br#"{"a":NaN}"#).is_ok());
    }
    for json in [format!(r#"{{{OWN},"x":NaN}}"#), format!(r#"{{{ZARR_ARRAY},"attributes":{{"x":NaN}}}}"#)] {
        let error = new_array(json.as_bytes()).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidJson && error.message().contains("\"NaN\" is no value of JSON"), "{error}");
    }
    let codec = br#"{"name":"n5_default","configuration":NaN}"#;
    assert_eq!(codec_from_object(codec, DataType::UInt8, &[1]).unwrap_err().kind(), ErrorKind::InvalidJson);
}

#[test]
fn policy_39_new_documents_are_json() {
    for (users, as_json) in USERS.into_iter().zip(AS_JSON) {
        for json in [format!(r#"{{"n5":"2.5.0",{OWN},{users}}}"#), format!(r#"{{"n5":"2.5.0",{users}}}"#)] {
            let expected = json.replace(users, as_json);
            let zarr = n5_to_zarr(json.as_bytes(), Grid::Regular).unwrap();
            assert!(is_json(&zarr), "{zarr}");
            assert_eq!(user_attributes(zarr.as_bytes(), Language::Zarr).unwrap(), format!("{{{as_json}}}"));
            assert!(zarr.contains(&format!(r#""_n5":{expected}"#)), "{zarr}");
            assert_eq!(zarr_to_n5(zarr.as_bytes()).unwrap(), expected);
        }
        // Of a zarr.json that another program wrote, with and without the document that it was made
        // from.
        for origin in [String::new(), format!(r#","_n5":{{{OWN},{users}}}"#)] {
            let array = ZARR_ARRAY.replace("float32", "uint8");
            let zarr = format!(r#"{{{array},"attributes":{{{users}{origin}}}}}"#);
            let n5 = zarr_to_n5(zarr.as_bytes()).unwrap();
            assert!(is_json(&n5), "{n5}");
            assert_eq!(user_attributes(n5.as_bytes(), Language::N5).unwrap(), format!("{{{as_json}}}"));
        }
    }
}

#[test]
fn policy_39_attributes_for_those_who_parse_are_json() {
    for (users, as_json) in USERS.into_iter().zip(AS_JSON) {
        let zarr = format!(r#"{{{ZARR_GROUP},"attributes":{{{users},"_n5":{{"x":NaN}}}}}}"#);
        for (json, language) in [(format!("{{{OWN},{users}}}"), Language::N5), (zarr, Language::Zarr)] {
            let text = user_attributes_as_json(json.as_bytes(), language).unwrap();
            assert_eq!(text, format!("{{{as_json}}}"));
            assert!(is_json(&text));
        }
    }
    assert_eq!(user_attributes_as_json(b"{}", Language::N5).unwrap(), "{}");
}
