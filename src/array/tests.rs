//! The passes against a plain reference that moves one byte at a time, in guarded memory.
//!
//! Cases are random but the same on every run; a failure prints its case.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap
)]

use std::mem::MaybeUninit;

use super::kernel::Path;
use super::test_memory::{Guarded, Side};
use super::*;
use crate::error::ErrorKind;
use crate::model::{DataType, Endian, Order};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn side(&mut self) -> Side {
        self.pick(&[Side::Front, Side::Back])
    }

    fn order(&mut self) -> Order {
        self.pick(&[Order::C, Order::F])
    }

    fn data_type(&mut self) -> DataType {
        match self.below(12) {
            at @ 0..10 => DataType::N5[at],
            10 => DataType::FixedUtf32 { length_bytes: self.pick(&[4, 8, 12]) },
            _ => DataType::FixedUtf32 { length_bytes: self.pick(&[16, 20, 48, 132]) },
        }
    }

    fn bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.below(256) as u8);
    }
}

/// As many rounds, or the few that Miri has time for.
const fn rounds(count: usize) -> usize {
    if cfg!(miri) { count / 100 } else { count }
}

/// All positions of a box, first axis fastest.
fn positions(extents: &[u64]) -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    for index in 0..extents.iter().product::<u64>() {
        let mut rest = index;
        all.push(
            extents
                .iter()
                .map(|&extent| {
                    let at = rest % extent;
                    rest /= extent;
                    at
                })
                .collect(),
        );
    }
    all
}

fn element_at(position: &[u64], strides: &[isize]) -> isize {
    position.iter().zip(strides).map(|(&at, &stride)| at as isize * stride).sum()
}

/// Reverses the bytes of each unit of one element if it is stored in foreign order.
fn converted(element: &[u8], data_type: DataType, endian: Endian) -> Vec<u8> {
    let mut element = element.to_vec();
    if endian != Endian::NATIVE {
        element.chunks_exact_mut(data_type.unit_size()).for_each(<[u8]>::reverse);
    }
    element
}

/// Strides without overlap: a random order of the axes, random gaps, random signs. Also the image's length and the origin.
fn random_layout(random: &mut Random, extents: &[u64], size: usize, plain: bool) -> (Vec<isize>, usize, usize) {
    let mut order: Vec<usize> = (0..extents.len()).collect();
    if !plain || random.below(2) == 0 {
        order.reverse();
    }
    if !plain {
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
    }
    let mut strides = vec![0; extents.len()];
    let mut next = size;
    if !plain && random.below(4) == 0 {
        next += random.below(5);
    }
    for axis in order {
        strides[axis] = next as isize;
        next *= extents[axis].max(1) as usize;
        if random.below(if plain { 20 } else { 3 }) == 0 {
            next += random.below(9);
        }
    }
    let mut origin = 0;
    for (stride, &extent) in strides.iter_mut().zip(extents) {
        if !plain && random.below(3) == 0 {
            origin += *stride as usize * extent.saturating_sub(1) as usize;
            *stride = -*stride;
        }
    }
    let reach: usize = strides.iter().zip(extents).map(|(stride, &extent)| stride.unsigned_abs() * extent.saturating_sub(1) as usize).sum();
    (strides, reach + size, origin)
}

fn random_extents(random: &mut Random, most: usize) -> Vec<u64> {
    let rank = random.below(7);
    let mut left = most;
    let mut extents: Vec<u64> = (0..rank)
        .map(|_| {
            let extent = match rank {
                0..=3 => random.pick(&[1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70, 100, 129, 200]),
                _ => random.below(9) + 1,
            };
            let extent = extent.min(left);
            left /= extent;
            extent as u64
        })
        .collect();
    for at in (1..rank).rev() {
        extents.swap(at, random.below(at + 1));
    }
    extents
}

