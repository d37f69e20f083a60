//! Metadata documents from a stranger: reading attributes.json, zarr.json and codec objects, and what is written from what was read.
//!
//! Input: of attributes.json and zarr.json the document; of codec objects data type, rank and a byte for each extent before it.

use arbitrary::Unstructured;
use zn5::ffi::{ZN5_ERROR_INVALID_JSON, ZN5_ERROR_NOT_REPRESENTABLE};
use zn5::metadata::{
    Grid, Language, Node, array_from_n5, array_from_zarr, codec_from_object, codec_to_json, language_of, n5_array_document, n5_version,
    node_from_n5, node_from_zarr, user_attributes, user_attributes_as_json, with_n5_version, with_user_attributes,
};
use zn5::model::{ArraySettings, Chain, Compressor, DataType};

use super::capi::{Codec, Failure, Options, engine};

/// Attributes of a user that are hard to keep.
const USERS: &[u8] = br#"{"a":1.50,"a":"\ud800","":[1e999,-0,{}]}"#;

/// Whether another reader takes the text for pure JSON.
fn is_json(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_ok_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}

/// What is JSON is not refused as none. The reverse holds where nothing that zn5 reads beside can
/// stand in it.
fn same_syntax(json: &[u8], failure: Option<&Failure>, beside: &[u8]) {
    let refused = failure.is_some_and(|failure| failure.status == ZN5_ERROR_INVALID_JSON);
    assert!(!(refused && is_json(json)), "{failure:?}");
    if !refused && !json.iter().any(|byte| beside.contains(byte)) {
        assert!(is_json(json), "{failure:?}");
    }
}

/// attributes.json.
pub fn n5_attributes(json: &[u8]) {
    let settings = engine(json.len(), array_from_n5(json));
    let codec = Codec::from_n5(json, &Options::default());
    same_syntax(json, codec.as_ref().err(), b"NI/\xef");
    same_codec(codec.as_ref(), settings.as_ref());
    let node = engine(json.len(), node_from_n5(json));
    match &settings {
        Ok(settings) => {
            assert!(matches!(&node, Ok(Node::Array(node)) if node.settings == *settings));
            let document = n5_array_document(settings).expect("N5 says it");
            let again = array_from_n5(document.as_bytes()).expect("zn5 wrote it");
            assert_eq!(
                (&again.array_shape, &again.chunk_shape, again.data_type),
                (&settings.array_shape, &settings.chunk_shape, settings.data_type)
            );
            assert_eq!(n5_array_document(&again).expect("N5 says it"), document);
        }
        Err(message) => assert!(!matches!(&node, Ok(Node::Array(_))), "{message}"),
    }
    attributes(json, Language::N5, node);
    let version = engine(json.len(), n5_version(json));
    if let Ok(with) = engine(json.len(), with_n5_version(json, None)) {
        assert_eq!(with.is_none(), version != Ok(None));
        if let Some(with) = with {
            assert_eq!(n5_version(with.as_bytes()), Ok(Some("\"4.0.0\"".to_owned())));
        }
    }
}

/// zarr.json.
pub fn zarr_metadata(json: &[u8]) {
    let settings = engine(json.len(), array_from_zarr(json));
    let codec = Codec::from_zarr(json, &Options::default());
    same_syntax(json, codec.as_ref().err(), b"NI");
    same_codec(codec.as_ref(), settings.as_ref());
    let node = engine(json.len(), node_from_zarr(json));
    if let Ok(Node::Array(node)) = &node {
        assert_eq!(settings.as_ref(), Ok(&node.settings));
        assert!(!node.keys.key(&vec![0; node.settings.ndim()]).is_empty());
    }
    attributes(json, Language::Zarr, node);
}

/// Codec objects.
pub fn codec_object(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let (Ok(kind), Ok(ndim)) = (u.arbitrary::<u8>(), u.arbitrary::<u8>()) else { return };
    let dtype = u32::from(kind % 13);
    let Ok(chunk) = (0..ndim % 8).map(|_| u.arbitrary::<u8>().map(u64::from)).collect::<Result<Vec<_>, _>>() else { return };
    let json = u.take_rest();
    let codec = Codec::from_object(json, dtype, &chunk, &Options::default());
    let Some(&data_type) = (dtype as usize).checked_sub(1).and_then(|index| DataType::N5.get(index)) else {
        codec.err().expect("no such type in N5");
        return;
    };
    let settings = engine(json.len(), codec_from_object(json, data_type, &chunk));
    same_syntax(json, codec.as_ref().err(), b"");
    same_codec(codec.as_ref(), settings.as_ref());
    let Ok(settings) = settings else { return };
    settings.validate().expect("sound");
    let text = codec_to_json(&settings).expect("Zarr says it");
    assert_eq!(codec_from_object(text.as_bytes(), data_type, &chunk).as_ref(), Ok(&settings));
}

/// The C API and the engine read the same.
fn same_codec(codec: Result<&Codec, &Failure>, settings: Result<&ArraySettings, &String>) {
    let (codec, settings) = match (codec, settings) {
        (Ok(codec), Ok(settings)) => (codec, settings),
        (Err(failure), Err(message)) => return assert_eq!(failure.message.trim_start_matches("json: "), message),
        (codec, settings) => panic!("the C API: {:?}, the engine: {settings:?}", codec.err()),
    };
    settings.validate().expect("sound");
    assert_eq!(codec.chunk_shape(), settings.chunk_shape);
    assert_eq!(codec.element_size(), settings.data_type.size());
    assert_eq!(codec.fill_value(), settings.fill_value);
    let is_lz4 = matches!(settings.chain, Chain::N5 { compressor: Compressor::Lz4 { .. } });
    match codec.to_json() {
        Ok(text) => assert_eq!(codec_to_json(settings).as_ref(), Ok(&text)),
        Err(failure) => assert!(is_lz4 && failure.status == ZN5_ERROR_NOT_REPRESENTABLE, "{failure:?}"),
    }
}

