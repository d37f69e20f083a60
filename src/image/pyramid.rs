//! The levels of a group: arrays that are one volume at several scales.
//!
//! `multiscales` names them; where it is missing, arrays called "s0", "s1" and so on are levels.

use serde_json::Value;

use super::dialects::Dialect;
use super::values::{datasets, floats, level_of, multiscales, numbered, path_of};

/// One level of a pyramid.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Path of the array below the group.
    pub path: String,
    /// How many voxels of the first level one of this is wide, per axis.
    pub downsampling: Option<Vec<f64>>,
}

/// A group whose arrays are one volume at several scales.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    /// Where that is said.
    pub dialect: Dialect,
    /// From the finest on.
    pub levels: Vec<Level>,
}

/// An array below a group.
#[derive(Clone, Copy, Debug)]
pub struct Child<'a> {
    /// Path below the group.
    pub name: &'a str,
    /// Shape.
    pub shape: &'a [u64],
    /// Attributes.
    pub attributes: &'a Value,
}

/// The pyramid that a group's arrays form.
///
/// `path` names the group from the outermost known group on; `parents` are the attributes of the
/// groups around it, the nearest first.
#[must_use]
pub fn pyramid_of(path: &str, attributes: &Value, parents: &[&Value], children: &[Child<'_>]) -> Option<Pyramid> {
    named_by_multiscales(attributes, children).or_else(|| named_by_number(path, attributes, parents, children))
}

fn named_by_multiscales(attributes: &Value, children: &[Child<'_>]) -> Option<Pyramid> {
    let images = multiscales(attributes);
    let mut levels: Vec<Level> = Vec::new();
    for path in images.iter().flat_map(|image| datasets(image)).filter_map(path_of) {
        // Two images of one group may share their arrays.
        if !levels.iter().any(|level| level.path == path) {
            levels.push(Level { path: path.to_owned(), downsampling: ratio_of(path, children) });
        }
    }
    let is_there = |level: &Level| children.iter().any(|child| child.name == level.path);
    if levels.len() < 2 || !levels.iter().all(is_there) {
        return None;
    }
    let has = |member: &str| images.iter().any(|image| datasets(image).any(|dataset| dataset.get(member).is_some()));
    let dialect = if has("coordinateTransformations") {
        Dialect::OmeNgff
    } else if has("spatialTransform") {
        Dialect::Canonical
    } else if has("transform") || images.iter().all(|image| image.get("version").is_none()) {
        Dialect::Cosem
    } else {
        Dialect::OmeNgff
    };
    Some(Pyramid { dialect, levels })
}

fn named_by_number(path: &str, attributes: &Value, parents: &[&Value], children: &[Child<'_>]) -> Option<Pyramid> {
    let mut levels: Vec<(usize, &Child<'_>)> =
        children.iter().filter_map(|child| level_of(child.name).map(|level| (level, child))).collect();
    levels.sort_by_key(|(level, _)| *level);
    let (_, first) = levels.first()?;
    let ndim = first.shape.len();
    let is_whole = levels.iter().enumerate().all(|(at, (level, child))| at == *level && child.shape.len() == ndim);
    if levels.len() < 2 || !is_whole {
        return None;
    }
    let listed = |value: Option<&Value>, level: usize| value.and_then(Value::as_array)?.get(level).and_then(floats);
    // The older form of n5-viewer and BigDataViewer's setup have the factors one group further up.
    let near = || std::iter::once(attributes).chain(parents.first().copied());
    let lists = || near().flat_map(|group| ["scales", "downsamplingFactors"].map(|member| group.get(member)));
    let has = |member: &str| attributes.get(member).is_some();
    let any = |member: &str| levels.iter().any(|(_, child)| child.attributes.get(member).is_some());
    let dialect = if is_time_point(path) {
        Dialect::BigDataViewer
    } else if any("transform") {
        Dialect::Cosem
    } else if any("spatialTransform") {
        Dialect::Canonical
    } else if has("painteraData") || parents.first().is_some_and(|parent| parent.get("painteraData").is_some()) {
        Dialect::Paintera
    } else if any("pixelResolution") || has("pixelResolution") {
        Dialect::N5Viewer
    } else if has("resolution") && (has("axes") || has("units")) {
        Dialect::Neuroglancer
    } else if any("downsamplingFactors") || lists().flatten().next().is_some() {
        Dialect::N5Viewer
    } else {
        Dialect::Names
    };
    let levels = levels
        .iter()
        .map(|&(level, child)| {
            let own = child.attributes.get("downsamplingFactors").and_then(floats);
            let told = own.or_else(|| lists().find_map(|list| listed(list, level)));
            let downsampling = told.or_else(|| ratio_of(child.name, children));
            let downsampling = downsampling.filter(|factors| factors.len() == child.shape.len());
            Level { path: child.name.to_owned(), downsampling }
        })
        .collect();
    Some(Pyramid { dialect, levels })
}

/// Whether a group is one of BigDataViewer's: `setup0/timepoint0`.
fn is_time_point(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let mut next = |prefix: &str| parts.next().and_then(|part| numbered(part, prefix)).is_some();
    next("timepoint") && next("setup")
}

/// How many times smaller the shape is than the largest child's.
fn ratio_of(name: &str, children: &[Child<'_>]) -> Option<Vec<f64>> {
    let child = children.iter().find(|child| child.name == name)?;
    let count = |child: &&Child<'_>| child.shape.iter().fold(1_u128, |count, &extent| count.saturating_mul(u128::from(extent)));
    let first = children.iter().filter(|other| other.shape.len() == child.shape.len()).max_by_key(count)?;
    #[allow(clippy::cast_precision_loss)] // A ratio that is rounded anyway.
    let ratio = |(&large, &small): (&u64, &u64)| {
        if small == 0 { 1.0 } else { (large as f64 / small as f64).round().max(1.0) }
    };
    Some(first.shape.iter().zip(child.shape).map(ratio).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pyramids_are_found_by_factors_and_by_names() {
        let factors = [json!({"downsamplingFactors": [1, 1]}), json!({"downsamplingFactors": [2, 2]})];
        let children = [
            Child { name: "s1", shape: &[5, 10], attributes: &factors[1] },
            Child { name: "s0", shape: &[10, 20], attributes: &factors[0] },
        ];
        let found = pyramid_of("a", &json!({}), &[], &children).unwrap();
        assert_eq!((found.dialect, found.levels[1].path.as_str()), (Dialect::N5Viewer, "s1"));
        assert_eq!(found.levels[1].downsampling, Some(vec![2.0, 2.0]));

        let none = json!({});
        let children =
            [Child { name: "s0", shape: &[10, 20], attributes: &none }, Child { name: "s1", shape: &[3, 20], attributes: &none }];
        let found = pyramid_of("a", &json!({}), &[], &children).unwrap();
        assert_eq!((found.dialect, found.levels[1].downsampling.clone()), (Dialect::Names, Some(vec![3.0, 1.0])));
        assert_eq!(pyramid_of("a", &json!({}), &[], &children[1..]), None);

        let setup = json!({"downsamplingFactors": [[1, 1], [4, 1]]});
        let found = pyramid_of("setup3/timepoint0", &json!({"multiScale": true}), &[&setup], &children).unwrap();
        assert_eq!((found.dialect, found.levels[1].downsampling.clone()), (Dialect::BigDataViewer, Some(vec![4.0, 1.0])));

        // What tells the sizes of the levels names the pyramid, too.
        let both = json!({"axes": ["x", "y"], "resolution": [1, 1], "pixelResolution": [1, 1]});
        assert_eq!(pyramid_of("a", &both, &[], &children).unwrap().dialect, Dialect::N5Viewer);
        let one = json!({"axes": ["x", "y"], "resolution": [1, 1]});
        assert_eq!(pyramid_of("a", &one, &[], &children).unwrap().dialect, Dialect::Neuroglancer);

        let above = json!({"scales": [[1, 1], [2, 1]]});
        let found = pyramid_of("img/c0", &json!({}), &[&above], &children).unwrap();
        assert_eq!((found.dialect, found.levels[1].downsampling.clone()), (Dialect::N5Viewer, Some(vec![2.0, 1.0])));

        let group = json!({"multiscales": [{"datasets": [{"path": "s0"}, {"path": "s1"}]}]});
        assert_eq!(pyramid_of("a", &group, &[], &children).unwrap().dialect, Dialect::Cosem);
        let group = json!({"ome": {"multiscales": [{"datasets": [
            {"path": "s0", "coordinateTransformations": []}, {"path": "s1"}]}]}});
        assert_eq!(pyramid_of("a", &group, &[], &children).unwrap().dialect, Dialect::OmeNgff);
        let group = json!({"multiscales": [{"datasets": [{"path": "s0"}, {"path": "s7"}]}]});
        assert_eq!(pyramid_of("a", &group, &[], &children).unwrap().dialect, Dialect::Names);
    }

    #[test]
    fn arrays_that_do_not_belong_together_are_no_pyramid() {
        let none = json!({});
        let child = |name, shape| Child { name, shape, attributes: &none };
        let other_rank = [child("s0", &[10, 20][..]), child("s1", &[5, 10, 2])];
        let gap = [child("s0", &[10, 20][..]), child("s2", &[5, 10])];
        let names = [child("a", &[10, 20][..]), child("b", &[5, 10])];
        for children in [&other_rank[..], &gap, &names, &[]] {
            assert_eq!(pyramid_of("", &none, &[], children), None);
        }
    }
}
