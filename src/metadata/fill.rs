//! Fill values from the JSON of zarr.json to one element in native byte order, and numbers back.
//!
//! Integers are exact; floats may be numbers, "NaN", "Infinity", "-Infinity", or the bits in hexadecimal.

use crate::error::Result;
use crate::model::{DataType, Endian, try_vec};
use crate::utf32::{self, Format};

use super::number::Spelling;
use crate::json::Value;

/// One element of zeros, which is what N5 means where nothing is stored.
pub(super) fn zeros(data_type: DataType) -> Result<Vec<u8>> {
    let mut bytes = try_vec(data_type.size())?;
    bytes.resize(data_type.size(), 0);
    Ok(bytes)
}

/// The element that `fill_value` stands for.
pub(super) fn element(value: Value, data_type: DataType) -> Result<Vec<u8>> {
    let bytes = match data_type {
        DataType::FixedUtf32 { length_bytes } => return text(value, length_bytes),
        DataType::Float32 => float32(value).map(|float| float.to_ne_bytes().to_vec()),
        DataType::Float64 => float64(value).map(|float| float.to_ne_bytes().to_vec()),
        integer => Spelling::Digits.integer(value.raw()).and_then(|number| integer_bytes(number, integer)),
    };
    bytes.ok_or_else(|| value.invalid("fill_value", &wanted(data_type)))
}

/// The `fill_value` of an element that is a number.
pub(super) fn to_json(element: &[u8], data_type: DataType) -> String {
    fn number<const N: usize>(element: &[u8]) -> [u8; N] {
        element.first_chunk().copied().unwrap_or([0; N])
    }
    // The bits of a NaN are told but for the usual one, which every reader knows by its name.
    let special = |is_nan: bool, is_negative: bool| match (is_nan, is_negative) {
        (true, _) => "\"NaN\"",
        (_, true) => "\"-Infinity\"",
        _ => "\"Infinity\"",
    };
    match data_type {
        DataType::UInt8 => u8::from_ne_bytes(number(element)).to_string(),
        DataType::UInt16 => u16::from_ne_bytes(number(element)).to_string(),
        DataType::UInt32 => u32::from_ne_bytes(number(element)).to_string(),
        DataType::UInt64 => u64::from_ne_bytes(number(element)).to_string(),
        DataType::Int8 => i8::from_ne_bytes(number(element)).to_string(),
        DataType::Int16 => i16::from_ne_bytes(number(element)).to_string(),
        DataType::Int32 => i32::from_ne_bytes(number(element)).to_string(),
        DataType::Int64 => i64::from_ne_bytes(number(element)).to_string(),
        DataType::Float32 => match f32::from_ne_bytes(number(element)) {
            float if float.is_nan() && float.to_bits() != 0x7fc0_0000 => format!("\"0x{:08x}\"", float.to_bits()),
            float if !float.is_finite() => special(float.is_nan(), float.is_sign_negative()).to_owned(),
            float => format!("{float:?}"),
        },
        DataType::Float64 => match f64::from_ne_bytes(number(element)) {
            float if float.is_nan() && float.to_bits() != 0x7ff8_0000_0000_0000 => format!("\"0x{:016x}\"", float.to_bits()),
            float if !float.is_finite() => special(float.is_nan(), float.is_sign_negative()).to_owned(),
            float => format!("{float:?}"),
        },
        // No block of N5 holds text, so none is described.
        DataType::FixedUtf32 { .. } => "\"\"".to_owned(),
    }
}

/// The element of a string, in native byte order as all fill values are.
fn text(value: Value, length_bytes: usize) -> Result<Vec<u8>> {
    let format = Format::new(length_bytes, Endian::NATIVE)?;
    utf32::from_json(value.raw().as_bytes(), format).map_err(|error| error.shifted(value.offset()).about("`fill_value`"))
}

