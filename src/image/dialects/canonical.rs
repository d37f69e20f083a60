//! n5-universe's canonical metadata: `spatialTransform`, a transformation with its unit and axes.
//!
//! Lists and matrices are in N5's order of axes. A matrix that rotates or shears has no pixel size.

use serde_json::Value;

use super::{Dialect, Lists, Place, of_array as named_array};
use crate::image::axes::Statement;
use crate::image::values::{floats, unless_zero};

pub(super) fn of_array(place: &Place<'_>) -> Option<Statement> {
    statement(place, place.attributes.get("spatialTransform")?, named_array("spatialTransform"))
}

pub(super) fn of_groups(place: &Place<'_>) -> Vec<Statement> {
    let found = place.multiscales().into_iter();
    let told = |(_, dataset, level): (&Value, &Value, usize)| {
        statement(place, dataset.get("spatialTransform")?, place.of_group("multiscales", level))
    };
    found.filter_map(told).collect()
}

fn statement(place: &Place<'_>, spatial: &Value, named: String) -> Option<Statement> {
    let axes = spatial.get("axes").and_then(Value::as_array).filter(|axes| axes.len() == place.ndim);
    let of_axes = |member: &str| -> Option<Vec<String>> {
        let text = |axis: &Value| axis.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(axes?.iter().map(text).collect())
    };
    let unit = spatial.get("unit").and_then(Value::as_str);
    // The unit of the whole is that of the transformation; those of axes stand in where it is missing.
    let units = unit.map(|unit| vec![unit.to_owned(); place.ndim]).or_else(|| of_axes("unit"));
    let mut affine = Diagonal { scale: vec![1.0; place.ndim], translation: vec![0.0; place.ndim] };
    let is_known = spatial.get("transform").is_some_and(|transform| affine.apply(transform).is_some());
    let lists = Lists {
        names: of_axes("label"),
        units,
        translation: if is_known { unless_zero(Some(affine.translation)) } else { None },
        scale: is_known.then_some(affine.scale),
        ..Lists::default()
    };
    lists.in_order_of(place).statement(Dialect::Canonical, named, place.ndim)
}

/// A transformation that keeps the directions of the axes.
struct Diagonal {
    scale: Vec<f64>,
    translation: Vec<f64>,
}

impl Diagonal {
    /// Applies a transformation after this one; `None` where it is none that can be told.
    fn apply(&mut self, transform: &Value) -> Option<()> {
        let ndim = self.scale.len();
        let list = |member: &str| floats(transform.get(member)?).filter(|list| list.len() == ndim);
        match transform.get("type").and_then(Value::as_str)? {
            "identity" => Some(()),
            "scale" => {
                self.multiply(&list("scale")?);
                Some(())
            }
            "translation" => {
                self.add(&list("translation")?);
                Some(())
            }
            "scale_offset" => {
                self.multiply(&list("scale")?);
                self.add(&list("offset")?);
                Some(())
            }
            "affine" => self.multiply_matrix(&floats(transform.get("affine")?)?),
            // One level of nesting and no more: a stranger may nest them without end.
            "sequence" => transform
                .get("transformations")?
                .as_array()?
                .iter()
                .filter(|inner| inner.get("type").and_then(Value::as_str) != Some("sequence"))
                .try_for_each(|inner| self.apply(inner)),
            _ => None,
        }
    }

    fn multiply(&mut self, factors: &[f64]) {
        for ((scale, shift), factor) in self.scale.iter_mut().zip(&mut self.translation).zip(factors) {
            *scale *= factor;
            *shift *= factor;
        }
    }

    fn add(&mut self, shifts: &[f64]) {
        for (shift, more) in self.translation.iter_mut().zip(shifts) {
            *shift += more;
        }
    }

    /// Rows of as many factors as there are axes, each with a translation behind.
    fn multiply_matrix(&mut self, matrix: &[f64]) -> Option<()> {
        let ndim = self.scale.len();
        let rows: Vec<&[f64]> = matrix.chunks(ndim.saturating_add(1)).collect();
        if rows.len() != ndim || rows.iter().any(|row| row.len() != ndim.saturating_add(1)) {
            return None;
        }
        let is_diagonal =
            |(row, values): (usize, &&[f64])| values.iter().take(ndim).enumerate().all(|(column, &value)| column == row || value == 0.0);
        if !rows.iter().enumerate().all(is_diagonal) {
            return None;
        }
        let factors: Vec<f64> = rows.iter().enumerate().filter_map(|(row, values)| values.get(row).copied()).collect();
        let shifts: Vec<f64> = rows.iter().filter_map(|values| values.last().copied()).collect();
        self.multiply(&factors);
        self.add(&shifts);
        Some(())
    }
}
