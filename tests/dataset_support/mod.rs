//! What the tests of datasets share: random numbers, arrays as plain bytes, the vectors, stores with a will of their own.
//!
//! Every array here is in C order and native byte order unless a name says otherwise.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zn5::array::{Destination, Source};
use zn5::dataset::{Dataset, IoOptions};
use zn5::error::Result;
use zn5::model::{CodecOptions, Order};
use zn5::store::{Directory, EntryKind, Options, Stamp, Store};

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// A region of an array of `shape`, seldom an empty one.
    pub fn region(&mut self, shape: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let offset: Vec<u64> = shape.iter().map(|&extent| self.below(extent.max(1))).collect();
        let least = u64::from(self.below(20) != 0);
        let extents = shape
            .iter()
            .zip(&offset)
            .map(|(&whole, &offset)| (least + self.below(whole - offset + 1 - least.min(whole - offset))).min(whole - offset));
        let extents = extents.collect();
        (offset, extents)
    }
}

pub fn is_long() -> bool {
    std::env::var("ZN5_TEST_LONG").is_ok_and(|value| value == "1")
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dataset").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn directory(path: &Path, write: bool) -> Arc<dyn Store> {
    Arc::new(Directory::open(path, Options { write, create: false }).unwrap())
}

pub fn options(order: Order) -> CodecOptions {
    CodecOptions { order, ..CodecOptions::default() }
}

pub fn threads(threads: usize) -> IoOptions {
    IoOptions { threads, ..IoOptions::default() }
}

pub fn bytes_of(shape: &[u64], size: usize) -> usize {
    shape.iter().product::<u64>() as usize * size
}

/// All positions of a box, last axis fastest.
pub fn positions(extents: &[u64]) -> Vec<Vec<u64>> {
    extents.iter().fold(vec![vec![]], |tuples, &extent| {
        tuples.iter().flat_map(|tuple| (0..extent).map(|index| [&tuple[..], &[index]].concat())).collect()
    })
}

/// Where the element at `position` begins in a gap-free array.
pub fn place(position: &[u64], shape: &[u64], size: usize, order: Order) -> usize {
    let step = |number: usize, (&index, &extent): (&u64, &u64)| number * extent as usize + index as usize;
    let axes = position.iter().zip(shape);
    size * match order {
        Order::C => axes.fold(0, step),
        Order::F => axes.rev().fold(0, step),
    }
}

/// The region of an array, itself in `order`.
pub fn slice(array: &[u8], shape: &[u64], size: usize, offset: &[u64], extents: &[u64], order: Order) -> Vec<u8> {
    let mut out = vec![0; bytes_of(extents, size)];
    for position in positions(extents) {
        let source: Vec<u64> = position.iter().zip(offset).map(|(at, offset)| at + offset).collect();
        let (from, to) = (place(&source, shape, size, Order::C), place(&position, extents, size, order));
        out[to..to + size].copy_from_slice(&array[from..from + size]);
    }
    out
}

/// Puts `part`, in `order`, into the region of an array.
pub fn put(array: &mut [u8], shape: &[u64], size: usize, offset: &[u64], extents: &[u64], part: &[u8], order: Order) {
    for position in positions(extents) {
        let target: Vec<u64> = position.iter().zip(offset).map(|(at, offset)| at + offset).collect();
        let (from, to) = (place(&position, extents, size, order), place(&target, shape, size, Order::C));
        array[to..to + size].copy_from_slice(&part[from..from + size]);
    }
}

/// Reads a region into a gap-free array in the dataset's order.
pub fn read(dataset: &Dataset, offset: &[u64], extents: &[u64], io: &IoOptions) -> Result<Vec<u8>> {
    let (size, order) = (dataset.codec().element_size(), dataset.codec().order());
    let mut bytes = vec![0xA5; bytes_of(extents, size)];
    dataset.read(offset, Destination::over(&mut bytes, extents, size, order)?, io, None)?;
    Ok(bytes)
}

pub fn read_all(dataset: &Dataset) -> Result<Vec<u8>> {
    read(dataset, &vec![0; dataset.shape().len()], dataset.shape(), &threads(1))
}

/// Writes a gap-free array in the dataset's order.
pub fn write(dataset: &Dataset, offset: &[u64], extents: &[u64], bytes: &[u8], io: &IoOptions) -> Result<()> {
    let (size, order) = (dataset.codec().element_size(), dataset.codec().order());
    dataset.write(offset, &Source::contiguous(bytes, extents, size, order)?, io, None)
}

