//! The demo container from end to end: made, shown, listed, pictured, measured, verified.
//!
//! Values are compared with what `cat` gives, which `real_containers.rs` holds against NumPy's files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;

use support::{demo, files, png, zn5};

#[test]
fn the_demo_is_the_same_on_every_run_and_tells_what_to_type_next() {
    let (one, two) = (demo(), demo());
    let contents = |folder: &std::path::Path| files(folder).into_values().collect::<Vec<_>>();
    assert_eq!(contents(one.path()), contents(two.path()));

    let folder = tempfile::tempdir().unwrap();
    let run = run!("demo", "--size", "20,20,10", folder.path()).code(0);
    for command in ["zn5 info", "zn5 view", "zn5 verify", "zn5 stats", "zn5 block"] {
        assert!(run.out.contains(command), "{}", run.out);
    }
    assert_eq!(png(&fs::read(folder.path().join("demo.png")).unwrap()).0, 20);
    // A second demo does not destroy the first one unasked.
    let again = run!("demo", "--size", "20,20,10", folder.path()).code(3);
    assert!(again.err.contains("--overwrite"), "{}", again.err);
    run!("-q", "demo", "--size", "20,20,10", "--overwrite", folder.path()).code(0);
}

#[test]
fn overwriting_never_removes_what_is_no_demo() {
    let folder = tempfile::tempdir().unwrap();
    support::write(folder.path().join("demo.n5/precious"), "data");
    run!("demo", "--overwrite", folder.path()).code(2);
    assert!(folder.path().join("demo.n5/precious").is_file());
}

#[test]
fn info_tells_shapes_blocks_pixel_sizes_and_the_pyramid() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let report = run!("info", "--json", &container).code(0).json();
    assert_eq!(report[0]["n5_version"], "4.0.0");
    let groups = report[0]["root"]["children"].as_array().unwrap();
    let raw = groups.iter().find(|group| group["path"] == "raw").unwrap();
    assert_eq!(raw["pyramid"]["levels"][2]["downsampling"], serde_json::json!([4.0, 4.0, 4.0]));
    let array = &raw["children"][1]["array"];
    assert_eq!(array["shape"], serde_json::json!([25, 21, 10]));
    assert_eq!(array["shape_numpy"], serde_json::json!([10, 21, 25]));
    assert_eq!(array["data_type"], "uint8");
    assert_eq!(array["blocks"]["edges"], "truncated");
    assert_eq!(array["spatial"]["pixel_size"], serde_json::json!([0.4, 0.4, 1.0]));
    assert_eq!(array["spatial"]["axes"], serde_json::json!(["x", "y", "z"]));
    let blocks = &raw["children"][0]["array"]["blocks"];
    assert!(blocks["missing"].as_u64().unwrap() > 0, "blocks outside the field of view are absent");
    assert_eq!(blocks["missing"].as_u64().unwrap() + blocks["stored"].as_u64().unwrap(), 4 * 3 * 3);

    let text = run!("info", &container).code(0).out;
    for part in ["raw/  pyramid of 3 levels", "s0  uint8  50 × 41 × 19  NumPy (19, 41, 50)", "missing", "0.2 × 0.2 × 0.5 um (x, y, z)"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colours into a pipe");
    // Pixel sizes are inherited when the array is the root, too.
    let alone = run!("info", "--json", "--quick", container.join("labels/s0")).code(0).json();
    assert_eq!(alone[0]["root"]["array"]["spatial"]["dialect"], "n5-viewer");
    assert!(alone[0]["root"]["array"].get("blocks").is_none());
}

#[test]
fn ls_lists_one_level_or_all() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let lines = run!("ls", &container).code(0).out;
    assert_eq!(lines.lines().count(), 2);
    let all = run!("ls", "-r", "--json", &container).code(0).json();
    let kinds: Vec<&str> = all.as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["group", "array", "array", "array", "group", "array", "array", "array"]);
    assert!(run!("ls", "-rl", &container).code(0).out.contains("uint16  50 × 41 × 19"));
}

#[test]
fn pictures_show_the_slice_that_cat_prints() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s0");
    let file = folder.path().join("slice.png");
    let run = run!("view", &array, "--at", "2=9", "--range", "0,255", "-o", &file).code(0);
    assert!(run.err.contains("x right, y down, z at 9"), "{}", run.err);
    let slice = run!("cat", &array, "--region", ":,:,9", "--format", "raw").code(0).bytes;
    assert_eq!(png(&fs::read(&file).unwrap()), (50, 41, 1, slice));
    // To standard output the same file.
    assert_eq!(run!("-q", "view", &array, "--at", "2=9", "--range", "0,255", "-o", "-").code(0).bytes, fs::read(&file).unwrap());

    let volume = run!("cat", &array, "--format", "raw").code(0).bytes;
    let mut projection = vec![0; 50 * 41];
    for (index, &value) in volume.iter().enumerate() {
        let pixel = &mut projection[index % (50 * 41)];
        *pixel = value.max(*pixel);
    }
    run!("-q", "view", &array, "--max", "--range", "0,255", "-o", &file).code(0);
    assert_eq!(png(&fs::read(&file).unwrap()).3, projection);
    // Other axes: x right, z down at y = 7.
    run!("-q", "view", &array, "--axes", "0,2", "--at", "1=7", "--range", "0,255", "-o", &file).code(0);
    let expected: Vec<u8> = (0..19).flat_map(|z| (0..50).map(move |x| (z, x))).map(|(z, x)| volume[(z * 41 + 7) * 50 + x]).collect();
    assert_eq!(png(&fs::read(&file).unwrap()), (50, 19, 1, expected));
}

