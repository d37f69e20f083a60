/* Text results by two calls: the size, then the text, of exactly that size and without a terminator. */
#include "support.h"

#define LONG_RANK 65535

/* Fetches a text by both ways of calling; NUL-terminated here, to be freed. */
static char *fetch(zn5_status (*call)(const void *, char *, size_t, size_t *, zn5_error **), const void *argument) {
  size_t needed = 77, len = 77;
  char *text;
  guarded exact, small;
  CHECK_STATUS(ZN5_OK, call(argument, NULL, 0, &needed, ERR));
  exact = guard_after(needed);
  CHECK_STATUS(ZN5_OK, call(argument, (char *)exact.bytes, needed, &len, ERR));
  CHECK_EQUAL(needed, len);
  text = (char *)allocate(needed + 1);
  memcpy(text, exact.bytes, needed);
  text[needed] = '\0';
  CHECK_EQUAL(needed, strlen(text));
  GUARD_FREE(exact);
  small = guard_after(needed - 1);
  len = 77;
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, call(argument, (char *)small.bytes, needed - 1, &len, ERR));
  CHECK_EQUAL(needed, len);
  GUARD_FREE(small);
  len = 77;
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, call(argument, text, 0, &len, ERR));
  CHECK_EQUAL(needed, len);
  return text;
}

static zn5_status to_json(const void *codec, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  return zn5_codec_to_json((const zn5_codec *)codec, dst, dst_len, needed, error);
}

typedef struct {
  uint32_t ndim;
  const uint64_t *grid;
} position;

static zn5_status block_key(const void *argument, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  const position *at = (const position *)argument;
  return zn5_block_key(at->ndim, at->grid, dst, dst_len, needed, error);
}

static void policy_16_keys(void) {
  static const uint64_t grid[4] = {0, 3, UINT64_MAX, 1000000};
  static const char *const expected[] = {"0", "0", "0/3", "0/3/18446744073709551615",
                                         "0/3/18446744073709551615/1000000"};
  position at = {0, grid};
  uint64_t *zeros = (uint64_t *)calloc(LONG_RANK, sizeof *zeros);
  size_t needed;
  for (at.ndim = 0; at.ndim <= 4; at.ndim++) {
    char *text;
    set_case("a key of rank %u", (unsigned)at.ndim);
    text = fetch(block_key, &at);
    CHECK_TEXT(expected[at.ndim], text);
    free(text);
  }
  set_case("a key of the highest rank");
  REQUIRE(zeros != NULL);
  CHECK_STATUS(ZN5_OK, zn5_block_key(LONG_RANK, zeros, NULL, 0, &needed, ERR));
  CHECK_EQUAL(2 * LONG_RANK - 1, needed);
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_block_key(LONG_RANK + 1, zeros, NULL, 0, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_block_key(UINT32_MAX, zeros, NULL, 0, &needed, ERR));
  free(zeros);
}

#define START                                                                                                          \
  "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]" \
  "}},"
#define BYTES "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"

/* policy_19, policy_32: the parameters as the metadata have them, the defaults where they have none; blosc of N5 gets
 * its typesize. */
static void codec_objects(void) {
  static const struct {
    const char *compression, *third;
  } cases[] = {
      {"{\"type\":\"raw\"}", ""},
      {"{\"type\":\"gzip\",\"level\":-1}", ",{\"name\":\"gzip\",\"configuration\":{\"level\":6}}"},
      {"{\"type\":\"gzip\"}", ",{\"name\":\"gzip\",\"configuration\":{\"level\":6}}"},
      {"{\"type\":\"gzip\",\"level\":0}", ",{\"name\":\"gzip\",\"configuration\":{\"level\":0}}"},
      {"{\"type\":\"zstd\"}", ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}"},
      {"{\"type\":\"zstd\",\"level\":-5}", ",{\"name\":\"zstd\",\"configuration\":{\"level\":-5,\"checksum\":false}}"},
      {"{\"type\":\"gzip\",\"useZlib\":true,\"level\":2}",
       ",{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":2}}"},
      {"{\"type\":\"bzip2\"}", ",{\"name\":\"numcodecs.bz2\",\"configuration\":{\"level\":9}}"},
      {"{\"type\":\"blosc\"}", ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"blosclz\",\"clevel\":6,\"shuffle\":"
                               "\"noshuffle\",\"typesize\":2,\"blocksize\":0}}"},
      {"{\"type\":\"blosc\",\"cname\":\"zstd\",\"clevel\":9,\"shuffle\":2,\"blocksize\":0}",
       ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"zstd\",\"clevel\":9,\"shuffle\":\"bitshuffle\","
       "\"typesize\":2,"
       "\"blocksize\":0}}"},
  };
  static const uint64_t chunk[2] = {3, 2};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = n5_codec("uint16", cases[i].compression, 2, chunk, NULL), *again = NULL;
    char expected[512], *text, *second;
    set_case("%s", cases[i].compression);
    snprintf(expected, sizeof expected, "%s%s%s]}}", START, BYTES, cases[i].third);
    text = fetch(to_json, codec);
    CHECK_TEXT(expected, text);
    REQUIRE_OK(zn5_codec_new(text, strlen(text), ZN5_DTYPE_UINT16, 2, chunk, NULL, &again, ERR));
    second = fetch(to_json, again);
    CHECK_TEXT(text, second);
    CHECK_TEXT(zn5_codec_compression(codec), zn5_codec_compression(again));
    free(text);
    free(second);
    zn5_codec_free(codec);
    zn5_codec_free(again);
  }
  set_case("xz");
  {
    zn5_codec *codec = n5_codec("uint16", "{\"type\":\"xz\",\"preset\":4}", 2, chunk, NULL);
    char *text = fetch(to_json, codec);
    CHECK(strstr(text, "numcodecs.lzma") != NULL && strstr(text, "\"preset\":4") != NULL &&
          strstr(text, "\"format\":1") != NULL);
    free(text);
    zn5_codec_free(codec);
  }
  set_case("lz4 has no Zarr equivalent");
  {
    zn5_codec *codec = n5_codec("uint16", "{\"type\":\"lz4\"}", 2, chunk, NULL);
    size_t needed = 77;
    CHECK_STATUS(ZN5_ERROR_NOT_REPRESENTABLE, zn5_codec_to_json(codec, NULL, 0, &needed, ERR));
    CHECK_MESSAGE("lz4");
    CHECK_EQUAL(77, needed);
    zn5_codec_free(codec);
  }
}

int main(void) {
  policy_16_keys();
  codec_objects();
  return test_result();
}
