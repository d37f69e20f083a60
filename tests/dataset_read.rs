//! Reading regions: every vector against naive slices, in both orders, with threads, into strided memory; what is refused, cancelled and
//! read again; policies 1, 2 and 34.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

mod dataset_support;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use dataset_support::*;
use zn5::array::Destination;
use zn5::dataset::{Dataset, IoOptions};
use zn5::error::ErrorKind;
use zn5::metadata::{self, Grid};
use zn5::model::{CodecOptions, Order};
use zn5::store::{Memory, Store};

/// Reads a region into an image with gaps and flipped axes and gives it gap-free in C order; fails if anything else was touched.
fn read_strided(dataset: &Dataset, offset: &[u64], extents: &[u64], threads_count: usize, random: &mut Random) -> Vec<u8> {
    let size = dataset.codec().element_size();
    let mut axes: Vec<usize> = (0..extents.len()).collect();
    for at in (1..axes.len()).rev() {
        axes.swap(at, random.below(at as u64 + 1) as usize);
    }
    let mut strides = vec![0_isize; extents.len()];
    let mut next = size + random.below(3) as usize;
    for axis in axes {
        strides[axis] = next as isize;
        next *= extents[axis].max(1) as usize;
        next += random.below(5) as usize;
    }
    let mut origin = random.below(9) as usize;
    for (stride, &extent) in strides.iter_mut().zip(extents) {
        if random.below(2) == 0 {
            origin += *stride as usize * extent.saturating_sub(1) as usize;
            *stride = -*stride;
        }
    }
    let reach: usize =
        strides.iter().zip(extents).map(|(stride, &extent)| stride.max(&0).unsigned_abs() * extent.saturating_sub(1) as usize).sum();
    let mut image = vec![0xA5_u8; origin + reach + size + 7];
    // SAFETY: the image is borrowed by nothing else.
    let destination = unsafe { Destination::from_raw(image.as_mut_ptr(), image.len(), origin, Some(&strides), Order::C, extents, size) };
    dataset.read(offset, destination.unwrap(), &threads(threads_count), None).unwrap();
    let mut gap_free = Vec::new();
    for position in positions(extents) {
        let at = origin as isize + position.iter().zip(&strides).map(|(&at, &stride)| at as isize * stride).sum::<isize>();
        let element = &mut image[at as usize..at as usize + size];
        gap_free.extend_from_slice(element);
        element.fill(0xA5);
    }
    assert!(image.iter().all(|&byte| byte == 0xA5), "gaps were written");
    gap_free
}

fn check_regions(id: &str, open: &dyn Fn(Order) -> Dataset, expected: &[u8], count: u64) {
    let mut random = Random::new(u64::from(id.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte))));
    let datasets = [open(Order::C), open(Order::F)];
    let (shape, size) = (datasets[0].shape().to_vec(), datasets[0].codec().element_size());
    for round in 0..count {
        let (offset, extents) = if round == 0 { (vec![0; shape.len()], shape.clone()) } else { random.region(&shape) };
        let order = random.pick(&[Order::C, Order::F]);
        let dataset = &datasets[usize::from(order == Order::F)];
        let threads_count = random.pick(&[1, 4]);
        if random.below(3) == 0 {
            let wanted = slice(expected, &shape, size, &offset, &extents, Order::C);
            assert!(
                read_strided(dataset, &offset, &extents, threads_count, &mut random) == wanted,
                "{id}: {offset:?} {extents:?}, strided"
            );
        } else {
            let wanted = slice(expected, &shape, size, &offset, &extents, order);
            let got = read(dataset, &offset, &extents, &threads(threads_count)).unwrap();
            assert!(got == wanted, "{id}: {offset:?} {extents:?} {order:?}");
        }
    }
}

#[test]
fn regions_of_every_vector_equal_slices() {
    let count = if is_long() { 1000 } else { 50 };
    let mut ranks = [0; 6];
    for (id, folder, expected) in vectors() {
        let store = directory(&folder, false);
        let open = |order| Dataset::open(Arc::clone(&store), "", options(order)).unwrap();
        check_regions(&id, &open, &expected, count);
        ranks[open(Order::C).shape().len()] += 1;
    }
    assert!(ranks[1..].iter().all(|&vectors| vectors > 0), "vectors by rank: {ranks:?}");
}

