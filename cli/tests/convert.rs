//! Converting: in place all or nothing, and into new containers with other blocks, compressors and formats.
//!
//! What is converted is compared voxel by voxel with `zn5 diff`, whose own tests are in `demo.rs`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;

use support::{attributes, demo, files, write};

#[test]
fn in_place_adds_documents_and_touches_no_block() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let before = files(&container);

    let planned = run!("convert", &container, "--in-place", "--dry-run").code(0);
    assert_eq!(planned.out.lines().count(), 9);
    assert!(planned.out.lines().all(|line| line.starts_with("would write ") && line.ends_with("zarr.json")), "{}", planned.out);
    assert_eq!(files(&container), before, "a dry run writes nothing");

    let converted = run!("convert", &container, "--in-place").code(0);
    assert!(converted.err.contains("z5 and z5py refuse"), "{}", converted.err);
    let after = files(&container);
    assert_eq!(after.len(), before.len() + 9);
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));

    // The way back says the same as the original.
    let originals: Vec<_> = before.keys().filter(|path| path.ends_with("attributes.json")).collect();
    for path in &originals {
        fs::remove_file(path).unwrap();
    }
    run!("-q", "convert", &container, "--in-place", "--to-n5").code(0);
    for path in originals {
        let json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
        assert_eq!(json(&fs::read(path).unwrap()), json(&before[path]), "{}", path.display());
    }
}

#[test]
fn in_place_twice_is_no_harm_and_other_documents_are_not_replaced_unasked() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    run!("-q", "convert", &container, "--in-place").code(0);
    let converted = files(&container);
    assert!(run!("convert", &container, "--in-place").code(0).out.contains("9 documents there already"));
    let conflict = run!("convert", &container, "--in-place", "--grid", "bounded").code(3);
    assert!(conflict.out.contains("--overwrite") && conflict.out.contains("nothing was written"), "{}", conflict.out);
    assert_eq!(files(&container), converted);
    run!("-q", "convert", &container, "--in-place", "--grid", "bounded", "--overwrite").code(0);
    assert!(fs::read_to_string(container.join("raw/s0/zarr.json")).unwrap().contains("zarrs.regular_bounded"));
    run!("verify", &container).code(0);
}

