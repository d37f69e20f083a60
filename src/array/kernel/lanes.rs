//! Vectors, and what each instruction set must be able to do with them: load, store, reverse bytes, interleave.
//!
//! [`Plain`] has no special instructions; the others are compared with it.

/// Bytes of a piece: a few numbers of one column. The lines between [`super::transpose::gather`] and `scatter` consist of pieces.
pub(super) const PIECE_LEN: usize = 8;

/// Where the rows of the result lie, for each piece of a vector; what is more than that has no meaning.
pub(super) type Columns = [isize; 4];

/// A vector of one or more lanes of 16 bytes, which are worked on alike.
pub(super) trait Lanes: Copy {
    /// Bytes of a vector.
    const LEN: usize;

    /// Loads a vector.
    ///
    /// # Safety
    /// `from` is valid for reads of `LEN` initialised bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores a vector.
    ///
    /// # Safety
    /// `to` is valid for writes of `LEN` bytes.
    unsafe fn store(self, to: *mut u8);

    /// Per lane, the numbers of `UNIT` bytes of both lower halves in turn, and those of both upper halves.
    fn interleave<const UNIT: usize>(self, other: Self) -> [Self; 2];

    /// Every number of `UNIT` bytes with its bytes reversed.
    fn swapped<const UNIT: usize>(self) -> Self;

    /// Transposes a square of pieces: piece `c` of the vector that begins `r * pitch` bytes behind `from` becomes piece `r` of the
    /// vector at `to + columns[c]`. There are as many vectors as pieces in one.
    ///
    /// # Safety
    /// Every vector at `from` is valid for reads of initialised bytes, and every one at `to` for writes.
    #[inline(always)]
    unsafe fn turn(from: *const u8, pitch: usize, to: *mut u8, columns: &Columns) {
        let [even_at, odd_at, ..] = *columns;
        // SAFETY: the caller's promise.
        let first = unsafe { Self::load(from) };
        // SAFETY: the caller's promise.
        let second = unsafe { Self::load(from.wrapping_add(pitch)) };
        let [even, odd] = first.interleave::<PIECE_LEN>(second);
        // SAFETY: the caller's promise.
        unsafe { even.store(to.wrapping_offset(even_at)) };
        // SAFETY: the caller's promise.
        unsafe { odd.store(to.wrapping_offset(odd_at)) };
    }
}

/// Vectors without special instructions; compilers make some of them of it.
#[derive(Clone, Copy)]
pub(super) struct Plain([u8; 16]);

impl Lanes for Plain {
    const LEN: usize = 16;

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

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
pub(super) mod tests {
    use super::*;

    fn bytes<L: Lanes>(vector: L) -> Vec<u8> {
        let mut bytes = vec![0; L::LEN];
        // SAFETY: as long as a vector.
        unsafe { vector.store(bytes.as_mut_ptr()) };
        bytes
    }

    fn vector<L: Lanes>(seed: usize) -> L {
        let bytes: Vec<u8> = (0..L::LEN).map(|at| (at * 7 + seed * 61) as u8).collect();
        // SAFETY: as long as a vector.
        unsafe { L::load(bytes.as_ptr()) }
    }

    fn check_unit<L: Lanes, const UNIT: usize>() {
        let (first, second) = (vector::<L>(1), vector::<L>(2));
        let joined = first.interleave::<UNIT>(second).map(bytes);
        let (first, second, swapped) = (bytes(first), bytes(second), bytes(first.swapped::<UNIT>()));
        for lane in (0..L::LEN).step_by(16) {
            for number in 0..16 / UNIT {
                let from = lane + number * UNIT..lane + (number + 1) * UNIT;
                let half = &joined[number / (8 / UNIT)][lane + number % (8 / UNIT) * 2 * UNIT..];
                assert_eq!(half[..UNIT], first[from.clone()], "{UNIT}");
                assert_eq!(half[UNIT..2 * UNIT], second[from.clone()], "{UNIT}");
                let reversed: Vec<u8> = first[from.clone()].iter().rev().copied().collect();
                assert_eq!(swapped[from], reversed, "{UNIT}");
            }
        }
    }

    /// What every kind of vectors must do.
    pub(in crate::array::kernel) fn check_laws<L: Lanes>() {
        check_unit::<L, 1>();
        check_unit::<L, 2>();
        check_unit::<L, 4>();
        check_unit::<L, 8>();
        let (count, pitch) = (L::LEN / PIECE_LEN, 80);
        let from: Vec<u8> = (0..count * pitch).map(|at| (at * 37 % 251) as u8).collect();
        let columns: Columns = std::array::from_fn(|column| (column * 48) as isize);
        let mut to = vec![0; 4 * 48];
        // SAFETY: both have room for as many vectors as a vector has pieces.
        unsafe { L::turn(from.as_ptr(), pitch, to.as_mut_ptr(), &columns) };
        for row in 0..count {
            for column in 0..count {
                assert_eq!(to[column * 48 + row * 8..][..8], from[row * pitch + column * 8..][..8], "{row} {column}");
            }
        }
    }

    #[test]
    fn vectors_without_special_instructions_keep_the_laws() {
        check_laws::<Plain>();
    }
}