/// The same blocks under a zarr.json, in each of the three grids.
#[test]
fn zarr_json_opens_the_same_arrays() {
    for (id, folder, expected) in vectors() {
        let attributes = fs::read(folder.join("attributes.json")).unwrap();
        for grid in [Grid::Regular, Grid::RegularBounded, Grid::Rectilinear] {
            let zarr = match metadata::n5_to_zarr(&attributes, grid) {
                Err(error) if error.kind() == ErrorKind::NotRepresentable => continue,
                zarr => zarr.unwrap(),
            };
            let blocks = Dataset::open(directory(&folder, false), "", CodecOptions::default()).unwrap();
            let memory: Arc<dyn Store> = Arc::new(Memory::new());
            memory.set("a/b/zarr.json", zarr.as_bytes()).unwrap();
            blocks.stored_blocks(&mut |_, key| memory.set(&format!("a/b/{key}"), &fs::read(folder.join(key)).unwrap())).unwrap();
            let dataset = Dataset::open(memory, "/a/b/", CodecOptions::default()).unwrap();
            assert_eq!((dataset.path(), dataset.metadata()), ("a/b", &*zarr));
            assert!(read_all(&dataset).unwrap() == expected, "{id}");
        }
    }
}

fn memory(attributes: &str) -> Arc<dyn Store> {
    let memory = Memory::new();
    memory.set("d/attributes.json", attributes.as_bytes()).unwrap();
    Arc::new(memory)
}

fn attributes(dimensions: &str, block_size: &str, data_type: &str) -> String {
    format!(r#"{{"dimensions":{dimensions},"blockSize":{block_size},"dataType":"{data_type}","compression":{{"type":"raw"}}}}"#)
}

fn open(store: &Arc<dyn Store>) -> Dataset {
    Dataset::open(Arc::clone(store), "d", CodecOptions::default()).unwrap()
}

#[test]
fn policy_01_missing_blocks_read_as_the_fill_value() {
    let store = memory(&attributes("[5,4]", "[3,2]", "int16"));
    assert_eq!(read_all(&open(&store)).unwrap(), [0; 40]);
    let filled = CodecOptions { fill_value: Some(vec![7, 8]), ..CodecOptions::default() };
    let dataset = Dataset::open(Arc::clone(&store), "d", filled.clone()).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), [7, 8].repeat(20));
    // A block smaller than its chunk is padded with the same.
    store.set("d/0/0", &[0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1]).unwrap();
    let mut expected = [7, 8].repeat(20);
    expected[..2].fill(1);
    assert_eq!(read_all(&dataset).unwrap(), expected);

    let zarr = r#"{"zarr_format":3,"node_type":"array","shape":[3],"data_type":"float32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":"NaN","codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}"#;
    let memory: Arc<dyn Store> = Arc::new(Memory::new());
    memory.set("d/zarr.json", zarr.as_bytes()).unwrap();
    memory.set("d/c/1", &[0, 0, 128, 63, 9, 9, 9, 9]).unwrap();
    let expected: Vec<u8> = [f32::NAN, f32::NAN, 1.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
    assert_eq!(read_all(&open(&memory)).unwrap(), expected);
}

#[test]
fn policy_02_an_empty_block_is_an_error_unless_it_is_to_be_missing() {
    let store = memory(&attributes("[6,4]", "[3,2]", "uint8"));
    store.set("d/1/0", &[]).unwrap();
    for count in [1, 4] {
        let error = read(&open(&store), &[0, 0], &[6, 4], &threads(count)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EmptyBlock);
        assert!(error.message().starts_with("d/1/0: "), "{error}");
        let io = IoOptions { empty_as_missing: true, ..threads(count) };
        assert_eq!(read(&open(&store), &[0, 0], &[6, 4], &io).unwrap(), [0; 24]);
        // Regions that need no such block are not disturbed.
        assert_eq!(read(&open(&store), &[0, 0], &[3, 4], &threads(count)).unwrap(), [0; 12]);
    }
}

