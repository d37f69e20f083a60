//! How fast stored chunks reach the caller's memory, as ratios to a naive loop, to `memcpy` and to a detour over scratch memory.
//!
//! `cargo bench --bench place` prints each ratio beside its target; all sides of a ratio are measured in turn in the same run, as CPU
//! time of the thread, and the median of the rounds counts. An argument restricts the rows to those whose name contains it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation
)]

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::Duration;

use zn5::array::{Destination, Element, Stored, contiguous_strides, place};
use zn5::model::{DataType, Endian, Order};

const ROUNDS: usize = 11;
/// Bytes that one measurement moves at least, so that the clock's resolution does not matter.
const MEASURED_LEN: usize = 24 << 20;

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    println!("{:<44}{:>9}{:>9}{:>8}{:>8}", "", "zn5", "other", "ratio", "target");
    println!("{:<44}{:>9}{:>9}", "", "GB/s", "GB/s");
    let cubes: [&[u64]; 2] = [&[64, 64, 64], &[128, 128, 128]];
    let thin: [&[u64]; 2] = [&[2, 64, 64, 64], &[64, 64, 64, 3]];
    let mut missed = 0;
    let mut row = |name: String, target: f64, measure: &dyn Fn() -> [f64; 2]| {
        if !name.contains(&wanted) {
            return;
        }
        let [ours, other] = measure();
        let verdict = if ours / other >= target { "" } else { "  missed" };
        missed += usize::from(ours / other < target);
        println!("{name:<44}{ours:>9.2}{other:>9.2}{:>8.2}{target:>8.2}{verdict}", ours / other);
    };
    for extents in cubes {
        for (data_type, target) in types().into_iter().zip([10.0, 6.0, 3.5, 2.8]) {
            row(format!("transposed / naive {}", name(extents, data_type)), target, &|| against_naive(extents, data_type));
        }
    }
    for extents in thin {
        for (data_type, target) in types().into_iter().zip([8.0, 6.0, 3.0]) {
            row(format!("thin axis / naive {}", name(extents, data_type)), target, &|| against_naive(extents, data_type));
        }
    }
    for extents in cubes {
        for data_type in types() {
            row(format!("same order / memcpy {}", name(extents, data_type)), 0.9, &|| against_memcpy(extents, data_type));
        }
    }
    for extents in cubes {
        for data_type in types() {
            row(format!("into image / over scratch {}", name(extents, data_type)), 1.3, &|| against_detour(extents, data_type));
        }
    }
    println!("{missed} targets missed");
}

fn types() -> [DataType; 4] {
    [DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64]
}

fn name(extents: &[u64], data_type: DataType) -> String {
    let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
    format!("{} {}", extents.join("x"), data_type.name())
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

/// GB/s of both sides, measured in turn.
fn compare(len: usize, mut ours: impl FnMut(), mut other: impl FnMut()) -> [f64; 2] {
    let repeats = MEASURED_LEN.div_ceil(len);
    let mut seconds = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
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
    seconds.map(|mut all| {
        all.sort_unstable_by(f64::total_cmp);
        (len * repeats) as f64 / all[all.len() / 2] / 1e9
    })
}

fn chunk(extents: &[u64], data_type: DataType) -> Vec<u8> {
    let len = extents.iter().product::<u64>() as usize * data_type.size();
    (0..len).map(|at| (at * 31 % 251) as u8).collect()
}

fn room(len: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(0); len]
}

fn place_whole(stored: &[u8], extents: &[u64], data_type: DataType, order: Order, to: &mut [MaybeUninit<u8>]) {
    let mut destination = Destination::contiguous(to, extents, data_type.size(), order).unwrap();
    let stored = Stored { bytes: black_box(stored), first_byte: 0, extents, order: Order::F };
    let (origin, fill) = ([0; 4], [0; 8]);
    let element = Element::new(data_type, Endian::Big);
    place(&stored, &origin[..extents.len()], &mut destination, element, &fill[..data_type.size()]).unwrap();
}

