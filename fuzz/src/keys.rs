//! Keys: those of blocks, and those under which a store keeps values, against a map and the rules of the header word by word.
//!
//! Input: a rank and grid position, then operations on a store, each a byte, a key with its length before it, and a value.

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::Unstructured;
use zn5::error::ErrorKind;
use zn5::ffi::zn5_block_key;
use zn5::store::{EntryKind, Memory, Store, check_key, check_prefix, normalise_path};

use super::capi::text;

/// What the header says of keys.
fn is_key(key: &str) -> bool {
    key.split('/').all(|name| !name.is_empty() && name != "." && name != ".." && !name.starts_with(".zn5-") && !name.contains('\0'))
}

/// Block keys, then a store.
pub fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(ndim) = u.int_in_range(0..=12_u32) else { return };
    let position: Vec<u64> = (0..ndim).map(|_| u.arbitrary::<u64>().unwrap_or(0) >> (u.arbitrary::<u8>().unwrap_or(0) % 64)).collect();
    // SAFETY: all buffers live during the call and have the lengths that are passed.
    let key = text(0, |dst, len, needed, error| unsafe { zn5_block_key(ndim, position.as_ptr(), dst, len, needed, error) }).expect("a key");
    let parts: Vec<String> = position.iter().map(u64::to_string).collect();
    assert_eq!(key, if ndim == 0 { "0".to_owned() } else { parts.join("/") });
    assert_eq!(check_key(&key), Ok(()));
    // Windows forbids more names than the header does.
    if !cfg!(windows) {
        let _ = store(&mut u);
    }
}

fn store(u: &mut Unstructured) -> arbitrary::Result<()> {
    let store = Memory::new();
    let mut expected: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    while !u.is_empty() {
        let (operation, len): (u8, u8) = u.arbitrary()?;
        let bytes = u.bytes(usize::from(len % 24).min(u.len()))?;
        // Few names, so that keys meet.
        let key: String = String::from_utf8_lossy(bytes).into_owned();
        let refused = |result: zn5::error::Result<()>| {
            assert_eq!(result.expect_err("no key").kind(), ErrorKind::InvalidArgument);
        };
        let mut value = vec![9];
        match operation % 5 {
            0 => {
                let value = u.bytes(usize::from(operation / 8).min(u.len()))?;
                if is_key(&key) {
                    assert_eq!(store.set(&key, value), Ok(()));
                    expected.insert(key, value.to_vec());
                } else {
                    refused(store.set(&key, value));
                }
            }
            1 if is_key(&key) => {
                assert_eq!(store.erase(&key), Ok(()));
                expected.remove(&key);
            }
            1 => refused(store.erase(&key)),
            2 => {
                let (offset, max_len) = (u64::from(operation / 64), if operation & 32 == 0 { u64::MAX } else { 3 });
                let result = store.get(&key, offset, max_len, &mut value);
                if !is_key(&key) {
                    refused(result.map(|_| ()));
                    continue;
                }
                let stored = expected.get(&key);
                assert_eq!(result, Ok(stored.is_some()));
                let from = |stored: &Vec<u8>| {
                    let rest = stored.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
                    rest[..rest.len().min(usize::try_from(max_len).unwrap())].to_vec()
                };
                assert_eq!(value, stored.map(from).unwrap_or_default());
                assert_eq!(store.stamp(&key).unwrap().map(|stamp| stamp.len), stored.map(|stored| stored.len() as u64));
            }
            3 => list(&store, &expected, &key),
            _ => match normalise_path(&key) {
                Ok(path) => assert!((path.is_empty() || is_key(&path)) && key.contains(&path)),
                Err(error) => assert!(error.kind() == ErrorKind::InvalidArgument && !is_key(key.trim_matches('/'))),
            },
        }
    }
    Ok(())
}

fn list(store: &Memory, expected: &BTreeMap<String, Vec<u8>>, key: &str) {
    let prefix = if key.is_empty() { String::new() } else { format!("{key}/") };
    let mut found = vec![];
    let result = store.list(&prefix, &mut |name, kind| {
        found.push((name.to_owned(), kind));
        Ok(())
    });
    assert_eq!(check_prefix(&prefix).is_ok(), key.is_empty() || is_key(key));
    if check_prefix(&prefix).is_err() {
        assert_eq!(result.expect_err("no prefix").kind(), ErrorKind::InvalidArgument);
        return;
    }
    result.expect("a prefix");
    let below = expected.keys().filter_map(|stored| stored.strip_prefix(&prefix));
    let names: BTreeSet<_> = below
        .map(|below| match below.split_once('/') {
            Some((name, _)) => (name.to_owned(), EntryKind::Prefix),
            None => (below.to_owned(), EntryKind::Key),
        })
        .collect();
    assert_eq!(found.len(), names.len(), "an entry came twice: {found:?}");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), names);
}
