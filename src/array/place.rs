//! From a stored chunk into a box of the caller's memory, and from there into a gap-free array: what the two passes move and where.
//!
//! Here bounds are checked and boxes are cut; the loops over bytes are in `kernel`.

use std::mem::MaybeUninit;
use std::ops::Range;

use smallvec::SmallVec;

use super::kernel::{self, Axes, Axis};
use super::strides::{array_bytes, shape_text};
use super::view::{Destination, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{DataType, Endian, Order};

/// What is moved: elements of one or more numbers, whose bytes are reversed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    size: usize,
    unit: usize,
    swap: bool,
}

impl Element {
    /// Elements of `data_type` between an array stored as `stored` and one in the machine's own byte order.
    #[must_use]
    pub fn new(data_type: DataType, stored: Endian) -> Self {
        let size = data_type.size();
        let swap = data_type.unit_size() > 1 && stored != Endian::NATIVE;
        if swap { Self { size, unit: data_type.unit_size(), swap } } else { Self::unswapped(size) }
    }

    /// Elements of `size` bytes that stay as they are.
    pub(super) fn unswapped(size: usize) -> Self {
        // Bytes that keep their order may as well travel in greater numbers.
        let unit = [8, 4, 2].into_iter().find(|&unit| size.is_multiple_of(unit)).unwrap_or(1);
        Self { size, unit, swap: false }
    }

    /// Bytes of what is moved at a time.
    pub(super) fn unit(self) -> usize {
        self.unit
    }

    /// Bytes of one element.
    #[must_use]
    pub fn size(self) -> usize {
        self.size
    }

    /// Whether bytes are reversed at all.
    #[must_use]
    pub fn swaps(self) -> bool {
        self.swap
    }

    /// Appends the numbers of one element as an axis of their own, where there are several.
    pub(super) fn push_units(self, axes: &mut Axes) {
        if self.size > self.unit {
            let step = self.unit.cast_signed();
            axes.push(Axis { count: self.size.div_euclid(self.unit), src: step, dst: step });
        }
    }
}

/// The bytes of a decoded chunk, or its part `[first_byte, first_byte + bytes.len())`.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The bytes at hand.
    pub bytes: &'a [u8],
    /// Where in the chunk they begin.
    pub first_byte: usize,
    /// The extents that the block stores.
    pub extents: &'a [u64],
    /// The order of the gap-free chunk.
    pub order: Order,
}

/// One axis of a box over a stored chunk.
struct Span {
    /// Elements of the box.
    extent: usize,
    /// How many of them, from the first on, the block stores.
    inside: usize,
    src: isize,
    dst: isize,
}

/// The bytes of a stored chunk from the first to the last element that the box at `offset` with `extent` touches; empty if it touches
/// none.
///
/// # Errors
/// `InvalidArgument` if the ranks differ; `LimitExceeded` if the chunk exceeds `isize::MAX` bytes.
pub fn touched_bytes(extents: &[u64], order: Order, element_size: usize, offset: &[u64], extent: &[u64]) -> Result<Range<usize>> {
    check_ranks(extents, offset, extent)?;
    array_bytes(extents, element_size)?;
    let mut touched = Some((0_usize, element_size));
    let mut stride = element_size;
    let mut next = |((&stored, &offset), &extent): ((&u64, &u64), &u64)| {
        let inside = stored.saturating_sub(offset).min(extent);
        touched = touched.filter(|_| inside > 0).map(|(first, end)| {
            // Inside the chunk, so below isize::MAX.
            let skipped = stride.saturating_mul(to_usize(offset));
            let reach = stride.saturating_mul(to_usize(inside).saturating_sub(1));
            (first.saturating_add(skipped), end.saturating_add(skipped).saturating_add(reach))
        });
        stride = stride.saturating_mul(to_usize(stored));
    };
    let axes = extents.iter().zip(offset).zip(extent);
    match order {
        Order::F => axes.for_each(&mut next),
        Order::C => axes.rev().for_each(&mut next),
    }
    Ok(touched.map_or(0..0, |(first, end)| first..end))
}