fn against_naive(extents: &[u64], data_type: DataType) -> [f64; 2] {
    let stored = chunk(extents, data_type);
    let (mut to, mut naive_to) = (room(stored.len()), room(stored.len()));
    let sides = compare(
        stored.len(),
        || {
            place_whole(&stored, extents, data_type, Order::C, &mut to);
            black_box(&mut to);
        },
        || {
            let stored = black_box(&stored);
            match data_type.size() {
                1 => naive::<1>(stored, extents, &mut naive_to),
                2 => naive::<2>(stored, extents, &mut naive_to),
                4 => naive::<4>(stored, extents, &mut naive_to),
                _ => naive::<8>(stored, extents, &mut naive_to),
            }
            black_box(&mut naive_to);
        },
    );
    // SAFETY: initialised from the beginning.
    let byte = |byte: &MaybeUninit<u8>| unsafe { byte.assume_init() };
    assert!(to.iter().map(byte).eq(naive_to.iter().map(byte)), "both sides must give the same array");
    sides
}

/// Reverses axes and bytes, element by element in the order of the destination.
fn naive<const SIZE: usize>(stored: &[u8], extents: &[u64], to: &mut [MaybeUninit<u8>]) {
    let strides = contiguous_strides(extents, SIZE, Order::F).unwrap();
    let rank = extents.len();
    let (count, stride) = (extents[rank - 1] as usize, strides[rank - 1].unsigned_abs());
    let mut at = vec![0; rank - 1];
    let mut out = to.as_mut_ptr().cast::<[u8; SIZE]>();
    loop {
        let mut from: usize = at.iter().zip(&strides).map(|(&at, stride): (&u64, _)| at as usize * stride.unsigned_abs()).sum();
        for _ in 0..count {
            debug_assert!(from + SIZE <= stored.len());
            let number = stored.as_ptr().wrapping_add(from).cast::<[u8; SIZE]>();
            // SAFETY: both arrays have as many elements as the loops have steps.
            let mut value = unsafe { number.read_unaligned() };
            value.reverse();
            // SAFETY: as above.
            unsafe { out.write_unaligned(value) };
            out = out.wrapping_add(1);
            from += stride;
        }
        let mut axis = rank - 1;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < extents[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

fn against_memcpy(extents: &[u64], data_type: DataType) -> [f64; 2] {
    let stored = chunk(extents, data_type);
    let (mut to, mut copied) = (room(stored.len()), vec![0; stored.len()]);
    compare(
        stored.len(),
        || {
            place_whole(&stored, extents, data_type, Order::F, &mut to);
            black_box(&mut to);
        },
        || {
            copied.copy_from_slice(black_box(&stored));
            black_box(&mut copied);
        },
    )
}

/// Straight into a box of a larger image, against a gap-free array that is then copied row by row.
fn against_detour(extents: &[u64], data_type: DataType) -> [f64; 2] {
    let stored = chunk(extents, data_type);
    let size = data_type.size();
    let image_extents: Vec<u64> = extents.iter().map(|extent| extent + 43).collect();
    let strides = contiguous_strides(&image_extents, size, Order::C).unwrap();
    let image_len = image_extents.iter().product::<u64>() as usize * size;
    let origin = strides.iter().map(|stride| stride.unsigned_abs() * 21).sum::<usize>();
    let (mut image, mut other_image) = (room(image_len), room(image_len));
    let mut scratch = room(stored.len());
    let row_len = extents[2] as usize * size;
    compare(
        stored.len(),
        || {
            let start = image.as_mut_ptr().cast();
            // SAFETY: the image is used for nothing else meanwhile.
            let destination = unsafe { Destination::from_raw(start, image_len, origin, Some(&strides), Order::C, extents, size) };
            let chunk = Stored { bytes: black_box(&stored), first_byte: 0, extents, order: Order::F };
            place(&chunk, &[0; 3], &mut destination.unwrap(), Element::new(data_type, Endian::Big), &[0; 8][..size]).unwrap();
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
