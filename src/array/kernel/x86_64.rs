//! Vectors of x86-64: SSE2, which every such processor has, and AVX2, which is asked for at run time.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_or_si128, _mm_setr_epi8, _mm_shufflehi_epi16, _mm_shufflelo_epi16, _mm_slli_epi16,
    _mm_srli_epi16, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm256_broadcastsi128_si256, _mm256_castsi128_si256,
    _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16,
    _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32,
    _mm256_unpacklo_epi64,
};

use super::lanes::{Columns, Lanes, PIECE_LEN};
use super::transpose::{Gather, Loops, Scatter, gather, scatter, with_lanes};

/// The loops with SSE2.
pub(super) fn narrow(unit: usize, swap: bool) -> Loops {
    with_lanes::<Sse2>(unit, swap)
}

/// The loops with AVX2, which the processor must have.
pub(super) fn wide(unit: usize, swap: bool) -> Loops {
    let gather = match (unit, swap) {
        (1, _) => gather_avx2::<1, 8, false>,
        (2, false) => gather_avx2::<2, 4, false>,
        (2, true) => gather_avx2::<2, 4, true>,
        (4, false) => gather_avx2::<4, 2, false>,
        (4, true) => gather_avx2::<4, 2, true>,
        (_, false) => gather_avx2::<8, 1, false>,
        (_, true) => gather_avx2::<8, 1, true>,
    };
    Loops { vector_len: Avx2::LEN, gather, scatter: scatter_avx2 }
}

/// # Safety
/// As [`gather`], and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn gather_avx2<const UNIT: usize, const ROWS: usize, const SWAP: bool>(job: &Gather<'_>) {
    // SAFETY: the caller's promise.
    unsafe { gather::<Avx2, UNIT, ROWS, SWAP>(job) }
}

/// # Safety
/// As [`scatter`], and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn scatter_avx2(job: &Scatter<'_>) {
    // SAFETY: the caller's promise.
    unsafe { scatter::<Avx2>(job) }
}

#[derive(Clone, Copy)]
struct Sse2(__m128i);

impl Lanes for Sse2 {
    const LEN: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise; the load needs no alignment.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; the store needs no alignment.
        unsafe { _mm_storeu_si128(to.cast(), self.0) };
    }

    #[inline(always)]
    fn interleave<const UNIT: usize>(self, other: Self) -> [Self; 2] {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { interleave_sse2::<UNIT>(self.0, other.0) }.map(Self)
    }

    #[inline(always)]
    fn swapped<const UNIT: usize>(self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Self(unsafe { swapped_sse2::<UNIT>(self.0) })
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn interleave_sse2<const UNIT: usize>(a: __m128i, b: __m128i) -> [__m128i; 2] {
    match UNIT {
        1 => [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)],
        2 => [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)],
        4 => [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)],
        _ => [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)],
    }
}

/// First the bytes of each pair change places, then the pairs of each number.
#[inline]
#[target_feature(enable = "sse2")]
fn swapped_sse2<const UNIT: usize>(numbers: __m128i) -> __m128i {
    let pairs = _mm_or_si128(_mm_slli_epi16::<8>(numbers), _mm_srli_epi16::<8>(numbers));
    match UNIT {
        1 => numbers,
        2 => pairs,
        4 => _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(pairs)),
        _ => _mm_shufflehi_epi16::<0b00_01_10_11>(_mm_shufflelo_epi16::<0b00_01_10_11>(pairs)),
    }
}

/// Made only where there is AVX2.
#[derive(Clone, Copy)]
struct Avx2(__m256i);

impl Lanes for Avx2 {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise; the load needs no alignment.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; the store needs no alignment.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) };
    }

    #[inline(always)]
    fn interleave<const UNIT: usize>(self, other: Self) -> [Self; 2] {
        // SAFETY: there is a vector, so there is AVX2.
        unsafe { interleave_avx2::<UNIT>(self.0, other.0) }.map(Self)
    }

    #[inline(always)]
    fn swapped<const UNIT: usize>(self) -> Self {
        // SAFETY: there is a vector, so there is AVX2.
        Self(unsafe { swapped_avx2::<UNIT>(self.0) })
    }

    /// Lane by lane, since loads into either lane cost less than moving lanes.
    #[inline(always)]
    unsafe fn turn(from: *const u8, pitch: usize, to: *mut u8, columns: &Columns) {
        let [first, second, third, fourth] = *columns;
        for (lane_at, even_at, odd_at) in [(0, first, second), (16, third, fourth)] {
            let from = from.wrapping_add(lane_at);
            let row = |row: usize| from.wrapping_add(pitch.wrapping_mul(row));
            // SAFETY: the caller's promise.
            let even_rows = unsafe { load_lanes(row(0), row(2)) };
            // SAFETY: the caller's promise.
            let odd_rows = unsafe { load_lanes(row(1), row(3)) };
            let [even, odd] = Self(even_rows).interleave::<PIECE_LEN>(Self(odd_rows));
            // SAFETY: the caller's promise.
            unsafe { even.store(to.wrapping_offset(even_at)) };
            // SAFETY: the caller's promise.
            unsafe { odd.store(to.wrapping_offset(odd_at)) };
        }
    }
}

/// # Safety
/// Both are valid for reads of 16 initialised bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_lanes(low: *const u8, high: *const u8) -> __m256i {
    // SAFETY: the caller's promise.
    let low = unsafe { _mm_loadu_si128(low.cast()) };
    // SAFETY: the caller's promise.
    let high = unsafe { _mm_loadu_si128(high.cast()) };
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

#[inline]
#[target_feature(enable = "avx2")]
fn interleave_avx2<const UNIT: usize>(a: __m256i, b: __m256i) -> [__m256i; 2] {
    match UNIT {
        1 => [_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)],
        2 => [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)],
        4 => [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)],
        _ => [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)],
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn swapped_avx2<const UNIT: usize>(numbers: __m256i) -> __m256i {
    let order = match UNIT {
        1 => return numbers,
        2 => _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14),
        4 => _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12),
        _ => _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8),
    };
    _mm256_shuffle_epi8(numbers, _mm256_broadcastsi128_si256(order))
}

#[cfg(test)]
mod tests {
    use super::super::lanes::tests::check_laws;
    use super::*;

    #[test]
    fn vectors_of_both_sizes_keep_the_laws() {
        check_laws::<Sse2>();
        if std::arch::is_x86_feature_detected!("avx2") {
            check_laws::<Avx2>();
        }
    }
}
