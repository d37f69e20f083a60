//! Metadata documents: attributes.json and zarr.json to and from the engine's settings.
//!
//! JSON is read by `json`, and nowhere below this and `utf32`. Only the members of N5 and Zarr are
//! parsed, never a user's attributes.

#![forbid(unsafe_code)]

mod attributes;
mod chain;
mod codecs;
mod convert;
mod extension;
mod fill;
mod grid;
mod keys;
mod n5;
mod node;
mod number;
mod root;
mod text;
mod zarr;

pub use attributes::{Language, check_attributes, user_attributes, user_attributes_as_json, with_user_attributes};
pub use convert::{n5_to_zarr, zarr_array_document, zarr_to_n5};
pub use grid::Grid;
pub use keys::{KeyEncoding, block_key};
pub use n5::{array_from_n5, compression_to_json, n5_array_document};
pub use node::{ArrayNode, IMPLICIT_GROUP, Node, new_array, node_from_n5, node_from_zarr};
pub use root::{language_of, n5_version, n5_version_text, with_n5_version};
pub use zarr::{array_from_zarr, codec_from_object, codec_to_json, dimension_names, with_dimension_names};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::error::ErrorKind;
    use crate::model::{ArraySettings, DataType};

    use super::{array_from_n5, array_from_zarr, codec_from_object, codec_to_json};

    fn attributes(compression: &str) -> String {
        format!(r#"{{"dimensions":[5,2],"blockSize":[3,2],"dataType":"uint16","compression":{compression}}}"#)
    }

    fn n5_default(third: &str) -> String {
        format!(
            r#"{{"name":"n5_default","configuration":{{"codecs":[{{"name":"transpose","configuration":{{"order":[1,0]}}}},{{"name":"bytes","configuration":{{"endian":"big"}}}}{third}]}}}}"#
        )
    }

    #[test]
    fn policy_20_attributes_become_codec_objects() {
        let cases = [
            (r#"{"type":"raw"}"#, ""),
            (r#"{"type":"gzip","level":-1,"useZlib":false}"#, r#",{"name":"gzip","configuration":{"level":6}}"#),
            (r#"{"type":"gzip","level":2,"useZlib":true}"#, r#",{"name":"numcodecs.zlib","configuration":{"level":2}}"#),
            (r#"{"type":"zstd","level":3}"#, r#",{"name":"zstd","configuration":{"level":3,"checksum":false}}"#),
            (r#"{"type":"bzip2","blockSize":4}"#, r#",{"name":"numcodecs.bz2","configuration":{"level":4}}"#),
            (
                r#"{"type":"xz","preset":4}"#,
                r#",{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":4,"filters":null}}"#,
            ),
            (
                r#"{"type":"blosc","cname":"zstd","clevel":9,"shuffle":2,"blocksize":0}"#,
                r#",{"name":"blosc","configuration":{"cname":"zstd","clevel":9,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}"#,
            ),
            (
                r#"{"type":"blosc","cname":"lz4","shuffle":-1}"#,
                r#",{"name":"blosc","configuration":{"cname":"lz4","clevel":6,"shuffle":"shuffle","typesize":2,"blocksize":0}}"#,
            ),
        ];
        for (compression, third) in cases {
            let settings = array_from_n5(attributes(compression).as_bytes()).unwrap();
            assert_eq!(codec_to_json(&settings).unwrap(), n5_default(third), "{compression}");
        }
        let lz4 = array_from_n5(attributes(r#"{"type":"lz4","blockSize":65536}"#).as_bytes()).unwrap();
        let error = codec_to_json(&lz4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotRepresentable);
        assert!(error.message().contains("lz4"));
    }

    #[test]
    fn attributes_as_microscopists_store_them_are_read() {
        let json = r#"{
            "axes": ["x", "y", "z"],
            "downsamplingFactors": [2, 2, 1],
            "pixelResolution": {"unit": "nm", "dimensions": [8.0, 8.0, 30.5]},
            "transform": {"axes": ["z", "y", "x"], "ordering": "C", "scale": [3.05e1, 8.0, 8.0], "translate": [0.0, -2.5, 1e-3]},
            "dimension\u0073 of old": "none",
            "dimensions": [3020, 3412, 2829],
            "blockSize": [128, 128, 128],
            "dataType": "uint16",
            "compression": {"type": "blosc", "cname": "zstd", "clevel": 6, "shuffle": 1, "blocksize": 0, "nthreads": 20}
        }"#;
        let settings = array_from_n5(json.as_bytes()).unwrap();
        assert_eq!(settings.array_shape.as_deref(), Some([3020, 3412, 2829].as_slice()));
        assert_eq!(settings.chunk_shape, [128, 128, 128]);
        let codec = codec_to_json(&settings).unwrap();
        assert!(
            codec.contains(r#""order":[2,1,0]"#) && codec.contains(r#""cname":"zstd","clevel":6,"shuffle":"shuffle","typesize":2"#),
            "{codec}"
        );
    }

    #[test]
    fn both_languages_have_the_same_ten_types() {
        for data_type in DataType::N5 {
            let name = data_type.name();
            let n5 = attributes(r#"{"type":"raw"}"#).replace("uint16", name);
            let zarr = format!(
                r#"{{"zarr_format":3,"node_type":"array","shape":[5,2],"data_type":"{name}","chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[3,2]}}}},"chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},"fill_value":0,"codecs":[{}]}}"#,
                n5_default("")
            );
            let settings = array_from_n5(n5.as_bytes()).unwrap();
            assert_eq!(array_from_zarr(zarr.as_bytes()).unwrap(), settings);
            let codec = codec_from_object(n5_default("").as_bytes(), data_type, &[3, 2]).unwrap();
            assert_eq!(codec, ArraySettings { array_shape: None, ..settings });
        }
    }

    #[test]
    fn documents_of_the_other_kind_are_recognised() {
        let zarr = r#"{"zarr_format":3,"node_type":"array","shape":[1]}"#;
        let error = array_from_n5(zarr.as_bytes()).unwrap_err();
        assert!(error.kind() == ErrorKind::NotAnArray && error.message().contains("zarr.json"), "{error}");
        let error = array_from_zarr(attributes(r#"{"type":"raw"}"#).as_bytes()).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains("attributes.json"), "{error}");
        let error = codec_from_object(br#"{"type":"gzip"}"#, DataType::UInt16, &[2]).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidMetadata && error.message().contains("n5_default"), "{error}");
        for (json, part) in [("{\"a\":1}\0", "NUL"), ("data/attributes.json", "name of its file"), ("{\"a\":}", "correct it")] {
            let error = array_from_n5(json.as_bytes()).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidJson && error.message().contains(part), "{error}");
        }
    }
}
