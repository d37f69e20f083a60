//! What other programs write into attributes: pixel sizes, units, axes, pyramids, kinds of labels.
//!
//! Known are n5-viewer, neuroglancer, BigDataViewer (bdv.n5), COSEM, Paintera and OME-NGFF. Every result is in the order of `dimensions`:
//! COSEM's reversed lists are turned round here.

use serde::Serialize;
use serde_json::Value;

/// Where an array's voxels lie in space. Lists have one entry per axis, in N5 order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Spatial {
    /// The convention.
    pub(crate) dialect: &'static str,
    /// Names of the axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) axes: Option<Vec<String>>,
    /// Distance of neighbouring voxels.
    pub(crate) pixel_size: Vec<f64>,
    /// Units of the distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) units: Option<Vec<String>>,
    /// Where the centre of the first voxel is, if not at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) translation: Option<Vec<f64>>,
}

/// One level of a pyramid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Level {
    /// Path of the array below the group.
    pub(crate) path: String,
    /// How many voxels of the first level one of this is wide, per axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) downsampling: Option<Vec<f64>>,
}

/// A group whose arrays are one volume at several scales.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Pyramid {
    /// Where that is said.
    pub(crate) dialect: &'static str,
    /// From the finest on.
    pub(crate) levels: Vec<Level>,
}

/// An array below a group, for finding pyramids.
pub(crate) struct Child<'a> {
    /// Name below the group.
    pub(crate) name: &'a str,
    /// Shape.
    pub(crate) shape: &'a [u64],
    /// Attributes.
    pub(crate) attributes: &'a Value,
}

/// Reads the position of an array from its attributes and from those of the groups around it.
///
/// `path` names the array from the outermost known group on; `ancestors` are the groups' attributes, nearest first.
pub(crate) fn spatial(attributes: &Value, ancestors: &[Value], path: &str, ndim: usize) -> Option<Spatial> {
    let here = Place { attributes, ancestors, path, ndim };
    let found = here
        .cosem(attributes.get("transform"))
        .or_else(|| here.pixel_resolution())
        .or_else(|| here.resolution())
        .or_else(|| here.multiscales())
        .or_else(|| here.big_data_viewer());
    found.filter(|found| found.pixel_size.len() == ndim)
}

/// An array and its surroundings.
struct Place<'a> {
    attributes: &'a Value,
    ancestors: &'a [Value],
    path: &'a str,
    ndim: usize,
}

