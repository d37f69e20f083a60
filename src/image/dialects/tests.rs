//! Each dialect in its own words, alone and beside others; values from the dialects' descriptions.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::float_cmp, clippy::needless_pass_by_value)]

use serde_json::{Value, json};

use super::*;
use crate::image::{AxisKind, Plane, Property, numpy_order};
use crate::metadata::Language;

/// What is known of an array of N5 at `path`.
fn n5(path: &str, ndim: usize, attributes: Value, groups: &[Value]) -> Axes {
    at(Layout::N5, path, ndim, attributes, groups, &[])
}

/// What is known of an array of Zarr with plain chunks.
fn plain(path: &str, names: &[&str], attributes: Value, groups: &[Value]) -> Axes {
    at(Layout::Plain, path, names.len(), attributes, groups, names)
}

fn at(layout: Layout, path: &str, ndim: usize, attributes: Value, groups: &[Value], names: &[&str]) -> Axes {
    let dimension_names: Vec<Option<String>> = names.iter().map(|name| (!name.is_empty()).then(|| (*name).to_owned())).collect();
    let groups: Vec<&Value> = groups.iter().collect();
    axes_of(&Place { path, ndim, layout, dimension_names: &dimension_names, attributes: &attributes, groups: &groups })
}

fn names(axes: &Axes) -> Vec<&str> {
    axes.axes.iter().map(|axis| axis.name.as_deref().unwrap_or("-")).collect()
}

fn units(axes: &Axes) -> Vec<&str> {
    axes.axes.iter().map(|axis| axis.unit.as_deref().unwrap_or("-")).collect()
}

fn scale(axes: &Axes) -> Vec<f64> {
    axes.axes.iter().map(|axis| axis.scale.unwrap_or(f64::NAN)).collect()
}

fn translation(axes: &Axes) -> Vec<f64> {
    axes.axes.iter().map(|axis| axis.translation.unwrap_or(0.0)).collect()
}

fn dialect(axes: &Axes) -> Dialect {
    axes.main_source().unwrap().dialect
}

fn plane(axes: &Axes) -> (usize, usize) {
    let Plane { right, down } = axes.plane();
    (right.unwrap(), down.unwrap())
}

/// Axes t, c, z, y, x with two levels, as an OME-Zarr of version 0.5 has them.
fn ome() -> Value {
    let space = |name: &str| json!({"name": name, "type": "space", "unit": "micrometer"});
    let level = |level: i32| {
        let f = f64::from(1 << level);
        json!({"path": level.to_string(), "coordinateTransformations": [
            {"type": "scale", "scale": [1.0, 1.0, 0.5, 0.1 * f, 0.1 * f]},
            {"type": "translation", "translation": [0, 0, 0, 0.05 * f64::from(level), 0.05 * f64::from(level)]}]})
    };
    json!({"ome": {"version": "0.5", "multiscales": [{
        "axes": [{"name": "t", "type": "time", "unit": "second"}, {"name": "c", "type": "channel"},
            space("z"), space("y"), space("x")],
        "datasets": [level(0), level(1)],
        "coordinateTransformations": [{"type": "scale", "scale": [2.0, 1, 1, 1, 1]}]}]}})
}

