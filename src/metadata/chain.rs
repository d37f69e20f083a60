//! Zarr's codec chains from and to `Chain`: one `n5_default`, or `bytes` and bytes-to-bytes codecs.
//!
//! The rules of `n5_default` are those of the specification's text; its published schema is weaker.

use std::fmt::Write as _;

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::{ArraySettings, Chain, Compressor, DataType, Endian, try_vec};

use super::codecs;
use super::extension::Extension;
use crate::json::Value;

/// The chain of an array's `codecs`.
pub(super) fn of_array(value: Value, data_type: DataType, ndim: usize) -> Result<Chain> {
    let codecs = parse_all(value, "codecs")?;
    let Some(n5) = codecs.iter().find(|codec| codec.name() == "n5_default") else {
        return plain(value, &codecs, data_type);
    };
    if let Some(other) = codecs.iter().find(|codec| !std::ptr::eq(*codec, n5)) {
        return Err(unsupported(other, "n5_default stands alone: what it holds goes into its own `codecs`"));
    }
    n5_default(n5, data_type, ndim)
}

/// The chain of a codec object, which must be an `n5_default`.
pub(super) fn of_codec_object(value: Value, data_type: DataType, ndim: usize) -> Result<Chain> {
    if let Ok(object) = value.object("codec")
        && object.get("name").is_none()
        && object.get("type").is_some()
    {
        let message = "the codec has `type` and no `name`: it looks like N5's `compression`; give the object {\"name\":\"n5_default\",…}, \
                       or read the whole attributes.json";
        return Err(value.error(ErrorKind::InvalidMetadata, message.to_owned()));
    }
    let codec = Extension::parse(value, "codec")?;
    if codec.name() != "n5_default" {
        return Err(unsupported(&codec, "a block codec is an n5_default"));
    }
    n5_default(&codec, data_type, ndim)
}