/// Writes the box at `offset` of a chunk into `destination`, whose extents are the box's: elements that the block stores are copied,
/// swapped as `element` says, the others become `fill`, one element in native byte order.
///
/// # Errors
/// `InvalidArgument` if ranks or element sizes differ; `SizeMismatch` if `stored` lacks bytes that the box touches; `LimitExceeded`.
pub fn place(stored: &Stored<'_>, offset: &[u64], destination: &mut Destination<'_>, element: Element, fill: &[u8]) -> Result<()> {
    check_element_size(destination.element_size(), element.size)?;
    check_element_size(destination.element_size(), fill.len())?;
    let touched = touched_bytes(stored.extents, stored.order, element.size, offset, destination.extents())?;
    if destination.is_empty() {
        return Ok(());
    }
    if touched.is_empty() {
        return self::fill(destination, fill);
    }
    let from = touched.start.checked_sub(stored.first_byte).and_then(|from| {
        let to = touched.end.checked_sub(stored.first_byte)?;
        stored.bytes.get(from..to)
    });
    let Some(from) = from else {
        let message = format!(
            "the box touches bytes {}..{} of the chunk, and of these bytes {}..{} are at hand",
            touched.start,
            touched.end,
            stored.first_byte,
            stored.first_byte.saturating_add(stored.bytes.len())
        );
        return Err(Error::new(ErrorKind::SizeMismatch, message));
    };

    if is_whole(stored, offset, destination) {
        // SAFETY: both sides are the same gap-free array, and `from` is all of it.
        unsafe { kernel::copy_run(from.as_ptr(), destination.first(), from.len(), element.unit, element.swap) };
        return Ok(());
    }
    let mut spans = spans(stored, offset, destination, element);
    // The slowest axis first: its padding is then one piece, and that of the others shrinks.
    spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.dst.unsigned_abs()));
    pad(destination.first(), &spans, fill);
    let mut axes: Axes = spans.iter().map(|span| Axis { count: span.inside, src: span.src, dst: span.dst }).collect();
    element.push_units(&mut axes);
    // SAFETY: the spans cover elements of the destination, whose bytes are valid for writes, and of the stored chunk between the first
    // and the last byte of `from`, where its first pointer is.
    unsafe { kernel::copy(from.as_ptr(), destination.first(), &mut axes, element.unit, element.swap) };
    Ok(())
}

/// Whether the box is the whole chunk, laid out as it is stored.
fn is_whole(stored: &Stored<'_>, offset: &[u64], destination: &Destination<'_>) -> bool {
    let mut stride = destination.element_size().cast_signed();
    let mut fits = |((&stored, &extent), &dst): ((&u64, &u64), &isize)| {
        let fits = stored == extent && (extent == 1 || dst == stride);
        stride = stride.saturating_mul(to_usize(extent).cast_signed());
        fits
    };
    let mut axes = stored.extents.iter().zip(destination.extents()).zip(destination.strides());
    let same_layout = match stored.order {
        Order::F => axes.all(&mut fits),
        Order::C => axes.rev().all(&mut fits),
    };
    same_layout && offset.iter().all(|&offset| offset == 0)
}

/// The axes of the box that have more than one element.
fn spans(stored: &Stored<'_>, offset: &[u64], destination: &Destination<'_>, element: Element) -> SmallVec<[Span; 64]> {
    let mut spans = SmallVec::new();
    let mut stride = element.size;
    let mut next = |(((&stored, &offset), &extent), &dst): (((&u64, &u64), &u64), &isize)| {
        if extent > 1 {
            let inside = to_usize(stored.saturating_sub(offset).min(extent));
            spans.push(Span { extent: to_usize(extent), inside, src: stride.cast_signed(), dst });
        }
        stride = stride.saturating_mul(to_usize(stored));
    };
    let axes = stored.extents.iter().zip(offset).zip(destination.extents()).zip(destination.strides());
    match stored.order {
        Order::F => axes.for_each(&mut next),
        Order::C => axes.rev().for_each(&mut next),
    }
    spans
}

/// Fills what the block does not store: per axis one slab, cut so that no two share an element.
fn pad(first: *mut u8, spans: &[Span], fill: &[u8]) {
    for (at, span) in spans.iter().enumerate() {
        let missing = span.extent.saturating_sub(span.inside);
        if missing == 0 {
            continue;
        }
        let start = first.wrapping_offset(span.inside.cast_signed().wrapping_mul(span.dst));
        let mut axes: Axes = spans
            .iter()
            .enumerate()
            .map(|(other, span)| {
                let count = match other.cmp(&at) {
                    std::cmp::Ordering::Less => span.inside,
                    std::cmp::Ordering::Equal => missing,
                    std::cmp::Ordering::Greater => span.extent,
                };
                Axis { count, src: 0, dst: span.dst }
            })
            .collect();
        // SAFETY: the slab is part of the destination's box.
        unsafe { kernel::fill(start, &mut axes, fill) };
    }
}

