//! attributes.json to zarr.json and back, for arrays and groups.
//!
//! zarr.json keeps the whole attributes.json in its attribute `_n5`, so that the way back is exact.
//! What has changed in zarr.json since then wins over `_n5`. What the other language cannot say is
//! refused by name. What is written is JSON: NaN and the infinities, which may stand in what is
//! read, become strings.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{ArraySettings, Chain};

use super::attributes::{ORIGIN, RESERVED, of_zarr, own_members, reserved, reserved_origin};
use super::grid::{self, Grid};
use super::n5::Reading;
use super::number::extents_to_json;
use super::text::{ObjectText, copied_as_json, same_tokens};
use super::zarr::{self, ZarrArray};
use super::{chain, fill, n5};
use crate::json::{Document, Member, Object, Value};

/// The zarr.json of an attributes.json, array or group, with its chunks in this kind of grid.
///
/// # Errors
/// Those of reading attributes.json; `NotRepresentable` naming a compression without a Zarr codec, or a user's attribute `_n5`.
pub fn n5_to_zarr(json: &[u8], grid: Grid) -> Result<String> {
    to_zarr(json, grid, "0")
}

/// The zarr.json of an array of N5 blocks with these settings, and its chunks in this kind of grid.
/// Its fill value may be any.
///
/// # Errors
/// Those of [`n5_to_zarr`] and [`n5::n5_array_document`].
pub fn zarr_array_document(settings: &ArraySettings, grid: Grid) -> Result<String> {
    let fill_value = fill::to_json(&settings.fill_value, settings.data_type);
    let of_zeros = ArraySettings { fill_value: fill::zeros(settings.data_type)?, ..settings.clone() };
    to_zarr(n5::n5_array_document(&of_zeros)?.as_bytes(), grid, &fill_value)
}

