//! Which axis is which: names, sizes and units from every dialect, pictures, and NumPy's order.
//!
//! Values come from the dialects' descriptions and from what zarr-python and z5py give for the same folders.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{png, write};

/// zarr.json of an array of bytes in one chunk, whose key is N5's for N5's blocks.
fn zarr(shape: &[u64], codecs: &Value, names: Option<&[&str]>) -> String {
    let is_n5 = codecs[0]["name"] == "n5_default";
    let keys = if is_n5 { json!({"name": "v2", "configuration": {"separator": "/"}}) } else { json!({"name": "default"}) };
    let mut document = json!({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": keys, "fill_value": 0, "codecs": codecs, "attributes": {}});
    if let Some(names) = names {
        document["dimension_names"] = json!(names);
    }
    document.to_string()
}

/// Codecs of N5's blocks for `ndim` axes.
fn n5_default(ndim: u64) -> Value {
    let order: Vec<u64> = (0..ndim).rev().collect();
    json!([{"name": "n5_default", "configuration": {"codecs": [
        {"name": "transpose", "configuration": {"order": order}}, {"name": "bytes"}]}}])
}

/// An image of OME-Zarr 0.5 with axes t, c, z, y, x: each voxel has 20 times its x.
fn ome(folder: &Path, names: bool) {
    let space = |name: &str| json!({"name": name, "type": "space", "unit": "micrometer"});
    let level = |level: u32| {
        let size = 0.1 * f64::from(1 << level);
        json!({"path": level.to_string(), "coordinateTransformations": [
            {"type": "scale", "scale": [1.0, 1.0, 0.5, size, size]},
            {"type": "translation", "translation": [0, 0, 0, 0.05 * f64::from(level), 0.05 * f64::from(level)]}]})
    };
    let image = json!({"axes": [{"name": "t", "type": "time", "unit": "second"}, {"name": "c", "type": "channel"},
        space("z"), space("y"), space("x")], "datasets": [level(0), level(1)],
        "coordinateTransformations": [{"type": "scale", "scale": [2.0, 1, 1, 1, 1]}]});
    let group = json!({"zarr_format": 3, "node_type": "group",
        "attributes": {"ome": {"version": "0.5", "multiscales": [image]}}});
    write(folder.join("zarr.json"), group.to_string());
    for level in 0..2 {
        let (y, x) = (8_u64 >> level, 12_u64 >> level);
        let shape = [1, 1, 2, y, x];
        let names = names.then_some(&["t", "c", "z", "y", "x"][..]);
        write(folder.join(format!("{level}/zarr.json")), zarr(&shape, &json!(["bytes"]), names));
        let bytes: Vec<u8> = (0..2 * y).flat_map(|_| (0..x).map(|x| u8::try_from(20 * x).unwrap())).collect();
        write(folder.join(format!("{level}/c/0/0/0/0/0")), bytes);
    }
}

/// What `zn5 info --json` says of an array.
fn array(path: &Path) -> Value {
    run!("info", "--json", "--quick", path).code(0).json()[0]["root"]["array"].clone()
}

#[test]
fn policy_50_the_shape_of_a_zarr_array_is_numpy_s() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u64], Value); 4] = [
        ("plain", &[1, 1, 2, 8, 12], json!(["bytes"])),
        ("n5", &[8, 6, 4], n5_default(3)),
        ("flat", &[7], json!(["bytes"])),
        ("two", &[32, 96], n5_default(2)),
    ];
    for (name, shape, codecs) in cases {
        let path = folder.path().join(name);
        write(path.join("zarr.json"), zarr(shape, &codecs, None));
        let found = array(&path);
        assert_eq!((&found["shape"], &found["shape_numpy"]), (&json!(shape), &json!(shape)), "{name}");
    }
    let text = run!("info", folder.path().join("n5")).code(0).out;
    assert!(text.contains("8 × 6 × 4  NumPy (8, 6, 4)"), "{text}");
    // N5's is reversed.
    let path = folder.path().join("attributes");
    write(path.join("attributes.json"), support::attributes("[8,6,4]", "[8,6,4]", "uint8", r#"{"type":"raw"}"#));
    assert_eq!(array(&path)["shape_numpy"], json!([4, 6, 8]));
    // A first difference is told as each side counts.
    write(path.join("0/0/0"), [&support::hex("0000 0003 00000008 00000006 00000004")[..], &[9; 192]].concat());
    let differing = run!("diff", "--json", &path, folder.path().join("n5")).code(1).json();
    let first = &differing["arrays"][0]["first"];
    assert_eq!(first["position"], json!([0, 0, 0]));
    write(path.join("0/0/0"), {
        let mut block = [&support::hex("0000 0003 00000008 00000006 00000004")[..], &[0; 192]].concat();
        block[16 + 3 + 8 * 2 + 48] = 5;
        block
    });
    let differing = run!("diff", "--json", &path, folder.path().join("n5")).code(1).json();
    let first = &differing["arrays"][0]["first"];
    assert_eq!((&first["position_numpy"], &first["position_numpy_b"]), (&json!([1, 2, 3]), &json!([3, 2, 1])));
}

#[test]
fn policy_50_a_picture_of_t_c_z_y_x_has_x_to_the_right() {
    let folder = tempfile::tempdir().unwrap();
    for (name, names) in [("named", true), ("bare", false)] {
        let image = folder.path().join(name);
        ome(&image, names);
        // By the group's axes, by the array's own names, and where nothing is named.
        write(image.join("alone/zarr.json"), zarr(&[1, 1, 2, 8, 12], &json!(["bytes"]), None));
        let bytes: Vec<u8> = (0..16).flat_map(|_| (0..12).map(|x| 20 * x)).collect();
        write(image.join("alone/c/0/0/0/0/0"), bytes);
        for path in [image.join("0"), image.join("alone"), image.clone()] {
            let lines = run!("view", &path, "--color", "none").code(0).out;
            let lines: Vec<&str> = lines.lines().collect();
            assert_eq!((lines.len(), lines[0].chars().count()), (4, 12), "{}: {lines:?}", path.display());
            assert!(lines.iter().all(|line| line == &lines[0]), "{lines:?}");
            let mut shades: Vec<usize> = lines[0].chars().map(|shade| " .:-=+*#%@".find(shade).unwrap()).collect();
            assert_eq!((shades[0], shades[11]), (0, 9));
            let before = shades.clone();
            shades.sort_unstable();
            assert_eq!(shades, before);
        }
        let caption = run!("view", image.join("0"), "--color", "none").code(0).err;
        assert!(caption.contains("x right, y down, t at 0, c at 0, z at 1"), "{caption}");
    }
}

#[test]
fn axes_of_a_picture_are_given_by_name_or_number() {
    let folder = tempfile::tempdir().unwrap();
    ome(&folder.path().join("image"), true);
    let array = folder.path().join("image/0");
    let picture = |args: &[&str]| {
        let file = folder.path().join("picture.png");
        let mut all = vec![std::ffi::OsString::from("view"), array.clone().into(), "-o".into(), file.clone().into()];
        all.extend(args.iter().map(std::ffi::OsString::from));
        support::zn5(all).code(0);
        let (width, height, ..) = png(&std::fs::read(file).unwrap());
        (width, height)
    };
    assert_eq!(picture(&[]), (12, 8));
    assert_eq!(picture(&["--axes", "x,z"]), (12, 2));
    assert_eq!(picture(&["--axes", "4,2"]), (12, 2));
    assert_eq!(picture(&["--axes", "Y,x", "--at", "z=0"]), (8, 12));
    assert_eq!(picture(&["--max", "z", "--at", "0=0"]), (12, 8));
    let wrong = run!("view", &array, "--axes", "x,q").code(2).err;
    assert!(wrong.contains("there is no axis q") && wrong.contains("(t, c, z, y, x)"), "{wrong}");
    let shown = run!("view", &array, "--at", "x=3").code(2).err;
    assert!(shown.contains("x is shown in the picture"), "{shown}");
}

#[test]
fn an_axis_of_three_is_colour_unless_it_is_named_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let kind = |names: Option<&[&str]>, shape: &[u64]| {
        let path = folder.path().join("array");
        write(path.join("zarr.json"), zarr(shape, &json!(["bytes"]), names));
        run!("view", &path, "--color", "none").code(0).err
    };
    assert!(kind(None, &[3, 4, 5]).contains("axis 2 right, axis 1 down, axis 0 red, green, blue"));
    assert!(kind(Some(&["c", "y", "x"]), &[3, 4, 5]).contains("x right, y down, c red, green, blue"));
    assert!(kind(Some(&["y", "x", "c"]), &[4, 5, 3]).contains("x right, y down, c red, green, blue"));
    assert!(kind(Some(&["y", "c", "x"]), &[4, 3, 5]).contains("c red, green, blue"));
    assert!(kind(Some(&["z", "y", "x"]), &[3, 4, 5]).contains("x right, y down, z at 1"));
    assert!(kind(Some(&["t", "y", "x"]), &[3, 4, 5]).contains("t at 1"));
}

