//! The Implicit Group Store of the N5 specification: which paths are groups although nobody stored metadata for them.
//!
//! Every folder of an N5 container is a group but those of blocks. A path that does not exist is none, so that a mistyped one stays an error.

use super::{EntryKind, MAX_DOCUMENT_LEN, Store, get_whole, join, prefix_of};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{Node, node_from_n5};

/// Whether `path`, for which no attributes.json is stored, is a group: the root, or a real prefix that holds no blocks.
pub(super) fn is_group(inner: &dyn Store, path: &str) -> Result<bool> {
    if path.is_empty() {
        return Ok(true);
    }
    Ok(!holds_blocks(inner, path)? && exists(inner, path)?)
}

/// Whether `path` lies below a dataset, where that has its blocks: their folders are numbers.
fn holds_blocks(inner: &dyn Store, path: &str) -> Result<bool> {
    let mut above = String::new();
    for name in path.split('/') {
        if name.bytes().all(|byte| byte.is_ascii_digit()) && is_dataset(inner, &above)? {
            return Ok(true);
        }
        above = join(&above, name);
    }
    Ok(false)
}

/// Metadata that cannot be read is taken for a dataset's: whose numbered folders these are is then unknown.
fn is_dataset(inner: &dyn Store, path: &str) -> Result<bool> {
    match get_whole(inner, &join(path, "attributes.json"), MAX_DOCUMENT_LEN) {
        Ok(document) => Ok(document.is_some_and(|document| !matches!(node_from_n5(&document), Ok(Node::Group)))),
        Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether anything lies below `path`, or an empty folder has this name.
fn exists(inner: &dyn Store, path: &str) -> Result<bool> {
    if any(inner, &prefix_of(path), &mut |_, _| true)? {
        return Ok(true);
    }
    let (above, last) = path.rsplit_once('/').unwrap_or(("", path));
    any(inner, &prefix_of(above), &mut |name, kind| kind == EntryKind::Prefix && name == last)
}

/// Whether an entry below `prefix` is wanted; the listing ends with the first.
fn any(inner: &dyn Store, prefix: &str, is_wanted: &mut dyn FnMut(&str, EntryKind) -> bool) -> Result<bool> {
    let mut found = false;
    let listed = inner.list(prefix, &mut |name, kind| {
        found = is_wanted(name, kind);
        if found { Err(Error::new(ErrorKind::Cancelled, "one entry is enough")) } else { Ok(()) }
    });
    if found { Ok(true) } else { listed.map(|()| false) }
}
