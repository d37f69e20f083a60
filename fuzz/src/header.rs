//! Block headers from a stranger, against a reader that follows the format's table word by word.
//!
//! Input: how many extents there is room for, then the block.

use zn5::block;
use zn5::ffi::{ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_LIMIT_EXCEEDED, zn5_block_header};

use super::capi::{call, engine};

/// Mode, extents, element count (none where the product has no 64 bits), bytes of the header.
type Header = (u16, Vec<u64>, Option<u64>, usize);

fn model(src: &[u8]) -> Option<Header> {
    let half = |at: usize| Some(u16::from_be_bytes(src.get(at..at + 2)?.try_into().unwrap()));
    let word = |at: usize| Some(u64::from(u32::from_be_bytes(src.get(at..at + 4)?.try_into().unwrap())));
    let mode = half(0)?;
    if mode == 2 {
        return Some((mode, vec![], Some(word(2)?), 6));
    }
    let ndim = usize::from(half(2)?);
    let extents = (0..ndim).map(|axis| word(4 + 4 * axis)).collect::<Option<Vec<_>>>()?;
    let len = 4 + 4 * ndim;
    match mode {
        0 if extents.contains(&0) => Some((mode, extents, Some(0), len)),
        0 => {
            let product = extents.iter().try_fold(1_u64, |product, &extent| product.checked_mul(extent));
            Some((mode, extents, product, len))
        }
        1 => Some((mode, extents, Some(word(len)?), len + 4)),
        _ => None,
    }
}

/// Reads a header.
pub fn run(data: &[u8]) {
    let Some((&room, src)) = data.split_first() else { return };
    let room = usize::from(room);
    let expected = model(src);
    let (mut mode, mut ndim, mut count, mut header_len) = (u16::MAX, u16::MAX, u64::MAX, usize::MAX);
    let mut shape = vec![u64::MAX; room];
    let result = call(src.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe {
            zn5_block_header(
                src.as_ptr().cast(),
                src.len(),
                &raw mut mode,
                &raw mut ndim,
                shape.as_mut_ptr(),
                room,
                &raw mut count,
                &raw mut header_len,
                error,
            )
        }
    });
    let by_engine = engine(src.len(), block::parse(src).and_then(|header| header.element_count().map(|count| (header, count))));
    match (result, &expected) {
        (Ok(()), Some((expected_mode, extents, Some(expected_count), len))) => {
            assert_eq!((mode, count, header_len), (*expected_mode, *expected_count, *len));
            assert_eq!((usize::from(ndim), &shape[..extents.len()]), (extents.len(), &extents[..]));
            assert!(shape[extents.len()..].iter().all(|&extent| extent == u64::MAX));
            let (header, engine_count) = by_engine.expect("the C API read it");
            assert_eq!((header.mode().number(), header.len(), engine_count), (mode, header_len, count));
            if mode == 0 {
                let mut written = vec![];
                block::append(extents, &mut written).unwrap();
                assert_eq!(written, src[..*len]);
                let (parsed, payload) = block::parse_default(src, extents.len()).unwrap();
                assert_eq!((&parsed[..], payload), (&extents[..], &src[*len..]));
            }
        }
        (Err(failure), Some((_, _, None, _))) => assert_eq!(failure.status, ZN5_ERROR_LIMIT_EXCEEDED),
        (Err(failure), Some((_, extents, ..))) => {
            assert!(failure.status == ZN5_ERROR_BUFFER_TOO_SMALL && room < extents.len(), "{failure:?}");
            assert_eq!(usize::from(ndim), extents.len());
        }
        (Err(failure), None) => {
            assert_eq!(by_engine.map(|_| ()), Err(failure.message));
            assert_eq!((mode, header_len), (u16::MAX, usize::MAX), "outputs are written on success only");
        }
        (result, expected) => panic!("{result:?}, the model says {expected:?}"),
    }
}
