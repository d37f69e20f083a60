//! The metadata vectors: attributes.json and zarr.json documents that other implementations wrote or judged.
//!
//! `vectors/manifest.json` says what each document must become; what zn5 does where it leaves a choice stands in the tables here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use zn5::error::ErrorKind;
use zn5::metadata::{array_from_n5, array_from_zarr, codec_from_object, codec_to_json};
use zn5::model::{ArraySettings, BloscShuffle, Chain, Compressor, DataType};

/// The kind of error for each document of the list `metadata` that is no array.
const REFUSED: [(&str, ErrorKind); 12] = [
    ("group", ErrorKind::NotAnArray),
    ("group-empty", ErrorKind::NotAnArray),
    ("type-string", ErrorKind::UnsupportedDataType),
    ("type-object", ErrorKind::UnsupportedDataType),
    ("type-unknown", ErrorKind::UnsupportedDataType),
    ("compression-unknown", ErrorKind::UnsupportedCompression),
    ("compression-missing", ErrorKind::InvalidMetadata),
    ("block-size-zero", ErrorKind::InvalidMetadata),
    ("block-size-short", ErrorKind::InvalidMetadata),
    ("dimensions-negative", ErrorKind::InvalidMetadata),
    ("not-json", ErrorKind::InvalidJson),
    ("not-object", ErrorKind::InvalidMetadata),
];

/// What a converter writes where it does not follow attributes.json; the endings of the documents' names tell the converters apart.
fn as_converted(document: &str, compressor: Compressor) -> Compressor {
    match compressor {
        // Both converters drop `useZlib`.
        Compressor::Gzip { level, zlib: true } => Compressor::Gzip { level, zlib: false },
        // Its own default for a level that is -1 or absent.
        Compressor::Gzip { level: 6, zlib: false } if document.ends_with(".zarr_n5.json") => Compressor::Gzip { level: 5, zlib: false },
        // It does not see N5's `blockSize`.
        Compressor::Bzip2 { .. } if document.ends_with(".zarrs_n5.json") => Compressor::Bzip2 { block_size: 9 },
        _ => compressor,
    }
}

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