fn to_zarr(json: &[u8], grid: Grid, fill_value: &str) -> Result<String> {
    let document = Document::lenient(json)?;
    let attributes = document.root()?.object("")?;
    let settings = array_or_group(&attributes).map_err(|error| name_jpeg(&attributes, error))?;

    let users = attributes.others(own_members(&attributes));
    let mut zarr_attributes = ObjectText::new();
    for member in users {
        if member.is_named(ORIGIN) {
            return Err(reserved_origin(member.key()));
        }
        zarr_attributes.copy_json(member)?;
    }
    zarr_attributes.put_json(ORIGIN, attributes.value())?;

    let mut node = ObjectText::new();
    node.put("zarr_format", "3")?;
    if let Some(settings) = settings {
        let shape = settings.array_shape.as_deref().unwrap_or_default();
        let codec = chain::to_json(&settings).map_err(|error| located(error, &attributes))?;
        node.put("node_type", "\"array\"")?;
        node.put("shape", &extents_to_json(shape))?;
        node.put("data_type", &format!("\"{}\"", settings.data_type.name()))?;
        node.put("chunk_grid", &grid::to_json(grid, shape, &settings.chunk_shape))?;
        node.put("chunk_key_encoding", r#"{"name":"v2","configuration":{"separator":"/"}}"#)?;
        node.put("fill_value", fill_value)?;
        node.put("codecs", &format!("[{codec}]"))?;
    } else {
        node.put("node_type", "\"group\"")?;
    }
    node.put("attributes", &zarr_attributes.finish()?)?;
    node.finish()
}

/// The attributes.json of a zarr.json; of a group, the user's attributes and the version of N5 that `_n5` tells.
///
/// # Errors
/// Those of reading zarr.json; `NotRepresentable` naming what N5 has no place for.
pub fn zarr_to_n5(json: &[u8]) -> Result<String> {
    let document = Document::zarr(json)?;
    let node = document.root()?.object("")?;
    let array = if zarr::is_group(&node)? {
        zarr::check_group(&node)?;
        None
    } else {
        let array = zarr::array_of(&node)?;
        check_representable(&node, &array.settings)?;
        Some(array)
    };
    let attributes = of_zarr(&node)?;
    let users = || attributes.iter().flat_map(|attributes| attributes.others(&[ORIGIN]));
    let origin = attributes.as_ref().and_then(|attributes| attributes.get(ORIGIN));
    let origin = origin.and_then(|origin| Origin::read(origin, array.is_some()));
    for name in RESERVED {
        let attribute = attributes.as_ref().and_then(|attributes| attributes.get(name));
        if let Some(value) = attribute
            && !origin.as_ref().is_some_and(|origin| origin.has_user_attribute(name, value))
        {
            return Err(reserved(value, name));
        }
    }

    let Some(origin) = origin else {
        let mut text = ObjectText::new();
        if let Some(array) = array {
            n5::put_array(&mut text, &array.settings)?;
        }
        users().try_for_each(|member| text.copy_json(member))?;
        return text.finish();
    };
    let replaced = array.map_or_else(Vec::new, |array| origin.replaced(&array));
    let has_same_users = same_members(origin.users(), users());
    if replaced.is_empty() && has_same_users && !origin.says_no_version() {
        return copied_as_json(origin.document.value());
    }
    let mut text = ObjectText::new();
    origin.put_own(&mut text, &replaced, has_same_users)?;
    if !has_same_users {
        users().try_for_each(|member| text.copy_json(member))?;
    }
    text.finish()
}

/// The settings of an array; `None` for a group.
fn array_or_group(attributes: &Object) -> Result<Option<ArraySettings>> {
    match n5::array_of(attributes, Reading::Forgiving) {
        Ok(settings) => Ok(Some(settings)),
        Err(error) if error.kind() == ErrorKind::NotAnArray => Ok(None),
        Err(error) => Err(error),
    }
}

/// jpeg is N5's, only Zarr has no codec for it.
fn name_jpeg(attributes: &Object, error: Error) -> Error {
    let type_value = attributes
        .get("compression")
        .filter(|compression| compression.is_object())
        .and_then(|compression| compression.object("compression").ok()?.get("type"));
    match type_value {
        Some(value) if error.kind() == ErrorKind::UnsupportedCompression && value.text().as_deref() == Some("jpeg") => {
            let message = "the N5 compression `jpeg` has no equivalent among Zarr's codecs; use another compression".to_owned();
            value.error(ErrorKind::NotRepresentable, message)
        }
        _ => error,
    }
}

/// An error about the compression, with its place.
fn located(error: Error, attributes: &Object) -> Error {
    match attributes.get("compression").or_else(|| attributes.get("compressionType")) {
        Some(value) => value.error(error.kind(), error.message().to_owned()),
        None => error,
    }
}

fn check_representable(node: &Object, settings: &ArraySettings) -> Result<()> {
    if let Some((member, why)) = n5::obstacle(settings) {
        return Err(not_representable(node.required(member)?, member, why));
    }
    if let Some(names) = node.get("dimension_names").filter(|names| !names.is_null())
        && names.array("dimension_names")?.iter().any(|name| !name.is_null())
    {
        return Err(not_representable(names, "dimension_names", "N5 has no place for them; keep them as an attribute such as `axes`"));
    }
    Ok(())
}

fn not_representable(value: Value, member: &str, why: &str) -> Error {
    value.error(ErrorKind::NotRepresentable, format!("`{member}` is {}; {why}", value.shown()))
}

/// The document in `_n5`.
struct Origin<'a> {
    document: Object<'a>,
    /// N5's members of it.
    own: &'static [&'static str],
    /// What they say of an array.
    settings: Option<ArraySettings>,
}

impl<'a> Origin<'a> {
    /// The attributes.json in `value`, if it is one, and of the kind of node that it is found in.
    fn read(value: Value<'a>, is_array: bool) -> Option<Self> {
        let document = value.object(ORIGIN).ok()?;
        let settings = array_or_group(&document).ok()?;
        (settings.is_some() == is_array).then(|| Self { own: own_members(&document), document, settings })
    }

