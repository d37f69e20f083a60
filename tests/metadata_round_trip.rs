//! Metadata there and back at random: attributes.json of every spelling with attributes that break other readers, and zarr.json.
//!
//! Each document is made twice, as programs may leave it, with comments, and as pure JSON of the same length.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use zn5::error::ErrorKind;
use zn5::metadata::{
    Grid, Language, Node, array_from_n5, array_from_zarr, codec_to_json, n5_to_zarr, node_from_n5, node_from_zarr, user_attributes,
    with_user_attributes, zarr_to_n5,
};
use zn5::model::{ArraySettings, BloscInner, BloscShuffle, Chain, Compressor, DataType, XzCheck};

/// Keys, with their quotation marks, none of which is N5's.
const KEYS: [&str; 18] = [
    r#""a""#,
    r#""""#,
    r#"" ""#,
    r#""\u0000""#,
    r#""\ud800""#,
    r#""\udfff\ud800""#,
    r#""é\u00e9😀""#,
    r#""a\"b\\""#,
    r#""shape""#,
    r#""zarr_format""#,
    r#""node_type""#,
    r#""attributes""#,
    r#""_n5 ""#,
    r#""__proto__""#,
    r#""codecs""#,
    r#""//""#,
    r#""/*""#,
    r#""N5""#,
];

/// Values without children.
const SCALARS: [&str; 20] = [
    "null",
    "true",
    "-0.0",
    "-0",
    "1.50",
    "1e999999",
    "-1E-999999",
    "123456789012345678901234567890.123456789012345678901234567890",
    "9007199254740993",
    "18446744073709551616",
    r#""""#,
    r#""\u0000\ud800""#,
    r#""\ud83d\ude00""#,
    r#""\/ // /* */ \\""#,
    r#""_n5""#,
    r#""}],\"dimensions\":[1]""#,
    "\"\u{7f}\u{2028}\"",
    "{}",
    "[]",
    "{ }",
];

/// What may stand between tokens: as a program leaves it, and as pure JSON.
const GAPS: [(&str, &str); 7] =
    [("", ""), (" ", " "), ("\n\t", "\n\t"), ("\r\n  ", "\r\n  "), ("/* \" */", "       "), ("// ]}\n", "     \n"), ("/***/", "     ")];

const COMPRESSIONS: [&str; 16] = [
    r#""compression":{"type":"raw"}"#,
    r#""compression":{"type":"raw","level":[1,{"x":2}]}"#,
    r#""compression":{"level":-1,"type":"gzip","useZlib":false}"#,
    r#""compression":{"type":"gzip","level":9.0,"useZlib":true}"#,
    r#""compression":{"type":"gzip"}"#,
    r#""compression":{"type":"bzip2","blockSize":0}"#,
    r#""compression":{"type":"xz","preset":1e0}"#,
    r#""compression":{"type":"zstd","id":"zstd","level":0,"checksum":true}"#,
    r#""compression":{"type":"blosc"}"#,
    r#""compression":{"type":"blosc","cname":"lz4","clevel":5,"shuffle":-1,"blocksize":0,"nthreads":8}"#,
    r#""compression":{"type":"blosc","cname":"zstd","clevel":99,"shuffle":2,"blocksize":4096,"typesize":1}"#,
    r#""compression":{ "\u0074ype" : "zstd", "level" : 3, "level" : 4 }"#,
    r#""compressionType":"raw""#,
    r#""compressionType":"bzip2""#,
    r#""compressionType":"nonsense","compression":{"type":"xz"}"#,
    r#""\u0063ompression":{"type":"zstd","level":-7}"#,
];

/// A document as it may be found, and the same as JSON.
type Twice = (String, String);

fn scalar() -> impl Strategy<Value = Twice> {
    let deep = (1..3000_usize).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    prop_oneof![20 => select(&SCALARS[..]).prop_map(str::to_owned), 1 => deep].prop_map(|text| (text.clone(), text))
}

fn gap() -> impl Strategy<Value = Twice> {
    select(&GAPS[..]).prop_map(|(left, right)| (left.to_owned(), right.to_owned()))
}

fn joined<'a>(parts: impl IntoIterator<Item = &'a Twice>) -> Twice {
    parts.into_iter().fold(Twice::default(), |(left, right), part| (left + &part.0, right + &part.1))
}

fn same(text: &str) -> Twice {
    (text.to_owned(), text.to_owned())
}

