//! Blosc against c-blosc: the same frames byte for byte, the same content of its frames and of damaged ones; kernels against loops.
//!
//! c-blosc is built without zstd here; frames of other programs with it are among the vectors.

use std::ffi::c_int;

use super::super::tests::{Random, mutate};
use super::super::{Compressor, Workspace, decode_part_to, decode_to, encode_to};
use super::shuffle::{Filter, Level, Shape, to_elements, to_planes};
use crate::model::{BloscInner, BloscShuffle};

const SHUFFLES: [BloscShuffle; 3] = [BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit];
const TYPE_SIZES: [u32; 12] = [1, 2, 3, 4, 5, 8, 9, 16, 17, 48, 130, 255];

fn levels() -> Vec<Level> {
    #[cfg(target_arch = "x86_64")]
    return if Level::best() == Level::Avx2 { vec![Level::Sse2, Level::Avx2] } else { vec![Level::Sse2] };
    #[cfg(not(target_arch = "x86_64"))]
    return Vec::new();
}

/// Planes by their definition.
fn planes_of(filter: Filter, type_size: usize, elements: &[u8]) -> Vec<u8> {
    let count = elements.len() / type_size;
    let mut planes = vec![0; elements.len()];
    for element in 0..count {
        for byte in 0..type_size {
            let value = elements[element * type_size + byte];
            match filter {
                Filter::Byte => planes[byte * count + element] = value,
                Filter::Bit => {
                    for bit in 0..8 {
                        planes[(byte * 8 + bit) * (count / 8) + element / 8] |= (value >> bit & 1) << (element % 8);
                    }
                }
            }
        }
    }
    planes
}

#[test]
fn kernels_do_what_the_definition_says() {
    let mut random = Random(5);
    for filter in [Filter::Byte, Filter::Bit] {
        for type_size in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 48, 255] {
            for units in [1, 2, 15, 16, 17, 31, 32, 33, 50, 100] {
                let count = units * filter.unit_count();
                let elements: Vec<u8> = (0..count * type_size).map(|_| random.next().to_le_bytes()[2]).collect();
                let expected = planes_of(filter, type_size, &elements);
                let shape = Shape { filter, type_size, count, block_count: count };
                for level in levels().into_iter().chain([Level::Portable]) {
                    let mut planes = vec![0; elements.len()];
                    // SAFETY: both memories hold all elements.
                    unsafe { to_planes(level, shape, elements.as_ptr(), planes.as_mut_ptr()) };
                    assert!(planes == expected, "{filter:?} {type_size} {count} {level:?}");
                    // All of them, and some.
                    for (first_unit, part_units) in [(0, units), (units / 3, units / 2)] {
                        let (first, count) = (first_unit * filter.unit_count(), part_units * filter.unit_count());
                        let mut back = vec![0; count * type_size];
                        let part = Shape { count, ..shape };
                        // SAFETY: the planes hold these elements, and `back` has room for them.
                        unsafe { to_elements(level, part, planes.as_ptr().wrapping_add(first_unit), back.as_mut_ptr()) };
                        assert!(back == elements[first * type_size..][..count * type_size], "{filter:?} {type_size} {count} {level:?}");
                    }
                }
            }
        }
    }
}

/// A frame as c-blosc writes it.
fn theirs(inner: BloscInner, level: u8, shuffle: BloscShuffle, block_size: u32, type_size: u32, src: &[u8]) -> Vec<u8> {
    let mut dst = vec![0; src.len() + 16];
    let name = std::ffi::CString::new(inner.name()).unwrap();
    let shuffle = match shuffle {
        BloscShuffle::Byte => 1,
        BloscShuffle::Bit => 2,
        _ => 0,
    };
    // SAFETY: both memories are as long as said.
    let written = unsafe {
        blosc_sys::blosc_compress_ctx(
            c_int::from(level),
            shuffle,
            usize::try_from(type_size).unwrap(),
            src.len(),
            src.as_ptr().cast(),
            dst.as_mut_ptr().cast(),
            dst.len(),
            name.as_ptr(),
            usize::try_from(block_size).unwrap(),
            1,
        )
    };
    dst.truncate(usize::try_from(written).unwrap());
    dst
}

