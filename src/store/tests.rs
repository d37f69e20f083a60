//! Tests that every store passes, and those of the directory alone.
//!
//! `Folder` gives a test a folder of its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;
use crate::error::ErrorKind;

/// A folder that goes away with its value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("zn5 test {}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn store(&self) -> Directory {
        Directory::open(&self.0, Options { write: true, create: false }).unwrap()
    }

    fn file_count(&self) -> usize {
        fn count(folder: &Path) -> usize {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
        }
        count(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn get(store: &dyn Store, key: &str) -> Option<Vec<u8>> {
    let mut value = b"before".to_vec();
    store.get(key, 0, u64::MAX, &mut value).unwrap().then_some(value)
}

fn list(store: &dyn Store, prefix: &str) -> BTreeSet<(String, EntryKind)> {
    let mut names = BTreeSet::new();
    store
        .list(prefix, &mut |name, kind| {
            assert!(names.insert((name.to_owned(), kind)), "{name} came twice");
            Ok(())
        })
        .unwrap();
    names
}

fn names(entries: &[(&str, EntryKind)]) -> BTreeSet<(String, EntryKind)> {
    entries.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
}

/// Values that are stored, replaced, read in parts, erased.
fn keeps_values(store: &dyn Store) {
    assert!(store.is_writable());
    assert_eq!(get(store, "a/0/1"), None);
    assert_eq!(store.stamp("a/0/1").unwrap(), None);
    store.erase("a/0/1").unwrap();
    store.set("a/0/1", b"0123456789").unwrap();
    assert_eq!(get(store, "a/0/1").unwrap(), b"0123456789");
    assert!(store.stamp("a/0/1").unwrap().is_none_or(|stamp| stamp.len == 10));

    let parts: [(u64, u64, &[u8]); 11] = [
        (0, 0, b""),
        (0, 3, b"012"),
        (0, 10, b"0123456789"),
        (0, 11, b"0123456789"),
        (4, 3, b"456"),
        (4, u64::MAX, b"456789"),
        (9, 5, b"9"),
        (10, 1, b""),
        (11, 1, b""),
        (u64::MAX, 1, b""),
        (u64::MAX, u64::MAX, b""),
    ];
    for (offset, max_len, expected) in parts {
        let mut value = b"before".to_vec();
        assert!(store.get("a/0/1", offset, max_len, &mut value).unwrap());
        assert_eq!(value, expected, "{offset} {max_len}");
    }

    store.set("a/0/1", b"shorter").unwrap();
    assert_eq!(get(store, "a/0/1").unwrap(), b"shorter");
    store.set("a/0/1", b"").unwrap();
    assert_eq!(get(store, "a/0/1").unwrap(), b"");
    assert!(store.stamp("a/0/1").unwrap().is_none_or(|stamp| stamp.len == 0));
    let large: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
    store.set("a/0/1", &large).unwrap();
    assert!(get(store, "a/0/1").unwrap() == large);
    let mut value = Vec::new();
    assert!(store.get("a/0/1", 1_000_000, 1_000_000, &mut value).unwrap());
    assert!(value == large[1_000_000..2_000_000]);

    // A folder, and what would lie below a value, are missing.
    for key in ["a", "a/0", "a/0/1/2", "a/0/2", "b"] {
        assert_eq!(get(store, key), None, "{key}");
        assert_eq!(store.stamp(key).unwrap(), None, "{key}");
        store.erase(key).unwrap();
    }
    assert!(get(store, "a/0/1").is_some());
    store.erase("a/0/1").unwrap();
    assert_eq!(get(store, "a/0/1"), None);
    assert_eq!(list(store, "a/0/").len(), 0);
}

fn lists(store: &dyn Store) {
    use EntryKind::{Key, Prefix};
    assert_eq!(list(store, ""), names(&[]));
    for key in ["attributes.json", "d/attributes.json", "d/0/0", "d/0/1", "d/0-0", "d/00", "d/0.", "d/1/0", "dd/x", "d0"] {
        store.set(key, key.as_bytes()).unwrap();
    }
    assert_eq!(list(store, ""), names(&[("attributes.json", Key), ("d", Prefix), ("dd", Prefix), ("d0", Key)]));
    assert_eq!(list(store, "d/"), names(&[("attributes.json", Key), ("0", Prefix), ("0-0", Key), ("00", Key), ("0.", Key), ("1", Prefix)]));
    assert_eq!(list(store, "d/0/"), names(&[("0", Key), ("1", Key)]));
    assert_eq!(list(store, "d/0/0/"), names(&[]));
    assert_eq!(list(store, "no/such/"), names(&[]));

    // The first error ends it, and the store may be used meanwhile.
    let mut seen = 0;
    let error = store
        .list("d/", &mut |name, kind| {
            seen += 1;
            if kind == Key {
                assert!(get(store, &join("d", name)).is_some());
            }
            store.set("d/0/2", b"new")?;
            if seen == 3 { Err(Error::new(ErrorKind::Cancelled, "enough")) } else { Ok(()) }
        })
        .unwrap_err();
    assert_eq!((error.kind(), seen), (ErrorKind::Cancelled, 3));
}

fn takes_odd_keys(store: &dyn Store) {
    let keys = ["ä ö/ü", "...", "..a/..", "a\nb", "%2e%2e", "-rf", "~", "$HOME/`x`", "a\\b", "C:", "'\"", "x.zn5-1", ".hidden", "日本"];
    for key in keys.iter().filter(|key| check_key(key).is_ok()) {
        store.set(key, key.as_bytes()).unwrap();
        assert_eq!(get(store, key).unwrap(), key.as_bytes(), "{key}");
        let (folder, name) = key.rsplit_once('/').unwrap_or(("", key));
        assert!(list(store, &prefix_of(folder)).contains(&(name.to_owned(), EntryKind::Key)), "{key}");
        store.erase(key).unwrap();
        assert_eq!(get(store, key), None, "{key}");
    }
}

fn refuses_keys(store: &dyn Store) {
    let mut visited = 0;
    for key in ["", "/", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "./a", "a/.", "a/", "a\0b", ".zn5-1-1", "a/.zn5-1-1"] {
        let errors = [
            store.get(key, 0, u64::MAX, &mut Vec::new()).unwrap_err(),
            store.set(key, b"x").unwrap_err(),
            store.erase(key).unwrap_err(),
            store.stamp(key).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{key:?}: {error}");
        }
    }
    for prefix in ["/", "a", "../", "a/../", "a//", "/a/", "\0/", ".zn5-1-1/"] {
        let error = store
            .list(prefix, &mut |_, _| {
                visited += 1;
                Ok(())
            })
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{prefix:?}");
    }
    assert_eq!(visited, 0);
}

/// Threads that replace, erase and read the same keys at once see whole values only.
fn is_used_by_many_threads(store: &dyn Store) {
    const LEN: usize = 20_000;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3_u8)
            .map(|writer| {
                scope.spawn(move || {
                    for round in 0..60_u8 {
                        for key in ["t/0/0", "t/0/1"] {
                            if round % 10 == 9 {
                                store.erase(key).unwrap();
                            } else {
                                store.set(key, &vec![writer * 80 + round; LEN + usize::from(writer)]).unwrap();
                            }
                        }
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for key in ["t/0/0", "t/0/1"] {
                        if let Some(value) = get(store, key) {
                            let first = value[0];
                            assert!(value.len() == LEN + usize::from(first / 80) && value.iter().all(|&byte| byte == first));
                        }
                    }
                    for (name, kind) in list(store, "t/0/") {
                        // A view that shows groups shows theirs here too, while there is a key below.
                        assert!(kind == EntryKind::Key && ["0", "1", "zarr.json"].contains(&name.as_str()), "{name}");
                    }
                }
            });
        }
        let results: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        // Before any failure is reported: the readers would wait for ever.
        done.store(true, Ordering::Relaxed);
        for result in results {
            result.unwrap();
        }
    });
}

