//! How fast blocks are decoded and encoded through the C API, beside the compression libraries alone: `cargo bench --bench codec`.
//!
//! `decode`: into F order, C order and a box of an image, ÷ the same decompressor call and a copy of what it gives. `encode`: the same way
//! back. `zlib`: gzip beside stock zlib. `small`: blocks of 16³. `plane`: one plane of a block. `threads`: two threads, by wall time.
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

use support::bare::{self, Bare, Compression};
use support::c_api::{self, Codec};
use support::data::{KINDS, Kind};
use support::{Options, Results, Subject, cpu_time, measure, pin, quiet_core, wall_time};

/// Bytes of the header of a 3-D block.
const HEADER_LEN: usize = 16;

/// One block of one kind of data, stored with one compression, and room for what it decodes to.
struct Case {
    kind: Kind,
    compression: Compression,
    extent: usize,
    block: Vec<u8>,
    /// In C order and native byte order.
    array: Vec<u8>,
    c: Codec,
    f: Codec,
}

impl Case {
    fn new(kind: Kind, compression: Compression, extent: usize) -> Self {
        Self::at([0; 3], kind, compression, extent)
    }

    fn at(origin: [usize; 3], kind: Kind, compression: Compression, extent: usize) -> Self {
        let array = kind.array(origin, [extent; 3]);
        let shape = [extent as u64; 3];
        let attributes = c_api::attributes(kind.data_type(), compression.json(), &shape, &shape);
        let (c, f) = (Codec::new(&attributes, c_api::C), Codec::new(&attributes, c_api::F));
        Self { kind, compression, extent, block: c.encoded(&array), array, c, f }
    }

