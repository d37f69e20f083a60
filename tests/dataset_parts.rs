//! Parts of raw blocks in files: regions equal slices whatever the block looks like, no other bytes of the file are read, and what is wrong
//! with a block is found as if it were read whole.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

mod dataset_support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dataset_support::*;
use zn5::dataset::{Dataset, IoOptions, Problem};
use zn5::error::ErrorKind;
use zn5::metadata::Grid;
use zn5::model::{CodecOptions, Order};
use zn5::store::{N5AsZarr, Store};

fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..len).map(|_| random.below(256) as u8).collect()
}

fn raw(dimensions: &[u64], block_size: &[u64], data_type: &str) -> String {
    format!(r#"{{"dimensions":{dimensions:?},"blockSize":{block_size:?},"dataType":"{data_type}","compression":{{"type":"raw"}}}}"#)
}

/// Bytes that this thread has read from the system, and those that this very look adds.
fn bytes_read() -> (u64, u64) {
    let io = fs::read_to_string("/proc/thread-self/io").unwrap();
    (io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap(), io.len() as u64)
}

/// The least of several tries: the C library reads a setting of the system, a byte long, when it first gives memory back.
fn read_cost(mut work: impl FnMut()) -> u64 {
    let mut cost = || {
        let (before, look) = bytes_read();
        work();
        bytes_read().0 - before - look
    };
    (0..3).map(|_| cost()).min().unwrap()
}

#[test]
fn regions_equal_slices() {
    let count = if is_long() { 3000 } else { 300 };
    let cases: [(&[u64], &[u64], &str, usize); 5] = [
        (&[100, 70, 50], &[64, 64, 32], "uint8", 1),
        (&[90, 33, 40], &[90, 17, 16], "uint16", 2),
        (&[40, 300], &[33, 200], "float64", 8),
        (&[60_000], &[25_000], "int32", 4),
        (&[3, 40, 2, 50, 30], &[3, 40, 2, 25, 30], "uint8", 1),
    ];
    let mut random = Random::new(5);
    for (number, (shape, block_size, data_type, size)) in cases.into_iter().enumerate() {
        let folder = folder(&format!("parts-{number}"));
        let store = directory(&folder, true);
        let array = noise(bytes_of(shape, size), number as u64);
        let written =
            Dataset::create(Arc::clone(&store), "d", raw(shape, block_size, data_type).as_bytes(), CodecOptions::default()).unwrap();
        let io = IoOptions { pad_edges: number % 2 == 0, ..threads(2) };
        write(&written, &vec![0; shape.len()], shape, &array, &io).unwrap();
        let datasets = [Order::C, Order::F].map(|order| Dataset::open(Arc::clone(&store), "d", options(order)).unwrap());
        for _ in 0..count {
            let (offset, mut extents) = random.region(shape);
            // Planes and rows, which need the least.
            for extent in &mut extents {
                if random.below(3) == 0 {
                    *extent = (*extent).min(1);
                }
            }
            for dataset in &datasets {
                let got = read(dataset, &offset, &extents, &threads(random.pick(&[1, 3]))).unwrap();
                let wanted = slice(&array, shape, size, &offset, &extents, dataset.codec().order());
                assert!(got == wanted, "{shape:?} {data_type}: {offset:?} {extents:?}");
            }
        }
    }
}

/// Extents in the header that are not those of the chunk count as they do in a block that is read whole.
#[test]
fn blocks_of_any_extents_are_cropped_and_padded() {
    let folder = folder("parts-extents");
    let store = directory(&folder, true);
    store.set("attributes.json", raw(&[300, 300], &[300, 300], "uint8").as_bytes()).unwrap();
    let options = CodecOptions { fill_value: Some(vec![9]), ..CodecOptions::default() };
    let dataset = Dataset::open(Arc::clone(&store), "", options).unwrap();
    for (width, height) in [(300_u64, 300_u64), (200, 300), (300, 200), (1000, 40), (40, 1000), (400, 400)] {
        let content = noise((width * height) as usize, width);
        let header = [&[0, 0, 0, 2][..], &(width as u32).to_be_bytes(), &(height as u32).to_be_bytes()].concat();
        store.set("0/0", &[&header[..], &content].concat()).unwrap();
        for (offset, extents) in
            [([0, 150], [300, 1]), ([150, 0], [1, 300]), ([250, 250], [50, 50]), ([0, 0], [300, 39]), ([299, 299], [1, 1])]
        {
            let wanted: Vec<u8> = positions(&extents)
                .iter()
                .map(|at| (at[0] + offset[0], at[1] + offset[1]))
                .map(|(x, y)| if x < width && y < height { content[(y * width + x) as usize] } else { 9 })
                .collect();
            assert!(read(&dataset, &offset, &extents, &threads(1)).unwrap() == wanted, "{width} x {height}: {offset:?} {extents:?}");
        }
    }
}

#[test]
fn a_plain_chain_without_compressor_is_read_in_parts_too() {
    let folder = folder("parts-zarr");
    let store = directory(&folder, true);
    let zarr = r#"{"zarr_format":3,"node_type":"array","shape":[200,300],"data_type":"uint16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[200,300]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"big"}}]}"#;
    let array = noise(bytes_of(&[200, 300], 2), 3);
    let dataset = Dataset::create(Arc::clone(&store), "d", zarr.as_bytes(), CodecOptions::default()).unwrap();
    write(&dataset, &[0, 0], &[200, 300], &array, &threads(1)).unwrap();
    for (offset, extents) in [([77, 0], [1, 300]), ([0, 11], [200, 2]), ([199, 299], [1, 1])] {
        let wanted = slice(&array, &[200, 300], 2, &offset, &extents, Order::C);
        assert!(read(&dataset, &offset, &extents, &threads(1)).unwrap() == wanted);
    }
    assert_eq!(read_cost(|| drop(read(&dataset, &[77, 0], &[1, 300], &threads(1)).unwrap())), 600);
}

#[test]
fn only_the_bytes_of_the_region_are_read() {
    let folder = folder("parts-bytes");
    let store = directory(&folder, true);
    let array = noise(64 * 64 * 64, 1);
    let dataset = Dataset::create(store, "d", raw(&[64, 64, 64], &[64, 64, 64], "uint8").as_bytes(), CodecOptions::default()).unwrap();
    write(&dataset, &[0, 0, 0], &[64, 64, 64], &array, &threads(1)).unwrap();
    let cost = |offset: [u64; 3], extents: [u64; 3]| {
        read_cost(|| {
            let wanted = slice(&array, &[64, 64, 64], 1, &offset, &extents, Order::C);
            assert!(read(&dataset, &offset, &extents, &threads(1)).unwrap() == wanted);
        })
    };
    let header = 16;
    // Across the last axis, along which the file runs slowest.
    assert_eq!(cost([0, 0, 40], [64, 64, 1]), header + 4096);
    assert_eq!(cost([0, 0, 40], [64, 64, 3]), header + 3 * 4096);
    assert_eq!(cost([5, 6, 7], [1, 1, 1]), header + 1);
    assert_eq!(cost([0, 6, 7], [64, 2, 1]), header + 128);
    // A part of the middle axis: what lies between is less than another call would cost.
    assert_eq!(cost([0, 8, 0], [64, 8, 64]), header + 63 * 4096 + 512);
    assert_eq!(cost([0, 0, 0], [64, 64, 64]), header + 64 * 4096);

    // Zarr's view of the same container reads as little.
    let view = Arc::new(N5AsZarr::new(directory(&folder, false), Grid::Regular, true));
    let viewed = Dataset::open(view, "d", CodecOptions::default()).unwrap();
    let mut row = Vec::new();
    assert_eq!(read_cost(|| row = read(&viewed, &[0, 6, 7], &[64, 1, 1], &threads(1)).unwrap()), header + 64);
    assert!(row == slice(&array, &[64, 64, 64], 1, &[0, 6, 7], &[64, 1, 1], Order::C));

    // Runs that lie far apart: 64 KiB each way.
    let far =
        Dataset::create(directory(&folder, true), "far", raw(&[256, 256, 8], &[256, 256, 8], "uint8").as_bytes(), CodecOptions::default());
    let (far, array) = (far.unwrap(), noise(256 * 256 * 8, 2));
    write(&far, &[0, 0, 0], &[256, 256, 8], &array, &threads(1)).unwrap();
    let cost = read_cost(|| {
        let wanted = slice(&array, &[256, 256, 8], 1, &[3, 9, 1], &[200, 1, 6], Order::C);
        assert!(read(&far, &[3, 9, 1], &[200, 1, 6], &threads(1)).unwrap() == wanted);
    });
    assert_eq!(cost, header + 6 * 200);
}

/// Each fault of a block gives the same error, byte offset included, for a region as for the whole.
#[test]
fn policy_33_a_part_finds_what_the_whole_finds_in_header_and_length() {
    let folder = folder("parts-damage");
    let store = directory(&folder, true);
    store.set("attributes.json", raw(&[200, 200], &[200, 200], "uint8").as_bytes()).unwrap();
    let strict = CodecOptions { strict: true, ..CodecOptions::default() };
    let datasets = [CodecOptions::default(), strict].map(|options| Dataset::open(Arc::clone(&store), "", options).unwrap());
    let header = |width: u32, height: u32| [&[0, 0, 0, 2][..], &width.to_be_bytes(), &height.to_be_bytes()].concat();
    let content = noise(200 * 200, 1);
    let block = [&header(200, 200)[..], &content].concat();
    let with = |at: usize, bytes: &[u8]| {
        let mut block = block.clone();
        block[at..at + bytes.len()].copy_from_slice(bytes);
        block
    };
    let cases = [
        (block[..block.len() - 1].to_vec(), ErrorKind::TruncatedBlock),
        (block[..20_000].to_vec(), ErrorKind::TruncatedBlock),
        (block[..11].to_vec(), ErrorKind::TruncatedBlock),
        (Vec::new(), ErrorKind::EmptyBlock),
        ([&block[..], &[0]].concat(), ErrorKind::TrailingData),
        (with(0, &[0, 1]), ErrorKind::UnsupportedBlockMode),
        (with(0, &[9, 9]), ErrorKind::UnsupportedBlockMode),
        (with(2, &[0, 3]), ErrorKind::DimensionMismatch),
        (with(4, &[0xff; 8]), ErrorKind::TruncatedBlock),
        (with(4, &[0; 4]), ErrorKind::PayloadSizeMismatch),
        (with(4, &100_u32.to_be_bytes()), ErrorKind::TrailingData),
    ];
    let io = IoOptions { empty_as_missing: false, ..threads(1) };
    for dataset in &datasets {
        for (bytes, kind) in &cases {
            store.set("0/0", bytes).unwrap();
            let whole = read(dataset, &[0, 0], &[200, 200], &io).unwrap_err();
            let part = read(dataset, &[0, 150], &[200, 1], &io).unwrap_err();
            assert_eq!((part.kind(), part.offset(), part.message()), (*kind, whole.offset(), whole.message()));
        }
    }
    store.set("0/0", &[&header(400, 100)[..], &content].concat()).unwrap();
    assert_eq!(read(&datasets[1], &[0, 50], &[200, 1], &io).unwrap_err().kind(), ErrorKind::InvalidBlockShape);
    assert_eq!(read(&datasets[0], &[0, 50], &[200, 1], &io).unwrap(), content[50 * 400..50 * 400 + 200]);
}

fn sparse_file(path: &Path, len: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().set_len(len).unwrap();
}

#[test]
fn policy_36_files_that_are_too_long_are_not_read() {
    const TEBIBYTE: u64 = 1 << 40;
    let folder = folder("too-long");
    let store = directory(&folder, true);
    for compression in ["raw", "gzip", "zstd", "blosc", "lz4", "xz", "bzip2"] {
        let json = raw(&[20, 20], &[10, 10], "uint8").replace("raw", compression);
        let dataset = Dataset::create(Arc::clone(&store), compression, json.as_bytes(), CodecOptions::default()).unwrap();
        write(&dataset, &[0, 0], &[10, 10], &noise(100, 1), &threads(1)).unwrap();
        sparse_file(&folder.join(compression).join("1/1"), TEBIBYTE);
        let check = |error: &zn5::error::Error| {
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert!(
                error.message().starts_with(&format!("{compression}/1/1: ")) && error.message().contains("max_decoded_bytes"),
                "{error}"
            );
        };
        check(&read_all(&dataset).unwrap_err());
        check(&read(&dataset, &[12, 0], &[1, 20], &threads(2)).unwrap_err());
        check(&write(&dataset, &[15, 15], &[1, 1], &[1], &threads(1)).unwrap_err());
        let mut found = Vec::new();
        let problem = &mut |problem: Problem<'_>| {
            found.push((problem.key.to_owned(), problem.kind));
            true
        };
        dataset.verify(problem, &threads(1), None).unwrap();
        assert_eq!(found, [(format!("{compression}/1/1"), ErrorKind::LimitExceeded)]);
        assert_eq!(read(&dataset, &[0, 0], &[10, 10], &threads(1)).unwrap(), noise(100, 1));

        // A limit of the caller's own moves the bound.
        let options = CodecOptions { max_decoded_bytes: Some(100), ..CodecOptions::default() };
        let dataset = Dataset::open(Arc::clone(&store), compression, options).unwrap();
        sparse_file(&folder.join(compression).join("1/1"), 80 << 10);
        check(&read(&dataset, &[12, 0], &[1, 20], &threads(1)).unwrap_err());
    }
    for name in ["attributes.json", "zarr.json"] {
        sparse_file(&folder.join("document").join(name), TEBIBYTE);
        let error = Dataset::open(Arc::clone(&store), "document", CodecOptions::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.message().starts_with(&format!("document/{name}: ")), "{error}");
        if name == "attributes.json" {
            let view = N5AsZarr::new(directory(&folder, false), Grid::Regular, true);
            let error = view.get("document/zarr.json", 0, u64::MAX, &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert!(error.message().contains("document/attributes.json"), "{error}");
        }
        fs::remove_file(folder.join("document").join(name)).unwrap();
    }
}
