//! How fast fixed_length_utf32 becomes text and back through the C API, beside a copy of the same code units: `cargo bench --bench utf32`.
//!
//! One call handles a whole array of 64 MiB.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::multiple_unsafe_ops_per_block,
    clippy::print_stdout
)]

mod support;

use std::hint::black_box;

use support::c_api::{utf32_decode, utf32_encode};
use support::{Options, Subject, cpu_time, measure, pin, quiet_core};
use zn5::ffi::{ZN5_ENDIAN_BIG, ZN5_ENDIAN_LITTLE};

/// Bytes of code units that are converted in one go: more than fits into any cache, as whole arrays do.
const ARRAY_LEN: usize = 64 << 20;

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

fn main() {
    let mut options = Options::from_arguments("utf32");
    pin(Some(quiet_core()));
    for case in CASES.iter().take(if options.quick { 2 } else { CASES.len() }) {
        let (text, offsets) = texts(case);
        let length_bytes = 4 * case.capacity;
        let len = length_bytes * (offsets.len() - 1);
        let (copied, mut copy, mut units) = (vec![7_u8; len], vec![0_u8; len], vec![0_u8; len]);
        let (mut decoded, mut ends) = (vec![0_u8; len], vec![0_u64; offsets.len()]);
        for (endian, name) in [(ZN5_ENDIAN_LITTLE, "little-endian"), (ZN5_ENDIAN_BIG, "big-endian")] {
            utf32_encode(text.as_bytes(), &offsets, endian, length_bytes, &mut units);
            let source = units.clone();
            let seconds = measure(
                options.rounds,
                cpu_time,
                &mut [
                    &mut || black_box(&mut copy).copy_from_slice(black_box(&copied)),
                    &mut || {
                        utf32_decode(black_box(&source), length_bytes, endian, black_box(&mut decoded), &mut ends);
                    },
                    &mut || utf32_encode(black_box(text.as_bytes()), &offsets, endian, length_bytes, black_box(&mut units)),
                ],
            );
            assert!(ends == offsets && decoded.starts_with(text.as_bytes()) && units == source, "{}: other strings", case.name);
            let row = if case.name.starts_with("ASCII") && endian == ZN5_ENDIAN_LITTLE { 13 } else { 0 };
            let case = format!("{}, {name}", case.name);
            for (group, ours) in [("decode ÷ memcpy", &seconds[1]), ("encode ÷ memcpy", &seconds[2])] {
                let subject = Subject { row, group, case: &case, more: String::new() };
                options.results.compare(&subject, len, ours, &seconds[0]);
            }
        }
    }
}
