//! What is stored decides what a call costs: which blocks are found by listing, what is in them,
//! how often the store is asked.
//!
//! Expected positions and elements come from the definition: a set of blocks, and a value for each
//! element of them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod dataset_support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dataset_support::*;
use zn5::array::Destination;
use zn5::dataset::{Cells, Dataset, IoOptions, Region};
use zn5::error::{Error, ErrorKind, Result};
use zn5::model::{CodecOptions, Order};
use zn5::store::{EntryKind, Memory, Stamp, Store};

/// A store in memory that counts what it is asked.
#[derive(Default)]
struct Counting {
    inner: Memory,
    gets: AtomicU64,
    lists: AtomicU64,
    names: AtomicU64,
    /// Listings fail.
    is_mute: bool,
    /// The end of a key that is listed, and gone when it is asked for.
    gone: Option<&'static str>,
}

impl Counting {
    fn reset(&self) {
        for count in [&self.gets, &self.lists, &self.names] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Values asked for, listings, names in these.
    fn counts(&self) -> (u64, u64, u64) {
        (self.gets.load(Ordering::Relaxed), self.lists.load(Ordering::Relaxed), self.names.load(Ordering::Relaxed))
    }
}

impl Store for Counting {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        self.gets.fetch_add(1, Ordering::Relaxed);
        value.clear();
        if self.gone.is_some_and(|gone| key.ends_with(gone)) {
            return Ok(false);
        }
        self.inner.get(key, offset, max_len, value)
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        self.inner.set(key, value)
    }

    fn erase(&self, key: &str) -> Result<()> {
        self.inner.erase(key)
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        if self.is_mute {
            return Err(Error::new(ErrorKind::Permission, "this store lists nothing"));
        }
        self.inner.list(prefix, &mut |name, kind| {
            self.names.fetch_add(1, Ordering::Relaxed);
            visit(name, kind)
        })
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        self.inner.stamp(key)
    }

    fn is_writable(&self) -> bool {
        true
    }
}

/// How blocks are named.
const DIALECTS: [&str; 5] = [
    "n5",
    r#"{"name":"v2","configuration":{"separator":"/"}}"#,
    r#"{"name":"v2","configuration":{"separator":"."}}"#,
    r#"{"name":"default","configuration":{"separator":"/"}}"#,
    r#"{"name":"default","configuration":{"separator":"."}}"#,
];

fn document(dialect: &str, shape: &[u64], block: &[u64], data_type: &str, fill: &str) -> String {
    if dialect == "n5" {
        return format!(r#"{{"dimensions":{shape:?},"blockSize":{block:?},"dataType":"{data_type}","compression":{{"type":"raw"}}}}"#);
    }
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"{data_type}","fill_value":{fill},"chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{block:?}}}}},"chunk_key_encoding":{dialect},"codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}}]}}"#
    )
}

fn create(store: &Arc<Counting>, path: &str, json: &str) -> Dataset {
    let store: Arc<dyn Store> = Arc::<Counting>::clone(store);
    Dataset::create(store, path, json.as_bytes(), CodecOptions::default()).unwrap()
}

/// The value of an element, never the fill value of a test.
fn value(position: &[u64]) -> u8 {
    position.iter().fold(11_u64, |sum, at| (sum * 31 + at % 1000) % 199) as u8 + 10
}

/// Stores the block at `position`, whole inside the array.
fn store_block(dataset: &Dataset, position: &[u64]) {
    let chunk = dataset.codec().settings().chunk_shape.clone();
    let offset: Vec<u64> = position.iter().zip(&chunk).map(|(at, chunk)| at * chunk).collect();
    let extents: Vec<u64> = offset.iter().zip(&chunk).zip(dataset.shape()).map(|((at, chunk), all)| (all - at).min(*chunk)).collect();
    let bytes: Vec<u8> = positions(&extents).iter().map(|at| value(&sum(at, &offset))).collect();
    write(dataset, &offset, &extents, &bytes, &threads(1)).unwrap();
}

fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn found(dataset: &Dataset, offset: &[u64], extents: &[u64]) -> Vec<Vec<u64>> {
    dataset.stored(offset, extents).unwrap().map(|position| position.unwrap().to_vec()).collect()
}

fn by_listing(threads: usize) -> IoOptions {
    IoOptions { threads, by_listing: true, ..IoOptions::default() }
}