fn place_one(random: &mut Random, plain: bool) {
    let data_type = random.data_type();
    let (size, endian) = (data_type.size(), random.pick(&[Endian::Little, Endian::Big]));
    let order = random.order();
    let extents = random_extents(random, 20_000 / size.min(8));
    // Per axis: inside, cropped, padded, or beyond the block.
    let mut stored_extents = extents.clone();
    let mut offset = vec![0; extents.len()];
    for (axis, stored) in stored_extents.iter_mut().enumerate() {
        match random.below(if plain { 30 } else { 8 }) {
            0 => *stored += random.below(4) as u64,
            1 => *stored = stored.saturating_sub(random.below(4) as u64),
            2 => {
                offset[axis] = random.below(4) as u64;
                *stored += offset[axis] + random.below(3) as u64;
            }
            3 => {
                offset[axis] = random.below(4) as u64;
                *stored = (*stored + offset[axis]).saturating_sub(random.below(4) as u64);
            }
            4 if random.below(8) == 0 => offset[axis] = random.pick(&[*stored, u64::MAX]),
            _ => {}
        }
    }
    let stored_len = stored_extents.iter().product::<u64>() as usize * size;
    let mut stored = vec![0; stored_len];
    random.bytes(&mut stored);
    let mut fill_value = vec![0; size];
    match random.below(3) {
        0 => {}
        1 => fill_value.fill(0x5B),
        _ => random.bytes(&mut fill_value),
    }
    let (strides, len, origin) = random_layout(random, &extents, size, plain);
    let case = format!(
        "{data_type:?} {endian:?} {order:?} stored {stored_extents:?} box {extents:?} at {offset:?} strides {strides:?} origin {origin}"
    );

    let end = random.side();
    let mut before = vec![0; len];
    random.bytes(&mut before);
    let mut expected = before.clone();
    let stored_strides = contiguous_strides(&stored_extents, size, order).unwrap();
    for position in positions(&extents) {
        let at = (origin as isize + element_at(&position, &strides)) as usize;
        let in_chunk: Vec<u64> = position.iter().zip(&offset).map(|(&at, &offset)| at.saturating_add(offset)).collect();
        let inside = in_chunk.iter().zip(&stored_extents).all(|(&at, &extent)| at < extent);
        let element = if inside {
            let from = element_at(&in_chunk, &stored_strides) as usize;
            converted(&stored[from..from + size], data_type, endian)
        } else {
            fill_value.clone()
        };
        expected[at..at + size].copy_from_slice(&element);
    }

    let element = Element::new(data_type, endian);
    let touched = touched_bytes(&stored_extents, order, size, &offset, &extents).unwrap();
    let mut part = Guarded::new(touched.len(), random.side());
    part.bytes().copy_from_slice(&stored[touched.clone()]);
    let stored = Stored { bytes: part.bytes(), first_byte: touched.start, extents: &stored_extents, order };
    for path in Path::all() {
        let mut image = Guarded::new(len, end);
        image.bytes().copy_from_slice(&before);
        let start = image.bytes().as_mut_ptr();
        // SAFETY: the image is used for nothing else meanwhile.
        let mut destination = unsafe { Destination::from_raw(start, len, origin, Some(&strides), Order::C, &extents, size) }.expect(&case);
        path.with(|| place(&stored, &offset, &mut destination, element, &fill_value)).expect(&case);
        let differs = image.bytes().iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{path:?} {case}");
        image.check();
    }
}

#[test]
fn chunks_are_placed_like_the_reference_does() {
    let mut random = Random(1);
    for _ in 0..rounds(1500) {
        place_one(&mut random, false);
    }
}

#[test]
fn whole_chunks_are_transposed_like_the_reference_does() {
    let mut random = Random(2);
    for _ in 0..rounds(1000) {
        place_one(&mut random, true);
    }
}

