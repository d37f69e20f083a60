//! Many elements: one text buffer and the offsets of the elements' texts in it.

use std::mem::MaybeUninit;

use super::ascii::Groups;
use super::units::{Invalid, utf8_len, write_utf8};
use super::{Format, scalar};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endian;

/// Bytes of the UTF-8 text of all elements of `src`; one byte after another, no separators.
///
/// # Errors
/// `InvalidCodePoint`, naming element, place and unit, with the byte offset of the unit in `src`.
pub fn text_len(src: &[u8], format: Format) -> Result<usize> {
    let result = match format.endian {
        Endian::Little => measure::<false>(src, format),
        Endian::Big => measure::<true>(src, format),
    };
    result.map_err(|(index, invalid)| invalid_unit(index, invalid, format))
}

/// The first element that is not text, if any.
#[must_use]
pub fn first_invalid(src: &[u8], format: Format) -> Option<usize> {
    let result = match format.endian {
        Endian::Little => measure::<false>(src, format),
        Endian::Big => measure::<true>(src, format),
    };
    result.err().map(|(index, _)| index)
}

const fn order<const BIG: bool>() -> Endian {
    if BIG { Endian::Big } else { Endian::Little }
}

fn measure<const BIG: bool>(src: &[u8], format: Format) -> std::result::Result<usize, (usize, Invalid)> {
    let groups = Groups::new(format.capacity());
    let mut rest = src;
    let (mut index, mut len) = (0, 0);
    while let Some((element, behind)) = rest.split_at_checked(format.length_bytes) {
        len += match groups.text_len::<BIG>(rest) {
            Some(len) => len,
            None => utf8_len(element.as_chunks().0, order::<BIG>()).map_err(|invalid| (index, invalid))?,
        };
        rest = behind;
        index += 1;
    }
    Ok(len)
}

/// Writes the text of all elements to `dst`, which has exactly [`text_len`] bytes, and tells `offset` where each begins and the last ends.
///
/// # Errors
/// `Internal` where `dst` has another length, or `src` changed since its length was asked.
pub fn decode_array(src: &[u8], format: Format, dst: &mut [MaybeUninit<u8>], offset: impl FnMut(usize, u64)) -> Result<()> {
    match format.endian {
        Endian::Little => decode_each::<false>(src, format, dst, offset),
        Endian::Big => decode_each::<true>(src, format, dst, offset),
    }
}

fn decode_each<const BIG: bool>(src: &[u8], format: Format, dst: &mut [MaybeUninit<u8>], mut offset: impl FnMut(usize, u64)) -> Result<()> {
    let groups = Groups::new(format.capacity());
    let mut rest = src;
    let (mut index, mut end) = (0, 0);
    while let Some((element, behind)) = rest.split_at_checked(format.length_bytes) {
        offset(index, end as u64);
        let free = dst.get_mut(end..).unwrap_or_default();
        end += match groups.decode::<BIG>(rest, free) {
            Some(len) => len,
            None => write_utf8(element.as_chunks().0, order::<BIG>(), free)
                .ok_or_else(|| Error::new(ErrorKind::Internal, format!("element {index} changed while it was decoded")))?,
        };
        rest = behind;
        index += 1;
    }
    offset(index, end as u64);
    Ok(())
}

/// Writes the texts `utf8[offset(i)..offset(i + 1)]` into the elements of `dst`, which is a whole number of them.
///
/// # Errors
/// `InvalidArgument` where offsets fall or leave `utf8`; `InvalidUtf8`, `StringTooLong`, naming the element. `dst` is then unspecified.
pub fn encode_array(utf8: &[u8], offset: impl Fn(usize) -> u64, format: Format, dst: &mut [MaybeUninit<u8>]) -> Result<()> {
    match format.endian {
        Endian::Little => encode_each::<false>(utf8, offset, format, dst),
        Endian::Big => encode_each::<true>(utf8, offset, format, dst),
    }
}

