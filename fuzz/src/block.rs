//! Stored blocks and chunks from a stranger: decoding whole and in part, by the C API and by the engine, and encoding what was decoded.
//!
//! Input: data type, flags, rank, four bytes an axis (chunk, asked, offset, extent), then the stored bytes; of plain chains first the codecs.

use arbitrary::Unstructured;
use zn5::array::Destination;
use zn5::ffi::{ZN5_ERROR_LIMIT_EXCEEDED, zn5_block_header};
use zn5::metadata::{array_from_n5, array_from_zarr};
use zn5::model::{CodecOptions, DataType, Order};

use super::capi::{Codec, Options, call, engine};
use super::model;

/// The most bytes of an array that a target asks for.
const MAX_BYTES: u64 = 1 << 20;

/// What the bytes before the block say.
struct Case {
    data_type: DataType,
    options: Options,
    flags: u8,
    chunk: Vec<u64>,
    asked: Vec<u64>,
    offset: Vec<u64>,
    extent: Vec<u64>,
}

impl Case {
    fn read(u: &mut Unstructured, text: bool) -> Option<Self> {
        let kind = usize::from(u.arbitrary::<u8>().ok()?);
        let data_type = match DataType::N5.get(kind % if text { 11 } else { 10 }) {
            Some(&data_type) => data_type,
            None => DataType::FixedUtf32 { length_bytes: 4 * (kind / 11 % 5 + 1) },
        };
        let flags = u.arbitrary::<u8>().ok()?;
        let ndim = usize::from(u.arbitrary::<u8>().ok()? % 6);
        let options = Options {
            f_order: flags & 1 != 0,
            strict: flags & 2 != 0,
            max_decoded_bytes: if flags & 8 == 0 { MAX_BYTES } else { 0 },
            fill: (flags & 16 != 0).then(|| vec![flags; data_type.size()]),
        };
        let (mut chunk, mut asked, mut offset, mut extent) = (vec![], vec![], vec![], vec![]);
        for _ in 0..ndim {
            let axis: [u8; 4] = u.arbitrary().ok()?;
            let axis = axis.map(u64::from);
            chunk.push(axis[0].max(1));
            asked.push(axis[1]);
            let from = axis[2].min(axis[1]);
            offset.push(from);
            extent.push(axis[3].min(axis[1] - from));
        }
        let fits = |shape: &[u64]| model::count(shape).saturating_mul(data_type.size() as u64) <= MAX_BYTES;
        (fits(&chunk) && fits(&asked)).then_some(Self { data_type, options, flags, chunk, asked, offset, extent })
    }
}

/// A block of an N5 array with this compression.
fn n5(compression: impl Fn(u8) -> &'static str, data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Some(case) = Case::read(&mut u, false) else { return };
    let document = format!(
        r#"{{"dimensions":{0:?},"blockSize":{0:?},"dataType":"{1}","compression":{2}}}"#,
        case.chunk,
        case.data_type.name(),
        compression(case.flags)
    );
    check(&case, &document, true, u.take_rest());
}

