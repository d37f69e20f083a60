//! Many siblings that are alike become one: the first of them, with sums over all.
//!
//! Alike are those whose names differ in numbers alone, and whose subtrees differ in nothing but
//! shapes, sizes and places. Whatever is damaged, unreadable or unsupported stands alone, and so do
//! the levels of a pyramid.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::{Array, Entry};

/// Fewer siblings are shown one by one.
const MANY: usize = 4;

/// One sibling, or many.
pub(super) struct Item<'a> {
    /// The first sibling, with sums over all.
    pub(super) entry: Cow<'a, Entry>,
    /// How many there are.
    pub(super) count: usize,
    /// The name of the last one, where there are many.
    pub(super) last: Option<&'a str>,
    /// The place of the first among all siblings.
    place: usize,
}

/// How arrays differ for which one stands.
#[derive(Clone)]
pub(super) struct Many {
    /// The largest extents along each axis; the array has the smallest.
    pub(super) shape: Vec<u64>,
    /// The same in NumPy's order.
    pub(super) shape_numpy: Vec<u64>,
    /// The same of the grid of blocks.
    pub(super) block_grid: Vec<u64>,
    /// Whether their first voxels are at different places.
    pub(super) is_shifted: bool,
}

impl Many {
    fn of(array: &Array) -> Self {
        let Array { shape, shape_numpy, block_grid, .. } = array;
        Self { shape: shape.clone(), shape_numpy: shape_numpy.clone(), block_grid: block_grid.clone(), is_shifted: false }
    }
}

/// The children of an entry; of those that are alike one stands for all, unless `all` are to be
/// shown.
pub(super) fn siblings(parent: &Entry, all: bool) -> Vec<Item<'_>> {
    let mut groups: Vec<Vec<(usize, &Entry)>> = Vec::new();
    // Of each signature its groups, which shapes tell apart.
    let mut known: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, child) in parent.children.iter().enumerate() {
        let signature = if all || is_level(parent, child) { None } else { signature(child) };
        let Some(signature) = signature else {
            groups.push(vec![(place, child)]);
            continue;
        };
        let candidates = known.entry(signature).or_default();
        let is_near = |at: &usize| groups.get(*at).and_then(|group| group.first()).is_some_and(|(_, first)| near(first, child));
        let fitting = candidates.iter().copied().find(is_near);
        if let Some(group) = fitting.and_then(|at| groups.get_mut(at)) {
            group.push((place, child));
        } else {
            candidates.push(groups.len());
            groups.push(vec![(place, child)]);
        }
    }
    let mut items: Vec<Item<'_>> = groups.iter().flat_map(|group| items(group)).collect();
    items.sort_by_key(|item| item.place);
    items
}

fn items<'a>(group: &[(usize, &'a Entry)]) -> Vec<Item<'a>> {
    match group {
        [(place, first), rest @ ..] if group.len() >= MANY => {
            let mut entry = (*first).clone();
            for (_, other) in rest {
                add(&mut entry, other);
            }
            let last = rest.last().map(|(_, last)| last.name());
            vec![Item { entry: Cow::Owned(entry), count: group.len(), last, place: *place }]
        }
        _ => group.iter().map(|&(place, entry)| Item { entry: Cow::Borrowed(entry), count: 1, last: None, place }).collect(),
    }
}

fn is_level(parent: &Entry, child: &Entry) -> bool {
    parent.pyramid.as_ref().is_some_and(|pyramid| pyramid.levels.iter().any(|level| level.path == child.name()))
}

/// Whether arrays of these shapes may be alike. Groups are, but a level that no pyramid is known of
/// has half the extents or less.
fn near(first: &Entry, other: &Entry) -> bool {
    let (Some(first), Some(other)) = (&first.array, &other.array) else { return true };
    let is_near = |(&a, &b): (&u64, &u64)| u128::from(a) * 2 <= u128::from(b) * 3 && u128::from(b) * 2 <= u128::from(a) * 3;
    first.shape.iter().zip(&other.shape).all(is_near)
}

/// What entries that are alike have in common; `None` if something in it has to be seen.
fn signature(entry: &Entry) -> Option<String> {
    let mut text = String::new();
    let mut was_digit = false;
    for character in entry.name().chars() {
        let is_digit = character.is_ascii_digit();
        if !(is_digit && was_digit) {
            text.push(if is_digit { '#' } else { character });
        }
        was_digit = is_digit;
    }
    describe(entry, &mut text)?;
    Some(text)
}

