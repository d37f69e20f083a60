//! The committed header is what `src/ffi` says: generates it anew and compares, together with the list of exported symbols.
//!
//! `BLESS=1 cargo test --test header` rewrites `include/zn5.h` and `include/zn5.symbols`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::format_push_string, clippy::format_collect)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The sections in the header's order: file below `src/ffi`, title.
const SECTIONS: &[(&str, &str)] = &[
    ("version.rs", "Version"),
    ("status.rs", "Status codes"),
    ("error.rs", "Errors"),
    ("dtype.rs", "Data types and orders"),
    ("options.rs", "Codec options"),
    ("codec.rs", "Codec"),
    ("block.rs", "Blocks"),
    ("utf32.rs", "Fixed-length UTF-32"),
    ("metadata.rs", "Metadata"),
    ("store.rs", "Stores"),
    ("callbacks.rs", "Stores of the program"),
    ("node.rs", "Nodes"),
    ("dataset.rs", "Datasets"),
];

/// Files of `src/ffi` that export nothing to C programs.
const PRIVATE: &[&str] = &["mod.rs", "guard.rs", "ptr.rs", "panic_test.rs", "prologue.h"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn generate() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut header = fs::read_to_string(root().join("src/ffi/prologue.h"))
        .unwrap()
        .replace("@VERSION@", version)
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
        .replace("@PATCH@", env!("CARGO_PKG_VERSION_PATCH"));
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    for (file, title) in SECTIONS {
        let mut section = Vec::new();
        cbindgen::Builder::new()
            .with_config(config.clone())
            .with_src(root().join("src/ffi").join(file))
            .generate()
            .unwrap_or_else(|error| panic!("src/ffi/{file}: {error}"))
            .write(&mut section);
        let section = tidy(&String::from_utf8(section).unwrap());
        let section = section.trim();
        let anchor: String = title.to_lowercase().replace([' ', '-'], "_");
        header.push_str(&format!(
            "\n/* {0}\n * {title}\n * {0} */\n\n/** @defgroup {anchor} {title}\n * @{{ */\n\n{section}\n\n/** @}} */\n",
            "-".repeat(114)
        ));
    }
    header.push_str("\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* ZN5_H */\n");
    header
}

/// Short comments in one line, declarations wrapped like prose.
fn tidy(section: &str) -> String {
    let mut lines = section.lines();
    let mut tidied = String::new();
    while let Some(line) = lines.next() {
        if line.trim() == "/**" {
            let mut comment = vec![line];
            while !comment.last().unwrap().trim().ends_with("*/") {
                comment.push(lines.next().unwrap());
            }
            if comment.len() == 3 && comment[1].len() < 114 {
                let indent = &line[..line.len() - line.trim_start().len()];
                tidied.push_str(&format!("{indent}/** {} */\n", comment[1].trim().trim_start_matches("* ")));
            } else {
                tidied.push_str(&(comment.join("\n") + "\n"));
            }
        } else if line.starts_with("ZN5_API") {
            let mut declaration = line.to_owned();
            while !declaration.ends_with(';') {
                declaration.push(' ');
                declaration.push_str(lines.next().unwrap().trim());
            }
            tidied.push_str(&wrap(&declaration));
        } else {
            tidied.push_str(line);
            tidied.push('\n');
        }
    }
    tidied
}

/// A declaration in lines of at most 120 characters, broken after commas.
fn wrap(declaration: &str) -> String {
    let mut wrapped = String::new();
    let mut line = String::new();
    for part in declaration.split_inclusive(", ") {
        if line.len() + part.trim_end().len() > 120 {
            wrapped.push_str(line.trim_end());
            wrapped.push('\n');
            line = " ".repeat(4);
        }
        line.push_str(part);
    }
    wrapped + line.trim_end() + "\n"
}

/// The functions that a header declares.
fn functions(header: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in header.lines().filter(|line| line.starts_with("ZN5_API ")) {
        let before = line.split('(').next().unwrap();
        let name: String = before.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        names.insert(name.chars().rev().collect());
    }
    names
}

fn compare(path: &Path, generated: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, generated).unwrap();
        return;
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    if committed == generated {
        return;
    }
    let line = committed.lines().zip(generated.lines()).position(|(a, b)| a != b);
    let line = line.unwrap_or_else(|| committed.lines().count().min(generated.lines().count()));
    panic!(
        "{} is not what src/ffi says. First difference in line {}:\n  committed: {}\n  generated: {}\nRun BLESS=1 cargo test --test header",
        path.display(),
        line + 1,
        committed.lines().nth(line).unwrap_or("(end)"),
        generated.lines().nth(line).unwrap_or("(end)")
    );
}

#[test]
fn the_header_is_up_to_date() {
    compare(&root().join("include/zn5.h"), &generate());
}

#[test]
fn the_symbol_list_is_up_to_date() {
    let names = functions(&generate());
    assert!(names.contains("zn5_decode_block"), "{names:?}");
    let list: String = names.iter().map(|name| format!("{name}\n")).collect();
    compare(&root().join("include/zn5.symbols"), &list);
}

#[test]
fn every_exported_function_is_declared() {
    let mut exported = BTreeSet::new();
    for entry in fs::read_dir(root().join("src/ffi")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(
            PRIVATE.contains(&name.as_str()) || SECTIONS.iter().any(|section| section.0 == name),
            "src/ffi/{name} is neither a section of the header nor private: say which in tests/header.rs"
        );
        if name == "panic_test.rs" {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for part in source.split("#[unsafe(no_mangle)]").skip(1) {
            let (_, function) = part.split_once("extern \"C\" fn ").unwrap();
            exported.insert(function.split('(').next().unwrap().to_owned());
        }
    }
    assert_eq!(exported, functions(&generate()));
}
