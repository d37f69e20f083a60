//! Several writers at once by one handle: whatever parts of the same block they cover, nothing is
//! lost, nobody waits for ever, and a call that fails is in nobody's way; policy 44.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

mod dataset_support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use dataset_support::*;
use zn5::array::Source;
use zn5::dataset::{Dataset, IoOptions};
use zn5::error::{Error, ErrorKind, Result};
use zn5::metadata::Grid;
use zn5::model::Order;
use zn5::store::{EntryKind, Memory, N5AsZarr, Stamp, Store};

/// What a store is about to do, or has done, when its hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Get,
    Got,
    Set,
    Stored,
    Erase,
}

/// A store like those of programs, that calls a hook before and after each of its steps.
struct Hooked<F> {
    inner: Arc<dyn Store>,
    hook: F,
}

impl<F: Fn(Moment, &str) -> Result<()> + Send + Sync> Store for Hooked<F> {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        (self.hook)(Moment::Get, key)?;
        let found = self.inner.get(key, offset, max_len, value)?;
        (self.hook)(Moment::Got, key)?;
        Ok(found)
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        (self.hook)(Moment::Set, key)?;
        self.inner.set(key, value)?;
        (self.hook)(Moment::Stored, key)
    }

    fn erase(&self, key: &str) -> Result<()> {
        (self.hook)(Moment::Erase, key)?;
        self.inner.erase(key)?;
        (self.hook)(Moment::Stored, key)
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        self.inner.list(prefix, visit)
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        self.inner.stamp(key)
    }

    fn is_writable(&self) -> bool {
        self.inner.is_writable()
    }
}

fn hooked(inner: Arc<dyn Store>, hook: impl Fn(Moment, &str) -> Result<()> + Send + Sync + 'static) -> Arc<dyn Store> {
    Arc::new(Hooked { inner, hook })
}

fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

fn is_block(key: &str) -> bool {
    !key.contains(".json")
}

/// A store in which threads overlap for certain: what a writer has read grows old before it is
/// used.
fn slow(inner: Arc<dyn Store>) -> Arc<dyn Store> {
    hooked(inner, |moment, key| {
        if moment == Moment::Got && is_block(key) {
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    })
}

/// Every kind of store, with those dialects that it can hold.
fn media(name: &str) -> Vec<(&'static str, Arc<dyn Store>, &'static [Kind])> {
    let all: &[Kind] = &[Kind::N5, Kind::N5InZarr, Kind::Plain, Kind::PlainBounded];
    vec![
        ("memory", memory(), all),
        ("a folder", directory(&folder(name), true), all),
        ("a store of the program", slow(memory()), all),
        ("N5 as Zarr", Arc::new(N5AsZarr::new(slow(memory()), Grid::Regular, false)), &[Kind::N5InZarr]),
    ]
}

fn create(store: &Arc<dyn Store>, path: &str, json: &str, order: Order) -> Dataset {
    Dataset::create(Arc::clone(store), path, json.as_bytes(), options(order)).unwrap()
}

/// An array of bytes in blocks that are not compressed.
fn bytes_array(store: &Arc<dyn Store>, extent: u64, block: u64) -> Dataset {
    let json = format!(r#"{{"dimensions":[{extent}],"blockSize":[{block}],"dataType":"uint8","compression":{{"type":"raw"}}}}"#);
    create(store, "d", &json, Order::C)
}

fn stored_keys(dataset: &Dataset) -> Vec<String> {
    let mut keys = Vec::new();
    dataset
        .stored_blocks(&mut |_, key| {
            keys.push(key.to_owned());
            Ok(())
        })
        .unwrap();
    keys
}

/// Runs `work` in a thread of its own, and fails if it takes so long that it must wait for itself.
fn in_time(name: &str, work: impl FnOnce() + Send + 'static) {
    let (done, result) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(work));
        done.send(()).unwrap();
        outcome
    });
    assert!(result.recv_timeout(Duration::from_secs(60)).is_ok(), "{name}: hangs");
    if let Err(panic) = worker.join().unwrap() {
        std::panic::resume_unwind(panic);
    }
}

