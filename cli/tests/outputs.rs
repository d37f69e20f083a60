//! Files that commands write: none has its final name before it is complete, whatever happens.
//!
//! Stopped by signals, by a full disk, by damage; and what a complete file has: permissions, links,
//! the places that are no files.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use support::{attributes, command, demo, hex, write};

/// Names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An array of 4096 × 4096 × 8 elements of two bytes, of which a command holds a quarter at a time.
fn large(folder: &Path) -> PathBuf {
    let raw = folder.join("raw");
    write(raw.join("attributes.json"), attributes("[4096,4096,1]", "[4096,4096,1]", "uint16", r#"{"type":"raw"}"#));
    let mut block = hex("0000 0003 00001000 00001000 00000001");
    block.extend((0..4096_u16).flat_map(|row| row.to_be_bytes().repeat(4096)));
    write(raw.join("0/0/0"), block);
    run!("-q", "convert", &raw, folder.join("gzip"), "--compression", "gzip:1").code(0);
    let array = folder.join("large");
    write(array.join("attributes.json"), attributes("[4096,4096,8]", "[4096,4096,1]", "uint16", r#"{"type":"gzip"}"#));
    fs::create_dir_all(array.join("0/0")).unwrap();
    for z in 0..8 {
        fs::copy(folder.join("gzip/0/0/0"), array.join(format!("0/0/{z}"))).unwrap();
    }
    array
}

/// An array that no block is stored of: a million rows of CSV for each plane, at no cost for the
/// disk.
fn empty(folder: &Path, planes: u32) -> PathBuf {
    let array = folder.join("empty");
    write(array.join("attributes.json"), attributes(&format!("[1000,1000,{planes}]"), "[100,100,10]", "uint8", r#"{"type":"raw"}"#));
    array
}

/// Waits until the command has begun to write a file in the folder, under whatever name.
fn writing(child: &mut Child, folder: &Path) {
    let began = Instant::now();
    let written = |path: PathBuf| fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
    while !fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.file_name().unwrap().to_string_lossy().starts_with('.') && written(path)
    }) {
        assert!(child.try_wait().unwrap().is_none(), "the command ended before it could be stopped");
        assert!(began.elapsed() < Duration::from_secs(60), "the command never began to write");
        thread::sleep(Duration::from_millis(1));
    }
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Child {
    command().args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// How the command ended, and what it said.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    (child.wait().unwrap().code(), err)
}

/// Runs the program by a shell that does something first.
fn after(shell: &str, args: &[&OsStr]) -> support::Run {
    let script = format!("{shell}; exec \"$0\" \"$@\"");
    let output = Command::new("sh").arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_zn5")).args(args).output().unwrap();
    support::Run {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        bytes: output.stdout,
    }
}

#[test]
fn ctrl_c_during_cat_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let array = large(folder.path());
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let mut child = start([OsStr::new("cat"), "-j1".as_ref(), array.as_ref(), "-o".as_ref(), out.join("part.npy").as_ref()]);
    writing(&mut child, &out);
    send(&child, Signal::SIGINT);
    assert_eq!(end(child), (Some(130), "zn5: interrupted\n".to_owned()));
    assert_eq!(names(&out), [""; 0]);
    // Uninterrupted it is complete: 8 planes of 2^24 elements behind the header.
    run!("-q", "cat", &array, "-o", out.join("part.npy")).code(0);
    assert_eq!(names(&out), ["part.npy"]);
    assert_eq!(fs::metadata(out.join("part.npy")).unwrap().len(), 128 + (8 << 25));
}

#[test]
fn every_signal_leaves_what_was_there_and_has_a_status_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let array = empty(folder.path(), 200);
    let out = folder.path().join("out");
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        for format in ["csv", "text", "raw"] {
            let _ = fs::remove_dir_all(&out);
            write(out.join("old"), "as it was");
            fs::set_permissions(out.join("old"), fs::Permissions::from_mode(0o604)).unwrap();
            let file = out.join("old");
            let mut child = start([OsStr::new("cat"), "--format".as_ref(), format.as_ref(), array.as_ref(), "-o".as_ref(), file.as_ref()]);
            // 200 MB of bytes may be written before the signal comes.
            if format != "raw" {
                writing(&mut child, &out);
            }
            send(&child, signal);
            let (ended, err) = end(child);
            if format == "raw" && ended == Some(0) {
                assert_eq!(fs::metadata(&file).unwrap().len(), 200_000_000);
            } else if format == "raw" && ended.is_none() {
                // So early that the program had not taken over the signal.
                assert_eq!(fs::read_to_string(&file).unwrap(), "as it was");
            } else {
                assert_eq!((ended, err.as_str()), (Some(code), "zn5: interrupted\n"), "{signal} {format}");
                assert_eq!(fs::read_to_string(&file).unwrap(), "as it was");
            }
            assert_eq!(names(&out), ["old"], "{signal} {format}");
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o604);
        }
    }
}

#[test]
fn a_second_signal_leaves_nothing_either() {
    let folder = tempfile::tempdir().unwrap();
    let array = empty(folder.path(), 200);
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    for pause in [0, 0, 1, 1, 2, 5] {
        let mut child = start([OsStr::new("cat"), array.as_ref(), "-o".as_ref(), out.join("x.csv").as_ref()]);
        writing(&mut child, &out);
        send(&child, Signal::SIGTERM);
        thread::sleep(Duration::from_millis(pause));
        send(&child, Signal::SIGTERM);
        assert_eq!(end(child).0, Some(143));
        assert_eq!(names(&out), [""; 0]);
    }
}

#[test]
fn a_killed_command_leaves_a_hidden_file_that_is_no_part_of_a_container() {
    let folder = tempfile::tempdir().unwrap();
    let array = empty(folder.path(), 200);
    let out = folder.path().join("out.n5");
    write(out.join("a/attributes.json"), attributes("[3]", "[3]", "uint8", r#"{"type":"raw"}"#));
    let mut child = start([OsStr::new("cat"), array.as_ref(), "-o".as_ref(), out.join("a/x.csv").as_ref()]);
    writing(&mut child, &out.join("a"));
    child.kill().unwrap();
    assert_eq!(end(child).0, None);
    let left = names(&out.join("a"));
    let extension = Path::new(&left[0]).extension();
    assert!(left.len() == 2 && left[0].starts_with(".zn5-"), "{left:?}");
    assert_eq!(extension, Some(OsStr::new("part")));
    let report = run!("verify", "--json", &out).code(0).json();
    assert_eq!(report["stray"], serde_json::json!([]));
}

#[test]
fn nohup_keeps_its_promise() {
    let folder = tempfile::tempdir().unwrap();
    let array = empty(folder.path(), 1);
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_zn5")])
        .args([OsStr::new("cat"), array.as_ref(), "-o".as_ref(), out.join("x.csv").as_ref()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    writing(&mut child, &out);
    send(&child, Signal::SIGHUP);
    assert_eq!(end(child), (Some(0), String::new()));
    let text = fs::read_to_string(out.join("x.csv")).unwrap();
    assert_eq!(text.lines().count(), 1 + 1_000_000);
    assert!(text.ends_with("999,999,0,0\n"));
}

#[test]
fn a_full_disk_leaves_no_file_and_what_was_there() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s0");
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    write(out.join("old.raw"), "as it was");
    // The limit of a file's size is reached as a full disk is: in the middle of a write. In units
    // of 512 or 1024 bytes.
    for (name, args) in [
        ("new.raw", &["cat"][..]),
        ("old.raw", &["cat"]),
        ("new.npy", &["cat"]),
        ("new.csv", &["cat"]),
        ("new.txt", &["cat"]),
        ("new.png", &["view"]),
    ] {
        let file = out.join(name);
        let mut all: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        all.extend([array.as_os_str(), "-o".as_ref(), file.as_os_str()]);
        let failed = after("ulimit -f 1", &all).code(3);
        assert!(failed.err.contains(&format!("{name}: cannot write: File too large")), "{}", failed.err);
        assert_eq!(names(&out), ["old.raw"], "{name}");
        assert_eq!(fs::read_to_string(out.join("old.raw")).unwrap(), "as it was");
    }
    let (pages, new) = (out.join("pages"), out.join("new"));
    let failed = after("ulimit -f 1", &["man".as_ref(), pages.as_ref()]).code(3);
    assert!(failed.err.contains("cannot write"), "{}", failed.err);
    assert_eq!(names(&pages), [""; 0]);
    after("ulimit -f 1", &["demo".as_ref(), new.as_ref()]).code(3);
    assert_eq!(names(&new), [""; 0]);
}

#[test]
fn a_damaged_block_midway_leaves_no_file_and_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    // More than a command holds at a time, so that much is written before the damage shows.
    write(array.join("attributes.json"), attributes("[4096,4096,6]", "[4096,4096,1]", "uint8", r#"{"type":"raw"}"#));
    write(array.join("0/0/5"), hex("0000 0003 00001000 00001000 00000001 010203"));
    let out = folder.path().join("out");
    write(out.join("old.npy"), "as it was");
    for name in ["new.npy", "old.npy", "new.raw"] {
        let failed = run!("cat", &array, "-o", out.join(name)).code(1);
        assert!(failed.err.contains("0/0/5"), "{}", failed.err);
        assert_eq!(names(&out), ["old.npy"]);
        assert_eq!(fs::read_to_string(out.join("old.npy")).unwrap(), "as it was");
    }
    // The rows before the damage are many: one of the first plane is enough here.
    for name in ["new.csv", "new.txt", "old.npy"] {
        run!("cat", &array, "--region", "0:3,0,:", "-o", out.join(name)).code(1);
        run!("view", &array, "--at", "2=5", "-o", out.join(name)).code(1);
        assert_eq!(names(&out), ["old.npy"]);
    }
}

#[test]
fn a_new_file_has_the_permissions_of_the_mask_and_a_replaced_one_keeps_its_own() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s2");
    let out = folder.path().join("out");
    for (mask, mode) in [("022", 0o644), ("027", 0o640), ("077", 0o600), ("000", 0o666)] {
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).unwrap();
        for (command, name) in [("cat", "x.npy"), ("view", "x.png")] {
            let file = out.join(name);
            let args = [OsStr::new(command), array.as_ref(), "-o".as_ref(), file.as_ref()];
            after(&format!("umask {mask}"), &args).code(0);
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, mode, "{command} {mask}");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o606)).unwrap();
            after(&format!("umask {mask}"), &args).code(0);
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o606, "{command} {mask}");
        }
        assert_eq!(names(&out), ["x.npy", "x.png"]);
    }
    let new = folder.path().join("new");
    after("umask 027", &["demo".as_ref(), "--size".as_ref(), "9,8,7".as_ref(), new.as_ref()]).code(0);
    assert_eq!(fs::metadata(new.join("demo.n5")).unwrap().mode() & 0o777, 0o750);
    assert_eq!(names(&new), ["demo.n5", "demo.png"]);
}

