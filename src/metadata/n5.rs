//! attributes.json to `ArraySettings`.
//!
//! Reads what N5's programs left behind over the years; refuses what would be read as something that it is not.

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::{ArraySettings, BloscInner, BloscShuffle, Chain, Compressor, DataType, XzCheck};

use super::attributes::OF_ARRAYS;
use super::fill;
use super::number::{Spelling, extents, extents_to_json};
use super::text::ObjectText;
use crate::json::{Document, Object, Value};

/// The newest major version of N5 whose arrays zn5 understands.
const NEWEST_MAJOR_VERSION: u64 = 4;

/// The settings of the array that a whole attributes.json describes.
///
/// # Errors
/// `InvalidJson`; `NotAnArray` for a group; `InvalidMetadata`, `UnsupportedDataType` or `UnsupportedCompression` naming the member.
pub fn array_from_n5(json: &[u8]) -> Result<ArraySettings> {
    let document = Document::lenient(json)?;
    array_of(&document.root()?.object("")?, Reading::Forgiving)
}

/// How the parameters of a compression are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As old and careless programs left them: what is odd does no harm.
    Forgiving,
    /// As a caller wants them for a new array: what is odd is a slip.
    Exact,
}

/// The settings of the array that these attributes describe.
pub(super) fn array_of(attributes: &Object, reading: Reading) -> Result<ArraySettings> {
    check_version(attributes)?;
    check_is_array(attributes)?;
    attributes.check_numbers(&OF_ARRAYS)?;

    let data_type = data_type(attributes.required("dataType")?)?;
    let dimensions = attributes.required("dimensions")?;
    let array_shape = extents(dimensions, "dimensions", Spelling::Whole, 0)?;
    let block_size = attributes.required("blockSize")?;
    let chunk_shape = extents(block_size, "blockSize", Spelling::Whole, 1)?;
    if array_shape.len() != chunk_shape.len() {
        let message =
            format!("`dimensions` has {} entries and `blockSize` has {}; both need one per axis", array_shape.len(), chunk_shape.len());
        return Err(block_size.error(ErrorKind::InvalidMetadata, message));
    }
    let compressor = match (attributes.get("compression"), attributes.get("compressionType")) {
        (Some(compression), _) => compressor(compression, reading)?,
        (None, Some(word)) => compressor_of_word(word)?,
        (None, None) => return Err(missing(attributes, "compression")),
    };
    let settings = ArraySettings {
        data_type,
        chunk_shape,
        array_shape: Some(array_shape),
        fill_value: fill::zeros(data_type)?,
        chain: Chain::N5 { compressor },
    };
    settings.validate()?;
    Ok(settings)
}

