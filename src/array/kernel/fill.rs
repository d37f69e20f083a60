//! Filling a box with one element.
//!
//! The first run without gaps is made by doubling what is there, and copied to all others; where all bytes of the element are equal,
//! each run is set at once.

use super::{Axes, Axis, Counter, normalise};

/// Bytes up to which a run is doubled; from there on it repeats what is in the nearest cache.
const PIECE_LEN: usize = 8192;

/// Sets every element of the box at `dst` to `element`. The axes' source strides have no meaning.
///
/// # Safety
/// `dst` is the first element of a box with `axes`, valid for writes, whose elements do not overlap.
pub(in crate::array) unsafe fn fill(dst: *mut u8, axes: &mut Axes, element: &[u8]) {
    // Equal source strides let axes merge wherever the destination has no gap.
    axes.iter_mut().for_each(|axis| axis.src = 0);
    let (_, first) = normalise(std::ptr::null(), dst, axes);
    let size = element.len();
    let (run_len, outer): (usize, &[Axis]) = match axes.split_first() {
        Some((inner, rest)) if inner.dst == size.cast_signed() => (inner.count.wrapping_mul(size), rest),
        _ => (size, axes),
    };
    let same = element.first().copied().filter(|first| element.iter().all(|byte| byte == first));
    if same.is_none() {
        // SAFETY: the first run lies in the box and holds whole elements.
        unsafe { repeat(first, run_len, element) };
    }
    let (inner, rest) = match outer.split_first() {
        Some((inner, rest)) => (*inner, rest),
        None => (Axis { count: 1, src: 0, dst: 0 }, outer),
    };
    let mut counter = Counter::new(rest);
    let mut start = first;
    loop {
        let mut run = start;
        for _ in 0..inner.count {
            match same {
                // SAFETY: a run of the box.
                Some(byte) => unsafe { run.write_bytes(byte, run_len) },
                None if run == first => {}
                // SAFETY: two runs of the box, of which the first is written.
                None => unsafe { run.copy_from_nonoverlapping(first, run_len) },
            }
            run = run.wrapping_offset(inner.dst);
        }
        let Some((_, step)) = counter.next(rest) else { return };
        start = start.wrapping_offset(step);
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