/// A place where threads wait until so many have come, but not for ever.
#[derive(Default)]
struct Meeting {
    come: Mutex<u64>,
    changed: Condvar,
}

impl Meeting {
    fn come(&self) {
        *self.come.lock().unwrap() += 1;
        self.changed.notify_all();
    }

    /// Whether `count` have come within the time.
    fn wait(&self, count: u64, time: Duration) -> bool {
        let come = self.come.lock().unwrap();
        let (come, _) = self.changed.wait_timeout_while(come, time, |come| *come < count).unwrap();
        *come >= count
    }
}

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(200);

#[test]
fn policy_44_elements_that_threads_write_one_by_one_are_all_kept() {
    const THREADS: usize = 16;
    let flags = [(false, false), (true, false), (false, true), (true, true)];
    let shapes: [(&[u64], &[u64]); 4] = [(&[64], &[16]), (&[40], &[64]), (&[11, 9], &[5, 4]), (&[5, 6, 4], &[3, 4, 3])];
    let mut number = 0;
    for (name, store, kinds) in media("one_by_one") {
        for (&kind, (shape, block)) in kinds.iter().flat_map(|kind| shapes.iter().map(move |shape| (kind, shape))) {
            for order in [Order::C, Order::F] {
                let (write_fill, pad_edges) = flags[number % 4];
                number += 1;
                let io = IoOptions { write_fill, pad_edges, ..threads(1 + number % 2) };
                let dataset = create(&store, &format!("a{number}"), &document(kind, shape, block, "uint16", "0"), order);
                let elements = positions(shape);
                std::thread::scope(|scope| {
                    for thread in 0..THREADS {
                        let (dataset, elements, io) = (&dataset, &elements, &io);
                        scope.spawn(move || {
                            for (at, position) in elements.iter().enumerate().filter(|(at, _)| at % THREADS == thread) {
                                let value = (at as u16 + 1).to_ne_bytes();
                                write(dataset, position, &vec![1; position.len()], &value, io).unwrap();
                            }
                        });
                    }
                });
                let mut expected = vec![0; bytes_of(shape, 2)];
                for (at, position) in elements.iter().enumerate() {
                    let place = place(position, shape, 2, order);
                    expected[place..place + 2].copy_from_slice(&(at as u16 + 1).to_ne_bytes());
                }
                assert!(read_all(&dataset).unwrap() == expected, "{name} {kind:?} {shape:?} {order:?} {io:?}");
            }
        }
    }
}

/// Cuts a box into boxes at random.
fn split(random: &mut Random, offset: Vec<u64>, extents: Vec<u64>, boxes: &mut Vec<(Vec<u64>, Vec<u64>)>) {
    let axis = random.below(extents.len() as u64) as usize;
    if extents[axis] < 2 || random.below(8) == 0 {
        return boxes.push((offset, extents));
    }
    let cut = 1 + random.below(extents[axis] - 1);
    let (mut low, mut high, mut behind) = (extents.clone(), extents, offset.clone());
    low[axis] = cut;
    high[axis] -= cut;
    behind[axis] += cut;
    split(random, offset, low, boxes);
    split(random, behind, high, boxes);
}

