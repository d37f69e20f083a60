//! The behaviour that zn5 chose where specifications are silent; the numbers are those of the policies.
//!
//! Streams are the foreign ones of `golden`, put together and damaged here.

use super::golden::*;
use super::*;

/// The first and the second half of `PAYLOAD` as streams of their own.
fn halves(compressor: Compressor) -> (Vec<u8>, Vec<u8>) {
    (encoded(compressor, &PAYLOAD[..6], 1), encoded(compressor, &PAYLOAD[6..], 1))
}

fn ok(compressor: Compressor, src: &[u8], strict: bool) {
    assert_eq!(decoded(compressor, src, 12, strict).unwrap(), PAYLOAD, "{compressor:?}");
}

#[test]
fn policy_03_zeros_may_follow_a_stream_and_nothing_else() {
    for (compressor, stream) in STREAMS {
        let src = hex(stream);
        for zeros in [1, 2, 3, 5, 16, 1000] {
            let padded = join(&[&src, &vec![0; zeros]]);
            ok(compressor, &padded, false);
            let strict = decoded(compressor, &padded, 12, true);
            if compressor == XZ && zeros % 4 == 0 {
                assert_eq!(strict.unwrap(), PAYLOAD);
            } else if compressor != LZ4 || stream == LZ4_CHAIN {
                let error = strict.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::TrailingData, "{stream} and {zeros} zeros");
                assert_eq!(error.offset(), Some(u64::try_from(src.len()).unwrap()));
            }
        }
        for (tail, surplus) in [(&[7_u8][..], 0), (&[0, 0, 0, 0, 1], 4), (&[0, 5, 0], 1)] {
            let error = decoded(compressor, &join(&[&src, tail]), 12, false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TrailingData, "{stream} and {tail:?}: {error}");
            assert_eq!(error.offset(), Some(u64::try_from(src.len() + surplus).unwrap()));
        }
    }
}

#[test]
fn policy_03_zeros_after_a_raw_payload_are_too_many() {
    let error = decoded(RAW, &[1, 2, 3, 0], 3, false).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::TrailingData, Some(3)));
}

#[test]
fn policy_04_streams_in_a_row_are_one() {
    for compressor in [GZIP, BZIP2, XZ, ZSTD] {
        let (first, second) = halves(compressor);
        let empty = encoded(compressor, &[], 1);
        for src in [join(&[&first, &second]), join(&[&empty, &empty, &first, &empty, &second, &empty])] {
            ok(compressor, &src, true);
            // Each stream counts, also those after a full output.
            let longer = join(&[&src, &second]);
            assert_eq!(kind(decoded(compressor, &longer, 12, false)), ErrorKind::PayloadSizeMismatch);
            assert_eq!(kind(decoded(compressor, &first, 12, false)), ErrorKind::PayloadSizeMismatch);
            assert_eq!(kind(decoded(compressor, &src[..src.len() - 1], 12, false)), ErrorKind::CorruptPayload);
        }
    }
}

#[test]
fn policy_04_zlib_streams_and_lz4_chains_stand_alone() {
    for compressor in [ZLIB, LZ4] {
        let (first, second) = halves(compressor);
        let error = decoded(compressor, &join(&[&first, &second]), 12, false).unwrap_err();
        let expected = ErrorKind::TrailingData;
        assert_eq!((error.kind(), error.offset()), (expected, Some(u64::try_from(first.len()).unwrap())), "{compressor:?}");
    }
}

#[test]
fn policy_04_xz_padding_comes_in_fours() {
    let (first, second) = halves(XZ);
    ok(XZ, &join(&[&first, &[0; 4], &second, &[0; 8]]), true);
    // Padding that is none stays what it is.
    let error = decoded(XZ, &join(&[&first, &second, &[0; 3]]), 12, true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TrailingData);
    ok(XZ, &join(&[&first, &second, &[0; 3]]), false);
    assert_eq!(kind(decoded(XZ, &join(&[&first, &[0; 3], &second]), 12, false)), ErrorKind::TrailingData);
}

