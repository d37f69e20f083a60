//! Properties of the metadata readers: no bytes make them panic, and what codec objects say survives writing and reading.
//!
//! Broken input is made three ways: random bytes, known documents with damage, and JSON put together at random.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use zn5::error::{Error, ErrorKind};
use zn5::metadata::{array_from_n5, array_from_zarr, codec_from_object, codec_to_json, node_from_zarr};
use zn5::model::{ArraySettings, BloscInner, BloscShuffle, Chain, Compressor, DataType, Endian, XzCheck};

const DOCUMENTS: [&str; 5] = [
    r#"{"n5":"4.0.0","dimensions":[5,2],"blockSize":[3,2],"dataType":"uint16","compression":{"type":"gzip","level":-1,"useZlib":true}}"#,
    r#"{"dimensions":[5.0,2e0],"blockSize":[3,2],/* x */"dataType":"int8","compressionType":"bzip2","é":"\ud800"} // end"#,
    r#"{"zarr_format":3,"node_type":"array","shape":[5,2],"data_type":"float32","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[3,1],2],2]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},"fill_value":"0x7fc00001","codecs":[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}}]}}]}"#,
    r#"{"zarr_format":3,"node_type":"array","shape":[5],"data_type":"int64","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},"chunk_key_encoding":"default","fill_value":-9223372036854775808,"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"format":1,"check":10,"preset":null,"filters":null}},{"name":"zstd","configuration":{"level":-7,"checksum":true}}],"attributes":{},"dimension_names":[null],"storage_transformers":[]}"#,
    r#"{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},"bytes",{"name":"numcodecs.bz2","configuration":{"level":9}}]}}"#,
];

/// Pieces of JSON that matter to the readers.
const PIECES: [&str; 42] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    "null",
    "true",
    "0",
    "-1",
    "2.5",
    "1e400",
    "NaN",
    "Infinity",
    "-Infinity",
    "01",
    "'",
    "\0",
    "\\u00",
    "\t",
    "3.0",
    "18446744073709551616",
    "\"name\"",
    "\"configuration\"",
    "\"codecs\"",
    "\"n5_default\"",
    "\"bytes\"",
    "\"dimensions\":[1]",
    "\"blockSize\":[1]",
    "\"dataType\":\"int8\"",
    "\"compression\":{\"type\":\"raw\"}",
    "\"\\ud800\"",
    "\u{feff}",
    "é",
];

/// Reads `bytes` in every way; whatever is accepted must be sound.
fn read(bytes: &[u8]) {
    let results = [array_from_n5(bytes), array_from_zarr(bytes), codec_from_object(bytes, DataType::UInt8, &[3, 2])];
    for result in results {
        match result {
            Ok(settings) => settings.validate().unwrap(),
            Err(error) => {
                assert!(!error.message().is_empty());
                assert!(error.offset().is_none_or(|offset| offset <= bytes.len() as u64), "{error}");
            }
        }
    }
}

/// Whether another reader takes the text for JSON.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Holds what zn5 takes for JSON to what another reader does. Where documents are stored, NaN and
/// the infinities pass as any value does.
fn compare_syntax(pieces: &[&str]) {
    let text = pieces.concat();
    let is_refused = |error: Option<ErrorKind>| error == Some(ErrorKind::InvalidJson);
    let strict = codec_from_object(text.as_bytes(), DataType::UInt8, &[3, 2]).err();
    assert_eq!(is_refused(strict.as_ref().map(Error::kind)), !is_json(&text), "{strict:?} of {text:?}");
    let instead: String =
        pieces.iter().map(|&piece| if piece.ends_with("NaN") || piece.ends_with("Infinity") { "[]" } else { piece }).collect();
    let stored = node_from_zarr(text.as_bytes()).err();
    assert_eq!(is_refused(stored.as_ref().map(Error::kind)), !is_json(&instead), "{stored:?} of {text:?}");
}

fn compressor() -> impl Strategy<Value = Compressor> {
    let check = select(vec![XzCheck::None, XzCheck::Crc32, XzCheck::Crc64, XzCheck::Sha256]);
    let shuffle = select(vec![BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit]);
    prop_oneof![
        (0..=9_u8, any::<bool>()).prop_map(|(level, zlib)| Compressor::Gzip { level, zlib }),
        (1..=9_u8).prop_map(|block_size| Compressor::Bzip2 { block_size }),
        (0..=9_u8, check).prop_map(|(preset, check)| Compressor::Xz { preset, check }),
        (-131_072..=22, any::<bool>()).prop_map(|(level, checksum)| Compressor::Zstd { level, checksum }),
        (select(&BloscInner::ALL[..]), 0..=9_u8, shuffle, 0..=i32::MAX as u32, proptest::option::of(9..=i32::MAX as u32))
            .prop_map(|(inner, level, shuffle, block_size, type_size)| Compressor::Blosc { inner, level, shuffle, block_size, type_size }),
    ]
}