/// Raw blocks.
pub fn raw(data: &[u8]) {
    n5(|_| r#"{"type":"raw"}"#, data);
}

/// gzip and zlib streams.
pub fn gzip(data: &[u8]) {
    let compression =
        |flags| if flags & 4 == 0 { r#"{"type":"gzip","level":1,"useZlib":false}"# } else { r#"{"type":"gzip","level":1,"useZlib":true}"# };
    n5(compression, data);
}

/// bzip2 streams.
pub fn bzip2(data: &[u8]) {
    n5(|_| r#"{"type":"bzip2","blockSize":1}"#, data);
}

/// xz streams.
pub fn xz(data: &[u8]) {
    n5(|_| r#"{"type":"xz","preset":0}"#, data);
}

/// The four formats that are called lz4.
pub fn lz4(data: &[u8]) {
    n5(|flags| if flags & 4 == 0 { r#"{"type":"lz4","blockSize":65536}"# } else { r#"{"type":"lz4","blockSize":64}"# }, data);
}

/// Blosc frames.
pub fn blosc(data: &[u8]) {
    let compression = |flags| {
        if flags & 4 == 0 {
            r#"{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}"#
        } else {
            r#"{"type":"blosc","cname":"blosclz","clevel":1,"shuffle":2,"blocksize":256}"#
        }
    };
    n5(compression, data);
}

/// zstd frames.
pub fn zstd(data: &[u8]) {
    n5(|_| r#"{"type":"zstd","level":1}"#, data);
}

/// Chunks of Zarr arrays with up to three compressors.
pub fn plain_chain(data: &[u8]) {
    const CODECS: [&str; 6] = [
        r#"{"name":"gzip","configuration":{"level":1}}"#,
        r#"{"name":"zstd","configuration":{"level":1,"checksum":true}}"#,
        r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}"#,
        r#"{"name":"numcodecs.bz2","configuration":{"level":1}}"#,
        r#"{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":0,"filters":null}}"#,
        r#"{"name":"numcodecs.zlib","configuration":{"level":1}}"#,
    ];
    let mut u = Unstructured::new(data);
    let Ok(codecs) = u.arbitrary::<[u8; 3]>() else { return };
    let Some(case) = Case::read(&mut u, true) else { return };
    let endian = if case.flags & 4 == 0 { "little" } else { "big" };
    let mut chain = format!(r#"{{"name":"bytes","configuration":{{"endian":"{endian}"}}}}"#);
    for codec in codecs.iter().filter_map(|&codec| CODECS.get(usize::from(codec) % 8)) {
        chain = format!("{chain},{codec}");
    }
    let (data_type, fill) = match case.data_type {
        DataType::FixedUtf32 { length_bytes } => (zn5::utf32::data_type_json(length_bytes), "\"\""),
        data_type => (format!("\"{}\"", data_type.name()), "0"),
    };
    let document = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{0:?},"data_type":{data_type},"chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{0:?}}}}},"chunk_key_encoding":"default","fill_value":{fill},"codecs":[{chain}]}}"#,
        case.chunk
    );
    check(&case, &document, false, u.take_rest());
}

fn check(case: &Case, document: &str, is_n5: bool, block: &[u8]) {
    let size = case.data_type.size();
    let f_order = case.options.f_order;
    let make = if is_n5 { Codec::from_n5 } else { Codec::from_zarr };
    let codec = make(document.as_bytes(), &case.options).expect("a sound document");
    let len = usize::try_from(model::count(&case.asked)).unwrap() * size;

    // Three bytes more than the array: they stay. Nothing of what was in the memory before may be in the array.
    let decode_over = |before: u8, block: &[u8], shape: &[u64], len: usize| {
        let mut array = vec![before; len + 3];
        let result = codec.decode_block(block, shape, &mut array);
        assert_eq!(array[len..], [before; 3], "bytes behind the array were written");
        array.truncate(len);
        result.map(|()| array)
    };
    let decode = |block: &[u8], shape: &[u64], len: usize| decode_over(0xaa, block, shape, len);
    let whole = decode(block, &case.asked, len);
    assert_eq!(whole, decode_over(0x55, block, &case.asked, len), "the array depends on what was in memory, or on earlier calls");
    let by_engine = by_engine(case, document, is_n5, block, len);
    assert_eq!(whole.clone().map_err(|failure| failure.message), by_engine, "the engine decodes something else");
    region(case, &codec, block, whole.as_deref().ok(), size);
    if whole.is_err() {
        return;
    }

    // What was decoded is encoded, and decodes to the same.
    let stored = if is_n5 { stored_extents(block, case.asked.len()) } else { case.asked.clone() };
    let Some(len) = model::count(&stored).checked_mul(size as u64).filter(|&len| len <= 4 * MAX_BYTES) else { return };
    let len = usize::try_from(len).unwrap();
    let array = decode(block, &stored, len).expect("it was decoded before");
    if stored.contains(&0) || case.options.strict && stored.iter().zip(&case.chunk).any(|(stored, chunk)| stored > chunk) {
        codec.encode_block(&stored, &array).expect_err("no block is written so");
        return;
    }
    match codec.encode_block(&stored, &array) {
        Ok(again) => {
            assert!(decode(&again, &stored, len).expect("zn5 wrote it") == array, "encoding changed the array");
            let part = decode(&again, &case.asked, whole.as_ref().map_or(0, Vec::len)).expect("zn5 wrote it");
            assert!(Ok(part) == whole, "decoded from {f_order} order");
        }
        Err(failure) => assert!(failure.status == ZN5_ERROR_LIMIT_EXCEEDED && len as u64 > MAX_BYTES, "{failure:?}"),
    }
}

fn by_engine(case: &Case, document: &str, is_n5: bool, block: &[u8], len: usize) -> Result<Vec<u8>, String> {
    let settings = if is_n5 { array_from_n5(document.as_bytes()) } else { array_from_zarr(document.as_bytes()) };
    let order = if case.options.f_order { Order::F } else { Order::C };
    let options = CodecOptions {
        order,
        strict: case.options.strict,
        max_decoded_bytes: Some(case.options.max_decoded_bytes).filter(|&limit| limit != 0),
        fill_value: case.options.fill.clone(),
    };
    let codec = zn5::codec::Codec::new(settings.unwrap(), options).unwrap();
    let mut array = vec![0xaa; len];
    let destination = Destination::over(&mut array, &case.asked, case.data_type.size(), order).unwrap();
    engine(block.len(), codec.decode(block, &case.asked, &vec![0; case.asked.len()], destination, true))?;
    Ok(array)
}

/// A box, into an image with gaps: nothing but the box is written, and it is that of the whole array.
fn region(case: &Case, codec: &Codec, block: &[u8], whole: Option<&[u8]>, size: usize) {
    let Case { asked, offset, extent, .. } = case;
    let gap = usize::from(case.flags >> 6);
    let (strides, origin, image_len) = model::spread(extent, size, case.flags & 32 != 0, gap, u32::from(case.flags));
    let mut image = vec![0xaa; image_len];
    let result = codec.decode_region(block, asked, offset, extent, &mut image, origin, &strides);
    let mut is_inside = vec![false; image_len];
    for index in model::indices(extent) {
        let at = usize::try_from(model::position(&index, origin, &strides)).unwrap();
        is_inside[at..at + size].fill(true);
        if let Some(whole) = whole {
            let of_whole: Vec<u64> = index.iter().zip(offset).map(|(index, offset)| index + offset).collect();
            let expected = model::element(whole, &of_whole, asked, case.options.f_order, size);
            assert_eq!(image[at..at + size], *expected, "{result:?}: element {of_whole:?}");
        }
    }
    assert!(whole.is_none() || result.is_ok(), "the whole block decodes and a part does not: {result:?}");
    let outside = image.iter().zip(&is_inside).position(|(&byte, &inside)| !inside && byte != 0xaa);
    assert_eq!(outside, None, "a byte outside the box was written");
}

fn stored_extents(block: &[u8], ndim: usize) -> Vec<u64> {
    let mut extents = vec![0; ndim];
    let (mut mode, mut rank) = (9, 0);
    let (count, header_len) = (std::ptr::null_mut(), std::ptr::null_mut());
    call(block.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe {
            zn5_block_header(
                block.as_ptr().cast(),
                block.len(),
                &raw mut mode,
                &raw mut rank,
                extents.as_mut_ptr(),
                ndim,
                count,
                header_len,
                error,
            )
        }
    })
    .expect("its block decodes");
    assert_eq!((mode, usize::from(rank)), (0, ndim));
    extents
}
