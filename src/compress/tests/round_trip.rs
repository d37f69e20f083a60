//! What we encode decodes to the same bytes, for every compressor, parameter, length and way to decode.
//!
//! LZ4 frames, which we only read, come from liblz4's own encoder.

use super::*;
use proptest::prelude::*;

#[test]
fn all_parameters_and_lengths() {
    let mut workspace = Workspace::default();
    let (mut stream, mut back) = (Vec::new(), Vec::new());
    for len in [0, 1, 15, 16, 127, 128, 129, 4096, 100_000] {
        let payload = sample(len);
        for compressor in all_settings() {
            encode_to(compressor, &payload, 2, &mut stream, &mut workspace).unwrap();
            assert!(stream.len() <= encode_bound(compressor, len).unwrap());
            decode_to(compressor, &stream, len, &mut back, true, &mut workspace).unwrap();
            assert!(back == payload, "{compressor:?}, {len} bytes");
        }
    }
}

#[test]
fn a_mebibyte_through_every_compressor() {
    let payload = sample(1 << 20);
    let random: Vec<u8> = std::iter::repeat_with({
        let mut random = Random(7);
        move || random.next().to_le_bytes()[3]
    })
    .take(1 << 20)
    .collect();
    for payload in [payload, random, vec![0; 1 << 20]] {
        for compressor in COMPRESSORS {
            for element_size in [1, 8, 48, 300] {
                let stream = encoded(compressor, &payload, element_size);
                assert!(decoded(compressor, &stream, payload.len(), true).unwrap() == payload, "{compressor:?}");
            }
            let mut back = Vec::new();
            let stream = encoded(compressor, &payload, 4);
            decode_at_most(compressor, &stream, 3 << 20, &mut back, true, &mut Workspace::default()).unwrap();
            assert!(back == payload, "{compressor:?}");
            let error = decode_at_most(compressor, &stream, (1 << 20) - 1, &mut back, true, &mut Workspace::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PayloadSizeMismatch, "{compressor:?}");
        }
    }
}

#[test]
fn several_bzip2_blocks_and_xz_dictionaries() {
    let payload = sample(2_500_000);
    for compressor in [BZIP2, Compressor::Bzip2 { block_size: 1 }, XZ, Compressor::Xz { preset: 0, check: XzCheck::None }] {
        let stream = encoded(compressor, &payload, 2);
        assert!(decoded(compressor, &stream, payload.len(), true).unwrap() == payload, "{compressor:?}");
    }
}

/// A frame of the given properties, by liblz4.
fn lz4_frame(payload: &[u8], block: lz4_sys::BlockSize, linkage: lz4_sys::BlockMode, checked: bool) -> Vec<u8> {
    let mut preferences = lz4_sys::LZ4FPreferences {
        frame_info: lz4_sys::LZ4FFrameInfo {
            block_size_id: block,
            block_mode: linkage,
            content_checksum_flag: if checked { lz4_sys::ContentChecksum::ChecksumEnabled } else { lz4_sys::ContentChecksum::NoChecksum },
            frame_type: lz4_sys::FrameType::Frame,
            content_size: if checked { u64::try_from(payload.len()).unwrap() } else { 0 },
            dict_id: 0,
            block_checksum_flag: if checked {
                lz4_sys::BlockChecksum::BlockChecksumEnabled
            } else {
                lz4_sys::BlockChecksum::NoBlockChecksum
            },
        },
        compression_level: 0,
        auto_flush: 0,
        favor_dec_speed: 0,
        reserved: [0; 3],
    };
    let mut context = lz4_sys::LZ4FCompressionContext(std::ptr::null_mut());
    let mut frame = vec![0; payload.len() * 2 + (8 << 20)];
    // SAFETY: the context is written.
    assert_eq!(unsafe { lz4_sys::LZ4F_createCompressionContext(&mut context, 100) }, 0);
    // SAFETY: the frame has far more room than a header takes.
    let mut len = unsafe { lz4_sys::LZ4F_compressBegin(context, frame.as_mut_ptr(), frame.len(), &raw mut preferences) };
    for part in payload.chunks(300_000) {
        let spare = &mut frame[len..];
        // SAFETY: both memories are as long as said.
        let more =
            unsafe { lz4_sys::LZ4F_compressUpdate(context, spare.as_mut_ptr(), spare.len(), part.as_ptr(), part.len(), std::ptr::null()) };
        // SAFETY: has no precondition.
        assert_eq!(unsafe { lz4_sys::LZ4F_isError(more) }, 0);
        len += more;
    }
    let spare = &mut frame[len..];
    // SAFETY: the memory is as long as said.
    len += unsafe { lz4_sys::LZ4F_compressEnd(context, spare.as_mut_ptr(), spare.len(), std::ptr::null()) };
    // SAFETY: the context is freed once.
    unsafe { lz4_sys::LZ4F_freeCompressionContext(context) };
    frame.truncate(len);
    frame
}

