//! Arrays of every kind survive encoding and decoding: type, compressor and its parameters, rank, orders, crop and pad, boxes; against a
//! model that looks at one element at a time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

use std::mem::MaybeUninit;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use zn5::array::{Destination, Source};
use zn5::codec::Codec;
use zn5::model::{ArraySettings, BloscInner, BloscShuffle, Chain, CodecOptions, Compressor, DataType, Endian, Order, XzCheck};

fn compressors() -> impl Strategy<Value = Compressor> {
    let shuffles = vec![BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit, BloscShuffle::Auto];
    prop_oneof![
        Just(Compressor::Raw),
        (0..=9_u8, any::<bool>()).prop_map(|(level, zlib)| Compressor::Gzip { level, zlib }),
        (1..=9_u8).prop_map(|block_size| Compressor::Bzip2 { block_size }),
        (0..=9_u8).prop_map(|preset| Compressor::Xz { preset, check: XzCheck::default() }),
        (64..=70_000_u32).prop_map(|block_size| Compressor::Lz4 { block_size }),
        (-7..=19_i32, any::<bool>()).prop_map(|(level, checksum)| Compressor::Zstd { level, checksum }),
        (select(BloscInner::ALL.to_vec()), 0..=9_u8, select(shuffles), 0..=5000_u32, proptest::option::of(1..=16_u32))
            .prop_map(|(inner, level, shuffle, block_size, type_size)| Compressor::Blosc { inner, level, shuffle, block_size, type_size }),
    ]
}

/// N5 blocks, and plain chains of up to three compressors that Zarr has.
fn chains() -> impl Strategy<Value = Chain> {
    let zarr = |compressor: &Compressor| !matches!(compressor, Compressor::Raw | Compressor::Lz4 { .. });
    let plain = (select(vec![Endian::Little, Endian::Big]), vec(compressors().prop_filter("a Zarr codec", zarr), 0..=3));
    prop_oneof![
        4 => compressors().prop_map(|compressor| Chain::N5 { compressor }),
        1 => plain.prop_map(|(endian, compressors)| Chain::Plain { endian, compressors }),
    ]
}

/// What an array holds: noise, runs, or one value.
fn content(kind: u8, seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    match kind {
        0 => (0..len).map(|_| next()).collect(),
        1 => std::iter::repeat_with(|| vec![next(); usize::from(next() % 32) + 1]).flatten().take(len).collect(),
        _ => vec![next(); len],
    }
}

/// All index tuples below `shape`.
fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![vec![]], |tuples, &extent| {
        tuples.iter().flat_map(|tuple| (0..extent).map(|index| [&tuple[..], &[index]].concat())).collect()
    })
}

/// Which element of a contiguous array has this index.
fn number(index: &[u64], shape: &[u64], order: Order) -> usize {
    let step = |number: usize, (&index, &extent): (&u64, &u64)| number * extent as usize + index as usize;
    let axes = index.iter().zip(shape);
    match order {
        Order::C => axes.fold(0, step),
        Order::F => axes.rev().fold(0, step),
    }
}

fn bytes_of(shape: &[u64], size: usize) -> usize {
    shape.iter().product::<u64>() as usize * size
}

fn encode(codec: &Codec, shape: &[u64], array: &[u8]) -> Vec<u8> {
    let source = Source::contiguous(array, shape, codec.element_size(), codec.order()).unwrap();
    let bound = codec.encode_bound(shape).unwrap() as usize;
    let mut dst = vec![MaybeUninit::new(0); bound];
    let len = codec.encode(&source, &mut dst).unwrap();
    assert!(len <= bound, "{len} bytes, bound {bound}");
    let mut exact = vec![MaybeUninit::new(0); len];
    assert_eq!(codec.encode(&source, &mut exact).unwrap(), len);
    let (dst, exact) = (initialised(&dst), initialised(&exact));
    assert_eq!(dst[..len], exact, "the bytes depend on the room");
    let mut block = vec![1, 2, 3];
    codec.encode_to(&source, &mut block).unwrap();
    assert_eq!(block, exact, "the bytes depend on the kind of buffer");
    exact
}

