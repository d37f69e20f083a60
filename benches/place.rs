//! How fast stored chunks reach the caller's memory, as ratios to a naive loop, to `memcpy` and to a detour over scratch memory.
//!
//! `cargo bench --bench place` prints each group's median and worst ratio beside what they should be; all sides of a ratio are measured
//! in turn in the same run, as CPU time of the thread, and the median of the rounds counts. `--json FILE` writes each measurement as a
//! line of JSON, `--quick` takes fewer rounds, and any other argument restricts the groups to those whose name contains it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::Duration;

use zn5::array::{Destination, Element, Stored, contiguous_strides, place};
use zn5::model::{DataType, Endian, Order};

const CUBES: &[&[u64]] = &[&[64, 64, 64], &[128, 128, 128]];
const THIN: &[&[u64]] = &[&[2, 64, 64, 64], &[3, 64, 64, 64], &[64, 64, 64, 3]];
const OTHERS: &[&[u64]] =
    &[&[8, 8, 8], &[16, 16, 16], &[32, 32, 32], &[100, 90, 70], &[512, 512], &[4096, 4096], &[32, 32, 32, 32], &[16, 16, 16, 16, 16]];
const NUMBERS: [DataType; 4] = [DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64];
/// Ratios of no row of the goals.
const NO_GOAL: Goal = Goal { row: None, median: f64::NAN, worst: f64::NAN, stretch: f64::NAN };

/// Count of elements, and the bytes from one to the next on both sides.
type Axis = (usize, usize, usize);

/// What the median and the worst ratio of a group should be.
#[derive(Clone, Copy)]
struct Goal {
    row: Option<u32>,
    median: f64,
    worst: f64,
    stretch: f64,
}

impl Goal {
    const fn new(row: u32, median: f64, worst: f64, stretch: f64) -> Self {
        Self { row: Some(row), median, worst, stretch }
    }
}

/// Both sides in bytes a second, and the ratios of all rounds.
struct Measured {
    ours: f64,
    other: f64,
    ratios: Vec<f64>,
}

struct Run {
    wanted: String,
    rounds: usize,
    /// Bytes that one measurement moves at least, so that the clock's resolution does not matter.
    least_len: usize,
    json: String,
    missed: usize,
}

fn main() {
    let mut run = Run { wanted: String::new(), rounds: 11, least_len: 24 << 20, json: String::new(), missed: 0 };
    let mut json_path = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json_path = Some(arguments.next().unwrap()),
            "--quick" => (run.rounds, run.least_len) = (3, 2 << 20),
            other if other.starts_with("--") => {}
            other => other.clone_into(&mut run.wanted),
        }
    }
    let naive = [(16.0, 12.0, 25.0), (7.0, 6.0, 12.0), (4.5, 3.5, 7.0), (3.5, 2.8, 5.0)];
    let naive_thin = [(11.0, 8.0), (9.0, 6.0), (3.7, 3.0)];
    for (data_type, (median, worst, stretch)) in NUMBERS.into_iter().zip(naive) {
        run.group("C order ÷ naive", data_type, Goal::new(3, median, worst, stretch), CUBES, against_naive);
    }
    for (data_type, (median, worst)) in NUMBERS.into_iter().zip(naive_thin) {
        run.group("C order ÷ naive, thin axes", data_type, Goal::new(3, median, worst, f64::NAN), THIN, against_naive);
    }
    run.group("C order ÷ naive, thin axes", DataType::UInt64, NO_GOAL, THIN, against_naive);
    for data_type in NUMBERS {
        run.group("C order ÷ naive, other shapes", data_type, NO_GOAL, OTHERS, against_naive);
    }
    for data_type in NUMBERS {
        run.group("pixels of 3 in C order ÷ naive", data_type, NO_GOAL, &[&[3, 64, 64, 64]], pixels_against_naive);
        run.group("3 of 4 channels ÷ naive", data_type, NO_GOAL, &[&[64, 64, 64, 3]], channels_against_naive);
    }
    let strings = DataType::FixedUtf32 { length_bytes: 12 };
    run.group("strings in C order ÷ naive", strings, NO_GOAL, &[&[64, 64, 64], &[512, 512]], against_naive);
    for data_type in NUMBERS {
        run.group("C order ÷ memcpy", data_type, Goal::new(2, 0.25, 0.15, 0.45), CUBES, |run, extents, data_type| {
            against_memcpy(run, extents, data_type, Order::C)
        });
    }
    for data_type in NUMBERS {
        run.group("F order ÷ memcpy", data_type, Goal::new(4, 0.97, 0.90, 1.0), CUBES, |run, extents, data_type| {
            against_memcpy(run, extents, data_type, Order::F)
        });
    }
    for data_type in NUMBERS {
        run.group("strided ÷ (contiguous + row copies)", data_type, Goal::new(5, 1.7, 1.3, 2.5), CUBES, against_detour);
    }
    println!("{} goals missed", run.missed);
    if let Some(path) = json_path {
        std::fs::write(path, run.json).unwrap();
    }
}

