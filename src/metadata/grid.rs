//! Chunk grids of zarr.json: `regular`, `zarrs.regular_bounded`, and `rectilinear` where it is regular after all.
//!
//! All three give one chunk shape; N5 has no other kind of grid.

use crate::error::{ErrorKind, Result};
use crate::model::try_vec;

use super::document::Value;
use super::extension::Extension;
use super::number::{Spelling, extent, extents};

/// The chunk shape of a grid over an array of this shape.
pub(super) fn chunk_shape(value: Value, array_shape: &[u64]) -> Result<Vec<u64>> {
    let grid = Extension::parse(value, "chunk_grid")?;
    let shape = match grid.name() {
        "regular" | "zarrs.regular_bounded" => {
            grid.only(&["chunk_shape"])?;
            extents(grid.required("chunk_shape")?, &grid.path_of("chunk_shape"), Spelling::Digits, 1)?
        }
        "rectilinear" => {
            grid.only(&["kind", "chunk_shapes"])?;
            let kind = grid.required("kind")?;
            if kind.text().as_deref() != Some("inline") {
                return Err(kind.invalid(&grid.path_of("kind"), "\"inline\""));
            }
            rectilinear(grid.required("chunk_shapes")?, &grid.path_of("chunk_shapes"), array_shape)?
        }
        _ => return Err(value.invalid("chunk_grid", "`regular`, `zarrs.regular_bounded` or `rectilinear`")),
    };
    check_rank(value, shape.len(), array_shape)?;
    Ok(shape)
}

fn check_rank(value: Value, ndim: usize, array_shape: &[u64]) -> Result<()> {
    if ndim == array_shape.len() {
        return Ok(());
    }
    let message = format!("`chunk_grid` has {ndim} dimensions and `shape` has {}; both must be equal", array_shape.len());
    Err(value.error(ErrorKind::InvalidMetadata, message))
}

fn rectilinear(value: Value, path: &str, array_shape: &[u64]) -> Result<Vec<u64>> {
    let axes = value.array(path)?;
    check_rank(value, axes.len(), array_shape)?;
    let mut shape = try_vec(axes.len())?;
    for (axis, (edges, &array_extent)) in axes.into_iter().zip(array_shape).enumerate() {
        let path = format!("{path}[{axis}]");
        let chunk_extent = if edges.raw().starts_with('[') {
            regular_extent(edges, &path, array_extent)?
        } else {
            // A bare integer repeats without end: a regular grid along this axis.
            extent(edges, &path, Spelling::Digits, 1)?
        };
        shape.push(chunk_extent);
    }
    Ok(shape)
}