#[test]
fn policy_44_regions_that_share_blocks_and_no_element_are_all_kept() {
    let rounds = if is_long() { 2000 } else { 120 };
    let mut random = Random::new(44);
    for round in 0..rounds {
        let kind = random.pick(&[Kind::N5, Kind::N5InZarr, Kind::Plain, Kind::PlainBounded]);
        let (data_type, fill_text, fill) = random.pick(&[("uint8", "0", [0_u8; 2]), ("int16", "-2", (-2_i16).to_ne_bytes())]);
        let size = if data_type == "uint8" { 1 } else { 2 };
        let fill = if kind == Kind::N5 { vec![0; size] } else { fill[..size].to_vec() };
        let rank = 1 + random.below(3) as usize;
        let shape: Vec<u64> = (0..rank).map(|_| 1 + random.below([120, 16, 8][rank - 1])).collect();
        let block: Vec<u64> = shape.iter().map(|extent| 1 + random.below(extent + 2)).collect();
        let order = random.pick(&[Order::C, Order::F]);
        let store = if round % 2 == 0 { memory() } else { slow(memory()) };
        let dataset = create(&store, "a", &document(kind, &shape, &block, data_type, fill_text), order);

        let mut boxes = Vec::new();
        split(&mut random, vec![0; rank], shape.clone(), &mut boxes);
        let parts: Vec<Vec<u8>> = boxes
            .iter()
            .map(|(_, extents)| {
                let is_fill = random.below(4) == 0;
                let count = bytes_of(extents, 1);
                if is_fill { fill.repeat(count) } else { (0..count * size).map(|_| random.below(256) as u8).collect() }
            })
            .collect();
        let mut expected = vec![0; bytes_of(&shape, size)];
        for ((offset, extents), part) in boxes.iter().zip(&parts) {
            for position in positions(extents) {
                let target: Vec<u64> = position.iter().zip(offset).map(|(at, offset)| at + offset).collect();
                let (from, to) = (place(&position, extents, size, order), place(&target, &shape, size, order));
                expected[to..to + size].copy_from_slice(&part[from..from + size]);
            }
        }
        let io = IoOptions { write_fill: random.below(2) == 0, pad_edges: random.below(2) == 0, ..threads(1 + random.below(3) as usize) };
        let next = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    while let Some(((offset, extents), part)) = {
                        let number = next.fetch_add(1, Ordering::Relaxed) as usize;
                        boxes.get(number).zip(parts.get(number))
                    } {
                        write(&dataset, offset, extents, part, &io).unwrap();
                    }
                });
            }
        });
        assert!(read_all(&dataset).unwrap() == expected, "round {round}: {kind:?} {shape:?} {block:?} {order:?} {io:?} {boxes:?}");
        if !io.write_fill {
            let only_fill = expected.chunks_exact(size).all(|element| element == fill);
            assert!(!only_fill || stored_keys(&dataset).is_empty(), "round {round}: fill is stored");
        }
    }
}

/// What comes while a block is completed, and what may be there after both.
struct Intrusion {
    name: &'static str,
    offset: u64,
    values: &'static [u8],
    io: IoOptions,
    allowed: &'static [&'static [u8]],
}

#[test]
fn policy_44_nothing_slips_in_between_reading_a_block_and_storing_it() {
    let pad_edges = IoOptions { pad_edges: true, ..threads(1) };
    let write_fill = IoOptions { write_fill: true, ..threads(1) };
    let whole: &[&[u8]] = &[&[2; 7], &[2, 2, 2, 9, 2, 2, 2]];
    let empty: &[&[u8]] = &[&[0; 7], &[0, 0, 0, 9, 0, 0, 0]];
    let part: &[&[u8]] = &[&[1, 1, 1, 9, 1, 7, 7]];
    let intrusions = [
        Intrusion { name: "a whole block", offset: 8, values: &[2; 7], io: threads(1), allowed: whole },
        Intrusion { name: "a whole block that is padded", offset: 8, values: &[2; 7], io: pad_edges, allowed: whole },
        Intrusion { name: "a block that is erased", offset: 8, values: &[0; 7], io: threads(1), allowed: empty },
        Intrusion { name: "a block of fill value", offset: 8, values: &[0; 7], io: write_fill, allowed: empty },
        Intrusion { name: "another part", offset: 13, values: &[7, 7], io: threads(1), allowed: part },
        Intrusion { name: "another part that is padded", offset: 13, values: &[7, 7], io: pad_edges, allowed: part },
        Intrusion { name: "both blocks", offset: 0, values: &[2; 15], io: threads(2), allowed: whole },
    ];
    for Intrusion { name, offset, values, io, allowed } in intrusions {
        let (has_read, has_come) = (Arc::new(Meeting::default()), Arc::new(Meeting::default()));
        let (reading, coming) = (Arc::clone(&has_read), Arc::clone(&has_come));
        let is_armed = Arc::new(AtomicBool::new(false));
        let armed = Arc::clone(&is_armed);
        let store = hooked(memory(), move |moment, key| {
            if key == "d/1" && moment == Moment::Got && armed.swap(false, Ordering::SeqCst) {
                reading.come();
                // The other call gets all the time that it needs, if nothing holds it up.
                coming.wait(1, SHORT);
            }
            Ok(())
        });
        let dataset = bytes_array(&store, 15, 8);
        write(&dataset, &[8], &[7], &[1; 7], &threads(1)).unwrap();
        is_armed.store(true, Ordering::SeqCst);
        std::thread::scope(|scope| {
            scope.spawn(|| write(&dataset, &[11], &[1], &[9], &threads(1)).unwrap());
            scope.spawn(|| {
                assert!(has_read.wait(1, LONG));
                write(&dataset, &[offset], &[values.len() as u64], values, &io).unwrap();
                has_come.come();
            });
        });
        let found = read(&dataset, &[8], &[7], &threads(1)).unwrap();
        assert!(allowed.contains(&&found[..]), "{name}: {found:?}");
    }
}

