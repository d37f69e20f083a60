//! The C API as the benches call it: handles that free themselves, and errors that end the bench.
//!
//! Nothing of zn5 is measured but calls that a C program makes too.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use zn5::ffi;

/// Runs a call with a place for its error, and ends the bench with its message.
fn checked(name: &str, call: impl FnOnce(*mut *mut ffi::zn5_error) -> ffi::zn5_status) {
    let mut error = null_mut();
    let status = call(&raw mut error);
    if status != ffi::ZN5_OK {
        // SAFETY: the call made the error, whose message lives as long.
        let message = unsafe { CStr::from_ptr(ffi::zn5_error_message(error)) };
        panic!("{name} gave {status}: {}", message.to_string_lossy());
    }
}

/// `attributes.json` of an array.
pub(crate) fn attributes(data_type: &str, compression: &str, shape: &[u64], block: &[u64]) -> String {
    format!(r#"{{"dimensions":{shape:?},"blockSize":{block:?},"dataType":"{data_type}","compression":{compression}}}"#)
}

pub(crate) const C: u32 = ffi::ZN5_ORDER_C;
pub(crate) const F: u32 = ffi::ZN5_ORDER_F;

fn options(order: u32) -> ffi::zn5_codec_options {
    let struct_size = size_of::<ffi::zn5_codec_options>();
    ffi::zn5_codec_options { struct_size, order, flags: 0, max_decoded_bytes: 0, fill_value: null(), fill_value_len: 0 }
}

pub(crate) struct Codec(*mut ffi::zn5_codec);

// SAFETY: any thread may use a codec.
unsafe impl Send for Codec {}
// SAFETY: any number of threads may use a codec at once.
unsafe impl Sync for Codec {}

impl Drop for Codec {
    fn drop(&mut self) {
        // SAFETY: the handle is used no more.
        unsafe { ffi::zn5_codec_free(self.0) };
    }
}

impl Codec {
    pub(crate) fn new(attributes: &str, order: u32) -> Self {
        let mut codec = null_mut();
        // SAFETY: the text and the options live through the call.
        checked("zn5_codec_from_n5_attributes", |error| unsafe {
            ffi::zn5_codec_from_n5_attributes(
                attributes.as_ptr().cast(),
                attributes.len(),
                &raw const *Box::new(options(order)),
                &raw mut codec,
                error,
            )
        });
        Self(codec)
    }

    pub(crate) fn decode(&self, block: &[u8], to: &mut [u8]) {
        // SAFETY: the memories are as long as said.
        checked("zn5_decode_block", |error| unsafe {
            ffi::zn5_decode_block(self.0, block.as_ptr().cast(), block.len(), null(), to.as_mut_ptr().cast(), to.len(), error)
        });
    }

    /// The box from `offset` on, of `extent`, to where `origin` and `strides` (in bytes) say.
    pub(crate) fn decode_region(
        &self,
        block: &[u8],
        offset: &[u64; 3],
        extent: &[u64; 3],
        image: &mut [u8],
        origin: usize,
        strides: &[isize; 3],
    ) {
        // SAFETY: the memories are as long as said, the arrays have one number an axis.
        checked("zn5_decode_region", |error| unsafe {
            ffi::zn5_decode_region(
                self.0,
                block.as_ptr().cast(),
                block.len(),
                null(),
                offset.as_ptr(),
                extent.as_ptr(),
                image.as_mut_ptr().cast(),
                image.len(),
                origin,
                strides.as_ptr(),
                error,
            )
        });
    }

    pub(crate) fn encode(&self, array: &[u8], block: &mut [u8]) -> usize {
        let mut written = 0;
        // SAFETY: the memories are as long as said.
        checked("zn5_encode_block", |error| unsafe {
            ffi::zn5_encode_block(
                self.0,
                null(),
                array.as_ptr().cast(),
                array.len(),
                block.as_mut_ptr().cast(),
                block.len(),
                &raw mut written,
                error,
            )
        });
        written
    }

    pub(crate) fn encode_bound(&self) -> usize {
        let mut bound = 0;
        // SAFETY: the place for the result lives through the call.
        checked("zn5_codec_encode_bound", |error| unsafe { ffi::zn5_codec_encode_bound(self.0, null(), &raw mut bound, error) });
        bound.try_into().unwrap()
    }

    /// The stored block.
    pub(crate) fn encoded(&self, array: &[u8]) -> Vec<u8> {
        let mut block = vec![0; self.encode_bound()];
        let written = self.encode(array, &mut block);
        block.truncate(written);
        block
    }
}

/// A dataset in a folder, read and written in C order.
pub(crate) struct Dataset(*mut ffi::zn5_dataset);

impl Drop for Dataset {
    fn drop(&mut self) {
        // SAFETY: the handle is used no more.
        unsafe { ffi::zn5_dataset_free(self.0) };
    }
}

fn io(threads: u32) -> ffi::zn5_io_options {
    let struct_size = size_of::<ffi::zn5_io_options>();
    ffi::zn5_io_options { struct_size, threads, flags: 0, progress: None, user_data: null_mut() }
}

impl Dataset {
    /// Opens the dataset at the root of `folder`, or makes it with these attributes.
    pub(crate) fn new(folder: &str, attributes: Option<&str>) -> Self {
        let (mut store, mut dataset) = (null_mut(), null_mut());
        let folder = CString::new(folder).unwrap();
        let flags = if attributes.is_some() { ffi::ZN5_STORE_WRITE | ffi::ZN5_STORE_CREATE } else { 0 };
        // SAFETY: the text ends with NUL.
        checked("zn5_store_open", |error| unsafe { ffi::zn5_store_open(folder.as_ptr(), flags, &raw mut store, error) });
        // SAFETY: the texts live through the call.
        checked(if attributes.is_some() { "zn5_dataset_create" } else { "zn5_dataset_open" }, |error| unsafe {
            match attributes {
                None => ffi::zn5_dataset_open(store, c"".as_ptr(), null(), &raw mut dataset, error),
                Some(text) => {
                    ffi::zn5_dataset_create(store, c"".as_ptr(), text.as_ptr().cast(), text.len(), null(), &raw mut dataset, error)
                }
            }
        });
        // SAFETY: the handle is used no more; the dataset keeps the store.
        unsafe { ffi::zn5_store_free(store) };
        Self(dataset)
    }

    /// Reads the region from `offset` on, of `extent`, which fills `to`.
    pub(crate) fn read(&self, offset: &[u64; 3], extent: &[u64; 3], to: &mut [u8], threads: u32) {
        let io = io(threads);
        // SAFETY: the memories are as long as said, the arrays have one number an axis.
        checked("zn5_dataset_read", |error| unsafe {
            let to_start: *mut c_void = to.as_mut_ptr().cast();
            ffi::zn5_dataset_read(self.0, offset.as_ptr(), extent.as_ptr(), to_start, to.len(), 0, null(), &raw const io, error)
        });
    }

    /// Writes the whole array.
    pub(crate) fn write(&self, array: &[u8], threads: u32) {
        let io = io(threads);
        // SAFETY: the memories are as long as said.
        checked("zn5_dataset_write", |error| unsafe {
            ffi::zn5_dataset_write(self.0, null(), null(), array.as_ptr().cast(), array.len(), 0, null(), &raw const io, error)
        });
    }
}

/// `zn5_utf32_decode_array`; gives the bytes of the text.
pub(crate) fn utf32_decode(units: &[u8], length_bytes: usize, endian: u32, text: &mut [u8], offsets: &mut [u64]) -> usize {
    let mut needed = 0;
    let count = units.len() / length_bytes;
    assert_eq!(offsets.len(), count + 1);
    // SAFETY: the memories are as long as said, there is one offset more than elements.
    checked("zn5_utf32_decode_array", |error| unsafe {
        ffi::zn5_utf32_decode_array(
            units.as_ptr().cast(),
            units.len(),
            count,
            endian,
            length_bytes,
            text.as_mut_ptr().cast(),
            text.len(),
            offsets.as_mut_ptr(),
            &raw mut needed,
            error,
        )
    });
    needed
}

/// `zn5_utf32_encode_array`.
pub(crate) fn utf32_encode(text: &[u8], offsets: &[u64], endian: u32, length_bytes: usize, units: &mut [u8]) {
    // SAFETY: the memories are as long as said, there is one offset more than elements.
    checked("zn5_utf32_encode_array", |error| unsafe {
        ffi::zn5_utf32_encode_array(
            text.as_ptr().cast(),
            text.len(),
            offsets.as_ptr(),
            offsets.len() - 1,
            endian,
            length_bytes,
            units.as_mut_ptr().cast(),
            units.len(),
            error,
        )
    });
}
