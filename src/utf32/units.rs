//! Runs of code units: padding, the length of their text, the text. Groups of units go through vector registers.

#![allow(clippy::inline_always, reason = "the byte order is known where elements are handled, and has to be known within")]

use std::mem::MaybeUninit;

use crate::model::Endian;

/// One stored code unit.
pub(super) type Unit = [u8; 4];

/// Units that are looked at together: a vector register of 128 bits.
const LANES: usize = 4;

/// A unit that is no Unicode scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Invalid {
    /// Which of the units.
    pub(super) index: usize,
    /// Its value.
    pub(super) unit: u32,
}

/// Reads one code unit.
pub(super) fn value(unit: Unit, endian: Endian) -> u32 {
    match endian {
        Endian::Little => u32::from_le_bytes(unit),
        Endian::Big => u32::from_be_bytes(unit),
    }
}

/// Writes one code unit.
pub(super) fn stored(value: u32, endian: Endian) -> Unit {
    match endian {
        Endian::Little => value.to_le_bytes(),
        Endian::Big => value.to_be_bytes(),
    }
}

/// The units before the trailing U+0000.
pub(super) fn without_padding(units: &[Unit]) -> &[Unit] {
    units.get(..used(units)).unwrap_or_default()
}

/// How many units come before the trailing U+0000.
#[inline(always)]
fn used(units: &[Unit]) -> usize {
    let (rest, groups) = units.as_rchunks::<LANES>();
    for (number, group) in groups.iter().enumerate().rev() {
        // The last unit's bits are the highest.
        let bits = group.as_flattened().first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
        if bits != 0 {
            return rest.len() + number * LANES + LANES - bits.leading_zeros() as usize / 32;
        }
    }
    rest.iter().rposition(|unit| *unit != [0; 4]).map_or(0, |last| last + 1)
}

/// Whether all units of a group are below U+0080.
#[inline(always)]
fn is_ascii(group: &[Unit; LANES], endian: Endian) -> bool {
    let any = group.iter().fold(0, |any, &unit| any | u32::from_ne_bytes(unit));
    value(any.to_ne_bytes(), endian) < 0x80
}

/// A group that begins with these units.
#[inline(always)]
fn padded(units: &[Unit]) -> [Unit; LANES] {
    let mut group = [[0; 4]; LANES];
    for (slot, unit) in group.iter_mut().zip(units) {
        *slot = *unit;
    }
    group
}

/// Bytes of the UTF-8 text of an element.
#[inline(always)]
pub(super) fn utf8_len(element: &[Unit], endian: Endian) -> Result<usize, Invalid> {
    let units = without_padding(element);
    // Whole groups, with some of the padding: it adds nothing.
    let whole = element.get(..units.len().next_multiple_of(LANES)).unwrap_or(units);
    let (groups, rest) = whole.as_chunks();
    let last = padded(rest);
    let mut any = last.map(u32::from_ne_bytes);
    for group in groups {
        for (any, unit) in any.iter_mut().zip(group) {
            *any |= u32::from_ne_bytes(*unit);
        }
    }
    if is_ascii(&any.map(u32::to_ne_bytes), endian) {
        return Ok(units.len());
    }
    let (mut more, mut bad) = ([0; LANES], [0; LANES]);
    for group in groups.iter().chain(std::iter::once(&last)) {
        for ((more, bad), unit) in more.iter_mut().zip(&mut bad).zip(group.map(|unit| value(unit, endian))) {
            *more += u32::from(unit >= 0x80) + u32::from(unit >= 0x800) + u32::from(unit >= 0x1_0000);
            *bad |= u32::from(unit > 0x10_FFFF) | u32::from(unit & !0x7FF == 0xD800);
        }
    }
    if bad == [0; LANES] {
        return Ok(more.iter().fold(units.len(), |len, &more| len + more as usize));
    }
    let mut values = units.iter().map(|&unit| value(unit, endian)).enumerate();
    values.find(|&(_, unit)| char::from_u32(unit).is_none()).map_or(Ok(units.len()), |(index, unit)| Err(Invalid { index, unit }))
}

/// Writes the text of `element` without its padding to the start of `dst`, and gives its length; `None` where it does not fit or
/// is no text. Bytes behind the text, but inside `dst`, may be written.
#[inline(always)]
pub(super) fn write_utf8(element: &[Unit], endian: Endian, dst: &mut [MaybeUninit<u8>]) -> Option<usize> {
    let room = dst.len();
    write_units(element, endian, dst).map(|free| room - free.len())
}

/// The same, but gives what follows the text.
#[inline(always)]
fn write_units<'a>(element: &[Unit], endian: Endian, mut dst: &'a mut [MaybeUninit<u8>]) -> Option<&'a mut [MaybeUninit<u8>]> {
    let mut left = used(element);
    let mut units = element;
    // A group may reach into the padding: a whole one is faster than a part, and what it writes too much is written over later.
    while left > 0
        && let Some((group, behind)) = units.split_first_chunk()
    {
        let taken = left.min(LANES);
        dst = match write_group(group, taken, endian, dst) {
            Ok(free) => free,
            Err(dst) => write_each(group.iter().take(taken), endian, dst)?,
        };
        units = behind;
        left -= taken;
    }
    if left == 0 {
        return Some(dst);
    }
    write_each(units.iter().take(left), endian, dst)
}

