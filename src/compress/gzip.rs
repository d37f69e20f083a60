//! gzip (RFC 1952, several members) and zlib (RFC 1950) streams, both ways, by libdeflate.
//!
//! libdeflate needs the whole output at once, which is what the exact sizes of N5 blocks offer.

use std::ffi::{CStr, c_int, c_uint, c_ulong, c_void};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};

use libdeflate_sys as sys;

use super::output::{Decoded, Failure, Output, check_tail, corrupt, not_strict, rest};
use super::{Payload, out_of_range};
use crate::error::{Error, ErrorKind, Result};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// libdeflate tells its version in its C header only; a test compares this with the lock file.
const LIBDEFLATE_VERSION: &str = "1.26";

/// What the library's objects take, rounded up: it does not tell.
const DECOMPRESSOR_LEN: usize = 16 << 10;
const COMPRESSOR_LEN: usize = 1 << 20;

/// Objects of libdeflate that are reused.
#[derive(Default)]
pub(super) struct State {
    decompressor: Option<Decompressor>,
    compressor: Option<Compressor>,
}

impl State {
    pub(super) fn retained_bytes(&self) -> usize {
        let decompressor = if self.decompressor.is_some() { DECOMPRESSOR_LEN } else { 0 };
        let compressor = if self.compressor.is_some() { COMPRESSOR_LEN } else { 0 };
        decompressor.saturating_add(compressor)
    }

    fn decompressor(&mut self) -> Result<*mut sys::libdeflate_decompressor> {
        if self.decompressor.is_none() {
            // SAFETY: has no precondition.
            let allocated = NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() });
            self.decompressor = Some(Decompressor(allocated.ok_or_else(Error::out_of_memory)?));
        }
        self.decompressor.as_ref().map(|kept| kept.0.as_ptr()).ok_or_else(Error::out_of_memory)
    }

    fn compressor(&mut self, level: u8) -> Result<*mut sys::libdeflate_compressor> {
        if self.compressor.as_ref().is_none_or(|kept| kept.level != level) {
            self.compressor = None;
            // SAFETY: has no precondition; a level that does not exist gives NULL.
            let allocated = NonNull::new(unsafe { sys::libdeflate_alloc_compressor(c_int::from(level)) });
            self.compressor = Some(Compressor { level, object: allocated.ok_or_else(Error::out_of_memory)? });
        }
        self.compressor.as_ref().map(|kept| kept.object.as_ptr()).ok_or_else(Error::out_of_memory)
    }
}

struct Decompressor(NonNull<sys::libdeflate_decompressor>);

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the object was allocated by the library and is freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

// SAFETY: the object is plain memory without ties to a thread.
unsafe impl Send for Decompressor {}

struct Compressor {
    level: u8,
    object: NonNull<sys::libdeflate_compressor>,
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: the object was allocated by the library and is freed once.
        unsafe { sys::libdeflate_free_compressor(self.object.as_ptr()) };
    }
}

// SAFETY: the object is plain memory without ties to a thread.
unsafe impl Send for Compressor {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Framing {
    Gzip,
    Zlib,
}

impl Framing {
    const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
        }
    }

    /// What the first bytes say; the declaration holds where they say neither.
    fn of(src: &[u8], declared: Self, strict: bool) -> Result<Self> {
        let found = match src {
            [first, second, ..] if [*first, *second] == GZIP_MAGIC => Self::Gzip,
            [first, second, ..] if is_zlib_header(*first, *second) => Self::Zlib,
            _ => return Err(corrupt(declared.name(), "does not begin like one", 0)),
        };
        if strict && found != declared {
            let what = format!("is a {} stream, which useZlib contradicts", found.name());
            return Err(not_strict(declared.name(), &what, 0));
        }
        Ok(found)
    }
}

