//! No text that a stranger chose steers a terminal: names, metadata and strings, in every command.
//!
//! The container is evil in each place that a command prints; each command runs into pipes, into
//! terminals, and for JSON.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use serde_json::{Value, json};

use support::{command, hex, write, zn5};

/// Sets a title, rings, clears the screen, conceals what follows; C1 controls, DEL, orders of
/// reading, ends of lines.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{1b}[8m\u{9b}31m\u{7f}\u{85}\u{90}\u{202e}\u{2066}\u{200f}\u{2028}\r\n\t\u{8}";

/// The same behind a name.
fn evil(name: &str) -> String {
    format!("{name}{EVIL}")
}

fn is_harmful(character: char) -> bool {
    character.is_control() || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The first harmful character of a text and what stands around it; `allowed` ones are none.
fn harm(text: &str, allowed: &str) -> Option<String> {
    let at = text.find(|character| is_harmful(character) && !allowed.contains(character))?;
    let around: String = text[at..].chars().take(12).collect();
    Some(format!("{around:?} in {text:?}"))
}

/// The text without changes of colour of the kinds that the program makes.
fn without_colours(text: &str, codes: &[&str]) -> String {
    codes.iter().fold(text.to_owned(), |text, code| text.replace(&format!("\u{1b}[{code}m"), ""))
}

const CODES: [&str; 7] = ["0", "1", "2", "31", "32", "33", "1;34"];

fn document(path: impl AsRef<Path>, document: &Value) {
    write(path.as_ref().join("attributes.json"), document.to_string());
}

fn array(dimensions: u32, more: &Value) -> Value {
    let mut array = json!({"dimensions": [dimensions], "blockSize": [4], "dataType": "uint8", "compression": {"type": "raw"}});
    array.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    array
}

const BLOCK: &str = "0000 0001 00000004 01020304";

/// Containers whose every text is evil. The folder itself has an evil name, too.
struct Evil {
    _folder: tempfile::TempDir,
    /// A container of N5.
    n5: PathBuf,
    /// An array of strings in Zarr.
    strings: PathBuf,
    /// Groups and arrays of Zarr that zn5 cannot open.
    zarr: PathBuf,
    /// For what commands write.
    out: PathBuf,
}

impl Evil {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join(evil("home"));
        let n5 = home.join(evil("n"));
        document(&n5, &json!({"n5": evil("2.5.0"), EVIL: EVIL}));
        let good = n5.join(evil("a"));
        document(
            &good,
            &array(4, &json!({"pixelResolution": {"unit": EVIL, "dimensions": [1]}, "axes": [EVIL], "note": EVIL, EVIL: [EVIL]})),
        );
        write(good.join("0"), hex(BLOCK));
        write(good.join(evil("stray")), "x");
        document(n5.join(evil("b")), &array(8, &json!({"resolution": [3], "axes": [EVIL], "units": [EVIL], "offset": [1]})));
        write(n5.join(evil("b")).join("0"), hex(BLOCK));
        write(n5.join(evil("b")).join("1"), hex("0000 0001 00000004 0102"));
        document(n5.join("cosem"), &array(4, &json!({"transform": {"scale": [2], "translate": [1], "axes": [EVIL], "units": [EVIL]}})));
        write(n5.join("cosem/0"), hex("0000 0001 00000004 01020305"));
        document(n5.join("mode"), &array(4, &json!({})));
        write(n5.join("mode/0"), hex("0001 0001 00000004 00000004 01020304"));
        document(n5.join("t"), &json!({"dimensions": [4], "blockSize": [4], "dataType": EVIL, "compression": {"type": "raw"}}));
        document(n5.join("c"), &json!({"dimensions": [4], "blockSize": [4], "dataType": "uint8", "compression": {"type": EVIL}}));
        document(
            n5.join("k"),
            &json!({"dimensions": [4], "blockSize": [4], "dataType": "uint8", "compression": {"type": "gzip", "level": EVIL}}),
        );
        document(n5.join("p"), &json!({"painteraData": {"type": EVIL}}));
        let levels = json!([{"name": EVIL, "datasets": [{"path": evil("s0")}, {"path": evil("s1")}],
            "axes": [{"name": EVIL, "unit": EVIL, "type": EVIL}], "type": EVIL}]);
        document(n5.join("m"), &json!({"multiscales": levels}));
        for (level, extent) in [("s0", 4), ("s1", 2)] {
            let scale = json!({"coordinateTransformations": [{"type": "scale", "scale": [2]}]});
            document(n5.join("m").join(evil(level)), &array(extent, &scale));
        }
        write(n5.join("cut").join(evil("x")).join("attributes.json"), format!("{{\"dimensions\": [\"{}\"", evil("y").escape_debug()));
        write(n5.join(evil("v2")).join(".zarray"), json!({"zarr_format": 2, "dtype": EVIL}).to_string());
        let zarr = home.join(evil("z"));
        let node = |more: Value| {
            let mut node = json!({"zarr_format": 3, "node_type": "array", "shape": [1], "data_type": "uint8", "fill_value": 0,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
                "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
                "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]});
            node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            node.to_string()
        };
        let strings = home.join(evil("strings"));
        let count = EVIL.chars().count() + 1;
        let text = json!({"name": "fixed_length_utf32", "configuration": {"length_bytes": 4 * count}});
        write(
            strings.join("zarr.json"),
            node(json!({"data_type": text, "fill_value": EVIL, "dimension_names": [EVIL], "shape": [2],
            "attributes": {"unit": EVIL}})),
        );
        let units = evil("s").chars().flat_map(|character| u32::from(character).to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(units.len(), 4 * count);
        write(strings.join("0"), units);
        write(zarr.join("zarr.json"), json!({"zarr_format": 3, "node_type": "group", "attributes": {EVIL: EVIL}}).to_string());
        for (name, more) in [
            ("type", json!({"data_type": EVIL})),
            ("type2", json!({"data_type": {"name": EVIL, "configuration": {EVIL: EVIL}}})),
            ("codec", json!({"codecs": [{"name": EVIL}]})),
            ("codec2", json!({"codecs": [{"name": "bytes", "configuration": {"endian": EVIL}}]})),
            ("grid", json!({"chunk_grid": {"name": EVIL}})),
            ("keys", json!({"chunk_key_encoding": {"name": EVIL}})),
            ("fill", json!({"fill_value": EVIL})),
            ("member", json!({EVIL: {"must_understand": true}})),
            ("transformer", json!({"storage_transformers": [{"name": EVIL}]})),
            ("node", json!({"node_type": EVIL})),
        ] {
            write(zarr.join(evil(name)).join("zarr.json"), node(more));
        }
        let out = home.join(evil("out"));
        fs::create_dir(&out).unwrap();
        Self { _folder: folder, n5, strings, zarr, out }
    }

    /// Command lines whose output has text of the containers; those that write do so under a new
    /// name for each `run`.
    fn lines(&self, run: &str) -> Vec<Vec<OsString>> {
        let (n5, zarr, strings) = (&self.n5, &self.zarr, &self.strings);
        let (a, b) = (n5.join(evil("a")), n5.join(evil("b")));
        let copy = self.out.join(evil(&format!("in-place{run}")));
        document(copy.join(evil("x")), &array(4, &json!({"k": EVIL})));
        let new = |name: &str| self.out.join(evil(&format!("{name}{run}")));
        let mut lines: Vec<Vec<OsString>> = Vec::new();
        macro_rules! line {
            ($($arg:expr),* $(,)?) => { lines.push(vec![$(OsString::from($arg)),*]) };
        }
        for container in [n5, zarr, strings, &a] {
            line!("info", container);
            line!("info", "--attributes", container);
            line!("info", "--quick", container, "nowhere");
            line!("ls", container);
            line!("ls", "-r", container);
            line!("ls", "-rl", container);
            line!("verify", container);
            line!("verify", container, evil("nowhere"));
            line!("stats", container);
            line!("cat", container);
            line!("cat", "--format", "text", container);
            line!("cat", "--format", "csv", container);
            line!("cat", "--format", "raw", container, "-o", new("raw"));
            line!("view", container);
            line!("view", "--color", "none", container);
            line!("view", container, "-o", new("png"));
            line!("diff", container, container);
            line!("diff", container, n5);
            line!("convert", container, "--in-place", "--dry-run");
            line!("convert", container, "--in-place", "--dry-run", "--to-n5");
            line!("convert", container, new(&format!("converted{}", lines.len())), "--to-zarr");
            line!("block", container);
        }
        for array in [b, n5.join("mode"), n5.join("t"), n5.join("c"), n5.join("cut").join(evil("x")), zarr.join(evil("codec"))] {
            line!("info", &array);
            line!("stats", &array);
            line!("cat", &array);
            line!("cat", &array, "-o", new("cat"));
            line!("view", &array, "-o", new("view"));
            line!("convert", &array, new(&format!("failed{}", lines.len())));
            line!("block", array.join("1"));
            line!("diff", &array, &a);
        }
        line!("diff", &a, n5.join("cosem"));
        line!("convert", &copy, "--in-place");
        line!("convert", &copy, "--in-place");
        line!("convert", &copy, &copy);
        line!("convert", n5, &a);
        line!("block", a.join("0"));
        line!("block", "--data-type", "uint8", a.join(evil("stray")));
        line!("block", a.join(evil("none")));
        line!("demo", "--size", "9,8,7", new("demo"));
        line!("demo", "--size", "9,8,7", new("demo"));
        line!("demo", "--size", "9,8,7", a.join("0"));
        line!("man", new("man"));
        line!("man", a.join("0"));
        // What a shell makes of `zn5 COMMAND *`, and options.
        line!("info", evil("nowhere"));
        line!("info", a.join("0"));
        line!("cat", &a, &a, &a);
        line!("stats", &a, evil("--option"));
        line!(evil("x"));
        line!("cat", &a, format!("--format={EVIL}"));
        line!("cat", &a, "--region", EVIL);
        line!("view", &a, "--at", evil("0="));
        line!("view", &a, "--rgb", EVIL, "--max", EVIL);
        line!("convert", &a, new("x"), "--compression", EVIL);
        line!("completions", EVIL);
        line!("block", &a, "--data-type", EVIL);
        // Bytes that are no UTF-8, among them a C1 control; not every system has such names.
        #[cfg(target_os = "linux")]
        for name in [b"\xff\x9b2J\x1b[2J".as_slice(), b"\x1b]0;x\x07\xc2"] {
            let odd = new("odd").join(OsStr::from_bytes(name));
            document(&odd, &array(4, &json!({})));
            line!("info", &odd);
            line!("ls", "-r", new("odd"));
            line!("cat", &odd, &odd, &odd);
            line!("verify", odd.join("x"), new("odd"));
        }
        lines
    }
}

#[test]
fn policy_47_pipes_get_no_text_that_steers_a_terminal() {
    let evil = Evil::new();
    let mut shown = 0;
    for line in evil.lines("pipe") {
        let run = zn5(&line);
        assert!(run.code.is_some_and(|code| code < 5), "{line:?}: {:?}\n{}", run.code, run.err);
        // Into a pipe go bytes, unless a form is asked for; rows of text have tabs between.
        let is_cat = line[0] == "cat";
        let out = if is_cat && line[1] != "--format" { "" } else { run.out.as_str() };
        for (text, allowed) in [(out, if is_cat { "\n\t" } else { "\n" }), (run.err.as_str(), "\n")] {
            if let Some(harm) = harm(text, allowed) {
                panic!("{line:?}: {harm}");
            }
        }
        shown +=
            usize::from(format!("{}{}", run.out, run.err).contains("\\u{1b}]0;pwned\\u{7}\\u{1b}[2J\\u{1b}[8m\\u{9b}31m\\u{7f}\\u{85}"));
    }
    assert!(shown > 100, "only {shown} runs showed the text at all");
}

/// Runs the program with a terminal of its own for each output, and gives what came out on them.
fn in_terminals(args: &[OsString], quiet: bool) -> [String; 2] {
    let (mut masters, mut slaves) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let size = nix::pty::Winsize { ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = nix::pty::openpty(&size, None).unwrap();
        masters.push(pair.master);
        slaves.push(pair.slave);
    }
    let mut command = command();
    if quiet {
        command.arg("-q");
    }
    let (err, out) = (slaves.pop().unwrap(), slaves.pop().unwrap());
    let mut child = command.args(args).stdin(Stdio::null()).stdout(Stdio::from(out)).stderr(Stdio::from(err)).spawn().unwrap();
    // The command has copies of the terminals' other ends, which count as open.
    drop(command);
    let readers: Vec<_> = masters
        .into_iter()
        .map(|master| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // Ends with an error when the last process leaves the terminal.
                let _ = File::from(master).read_to_end(&mut bytes);
                // The terminal adds carriage returns.
                String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
            })
        })
        .collect();
    child.wait().unwrap();
    let mut texts = readers.into_iter().map(|reader| reader.join().unwrap());
    [texts.next().unwrap(), texts.next().unwrap()]
}

