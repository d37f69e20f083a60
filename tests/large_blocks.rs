//! Blocks that Java cannot read: extents up to 2^32 - 1 and payloads above 2 GiB, where the caller
//! raises the limit; policy 45. `ZN5_TEST_LONG=1` encodes and decodes real ones, which takes 3 GiB.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

mod dataset_support;

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use dataset_support::*;
use zn5::array::{Destination, Source};
use zn5::block;
use zn5::codec::Codec;
use zn5::dataset::Dataset;
use zn5::error::ErrorKind;
use zn5::metadata::Grid;
use zn5::model::{ArraySettings, BloscInner, BloscShuffle, Chain, CodecOptions, Compressor, DataType, Endian, Order, XzCheck};
use zn5::store::{Memory, N5AsZarr, Store};

const GIB: u64 = 1 << 30;
/// Java's largest array, and the default limit.
const JAVA: u64 = (1 << 31) - 1;
/// The largest extent that a header of N5 holds, by the specification: 32 bits without sign.
const LARGEST: u64 = (1 << 32) - 1;
/// Beyond what 31 bits can say, by more than one.
const BEYOND: u64 = (1 << 31) + 5;
/// What one frame of Blosc 1 holds, by c-blosc's BLOSC_MAX_BUFFERSIZE.
const BLOSC: u64 = (1 << 31) - 1 - 16;

const BLOSC_LZ4: Compressor =
    Compressor::Blosc { inner: BloscInner::Lz4, level: 1, shuffle: BloscShuffle::Byte, block_size: 0, type_size: None };
const OTHERS: [Compressor; 8] = [
    Compressor::Raw,
    Compressor::Gzip { level: 1, zlib: false },
    Compressor::Gzip { level: 1, zlib: true },
    Compressor::Bzip2 { block_size: 1 },
    Compressor::Xz { preset: 0, check: XzCheck::Crc32 },
    Compressor::Lz4 { block_size: 1 << 20 },
    Compressor::Zstd { level: 1, checksum: false },
    Compressor::Zstd { level: 1, checksum: true },
];

fn codec(data_type: DataType, chunk: &[u64], chain: Chain, max_decoded_bytes: Option<u64>) -> Codec {
    let settings =
        ArraySettings { data_type, chunk_shape: chunk.to_vec(), array_shape: None, fill_value: vec![0; data_type.size()], chain };
    Codec::new(settings, CodecOptions { max_decoded_bytes, order: Order::F, ..CodecOptions::default() }).unwrap()
}

fn n5(compressor: Compressor) -> Chain {
    Chain::N5 { compressor }
}

fn header(extents: &[u64]) -> Vec<u8> {
    let mut header = vec![0, 0];
    header.extend((extents.len() as u16).to_be_bytes());
    header.extend(extents.iter().flat_map(|&extent| (extent as u32).to_be_bytes()));
    header
}