#[test]
fn policy_49_ome_names_sizes_and_units_follow_the_array_s_own_order() {
    let axes = plain("1", &["t", "c", "z", "y", "x"], json!({}), &[ome()]);
    assert_eq!(dialect(&axes), Dialect::OmeNgff);
    assert_eq!(names(&axes), ["t", "c", "z", "y", "x"]);
    assert_eq!(units(&axes), ["second", "-", "micrometer", "micrometer", "micrometer"]);
    assert_eq!(scale(&axes), [2.0, 1.0, 0.5, 0.2, 0.2]);
    assert_eq!(translation(&axes), [0.0, 0.0, 0.0, 0.05, 0.05]);
    let kinds: Vec<_> = axes.axes.iter().map(|axis| axis.kind.unwrap()).collect();
    assert_eq!(kinds, [AxisKind::Time, AxisKind::Channel, AxisKind::Space, AxisKind::Space, AxisKind::Space]);
    assert_eq!((plane(&axes), axes.channels()), ((4, 3), Some(1)));
    assert!(axes.disagreements.is_empty(), "{:?}", axes.disagreements);
    // In N5 they follow `dimensions`.
    let image = json!({"multiscales": [{"axes": [{"name": "x", "unit": "micrometer"}, {"name": "y", "unit": "micrometer"}],
        "datasets": [{"path": "a/0", "coordinateTransformations": [
            {"type": "scale", "scale": [0.5, 2]}, {"type": "translation", "translation": [1, 0]}]}],
        "coordinateTransformations": [{"type": "scale", "scale": [10, 10]}]}]});
    let axes = n5("a/0", 2, json!({}), &[json!({}), image]);
    assert_eq!((names(&axes), scale(&axes)), (vec!["x", "y"], vec![5.0, 20.0]));
    assert_eq!(translation(&axes), [10.0, 0.0]);
}

#[test]
fn older_and_odd_forms_of_ome_are_read() {
    let of = |image: Value, ndim: usize| at(Layout::Plain, "0", ndim, json!({}), &[json!({"multiscales": [image]})], &[]);
    // Version 0.1 has one order and does not write it down.
    let axes = of(json!({"version": "0.1", "datasets": [{"path": "0"}]}), 5);
    assert_eq!((names(&axes), plane(&axes)), (vec!["t", "c", "z", "y", "x"], (4, 3)));
    // Version 0.3 has bare names.
    let axes = of(json!({"version": "0.3", "axes": ["c", "y", "x"], "datasets": [{"path": "0"}]}), 3);
    assert_eq!((names(&axes), axes.channels(), plane(&axes)), (vec!["c", "y", "x"], Some(0), (2, 1)));
    // A translation before a scale is scaled; identities do nothing.
    let steps = json!([{"type": "translation", "translation": [10, 10]}, {"type": "identity"}, {"type": "scale", "scale": [2, 3]}]);
    let axes = of(json!({"axes": ["y", "x"], "datasets": [{"path": "./0/", "coordinateTransformations": steps}]}), 2);
    assert_eq!((scale(&axes), translation(&axes)), (vec![2.0, 3.0], vec![20.0, 30.0]));
    // x before y before z, as some programs in Python write.
    let axes = of(json!({"axes": ["x", "y", "z"], "datasets": [{"path": "0"}]}), 3);
    assert_eq!(plane(&axes), (0, 1));
    // A list of the wrong length says nothing.
    let axes = of(json!({"axes": ["y", "x"], "datasets": [{"path": "0"}]}), 3);
    assert!(axes.statements.is_empty());
}

