//! The tree of a container: groups, arrays, and what zn5 cannot open, each with its reason.
//!
//! One node that cannot be opened never hides another. A link to a folder that it lies in is left out: behind it is nothing new.

use std::path::{Path, PathBuf};

use serde_json::Value;
use zn5::dataset::{self, Dataset};
use zn5::error::{Error, ErrorKind};
use zn5::store::{EntryKind, join, prefix_of};

use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::litter;
use crate::open::Container;

/// Levels of groups that are looked at.
pub(crate) const MAX_DEPTH: usize = 64;

/// A group or an array.
pub(crate) struct Node {
    /// Below the container's folder; "" is that folder.
    pub(crate) path: String,
    /// What it is.
    pub(crate) kind: Kind,
    /// The user's attributes.
    pub(crate) attributes: Value,
    /// What lies below.
    pub(crate) children: Vec<Node>,
    /// How many children were not looked at, for they lie deeper than was asked for.
    pub(crate) below: u64,
    /// Why its children could not be listed.
    pub(crate) unlisted: Option<Error>,
}

/// What a node is.
pub(crate) enum Kind {
    /// A group.
    Group,
    /// An array.
    Array(Box<Dataset>),
    /// Something that zn5 cannot open, and why.
    Unsupported(Error),
}

impl Node {
    /// Calls `visit` for this node and all below, parents first.
    pub(crate) fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Node) -> Result<()>) -> Result<()> {
        visit(self)?;
        self.children.iter().try_for_each(|child| child.each(visit))
    }

    /// All arrays, in the order of the tree.
    pub(crate) fn arrays(&self) -> Vec<(&Node, &Dataset)> {
        let mut found = Vec::new();
        self.collect_arrays(&mut found);
        found
    }

    fn collect_arrays<'a>(&'a self, found: &mut Vec<(&'a Node, &'a Dataset)>) {
        if let Kind::Array(dataset) = &self.kind {
            found.push((self, dataset));
        }
        for child in &self.children {
            child.collect_arrays(found);
        }
    }

    /// Why the node, or what lies below it, is not known.
    pub(crate) fn failure(&self) -> Option<&Error> {
        match &self.kind {
            Kind::Unsupported(error) => Some(error),
            Kind::Group | Kind::Array(_) => self.unlisted.as_ref(),
        }
    }

    /// Whether there may be an array at `path` that is not among these, because it or a group
    /// around it cannot be read.
    pub(crate) fn may_hide(&self, path: &str) -> bool {
        let Some(below) = (if self.path.is_empty() { Some(path) } else { path.strip_prefix(&self.path) }) else { return false };
        let is_own = path == self.path;
        if !(is_own || self.path.is_empty() || below.starts_with('/')) {
            return false;
        }
        let hides = match &self.kind {
            Kind::Unsupported(error) => is_own || exit_of(error.kind()) != Exit::Unsupported,
            Kind::Group | Kind::Array(_) => false,
        };
        hides || self.unlisted.is_some() || self.children.iter().any(|child| child.may_hide(path))
    }

    /// What a command that shows this tree ends with: of the node that the user named whatever is
    /// wrong with it, of those below what is damaged or unreadable. That zn5 does not read one of
    /// many formats is no failure of showing the tree.
    pub(crate) fn exit(&self) -> Exit {
        let own = self.failure().map_or(Exit::Fine, |error| exit_of(error.kind()));
        self.children.iter().fold(own, |exit, child| exit.worst(child.exit_below()))
    }

    fn exit_below(&self) -> Exit {
        match self.exit() {
            Exit::Unsupported => Exit::Fine,
            exit => exit,
        }
    }
}

/// What a failure at a node means; nothing there is the fault of the command line.
pub(crate) fn exit_of(kind: ErrorKind) -> Exit {
    match Exit::of(kind) {
        Exit::Usage => Exit::Io,
        exit => exit,
    }
}

/// Reads the tree of a container; of a folder that is an array, only that.
pub(crate) fn read(container: &Container) -> Result<Node> {
    read_levels(container, MAX_DEPTH)
}

