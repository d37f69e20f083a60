//! A fixed set of calls whose instructions are counted: run by tools/instructions.py under callgrind, which sees a function's name.
//!
//! Instructions do not depend on what else the machine does, so that a test can hold on to them. Prints the names of the cases in the order
//! in which they run.
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

use support::bare::Compression;
use support::c_api::{self, Codec, utf32_decode, utf32_encode};
use support::data::Kind;
use zn5::ffi::ZN5_ENDIAN_LITTLE;

/// Only what happens in here is counted.
#[inline(never)]
#[unsafe(no_mangle)]
extern "Rust" fn zn5_bench_counted(call: &mut dyn FnMut()) {
    call();
    // So that this is no tail call, with which the function would have left too early.
    black_box(());
}

/// Runs the call twice before, so that contexts and scratch memory are there, as they are from a codec's second block on.
fn count(name: &str, mut call: impl FnMut()) {
    call();
    call();
    zn5_bench_counted(&mut call);
    println!("{name}");
}

/// A codec in C order, a block in F order, and what it decodes to.
struct Case {
    codec: Codec,
    block: Vec<u8>,
    array: Vec<u8>,
}

fn case(kind: Kind, compression: Compression, extents: [usize; 3], order: u32) -> Case {
    let shape = extents.map(|extent| extent as u64);
    let attributes = c_api::attributes(kind.data_type(), compression.json(), &shape, &shape);
    let array = kind.array([0; 3], extents);
    let block = Codec::new(&attributes, c_api::C).encoded(&array);
    Case { codec: Codec::new(&attributes, order), block, array }
}

fn decode(name: &str, kind: Kind, compression: Compression, extents: [usize; 3], order: u32) {
    let Case { codec, block, mut array } = case(kind, compression, extents, order);
    count(name, || codec.decode(black_box(&block), black_box(&mut array)));
}

fn encode(name: &str, kind: Kind, compression: Compression) {
    let Case { codec, mut block, array } = case(kind, compression, [64, 64, 64], c_api::C);
    block.resize(codec.encode_bound(), 0);
    count(name, || {
        codec.encode(black_box(&array), black_box(&mut block));
    });
}

fn main() {
    const CUBE: [usize; 3] = [64; 3];
    decode("raw uint8 to C order", Kind::Em8, Compression::Raw, CUBE, c_api::C);
    decode("raw uint16 to C order", Kind::LightSheet16, Compression::Raw, CUBE, c_api::C);
    decode("raw float32 to C order", Kind::Float32, Compression::Raw, CUBE, c_api::C);
    decode("raw uint64 to C order", Kind::Labels64, Compression::Raw, CUBE, c_api::C);
    decode("raw uint16 to F order", Kind::LightSheet16, Compression::Raw, CUBE, c_api::F);
    decode("raw uint8, thin first axis, to C order", Kind::Em8, Compression::Raw, [3, 200, 100], c_api::C);
    decode("raw uint16, odd extents, to C order", Kind::LightSheet16, Compression::Raw, [61, 47, 33], c_api::C);
    decode("gzip uint16 to C order", Kind::LightSheet16, Compression::Gzip, CUBE, c_api::C);
    decode("zstd uint8 to C order", Kind::Em8, Compression::Zstd, CUBE, c_api::C);
    decode("blosc-lz4 float32 to C order", Kind::Float32, Compression::BloscLz4, CUBE, c_api::C);
    decode("lz4 uint16 to C order", Kind::LightSheet16, Compression::Lz4, CUBE, c_api::C);
    encode("raw uint16 from C order", Kind::LightSheet16, Compression::Raw);
    encode("zstd uint8 from C order", Kind::Em8, Compression::Zstd);

    let Case { codec, block, array } = case(Kind::LightSheet16, Compression::BloscLz4, CUBE, c_api::C);
    let (mut plane, strides) = (vec![0; array.len() / 64], [128, 2, 2]);
    count("blosc-lz4 uint16, one plane", || codec.decode_region(black_box(&block), &[0, 0, 30], &[64, 64, 1], &mut plane, 0, &strides));

    let mut text = String::new();
    let mut offsets = vec![0];
    for index in 0..4096 {
        text.push_str(["id", "cell", "nucleus", "Größe µm", "細胞"][index % 5]);
        offsets.push(text.len() as u64);
    }
    let (length_bytes, count_of) = (4 * 12, offsets.len() - 1);
    let (mut units, mut decoded, mut ends) = (vec![0; length_bytes * count_of], vec![0; length_bytes * count_of], vec![0; offsets.len()]);
    count("utf32 encode", || utf32_encode(black_box(text.as_bytes()), &offsets, ZN5_ENDIAN_LITTLE, length_bytes, black_box(&mut units)));
    count("utf32 decode", || {
        utf32_decode(black_box(&units), length_bytes, ZN5_ENDIAN_LITTLE, black_box(&mut decoded), &mut ends);
    });
}
