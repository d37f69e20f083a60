//! Runs of code units: padding, the length of their text, the text. Groups of units go through vector registers.

use std::mem::MaybeUninit;

use crate::model::Endian;

/// One stored code unit.
pub(super) type Unit = [u8; 4];

/// Units that are looked at together: two vector registers of 128 bits.
pub(super) const LANES: usize = 8;

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
pub(super) fn without_padding(mut units: &[Unit]) -> &[Unit] {
    while let Some((rest, group)) = units.split_last_chunk::<LANES>() {
        if group.iter().fold(0, |all, &unit| all | u32::from_ne_bytes(unit)) != 0 {
            break;
        }
        units = rest;
    }
    while let Some((unit, rest)) = units.split_last() {
        if *unit != [0; 4] {
            break;
        }
        units = rest;
    }
    units
}

/// Whether all units are below U+0080.
fn is_ascii(units: &[Unit], endian: Endian) -> bool {
    let all = units.iter().fold(0, |all, &unit| all | u32::from_ne_bytes(unit));
    value(all.to_ne_bytes(), endian) < 0x80
}

/// Bytes of the UTF-8 text that the units spell.
pub(super) fn utf8_len(units: &[Unit], endian: Endian) -> Result<usize, Invalid> {
    let (groups, rest) = units.as_chunks::<LANES>();
    let mut len = 0;
    for (number, group) in groups.iter().enumerate() {
        len += if is_ascii(group, endian) { LANES } else { len_one_by_one(group, endian, number * LANES)? };
    }
    let rest = if is_ascii(rest, endian) { rest.len() } else { len_one_by_one(rest, endian, groups.len() * LANES)? };
    Ok(len + rest)
}

fn len_one_by_one(units: &[Unit], endian: Endian, first: usize) -> Result<usize, Invalid> {
    let mut len = 0;
    for (index, &unit) in units.iter().enumerate() {
        let unit = value(unit, endian);
        len += char::from_u32(unit).ok_or(Invalid { index: first + index, unit })?.len_utf8();
    }
    Ok(len)
}

/// Writes the text of `element` without its padding to the start of `dst`, and gives what follows it; `None` where it does not fit or
/// is no text. Bytes behind the text, but inside `dst`, may be written.
pub(super) fn write_utf8<'a>(element: &[Unit], endian: Endian, mut dst: &'a mut [MaybeUninit<u8>]) -> Option<&'a mut [MaybeUninit<u8>]> {
    let mut text_units = without_padding(element).len();
    let mut units = element;
    while text_units > 0 {
        let taken = text_units.min(LANES);
        // A group may reach into the padding: a whole one is faster than a part, and what it writes too much is written over later.
        if let (Some(group), Some(slots)) = (units.first_chunk::<LANES>(), dst.first_chunk_mut::<LANES>())
            && is_ascii(group, endian)
        {
            *slots = group.map(|unit| MaybeUninit::new(low_byte(unit, endian)));
            dst = dst.get_mut(taken..)?;
        } else {
            dst = write_group(units.get(..taken)?, endian, dst)?;
        }
        units = units.get(taken..)?;
        text_units -= taken;
    }
    Some(dst)
}

fn low_byte(unit: Unit, endian: Endian) -> u8 {
    match endian {
        Endian::Little => unit[0],
        Endian::Big => unit[3],
    }
}

fn write_group<'a>(units: &[Unit], endian: Endian, mut dst: &'a mut [MaybeUninit<u8>]) -> Option<&'a mut [MaybeUninit<u8>]> {
    if is_ascii(units, endian) {
        let (slots, free) = dst.split_at_mut_checked(units.len())?;
        for (slot, &unit) in slots.iter_mut().zip(units) {
            slot.write(low_byte(unit, endian));
        }
        return Some(free);
    }
    let mut buffer = [0; 4];
    for &unit in units {
        let text = char::from_u32(value(unit, endian))?.encode_utf8(&mut buffer);
        let (slots, free) = dst.split_at_mut_checked(text.len())?;
        for (slot, byte) in slots.iter_mut().zip(text.bytes()) {
            slot.write(byte);
        }
        dst = free;
    }
    Some(dst)
}