/// Reads what is stored of a region over an array of `fill`, and checks that no element comes
/// twice.
fn gathered(dataset: &Dataset, offset: &[u64], extents: &[u64], fill: u8, count: usize) -> Vec<u8> {
    let mut elements = vec![fill; bytes_of(extents, 1)];
    let mut times = vec![0_u8; elements.len()];
    let region = Region::new(offset, extents).unwrap();
    let mut last: Option<Vec<u64>> = None;
    dataset
        .read_stored((&region, Order::C), &threads(count), None, &mut |part| {
            let begin = part.region.offset.to_vec();
            assert!(last.as_ref().is_none_or(|last| *last < begin), "ascending");
            last = Some(begin);
            assert_eq!(part.elements.len(), bytes_of(&part.region.extents, 1));
            for (at, byte) in positions(&part.region.extents).iter().zip(part.elements) {
                let at: Vec<u64> = sum(at, &part.region.offset).iter().zip(offset).map(|(at, offset)| at - offset).collect();
                let place = place(&at, extents, 1, Order::C);
                elements[place] = *byte;
                times[place] += 1;
            }
            Ok(())
        })
        .unwrap();
    assert!(times.iter().all(|times| *times < 2));
    elements
}

#[test]
fn policy_46_what_is_stored_is_found_in_every_rank_dialect_and_region() {
    let mut random = Random::new(46);
    let mut large = 0;
    for round in 0..160 {
        let dialect = DIALECTS[round % 5];
        let ndim = round / 5 % 6;
        let most = [1, 300, 40, 14, 7, 5][ndim];
        let shape: Vec<u64> = (0..ndim).map(|_| 1 + random.below(most)).collect();
        let block: Vec<u64> = (0..ndim).map(|_| 1 + random.below(3)).collect();
        let fill = if dialect == "n5" { 0 } else { random.pick(&[0, 7, 255]) };
        let store = Arc::new(Counting::default());
        let path = random.pick(&["", "a", "a/b"]);
        let dataset = create(&store, path, &document(dialect, &shape, &block, "uint8", &fill.to_string()));
        let of_four = random.below(5);
        let grid = dataset.block_grid();
        let stored: BTreeSet<Vec<u64>> = positions(&grid).into_iter().filter(|_| random.below(4) < of_four).collect();
        for position in &stored {
            store_block(&dataset, position);
        }
        // What is none of the array's blocks, and what looks like one.
        let outside: Vec<u64> = grid.iter().map(|count| count + 1).collect();
        if ndim > 0 {
            store.set(&dataset.block_key(&outside), b"outside").unwrap();
        }
        for name in [".DS_Store", "00", "c.x", "01/0", "0/0/0/0/0/0/0/0", "9/.nfs1", "zz/1"] {
            // Some of these are folders or blocks of the array.
            let key = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            let is_block = positions(&grid).iter().any(|position| dataset.block_key(position).starts_with(&key));
            let is_above = positions(&grid).iter().any(|position| key.starts_with(&dataset.block_key(position)));
            if !is_block && !is_above {
                store.set(&key, b"litter").unwrap();
            }
        }
        let whole: Vec<u8> =
            positions(&shape)
                .iter()
                .map(|at| {
                    if stored.contains(&at.iter().zip(&block).map(|(at, block)| at / block).collect::<Vec<_>>()) { value(at) } else { fill }
                })
                .collect();
        for attempt in 0..8 {
            let (offset, extents) = if attempt == 0 { (vec![0; ndim], shape.clone()) } else { random.region(&shape) };
            let reached: Vec<Vec<u64>> = stored
                .iter()
                .filter(|position| {
                    (0..ndim).all(|axis| {
                        let begin = position[axis] * block[axis];
                        begin < offset[axis] + extents[axis] && begin + block[axis] > offset[axis]
                    }) && !extents.contains(&0)
                })
                .cloned()
                .collect();
            let what = format!("{dialect} {shape:?} in {block:?} from {offset:?} {extents:?}, {reached:?}");
            let listed = found(&dataset, &offset, &extents);
            // Where an axis reaches one position only, nothing is listed along it.
            let surely: Vec<Vec<u64>> = listed.iter().filter(|position| stored.contains(*position)).cloned().collect();
            assert_eq!(surely, reached, "{what}");
            assert!(listed.is_sorted(), "{what}");
            let expected = slice(&whole, &shape, 1, &offset, &extents, Order::C);
            assert_eq!(gathered(&dataset, &offset, &extents, fill, 1 + attempt % 3), expected, "{what}");
            for io in [threads(1), by_listing(1), by_listing(3)] {
                assert_eq!(read(&dataset, &offset, &extents, &io).unwrap(), expected, "{what}");
            }
            large += u64::from(extents.iter().zip(&block).map(|(extent, block)| extent.div_ceil(*block)).product::<u64>() >= 64);
        }
    }
    assert!(large > 40, "{large} regions of many blocks");
}

