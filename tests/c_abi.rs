//! The C interface as C and C++ programs see it: compiles every `c_tests/test_*.c` against the header and the shared library as C99, every
//! `c_tests/test_*.cpp` as C++17, and runs them, and compiles them as C++11 and C++20, in which ctest runs them; tries what `zn5.hpp` owns as
//! gcc and clang optimise it, and what it refuses; holds the C tests' vector table to the manifest and the README's programs to the examples.
//!
//! `ZN5_C_TEST=region cargo test --test c_abi` runs the programs whose names contain `region`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use common::{compile, root};

/// A program that takes longer hangs. The long run tries fifty times as many mutations.
const TIMEOUT: Duration = Duration::from_secs(120);
const LONG_TIMEOUT: Duration = Duration::from_secs(3600);

/// What a program returns that has nothing to test here.
const SKIPPED: i32 = 77;

/// Where this test builds.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| common::build_folder("c_abi"))
}

fn long_run() -> bool {
    std::env::var("ZN5_TEST_LONG").is_ok_and(|value| value == "1")
}

/// Runs a program from the project's root; its output where it fails.
fn run(program: &Path) -> Result<(), String> {
    let transcript = program.with_extension("txt");
    let output = File::create(&transcript).unwrap();
    let mut child = common::program(program)
        .stdin(Stdio::null())
        .stderr(output.try_clone().unwrap())
        .stdout(output)
        .spawn()
        .map_err(|error| error.to_string())?;
    let end = Instant::now() + if long_run() { LONG_TIMEOUT } else { TIMEOUT };
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err(format!("hangs\n{}", fs::read_to_string(&transcript).unwrap()));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let output = String::from_utf8_lossy(&fs::read(&transcript).unwrap()).into_owned();
    if status.code() == Some(SKIPPED) {
        // Past the capture of test output: nobody should take a skipped program for a passed one.
        let _ = writeln!(std::io::stderr(), "{}: {output}", program.file_name().unwrap().display());
    } else if !status.success() {
        return Err(format!("{status}\n{output}"));
    }
    Ok(())
}

fn sources(language: &str) -> Vec<PathBuf> {
    let mut sources: Vec<_> = fs::read_dir(root().join("c_tests")).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("test_") && path.extension().is_some_and(|extension| extension == language)
    });
    sources.sort();
    assert!(!sources.is_empty());
    if let Ok(wanted) = std::env::var("ZN5_C_TEST") {
        sources.retain(|path| path.file_name().unwrap().to_str().unwrap().contains(&wanted));
        // The name of a test in one language is none in the other.
        assert!(!sources.is_empty() || wanted.starts_with("hpp") != (language == "cpp"), "no test in {language} is named {wanted}");
    }
    sources
}

/// What is done with a program. All dialects run under ctest; here that would be the same machine code twice.
#[derive(Clone, Copy)]
enum Try {
    Run,
    CompileOnly,
}

/// Compiles all programs, as many at once as there are cores for, and runs them; fails with the name and output of each that failed.
fn all_programs(language: &str, dialect: &str, what: Try) {
    let sources = sources(language);
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    // The dialects run at once already.
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tried = match what {
                        Try::Run => compile(source, dialect, folder()).and_then(|program| run(&program)),
                        Try::CompileOnly => common::check(source, dialect),
                    };
                    if let Err(reason) = tried {
                        failures.lock().unwrap().push(format!("{}: {reason}", source.display()));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {} programs failed\n\n{}", failures.len(), sources.len(), failures.join("\n"));
}

#[test]
fn c_programs_run_as_c99() {
    all_programs("c", "c99", Try::Run);
}

#[test]
fn c_programs_compile_as_cxx11() {
    all_programs("c", "c++11", Try::CompileOnly);
}

#[test]
fn cxx_programs_run_as_cxx17() {
    all_programs("cpp", "c++17", Try::Run);
}

#[test]
fn cxx_programs_compile_as_cxx20() {
    all_programs("cpp", "c++20", Try::CompileOnly);
}

/// Those of gcc and clang that are here, one at least; tells which are not.
fn cxx_compilers() -> Vec<&'static str> {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let (found, missing): (Vec<_>, Vec<_>) = ["g++", "clang++"].into_iter().partition(there);
    assert!(!found.is_empty(), "neither g++ nor clang++ is installed");
    for name in missing {
        // Past the capture of test output, as for programs that skip.
        let _ = writeln!(std::io::stderr(), "c_abi: without {name}, which is not installed");
    }
    found
}

