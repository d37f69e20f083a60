//! Vectors of 16 bytes, and the transposition of a square of numbers that lies in them.
//!
//! Two instruction sets give loads, stores, byte swaps and interleaving; the square itself is the same for both. Wider vectors
//! were measured and gain nothing: tiles wait for memory, not for shuffles.

/// One vector of 16 bytes.
pub(super) trait Lanes: Copy {
    /// Loads a vector.
    ///
    /// # Safety
    /// `from` is valid for reads of 16 initialised bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores a vector.
    ///
    /// # Safety
    /// `to` is valid for writes of 16 bytes.
    unsafe fn store(self, to: *mut u8);

    /// The numbers of `UNIT` bytes of both lower halves in turn, and those of both upper halves.
    fn interleave<const UNIT: usize>(self, other: Self) -> [Self; 2];

    /// Every number of `UNIT` bytes with its bytes reversed.
    fn swapped<const UNIT: usize>(self) -> Self;
}

/// What this machine is sure to have.
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Native = Plain;
/// What this machine is sure to have.
#[cfg(target_arch = "x86_64")]
pub(super) type Native = x86::Sse2;

/// Transposes a square of `N = 16 / UNIT` rows and columns: number `c` of row `r` becomes number `r` of the row that begins
/// `c * pitch` bytes behind `to`.
///
/// Interleaving row `k` with row `k + N / 2` rotates the bits of (row, column) by one place; after log2(N) times the two have changed
/// places.
///
/// # Safety
/// Every row is valid for reads of 16 initialised bytes, and every row at `to` for writes of 16.
#[inline(always)]
pub(super) unsafe fn transpose<L: Lanes, const UNIT: usize, const N: usize, const SWAP: bool>(
    rows: [*const u8; N],
    to: *mut u8,
    pitch: usize,
) {
    let mut vectors = rows.map(|row| {
        // SAFETY: the caller's promise.
        let vector = unsafe { L::load(row) };
        if SWAP { vector.swapped::<UNIT>() } else { vector }
    });
    for _ in 0..N.trailing_zeros() {
        let before = vectors;
        let halves = before.iter().zip(before.iter().skip(N / 2));
        for (pair, (first, second)) in vectors.as_chunks_mut::<2>().0.iter_mut().zip(halves) {
            *pair = first.interleave::<UNIT>(*second);
        }
    }
    for (column, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { vector.store(to.wrapping_add(column.wrapping_mul(pitch))) };
    }
}

/// Vectors without special instructions; compilers make some of them of it.
#[derive(Clone, Copy)]
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "only the tests use it where there is SSE2"))]
pub(super) struct Plain([u8; 16]);

impl Lanes for Plain {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise; an array of bytes needs no alignment.
        Self(unsafe { from.cast::<[u8; 16]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; an array of bytes needs no alignment.
        unsafe { to.cast::<[u8; 16]>().write(self.0) };
    }

    #[inline(always)]
    fn interleave<const UNIT: usize>(self, other: Self) -> [Self; 2] {
        let mut joined = [[0; 16]; 2];
        let numbers = self.0.chunks_exact(UNIT).zip(other.0.chunks_exact(UNIT));
        for (pair, (first, second)) in joined.as_flattened_mut().chunks_exact_mut(UNIT.wrapping_mul(2)).zip(numbers) {
            let (to_first, to_second) = pair.split_at_mut(UNIT);
            to_first.copy_from_slice(first);
            to_second.copy_from_slice(second);
        }
        joined.map(Self)
    }

    #[inline(always)]
    fn swapped<const UNIT: usize>(mut self) -> Self {
        self.0.chunks_exact_mut(UNIT).for_each(<[u8]>::reverse);
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! SSE2, which every x86-64 processor has.

    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_or_si128, _mm_shufflehi_epi16, _mm_shufflelo_epi16, _mm_slli_epi16, _mm_srli_epi16, _mm_storeu_si128,
        _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
        _mm_unpacklo_epi32, _mm_unpacklo_epi64,
    };

    use super::Lanes;

    #[derive(Clone, Copy)]
    pub(in crate::array::kernel) struct Sse2(__m128i);

    impl Lanes for Sse2 {
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
            unsafe { interleave::<UNIT>(self.0, other.0) }.map(Self)
        }

        #[inline(always)]
        fn swapped<const UNIT: usize>(self) -> Self {
            // SAFETY: every x86-64 processor has SSE2.
            Self(unsafe { swapped::<UNIT>(self.0) })
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn interleave<const UNIT: usize>(a: __m128i, b: __m128i) -> [__m128i; 2] {
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
    fn swapped<const UNIT: usize>(numbers: __m128i) -> __m128i {
        let pairs = _mm_or_si128(_mm_slli_epi16::<8>(numbers), _mm_srli_epi16::<8>(numbers));
        match UNIT {
            1 => numbers,
            2 => pairs,
            4 => _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(pairs)),
            _ => _mm_shufflehi_epi16::<0b00_01_10_11>(_mm_shufflelo_epi16::<0b00_01_10_11>(pairs)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
mod tests {
    use super::*;

    fn check<L: Lanes, const UNIT: usize, const N: usize, const SWAP: bool>() {
        let rows: [[u8; 16]; N] = std::array::from_fn(|row| std::array::from_fn(|byte| (row * 16 + byte) as u8));
        let mut columns = [[0; 16]; N];
        // SAFETY: rows and columns are arrays of 16 bytes.
        unsafe { transpose::<L, UNIT, N, SWAP>(rows.each_ref().map(|row| row.as_ptr()), columns.as_mut_ptr().cast(), 16) };
        for row in 0..N {
            for column in 0..N {
                let mut expected = rows[row][column * UNIT..][..UNIT].to_vec();
                if SWAP {
                    expected.reverse();
                }
                assert_eq!(columns[column][row * UNIT..][..UNIT], expected, "{UNIT} {SWAP}");
            }
        }
    }

    fn check_all<L: Lanes>() {
        check::<L, 1, 16, false>();
        check::<L, 2, 8, false>();
        check::<L, 2, 8, true>();
        check::<L, 4, 4, false>();
        check::<L, 4, 4, true>();
        check::<L, 8, 2, false>();
        check::<L, 8, 2, true>();
    }

    #[test]
    fn squares_are_transposed_with_and_without_special_instructions() {
        check_all::<Plain>();
        check_all::<Native>();
    }
}
