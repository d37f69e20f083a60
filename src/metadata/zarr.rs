//! zarr.json, and the codec object in it, to `ArraySettings` and back.
//!
//! Strict where attributes.json is lenient: Zarr asks readers to refuse what they do not understand.

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::{ArraySettings, Chain, DataType, try_vec};
use crate::utf32;

use super::chain;
use super::extension::Extension;
use super::fill;
use super::grid::{self, ChunkGrid, Edges, Grid};
use super::keys::{self, KeyEncoding};
use super::number::{Spelling, extents};
use super::text::ObjectText;
use crate::json::{Document, Member, Object, Value};

/// The members that Zarr defines for an array, but for the user's `attributes`.
const OF_ARRAYS: [&str; 10] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "storage_transformers",
    "dimension_names",
];

/// The members that Zarr defines for a group, but for the user's `attributes`.
const OF_GROUPS: [&str; 2] = ["zarr_format", "node_type"];

/// The settings of a codec object `{"name":"n5_default","configuration":{"codecs":[..]}}`, for chunks of this type and shape.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata`, `UnsupportedDataType` or `UnsupportedCodec` naming the member.
/// Messages begin with the argument.
pub fn codec_from_object(codec_json: &[u8], data_type: DataType, chunk_shape: &[u64]) -> Result<ArraySettings> {
    let read = || chain::of_codec_object(Document::strict(codec_json)?.root()?, data_type, chunk_shape.len());
    let chain = read().map_err(|error| error.about("codec_json"))?;
    let mut shape = try_vec(chunk_shape.len())?;
    shape.extend_from_slice(chunk_shape);
    let settings = ArraySettings { data_type, chunk_shape: shape, array_shape: None, fill_value: fill::zeros(data_type)?, chain };
    settings.validate().map_err(|error| error.about("chunk_shape"))?;
    Ok(settings)
}

/// The settings of the array that a whole zarr.json describes: one with `n5_default`, or with `bytes` and bytes-to-bytes codecs.
///
/// # Errors
/// `InvalidJson`; `NotAnArray` for a group; `InvalidMetadata`, `UnsupportedDataType` or `UnsupportedCodec` naming the member.
pub fn array_from_zarr(json: &[u8]) -> Result<ArraySettings> {
    let document = Document::zarr(json)?;
    Ok(array_of(&document.root()?.object("")?)?.settings)
}

/// The `dimension_names` of a zarr.json, one an axis; none where the member is missing or `null`.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where the member is no list.
pub fn dimension_names(json: &[u8]) -> Result<Vec<Option<String>>> {
    let document = Document::strict(json)?;
    let array = document.root()?.object("")?;
    let Some(names) = array.get("dimension_names").filter(|names| !names.is_null()) else { return Ok(Vec::new()) };
    let items = names.array("dimension_names")?;
    let mut found = try_vec(items.len())?;
    found.extend(items.iter().map(|name| name.text().map(std::borrow::Cow::into_owned)));
    Ok(found)
}

/// A zarr.json with the `dimension_names` of another array of the same rank; unchanged where that has
/// none.
///
/// # Errors
/// `InvalidJson`; `InvalidMetadata` where either document is no object; `OutOfMemory`.
pub fn with_dimension_names(json: &[u8], other: &[u8]) -> Result<String> {
    let (document, other) = (Document::zarr(json)?, Document::zarr(other)?);
    let (array, other) = (document.root()?.object("")?, other.root()?.object("")?);
    let mut text = ObjectText::new();
    text.copy_all(array.others(&["dimension_names"]))?;
    if let Some(names) = other.get("dimension_names") {
        text.put("dimension_names", names.raw())?;
    }
    text.finish()
}

/// An array of zarr.json.
pub(super) struct ZarrArray {
    pub(super) settings: ArraySettings,
    pub(super) keys: KeyEncoding,
    pub(super) edges: Edges,
    pub(super) grid: Grid,
}

