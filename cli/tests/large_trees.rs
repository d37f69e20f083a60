//! Trees with thousands of tiles, and folders full of other programs' files: a few lines tell what is there.
//!
//! What is alike is told once, with sums; what differs, or is broken, stands alone.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{attributes, hex, write};

/// The header of a block of 2 x 1 x 1 uint16, and its elements: 20 bytes.
const BLOCK: &str = "0000 0003 00000002 00000001 00000001 0001 0002";

fn array(shape: &str, more: &str) -> String {
    let text = attributes(shape, "[64,64,64]", "uint16", r#"{"type":"raw"}"#);
    text.replace("{\"dimensions\"", &format!("{{{more}\"dimensions\""))
}

/// A tile as BigStitcher exports it: three levels, of each one block.
fn tile(setup: &Path, width: u64) {
    write(setup.join("attributes.json"), r#"{"dataType":"uint16"}"#);
    write(setup.join("timepoint0/attributes.json"), r#"{"multiScale":true,"resolution":[0.2,0.2,1.0]}"#);
    for (level, factors) in ["[1,1,1]", "[2,2,1]", "[4,4,2]"].into_iter().enumerate() {
        let shape = format!("[{},{},{}]", width >> level, 2048 >> level, 100 >> (level / 2));
        let folder = setup.join(format!("timepoint0/s{level}"));
        write(folder.join("attributes.json"), array(&shape, &format!(r#""downsamplingFactors":{factors},"#)));
        write(folder.join("0/0/0"), hex(BLOCK));
    }
}

fn tiles(count: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join("attributes.json"), r#"{"n5":"2.5.0"}"#);
    for number in 0..count {
        tile(&folder.path().join(format!("setup{number}")), 2048);
    }
    folder
}

fn info(args: &[&str], folder: &Path, code: i32) -> String {
    let mut arguments: Vec<std::ffi::OsString> = vec!["info".into()];
    arguments.extend(args.iter().map(Into::into));
    arguments.push(folder.into());
    let run = support::zn5(arguments).code(code);
    assert!(run.err.is_empty(), "{}", run.err);
    run.out
}

/// The lines of nodes, without what draws the tree.
fn nodes(text: &str) -> Vec<&str> {
    text.lines().skip(1).filter_map(|line| line.split_once("─ ").map(|(_, node)| node)).collect()
}

#[test]
fn tiles_that_are_alike_are_told_once_with_sums() {
    let folder = tiles(100);
    let text = info(&[], folder.path(), 0);
    assert!(text.lines().count() < 20, "{text}");
    let lines = nodes(&text);
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[0].starts_with("setup0/ … setup99/  100 alike"), "{text}");
    assert!(lines[1].starts_with("timepoint0/  pyramid of 3 levels"), "{text}");
    assert!(lines[2].starts_with("s0  uint16  2048 × 2048 × 100  NumPy (100, 2048, 2048)"), "{text}");
    // 100 blocks of 20 bytes, of 100 times 2048 x 2048 x 100 elements of two bytes; 32 x 32 x 2 blocks in each grid.
    assert!(text.contains("2.0 KiB of 78 GiB in 100 blocks, 204700 missing"), "{text}");
    assert!(text.contains("blocks 64 × 64 × 64 (grid 32 × 32 × 2)"), "{text}");
    assert!(text.contains("pixel size 0.8 × 0.8 × 2"), "{text}");

    let all = info(&["--all"], folder.path(), 0);
    assert_eq!(nodes(&all).len(), 100 * 5, "{all}");
    assert!(!all.contains("alike") && all.contains("setup99/"));
    let document: Value = serde_json::from_str(&info(&["--json"], folder.path(), 0)).unwrap();
    let setups = document[0]["root"]["children"].as_array().unwrap();
    assert_eq!(setups.len(), 100);
    let names: Vec<_> = setups.iter().map(|setup| setup["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, (0..100).map(|number| format!("setup{number}")).collect::<Vec<_>>());
    let s0 = &setups[99]["children"][0]["children"][0];
    assert_eq!((&s0["path"], &s0["array"]["blocks"]["stored"]), (&json!("setup99/timepoint0/s0"), &json!(1)));
    // Sizes are not known without a look at blocks.
    assert_eq!(nodes(&info(&["--quick"], folder.path(), 0)).len(), 5);
}

#[test]
fn a_tile_that_differs_or_is_broken_stands_alone() {
    let folder = tiles(40);
    let setup = |number: u32| folder.path().join(format!("setup{number}"));
    let level = |number: u32, level: u32| setup(number).join(format!("timepoint0/s{level}"));
    write(level(3, 1).join("attributes.json"), array("[1024,1024,100]", "").replace("raw", "gzip"));
    fs::remove_dir_all(level(5, 2)).unwrap();
    write(level(7, 0).join("attributes.json"), "{");
    write(level(9, 0).join("attributes.json"), array("[2048,2048,100]", "").replace("raw", "jpeg"));
    write(level(11, 0).join("0/0/0"), "");
    write(level(13, 0).join("0/0/1"), [0]);
    fs::remove_dir_all(level(15, 0).join("0")).unwrap();
    write(setup(17).join("timepoint0/attributes.json"), r#"{"resolution":[0.3,0.3,1.0]}"#);
    write(setup(19).join("timepoint1/attributes.json"), "{}");
    write(level(21, 0).join("attributes.json"), array("[2048,2048]", "").replace("64,64,64", "64,64"));
    write(level(23, 0).join("attributes.json"), array("[2048,2048,100]", "").replace("uint16", "int16"));
    write(level(25, 0).join("attributes.json"), array("[2048,2048,100]", "").replace("64,64,64", "32,64,64"));
    write(setup(27).join("attributes.json"), r#"{"painteraData":{"type":"raw"}}"#);
    write(level(29, 0).join("0/0/0"), hex("0001 0003 00000002 00000001 00000001 00000002 01 02 03 04"));
    let apart = [3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29];
    // A document and a block are damaged.
    let text = info(&[], folder.path(), 1);
    let lines = nodes(&text);
    assert!(lines[0].starts_with(&format!("setup0/ … setup39/  {} alike", 40 - apart.len())), "{text}");
    let alone: Vec<_> = lines.iter().filter(|line| line.starts_with("setup") && !line.contains('…')).collect();
    assert_eq!(alone.len(), apart.len(), "{text}");
    for (line, number) in alone.iter().zip(apart) {
        assert!(line.starts_with(&format!("setup{number}/")), "{line}");
    }
    for seen in ["gzip", "jpeg", "cannot be opened", "of 0 bytes", "1 damaged", "none of 2048 blocks stored", "0.3 × 0.3", "varlength"] {
        assert!(text.contains(seen), "{seen}: {text}");
    }
}

#[test]
fn shapes_and_places_may_differ_and_are_told_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..6 {
        tile(&folder.path().join(format!("tile{number}")), 2048 - 16 * number);
    }
    let text = info(&[], folder.path(), 0);
    assert!(nodes(&text)[0].starts_with("tile0/ … tile5/  6 alike"), "{text}");
    assert!(text.contains("s0  uint16  1968–2048 × 2048 × 100  NumPy (100, 2048, 1968–2048)"), "{text}");
    assert!(text.contains("(grid 31–32 × 32 × 2)"), "{text}");

    // Arrays directly below, each at its own place.
    let folder = tempfile::tempdir().unwrap();
    for number in 0..5 {
        let transform =
            format!(r#""transform":{{"axes":["z","y","x"],"scale":[1,1,1],"units":["nm","nm","nm"],"translate":[0,0,{number}]}},"#);
        write(folder.path().join(format!("cell_{number}_0/attributes.json")), array(&format!("[{},9,9]", 90 + number), &transform));
    }
    let text = info(&[], folder.path(), 0);
    assert!(nodes(&text)[0].starts_with("cell_0_0 … cell_4_0  uint16  90–94 × 9 × 9"), "{text}");
    assert!(text.contains("pixel size 1 × 1 × 1 nm (x, y, z), each at its own place  (COSEM)"), "{text}");
    assert!(text.contains("none of 10 blocks stored"), "{text}");
}

#[test]
fn what_only_seems_alike_is_told_one_by_one() {
    // Names that say different things; levels, known as such or by their extents; too few; attributes that were asked for.
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, shape: &str| write(folder.path().join(path).join("attributes.json"), array(shape, ""));
    for name in ["raw", "labels", "mask", "prediction"] {
        put(&format!("names/{name}"), "[64,64,64]");
    }
    for level in 0..6 {
        put(&format!("pyramid/s{level}"), "[64,64,64]");
        put(&format!("unknown/scale{level}"), &format!("[{},{},7]", 6400 >> level, 640 >> level));
    }
    for number in 0..3 {
        put(&format!("few/t{number}"), "[64,64,64]");
    }
    for number in 0..4 {
        let path = folder.path().join(format!("notes/t{number}/attributes.json"));
        write(path, array("[64,64,64]", &format!(r#""note":{number},"#)));
    }
    let text = info(&[], folder.path(), 0);
    assert_eq!(text.matches("alike").count(), 1, "{text}");
    assert!(text.contains("t0 … t3  uint16") && text.contains("4 alike"), "{text}");
    assert!(!info(&["--attributes"], folder.path(), 0).contains("alike"));
    // Wells of a plate: rows by letters, columns by numbers.
    let folder = tempfile::tempdir().unwrap();
    for (row, column) in ["A", "B"].into_iter().flat_map(|row| (1..=12).map(move |column| (row, column))) {
        tile(&folder.path().join(format!("{row}/{column}/0")), 2048);
    }
    let text = info(&[], folder.path(), 0);
    assert_eq!(text.matches("1/ … 12/").count(), 2, "{text}");
}

#[test]
fn many_in_each_of_many_are_folded_too_and_summed_over_all() {
    let folder = tempfile::tempdir().unwrap();
    for (setup, timepoint) in (0..4).flat_map(|setup| (0..5).map(move |timepoint| (setup, timepoint))) {
        let array = folder.path().join(format!("setup{setup}/timepoint{timepoint}"));
        write(array.join("attributes.json"), self::array(&format!("[128,64,{}]", 64 + timepoint), ""));
        write(array.join("1/0/0"), hex(BLOCK));
    }
    let text = info(&[], folder.path(), 0);
    let lines = nodes(&text);
    assert!(lines.len() == 2 && lines[0].starts_with("setup0/ … setup3/  4 alike"), "{text}");
    assert!(lines[1].starts_with("timepoint0 … timepoint4  uint16  128 × 64 × 64–68"), "{text}");
    // Of each setup one array with 2 x 1 x 1 blocks, and four with 2 x 1 x 2.
    assert!(text.contains("in 20 blocks, 52 missing"), "{text}");
    // Blocks at the edge that are whole are another matter.
    for timepoint in 0..4 {
        let block = hex("0000 0003 00000040 00000040 00000040");
        let array = folder.path().join(format!("setup3/timepoint{timepoint}"));
        write(array.join("1/0/1"), [block, vec![0; 2 << 18]].concat());
    }
    let text = info(&[], folder.path(), 0);
    assert!(text.contains("setup3/\n") && text.contains("edges padded"), "{text}");
}

#[test]
fn zarr_is_folded_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let zarr = r#"{"zarr_format":3,"node_type":"array","shape":[4,6],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"default"},"fill_value":FILL,"codecs":[{"name":"bytes"}]}"#;
    for number in 0..8 {
        let array = folder.path().join(format!("image{number}/0"));
        write(array.parent().unwrap().join("zarr.json"), r#"{"zarr_format":3,"node_type":"group"}"#);
        write(array.join("zarr.json"), zarr.replace("FILL", if number == 6 { "1" } else { "0" }));
        write(array.join("c/0/0"), [1, 2, 3, 4]);
    }
    let text = info(&[], folder.path(), 0);
    assert!(text.contains("image0/ … image7/  7 alike") && text.contains("28 B of 168 B in 7 blocks, 35 missing"), "{text}");
    assert!(text.contains("image6/\n") && text.contains("fill value 1"), "{text}");
}

#[test]
fn depth_ends_the_walk_and_says_what_is_left_out() {
    let folder = tiles(6);
    write(folder.path().join("setup4/extra/attributes.json"), "{}");
    let text = info(&["--depth", "1"], folder.path(), 0);
    assert_eq!(nodes(&text), ["setup0/ … setup5/  1 below  5 alike, sizes are sums; --all shows each", "setup4/  2 below"]);
    assert_eq!(info(&["--depth", "0"], folder.path(), 0).lines().collect::<Vec<_>>().len(), 1);
    assert_eq!(nodes(&info(&["--depth", "3", "--all"], folder.path(), 0)).len(), 6 * 5 + 1);
    let document: Value = serde_json::from_str(&info(&["--json", "--depth", "2"], folder.path(), 0)).unwrap();
    let setups = document[0]["root"]["children"].as_array().unwrap();
    assert_eq!(setups.len(), 6);
    let timepoint = &setups[0]["children"][0];
    assert_eq!((&timepoint["path"], &timepoint["below"], timepoint.get("children")), (&json!("setup0/timepoint0"), &json!(3), None));
    run!("info", "--depth", "-1", folder.path()).code(2);

    let count = |args: &[&str]| {
        let mut arguments: Vec<std::ffi::OsString> = vec!["ls".into()];
        arguments.extend(args.iter().map(Into::into));
        arguments.push(folder.path().into());
        support::zn5(arguments).code(0).out.lines().count()
    };
    assert_eq!((count(&[]), count(&["--depth", "1"]), count(&["--depth", "2"])), (6, 6, 13));
    assert_eq!((count(&["--depth", "3"]), count(&["-r"])), (6 * 5 + 1, 6 * 5 + 1));
    run!("ls", "-r", "--depth", "2", folder.path()).code(2);
}

#[test]
fn litter_is_one_line_a_folder_and_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("img");
    write(image.join("attributes.json"), attributes("[6,6]", "[3,3]", "uint8", r#"{"type":"raw"}"#));
    for block in ["0/0", "0/1", "1/0", "1/1"] {
        write(image.join(block), hex("0000 0002 00000003 00000003 010203040506070809"));
    }
    let litter = [
        ".DS_Store",
        "._0",
        "0/._0",
        "0/.DS_Store",
        "Thumbs.db",
        "0/Thumbs.db",
        "1/.nfs000000000000001200000001",
        "1/0.tmp",
        "desktop.ini",
        "1/.0.swp",
        "._attributes.json",
        "1/1~",
    ];
    for name in litter {
        write(image.join(name), b"\0\x05\x16\x07 not a block");
    }
    // A folder of Synology, which is no folder of blocks.
    write(image.join("@eaDir/x"), "?");
    let text = run!("verify", folder.path()).code(0).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].contains("/img: 5 files of Windows and macOS (._0, .DS_Store, "), "{text}");
    assert!(lines[1].contains("/img/0: 3 files of Windows and macOS (._0, .DS_Store, Thumbs.db)"), "{text}");
    assert!(lines[2].contains("/img/1: 4 files of NFS, editors and unfinished copies ("), "{text}");
    assert_eq!(lines[3], "no damage in 4 blocks of 1 array");
    let report = run!("verify", "--json", folder.path()).code(0).json();
    let stray = report["stray"].as_array().unwrap();
    assert_eq!((stray.len(), &report["problems"], &report["blocks"]), (litter.len(), &json!([]), &json!(4)));
    for name in litter {
        let problem = stray.iter().find(|problem| problem["file"].as_str().unwrap().ends_with(&format!("/img/{name}"))).unwrap();
        assert_eq!(problem["kind"], "STRAY_FILE");
        assert!(problem["message"].as_str().unwrap().contains("no position in the grid"), "{problem}");
    }
    run!("info", folder.path()).code(0);
}

#[test]
fn other_stray_files_are_one_line_a_folder_with_some_names() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join("attributes.json"), attributes("[4,4]", "[2,2]", "uint8", r#"{"type":"raw"}"#));
    for number in 0..200 {
        write(folder.path().join(format!("0/copy-{number}")), "?");
    }
    for key in ["0/7", "0/8", "0/.DS_Store", "1/notes.txt", "5/0"] {
        write(folder.path().join(key), "?");
    }
    fs::create_dir_all(folder.path().join("0/1/x")).unwrap();
    let text = run!("verify", folder.path()).code(0).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for part in [
        "1 file of macOS (.DS_Store)",
        "200 files with a name that is no position in the grid (copy-0, copy-1, copy-2, copy-3, …)",
        "1 folder in the place of a block (1)",
        "2 blocks outside the array (7, 8)",
    ] {
        assert!(lines[0].starts_with("STRAY_FILE  ") && lines[0].contains(part), "{part}: {text}");
    }
    assert!(lines[0].chars().count() < 400, "{text}");
    // One alone is told as before, with the reason.
    assert!(lines[1].contains("/1/notes.txt: it has a name that is no position in the grid"), "{text}");
    assert!(lines[2].contains("/5/0: the block lies outside the array, which has 2 blocks along axis 0"), "{text}");
    assert_eq!(lines[3], "no damage in 0 blocks of 1 array");
    assert_eq!(run!("verify", "--json", folder.path()).code(0).json()["stray"].as_array().unwrap().len(), 206);
}