#[test]
fn of_several_bad_blocks_the_first_is_named_with_kind_and_offset() {
    let store = memory(&attributes("[64]", "[2]", "uint8"));
    for index in [3, 5, 9, 30] {
        store.set(&format!("d/{index}"), &[0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3]).unwrap();
    }
    for count in [1, 4, 32] {
        let error = read(&open(&store), &[0], &[64], &threads(count)).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::TrailingData, Some(10)));
        assert!(error.message().starts_with("d/3: "), "{error}");
    }
}

/// A block that is cut at the first look and whole at the second, as while somebody writes it.
#[test]
fn policy_34_a_block_that_changes_is_read_once_more() {
    let inner = memory(&attributes("[4]", "[4]", "uint8"));
    inner.set("d/0", &[0, 0, 0, 1, 0, 0, 0, 4, 1, 2, 3, 4]).unwrap();
    for (seen, kind) in [(0, ErrorKind::EmptyBlock), (5, ErrorKind::TruncatedBlock), (11, ErrorKind::TruncatedBlock)] {
        let looks = Arc::new(AtomicU32::new(0));
        let get = {
            let looks = Arc::clone(&looks);
            move |key: &str, value: &mut Vec<u8>| {
                if key == "d/0" && looks.fetch_add(1, Ordering::Relaxed) == 0 {
                    value.truncate(seen);
                }
                Ok(())
            }
        };
        let store: Arc<dyn Store> = Arc::new(Wrapped { inner: Arc::clone(&inner), get });
        let dataset = open(&store);
        let began = Instant::now();
        for (io, expected) in [(IoOptions::default(), [1, 2, 3, 4]), (IoOptions { empty_as_missing: true, ..threads(1) }, [1, 2, 3, 4])] {
            looks.store(0, Ordering::Relaxed);
            assert_eq!(read(&dataset, &[0], &[4], &io).unwrap(), expected);
            assert_eq!(looks.load(Ordering::Relaxed), 2);
        }
        assert!(began.elapsed().as_millis() >= 40);

        // One more look and no second: what stays cut is an error.
        let get = move |key: &str, value: &mut Vec<u8>| {
            if key == "d/0" {
                value.truncate(seen);
            }
            Ok(())
        };
        let store: Arc<dyn Store> = Arc::new(Wrapped { inner: Arc::clone(&inner), get });
        let error = read_all(&open(&store)).unwrap_err();
        assert!(error.kind() == kind && error.message().starts_with("d/0: "), "{error}");
    }
}

/// Damage that was there before, on a medium that tells so, is not looked at twice.
#[test]
fn policy_34_a_block_that_stays_as_it_is_is_read_once() {
    let folder = folder("stays");
    fs::create_dir(folder.join("d")).unwrap();
    fs::write(folder.join("d/attributes.json"), attributes("[4]", "[4]", "uint8")).unwrap();
    let block = folder.join("d/0");
    fs::write(&block, [0, 0, 0, 1, 0, 0, 0, 4, 1]).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options().write(true).open(&block).unwrap().set_modified(old).unwrap();
    let looks = Arc::new(AtomicU32::new(0));
    let get = {
        let looks = Arc::clone(&looks);
        move |key: &str, _: &mut Vec<u8>| {
            looks.fetch_add(u32::from(key == "d/0"), Ordering::Relaxed);
            Ok(())
        }
    };
    let store: Arc<dyn Store> = Arc::new(Wrapped { inner: directory(&folder, false), get });
    assert_eq!(read_all(&open(&store)).unwrap_err().kind(), ErrorKind::TruncatedBlock);
    assert_eq!(looks.load(Ordering::Relaxed), 1);
}

