/* Compressed payloads: streams one after another, bytes behind them, streams under a sibling's name, checksums, foreign
 * and outdated formats. The blocks are put together from streams that zn5 encodes and from streams of other programs.
 */
#include "support.h"

#define CORRUPT ZN5_ERROR_CORRUPT_PAYLOAD
#define TRAILING ZN5_ERROR_TRAILING_DATA
#define MISMATCH ZN5_ERROR_PAYLOAD_SIZE_MISMATCH

#define GZIP "{\"type\":\"gzip\",\"level\":6,\"useZlib\":false}"
#define ZLIB "{\"type\":\"gzip\",\"level\":6,\"useZlib\":true}"
#define BZIP2 "{\"type\":\"bzip2\",\"blockSize\":9}"
#define XZ "{\"type\":\"xz\",\"preset\":6}"
#define LZ4 "{\"type\":\"lz4\",\"blockSize\":65536}"
#define ZSTD "{\"type\":\"zstd\",\"level\":3}"
#define BLOSC "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0}"

#define TOTAL 300 /* bytes of the chunk */
static unsigned char content[TOTAL];

/* A block under construction. */
typedef struct {
  unsigned char bytes[4096];
  size_t len;
} builder;

static void begin(builder *b, uint64_t extent) {
  b->len = write_header(b->bytes, &extent, 1);
}

static void append(builder *b, const void *bytes, size_t len) {
  REQUIRE(b->len + len <= sizeof b->bytes);
  if (len != 0)
    memcpy(b->bytes + b->len, bytes, len);
  b->len += len;
}

/* The stream of `content[from..to]`. */
static void append_stream(builder *b, const char *compression, size_t from, size_t to) {
  uint64_t shape[1];
  zn5_codec *codec;
  unsigned char *block;
  size_t len;
  shape[0] = to - from;
  codec = n5_codec("uint8", compression, 1, shape, NULL);
  block = encode_chunk(codec, content + from, to - from, &len);
  append(b, block + 8, len - 8);
  free(block);
  zn5_codec_free(codec);
}

static void append_hex(builder *b, const char *hex) {
  size_t len;
  unsigned char *bytes = from_hex(hex, &len);
  append(b, bytes, len);
  free(bytes);
}

/* Decodes `b` by default and strictly. */
static void expect(const builder *b, const char *compression, zn5_status expected, zn5_status strict) {
  static const uint64_t shape[1] = {TOTAL};
  zn5_codec_options strictly = strict_options();
  int i;
  for (i = 0; i < 2; i++) {
    zn5_codec *codec = n5_codec("uint8", compression, 1, shape, i == 0 ? NULL : &strictly);
    unsigned char dst[TOTAL];
    zn5_status status = i == 0 ? expected : strict;
    if (CHECK_STATUS(status, decode_guarded(codec, b->bytes, b->len, NULL, dst, TOTAL, ERR)) && status == ZN5_OK)
      CHECK_BYTES(content, dst, TOTAL);
    zn5_codec_free(codec);
  }
}

/* Parts of a payload: numbers are content boundaries, hexadecimal text stands for itself. */
static void policy_04_streams_in_a_row(void) {
  static const struct {
    const char *name, *compression, *before, *between, *after;
    int streams; /* of equal parts */
    zn5_status expected;
  } cases[] = {
      {"two gzip members", GZIP, "", "", "", 2, ZN5_OK},
      {"five gzip members", GZIP, "", "", "", 5, ZN5_OK},
      {"an empty gzip member first", GZIP, "1f8b080000000000000303000000000000000000", "", "", 1, ZN5_OK},
      {"an empty gzip member last", GZIP, "", "", "1f8b080000000000000303000000000000000000", 1, ZN5_OK},
      {"two bzip2 streams", BZIP2, "", "", "", 2, ZN5_OK},
      {"two xz streams", XZ, "", "", "", 2, ZN5_OK},
      {"xz streams with padding", XZ, "", "00000000", "0000000000000000", 3, ZN5_OK},
      {"two zstd frames", ZSTD, "", "", "", 2, ZN5_OK},
      {"zstd skippable frames", ZSTD, "502a4d1803000000aabbcc", "5f2a4d1800000000", "5a2a4d1801000000ff", 2, ZN5_OK},
      {"a skippable frame that is cut", ZSTD, "", "", "502a4d1803000000aabb", 1, CORRUPT},
      {"junk between zstd frames", ZSTD, "", "01", "", 2, TRAILING},
      {"no frame but a skippable one", ZSTD, "502a4d1800000000", "", "", 0, MISMATCH},
  };
  size_t i;
  int k;
  for (i = 0; i < COUNT(cases); i++) {
    builder b;
    set_case("policy_04: %s", cases[i].name);
    begin(&b, TOTAL);
    append_hex(&b, cases[i].before);
    for (k = 0; k < cases[i].streams; k++) {
      size_t part = TOTAL / (size_t)cases[i].streams;
      if (k > 0)
        append_hex(&b, cases[i].between);
      append_stream(&b, cases[i].compression, (size_t)k * part, ((size_t)k + 1) * part);
    }
    append_hex(&b, cases[i].after);
    expect(&b, cases[i].compression, cases[i].expected, cases[i].expected);
  }
}