/// The array that a whole zarr.json describes.
pub(super) fn array_of(array: &Object) -> Result<ZarrArray> {
    check_node(array)?;
    array.check_numbers(&OF_ARRAYS)?;

    let data_type = data_type(array.required("data_type")?)?;
    let array_shape = extents(array.required("shape")?, "shape", Spelling::Digits, 0)?;
    let chunk_grid = grid::chunk_grid(array.required("chunk_grid")?, &array_shape)?;
    let chain = chain::of_array(array.required("codecs")?, data_type, array_shape.len())?;
    let is_n5 = matches!(chain, Chain::N5 { .. });
    let keys = keys::encoding(array.required("chunk_key_encoding")?, is_n5)?;
    let fill_value = fill::element(array.required("fill_value")?, data_type)?;
    check_optional_members(array, array_shape.len())?;

    let ChunkGrid { shape: chunk_shape, edges, kind: grid } = chunk_grid;
    let settings = ArraySettings { data_type, chunk_shape, array_shape: Some(array_shape), fill_value, chain };
    settings.validate()?;
    Ok(ZarrArray { settings, keys, edges, grid })
}

/// Whether a zarr.json describes a group; otherwise it claims an array.
pub(super) fn is_group(node: &Object) -> Result<bool> {
    match check_node(node) {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotAnArray => Ok(true),
        Err(error) => Err(error),
    }
}

/// Refuses the zarr.json of a group with members that must be understood.
pub(super) fn check_group(group: &Object) -> Result<()> {
    check_attributes(group)?;
    // A copy of what is stored below; some versions of zarr-python wrote null.
    let has_null = group.get("consolidated_metadata").is_some_and(Value::is_null);
    let others = group.others(&OF_GROUPS);
    check_unknown_members(others.filter(|member| !(has_null && member.is_named("consolidated_metadata"))))
}

/// The codec object of an N5 chain, or the array of codecs of a plain one: compact, and the same on every run.
///
/// # Errors
/// `NotRepresentable` for N5's lz4, which no Zarr codec can express.
pub fn codec_to_json(settings: &ArraySettings) -> Result<String> {
    chain::to_json(settings)
}

fn check_node(node: &Object) -> Result<()> {
    if node.get("zarr_format").is_none() && node.get("dimensions").is_some() {
        let message = "this is N5's attributes.json (it has `dimensions` and no `zarr_format`), not a zarr.json; read it as N5 attributes";
        return Err(node.value().error(ErrorKind::InvalidMetadata, message.to_owned()));
    }
    let format = node.required("zarr_format")?;
    if Spelling::Digits.integer(format.raw()) != Some(3) {
        return Err(format.invalid("zarr_format", "3"));
    }
    let node_type = node.required("node_type")?;
    match node_type.text().as_deref() {
        Some("array") => Ok(()),
        Some("group") => Err(node_type.error(ErrorKind::NotAnArray, "`node_type` is \"group\": this is a group, not an array".to_owned())),
        _ => Err(node_type.invalid("node_type", "\"array\" or \"group\"")),
    }
}

/// The type of `data_type`, which may be a name or an object.
fn data_type(value: Value) -> Result<DataType> {
    let extension = Extension::parse(value, "data_type")?;
    if extension.name() == utf32::NAME {
        let length_bytes = utf32::parse_data_type(value.raw().as_bytes()).map_err(|error| error.shifted(value.offset()))?;
        return Ok(DataType::FixedUtf32 { length_bytes });
    }
    let data_type = DataType::from_name(extension.name()).ok_or_else(|| unsupported_data_type(value, extension.name()))?;
    extension.only(&[])?;
    Ok(data_type)
}

fn unsupported_data_type(value: Value, name: &str) -> Error {
    let message = format!("`data_type` is {}; zn5 reads (u)int8 to (u)int64, float32, float64 and fixed_length_utf32", quoted(name));
    value.error(ErrorKind::UnsupportedDataType, message)
}

