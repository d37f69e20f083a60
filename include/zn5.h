/* zn5: reads and writes N5 blocks, the Zarr v3 codec n5_default. Version 0.1.0.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Generated from src/ffi; changes belong there.
 */

/**
 * @file zn5.h
 * @brief The whole C API of zn5.
 */

/**
 * @mainpage
 *
 * zn5 decodes and encodes the blocks of N5 arrays, which Zarr v3 describes by its codec `n5_default`, and the strings of Zarr's
 * `fixed_length_utf32`.
 *
 * ## Where to start
 *
 * Make a zn5_codec from the text of an array's metadata, zn5_codec_from_n5_attributes() or zn5_codec_from_zarr_metadata(). Give the bytes of
 * one stored block to zn5_decode_block() for an array of its own, or to zn5_decode_region() for a part of a larger image;
 * zn5_encode_block() and zn5_encode_region() go the other way. zn5_block_key() tells under which name a block lies below its dataset.
 * Where a block is missing, zn5_fill_block() gives what it reads as; before decoding regions into an image, fill the image.
 *
 * Where the values of a whole container lie is a zn5_store: a folder, zn5_store_open(), or whatever the program brings,
 * zn5_store_from_callbacks(). zn5_store_n5_as_zarr() shows an N5 container as Zarr.
 *
 * Or let zn5 do the input and output: zn5_store_open() opens a folder, zn5_dataset_open() an array in it, zn5_dataset_read() and
 * zn5_dataset_write() move regions of it, with threads if asked to.
 * zn5_dataset_create() makes an array, zn5_group_create() a group,
 * zn5_attributes_set() gives either attributes, zn5_node_list() lists them.
 *
 * A *block* is the stored thing with its header; a *chunk* is the array that the grid asks for. A block at the edge of an array may be as
 * large as the chunk or be cut; zn5 reads both, whatever shape it is asked for. The shape of the array's part in the chunk at grid
 * position g is, on each axis, the smaller of the chunk's extent c and the rest of the array's, a - g * c: pass that to decode no padding,
 * and to write truncated edge blocks.
 *
 * ## Conventions
 *
 * - **Errors.** A function that can fail returns a zn5_status, ZN5_OK on success, and its last parameter is `zn5_error **error`. That may be
 *   NULL. If it is not, `*error` is always written: NULL on success, on failure an object that the caller frees by zn5_error_free(). What
 *   was in `*error` before is overwritten, not freed. There is no last error of a thread or of the process.
 * - **Arguments** come in the order object, inputs, outputs, error. An input buffer is a pointer and a length in bytes; names that end in
 *   `_count` count numbers. NULL is allowed where its length is 0, and where the text says so; anywhere else it is ZN5_ERROR_NULL_POINTER.
 * - **Outputs** are written on ZN5_OK only, but for handles, which are set to NULL on every failure, and for `*needed` and `*ndim`, which are
 *   written with ZN5_ERROR_BUFFER_TOO_SMALL. After an error the content of a data buffer is unspecified; nothing outside it was touched.
 * - **Memory.** Callers allocate every data buffer; sizes are known beforehand. Text results take two calls: with dst NULL and dst_len 0 the
 *   first tells the size in `*needed`. Text is UTF-8 with its length, not NUL-terminated. A `const char *` result is static (of an error: as
 *   long-lived as the object), NUL-terminated, and never NULL. Every free function takes NULL.
 * - **Shapes**, offsets and extents are arrays of uint64_t in N5 `dimensions` order, which is also Zarr `shape` order, axis 0 first. They are
 *   never reversed. Strides are in bytes. With no dimensions such a pointer may be NULL. A size above PTRDIFF_MAX is
 *   ZN5_ERROR_LIMIT_EXCEEDED.
 * - **Element order.** An N5 block holds axis 0 fastest. Decoded arrays have the last axis fastest (ZN5_ORDER_C) unless the codec was made
 *   with ZN5_ORDER_F. Of a block of extents (3,2) that stores 1 2 3 4 5 6, C order gives 1 4 2 5 3 6 and F order 1 2 3 4 5 6; element (x,y)
 *   is x + 3y + 1 in both.
 * - **Numbers.** zn5_status is an int32_t, the other kinds are uint32_t, their values are macros in C and C++ alike. A number that zn5 does
 *   not know is ZN5_ERROR_INVALID_ARGUMENT, never undefined behaviour.
 * - **Always checked:** NULL, lengths, unknown numbers, and that no output shares a byte with an input or with another output, over their
 *   whole lengths, arrays of numbers and places for one result included. **Never required:** alignment of data buffers. Where several
 *   errors apply, which one is reported is not promised.
 * - **Threads.** Any function may be called from any thread. A `const` handle may be used by any number of threads at once; of those that
 *   use a codec none waits for another. No free function may run while another call uses the object. A buffer belongs to a call until
 *   it returns.
 * - **Faults.** No Rust panic leaves the library: it becomes ZN5_ERROR_PANIC with its message. Allocations whose size an input chooses can
 *   fail with ZN5_ERROR_OUT_OF_MEMORY.
 * - zn5 obeys no environment variable and prints nothing. Functions of codecs, blocks, metadata and text make no threads and touch no files;
 *   those of stores, nodes and datasets do input and output, and zn5_dataset_read(), zn5_dataset_write() and zn5_dataset_verify() make
 *   the threads that they are asked for, which end with the call.
 * - C99 and C++11 are enough; zn5.hpp is a layer over this for C++17. The header is the same for every build of a version.
 */

#ifndef ZN5_H
#define ZN5_H

#include <stddef.h>
#include <stdint.h>

/** Major version of this header. */
#define ZN5_VERSION_MAJOR 0
/** Minor version of this header. */
#define ZN5_VERSION_MINOR 1
/** Patch version of this header. */
#define ZN5_VERSION_PATCH 0
/** Version of this header as a number, major * 10000 + minor * 100 + patch, to compare with zn5_version_number(). */
#define ZN5_VERSION_NUMBER (ZN5_VERSION_MAJOR * 10000 + ZN5_VERSION_MINOR * 100 + ZN5_VERSION_PATCH)
/** Version of this header as text. */
#define ZN5_VERSION_STRING "0.1.0"

/** Marks an exported function. On Windows, define ZN5_DLL where zn5 is a DLL; the CMake package does. */
#if defined(_WIN32) && defined(ZN5_DLL)
#define ZN5_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ZN5_API __attribute__((visibility("default")))
#else
#define ZN5_API
#endif

/** Initialises a zn5_codec_options with the defaults: `zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;` */
#define ZN5_CODEC_OPTIONS_INIT                                                                                         \
  {                                                                                                                    \
    sizeof(zn5_codec_options), ZN5_ORDER_C, 0, 0, NULL, 0                                                              \
  }

