//! A store in memory: for tests, and for hosts that make a container before they put it anywhere.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use super::{Buffer, EntryKind, Stamp, Store, Value as Found, check_key, check_prefix, copy_of, copy_part};
use crate::error::Result;

#[derive(Clone)]
struct Value {
    bytes: Arc<Vec<u8>>,
    modified: SystemTime,
}

/// Values in memory, sorted by key.
#[derive(Default)]
pub struct Memory {
    values: RwLock<BTreeMap<String, Value>>,
}

impl Memory {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // Nothing that runs under the lock leaves the map half changed, so a panic elsewhere does no harm to it.
    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Value>> {
        self.values.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Value>> {
        self.values.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        check_key(key)?;
        value.clear();
        let Some(stored) = self.read().get(key).cloned() else {
            return Ok(false);
        };
        copy_part(&stored.bytes, offset, max_len, value)?;
        Ok(true)
    }

    fn open<'a>(&self, key: &str, _max_len: u64, _buffer: &'a mut Buffer) -> Result<Option<Found<'a>>> {
        check_key(key)?;
        Ok(self.read().get(key).map(|value| Found::shared(Arc::clone(&value.bytes))))
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        check_key(key)?;
        let value = Value { bytes: Arc::new(copy_of(value)?), modified: SystemTime::now() };
        self.write().insert(key.to_owned(), value);
        Ok(())
    }

    fn erase(&self, key: &str) -> Result<()> {
        check_key(key)?;
        self.write().remove(key);
        Ok(())
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        check_prefix(prefix)?;
        let mut from = Bound::Excluded(prefix.to_owned());
        loop {
            // The lock is taken anew for every name, so that `visit` runs without it.
            let next = self.read().range((from, Bound::Unbounded)).next().map(|(key, _)| key.clone());
            let Some(key) = next.filter(|key| key.starts_with(prefix)) else {
                return Ok(());
            };
            let below = key.get(prefix.len()..).unwrap_or_default();
            if let Some((name, _)) = below.split_once('/') {
                visit(name, EntryKind::Prefix)?;
                // '0' follows '/': on behind everything below this name.
                from = Bound::Included(format!("{prefix}{name}0"));
            } else {
                visit(below, EntryKind::Key)?;
                from = Bound::Excluded(key);
            }
        }
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        check_key(key)?;
        Ok(self.read().get(key).map(|value| Stamp { len: value.bytes.len() as u64, modified: Some(value.modified) }))
    }

    fn is_writable(&self) -> bool {
        true
    }
}