/// How an array is described and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    N5,
    N5InZarr,
    Plain,
    PlainBounded,
}

/// The document of an array of this type; a fill value only where the kind has one.
pub fn document(kind: Kind, shape: &[u64], block: &[u64], data_type: &str, fill: &str) -> String {
    if matches!(kind, Kind::N5) {
        return format!(
            r#"{{"dimensions":{shape:?},"blockSize":{block:?},"dataType":"{data_type}","compression":{{"type":"gzip","level":1,"useZlib":false}}}}"#
        );
    }
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    let (grid, keys, codecs) = match kind {
        Kind::PlainBounded => ("zarrs.regular_bounded", r#""default""#, r#"{"name":"bytes","configuration":{"endian":"big"}}"#.to_owned()),
        Kind::Plain => (
            "regular",
            r#"{"name":"v2","configuration":{"separator":"."}}"#,
            r#"{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":1,"checksum":false}}"#
                .to_owned(),
        ),
        _ => (
            "regular",
            r#"{"name":"v2","configuration":{"separator":"/"}}"#,
            format!(
                r#"{{"name":"n5_default","configuration":{{"codecs":[{{"name":"transpose","configuration":{{"order":{order:?}}}}},{{"name":"bytes","configuration":{{"endian":"big"}}}}]}}}}"#
            ),
        ),
    };
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"{data_type}","chunk_grid":{{"name":"{grid}","configuration":{{"chunk_shape":{block:?}}}}},"chunk_key_encoding":{keys},"fill_value":{fill},"codecs":[{codecs}]}}"#
    )
}

/// The vectors that must decode: id, folder, expected array in native byte order.
pub fn vectors() -> Vec<(String, PathBuf, Vec<u8>)> {
    let vectors = root().join("tests/vectors");
    let manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(vectors.join("manifest.json")).unwrap()).unwrap();
    let datasets = manifest["datasets"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let mut found = Vec::new();
    for dataset in datasets.iter().filter(|dataset| dataset["expect"] == "decode") {
        let mut expected = fs::read(vectors.join(text(&dataset["expected"]["path"]))).unwrap();
        if cfg!(target_endian = "big") {
            let size = dataset["item_size"].as_u64().unwrap() as usize;
            expected.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        found.push((text(&dataset["id"]), vectors.join(text(&dataset["path"])), expected));
    }
    assert!(found.len() >= 80, "{}", found.len());
    found
}

/// A store that does something of its own with each value read or stored, and otherwise what another store does.
pub struct Wrapped<F> {
    pub inner: Arc<dyn Store>,
    pub get: F,
}

impl<F: Fn(&str, &mut Vec<u8>) -> Result<()> + Send + Sync> Store for Wrapped<F> {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        let found = self.inner.get(key, offset, max_len, value)?;
        (self.get)(key, value)?;
        Ok(found)
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        self.inner.set(key, value)
    }

    fn erase(&self, key: &str) -> Result<()> {
        self.inner.erase(key)
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        self.inner.list(prefix, visit)
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        self.inner.stamp(key)
    }

    fn is_writable(&self) -> bool {
        self.inner.is_writable()
    }
}

/// A store of which some prefixes cannot be listed to the end, and otherwise what another store does.
pub struct Unlistable<F> {
    pub inner: Arc<dyn Store>,
    /// How many names of a prefix come before which error; `None` where all come.
    pub fails: F,
}

impl<F: Fn(&str) -> Option<(usize, zn5::error::Error)> + Send + Sync> Store for Unlistable<F> {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        self.inner.get(key, offset, max_len, value)
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        self.inner.set(key, value)
    }

    fn erase(&self, key: &str) -> Result<()> {
        self.inner.erase(key)
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        let Some((count, error)) = (self.fails)(prefix) else { return self.inner.list(prefix, visit) };
        let mut names = Vec::new();
        self.inner.list(prefix, &mut |name, kind| {
            names.push((name.to_owned(), kind));
            Ok(())
        })?;
        names.sort_by(|(a, _), (b, _)| a.cmp(b));
        names.into_iter().take(count).try_for_each(|(name, kind)| visit(&name, kind))?;
        Err(error)
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        self.inner.stamp(key)
    }

    fn is_writable(&self) -> bool {
        self.inner.is_writable()
    }
}
