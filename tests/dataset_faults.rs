//! A world that changes while a dataset is read, and names as strangers choose them: blocks replaced, cut and taken away meanwhile, links
//! that lead nowhere or in a circle, containers in folders of any name. Faults of single calls are in `c_tests/test_store_faults.c`.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

mod dataset_support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dataset_support::*;
use zn5::dataset::{Dataset, list_nodes};
use zn5::error::{Error, ErrorKind};
use zn5::metadata::Grid;
use zn5::model::CodecOptions;
use zn5::store::{Memory, N5AsZarr, Store};

fn attributes(dimensions: &str, block_size: &str, compression: &str) -> String {
    format!(r#"{{"dimensions":{dimensions},"blockSize":{block_size},"dataType":"uint16","compression":{{"type":"{compression}"}}}}"#)
}

fn create(store: &Arc<dyn Store>, path: &str, json: &str) -> Dataset {
    Dataset::create(Arc::clone(store), path, json.as_bytes(), CodecOptions::default()).unwrap()
}

/// How long the tests with threads go on.
fn duration() -> Duration {
    Duration::from_millis(if is_long() { 20_000 } else { 400 })
}

/// Runs `change` again and again while `look` does; fails as they do.
fn while_changing(change: impl Fn(u64) + Sync, look: impl Fn() + Sync) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let changing = scope.spawn(|| {
            for round in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                change(round);
            }
        });
        let end = Instant::now() + duration();
        let looking = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while Instant::now() < end {
                look();
            }
        }));
        done.store(true, Ordering::Relaxed);
        changing.join().unwrap();
        looking.unwrap();
    });
}

/// Readers of the whole and of parts, which are read by several calls, see one version of a block and nothing of another.
#[test]
fn a_block_that_is_replaced_is_read_old_or_new() {
    for compression in ["raw", "zstd"] {
        let store = directory(&folder(&format!("replaced-{compression}")), true);
        let shape = [200_u64, 150, 4];
        let dataset = create(&store, "d", &attributes("[200,150,4]", "[200,150,4]", compression));
        let image = |value: u16| value.to_ne_bytes().repeat(200 * 150 * 4);
        write(&dataset, &[0, 0, 0], &shape, &image(1), &threads(1)).unwrap();
        let seen = AtomicU64::new(0);
        while_changing(
            |round| write(&dataset, &[0, 0, 0], &shape, &image((round % 1000) as u16 + 1), &threads(1)).unwrap(),
            || {
                // The last one consists of runs that lie 60 kB apart.
                for (offset, extents) in [([0, 0, 0], shape), ([0, 0, 2], [200, 150, 1]), ([3, 70, 0], [100, 2, 4])] {
                    let got = read(&dataset, &offset, &extents, &threads(1)).unwrap();
                    let first = u64::from(u16::from_ne_bytes([got[0], got[1]]));
                    assert!(first > 0 && got.chunks(2).all(|value| value == &got[..2]), "{compression}: a mixture of versions");
                    seen.fetch_or(1 << (first % 64), Ordering::Relaxed);
                }
            },
        );
        assert!(seen.into_inner().count_ones() > 1, "nothing was replaced");
    }
}

/// A block that comes and goes is there, whole, or missing; a verifier that has listed it finds no fault either.
#[test]
fn a_block_that_vanishes_is_whole_or_missing() {
    let folder = folder("vanishing");
    let store = directory(&folder, true);
    let dataset = create(&store, "d", &attributes("[200,200]", "[100,100]", "raw"));
    let image = 7_u16.to_ne_bytes().repeat(200 * 200);
    write(&dataset, &[0, 0], &[200, 200], &image, &threads(1)).unwrap();
    let block = folder.join("d/1/0");
    while_changing(
        |round| {
            if round % 2 == 0 {
                fs::remove_file(&block).unwrap();
            } else {
                write(&dataset, &[100, 0], &[100, 100], &image[..20_000], &threads(1)).unwrap();
            }
        },
        || {
            for (offset, extents) in [([0, 0], [200, 200]), ([150, 50], [1, 50])] {
                let got = read(&dataset, &offset, &extents, &threads(2)).unwrap();
                for (at, value) in positions(&extents).iter().zip(got.chunks(2)) {
                    let may_vanish = at[0] + offset[0] >= 100 && at[1] + offset[1] < 100;
                    assert!(value == 7_u16.to_ne_bytes() || (may_vanish && value == [0, 0]), "{at:?}: {value:?}");
                }
            }
            dataset.verify(&mut |problem| panic!("{}", problem.message), &threads(2), None).unwrap();
        },
    );
}

