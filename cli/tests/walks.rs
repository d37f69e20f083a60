//! One bad place among many: what cannot be read is named, the rest is done, and the exit code tells both.
//!
//! The bad places are made in folders of our own, and looked at by a user for whom modes count.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use support::{Run, Somebody, attributes, files, write};

const ARRAY: &str = r#"{"dimensions":[6,4],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"raw"}}"#;
const ZARR: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,6],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}"#;

/// A block of 2 x 2 elements as N5 stores it.
const BLOCK: &str = "0000 0002 00000002 00000002 01 02 03 04";

fn mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A folder that everybody may enter and write into; its modes are given back at the end.
struct World {
    folder: tempfile::TempDir,
    locked: Vec<PathBuf>,
    somebody: Somebody,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        mode(folder.path(), 0o777);
        Self { folder, locked: Vec::new(), somebody: Somebody::new() }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// An array of N5, 3 x 2 blocks of 2 x 2.
    fn n5(&self, below: &str) {
        write(self.path(below).join("attributes.json"), ARRAY);
        for (x, y) in (0..3).flat_map(|x| (0..2).map(move |y| (x, y))) {
            write(self.path(below).join(format!("{x}/{y}")), support::hex(BLOCK));
        }
    }

    /// The same as an array of Zarr.
    fn zarr(&self, below: &str) {
        write(self.path(below).join("zarr.json"), ZARR);
        for (x, y) in (0..3).flat_map(|x| (0..2).map(move |y| (x, y))) {
            write(self.path(below).join(format!("c/{y}/{x}")), [1, 2, 3, 4]);
        }
    }

    fn lock(&mut self, below: &str, bits: u32) {
        self.locked.push(self.path(below));
        mode(self.path(below), bits);
    }

    /// Runs the program; what begins with '/' is a path in this world.
    fn zn5(&self, args: &[&str]) -> Run {
        self.somebody.zn5(args.iter().map(|arg| match arg.strip_prefix('/') {
            Some(below) => self.path(below).into_os_string(),
            None => OsString::from(arg),
        }))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for path in self.locked.iter().rev() {
            let bits = if path.is_dir() { 0o777 } else { 0o666 };
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(bits));
        }
    }
}

fn kinds(report: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    report["problems"].as_array().unwrap().iter().map(|problem| (text(&problem["kind"]), text(&problem["file"]))).collect()
}

