//! The shared library as an artefact: what it exports, what it needs, and what it is called. The static one is looked at by
//! cmake/consumer/run.sh, as it takes CMake to make it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The library that cargo built together with this test, which `cargo test` leaves beside it.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.with_file_name("libzn5.so");
    assert!(path.is_file(), "{} does not exist: cargo test --test symbols makes it", path.display());
    path
}

/// What a tool of binutils prints about the library.
fn ask(tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .arg(library())
        .env("LC_ALL", "C")
        .output()
        .unwrap_or_else(|error| panic!("{tool}: {error}; it comes with binutils (Debian: apt-get install binutils)"));
    assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The names in brackets of the dynamic section's entries of one kind: `0x... (NEEDED)  Shared library: [libc.so.6]`.
fn dynamic_entries(kind: &str) -> BTreeSet<String> {
    ask("readelf", &["--dynamic", "--wide"])
        .lines()
        .filter(|line| line.contains(&format!("({kind})")))
        .map(|line| line.split(['[', ']']).nth(1).unwrap().to_owned())
        .collect()
}

/// "0.1" of "0.1.0" and "1" of "1.2.3": until 1.0 a minor release may change the ABI.
fn abi() -> String {
    match env!("CARGO_PKG_VERSION_MAJOR") {
        "0" => concat!("0.", env!("CARGO_PKG_VERSION_MINOR")).to_owned(),
        major => major.to_owned(),
    }
}

#[test]
fn exports_exactly_the_listed_functions() {
    let exported: BTreeSet<String> =
        ask("nm", &["--dynamic", "--defined-only"]).lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
    let mut listed: BTreeSet<String> = read("include/zn5.symbols").lines().map(str::to_owned).collect();
    if cfg!(feature = "test-panic") {
        listed.insert("zn5_test_panic".to_owned());
    }
    assert!(
        exported == listed,
        "exported but not in include/zn5.symbols: {:?}; listed but not exported: {:?}",
        exported.difference(&listed).collect::<Vec<_>>(),
        listed.difference(&exported).collect::<Vec<_>>()
    );
}

#[test]
fn needs_nothing_but_the_c_library_and_the_unwinder() {
    let mut needed = dynamic_entries("NEEDED");
    // The dynamic linker itself, for thread-local storage; its name is the architecture's.
    needed.retain(|name| !name.starts_with("ld-linux"));
    let expected = ["libc.so.6", "libgcc_s.so.1"].map(str::to_owned);
    assert_eq!(needed, BTreeSet::from(expected));
}

#[test]
fn carries_its_soname() {
    assert_eq!(dynamic_entries("SONAME"), BTreeSet::from([format!("libzn5.so.{}", abi())]));
}

#[test]
fn the_header_has_the_version_of_the_manifest() {
    let header = read("include/zn5.h");
    let defines = |line: String| assert!(header.lines().any(|other| other == line), "no line {line:?} in include/zn5.h");
    defines(format!("#define ZN5_VERSION_MAJOR {}", env!("CARGO_PKG_VERSION_MAJOR")));
    defines(format!("#define ZN5_VERSION_MINOR {}", env!("CARGO_PKG_VERSION_MINOR")));
    defines(format!("#define ZN5_VERSION_PATCH {}", env!("CARGO_PKG_VERSION_PATCH")));
    defines(format!("#define ZN5_VERSION_STRING {:?}", env!("CARGO_PKG_VERSION")));
}