impl Run {
    fn group(
        &mut self,
        name: &str,
        data_type: DataType,
        goal: Goal,
        shapes: &[&[u64]],
        measure: impl Fn(&Self, &[u64], DataType) -> Measured,
    ) {
        let group = format!("{name}, {}", data_type.name());
        if !group.contains(&self.wanted) {
            return;
        }
        println!("{group}");
        let mut ratios = Vec::new();
        for extents in shapes {
            let Measured { ours, other, ratios: mut rounds } = measure(self, extents, data_type);
            rounds.sort_unstable_by(f64::total_cmp);
            let (ratio, low, high) = (ours / other, rounds[0], rounds[rounds.len() - 1]);
            ratios.push(ratio);
            let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
            let case = extents.join("x");
            println!("  {case:<16}{:>8.2} GB/s{:>8.2} GB/s{ratio:>8.2}  ({low:.2} to {high:.2})", ours / 1e9, other / 1e9);
            let row = goal.row.map_or_else(|| "null".to_owned(), |row| row.to_string());
            writeln!(
                self.json,
                r#"{{"bench":"place","row":{row},"group":"{group}","case":"{case}","ours":{ours},"other":{other},"ratio":{ratio},"low":{low},"high":{high}}}"#
            )
            .unwrap();
        }
        if goal.row.is_none() {
            return;
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let (worst, median) = (ratios[0], f64::midpoint(ratios[(ratios.len() - 1) / 2], ratios[ratios.len() / 2]));
        let missed = median < goal.median || worst < goal.worst;
        self.missed += usize::from(missed);
        println!(
            "  median {median:.2}, worst {worst:.2}; reach {} / {}, stretch {}{}",
            goal.median,
            goal.worst,
            if goal.stretch.is_nan() { "-".to_owned() } else { goal.stretch.to_string() },
            if missed { "  missed" } else { "" }
        );
    }

    /// Both sides measured in turn.
    fn compare(&self, len: usize, mut ours: impl FnMut(), mut other: impl FnMut()) -> Measured {
        let repeats = self.least_len.div_ceil(len);
        let mut seconds = [Vec::new(), Vec::new()];
        for round in 0..=self.rounds {
            for (side, seconds) in seconds.iter_mut().enumerate() {
                let begin = now();
                for _ in 0..repeats {
                    if side == 0 { ours() } else { other() }
                }
                // The first round warms up.
                if round > 0 {
                    seconds.push(now().saturating_sub(begin).as_secs_f64());
                }
            }
        }
        let ratios = seconds[0].iter().zip(&seconds[1]).map(|(ours, other)| other / ours).collect();
        let [ours, other] = seconds.map(|mut all| {
            all.sort_unstable_by(f64::total_cmp);
            (len * repeats) as f64 / all[all.len() / 2]
        });
        Measured { ours, other, ratios }
    }
}

/// CPU time of this thread, or the time of day where the system does not tell.
fn now() -> Duration {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the system writes the time into `time`.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
    }
    #[cfg(not(unix))]
    {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap()
    }
}

