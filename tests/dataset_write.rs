//! Writing regions: random writes against a model that knows only the array, odd blocks that are there before, what is stored and what is
//! not, several writers; policy 31.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

mod dataset_support;

use std::process::Command;
use std::sync::Arc;

use dataset_support::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use zn5::array::Source;
use zn5::dataset::{Dataset, IoOptions};
use zn5::error::ErrorKind;
use zn5::model::{CodecOptions, Order};
use zn5::store::{Memory, Store};

#[derive(Clone, Debug)]
struct Step {
    seed: u64,
    order: Order,
    io: IoOptions,
    /// What is written: noise, or the fill value, or one of both for each element.
    content: u8,
    /// Whether the caller reads missing blocks as something else, which must not be stored.
    other_fill: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step =
        (any::<u64>(), select(vec![Order::C, Order::F]), (select(vec![1_usize, 3]), any::<bool>(), any::<bool>()), 0..3_u8, any::<bool>());
    let step = step.prop_map(|(seed, order, (threads, write_fill, pad_edges), content, other_fill)| Step {
        seed,
        order,
        io: IoOptions { threads, write_fill, pad_edges, ..IoOptions::default() },
        content,
        other_fill,
    });
    vec(step, 1..6)
}

fn shapes() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    (0..=4_usize).prop_flat_map(|rank| {
        let most = [1_u64, 40, 13, 8, 5][rank];
        (vec(0..=most, rank), vec(1..=most, rank))
    })
}

fn types() -> impl Strategy<Value = (&'static str, &'static str, Vec<u8>)> {
    select(vec![
        ("uint8", "0", vec![0]),
        ("uint8", "7", vec![7]),
        ("int16", "-2", (-2_i16).to_ne_bytes().to_vec()),
        ("float32", "\"NaN\"", f32::NAN.to_ne_bytes().to_vec()),
        ("float64", "-0.0", (-0.0_f64).to_ne_bytes().to_vec()),
        ("uint64", "0", vec![0; 8]),
    ])
}

