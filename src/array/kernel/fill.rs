//! Filling a box with one element.
//!
//! Runs without gaps are filled by doubling what is there already, or by one call where all bytes of the element are equal.

use super::{Axes, Axis, normalise};

/// Bytes up to which a run is doubled; from there on it repeats from the first cache.
const PIECE_LEN: usize = 8192;

/// Sets every element of the box at `dst` to `element`. The axes' source strides are not used.
///
/// # Safety
/// `dst` is the first element of a box with `axes`, valid for writes, whose elements do not overlap.
pub(in crate::array) unsafe fn fill(dst: *mut u8, axes: &mut Axes, element: &[u8]) {
    for axis in axes.iter_mut() {
        axis.src = 0;
    }
    // Equal source strides let axes merge wherever the destination has no gap between them.
    let size = element.len();
    let (_, mut first) = normalise(std::ptr::null(), dst, axes);
    let mut outer: &[Axis] = axes;
    let mut run_len = size;
    if let Some((inner, rest)) = axes.split_first()
        && inner.dst == size.cast_signed()
    {
        run_len = inner.count.wrapping_mul(size);
        outer = rest;
    }
    let same = element.first().copied().filter(|first| element.iter().all(|byte| byte == first));
    let mut counter = super::Counter::new(outer);
    loop {
        match same {
            // SAFETY: the run lies in the box.
            Some(byte) => unsafe { first.write_bytes(byte, run_len) },
            // SAFETY: the run lies in the box and holds whole elements.
            None => unsafe { repeat(first, run_len, element) },
        }
        match counter.next(outer) {
            Some((_, step)) => first = first.wrapping_offset(step),
            None => return,
        }
    }
}

/// Writes `element` again and again into `run_len` bytes, a multiple of its size.
///
/// # Safety
/// `run` is valid for writes of `run_len` bytes and does not overlap `element`.
unsafe fn repeat(run: *mut u8, run_len: usize, element: &[u8]) {
    // SAFETY: the run holds at least one element.
    unsafe { run.copy_from_nonoverlapping(element.as_ptr(), element.len()) };
    let mut done = element.len();
    let mut piece = done;
    while done < run_len {
        let len = piece.min(run_len.wrapping_sub(done));
        // SAFETY: `len` bytes at the start of the run are written already, and as many are left behind `done`.
        unsafe { run.wrapping_add(done).copy_from_nonoverlapping(run, len) };
        done = done.wrapping_add(len);
        if piece < PIECE_LEN {
            piece = done;
        }
    }
}
