//! One array's codec: decodes stored blocks into boxes of the caller's memory and encodes boxes into blocks.
//!
//! Steps, each done in one place: block header (`block`), decompression (`compress`), then byte order, axis order, crop
//! and pad in one pass (`array`).

#![deny(clippy::arithmetic_side_effects)]

mod decode;
mod encode;
mod parts;
mod pool;

use crate::block;
use crate::compress;
use crate::error::{Error, ErrorKind, Result, listed};
use crate::model::{ArraySettings, Chain, CodecOptions, Compressor, Endian, Order, byte_count};

pub use parts::Parts;
pub(crate) use pool::{Pool, Retained};

/// The limit on decoded bytes where the caller sets none: Java's largest array.
const DEFAULT_MAX_DECODED_BYTES: u64 = (1 << 31) - 1;

/// A block that is larger than its chunk may have as many bytes, or chunks, whichever is more.
const OVERSIZE_BYTES: u64 = 64 << 20;
const OVERSIZE_CHUNKS: u64 = 16;

/// What decodes and encodes the chunks of one array; used by any number of threads at once.
pub struct Codec {
    settings: ArraySettings,
    options: CodecOptions,
    max_block_len: u64,
    pool: Pool<pool::Workspace>,
}

impl Codec {
    /// A codec for the chunks that `settings` describe.
    ///
    /// # Errors
    /// `InvalidMetadata` from [`ArraySettings::validate`]; `InvalidArgument` where the fill value of `options` is not one element.
    pub fn new(mut settings: ArraySettings, mut options: CodecOptions) -> Result<Self> {
        settings.validate()?;
        if let Some(fill_value) = options.fill_value.take() {
            if fill_value.len() != settings.data_type.size() {
                return Err(Error::new(
                    ErrorKind::InvalidArgument,
                    format!(
                        "options->fill_value has {} bytes; one element of {} has {}",
                        fill_value.len(),
                        settings.data_type.name(),
                        settings.data_type.size()
                    ),
                ));
            }
            settings.fill_value = fill_value;
        }
        let mut codec = Self { settings, options, max_block_len: 0, pool: Pool::new() };
        codec.max_block_len = codec.longest_block();
        Ok(codec)
    }

    /// What the metadata say; the fill value is the caller's where one was given.
    #[must_use]
    pub fn settings(&self) -> &ArraySettings {
        &self.settings
    }

    /// No block that can be decoded is longer: twice what the most bytes that it may decode to need at worst, and 64 KiB.
    #[must_use]
    pub fn max_block_len(&self) -> u64 {
        self.max_block_len
    }

    fn longest_block(&self) -> u64 {
        let decoded = usize::try_from(self.max_decoded_bytes().min(self.oversize_bytes())).unwrap_or(usize::MAX);
        let mut payload = decoded;
        for &compressor in self.compressors() {
            // Where one stream cannot hold as much, several can.
            payload = compress::encode_bound(compressor, payload).unwrap_or(payload);
        }
        let header = block::header_len(self.ndim());
        (payload as u64).saturating_mul(2).saturating_add(header as u64).saturating_add(64 << 10)
    }

    /// Above this, a block that is larger than its chunk is taken for a hostile one, unless the caller set a limit of his own.
    fn oversize_bytes(&self) -> u64 {
        if self.options.max_decoded_bytes.is_some() {
            return u64::MAX;
        }
        let chunk = byte_count(self.settings.chunk_shape.iter().copied(), self.element_size()).unwrap_or(u64::MAX);
        OVERSIZE_BYTES.max(chunk.saturating_mul(OVERSIZE_CHUNKS))
    }

    /// The order of decoded arrays.
    #[must_use]
    pub fn order(&self) -> Order {
        self.options.order
    }

    /// Bytes of one element.
    #[must_use]
    pub fn element_size(&self) -> usize {
        self.settings.data_type.size()
    }