fn chunk(extents: &[u64], data_type: DataType) -> Vec<u8> {
    let len = extents.iter().product::<u64>() as usize * data_type.size();
    (0..len).map(|at| (at * 31 % 251) as u8).collect()
}

fn room(len: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(0); len]
}

fn place_in(stored: &[u8], extents: &[u64], data_type: DataType, mut destination: Destination<'_>) {
    let stored = Stored { bytes: black_box(stored), first_byte: 0, extents, order: Order::F };
    let (origin, fill) = ([0; 8], [0; 16]);
    let element = Element::new(data_type, Endian::Big);
    place(&stored, &origin[..extents.len()], &mut destination, element, &fill[..data_type.size()]).unwrap();
}

fn place_whole(stored: &[u8], extents: &[u64], data_type: DataType, order: Order, to: &mut [MaybeUninit<u8>]) {
    place_in(stored, extents, data_type, Destination::contiguous(to, extents, data_type.size(), order).unwrap());
}

fn place_strided(stored: &[u8], extents: &[u64], data_type: DataType, origin: usize, strides: &[isize], image: &mut [MaybeUninit<u8>]) {
    let (start, len) = (image.as_mut_ptr().cast(), image.len());
    // SAFETY: the image is used for nothing else meanwhile.
    let destination = unsafe { Destination::from_raw(start, len, origin, Some(strides), Order::C, extents, data_type.size()) };
    place_in(stored, extents, data_type, destination.unwrap());
}

fn against_naive(run: &Run, extents: &[u64], data_type: DataType) -> Measured {
    let strides = contiguous_strides(extents, data_type.size(), Order::C).unwrap();
    strided_against_naive(run, extents, data_type, &strides)
}

/// The first axis stays the fastest, as colours of a pixel do; all others are reversed.
fn pixels_against_naive(run: &Run, extents: &[u64], data_type: DataType) -> Measured {
    let pixel_len = extents[0] as usize * data_type.size();
    let mut strides = contiguous_strides(&extents[1..], pixel_len, Order::C).unwrap();
    strides.insert(0, data_type.size().cast_signed());
    strided_against_naive(run, extents, data_type, &strides)
}

/// The last axis is part of a longer one.
fn channels_against_naive(run: &Run, extents: &[u64], data_type: DataType) -> Measured {
    let mut image_extents = extents.to_vec();
    *image_extents.last_mut().unwrap() += 1;
    let strides = contiguous_strides(&image_extents, data_type.size(), Order::C).unwrap();
    strided_against_naive(run, extents, data_type, &strides)
}

fn strided_against_naive(run: &Run, extents: &[u64], data_type: DataType, strides: &[isize]) -> Measured {
    let stored = chunk(extents, data_type);
    let stored_strides = contiguous_strides(extents, data_type.size(), Order::F).unwrap();
    let reach: usize = strides.iter().zip(extents).map(|(stride, &extent)| stride.unsigned_abs() * (extent as usize - 1)).sum();
    let (mut to, mut naive_to) = (room(reach + data_type.size()), room(reach + data_type.size()));
    let mut axes: Vec<Axis> = (extents.iter().zip(&stored_strides).zip(strides))
        .map(|((&extent, from), to)| (extent as usize, from.unsigned_abs(), to.unsigned_abs()))
        .collect();
    axes.sort_unstable_by_key(|(_, _, to)| std::cmp::Reverse(*to));
    let measured = run.compare(
        stored.len(),
        || {
            place_strided(&stored, extents, data_type, 0, strides, &mut to);
            black_box(&mut to);
        },
        || {
            let (from, to) = (black_box(&stored).as_ptr(), naive_to.as_mut_ptr().cast::<u8>());
            let naive: unsafe fn(*const u8, *mut u8, &[Axis]) = match data_type.size() {
                1 => naive::<1, 1>,
                2 => naive::<2, 2>,
                4 => naive::<4, 4>,
                8 => naive::<8, 8>,
                _ => naive::<12, 4>,
            };
            // SAFETY: the axes are those of both arrays.
            unsafe { naive(from, to, &axes) };
            black_box(&mut naive_to);
        },
    );
    // SAFETY: initialised from the beginning.
    let byte = |byte: &MaybeUninit<u8>| unsafe { byte.assume_init() };
    assert!(to.iter().map(byte).eq(naive_to.iter().map(byte)), "both sides must give the same array");
    measured
}

