/* zn5: reads and writes N5 blocks, the Zarr v3 codec n5_default. Version @VERSION@.
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
#define ZN5_VERSION_MAJOR @MAJOR@
/** Minor version of this header. */
#define ZN5_VERSION_MINOR @MINOR@
/** Patch version of this header. */
#define ZN5_VERSION_PATCH @PATCH@
/** Version of this header as a number, major * 10000 + minor * 100 + patch, to compare with zn5_version_number(). */
#define ZN5_VERSION_NUMBER (ZN5_VERSION_MAJOR * 10000 + ZN5_VERSION_MINOR * 100 + ZN5_VERSION_PATCH)
/** Version of this header as text. */
#define ZN5_VERSION_STRING "@VERSION@"

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