/// Chunks that need several tiles, layers and vectors, with whatever is left over, in C order with gaps between rows.
#[test]
fn tiles_and_layers_join_without_a_seam() {
    let shapes: [&[u64]; 15] = [
        &[301, 80, 2],
        &[37, 90, 3],
        &[131, 70, 4],
        &[300, 3, 290],
        &[64, 11, 64],
        &[1000, 70],
        &[40, 700],
        &[17, 5, 530],
        &[2, 64, 9, 64],
        &[64, 9, 64, 3],
        &[3, 33, 35, 3],
        &[32, 6, 5, 40],
        &[16, 16, 16],
        &[9, 9, 9],
        &[5, 3, 4, 6, 7, 8],
    ];
    for extents in shapes {
        for data_type in [DataType::UInt8, DataType::Int16, DataType::Float32, DataType::UInt64, DataType::FixedUtf32 { length_bytes: 12 }]
        {
            for gap in [0, 1, 43] {
                let size = data_type.size();
                let mut image_extents = extents.to_vec();
                *image_extents.last_mut().unwrap() += gap;
                let strides = contiguous_strides(&image_extents, size, Order::C).unwrap();
                let stored_strides = contiguous_strides(extents, size, Order::F).unwrap();
                let count = extents.iter().product::<u64>() as usize;
                let stored: Vec<u8> = (0..count * size).map(|at| (at * 31 % 251) as u8).collect();
                let reach: usize = strides.iter().zip(extents).map(|(stride, extent)| *stride as usize * (*extent as usize - 1)).sum();
                let mut expected = vec![0xEE; reach + size];
                let mut at = vec![0; extents.len()];
                for _ in 0..count {
                    let from = element_at(&at, &stored_strides) as usize;
                    let to = element_at(&at, &strides) as usize;
                    expected[to..to + size].copy_from_slice(&stored[from..from + size]);
                    expected[to..to + size].chunks_exact_mut(data_type.unit_size()).for_each(<[u8]>::reverse);
                    for (at, extent) in at.iter_mut().zip(extents) {
                        *at += 1;
                        if *at < *extent {
                            break;
                        }
                        *at = 0;
                    }
                }
                let chunk = Stored { bytes: &stored, first_byte: 0, extents, order: Order::F };
                let element = Element::new(data_type, if Endian::NATIVE == Endian::Big { Endian::Little } else { Endian::Big });
                for path in Path::all() {
                    let mut image = vec![0xEE; reach + size];
                    let (start, len) = (image.as_mut_ptr(), image.len());
                    // SAFETY: the image is used for nothing else meanwhile.
                    let destination = unsafe { Destination::from_raw(start, len, 0, Some(&strides), Order::C, extents, size) };
                    let offset = vec![0; extents.len()];
                    path.with(|| place(&chunk, &offset, &mut destination.unwrap(), element, &vec![0; size])).unwrap();
                    assert!(image == expected, "{path:?} {data_type:?} {extents:?} gap {gap}");
                }
            }
        }
    }
}

#[test]
fn sources_are_gathered_like_the_reference_does() {
    let mut random = Random(3);
    for round in 0..rounds(1500) {
        let data_type = random.data_type();
        let (size, endian) = (data_type.size(), random.pick(&[Endian::Little, Endian::Big]));
        let order = random.order();
        let extents = random_extents(&mut random, 20_000 / size.min(8));
        let (mut strides, len, origin) = random_layout(&mut random, &extents, size, round % 2 == 0);
        if random.below(4) == 0 {
            // Broadcast, or overlapping elements: the box stays inside the image.
            for stride in &mut strides {
                *stride = random.pick(&[*stride, 0, *stride / 2]);
            }
        }
        let case = format!("{data_type:?} {endian:?} {order:?} box {extents:?} strides {strides:?} origin {origin}");
        let mut image = Guarded::new(len, random.side());
        random.bytes(image.bytes());
        let image = image.bytes();
        let result_strides = contiguous_strides(&extents, size, order).unwrap();
        let mut expected = vec![0; extents.iter().product::<u64>() as usize * size];
        for position in positions(&extents) {
            let from = (origin as isize + element_at(&position, &strides)) as usize;
            let to = element_at(&position, &result_strides) as usize;
            expected[to..to + size].copy_from_slice(&converted(&image[from..from + size], data_type, endian));
        }

        // SAFETY: nobody writes the image meanwhile.
        let source = unsafe { Source::from_raw(image.as_ptr(), len, origin, Some(&strides), Order::C, &extents, size) }.expect(&case);
        let element = Element::new(data_type, endian);
        let end = random.side();
        for path in Path::all() {
            let mut result = Guarded::new(expected.len(), end);
            path.with(|| gather(&source, uninit(result.bytes()), order, element)).expect(&case);
            assert!(result.bytes() == expected, "{path:?} {case}");
            result.check();
        }
        let mut vector = vec![1; 7];
        gather_to(&source, &mut vector, order, element).expect(&case);
        assert!(vector == expected, "{case}");
    }
}

fn uninit(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let (start, len) = (bytes.as_mut_ptr().cast(), bytes.len());
    // SAFETY: the same bytes, and the tests write only initialised ones.
    unsafe { std::slice::from_raw_parts_mut(start, len) }
}

