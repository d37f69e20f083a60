//! Section "Codec options" of the header: what a caller asks of a codec, and how structs are read that can grow.
//!
//! Such a struct begins with its own size: what an older program does not know is the default.

use std::ffi::c_void;
use std::mem::{offset_of, size_of};

use super::dtype::{ZN5_ORDER_C, order, zn5_order};
use super::ptr;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{CodecOptions, try_vec};

/// Flag of zn5_codec_options: harmless deviations from the formats are errors too.
///
/// Then refused: bytes of any kind behind a compressed payload (but legal xz padding), a zlib stream under "gzip" or the reverse,
/// an lz4 payload that is no complete LZ4Block chain, a block that is larger than the chunk shape on any axis, read or written.
pub const ZN5_STRICT: u32 = 1;

/// What a caller can ask of a codec beside the metadata. Initialise it with ZN5_CODEC_OPTIONS_INIT, then set what differs from the defaults.
///
/// Zero is the default of every field. The struct may grow at its end in later releases; struct_size tells how much of it the program knows.
#[repr(C)]
pub struct zn5_codec_options {
    /// sizeof(zn5_codec_options).
    pub struct_size: usize,
    /// The order of decoded arrays and of the sources of encoding: ZN5_ORDER_C (default) or ZN5_ORDER_F.
    pub order: zn5_order,
    /// 0 or ZN5_STRICT.
    pub flags: u32,
    /// The most bytes that one block may decode to, or that may be encoded at
    /// once; 0 is 2^31 - 1, what Java can read: an N5 block is then written with
    /// at most as many, header included, and a block that is larger than its
    /// chunk shape is held to the larger of 64 MiB and 16 chunks.
    ///
    /// With a higher limit, extents of N5 blocks go up to 2^32 - 1, and payloads
    /// as far as the limit; only Blosc's hold at most 2^31 - 17 bytes.
    pub max_decoded_bytes: u64,
    /// One element in native byte order, copied, which replaces the fill value of the metadata; NULL keeps that.
    pub fill_value: *const c_void,
    /// The bytes of fill_value: 0 with NULL, else the size of one element.
    pub fill_value_len: usize,
}

/// A struct that claims more than this is no struct of a program that means it.
const MAX_STRUCT_SIZE: usize = 4096;

/// Reads a struct that begins with its own size and may have grown: shorter than the first release's is refused, and longer unless the
/// rest is zero, since zero is the default of fields that this release does not know. `remedy` says how to begin.
///
/// # Safety
/// `start` is not NULL and points to as many readable bytes as its first field, a `usize`, says; any bytes make a `T`.
pub(super) unsafe fn read_sized<T>(start: *const T, name: &str, type_name: &str, remedy: &str) -> Result<T> {
    let bytes = start.cast::<u8>();
    // SAFETY: the struct has at least its first field; alignment is not assumed.
    let struct_size = unsafe { bytes.cast::<usize>().read_unaligned() };
    let invalid = |message: String| Err(Error::new(ErrorKind::InvalidArgument, message));
    let known = size_of::<T>();
    if !(known..=MAX_STRUCT_SIZE).contains(&struct_size) {
        return invalid(format!("{name}->struct_size is {struct_size}; it must be sizeof({type_name}), {known} in this release: {remedy}"));
    }
    for index in known..struct_size {
        // SAFETY: `index` is below `struct_size`.
        let place = unsafe { bytes.add(index) };
        // SAFETY: the caller's struct has `struct_size` bytes.
        if unsafe { place.read() } != 0 {
            return invalid(format!(
                "{name} has a non-zero byte at {index}, in a field that zn5 {} does not know; leave it zero or use a newer zn5",
                env!("CARGO_PKG_VERSION")
            ));
        }
    }
    // SAFETY: the caller's struct has at least the bytes of a `T`, which any bytes make; alignment is not assumed.
    Ok(unsafe { start.read_unaligned() })
}

/// Reads the caller's options; NULL means defaults.
///
/// # Safety
/// `options` is NULL or points to as many readable bytes as its first field says, and `fill_value` to `fill_value_len`.
pub(super) unsafe fn read(options: *const zn5_codec_options) -> Result<CodecOptions> {
    if options.is_null() {
        return Ok(CodecOptions::default());
    }
    // SAFETY: not NULL, and the caller's contract; integers and pointers take any bytes.
    let options = unsafe { read_sized(options, "options", "zn5_codec_options", "begin with ZN5_CODEC_OPTIONS_INIT") }?;
    let invalid = |message: String| Err(Error::new(ErrorKind::InvalidArgument, message));
    if options.flags & !ZN5_STRICT != 0 {
        return invalid(format!("options->flags is {:#x}; zn5 {} knows ZN5_STRICT (1) alone", options.flags, env!("CARGO_PKG_VERSION")));
    }
    // SAFETY: the caller's buffer.
    let fill_value = unsafe { ptr::input(options.fill_value, options.fill_value_len, "options->fill_value") }?;
    let fill_value = if options.fill_value.is_null() {
        None
    } else {
        let mut copy = try_vec(fill_value.len())?;
        copy.extend_from_slice(fill_value);
        Some(copy)
    };
    Ok(CodecOptions {
        order: order(options.order).map_err(|error| error.about("options"))?,
        strict: options.flags & ZN5_STRICT != 0,
        max_decoded_bytes: Some(options.max_decoded_bytes).filter(|&limit| limit != 0),
        fill_value,
    })
}

const _: () = {
    assert!(ZN5_ORDER_C == 0, "zero is the default of every field");
    assert!(offset_of!(zn5_codec_options, struct_size) == 0);
    assert!(offset_of!(zn5_codec_options, max_decoded_bytes) % 8 == 0);
};
