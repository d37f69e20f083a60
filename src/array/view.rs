//! Boxes of elements in the caller's memory: `Destination` may be written, `Source` read.
//!
//! Both hold a raw pointer and never form a slice over the image: other threads may write other elements of it at the same time,
//! and what lies between the elements is neither read nor written.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use smallvec::SmallVec;

use super::strides::{array_bytes, check_bounds, check_disjoint, contiguous_strides, try_strides};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Extents, Order, Strides};

/// A box of elements that may be written; no two of its elements share a byte.
#[derive(Debug)]
pub struct Destination<'a> {
    first: *mut u8,
    layout: Layout,
    memory: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

// SAFETY: a destination is the only access to its elements, as a `&mut` would be, and touches nothing else.
unsafe impl Send for Destination<'_> {}

/// A box of elements that may be read; elements may overlap, and a stride may be 0.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    first: *const u8,
    layout: Layout,
    memory: PhantomData<&'a [u8]>,
}

// SAFETY: a source only reads memory that nobody writes while it lives, as a `&[u8]` would.
unsafe impl Send for Source<'_> {}
// SAFETY: as above.
unsafe impl Sync for Source<'_> {}

/// Where the elements are, relative to the first.
#[derive(Clone, Debug)]
struct Layout {
    extents: Extents,
    strides: Strides,
    element_size: usize,
}

impl Layout {
    fn contiguous(extents: &[u64], element_size: usize, order: Order) -> Result<Self> {
        let strides = contiguous_strides(extents, element_size, order)?;
        Ok(Self { extents: try_extents(extents)?, strides, element_size })
    }

    fn strided(len: usize, origin: usize, strides: Option<&[isize]>, order: Order, extents: &[u64], element_size: usize) -> Result<Self> {
        let layout = match strides {
            None => Self::contiguous(extents, element_size, order)?,
            Some(strides) if strides.len() != extents.len() => {
                let message = format!("{} strides for {} dimensions; pass one byte stride per dimension", strides.len(), extents.len());
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            Some(strides) => {
                let mut copied = try_strides(strides.len())?;
                copied.extend_from_slice(strides);
                Self { extents: try_extents(extents)?, strides: copied, element_size }
            }
        };
        check_bounds(len, origin, &layout.strides, extents, element_size)?;
        Ok(layout)
    }

    fn is_empty(&self) -> bool {
        self.element_size == 0 || self.extents.contains(&0)
    }

    /// The layout of the box at `offset` with `extents` inside this one, and the bytes from this one's first element to its first.
    fn part(&self, offset: &[u64], extents: &[u64]) -> Result<(Self, isize)> {
        let outside = |what: String| {
            let message = format!("{what}; a part has as many dimensions as its box and lies inside it");
            Err(Error::new(ErrorKind::InvalidArgument, message))
        };
        let ndim = self.extents.len();
        if offset.len() != ndim || extents.len() != ndim {
            return outside(format!(
                "an offset of {} and extents of {} numbers in a box of {ndim} dimensions",
                offset.len(),
                extents.len()
            ));
        }
        let mut step = 0_isize;
        let axes = self.extents.iter().zip(&self.strides).zip(offset.iter().zip(extents));
        for (axis, ((&whole, &stride), (&offset, &extent))) in axes.enumerate() {
            if offset.checked_add(extent).is_none_or(|end| end > whole) {
                return outside(format!("offset {offset} and extent {extent} on axis {axis} of extent {whole}"));
            }
            // Wraps only on the way to a part without elements, whose pointer is never used.
            step = step.wrapping_add(stride.wrapping_mul(isize::try_from(offset).unwrap_or(0)));
        }
        let mut strides = try_strides(ndim)?;
        strides.extend_from_slice(&self.strides);
        Ok((Self { extents: try_extents(extents)?, strides, element_size: self.element_size }, step))
    }

    /// The bytes of the box if it is gap-free in `order`.
    fn contiguous_bytes(&self, order: Order) -> Option<usize> {
        let bytes = array_bytes(&self.extents, self.element_size).ok()?;
        if bytes == 0 {
            return Some(0);
        }
        let mut expected = isize::try_from(self.element_size).ok()?;
        let mut fits = |(&extent, &stride): (&u64, &isize)| {
            let matches = extent == 1 || stride == expected;
            expected = expected.saturating_mul(isize::try_from(extent).unwrap_or(isize::MAX));
            matches
        };
        let axes = self.extents.iter().zip(&self.strides);
        let gap_free = match order {
            Order::F => axes.into_iter().all(&mut fits),
            Order::C => axes.into_iter().rev().all(&mut fits),
        };
        gap_free.then_some(bytes)
    }
}

pub(super) fn try_extents(extents: &[u64]) -> Result<Extents> {
    let mut copied = SmallVec::new();
    copied.try_reserve_exact(extents.len()).map_err(|_| Error::out_of_memory())?;
    copied.extend_from_slice(extents);
    Ok(copied)
}

/// Checks that a buffer of `len` bytes holds a gap-free array.
fn check_len(len: usize, extents: &[u64], element_size: usize) -> Result<()> {
    let needed = array_bytes(extents, element_size)?;
    if len >= needed {
        return Ok(());
    }
    let message = format!("the buffer has {len} bytes and the array needs {needed}; pass a buffer of at least {needed} bytes");
    Err(Error::new(ErrorKind::BufferTooSmall, message))
}

impl<'a> Destination<'a> {
    /// The gap-free array of `extents` in `order` at the beginning of `bytes`.
    ///
    /// # Errors
    /// `BufferTooSmall` with the bytes needed and given; `LimitExceeded`; `OutOfMemory`.
    pub fn contiguous(bytes: &'a mut [MaybeUninit<u8>], extents: &[u64], element_size: usize, order: Order) -> Result<Self> {
        check_len(bytes.len(), extents, element_size)?;
        let layout = Layout::contiguous(extents, element_size, order)?;
        Ok(Self { first: bytes.as_mut_ptr().cast(), layout, memory: PhantomData })
    }

