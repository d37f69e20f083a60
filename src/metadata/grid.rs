//! Chunk grids of zarr.json: `regular`, `zarrs.regular_bounded`, and `rectilinear` where it is regular after all.
//!
//! All three give one chunk shape; N5 has no other kind of grid.

use crate::error::{ErrorKind, Result};
use crate::model::try_vec;

use super::extension::Extension;
use super::number::{Spelling, extent, extents, extents_to_json};
use crate::json::Value;

/// Which of Zarr's chunk grids describes an N5 array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grid {
    /// `regular`: every reader knows it; edge chunks reach past the array.
    #[default]
    Regular,
    /// `zarrs.regular_bounded`: edge chunks are cut at the end of the array.
    RegularBounded,
    /// `rectilinear`: the extents of all chunks, listed.
    Rectilinear,
}

/// A grid that is regular but for the edges.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChunkGrid {
    /// The shape of the chunks that are not cut.
    pub(super) shape: Vec<u64>,
    /// What edge chunks look like.
    pub(super) edges: Edges,
    /// The kind.
    pub(super) kind: Grid,
}

/// What becomes of chunks that reach past the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edges {
    /// None does.
    Absent,
    /// They are as large as all others.
    Whole,
    /// They are cut.
    Cut,
    /// They are cut along some axes and not along others.
    Mixed,
}

impl Edges {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Absent, edges) | (edges, Self::Absent) => edges,
            (Self::Whole, Self::Whole) => Self::Whole,
            (Self::Cut, Self::Cut) => Self::Cut,
            _ => Self::Mixed,
        }
    }
}

