//! Section "Status codes" of the header: their numbers, names and general messages.
//!
//! Numbers are part of the ABI: explicit, grouped by the hundred, only ever appended.

use std::ffi::{CStr, c_char};

use super::guard::guard_value;
use crate::error::ErrorKind;

/// The outcome of a call: ZN5_OK or one of ZN5_ERROR_...; later releases may return numbers that this header does not know.
pub type zn5_status = i32;

/// Success.
pub const ZN5_OK: zn5_status = 0;

/// About the call: a pointer that must not be NULL is NULL.
pub const ZN5_ERROR_NULL_POINTER: zn5_status = 101;
/// About the call: an argument has a value outside its domain.
pub const ZN5_ERROR_INVALID_ARGUMENT: zn5_status = 102;
/// About the call: an output buffer is too small.
pub const ZN5_ERROR_BUFFER_TOO_SMALL: zn5_status = 103;
/// About the call: a length differs from the one that the shape asks for.
pub const ZN5_ERROR_SIZE_MISMATCH: zn5_status = 104;
/// About the call: an output shares memory with an input or with another output.
pub const ZN5_ERROR_BUFFERS_OVERLAP: zn5_status = 105;
/// About the call: the text is not UTF-8.
pub const ZN5_ERROR_INVALID_UTF8: zn5_status = 106;

/// About metadata: the document is not JSON.
pub const ZN5_ERROR_INVALID_JSON: zn5_status = 201;
/// About metadata: a member of the document is missing or has an impossible value.
pub const ZN5_ERROR_INVALID_METADATA: zn5_status = 202;
/// About metadata: the data type is not supported.
pub const ZN5_ERROR_UNSUPPORTED_DATA_TYPE: zn5_status = 203;
/// About metadata: the Zarr codec is not supported, or not in this place.
pub const ZN5_ERROR_UNSUPPORTED_CODEC: zn5_status = 204;
/// About metadata: the N5 compression is not supported.
pub const ZN5_ERROR_UNSUPPORTED_COMPRESSION: zn5_status = 205;
/// About metadata: the value has no expression in the other metadata language.
pub const ZN5_ERROR_NOT_REPRESENTABLE: zn5_status = 206;
/// About metadata: the document describes a group, not an array.
pub const ZN5_ERROR_NOT_AN_ARRAY: zn5_status = 207;

/// About blocks: the block has no byte at all.
pub const ZN5_ERROR_EMPTY_BLOCK: zn5_status = 301;
/// About blocks: the block ends inside its header or its raw payload.
pub const ZN5_ERROR_TRUNCATED_BLOCK: zn5_status = 302;
/// About blocks: the block mode is not 0 (default).
pub const ZN5_ERROR_UNSUPPORTED_BLOCK_MODE: zn5_status = 303;
/// About blocks: the block and the array differ in their number of dimensions.
pub const ZN5_ERROR_DIMENSION_MISMATCH: zn5_status = 304;
/// About blocks: the extents of the block are not allowed here.
pub const ZN5_ERROR_INVALID_BLOCK_SHAPE: zn5_status = 305;
/// About blocks: the compressed payload is damaged, cut or of another format.
pub const ZN5_ERROR_CORRUPT_PAYLOAD: zn5_status = 306;
/// About blocks: the payload decompresses to another size than the extents ask for.
pub const ZN5_ERROR_PAYLOAD_SIZE_MISMATCH: zn5_status = 307;
/// About blocks: bytes follow the payload.
pub const ZN5_ERROR_TRAILING_DATA: zn5_status = 308;
/// About blocks: a size exceeds a limit.
pub const ZN5_ERROR_LIMIT_EXCEEDED: zn5_status = 309;

/// About text: the string has more code points than its element holds.
pub const ZN5_ERROR_STRING_TOO_LONG: zn5_status = 401;
/// About text: a code unit is no Unicode scalar value.
pub const ZN5_ERROR_INVALID_CODE_POINT: zn5_status = 402;
/// About text: an element length is no positive multiple of 4 bytes.
pub const ZN5_ERROR_INVALID_LENGTH: zn5_status = 403;

