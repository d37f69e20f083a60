//! Elements of a region in memory: as numbers, as text.
//!
//! The first axis is fastest, numbers are in the machine's byte order.

use zn5::error::escaped;
use zn5::model::DataType;

/// Decoded elements.
pub(crate) struct Elements {
    /// Their type.
    pub(crate) data_type: DataType,
    /// Their bytes.
    pub(crate) bytes: Vec<u8>,
}

/// A number of one of N5's ten types.
pub(crate) trait Number: Copy + 'static + PartialEq + PartialOrd + std::fmt::Display {
    /// The number that `bytes` hold; they are as many as the type has.
    fn read(bytes: &[u8]) -> Self;
    /// As floating point, which rounds integers above 2^53.
    fn to_f64(self) -> f64;
    /// As an integer, where the type is one.
    fn to_i128(self) -> Option<i128>;
    /// A value that differs for differing numbers.
    fn bits(self) -> u64;

    /// Whether the type has no negative numbers.
    fn is_unsigned() -> bool {
        // All bits set is -1 in a signed type.
        Self::read(&[0xff; 8]).to_i128().is_some_and(|ones| ones > 0)
    }
}

macro_rules! number {
    ($($type:ty, $integer:expr, $bits:expr;)*) => {$(
        impl Number for $type {
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or_else(Self::default, |bytes| Self::from_ne_bytes(*bytes))
            }

            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, clippy::unnecessary_cast)] // Documented.
            fn to_f64(self) -> f64 {
                self as f64
            }

            fn to_i128(self) -> Option<i128> {
                $integer(self)
            }

            fn bits(self) -> u64 {
                $bits(self)
            }
        }
    )*};
}

number! {
    u8, |value| Some(i128::from(value)), u64::from;
    u16, |value| Some(i128::from(value)), u64::from;
    u32, |value| Some(i128::from(value)), u64::from;
    u64, |value| Some(i128::from(value)), |value| value;
    i8, |value| Some(i128::from(value)), |value| i64::from(value).cast_unsigned();
    i16, |value| Some(i128::from(value)), |value| i64::from(value).cast_unsigned();
    i32, |value| Some(i128::from(value)), |value| i64::from(value).cast_unsigned();
    i64, |value| Some(i128::from(value)), i64::cast_unsigned;
    f32, |_| None, |value| u64::from(f32::to_bits(value));
    f64, |_| None, f64::to_bits;
}

/// Runs a piece of code with `$number` being the Rust type of `$data_type`; `$text` is for strings.
macro_rules! with_number {
    ($data_type:expr, $number:ident => $body:expr, $text:expr) => {{
        use zn5::model::DataType;
        match $data_type {
            DataType::UInt8 => {
                type $number = u8;
                $body
            }
            DataType::UInt16 => {
                type $number = u16;
                $body
            }
            DataType::UInt32 => {
                type $number = u32;
                $body
            }
            DataType::UInt64 => {
                type $number = u64;
                $body
            }
            DataType::Int8 => {
                type $number = i8;
                $body
            }
            DataType::Int16 => {
                type $number = i16;
                $body
            }
            DataType::Int32 => {
                type $number = i32;
                $body
            }
            DataType::Int64 => {
                type $number = i64;
                $body
            }
            DataType::Float32 => {
                type $number = f32;
                $body
            }
            DataType::Float64 => {
                type $number = f64;
                $body
            }
            DataType::FixedUtf32 { .. } => $text,
        }
    }};
}
pub(crate) use with_number;

/// Elements as numbers of the type they have.
pub(crate) fn numbers<T: Number>(bytes: &[u8]) -> impl Iterator<Item = T> + '_ {
    bytes.chunks_exact(size_of::<T>()).map(T::read)
}

impl Elements {
    /// The elements as text, one after another.
    pub(crate) fn texts(&self) -> Box<dyn Iterator<Item = String> + '_> {
        with_number!(
            self.data_type,
            T => Box::new(numbers::<T>(&self.bytes).map(|number| number.to_string())),
            Box::new(self.bytes.chunks_exact(self.data_type.size().max(1)).map(utf32_text))
        )
    }
}

/// One element as text.
pub(crate) fn element_text(data_type: DataType, bytes: &[u8]) -> String {
    with_number!(data_type, T => T::read(bytes).to_string(), utf32_text(bytes))
}

/// A string of code units: padding removed, in quotation marks, units that are no characters as escapes.
fn utf32_text(bytes: &[u8]) -> String {
    let mut units: Vec<u32> = bytes.chunks_exact(4).map(u32::read).collect();
    while units.last() == Some(&0) {
        units.pop();
    }
    let mut text = String::from("\"");
    for unit in units {
        match char::from_u32(unit) {
            Some('"') => text.push_str("\\\""),
            Some('\\') => text.push_str("\\\\"),
            Some(character) => text.push_str(&escaped(character.encode_utf8(&mut [0; 4]))),
            None => text.extend(["\\u{", &format!("{unit:x}"), "}"]),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_in_their_type() {
        let bytes = [1_i16, -2, 300].into_iter().flat_map(i16::to_ne_bytes).collect();
        let elements = Elements { data_type: DataType::Int16, bytes };
        assert_eq!(numbers::<i16>(&elements.bytes).collect::<Vec<_>>(), [1, -2, 300]);
        assert_eq!(elements.texts().collect::<Vec<_>>(), ["1", "-2", "300"]);
        assert_eq!(element_text(DataType::UInt64, &u64::MAX.to_ne_bytes()), "18446744073709551615");
        assert_eq!(element_text(DataType::Float32, &0.1_f32.to_ne_bytes()), "0.1");
    }

    #[test]
    fn strings_lose_their_padding_and_nothing_else() {
        let bytes: Vec<u8> = [0x48, 0, 0x1f600, 0xd800, 0x22, 0].into_iter().flat_map(u32::to_ne_bytes).collect();
        assert_eq!(element_text(DataType::FixedUtf32 { length_bytes: 24 }, &bytes), "\"H\\u{0}😀\\u{d800}\\\"\"");
    }
}
