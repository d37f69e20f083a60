//! COSEM and OpenOrganelle: `transform` with axes, scale, translate and units.
//!
//! Its lists are in C order, the reverse of N5's `dimensions`, unless its `order` is "F". Some
//! programs call that member `ordering`.

use serde_json::Value;

use super::{Dialect, Lists, Place, of_array as named_array};
use crate::image::axes::Statement;
use crate::image::values::unless_zero;

pub(super) fn of_array(place: &Place<'_>) -> Vec<Statement> {
    place.attributes.get("transform").map_or_else(Vec::new, |transform| statements(place, transform, &named_array("transform")))
}

pub(super) fn of_groups(place: &Place<'_>) -> Vec<Statement> {
    let mut found = Vec::new();
    for (_, dataset, level) in place.multiscales() {
        if let Some(transform) = dataset.get("transform") {
            found.extend(statements(place, transform, &place.of_group("multiscales", level)));
        }
    }
    found
}

/// What a transform says; one that contradicts itself about its order says two things.
fn statements(place: &Place<'_>, transform: &Value, named: &str) -> Vec<Statement> {
    let is_f = |member: &str| transform.get(member).and_then(Value::as_str).map(|order| order.eq_ignore_ascii_case("F"));
    let mut found = Vec::new();
    match (is_f("order"), is_f("ordering")) {
        (Some(order), Some(ordering)) if order != ordering => {
            found.extend(statement(place, transform, order, format!("{named}, by its `order`")));
            found.extend(statement(place, transform, ordering, format!("{named}, by its `ordering`")));
        }
        (order, ordering) => {
            let is_f = order.or(ordering).unwrap_or(false);
            found.extend(statement(place, transform, is_f, named.to_owned()));
        }
    }
    found
}

fn statement(place: &Place<'_>, transform: &Value, is_f: bool, named: String) -> Option<Statement> {
    let numbers = |member: &str| transform.get(member).and_then(|list| place.numbers(list));
    let texts = |member: &str| transform.get(member).and_then(|list| place.texts(list));
    let lists = Lists {
        names: texts("axes"),
        units: texts("units"),
        scale: numbers("scale"),
        translation: unless_zero(numbers("translate")),
        ..Lists::default()
    };
    let lists = if is_f { lists } else { lists.reversed() };
    lists.in_order_of(place).statement(Dialect::Cosem, named, place.ndim)
}
