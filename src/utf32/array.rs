//! Many elements: one text buffer and the offsets of the elements' texts in it.

use std::mem::MaybeUninit;

use super::units::{Invalid, utf8_len, write_utf8};
use super::{Format, scalar};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the UTF-8 text of all elements of `src`; one byte after another, no separators.
///
/// # Errors
/// `InvalidCodePoint`, naming element, place and unit, with the byte offset of the unit in `src`.
pub fn text_len(src: &[u8], format: Format) -> Result<usize> {
    let mut len = 0_usize;
    for (index, element) in src.chunks_exact(format.length_bytes).enumerate() {
        len += utf8_len(element.as_chunks().0, format.endian).map_err(|invalid| invalid_unit(index, invalid, format))?;
    }
    Ok(len)
}

/// The first element that is not text, if any.
#[must_use]
pub fn first_invalid(src: &[u8], format: Format) -> Option<usize> {
    src.chunks_exact(format.length_bytes).position(|element| utf8_len(element.as_chunks().0, format.endian).is_err())
}

/// Writes the text of all elements to `dst`, which has exactly [`text_len`] bytes, and tells `offset` where each begins and the last ends.
///
/// # Errors
/// `Internal` where `dst` has another length, or `src` changed since its length was asked.
pub fn decode_array(src: &[u8], format: Format, dst: &mut [MaybeUninit<u8>], mut offset: impl FnMut(usize, u64)) -> Result<()> {
    let total = dst.len();
    let mut free = dst;
    let mut count = 0;
    for (index, element) in src.chunks_exact(format.length_bytes).enumerate() {
        offset(index, (total - free.len()) as u64);
        free = write_utf8(element.as_chunks().0, format.endian, free)
            .ok_or_else(|| Error::new(ErrorKind::Internal, format!("element {index} changed while it was decoded")))?;
        count = index + 1;
    }
    offset(count, (total - free.len()) as u64);
    Ok(())
}

/// Writes the texts `utf8[offset(i)..offset(i + 1)]` into the elements of `dst`, which is a whole number of them.
///
/// # Errors
/// `InvalidArgument` where offsets fall or leave `utf8`; `InvalidUtf8`, `StringTooLong`, naming the element. `dst` is then unspecified.
pub fn encode_array(utf8: &[u8], offset: impl Fn(usize) -> u64, format: Format, dst: &mut [MaybeUninit<u8>]) -> Result<()> {
    let mut start = offset(0);
    if start > utf8.len() as u64 {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("the first offset is {start} and the text has {} bytes; offsets must not leave it", utf8.len()),
        ));
    }
    for (index, element) in dst.chunks_exact_mut(format.length_bytes).enumerate() {
        let end = offset(index.saturating_add(1));
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let text = range.and_then(|(start, end)| utf8.get(start..end)).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!("element {index} lies at {start}..{end} of a text of {} bytes; offsets must not fall nor leave it", utf8.len()),
            )
        })?;
        scalar::encode(text, format, element).map_err(|error| {
            Error::new(error.kind(), format!("element {index}: {}", error.message())).at(start.saturating_add(error.offset().unwrap_or(0)))
        })?;
        start = end;
    }
    Ok(())
}

