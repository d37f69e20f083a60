//! The compression libraries without zn5: the same libraries, called as zn5 calls them, contexts reused, and nothing else done.
//!
//! What no reader can be faster than; also stock zlib, which most other readers use for gzip.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use xxhash_rust::xxh32::xxh32;

/// How a payload is compressed. What writes is zn5 with the JSON of [`Compression::json`]; what is called here fits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Raw,
    Gzip,
    Zstd,
    BloscLz4,
    BloscZstd,
    Lz4,
    Bzip2,
    Xz,
}

pub(crate) const GZIP_LEVEL: c_int = 6;
const ZSTD_LEVEL: c_int = 3;
const BLOSC_LEVEL: c_int = 5;

impl Compression {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::BloscLz4 => "blosc-lz4",
            Self::BloscZstd => "blosc-zstd",
            Self::Lz4 => "lz4",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// N5's `compression`.
    pub(crate) fn json(self) -> &'static str {
        match self {
            Self::Raw => r#"{"type":"raw"}"#,
            Self::Gzip => r#"{"type":"gzip","level":6}"#,
            Self::Zstd => r#"{"type":"zstd","level":3}"#,
            Self::BloscLz4 => r#"{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}"#,
            Self::BloscZstd => r#"{"type":"blosc","cname":"zstd","clevel":5,"shuffle":2,"blocksize":0}"#,
            Self::Lz4 => r#"{"type":"lz4","blockSize":65536}"#,
            Self::Bzip2 => r#"{"type":"bzip2","blockSize":9}"#,
            Self::Xz => r#"{"type":"xz","preset":6}"#,
        }
    }
}

/// The contexts of the libraries; each is made on first use and kept.
pub(crate) struct Bare {
    inflate: *mut libdeflate_sys::libdeflate_decompressor,
    deflate: *mut libdeflate_sys::libdeflate_compressor,
    zstd_decoder: *mut zstd_sys::ZSTD_DCtx,
    zstd_encoder: *mut zstd_sys::ZSTD_CCtx,
}

// SAFETY: the contexts are plain memory without ties to a thread.
unsafe impl Send for Bare {}

impl Drop for Bare {
    fn drop(&mut self) {
        // SAFETY: each context is its library's, or NULL, which all accept.
        unsafe {
            libdeflate_sys::libdeflate_free_decompressor(self.inflate);
            libdeflate_sys::libdeflate_free_compressor(self.deflate);
            zstd_sys::ZSTD_freeDCtx(self.zstd_decoder);
            zstd_sys::ZSTD_freeCCtx(self.zstd_encoder);
        }
    }
}

impl Bare {
    pub(crate) fn new() -> Self {
        // SAFETY: none of these has a precondition.
        unsafe {
            Self {
                inflate: libdeflate_sys::libdeflate_alloc_decompressor(),
                deflate: libdeflate_sys::libdeflate_alloc_compressor(GZIP_LEVEL),
                zstd_decoder: zstd_sys::ZSTD_createDCtx(),
                zstd_encoder: zstd_sys::ZSTD_createCCtx(),
            }
        }
    }

    /// Decompresses `payload`, which fills `to`. Raw payloads are nothing to decompress: `to` stays as it is.
    pub(crate) fn decompress(&mut self, compression: Compression, payload: &[u8], to: &mut [u8]) {
        let (from, from_len, into, into_len) = (payload.as_ptr(), payload.len(), to.as_mut_ptr(), to.len());
        // SAFETY: both memories are as long as said, the contexts alive.
        let done = unsafe {
            match compression {
                Compression::Raw => true,
                Compression::Gzip => {
                    let (mut used, mut written) = (0, 0);
                    let result = libdeflate_sys::libdeflate_gzip_decompress_ex(
                        self.inflate,
                        from.cast(),
                        from_len,
                        into.cast(),
                        into_len,
                        &raw mut used,
                        &raw mut written,
                    );
                    result == libdeflate_sys::libdeflate_result_LIBDEFLATE_SUCCESS && written == into_len
                }
                Compression::Zstd => {
                    zstd_sys::ZSTD_decompressDCtx(self.zstd_decoder, into.cast(), into_len, from.cast(), from_len) == into_len
                }
                Compression::BloscLz4 | Compression::BloscZstd => {
                    usize::try_from(blosc_sys::blosc_decompress_ctx(from.cast(), into.cast(), into_len, 1)) == Ok(into_len)
                }
                Compression::Lz4 => lz4_blocks(payload, to),
                Compression::Bzip2 => bunzip2(payload, to),
                Compression::Xz => unxz(payload, to),
            }
        };
        assert!(done, "{} does not decompress", compression.name());
    }