/* Streams that end the payload, and whole streams that come twice. */
static void policy_04_streams_that_do_not_follow(void) {
  static const struct {
    const char *compression;
    zn5_status twice;
  } cases[] = {{GZIP, MISMATCH}, {ZLIB, TRAILING}, {BZIP2, MISMATCH}, {XZ, MISMATCH},
               {LZ4, TRAILING},  {ZSTD, MISMATCH}, {BLOSC, TRAILING}};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    builder b;
    set_case("policy_04: twice the whole, %s", cases[i].compression);
    begin(&b, TOTAL);
    append_stream(&b, cases[i].compression, 0, TOTAL);
    append_stream(&b, cases[i].compression, 0, TOTAL);
    expect(&b, cases[i].compression, cases[i].twice, cases[i].twice);
    if (cases[i].twice == TRAILING) {
      static const uint64_t shape[1] = {TOTAL};
      zn5_codec *codec = n5_codec("uint8", cases[i].compression, 1, shape, NULL);
      unsigned char dst[TOTAL];
      zn5_status status;
      set_case("policy_04: in two halves, %s", cases[i].compression);
      begin(&b, TOTAL);
      append_stream(&b, cases[i].compression, 0, TOTAL / 2);
      append_stream(&b, cases[i].compression, TOTAL / 2, TOTAL);
      status = decode_guarded(codec, b.bytes, b.len, NULL, dst, TOTAL, NULL);
      CHECK(status == TRAILING || status == MISMATCH);
      zn5_codec_free(codec);
    }
  }
}

static void policy_03_bytes_behind(void) {
  static const char *const compressions[] = {GZIP, ZLIB, BZIP2, XZ, LZ4, ZSTD, BLOSC};
  static const struct {
    const char *bytes;
    zn5_status expected, strict;
  } tails[] = {
      {"", ZN5_OK, ZN5_OK},
      {"00", ZN5_OK, TRAILING},
      {"00000000", ZN5_OK, TRAILING}, /* of xz: legal padding */
      {"00000000000000000000000000000000", ZN5_OK, TRAILING},
      {"000000000000000000", ZN5_OK, TRAILING},
      {"01", TRAILING, TRAILING},
      {"ffffffff", TRAILING, TRAILING},
      {"00000000000000000000000000000001", TRAILING, TRAILING},
  };
  size_t c, t;
  for (c = 0; c < COUNT(compressions); c++)
    for (t = 0; t < COUNT(tails); t++) {
      builder b;
      int padding = strcmp(compressions[c], XZ) == 0 && tails[t].strict == TRAILING && tails[t].expected == ZN5_OK &&
                    strlen(tails[t].bytes) % 8 == 0;
      set_case("policy_03: %s and then %s", compressions[c], tails[t].bytes);
      begin(&b, TOTAL);
      append_stream(&b, compressions[c], 0, TOTAL);
      append_hex(&b, tails[t].bytes);
      expect(&b, compressions[c], tails[t].expected, padding ? ZN5_OK : tails[t].strict);
      if (tails[t].expected == TRAILING) {
        builder region;
        static const uint64_t shape[1] = {TOTAL};
        zn5_codec *codec = n5_codec("uint8", compressions[c], 1, shape, NULL);
        unsigned char dst[TOTAL];
        begin(&region, TOTAL);
        append_stream(&region, compressions[c], 0, TOTAL);
        CHECK_STATUS(TRAILING, zn5_decode_block(codec, b.bytes, b.len, NULL, dst, TOTAL, ERR));
        CHECK(last_offset >= (int64_t)region.len && last_offset < (int64_t)b.len);
        zn5_codec_free(codec);
      }
    }
}