#[test]
fn policy_49_cosem_lists_are_turned_round_unless_they_say_otherwise() {
    let c = json!({"axes": ["z", "y", "x"], "scale": [7.5, 5, 2.5], "translate": [70, 50, 20], "units": ["nm", "um", "mm"]});
    let f = json!({"axes": ["x", "y", "z"], "scale": [2.5, 5, 7.5], "translate": [20, 50, 70], "units": ["mm", "um", "nm"]});
    let with = |transform: &Value, member: &str, order: &str| {
        let mut transform = transform.clone();
        transform[member] = json!(order);
        transform
    };
    let transforms = [
        c.clone(),
        with(&c, "order", "C"),
        with(&c, "ordering", "C"),
        with(&f, "order", "F"),
        with(&f, "ordering", "F"),
        with(&f, "order", "f"),
    ];
    for transform in transforms {
        for group in [false, true] {
            let level = json!({"path": "s0", "transform": transform});
            let multiscales = json!({"multiscales": [{"datasets": [level]}]});
            let axes = if group { n5("s0", 3, json!({}), &[multiscales]) } else { n5("s0", 3, json!({"transform": transform}), &[]) };
            assert_eq!(dialect(&axes), Dialect::Cosem, "{transform}");
            assert_eq!((names(&axes), units(&axes)), (vec!["x", "y", "z"], vec!["mm", "um", "nm"]), "{transform}");
            assert_eq!((scale(&axes), translation(&axes)), (vec![2.5, 5.0, 7.5], vec![20.0, 50.0, 70.0]));
            assert_eq!(plane(&axes), (0, 1));
            assert!(axes.disagreements.is_empty());
        }
    }
    // In a Zarr array the C order is the array's own.
    let axes = plain("s0", &["", "", ""], json!({"transform": c}), &[]);
    assert_eq!((names(&axes), scale(&axes)), (vec!["z", "y", "x"], vec![7.5, 5.0, 2.5]));
    let axes = plain("s0", &["", "", ""], json!({"transform": with(&f, "order", "F")}), &[]);
    assert_eq!((names(&axes), scale(&axes)), (vec!["z", "y", "x"], vec![7.5, 5.0, 2.5]));
    // Two members that contradict each other are both told.
    let mut both = with(&f, "order", "F");
    both["ordering"] = json!("C");
    let axes = n5("s0", 3, json!({"transform": both}), &[]);
    assert_eq!(scale(&axes), [2.5, 5.0, 7.5]);
    assert!(axes.disagreements.iter().any(|found| found.property == Property::Scale));
    assert!(axes.statements[1].place.contains("ordering"));
}

#[test]
fn n5_viewer_has_units_or_micrometres_and_factors_multiply() {
    let axes = n5("s0", 3, json!({"pixelResolution": {"unit": "mm", "dimensions": [1.5, 1.5, 3]}}), &[]);
    assert_eq!((dialect(&axes), scale(&axes)), (Dialect::N5Viewer, vec![1.5, 1.5, 3.0]));
    assert_eq!((units(&axes), names(&axes)), (vec!["mm"; 3], vec!["x", "y", "z"]));
    let axes = n5("s1", 3, json!({"pixelResolution": [1.5, 1.5, 1.5], "downsamplingFactors": [2, 2, 1]}), &[]);
    assert_eq!((scale(&axes), units(&axes)[0]), (vec![3.0, 3.0, 1.5], "um"));
    assert_eq!(translation(&axes), [0.75, 0.75, 0.0]);
    // The older form stands on the group.
    let group = json!({"scales": [[1, 1, 1], [2, 2, 1]], "pixelResolution": {"unit": "um", "dimensions": [0.15, 0.15, 0.6]}});
    let axes = n5("img/c0/s1", 3, json!({}), &[json!({}), group]);
    assert_eq!((scale(&axes), translation(&axes)), (vec![0.3, 0.3, 0.6], vec![0.075, 0.075, 0.0]));
    assert!(axes.main_source().unwrap().place.contains("`pixelResolution` of the group img"));
    // n5-ij writes the same into Zarr, whose shape is the other way round.
    let axes = plain("s0", &["", "", ""], json!({"pixelResolution": {"unit": "um", "dimensions": [1, 2, 3]}}), &[]);
    assert_eq!((scale(&axes), names(&axes), plane(&axes)), (vec![3.0, 2.0, 1.0], vec!["z", "y", "x"], (2, 1)));
    // Nobody knows what the axes of an array with five are called.
    let axes = n5("s0", 5, json!({"pixelResolution": [1, 1, 1, 1, 1]}), &[]);
    assert_eq!(names(&axes), ["-"; 5]);
}

