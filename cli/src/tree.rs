//! The tree of a container: groups, arrays, and what zn5 cannot open, each with its reason.
//!
//! One node that cannot be opened never hides another. A link to a folder that it lies in is left out: behind it is nothing new.

use std::path::{Path, PathBuf};

use serde_json::Value;
use zn5::dataset::{self, Dataset};
use zn5::error::{Error, ErrorKind};
use zn5::store::join;

use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::open::Container;

/// Levels of groups that are looked at.
const MAX_DEPTH: usize = 64;

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
}

/// Reads the tree of a container; of a folder that is an array, only that.
pub(crate) fn read(container: &Container) -> Result<Node> {
    read_levels(container, MAX_DEPTH)
}

/// Reads as many levels of the tree below the container's folder.
pub(crate) fn read_levels(container: &Container, levels: usize) -> Result<Node> {
    node_at(container, String::new(), levels, &Place { folder: container.root.canonicalize().unwrap_or_default(), before: None })
}

/// Where a node's folder really is, and from where a link led there.
struct Place<'a> {
    folder: PathBuf,
    before: Option<&'a Place<'a>>,
}

impl<'a> Place<'a> {
    /// The place of the child `name`; `None` if it is a link to a folder that was passed on the way here.
    fn child(&'a self, name: &str, path: &Path) -> Option<Self> {
        if !path.is_symlink() {
            return Some(Self { folder: self.folder.join(name), before: self.before });
        }
        let folder = path.canonicalize().ok()?;
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

fn node_at(container: &Container, path: String, levels: usize, place: &Place<'_>) -> Result<Node> {
    interrupt::check()?;
    let kind = match container.dataset(&path) {
        Ok(dataset) => Kind::Array(Box::new(dataset)),
        // A folder without metadata is a group, an empty one too.
        Err(error) if matches!(error.kind(), ErrorKind::NotAnArray | ErrorKind::NotFound) => Kind::Group,
        Err(error) => Kind::Unsupported(error),
    };
    let attributes = container.attributes(&path);
    let children = if levels > 0 { children_of(container, &path, levels - 1, place, &kind)? } else { Vec::new() };
    Ok(Node { path, kind, attributes, children })
}

fn children_of(container: &Container, path: &str, levels: usize, place: &Place<'_>, kind: &Kind) -> Result<Vec<Node>> {
    let mut names: Vec<String> = Vec::new();
    let listed = dataset::list_nodes(&container.store, path, &mut |name, _| {
        names.push(name.to_owned());
        Ok(())
    });
    match (listed, kind) {
        (Ok(()), _) => {}
        (Err(error), Kind::Unsupported(_)) if error.kind() != ErrorKind::Cancelled => {}
        (Err(error), _) => return Err(Failure::at(container.place(path), &error)),
    }
    if !matches!(kind, Kind::Group) {
        // Below an array lie its blocks; only what has metadata of its own is a node there.
        names.retain(|name| has_metadata(container, &join(path, name)));
    }
    names.sort_by_cached_key(|name| natural(name));
    let mut nodes = Vec::new();
    for name in names {
        let path = join(path, &name);
        if let Some(place) = place.child(&name, &container.root.join(&path)) {
            nodes.push(node_at(container, path, levels, &place)?);
        }
    }
    Ok(nodes)
}

fn has_metadata(container: &Container, path: &str) -> bool {
    let has = |file: &&str| container.store.holds(&join(path, file)).unwrap_or(false);
    ["attributes.json", "zarr.json"].iter().any(has)
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
mod tests {
    use super::natural;

    #[test]
    fn numbers_in_names_sort_as_numbers() {
        let mut names = vec!["s10", "s2", "s1", "labels", "raw", "s"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["labels", "raw", "s", "s1", "s2", "s10"]);
    }
}
