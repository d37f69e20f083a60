/* Codecs from the three kinds of text: what they say of themselves, and on failure a NULL handle, whatever was in it.
 */
#include "support.h"

#define ZARR(shape, type, chunk, fill, codecs)                                                                         \
  "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":" shape ",\"data_type\":\"" type                               \
  "\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":" chunk                                  \
  "}},\"chunk_key_encoding\":{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}},\"fill_value\":" fill           \
  ",\"codecs\":[" codecs "]}"
#define N5(order, more)                                                                                                \
  "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":{"                \
  "\"order\":" order "}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}" more "]}}"
#define BYTES "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define GZIP ",{\"name\":\"gzip\",\"configuration\":{\"level\":5}}"
#define ZSTD ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}"
#define ATTRIBUTES(members) "{\"dimensions\":[5,2],\"blockSize\":[3,2],\"dataType\":\"uint16\"," members "}"
#define COMPRESSION(members) ATTRIBUTES("\"compression\":{" members "}")

enum { ATTRIBUTES_JSON, ZARR_JSON, CODEC_JSON };

static const struct {
  const char *name, *json;
  int kind;
  zn5_status expected;
} cases[] = {
    {"attributes", COMPRESSION("\"type\":\"gzip\",\"level\":-1"), ATTRIBUTES_JSON, ZN5_OK},
    {"zarr", ZARR("[5,2]", "uint16", "[3,2]", "7", N5("[1,0]", GZIP)), ZARR_JSON, ZN5_OK},
    {"codec", N5("[1,0]", GZIP), CODEC_JSON, ZN5_OK},
    {"policy_23: compressionType", ATTRIBUTES("\"compressionType\":\"gzip\""), ATTRIBUTES_JSON, ZN5_OK},
    {"policy_23: an unknown compressionType", ATTRIBUTES("\"compressionType\":\"zip\""), ATTRIBUTES_JSON,
     ZN5_ERROR_UNSUPPORTED_COMPRESSION},
    {"policy_23: n5 \"2\"", ATTRIBUTES("\"n5\":\"2\",\"compression\":{\"type\":\"raw\"}"), ATTRIBUTES_JSON, ZN5_OK},
    {"policy_23: n5 \"4.0.0\"", ATTRIBUTES("\"n5\":\"4.0.0\",\"compression\":{\"type\":\"raw\"}"), ATTRIBUTES_JSON,
     ZN5_OK},
    {"policy_23: n5 \"5.0.0\"", ATTRIBUTES("\"n5\":\"5.0.0\",\"compression\":{\"type\":\"raw\"}"), ATTRIBUTES_JSON,
     ZN5_ERROR_INVALID_METADATA},
    {"policy_23: comments and unknown members",
     "/* by hand */ " ATTRIBUTES("\"x\":[1,{}], // end\n \"compression\":{\"type\":\"raw\"}"), ATTRIBUTES_JSON, ZN5_OK},
    {"policy_23: a byte order mark", "\xef\xbb\xbf" COMPRESSION("\"type\":\"raw\""), ATTRIBUTES_JSON, ZN5_OK},
    {"policy_23: integral floats",
     "{\"dimensions\":[5.0,2],\"blockSize\":[3,2.0],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}",
     ATTRIBUTES_JSON, ZN5_OK},
    {"policy_23: a fraction",
     "{\"dimensions\":[5.5,2],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}",
     ATTRIBUTES_JSON, ZN5_ERROR_INVALID_METADATA},
    {"policy_23: a negative size",
     "{\"dimensions\":[-5,2],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}",
     ATTRIBUTES_JSON, ZN5_ERROR_INVALID_METADATA},
    {"policy_23: ranks differ",
     "{\"dimensions\":[5],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}",
     ATTRIBUTES_JSON, ZN5_ERROR_INVALID_METADATA},
    {"a chunk extent of 0",
     "{\"dimensions\":[5,2],\"blockSize\":[3,0],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}",
     ATTRIBUTES_JSON, ZN5_ERROR_INVALID_METADATA},
    {"policy_24: jpeg", COMPRESSION("\"type\":\"jpeg\",\"quality\":100"), ATTRIBUTES_JSON,
     ZN5_ERROR_UNSUPPORTED_COMPRESSION},
    {"an unknown compression", COMPRESSION("\"type\":\"snappy\""), ATTRIBUTES_JSON, ZN5_ERROR_UNSUPPORTED_COMPRESSION},
    {"compression without type", COMPRESSION("\"level\":5"), ATTRIBUTES_JSON, ZN5_ERROR_INVALID_METADATA},
    {"policy_32: odd parameters", COMPRESSION("\"type\":\"gzip\",\"level\":77,\"other\":{}"), ATTRIBUTES_JSON, ZN5_OK},
    {"policy_32: lz4 of z5", COMPRESSION("\"type\":\"lz4\",\"blockSize\":6"), ATTRIBUTES_JSON, ZN5_OK},
    {"policy_32: no parameters", COMPRESSION("\"type\":\"blosc\""), ATTRIBUTES_JSON, ZN5_OK},
    {"a group", "{\"n5\":\"4.0.0\"}", ATTRIBUTES_JSON, ZN5_ERROR_NOT_AN_ARRAY},
    {"an empty object", "{}", ATTRIBUTES_JSON, ZN5_ERROR_NOT_AN_ARRAY},
    {"a list", "[]", ATTRIBUTES_JSON, ZN5_ERROR_INVALID_METADATA},
    {"no text", "", ATTRIBUTES_JSON, ZN5_ERROR_INVALID_JSON},
    {"half a document", "{\"dimensions\":[5,2],", ATTRIBUTES_JSON, ZN5_ERROR_INVALID_JSON},
    {"a Zarr group", "{\"zarr_format\":3,\"node_type\":\"group\"}", ZARR_JSON, ZN5_ERROR_NOT_AN_ARRAY},
    {"no text", "", ZARR_JSON, ZN5_ERROR_INVALID_JSON},
    {"a comment in zarr.json", "/**/" ZARR("[5,2]", "uint16", "[3,2]", "7", N5("[1,0]", GZIP)), ZARR_JSON,
     ZN5_ERROR_INVALID_JSON},
    {"an unknown Zarr type", ZARR("[5,2]", "float16", "[3,2]", "7", N5("[1,0]", "")), ZARR_JSON,
     ZN5_ERROR_UNSUPPORTED_DATA_TYPE},
    {"a fill value beyond the type", ZARR("[5,2]", "uint16", "[3,2]", "65536", N5("[1,0]", "")), ZARR_JSON,
     ZN5_ERROR_INVALID_METADATA},
    {"policy_12: an array extent of 0", ZARR("[0,2]", "uint16", "[3,2]", "7", N5("[1,0]", "")), ZARR_JSON, ZN5_OK},
    {"policy_19: zstd", N5("[1,0]", ZSTD), CODEC_JSON, ZN5_OK},
    {"policy_19: two compressors", N5("[1,0]", GZIP ZSTD), CODEC_JSON, ZN5_ERROR_UNSUPPORTED_CODEC},
    {"policy_19: crc32c", N5("[1,0]", ",{\"name\":\"crc32c\"}"), CODEC_JSON, ZN5_ERROR_UNSUPPORTED_CODEC},
    {"policy_19: numcodecs.lz4", N5("[1,0]", ",{\"name\":\"numcodecs.lz4\",\"configuration\":{}}"), CODEC_JSON,
     ZN5_ERROR_UNSUPPORTED_CODEC},
    {"policy_19: a bare string that needs a configuration", N5("[1,0]", ",\"gzip\""), CODEC_JSON,
     ZN5_ERROR_INVALID_METADATA},
    {"policy_19: xz", N5("[1,0]", ",{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":1,\"preset\":6}}"),
     CODEC_JSON, ZN5_OK},
    {"policy_19: lzma of another format",
     N5("[1,0]", ",{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":3,\"preset\":6}}"), CODEC_JSON,
     ZN5_ERROR_INVALID_METADATA},
    {"policy_19: sharding",
     ZARR("[5,2]", "uint16", "[3,2]", "7", "{\"name\":\"sharding_indexed\",\"configuration\":{}}"), ZARR_JSON,
     ZN5_ERROR_UNSUPPORTED_CODEC},
    {"another codec", "{\"name\":\"n5_varlen\",\"configuration\":{}}", CODEC_JSON, ZN5_ERROR_UNSUPPORTED_CODEC},
    {"n5_default without configuration", "{\"name\":\"n5_default\"}", CODEC_JSON, ZN5_ERROR_INVALID_METADATA},
};

static void documents(void) {
  static const uint64_t chunk[2] = {3, 2};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    guarded text = guarded_copy(cases[i].json, strlen(cases[i].json));
    const char *json = (const char *)text.bytes;
    zn5_codec *codec = (zn5_codec *)(void *)&test_poison;
    zn5_status expected = cases[i].expected;
    int sound;
    set_case("%s", cases[i].name);
    if (cases[i].kind == ATTRIBUTES_JSON)
      sound = CHECK_STATUS(expected, zn5_codec_from_n5_attributes(json, text.len, NULL, &codec, ERR));
    else if (cases[i].kind == ZARR_JSON)
      sound = CHECK_STATUS(expected, zn5_codec_from_zarr_metadata(json, text.len, NULL, &codec, ERR));
    else
      sound = CHECK_STATUS(expected, zn5_codec_new(json, text.len, ZN5_DTYPE_UINT16, 2, chunk, NULL, &codec, ERR));
    CHECK((codec != NULL) == (expected == ZN5_OK));
    if (sound && codec != NULL) {
      uint64_t shape[2] = {0, 0};
      CHECK_EQUAL(ZN5_DTYPE_UINT16, zn5_codec_dtype(codec));
      CHECK_EQUAL(2, zn5_codec_ndim(codec));
      CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(codec, shape, 2, ERR));
      CHECK_BYTES(chunk, shape, sizeof chunk);
    }
    if (codec != (zn5_codec *)(void *)&test_poison)
      zn5_codec_free(codec);
    GUARD_FREE(text);
  }
  set_case("policy_24: the message names jpeg");
  {
    static const char json[] = COMPRESSION("\"type\":\"jpeg\"");
    zn5_codec *codec = NULL;
    CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_COMPRESSION,
                 zn5_codec_from_n5_attributes(json, strlen(json), NULL, &codec, ERR));
    CHECK_MESSAGE("jpeg");
  }
}