#[test]
fn policy_47_terminals_get_colours_of_the_program_and_no_others() {
    let evil = Evil::new();
    let mut coloured = 0;
    for line in evil.lines("terminal") {
        let [out, err] = in_terminals(&line, true);
        // Pictures have colours of their own, made of numbers; help of the command line has clap's.
        let is_picture = line[0] == "view" && out.contains('▀');
        if !is_picture {
            let allowed = if line[0] == "cat" { "\n\t" } else { "\n" };
            if let Some(harm) = harm(&without_colours(&out, &CODES), allowed) {
                panic!("{line:?}: {harm}");
            }
        }
        assert!(!out.contains("\u{1b}]") && !out.contains("\u{1b}[2J") && !out.contains("\u{1b}[8m"), "{line:?}: {out:?}");
        if let Some(harm) = harm(&without_colours(&err, &["0", "1", "4", "31", "32", "33", "36", "1;31", "1;32", "1;4"]), "\n") {
            panic!("{line:?}: {harm}");
        }
        coloured += usize::from(out.contains("\u{1b}[1m") || out.contains("\u{1b}[1;34m"));
    }
    assert!(coloured > 15, "only {coloured} runs had colours");
}

#[test]
fn policy_47_progress_bars_have_harmless_titles() {
    let evil = Evil::new();
    let mut titles = 0;
    for line in evil.lines("bars") {
        let [_, err] = in_terminals(&line, false);
        // The bar moves the cursor with sequences of these few kinds.
        let text = without_colours(&err, &["0", "1", "4", "31", "32", "33", "36", "1;31", "1;32", "1;4"]);
        let text = ["[2K", "[K", "[1A", "[1B", "[?25l", "[?25h"].iter().fold(text, |text, code| text.replace(&format!("\u{1b}{code}"), ""));
        if let Some(harm) = harm(&text, "\r\n") {
            panic!("{line:?}: {harm}");
        }
        titles += usize::from(text.contains("looking at blocks of") || text.contains("verifying /"));
    }
    assert!(titles > 2, "only {titles} runs had a bar with a name");
}