#[test]
fn policy_44_a_writer_of_whole_blocks_finds_what_it_wrote() {
    // One thread writes whole blocks, again and again with a higher number; others write their own
    // elements. The rest of the block is what the last whole write left, or the next one.
    const OWNED: [u64; 3] = [1, 4, 6];
    let rounds = if is_long() { 3000 } else { 150 };
    for (name, store) in [("memory", memory()), ("slow", slow(memory())), ("a folder", directory(&folder("whole"), true))] {
        for pad_edges in [false, true] {
            let dataset = create(
                &store,
                &format!("a{pad_edges}"),
                r#"{"dimensions":[15],"blockSize":[8],"dataType":"uint16","compression":{"type":"raw"}}"#,
                Order::C,
            );
            let io = IoOptions { pad_edges, ..threads(1) };
            let is_done = AtomicBool::new(false);
            let value_at = |bytes: &[u8], at: u64| {
                let at = at as usize * 2;
                u16::from_ne_bytes([bytes[at], bytes[at + 1]])
            };
            std::thread::scope(|scope| {
                for element in OWNED {
                    let (dataset, io, is_done) = (&dataset, &io, &is_done);
                    scope.spawn(move || {
                        let mut value = 10_000;
                        while !is_done.load(Ordering::Relaxed) {
                            value += 1;
                            write(dataset, &[8 + element], &[1], &u16::to_ne_bytes(value), io).unwrap();
                            let found = value_at(&read(dataset, &[8], &[7], io).unwrap(), element);
                            assert!(found == value || found < 10_000, "{name}: {found} instead of {value}");
                        }
                    });
                }
                let result = catch_unwind(AssertUnwindSafe(|| {
                    for round in 1..=rounds {
                        write(&dataset, &[8], &[7], &u16::to_ne_bytes(round).repeat(7), &io).unwrap();
                        let found = read(&dataset, &[8], &[7], &io).unwrap();
                        for element in 0..7 {
                            let value = value_at(&found, element);
                            let is_right = value == round || (OWNED.contains(&element) && value > 10_000);
                            assert!(is_right, "{name}: {value} at {element} after round {round}");
                        }
                    }
                }));
                is_done.store(true, Ordering::Relaxed);
                result.unwrap();
            });
        }
    }
}

#[test]
fn policy_44_only_writers_of_one_block_wait_for_each_other() {
    // Whoever comes waits for the other one, which could not come if it were held up.
    for (name, moment, regions) in [
        ("two whole writes of one block", Moment::Set, [(0, 8), (0, 8)]),
        ("parts of two blocks", Moment::Got, [(3, 2), (11, 2)]),
        ("a part and a whole one", Moment::Set, [(3, 2), (8, 8)]),
    ] {
        let meeting = Arc::new(Meeting::default());
        let here = Arc::clone(&meeting);
        let store = hooked(memory(), move |now, key| {
            if now == moment && ["d/0", "d/1"].contains(&key) {
                here.come();
                here.wait(2, LONG);
            }
            Ok(())
        });
        let dataset = bytes_array(&store, 16, 8);
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for (offset, extent) in regions {
                let dataset = &dataset;
                scope.spawn(move || write(dataset, &[offset], &[extent], &vec![1; extent as usize], &threads(1)).unwrap());
            }
        });
        assert!(begin.elapsed() < LONG, "{name}");
    }
}