static void policy_06_sibling_names(void) {
  builder b;
  set_case("policy_06: zlib in gzip");
  begin(&b, TOTAL);
  append_stream(&b, ZLIB, 0, TOTAL);
  expect(&b, GZIP, ZN5_OK, CORRUPT);
  expect(&b, ZLIB, ZN5_OK, ZN5_OK);
  CHECK_EQUAL(0x78, b.bytes[8]); /* written as declared */
  set_case("policy_06: gzip in zlib");
  begin(&b, TOTAL);
  append_stream(&b, GZIP, 0, TOTAL);
  expect(&b, ZLIB, ZN5_OK, CORRUPT);
  expect(&b, GZIP, ZN5_OK, ZN5_OK);
  CHECK(b.bytes[8] == 0x1f && b.bytes[9] == 0x8b);
}

static void policy_07_what_is_written(void) {
  builder b;
  set_case("policy_07");
  begin(&b, TOTAL);
  append_stream(&b, LZ4, 0, TOTAL);
  CHECK_BYTES("LZ4Block", b.bytes + 8, 8);
  CHECK_BYTES("LZ4Block", b.bytes + b.len - 21, 8); /* the end mark */
  b.len -= 21;
  set_case("policy_07: no end mark");
  expect(&b, LZ4, ZN5_OK, CORRUPT);
  b.len -= 1;
  set_case("policy_07: cut");
  expect(&b, LZ4, CORRUPT, CORRUPT);
}

/* A frame tells its content's size, whatever the level; one that does not is read all the same. */
static void policy_08_content_size(void) {
  static const char *const levels[] = {"-5", "0", "1", "3", "19", "22"};
  size_t i;
  for (i = 0; i < COUNT(levels); i++) {
    char compression[64];
    builder b;
    snprintf(compression, sizeof compression, "{\"type\":\"zstd\",\"level\":%s}", levels[i]);
    set_case("policy_08: level %s", levels[i]);
    begin(&b, TOTAL);
    append_stream(&b, compression, 0, TOTAL);
    CHECK((b.bytes[8 + 4] & 0xe0) != 0); /* content size flag or single segment */
  }
}

static void policy_09_automatic_shuffle(void) {
  static const char automatic[] = "{\"type\":\"blosc\",\"cname\":\"zstd\",\"clevel\":5,\"shuffle\":-1,\"blocksize\":0}";
  static const struct {
    const char *data_type;
    int flag;
  } cases[] = {{"uint8", 4}, {"int8", 4}, {"uint16", 1}, {"float64", 1}};
  static const uint64_t chunk[1] = {1000};
  unsigned char array[8000] = {0};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = n5_codec(cases[i].data_type, automatic, 1, chunk, NULL);
    size_t size = zn5_codec_element_size(codec), len;
    unsigned char *block = encode_chunk(codec, array, 1000 * size, &len);
    set_case("policy_09: shuffle -1 of %s", cases[i].data_type);
    CHECK_EQUAL(cases[i].flag, block[8 + 2] & 7);
    CHECK_EQUAL(size, block[8 + 3]);
    free(block);
    zn5_codec_free(codec);
  }
}

/* Each byte of a checksum, one after the other. */
static void flip(const builder *b, const char *compression, size_t from, size_t to) {
  size_t at;
  for (at = from; at < to; at++) {
    builder damaged = *b;
    damaged.bytes[at] ^= 1;
    set_case("policy_10: %s, byte %lu of %lu", compression, (unsigned long)at, (unsigned long)b->len);
    expect(&damaged, compression, CORRUPT, CORRUPT);
  }
}

static void policy_10_checksums(void) {
  builder b;
  begin(&b, TOTAL);
  append_stream(&b, GZIP, 0, TOTAL);
  flip(&b, GZIP, b.len - 8, b.len);
  begin(&b, TOTAL);
  append_stream(&b, ZLIB, 0, TOTAL);
  flip(&b, ZLIB, b.len - 4, b.len);
  begin(&b, TOTAL);
  append_stream(&b, BZIP2, 0, TOTAL);
  flip(&b, BZIP2, 8 + 10, 8 + 14);
  flip(&b, BZIP2, b.len - 4, b.len - 1);
  begin(&b, TOTAL);
  append_stream(&b, XZ, 0, TOTAL);
  flip(&b, XZ, 8 + 6, 8 + 12);     /* flags of the stream and their CRC */
  flip(&b, XZ, b.len - 12, b.len); /* the footer */
  begin(&b, TOTAL);
  append_stream(&b, LZ4, 0, TOTAL);
  flip(&b, LZ4, 8 + 17, 8 + 21);
}

