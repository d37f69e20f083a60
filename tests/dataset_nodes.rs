//! Nodes: what a container lists, creates and keeps of attributes, in both languages; and the real containers of others.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

mod dataset_support;
mod real_data;

use std::fs;
use std::sync::Arc;

use dataset_support::*;
use real_data::real_data;
use zn5::dataset::{Dataset, NodeKind, create_group, get_attributes, list_names, list_nodes, set_attributes};
use zn5::error::{Error, ErrorKind};
use zn5::metadata::{self, Grid, Language};
use zn5::model::{CodecOptions, Order};
use zn5::store::{Memory, N5AsZarr, Store};

const ARRAY: &str = r#"{"dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"raw"}}"#;
const ZARR: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}"#;
const ZARR_GROUP: &str = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":1}}"#;

fn list(store: &Arc<dyn Store>, path: &str) -> Vec<(String, NodeKind)> {
    let mut nodes = Vec::new();
    list_nodes(store, path, &mut |name, kind| {
        nodes.push((name.to_owned(), kind));
        Ok(())
    })
    .unwrap();
    nodes
}

fn names(store: &Arc<dyn Store>, path: &str) -> Vec<String> {
    list(store, path).into_iter().map(|(name, kind)| format!("{name} {kind:?}")).collect()
}

fn text(store: &Arc<dyn Store>, key: &str) -> Option<String> {
    let mut value = Vec::new();
    store.get(key, 0, u64::MAX, &mut value).unwrap().then(|| String::from_utf8(value).unwrap())
}

fn memory(values: &[(&str, &str)]) -> Arc<dyn Store> {
    let memory = Memory::new();
    for (key, value) in values {
        memory.set(key, value.as_bytes()).unwrap();
    }
    Arc::new(memory)
}

fn open(store: &Arc<dyn Store>, path: &str) -> Result<Dataset, Error> {
    Dataset::open(Arc::clone(store), path, CodecOptions::default())
}