/// Compiles `c_tests/test_hpp_lifetimes.cpp` with the warnings of a careful program, and runs it.
fn lifetimes_hold(compiler: &str, dialect: &str, level: &str) -> Result<(), String> {
    let program = folder().join(format!("lifetimes-{compiler}-{dialect}{level}"));
    let mut command = Command::new(compiler);
    command.arg(format!("-std={dialect}")).arg(level).args(common::WARNINGS);
    command.args(["-Wsign-conversion", "-Wold-style-cast", "-Wshadow"]).args((compiler == "g++").then_some("-Wuseless-cast"));
    command.arg("-I").arg(root().join("include")).arg(root().join("c_tests/test_hpp_lifetimes.cpp"));
    command.arg("-o").arg(&program).arg("-L").arg(folder()).args(["-lzn5", "-pthread"]);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    run(&program).map_err(|reason| format!("{command:?}\n{reason}"))
}

/// A view of what has ended reads something else with each compiler and level, and at some the right thing. The long run tries both
/// dialects at each.
#[test]
fn lifetimes_hold_at_every_level_of_optimising() {
    const LEVELS: [(&str, &str); 4] = [("-O0", "c++17"), ("-O1", "c++20"), ("-O2", "c++17"), ("-O3", "c++20")];
    for compiler in cxx_compilers() {
        for (level, usual) in LEVELS {
            let dialects: &[&str] = if long_run() { &["c++17", "c++20"] } else { &[usual] };
            for dialect in dialects {
                lifetimes_hold(compiler, dialect, level).unwrap_or_else(|reason| panic!("{reason}"));
            }
        }
    }
}

