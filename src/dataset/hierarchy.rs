//! The language of nodes without a document, and what is stored before the document of a new one.
//!
//! The nearest document decides: of those above the closest, else those below, else it is N5. No
//! document is replaced, and none is put beside one of the other language.

use std::collections::BTreeSet;
use std::iter::{once, successors};

use super::document::{self, Found, named};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{self, IMPLICIT_GROUP, Language};
use crate::store::{self, EntryKind, Store};

/// Nodes that are looked at for a document below a folder that has none, and none above; so many
/// cost less than a wrong answer.
const MOST_SEARCHED: usize = 100;

/// The language of the node at `path`, which has no document.
///
/// # Errors
/// `UnsupportedCodec` if the nearest document above is of Zarr's version 2; those of the store.
pub(super) fn language_at(store: &dyn Store, path: &str) -> Result<Language> {
    for place in above(path) {
        match document::find(store, place)? {
            Found::Document(document) => return Ok(document.language),
            Found::Version2(found) => {
                let message = format!(
                    "{}: is of Zarr version 2, in which zn5 makes nothing; ask for a group of N5 or of Zarr version 3, or convert it by \
                     `zarr migrate v3` of zarr-python",
                    document::printable(&found.key)
                );
                return Err(Error::new(ErrorKind::UnsupportedCodec, message));
            }
            Found::Nothing => {}
        }
    }
    Ok(language_below(store, path)?.unwrap_or(Language::N5))
}

/// The document of a new group at `path`, without attributes.
pub(super) fn new_group(path: &str, language: Language) -> Result<String> {
    Ok(match language {
        Language::N5 if path.is_empty() => metadata::with_n5_version(b"{}", None)?.unwrap_or_default(),
        Language::N5 => "{}".to_owned(),
        Language::Zarr => IMPLICIT_GROUP.to_owned(),
    })
}

/// Stores what has to be there before a document of this language is stored at `path`: the root's
/// version of N5, or Zarr's groups above, from the root down. Whoever reads meanwhile, or after a
/// failure, finds groups that hold nothing yet.
///
/// # Errors
/// `ReadOnly`, and then nothing was stored; `InvalidJson` and `InvalidMetadata` of the root's
/// attributes.json; those of the store.
pub(super) fn prepare(store: &dyn Store, path: &str, language: Language) -> Result<()> {
    if !store.is_writable() {
        return Err(store::read_only(&document::key(path, language), "open it for writing, or give it callbacks that store and erase"));
    }
    match language {
        Language::N5 if path.is_empty() => Ok(()),
        Language::N5 => ensure_n5_version(store, None),
        Language::Zarr => {
            for group in missing_groups(store, path)?.into_iter().rev() {
                let key = document::key(group, language);
                // Another program may have made it by now.
                if !store.holds(&key)? {
                    store.set(&key, new_group(group, language)?.as_bytes())?;
                }
            }
            Ok(())
        }
    }
}

/// Gives the root of a container of N5 a version if it has none: `version`, as
/// [`metadata::n5_version`] tells it, or the current one. Its other attributes stay as they are.
/// The root of a container of Zarr stays without.
///
/// # Errors
/// `InvalidJson` and `InvalidMetadata` of the root's attributes.json; `ReadOnly`; those of the
/// store.
pub fn ensure_n5_version(store: &dyn Store, version: Option<&str>) -> Result<()> {
    let key = document::key("", Language::N5);
    let text = match document::text_of(store, &key)? {
        Some(text) => text,
        None if is_other_root(store)? => return Ok(()),
        None => b"{}".to_vec(),
    };
    match metadata::with_n5_version(&text, version).map_err(|error| named(&key, &error))? {
        Some(text) => store.set(&key, text.as_bytes()),
        None => Ok(()),
    }
}

/// Whether a root without attributes.json is Zarr's, of either version.
fn is_other_root(store: &dyn Store) -> Result<bool> {
    Ok(store.holds(&document::key("", Language::Zarr))?
        || document::find_version_2(store, "")?.is_some()
        || language_below(store, "")? == Some(Language::Zarr))
}

/// The groups above `path` that a container of Zarr lacks, the nearest first: none where the
/// nearest document, or what lies around, is of another language.
fn missing_groups<'a>(store: &dyn Store, path: &'a str) -> Result<Vec<&'a str>> {
    let mut missing = Vec::new();
    let mut is_documented = false;
    for place in above(path) {
        match document::find(store, place)? {
            Found::Document(found) if found.language == Language::Zarr => {
                if store.holds(&found.key)? {
                    return Ok(missing);
                }
                // A view shows a group that nobody stored. Of them the root is stored, for it holds
                // the version of what is below the view.
                is_documented = true;
                if place.is_empty() {
                    missing.push(place);
                }
            }
            Found::Document(_) | Found::Version2(_) => return Ok(Vec::new()),
            Found::Nothing => missing.push(place),
        }
    }
    if is_documented {
        return Ok(missing);
    }
    if language_below(store, path)? == Some(Language::N5) {
        return Ok(Vec::new());
    }
    // Higher up there may be N5 all the same.
    let mut left = MOST_SEARCHED;
    let mut of_zarr = Vec::new();
    for place in missing {
        if search(store, place, &mut left)? == Some(Language::N5) {
            break;
        }
        of_zarr.push(place);
    }
    Ok(of_zarr)
}

/// The nodes above `path`, the nearest first, the root last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    successors(parent(path), |path| parent(path))
}

fn parent(path: &str) -> Option<&str> {
    if path.is_empty() { None } else { path.get(..path.rfind('/').unwrap_or_default()) }
}

/// The language of the nearest documents below `path`, else of those below the nodes above it;
/// `None` if there are none nearby.
fn language_below(store: &dyn Store, path: &str) -> Result<Option<Language>> {
    let mut left = MOST_SEARCHED;
    for place in once(path).chain(above(path)) {
        if let Some(language) = search(store, place, &mut left)? {
            return Ok(Some(language));
        }
    }
    Ok(None)
}

/// The language of the documents on the first level below `path` that has some; N5 if both are
/// there, for N5's folders are groups anyway.
fn search(store: &dyn Store, path: &str, left: &mut usize) -> Result<Option<Language>> {
    let mut level = vec![path.to_owned()];
    while !level.is_empty() && *left > 0 {
        let mut next = Vec::new();
        let mut language = None;
        for folder in level {
            for name in folders(store, &folder, *left)? {
                *left = left.saturating_sub(1);
                let child = store::join(&folder, &name);
                match document::find(store, &child) {
                    Ok(Found::Document(found)) if found.language == Language::N5 => return Ok(Some(Language::N5)),
                    Ok(Found::Document(_)) => language = Some(Language::Zarr),
                    Ok(Found::Nothing) => next.push(child),
                    // What cannot be read, or is of neither language, tells nothing.
                    Ok(Found::Version2(_)) | Err(_) => {}
                }
            }
        }
        if language.is_some() {
            return Ok(language);
        }
        level = next;
    }
    Ok(None)
}

/// The first `most` folders below `path` by name; none where listing is forbidden.
fn folders(store: &dyn Store, path: &str, most: usize) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let listed = store.list(&store::prefix_of(path), &mut |name, kind| {
        if kind == EntryKind::Prefix {
            names.insert(name.to_owned());
            if names.len() > most {
                names.pop_last();
            }
        }
        Ok(())
    });
    match listed {
        Err(error) if error.kind() != ErrorKind::Permission => Err(error),
        _ => Ok(names),
    }
}
