//! `resolution` and what stands beside it: neuroglancer, Paintera, BigDataViewer, n5-universe's generic form.
//!
//! The four share the member, so what else is there tells whose it is.

use serde_json::Value;

use super::{Dialect, Lists, Place};
use crate::image::axes::Statement;
use crate::image::values::unless_zero;

pub(super) fn statement(place: &Place<'_>) -> Option<Statement> {
    if place.is_big_data_viewer() {
        return big_data_viewer(place);
    }
    let (value, named) = place.nearest("resolution")?;
    let base = place.numbers(value)?;
    let axes = place.nearest("axes").and_then(|(axes, _)| place.texts(axes));
    let units = place.nearest("units").and_then(|(units, _)| place.texts(units));
    let unit = place.nearest("unit").and_then(|(unit, _)| unit.as_str());
    let is_there = |name: &&str| place.nearest(name).is_some();
    let dialect = if ["painteraData", "maxId", "isLabelMultiset"].iter().any(is_there) {
        Dialect::Paintera
    } else if axes.is_some() || units.is_some() || unit.is_none() {
        Dialect::Neuroglancer
    } else {
        Dialect::Generic
    };
    let (scale, shift) = place.scaled(&base);
    let offset = place.nearest("offset").and_then(|(list, _)| place.numbers(list));
    let offset = offset.filter(|_| dialect != Dialect::Neuroglancer);
    let lists = Lists {
        translation_is_implied: offset.is_none(),
        names_are_implied: axes.is_none(),
        // Of the four only Paintera says that its axes are x, y and z.
        names: axes.or_else(|| place.implied_names().filter(|_| dialect == Dialect::Paintera)),
        units: units.or_else(|| unit.map(|unit| vec![unit.to_owned(); place.ndim])),
        scale: Some(scale),
        translation: unless_zero(sum(offset, shift)),
    };
    // Who writes `axes` into a Zarr array writes them in that array's order, for no program in Java does.
    let lists = if lists.names_are_implied { lists.in_order_of(place) } else { lists };
    lists.statement(dialect, named, place.ndim)
}

/// `setup0/timepoint0/s1`: the resolution is on the time point, without a unit; the factors are on the
/// level or, as a list, on the setup.
fn big_data_viewer(place: &Place<'_>) -> Option<Statement> {
    let resolution = place.nearest("resolution").and_then(|(list, named)| Some((place.numbers(list)?, named)));
    let lists = |base: &[f64], units: Option<Vec<String>>| {
        let (scale, translation) = place.scaled(base);
        Lists {
            names: place.implied_names(),
            names_are_implied: true,
            units,
            scale: Some(scale),
            translation,
            translation_is_implied: true,
        }
    };
    let (lists, named) = if let Some((base, named)) = resolution {
        (lists(&base, None), named)
    } else {
        // The sizes of voxels stand in BigDataViewer's XML file, so voxels are counted.
        place.factors()?;
        let voxels = vec!["voxel".to_owned(); place.ndim];
        (lists(&vec![1.0; place.ndim], Some(voxels)), place.of_group("downsamplingFactors", 1))
    };
    lists.in_order_of(place).statement(Dialect::BigDataViewer, named, place.ndim)
}

/// The sum of two lists of which either may be missing.
fn sum(a: Option<Vec<f64>>, b: Option<Vec<f64>>) -> Option<Vec<f64>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.iter().zip(b).map(|(a, b)| a + b).collect()),
        (a, b) => a.or(b),
    }
}

/// `axes` and `units` without a resolution: names and units alone.
pub(super) fn names_alone(place: &Place<'_>) -> Option<Statement> {
    let (axes, named) = place.nearest("axes")?;
    let units = place.nearest("units").and_then(|(units, _): (&Value, String)| place.texts(units));
    let lists = Lists { names: Some(place.texts(axes)?), units, ..Lists::default() };
    lists.statement(Dialect::Neuroglancer, named, place.ndim)
}