fn wanted(data_type: DataType) -> String {
    let name = data_type.name();
    match data_type {
        DataType::Float32 | DataType::Float64 => {
            let digits = data_type.size().saturating_mul(2);
            format!(r#"a number within {name}, "NaN", "Infinity", "-Infinity" or "0x" with {digits} hexadecimal digits"#)
        }
        _ => format!("an integer within {name}, written without point or exponent"),
    }
}

fn integer_bytes(number: i128, data_type: DataType) -> Option<Vec<u8>> {
    Some(match data_type {
        DataType::UInt8 => u8::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt16 => u16::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt32 => u32::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt64 => u64::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::Int8 => i8::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::Int16 => i16::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::Int32 => i32::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::Int64 => i64::try_from(number).ok()?.to_ne_bytes().to_vec(),
        DataType::Float32 | DataType::Float64 | DataType::FixedUtf32 { .. } => return None,
    })
}

fn float32(value: Value) -> Option<f32> {
    match value.text() {
        Some(text) => match text.as_ref() {
            "NaN" => Some(f32::from_bits(0x7fc0_0000)),
            "Infinity" => Some(f32::INFINITY),
            "-Infinity" => Some(f32::NEG_INFINITY),
            text => u32::from_str_radix(hexadecimal(text, 8)?, 16).ok().map(f32::from_bits),
        },
        // Rust reads the decimal text straight into an f32, so nothing is rounded twice.
        None => value.raw().parse().ok().filter(|float: &f32| float.is_finite()),
    }
}

fn float64(value: Value) -> Option<f64> {
    match value.text() {
        Some(text) => match text.as_ref() {
            "NaN" => Some(f64::from_bits(0x7ff8_0000_0000_0000)),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            text => u64::from_str_radix(hexadecimal(text, 16)?, 16).ok().map(f64::from_bits),
        },
        None => value.raw().parse().ok().filter(|float: &f64| float.is_finite()),
    }
}

/// The digits behind "0x", if there are exactly `count`.
fn hexadecimal(text: &str, count: usize) -> Option<&str> {
    let digits = text.strip_prefix("0x")?;
    (digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::error::ErrorKind;

    use super::*;
    use crate::json::Document;

    fn read(json: &str, data_type: DataType) -> Result<Vec<u8>> {
        element(Document::strict(json.as_bytes())?.root()?, data_type)
    }

    #[test]
    fn integers_are_exact_and_within_their_type() {
        let bounds: [(DataType, i128, i128); 8] = [
            (DataType::UInt8, 0, u8::MAX.into()),
            (DataType::UInt16, 0, u16::MAX.into()),
            (DataType::UInt32, 0, u32::MAX.into()),
            (DataType::UInt64, 0, u64::MAX.into()),
            (DataType::Int8, i8::MIN.into(), i8::MAX.into()),
            (DataType::Int16, i16::MIN.into(), i16::MAX.into()),
            (DataType::Int32, i32::MIN.into(), i32::MAX.into()),
            (DataType::Int64, i64::MIN.into(), i64::MAX.into()),
        ];
        for (data_type, least, most) in bounds {
            for number in [least, most, 1] {
                let little = number.to_le_bytes();
                let mut expected = little.get(..data_type.size()).unwrap().to_vec();
                if cfg!(target_endian = "big") {
                    expected.reverse();
                }
                assert_eq!(read(&number.to_string(), data_type).unwrap(), expected, "{number} {data_type:?}");
            }
            for outside in [least.checked_sub(1).unwrap(), most.checked_add(1).unwrap()] {
                let error = read(&outside.to_string(), data_type).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidMetadata);
                assert!(error.message().contains("fill_value") && error.message().contains(&outside.to_string()), "{error}");
            }
            for refused in ["0.0", "1e0", "null", "true", "\"0\"", "\"0x00\"", "[0]"] {
                assert_eq!(read(refused, data_type).unwrap_err().kind(), ErrorKind::InvalidMetadata, "{refused}");
            }
        }
        assert_eq!(read("9007199254740993", DataType::Int64).unwrap(), 9_007_199_254_740_993_i64.to_ne_bytes());
    }

    #[test]
    fn policy_17_floats_keep_their_bits() {
        let single = [
            ("0", 0),
            ("0.0", 0),
            ("-0.0", 0x8000_0000),
            ("-0", 0x8000_0000),
            ("1", 0x3f80_0000),
            ("-2.5e0", 0xc020_0000),
            ("\"NaN\"", 0x7fc0_0000),
            ("\"Infinity\"", 0x7f80_0000),
            ("\"-Infinity\"", 0xff80_0000),
            ("\"0x7fc00001\"", 0x7fc0_0001),
            ("\"0xFFC00000\"", 0xffc0_0000_u32),
            // Halfway between two floats seen as f64, above it as decimal text.
            ("1.00000005960464477540", 0x3f80_0001),
        ];
        for (json, bits) in single {
            assert_eq!(read(json, DataType::Float32).unwrap(), bits.to_ne_bytes(), "{json}");
        }
        let double = [
            ("-0.0", 0x8000_0000_0000_0000),
            ("1", 0x3ff0_0000_0000_0000),
            ("\"NaN\"", 0x7ff8_0000_0000_0000),
            ("\"-Infinity\"", 0xfff0_0000_0000_0000),
            ("\"0x7ff8000000000123\"", 0x7ff8_0000_0000_0123_u64),
            ("5e-324", 1),
        ];
        for (json, bits) in double {
            assert_eq!(read(json, DataType::Float64).unwrap(), bits.to_ne_bytes(), "{json}");
        }
        for refused in
            ["\"nan\"", "\"inf\"", "\"0x7fc0\"", "\"0X7fc00000\"", "\"7fc00000\"", "\"0x+fc00000\"", "1e400", "null", "true", "\"\"", "{}"]
        {
            for data_type in [DataType::Float32, DataType::Float64] {
                assert_eq!(read(refused, data_type).unwrap_err().kind(), ErrorKind::InvalidMetadata, "{refused}");
            }
        }
        assert!(read("1e39", DataType::Float32).is_err());
        assert!(read("\"0x7fc00000\"", DataType::Float64).is_err());
    }

    #[test]
    fn fill_values_are_written_as_they_are_read() {
        let cases = [
            (DataType::UInt8, "255"),
            (DataType::UInt16, "65535"),
            (DataType::UInt32, "7"),
            (DataType::UInt64, "18446744073709551615"),
            (DataType::Int8, "-128"),
            (DataType::Int16, "-1"),
            (DataType::Int32, "0"),
            (DataType::Int64, "-9223372036854775808"),
            (DataType::Float32, "0.1"),
            (DataType::Float32, "-0.0"),
            (DataType::Float32, "\"NaN\""),
            (DataType::Float32, "\"0xffc00001\""),
            (DataType::Float32, "3.4028235e38"),
            (DataType::Float64, "1e300"),
            (DataType::Float64, "\"Infinity\""),
            (DataType::Float64, "\"-Infinity\""),
            (DataType::Float64, "\"0x7ff0000000000001\""),
        ];
        for (data_type, json) in cases {
            assert_eq!(to_json(&read(json, data_type).unwrap(), data_type), json);
        }
    }

    #[test]
    fn zeros_have_the_size_of_an_element() {
        for data_type in DataType::N5 {
            assert_eq!(zeros(data_type).unwrap(), vec![0; data_type.size()]);
        }
    }
}