#[test]
fn policy_44_a_write_that_fails_is_in_nobody_s_way() {
    let moments = [Moment::Get, Moment::Got, Moment::Set, Moment::Stored, Moment::Erase];
    for (moment, panics) in moments.into_iter().flat_map(|moment| [(moment, false), (moment, true)]) {
        for count in [1, 3] {
            in_time("a failing store", move || {
                let is_armed = Arc::new(AtomicBool::new(false));
                let armed = Arc::clone(&is_armed);
                let store = hooked(memory(), move |now, key| {
                    if now == moment && key.starts_with("d/") && armed.load(Ordering::SeqCst) {
                        assert!(!panics, "on purpose");
                        return Err(Error::new(ErrorKind::Io, "on purpose"));
                    }
                    Ok(())
                });
                let dataset = bytes_array(&store, 24, 8);
                let write_all = |value| write(&dataset, &[1], &[22], &[value; 22], &threads(count));
                // To erase, blocks are overwritten by fill value.
                write(&dataset, &[0], &[24], &[1; 24], &threads(count)).unwrap();
                let mut expected = [1; 24];
                let value = if moment == Moment::Erase {
                    write(&dataset, &[0], &[1], &[0], &threads(1)).unwrap();
                    write(&dataset, &[23], &[1], &[0], &threads(1)).unwrap();
                    (expected[0], expected[23]) = (0, 0);
                    0
                } else {
                    5
                };
                is_armed.store(true, Ordering::SeqCst);
                match catch_unwind(AssertUnwindSafe(|| write_all(value))) {
                    Ok(result) => assert!(!panics && result.unwrap_err().message().contains("on purpose"), "{moment:?}"),
                    Err(_) => assert!(panics),
                }
                is_armed.store(false, Ordering::SeqCst);
                // Others, too, get at every block.
                std::thread::scope(|scope| {
                    scope.spawn(|| write_all(7).unwrap());
                    scope.spawn(|| write_all(7).unwrap());
                });
                expected[1..23].fill(7);
                assert_eq!(read_all(&dataset).unwrap(), expected, "{moment:?}");
            });
        }
    }
}

#[test]
fn policy_44_a_write_that_is_cancelled_leaves_others_their_elements() {
    const THREADS: u64 = 8;
    let dataset = bytes_array(&slow(memory()), 64, 16);
    let own = |thread: u64| (0..8).map(move |number| number * THREADS + thread);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let dataset = &dataset;
            scope.spawn(move || {
                for element in own(thread) {
                    // Once before its block and once behind it.
                    let value = [thread as u8 + 1];
                    let source = Source::contiguous(&value, &[1], 1, Order::C).unwrap();
                    let mut progress = |done, _| done > 0;
                    let error = dataset.write(&[element], &source, &threads(1), Some(&mut progress)).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Cancelled);
                    let mut calls = 0;
                    let mut late = |_, _| {
                        calls += 1;
                        calls < 2
                    };
                    let error = dataset.write(&[element], &source, &threads(1), Some(&mut late)).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Cancelled);
                }
            });
        }
    });
    // Who was cancelled behind its block had written it.
    let expected: Vec<u8> = (0..64).map(|at| (at % THREADS) as u8 + 1).collect();
    assert_eq!(read_all(&dataset).unwrap(), expected);
}

