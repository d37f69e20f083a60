//! How fast fixed_length_utf32 becomes text and back, as code units a second and beside a copy of the same code units:
//! `cargo bench --bench utf32`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_precision_loss, clippy::print_stdout)]

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use zn5::model::Endian;
use zn5::utf32::{self, Format};

/// Bytes of code units that are converted in one go: more than fits into any cache, as whole arrays do.
const ARRAY_LEN: usize = 64 << 20;
const ROUNDS: u32 = 15;

struct Case {
    name: &'static str,
    capacity: usize,
    /// Elements take a number of these, one after the other, that fills them to different degrees.
    words: &'static [&'static str],
}

const CASES: [Case; 7] = [
    Case { name: "ASCII, 12 units", capacity: 12, words: &["id", "cell", "nucleus", "membrane", "twelve chars", "glia"] },
    Case {
        name: "ASCII, 64 units",
        capacity: 64,
        words: &["s3://bucket/experiment-0042/well-B07/", "plate 3", "a path of middling length/"],
    },
    Case { name: "Latin-1, 12 units", capacity: 12, words: &["Grüße", "façade", "señor", "Ångström", "zwölf"] },
    Case { name: "Cyrillic, 12 units", capacity: 12, words: &["клетка", "ядро", "мембрана", "ткань"] },
    Case { name: "CJK, 12 units", capacity: 12, words: &["細胞", "細胞核", "細胞膜の構造", "神経細胞"] },
    Case { name: "emoji, 12 units", capacity: 12, words: &["🔬🧫", "🧬🧠🫀🫁", "🦠"] },
    Case {
        name: "mixed, 24 units", capacity: 24, words: &["cell ядро", "Größe 12 µm", "細胞 #3", "plain text", "🔬 scope", ""]
    },
];

fn texts(case: &Case) -> (String, Vec<u64>) {
    let count = ARRAY_LEN / (4 * case.capacity);
    let mut text = String::new();
    let mut offsets = vec![0];
    for index in 0..count {
        text.extend(case.words[index % case.words.len()].chars().take(case.capacity));
        offsets.push(text.len() as u64);
    }
    (text, offsets)
}

/// The shortest of several runs: what the machine can do when nothing else runs.
fn shortest(mut run: impl FnMut()) -> Duration {
    run();
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn main() {
    println!("{:20} {:>8} {:>15} {:>15} {:>15} {:>15}", "", "copy", "decode", "encode", "decode big", "encode big");
    println!("{:20} {:>8} {:>15} {:>15} {:>15} {:>15}", "", "GB/s", "GB/s of copy", "GB/s of copy", "GB/s of copy", "GB/s of copy");
    for case in &CASES {
        let (text, offsets) = texts(case);
        let len = 4 * case.capacity * (offsets.len() - 1);
        let mut units = vec![MaybeUninit::new(0); len];
        let copied = vec![7_u8; len];
        let mut copy = vec![0_u8; len];
        let copy_time = shortest(|| black_box(&mut copy).copy_from_slice(black_box(&copied)));
        let speed = |time: Duration| len as f64 / time.as_secs_f64() / 1e9;
        print!("{:20} {:8.2}", case.name, speed(copy_time));
        for endian in [Endian::Little, Endian::Big] {
            let format = Format::new(4 * case.capacity, endian).unwrap();
            let encode = shortest(|| {
                let offset = |index: usize| offsets[index];
                utf32::encode_array(black_box(text.as_bytes()), offset, format, black_box(&mut units)).unwrap();
            });
            // SAFETY: `encode_array` wrote all elements.
            let src: Vec<u8> = units.iter().map(|byte| unsafe { byte.assume_init() }).collect();
            let mut decoded = vec![MaybeUninit::new(0); len];
            let mut ends = vec![0; offsets.len()];
            let decode = shortest(|| {
                let text_len = utf32::text_len(black_box(&src), format).unwrap();
                utf32::decode_array(&src, format, black_box(&mut decoded[..text_len]), |index, end| ends[index] = end).unwrap();
            });
            assert_eq!(ends, offsets);
            for time in [decode, encode] {
                print!(" {:8.2} {:6.2}", speed(time), copy_time.as_secs_f64() / time.as_secs_f64());
            }
        }
        println!();
    }
}