#[test]
fn labels_get_colours_by_themselves_and_grey_on_request() {
    let folder = demo();
    let array = folder.path().join("demo.n5/labels/s0");
    let file = folder.path().join("labels.png");
    run!("-q", "view", &array, "-o", &file).code(0);
    let (.., channels, colours) = png(&fs::read(&file).unwrap());
    assert_eq!(channels, 3);
    assert!(colours.chunks(3).collect::<std::collections::HashSet<_>>().len() > 2);
    run!("-q", "view", &array, "--grey", "-o", &file).code(0);
    assert_eq!(png(&fs::read(&file).unwrap()).2, 1);
}

#[test]
fn the_terminal_gets_characters_and_colours_only_where_asked() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    let plain = run!("view", &container, "--width", "40").code(0);
    assert!(!plain.out.contains('\x1b') && plain.out.lines().all(|line| line.chars().count() == 40), "{}", plain.out);
    // The group's pictures come before its labels, and the level suits the width.
    assert!(plain.err.contains("raw/s0"), "{}", plain.err);
    assert!(run!("view", &container, "--width", "20").code(0).err.contains("raw/s1"));
    let colours = run!("-q", "view", &container, "--width", "40", "--color", "truecolor").code(0);
    assert!(colours.out.contains("\x1b[38;2;") && colours.out.contains('▀') && colours.err.is_empty());
    assert!(run!("view", &container, "--width", "40", "--color", "256").code(0).out.contains("\x1b[38;5;"));
}

#[test]
fn statistics_are_those_of_the_values() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s0");
    let report = run!("stats", "--json", &array).code(0).json();
    let values = run!("cat", &array, "--format", "raw").code(0).bytes;
    let count = f64::from(u32::try_from(values.len()).unwrap());
    let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let std = (values.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count).sqrt();
    let mut sorted = values.clone();
    sorted.sort_unstable();
    assert_eq!(report["count"].as_u64(), Some(50 * 41 * 19));
    assert_eq!(report["min"].as_u64(), Some(u64::from(sorted[0])));
    assert_eq!(report["max"].as_u64(), Some(u64::from(sorted[sorted.len() - 1])));
    assert!((report["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((report["std"].as_f64().unwrap() - std).abs() < 1e-9);
    assert_eq!(report["percentiles"][3]["value"].as_f64(), Some(f64::from(sorted[(sorted.len() - 1) / 2])));
    let unique: std::collections::HashSet<_> = values.iter().collect();
    assert_eq!(report["unique"].as_u64(), Some(unique.len() as u64));
    // One thread or four, the result is the same.
    assert_eq!(run!("-j1", "stats", "--json", &array).out, run!("-j4", "stats", "--json", &array).out);
    assert!(run!("stats", folder.path().join("demo.n5/labels/s0"), "--region", ":,:,5").code(0).out.contains("unique"));
}

#[test]
fn values_come_as_text_csv_and_numpy() {
    let folder = demo();
    let array = folder.path().join("demo.n5/labels/s0");
    let raw = run!("cat", &array, "--format", "raw", "--region", "20:23,18:20,9:11").code(0).bytes;
    let values: Vec<u16> = raw.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(values.len(), 12);
    let csv = run!("cat", &array, "--format", "csv", "--region", "20:23,18:20,9:11").code(0).out;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("x,y,z,value"));
    for (index, line) in lines.enumerate() {
        let expected = format!("{},{},{},{}", 20 + index % 3, 18 + index / 3 % 2, 9 + index / 6, values[index]);
        assert_eq!(line, expected);
    }
    let text = run!("cat", &array, "--format", "text", "--region", "20:23,18:20,9:11").code(0).out;
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 6);
    assert_eq!((rows[0], rows[3]), ("# :,:,9", "# :,:,10"));
    assert_eq!(rows[1], format!("{}\t{}\t{}", values[0], values[1], values[2]));
    let big = run!("cat", &array, "--format", "raw", "--endian", "big", "--region", "20:23,18:20,9:11").code(0).bytes;
    assert_eq!(big, values.iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<_>>());

    let file = folder.path().join("labels.npy");
    run!("cat", &array, "-o", &file, "--region", "20:23,18:20,9:11").code(0);
    let (header, bytes) = support::npy(&fs::read(&file).unwrap());
    assert!(header.contains("'<u2', 'fortran_order': True, 'shape': (3, 2, 2)"), "{header}");
    assert_eq!(bytes, raw);
    run!("cat", &array, "-o", &file, "--axes", "numpy", "--region", "20:23,18:20,9:11").code(0);
    assert!(support::npy(&fs::read(&file).unwrap()).0.contains("'fortran_order': False, 'shape': (2, 2, 3)"));
}