/// The user's attributes can be read and replaced, and nothing else changes.
fn attributes(json: &[u8], language: Language, node: Result<Node, String>) {
    let users = engine(json.len(), user_attributes(json, language));
    let parsed = engine(json.len(), user_attributes_as_json(json, language));
    let replaced = engine(json.len().max(USERS.len()), with_user_attributes(json, language, USERS));
    let _ = engine(json.len(), language_of(json));
    let _ = engine(json.len().max(USERS.len()), with_user_attributes(USERS, Language::N5, json));
    let Ok(node) = node else { return };
    let users = users.expect("attributes of a sound document");
    let parsed = parsed.expect("attributes of a sound document");
    assert!(is_json(parsed.as_bytes()), "{parsed}");
    assert!(parsed == users || !is_json(users.as_bytes()), "{parsed} of {users}");
    // What was got can be set, NaN and all; nothing more of it.
    let again = with_user_attributes(json, language, users.as_bytes()).expect("they are stored so");
    assert_eq!(user_attributes(again.as_bytes(), language).as_ref(), Ok(&users));
    with_user_attributes(json, language, br#"{"zn5's fuzzer":NaN}"#).expect_err("no JSON");
    let replaced = replaced.expect("attributes of a sound document");
    let again = if language == Language::N5 { node_from_n5(replaced.as_bytes()) } else { node_from_zarr(replaced.as_bytes()) };
    assert_eq!(again.expect("zn5 wrote it"), node);
    assert_eq!(user_attributes(replaced.as_bytes(), language), user_attributes(USERS, Language::N5));
    assert_eq!(with_user_attributes(replaced.as_bytes(), language, USERS), Ok(replaced));
}

/// One language to the other and back. Input: which way and the chunk grid, then the document.
pub fn convert(data: &[u8]) {
    let Some((&choice, json)) = data.split_first() else { return };
    let (grid, flags) = [(Grid::Regular, 0), (Grid::RegularBounded, 1), (Grid::Rectilinear, 2)][usize::from(choice % 3)];
    if choice & 64 == 0 {
        let zarr = engine(json.len(), zn5::metadata::n5_to_zarr(json, grid));
        assert_eq!(by_c(json, flags, zn5::ffi::zn5_metadata_n5_to_zarr), zarr);
        let Ok(zarr) = zarr else { return };
        assert!(is_json(zarr.as_bytes()), "{zarr}");
        node_from_zarr(zarr.as_bytes()).expect("zn5 wrote it");
        let back = zn5::metadata::zarr_to_n5(zarr.as_bytes()).expect("zn5 wrote it");
        assert_eq!(node_from_n5(back.as_bytes()), node_from_n5(json));
        let of_zarr = user_attributes(zarr.as_bytes(), Language::Zarr).expect("zn5 wrote it");
        assert_eq!(user_attributes_as_json(json, Language::N5).as_ref(), Ok(&of_zarr));
        // What is pure JSON already comes back byte for byte.
        if is_json(json) {
            assert_eq!(back, std::str::from_utf8(json).unwrap().trim_matches([' ', '\t', '\r', '\n']));
        }
        let zarr = zn5::metadata::n5_to_zarr(back.as_bytes(), grid).expect("it was converted before");
        assert_eq!(zn5::metadata::zarr_to_n5(zarr.as_bytes()), Ok(back));
    } else {
        let n5 = engine(json.len(), zn5::metadata::zarr_to_n5(json));
        assert_eq!(by_c(json, 0, zn5::ffi::zn5_metadata_zarr_to_n5), n5);
        let Ok(n5) = n5 else { return };
        assert!(is_json(n5.as_bytes()), "{n5}");
        let before = array_from_zarr(json).ok();
        let of_n5 = node_from_n5(n5.as_bytes()).expect("zn5 wrote it");
        assert_eq!(before.is_some(), matches!(of_n5, Node::Array(_)));
        user_attributes(n5.as_bytes(), Language::N5).expect("zn5 wrote it");
        let again = zn5::metadata::n5_to_zarr(n5.as_bytes(), Grid::Regular).expect("it came from zarr.json");
        if let Some(before) = before {
            let after = array_from_zarr(again.as_bytes()).expect("zn5 wrote it");
            assert_eq!((&after.array_shape, &after.chunk_shape), (&before.array_shape, &before.chunk_shape));
            assert_eq!((after.data_type, &after.fill_value), (before.data_type, &before.fill_value));
        }
        assert_eq!(zn5::metadata::zarr_to_n5(again.as_bytes()), Ok(n5));
    }
}

/// A conversion of the C API.
type Convert = unsafe extern "C" fn(
    *const std::ffi::c_char,
    usize,
    u32,
    *mut std::ffi::c_char,
    usize,
    *mut usize,
    *mut *mut zn5::ffi::zn5_error,
) -> zn5::ffi::zn5_status;

fn by_c(json: &[u8], flags: u32, convert: Convert) -> Result<String, String> {
    super::capi::text(json.len(), |dst, len, needed, error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { convert(json.as_ptr().cast(), json.len(), flags, dst, len, needed, error) }
    })
    .map_err(|failure| failure.message.trim_start_matches("json: ").to_owned())
}
