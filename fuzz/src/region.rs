//! Region arithmetic: boxes, strides, origins and images that a caller makes up, against a model that places one element at a time.
//!
//! Input: element size, flags, rank, for each axis extents and a stride, then origin, length of the image, and bytes of elements.

use std::collections::HashSet;

use arbitrary::Unstructured;
use zn5::ffi::{ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_SIZE_MISMATCH};

use super::capi::{Codec, Options};
use super::model;

/// Elements of the largest box.
const MAX_COUNT: u64 = 4096;
const MAX_IMAGE: usize = 1 << 16;

struct Case {
    types: usize,
    stored: Vec<u64>,
    asked: Vec<u64>,
    offset: Vec<u64>,
    extent: Vec<u64>,
    strides: Vec<isize>,
    origin: usize,
    image_len: usize,
    f_order: bool,
    fill: u8,
}

fn case(u: &mut Unstructured) -> arbitrary::Result<Option<Case>> {
    let types = usize::from(u.arbitrary::<u8>()? % 4);
    let size = 1_i64 << types;
    let flags: u8 = u.arbitrary()?;
    let ndim = u.arbitrary::<u8>()? % 6;
    // Short axes for many of them; long ones for what is copied vector by vector, and tile by tile.
    let most = if flags & 16 == 0 { 24 } else { 256 };
    let (mut stored, mut asked, mut offset, mut extent, mut strides) = (vec![], vec![], vec![], vec![], vec![]);
    for _ in 0..ndim {
        let axis: [u8; 4] = u.arbitrary()?;
        stored.push(u64::from(axis[0]) % most);
        asked.push(u64::from(axis[1]) % most);
        // Now and then outside.
        offset.push(if axis[2] == 255 { u64::MAX } else { u64::from(axis[2] % 16) });
        extent.push(if axis[3] == 255 { u64::MAX - u64::from(axis[0]) } else { u64::from(axis[3]) % most });
        strides.push(match u.arbitrary::<u8>()? {
            0 => isize::MIN,
            1 => isize::MAX,
            2 => isize::try_from(u.arbitrary::<i64>()?).unwrap_or(0),
            choice @ 3..=99 => isize::try_from((i64::from(choice) - 51) * size).unwrap(),
            choice => isize::from(u.arbitrary::<i16>()? >> (choice % 16)),
        });
    }
    let origin = if flags & 1 == 0 { usize::from(u.arbitrary::<u16>()?) } else { usize::try_from(u.arbitrary::<u64>()?).unwrap_or(0) };
    let image_len = usize::from(u.arbitrary::<u16>()?).min(MAX_IMAGE);
    let mut case = Case { types, stored, asked, offset, extent, strides, origin, image_len, f_order: flags & 2 != 0, fill: flags };
    if flags & 4 != 0 {
        // A box and an image that fit.
        for axis in 0..usize::from(ndim) {
            case.offset[axis] = case.offset[axis].min(case.asked[axis]);
            case.extent[axis] = case.extent[axis].min(case.asked[axis] - case.offset[axis]);
        }
        // An empty box may be long on its other axes, and so would be its image.
        if case.extent.iter().map(|&extent| extent.max(1)).product::<u64>() <= MAX_COUNT {
            let size = 1 << types;
            (case.strides, case.origin, case.image_len) =
                model::spread(&case.extent, size, flags & 8 != 0, usize::from(flags >> 6), u32::from(flags >> 1));
        }
    }
    Ok((model::count(&case.stored) <= MAX_COUNT && model::count(&case.asked) <= MAX_COUNT).then_some(case))
}

/// Decodes a box of a raw block into an image, and encodes a box of an image.
pub fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(Some(case)) = case(&mut u) else { return };
    let size = 1 << case.types;
    let chunk: Vec<u64> = case.stored.iter().map(|&extent| extent.max(1)).collect();
    let name = ["uint8", "uint16", "uint32", "uint64"][case.types];
    let document = format!(r#"{{"dimensions":{chunk:?},"blockSize":{chunk:?},"dataType":"{name}","compression":{{"type":"raw"}}}}"#);
    let fill = vec![case.fill; size];
    let options = Options { f_order: case.f_order, fill: Some(fill.clone()), ..Options::default() };
    let codec = Codec::from_n5(document.as_bytes(), &options).expect("a sound document");
    decode(&case, &codec, size, &fill);
    encode(&case, &codec, size, u.take_rest());
}

/// Where a box lies in the image: its elements' positions if all are inside, and whether two share a byte.
enum Layout {
    Outside,
    Overlapping,
    Sound(Vec<(Vec<u64>, usize)>),
    /// More elements than the model looks at.
    Large,
}

