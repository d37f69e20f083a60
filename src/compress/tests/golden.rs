//! Streams of the twelve bytes 0001..0006 as other implementations write them.
//!
//! They decode, each prefix of them is refused, and chains of `LZ4Block` frames are what we write ourselves, byte for byte.

use super::*;

pub(super) const PAYLOAD: [u8; 12] = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6];

pub(super) const LZ4_CHAIN: &str =
    "4c5a34426c6f636b160c0000000c00000090258b060001000200030004000500064c5a34426c6f636b16000000000000000000000000";
pub(super) const LZ4_FRAME: &str = "04224d186440a70c0000800001000200030004000500060000000041373308";
pub(super) const LZ4_PREFIXED: &str = "0c000000c0000100020003000400050006";
pub(super) const LZ4_BARE: &str = "c0000100020003000400050006";
pub(super) const GZIP_JAVA: &str = "1f8b08000000000000ff6360646062606660616065600300aaea6dbf0c000000";
pub(super) const ZLIB_JAVA: &str = "789c636064606260666061606560030000670016";
pub(super) const BZIP2_JAVA: &str = "425a6839314159265359023e0dd200000040007f002000310c010d31a87394337c5dc914e1424008f83748";
pub(super) const BZIP2_C: &str = "425a6839314159265359023e0dd200000040007f002000221a63508600e72866f8bb9229c2848011f06e90";
pub(super) const XZ_PRESET_6: &str = "fd377a585a000004e6d6b4460200210116000000742fe5a301000b000100020003000400050006000d0309ca34ec15a70001240ca618d8d81fb6f37d010000000004595a";
pub(super) const ZSTD_SIZED: &str = "28b52ffd200c610000000100020003000400050006";
pub(super) const ZSTD_UNSIZED: &str = "28b52ffd0058610000000100020003000400050006";
pub(super) const BLOSC_LZ4: &str = "020133020c0000000c0000001c000000000100020003000400050006";
pub(super) const BLOSC_JAVA: &str = "020102010c0000000c0000001c000000000100020003000400050006";

/// What every implementation writes for `PAYLOAD`.
pub(super) const STREAMS: [(Compressor, &str); 13] = [
    (GZIP, GZIP_JAVA),
    (ZLIB, ZLIB_JAVA),
    (BZIP2, BZIP2_JAVA),
    (BZIP2, BZIP2_C),
    (XZ, XZ_PRESET_6),
    (LZ4, LZ4_CHAIN),
    (LZ4, LZ4_FRAME),
    (LZ4, LZ4_PREFIXED),
    (LZ4, LZ4_BARE),
    (ZSTD, ZSTD_SIZED),
    (ZSTD, ZSTD_UNSIZED),
    (BLOSC, BLOSC_LZ4),
    (BLOSC, BLOSC_JAVA),
];

#[test]
fn foreign_streams_decode() {
    let mut workspace = Workspace::default();
    for (compressor, stream) in STREAMS {
        let src = hex(stream);
        assert_eq!(decoded(compressor, &src, 12, false).unwrap(), PAYLOAD, "{stream}");
        if compressor != LZ4 || stream == LZ4_CHAIN {
            assert_eq!(decoded(compressor, &src, 12, true).unwrap(), PAYLOAD, "{stream}");
        }
        // A bare block is nothing without its size.
        if stream == LZ4_BARE {
            continue;
        }
        let mut dst = vec![9; 3];
        decode_at_most(compressor, &src, 1000, &mut dst, false, &mut workspace).unwrap();
        assert_eq!(dst, PAYLOAD, "{stream}");
        decode_at_most(compressor, &src, 12, &mut dst, false, &mut workspace).unwrap();
        assert_eq!(dst, PAYLOAD, "{stream}");
        let error = decode_at_most(compressor, &src, 11, &mut dst, false, &mut workspace).unwrap_err();
        assert_eq!((error.kind(), dst.len()), (ErrorKind::PayloadSizeMismatch, 0), "{stream}");
    }
}