#[test]
fn lz4_frames_of_all_kinds_decode() {
    let payload = sample(1_000_000);
    for block in [lz4_sys::BlockSize::Max64KB, lz4_sys::BlockSize::Max256KB, lz4_sys::BlockSize::Max1MB, lz4_sys::BlockSize::Max4MB] {
        for mode in [lz4_sys::BlockMode::Linked, lz4_sys::BlockMode::Independent] {
            for checked in [false, true] {
                let frame = lz4_frame(&payload, block.clone(), mode.clone(), checked);
                assert!(frame.len() < payload.len());
                assert!(decoded(LZ4, &frame, payload.len(), false).unwrap() == payload);
                assert_eq!(kind(decoded(LZ4, &frame, payload.len() - 1, false)), ErrorKind::PayloadSizeMismatch);
                assert_eq!(kind(decoded(LZ4, &frame, payload.len() + 1, false)), ErrorKind::PayloadSizeMismatch);
                for end in [frame.len() - 1, frame.len() - 5, frame.len() / 2, 20, 15, 14, 7, 6, 5, 4] {
                    assert_eq!(kind(decoded(LZ4, &frame[..end], payload.len(), false)), ErrorKind::CorruptPayload, "{end}");
                }
                let mut back = Vec::new();
                decode_at_most(LZ4, &frame, 1 << 21, &mut back, false, &mut Workspace::default()).unwrap();
                assert!(back == payload);
                if checked {
                    // Every checksum counts: of the header, of a block, of the content.
                    for position in [14, 19, frame.len() / 2, frame.len() - 2] {
                        let mut damaged = frame.clone();
                        damaged[position] ^= 1;
                        assert_eq!(kind(decoded(LZ4, &damaged, payload.len(), false)), ErrorKind::CorruptPayload, "{position}");
                    }
                }
            }
        }
    }
}

#[test]
fn parts_equal_the_whole() {
    let payload = sample(300_007);
    let mut random = Random(11);
    let mut workspace = Workspace::default();
    let mut part = Vec::new();
    let pieces = [
        Compressor::Lz4 { block_size: 1000 },
        blosc_with(BloscInner::Zstd, 5, BloscShuffle::Bit, 8192),
        blosc_with(BloscInner::BloscLz, 5, BloscShuffle::None, 4096),
        blosc_with(BloscInner::Zlib, 1, BloscShuffle::Byte, 100),
        blosc_with(BloscInner::Lz4Hc, 0, BloscShuffle::Byte, 0),
    ];
    for compressor in COMPRESSORS.into_iter().chain(pieces) {
        for element_size in [1, 4, 12, 300] {
            let stream = encoded(compressor, &payload, element_size);
            let rounds = if decodes_parts(compressor, &stream) { 60 } else { 3 };
            for round in 0..rounds {
                let (one, other) = (random.below(payload.len() + 1), random.below(payload.len() + 1));
                let range = match round {
                    0 => 0..payload.len(),
                    1 => payload.len() - 5..payload.len(),
                    2 => one..one,
                    _ => one.min(other)..one.max(other),
                };
                decode_part_to(compressor, &stream, payload.len(), range.clone(), &mut part, true, &mut workspace).unwrap();
                assert!(part == payload[range.clone()], "{compressor:?}, {range:?}");
            }
            let reversed = Range { start: 9, end: 8 };
            for range in [0..payload.len() + 1, reversed] {
                let error = decode_part_to(compressor, &stream, payload.len(), range, &mut part, true, &mut workspace).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            }
        }
    }
}

#[test]
fn parameters_outside_their_range_are_named() {
    let cases = [
        (Compressor::Gzip { level: 10, zlib: false }, "gzip level is 10"),
        (Compressor::Bzip2 { block_size: 0 }, "blockSize is 0"),
        (Compressor::Bzip2 { block_size: 10 }, "blockSize is 10"),
        (Compressor::Xz { preset: 10, check: XzCheck::None }, "xz preset is 10"),
        (Compressor::Lz4 { block_size: 63 }, "blockSize is 63"),
        (Compressor::Lz4 { block_size: (1 << 25) + 1 }, "blockSize is 33554433"),
        (blosc_with(BloscInner::Lz4, 10, BloscShuffle::None, 0), "clevel is 10"),
        (Compressor::Zstd { level: 23, checksum: false }, "zstd level is 23"),
        (Compressor::Zstd { level: -131_073, checksum: false }, "zstd level is -131073"),
    ];
    for (compressor, message) in cases {
        let mut dst = Vec::new();
        let error = encode_to(compressor, &[1, 2, 3], 1, &mut dst, &mut Workspace::default()).unwrap_err();
        assert_eq!((error.kind(), dst.len()), (ErrorKind::InvalidArgument, 0));
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn a_short_output_is_refused_before_encoding() {
    for compressor in COMPRESSORS {
        let bound = encode_bound(compressor, 100).unwrap();
        let mut dst = vec![MaybeUninit::uninit(); bound - 1];
        let error = encode(compressor, &[0; 100], 1, &mut dst, &mut Workspace::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
    }
    assert_eq!(encode_bound(BLOSC, 1 << 31), None);
    assert_eq!(encode_bound(BLOSC, 0x7fff_ffff - 15), None);
    for compressor in COMPRESSORS.into_iter().filter(|&compressor| compressor != RAW) {
        assert_eq!(encode_bound(compressor, usize::MAX), None, "{compressor:?}");
    }
}

#[test]
fn libraries_name_their_versions() {
    let versions = versions();
    for name in ["zstd 1.5.", "libdeflate 1.", "zlib 1.", "c-blosc 1.21.6", "lz4 1.10.0", "libbz2-rs 0.2.", "liblzma 5."] {
        assert!(versions.contains(name), "{name} in {versions}");
    }
    for compressor in COMPRESSORS {
        assert!(available(compressor.n5_name()));
    }
    assert!(!available("jpeg") && !available("") && !available("Gzip"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
    #[test]
    fn any_bytes(payload in proptest::collection::vec(0..4_u8, 0..3000), element_size in 1..20_usize, setting in any::<proptest::sample::Index>()) {
        let all = all_settings();
        let compressor = *setting.get(&all);
        let stream = encoded(compressor, &payload, element_size);
        prop_assert_eq!(decoded(compressor, &stream, payload.len(), true).unwrap(), payload);
    }
}