#[test]
fn policy_46_the_store_is_asked_for_what_is_stored_and_not_for_the_grid() {
    let shapes: [(&[u64], &[u64], &[u64]); 6] = [
        (&[2048, 2048, 2048], &[64, 64, 64], &[5, 6, 7]),
        (&[u64::MAX], &[1000], &[18_446_744_073_709_551]),
        (&[(1 << 53) + 1], &[1000], &[9_007_199_254_740]),
        (&[u64::MAX, u64::MAX, u64::MAX], &[1, 1, 1], &[u64::MAX - 1, 0, 1 << 40]),
        (&[1 << 33, 5, 1 << 20, 3], &[16, 5, 2, 1], &[1 << 20, 0, 77, 2]),
        (&[100, 100, 100, 100, 100], &[3, 3, 3, 3, 3], &[33, 0, 5, 7, 33]),
    ];
    for (shape, block, position) in shapes {
        for dialect in DIALECTS {
            let store = Arc::new(Counting::default());
            let dataset = create(&store, "a", &document(dialect, shape, block, "uint8", "0"));
            store_block(&dataset, position);
            store.reset();
            let zeros = vec![0; shape.len()];
            let levels = shape.len() as u64 + 1;
            let mut parts = 0;
            let mut reports = Vec::new();
            let region = Region::new(&zeros, shape).unwrap();
            let progress: &mut dyn FnMut(u64, u64) -> bool = &mut |done, total| {
                reports.push((done, total));
                true
            };
            dataset
                .read_stored((&region, Order::F), &threads(2), Some(progress), &mut |part| {
                    parts += 1;
                    assert!(part.elements.iter().all(|&byte| byte >= 10));
                    Ok(())
                })
                .unwrap();
            assert_eq!((parts, reports.last()), (1, Some(&(1, 1))), "{dialect} {shape:?}");
            let (gets, lists, names) = store.counts();
            assert!(gets == 1 && lists <= levels && names <= 2 * levels, "{dialect} {shape:?}: {:?}", store.counts());

            store.reset();
            let step: Vec<u64> = block.iter().map(|block| block * 2).collect();
            let datasets = [&dataset];
            let mut cells = Cells::new(&datasets, &region, &step, &mut || true).unwrap();
            let (cell, touches) = cells.next(&mut || true).unwrap().unwrap();
            assert_eq!((touches, cells.total()), (1, 1));
            assert!(cells.next(&mut || true).unwrap().is_none());
            for (axis, at) in position.iter().enumerate() {
                assert_eq!(cell.offset[axis], at / 2 * step[axis]);
            }
            let (gets, lists, _) = store.counts();
            assert!(gets == 0 && lists <= levels, "{dialect} {shape:?}: {:?}", store.counts());
        }
    }
}

#[test]
fn policy_46_missing_blocks_of_a_region_are_not_asked_for_where_the_listing_decides() {
    for dialect in DIALECTS {
        let store = Arc::new(Counting::default());
        let dataset = create(&store, "a", &document(dialect, &[40, 40, 40], &[1, 1, 1], "uint8", "0"));
        let stored: [&[u64]; 3] = [&[0, 0, 0], &[3, 39, 17], &[39, 39, 39]];
        for position in stored {
            store_block(&dataset, position);
        }
        let mut expected = vec![0; 64_000];
        for position in stored {
            expected[place(position, &[40, 40, 40], 1, Order::C)] = value(position);
        }
        for count in [1, 4] {
            store.reset();
            assert_eq!(read(&dataset, &[0, 0, 0], &[40, 40, 40], &by_listing(count)).unwrap(), expected);
            let (gets, lists, _) = store.counts();
            assert!(gets == 3 && lists <= 14, "{dialect}: {:?}", store.counts());
        }
        // Without a word of the caller's, each block is asked for once, and nothing is listed.
        store.reset();
        assert_eq!(read(&dataset, &[0, 0, 0], &[40, 40, 40], &threads(2)).unwrap(), expected);
        assert_eq!(store.counts(), (64_000, 0, 0), "{dialect}");
        store.reset();
        assert_eq!(read(&dataset, &[3, 39, 16], &[1, 1, 3], &by_listing(1)).unwrap(), [0, value(stored[1]), 0]);
        assert_eq!(store.counts(), (3, 0, 0), "{dialect}");
    }
}