#[test]
fn neuroglancer_inherits_from_the_groups_around() {
    let group = json!({"axes": ["x", "y"], "units": ["nm", "s"], "resolution": [10, 20]});
    let axes = n5("a/s1", 2, json!({"downsamplingFactors": [2, 2]}), &[json!({}), group.clone()]);
    assert_eq!((dialect(&axes), scale(&axes)), (Dialect::Neuroglancer, vec![20.0, 40.0]));
    assert_eq!(units(&axes), ["nm", "s"]);
    let mut old = group;
    old["scales"] = json!([[1, 1], [2, 2], [4, 4]]);
    assert_eq!(scale(&n5("s2", 2, json!({}), &[old])), [40.0, 80.0]);
    // Channels have a mark.
    let axes = n5("a", 3, json!({"axes": ["x", "y", "c^"], "units": ["nm", "nm", ""], "resolution": [4, 4, 1]}), &[]);
    assert_eq!((axes.channels(), units(&axes)), (Some(2), vec!["nm", "nm", "-"]));
    // Names without sizes are names.
    let axes = n5("a", 2, json!({"axes": ["y", "x"]}), &[]);
    assert_eq!((names(&axes), plane(&axes), axes.source(Property::Scale)), (vec!["y", "x"], (1, 0), None));
}

#[test]
fn big_data_viewer_is_known_by_its_paths() {
    let setup = json!({"downsamplingFactors": [[1, 1, 1], [2, 2, 1], [4, 4, 2]], "dataType": "uint16"});
    let time_point = json!({"multiScale": true, "resolution": [0.5, 0.5, 1.0]});
    let path = "setup0/timepoint0/s2";
    let own = json!({"downsamplingFactors": [4, 4, 2]});
    for attributes in [own, json!({})] {
        let axes = n5(path, 3, attributes, &[time_point.clone(), setup.clone()]);
        assert_eq!((dialect(&axes), dialect(&axes).name()), (Dialect::BigDataViewer, "BigDataViewer"));
        assert_eq!((scale(&axes), translation(&axes)), (vec![2.0, 2.0, 2.0], vec![0.75, 0.75, 0.5]));
        assert_eq!((names(&axes), units(&axes)), (vec!["x", "y", "z"], vec!["-"; 3]));
    }
    // Without a resolution voxels are counted.
    let axes = n5("a/setup12/timepoint3/s1", 3, json!({}), &[json!({}), setup.clone()]);
    assert_eq!((scale(&axes), units(&axes)), (vec![2.0, 2.0, 1.0], vec!["voxel"; 3]));
    assert_eq!(translation(&axes), [0.5, 0.5, 0.0]);
    // Another path is another program's.
    let axes = n5("setup0/tp0/s0", 3, json!({}), &[time_point, setup]);
    assert_eq!(dialect(&axes), Dialect::Neuroglancer);
}

#[test]
fn paintera_and_the_generic_form_have_offsets() {
    let axes = n5("data", 3, json!({"maxId": 4, "resolution": [4, 4, 40], "offset": [1, 2, 3]}), &[]);
    assert_eq!((dialect(&axes), translation(&axes)), (Dialect::Paintera, vec![1.0, 2.0, 3.0]));
    assert_eq!(names(&axes), ["x", "y", "z"]);
    let group = json!({"painteraData": {"type": "raw"}, "resolution": [4, 4, 40], "offset": [8, 0, 0]});
    let axes = n5("raw/data/s1", 3, json!({"downsamplingFactors": [2, 2, 1]}), &[json!({}), group]);
    assert_eq!((scale(&axes), translation(&axes)), (vec![8.0, 8.0, 40.0], vec![10.0, 2.0, 0.0]));
    let axes = n5("a", 2, json!({"resolution": [3, 4], "offset": [5, 6], "unit": "mm"}), &[]);
    assert_eq!((dialect(&axes), translation(&axes), units(&axes)), (Dialect::Generic, vec![5.0, 6.0], vec!["mm"; 2]));
}

