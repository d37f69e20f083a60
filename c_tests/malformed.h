/* How the decoding of each malformed vector must end, decided from the policies in docs and not from what the library
 * does: by default, and with ZN5_STRICT. Where both are ZN5_OK the vector is odd and legal. */
#ifndef ZN5_TEST_MALFORMED_H
#define ZN5_TEST_MALFORMED_H

#include "zn5.h"

typedef struct {
  const char *id;
  zn5_status expected, strict;
} malformed_case;

#define ALWAYS(id, status)                                                                                             \
  { id, ZN5_ERROR_##status, ZN5_ERROR_##status }
#define LEGAL(id)                                                                                                      \
  { id, ZN5_OK, ZN5_OK }
#define UNLESS_STRICT(id, status)                                                                                      \
  { id, ZN5_OK, ZN5_ERROR_##status }

static const malformed_case malformed_cases[] = {
    /* policy_13: other modes are named, even where the element count would fit. */
    ALWAYS("mode-1-varlength", UNSUPPORTED_BLOCK_MODE),
    ALWAYS("mode-1-as-default", UNSUPPORTED_BLOCK_MODE),
    ALWAYS("mode-2-object", UNSUPPORTED_BLOCK_MODE),
    ALWAYS("mode-7", UNSUPPORTED_BLOCK_MODE),
    /* policy_14: another rank, whatever the product, and before the extents are looked at. */
    ALWAYS("ndim-too-few", DIMENSION_MISMATCH),
    ALWAYS("ndim-too-many", DIMENSION_MISMATCH),
    ALWAYS("ndim-0", DIMENSION_MISMATCH),
    ALWAYS("ndim-65535", DIMENSION_MISMATCH),
    ALWAYS("header-little-endian", DIMENSION_MISMATCH), /* reads as 512 dimensions */
    /* policy_02, policy_05: no byte at all; a header or a raw payload that is cut. */
    ALWAYS("cut-at-0", EMPTY_BLOCK),
    ALWAYS("cut-at-1", TRUNCATED_BLOCK),
    ALWAYS("cut-at-3", TRUNCATED_BLOCK),
    ALWAYS("cut-at-4", TRUNCATED_BLOCK),
    ALWAYS("cut-at-11", TRUNCATED_BLOCK),
    ALWAYS("cut-after-header", TRUNCATED_BLOCK),
    ALWAYS("cut-last-byte", TRUNCATED_BLOCK),
    ALWAYS("cut-half", TRUNCATED_BLOCK),
    ALWAYS("dims-swapped-size", TRUNCATED_BLOCK),
    /* policy_03: whatever follows a raw payload. */
    ALWAYS("trailing-1", TRAILING_DATA),
    ALWAYS("trailing-2", TRAILING_DATA),
    ALWAYS("trailing-100", TRAILING_DATA),
    ALWAYS("raw-is-gzip", TRAILING_DATA),
    /* policy_12: an extent of 0 is legal, a payload under it is not. */
    LEGAL("dim-zero"),
    LEGAL("dim-zero-all"),
    ALWAYS("dim-zero-with-payload", PAYLOAD_SIZE_MISMATCH),
    /* policy_15: a raw size is compared with what is there before any limit, so these are cut blocks; the others ask
       for too much. */
    ALWAYS("dim-max", TRUNCATED_BLOCK),
    ALWAYS("dim-2e32-elements", TRUNCATED_BLOCK),
    ALWAYS("dim-large-first", TRUNCATED_BLOCK),
    ALWAYS("dim-max-many", TRUNCATED_BLOCK),
    ALWAYS("dim-wrap-zero", TRUNCATED_BLOCK),
    ALWAYS("dim-wrap-exact", TRUNCATED_BLOCK),
    ALWAYS("bomb-header", TRUNCATED_BLOCK),
    ALWAYS("dim-max-gzip", LIMIT_EXCEEDED),
    ALWAYS("dim-wrap-exact-zlib", LIMIT_EXCEEDED),
    ALWAYS("bomb-honest", LIMIT_EXCEEDED),
    /* policy_05, policy_10: gzip and zlib. RFC 1952 asks for an error where a reserved flag is set. */
    ALWAYS("gzip-cut-trailer", CORRUPT_PAYLOAD),
    ALWAYS("gzip-cut-half", CORRUPT_PAYLOAD),
    ALWAYS("gzip-bad-crc", CORRUPT_PAYLOAD),
    ALWAYS("gzip-bad-isize", CORRUPT_PAYLOAD),
    ALWAYS("gzip-bad-deflate", CORRUPT_PAYLOAD),
    ALWAYS("gzip-reserved-flag", CORRUPT_PAYLOAD),
    ALWAYS("gzip-empty", CORRUPT_PAYLOAD),
    ALWAYS("gzip-is-raw", CORRUPT_PAYLOAD),
    ALWAYS("gzip-short", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("gzip-long", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("gzip-trailing", TRAILING_DATA),
    ALWAYS("zlib-bad-adler", CORRUPT_PAYLOAD),
    ALWAYS("zlib-cut-adler", CORRUPT_PAYLOAD),
    ALWAYS("zlib-dictionary", CORRUPT_PAYLOAD),
    /* policy_06: either stream under either name. */
    UNLESS_STRICT("gzip-is-zlib", CORRUPT_PAYLOAD),
    UNLESS_STRICT("zlib-is-gzip", CORRUPT_PAYLOAD),
    /* bzip2 and xz. */
    ALWAYS("bzip2-bad-crc", CORRUPT_PAYLOAD),
    ALWAYS("bzip2-cut", CORRUPT_PAYLOAD),
    ALWAYS("bzip2-bad-magic", CORRUPT_PAYLOAD),
    ALWAYS("bzip2-short", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bzip2-trailing", TRAILING_DATA),
    ALWAYS("xz-bad-check", CORRUPT_PAYLOAD),
    ALWAYS("xz-cut-index", CORRUPT_PAYLOAD),
    ALWAYS("xz-bad-header-crc", CORRUPT_PAYLOAD),
    ALWAYS("xz-lzma-alone", CORRUPT_PAYLOAD),
    ALWAYS("xz-long", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("xz-trailing", TRAILING_DATA),
    /* policy_07: four formats are read, one is written; a chain that breaks its own rules is corrupt, whatever size it
       claims. */
    ALWAYS("lz4-bad-checksum", CORRUPT_PAYLOAD),
    ALWAYS("lz4-bad-magic", CORRUPT_PAYLOAD),
    ALWAYS("lz4-cut", CORRUPT_PAYLOAD),
    ALWAYS("lz4-compressed-length-large", CORRUPT_PAYLOAD),
    ALWAYS("lz4-compressed-length-negative", CORRUPT_PAYLOAD),
    ALWAYS("lz4-length-large", CORRUPT_PAYLOAD),
    ALWAYS("lz4-length-negative", CORRUPT_PAYLOAD),
    ALWAYS("lz4-bad-method", CORRUPT_PAYLOAD),
    ALWAYS("lz4-bad-offset", CORRUPT_PAYLOAD),
    ALWAYS("lz4-trailing", TRAILING_DATA),
    UNLESS_STRICT("lz4-no-end-mark", CORRUPT_PAYLOAD),
    UNLESS_STRICT("lz4-is-frame", CORRUPT_PAYLOAD),
    UNLESS_STRICT("lz4-is-bare-block", CORRUPT_PAYLOAD),
    UNLESS_STRICT("lz4-is-numcodecs", CORRUPT_PAYLOAD),
    /* policy_08: zstd. A window that the frame does not use costs nothing. */
    ALWAYS("zstd-bad-checksum", CORRUPT_PAYLOAD),
    ALWAYS("zstd-cut", CORRUPT_PAYLOAD),
    ALWAYS("zstd-bad-magic", CORRUPT_PAYLOAD),
    ALWAYS("zstd-dictionary", CORRUPT_PAYLOAD),
    ALWAYS("zstd-is-gzip", CORRUPT_PAYLOAD),
    ALWAYS("zstd-short", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("zstd-long", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("zstd-content-size-lies", CORRUPT_PAYLOAD),
    LEGAL("zstd-window-2g"),
    ALWAYS("zstd-trailing", TRAILING_DATA),
    /* policy_09: a Blosc frame describes itself. */
    ALWAYS("blosc-cut", CORRUPT_PAYLOAD),
    ALWAYS("blosc-cut-header", CORRUPT_PAYLOAD),
    ALWAYS("blosc-nbytes-small", CORRUPT_PAYLOAD), /* its block size exceeds its size */
    ALWAYS("blosc-nbytes-2g", CORRUPT_PAYLOAD),    /* it has no room for the offsets of as many blocks */
    ALWAYS("blosc-nbytes-negative", CORRUPT_PAYLOAD),
    ALWAYS("blosc-cbytes-large", CORRUPT_PAYLOAD),
    ALWAYS("blosc-blocksize-0", CORRUPT_PAYLOAD),
    ALWAYS("blosc-typesize-0", CORRUPT_PAYLOAD),
    ALWAYS("blosc-offset-past-end", CORRUPT_PAYLOAD),
    ALWAYS("blosc-unknown-codec", CORRUPT_PAYLOAD),
    ALWAYS("blosc-bad-version", CORRUPT_PAYLOAD),
    ALWAYS("blosc-corrupt", CORRUPT_PAYLOAD),
    ALWAYS("blosc-is-raw", CORRUPT_PAYLOAD),
    ALWAYS("blosc-trailing", TRAILING_DATA),
    /* policy_15: what a stream claims or expands to beyond its block is never produced. */
    ALWAYS("bomb-gzip", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bomb-zlib", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bomb-bzip2", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bomb-xz", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bomb-zstd", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bomb-lz4", PAYLOAD_SIZE_MISMATCH),
    ALWAYS("bomb-blosc", PAYLOAD_SIZE_MISMATCH),
};

#undef ALWAYS
#undef LEGAL
#undef UNLESS_STRICT

#endif /* ZN5_TEST_MALFORMED_H */