static void new_arguments(void) {
  static const struct {
    const char *name;
    zn5_dtype dtype;
    uint32_t ndim;
    uint64_t chunk[2];
    zn5_status expected;
  } wrong[] = {
      {"data type 0", 0, 2, {3, 2}, ZN5_ERROR_INVALID_ARGUMENT},
      {"data type 12", 12, 2, {3, 2}, ZN5_ERROR_INVALID_ARGUMENT},
      {"utf32", ZN5_DTYPE_UTF32, 2, {3, 2}, ZN5_ERROR_UNSUPPORTED_DATA_TYPE},
      {"a chunk extent of 0", ZN5_DTYPE_INT8, 2, {0, 2}, ZN5_ERROR_INVALID_METADATA},
      {"rank 1 with an order for 2", ZN5_DTYPE_INT8, 1, {3, 2}, ZN5_ERROR_INVALID_METADATA},
      {"rank 0 with an order for 2", ZN5_DTYPE_INT8, 0, {3, 2}, ZN5_ERROR_INVALID_METADATA},
      {"rank 65536", ZN5_DTYPE_INT8, 65536, {3, 2}, ZN5_ERROR_INVALID_METADATA},
      {"rank 2^32 - 1", ZN5_DTYPE_INT8, UINT32_MAX, {3, 2}, ZN5_ERROR_INVALID_METADATA},
  };
  static const char json[] = N5("[1,0]", GZIP);
  size_t i;
  for (i = 0; i < COUNT(wrong); i++) {
    zn5_codec *codec = (zn5_codec *)(void *)&test_poison;
    set_case("zn5_codec_new: %s", wrong[i].name);
    CHECK_STATUS(wrong[i].expected,
                 zn5_codec_new(json, strlen(json), wrong[i].dtype, wrong[i].ndim, wrong[i].chunk, NULL, &codec, ERR));
    CHECK(codec == NULL);
  }
}

