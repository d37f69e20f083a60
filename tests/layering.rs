//! Who may use whom inside the crate, where `unsafe` may stand, and where JSON may be read.
//!
//! Reads the sources as tokens: every `crate::` and `super::` path, `use` groups and inline modules included, leads to a module
//! of the table or is a finding. The checker is itself tried on small sources that break each rule.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::fs;
use std::path::Path;

/// Every module of the crate and the modules that it may use beside itself.
const TABLE: [(&str, &[&str]); 13] = [
    ("ffi", &["dataset", "store", "codec", "metadata", "utf32", "block", "array", "compress", "model", "error"]),
    ("image", &["store", "metadata", "model", "error"]),
    ("dataset", &["store", "codec", "metadata", "array", "block", "model", "error"]),
    ("store", &["metadata", "model", "error"]),
    ("codec", &["block", "array", "compress", "model", "error"]),
    ("metadata", &["utf32", "json", "model", "error"]),
    ("utf32", &["json", "model", "error"]),
    ("json", &["error"]),
    ("block", &["model", "error"]),
    ("array", &["model", "error"]),
    ("compress", &["model", "error"]),
    ("model", &["error"]),
    ("error", &[]),
];

/// The modules that may contain `unsafe`.
const UNSAFE: [&str; 4] = ["ffi", "compress", "array", "utf32"];

/// The modules that may use `serde_json`: `image` looks into attributes with it. Documents are read
/// by `json`, so that messages are for people; its tests hold the two against each other.
const JSON: [&str; 2] = ["image", "json"];

/// One word or mark of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

/// The tokens of a source without comments, strings, characters and lifetimes; `::` is one token.
fn tokens(source: &str) -> Vec<Token> {
    let characters: Vec<char> = source.chars().collect();
    let at = |index: usize| characters.get(index).copied().unwrap_or('\0');
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut found = Vec::new();
    let mut line = 1;
    let mut index = 0;
    while index < characters.len() {
        let start = index;
        let mut token = None;
        match at(index) {
            '/' if at(index + 1) == '/' => {
                while index < characters.len() && at(index) != '\n' {
                    index += 1;
                }
            }
            '/' if at(index + 1) == '*' => index = end_of_block_comment(&characters, index),
            '"' => index = end_of_string(&characters, index),
            '\'' if at(index + 1) == '\\' => {
                index += 3;
                while index < characters.len() && at(index) != '\'' {
                    index += 1;
                }
                index += 1;
            }
            '\'' if at(index + 2) == '\'' => index += 3,
            '\'' => {
                index += 1;
                while is_word(at(index)) {
                    index += 1;
                }
            }
            ':' if at(index + 1) == ':' => {
                index += 2;
                token = Some("::".to_owned());
            }
            character if is_word(character) => {
                while is_word(at(index)) {
                    index += 1;
                }
                let word: String = characters[start..index].iter().collect();
                if matches!(word.as_str(), "r" | "br" | "cr") && matches!(at(index), '"' | '#') {
                    if let Some(end) = end_of_raw_string(&characters, index) {
                        index = end;
                    } else {
                        // A raw identifier: the word follows the mark.
                        index += 1;
                    }
                } else if matches!(word.as_str(), "b" | "c") && at(index) == '"' {
                    index = end_of_string(&characters, index);
                } else {
                    token = Some(word);
                }
            }
            character => {
                index += 1;
                if !character.is_whitespace() {
                    token = Some(character.to_string());
                }
            }
        }
        if let Some(text) = token {
            found.push(Token { text, line });
        }
        index = index.min(characters.len());
        line += characters[start..index].iter().filter(|&&character| character == '\n').count();
    }
    found
}

fn end_of_block_comment(characters: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut index = start;
    while index < characters.len() {
        match (characters[index], characters.get(index + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                index += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                index += 2;
                if depth == 0 {
                    break;
                }
            }
            _ => index += 1,
        }
    }
    index
}