/// A block of the given extents whose elements are all 1 in their first stored byte, or a plain chunk that decodes so.
fn odd_block(extents: &[u64], size: usize) -> Vec<u8> {
    let mut block = vec![0, 0];
    block.extend((extents.len() as u16).to_be_bytes());
    block.extend(extents.iter().flat_map(|&extent| (extent as u32).to_be_bytes()));
    let mut element = vec![0; size];
    element[0] = 1;
    block.extend(element.repeat(extents.iter().product::<u64>() as usize));
    block
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if is_long() { 3000 } else { 150 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn policy_31_writes_equal_those_into_a_plain_array(
        kind in select(vec![Kind::N5, Kind::N5InZarr, Kind::Plain, Kind::PlainBounded]),
        (shape, block) in shapes(),
        (data_type, fill_text, fill) in types(),
        odd in any::<u64>(),
        steps in steps(),
    ) {
        let size = fill.len();
        let fill = if matches!(kind, Kind::N5) { vec![0; size] } else { fill };
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let json = document(kind, &shape, &block, data_type, fill_text);
        let first = Dataset::create(Arc::clone(&store), "a", json.as_bytes(), CodecOptions::default()).unwrap();
        let mut model = fill.repeat(bytes_of(&shape, 1));

        // A block that is smaller or larger than its chunk, axis by axis.
        if matches!(kind, Kind::N5InZarr) && odd % 2 == 0 && shape.iter().all(|&extent| extent > 0) {
            let mut random = Random::new(odd);
            let position: Vec<u64> = first.block_grid().iter().map(|&count| random.below(count)).collect();
            let extents: Vec<u64> = block.iter().map(|&extent| random.below(extent + 3)).collect();
            store.set(&first.block_key(&position), &odd_block(&extents, size)).unwrap();
            let mut element = vec![0; size];
            element[0] = 1;
            if cfg!(target_endian = "little") {
                element.reverse();
            }
            let offset: Vec<u64> = position.iter().zip(&block).map(|(at, extent)| at * extent).collect();
            let inside = |axis: usize| extents[axis].min(block[axis]).min(shape[axis] - offset[axis]);
            let extents: Vec<u64> = (0..shape.len()).map(inside).collect();
            put(&mut model, &shape, size, &offset, &extents, &element.repeat(bytes_of(&extents, 1)), Order::C);
        }

        for step in steps {
            let other_fill = step.other_fill.then(|| vec![0x55; size]);
            let options = CodecOptions { order: step.order, fill_value: other_fill, ..CodecOptions::default() };
            let dataset = Dataset::open(Arc::clone(&store), "a", options).unwrap();
            let mut random = Random::new(step.seed);
            let (offset, extents) = random.region(&shape);
            let mut part = Vec::new();
            for _ in 0..bytes_of(&extents, 1) {
                if step.content == 1 || step.content == 2 && random.below(2) == 0 {
                    part.extend_from_slice(&fill);
                } else {
                    part.extend((0..size).map(|_| random.below(256) as u8));
                }
            }
            write(&dataset, &offset, &extents, &part, &step.io).unwrap();
            put(&mut model, &shape, size, &offset, &extents, &part, step.order);

            prop_assert!(read_all(&first).unwrap() == model, "{json} {step:?}");
            // What this step stored, by the blocks that it touched.
            let cover = |axis: usize| offset[axis] / block[axis]..(offset[axis] + extents[axis]).div_ceil(block[axis]);
            first.stored_blocks(&mut |position, key| {
                if extents.contains(&0) || !(0..shape.len()).all(|axis| cover(axis).contains(&position[axis])) {
                    return Ok(());
                }
                let start: Vec<u64> = position.iter().zip(&block).map(|(at, extent)| at * extent).collect();
                let inside: Vec<u64> = (0..shape.len()).map(|axis| block[axis].min(shape[axis] - start[axis])).collect();
                let content = slice(&model, &shape, size, &start, &inside, Order::C);
                assert!(step.io.write_fill || content.chunks_exact(size).any(|element| element != fill), "{key} has only fill");
                if matches!(kind, Kind::N5 | Kind::N5InZarr) {
                    let mut value = Vec::new();
                    store.get(key, 0, u64::MAX, &mut value).unwrap();
                    let header: Vec<u64> = zn5::block::parse(&value).unwrap().extents().collect();
                    assert_eq!(header, if step.io.pad_edges { block.clone() } else { inside }, "{key}");
                }
                Ok(())
            }).unwrap();
            if step.io.write_fill {
                let mut value = Vec::new();
                let corner: Vec<u64> = (0..shape.len()).map(|axis| cover(axis).start).collect();
                prop_assert!(extents.contains(&0) || store.get(&first.block_key(&corner), 0, 0, &mut value).unwrap());
            }
        }
        let mut problems = Vec::new();
        first.verify(&mut |problem| { problems.push(problem.message.to_owned()); true }, &threads(2), None).unwrap();
        prop_assert!(problems.is_empty(), "{problems:?}");
    }
}

fn attributes(dimensions: &str, block_size: &str, data_type: &str) -> String {
    format!(r#"{{"dimensions":{dimensions},"blockSize":{block_size},"dataType":"{data_type}","compression":{{"type":"raw"}}}}"#)
}

fn create(store: &Arc<dyn Store>, path: &str, json: &str) -> Dataset {
    Dataset::create(Arc::clone(store), path, json.as_bytes(), CodecOptions::default()).unwrap()
}

fn keys(dataset: &Dataset) -> Vec<String> {
    let mut keys = Vec::new();
    dataset
        .stored_blocks(&mut |_, key| {
            keys.push(key.to_owned());
            Ok(())
        })
        .unwrap();
    keys
}

#[test]
fn policy_31_only_the_exact_fill_value_is_left_out() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let dataset = create(&store, "f", &attributes("[8]", "[2]", "float32"));
    let values: [f32; 8] = [0.0, 0.0, 0.0, -0.0, f32::NAN, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    write(&dataset, &[0], &[8], &bytes, &threads(1)).unwrap();
    assert_eq!(keys(&dataset), ["f/1", "f/2", "f/3"]);
    assert_eq!(read_all(&dataset).unwrap(), bytes);
    // The fill value erases what was there, in whole blocks and in completed ones.
    write(&dataset, &[3], &[4], &[0; 16], &threads(1)).unwrap();
    assert_eq!(keys(&dataset), [] as [&str; 0]);
    write(&dataset, &[1], &[2], &[0; 8], &IoOptions { write_fill: true, ..threads(1) }).unwrap();
    assert_eq!(keys(&dataset), ["f/0", "f/1"]);

    // The caller's fill value is only what missing blocks look like.
    let filled = CodecOptions { fill_value: Some(1.0_f32.to_ne_bytes().to_vec()), ..CodecOptions::default() };
    let filled = Dataset::open(Arc::clone(&store), "f", filled).unwrap();
    write(&filled, &[4], &[2], &1.0_f32.to_ne_bytes().repeat(2), &threads(1)).unwrap();
    write(&filled, &[7], &[1], &2.0_f32.to_ne_bytes(), &threads(1)).unwrap();
    assert_eq!(keys(&dataset), ["f/0", "f/1", "f/2", "f/3"]);
    let expected: Vec<u8> = [0.0_f32, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
    assert_eq!(read_all(&filled).unwrap(), expected);
}

#[test]
fn the_same_is_stored_whatever_the_number_of_threads() {
    let array: Vec<u8> = (0..40 * 30 * 2_u32).map(|at| (at % 251 * (at / 500)) as u8).collect();
    let stored = [1, 4].map(|count| {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let dataset = create(&store, "d", &attributes("[41,30]", "[7,4]", "int16"));
        write(&dataset, &[1, 0], &[40, 30], &array, &threads(count)).unwrap();
        let mut blocks = Vec::new();
        for key in keys(&dataset) {
            let mut value = Vec::new();
            assert!(store.get(&key, 0, u64::MAX, &mut value).unwrap());
            blocks.push((key, value));
        }
        blocks
    });
    assert!(stored[0] == stored[1] && stored[0].len() > 30);
}

#[test]
fn sources_may_repeat_and_flip() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let dataset = create(&store, "d", &attributes("[4,3]", "[3,2]", "uint8"));
    let row = [1_u8, 2, 3];
    // SAFETY: the row outlives the source and is not written.
    let source = unsafe { Source::from_raw(row.as_ptr(), 3, 2, Some(&[0, -1]), Order::C, &[4, 3], 1) }.unwrap();
    dataset.write(&[0, 0], &source, &threads(2), None).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), [3, 2, 1].repeat(4));
}