/// `items` between `open` and `close`, with gaps.
fn enclosed(open: &str, close: &str, items: &[(Twice, Twice)]) -> Twice {
    let mut parts = vec![same(open)];
    for (index, (gap, item)) in items.iter().enumerate() {
        if index != 0 {
            parts.push(same(","));
        }
        parts.extend([gap.clone(), item.clone(), gap.clone()]);
    }
    parts.push(same(close));
    joined(&parts)
}

fn member_of(value: impl Strategy<Value = Twice>) -> impl Strategy<Value = Twice> {
    (select(&KEYS[..]), gap(), gap(), value)
        .prop_map(|(key, before, after, value)| joined([&same(key), &before, &same(":"), &after, &value]))
}

fn json_value() -> impl Strategy<Value = Twice> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec((gap(), inner.clone()), 0..4).prop_map(|items| enclosed("[", "]", &items)),
            vec((gap(), member_of(inner)), 0..4).prop_map(|items| enclosed("{", "}", &items)),
        ]
    })
}

fn extents(least: u64) -> impl Strategy<Value = (Vec<u64>, usize)> {
    (vec(prop_oneof![4 => least..300, 1 => least..=u64::MAX], 0..5), 0..3_usize)
}

/// Extents in one of three spellings.
fn spelled(extents: &[u64], spelling: usize) -> String {
    let ending = ["", ".0", "e0"][spelling];
    let items: Vec<_> = extents.iter().map(|extent| format!("{extent}{ending}")).collect();
    format!("[{}]", items.join([",", " , ", ",\n"][spelling]))
}