#[test]
fn one_unsupported_array_keeps_everything_from_being_written() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    write(container.join("words/attributes.json"), attributes("[3]", "[3]", "string", r#"{"type":"raw"}"#));
    write(container.join("packed/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"lz4","blockSize":65536}"#));
    let before = files(&container);
    let refused = run!("convert", &container, "--in-place").code(4);
    assert!(refused.out.contains("words") && refused.out.contains("string"), "{}", refused.out);
    assert!(refused.out.contains("packed") && refused.out.contains("lz4"), "every reason is told: {}", refused.out);
    assert!(refused.out.contains("nothing was written"));
    assert_eq!(files(&container), before);
    let report = run!("convert", &container, "--in-place", "--json").code(4).json();
    assert_eq!(report["refused"].as_array().unwrap().len(), 2);
    assert_eq!(report["written"], serde_json::json!([]));
    // Elsewhere the rest is fine.
    let info = run!("info", &container).code(0).out;
    assert!(info.contains("words  cannot be opened") && info.contains("s0  uint16"), "{info}");
    run!("verify", &container).code(4);
    let target = folder.path().join("copy.n5");
    let copied = run!("convert", &container, &target).code(4);
    assert!(copied.out.contains("words"), "{}", copied.out);
    run!("diff", container.join("raw"), target.join("raw")).code(0);
    assert!(!target.join("words").exists());
}

#[test]
fn what_was_written_is_taken_back_if_the_rest_cannot_be() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    // A folder with the document's name lets the last write fail.
    fs::create_dir(container.join("raw/s2/zarr.json")).unwrap();
    let before = files(&container);
    let failed = run!("convert", &container, "--in-place");
    assert!(matches!(failed.code, Some(1..=4)), "{:?} {}", failed.code, failed.err);
    assert!(failed.err.contains("raw/s2/zarr.json"), "{}", failed.err);
    assert_eq!(files(&container), before);
}

#[test]
fn other_blocks_compressors_and_formats_hold_the_same_values() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let cases = [
        ("raw", "7,50,4"),
        ("gzip:1", "50,41,19"),
        ("zlib:9", "64,64,64"),
        ("bzip2:1", "16,16,8"),
        ("xz:0", "13,11,5"),
        ("lz4", "20,20,20"),
        ("zstd:-3", "32,8,8"),
        ("blosc:zstd:9:bit", "1,41,19"),
    ];
    for (number, (compression, blocks)) in cases.into_iter().enumerate() {
        let target = folder.path().join(format!("{number}.n5"));
        run!("-q", "convert", &container, &target, "--compression", compression, "--block-size", blocks).code(0);
        run!("diff", &container, &target).code(0);
        let info = run!("info", "--json", target.join("labels/s0")).code(0).json()[0]["root"]["array"].clone();
        assert!(info["compression"].as_str().unwrap().starts_with(compression), "{info}");
        // Attributes came along.
        assert_eq!(info["spatial"]["pixel_size"], serde_json::json!([0.2, 0.2, 0.5]));
        run!("verify", &target).code(0);
    }
    let zarr = folder.path().join("demo.zarr");
    run!("-q", "convert", &container, &zarr, "--to-zarr", "--grid", "rectilinear").code(0);
    assert!(!zarr.join("attributes.json").exists() && zarr.join("raw/s1/zarr.json").is_file());
    run!("diff", &container, &zarr).code(0);
}

#[test]
fn a_huge_and_sparse_array_is_converted_block_by_block() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("huge.n5");
    let dimensions = format!("[{},40]", i64::MAX);
    write(source.join("attributes.json"), attributes(&dimensions, "[10,10]", "uint8", r#"{"type":"raw"}"#));
    let block = |value: u8| [support::hex("0000 0002 0000000a 0000000a"), vec![value; 100]].concat();
    write(source.join("3/1"), block(7));
    write(source.join("900000000000000000/2"), block(9));
    let target = folder.path().join("small.n5");
    run!("-q", "convert", &source, &target, "--block-size", "8,16").code(0);
    for region in ["20:50,0:30", "8999999999999999990:9000000000000000020,10:40"] {
        let values = |path: &std::path::Path| run!("cat", path, "--format", "raw", "--region", region).code(0).bytes;
        assert_eq!(values(&source), values(&target), "{region}");
        assert!(values(&target).iter().any(|&value| value > 0));
    }
    let info = run!("info", &source).code(0).out;
    assert!(info.contains("in 2 blocks"), "{info}");
    run!("verify", &source).code(0);
}

#[test]
fn a_new_container_never_replaces_or_enters_another() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let occupied = run!("convert", &container, folder.path()).code(3);
    assert!(occupied.err.contains("not empty"), "{}", occupied.err);
    let inside = run!("convert", &container, container.join("copy")).code(2);
    assert!(inside.err.contains("inside the input"), "{}", inside.err);
    let around = run!("convert", &container, folder.path().join("none/../demo.n5/copy")).code(2);
    assert!(around.err.contains("inside the input"), "{}", around.err);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("demo.n5", folder.path().join("link.n5")).unwrap();
        for (input, output) in [("link.n5", "link.n5/copy"), ("link.n5", "demo.n5/a/b"), ("demo.n5", "link.n5/copy")] {
            run!("convert", folder.path().join(input), folder.path().join(output)).code(2);
        }
    }
    assert!(!container.join("copy").exists() && !container.join("a").exists());
    let planned = run!("convert", &container, folder.path().join("new.n5"), "--dry-run", "--json").code(0).json();
    assert_eq!(planned["written"].as_array().unwrap().len(), 9);
    assert!(!folder.path().join("new.n5").exists());
    run!("convert", &container, folder.path().join("new.n5"), "--block-size", "3,3").code(2);
    run!("convert", &container, folder.path().join("zero.n5"), "--block-size", "0,1,1").code(2);
    assert!(!folder.path().join("zero.n5").exists());
}

#[test]
fn strings_of_zarr_are_read_and_refused_by_name_for_n5() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("words");
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[3],"data_type":{"name":"fixed_length_utf32","configuration":{"length_bytes":12}},
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
        "fill_value":"no","codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}"#;
    write(source.join("zarr.json"), document);
    let words: Vec<u8> = ["ab", "", "é😀z"]
        .iter()
        .flat_map(|word| {
            let mut units: Vec<u32> = word.chars().map(u32::from).collect();
            units.resize(3, 0);
            units.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>()
        })
        .collect();
    write(source.join("c/0"), words);
    assert_eq!(run!("cat", &source, "--format", "text").code(0).out, "\"ab\"\t\"\"\t\"é😀z\"\n");
    run!("stats", &source).code(4);
    run!("view", &source).code(4);
    let refused = run!("convert", &source, folder.path().join("new.n5"), "--to-n5").code(4);
    assert!(refused.out.contains("fixed_length_utf32"), "{}", refused.out);
}