#[test]
fn links_stay_and_lead_to_the_new_content() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s2");
    let bytes = run!("cat", &array, "--format", "raw").code(0).bytes;
    let out = folder.path().join("out");
    write(out.join("deep/old"), "as it was");
    fs::create_dir(out.join("links")).unwrap();
    symlink("../deep/old", out.join("links/one")).unwrap();
    symlink("one", out.join("links/two")).unwrap();
    symlink(out.join("deep/new"), out.join("links/nowhere")).unwrap();
    symlink("loop", out.join("links/loop")).unwrap();
    symlink("deep", out.join("folder")).unwrap();
    for (link, target) in [("links/one", "old"), ("links/two", "old"), ("links/nowhere", "new"), ("folder/more", "more")] {
        run!("-q", "cat", &array, "--format", "raw", "-o", out.join(link)).code(0);
        assert_eq!(fs::read(out.join("deep").join(target)).unwrap(), bytes, "{link}");
        assert!(link.starts_with("folder") || out.join(link).is_symlink());
        fs::write(out.join("deep/old"), "again").unwrap();
    }
    run!("-q", "cat", &array, "--format", "raw", "-o", out.join("links/loop")).code(3);
    assert_eq!(names(&out.join("deep")), ["more", "new", "old"]);
    assert_eq!(names(&out.join("links")), ["loop", "nowhere", "one", "two"]);
}

