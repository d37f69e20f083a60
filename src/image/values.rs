//! Lists out of attributes that anybody may have written: a list of the wrong length or type is none.
//!
//! No attribute can be a failure here; what is not understood is left out.

use serde_json::Value;

/// `ndim` finite numbers.
pub(super) fn numbers(value: &Value, ndim: usize) -> Option<Vec<f64>> {
    floats(value).filter(|list| list.len() == ndim)
}

/// Finite numbers, however many.
pub(super) fn floats(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(|number| number.as_f64().filter(|number| number.is_finite())).collect()
}

/// `ndim` texts.
pub(super) fn texts(value: &Value, ndim: usize) -> Option<Vec<String>> {
    let list: Option<Vec<String>> = value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect();
    list.filter(|list| list.len() == ndim)
}

/// `multiscales`, also of OME-NGFF 0.5, where it stands in `ome`. COSEM and canonical metadata may
/// have one object in place of the list.
pub(super) fn multiscales(group: &Value) -> Vec<&Value> {
    let places = [group.get("ome").and_then(|ome| ome.get("multiscales")), group.get("multiscales")];
    let mut found = Vec::new();
    for place in places.into_iter().flatten() {
        match place {
            Value::Array(list) => found.extend(list),
            Value::Object(_) => found.push(place),
            _ => {}
        }
    }
    found
}

/// The `datasets` of one entry of `multiscales`.
pub(super) fn datasets(multiscale: &Value) -> impl Iterator<Item = &Value> {
    multiscale.get("datasets").and_then(Value::as_array).into_iter().flatten()
}

/// The `path` of a dataset, below the group.
pub(super) fn path_of(dataset: &Value) -> Option<&str> {
    let path = dataset.get("path").and_then(Value::as_str)?;
    Some(path.strip_prefix("./").unwrap_or(path).trim_matches('/'))
}

/// The number in "s0", "s1", …
pub(super) fn level_of(name: &str) -> Option<usize> {
    numbered(name, "s")
}

/// The number behind `prefix`, if nothing else is there.
pub(super) fn numbered(name: &str, prefix: &str) -> Option<usize> {
    let digits = name.strip_prefix(prefix)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A list of numbers unless all are 0.
pub(super) fn unless_zero(list: Option<Vec<f64>>) -> Option<Vec<f64>> {
    list.filter(|list| list.iter().any(|&value| value != 0.0))
}
