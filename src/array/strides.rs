//! Strides: those of gap-free arrays, the bytes that a box of elements spans, and whether two of its elements overlap.
//!
//! All sums are made in 128 bits, so that extents and strides from a caller cannot wrap.

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result, listed};
use crate::model::{Order, Strides, byte_count};

/// Steps of the search for overlapping elements after which it gives up: some milliseconds.
const SEARCH_LIMIT: u32 = 1 << 20;

/// The byte strides of a gap-free array of `extents` in `order`. Where an extent is 0 the array has no element, and the strides are
/// those of the array with extents of at least 1, as far as these are representable.
///
/// # Errors
/// `LimitExceeded` if the array has more than `isize::MAX` bytes; `OutOfMemory`.
pub fn contiguous_strides(extents: &[u64], element_size: usize, order: Order) -> Result<Strides> {
    array_bytes(extents, element_size)?;
    let mut strides = try_strides(extents.len())?;
    let mut stride = isize::try_from(element_size).unwrap_or(isize::MAX);
    let mut next = |extent: u64| {
        let current = stride;
        stride = stride.saturating_mul(isize::try_from(extent.max(1)).unwrap_or(isize::MAX));
        current
    };
    match order {
        Order::F => strides.extend(extents.iter().map(|&extent| next(extent))),
        Order::C => {
            strides.extend(extents.iter().rev().map(|&extent| next(extent)));
            strides.reverse();
        }
    }
    Ok(strides)
}

/// The bytes of a gap-free array.
///
/// # Errors
/// `LimitExceeded` above `isize::MAX`.
pub(super) fn array_bytes(extents: &[u64], element_size: usize) -> Result<usize> {
    byte_count(extents.iter().copied(), element_size)
        .and_then(|bytes| isize::try_from(bytes).ok())
        .and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or_else(|| {
            let message = format!(
                "an array of {} with {element_size} bytes an element exceeds {} bytes; ask for a smaller region",
                shape_text(extents),
                isize::MAX
            );
            Error::new(ErrorKind::LimitExceeded, message)
        })
}

/// An empty list that can take `count` strides.
pub(super) fn try_strides(count: usize) -> Result<Strides> {
    let mut strides = Strides::new();
    strides.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
    Ok(strides)
}

/// Extents for a message.
pub(super) fn shape_text(extents: &[u64]) -> String {
    format!("extents {}", listed(extents))
}

/// Checks that every byte of the box lies in `[0, len)` of its buffer.
///
/// # Errors
/// `BufferTooSmall`, naming the byte and the buffer's length.
pub(super) fn check_bounds(len: usize, origin: usize, strides: &[isize], extents: &[u64], element_size: usize) -> Result<()> {
    if extents.contains(&0) || element_size == 0 {
        return Ok(());
    }
    let mut first = wide(origin);
    let mut end = wide(origin).saturating_add(wide(element_size));
    for (&extent, &stride) in extents.iter().zip(strides) {
        // At most (2^64 - 1) * 2^63 in magnitude, which 128 bits hold.
        let reach = i128::from(extent.saturating_sub(1)).saturating_mul(wide_signed(stride));
        if reach < 0 {
            first = first.saturating_add(reach);
        } else {
            end = end.saturating_add(reach);
        }
    }
    let outside = if first < 0 {
        first
    } else if end > wide(len) {
        end.saturating_sub(1)
    } else {
        return Ok(());
    };
    let message = format!(
        "the box of {} begins at byte {origin} and reaches byte {outside}, and the buffer has {len} bytes; \
         pass a larger buffer or correct the origin and the strides",
        shape_text(extents)
    );
    Err(Error::new(ErrorKind::BufferTooSmall, message))
}