#[test]
fn policy_45_the_extents_of_a_block_have_32_bits() {
    let raised = Some(u64::MAX);
    let allowed: [(&[u64], DataType, u64); 7] = [
        (&[1 << 31], DataType::UInt8, 2 * GIB),
        (&[BEYOND], DataType::UInt16, 2 * BEYOND),
        (&[LARGEST], DataType::UInt8, LARGEST),
        (&[LARGEST], DataType::Float64, 8 * LARGEST),
        (&[1, LARGEST, 1], DataType::Int8, LARGEST),
        (&[1 << 16, 1 << 16], DataType::UInt8, 4 * GIB),
        (&[LARGEST, 3], DataType::UInt32, 12 * LARGEST),
    ];
    for (extents, data_type, bytes) in allowed {
        for chunk in [extents.to_vec(), vec![1; extents.len()]] {
            for compressor in OTHERS {
                let codec = codec(data_type, &chunk, n5(compressor), raised);
                let bound = codec.encode_bound(extents).unwrap();
                assert!(bound >= bytes / 2, "{extents:?} {compressor:?}: {bound}");
                assert!(compressor != Compressor::Raw || bound == bytes + 4 + 4 * extents.len() as u64, "{extents:?}: {bound}");
                assert!(codec.max_block_len() >= bound, "{extents:?} {compressor:?}: a block that is written can be read");
            }
            let error = codec(data_type, &chunk, n5(BLOSC_LZ4), raised).encode_bound(extents).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            for part in ["Blosc frame", &BLOSC.to_string(), &bytes.to_string(), "another compressor"] {
                assert!(error.message().contains(part), "{error}");
            }
        }
    }
    for (extents, axis) in [(&[1 << 32][..], 0), (&[1, 1 << 32], 1), (&[7, u64::MAX, 2], 1), (&[LARGEST, 0], 1)] {
        for limit in [raised, None] {
            let error = codec(DataType::UInt8, &vec![1; extents.len()], n5(Compressor::Raw), limit).encode_bound(extents).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{extents:?}");
            assert!(error.message().contains(&format!("axis {axis}")) && error.message().contains("4294967295"), "{error}");
        }
    }
    // Blosc's own limit.
    let blosc = codec(DataType::UInt8, &[1], n5(BLOSC_LZ4), raised);
    assert_eq!(blosc.encode_bound(&[BLOSC]).unwrap(), 8 + 16 + BLOSC);
    assert_eq!(blosc.encode_bound(&[BLOSC + 1]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    // A plain chain has no header.
    let plain = Chain::Plain { endian: Endian::Little, compressors: vec![] };
    assert_eq!(codec(DataType::UInt16, &[1], plain.clone(), raised).encode_bound(&[1 << 33]).unwrap(), 16 * GIB);
    assert_eq!(codec(DataType::UInt16, &[1], plain, None).encode_bound(&[1 << 30]).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn policy_45_without_a_limit_of_the_caller_java_can_read_what_is_written() {
    // Header and payload together, which Java holds in one array.
    for (extents, data_type, is_allowed) in [
        (&[JAVA - 8][..], DataType::UInt8, true),
        (&[JAVA - 7], DataType::UInt8, false),
        (&[JAVA], DataType::UInt8, false),
        (&[JAVA + 1], DataType::UInt8, false),
        (&[LARGEST], DataType::UInt8, false),
        (&[(JAVA - 12) / 2, 1], DataType::Int16, true),
        (&[1 << 15, 1 << 15], DataType::UInt16, false),
        (&[LARGEST, LARGEST], DataType::UInt64, false),
    ] {
        let result = codec(data_type, &vec![1; extents.len()], n5(Compressor::Raw), None).encode_bound(extents);
        match result {
            Ok(bound) => assert!(is_allowed && bound <= JAVA, "{extents:?}: {bound}"),
            Err(error) => {
                assert!(!is_allowed && error.kind() == ErrorKind::LimitExceeded, "{extents:?}: {error}");
                assert!(error.message().contains("max_decoded_bytes") && error.message().contains("Java"), "{error}");
            }
        }
    }
    // The caller's limit counts for itself.
    let limited = codec(DataType::UInt8, &[1], n5(Compressor::Raw), Some(BEYOND));
    assert_eq!(limited.encode_bound(&[BEYOND]).unwrap(), BEYOND + 8);
    assert_eq!(limited.encode_bound(&[BEYOND + 1]).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(codec(DataType::UInt8, &[1], n5(Compressor::Raw), Some(JAVA)).encode_bound(&[JAVA]).unwrap(), JAVA + 8);
}

#[test]
fn policy_45_headers_of_such_blocks_are_written_and_read() {
    for extents in [&[1 << 31][..], &[LARGEST], &[BEYOND, 1, LARGEST]] {
        let mut written = [MaybeUninit::new(0xA5); 64];
        let rest = block::write(extents, &mut written).unwrap().len();
        let mut appended = Vec::new();
        block::append(extents, &mut appended).unwrap();
        assert_eq!((appended, 64 - rest), (header(extents), header(extents).len()));
        let block = header(extents);
        let parsed = block::parse(&block).unwrap();
        assert_eq!(parsed.extents().collect::<Vec<_>>(), extents);
        assert_eq!(parsed.element_count().unwrap(), extents.iter().product::<u64>());
    }
}

#[test]
fn policy_45_damage_of_such_blocks_is_told_as_of_others() {
    for extents in [&[1 << 31][..], &[LARGEST], &[1 << 16, 1 << 16]] {
        let one = vec![1; extents.len()];
        let decode = |compressor, limit, payload: &[u8]| {
            let codec = codec(DataType::UInt8, extents, n5(compressor), limit);
            let (block, zeros) = ([&header(extents)[..], payload].concat(), vec![0; extents.len()]);
            let mut element = [0];
            let destination = Destination::over(&mut element, &one, 1, Order::F).unwrap();
            codec.decode(&block, extents, &zeros, destination, false).unwrap_err().kind()
        };
        for limit in [None, Some(JAVA), Some(LARGEST + 1), Some(u64::MAX)] {
            for payload in [&[][..], &[7; 100]] {
                assert_eq!(decode(Compressor::Raw, limit, payload), ErrorKind::TruncatedBlock, "{extents:?}");
            }
        }
        for compressor in OTHERS.into_iter().skip(1) {
            assert_eq!(decode(compressor, None, &[]), ErrorKind::LimitExceeded, "{extents:?} {compressor:?}");
            assert_eq!(decode(compressor, Some(LARGEST + 1), &[]), ErrorKind::CorruptPayload, "{extents:?} {compressor:?}");
        }
        // A frame that cannot hold so much, however long it is.
        let mut frame = vec![0; 16 + 128];
        frame[..4].copy_from_slice(&[2, 1, 2, 1]);
        frame[4..8].copy_from_slice(&128_u32.to_le_bytes());
        frame[8..12].copy_from_slice(&128_u32.to_le_bytes());
        frame[12..16].copy_from_slice(&144_u32.to_le_bytes());
        assert_eq!(decode(BLOSC_LZ4, Some(LARGEST + 1), &frame), ErrorKind::PayloadSizeMismatch, "{extents:?}");
    }
}

/// A value far behind in a large array: where in the array, and what.
type Mark = ([u64; 2], u8);

/// A raw block that is a file with a hole: nothing is on the disk but the header and the marks.
struct Sparse {
    name: &'static str,
    json: String,
    key: &'static str,
    /// Of the block.
    extents: [u64; 2],
    size: u64,
    /// Bytes before the elements.
    header: Vec<u8>,
    /// The axis that varies fastest in the file.
    fastest: usize,
    marks: Vec<Mark>,
}

fn attributes(extents: [u64; 2], data_type: &str) -> String {
    format!(r#"{{"dimensions":{extents:?},"blockSize":{extents:?},"dataType":"{data_type}","compression":{{"type":"raw"}}}}"#)
}

fn sparse_blocks() -> Vec<Sparse> {
    let n5 = |name, data_type, size, extents: [u64; 2], marks: &[Mark]| Sparse {
        name,
        json: attributes(extents, data_type),
        key: "d/0/0",
        extents,
        size,
        header: header(&extents),
        fastest: 0,
        marks: marks.to_vec(),
    };
    let plain = [40_000, 70_000];
    let zarr = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{plain:?},"data_type":"uint8","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{plain:?}}}}},"chunk_key_encoding":{{"name":"default"}},"fill_value":0,"codecs":[{{"name":"bytes"}}]}}"#
    );
    let oversize = attributes([100, 1], "uint8");
    vec![
        n5("beyond 31 bits", "uint8", 1, [BEYOND, 1], &[([0, 0], 1), ([1 << 31, 0], 2), ([BEYOND - 1, 0], 3)]),
        n5("the largest extent", "uint8", 1, [LARGEST, 1], &[([JAVA, 0], 4), ([LARGEST - 1, 0], 5)]),
        n5("larger elements", "uint16", 2, [BEYOND, 1], &[([1 << 30, 0], 6), ([BEYOND - 1, 0], 7)]),
        n5("the last axis", "uint8", 1, [3, BEYOND], &[([2, 1 << 30], 8), ([0, BEYOND - 1], 9), ([2, BEYOND - 1], 10)]),
        n5("a plane", "uint8", 1, [65_537, 40_000], &[([65_536, 39_999], 11), ([7, 32_768], 12)]),
        Sparse {
            name: "a plain chain",
            json: zarr,
            key: "d/c/0/0",
            extents: plain,
            size: 1,
            header: vec![],
            fastest: 1,
            marks: vec![([39_999, 69_999], 13), ([30_679, 3], 14)],
        },
        // Of a block that is larger than its chunk the chunk is read.
        Sparse { json: oversize, marks: vec![([99, 0], 15), ([3, 0], 16)], ..n5("larger than its chunk", "uint8", 1, [BEYOND, 1], &[]) },
    ]
}

#[test]
fn policy_45_a_region_of_such_a_block_is_read_from_its_file() {
    for (number, sparse) in sparse_blocks().into_iter().enumerate() {
        let Sparse { name, json, key, extents, size, header, fastest, marks } = sparse;
        let folder = folder(&format!("large-{number}"));
        let store = directory(&folder, true);
        let raised = |order| CodecOptions { max_decoded_bytes: Some(32 * GIB), order, ..CodecOptions::default() };
        let written = Dataset::create(Arc::clone(&store), "d", json.as_bytes(), raised(Order::C)).unwrap();
        std::fs::create_dir_all(folder.join(key).parent().unwrap()).unwrap();
        let file = File::create(folder.join(key)).unwrap();
        file.set_len(header.len() as u64 + extents[0] * extents[1] * size).unwrap();
        file.write_all_at(&header, 0).unwrap();
        for &(at, value) in &marks {
            let index = at[fastest] + extents[fastest] * at[1 - fastest];
            // The number is big-endian, and its least significant byte the last.
            file.write_all_at(&[value], header.len() as u64 + (index + 1) * size - 1).unwrap();
        }
        let mut datasets = vec![written, Dataset::open(Arc::clone(&store), "d", raised(Order::F)).unwrap()];
        if json.contains("blockSize") {
            let view: Arc<dyn Store> = Arc::new(N5AsZarr::new(Arc::clone(&store), Grid::Regular, false));
            datasets.push(Dataset::open(view, "d", raised(Order::C)).unwrap());
        }
        for dataset in &datasets {
            let order = dataset.codec().order();
            for &(at, _) in &marks {
                // The mark and what lies around it.
                let offset = at.map(|at| at.saturating_sub(2));
                let region: Vec<u64> = offset.iter().zip(dataset.shape()).map(|(&offset, &extent)| 5.min(extent - offset)).collect();
                let found = read(dataset, &offset, &region, &threads(1)).unwrap();
                let mut expected = vec![0; bytes_of(&region, size as usize)];
                for &(mark, value) in &marks {
                    let within: Vec<u64> = mark.iter().zip(&offset).map(|(mark, offset)| mark.wrapping_sub(*offset)).collect();
                    if within.iter().zip(&region).all(|(within, extent)| within < extent) {
                        let place = place(&within, &region, size as usize, order);
                        let element = &mut expected[place..place + size as usize];
                        let least = if cfg!(target_endian = "big") { size as usize - 1 } else { 0 };
                        element[least] = value;
                    }
                }
                assert!(found == expected, "{name} at {at:?}: {found:?} instead of {expected:?}");
            }
        }
        // The default limit stays, and says what to do.
        let default = Dataset::open(Arc::clone(&store), "d", CodecOptions::default()).unwrap();
        let error = read(&default, &[0, 0], &[1, 1], &threads(1)).unwrap_err();
        assert!(error.kind() == ErrorKind::LimitExceeded && error.message().contains("max_decoded_bytes"), "{name}: {error}");
        if number != 6 {
            let error = write(&default, &[0, 0], &[1, 1], &vec![1; size as usize], &threads(1)).unwrap_err();
            assert!(error.kind() == ErrorKind::LimitExceeded && error.message().contains("max_decoded_bytes"), "{name}: {error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn policy_45_a_region_of_such_a_block_is_decoded_from_memory() {
    // Zeros that the system gives when they are looked at: of 2 GiB some pages.
    let mut block = vec![0_u8; 8 + BEYOND as usize];
    block[..8].copy_from_slice(&header(&[BEYOND]));
    let last = block.len() - 1;
    (block[last], block[8 + (1 << 31)]) = (3, 4);
    let codec = codec(DataType::UInt8, &[BEYOND], n5(Compressor::Raw), Some(3 * GIB));
    let decode = |block: &[u8], offset: u64, whole| {
        let mut found = [9; 6];
        codec.decode(block, &[BEYOND], &[offset], Destination::over(&mut found, &[6], 1, Order::F)?, whole)?;
        zn5::error::Result::Ok(found)
    };
    for whole in [false, true] {
        assert_eq!(decode(&block, (1 << 31) - 1, whole).unwrap(), [0, 4, 0, 0, 0, 3]);
        // Beyond its end a block is padded.
        assert_eq!(decode(&block, BEYOND - 2, whole).unwrap(), [0, 3, 0, 0, 0, 0]);
        assert_eq!(decode(&block[..last], 0, whole).unwrap_err().kind(), ErrorKind::TruncatedBlock);
    }
    block.push(0);
    assert_eq!(decode(&block, 0, false).unwrap_err().kind(), ErrorKind::TrailingData);
}

/// In the short run the same with 1 MiB.
#[test]
fn policy_45_what_is_encoded_is_decoded() {
    let extent = if is_long() { BEYOND } else { (1 << 20) + 5 };
    let marks = [(0, 1), (extent / 2, 2), (extent - 6, 3), (extent - 1, 4)];
    let limit = Some(3 * GIB);
    for compressor in OTHERS {
        let chains = [n5(compressor), Chain::Plain { endian: Endian::Little, compressors: vec![compressor] }];
        for chain in chains.into_iter().take(if compressor == Compressor::Raw { 1 } else { 2 }) {
            let is_n5 = matches!(chain, Chain::N5 { .. });
            let codec = codec(DataType::UInt8, &[extent], chain, limit);
            let mut encoded = Vec::new();
            {
                let mut elements = vec![0_u8; extent as usize];
                for (at, value) in marks {
                    elements[at as usize] = value;
                }
                let source = Source::contiguous(&elements, &[extent], 1, Order::F).unwrap();
                codec.encode_to(&source, &mut encoded).unwrap();
            }
            assert!(!is_n5 || encoded.starts_with(&header(&[extent])), "{compressor:?}");
            assert!(encoded.len() as u64 <= codec.encode_bound(&[extent]).unwrap(), "{compressor:?}");
            // At the end, then all of it.
            let mut tail = [9; 8];
            codec.decode(&encoded, &[extent], &[extent - 7], Destination::over(&mut tail, &[8], 1, Order::F).unwrap(), false).unwrap();
            assert_eq!(tail, [0, 3, 0, 0, 0, 0, 4, 0], "{compressor:?}");
            if compressor == Compressor::Raw {
                continue;
            }
            let mut elements = vec![0_u8; extent as usize];
            codec.decode(&encoded, &[extent], &[0], Destination::over(&mut elements, &[extent], 1, Order::F).unwrap(), true).unwrap();
            for (at, value) in marks {
                assert_eq!(elements[at as usize], value, "{compressor:?} at {at}");
            }
            let sum: u64 = elements.chunks(1 << 20).map(|piece| piece.iter().map(|&byte| u64::from(byte)).sum::<u64>()).sum();
            assert_eq!(sum, 10, "{compressor:?}");
        }
    }
}

/// What other programs find in the payload: beyond 32 bits, lengths go round in gzip and do not in
/// the others. In the short run the same with 1 MiB.
#[test]
fn policy_45_payloads_above_4_gib_tell_their_length() {
    let extents = [if is_long() { 4096 } else { 2 }, (1 << 20) + 1];
    let count = extents[0] * extents[1];
    let codec = |compressor| codec(DataType::UInt8, &extents, n5(compressor), Some(5 * GIB));
    let mut elements = vec![0_u8; count as usize];
    elements[count as usize - 2] = 7;
    let source = Source::contiguous(&elements, &extents, 1, Order::F).unwrap();
    let mut block = Vec::new();
    for compressor in [Compressor::Gzip { level: 1, zlib: false }, Compressor::Zstd { level: 1, checksum: true }] {
        codec(compressor).encode_to(&source, &mut block).unwrap();
        let payload = &block[12..];
        if matches!(compressor, Compressor::Gzip { .. }) {
            assert_eq!(payload.last_chunk(), Some(&(count as u32).to_le_bytes()));
        } else {
            // A frame of one segment has no window descriptor: its content size follows the flags.
            let flags = payload[4];
            let start = if flags & 0x20 == 0 { 6 } else { 5 };
            let size = match flags >> 6 {
                2 => u64::from(u32::from_le_bytes(*payload[start..].first_chunk().unwrap())),
                3 => u64::from_le_bytes(*payload[start..].first_chunk().unwrap()),
                _ => 0,
            };
            assert_eq!(size, count);
        }
    }
    // Of a chain of LZ4Block frames a part is decoded without the rest.
    let codec = codec(Compressor::Lz4 { block_size: 1 << 25 });
    codec.encode_to(&source, &mut block).unwrap();
    for (at, region, expected) in [
        ([extents[0] - 2, extents[1] - 1], [2, 1], [7, 0]),
        // Beyond its end a block is padded.
        ([extents[0] - 2, extents[1] - 1], [1, 2], [7, 0]),
        ([extents[0] - 2, extents[1] - 2], [1, 2], [0, 7]),
    ] {
        let mut found = [9; 2];
        codec.decode(&block, &extents, &at, Destination::over(&mut found, &region, 1, Order::F).unwrap(), false).unwrap();
        assert_eq!(found, expected);
    }
}

/// In the short run the same with 1 MiB.
#[test]
fn policy_45_a_part_of_such_a_block_is_written_by_a_dataset() {
    let extent = if is_long() { BEYOND } else { (1 << 20) + 5 };
    let json =
        format!(r#"{{"dimensions":[{extent}],"blockSize":[{extent}],"dataType":"uint8","compression":{{"type":"zstd","level":1}}}}"#);
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let options = CodecOptions { max_decoded_bytes: Some(3 * GIB), ..CodecOptions::default() };
    let dataset = Dataset::create(Arc::clone(&store), "d", json.as_bytes(), options).unwrap();
    for value in [1, 2] {
        write(&dataset, &[extent - value], &[1], &[value as u8], &threads(1)).unwrap();
    }
    assert_eq!(read(&dataset, &[extent - 3], &[3], &threads(1)).unwrap(), [0, 2, 1]);
    let mut block = Vec::new();
    assert!(store.get("d/0", 0, u64::MAX, &mut block).unwrap());
    assert!(block.starts_with(&header(&[extent])));
    // In a dataset with the default limit it is refused, or read, as its size says.
    let default = Dataset::open(store, "d", CodecOptions::default()).unwrap();
    let result = read(&default, &[0], &[1], &threads(1));
    assert_eq!(result.map_err(|error| error.kind()), if is_long() { Err(ErrorKind::LimitExceeded) } else { Ok(vec![0]) });
}