/// Everything above, each on a new store.
pub(crate) fn all_of_it<S: Store>(mut new: impl FnMut() -> S) {
    all_but_listings(&mut new);
    lists(&new());
}

fn all_but_listings<S: Store>(mut new: impl FnMut() -> S) {
    for test in [keeps_values, takes_odd_keys, refuses_keys, is_used_by_many_threads] {
        test(&new());
    }
}

#[test]
fn the_memory_is_a_store() {
    all_of_it(Memory::new);
}

#[test]
fn the_directory_is_a_store() {
    let mut folders = Vec::new();
    all_of_it(|| {
        folders.push(Folder::new());
        folders[folders.len() - 1].store()
    });
    // The tests of keys leave nothing, and none leaves a temporary file.
    let counts: Vec<_> = folders.iter().map(Folder::file_count).collect();
    assert!(counts[..3] == [0, 0, 0] && counts[3] <= 2 && counts[4] == 11, "{counts:?}");
}

#[test]
fn stamps_tell_when_a_value_changes() {
    let folder = Folder::new();
    let stores: [&dyn Store; 2] = [&Memory::new(), &folder.store()];
    for store in stores {
        store.set("a", b"1").unwrap();
        let first = store.stamp("a").unwrap().unwrap();
        assert_eq!(store.stamp("a").unwrap(), Some(first));
        std::thread::sleep(std::time::Duration::from_millis(20));
        store.set("a", b"2").unwrap();
        let second = store.stamp("a").unwrap().unwrap();
        assert_eq!((first.len, second.len), (1, 1));
        assert!(second.modified.unwrap() > first.modified.unwrap());
    }
}