/// What c-blosc decodes a frame to.
fn their_content(frame: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut dst = vec![0xa5; len];
    let mut said = 0;
    // SAFETY: the memory is as long as said.
    if unsafe { blosc_sys::blosc_cbuffer_validate(frame.as_ptr().cast(), frame.len(), &raw mut said) } != 0 || said != len {
        return None;
    }
    // SAFETY: the frame was validated; the output is as long as it says.
    let decoded = unsafe { blosc_sys::blosc_decompress_ctx(frame.as_ptr().cast(), dst.as_mut_ptr().cast(), len, 1) };
    (usize::try_from(decoded) == Ok(len)).then_some(dst)
}

/// Values that grow, zeros, noise, and some of all.
fn contents(len: usize) -> [Vec<u8>; 4] {
    let mut random = Random(99);
    let steps: Vec<u8> = (0..len.div_ceil(4)).flat_map(|index| u32::try_from(index / 9).unwrap().to_be_bytes()).take(len).collect();
    let noise: Vec<u8> = (0..len).map(|_| random.next().to_le_bytes()[3]).collect();
    let mixed = (0..len).map(|index| if index / 5000 % 3 == 0 { noise[index] } else { steps[index] }).collect();
    [steps, noise, mixed, vec![0; len]]
}

#[test]
fn frames_are_those_of_c_blosc() {
    let mut workspace = Workspace::default();
    let (mut ours, mut back) = (Vec::new(), Vec::new());
    for len in [0, 1, 15, 127, 128, 1000, 32_767, 32_768, 70_001, 300_000] {
        for content in contents(len) {
            for inner in BloscInner::ALL.into_iter().filter(|&inner| inner != BloscInner::Zstd) {
                for (index, type_size) in TYPE_SIZES.into_iter().enumerate() {
                    let level = u8::try_from((index + len) % 10).unwrap();
                    let shuffle = SHUFFLES[(index / 3 + len) % 3];
                    let block_size = [0, 0, 1000, 100_000][(index + len / 10) % 4];
                    let compressor = Compressor::Blosc { inner, level, shuffle, block_size, type_size: Some(type_size) };
                    encode_to(compressor, &content, 1, &mut ours, &mut workspace).unwrap();
                    let theirs = theirs(inner, level, shuffle, block_size, type_size, &content);
                    if inner == BloscInner::Zlib {
                        // libdeflate finds other matches than zlib.
                        assert_eq!((ours.first_chunk::<2>(), ours[2] & !super::STORED), (theirs.first_chunk(), theirs[2] & !super::STORED));
                        assert_eq!(ours[3..12], theirs[3..12], "{compressor:?} {len}");
                    } else {
                        assert!(ours == theirs, "{compressor:?} {len}");
                    }
                    assert!(their_content(&ours, len).unwrap() == content, "{compressor:?} {len}");
                    decode_to(compressor, &theirs, len, &mut back, true, &mut workspace).unwrap();
                    assert!(back == content, "{compressor:?} {len}");
                }
            }
        }
    }
}

#[test]
fn every_level_chooses_blocks_as_c_blosc_does() {
    let content = contents(2_200_000)[2].clone();
    let mut ours = Vec::new();
    for inner in [BloscInner::BloscLz, BloscInner::Lz4, BloscInner::Lz4Hc] {
        for level in 0..=9 {
            for (type_size, shuffle) in [(1, BloscShuffle::None), (2, BloscShuffle::Byte), (8, BloscShuffle::Bit), (20, BloscShuffle::Byte)]
            {
                let compressor = Compressor::Blosc { inner, level, shuffle, block_size: 0, type_size: Some(type_size) };
                encode_to(compressor, &content, 1, &mut ours, &mut Workspace::default()).unwrap();
                assert!(ours == theirs(inner, level, shuffle, 0, type_size, &content), "{compressor:?}");
            }
        }
    }
}

