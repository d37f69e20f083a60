//! Section "Data types" of the header: the numbers that stand for element types, byte orders and axis orders.
//!
//! They are integers, not enums: an unknown value is an error, never undefined behaviour.

use std::ffi::{c_char, c_void};

use super::error::zn5_error;
use super::guard::{guard, guard_value};
use super::ptr;
use super::status::zn5_status;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::model::{DataType, Endian, Order};

/// The type of an array's elements: one of ZN5_DTYPE_...; never 0.
pub type zn5_dtype = u32;

/// 8-bit unsigned integer, "uint8".
pub const ZN5_DTYPE_UINT8: zn5_dtype = 1;
/// 16-bit unsigned integer, "uint16".
pub const ZN5_DTYPE_UINT16: zn5_dtype = 2;
/// 32-bit unsigned integer, "uint32".
pub const ZN5_DTYPE_UINT32: zn5_dtype = 3;
/// 64-bit unsigned integer, "uint64".
pub const ZN5_DTYPE_UINT64: zn5_dtype = 4;
/// 8-bit signed integer, "int8".
pub const ZN5_DTYPE_INT8: zn5_dtype = 5;
/// 16-bit signed integer, "int16".
pub const ZN5_DTYPE_INT16: zn5_dtype = 6;
/// 32-bit signed integer, "int32".
pub const ZN5_DTYPE_INT32: zn5_dtype = 7;
/// 64-bit signed integer, "int64".
pub const ZN5_DTYPE_INT64: zn5_dtype = 8;
/// IEEE 754 binary32, "float32".
pub const ZN5_DTYPE_FLOAT32: zn5_dtype = 9;
/// IEEE 754 binary64, "float64".
pub const ZN5_DTYPE_FLOAT64: zn5_dtype = 10;
/// Zarr's "fixed_length_utf32"; zn5_codec_element_size() tells the size of its elements. No N5 block holds it.
pub const ZN5_DTYPE_UTF32: zn5_dtype = 11;

/// The order of a contiguous array's elements in memory: ZN5_ORDER_C or ZN5_ORDER_F.
pub type zn5_order = u32;

/// The last axis varies fastest, as in C, NumPy and Zarr: of extents (2,3), element (0,1) follows element (0,0).
pub const ZN5_ORDER_C: zn5_order = 0;
/// The first axis varies fastest, as in an N5 block, Fortran and ImgLib2: of extents (2,3), element (1,0) follows element (0,0).
pub const ZN5_ORDER_F: zn5_order = 1;

/// The byte order of code units: ZN5_ENDIAN_LITTLE or ZN5_ENDIAN_BIG; 0 is an error, for no default is safe.
pub type zn5_endian = u32;

/// The least significant byte first, as in NumPy's "<U12".
pub const ZN5_ENDIAN_LITTLE: zn5_endian = 1;
/// The most significant byte first, as in NumPy's ">U12".
pub const ZN5_ENDIAN_BIG: zn5_endian = 2;

const NUMERIC: [(zn5_dtype, DataType); 10] = [
    (ZN5_DTYPE_UINT8, DataType::UInt8),
    (ZN5_DTYPE_UINT16, DataType::UInt16),
    (ZN5_DTYPE_UINT32, DataType::UInt32),
    (ZN5_DTYPE_UINT64, DataType::UInt64),
    (ZN5_DTYPE_INT8, DataType::Int8),
    (ZN5_DTYPE_INT16, DataType::Int16),
    (ZN5_DTYPE_INT32, DataType::Int32),
    (ZN5_DTYPE_INT64, DataType::Int64),
    (ZN5_DTYPE_FLOAT32, DataType::Float32),
    (ZN5_DTYPE_FLOAT64, DataType::Float64),
];

pub(super) fn dtype_of(data_type: DataType) -> zn5_dtype {
    NUMERIC.iter().find(|row| row.1 == data_type).map_or(ZN5_DTYPE_UTF32, |row| row.0)
}

fn numeric(dtype: zn5_dtype) -> Option<DataType> {
    NUMERIC.iter().find(|row| row.0 == dtype).map(|row| row.1)
}

/// The type of an N5 block's elements.
pub(super) fn n5_data_type(dtype: zn5_dtype) -> Result<DataType> {
    match dtype {
        ZN5_DTYPE_UTF32 => Err(Error::new(
            ErrorKind::UnsupportedDataType,
            "no N5 block holds fixed_length_utf32; open such an array by zn5_codec_from_zarr_metadata",
        )),
        _ => numeric(dtype).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("dtype {dtype} is none of ZN5_DTYPE_UINT8 (1) to ZN5_DTYPE_UTF32 (11)"))
        }),
    }
}