    /// A box inside the image of `len` bytes at `start`: its first element is at byte `origin`, element `i` at `origin + sum of
    /// i_k * strides_k`. Negative strides flip an axis; `None` is a gap-free box in `order`.
    ///
    /// # Errors
    /// `BufferTooSmall` if a byte of the box lies outside the image; `InvalidArgument` if two elements overlap or strides and extents
    /// differ in number; `LimitExceeded`; `OutOfMemory`.
    ///
    /// # Safety
    /// Unless the box is empty, `start` must be valid for reads and writes of the box's bytes for `'a`, and nothing else may access
    /// these bytes meanwhile. The other bytes of the image are never touched.
    pub unsafe fn from_raw(
        start: *mut u8,
        len: usize,
        origin: usize,
        strides: Option<&[isize]>,
        order: Order,
        extents: &[u64],
        element_size: usize,
    ) -> Result<Self> {
        let layout = Layout::strided(len, origin, strides, order, extents, element_size)?;
        if strides.is_some() {
            check_disjoint(&layout.strides, extents, element_size)?;
        }
        Ok(Self { first: start.wrapping_add(origin), layout, memory: PhantomData })
    }

    /// [`Self::contiguous`] over memory that is initialised, and stays so.
    ///
    /// # Errors
    /// As [`Self::contiguous`].
    pub fn over(bytes: &'a mut [u8], extents: &[u64], element_size: usize, order: Order) -> Result<Self> {
        // SAFETY: the same memory; whoever gets it from a destination writes elements to it, and never takes their bytes away.
        let bytes = unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len()) };
        Self::contiguous(bytes, extents, element_size, order)
    }

    /// The number of elements along each axis.
    #[must_use]
    pub fn extents(&self) -> &[u64] {
        &self.layout.extents
    }

    /// The same box for a while, after which this one can be used again.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn reborrow(&mut self) -> Result<Destination<'_>> {
        let mut strides = try_strides(self.layout.strides.len())?;
        strides.extend_from_slice(&self.layout.strides);
        let layout = Layout { extents: try_extents(&self.layout.extents)?, strides, element_size: self.layout.element_size };
        Ok(Destination { first: self.first, layout, memory: PhantomData })
    }

    /// The box at `offset` with `extents` inside this one.
    ///
    /// # Errors
    /// `InvalidArgument` if it leaves this one; `OutOfMemory`.
    pub fn part(self, offset: &[u64], extents: &[u64]) -> Result<Self> {
        // SAFETY: `self` is given up, so the part is the only access to its elements.
        unsafe { self.alias(offset, extents) }
    }

    /// The box at `offset` with `extents` inside this one, which goes on.
    ///
    /// # Errors
    /// As [`Self::part`].
    ///
    /// # Safety
    /// While the part lives, nothing but it accesses its elements.
    pub(super) unsafe fn alias(&self, offset: &[u64], extents: &[u64]) -> Result<Self> {
        let (layout, step) = self.layout.part(offset, extents)?;
        Ok(Self { first: self.first.wrapping_offset(step), layout, memory: PhantomData })
    }

    /// Two boxes: what lies below `index` on `axis`, and the rest. They share no element, so two threads may fill them.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such axis or index; `OutOfMemory`.
    pub fn split_at(self, axis: usize, index: u64) -> Result<(Self, Self)> {
        let (Some(&extent), Some(&stride)) = (self.layout.extents.get(axis), self.layout.strides.get(axis)) else {
            let message = format!("axis {axis} of a box with {} dimensions; axes count from 0", self.layout.extents.len());
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        };
        let Some(rest) = extent.checked_sub(index) else {
            let message = format!("a cut at {index} on axis {axis} with extent {extent}; cut at 0 to {extent}");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        };
        let mut extents = try_extents(&self.layout.extents)?;
        let mut strides = try_strides(self.layout.strides.len())?;
        strides.extend_from_slice(&self.layout.strides);
        if let Some(extent) = extents.get_mut(axis) {
            *extent = rest;
        }
        let second = Layout { extents, strides, element_size: self.layout.element_size };
        let mut first = self;
        // The pointer of an empty box is never used, so a step that leaves the image does no harm.
        let steps = isize::try_from(index).unwrap_or(0);
        let second = Self { first: first.first.wrapping_offset(steps.wrapping_mul(stride)), layout: second, memory: PhantomData };
        if let Some(extent) = first.layout.extents.get_mut(axis) {
            *extent = index;
        }
        Ok((first, second))
    }

    /// The box's bytes, where it is gap-free in `order`.
    pub fn as_contiguous(&mut self, order: Order) -> Option<&mut [MaybeUninit<u8>]> {
        match self.layout.contiguous_bytes(order)? {
            0 => Some(&mut []),
            // SAFETY: a gap-free box consists of exactly the `bytes` bytes from its first element on, all of them elements to which
            // this destination has the only access, for as long as it is borrowed.
            bytes => Some(unsafe { std::slice::from_raw_parts_mut(self.first.cast(), bytes) }),
        }
    }

    pub(super) fn first(&self) -> *mut u8 {
        self.first
    }

    pub(super) fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    pub(super) fn element_size(&self) -> usize {
        self.layout.element_size
    }

    pub(super) fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }
}

