//! The C API as the targets call it, with its promises about errors checked on every call.
//!
//! A failure has an error object of the same status with a message, and an offset inside the input; zn5 is never at fault.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use zn5::error::ErrorKind;
use zn5::ffi::*;

/// What a failed call reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub status: zn5_status,
    /// The message.
    pub message: String,
}

/// Runs one call with a place for its error; an offset may not exceed `input_len`.
pub fn call(input_len: usize, call: impl FnOnce(*mut *mut zn5_error) -> zn5_status) -> Result<(), Failure> {
    let mut error = null_mut();
    let status = call(&raw mut error);
    // SAFETY: the call made the error object, or left NULL.
    let (of_object, message, offset) = unsafe { (zn5_error_status(error), zn5_error_message(error), zn5_error_offset(error)) };
    // SAFETY: a message is NUL-terminated and lives as long as its object.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: the object is not used again.
    unsafe { zn5_error_free(error) };
    assert_eq!(status, of_object, "the call returned {status} and its error object has {of_object}: {message}");
    if status == ZN5_OK {
        return Ok(());
    }
    assert!(!message.is_empty(), "status {status} without a message");
    assert!(offset >= -1 && offset <= i64::try_from(input_len).unwrap(), "offset {offset} in {input_len} bytes: {message}");
    let own_fault = [ZN5_ERROR_PANIC, ZN5_ERROR_INTERNAL, ZN5_ERROR_OUT_OF_MEMORY, ZN5_ERROR_NULL_POINTER];
    assert!(!own_fault.contains(&status), "status {status}: {message}");
    Err(Failure { status, message })
}

/// The message of an engine's failure, as the C API would give it; its promises are checked like those of [`call`].
pub fn engine<T>(input_len: usize, result: zn5::error::Result<T>) -> Result<T, String> {
    result.map_err(|error| {
        assert!(!error.message().is_empty(), "{error:?}");
        assert!(error.offset().is_none_or(|offset| offset <= input_len as u64), "{error:?} in {input_len} bytes");
        assert!(![ErrorKind::Internal, ErrorKind::OutOfMemory, ErrorKind::NullPointer].contains(&error.kind()), "{error:?}");
        error.message().replace('\0', "\u{fffd}")
    })
}

/// What a codec is asked for beside its document.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the first axis varies fastest.
    pub f_order: bool,
    /// ZN5_STRICT.
    pub strict: bool,
    /// 0 is the default.
    pub max_decoded_bytes: u64,
    /// One element.
    pub fill: Option<Vec<u8>>,
}

impl Options {
    fn with<T>(&self, use_them: impl FnOnce(*const zn5_codec_options) -> T) -> T {
        let options = zn5_codec_options {
            struct_size: size_of::<zn5_codec_options>(),
            order: if self.f_order { ZN5_ORDER_F } else { ZN5_ORDER_C },
            flags: if self.strict { ZN5_STRICT } else { 0 },
            max_decoded_bytes: self.max_decoded_bytes,
            fill_value: self.fill.as_ref().map_or(null(), |fill| fill.as_ptr().cast()),
            fill_value_len: self.fill.as_ref().map_or(0, Vec::len),
        };
        use_them(&raw const options)
    }
}

/// A codec, freed at the end.
pub struct Codec(*mut zn5_codec);

impl Drop for Codec {
    fn drop(&mut self) {
        // SAFETY: the codec is this object's own.
        unsafe { zn5_codec_free(self.0) };
    }
}

impl Codec {
    fn make(len: usize, make: impl FnOnce(*mut *mut zn5_codec, *mut *mut zn5_error) -> zn5_status) -> Result<Self, Failure> {
        let mut codec = null_mut();
        let result = call(len, |error| make(&raw mut codec, error));
        assert_eq!(result.is_ok(), !codec.is_null(), "a handle goes with success");
        result.map(|()| Self(codec))
    }

