//! Strings of fixed length: elements from a stranger, text from a stranger, JSON strings and names of the type; against `char`.
//!
//! Input of `elements`: byte order and capacity, bytes a text, then elements and at once text.

use zn5::ffi::*;

use super::capi::{Failure, call, text};

/// The text of one element, trailing NULs removed; the first unit that is none.
fn model(element: &[u8], big: bool) -> Result<String, usize> {
    let units: Vec<u32> = element
        .chunks_exact(4)
        .map(|unit| unit.try_into().unwrap())
        .map(|unit| if big { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) })
        .collect();
    let characters = units.iter().enumerate().map(|(index, &unit)| char::from_u32(unit).ok_or(4 * index));
    characters.collect::<Result<String, _>>().map(|text| text.trim_end_matches('\0').to_owned())
}

fn format(choice: u8) -> (bool, zn5_endian, usize) {
    let big = choice & 1 == 1;
    (big, if big { ZN5_ENDIAN_BIG } else { ZN5_ENDIAN_LITTLE }, 4 * (usize::from(choice >> 1) % 20 + 1))
}

fn decode_one(element: &[u8], endian: zn5_endian) -> Result<String, Failure> {
    text(element.len(), |dst, len, needed, error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_decode(element.as_ptr().cast(), element.len(), endian, dst, len, needed, error) }
    })
}

/// Arrays of elements.
pub fn elements(data: &[u8]) {
    let &[choice, step, ref rest @ ..] = data else { return };
    let (big, endian, length) = format(choice);
    decode(rest, big, endian, length);
    encode(rest, usize::from(step % 16), big, endian, length);
}

fn decode(rest: &[u8], big: bool, endian: zn5_endian, length: usize) {
    let count = rest.len() / length;
    let src = &rest[..count * length];
    let expected: Vec<_> = src.chunks_exact(length).map(|element| model(element, big)).collect();
    let bad = expected.iter().position(Result::is_err);

    let mut bad_index = usize::MAX;
    call(src.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_validate(src.as_ptr().cast(), src.len(), count, endian, length, &raw mut bad_index, error) }
    })
    .expect("lengths fit");
    assert_eq!(bad_index, bad.unwrap_or(count));

    let mut offsets = vec![u64::MAX; count + 2];
    let array = text(src.len(), |dst, len, needed, error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe {
            let offsets = if dst.is_null() { std::ptr::null_mut() } else { offsets.as_mut_ptr() };
            zn5_utf32_decode_array(src.as_ptr().cast(), src.len(), count, endian, length, dst, len, offsets, needed, error)
        }
    });
    match (&array, bad) {
        (Ok(array), None) => {
            assert_eq!(offsets[count + 1], u64::MAX, "an offset behind the last was written");
            if !array.is_empty() {
                let offset = |index: usize| usize::try_from(offsets[index]).unwrap();
                for (index, text) in expected.iter().enumerate() {
                    assert_eq!(Ok(&array[offset(index)..offset(index + 1)]), text.as_deref());
                }
                assert_eq!((offset(0), offset(count)), (0, array.len()));
            }
        }
        (Err(failure), Some(_)) => assert_eq!(failure.status, ZN5_ERROR_INVALID_CODE_POINT),
        (array, bad) => panic!("{array:?}, element {bad:?} is no text"),
    }
    for (element, expected) in src.chunks_exact(length).zip(&expected) {
        let decoded = decode_one(element, endian).map_err(|failure| assert_eq!(failure.status, ZN5_ERROR_INVALID_CODE_POINT));
        assert_eq!(decoded.as_ref().ok(), expected.as_ref().ok());
        let Ok(text) = decoded else { continue };
        let mut again = vec![0xaa; length];
        encode_one(text.as_bytes(), endian, &mut again).expect("it came from an element");
        assert_eq!(again, element);
        let json = to_json(element, endian).expect("it is text");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
        assert_eq!(from_json(json.as_bytes(), endian, length).as_deref(), Ok(element));
    }
}

fn encode_one(text: &[u8], endian: zn5_endian, dst: &mut [u8]) -> Result<(), Failure> {
    call(text.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_encode(text.as_ptr().cast(), text.len(), endian, dst.as_mut_ptr().cast(), dst.len(), error) }
    })
}

/// Whether a text fits an element; the status where it does not.
fn fits(text: &[u8], length: usize) -> Result<&str, zn5_status> {
    let text = std::str::from_utf8(text).map_err(|_| ZN5_ERROR_INVALID_UTF8)?;
    if text.chars().count() > length / 4 { Err(ZN5_ERROR_STRING_TOO_LONG) } else { Ok(text) }
}