#[test]
fn policy_48_a_locked_folder_of_blocks_beside_a_damaged_block() {
    for zarr in [false, true] {
        let mut world = World::new();
        for array in ["viewer/img/c0/s0", "viewer/img/c0/s1", "viewer/img/c1/s0"] {
            if zarr { world.zarr(array) } else { world.n5(array) }
        }
        let (locked, damaged) = if zarr { ("c/1", "c/0/0") } else { ("2", "0/0") };
        let (locked, damaged) = (format!("viewer/img/c0/s0/{locked}"), format!("viewer/img/c1/s0/{damaged}"));
        write(world.path(&damaged), [0]);
        world.lock(&locked, 0o000);
        let (locked_path, damaged_path) = (world.path(&locked), world.path(&damaged));
        let (locked_path, damaged_path) = (locked_path.to_str().unwrap(), damaged_path.to_str().unwrap());

        // 6 blocks each, less those in the folder that is locked.
        let seen = if zarr { 3 } else { 4 };
        let report = world.zn5(&["verify", "--json", "/viewer"]).code(1).json();
        let expected = [("PERMISSION", locked_path), ("TRUNCATED_BLOCK", damaged_path)];
        assert_eq!(kinds(&report), expected.map(|(kind, file)| (kind.to_owned(), file.to_owned())));
        assert_eq!((report["arrays"].as_u64(), report["blocks"].as_u64()), (Some(3), Some(6 + 6 + seen)));
        let text = world.zn5(&["verify", "/viewer"]).code(1).out;
        assert!(text.contains(&format!("PERMISSION  {locked_path}: ")), "{text}");
        assert!(text.contains(&format!("TRUNCATED_BLOCK  {damaged_path}")), "{text}");
        // Without the damage the folder is all that is wrong.
        world.zn5(&["verify", "/viewer/img/c0"]).code(3);

        // A chunk of Zarr has no header by which info could know.
        let info = world.zn5(&["info", "/viewer"]).code(if zarr { 3 } else { 1 });
        assert!(info.out.matches("uint8  6 × 4").count() == 3 || zarr, "{}", info.out);
        assert!(info.out.matches(&format!("in {seen} blocks, at most {} missing", 6 - seen)).count() == 1, "{}", info.out);
        assert!(info.out.contains(", 1 folder cannot be listed"), "{}", info.out);
        assert!(info.out.contains(&format!("{locked_path}: cannot list ")), "{}", info.out);
        assert_eq!(info.out.contains(&format!("{damaged_path}: the block ends ")), !zarr, "{}", info.out);
        assert!(info.err.is_empty(), "{}", info.err);
        let info = world.zn5(&["info", "--json", "/viewer/img"]).json();
        let s0 = &info[0]["root"]["children"][0]["children"][0];
        assert_eq!((&s0["array"]["blocks"]["unlisted"], &s0["array"]["blocks"]["stored"]), (&1.into(), &seen.into()));
        assert_eq!(s0["problems"][0]["path"].as_str(), Some(locked_path));
        let s0 = &info[0]["root"]["children"][1]["children"][0];
        assert_eq!(s0["array"]["blocks"].get("damaged").and_then(serde_json::Value::as_u64), (!zarr).then_some(1));
        world.zn5(&["info", "--quick", "/viewer"]).code(0);
        world.zn5(&["ls", "-r", "/viewer"]).code(0);

        // c0/s1 is compared and converted all the same.
        let diff = world.zn5(&["diff", "--json", "/viewer", "/viewer"]).code(1).json();
        assert_eq!(diff["failed"].as_array().unwrap().len(), 2, "{diff}");
        assert_eq!((diff["equal"].as_bool(), diff["arrays"].as_array().unwrap().len()), (Some(false), 1), "{diff}");
        assert_eq!(diff["arrays"][0]["path"], "img/c0/s1");
        let convert = world.zn5(&["convert", "--json", "--to-n5", "/viewer", "/new"]).code(1).json();
        let refused: Vec<_> = convert["refused"].as_array().unwrap().iter().map(|refusal| refusal["path"].as_str().unwrap()).collect();
        assert_eq!(refused, ["c0/s0", "c1/s0"].map(|below| world.path("viewer/img").join(below).to_str().unwrap().to_owned()));
        world.zn5(&["diff", "/viewer/img/c0/s1", "/new/img/c0/s1"]).code(0);
        // Half an array would read as zeros.
        assert!(!world.path("new/img/c0/s0").exists() && !world.path("new/img/c1/s0").exists());
        assert_eq!(world.zn5(&["verify", "--json", "/new"]).code(0).json()["arrays"], 1);
    }
}

