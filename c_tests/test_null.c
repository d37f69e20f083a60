/* NULL for each pointer of each function: an error where one is needed, never a crash; NULL with length 0 is an empty
 * buffer. Lengths that no memory has are refused. */
#include "support.h"

#define NULL_POINTER ZN5_ERROR_NULL_POINTER
#define TOO_SMALL ZN5_ERROR_BUFFER_TOO_SMALL
#define TOO_LARGE ZN5_ERROR_LIMIT_EXCEEDED

static const char attributes[] =
    "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}}";
static const char object[] =
    "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":"
    "{\"order\":[1,0]}},{\"name\":\"bytes\"}]}}";
static const char zarr[] =
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[3,2],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":"
    "\"regular\","
    "\"configuration\":{\"chunk_shape\":[3,2]}},\"chunk_key_encoding\":{\"name\":\"v2\",\"configuration\":{"
    "\"separator\":\"/\"}},"
    "\"fill_value\":0,\"codecs\":[{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\","
    "\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\"}]}}]}";
static const uint64_t chunk[2] = {3, 2};

static void constructors(void) {
  zn5_codec *codec = NULL;
  set_case("dtype_parse");
  {
    zn5_dtype dtype;
    CHECK_STATUS(NULL_POINTER, zn5_dtype_parse(NULL, 5, &dtype, ERR));
    CHECK_STATUS(NULL_POINTER, zn5_dtype_parse("uint8", 5, NULL, ERR));
    CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5_dtype_parse(NULL, 0, &dtype, ERR));
    CHECK_STATUS(TOO_LARGE, zn5_dtype_parse("uint8", SIZE_MAX, &dtype, ERR));
    CHECK_EQUAL(NULL_POINTER, zn5_dtype_parse(NULL, 5, NULL, NULL));
  }
  set_case("codec_new");
  CHECK_STATUS(NULL_POINTER, zn5_codec_new(NULL, 5, ZN5_DTYPE_UINT8, 2, chunk, NULL, &codec, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_codec_new(NULL, 0, ZN5_DTYPE_UINT8, 2, chunk, NULL, &codec, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_new(object, strlen(object), ZN5_DTYPE_UINT8, 2, NULL, NULL, &codec, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_new(object, strlen(object), ZN5_DTYPE_UINT8, 2, chunk, NULL, NULL, ERR));
  CHECK_STATUS(TOO_LARGE, zn5_codec_new(object, SIZE_MAX, ZN5_DTYPE_UINT8, 2, chunk, NULL, &codec, ERR));
  CHECK_EQUAL(NULL_POINTER, zn5_codec_new(NULL, 5, ZN5_DTYPE_UINT8, 2, NULL, NULL, NULL, NULL));
  set_case("codec_from_zarr_metadata");
  CHECK_STATUS(NULL_POINTER, zn5_codec_from_zarr_metadata(NULL, 5, NULL, &codec, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_codec_from_zarr_metadata(NULL, 0, NULL, &codec, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_from_zarr_metadata(zarr, strlen(zarr), NULL, NULL, ERR));
  CHECK_STATUS(TOO_LARGE, zn5_codec_from_zarr_metadata(zarr, SIZE_MAX, NULL, &codec, ERR));
  set_case("codec_from_n5_attributes");
  CHECK_STATUS(NULL_POINTER, zn5_codec_from_n5_attributes(NULL, 5, NULL, &codec, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_codec_from_n5_attributes(NULL, 0, NULL, &codec, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_from_n5_attributes(attributes, strlen(attributes), NULL, NULL, ERR));
  CHECK_STATUS(TOO_LARGE, zn5_codec_from_n5_attributes(attributes, SIZE_MAX, NULL, &codec, ERR));
  CHECK(codec == NULL);
}

static void accessors(const zn5_codec *codec) {
  uint64_t shape[2], size;
  unsigned char dst[16];
  size_t needed;
  set_case("chunk_shape, array_shape");
  CHECK_STATUS(NULL_POINTER, zn5_codec_chunk_shape(NULL, shape, 2, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_chunk_shape(codec, NULL, 2, ERR));
  CHECK_STATUS(TOO_SMALL, zn5_codec_chunk_shape(codec, NULL, 0, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_array_shape(NULL, shape, 2, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_array_shape(codec, NULL, 2, ERR));
  set_case("fill_value");
  CHECK_STATUS(NULL_POINTER, zn5_codec_fill_value(NULL, dst, 1, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_fill_value(codec, NULL, 1, ERR));
  CHECK_STATUS(TOO_SMALL, zn5_codec_fill_value(codec, NULL, 0, ERR));
  set_case("to_json");
  CHECK_STATUS(NULL_POINTER, zn5_codec_to_json(NULL, NULL, 0, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_to_json(codec, NULL, 9, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_to_json(codec, NULL, 0, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_to_json(codec, (char *)dst, sizeof dst, NULL, ERR));
  set_case("decoded_size, encode_bound");
  CHECK_STATUS(NULL_POINTER, zn5_codec_decoded_size(NULL, chunk, &size, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_decoded_size(codec, chunk, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_encode_bound(NULL, chunk, &size, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_codec_encode_bound(codec, chunk, NULL, ERR));
  set_case("block_key");
  CHECK_STATUS(NULL_POINTER, zn5_block_key(2, NULL, NULL, 0, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_block_key(2, chunk, NULL, 4, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_block_key(2, chunk, (char *)dst, sizeof dst, NULL, ERR));
  CHECK_STATUS(ZN5_OK, zn5_block_key(0, NULL, NULL, 0, &needed, ERR));
}

static void blocks(const zn5_codec *codec) {
  static const unsigned char block[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};
  static const unsigned char array[6] = {1, 4, 2, 5, 3, 6};
  unsigned char dst[64];
  uint64_t shape[2];
  uint16_t mode;
  size_t written;
  set_case("block_header");
  CHECK_STATUS(NULL_POINTER, zn5_block_header(NULL, 12, &mode, NULL, NULL, 0, NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_block_header(block, 18, NULL, NULL, NULL, 0, NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_block_header(block, 18, &mode, NULL, NULL, 2, NULL, NULL, ERR));
  CHECK_STATUS(TOO_LARGE, zn5_block_header(block, SIZE_MAX, &mode, NULL, shape, 2, NULL, NULL, ERR));
  set_case("decode_block");
  CHECK_STATUS(NULL_POINTER, zn5_decode_block(NULL, block, 18, NULL, dst, 6, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_decode_block(codec, NULL, 18, NULL, dst, 6, ERR));
  CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_decode_block(codec, NULL, 0, NULL, dst, 6, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_decode_block(codec, block, 18, NULL, NULL, 6, ERR));
  CHECK_STATUS(TOO_SMALL, zn5_decode_block(codec, block, 18, NULL, NULL, 0, ERR));
  CHECK_STATUS(TOO_LARGE, zn5_decode_block(codec, block, (size_t)PTRDIFF_MAX + 1, NULL, NULL, 0, ERR));
  CHECK_EQUAL(NULL_POINTER, zn5_decode_block(NULL, NULL, 0, NULL, NULL, 0, NULL));
  set_case("decode_region");
  CHECK_STATUS(NULL_POINTER, zn5_decode_region(NULL, block, 18, NULL, NULL, NULL, dst, 6, 0, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_decode_region(codec, NULL, 18, NULL, NULL, NULL, dst, 6, 0, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_decode_region(codec, NULL, 0, NULL, NULL, NULL, dst, 6, 0, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_decode_region(codec, block, 18, NULL, NULL, NULL, NULL, 6, 0, NULL, ERR));
  CHECK_STATUS(TOO_SMALL, zn5_decode_region(codec, block, 18, NULL, NULL, NULL, NULL, 0, 0, NULL, ERR));
  set_case("encode_block");
  CHECK_STATUS(NULL_POINTER, zn5_encode_block(NULL, NULL, array, 6, dst, sizeof dst, &written, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_encode_block(codec, NULL, NULL, 6, dst, sizeof dst, &written, ERR));
  CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH, zn5_encode_block(codec, NULL, NULL, 0, dst, sizeof dst, &written, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_encode_block(codec, NULL, array, 6, NULL, sizeof dst, &written, ERR));
  CHECK_STATUS(TOO_SMALL, zn5_encode_block(codec, NULL, array, 6, NULL, 0, &written, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_encode_block(codec, NULL, array, 6, dst, sizeof dst, NULL, ERR));
  set_case("encode_region");
  CHECK_STATUS(NULL_POINTER, zn5_encode_region(NULL, NULL, array, 6, 0, NULL, dst, sizeof dst, &written, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_encode_region(codec, NULL, NULL, 6, 0, NULL, dst, sizeof dst, &written, ERR));
  CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH,
               zn5_encode_region(codec, NULL, NULL, 0, 0, NULL, dst, sizeof dst, &written, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_encode_region(codec, NULL, array, 6, 0, NULL, NULL, sizeof dst, &written, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_encode_region(codec, NULL, array, 6, 0, NULL, dst, sizeof dst, NULL, ERR));
  set_case("fill_block");
  CHECK_STATUS(NULL_POINTER, zn5_fill_block(NULL, NULL, dst, 6, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_fill_block(codec, NULL, NULL, 6, ERR));
  CHECK_STATUS(TOO_SMALL, zn5_fill_block(codec, NULL, NULL, 0, ERR));
  CHECK_STATUS(TOO_LARGE, zn5_fill_block(codec, NULL, dst, SIZE_MAX, ERR));
}

int main(void) {
  zn5_codec *codec = codec_from_attributes(attributes, NULL);
  constructors();
  accessors(codec);
  blocks(codec);
  zn5_codec_free(codec);
  return test_result();
}