fn own_members() -> impl Strategy<Value = Vec<Twice>> {
    let version = select(vec!["", r#""n5":"4.0.0""#, r#""n5":"2""#, r#""n5" : "3.1.3-SNAPSHOT""#, r#""\u006e5":"""#]);
    (extents(0), extents(1), select(&DataType::N5[..]), select(&COMPRESSIONS[..]), version).prop_map(
        |((mut dimensions, a), (mut block_size, b), data_type, compression, version)| {
            let ndim = dimensions.len().min(block_size.len());
            dimensions.truncate(ndim);
            block_size.truncate(ndim);
            let members = [
                format!(r#""dimensions":{}"#, spelled(&dimensions, a)),
                format!(r#""blockSize":{}"#, spelled(&block_size, b)),
                format!(r#""dataType":"{}""#, data_type.name()),
                compression.to_owned(),
                version.to_owned(),
            ];
            members.iter().filter(|member| !member.is_empty()).map(|member| same(member)).collect()
        },
    )
}

fn users() -> impl Strategy<Value = Vec<Twice>> {
    vec(member_of(json_value()), 0..6)
}

fn document_of(own: impl Strategy<Value = Vec<Twice>>) -> impl Strategy<Value = Twice> {
    let members = (own, users()).prop_map(|(own, users)| [own, users].concat());
    let with_gaps = members.prop_shuffle().prop_flat_map(|members| {
        let count = members.len();
        (Just(members), vec(gap(), count), gap(), gap())
    });
    with_gaps.prop_map(|(members, gaps, before, after)| {
        let items: Vec<_> = gaps.into_iter().zip(members).collect();
        joined([&before, &enclosed("{", "}", &items), &after])
    })
}

fn array() -> impl Strategy<Value = Twice> {
    document_of(own_members())
}

fn group() -> impl Strategy<Value = Twice> {
    let own = select(vec![vec![], vec![same(r#""n5":"4.0.0""#)], vec![same(r#""dataType":"uint8""#), same(r#""n5" : "2.0""#)]]);
    document_of(own)
}

fn grid() -> impl Strategy<Value = Grid> {
    select(vec![Grid::Regular, Grid::RegularBounded, Grid::Rectilinear])
}

/// The chain without what N5 has no member for: Zarr's parameters that only shape the stream.
fn as_n5_keeps(settings: &ArraySettings) -> ArraySettings {
    let mut kept = settings.clone();
    if let Chain::N5 { compressor } = &mut kept.chain {
        match compressor {
            Compressor::Blosc { type_size, .. } => *type_size = None,
            Compressor::Zstd { checksum, .. } => *checksum = false,
            Compressor::Xz { check, .. } => *check = XzCheck::default(),
            _ => {}
        }
    }
    kept
}

fn zarr_compressor() -> impl Strategy<Value = Compressor> {
    let shuffle = select(vec![BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit]);
    prop_oneof![
        Just(Compressor::Raw),
        (0..=9_u8, any::<bool>()).prop_map(|(level, zlib)| Compressor::Gzip { level, zlib }),
        (1..=9_u8).prop_map(|block_size| Compressor::Bzip2 { block_size }),
        (0..=9_u8, select(vec![XzCheck::Crc32, XzCheck::Sha256])).prop_map(|(preset, check)| Compressor::Xz { preset, check }),
        (-131_072..=22, any::<bool>()).prop_map(|(level, checksum)| Compressor::Zstd { level, checksum }),
        (select(&BloscInner::ALL[..]), 0..=9_u8, shuffle, proptest::option::of(9..=100_u32))
            .prop_map(|(inner, level, shuffle, type_size)| Compressor::Blosc { inner, level, shuffle, block_size: 0, type_size }),
    ]
}

proptest! {
    #[test]
    fn policy_20_arrays_come_back_byte_for_byte((found, json) in array(), grid in grid()) {
        let settings = array_from_n5(found.as_bytes()).unwrap();
        let zarr = n5_to_zarr(found.as_bytes(), grid).unwrap();
        let converted = array_from_zarr(zarr.as_bytes()).unwrap();
        prop_assert_eq!(&converted.array_shape, &settings.array_shape);
        prop_assert_eq!(converted.data_type, settings.data_type);
        prop_assert_eq!(codec_to_json(&converted).unwrap(), codec_to_json(&settings).unwrap());
        if grid != Grid::Rectilinear {
            prop_assert_eq!(&converted.chunk_shape, &settings.chunk_shape);
        }
        let users = user_attributes(found.as_bytes(), Language::N5).unwrap();
        prop_assert_eq!(&user_attributes(zarr.as_bytes(), Language::Zarr).unwrap(), &users);
        prop_assert_eq!(zarr_to_n5(zarr.as_bytes()).unwrap(), json.trim());
    }

    #[test]
    fn policy_20_groups_come_back_byte_for_byte((found, json) in group(), grid in grid()) {
        let zarr = n5_to_zarr(found.as_bytes(), grid).unwrap();
        prop_assert_eq!(node_from_zarr(zarr.as_bytes()).unwrap(), Node::Group);
        prop_assert_eq!(zarr_to_n5(zarr.as_bytes()).unwrap(), json.trim());
    }

    #[test]
    fn policy_20_a_resized_array_keeps_all_the_rest((found, _) in array(), extent: u64) {
        let settings = array_from_n5(found.as_bytes()).unwrap();
        let shape = spelled(settings.array_shape.as_deref().unwrap(), 0).replace(' ', "");
        let new_shape: Vec<u64> = settings.array_shape.as_deref().unwrap().iter().map(|old| old ^ extent).collect();
        let zarr = n5_to_zarr(found.as_bytes(), Grid::Regular).unwrap();
        let resized = zarr.replacen(&format!(r#""shape":{shape}"#), &format!(r#""shape":{}"#, spelled(&new_shape, 0)), 1);
        let back = zarr_to_n5(resized.as_bytes()).unwrap();
        prop_assert_eq!(array_from_n5(back.as_bytes()).unwrap(), ArraySettings { array_shape: Some(new_shape), ..settings });
        prop_assert_eq!(user_attributes(back.as_bytes(), Language::N5).unwrap(), user_attributes(found.as_bytes(), Language::N5).unwrap());
    }

    #[test]
    fn replaced_attributes_are_there_and_nothing_else_has_changed((found, _) in prop_oneof![array(), group()], new in users()) {
        let items: Vec<_> = new.iter().filter(|(_, json)| !json.starts_with(r#""codecs""#)).map(|(_, json)| (Twice::default(), same(json))).collect();
        let (_, new) = enclosed("{", "}", &items);
        let zarr = n5_to_zarr(found.as_bytes(), Grid::Regular).unwrap();
        for (document, language) in [(found.as_bytes(), Language::N5), (zarr.as_bytes(), Language::Zarr)] {
            let replaced = with_user_attributes(document, language, new.as_bytes()).unwrap();
            let twice = with_user_attributes(replaced.as_bytes(), language, new.as_bytes()).unwrap();
            prop_assert_eq!(&twice, &replaced);
            let (before, after) = match language {
                Language::N5 => (node_from_n5(document).unwrap(), node_from_n5(replaced.as_bytes()).unwrap()),
                Language::Zarr => (node_from_zarr(document).unwrap(), node_from_zarr(replaced.as_bytes()).unwrap()),
            };
            prop_assert_eq!(before, after);
            let users = user_attributes(replaced.as_bytes(), language).unwrap();
            let expected = user_attributes(new.as_bytes(), Language::N5).unwrap();
            prop_assert_eq!(users, expected);
        }
    }

    #[test]
    fn policy_21_zarr_s_own_arrays_come_back_with_what_n5_keeps(
        compressor in zarr_compressor(),
        data_type in select(&DataType::N5[..]),
        (mut shape, _) in extents(0),
        (mut chunk_shape, _) in extents(1),
        users in users(),
        order in Just(["zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs", "attributes"].to_vec()).prop_shuffle(),
    ) {
        let ndim = shape.len().min(chunk_shape.len());
        shape.truncate(ndim);
        chunk_shape.truncate(ndim);
        let items: Vec<_> = users.iter().filter(|(_, json)| !json.starts_with(r#""codecs""#)).map(|(_, json)| (Twice::default(), same(json))).collect();
        let (_, attributes) = enclosed("{", "}", &items);
        let chain = Chain::N5 { compressor };
        let settings = ArraySettings { data_type, fill_value: vec![0; data_type.size()], array_shape: Some(shape.clone()), chunk_shape: chunk_shape.clone(), chain };
        let codec = codec_to_json(&settings).unwrap();
        let members: Vec<_> = order.into_iter().map(|name| {
            let value = match name {
                "zarr_format" => "3".to_owned(),
                "node_type" => r#""array""#.to_owned(),
                "shape" => spelled(&shape, 0),
                "data_type" => format!(r#""{}""#, data_type.name()),
                "chunk_grid" => format!(r#"{{"name":"regular","configuration":{{"chunk_shape":{}}}}}"#, spelled(&chunk_shape, 0)),
                "chunk_key_encoding" => r#"{"name":"v2","configuration":{"separator":"/"}}"#.to_owned(),
                "fill_value" => "0".to_owned(),
                "codecs" => format!("[{codec}]"),
                _ => attributes.clone(),
            };
            format!(r#""{name}":{value}"#)
        }).collect();
        let zarr = format!("{{{}}}", members.join(","));
        let n5 = zarr_to_n5(zarr.as_bytes()).unwrap();
        let again = n5_to_zarr(n5.as_bytes(), Grid::Regular).unwrap();
        prop_assert_eq!(array_from_zarr(again.as_bytes()).unwrap(), as_n5_keeps(&array_from_zarr(zarr.as_bytes()).unwrap()));
        prop_assert_eq!(user_attributes(again.as_bytes(), Language::Zarr).unwrap(), user_attributes(zarr.as_bytes(), Language::Zarr).unwrap());
        prop_assert_eq!(zarr_to_n5(again.as_bytes()).unwrap(), n5);
    }

    #[test]
    fn damaged_documents_end_in_an_error_or_a_sound_document((found, _) in prop_oneof![array(), group()], grid in grid(), cut in any::<prop::sample::Index>(), len in 0..30_usize, put in vec(any::<u8>(), 0..4)) {
        let zarr = n5_to_zarr(found.as_bytes(), grid).unwrap();
        for (document, is_zarr) in [(found.as_bytes(), false), (zarr.as_bytes(), true)] {
            let start = cut.index(document.len());
            let end = (start + len).min(document.len());
            let damaged = [&document[..start], &put, &document[end..]].concat();
            let result = if is_zarr { zarr_to_n5(&damaged) } else { n5_to_zarr(&damaged, grid) };
            match result {
                Ok(text) if is_zarr => prop_assert!(node_from_n5(text.as_bytes()).is_ok(), "{}", text),
                Ok(text) => prop_assert!(node_from_zarr(text.as_bytes()).is_ok(), "{}", text),
                Err(error) => {
                    prop_assert!(error.kind() != ErrorKind::Internal && !error.message().is_empty());
                    prop_assert!(error.offset().is_none_or(|offset| offset <= damaged.len() as u64));
                }
            }
        }
    }
}

#[test]
fn a_million_brackets_and_a_hundred_thousand_attributes_convert() {
    let depth = 1_000_000;
    let mut users = format!(r#""deep":{}{}"#, "[".repeat(depth), "]".repeat(depth));
    for index in 0..100_000 {
        let _ = write!(users, r#","a{index}":{index}.0,"codecs":{index}"#);
    }
    let json = format!(r#"{{{users},"dimensions":[5],"blockSize":[3],"dataType":"int8","compression":{{"type":"raw"}}}}"#);
    let zarr = n5_to_zarr(json.as_bytes(), Grid::Regular).unwrap();
    assert_eq!(zarr_to_n5(zarr.as_bytes()).unwrap(), json);
}
