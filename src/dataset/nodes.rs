//! Groups and arrays by their paths: listing children, making groups, their language, the user's
//! attributes.
//!
//! In N5 every prefix is a group, with or without attributes.json.

use std::sync::Arc;

use super::blocks::is_block_name;
use super::document::{self, Document, Found, named, shown};
use super::{grid, hierarchy};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{self, Language, Node};
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
/// Those of [`list_names`], and of `visit`.
pub fn list_nodes(store: &Arc<dyn Store>, path: &str, visit: &mut dyn FnMut(&str, NodeKind) -> Result<()>) -> Result<()> {
    let path = store::normalise_path(path)?;
    for name in list_names(store, &path)? {
        let kind = match document::find(&**store, &store::join(&path, &name)) {
            Ok(Found::Document(Document { node: Ok(Node::Array(_)), .. })) => NodeKind::Array,
            Ok(Found::Document(Document { node: Ok(Node::Group), .. }) | Found::Nothing) => NodeKind::Group,
            Ok(Found::Version2(found)) if !found.is_array => NodeKind::Group,
            Ok(Found::Document(Document { node: Err(_), .. }) | Found::Version2(_)) | Err(_) => NodeKind::Unsupported,
        };
        visit(&name, kind)?;
    }
    Ok(())
}

/// The names of the groups and arrays directly below `path`, in ascending order, without a look at
/// what each is.
///
/// The node's own document says only which folders hold blocks, so one that cannot be read hides no
/// other name.
///
/// # Errors
/// `NotFound` if there is nothing at `path`; those of listing it; `OutOfMemory`; `Cancelled` by the
/// store.
pub fn list_names(store: &Arc<dyn Store>, path: &str) -> Result<Vec<Box<str>>> {
    let path = store::normalise_path(path)?;
    let own = document::find(&**store, &path);
    let hidden = match &own {
        Ok(found) => block_folders(found),
        Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::Cancelled) => return Err(error.clone()),
        Err(_) => folders_of_any_encoding(),
    };
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
    if is_empty && matches!(own, Ok(Found::Nothing)) && !document::is_folder(&**store, &path)? {
        return Err(missing(&path));
    }
    names.sort_unstable();
    Ok(names)
}

/// The first folders of blocks below a node; those of all encodings where it is an array that cannot
/// be read.
fn block_folders(own: &Found) -> Vec<String> {
    match own {
        Found::Document(Document { node: Ok(Node::Array(array)), .. }) => {
            let first = grid::zeros(array.settings.ndim()).map(|zeros| array.keys.key(&zeros)).unwrap_or_default();
            first.split_once('/').map(|(folder, _)| folder.to_owned()).into_iter().collect()
        }
        Found::Document(Document { node: Ok(Node::Group), .. }) | Found::Nothing => Vec::new(),
        Found::Version2(found) if !found.is_array => Vec::new(),
        Found::Document(Document { node: Err(_), .. }) | Found::Version2(_) => folders_of_any_encoding(),
    }
}

/// The first folders of blocks where nobody knows how keys are made.
fn folders_of_any_encoding() -> Vec<String> {
    vec!["0".to_owned(), "c".to_owned()]
}

/// The language of a node: that of the document which counts, else that which a document would get.
///
/// # Errors
/// `NotFound` if there is nothing at `path`; `UnsupportedCodec` if it, or a folder's nearest
/// document above, is of Zarr's version 2; those of the store.
pub fn node_language(store: &Arc<dyn Store>, path: &str) -> Result<Language> {
    let path = store::normalise_path(path)?;
    match document::find(&**store, &path)? {
        Found::Document(found) => Ok(found.language),
        Found::Version2(found) => Err(found.unsupported()),
        Found::Nothing if document::is_folder(&**store, &path)? => hierarchy::language_at(&**store, &path),
        Found::Nothing => Err(missing(&path)),
    }
}

/// Makes a group, in this language, or without one in that of the nearest document. One that is
/// there already is left as it is.
///
/// In N5 the groups above need nothing, but the root gets a version. In Zarr those are made that
/// are missing.
///
/// # Errors
/// `AlreadyExists` if there is an array, something that cannot be read, or a group of another
/// language than this; `ReadOnly`; `UnsupportedCodec` if the nearest document above is of Zarr's
/// version 2 and no language is given; those of the store.
pub fn create_group(store: &Arc<dyn Store>, path: &str, language: Option<Language>) -> Result<()> {
    let path = store::normalise_path(path)?;
    let found = document::find(&**store, &path)?;
    if found.key().is_some() {
        return check_group(&**store, &path, &found, language);
    }
    let language = language.map_or_else(|| hierarchy::language_at(&**store, &path), Ok)?;
    let text = hierarchy::new_group(&path, language)?;
    hierarchy::prepare(&**store, &path, language)?;
    store.set(&document::key(&path, language), text.as_bytes())
}