    /// The user's attributes in it.
    fn users(&self) -> impl Iterator<Item = Member<'a>> {
        self.document.others(self.own)
    }

    /// Whether this was an attribute of the user's already, so that attributes.json has room for it.
    fn has_user_attribute(&self, name: &str, value: Value) -> bool {
        !self.own.contains(&name) && self.document.get(name).is_some_and(|own| same_tokens(own.raw(), value.raw()))
    }

    /// Whether `n5` is null, as one converter writes it where there was no version.
    fn says_no_version(&self) -> bool {
        self.document.get("n5").is_some_and(Value::is_null)
    }

    /// The members of N5 that would not become what zarr.json has, each with what it must be.
    fn replaced(&self, array: &ZarrArray) -> Vec<(&'static str, String)> {
        let new = &array.settings;
        let Some(old) = &self.settings else { return Vec::new() };
        let mut replaced = Vec::new();
        if old.array_shape != new.array_shape {
            replaced.push(("dimensions", extents_to_json(new.array_shape.as_deref().unwrap_or_default())));
        }
        if !has_chunks(array, &old.chunk_shape) {
            replaced.push(("blockSize", extents_to_json(&new.chunk_shape)));
        }
        if old.data_type != new.data_type {
            replaced.push(("dataType", format!("\"{}\"", new.data_type.name())));
        }
        if let Chain::N5 { compressor } = new.chain
            && !has_codecs(new, &old.chain)
        {
            replaced.push(("compression", n5::compression_to_json(compressor, new.data_type)));
        }
        replaced
    }

    /// Writes N5's members, and the user's where they are wanted, in the order of the document.
    fn put_own(&self, text: &mut ObjectText, replaced: &[(&str, String)], with_users: bool) -> Result<()> {
        let new_value = |name: &str| replaced.iter().find(|(replaced, _)| *replaced == name).map(|(_, value)| value.as_str());
        let mut written: Vec<&str> = Vec::new();
        for member in self.document.others(&[]) {
            let Some(&name) = self.own.iter().find(|name| member.is_named(name)) else {
                if with_users {
                    text.copy_json(member)?;
                }
                continue;
            };
            // Both members are N5's compression; a new one takes the place of whichever comes first.
            let name = if name == "compressionType" && new_value("compression").is_some() { "compression" } else { name };
            if written.contains(&name) || (name == "n5" && self.says_no_version()) {
                continue;
            }
            written.push(name);
            match (new_value(name), self.document.get(name)) {
                (Some(value), _) => text.put(name, value)?,
                (None, Some(value)) => text.put(name, value.raw())?,
                (None, None) => {}
            }
        }
        Ok(())
    }
}

/// Whether blocks of this size have the chunks of the array. A rectilinear grid does not tell how long a single cut one would be.
fn has_chunks(array: &ZarrArray, block_size: &[u64]) -> bool {
    let chunk_shape = &array.settings.chunk_shape;
    let shape = array.settings.array_shape.as_deref().unwrap_or_default();
    let is_cut = |chunk: u64, block: u64, extent: u64| array.grid == Grid::Rectilinear && chunk == extent && block > extent;
    chunk_shape.len() == block_size.len()
        && chunk_shape.iter().zip(block_size).zip(shape).all(|((&chunk, &block), &extent)| chunk == block || is_cut(chunk, block, extent))
}

/// Whether `origin`, written as a codec for such an array, is the array's chain.
fn has_codecs(settings: &ArraySettings, origin: &Chain) -> bool {
    let converted = ArraySettings { chain: origin.clone(), ..settings.clone() };
    let read = zarr::codec_to_json(&converted)
        .and_then(|json| zarr::codec_from_object(json.as_bytes(), settings.data_type, &settings.chunk_shape));
    read.is_ok_and(|read| read.chain == settings.chain)
}

/// Whether two objects have the same members in the same order.
fn same_members<'a, 'b>(a: impl Iterator<Item = Member<'a>>, b: impl Iterator<Item = Member<'b>>) -> bool {
    let mut b = b;
    let is_prefix =
        a.into_iter().all(|a| b.next().is_some_and(|b| a.key().raw() == b.key().raw() && same_tokens(a.value().raw(), b.value().raw())));
    is_prefix && b.next().is_none()
}
