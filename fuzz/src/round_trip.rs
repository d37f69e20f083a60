//! Arrays of every kind, made up from the input: what is encoded from any image decodes to the same, in whole and in part, in any order.
//!
//! Input: as `arbitrary` takes it apart; the end of it is the array's content.

use arbitrary::{Result, Unstructured};
use zn5::model::DataType;

use super::capi::{Codec, Options};
use super::model;

const MAX_COUNT: u64 = 4096;

fn compressor(u: &mut Unstructured) -> Result<(String, Option<String>)> {
    // Higher levels take long and decode no other way.
    let level = u.int_in_range(0..=2_u8)?;
    // In N5's words, and in Zarr's.
    Ok(match u.int_in_range(0..=7_u8)? {
        0 => (r#"{"type":"raw"}"#.into(), None),
        1 => (
            format!(r#"{{"type":"gzip","level":{level},"useZlib":false}}"#),
            Some(format!(r#"{{"name":"gzip","configuration":{{"level":{level}}}}}"#)),
        ),
        2 => (
            format!(r#"{{"type":"gzip","level":{level},"useZlib":true}}"#),
            Some(format!(r#"{{"name":"numcodecs.zlib","configuration":{{"level":{level}}}}}"#)),
        ),
        3 => (
            format!(r#"{{"type":"bzip2","blockSize":{}}}"#, level.max(1)),
            Some(format!(r#"{{"name":"numcodecs.bz2","configuration":{{"level":{}}}}}"#, level.max(1))),
        ),
        4 => {
            let check = u.choose(&[-1, 0, 1, 4, 10])?;
            (
                format!(r#"{{"type":"xz","preset":{level}}}"#),
                Some(format!(
                    r#"{{"name":"numcodecs.lzma","configuration":{{"format":1,"check":{check},"preset":{level},"filters":null}}}}"#
                )),
            )
        }
        5 => (format!(r#"{{"type":"lz4","blockSize":{}}}"#, u.int_in_range(64..=70_000_u32)?), None),
        6 => {
            let level = u.int_in_range(-3..=4_i32)?;
            (
                format!(r#"{{"type":"zstd","level":{level}}}"#),
                Some(format!(r#"{{"name":"zstd","configuration":{{"level":{level},"checksum":{}}}}}"#, u.arbitrary::<bool>()?)),
            )
        }
        _ => {
            let cname = u.choose(&["blosclz", "lz4", "lz4hc", "zlib", "zstd"])?;
            let (number, name) = u.choose(&[(0, "noshuffle"), (1, "shuffle"), (2, "bitshuffle")])?;
            let block_size = u.int_in_range(0..=5000_u32)?;
            let type_size = u.int_in_range(1..=255_u8)?;
            (
                format!(r#"{{"type":"blosc","cname":"{cname}","clevel":{level},"shuffle":{number},"blocksize":{block_size}}}"#),
                Some(format!(
                    r#"{{"name":"blosc","configuration":{{"cname":"{cname}","clevel":{level},"shuffle":"{name}","typesize":{type_size},"blocksize":{block_size}}}}}"#
                )),
            )
        }
    })
}

/// The document of an array, and whether it is an N5 one.
fn document(u: &mut Unstructured, data_type: DataType, chunk: &[u64]) -> Result<(String, bool)> {
    if u.int_in_range(0..=3_u8)? != 0 {
        let (compression, _) = compressor(u)?;
        let name = data_type.name();
        return Ok((format!(r#"{{"dimensions":{chunk:?},"blockSize":{chunk:?},"dataType":"{name}","compression":{compression}}}"#), true));
    }
    let mut codecs = format!(r#"{{"name":"bytes","configuration":{{"endian":"{}"}}}}"#, u.choose(&["little", "big"])?);
    for _ in 0..u.int_in_range(0..=3_u8)? {
        if let (_, Some(codec)) = compressor(u)? {
            codecs = format!("{codecs},{codec}");
        }
    }
    Ok((
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{chunk:?},"data_type":"{}","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{chunk:?}}}}},"chunk_key_encoding":"default","fill_value":0,"codecs":[{codecs}]}}"#,
            data_type.name()
        ),
        false,
    ))
}

/// What an array holds: the rest of the input again and again, a little different each time.
fn content(rest: &[u8], len: usize) -> Vec<u8> {
    if rest.is_empty() {
        return vec![0; len];
    }
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        let round = u8::try_from(bytes.len() / rest.len() % 7).unwrap();
        bytes.extend(rest.iter().map(|byte| byte ^ round));
    }
    bytes.truncate(len);
    bytes
}

/// Encodes and decodes.
pub fn run(data: &[u8]) {
    // An input that ends early makes no array.
    let _ = attempt(Unstructured::new(data));
}

fn attempt(mut u: Unstructured) -> Result<()> {
    let data_type = *u.choose(&DataType::N5)?;
    let size = data_type.size();
    let ndim = u.int_in_range(0..=5_usize)?;
    let (mut chunk, mut stored, mut asked, mut offset, mut extent) = (vec![], vec![], vec![], vec![], vec![]);
    for _ in 0..ndim {
        chunk.push(u.int_in_range(1..=20_u64)?);
        stored.push(u.int_in_range(1..=20_u64)?);
        let whole = u.int_in_range(0..=20_u64)?;
        let from = u.int_in_range(0..=whole)?;
        asked.push(whole);
        offset.push(from);
        extent.push(u.int_in_range(0..=whole - from)?);
    }
    if [&chunk, &stored, &asked].iter().any(|shape| model::count(shape) > MAX_COUNT) {
        return Ok(());
    }
    let (document, is_n5) = document(&mut u, data_type, &chunk)?;
    if !is_n5 {
        asked.clone_from(&stored);
        offset.fill(0);
        extent.clone_from(&stored);
    }
    let orders: [bool; 2] = u.arbitrary()?;
    let fill: [u8; 8] = u.arbitrary()?;
    let fill = &fill[..size];
    let (gap, flips): (u8, u32) = u.arbitrary()?;
    let make = |f_order| {
        let options = Options { f_order, fill: Some(fill.to_vec()), ..Options::default() };
        let make = if is_n5 { Codec::from_n5 } else { Codec::from_zarr };
        make(document.as_bytes(), &options).expect("a sound document")
    };
    let writer = make(orders[0]);
    let rest = u.take_rest();

    // The same array gap-free and spread over an image encode to the same bytes.
    let array = content(rest, usize::try_from(model::count(&stored)).unwrap() * size);
    let block = writer.encode_block(&stored, &array).expect("a sound array");
    let (strides, origin, len) = model::spread(&stored, size, orders[1], usize::from(gap % 4), flips);
    let mut image = vec![0x77; len];
    for index in model::indices(&stored) {
        let at = usize::try_from(model::position(&index, origin, &strides)).unwrap();
        image[at..at + size].copy_from_slice(model::element(&array, &index, &stored, orders[0], size));
    }
    let spread = writer.encode_region(&stored, &image, origin, &strides).expect("a sound image");
    assert!(spread == block, "the bytes depend on where the array lies");

    let reader = make(orders[1]);
    let mut whole = vec![0xaa; usize::try_from(model::count(&asked)).unwrap() * size];
    reader.decode_block(&block, &asked, &mut whole).expect("zn5 wrote it");
    for index in model::indices(&asked) {
        let is_stored = index.iter().zip(&stored).all(|(index, extent)| index < extent);
        let expected = if is_stored { model::element(&array, &index, &stored, orders[0], size) } else { fill };
        assert_eq!(model::element(&whole, &index, &asked, orders[1], size), expected, "at {index:?}");
    }
    let (strides, origin, len) = model::spread(&extent, size, orders[0], usize::from(gap >> 2 & 3), flips >> 8);
    let mut image = vec![0xaa; len];
    reader.decode_region(&block, &asked, &offset, &extent, &mut image, origin, &strides).expect("zn5 wrote it");
    let mut expected = vec![0xaa; len];
    for index in model::indices(&extent) {
        let at = usize::try_from(model::position(&index, origin, &strides)).unwrap();
        let of_whole: Vec<u64> = index.iter().zip(&offset).map(|(index, offset)| index + offset).collect();
        expected[at..at + size].copy_from_slice(model::element(&whole, &of_whole, &asked, orders[1], size));
    }
    assert!(image == expected, "a part differs from the whole");
    Ok(())
}
