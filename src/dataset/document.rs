//! Which of the two metadata documents under a path counts, and what it describes.
//!
//! Both may be there, side by side: then attributes.json counts if it describes an array, else
//! zarr.json. Documents of Zarr's version 2 count where there is neither.

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

/// What describes the node at a path.
pub(super) enum Found {
    /// A document of N5 or Zarr.
    Document(Document),
    /// Neither of them, but one of Zarr's version 2.
    Version2(Version2),
    /// No document; there may be a folder all the same.
    Nothing,
}

impl Found {
    /// The key of the document.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Document(Document { key, .. }) | Self::Version2(Version2 { key, .. }) => Some(key),
            Self::Nothing => None,
        }
    }
}

/// A document of Zarr's version 2, which is noticed and not read.
pub(super) struct Version2 {
    pub(super) key: String,
    pub(super) is_array: bool,
}

impl Version2 {
    /// The error of a call that would have to read or change the node.
    pub(super) fn unsupported(&self) -> Error {
        let (key, kind) = (printable(&self.key), if self.is_array { "an array" } else { "a group" });
        let message = format!("{key}: {kind} of Zarr version 2, which zn5 does not read; `zarr migrate v3` of zarr-python converts it");
        Error::new(ErrorKind::UnsupportedCodec, message)
    }
}

/// What describes the node at `path`.
pub(super) fn find(store: &dyn Store, path: &str) -> Result<Found> {
    let n5 = load(store, path, Language::N5)?;
    if let Some(n5 @ Document { node: Ok(Node::Array(_)), .. }) = n5 {
        return Ok(Found::Document(n5));
    }
    Ok(match (n5, load(store, path, Language::Zarr)?) {
        // A damaged attributes.json is no reason to hide an array that zarr.json describes, but the only news beside a group.
        (Some(n5), Some(zarr)) if n5.node.is_err() && !matches!(zarr.node, Ok(Node::Array(_))) => Found::Document(n5),
        (_, Some(document)) | (Some(document), None) => Found::Document(document),
        (None, None) => find_version_2(store, path)?.map_or(Found::Nothing, Found::Version2),
    })
}

/// The document of Zarr's version 2 at `path`: its arrays are not taken for groups, and nothing is
/// made in its groups unasked.
pub(super) fn find_version_2(store: &dyn Store, path: &str) -> Result<Option<Version2>> {
    for (name, is_array) in [(".zarray", true), (".zgroup", false)] {
        let key = store::join(path, name);
        if store.holds(&key)? {
            return Ok(Some(Version2 { key, is_array }));
        }
    }
    Ok(None)
}

/// The document under `key`, unless it is longer than any is.
pub(super) fn text_of(store: &dyn Store, key: &str) -> Result<Option<Vec<u8>>> {
    store::get_whole(store, key, store::MAX_DOCUMENT_LEN)
        .map_err(|error| if error.kind() == ErrorKind::LimitExceeded { named(key, &error) } else { error })
}

/// The document of this language at `path`.
pub(super) fn load(store: &dyn Store, path: &str, language: Language) -> Result<Option<Document>> {
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
