//! Compiles C and C++ programs against the header and the shared library as cargo built it, and prepares to run them.
//!
//! A dialect is what the compiler calls it, such as "c99" or "c++11".

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const WARNINGS: [&str; 6] = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wundef", "-Werror"];

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder to build in, with the shared library under the names that programs look for. Cargo leaves the library beside the test
/// binaries.
pub(crate) fn build_folder(name: &str) -> PathBuf {
    let built = std::env::current_exe().unwrap().parent().unwrap().join(library_name(""));
    assert!(built.is_file(), "{} is missing: cargo builds it beside the test binaries", built.display());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let abi = if major == "0" { format!(".0.{minor}") } else { format!(".{major}") };
    for name in [library_name(""), library_name(&abi)] {
        let link = folder.join(name);
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&built, link).unwrap();
    }
    folder
}

fn library_name(abi: &str) -> String {
    if cfg!(target_os = "macos") { format!("libzn5{abi}.dylib") } else { format!("libzn5.so{abi}") }
}

/// The compiler that cc would take in a build script, whose environment tells what is given here.
pub(crate) fn compiler(dialect: &str) -> Command {
    let target = match (std::env::consts::ARCH, std::env::consts::OS) {
        (arch, "linux") if cfg!(target_env = "musl") => format!("{arch}-unknown-linux-musl"),
        (arch, "linux") => format!("{arch}-unknown-linux-gnu"),
        (arch, "macos") => format!("{}-apple-darwin", arch.replace("arm64", "aarch64")),
        (arch, os) => format!("{arch}-unknown-{os}"),
    };
    let cxx = dialect.contains("++");
    let build = cc::Build::new().target(&target).host(&target).opt_level(1).debug(true).warnings(true).cpp(cxx).get_compiler();
    let mut command = build.to_command();
    command.arg(format!("-std={dialect}")).args(WARNINGS).args((!cxx).then_some("-Wstrict-prototypes"));
    command.arg("-I").arg(root().join("include"));
    command
}

/// Compiles one program into a folder made by [`build_folder`] and gives its path, or what the compiler said.
pub(crate) fn compile(source: &Path, dialect: &str, folder: &Path) -> Result<PathBuf, String> {
    let name = source.file_stem().unwrap().to_str().unwrap();
    let mut command = compiler(dialect);
    let program = if dialect.contains("++") {
        command.args(["-x", "c++"]);
        folder.join(format!("{name}-{dialect}"))
    } else {
        folder.join(name)
    };
    command.arg(source).args(["-x", "none", "-o"]).arg(&program);
    command.arg("-L").arg(folder).args(["-lzn5", "-pthread"]);
    if cfg!(feature = "test-panic") {
        command.arg("-DZN5_TEST_PANIC");
    }
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(program);
    }
    Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// What the compiler says against one program, if anything.
#[allow(dead_code, reason = "not every test that has this module uses it")]
pub(crate) fn check(source: &Path, dialect: &str) -> Result<(), String> {
    let mut command = compiler(dialect);
    if dialect.contains("++") {
        command.args(["-x", "c++"]);
    }
    command.arg("-fsyntax-only").arg(source);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr))) }
}

/// A program that [`compile`] made, to be run from the project's root.
pub(crate) fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    let variable = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
    command.current_dir(root()).env(variable, path.parent().unwrap());
    command
}
