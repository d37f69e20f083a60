//! What the program does with whole hierarchies: the version of N5 at a root, groups of Zarr,
//! version 2.
//!
//! The specification of N5 says that the root states a version; what a document has is kept as it
//! is.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::path::Path;

use support::{files, hex, write};

const MEMBERS: &str = r#""dimensions":[5,4],"blockSize":[3,3],"dataType":"uint16","compression":{"type":"raw"}"#;

/// An array of zeros, and 7 in its first element.
fn n5_array(folder: &Path, more: &str) {
    write(folder.join("attributes.json"), format!("{{{more}{MEMBERS}}}"));
    write(folder.join("0/0"), [hex("0000 0002 00000001 00000001"), hex("0007")].concat());
}

fn zarr_array(folder: &Path, attributes: &str) {
    let codec = r#"{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}]}}"#;
    let document = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[5,4],"data_type":"uint16","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[3,3]}}}},"chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},"fill_value":0,"codecs":[{codec}]{attributes}}}"#
    );
    write(folder.join("zarr.json"), document);
    write(folder.join("0/0"), [hex("0000 0002 00000001 00000001"), hex("0007")].concat());
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

fn json(path: impl AsRef<Path>) -> serde_json::Value {
    serde_json::from_str(&text(path)).unwrap()
}

