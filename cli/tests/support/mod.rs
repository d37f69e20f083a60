//! What the tests of the program share: running it, small containers, the real containers of other programs.
//!
//! Each test file uses a part of this.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

#[path = "../../../tests/real_data/mod.rs"]
pub(crate) mod real_data;

/// What a run of the program gave.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) bytes: Vec<u8>,
}

impl Run {
    /// Checks the exit code and gives the run back.
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, Some(expected), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in\n{}", self.out))
    }
}

/// The program, with an environment in which nothing decides about colours.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zn5"));
    command.env_remove("NO_COLOR").env_remove("COLORTERM").env("TERM", "xterm-256color");
    command
}

/// Runs the program.
pub(crate) fn zn5<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let mut command = command();
    command.args(args);
    run(&mut command)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Run {
        code: status.code(),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
        bytes: stdout,
    }
}

/// Somebody for whom the modes of files count: for root they do not.
#[cfg(unix)]
pub(crate) struct Somebody {
    /// The program may lie where only root gets to, so here is a copy.
    program: Option<tempfile::TempDir>,
}

#[cfg(unix)]
impl Somebody {
    pub(crate) fn new() -> Self {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        if fs::metadata(folder.path()).unwrap().uid() != 0 {
            return Self { program: None };
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_zn5"), folder.path().join("zn5")).unwrap();
        Self { program: Some(folder) }
    }

    /// Runs the program.
    pub(crate) fn zn5<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        use std::os::unix::process::CommandExt;
        let mut command = command();
        if let Some(folder) = &self.program {
            command = Command::new(folder.path().join("zn5"));
            command.env("NO_COLOR", "1").uid(65534).gid(65534);
        }
        command.args(args);
        run(&mut command)
    }
}

/// Arguments of several types in one list.
#[macro_export]
macro_rules! run {
    ($($arg:expr),* $(,)?) => {
        $crate::support::zn5([$(std::ffi::OsString::from($arg)),*])
    };
}

/// A small demo in a folder of its own; the container is `demo.n5` in it.
pub(crate) fn demo() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run!("-q", "demo", "--size", "50,41,19", "--block-size", "16,16,8", folder.path()).code(0);
    folder
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// attributes.json of an array.
pub(crate) fn attributes(dimensions: &str, block_size: &str, data_type: &str, compression: &str) -> String {
    format!(r#"{{"dimensions":{dimensions},"blockSize":{block_size},"dataType":"{data_type}","compression":{compression}}}"#)
}

/// The bytes that hexadecimal digits say.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Every file below a folder with its bytes.
pub(crate) fn files(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// The project's folder.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The pixels of a PNG: width, height, bytes a pixel, bytes.
pub(crate) fn png(bytes: &[u8]) -> (u32, u32, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, info.color_type.samples(), pixels)
}

/// Shape, order and bytes of a .npy file.
pub(crate) fn npy(bytes: &[u8]) -> (String, Vec<u8>) {
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    (String::from_utf8(bytes[10..10 + len].to_vec()).unwrap(), bytes[10 + len..].to_vec())
}