    /// The rank.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.settings.ndim()
    }

    /// The N5 name of the compression; of a plain chain the names of its codecs cannot be told in one word, so its last one.
    #[must_use]
    pub fn compression(&self) -> &'static str {
        match &self.settings.chain {
            Chain::N5 { compressor } => compressor.n5_name(),
            Chain::Plain { compressors, .. } => compressors.last().map_or("raw", |compressor| compressor.n5_name()),
        }
    }

    /// Bytes of a decoded array of `shape`.
    ///
    /// # Errors
    /// `LimitExceeded` above `isize::MAX`.
    pub fn decoded_size(&self, shape: &[u64]) -> Result<u64> {
        byte_count(shape.iter().copied(), self.element_size()).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
            Error::new(
                ErrorKind::LimitExceeded,
                format!("an array of shape {} and {} bytes an element is larger than memory can be", listed(shape), self.element_size()),
            )
        })
    }

    /// `shape`, or the chunk shape where there is none.
    #[must_use]
    pub fn shape_or_chunk<'a>(&'a self, shape: Option<&'a [u64]>) -> &'a [u64] {
        shape.unwrap_or(&self.settings.chunk_shape)
    }

    /// The byte order and the axis order of stored elements.
    fn stored(&self) -> (Endian, Order) {
        match &self.settings.chain {
            Chain::N5 { .. } => (Endian::Big, Order::F),
            Chain::Plain { endian, .. } => (*endian, Order::C),
        }
    }

    /// The compressors in the order of encoding, `Raw` left out.
    fn compressors(&self) -> &[Compressor] {
        match &self.settings.chain {
            Chain::N5 { compressor: Compressor::Raw } => &[],
            Chain::N5 { compressor } => std::slice::from_ref(compressor),
            Chain::Plain { compressors, .. } => compressors,
        }
    }

    fn max_decoded_bytes(&self) -> u64 {
        self.options.max_decoded_bytes.unwrap_or(DEFAULT_MAX_DECODED_BYTES)
    }

    fn exceeds_chunk(&self, extents: &[u64]) -> Option<usize> {
        extents.iter().zip(&self.settings.chunk_shape).position(|(stored, chunk)| stored > chunk)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::{BloscInner, BloscShuffle, DataType, XzCheck};

    #[test]
    fn policy_36_the_longest_block_grows_with_the_limit_and_never_wraps() {
        let compressors = [
            Compressor::Raw,
            Compressor::Gzip { level: 6, zlib: false },
            Compressor::Gzip { level: 6, zlib: true },
            Compressor::Bzip2 { block_size: 9 },
            Compressor::Xz { preset: 6, check: XzCheck::Crc64 },
            Compressor::Lz4 { block_size: 64 },
            Compressor::Blosc { inner: BloscInner::Zstd, level: 5, shuffle: BloscShuffle::Byte, block_size: 0, type_size: None },
            Compressor::Zstd { level: 3, checksum: true },
        ];
        for compressor in compressors {
            let longest = |max_decoded_bytes, extent| {
                let settings = ArraySettings {
                    data_type: DataType::UInt8,
                    chunk_shape: vec![extent, extent],
                    array_shape: None,
                    fill_value: vec![0],
                    chain: Chain::N5 { compressor },
                };
                Codec::new(settings, CodecOptions { max_decoded_bytes, ..CodecOptions::default() }).unwrap().max_block_len()
            };
            assert!((12 + (128 << 20)..1 << 30).contains(&longest(None, 1)), "{compressor:?}: {}", longest(None, 1));
            assert!(longest(None, 1 << 20) >= (1 << 32) - 2, "{compressor:?}");
            assert!(longest(Some(0), 1) < 1 << 20, "{compressor:?}");
            for shift in 10..64 {
                let limit = 1_u64 << shift;
                assert!(longest(Some(limit), 1) >= limit.saturating_mul(2), "{compressor:?}: 2^{shift}");
            }
            assert_eq!(longest(Some(u64::MAX), 1), u64::MAX, "{compressor:?}");
        }
    }
}