#[test]
fn a_bad_block_is_not_overwritten_in_part() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let dataset = create(&store, "d", &attributes("[4,4]", "[2,2]", "uint8"));
    for (bad, kind) in
        [(&[][..], ErrorKind::EmptyBlock), (&[0, 0, 0, 2, 0], ErrorKind::TruncatedBlock), (&[0, 1], ErrorKind::UnsupportedBlockMode)]
    {
        store.set("d/1/0", bad).unwrap();
        let error = write(&dataset, &[1, 0], &[2, 2], &[1; 4], &threads(1)).unwrap_err();
        assert!(error.kind() == kind && error.message().starts_with("d/1/0: "), "{error}");
        let mut value = Vec::new();
        assert!(store.get("d/1/0", 0, u64::MAX, &mut value).unwrap() && value == bad);
    }
    store.set("d/1/0", &[]).unwrap();
    write(&dataset, &[1, 0], &[2, 2], &[1; 4], &IoOptions { empty_as_missing: true, ..threads(1) }).unwrap();
    store.set("d/1/0", &[]).unwrap();
    // Covered as a whole it does not matter what was there.
    write(&dataset, &[2, 0], &[2, 2], &[5; 4], &threads(1)).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), [0, 0, 0, 0, 1, 1, 0, 0, 5, 5, 0, 0, 5, 5, 0, 0]);
}

