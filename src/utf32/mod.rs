//! `fixed_length_utf32`: elements of 32-bit code units, and the text they hold.
//!
//! Every element has `length_bytes / 4` code units in a stated byte order. Trailing U+0000 are padding; leading and inner ones are text.
//! Code units that are no Unicode scalar value can be stored, but never become text: nothing is dropped or replaced.

mod array;
mod ascii;
mod json;
mod names;
mod scalar;
mod units;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Endian;

pub use array::{decode_array, encode_array, first_invalid, text_len};
pub use json::{from_json, to_json};
pub use names::{NAME, data_type_json, numpy_dtype, parse_data_type, parse_numpy_dtype};
pub use scalar::encode;

/// How one element is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    length_bytes: usize,
    endian: Endian,
}

impl Format {
    /// Elements of `length_bytes` bytes whose code units are in `endian` order.
    ///
    /// # Errors
    /// `InvalidLength` unless `length_bytes` is a positive multiple of 4; `LimitExceeded` above `isize::MAX`.
    pub fn new(length_bytes: usize, endian: Endian) -> Result<Self> {
        if length_bytes == 0 || !length_bytes.is_multiple_of(4) {
            return Err(Error::new(
                ErrorKind::InvalidLength,
                format!("length_bytes is {length_bytes}; an element has 4 bytes a code point, so it must be a positive multiple of 4"),
            ));
        }
        if isize::try_from(length_bytes).is_err() {
            return Err(Error::new(ErrorKind::LimitExceeded, format!("length_bytes is {length_bytes}, larger than memory can be")));
        }
        Ok(Self { length_bytes, endian })
    }

    /// Bytes of one element.
    #[must_use]
    pub fn length_bytes(self) -> usize {
        self.length_bytes
    }

    /// The byte order of its code units.
    #[must_use]
    pub fn endian(self) -> Endian {
        self.endian
    }

    /// Code points of the longest text.
    #[must_use]
    pub fn capacity(self) -> usize {
        self.length_bytes / 4
    }
}

fn too_long(count: usize, format: Format) -> Error {
    Error::new(
        ErrorKind::StringTooLong,
        format!("the text has {count} code points and an element holds {}; text is never cut, take a longer data type", format.capacity()),
    )
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    /// The bytes of a buffer that was made with initialised ones.
    pub(super) fn initialised(bytes: &[MaybeUninit<u8>]) -> Vec<u8> {
        // SAFETY: the tests make their buffers by `MaybeUninit::new`.
        bytes.iter().map(|byte| unsafe { byte.assume_init() }).collect()
    }
}