/// Reads as many levels of the tree below the container's folder.
pub(crate) fn read_levels(container: &Container, levels: usize) -> Result<Node> {
    let place = Place { folder: container.root.canonicalize().unwrap_or_default(), before: None };
    let gone = || Failure::Message { exit: Exit::Io, message: format!("{}: vanished while it was read; try again", container.shown) };
    node_at(container, String::new(), levels, &place)?.ok_or_else(gone)
}

/// Where a node's folder really is, and from where a link led there.
struct Place<'a> {
    folder: PathBuf,
    before: Option<&'a Place<'a>>,
}

impl<'a> Place<'a> {
    /// The place of the child `name`; `None` if it is a link to a folder that was passed on the way here.
    fn child(&'a self, name: &str, path: &Path) -> Option<Self> {
        let plain = Self { folder: self.folder.join(name), before: self.before };
        if !path.is_symlink() {
            return Some(plain);
        }
        // A link that cannot be followed leads to no folder above; opening it tells what is wrong.
        let Ok(folder) = path.canonicalize() else { return Some(plain) };
        let mut passed = Some(self);
        while let Some(place) = passed {
            if place.folder.starts_with(&folder) {
                return None;
            }
            passed = place.before;
        }
        Some(Self { folder, before: Some(self) })
    }
}

/// The node at a path; `None` if it is gone since its name was listed.
fn node_at(container: &Container, path: String, levels: usize, place: &Place<'_>) -> Result<Option<Node>> {
    interrupt::check()?;
    let kind = match container.dataset(&path) {
        Ok(dataset) => Kind::Array(Box::new(dataset)),
        // A folder without metadata is a group, an empty one too.
        Err(error) if error.kind() == ErrorKind::NotAnArray => Kind::Group,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => Kind::Unsupported(error),
    };
    let attributes = container.attributes(&path);
    let mut node = Node { path, kind, attributes, children: Vec::new(), below: 0, unlisted: None };
    if levels == 0 && !matches!(node.kind, Kind::Group) {
        // Its folder may hold very many blocks.
        return Ok(Some(node));
    }
    let names = match names_below(container, &node) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(Failure::Interrupted),
        // Gone meanwhile, and all that was below it.
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            node.unlisted = Some(error);
            Vec::new()
        }
    };
    if levels == 0 {
        node.below = names.len() as u64;
        return Ok(Some(node));
    }
    for name in names {
        let path = join(&node.path, &name);
        if let Some(place) = place.child(&name, &container.root.join(&path)) {
            node.children.extend(node_at(container, path, levels - 1, &place)?);
        }
    }
    Ok(Some(node))
}

/// The names of what may be nodes below a node, in the order in which they are shown.
fn names_below(container: &Container, node: &Node) -> std::result::Result<Vec<String>, Error> {
    let mut names: Vec<String> = dataset::list_names(&container.store, &node.path)?.into_iter().map(Into::into).collect();
    if matches!(node.kind, Kind::Group) {
        names.extend(lost_links(container, &node.path)?);
    } else {
        // Below an array lie its blocks; only what has metadata of its own is a node there.
        names.retain(|name| has_metadata(container, &join(&node.path, name)));
    }
    names.sort_by_cached_key(|name| natural(name));
    Ok(names)
}

/// The links in a group that cannot be followed: what they lead to may be a node on a disk that is
/// not there now.
fn lost_links(container: &Container, path: &str) -> std::result::Result<Vec<String>, Error> {
    let folder = container.root.join(path);
    let mut names = Vec::new();
    container.store.list(&prefix_of(path), &mut |name, kind| {
        let is_other = kind == EntryKind::Key && !DOCUMENTS.contains(&name) && litter::kind(name).is_none();
        if is_other {
            let path = folder.join(name);
            if path.is_symlink() && path.metadata().is_err() {
                names.push(name.to_owned());
            }
        }
        Ok(())
    })?;
    Ok(names)
}

