//! Zarr's bytes-to-bytes codecs from and to `Compressor`.
//!
//! Members that a codec does not define are refused, because they might change bytes; only Blosc's `nthreads` cannot.

use crate::error::Error;
use crate::error::{ErrorKind, Result};
use crate::model::{BloscInner, BloscShuffle, Compressor, DataType, XzCheck};

use super::extension::Extension;
use super::number::{Spelling, integer_in};

/// The compressor that a codec stands for, or `None` where zn5 knows no bytes-to-bytes codec of this name.
pub(super) fn compressor(codec: &Extension, data_type: DataType) -> Result<Option<Compressor>> {
    Ok(Some(match codec.name() {
        "gzip" => {
            codec.only(&["level"])?;
            Compressor::Gzip { level: required_level(codec)?, zlib: false }
        }
        "numcodecs.zlib" => {
            codec.only(&["level"])?;
            Compressor::Gzip { level: numcodecs_level(codec, 0)?, zlib: true }
        }
        "numcodecs.bz2" => {
            codec.only(&["level"])?;
            Compressor::Bzip2 { block_size: numcodecs_level(codec, 1)? }
        }
        "numcodecs.lzma" => lzma(codec)?,
        "zstd" => zstd(codec)?,
        "blosc" => blosc(codec, data_type)?,
        _ => return Ok(None),
    }))
}

