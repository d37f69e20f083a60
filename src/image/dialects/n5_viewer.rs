//! n5-viewer and n5-ij: `pixelResolution`, an object with its unit or a bare list in micrometres.
//!
//! `downsamplingFactors` of the level, or `scales` of a group around, multiply it.

use serde_json::Value;

use super::{Dialect, Lists, Place};
use crate::image::axes::Statement;

/// The unit of a list that has none beside it.
const BARE_UNIT: &str = "um";

pub(super) fn statement(place: &Place<'_>) -> Option<Statement> {
    let (value, named) = place.nearest("pixelResolution")?;
    let (list, unit) = match value {
        Value::Object(object) => (object.get("dimensions")?, object.get("unit").and_then(Value::as_str)),
        list => (list, Some(BARE_UNIT)),
    };
    let base = place.numbers(list)?;
    let (scale, translation) = place.scaled(&base);
    let written = place.nearest("axes").and_then(|(axes, _)| place.texts(axes));
    let lists = Lists {
        names_are_implied: written.is_none(),
        names: written.or_else(|| place.implied_names()),
        units: unit.map(|unit| vec![unit.to_owned(); place.ndim]),
        scale: Some(scale),
        translation,
        translation_is_implied: true,
    };
    lists.in_order_of(place).statement(Dialect::N5Viewer, named, place.ndim)
}
