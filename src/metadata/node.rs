//! What a stored metadata document describes: an array with all that reading it needs, or a group.
//!
//! Readers ask here, whichever of the two languages the document is in.

use crate::error::{ErrorKind, Result};
use crate::model::{ArraySettings, Chain};

use super::attributes::Language;
use super::grid::Edges;
use super::keys::KeyEncoding;
use super::n5::{self, Reading};
use super::zarr::{self, ZarrArray};
use crate::json::{Document, Object};

/// The zarr.json of a group that nobody stored: every prefix of N5 is a group.
pub const IMPLICIT_GROUP: &str = r#"{"zarr_format":3,"node_type":"group"}"#;

/// An array or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// An array.
    Array(Box<ArrayNode>),
    /// A group.
    Group,
}

/// An array and where its blocks lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayNode {
    /// Type, shapes, fill value and chain.
    pub settings: ArraySettings,
    /// How a grid position becomes a key.
    pub keys: KeyEncoding,
    /// Whether the chunks of a plain chain that reach past the array are stored cut; N5 blocks tell their own extents.
    pub bounded_edges: bool,
}

/// What an attributes.json describes.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata`, `UnsupportedDataType` or `UnsupportedCompression` naming the member.
pub fn node_from_n5(json: &[u8]) -> Result<Node> {
    match n5::array_from_n5(json) {
        Ok(settings) => Ok(Node::Array(Box::new(n5_array(settings)))),
        Err(error) if error.kind() == ErrorKind::NotAnArray => Ok(Node::Group),
        Err(error) => Err(error),
    }
}

/// What a zarr.json describes.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata`, `UnsupportedDataType` or `UnsupportedCodec` naming the member.
pub fn node_from_zarr(json: &[u8]) -> Result<Node> {
    let document = Document::zarr(json)?;
    let node = document.root()?.object("")?;
    if zarr::is_group(&node)? {
        zarr::check_group(&node)?;
        return Ok(Node::Group);
    }
    Ok(Node::Array(Box::new(zarr_array(&node)?)))
}

/// The array that a caller wants to make, and the language of its document: zarr.json has
/// `zarr_format`.
///
/// What reading forgives is a slip here: the document is pure JSON, and what `compression` says is
/// what zn5 will do.
///
/// # Errors
/// Those of reading; `NotAnArray` for a group.
pub fn new_array(json: &[u8]) -> Result<(Language, ArrayNode)> {
    let document = Document::strict(json)?;
    let node = document.root()?.object("")?;
    let array = if node.get("zarr_format").is_some() {
        zarr_array(&node).map(|array| (Language::Zarr, array))
    } else {
        n5::array_of(&node, Reading::Exact).map(|settings| (Language::N5, n5_array(settings)))
    };
    array.map_err(|error| {
        if error.kind() != ErrorKind::NotAnArray {
            return error;
        }
        let message = format!("{}; describe an array, or make the group by zn5_group_create()", error.message());
        node.value().error(ErrorKind::NotAnArray, message)
    })
}

fn n5_array(settings: ArraySettings) -> ArrayNode {
    ArrayNode { settings, keys: KeyEncoding::N5, bounded_edges: false }
}