#[test]
fn verify_names_each_damaged_block() {
    let folder = demo();
    let container = folder.path().join("demo.n5");
    assert!(run!("verify", &container).code(0).out.starts_with("no damage in "));
    let block = container.join("raw/s0/1/1/1");
    let whole = fs::read(&block).unwrap();
    let mut flipped = whole.clone();
    flipped[60] ^= 0x55;
    fs::write(&block, flipped).unwrap();
    fs::write(container.join("raw/s0/1/1/0"), []).unwrap();
    fs::write(container.join("labels/s0/1/1/1"), &fs::read(container.join("labels/s0/1/1/1")).unwrap()[..9]).unwrap();
    fs::write(container.join("labels/s0/notes.txt"), "hello").unwrap();
    let report = run!("verify", "--json", &container).code(1).json();
    let kinds: Vec<(&str, &str)> = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| (problem["kind"].as_str().unwrap(), problem["file"].as_str().unwrap().rsplit("demo.n5/").next().unwrap()))
        .collect();
    assert_eq!(kinds, [("TRUNCATED_BLOCK", "labels/s0/1/1/1"), ("EMPTY_BLOCK", "raw/s0/1/1/0"), ("CORRUPT_PAYLOAD", "raw/s0/1/1/1")]);
    assert_eq!(report["problems"][0]["offset"].as_u64(), Some(9));
    assert_eq!(report["stray"][0]["kind"], "STRAY_FILE");
    let text = run!("verify", &container).code(1);
    assert!(text.out.contains("EMPTY_BLOCK  ") && text.out.contains("3 problems in "), "{}", text.out);
    // Reading what is damaged fails with the block's path, and reading the rest does not.
    let failed = run!("cat", container.join("raw/s0"), "--format", "raw").code(1);
    assert!(failed.err.starts_with("zn5: ") && failed.err.contains("1/1/"), "{}", failed.err);
    run!("cat", container.join("raw/s0"), "--format", "raw", "--region", "0:16,0:16,0:8").code(0);
}

#[test]
fn diff_finds_the_first_voxel_in_n5_order() {
    let (one, two) = (demo(), demo());
    let (a, b) = (one.path().join("demo.n5"), two.path().join("demo.n5"));
    assert!(run!("diff", &a, &b).code(0).out.contains("equal  6 arrays"));
    // A block that is gone reads as zeros.
    fs::remove_file(b.join("raw/s0/1/1/1")).unwrap();
    let report = run!("diff", "--json", &a, &b).code(1).json();
    let differing: Vec<_> = report["arrays"].as_array().unwrap().iter().filter(|array| array["equal"] == false).collect();
    assert_eq!(differing.len(), 1);
    assert_eq!(differing[0]["first"]["position"], serde_json::json!([16, 16, 8]));
    assert_eq!(differing[0]["first"]["position_numpy"], serde_json::json!([8, 16, 16]));
    assert_eq!(differing[0]["differing"].as_u64(), Some(16 * 16 * 8));
    assert!(run!("diff", a.join("raw/s0"), b.join("raw/s0")).code(1).out.contains("the first at [16,16,8] (NumPy [8,16,16])"));
    run!("diff", a.join("raw/s0"), b.join("raw/s0"), "--tolerance", "255").code(0);
    run!("diff", a.join("raw/s0"), b.join("raw/s0"), "--region", "0:16,:,:").code(0);
    assert!(run!("diff", a.join("raw/s0"), a.join("raw/s1")).code(1).out.contains("shapes 50 × 41 × 19 and 25 × 21 × 10"));
    assert!(run!("diff", a.join("raw/s0"), a.join("labels/s0")).code(1).out.contains("types uint8 and uint16"));
    fs::remove_dir_all(b.join("labels/s2")).unwrap();
    assert!(run!("diff", &a, &b).code(1).out.contains("only in A"));
}

#[test]
fn the_photograph_of_the_examples_is_decoded_in_its_colours() {
    let photo = support::project().join("examples/data/cat.n5/photo");
    let picture = run!("-q", "view", &photo, "-o", "-").code(0).bytes;
    let (width, height, channels, pixels) = png(&picture);
    assert_eq!((width, height, channels), (451, 300, 3));
    // Channel is the fastest axis of the array, so its raw bytes are the pixels themselves.
    assert_eq!(pixels, run!("cat", &photo, "--format", "raw").code(0).bytes);
    let grey = run!("-q", "view", &photo, "--rgb", "none", "-o", "-").code(0).bytes;
    assert_eq!((png(&grey).0, png(&grey).1), (3, 451));
    run!("verify", &photo).code(0);
    zn5(["info", photo.to_str().unwrap()]).code(0);
}
