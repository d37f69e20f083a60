//! Which of the two metadata documents under a path counts, and what it describes.
//!
//! Both may be there, side by side: then attributes.json counts if it describes an array, else zarr.json.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result, escaped};
use crate::metadata::{self, Language, Node};
use crate::store::{self, EntryKind, Store};

pub(super) const N5_NAME: &str = "attributes.json";
pub(super) const ZARR_NAME: &str = "zarr.json";

/// A metadata document in a store.
pub(super) struct Document {
    pub(super) key: String,
    pub(super) language: Language,
    pub(super) text: Vec<u8>,
    /// What it describes, or why that cannot be told; the reason names the key.
    pub(super) node: Result<Node>,
}

/// The key of the document of the node at `path`.
pub(super) fn key(path: &str, language: Language) -> String {
    let name = match language {
        Language::N5 => N5_NAME,
        Language::Zarr => ZARR_NAME,
    };
    store::join(path, name)
}

/// The document of the node at `path`; `None` if it has none.
pub(super) fn find(store: &dyn Store, path: &str) -> Result<Option<Document>> {
    let n5 = load(store, path, Language::N5)?;
    if matches!(n5, Some(Document { node: Ok(Node::Array(_)), .. })) {
        return Ok(n5);
    }
    let zarr = load(store, path, Language::Zarr)?;
    if n5.is_none() && zarr.is_none() {
        return find_version_2(store, path);
    }
    Ok(match (n5, zarr) {
        // A damaged attributes.json is no reason to hide an array that zarr.json describes, but the only news beside a group.
        (Some(n5), Some(zarr)) if n5.node.is_err() && !matches!(zarr.node, Ok(Node::Array(_))) => Some(n5),
        (n5, zarr) => zarr.or(n5),
    })
}

/// An array of Zarr version 2 is not taken for a group, though zn5 reads none.
fn find_version_2(store: &dyn Store, path: &str) -> Result<Option<Document>> {
    let key = store::join(path, ".zarray");
    let Some(text) = text_of(store, &key)? else { return Ok(None) };
    let message = format!(
        "{}: describes an array of Zarr version 2; zn5 reads N5 and Zarr version 3, so convert its metadata first",
        printable(&key)
    );
    Ok(Some(Document { key, language: Language::Zarr, text, node: Err(Error::new(ErrorKind::InvalidMetadata, message)) }))
}

/// The document under `key`, unless it is longer than any is.
pub(super) fn text_of(store: &dyn Store, key: &str) -> Result<Option<Vec<u8>>> {
    store::get_whole(store, key, store::MAX_DOCUMENT_LEN)
        .map_err(|error| if error.kind() == ErrorKind::LimitExceeded { named(key, &error) } else { error })
}

fn load(store: &dyn Store, path: &str, language: Language) -> Result<Option<Document>> {
    let key = key(path, language);
    let Some(text) = text_of(store, &key)? else { return Ok(None) };
    let node = match language {
        Language::N5 => metadata::node_from_n5(&text),
        Language::Zarr => metadata::node_from_zarr(&text),
    };
    let node = node.map_err(|error| named(&key, &error));
    Ok(Some(Document { key, language, text, node }))
}

/// Whether there is a folder at `path`, be it empty, as far as the store knows folders; the root always is.
pub(super) fn is_folder(store: &dyn Store, path: &str) -> Result<bool> {
    if path.is_empty() || finds(store, path, &mut |_, _| true)? {
        return Ok(true);
    }
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    finds(store, parent, &mut |child, kind| child == name && kind == EntryKind::Prefix)
}

/// Whether a direct child of `path` is `wanted`.
fn finds(store: &dyn Store, path: &str, wanted: &mut dyn FnMut(&str, EntryKind) -> bool) -> Result<bool> {
    let mut found = false;
    let listed = store.list(&store::prefix_of(path), &mut |name, kind| {
        found = wanted(name, kind);
        if found { Err(Error::new(ErrorKind::Cancelled, "one is enough")) } else { Ok(()) }
    });
    if found { Ok(true) } else { listed.map(|()| false) }
}

/// `path` for a message.
pub(super) fn shown(path: &str) -> String {
    if path.is_empty() { "the root".to_owned() } else { crate::error::quoted(path) }
}

/// A key for the beginning of a message: what is no plain text is escaped, for a stranger may have
/// chosen it.
pub(super) fn printable(key: &str) -> Cow<'_, str> {
    escaped(key)
}

/// The same error with the key in front of its message.
pub(super) fn named(key: &str, error: &Error) -> Error {
    error.clone().about(key)
}
