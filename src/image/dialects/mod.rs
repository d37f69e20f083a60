//! The dialects in which programs write axes, pixel sizes and units; one file each.
//!
//! Each reads the same surroundings of an array and gives statements in the array's own order.

mod canonical;
mod cosem;
mod n5_viewer;
mod names;
mod ome;
mod resolution;

use serde_json::Value;

use super::axes::{Axes, Axis, Statement};
use super::merge::merge;
use super::values::{level_of, numbered, numbers, texts, unless_zero};

/// A convention for attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// OME-NGFF, versions 0.1 to 0.5.
    OmeNgff,
    /// COSEM and OpenOrganelle: `transform`.
    Cosem,
    /// n5-viewer and n5-ij: `pixelResolution`.
    N5Viewer,
    /// n5-universe's canonical metadata: `spatialTransform`.
    Canonical,
    /// BigDataViewer: `setup0/timepoint0/s0`.
    BigDataViewer,
    /// Paintera: `resolution` and `offset` beside members of its own.
    Paintera,
    /// Neuroglancer and tensorstore: `axes`, `units`, `resolution`.
    Neuroglancer,
    /// n5-universe's generic form: `resolution`, `offset` and one `unit`.
    Generic,
    /// Zarr's `dimension_names`, and xarray's `_ARRAY_DIMENSIONS`.
    DimensionNames,
    /// Nothing but names such as "s0" and "s1".
    Names,
}

impl Dialect {
    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OmeNgff => "OME-NGFF",
            Self::Cosem => "COSEM",
            Self::N5Viewer => "n5-viewer",
            Self::Canonical => "spatialTransform",
            Self::BigDataViewer => "BigDataViewer",
            Self::Paintera => "Paintera",
            Self::Neuroglancer => "neuroglancer",
            Self::Generic => "resolution",
            Self::DimensionNames => "dimension_names",
            Self::Names => "names",
        }
    }
}

/// How an array is stored, as far as the order of its axes depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// N5 blocks, by attributes.json or by zarr.json: the first axis varies fastest.
    N5,
    /// Zarr chunks: the last axis varies fastest. Programs in Java count its axes from the other end.
    Plain,
}

/// An array and its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Path of the array from the outermost known group on.
    pub path: &'a str,
    /// The number of axes.
    pub ndim: usize,
    /// How it is stored.
    pub layout: Layout,
    /// `dimension_names` of zarr.json; empty where there are none.
    pub dimension_names: &'a [Option<String>],
    /// Attributes of the array.
    pub attributes: &'a Value,
    /// Attributes of the groups around it, the nearest first.
    pub groups: &'a [&'a Value],
}

/// What is known of the axes of an array.
///
/// Of several sources OME-NGFF counts most, for it alone is a specification; then what stands on the
/// array itself, then what stands on groups, then mere names.
#[must_use]
pub fn axes_of(place: &Place<'_>) -> Axes {
    let mut statements = ome::statements(place);
    statements.extend(cosem::of_array(place));
    statements.extend(n5_viewer::statement(place));
    statements.extend(canonical::of_array(place));
    statements.extend(resolution::statement(place));
    statements.extend(cosem::of_groups(place));
    statements.extend(canonical::of_groups(place));
    statements.extend(names::statements(place));
    merge(place.ndim, statements, place.layout == Layout::N5)
}