#[test]
fn a_container_lists_its_nodes_and_nothing_else() {
    let folder = folder("nodes");
    let store = directory(&folder, true);
    for (key, value) in [
        ("README.txt", "plain file"),
        (".DS_Store", ""),
        ("implicit/deep/s0/attributes.json", ARRAY),
        ("implicit/deep/s0/0/0", ""),
        ("implicit/deep/s0/1/0", ""),
        ("implicit/deep/s0/labels/attributes.json", ARRAY),
        ("implicit/deep/s0/labels/0/1", ""),
        ("jpeg/attributes.json", r#"{"dimensions":[4],"blockSize":[2],"dataType":"uint8","compression":{"type":"jpeg"}}"#),
        ("jpeg/0", ""),
        ("jpeg/7/0", ""),
        ("broken/attributes.json", "{"),
        ("commented/attributes.json", "/* by hand */ {\"a\": 1 // one\n}"),
        ("commented/0/x", ""),
        ("zarr/zarr.json", ZARR),
        ("zarr/c/0/0", ""),
        ("zarr/c/1/0", ""),
        ("zarrs/zarr.json", ZARR_GROUP),
        ("zarrs/flat/zarr.json", &ZARR.replace(r#""name":"default""#, r#""name":"v2""#)),
        ("zarrs/flat/0.0", ""),
        ("new/zarr.json", r#"{"zarr_format":4}"#),
        ("old/.zarray", r#"{"zarr_format":2}"#),
        ("old/0/0", ""),
    ] {
        store.set(key, value.as_bytes()).unwrap();
    }
    fs::write(folder.join(".zn5-12-0"), "left by a writer that was killed").unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    let expected = [
        "broken Unsupported",
        "commented Group",
        "empty Group",
        "implicit Group",
        "jpeg Unsupported",
        "new Unsupported",
        "old Unsupported",
        "zarr Array",
        "zarrs Group",
    ];
    assert_eq!(names(&store, ""), expected);
    assert_eq!(names(&store, "/"), expected);
    assert_eq!(names(&store, "implicit"), ["deep Group"]);
    assert_eq!(names(&store, "/implicit/deep/"), ["s0 Array"]);
    assert_eq!(names(&store, "implicit/deep/s0"), ["labels Array"]);
    for leaf in ["implicit/deep/s0/labels", "jpeg", "broken", "empty", "zarr", "zarrs/flat", "new", "old"] {
        assert_eq!(names(&store, leaf), [] as [&str; 0], "{leaf}");
    }
    // Not below an array, so a folder of any name is a group.
    assert_eq!(names(&store, "commented"), ["0 Group"]);
    assert_eq!(names(&store, "zarrs"), ["flat Array"]);
    let list = |path: &str| list_nodes(&store, path, &mut |_, _| Ok(())).unwrap_err().kind();
    assert_eq!((list("nowhere"), list("../nodes")), (ErrorKind::NotFound, ErrorKind::InvalidArgument));
    let stop = list_nodes(&store, "", &mut |_, _| Err(Error::new(ErrorKind::Cancelled, "enough")));
    assert_eq!(stop.unwrap_err().kind(), ErrorKind::Cancelled);

    for (path, kind, named) in [
        ("jpeg", ErrorKind::UnsupportedCompression, "jpeg/attributes.json: "),
        ("broken", ErrorKind::InvalidJson, "broken/attributes.json: "),
        ("new", ErrorKind::InvalidMetadata, "new/zarr.json: "),
        ("old", ErrorKind::UnsupportedCodec, "old/.zarray: "),
        ("commented", ErrorKind::NotAnArray, "commented/attributes.json"),
        ("implicit", ErrorKind::NotAnArray, "implicit"),
        ("nowhere", ErrorKind::NotFound, "nowhere"),
        ("a/../b", ErrorKind::InvalidArgument, "a/../b"),
    ] {
        let error = open(&store, path).err().unwrap();
        assert!(error.kind() == kind && error.message().contains(named), "{path}: {error}");
    }
}

#[test]
fn one_unreadable_child_stops_nothing() {
    let inner = memory(&[("a/attributes.json", ARRAY), ("b/attributes.json", ARRAY), ("c/x", "")]);
    let get = |key: &str, _: &mut Vec<u8>| match key {
        "b/attributes.json" => Err(Error::new(ErrorKind::Permission, "not yours")),
        _ => Ok(()),
    };
    let store: Arc<dyn Store> = Arc::new(Wrapped { inner, get });
    assert_eq!(names(&store, ""), ["a Array", "b Unsupported", "c Group"]);
}

#[test]
fn of_two_documents_the_one_that_describes_an_array_counts() {
    let group = r#"{"x":1}"#;
    let cases = [
        (Some(ARRAY), Some(ZARR), Ok(Language::N5)),
        (Some(ARRAY), Some("{"), Ok(Language::N5)),
        (Some(group), Some(ZARR), Ok(Language::Zarr)),
        (Some("{"), Some(ZARR), Ok(Language::Zarr)),
        (None, Some(ZARR), Ok(Language::Zarr)),
        (Some("{"), Some(ZARR_GROUP), Err(ErrorKind::InvalidJson)),
        (Some(group), Some("{"), Err(ErrorKind::InvalidJson)),
        (Some(group), Some(ZARR_GROUP), Err(ErrorKind::NotAnArray)),
        (Some(group), None, Err(ErrorKind::NotAnArray)),
    ];
    for (n5, zarr, expected) in cases {
        let documents = [("d/attributes.json", n5), ("d/zarr.json", zarr)];
        let store = memory(&documents.iter().filter_map(|(key, text)| text.map(|text| (*key, text))).collect::<Vec<_>>());
        let opened = open(&store, "d").map(|dataset| dataset.language()).map_err(|error| error.kind());
        assert_eq!(opened, expected, "{n5:?} {zarr:?}");
        let kind = list(&store, "")[0].1;
        let wanted = match expected {
            Ok(_) => NodeKind::Array,
            Err(ErrorKind::NotAnArray) => NodeKind::Group,
            Err(_) => NodeKind::Unsupported,
        };
        assert_eq!(kind, wanted, "{n5:?} {zarr:?}");
    }
}

#[test]
fn arrays_are_created_once_as_given() {
    let store = memory(&[("attributes.json", "/* mine */ {\"name\": 1.50}")]);
    let spelled = ARRAY.replace(',', " ,\n ");
    let create = |path: &str, json: &str| Dataset::create(Arc::clone(&store), path, json.as_bytes(), CodecOptions::default());
    let dataset = create("/a/b/", &spelled).unwrap();
    assert_eq!((dataset.path(), dataset.metadata(), dataset.shape()), ("a/b", &*spelled, &[4, 4][..]));
    assert_eq!(text(&store, "a/b/attributes.json").unwrap(), spelled);
    assert_eq!(text(&store, "attributes.json").unwrap(), r#"{"n5":"4.0.0","name":1.50}"#);
    assert_eq!(text(&store, "a/attributes.json"), None);

    let error = create("a/b", ARRAY).err().unwrap();
    assert!(error.kind() == ErrorKind::AlreadyExists && error.message().contains("a/b/attributes.json"), "{error}");
    assert_eq!(create("a/b", ZARR).err().unwrap().kind(), ErrorKind::AlreadyExists);
    assert_eq!(create("", ARRAY).err().unwrap().kind(), ErrorKind::AlreadyExists);
    assert_eq!(create("g", "{}").err().unwrap().kind(), ErrorKind::NotAnArray);
    assert_eq!(create("g", ZARR_GROUP).err().unwrap().kind(), ErrorKind::NotAnArray);
    assert_eq!(create("g", r#"{"zarr_format":2}"#).err().unwrap().kind(), ErrorKind::InvalidMetadata);
    assert_eq!(create("g", "no JSON").err().unwrap().kind(), ErrorKind::InvalidJson);
    assert_eq!(text(&store, "g/attributes.json").or(text(&store, "g/zarr.json")), None);

    create("z", ZARR).unwrap();
    assert_eq!(text(&store, "z/zarr.json").unwrap(), ZARR);
    assert_eq!(text(&store, "zarr.json"), None);

    let root: Arc<dyn Store> = Arc::new(Memory::new());
    Dataset::create(Arc::clone(&root), "/", ARRAY.as_bytes(), CodecOptions::default()).unwrap();
    assert_eq!(text(&root, "attributes.json").unwrap(), ARRAY.replacen('{', r#"{"n5":"4.0.0","#, 1));
    assert_eq!(open(&root, "").unwrap().block_key(&[1, 0]), "1/0");

    let folder = folder("read-only");
    let read_only = Dataset::create(directory(&folder, false), "d", ARRAY.as_bytes(), CodecOptions::default());
    assert_eq!(read_only.err().unwrap().kind(), ErrorKind::ReadOnly);
    let fill = CodecOptions { fill_value: Some(vec![1, 2]), ..CodecOptions::default() };
    let wrong = Dataset::create(Arc::clone(&store), "w", ARRAY.as_bytes(), fill);
    assert_eq!((wrong.err().unwrap().kind(), text(&store, "w/attributes.json")), (ErrorKind::InvalidArgument, None));
}

#[test]
fn groups_are_made_in_the_language_of_the_container() {
    let n5: Arc<dyn Store> = Arc::new(Memory::new());
    create_group(&n5, "a/b", None).unwrap();
    assert_eq!(text(&n5, "attributes.json").unwrap(), r#"{"n5":"4.0.0"}"#);
    assert_eq!(text(&n5, "a/b/attributes.json").unwrap(), "{}");
    create_group(&n5, "a/b", None).unwrap();
    create_group(&n5, "", None).unwrap();
    n5.set("a/d/attributes.json", ARRAY.as_bytes()).unwrap();
    assert_eq!(create_group(&n5, "a/d", None).unwrap_err().kind(), ErrorKind::AlreadyExists);
    n5.set("a/e/attributes.json", b"{").unwrap();
    assert_eq!(create_group(&n5, "a/e", None).unwrap_err().kind(), ErrorKind::AlreadyExists);

    let zarr = memory(&[("zarr.json", ZARR_GROUP)]);
    create_group(&zarr, "g", None).unwrap();
    assert_eq!(text(&zarr, "g/zarr.json").unwrap(), r#"{"zarr_format":3,"node_type":"group"}"#);
    assert_eq!(names(&zarr, ""), ["g Group"]);
}

#[test]
fn attributes_are_the_user_s_alone() {
    let array = ARRAY.replace('{', "{\"x\": 1.50 ,").replace("{\"x\": 1.50 ,\"type\"", "{\"type\"");
    let store = memory(&[
        ("attributes.json", r#"{"n5":"2.0.0","names":["α"]}"#),
        ("d/attributes.json", &array),
        ("jpeg/attributes.json", r#"{"dimensions":[4],"blockSize":[2],"dataType":"uint8","compression":{"type":"jpeg"},"y":2}"#),
        ("z/zarr.json", ZARR_GROUP),
        ("implicit/x", ""),
    ]);
    assert_eq!(get_attributes(&store, "").unwrap(), r#"{"names":["α"]}"#);
    assert_eq!(get_attributes(&store, "d").unwrap(), r#"{"x":1.50}"#);
    assert_eq!(get_attributes(&store, "jpeg").unwrap(), r#"{"y":2}"#);
    assert_eq!(get_attributes(&store, "z").unwrap(), r#"{"a":1}"#);
    assert_eq!(get_attributes(&store, "implicit").unwrap(), "{}");
    assert_eq!(get_attributes(&store, "nowhere").unwrap_err().kind(), ErrorKind::NotFound);
    let empty: Arc<dyn Store> = Arc::new(Memory::new());
    assert_eq!(get_attributes(&empty, "/").unwrap(), "{}");

    for path in ["", "d", "jpeg", "z", "implicit"] {
        set_attributes(&store, path, br#"{"new": [1e999]}"#).unwrap();
        assert_eq!(get_attributes(&store, path).unwrap(), r#"{"new":[1e999]}"#, "{path}");
    }
    assert!(text(&store, "attributes.json").unwrap().contains(r#""n5":"2.0.0""#));
    assert_eq!(open(&store, "d").unwrap().shape(), [4, 4]);
    assert_eq!(open(&store, "jpeg").err().unwrap().kind(), ErrorKind::UnsupportedCompression);
    assert_eq!(names(&store, ""), ["d Array", "implicit Group", "jpeg Unsupported", "z Group"]);
    set_attributes(&empty, "", b"{\"v\":1}").unwrap();
    assert_eq!(text(&empty, "attributes.json").unwrap(), r#"{"n5":"4.0.0","v":1}"#);

    for (path, json, kind) in [
        ("d", &b"[]"[..], ErrorKind::InvalidMetadata),
        ("d", b"{", ErrorKind::InvalidJson),
        ("d", br#"{"dimensions":[1]}"#, ErrorKind::NotRepresentable),
        ("nowhere", b"{}", ErrorKind::NotFound),
    ] {
        assert_eq!(set_attributes(&store, path, json).unwrap_err().kind(), kind);
    }
}

/// Through the view as Zarr the same arrays are there, and new ones land in attributes.json.
#[test]
fn n5_seen_as_zarr_has_the_same_nodes() {
    let inner: Arc<dyn Store> = directory(&root().join("tests/vectors/n5/java-n5"), false);
    let view: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&inner), Grid::RegularBounded, true));
    assert_eq!(names(&view, ""), names(&inner, ""));
    for (name, kind) in list(&view, "") {
        assert_eq!(kind, NodeKind::Array, "{name}");
        assert_eq!(list(&view, &name), []);
        assert!(read_all(&open(&view, &name).unwrap()).unwrap() == read_all(&open(&inner, &name).unwrap()).unwrap(), "{name}");
    }

    let memory: Arc<dyn Store> = Arc::new(Memory::new());
    let view: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&memory), Grid::Regular, true));
    let json = metadata::n5_to_zarr(ARRAY.as_bytes(), Grid::Regular).unwrap();
    let dataset = Dataset::create(Arc::clone(&view), "a/d", json.as_bytes(), CodecOptions::default()).unwrap();
    write(&dataset, &[1, 1], &[2, 2], &[1, 2, 3, 4], &threads(1)).unwrap();
    assert_eq!(names(&view, "a"), ["d Array"]);
    assert_eq!(read_all(&open(&memory, "a/d").unwrap()).unwrap(), [0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0]);
}

fn visit_all(store: &Arc<dyn Store>, path: &str, visit: &mut dyn FnMut(&str, NodeKind)) {
    for (name, kind) in list(store, path) {
        let path = zn5::store::join(path, &name);
        visit(&path, kind);
        visit_all(store, &path, visit);
    }
}

/// The document of a node is needed to know folders of blocks, not to know names.
#[test]
fn policy_48_a_document_that_cannot_be_read_hides_no_node_below() {
    let inner: Arc<dyn Store> = Arc::new(Memory::new());
    for key in ["g/attributes.json", "g/0/0", "g/c/0", "g/raw/attributes.json", "g/labels/x"] {
        inner.set(key, b"{}").unwrap();
    }
    for (kind, unreadable) in
        [(ErrorKind::Permission, "g/attributes.json"), (ErrorKind::Io, "g/zarr.json"), (ErrorKind::Io, "g/raw/attributes.json")]
    {
        let fails = move |key: &str, _: &mut Vec<u8>| if key == unreadable { Err(Error::new(kind, "locked")) } else { Ok(()) };
        let store: Arc<dyn Store> = Arc::new(Wrapped { inner: Arc::clone(&inner), get: fails });
        let names = list_names(&store, "g").unwrap();
        let listed: Vec<String> = list(&store, "g").into_iter().map(|(name, kind)| format!("{name} {kind:?}")).collect();
        if unreadable.starts_with("g/raw") {
            assert_eq!(listed, ["0 Group", "c Group", "labels Group", "raw Unsupported"]);
        } else {
            // It may be an array, whose blocks are in 0 or c.
            assert_eq!(listed, ["labels Group", "raw Group"], "{unreadable}");
            assert_eq!(open(&store, "g").err().unwrap().kind(), kind);
        }
        assert!(names.iter().map(|name| &**name).eq(listed.iter().map(|line| line.split(' ').next().unwrap())));
    }
    let fails = |key: &str, _: &mut Vec<u8>| match key {
        "g/attributes.json" => Err(Error::new(ErrorKind::Cancelled, "enough")),
        _ => Ok(()),
    };
    let store: Arc<dyn Store> = Arc::new(Wrapped { inner, get: fails });
    assert_eq!(list_names(&store, "g").unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(list_names(&store, "nowhere").unwrap_err().kind(), ErrorKind::NotFound);
}

/// The array of an .npy file, whose header is some lines of text and ends in a line break.
fn npy(bytes: &[u8]) -> &[u8] {
    let header_len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    &bytes[10 + header_len..]
}

#[test]
fn every_real_container_opens() {
    let Some(folder) = real_data() else { return };
    let store = directory(&folder, false);
    let (mut arrays, mut others) = (Vec::new(), Vec::new());
    visit_all(&store, "", &mut |path, kind| match kind {
        NodeKind::Group => {}
        NodeKind::Array => arrays.push(path.to_owned()),
        NodeKind::Unsupported => others.push(path.to_owned()),
    });
    let (mut blocks, mut problems) = (0, Vec::new());
    for path in &arrays {
        let dataset = open(&store, path).unwrap();
        let mut count = |_: &[u64], _: &str| {
            blocks += 1;
            Ok(())
        };
        dataset.stored_blocks(&mut count).unwrap();
        let mut report = |problem: zn5::dataset::Problem<'_>| {
            problems.push(problem.key.to_owned());
            true
        };
        dataset.verify(&mut report, &threads(2), None).unwrap();
        let last: Vec<u64> = dataset.shape().iter().map(|extent| extent - 1).collect();
        read(&dataset, &last, &vec![1; last.len()], &threads(1)).unwrap();
    }
    assert_eq!((arrays.len(), blocks), (59, 265));
    // The note that lies beside the blocks says where they are from.
    assert_eq!(problems, ["zarr-extensions-zstd-array/README.md"]);
    for path in &others {
        let error = open(&store, path).err().unwrap();
        assert!(error.message().contains("Zarr version 2"), "{path}: {error}");
        assert!(path.starts_with("n5-universe-metadata/metadata.zarr/"), "{path}");
    }
    assert_eq!(others.len(), 6);

    for path in ["gzip", "raw"] {
        let path = format!("zarr-implementations-astronaut/z5py.n5/{path}");
        let picture = Dataset::open(Arc::clone(&store), &path, options(Order::F)).unwrap();
        let pixels = read(&picture, &[0, 0, 0], &[3, 512, 512], &threads(4)).unwrap();
        let hash = pixels.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        assert_eq!(hash, 0xfa4e_6bff_08e5_e8fb, "the reference picture has this hash");
    }
    let expected = fs::read(folder.join("zarr-python-n5/raw.npy")).unwrap();
    for path in arrays.iter().filter(|path| path.starts_with("zarr-python-n5/")) {
        let values = read_all(&open(&store, path).unwrap()).unwrap();
        assert!(
            values
                .chunks_exact(4)
                .flat_map(|value| f32::from_ne_bytes(value.try_into().unwrap()).to_le_bytes())
                .eq(npy(&expected).iter().copied()),
            "{path}"
        );
    }
    let counted: Vec<u8> = (0..20_u16).flat_map(u16::to_ne_bytes).collect();
    for path in arrays.iter().filter(|path| path.starts_with("tensorstore-codecs/")) {
        assert_eq!(read_all(&open(&store, path).unwrap()).unwrap(), counted, "{path}");
    }
    let java = arrays.iter().filter(|path| path.starts_with("n5-java-backward/"));
    let java: Vec<Vec<u8>> = java.map(|path| read_all(&open(&store, path).unwrap()).unwrap()).collect();
    assert!(java.len() == 3 && java[0] == java[1] && java[1] == java[2] && java[0].iter().all(|&value| value <= 3) && java[0].contains(&3));
}
