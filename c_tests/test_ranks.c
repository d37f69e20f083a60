/* policy_16: arrays of no dimension, and of every number of dimensions up to 65535. */
#include "support.h"

#define LONG_RANK 65535

static void no_dimension(void) {
  static const double value = -2.5;
  size_t c;
  for (c = 0; c < COUNT(all_compressions); c++) {
    zn5_codec *codec = n5_codec("float64", all_compressions[c], 0, NULL, NULL);
    double back = 0;
    uint64_t size = 0;
    uint16_t mode, ndim = 77;
    size_t len, key_len = 0;
    unsigned char *block;
    char key[8];
    set_case("rank 0, %s", all_compressions[c]);
    CHECK_EQUAL(0, zn5_codec_ndim(codec));
    CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(codec, NULL, 0, ERR));
    CHECK_STATUS(ZN5_OK, zn5_codec_array_shape(codec, NULL, 0, ERR));
    CHECK_STATUS(ZN5_OK, zn5_codec_decoded_size(codec, NULL, &size, ERR));
    CHECK_EQUAL(sizeof value, size);
    block = encode_chunk(codec, &value, sizeof value, &len);
    CHECK_STATUS(ZN5_OK, zn5_block_header(block, len, &mode, &ndim, NULL, 0, &size, NULL, ERR));
    CHECK(ndim == 0 && size == 1);
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, &back, sizeof back, ERR));
    CHECK_BYTES(&value, &back, sizeof back);
    back = 0;
    CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, NULL, &back, sizeof back, 0, NULL, ERR));
    CHECK_BYTES(&value, &back, sizeof back);
    CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_decode_block(codec, block, len, NULL, &back, 7, ERR));
    CHECK_STATUS(ZN5_OK, zn5_fill_block(codec, NULL, &back, sizeof back, ERR));
    CHECK(!(back < 0) && !(back > 0));
    CHECK_STATUS(ZN5_OK, zn5_block_key(0, NULL, key, sizeof key, &key_len, ERR));
    CHECK(key_len == 1 && key[0] == '0');
    free(block);
    zn5_codec_free(codec);
  }
  set_case("rank 0 from a codec object");
  {
    static const char json[] =
        "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":"
        "{\"order\":[]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]}}";
    static const unsigned char block[] = {0, 0, 0, 0, 0x12, 0x34};
    zn5_codec *codec = NULL;
    uint16_t value = 0;
    REQUIRE_OK(zn5_codec_new(json, strlen(json), ZN5_DTYPE_UINT16, 0, NULL, NULL, &codec, ERR));
    CHECK_STATUS(ZN5_OK, zn5_decode_block(codec, block, sizeof block, NULL, &value, sizeof value, ERR));
    CHECK_EQUAL(0x1234, value);
    CHECK_STATUS(ZN5_ERROR_TRUNCATED_BLOCK, zn5_decode_block(codec, block, 5, NULL, &value, sizeof value, ERR));
    zn5_codec_free(codec);
  }
}

/* Axes of 1 to 3 elements, the raw block known byte for byte. */
static void ranks_to_eight(void) {
  static const uint64_t shape[TEST_MAX_NDIM] = {3, 2, 1, 3, 2, 1, 2, 3};
  uint32_t ndim;
  for (ndim = 1; ndim <= TEST_MAX_NDIM; ndim++) {
    zn5_codec *codec = n5_codec("uint16", NULL, ndim, shape, NULL);
    size_t len, count = (size_t)product(shape, ndim), array_len = count * 2, k;
    uint16_t *array = (uint16_t *)allocate(array_len), *back = (uint16_t *)allocate(array_len);
    unsigned char *block;
    for (k = 0; k < count; k++)
      array[k] = (uint16_t)(k * 40503u & 0xffff);
    block = make_raw_block(array, shape, ndim, 2, &len);
    set_case("rank %u", (unsigned)ndim);
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, back, array_len, ERR));
    CHECK_BYTES(array, back, array_len);
    free(block);
    free(array);
    free(back);
    zn5_codec_free(codec);
  }
}

static void append_ones(char *json, size_t rank) {
  char *end = json + strlen(json);
  size_t axis;
  for (axis = 0; axis < rank; axis++) {
    *end++ = axis == 100 ? '2' : axis + 1 == rank ? '3' : '1';
    *end++ = axis + 1 == rank ? ']' : ',';
  }
  *end = '\0';
}

