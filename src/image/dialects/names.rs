//! Sources of names alone: Zarr's `dimension_names`, xarray's `_ARRAY_DIMENSIONS`, and `axes`.
//!
//! All of them are in the array's own order.

use super::{Dialect, Lists, Place, of_array, resolution};
use crate::image::axes::Statement;

pub(super) fn statements(place: &Place<'_>) -> Vec<Statement> {
    let mut found = Vec::new();
    let names = place.dimension_names;
    if names.len() == place.ndim && names.iter().flatten().any(|name| !name.is_empty()) {
        let names = names.iter().map(|name| name.clone().unwrap_or_default()).collect();
        found.extend(statement(place, names, "dimension_names"));
    }
    let xarray = place.attributes.get("_ARRAY_DIMENSIONS").and_then(|list| place.texts(list));
    found.extend(xarray.and_then(|names| statement(place, names, "_ARRAY_DIMENSIONS")));
    found.extend(resolution::names_alone(place));
    found
}

fn statement(place: &Place<'_>, names: Vec<String>, member: &str) -> Option<Statement> {
    let lists = Lists { names: Some(names), ..Lists::default() };
    lists.statement(Dialect::DimensionNames, of_array(member), place.ndim)
}