#[test]
fn policy_46_a_small_region_lists_no_large_folder() {
    for dialect in [DIALECTS[0], DIALECTS[2], DIALECTS[4]] {
        let store = Arc::new(Counting::default());
        let (shape, grid) = if dialect == "n5" { (vec![20_000], 1) } else { (vec![200, 100], 2) };
        let dataset = create(&store, "", &document(dialect, &shape, &vec![1; grid], "uint8", "0"));
        for position in positions(&shape) {
            store.set(&dataset.block_key(&position), if grid == 1 { &[0, 0, 0, 1, 0, 0, 0, 1, 9] } else { &[9] }).unwrap();
        }
        let (offset, extents) = if grid == 1 { (vec![15_000], vec![8]) } else { (vec![170, 20], vec![2, 4]) };
        store.reset();
        let expected: Vec<Vec<u64>> = positions(&extents).iter().map(|at| sum(at, &offset)).collect();
        assert_eq!(found(&dataset, &offset, &extents), expected, "{dialect}");
        let (_, lists, names) = store.counts();
        assert!(lists == 1 && names < 1100, "{dialect}: {names} names of 20000");
        // Of as many blocks as there are names all are listed.
        store.reset();
        assert_eq!(found(&dataset, &vec![0; grid], &shape).len(), 20_000);
        assert!(store.counts().1 == 1 && store.counts().2 >= 20_000);
    }
}

#[test]
fn policy_46_a_store_that_cannot_list_is_asked_block_by_block() {
    let store = Arc::new(Counting { is_mute: true, ..Counting::default() });
    let dataset = create(&store, "a", &document("n5", &[30, 30], &[3, 3], "uint8", "0"));
    store_block(&dataset, &[4, 7]);
    let mut expected = vec![0; 900];
    for at in positions(&[3, 3]) {
        let at = sum(&at, &[12, 21]);
        expected[place(&at, &[30, 30], 1, Order::C)] = value(&at);
    }
    assert_eq!(gathered(&dataset, &[0, 0], &[30, 30], 0, 2), expected);
    assert_eq!(read(&dataset, &[0, 0], &[30, 30], &by_listing(2)).unwrap(), expected);
    // More than anybody can ask for.
    let endless = create(&store, "b", &document("n5", &[1 << 60], &[1], "uint8", "0"));
    let error = endless.stored(&[0], &[1 << 60]).err().unwrap();
    assert!(error.kind() == ErrorKind::Permission && error.message().contains("lists nothing"), "{error}");
    assert!(dataset.stored(&[0, 0], &[31, 1]).is_err_and(|error| error.kind() == ErrorKind::InvalidArgument));
}

#[test]
fn policy_46_a_block_that_vanishes_after_it_was_listed_is_missing() {
    let store = Arc::new(Counting { gone: Some("2/1"), ..Counting::default() });
    let dataset = create(&store, "a", &document("n5", &[40, 40], &[2, 2], "uint8", "0"));
    store_block(&dataset, &[2, 1]);
    store_block(&dataset, &[2, 2]);
    let mut expected = vec![0; 1600];
    for at in positions(&[2, 2]) {
        let at = sum(&at, &[4, 4]);
        expected[place(&at, &[40, 40], 1, Order::C)] = value(&at);
    }
    assert_eq!(found(&dataset, &[0, 0], &[40, 40]).len(), 2);
    assert_eq!(gathered(&dataset, &[0, 0], &[40, 40], 0, 2), expected);
    assert_eq!(read(&dataset, &[0, 0], &[40, 40], &by_listing(2)).unwrap(), expected);
}