#[test]
fn blosc_frames_with_streams_decode() {
    let frame = hex(
        "0201310280000000800000005e00000014000000460000001f0001002df0300102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
    );
    let expected: Vec<u8> = (0..64).flat_map(|value: u16| value.to_be_bytes()).collect();
    assert_eq!(decoded(BLOSC, &frame, 128, true).unwrap(), expected);
    for end in 0..frame.len() {
        assert_eq!(kind(decoded(BLOSC, &frame[..end], 128, false)), ErrorKind::CorruptPayload, "{end}");
    }
}

#[test]
fn chains_equal_those_of_java() {
    let steps: Vec<u8> = (0..200_u8).map(|index| index / 50).collect();
    let cases: [(&[u8], u32, &str); 4] = [
        (&PAYLOAD, 65536, LZ4_CHAIN),
        (&[0; 32], 65536, "4c5a34426c6f636b260b0000002000000021f0e6091f000100075000000000004c5a34426c6f636b16000000000000000000000000"),
        (&[], 65536, "4c5a34426c6f636b16000000000000000000000000"),
        (
            &steps,
            64,
            "4c5a34426c6f636b200f00000040000000ed5c2d061f0001001e140101005001010101014c5a34426c6f636b20100000004000000031c7ae0c1f010100101f020100035002020202024c5a34426c6f636b201000000040000000bbc4ab0c1f020100021f030100115003030303034c5a34426c6f636b1008000000080000009a10640f03030303030303034c5a34426c6f636b10000000000000000000000000",
        ),
    ];
    for (payload, block_size, stream) in cases {
        let stream = hex(stream);
        assert_eq!(decoded(LZ4, &stream, payload.len(), true).unwrap(), payload);
        assert_eq!(encoded(Compressor::Lz4 { block_size }, payload, 1), stream);
    }
}

#[test]
fn every_prefix_is_refused() {
    for (compressor, stream) in STREAMS {
        let src = hex(stream);
        for end in 0..src.len() {
            // The end mark of a chain may be missing, as Java does not look for it; a part of it may not.
            if stream == LZ4_CHAIN && end == 33 {
                assert_eq!(decoded(compressor, &src[..end], 12, false).unwrap(), PAYLOAD);
                assert_eq!(kind(decoded(compressor, &src[..end], 12, true)), ErrorKind::CorruptPayload);
                continue;
            }
            let error = decoded(compressor, &src[..end], 12, false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptPayload, "{stream} cut to {end}: {error}");
            assert!(error.offset().unwrap() <= u64::try_from(end).unwrap());
            let mut dst = Vec::new();
            let error = decode_at_most(compressor, &src[..end], 12, &mut dst, false, &mut Workspace::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptPayload, "{stream} cut to {end}: {error}");
        }
    }
}

#[test]
fn gzip_headers_with_all_fields_decode_and_their_checksum_counts() {
    // FTEXT, FHCRC, FEXTRA, FNAME and FCOMMENT.
    let header = hex("1f8b081f000000000003 0400 41420000 6e616d6500 72656d61726b00");
    // SAFETY: the memory is as long as said.
    let crc = unsafe { libdeflate_sys::libdeflate_crc32(0, header.as_ptr().cast(), header.len()) };
    let body = &hex(GZIP_JAVA)[10..];
    let sound = join(&[&header, &crc.to_le_bytes()[..2], body]);
    assert_eq!(decoded(GZIP, &sound, 12, true).unwrap(), PAYLOAD);
    let wrong = join(&[&header, &(crc ^ 1).to_le_bytes()[..2], body]);
    assert_eq!(kind(decoded(GZIP, &wrong, 12, false)), ErrorKind::CorruptPayload);
    for end in 0..header.len() + 2 {
        assert_eq!(kind(decoded(GZIP, &sound[..end], 12, false)), ErrorKind::CorruptPayload);
    }
}