#[test]
fn policy_43_a_new_container_has_the_version_of_the_old_root() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    n5_array(&at("versioned"), r#""n5":"2.5.0","note": "mine","#);
    n5_array(&at("unversioned"), "");
    n5_array(&at("null"), r#""n5":null,"#);
    zarr_array(&at("zarr"), "");
    zarr_array(&at("converted"), r#","attributes":{"note":"mine"}"#);
    n5_array(&at("group/a/s0"), "");
    write(at("group/attributes.json"), r#"{"n5" : "2.5.0","x":[ 1 ]}"#);
    n5_array(&at("bare/a/s0"), "");
    zarr_array(&at("zarrs/a/0"), "");
    write(at("zarrs/zarr.json"), r#"{"zarr_format":3,"node_type":"group","attributes":{"x":1}}"#);
    for (name, version, more) in [
        ("versioned", "2.5.0", &["note"][..]),
        ("unversioned", "4.0.0", &[]),
        ("null", "4.0.0", &[]),
        ("zarr", "4.0.0", &[]),
        ("converted", "4.0.0", &["note"]),
        ("group", "2.5.0", &["x"]),
        ("bare", "4.0.0", &[]),
        ("zarrs", "4.0.0", &["x"]),
    ] {
        for (number, arguments) in [&[][..], &["--compression", "zstd"], &["--block-size", "2,2"]].iter().enumerate() {
            let target = at(&format!("{name}-{number}"));
            let mut command =
                vec!["-q".into(), "convert".into(), at(name).into_os_string(), target.clone().into_os_string(), "--to-n5".into()];
            command.extend(arguments.iter().map(Into::into));
            support::zn5(command).code(0);
            let root = json(target.join("attributes.json"));
            assert_eq!(root["n5"], version, "{name}: {root}");
            assert!(more.iter().all(|member| root.get(member).is_some()), "{name}: {root}");
            run!("diff", at(name), &target).code(0);
            // Only the root states it.
            let stated = files(&target).into_iter().filter(|(path, _)| path.ends_with("attributes.json"));
            assert_eq!(stated.filter(|(_, text)| String::from_utf8_lossy(text).contains("\"n5\"")).count(), 1, "{name}");
        }
    }
    run!("-q", "convert", at("versioned"), at("kept")).code(0);
    assert_eq!(json(at("kept/attributes.json"))["n5"], "2.5.0");
    run!("-q", "convert", at("versioned"), at("as-zarr"), "--to-zarr").code(0);
    assert!(!at("as-zarr/attributes.json").exists());
}

#[test]
fn policy_43_a_root_that_is_converted_in_place_states_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // There and back, byte for byte where there is a version.
    n5_array(&at("versioned"), r#""note": "mine", "n5":"2.5.0","#);
    let before = text(at("versioned/attributes.json"));
    run!("-q", "convert", at("versioned"), "--in-place").code(0);
    fs::remove_file(at("versioned/attributes.json")).unwrap();
    run!("-q", "convert", at("versioned"), "--in-place", "--to-n5").code(0);
    assert_eq!(text(at("versioned/attributes.json")), before);

    // One that has none, and is there, is what the other document says.
    n5_array(&at("unversioned"), "");
    let before = text(at("unversioned/attributes.json"));
    run!("-q", "convert", at("unversioned"), "--in-place").code(0);
    assert!(run!("convert", at("unversioned"), "--in-place", "--to-n5").code(0).out.contains("1 document there already"));
    assert_eq!(text(at("unversioned/attributes.json")), before);

    // New ones get it; again, nothing is to be done.
    zarr_array(&at("array"), r#","attributes":{"note":"mine"}"#);
    zarr_array(&at("group/a"), "");
    write(at("group/zarr.json"), r#"{"zarr_format":3,"node_type":"group","attributes":{"x":1}}"#);
    for (name, expected) in
        [("array", format!(r#"{{"n5":"4.0.0",{MEMBERS},"note":"mine"}}"#)), ("group", r#"{"n5":"4.0.0","x":1}"#.to_owned())]
    {
        run!("-q", "convert", at(name), "--in-place", "--to-n5").code(0);
        assert_eq!(text(at(name).join("attributes.json")), expected);
        let again = run!("convert", at(name), "--in-place", "--to-n5").code(0);
        assert!(again.out.contains("there already") && !again.out.contains("wrote"), "{}", again.out);
    }
    assert_eq!(text(at("group/a/attributes.json")), format!("{{{MEMBERS}}}"));

    // What is replaced leaves its version.
    write(at("array/attributes.json"), format!(r#"{{"n5":"2.1.3","old":1,{MEMBERS}}}"#));
    run!("convert", at("array"), "--in-place", "--to-n5").code(3);
    run!("-q", "convert", at("array"), "--in-place", "--to-n5", "--overwrite").code(0);
    assert_eq!(text(at("array/attributes.json")), format!(r#"{{"n5":"2.1.3",{MEMBERS},"note":"mine"}}"#));

    // An array inside of a container is no root.
    zarr_array(&at("group/b"), "");
    run!("-q", "convert", at("group/b"), "--in-place", "--to-n5").code(0);
    assert_eq!(text(at("group/b/attributes.json")), format!("{{{MEMBERS}}}"));
}

#[test]
fn policy_42_a_new_container_of_zarr_has_a_document_for_each_group() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source.n5"), folder.path().join("target.zarr"));
    n5_array(&source.join("a/b/s0"), "");
    write(source.join("a/attributes.json"), r#"{"axes":["x"]}"#);
    write(source.join("empty/attributes.json"), "{}");
    run!("-q", "convert", &source, &target, "--to-zarr").code(0);
    let documents: Vec<_> = files(&target).into_keys().filter(|path| path.ends_with("zarr.json")).collect();
    let expected = ["a/b/s0/zarr.json", "a/b/zarr.json", "a/zarr.json", "empty/zarr.json", "zarr.json"];
    assert_eq!(documents, expected.map(|path| target.join(path)));
    assert_eq!(json(target.join("a/zarr.json"))["attributes"], serde_json::json!({"axes": ["x"]}));
    assert!(files(&target).into_keys().all(|path| !path.ends_with("attributes.json")));
    // Of an array alone, too.
    let alone = folder.path().join("alone.zarr");
    run!("-q", "convert", source.join("a/b/s0"), &alone, "--to-zarr").code(0);
    assert!(alone.join("zarr.json").is_file());
    run!("diff", source.join("a/b/s0"), &alone).code(0);
}

#[test]
fn an_array_of_zarr_version_2_is_unsupported_in_every_command_and_no_damage() {
    const WORDS: &str = ".zarray: an array of Zarr version 2, which zn5 does not read; `zarr migrate v3` of zarr-python converts it";
    let v2 = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}"#;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(at("v2/.zarray"), v2);
    write(at("v2/0"), "ab");
    n5_array(&at("n5"), "");
    for command in ["cat", "view", "stats"] {
        let refused = run!(command, at("v2")).code(4);
        assert!(refused.err.contains(WORDS), "{command}: {}", refused.err);
        assert_eq!(refused.out, "", "{command}");
    }
    // What cannot be opened is not missing.
    for (a, b) in [("v2", "n5"), ("n5", "v2"), ("v2", "v2")] {
        let refused = run!("diff", at(a), at(b)).code(4);
        assert!(refused.out.contains(WORDS) && !refused.out.contains("only in"), "{}", refused.out);
    }
    let info = run!("info", at("v2"));
    assert!(info.out.contains(WORDS), "{}", info.out);
    let verified = run!("verify", at("v2")).code(4);
    assert!((verified.out + &verified.err).contains(WORDS));

    // Inside of a container the rest is shown, and what is no array is a group.
    write(at("mixed/.zgroup"), r#"{"zarr_format":2}"#);
    write(at("mixed/old/.zarray"), v2);
    n5_array(&at("mixed/new"), "");
    write(at("mixed/group/.zgroup"), r#"{"zarr_format":2}"#);
    let listed = run!("ls", "-r", at("mixed")).code(0).out;
    assert!(listed.contains("old") && listed.contains("new"), "{listed}");
    let info = run!("info", at("mixed")).code(0).out;
    assert!(info.contains(WORDS) && info.matches("Zarr version 2").count() == 1, "{info}");
    let group = run!("cat", at("mixed")).code(2);
    assert!(group.err.contains("is a group") && group.err.contains("mixed/new"), "{}", group.err);

    // Converting says so of both, and puts no document beside theirs.
    let before = files(&at("mixed"));
    let refused = run!("convert", at("mixed"), "--in-place").code(4);
    assert!(refused.out.contains("a group of Zarr version 2") && refused.out.contains(WORDS), "{}", refused.out);
    assert_eq!(files(&at("mixed")), before);
    let copied = run!("convert", at("mixed"), at("copy"), "--to-zarr").code(4);
    assert!(copied.out.contains("a group of Zarr version 2") && copied.out.contains(WORDS), "{}", copied.out);
    run!("diff", at("mixed/new"), at("copy/new")).code(0);

    // Beside another document it does not count.
    write(at("n5/.zarray"), v2);
    run!("stats", at("n5")).code(0);
    zarr_array(&at("v3"), "");
    write(at("v3/.zarray"), v2);
    run!("stats", at("v3")).code(0);
}