    /// From an attributes.json.
    pub fn from_n5(json: &[u8], options: &Options) -> Result<Self, Failure> {
        options.with(|options| {
            Self::make(json.len(), |codec, error| {
                // SAFETY: all buffers live during the call.
                unsafe { zn5_codec_from_n5_attributes(json.as_ptr().cast(), json.len(), options, codec, error) }
            })
        })
    }

    /// From a zarr.json.
    pub fn from_zarr(json: &[u8], options: &Options) -> Result<Self, Failure> {
        options.with(|options| {
            Self::make(json.len(), |codec, error| {
                // SAFETY: all buffers live during the call.
                unsafe { zn5_codec_from_zarr_metadata(json.as_ptr().cast(), json.len(), options, codec, error) }
            })
        })
    }

    /// From a codec object.
    pub fn from_object(json: &[u8], dtype: zn5_dtype, chunk_shape: &[u64], options: &Options) -> Result<Self, Failure> {
        let ndim = u32::try_from(chunk_shape.len()).unwrap();
        options.with(|options| {
            Self::make(json.len(), |codec, error| {
                // SAFETY: all buffers live during the call.
                unsafe { zn5_codec_new(json.as_ptr().cast(), json.len(), dtype, ndim, chunk_shape.as_ptr(), options, codec, error) }
            })
        })
    }

    /// Bytes of one element.
    pub fn element_size(&self) -> usize {
        // SAFETY: the codec lives.
        unsafe { zn5_codec_element_size(self.0) }
    }

    /// The rank.
    pub fn ndim(&self) -> usize {
        // SAFETY: the codec lives.
        unsafe { zn5_codec_ndim(self.0) as usize }
    }

    /// The chunk shape.
    pub fn chunk_shape(&self) -> Vec<u64> {
        let mut shape = vec![0; self.ndim()];
        // SAFETY: the buffer has room for the rank.
        call(0, |error| unsafe { zn5_codec_chunk_shape(self.0, shape.as_mut_ptr(), shape.len(), error) }).unwrap();
        shape
    }

    /// The fill value.
    pub fn fill_value(&self) -> Vec<u8> {
        let mut fill = vec![0; self.element_size()];
        // SAFETY: the buffer has room for one element.
        call(0, |error| unsafe { zn5_codec_fill_value(self.0, fill.as_mut_ptr().cast(), fill.len(), error) }).unwrap();
        fill
    }

    /// The codec as Zarr metadata.
    pub fn to_json(&self) -> Result<String, Failure> {
        // SAFETY: the buffers live during the call.
        text(0, |dst, len, needed, error| unsafe { zn5_codec_to_json(self.0, dst, len, needed, error) })
    }

    /// `zn5_codec_encode_bound`.
    pub fn encode_bound(&self, shape: &[u64]) -> Result<u64, Failure> {
        let mut bound = 0;
        // SAFETY: the shape has the rank's extents.
        call(0, |error| unsafe { zn5_codec_encode_bound(self.0, shape.as_ptr(), &raw mut bound, error) })?;
        Ok(bound)
    }

    /// `zn5_decode_block`.
    pub fn decode_block(&self, src: &[u8], shape: &[u64], dst: &mut [u8]) -> Result<(), Failure> {
        assert_eq!(shape.len(), self.ndim());
        call(src.len(), |error| {
            // SAFETY: all buffers live during the call and have the lengths that are passed.
            unsafe { zn5_decode_block(self.0, src.as_ptr().cast(), src.len(), shape.as_ptr(), dst.as_mut_ptr().cast(), dst.len(), error) }
        })
    }