#[test]
fn policy_04_skippable_zstd_frames_are_skipped() {
    let (first, second) = halves(ZSTD);
    for magic in 0x50..=0x5f_u8 {
        let skippable = [magic, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        ok(ZSTD, &join(&[&skippable, &first, &skippable, &second, &skippable]), true);
        assert_eq!(kind(decoded(ZSTD, &skippable, 12, false)), ErrorKind::PayloadSizeMismatch);
        assert_eq!(kind(decoded(ZSTD, &join(&[&first, &skippable[..10], &second[..0]]), 12, false)), ErrorKind::CorruptPayload);
    }
}

#[test]
fn policy_05_wrong_sizes_are_told_from_damage() {
    let mut workspace = Workspace::default();
    for compressor in COMPRESSORS.into_iter().filter(|&compressor| compressor != RAW) {
        for len in [1, 12, 127, 5000, 100_000] {
            let payload = sample(len);
            let stream = encoded(compressor, &payload, 2);
            let mut dst = vec![1; 9];
            for wrong in [len - 1, len + 1, len * 2, 0] {
                let error = decode_to(compressor, &stream, wrong, &mut dst, false, &mut workspace).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::PayloadSizeMismatch, "{compressor:?}, {wrong} for {len}: {error}");
                assert!(dst.is_empty());
            }
            for cut in [1, 2, 7, stream.len() / 2] {
                // Strict, as a chain of LZ4Block frames may lack its end mark otherwise.
                let error = decoded(compressor, &stream[..stream.len() - cut], len, true).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::CorruptPayload, "{compressor:?}, {len} bytes, cut by {cut}: {error}");
            }
            decode_to(compressor, &stream, len, &mut dst, true, &mut workspace).unwrap();
            assert!(dst == payload, "an error before changes nothing: {compressor:?}");
        }
    }
}

#[test]
fn policy_05_a_raw_payload_is_as_long_as_the_shape_asks() {
    let error = decoded(RAW, &[1, 2, 3], 4, false).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::TruncatedBlock, Some(3)));
    assert_eq!(kind(decoded(RAW, &[], 4, false)), ErrorKind::TruncatedBlock);
    assert_eq!(decoded(RAW, &[], 0, true).unwrap(), [0_u8; 0]);
    let mut dst = Vec::new();
    // The length is compared before memory is asked for.
    assert_eq!(kind(decoded(RAW, &[1], usize::MAX, false)), ErrorKind::TruncatedBlock);
    decode_at_most(RAW, &[1, 2, 3], 3, &mut dst, true, &mut Workspace::default()).unwrap();
    assert_eq!(dst, [1, 2, 3]);
    let error = decode_at_most(RAW, &[1, 2, 3], 2, &mut dst, true, &mut Workspace::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PayloadSizeMismatch);
}

#[test]
fn policy_05_a_foreign_stream_is_corrupt() {
    let foreign = STREAMS.map(|(_, stream)| hex(stream));
    for compressor in COMPRESSORS.into_iter().filter(|&compressor| compressor != RAW) {
        for (index, src) in foreign.iter().enumerate() {
            let own = STREAMS[index].0 == compressor;
            // gzip and zlib stand in for each other.
            let related = matches!((compressor, STREAMS[index].0), (Compressor::Gzip { .. }, Compressor::Gzip { .. }));
            if !own && !related {
                assert_eq!(kind(decoded(compressor, src, 12, false)), ErrorKind::CorruptPayload, "{compressor:?}, {index}");
            }
        }
        assert_eq!(kind(decoded(compressor, &PAYLOAD, 12, false)), ErrorKind::CorruptPayload, "{compressor:?}");
    }
}

#[test]
fn policy_06_gzip_and_zlib_are_told_apart_by_their_first_bytes() {
    for (declared, stream) in [(GZIP, ZLIB_JAVA), (ZLIB, GZIP_JAVA)] {
        let src = hex(stream);
        ok(declared, &src, false);
        let error = decoded(declared, &src, 12, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptPayload);
        assert!(error.message().contains("useZlib"), "{error}");
    }
    assert_eq!(encoded(GZIP, &PAYLOAD, 1)[..2], [0x1f, 0x8b]);
    assert_eq!(encoded(ZLIB, &PAYLOAD, 1)[..2], [0x78, 0x9c]);
}

#[test]
fn policy_07_four_formats_share_the_name_lz4() {
    for stream in [LZ4_FRAME, LZ4_PREFIXED, LZ4_BARE] {
        ok(LZ4, &hex(stream), false);
        assert_eq!(kind(decoded(LZ4, &hex(stream), 12, true)), ErrorKind::CorruptPayload, "{stream}");
        assert_eq!(kind(decoded(LZ4, &hex(stream), 11, false)), ErrorKind::PayloadSizeMismatch, "{stream}");
        assert_eq!(kind(decoded(LZ4, &hex(stream), 13, false)), ErrorKind::PayloadSizeMismatch, "{stream}");
    }
    assert!(encoded(LZ4, &PAYLOAD, 1).starts_with(b"LZ4Block"));
}