#[test]
fn a_directory_is_opened_made_or_refused() {
    let folder = Folder::new();
    let open = |path: &Path, write, create| Directory::open(path, Options { write, create });
    let missing = folder.path().join("x/y");
    let error = open(&missing, true, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().contains("y\""), "{error}");
    assert!(!missing.exists());
    open(&missing, true, true).unwrap();
    assert!(missing.is_dir());
    open(&missing, false, true).unwrap();
    assert_eq!(open(Path::new(""), false, false).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let file = folder.path().join("file");
    fs::write(&file, b"x").unwrap();
    assert_eq!(open(&file, false, false).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(open(&file.join("z"), false, false).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(open(&file, true, true).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert!(open(&file.join("z"), true, true).is_err());
    assert!(open(&missing, false, false).unwrap().root().is_absolute());
}

#[test]
fn a_directory_is_read_only_unless_asked() {
    let folder = Folder::new();
    folder.store().set("a/b", b"1").unwrap();
    let store = Directory::open(folder.path(), Options::default()).unwrap();
    assert!(!store.is_writable());
    for error in [store.set("a/b", b"2").unwrap_err(), store.erase("a/b").unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::ReadOnly);
        assert!(error.message().contains("\"a/b\""), "{error}");
    }
    assert_eq!(get(&store, "a/b").unwrap(), b"1");
}

#[test]
fn files_and_folders_in_the_way_are_named() {
    let folder = Folder::new();
    let store = folder.store();
    store.set("a/b", b"1").unwrap();
    for (key, value) in [("a", "a folder has this name"), ("a/b/c", "a file stands")] {
        let error = store.set(key, b"2").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
        assert!(error.message().contains(value), "{error}");
    }
    assert_eq!(store.set("a/b/c/d", b"2").unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(folder.file_count(), 1);
    let long = "x".repeat(5000);
    for error in [store.set(&long, b"2").unwrap_err(), store.get(&long, 0, 1, &mut Vec::new()).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.message().len() < 600, "{error}");
    }
    assert_eq!(folder.file_count(), 1);
}

#[test]
fn temporary_files_are_hidden_and_do_no_harm() {
    let folder = Folder::new();
    let store = folder.store();
    store.set("a/b", b"1").unwrap();
    // As killed processes leave them, this process's numbers among them.
    for number in 0..2000 {
        fs::write(folder.path().join(format!("a/.zn5-{}-{number}", std::process::id())), b"cut").unwrap();
    }
    assert_eq!(list(&store, "a/"), names(&[("b", EntryKind::Key)]));
    store.set("a/c", b"2").unwrap();
    assert_eq!(get(&store, "a/c").unwrap(), b"2");
    assert_eq!(list(&store, "a/"), names(&[("b", EntryKind::Key), ("c", EntryKind::Key)]));
    assert_eq!(fs::read(folder.path().join(format!("a/.zn5-{}-7", std::process::id()))).unwrap(), b"cut");
}

#[test]
fn writers_survive_an_eraser_of_their_folder() {
    let folder = Folder::new();
    let store = folder.store();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::remove_dir_all(folder.path().join("a"));
                // As often as an eraser may come; one that never rests would let nobody write.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        });
        let results: Vec<_> = (0..300)
            .map(|_| {
                let set = store.set("a/b/c", b"value");
                (set, get(&store, "a/b/c"))
            })
            .collect();
        // Before any failure is reported: the eraser would go on for ever.
        done.store(true, Ordering::Relaxed);
        for (set, value) in results {
            set.unwrap();
            assert!(value.is_none_or(|value| value == b"value"));
        }
    });
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_are_followed_when_reading_and_replaced_when_writing() {
        let (folder, outside) = (Folder::new(), Folder::new());
        fs::write(outside.path().join("value"), b"outside").unwrap();
        symlink(outside.path().join("value"), folder.path().join("link")).unwrap();
        symlink(outside.path(), folder.path().join("folder")).unwrap();
        symlink("nowhere", folder.path().join("dangling")).unwrap();
        symlink("loop", folder.path().join("loop")).unwrap();
        let store = folder.store();
        // What cannot be followed is listed, so that whoever goes through a listing learns why.
        let expected = [("link", EntryKind::Key), ("folder", EntryKind::Prefix), ("loop", EntryKind::Key), ("dangling", EntryKind::Key)];
        assert_eq!(list(&store, ""), names(&expected));
        assert_eq!(store.get("loop", 0, 1, &mut Vec::new()).unwrap_err().kind(), ErrorKind::Io);
        assert_eq!(get(&store, "link").unwrap(), b"outside");
        assert_eq!(get(&store, "folder/value").unwrap(), b"outside");
        store.set("link", b"mine").unwrap();
        assert_eq!(get(&store, "link").unwrap(), b"mine");
        assert_eq!(fs::read(outside.path().join("value")).unwrap(), b"outside");
        store.erase("folder").unwrap();
        assert_eq!(store.set("folder", b"x").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(get(&store, "folder/value").unwrap(), b"outside");
    }

    #[test]
    fn policy_37_a_link_that_leads_nowhere_is_an_error_and_no_missing_value() {
        let folder = Folder::new();
        fs::create_dir(folder.path().join("a")).unwrap();
        symlink("/nowhere/at all", folder.path().join("a/0")).unwrap();
        symlink("gone", folder.path().join("a/1")).unwrap();
        let store = folder.store();
        for (key, link) in [("a/0", "a/0"), ("a/1", "a/1"), ("a/1/2/3", "a/1")] {
            let mut buffer = Buffer::default();
            for error in [store.get(key, 0, 9, &mut Vec::new()).unwrap_err(), store.open(key, 9, &mut buffer).err().unwrap()] {
                assert_eq!(error.kind(), ErrorKind::Io);
                let path = folder.path().join(link).display().to_string();
                assert!(error.message().starts_with(&format!("\"{path}\" is a link")), "{error}");
            }
        }
        for key in ["a/2", "b/0/1", "a/2/3/4"] {
            assert_eq!(get(&store, key), None);
            assert_eq!(list(&store, &prefix_of(key)), names(&[]));
        }
        for prefix in ["a/1/", "a/1/2/"] {
            let error = store.list(prefix, &mut |_, _| Ok(())).unwrap_err();
            assert!(error.message().contains("leads nowhere"), "{error}");
        }
        // A value takes the place of a link, but nothing is stored below one.
        let error = store.set("a/1/2", b"x").unwrap_err();
        assert!(error.message().contains("leads nowhere"), "{error}");
        store.set("a/0", b"x").unwrap();
        assert_eq!(get(&store, "a/0").unwrap(), b"x");
        store.erase("a/1").unwrap();
        assert_eq!(get(&store, "a/1"), None);
        assert_eq!(folder.file_count(), 1);
    }

    #[test]
    fn links_in_a_circle_are_named() {
        let folder = Folder::new();
        symlink("two", folder.path().join("one")).unwrap();
        symlink("one", folder.path().join("two")).unwrap();
        let store = folder.store();
        let errors = [
            store.get("one", 0, 9, &mut Vec::new()).unwrap_err(),
            store.get("one/2/3", 0, 9, &mut Vec::new()).unwrap_err(),
            store.set("one/2/3", b"x").unwrap_err(),
            store.list("one/", &mut |_, _| Ok(())).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.message().contains("/one") && error.message().contains("circle"), "{error}");
        }
    }

    #[test]
    fn what_is_neither_file_nor_folder_is_no_value() {
        let folder = Folder::new();
        let socket = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
        fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), b"x").unwrap();
        nix::unistd::mkfifo(&folder.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        symlink("/dev/zero", folder.path().join("zeros")).unwrap();
        let store = folder.store();
        assert_eq!(list(&store, ""), names(&[]));
        for key in ["s", "pipe", "zeros"] {
            assert_eq!(get(&store, key), None);
            assert!(store.open(key, 9, &mut Buffer::default()).unwrap().is_none() && store.stamp(key).unwrap().is_none());
        }
        drop(socket);
    }

    #[test]
    fn the_system_s_refusal_is_a_permission_error() {
        let folder = Folder::new();
        let store = folder.store();
        store.set("a/b", b"1").unwrap();
        let locked = folder.path().join("a");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        let results = [
            store.set("a/b", b"2"),
            store.erase("a/b"),
            store.get("a/b", 0, 9, &mut Vec::new()).map(drop),
            store.list("a/", &mut |_, _| Ok(())),
        ];
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
        // A superuser is refused nothing.
        let is_superuser = results.iter().all(Result::is_ok);
        for result in results {
            if let Err(error) = result {
                assert_eq!(error.kind(), ErrorKind::Permission);
                assert!(error.message().contains("/a"), "{error}");
            } else {
                assert!(is_superuser);
            }
        }
    }
}