impl<'a> Source<'a> {
    /// The gap-free array of `extents` in `order` at the beginning of `bytes`.
    ///
    /// # Errors
    /// `BufferTooSmall` with the bytes needed and given; `LimitExceeded`; `OutOfMemory`.
    pub fn contiguous(bytes: &'a [u8], extents: &[u64], element_size: usize, order: Order) -> Result<Self> {
        check_len(bytes.len(), extents, element_size)?;
        let layout = Layout::contiguous(extents, element_size, order)?;
        Ok(Self { first: bytes.as_ptr(), layout, memory: PhantomData })
    }

    /// A box inside the image of `len` bytes at `start`; see [`Destination::from_raw`]. Elements may overlap.
    ///
    /// # Errors
    /// `BufferTooSmall` if a byte of the box lies outside the image; `InvalidArgument` if strides and extents differ in number;
    /// `LimitExceeded`; `OutOfMemory`.
    ///
    /// # Safety
    /// Unless the box is empty, `start` must be valid for reads of the box's bytes for `'a`, these must be initialised, and nothing may
    /// write them meanwhile.
    pub unsafe fn from_raw(
        start: *const u8,
        len: usize,
        origin: usize,
        strides: Option<&[isize]>,
        order: Order,
        extents: &[u64],
        element_size: usize,
    ) -> Result<Self> {
        let layout = Layout::strided(len, origin, strides, order, extents, element_size)?;
        Ok(Self { first: start.wrapping_add(origin), layout, memory: PhantomData })
    }

    /// The number of elements along each axis.
    #[must_use]
    pub fn extents(&self) -> &[u64] {
        &self.layout.extents
    }

    /// The box at `offset` with `extents` inside this one.
    ///
    /// # Errors
    /// `InvalidArgument` if it leaves this one; `OutOfMemory`.
    pub fn part(&self, offset: &[u64], extents: &[u64]) -> Result<Self> {
        let (layout, step) = self.layout.part(offset, extents)?;
        Ok(Self { first: self.first.wrapping_offset(step), layout, memory: PhantomData })
    }

    /// The box's bytes, where it is gap-free in `order`.
    #[must_use]
    pub fn as_contiguous(&self, order: Order) -> Option<&[u8]> {
        match self.layout.contiguous_bytes(order)? {
            0 => Some(&[]),
            // SAFETY: a gap-free box consists of exactly the `bytes` bytes from its first element on, which are initialised and which
            // nobody writes while the source lives.
            bytes => Some(unsafe { std::slice::from_raw_parts(self.first, bytes) }),
        }
    }

    pub(super) fn first(&self) -> *const u8 {
        self.first
    }

    pub(super) fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    pub(super) fn element_size(&self) -> usize {
        self.layout.element_size
    }

    pub(super) fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }
}
