//! Input that means harm: bombs, lying headers, and thousands of random changes.
//!
//! Nothing may crash, hang, take memory beyond what was asked for, or return other bytes than the error or the payload.

use super::golden::*;
use super::*;
use std::time::{Duration, Instant};

const BOMB_LEN: usize = 64 << 20;

/// A stream of `BOMB_LEN` zeros, made without compressing all of them where the format allows it.
fn bomb(compressor: Compressor) -> Vec<u8> {
    match compressor {
        // Members in a row are one payload.
        Compressor::Bzip2 { .. } | Compressor::Xz { .. } => encoded(compressor, &vec![0; BOMB_LEN / 16], 1).repeat(16),
        _ => encoded(compressor, &vec![0; BOMB_LEN], 1),
    }
}

#[test]
fn bombs_are_refused_at_once() {
    let mut workspace = Workspace::default();
    let blosc_zstd = blosc_with(BloscInner::Zstd, 5, BloscShuffle::Byte, 0);
    for compressor in [GZIP, ZLIB, BZIP2, XZ, LZ4, Compressor::Lz4 { block_size: 1 << 25 }, BLOSC, blosc_zstd, ZSTD] {
        let src = bomb(compressor);
        assert!(src.len() < BOMB_LEN / 50, "{compressor:?}: {}", src.len());
        let mut dst = Vec::new();
        let begin = Instant::now();
        for _ in 0..5 {
            let error = decode_to(compressor, &src, 12, &mut dst, false, &mut workspace).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PayloadSizeMismatch, "{compressor:?}");
            assert!(dst.capacity() < 1000);
        }
        let mean = begin.elapsed() / 5;
        assert!(mean < Duration::from_millis(250), "{compressor:?}: {mean:?}");
        assert!(workspace.retained_bytes() < 2 << 20, "{}", workspace.retained_bytes());
        let error = decode_at_most(compressor, &src, 100_000, &mut dst, false, &mut workspace).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PayloadSizeMismatch);
        let error = decode_part_to(compressor, &src, 12, 3..4, &mut dst, false, &mut workspace).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PayloadSizeMismatch);
    }
}

#[test]
fn memory_of_unknown_sizes_follows_what_comes_out() {
    let payload = sample(300_000);
    for compressor in COMPRESSORS {
        let stream = encoded(compressor, &payload, 1);
        let mut dst = Vec::new();
        decode_at_most(compressor, &stream, usize::MAX / 2, &mut dst, true, &mut Workspace::default()).unwrap();
        assert!(dst == payload && dst.capacity() < 2_000_000, "{compressor:?}: {}", dst.capacity());
    }
}

#[test]
fn a_size_that_memory_cannot_hold_is_an_error() {
    for compressor in COMPRESSORS.into_iter().filter(|&compressor| compressor != RAW) {
        let stream = encoded(compressor, &PAYLOAD, 1);
        let mut dst = Vec::new();
        let error = decode_to(compressor, &stream, usize::MAX / 4, &mut dst, false, &mut Workspace::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    }
}

#[test]
fn random_changes_never_hurt() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut workspace = Workspace::default();
    let (mut dst, mut again) = (Vec::new(), Vec::new());
    let payload = sample(3000);
    let mut seeds: Vec<(Compressor, Vec<u8>, Vec<u8>)> =
        STREAMS.iter().map(|&(compressor, stream)| (compressor, hex(stream), PAYLOAD.to_vec())).collect();
    for inner in BloscInner::ALL {
        for shuffle in [BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit] {
            let compressor = blosc_with(inner, 5, shuffle, 700);
            seeds.push((compressor, encoded(compressor, &payload, 2), payload.clone()));
        }
    }
    for compressor in COMPRESSORS.into_iter().chain([Compressor::Lz4 { block_size: 500 }]) {
        seeds.push((compressor, encoded(compressor, &payload, 2), payload.clone()));
    }
    for (compressor, stream, payload) in &seeds {
        let len = payload.len();
        for round in 0..400 {
            let mutant = mutate(stream, &mut random);
            let strict = round % 2 == 0;
            let whole = decode_to(*compressor, &mutant, len, &mut dst, strict, &mut workspace);
            assert_eq!(dst.len(), if whole.is_ok() { len } else { 0 });
            // The workspace's past changes nothing.
            assert_eq!(decode_to(*compressor, &mutant, len, &mut again, strict, &mut Workspace::default()), whole);
            assert!(again == dst);
            let (one, other) = (random.below(len), random.below(len));
            let range = one.min(other)..one.max(other);
            let part = decode_part_to(*compressor, &mutant, len, range.clone(), &mut again, strict, &mut workspace);
            match (&whole, &part) {
                (Ok(()), part) => {
                    assert!(part.is_ok() && again == dst[range.clone()], "{compressor:?} {range:?} {part:?} {strict}, {mutant:?}");
                }
                (Err(_), Err(_)) => assert!(again.is_empty()),
                (Err(_), Ok(())) => assert!(decodes_parts(*compressor, &mutant) || range.is_empty(), "{compressor:?}"),
            }
            if decode_at_most(*compressor, &mutant, 5000, &mut again, strict, &mut workspace).is_err() {
                assert!(again.is_empty());
            }
        }
    }
}

