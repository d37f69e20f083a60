//! Documents of datasets: NaN in a container that Python wrote, what a new array's document may
//! say, and on whom an error is blamed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod dataset_support;

use std::sync::Arc;

use dataset_support::{directory, folder};
use zn5::array::Destination;
use zn5::dataset::{Dataset, IoOptions, NodeKind, create_group, get_attributes, get_attributes_as_json, list_nodes, set_attributes};
use zn5::error::{Error, ErrorKind};
use zn5::metadata::Grid;
use zn5::model::{CodecOptions, Order};
use zn5::store::{Memory, N5AsZarr, Store};

const ARRAY: &str = r#"{"dimensions":[3],"blockSize":[3],"dataType":"uint8","compression":{"type":"raw"}}"#;

fn text(store: &Arc<dyn Store>, key: &str) -> Option<String> {
    let mut value = Vec::new();
    store.get(key, 0, u64::MAX, &mut value).unwrap().then(|| String::from_utf8(value).unwrap())
}

fn fill(store: &Arc<dyn Store>, values: &[(&str, &str)]) {
    for (key, value) in values {
        store.set(key, value.as_bytes()).unwrap();
    }
}

fn create(store: &Arc<dyn Store>, path: &str, json: &str) -> Result<Dataset, Error> {
    Dataset::create(Arc::clone(store), path, json.as_bytes(), CodecOptions::default())
}

fn elements(store: &Arc<dyn Store>, path: &str) -> [u8; 3] {
    let dataset = Dataset::open(Arc::clone(store), path, CodecOptions::default()).unwrap();
    let mut elements = [0_u8; 3];
    let destination = Destination::over(&mut elements, &[3], 1, Order::F).unwrap();
    dataset.read(&[0], destination, &IoOptions::default(), None).unwrap();
    elements
}

const ROOT: &str = r#"{"n5": "2.5.0", "background": NaN}"#;
const GROUP: &str = r#"{"resolution": [NaN]}"#;