/// The codec object of a compressor; `None` for `Raw`, which is the absence of a codec.
pub(super) fn to_json(compressor: Compressor, data_type: DataType) -> Result<Option<String>> {
    let (name, configuration) = match compressor {
        Compressor::Raw => return Ok(None),
        Compressor::Gzip { level, zlib: false } => ("gzip", format!(r#""level":{level}"#)),
        Compressor::Gzip { level, zlib: true } => ("numcodecs.zlib", format!(r#""level":{level}"#)),
        Compressor::Bzip2 { block_size } => ("numcodecs.bz2", format!(r#""level":{block_size}"#)),
        Compressor::Xz { preset, check } => {
            let check = check_number(check);
            ("numcodecs.lzma", format!(r#""format":1,"check":{check},"preset":{preset},"filters":null"#))
        }
        Compressor::Lz4 { .. } => {
            let message = "the N5 compression `lz4` has no equivalent among Zarr's codecs (`numcodecs.lz4` is another format); use another compression";
            return Err(Error::new(ErrorKind::NotRepresentable, message));
        }
        Compressor::Blosc { inner, level, shuffle, block_size, type_size } => {
            let cname = inner.name();
            let shuffle = shuffle_name(shuffle, data_type);
            let type_size = match type_size {
                Some(type_size) => type_size.to_string(),
                None => data_type.size().to_string(),
            };
            let configuration =
                format!(r#""cname":"{cname}","clevel":{level},"shuffle":"{shuffle}","typesize":{type_size},"blocksize":{block_size}"#);
            ("blosc", configuration)
        }
        Compressor::Zstd { level, checksum } => ("zstd", format!(r#""level":{level},"checksum":{checksum}"#)),
    };
    Ok(Some(format!(r#"{{"name":"{name}","configuration":{{{configuration}}}}}"#)))
}

fn required_level(codec: &Extension) -> Result<u8> {
    integer_in(codec.required("level")?, &codec.path_of("level"), 0, 9)
}

/// The level of a codec from numcodecs, whose own default is 1.
fn numcodecs_level(codec: &Extension, least: i128) -> Result<u8> {
    codec.get("level").map_or(Ok(1), |level| integer_in(level, &codec.path_of("level"), least, 9))
}

fn zstd(codec: &Extension) -> Result<Compressor> {
    codec.only(&["level", "checksum"])?;
    let level = integer_in(codec.required("level")?, &codec.path_of("level"), -131_072, 22)?;
    let checksum = match codec.get("checksum") {
        Some(value) => value.boolean().ok_or_else(|| value.invalid(&codec.path_of("checksum"), "true or false"))?,
        None => false,
    };
    Ok(Compressor::Zstd { level, checksum })
}

fn lzma(codec: &Extension) -> Result<Compressor> {
    codec.only(&["format", "check", "preset", "filters"])?;
    if let Some(format) = codec.get("format")
        && Spelling::Digits.integer(format.raw()) != Some(1)
    {
        return Err(format.invalid(&codec.path_of("format"), "1 (xz), the only format that N5 has"));
    }
    if let Some(filters) = codec.get("filters")
        && !filters.is_null()
    {
        return Err(filters.invalid(&codec.path_of("filters"), "null: N5 has no xz filters"));
    }
    let check = match codec.get("check") {
        Some(value) => {
            let number = Spelling::Digits.integer(value.raw()).and_then(check_of_number);
            number.ok_or_else(|| value.invalid(&codec.path_of("check"), "-1, 0, 1, 4 or 10"))?
        }
        None => XzCheck::default(),
    };
    let preset = match codec.get("preset") {
        Some(value) if !value.is_null() => integer_in(value, &codec.path_of("preset"), 0, 9)?,
        _ => 6,
    };
    Ok(Compressor::Xz { preset, check })
}

/// The check of liblzma's number; -1 leaves the choice to it, and it chooses CRC-64.
fn check_of_number(number: i128) -> Option<XzCheck> {
    match number {
        0 => Some(XzCheck::None),
        1 => Some(XzCheck::Crc32),
        -1 | 4 => Some(XzCheck::Crc64),
        10 => Some(XzCheck::Sha256),
        _ => None,
    }
}

fn check_number(check: XzCheck) -> i8 {
    match check {
        XzCheck::None => 0,
        XzCheck::Crc32 => 1,
        XzCheck::Crc64 => -1,
        XzCheck::Sha256 => 10,
    }
}

fn blosc(codec: &Extension, data_type: DataType) -> Result<Compressor> {
    codec.only(&["cname", "clevel", "shuffle", "typesize", "blocksize", "nthreads"])?;
    let cname = codec.required("cname")?;
    let name = cname.string(&codec.path_of("cname"))?;
    let inner = BloscInner::ALL.into_iter().find(|inner| inner.name() == name).ok_or_else(|| {
        let message = format!("`{}` is {}; zn5 has blosclz, lz4, lz4hc, zlib and zstd", codec.path_of("cname"), cname.shown());
        cname.error(ErrorKind::UnsupportedCodec, message)
    })?;
    let level = integer_in(codec.required("clevel")?, &codec.path_of("clevel"), 0, 9)?;
    let shuffle = codec.required("shuffle")?;
    let shuffle = match shuffle.text().as_deref() {
        Some("noshuffle") => BloscShuffle::None,
        Some("shuffle") => BloscShuffle::Byte,
        Some("bitshuffle") => BloscShuffle::Bit,
        _ => return Err(shuffle.invalid(&codec.path_of("shuffle"), r#""noshuffle", "shuffle" or "bitshuffle""#)),
    };
    let type_size = match codec.get("typesize") {
        None if shuffle != BloscShuffle::None => Some(codec.required("typesize")?),
        given => given,
    };
    // Without a shuffle, some writers say 0.
    let least = i128::from(shuffle != BloscShuffle::None);
    let type_size: Option<u32> = match type_size {
        Some(value) => Some(integer_in(value, &codec.path_of("typesize"), least, i32::MAX.into())?),
        None => None,
    };
    let type_size = type_size.filter(|&size| size != 0 && usize::try_from(size) != Ok(data_type.size()));
    let block_size = match codec.get("blocksize") {
        Some(value) => integer_in(value, &codec.path_of("blocksize"), 0, i32::MAX.into())?,
        None => 0,
    };
    Ok(Compressor::Blosc { inner, level, shuffle, block_size, type_size })
}

fn shuffle_name(shuffle: BloscShuffle, data_type: DataType) -> &'static str {
    match shuffle {
        BloscShuffle::None => "noshuffle",
        BloscShuffle::Byte => "shuffle",
        BloscShuffle::Bit => "bitshuffle",
        BloscShuffle::Auto => {
            if data_type.size() == 1 {
                "bitshuffle"
            } else {
                "shuffle"
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn read(json: &str, data_type: DataType) -> Result<Option<Compressor>> {
        let document = Document::strict(json.as_bytes())?;
        compressor(&Extension::parse(document.root()?, "codecs[1]")?, data_type)
    }

    fn blosc_with(shuffle: BloscShuffle, type_size: Option<u32>) -> Compressor {
        Compressor::Blosc { inner: BloscInner::Lz4, level: 5, shuffle, block_size: 0, type_size }
    }

    #[test]
    fn policy_19_every_known_codec_is_read() {
        let xz = |preset, check| Compressor::Xz { preset, check };
        let cases = [
            (r#"{"name":"gzip","configuration":{"level":0}}"#, Compressor::Gzip { level: 0, zlib: false }),
            (r#"{"name":"gzip","configuration":{"level":9},"must_understand":false}"#, Compressor::Gzip { level: 9, zlib: false }),
            (r#"{"name":"numcodecs.zlib","configuration":{"level":3}}"#, Compressor::Gzip { level: 3, zlib: true }),
            (r#""numcodecs.zlib""#, Compressor::Gzip { level: 1, zlib: true }),
            (r#"{"name":"numcodecs.bz2","configuration":{"level":9}}"#, Compressor::Bzip2 { block_size: 9 }),
            (r#"{"name":"numcodecs.bz2"}"#, Compressor::Bzip2 { block_size: 1 }),
            (r#"{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":null,"filters":null}}"#, xz(6, XzCheck::Crc64)),
            (r#"{"name":"numcodecs.lzma","configuration":{"check":4,"preset":9}}"#, xz(9, XzCheck::Crc64)),
            (r#"{"name":"numcodecs.lzma","configuration":{"check":0,"preset":0}}"#, xz(0, XzCheck::None)),
            (r#"{"name":"numcodecs.lzma","configuration":{"check":1}}"#, xz(6, XzCheck::Crc32)),
            (r#"{"name":"numcodecs.lzma","configuration":{"check":10}}"#, xz(6, XzCheck::Sha256)),
            (r#"{"name":"zstd","configuration":{"level":-131072,"checksum":true}}"#, Compressor::Zstd { level: -131_072, checksum: true }),
            (r#"{"name":"zstd","configuration":{"level":22}}"#, Compressor::Zstd { level: 22, checksum: false }),
            (
                r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0,"nthreads":1}}"#,
                blosc_with(BloscShuffle::Byte, None),
            ),
            (
                r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":16,"blocksize":0}}"#,
                blosc_with(BloscShuffle::Bit, Some(16)),
            ),
            (r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle"}}"#, blosc_with(BloscShuffle::None, None)),
            (
                r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":0}}"#,
                blosc_with(BloscShuffle::None, None),
            ),
        ];
        for (json, expected) in cases {
            assert_eq!(read(json, DataType::UInt16).unwrap(), Some(expected), "{json}");
        }
    }

    #[test]
    fn policy_19_odd_configurations_are_refused_by_name() {
        let cases = [
            (r#""gzip""#, "level"),
            (r#"{"name":"gzip","configuration":{}}"#, "level"),
            (r#"{"name":"gzip","configuration":{"level":-1}}"#, "level"),
            (r#"{"name":"gzip","configuration":{"level":10}}"#, "level"),
            (r#"{"name":"gzip","configuration":{"level":6.0}}"#, "level"),
            (r#"{"name":"gzip","configuration":{"level":"6"}}"#, "level"),
            (r#"{"name":"gzip","configuration":{"level":6,"strategy":1}}"#, "strategy"),
            (r#"{"name":"numcodecs.bz2","configuration":{"level":0}}"#, "level"),
            (r#"{"name":"numcodecs.zlib","configuration":{"level":null}}"#, "level"),
            (r#"{"name":"numcodecs.lzma","configuration":{"format":2}}"#, "format"),
            (r#"{"name":"numcodecs.lzma","configuration":{"check":2}}"#, "check"),
            (r#"{"name":"numcodecs.lzma","configuration":{"preset":10}}"#, "preset"),
            (r#"{"name":"numcodecs.lzma","configuration":{"filters":[]}}"#, "filters"),
            (r#""zstd""#, "level"),
            (r#"{"name":"zstd","configuration":{"level":23,"checksum":false}}"#, "level"),
            (r#"{"name":"zstd","configuration":{"level":3,"checksum":0}}"#, "checksum"),
            (r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}}"#, "typesize"),
            (r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":0}}"#, "typesize"),
            (r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":1,"typesize":2}}"#, "shuffle"),
            (r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":10,"shuffle":"shuffle","typesize":2}}"#, "clevel"),
            (r#"{"name":"blosc","configuration":{"clevel":5,"shuffle":"shuffle","typesize":2}}"#, "cname"),
        ];
        for (json, member) in cases {
            let error = read(json, DataType::UInt16).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidMetadata, "{json}");
            assert!(error.message().contains(member) && error.message().contains("codecs[1]"), "{error}");
            assert!(error.offset().is_some());
        }
        let snappy = r#"{"name":"blosc","configuration":{"cname":"snappy","clevel":5,"shuffle":"noshuffle"}}"#;
        let error = read(snappy, DataType::UInt8).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedCodec);
        assert!(error.message().contains("snappy"));
        for name in ["lz4", "numcodecs.lz4", "crc32c", "sharding_indexed", "transpose", "bytes", "GZIP", ""] {
            assert_eq!(read(&format!(r#"{{"name":"{name}"}}"#), DataType::UInt8).unwrap(), None, "{name}");
        }
    }

    #[test]
    fn policy_20_compressors_are_written_as_zarr_wants_them() {
        let written = |compressor, data_type| to_json(compressor, data_type).unwrap();
        assert_eq!(written(Compressor::Raw, DataType::UInt8), None);
        let cases = [
            (Compressor::Gzip { level: 6, zlib: false }, r#"{"name":"gzip","configuration":{"level":6}}"#),
            (Compressor::Gzip { level: 6, zlib: true }, r#"{"name":"numcodecs.zlib","configuration":{"level":6}}"#),
            (Compressor::Bzip2 { block_size: 9 }, r#"{"name":"numcodecs.bz2","configuration":{"level":9}}"#),
            (
                Compressor::Xz { preset: 6, check: XzCheck::Crc64 },
                r#"{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":6,"filters":null}}"#,
            ),
            (Compressor::Zstd { level: -3, checksum: false }, r#"{"name":"zstd","configuration":{"level":-3,"checksum":false}}"#),
            (
                blosc_with(BloscShuffle::Auto, None),
                r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}"#,
            ),
            (
                blosc_with(BloscShuffle::None, Some(7)),
                r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":7,"blocksize":0}}"#,
            ),
        ];
        for (compressor, json) in cases {
            assert_eq!(written(compressor, DataType::UInt16).as_deref(), Some(json));
        }
        let byte = written(blosc_with(BloscShuffle::Auto, None), DataType::Int8).unwrap();
        assert!(byte.contains(r#""shuffle":"bitshuffle","typesize":1"#), "{byte}");
        let error = to_json(Compressor::Lz4 { block_size: 65536 }, DataType::UInt8).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotRepresentable);
        assert!(error.message().contains("lz4"));
    }
}