#[test]
fn writing_is_refused_cancelled_and_bounded() {
    let folder = folder("refused");
    let writable = directory(&folder, true);
    let dataset = create(&writable, "a/d", &attributes("[100]", "[1]", "uint8"));
    let read_only = Dataset::open(directory(&folder, false), "a/d", CodecOptions::default()).unwrap();
    assert_eq!(write(&read_only, &[0], &[1], &[1], &threads(1)).unwrap_err().kind(), ErrorKind::ReadOnly);
    for (offset, extent) in [(100, 1), (0, 101), (u64::MAX, 1)] {
        let bytes = vec![1; extent as usize];
        let error = write(&dataset, &[offset], &[extent], &bytes, &threads(1)).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains("axis 0"), "{error}");
    }
    let source = Source::contiguous(&[1; 100], &[100], 1, Order::C).unwrap();
    let mut progress = |done, _| done < 3;
    let error = dataset.write(&[0], &source, &threads(1), Some(&mut progress)).unwrap_err();
    assert_eq!((error.kind(), keys(&dataset).len()), (ErrorKind::Cancelled, 3));

    // Blocks that N5 cannot hold are refused before memory is asked for.
    let huge = create(&writable, "huge", &attributes("[9223372036854775807]", "[9223372036854775807]", "uint64"));
    assert_eq!(write(&huge, &[5], &[1], &[1; 8], &threads(1)).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let large = create(&writable, "large", &attributes("[9223372036854775807,9223372036854775807]", "[1000,1]", "uint8"));
    write(&large, &[i64::MAX.unsigned_abs() - 1, i64::MAX.unsigned_abs() - 2], &[1, 2], &[8, 9], &threads(2)).unwrap();
    assert_eq!(keys(&large), ["large/9223372036854775/9223372036854775805", "large/9223372036854775/9223372036854775806"]);
    assert_eq!(read(&large, &[i64::MAX.unsigned_abs() - 2, i64::MAX.unsigned_abs() - 1], &[2, 1], &threads(1)).unwrap(), [0, 9]);
}

/// What the other process of the next test does: writes one half, block by block, several times.
fn write_half(folder: &std::path::Path, half: u64) {
    let dataset = Dataset::open(directory(folder, true), "d", CodecOptions::default()).unwrap();
    for round in 1..=5_u8 {
        for row in 0..32 {
            let value = round * 2 + half as u8;
            write(&dataset, &[row * 4, half * 64], &[4, 64], &[value; 256], &threads(2)).unwrap();
        }
    }
}

#[test]
fn two_processes_that_write_aligned_neighbours_lose_nothing() {
    if let Ok(folder) = std::env::var("ZN5_TEST_SECOND_WRITER") {
        return write_half(folder.as_ref(), 1);
    }
    let folder = folder("two");
    let dataset = create(&directory(&folder, true), "d", &attributes("[128,128]", "[4,4]", "uint8"));
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "two_processes_that_write_aligned_neighbours_lose_nothing"])
        .env("ZN5_TEST_SECOND_WRITER", &folder)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    write_half(&folder, 0);
    assert!(other.wait().unwrap().success());
    let row: Vec<u8> = (0..128).map(|at| if at < 64 { 10 } else { 11 }).collect();
    assert_eq!(read_all(&dataset).unwrap(), row.repeat(128));
    assert_eq!(keys(&dataset).len(), 32 * 32);
}

#[test]
fn vectors_written_anew_read_back() {
    for (id, folder, expected) in vectors() {
        let original = Dataset::open(directory(&folder, false), "", CodecOptions::default()).unwrap();
        for (pad_edges, count) in [(false, 1), (true, 4)] {
            let store: Arc<dyn Store> = Arc::new(Memory::new());
            let copy = Dataset::create(Arc::clone(&store), "copy", original.metadata().as_bytes(), CodecOptions::default()).unwrap();
            let zeros = vec![0; original.shape().len()];
            write(&copy, &zeros, original.shape(), &expected, &IoOptions { pad_edges, ..threads(count) }).unwrap();
            assert!(read_all(&copy).unwrap() == expected, "{id}");
        }
    }
}