/// About storage: nothing is stored under this name.
pub const ZN5_ERROR_NOT_FOUND: zn5_status = 501;
/// About storage: something is stored under this name already.
pub const ZN5_ERROR_ALREADY_EXISTS: zn5_status = 502;
/// About storage: the operating system forbids the access.
pub const ZN5_ERROR_PERMISSION: zn5_status = 503;
/// About storage: the operating system reports an input or output error.
pub const ZN5_ERROR_IO: zn5_status = 504;
/// About storage: the store cannot be written.
pub const ZN5_ERROR_READ_ONLY: zn5_status = 505;
/// About storage: a callback stopped the call.
pub const ZN5_ERROR_CANCELLED: zn5_status = 506;

/// About zn5 itself: memory is exhausted.
pub const ZN5_ERROR_OUT_OF_MEMORY: zn5_status = 901;
/// About zn5 itself: zn5 has a fault and stopped the call; please report it.
pub const ZN5_ERROR_PANIC: zn5_status = 902;
/// About zn5 itself: zn5 has a fault and noticed it; please report it.
pub const ZN5_ERROR_INTERNAL: zn5_status = 903;

/// Every status with its message; the name is the constant's.
const TABLE: &[(zn5_status, &CStr, &CStr)] = &[
    (ZN5_OK, c"ZN5_OK", c"success"),
    (ZN5_ERROR_NULL_POINTER, c"ZN5_ERROR_NULL_POINTER", c"a pointer that must not be NULL is NULL"),
    (ZN5_ERROR_INVALID_ARGUMENT, c"ZN5_ERROR_INVALID_ARGUMENT", c"an argument has a value outside its domain"),
    (ZN5_ERROR_BUFFER_TOO_SMALL, c"ZN5_ERROR_BUFFER_TOO_SMALL", c"an output buffer is too small"),
    (ZN5_ERROR_SIZE_MISMATCH, c"ZN5_ERROR_SIZE_MISMATCH", c"a length differs from the one that the shape asks for"),
    (ZN5_ERROR_BUFFERS_OVERLAP, c"ZN5_ERROR_BUFFERS_OVERLAP", c"an output shares memory with an input or with another output"),
    (ZN5_ERROR_INVALID_UTF8, c"ZN5_ERROR_INVALID_UTF8", c"the text is not UTF-8"),
    (ZN5_ERROR_INVALID_JSON, c"ZN5_ERROR_INVALID_JSON", c"the document is not JSON"),
    (ZN5_ERROR_INVALID_METADATA, c"ZN5_ERROR_INVALID_METADATA", c"a member of the document is missing or has an impossible value"),
    (ZN5_ERROR_UNSUPPORTED_DATA_TYPE, c"ZN5_ERROR_UNSUPPORTED_DATA_TYPE", c"the data type is not supported"),
    (ZN5_ERROR_UNSUPPORTED_CODEC, c"ZN5_ERROR_UNSUPPORTED_CODEC", c"the Zarr codec is not supported, or not in this place"),
    (ZN5_ERROR_UNSUPPORTED_COMPRESSION, c"ZN5_ERROR_UNSUPPORTED_COMPRESSION", c"the N5 compression is not supported"),
    (ZN5_ERROR_NOT_REPRESENTABLE, c"ZN5_ERROR_NOT_REPRESENTABLE", c"the value has no expression in the other metadata language"),
    (ZN5_ERROR_NOT_AN_ARRAY, c"ZN5_ERROR_NOT_AN_ARRAY", c"the document describes a group, not an array"),
    (ZN5_ERROR_EMPTY_BLOCK, c"ZN5_ERROR_EMPTY_BLOCK", c"the block has no byte at all"),
    (ZN5_ERROR_TRUNCATED_BLOCK, c"ZN5_ERROR_TRUNCATED_BLOCK", c"the block ends inside its header or its raw payload"),
    (ZN5_ERROR_UNSUPPORTED_BLOCK_MODE, c"ZN5_ERROR_UNSUPPORTED_BLOCK_MODE", c"the block mode is not 0 (default)"),
    (ZN5_ERROR_DIMENSION_MISMATCH, c"ZN5_ERROR_DIMENSION_MISMATCH", c"the block and the array differ in their number of dimensions"),
    (ZN5_ERROR_INVALID_BLOCK_SHAPE, c"ZN5_ERROR_INVALID_BLOCK_SHAPE", c"the extents of the block are not allowed here"),
    (ZN5_ERROR_CORRUPT_PAYLOAD, c"ZN5_ERROR_CORRUPT_PAYLOAD", c"the compressed payload is damaged, cut or of another format"),
    (
        ZN5_ERROR_PAYLOAD_SIZE_MISMATCH,
        c"ZN5_ERROR_PAYLOAD_SIZE_MISMATCH",
        c"the payload decompresses to another size than the extents ask for",
    ),
    (ZN5_ERROR_TRAILING_DATA, c"ZN5_ERROR_TRAILING_DATA", c"bytes follow the payload"),
    (ZN5_ERROR_LIMIT_EXCEEDED, c"ZN5_ERROR_LIMIT_EXCEEDED", c"a size exceeds a limit"),
    (ZN5_ERROR_STRING_TOO_LONG, c"ZN5_ERROR_STRING_TOO_LONG", c"the string has more code points than its element holds"),
    (ZN5_ERROR_INVALID_CODE_POINT, c"ZN5_ERROR_INVALID_CODE_POINT", c"a code unit is no Unicode scalar value"),
    (ZN5_ERROR_INVALID_LENGTH, c"ZN5_ERROR_INVALID_LENGTH", c"an element length is no positive multiple of 4 bytes"),
    (ZN5_ERROR_NOT_FOUND, c"ZN5_ERROR_NOT_FOUND", c"nothing is stored under this name"),
    (ZN5_ERROR_ALREADY_EXISTS, c"ZN5_ERROR_ALREADY_EXISTS", c"something is stored under this name already"),
    (ZN5_ERROR_PERMISSION, c"ZN5_ERROR_PERMISSION", c"the operating system forbids the access"),
    (ZN5_ERROR_IO, c"ZN5_ERROR_IO", c"the operating system reports an input or output error"),
    (ZN5_ERROR_READ_ONLY, c"ZN5_ERROR_READ_ONLY", c"the store cannot be written"),
    (ZN5_ERROR_CANCELLED, c"ZN5_ERROR_CANCELLED", c"a callback stopped the call"),
    (ZN5_ERROR_OUT_OF_MEMORY, c"ZN5_ERROR_OUT_OF_MEMORY", c"memory is exhausted"),
    (ZN5_ERROR_PANIC, c"ZN5_ERROR_PANIC", c"zn5 has a fault and stopped the call; please report it"),
    (ZN5_ERROR_INTERNAL, c"ZN5_ERROR_INTERNAL", c"zn5 has a fault and noticed it; please report it"),
];

