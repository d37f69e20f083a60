//! From what each source says to what is known, and where two of them contradict each other.
//!
//! Each property is taken whole from the first source that tells it: a mixture of two lists would be
//! an answer that nobody gave.

use super::axes::{Axes, Axis, AxisKind, Disagreement, Property, Statement};
use super::units;

/// Lengths that differ by less count as equal: programs write them with seven digits and fewer.
const TOLERANCE: f64 = 1e-5;

/// What `statements` tell together of an array with `ndim` axes; the first one counts most.
pub(super) fn merge(ndim: usize, statements: Vec<Statement>, first_is_fastest: bool) -> Axes {
    let first = |property: Property| statements.iter().position(|statement| statement.tells(property));
    let written = |statement: &Statement| statement.tells(Property::Names) && !statement.names_are_implied;
    let names = statements.iter().position(written).or_else(|| first(Property::Names));
    let scale = first(Property::Scale);
    // Units and positions belong to the scale beside which they stand.
    let of_scale = |property: Property| match scale {
        Some(index) => statements.get(index).filter(|statement| statement.tells(property)).map(|_| index),
        None => first(property),
    };
    let (unit, translation) = (of_scale(Property::Units), of_scale(Property::Translation));
    let axis_of = |source: Option<usize>, axis: usize| -> Option<&Axis> { statements.get(source?)?.axes.get(axis) };
    let axes = (0..ndim)
        .map(|axis| {
            let from_names = axis_of(names, axis);
            let name = from_names.and_then(|axis| axis.name.clone());
            let by_name = || name.as_deref().and_then(AxisKind::of_name);
            Axis {
                kind: from_names.and_then(|axis| axis.kind).or_else(by_name),
                unit: axis_of(unit, axis).and_then(|axis| axis.unit.clone()),
                scale: axis_of(scale, axis).and_then(|axis| axis.scale),
                translation: axis_of(translation, axis).and_then(|axis| axis.translation),
                name,
            }
        })
        .collect();
    let mut disagreements = Vec::new();
    for (property, source) in [(Property::Names, names), (Property::Scale, scale), (Property::Units, unit)] {
        let Some(counts) = source else { continue };
        for (other, statement) in statements.iter().enumerate() {
            let chosen = statements.get(counts).filter(|_| other != counts);
            if chosen.is_some_and(|chosen| contradict(property, chosen, statement)) {
                disagreements.push(Disagreement { property, counts, other });
            }
        }
    }
    // Where the sizes differ, so do positions, which is no news.
    if let Some(counts) = scale {
        for (other, statement) in statements.iter().enumerate() {
            let told = disagreements.iter().any(|disagreement| disagreement.other == other);
            let chosen = statements.get(counts).filter(|_| other != counts && !told);
            if chosen.is_some_and(|chosen| contradict(Property::Translation, chosen, statement)) {
                disagreements.push(Disagreement { property: Property::Translation, counts, other });
            }
        }
    }
    Axes { axes, statements, disagreements, sources: [names, unit, scale, translation], first_is_fastest }
}

/// Whether both tell `property`, and tell it differently for any axis.
fn contradict(property: Property, a: &Statement, b: &Statement) -> bool {
    let implied = match property {
        Property::Names => a.names_are_implied || b.names_are_implied,
        Property::Translation => a.translation_is_implied || b.translation_is_implied,
        _ => false,
    };
    if implied || !a.tells(property) || !b.tells(property) {
        return false;
    }
    a.axes.iter().zip(&b.axes).any(|(a, b)| match property {
        Property::Names => match (&a.name, &b.name) {
            (Some(a), Some(b)) => !a.eq_ignore_ascii_case(b),
            _ => false,
        },
        Property::Units => match (&a.unit, &b.unit) {
            (Some(a), Some(b)) => units::differ(a, b),
            _ => false,
        },
        Property::Scale => differ((a.scale, a), (b.scale, b), 0.0),
        Property::Translation => {
            // Positions are told apart where they differ by more than a little of a voxel.
            let slack = a.scale.unwrap_or(1.0).abs() * 1e-3;
            differ((a.translation, a), (b.translation, b), slack)
        }
    })
}

/// Whether two lengths are known, comparable, and different.
fn differ((a, a_axis): (Option<f64>, &Axis), (b, b_axis): (Option<f64>, &Axis), slack: f64) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    let Some(ratio) = units::ratio(b_axis.unit.as_deref(), a_axis.unit.as_deref()) else { return false };
    let b = b * ratio;
    (a - b).abs() > slack.max(a.abs().max(b.abs()) * TOLERANCE)
}