/// Writes units that all need one byte, or all two; gives `dst` back where they are others or there is no room.
#[inline(always)]
fn write_group<'a>(
    group: &[Unit; LANES],
    taken: usize,
    endian: Endian,
    dst: &'a mut [MaybeUninit<u8>],
) -> Result<&'a mut [MaybeUninit<u8>], &'a mut [MaybeUninit<u8>]> {
    if is_ascii(group, endian) {
        let Some(slots) = dst.first_chunk_mut::<LANES>() else { return Err(dst) };
        *slots = group.map(|unit| MaybeUninit::new(low_byte(unit, endian)));
        return Ok(dst.get_mut(taken..).unwrap_or_default());
    }
    let units = group.map(|unit| value(unit, endian));
    if units.iter().all(|unit| (0x80..0x800).contains(unit)) {
        let Some(slots) = dst.first_chunk_mut::<{ 2 * LANES }>() else { return Err(dst) };
        for (slots, unit) in slots.as_chunks_mut().0.iter_mut().zip(units) {
            *slots = two_bytes(unit).map(MaybeUninit::new);
        }
        return Ok(dst.get_mut(2 * LANES..).unwrap_or_default());
    }
    Err(dst)
}

#[inline(always)]
fn low_byte(unit: Unit, endian: Endian) -> u8 {
    match endian {
        Endian::Little => unit[0],
        Endian::Big => unit[3],
    }
}

fn write_each<'a>(
    units: impl Iterator<Item = &'a Unit>,
    endian: Endian,
    mut dst: &mut [MaybeUninit<u8>],
) -> Option<&mut [MaybeUninit<u8>]> {
    for &unit in units {
        let (bytes, len) = utf8(value(unit, endian))?;
        if let Some(slots) = dst.first_chunk_mut() {
            *slots = bytes.map(MaybeUninit::new);
        } else {
            for (slot, byte) in dst.get_mut(..len)?.iter_mut().zip(bytes) {
                slot.write(byte);
            }
        }
        dst = dst.get_mut(len..)?;
    }
    Some(dst)
}

/// The bytes of one code point, and how many of the four they are.
#[allow(clippy::cast_possible_truncation)]
fn utf8(unit: u32) -> Option<([u8; 4], usize)> {
    let tail = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
    if unit < 0x80 {
        return Some(([unit as u8, 0, 0, 0], 1));
    }
    if unit < 0x800 {
        let [first, second] = two_bytes(unit);
        return Some(([first, second, 0, 0], 2));
    }
    char::from_u32(unit)?;
    if unit < 0x1_0000 {
        return Some(([0xE0 | (unit >> 12) as u8, tail(6), tail(0), 0], 3));
    }
    Some(([0xF0 | (unit >> 18) as u8, tail(12), tail(6), tail(0)], 4))
}

#[allow(clippy::cast_possible_truncation)]
fn two_bytes(unit: u32) -> [u8; 2] {
    [0xC0 | (unit >> 6) as u8, 0x80 | (unit & 0x3F) as u8]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::super::tests::initialised;
    use super::*;

    /// Every kind of neighbour in every place, against the standard library.
    #[test]
    fn text_is_that_of_the_standard_library_whatever_stands_beside_it() {
        let kinds = ['\0', 'a', 'é', '\u{7ff}', '\u{800}', '日', '\u{ffff}', '\u{10000}', '\u{10ffff}'];
        let mut seed = 1_u32;
        for round in 0..if cfg!(miri) { 100 } else { 20_000 } {
            let capacity = round % 21 + 1;
            let points: Vec<char> = (0..capacity)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    kinds[(seed >> 16) as usize % kinds.len().min(round / 2000 + 2)]
                })
                .collect();
            let text: String = points.iter().collect();
            let text = text.trim_end_matches('\0');
            for endian in [Endian::Little, Endian::Big] {
                let element: Vec<Unit> = points.iter().map(|&point| stored(u32::from(point), endian)).collect();
                assert_eq!(without_padding(&element).len(), text.chars().count());
                assert_eq!(utf8_len(&element, endian), Ok(text.len()));
                for room in [text.len(), text.len() + 4 * capacity] {
                    let mut dst = vec![MaybeUninit::new(0xaa); room];
                    assert_eq!(write_utf8(&element, endian, &mut dst), Some(text.len()));
                    assert_eq!(&initialised(&dst)[..text.len()], text.as_bytes());
                }
                if let Some(room) = text.len().checked_sub(1) {
                    assert!(write_utf8(&element, endian, &mut vec![MaybeUninit::new(0); room]).is_none());
                }
            }
        }
    }
}