#[test]
fn filling_leaves_gaps_alone() {
    let mut random = Random(4);
    for round in 0..rounds(1500) {
        let size = random.pick(&[1, 2, 3, 4, 8, 12, 100]);
        let extents = random_extents(&mut random, 10_000 / size);
        let (strides, len, origin) = random_layout(&mut random, &extents, size, round % 2 == 0);
        let mut image = Guarded::new(len, random.side());
        random.bytes(image.bytes());
        let mut expected = image.bytes().to_vec();
        let mut value = vec![7; size];
        if random.below(3) > 0 {
            random.bytes(&mut value);
        }
        for position in positions(&extents) {
            let at = (origin as isize + element_at(&position, &strides)) as usize;
            expected[at..at + size].copy_from_slice(&value);
        }
        let start = image.bytes().as_mut_ptr();
        // SAFETY: the image is used for nothing else meanwhile.
        let mut destination = unsafe { Destination::from_raw(start, len, origin, Some(&strides), Order::C, &extents, size) }.unwrap();
        fill(&mut destination, &value).unwrap();
        assert!(image.bytes() == expected, "box {extents:?} of {size} strides {strides:?}");
        image.check();
    }
}

#[test]
fn a_place_in_another_order_keeps_every_bit() {
    let quiet = 0x7ff8_0000_dead_beef_u64;
    let values = [f64::from_bits(quiet), f64::from_bits(0xfff0_0000_0000_0001), -0.0, f64::NEG_INFINITY, 5e-324, 1.5];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    let stored = Stored { bytes: &bytes, first_byte: 0, extents: &[2, 3], order: Order::F };
    let mut out = [MaybeUninit::uninit(); 64];
    let mut destination = Destination::contiguous(&mut out, &[2, 4], 8, Order::C).unwrap();
    let nan = f64::from_bits(0x7ff0_0000_0000_0dad).to_ne_bytes();
    place(&stored, &[0, 0], &mut destination, Element::new(DataType::Float64, Endian::Big), &nan).unwrap();
    let expected: Vec<u8> =
        [0, 2, 4, 9, 1, 3, 5, 9].iter().flat_map(|&at| values.get(at).map_or(nan, |value| value.to_ne_bytes())).collect();
    // SAFETY: `place` wrote all eight elements.
    let out = out.map(|byte| unsafe { byte.assume_init() });
    assert_eq!(out[..], expected);
}

#[test]
fn halves_are_filled_by_two_threads() {
    let extents = [40, 30, 20];
    let stored: Vec<u8> = (0..40 * 30 * 20 * 2).map(|at: u32| (at % 251) as u8).collect();
    for axis in 0..3 {
        let mut out = vec![MaybeUninit::new(0); stored.len()];
        let whole = Destination::contiguous(&mut out, &extents, 2, Order::C).unwrap();
        let cut = extents[axis] / 3;
        let (first, second) = whole.split_at(axis, cut).unwrap();
        let mut offset = [0; 3];
        offset[axis] = cut;
        std::thread::scope(|scope| {
            for (mut part, offset) in [(first, [0; 3]), (second, offset)] {
                let stored = Stored { bytes: &stored, first_byte: 0, extents: &extents, order: Order::F };
                scope.spawn(move || {
                    place(&stored, &offset, &mut part, Element::new(DataType::UInt16, Endian::Big), &[9, 9]).unwrap();
                });
            }
        });
        // SAFETY: initialised above, and by the two halves.
        let out: Vec<u8> = out.into_iter().map(|byte| unsafe { byte.assume_init() }).collect();
        let mut at_once = vec![0; stored.len()];
        let mut whole = Destination::contiguous(uninit(&mut at_once), &extents, 2, Order::C).unwrap();
        let stored = Stored { bytes: &stored, first_byte: 0, extents: &extents, order: Order::F };
        place(&stored, &[0; 3], &mut whole, Element::new(DataType::UInt16, Endian::Big), &[9, 9]).unwrap();
        assert!(out == at_once, "axis {axis}");
    }
}