/** The byte order of this machine: ZN5_ENDIAN_LITTLE or ZN5_ENDIAN_BIG. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ZN5_ENDIAN_NATIVE ZN5_ENDIAN_BIG
#endif
#endif
#ifndef ZN5_ENDIAN_NATIVE
#define ZN5_ENDIAN_NATIVE ZN5_ENDIAN_LITTLE
#endif

/** Initialises a zn5_io_options with the defaults: `zn5_io_options io = ZN5_IO_OPTIONS_INIT;` */
#define ZN5_IO_OPTIONS_INIT                                                                                            \
  {                                                                                                                    \
    sizeof(zn5_io_options), 0, 0, NULL, NULL                                                                           \
  }

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------
 * Version
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup version Version
 * @{ */

/**
 * Returns the version of the library that runs, to compare with ZN5_VERSION_NUMBER, the version of the header that was compiled.
 *
 * @return major * 10000 + minor * 100 + patch
 */
ZN5_API uint32_t zn5_version_number(void);

/**
 * Returns the version of the library that runs as text.
 *
 * @return such as "0.1.0", a static NUL-terminated string
 */
ZN5_API const char *zn5_version_string(void);

/**
 * Returns a line for bug reports: zn5's version, the target, and the bundled compression libraries with theirs.
 *
 * @return a static NUL-terminated string
 */
ZN5_API const char *zn5_build_info(void);

/**
 * Tells whether this library decodes and encodes a compression.
 *
 * @param n5_type  the NUL-terminated "type" of N5's "compression", such as "gzip"; NULL is none
 * @return 1 if it does, else 0
 */
ZN5_API int32_t zn5_compression_available(const char *n5_type);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Status codes
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup status_codes Status codes
 * @{ */

/**
 * The outcome of a call: ZN5_OK or one of ZN5_ERROR_...; later releases may return numbers that this header does not know.
 */
typedef int32_t zn5_status;

/** Success. */
#define ZN5_OK 0

/** About the call: a pointer that must not be NULL is NULL. */
#define ZN5_ERROR_NULL_POINTER 101

/** About the call: an argument has a value outside its domain. */
#define ZN5_ERROR_INVALID_ARGUMENT 102

/** About the call: an output buffer is too small. */
#define ZN5_ERROR_BUFFER_TOO_SMALL 103

/** About the call: a length differs from the one that the shape asks for. */
#define ZN5_ERROR_SIZE_MISMATCH 104

/** About the call: an output shares memory with an input or with another output. */
#define ZN5_ERROR_BUFFERS_OVERLAP 105

/** About the call: the text is not UTF-8. */
#define ZN5_ERROR_INVALID_UTF8 106

/** About metadata: the document is not JSON. */
#define ZN5_ERROR_INVALID_JSON 201

/** About metadata: a member of the document is missing or has an impossible value. */
#define ZN5_ERROR_INVALID_METADATA 202

/** About metadata: the data type is not supported. */
#define ZN5_ERROR_UNSUPPORTED_DATA_TYPE 203

/** About metadata: the Zarr codec is not supported, or not in this place. */
#define ZN5_ERROR_UNSUPPORTED_CODEC 204

/** About metadata: the N5 compression is not supported. */
#define ZN5_ERROR_UNSUPPORTED_COMPRESSION 205

/** About metadata: the value has no expression in the other metadata language. */
#define ZN5_ERROR_NOT_REPRESENTABLE 206

/** About metadata: the document describes a group, not an array. */
#define ZN5_ERROR_NOT_AN_ARRAY 207

/** About blocks: the block has no byte at all. */
#define ZN5_ERROR_EMPTY_BLOCK 301

/** About blocks: the block ends inside its header or its raw payload. */
#define ZN5_ERROR_TRUNCATED_BLOCK 302

/** About blocks: the block mode is not 0 (default). */
#define ZN5_ERROR_UNSUPPORTED_BLOCK_MODE 303

/** About blocks: the block and the array differ in their number of dimensions. */
#define ZN5_ERROR_DIMENSION_MISMATCH 304

/** About blocks: the extents of the block are not allowed here. */
#define ZN5_ERROR_INVALID_BLOCK_SHAPE 305

/** About blocks: the compressed payload is damaged, cut or of another format. */
#define ZN5_ERROR_CORRUPT_PAYLOAD 306

/** About blocks: the payload decompresses to another size than the extents ask for. */
#define ZN5_ERROR_PAYLOAD_SIZE_MISMATCH 307

/** About blocks: bytes follow the payload. */
#define ZN5_ERROR_TRAILING_DATA 308

/** About blocks: a size exceeds a limit. */
#define ZN5_ERROR_LIMIT_EXCEEDED 309

/** About text: the string has more code points than its element holds. */
#define ZN5_ERROR_STRING_TOO_LONG 401

/** About text: a code unit is no Unicode scalar value. */
#define ZN5_ERROR_INVALID_CODE_POINT 402

/** About text: an element length is no positive multiple of 4 bytes. */
#define ZN5_ERROR_INVALID_LENGTH 403

/** About storage: nothing is stored under this name. */
#define ZN5_ERROR_NOT_FOUND 501

/** About storage: something is stored under this name already. */
#define ZN5_ERROR_ALREADY_EXISTS 502

/** About storage: the operating system forbids the access. */
#define ZN5_ERROR_PERMISSION 503

/** About storage: the operating system reports an input or output error. */
#define ZN5_ERROR_IO 504

/** About storage: the store cannot be written. */
#define ZN5_ERROR_READ_ONLY 505

/** About storage: a callback stopped the call. */
#define ZN5_ERROR_CANCELLED 506

/** About zn5 itself: memory is exhausted. */
#define ZN5_ERROR_OUT_OF_MEMORY 901

/** About zn5 itself: zn5 has a fault and stopped the call; please report it. */
#define ZN5_ERROR_PANIC 902

/** About zn5 itself: zn5 has a fault and noticed it; please report it. */
#define ZN5_ERROR_INTERNAL 903

/**
 * Returns the name of a status constant.
 *
 * @param status  any number
 * @return the constant's name, such as "ZN5_ERROR_EMPTY_BLOCK", a static NUL-terminated string; "" of a number that is no status
 */
ZN5_API const char *zn5_status_name(zn5_status status);

/**
 * Returns what a status means in general; zn5_error_message() says what happened in particular.
 *
 * @param status  any number
 * @return one line of English, a static NUL-terminated string; "unknown status" of a number that is no status
 */
ZN5_API const char *zn5_status_message(zn5_status status);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Errors
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup errors Errors
 * @{ */

/**
 * What went wrong in one call: status, message, offset, and the code of the compression library or of the program's own store.
 *
 * A failing call makes it where it was given a place for it; zn5_error_free() frees it. One thread uses it at a time.
 */
typedef struct zn5_error zn5_error;

/**
 * Returns the status of a failure.
 *
 * @param error  an error object, or NULL
 * @return the status that the failing call returned; ZN5_OK of NULL
 */
ZN5_API zn5_status zn5_error_status(const zn5_error *error);

/**
 * Returns the message of a failure: one line of English that names the value, the place and the remedy.
 *
 * The wording may change between releases; programs decide by the status.
 *
 * @param error  an error object, or NULL
 * @return NUL-terminated UTF-8 that lives as long as the object; "" of NULL
 */
ZN5_API const char *zn5_error_message(const zn5_error *error);

/**
 * Returns where in the input the failure was noticed.
 *
 * @param error  an error object, or NULL
 * @return a byte offset in the input that the failing call was given (the block, the document, the elements); -1 if unknown, and of NULL
 */
ZN5_API int64_t zn5_error_offset(const zn5_error *error);

/**
 * Returns the code that the compression library itself gave for the failure, for bug reports; or the number that a callback of a
 * program's own store returned and that is no status, for the program.
 *
 * @param error  an error object, or NULL
 * @return the library's number, whose meaning depends on the library, or the program's; 0 if there is none, and of NULL
 */
ZN5_API int64_t zn5_error_native_code(const zn5_error *error);

/**
 * Frees an error object.
 *
 * @param error  an error object that is not used afterwards, or NULL
 */
ZN5_API void zn5_error_free(zn5_error *error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Data types and orders
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup data_types_and_orders Data types and orders
 * @{ */

/** The type of an array's elements: one of ZN5_DTYPE_...; never 0. */
typedef uint32_t zn5_dtype;

/** The order of a contiguous array's elements in memory: ZN5_ORDER_C or ZN5_ORDER_F. */
typedef uint32_t zn5_order;

/** The byte order of code units: ZN5_ENDIAN_LITTLE or ZN5_ENDIAN_BIG; 0 is an error, for no default is safe. */
typedef uint32_t zn5_endian;

/** 8-bit unsigned integer, "uint8". */
#define ZN5_DTYPE_UINT8 1

/** 16-bit unsigned integer, "uint16". */
#define ZN5_DTYPE_UINT16 2

/** 32-bit unsigned integer, "uint32". */
#define ZN5_DTYPE_UINT32 3

/** 64-bit unsigned integer, "uint64". */
#define ZN5_DTYPE_UINT64 4

/** 8-bit signed integer, "int8". */
#define ZN5_DTYPE_INT8 5

/** 16-bit signed integer, "int16". */
#define ZN5_DTYPE_INT16 6

/** 32-bit signed integer, "int32". */
#define ZN5_DTYPE_INT32 7

/** 64-bit signed integer, "int64". */
#define ZN5_DTYPE_INT64 8

/** IEEE 754 binary32, "float32". */
#define ZN5_DTYPE_FLOAT32 9

/** IEEE 754 binary64, "float64". */
#define ZN5_DTYPE_FLOAT64 10

/** Zarr's "fixed_length_utf32"; zn5_codec_element_size() tells the size of its elements. No N5 block holds it. */
#define ZN5_DTYPE_UTF32 11

/** The last axis varies fastest, as in C, NumPy and Zarr: of extents (2,3), element (0,1) follows element (0,0). */
#define ZN5_ORDER_C 0

/**
 * The first axis varies fastest, as in an N5 block, Fortran and ImgLib2: of extents (2,3), element (1,0) follows element (0,0).
 */
#define ZN5_ORDER_F 1

/** The least significant byte first, as in NumPy's "<U12". */
#define ZN5_ENDIAN_LITTLE 1

/** The most significant byte first, as in NumPy's ">U12". */
#define ZN5_ENDIAN_BIG 2

/**
 * Returns the size of one element.
 *
 * @param dtype  any number
 * @return bytes; 0 of ZN5_DTYPE_UTF32, whose size zn5_codec_element_size() tells, and of a number that is no data type
 */
ZN5_API size_t zn5_dtype_size(zn5_dtype dtype);

/**
 * Returns the name that N5's "dataType" and Zarr's "data_type" use.
 *
 * @param dtype  any number
 * @return such as "uint16", a static NUL-terminated string; "" of a number that is no data type
 */
ZN5_API const char *zn5_dtype_name(zn5_dtype dtype);

/**
 * Finds the data type of a name.
 *
 * @param name      a name as zn5_dtype_name() returns it; case matters
 * @param name_len  its bytes, without a terminator
 * @param dtype     gets the data type
 * @param error     gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_UNSUPPORTED_DATA_TYPE for any other name; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
 *   ZN5_ERROR_LIMIT_EXCEEDED
 */
ZN5_API zn5_status zn5_dtype_parse(const char *name, size_t name_len, zn5_dtype *dtype, zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Codec options
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup codec_options Codec options
 * @{ */

/**
 * Flag of zn5_codec_options: harmless deviations from the formats are errors too.
 *
 * Then refused: bytes of any kind behind a compressed payload (but legal xz padding), a zlib stream under "gzip" or the reverse,
 * an lz4 payload that is no complete LZ4Block chain, a block that is larger than the chunk shape on any axis, read or written.
 */
#define ZN5_STRICT 1

/**
 * What a caller can ask of a codec beside the metadata. Initialise it with ZN5_CODEC_OPTIONS_INIT, then set what differs from the defaults.
 *
 * Zero is the default of every field. The struct may grow at its end in later releases; struct_size tells how much of it the program knows.
 */
typedef struct {
  /** sizeof(zn5_codec_options). */
  size_t struct_size;
  /** The order of decoded arrays and of the sources of encoding: ZN5_ORDER_C (default) or ZN5_ORDER_F. */
  zn5_order order;
  /** 0 or ZN5_STRICT. */
  uint32_t flags;
  /**
   * The most bytes that one block may decode to, or that may be encoded at
   * once; 0 is 2^31 - 1, what Java can read: an N5 block is then written with
   * at most as many, header included, and a block that is larger than its
   * chunk shape is held to the larger of 64 MiB and 16 chunks.
   *
   * With a higher limit, extents of N5 blocks go up to 2^32 - 1, and payloads
   * as far as the limit; only Blosc's hold at most 2^31 - 17 bytes.
   */
  uint64_t max_decoded_bytes;
  /** One element in native byte order, copied, which replaces the fill value of the metadata; NULL keeps that. */
  const void *fill_value;
  /** The bytes of fill_value: 0 with NULL, else the size of one element. */
  size_t fill_value_len;
} zn5_codec_options;

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Codec
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup codec Codec
 * @{ */

/**
 * What decodes and encodes the chunks of one array. It never changes, and any number of threads use it at once.
 *
 * Made by zn5_codec_new(), zn5_codec_from_zarr_metadata() or zn5_codec_from_n5_attributes(), freed by zn5_codec_free(); that of
 * zn5_dataset_codec() belongs to its dataset.
 */
typedef struct zn5_codec zn5_codec;

/**
 * Makes a codec from a Zarr v3 codec object `{"name":"n5_default","configuration":{"codecs":[...]}}`.
 *
 * @param codec_json      the object as JSON text, UTF-8
 * @param codec_json_len  its bytes, without a terminator
 * @param dtype           the type of the elements: any but ZN5_DTYPE_UTF32
 * @param ndim            the number of dimensions, 0 to 65535
 * @param chunk_shape     ndim extents, each at least 1, in N5 blockSize order, which is also Zarr chunk_shape order; NULL if ndim is 0
 * @param options         see zn5_codec_options; NULL for the defaults
 * @param codec           gets the codec, to be freed by zn5_codec_free(); NULL on failure
 * @param error           gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK;
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (dtype, options);
 *   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA (a member is missing or wrong, a chunk extent of 0, more than 65535 dimensions);
 *   ZN5_ERROR_UNSUPPORTED_DATA_TYPE (ZN5_DTYPE_UTF32); ZN5_ERROR_UNSUPPORTED_CODEC; ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_codec_new(const char *codec_json, size_t codec_json_len, zn5_dtype dtype, uint32_t ndim,
    const uint64_t *chunk_shape, const zn5_codec_options *options, zn5_codec **codec, zn5_error **error);

/**
 * Makes a codec from a whole `zarr.json` (Zarr v3).
 *
 * The array's `codecs` are one `n5_default`, or `bytes` followed by up to 16 of `gzip`, `zstd`, `blosc`, `numcodecs.bz2`, `numcodecs.lzma`,
 * `numcodecs.zlib`. In the second case, a plain chain, stored chunks have no header, so shape parameters of later calls are the stored
 * shape: nothing is cropped or padded.
 *
 * @param json      the document, UTF-8
 * @param json_len  its bytes, without a terminator
 * @param options   see zn5_codec_options; NULL for the defaults
 * @param codec     gets the codec, to be freed by zn5_codec_free(); NULL on failure
 * @param error     gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK;
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (options);
 *   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA; ZN5_ERROR_NOT_AN_ARRAY (the document of a group);
 *   ZN5_ERROR_UNSUPPORTED_DATA_TYPE; ZN5_ERROR_UNSUPPORTED_CODEC; ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_codec_from_zarr_metadata(const char *json, size_t json_len, const zn5_codec_options *options,
    zn5_codec **codec, zn5_error **error);

/**
 * Makes a codec from a whole N5 `attributes.json`, also one from before N5 2.0, which has `compressionType`.
 *
 * Decoding looks at `type` and `useZlib` of `compression` alone; a parameter
 * that is missing or out of range does no harm, encoding then takes N5's
 * default. Comments and a byte order mark are read over, NaN and the
 * infinities in users' members too. The fill value is 0.
 *
 * @param json      the document, UTF-8
 * @param json_len  its bytes, without a terminator
 * @param options   see zn5_codec_options; NULL for the defaults
 * @param codec     gets the codec, to be freed by zn5_codec_free(); NULL on failure
 * @param error     gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK;
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (options);
 *   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA; ZN5_ERROR_NOT_AN_ARRAY (the document of a group);
 *   ZN5_ERROR_UNSUPPORTED_DATA_TYPE; ZN5_ERROR_UNSUPPORTED_COMPRESSION (jpeg among them); ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_codec_from_n5_attributes(const char *json, size_t json_len, const zn5_codec_options *options,
    zn5_codec **codec, zn5_error **error);

/**
 * Frees a codec. No other call may be using it.
 *
 * @param codec  a codec that is not used afterwards, or NULL
 */
ZN5_API void zn5_codec_free(zn5_codec *codec);

/**
 * Returns the type of the elements.
 *
 * @param codec  a codec, or NULL
 * @return one of ZN5_DTYPE_...; 0 of NULL
 */
ZN5_API zn5_dtype zn5_codec_dtype(const zn5_codec *codec);

/**
 * Returns the size of one element.
 *
 * @param codec  a codec, or NULL
 * @return bytes; 0 of NULL
 */
ZN5_API size_t zn5_codec_element_size(const zn5_codec *codec);

/**
 * Returns the number of dimensions.
 *
 * @param codec  a codec, or NULL
 * @return 0 to 65535; 0 of NULL
 */
ZN5_API uint32_t zn5_codec_ndim(const zn5_codec *codec);

/**
 * Returns the N5 name of the compression: "raw", "gzip", "bzip2", "xz", "lz4", "blosc" or "zstd".
 *
 * @param codec  a codec, or NULL
 * @return a static NUL-terminated string; of a plain chain the name of its last codec; "" of NULL
 */
ZN5_API const char *zn5_codec_compression(const zn5_codec *codec);

/**
 * Tells the chunk shape: N5's blockSize, Zarr's chunk_shape.
 *
 * @param codec        a codec
 * @param shape        gets zn5_codec_ndim() extents, axis 0 first
 * @param shape_count  the numbers that shape has room for, at least zn5_codec_ndim()
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_codec_chunk_shape(const zn5_codec *codec, uint64_t *shape, size_t shape_count,
    zn5_error **error);

/**
 * Tells the shape of the whole array: N5's dimensions, Zarr's shape. Its extents may be 0.
 *
 * @param codec        a codec
 * @param shape        gets zn5_codec_ndim() extents, axis 0 first
 * @param shape_count  the numbers that shape has room for, at least zn5_codec_ndim()
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
 *   ZN5_ERROR_NOT_FOUND for a codec from zn5_codec_new(), which was never told
 */
ZN5_API zn5_status zn5_codec_array_shape(const zn5_codec *codec, uint64_t *shape, size_t shape_count,
    zn5_error **error);

/**
 * Tells the fill value: what padding and missing chunks hold.
 *
 * @param codec    a codec
 * @param dst      gets one element in native byte order
 * @param dst_len  the bytes that dst has room for, at least zn5_codec_element_size()
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_codec_fill_value(const zn5_codec *codec, void *dst, size_t dst_len, zn5_error **error);

/**
 * Writes the codec as Zarr metadata: the `n5_default` object, or for a plain chain the array of codecs. The same codec always gives the same text.
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param codec    a codec
 * @param dst      gets the JSON text, UTF-8, not terminated
 * @param dst_len  the bytes that dst has room for
 * @param needed   gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
 *   ZN5_ERROR_NOT_REPRESENTABLE for N5's lz4, which no Zarr codec describes
 */
ZN5_API zn5_status zn5_codec_to_json(const zn5_codec *codec, char *dst, size_t dst_len, size_t *needed,
    zn5_error **error);

/**
 * Tells the bytes of a decoded array.
 *
 * @param codec  a codec
 * @param shape  zn5_codec_ndim() extents; NULL for the chunk shape
 * @param size   gets the product of the extents and the element size
 * @param error  gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_LIMIT_EXCEEDED above PTRDIFF_MAX
 */
ZN5_API zn5_status zn5_codec_decoded_size(const zn5_codec *codec, const uint64_t *shape, uint64_t *size,
    zn5_error **error);

/**
 * Tells the most bytes that an encoded block can have.
 *
 * @param codec  a codec
 * @param shape  the block's zn5_codec_ndim() extents; NULL for the chunk shape
 * @param size   gets the bound, header included
 * @param error  gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP;
 *   ZN5_ERROR_INVALID_ARGUMENT if the block cannot be written so (an extent of
 *   0, or above 2^32 - 1 in an N5 block; more than a Blosc frame holds);
 *   ZN5_ERROR_LIMIT_EXCEEDED above the codec's max_decoded_bytes; ZN5_ERROR_INVALID_BLOCK_SHAPE above the chunk shape (ZN5_STRICT)
 */
ZN5_API zn5_status zn5_codec_encode_bound(const zn5_codec *codec, const uint64_t *shape, uint64_t *size,
    zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Blocks
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup blocks Blocks
 * @{ */

/**
 * Reads the header of an N5 block; needs no codec and looks at nothing behind the header.
 *
 * Modes 0 (default), 1 (varlength) and 2 (object) are read; zn5 decodes mode 0 alone.
 *
 * @param src            the block, or its beginning
 * @param src_len        its bytes
 * @param mode           gets the mode
 * @param ndim           gets the number of dimensions, also with ZN5_ERROR_BUFFER_TOO_SMALL; 0 in mode 2, which has none; may be NULL
 * @param shape          gets the extents, axis 0 first; NULL with shape_count 0 if they are not wanted
 * @param shape_count    the numbers that shape has room for, at least *ndim
 * @param element_count  gets the count in the header (modes 1 and 2) or the product of the extents (mode 0); may be NULL
 * @param header_len     gets the bytes of the header, where the payload begins; may be NULL
 * @param error          gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_BUFFER_TOO_SMALL (shape_count); ZN5_ERROR_BUFFERS_OVERLAP (src and shape);
 *   ZN5_ERROR_EMPTY_BLOCK (src_len 0); ZN5_ERROR_TRUNCATED_BLOCK; ZN5_ERROR_UNSUPPORTED_BLOCK_MODE (another mode);
 *   ZN5_ERROR_LIMIT_EXCEEDED (the product exceeds 2^64 - 1)
 */
ZN5_API zn5_status zn5_block_header(const void *src, size_t src_len, uint16_t *mode, uint16_t *ndim, uint64_t *shape,
    size_t shape_count, uint64_t *element_count, size_t *header_len, zn5_error **error);

/**
 * Decodes a block into a contiguous array of `shape`, in the codec's order and native byte order.
 *
 * The stored block is cropped and padded axis by axis to `shape`; padding is the fill value. Every check is made: of the header, of the
 * compressed stream to its end, of its checksums. To get a block as it is stored, pass the extents that zn5_block_header() tells.
 * A shape in the wrong order of axes is no error: it crops and pads.
 *
 * @param codec    a codec
 * @param src      the block (of a plain chain: the stored chunk)
 * @param src_len  its bytes
 * @param shape    zn5_codec_ndim() extents of the array; NULL for the chunk shape
 * @param dst      gets the array; no alignment is needed; apart from src
 * @param dst_len  the bytes that dst has room for, at least zn5_codec_decoded_size(); those behind it stay untouched
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; after any error the content of dst is unspecified;
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_BUFFERS_OVERLAP;
 *   ZN5_ERROR_EMPTY_BLOCK, ZN5_ERROR_TRUNCATED_BLOCK, ZN5_ERROR_UNSUPPORTED_BLOCK_MODE, ZN5_ERROR_DIMENSION_MISMATCH,
 *   ZN5_ERROR_INVALID_BLOCK_SHAPE (ZN5_STRICT), ZN5_ERROR_CORRUPT_PAYLOAD, ZN5_ERROR_PAYLOAD_SIZE_MISMATCH, ZN5_ERROR_TRAILING_DATA,
 *   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_decode_block(const zn5_codec *codec, const void *src, size_t src_len, const uint64_t *shape,
    void *dst, size_t dst_len, zn5_error **error);

/**
 * Decodes a box of a block straight into a larger image.
 *
 * The box is `offset` and `extent` of the array that zn5_decode_block() would give. Only bytes of the box are written, so several
 * threads may decode into one image at once if their boxes share no element. Of a payload that can be decoded in parts (raw, Blosc,
 * LZ4Block) only the parts that the box touches are decoded and checked.
 *
 * @param codec        a codec
 * @param src          the block (of a plain chain: the stored chunk)
 * @param src_len      its bytes
 * @param shape        zn5_codec_ndim() extents of the whole array; NULL for the chunk shape
 * @param offset       where in it the box begins; NULL for zeros
 * @param extent       the extents of the box; NULL for the rest of shape
 * @param dst          the whole image; no alignment is needed; apart from src
 * @param dst_len      the bytes of the whole image
 * @param dst_origin   the byte offset in the image of the box's first element
 * @param dst_strides  zn5_codec_ndim() byte strides in the image; a negative one flips its axis; NULL for a contiguous box in the codec's order
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; after any error the content of the box is unspecified;
 *   those of zn5_decode_block(); ZN5_ERROR_INVALID_ARGUMENT if the box leaves shape, or strides let two elements overlap or are too
 *   entangled to tell;
 *   ZN5_ERROR_BUFFER_TOO_SMALL if an element of the box would lie outside the image
 */
ZN5_API zn5_status zn5_decode_region(const zn5_codec *codec, const void *src, size_t src_len, const uint64_t *shape,
    const uint64_t *offset, const uint64_t *extent, void *dst, size_t dst_len, size_t dst_origin,
    const ptrdiff_t *dst_strides, zn5_error **error);

/**
 * Encodes a contiguous array, in the codec's order and native byte order, into a block of that shape.
 *
 * Pass the cut shape for a truncated block at the array's edge, the chunk shape for a padded one. The same input gives the same bytes on
 * every run, whatever dst_len is.
 *
 * @param codec    a codec
 * @param shape    zn5_codec_ndim() extents of the block; NULL for the chunk shape
 * @param src      the array; no alignment is needed
 * @param src_len  its bytes, exactly zn5_codec_decoded_size()
 * @param dst      gets the block; apart from src
 * @param dst_len  the bytes that dst has room for; zn5_codec_encode_bound() bytes always do, fewer may
 * @param written  gets the bytes of the block
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_SIZE_MISMATCH (src_len), ZN5_ERROR_BUFFERS_OVERLAP;
 *   ZN5_ERROR_BUFFER_TOO_SMALL, whose message tells the bytes it takes;
 *   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_BLOCK_SHAPE as zn5_codec_encode_bound(); ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_encode_block(const zn5_codec *codec, const uint64_t *shape, const void *src, size_t src_len,
    void *dst, size_t dst_len, size_t *written, zn5_error **error);

/**
 * Encodes a box of a larger image into a block of that shape.
 *
 * @param codec        a codec
 * @param shape        zn5_codec_ndim() extents of the box and of the block; NULL for the chunk shape
 * @param src          the whole image; no alignment is needed
 * @param src_len      the bytes of the whole image
 * @param src_origin   the byte offset in the image of the box's first element
 * @param src_strides  zn5_codec_ndim() byte strides in the image; may be negative or 0; NULL for a contiguous box in the codec's order
 * @param dst          gets the block; apart from src
 * @param dst_len      the bytes that dst has room for; zn5_codec_encode_bound() bytes always do, fewer may
 * @param written      gets the bytes of the block
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; those of zn5_encode_block(), where ZN5_ERROR_SIZE_MISMATCH means that an element of the box would lie outside the image
 */
ZN5_API zn5_status zn5_encode_region(const zn5_codec *codec, const uint64_t *shape, const void *src, size_t src_len,
    size_t src_origin, const ptrdiff_t *src_strides, void *dst, size_t dst_len, size_t *written, zn5_error **error);

/**
 * Fills a contiguous array with the fill value: what a missing block reads as.
 *
 * @param codec    a codec
 * @param shape    zn5_codec_ndim() extents of the array; NULL for the chunk shape
 * @param dst      gets the array; no alignment is needed
 * @param dst_len  the bytes that dst has room for, at least zn5_codec_decoded_size(); those behind it stay untouched
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_BUFFER_TOO_SMALL; ZN5_ERROR_LIMIT_EXCEEDED above PTRDIFF_MAX
 */
ZN5_API zn5_status zn5_fill_block(const zn5_codec *codec, const uint64_t *shape, void *dst, size_t dst_len,
    zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Fixed-length UTF-32
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup fixed_length_utf_32 Fixed-length UTF-32
 * @{ */

/**
 * Writes text into one element, padded with U+0000.
 *
 * @param utf8          the text, UTF-8, not terminated
 * @param utf8_len      its bytes
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param dst           gets the element; no alignment is needed; apart from utf8
 * @param length_bytes  the bytes of the element, a positive multiple of 4
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
 *   ZN5_ERROR_BUFFERS_OVERLAP;
 *   ZN5_ERROR_INVALID_UTF8; ZN5_ERROR_STRING_TOO_LONG (more than length_bytes / 4 code points, trailing U+0000 counted; text is never cut)
 */
ZN5_API zn5_status zn5_utf32_encode(const char *utf8, size_t utf8_len, zn5_endian endian, void *dst,
    size_t length_bytes, zn5_error **error);

/**
 * Reads the text of one element, trailing U+0000 removed.
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param src           the element; no alignment is needed
 * @param length_bytes  its bytes, a positive multiple of 4
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param dst           gets the text, UTF-8, not terminated; apart from src
 * @param dst_len       the bytes that dst has room for; length_bytes always do
 * @param needed        gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
 *   ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_BUFFER_TOO_SMALL;
 *   ZN5_ERROR_INVALID_CODE_POINT (a surrogate or a unit above U+10FFFF; zn5_error_offset() is where it begins in src)
 */
ZN5_API zn5_status zn5_utf32_decode(const void *src, size_t length_bytes, zn5_endian endian, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/**
 * Writes count texts into an array of elements.
 *
 * Text number i begins at byte offsets(i) of utf8 and ends before byte offsets(i + 1). The first offset may be above 0.
 *
 * @param utf8          the texts in one buffer, UTF-8
 * @param utf8_len      its bytes
 * @param offsets       count + 1 byte offsets that never fall, the last at most utf8_len
 * @param count         the number of elements
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param length_bytes  the bytes of one element, a positive multiple of 4
 * @param dst           gets the elements; no alignment is needed; apart from utf8 and offsets
 * @param dst_len       the bytes that dst has room for, at least count * length_bytes; those behind it stay untouched
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; after any error the content of dst is unspecified;
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_INVALID_ARGUMENT (endian, offsets), ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_BUFFERS_OVERLAP,
 *   ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_LIMIT_EXCEEDED;
 *   ZN5_ERROR_INVALID_UTF8, ZN5_ERROR_STRING_TOO_LONG (the message names the element, zn5_error_offset() is in utf8)
 */
ZN5_API zn5_status zn5_utf32_encode_array(const char *utf8, size_t utf8_len, const uint64_t *offsets, size_t count,
    zn5_endian endian, size_t length_bytes, void *dst, size_t dst_len, zn5_error **error);

/**
 * Reads the texts of an array of elements, trailing U+0000 removed from each.
 *
 * One element that is no text fails the call, and then nothing is written; zn5_utf32_decode() reads its neighbours.
 * dst NULL with dst_len 0 asks for the size; dst_len = src_len always suffices.
 *
 * @param src           the elements; no alignment is needed
 * @param src_len       their bytes, exactly count * length_bytes
 * @param count         the number of elements
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param length_bytes  the bytes of one element, a positive multiple of 4
 * @param dst           gets the texts one behind the other, UTF-8, not terminated; apart from src and offsets
 * @param dst_len       the bytes that dst has room for
 * @param offsets       gets count + 1 byte offsets, where the texts begin in dst and the last one ends; may be NULL when asking for the size
 * @param needed        gets the bytes of all texts, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_SIZE_MISMATCH (src_len),
 *   ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_BUFFER_TOO_SMALL, ZN5_ERROR_LIMIT_EXCEEDED;
 *   ZN5_ERROR_INVALID_CODE_POINT (zn5_error_offset() is where the unit begins in src, so the element is that divided by length_bytes)
 */
ZN5_API zn5_status zn5_utf32_decode_array(const void *src, size_t src_len, size_t count, zn5_endian endian,
    size_t length_bytes, char *dst, size_t dst_len, uint64_t *offsets, size_t *needed, zn5_error **error);

/**
 * Looks for an element that is no text: one with a surrogate or a unit above U+10FFFF.
 *
 * @param src           the elements; no alignment is needed
 * @param src_len       their bytes, exactly count * length_bytes
 * @param count         the number of elements
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param length_bytes  the bytes of one element, a positive multiple of 4
 * @param bad_index     gets the first element that is no text, or count if all are
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK when the check was made, whatever it found; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
 *   ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_SIZE_MISMATCH (src_len), ZN5_ERROR_LIMIT_EXCEEDED
 */
ZN5_API zn5_status zn5_utf32_validate(const void *src, size_t src_len, size_t count, zn5_endian endian,
    size_t length_bytes, size_t *bad_index, zn5_error **error);

/**
 * Writes the text of a JSON string, such as a fill value, into one element, padded with U+0000.
 *
 * @param json          the JSON text of a string, with its quotation marks, UTF-8
 * @param json_len      its bytes
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param dst           gets the element; no alignment is needed; apart from json
 * @param length_bytes  the bytes of the element, a positive multiple of 4
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
 *   ZN5_ERROR_BUFFERS_OVERLAP;
 *   ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA (JSON that is no string); ZN5_ERROR_STRING_TOO_LONG (trailing U+0000 counted);
 *   ZN5_ERROR_INVALID_CODE_POINT (an unpaired surrogate escape); ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_utf32_from_json(const char *json, size_t json_len, zn5_endian endian, void *dst,
    size_t length_bytes, zn5_error **error);

/**
 * Writes one element as a JSON string, trailing U+0000 removed.
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param src           the element; no alignment is needed
 * @param length_bytes  its bytes, a positive multiple of 4
 * @param endian        the byte order of the code units: ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param dst           gets the JSON text with its quotation marks, UTF-8, not terminated; apart from src
 * @param dst_len       the bytes that dst has room for
 * @param needed        gets the bytes of the JSON text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian), ZN5_ERROR_INVALID_LENGTH,
 *   ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_BUFFER_TOO_SMALL; ZN5_ERROR_INVALID_CODE_POINT; ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_utf32_to_json(const void *src, size_t length_bytes, zn5_endian endian, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/**
 * Reads a Zarr data type object, {"name":"fixed_length_utf32","configuration":{"length_bytes":48}}.
 *
 * @param json          the object as JSON text, UTF-8
 * @param json_len      its bytes
 * @param length_bytes  gets the bytes of one element
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_JSON;
 *   ZN5_ERROR_UNSUPPORTED_DATA_TYPE (another name);
 *   ZN5_ERROR_INVALID_METADATA (a member is missing, wrong or unknown, length_bytes is no positive multiple of 4, the name as a bare string)
 */
ZN5_API zn5_status zn5_utf32_data_type_parse(const char *json, size_t json_len, size_t *length_bytes,
    zn5_error **error);

/**
 * Writes the Zarr data type object of elements of a length.
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param length_bytes  the bytes of one element, a positive multiple of 4
 * @param dst           gets the JSON text, not terminated
 * @param dst_len       the bytes that dst has room for
 * @param needed        gets the bytes of the JSON text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_LENGTH,
 *   ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_utf32_data_type_json(size_t length_bytes, char *dst, size_t dst_len, size_t *needed,
    zn5_error **error);

/**
 * Reads a NumPy name of the type, as Zarr v2 uses it: "<U12" is 48 bytes little-endian, ">U12" 48 bytes big-endian.
 *
 * @param dtype         the name
 * @param dtype_len     its bytes
 * @param length_bytes  gets the bytes of one element
 * @param endian        gets ZN5_ENDIAN_LITTLE or ZN5_ENDIAN_BIG
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED;
 *   ZN5_ERROR_INVALID_METADATA (no byte order: "|U12", "U12"); ZN5_ERROR_INVALID_LENGTH ("<U0");
 *   ZN5_ERROR_UNSUPPORTED_DATA_TYPE (another type)
 */
ZN5_API zn5_status zn5_utf32_numpy_dtype_parse(const char *dtype, size_t dtype_len, size_t *length_bytes,
    zn5_endian *endian, zn5_error **error);

/**
 * Writes the NumPy name of elements of a length and byte order, such as "<U12".
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param length_bytes  the bytes of one element, a positive multiple of 4
 * @param endian        ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG or ZN5_ENDIAN_NATIVE
 * @param dst           gets the name, ASCII, not terminated
 * @param dst_len       the bytes that dst has room for
 * @param needed        gets the bytes of the name, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error         gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_INVALID_ARGUMENT (endian),
 *   ZN5_ERROR_INVALID_LENGTH, ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_utf32_numpy_dtype(size_t length_bytes, zn5_endian endian, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Metadata
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup metadata Metadata
 * @{ */

/** Chunk grid "regular", which every reader of Zarr knows; chunks at the edges reach past the array. */
#define ZN5_GRID_REGULAR 0

/** Chunk grid "zarrs.regular_bounded", which zarrs knows; chunks at the edges are cut. */
#define ZN5_GRID_REGULAR_BOUNDED 1

/** Chunk grid "rectilinear", which lists the extents of all chunks; those at the edges are cut. */
#define ZN5_GRID_RECTILINEAR 2

/** The language of metadata: one of ZN5_LANGUAGE_... */
typedef uint32_t zn5_language;

/** As an argument: the language of what is there already. As a result: none. */
#define ZN5_LANGUAGE_AUTO 0

/** N5: attributes.json. */
#define ZN5_LANGUAGE_N5 1

/** Zarr version 3: zarr.json. */
#define ZN5_LANGUAGE_ZARR 2

/**
 * Writes the zarr.json of an attributes.json, array or group.
 *
 * Nothing is reversed: shape is dimensions, chunk keys are N5's paths, the
 * fill value is 0. User attributes are kept byte for byte; the whole document
 * becomes the attribute "_n5", from which zn5_metadata_zarr_to_n5() finds the
 * exact way back. The result is JSON: comments are blanked, and NaN, Infinity
 * and -Infinity become strings. dst NULL with dst_len 0 asks for the size.
 *
 * @param json      the text of attributes.json
 * @param json_len  its bytes
 * @param flags     the chunk grid, ZN5_GRID_...
 * @param dst       gets the text of zarr.json, UTF-8, not terminated
 * @param dst_len   the bytes that dst has room for
 * @param needed    gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error     gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NOT_REPRESENTABLE (lz4, jpeg, a user attribute "_n5"); ZN5_ERROR_INVALID_JSON, ZN5_ERROR_INVALID_METADATA,
 *   ZN5_ERROR_UNSUPPORTED_DATA_TYPE or ZN5_ERROR_UNSUPPORTED_COMPRESSION naming the member; ZN5_ERROR_NULL_POINTER,
 *   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (flags); ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_metadata_n5_to_zarr(const char *json, size_t json_len, uint32_t flags, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/**
 * Writes the attributes.json of a zarr.json, array or group.
 *
 * Where the attribute "_n5" says what the document says, its spelling is used;
 * otherwise the document wins. "_n5" itself is left out. Refused by name is
 * what N5 has no place for: codecs other than one n5_default, a fill value
 * other than 0, dimension names, irregular grids, other chunk keys, attributes
 * named like members of N5. The result is JSON: NaN, Infinity and -Infinity
 * become strings. dst NULL with dst_len 0 asks for the size.
 *
 * @param json      the text of zarr.json
 * @param json_len  its bytes
 * @param flags     0
 * @param dst       gets the text of attributes.json, UTF-8, not terminated
 * @param dst_len   the bytes that dst has room for
 * @param needed    gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error     gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NOT_REPRESENTABLE; ZN5_ERROR_INVALID_JSON, ZN5_ERROR_INVALID_METADATA, ZN5_ERROR_UNSUPPORTED_DATA_TYPE or
 *   ZN5_ERROR_UNSUPPORTED_CODEC naming the member; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (flags);
 *   ZN5_ERROR_BUFFERS_OVERLAP; ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_metadata_zarr_to_n5(const char *json, size_t json_len, uint32_t flags, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/**
 * Returns the zarr.json of a group that nobody stored: in N5 every prefix is a group.
 *
 * @return a JSON object, a static NUL-terminated string
 */
ZN5_API const char *zn5_metadata_implicit_group(void);

/**
 * Writes the key of a block below its dataset: the grid position with '/' between, such as "0/3/1"; "0" for no dimension.
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param ndim           the number of dimensions, 0 to 65535
 * @param grid_position  ndim positions in the grid of chunks, axis 0 first; NULL if ndim is 0
 * @param dst            gets the key, ASCII, not terminated
 * @param dst_len        the bytes that dst has room for
 * @param needed         gets the bytes of the key, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error          gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (ndim);
 *   ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_block_key(uint32_t ndim, const uint64_t *grid_position, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Stores
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup stores Stores
 * @{ */

/** Flag of zn5_store_open: values can be stored and erased. */
#define ZN5_STORE_WRITE 1

/** Flag of zn5_store_open: the folder, and those above it, are made if they are missing. */
#define ZN5_STORE_CREATE 2

/** Flag of zn5_store_n5_as_zarr, beside one of ZN5_GRID_...: folders that have no metadata are groups. */
#define ZN5_STORE_IMPLICIT_GROUPS 256

/** Kind of an entry of a store: a value, which zn5_store_get() gets. */
#define ZN5_ENTRY_KEY 1

/** Kind of an entry of a store: a folder, or the common beginning of keys. */
#define ZN5_ENTRY_PREFIX 2

/** Kind of a node: a group. */
#define ZN5_NODE_GROUP 3

/** Kind of a node: an array, which N5 calls a dataset. */
#define ZN5_NODE_ARRAY 4

/** Kind of a node: its metadata is broken or says what zn5 does not support. */
#define ZN5_NODE_UNSUPPORTED 5

/**
 * Where the values of a container lie, by key: a folder, a program's own storage, or a view of another store.
 *
 * A key is names with '/' between, such as "volume/attributes.json" or "volume/0/3/1". No name in it is empty, ".", ".." or begins with
 * ".zn5-", which is how temporary files are named, and none has a NUL: no key reaches outside its store. Such a key, or prefix, is
 * ZN5_ERROR_INVALID_ARGUMENT; one that is not UTF-8 is ZN5_ERROR_INVALID_UTF8.
 *
 * Made by zn5_store_open(), zn5_store_from_callbacks() or zn5_store_n5_as_zarr(), freed by zn5_store_free(). Stores are counted: what was
 * made from a store keeps it alive, so handles are freed in any order. Any number of threads use a store at once.
 */
typedef struct zn5_store zn5_store;

/**
 * Takes the bytes of a value. Runs on the calling thread only, before the call returns.
 *
 * It must not throw or jump out of zn5. It may call zn5, the store in use included.
 *
 * @param user_data  what the caller gave along
 * @param bytes      the next bytes, which live until the callback returns
 * @param len        their number, 0 for a value without bytes
 * @return 0 to go on; another number ends the call with ZN5_ERROR_CANCELLED
 */
typedef int32_t (*zn5_bytes_callback)(void *user_data, const void *bytes, size_t len);

/**
 * Takes one entry of a listing. Runs on the calling thread only, before the call returns.
 *
 * It must not throw or jump out of zn5. It may call zn5, the store in use included.
 *
 * @param user_data  what the caller gave along
 * @param name       the name below what is listed, UTF-8, not terminated; lives until the callback returns
 * @param name_len   its bytes
 * @param kind       ZN5_ENTRY_... or ZN5_NODE_..., as the listing says
 * @return 0 to go on; another number ends the call with ZN5_ERROR_CANCELLED
 */
typedef int32_t (*zn5_entry_callback)(void *user_data, const char *name, size_t name_len, uint32_t kind);

/**
 * Opens a folder as a store: a key is the path of a file below it.
 *
 * Values are written under a temporary name beside their place and renamed, so a reader, or whoever comes after a program that was
 * killed, finds the old value or the new one. What a killed program leaves is named ".zn5-...", is in no listing and may be deleted.
 * Symbolic links inside the folder are followed when reading and replaced when writing; one that leads nowhere is ZN5_ERROR_IO, not a
 * missing value. Only regular files are values.
 *
 * A path may be an address of this machine, as file:///data/a%20b. What begins
 * with another scheme and "://", as s3://bucket, lies elsewhere and is
 * ZN5_ERROR_INVALID_ARGUMENT; "./s3://bucket" is a path.
 *
 * @param path   the folder, NUL-terminated; POSIX: any bytes, Windows: UTF-8; a relative path is taken from the working directory of now
 * @param flags  0 for a store that is read only, or ZN5_STORE_WRITE, ZN5_STORE_CREATE or both
 * @param store  gets the store, to be freed by zn5_store_free(); NULL on failure
 * @param error  gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (flags, a
 *   path that is empty, leads to a file or is the address of another machine);
 *   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_ALREADY_EXISTS (a file where a folder would
 *   have to be made); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO
 */
ZN5_API zn5_status zn5_store_open(const char *path, uint32_t flags, zn5_store **store, zn5_error **error);

/**
 * Shows a store that holds N5 as Zarr: the *N5 Default Store* of the
 * specification.
 *
 * The value under ".../zarr.json" is made from that under
 * ".../attributes.json", as by zn5_metadata_n5_to_zarr(), each time it is got;
 * what is stored there is translated the other way, as by
 * zn5_metadata_zarr_to_n5(), and erasing it erases attributes.json. What is
 * stored so for the root states the version of N5, `"n5":"4.0.0"` where the
 * zarr.json has kept none. Listings show zarr.json in the place of
 * attributes.json. Every other key passes through: blocks are not touched. A
 * zarr.json that lies beside attributes.json is hidden. Metadata that Zarr
 * cannot express fails for its own key only.
 *
 * With ZN5_STORE_IMPLICIT_GROUPS it is the *Implicit Group Store* as well: a
 * zarr.json that is missing reads as that of a group, see
 * zn5_metadata_implicit_group(), for the root and for every folder that is
 * there, but for folders of blocks below a dataset. A path that leads nowhere
 * stays ZN5_ERROR_NOT_FOUND.
 *
 * @param inner  the store that holds N5; the new store keeps it alive
 * @param flags  one of ZN5_GRID_..., the chunk grid of arrays, and
 *               ZN5_STORE_IMPLICIT_GROUPS or not
 * @param store  gets the store, to be freed by zn5_store_free(); NULL on
 *               failure
 * @param error  gets NULL or an error object, which the caller frees; may be
 *               NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (flags)
 */
ZN5_API zn5_status zn5_store_n5_as_zarr(const zn5_store *inner, uint32_t flags, zn5_store **store, zn5_error **error);

/**
 * Gets a whole value, in one or more pieces.
 *
 * @param store      a store
 * @param key        the key, UTF-8
 * @param key_len    its bytes, without a terminator
 * @param callback   gets the bytes; also called once for a value that has none
 * @param user_data  is passed to callback
 * @param error      gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the key);
 *   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; ZN5_ERROR_CANCELLED by callback;
 *   whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_store_get(const zn5_store *store, const char *key, size_t key_len, zn5_bytes_callback callback,
    void *user_data, zn5_error **error);

/**
 * Stores a value, in place of what was there.
 *
 * @param store      a store that can be written
 * @param key        the key, UTF-8
 * @param key_len    its bytes, without a terminator
 * @param value      the value; NULL if value_len is 0
 * @param value_len  its bytes
 * @param error      gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; after any error the old value is there, or none if there was none (as far as a program's own store does that);
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the key); ZN5_ERROR_READ_ONLY;
 *   ZN5_ERROR_ALREADY_EXISTS (a folder has this name, or a file the name of a folder in the key); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO;
 *   ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_store_set(const zn5_store *store, const char *key, size_t key_len, const void *value,
    size_t value_len, zn5_error **error);

/**
 * Removes a value; nothing happens if it is missing. A folder stays, even an empty one, for in N5 it is a group.
 *
 * @param store    a store that can be written
 * @param key      the key, UTF-8
 * @param key_len  its bytes, without a terminator
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the key);
 *   ZN5_ERROR_READ_ONLY; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_store_erase(const zn5_store *store, const char *key, size_t key_len, zn5_error **error);

/**
 * Lists what lies directly below a prefix, in no particular order, each entry once; temporary files are left out.
 *
 * Entries are passed on as they are found, so that memory does not grow with their number. A prefix that is missing has none. A name
 * may come both as ZN5_ENTRY_KEY and as ZN5_ENTRY_PREFIX where a store has a value "a" and a value "a/b". What is stored or erased
 * meanwhile may be listed or not.
 *
 * @param store       a store
 * @param prefix      empty, or names each followed by '/', such as "volume/0/", UTF-8; NULL if prefix_len is 0
 * @param prefix_len  its bytes, without a terminator
 * @param callback    gets each name and ZN5_ENTRY_KEY or ZN5_ENTRY_PREFIX
 * @param user_data   is passed to callback
 * @param error       gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the prefix);
 *   ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_CANCELLED by callback; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_store_list(const zn5_store *store, const char *prefix, size_t prefix_len,
    zn5_entry_callback callback, void *user_data, zn5_error **error);

/**
 * Gives a handle up. The store itself goes with the last handle, dataset or wrapper that uses it. No other call may be using this handle.
 *
 * @param store  a store that is not used afterwards, or NULL
 */
ZN5_API void zn5_store_free(zn5_store *store);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Stores of the program
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup stores_of_the_program Stores of the program
 * @{ */

/**
 * Where a callback of a store puts what it found: bytes by zn5_sink_write(), entries by zn5_sink_entry().
 *
 * It lives until the callback returns. One thread uses it at a time.
 */
typedef struct zn5_sink zn5_sink;

/**
 * The functions of a store that a program brings: S3, an archive, a cache, a database.
 *
 * The struct may grow at its end in later releases; struct_size tells how much of it the program knows. It is copied.
 *
 * Each function gets the user_data that zn5_store_from_callbacks() was given. They are called **from any thread and at the same time**, also
 * from threads that zn5 makes for a call. Strings are UTF-8, not terminated, and live until the callback returns, as do value and sink.
 * Keys and prefixes have been checked, see zn5_store. A callback must not throw or jump out of zn5.
 *
 * A callback may use zn5, the dataset in whose service it runs included. In
 * zn5_dataset_write() it runs while other writers of the block wait for it: what
 * it writes itself by the same handle waits for nobody, so that parts of a block
 * that another thread writes at the same time can be lost. It must not wait for
 * another thread that writes by that handle.
 *
 * A callback returns ZN5_OK or a status that says what went wrong, which becomes the status of the call; ZN5_ERROR_PANIC, which is zn5's
 * own, becomes ZN5_ERROR_INTERNAL, and a number that is no status ZN5_ERROR_IO, and zn5_error_native_code() tells it. Where a function of
 * the sink fails, its failure is that of the call, whatever the callback returns.
 */
typedef struct {
  /** sizeof(zn5_store_callbacks). */
  size_t struct_size;
  /**
   * Writes the value of key to sink, from the byte offset on, and not more than max_len bytes; UINT64_MAX is to the end.
   *
   * Nothing written is a value without bytes, as behind its end. ZN5_ERROR_NOT_FOUND if nothing is stored under key, or a folder is.
   * What was written before an error does not count. Never NULL.
   */
  zn5_status (*get)(void *user_data, const char *key, size_t key_len, uint64_t offset, uint64_t max_len, zn5_sink *sink);
  /**
   * Stores a value in place of what was there. While it does, others should get the old value or the new one, whole. NULL: the store is read only.
   */
  zn5_status (*set)(void *user_data, const char *key, size_t key_len, const void *value, size_t value_len);
  /** Removes a value; ZN5_OK or ZN5_ERROR_NOT_FOUND if it is missing. NULL: the store is read only. */
  zn5_status (*erase)(void *user_data, const char *key, size_t key_len);
  /**
   * Gives sink each name directly below prefix once, which is empty or ends in '/'. ZN5_OK or ZN5_ERROR_NOT_FOUND if there is none.
   * Never NULL.
   *
   * While zn5_sink_entry() runs, callbacks of the same store may be called from the same thread: hold no lock that they need.
   */
  zn5_status (*list)(void *user_data, const char *prefix, size_t prefix_len, zn5_sink *sink);
  /**
   * Called once, after the last use of the store, from the thread that gave it up last. NULL: nothing is to be done.
   */
  void (*release)(void *user_data);
} zn5_store_callbacks;

/**
 * Writes the next bytes of a value, from inside the callback get. The value is what all calls of one callback wrote, in their order.
 *
 * @param sink   the callback's sink
 * @param bytes  the bytes, copied; NULL if len is 0
 * @param len    their number
 * @return ZN5_OK; after another status the callback should return, and the call of zn5 ends with the first failure of the sink:
 *   ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (a sink that takes entries); ZN5_ERROR_LIMIT_EXCEEDED (more than max_len bytes in
 *   all, or more than a block or a metadata document can have); ZN5_ERROR_OUT_OF_MEMORY
 */
ZN5_API zn5_status zn5_sink_write(zn5_sink *sink, const void *bytes, size_t len);

/**
 * Tells the next entry of a listing, from inside the callback list. Names that no key can have, such as "..", are left out.
 *
 * @param sink      the callback's sink
 * @param name      the name below the prefix, UTF-8, without '/'
 * @param name_len  its bytes, without a terminator
 * @param kind      ZN5_ENTRY_KEY or ZN5_ENTRY_PREFIX
 * @return ZN5_OK; after another status the callback should return, and the call of zn5 ends with the first failure of the sink:
 *   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (a sink that takes bytes,
 *   a name that is empty or has a '/', kind); ZN5_ERROR_INVALID_UTF8; ZN5_ERROR_CANCELLED, and other failures of who takes the entries
 */
ZN5_API zn5_status zn5_sink_entry(zn5_sink *sink, const char *name, size_t name_len, uint32_t kind);

/**
 * Makes a store from functions of the program.
 *
 * @param callbacks  the functions, copied; get and list must be given
 * @param user_data  is passed to each of them; may be NULL
 * @param store      gets the store, to be freed by zn5_store_free(); NULL on failure, and then release is not called
 * @param error      gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER (callbacks, store, get, list); ZN5_ERROR_INVALID_ARGUMENT (struct_size)
 */
ZN5_API zn5_status zn5_store_from_callbacks(const zn5_store_callbacks *callbacks, void *user_data, zn5_store **store,
    zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Nodes
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup nodes Nodes
 * @{ */

/**
 * Lists the groups and arrays directly below a node, sorted by name.
 *
 * Folders of blocks, files and temporary files are no nodes and are left out.
 * In N5 every folder is a group, with or without attributes.json. A child
 * whose metadata is broken, unsupported (such as an array of Zarr version 2) or
 * cannot be read comes as ZN5_NODE_UNSUPPORTED, and the listing goes on;
 * zn5_dataset_open() tells what is wrong with it. A node whose own metadata
 * cannot be read is listed as if it were an array.
 *
 * @param store      a store
 * @param path       the node, NUL-terminated UTF-8; "" or "/" is the root
 * @param callback   gets each name, with ZN5_NODE_GROUP, ZN5_NODE_ARRAY or
 *                   ZN5_NODE_UNSUPPORTED
 * @param user_data  is passed to callback
 * @param error      gets NULL or an error object, which the caller frees; may
 *                   be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT,
 *   ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_NOT_FOUND (nothing is stored at
 *   path); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY;
 *   ZN5_ERROR_CANCELLED by callback; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_node_list(const zn5_store *store, const char *path, zn5_entry_callback callback, void *user_data,
    zn5_error **error);

/**
 * Tells whether a node is N5 or Zarr: attributes.json or zarr.json. Where both
 * are there, attributes.json counts if it describes an array, else zarr.json;
 * where neither is, a folder has the language in which zn5_group_create()
 * would make it.
 *
 * @param store     a store
 * @param path      the node, NUL-terminated UTF-8; "" or "/" is the root
 * @param language  gets ZN5_LANGUAGE_N5 or ZN5_LANGUAGE_ZARR
 * @param error     gets NULL or an error object, which the caller frees; may
 *                  be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT,
 *   ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_NOT_FOUND (nothing is stored at
 *   path); ZN5_ERROR_UNSUPPORTED_CODEC (Zarr version 2); ZN5_ERROR_PERMISSION;
 *   ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store
 *   returns
 */
ZN5_API zn5_status zn5_node_language(const zn5_store *store, const char *path, zn5_language *language,
    zn5_error **error);

/**
 * Makes a group: attributes.json for N5, zarr.json for Zarr. One that is there
 * already is left as it is.
 *
 * With ZN5_LANGUAGE_AUTO the nearest document decides: of the groups and
 * arrays above the closest, else those below, or beside; where there are none
 * at all it is N5. In N5 the groups above need nothing, and the root gets the
 * version of N5 if it has none. In Zarr the groups above that are missing are
 * made, from the root down, unless the nearest document above is N5's. No
 * document is replaced, and none is put beside one of the other language: a
 * container stays what it is, whatever lies in it.
 *
 * @param store     a store that can be written
 * @param path      the group, NUL-terminated UTF-8; "" or "/" is the root
 * @param language  ZN5_LANGUAGE_AUTO, or the language that it is to have
 * @param error     gets NULL or an error object, which the caller frees; may
 *                  be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (path,
 *   language), ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_ALREADY_EXISTS (an
 *   array, metadata that cannot be read, or a group of another language than
 *   the one asked for); ZN5_ERROR_UNSUPPORTED_CODEC (ZN5_LANGUAGE_AUTO in a
 *   container of Zarr version 2); ZN5_ERROR_READ_ONLY, and then nothing was
 *   stored; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_INVALID_JSON,
 *   ZN5_ERROR_INVALID_METADATA (the root's attributes.json);
 *   ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_group_create(const zn5_store *store, const char *path, zn5_language language, zn5_error **error);

/**
 * Gets the user's attributes of a group or array: an object without the
 * members of N5 or Zarr, each member as it was stored, digit for digit.
 *
 * Python and Java store NaN, Infinity and -Infinity, which are no JSON: where
 * they did, they are in the text, and zn5_attributes_get_json() suits parsers
 * that refuse them. dst NULL with dst_len 0 asks for the size. Arrays that zn5
 * cannot open have attributes too.
 *
 * @param store    a store
 * @param path     the node, NUL-terminated UTF-8; "" or "/" is the root
 * @param dst      gets the JSON text, UTF-8, not terminated
 * @param dst_len  the bytes that dst has room for
 * @param needed   gets the bytes of the text, also with
 *                 ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error    gets NULL or an error object, which the caller frees; may be
 *                 NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
 *   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
 *   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (path);
 *   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA;
 *   ZN5_ERROR_UNSUPPORTED_CODEC (Zarr version 2); ZN5_ERROR_PERMISSION;
 *   ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store
 *   returns
 */
ZN5_API zn5_status zn5_attributes_get(const zn5_store *store, const char *path, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/**
 * Gets the user's attributes as zn5_attributes_get() does, but as JSON in any
 * case, for a parser: NaN, Infinity and -Infinity become the strings "NaN",
 * "Infinity" and "-Infinity".
 *
 * To change some attributes and keep the others, change the text of
 * zn5_attributes_get(). dst NULL with dst_len 0 asks for the size.
 *
 * @param store    a store
 * @param path     the node, NUL-terminated UTF-8; "" or "/" is the root
 * @param dst      gets the JSON text, UTF-8, not terminated
 * @param dst_len  the bytes that dst has room for
 * @param needed   gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
 *   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
 *   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (path);
 *   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA;
 *   ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; whatever a
 *   callback of the store returns
 */
ZN5_API zn5_status zn5_attributes_get_json(const zn5_store *store, const char *path, char *dst, size_t dst_len,
    size_t *needed, zn5_error **error);

/**
 * Replaces the user's attributes of a group or array. The members of N5 or
 * Zarr stay as they are, byte for byte.
 *
 * Where both attributes.json and zarr.json are there, the one by which
 * zn5_dataset_open() opens is changed, and the other is not. A folder that has
 * neither gets one, as by zn5_group_create() with ZN5_LANGUAGE_AUTO. NaN and
 * the infinities are no JSON: they may stand only in a member that is stored
 * in the same way already. Messages about json begin with "json: ", those
 * about what is stored with its key.
 *
 * @param store     a store that can be written
 * @param path      the node, NUL-terminated UTF-8; "" or "/" is the root
 * @param json      a JSON object, UTF-8
 * @param json_len  its bytes, without a terminator
 * @param error     gets NULL or an error object, which the caller frees; may
 *                  be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED;
 *   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (path);
 *   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_INVALID_JSON, ZN5_ERROR_INVALID_METADATA
 *   (json, or what is stored); ZN5_ERROR_UNSUPPORTED_CODEC (Zarr version 2);
 *   ZN5_ERROR_NOT_REPRESENTABLE (an attribute has the name of a member of N5);
 *   ZN5_ERROR_READ_ONLY; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO;
 *   ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_attributes_set(const zn5_store *store, const char *path, const char *json, size_t json_len,
    zn5_error **error);

/** @} */

/* ------------------------------------------------------------------------------------------------------------------
 * Datasets
 * ------------------------------------------------------------------------------------------------------------------ */

/** @defgroup datasets Datasets
 * @{ */

/**
 * Flag of zn5_io_options: a block of 0 bytes, which a writer left that was interrupted, is taken for a missing one, not for an error.
 */
#define ZN5_IO_EMPTY_AS_MISSING 1

/**
 * Flag of zn5_io_options: blocks that hold nothing but the fill value are stored like others; else they are erased, or not written.
 */
#define ZN5_IO_WRITE_FILL 2

/**
 * Flag of zn5_io_options: N5 blocks at the array's edge are stored with the extents of a whole chunk, padded with the fill value; else cut.
 */
#define ZN5_IO_PAD_EDGES 4

/**
 * One array in a store. It never changes, and any number of threads read and write it at once.
 *
 * Made by zn5_dataset_open() or zn5_dataset_create(), freed by zn5_dataset_free(). It keeps its store alive, so that the store's handle
 * may be freed first.
 */
typedef struct zn5_dataset zn5_dataset;

/**
 * How a call reads or writes blocks. Initialise it with ZN5_IO_OPTIONS_INIT, then set what differs from the defaults.
 *
 * Zero is the default of every field. The struct may grow at its end in later releases; struct_size tells how much of it the program knows.
 */
typedef struct {
  /** sizeof(zn5_io_options). */
  size_t struct_size;
  /**
   * Threads of the call, the calling one among them: 0 for as many as cores that the process may use, 1 for the calling thread only. Not
   * more than there are blocks, nor than 256, are made. Each keeps a few blocks in memory.
   */
  uint32_t threads;
  /** 0, or ZN5_IO_... flags joined by |. */
  uint32_t flags;
  /**
   * Gets how many of how many blocks are done, on the calling thread only: at the beginning, after blocks, at the end. It must not throw or
   * jump out of zn5. A number other than 0 ends the call with ZN5_ERROR_CANCELLED. NULL if nobody wants to know.
   */
  int32_t (*progress)(void *user_data, uint64_t done, uint64_t total);
  /** Is passed to progress. */
  void *user_data;
} zn5_io_options;

/**
 * Takes one problem that zn5_dataset_verify() found. Runs on the calling thread only, before the call returns.
 *
 * It must not throw or jump out of zn5. It may call zn5, the dataset in use included.
 *
 * @param user_data  what the caller gave along
 * @param status     what is wrong with the block, as reading it would return,
 *   or with the folder of blocks, as listing it would;
 *   ZN5_ERROR_INVALID_ARGUMENT for what is no block of the array
 * @param key        the key in the store, UTF-8, not terminated; lives until the callback returns
 * @param key_len    its bytes
 * @param offset     the byte offset in the block; -1 unknown
 * @param message    what is wrong, NUL-terminated UTF-8, which lives until the callback returns; begins with the key
 * @return 0 to go on; another number ends the call with ZN5_ERROR_CANCELLED
 */
typedef int32_t (*zn5_problem_callback)(void *user_data,
                                        zn5_status status,
                                        const char *key,
                                        size_t key_len,
                                        int64_t offset,
                                        const char *message);

/**
 * Opens an array: by attributes.json if that describes one, else by zarr.json.
 *
 * What is stored later is not seen: the dataset keeps the metadata that it
 * found.
 *
 * @param store    a store, which the dataset keeps alive
 * @param path     the array, NUL-terminated UTF-8, such as "volume/s0"; "" or
 *                 "/" is the root
 * @param options  see zn5_codec_options; NULL for the defaults. Its fill_value
 *                 is what missing blocks read as, and is never stored
 * @param dataset  gets the dataset, to be freed by zn5_dataset_free(); NULL on
 *                 failure
 * @param error    gets NULL or an error object, which the caller frees; may be
 *                 NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (path,
 *   options); ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_NOT_FOUND;
 *   ZN5_ERROR_NOT_AN_ARRAY (a group); those of zn5_codec_from_n5_attributes()
 *   and zn5_codec_from_zarr_metadata(), with the key in the message;
 *   ZN5_ERROR_UNSUPPORTED_CODEC also for an array of Zarr version 2, where
 *   .zarray is the only document; ZN5_ERROR_LIMIT_EXCEEDED (a document above
 *   64 MiB); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; whatever a callback of the
 *   store returns
 */
ZN5_API zn5_status zn5_dataset_open(const zn5_store *store, const char *path, const zn5_codec_options *options,
    zn5_dataset **dataset, zn5_error **error);

/**
 * Makes a new array without blocks and opens it.
 *
 * The document is pure JSON and stored as it is given: under zarr.json if it
 * has a member `zarr_format`, else under attributes.json. What opening
 * forgives is refused here: in `compression`, members that its type has not
 * and values outside their range.
 *
 * What lies above is made as by zn5_group_create() in the document's language,
 * before the document is stored: of N5 the root gets `"n5":"4.0.0"` beside its
 * other attributes if it has no version; of Zarr all groups above are made
 * that are missing, the root included. A container of the other language stays
 * as it is: one where the nearest document above, or beside what is made, is
 * of that. An attributes.json for the root itself is given `"n5":"4.0.0"` as
 * its first member if it has no version, each other member byte for byte;
 * zn5_dataset_metadata() tells what was stored.
 *
 * @param store              a store that can be written, which the dataset
 * keeps alive
 * @param path               the array, NUL-terminated UTF-8; "" or "/" is the
 * root
 * @param metadata_json      the text of an attributes.json or zarr.json, UTF-8
 * @param metadata_json_len  its bytes, without a terminator
 * @param options            see zn5_codec_options; NULL for the defaults
 * @param dataset            gets the dataset, to be freed by
 * zn5_dataset_free(); NULL on failure
 * @param error              gets NULL or an error object, which the caller
 * frees; may be NULL
 * @return ZN5_OK; those of zn5_dataset_open() but ZN5_ERROR_NOT_FOUND, with
 *   "metadata_json: " or a key before messages about documents;
 *   ZN5_ERROR_ALREADY_EXISTS (path has either document, or one of Zarr version
 *   2); ZN5_ERROR_READ_ONLY, and then nothing was stored
 */
ZN5_API zn5_status zn5_dataset_create(const zn5_store *store, const char *path, const char *metadata_json,
    size_t metadata_json_len, const zn5_codec_options *options, zn5_dataset **dataset, zn5_error **error);

/**
 * Returns the codec of a dataset's blocks, which tells type, rank, chunk shape, fill value and compression, and decodes single blocks.
 *
 * @param dataset  a dataset, or NULL
 * @return a codec that belongs to the dataset and lives as long: not to be freed; NULL of NULL
 */
ZN5_API const zn5_codec *zn5_dataset_codec(const zn5_dataset *dataset);

/**
 * Tells the shape of the array: N5's dimensions, Zarr's shape. Its extents may be 0.
 *
 * @param dataset      a dataset
 * @param shape        gets as many extents as the dataset's codec has dimensions, axis 0 first
 * @param shape_count  the numbers that shape has room for, at least the number of dimensions
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_dataset_shape(const zn5_dataset *dataset, uint64_t *shape, size_t shape_count,
    zn5_error **error);

/**
 * Gets the metadata document, attributes.json or zarr.json, as it was stored when the dataset was opened.
 *
 * dst NULL with dst_len 0 asks for the size.
 *
 * @param dataset  a dataset
 * @param dst      gets the JSON text, UTF-8, not terminated
 * @param dst_len  the bytes that dst has room for
 * @param needed   gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
 * @param error    gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL
 */
ZN5_API zn5_status zn5_dataset_metadata(const zn5_dataset *dataset, char *dst, size_t dst_len, size_t *needed,
    zn5_error **error);

/**
 * Tells whether the array is N5 or Zarr: by which of the two documents it was
 * opened or made.
 *
 * @param dataset  a dataset, or NULL
 * @return ZN5_LANGUAGE_N5 or ZN5_LANGUAGE_ZARR; ZN5_LANGUAGE_AUTO of NULL
 */
ZN5_API zn5_language zn5_dataset_language(const zn5_dataset *dataset);

/**
 * Reads a region of the array into an image.
 *
 * Each block is decoded straight into its part of the image; of a payload that can be decoded in parts only those are decoded, and
 * checked, that the region touches. Of an uncompressed block in a folder only these bytes, and its header, are read. Missing blocks read as
 * the fill value. A block that is empty, truncated or corrupt is read once more after 20 ms if its size or time changed meanwhile, for
 * somebody may be writing it. Only bytes of the region are written, so several calls may read into one image at once if their regions
 * share no element.
 *
 * What it costs: a compressed block is decoded whole, however little of it the
 * region touches; only with lz4 and Blosc the pieces are that it touches.
 * Nothing is kept for the next call, so reading a volume plane by plane decodes
 * each block once for every plane through it. Read slabs as thick as a block
 * instead, and take the planes from memory.
 *
 * @param dataset      a dataset
 * @param offset       where in the array the region begins; NULL for zeros
 * @param extent       the extents of the region; NULL for the rest of the array
 * @param dst          the whole image; no alignment is needed
 * @param dst_len      the bytes of the whole image
 * @param dst_origin   the byte offset in the image of the region's first element
 * @param dst_strides  byte strides in the image; a negative one flips its axis; NULL for a contiguous region in the codec's order
 * @param io           see zn5_io_options; NULL for the defaults
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; after any error the content of the region is unspecified;
 *   ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (the region leaves the array, strides let elements overlap, io);
 *   ZN5_ERROR_BUFFER_TOO_SMALL (an element of the region would lie outside the image);
 *   those of zn5_decode_block() for a bad block, of several bad ones that of the first, whose key begins the message;
 *   ZN5_ERROR_LIMIT_EXCEEDED also for a value that is longer than a block can be;
 *   ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_CANCELLED by progress; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_dataset_read(const zn5_dataset *dataset, const uint64_t *offset, const uint64_t *extent,
    void *dst, size_t dst_len, size_t dst_origin, const ptrdiff_t *dst_strides, const zn5_io_options *io,
    zn5_error **error);

/**
 * Writes a region of the array from an image.
 *
 * Each block is stored whole: what a reader finds is the old block or the new one, as far as the store does that. Blocks that the region
 * covers in part are read first and keep their other elements, those that were missing get the fill value of the metadata there. A block
 * whose every element equals that fill value, bit for bit, is erased or not written, see ZN5_IO_WRITE_FILL. The result does not depend on
 * the number of threads.
 *
 * Calls at the same time by the same handle may cover parts of the same block,
 * and nothing is lost: they wait for each other, block by block. Other handles
 * of the same array, in this process or in others, are not waited for: there,
 * calls that cover parts of the same block can lose what one of them wrote. Use
 * one handle, align regions to blocks, or serialise the calls.
 *
 * @param dataset      a dataset
 * @param offset       where in the array the region begins; NULL for zeros
 * @param extent       the extents of the region; NULL for the rest of the array
 * @param src          the whole image; no alignment is needed
 * @param src_len      the bytes of the whole image
 * @param src_origin   the byte offset in the image of the region's first element
 * @param src_strides  byte strides in the image; may be negative or 0; NULL for a contiguous region in the codec's order
 * @param io           see zn5_io_options; NULL for the defaults
 * @param error        gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; after any error some blocks may have been written;
 *   ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (the region leaves the array, io, a block that N5 or its compressor cannot hold);
 *   ZN5_ERROR_SIZE_MISMATCH (an element of the region would lie outside the image); ZN5_ERROR_READ_ONLY;
 *   those of zn5_decode_block() for a block that must be completed and is bad; ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_PERMISSION;
 *   ZN5_ERROR_IO; ZN5_ERROR_CANCELLED by progress; whatever a callback of the store returns
 */
ZN5_API zn5_status zn5_dataset_write(const zn5_dataset *dataset, const uint64_t *offset, const uint64_t *extent,
    const void *src, size_t src_len, size_t src_origin, const ptrdiff_t *src_strides, const zn5_io_options *io,
    zn5_error **error);

/**
 * Reads every stored block of the array whole, checks all that can be checked, and reports what is wrong.
 *
 * Reported are blocks that cannot be read or decoded, folders of blocks that
 * cannot be listed, blocks outside the grid, and files that are no block at
 * all; missing blocks are not, nor are groups and arrays below this one.
 * Whatever is wrong in one place, the others are checked. Problems come in the
 * order of the keys, folder by folder; that of a folder has its key, and the
 * status of listing it. The call is ZN5_OK when the check was made, whatever
 * it found. Memory does not grow with the number of blocks.
 *
 * @param dataset    a dataset
 * @param callback   gets each problem
 * @param user_data  is passed to callback
 * @param io         see zn5_io_options; NULL for the defaults
 * @param error      gets NULL or an error object, which the caller frees; may be NULL
 * @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (io);
 *   ZN5_ERROR_PERMISSION, ZN5_ERROR_IO (listing the array's own folder);
 *   ZN5_ERROR_OUT_OF_MEMORY; ZN5_ERROR_CANCELLED by callback, progress or the
 *   store; whatever the store's callback list returns for the array's own
 *   folder
 */
ZN5_API zn5_status zn5_dataset_verify(const zn5_dataset *dataset, zn5_problem_callback callback, void *user_data,
    const zn5_io_options *io, zn5_error **error);

/**
 * Frees a dataset, and with it the codec that zn5_dataset_codec() gave. No other call may be using it.
 *
 * @param dataset  a dataset that is not used afterwards, or NULL
 */
ZN5_API void zn5_dataset_free(zn5_dataset *dataset);

/** @} */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ZN5_H */