fn zarr_array(node: &Object) -> Result<ArrayNode> {
    let ZarrArray { settings, keys, edges, .. } = zarr::array_of(node)?;
    if edges == Edges::Mixed && matches!(settings.chain, Chain::Plain { .. }) {
        let message =
            "`chunk_grid` cuts edge chunks along some axes and not along others; zn5 reads chunks that are cut along all axes or none";
        return Err(node.required("chunk_grid")?.error(ErrorKind::InvalidMetadata, message.to_owned()));
    }
    Ok(ArrayNode { settings, keys, bounded_edges: edges == Edges::Cut })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn plain(grid: &str, encoding: &str) -> String {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[10,9],"data_type":"int8","chunk_grid":{grid},"chunk_key_encoding":{encoding},"fill_value":0,"codecs":["bytes"]}}"#
        )
    }

    fn array(json: &str) -> ArrayNode {
        match node_from_zarr(json.as_bytes()).unwrap() {
            Node::Array(array) => *array,
            Node::Group => panic!("{json} is a group"),
        }
    }

    const REGULAR: &str = r#"{"name":"regular","configuration":{"chunk_shape":[4,3]}}"#;

    #[test]
    fn both_languages_tell_arrays_from_groups() {
        for json in ["{}", r#"{"n5":"4.0.0","dataType":"uint8"}"#, "/* nothing */{}"] {
            assert_eq!(node_from_n5(json.as_bytes()).unwrap(), Node::Group);
        }
        let lz4 = br#"{"dimensions":[5],"blockSize":[3],"dataType":"int8","compression":{"type":"lz4"}}"#;
        let Node::Array(array) = node_from_n5(lz4).unwrap() else { panic!("a group") };
        assert_eq!((array.settings.chunk_shape.as_slice(), array.keys.key(&[1]).as_str()), ([3].as_slice(), "1"));
        assert_eq!(node_from_n5(br#"{"dimensions":[5]}"#).unwrap_err().kind(), ErrorKind::InvalidMetadata);

        let consolidated = r#"{"kind":"inline","must_understand":false,"metadata":{}}"#;
        for more in ["", r#","attributes":{"x":1e999}"#, r#","consolidated_metadata":null"#, r#","new":{"must_understand":false}"#] {
            let json = format!(r#"{{"zarr_format":3,"node_type":"group"{more}}}"#);
            assert_eq!(node_from_zarr(json.as_bytes()).unwrap(), Node::Group, "{json}");
        }
        let json = format!(r#"{{"zarr_format":3,"node_type":"group","consolidated_metadata":{consolidated}}}"#);
        assert_eq!(node_from_zarr(json.as_bytes()).unwrap(), Node::Group);
        assert_eq!(node_from_zarr(IMPLICIT_GROUP.as_bytes()).unwrap(), Node::Group);
        for (json, part) in [
            (r#"{"zarr_format":2,"node_type":"group"}"#, "zarr_format"),
            (r#"{"zarr_format":3,"node_type":"group","attributes":[]}"#, "attributes"),
            (r#"{"zarr_format":3,"node_type":"group","shape":[1]}"#, "shape"),
            (r#"{"zarr_format":3,"node_type":"group","new":{"must_understand":true}}"#, "new"),
            (r#"{"zarr_format":3,"node_type":"folder"}"#, "node_type"),
            (r#"{"zarr_format":3}"#, "node_type"),
        ] {
            let error = node_from_zarr(json.as_bytes()).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains(part), "{json}: {error}");
        }
    }

    #[test]
    fn keys_follow_the_document_s_encoding() {
        for (encoding, key) in [
            (r#""default""#, "c/1/2"),
            (r#"{"name":"default","configuration":{"separator":"."}}"#, "c.1.2"),
            (r#""v2""#, "1.2"),
            (r#"{"name":"v2","configuration":{"separator":"/"}}"#, "1/2"),
        ] {
            assert_eq!(array(&plain(REGULAR, encoding)).keys.key(&[1, 2]), key);
        }
    }

    #[test]
    fn the_grid_tells_whether_plain_edge_chunks_are_cut() {
        let rectilinear = |edges: &str| format!(r#"{{"name":"rectilinear","configuration":{{"kind":"inline","chunk_shapes":{edges}}}}}"#);
        for (grid, bounded) in [
            (REGULAR.to_owned(), false),
            (REGULAR.replace("regular", "zarrs.regular_bounded"), true),
            (rectilinear("[[4,4,2],3]"), true),
            (rectilinear("[[4,4,2],[[3,3]]]"), true),
            (rectilinear("[4,3]"), false),
            (rectilinear("[[4,4,4],3]"), false),
            (rectilinear("[[5,5],[3,3,3]]"), false),
        ] {
            assert_eq!(array(&plain(&grid, r#""v2""#)).bounded_edges, bounded, "{grid}");
        }
        let mixed = rectilinear("[[4,4,2],4]");
        let error = node_from_zarr(plain(&mixed, r#""v2""#).as_bytes()).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains("chunk_grid"), "{error}");
    }
}
