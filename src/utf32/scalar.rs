//! One element: UTF-8 text into code units.

use std::mem::MaybeUninit;

use super::units::stored;
use super::{Format, too_long};
use crate::error::{Error, ErrorKind, Result};

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
    let mut units = units.iter_mut();
    let rest = std::str::from_utf8(rest).map_err(|error| {
        let offset = ascii_len.saturating_add(error.valid_up_to());
        Error::new(ErrorKind::InvalidUtf8, format!("the text is not UTF-8 at byte {offset}")).at(offset as u64)
    })?;
    let mut points = rest.chars();
    for point in &mut points {
        let Some(unit) = units.next() else {
            let count = rest.chars().count().saturating_add(ascii_len);
            return Err(too_long(count, format));
        };
        *unit = stored(u32::from(point), format.endian).map(MaybeUninit::new);
    }
    for unit in units {
        *unit = [MaybeUninit::new(0); 4];
    }
    Ok(())
}
