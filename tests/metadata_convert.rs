//! attributes.json to zarr.json and back: the vectors of other converters, hand-made documents, what is refused, real documents.
//!
//! Other converters' documents are compared by value; where zn5 deviates, the table here says why.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod real_data;

use std::fs;
use std::path::{Path, PathBuf};

use real_data::real_data;
use serde_json::{Value, json};
use zn5::error::ErrorKind;
use zn5::metadata::{
    Grid, Language, Node, array_from_n5, array_from_zarr, n5_to_zarr, node_from_n5, node_from_zarr, user_attributes, zarr_to_n5,
};

const GRIDS: [Grid; 3] = [Grid::Regular, Grid::RegularBounded, Grid::Rectilinear];

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

fn bytes(path: &str) -> Vec<u8> {
    fs::read(vectors().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest() -> Value {
    serde_json::from_slice(&bytes("manifest.json")).unwrap()
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn zarr(json: &str) -> String {
    n5_to_zarr(json.as_bytes(), Grid::Regular).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn back(json: &str) -> String {
    zarr_to_n5(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// An attributes.json with this compression.
fn attributes(compression: &str) -> String {
    format!(r#"{{"dimensions":[5,2],"blockSize":[3,2],"dataType":"uint16","compression":{compression}}}"#)
}

/// `document` with `path` (members and indices) replaced.
fn with(document: &str, path: &str, new: Value) -> String {
    let mut value = value(document);
    if let Some(place) = value.pointer_mut(path) {
        *place = new;
    } else {
        let (parent, name) = path.rsplit_once('/').unwrap();
        match value.pointer_mut(parent).unwrap() {
            Value::Array(items) => items.push(new),
            members => members[name] = new,
        }
    }
    value.to_string()
}

/// Checks the conversion there and back in every grid; the document must come back as it is, but for blanks around it.
fn check_exact_way_back(json: &str, id: &str) {
    for grid in GRIDS {
        let zarr = n5_to_zarr(json.as_bytes(), grid).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(back(&zarr), json.trim(), "{id}");
        assert_eq!(
            user_attributes(zarr.as_bytes(), Language::Zarr).unwrap(),
            user_attributes(json.as_bytes(), Language::N5).unwrap(),
            "{id}"
        );
        let kinds = (node_from_n5(json.as_bytes()).unwrap(), node_from_zarr(zarr.as_bytes()).unwrap());
        match kinds {
            (Node::Group, Node::Group) => {}
            (Node::Array(n5), Node::Array(zarr)) => {
                assert_eq!(n5.settings.array_shape, zarr.settings.array_shape, "{id}");
                assert_eq!(n5.settings.data_type, zarr.settings.data_type, "{id}");
                assert_eq!(n5.settings.fill_value, zarr.settings.fill_value, "{id}");
                assert_eq!(n5.keys, zarr.keys, "{id}");
            }
            kinds => panic!("{id}: {kinds:?}"),
        }
    }
}

/// A converter's document without what only its spelling adds.
fn normalised(mut document: Value) -> Value {
    if let Some(members) = document.as_object_mut() {
        assert!(members.remove("storage_transformers").is_none_or(|transformers| transformers == json!([])));
        if members.get("fill_value").and_then(Value::as_f64) == Some(0.0) {
            members["fill_value"] = json!(0);
        }
    }
    if let Some(bytes) = document.pointer_mut("/codecs/0/configuration/codecs/1")
        && *bytes == json!({"name": "bytes"})
    {
        *bytes = json!({"name": "bytes", "configuration": {"endian": "big"}});
    }
    if let Some(attributes) = document["attributes"].as_object_mut() {
        attributes.remove("_n5");
    }
    document
}

/// Where a converter does not follow attributes.json: what it writes for the compressor, and what zn5 does.
fn as_converter(document: &str, ours: &Value, compression: &Value) -> Option<Value> {
    let level = |name: &str, level: i64| json!({"name": name, "configuration": {"level": level}});
    match (compression["type"].as_str()?, document.ends_with(".zarr_n5.json")) {
        // Both drop `useZlib`.
        ("gzip", _) if compression["useZlib"] == true => Some(level("gzip", compression["level"].as_i64()?)),
        // Its own default for a level that is -1 or absent.
        ("gzip", true) if compression.get("level").is_none_or(|level| *level == -1) => Some(level("gzip", 5)),
        // It does not see N5's `blockSize`.
        ("bzip2", false) => Some(level("numcodecs.bz2", 9)),
        // The size of what is shuffled is left out where nothing is, and taken from attributes.json otherwise.
        ("blosc", false) => {
            let mut theirs = ours.clone();
            match compression.get("typesize") {
                Some(size) => theirs["configuration"]["typesize"] = size.clone(),
                None => drop(theirs["configuration"].as_object_mut()?.remove("typesize")),
            }
            Some(theirs)
        }
        _ => None,
    }
}

fn check_peer_document(path: &str, original: &str) {
    let grid = if path.ends_with(".zarrs_n5.json") { Grid::RegularBounded } else { Grid::Regular };
    let theirs = String::from_utf8(bytes(path)).unwrap();
    let ours = n5_to_zarr(original.as_bytes(), grid).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(value(&ours)["attributes"]["_n5"], value(original), "{path}");
    let (ours, mut expected) = (normalised(value(&ours)), normalised(value(&theirs)));
    let compressor = "/codecs/0/configuration/codecs/2";
    let deviation = as_converter(path, ours.pointer(compressor).unwrap_or(&Value::Null), &value(original)["compression"]);
    if let (Some(deviation), Some(theirs)) = (deviation, expected.pointer_mut(compressor)) {
        assert_eq!(*theirs, deviation, "{path}");
        *theirs = ours.pointer(compressor).unwrap().clone();
    }
    assert_eq!(ours, expected, "{path}");

    let back = back(&theirs);
    assert!(value(&back).get("_n5").is_none(), "{path}");
    assert_ne!(value(&back).get("n5"), Some(&Value::Null), "{path}");
    let users = user_attributes(theirs.as_bytes(), Language::Zarr).unwrap();
    assert_eq!(value(&user_attributes(back.as_bytes(), Language::N5).unwrap()), value(&users), "{path}");
    match node_from_zarr(theirs.as_bytes()).unwrap() {
        Node::Group => assert_eq!(node_from_n5(back.as_bytes()).unwrap(), Node::Group, "{path}"),
        Node::Array(_) => {
            let again = array_from_zarr(n5_to_zarr(back.as_bytes(), grid).unwrap().as_bytes()).unwrap();
            assert_eq!(again, array_from_zarr(theirs.as_bytes()).unwrap(), "{path}");
        }
    }
}

/// The documents that have no zarr.json, with the kind of error and a part of the message.
const NO_ZARR: [(&str, ErrorKind, &str); 13] = [
    ("user-attribute-zarr-names", ErrorKind::NotRepresentable, "_n5"),
    ("lz4", ErrorKind::NotRepresentable, "lz4"),
    ("type-string", ErrorKind::UnsupportedDataType, "string"),
    ("type-object", ErrorKind::UnsupportedDataType, "object"),
    ("type-unknown", ErrorKind::UnsupportedDataType, "float16"),
    ("compression-unknown", ErrorKind::UnsupportedCompression, "zfp"),
    ("compression-missing", ErrorKind::InvalidMetadata, "compression"),
    ("block-size-zero", ErrorKind::InvalidMetadata, "blockSize"),
    ("block-size-short", ErrorKind::InvalidMetadata, "blockSize"),
    ("dimensions-negative", ErrorKind::InvalidMetadata, "dimensions"),
    ("not-json", ErrorKind::InvalidJson, "the document is cut"),
    ("not-object", ErrorKind::InvalidMetadata, "document"),
    ("lz4-dataset", ErrorKind::NotRepresentable, "lz4"),
];

/// What zarr-n5 takes for a group because it knows neither the old member nor the type, and zn5 does not.
const NOT_A_GROUP: [&str; 5] = ["version0-gzip", "type-string", "type-object", "type-unknown", "compression-missing"];

#[test]
fn policy_20_documents_are_those_of_other_converters() {
    let mut compared = 0;
    for list in ["metadata", "datasets"] {
        for entry in manifest()[list].as_array().unwrap() {
            let id = entry["id"].as_str().unwrap();
            let original = match entry["attributes"].as_object() {
                Some(_) => entry["attributes"].to_string(),
                None => String::from_utf8(bytes(entry["path"].as_str().unwrap())).unwrap(),
            };
            let is_lz4 = list == "datasets" && entry["compression"]["type"] == "lz4";
            let refused = NO_ZARR.iter().find(|(refused, ..)| *refused == if is_lz4 { "lz4-dataset" } else { id });
            if let Some((_, kind, part)) = refused {
                let error = n5_to_zarr(original.as_bytes(), Grid::Regular).unwrap_err();
                assert!(error.kind() == *kind && error.message().contains(part), "{id}: {:?} {error}", error.kind());
                assert!(error.offset().is_some(), "{id}: {error}");
                continue;
            }
            check_exact_way_back(&original, id);
            for path in entry["documents"].as_object().unwrap().values().map(|path| path.as_str().unwrap()) {
                if !path.starts_with("error: ") && !NOT_A_GROUP.contains(&id) {
                    check_peer_document(path, &original);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 80, "{compared}");
}

#[test]
fn policy_21_groups_that_were_arrays_for_n5_stay_no_attributes() {
    for id in NOT_A_GROUP {
        let path = format!("metadata/{id}.zarr_n5.json");
        let error = zarr_to_n5(&bytes(&path)).unwrap_err();
        assert!(error.kind() == ErrorKind::NotRepresentable && error.message().contains("dimensions"), "{path}: {error}");
    }
}

#[test]
fn d11_attributes_become_zarr() {
    let cases = [
        (r#"{"type":"gzip","level":-1,"useZlib":false}"#, Some(json!({"name":"gzip","configuration":{"level":6}}))),
        (r#"{"type":"raw"}"#, None),
        (r#"{"type":"zstd","level":3}"#, Some(json!({"name":"zstd","configuration":{"level":3,"checksum":false}}))),
        (
            r#"{"type":"blosc","cname":"zstd","clevel":9,"shuffle":2,"blocksize":0}"#,
            Some(json!({"name":"blosc","configuration":{"cname":"zstd","clevel":9,"shuffle":"bitshuffle","typesize":2,"blocksize":0}})),
        ),
    ];
    for (compression, third) in cases {
        let original = attributes(compression);
        let mut codecs =
            vec![json!({"name":"transpose","configuration":{"order":[1,0]}}), json!({"name":"bytes","configuration":{"endian":"big"}})];
        codecs.extend(third);
        let expected = json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": [5, 2],
            "data_type": "uint16",
            "chunk_grid": {"name":"regular","configuration":{"chunk_shape":[3,2]}},
            "chunk_key_encoding": {"name":"v2","configuration":{"separator":"/"}},
            "fill_value": 0,
            "codecs": [{"name":"n5_default","configuration":{"codecs": codecs}}],
            "attributes": {"_n5": value(&original)},
        });
        assert_eq!(value(&zarr(&original)), expected, "{compression}");
        check_exact_way_back(&original, compression);
    }
    for name in ["lz4", "jpeg"] {
        let original = attributes(&format!(r#"{{"type":"{name}"}}"#));
        let error = n5_to_zarr(original.as_bytes(), Grid::Regular).unwrap_err();
        assert!(error.kind() == ErrorKind::NotRepresentable && error.message().contains(name), "{error}");
        assert!(error.offset().is_some());
    }
}

#[test]
fn d12_attributes_of_microscopists_convert_and_stay() {
    let original = r#"{
        "axes": ["x", "y", "z"],
        "downsamplingFactors": [2, 2, 1],
        "pixelResolution": {"unit": "nm", "dimensions": [8.0, 8.0, 30.50]},
        "transform": {"axes": ["z", "y", "x"], "scale": [3.05e1, 8.0, 8.0], "translate": [0.0, -2.5, 1e-3]},
        "name of the sample": "µ-\u00e9",
        "dimensions": [3020, 3412, 2829],
        "blockSize": [128, 128, 128],
        "dataType": "uint16",
        "compression": {"type": "blosc", "cname": "zstd", "clevel": 6, "shuffle": 1, "blocksize": 0, "nthreads": 20}
    }"#;
    check_exact_way_back(original, "D12");
    let zarr = zarr(original);
    assert_eq!(value(&zarr)["shape"], json!([3020, 3412, 2829]));
    for part in ["[8.0, 8.0, 30.50]", "3.05e1", "1e-3", r#""µ-\u00e9""#, r#""nthreads": 20"#] {
        let count = if part.contains("nthreads") { 1 } else { 2 };
        assert_eq!(zarr.matches(part).count(), count, "{part}");
    }
    assert!(value(&zarr).get("dimension_names").is_none());
}

#[test]
fn the_three_grids_are_those_of_the_array() {
    let original = r#"{"dimensions":[100,200,300],"blockSize":[64,64,32],"dataType":"uint16","compression":{"type":"raw"}}"#;
    let expected = [
        json!({"name":"regular","configuration":{"chunk_shape":[64,64,32]}}),
        json!({"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[64,64,32]}}),
        json!({"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[64,36],[[64,3],8],[[32,9],12]]}}),
    ];
    for (grid, expected) in GRIDS.into_iter().zip(expected) {
        let zarr = n5_to_zarr(original.as_bytes(), grid).unwrap();
        assert_eq!(value(&zarr)["chunk_grid"], expected);
        assert_eq!(array_from_zarr(zarr.as_bytes()).unwrap(), array_from_n5(original.as_bytes()).unwrap());
    }
    for (dimensions, block_size) in [("[]", "[]"), ("[0,7]", "[64,64]"), ("[18446744073709551615]", "[2]")] {
        let original =
            format!(r#"{{"dimensions":{dimensions},"blockSize":{block_size},"dataType":"int8","compression":{{"type":"raw"}}}}"#);
        check_exact_way_back(&original, dimensions);
    }
}

#[test]
fn groups_convert_with_their_attributes() {
    for (original, users) in [
        ("{}", ""),
        (r#"{"n5":"4.0.0"}"#, ""),
        (r#"{"n5" : "2.5.1", "scales" : [[1,1],[2.0,2]]}"#, r#""scales":[[1,1],[2.0,2]],"#),
        // Of a pyramid's group, as viewers write it.
        (r#"{"dataType":"uint8","compression":"any","codecs":1}"#, r#""dataType":"uint8","compression":"any","codecs":1,"#),
    ] {
        let expected = format!(r#"{{"zarr_format":3,"node_type":"group","attributes":{{{users}"_n5":{original}}}}}"#);
        assert_eq!(zarr(original), expected);
        check_exact_way_back(original, original);
    }
    assert_eq!(back(r#"{"zarr_format":3,"node_type":"group"}"#), "{}");
    assert_eq!(back(r#"{"zarr_format":3,"node_type":"group","attributes":{"a":[1 ]},"consolidated_metadata":null}"#), r#"{"a":[1 ]}"#);
    let renamed = r#"{"zarr_format":3,"node_type":"group","attributes":{"b":1,"_n5":{"n5":"4.0.0","a":1}}}"#;
    assert_eq!(back(renamed), r#"{"n5":"4.0.0","b":1}"#);
}

#[test]
fn policy_20_the_way_back_is_exact_where_nothing_changed() {
    for members in [
        r#""compressionType":"gzip","blockSize":[3.0,2],"dimensions":[5,2e0],"dataType":"uint8""#,
        r#""compressionType":"zip","compression":{"level":-1,"type":"gzip","useZlib":true},"blockSize":[3],"dimensions":[5],"dataType":"int8","n5":"2""#,
        r#""compression":{"type":"blosc","cname":"snappy","shuffle":-1,"nthreads":7,"typesize":1},"blockSize":[30],"dimensions":[5],"dataType":"int8""#,
        r#""compression":{"type":"xz","preset":77,"x":{"y":[1 ,2]}},"blockSize":[3],"dimensions":[9],"dimensions":[5],"dataType":"float64""#,
        r#""compression":{"type":"zstd","id":"zstd","level":3,"checksum":true},"dimensions":[5],"blockSize":[3],"dataType":"float32","codecs":[]"#,
        r#""compression":{"type":"bzip2"},"n5":"4.0.0-x","blockSize":[3],"dimensions":[5],"\u0064ataType":"float32","a":1,"a":2,"\ud800":1e999"#,
    ] {
        check_exact_way_back(&format!("{{{members}}}"), members);
    }
    // No version at all is left out, as one converter writes it into `_n5`.
    assert_eq!(back(&zarr(r#"{"a":1, "n5":null,"b":[ ]}"#)), r#"{"a":1,"b":[ ]}"#);
    // Comments do not survive, bytes around them do.
    let commented = "\u{feff}// first\n{ /* \" */ \"a\" : \"//\" }\n";
    assert_eq!(back(&zarr(commented)), "{         \"a\" : \"//\" }");
}

#[test]
fn policy_20_what_changed_in_zarr_wins_and_the_rest_is_from_n5() {
    let original = r#"{"n5":"2.0","u":1.50,"dimensions":[5.0,2],"blockSize":[3,2.0],"dataType":"uint16","compression":{"type":"gzip","level":-1,"x":1},"v":{}}"#;
    let zarr = zarr(original);
    let level = "/codecs/0/configuration/codecs/2/configuration/level";
    let gzip = r#"{"type":"gzip","level":-1,"x":1}"#;
    let cases = [
        ("/shape", json!([8, 2]), original.replace("[5.0,2]", "[8,2]")),
        ("/chunk_grid/configuration/chunk_shape", json!([4, 2]), original.replace("[3,2.0]", "[4,2]")),
        ("/data_type", json!("int32"), original.replace("uint16", "int32")),
        (level, json!(7), original.replace(gzip, r#"{"type":"gzip","level":7,"useZlib":false}"#)),
        (level, json!(6), original.to_owned()),
        ("/fill_value", json!(0), original.to_owned()),
        ("/dimension_names", json!([null, null]), original.to_owned()),
        ("/attributes/_n5/future", json!(1), original.to_owned()),
        ("/attributes/_n5/_n5", json!({}), original.to_owned()),
        ("/attributes/_n5", json!("mine"), r#"{"dimensions":[5,2],"blockSize":[3,2],"dataType":"uint16","compression":{"type":"gzip","level":6,"useZlib":false},"u":1.5,"v":{}}"#.to_owned()),
        ("/attributes/_n5/n5", json!("9.0"), r#"{"dimensions":[5,2],"blockSize":[3,2],"dataType":"uint16","compression":{"type":"gzip","level":6,"useZlib":false},"u":1.5,"v":{}}"#.to_owned()),
    ];
    for (path, new, expected) in cases {
        let changed = with(&zarr, path, new);
        assert_eq!(value(&back(&changed)), value(&expected), "{path}");
    }
    // Only what changed is spelled anew; order and spelling of the rest stay.
    let resized = zarr.replace(r#""shape":[5,2]"#, r#""shape":[8,2]"#);
    assert_eq!(back(&resized), original.replace("[5.0,2]", "[8,2]"));
    let attribute = zarr.replacen(r#""u":1.50"#, r#""w":2.50"#, 1);
    assert_eq!(back(&attribute), original.replace(r#""u":1.50,"#, "").replace(r#","v":{}"#, r#","w":2.50,"v":{}"#));
    // The old member goes where its successor comes.
    let old = zarr_of_old();
    assert_eq!(
        back(&old.replace(r#""level":6"#, r#""level":1"#)),
        r#"{"dimensions":[5],"compression":{"type":"gzip","level":1,"useZlib":false},"blockSize":[3],"dataType":"int8"}"#
    );
    // A document that another program spelled anew says the same.
    let pretty = serde_json::to_string_pretty(&value(&zarr)).unwrap();
    assert_eq!(value(&back(&pretty)), value(original));
}

fn zarr_of_old() -> String {
    zarr(r#"{"dimensions":[5],"compressionType":"gzip","blockSize":[3],"dataType":"int8"}"#)
}

#[test]
fn policy_20_a_compression_of_n5_is_kept_only_if_it_means_the_same_for_the_new_type() {
    let automatic = attributes(r#"{"type":"blosc","cname":"lz4","clevel":5,"shuffle":-1,"blocksize":0}"#);
    let zarr = zarr(&automatic);
    // -1 is byte shuffle for two bytes, but bit shuffle for one.
    let wider = with(&with(&zarr, "/data_type", json!("int32")), "/codecs/0/configuration/codecs/2/configuration/typesize", json!(4));
    assert_eq!(value(&back(&wider))["compression"]["shuffle"], -1);
    let narrower = with(&with(&zarr, "/data_type", json!("int8")), "/codecs/0/configuration/codecs/2/configuration/typesize", json!(1));
    assert_eq!(value(&back(&narrower))["compression"]["shuffle"], 1);
}

#[test]
fn a_single_cut_chunk_has_the_block_size_of_n5() {
    let original = r#"{"dimensions":[10,0],"blockSize":[64,64],"dataType":"int8","compression":{"type":"raw"}}"#;
    let zarr = n5_to_zarr(original.as_bytes(), Grid::Rectilinear).unwrap();
    assert_eq!(value(&zarr)["chunk_grid"]["configuration"]["chunk_shapes"], json!([[10], 64]));
    assert_eq!(back(&zarr), original);
    // In a regular grid the same chunk shape is another one.
    let regular = with(&zarr, "/chunk_grid", json!({"name":"regular","configuration":{"chunk_shape":[10,64]}}));
    assert_eq!(value(&back(&regular))["blockSize"], json!([10, 64]));
}

#[test]
fn policy_21_what_n5_cannot_say_is_refused_by_name() {
    use ErrorKind::{InvalidMetadata, NotRepresentable, UnsupportedCodec, UnsupportedDataType};
    let zarr = zarr(&attributes(r#"{"type":"raw"}"#));
    let bytes = json!({"name":"bytes","configuration":{"endian":"big"}});
    let n5_default = value(&zarr)["codecs"][0].clone();
    let third = "/codecs/0/configuration/codecs/2";
    let cases = [
        ("/codecs", json!([bytes]), NotRepresentable, "codecs"),
        ("/codecs", json!([bytes, {"name":"gzip","configuration":{"level":1}}]), NotRepresentable, "codecs"),
        ("/codecs", json!([n5_default, {"name":"gzip","configuration":{"level":1}}]), UnsupportedCodec, "codecs"),
        ("/codecs", json!([{"name":"sharding_indexed"}]), UnsupportedCodec, "sharding_indexed"),
        (third, json!({"name":"numcodecs.lz4"}), UnsupportedCodec, "numcodecs.lz4"),
        (third, json!({"name":"crc32c"}), UnsupportedCodec, "crc32c"),
        ("/data_type", json!("float16"), UnsupportedDataType, "data_type"),
        ("/data_type", json!("bool"), UnsupportedDataType, "data_type"),
        ("/fill_value", json!(1), NotRepresentable, "fill_value"),
        ("/fill_value", json!(65535), NotRepresentable, "fill_value"),
        (
            "/chunk_grid",
            json!({"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[2,3],2]}}),
            InvalidMetadata,
            "chunk_grid",
        ),
        ("/chunk_grid", json!({"name":"hexagonal"}), InvalidMetadata, "chunk_grid"),
        ("/chunk_key_encoding", json!("default"), InvalidMetadata, "chunk_key_encoding"),
        ("/chunk_key_encoding", json!({"name":"v2","configuration":{"separator":"."}}), InvalidMetadata, "chunk_key_encoding"),
        ("/chunk_key_encoding", json!({"name":"v2"}), InvalidMetadata, "chunk_key_encoding"),
        ("/dimension_names", json!(["x", "y"]), NotRepresentable, "dimension_names"),
        ("/dimension_names", json!([null, "y"]), NotRepresentable, "dimension_names"),
        ("/storage_transformers", json!([{"name":"x"}]), InvalidMetadata, "storage_transformers"),
        ("/future", json!({"must_understand": true}), InvalidMetadata, "future"),
        ("/attributes/dimensions", json!([5, 2]), NotRepresentable, "dimensions"),
        ("/attributes/blockSize", json!([3, 2]), NotRepresentable, "blockSize"),
        ("/attributes/dataType", json!("uint16"), NotRepresentable, "dataType"),
        ("/attributes/compression", json!({"type":"raw"}), NotRepresentable, "compression"),
        ("/attributes/compressionType", json!("raw"), NotRepresentable, "compressionType"),
        ("/attributes/codecs", json!([]), NotRepresentable, "codecs"),
        ("/attributes/n5", json!("4.0.0"), NotRepresentable, "n5"),
    ];
    for (path, new, kind, part) in cases {
        let changed = with(&zarr, path, new.clone());
        let error = zarr_to_n5(changed.as_bytes()).unwrap_err();
        assert!(error.kind() == kind && error.message().contains(part), "{path} {new}: {:?} {error}", error.kind());
        assert!(error.offset().is_some(), "{error}");
    }
    for name in ["dimensions", "blockSize", "dataType", "compression", "compressionType", "codecs", "n5"] {
        let group = format!(r#"{{"zarr_format":3,"node_type":"group","attributes":{{"{name}":1}}}}"#);
        let error = zarr_to_n5(group.as_bytes()).unwrap_err();
        assert!(error.kind() == NotRepresentable && error.message().contains(name), "{error}");
    }
}

#[test]
fn policy_21_zero_is_zero_in_every_spelling_and_minus_zero_is_not() {
    let float = zarr(&attributes(r#"{"type":"raw"}"#).replace("uint16", "float32"));
    for (fill, accepted) in [
        ("0", true),
        ("0.0", true),
        ("0e9", true),
        ("\"0x00000000\"", true),
        ("-0.0", false),
        ("-0", false),
        ("\"0x80000000\"", false),
        ("\"NaN\"", false),
        ("1e-45", false),
    ] {
        let result = zarr_to_n5(float.replace(r#""fill_value":0"#, &format!(r#""fill_value":{fill}"#)).as_bytes());
        assert_eq!(result.is_ok(), accepted, "{fill}");
        if let Err(error) = result {
            assert!(error.kind() == ErrorKind::NotRepresentable && error.message().contains("fill_value"), "{error}");
        }
    }
}

#[test]
fn policy_21_grids_that_are_regular_after_all_have_a_block_size() {
    let zarr = with(&zarr(&attributes(r#"{"type":"raw"}"#)), "/attributes", json!({}));
    for grid in [
        json!({"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[3,2]}}),
        json!({"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[3,2],2]}}),
        json!({"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[3,[2]]}}),
    ] {
        assert_eq!(back(&with(&zarr, "/chunk_grid", grid)), attributes(r#"{"type":"raw"}"#));
    }
}

#[test]
fn policy_22_compressions_without_an_origin_have_the_members_that_all_readers_take() {
    for compression in [
        r#"{"type":"raw"}"#,
        r#"{"type":"gzip","level":6,"useZlib":false}"#,
        r#"{"type":"gzip","level":0,"useZlib":true}"#,
        r#"{"type":"bzip2","blockSize":9}"#,
        r#"{"type":"xz","preset":6}"#,
        r#"{"type":"zstd","level":-5}"#,
        r#"{"type":"blosc","cname":"lz4hc","clevel":5,"shuffle":2,"blocksize":0}"#,
    ] {
        let original = attributes(compression);
        assert_eq!(back(&with(&zarr(&original), "/attributes", json!({}))), original);
        assert_eq!(value(&back(&with(&zarr(&original), "/attributes", json!({"a": 1}))))["a"], 1);
    }
}

fn find(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, name, found);
        } else if path.file_name().unwrap() == name {
            found.push(path);
        }
    }
}

#[test]
fn real_documents_convert_and_come_back_exactly() {
    let Some(folder) = real_data() else { return };
    let mut paths = Vec::new();
    find(&folder, "attributes.json", &mut paths);
    assert!(paths.len() >= 70, "{}", paths.len());
    let mut array_count = 0;
    for path in paths {
        let original = fs::read_to_string(&path).unwrap();
        let id = path.display().to_string();
        check_exact_way_back(&original, &id);
        array_count += usize::from(array_from_n5(original.as_bytes()).is_ok());
    }
    assert!(array_count >= 50, "{array_count}");
}

#[test]
fn the_specification_s_example_is_what_zn5_writes() {
    let Some(folder) = real_data() else { return };
    let read = |name: &str| fs::read_to_string(folder.join("zarr-extensions-zstd-array").join(name)).unwrap();
    let ours = zarr(&read("attributes.json"));
    assert_eq!(normalised(value(&ours)), {
        let mut example = value(&read("zarr.json"));
        example["attributes"] = json!({});
        example
    });
    assert_eq!(value(&back(&read("zarr.json"))), value(&read("attributes.json")));
}