const DOCUMENTS: [&str; 2] = ["attributes.json", "zarr.json"];

/// Whether there are metadata, be it that they cannot be read.
fn has_metadata(container: &Container, path: &str) -> bool {
    DOCUMENTS.iter().any(|file| container.store.holds(&join(path, file)).unwrap_or(true))
}

/// A key that sorts "s2" before "s10".
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text_len = rest.find(|character: char| character.is_ascii_digit()).unwrap_or(rest.len());
        let (text, digits) = rest.split_at(text_len);
        let digits_len = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
        let (number, after) = digits.split_at(digits_len);
        parts.push((0, text.to_owned()));
        if !number.is_empty() {
            parts.push((number.parse().unwrap_or(u64::MAX), String::new()));
        }
        rest = after;
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use zn5::store::{Directory, Options, Stamp, Store};

    use super::*;

    /// A folder of which something is removed when a certain key is read.
    struct Vanishing {
        inner: Directory,
        when: &'static str,
        what: PathBuf,
    }

    impl Store for Vanishing {
        fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> zn5::error::Result<bool> {
            let found = self.inner.get(key, offset, max_len, value);
            if key == self.when {
                // It may be gone already.
                let _ = fs::remove_dir_all(&self.what);
            }
            found
        }

        fn set(&self, key: &str, value: &[u8]) -> zn5::error::Result<()> {
            self.inner.set(key, value)
        }

        fn erase(&self, key: &str) -> zn5::error::Result<()> {
            self.inner.erase(key)
        }

        fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> zn5::error::Result<()>) -> zn5::error::Result<()> {
            self.inner.list(prefix, visit)
        }

        fn stamp(&self, key: &str) -> zn5::error::Result<Option<Stamp>> {
            self.inner.stamp(key)
        }

        fn is_writable(&self) -> bool {
            false
        }
    }

    fn paths(node: &Node) -> Vec<String> {
        let mut paths = Vec::new();
        let visited = node.each(&mut |node| {
            assert!(node.failure().is_none());
            paths.push(node.path.clone());
            Ok(())
        });
        assert!(visited.is_ok());
        paths
    }

    #[test]
    fn policy_48_what_vanishes_between_listing_and_opening_is_left_out() {
        const ARRAY: &str = r#"{"dimensions":[4],"blockSize":[2],"dataType":"uint8","compression":{"type":"raw"}}"#;
        for (when, what, expected) in [
            // A sibling that is listed already; an array, and a group with what is below it.
            ("a/attributes.json", "b", &["", "a", "c", "c/d"][..]),
            ("b/attributes.json", "c", &["", "a", "b"]),
            // The node itself, after its document was read.
            ("c/attributes.json", "c", &["", "a", "b", "c"]),
            // A child, after its name was listed.
            ("c/d/attributes.json", "c", &["", "a", "b", "c", "c/d"]),
            // Nothing that is looked at later.
            ("c/attributes.json", "a", &["", "a", "b", "c", "c/d"]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in [("a", ARRAY), ("b", ARRAY), ("c", "{}"), ("c/d", ARRAY)] {
                fs::create_dir_all(folder.path().join(path)).unwrap();
                fs::write(folder.path().join(path).join("attributes.json"), text).unwrap();
            }
            let Ok(mut container) = Container::open(folder.path()) else { panic!("{}", folder.path().display()) };
            let inner = Directory::open(folder.path(), Options::default()).unwrap();
            container.store = Arc::new(Vanishing { inner, when, what: folder.path().join(what) });
            let Ok(root) = read(&container) else { panic!("{when} {what}") };
            assert_eq!(paths(&root), expected, "{when} {what}");
            assert_eq!(root.exit(), Exit::Fine);
        }
    }

    #[test]
    fn numbers_in_names_sort_as_numbers() {
        let mut names = vec!["s10", "s2", "s1", "labels", "raw", "s"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["labels", "raw", "s", "s1", "s2", "s10"]);
    }
}