fn layout(case: &Case, extent: &[u64], size: usize) -> Layout {
    if extent.contains(&0) {
        return Layout::Sound(vec![]);
    }
    if model::count(extent) > 2 * MAX_COUNT {
        return Layout::Large;
    }
    let mut places = vec![];
    let mut bytes = HashSet::new();
    let mut overlapping = false;
    for index in model::indices(extent) {
        let at = model::position(&index, case.origin, &case.strides);
        if at < 0 || at + size as i128 > case.image_len as i128 {
            return Layout::Outside;
        }
        let at = usize::try_from(at).unwrap();
        overlapping |= (at..at + size).any(|byte| !bytes.insert(byte));
        places.push((index, at));
    }
    if overlapping { Layout::Overlapping } else { Layout::Sound(places) }
}

/// The bytes of element number `number` of the stored block.
fn value(number: usize, size: usize) -> Vec<u8> {
    let bytes = (number as u64 ^ 0x5b_a1_33_c7_0d_92_64_00).to_ne_bytes();
    (0..size).map(|byte| bytes[byte]).collect()
}

fn decode(case: &Case, codec: &Codec, size: usize, fill: &[u8]) {
    let count = usize::try_from(model::count(&case.stored)).unwrap();
    let mut block = vec![];
    zn5::block::append(&case.stored, &mut block).unwrap();
    for number in 0..count {
        let mut stored = value(number, size);
        if cfg!(target_endian = "little") {
            stored.reverse();
        }
        block.extend(stored);
    }
    let mut image = vec![0xaa; case.image_len];
    let result = codec.decode_region(&block, &case.asked, &case.offset, &case.extent, &mut image, case.origin, &case.strides);
    let axes = case.asked.iter().zip(case.offset.iter().zip(&case.extent));
    let leaves = axes.clone().any(|(&asked, (&offset, &extent))| offset.checked_add(extent).is_none_or(|end| end > asked));
    let refused = [ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_LIMIT_EXCEEDED];
    let places = match (layout(case, &case.extent, size), &result) {
        (Layout::Sound(places), Ok(())) if !leaves => places,
        (Layout::Sound(_), Err(failure)) if !leaves => {
            panic!("a sound box is refused: {failure:?}");
        }
        (_, Ok(())) => panic!("a box that leaves the array or the image, or whose elements overlap, was decoded"),
        (layout, Err(failure)) => {
            assert!(refused.contains(&failure.status), "{failure:?}");
            let is_large = matches!(layout, Layout::Large) || model::count(&case.extent) > MAX_COUNT;
            assert!(is_large || failure.status != ZN5_ERROR_LIMIT_EXCEEDED, "{failure:?}");
            vec![]
        }
    };
    let mut expected = vec![0xaa; case.image_len];
    for (index, at) in places {
        let of_chunk: Vec<u64> = index.iter().zip(&case.offset).map(|(index, offset)| index + offset).collect();
        let is_stored = of_chunk.iter().zip(&case.stored).all(|(index, extent)| index < extent);
        let element = if is_stored { value(model::number(&of_chunk, &case.stored, true), size) } else { fill.to_vec() };
        expected[at..at + size].copy_from_slice(&element);
    }
    assert!(image == expected, "{image:?} is not {expected:?}");
}

fn encode(case: &Case, codec: &Codec, size: usize, elements: &[u8]) {
    let mut image = vec![0x5a; case.image_len];
    for (slot, &byte) in image.iter_mut().zip(elements) {
        *slot = byte;
    }
    let shape = &case.extent;
    let is_possible = shape.iter().all(|&extent| extent <= 1 << 31);
    if is_possible && model::count(shape) > 2 * MAX_COUNT {
        return;
    }
    let result = codec.encode_region(shape, &image, case.origin, &case.strides);
    if shape.contains(&0) {
        result.expect_err("no block has an extent of 0");
        return;
    }
    if !is_possible {
        result.expect_err("no block is so large");
        return;
    }
    let mut expected = vec![0; usize::try_from(model::count(shape)).unwrap() * size];
    for index in model::indices(shape) {
        let at = model::position(&index, case.origin, &case.strides);
        if at < 0 || at + size as i128 > case.image_len as i128 {
            assert_eq!(result.expect_err("an element lies outside").status, ZN5_ERROR_SIZE_MISMATCH);
            return;
        }
        let at = usize::try_from(at).unwrap();
        let number = model::number(&index, shape, true);
        let slot = &mut expected[number * size..][..size];
        slot.copy_from_slice(&image[at..at + size]);
        if cfg!(target_endian = "little") {
            slot.reverse();
        }
    }
    let block = result.expect("all elements lie inside");
    let mut header = vec![];
    zn5::block::append(shape, &mut header).unwrap();
    assert!(block[..header.len()] == header && block[header.len()..] == expected, "{block:?} does not hold {expected:?}");
}
