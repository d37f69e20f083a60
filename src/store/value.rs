//! A value while it is read, whole or in parts: bytes in memory, or an open file.
//!
//! All that one [`Value`] gives belongs to one version of what is stored, whoever replaces it meanwhile.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::directory::failure;
use crate::error::{Error, Result};

const PAGE_BYTES: usize = 4096;

/// Where in a page a value begins: far from where the pages of a file begin, and so that what follows the header of a block of three
/// dimensions is aligned.
const START: usize = PAGE_BYTES / 2 + 48;

/// Memory for values, which grows with them and is used again.
///
/// Its bytes stay initialised when a shorter value follows, so that a value costs no clearing.
#[derive(Default)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// Bytes that it holds on to.
    #[must_use]
    pub fn retained_bytes(&self) -> usize {
        self.0.capacity()
    }

    /// `len` bytes in the middle of a page, whatever they are.
    ///
    /// Some processors copy to a page at half the speed if they write a few bytes behind where they read, counted from the beginning of
    /// each page; which is where an allocator puts large memory, behind a note of its own.
    pub(super) fn first(&mut self, len: usize) -> Result<&mut [u8]> {
        let needed = len.saturating_add(PAGE_BYTES).saturating_add(START);
        if let Some(more) = needed.checked_sub(self.0.len()).filter(|&more| more > 0) {
            // Sizes of compressed blocks creep upwards; a little more than asked for spares most of the growing.
            self.0.try_reserve_exact(more.saturating_add(len / 8)).map_err(|_| Error::out_of_memory())?;
            self.0.resize(self.0.capacity(), 0);
        }
        let start = self.0.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES).saturating_add(START);
        Ok(self.0.get_mut(start..start.saturating_add(len)).unwrap_or_default())
    }

    /// As a vector that a store fills from its beginning.
    pub(crate) fn as_vec(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

/// A value that a store has found.
pub struct Value<'a>(Place<'a>);

enum Place<'a> {
    Memory(&'a [u8]),
    Shared(Arc<Vec<u8>>),
    File(Opened<'a>),
}

/// An open file, which stays the same one when another takes its name.
struct Opened<'a> {
    file: File,
    path: PathBuf,
    len: u64,
    buffer: &'a mut Buffer,
}

impl<'a> Value<'a> {
    pub(crate) fn in_memory(bytes: &'a [u8]) -> Self {
        Self(Place::Memory(bytes))
    }

    pub(super) fn shared(bytes: Arc<Vec<u8>>) -> Self {
        Self(Place::Shared(bytes))
    }

    pub(super) fn file(file: File, path: PathBuf, len: u64, buffer: &'a mut Buffer) -> Self {
        Self(Place::File(Opened { file, path, len, buffer }))
    }

    /// Bytes of the value. A file may turn out to be shorter, if somebody cuts it meanwhile.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Place::Memory(bytes) => bytes.len() as u64,
            Place::Shared(bytes) => bytes.len() as u64,
            Place::File(opened) => opened.len,
        }
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether reading a part spares anything: its bytes are not all in memory yet.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        matches!(self.0, Place::File(_))
    }

    /// All bytes.
    ///
    /// # Errors
    /// `Permission`, `Io`, `OutOfMemory`.
    pub fn whole(&mut self) -> Result<&[u8]> {
        match &mut self.0 {
            Place::Memory(bytes) => Ok(bytes),
            Place::Shared(bytes) => Ok(bytes),
            Place::File(opened) => {
                let len = usize::try_from(opened.len).map_err(|_| Error::out_of_memory())?;
                let bytes = opened.buffer.first(len)?;
                let read = read_at(&opened.file, 0, bytes).map_err(|error| failure("read", &opened.path, &error))?;
                Ok(bytes.get(..read).unwrap_or_default())
            }
        }
    }

    /// The bytes `hull`, of which only those in `runs` are read, ascending and within it; the others have any content. `None` if the value
    /// has turned out to be shorter.
    ///
    /// # Errors
    /// As [`Self::whole`].
    pub fn parts(&mut self, hull: Range<usize>, runs: impl Iterator<Item = Range<usize>>) -> Result<Option<&[u8]>> {
        match &mut self.0 {
            Place::Memory(bytes) => Ok(bytes.get(hull)),
            Place::Shared(bytes) => Ok(bytes.get(hull)),
            Place::File(opened) => {
                let bytes = opened.buffer.first(hull.len())?;
                for run in runs {
                    let at = run.start.saturating_sub(hull.start)..run.end.saturating_sub(hull.start);
                    let Some(room) = bytes.get_mut(at) else { return Ok(None) };
                    let read = read_at(&opened.file, run.start as u64, room).map_err(|error| failure("read", &opened.path, &error))?;
                    if read < room.len() {
                        return Ok(None);
                    }
                }
                Ok(Some(bytes))
            }
        }
    }
}

/// Fills `room` with the bytes of `file` from `offset` on, as far as there are any; how many there were.
pub(super) fn read_at(file: &File, offset: u64, room: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = room.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match read_some(file, offset.saturating_add(done as u64), rest) {
            Ok(0) => break,
            Ok(count) => done = done.saturating_add(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

#[cfg(unix)]
fn read_some(file: &File, offset: u64, room: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, offset)
}

#[cfg(windows)]
fn read_some(file: &File, offset: u64, room: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, offset)
}

#[cfg(not(any(unix, windows)))]
fn read_some(mut file: &File, offset: u64, room: &mut [u8]) -> io::Result<usize> {
    use io::{Read, Seek};
    file.seek(io::SeekFrom::Start(offset))?;
    file.read(room)
}