/// Sets every element of the box to `fill`, one element in native byte order.
///
/// # Errors
/// `InvalidArgument` if `fill` is no element of the box's size.
pub fn fill(destination: &mut Destination<'_>, fill: &[u8]) -> Result<()> {
    check_element_size(destination.element_size(), fill.len())?;
    if destination.is_empty() {
        return Ok(());
    }
    let mut axes: Axes = destination
        .extents()
        .iter()
        .zip(destination.strides())
        .filter(|(extent, _)| **extent > 1)
        .map(|(&extent, &dst)| Axis { count: to_usize(extent), src: 0, dst })
        .collect();
    // SAFETY: the axes are those of the destination's box.
    unsafe { kernel::fill(destination.first(), &mut axes, fill) };
    Ok(())
}

/// Brings the elements of `source` into a gap-free array in `order`, swapped as `element` says. Every byte of `bytes` is written.
///
/// # Errors
/// `SizeMismatch` if `bytes` has not exactly the array's size; `InvalidArgument` if the element sizes differ; `LimitExceeded`.
pub fn gather(source: &Source<'_>, bytes: &mut [MaybeUninit<u8>], order: Order, element: Element) -> Result<()> {
    check_element_size(source.element_size(), element.size)?;
    let needed = array_bytes(source.extents(), element.size)?;
    if bytes.len() != needed {
        let message = format!("the array has {needed} bytes and its buffer {}; pass a buffer of exactly the array's size", bytes.len());
        return Err(Error::new(ErrorKind::SizeMismatch, message));
    }
    if source.is_empty() {
        return Ok(());
    }
    if let Some(whole) = source.as_contiguous(order) {
        // SAFETY: both sides are the same gap-free array.
        unsafe { kernel::copy_run(whole.as_ptr(), bytes.as_mut_ptr().cast(), needed, element.unit, element.swap) };
        return Ok(());
    }
    let mut axes = Axes::new();
    let mut stride = element.size;
    let mut next = |(&extent, &src): (&u64, &isize)| {
        if extent > 1 {
            axes.push(Axis { count: to_usize(extent), src, dst: stride.cast_signed() });
        }
        stride = stride.saturating_mul(to_usize(extent));
    };
    let pairs = source.extents().iter().zip(source.strides());
    match order {
        Order::F => pairs.for_each(&mut next),
        Order::C => pairs.rev().for_each(&mut next),
    }
    element.push_units(&mut axes);
    // SAFETY: the axes are those of the source's box and of the gap-free array that fills `bytes`.
    unsafe { kernel::copy(source.first(), bytes.as_mut_ptr().cast(), &mut axes, element.unit, element.swap) };
    Ok(())
}

/// [`gather`] into a vector, whose content it replaces.
///
/// # Errors
/// As [`gather`], and `OutOfMemory`.
pub fn gather_to(source: &Source<'_>, bytes: &mut Vec<u8>, order: Order, element: Element) -> Result<()> {
    bytes.clear();
    gather_behind(source, bytes, order, element)
}

/// [`gather`] into a vector, behind what it holds.
///
/// # Errors
/// As [`gather_to`].
pub fn gather_behind(source: &Source<'_>, bytes: &mut Vec<u8>, order: Order, element: Element) -> Result<()> {
    let needed = array_bytes(source.extents(), element.size)?;
    bytes.try_reserve_exact(needed).map_err(|_| Error::out_of_memory())?;
    if let Some(room) = bytes.spare_capacity_mut().get_mut(..needed) {
        gather(source, room, order, element)?;
    }
    // SAFETY: `gather` wrote the `needed` bytes behind the content, and the capacity suffices.
    unsafe { bytes.set_len(bytes.len().saturating_add(needed)) };
    Ok(())
}

/// Reverses the bytes of every number in place, where `element` asks for it; bytes behind the last whole number stay.
pub fn swap_in_place(bytes: &mut [MaybeUninit<u8>], element: Element) {
    if element.swap {
        kernel::swap_in_place(bytes, element.unit);
    }
}

pub(super) fn check_element_size(expected: usize, given: usize) -> Result<()> {
    if expected == given {
        return Ok(());
    }
    let message = format!("the box has elements of {expected} bytes and {given} were given; both must be equal");
    Err(Error::new(ErrorKind::InvalidArgument, message))
}

fn check_ranks(stored: &[u64], offset: &[u64], extent: &[u64]) -> Result<()> {
    if stored.len() == offset.len() && stored.len() == extent.len() {
        return Ok(());
    }
    let message = format!(
        "a chunk of {}, an offset of {} numbers and a box of {}; all need one number per dimension",
        shape_text(stored),
        offset.len(),
        shape_text(extent)
    );
    Err(Error::new(ErrorKind::InvalidArgument, message))
}

/// Only for extents that a checked size bounds; saturating keeps the rest harmless.
pub(super) fn to_usize(extent: u64) -> usize {
    usize::try_from(extent).unwrap_or(usize::MAX)
}