/// Checks that no two elements share a byte.
///
/// # Errors
/// `InvalidArgument`: they do, or finding out takes too long.
pub(super) fn check_disjoint(strides: &[isize], extents: &[u64], element_size: usize) -> Result<()> {
    if extents.contains(&0) || element_size == 0 {
        return Ok(());
    }
    // Steps between elements along one axis: (magnitude of the stride, extent).
    let axes = || strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
    let size = wide(element_size);
    let overlap = |why: &str| {
        let message = format!(
            "the strides {strides} make elements of {element_size} bytes overlap in a box of {extents}{why}; \
             a destination needs a place of its own for each element",
            strides = listed(strides),
            extents = shape_text(extents)
        );
        Err(Error::new(ErrorKind::InvalidArgument, message))
    };

    // More bytes than the span holds must overlap. What passes has at most 62 axes of extent 2 and more.
    let mut span = size;
    let mut bytes = size;
    for (&stride, &extent) in axes() {
        let last = i128::from(extent).saturating_sub(1);
        span = span.saturating_add(last.saturating_mul(wide_signed(stride).saturating_abs()));
        bytes = bytes.saturating_mul(i128::from(extent));
    }
    if bytes > span {
        return overlap("");
    }
    if bytes > wide(isize::MAX.unsigned_abs()) {
        return Err(Error::new(ErrorKind::LimitExceeded, format!("a box of {} exceeds {} bytes", shape_text(extents), isize::MAX)));
    }

    let mut steps: SmallVec<[Step; 64]> = axes()
        .map(|(&stride, &extent)| Step {
            stride: wide_signed(stride).saturating_abs(),
            last: i128::from(extent).saturating_sub(1),
            below: 0,
        })
        .collect();
    steps.sort_unstable_by_key(|step| step.stride);
    let mut reach = 0_i128;
    let mut nested = true;
    for step in &mut steps {
        step.below = reach;
        nested &= step.stride >= reach.saturating_add(size);
        reach = reach.saturating_add(step.stride.saturating_mul(step.last));
    }
    if nested {
        return Ok(());
    }
    steps.reverse();
    let mut search = Search { size, work: SEARCH_LIMIT };
    match search.collides(&steps, 0, true) {
        Some(false) => Ok(()),
        Some(true) => overlap(""),
        None => overlap(" or are too entangled to find out"),
    }
}

/// One axis of the search: the stride's magnitude, the greatest multiple of it, and what all smaller strides together reach.
struct Step {
    stride: i128,
    last: i128,
    below: i128,
}

struct Search {
    size: i128,
    work: u32,
}

impl Search {
    /// Whether multiples `d` of the strides of `steps` (greatest first), not all 0 where `trivial`, bring `sum` to less than one element.
    /// `None` when the work exceeds the limit.
    fn collides(&mut self, steps: &[Step], sum: i128, trivial: bool) -> Option<bool> {
        let Some((step, rest)) = steps.split_first() else {
            return Some(!trivial && sum.abs() < self.size);
        };
        if step.stride == 0 {
            // All others are 0 too, and an axis of stride 0 has two elements in one place.
            return Some(sum.abs() < self.size);
        }
        // |sum + d * stride| must come below what the smaller strides can make up for.
        let room = self.size.saturating_add(step.below).saturating_sub(1);
        let from = div_ceil(room.saturating_neg().saturating_sub(sum), step.stride).max(step.last.saturating_neg());
        let to = room.saturating_sub(sum).div_euclid(step.stride).min(step.last);
        // The first multiple that is not 0 may be taken as positive: the mirror image collides as well.
        let mut multiple = if trivial { from.max(0) } else { from };
        while multiple <= to {
            self.work = self.work.checked_sub(1)?;
            let next = sum.saturating_add(multiple.saturating_mul(step.stride));
            if self.collides(rest, next, trivial && multiple == 0)? {
                return Some(true);
            }
            multiple = multiple.saturating_add(1);
        }
        Some(false)
    }
}

/// The quotient rounded up; `divisor` is positive.
fn div_ceil(dividend: i128, divisor: i128) -> i128 {
    dividend.saturating_neg().div_euclid(divisor).saturating_neg()
}

fn wide(value: usize) -> i128 {
    // Lossless on every platform: usize has at most 64 bits.
    i128::try_from(value).unwrap_or(i128::MAX)
}

fn wide_signed(value: isize) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_wrap, clippy::cast_possible_truncation)]
mod tests {
    use super::*;

    fn kind(result: Result<()>) -> Option<ErrorKind> {
        result.err().map(|error| error.kind())
    }

    #[test]
    fn contiguous_strides_follow_the_order() {
        let c = contiguous_strides(&[2, 3, 4], 2, Order::C).map(|strides| strides.to_vec());
        assert_eq!(c, Ok(vec![24, 8, 2]));
        let f = contiguous_strides(&[2, 3, 4], 2, Order::F).map(|strides| strides.to_vec());
        assert_eq!(f, Ok(vec![2, 4, 12]));
        assert_eq!(contiguous_strides(&[], 8, Order::C).map(|strides| strides.len()), Ok(0));
    }

