//! Groups and arrays by their paths: listing children, making groups, the user's attributes.
//!
//! In N5 every prefix is a group, with or without attributes.json.

use std::sync::Arc;

use super::blocks::is_block_name;
use super::document::{self, Document, named, shown};
use super::grid;
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{self, IMPLICIT_GROUP, Language, Node};
use crate::store::{self, EntryKind, Store};

/// What a child of a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A group.
    Group,
    /// An array that can be opened.
    Array,
    /// Something that cannot be opened; opening it as a dataset tells why.
    Unsupported,
}

/// Calls `visit` with name and kind of each group and array directly below `path`, in ascending order.
///
/// Folders of blocks and files are no nodes. A child that cannot be read is `Unsupported` and stops nothing.
///
/// # Errors
/// `NotFound` if there is nothing at `path`; those of the store, and of `visit`.
pub fn list_nodes(store: &Arc<dyn Store>, path: &str, visit: &mut dyn FnMut(&str, NodeKind) -> Result<()>) -> Result<()> {
    let path = store::normalise_path(path)?;
    let own = document::find(&**store, &path)?;
    let hidden = own.as_ref().map_or_else(Vec::new, block_folders);
    let mut names: Vec<Box<str>> = Vec::new();
    let mut is_empty = true;
    store.list(&store::prefix_of(&path), &mut |name, kind| {
        is_empty = false;
        if kind == EntryKind::Prefix && !hidden.iter().any(|first| is_block_name(name, first)) {
            names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            names.push(name.into());
        }
        Ok(())
    })?;
    if is_empty && own.is_none() && !document::is_folder(&**store, &path)? {
        return Err(missing(&path));
    }
    names.sort_unstable();
    for name in names {
        let kind = match document::find(&**store, &store::join(&path, &name)) {
            Ok(None | Some(Document { node: Ok(Node::Group), .. })) => NodeKind::Group,
            Ok(Some(Document { node: Ok(Node::Array(_)), .. })) => NodeKind::Array,
            Ok(Some(Document { node: Err(_), .. })) | Err(_) => NodeKind::Unsupported,
        };
        visit(&name, kind)?;
    }
    Ok(())
}

/// The first folders of blocks below the node; those of all encodings where it is an array that cannot be read.
fn block_folders(own: &Document) -> Vec<String> {
    match &own.node {
        Ok(Node::Group) => Vec::new(),
        Ok(Node::Array(array)) => {
            let first = grid::zeros(array.settings.ndim()).map(|zeros| array.keys.key(&zeros)).unwrap_or_default();
            first.split_once('/').map(|(folder, _)| folder.to_owned()).into_iter().collect()
        }
        Err(_) => vec!["0".to_owned(), "c".to_owned()],
    }
}

/// Makes a group. Groups above it need nothing, and one that is there already is left as it is.
///
/// # Errors
/// `AlreadyExists` if there is an array, or something that cannot be read; `ReadOnly`; those of the store.
pub fn create_group(store: &Arc<dyn Store>, path: &str) -> Result<()> {
    let path = store::normalise_path(path)?;
    match document::find(&**store, &path)? {
        Some(Document { node: Ok(Node::Group), .. }) => return Ok(()),
        Some(Document { key, .. }) => {
            return Err(Error::new(
                ErrorKind::AlreadyExists,
                format!("{} exists and describes no group; choose another path", document::printable(&key)),
            ));
        }
        None => {}
    }
    let language = language_of_container(&**store)?;
    let text = match language {
        Language::Zarr => IMPLICIT_GROUP,
        Language::N5 if path.is_empty() => return ensure_version(&**store),
        Language::N5 => {
            ensure_version(&**store)?;
            "{}"
        }
    };
    store.set(&document::key(&path, language), text.as_bytes())
}

/// The user's attributes of a node as a JSON object, without the members of N5 or Zarr.
///
/// # Errors
/// `NotFound` if there is nothing at `path`; `InvalidJson`, `InvalidMetadata`; those of the store.
pub fn get_attributes(store: &Arc<dyn Store>, path: &str) -> Result<String> {
    let path = store::normalise_path(path)?;
    match document::find(&**store, &path)? {
        Some(Document { key, language, text, .. }) => metadata::user_attributes(&text, language).map_err(|error| named(&key, &error)),
        None if document::is_folder(&**store, &path)? => Ok("{}".to_owned()),
        None => Err(missing(&path)),
    }
}

/// Replaces the user's attributes of a node by those of a JSON object; the members of N5 or Zarr stay as they are.
///
/// Where both documents are there, the one that counts is changed, and the other is not.
///
/// # Errors
/// As [`get_attributes`]; `NotRepresentable` for an attribute with a name of N5's; `ReadOnly`.
pub fn set_attributes(store: &Arc<dyn Store>, path: &str, json: &[u8]) -> Result<()> {
    let path = store::normalise_path(path)?;
    let (key, language, text) = match document::find(&**store, &path)? {
        Some(Document { key, language, text, .. }) => (key, language, text),
        None if document::is_folder(&**store, &path)? => {
            let language = language_of_container(&**store)?;
            let text = match language {
                Language::N5 if path.is_empty() => metadata::with_n5_version(b"{}")?.unwrap_or_default(),
                Language::N5 => "{}".to_owned(),
                Language::Zarr => IMPLICIT_GROUP.to_owned(),
            };
            (document::key(&path, language), language, text.into_bytes())
        }
        None => return Err(missing(&path)),
    };
    let text = metadata::with_user_attributes(&text, language, json).map_err(|error| named(&key, &error))?;
    store.set(&key, text.as_bytes())
}

/// Gives the root the version of N5 if it has none; its other attributes stay as they are.
pub(super) fn ensure_version(store: &dyn Store) -> Result<()> {
    let key = document::key("", Language::N5);
    let text = document::text_of(store, &key)?.unwrap_or_else(|| b"{}".to_vec());
    match metadata::with_n5_version(&text).map_err(|error| named(&key, &error))? {
        Some(text) => store.set(&key, text.as_bytes()),
        None => Ok(()),
    }
}

/// Zarr's if the root says so and nothing says N5.
fn language_of_container(store: &dyn Store) -> Result<Language> {
    Ok(document::find(store, "")?.map_or(Language::N5, |root| root.language))
}

fn missing(path: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("nothing is stored at {}; check the path and the store's root", shown(path)))
}