#[test]
fn policy_07_a_chain_may_lack_its_end_mark() {
    let chain = hex(LZ4_CHAIN);
    let end = chain.len() - 21;
    ok(LZ4, &chain[..end], false);
    ok(LZ4, &join(&[&chain[..end], &[0; 16]]), false);
    assert_eq!(kind(decoded(LZ4, &chain[..end], 12, true)), ErrorKind::CorruptPayload);
    assert_eq!(kind(decoded(LZ4, &chain[..end], 13, false)), ErrorKind::CorruptPayload);
    assert_eq!(kind(decoded(LZ4, &chain[..end], 11, false)), ErrorKind::PayloadSizeMismatch);
    assert_eq!(kind(decoded(LZ4, &join(&[&chain[..end], b"x"]), 12, false)), ErrorKind::TrailingData);
    let mut part = Vec::new();
    decode_part_to(LZ4, &chain[..end], 12, 3..5, &mut part, false, &mut Workspace::default()).unwrap();
    assert_eq!(part, PAYLOAD[3..5]);
    for (src, strict) in [(&chain[..end], true), (&chain[..end + 5], false)] {
        let error = decode_part_to(LZ4, src, 12, 3..5, &mut part, strict, &mut Workspace::default()).unwrap_err();
        assert_eq!((error.kind(), part.len()), (ErrorKind::CorruptPayload, 0));
    }
}

#[test]
fn policy_07_lying_chains_are_corrupt() {
    let chain = hex(LZ4_CHAIN);
    // Magic, method, stored length, decoded length, checksum, its upper four bits, end mark.
    for (position, value) in
        [(0, 0), (8, 0x36), (9, 13), (9, 0xff), (12, 0x80), (13, 13), (14, 1), (16, 0x80), (17, 0), (20, 0x76), (42, 1), (50, 1)]
    {
        let mut damaged = chain.clone();
        damaged[position] = value;
        assert_eq!(kind(decoded(LZ4, &damaged, 12, false)), ErrorKind::CorruptPayload, "byte {position}");
    }
    // Level 0 allows pieces of 1024 bytes.
    let mut long = encoded(LZ4, &[0; 1025], 1);
    long[8] &= 0xf0;
    assert_eq!(kind(decoded(LZ4, &long, 1025, false)), ErrorKind::CorruptPayload);
    // A match before the beginning.
    let block = hex("10 41 0500 50 4142434445");
    let head = join(&[b"LZ4Block", &[0x26], &10_u32.to_le_bytes(), &10_u32.to_le_bytes(), &[0; 4], &block]);
    assert_eq!(kind(decoded(LZ4, &head, 10, false)), ErrorKind::CorruptPayload);
    assert_eq!(kind(decoded(LZ4, &block, 10, false)), ErrorKind::CorruptPayload);
}

#[test]
fn policy_08_the_content_size_of_zstd_is_written_and_not_needed() {
    ok(ZSTD, &hex(ZSTD_UNSIZED), true);
    // Single segment, one byte of content size.
    assert_eq!(encoded(Compressor::Zstd { level: 3, checksum: false }, &PAYLOAD, 1)[4..6], [0x20, 12]);
    // A size that lies: one tebibyte.
    let lying = hex("28b52ffd c0 0000000000010000 58 610000 000100020003000400050006");
    assert_eq!(kind(decoded(ZSTD, &lying, 12, false)), ErrorKind::CorruptPayload);
}

#[test]
fn policy_09_blosc_frames_describe_themselves() {
    let payload = sample(20_000);
    for written in [blosc_with(BloscInner::Zlib, 5, BloscShuffle::Bit, 0), BLOSC, blosc_with(BloscInner::Zstd, 9, BloscShuffle::None, 999)]
    {
        let stream = encoded(written, &payload, 8);
        assert!(decoded(blosc_with(BloscInner::BloscLz, 0, BloscShuffle::Auto, 7), &stream, payload.len(), true).unwrap() == payload);
    }
    for (element_size, flag, type_size) in [(1, 4, 1), (2, 1, 2), (8, 1, 8), (300, 1, 1)] {
        let stream = encoded(blosc_with(BloscInner::Lz4, 5, BloscShuffle::Auto, 0), &payload, element_size);
        assert_eq!((stream[2] & 5, stream[3]), (flag, type_size));
    }
}