/// A Blosc frame with several blocks and streams, and its payload.
fn blosc_frame(inner: BloscInner) -> (Vec<u8>, Vec<u8>) {
    let payload: Vec<u8> = (0..50_000_u32).flat_map(|value| (value / 9).to_le_bytes()).collect();
    (encoded(blosc_with(inner, 5, BloscShuffle::Byte, 4096), &payload, 4), payload)
}

#[test]
fn blosc_headers_that_lie_are_refused() {
    let (frame, payload) = blosc_frame(BloscInner::Lz4);
    let first_block = u32::from_le_bytes(*frame[16..].first_chunk().unwrap());
    let cbytes = u32::try_from(frame.len()).unwrap();
    let corrupt = ErrorKind::CorruptPayload;
    let cases: [(usize, u32, ErrorKind); 18] = [
        // The first four bytes: version, version of the inner codec, flags, type size.
        (0, u32::from_le_bytes([9, 1, frame[2], 4]), corrupt),
        (0, u32::from_le_bytes([2, 2, frame[2], 4]), corrupt),
        (0, u32::from_le_bytes([2, 1, frame[2] | 8, 4]), corrupt),
        (0, u32::from_le_bytes([2, 1, frame[2], 0]), corrupt),
        (0, u32::from_le_bytes([2, 1, frame[2] | 2, 4]), corrupt),
        (0, u32::from_le_bytes([2, 1, frame[2] & 0x1f | 5 << 5, 4]), corrupt),
        (0, u32::from_le_bytes([2, 1, frame[2], 3]), corrupt),
        (4, 100_000, ErrorKind::PayloadSizeMismatch),
        (4, 8000, corrupt),        // less than a block
        (4, 0x7fff_ffef, corrupt), // more blocks than offsets fit
        (4, u32::MAX, corrupt),
        (8, 0, corrupt),
        (8, u32::MAX, corrupt),
        (8, 1, corrupt),
        (12, cbytes + 1, corrupt),
        (12, 15, corrupt),
        (16, 0xffff_fff0, corrupt),
        (16, first_block - 4, corrupt),
    ];
    for (position, value, expected) in cases {
        let mut lying = frame.clone();
        lying[position..position + 4].copy_from_slice(&value.to_le_bytes());
        let error = decoded(BLOSC, &lying, payload.len(), false).unwrap_err();
        assert_eq!(error.kind(), expected, "{value:#x} at {position}: {error}");
        let mut part = Vec::new();
        decode_part_to(BLOSC, &lying, payload.len(), 4..8, &mut part, false, &mut Workspace::default()).unwrap_err();
    }
    // Lengths of streams.
    let first_block = usize::try_from(first_block).unwrap();
    for value in [u32::MAX, 0x7fff_ffff, cbytes, 0] {
        let mut lying = frame.clone();
        lying[first_block..first_block + 4].copy_from_slice(&value.to_le_bytes());
        assert_eq!(kind(decoded(BLOSC, &lying, payload.len(), false)), corrupt, "{value}");
    }
}

#[test]
fn snappy_inside_blosc_is_named() {
    let (mut frame, payload) = blosc_frame(BloscInner::Lz4);
    frame[2] = frame[2] & 0x1f | 2 << 5;
    let error = decoded(BLOSC, &frame, payload.len(), false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptPayload);
    assert!(error.message().contains("snappy") && error.message().contains("not built in"), "{error}");
}

#[test]
fn bytes_that_blosc_streams_do_not_cover_are_no_result() {
    // 700 bytes in three streams of 233: one byte would stay as it was.
    let mut frame = join(&[&[2, 1, 0x20, 3], &700_u32.to_le_bytes(), &700_u32.to_le_bytes(), &[0; 4], &20_u32.to_le_bytes()]);
    for _ in 0..3 {
        frame.extend_from_slice(&233_u32.to_le_bytes());
        frame.extend_from_slice(&[5; 233]);
    }
    let len = u32::try_from(frame.len()).unwrap();
    frame[12..16].copy_from_slice(&len.to_le_bytes());
    assert_eq!(kind(decoded(BLOSC, &frame, 700, false)), ErrorKind::CorruptPayload);
}

