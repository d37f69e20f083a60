//! Pointers from C: NULL, length and overlap checks, reads and writes that assume no alignment.
//!
//! Two overlapping slices would be undefined behaviour in Rust, so overlap is checked for soundness, not politeness.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Extents;

pub(super) fn null(name: &str) -> Error {
    Error::new(ErrorKind::NullPointer, format!("{name} is NULL; it must point to something"))
}

/// Checks what holds for every buffer: NULL only with length 0, no length above `PTRDIFF_MAX`, no end beyond the address space.
pub(super) fn check(start: *const c_void, len: usize, name: &str) -> Result<()> {
    if start.is_null() && len != 0 {
        return Err(Error::new(ErrorKind::NullPointer, format!("{name} is NULL and its length is {len}; NULL goes with length 0")));
    }
    if isize::try_from(len).is_err() {
        return Err(Error::new(ErrorKind::LimitExceeded, format!("the length of {name}, {len} bytes, exceeds PTRDIFF_MAX")));
    }
    if start.addr().checked_add(len).is_none() {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("{name} and its length of {len} bytes pass the end of memory")));
    }
    Ok(())
}

/// The memory that an argument leads to.
#[derive(Clone, Copy)]
pub(super) struct Span {
    name: &'static str,
    start: *const c_void,
    len: usize,
}

/// A buffer of bytes.
pub(super) fn bytes<T>(name: &'static str, start: *const T, len: usize) -> Span {
    Span { name, start: start.cast(), len }
}

/// An array of numbers; NULL is none, and checked where it is read.
pub(super) fn numbers<T>(name: &'static str, start: *const T, count: usize) -> Span {
    let len = if start.is_null() { 0 } else { count.saturating_mul(size_of::<T>()) };
    Span { name, start: start.cast(), len }
}

/// The place of one result; NULL is none.
pub(super) fn place<T>(name: &'static str, place: *const T) -> Span {
    numbers(name, place, 1)
}

/// Checks every buffer as [`check`] does, and that no output shares a byte with an input or with another output.
pub(super) fn check_apart(inputs: &[Span], outputs: &[Span]) -> Result<()> {
    for span in inputs.iter().chain(outputs) {
        check(span.start, span.len, span.name)?;
    }
    for (index, output) in outputs.iter().enumerate() {
        for other in inputs.iter().chain(outputs.iter().take(index)) {
            let (first, second) = if output.start.addr() < other.start.addr() { (output, other) } else { (other, output) };
            if output.len != 0 && other.len != 0 && second.start.addr() - first.start.addr() < first.len {
                return Err(Error::new(
                    ErrorKind::BuffersOverlap,
                    format!("{} and {} overlap; give them memory of their own", other.name, output.name),
                ));
            }
        }
    }
    Ok(())
}

/// A handle from C.
///
/// # Safety
/// `handle` is NULL or a live object that nobody changes during `'a`.
pub(super) unsafe fn handle<'a, T>(handle: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: the caller's contract.
    unsafe { handle.as_ref() }.ok_or_else(|| null(name))
}

/// An input buffer.
///
/// # Safety
/// `start` is NULL or `len` bytes from it may be read during `'a` and nobody writes them.
pub(super) unsafe fn input<'a>(start: *const c_void, len: usize, name: &str) -> Result<&'a [u8]> {
    check(start, len, name)?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, no longer than isize::MAX, and readable by the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), len) })
}

/// An output buffer, whose content is taken for uninitialised.
///
/// # Safety
/// `start` is NULL or `len` bytes from it may be written during `'a` and nobody else uses them.
pub(super) unsafe fn output<'a>(start: *mut c_void, len: usize, name: &str) -> Result<&'a mut [MaybeUninit<u8>]> {
    check(start, len, name)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not NULL, no longer than isize::MAX, and the caller's own by contract.
    Ok(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) })
}