#[test]
fn policy_10_every_checksum_counts() {
    // Positions of checksums and stored sizes, from the end of the stream.
    let cases: [(Compressor, &str, &[usize]); 6] = [
        (GZIP, GZIP_JAVA, &[1, 2, 4, 5, 8]),
        (ZLIB, ZLIB_JAVA, &[1, 4]),
        (BZIP2, BZIP2_JAVA, &[2, 3]),
        (XZ, XZ_PRESET_6, &[1, 3, 12, 13, 29, 36]),
        (LZ4, LZ4_CHAIN, &[34, 35, 36, 37]),
        (LZ4, LZ4_FRAME, &[1, 4]),
    ];
    for (compressor, stream, positions) in cases {
        for position in positions {
            let mut src = hex(stream);
            let index = src.len() - position;
            src[index] ^= 0x10;
            assert_eq!(kind(decoded(compressor, &src, 12, false)), ErrorKind::CorruptPayload, "{stream} at {index}");
        }
    }
    let mut checked = encoded(ZSTD, &PAYLOAD, 1);
    let last = checked.len() - 1;
    checked[last] ^= 1;
    assert_eq!(kind(decoded(ZSTD, &checked, 12, false)), ErrorKind::CorruptPayload);
    for check in [XzCheck::Crc32, XzCheck::Crc64, XzCheck::Sha256] {
        let mut src = encoded(Compressor::Xz { preset: 1, check }, &PAYLOAD, 1);
        // The check ends where the index begins: 12 bytes of footer and 8 of index at the end.
        let index = src.len() - 21;
        src[index] ^= 1;
        assert_eq!(kind(decoded(XZ, &src, 12, false)), ErrorKind::CorruptPayload, "{check:?}");
    }
}

#[test]
fn policy_12_an_empty_block_may_have_a_payload_that_decodes_to_nothing() {
    for compressor in COMPRESSORS {
        assert_eq!(decoded(compressor, &[], 0, true).unwrap(), [0_u8; 0]);
        let empty = encoded(compressor, &[], 2);
        assert_eq!(decoded(compressor, &empty, 0, true).unwrap(), [0_u8; 0], "{compressor:?}");
        let something = encoded(compressor, &[1], 2);
        assert_eq!(kind(decoded(compressor, &something, 0, false)), ErrorKind::PayloadSizeMismatch, "{compressor:?}");
        if compressor != RAW {
            assert_eq!(kind(decoded(compressor, &[], 1, false)), ErrorKind::CorruptPayload, "{compressor:?}");
            // The decoded size of nothing is known to no stream.
            assert_eq!(kind(decoded(compressor, &[0; 30], 12, false)), ErrorKind::CorruptPayload, "{compressor:?}");
        }
    }
}

#[test]
fn policy_15_xz_decodes_every_preset_and_no_larger_dictionary() {
    // Dictionary size codes of the LZMA2 filter: 28 is 64 MiB, 30 is 128 MiB.
    for (code, expected) in [(28, None), (30, Some(ErrorKind::LimitExceeded)), (40, Some(ErrorKind::LimitExceeded))] {
        let mut src = hex(XZ_PRESET_6);
        // Block header: size, flags, filter, length of its properties, properties, three zeros, CRC-32.
        src[16] = code;
        // SAFETY: the memory is as long as said.
        let crc = unsafe { liblzma_sys::lzma_crc32(src[12..20].as_ptr(), 8, 0) };
        src[20..24].copy_from_slice(&crc.to_le_bytes());
        match expected {
            None => ok(XZ, &src, true),
            Some(expected) => {
                let error = decoded(XZ, &src, 12, false).unwrap_err();
                assert_eq!(error.kind(), expected);
                assert!(error.message().contains("83886080"), "{error}");
            }
        }
    }
}