#[test]
fn policy_44_what_is_erased_and_written_again_is_not_lost() {
    const THREADS: usize = 12;
    for (name, store) in [("memory", memory()), ("slow", slow(memory())), ("a folder", directory(&folder("erased"), true))] {
        for (write_fill, keep) in [(false, true), (false, false), (true, true), (true, false)] {
            let json = r#"{"dimensions":[36],"blockSize":[12],"dataType":"uint8","compression":{"type":"raw"}}"#;
            let dataset = create(&store, &format!("{write_fill}{keep}"), json, Order::C);
            let io = IoOptions { write_fill, ..threads(1) };
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let (dataset, io) = (&dataset, &io);
                    scope.spawn(move || {
                        let last = if keep { thread as u8 % 4 } else { 0 };
                        for block in 0..3 {
                            for value in [1, 0, 2, 0, last] {
                                write(dataset, &[block * 12 + thread as u64], &[1], &[value], io).unwrap();
                            }
                        }
                    });
                }
            });
            let expected: Vec<u8> = (0..36).map(|at| if keep { at % 12 % 4 } else { 0 }).collect();
            assert_eq!(read_all(&dataset).unwrap(), expected, "{name} {io:?}");
            assert_eq!(stored_keys(&dataset).len(), if keep || write_fill { 3 } else { 0 }, "{name} {io:?}");
        }
    }
}

/// A dataset whose store gets at it.
type Shared = Arc<OnceLock<Dataset>>;

/// Writes by the dataset of a hook.
fn write_within(shared: &Shared, offset: u64, values: &[u8], count: usize) {
    write(shared.get().unwrap(), &[offset], &[values.len() as u64], values, &threads(count)).unwrap();
}

/// An array of 24 ones in blocks of 8, whose store calls `within` once, at this moment of this
/// block.
fn self_writing(moment: Moment, within: impl Fn(&Shared) + Send + Sync + 'static) -> (Shared, Arc<AtomicBool>) {
    let (shared, is_armed) = (Shared::default(), Arc::new(AtomicBool::new(false)));
    let (own, armed) = (Arc::clone(&shared), Arc::clone(&is_armed));
    let store = hooked(memory(), move |now, key| {
        if now == moment && key == "d/1" && armed.swap(false, Ordering::SeqCst) {
            within(&own);
        }
        Ok(())
    });
    assert!(shared.set(bytes_array(&store, 24, 8)).is_ok());
    write(shared.get().unwrap(), &[0], &[24], &[1; 24], &threads(1)).unwrap();
    is_armed.store(true, Ordering::SeqCst);
    (shared, is_armed)
}