fn end_of_string(characters: &[char], start: usize) -> usize {
    let mut index = start + 1;
    while index < characters.len() && characters[index] != '"' {
        index += if characters[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The end of the raw string whose `#`s or quotation mark begin at `start`; `None` if there is none.
fn end_of_raw_string(characters: &[char], start: usize) -> Option<usize> {
    let hashes = characters[start..].iter().take_while(|&&character| character == '#').count();
    if characters.get(start + hashes) != Some(&'"') {
        return None;
    }
    let mut index = start + hashes + 1;
    while index < characters.len() {
        let is_end = characters[index] == '"' && characters[index + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
        if is_end {
            return Some(index + 1 + hashes);
        }
        index += 1;
    }
    Some(characters.len())
}

/// The module path of a file, given as its path below `src`: `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_path(file: &str) -> Vec<String> {
    let mut parts: Vec<String> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// Follows the paths of one file.
struct Follower<'a> {
    tokens: &'a [Token],
    /// The top-level modules that paths lead to, with lines; "" for the crate's root itself.
    reached: Vec<(String, usize)>,
}

impl Follower<'_> {
    fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text.as_str())
    }

    /// Follows the path or `use` tree that begins at `index` inside the module `place`; gives the index behind what it has seen.
    fn follow(&mut self, mut index: usize, mut place: Vec<String>) -> usize {
        loop {
            let line = self.tokens.get(index).map_or(0, |token| token.line);
            match self.text(index) {
                "crate" => place.clear(),
                "super" => {
                    place.pop();
                }
                "self" => {}
                "{" => return self.follow_group(index + 1, &place),
                name => {
                    let first = place.first().cloned();
                    let root = if name == "*" { String::new() } else { name.to_owned() };
                    self.reached.push((first.unwrap_or(root), line));
                    return index + 1;
                }
            }
            if self.text(index + 1) != "::" {
                self.reached.push((place.first().cloned().unwrap_or_default(), line));
                return index + 1;
            }
            index += 2;
        }
    }

    fn follow_group(&mut self, mut index: usize, place: &[String]) -> usize {
        while index < self.tokens.len() && self.text(index) != "}" {
            index = self.follow(index, place.to_vec());
            let mut depth = 0;
            while index < self.tokens.len() && (depth > 0 || !matches!(self.text(index), "," | "}")) {
                match self.text(index) {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                index += 1;
            }
            if self.text(index) == "," {
                index += 1;
            }
        }
        index + 1
    }
}

/// The top-level modules that the file's `crate::`, `super::` and `self::` paths lead to.
fn reached_modules(tokens: &[Token], file: &str) -> Vec<(String, usize)> {
    let mut follower = Follower { tokens, reached: Vec::new() };
    let mut place = module_path(file);
    let mut inline_modules = Vec::new();
    let mut depth = 0_usize;
    let mut index = 0;
    while index < tokens.len() {
        let previous = if index == 0 { "" } else { follower.text(index - 1) }.to_owned();
        let next = follower.text(index + 1).to_owned();
        match follower.text(index) {
            "mod" if follower.text(index + 2) == "{" => {
                place.push(next);
                inline_modules.push(depth);
            }
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if inline_modules.last() == Some(&depth) {
                    inline_modules.pop();
                    place.pop();
                }
            }
            // `pub(crate)` and `pub(super)` use nothing.
            "crate" | "super" if previous == "(" && next == ")" => {}
            "crate" | "super" if previous != "::" => {
                index = follower.follow(index, place.clone());
                continue;
            }
            "self" if previous != "::" && next == "::" => {
                index = follower.follow(index, place.clone());
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    follower.reached
}

/// What is wrong with one file, given as its path below `src`.
fn findings(file: &str, source: &str) -> Vec<String> {
    if file == "lib.rs" {
        return Vec::new();
    }
    let module = file.split('/').next().unwrap().trim_end_matches(".rs");
    let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == module) else {
        return vec![format!("src/{file}: the module `{module}` is not in the table")];
    };
    let tokens = tokens(source);
    let mut found = Vec::new();
    for (reached, line) in reached_modules(&tokens, file) {
        if reached.is_empty() {
            found.push(format!("src/{file}:{line}: uses the crate's root; name a module"));
        } else if reached != module && !allowed.contains(&reached.as_str()) {
            found.push(format!("src/{file}:{line}: `{module}` may not use `{reached}`"));
        }
    }
    for (index, token) in tokens.iter().enumerate() {
        let line = token.line;
        let follows =
            |words: &[&str]| words.iter().enumerate().all(|(step, word)| tokens.get(index + step).is_some_and(|t| t.text == *word));
        if token.text == "unsafe" && !UNSAFE.contains(&module) {
            found.push(format!("src/{file}:{line}: `unsafe` is not allowed in `{module}`"));
        }
        if token.text == "serde_json" && !JSON.contains(&module) {
            found.push(format!("src/{file}:{line}: JSON is not read in `{module}`"));
        }
        if follows(&["extern", "crate"]) || follows(&["#", "[", "path"]) {
            found.push(format!(
                "src/{file}:{line}: `{}` hides where a module lies",
                if token.text == "#" { "#[path]" } else { "extern crate" }
            ));
        }
    }
    found
}

/// Every file below `folder` as its path below `src`, with `/` between the parts.
fn files_below(folder: &Path, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let entry = entry.expect("the entry can be read");
        let name = format!("{prefix}{}", entry.file_name().to_str().expect("file names are UTF-8"));
        if entry.file_type().expect("the entry has a type").is_dir() {
            found.extend(files_below(&entry.path(), &format!("{name}/")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

#[test]
fn the_sources_keep_to_the_table() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = files_below(&sources, "");
    assert!(files.iter().any(|file| file == "lib.rs") && files.len() > 3, "the sources were not found: {files:?}");
    let mut found = Vec::new();
    for file in files {
        let source = fs::read_to_string(sources.join(&file)).expect("a source is UTF-8 text");
        found.extend(findings(&file, &source));
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_table_has_no_circle() {
    for (position, (name, allowed)) in TABLE.iter().enumerate() {
        for used in *allowed {
            let used_position = TABLE.iter().position(|(other, _)| other == used);
            assert!(used_position.is_some_and(|used_position| used_position > position), "{name} -> {used}");
        }
    }
}

/// The modules that a made-up source reaches.
fn reached(file: &str, source: &str) -> Vec<String> {
    reached_modules(&tokens(source), file).into_iter().map(|(module, _)| module).collect()
}

#[test]
fn paths_lead_to_modules() {
    let cases: [(&str, &str, &[&str]); 22] = [
        ("codec/decode.rs", "use crate::error::Result;", &["error"]),
        ("codec/decode.rs", "fn f() -> crate :: model :: Order { todo() }", &["model"]),
        ("codec/decode.rs", "use crate::{error::{Error, Result}, model, block::header as h};", &["error", "model", "block"]),
        ("codec/decode.rs", "use crate::{error::{self, Result}, ffi};", &["error", "ffi"]),
        ("codec/decode.rs", "use super::pool::Pool;", &["codec"]),
        ("codec/decode.rs", "use super::super::ffi::status;", &["ffi"]),
        ("codec/decode.rs", "use super::{pool, super::{ffi, block::{a, b}}};", &["codec", "ffi", "block"]),
        ("codec/mod.rs", "use super::ffi;", &["ffi"]),
        ("codec/mod.rs", "use self::decode::block; fn f(&self) { self.x() }", &["codec"]),
        ("model.rs", "mod tests { use super::*; } use super::error::Error;", &["model", "error"]),
        ("model.rs", "mod tests { mod deep { use super::super::super::ffi::x; } use super::y; } use super::z;", &["ffi", "model", "z"]),
        ("model.rs", "use crate::*;", &[""]),
        ("model.rs", "use crate as root;", &[""]),
        ("model.rs", "use crate::{self as root, error};", &["", "error"]),
        ("model.rs", "mod tests { use super::super::*; }", &[""]),
        ("model.rs", "macro_rules! m { () => { $crate::ffi::x() } }", &["ffi"]),
        ("model.rs", "pub(crate) fn f() {} pub(super) fn g() {} pub(in crate::model) fn h() {}", &["model"]),
        ("model.rs", "fn f() { let x = <crate::array::View as crate::codec::Trait>::f(crate::error::E); }", &["array", "codec", "error"]),
        ("model.rs", "// crate::ffi\n/* crate::ffi /* */ crate::ffi */ \"crate::ffi \\\" crate::ffi\"", &[]),
        (
            "model.rs",
            "r#\"crate::ffi \" crate::ffi\"#; br\"crate::ffi\"; b\"crate::ffi\"; r#type; '\"'; crate::error::x; '\\''; '\\u{1}'",
            &["error"],
        ),
        ("model.rs", "fn f<'a>(x: &'a str) -> crate::error::E<'a> {}", &["error"]),
        ("model.rs", "mod later; use crate::later::X;", &["later"]),
    ];
    for (file, source, expected) in cases {
        assert_eq!(reached(file, source), expected, "{file}: {source}");
    }
}

#[test]
fn broken_rules_are_found() {
    let cases = [
        ("block/mod.rs", "use crate::codec::Codec;", "src/block/mod.rs:1: `block` may not use `codec`"),
        ("model.rs", "\n\nuse super::array::View;", "src/model.rs:3: `model` may not use `array`"),
        ("error.rs", "use crate::{\n    model::Order,\n};", "src/error.rs:2: `error` may not use `model`"),
        ("codec/decode.rs", "fn f() { crate::metadata::array_from_n5(b\"\"); }", "src/codec/decode.rs:1: `codec` may not use `metadata`"),
        ("utf32/json.rs", "use crate::metadata::x;", "src/utf32/json.rs:1: `utf32` may not use `metadata`"),
        ("store/mod.rs", "use crate::codec;", "src/store/mod.rs:1: `store` may not use `codec`"),
        ("codec/mod.rs", "fn f() { unsafe { g() } }", "src/codec/mod.rs:1: `unsafe` is not allowed in `codec`"),
        ("dataset/mod.rs", "unsafe impl Send for X {}", "src/dataset/mod.rs:1: `unsafe` is not allowed in `dataset`"),
        ("codec/mod.rs", "use serde_json::Value;", "src/codec/mod.rs:1: JSON is not read in `codec`"),
        ("metadata/n5.rs", "use serde_json::Value;", "src/metadata/n5.rs:1: JSON is not read in `metadata`"),
        ("model.rs", "use crate::*;", "src/model.rs:1: uses the crate's root; name a module"),
        ("model.rs", "extern crate self as zn5;", "extern crate"),
        ("model.rs", "#[path = \"../ffi.rs\"] mod f;", "#[path]"),
        ("helpers.rs", "", "src/helpers.rs: the module `helpers` is not in the table"),
        ("helpers/notes.txt", "", "src/helpers/notes.txt: the module `helpers` is not in the table"),
    ];
    for (file, source, expected) in cases {
        let found = findings(file, source);
        assert!(found.iter().any(|finding| finding.contains(expected)), "{file}: {source}: {found:?}");
    }
}

#[test]
fn allowed_sources_have_no_finding() {
    let cases = [
        ("lib.rs", "pub mod ffi; use crate::ffi;"),
        ("ffi/mod.rs", "use crate::{dataset, store, codec, metadata, utf32, block, array, compress, model, error}; unsafe fn f() {}"),
        ("metadata/n5.rs", "use super::chain::of_array; use crate::utf32::json; use crate::json::Value;"),
        ("array/copy.rs", "// SAFETY: checked\nunsafe { f() }"),
        ("codec/mod.rs", "#![forbid(unsafe_code)] // unsafe serde_json\nconst TEXT: &str = \"unsafe serde_json crate::ffi\";"),
        ("error.rs", "#[cfg(test)] mod tests { use super::*; }"),
    ];
    for (file, source) in cases {
        assert_eq!(findings(file, source), [] as [String; 0], "{file}: {source}");
    }
}