#[test]
fn damaged_frames_decode_as_in_c_blosc_or_not_at_all() {
    let mut random = Random(0x51ed_270b);
    let mut workspace = Workspace::default();
    let (mut ours, mut part) = (Vec::new(), Vec::new());
    let (mut accepted, mut refused, mut stricter) = (0, 0, 0);
    for inner in BloscInner::ALL.into_iter().filter(|&inner| inner != BloscInner::Zstd) {
        for (shuffle, type_size, block_size) in [
            (BloscShuffle::None, 2, 0),
            (BloscShuffle::Byte, 2, 700),
            (BloscShuffle::Byte, 8, 4096),
            (BloscShuffle::Byte, 20, 500),
            (BloscShuffle::Bit, 1, 512),
            (BloscShuffle::Bit, 4, 4096),
            (BloscShuffle::Bit, 17, 600),
        ] {
            let content = contents(150_123)[2].clone();
            let frame = theirs(inner, 5, shuffle, block_size, type_size, &content[..20_000 + random.below(3000)]);
            for _ in 0..300 {
                let mutant = mutate(&frame, &mut random);
                let Some(said) = mutant.get(4..8) else { continue };
                let len = usize::try_from(u32::from_le_bytes([said[0], said[1], said[2], said[3]])).unwrap();
                if len > 1 << 20 {
                    continue;
                }
                let compressor = Compressor::Blosc { inner, level: 5, shuffle, block_size, type_size: None };
                let cut = mutant.get(12..16).map_or(0, |said| u32::from_le_bytes([said[0], said[1], said[2], said[3]]));
                let cut = usize::try_from(cut).unwrap().min(mutant.len());
                let result = decode_to(compressor, &mutant[..cut], len, &mut ours, true, &mut workspace);
                match (&result, their_content(&mutant[..cut], len)) {
                    (Ok(()), Some(theirs)) => {
                        assert!(ours == theirs, "{compressor:?}: {mutant:?}");
                        accepted += 1;
                    }
                    (Ok(()), None) => assert!(cut < 16 || len == 0 || inner == BloscInner::Zlib, "{compressor:?}: {mutant:?}"),
                    (Err(_), theirs) => {
                        refused += 1;
                        stricter += usize::from(theirs.is_some());
                    }
                }
                let end = random.below(len + 1);
                let start = random.below(end + 1);
                let partial = decode_part_to(compressor, &mutant[..cut], len, start..end, &mut part, true, &mut workspace);
                if result.is_ok() {
                    partial.unwrap();
                    assert!(part == ours[start..end]);
                }
            }
        }
    }
    assert!(accepted > 500 && refused > 500, "{accepted} {refused}");
    // Overlapping streams and bytes that no stream covers, and what libdeflate refuses.
    assert!(stricter * 20 < accepted + refused, "{stricter} of {accepted} + {refused}");
}

#[test]
fn nothing_is_allocated_once_the_scratch_is_there() {
    let content = contents(300_000)[0].clone();
    let mut workspace = Workspace::default();
    let (mut frame, mut back) = (Vec::new(), Vec::new());
    let compressor = Compressor::Blosc { inner: BloscInner::Lz4, level: 5, shuffle: BloscShuffle::Byte, block_size: 0, type_size: Some(4) };
    encode_to(compressor, &content, 4, &mut frame, &mut workspace).unwrap();
    decode_to(compressor, &frame, content.len(), &mut back, true, &mut workspace).unwrap();
    let block_len = usize::try_from(u32::from_le_bytes([frame[8], frame[9], frame[10], frame[11]])).unwrap();
    assert!((block_len..block_len + 4096).contains(&workspace.blosc.retained_bytes()), "{}", workspace.blosc.retained_bytes());
    let scratch = workspace.blosc.scratch.as_ptr();
    for end in [content.len(), 100, 5000] {
        decode_part_to(compressor, &frame, content.len(), 50..end, &mut back, true, &mut workspace).unwrap();
        assert_eq!(back, content[50..end]);
    }
    assert_eq!(workspace.blosc.scratch.as_ptr(), scratch);
}