/// Whether the text is in a document, as a part of a string or of a name.
fn holds(document: &Value, text: &str) -> bool {
    match document {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(members) => members.iter().any(|(name, member)| name.contains(text) || holds(member, text)),
        _ => false,
    }
}

#[test]
fn policy_47_json_has_every_character_in_harmless_form() {
    let evil_one = Evil::new();
    let (n5, a, b) = (&evil_one.n5, evil_one.n5.join(evil("a")), evil_one.n5.join(evil("b")));
    let new = evil_one.out.join(evil("new"));
    for line in [
        vec!["info".into(), "--attributes".into(), n5.clone().into_os_string()],
        vec!["info".into(), evil_one.strings.clone().into_os_string()],
        vec!["info".into(), "--quick".into(), evil_one.zarr.clone().into_os_string()],
        vec!["ls".into(), "-r".into(), n5.clone().into_os_string()],
        vec!["verify".into(), n5.clone().into_os_string()],
        vec!["verify".into(), n5.clone().into_os_string(), evil("nowhere").into()],
        vec!["stats".into(), a.clone().into_os_string()],
        vec!["diff".into(), a.clone().into_os_string(), n5.join("cosem").into_os_string()],
        vec!["diff".into(), n5.clone().into_os_string(), a.clone().into_os_string()],
        vec!["convert".into(), n5.clone().into_os_string(), "--in-place".into(), "--dry-run".into()],
        vec!["convert".into(), a.clone().into_os_string(), new.into_os_string()],
        vec!["block".into(), a.join("0").into_os_string()],
        vec!["block".into(), b.join("1").into_os_string()],
    ] {
        let line: Vec<OsString> = line.into_iter().chain(["--json".into()]).collect();
        let run = zn5(&line);
        if let Some(harm) = harm(&run.out, "\n") {
            panic!("{line:?}: {harm}");
        }
        // The tool that compares paths leaves out the common one.
        let is_comparison_of_arrays = line[0] == "diff" && run.json()["arrays"][0]["path"] == "";
        assert!(is_comparison_of_arrays || holds(&run.json(), EVIL), "{line:?}: {}", run.out);
    }
    let info = zn5(["info".into(), "--json".into(), a.into_os_string()]).code(0).json();
    assert_eq!(info[0]["root"]["array"]["spatial"]["units"], json!([EVIL]));
}

