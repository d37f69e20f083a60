//! Stores: where the values of a container lie, by key. The trait, a directory, memory, and the wrappers of the N5 specification.
//!
//! A key is a path of parts with '/' between, such as `volume/0/3/1`; a prefix is empty or ends in '/'.

#![forbid(unsafe_code)]

mod address;
mod directory;
mod implicit_groups;
mod key;
mod memory;
mod n5_as_zarr;
mod value;

#[cfg(test)]
pub(crate) mod tests;

pub use address::local_path;
pub use directory::{Directory, Options};
pub use key::{check_key, check_prefix, is_listed, join, normalise_path, prefix_of};
pub use memory::Memory;
pub use n5_as_zarr::N5AsZarr;
pub use value::{Buffer, Value};

use std::time::SystemTime;

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::try_vec;

/// No metadata document is longer: what is, is taken for something else before it is read.
pub const MAX_DOCUMENT_LEN: u64 = 64 << 20;

/// What a name in a listing leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// A value.
    Key,
    /// More names: a folder, or the common beginning of keys.
    Prefix,
}

/// What changes when a value is replaced, for those who want to know whether it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes of what is stored.
    pub len: u64,
    /// When it was stored, where the medium tells.
    pub modified: Option<SystemTime>,
}

/// Values by key. Any number of threads use a store at once.
///
/// Every method refuses a key or prefix that [`check_key`] or [`check_prefix`] refuses.
pub trait Store: Send + Sync {
    /// Replaces `value` by the bytes of `key` from `offset` on, at most `max_len`; `false`, and an empty `value`, if nothing is stored there.
    ///
    /// An offset behind the end gives no bytes.
    ///
    /// # Errors
    /// `InvalidArgument` (the key), `Permission`, `Io`, `OutOfMemory`, and whatever the medium reports.
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool>;

    /// Finds the value of `key`, to be read whole or in parts from one version of it; `None` if nothing is stored there.
    ///
    /// Of a value that is longer than `max_len` no more than that need be got: its length then says at least that it is longer.
    ///
    /// # Errors
    /// Those of [`Store::get`].
    fn open<'a>(&self, key: &str, max_len: u64, buffer: &'a mut Buffer) -> Result<Option<Value<'a>>> {
        let value = buffer.as_vec();
        let found = self.get(key, 0, max_len.saturating_add(1), value)?;
        Ok(found.then(|| Value::in_memory(value)))
    }

    /// Whether a value is stored under `key`, and not only shown by a view.
    ///
    /// # Errors
    /// Those of [`Store::get`].
    fn holds(&self, key: &str) -> Result<bool> {
        self.get(key, 0, 0, &mut Vec::new())
    }

    /// Stores `value` under `key`, in place of what was there. A reader sees the old value or the new one, where the medium can do that.
    ///
    /// # Errors
    /// Those of [`Store::get`]; `ReadOnly`; `AlreadyExists` if a folder has the key's name.
    fn set(&self, key: &str, value: &[u8]) -> Result<()>;

    /// Removes `key`; nothing happens if it is missing.
    ///
    /// # Errors
    /// Those of [`Store::get`]; `ReadOnly`.
    fn erase(&self, key: &str) -> Result<()>;

    /// Calls `visit` with the name of each direct child of `prefix`, in no particular order, and ends with its first error.
    ///
    /// Names come as they are found, and none is held back. Nothing is below a prefix that is missing. No lock is held meanwhile, so
    /// `visit` may use the store.
    ///
    /// # Errors
    /// Those of [`Store::get`], and those of `visit`.
    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()>;

    /// The stamp of `key`; `None` if the key is missing or the medium does not tell.
    ///
    /// # Errors
    /// Those of [`Store::get`].
    fn stamp(&self, key: &str) -> Result<Option<Stamp>>;

    /// Whether [`Store::set`] and [`Store::erase`] can do anything.
    fn is_writable(&self) -> bool;
}

/// The bytes of `key`, at most `max_len`; `None` if nothing is stored there.
///
/// # Errors
/// Those of [`Store::get`]; `LimitExceeded`.
pub fn get_whole(store: &dyn Store, key: &str, max_len: u64) -> Result<Option<Vec<u8>>> {
    let mut buffer = Buffer::default();
    let Some(mut value) = store.open(key, max_len, &mut buffer)? else { return Ok(None) };
    check_len(&value, max_len, || "metadata documents are smaller: is this one?".to_owned())?;
    copy_of(value.whole()?).map(Some)
}

/// Refuses a value above `max_len` bytes.
///
/// # Errors
/// `LimitExceeded`, which ends in `remedy`.
pub fn check_len(value: &Value<'_>, max_len: u64, remedy: impl FnOnce() -> String) -> Result<()> {
    if value.len() <= max_len {
        return Ok(());
    }
    Err(Error::new(ErrorKind::LimitExceeded, format!("the value has more than {max_len} bytes; {}", remedy())))
}

/// Replaces `value` by the part of `whole` that a [`Store::get`] asks for.
fn copy_part(whole: &[u8], offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<()> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(whole.len());
    let rest = whole.get(start..).unwrap_or_default();
    let len = usize::try_from(max_len).unwrap_or(usize::MAX).min(rest.len());
    value.clear();
    value.try_reserve_exact(len).map_err(|_| Error::out_of_memory())?;
    value.extend_from_slice(rest.get(..len).unwrap_or_default());
    Ok(())
}

/// A copy whose allocation may fail.
fn copy_of(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut copy = try_vec(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// The error of a change to a store that takes none.
pub(crate) fn read_only(key: &str, remedy: &str) -> Error {
    Error::new(ErrorKind::ReadOnly, format!("{} cannot be changed, the store is read-only; {remedy}", quoted(key)))
}
