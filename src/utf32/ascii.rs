//! Elements that hold only ASCII: groups of 16 code units become bytes, and bytes units, without a branch for each.
//!
//! The last group of an element may reach into the next one: a whole group is faster than a part. What was read too much is masked;
//! what was written too much is written over when its element has its turn. Where the memory ends too early, the caller goes another way.

use std::mem::MaybeUninit;

use vector::{Mask, pack, unpack};

/// Units of a group, and bytes of their text.
const UNITS: usize = 16;

/// Bytes of the units of a group.
const STORED: usize = 4 * UNITS;

/// How elements of one capacity are cut into groups.
#[derive(Clone, Copy)]
pub(super) struct Groups {
    count: usize,
    last: Mask,
}

impl Groups {
    pub(super) fn new(capacity: usize) -> Self {
        let count = capacity.div_ceil(UNITS);
        Self { count, last: Mask::new(capacity - count.saturating_sub(1) * UNITS) }
    }

    /// Bytes of the text of the element that `src` begins with; `None` where it is not ASCII or `src` ends within its groups.
    #[inline]
    pub(super) fn text_len<const BIG: bool>(self, src: &[u8]) -> Option<usize> {
        self.each::<BIG>(src, |_| Some(()))
    }

    /// Writes the text of the element that `src` begins with to the start of `dst`, and gives its length; `None` where it is not ASCII or
    /// one of them ends within its groups. Other bytes of `dst` may be written as well.
    #[inline]
    pub(super) fn decode<const BIG: bool>(self, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Option<usize> {
        let mut slots = dst.get_mut(..self.count * UNITS)?.as_chunks_mut().0.iter_mut();
        self.each::<BIG>(src, |bytes| {
            *slots.next()? = bytes;
            Some(())
        })
    }

    /// Writes the `len` bytes that `text` begins with, no more than the capacity, to the element that `dst` begins with, and pads it;
    /// `None` where they are not ASCII or one of them ends within the groups. Other bytes of `dst` may be written as well.
    #[inline]
    pub(super) fn encode<const BIG: bool>(self, text: &[u8], len: usize, dst: &mut [MaybeUninit<u8>]) -> Option<()> {
        let groups = text.get(..self.count * UNITS)?.as_chunks().0;
        let slots = dst.get_mut(..self.count * STORED)?.as_chunks_mut().0;
        let mut left = len;
        for (bytes, slot) in groups.iter().zip(slots) {
            *slot = unpack::<BIG>(bytes, left.min(UNITS))?;
            left = left.saturating_sub(UNITS);
        }
        Some(())
    }

    /// Gives the bytes of each group to `put`, and how many come before the trailing U+0000.
    #[inline]
    fn each<const BIG: bool>(self, src: &[u8], mut put: impl FnMut([MaybeUninit<u8>; UNITS]) -> Option<()>) -> Option<usize> {
        let (last, whole) = src.get(..self.count * STORED)?.as_chunks().0.split_last()?;
        let (mut begin, mut end) = (0, 0);
        for units in whole {
            let (bytes, used) = pack::<BIG>(units, Mask::ALL)?;
            put(bytes)?;
            end = if used > 0 { begin + used } else { end };
            begin += UNITS;
        }
        let (bytes, used) = pack::<BIG>(last, self.last)?;
        put(bytes)?;
        Some(if used > 0 { begin + used } else { end })
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpeq_epi16, _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi32, _mm_packus_epi16,
        _mm_set1_epi16, _mm_setzero_si128, _mm_slli_epi32, _mm_srli_epi32, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi8,
        _mm_unpacklo_epi16,
    };
    use std::mem::{MaybeUninit, transmute};

    use super::{STORED, UNITS};

    /// The first units of a group, 16 bits for each.
    #[derive(Clone, Copy)]
    pub(super) struct Mask([u16; UNITS]);

    impl Mask {
        pub(super) const ALL: Self = Self([u16::MAX; UNITS]);

        pub(super) fn new(count: usize) -> Self {
            Self(std::array::from_fn(|index| if index < count { u16::MAX } else { 0 }))
        }
    }

    /// The bytes of the masked units, zeros for the others, and how many come before the trailing zeros; `None` if one is not ASCII.
    #[inline]
    pub(super) fn pack<const BIG: bool>(units: &[u8; STORED], mask: Mask) -> Option<([MaybeUninit<u8>; UNITS], usize)> {
        // SAFETY: every processor of this kind has these instructions.
        unsafe { pack_by_sse2::<BIG>(units, mask) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn pack_by_sse2<const BIG: bool>(units: &[u8; STORED], mask: Mask) -> Option<([MaybeUninit<u8>; UNITS], usize)> {
        // SAFETY: both are 64 bytes of which every value is valid.
        let units = unsafe { transmute::<[u8; STORED], [__m128i; 4]>(*units) };
        // SAFETY: both are 32 bytes of which every value is valid.
        let mask = unsafe { transmute::<[u16; UNITS], [__m128i; 2]>(mask.0) };
        // What is stored in big-endian order turns until its last byte is the lowest: then it is below 0x80 just if it is ASCII.
        let [a, b, c, d] = units.map(|unit| if BIG { _mm_or_si128(_mm_slli_epi32::<8>(unit), _mm_srli_epi32::<24>(unit)) } else { unit });
        // Saturation leaves those that are not ASCII above 0x7F, or negative.
        let low = _mm_and_si128(_mm_packs_epi32(a, b), mask[0]);
        let high = _mm_and_si128(_mm_packs_epi32(c, d), mask[1]);
        let zero = _mm_setzero_si128();
        let beyond = _mm_and_si128(_mm_or_si128(low, high), _mm_set1_epi16(!0x7F));
        if _mm_movemask_epi8(_mm_cmpeq_epi16(beyond, zero)) != 0xFFFF {
            return None;
        }
        let bytes = _mm_packus_epi16(low, high);
        let occupied = !_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, zero)) & 0xFFFF;
        // SAFETY: both are 16 bytes, and any byte may be a `MaybeUninit`.
        let bytes = unsafe { transmute::<__m128i, [MaybeUninit<u8>; UNITS]>(bytes) };
        Some((bytes, 32 - occupied.leading_zeros() as usize))
    }

    /// The stored units of the first `count` bytes, zeros for the others; `None` if one is not ASCII.
    #[inline]
    pub(super) fn unpack<const BIG: bool>(bytes: &[u8; UNITS], count: usize) -> Option<[MaybeUninit<u8>; STORED]> {
        // SAFETY: every processor of this kind has these instructions.
        unsafe { unpack_by_sse2::<BIG>(bytes, count) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn unpack_by_sse2<const BIG: bool>(bytes: &[u8; UNITS], count: usize) -> Option<[MaybeUninit<u8>; STORED]> {
        const MASKS: [[u8; UNITS]; 2] = [[u8::MAX; UNITS], [0; UNITS]];
        let mask = MASKS.as_flattened().get(UNITS.checked_sub(count)?..)?.first_chunk()?;
        // SAFETY: both are 16 bytes of which every value is valid.
        let mask = unsafe { transmute::<[u8; UNITS], __m128i>(*mask) };
        // SAFETY: both are 16 bytes of which every value is valid.
        let bytes = _mm_and_si128(unsafe { transmute::<[u8; UNITS], __m128i>(*bytes) }, mask);
        if _mm_movemask_epi8(bytes) != 0 {
            return None;
        }
        let zero = _mm_setzero_si128();
        let units = if BIG {
            let (low, high) = (_mm_unpacklo_epi8(zero, bytes), _mm_unpackhi_epi8(zero, bytes));
            [_mm_unpacklo_epi16(zero, low), _mm_unpackhi_epi16(zero, low), _mm_unpacklo_epi16(zero, high), _mm_unpackhi_epi16(zero, high)]
        } else {
            let (low, high) = (_mm_unpacklo_epi8(bytes, zero), _mm_unpackhi_epi8(bytes, zero));
            [_mm_unpacklo_epi16(low, zero), _mm_unpackhi_epi16(low, zero), _mm_unpacklo_epi16(high, zero), _mm_unpackhi_epi16(high, zero)]
        };
        // SAFETY: both are 64 bytes, and any byte may be a `MaybeUninit`.
        Some(unsafe { transmute::<[__m128i; 4], [MaybeUninit<u8>; STORED]>(units) })
    }
}

/// The same without vectors; what the others are compared with.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use std::mem::MaybeUninit;

    use super::{STORED, UNITS};
    use crate::model::Endian;
    use crate::utf32::units::{stored, value};

    /// How many units of a group count.
    #[derive(Clone, Copy)]
    pub(super) struct Mask(usize);

    impl Mask {
        pub(super) const ALL: Self = Self(UNITS);

        pub(super) fn new(count: usize) -> Self {
            Self(count)
        }
    }

    fn endian<const BIG: bool>() -> Endian {
        if BIG { Endian::Big } else { Endian::Little }
    }

    #[inline]
    pub(super) fn pack<const BIG: bool>(units: &[u8; STORED], mask: Mask) -> Option<([MaybeUninit<u8>; UNITS], usize)> {
        let mut bytes = [0; UNITS];
        let mut any = 0;
        for (byte, unit) in bytes.iter_mut().zip(units.as_chunks().0).take(mask.0) {
            let unit = value(*unit, endian::<BIG>());
            any |= unit;
            *byte = unit.to_le_bytes()[0];
        }
        let used = UNITS - u128::from_le_bytes(bytes).leading_zeros() as usize / 8;
        (any < 0x80).then(|| (bytes.map(MaybeUninit::new), used))
    }

    #[inline]
    pub(super) fn unpack<const BIG: bool>(bytes: &[u8; UNITS], count: usize) -> Option<[MaybeUninit<u8>; STORED]> {
        let mut units = [MaybeUninit::new(0); STORED];
        let mut any = 0;
        for (unit, &byte) in units.as_chunks_mut().0.iter_mut().zip(bytes).take(count) {
            any |= byte;
            *unit = stored(byte.into(), endian::<BIG>()).map(MaybeUninit::new);
        }
        any.is_ascii().then_some(units)
    }
}

#[cfg(not(target_arch = "x86_64"))]
use plain as vector;

#[cfg(all(test, target_arch = "x86_64"))]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::super::tests::initialised;
    use super::*;

    fn check<const BIG: bool>(units: &[u32; UNITS]) {
        let mut stored = [0; STORED];
        for (slot, unit) in stored.as_chunks_mut().0.iter_mut().zip(units) {
            *slot = if BIG { unit.to_be_bytes() } else { unit.to_le_bytes() };
        }
        for count in 1..=UNITS {
            let result = pack::<BIG>(&stored, Mask::new(count)).map(|(bytes, used)| (initialised(&bytes), used));
            let expected = plain::pack::<BIG>(&stored, plain::Mask::new(count)).map(|(bytes, used)| (initialised(&bytes), used));
            assert_eq!(result, expected, "{units:x?}, the first {count}");
        }
        let all = pack::<BIG>(&stored, Mask::ALL).map(|(bytes, used)| (initialised(&bytes), used));
        assert_eq!(all, plain::pack::<BIG>(&stored, plain::Mask::ALL).map(|(bytes, used)| (initialised(&bytes), used)));
    }

    #[test]
    fn units_of_every_size_in_every_place_are_packed_or_refused() {
        for bit in 0..32 {
            for unit in [1_u32 << bit, u32::MAX >> bit, u32::MAX << bit, (1 << bit) | 0x61] {
                for place in 0..UNITS {
                    for others in [0, 0x61, 0x7F] {
                        let mut units = [others; UNITS];
                        units[place] = unit;
                        check::<false>(&units);
                        check::<true>(&units);
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_of_every_value_in_every_place_are_unpacked_or_refused() {
        for byte in 0..=u8::MAX {
            for place in 0..UNITS {
                let mut bytes = *b"0123456789abcdef";
                bytes[place] = byte;
                for count in 0..=UNITS {
                    let results = [unpack::<false>(&bytes, count), unpack::<true>(&bytes, count)];
                    let expected = [plain::unpack::<false>(&bytes, count), plain::unpack::<true>(&bytes, count)];
                    assert_eq!(
                        results.map(|units| units.map(|units| initialised(&units))),
                        expected.map(|units| units.map(|units| initialised(&units)))
                    );
                }
            }
        }
    }
}
