//! Verifying: each bad block is named with its kind and offset, so is what is no block; order, threads, cancelling, a writer beside it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod dataset_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dataset_support::*;
use zn5::dataset::{Dataset, IoOptions, Subject, Surveyed};
use zn5::error::{Error, ErrorKind};
use zn5::model::CodecOptions;
use zn5::store::{Memory, Store};

type Found = (ErrorKind, String, Option<u64>);

fn verify(dataset: &Dataset, io: &IoOptions) -> Vec<Found> {
    let mut found = Vec::new();
    let mut report = |problem: zn5::dataset::Problem<'_>| {
        assert!(problem.message.starts_with(&format!("{}: ", problem.key)), "{}", problem.message);
        found.push((problem.kind, problem.key.to_owned(), problem.offset));
        true
    };
    dataset.verify(&mut report, io, None).unwrap();
    found
}

fn open(store: &Arc<dyn Store>) -> Dataset {
    Dataset::open(Arc::clone(store), "d", CodecOptions::default()).unwrap()
}

/// An array of 40 x 30 elements in blocks of 4 x 5, all of them stored.
fn array(compression: &str) -> (Arc<dyn Store>, Dataset) {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let json = format!(r#"{{"dimensions":[40,30],"blockSize":[4,5],"dataType":"uint16","compression":{compression}}}"#);
    let dataset = Dataset::create(Arc::clone(&store), "d", json.as_bytes(), CodecOptions::default()).unwrap();
    let values: Vec<u8> = (1..=2400_u32).map(|value| value.to_le_bytes()[0] | 1).collect();
    write(&dataset, &[0, 0], &[40, 30], &values, &threads(2)).unwrap();
    (store, dataset)
}

#[test]
fn every_bad_block_and_file_is_named_in_order() {
    let (store, dataset) = array(r#"{"type":"gzip"}"#);
    assert_eq!(verify(&dataset, &threads(2)), []);
    let mut block = Vec::new();
    assert!(store.get("d/3/4", 0, u64::MAX, &mut block).unwrap());
    let cut = &block[..block.len() - 3];
    let mut flipped = block.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let trailing = [&block[..], &[7]].concat();
    for (key, value) in [
        ("d/0/2", &[][..]),
        ("d/2/0", &block[..7]),
        ("d/2/1", cut),
        ("d/2/3", &[0, 1, 0, 2]),
        ("d/9/0", &flipped),
        ("d/9/5", &trailing),
        ("d/9/6", &block),
        ("d/10/0", &block),
        ("d/12/0", b"outside"),
        ("d/1/x", b"?"),
        ("d/1/03", b"?"),
        ("d/4", b"?"),
        ("d/5/3/0", b"?"),
        ("d/notes.txt", b"?"),
        // Nodes of their own, and metadata.
        ("d/labels/attributes.json", b"{"),
        ("d/labels/0/0", b"?"),
        ("d/zarr.json", b"{"),
    ] {
        store.set(key, value).unwrap();
    }
    store.erase("d/7/0").unwrap();
    let expected = [
        (ErrorKind::InvalidArgument, "d/4", None),
        (ErrorKind::InvalidArgument, "d/notes.txt", None),
        (ErrorKind::EmptyBlock, "d/0/2", Some(0)),
        (ErrorKind::InvalidArgument, "d/1/x", None),
        (ErrorKind::InvalidArgument, "d/1/03", None),
        (ErrorKind::TruncatedBlock, "d/2/0", Some(7)),
        (ErrorKind::CorruptPayload, "d/2/1", None),
        (ErrorKind::UnsupportedBlockMode, "d/2/3", Some(0)),
        (ErrorKind::InvalidArgument, "d/5/3", None),
        (ErrorKind::CorruptPayload, "d/9/0", None),
        (ErrorKind::TrailingData, "d/9/5", Some(block.len() as u64)),
        (ErrorKind::InvalidArgument, "d/9/6", None),
        (ErrorKind::InvalidArgument, "d/10/0", None),
        (ErrorKind::InvalidArgument, "d/12/0", None),
    ];
    for count in [1, 4] {
        let found = verify(&dataset, &threads(count));
        let kinds: Vec<_> = found.iter().map(|(kind, key, _)| (*kind, key.as_str())).collect();
        assert_eq!(kinds, expected.map(|(kind, key, _)| (kind, key)));
        for ((_, key, got), (_, _, offset)) in found.iter().zip(expected) {
            assert!(offset.is_none() || *got == offset, "{key}: {got:?}");
        }
    }
    let io = IoOptions { empty_as_missing: true, ..threads(1) };
    assert_eq!(verify(&dataset, &io).len(), expected.len() - 1);
    // A region that touches no bad block is read all the same.
    assert!(read(&dataset, &[12, 0], &[4, 30], &threads(1)).is_ok());
}

/// A region may decode no more than it needs; verifying decodes all.
#[test]
fn policy_33_damage_that_a_region_does_not_touch_is_found() {
    let (store, dataset) = array(r#"{"type":"lz4","blockSize":64}"#);
    let mut block = Vec::new();
    store.get("d/0/0", 0, u64::MAX, &mut block).unwrap();
    assert_eq!(verify(&dataset, &threads(1)), []);
    let large: Arc<dyn Store> = Arc::new(Memory::new());
    let json = r#"{"dimensions":[400],"blockSize":[400],"dataType":"uint8","compression":{"type":"lz4","blockSize":64}}"#;
    let dataset = Dataset::create(Arc::clone(&large), "d", json.as_bytes(), CodecOptions::default()).unwrap();
    let values: Vec<u8> = (0..400_u32).map(|value| (value * value % 251).to_le_bytes()[0]).collect();
    write(&dataset, &[0], &[400], &values, &threads(1)).unwrap();
    large.get("d/0", 0, u64::MAX, &mut block).unwrap();
    let middle = block.len() / 2;
    block[middle] ^= 0x10;
    large.set("d/0", &block).unwrap();
    assert_eq!(read(&dataset, &[0], &[10], &threads(1)).unwrap(), values[..10]);
    assert_eq!(verify(&dataset, &threads(1)).iter().map(|(kind, ..)| *kind).collect::<Vec<_>>(), [ErrorKind::CorruptPayload]);
}

#[test]
fn other_encodings_of_keys_are_followed() {
    for (keys, good, bad) in [
        (r#"{"name":"default"}"#, ["d/c/0/0", "d/c/1/1"], ["d/0/0", "d/c/2/0"]),
        (r#"{"name":"default","configuration":{"separator":"."}}"#, ["d/c.0.0", "d/c.1.1"], ["d/c", "d/c.0.2"]),
        (r#"{"name":"v2"}"#, ["d/0.0", "d/1.1"], ["d/0.00", "d/1.1.1"]),
        (r#"{"name":"v2","configuration":{"separator":"/"}}"#, ["d/0/0", "d/1/1"], ["d/0.0", "d/1/4"]),
    ] {
        let json = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[3,4],"data_type":"uint8","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[2,2]}}}},"chunk_key_encoding":{keys},"fill_value":0,"codecs":["bytes"]}}"#
        );
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let dataset = Dataset::create(Arc::clone(&store), "d", json.as_bytes(), CodecOptions::default()).unwrap();
        for key in good {
            store.set(key, &[1; 4]).unwrap();
        }
        assert_eq!(verify(&dataset, &threads(2)), [], "{keys}");
        let mut blocks = Vec::new();
        dataset
            .stored_blocks(&mut |position, key| {
                assert_eq!(dataset.block_key(position), key);
                blocks.push(key.to_owned());
                Ok(())
            })
            .unwrap();
        assert_eq!(blocks, good);
        for key in bad {
            store.set(key, &[1; 4]).unwrap();
        }
        let found = verify(&dataset, &threads(2));
        // A folder that no block of this encoding is in may be a group.
        let expected = bad.iter().filter(|key| **key != "d/0/0").count();
        assert_eq!(found.len(), expected, "{keys}: {found:?}");
        store.set(good[0], &[1; 5]).unwrap();
        assert!(verify(&dataset, &threads(1)).iter().any(|(kind, key, _)| (*kind, &**key) == (ErrorKind::TrailingData, good[0])));
    }
}

#[test]
fn verifying_reports_progress_and_stops_when_told() {
    let (store, dataset) = array(r#"{"type":"raw"}"#);
    for count in [1, 3] {
        let mut last = (9, 9);
        let mut progress = |done, total| {
            last = (done, total);
            true
        };
        dataset.verify(&mut |_| true, &threads(count), Some(&mut progress)).unwrap();
        assert_eq!(last, (60, 60));
        let mut calls = 0;
        let mut progress = |_, _| {
            calls += 1;
            false
        };
        let error = dataset.verify(&mut |_| true, &threads(count), Some(&mut progress)).unwrap_err();
        assert_eq!((error.kind(), calls), (ErrorKind::Cancelled, 1));
    }
    for key in ["d/0/0", "d/5/5", "d/9/1"] {
        store.set(key, &[]).unwrap();
    }
    let mut seen = 0;
    let mut stop = |_: zn5::dataset::Problem<'_>| {
        seen += 1;
        seen < 2
    };
    assert_eq!(dataset.verify(&mut stop, &threads(1), None).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(seen, 2);
}

#[test]
fn a_store_that_fails_for_one_block_is_a_problem_of_that_block() {
    let (inner, _) = array(r#"{"type":"raw"}"#);
    let get = |key: &str, _: &mut Vec<u8>| match key {
        "d/4/4" => Err(Error::new(ErrorKind::Io, "bad sector")),
        _ => Ok(()),
    };
    let store: Arc<dyn Store> = Arc::new(Wrapped { inner, get });
    assert_eq!(verify(&open(&store), &threads(2)), [(ErrorKind::Io, "d/4/4".to_owned(), None)]);
    let error = read_all(&open(&store)).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Io, "d/4/4: bad sector"));
}

#[test]
fn policy_34_verifying_too_survives_a_writer() {
    let (inner, _) = array(r#"{"type":"raw"}"#);
    let looks = Arc::new(AtomicU32::new(0));
    let get = {
        let looks = Arc::clone(&looks);
        move |key: &str, value: &mut Vec<u8>| {
            if key == "d/4/4" && looks.fetch_add(1, Ordering::Relaxed) == 0 {
                value.truncate(20);
            }
            Ok(())
        }
    };
    let store: Arc<dyn Store> = Arc::new(Wrapped { inner, get });
    assert_eq!(verify(&open(&store), &threads(1)), []);
    assert_eq!(looks.load(Ordering::Relaxed), 2);
}

/// The array of [`array`], over a store of which some folders cannot be listed.
fn unlistable(store: &Arc<dyn Store>, fails: impl Fn(&str) -> Option<(usize, Error)> + Send + Sync + 'static) -> Dataset {
    open(&(Arc::new(Unlistable { inner: Arc::clone(store), fails }) as Arc<dyn Store>))
}

#[test]
fn policy_48_a_folder_that_cannot_be_listed_is_a_problem_and_the_rest_is_checked() {
    let (store, _) = array(r#"{"type":"raw"}"#);
    store.set("d/3/4", &[]).unwrap();
    store.set("d/9/x", b"?").unwrap();
    let dataset = unlistable(&store, |prefix| match prefix {
        "d/2/" => Some((0, Error::new(ErrorKind::Permission, "locked"))),
        // Of the names 0 to 5 and x these come: 0, 1.
        "d/9/" => Some((2, Error::new(ErrorKind::Io, "bad sector"))),
        _ => None,
    });
    for count in [1, 4] {
        let (mut found, mut last) = (Vec::new(), (0, 0));
        let mut report = |problem: zn5::dataset::Problem<'_>| {
            found.push((problem.kind, problem.subject, problem.message.to_owned()));
            true
        };
        let mut progress = |done, total| {
            last = (done, total);
            true
        };
        dataset.verify(&mut report, &threads(count), Some(&mut progress)).unwrap();
        let empty = found.iter().find(|(kind, ..)| *kind == ErrorKind::EmptyBlock).unwrap().clone();
        assert!(empty.1 == Subject::Block && empty.2.starts_with("d/3/4: "), "{empty:?}");
        let expected = [
            (ErrorKind::Permission, Subject::Unlisted, "d/2: locked".to_owned()),
            empty,
            (ErrorKind::Io, Subject::Unlisted, "d/9: bad sector".to_owned()),
        ];
        assert_eq!(found, expected);
        // 60 blocks, of which 6 and 4 are not seen, and the two folders.
        assert_eq!(last, (52, 52));
    }

    let (mut blocks, mut unlisted) = (Vec::new(), Vec::new());
    dataset
        .survey(&mut |stored| {
            match stored {
                Surveyed::Block { position, key } => {
                    assert_eq!(dataset.block_key(position), key);
                    blocks.push(key.to_owned());
                }
                Surveyed::Unlisted { key, error } => unlisted.push((key.to_owned(), error.kind())),
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(unlisted, [("d/2".to_owned(), ErrorKind::Permission), ("d/9".to_owned(), ErrorKind::Io)]);
    assert_eq!(blocks.len(), 60 - 6 - 4);
    assert!(["d/9/0", "d/9/1", "d/3/4", "d/0/0"].iter().all(|key| blocks.iter().any(|block| block == key)));
    // Who needs all blocks is not given a part.
    assert_eq!(dataset.stored_blocks(&mut |_, _| Ok(())).unwrap_err().message(), "locked");
}

#[test]
fn policy_48_nothing_is_known_where_the_folder_of_the_array_cannot_be_listed() {
    let (store, _) = array(r#"{"type":"raw"}"#);
    for (prefix, kind) in [("d/", ErrorKind::Permission), ("d/5/", ErrorKind::Cancelled), ("d/5/", ErrorKind::OutOfMemory)] {
        let dataset = unlistable(&store, move |folder| (folder == prefix).then(|| (1, Error::new(kind, "on purpose"))));
        let verified = dataset.verify(&mut |problem| unreachable!("{}", problem.message), &threads(1), None);
        assert_eq!(verified.unwrap_err().kind(), kind, "{prefix}");
        assert_eq!(dataset.survey(&mut |_| Ok(())).unwrap_err().kind(), kind, "{prefix}");
    }
}

#[test]
fn policy_48_folders_of_every_encoding_of_keys_are_named() {
    for (keys, blocks, folder) in [
        (r#"{"name":"default"}"#, ["d/c/0/0", "d/c/1/1"], "d/c/1"),
        (r#"{"name":"v2","configuration":{"separator":"/"}}"#, ["d/0/0", "d/1/1"], "d/1"),
    ] {
        let json = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[3,4],"data_type":"uint8","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[2,2]}}}},"chunk_key_encoding":{keys},"fill_value":0,"codecs":["bytes"]}}"#
        );
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        Dataset::create(Arc::clone(&store), "d", json.as_bytes(), CodecOptions::default()).unwrap();
        for key in blocks {
            store.set(key, &[1; 3]).unwrap();
        }
        let dataset = unlistable(&store, move |prefix| {
            (prefix.strip_suffix('/') == Some(folder)).then(|| (0, Error::new(ErrorKind::Io, "bad sector")))
        });
        let found = verify(&dataset, &threads(2));
        assert_eq!(
            found.iter().map(|(kind, key, _)| (*kind, key.as_str())).collect::<Vec<_>>(),
            [(ErrorKind::TruncatedBlock, blocks[0]), (ErrorKind::Io, folder)],
            "{keys}"
        );
    }
}

#[test]
fn what_a_problem_is_about_is_told() {
    let (store, dataset) = array(r#"{"type":"raw"}"#);
    for key in ["d/10/0", "d/notes.txt", "d/5/3/0", "d/2/0"] {
        store.set(key, b"").unwrap();
    }
    store.erase("d/5/3").unwrap();
    let mut found = Vec::new();
    dataset
        .verify(
            &mut |problem| {
                found.push((problem.key.to_owned(), problem.subject, problem.subject.is_stray()));
                true
            },
            &threads(1),
            None,
        )
        .unwrap();
    let expected = [
        ("d/notes.txt", Subject::StrayName, true),
        ("d/2/0", Subject::Block, false),
        ("d/5/3", Subject::StrayFolder, true),
        ("d/10/0", Subject::Outside, true),
    ];
    assert_eq!(found, expected.map(|(key, subject, stray)| (key.to_owned(), subject, stray)));
}