#[test]
fn policy_49_info_tells_sizes_units_and_the_dialect() {
    let folder = tempfile::tempdir().unwrap();
    let raw = r#"{"type":"raw"}"#;
    let n5 = |path: &str, more: &Value| {
        let mut document: Value = serde_json::from_str(&support::attributes("[8,6,4]", "[4,4,4]", "uint8", raw)).unwrap();
        for (name, value) in more.as_object().unwrap() {
            document[name] = value.clone();
        }
        write(folder.path().join(path).join("attributes.json"), document.to_string());
    };
    let line = |path: &str| {
        let text = run!("info", "--quick", folder.path().join(path)).code(0).out;
        text.lines().filter(|line| line.contains("pixel size")).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    // COSEM in both orders, by either name of the member.
    let c = json!({"axes": ["z", "y", "x"], "units": ["nm", "nm", "nm"], "scale": [7.5, 5.0, 2.5], "translate": [70.0, 50.0, 20.0]});
    let f = json!({"axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "scale": [2.5, 5.0, 7.5], "translate": [20.0, 50.0, 70.0]});
    let ordered = |transform: &Value, member: &str, order: &str| {
        let mut transform = transform.clone();
        transform[member] = json!(order);
        json!({"transform": transform})
    };
    for more in [json!({"transform": c}), ordered(&c, "order", "C"), ordered(&f, "order", "F"), ordered(&f, "ordering", "F")] {
        n5("cosem", &more);
        assert_eq!(line("cosem"), ["pixel size 2.5 × 5 × 7.5 nm (x, y, z), first voxel at (20, 50, 70)  (COSEM)"], "{more}");
    }
    // BigDataViewer, whose resolution stands on the time point.
    let bdv = folder.path().join("bdv");
    write(bdv.join("setup0/attributes.json"), r#"{"downsamplingFactors":[[1,1,1],[2,2,1]],"dataType":"uint16"}"#);
    write(bdv.join("setup0/timepoint0/attributes.json"), r#"{"multiScale":true,"resolution":[0.2,0.2,1.0]}"#);
    n5("bdv/setup0/timepoint0/s0", &json!({"downsamplingFactors": [1, 1, 1]}));
    n5("bdv/setup0/timepoint0/s1", &json!({"downsamplingFactors": [2, 2, 1]}));
    let text = run!("info", "--quick", &bdv).code(0).out;
    assert!(text.contains("levels s0 1×1×1, s1 2×2×1  (BigDataViewer)"), "{text}");
    assert!(text.contains("pixel size 0.4 × 0.4 × 1 (x, y, z), first voxel at (0.1, 0.1, 0)  (BigDataViewer)"), "{text}");
    // Units that differ stand beside their axes.
    ome(&folder.path().join("ome"), true);
    assert_eq!(line("ome/0"), ["pixel size t 2 second, c 1, z 0.5 micrometer, y 0.1 micrometer, x 0.1 micrometer  (OME-NGFF)"]);
    let spatial = array(&folder.path().join("ome/1"))["spatial"].clone();
    assert_eq!(spatial["axes"], json!(["t", "c", "z", "y", "x"]));
    assert_eq!(spatial["kinds"], json!(["time", "channel", "space", "space", "space"]));
    assert_eq!(spatial["units"], json!(["second", null, "micrometer", "micrometer", "micrometer"]));
    assert_eq!(spatial["pixel_size"], json!([2.0, 1.0, 0.5, 0.2, 0.2]));
    assert_eq!(spatial["translation"], json!([0.0, 0.0, 0.0, 0.05, 0.05]));
    // Names alone.
    write(folder.path().join("named/zarr.json"), zarr(&[4, 5], &json!(["bytes"]), Some(&["row", "column"])));
    let text = run!("info", folder.path().join("named")).code(0).out;
    assert!(text.contains("axes row, column  (dimension_names)"), "{text}");
    // Nothing known.
    n5("bare", &json!({}));
    assert!(array(&folder.path().join("bare"))["spatial"].is_null() && line("bare").is_empty());
}

#[test]
fn policy_49_sources_that_disagree_are_both_told() {
    let folder = tempfile::tempdir().unwrap();
    let raw = r#"{"type":"raw"}"#;
    let mut document: Value = serde_json::from_str(&support::attributes("[8,6,4]", "[4,4,4]", "uint8", raw)).unwrap();
    document["pixelResolution"] = json!({"unit": "mm", "dimensions": [1.5, 1.5, 1.5]});
    document["transform"] = json!({"scale": [13, 11, 7], "units": ["mm", "mm", "mm"], "axes": ["z", "y", "x"]});
    write(folder.path().join("attributes.json"), document.to_string());
    let text = run!("info", folder.path()).code(0).out;
    assert!(text.contains("pixel size 7 × 11 × 13 mm (x, y, z)  (COSEM)"), "{text}");
    let other = "but another pixel size: 1.5 × 1.5 × 1.5 mm (n5-viewer, `pixelResolution` of the array)";
    assert!(text.contains(other), "{text}");
    let spatial = array(folder.path())["spatial"].clone();
    assert_eq!(spatial["disagreements"][0]["property"], "pixel size");
    assert_eq!(spatial["sources"].as_array().unwrap().len(), 2);
}

#[test]
fn policy_50_text_has_x_to_the_right_and_y_down() {
    let folder = tempfile::tempdir().unwrap();
    ome(&folder.path().join("image"), true);
    let array = folder.path().join("image/0");
    let row = (0..12).map(|x| (20 * x).to_string()).collect::<Vec<_>>().join("\t");
    let slice = |z: u8| format!("# 0,0,{z},:,:\n") + &format!("{row}\n").repeat(8);
    assert_eq!(run!("cat", "--format", "text", &array).code(0).out, slice(0) + &slice(1));
    assert_eq!(run!("cat", "--format", "text", &array, "--region", "0,0,1,2:4,10:").code(0).out, "# 0,0,1,:,:\n200\t220\n200\t220\n");
    let lines = run!("cat", "--format", "csv", &array, "--region", "0,0,1,2:4,10:").code(0).out;
    assert_eq!(lines, "t,c,z,y,x,value\n0,0,1,2,10,200\n0,0,1,3,10,200\n0,0,1,2,11,220\n0,0,1,3,11,220\n");
    // An .npy file has Zarr's shape, however it is asked for.
    for axes in ["n5", "numpy"] {
        let (head, bytes) = support::npy(&run!("cat", "--format", "npy", "--axes", axes, &array).code(0).bytes);
        assert!(head.contains("'fortran_order': True, 'shape': (1, 1, 2, 8, 12)"), "{head}");
        assert_eq!((bytes[0], bytes[15], bytes[16]), (0, 0, 20));
    }
    let file = folder.path().join("raw");
    let told = run!("cat", "--format", "raw", &array, "-o", &file).code(0).err;
    assert!(told.contains("reshape((1, 1, 2, 8, 12), order='F')"), "{told}");
    // Names that would break a table, or that two axes share, are no heads of columns.
    for names in [["a,b", "c"], ["a", "a"], ["a", ""]] {
        let path = folder.path().join("odd");
        write(path.join("zarr.json"), zarr(&[1, 2], &json!(["bytes"]), Some(&names)));
        assert!(run!("cat", "--format", "csv", &path).code(0).out.starts_with("d0,d1,value\n"), "{names:?}");
    }
    // Strings too, and N5 as before.
    let path = folder.path().join("n5");
    write(path.join("attributes.json"), support::attributes("[2,3,2]", "[2,3,2]", "uint8", r#"{"type":"raw"}"#));
    let block: Vec<u8> = (0..12).collect();
    write(path.join("0/0/0"), [&support::hex("0000 0003 00000002 00000003 00000002")[..], &block].concat());
    let text = run!("cat", "--format", "text", &path).code(0).out;
    assert_eq!(text, "# :,:,0\n0\t1\n2\t3\n4\t5\n# :,:,1\n6\t7\n8\t9\n10\t11\n");
}

#[test]
fn names_of_axes_survive_a_conversion_to_zarr() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.zarr");
    write(source.join("zarr.json"), r#"{"zarr_format":3,"node_type":"group"}"#);
    write(source.join("named/zarr.json"), zarr(&[2, 3], &json!(["bytes"]), Some(&["row", "column"])));
    write(
        source.join("half/zarr.json"),
        zarr(&[2, 3], &n5_default(2), None).replace("\"fill_value\"", r#""dimension_names":[null,"x"],"fill_value""#),
    );
    write(source.join("bare/zarr.json"), zarr(&[2, 3], &json!(["bytes"]), None));
    let target = folder.path().join("target.zarr");
    run!("-q", "convert", &source, &target).code(0);
    let names = |path: &str| -> Value {
        let text = std::fs::read_to_string(target.join(path).join("zarr.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["dimension_names"].clone()
    };
    assert_eq!((names("named"), names("half"), names("bare")), (json!(["row", "column"]), json!([null, "x"]), Value::Null));
    assert_eq!(array(&target.join("named"))["spatial"]["axes"], json!(["row", "column"]));
    // N5 has no place for them, and that is told.
    let told = run!("convert", &source, folder.path().join("target.n5"), "--to-n5").code(0).err;
    assert_eq!(told.matches("dimension_names; they are left out").count(), 2, "{told}");
}

#[test]
fn positions_in_a_group_are_those_of_the_finest_level() {
    let folder = tempfile::tempdir().unwrap();
    ome(&folder.path().join("image"), true);
    let group = folder.path().join("image");
    for width in ["2", "5", "6", "100"] {
        let shown = run!("view", &group, "--at", "z=1", "--width", width, "--color", "none").code(0).err;
        assert!(shown.contains("image/0: x right") && shown.contains("z at 1"), "{shown}");
        let shown = run!("view", &group, "--region", "0,0,1,:,7:12", "--width", width, "--color", "none").code(0).err;
        assert!(shown.contains("image/0: x right"), "{shown}");
    }
    // What was typed is what the message has.
    let wrong = run!("view", &group, "--at", "z=100").code(2).err;
    assert!(wrong.contains("--at z=100: the axis has the positions 0 to 1"), "{wrong}");
}
