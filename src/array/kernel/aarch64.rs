//! Vectors of 64-bit ARM: NEON, which every such processor has.

use std::arch::aarch64::{
    uint8x16_t, vld1q_u8, vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u8_u64, vreinterpretq_u16_u8, vreinterpretq_u32_u8,
    vreinterpretq_u64_u8, vrev16q_u8, vrev32q_u8, vrev64q_u8, vst1q_u8, vzip1q_u8, vzip1q_u16, vzip1q_u32, vzip1q_u64, vzip2q_u8,
    vzip2q_u16, vzip2q_u32, vzip2q_u64,
};

use super::lanes::Lanes;
use super::transpose::{Loops, with_lanes};

/// The loops with NEON.
pub(super) fn narrow(unit: usize, swap: bool) -> Loops {
    with_lanes::<Neon>(unit, swap)
}

#[derive(Clone, Copy)]
struct Neon(uint8x16_t);

impl Lanes for Neon {
    const LEN: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise; the load needs no alignment.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; the store needs no alignment.
        unsafe { vst1q_u8(to, self.0) };
    }

    #[inline(always)]
    fn interleave<const UNIT: usize>(self, other: Self) -> [Self; 2] {
        // SAFETY: every 64-bit ARM processor that this library is built for has NEON.
        unsafe { interleave::<UNIT>(self.0, other.0) }.map(Self)
    }

    #[inline(always)]
    fn swapped<const UNIT: usize>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { swapped::<UNIT>(self.0) })
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn interleave<const UNIT: usize>(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    match UNIT {
        1 => [vzip1q_u8(a, b), vzip2q_u8(a, b)],
        2 => {
            let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
            [vreinterpretq_u8_u16(vzip1q_u16(a, b)), vreinterpretq_u8_u16(vzip2q_u16(a, b))]
        }
        4 => {
            let (a, b) = (vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b));
            [vreinterpretq_u8_u32(vzip1q_u32(a, b)), vreinterpretq_u8_u32(vzip2q_u32(a, b))]
        }
        _ => {
            let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
            [vreinterpretq_u8_u64(vzip1q_u64(a, b)), vreinterpretq_u8_u64(vzip2q_u64(a, b))]
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn swapped<const UNIT: usize>(numbers: uint8x16_t) -> uint8x16_t {
    match UNIT {
        1 => numbers,
        2 => vrev16q_u8(numbers),
        4 => vrev32q_u8(numbers),
        _ => vrev64q_u8(numbers),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::tests::check_laws;
    use super::*;

    #[test]
    fn vectors_keep_the_laws() {
        check_laws::<Neon>();
    }
}