/// What a compiler says against a program that it is to refuse.
fn refusal(compiler: &str, flags: &[&str], program: &str) -> String {
    let mut command = Command::new(compiler);
    command.args(flags).arg("-I").arg(root().join("include")).args(["-fsyntax-only", "-x", "c++", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{command:?} accepts\n{program}\n{said}");
    said
}

/// One error each, which says what to do instead.
#[test]
fn zn5_hpp_refuses_in_one_error() {
    let texts = "#include \"zn5.hpp\"\nauto f(const zn5::dataset &d) { return d.read<std::string>(); }\n";
    let written = "#include \"zn5.hpp\"\nvoid f(const zn5::dataset &d) { d.write(std::vector<std::string>()); }\n";
    let handle = "#include \"zn5.hpp\"\nauto f() { return zn5::store::open(\"a\").handle(); }\n";
    for compiler in cxx_compilers() {
        for (dialect, program, words) in [
            ("-std=c++14", "#include \"zn5.hpp\"\n", "zn5.hpp needs C++17"),
            ("-std=c++17", texts, "zn5::utf32::decode_array()"),
            ("-std=c++17", written, "zn5::utf32::encode_array() and write_from()"),
            ("-std=c++17", handle, "deleted"),
        ] {
            let said = refusal(compiler, &[dialect], program);
            assert_eq!(said.matches(" error: ").count(), 1, "{compiler} {dialect}\n{program}\n{said}");
            assert!(said.contains(words), "{compiler} {dialect}\n{program}\n{said}");
        }
    }
}

/// A view is for the call that it is passed to; clang sees one of a temporary that is kept.
#[test]
fn clang_warns_of_views_that_are_kept() {
    if !cxx_compilers().contains(&"clang++") {
        return;
    }
    for kept in [
        "zn5::bytes kept = std::vector<int>{1, 2}; return kept.size();",
        "zn5::mutable_bytes kept = std::vector<int>{1, 2}; return kept.size();",
        "const std::uint64_t *kept = zn5::coordinates{1, 2}.data(); return *kept;",
        "const std::ptrdiff_t &kept = zn5::byte_strides{1, 2}[0]; return kept;",
    ] {
        let said = refusal("clang++", &["-std=c++17", "-Werror"], &format!("#include \"zn5.hpp\"\nauto f() {{ {kept} }}\n"));
        assert!(said.contains("-Wdangling"), "{kept}\n{said}");
    }
    // What a temporary view refers to lives on.
    let program = "#include \"zn5.hpp\"\n#include <span>\nauto f(std::vector<int> &v) { zn5::bytes a = std::span(v).subspan(1), \
                   b = std::string_view(\"text\").substr(1); zn5::mutable_bytes c = std::span(v); return a.size() + b.size() + c.size() + x; }\n";
    let said = refusal("clang++", &["-std=c++20", "-Wall"], program);
    assert!(said.matches("error: ").count() == 1 && said.contains("undeclared identifier 'x'") && !said.contains("warning"), "{said}");
}

/// The programs that a reader copies from README.md are those that the examples are built from: the first whole, of the others a part.
#[test]
fn the_readme_shows_the_examples() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let example = |name: &str| fs::read_to_string(root().join("examples").join(name)).unwrap();
    let shown = |language: &str| {
        let begin = format!("```{language}\n");
        readme.split(&begin).skip(1).map(|after| after.split_once("```\n").expect("its end is marked").0).collect::<Vec<_>>()
    };
    let (c, cxx) = (shown("c"), shown("cpp"));
    assert_eq!((c.len(), cxx.len()), (3, 1));
    assert_eq!(c[0], example("readme.c"));
    for (part, name) in [(c[1], "read_region.c"), (c[2], "write_dataset.c"), (cxx[0], "read_region.cpp")] {
        assert!(example(name).contains(part), "README.md shows what examples/{name} does not have:\n{part}");
    }
}

/// `c_tests/vectors.tsv` is made by `tools/make_vector_table.py`; a vector that it lacks would be tested by nobody.
#[test]
fn the_vector_table_has_every_vector() {
    let manifest = fs::read_to_string(root().join("tests/vectors/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let table = fs::read_to_string(root().join("c_tests/vectors.tsv")).unwrap();
    let count = |kind: &str| {
        let vectors = manifest[kind].as_array().unwrap();
        let ids: Vec<_> = vectors.iter().map(|vector| vector["id"].as_str().unwrap()).collect();
        for id in &ids {
            let line = format!("{}\t{id}\t", kind.trim_end_matches('s'));
            assert!(table.lines().any(|row| row.starts_with(&line)), "{id}: run tools/make_vector_table.py");
        }
        ids.len()
    };
    let kinds = ["datasets", "malformed", "strings", "string_units", "string_documents"];
    let total = kinds.into_iter().map(count).sum::<usize>();
    assert_eq!(table.lines().filter(|line| !line.starts_with('#')).count(), total, "the table has vectors that the manifest has not");
    let expectations = fs::read_to_string(root().join("c_tests/malformed.h")).unwrap();
    let of_strings = fs::read_to_string(root().join("c_tests/test_utf32_vectors.c")).unwrap();
    for vector in manifest["malformed"].as_array().unwrap() {
        let id = vector["id"].as_str().unwrap();
        assert!(expectations.contains(&format!("\"{id}\"")), "c_tests/malformed.h does not say how {id} ends");
    }
    let refused = |vector: &&serde_json::Value| vector["expect"].as_str().unwrap().contains("reject");
    for vector in ["string_units", "string_documents"].iter().flat_map(|kind| manifest[kind].as_array().unwrap()).filter(refused) {
        let id = vector["id"].as_str().unwrap();
        assert!(of_strings.contains(&format!("\"{id}\"")), "c_tests/test_utf32_vectors.c does not say how {id} ends");
    }
}
