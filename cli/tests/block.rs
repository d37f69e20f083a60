//! Explaining blocks: the hand-made ones byte by byte, damaged ones, and those without metadata.
//!
//! Bytes are written here by hand.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::path::PathBuf;

use support::{attributes, hex, write};

/// An array of 5 × 2 uint16 with one block file.
fn array(compression: &str, key: &str, block: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join("attributes.json"), attributes("[5,2]", "[3,2]", "uint16", compression));
    let file = folder.path().join(key);
    write(&file, hex(block));
    (folder, file)
}

const HEADER: &str = "0000 0002 00000003 00000002";
const DATA: &str = "0001 0002 0003 0004 0005 0006";

#[test]
fn the_hand_made_block_d02_is_explained_to_its_last_byte() {
    let (_folder, file) = array(r#"{"type":"raw"}"#, "0/0", &format!("{HEADER}{DATA}"));
    let report = run!("block", "--json", &file).code(0).json();
    let fields: Vec<(u64, u64, &str, &str)> = report["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| {
            let text = |name: &str| field[name].as_str().unwrap();
            (field["offset"].as_u64().unwrap(), field["len"].as_u64().unwrap(), text("hex"), text("meaning"))
        })
        .collect();
    assert_eq!(
        fields,
        [
            (0, 2, "00 00", "mode 0 (default): an array of the extents that follow"),
            (2, 2, "00 02", "2 dimensions"),
            (4, 4, "00 00 00 03", "extent of axis 0: 3"),
            (8, 4, "00 00 00 02", "extent of axis 1: 2"),
            (12, 12, "00 01 00 02 00 03 00 04 00 05 00 06", "payload: values, big-endian, first axis fastest"),
        ]
    );
    assert_eq!(report["values"], serde_json::json!(["1", "2", "3", "4", "5", "6"]));
    assert_eq!(report["array"]["position"], serde_json::json!([0, 0]));
    let text = run!("block", &file).code(0).out;
    for part in [
        "block [0,0] of the grid 2 × 1 begins at voxel [0,0]",
        "decodes to 6 values of uint16: 12 B",
        "values, first axis fastest: 1 2 3 4 5 6",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_file_longer_than_any_block_is_refused_unread() {
    let (_folder, file) = array(r#"{"type":"raw"}"#, "0/0", &format!("{HEADER}{DATA}"));
    std::fs::File::options().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
    let told = run!("block", &file).code(2).err;
    assert!(told.contains("give the file of one block"), "{told}");
}

#[test]
fn edges_are_told_apart() {
    let (_folder, file) = array(r#"{"type":"raw"}"#, "1/0", "0000 0002 00000002 00000002 0007 0008 0009 000a");
    assert!(run!("block", &file).code(0).out.contains("at the edge, truncated to 2 × 2"));
    let (_folder, file) = array(r#"{"type":"raw"}"#, "1/0", &format!("{HEADER}{DATA}"));
    assert!(run!("block", &file).code(0).out.contains("at the edge, padded: 2 × 2 of it lie inside the array"));
    let (_folder, file) = array(r#"{"type":"raw"}"#, "7/0", &format!("{HEADER}{DATA}"));
    assert!(run!("block", &file).code(0).out.contains("the block lies outside the array"));
}

#[test]
fn compressed_payloads_are_explained_field_by_field() {
    let gzip = "1f8b08000000000000ff6360646062606660616065600300aaea6dbf0c000000";
    let (_folder, file) = array(r#"{"type":"gzip","level":6}"#, "0/0", &format!("{HEADER}{gzip}"));
    let text = run!("block", &file).code(0).out;
    for part in ["payload, gzip: magic number", "method 8: deflate", "length 12 of the content", "values, first axis fastest: 1 2 3 4 5 6"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn damage_is_named_with_its_place_and_ends_with_1() {
    let cases = [
        ("", "EMPTY_BLOCK", Some(0)),
        ("000000", "TRUNCATED_BLOCK", Some(3)),
        ("0000 0002 00000003 0000", "TRUNCATED_BLOCK", Some(10)),
        ("0000 0002 00000003 00000002", "TRUNCATED_BLOCK", Some(12)),
        ("0000 0002 00000003 00000002 0001 0002 0003 0004 0005 00", "TRUNCATED_BLOCK", None),
        ("0000 0002 00000003 00000002 0001 0002 0003 0004 0005 0006 00", "TRAILING_DATA", None),
        ("0000 0001 00000006 0001 0002 0003 0004 0005 0006", "DIMENSION_MISMATCH", Some(2)),
        ("0000 0002 ffffffff ffffffff 00", "TRUNCATED_BLOCK", Some(13)),
    ];
    for (block, kind, offset) in cases {
        let (_folder, file) = array(r#"{"type":"raw"}"#, "0/0", block);
        let report = run!("block", "--json", &file).json();
        assert_eq!(report["error"]["kind"], kind, "{block}: {report}");
        if offset.is_some() {
            assert_eq!(report["error"]["offset"].as_u64(), offset, "{block}: {report}");
        }
        let shown = run!("block", &file).code(1);
        assert!(shown.out.contains(report["error"]["kind"].as_str().unwrap()), "{}", shown.out);
    }
}

#[test]
fn other_modes_are_explained_and_unsupported() {
    let (_folder, file) = array(r#"{"type":"raw"}"#, "0/0", "0001 0002 00000003 00000002 00000004 0001 0002 0003 0004");
    let run = run!("block", &file).code(4);
    assert!(
        run.out.contains("mode 1 (varlength)") && run.out.contains("4 elements") && run.out.contains("UNSUPPORTED_BLOCK_MODE"),
        "{}",
        run.out
    );
    let (_folder, file) = array(r#"{"type":"raw"}"#, "0/0", "0002 0000003e aced 0005");
    assert!(run!("block", &file).code(4).out.contains("62 bytes of objects"));
}

#[test]
fn a_block_without_metadata_still_speaks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lost");
    write(&file, hex(&format!("{HEADER}28b52ffd200c610000000100020003000400050006")));
    let shown = run!("block", &file).code(0).out;
    assert!(shown.contains("extent of axis 1: 2") && shown.contains("--data-type"), "{shown}");
    let typed = run!("block", &file, "--data-type", "uint16").code(0).out;
    assert!(typed.contains("payload, zstd") && typed.contains("fastest: 1 2 3 4 5 6"), "{typed}");
    assert!(run!("block", &file, "--data-type", "float16").code(2).err.contains("uint8"));
    run!("block", folder.path()).code(2);
    run!("block", folder.path().join("none")).code(3);
}