#[test]
fn canonical_transformations_have_sizes_unless_they_rotate() {
    let with = |transform: Value| {
        let axes = ["x", "y", "z"].map(|label| json!({"type": "space", "label": label, "unit": "nm"}));
        n5("a", 3, json!({"spatialTransform": {"transform": transform, "unit": "um", "axes": axes}}), &[])
    };
    for (transform, sizes, shifts) in [
        (json!({"type": "affine", "affine": [2, 0, 0, 5, 0, 3, 0, 6, 0, 0, 4, 7]}), [2.0, 3.0, 4.0], [5.0, 6.0, 7.0]),
        (json!({"type": "scale", "scale": [2, 3, 4]}), [2.0, 3.0, 4.0], [0.0; 3]),
        (json!({"type": "translation", "translation": [1, 2, 3]}), [1.0; 3], [1.0, 2.0, 3.0]),
        (json!({"type": "scale_offset", "scale": [2, 3, 4], "offset": [1, 1, 1]}), [2.0, 3.0, 4.0], [1.0; 3]),
        (json!({"type": "identity"}), [1.0; 3], [0.0; 3]),
        (
            json!({"type": "sequence", "transformations": [
                {"type": "translation", "translation": [1, 1, 1]}, {"type": "scale", "scale": [2, 3, 4]}]}),
            [2.0, 3.0, 4.0],
            [2.0, 3.0, 4.0],
        ),
    ] {
        let axes = with(transform);
        assert_eq!((dialect(&axes), scale(&axes), translation(&axes)), (Dialect::Canonical, sizes.to_vec(), shifts.to_vec()));
        assert_eq!((names(&axes), units(&axes)), (vec!["x", "y", "z"], vec!["um"; 3]));
    }
    for transform in [
        json!({"type": "affine", "affine": [0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 4, 0]}),
        json!({"type": "affine", "affine": [2, 0, 0]}),
        json!({"type": "new"}),
        json!(3),
    ] {
        let axes = with(transform);
        assert_eq!((axes.source(Property::Scale), names(&axes)), (None, vec!["x", "y", "z"]));
    }
    let group = json!({"multiscales": {"path": "", "datasets": [{"path": "a", "spatialTransform":
        {"transform": {"type": "affine", "affine": [2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0]}, "unit": "um"}}]}});
    assert_eq!(scale(&n5("a", 3, json!({}), &[group])), [2.0, 3.0, 4.0]);
}

#[test]
fn policy_49_names_of_dimensions_fill_in_what_a_size_leaves_open() {
    let axes = plain("a", &["t", "", "x"], json!({}), &[]);
    assert_eq!((names(&axes), plane(&axes)), (vec!["t", "-", "x"], (2, 1)));
    let attributes = json!({"pixelResolution": {"unit": "um", "dimensions": [1, 2, 3]}});
    let axes = plain("a", &["depth", "row", "column"], attributes, &[]);
    assert_eq!((names(&axes), scale(&axes)), (vec!["depth", "row", "column"], vec![3.0, 2.0, 1.0]));
    assert!(axes.disagreements.is_empty());
    let axes = plain("a", &["", ""], json!({"_ARRAY_DIMENSIONS": ["y", "x"]}), &[]);
    assert_eq!(names(&axes), ["y", "x"]);
}

#[test]
fn policy_50_pictures_have_x_to_the_right_and_y_down() {
    for (axes, right, down) in [
        (&["t", "c", "z", "y", "x"][..], 4, 3),
        (&["x", "y", "z"], 0, 1),
        (&["y", "x", "c"], 1, 0),
        (&["z", "y"], 1, 0),
        (&["x", "z", "t"], 0, 1),
        (&["c", "X", "t", "Y"], 1, 3),
        (&["time", "x"], 1, 0),
        (&["a", "b", "c"], 1, 0),
    ] {
        assert_eq!(plane(&plain("a", axes, json!({}), &[])), (right, down), "{axes:?}");
    }
    // Where nothing is named, the axis that varies fastest goes right.
    assert_eq!(plane(&plain("a", &[""; 5], json!({}), &[])), (4, 3));
    assert_eq!(plane(&n5("a", 5, json!({}), &[])), (0, 1));
    assert_eq!(n5("a", 1, json!({}), &[]).plane(), Plane { right: Some(0), down: None });
    assert_eq!(n5("a", 0, json!({}), &[]).plane(), Plane { right: None, down: None });
}