#[test]
fn policy_44_a_store_may_write_the_dataset_that_uses_it() {
    /// What is written outside, when the store writes what, and what is there in the end.
    type Case = (&'static str, Moment, (u64, &'static [u8]), (u64, &'static [u8]), Vec<u8>);
    let ones = |changes: &[(usize, &[u8])]| {
        let mut bytes = vec![1; 24];
        for (at, values) in changes {
            bytes[*at..*at + values.len()].copy_from_slice(values);
        }
        bytes
    };
    let cases: [Case; 7] = [
        ("other blocks, while a whole one is stored", Moment::Stored, (8, &[2; 8]), (4, &[3; 4]), ones(&[(4, &[3; 4]), (8, &[2; 8])])),
        ("other blocks, while a part is read", Moment::Get, (9, &[2]), (0, &[3; 8]), ones(&[(0, &[3; 8]), (9, &[2])])),
        ("all blocks, while a part is stored", Moment::Stored, (9, &[2]), (0, &[3; 24]), vec![3; 24]),
        ("the block that is read, whole", Moment::Get, (9, &[2]), (8, &[3; 8]), ones(&[(8, &[3, 2, 3, 3, 3, 3, 3, 3])])),
        ("the block that is read, in part", Moment::Get, (9, &[2]), (12, &[3, 3]), ones(&[(9, &[2]), (12, &[3, 3])])),
        ("the block that has been stored, in part", Moment::Stored, (9, &[2]), (12, &[3, 3]), ones(&[(9, &[2]), (12, &[3, 3])])),
        // The block that is on its way into the store takes the place of what is there.
        ("the block that is stored, before it is", Moment::Set, (9, &[2]), (12, &[3, 3]), ones(&[(9, &[2])])),
    ];
    for (name, moment, outer, inner, expected) in cases {
        for (outer_count, inner_count) in [(1, 1), (1, 3), (3, 1), (3, 3)] {
            let expected = expected.clone();
            in_time(name, move || {
                let (shared, is_armed) = self_writing(moment, move |own| write_within(own, inner.0, inner.1, inner_count));
                write_within(&shared, outer.0, outer.1, outer_count);
                assert!(!is_armed.load(Ordering::SeqCst), "{name}: the store has written nothing");
                assert_eq!(read_all(shared.get().unwrap()).unwrap(), expected, "{name}");
                // And later calls wait for each other as ever.
                std::thread::scope(|scope| {
                    for thread in 0..8 {
                        let shared = &shared;
                        scope.spawn(move || write_within(shared, 8 + thread, &[10 + thread as u8], 1));
                    }
                });
                let found = read(shared.get().unwrap(), &[8], &[8], &threads(1)).unwrap();
                assert_eq!(found, [10, 11, 12, 13, 14, 15, 16, 17], "{name}");
            });
        }
    }
}

#[test]
fn policy_44_stores_that_write_each_other_s_datasets_end() {
    for count in [1, 3] {
        in_time("two datasets", move || {
            // What is stored in the first is copied to the second, whose store marks that in the
            // first, in a block of which that thread holds the lock.
            let second = Shared::default();
            let (first, _) = {
                let second = Arc::clone(&second);
                self_writing(Moment::Stored, move |_| write_within(&second, 4, &[6; 12], count))
            };
            let store = {
                let first = Arc::clone(&first);
                hooked(memory(), move |moment, key| {
                    if moment == Moment::Stored && key == "d/0" {
                        write_within(&first, 15, &[7; 2], count);
                    }
                    Ok(())
                })
            };
            assert!(second.set(bytes_array(&store, 24, 8)).is_ok());
            write_within(&first, 9, &[2], count);
            let mut expected = vec![1; 24];
            expected[9] = 2;
            expected[15..17].fill(7);
            assert_eq!(read_all(first.get().unwrap()).unwrap(), expected);
            let expected: Vec<u8> = (0..24).map(|at| if (4..16).contains(&at) { 6 } else { 0 }).collect();
            assert_eq!(read_all(second.get().unwrap()).unwrap(), expected);
        });
    }
}

#[test]
fn policy_44_threads_whose_stores_write_neighbours_do_not_wait_in_a_circle() {
    // Each thread stores a block, and meanwhile its store completes the next one, which another
    // thread has, whose store completes the one after that.
    const BLOCKS: u64 = 6;
    in_time("a circle", || {
        let shared = Shared::default();
        let (own, all_are_in) = (Arc::clone(&shared), Meeting::default());
        let is_armed = Arc::new(Mutex::new([false; BLOCKS as usize]));
        let armed = Arc::clone(&is_armed);
        let store = hooked(memory(), move |moment, key| {
            let block = key.strip_prefix("d/").and_then(|number| number.parse::<usize>().ok());
            if moment == Moment::Stored
                && let Some(block) = block
                && std::mem::take(&mut armed.lock().unwrap()[block])
            {
                all_are_in.come();
                assert!(all_are_in.wait(BLOCKS, LONG));
                write_within(&own, (block as u64 + 1) % BLOCKS * 8 + 7, &[9], 2);
            }
            Ok(())
        });
        assert!(shared.set(bytes_array(&store, BLOCKS * 8, 8)).is_ok());
        *is_armed.lock().unwrap() = [true; BLOCKS as usize];
        std::thread::scope(|scope| {
            for block in 0..BLOCKS {
                let shared = &shared;
                scope.spawn(move || write_within(shared, block * 8 + 1, &[block as u8 + 1], 1));
            }
        });
        let expected: Vec<u8> = (0..BLOCKS as u8).flat_map(|block| [0, block + 1, 0, 0, 0, 0, 0, 9]).collect();
        assert_eq!(read_all(shared.get().unwrap()).unwrap(), expected);
    });
}