pub(super) fn order(order: zn5_order) -> Result<Order> {
    match order {
        ZN5_ORDER_C => Ok(Order::C),
        ZN5_ORDER_F => Ok(Order::F),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("order {order} is neither ZN5_ORDER_C (0) nor ZN5_ORDER_F (1)"))),
    }
}

pub(super) fn endian(endian: zn5_endian) -> Result<Endian> {
    match endian {
        ZN5_ENDIAN_LITTLE => Ok(Endian::Little),
        ZN5_ENDIAN_BIG => Ok(Endian::Big),
        _ => Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("endian {endian} is neither ZN5_ENDIAN_LITTLE (1) nor ZN5_ENDIAN_BIG (2); it must be stated"),
        )),
    }
}

pub(super) fn endian_of(endian: Endian) -> zn5_endian {
    match endian {
        Endian::Little => ZN5_ENDIAN_LITTLE,
        Endian::Big => ZN5_ENDIAN_BIG,
    }
}

/// Returns the size of one element.
///
/// @param dtype  any number
/// @return bytes; 0 of ZN5_DTYPE_UTF32, whose size zn5_codec_element_size() tells, and of a number that is no data type
#[unsafe(no_mangle)]
pub extern "C" fn zn5_dtype_size(dtype: zn5_dtype) -> usize {
    guard_value(0, || numeric(dtype).map_or(0, DataType::size))
}

/// Returns the name that N5's "dataType" and Zarr's "data_type" use.
///
/// @param dtype  any number
/// @return such as "uint16", a static NUL-terminated string; "" of a number that is no data type
#[unsafe(no_mangle)]
pub extern "C" fn zn5_dtype_name(dtype: zn5_dtype) -> *const c_char {
    let name = match dtype {
        ZN5_DTYPE_UINT8 => c"uint8",
        ZN5_DTYPE_UINT16 => c"uint16",
        ZN5_DTYPE_UINT32 => c"uint32",
        ZN5_DTYPE_UINT64 => c"uint64",
        ZN5_DTYPE_INT8 => c"int8",
        ZN5_DTYPE_INT16 => c"int16",
        ZN5_DTYPE_INT32 => c"int32",
        ZN5_DTYPE_INT64 => c"int64",
        ZN5_DTYPE_FLOAT32 => c"float32",
        ZN5_DTYPE_FLOAT64 => c"float64",
        ZN5_DTYPE_UTF32 => c"fixed_length_utf32",
        _ => c"",
    };
    name.as_ptr()
}

/// Finds the data type of a name.
///
/// @param name      a name as zn5_dtype_name() returns it; case matters
/// @param name_len  its bytes, without a terminator
/// @param dtype     gets the data type
/// @param error     gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_UNSUPPORTED_DATA_TYPE for any other name; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
///   ZN5_ERROR_LIMIT_EXCEEDED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_dtype_parse(
    name: *const c_char,
    name_len: usize,
    dtype: *mut zn5_dtype,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        ptr::check_apart(&[ptr::bytes("name", name, name_len)], &[ptr::place("dtype", dtype)])?;
        // SAFETY: the caller's buffer.
        let name = unsafe { ptr::input(name.cast::<c_void>(), name_len, "name") }?;
        let name = String::from_utf8_lossy(name);
        let found = match DataType::from_name(&name) {
            Some(data_type) => dtype_of(data_type),
            None if name == "fixed_length_utf32" => ZN5_DTYPE_UTF32,
            None => {
                return Err(Error::new(
                    ErrorKind::UnsupportedDataType,
                    format!(
                        "{} is no data type of N5 (uint8 to uint64, int8 to int64, float32, float64) nor fixed_length_utf32",
                        quoted(&name)
                    ),
                ));
            }
        };
        // SAFETY: the caller's place for the result.
        unsafe { ptr::put(dtype, found, "dtype") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn numbers_sizes_and_names_agree_with_the_engine() {
        for (dtype, data_type) in NUMERIC {
            assert_eq!(zn5_dtype_size(dtype), data_type.size());
            // SAFETY: a static NUL-terminated string.
            let name = unsafe { CStr::from_ptr(zn5_dtype_name(dtype)) };
            assert_eq!(name.to_str(), Ok(data_type.name()));
            assert_eq!(dtype_of(data_type), dtype);
        }
        assert_eq!(dtype_of(DataType::FixedUtf32 { length_bytes: 4 }), ZN5_DTYPE_UTF32);
    }
}
