//! What the engine talks about: data types, byte order, shapes with checked arithmetic, compressors, codec settings.
//!
//! No JSON and no input or output here: `metadata` makes these values from documents, `codec` obeys them.

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};

/// Extents, offsets or positions of one array, in N5 `dimensions` order; no allocation up to rank 8.
pub type Extents = SmallVec<[u64; 8]>;

/// Byte strides of one array; no allocation up to rank 8.
pub type Strides = SmallVec<[isize; 8]>;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// 8-bit unsigned integer.
    UInt8,
    /// 16-bit unsigned integer.
    UInt16,
    /// 32-bit unsigned integer.
    UInt32,
    /// 64-bit unsigned integer.
    UInt64,
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
    /// Zarr's `fixed_length_utf32`: `length_bytes / 4` code units of 32 bits an element.
    FixedUtf32 {
        /// Bytes of one element: a positive multiple of four.
        length_bytes: usize,
    },
}

impl DataType {
    /// The ten types that an N5 block can hold.
    pub const N5: [Self; 10] = [
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Float32,
        Self::Float64,
    ];

    /// The name that N5's `dataType` and Zarr's `data_type` share.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::FixedUtf32 { .. } => "fixed_length_utf32",
        }
    }

    /// The numeric type of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::N5.into_iter().find(|data_type| data_type.name() == name)
    }

    /// Bytes of one element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::FixedUtf32 { length_bytes } => length_bytes,
            _ => self.unit_size(),
        }
    }

    /// Bytes of what byte order applies to: the number itself, or one code unit.
    #[must_use]
    pub const fn unit_size(self) -> usize {
        match self {
            Self::UInt8 | Self::Int8 => 1,
            Self::UInt16 | Self::Int16 => 2,
            Self::UInt32 | Self::Int32 | Self::Float32 | Self::FixedUtf32 { .. } => 4,
            Self::UInt64 | Self::Int64 | Self::Float64 => 8,
        }
    }
}

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endian {
    /// The machine's own.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };
}

/// Which axis of a contiguous array varies fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis: NumPy's and Zarr's default.
    #[default]
    C,
    /// The first axis: what an N5 block holds.
    F,
}

/// The number of bytes of an array of `shape`, or `None` where it exceeds 2^64 - 1. An extent of 0 makes it 0, whatever the others are.
#[must_use]
pub fn byte_count(shape: impl IntoIterator<Item = u64>, element_size: usize) -> Option<u64> {
    let mut bytes = u64::try_from(element_size).ok();
    for extent in shape {
        if extent == 0 {
            return Some(0);
        }
        bytes = bytes.and_then(|bytes| bytes.checked_mul(extent));
    }
    bytes
}

/// An inner compressor of Blosc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BloscInner {
    /// Blosc's own LZ.
    BloscLz,
    /// LZ4.
    Lz4,
    /// LZ4 in its high-compression mode.
    Lz4Hc,
    /// zlib.
    Zlib,
    /// Zstandard.
    Zstd,
}

impl BloscInner {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::BloscLz, Self::Lz4, Self::Lz4Hc, Self::Zlib, Self::Zstd];

    /// The name in `cname`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BloscLz => "blosclz",
            Self::Lz4 => "lz4",
            Self::Lz4Hc => "lz4hc",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }
}

/// How Blosc rearranges bytes before it compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BloscShuffle {
    /// Not at all.
    None,
    /// Bytes of equal significance together.
    Byte,
    /// Bits of equal significance together.
    Bit,
    /// `Bit` for one-byte elements, else `Byte` (N5's -1).
    Auto,
}

/// The integrity check of an xz stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum XzCheck {
    /// None.
    None,
    /// CRC-32.
    Crc32,
    /// CRC-64, what xz itself writes.
    #[default]
    Crc64,
    /// SHA-256.
    Sha256,
}

/// One compressor with the parameters that encoding needs; decoding needs none but `zlib`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compressor {
    /// No compression.
    Raw,
    /// gzip, or a zlib stream.
    Gzip {
        /// 0 (stored) to 9 (smallest).
        level: u8,
        /// Whether the stream is written as zlib (RFC 1950), not as gzip (RFC 1952).
        zlib: bool,
    },
    /// bzip2.
    Bzip2 {
        /// 1 to 9, in units of 100 000 bytes.
        block_size: u8,
    },
    /// xz.
    Xz {
        /// 0 to 9.
        preset: u8,
        /// The integrity check written.
        check: XzCheck,
    },
    /// N5's lz4: a chain of `LZ4Block` frames.
    Lz4 {
        /// 64 to 2^25: uncompressed bytes of one frame.
        block_size: u32,
    },
    /// A Blosc 1 frame.
    Blosc {
        /// The compressor inside.
        inner: BloscInner,
        /// 0 (stored) to 9.
        level: u8,
        /// The rearrangement.
        shuffle: BloscShuffle,
        /// Bytes that Blosc compresses at a time; 0 lets Blosc choose.
        block_size: u32,
        /// Bytes of what is rearranged; `None` is the size of the element.
        type_size: Option<u32>,
    },
    /// Zstandard.
    Zstd {
        /// -131072 to 22; 0 means Zstandard's own default.
        level: i32,
        /// Whether a checksum of the content is written.
        checksum: bool,
    },
}

