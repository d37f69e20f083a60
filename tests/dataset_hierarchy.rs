//! What is made above an array or a group, in which language and order; and the root's version.
//!
//! What is expected is from the two specifications: Zarr's nodes need a document each, N5's need
//! none, but its root states a version.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod dataset_support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dataset_support::*;
use zn5::dataset::{Dataset, NodeKind, create_group, get_attributes, list_nodes, node_language, set_attributes};
use zn5::error::{Error, ErrorKind, Result};
use zn5::metadata::{self, Grid, Language};
use zn5::model::CodecOptions;
use zn5::store::{EntryKind, Memory, N5AsZarr, Stamp, Store};

const ARRAY: &str = r#"{"dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"raw"}}"#;
const ZARR: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}"#;
const ZARR_GROUP: &str = r#"{"zarr_format":3,"node_type":"group"}"#;
const N5_ROOT: &str = r#"{"n5":"4.0.0"}"#;

/// What stays as it was, in lists of what is expected.
const SAME: &str = "";

fn memory(values: &[(&str, &str)]) -> Arc<dyn Store> {
    let memory = Memory::new();
    for (key, value) in values {
        memory.set(key, value.as_bytes()).unwrap();
    }
    Arc::new(memory)
}

fn text(store: &dyn Store, key: &str) -> Option<String> {
    let mut value = Vec::new();
    store.get(key, 0, u64::MAX, &mut value).unwrap().then(|| String::from_utf8(value).unwrap())
}

/// Every key below a prefix, in order.
fn keys(store: &dyn Store, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut below = Vec::new();
    store
        .list(prefix, &mut |name, kind| {
            match kind {
                EntryKind::Key => found.push(format!("{prefix}{name}")),
                EntryKind::Prefix => below.push(format!("{prefix}{name}/")),
            }
            Ok(())
        })
        .unwrap();
    for prefix in &below {
        found.extend(keys(store, prefix));
    }
    found.sort();
    found
}

/// Holds everything stored against what is expected: key and value, [`SAME`] for a value as it was.
fn check(case: &str, store: &dyn Store, before: &[(&str, &str)], expected: &[(&str, &str)]) {
    let mut wanted: Vec<_> = expected.iter().map(|(key, _)| (*key).to_owned()).collect();
    wanted.sort();
    assert_eq!(keys(store, ""), wanted, "{case}");
    for (key, value) in expected {
        let value = if *value == SAME { before.iter().find(|(name, _)| name == key).unwrap().1 } else { value };
        assert_eq!(text(store, key).unwrap(), value, "{case}: {key}");
    }
}

fn create(store: &Arc<dyn Store>, path: &str, json: &str) -> Result<Dataset> {
    Dataset::create(Arc::clone(store), path, json.as_bytes(), CodecOptions::default())
}

fn names(store: &Arc<dyn Store>, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    list_nodes(store, path, &mut |name, kind| {
        found.push(format!("{name} {kind:?}"));
        Ok(())
    })
    .unwrap();
    found
}