fn encode_each<const BIG: bool>(utf8: &[u8], offset: impl Fn(usize) -> u64, format: Format, dst: &mut [MaybeUninit<u8>]) -> Result<()> {
    let first = offset(0);
    let Some(mut start) = usize::try_from(first).ok().filter(|&first| first <= utf8.len()) else {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("the first offset is {first} and the text has {} bytes; offsets must not leave it", utf8.len()),
        ));
    };
    let groups = Groups::new(format.capacity());
    let mut rest = dst;
    let mut index = 0_usize;
    while rest.len() >= format.length_bytes {
        let end = offset(index.saturating_add(1));
        let text = usize::try_from(end).ok().and_then(|end| utf8.get(start..end)).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!("element {index} lies at {start}..{end} of a text of {} bytes; offsets must not fall nor leave it", utf8.len()),
            )
        })?;
        let behind = utf8.get(start..).unwrap_or_default();
        if text.len() > format.capacity() || groups.encode::<BIG>(behind, text.len(), rest).is_none() {
            let element = rest.get_mut(..format.length_bytes).unwrap_or_default();
            scalar::encode(text, format, element).map_err(|error| {
                let offset = (start as u64).saturating_add(error.offset().unwrap_or(0));
                Error::new(error.kind(), format!("element {index}: {}", error.message())).at(offset)
            })?;
        }
        start += text.len();
        rest = rest.get_mut(format.length_bytes..).unwrap_or_default();
        index = index.saturating_add(1);
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

    /// What elements hold, unit by unit: the text and the ends, or the byte offset of the first unit that is no text.
    fn reference_decode(elements: &[Vec<u32>], capacity: usize) -> std::result::Result<(String, Vec<u64>), u64> {
        let (mut text, mut offsets) = (String::new(), vec![0]);
        for (number, units) in elements.iter().enumerate() {
            let used = units.iter().rposition(|&unit| unit != 0).map_or(0, |last| last + 1);
            for (index, &unit) in units[..used].iter().enumerate() {
                text.push(char::from_u32(unit).ok_or(4 * (number * capacity + index) as u64)?);
            }
            offsets.push(text.len() as u64);
        }
        Ok((text, offsets))
    }

    fn compare(elements: &[Vec<u32>], capacity: usize, endian: Endian) {
        let format = Format::new(4 * capacity, endian).unwrap();
        let src = store(&elements.iter().map(Vec::as_slice).collect::<Vec<_>>(), capacity, endian);
        let (text, offsets) = match reference_decode(elements, capacity) {
            Ok(expected) => expected,
            Err(place) => {
                assert_eq!(text_len(&src, format).unwrap_err().offset(), Some(place));
                assert_eq!(first_invalid(&src, format).unwrap() as u64, place / (4 * capacity) as u64);
                return;
            }
        };
        assert_eq!(first_invalid(&src, format), None);
        assert_eq!(text_len(&src, format).unwrap(), text.len());
        let mut decoded = vec![MaybeUninit::new(0xAA); text.len()];
        let mut ends = Vec::new();
        decode_array(&src, format, &mut decoded, |_, offset| ends.push(offset)).unwrap();
        assert_eq!((initialised(&decoded), &ends), (text.clone().into_bytes(), &offsets));
        let mut encoded = vec![MaybeUninit::new(0xAA); src.len()];
        encode_array(text.as_bytes(), |index| offsets[index], format, &mut encoded).unwrap();
        assert_eq!(initialised(&encoded), src);
        if !text.is_empty() {
            let short = &mut decoded[1..];
            assert_eq!(decode_array(&src, format, short, |_, _| ()).unwrap_err().kind(), ErrorKind::Internal);
        }
    }

    #[test]
    fn every_capacity_and_every_place_agree_with_one_unit_after_the_other() {
        let kinds = [0, 0x7F, 0x80, 0x7FF, 0x800, 0x7FFF, 0x8000, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0x1_0000, 0x10_FFFF, 0x11_0000, u32::MAX];
        let step = if cfg!(miri) { 23 } else { 1 };
        for capacity in (1..=70).step_by(step) {
            for place in 0..capacity {
                let kind = kinds[(capacity + place) % kinds.len()];
                for used in [place + 1, capacity] {
                    let mut units = vec![0x61; used];
                    units[place] = kind;
                    units.resize(capacity, 0);
                    let others = [vec![0x62; capacity], units.clone(), vec![0; capacity], vec![0x63; capacity], units];
                    for endian in [Endian::Little, Endian::Big] {
                        for first in 0..others.len() {
                            compare(&others[first..], capacity, endian);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn random_elements_agree_with_one_unit_after_the_other() {
        let mut seed = 7_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let kinds = [0x61, 0x7A, 0, 0x7F, 0xE9, 0x416, 0x7D30, 0xFFFD, 0x1_F600, 0xDFFF];
        for round in 0..if cfg!(miri) { 20 } else { 4000 } {
            let capacity = random(70) + 1;
            let kinds = &kinds[..=round % kinds.len()];
            let elements: Vec<Vec<u32>> = (0..random(12))
                .map(|_| {
                    let used = random(capacity + 1);
                    let rare = random(20) + 1;
                    (0..capacity)
                        .map(|index| match index {
                            _ if index >= used => 0,
                            _ if random(rare) == 0 => kinds[random(kinds.len())],
                            _ => 0x61,
                        })
                        .collect()
                })
                .collect();
            compare(&elements, capacity, if random(2) == 0 { Endian::Little } else { Endian::Big });
        }
    }

    #[test]
    fn texts_that_are_not_utf8_or_too_long_are_refused_in_every_place() {
        for capacity in 1..=70 {
            let format = Format::new(4 * capacity, Endian::Little).unwrap();
            let encode = |utf8: &[u8], offsets: &[u64]| {
                let mut dst = vec![MaybeUninit::new(0); 4 * capacity * (offsets.len() - 1)];
                encode_array(utf8, |index| offsets[index], format, &mut dst).map_err(|error| (error.kind(), error.offset()))
            };
            let len = capacity as u64;
            for (place, byte) in (0..capacity).zip([0x80, 0xBF, 0xC0, 0xF8, 0xFF].into_iter().cycle()) {
                let mut utf8 = vec![b'x'; 3 * capacity];
                utf8[capacity + place] = byte;
                assert_eq!(encode(&utf8, &[0, len, 2 * len, 3 * len]), Err((ErrorKind::InvalidUtf8, Some(len + place as u64))));
                assert_eq!(encode(&utf8, &[0, len, len + place as u64]), Ok(()));
            }
            assert_eq!(encode(&vec![b'x'; 3 * capacity], &[0, len, 2 * len + 1, 2 * len + 1]), Err((ErrorKind::StringTooLong, Some(len))));
            assert_eq!(encode(&vec![0; capacity + 1], &[0, len + 1]), Err((ErrorKind::StringTooLong, Some(0))));
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