#[test]
fn policy_15_xz_encodes_with_its_dictionary_cut_to_the_payload() {
    // 4 KiB, 5000 bytes rounded up to 6 KiB, 64 MiB cut to 1 MiB.
    for (len, code) in [(12, 0), (5000, 1), (1 << 20, 16)] {
        let stream = encoded(Compressor::Xz { preset: 9, check: XzCheck::Crc32 }, &sample(len), 1);
        // The block header gives sizes first; the filter's identifier and length precede the code.
        let filter = stream.windows(2).position(|pair| pair == [0x21, 1]).unwrap();
        assert_eq!(stream[filter + 2], code, "{len} bytes");
    }
}

#[test]
fn policy_30_the_same_input_gives_the_same_bytes() {
    let payload = sample(200_000);
    let mut workspace = Workspace::default();
    let mut reused = Vec::new();
    for compressor in all_settings() {
        let fresh = encoded(compressor, &payload, 4);
        // Other data, other lengths and errors in between.
        for len in [10, 70_000, 200_000, 3] {
            encode_to(compressor, &sample(len), 1, &mut reused, &mut workspace).unwrap();
            assert!(decode_to(compressor, &[1, 2, 3], 9, &mut reused, false, &mut workspace).is_err());
        }
        encode_to(compressor, &payload, 4, &mut reused, &mut workspace).unwrap();
        assert!(reused == fresh, "{compressor:?}");
        // Nor does the room given matter.
        let mut roomy = vec![MaybeUninit::uninit(); encode_bound(compressor, payload.len()).unwrap() * 2];
        let len = encode(compressor, &payload, 4, &mut roomy, &mut workspace).unwrap();
        // SAFETY: so many bytes were written.
        let written = unsafe { std::slice::from_raw_parts(roomy.as_ptr().cast::<u8>(), len) };
        assert!(written == fresh, "{compressor:?}");
    }
}

#[test]
fn policy_30_reused_zstd_contexts_leave_no_trace() {
    let mut workspace = Workspace::default();
    let mut random = Random(3);
    let mut reused = Vec::new();
    for round in 0..300 {
        let len = random.below(1 << (6 + round % 14));
        let mut payload = sample(len);
        let shift = random.below(len);
        payload.rotate_left(shift);
        let level = [-7, -1, 0, 1, 2, 3, 5, 8][random.below(8)];
        let compressor = Compressor::Zstd { level, checksum: false };
        encode_to(compressor, &payload, 1, &mut reused, &mut workspace).unwrap();
        assert!(reused == encoded(compressor, &payload, 1), "level {level}, {len} bytes, round {round}");
    }
}

#[test]
fn policy_32_decoding_depends_on_the_type_alone() {
    let payload = sample(5000);
    let odd = [
        (GZIP, Compressor::Gzip { level: 99, zlib: false }),
        (BZIP2, Compressor::Bzip2 { block_size: 0 }),
        (XZ, Compressor::Xz { preset: 77, check: XzCheck::None }),
        (LZ4, Compressor::Lz4 { block_size: 6 }),
        (BLOSC, Compressor::Blosc { inner: BloscInner::Zlib, level: 50, shuffle: BloscShuffle::Bit, block_size: 3, type_size: Some(0) }),
        (ZSTD, Compressor::Zstd { level: 1000, checksum: false }),
    ];
    for (written, read) in odd {
        assert!(decoded(read, &encoded(written, &payload, 2), payload.len(), true).unwrap() == payload, "{read:?}");
    }
}

#[test]
fn policy_33_a_part_needs_its_own_pieces_only() {
    let payload = sample(100_000);
    let mut workspace = Workspace::default();
    let mut part = Vec::new();
    for compressor in [Compressor::Lz4 { block_size: 4096 }, blosc_with(BloscInner::Lz4, 5, BloscShuffle::None, 4096)] {
        let stream = encoded(compressor, &payload, 1);
        assert!(decodes_parts(compressor, &stream));
        let mut damaged = stream.clone();
        // In the second half of the payload, behind the header of a piece.
        let middle = stream.len() * 5 / 6;
        let header = stream[..middle].windows(8).rposition(|bytes| bytes == b"LZ4Block").unwrap_or(middle);
        damaged[header + 30..header + 70].fill(0xff);
        assert_eq!(kind(decoded(compressor, &damaged, payload.len(), false)), ErrorKind::CorruptPayload);
        decode_part_to(compressor, &damaged, payload.len(), 5000..9000, &mut part, true, &mut workspace).unwrap();
        assert_eq!(part, payload[5000..9000]);
        let error = decode_part_to(compressor, &damaged, payload.len(), 70_000..90_000, &mut part, false, &mut workspace).unwrap_err();
        assert_eq!((error.kind(), part.len()), (ErrorKind::CorruptPayload, 0));
        // The total size and what follows count always.
        for (src, len, expected) in [
            (stream.clone(), payload.len() + 1, ErrorKind::PayloadSizeMismatch),
            (stream.clone(), payload.len() - 1, ErrorKind::PayloadSizeMismatch),
            (join(&[&stream, b"x"]), payload.len(), ErrorKind::TrailingData),
            (stream[..stream.len() - 30].to_vec(), payload.len(), ErrorKind::CorruptPayload),
        ] {
            let error = decode_part_to(compressor, &src, len, 5000..9000, &mut part, false, &mut workspace).unwrap_err();
            assert_eq!((error.kind(), part.len()), (expected, 0), "{error}");
        }
    }
    assert!(!decodes_parts(GZIP, &hex(GZIP_JAVA)) && !decodes_parts(LZ4, &hex(LZ4_FRAME)) && !decodes_parts(BLOSC, &[]));
}