/// A file that somebody cuts while its parts are read is an error that names it, or read before: never what was in memory before.
#[test]
fn a_block_that_is_cut_in_place_is_an_error() {
    let folder = folder("cut");
    let store = directory(&folder, true);
    let dataset = create(&store, "d", &attributes("[200,150,4]", "[200,150,4]", "raw"));
    write(&dataset, &[0, 0, 0], &[200, 150, 4], &7_u16.to_ne_bytes().repeat(200 * 150 * 4), &threads(1)).unwrap();
    let file = folder.join("d/0/0/0");
    let whole = fs::read(&file).unwrap();
    while_changing(
        |round| {
            let cut = if round % 2 == 0 { 1000 + (round as usize * 7919) % (whole.len() - 1000) } else { whole.len() };
            fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(cut as u64).unwrap();
            fs::write(&file, &whole[..cut]).unwrap();
        },
        || match read(&dataset, &[3, 70, 0], &[100, 2, 4], &threads(1)) {
            // The system fills with zeros what it lengthens.
            Ok(got) => assert!(got.chunks(2).all(|value| value == 7_u16.to_ne_bytes() || value == [0, 0])),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::TruncatedBlock | ErrorKind::EmptyBlock), "{error}");
                assert!(error.message().starts_with("d/0/0/0: "), "{error}");
            }
        },
    );
    fs::write(&file, &whole[..5000]).unwrap();
    assert_eq!(read(&dataset, &[3, 70, 0], &[100, 2, 4], &threads(1)).unwrap_err().kind(), ErrorKind::TruncatedBlock);
}

fn check_names(error: &Error, kind: ErrorKind, parts: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    for part in parts {
        assert!(error.message().contains(part), "{part}: {error}");
    }
}

#[test]
fn policy_37_links_to_nowhere_and_in_circles_are_named() {
    let folder = folder("links");
    let store = directory(&folder, true);
    let dataset = create(&store, "d", &attributes("[40]", "[10]", "raw"));
    let image = 7_u16.to_ne_bytes().repeat(40);
    write(&dataset, &[0], &[40], &image, &threads(1)).unwrap();
    let block = |number: u32| folder.join(format!("d/{number}"));
    fs::rename(block(1), folder.join("elsewhere")).unwrap();
    symlink(folder.join("elsewhere"), block(1)).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), image);

    fs::rename(folder.join("elsewhere"), folder.join("gone")).unwrap();
    check_names(&read_all(&dataset).unwrap_err(), ErrorKind::Io, &["d/1: ", &block(1).display().to_string(), "leads nowhere"]);
    let mut found = Vec::new();
    let problem = &mut |problem: zn5::dataset::Problem<'_>| {
        found.push((problem.key.to_owned(), problem.kind));
        true
    };
    dataset.verify(problem, &threads(1), None).unwrap();
    assert_eq!(found, [("d/1".to_owned(), ErrorKind::Io)]);
    // Not completed with the fill value: what it leads to is not lost.
    check_names(&write(&dataset, &[15], &[1], &[1, 1], &threads(1)).unwrap_err(), ErrorKind::Io, &["d/1: ", "leads nowhere"]);
    assert!(fs::symlink_metadata(block(1)).unwrap().is_symlink());
    // Written whole, it takes the place of the link.
    write(&dataset, &[10], &[10], &image[..20], &threads(1)).unwrap();
    assert_eq!(read_all(&dataset).unwrap(), image);

    fs::remove_file(block(2)).unwrap();
    symlink(block(3), block(2)).unwrap();
    fs::remove_file(block(3)).unwrap();
    symlink(block(2), block(3)).unwrap();
    check_names(&read_all(&dataset).unwrap_err(), ErrorKind::Io, &["d/2: ", &block(2).display().to_string(), "circle"]);

    // A folder that leads up again is entered as often as somebody asks for.
    symlink(&folder, folder.join("d/up")).unwrap();
    assert_eq!(read(&Dataset::open(store, "d/up/d", CodecOptions::default()).unwrap(), &[0], &[10], &threads(1)).unwrap(), image[..20]);
}