#[test]
fn splitting_checks_axis_and_index() {
    let mut out = [MaybeUninit::uninit(); 12];
    for (axis, index, kind) in
        [(2, 0, Some(ErrorKind::InvalidArgument)), (1, 5, Some(ErrorKind::InvalidArgument)), (1, 4, None), (0, 0, None)]
    {
        let whole = Destination::contiguous(&mut out, &[3, 4], 1, Order::C).unwrap();
        let halves = whole.split_at(axis, index);
        assert_eq!(halves.as_ref().err().map(crate::error::Error::kind), kind);
        if let Ok((first, second)) = halves {
            assert_eq!(first.extents()[axis], index);
            assert_eq!(first.extents()[axis] + second.extents()[axis], [3, 4][axis]);
        }
    }
}

#[test]
fn contiguous_boxes_are_recognised() {
    let mut out = [MaybeUninit::uninit(); 24];
    let mut whole = Destination::contiguous(&mut out, &[2, 3, 4], 1, Order::C).unwrap();
    assert_eq!(whole.as_contiguous(Order::C).map(|bytes| bytes.len()), Some(24));
    assert!(whole.as_contiguous(Order::F).is_none());
    let (mut front, mut back) = whole.split_at(0, 1).unwrap();
    assert_eq!(front.as_contiguous(Order::C).map(|bytes| bytes.len()), Some(12));
    assert_eq!(back.as_contiguous(Order::C).map(|bytes| bytes.len()), Some(12));
    let (mut narrow, _) = back.split_at(2, 2).unwrap();
    assert!(narrow.as_contiguous(Order::C).is_none());
    let (mut nothing, _) = narrow.split_at(1, 0).unwrap();
    assert_eq!(nothing.as_contiguous(Order::F).map(|bytes| bytes.len()), Some(0));
    let bytes = [1_u8; 4];
    let source = Source::contiguous(&bytes, &[4, 1], 1, Order::C).unwrap();
    assert_eq!(source.as_contiguous(Order::F), Some(&bytes[..]));
    let scalar = Source::contiguous(&bytes, &[], 4, Order::C).unwrap();
    assert_eq!(scalar.as_contiguous(Order::C), Some(&bytes[..]));
}

#[test]
fn mistakes_are_named() {
    let mut out = [MaybeUninit::uninit(); 11];
    let error = Destination::contiguous(&mut out, &[3, 2], 2, Order::C).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
    assert!(error.message().contains("11") && error.message().contains("12"), "{error}");

    let mut box_of = |strides: &[isize], extents: &[u64], origin| {
        // SAFETY: the array is used for nothing else, and no element is accessed.
        let made = unsafe { Destination::from_raw(out.as_mut_ptr().cast(), 11, origin, Some(strides), Order::C, extents, 1) };
        made.err().map(|error| error.kind())
    };
    assert_eq!(box_of(&[2, 3], &[3, 2], 0), None);
    assert_eq!(box_of(&[1, 2], &[3, 2], 0), Some(ErrorKind::InvalidArgument));
    assert_eq!(box_of(&[2, 3], &[3, 2], 4), Some(ErrorKind::BufferTooSmall));
    assert_eq!(box_of(&[2], &[3, 2], 0), Some(ErrorKind::InvalidArgument));
    assert_eq!(box_of(&[isize::MIN, isize::MAX], &[u64::MAX, u64::MAX], 0), Some(ErrorKind::BufferTooSmall));
    assert_eq!(box_of(&[0, 0], &[u64::MAX, u64::MAX], 0), Some(ErrorKind::InvalidArgument));
    assert_eq!(box_of(&[0, 0], &[u64::MAX, 0], usize::MAX), None);

    let bytes = [0; 8];
    // SAFETY: the bytes are not written meanwhile.
    let broadcast = unsafe { Source::from_raw(bytes.as_ptr(), 8, 0, Some(&[0, 0]), Order::C, &[u64::MAX, 3], 4) }.unwrap();
    let element = Element::new(DataType::UInt32, Endian::Big);
    let kind = |result: crate::error::Result<()>| result.err().map(|error| error.kind());
    assert_eq!(kind(gather_to(&broadcast, &mut Vec::new(), Order::C, element)), Some(ErrorKind::LimitExceeded));
    let source = Source::contiguous(&bytes, &[2], 4, Order::C).unwrap();
    assert_eq!(kind(gather(&source, &mut [MaybeUninit::uninit(); 9], Order::C, element)), Some(ErrorKind::SizeMismatch));
    assert_eq!(
        kind(gather(&source, &mut [MaybeUninit::uninit(); 8], Order::C, Element::new(DataType::Int8, Endian::Big))),
        Some(ErrorKind::InvalidArgument)
    );

    let mut out = [MaybeUninit::uninit(); 8];
    let mut destination = Destination::contiguous(&mut out, &[2], 4, Order::C).unwrap();
    assert_eq!(kind(fill(&mut destination, &[0])), Some(ErrorKind::InvalidArgument));
    let mut place = |bytes: &[u8], first_byte, extents: &[u64], offset: &[u64], fill: &[u8]| {
        kind(place(&Stored { bytes, first_byte, extents, order: Order::F }, offset, &mut destination, element, fill))
    };
    assert_eq!(place(&bytes, 0, &[2], &[0], &[0; 4]), None);
    assert_eq!(place(&bytes, 0, &[2], &[0], &[0; 3]), Some(ErrorKind::InvalidArgument));
    assert_eq!(place(&bytes, 0, &[2, 1], &[0], &[0; 4]), Some(ErrorKind::InvalidArgument));
    assert_eq!(place(&bytes[1..], 0, &[2], &[0], &[0; 4]), Some(ErrorKind::SizeMismatch));
    assert_eq!(place(&bytes, 4, &[2], &[0], &[0; 4]), Some(ErrorKind::SizeMismatch));
    assert_eq!(place(&bytes[4..], 4, &[2], &[1], &[0; 4]), None);
    assert_eq!(place(&[], 0, &[0], &[0], &[0; 4]), None);
    assert_eq!(place(&[], 0, &[2], &[u64::MAX], &[0; 4]), None);
    assert_eq!(place(&[], 0, &[u64::MAX], &[u64::MAX], &[0; 4]), Some(ErrorKind::LimitExceeded));
}