/// The status of an engine error; without a wildcard, so that no kind can be forgotten.
pub(super) const fn status_of(kind: ErrorKind) -> zn5_status {
    match kind {
        ErrorKind::NullPointer => ZN5_ERROR_NULL_POINTER,
        ErrorKind::InvalidArgument => ZN5_ERROR_INVALID_ARGUMENT,
        ErrorKind::BufferTooSmall => ZN5_ERROR_BUFFER_TOO_SMALL,
        ErrorKind::SizeMismatch => ZN5_ERROR_SIZE_MISMATCH,
        ErrorKind::BuffersOverlap => ZN5_ERROR_BUFFERS_OVERLAP,
        ErrorKind::InvalidUtf8 => ZN5_ERROR_INVALID_UTF8,
        ErrorKind::InvalidJson => ZN5_ERROR_INVALID_JSON,
        ErrorKind::InvalidMetadata => ZN5_ERROR_INVALID_METADATA,
        ErrorKind::UnsupportedDataType => ZN5_ERROR_UNSUPPORTED_DATA_TYPE,
        ErrorKind::UnsupportedCodec => ZN5_ERROR_UNSUPPORTED_CODEC,
        ErrorKind::UnsupportedCompression => ZN5_ERROR_UNSUPPORTED_COMPRESSION,
        ErrorKind::NotRepresentable => ZN5_ERROR_NOT_REPRESENTABLE,
        ErrorKind::NotAnArray => ZN5_ERROR_NOT_AN_ARRAY,
        ErrorKind::EmptyBlock => ZN5_ERROR_EMPTY_BLOCK,
        ErrorKind::TruncatedBlock => ZN5_ERROR_TRUNCATED_BLOCK,
        ErrorKind::UnsupportedBlockMode => ZN5_ERROR_UNSUPPORTED_BLOCK_MODE,
        ErrorKind::DimensionMismatch => ZN5_ERROR_DIMENSION_MISMATCH,
        ErrorKind::InvalidBlockShape => ZN5_ERROR_INVALID_BLOCK_SHAPE,
        ErrorKind::CorruptPayload => ZN5_ERROR_CORRUPT_PAYLOAD,
        ErrorKind::PayloadSizeMismatch => ZN5_ERROR_PAYLOAD_SIZE_MISMATCH,
        ErrorKind::TrailingData => ZN5_ERROR_TRAILING_DATA,
        ErrorKind::LimitExceeded => ZN5_ERROR_LIMIT_EXCEEDED,
        ErrorKind::StringTooLong => ZN5_ERROR_STRING_TOO_LONG,
        ErrorKind::InvalidCodePoint => ZN5_ERROR_INVALID_CODE_POINT,
        ErrorKind::InvalidLength => ZN5_ERROR_INVALID_LENGTH,
        ErrorKind::NotFound => ZN5_ERROR_NOT_FOUND,
        ErrorKind::AlreadyExists => ZN5_ERROR_ALREADY_EXISTS,
        ErrorKind::Permission => ZN5_ERROR_PERMISSION,
        ErrorKind::Io => ZN5_ERROR_IO,
        ErrorKind::ReadOnly => ZN5_ERROR_READ_ONLY,
        ErrorKind::Cancelled => ZN5_ERROR_CANCELLED,
        ErrorKind::OutOfMemory => ZN5_ERROR_OUT_OF_MEMORY,
        ErrorKind::Internal => ZN5_ERROR_INTERNAL,
    }
}

