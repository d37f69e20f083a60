//! Blosc's rearrangements of a block, both ways: bytes, or bits, of equal significance together.
//!
//! Register kernels of SSE2 and AVX2, the latter chosen at run time; the plain loops are their reference in the tests, and all that
//! other processors have.

/// What the processor offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    #[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "the reference of the tests"))]
    Portable,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Level {
    /// The best one here.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn best() -> Self {
        if std::arch::is_x86_feature_detected!("avx2") { Self::Avx2 } else { Self::Sse2 }
    }

    /// The best one here.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn best() -> Self {
        Self::Portable
    }
}

/// How the elements of a block are rearranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    Byte,
    Bit,
}

impl Filter {
    /// How many elements can be rearranged without the others.
    pub(super) const fn unit_count(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Bit => 8,
        }
    }
}

/// `count` elements of `type_size` bytes on the one side, and on the other their bytes in `type_size` planes, or their bits in 8 times
/// as many.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) filter: Filter,
    pub(super) type_size: usize,
    /// A multiple of the filter's unit.
    pub(super) count: usize,
    /// The elements of the block of which these may be a part; it sets how far apart the planes lie.
    pub(super) block_count: usize,
}

impl Shape {
    /// Bytes between the beginnings of two planes.
    fn plane_len(&self) -> usize {
        self.block_count / self.filter.unit_count()
    }
}

/// Writes the elements that the planes of `src` hold.
///
/// # Safety
/// The planes are readable: `count` divided by the filter's unit bytes each, `plane_len` apart. `dst` is writable for all elements, and
/// does not overlap them.
pub(super) unsafe fn to_elements(level: Level, shape: Shape, src: *const u8, dst: *mut u8) {
    let Shape { filter, type_size, count, .. } = shape;
    match filter {
        // SAFETY: as of this function.
        Filter::Byte => unsafe { gather(level, src, shape.plane_len(), type_size, count, dst) },
        // SAFETY: as of this function.
        Filter::Bit => unsafe { gather_bits(level, src, shape.plane_len(), type_size, count / 8, dst) },
    }
}

/// Writes the planes of the elements of `src`.
///
/// # Safety
/// `src` is readable for all elements, and `dst` writable where their planes lie; they do not overlap.
pub(super) unsafe fn to_planes(level: Level, shape: Shape, src: *const u8, dst: *mut u8) {
    let Shape { filter, type_size, count, .. } = shape;
    match filter {
        // SAFETY: as of this function.
        Filter::Byte => unsafe { scatter(level, src, type_size, count, dst, shape.plane_len()) },
        // SAFETY: as of this function.
        Filter::Bit => unsafe { scatter_bits(level, src, type_size, count / 8, dst, shape.plane_len()) },
    }
}

