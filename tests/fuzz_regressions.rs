//! The inputs below `fuzz/regressions` once more, without a fuzzer, on every platform: those that broke something once, and a few that
//! reach much of each target.

#![allow(unreachable_pub, reason = "the targets are a library of their own in fuzz/")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_wrap,
    clippy::multiple_unsafe_ops_per_block,
    clippy::too_many_lines,
    clippy::wildcard_imports
)]

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
mod targets;

#[test]
fn inputs_that_are_kept_break_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/regressions");
    for target in targets::TARGETS {
        let mut inputs: Vec<_> = fs::read_dir(root.join(target.name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "{} has no input", target.name);
        for input in inputs {
            let data = fs::read(&input).unwrap();
            let outcome = std::panic::catch_unwind(|| targets::run(target.name, &data));
            assert!(outcome.is_ok(), "{} breaks the target {}", input.display(), target.name);
        }
    }
}

/// A folder, a program or an entry of the manifest that is no target's would be tried by nobody.
#[test]
fn folders_and_programs_are_those_of_the_targets() {
    let names: Vec<_> = targets::TARGETS.iter().map(|target| target.name).collect();
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (folder, ending) in [("regressions", ""), ("fuzz_targets", ".rs")] {
        let mut found = vec![];
        for entry in fs::read_dir(fuzz.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            found.push(name.strip_suffix(ending).unwrap().to_owned());
        }
        found.sort();
        let mut expected = names.clone();
        expected.sort_unstable();
        assert_eq!(found, expected, "in fuzz/{folder}");
    }
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in &names {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")), "{name} is not in fuzz/Cargo.toml");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), names.len());
}