fn bytes(path: &str) -> Vec<u8> {
    fs::read(vectors().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest() -> Value {
    serde_json::from_slice(&bytes("manifest.json")).unwrap()
}

fn list(manifest: &Value, name: &str) -> Vec<Value> {
    let list = manifest[name].as_array().unwrap().clone();
    assert!(!list.is_empty(), "{name}");
    list
}

fn extents(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|extent| extent.as_u64().unwrap()).collect()
}

fn compressor(settings: &ArraySettings) -> Compressor {
    match settings.chain {
        Chain::N5 { compressor } => compressor,
        Chain::Plain { .. } => panic!("an N5 array with a plain chain"),
    }
}

/// The same settings with what only N5 can say resolved: an automatic shuffle.
fn resolved(settings: &ArraySettings) -> ArraySettings {
    let mut resolved = settings.clone();
    if let Chain::N5 { compressor: Compressor::Blosc { shuffle, .. } } = &mut resolved.chain
        && *shuffle == BloscShuffle::Auto
    {
        *shuffle = if settings.data_type.size() == 1 { BloscShuffle::Bit } else { BloscShuffle::Byte };
    }
    resolved
}

/// Checks that the codec object says all that the settings say, and gives it.
fn check_codec_object(settings: &ArraySettings, id: &str) {
    let Ok(json) = codec_to_json(settings) else {
        assert!(matches!(compressor(settings), Compressor::Lz4 { .. }), "{id}");
        assert_eq!(codec_to_json(settings).unwrap_err().kind(), ErrorKind::NotRepresentable, "{id}");
        return;
    };
    let read = codec_from_object(json.as_bytes(), settings.data_type, &settings.chunk_shape).unwrap();
    assert_eq!(ArraySettings { array_shape: settings.array_shape.clone(), ..read }, resolved(settings), "{id}: {json}");
}

/// Compares a converter's zarr.json with the settings of the attributes.json that it was made from.
fn check_document(path: &str, settings: &ArraySettings) {
    let document = array_from_zarr(&bytes(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut expected = resolved(settings);
    let converted = Chain::N5 { compressor: as_converted(path, compressor(settings)) };
    if document.chain == converted {
        expected.chain = converted;
    }
    assert_eq!(document, expected, "{path}");
    check_codec_object(&document, path);
}

#[test]
fn attributes_become_what_the_manifest_says() {
    for entry in list(&manifest(), "metadata") {
        let id = entry["id"].as_str().unwrap();
        let json = bytes(entry["path"].as_str().unwrap());
        let refused = REFUSED.iter().find(|(refused, _)| *refused == id).map(|(_, kind)| *kind);
        match (array_from_n5(&json), entry["expect"].as_str().unwrap()) {
            (Ok(settings), "array" | "either") => {
                assert_eq!(refused, None, "{id}");
                settings.validate().unwrap();
                let attributes: Value = serde_json::from_slice(&json).unwrap();
                assert_eq!(settings.array_shape, Some(extents(&attributes["dimensions"])), "{id}");
                assert_eq!(settings.chunk_shape, extents(&attributes["blockSize"]), "{id}");
                assert_eq!(settings.data_type.name(), attributes["dataType"].as_str().unwrap(), "{id}");
                check_codec_object(&settings, id);
            }
            (Err(error), expect @ ("group" | "reject" | "either")) => {
                assert_eq!(Some(error.kind()), refused, "{id}: {error}");
                assert_eq!(error.kind() == ErrorKind::NotAnArray, expect == "group", "{id}");
                assert!(error.offset().is_some(), "{id}: {error}");
            }
            (result, expect) => panic!("{id}: {expect}, but {result:?}"),
        }
    }
}

#[test]
fn every_attributes_document_on_disk_is_in_the_manifest() {
    let listed: BTreeSet<_> = list(&manifest(), "metadata").iter().map(|entry| vectors().join(entry["path"].as_str().unwrap())).collect();
    let stored: BTreeSet<_> = fs::read_dir(vectors().join("metadata"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(".attributes.json"))
        .collect();
    assert_eq!(stored, listed);
}

#[test]
fn policy_20_converters_documents_agree_with_the_attributes() {
    let manifest = manifest();
    let mut seen = BTreeSet::new();
    for entry in list(&manifest, "metadata").iter().chain(&list(&manifest, "datasets")) {
        let attributes = match entry["attributes"].as_object() {
            Some(_) => serde_json::to_vec(&entry["attributes"]).unwrap(),
            None => bytes(entry["path"].as_str().unwrap()),
        };
        let settings = array_from_n5(&attributes);
        for path in entry["documents"].as_object().unwrap().values().map(|path| path.as_str().unwrap()) {
            if path.starts_with("error: ") {
                continue;
            }
            seen.insert(vectors().join(path));
            let document: Value = serde_json::from_slice(&bytes(path)).unwrap();
            if document["node_type"] == "group" {
                assert_eq!(array_from_zarr(&bytes(path)).unwrap_err().kind(), ErrorKind::NotAnArray, "{path}");
            } else {
                check_document(path, settings.as_ref().unwrap_or_else(|error| panic!("{path}: {error}")));
            }
        }
    }
    for folder in ["metadata", "zarr"] {
        for entry in fs::read_dir(vectors().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            assert!(seen.contains(&path) || path.to_str().unwrap().ends_with(".attributes.json"), "{} was not tried", path.display());
        }
    }
}

#[test]
fn datasets_have_the_manifest_s_shapes_types_and_compressions() {
    for entry in list(&manifest(), "datasets") {
        let id = entry["id"].as_str().unwrap();
        let json = bytes(&format!("{}/attributes.json", entry["path"].as_str().unwrap()));
        let settings = array_from_n5(&json).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(settings.array_shape, Some(extents(&entry["n5_dimensions"])), "{id}");
        assert_eq!(settings.chunk_shape, extents(&entry["n5_block_size"]), "{id}");
        assert_eq!(settings.array_shape, Some(extents(&entry["zarr_v3"]["shape"])), "{id}");
        assert_eq!(Some(settings.data_type), DataType::from_name(entry["data_type"].as_str().unwrap()), "{id}");
        assert_eq!(compressor(&settings).n5_name(), entry["compression"]["type"], "{id}");
        assert_eq!(settings.fill_value, vec![0; settings.data_type.size()], "{id}");
        check_codec_object(&settings, id);
    }
}

#[test]
fn the_metadata_of_broken_blocks_is_sound() {
    for entry in list(&manifest(), "malformed") {
        let id = entry["id"].as_str().unwrap();
        let json = bytes(&format!("{}/attributes.json", entry["path"].as_str().unwrap()));
        let settings = array_from_n5(&json).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(settings.array_shape, Some(settings.chunk_shape.clone()), "{id}");
    }
}