    fn payload(&self) -> &[u8] {
        &self.block[HEADER_LEN..]
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn room(&self) -> Vec<u8> {
        vec![1; self.len()]
    }

    fn name(&self) -> String {
        format!("{} {}³", self.kind.name(), self.extent)
    }

    /// The stored elements: F order, big-endian.
    fn elements(&self, bare: &mut Bare) -> Vec<u8> {
        let mut elements = self.room();
        if self.compression == Compression::Raw {
            elements.copy_from_slice(self.payload());
        } else {
            bare.decompress(self.compression, self.payload(), &mut elements);
        }
        elements
    }

    /// Ends the bench if either order decodes to something else than what was encoded.
    fn check(&self, bare: &mut Bare) {
        let (mut c, mut f) = (self.room(), self.room());
        self.c.decode(&self.block, &mut c);
        assert!(c == self.array, "{} does not come back", self.name());
        self.f.decode(&self.block, &mut f);
        f.chunks_exact_mut(self.kind.size()).for_each(<[u8]>::reverse);
        assert!(f == self.elements(bare), "{} comes back in another order", self.name());
    }

    fn report(&self, results: &mut Results, row: u32, what: &str, [ours, other]: [&[f64]; 2]) {
        let group = format!("{what}, {}", self.compression.name());
        let more = format!("\"len\":{},\"stored\":{}", self.len(), self.payload().len());
        results.compare(&Subject { row, group: &group, case: &self.name(), more }, self.len(), ours, other);
    }
}

/// An image with a margin around the block, as blocks lie in regions that do not follow the grid.
struct Image {
    bytes: Vec<u8>,
    origin: usize,
    strides: [isize; 3],
}

impl Image {
    fn around(case: &Case) -> Self {
        const MARGIN: usize = 21;
        let extent = case.extent + 2 * MARGIN + 1;
        let strides = [extent * extent, extent, 1].map(|count| count * case.kind.size());
        let origin = strides.iter().sum::<usize>() * MARGIN;
        Self { bytes: vec![1; extent * strides[0]], origin, strides: strides.map(|stride| stride.try_into().unwrap()) }
    }
}

fn decode(options: &mut Options, extents: &[usize]) {
    use Compression::{BloscLz4, BloscZstd, Bzip2, Gzip, Lz4, Raw, Xz, Zstd};
    let mut bare = Bare::new();
    for &extent in extents {
        for compression in [Raw, Gzip, Zstd, BloscLz4, BloscZstd, Lz4, Bzip2, Xz] {
            // Slow, and in no goal.
            if matches!(compression, Bzip2 | Xz) && (extent > 64 || options.quick) {
                continue;
            }
            for kind in KINDS {
                let case = Case::new(kind, compression, extent);
                case.check(&mut bare);
                decode_case(options, &case, &mut bare);
            }
        }
    }
}

fn decode_case(options: &mut Options, case: &Case, bare: &mut Bare) {
    let (mut scratch, mut copy, mut f, mut c) = (case.room(), case.room(), case.room(), case.room());
    let mut image = Image::around(case);
    let shape = [case.extent as u64; 3];
    let seconds = measure(
        options.rounds,
        cpu_time,
        &mut [
            &mut || {
                let elements = if case.compression == Compression::Raw {
                    case.payload()
                } else {
                    bare.decompress(case.compression, black_box(case.payload()), &mut scratch);
                    &scratch
                };
                copy.copy_from_slice(black_box(elements));
                black_box(&mut copy);
            },
            &mut || case.f.decode(black_box(&case.block), black_box(&mut f)),
            &mut || case.c.decode(black_box(&case.block), black_box(&mut c)),
            &mut || {
                let to = black_box(&mut image.bytes);
                case.c.decode_region(black_box(&case.block), &[0; 3], &shape, to, image.origin, &image.strides);
            },
        ],
    );
    let f_row = match case.compression {
        Compression::Raw => 4,
        Compression::Gzip | Compression::Zstd => 1,
        _ => 0,
    };
    let c_row = match case.compression {
        Compression::Raw | Compression::Gzip | Compression::Zstd | Compression::BloscLz4 => 2,
        _ => 0,
    };
    case.report(&mut options.results, f_row, "decode to F order", [&seconds[1], &seconds[0]]);
    case.report(&mut options.results, c_row, "decode to C order", [&seconds[2], &seconds[0]]);
    case.report(&mut options.results, 0, "decode into an image", [&seconds[3], &seconds[0]]);
}

fn encode(options: &mut Options, extents: &[usize]) {
    use Compression::{BloscLz4, BloscZstd, Gzip, Raw, Zstd};
    let mut bare = Bare::new();
    for &extent in extents {
        for compression in [Raw, Gzip, Zstd, BloscLz4, BloscZstd] {
            for kind in KINDS {
                let case = Case::new(kind, compression, extent);
                let elements = case.elements(&mut bare);
                let (mut copy, mut f_array) = (case.room(), case.room());
                case.f.decode(&case.block, &mut f_array);
                let room = || vec![1; case.c.encode_bound()];
                let (mut bare_block, mut f, mut c) = (room(), room(), room());
                let seconds = measure(
                    options.rounds,
                    cpu_time,
                    &mut [
                        &mut || {
                            copy.copy_from_slice(black_box(&elements));
                            bare.compress(compression, black_box(&copy), kind.size(), black_box(&mut bare_block));
                        },
                        &mut || {
                            case.f.encode(black_box(&f_array), black_box(&mut f));
                        },
                        &mut || {
                            case.c.encode(black_box(&case.array), black_box(&mut c));
                        },
                    ],
                );
                case.report(&mut options.results, 0, "encode from F order", [&seconds[1], &seconds[0]]);
                case.report(&mut options.results, 0, "encode from C order", [&seconds[2], &seconds[0]]);
            }
        }
    }
}

/// gzip beside stock zlib, which neither swaps bytes nor axes.
fn zlib(options: &mut Options, extents: &[usize]) {
    let mut own = Bare::new();
    for &extent in extents {
        for kind in KINDS {
            let case = Case::new(kind, Compression::Gzip, extent);
            let elements = case.elements(&mut own);
            // What zlib reads is what zlib wrote, for both sides.
            let mut stream = vec![0; case.len() + (case.len() >> 3) + 64];
            let zlib_len = bare::zlib_deflate(&elements, &mut stream);
            stream.truncate(zlib_len);
            let block = [&case.block[..HEADER_LEN], &stream].concat();
            let (mut inflated, mut f, mut c) = (case.room(), case.room(), case.room());
            let (mut deflated, mut encoded) = (vec![0; case.c.encode_bound()], vec![0; case.c.encode_bound()]);
            let seconds = measure(
                options.rounds,
                cpu_time,
                &mut [
                    &mut || bare::zlib_inflate(black_box(&stream), black_box(&mut inflated)),
                    &mut || case.f.decode(black_box(&block), black_box(&mut f)),
                    &mut || case.c.decode(black_box(&block), black_box(&mut c)),
                    &mut || {
                        bare::zlib_deflate(black_box(&elements), black_box(&mut deflated));
                    },
                    &mut || {
                        case.c.encode(black_box(&case.array), black_box(&mut encoded));
                    },
                ],
            );
            assert!(c == case.array && inflated == elements, "{} does not come back", case.name());
            let results = &mut options.results;
            case.report(results, 6, "decode to F order ÷ zlib's inflate", [&seconds[1], &seconds[0]]);
            case.report(results, 6, "decode to C order ÷ zlib's inflate", [&seconds[2], &seconds[0]]);
            case.report(results, 6, "encode ÷ zlib's deflate", [&seconds[4], &seconds[3]]);
            let subject = Subject { row: 6, group: "size ÷ zlib's", case: &case.name(), more: String::new() };
            let (ours, other) = (case.payload().len(), zlib_len);
            results.line(&subject, &format!("\"ours\":{ours},\"other\":{other},\"ratio\":{:.5}", ours as f64 / other as f64));
        }
    }
}

/// Blocks so small that what happens beside decoding shows; several in turn, as a program meets them.
fn small(options: &mut Options) {
    const EXTENT: usize = 16;
    const COUNT: usize = 64;
    let mut bare = Bare::new();
    for compression in [Compression::Gzip, Compression::Zstd] {
        for kind in KINDS {
            let at = |number: usize| [number % 4 * EXTENT, number / 4 % 4 * EXTENT, number / 16 * EXTENT];
            let cases: Vec<Case> = (0..COUNT).map(|number| Case::at(at(number), kind, compression, EXTENT)).collect();
            let (first, mut scratch, mut f, mut c) = (&cases[0], cases[0].room(), cases[0].room(), cases[0].room());
            let seconds = measure(
                options.rounds,
                cpu_time,
                &mut [
                    &mut || cases.iter().for_each(|case| bare.decompress(compression, black_box(case.payload()), black_box(&mut scratch))),
                    &mut || cases.iter().for_each(|case| first.f.decode(black_box(&case.block), black_box(&mut f))),
                    &mut || cases.iter().for_each(|case| first.c.decode(black_box(&case.block), black_box(&mut c))),
                ],
            );
            let each = |side: usize| -> Vec<f64> { seconds[side].iter().map(|seconds| seconds / COUNT as f64).collect() };
            first.report(&mut options.results, 11, "16³ to F order ÷ decompressor", [&each(1), &each(0)]);
            first.report(&mut options.results, 11, "16³ to C order ÷ decompressor", [&each(2), &each(0)]);
        }
    }
}

/// One plane across the last N5 axis, beside the whole block.
fn plane(options: &mut Options) {
    for (compression, extent) in [
        (Compression::Raw, 64),
        (Compression::Raw, 128),
        (Compression::BloscLz4, 64),
        (Compression::BloscLz4, 128),
        (Compression::BloscZstd, 128),
        (Compression::Lz4, 128),
    ] {
        if options.quick && extent > 64 {
            continue;
        }
        for kind in KINDS {
            let case = Case::new(kind, compression, extent);
            let mut whole = case.room();
            let mut part = vec![1; case.len() / extent];
            let (middle, shape) = (extent as u64 / 2, [extent as u64, extent as u64, 1]);
            let size = case.kind.size().cast_signed();
            let strides = [extent.cast_signed() * size, size, size];
            let seconds = measure(
                options.rounds,
                cpu_time,
                &mut [&mut || case.c.decode(black_box(&case.block), black_box(&mut whole)), &mut || {
                    case.c.decode_region(black_box(&case.block), &[0, 0, middle], &shape, black_box(&mut part), 0, &strides);
                }],
            );
            for (at, element) in part.chunks_exact(case.kind.size()).enumerate() {
                let from = (at * extent + extent / 2) * case.kind.size();
                assert!(element == &case.array[from..][..case.kind.size()], "{}: another plane", case.name());
            }
            case.report(&mut options.results, 12, "one plane ÷ the whole block", [&seconds[1], &seconds[0]]);
        }
    }
}

/// Two threads with one codec, beside two that have nothing but their decompressors; by wall time.
fn threads(options: &mut Options, extents: &[usize]) {
    const THREADS: usize = 2;
    // Rounds as long as this, so that starting threads does not count.
    const BYTES: usize = 48 << 20;
    pin(None);
    for &extent in extents {
        for compression in [Compression::Gzip, Compression::Zstd] {
            for kind in KINDS {
                let case = Case::new(kind, compression, extent);
                let repeats = BYTES.div_ceil(case.len());
                let mut rooms = [(case.room(), Bare::new()), (case.room(), Bare::new())];
                let mut each = |work: &(dyn Fn(&mut Vec<u8>, &mut Bare) + Sync)| {
                    std::thread::scope(|scope| {
                        for (room, bare) in &mut rooms {
                            scope.spawn(move || (0..repeats).for_each(|_| work(black_box(room), bare)));
                        }
                    });
                };
                let each = std::cell::RefCell::new(&mut each);
                let seconds = measure(
                    options.rounds,
                    wall_time,
                    &mut [
                        &mut || each.borrow_mut()(&|room, bare| bare.decompress(compression, black_box(case.payload()), room)),
                        &mut || each.borrow_mut()(&|room, _| case.f.decode(black_box(&case.block), room)),
                        &mut || each.borrow_mut()(&|room, _| case.c.decode(black_box(&case.block), room)),
                    ],
                );
                let one = |side: usize| -> Vec<f64> { seconds[side].iter().map(|seconds| seconds / (repeats * THREADS) as f64).collect() };
                case.report(&mut options.results, 10, "two threads to F order ÷ decompressor", [&one(1), &one(0)]);
                case.report(&mut options.results, 10, "two threads to C order ÷ decompressor", [&one(2), &one(0)]);
            }
        }
    }
    pin(Some(quiet_core()));
}

fn main() {
    let mut options = Options::from_arguments("codec");
    pin(Some(quiet_core()));
    let extents: &[usize] = if options.quick { &[64] } else { &[64, 128] };
    let wanted = options.only.clone();
    let is_wanted = |name: &str| name.contains(&wanted);
    if is_wanted("decode") {
        decode(&mut options, extents);
    }
    if is_wanted("encode") {
        encode(&mut options, extents);
    }
    if is_wanted("zlib") {
        zlib(&mut options, extents);
    }
    if is_wanted("small") {
        small(&mut options);
    }
    if is_wanted("plane") {
        plane(&mut options);
    }
    if is_wanted("threads") {
        threads(&mut options, extents);
    }
}