/// Byte `j` of element `i` from `src[j * plane_len + i]`.
///
/// # Safety
/// `src` is readable for `count` bytes of each plane, `dst` writable for `count` elements.
unsafe fn gather(level: Level, src: *const u8, plane_len: usize, type_size: usize, count: usize, dst: *mut u8) {
    let done = match level {
        Level::Portable => 0,
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function; AVX2 is only said where it is.
        Level::Avx2 => unsafe { avx2::gather(src, plane_len, type_size, count, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function.
        Level::Sse2 => unsafe { sse2::gather(src, plane_len, type_size, count, dst) },
    };
    for element in done..count {
        for byte in 0..type_size {
            // SAFETY: the plane has this byte.
            let value = unsafe { src.wrapping_add(byte * plane_len + element).read() };
            // SAFETY: the element has this byte.
            unsafe { dst.wrapping_add(element * type_size + byte).write(value) };
        }
    }
}

/// Byte `j` of element `i` to `dst[j * plane_len + i]`.
///
/// # Safety
/// `src` is readable for `count` elements, `dst` writable for `count` bytes of each plane.
unsafe fn scatter(level: Level, src: *const u8, type_size: usize, count: usize, dst: *mut u8, plane_len: usize) {
    let done = match level {
        Level::Portable => 0,
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function; AVX2 is only said where it is.
        Level::Avx2 => unsafe { avx2::scatter(src, type_size, count, dst, plane_len) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function.
        Level::Sse2 => unsafe { sse2::scatter(src, type_size, count, dst, plane_len) },
    };
    for element in done..count {
        for byte in 0..type_size {
            // SAFETY: the element has this byte.
            let value = unsafe { src.wrapping_add(element * type_size + byte).read() };
            // SAFETY: the plane has this byte.
            unsafe { dst.wrapping_add(byte * plane_len + element).write(value) };
        }
    }
}

/// Elements whose bits are rearranged at a time, and the type sizes for which as many planes of them fit a stage.
const TILE_COUNT: usize = 256;
const MAX_STAGED_TYPE_SIZE: usize = 16;

/// Memory of one tile in planes of bytes.
struct Stage([u8; TILE_COUNT * MAX_STAGED_TYPE_SIZE]);

/// Bit `k` of byte `j` of element `8 * i + e` from bit `e` of `src[(8 * j + k) * row_len + i]`.
///
/// # Safety
/// `src` is readable for `group_count` bytes of each row, `dst` writable for 8 elements a group.
unsafe fn gather_bits(level: Level, src: *const u8, row_len: usize, type_size: usize, group_count: usize, dst: *mut u8) {
    let mut stage = Stage([0; TILE_COUNT * MAX_STAGED_TYPE_SIZE]);
    let stage_ptr = stage.0.as_mut_ptr();
    let mut group = 0;
    while group < group_count {
        let tile = level.tile_groups(group_count - group);
        let (from, to) = (src.wrapping_add(group), dst.wrapping_add(group * 8 * type_size));
        if type_size == 1 {
            // SAFETY: the rows have these groups, and the destination their elements.
            unsafe { rows_to_plane(level, from, row_len, tile, to) };
        } else if type_size <= MAX_STAGED_TYPE_SIZE {
            for byte in 0..type_size {
                let (rows, plane) = (from.wrapping_add(8 * byte * row_len), stage_ptr.wrapping_add(byte * TILE_COUNT));
                // SAFETY: the rows have these groups; the stage has room for `type_size` planes of a tile.
                unsafe { rows_to_plane(level, rows, row_len, tile, plane) };
            }
            // SAFETY: the stage holds these planes, and the destination has these elements.
            unsafe { gather(level, stage_ptr, TILE_COUNT, type_size, tile * 8, to) };
        } else {
            for byte in 0..type_size {
                let rows = from.wrapping_add(8 * byte * row_len);
                // SAFETY: the rows have these groups; the stage has room for one plane.
                unsafe { rows_to_plane(level, rows, row_len, tile, stage_ptr) };
                for (element, &value) in stage.0.iter().enumerate().take(tile * 8) {
                    // SAFETY: the destination has this element.
                    unsafe { to.wrapping_add(element * type_size + byte).write(value) };
                }
            }
        }
        group += tile;
    }
}

/// The reverse of [`gather_bits`].
///
/// # Safety
/// `src` is readable for 8 elements a group, `dst` writable for `group_count` bytes of each row.
unsafe fn scatter_bits(level: Level, src: *const u8, type_size: usize, group_count: usize, dst: *mut u8, row_len: usize) {
    let mut stage = Stage([0; TILE_COUNT * MAX_STAGED_TYPE_SIZE]);
    let stage_ptr = stage.0.as_mut_ptr();
    let mut group = 0;
    while group < group_count {
        let tile = level.tile_groups(group_count - group);
        let (from, to) = (src.wrapping_add(group * 8 * type_size), dst.wrapping_add(group));
        if type_size == 1 {
            // SAFETY: the source has these elements, and the rows their groups.
            unsafe { plane_to_rows(level, from, tile, to, row_len) };
        } else if type_size <= MAX_STAGED_TYPE_SIZE {
            // SAFETY: the source has these elements; the stage has room for `type_size` planes of a tile.
            unsafe { scatter(level, from, type_size, tile * 8, stage_ptr, TILE_COUNT) };
            for byte in 0..type_size {
                let (plane, rows) = (stage_ptr.wrapping_add(byte * TILE_COUNT), to.wrapping_add(8 * byte * row_len));
                // SAFETY: the stage holds the plane, and the rows have these groups.
                unsafe { plane_to_rows(level, plane, tile, rows, row_len) };
            }
        } else {
            for byte in 0..type_size {
                for (element, slot) in stage.0.iter_mut().enumerate().take(tile * 8) {
                    // SAFETY: the source has this element.
                    *slot = unsafe { from.wrapping_add(element * type_size + byte).read() };
                }
                let rows = to.wrapping_add(8 * byte * row_len);
                // SAFETY: the stage holds the plane, and the rows have these groups.
                unsafe { plane_to_rows(level, stage_ptr, tile, rows, row_len) };
            }
        }
        group += tile;
    }
}

impl Level {
    /// How many of the groups of 8 elements that are left are done at a time.
    fn tile_groups(self, left: usize) -> usize {
        let most = match self {
            Self::Portable => TILE_COUNT / 8,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => 16,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => 32,
        };
        most.min(left)
    }
}

/// Eight rows of bits to one plane of bytes, for `groups` bytes of each row.
///
/// # Safety
/// `rows` is readable for `groups` bytes of each row, `plane` writable for 8 bytes a group; `groups` is one tile or less.
unsafe fn rows_to_plane(level: Level, rows: *const u8, row_len: usize, groups: usize, plane: *mut u8) {
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function; AVX2 is only said where it is.
        Level::Avx2 if groups == 32 => return unsafe { avx2::rows_to_plane(rows, row_len, plane) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function.
        Level::Sse2 if groups == 16 => return unsafe { sse2::rows_to_plane(rows, row_len, plane) },
        _ => {}
    }
    for group in 0..groups {
        let mut bits = [0; 8];
        for (row, byte) in bits.iter_mut().enumerate() {
            // SAFETY: the row has this byte.
            *byte = unsafe { rows.wrapping_add(row * row_len + group).read() };
        }
        let bytes = transpose_bits(u64::from_le_bytes(bits)).to_le_bytes();
        // SAFETY: the plane has 8 bytes for this group.
        unsafe { plane.wrapping_add(group * 8).cast::<[u8; 8]>().write_unaligned(bytes) };
    }
}

/// The reverse of [`rows_to_plane`].
///
/// # Safety
/// `plane` is readable for 8 bytes a group, `rows` writable for `groups` bytes of each row; `groups` is one tile or less.
unsafe fn plane_to_rows(level: Level, plane: *const u8, groups: usize, rows: *mut u8, row_len: usize) {
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function; AVX2 is only said where it is.
        Level::Avx2 if groups == 32 => return unsafe { avx2::plane_to_rows(plane, rows, row_len) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as of this function.
        Level::Sse2 if groups == 16 => return unsafe { sse2::plane_to_rows(plane, rows, row_len) },
        _ => {}
    }
    for group in 0..groups {
        // SAFETY: the plane has 8 bytes of this group.
        let bytes = unsafe { plane.wrapping_add(group * 8).cast::<[u8; 8]>().read_unaligned() };
        for (row, byte) in transpose_bits(u64::from_le_bytes(bytes)).to_le_bytes().into_iter().enumerate() {
            // SAFETY: the row has this byte.
            unsafe { rows.wrapping_add(row * row_len + group).write(byte) };
        }
    }
}

/// Bit `k` of byte `e` becomes bit `e` of byte `k`, by exchanging squares of 1, 2 and 4 bits.
fn transpose_bits(mut bits: u64) -> u64 {
    for (shift, mask) in SQUARES {
        let moved = (bits ^ bits >> shift) & mask;
        bits ^= moved ^ moved << shift;
    }
    bits
}

const SQUARES: [(i32, u64); 3] = [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)];

/// 16 elements, or 16 bytes of a row, at a time.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::indexing_slicing, reason = "arrays of registers, whose lengths are constants")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_castsi128_pd, _mm_cvtsi64_si128, _mm_loadu_si128, _mm_set1_epi64x, _mm_setzero_si128, _mm_slli_epi64,
        _mm_srli_epi64, _mm_storeh_pd, _mm_storel_epi64, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8, _mm_unpacklo_epi64,
        _mm_xor_si128,
    };

    use super::SQUARES;

    /// Interleaves the two halves of the registers: as an index into all their bytes, the highest bit becomes the lowest.
    ///
    /// So a few steps of it change places of bytes and planes, one way or the other.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn rotate<const N: usize>(rows: [__m128i; N]) -> [__m128i; N] {
        let mut rotated = rows;
        for index in 0..N / 2 {
            rotated[2 * index] = _mm_unpacklo_epi8(rows[index], rows[index + N / 2]);
            rotated[2 * index + 1] = _mm_unpackhi_epi8(rows[index], rows[index + N / 2]);
        }
        rotated
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn transpose_bits(mut bits: __m128i) -> __m128i {
        #[inline]
        #[target_feature(enable = "sse2")]
        fn step<const SHIFT: i32>(bits: __m128i, mask: u64) -> __m128i {
            let mask = _mm_set1_epi64x(mask.cast_signed());
            let moved = _mm_and_si128(_mm_xor_si128(bits, _mm_srli_epi64::<SHIFT>(bits)), mask);
            _mm_xor_si128(bits, _mm_xor_si128(moved, _mm_slli_epi64::<SHIFT>(moved)))
        }
        bits = step::<{ SQUARES[0].0 }>(bits, SQUARES[0].1);
        bits = step::<{ SQUARES[1].0 }>(bits, SQUARES[1].1);
        step::<{ SQUARES[2].0 }>(bits, SQUARES[2].1)
    }

    /// # Safety
    /// 16 bytes are readable.
    #[inline]
    #[target_feature(enable = "sse2")]
    unsafe fn load(from: *const u8) -> __m128i {
        // SAFETY: as of this function.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    /// # Safety
    /// 16 bytes are writable.
    #[inline]
    #[target_feature(enable = "sse2")]
    unsafe fn store(to: *mut u8, value: __m128i) {
        // SAFETY: as of this function.
        unsafe { _mm_storeu_si128(to.cast(), value) };
    }

    /// Does as many elements as it can, and returns how many.
    ///
    /// # Safety
    /// As of [`super::gather`].
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn gather(src: *const u8, plane_len: usize, type_size: usize, count: usize, dst: *mut u8) -> usize {
        let kernel: unsafe fn(*const u8, usize, usize, *mut u8) -> usize = match type_size {
            2 => gather_as::<2>,
            4 => gather_as::<4>,
            8 => gather_as::<8>,
            16 => gather_as::<16>,
            // SAFETY: as of this function.
            _ => return unsafe { gather_wide(src, plane_len, type_size, count, dst) },
        };
        // SAFETY: as of this function.
        unsafe { kernel(src, plane_len, count, dst) }
    }

    /// # Safety
    /// As of [`super::gather`].
    #[target_feature(enable = "sse2")]
    unsafe fn gather_as<const N: usize>(src: *const u8, plane_len: usize, count: usize, dst: *mut u8) -> usize {
        let mut done = 0;
        while count - done >= 16 {
            let mut rows = [_mm_setzero_si128(); N];
            for (plane, row) in rows.iter_mut().enumerate() {
                // SAFETY: the plane has 16 bytes more.
                *row = unsafe { load(src.wrapping_add(plane * plane_len + done)) };
            }
            for _ in 0..N.ilog2() {
                rows = rotate(rows);
            }
            for (index, row) in rows.into_iter().enumerate() {
                // SAFETY: there are 16 elements more, of which this is a part.
                unsafe { store(dst.wrapping_add(done * N + index * 16), row) };
            }
            done += 16;
        }
        done
    }

    /// Does as many elements as it can, and returns how many.
    ///
    /// # Safety
    /// As of [`super::scatter`].
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn scatter(src: *const u8, type_size: usize, count: usize, dst: *mut u8, plane_len: usize) -> usize {
        let kernel: unsafe fn(*const u8, usize, *mut u8, usize) -> usize = match type_size {
            2 => scatter_as::<2>,
            4 => scatter_as::<4>,
            8 => scatter_as::<8>,
            16 => scatter_as::<16>,
            // SAFETY: as of this function.
            _ => return unsafe { scatter_wide(src, type_size, count, dst, plane_len) },
        };
        // SAFETY: as of this function.
        unsafe { kernel(src, count, dst, plane_len) }
    }

    /// # Safety
    /// As of [`super::scatter`].
    #[target_feature(enable = "sse2")]
    unsafe fn scatter_as<const N: usize>(src: *const u8, count: usize, dst: *mut u8, plane_len: usize) -> usize {
        let mut done = 0;
        while count - done >= 16 {
            let mut rows = [_mm_setzero_si128(); N];
            for (index, row) in rows.iter_mut().enumerate() {
                // SAFETY: there are 16 elements more, of which this is a part.
                *row = unsafe { load(src.wrapping_add(done * N + index * 16)) };
            }
            for _ in 0..4 {
                rows = rotate(rows);
            }
            for (plane, row) in rows.into_iter().enumerate() {
                // SAFETY: the plane has 16 bytes more.
                unsafe { store(dst.wrapping_add(plane * plane_len + done), row) };
            }
            done += 16;
        }
        done
    }

    /// Types of any size from 8 on, 8 planes at a time; the last 8 may overlap those before.
    ///
    /// # Safety
    /// As of [`super::gather`].
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn gather_wide(src: *const u8, plane_len: usize, type_size: usize, count: usize, dst: *mut u8) -> usize {
        let Some(last_plane) = type_size.checked_sub(8) else { return 0 };
        let mut done = 0;
        while count - done >= 16 {
            for first_plane in (0..type_size).step_by(8).map(|plane| plane.min(last_plane)) {
                let mut rows = [_mm_setzero_si128(); 8];
                for (plane, row) in rows.iter_mut().enumerate() {
                    // SAFETY: the plane has 16 bytes more.
                    *row = unsafe { load(src.wrapping_add((first_plane + plane) * plane_len + done)) };
                }
                for _ in 0..3 {
                    rows = rotate(rows);
                }
                for (pair, row) in rows.into_iter().enumerate() {
                    let to = dst.wrapping_add((done + 2 * pair) * type_size + first_plane);
                    // SAFETY: the element has these 8 bytes.
                    unsafe { _mm_storel_epi64(to.cast(), row) };
                    let upper = _mm_castsi128_pd(row);
                    // SAFETY: so has the next one; the instruction asks for no alignment.
                    unsafe { _mm_storeh_pd(to.wrapping_add(type_size).cast(), upper) };
                }
            }
            done += 16;
        }
        done
    }

    /// The reverse of [`gather_wide`].
    ///
    /// # Safety
    /// As of [`super::scatter`].
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn scatter_wide(src: *const u8, type_size: usize, count: usize, dst: *mut u8, plane_len: usize) -> usize {
        let Some(last_plane) = type_size.checked_sub(8) else { return 0 };
        let mut done = 0;
        while count - done >= 16 {
            for first_plane in (0..type_size).step_by(8).map(|plane| plane.min(last_plane)) {
                let mut rows = [_mm_setzero_si128(); 8];
                for (pair, row) in rows.iter_mut().enumerate() {
                    let from = src.wrapping_add((done + 2 * pair) * type_size + first_plane);
                    // SAFETY: the element has these 8 bytes.
                    let low = unsafe { from.cast::<i64>().read_unaligned() };
                    // SAFETY: so has the next one.
                    let high = unsafe { from.wrapping_add(type_size).cast::<i64>().read_unaligned() };
                    *row = _mm_unpacklo_epi64(_mm_cvtsi64_si128(low), _mm_cvtsi64_si128(high));
                }
                for _ in 0..4 {
                    rows = rotate(rows);
                }
                for (plane, row) in rows.into_iter().enumerate() {
                    // SAFETY: the plane has 16 bytes more.
                    unsafe { store(dst.wrapping_add((first_plane + plane) * plane_len + done), row) };
                }
            }
            done += 16;
        }
        done
    }

    /// # Safety
    /// As of [`super::rows_to_plane`], for 16 groups.
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn rows_to_plane(rows: *const u8, row_len: usize, plane: *mut u8) {
        let mut registers = [_mm_setzero_si128(); 8];
        for (row, register) in registers.iter_mut().enumerate() {
            // SAFETY: the row has 16 bytes.
            *register = unsafe { load(rows.wrapping_add(row * row_len)) };
        }
        for _ in 0..3 {
            registers = rotate(registers);
        }
        for (index, register) in registers.into_iter().enumerate() {
            let bytes = transpose_bits(register);
            // SAFETY: the plane has 128 bytes.
            unsafe { store(plane.wrapping_add(index * 16), bytes) };
        }
    }

    /// # Safety
    /// As of [`super::plane_to_rows`], for 16 groups.
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn plane_to_rows(plane: *const u8, rows: *mut u8, row_len: usize) {
        let mut registers = [_mm_setzero_si128(); 8];
        for (index, register) in registers.iter_mut().enumerate() {
            // SAFETY: the plane has 128 bytes.
            *register = transpose_bits(unsafe { load(plane.wrapping_add(index * 16)) });
        }
        for _ in 0..4 {
            registers = rotate(registers);
        }
        for (row, register) in registers.into_iter().enumerate() {
            // SAFETY: the row has 16 bytes.
            unsafe { store(rows.wrapping_add(row * row_len), register) };
        }
    }
}

/// 32 elements, or 32 bytes of a row, at a time: the lower halves of the registers hold the first 16, and the upper ones the others.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::indexing_slicing, reason = "arrays of registers, whose lengths are constants")]
mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_loadu_si256, _mm256_permute2x128_si256, _mm256_set_m128i,
        _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_slli_epi64, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_unpackhi_epi8,
        _mm256_unpacklo_epi8, _mm256_xor_si256,
    };

    use super::SQUARES;

    /// Of `permute2x128`: both lower halves, both upper halves.
    const LOWER: i32 = 0x20;
    const UPPER: i32 = 0x31;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotate<const N: usize>(rows: [__m256i; N]) -> [__m256i; N] {
        let mut rotated = rows;
        for index in 0..N / 2 {
            rotated[2 * index] = _mm256_unpacklo_epi8(rows[index], rows[index + N / 2]);
            rotated[2 * index + 1] = _mm256_unpackhi_epi8(rows[index], rows[index + N / 2]);
        }
        rotated
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn step<const SHIFT: i32>(bits: __m256i, mask: u64) -> __m256i {
        let mask = _mm256_set1_epi64x(mask.cast_signed());
        let moved = _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64::<SHIFT>(bits)), mask);
        _mm256_xor_si256(bits, _mm256_xor_si256(moved, _mm256_slli_epi64::<SHIFT>(moved)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn transpose_bits(mut bits: __m256i) -> __m256i {
        bits = step::<{ SQUARES[0].0 }>(bits, SQUARES[0].1);
        bits = step::<{ SQUARES[1].0 }>(bits, SQUARES[1].1);
        step::<{ SQUARES[2].0 }>(bits, SQUARES[2].1)
    }

    /// # Safety
    /// 32 bytes are readable.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(from: *const u8) -> __m256i {
        // SAFETY: as of this function.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    /// # Safety
    /// 16 bytes are readable.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_half(from: *const u8) -> __m128i {
        // SAFETY: as of this function.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    /// # Safety
    /// 32 bytes are writable.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store(to: *mut u8, value: __m256i) {
        // SAFETY: as of this function.
        unsafe { _mm256_storeu_si256(to.cast(), value) };
    }

    /// Stores the lower halves of all registers, and `upper_at` bytes on the upper ones.
    ///
    /// # Safety
    /// 16 bytes a register are writable at both.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store_halves<const N: usize>(rows: [__m256i; N], to: *mut u8, upper_at: usize) {
        for pair in 0..N / 2 {
            let (first, second) = (rows[2 * pair], rows[2 * pair + 1]);
            let at = to.wrapping_add(pair * 32);
            let lower = _mm256_permute2x128_si256::<LOWER>(first, second);
            let upper = _mm256_permute2x128_si256::<UPPER>(first, second);
            // SAFETY: two halves are a part of what is writable.
            unsafe { store(at, lower) };
            // SAFETY: likewise.
            unsafe { store(at.wrapping_add(upper_at), upper) };
        }
    }

    /// The reverse of [`store_halves`].
    ///
    /// # Safety
    /// 16 bytes a register are readable at both.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_halves<const N: usize>(from: *const u8, upper_at: usize) -> [__m256i; N] {
        let mut rows = [_mm256_setzero_si256(); N];
        for (index, row) in rows.iter_mut().enumerate() {
            let at = from.wrapping_add(index * 16);
            // SAFETY: this is a part of what is readable.
            let lower = unsafe { load_half(at) };
            // SAFETY: likewise.
            let upper = unsafe { load_half(at.wrapping_add(upper_at)) };
            *row = _mm256_set_m128i(upper, lower);
        }
        rows
    }

    /// Does as many elements as it can, and returns how many.
    ///
    /// # Safety
    /// As of [`super::gather`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn gather(src: *const u8, plane_len: usize, type_size: usize, count: usize, dst: *mut u8) -> usize {
        let kernel: unsafe fn(*const u8, usize, usize, *mut u8) -> usize = match type_size {
            2 => gather_as::<2>,
            4 => gather_as::<4>,
            8 => gather_as::<8>,
            16 => gather_as::<16>,
            // SAFETY: as of this function.
            _ => return unsafe { super::sse2::gather_wide(src, plane_len, type_size, count, dst) },
        };
        // SAFETY: as of this function.
        unsafe { kernel(src, plane_len, count, dst) }
    }

    /// # Safety
    /// As of [`super::gather`].
    #[target_feature(enable = "avx2")]
    unsafe fn gather_as<const N: usize>(src: *const u8, plane_len: usize, count: usize, dst: *mut u8) -> usize {
        let mut done = 0;
        while count - done >= 32 {
            let mut rows = [_mm256_setzero_si256(); N];
            for (plane, row) in rows.iter_mut().enumerate() {
                // SAFETY: the plane has 32 bytes more.
                *row = unsafe { load(src.wrapping_add(plane * plane_len + done)) };
            }
            for _ in 0..N.ilog2() {
                rows = rotate(rows);
            }
            // SAFETY: there are 32 elements more, 16 in either half.
            unsafe { store_halves(rows, dst.wrapping_add(done * N), 16 * N) };
            done += 32;
        }
        done
    }

    /// Does as many elements as it can, and returns how many.
    ///
    /// # Safety
    /// As of [`super::scatter`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn scatter(src: *const u8, type_size: usize, count: usize, dst: *mut u8, plane_len: usize) -> usize {
        let kernel: unsafe fn(*const u8, usize, *mut u8, usize) -> usize = match type_size {
            2 => scatter_as::<2>,
            4 => scatter_as::<4>,
            8 => scatter_as::<8>,
            16 => scatter_as::<16>,
            // SAFETY: as of this function.
            _ => return unsafe { super::sse2::scatter_wide(src, type_size, count, dst, plane_len) },
        };
        // SAFETY: as of this function.
        unsafe { kernel(src, count, dst, plane_len) }
    }

    /// # Safety
    /// As of [`super::scatter`].
    #[target_feature(enable = "avx2")]
    unsafe fn scatter_as<const N: usize>(src: *const u8, count: usize, dst: *mut u8, plane_len: usize) -> usize {
        let mut done = 0;
        while count - done >= 32 {
            // SAFETY: there are 32 elements more, 16 in either half.
            let mut rows: [__m256i; N] = unsafe { load_halves(src.wrapping_add(done * N), 16 * N) };
            for _ in 0..4 {
                rows = rotate(rows);
            }
            for (plane, row) in rows.into_iter().enumerate() {
                // SAFETY: the plane has 32 bytes more.
                unsafe { store(dst.wrapping_add(plane * plane_len + done), row) };
            }
            done += 32;
        }
        done
    }

    /// # Safety
    /// As of [`super::rows_to_plane`], for 32 groups.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn rows_to_plane(rows: *const u8, row_len: usize, plane: *mut u8) {
        let mut registers = [_mm256_setzero_si256(); 8];
        for (row, register) in registers.iter_mut().enumerate() {
            // SAFETY: the row has 32 bytes.
            *register = unsafe { load(rows.wrapping_add(row * row_len)) };
        }
        for _ in 0..3 {
            registers = rotate(registers);
        }
        for register in &mut registers {
            *register = transpose_bits(*register);
        }
        // SAFETY: the plane has 256 bytes, 128 for either half.
        unsafe { store_halves(registers, plane, 128) };
    }

    /// # Safety
    /// As of [`super::plane_to_rows`], for 32 groups.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn plane_to_rows(plane: *const u8, rows: *mut u8, row_len: usize) {
        // SAFETY: the plane has 256 bytes, 128 for either half.
        let mut registers: [__m256i; 8] = unsafe { load_halves(plane, 128) };
        for register in &mut registers {
            *register = transpose_bits(*register);
        }
        for _ in 0..4 {
            registers = rotate(registers);
        }
        for (row, register) in registers.into_iter().enumerate() {
            // SAFETY: the row has 32 bytes.
            unsafe { store(rows.wrapping_add(row * row_len), register) };
        }
    }
}