    /// Compresses `elements` of `size` bytes; gives the bytes written to `to`. Raw: nothing to do.
    pub(crate) fn compress(&mut self, compression: Compression, elements: &[u8], size: usize, to: &mut [u8]) -> usize {
        let (from, from_len, into, into_len) = (elements.as_ptr(), elements.len(), to.as_mut_ptr(), to.len());
        let blosc = |name: &CStr, shuffle: c_int| {
            // SAFETY: both memories are as long as said.
            let written = unsafe {
                blosc_sys::blosc_compress_ctx(BLOSC_LEVEL, shuffle, size, from_len, from.cast(), into.cast(), into_len, name.as_ptr(), 0, 1)
            };
            usize::try_from(written).unwrap()
        };
        match compression {
            Compression::Raw => from_len,
            // SAFETY: both memories are as long as said, the context is alive.
            Compression::Gzip => unsafe {
                libdeflate_sys::libdeflate_gzip_compress(self.deflate, from.cast(), from_len, into.cast(), into_len)
            },
            // SAFETY: both memories are as long as said, the context is alive.
            Compression::Zstd => unsafe {
                zstd_sys::ZSTD_compressCCtx(self.zstd_encoder, into.cast(), into_len, from.cast(), from_len, ZSTD_LEVEL)
            },
            Compression::BloscLz4 => blosc(c"lz4", 1),
            Compression::BloscZstd => blosc(c"zstd", 2),
            Compression::Lz4 | Compression::Bzip2 | Compression::Xz => panic!("{} is measured in decoding only", compression.name()),
        }
    }
}

/// Java's chain of LZ4 blocks: of each its magic, a token, two lengths and a checksum, which is verified.
fn lz4_blocks(payload: &[u8], to: &mut [u8]) -> bool {
    const HEADER_LEN: usize = 21;
    const STORED: u8 = 0x10;
    let number = |at: usize| u32::from_le_bytes(*payload[at..].first_chunk().unwrap());
    let (mut from, mut into) = (0, 0);
    loop {
        let (len, decoded_len) = (number(from + 9) as usize, number(from + 13) as usize);
        if decoded_len == 0 {
            return into == to.len();
        }
        let (stored, part) = (&payload[from + HEADER_LEN..][..len], &mut to[into..][..decoded_len]);
        if payload[from + 8] & 0xf0 == STORED {
            part.copy_from_slice(stored);
        } else {
            let lens = (c_int::try_from(len).unwrap(), c_int::try_from(decoded_len).unwrap());
            // SAFETY: both memories are as long as said.
            let written = unsafe { lz4_sys::LZ4_decompress_safe(stored.as_ptr().cast(), part.as_mut_ptr().cast(), lens.0, lens.1) };
            assert_eq!(written, lens.1);
        }
        assert_eq!(xxh32(part, 0x9747_b28c) & 0x0fff_ffff, number(from + 17));
        from += HEADER_LEN + len;
        into += decoded_len;
    }
}

fn bunzip2(payload: &[u8], to: &mut [u8]) -> bool {
    // SAFETY: zeros are how the library wants a new stream.
    let mut stream: libbz2_rs_sys::bz_stream = unsafe { MaybeUninit::zeroed().assume_init() };
    stream.next_in = payload.as_ptr().cast();
    stream.avail_in = payload.len().try_into().unwrap();
    stream.next_out = to.as_mut_ptr().cast();
    stream.avail_out = to.len().try_into().unwrap();
    // SAFETY: the stream is new, then initialised, then no longer used; its memories are as long as said.
    let result = unsafe {
        libbz2_rs_sys::BZ2_bzDecompressInit(&raw mut stream, 0, 0);
        let result = libbz2_rs_sys::BZ2_bzDecompress(&raw mut stream);
        libbz2_rs_sys::BZ2_bzDecompressEnd(&raw mut stream);
        result
    };
    result == libbz2_rs_sys::BZ_STREAM_END && stream.avail_out == 0
}