#[test]
fn policy_35_zstd_before_1_0_is_refused() {
    // The magic numbers of versions 0.1 to 0.7, and today's in the wrong order.
    let mut magics: Vec<[u8; 4]> = (0x22..=0x27).map(|version| [version, 0xb5, 0x2f, 0xfd]).collect();
    magics.extend([[0xfd, 0x2f, 0xb5, 0x1e], [0x1e, 0xb5, 0x2f, 0xfd], [0xfd, 0x2f, 0xb5, 0x28]]);
    for magic in magics {
        let old = join(&[&magic, &hex(ZSTD_SIZED)[4..]]);
        assert_eq!(kind(decoded(ZSTD, &old, 12, false)), ErrorKind::CorruptPayload, "{magic:x?}");
        assert_eq!(kind(decoded(ZSTD, &join(&[&hex(ZSTD_SIZED), &old]), 12, false)), ErrorKind::TrailingData, "{magic:x?}");
    }
}

#[test]
fn policy_35_holds_inside_blosc() {
    let payload: Vec<u8> = (0..4000_u32).flat_map(|value| (value / 9).to_le_bytes()).collect();
    let stream = encoded(blosc_with(BloscInner::Zstd, 5, BloscShuffle::Byte, 0), &payload, 4);
    let magic = stream.windows(4).position(|bytes| bytes == [0x28, 0xb5, 0x2f, 0xfd]).unwrap();
    for version in 0x22..=0x27 {
        let mut old = stream.clone();
        old[magic] = version;
        let error = decoded(BLOSC, &old, payload.len(), false).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::CorruptPayload, Some(u64::try_from(magic).unwrap())));
    }
}

#[test]
fn policy_38_many_tiny_streams_are_refused() {
    for compressor in [BZIP2, XZ] {
        let tiny = encoded(compressor, &[7], 1);
        assert_eq!(decoded(compressor, &tiny.repeat(256), 256, true).unwrap(), [7; 256]);
        let error = decoded(compressor, &tiny.repeat(100_000), 100_000, false).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::LimitExceeded, Some(u64::try_from(256 * tiny.len()).unwrap())), "{error}");
        // Those that hold nothing do not count, and those that hold much make room for more.
        let empty = encoded(compressor, &[], 1);
        let long = encoded(compressor, &vec![7; 64 << 10], 1);
        let many = join(&[&empty.repeat(300), &long, &tiny.repeat(258), &empty]);
        assert_eq!(decoded(compressor, &many, (64 << 10) + 258, true).unwrap(), vec![7; (64 << 10) + 258]);
        let more = join(&[&long, &tiny.repeat(260)]);
        assert_eq!(kind(decoded(compressor, &more, (64 << 10) + 260, true)), ErrorKind::LimitExceeded);
    }
}

#[test]
fn frames_that_need_a_dictionary_are_refused() {
    // Dictionary 123 in a frame with a one-byte identifier.
    let error = decoded(ZSTD, &hex("28b52ffd 21 7b 0c 610000 000100020003000400050006"), 12, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptPayload);
    assert!(error.message().contains("dictionary 123"), "{error}");
    // zlib's FDICT.
    assert_eq!(kind(decoded(ZLIB, &hex("78bb 00000001 636064606260666061606560030000670016"), 12, false)), ErrorKind::CorruptPayload);
}