#[test]
fn reading_what_is_stored_reports_cancels_and_fails_as_reading_does() {
    let store = Arc::new(Counting::default());
    let dataset = create(&store, "a", &document("n5", &[100, 1000], &[2, 2], "uint8", "0"));
    let stored: Vec<[u64; 2]> = (0..37).map(|number: u64| [number, number * 13]).collect();
    for position in &stored {
        store_block(&dataset, position);
    }
    let region = Region::new(&[0, 0], &[100, 1000]).unwrap();
    for count in [1, 3] {
        let mut reports = Vec::new();
        let progress: &mut dyn FnMut(u64, u64) -> bool = &mut |done, total| {
            reports.push((done, total));
            true
        };
        let mut seen = 0;
        let mut visit = |_: zn5::dataset::Part<'_>| {
            seen += 1;
            Ok(())
        };
        dataset.read_stored((&region, Order::C), &threads(count), Some(progress), &mut visit).unwrap();
        assert_eq!(seen, 37);
        assert_eq!((reports.first(), reports.last()), (Some(&(0, 37)), Some(&(37, 37))));
        let cancel: &mut dyn FnMut(u64, u64) -> bool = &mut |done, _| done < 5;
        let cancelled = dataset.read_stored((&region, Order::C), &threads(count), Some(cancel), &mut |_| Ok(()));
        assert_eq!(cancelled.unwrap_err().kind(), ErrorKind::Cancelled);
        let refused = dataset.read_stored((&region, Order::C), &threads(count), None, &mut |_| {
            Err(Error::new(ErrorKind::NotRepresentable, "the visitor's own"))
        });
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotRepresentable);
    }
    store.set("a/30/390", b"").unwrap();
    store.set("a/7/91", &[0, 0, 0, 2]).unwrap();
    for count in [1, 4] {
        let error = dataset.read_stored((&region, Order::C), &threads(count), None, &mut |_| Ok(())).unwrap_err();
        assert!(error.message().starts_with("a/7/91: ") && error.kind() == ErrorKind::TruncatedBlock, "{error}");
        let mut bytes = vec![0; 100_000];
        let destination = Destination::over(&mut bytes, &[100, 1000], 1, Order::C).unwrap();
        let error = dataset.read(&[0, 0], destination, &by_listing(count), None).unwrap_err();
        assert!(error.message().starts_with("a/7/91: "), "{error}");
    }
}

#[test]
fn boxes_are_read_and_written_as_regions_are() {
    let mut random = Random::new(9);
    let store = Arc::new(Counting::default());
    let json = document("n5", &[31, 17], &[4, 4], "uint16", "0");
    let (from, to) = (create(&store, "a", &json), create(&store, "b", &json));
    let whole: Vec<u8> = (0..31 * 17 * 2).map(|_| random.below(256) as u8).collect();
    write(&from, &[0, 0], &[31, 17], &whole, &threads(1)).unwrap();
    // Columns of blocks: no block lies in two.
    let boxes: Vec<Region> = (0..5).map(|column| Region::new(&[0, column * 4], &[31, 4.min(17 - column * 4)]).unwrap()).collect();
    let expected: Vec<u8> =
        boxes.iter().flat_map(|region| slice(&whole, &[31, 17], 2, &region.offset, &region.extents, Order::C)).collect();
    for count in [1, 2, 9] {
        let mut bytes = vec![0; whole.len()];
        let mut reports = Vec::new();
        let progress: &mut dyn FnMut(u64, u64) -> bool = &mut |done, total| {
            assert!(done <= total);
            reports.push(done);
            true
        };
        from.read_boxes((&boxes, Order::C), &mut bytes, &threads(count), Some(progress)).unwrap();
        assert_eq!(bytes, expected);
        assert!(reports.is_sorted());
        to.write_boxes((&boxes, Order::C), &bytes, &threads(count), None).unwrap();
        assert_eq!(read_all(&to).unwrap(), whole);
        let stop: &mut dyn FnMut(u64, u64) -> bool = &mut |done, _| done < 2;
        let cancelled = from.read_boxes((&boxes, Order::C), &mut bytes, &threads(count), Some(stop));
        assert_eq!(cancelled.unwrap_err().kind(), ErrorKind::Cancelled);
    }
    let mut short = vec![0; whole.len() - 1];
    let error = from.read_boxes((&boxes, Order::C), &mut short, &threads(1), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(to.write_boxes((&boxes, Order::C), &short, &threads(1), None).unwrap_err().kind(), ErrorKind::InvalidArgument);
}