fn unxz(payload: &[u8], to: &mut [u8]) -> bool {
    let (mut limit, mut used, mut written) = (u64::MAX, 0, 0);
    // SAFETY: both memories are as long as said.
    let result = unsafe {
        liblzma_sys::lzma_stream_buffer_decode(
            &raw mut limit,
            0,
            null(),
            payload.as_ptr(),
            &raw mut used,
            payload.len(),
            to.as_mut_ptr(),
            &raw mut written,
            to.len(),
        )
    };
    result == liblzma_sys::LZMA_OK && written == to.len()
}

/// 15 bits of window, and gzip's header and trailer around the stream.
const GZIP_WINDOW: c_int = 15 + 16;

/// A new stream of stock zlib: its functions may be NULL for C, not for Rust, which is why it is written to by address alone.
fn zlib_stream(from: &[u8], to: &mut [u8]) -> MaybeUninit<libz_sys::z_stream> {
    let mut stream = MaybeUninit::<libz_sys::z_stream>::zeroed();
    let start = stream.as_mut_ptr();
    // SAFETY: the members lie within the stream.
    unsafe {
        (&raw mut (*start).next_in).write(from.as_ptr().cast_mut());
        (&raw mut (*start).avail_in).write(from.len().try_into().unwrap());
        (&raw mut (*start).next_out).write(to.as_mut_ptr());
        (&raw mut (*start).avail_out).write(to.len().try_into().unwrap());
        (&raw mut (*start).opaque).write(null_mut());
    }
    stream
}

/// Stock zlib inflates a gzip stream, which fills `to`.
pub(crate) fn zlib_inflate(payload: &[u8], to: &mut [u8]) {
    let len = to.len();
    let mut stream = zlib_stream(payload, to);
    let start = stream.as_mut_ptr();
    let size = c_int::try_from(size_of::<libz_sys::z_stream>()).unwrap();
    // SAFETY: the stream is new, then initialised, then no longer used; its memories are as long as said.
    let (result, written) = unsafe {
        libz_sys::inflateInit2_(start, GZIP_WINDOW, libz_sys::zlibVersion(), size);
        let result = libz_sys::inflate(start, libz_sys::Z_FINISH);
        let written = (&raw const (*start).total_out).read();
        libz_sys::inflateEnd(start);
        (result, written)
    };
    assert!(result == libz_sys::Z_STREAM_END && usize::try_from(written) == Ok(len), "zlib does not inflate");
}

/// Stock zlib deflates into a gzip stream at level 6; gives the bytes written to `to`.
pub(crate) fn zlib_deflate(elements: &[u8], to: &mut [u8]) -> usize {
    const DEFAULT_MEMORY: c_int = 8;
    let mut stream = zlib_stream(elements, to);
    let start = stream.as_mut_ptr();
    let size = c_int::try_from(size_of::<libz_sys::z_stream>()).unwrap();
    // SAFETY: the stream is new, then initialised, then no longer used; its memories are as long as said.
    let (result, written) = unsafe {
        libz_sys::deflateInit2_(
            start,
            GZIP_LEVEL,
            libz_sys::Z_DEFLATED,
            GZIP_WINDOW,
            DEFAULT_MEMORY,
            libz_sys::Z_DEFAULT_STRATEGY,
            libz_sys::zlibVersion(),
            size,
        );
        let result = libz_sys::deflate(start, libz_sys::Z_FINISH);
        let written = (&raw const (*start).total_out).read();
        libz_sys::deflateEnd(start);
        (result, written)
    };
    assert_eq!(result, libz_sys::Z_STREAM_END, "zlib does not deflate");
    written.try_into().unwrap()
}