impl Place<'_> {
    /// `transform`: lists are in C order, which is the reverse of `dimensions`, unless `ordering` is "F".
    fn cosem(&self, transform: Option<&Value>) -> Option<Spatial> {
        let transform = transform?;
        let mut pixel_size = self.numbers(transform.get("scale")?)?;
        let mut axes = strings(transform.get("axes"), self.ndim);
        let mut units = strings(transform.get("units"), self.ndim);
        let mut translation = transform.get("translate").and_then(|list| self.numbers(list));
        if transform.get("ordering").and_then(Value::as_str) != Some("F") {
            pixel_size.reverse();
            for list in [&mut axes, &mut units].into_iter().flatten() {
                list.reverse();
            }
            if let Some(list) = &mut translation {
                list.reverse();
            }
        }
        Some(Spatial { dialect: "COSEM", axes, pixel_size, units, translation: unless_zero(translation) })
    }

    /// `pixelResolution`: an object with its unit, or a bare list in micrometres; `downsamplingFactors` multiply it.
    fn pixel_resolution(&self) -> Option<Spatial> {
        let value = self.nearest("pixelResolution")?;
        let (list, unit) = match value {
            Value::Object(object) => (object.get("dimensions")?, object.get("unit").and_then(Value::as_str).unwrap_or("um")),
            list => (list, "um"),
        };
        let base = self.numbers(list)?;
        let (pixel_size, translation) = self.scaled(base);
        Some(Spatial {
            dialect: "n5-viewer",
            axes: self.nearest("axes").and_then(|axes| strings(Some(axes), self.ndim)),
            pixel_size,
            units: Some(vec![unit.to_owned(); self.ndim]),
            translation,
        })
    }

    /// `resolution`, with `axes` and `units` (neuroglancer) or without (Paintera); neuroglancer takes them from the groups around, too.
    fn resolution(&self) -> Option<Spatial> {
        let base = self.numbers(self.nearest("resolution")?)?;
        let axes = self.nearest("axes").and_then(|axes| strings(Some(axes), self.ndim));
        let units = self.nearest("units").and_then(|units| strings(Some(units), self.ndim));
        let paintera = ["painteraData", "maxId", "isLabelMultiset"].iter().any(|name| self.nearest(name).is_some());
        let dialect = if paintera { "Paintera" } else { "neuroglancer" };
        let offset = self.nearest("offset").and_then(|list| self.numbers(list)).filter(|_| paintera);
        let (pixel_size, shift) = self.scaled(base);
        let translation = match (offset, shift) {
            (Some(offset), Some(shift)) => Some(offset.iter().zip(shift).map(|(a, b)| a + b).collect()),
            (offset, shift) => offset.or(shift),
        };
        Some(Spatial { dialect, axes, pixel_size, units, translation: unless_zero(translation) })
    }

    /// `multiscales` of a group around, with COSEM's or OME-NGFF's transformations.
    fn multiscales(&self) -> Option<Spatial> {
        let mut name = self.path;
        let mut tail = String::new();
        for group in self.ancestors {
            let (rest, last) = name.rsplit_once('/').unwrap_or(("", name));
            tail = if tail.is_empty() { last.to_owned() } else { format!("{last}/{tail}") };
            name = rest;
            let Some(scales) = multiscales_of(group) else { continue };
            for scale in scales {
                let Some(dataset) = datasets_of(scale).into_iter().find(|dataset| path_of(dataset) == Some(tail.as_str())) else {
                    continue;
                };
                if let Some(found) = self.cosem(dataset.get("transform")).or_else(|| self.ome(scale, dataset)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// OME-NGFF, whose axes follow the array's own.
    fn ome(&self, scale: &Value, dataset: &Value) -> Option<Spatial> {
        let mut pixel_size = vec![1.0; self.ndim];
        let mut translation = vec![0.0; self.ndim];
        let mut found = false;
        for transformations in [dataset.get("coordinateTransformations"), scale.get("coordinateTransformations")] {
            for transformation in transformations.and_then(Value::as_array).into_iter().flatten() {
                if let Some(factors) = transformation.get("scale").and_then(|list| self.numbers(list)) {
                    found = true;
                    for ((size, shift), factor) in pixel_size.iter_mut().zip(&mut translation).zip(factors) {
                        *size *= factor;
                        *shift *= factor;
                    }
                }
                if let Some(shifts) = transformation.get("translation").and_then(|list| self.numbers(list)) {
                    for (shift, more) in translation.iter_mut().zip(shifts) {
                        *shift += more;
                    }
                }
            }
        }
        let list = scale.get("axes").and_then(Value::as_array);
        let of_axes = |name: &str| -> Option<Vec<String>> {
            let texts: Vec<String> =
                list?.iter().map(|axis| axis.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()).collect();
            (texts.len() == self.ndim && texts.iter().any(|text| !text.is_empty())).then_some(texts)
        };
        found.then(|| Spatial {
            dialect: "OME-NGFF",
            axes: of_axes("name"),
            pixel_size,
            units: of_axes("unit"),
            translation: unless_zero(Some(translation)),
        })
    }

    /// `setup0/timepoint0/s1`: factors are a list on the setup, the resolution is on the timepoint.
    fn big_data_viewer(&self) -> Option<Spatial> {
        let (level, setup) = (self.level()?, self.ancestors.get(1)?);
        let factors = setup.get("downsamplingFactors")?.as_array()?.get(level)?;
        let pixel_size = self.numbers(factors)?;
        Some(Spatial {
            dialect: "bdv.n5",
            units: Some(vec!["voxel".to_owned(); self.ndim]),
            translation: half_shift(&vec![1.0; self.ndim], &pixel_size),
            pixel_size,
            axes: None,
        })
    }

    /// A pixel size at this level of a pyramid, and how far the first voxel's centre moves.
    fn scaled(&self, base: Vec<f64>) -> (Vec<f64>, Option<Vec<f64>>) {
        let Some(factors) = self.factors() else { return (base, None) };
        let shift = half_shift(&base, &factors);
        (base.iter().zip(&factors).map(|(base, factor)| base * factor).collect(), shift)
    }

    /// How much coarser this array is than the finest.
    fn factors(&self) -> Option<Vec<f64>> {
        if let Some(factors) = self.attributes.get("downsamplingFactors").and_then(|list| self.numbers(list)) {
            return Some(factors);
        }
        let level = self.level()?;
        let scales = self.ancestors.iter().take(2).find_map(|group| group.get("scales").or_else(|| group.get("downsamplingFactors")))?;
        self.numbers(scales.as_array()?.get(level)?)
    }

    /// The number in "s0", "s1", …
    fn level(&self) -> Option<usize> {
        level_of(self.path.rsplit('/').next()?)
    }

    /// A member of the array's attributes, or of the nearest group's that has it.
    fn nearest(&self, name: &str) -> Option<&Value> {
        self.attributes.get(name).or_else(|| self.ancestors.iter().find_map(|group| group.get(name)))
    }

    /// As many finite numbers as the array has axes.
    fn numbers(&self, value: &Value) -> Option<Vec<f64>> {
        let list: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
        list.filter(|list| list.len() == self.ndim)
    }
}

/// The pyramid that a group's children form.
pub(crate) fn pyramid(attributes: &Value, parents: &[Value], children: &[Child<'_>]) -> Option<Pyramid> {
    if let Some(list) = multiscales_of(attributes) {
        let datasets = list.iter().flat_map(|scale| datasets_of(scale));
        let levels: Vec<Level> =
            datasets.filter_map(path_of).map(|path| Level { path: path.to_owned(), downsampling: ratio_of(path, children) }).collect();
        if levels.len() > 1 && levels.iter().all(|level| children.iter().any(|child| child.name == level.path)) {
            let ome = list.iter().any(|scale| datasets_of(scale).iter().any(|dataset| dataset.get("coordinateTransformations").is_some()));
            return Some(Pyramid { dialect: if ome { "OME-NGFF" } else { "COSEM" }, levels });
        }
    }
    let mut levels: Vec<(usize, &Child<'_>)> =
        children.iter().filter_map(|child| level_of(child.name).map(|level| (level, child))).collect();
    levels.sort_by_key(|(level, _)| *level);
    let same_rank = levels.iter().all(|(_, child)| levels.first().is_some_and(|(_, first)| first.shape.len() == child.shape.len()));
    if levels.len() < 2 || !same_rank || levels.iter().enumerate().any(|(at, (level, _))| at != *level) {
        return None;
    }
    let listed = |value: Option<&Value>, level: usize| value.and_then(Value::as_array)?.get(level).and_then(floats);
    let setup = parents.first().and_then(|setup| setup.get("downsamplingFactors"));
    let dialect = if levels.iter().any(|(_, child)| child.attributes.get("downsamplingFactors").is_some()) {
        "downsamplingFactors"
    } else if attributes.get("scales").is_some() || attributes.get("downsamplingFactors").is_some() {
        "scales"
    } else if setup.is_some() {
        "bdv.n5"
    } else if levels.iter().any(|(_, child)| child.attributes.get("transform").is_some()) {
        "COSEM"
    } else {
        "names"
    };
    let levels = levels
        .iter()
        .map(|&(level, child)| {
            let own = child.attributes.get("downsamplingFactors").and_then(floats);
            let of_group = listed(attributes.get("scales"), level).or_else(|| listed(attributes.get("downsamplingFactors"), level));
            let downsampling = own.or(of_group).or_else(|| listed(setup, level)).or_else(|| ratio_of(child.name, children));
            Level { path: child.name.to_owned(), downsampling: downsampling.filter(|factors| factors.len() == child.shape.len()) }
        })
        .collect();
    Some(Pyramid { dialect, levels })
}

/// What the attributes say of the kind of content, for a remark beside the array or group.
pub(crate) fn kind(attributes: &Value) -> Option<String> {
    if attributes.get("isLabelMultiset").and_then(Value::as_bool) == Some(true) {
        return Some("Paintera label multisets (varlength blocks)".to_owned());
    }
    if let Some(kind) = attributes.get("painteraData").and_then(|data| data.get("type")).and_then(Value::as_str) {
        return Some(format!("Paintera {kind} data"));
    }
    None
}

/// Whether attributes or the path say that an array holds numbers of segments.
pub(crate) fn holds_labels(attributes: &Value, ancestors: &[Value], path: &str) -> bool {
    let said = |attributes: &Value| attributes.get("maxId").is_some() || attributes.get("isLabel").and_then(Value::as_bool) == Some(true);
    let named = |part: &str| {
        let part = part.to_ascii_lowercase();
        part.contains("label") || part.starts_with("seg") || part.ends_with("_seg")
    };
    said(attributes) || ancestors.iter().any(said) || path.split('/').any(named)
}

fn multiscales_of(group: &Value) -> Option<&[Value]> {
    let value = group.get("multiscales").or_else(|| group.get("ome")?.get("multiscales"))?;
    match value {
        Value::Array(list) => Some(list),
        object => Some(std::slice::from_ref(object)),
    }
}

fn datasets_of(scale: &Value) -> Vec<&Value> {
    scale.get("datasets").and_then(Value::as_array).into_iter().flatten().collect()
}

fn path_of(dataset: &Value) -> Option<&str> {
    dataset.get("path").and_then(Value::as_str).map(|path| path.trim_matches('/'))
}

/// How many times smaller the shape is than the largest child's.
fn ratio_of(name: &str, children: &[Child<'_>]) -> Option<Vec<f64>> {
    let child = children.iter().find(|child| child.name == name)?;
    let first = children
        .iter()
        .filter(|other| other.shape.len() == child.shape.len())
        .max_by_key(|other| other.shape.iter().fold(1_u128, |count, &extent| count.saturating_mul(u128::from(extent))))?;
    #[allow(clippy::cast_precision_loss)] // A ratio that is rounded anyway.
    let ratio = |(&large, &small): (&u64, &u64)| if small == 0 { 1.0 } else { (large as f64 / small as f64).round().max(1.0) };
    Some(first.shape.iter().zip(child.shape).map(ratio).collect())
}

fn level_of(name: &str) -> Option<usize> {
    name.strip_prefix('s').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

fn floats(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// As many texts as there are axes.
fn strings(value: Option<&Value>, ndim: usize) -> Option<Vec<String>> {
    let list: Option<Vec<String>> = value?.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect();
    list.filter(|list| list.len() == ndim)
}

/// A voxel that is the mean of `factors` voxels has its centre between theirs.
fn half_shift(base: &[f64], factors: &[f64]) -> Option<Vec<f64>> {
    unless_zero(Some(base.iter().zip(factors).map(|(base, factor)| (factor - 1.0) / 2.0 * base).collect()))
}

fn unless_zero(list: Option<Vec<f64>>) -> Option<Vec<f64>> {
    list.filter(|list| list.iter().any(|&value| value != 0.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(attributes: &Value, ancestors: &[Value], path: &str, ndim: usize) -> Spatial {
        spatial(attributes, ancestors, path, ndim).unwrap()
    }

    #[test]
    fn cosem_lists_are_turned_round_unless_they_say_otherwise() {
        let mut transform = json!({"axes": ["z","y","x"], "scale": [5.24, 4, 3], "translate": [2.5, 2, 1], "units": ["nm","um","mm"]});
        let found = at(&json!({"transform": transform}), &[], "s0", 3);
        assert_eq!(found.pixel_size, [3.0, 4.0, 5.24]);
        assert_eq!(found.axes.unwrap(), ["x", "y", "z"]);
        assert_eq!(found.units.unwrap(), ["mm", "um", "nm"]);
        assert_eq!(found.translation.unwrap(), [1.0, 2.0, 2.5]);
        transform["ordering"] = json!("F");
        assert_eq!(at(&json!({"transform": transform}), &[], "s0", 3).pixel_size, [5.24, 4.0, 3.0]);
    }

    #[test]
    fn n5_viewer_has_units_or_micrometres_and_factors_multiply() {
        let found = at(&json!({"pixelResolution": {"unit": "mm", "dimensions": [1.5, 1.5, 3]}}), &[], "s0", 3);
        assert_eq!((found.dialect, found.pixel_size.as_slice()), ("n5-viewer", [1.5, 1.5, 3.0].as_slice()));
        assert_eq!(found.units.unwrap()[2], "mm");
        let found = at(&json!({"pixelResolution": [1.5, 1.5, 1.5], "downsamplingFactors": [2, 2, 1]}), &[], "s1", 3);
        assert_eq!(found.pixel_size, [3.0, 3.0, 1.5]);
        assert_eq!(found.units.unwrap()[0], "um");
        assert_eq!(found.translation.unwrap(), [0.75, 0.75, 0.0]);
    }

    #[test]
    fn neuroglancer_inherits_from_the_groups_around() {
        let group = json!({"axes": ["x", "y"], "units": ["nm", "s"], "resolution": [10, 20]});
        let found = at(&json!({"downsamplingFactors": [2, 2]}), &[json!({}), group.clone()], "a/s1", 2);
        assert_eq!((found.dialect, found.pixel_size.as_slice()), ("neuroglancer", [20.0, 40.0].as_slice()));
        let mut old = group;
        old["scales"] = json!([[1, 1], [2, 2], [4, 4]]);
        assert_eq!(at(&json!({}), &[old], "s2", 2).pixel_size, [40.0, 80.0]);
    }

    #[test]
    fn ome_and_cosem_multiscales_tell_of_their_datasets() {
        let ome = json!({"multiscales": [{"axes": [{"name": "x", "unit": "micrometer"}, {"name": "y", "unit": "micrometer"}],
            "datasets": [{"path": "a/0", "coordinateTransformations": [{"type": "scale", "scale": [0.5, 2]}, {"type": "translation", "translation": [1, 0]}]}],
            "coordinateTransformations": [{"type": "scale", "scale": [10, 10]}]}]});
        let found = at(&json!({}), &[json!({}), ome], "a/0", 2);
        assert_eq!((found.dialect, found.pixel_size.as_slice()), ("OME-NGFF", [5.0, 20.0].as_slice()));
        assert_eq!(found.translation.unwrap(), [10.0, 0.0]);
        let cosem = json!({"multiscales": [{"datasets": [{"path": "s0", "transform": {"scale": [3, 2, 1]}}]}]});
        assert_eq!(at(&json!({}), &[cosem], "s0", 3).pixel_size, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn bdv_and_paintera_are_known() {
        let setup = json!({"downsamplingFactors": [[1, 1, 1], [2, 2, 1]], "dataType": "uint8"});
        let found = at(&json!({}), &[json!({"multiScale": true}), setup], "setup0/timepoint0/s1", 3);
        assert_eq!((found.dialect, found.pixel_size.as_slice()), ("bdv.n5", [2.0, 2.0, 1.0].as_slice()));
        let found = at(&json!({"maxId": 4, "resolution": [4, 4, 40], "offset": [1, 2, 3]}), &[], "data", 3);
        assert_eq!((found.dialect, found.translation.unwrap().as_slice()), ("Paintera", [1.0, 2.0, 3.0].as_slice()));
        assert_eq!(kind(&json!({"isLabelMultiset": true})).unwrap(), "Paintera label multisets (varlength blocks)");
    }

    #[test]
    fn odd_attributes_are_no_failure() {
        for attributes in
            [json!(null), json!([]), json!({"transform": 3}), json!({"pixelResolution": "a"}), json!({"resolution": [1, "b"]})]
        {
            assert_eq!(spatial(&attributes, &[json!({"multiscales": 3})], "s0", 2), None);
        }
        assert_eq!(spatial(&json!({"resolution": [1, 2, 3]}), &[], "s0", 2), None);
    }

    #[test]
    fn pyramids_are_found_by_factors_and_by_names() {
        let factors = [json!({"downsamplingFactors": [1, 1]}), json!({"downsamplingFactors": [2, 2]})];
        let children = [
            Child { name: "s1", shape: &[5, 10], attributes: &factors[1] },
            Child { name: "s0", shape: &[10, 20], attributes: &factors[0] },
        ];
        let found = pyramid(&json!({}), &[], &children).unwrap();
        assert_eq!((found.dialect, found.levels[1].path.as_str()), ("downsamplingFactors", "s1"));
        assert_eq!(found.levels[1].downsampling, Some(vec![2.0, 2.0]));

        let none = json!({});
        let children =
            [Child { name: "s0", shape: &[10, 20], attributes: &none }, Child { name: "s1", shape: &[3, 20], attributes: &none }];
        let found = pyramid(&json!({}), &[], &children).unwrap();
        assert_eq!((found.dialect, found.levels[1].downsampling.clone()), ("names", Some(vec![3.0, 1.0])));
        assert_eq!(pyramid(&json!({}), &[], &children[1..]), None);

        let group = json!({"multiscales": [{"datasets": [{"path": "s0"}, {"path": "s1"}]}]});
        assert_eq!(pyramid(&group, &[], &children).unwrap().dialect, "COSEM");
    }

    #[test]
    fn labels_are_known_by_attribute_or_name() {
        assert!(holds_labels(&json!({"maxId": 3}), &[], "a"));
        assert!(holds_labels(&json!({}), &[], "labels/s0"));
        assert!(holds_labels(&json!({}), &[], "volumes/segmentation"));
        assert!(!holds_labels(&json!({}), &[], "volumes/raw"));
    }
}