/// Adds all but names, shapes, sizes and places.
fn describe(entry: &Entry, text: &mut String) -> Option<()> {
    let Entry { kind, array, pyramid, content, reason, attributes, problems, children, below, .. } = entry;
    if reason.is_some() || !problems.is_empty() {
        return None;
    }
    let pyramid = serde_json::to_value(pyramid).ok()?;
    write!(text, "\0{kind}\0{content:?}\0{pyramid}\0{attributes:?}\0{below}").ok()?;
    if let Some(array) = array {
        let Array { metadata, data_type, shape, block_size, compression, fill_value, blocks, .. } = array;
        write!(text, "\0{metadata}\0{data_type}\0{}\0{block_size:?}\0{compression}\0{fill_value}", shape.len()).ok()?;
        write!(text, "\0{}", without_place(array)?).ok()?;
        if let Some(blocks) = blocks {
            if blocks.mode.is_some() {
                return None;
            }
            let edges = if is_plain(blocks.edges) { "" } else { blocks.edges };
            write!(text, "\0{edges}\0{}", blocks.stored == 0).ok()?;
        }
    }
    for child in children {
        write!(text, "\0{{{}", child.name()).ok()?;
        describe(child, text)?;
        text.push_str("\0}");
    }
    Some(())
}

/// Whether edges are as most have them, or there are none, which shapes decide.
fn is_plain(edges: &str) -> bool {
    edges == "truncated" || has_no_edges(edges)
}

fn has_no_edges(edges: &str) -> bool {
    matches!(edges, "none" | "unknown")
}

/// What is known of the axes, but for the place of the first voxel and the places of the sources,
/// which have the array's own path.
fn without_place(array: &Array) -> Option<Value> {
    let mut spatial = serde_json::to_value(&array.spatial).ok()?;
    if let Some(members) = spatial.as_object_mut() {
        members.remove("translation");
        for list in ["sources", "disagreements"] {
            members.get_mut(list).into_iter().for_each(remove_places);
        }
    }
    Some(spatial)
}

/// Removes the members that say where something is written.
fn remove_places(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_places),
        Value::Object(members) => {
            members.remove("place");
            members.values_mut().for_each(remove_places);
        }
        _ => {}
    }
}

/// Adds an entry that is alike.
fn add(sum: &mut Entry, other: &Entry) {
    if let (Some(sum), Some(other)) = (&mut sum.array, &other.array) {
        add_array(sum, other);
    }
    for (sum, other) in sum.children.iter_mut().zip(&other.children) {
        add(sum, other);
    }
}

fn add_array(sum: &mut Array, other: &Array) {
    let mut many = sum.many.take().unwrap_or_else(|| Box::new(Many::of(sum)));
    let largest = other.many.clone().unwrap_or_else(|| Box::new(Many::of(other)));
    widen(&mut sum.shape, &mut many.shape, &other.shape, &largest.shape);
    widen(&mut sum.shape_numpy, &mut many.shape_numpy, &other.shape_numpy, &largest.shape_numpy);
    widen(&mut sum.block_grid, &mut many.block_grid, &other.block_grid, &largest.block_grid);
    sum.data_bytes = sum.data_bytes.zip(other.data_bytes).and_then(|(a, b)| a.checked_add(b));
    if let (Some(sum), Some(other)) = (&mut sum.blocks, &other.blocks) {
        sum.stored = sum.stored.saturating_add(other.stored);
        sum.missing = sum.missing.saturating_add(other.missing);
        sum.stored_bytes = sum.stored_bytes.saturating_add(other.stored_bytes);
        if has_no_edges(sum.edges) {
            sum.edges = other.edges;
        }
    }
    if let (Some(sum), Some(other)) = (&mut sum.spatial, &other.spatial) {
        many.is_shifted |= largest.is_shifted || sum.translation != other.translation;
        if many.is_shifted {
            sum.translation = None;
        }
    }
    sum.many = Some(many);
}

/// Makes the extents from `low` to `high` take in those from `other_low` to `other_high`.
fn widen(low: &mut [u64], high: &mut [u64], other_low: &[u64], other_high: &[u64]) {
    low.iter_mut().zip(other_low).for_each(|(low, &other)| *low = other.min(*low));
    high.iter_mut().zip(other_high).for_each(|(high, &other)| *high = other.max(*high));
}

/// Extents for people: along each axis the smallest, and the largest where that is another.
pub(super) fn spans(low: &[u64], high: Option<&[u64]>) -> Vec<String> {
    let high = high.unwrap_or(low);
    low.iter().zip(high).map(|(low, high)| if low == high { low.to_string() } else { format!("{low}–{high}") }).collect()
}