/// One bad node beside good ones; what it is, the exit code of showing it, and that of checking it.
type Bad = (&'static str, fn(&mut World), i32, i32);

const BAD_NODES: [Bad; 12] = [
    (
        "locked document",
        |world| {
            world.n5("in/bad");
            world.lock("in/bad/attributes.json", 0);
        },
        3,
        3,
    ),
    (
        "locked document of Zarr",
        |world| {
            world.zarr("in/bad");
            world.lock("in/bad/zarr.json", 0);
        },
        3,
        3,
    ),
    (
        "locked folder",
        |world| {
            world.n5("in/bad/s0");
            world.lock("in/bad", 0);
        },
        3,
        3,
    ),
    (
        "folder whose names alone are to be seen",
        |world| {
            world.n5("in/bad/s0");
            world.lock("in/bad", 0o444);
        },
        3,
        3,
    ),
    (
        "group that cannot be listed",
        |world| {
            write(world.path("in/bad/attributes.json"), "{}");
            world.lock("in/bad", 0o111);
        },
        3,
        3,
    ),
    (
        "array that cannot be listed",
        |world| {
            world.n5("in/bad");
            world.lock("in/bad", 0o111);
        },
        3,
        3,
    ),
    ("link to nowhere", |world| symlink("/nowhere/at/all", world.path("in/bad")).unwrap(), 3, 3),
    ("link to itself", |world| symlink("bad", world.path("in/bad")).unwrap(), 3, 3),
    (
        "document that is a link to nowhere",
        |world| {
            write(world.path("in/bad/x"), "");
            symlink("gone", world.path("in/bad/attributes.json")).unwrap();
        },
        3,
        3,
    ),
    ("damaged document", |world| write(world.path("in/bad/attributes.json"), "{\"dimensions\":"), 1, 1),
    ("impossible document", |world| write(world.path("in/bad/attributes.json"), ARRAY.replace("[6,4]", "[6]")), 1, 1),
    (
        "unknown compression",
        |world| write(world.path("in/bad/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"jpeg"}"#)),
        0,
        4,
    ),
];

#[test]
fn policy_48_each_kind_of_bad_node_is_named_and_the_rest_is_done() {
    for (what, make, shown, checked) in BAD_NODES {
        let mut world = World::new();
        world.n5("in/good");
        world.n5("in/later");
        world.n5("other/good");
        world.n5("other/later");
        world.n5("other/bad/s0");
        write(world.path("in/attributes.json"), r#"{"n5":"2.5.0"}"#);
        make(&mut world);
        let place = world.path("in/bad").to_str().unwrap().to_owned();
        let later = world.path("in/later").to_str().unwrap().to_owned();

        let info = world.zn5(&["info", "/in"]).code(shown).out;
        assert!(info.contains("bad") && info.contains("later") && info.matches("in 6 blocks").count() >= 2, "{what}: {info}");
        assert!(info.contains("cannot be opened: ") || info.contains("cannot list "), "{what}: {info}");
        let info = world.zn5(&["info", "--json", "/in"]).code(shown).json();
        let bad = info[0]["root"]["children"].as_array().unwrap().iter().find(|child| child["path"] == "bad").unwrap();
        assert!(bad["reason"].is_string() || bad["problems"][0]["reason"].is_string(), "{what}: {bad}");

        for args in [&["ls", "/in"][..], &["ls", "-r", "/in"], &["ls", "-l", "/in"]] {
            // One level does not look below arrays.
            let shown = if what == "array that cannot be listed" && args[1] != "-r" { 0 } else { shown };
            let ls = world.zn5(args).code(shown);
            assert!(ls.out.contains(&place) && ls.out.contains(&later), "{what}: {}", ls.out);
            assert_eq!(ls.err.contains(&place), shown != 0 && args[1] != "-l", "{what}: {}", ls.err);
        }

        let verify = world.zn5(&["verify", "--json", "/in"]).code(checked).json();
        let named = |list: &str| {
            verify[list]
                .as_array()
                .unwrap()
                .iter()
                .any(|entry| ["file", "path"].iter().any(|member| entry[*member].as_str().is_some_and(|path| path.starts_with(&place))))
        };
        assert_eq!((named("problems"), named("unsupported")), (shown != 0, shown == 0), "{what}: {verify}");
        assert!(verify["blocks"].as_u64() >= Some(12), "{what}: {verify}");

        // What cannot be read in one may be there: it is not only in the other.
        let diff = world.zn5(&["diff", "--json", "/in", "/other"]).json();
        assert_eq!(diff["arrays"].as_array().unwrap().len(), 2, "{what}: {diff}");
        let only = diff["only_in_b"].as_array().unwrap();
        if shown == 3 {
            assert!(only.is_empty(), "{what}: {diff}");
            // Of one it is known that it is an array, which the other container has not.
            let differs = what == "array that cannot be listed";
            assert_eq!(diff["only_in_a"].as_array().unwrap().len(), usize::from(differs), "{what}: {diff}");
            world.zn5(&["diff", "/in", "/other"]).code(if differs { 1 } else { 3 });
        }

        let before = support::files(&world.path("other"));
        mode(world.path("in"), 0o777);
        let refused = world.zn5(&["convert", "--in-place", "/in"]).code(if shown == 0 { 4 } else { shown });
        assert!(refused.out.contains(&place) && refused.out.contains("nothing was written"), "{what}: {}", refused.out);
        assert!(!world.path("in/good/zarr.json").exists(), "{what}");
        assert_eq!(before, files(&world.path("other")));

        let anew = world.zn5(&["convert", "--json", "/in", "/new"]).code(if shown == 0 { 4 } else { shown }).json();
        assert!(anew["refused"].as_array().unwrap().iter().any(|refusal| refusal["path"].as_str().unwrap().starts_with(&place)), "{what}");
        world.zn5(&["diff", "/in/later", "/new/later"]).code(0);
    }
}

#[test]
fn policy_48_all_that_is_wrong_is_named_and_damage_counts_most() {
    let mut world = World::new();
    for array in ["in/a", "in/b", "in/group/c", "in/z"] {
        world.n5(array);
    }
    world.lock("in/a/attributes.json", 0);
    write(world.path("in/b/attributes.json"), "[");
    world.lock("in/group", 0);
    write(world.path("in/jpeg/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"jpeg"}"#));
    let names = |run: &Run| ["in/a", "in/b", "in/group", "in/jpeg"].map(|name| run.out.contains(world.path(name).to_str().unwrap()));
    for args in [&["verify", "/in"][..], &["convert", "--in-place", "/in"], &["convert", "--in-place", "--dry-run", "/in"]] {
        let run = world.zn5(args).code(1);
        assert_eq!(names(&run), [true; 4], "{args:?}: {}", run.out);
    }
    assert!(!world.path("in/z/zarr.json").exists());
    assert_eq!(world.zn5(&["info", "/in"]).code(1).out.matches("cannot be opened: ").count(), 4);
    let ls = world.zn5(&["ls", "-l", "/in"]).code(1);
    assert_eq!(names(&ls), [true; 4], "{}", ls.out);
    // Without the damage, what is locked counts.
    fs::remove_dir_all(world.path("in/b")).unwrap();
    for command in ["verify", "info", "ls"] {
        world.zn5(&[command, "/in"]).code(3);
    }
}

#[test]
fn policy_48_links_and_folders_in_the_place_of_blocks() {
    let world = World::new();
    world.n5("a");
    for (key, target) in [("0/0", "/nowhere/at/all"), ("0/1", "1")] {
        fs::remove_file(world.path("a").join(key)).unwrap();
        symlink(target, world.path("a").join(key)).unwrap();
    }
    // A folder where a block should be, and a file where a folder of blocks should be.
    fs::remove_file(world.path("a/1/0")).unwrap();
    fs::create_dir(world.path("a/1/0")).unwrap();
    fs::remove_dir_all(world.path("a/2")).unwrap();
    write(world.path("a/2"), "?");
    let report = world.zn5(&["verify", "--json", "/a"]).code(3).json();
    let files = |list: &str| -> Vec<String> {
        let place = |problem: &serde_json::Value| problem["file"].as_str().unwrap().rsplit_once("/a/").unwrap().1.to_owned();
        report[list].as_array().unwrap().iter().map(place).collect()
    };
    assert_eq!((files("problems"), files("stray")), (vec!["0/0".into(), "0/1".into()], vec!["2".into(), "1/0".into()]), "{report}");
    assert_eq!(report["blocks"], 3);
    let info = world.zn5(&["info", "/a"]).code(3).out;
    assert!(info.contains("in 1 block, 3 missing") && info.contains(", 2 unreadable"), "{info}");
    assert!(info.contains("a link that leads nowhere") && info.contains("links lead in a circle"), "{info}");
}

#[test]
fn policy_48_a_folder_in_the_place_of_a_document_is_a_group() {
    let world = World::new();
    world.n5("in/good");
    fs::create_dir_all(world.path("in/odd/attributes.json")).unwrap();
    write(world.path("in/file"), "a file where a group could be");
    let ls = world.zn5(&["ls", "/in"]).code(0).out;
    assert!(ls.contains("in/odd/") && ls.contains("in/good") && !ls.contains("in/file"), "{ls}");
    world.zn5(&["info", "/in"]).code(0);
    world.zn5(&["verify", "/in"]).code(0);
}

#[test]
fn policy_48_more_bad_blocks_than_anybody_wants_to_read_are_counted() {
    let world = World::new();
    write(world.path("a/attributes.json"), attributes("[300]", "[1]", "uint8", r#"{"type":"raw"}"#));
    for block in 0..300 {
        write(world.path(&format!("a/{block}")), if block % 2 == 0 { "" } else { "\0" });
    }
    let info = world.zn5(&["info", "/a"]).code(1).out;
    assert!(info.contains("in 300 blocks, ") && info.contains(", 150 of 0 bytes") && info.contains(", 150 damaged"), "{info}");
    assert!(info.lines().count() < 10 && info.contains("`zn5 verify` names all"), "{info}");
    let info = world.zn5(&["info", "--json", "/a"]).code(1).json();
    assert_eq!((&info[0]["root"]["array"]["blocks"]["damaged"], &info[0]["root"]["array"]["blocks"]["empty"]), (&150.into(), &150.into()));
    assert_eq!(world.zn5(&["verify", "--json", "/a"]).code(1).json()["problems"].as_array().unwrap().len(), 300);
}

#[test]
fn info_and_ls_end_as_other_commands_do_where_the_path_itself_cannot_be_opened() {
    let mut world = World::new();
    write(world.path("jpeg/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"jpeg"}"#));
    write(world.path("type/attributes.json"), attributes("[3]", "[3]", "complex", r#"{"type":"raw"}"#));
    write(world.path("codec/zarr.json"), ZARR.replace(r#"{"name":"bytes"}"#, r#"{"name":"pizza"}"#));
    write(world.path("json/attributes.json"), "{");
    write(world.path("rank/attributes.json"), ARRAY.replace("[6,4]", "[6]"));
    world.n5("locked");
    world.lock("locked/attributes.json", 0);
    world.n5("closed");
    world.lock("closed", 0);
    for (path, code) in [("/jpeg", 4), ("/type", 4), ("/codec", 4), ("/json", 1), ("/rank", 1), ("/locked", 3), ("/closed", 3)] {
        let info = world.zn5(&["info", path]).code(code);
        assert!(info.out.contains("cannot be opened: ") && info.err.is_empty(), "{path}: {}{}", info.out, info.err);
        assert!(world.zn5(&["info", "--json", path]).code(code).json()[0]["root"]["reason"].is_string(), "{path}");
        assert!(world.zn5(&["ls", path]).code(code).out.contains(path), "{path}");
        world.zn5(&["stats", path]).code(code);
        world.zn5(&["verify", path]).code(code);
        // Several paths end as the worst of them does.
        world.zn5(&["info", path, "/jpeg"]).code(code);
        world.zn5(&["ls", path, "/jpeg"]).code(code);
    }
    write(world.path("old/.zarray"), "{}");
    world.zn5(&["info", "/old"]).code(4);
    world.zn5(&["info", "/nowhere", "/json"]).code(1);
    assert!(world.zn5(&["ls", "/nowhere", "/jpeg"]).code(3).out.contains("jpeg"));
}

#[test]
fn policy_48_an_array_that_cannot_be_copied_leaves_nothing_and_what_is_below_it_is() {
    let world = World::new();
    world.n5("root");
    world.n5("root/below");
    write(world.path("root/2/1"), "?");
    let text = world.zn5(&["convert", "/root", "/new"]).code(1).out;
    assert!(text.contains("refused  ") && text.contains("/root: 2/1: the block ends"), "{text}");
    assert!(text.contains("(N5): 1 node\n"), "{text}");
    let left: Vec<_> = files(&world.path("new")).into_keys().map(|path| path.strip_prefix(world.path("new")).unwrap().to_owned()).collect();
    assert!(left.iter().all(|path| path.starts_with("below") || path == Path::new("attributes.json")), "{left:?}");
    assert!(!fs::read_to_string(world.path("new/attributes.json")).unwrap().contains("dimensions"));
    world.zn5(&["diff", "/root/below", "/new/below"]).code(0);
    // Where the new container itself fails nothing goes on.
    fs::create_dir(world.path("away")).unwrap();
    mode(world.path("away"), 0o555);
    let failed = world.zn5(&["convert", "/root", "/away/new"]).code(3);
    assert!(failed.err.contains("away/new") && failed.out.is_empty(), "{}", failed.err);
    mode(world.path("away"), 0o777);
}

#[test]
fn policy_48_a_difference_that_was_found_before_the_failure_is_told() {
    let world = World::new();
    for array in ["a/x", "b/x", "a/y", "b/y"] {
        world.n5(array);
    }
    write(world.path("b/y/0/0"), support::hex(&BLOCK.replace("01 02", "01 05")));
    write(world.path("b/x/2/1"), "");
    let diff = world.zn5(&["diff", "/a", "/b"]).code(1).out;
    assert!(diff.contains("cannot be compared  ") && diff.contains("1 of 24 voxels differ"), "{diff}");
}

/// What comes and goes while a tree is walked is not there, or is: never an error.
#[test]
fn policy_48_nodes_and_blocks_that_vanish_meanwhile_are_no_error() {
    let world = World::new();
    world.n5("in/a");
    world.n5("in/z");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // Ready before it is in its place, as a careful writer does it.
                world.n5("away/node");
                fs::rename(world.path("away/node"), world.path("in/node")).unwrap();
                fs::remove_file(world.path("in/node/0/0")).unwrap();
                fs::remove_dir_all(world.path("in/node/1")).unwrap();
                fs::rename(world.path("in/node"), world.path("away/node")).unwrap();
                fs::remove_dir_all(world.path("away/node")).unwrap();
            }
        });
        let looked = std::panic::catch_unwind(|| {
            for round in 0..12 {
                for command in ["info", "ls", "verify"] {
                    let run = support::zn5([OsString::from(command), world.path("in").into()]);
                    assert!(run.code == Some(0) && run.err.is_empty(), "{command} {round}: {}{}", run.out, run.err);
                }
            }
        });
        done.store(true, Ordering::Relaxed);
        looked.unwrap();
    });
}