fn check_attributes(node: &Object) -> Result<()> {
    match node.get("attributes").filter(|attributes| !attributes.is_object()) {
        Some(attributes) => Err(attributes.invalid("attributes", "an object")),
        None => Ok(()),
    }
}

fn check_optional_members(array: &Object, ndim: usize) -> Result<()> {
    check_attributes(array)?;
    if let Some(transformers) = array.get("storage_transformers")
        && !transformers.array("storage_transformers")?.is_empty()
    {
        return Err(transformers.invalid("storage_transformers", "empty: zn5 has none"));
    }
    if let Some(names) = array.get("dimension_names").filter(|names| !names.is_null()) {
        let wanted = format!("an array of {ndim} strings or nulls");
        let items = names.array("dimension_names")?;
        if items.len() != ndim || !items.iter().all(|item| item.is_string() || item.is_null()) {
            return Err(names.invalid("dimension_names", &wanted));
        }
    }
    check_unknown_members(array.others(&OF_ARRAYS))
}

fn check_unknown_members<'a>(members: impl Iterator<Item = Member<'a>>) -> Result<()> {
    for member in members.filter(|member| !member.is_named("attributes")) {
        if !may_be_ignored(member.value())? {
            let message = format!(
                "the document has the member {}, which zn5 does not know and which is not marked {{\"must_understand\": false}}; remove it",
                member.key().shown()
            );
            return Err(member.key().error(ErrorKind::InvalidMetadata, message));
        }
    }
    Ok(())
}

