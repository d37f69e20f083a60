/* Three N5 blocks with their metadata and what they decode to, for the programs that try an installed zn5. Written by
 * N5 (Java), or by hand after its specification.
 */

#ifndef CASES_H
#define CASES_H

#include <stddef.h>
#include <stdint.h>

typedef struct block_case {
  const char *name;
  const char *attributes;
  const unsigned char *block;
  size_t block_len;
  const uint16_t *expected;
  size_t expected_count;
} block_case;

/* The example of N5's README, from Java's GZIPOutputStream. */
static const unsigned char gzip_block[] = {
    0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03,
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x63, 0x60, 0x64, 0x60, 0x62, 0x60,
    0x66, 0x60, 0x61, 0x60, 0x65, 0x60, 0x03, 0x00, 0xaa, 0xea, 0x6d, 0xbf, 0x0c, 0x00, 0x00, 0x00,
};
static const uint16_t gzip_expected[] = {1, 3, 5, 2, 4, 6};

/* Blosc with Java's default parameters, which stores 0 to 63 as they are. */
#define ROW(n) 0, (n), 0, (n) + 1, 0, (n) + 2, 0, (n) + 3, 0, (n) + 4, 0, (n) + 5, 0, (n) + 6, 0, (n) + 7
static const unsigned char blosc_block[] = {
    0x00, 0x00, 0x00, 0x02, 0x00,   0x00,   0x00,    0x08,    0x00,    0x00,    0x00,    0x08,
    0x02, 0x01, 0x02, 0x01, 0x80,   0x00,   0x00,    0x00,    0x80,    0x00,    0x00,    0x00,
    0x90, 0x00, 0x00, 0x00, ROW(0), ROW(8), ROW(16), ROW(24), ROW(32), ROW(40), ROW(48), ROW(56),
};
#undef ROW
#define COLUMN(n) (n), (n) + 8, (n) + 16, (n) + 24, (n) + 32, (n) + 40, (n) + 48, (n) + 56
static const uint16_t blosc_expected[] = {
    COLUMN(0), COLUMN(1), COLUMN(2), COLUMN(3), COLUMN(4), COLUMN(5), COLUMN(6), COLUMN(7),
};
#undef COLUMN

/* A zstd frame that tells its size and stores 1 to 6 as they are. */
static const unsigned char zstd_block[] = {
    0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x28, 0xb5, 0x2f, 0xfd, 0x20,
    0x0c, 0x61, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00, 0x03, 0x00, 0x04, 0x00, 0x05, 0x00, 0x06,
};
static const uint16_t zstd_expected[] = {1, 4, 2, 5, 3, 6};

static const block_case block_cases[] = {
    {"gzip",
     "{\"dimensions\":[1,2,3],\"blockSize\":[1,2,3],\"dataType\":\"uint16\",\"compression\":{\"type\":\"gzip\","
     "\"level\":-1}}",
     gzip_block, sizeof gzip_block, gzip_expected, sizeof gzip_expected / sizeof *gzip_expected},
    {"blosc",
     "{\"dimensions\":[8,8],\"blockSize\":[8,8],\"dataType\":\"uint16\",\"compression\":"
     "{\"type\":\"blosc\",\"cname\":\"blosclz\",\"clevel\":6,\"shuffle\":0,\"blocksize\":0,\"nthreads\":1}}",
     blosc_block, sizeof blosc_block, blosc_expected, sizeof blosc_expected / sizeof *blosc_expected},
    {"zstd",
     "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"zstd\",\"level\":0}"
     "}",
     zstd_block, sizeof zstd_block, zstd_expected, sizeof zstd_expected / sizeof *zstd_expected},
};

enum { block_case_count = sizeof block_cases / sizeof *block_cases, block_case_most_elements = 64 };

#endif