#[test]
fn policy_50_numpy_counts_the_axes_of_zarr_as_zarr_does() {
    assert_eq!(numpy_order(Language::Zarr, &[1, 1, 2, 8, 12]), [1, 1, 2, 8, 12]);
    assert_eq!(numpy_order(Language::N5, &[8, 6, 4]), [4, 6, 8]);
}

#[test]
fn policy_49_sources_that_disagree_are_all_kept_and_the_first_one_counts() {
    // Two programs wrote into the same array.
    let attributes = json!({"pixelResolution": {"dimensions": [1.5, 1.5, 1.5], "unit": "mm"},
        "transform": {"scale": [13, 11, 7], "translate": [5, 3, 2], "units": ["mm", "mm", "mm"], "axes": ["z", "y", "x"]}});
    let axes = n5("c0/s0", 3, attributes, &[]);
    assert_eq!((dialect(&axes), scale(&axes)), (Dialect::Cosem, vec![7.0, 11.0, 13.0]));
    assert_eq!(axes.disagreements.len(), 1);
    let found = axes.disagreements[0];
    assert_eq!((found.property, axes.statements[found.other].dialect), (Property::Scale, Dialect::N5Viewer));
    // Names of OME-NGFF and of the array itself.
    let axes = plain("0", &["t", "c", "z", "x", "y"], json!({}), &[ome()]);
    assert_eq!((names(&axes)[4], axes.disagreements.len()), ("x", 1));
    assert_eq!(axes.disagreements[0].property, Property::Names);
    // The same in other words is no contradiction.
    for unit in ["nm", "µm", "mm", "micrometer"] {
        let size = match unit {
            "nm" => 4000.0,
            "mm" => 0.004,
            _ => 4.0,
        };
        let attributes = json!({"pixelResolution": {"dimensions": [4, 4, 4], "unit": "um"},
            "transform": {"scale": [size, size, size], "units": [unit, unit, unit], "axes": ["z", "y", "x"]}});
        assert!(n5("s0", 3, attributes, &[]).disagreements.is_empty(), "{unit}");
    }
    // A unit that measures something else is told, a position too.
    let attributes = json!({"spatialTransform": {"transform": {"type": "scale_offset", "scale": [1, 1], "offset": [3, 0]}, "unit": "nm"},
        "transform": {"scale": [1, 1], "translate": [0, 5], "units": ["nm", "nm"], "axes": ["y", "x"]}});
    let axes = n5("s0", 2, attributes, &[]);
    assert_eq!(axes.disagreements.iter().map(|found| found.property).collect::<Vec<_>>(), [Property::Translation]);
    let attributes = json!({"pixelResolution": {"dimensions": [1, 1], "unit": "s"},
        "transform": {"scale": [1, 1], "units": ["nm", "nm"], "axes": ["y", "x"]}});
    let axes = n5("s0", 2, attributes, &[]);
    assert_eq!(axes.disagreements.iter().map(|found| found.property).collect::<Vec<_>>(), [Property::Units]);
}

#[test]
fn odd_attributes_are_no_failure() {
    for attributes in [
        json!(null),
        json!([]),
        json!({"transform": 3}),
        json!({"transform": {"order": 7, "scale": [1, 2, 3]}}),
        json!({"pixelResolution": "a"}),
        json!({"pixelResolution": {"unit": 3}}),
        json!({"resolution": [1, "b"]}),
        json!({"axes": [1, 2]}),
        json!({"spatialTransform": {"axes": 3, "transform": {"type": "sequence", "transformations": [3]}}}),
    ] {
        for group in [json!({"multiscales": 3}), json!({"multiscales": [3, {"datasets": [3]}]}), json!({"ome": []})] {
            let axes = n5("s0", 2, attributes.clone(), &[group]);
            assert_eq!((axes.source(Property::Scale), axes.axes.len()), (None, 2), "{attributes}");
        }
    }
    assert_eq!(n5("s0", 2, json!({"resolution": [1, 2, 3]}), &[]).statements, []);
}