impl<'a> Place<'a> {
    /// The path of the group `level` levels above the array.
    fn group_path(&self, level: usize) -> &'a str {
        let mut path = self.path;
        for _ in 0..=level {
            path = path.rsplit_once('/').map_or("", |(group, _)| group);
        }
        path
    }

    /// A member of the array's attributes, or of the nearest group's that has it, and where it stands.
    fn nearest(&self, name: &str) -> Option<(&'a Value, String)> {
        if let Some(value) = self.attributes.get(name) {
            return Some((value, of_array(name)));
        }
        let found = |(level, group): (usize, &&'a Value)| Some((group.get(name)?, self.of_group(name, level)));
        self.groups.iter().enumerate().find_map(found)
    }

    /// "`scales` of a/b".
    fn of_group(&self, member: &str, level: usize) -> String {
        match self.group_path(level) {
            "" => format!("`{member}` of the group"),
            path => format!("`{member}` of the group {path}"),
        }
    }

    /// As many finite numbers as the array has axes.
    fn numbers(&self, value: &Value) -> Option<Vec<f64>> {
        numbers(value, self.ndim)
    }

    /// As many texts as the array has axes.
    fn texts(&self, value: &Value) -> Option<Vec<String>> {
        texts(value, self.ndim)
    }

    /// Entries of a group's `multiscales` that name this array: the entry, its dataset, the level of the group.
    fn multiscales(&self) -> Vec<(&'a Value, &'a Value, usize)> {
        let mut found = Vec::new();
        for (level, group) in self.groups.iter().enumerate() {
            let base = self.group_path(level);
            let tail = self.path.strip_prefix(base).unwrap_or(self.path).trim_matches('/');
            for multiscale in super::values::multiscales(group) {
                let here = |dataset: &&Value| super::values::path_of(dataset) == Some(tail);
                found.extend(super::values::datasets(multiscale).filter(here).map(|dataset| (multiscale, dataset, level)));
            }
        }
        found
    }

    /// How much coarser this array is than the finest, in the order of Java's programs.
    fn factors(&self) -> Option<Vec<f64>> {
        if let Some(factors) = self.attributes.get("downsamplingFactors").and_then(|list| self.numbers(list)) {
            return Some(factors);
        }
        let level = level_of(self.path.rsplit('/').next()?)?;
        let lists = |group: &&'a Value| group.get("scales").or_else(|| group.get("downsamplingFactors"));
        let scales = self.groups.iter().take(2).find_map(lists)?;
        self.numbers(scales.as_array()?.get(level)?)
    }

    /// Pixel sizes of the finest level made those of this one, and how far the first centre moves:
    /// a voxel that is the mean of several has its centre between theirs.
    fn scaled(&self, base: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
        let Some(factors) = self.factors() else { return (base.to_vec(), None) };
        let pairs = || base.iter().zip(&factors);
        let shift = pairs().map(|(base, factor)| (factor - 1.0) / 2.0 * base).collect();
        (pairs().map(|(base, factor)| base * factor).collect(), unless_zero(Some(shift)))
    }

    /// Whether the path is that of BigDataViewer's levels: setup, time point, level.
    fn is_big_data_viewer(&self) -> bool {
        let mut parts = self.path.rsplit('/');
        let mut next = |prefix: &str| parts.next().and_then(|part| numbered(part, prefix)).is_some();
        next("s") && next("timepoint") && next("setup")
    }

    /// Names that a convention gives to up to three axes without writing them down.
    fn implied_names(&self) -> Option<Vec<String>> {
        let names = ["x", "y", "z"].get(..self.ndim).filter(|names| !names.is_empty())?;
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }
}

/// "`transform` of the array".
fn of_array(member: &str) -> String {
    format!("`{member}` of the array")
}

/// Lists that a source gives, in the order of Java's programs or in the array's own.
#[derive(Default)]
struct Lists {
    names: Option<Vec<String>>,
    names_are_implied: bool,
    units: Option<Vec<String>>,
    scale: Option<Vec<f64>>,
    translation: Option<Vec<f64>>,
    translation_is_implied: bool,
}

impl Lists {
    /// The statement that they make; `None` where they say nothing.
    fn statement(self, dialect: Dialect, place: String, ndim: usize) -> Option<Statement> {
        if self.names.is_none() && self.units.is_none() && self.scale.is_none() {
            return None;
        }
        let text = |list: &Option<Vec<String>>, axis: usize| {
            list.as_ref().and_then(|list| list.get(axis)).filter(|text| !text.is_empty()).cloned()
        };
        let number = |list: &Option<Vec<f64>>, axis: usize| list.as_ref().and_then(|list| list.get(axis)).copied();
        let axes = (0..ndim)
            .map(|axis| Axis {
                name: text(&self.names, axis),
                kind: None,
                unit: text(&self.units, axis),
                scale: number(&self.scale, axis),
                translation: number(&self.translation, axis),
            })
            .collect();
        Some(Statement {
            dialect,
            place,
            axes,
            names_are_implied: self.names_are_implied,
            translation_is_implied: self.translation_is_implied,
        })
    }

    /// The same with every list turned round.
    fn reversed(mut self) -> Self {
        for list in [&mut self.names, &mut self.units].into_iter().flatten() {
            list.reverse();
        }
        for list in [&mut self.scale, &mut self.translation].into_iter().flatten() {
            list.reverse();
        }
        self
    }

    /// Lists in the order of Java's programs, in the array's own.
    fn in_order_of(self, place: &Place<'_>) -> Self {
        if place.layout == Layout::Plain { self.reversed() } else { self }
    }
}

#[cfg(test)]
mod tests;