/// The chunk extent of listed edges that are all equal but for a last one cut at the end of the array.
fn regular_extent(edges: Value, path: &str, array_extent: u64) -> Result<u64> {
    let irregular = || {
        let message = format!(
            "`{path}` is {}, an irregular division of the extent {array_extent}; zn5 reads rectilinear grids of equal chunks, the last one cut at the array's end",
            edges.shown()
        );
        edges.error(ErrorKind::InvalidMetadata, message)
    };
    let mut regular: Option<u64> = None;
    let mut covered: u64 = 0;
    let mut cut = false;
    for (index, edge) in edges.array(path)?.into_iter().enumerate() {
        let path = format!("{path}[{index}]");
        let (length, count) = if edge.raw().starts_with('[') {
            match extents(edge, &path, Spelling::Digits, 1)?.as_slice() {
                &[length, count] => (length, count),
                _ => return Err(edge.invalid(&path, "an edge length, or a length and how often it comes")),
            }
        } else {
            (extent(edge, &path, Spelling::Digits, 1)?, 1)
        };
        let first = *regular.get_or_insert(length);
        if cut || length > first || (length < first && count > 1) {
            return Err(irregular());
        }
        cut = length < first;
        covered = length.checked_mul(count).and_then(|run| covered.checked_add(run)).ok_or_else(irregular)?;
    }
    // A cut chunk ends with the array; whole ones may reach past it.
    if covered < array_extent || (cut && covered != array_extent) {
        return Err(irregular());
    }
    // Only an array without elements has no chunk; then any extent will do.
    Ok(regular.unwrap_or(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::document::Document;
    use super::*;

    fn read(json: &str, array_shape: &[u64]) -> Result<Vec<u64>> {
        chunk_shape(Document::strict(json.as_bytes())?.root()?, array_shape)
    }

    fn edges(json: &str, array_extent: u64) -> Result<Vec<u64>> {
        read(&format!(r#"{{"name":"rectilinear","configuration":{{"kind":"inline","chunk_shapes":[{json}]}}}}"#), &[array_extent])
    }

    #[test]
    fn regular_grids_give_their_chunk_shape() {
        for name in ["regular", "zarrs.regular_bounded"] {
            let json = format!(r#"{{"name":"{name}","configuration":{{"chunk_shape":[64,64,32]}}}}"#);
            assert_eq!(read(&json, &[100, 200, 300]).unwrap(), [64, 64, 32]);
        }
        assert_eq!(read(r#"{"name":"regular","configuration":{"chunk_shape":[]}}"#, &[]).unwrap(), [] as [u64; 0]);
    }

    #[test]
    fn rectilinear_grids_that_are_regular_give_their_chunk_shape() {
        let json = r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[64,36],[[64,3],8],[[32,9],12]]}}"#;
        assert_eq!(read(json, &[100, 200, 300]).unwrap(), [64, 64, 32]);
        let cases = [
            ("4", 10, 4),
            ("[10]", 10, 10),
            ("[[4,2],2]", 10, 4),
            ("[4,[4,1],[2,1]]", 10, 4),
            ("[4,4,4]", 10, 4),
            ("[[5,2]]", 10, 5),
            ("[[1,18446744073709551615]]", u64::MAX, 1),
            ("[]", 0, 1),
            ("[3]", 0, 3),
        ];
        for (json, array_extent, expected) in cases {
            assert_eq!(edges(json, array_extent).unwrap(), [expected], "{json}");
        }
    }

    #[test]
    fn other_grids_are_refused_by_name() {
        let irregular = [
            ("[2,4,4]", 10),
            ("[4,2,4]", 10),
            ("[4,[3,2]]", 10),
            ("[4,4]", 10),
            ("[4,4,1]", 10),
            ("[4,4,3]", 10),
            ("[]", 1),
            ("[4,4,4,1]", 12),
        ];
        for (json, array_extent) in irregular {
            let error = edges(json, array_extent).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidMetadata);
            assert!(error.message().contains("chunk_shapes[0]") && error.message().contains("rectilinear"), "{error}");
        }
        for json in ["[0]", "0", "[[4,0]]", "[[4]]", "[[4,1,1]]", "[4.0]", "null", "[\"4\"]", "[-4]"] {
            let error = edges(json, 4).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains("chunk_shapes"), "{json}: {error}");
        }
        let others = [
            r#""regular""#,
            r#"{"name":"regular"}"#,
            r#"{"name":"regular","configuration":{"chunk_shape":[4]}}"#,
            r#"{"name":"regular","configuration":{"chunk_shape":[4,0]}}"#,
            r#"{"name":"regular","configuration":{"chunk_shape":[4,4.0]}}"#,
            r#"{"name":"regular","configuration":{"chunk_shape":[4,4],"separator":"/"}}"#,
            r#"{"name":"regular","configuration":{"chunk_shape":4}}"#,
            r#"{"name":"rectilinear","configuration":{"kind":"remote","chunk_shapes":[4,4]}}"#,
            r#"{"name":"rectilinear","configuration":{"chunk_shapes":[4,4]}}"#,
            r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[4]}}"#,
            r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[4,4,4]}}"#,
            r#"{"name":"rectangular","configuration":{"chunk_shape":[4,4]}}"#,
        ];
        for json in others {
            let error = read(json, &[8, 8]).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains("chunk_grid"), "{json}: {error}");
        }
    }
}
