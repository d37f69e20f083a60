//! Tests of all compressors together: what they share, and the streams that other programs wrote.
//!
//! `golden` holds foreign streams, `round_trip` our own, `policies` the behaviour we chose, `hostile` what must not hurt.

mod golden;
mod hostile;
mod policies;
mod round_trip;

use super::*;
use crate::model::{BloscInner, BloscShuffle, XzCheck};

const RAW: Compressor = Compressor::Raw;
const GZIP: Compressor = Compressor::Gzip { level: 6, zlib: false };
const ZLIB: Compressor = Compressor::Gzip { level: 6, zlib: true };
const BZIP2: Compressor = Compressor::Bzip2 { block_size: 9 };
const XZ: Compressor = Compressor::Xz { preset: 6, check: XzCheck::Crc64 };
const LZ4: Compressor = Compressor::Lz4 { block_size: 65536 };
const ZSTD: Compressor = Compressor::Zstd { level: 3, checksum: true };
const BLOSC: Compressor = blosc_with(BloscInner::Lz4, 5, BloscShuffle::Byte, 0);

/// One of each.
const COMPRESSORS: [Compressor; 8] = [RAW, GZIP, ZLIB, BZIP2, XZ, LZ4, BLOSC, ZSTD];

const fn blosc_with(inner: BloscInner, level: u8, shuffle: BloscShuffle, block_size: u32) -> Compressor {
    Compressor::Blosc { inner, level, shuffle, block_size, type_size: None }
}

/// Every compressor with every parameter that makes a difference.
fn all_settings() -> Vec<Compressor> {
    let mut all = vec![RAW];
    for level in 0..=9 {
        all.push(Compressor::Gzip { level, zlib: level % 2 == 1 });
        all.push(Compressor::Bzip2 { block_size: level.max(1) });
        all.push(Compressor::Xz { preset: level, check: XzCheck::Crc64 });
        for (inner, shuffle) in
            BloscInner::ALL.into_iter().zip([BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit].into_iter().cycle())
        {
            all.push(blosc_with(inner, level, shuffle, 0));
        }
    }
    all.push(Compressor::Gzip { level: 6, zlib: true });
    for check in [XzCheck::None, XzCheck::Crc32, XzCheck::Sha256] {
        all.push(Compressor::Xz { preset: 1, check });
    }
    for block_size in [64, 100, 1025, 65536, 65537, 1 << 25] {
        all.push(Compressor::Lz4 { block_size });
    }
    for level in [-131_072, -5, 0, 1, 3, 4, 7, 12, 15, 19, 22] {
        all.push(Compressor::Zstd { level, checksum: level % 2 == 0 });
    }
    for shuffle in [BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit, BloscShuffle::Auto] {
        for block_size in [1, 1000, 1 << 20, u32::MAX] {
            all.push(blosc_with(BloscInner::Zstd, 3, shuffle, block_size));
            all.push(blosc_with(BloscInner::BloscLz, 7, shuffle, block_size));
        }
        for type_size in [1, 2, 3, 16, 17, 255, 256, 4000] {
            all.push(Compressor::Blosc { inner: BloscInner::Lz4, level: 5, shuffle, block_size: 0, type_size: Some(type_size) });
        }
    }
    all
}

/// Bytes that compress somewhat: 16-bit steps with noise in between.
fn sample(len: usize) -> Vec<u8> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    (0..len)
        .map(|index| {
            let noise = random.next();
            if noise.is_multiple_of(8) {
                noise.to_le_bytes()[1]
            } else {
                u8::try_from(index / 64 % 251).unwrap() * u8::try_from(index % 2).unwrap()
            }
        })
        .collect()
}

/// A small generator of pseudo-random numbers (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Flips, overwrites, cuts, repeats and inserts.
pub(super) fn mutate(src: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = src.to_vec();
    for _ in 0..=random.below(3) {
        let position = random.below(mutant.len());
        if mutant.is_empty() {
            break;
        }
        match random.below(6) {
            0 => mutant[position] ^= 1 << random.below(8),
            1 => mutant[position] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            2 => mutant.truncate(position),
            3 => mutant.insert(position, random.next().to_le_bytes()[0]),
            4 => {
                let end = (position + 4).min(mutant.len());
                let value = [0_u32, 1, 16, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX][random.below(7)];
                mutant[position..end].copy_from_slice(&value.to_le_bytes()[..end - position]);
            }
            _ => {
                let end = position + random.below(mutant.len() - position);
                let copy = mutant[position..end].to_vec();
                mutant.extend_from_slice(&copy);
            }
        }
    }
    mutant
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

fn encoded(compressor: Compressor, src: &[u8], element_size: usize) -> Vec<u8> {
    let mut dst = Vec::new();
    encode_to(compressor, src, element_size, &mut dst, &mut Workspace::default()).unwrap();
    dst
}

fn decoded(compressor: Compressor, src: &[u8], len: usize, strict: bool) -> Result<Vec<u8>> {
    let mut dst = Vec::new();
    decode_to(compressor, src, len, &mut dst, strict, &mut Workspace::default()).map(|()| dst)
}

fn kind(result: Result<Vec<u8>>) -> ErrorKind {
    result.expect_err("must be refused").kind()
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}