#[test]
fn regions_must_lie_inside_the_array() {
    let store = memory(&attributes("[5,4]", "[3,2]", "uint8"));
    let dataset = open(&store);
    for (offset, extents, named) in [
        (&[0, 0][..], &[6, 1][..], "axis 0"),
        (&[0, 4], &[1, 1], "axis 1"),
        (&[u64::MAX, 0], &[2, 1], "axis 0"),
        (&[0], &[1], "2 dimensions"),
        (&[0, 0], &[1], "2 dimensions"),
    ] {
        let error = read(&dataset, offset, extents, &threads(1)).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains(named), "{error}");
    }
    assert_eq!(read(&dataset, &[5, 4], &[0, 0], &threads(0)).unwrap(), [0_u8; 0]);
    let mut bytes = [0; 8];
    let wide = Destination::over(&mut bytes, &[2, 2], 2, Order::C).unwrap();
    assert_eq!(dataset.read(&[0, 0], wide, &threads(1), None).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn reading_reports_progress_and_stops_when_told() {
    let store = memory(&attributes("[100]", "[1]", "uint8"));
    let dataset = open(&store);
    let mut bytes = [0; 100];
    for count in [1, 4] {
        let mut last = (0, 0);
        let mut progress = |done, total| {
            last = (done, total);
            true
        };
        dataset.read(&[0], Destination::over(&mut bytes, &[100], 1, Order::C).unwrap(), &threads(count), Some(&mut progress)).unwrap();
        assert_eq!(last, (100, 100));
        let mut calls = 0;
        let mut progress = |_, _| {
            calls += 1;
            calls < 3
        };
        let destination = Destination::over(&mut bytes, &[100], 1, Order::C).unwrap();
        let result = dataset.read(&[0], destination, &threads(count), Some(&mut progress));
        // With several threads the others may have done everything before the third report.
        assert!(result.is_err_and(|error| error.kind() == ErrorKind::Cancelled) || (count > 1 && calls < 3));
    }
}

#[test]
fn the_largest_dimensions_are_read_where_they_hold_something() {
    let largest = i64::MAX.unsigned_abs();
    let store = memory(&attributes("[9223372036854775807,9223372036854775807,3]", "[64,1,2]", "uint8"));
    let dataset = open(&store);
    assert_eq!(dataset.block_grid(), [1 << 57, largest, 2]);
    let last = [(1 << 57) - 1, largest - 1, 1];
    let mut block = vec![0, 0, 0, 3, 0, 0, 0, 63, 0, 0, 0, 1, 0, 0, 0, 1];
    block.extend(1..=63);
    store.set(&dataset.block_key(&last), &block).unwrap();
    for count in [1, 4] {
        let got = read(&dataset, &[largest - 2, largest - 1, 2], &[2, 1, 1], &threads(count)).unwrap();
        assert_eq!(got, [62, 63]);
        let got = read(&dataset, &[largest - 65, largest - 2, 1], &[65, 2, 2], &threads(count)).unwrap();
        assert_eq!(got.iter().map(|&byte| u32::from(byte)).sum::<u32>(), 63 * 64 / 2);
    }
    let mut keys = Vec::new();
    dataset
        .stored_blocks(&mut |position, key| {
            keys.push((position.to_vec(), key.to_owned()));
            Ok(())
        })
        .unwrap();
    assert_eq!(keys, [(last.to_vec(), dataset.block_key(&last))]);
    let mut problems = 0;
    let mut count = |_: zn5::dataset::Problem<'_>| {
        problems += 1;
        true
    };
    dataset.verify(&mut count, &threads(2), None).unwrap();
    assert_eq!(problems, 0);
}

#[test]
fn arrays_without_dimensions_have_one_block() {
    let store = memory(&attributes("[]", "[]", "uint16"));
    let dataset = open(&store);
    assert_eq!(read_all(&dataset).unwrap(), [0, 0]);
    store.set("d/0", &[0, 0, 0, 0, 1, 2]).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), 258_u16.to_ne_bytes());
    write(&dataset, &[], &[], &515_u16.to_ne_bytes(), &threads(4)).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), 515_u16.to_ne_bytes());
    write(&dataset, &[], &[], &[0, 0], &threads(4)).unwrap();
    let mut found = 0;
    dataset
        .stored_blocks(&mut |_, _| {
            found += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(found, 0);
}