/// The `n5_default` object of an N5 chain, or the array of codecs of a plain one.
pub(super) fn to_json(settings: &ArraySettings) -> Result<String> {
    let mut json = String::new();
    match &settings.chain {
        Chain::N5 { compressor } => {
            json.push_str(r#"{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":["#);
            for axis in (0..settings.ndim()).rev() {
                let separator = if axis == 0 { "" } else { "," };
                // Writing to a String cannot fail.
                let _ = write!(json, "{axis}{separator}");
            }
            json.push_str(r#"]}},{"name":"bytes","configuration":{"endian":"big"}}"#);
            push_codec(&mut json, *compressor, settings.data_type)?;
            json.push_str("]}}");
        }
        Chain::Plain { endian, compressors } => {
            let endian = match endian {
                Endian::Little => "little",
                Endian::Big => "big",
            };
            let _ = write!(json, r#"[{{"name":"bytes","configuration":{{"endian":"{endian}"}}}}"#);
            for &compressor in compressors {
                push_codec(&mut json, compressor, settings.data_type)?;
            }
            json.push(']');
        }
    }
    Ok(json)
}

fn push_codec(json: &mut String, compressor: Compressor, data_type: DataType) -> Result<()> {
    if let Some(codec) = codecs::to_json(compressor, data_type)? {
        json.push(',');
        json.push_str(&codec);
    }
    Ok(())
}

fn parse_all<'a>(value: Value<'a>, path: &str) -> Result<Vec<Extension<'a>>> {
    let items = value.array(path)?;
    let mut codecs = try_vec(items.len())?;
    for (index, item) in items.into_iter().enumerate() {
        codecs.push(Extension::parse(item, &format!("{path}[{index}]"))?);
    }
    Ok(codecs)
}

fn n5_default(codec: &Extension, data_type: DataType, ndim: usize) -> Result<Chain> {
    if let Some(value) = codec.must_understand() {
        let message = format!("`{}` has a member `must_understand`, which n5_default does not allow; remove it", codec.path());
        return Err(value.error(ErrorKind::InvalidMetadata, message));
    }
    let inner = codec.required("codecs")?;
    codec.only(&["codecs"])?;
    if let DataType::FixedUtf32 { .. } = data_type {
        let message = "N5 blocks hold no fixed_length_utf32; use one of N5's ten numeric types, or a plain `bytes` chain".to_owned();
        return Err(codec.value().error(ErrorKind::UnsupportedDataType, message));
    }
    let path = codec.path_of("codecs");
    let codecs = parse_all(inner, &path)?;
    let mut codecs = codecs.iter();
    let place = |wanted: &str| inner.invalid(&path, wanted);
    let transpose = codecs.next().ok_or_else(|| place("an array that begins with `transpose` and `bytes`"))?;
    check_transpose(transpose, ndim)?;
    let bytes = codecs.next().ok_or_else(|| place("an array with `bytes` after `transpose`"))?;
    check_big_endian(bytes, data_type)?;
    let compressor = match codecs.next() {
        Some(codec) => known_compressor(codec, data_type)?,
        None => Compressor::Raw,
    };
    if let Some(extra) = codecs.next() {
        return Err(unsupported(extra, "n5_default holds at most one codec after `bytes`"));
    }
    Ok(Chain::N5 { compressor })
}

fn check_transpose(codec: &Extension, ndim: usize) -> Result<()> {
    if codec.name() != "transpose" {
        return Err(codec.value().invalid(codec.path(), "`transpose`, the first codec inside n5_default"));
    }
    codec.only(&["order"])?;
    let order = codec.required("order")?;
    let path = codec.path_of("order");
    let items = order.array(&path)?;
    let reversed = (0..ndim).rev().map(|axis| u64::try_from(axis).ok());
    // Digits only: neither 1.0 nor "1" names an axis.
    let found = items.iter().map(|item| item.raw().parse::<u64>().ok());
    if items.len() != ndim || !found.eq(reversed) {
        return Err(order.invalid(&path, &format!("all {ndim} axes in reverse, the last one first")));
    }
    Ok(())
}

fn check_big_endian(codec: &Extension, data_type: DataType) -> Result<()> {
    if codec.name() != "bytes" {
        return Err(codec.value().invalid(codec.path(), "`bytes`, the second codec inside n5_default"));
    }
    match endian(codec, data_type)? {
        None | Some(Endian::Big) => Ok(()),
        Some(Endian::Little) => {
            let message = format!("`{}` is \"little\"; N5 blocks are \"big\", even for one-byte types", codec.path_of("endian"));
            let value = codec.get("endian").unwrap_or_else(|| codec.value());
            Err(value.error(ErrorKind::InvalidMetadata, message))
        }
    }
}

/// The byte order of a `bytes` codec, which only one-byte types may leave out.
fn endian(codec: &Extension, data_type: DataType) -> Result<Option<Endian>> {
    codec.only(&["endian"])?;
    let Some(value) = codec.get("endian") else {
        if data_type.unit_size() == 1 {
            return Ok(None);
        }
        let message = format!("`{}` says no `endian`; {} needs it written out", codec.path(), data_type.name());
        return Err(codec.value().error(ErrorKind::InvalidMetadata, message));
    };
    match value.text().as_deref() {
        Some("little") => Ok(Some(Endian::Little)),
        Some("big") => Ok(Some(Endian::Big)),
        _ => Err(value.invalid(&codec.path_of("endian"), r#""little" or "big""#)),
    }
}

/// The most compressors of a plain chain. Each lets the stream before it be longer than what it holds, so that without an end to them
/// a short block could ask for any amount of memory.
const MAX_COMPRESSORS: usize = 16;

fn plain(value: Value, codecs: &[Extension], data_type: DataType) -> Result<Chain> {
    let Some((first, rest)) = codecs.split_first() else {
        return Err(value.invalid("codecs", "an array that begins with `n5_default` or `bytes`"));
    };
    if first.name() != "bytes" {
        let message = match codecs::compressor(first, data_type)? {
            Some(_) => return Err(first.value().invalid(first.path(), "`n5_default` or `bytes`, before any compressor")),
            None => "zn5 reads chains that begin with `n5_default` or `bytes`",
        };
        return Err(unsupported(first, message));
    }
    // One-byte types may leave the order out; then it means nothing.
    let endian = endian(first, data_type)?.unwrap_or(Endian::Little);
    if let Some(extra) = rest.get(MAX_COMPRESSORS) {
        return Err(unsupported(extra, &format!("zn5 reads chains of at most {MAX_COMPRESSORS} codecs after `bytes`")));
    }
    let mut compressors = try_vec(rest.len())?;
    for codec in rest {
        compressors.push(known_compressor(codec, data_type)?);
    }
    Ok(Chain::Plain { endian, compressors })
}

fn known_compressor(codec: &Extension, data_type: DataType) -> Result<Compressor> {
    let remedy = "after `bytes`, zn5 knows gzip, zstd, blosc, numcodecs.bz2, numcodecs.lzma and numcodecs.zlib";
    codecs::compressor(codec, data_type)?.ok_or_else(|| unsupported(codec, remedy))
}

fn unsupported(codec: &Extension, why: &str) -> Error {
    let message = format!("`{}` is the codec {}; {why}", codec.path(), quoted(codec.name()));
    codec.value().error(ErrorKind::UnsupportedCodec, message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::model::{BloscInner, BloscShuffle, XzCheck};

    use super::*;
    use crate::json::Document;

    const TRANSPOSE: &str = r#"{"name":"transpose","configuration":{"order":[1,0]}}"#;
    const BIG: &str = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;
    const LITTLE: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    const GZIP: &str = r#"{"name":"gzip","configuration":{"level":5}}"#;

    fn inner(codecs: &str, data_type: DataType, ndim: usize) -> Result<Chain> {
        codec(&format!(r#"{{"name":"n5_default","configuration":{{"codecs":[{codecs}]}}}}"#), data_type, ndim)
    }

    fn codec(json: &str, data_type: DataType, ndim: usize) -> Result<Chain> {
        of_codec_object(Document::strict(json.as_bytes())?.root()?, data_type, ndim)
    }

    fn array(codecs: &str, data_type: DataType) -> Result<Chain> {
        of_array(Document::strict(format!("[{codecs}]").as_bytes())?.root()?, data_type, 2)
    }

    fn check_refusal(result: Result<Chain>, kind: ErrorKind, part: &str) {
        let error = result.unwrap_err();
        assert!(error.kind() == kind && error.message().contains(part), "{:?} {error}: {part}", error.kind());
        assert!(error.offset().is_some(), "{error}");
    }

    #[test]
    fn policy_18_the_bytes_of_n5_are_big_and_absent_only_for_one_byte_types() {
        let raw = Chain::N5 { compressor: Compressor::Raw };
        for data_type in DataType::N5 {
            assert_eq!(inner(&format!("{TRANSPOSE},{BIG}"), data_type, 2).unwrap(), raw);
            check_refusal(inner(&format!("{TRANSPOSE},{LITTLE}"), data_type, 2), ErrorKind::InvalidMetadata, "endian");
            for bare in [r#""bytes""#, r#"{"name":"bytes"}"#, r#"{"name":"bytes","configuration":{}}"#] {
                let result = inner(&format!("{TRANSPOSE},{bare}"), data_type, 2);
                if data_type.size() == 1 {
                    assert_eq!(result.unwrap(), raw);
                } else {
                    check_refusal(result, ErrorKind::InvalidMetadata, "endian");
                }
            }
            for odd in [r#""native""#, "null", r#""BIG""#] {
                let bytes = format!(r#"{{"name":"bytes","configuration":{{"endian":{odd}}}}}"#);
                check_refusal(inner(&format!("{TRANSPOSE},{bytes}"), data_type, 2), ErrorKind::InvalidMetadata, "endian");
            }
        }
    }

    #[test]
    fn policy_18_plain_chains_name_their_order_but_for_one_byte_types() {
        for data_type in DataType::N5 {
            for (bytes, endian) in [(BIG, Endian::Big), (LITTLE, Endian::Little)] {
                assert_eq!(array(bytes, data_type).unwrap(), Chain::Plain { endian, compressors: vec![] });
            }
            if data_type.size() == 1 {
                assert!(array(r#""bytes""#, data_type).is_ok());
            } else {
                check_refusal(array(r#""bytes""#, data_type), ErrorKind::InvalidMetadata, "endian");
            }
        }
        check_refusal(array(r#""bytes""#, DataType::FixedUtf32 { length_bytes: 4 }), ErrorKind::InvalidMetadata, "endian");
    }

    #[test]
    fn the_transpose_reverses_every_axis() {
        let transpose = |order: &str| format!(r#"{{"name":"transpose","configuration":{{"order":{order}}}}},"bytes""#);
        for (order, ndim) in [("[]", 0), ("[0]", 1), ("[1,0]", 2), ("[2,1,0]", 3), ("[8,7,6,5,4,3,2,1,0]", 9)] {
            assert!(inner(&transpose(order), DataType::UInt8, ndim).is_ok());
            let json = transpose(order);
            check_refusal(inner(&json, DataType::UInt8, ndim.checked_add(1).unwrap()), ErrorKind::InvalidMetadata, "order");
        }
        for order in ["[0,1]", "[1,1]", "[2,1]", "[1]", "[1,0,0]", "\"C\"", "\"F\"", "[1.0,0]", "[\"1\",\"0\"]", "[1,-0]", "null", "{}"] {
            check_refusal(inner(&transpose(order), DataType::UInt8, 2), ErrorKind::InvalidMetadata, "order");
        }
        let extra = r#"{"name":"transpose","configuration":{"order":[1,0],"x":1}},"bytes""#;
        check_refusal(inner(extra, DataType::UInt8, 2), ErrorKind::InvalidMetadata, "\"x\"");
        check_refusal(inner(r#""transpose","bytes""#, DataType::UInt8, 2), ErrorKind::InvalidMetadata, "order");
    }

    #[test]
    fn policy_19_n5_default_holds_transpose_bytes_and_at_most_one_known_compressor() {
        use ErrorKind::{InvalidMetadata, UnsupportedCodec};
        let gzip = Chain::N5 { compressor: Compressor::Gzip { level: 5, zlib: false } };
        assert_eq!(inner(&format!("{TRANSPOSE},{BIG},{GZIP}"), DataType::UInt16, 2).unwrap(), gzip);
        let cases = [
            (String::new(), InvalidMetadata, "transpose"),
            (TRANSPOSE.to_owned(), InvalidMetadata, "bytes"),
            (BIG.to_owned(), InvalidMetadata, "transpose"),
            (format!("{BIG},{TRANSPOSE}"), InvalidMetadata, "transpose"),
            (format!("{TRANSPOSE},{TRANSPOSE},{BIG}"), InvalidMetadata, "bytes"),
            (format!("{TRANSPOSE},{GZIP}"), InvalidMetadata, "bytes"),
            (format!("{TRANSPOSE},{BIG},{GZIP},{GZIP}"), UnsupportedCodec, "gzip"),
            (format!("{TRANSPOSE},{BIG},\"gzip\""), InvalidMetadata, "gzip"),
            (format!("{TRANSPOSE},{BIG},\"crc32c\""), UnsupportedCodec, "crc32c"),
            (format!("{TRANSPOSE},{BIG},{BIG}"), UnsupportedCodec, "bytes"),
            (format!("{TRANSPOSE},{BIG},{TRANSPOSE}"), UnsupportedCodec, "transpose"),
            (format!("{TRANSPOSE},{BIG},\"sharding_indexed\""), UnsupportedCodec, "sharding_indexed"),
            (format!("{TRANSPOSE},{BIG},\"numcodecs.lz4\""), UnsupportedCodec, "numcodecs.lz4"),
            (format!("{TRANSPOSE},{BIG},null"), InvalidMetadata, "codecs[2]"),
        ];
        for (codecs, kind, part) in cases {
            check_refusal(inner(&codecs, DataType::UInt16, 2), kind, part);
        }
    }

    #[test]
    fn policy_19_the_object_of_n5_default_has_no_further_members() {
        use ErrorKind::{InvalidMetadata, UnsupportedCodec};
        let codecs = format!(r#""codecs":[{TRANSPOSE},{BIG}]"#);
        let cases = [
            (r#""n5_default""#.to_owned(), InvalidMetadata, "n5_default"),
            (r#"{"name":"n5_default"}"#.to_owned(), InvalidMetadata, "codecs"),
            (r#"{"name":"n5_default","configuration":{}}"#.to_owned(), InvalidMetadata, "codecs"),
            (format!(r#"{{"name":"n5_default","configuration":{{{codecs},"level":1}}}}"#), InvalidMetadata, "level"),
            (format!(r#"{{"name":"n5_default","configuration":{{{codecs}}},"level":1}}"#), InvalidMetadata, "level"),
            (format!(r#"{{"name":"n5_default","configuration":{{{codecs}}},"must_understand":true}}"#), InvalidMetadata, "must_understand"),
            (
                format!(r#"{{"name":"n5_default","configuration":{{{codecs}}},"must_understand":false}}"#),
                InvalidMetadata,
                "must_understand",
            ),
            (format!(r#"{{"name":"zarrs.n5","configuration":{{{codecs}}}}}"#), UnsupportedCodec, "zarrs.n5"),
            (format!(r#"{{"configuration":{{{codecs}}}}}"#), InvalidMetadata, "name"),
            (format!("[{BIG}]"), InvalidMetadata, "codec"),
        ];
        for (json, kind, part) in cases {
            check_refusal(codec(&json, DataType::UInt16, 2), kind, part);
        }
    }

    #[test]
    fn policy_29_n5_blocks_hold_no_utf32() {
        let text = DataType::FixedUtf32 { length_bytes: 4 };
        check_refusal(inner(&format!("{TRANSPOSE},{BIG}"), text, 2), ErrorKind::UnsupportedDataType, "fixed_length_utf32");
    }

    #[test]
    fn policy_15_plain_chains_have_at_most_16_compressors() {
        let longest = format!("{LITTLE}{}", format!(",{GZIP}").repeat(MAX_COMPRESSORS));
        assert!(matches!(array(&longest, DataType::UInt16).unwrap(), Chain::Plain { compressors, .. } if compressors.len() == 16));
        check_refusal(array(&format!("{longest},{GZIP}"), DataType::UInt16), ErrorKind::UnsupportedCodec, "codecs[17]");
    }

    #[test]
    fn policy_19_plain_chains_are_bytes_and_any_known_compressors() {
        use ErrorKind::{InvalidMetadata, UnsupportedCodec};
        let gzip = Compressor::Gzip { level: 5, zlib: false };
        let twice = Chain::Plain { endian: Endian::Little, compressors: vec![gzip, gzip] };
        assert_eq!(array(&format!("{LITTLE},{GZIP},{GZIP}"), DataType::UInt16).unwrap(), twice);
        let n5 = format!(r#"{{"name":"n5_default","configuration":{{"codecs":[{TRANSPOSE},{BIG}]}}}}"#);
        assert_eq!(array(&n5, DataType::UInt16).unwrap(), Chain::N5 { compressor: Compressor::Raw });
        let cases = [
            (String::new(), InvalidMetadata, "codecs"),
            (GZIP.to_owned(), InvalidMetadata, "gzip"),
            (format!("{TRANSPOSE},{BIG}"), UnsupportedCodec, "transpose"),
            (r#"{"name":"sharding_indexed","configuration":{}}"#.to_owned(), UnsupportedCodec, "sharding_indexed"),
            (r#""vlen-utf8""#.to_owned(), UnsupportedCodec, "vlen-utf8"),
            (format!("{BIG},\"crc32c\""), UnsupportedCodec, "crc32c"),
            (format!("{BIG},{{\"name\":\"crc32c\",\"must_understand\":false}}"), UnsupportedCodec, "crc32c"),
            (format!("{BIG},{BIG}"), UnsupportedCodec, "bytes"),
            (format!("{n5},{GZIP}"), UnsupportedCodec, "gzip"),
            (format!("{TRANSPOSE},{n5}"), UnsupportedCodec, "transpose"),
            (format!("{n5},{n5}"), UnsupportedCodec, "codecs[1]"),
        ];
        for (codecs, kind, part) in cases {
            check_refusal(array(&codecs, DataType::UInt16), kind, part);
        }
    }

    #[test]
    fn policy_20_chains_are_written_compactly() {
        let settings = |chain, chunk_shape: &[u64]| ArraySettings {
            data_type: DataType::UInt16,
            chunk_shape: chunk_shape.to_vec(),
            array_shape: None,
            fill_value: vec![0, 0],
            chain,
        };
        let raw = settings(Chain::N5 { compressor: Compressor::Raw }, &[3, 2]);
        assert_eq!(to_json(&raw).unwrap(), format!(r#"{{"name":"n5_default","configuration":{{"codecs":[{TRANSPOSE},{BIG}]}}}}"#));
        let scalar = settings(Chain::N5 { compressor: Compressor::Gzip { level: 5, zlib: false } }, &[]);
        let order = r#"{"name":"transpose","configuration":{"order":[]}}"#;
        assert_eq!(to_json(&scalar).unwrap(), format!(r#"{{"name":"n5_default","configuration":{{"codecs":[{order},{BIG},{GZIP}]}}}}"#));
        let blosc = Compressor::Blosc { inner: BloscInner::Zstd, level: 9, shuffle: BloscShuffle::Bit, block_size: 0, type_size: None };
        let xz = Compressor::Xz { preset: 6, check: XzCheck::Sha256 };
        let plain = settings(Chain::Plain { endian: Endian::Little, compressors: vec![blosc, xz] }, &[3]);
        let expected = [
            LITTLE,
            r#"{"name":"blosc","configuration":{"cname":"zstd","clevel":9,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}"#,
            r#"{"name":"numcodecs.lzma","configuration":{"format":1,"check":10,"preset":6,"filters":null}}"#,
        ];
        assert_eq!(to_json(&plain).unwrap(), format!("[{}]", expected.join(",")));
        let lz4 = settings(Chain::N5 { compressor: Compressor::Lz4 { block_size: 65_536 } }, &[3]);
        assert_eq!(to_json(&lz4).unwrap_err().kind(), ErrorKind::NotRepresentable);
    }
}