/// One call that makes something.
#[derive(Clone, Copy, Debug)]
enum Make {
    Array(&'static str, &'static str),
    Group(&'static str, Option<Language>),
    Attributes(&'static str),
}

impl Make {
    fn run(self, store: &Arc<dyn Store>) -> Result<()> {
        match self {
            Self::Array(path, json) => create(store, path, json).map(|_| ()),
            Self::Group(path, language) => create_group(store, path, language),
            Self::Attributes(path) => set_attributes(store, path, br#"{"a":1}"#),
        }
    }
}

type Values = &'static [(&'static str, &'static str)];

const WITH_A: &str = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":1}}"#;

/// Before, the call, and after.
const CASES: &[(Values, Make, Values)] = {
    use Language::{N5, Zarr};
    use Make::{Array, Attributes, Group};
    &[
        // In nothing: an array's language is that of its document, whatever else is N5.
        (
            &[],
            Array("a/b/0", ZARR),
            &[("zarr.json", ZARR_GROUP), ("a/zarr.json", ZARR_GROUP), ("a/b/zarr.json", ZARR_GROUP), ("a/b/0/zarr.json", ZARR)],
        ),
        (&[], Array("/0/", ZARR), &[("zarr.json", ZARR_GROUP), ("0/zarr.json", ZARR)]),
        (&[], Array("", ZARR), &[("zarr.json", ZARR)]),
        (&[], Array("a/b/0", ARRAY), &[("attributes.json", N5_ROOT), ("a/b/0/attributes.json", ARRAY)]),
        (&[], Group("", None), &[("attributes.json", N5_ROOT)]),
        (&[], Group("a/b", None), &[("attributes.json", N5_ROOT), ("a/b/attributes.json", "{}")]),
        (&[], Attributes(""), &[("attributes.json", r#"{"n5":"4.0.0","a":1}"#)]),
        (&[], Group("", Some(Zarr)), &[("zarr.json", ZARR_GROUP)]),
        (&[], Group("a/b", Some(Zarr)), &[("zarr.json", ZARR_GROUP), ("a/zarr.json", ZARR_GROUP), ("a/b/zarr.json", ZARR_GROUP)]),
        (&[], Group("a/b", Some(N5)), &[("attributes.json", N5_ROOT), ("a/b/attributes.json", "{}")]),
        // Below groups of Zarr: what is missing is made, up to the nearest document and no further;
        // none is changed.
        (
            &[("zarr.json", WITH_A)],
            Array("a/b/0", ZARR),
            &[("zarr.json", SAME), ("a/zarr.json", ZARR_GROUP), ("a/b/zarr.json", ZARR_GROUP), ("a/b/0/zarr.json", ZARR)],
        ),
        (
            &[("zarr.json", WITH_A)],
            Group("a/b/c", None),
            &[("zarr.json", SAME), ("a/zarr.json", ZARR_GROUP), ("a/b/zarr.json", ZARR_GROUP), ("a/b/c/zarr.json", ZARR_GROUP)],
        ),
        (
            &[("x.zarr/zarr.json", WITH_A)],
            Array("x.zarr/a/0", ZARR),
            &[("x.zarr/zarr.json", SAME), ("x.zarr/a/zarr.json", ZARR_GROUP), ("x.zarr/a/0/zarr.json", ZARR)],
        ),
        (&[("x.zarr/zarr.json", WITH_A)], Group("x.zarr/g", None), &[("x.zarr/zarr.json", SAME), ("x.zarr/g/zarr.json", ZARR_GROUP)]),
        (
            &[("zarr.json", "{"), ("a/x", "")],
            Group("a/g", None),
            &[("zarr.json", SAME), ("a/x", SAME), ("a/zarr.json", ZARR_GROUP), ("a/g/zarr.json", ZARR_GROUP)],
        ),
        (
            &[("zarr.json", WITH_A), ("a/b/x", "")],
            Attributes("a/b"),
            &[("zarr.json", SAME), ("a/b/x", SAME), ("a/zarr.json", ZARR_GROUP), ("a/b/zarr.json", WITH_A)],
        ),
        // A container of N5 stays one, whatever lies in it.
        (&[("attributes.json", N5_ROOT)], Array("a/b/0", ZARR), &[("attributes.json", SAME), ("a/b/0/zarr.json", ZARR)]),
        (&[("a/attributes.json", "{}")], Array("a/b/0", ZARR), &[("a/attributes.json", SAME), ("a/b/0/zarr.json", ZARR)]),
        (
            &[("attributes.json", N5_ROOT), ("a/b/0/zarr.json", ZARR)],
            Attributes("a/b"),
            &[("attributes.json", SAME), ("a/b/0/zarr.json", SAME), ("a/b/attributes.json", r#"{"a":1}"#)],
        ),
        (&[("attributes.json", N5_ROOT)], Group("a/b", Some(Zarr)), &[("attributes.json", SAME), ("a/b/zarr.json", ZARR_GROUP)]),
        (
            &[("attributes.json", N5_ROOT), ("ome/zarr.json", WITH_A)],
            Array("ome/l/0", ZARR),
            &[("attributes.json", SAME), ("ome/zarr.json", SAME), ("ome/l/zarr.json", ZARR_GROUP), ("ome/l/0/zarr.json", ZARR)],
        ),
        (
            &[("attributes.json", "{\"name\":1.50}")],
            Group("g", None),
            &[("attributes.json", r#"{"n5":"4.0.0","name":1.50}"#), ("g/attributes.json", "{}")],
        ),
        // And so does one of Zarr.
        (&[("zarr.json", WITH_A)], Array("a/0", ARRAY), &[("zarr.json", SAME), ("a/0/attributes.json", ARRAY)]),
        (&[("zarr.json", WITH_A)], Group("a/b", Some(N5)), &[("zarr.json", SAME), ("a/b/attributes.json", "{}")]),
        (&[("zarr.json", ZARR)], Group("labels", None), &[("zarr.json", SAME), ("labels/zarr.json", ZARR_GROUP)]),
        // Both documents side by side: the one that counts, as for attributes.
        (
            &[("attributes.json", N5_ROOT), ("zarr.json", WITH_A)],
            Group("a/g", None),
            &[("attributes.json", SAME), ("zarr.json", SAME), ("a/zarr.json", ZARR_GROUP), ("a/g/zarr.json", ZARR_GROUP)],
        ),
        (
            &[("attributes.json", "{}"), ("zarr.json", WITH_A)],
            Array("0", ARRAY),
            &[("attributes.json", N5_ROOT), ("zarr.json", SAME), ("0/attributes.json", ARRAY)],
        ),
        (
            &[("attributes.json", ARRAY), ("zarr.json", ZARR)],
            Group("g", None),
            &[
                (
                    "attributes.json",
                    r#"{"n5":"4.0.0","dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"raw"}}"#,
                ),
                ("zarr.json", SAME),
                ("g/attributes.json", "{}"),
            ],
        ),
        // Nothing above: what lies below, or beside, tells. Programs that write no groups leave
        // such containers.
        (
            &[("a/b/0/zarr.json", ZARR), ("a/b/1/zarr.json", ZARR)],
            Attributes("a/b"),
            &[
                ("a/b/0/zarr.json", SAME),
                ("a/b/1/zarr.json", SAME),
                ("zarr.json", ZARR_GROUP),
                ("a/zarr.json", ZARR_GROUP),
                ("a/b/zarr.json", WITH_A),
            ],
        ),
        (&[("a/b/0/zarr.json", ZARR)], Attributes(""), &[("a/b/0/zarr.json", SAME), ("zarr.json", WITH_A)]),
        (
            &[("a/b/0/zarr.json", ZARR)],
            Group("c", None),
            &[("a/b/0/zarr.json", SAME), ("zarr.json", ZARR_GROUP), ("c/zarr.json", ZARR_GROUP)],
        ),
        (&[("a/0/zarr.json", ZARR)], Array("b/0", ARRAY), &[("a/0/zarr.json", SAME), ("b/0/attributes.json", ARRAY)]),
        (&[("a/0/attributes.json", ARRAY)], Array("b/0", ZARR), &[("a/0/attributes.json", SAME), ("b/0/zarr.json", ZARR)]),
        (
            &[("a/0/attributes.json", ARRAY), ("b/0/zarr.json", ZARR)],
            Group("b/g", None),
            &[("a/0/attributes.json", SAME), ("b/0/zarr.json", SAME), ("b/zarr.json", ZARR_GROUP), ("b/g/zarr.json", ZARR_GROUP)],
        ),
        (
            &[("a/0/attributes.json", ARRAY), ("b/0/zarr.json", ZARR)],
            Array("c/0", ZARR),
            &[("a/0/attributes.json", SAME), ("b/0/zarr.json", SAME), ("c/0/zarr.json", ZARR)],
        ),
        (
            &[("a/attributes.json", ARRAY), ("b/zarr.json", ZARR)],
            Attributes(""),
            &[("a/attributes.json", SAME), ("b/zarr.json", SAME), ("attributes.json", r#"{"n5":"4.0.0","a":1}"#)],
        ),
        (&[("notes/x", "")], Array("0", ZARR), &[("notes/x", SAME), ("zarr.json", ZARR_GROUP), ("0/zarr.json", ZARR)]),
        // What is there stays as it is.
        (&[("zarr.json", WITH_A), ("g/zarr.json", WITH_A)], Group("g", None), &[("zarr.json", SAME), ("g/zarr.json", SAME)]),
        (&[("g/zarr.json", WITH_A)], Group("g", Some(Zarr)), &[("g/zarr.json", SAME)]),
        (&[("g/attributes.json", "{\"n\":1}")], Group("g", Some(N5)), &[("g/attributes.json", SAME)]),
        (
            &[("g/attributes.json", "{}"), ("g/zarr.json", WITH_A)],
            Group("g", Some(N5)),
            &[("g/attributes.json", SAME), ("g/zarr.json", SAME)],
        ),
        // Zarr's version 2: nothing is put beside its documents.
        (&[(".zgroup", "{}"), ("g/.zgroup", "{}")], Group("g", None), &[(".zgroup", SAME), ("g/.zgroup", SAME)]),
        (&[(".zgroup", "{}")], Array("a/0", ZARR), &[(".zgroup", SAME), ("a/0/zarr.json", ZARR)]),
        (&[(".zgroup", "{}")], Array("a/0", ARRAY), &[(".zgroup", SAME), ("a/0/attributes.json", ARRAY)]),
        (&[(".zgroup", "{}")], Group("a/b", Some(Zarr)), &[(".zgroup", SAME), ("a/b/zarr.json", ZARR_GROUP)]),
        (
            &[(".zgroup", "{}"), ("attributes.json", N5_ROOT)],
            Group("a", None),
            &[(".zgroup", SAME), ("attributes.json", SAME), ("a/attributes.json", "{}")],
        ),
        (&[(".zarray", "{}"), ("zarr.json", WITH_A)], Attributes(""), &[(".zarray", SAME), ("zarr.json", WITH_A)]),
    ]
};

#[test]
fn policy_42_the_nearest_document_decides_in_which_language_groups_are_made() {
    for (number, &(before, make, after)) in CASES.iter().enumerate() {
        let case = format!("case {number}: {make:?} in {before:?}");
        let folder = directory(&folder(&format!("hierarchy-{number}")), true);
        for (key, value) in before {
            folder.set(key, value.as_bytes()).unwrap();
        }
        for store in [memory(before), folder] {
            make.run(&store).unwrap_or_else(|error| panic!("{case}: {error}"));
            check(&case, &*store, before, after);
            // Again: a group is left alone, attributes are the same, and an array exists.
            let again = make.run(&store).map_err(|error| error.kind());
            assert_eq!(again, if matches!(make, Make::Array(..)) { Err(ErrorKind::AlreadyExists) } else { Ok(()) }, "{case}");
            check(&case, &*store, before, after);
        }
    }
}

#[test]
fn policy_42_a_hierarchy_of_zarr_is_listed_as_one() {
    let store = memory(&[]);
    create(&store, "a/b/0", ZARR).unwrap();
    create_group(&store, "a/b", None).unwrap();
    set_attributes(&store, "a/b", br#"{"ome":{}}"#).unwrap();
    create(&store, "a/b/1", ZARR).unwrap();
    assert_eq!(text(&*store, "a/b/zarr.json").unwrap(), r#"{"zarr_format":3,"node_type":"group","attributes":{"ome":{}}}"#);
    assert_eq!(get_attributes(&store, "a/b").unwrap(), r#"{"ome":{}}"#);
    for (path, children) in [("", &["a Group"][..]), ("a", &["b Group"]), ("a/b", &["0 Array", "1 Array"])] {
        assert_eq!(names(&store, path), children);
        assert_eq!(node_language(&store, path), Ok(Language::Zarr));
    }
    // An image at the root.
    let image = memory(&[]);
    create(&image, "0", ZARR).unwrap();
    set_attributes(&image, "", br#"{"ome":{"version":"0.5"}}"#).unwrap();
    assert_eq!(keys(&*image, ""), ["0/zarr.json", "zarr.json"]);
    assert_eq!(get_attributes(&image, "").unwrap(), r#"{"ome":{"version":"0.5"}}"#);
    // Attributes of the array do not make a group of it.
    set_attributes(&image, "0", br#"{"x":1}"#).unwrap();
    assert_eq!(Dataset::open(Arc::clone(&image), "0", CodecOptions::default()).unwrap().language(), Language::Zarr);
}

#[test]
fn policy_42_what_contradicts_a_document_is_refused_and_nothing_is_stored() {
    use Language::{N5, Zarr};
    use Make::{Array, Attributes, Group};
    let (exists, unsupported) = (ErrorKind::AlreadyExists, ErrorKind::UnsupportedCodec);
    let cases: &[(Values, Make, ErrorKind, &[&str])] = &[
        (&[("g/attributes.json", "{}")], Group("g", Some(Zarr)), exists, &["g/attributes.json", "none of Zarr"]),
        (&[("g/zarr.json", WITH_A)], Group("g", Some(N5)), exists, &["g/zarr.json", "none of N5"]),
        (&[("zarr.json", WITH_A)], Group("", Some(N5)), exists, &["zarr.json", "none of N5"]),
        (&[("attributes.json", N5_ROOT)], Group("/", Some(Zarr)), exists, &["attributes.json", "none of Zarr"]),
        (&[("g/attributes.json", "{"), ("g/zarr.json", ZARR_GROUP)], Group("g", Some(Zarr)), exists, &["g/attributes.json", "no group"]),
        (&[("g/attributes.json", "{}"), ("g/zarr.json", ZARR)], Group("g", Some(N5)), exists, &["g/zarr.json", "no group"]),
        (&[("g/zarr.json", ZARR)], Group("g", None), exists, &["g/zarr.json", "no group"]),
        (&[("g/.zgroup", "{}")], Group("g", Some(Zarr)), exists, &["g/.zgroup", "none of Zarr version 3"]),
        (&[("g/.zarray", "{}")], Group("g", None), exists, &["g/.zarray", "no group"]),
        (&[("g/.zarray", "{}")], Array("g", ZARR), exists, &["g/.zarray"]),
        (&[("g/.zgroup", "{}")], Array("g", ARRAY), exists, &["g/.zgroup"]),
        (&[("attributes.json", "{}")], Array("", ZARR), exists, &["attributes.json"]),
        (&[(".zgroup", "{}")], Group("a/g", None), unsupported, &[".zgroup", "version 2", "migrate"]),
        (&[(".zgroup", "{}"), ("a/x", "")], Attributes("a"), unsupported, &[".zgroup", "version 2", "ask for"]),
        (&[("a/.zgroup", "{}")], Attributes("a"), unsupported, &["a/.zgroup", "a group of Zarr version 2", "`zarr migrate v3`"]),
        (&[("a/.zarray", "{}")], Attributes("a"), unsupported, &["a/.zarray", "an array of Zarr version 2", "`zarr migrate v3`"]),
        (&[("attributes.json", "{")], Array("a", ARRAY), ErrorKind::InvalidJson, &["attributes.json"]),
        (&[], Attributes("nowhere"), ErrorKind::NotFound, &["nowhere"]),
        (&[], Group("a/../b", Some(Zarr)), ErrorKind::InvalidArgument, &["a/../b"]),
        (&[], Array("a/b", ZARR_GROUP), ErrorKind::NotAnArray, &["group"]),
        (&[], Array("a/b", r#"{"zarr_format":3}"#), ErrorKind::InvalidMetadata, &["node_type"]),
    ];
    for (before, make, kind, parts) in cases {
        let store = memory(before);
        let error = make.run(&store).unwrap_err();
        assert_eq!(error.kind(), *kind, "{make:?} in {before:?}: {error}");
        assert!(parts.iter().all(|part| error.message().contains(part)), "{make:?} in {before:?}: {error}");
        let same: Vec<_> = before.iter().map(|(key, _)| (*key, SAME)).collect();
        check(&format!("{make:?}"), &*store, before, &same);
    }
}

/// Notes what is stored, and fails from one call on.
struct Noting {
    inner: Memory,
    stored: Mutex<Vec<String>>,
    left: AtomicUsize,
    is_writable: bool,
}

impl Noting {
    fn new(left: usize, is_writable: bool) -> Arc<Self> {
        Arc::new(Self { inner: Memory::new(), stored: Mutex::default(), left: AtomicUsize::new(left), is_writable })
    }
}

impl Store for Noting {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        self.inner.get(key, offset, max_len, value)
    }
    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
            return Err(Error::new(ErrorKind::Permission, "not yours"));
        }
        self.stored.lock().unwrap().push(key.to_owned());
        self.inner.set(key, value)
    }
    fn erase(&self, key: &str) -> Result<()> {
        panic!("{key} is erased");
    }
    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        self.inner.list(prefix, visit)
    }
    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        self.inner.stamp(key)
    }
    fn is_writable(&self) -> bool {
        self.is_writable
    }
}

#[test]
fn policy_42_documents_are_stored_from_the_root_down_and_a_failure_leaves_groups_alone() {
    let expected = ["zarr.json", "a/zarr.json", "a/b/zarr.json", "a/b/0/zarr.json"];
    for left in 0..=expected.len() {
        let noting = Noting::new(left, true);
        let store: Arc<dyn Store> = Arc::clone(&noting) as Arc<dyn Store>;
        let created = create(&store, "a/b/0", ZARR).map(|_| ()).map_err(|error| error.kind());
        assert_eq!(created, if left == expected.len() { Ok(()) } else { Err(ErrorKind::Permission) });
        assert_eq!(*noting.stored.lock().unwrap(), expected[..left]);
        // Whoever tries again gets on with the rest.
        noting.left.store(usize::MAX, Ordering::Relaxed);
        if left < expected.len() {
            create(&store, "a/b/0", ZARR).unwrap();
        }
        assert_eq!(*noting.stored.lock().unwrap(), expected);
        assert_eq!(names(&store, "a/b"), ["0 Array"]);
    }
    let noting = Noting::new(usize::MAX, true);
    let store: Arc<dyn Store> = Arc::clone(&noting) as Arc<dyn Store>;
    create(&store, "a/0", ARRAY).unwrap();
    create_group(&store, "z/g", Some(Language::Zarr)).unwrap();
    assert_eq!(*noting.stored.lock().unwrap(), ["attributes.json", "a/0/attributes.json", "z/g/zarr.json"]);
}

#[test]
fn policy_42_a_store_that_is_read_only_says_so_before_anything_is_stored() {
    for make in [
        Make::Array("a/b/0", ZARR),
        Make::Array("", ZARR),
        Make::Array("a/0", ARRAY),
        Make::Array("", ARRAY),
        Make::Group("a", None),
        Make::Group("", Some(Language::Zarr)),
        Make::Group("a/b", Some(Language::Zarr)),
        Make::Attributes(""),
    ] {
        let noting = Noting::new(usize::MAX, false);
        let store: Arc<dyn Store> = Arc::clone(&noting) as Arc<dyn Store>;
        let view: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&store), Grid::Regular, false));
        let folder = directory(&folder("hierarchy-read-only"), false);
        for store in [&store, &view, &folder] {
            assert_eq!(make.run(store).unwrap_err().kind(), ErrorKind::ReadOnly, "{make:?}");
        }
        assert_eq!(*noting.stored.lock().unwrap(), [] as [&str; 0], "{make:?}");
        assert_eq!(keys(&*folder, ""), [] as [&str; 0], "{make:?}");
    }
}

/// Through the view of N5 as Zarr the same groups are made, as attributes.json; what the view shows
/// by itself needs no document.
#[test]
fn policy_42_the_view_as_zarr_has_groups_too() {
    let json = metadata::n5_to_zarr(ARRAY.as_bytes(), Grid::Regular).unwrap();
    for (implicit, before, expected) in [
        (
            false,
            &[][..],
            &[("attributes.json", N5_ROOT), ("a/attributes.json", "{}"), ("a/b/attributes.json", "{}"), ("a/b/0/attributes.json", ARRAY)][..],
        ),
        (
            true,
            &[],
            &[("attributes.json", N5_ROOT), ("a/attributes.json", "{}"), ("a/b/attributes.json", "{}"), ("a/b/0/attributes.json", ARRAY)],
        ),
        (true, &[("a/b/x", "")], &[("a/b/x", SAME), ("attributes.json", N5_ROOT), ("a/b/0/attributes.json", ARRAY)]),
        (
            true,
            &[("attributes.json", r#"{"n5":"2.5.0"}"#), ("a/x", "")],
            &[("attributes.json", SAME), ("a/x", SAME), ("a/b/attributes.json", "{}"), ("a/b/0/attributes.json", ARRAY)],
        ),
        (
            false,
            &[("attributes.json", r#"{"n5":"2.5.0","x":1}"#), ("a/attributes.json", r#"{"y":1}"#)],
            &[("attributes.json", SAME), ("a/attributes.json", SAME), ("a/b/attributes.json", "{}"), ("a/b/0/attributes.json", ARRAY)],
        ),
    ] {
        let inner = memory(before);
        let view: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&inner), Grid::Regular, implicit));
        let case = format!("implicit: {implicit}, before: {before:?}");
        create(&view, "a/b/0", &json).unwrap_or_else(|error| panic!("{case}: {error}"));
        check(&case, &*inner, before, expected);
        assert_eq!(names(&view, "a/b"), ["0 Array"], "{case}");
        assert!(get_attributes(&view, "a").is_ok(), "{case}");
        set_attributes(&view, "a/b", br#"{"a":1}"#).unwrap();
        assert_eq!(get_attributes(&inner, "a/b").unwrap(), r#"{"a":1}"#, "{case}");
        create_group(&view, "c/d", Some(Language::Zarr)).unwrap();
        assert_eq!(text(&*inner, "c/d/attributes.json").unwrap(), "{}", "{case}");
        assert_eq!(node_language(&view, "c/d"), Ok(Language::Zarr));
        assert_eq!(node_language(&inner, "c/d"), Ok(Language::N5));
        assert!(keys(&*inner, "").iter().all(|key| !key.ends_with("zarr.json")), "{case}");
    }
}

#[test]
fn policy_42_many_folders_without_documents_are_not_all_looked_at() {
    let store = memory(&[]);
    for number in 0..2000 {
        store.set(&format!("{number:04}/x"), b"").unwrap();
    }
    store.set("1999/zarr.json", ZARR.as_bytes()).unwrap();
    let gets = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&gets);
    let counting: Arc<dyn Store> = Arc::new(Wrapped {
        inner: Arc::clone(&store),
        get: move |_: &str, _: &mut Vec<u8>| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        },
    });
    assert_eq!(node_language(&counting, "").unwrap(), Language::N5);
    let gets = gets.load(Ordering::Relaxed);
    assert!(gets < 1000, "{gets} values were asked for");
    // One that is near enough counts, in whatever order the store lists.
    store.set("0050/zarr.json", ZARR.as_bytes()).unwrap();
    assert_eq!(node_language(&store, "").unwrap(), Language::Zarr);
}

#[test]
fn policy_42_the_language_of_a_node_is_told() {
    let store = memory(&[
        ("n5/attributes.json", "{}"),
        ("n5/folder/x", ""),
        ("n5/array/attributes.json", ARRAY),
        ("zarr/zarr.json", WITH_A),
        ("zarr/folder/x", ""),
        ("zarr/array/zarr.json", ZARR),
        ("zarr/broken/zarr.json", "{"),
        ("both/group/attributes.json", "{}"),
        ("both/group/zarr.json", WITH_A),
        ("both/array/attributes.json", ARRAY),
        ("both/array/zarr.json", ZARR),
        ("mixed/attributes.json", "{}"),
        ("mixed/zarr.json", ZARR),
        ("plain/x", ""),
    ]);
    for (path, language) in [
        ("n5", Language::N5),
        ("n5/folder", Language::N5),
        ("/n5/array/", Language::N5),
        ("zarr", Language::Zarr),
        ("zarr/folder", Language::Zarr),
        ("zarr/array", Language::Zarr),
        ("zarr/broken", Language::Zarr),
        ("both/group", Language::Zarr),
        ("both/array", Language::N5),
        ("both", Language::N5),
        ("mixed", Language::Zarr),
        ("plain", Language::N5),
        ("", Language::N5),
    ] {
        assert_eq!(node_language(&store, path), Ok(language), "{path}");
        if let Ok(dataset) = Dataset::open(Arc::clone(&store), path, CodecOptions::default()) {
            assert_eq!(dataset.language(), language, "{path}");
        }
    }
    for (path, kind) in [("nowhere", ErrorKind::NotFound), ("a//b", ErrorKind::InvalidArgument)] {
        assert_eq!(node_language(&store, path).unwrap_err().kind(), kind, "{path}");
    }
}

/// A folder of Zarr's version 2 is named for what it is; any document of N5 or of version 3 beside
/// it counts.
#[test]
fn documents_of_zarr_version_2_are_named_and_never_taken_for_damage() {
    let v2 = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}"#;
    let store = memory(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        (".zattrs", r#"{"multiscales":[]}"#),
        ("array/.zarray", v2),
        ("array/.zattrs", "{}"),
        ("array/0", "ab"),
        ("nested/.zarray", v2),
        ("nested/0/0", "ab"),
        ("group/.zgroup", r#"{"zarr_format":2}"#),
        ("group/below/.zarray", v2),
        ("broken/.zarray", "{"),
        ("n5/.zarray", v2),
        ("n5/attributes.json", ARRAY),
        ("v3/.zarray", v2),
        ("v3/zarr.json", ZARR),
        ("n5group/.zgroup", "{}"),
        ("n5group/attributes.json", r#"{"a":1}"#),
    ]);
    assert_eq!(
        names(&store, ""),
        ["array Unsupported", "broken Unsupported", "group Group", "n5 Array", "n5group Group", "nested Unsupported", "v3 Array"]
    );
    assert_eq!(names(&store, "group"), ["below Unsupported"]);
    assert_eq!(names(&store, "nested"), [] as [&str; 0]);
    let open = |path: &str| Dataset::open(Arc::clone(&store), path, CodecOptions::default());
    for path in ["array", "nested", "broken", "group/below"] {
        let message =
            format!("{path}/.zarray: an array of Zarr version 2, which zn5 does not read; `zarr migrate v3` of zarr-python converts it");
        for error in [open(path).err().unwrap(), get_attributes(&store, path).unwrap_err(), node_language(&store, path).unwrap_err()] {
            assert_eq!((error.kind(), error.message()), (ErrorKind::UnsupportedCodec, &*message));
        }
    }
    for path in ["", "group"] {
        let error = open(path).err().unwrap();
        assert!(error.kind() == ErrorKind::NotAnArray && error.message().contains("group of Zarr version 2"), "{error}");
        assert_eq!(get_attributes(&store, path).unwrap_err().kind(), ErrorKind::UnsupportedCodec);
    }
    assert_eq!((open("n5").unwrap().language(), open("v3").unwrap().language()), (Language::N5, Language::Zarr));
    assert_eq!(get_attributes(&store, "n5group").unwrap(), r#"{"a":1}"#);
    let mut kinds = Vec::new();
    list_nodes(&store, "", &mut |_, kind| {
        kinds.push(kind);
        Ok(())
    })
    .unwrap();
    assert_eq!(kinds.iter().filter(|kind| **kind == NodeKind::Unsupported).count(), 3);
}

#[test]
fn policy_43_an_array_at_the_root_states_the_version_of_n5() {
    let rest = r#""dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"raw"}"#;
    for (given, stored) in [
        (format!("{{{rest}}}"), format!(r#"{{"n5":"4.0.0",{rest}}}"#)),
        (format!(r#"{{{rest},"n5":"2.5.0","note": "mine"}}"#), format!(r#"{{{rest},"n5":"2.5.0","note": "mine"}}"#)),
        (format!(r#"{{ "u": 1.50 , {rest} }}"#), format!(r#"{{"n5":"4.0.0","u":1.50,{rest}}}"#)),
        (format!(r#"{{"n5":null,{rest}}}"#), format!(r#"{{"n5":"4.0.0",{rest}}}"#)),
        (format!(r#"{{"\u006e5":"3",{rest}}}"#), format!(r#"{{"\u006e5":"3",{rest}}}"#)),
        (ZARR.to_owned(), ZARR.to_owned()),
    ] {
        for path in ["", "/"] {
            let store = memory(&[]);
            let dataset = create(&store, path, &given).unwrap();
            assert_eq!(dataset.metadata(), stored);
            let key = if given == ZARR { "zarr.json" } else { "attributes.json" };
            check(&given, &*store, &[], &[(key, &*stored)]);
            set_attributes(&store, "", br#"{"x":1}"#).unwrap();
            let opened = Dataset::open(Arc::clone(&store), "", CodecOptions::default()).unwrap();
            assert_eq!((opened.shape(), get_attributes(&store, "").unwrap()), (&[4, 4][..], r#"{"x":1}"#.to_owned()));
            if key == "attributes.json" {
                assert_eq!(metadata::n5_version(opened.metadata().as_bytes()), metadata::n5_version(stored.as_bytes()));
            }
        }
    }
    // Elsewhere an array has none, and the root gets it.
    let store = memory(&[]);
    assert_eq!(create(&store, "0", ARRAY).unwrap().metadata(), ARRAY);
    check("below the root", &*store, &[], &[("attributes.json", N5_ROOT), ("0/attributes.json", ARRAY)]);
}

#[test]
fn policy_43_the_view_as_zarr_states_the_version_at_the_root_alone() {
    let group = |attributes: &str| format!(r#"{{"zarr_format":3,"node_type":"group","attributes":{attributes}}}"#);
    let array = metadata::n5_to_zarr(ARRAY.as_bytes(), Grid::Regular).unwrap();
    for (json, stored, elsewhere) in [
        (ZARR_GROUP.to_owned(), N5_ROOT.to_owned(), "{}".to_owned()),
        (group(r#"{"a":1.50}"#), r#"{"n5":"4.0.0","a":1.50}"#.to_owned(), r#"{"a":1.50}"#.to_owned()),
        (group(r#"{"_n5":{"n5":"2.5.0"}}"#), r#"{"n5":"2.5.0"}"#.to_owned(), r#"{"n5":"2.5.0"}"#.to_owned()),
        (array, ARRAY.replacen('{', r#"{"n5":"4.0.0","#, 1), ARRAY.to_owned()),
    ] {
        let inner = memory(&[]);
        let view = N5AsZarr::new(Arc::clone(&inner), Grid::Regular, true);
        view.set("zarr.json", json.as_bytes()).unwrap();
        view.set("a/zarr.json", json.as_bytes()).unwrap();
        check(&json, &*inner, &[], &[("attributes.json", &*stored), ("a/attributes.json", &*elsewhere)]);
    }
}