#[test]
fn policy_47_every_control_character_is_told_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<char> = ('\u{1}'..='\u{2fff}').filter(|&character| is_harmful(character)).collect();
    assert_eq!(all.len(), 31 + 33 + 3 + 7 + 4);
    for &character in &all {
        // Sorted by the number in front.
        document(folder.path().join(format!("{:05} x{character}y", u32::from(character))), &json!({}));
    }
    let lines = zn5(["ls".into(), folder.path().as_os_str().to_owned()]).code(0).out;
    assert_eq!(lines.lines().count(), all.len());
    for (line, &character) in lines.lines().zip(&all) {
        let named = match character {
            '\t' => "\\t".to_owned(),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            _ => format!("\\u{{{:x}}}", u32::from(character)),
        };
        assert!(line.ends_with(&format!("{:05} x{named}y/", u32::from(character))), "{line}");
    }
    let listed = zn5(["ls".into(), "--json".into(), folder.path().as_os_str().to_owned()]).code(0);
    assert_eq!(harm(&listed.out, "\n"), None);
    for (entry, &character) in listed.json().as_array().unwrap().iter().zip(&all) {
        assert!(entry["path"].as_str().unwrap().ends_with(&format!(" x{character}y")), "{entry}");
    }
}

#[test]
fn what_is_no_harm_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["µm – 試験 😀", "back\\slash", "quote\"'", "é", "שלום", "\u{f0000}\u{f1234}\u{e000}"] {
        document(folder.path().join(name), &json!({"note": name}));
        assert!(zn5(["ls".into(), folder.path().as_os_str().to_owned()]).code(0).out.contains(&format!("/{name}/\n")), "{name}");
        let info = zn5(["info".into(), "-a".into(), folder.path().join(name).into_os_string()]).code(0).out;
        assert!(info.contains(&format!("{{\"note\":{}}}", json!(name))), "{info}");
    }
}
