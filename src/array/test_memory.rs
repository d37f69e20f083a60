//! Memory for tests in which an access before or behind a buffer is noticed.
//!
//! On Unix the pages around it allow no access at all; elsewhere, and in the rest of the buffer's own pages, canary bytes are compared.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::multiple_unsafe_ops_per_block)]

const CANARY: u8 = 0xA7;

/// Which end of the buffer touches the forbidden page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Front,
    Back,
}

/// `len` bytes with forbidden memory on both sides.
pub(super) struct Guarded {
    memory: Memory,
    begin: usize,
    len: usize,
}

impl Guarded {
    pub(super) fn new(len: usize, side: Side) -> Self {
        let mut memory = Memory::new(len);
        memory.bytes().fill(CANARY);
        let begin = match side {
            Side::Front => memory.front(),
            Side::Back => memory.front() + memory.usable() - len,
        };
        Self { memory, begin, len }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        let begin = self.begin - self.memory.front();
        &mut self.memory.bytes()[begin..begin + self.len]
    }

    /// Fails if a byte around the buffer has changed.
    pub(super) fn check(&mut self) {
        let begin = self.begin - self.memory.front();
        let len = self.len;
        let all = self.memory.bytes();
        assert!(all[..begin].iter().all(|&byte| byte == CANARY), "bytes before the buffer were written");
        assert!(all[begin + len..].iter().all(|&byte| byte == CANARY), "bytes behind the buffer were written");
    }
}

#[cfg(all(unix, not(miri)))]
struct Memory {
    start: *mut u8,
    pages: usize,
    page_len: usize,
}

#[cfg(all(unix, not(miri)))]
impl Memory {
    fn new(len: usize) -> Self {
        // SAFETY: a question about a constant of the system.
        let page_len = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let pages = len.div_ceil(page_len).max(1);
        let total = (pages + 2) * page_len;
        // SAFETY: a new anonymous mapping, whose first and last page are then closed.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(std::ptr::null_mut(), total, libc::PROT_NONE, flags, -1, 0);
            assert!(start != libc::MAP_FAILED);
            let start = start.cast::<u8>();
            assert_eq!(libc::mprotect(start.add(page_len).cast(), pages * page_len, libc::PROT_READ | libc::PROT_WRITE), 0);
            start
        };
        Self { start, pages, page_len }
    }

    fn front(&self) -> usize {
        self.page_len
    }

    fn usable(&self) -> usize {
        self.pages * self.page_len
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping's open pages, borrowed as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(self.page_len), self.usable()) }
    }
}

#[cfg(all(unix, not(miri)))]
impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `new`.
        unsafe { libc::munmap(self.start.cast(), (self.pages + 2) * self.page_len) };
    }
}

#[cfg(not(all(unix, not(miri))))]
struct Memory(Vec<u8>);

#[cfg(not(all(unix, not(miri))))]
impl Memory {
    fn new(len: usize) -> Self {
        Self(vec![0; len + 256])
    }

    fn front(&self) -> usize {
        0
    }

    fn usable(&self) -> usize {
        self.0.len()
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
