//! OME-NGFF: `multiscales`, from 0.1 to 0.5; its axes follow the array's own, in N5 as in Zarr.
//!
//! Transformations are applied one after another, those of the dataset before those of the image.

use serde_json::Value;

use super::{Dialect, Lists, Place};
use crate::image::axes::{AxisKind, Statement};
use crate::image::values::unless_zero;

/// Before version 0.3 the axes were not written down, for there was one order.
const OLD_AXES: [&str; 5] = ["t", "c", "z", "y", "x"];

pub(super) fn statements(place: &Place<'_>) -> Vec<Statement> {
    let found = place.multiscales();
    found.into_iter().filter_map(|(image, dataset, level)| statement(place, image, dataset, level)).collect()
}

fn statement(place: &Place<'_>, image: &Value, dataset: &Value, level: usize) -> Option<Statement> {
    // COSEM's and canonical metadata have `multiscales` too.
    let transformations = dataset.get("coordinateTransformations");
    let axes = axes_of(place, image);
    let is_old = axes.is_none() && is_old(place, image);
    if transformations.is_none() && axes.is_none() && !is_old {
        return None;
    }
    let (scale, translation) = applied(place, [transformations, image.get("coordinateTransformations")]);
    let mut lists = Lists { scale, translation: unless_zero(translation), ..Lists::default() };
    let mut kinds = Vec::new();
    if let Some(axes) = axes {
        lists.names = Some(axes.iter().map(|axis| axis.name.clone()).collect());
        lists.units = Some(axes.iter().map(|axis| axis.unit.clone()).collect());
        kinds = axes.iter().map(|axis| axis.kind).collect();
    } else if is_old {
        lists.names = Some(OLD_AXES.iter().map(|&name| name.to_owned()).collect());
    }
    let mut statement = lists.statement(Dialect::OmeNgff, place.of_group("multiscales", level), place.ndim)?;
    for (axis, kind) in statement.axes.iter_mut().zip(kinds) {
        axis.kind = kind;
    }
    Some(statement)
}

/// An entry of `axes`.
struct OmeAxis {
    name: String,
    unit: String,
    kind: Option<AxisKind>,
}

/// The `axes`: objects, or bare names as in version 0.3. COSEM's groups have bare names as well, and
/// beside them no version.
fn axes_of(place: &Place<'_>, image: &Value) -> Option<Vec<OmeAxis>> {
    let list = image.get("axes")?.as_array()?;
    let axes: Option<Vec<OmeAxis>> = list
        .iter()
        .map(|axis| {
            let text = |member: &str| axis.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
            match axis {
                Value::String(name) => Some(OmeAxis { name: name.clone(), unit: String::new(), kind: None }),
                Value::Object(_) => {
                    let kind = axis.get("type").and_then(Value::as_str).map(AxisKind::of_type);
                    Some(OmeAxis { name: text("name"), unit: text("unit"), kind })
                }
                _ => None,
            }
        })
        .collect();
    axes.filter(|axes| axes.len() == place.ndim && axes.iter().any(|axis| !axis.name.is_empty()))
}

fn is_old(place: &Place<'_>, image: &Value) -> bool {
    let version = image.get("version").and_then(Value::as_str);
    place.ndim == OLD_AXES.len() && matches!(version, Some("0.1" | "0.2"))
}

/// Scale and translation of all transformations together; `None` where no transformation scales.
fn applied(place: &Place<'_>, lists: [Option<&Value>; 2]) -> (Option<Vec<f64>>, Option<Vec<f64>>) {
    let mut scale = vec![1.0; place.ndim];
    let mut translation = vec![0.0; place.ndim];
    let mut is_scaled = false;
    for transformation in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let list = |member: &str| transformation.get(member).and_then(|list| place.numbers(list));
        if let Some(factors) = list("scale") {
            is_scaled = true;
            for ((size, shift), factor) in scale.iter_mut().zip(&mut translation).zip(factors) {
                *size *= factor;
                *shift *= factor;
            }
        }
        if let Some(shifts) = list("translation") {
            for (shift, more) in translation.iter_mut().zip(shifts) {
                *shift += more;
            }
        }
    }
    (is_scaled.then_some(scale), Some(translation))
}