/// The grid of chunks over an array of this shape.
pub(super) fn chunk_grid(value: Value, array_shape: &[u64]) -> Result<ChunkGrid> {
    let grid = Extension::parse(value, "chunk_grid")?;
    let found = match grid.name() {
        "regular" | "zarrs.regular_bounded" => {
            grid.only(&["chunk_shape"])?;
            let shape = extents(grid.required("chunk_shape")?, &grid.path_of("chunk_shape"), Spelling::Digits, 1)?;
            if grid.name() == "regular" {
                ChunkGrid { shape, edges: Edges::Whole, kind: Grid::Regular }
            } else {
                ChunkGrid { shape, edges: Edges::Cut, kind: Grid::RegularBounded }
            }
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
    check_rank(value, found.shape.len(), array_shape)?;
    Ok(found)
}

/// The `chunk_grid` of an array of this shape in chunks of that one.
pub(super) fn to_json(grid: Grid, array_shape: &[u64], chunk_shape: &[u64]) -> String {
    let name = match grid {
        Grid::Regular => "regular",
        Grid::RegularBounded => "zarrs.regular_bounded",
        Grid::Rectilinear => {
            let edges: Vec<_> = array_shape.iter().zip(chunk_shape).map(|(&array, &chunk)| edges_to_json(array, chunk)).collect();
            let edges = edges.join(",");
            return format!(r#"{{"name":"rectilinear","configuration":{{"kind":"inline","chunk_shapes":[{edges}]}}}}"#);
        }
    };
    format!(r#"{{"name":"{name}","configuration":{{"chunk_shape":{}}}}}"#, extents_to_json(chunk_shape))
}

/// The chunks along one axis: whole ones counted, then what is left. Without elements there is none to list, only their extent.
fn edges_to_json(array_extent: u64, chunk_extent: u64) -> String {
    let whole = array_extent.checked_div(chunk_extent).unwrap_or(0);
    let rest = array_extent.checked_rem(chunk_extent).unwrap_or(0);
    match (whole, rest) {
        (0, 0) => chunk_extent.to_string(),
        (0, rest) => format!("[{rest}]"),
        (1, 0) => format!("[{chunk_extent}]"),
        (1, rest) => format!("[{chunk_extent},{rest}]"),
        (whole, 0) => format!("[[{chunk_extent},{whole}]]"),
        (whole, rest) => format!("[[{chunk_extent},{whole}],{rest}]"),
    }
}

fn check_rank(value: Value, ndim: usize, array_shape: &[u64]) -> Result<()> {
    if ndim == array_shape.len() {
        return Ok(());
    }
    let message = format!("`chunk_grid` has {ndim} dimensions and `shape` has {}; both must be equal", array_shape.len());
    Err(value.error(ErrorKind::InvalidMetadata, message))
}

fn rectilinear(value: Value, path: &str, array_shape: &[u64]) -> Result<ChunkGrid> {
    let axes = value.array(path)?;
    check_rank(value, axes.len(), array_shape)?;
    let mut shape = try_vec(axes.len())?;
    let mut edges = Edges::Absent;
    for (axis, (listed, &array_extent)) in axes.into_iter().zip(array_shape).enumerate() {
        let path = format!("{path}[{axis}]");
        let (chunk_extent, is_cut) = if listed.raw().starts_with('[') {
            regular_extent(listed, &path, array_extent)?
        } else {
            // A bare integer repeats without end: a regular grid along this axis.
            (extent(listed, &path, Spelling::Digits, 1)?, false)
        };
        let has_edge = array_extent.checked_rem(chunk_extent).is_some_and(|rest| rest != 0);
        edges = edges.and(match (has_edge, is_cut) {
            (false, _) => Edges::Absent,
            (true, false) => Edges::Whole,
            (true, true) => Edges::Cut,
        });
        shape.push(chunk_extent);
    }
    Ok(ChunkGrid { shape, edges, kind: Grid::Rectilinear })
}

/// The chunk extent of listed edges that are all equal but for a last one cut at the end of the array, and whether that is cut.
fn regular_extent(edges: Value, path: &str, array_extent: u64) -> Result<(u64, bool)> {
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
    Ok((regular.unwrap_or(1), cut))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn read(json: &str, array_shape: &[u64]) -> Result<Vec<u64>> {
        Ok(chunk_grid(Document::strict(json.as_bytes())?.root()?, array_shape)?.shape)
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
    fn grids_are_written_as_they_are_read() {
        let rectilinear = to_json(Grid::Rectilinear, &[100, 200, 300], &[64, 64, 32]);
        assert_eq!(
            rectilinear,
            r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[64,36],[[64,3],8],[[32,9],12]]}}"#
        );
        let cases = [
            (0, 64, "64", Edges::Absent, 64),
            (64, 64, "[64]", Edges::Absent, 64),
            (128, 64, "[[64,2]]", Edges::Absent, 64),
            // One cut chunk does not tell how long it would be.
            (10, 64, "[10]", Edges::Absent, 10),
            (65, 64, "[64,1]", Edges::Cut, 64),
            (u64::MAX, 2, "[[2,9223372036854775807],1]", Edges::Cut, 2),
            (u64::MAX, 1, "[[1,18446744073709551615]]", Edges::Absent, 1),
        ];
        for (array_extent, chunk_extent, listed, edges, read_extent) in cases {
            let json = to_json(Grid::Rectilinear, &[array_extent], &[chunk_extent]);
            assert!(json.contains(&format!("[{listed}]")), "{json}");
            let document = Document::strict(json.as_bytes()).unwrap();
            let grid = chunk_grid(document.root().unwrap(), &[array_extent]).unwrap();
            assert_eq!(grid, ChunkGrid { shape: vec![read_extent], edges, kind: Grid::Rectilinear });
        }
        for (kind, edges) in [(Grid::Regular, Edges::Whole), (Grid::RegularBounded, Edges::Cut)] {
            for (array_shape, shape) in [(vec![100, 10, 0], vec![64, 64, 64]), (vec![], vec![])] {
                let json = to_json(kind, &array_shape, &shape);
                let document = Document::strict(json.as_bytes()).unwrap();
                assert_eq!(chunk_grid(document.root().unwrap(), &array_shape).unwrap(), ChunkGrid { shape, edges, kind });
            }
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