/// An array of `count` numbers of 64 bits, copied; NULL goes with rank 0.
///
/// # Safety
/// `start` is NULL or `count` numbers from it may be read.
pub(super) unsafe fn extents(start: *const u64, count: usize, name: &str) -> Result<Extents> {
    check(start.cast(), count.saturating_mul(8), name)?;
    let mut extents = Extents::new();
    extents.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
    for index in 0..count {
        // SAFETY: `index` is below `count`.
        let place = unsafe { start.add(index) };
        // SAFETY: the caller's contract; alignment is not assumed.
        extents.push(unsafe { place.read_unaligned() });
    }
    Ok(extents)
}

/// The same where NULL means that there is none.
///
/// # Safety
/// As for [`extents`].
pub(super) unsafe fn optional_extents(start: *const u64, count: usize, name: &str) -> Result<Option<Extents>> {
    if start.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's contract.
    unsafe { extents(start, count, name) }.map(Some)
}

/// Writes `values` to an array of `count` numbers.
///
/// # Safety
/// `start` is NULL or `count` numbers from it may be written.
pub(super) unsafe fn put_extents(start: *mut u64, count: usize, values: &[u64], name: &str) -> Result<()> {
    check(start.cast_const().cast(), count.saturating_mul(8), name)?;
    if count < values.len() {
        return Err(Error::new(ErrorKind::BufferTooSmall, format!("{name} has room for {count} numbers and the rank is {}", values.len())));
    }
    for (index, &value) in values.iter().enumerate() {
        // SAFETY: `index` is below `values.len()`, which is at most `count`.
        let place = unsafe { start.add(index) };
        // SAFETY: the caller's contract; alignment is not assumed.
        unsafe { place.write_unaligned(value) };
    }
    Ok(())
}

/// Writes one value; NULL is an error.
///
/// # Safety
/// `place` is NULL or may be written.
pub(super) unsafe fn put<T>(place: *mut T, value: T, name: &str) -> Result<()> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: not NULL, and the caller's contract; alignment is not assumed.
    unsafe { place.write_unaligned(value) };
    Ok(())
}

/// Writes one value unless `place` is NULL.
///
/// # Safety
/// `place` is NULL or may be written.
pub(super) unsafe fn put_optional<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL, and the caller's contract; alignment is not assumed.
        unsafe { place.write_unaligned(value) };
    }
}

/// A NUL-terminated string.
///
/// # Safety
/// `text` is NULL or NUL-terminated and unchanged during `'a`.
pub(super) unsafe fn c_string<'a>(text: *const c_char) -> Option<&'a CStr> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not NULL, and the caller's contract.
    Some(unsafe { CStr::from_ptr(text) })
}

/// Delivers text by two calls: `dst` NULL with `dst_len` 0 asks for the size, which `*needed` gets in every case but NULL.
///
/// # Safety
/// `needed` is NULL or may be written; `dst` is NULL or `dst_len` bytes from it may be written.
pub(super) unsafe fn put_text(text: &str, dst: *mut c_char, dst_len: usize, needed: *mut usize) -> Result<()> {
    check_apart(&[], &[bytes("dst", dst, dst_len), place("needed", needed)])?;
    // SAFETY: the caller's contract; apart from `needed`.
    let room = unsafe { output(dst.cast(), dst_len, "dst") }?;
    // SAFETY: the caller's contract.
    unsafe { put(needed, text.len(), "needed") }?;
    if dst.is_null() {
        return Ok(());
    }
    let Some(room) = room.get_mut(..text.len()) else {
        return Err(Error::new(
            ErrorKind::BufferTooSmall,
            format!("the text has {} bytes and dst_len is {dst_len}; *needed says so too", text.len()),
        ));
    };
    copy(text.as_bytes(), room);
    Ok(())
}

/// Copies as many bytes as both have.
pub(super) fn copy(bytes: &[u8], room: &mut [MaybeUninit<u8>]) {
    for (slot, &byte) in room.iter_mut().zip(bytes) {
        slot.write(byte);
    }
}
