//! Containers that other programs wrote: all of them in one call, values against files that NumPy and others wrote.
//!
//! They lie outside the project; ZN5_REALDATA names their folder.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use support::real_data::real_data;
use support::{npy, png, zn5};

fn folders(data: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn all(data: &Path, before: &[&str]) -> support::Run {
    let before = before.iter().map(OsString::from);
    zn5(before.chain(folders(data).into_iter().map(OsString::from)))
}

#[test]
fn info_and_verify_run_over_all_of_them_in_one_call() {
    let Some(data) = real_data() else { return };
    let info = all(&data, &["info", "--json"]).code(0).json();
    assert_eq!(info.as_array().unwrap().len(), folders(&data).len());
    let text = all(&data, &["info"]).code(0).out;
    assert!(text.contains("cannot be opened: ") && text.contains("/.zarray: an array of Zarr version 2"), "{text}");

    let report = all(&data, &["verify", "--json"]).code(4).json();
    assert_eq!(report["problems"], serde_json::json!([]));
    assert_eq!(report["failed"], serde_json::json!([]));
    assert!(report["blocks"].as_u64().unwrap() >= 265 && report["arrays"].as_u64().unwrap() >= 59, "{report}");
    for unsupported in report["unsupported"].as_array().unwrap() {
        assert!(unsupported["reason"].as_str().unwrap().contains("Zarr version 2"), "{unsupported}");
    }
}

#[test]
fn the_astronaut_equals_its_reference_picture() {
    let Some(data) = real_data() else { return };
    let folder = data.join("zarr-implementations-astronaut");
    let reference = png(&fs::read(folder.join("reference_image.png")).unwrap());
    assert_eq!((reference.0, reference.1, reference.2), (512, 512, 3));
    for array in ["gzip", "raw"] {
        let target = tempfile::tempdir().unwrap();
        let file = target.path().join("astronaut.png");
        run!("view", folder.join("z5py.n5").join(array), "-o", &file).code(0);
        assert!(png(&fs::read(&file).unwrap()) == reference, "{array}");
    }
    assert!(run!("diff", folder.join("z5py.n5/gzip"), folder.join("z5py.n5/raw")).code(0).out.contains("786432 voxels"));
    let mean = run!("stats", "--json", folder.join("z5py.n5/gzip")).code(0).json()["mean"].as_f64().unwrap();
    assert!((mean - 114.599).abs() < 0.001, "{mean}");
}

#[test]
fn every_codec_gives_the_array_that_numpy_saved() {
    let Some(data) = real_data() else { return };
    let folder = data.join("zarr-python-n5");
    let (header, expected) = npy(&fs::read(folder.join("raw.npy")).unwrap());
    assert!(header.contains("'<f4'") && header.contains("'shape': (256, 128)"), "{header}");
    // NumPy's file is in C order; zn5's has the first axis fastest.
    let is_c = header.contains("'fortran_order': False");
    let value = |bytes: &[u8], index: usize| <[u8; 4]>::try_from(&bytes[4 * index..4 * index + 4]).unwrap();
    let names = ["single_chunk", "even_chunk", "uneven_chunk_padded", "uneven_chunk_truncated", "gzip", "bz2", "zstd", "blosc"];
    for name in names {
        let run = run!("cat", folder.join(format!("{name}.n5")), "--format", "npy").code(0);
        let (header, values) = npy(&run.bytes);
        assert!(header.contains("'<f4', 'fortran_order': True, 'shape': (256, 128)"), "{header}");
        for i in 0..256 {
            for j in 0..128 {
                let at = if is_c { i * 128 + j } else { j * 256 + i };
                assert_eq!(value(&values, j * 256 + i), value(&expected, at), "{name} at {i},{j}");
            }
        }
    }
}

#[test]
fn edges_and_dialects_are_told_as_the_containers_have_them() {
    let Some(data) = real_data() else { return };
    let array = |path: &str| run!("info", "--json", data.join(path)).code(0).json()[0]["root"]["array"].clone();
    assert_eq!(array("zarr-python-n5/uneven_chunk_padded.n5")["blocks"]["edges"], "padded");
    assert_eq!(array("zarr-python-n5/uneven_chunk_truncated.n5")["blocks"]["edges"], "truncated");
    assert_eq!(array("zarr-python-n5/even_chunk.n5")["blocks"]["edges"], "none");
    assert_eq!(array("tensorstore-codecs/xz")["compression"], "xz:4");
    assert_eq!(array("n5-java-backward/data-1.5.0.n5/raw")["compression"], "raw");

    // COSEM's lists are reversed, unless they say that they are not.
    let cosem = array("n5-ij-metadata/test.n5/cosem");
    assert_eq!(cosem["spatial"]["axes"], serde_json::json!(["x", "y", "z"]));
    let cosem = array("n5-ij-metadata/test.n5/cosem_F");
    assert_eq!(cosem["spatial"]["pixel_size"], serde_json::json!([32.0, 64.0, 128.0]));
    let viewer = array("n5-ij-metadata/test.n5/n5v_pra-ds");
    assert_eq!((&viewer["spatial"]["pixel_size"], &viewer["spatial"]["units"][0]), (&serde_json::json!([3.0, 3.0, 3.0]), &"um".into()));
    // neuroglancer's stand on the group, which is above the array that is opened.
    for kind in ["modern", "deprecated"] {
        let level = array(&format!("neuroglancer-multiscale/n5_viewer_multiscale_{kind}/s1"));
        assert_eq!(level["spatial"]["pixel_size"], serde_json::json!([20.0, 40.0]), "{kind}");
    }
}

#[test]
fn every_container_survives_the_way_to_zarr_and_back() {
    let Some(data) = real_data() else { return };
    for path in ["zarr-implementations-astronaut/z5py.n5", "tensorstore-codecs", "zarr-python-n5", "n5-java-backward"] {
        let target = tempfile::tempdir().unwrap();
        let (zarr, n5) = (target.path().join("a.zarr"), target.path().join("b.n5"));
        run!("-q", "convert", data.join(path), &zarr, "--to-zarr").code(0);
        run!("diff", data.join(path), &zarr).code(0);
        run!("-q", "convert", &zarr, &n5, "--to-n5", "--compression", "zstd:1").code(0);
        run!("diff", data.join(path), &n5).code(0);
    }
}