/// The kind of a status that a callback returned; `None` for success and for a number that is no status.
pub(super) const fn kind_of(status: zn5_status) -> Option<ErrorKind> {
    Some(match status {
        ZN5_ERROR_NULL_POINTER => ErrorKind::NullPointer,
        ZN5_ERROR_INVALID_ARGUMENT => ErrorKind::InvalidArgument,
        ZN5_ERROR_BUFFER_TOO_SMALL => ErrorKind::BufferTooSmall,
        ZN5_ERROR_SIZE_MISMATCH => ErrorKind::SizeMismatch,
        ZN5_ERROR_BUFFERS_OVERLAP => ErrorKind::BuffersOverlap,
        ZN5_ERROR_INVALID_UTF8 => ErrorKind::InvalidUtf8,
        ZN5_ERROR_INVALID_JSON => ErrorKind::InvalidJson,
        ZN5_ERROR_INVALID_METADATA => ErrorKind::InvalidMetadata,
        ZN5_ERROR_UNSUPPORTED_DATA_TYPE => ErrorKind::UnsupportedDataType,
        ZN5_ERROR_UNSUPPORTED_CODEC => ErrorKind::UnsupportedCodec,
        ZN5_ERROR_UNSUPPORTED_COMPRESSION => ErrorKind::UnsupportedCompression,
        ZN5_ERROR_NOT_REPRESENTABLE => ErrorKind::NotRepresentable,
        ZN5_ERROR_NOT_AN_ARRAY => ErrorKind::NotAnArray,
        ZN5_ERROR_EMPTY_BLOCK => ErrorKind::EmptyBlock,
        ZN5_ERROR_TRUNCATED_BLOCK => ErrorKind::TruncatedBlock,
        ZN5_ERROR_UNSUPPORTED_BLOCK_MODE => ErrorKind::UnsupportedBlockMode,
        ZN5_ERROR_DIMENSION_MISMATCH => ErrorKind::DimensionMismatch,
        ZN5_ERROR_INVALID_BLOCK_SHAPE => ErrorKind::InvalidBlockShape,
        ZN5_ERROR_CORRUPT_PAYLOAD => ErrorKind::CorruptPayload,
        ZN5_ERROR_PAYLOAD_SIZE_MISMATCH => ErrorKind::PayloadSizeMismatch,
        ZN5_ERROR_TRAILING_DATA => ErrorKind::TrailingData,
        ZN5_ERROR_LIMIT_EXCEEDED => ErrorKind::LimitExceeded,
        ZN5_ERROR_STRING_TOO_LONG => ErrorKind::StringTooLong,
        ZN5_ERROR_INVALID_CODE_POINT => ErrorKind::InvalidCodePoint,
        ZN5_ERROR_INVALID_LENGTH => ErrorKind::InvalidLength,
        ZN5_ERROR_NOT_FOUND => ErrorKind::NotFound,
        ZN5_ERROR_ALREADY_EXISTS => ErrorKind::AlreadyExists,
        ZN5_ERROR_PERMISSION => ErrorKind::Permission,
        ZN5_ERROR_IO => ErrorKind::Io,
        ZN5_ERROR_READ_ONLY => ErrorKind::ReadOnly,
        ZN5_ERROR_CANCELLED => ErrorKind::Cancelled,
        ZN5_ERROR_OUT_OF_MEMORY => ErrorKind::OutOfMemory,
        ZN5_ERROR_PANIC | ZN5_ERROR_INTERNAL => ErrorKind::Internal,
        _ => return None,
    })
}