fn settings(chain: Chain, data_type: DataType, chunk_shape: Vec<u64>) -> ArraySettings {
    ArraySettings { data_type, chunk_shape, array_shape: None, fill_value: vec![0; data_type.size()], chain }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        read(&bytes);
    }

    #[test]
    fn damaged_documents_never_panic(document in select(&DOCUMENTS[..]), cut in any::<prop::sample::Index>(), len in 0..40_usize, put in vec(any::<u8>(), 0..6)) {
        let bytes = document.as_bytes();
        let start = cut.index(bytes.len());
        let end = (start + len).min(bytes.len());
        let damaged = [&bytes[..start], &put, &bytes[end..]].concat();
        read(&damaged);
        read(&bytes[..start]);
        if let Ok(text) = std::str::from_utf8(&damaged) {
            compare_syntax(&[text]);
        }
    }

    #[test]
    fn documents_with_odd_pieces_never_panic(document in select(&DOCUMENTS[..]), cut in any::<prop::sample::Index>(), len in 0..12_usize, piece in select(&PIECES[..])) {
        let bytes = document.as_bytes();
        let start = cut.index(bytes.len());
        let end = (start + len).min(bytes.len());
        read(&[&bytes[..start], piece.as_bytes(), &bytes[end..]].concat());
    }

    #[test]
    fn pieces_of_json_never_panic(pieces in vec(select(&PIECES[..]), 0..40)) {
        read(pieces.concat().as_bytes());
        read(format!("{{{}}}", pieces.join(",")).as_bytes());
    }

    #[test]
    fn syntax_is_that_of_another_reader(pieces in vec(select(&PIECES[..]), 0..12), names in vec(select(vec!["\"a\"", "\"\"", "\"\\u0061\""]), 0..6)) {
        compare_syntax(&pieces);
        compare_syntax(&[&["["][..], &pieces.join("\u{1},\u{1}").split('\u{1}').collect::<Vec<_>>(), &["]"]].concat());
        let members: Vec<_> = names.iter().zip(&pieces).flat_map(|(name, piece)| [name, ":", piece, ","]).collect();
        let members = members.split_last().map_or(&[][..], |(_, members)| members);
        compare_syntax(&[&["{"][..], members, &["}"]].concat());
    }

    #[test]
    fn n5_chains_survive_writing_and_reading(
        compressor in prop_oneof![1 => Just(Compressor::Raw), 6 => compressor()],
        data_type in select(&DataType::N5[..]),
        chunk_shape in vec(1..=u64::MAX, 0..12),
    ) {
        let written = settings(Chain::N5 { compressor }, data_type, chunk_shape);
        let json = codec_to_json(&written).unwrap();
        prop_assert_eq!(&codec_to_json(&written).unwrap(), &json);
        prop_assert_eq!(codec_from_object(json.as_bytes(), data_type, &written.chunk_shape).unwrap(), written);
    }

    #[test]
    fn plain_chains_survive_writing_and_reading(
        compressors in vec(compressor(), 0..4),
        endian in select(vec![Endian::Little, Endian::Big]),
        data_type in select(&DataType::N5[..]),
    ) {
        let written = settings(Chain::Plain { endian, compressors }, data_type, vec![3]);
        let codecs = codec_to_json(&written).unwrap();
        let json = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[5],"data_type":"{}","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[3]}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":{codecs}}}"#,
            data_type.name()
        );
        let read = array_from_zarr(json.as_bytes()).unwrap();
        prop_assert_eq!(ArraySettings { array_shape: None, ..read }, written);
    }
}

#[test]
fn the_documents_to_damage_are_sound() {
    for document in DOCUMENTS {
        let bytes = document.as_bytes();
        let is_sound =
            array_from_n5(bytes).is_ok() || array_from_zarr(bytes).is_ok() || codec_from_object(bytes, DataType::UInt8, &[3, 2]).is_ok();
        assert!(is_sound, "{document}");
    }
}