    /// `zn5_decode_region`.
    #[allow(clippy::too_many_arguments)]
    pub fn decode_region(
        &self,
        src: &[u8],
        shape: &[u64],
        offset: &[u64],
        extent: &[u64],
        dst: &mut [u8],
        origin: usize,
        strides: &[isize],
    ) -> Result<(), Failure> {
        let ndim = self.ndim();
        assert!(shape.len() == ndim && offset.len() == ndim && extent.len() == ndim && strides.len() == ndim);
        let (dst, dst_len) = (dst.as_mut_ptr(), dst.len());
        call(src.len(), |error| {
            // SAFETY: all buffers live during the call and have the lengths that are passed.
            unsafe {
                zn5_decode_region(
                    self.0,
                    src.as_ptr().cast(),
                    src.len(),
                    shape.as_ptr(),
                    offset.as_ptr(),
                    extent.as_ptr(),
                    dst.cast(),
                    dst_len,
                    origin,
                    strides.as_ptr(),
                    error,
                )
            }
        })
    }

    /// `zn5_encode_block`, into a buffer of the bound, and once more into one of exactly the length that took.
    pub fn encode_block(&self, shape: &[u64], src: &[u8]) -> Result<Vec<u8>, Failure> {
        self.encoded(shape, &mut |dst, written, error| {
            // SAFETY: all buffers live during the call and have the lengths that are passed.
            unsafe {
                zn5_encode_block(self.0, shape.as_ptr(), src.as_ptr().cast(), src.len(), dst.as_mut_ptr().cast(), dst.len(), written, error)
            }
        })
    }

    /// `zn5_encode_region`, as [`Self::encode_block`].
    pub fn encode_region(&self, shape: &[u64], src: &[u8], origin: usize, strides: &[isize]) -> Result<Vec<u8>, Failure> {
        assert!(shape.len() == self.ndim() && strides.len() == self.ndim());
        self.encoded(shape, &mut |dst, written, error| {
            // SAFETY: all buffers live during the call and have the lengths that are passed.
            unsafe {
                zn5_encode_region(
                    self.0,
                    shape.as_ptr(),
                    src.as_ptr().cast(),
                    src.len(),
                    origin,
                    strides.as_ptr(),
                    dst.as_mut_ptr().cast(),
                    dst.len(),
                    written,
                    error,
                )
            }
        })
    }

    fn encoded(
        &self,
        shape: &[u64],
        encode: &mut dyn FnMut(&mut [u8], *mut usize, *mut *mut zn5_error) -> zn5_status,
    ) -> Result<Vec<u8>, Failure> {
        assert_eq!(shape.len(), self.ndim());
        let bound = usize::try_from(self.encode_bound(shape)?).unwrap();
        let mut block = vec![0; bound];
        let mut written = 0;
        call(0, |error| encode(&mut block, &raw mut written, error))?;
        assert!(written <= bound, "{written} bytes, bound {bound}");
        block.truncate(written);
        let mut exact = vec![0; written];
        let mut again = 0;
        call(0, |error| encode(&mut exact, &raw mut again, error)).expect("fits");
        assert!(again == written && exact == block, "the bytes depend on the room");
        Ok(block)
    }
}

/// A text that comes by two calls: the first tells the size; less room is refused, and nothing behind the text is touched.
pub fn text(
    input_len: usize,
    mut get: impl FnMut(*mut std::ffi::c_char, usize, *mut usize, *mut *mut zn5_error) -> zn5_status,
) -> Result<String, Failure> {
    let mut needed = usize::MAX;
    call(input_len, |error| get(null_mut(), 0, &raw mut needed, error))?;
    let mut dst = vec![0xaa_u8; needed + 3];
    let mut again = usize::MAX;
    if needed > 0 {
        let failure = call(input_len, |error| get(dst.as_mut_ptr().cast(), needed - 1, &raw mut again, error)).expect_err("too small");
        assert!(failure.status == ZN5_ERROR_BUFFER_TOO_SMALL && again == needed, "{failure:?}");
        assert!(dst[needed - 1..].iter().all(|&byte| byte == 0xaa), "bytes behind the buffer were written");
    }
    call(input_len, |error| get(dst.as_mut_ptr().cast(), needed, &raw mut again, error)).expect("the size that was told");
    assert!(again == needed && dst[needed..] == [0xaa; 3], "bytes behind the buffer were written");
    dst.truncate(needed);
    Ok(String::from_utf8(dst).expect("UTF-8"))
}
