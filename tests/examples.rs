//! The examples as their readers build them: compiles them against the header and the shared library, runs them, and holds what they
//! print to what the data beside them says.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::fs;

/// What `tools/make_utf32_data.py` put into the array, row by row.
fn greetings() -> Vec<[String; 2]> {
    let script = fs::read_to_string(common::root().join("tools/make_utf32_data.py")).unwrap();
    let rows = script.lines().skip_while(|line| *line != "GREETINGS = [").skip(1).take_while(|line| *line != "]");
    rows.map(|line| {
        let mut texts = line.split('"').skip(1).step_by(2).map(str::to_owned);
        [texts.next().unwrap(), texts.next().unwrap()]
    })
    .collect()
}

#[test]
fn utf32_strings_prints_each_string_with_its_index() {
    let folder = common::build_folder("examples");
    let path = common::compile(&common::root().join("examples/utf32_strings.c"), "c99", &folder).unwrap_or_else(|error| panic!("{error}"));
    let output = common::program(&path).arg("examples/data/greetings.zarr").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let greetings = greetings();
    assert_eq!(greetings.len(), 14);
    let expected: Vec<_> = (0..18)
        .flat_map(|row| [0, 1].map(|column| (row, column)))
        .map(|(row, column)| format!("[{row}, {column}] {}\n", greetings.get(row).map_or("—", |texts| &texts[column])))
        .collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected.concat());
}

#[test]
fn utf32_strings_says_what_is_wrong() {
    let folder = common::build_folder("examples-wrong");
    let path = common::compile(&common::root().join("examples/utf32_strings.c"), "c99", &folder).unwrap_or_else(|error| panic!("{error}"));
    for (array, said) in [
        ("examples/data", "zarr.json: cannot be read"),
        ("tests/vectors/strings/v3-le-u3-surrogates", "element 0 is U+D800"),
        ("tests/vectors/string-units/chunk-short-element", "60 bytes"),
    ] {
        let output = common::program(&path).arg(array).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