fn invalid_unit(element: usize, invalid: Invalid, format: Format) -> Error {
    let Invalid { index, unit } = invalid;
    let what = if unit > 0x10_FFFF { "is above U+10FFFF" } else { "is a surrogate" };
    let offset = (element as u64).saturating_mul(format.length_bytes as u64).saturating_add(index as u64 * 4);
    Error::new(
        ErrorKind::InvalidCodePoint,
        format!("code unit {index} of element {element} is U+{unit:04X}, which {what} and no text; read this element as code units"),
    )
    .at(offset)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::model::Endian;
    use crate::utf32::tests::initialised;
    use crate::utf32::units::stored;

    fn store(elements: &[&[u32]], capacity: usize, endian: Endian) -> Vec<u8> {
        elements
            .iter()
            .flat_map(|units| units.iter().copied().chain(std::iter::repeat(0)).take(capacity))
            .flat_map(|unit| stored(unit, endian))
            .collect()
    }

    fn texts(src: &[u8], format: Format) -> Result<Vec<String>> {
        let mut bytes = vec![MaybeUninit::new(0xaa); text_len(src, format)?];
        let mut offsets = Vec::new();
        decode_array(src, format, &mut bytes, |_, offset| offsets.push(usize::try_from(offset).unwrap()))?;
        let text = String::from_utf8(initialised(&bytes)).unwrap();
        assert_eq!(offsets.last(), Some(&text.len()));
        Ok(offsets.windows(2).map(|ends| text[ends[0]..ends[1]].to_owned()).collect())
    }

    #[test]
    fn policy_26_only_trailing_nuls_go() {
        for endian in [Endian::Little, Endian::Big] {
            let src = store(&[&[], &[0x61], &[0, 0x61], &[0x61, 0, 0x62], &[0x1f600; 12]], 12, endian);
            assert_eq!(texts(&src, Format::new(48, endian).unwrap()).unwrap(), ["", "a", "\0a", "a\0b", &"😀".repeat(12)]);
        }
    }

    #[test]
    fn policy_25_what_is_no_text_is_named() {
        for (unit, endian) in [(0xd800, Endian::Little), (0xdfff, Endian::Big), (0x11_0000, Endian::Little), (u32::MAX, Endian::Big)] {
            for place in 0..20 {
                let mut bad = [0x61; 20];
                bad[place] = unit;
                let src = store(&[&[0x62], &bad, &[0x63]], 20, endian);
                let format = Format::new(80, endian).unwrap();
                let error = text_len(&src, format).unwrap_err();
                assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidCodePoint, Some(80 + 4 * place as u64)));
                assert_eq!(first_invalid(&src, format), Some(1));
                assert_eq!(first_invalid(&src[160..], format), None);
            }
        }
    }

    #[test]
    fn texts_are_encoded_as_they_are_decoded() {
        let texts_in = ["", "a", "twelve chars", "日本語", "é😀", "\0x", "abcdefghé", "tail😀"];
        let utf8 = texts_in.concat();
        let mut offsets = vec![0_u64];
        offsets.extend(texts_in.iter().scan(0, |end, text| {
            *end += text.len() as u64;
            Some(*end)
        }));
        for endian in [Endian::Little, Endian::Big] {
            let format = Format::new(48, endian).unwrap();
            let units: Vec<Vec<u32>> = texts_in.iter().map(|text| text.chars().map(u32::from).collect()).collect();
            let expected = store(&units.iter().map(Vec::as_slice).collect::<Vec<_>>(), 12, endian);
            let mut dst = vec![MaybeUninit::new(0xaa); expected.len()];
            encode_array(utf8.as_bytes(), |index| offsets[index], format, &mut dst).unwrap();
            assert_eq!(initialised(&dst), expected);
            assert_eq!(texts(&expected, format).unwrap(), texts_in);
        }
    }

    #[test]
    fn bad_offsets_and_texts_name_their_element() {
        let format = Format::new(8, Endian::Little).unwrap();
        let encode = |utf8: &[u8], offsets: &[u64]| {
            let mut dst = vec![MaybeUninit::new(0); 8 * (offsets.len() - 1)];
            encode_array(utf8, |index| offsets[index], format, &mut dst).map_err(|error| (error.kind(), error.offset()))
        };
        assert_eq!(encode(b"abc", &[0, 2, 3]), Ok(()));
        assert_eq!(encode(b"abc", &[1, 2, 3]), Ok(()));
        assert_eq!(encode(b"abc", &[3]), Ok(()));
        assert_eq!(encode(b"abc", &[4]), Err((ErrorKind::InvalidArgument, None)));
        assert_eq!(encode(b"abc", &[0, 2, 1]), Err((ErrorKind::InvalidArgument, None)));
        assert_eq!(encode(b"abc", &[0, 2, 4]), Err((ErrorKind::InvalidArgument, None)));
        assert_eq!(encode(b"abc", &[0, 3]), Err((ErrorKind::StringTooLong, Some(0))));
        assert_eq!(encode(b"ab\xff", &[0, 2, 3]), Err((ErrorKind::InvalidUtf8, Some(2))));
        assert_eq!(encode("é".as_bytes(), &[0, 1, 2]), Err((ErrorKind::InvalidUtf8, Some(0))));
    }
}
