//! One element: UTF-8 text into code units.

use std::mem::MaybeUninit;

use super::units::stored;
use super::{Format, too_long};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endian;

/// Bytes that are looked at together.
const LANES: usize = 8;

/// Writes `text` into one element, padded with U+0000.
///
/// # Errors
/// `InvalidUtf8`, `StringTooLong` (counted before any trailing U+0000 is seen as padding), `SizeMismatch` unless `dst` is one element.
pub fn encode(text: &[u8], format: Format, dst: &mut [MaybeUninit<u8>]) -> Result<()> {
    if dst.len() != format.length_bytes {
        return Err(Error::new(
            ErrorKind::SizeMismatch,
            format!("dst has {} bytes and one element has {}", dst.len(), format.length_bytes),
        ));
    }
    let (units, _) = dst.as_chunks_mut::<4>();
    let mut ascii_len = 0;
    for (group, units) in text.as_chunks::<LANES>().0.iter().zip(units.as_chunks_mut::<LANES>().0) {
        if !group.is_ascii() {
            break;
        }
        *units = group.map(|byte| stored(u32::from(byte), format.endian).map(MaybeUninit::new));
        ascii_len += LANES;
    }
    let rest = text.get(ascii_len..).unwrap_or_default();
    let units = units.get_mut(ascii_len..).unwrap_or_default();
    if rest.len() <= units.len() && rest.is_ascii() {
        let (letters, padding) = units.split_at_mut(rest.len());
        for (unit, &byte) in letters.iter_mut().zip(rest) {
            *unit = stored(u32::from(byte), format.endian).map(MaybeUninit::new);
        }
        padding.fill([MaybeUninit::new(0); 4]);
        return Ok(());
    }
    encode_each(rest, units, format.endian).ok_or_else(|| refusal(text, format))
}

/// Writes code point after code point, then padding; `None` where that is not possible.
fn encode_each(mut text: &[u8], units: &mut [[MaybeUninit<u8>; 4]], endian: Endian) -> Option<()> {
    let mut units = units.iter_mut();
    while !text.is_empty() {
        let (point, behind) = split_point(text)?;
        *units.next()? = stored(point, endian).map(MaybeUninit::new);
        text = behind;
    }
    for unit in units {
        *unit = [MaybeUninit::new(0); 4];
    }
    Some(())
}

/// The first code point of a text and what follows it; `None` where it does not begin with the UTF-8 of one.
fn split_point(text: &[u8]) -> Option<(u32, &[u8])> {
    let bits = |byte: u8, count: u32| u32::from(byte) & ((1 << count) - 1);
    let tail = |byte: u8| (byte & 0xC0 == 0x80).then_some(bits(byte, 6));
    match *text {
        [a, ref behind @ ..] if a < 0x80 => Some((a.into(), behind)),
        [a, b, ref behind @ ..] if a & 0xE0 == 0xC0 => {
            let point = bits(a, 5) << 6 | tail(b)?;
            (point >= 0x80).then_some((point, behind))
        }
        [a, b, c, ref behind @ ..] if a & 0xF0 == 0xE0 => {
            let point = bits(a, 4) << 12 | tail(b)? << 6 | tail(c)?;
            (point >= 0x800 && point & !0x7FF != 0xD800).then_some((point, behind))
        }
        [a, b, c, d, ref behind @ ..] if a & 0xF8 == 0xF0 => {
            let point = bits(a, 3) << 18 | tail(b)? << 12 | tail(c)? << 6 | tail(d)?;
            (0x1_0000..=0x10_FFFF).contains(&point).then_some((point, behind))
        }
        _ => None,
    }
}

/// Why a text does not become an element.
fn refusal(text: &[u8], format: Format) -> Error {
    match std::str::from_utf8(text) {
        Ok(text) => too_long(text.chars().count(), format),
        Err(error) => {
            let offset = error.valid_up_to();
            Error::new(ErrorKind::InvalidUtf8, format!("the text is not UTF-8 at byte {offset}")).at(offset as u64)
        }
    }
}