/// Whether what is found at `path` is the group that is asked for.
fn check_group(store: &dyn Store, path: &str, found: &Found, asked: Option<Language>) -> Result<()> {
    let exists = |key: &str, why: &str| {
        Err(Error::new(ErrorKind::AlreadyExists, format!("{} exists and {why}; choose another path", document::printable(key))))
    };
    let (key, is_group, language) = match found {
        Found::Document(own) => (&own.key, matches!(own.node, Ok(Node::Group)), Some(own.language)),
        Found::Version2(own) => (&own.key, !own.is_array, None),
        Found::Nothing => return Ok(()),
    };
    if !is_group {
        return exists(key, "describes no group");
    }
    let Some(asked) = asked.filter(|asked| language != Some(*asked)) else { return Ok(()) };
    // Both documents may be there.
    match document::load(store, path, asked)? {
        Some(Document { node: Ok(Node::Group), .. }) => Ok(()),
        Some(other) => exists(&other.key, "describes no group"),
        None => exists(key, &format!("describes a group, but none of {}", name_of(asked))),
    }
}

fn name_of(language: Language) -> &'static str {
    match language {
        Language::N5 => "N5",
        Language::Zarr => "Zarr version 3",
    }
}

/// The user's attributes of a node as a JSON object, without the members of N5 or Zarr.
///
/// # Errors
/// `NotFound` if there is nothing at `path`; `InvalidJson`, `InvalidMetadata`; `UnsupportedCodec`
/// for those of Zarr's version 2; those of the store.
pub fn get_attributes(store: &Arc<dyn Store>, path: &str) -> Result<String> {
    attributes(store, path, metadata::user_attributes)
}

/// The same as JSON in any case: NaN and the infinities as strings, for those who parse it.
///
/// # Errors
/// As [`get_attributes`].
pub fn get_attributes_as_json(store: &Arc<dyn Store>, path: &str) -> Result<String> {
    attributes(store, path, metadata::user_attributes_as_json)
}

fn attributes(store: &Arc<dyn Store>, path: &str, of: impl Fn(&[u8], Language) -> Result<String>) -> Result<String> {
    let path = store::normalise_path(path)?;
    match document::find(&**store, &path)? {
        Found::Document(Document { key, language, text, .. }) => of(&text, language).map_err(|error| named(&key, &error)),
        Found::Version2(found) => Err(found.unsupported()),
        Found::Nothing if document::is_folder(&**store, &path)? => Ok("{}".to_owned()),
        Found::Nothing => Err(missing(&path)),
    }
}

/// Replaces the user's attributes of a node by those of a JSON object; the members of N5 or Zarr
/// stay as they are. NaN and the infinities, which are no JSON, may stand in a member that is
/// stored in the same way.
///
/// Where both documents are there, the one that counts is changed, and the other is not. A folder
/// that has none gets one as by [`create_group`].
///
/// # Errors
/// As [`get_attributes`]; `NotRepresentable` for an attribute with a name of N5's; `ReadOnly`.
pub fn set_attributes(store: &Arc<dyn Store>, path: &str, json: &[u8]) -> Result<()> {
    let path = store::normalise_path(path)?;
    let with_attributes = |key: &str, language, text: &[u8]| {
        metadata::check_attributes(text, language).map_err(|error| named(key, &error))?;
        metadata::with_user_attributes(text, language, json).map_err(|error| error.about("json"))
    };
    match document::find(&**store, &path)? {
        Found::Document(Document { key, language, text, .. }) => {
            let text = with_attributes(&key, language, &text)?;
            store.set(&key, text.as_bytes())
        }
        Found::Version2(found) => Err(found.unsupported()),
        Found::Nothing if document::is_folder(&**store, &path)? => {
            let language = hierarchy::language_at(&**store, &path)?;
            let key = document::key(&path, language);
            let text = with_attributes(&key, language, hierarchy::new_group(&path, language)?.as_bytes())?;
            hierarchy::prepare(&**store, &path, language)?;
            store.set(&key, text.as_bytes())
        }
        Found::Nothing => Err(missing(&path)),
    }
}

fn missing(path: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("nothing is stored at {}; check the path and the store's root", shown(path)))
}