#[test]
fn blosc_blocks_that_share_a_stream_are_refused() {
    // Many blocks of one byte, each in the one long stream: mostly empty zstd blocks.
    let count = 40_000_u32;
    let stream = join(&[&hex("28b52ffd 00 58"), &vec![0; 300_000], &hex("090000 05")]);
    let start = 16 + 4 * count;
    let mut frame = join(&[&[2, 1, 0x90, 1], &count.to_le_bytes(), &1_u32.to_le_bytes(), &[0; 4]]);
    frame.extend(start.to_le_bytes().repeat(usize::try_from(count).unwrap()));
    frame.extend_from_slice(&u32::try_from(stream.len()).unwrap().to_le_bytes());
    frame.extend_from_slice(&stream);
    let len = u32::try_from(frame.len()).unwrap();
    frame[12..16].copy_from_slice(&len.to_le_bytes());
    let begin = Instant::now();
    let error = decoded(BLOSC, &frame, usize::try_from(count).unwrap(), false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptPayload);
    assert!(error.message().contains("share"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[test]
fn thousands_of_empty_streams_take_time_by_their_length() {
    for compressor in [GZIP, BZIP2, XZ, ZSTD] {
        let src = encoded(compressor, &[], 1).repeat(10_000);
        let begin = Instant::now();
        assert_eq!(decoded(compressor, &src, 0, true).unwrap(), [0_u8; 0]);
        assert!(begin.elapsed() < Duration::from_secs(2), "{compressor:?}");
    }
}

#[test]
fn millions_of_tiny_blosc_blocks_take_time_by_their_length() {
    for (codec, stream) in [
        (0, hex("01 41 41")),
        (1, hex("20 41 41")),
        (3, encoded(ZLIB, b"AA", 1)),
        (4, encoded(Compressor::Zstd { level: 1, checksum: false }, b"AA", 1)),
    ] {
        let count = (10 << 20) / (stream.len() + 8);
        let mut frame =
            join(&[&[2, 1, codec << 5 | 0x10, 1], &u32::try_from(2 * count).unwrap().to_le_bytes(), &2_u32.to_le_bytes(), &[0; 4]]);
        for block in 0..count {
            frame.extend_from_slice(&u32::try_from(16 + 4 * count + block * (4 + stream.len())).unwrap().to_le_bytes());
        }
        for _ in 0..count {
            frame.extend_from_slice(&u32::try_from(stream.len()).unwrap().to_le_bytes());
            frame.extend_from_slice(&stream);
        }
        let len = u32::try_from(frame.len()).unwrap();
        frame[12..16].copy_from_slice(&len.to_le_bytes());
        let begin = Instant::now();
        assert!(decoded(BLOSC, &frame, 2 * count, true).unwrap().iter().all(|&byte| byte == b'A'), "{codec}");
        assert!(begin.elapsed() < Duration::from_secs(3), "{codec}");
    }
}

#[test]
fn blosclz_lengths_beyond_31_bits_are_refused() {
    // A match whose length would add up to a negative number.
    let run = 8_600_000;
    let stream = join(&[&[0, 7, 0xe0], &vec![0xff; run], &[1, 0, 0]]);
    let block_len = u32::try_from(stream.len() * 2).unwrap();
    let mut frame = join(&[&[2, 1, 0x10, 1], &block_len.to_le_bytes(), &block_len.to_le_bytes(), &[0; 4], &20_u32.to_le_bytes()]);
    frame.extend_from_slice(&u32::try_from(stream.len()).unwrap().to_le_bytes());
    frame.extend_from_slice(&stream);
    let len = u32::try_from(frame.len()).unwrap();
    frame[12..16].copy_from_slice(&len.to_le_bytes());
    let error = decoded(BLOSC, &frame, stream.len() * 2, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptPayload);
    assert!(error.message().contains("impossible length"), "{error}");
}

#[test]
fn workspaces_cross_threads() {
    let mut workspace = Workspace::default();
    for compressor in COMPRESSORS {
        let payload = sample(1000);
        workspace = std::thread::spawn(move || {
            let mut stream = Vec::new();
            encode_to(compressor, &payload, 1, &mut stream, &mut workspace).unwrap();
            let mut back = Vec::new();
            decode_to(compressor, &stream, payload.len(), &mut back, true, &mut workspace).unwrap();
            assert!(back == payload);
            workspace
        })
        .join()
        .unwrap();
    }
}
