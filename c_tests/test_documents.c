/* Documents: NaN in a user's attributes, what a new array's document may say, and messages that name the argument at
 * fault, with an offset in it. */
#include "support.h"

#include "store.h"

#define ARRAY "\"dimensions\":[3],\"blockSize\":[3],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}"

static zn5_dataset *unset(void) {
  return (zn5_dataset *)(void *)&test_poison;
}

/* Creates an array that must be refused. */
static void refused(const zn5_store *store, zn5_status status, const char *json, int64_t offset, const char *part) {
  zn5_dataset *dataset = unset();
  set_case("%s", json);
  CHECK_STATUS(status, zn5_dataset_create(store, "n", json, strlen(json), NULL, &dataset, ERR));
  CHECK(dataset == NULL);
  CHECK_MESSAGE("metadata_json: ");
  CHECK_MESSAGE(part);
  CHECK_EQUAL(offset, last_offset);
  CHECK_VALUE(store, "n/attributes.json", NULL);
}

static void nan_in_attributes(const zn5_store *store) {
  static const unsigned char block[] = {0, 0, 0, 1, 0, 0, 0, 3, 7, 7, 7};
  static const char users[] = "{\"limits\":{\"min\":NaN,\"max\":-Infinity}}";
  static const char json[] = "{\"limits\":{\"min\":\"NaN\",\"max\":\"-Infinity\"}}";
  zn5_dataset *dataset = NULL;
  unsigned char elements[3] = {0, 0, 0};
  char text[128];
  size_t needed = 0;
  set_case("NaN");
  set_text(store, "attributes.json", "{\"background\": NaN}");
  set_text(store, "v/attributes.json", "{" ARRAY ",\"limits\":{\"min\":NaN,\"max\":-Infinity}}");
  CHECK_STATUS(ZN5_OK, zn5_store_set(store, "v/0", 3, block, sizeof block, ERR));
  REQUIRE_OK(zn5_dataset_open(store, "v", NULL, &dataset, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, elements, sizeof elements, 0, NULL, NULL, ERR));
  CHECK(memcmp(elements, block + 8, 3) == 0);
  zn5_dataset_free(dataset);
  CHECK_STATUS(ZN5_OK, zn5_attributes_get(store, "v", text, sizeof text, &needed, ERR));
  CHECK(needed == strlen(users) && memcmp(text, users, needed) == 0);
  CHECK_STATUS(ZN5_OK, zn5_attributes_get_json(store, "v", NULL, 0, &needed, ERR));
  CHECK_EQUAL(strlen(json), needed);
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_attributes_get_json(store, "v", text, needed - 1, &needed, ERR));
  CHECK_STATUS(ZN5_OK, zn5_attributes_get_json(store, "v", text, sizeof text, &needed, ERR));
  CHECK(needed == strlen(json) && memcmp(text, json, needed) == 0);
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_attributes_get_json(store, "nowhere", text, sizeof text, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, zn5_attributes_get_json(NULL, "v", text, sizeof text, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, zn5_attributes_get_json(store, NULL, text, sizeof text, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, zn5_attributes_get_json(store, "v", text, sizeof text, NULL, ERR));
  CHECK_STATUS(ZN5_OK, zn5_attributes_set(store, "v", users, strlen(users), ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_attributes_set(store, "v", "{\"new\":NaN}", 11, ERR));
  CHECK_MESSAGE("json: the attribute \"new\" has NaN");
  CHECK_EQUAL(7, last_offset);
  /* The root gets its version, and keeps what it has. */
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "g", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_VALUE(store, "attributes.json", "{\"n5\":\"4.0.0\",\"background\":NaN}");
  CHECK_STATUS(ZN5_OK, zn5_metadata_n5_to_zarr(users, strlen(users), 0, NULL, 0, &needed, ERR));
}

static void new_arrays(const zn5_store *store) {
  const zn5_status invalid = ZN5_ERROR_INVALID_METADATA;
  const char *compression = "{\"dimensions\":[3],\"blockSize\":[3],\"dataType\":\"uint8\",\"compression\":";
  char json[512];
  size_t i;
  static const struct {
    const char *compression;
    int at;
    const char *part;
  } cases[] = {
      {"{\"type\":\"gzip\",\"level\":99}}", 23, "`compression.level` is 99; it must be an integer from -1 to 9"},
      {"{\"type\":\"gzip\",\"levle\":3}}", 15, "is `level` meant?"},
      {"{\"type\":\"zstd\",\"level\":42}}", 23, "from -131072 to 22"},
      {"{\"type\":\"zstd\",\"clevel\":19}}", 15, "\"clevel\""},
      {"{\"type\":\"blosc\",\"clevel\":19}}", 25, "from 0 to 9"},
  };
  for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    snprintf(json, sizeof json, "%s%s", compression, cases[i].compression);
    refused(store, invalid, json, (int64_t)strlen(compression) + cases[i].at, cases[i].part);
  }
  snprintf(json, sizeof json, "%s{\"type\":\"blosc\",\"cname\":\"snappy\"}}", compression);
  refused(store, ZN5_ERROR_UNSUPPORTED_COMPRESSION, json, (int64_t)strlen(compression) + 24, "zn5 has blosclz");
  refused(store, invalid, "{\"dimensions\":[3],\"blockSize\":[3],\"dataType\":\"uint8\",\"compresion\":{}}", 0,
          "\"compresion\" may be meant");
  refused(store, ZN5_ERROR_NOT_AN_ARRAY, "{}", 0, "zn5_group_create()");
  refused(store, ZN5_ERROR_INVALID_JSON, "{" ARRAY ",\"x\":NaN}", (int64_t)strlen("{" ARRAY ",\"x\":"), "write null");
  refused(store, ZN5_ERROR_INVALID_JSON, "/**/{" ARRAY "}", 0, "a comment");
}

/* Each function that takes text names its argument. */
static void arguments(const zn5_store *store) {
  const uint64_t shape[2] = {3, 0};
  const unsigned char fill[2] = {1, 2};
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  zn5_dataset *dataset = unset();
  zn5_codec *codec = NULL;
  zn5_endian endian;
  unsigned char element[8];
  size_t needed;
  set_case("arguments");
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_attributes_set(store, "g", "{bad", 4, ERR));
  CHECK_MESSAGE("json: the document is not JSON: at line 1, column 2, the name \"bad\" stands without quotation marks");
  CHECK_EQUAL(1, last_offset);
  CHECK_STATUS(ZN5_ERROR_INVALID_METADATA, zn5_attributes_set(store, "g", " []", 3, ERR));
  CHECK_MESSAGE("json: the document is []");
  CHECK_EQUAL(1, last_offset);
  set_text(store, "cut/attributes.json", "{\"x\":");
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_attributes_set(store, "cut", "{bad", 4, ERR));
  CHECK_MESSAGE("cut/attributes.json: the document is cut");
  CHECK_EQUAL(5, last_offset);
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_codec_from_n5_attributes("{'a'}", 5, NULL, &codec, ERR));
  CHECK_MESSAGE("json: the document is not JSON: at line 1, column 2");
  CHECK_EQUAL(1, last_offset);
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_codec_from_zarr_metadata("{} {}", 5, NULL, &codec, ERR));
  CHECK_MESSAGE("json: the document is not JSON: at line 1, column 4, a second document begins");
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_codec_new("{\n\"a\":1,}", 9, ZN5_DTYPE_UINT8, 1, shape, NULL, &codec, ERR));
  CHECK_MESSAGE("codec_json: the document is not JSON: at line 2, column 6, a comma stands before `}`");
  CHECK_EQUAL(7, last_offset);
  CHECK_STATUS(ZN5_ERROR_INVALID_METADATA,
               zn5_codec_new("\"n5_default\"", 12, ZN5_DTYPE_UINT8, 1, shape, NULL, &codec, ERR));
  CHECK_MESSAGE("codec_json: `codec` is \"n5_default\" without");
  {
    static const char object[] = "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\","
                                 "\"configuration\":{\"order\":[1,0]}},\"bytes\"]}}";
    CHECK_STATUS(ZN5_ERROR_INVALID_METADATA,
                 zn5_codec_new(object, strlen(object), ZN5_DTYPE_UINT8, 2, shape, NULL, &codec, ERR));
    CHECK_MESSAGE("chunk_shape: the chunk extent of axis 1 is 0");
  }
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_metadata_n5_to_zarr("", 0, 0, NULL, 0, &needed, ERR));
  CHECK_MESSAGE("json: the document is empty");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_metadata_n5_to_zarr("", 0, 9, NULL, 0, &needed, ERR));
  CHECK_MESSAGE("flags is 9");
  CHECK_STATUS(ZN5_ERROR_INVALID_METADATA, zn5_metadata_zarr_to_n5("{}", 2, 0, NULL, 0, &needed, ERR));
  CHECK_MESSAGE("json: ");
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_utf32_from_json("'a'", 3, ZN5_ENDIAN_LITTLE, element, sizeof element, ERR));
  CHECK_MESSAGE("json: the document is not JSON: at line 1, column 1, a quotation mark that is no double one");
  CHECK_STATUS(ZN5_ERROR_STRING_TOO_LONG,
               zn5_utf32_from_json(" \"abc\"", 6, ZN5_ENDIAN_LITTLE, element, sizeof element, ERR));
  CHECK_MESSAGE("json: the JSON string \"abc\"");
  CHECK_EQUAL(1, last_offset);
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_utf32_data_type_parse("{\"name\":", 8, &needed, ERR));
  CHECK_MESSAGE("json: the document is cut");
  CHECK_EQUAL(8, last_offset);
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5_utf32_numpy_dtype_parse("<S3", 3, &needed, &endian, ERR));
  CHECK_MESSAGE("dtype: \"<S3\"");
  options.fill_value = fill;
  options.fill_value_len = sizeof fill;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_open(store, "v", &options, &dataset, ERR));
  CHECK_MESSAGE("options->fill_value has 2 bytes; one element of uint8 has 1");
  options.fill_value = NULL;
  options.fill_value_len = 0;
  options.order = 7;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_open(store, "v", &options, &dataset, ERR));
  CHECK_MESSAGE("options: order 7");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_open(store, "a/../v", NULL, &dataset, ERR));
  CHECK_MESSAGE("the path \"a/../v\" is refused");
}

int main(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  nan_in_attributes(store);
  new_arrays(store);
  arguments(store);
  zn5_store_free(store);
  return test_result();
}
