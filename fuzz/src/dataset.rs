//! Whole datasets over a store in memory whose documents and blocks come from a stranger: opening, reading, verifying, writing.
//!
//! Input: which document (some are fixed, for then the blocks are the input), where blocks lie and what they hold, and a region.

use std::sync::Arc;

use arbitrary::Unstructured;
use zn5::array::{Destination, Source};
use zn5::dataset::{Dataset, IoOptions, create_group, get_attributes, list_nodes, set_attributes};
use zn5::error::{Error, ErrorKind};
use zn5::metadata::{Grid, Language};
use zn5::model::{Chain, CodecOptions, Order};
use zn5::store::{Memory, N5AsZarr, Store};

use super::capi::engine;
use super::model;

const MAX_COUNT: u64 = 2048;

/// The most bytes of a block.
const MAX_BYTES: u64 = 1 << 20;

const DOCUMENTS: [(&str, &str); 8] = [
    ("attributes.json", r#"{"dimensions":[7,5],"blockSize":[3,2],"dataType":"uint16","compression":{"type":"raw"}}"#),
    (
        "attributes.json",
        r#"{"dimensions":[7,5],"blockSize":[3,2],"dataType":"int32","compression":{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}}"#,
    ),
    ("attributes.json", r#"{"dimensions":[9],"blockSize":[4],"dataType":"uint8","compression":{"type":"gzip","level":1}}"#),
    ("attributes.json", r#"{"dimensions":[4,3,5],"blockSize":[2,3,2],"dataType":"float64","compression":{"type":"lz4","blockSize":64}}"#),
    ("attributes.json", r#"{"dimensions":[],"blockSize":[],"dataType":"uint64","compression":{"type":"zstd","level":1}}"#),
    (
        "zarr.json",
        r#"{"zarr_format":3,"node_type":"array","shape":[7,5],"data_type":"uint16","chunk_grid":{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[3,2]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},"fill_value":7,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}"#,
    ),
    (
        "zarr.json",
        r#"{"zarr_format":3,"node_type":"array","shape":[3,5],"data_type":{"name":"fixed_length_utf32","configuration":{"length_bytes":8}},"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},"fill_value":"ab","codecs":[{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":1}}]}"#,
    ),
    (
        "zarr.json",
        r#"{"zarr_format":3,"node_type":"array","shape":[7,5],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3,2]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes"},{"name":"gzip","configuration":{"level":1}}]}}]}"#,
    ),
];

/// Fills a store and uses it.
pub fn run(data: &[u8]) {
    let _ = attempt(Unstructured::new(data));
}

/// An offset in an input may lie in any value of the store.
const ANY: usize = usize::MAX;

fn attempt(mut u: Unstructured) -> arbitrary::Result<()> {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let blocks_alone: Arc<dyn Store> = Arc::new(Memory::new());
    let choice: u8 = u.arbitrary()?;
    let (name, document) = if let Some((name, document)) = DOCUMENTS.get(usize::from(choice % 10)) {
        (*name, document.as_bytes())
    } else {
        let len = usize::from(u.arbitrary::<u16>()?).min(u.len());
        (if choice % 10 == 8 { "attributes.json" } else { "zarr.json" }, u.bytes(len)?)
    };
    store.set(&format!("a/{name}"), document).expect("memory");
    let options = CodecOptions {
        order: if choice & 128 == 0 { Order::C } else { Order::F },
        max_decoded_bytes: Some(MAX_BYTES),
        ..CodecOptions::default()
    };
    let flags: u8 = u.arbitrary()?;
    for _ in 0..u.int_in_range(0..=6_u8)? {
        let position: [u8; 3] = u.arbitrary()?;
        let len = usize::from(u.arbitrary::<u8>()?).min(u.len());
        let bytes = u.bytes(len)?;
        let rank = usize::from(position[2] >> 4 & 3);
        let parts: Vec<_> = position[..rank].iter().map(|index| (index % 5).to_string()).collect();
        let key = format!("a/{}", if parts.is_empty() { "0".to_owned() } else { parts.join("/") });
        store.set(&key, bytes).expect("memory");
        blocks_alone.set(&key, bytes).expect("memory");
    }
    nodes(&store, &mut u)?;

    let Ok(dataset) = engine(ANY, Dataset::open(Arc::clone(&store), "a", options)) else { return Ok(()) };
    let (mut offset, mut extent) = (vec![], vec![]);
    for &whole in dataset.shape() {
        let from = u.int_in_range(0..=whole.min(9))?;
        offset.push(from);
        extent.push(u.int_in_range(0..=(whole - from).min(20))?);
    }
    if model::count(&extent) > MAX_COUNT || dataset.codec().element_size() > 64 {
        return Ok(());
    }
    let io = IoOptions {
        empty_as_missing: flags & 1 != 0,
        write_fill: flags & 2 != 0,
        pad_edges: flags & 4 != 0,
        threads: 1,
        ..IoOptions::default()
    };
    as_zarr(&dataset, &store, blocks_alone, &offset, &extent, &io, flags);
    region(&dataset, &store, &offset, &extent, &io, flags, u.take_rest());
    Ok(())
}

/// Lists and changes what lies around the array.
fn nodes(store: &Arc<dyn Store>, u: &mut Unstructured) -> arbitrary::Result<()> {
    let _ = engine(
        ANY,
        list_nodes(store, "", &mut |name, _| {
            assert_eq!(name, "a");
            Ok(())
        }),
    );
    let _ = engine(ANY, list_nodes(store, "a", &mut |_, _| Err(Error::new(ErrorKind::Cancelled, "enough"))));
    if let Ok(attributes) = engine(ANY, get_attributes(store, "a")) {
        assert!(attributes.starts_with('{'));
        if u.arbitrary::<bool>()? && engine(ANY, set_attributes(store, "a", br#"{"x":[1.50]}"#)).is_ok() {
            assert_eq!(get_attributes(store, "a").as_deref(), Ok(r#"{"x":[1.50]}"#));
        }
    }
    let _ = engine(ANY, create_group(store, "b", None));
    Ok(())
}

fn read(dataset: &Dataset, offset: &[u64], extent: &[u64], io: &IoOptions) -> Result<Vec<u8>, String> {
    let size = dataset.codec().element_size();
    let mut array = vec![0xaa; usize::try_from(model::count(extent)).unwrap() * size];
    let destination = Destination::over(&mut array, extent, size, dataset.codec().order()).unwrap();
    engine(ANY, dataset.read(offset, destination, io, None))?;
    Ok(array)
}

/// The document that the view of the container as Zarr shows describes the same array, in `alone` beside the same blocks.
fn as_zarr(dataset: &Dataset, store: &Arc<dyn Store>, alone: Arc<dyn Store>, offset: &[u64], extent: &[u64], io: &IoOptions, flags: u8) {
    if dataset.language() != Language::N5 {
        return;
    }
    let shown = N5AsZarr::new(Arc::clone(store), Grid::Regular, flags & 16 != 0);
    let mut document = vec![];
    // What Zarr cannot say is refused.
    if engine(ANY, shown.get("a/zarr.json", 0, u64::MAX, &mut document)) != Ok(true) {
        return;
    }
    alone.set("a/zarr.json", &document).expect("memory");
    let options = CodecOptions { order: dataset.codec().order(), max_decoded_bytes: Some(MAX_BYTES), ..CodecOptions::default() };
    let shown = Dataset::open(alone, "a", options).expect("zn5 made its document");
    assert_eq!((shown.language(), shown.shape()), (Language::Zarr, dataset.shape()));
    assert_eq!(read(&shown, offset, extent, io), read(dataset, offset, extent, io));
}

fn region(dataset: &Dataset, store: &Arc<dyn Store>, offset: &[u64], extent: &[u64], io: &IoOptions, flags: u8, rest: &[u8]) {
    let size = dataset.codec().element_size();
    let order = dataset.codec().order();
    let len = usize::try_from(model::count(extent)).unwrap() * size;
    let array = read(dataset, offset, extent, io);
    if flags & 8 != 0 {
        let threads = IoOptions { threads: 3, ..*io };
        assert_eq!(read(dataset, offset, extent, &threads), array, "the result depends on the number of threads");
    }
    let listed = IoOptions { by_listing: true, ..*io };
    assert_eq!(read(dataset, offset, extent, &listed), array, "the result depends on whether the store is listed");
    let mut bad = 0_u32;
    let verified = dataset.verify(
        &mut |problem| {
            assert!(!problem.message.is_empty() && problem.message.contains(problem.key), "{problem:?}");
            bad += 1;
            true
        },
        io,
        None,
    );
    engine(ANY, verified).expect("a store in memory can be listed");
    if let Ok(array) = &array {
        blocks(dataset, store, offset, extent, array);
    }

    // What is written is read.
    let mut new = vec![0; len];
    for (slot, &byte) in new.iter_mut().zip(rest) {
        *slot = byte;
    }
    let source = Source::contiguous(&new, extent, size, order).unwrap();
    match engine(ANY, dataset.write(offset, &source, io, None)) {
        Ok(()) => assert!(read(dataset, offset, extent, io).expect("zn5 wrote it") == new, "another array is read than was written"),
        Err(message) => {
            let chunk_len = model::count(&dataset.codec().settings().chunk_shape).saturating_mul(size as u64);
            assert!(bad > 0 || array.is_err() || chunk_len > MAX_BYTES, "{message}");
        }
    }
}

/// What is known of one block.
enum Block {
    Missing,
    /// It is damaged in a part that the region did not touch.
    Damaged,
    Decoded(Vec<u8>),
}

/// Each element that was read is that of its block decoded alone, or the fill value.
fn blocks(dataset: &Dataset, store: &Arc<dyn Store>, offset: &[u64], extent: &[u64], array: &[u8]) {
    let codec = dataset.codec();
    let (size, f_order) = (codec.element_size(), codec.order() == Order::F);
    let chunk = &codec.settings().chunk_shape;
    if model::count(chunk) > MAX_COUNT {
        return;
    }
    let is_plain = matches!(codec.settings().chain, Chain::Plain { .. });
    let is_cut = !is_plain || dataset.metadata().contains("regular_bounded");
    if is_plain && dataset.metadata().contains("rectilinear") {
        return;
    }
    let mut last: Option<(Vec<u64>, Block)> = None;
    for index in model::indices(extent) {
        let of_array: Vec<u64> = index.iter().zip(offset).map(|(index, offset)| index + offset).collect();
        let position: Vec<u64> = of_array.iter().zip(chunk).map(|(index, chunk)| index / chunk).collect();
        // The chunk, or its part in the array.
        let axes = dataset.shape().iter().zip(chunk).zip(&position);
        let shape: Vec<u64> = axes.map(|((&whole, &chunk), &at)| if is_cut { (whole - at * chunk).min(chunk) } else { chunk }).collect();
        let block = match last {
            Some((of, block)) if of == position => block,
            _ => decode(dataset, store, &position, &shape),
        };
        let of_chunk: Vec<u64> = of_array.iter().zip(chunk).map(|(index, chunk)| index % chunk).collect();
        let expected = match &block {
            Block::Decoded(decoded) => Some(model::element(decoded, &of_chunk, &shape, f_order, size)),
            Block::Missing => Some(&codec.settings().fill_value[..]),
            Block::Damaged => None,
        };
        let found = model::element(array, &index, extent, f_order, size);
        assert!(expected.is_none_or(|expected| expected == found), "element {of_array:?} is {found:?}, not {expected:?}");
        last = Some((position, block));
    }
}

/// One block, decoded alone.
fn decode(dataset: &Dataset, store: &Arc<dyn Store>, position: &[u64], shape: &[u64]) -> Block {
    let codec = dataset.codec();
    let size = codec.element_size();
    let mut block = vec![];
    let is_there = store.get(&dataset.block_key(position), 0, u64::MAX, &mut block).expect("memory");
    // An empty one was taken for missing, for the region was read.
    if !is_there || block.is_empty() {
        return Block::Missing;
    }
    let mut array = vec![0xaa; usize::try_from(model::count(shape)).unwrap() * size];
    let destination = Destination::over(&mut array, shape, size, codec.order()).unwrap();
    match engine(block.len(), codec.decode(&block, shape, &vec![0; shape.len()], destination, true)) {
        Ok(()) => Block::Decoded(array),
        Err(_) => Block::Damaged,
    }
}