#[test]
fn containers_lie_in_folders_of_any_name() {
    let parent = folder("names");
    let names: [&[u8]; 7] =
        [b"with spaces  ", b"line\nfeed", b"tab\t\x1b[31mred", "日本 ä\u{301}".as_bytes(), b"\xff\xfenot UTF-8", b"-rf *", b"'\"\\$(x)"];
    for name in names {
        let root = parent.join(OsStr::from_bytes(name));
        fs::create_dir(&root).unwrap();
        let store = directory(&root, true);
        let dataset = create(&store, "a b/ü", &attributes("[4]", "[2]", "raw"));
        let image = 7_u16.to_ne_bytes().repeat(4);
        write(&dataset, &[0], &[4], &image, &threads(1)).unwrap();
        let opened = Dataset::open(directory(&root, false), "/a b/ü/", CodecOptions::default()).unwrap();
        assert_eq!(read_all(&opened).unwrap(), image);
        opened.verify(&mut |problem| panic!("{}", problem.message), &threads(1), None).unwrap();
        // Of an error the path can be read, and nothing of it reaches a terminal as a command.
        fs::write(root.join("file"), b"x").unwrap();
        let error = store.set("file/below", b"x").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert!(error.message().contains("file") && !error.message().contains(char::is_control), "{error}");
    }
}

/// Names that are not UTF-8 are no keys; others may hold what a terminal obeys, so messages show it escaped.
#[test]
fn names_in_a_container_are_printable_in_messages() {
    let folder = folder("odd-names");
    let store = directory(&folder, true);
    let odd = "line\nfeed \u{1b}[31m\u{202e}\u{9b}";
    let dataset = create(&store, odd, &attributes("[4]", "[2]", "raw"));
    fs::write(folder.join(odd).join("0"), b"").unwrap();
    fs::write(folder.join(odd).join("x\ny"), b"").unwrap();
    fs::write(folder.join(odd).join(OsStr::from_bytes(b"\xff")), b"").unwrap();
    fs::create_dir(folder.join(OsStr::from_bytes(b"\xff\xfe"))).unwrap();
    let printable = |error: &Error| {
        let is_printable = |c: char| !c.is_control() && c != '\u{202e}';
        assert!(error.message().chars().all(is_printable), "{:?}", error.message());
        assert!(error.message().contains(r"line\nfeed \u{1b}[31m\u{202e}\u{9b}"), "{error}");
    };
    printable(&read_all(&dataset).unwrap_err());
    let mut problems = Vec::new();
    dataset
        .verify(
            &mut |problem| {
                problems.push(Error::new(problem.kind, problem.message.to_owned()));
                true
            },
            &threads(1),
            None,
        )
        .unwrap();
    assert_eq!(problems.len(), 2);
    problems.iter().for_each(printable);
    printable(
        &Dataset::create(Arc::clone(&store), odd, attributes("[4]", "[2]", "raw").as_bytes(), CodecOptions::default()).err().unwrap(),
    );
    let mut nodes = Vec::new();
    list_nodes(&store, "", &mut |name, _| {
        nodes.push(name.to_owned());
        Ok(())
    })
    .unwrap();
    assert_eq!(nodes, [odd]);
    fs::write(folder.join(odd).join("attributes.json"), b"{").unwrap();
    printable(&Dataset::open(Arc::clone(&store), odd, CodecOptions::default()).err().unwrap());
    fs::write(folder.join(odd).join("attributes.json"), b"{}").unwrap();
    printable(&Dataset::open(store, odd, CodecOptions::default()).err().unwrap());
}

/// A group that only the view shows is in nobody's way.
#[test]
fn arrays_are_created_where_a_view_shows_a_group() {
    let folder = folder("implicit");
    fs::create_dir_all(folder.join("there/already")).unwrap();
    for inner in [directory(&folder, true), Arc::new(Memory::new()) as Arc<dyn Store>] {
        inner.set("there/file", b"x").unwrap();
        let view: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&inner), Grid::Regular, true));
        let zarr = zn5::metadata::n5_to_zarr(attributes("[4]", "[2]", "raw").as_bytes(), Grid::Regular).unwrap();
        let dataset = create(&view, "there", &zarr);
        write(&dataset, &[0], &[4], &[1; 8], &threads(1)).unwrap();
        let opened = Dataset::open(Arc::clone(&inner), "there", CodecOptions::default()).unwrap();
        assert_eq!(opened.metadata(), attributes("[4]", "[2]", "raw"));
        assert_eq!(read_all(&opened).unwrap(), [1; 8]);
        // What is stored stays in the way.
        let again = Dataset::create(Arc::clone(&view), "there", zarr.as_bytes(), CodecOptions::default()).err().unwrap();
        assert_eq!(again.kind(), ErrorKind::AlreadyExists);
        inner.set("group/attributes.json", b"{}").unwrap();
        let group = Dataset::create(view, "group", zarr.as_bytes(), CodecOptions::default()).err().unwrap();
        assert_eq!(group.kind(), ErrorKind::AlreadyExists);
    }
    assert!(!Path::new(&folder.join("there/zarr.json")).exists());
}