/* zstd writes a checksum where zarr.json asks for it; a LZ4 frame brings its own. */
static void policy_10_optional_checksums(void) {
  static const char json[] =
      "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":"
      "{\"order\":[0]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},{\"name\":\"zstd\","
      "\"configuration\":{\"level\":3,\"checksum\":true}}]}}";
  static const uint64_t shape[1] = {TOTAL}, six[1] = {6};
  zn5_codec *codec = NULL;
  builder b;
  unsigned char *block, dst[TOTAL];
  size_t len, at;
  set_case("policy_10: zstd with checksum");
  REQUIRE_OK(zn5_codec_new(json, strlen(json), ZN5_DTYPE_UINT8, 1, shape, NULL, &codec, ERR));
  block = encode_chunk(codec, content, TOTAL, &len);
  CHECK_EQUAL(4, block[8 + 4] & 4);
  begin(&b, TOTAL);
  append(&b, block + 8, len - 8);
  expect(&b, ZSTD, ZN5_OK, ZN5_OK);
  flip(&b, ZSTD, b.len - 4, b.len);
  free(block);
  zn5_codec_free(codec);

  codec = n5_codec("uint16", LZ4, 1, six, NULL);
  begin(&b, 6);
  append_hex(&b, "04224d186440a70c0000800001000200030004000500060000000041373308");
  set_case("policy_10: LZ4 frame");
  CHECK_STATUS(ZN5_OK, zn5_decode_block(codec, b.bytes, b.len, NULL, dst, TOTAL, ERR));
  for (at = b.len - 4; at < b.len; at++) {
    b.bytes[at] ^= 1;
    CHECK_STATUS(CORRUPT, zn5_decode_block(codec, b.bytes, b.len, NULL, dst, TOTAL, ERR));
    b.bytes[at] ^= 1;
  }
  zn5_codec_free(codec);
}

/* Frames of zstd before 1.0, which its old decoders would read, at the top and inside Blosc; each beside a present-day
 * frame that is read. */
static void policy_35_old_zstd(void) {
  static const struct {
    const char *compression, *payload;
    zn5_status expected;
  } cases[] = {
      {ZSTD, "28b52ffd 200c 610000 000100020003000400050006", ZN5_OK},
      {ZSTD, "27b52ffd 200c 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "26b52ffd 200c 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "25b52ffd 0c 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "24b52ffd 0c 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "23b52ffd 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "22b52ffd 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "1eb52ffd 40000c 000100020003000400050006 c00000", CORRUPT},
      {ZSTD, "fd2fb51e 40000c 000100020003000400050006 c00000", CORRUPT},
      {BLOSC, "02019001 0c000000 0c000000 2d000000 14000000 15000000 28b52ffd 200c 610000 000100020003000400050006",
       ZN5_OK},
      {BLOSC,
       "02019001 0c000000 0c000000 30000000 14000000 18000000 27b52ffd 200c 40000c 000100020003000400050006 c00000",
       CORRUPT},
      {BLOSC, "02019001 0c000000 0c000000 2e000000 14000000 16000000 23b52ffd 40000c 000100020003000400050006 c00000",
       CORRUPT},
  };
  static const uint64_t shape[1] = {6}, part[1] = {2};
  static const uint16_t expected[6] = {1, 2, 3, 4, 5, 6};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = n5_codec("uint16", cases[i].compression, 1, shape, NULL);
    builder b;
    uint16_t dst[6];
    set_case("policy_35: %s", cases[i].payload);
    begin(&b, 6);
    append_hex(&b, cases[i].payload);
    if (CHECK_STATUS(cases[i].expected, decode_guarded(codec, b.bytes, b.len, NULL, dst, sizeof dst, ERR)) &&
        cases[i].expected == ZN5_OK)
      CHECK_BYTES(expected, dst, sizeof dst);
    CHECK_STATUS(cases[i].expected,
                 zn5_decode_region(codec, b.bytes, b.len, NULL, NULL, part, dst, sizeof dst, 0, NULL, ERR));
    zn5_codec_free(codec);
  }
}

int main(void) {
  fill_runs(content, TOTAL, 11);
  policy_04_streams_in_a_row();
  policy_04_streams_that_do_not_follow();
  policy_03_bytes_behind();
  policy_06_sibling_names();
  policy_07_what_is_written();
  policy_08_content_size();
  policy_09_automatic_shuffle();
  policy_10_checksums();
  policy_10_optional_checksums();
  policy_35_old_zstd();
  return test_result();
}