fn may_be_ignored(value: Value) -> Result<bool> {
    if !value.is_object() {
        return Ok(false);
    }
    let must_understand = value.object("")?.get("must_understand");
    Ok(must_understand.and_then(Value::boolean) == Some(false))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::model::{Compressor, Endian};

    use super::*;

    /// The members of a small N5 array, `changes` put in place of those with the same names.
    fn document(changes: &[(&str, &str)]) -> String {
        let defaults = [
            ("zarr_format", "3"),
            ("node_type", r#""array""#),
            ("shape", "[5,2]"),
            ("data_type", r#""uint16""#),
            ("chunk_grid", r#"{"name":"regular","configuration":{"chunk_shape":[3,2]}}"#),
            ("chunk_key_encoding", r#"{"name":"v2","configuration":{"separator":"/"}}"#),
            ("fill_value", "7"),
            (
                "codecs",
                r#"[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}]}}]"#,
            ),
        ];
        let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
        let kept = defaults.iter().filter(|(name, _)| !is_changed(name));
        let members: Vec<_> =
            kept.chain(changes).filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!(r#""{name}":{value}"#)).collect();
        format!("{{{}}}", members.join(","))
    }

    fn refused(changes: &[(&str, &str)], kind: ErrorKind, part: &str) {
        let json = document(changes);
        let error = array_from_zarr(json.as_bytes()).unwrap_err();
        assert!(error.kind() == kind && error.message().contains(part), "{json}: {:?} {error}: {part}", error.kind());
        assert!(error.offset().is_some(), "{error}");
    }

    #[test]
    fn settings_have_what_the_document_says() {
        let expected = ArraySettings {
            data_type: DataType::UInt16,
            chunk_shape: vec![3, 2],
            array_shape: Some(vec![5, 2]),
            fill_value: 7_u16.to_ne_bytes().to_vec(),
            chain: Chain::N5 { compressor: Compressor::Raw },
        };
        assert_eq!(array_from_zarr(document(&[]).as_bytes()).unwrap(), expected);
        let harmless: [(&str, &str); 10] = [
            ("attributes", r#"{"zarr_format":2,"x":"\ud800","\udfff":1e99999}"#),
            ("storage_transformers", "[]"),
            ("dimension_names", "null"),
            ("dimension_names", r#"["x",null]"#),
            ("dimension_names", r#"["\ud800","y"]"#),
            ("future", r#"{"must_understand":false,"x":[1]}"#),
            ("data_type", r#"{"name":"uint16"}"#),
            ("data_type", r#"{"name":"uint16","configuration":{},"must_understand":true}"#),
            ("chunk_grid", r#"{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[3,2]}}"#),
            ("chunk_grid", r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[3,2],2]}}"#),
        ];
        for change in harmless {
            assert_eq!(array_from_zarr(document(&[change]).as_bytes()).unwrap(), expected, "{change:?}");
        }
    }

    #[test]
    fn plain_chains_take_any_key_encoding() {
        for encoding in [r#""default""#, r#""v2""#, r#"{"name":"default","configuration":{"separator":"."}}"#] {
            let codecs = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.bz2","configuration":{"level":2}}]"#;
            let settings = array_from_zarr(document(&[("codecs", codecs), ("chunk_key_encoding", encoding)]).as_bytes()).unwrap();
            let compressors = vec![Compressor::Bzip2 { block_size: 2 }];
            assert_eq!(settings.chain, Chain::Plain { endian: Endian::Little, compressors });
            refused(&[("chunk_key_encoding", encoding)], ErrorKind::InvalidMetadata, "chunk_key_encoding");
        }
    }

    #[test]
    fn what_zarr_requires_is_required() {
        use ErrorKind::{InvalidMetadata, NotAnArray};
        for name in ["zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"] {
            refused(&[(name, "")], InvalidMetadata, name);
            refused(&[(name, "null")], InvalidMetadata, name);
        }
        let cases = [
            ("zarr_format", "2"),
            ("zarr_format", "\"3\""),
            ("zarr_format", "3.0"),
            ("node_type", "\"file\""),
            ("shape", "[5]"),
            ("shape", "[5,2.0]"),
            ("shape", "[5,-2]"),
            ("shape", "5"),
            ("fill_value", "65536"),
            ("fill_value", "-1"),
            ("fill_value", "0.0"),
            ("codecs", "{}"),
            ("attributes", "[]"),
            ("attributes", "null"),
            ("storage_transformers", "[{\"name\":\"x\"}]"),
            ("storage_transformers", "null"),
            ("dimension_names", "[\"x\"]"),
            ("dimension_names", "[1,2]"),
            ("dimension_names", "\"xy\""),
            ("future", "1"),
            ("future", "{}"),
            ("future", "{\"must_understand\":true}"),
            ("future", "{\"must_understand\":0}"),
        ];
        for (name, value) in cases {
            refused(&[(name, value)], InvalidMetadata, if name == "shape" && value == "[5]" { "chunk_grid" } else { name });
        }
        refused(&[("node_type", "\"group\"")], NotAnArray, "group");
        let group = array_from_zarr(br#"{"zarr_format":3,"node_type":"group"}"#).unwrap_err();
        assert_eq!(group.kind(), NotAnArray);
        assert_eq!(array_from_zarr(b"[]").unwrap_err().kind(), InvalidMetadata);
        assert_eq!(array_from_zarr(b"").unwrap_err().kind(), ErrorKind::InvalidJson);
        assert_eq!(array_from_zarr(b"/**/{}").unwrap_err().kind(), ErrorKind::InvalidJson);
    }

    #[test]
    fn other_data_types_are_refused_by_name() {
        for name in ["bool", "float16", "complex64", "complex128", "r16", "string", "object", "numpy.fixed_length_utf32", "UINT8"] {
            refused(&[("data_type", &format!("\"{name}\""))], ErrorKind::UnsupportedDataType, name);
            let object = format!(r#"{{"name":"{name}","configuration":{{"length_bytes":4}}}}"#);
            refused(&[("data_type", &object)], ErrorKind::UnsupportedDataType, name);
        }
        refused(&[("data_type", r#"{"name":"uint16","configuration":{"unit":"ns"}}"#)], ErrorKind::InvalidMetadata, "unit");
        refused(&[("data_type", "16")], ErrorKind::InvalidMetadata, "data_type");
    }

    const TEXT: (&str, &str) = ("data_type", r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}"#);
    const BIG: (&str, &str) = ("codecs", r#"[{"name":"bytes","configuration":{"endian":"big"}}]"#);

    #[test]
    fn arrays_of_text_are_plain_chains_with_text_as_fill_value() {
        let settings = array_from_zarr(document(&[TEXT, BIG, ("fill_value", r#""é""#)]).as_bytes()).unwrap();
        assert_eq!(settings.data_type, DataType::FixedUtf32 { length_bytes: 8 });
        let units: Vec<u8> = [0xe9_u32, 0].iter().flat_map(|unit| unit.to_ne_bytes()).collect();
        assert_eq!(settings.fill_value, units);
        assert_eq!(settings.chain, Chain::Plain { endian: Endian::Big, compressors: vec![] });
    }

    #[test]
    fn policy_27_28_and_29_text_is_refused_where_it_is_not_exact() {
        let fill = |value| [TEXT, BIG, ("fill_value", value)];
        refused(&fill(r#""abc""#), ErrorKind::StringTooLong, "fill_value");
        refused(&fill(r#""a\u0000\u0000""#), ErrorKind::StringTooLong, "fill_value");
        refused(&fill(r#""\ud800""#), ErrorKind::InvalidCodePoint, "fill_value");
        for value in ["0", "null", "[]", "true"] {
            refused(&fill(value), ErrorKind::InvalidMetadata, "fill_value");
        }
        let little = |codecs| [TEXT, ("fill_value", r#""""#), ("codecs", codecs)];
        refused(&little(r#"["bytes"]"#), ErrorKind::InvalidMetadata, "endian");
        refused(&little(r#"[{"name":"bytes","configuration":{"endian":"odd"}}]"#), ErrorKind::InvalidMetadata, "endian");
        refused(&[TEXT, ("fill_value", r#""""#)], ErrorKind::UnsupportedDataType, "N5 blocks hold no");
        refused(&[("data_type", r#""fixed_length_utf32""#), BIG], ErrorKind::InvalidMetadata, "fixed_length_utf32");
        refused(
            &[("data_type", r#"{"name":"fixed_length_utf32","configuration":{"length_bits":96}}"#), BIG],
            ErrorKind::InvalidMetadata,
            "length_bits",
        );
    }

    #[test]
    fn extents_are_exact_and_may_be_0() {
        let shape = [("shape", "[18446744073709551615,0]")];
        let settings = array_from_zarr(document(&shape).as_bytes()).unwrap();
        assert_eq!(settings.array_shape, Some(vec![u64::MAX, 0]));
        refused(&[("shape", "[18446744073709551616,2]")], ErrorKind::InvalidMetadata, "shape[0]");
    }

    #[test]
    fn codec_objects_make_settings_for_a_given_chunk() {
        let json = r#"{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]}}"#;
        let settings = codec_from_object(json.as_bytes(), DataType::Int8, &[4, 3]).unwrap();
        assert_eq!((settings.array_shape, settings.fill_value, settings.chunk_shape), (None, vec![0], vec![4, 3]));
        let refused = [
            (DataType::FixedUtf32 { length_bytes: 8 }, [4, 3].as_slice(), ErrorKind::UnsupportedDataType),
            (DataType::UInt16, [4, 3].as_slice(), ErrorKind::InvalidMetadata),
            (DataType::Int8, [4].as_slice(), ErrorKind::InvalidMetadata),
            (DataType::Int8, [4, 0].as_slice(), ErrorKind::InvalidMetadata),
        ];
        for (data_type, chunk_shape, kind) in refused {
            assert_eq!(codec_from_object(json.as_bytes(), data_type, chunk_shape).unwrap_err().kind(), kind);
        }
    }
}