/// Deflate in a window of at most 32 KiB, and the check bits right.
fn is_zlib_header(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

pub(super) fn decode(payload: Payload, zlib: bool, output: &mut Output, state: &mut State) -> Decoded<()> {
    let Payload { src, strict, .. } = payload;
    let framing = Framing::of(src, if zlib { Framing::Zlib } else { Framing::Gzip }, strict)?;
    let mut end = inflate(framing, payload, 0, output, state)?;
    while framing == Framing::Gzip && rest(src, end).starts_with(&GZIP_MAGIC) {
        end = inflate(framing, payload, end, output, state)?;
    }
    Ok(check_tail(src, end, strict, framing.name())?)
}

/// Decodes the one member or stream that begins at `start`, and returns where it ends.
fn inflate(framing: Framing, payload: Payload, start: usize, output: &mut Output, state: &mut State) -> Decoded<usize> {
    let stream = rest(payload.src, start);
    if framing == Framing::Gzip && header_checksum_is_wrong(stream) {
        return Err(corrupt("gzip", "has a header whose checksum is wrong", start).into());
    }
    let decompressor = state.decompressor()?;
    let call = match framing {
        Framing::Gzip => sys::libdeflate_gzip_decompress_ex,
        Framing::Zlib => sys::libdeflate_zlib_decompress_ex,
    };
    let (mut used, mut written) = (0, 0);
    // SAFETY: the object is alive and ours; both memories are as long as said, and do not overlap as one is borrowed mutably.
    let result = unsafe {
        call(decompressor, stream.as_ptr().cast(), stream.len(), output.next_ptr().cast(), output.room(), &raw mut used, &raw mut written)
    };
    match result {
        sys::libdeflate_result_LIBDEFLATE_SUCCESS => {
            // SAFETY: the library wrote that many bytes.
            unsafe { output.advance(written) };
            // A stream takes at least its header, so decoding always moves on.
            Ok(start.saturating_add(used.max(1)))
        }
        sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE if payload.can_grow || overflows(framing, stream, output.room())? => {
            Err(Failure::Full)
        }
        code => Err(corrupt(framing.name(), "is damaged or cut", start).with_native_code(i64::from(code)).into()),
    }
}

/// Decodes the zlib stream at the beginning of `src` into `dst` and returns the length, or the library's code.
pub(super) fn decode_zlib(src: &[u8], dst: &mut [MaybeUninit<u8>], state: &mut State) -> Result<std::result::Result<usize, i64>> {
    let decompressor = state.decompressor()?;
    let (mut used, mut written) = (0, 0);
    // SAFETY: the object is alive and ours; both memories are as long as said, and do not overlap as one is borrowed mutably.
    let result = unsafe {
        sys::libdeflate_zlib_decompress_ex(
            decompressor,
            src.as_ptr().cast(),
            src.len(),
            dst.as_mut_ptr().cast(),
            dst.len(),
            &raw mut used,
            &raw mut written,
        )
    };
    Ok(if result == sys::libdeflate_result_LIBDEFLATE_SUCCESS { Ok(written) } else { Err(i64::from(result)) })
}

/// Whether the optional CRC-16 of a gzip header differs; libdeflate skips it.
fn header_checksum_is_wrong(member: &[u8]) -> bool {
    const HEADER_CRC: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    let Some(&flags) = member.get(3) else { return false };
    if flags & HEADER_CRC == 0 {
        return false;
    }
    let mut end: usize = 10;
    if flags & EXTRA != 0 {
        let Some(len) = rest(member, end).first_chunk() else { return false };
        end = end.saturating_add(2).saturating_add(usize::from(u16::from_le_bytes(*len)));
    }
    for field in [NAME, COMMENT] {
        if flags & field != 0 {
            let Some(len) = rest(member, end).iter().position(|&byte| byte == 0) else { return false };
            end = end.saturating_add(len).saturating_add(1);
        }
    }
    // A header that is cut here is cut for libdeflate too.
    let (Some(header), Some(stored)) = (member.get(..end), rest(member, end).first_chunk()) else { return false };
    // SAFETY: the memory is as long as said.
    let crc = unsafe { sys::libdeflate_crc32(0, header.as_ptr().cast(), header.len()) };
    crc & 0xffff != u32::from(u16::from_le_bytes(*stored))
}

/// zlib's `z_stream`, whose function pointers may be NULL here.
#[repr(C)]
struct ZlibStream {
    next_in: *const u8,
    avail_in: c_uint,
    total_in: c_ulong,
    next_out: *mut u8,
    avail_out: c_uint,
    total_out: c_ulong,
    msg: *mut c_void,
    state: *mut c_void,
    zalloc: Option<unsafe extern "C" fn()>,
    zfree: Option<unsafe extern "C" fn()>,
    opaque: *mut c_void,
    data_type: c_int,
    adler: c_ulong,
    reserved: c_ulong,
}

const _: () = assert!(size_of::<ZlibStream>() == size_of::<libz_sys::z_stream>());

/// Whether a stream that libdeflate has no room for really holds more than `room` bytes.
///
/// libdeflate reads zeros after the end of its input, so that a cut stream can look like a long one. zlib does not.
fn overflows(framing: Framing, stream: &[u8], room: usize) -> Result<bool> {
    const GZIP_WINDOW_BITS: c_int = 31;
    const ZLIB_WINDOW_BITS: c_int = 15;
    let mut scratch = [0; 16 << 10];
    let mut zlib = ZlibStream {
        next_in: stream.as_ptr(),
        avail_in: 0,
        total_in: 0,
        next_out: null_mut(),
        avail_out: 0,
        total_out: 0,
        msg: null_mut(),
        state: null_mut(),
        zalloc: None,
        zfree: None,
        opaque: null_mut(),
        data_type: 0,
        adler: 0,
        reserved: 0,
    };
    let zlib_ptr = (&raw mut zlib).cast::<libz_sys::z_stream>();
    let window_bits = if framing == Framing::Gzip { GZIP_WINDOW_BITS } else { ZLIB_WINDOW_BITS };
    // SAFETY: has no precondition.
    let version = unsafe { libz_sys::zlibVersion() };
    let stream_len = c_int::try_from(size_of::<ZlibStream>()).unwrap_or(0);
    // SAFETY: the structure is laid out as the library's, with NULL for its default allocator.
    if unsafe { libz_sys::inflateInit2_(zlib_ptr, window_bits, version, stream_len) } != libz_sys::Z_OK {
        return Err(Error::out_of_memory());
    }
    let (mut unread, mut produced) = (stream.len(), 0_usize);
    let overflow = loop {
        if zlib.avail_in == 0 {
            zlib.avail_in = c_uint::try_from(unread).unwrap_or(c_uint::MAX);
            unread = unread.saturating_sub(usize::try_from(zlib.avail_in).unwrap_or(0));
        }
        zlib.next_out = scratch.as_mut_ptr();
        zlib.avail_out = c_uint::try_from(scratch.len()).unwrap_or(0);
        let before = zlib.avail_in;
        // SAFETY: `inflateInit2_` succeeded, and both memories are as long as said.
        let result = unsafe { libz_sys::inflate((&raw mut zlib).cast(), libz_sys::Z_NO_FLUSH) };
        let written = scratch.len().saturating_sub(usize::try_from(zlib.avail_out).unwrap_or(0));
        produced = produced.saturating_add(written);
        if produced > room {
            break true;
        }
        if result != libz_sys::Z_OK || (written == 0 && zlib.avail_in == before && unread == 0) {
            break false;
        }
    };
    // SAFETY: `inflateInit2_` succeeded and this is called once.
    unsafe { libz_sys::inflateEnd((&raw mut zlib).cast()) };
    Ok(overflow)
}

pub(super) fn encode_bound(zlib: bool, len: usize) -> Option<usize> {
    // The library's own sum wraps near the end of the address space.
    if len > usize::MAX / 2 {
        return None;
    }
    let bound = if zlib { sys::libdeflate_zlib_compress_bound } else { sys::libdeflate_gzip_compress_bound };
    // SAFETY: NULL asks for a bound that holds for every compressor.
    Some(unsafe { bound(null_mut(), len) })
}

pub(super) fn encode(src: &[u8], level: u8, zlib: bool, dst: &mut [MaybeUninit<u8>], state: &mut State) -> Result<usize> {
    if level > 9 {
        return Err(out_of_range("the gzip level", level, "0 to 9"));
    }
    compress(src, level, if zlib { Framing::Zlib } else { Framing::Gzip }, dst, state)?
        .ok_or_else(|| Error::new(ErrorKind::Internal, "libdeflate found its own bound too small; report this as a defect of zn5"))
}

/// Encodes a zlib stream and returns its length, or `None` where it does not fit.
pub(super) fn encode_zlib(src: &[u8], level: u8, dst: &mut [MaybeUninit<u8>], state: &mut State) -> Result<Option<usize>> {
    compress(src, level, Framing::Zlib, dst, state)
}

fn compress(src: &[u8], level: u8, framing: Framing, dst: &mut [MaybeUninit<u8>], state: &mut State) -> Result<Option<usize>> {
    let compressor = state.compressor(level)?;
    let call = match framing {
        Framing::Gzip => sys::libdeflate_gzip_compress,
        Framing::Zlib => sys::libdeflate_zlib_compress,
    };
    // SAFETY: the object is alive and ours; both memories are as long as said, and do not overlap as one is borrowed mutably.
    let written = unsafe { call(compressor, src.as_ptr().cast(), src.len(), dst.as_mut_ptr().cast(), dst.len()) };
    Ok(Some(written).filter(|&written| written > 0))
}

pub(super) fn version() -> String {
    format!("libdeflate {LIBDEFLATE_VERSION}")
}

/// zlib tells damage from lack of room.
pub(super) fn zlib_version() -> String {
    // SAFETY: has no precondition.
    let version = unsafe { libz_sys::zlibVersion() };
    // SAFETY: the library returns a constant that ends with NUL.
    let version = unsafe { CStr::from_ptr(version) };
    format!("zlib {}", version.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The largest allocation since it was 0.
    static LARGEST: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn allocate(len: usize) -> *mut c_void {
        LARGEST.fetch_max(len, Ordering::Relaxed);
        // SAFETY: has no precondition.
        unsafe { libc::malloc(len) }
    }

    unsafe extern "C" fn free(memory: *mut c_void) {
        // SAFETY: the library gives back what it was given.
        unsafe { libc::free(memory) };
    }

    #[test]
    fn objects_are_no_larger_than_said() {
        let options = sys::libdeflate_options {
            sizeof_options: size_of::<sys::libdeflate_options>(),
            malloc_func: Some(allocate),
            free_func: Some(free),
        };
        // SAFETY: the options are complete.
        let decompressor = NonNull::new(unsafe { sys::libdeflate_alloc_decompressor_ex(&raw const options) }).map(Decompressor);
        assert!(decompressor.is_some() && (1..=DECOMPRESSOR_LEN).contains(&LARGEST.load(Ordering::Relaxed)));
        for level in 0..=9 {
            // SAFETY: the options are complete.
            let object = NonNull::new(unsafe { sys::libdeflate_alloc_compressor_ex(c_int::from(level), &raw const options) });
            let compressor = object.map(|object| Compressor { level, object });
            assert!(compressor.is_some() && (1..=COMPRESSOR_LEN).contains(&LARGEST.load(Ordering::Relaxed)), "{level}");
        }
    }

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        assert!(
            include_str!("../../Cargo.lock").contains(&format!("name = \"libdeflate-sys\"\nversion = \"{}.", super::LIBDEFLATE_VERSION))
        );
    }
}