static zn5_status open_rank(size_t rank, const char *compression, zn5_codec **codec) {
  char *json = (char *)allocate(4 * rank + 256);
  zn5_status status;
  strcpy(json, "{\"dimensions\":[");
  append_ones(json, rank);
  strcat(json, ",\"blockSize\":[");
  append_ones(json, rank);
  strcat(json, ",\"dataType\":\"uint8\",\"compression\":");
  strcat(json, compression);
  strcat(json, "}");
  status = zn5_codec_from_n5_attributes(json, strlen(json), NULL, codec, ERR);
  free(json);
  return status;
}

/* A message is one line that a log can take, however many numbers a shape has. */
static void check_short_message(zn5_status expected, zn5_status status, zn5_error *error) {
  CHECK_EQUAL(expected, status);
  CHECK(strlen(zn5_error_message(error)) < 400);
  zn5_error_free(error);
}

static void check_short_messages(const zn5_codec *codec, const uint64_t *shape, const unsigned char *block,
                                 size_t len) {
  zn5_error *error = NULL;
  unsigned char other[6] = {0}, dst[6];
  uint64_t size;
  size_t written;
  zn5_status status = zn5_codec_decoded_size(codec, shape, &size, &error);
  check_short_message(ZN5_ERROR_LIMIT_EXCEEDED, status, error);
  status = zn5_codec_encode_bound(codec, shape, &size, &error);
  check_short_message(ZN5_ERROR_LIMIT_EXCEEDED, status, error);
  status = zn5_decode_block(codec, block, len, shape, dst, sizeof dst, &error);
  check_short_message(ZN5_ERROR_LIMIT_EXCEEDED, status, error);
  status = zn5_decode_region(codec, block, len, shape, NULL, NULL, dst, sizeof dst, 0, NULL, &error);
  check_short_message(ZN5_ERROR_LIMIT_EXCEEDED, status, error);
  status = zn5_fill_block(codec, shape, dst, sizeof dst, &error);
  check_short_message(ZN5_ERROR_LIMIT_EXCEEDED, status, error);
  status = zn5_encode_block(codec, NULL, other, 5, dst, sizeof dst, &written, &error);
  check_short_message(ZN5_ERROR_SIZE_MISMATCH, status, error);
}

static void the_highest_rank(void) {
  static const char *const compressions[] = {"{\"type\":\"raw\"}", "{\"type\":\"zstd\"}"};
  /* Axis 100 has two elements, the last one three; in C order the last runs fastest, in the block axis 100. */
  static const unsigned char array[6] = {1, 2, 3, 4, 5, 6}, stored[6] = {1, 4, 2, 5, 3, 6};
  size_t c;
  for (c = 0; c < COUNT(compressions); c++) {
    zn5_codec *codec = NULL;
    unsigned char back[6], *block;
    uint64_t *offset = (uint64_t *)calloc(LONG_RANK, sizeof *offset),
             *extent = (uint64_t *)allocate(LONG_RANK * sizeof *extent);
    size_t len = 0, k;
    set_case("rank 65535, %s", compressions[c]);
    CHECK_STATUS(ZN5_OK, open_rank(LONG_RANK, compressions[c], &codec));
    REQUIRE(codec != NULL && offset != NULL);
    CHECK_EQUAL(LONG_RANK, zn5_codec_ndim(codec));
    block = encode_chunk(codec, array, sizeof array, &len);
    CHECK(block[2] == 0xff && block[3] == 0xff);
    if (c == 0) {
      CHECK_EQUAL(4 + 4 * LONG_RANK + 6, len);
      CHECK_BYTES(stored, block + len - 6, 6);
    }
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, back, sizeof back, ERR));
    CHECK_BYTES(array, back, sizeof back);
    for (k = 0; k < LONG_RANK; k++)
      extent[k] = 1;
    offset[100] = 1;
    offset[LONG_RANK - 1] = 1;
    CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, offset, extent, back, 1, 0, NULL, ERR));
    CHECK_EQUAL(5, back[0]);
    set_case("rank 65535, %s, messages", compressions[c]);
    for (k = 0; k < LONG_RANK; k++)
      extent[k] = 2;
    check_short_messages(codec, extent, block, len);
    free(block);
    free(offset);
    free(extent);
    zn5_codec_free(codec);
  }
  set_case("rank 65536");
  {
    zn5_codec *codec = NULL;
    CHECK_STATUS(ZN5_ERROR_INVALID_METADATA, open_rank(LONG_RANK + 1, compressions[0], &codec));
    CHECK(codec == NULL);
  }
}

int main(void) {
  no_dimension();
  ranks_to_eight();
  the_highest_rank();
  return test_result();
}