impl Compressor {
    /// The name in N5's `compression`.
    #[must_use]
    pub const fn n5_name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Gzip { .. } => "gzip",
            Self::Bzip2 { .. } => "bzip2",
            Self::Xz { .. } => "xz",
            Self::Lz4 { .. } => "lz4",
            Self::Blosc { .. } => "blosc",
            Self::Zstd { .. } => "zstd",
        }
    }
}

/// How a chunk's elements become stored bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chain {
    /// An N5 block: header, first axis fastest, big-endian, at most one compressor (`Raw` for none).
    N5 {
        /// The compressor of the payload.
        compressor: Compressor,
    },
    /// Zarr's `bytes` codec and bytes-to-bytes codecs: no header, last axis fastest.
    Plain {
        /// The byte order of the `bytes` codec.
        endian: Endian,
        /// The bytes-to-bytes codecs in the order of encoding; never `Raw`.
        compressors: Vec<Compressor>,
    },
}

/// What a metadata document says of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySettings {
    /// The type of the elements.
    pub data_type: DataType,
    /// The grid's chunk shape; every extent is at least 1.
    pub chunk_shape: Vec<u64>,
    /// The shape of the whole array, where the document tells.
    pub array_shape: Option<Vec<u64>>,
    /// One element in native byte order: what padding and missing chunks hold.
    pub fill_value: Vec<u8>,
    /// How chunks are stored.
    pub chain: Chain,
}

impl ArraySettings {
    /// The rank.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.chunk_shape.len()
    }

    /// Checks what the type system does not: rank, chunk extents, the length of the fill value.
    ///
    /// # Errors
    /// `InvalidMetadata`, naming the member.
    pub fn validate(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidMetadata, message));
        if self.ndim() > usize::from(u16::MAX) {
            return invalid(format!("the array has {} dimensions; an N5 block can say at most 65535", self.ndim()));
        }
        if let Some(axis) = self.chunk_shape.iter().position(|&extent| extent == 0) {
            return invalid(format!("the chunk extent of axis {axis} is 0; chunk extents are at least 1"));
        }
        if let Some(shape) = &self.array_shape
            && shape.len() != self.ndim()
        {
            return invalid(format!("the array has {} dimensions and its chunks have {}; both must be equal", shape.len(), self.ndim()));
        }
        if self.fill_value.len() != self.data_type.size() {
            return invalid(format!(
                "the fill value has {} bytes and one element of {} has {}",
                self.fill_value.len(),
                self.data_type.name(),
                self.data_type.size()
            ));
        }
        Ok(())
    }
}

/// What the caller asks for beside the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodecOptions {
    /// The order of decoded arrays, and of the sources of encoding.
    pub order: Order,
    /// Whether deviations that are harmless to the values are errors.
    pub strict: bool,
    /// The most bytes that a block may decode to; `None` is the default limit.
    pub max_decoded_bytes: Option<u64>,
    /// One element in native byte order that replaces the document's fill value.
    pub fill_value: Option<Vec<u8>>,
}

/// An empty vector that can take `capacity` values without allocating again.
///
/// # Errors
/// `OutOfMemory`.
pub fn try_vec<T>(capacity: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity).map_err(|_| Error::out_of_memory())?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_types() {
        for data_type in DataType::N5 {
            assert_eq!(DataType::from_name(data_type.name()), Some(data_type));
            assert_eq!(data_type.size(), data_type.unit_size());
        }
        assert_eq!(DataType::from_name("float16"), None);
        assert_eq!(DataType::from_name("fixed_length_utf32"), None);
        let text = DataType::FixedUtf32 { length_bytes: 48 };
        assert_eq!((text.size(), text.unit_size()), (48, 4));
    }

    #[test]
    fn byte_counts_never_wrap() {
        assert_eq!(byte_count([], 8), Some(8));
        assert_eq!(byte_count([3, 2], 2), Some(12));
        assert_eq!(byte_count([u64::MAX, 2], 1), None);
        assert_eq!(byte_count([1 << 32, 1 << 32, 0], 8), Some(0));
    }
}