static void accessors(void) {
  static const char json[] = ZARR("[5,2]", "float32", "[3,2]", "\"NaN\"", N5("[1,0]", GZIP));
  static const char object[] = N5("[1,0]", "");
  static const uint64_t array_shape[2] = {5, 2}, chunk_shape[2] = {3, 2}, other[2] = {7, 11}, huge[2] = {UINT64_MAX, 2};
  zn5_codec *codec = NULL, *fresh = NULL;
  uint64_t shape[3] = {77, 77, 77}, size = 77;
  unsigned char fill[4];

  set_case("accessors");
  REQUIRE_OK(zn5_codec_from_zarr_metadata(json, strlen(json), NULL, &codec, ERR));
  REQUIRE_OK(zn5_codec_new(object, strlen(object), ZN5_DTYPE_INT64, 2, chunk_shape, NULL, &fresh, ERR));
  CHECK_EQUAL(ZN5_DTYPE_FLOAT32, zn5_codec_dtype(codec));
  CHECK_EQUAL(4, zn5_codec_element_size(codec));
  CHECK_EQUAL(8, zn5_codec_element_size(fresh));
  CHECK_TEXT("gzip", zn5_codec_compression(codec));
  CHECK_TEXT("raw", zn5_codec_compression(fresh));
  CHECK_STATUS(ZN5_OK, zn5_codec_array_shape(codec, shape, 3, ERR));
  CHECK_BYTES(array_shape, shape, sizeof array_shape);
  CHECK_EQUAL(77, shape[2]);
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_codec_array_shape(fresh, shape, 3, ERR));
  CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(fresh, shape, 2, ERR));
  CHECK_BYTES(chunk_shape, shape, sizeof chunk_shape);
  shape[0] = 77;
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_codec_chunk_shape(codec, shape, 1, ERR));
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_codec_array_shape(codec, shape, 1, ERR));
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_codec_array_shape(codec, NULL, 0, ERR));
  CHECK_EQUAL(77, shape[0]);

  set_case("fill value");
  CHECK_STATUS(ZN5_OK, zn5_codec_fill_value(codec, fill, sizeof fill, ERR));
  CHECK_EQUAL(0x7f, fill[is_little_endian() ? 3 : 0]);
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_codec_fill_value(codec, fill, 3, ERR));

  set_case("decoded size");
  CHECK_STATUS(ZN5_OK, zn5_codec_decoded_size(codec, NULL, &size, ERR));
  CHECK_EQUAL(24, size);
  CHECK_STATUS(ZN5_OK, zn5_codec_decoded_size(codec, other, &size, ERR));
  CHECK_EQUAL(308, size);
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_codec_decoded_size(codec, huge, &size, ERR));
  CHECK_EQUAL(308, size);

  set_case("of NULL");
  CHECK_EQUAL(0, zn5_codec_dtype(NULL));
  CHECK_EQUAL(0, zn5_codec_element_size(NULL));
  CHECK_EQUAL(0, zn5_codec_ndim(NULL));
  CHECK_TEXT("", zn5_codec_compression(NULL));
  zn5_codec_free(codec);
  zn5_codec_free(fresh);
}

static void policy_32_compression_names(void) {
  static const char *const names[] = {"raw",  "gzip",  "gzip",  "bzip2", "xz",    "lz4",  "lz4",
                                      "zstd", "blosc", "blosc", "blosc", "blosc", "blosc"};
  static const uint64_t chunk[1] = {4};
  size_t i;
  REQUIRE(COUNT(names) == COUNT(all_compressions));
  for (i = 0; i < COUNT(names); i++) {
    zn5_codec *codec = n5_codec("int16", all_compressions[i], 1, chunk, NULL);
    set_case("%s", all_compressions[i]);
    CHECK_TEXT(names[i], zn5_codec_compression(codec));
    CHECK_EQUAL(1, zn5_compression_available(names[i]));
    zn5_codec_free(codec);
  }
}

int main(void) {
  documents();
  new_arguments();
  accessors();
  policy_32_compression_names();
  return test_result();
}