fn row(status: zn5_status) -> Option<(&'static CStr, &'static CStr)> {
    TABLE.iter().find(|row| row.0 == status).map(|row| (row.1, row.2))
}

/// The name of a status; empty of a number that is no status.
pub(super) fn name_of(status: zn5_status) -> &'static CStr {
    row(status).map_or(c"", |row| row.0)
}

/// Returns the name of a status constant.
///
/// @param status  any number
/// @return the constant's name, such as "ZN5_ERROR_EMPTY_BLOCK", a static NUL-terminated string; "" of a number that is no status
#[unsafe(no_mangle)]
pub extern "C" fn zn5_status_name(status: zn5_status) -> *const c_char {
    guard_value(c"".as_ptr(), || name_of(status).as_ptr())
}

/// Returns what a status means in general; zn5_error_message() says what happened in particular.
///
/// @param status  any number
/// @return one line of English, a static NUL-terminated string; "unknown status" of a number that is no status
#[unsafe(no_mangle)]
pub extern "C" fn zn5_status_message(status: zn5_status) -> *const c_char {
    guard_value(c"".as_ptr(), || row(status).map_or(c"unknown status", |row| row.1).as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(TABLE.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0)));
        assert_eq!(TABLE.len(), 35);
        assert_eq!(row(-1), None);
    }

    #[test]
    fn statuses_lead_to_kinds_and_back() {
        for &(status, ..) in TABLE {
            match kind_of(status) {
                None => assert_eq!(status, ZN5_OK),
                Some(kind) if status == ZN5_ERROR_PANIC => assert_eq!(kind, ErrorKind::Internal),
                Some(kind) => assert_eq!(status_of(kind), status),
            }
        }
        assert_eq!(kind_of(-1), None);
    }
}
