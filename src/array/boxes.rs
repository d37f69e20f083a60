//! Copies between two boxes in memory, and whether every element of a box has the same bytes.
//!
//! Neither looks at what elements mean: -0.0 is not 0.0, and a NaN equals the NaN of the same bits.

use smallvec::SmallVec;

use super::kernel::{self, Axes, Axis};
use super::place::{Element, check_element_size, to_usize};
use super::strides::shape_text;
use super::view::{Destination, Source};
use crate::error::{Error, ErrorKind, Result};

/// Copies `source` to `destination`, which has the same extents. Both are in native byte order.
///
/// # Errors
/// `InvalidArgument` if extents or element sizes differ.
pub fn copy(source: &Source<'_>, destination: &mut Destination<'_>) -> Result<()> {
    check_element_size(destination.element_size(), source.element_size())?;
    if source.extents() != destination.extents() {
        let message = format!(
            "a source of {} and a destination of {}; both must have the same extents",
            shape_text(source.extents()),
            shape_text(destination.extents())
        );
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    if source.is_empty() {
        return Ok(());
    }
    let element = Element::unswapped(source.element_size());
    let strides = source.strides().iter().zip(destination.strides());
    let mut axes: Axes = (source.extents().iter().zip(strides))
        .filter(|(extent, _)| **extent > 1)
        .map(|(&extent, (&src, &dst))| Axis { count: to_usize(extent), src, dst })
        .collect();
    element.push_units(&mut axes);
    // SAFETY: the axes are those of both boxes; a destination shares no memory with anything that can be read meanwhile.
    unsafe { kernel::copy(source.first(), destination.first(), &mut axes, element.unit(), false) };
    Ok(())
}

/// Whether every element of `source` has exactly the bytes of `element`; true of a box without elements.
///
/// # Errors
/// `InvalidArgument` if `element` is no element of the box's size.
pub fn all_equal(source: &Source<'_>, element: &[u8]) -> Result<bool> {
    check_element_size(source.element_size(), element.len())?;
    if source.is_empty() {
        return Ok(true);
    }
    // A stride of 0 shows the same element again.
    let mut axes: SmallVec<[(usize, isize); 64]> = (source.extents().iter().zip(source.strides()))
        .filter(|&(&extent, &stride)| extent > 1 && stride != 0)
        .map(|(&extent, &stride)| (to_usize(extent), stride))
        .collect();
    axes.sort_unstable_by_key(|(_, stride)| stride.unsigned_abs());
    let mut first = source.first();
    let mut row = 1;
    if let Some(&(count, stride)) = axes.first()
        && stride.unsigned_abs() == element.len()
    {
        if stride < 0 {
            first = first.wrapping_offset(stride.wrapping_mul(count.cast_signed().wrapping_sub(1)));
        }
        row = count;
        axes.remove(0);
    }
    let row_len = row.saturating_mul(element.len());
    let mut index: SmallVec<[usize; 64]> = SmallVec::from_elem(0, axes.len());
    loop {
        // SAFETY: `row` adjacent elements of the box, which are initialised and which nobody writes while the source lives.
        let bytes = unsafe { std::slice::from_raw_parts(first, row_len) };
        let (head, tail) = bytes.split_at(element.len().min(row_len));
        // Each element of the row equals its left neighbour, and the first one the element.
        if head != element || bytes.get(..tail.len()) != Some(tail) {
            return Ok(false);
        }
        let mut carried = true;
        for (&(count, stride), at) in axes.iter().zip(index.iter_mut()) {
            *at = at.wrapping_add(1);
            if *at < count {
                first = first.wrapping_offset(stride);
                carried = false;
                break;
            }
            first = first.wrapping_offset(stride.wrapping_mul(count.cast_signed().wrapping_sub(1)).wrapping_neg());
            *at = 0;
        }
        if carried {
            return Ok(true);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
mod tests {
    use super::*;
    use crate::model::Order;

    #[test]
    fn one_different_byte_anywhere_is_noticed() {
        let element = [1_u8, 2, 3];
        let strides: [&[isize]; 5] = [&[12, 3], &[3, 15], &[-12, -3], &[24, 5], &[-3, 40]];
        for strides in strides {
            let extents = [5_u64, 4];
            let reach = |axis: usize| strides[axis].unsigned_abs() * (extents[axis] as usize - 1);
            let len = reach(0) + reach(1) + 3;
            let origin = (0..2).filter(|&axis| strides[axis] < 0).map(reach).sum::<usize>();
            let mut image = vec![9_u8; len];
            let mut touched = vec![false; len];
            for (x, y) in (0..5).flat_map(|x| (0..4).map(move |y| (x, y))) {
                let at = (origin.cast_signed() + x * strides[0] + y * strides[1]).cast_unsigned();
                image[at..at + 3].copy_from_slice(&element);
                touched[at..at + 3].fill(true);
            }
            let check = |image: &[u8]| {
                // SAFETY: the image outlives the source and is not written meanwhile.
                let source = unsafe { Source::from_raw(image.as_ptr(), len, origin, Some(strides), Order::C, &extents, 3) }.unwrap();
                all_equal(&source, &element).unwrap()
            };
            assert!(check(&image), "{strides:?}");
            for at in 0..len {
                image[at] ^= 0x80;
                assert_eq!(check(&image), !touched[at], "{strides:?} {at}");
                image[at] ^= 0x80;
            }
        }
    }

    #[test]
    fn boxes_of_one_and_of_no_element_and_repeated_ones_are_compared() {
        let bytes = [7_u8, 8];
        let source = Source::contiguous(&bytes, &[], 2, Order::C).unwrap();
        assert!(all_equal(&source, &[7, 8]).unwrap() && !all_equal(&source, &[7, 9]).unwrap());
        assert!(all_equal(&Source::contiguous(&bytes, &[0, 3], 2, Order::C).unwrap(), &[1, 1]).unwrap());
        assert_eq!(all_equal(&source, &[7]).unwrap_err().kind(), ErrorKind::InvalidArgument);
        // SAFETY: the bytes outlive the source and are not written.
        let repeated = unsafe { Source::from_raw(bytes.as_ptr(), 2, 0, Some(&[0, 0]), Order::C, &[1 << 40, 1 << 20], 2) }.unwrap();
        assert!(all_equal(&repeated, &[7, 8]).unwrap());
    }

    #[test]
    fn parts_are_copied_between_boxes() {
        let from: Vec<u8> = (0..60).collect();
        let source = Source::contiguous(&from, &[3, 4, 5], 1, Order::C).unwrap();
        let part = source.part(&[1, 0, 2], &[2, 3, 2]).unwrap();
        let mut image = vec![255_u8; 4 * 4 * 4];
        let whole = Destination::over(&mut image, &[4, 4, 4], 1, Order::F).unwrap();
        let mut target = whole.part(&[2, 1, 0], &[2, 3, 2]).unwrap();
        copy(&part, &mut target).unwrap();
        for x in 0..4_usize {
            for y in 0..4 {
                for z in 0..4 {
                    let inside = x >= 2 && y >= 1 && z < 2;
                    let expected = if inside { from[(x - 1) * 20 + (y - 1) * 5 + z + 2] } else { 255 };
                    assert_eq!(image[x + 4 * y + 16 * z], expected, "{x} {y} {z}");
                }
            }
        }
        assert_eq!(source.part(&[1, 0, 4], &[2, 3, 2]).unwrap_err().kind(), ErrorKind::InvalidArgument);
        assert_eq!(source.part(&[1, 0], &[2, 3]).unwrap_err().kind(), ErrorKind::InvalidArgument);
        let mut small = vec![0_u8; 12];
        let mut target = Destination::over(&mut small, &[3, 2, 2], 1, Order::C).unwrap();
        assert_eq!(copy(&part, &mut target).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}