#[test]
fn ranks_up_to_the_format_s_limit_work() {
    let mut extents = vec![1; 65535];
    extents[7] = 3;
    extents[60_000] = 5;
    let stored: Vec<u8> = (0..15).collect();
    let mut out = [MaybeUninit::uninit(); 15];
    let mut destination = Destination::contiguous(&mut out, &extents, 1, Order::C).unwrap();
    let chunk = Stored { bytes: &stored, first_byte: 0, extents: &extents, order: Order::F };
    place(&chunk, &vec![0; 65535], &mut destination, Element::new(DataType::UInt8, Endian::Big), &[0]).unwrap();
    // SAFETY: `place` wrote all elements.
    let out = out.map(|byte| unsafe { byte.assume_init() });
    assert_eq!(out, [0, 3, 6, 9, 12, 1, 4, 7, 10, 13, 2, 5, 8, 11, 14]);
}

#[test]
fn touched_bytes_are_the_least_that_hold_the_box() {
    let touched = |extents: &[u64], order, offset: &[u64], extent: &[u64]| touched_bytes(extents, order, 2, offset, extent).unwrap();
    assert_eq!(touched(&[4, 3], Order::F, &[1, 1], &[2, 2]), 10..22);
    assert_eq!(touched(&[4, 3], Order::C, &[1, 1], &[2, 2]), 8..18);
    assert_eq!(touched(&[4, 3], Order::F, &[0, 0], &[9, 9]), 0..24);
    assert_eq!(touched(&[4, 3], Order::F, &[4, 0], &[9, 9]), 0..0);
    assert_eq!(touched(&[], Order::C, &[], &[]), 0..2);
}

#[test]
fn numbers_are_swapped_in_place() {
    let mut random = Random(5);
    for data_type in [DataType::Int8, DataType::Int16, DataType::Float32, DataType::Int64, DataType::FixedUtf32 { length_bytes: 12 }] {
        for count in (0..70).chain([1000]) {
            for endian in [Endian::Little, Endian::Big] {
                for path in Path::all() {
                    let mut buffer = Guarded::new(count * data_type.size(), random.side());
                    random.bytes(buffer.bytes());
                    let expected = converted(buffer.bytes(), data_type, endian);
                    path.with(|| swap_in_place(uninit(buffer.bytes()), Element::new(data_type, endian)));
                    assert!(buffer.bytes() == expected, "{path:?} {data_type:?} {count}");
                    buffer.check();
                }
            }
        }
    }
}