#[test]
fn what_is_no_file_is_written_as_it_is() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s2");
    let bytes = run!("cat", &array, "--format", "raw").code(0).bytes;
    let cat = |name: &Path| {
        let mut all = command();
        all.arg("-q").arg("cat").arg(&array).args(["--format", "raw", "-o"]).arg(name);
        all
    };
    // Names of the standard output, be it a pipe or a file.
    symlink("/dev/stdout", folder.path().join("link")).unwrap();
    let mut stdout = vec![PathBuf::from("/dev/stdout"), PathBuf::from("/dev/fd/1"), folder.path().join("link")];
    if cfg!(target_os = "linux") {
        stdout.push(PathBuf::from("/proc/self/fd/1"));
    }
    for name in &stdout {
        let piped = cat(name).output().unwrap();
        assert!(piped.status.success() && piped.stdout == bytes, "{}: {:?}", name.display(), piped.status);
        let path = folder.path().join("redirected");
        let file = File::create(&path).unwrap();
        let before = file.metadata().unwrap().ino();
        assert!(cat(name).stdout(file).status().unwrap().success());
        assert_eq!((fs::metadata(&path).unwrap().ino(), fs::read(&path).unwrap() == bytes), (before, true), "{}", name.display());
    }
    assert!(cat(Path::new("/dev/null")).status().unwrap().success());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = thread::spawn({
        let fifo = fifo.clone();
        move || fs::read(fifo).unwrap()
    });
    assert!(cat(&fifo).status().unwrap().success());
    assert!(reader.join().unwrap() == bytes && fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
}