    #[test]
    fn arrays_beyond_the_address_space_are_refused() {
        for extents in [&[u64::MAX, 2][..], &[1 << 62, 2], &[1 << 40, 1 << 40], &[u64::MAX]] {
            let error = contiguous_strides(extents, 1, Order::C).err().map(|error| error.kind());
            assert_eq!(error, Some(ErrorKind::LimitExceeded), "{extents:?}");
        }
        assert!(contiguous_strides(&[u64::MAX, 0, u64::MAX], 8, Order::F).is_ok());
    }

    #[test]
    fn bounds_count_every_byte() {
        assert_eq!(kind(check_bounds(12, 0, &[4, 2], &[3, 2], 2)), None);
        assert_eq!(kind(check_bounds(11, 0, &[4, 2], &[3, 2], 2)), Some(ErrorKind::BufferTooSmall));
        assert_eq!(kind(check_bounds(12, 10, &[-4, -2], &[3, 2], 2)), None);
        assert_eq!(kind(check_bounds(12, 9, &[-4, -2], &[3, 2], 2)), Some(ErrorKind::BufferTooSmall));
        assert_eq!(kind(check_bounds(0, 99, &[4, 2], &[3, 0], 2)), None);
        assert_eq!(kind(check_bounds(9, 0, &[isize::MAX, isize::MIN], &[u64::MAX, u64::MAX], 8)), Some(ErrorKind::BufferTooSmall));
        assert_eq!(kind(check_bounds(9, usize::MAX, &[1], &[2], 8)), Some(ErrorKind::BufferTooSmall));
    }

    #[test]
    fn overlapping_strides_are_told_from_exotic_ones() {
        let overlap = Some(ErrorKind::InvalidArgument);
        assert_eq!(kind(check_disjoint(&[2, 3], &[3, 2], 1)), None);
        assert_eq!(kind(check_disjoint(&[2, 3], &[4, 3], 1)), overlap);
        assert_eq!(kind(check_disjoint(&[2, 3], &[3, 2], 2)), overlap);
        assert_eq!(kind(check_disjoint(&[-2, 3], &[3, 2], 1)), None);
        assert_eq!(kind(check_disjoint(&[0], &[2], 1)), overlap);
        assert_eq!(kind(check_disjoint(&[0, 5], &[1, 2], 4)), None);
        assert_eq!(kind(check_disjoint(&[1], &[2], 2)), overlap);
        assert_eq!(kind(check_disjoint(&[0, 0], &[u64::MAX, u64::MAX], 8)), overlap);
        assert_eq!(kind(check_disjoint(&[0, 0], &[u64::MAX, 0], 8)), None);
        assert_eq!(kind(check_disjoint(&[isize::MIN, 8], &[2, 3], 8)), None);
    }

    #[test]
    fn the_search_agrees_with_counting() {
        let mut state = 12345_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut outcomes = [0_u32; 2];
        let rounds = if cfg!(miri) { 40 } else { 4000 };
        for _ in 0..rounds {
            let rank = random(4);
            let size = random(3) as usize + 1;
            let extents: Vec<u64> = (0..rank).map(|_| random(4) + 1).collect();
            let strides: Vec<isize> = (0..rank).map(|_| random(31) as isize - 15).collect();
            let mut seen = std::collections::HashSet::new();
            let mut disjoint = true;
            for index in 0..extents.iter().product::<u64>() {
                let mut rest = index;
                let mut at = 0;
                for (&extent, &stride) in extents.iter().zip(&strides) {
                    at += (rest % extent) as isize * stride;
                    rest /= extent;
                }
                disjoint &= (0..size as isize).all(|byte| seen.insert(at + byte));
            }
            outcomes[usize::from(disjoint)] += 1;
            assert_eq!(check_disjoint(&strides, &extents, size).is_ok(), disjoint, "{extents:?} {strides:?} {size}");
        }
        assert!(outcomes.iter().all(|&count| count > rounds / 10), "{outcomes:?}");
    }

    #[test]
    fn an_endless_search_is_refused_with_the_reason() {
        let large = 1 << 28;
        let error = check_disjoint(&[large + 1, large - 1, large + 3], &[1 << 27, 1 << 27, 3], 1);
        let message = error.err().map(|error| error.message().to_owned()).unwrap_or_default();
        assert!(message.contains("too entangled"), "{message}");
    }
}
