/* policy_15: what a block may ask for is limited, at decode and at encode, and a small block that expands is refused in
 * no time. */
#include "support.h"

#define MIB (UINT64_C(1) << 20)

/* Any raw or compressed block of these extents, its payload replaced. */
static size_t with_header(unsigned char *dst, const uint64_t *shape, uint32_t ndim, const unsigned char *payload,
                          size_t len) {
  size_t header_len = write_header(dst, shape, ndim);
  memcpy(dst + header_len, payload, len);
  return header_len + len;
}

static void the_caller_s_limit(void) {
  static const uint64_t chunk[1] = {100}, larger[1] = {101};
  size_t c;
  for (c = 0; c < COUNT(all_compressions); c++) {
    zn5_codec_options options = default_options();
    zn5_codec *any = n5_codec("uint8", all_compressions[c], 1, chunk, NULL), *limited;
    unsigned char array[101] = {0}, block[512], dst[101];
    size_t len, other;
    uint64_t bound;
    set_case("%s", all_compressions[c]);
    options.max_decoded_bytes = 100;
    limited = n5_codec("uint8", all_compressions[c], 1, chunk, &options);
    CHECK_STATUS(ZN5_OK, zn5_encode_block(any, larger, array, 101, block, sizeof block, &len, ERR));
    CHECK_STATUS(ZN5_OK, zn5_decode_block(any, block, len, larger, dst, sizeof dst, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_decode_block(limited, block, len, larger, dst, sizeof dst, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_decode_block(limited, block, len, NULL, dst, sizeof dst, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED,
                 zn5_decode_region(limited, block, len, NULL, NULL, NULL, dst, 100, 0, NULL, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_codec_encode_bound(limited, larger, &bound, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED,
                 zn5_encode_block(limited, larger, array, 101, block, sizeof block, &other, ERR));
    CHECK_STATUS(ZN5_OK, zn5_encode_block(limited, NULL, array, 100, block, sizeof block, &len, ERR));
    CHECK_STATUS(ZN5_OK, zn5_decode_block(limited, block, len, NULL, dst, sizeof dst, ERR));
    zn5_codec_free(any);
    zn5_codec_free(limited);
  }
}

/* Without a limit of the caller's, a block beyond its chunk may have 64 MiB or 16 chunks. The payload need not exist.
 */
static void limits_of_oversize_blocks(void) {
  static const unsigned char no_payload[1] = {0};
  static const struct {
    const char *name;
    uint64_t chunk, stored, limit;
    zn5_status expected;
  } cases[] = {
      {"64 MiB", 8, 64 * MIB, 0, ZN5_ERROR_CORRUPT_PAYLOAD},
      {"one byte more", 8, 64 * MIB + 1, 0, ZN5_ERROR_LIMIT_EXCEEDED},
      {"16 chunks", 8 * MIB, 128 * MIB, 0, ZN5_ERROR_CORRUPT_PAYLOAD},
      {"more than 16 chunks", 8 * MIB, 128 * MIB + 1, 0, ZN5_ERROR_LIMIT_EXCEEDED},
      {"the chunk itself may be larger", 1024 * MIB, 1024 * MIB, 0, ZN5_ERROR_CORRUPT_PAYLOAD},
      {"2^31 - 1", 4096 * MIB - 1, 2048 * MIB - 1, 0, ZN5_ERROR_CORRUPT_PAYLOAD},
      {"2^31", 4096 * MIB - 1, 2048 * MIB, 0, ZN5_ERROR_LIMIT_EXCEEDED},
      {"as the caller allows", 8, 65 * MIB, 65 * MIB, ZN5_ERROR_CORRUPT_PAYLOAD},
      {"more than the caller allows", 8, 65 * MIB + 1, 65 * MIB, ZN5_ERROR_LIMIT_EXCEEDED},
      {"beyond 2^31, as the caller allows", 8, 3000 * MIB, 4000 * MIB, ZN5_ERROR_CORRUPT_PAYLOAD},
  };
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    static const uint64_t one[1] = {1};
    zn5_codec_options options = default_options();
    zn5_codec *codec;
    unsigned char block[16], dst[1];
    size_t len = with_header(block, &cases[i].stored, 1, no_payload, 0);
    options.max_decoded_bytes = cases[i].limit;
    codec = n5_codec("uint8", "{\"type\":\"zstd\"}", 1, &cases[i].chunk, &options);
    set_case("%s", cases[i].name);
    CHECK_STATUS(cases[i].expected, zn5_decode_block(codec, block, len, one, dst, sizeof dst, ERR));
    if (cases[i].expected == ZN5_ERROR_LIMIT_EXCEEDED)
      CHECK_EQUAL(4, last_offset); /* where the extents begin */
    zn5_codec_free(codec);
  }
  set_case("a raw block is compared with its length first");
  {
    static const uint64_t chunk[1] = {8}, huge[1] = {UINT32_MAX};
    zn5_codec *codec = n5_codec("uint8", NULL, 1, chunk, NULL);
    unsigned char block[16], dst[8];
    size_t len = with_header(block, huge, 1, no_payload, 1);
    CHECK_STATUS(ZN5_ERROR_TRUNCATED_BLOCK, zn5_decode_block(codec, block, len, NULL, dst, sizeof dst, ERR));
    zn5_codec_free(codec);
  }
}

/* With a limit of the caller's, extents go up to what the header of N5 holds, and payloads as far as the limit; but
 * with Blosc. */
static void policy_45_what_java_cannot_read(void) {
  static const struct {
    uint64_t extent, limit;
    const char *compression;
    zn5_status expected;
  } cases[] = {
      {2048 * MIB, 2048 * MIB, "{\"type\":\"raw\"}", ZN5_OK},
      {2048 * MIB + 5, UINT64_MAX, "{\"type\":\"gzip\"}", ZN5_OK},
      {UINT32_MAX, UINT32_MAX, "{\"type\":\"raw\"}", ZN5_OK},
      {UINT32_MAX, UINT64_MAX, "{\"type\":\"zstd\"}", ZN5_OK},
      {UINT32_MAX, UINT64_MAX, "{\"type\":\"bzip2\"}", ZN5_OK},
      {UINT32_MAX, UINT64_MAX, "{\"type\":\"lz4\"}", ZN5_OK},
      {UINT32_MAX, UINT64_MAX, "{\"type\":\"xz\"}", ZN5_OK},
      {UINT32_MAX, UINT64_MAX, "{\"type\":\"blosc\"}", ZN5_ERROR_INVALID_ARGUMENT},
      {2048 * MIB - 17, UINT64_MAX, "{\"type\":\"blosc\"}", ZN5_OK},
      {2048 * MIB - 16, UINT64_MAX, "{\"type\":\"blosc\"}", ZN5_ERROR_INVALID_ARGUMENT},
      {4096 * MIB, UINT64_MAX, "{\"type\":\"raw\"}", ZN5_ERROR_INVALID_ARGUMENT},
      {UINT32_MAX, UINT32_MAX - 1, "{\"type\":\"raw\"}", ZN5_ERROR_LIMIT_EXCEEDED},
      {UINT32_MAX, 0, "{\"type\":\"raw\"}", ZN5_ERROR_LIMIT_EXCEEDED},
  };
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec_options options = default_options();
    zn5_codec *codec;
    uint64_t bound = 0;
    options.max_decoded_bytes = cases[i].limit;
    codec = n5_codec("uint8", cases[i].compression, 1, &cases[i].extent, &options);
    set_case("%s, %" PRIu64 " of %" PRIu64, cases[i].compression, cases[i].extent, cases[i].limit);
    CHECK_STATUS(cases[i].expected, zn5_codec_encode_bound(codec, NULL, &bound, ERR));
    if (cases[i].expected == ZN5_ERROR_LIMIT_EXCEEDED)
      CHECK_MESSAGE("max_decoded_bytes");
    else if (cases[i].expected == ZN5_ERROR_INVALID_ARGUMENT)
      CHECK_MESSAGE(cases[i].extent > UINT32_MAX ? "4294967295" : "another compressor");
    else if (strstr(cases[i].compression, "raw") != NULL)
      CHECK_EQUAL(cases[i].extent + 8, bound);
    zn5_codec_free(codec);
  }
}

#ifdef _WIN32
static double cpu_milliseconds(void) {
  return 0;
}
#else
static double cpu_milliseconds(void) {
  struct timespec now;
  REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
#endif

/* 64 MiB of zeros, encoded by zn5 itself, their payload put behind the header of 12 bytes: refused within 10 ms of this
 * thread's time. */
static void bombs(void) {
  static const char *const compressions[] = {"{\"type\":\"gzip\",\"level\":1}",
                                             "{\"type\":\"gzip\",\"level\":1,\"useZlib\":true}",
                                             "{\"type\":\"zstd\",\"level\":1}"};
  static const uint64_t large[1] = {64 * MIB}, small[1] = {12};
  unsigned char *array = (unsigned char *)calloc((size_t)large[0], 1);
  size_t c;
  REQUIRE(array != NULL);
  for (c = 0; c < COUNT(compressions); c++) {
    zn5_codec *writer = n5_codec("uint8", compressions[c], 1, large, NULL);
    zn5_codec *reader = n5_codec("uint8", compressions[c], 1, small, NULL);
    size_t len, bomb_len, round;
    unsigned char *block = encode_chunk(writer, array, (size_t)large[0], &len), dst[12];
    unsigned char *bomb = (unsigned char *)allocate(len);
    double best = 1e9;
    bomb_len = with_header(bomb, small, 1, block + 8, len - 8);
    set_case("%s, %lu bytes", compressions[c], (unsigned long)bomb_len);
    CHECK(bomb_len < 1 << 20);
    for (round = 0; round < 3; round++) {
      double before = cpu_milliseconds(), taken;
      CHECK_STATUS(ZN5_ERROR_PAYLOAD_SIZE_MISMATCH,
                   zn5_decode_block(reader, bomb, bomb_len, NULL, dst, sizeof dst, ERR));
      taken = cpu_milliseconds() - before;
      if (taken < best)
        best = taken;
    }
    if (!instrumented() && best >= 10)
      fail_at(__FILE__, __LINE__, "took %.1f ms", best);
    free(bomb);
    free(block);
    zn5_codec_free(reader);
    zn5_codec_free(writer);
  }
  free(array);
}

int main(void) {
  the_caller_s_limit();
  limits_of_oversize_blocks();
  policy_45_what_java_cannot_read();
  if (!instrumented())
    bombs();
  return test_result();
}