/// Copies elements and reverses the bytes of each unit, element by element in the order of the destination.
///
/// # Safety
/// The axes (count, bytes from one to the next on both sides) are those of arrays at `from` and `to`.
unsafe fn naive<const SIZE: usize, const UNIT: usize>(from: *const u8, to: *mut u8, axes: &[Axis]) {
    let (&(count, from_step, to_step), outer) = axes.split_last().unwrap();
    let mut at = vec![0; outer.len()];
    let (mut from, mut to) = (from, to);
    loop {
        for number in 0..count {
            // SAFETY: the caller's promise.
            let mut element = unsafe { from.wrapping_add(number * from_step).cast::<[u8; SIZE]>().read_unaligned() };
            element.chunks_exact_mut(UNIT).for_each(<[u8]>::reverse);
            // SAFETY: the caller's promise.
            unsafe { to.wrapping_add(number * to_step).cast::<[u8; SIZE]>().write_unaligned(element) };
        }
        let mut next = outer.len();
        loop {
            if next == 0 {
                return;
            }
            next -= 1;
            let (count, from_step, to_step) = outer[next];
            at[next] += 1;
            from = from.wrapping_add(from_step);
            to = to.wrapping_add(to_step);
            if at[next] < count {
                break;
            }
            at[next] = 0;
            from = from.wrapping_sub(from_step * count);
            to = to.wrapping_sub(to_step * count);
        }
    }
}

fn against_memcpy(run: &Run, extents: &[u64], data_type: DataType, order: Order) -> Measured {
    let stored = chunk(extents, data_type);
    let (mut to, mut copied) = (room(stored.len()), vec![0; stored.len()]);
    run.compare(
        stored.len(),
        || {
            place_whole(&stored, extents, data_type, order, &mut to);
            black_box(&mut to);
        },
        || {
            copied.copy_from_slice(black_box(&stored));
            black_box(&mut copied);
        },
    )
}

/// Straight into a box of a larger image, against a gap-free array that is then copied row by row.
fn against_detour(run: &Run, extents: &[u64], data_type: DataType) -> Measured {
    let stored = chunk(extents, data_type);
    let size = data_type.size();
    let image_extents: Vec<u64> = extents.iter().map(|extent| extent + 43).collect();
    let strides = contiguous_strides(&image_extents, size, Order::C).unwrap();
    let image_len = image_extents.iter().product::<u64>() as usize * size;
    let origin = strides.iter().map(|stride| stride.unsigned_abs() * 21).sum::<usize>();
    let (mut image, mut other_image) = (room(image_len), room(image_len));
    let mut scratch = room(stored.len());
    let row_len = extents[2] as usize * size;
    run.compare(
        stored.len(),
        || {
            place_strided(&stored, extents, data_type, origin, &strides, &mut image);
            black_box(&mut image);
        },
        || {
            place_whole(&stored, extents, data_type, Order::C, &mut scratch);
            for x in 0..extents[0] as usize {
                for y in 0..extents[1] as usize {
                    let from = (x * extents[1] as usize + y) * row_len;
                    let to = origin + x * strides[0].unsigned_abs() + y * strides[1].unsigned_abs();
                    other_image[to..to + row_len].copy_from_slice(&scratch[from..from + row_len]);
                }
            }
            black_box(&mut other_image);
        },
    )
}