/// What Python's json module writes of an image with an empty background.
fn with_nan(store: &Arc<dyn Store>) {
    let own = ARRAY.replacen('{', r#"{"intensityLimits": {"min": NaN, "max": -Infinity}, "#, 1);
    fill(
        store,
        &[("attributes.json", ROOT), ("img/attributes.json", ARRAY), ("own/attributes.json", &own), ("grp/attributes.json", GROUP)],
    );
    fill(store, &[("grp/s0/attributes.json", ARRAY)]);
    for path in ["img", "own", "grp/s0"] {
        store.set(&format!("{path}/0"), &[0, 0, 0, 1, 0, 0, 0, 3, 7, 7, 7]).unwrap();
    }
}

#[test]
fn policy_39_a_container_with_nan_is_read_and_grows() {
    let stores: [Arc<dyn Store>; 2] = [Arc::new(Memory::new()), directory(&folder("nan"), true)];
    for store in stores {
        with_nan(&store);
        for path in ["img", "own", "grp/s0"] {
            assert_eq!(elements(&store, path), [7, 7, 7], "{path}");
        }
        let mut nodes = Vec::new();
        list_nodes(&store, "", &mut |name, kind| {
            nodes.push((name.to_owned(), kind));
            Ok(())
        })
        .unwrap();
        let kinds: Vec<_> = nodes.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        assert_eq!(kinds, [("grp", NodeKind::Group), ("img", NodeKind::Array), ("own", NodeKind::Array)]);

        create(&store, "new", ARRAY).unwrap();
        create(&store, "grp/s1", ARRAY).unwrap();
        create_group(&store, "made/here", None).unwrap();
        assert_eq!(text(&store, "attributes.json").unwrap(), ROOT);
        assert_eq!(text(&store, "grp/attributes.json").unwrap(), GROUP);
        assert_eq!(get_attributes(&store, "").unwrap(), r#"{"background":NaN}"#);
        assert_eq!(get_attributes_as_json(&store, "").unwrap(), r#"{"background":"NaN"}"#);
        assert_eq!(get_attributes_as_json(&store, "own").unwrap(), r#"{"intensityLimits":{"min": "NaN", "max": "-Infinity"}}"#);
        set_attributes(&store, "", br#"{"background":NaN,"name":"x"}"#).unwrap();
        assert_eq!(text(&store, "attributes.json").unwrap(), r#"{"n5":"2.5.0","background":NaN,"name":"x"}"#);

        let zarr: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&store), Grid::Regular, true));
        assert_eq!(elements(&zarr, "own"), [7, 7, 7]);
        let document = text(&zarr, "own/zarr.json").unwrap();
        assert!(serde_json::from_str::<serde::de::IgnoredAny>(&document).is_ok(), "{document}");
    }
    // A root that has no version yet gets it in front of what stays as it is.
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    fill(&store, &[("attributes.json", GROUP)]);
    create(&store, "new", ARRAY).unwrap();
    assert_eq!(text(&store, "attributes.json").unwrap(), r#"{"n5":"4.0.0","resolution":[NaN]}"#);
}

fn compressed(compression: &str) -> String {
    ARRAY.replace(r#"{"type":"raw"}"#, compression)
}

#[test]
fn policy_40_a_new_array_says_what_zn5_will_do() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let cases = [
        (r#"{"type":"gzip","level":99}"#, "`compression.level` is 99; it must be an integer from -1 to 9"),
        (r#"{"type":"gzip","level":-2}"#, "`compression.level` is -2"),
        (r#"{"type":"gzip","level":"6"}"#, "`compression.level` is \"6\""),
        (r#"{"type":"gzip","level":null}"#, "`compression.level` is null"),
        (r#"{"type":"gzip","levle":3}"#, "has the member \"levle\", which zn5 does not know; is `level` meant?"),
        (r#"{"type":"gzip","useZlib":1}"#, "`compression.useZlib` is 1; it must be true or false"),
        (r#"{"type":"gzip","usezlib":true}"#, "is `useZlib` meant?"),
        (r#"{"type":"gzip","clevel":3}"#, "is `level` meant?"),
        (r#"{"type":"zstd","level":42}"#, "`compression.level` is 42; it must be an integer from -131072 to 22"),
        (r#"{"type":"zstd","level":2.5}"#, "`compression.level` is 2.5"),
        (r#"{"type":"zstd","clevel":19}"#, "\"clevel\""),
        (r#"{"type":"zstd","checksum":"yes"}"#, "`compression.checksum` is \"yes\"; it must be true or false"),
        (r#"{"type":"zstd","nbWorkers":-1}"#, "`compression.nbWorkers`"),
        (r#"{"type":"bzip2","blockSize":0}"#, "from 1 to 9"),
        (r#"{"type":"bzip2","level":9}"#, "\"level\""),
        (r#"{"type":"xz","preset":10}"#, "from 0 to 9"),
        (r#"{"type":"lz4","blockSize":6}"#, "from 64 to 33554432"),
        (r#"{"type":"raw","level":3}"#, "\"level\""),
        (r#"{"type":"blosc","clevel":19}"#, "`compression.clevel` is 19; it must be an integer from 0 to 9"),
        (r#"{"type":"blosc","shuffle":"bitshuffle"}"#, "`compression.shuffle` is \"bitshuffle\"; it must be an integer from -1 to 2"),
        (r#"{"type":"blosc","shuffle":3}"#, "`compression.shuffle`"),
        (r#"{"type":"blosc","cname":1}"#, "`compression.cname` is 1"),
        (r#"{"type":"blosc","blocksize":-1}"#, "`compression.blocksize`"),
        (r#"{"type":"blosc","blockSize":0}"#, "is `blocksize` meant?"),
        (r#"{"type":"blosc","nthreads":"all"}"#, "`compression.nthreads`"),
    ];
    for (compression, part) in cases {
        let json = compressed(compression);
        let error = create(&store, "a", &json).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidMetadata, "{error} of {json}");
        assert!(error.message().starts_with("metadata_json: ") && error.message().contains(part), "{error} of {json}");
        assert!(error.offset().is_some_and(|offset| offset > json.find("compression").unwrap() as u64), "{error}");
        // Reading forgives it, as ever.
        let old: Arc<dyn Store> = Arc::new(Memory::new());
        fill(&old, &[("a/attributes.json", &json)]);
        Dataset::open(old, "a", CodecOptions::default()).unwrap();
    }
    let error = create(&store, "a", &compressed(r#"{"type":"blosc","cname":"snappy"}"#)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnsupportedCompression);
    assert!(error.message().contains("`compression.cname` is \"snappy\"; zn5 has blosclz, lz4, lz4hc, zlib and zstd"), "{error}");
    assert_eq!((text(&store, "a/attributes.json"), text(&store, "attributes.json")), (None, None));
}

#[test]
fn policy_40_what_other_programs_write_may_be_written() {
    for compression in [
        r#"{"type":"gzip","level":-1,"useZlib":false}"#,
        r#"{"type":"gzip","useZlib":true,"level":9}"#,
        r#"{"type":"gzip"}"#,
        r#"{"type":"gzip","level":6.0}"#,
        r#"{"type":"bzip2","blockSize":9}"#,
        r#"{"type":"xz","preset":0}"#,
        r#"{"type":"lz4","blockSize":65536}"#,
        r#"{"type":"zstd","level":-7}"#,
        r#"{"type":"zstd","level":22,"nbWorkers":0}"#,
        r#"{"type":"zstd","id":"zstd","level":3,"checksum":true}"#,
        r#"{"type":"blosc","cname":"blosclz","clevel":6,"shuffle":0,"blocksize":0,"nthreads":1}"#,
        r#"{"type":"blosc","cname":"zstd","clevel":9,"shuffle":-1,"typesize":2,"nthreads":20,"blocksize":65536}"#,
        r#"{"type":"blosc","cname":"lz4hc"}"#,
        r#"{"\u0074ype":"gzip","\u006cevel":3}"#,
    ] {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let json = compressed(compression);
        create(&store, "a", &json).unwrap();
        assert_eq!(text(&store, "a/attributes.json").unwrap(), json);
    }
    // The user's own members are nobody's business, nor are their names.
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let users = ARRAY.replacen('{', r#"{"levle":99,"compresion":{"type":"x"},"x":1e999,"_n5":null,"codecs":[],"#, 1);
    create(&store, "a", &users).unwrap();
    let before_2_0 = ARRAY.replace(r#""compression":{"type":"raw"}"#, r#""compressionType":"gzip""#);
    create(&store, "b", &before_2_0).unwrap();
}

#[test]
fn policy_40_a_misspelt_member_of_the_language_is_told() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    for (right, wrong) in [("compression", "compresion"), ("dataType", "datatype"), ("blockSize", "blocksize"), ("dimensions", "dimension")]
    {
        let error = create(&store, "a", &ARRAY.replace(right, wrong)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidMetadata, "{error}");
        let parts = [format!("no `{right}`"), format!("\"{wrong}\" may be meant for it")];
        assert!(parts.iter().all(|part| error.message().contains(part)), "{error}");
    }
    let error = create(&store, "a", r#"{"dims":[3],"block":[3]}"#).err().unwrap();
    assert!(error.kind() == ErrorKind::NotAnArray && error.message().contains("zn5_group_create()"), "{error}");
    // Comments are read over where they are found, and not written.
    for json in [format!("// mine\n{ARRAY}"), format!("\u{feff}{ARRAY}"), ARRAY.replace("[3],", "[3],/**/")] {
        let error = create(&store, "a", &json).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidJson, "{error}");
    }
}

#[test]
fn policy_40_codecs_of_zarr_are_held_to_their_ranges() {
    let zarr = |codec: &str| {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[3],"data_type":"uint8","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[3]}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes",{codec}]}}"#
        )
    };
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    for (codec, kind, part) in [
        (r#"{"name":"gzip","configuration":{"level":99}}"#, ErrorKind::InvalidMetadata, "level` is 99; it must be an integer from 0 to 9"),
        (r#"{"name":"gzip","configuration":{"levle":3}}"#, ErrorKind::InvalidMetadata, "level"),
        (r#"{"name":"gzip","configuration":{"level":3,"levle":3}}"#, ErrorKind::InvalidMetadata, "is `level` meant?"),
        (r#"{"name":"zstd","configuration":{"level":42}}"#, ErrorKind::InvalidMetadata, "from -131072 to 22"),
        (r#"{"name":"zstd","configuration":{"level":"3"}}"#, ErrorKind::InvalidMetadata, "level` is \"3\""),
        (
            r#"{"name":"blosc","configuration":{"cname":"snappy","clevel":1,"shuffle":"noshuffle"}}"#,
            ErrorKind::UnsupportedCodec,
            "zn5 has blosclz",
        ),
    ] {
        let error = create(&store, "z", &zarr(codec)).err().unwrap();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().starts_with("metadata_json: `codecs[1]") && error.message().contains(part), "{error}");
    }
    create(&store, "z", &zarr(r#"{"name":"zstd","configuration":{"level":3,"checksum":true}}"#)).unwrap();
    assert_eq!(text(&store, "z/attributes.json"), None);
}

#[test]
fn an_argument_is_blamed_for_itself_and_a_stored_document_for_itself() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    fill(
        &store,
        &[
            ("a/attributes.json", "{\"x\": 1}"),
            ("cut/attributes.json", "{\"x\": 1"),
            ("list/attributes.json", "[]"),
            ("z/zarr.json", r#"{"zarr_format":3,"node_type":"group","attributes":[]}"#),
        ],
    );
    let set = |path: &str, json: &str| set_attributes(&store, path, json.as_bytes()).unwrap_err();
    for (path, json, kind, offset, begin) in [
        ("a", "{bad", ErrorKind::InvalidJson, 1, "json: the document is not JSON: at line 1, column 2, the name \"bad\""),
        ("a", "", ErrorKind::InvalidJson, 0, "json: the document is empty"),
        ("a", "[]", ErrorKind::InvalidMetadata, 0, "json: the document is []; it must be an object"),
        ("a", "{\"n5\":1}", ErrorKind::NotRepresentable, 6, "json: the attribute `n5`"),
        ("a", "{\"a\":NaN}", ErrorKind::InvalidJson, 5, "json: the attribute \"a\" has NaN"),
        ("cut", "{}", ErrorKind::InvalidJson, 7, "cut/attributes.json: the document is cut"),
        ("cut", "{bad", ErrorKind::InvalidJson, 7, "cut/attributes.json: the document is cut"),
        ("list", "{}", ErrorKind::InvalidMetadata, 0, "list/attributes.json: the document is []"),
        ("z", "{}", ErrorKind::InvalidMetadata, 50, "z/zarr.json: `attributes` is []"),
    ] {
        let error = set(path, json);
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{error}");
        assert!(error.message().starts_with(begin), "{error}");
    }
    assert_eq!(text(&store, "a/attributes.json").unwrap(), "{\"x\": 1}");

    let error = create(&store, "b", "{\"dimensions\":[3],}").err().unwrap();
    assert!(error.message().starts_with("metadata_json: the document is not JSON: at line 1, column 18, a comma"), "{error}");
    assert_eq!(error.offset(), Some(17));
    // What is stored already is not the argument's fault.
    fill(&store, &[("attributes.json", "{\"n5\":")]);
    let error = create(&store, "b", ARRAY).err().unwrap();
    assert!(error.message().starts_with("attributes.json: the document is cut"), "{error}");
    let error = create(&store, "../b", ARRAY).err().unwrap();
    assert!(error.message().starts_with("the path \"../b\" is refused"), "{error}");
    let options = CodecOptions { fill_value: Some(vec![1, 2]), ..CodecOptions::default() };
    let error = Dataset::create(Arc::new(Memory::new()), "b", ARRAY.as_bytes(), options.clone()).err().unwrap();
    assert!(error.kind() == ErrorKind::InvalidArgument && error.message().starts_with("options->fill_value has 2 bytes"), "{error}");
    fill(&store, &[("c/attributes.json", ARRAY)]);
    let error = Dataset::open(Arc::clone(&store), "c", options).err().unwrap();
    assert!(error.message().starts_with("options->fill_value has 2 bytes"), "{error}");

    // A view has the new document to blame, which it cannot translate.
    let view = N5AsZarr::new(Arc::new(Memory::new()), Grid::Regular, false);
    let error = view.set("d/zarr.json", b"{\"zarr_format\":3,").unwrap_err();
    assert!(error.message().starts_with("the new d/zarr.json: the document is cut"), "{error}");
}