#[test]
fn what_cannot_be_written_is_named_and_left() {
    let folder = demo();
    let array = folder.path().join("demo.n5/raw/s2");
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    for command in ["cat", "view"] {
        for (name, reason) in [
            ("out", "Is a directory"),
            ("out/", "Is a directory"),
            ("new/", "Is a directory"),
            ("missing/x.raw", "No such file or directory (os error 2); check the path"),
            ("demo.png/x.raw", "Not a directory"),
        ] {
            let failed = run!(command, &array, "-o", folder.path().join(name)).code(3);
            assert!(failed.err.contains(name) && failed.err.contains(reason), "{command} {name}: {}", failed.err);
        }
    }
    let (file, sealed) = (out.join("read-only"), out.join("sealed"));
    write(&file, "as it was");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    write(sealed.join("x"), "as it was");
    fs::set_permissions(&sealed, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere.
    let may_all = OpenOptions::new().write(true).open(&file).is_ok();
    for (name, remedy) in [(&file, "check its permissions"), (&sealed.join("x"), "'-o -' writes to standard output")] {
        let run = run!("-q", "cat", &array, "--format", "raw", "-o", name).code(if may_all { 0 } else { 3 });
        assert!(may_all || run.err.contains(remedy), "{}", run.err);
        assert_eq!(fs::read(name).unwrap() == b"as it was", !may_all);
    }
    fs::set_permissions(&sealed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(names(&sealed), ["x"]);
    assert_eq!(names(&out), ["read-only", "sealed"]);
}

#[test]
fn a_stopped_demo_leaves_the_old_one_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let (new, old) = (folder.path().join("new"), folder.path().join("old"));
    fs::create_dir(&new).unwrap();
    run!("-q", "demo", "--size", "20,20,20", &old).code(0);
    let before = support::files(&old);
    for (target, signal, code) in [(&new, Signal::SIGINT, 130), (&old, Signal::SIGTERM, 143)] {
        let mut child =
            start([OsStr::new("-qj1"), "demo".as_ref(), "--overwrite".as_ref(), "--size=250,200,100".as_ref(), target.as_ref()]);
        let began = Instant::now();
        let is_part = |name: &String| name.starts_with(".zn5-") && target.join(name).join("raw/s0/0").exists();
        while !names(target).iter().any(is_part) {
            assert!(child.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(120), "it was never seen to write");
            thread::sleep(Duration::from_millis(1));
        }
        send(&child, signal);
        assert_eq!(end(child), (Some(code), "zn5: interrupted\n".to_owned()));
    }
    assert_eq!(names(&new), [""; 0]);
    assert_eq!(names(&old), ["demo.n5", "demo.png"]);
    assert!(support::files(&old) == before);
    run!("-q", "demo", "--overwrite", "--size", "10,10,10", &old).code(0);
    assert_eq!(names(&old), ["demo.n5", "demo.png"]);
    assert!(run!("ls", "-rl", &old).code(0).out.contains("10 × 10 × 10"));
}
