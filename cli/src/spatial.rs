//! What the engine knows of an array's axes, as text for people and as JSON for programs.
//!
//! Everything is in the array's own order; where two sources disagree, both are told.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use zn5::dataset::Dataset;
use zn5::image::{Axes, Axis, Disagreement, Layout, Place, Property, Statement, axes_of};
use zn5::model::Chain;

use crate::output::number_text;

/// What is known of the axes of `dataset`. `path` names it from the outermost known group on;
/// `groups` are the attributes of the groups around it, the nearest first.
pub(crate) fn axes(dataset: &Dataset, path: &str, attributes: &Value, groups: &[&Value]) -> Axes {
    let layout = match dataset.codec().settings().chain {
        Chain::N5 { .. } => Layout::N5,
        Chain::Plain { .. } => Layout::Plain,
    };
    let dimension_names = dataset.dimension_names();
    let ndim = dataset.shape().len();
    axes_of(&Place { path, ndim, layout, dimension_names: &dimension_names, attributes, groups })
}

/// What messages call an axis: its name, or "axis 2".
pub(crate) fn axis_name(axes: &Axes, index: usize) -> String {
    axes.axes.get(index).and_then(|axis| axis.name.clone()).unwrap_or_else(|| format!("axis {index}"))
}

/// The axis that the user means by a name or a number.
pub(crate) fn find_axis(axes: &Axes, text: &str) -> Option<usize> {
    axes.find(text).or_else(|| text.parse().ok().filter(|&axis: &usize| axis < axes.axes.len()))
}

/// The axes of an array in JSON. Lists have one entry an axis, `null` where nothing is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Spatial {
    /// The convention that tells most.
    dialect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    axes: Option<Vec<Option<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kinds: Option<Vec<Option<&'static str>>>,
    /// Distance of neighbouring voxels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pixel_size: Option<Vec<Option<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Vec<Option<String>>>,
    /// Where the centre of the first voxel lies, if not at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) translation: Option<Vec<f64>>,
    /// Every source, the one that counts most first.
    sources: Vec<Source>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disagreements: Vec<Contradiction>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Source {
    dialect: &'static str,
    place: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Contradiction {
    property: &'static str,
    /// What counts, and what another source says.
    counts: Claim,
    other: Claim,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Claim {
    dialect: &'static str,
    place: String,
    value: String,
}

impl Claim {
    fn of(property: Property, statement: &Statement) -> Self {
        Self { dialect: statement.dialect.name(), place: statement.place.clone(), value: said(property, statement) }
    }
}

impl Spatial {
    /// `None` where no source says anything.
    pub(crate) fn of(axes: &Axes) -> Option<Self> {
        let main = axes.main_source()?;
        let list = &axes.axes;
        let some = |property: Property| axes.source(property).is_some();
        Some(Self {
            dialect: main.dialect.name(),
            axes: some(Property::Names).then(|| list.iter().map(|axis| axis.name.clone()).collect()),
            kinds: axes.are_named().then(|| list.iter().map(|axis| axis.kind.map(zn5::image::AxisKind::name)).collect()),
            pixel_size: some(Property::Scale).then(|| list.iter().map(|axis| axis.scale).collect()),
            units: some(Property::Units).then(|| list.iter().map(|axis| axis.unit.clone()).collect()),
            translation: some(Property::Translation).then(|| list.iter().map(|axis| axis.translation.unwrap_or(0.0)).collect()),
            sources: axes.statements.iter().map(|said| Source { dialect: said.dialect.name(), place: said.place.clone() }).collect(),
            disagreements: axes
                .disagreements
                .iter()
                .filter_map(|found| {
                    let (counts, other) = pair(axes, *found)?;
                    Some(Contradiction {
                        property: found.property.name(),
                        counts: Claim::of(found.property, counts),
                        other: Claim::of(found.property, other),
                    })
                })
                .collect(),
        })
    }
}

fn pair(axes: &Axes, found: Disagreement) -> Option<(&Statement, &Statement)> {
    Some((axes.statements.get(found.counts)?, axes.statements.get(found.other)?))
}

/// What a statement says of a property.
fn said(property: Property, statement: &Statement) -> String {
    let axes = &statement.axes;
    match property {
        Property::Names => named(axes),
        Property::Units => axes.iter().map(|axis| axis.unit.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(", "),
        Property::Scale => sizes(axes),
        Property::Translation => position(axes),
    }
}

/// "x, y, z", with "-" for an axis without a name.
fn named(axes: &[Axis]) -> String {
    axes.iter().map(|axis| axis.name.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(", ")
}

/// "2.5 × 5 × 7.5 nm", or "t 2 second, c 1, z 0.5 micrometer" where units differ.
fn sizes(axes: &[Axis]) -> String {
    let size = |axis: &Axis| axis.scale.map_or_else(|| "?".to_owned(), number_text);
    let first = axes.first().and_then(|axis| axis.unit.as_deref());
    if axes.iter().all(|axis| axis.unit.as_deref() == first) {
        let sizes: Vec<String> = axes.iter().map(size).collect();
        return format!("{}{}", sizes.join(" × "), first.map(|unit| format!(" {unit}")).unwrap_or_default());
    }
    let each = axes.iter().enumerate().map(|(index, axis)| {
        let name = axis.name.clone().unwrap_or_else(|| format!("axis {index}"));
        let unit = axis.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
        format!("{name} {}{unit}", size(axis))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// "(20, 50, 70)".
fn position(axes: &[Axis]) -> String {
    let at = |axis: &Axis| number_text(axis.translation.unwrap_or(0.0));
    format!("({})", axes.iter().map(at).collect::<Vec<_>>().join(", "))
}

/// What `zn5 info` says of the axes: a line, and one more for each contradiction. `is_shifted` where
/// they stand for several arrays whose first voxels lie at different places.
pub(crate) fn lines(axes: &Axes, is_shifted: bool) -> Vec<String> {
    let Some(main) = axes.main_source() else { return Vec::new() };
    let list = &axes.axes;
    let has_names = list.iter().any(|axis| axis.name.is_some());
    let mut line = if axes.source(Property::Scale).is_some() {
        let mut line = format!("pixel size {}", sizes(list));
        // Sizes with units of their own have the names beside them.
        let units_differ = list.windows(2).any(|pair| matches!(pair, [a, b] if a.unit != b.unit));
        if has_names && !units_differ {
            let _ = write!(line, " ({})", named(list));
        }
        if is_shifted {
            line.push_str(", each at its own place");
        } else if axes.source(Property::Translation).is_some() {
            let _ = write!(line, ", first voxel at {}", position(list));
        }
        line
    } else {
        format!("axes {}", named(list))
    };
    let _ = write!(line, "  ({}", main.dialect.name());
    if let Some(names) = axes.source(Property::Names).filter(|names| names.dialect != main.dialect) {
        let _ = write!(line, ", names from {}", names.dialect.name());
    }
    line.push(')');
    let mut lines = vec![line];
    for found in &axes.disagreements {
        if let Some((_, other)) = pair(axes, *found) {
            let (what, value) = (found.property.name(), said(found.property, other));
            lines.push(format!("but another {what}: {value} ({}, {})", other.dialect.name(), other.place));
        }
    }
    lines
}