fn encode(utf8: &[u8], step: usize, big: bool, endian: zn5_endian, length: usize) {
    let count = utf8.len().checked_div(step).unwrap_or(utf8.len() % 16);
    let offsets: Vec<u64> = (0..=count).map(|index| (index * step) as u64).collect();
    let texts: Vec<_> = (0..count).map(|index| fits(&utf8[index * step..][..step], length)).collect();
    let mut dst = vec![0xaa; count * length + 3];
    let result = call(utf8.len(), |error| {
        let (text, offsets, dst_len) = (utf8.as_ptr().cast(), offsets.as_ptr(), dst.len());
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_encode_array(text, utf8.len(), offsets, count, endian, length, dst.as_mut_ptr().cast(), dst_len, error) }
    });
    assert_eq!(dst[count * length..], [0xaa; 3], "bytes behind the array were written");
    if let Some(status) = texts.iter().find_map(|text| text.err()) {
        assert_eq!(result.expect_err("one of the texts does not fit").status, status);
    } else {
        result.expect("all texts fit");
        for (element, text) in dst.chunks_exact(length).zip(&texts) {
            assert_eq!(model(element, big).ok().as_deref(), text.ok().map(|text| text.trim_end_matches('\0')));
        }
    }
    // The whole text in one element.
    let mut element = vec![0xaa; length];
    match (encode_one(utf8, endian, &mut element), fits(utf8, length)) {
        (Ok(()), Ok(text)) => assert_eq!(decode_one(&element, endian).as_deref(), Ok(text.trim_end_matches('\0'))),
        (Err(failure), Err(status)) => assert_eq!(failure.status, status),
        (result, fits) => panic!("{result:?}, {fits:?}"),
    }
}

fn from_json(json: &[u8], endian: zn5_endian, length: usize) -> Result<Vec<u8>, Failure> {
    let mut element = vec![0xaa; length];
    call(json.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_from_json(json.as_ptr().cast(), json.len(), endian, element.as_mut_ptr().cast(), length, error) }
    })?;
    Ok(element)
}

fn to_json(element: &[u8], endian: zn5_endian) -> Result<String, Failure> {
    text(element.len(), |dst, len, needed, error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_to_json(element.as_ptr().cast(), element.len(), endian, dst, len, needed, error) }
    })
}

/// JSON strings and the names of the type. Input: byte order and capacity, then JSON or a name.
pub fn names(data: &[u8]) {
    let Some((&choice, json)) = data.split_first() else { return };
    let (big, endian, length) = format(choice);
    let parsed = serde_json::from_slice::<String>(json);
    match (from_json(json, endian, length), &parsed) {
        (Ok(element), Ok(expected)) => {
            assert_eq!(model(&element, big).as_deref(), Ok(expected.trim_end_matches('\0')));
            assert_eq!(from_json(to_json(&element, endian).expect("text").as_bytes(), endian, length), Ok(element));
        }
        (Err(failure), Ok(expected)) => {
            assert!(failure.status == ZN5_ERROR_STRING_TOO_LONG && expected.chars().count() > length / 4, "{failure:?}");
        }
        (Err(failure), Err(_)) => assert!(failure.status != ZN5_ERROR_STRING_TOO_LONG, "{failure:?}"),
        (Ok(element), Err(error)) => panic!("{error}, but {element:?}"),
    }

    let mut bytes = usize::MAX;
    let object = call(json.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_data_type_parse(json.as_ptr().cast(), json.len(), &raw mut bytes, error) }
    });
    if object.is_ok() {
        assert!(bytes > 0 && bytes.is_multiple_of(4));
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        let written = text(0, |dst, len, needed, error| unsafe { zn5_utf32_data_type_json(bytes, dst, len, needed, error) });
        let written: serde_json::Value = serde_json::from_str(&written.expect("a length")).expect("JSON");
        // The other reader refuses numbers beyond its own types, which nobody looks at where a
        // later member has the same name.
        assert!(serde_json::from_slice::<serde_json::Value>(json).is_ok_and(|parsed| parsed == written) || json.contains(&b'e'));
    }

    let (mut bytes, mut order) = (usize::MAX, 0);
    let name = call(json.len(), |error| {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        unsafe { zn5_utf32_numpy_dtype_parse(json.as_ptr().cast(), json.len(), &raw mut bytes, &raw mut order, error) }
    });
    if name.is_ok() {
        // SAFETY: all buffers live during the call and have the lengths that are passed.
        let written = text(0, |dst, len, needed, error| unsafe { zn5_utf32_numpy_dtype(bytes, order, dst, len, needed, error) });
        assert_eq!(written.expect("a length").as_bytes(), json);
    }
}