/// The `compression` object of arrays of `data_type`: exactly the members that every reader needs and none that one refuses.
#[must_use]
pub fn compression_to_json(compressor: Compressor, data_type: DataType) -> String {
    let parameters = match compressor {
        Compressor::Raw => String::new(),
        Compressor::Gzip { level, zlib } => format!(r#","level":{level},"useZlib":{zlib}"#),
        Compressor::Bzip2 { block_size } => format!(r#","blockSize":{block_size}"#),
        Compressor::Xz { preset, .. } => format!(r#","preset":{preset}"#),
        Compressor::Lz4 { block_size } => format!(r#","blockSize":{block_size}"#),
        Compressor::Zstd { level, .. } => format!(r#","level":{level}"#),
        Compressor::Blosc { inner, level, shuffle, block_size, .. } => {
            let shuffle = match shuffle {
                BloscShuffle::None => 0,
                BloscShuffle::Auto if data_type.size() == 1 => 2,
                BloscShuffle::Byte | BloscShuffle::Auto => 1,
                BloscShuffle::Bit => 2,
            };
            format!(r#","cname":"{}","clevel":{level},"shuffle":{shuffle},"blocksize":{block_size}"#, inner.name())
        }
    };
    format!(r#"{{"type":"{}"{parameters}}}"#, compressor.n5_name())
}

/// A fresh attributes.json for an array.
///
/// # Errors
/// `NotRepresentable` naming what N5 cannot say: another chain than an N5 block, a fill value other than 0, an array without a shape;
/// `UnsupportedDataType` for a type that N5 has not.
pub fn n5_array_document(settings: &ArraySettings) -> Result<String> {
    let mut text = ObjectText::new();
    put_array(&mut text, settings)?;
    text.finish()
}

/// The members of an array.
pub(super) fn put_array(text: &mut ObjectText, settings: &ArraySettings) -> Result<()> {
    let not_representable = |(member, why): (&str, &str)| Error::new(ErrorKind::NotRepresentable, format!("`{member}`: {why}"));
    let compressor = match (obstacle(settings), &settings.chain) {
        (None, Chain::N5 { compressor }) => *compressor,
        (found, _) => return Err(not_representable(found.unwrap_or(NO_N5_BLOCKS))),
    };
    let shape = settings.array_shape.as_deref().ok_or_else(|| not_representable(("shape", "N5 needs the shape of the whole array")))?;
    if !DataType::N5.contains(&settings.data_type) {
        let message = format!("`data_type`: N5 has no {}; it has the integers, and floats of 32 and 64 bits", settings.data_type.name());
        return Err(Error::new(ErrorKind::UnsupportedDataType, message));
    }
    text.put("dimensions", &extents_to_json(shape))?;
    text.put("blockSize", &extents_to_json(&settings.chunk_shape))?;
    text.put("dataType", &format!("\"{}\"", settings.data_type.name()))?;
    text.put("compression", &compression_to_json(compressor, settings.data_type))
}

const NO_N5_BLOCKS: (&str, &str) = ("codecs", "N5 stores what one n5_default codec writes and nothing else; encode the array anew with it");

/// The member of zarr.json that N5 has no place for, and why.
pub(super) fn obstacle(settings: &ArraySettings) -> Option<(&'static str, &'static str)> {
    if matches!(settings.chain, Chain::Plain { .. }) {
        return Some(NO_N5_BLOCKS);
    }
    if settings.fill_value.iter().any(|&byte| byte != 0) {
        return Some(("fill_value", "N5 reads missing blocks as 0 and has no place for another value; write the blocks that are missing"));
    }
    None
}

/// Refuses containers from a later N5. A text that is no version counts as none, as it does for Java.
fn check_version(attributes: &Object) -> Result<()> {
    let Some(value) = attributes.get("n5").filter(|value| !value.is_null()) else {
        return Ok(());
    };
    let version = value.string("n5")?;
    let major: String = version.trim().chars().take_while(char::is_ascii_digit).collect();
    if major.is_empty() || major.parse::<u64>().is_ok_and(|major| major <= NEWEST_MAJOR_VERSION) {
        return Ok(());
    }
    let message = format!("`n5` is {}; zn5 reads versions up to {NEWEST_MAJOR_VERSION}", value.shown());
    Err(value.error(ErrorKind::InvalidMetadata, message))
}

/// Tells groups from arrays that lack a member.
///
/// Both sizes are what makes an array: the pyramid groups that viewers write have a `dataType` of their own.
fn check_is_array(attributes: &Object) -> Result<()> {
    let missing_member = match (attributes.get("dimensions"), attributes.get("blockSize")) {
        (Some(_), Some(_)) if attributes.get("dataType").is_none() => "dataType",
        (Some(_), Some(_)) => return Ok(()),
        (Some(_), None) => "blockSize",
        (None, Some(_)) => "dimensions",
        (None, None) if attributes.get("zarr_format").is_some() => {
            let message =
                "this describes no N5 array: it has neither `dimensions` nor `blockSize`, but Zarr's `zarr_format`; read it as zarr.json";
            return Err(attributes.value().error(ErrorKind::NotAnArray, message.to_owned()));
        }
        (None, None) => {
            let message = "the attributes have neither `dimensions` nor `blockSize`: this is a group, not an array";
            return Err(attributes.value().error(ErrorKind::NotAnArray, message.to_owned()));
        }
    };
    Err(missing(attributes, missing_member))
}

fn missing(attributes: &Object, member: &str) -> Error {
    let remedy = attributes.addition(member, "add it");
    let message = format!("the attributes have no `{member}`, which an array needs beside the members that are there; {remedy}");
    attributes.value().error(ErrorKind::InvalidMetadata, message)
}

fn data_type(value: Value) -> Result<DataType> {
    let name = value.string("dataType")?;
    DataType::from_name(&name).ok_or_else(|| {
        let message = format!("`dataType` is {}; zn5 reads (u)int8 to (u)int64, float32 and float64", quoted(&name));
        value.error(ErrorKind::UnsupportedDataType, message)
    })
}

/// The compressor of a `compressionType`, as it was before N5 2.0. Java reads every other word as raw; its data would be garbage.
fn compressor_of_word(value: Value) -> Result<Compressor> {
    let word = value.string("compressionType")?;
    let known = matches!(word.as_ref(), "raw" | "gzip" | "bzip2" | "lz4" | "xz");
    let none = Parameters { members: None, reading: Reading::Forgiving };
    let compressor = if known { compressor_of_type(&word, &none)? } else { None };
    compressor.ok_or_else(|| {
        let message = format!("`compressionType` is {}; it can be raw, gzip, bzip2, lz4 or xz", quoted(&word));
        value.error(ErrorKind::UnsupportedCompression, message)
    })
}

fn compressor(value: Value, reading: Reading) -> Result<Compressor> {
    let compression = value.object("compression")?;
    let type_value = compression.required("type")?;
    let type_name = type_value.string("compression.type")?;
    let parameters = Parameters { members: Some(&compression), reading };
    compressor_of_type(&type_name, &parameters)?.ok_or_else(|| {
        let message = format!("`compression.type` is {}; zn5 has raw, gzip, bzip2, xz, lz4, blosc and zstd", quoted(&type_name));
        type_value.error(ErrorKind::UnsupportedCompression, message)
    })
}

/// The compressor of this type. Where reading forgives, a parameter that is absent or outside its
/// range gets its default: decoding depends on none but `useZlib`.
fn compressor_of_type(type_name: &str, parameters: &Parameters) -> Result<Option<Compressor>> {
    Ok(Some(match type_name {
        "raw" => {
            parameters.only(&[])?;
            Compressor::Raw
        }
        "gzip" => {
            parameters.only(&["level", "useZlib"])?;
            // Java writes -1, which leaves the level to the compressor.
            let level = u8::try_from(parameters.integer("level", -1, 9, -1_i8)?).unwrap_or(6);
            Compressor::Gzip { level, zlib: parameters.boolean("useZlib")? }
        }
        "bzip2" => {
            parameters.only(&["blockSize"])?;
            Compressor::Bzip2 { block_size: parameters.integer("blockSize", 1, 9, 9)? }
        }
        "xz" => {
            parameters.only(&["preset"])?;
            Compressor::Xz { preset: parameters.integer("preset", 0, 9, 6)?, check: XzCheck::default() }
        }
        "lz4" => {
            parameters.only(&["blockSize"])?;
            Compressor::Lz4 { block_size: parameters.integer("blockSize", 64, 1 << 25, 65_536)? }
        }
        "blosc" => {
            parameters.only(&["cname", "clevel", "shuffle", "blocksize", "typesize", "nthreads"])?;
            // What Java's writer says beside the rest, and no reader needs.
            for name in ["typesize", "nthreads"] {
                parameters.integer(name, 0, i32::MAX.into(), 0_u32)?;
            }
            Compressor::Blosc {
                inner: parameters.blosc_inner("cname")?,
                level: parameters.integer("clevel", 0, 9, 6)?,
                shuffle: match parameters.integer("shuffle", -1, 2, 0_i8)? {
                    -1 => BloscShuffle::Auto,
                    1 => BloscShuffle::Byte,
                    2 => BloscShuffle::Bit,
                    _ => BloscShuffle::None,
                },
                block_size: parameters.integer("blocksize", 0, i32::MAX.into(), 0)?,
                type_size: None,
            }
        }
        "zstd" => {
            parameters.only(&["level", "id", "checksum", "nbWorkers"])?;
            // What zarr-python 2 and Java's writer say beside the level. No reader acts on it, so
            // zn5 does not either.
            parameters.boolean("checksum")?;
            parameters.integer("nbWorkers", 0, i32::MAX.into(), 0_u32)?;
            Compressor::Zstd { level: parameters.integer("level", -131_072, 22, 3)?, checksum: false }
        }
        _ => return Ok(None),
    }))
}

/// The members of a `compression`, and what becomes of odd ones.
struct Parameters<'a, 'b> {
    members: Option<&'b Object<'a>>,
    reading: Reading,
}

impl<'a> Parameters<'a, '_> {
    /// Refuses members beside `type` and these.
    fn only(&self, known: &[&str]) -> Result<()> {
        let Some(members) = self.members.filter(|_| self.reading == Reading::Exact) else { return Ok(()) };
        let known: Vec<&str> = known.iter().copied().chain(["type"]).collect();
        members.only(&known)
    }

    /// The value of a member that has to be `wanted`, once read by `read`.
    fn value<T>(
        &self,
        name: &str,
        default: T,
        read: impl FnOnce(Value<'a>) -> Option<T>,
        refused: impl FnOnce(Value<'a>, &str) -> Error,
    ) -> Result<T> {
        let Some(value) = self.members.and_then(|members| members.get(name)) else { return Ok(default) };
        match read(value) {
            Some(read) => Ok(read),
            None if self.reading == Reading::Forgiving => Ok(default),
            None => Err(refused(value, &format!("compression.{name}"))),
        }
    }

    fn integer<T: TryFrom<i128>>(&self, name: &str, least: i128, most: i128, default: T) -> Result<T> {
        let read = |value: Value| {
            let integer = Spelling::Whole.integer(value.raw()).filter(|integer| (least..=most).contains(integer));
            integer.and_then(|integer| T::try_from(integer).ok())
        };
        self.value(name, default, read, |value, path| value.invalid(path, &format!("an integer from {least} to {most}")))
    }

    /// A truth value, which is false where it is absent.
    fn boolean(&self, name: &str) -> Result<bool> {
        self.value(name, false, Value::boolean, |value, path| value.invalid(path, "true or false"))
    }

    fn blosc_inner(&self, name: &str) -> Result<BloscInner> {
        let read = |value: Value| {
            let name = value.text()?;
            BloscInner::ALL.into_iter().find(|inner| inner.name() == name)
        };
        self.value(name, BloscInner::BloscLz, read, |value, path| {
            let kind = if value.is_string() { ErrorKind::UnsupportedCompression } else { ErrorKind::InvalidMetadata };
            value.error(kind, format!("`{path}` is {}; zn5 has blosclz, lz4, lz4hc, zlib and zstd", value.shown()))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with_compression(compression: &str) -> String {
        format!(r#"{{"dimensions":[6,5],"blockSize":[4,3],"dataType":"uint16",{compression}}}"#)
    }

    fn compressor_in(compression: &str) -> Result<Compressor> {
        let settings = array_from_n5(with_compression(&format!(r#""compression":{compression}"#)).as_bytes())?;
        match settings.chain {
            Chain::N5 { compressor } => Ok(compressor),
            Chain::Plain { .. } => Err(Error::new(ErrorKind::Internal, "attributes.json gave a plain chain")),
        }
    }

    /// The error of a document, which must name each of `parts`.
    fn refused(json: &str, parts: &[&str]) -> ErrorKind {
        let error = array_from_n5(json.as_bytes()).unwrap_err();
        for part in parts {
            assert!(error.message().contains(part), "{error}: {part}");
        }
        assert!(error.offset().is_some(), "{error}");
        error.kind()
    }

    #[test]
    fn settings_have_the_document_s_order_and_zeros_as_fill() {
        let json = with_compression(r#""compression":{"type":"raw"}"#);
        let settings = array_from_n5(json.as_bytes()).unwrap();
        let expected = ArraySettings {
            data_type: DataType::UInt16,
            chunk_shape: vec![4, 3],
            array_shape: Some(vec![6, 5]),
            fill_value: vec![0, 0],
            chain: Chain::N5 { compressor: Compressor::Raw },
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn policy_16_arrays_may_have_no_dimensions() {
        let json = br#"{"dimensions":[],"blockSize":[],"dataType":"int8","compression":{"type":"raw"}}"#;
        assert_eq!(array_from_n5(json).unwrap().ndim(), 0);
    }

    #[test]
    fn dimensions_are_exact_and_may_be_0() {
        let json = br#"{"dimensions":[9007199254740993,9223372036854775807,18446744073709551615,0],"blockSize":[1,1,1,1],"dataType":"int8","compression":{"type":"raw"}}"#;
        let shape = array_from_n5(json).unwrap().array_shape.unwrap();
        assert_eq!(shape, [9_007_199_254_740_993, 9_223_372_036_854_775_807, u64::MAX, 0]);
    }

    #[test]
    fn policy_23_oddities_of_old_and_hand_written_files_are_read() {
        let rest = r#""dimensions":[6,5],"blockSize":[4,3],"dataType":"uint16","compression":{"type":"raw"}"#;
        let plain = array_from_n5(format!("{{{rest}}}").as_bytes()).unwrap();
        let accepted = [
            format!("\u{feff}{{{rest}}}"),
            format!("// an array\n{{ /* {{ */ {rest} // end\n }}"),
            format!(r#"{{"n5":"4.0.0",{rest}}}"#),
            format!(r#"{{"n5":"2",{rest}}}"#),
            format!(r#"{{"n5":"2.0",{rest}}}"#),
            format!(r#"{{"n5":"3.1.3-SNAPSHOT",{rest}}}"#),
            format!(r#"{{"n5":"",{rest}}}"#),
            format!(r#"{{"n5":null,{rest}}}"#),
            format!(r#"{{"pixelResolution":{{"unit":"nm"}},"shape":1,"codecs":"mine",{rest}}}"#),
            format!(r#"{{"\ud800":"\udfff","huge":1e9999,{rest}}}"#),
            with_compression(r#""compressionType":"raw""#),
            with_compression(r#""compressionType":"zip","compression":{"type":"raw"}"#),
            r#"{"dimensions":[6.0,5e0],"blockSize":[0.4e1,3.00],"dataType":"uint16","compression":{"type":"raw"}}"#.to_owned(),
            r#"{"dimensions":[1],"dimensions":[6,5],"blockSize":[4,3],"dataType":"uint16","compression":{"type":"raw"}}"#.to_owned(),
        ];
        for json in accepted {
            assert_eq!(array_from_n5(json.as_bytes()).unwrap(), plain, "{json}");
        }
        for (word, name) in [("raw", "raw"), ("gzip", "gzip"), ("bzip2", "bzip2"), ("lz4", "lz4"), ("xz", "xz")] {
            let settings = array_from_n5(with_compression(&format!(r#""compressionType":"{word}""#)).as_bytes()).unwrap();
            assert!(matches!(settings.chain, Chain::N5 { compressor } if compressor.n5_name() == name));
        }
    }

    #[test]
    fn policy_23_what_would_be_misread_is_refused() {
        let rest = r#""dataType":"uint16","compression":{"type":"raw"}"#;
        for version in ["5.0.0", "5", "40", "99999999999999999999.0"] {
            let json = format!(r#"{{"n5":"{version}","dimensions":[6],"blockSize":[4],{rest}}}"#);
            assert_eq!(refused(&json, &["n5", version]), ErrorKind::InvalidMetadata);
        }
        let sizes = [
            ("[-6]", "[4]", "dimensions[0]", "-6"),
            ("[6.5]", "[4]", "dimensions[0]", "6.5"),
            ("[\"6\"]", "[4]", "dimensions[0]", "\"6\""),
            ("[18446744073709551616]", "[4]", "dimensions[0]", "18446744073709551616"),
            ("6", "[4]", "dimensions", "6"),
            ("null", "[4]", "dimensions", "null"),
            ("[6]", "[0]", "blockSize[0]", "0"),
            ("[6]", "[-4]", "blockSize[0]", "-4"),
            ("[6]", "[0.5]", "blockSize[0]", "0.5"),
            ("[6]", "[4,3]", "blockSize", "2"),
            ("[6,5]", "[4]", "blockSize", "1"),
            ("[6]", "{}", "blockSize", "{}"),
        ];
        for (dimensions, block_size, member, value) in sizes {
            let json = format!(r#"{{"dimensions":{dimensions},"blockSize":{block_size},{rest}}}"#);
            assert_eq!(refused(&json, &[member, value]), ErrorKind::InvalidMetadata);
        }
        for word in ["zip", "blosc", "zstd", "RAW", ""] {
            let json = with_compression(&format!(r#""compressionType":"{word}""#));
            assert_eq!(refused(&json, &["compressionType", word]), ErrorKind::UnsupportedCompression);
        }
        let wrong_types = [
            (r#""compression":"raw""#, "compression", "\"raw\""),
            (r#""compression":null"#, "compression", "null"),
            (r#""compression":{}"#, "compression", "type"),
            (r#""compression":{"type":6}"#, "compression.type", "6"),
            (r#""compressionType":6"#, "compressionType", "6"),
            (r#""n5":4,"compression":{"type":"raw"}"#, "n5", "4"),
        ];
        for (member, name, value) in wrong_types {
            assert_eq!(refused(&with_compression(member), &[name, value]), ErrorKind::InvalidMetadata);
        }
    }

    #[test]
    fn groups_and_incomplete_arrays_are_told_apart() {
        let groups =
            ["{}", r#"{"n5":"4.0.0"}"#, r#"{"dataType":"uint16","downsamplingFactors":[[1,1,1]]}"#, r#"{"compression":{"type":"raw"}}"#];
        for json in groups {
            assert_eq!(refused(json, &["group"]), ErrorKind::NotAnArray, "{json}");
        }
        let members = [
            ("dimensions", r#""dimensions":[6]"#),
            ("blockSize", r#""blockSize":[4]"#),
            ("dataType", r#""dataType":"int8""#),
            ("compression", r#""compression":{"type":"raw"}"#),
        ];
        for (left_out, _) in members {
            let kept: Vec<_> = members.iter().filter(|(name, _)| *name != left_out).map(|(_, member)| *member).collect();
            assert_eq!(refused(&format!("{{{}}}", kept.join(",")), &[left_out]), ErrorKind::InvalidMetadata);
        }
        for json in ["[1,2]", "7", "null", "\"text\""] {
            assert_eq!(refused(json, &["the document", json]), ErrorKind::InvalidMetadata);
        }
    }

    #[test]
    fn policy_24_jpeg_and_unknown_compressions_are_named() {
        for name in ["jpeg", "zfp", "lzma", "GZIP", "zlib"] {
            let json = with_compression(&format!(r#""compression":{{"type":"{name}"}}"#));
            assert_eq!(refused(&json, &["compression.type", name]), ErrorKind::UnsupportedCompression);
        }
    }

    #[test]
    fn the_ten_types_are_read_and_others_named() {
        for data_type in DataType::N5 {
            let json = format!(r#"{{"dimensions":[6],"blockSize":[4],"dataType":"{}","compression":{{"type":"raw"}}}}"#, data_type.name());
            let settings = array_from_n5(json.as_bytes()).unwrap();
            assert_eq!((settings.data_type, settings.fill_value.len()), (data_type, data_type.size()));
        }
        for name in ["float16", "bool", "complex64", "string", "object", "UINT8", "fixed_length_utf32", ""] {
            let json = format!(r#"{{"dimensions":[6],"blockSize":[4],"dataType":"{name}","compression":{{"type":"raw"}}}}"#);
            assert_eq!(refused(&json, &["dataType", name]), ErrorKind::UnsupportedDataType);
        }
        let json = r#"{"dimensions":[6],"blockSize":[4],"dataType":1,"compression":{"type":"raw"}}"#;
        assert_eq!(refused(json, &["dataType", "1"]), ErrorKind::InvalidMetadata);
    }

    #[test]
    fn policy_32_absent_and_odd_parameters_open_with_defaults() {
        let gzip = Compressor::Gzip { level: 6, zlib: false };
        let blosc = Compressor::Blosc { inner: BloscInner::BloscLz, level: 6, shuffle: BloscShuffle::None, block_size: 0, type_size: None };
        let zstd = Compressor::Zstd { level: 3, checksum: false };
        let xz = Compressor::Xz { preset: 6, check: XzCheck::Crc64 };
        let cases = [
            (r#"{"type":"raw","level":9}"#, Compressor::Raw),
            (r#"{"type":"gzip"}"#, gzip),
            (r#"{"type":"gzip","level":-1}"#, gzip),
            (r#"{"type":"gzip","level":10,"useZlib":null}"#, gzip),
            (r#"{"type":"gzip","level":"9","useZlib":"true","nonsense":{}}"#, gzip),
            (r#"{"type":"gzip","level":9.0,"useZlib":true}"#, Compressor::Gzip { level: 9, zlib: true }),
            (r#"{"type":"gzip","level":0}"#, Compressor::Gzip { level: 0, zlib: false }),
            (r#"{"type":"bzip2"}"#, Compressor::Bzip2 { block_size: 9 }),
            (r#"{"type":"bzip2","blockSize":0}"#, Compressor::Bzip2 { block_size: 9 }),
            (r#"{"type":"bzip2","blockSize":1}"#, Compressor::Bzip2 { block_size: 1 }),
            (r#"{"type":"xz"}"#, xz),
            (r#"{"type":"xz","preset":-1}"#, xz),
            (r#"{"type":"xz","preset":0}"#, Compressor::Xz { preset: 0, check: XzCheck::Crc64 }),
            (r#"{"type":"lz4"}"#, Compressor::Lz4 { block_size: 65_536 }),
            (r#"{"type":"lz4","blockSize":6}"#, Compressor::Lz4 { block_size: 65_536 }),
            (r#"{"type":"lz4","blockSize":33554433}"#, Compressor::Lz4 { block_size: 65_536 }),
            (r#"{"type":"lz4","blockSize":64}"#, Compressor::Lz4 { block_size: 64 }),
            (r#"{"type":"zstd"}"#, zstd),
            (r#"{"type":"zstd","id":"zstd","level":3,"checksum":true}"#, zstd),
            (r#"{"type":"zstd","level":23}"#, zstd),
            (r#"{"type":"zstd","level":-131072}"#, Compressor::Zstd { level: -131_072, checksum: false }),
            (r#"{"type":"zstd","level":0}"#, Compressor::Zstd { level: 0, checksum: false }),
            (r#"{"type":"blosc"}"#, blosc),
            (r#"{"type":"blosc","cname":"snappy","clevel":10,"shuffle":3,"blocksize":-1,"nthreads":1,"typesize":1}"#, blosc),
            (
                r#"{"type":"blosc","cname":"lz4hc","clevel":0,"shuffle":2,"blocksize":256}"#,
                Compressor::Blosc { inner: BloscInner::Lz4Hc, level: 0, shuffle: BloscShuffle::Bit, block_size: 256, type_size: None },
            ),
            (
                r#"{"type":"blosc","cname":"zstd","shuffle":-1}"#,
                Compressor::Blosc { inner: BloscInner::Zstd, level: 6, shuffle: BloscShuffle::Auto, block_size: 0, type_size: None },
            ),
            (
                r#"{"type":"blosc","cname":"zlib","shuffle":1}"#,
                Compressor::Blosc { inner: BloscInner::Zlib, level: 6, shuffle: BloscShuffle::Byte, block_size: 0, type_size: None },
            ),
        ];
        for (json, expected) in cases {
            assert_eq!(compressor_in(json).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn policy_22_fresh_documents_say_what_the_settings_say() {
        let json = with_compression(r#""compression":{"type":"gzip","level":-1,"x":1}"#);
        let settings = array_from_n5(json.as_bytes()).unwrap();
        let written = n5_array_document(&settings).unwrap();
        assert_eq!(
            written,
            r#"{"dimensions":[6,5],"blockSize":[4,3],"dataType":"uint16","compression":{"type":"gzip","level":6,"useZlib":false}}"#
        );
        assert_eq!(array_from_n5(written.as_bytes()).unwrap(), settings);
        let plain = Chain::Plain { endian: crate::model::Endian::Big, compressors: Vec::new() };
        for (settings, member) in [
            (ArraySettings { chain: plain, ..settings.clone() }, "codecs"),
            (ArraySettings { fill_value: vec![0, 1], ..settings.clone() }, "fill_value"),
            (ArraySettings { array_shape: None, ..settings.clone() }, "shape"),
        ] {
            let error = n5_array_document(&settings).unwrap_err();
            assert!(error.kind() == ErrorKind::NotRepresentable && error.message().contains(member), "{error}");
        }
        let text = ArraySettings { data_type: DataType::FixedUtf32 { length_bytes: 8 }, fill_value: vec![0; 8], ..settings };
        let error = n5_array_document(&text).unwrap_err();
        assert!(error.kind() == ErrorKind::UnsupportedDataType && error.message().contains("fixed_length_utf32"), "{error}");
    }

    #[test]
    fn policy_22_compression_is_written_with_exactly_the_members_that_all_readers_take() {
        for json in [
            r#"{"type":"raw"}"#,
            r#"{"type":"gzip","level":6,"useZlib":false}"#,
            r#"{"type":"gzip","level":0,"useZlib":true}"#,
            r#"{"type":"bzip2","blockSize":9}"#,
            r#"{"type":"xz","preset":6}"#,
            r#"{"type":"lz4","blockSize":65536}"#,
            r#"{"type":"zstd","level":-5}"#,
            r#"{"type":"blosc","cname":"lz4hc","clevel":5,"shuffle":2,"blocksize":0}"#,
        ] {
            let attributes = format!(r#"{{"dimensions":[5],"blockSize":[3],"dataType":"uint16","compression":{json}}}"#);
            let Chain::N5 { compressor } = array_from_n5(attributes.as_bytes()).unwrap().chain else { unreachable!() };
            assert_eq!(compression_to_json(compressor, DataType::UInt16), json);
        }
        let auto = |data_type| {
            let shuffle = BloscShuffle::Auto;
            let compressor = Compressor::Blosc { inner: BloscInner::Zstd, level: 1, shuffle, block_size: 8, type_size: Some(4) };
            compression_to_json(compressor, data_type)
        };
        assert_eq!(auto(DataType::Int8), r#"{"type":"blosc","cname":"zstd","clevel":1,"shuffle":2,"blocksize":8}"#);
        assert_eq!(auto(DataType::Int16), r#"{"type":"blosc","cname":"zstd","clevel":1,"shuffle":1,"blocksize":8}"#);
    }
}
