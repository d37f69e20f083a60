//! The N5 Default Store of the specification: an N5 container as Zarr sees it, metadata translated on the way, blocks as they are.
//!
//! `…/zarr.json` is read from and written to `…/attributes.json`; every other key is the other
//! store's. That of the root states the version of N5.

use std::sync::Arc;

use super::{Buffer, EntryKind, MAX_DOCUMENT_LEN, Stamp, Store, Value, check_key, check_prefix, copy_part, get_whole, implicit_groups};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{Grid, IMPLICIT_GROUP, n5_to_zarr, with_n5_version, zarr_to_n5};

const ZARR: &str = "zarr.json";
const N5: &str = "attributes.json";

/// A view of a store that holds N5.
///
/// A zarr.json that is stored beside attributes.json is hidden: attributes.json says what is there.
pub struct N5AsZarr {
    inner: Arc<dyn Store>,
    grid: Grid,
    implicit_groups: bool,
}

impl N5AsZarr {
    /// A view of `inner` whose arrays have this kind of chunk grid. With `implicit_groups`, folders without metadata are groups.
    pub fn new(inner: Arc<dyn Store>, grid: Grid, implicit_groups: bool) -> Self {
        Self { inner, grid, implicit_groups }
    }
}

/// Of `…/zarr.json`, the path of the node and the key of its attributes.json.
fn node_of(key: &str) -> Option<(&str, String)> {
    let path = key.strip_suffix(ZARR)?;
    // The path is empty or ends in '/': another name may end in "zarr.json" too.
    (path.is_empty() || path.ends_with('/')).then(|| (path.trim_end_matches('/'), format!("{path}{N5}")))
}

/// An error of getting the document under `key`, which that of a length does not name.
fn of_length(error: Error, key: &str) -> Error {
    if error.kind() == ErrorKind::LimitExceeded { error.about(key) } else { error }
}

impl Store for N5AsZarr {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        check_key(key)?;
        let Some((path, n5_key)) = node_of(key) else {
            return self.inner.get(key, offset, max_len, value);
        };
        value.clear();
        let attributes = get_whole(&*self.inner, &n5_key, MAX_DOCUMENT_LEN).map_err(|error| of_length(error, &n5_key))?;
        if let Some(attributes) = attributes {
            let text = n5_to_zarr(&attributes, self.grid).map_err(|error| error.about(&n5_key))?;
            copy_part(text.as_bytes(), offset, max_len, value)?;
            return Ok(true);
        }
        let is_group = self.implicit_groups && implicit_groups::is_group(&*self.inner, path)?;
        if is_group {
            copy_part(IMPLICIT_GROUP.as_bytes(), offset, max_len, value)?;
        }
        Ok(is_group)
    }

    fn open<'a>(&self, key: &str, max_len: u64, buffer: &'a mut Buffer) -> Result<Option<Value<'a>>> {
        check_key(key)?;
        if node_of(key).is_none() {
            return self.inner.open(key, max_len, buffer);
        }
        let value = buffer.as_vec();
        let found = self.get(key, 0, u64::MAX, value)?;
        Ok(found.then(|| Value::in_memory(value)))
    }

    fn holds(&self, key: &str) -> Result<bool> {
        check_key(key)?;
        match node_of(key) {
            Some((_, n5_key)) => self.inner.holds(&n5_key),
            None => self.inner.holds(key),
        }
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        check_key(key)?;
        match node_of(key) {
            Some((path, n5_key)) => {
                let mut text = zarr_to_n5(value).map_err(|error| error.about(&format!("the new {key}")))?;
                if path.is_empty()
                    && let Some(with_version) = with_n5_version(text.as_bytes(), None)?
                {
                    text = with_version;
                }
                self.inner.set(&n5_key, text.as_bytes())
            }
            None => self.inner.set(key, value),
        }
    }

    fn erase(&self, key: &str) -> Result<()> {
        check_key(key)?;
        match node_of(key) {
            Some((_, n5_key)) => self.inner.erase(&n5_key),
            None => self.inner.erase(key),
        }
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        check_prefix(prefix)?;
        let mut has_metadata = false;
        self.inner.list(prefix, &mut |name, kind| match (name, kind) {
            (N5, EntryKind::Key) => {
                has_metadata = true;
                visit(ZARR, EntryKind::Key)
            }
            (ZARR, EntryKind::Key) => Ok(()),
            _ => visit(name, kind),
        })?;
        if self.implicit_groups && !has_metadata && implicit_groups::is_group(&*self.inner, prefix.trim_end_matches('/'))? {
            visit(ZARR, EntryKind::Key)?;
        }
        Ok(())
    }

    /// Of zarr.json the stamp of attributes.json, whose length is another.
    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        check_key(key)?;
        match node_of(key) {
            Some((_, n5_key)) => self.inner.stamp(&n5_key),
            None => self.inner.stamp(key),
        }
    }

    fn is_writable(&self) -> bool {
        self.inner.is_writable()
    }
}