mod wrappers {
    use super::*;
    use crate::metadata::{Grid, IMPLICIT_GROUP, n5_to_zarr};
    use std::sync::Arc;

    const ARRAY: &str =
        r#"{"dimensions":[5,4],"blockSize":[2,2],"dataType":"uint8","compression":{"type":"gzip","level":6,"useZlib":false},"unit":"nm"}"#;
    const LZ4: &str = r#"{"dimensions":[5],"blockSize":[2],"dataType":"uint8","compression":{"type":"lz4","blockSize":65536}}"#;

    /// An N5 container: a root, a group without metadata, arrays with blocks, an empty folder.
    fn fill(store: &dyn Store) {
        for (key, value) in [
            ("attributes.json", r#"{"n5":"4.0.0"}"#),
            ("g/h/array/attributes.json", ARRAY),
            ("g/h/array/0/1", "block"),
            ("g/h/array/notes/text", "text"),
            ("g/lz4/attributes.json", LZ4),
            ("g/lz4/0", "block"),
            ("g/broken/attributes.json", "{"),
            ("g/broken/0/1", "block"),
            ("g/named/attributes.json", r#"{"name":"x"}"#),
            ("g/named/0/text", "a group named 0 in a group"),
            ("g/side/zarr.json", "stale"),
        ] {
            store.set(key, value.as_bytes()).unwrap();
        }
    }

    fn each(test: impl Fn(&Arc<dyn Store>, &N5AsZarr, &N5AsZarr)) {
        let folder = Folder::new();
        fs::create_dir_all(folder.path().join("g/empty")).unwrap();
        for inner in [Arc::new(Memory::new()) as Arc<dyn Store>, Arc::new(folder.store())] {
            fill(&*inner);
            let plain = N5AsZarr::new(Arc::clone(&inner), Grid::Regular, false);
            let implicit = N5AsZarr::new(Arc::clone(&inner), Grid::RegularBounded, true);
            test(&inner, &plain, &implicit);
        }
    }

    #[test]
    fn the_wrapper_is_a_store() {
        for implicit in [false, true] {
            all_but_listings(|| N5AsZarr::new(Arc::new(Memory::new()), Grid::Regular, implicit));
        }
    }

    #[test]
    fn metadata_is_translated_and_blocks_are_not() {
        each(|_, plain, bounded| {
            let text = n5_to_zarr(ARRAY.as_bytes(), Grid::Regular).unwrap();
            assert_eq!(get(plain, "g/h/array/zarr.json").unwrap(), text.as_bytes());
            let other = get(bounded, "g/h/array/zarr.json").unwrap();
            assert!(String::from_utf8(other).unwrap().contains("zarrs.regular_bounded"));
            assert!(String::from_utf8(get(plain, "zarr.json").unwrap()).unwrap().contains(r#""node_type":"group""#));
            assert_eq!(get(plain, "g/h/array/0/1").unwrap(), b"block");
            assert_eq!(get(plain, "g/h/array/attributes.json").unwrap(), ARRAY.as_bytes());
            // A range is one of the translated text.
            for (offset, max_len) in [(0, 5), (7, 11), (3, u64::MAX), (text.len() as u64, 1), (1 << 40, 9), (0, 0)] {
                let mut value = b"before".to_vec();
                assert!(plain.get("g/h/array/zarr.json", offset, max_len, &mut value).unwrap());
                let start = usize::try_from(offset).unwrap().min(text.len());
                let end = usize::try_from(max_len).unwrap().saturating_add(start).min(text.len());
                assert_eq!(value, &text.as_bytes()[start..end]);
            }
            assert!(plain.stamp("g/h/array/zarr.json").unwrap().is_some());
            assert!(plain.is_writable());
            // Only a whole name is translated.
            assert_eq!(get(plain, "g/h/array/xzarr.json"), None);
        });
    }

    #[test]
    fn what_zarr_cannot_say_is_an_error_of_its_own_key() {
        each(|_, plain, implicit| {
            for store in [plain, implicit] {
                for (key, kind) in [("g/lz4/zarr.json", ErrorKind::NotRepresentable), ("g/broken/zarr.json", ErrorKind::InvalidJson)] {
                    let mut value = b"before".to_vec();
                    let error = store.get(key, 0, u64::MAX, &mut value).unwrap_err();
                    assert_eq!(error.kind(), kind, "{error}");
                    assert!(error.message().contains(&key.replace("zarr", "attributes")), "{error}");
                    assert_eq!(value, b"");
                }
                assert_eq!(get(store, "g/lz4/0").unwrap(), b"block");
            }
        });
    }

    #[test]
    fn writing_translates_back() {
        each(|inner, plain, _| {
            let text = get(plain, "g/h/array/zarr.json").unwrap();
            plain.set("copy/zarr.json", &text).unwrap();
            assert_eq!(get(&**inner, "copy/attributes.json").unwrap(), ARRAY.as_bytes());
            assert_eq!(get(&**inner, "copy/zarr.json"), None);
            plain.set("group/zarr.json", br#"{"zarr_format":3,"node_type":"group","attributes":{"a":1.50}}"#).unwrap();
            assert_eq!(get(&**inner, "group/attributes.json").unwrap(), br#"{"a":1.50}"#);
            plain.set("copy/0/0", b"block").unwrap();
            assert_eq!(get(&**inner, "copy/0/0").unwrap(), b"block");
            let error = plain.set("bad/zarr.json", b"{}").unwrap_err();
            assert!(error.message().contains("bad/zarr.json"), "{error}");
            assert_eq!(list(&**inner, "bad/"), names(&[]));
            plain.erase("copy/zarr.json").unwrap();
            assert_eq!(get(&**inner, "copy/attributes.json"), None);
            plain.erase("copy/0/0").unwrap();
            assert_eq!(get(&**inner, "copy/0/0"), None);
        });
    }

    #[test]
    fn listings_show_zarr_json_instead() {
        use EntryKind::{Key, Prefix};
        each(|_, plain, implicit| {
            assert_eq!(list(plain, ""), names(&[("zarr.json", Key), ("g", Prefix)]));
            assert_eq!(list(plain, "g/h/array/"), names(&[("zarr.json", Key), ("0", Prefix), ("notes", Prefix)]));
            assert_eq!(list(plain, "g/h/"), names(&[("array", Prefix)]));
            assert_eq!(list(plain, "g/side/"), names(&[]));
            assert_eq!(list(implicit, "g/h/"), names(&[("zarr.json", Key), ("array", Prefix)]));
            assert_eq!(list(implicit, "g/h/array/"), names(&[("zarr.json", Key), ("0", Prefix), ("notes", Prefix)]));
            assert_eq!(list(implicit, "g/h/array/0/"), names(&[("1", Key)]));
            assert_eq!(list(implicit, "g/side/"), names(&[("zarr.json", Key)]));
            assert_eq!(list(implicit, "nowhere/"), names(&[]));
        });
    }

    #[test]
    fn implicit_groups_are_real_folders_without_blocks() {
        each(|_, plain, implicit| {
            for path in ["g", "g/h", "g/h/array/notes", "g/named/0", "g/side"] {
                let key = join(path, "zarr.json");
                assert_eq!(get(implicit, &key).as_deref(), Some(IMPLICIT_GROUP.as_bytes()), "{path}");
                assert_eq!(get(plain, &key), None, "{path}");
            }
            let not = [
                "nowhere",
                "g/nowhere",
                "g/h/array/0",
                "g/h/array/0/1",
                "g/h/array/7",
                "g/lz4/0",
                "g/broken/0",
                "g/h/arra",
                "g/h/array/zarr.json",
            ];
            for path in not {
                assert_eq!(get(implicit, &join(path, "zarr.json")), None, "{path}");
            }
            let mut value = Vec::new();
            assert!(implicit.get("g/zarr.json", 1, 13, &mut value).unwrap());
            assert_eq!(value, br#""zarr_format""#);
        });
        // The root is a group even of an empty container, and a folder even if nothing is in it.
        let root = N5AsZarr::new(Arc::new(Memory::new()), Grid::Regular, true);
        assert_eq!(get(&root, "zarr.json").as_deref(), Some(IMPLICIT_GROUP.as_bytes()));
        assert_eq!(list(&root, ""), names(&[("zarr.json", EntryKind::Key)]));
        let folder = Folder::new();
        fs::create_dir_all(folder.path().join("empty/below")).unwrap();
        let store = N5AsZarr::new(Arc::new(folder.store()), Grid::Regular, true);
        for path in ["empty", "empty/below"] {
            assert_eq!(get(&store, &join(path, "zarr.json")).as_deref(), Some(IMPLICIT_GROUP.as_bytes()));
            assert!(list(&store, &prefix_of(path)).contains(&("zarr.json".to_owned(), EntryKind::Key)));
        }
    }

    #[test]
    fn blocks_of_a_dataset_at_the_root_are_no_groups() {
        let inner = Arc::new(Memory::new());
        inner.set("attributes.json", ARRAY.as_bytes()).unwrap();
        inner.set("0/1", b"block").unwrap();
        inner.set("s0/0", b"x").unwrap();
        let store = N5AsZarr::new(inner, Grid::Regular, true);
        assert_eq!(get(&store, "0/zarr.json"), None);
        assert!(get(&store, "s0/zarr.json").is_some());
    }
}