/// The content of a buffer all of whose bytes were made with `MaybeUninit::new`.
fn initialised(bytes: &[MaybeUninit<u8>]) -> Vec<u8> {
    // SAFETY: every byte was initialised when the buffer was made.
    bytes.iter().map(|byte| unsafe { byte.assume_init() }).collect()
}

fn decode(codec: &Codec, block: &[u8], shape: &[u64], offset: &[u64], extent: &[u64], whole: bool) -> Vec<u8> {
    let mut dst = vec![MaybeUninit::new(0xaa); bytes_of(extent, codec.element_size())];
    let destination = Destination::contiguous(&mut dst, extent, codec.element_size(), codec.order()).unwrap();
    codec.decode(block, shape, offset, destination, whole).unwrap();
    initialised(&dst)
}

/// An array, its chunk shape, the shape to decode to, and a box in that.
#[derive(Clone, Debug)]
struct Shapes {
    chunk: Vec<u64>,
    stored: Vec<u64>,
    asked: Vec<u64>,
    offset: Vec<u64>,
    extent: Vec<u64>,
}

fn shapes() -> impl Strategy<Value = Shapes> {
    let axis = (1..=6_u64, 1..=7_u64, 0..=8_u64, 0..=100_u64, 0..=100_u64);
    vec(axis, 0..=5).prop_map(|axes| {
        let mut shapes = Shapes { chunk: vec![], stored: vec![], asked: vec![], offset: vec![], extent: vec![] };
        for (chunk, stored, asked, from, len) in axes {
            let offset = from * asked / 100;
            shapes.chunk.push(chunk);
            shapes.stored.push(stored);
            shapes.asked.push(asked);
            shapes.offset.push(offset);
            shapes.extent.push(len * (asked - offset) / 100);
        }
        shapes
    })
}

fn orders() -> impl Strategy<Value = Order> {
    select(vec![Order::C, Order::F])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn policy_11_and_17_what_is_encoded_is_decoded(
        data_type in select(DataType::N5.to_vec()),
        chain in chains(),
        shapes in shapes(),
        orders in (orders(), orders()),
        (kind, seed) in (0..3_u8, any::<u64>()),
        fill in any::<[u8; 8]>(),
    ) {
        let size = data_type.size();
        let plain = matches!(chain, Chain::Plain { .. });
        // A plain chain tells no shape: what is asked is what is stored.
        let asked = if plain { &shapes.stored } else { &shapes.asked };
        let (offset, extent) = if plain { (vec![0; asked.len()], asked.clone()) } else { (shapes.offset, shapes.extent) };
        let settings = ArraySettings { data_type, chunk_shape: shapes.chunk.clone(), array_shape: None, fill_value: fill[..size].to_vec(), chain };
        let codec = |order: Order, strict: bool| Codec::new(settings.clone(), CodecOptions { order, strict, ..CodecOptions::default() }).unwrap();
        let array = content(kind, seed, bytes_of(&shapes.stored, size));
        let block = encode(&codec(orders.0, false), &shapes.stored, &array);

        let reader = codec(orders.1, false);
        let whole = decode(&reader, &block, asked, &vec![0; asked.len()], asked, true);
        let element = |bytes: &[u8], at: usize| bytes[at * size..][..size].to_vec();
        for index in indices(asked) {
            let inside = index.iter().zip(&shapes.stored).all(|(index, extent)| index < extent);
            let expected = if inside { element(&array, number(&index, &shapes.stored, orders.0)) } else { fill[..size].to_vec() };
            prop_assert_eq!(element(&whole, number(&index, asked, orders.1)), expected, "at {:?}", index);
        }
        let part = decode(&reader, &block, asked, &offset, &extent, false);
        for index in indices(&extent) {
            let at: Vec<u64> = index.iter().zip(&offset).map(|(index, offset)| index + offset).collect();
            prop_assert_eq!(element(&part, number(&index, &extent, orders.1)), element(&whole, number(&at, asked, orders.1)), "at {:?}", at);
        }
    }
}
