/* Elements of fixed_length_utf32 and documents of arrays of them, spelled out byte by byte: what is text, what fills,
 * what is refused. */
#include "support.h"
#include "utf32.h"

/* One element there and back. */
static void check_element(const char *hex, zn5_endian endian, const char *text, size_t text_len) {
  size_t length_bytes, needed = 99;
  unsigned char *element = from_hex(hex, &length_bytes);
  guarded encoded = guard_after(length_bytes), decoded = guard_after(text_len);
  set_case("%s %s", endian_name(endian), hex);
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode(text, text_len, endian, encoded.bytes, length_bytes, ERR));
  CHECK_BYTES(element, encoded.bytes, length_bytes);
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode(element, length_bytes, endian, NULL, 0, &needed, ERR));
  CHECK_EQUAL(text_len, needed);
  needed = 99;
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode(element, length_bytes, endian, (char *)decoded.bytes, text_len, &needed, ERR));
  CHECK_EQUAL(text_len, needed);
  CHECK_BYTES(text, decoded.bytes, text_len);
  GUARD_FREE(encoded);
  GUARD_FREE(decoded);
  free(element);
}

static void elements(void) {
  check_element("480000006900000000000000", ZN5_ENDIAN_LITTLE, "Hi", 2);
  check_element("000000480000006900000000", ZN5_ENDIAN_BIG, "Hi", 2);
  check_element("000000e9 0001f600 00000000", ZN5_ENDIAN_BIG, "\xc3\xa9\xf0\x9f\x98\x80", 6);
  check_element("00000000 00000000", ZN5_ENDIAN_LITTLE, "", 0);
  check_element("61000000", ZN5_ENDIAN_LITTLE, "a", 1);
  check_element("00000061 00000000 00000062", ZN5_ENDIAN_BIG, "a\0b", 3);
  check_element("00000000 00000061 00000000", ZN5_ENDIAN_BIG, "\0a", 2);
  check_element("fffe0000", ZN5_ENDIAN_LITTLE, "\xef\xbb\xbf", 3);
}

static void trailing_nuls_are_padding(void) {
  static const unsigned char a[12] = {0x61};
  unsigned char element[12];
  char text[12];
  size_t needed;
  set_case("trailing U+0000");
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode("a\0\0", 3, ZN5_ENDIAN_LITTLE, element, 12, ERR));
  CHECK_BYTES(a, element, 12);
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode(element, 12, ZN5_ENDIAN_LITTLE, text, 12, &needed, ERR));
  CHECK_EQUAL(1, needed);
  CHECK_STATUS(ZN5_ERROR_STRING_TOO_LONG, zn5_utf32_encode("a\0\0\0", 4, ZN5_ENDIAN_LITTLE, element, 12, ERR));
  CHECK_MESSAGE("4 code points");
}

static void array_of_four(void) {
  static const uint64_t expected_offsets[] = {0, 2, 4, 6, 8};
  size_t len, needed;
  unsigned char *array = from_hex("0000006100000062 0000006300000064 0000006500000066 0000006700000068", &len);
  unsigned char encoded[32];
  char text[8];
  uint64_t offsets[5];
  set_case("ab, cd, ef, gh");
  REQUIRE(len == 32);
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(array, len, 4, ZN5_ENDIAN_BIG, 8, text, 8, offsets, &needed, ERR));
  CHECK_EQUAL(8, needed);
  CHECK_BYTES("abcdefgh", text, 8);
  CHECK_BYTES(expected_offsets, offsets, sizeof offsets);
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode_array(text, 8, offsets, 4, ZN5_ENDIAN_BIG, 8, encoded, 32, ERR));
  CHECK_BYTES(array, encoded, 32);
  free(array);
}

static void names(void) {
  static const struct {
    const char *name;
    zn5_status status;
    size_t length_bytes;
    zn5_endian endian;
  } cases[] = {
      {"<U12", ZN5_OK, 48, ZN5_ENDIAN_LITTLE},
      {">U12", ZN5_OK, 48, ZN5_ENDIAN_BIG},
      {"<U1", ZN5_OK, 4, ZN5_ENDIAN_LITTLE},
      {">U16384", ZN5_OK, 65536, ZN5_ENDIAN_BIG},
      {"|U3", ZN5_ERROR_INVALID_METADATA, 0, 0},
      {"=U3", ZN5_ERROR_INVALID_METADATA, 0, 0},
      {"U3", ZN5_ERROR_INVALID_METADATA, 0, 0},
      {"<U0", ZN5_ERROR_INVALID_LENGTH, 0, 0},
      {"<U4611686018427387904", ZN5_ERROR_INVALID_LENGTH, 0, 0},
      {"<U36893488147419103233", ZN5_ERROR_INVALID_LENGTH, 0, 0},
      {"<U", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"<U-1", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"<U1 ", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"<U+1", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"<S3", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"<u4", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"<U\xff", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
      {"", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, 0, 0},
  };
  size_t i, length_bytes, needed;
  zn5_endian endian;
  char name[16];
  for (i = 0; i < COUNT(cases); i++) {
    set_case("NumPy name %s", cases[i].name);
    length_bytes = 77;
    endian = 77;
    CHECK_STATUS(cases[i].status,
                 zn5_utf32_numpy_dtype_parse(cases[i].name, strlen(cases[i].name), &length_bytes, &endian, ERR));
    CHECK_EQUAL(cases[i].status == ZN5_OK ? cases[i].length_bytes : 77, length_bytes);
    CHECK_EQUAL(cases[i].status == ZN5_OK ? cases[i].endian : 77, endian);
    if (cases[i].status != ZN5_OK)
      continue;
    CHECK_STATUS(ZN5_OK, zn5_utf32_numpy_dtype(length_bytes, endian, name, sizeof name - 1, &needed, ERR));
    name[needed] = '\0';
    CHECK_TEXT(cases[i].name, name);
  }
}

/* A document is an array of two elements, one a chunk; `data_type` and `codecs` are JSON. */
static zn5_status open_document(const char *data_type, const char *codecs, const char *fill_value, zn5_codec **codec,
                                zn5_error **error) {
  char json[1024];
  snprintf(json, sizeof json,
           "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[2],\"data_type\":%s,\"chunk_grid\":{\"name\":"
           "\"regular\",\"configuration\":{\"chunk_shape\":[1]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
           "\"fill_value\":%s,\"codecs\":[%s]}",
           data_type, fill_value, codecs);
  return zn5_codec_from_zarr_metadata(json, strlen(json), NULL, codec, error);
}

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define N5_DEFAULT                                                                                                     \
  "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":{\"order\":[0]}}" \
  ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]}}"
#define TYPE(length) "{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":" length "}}"

/* The fill value fills what no chunk is stored for. */
static void fill_value_fills(void) {
  static const uint32_t foo[12] = {0x66, 0x6f, 0x6f};
  static const uint64_t three = 3;
  uint32_t fill[12], chunk[36];
  zn5_codec *codec = NULL;
  int i;
  set_case("fill value foo, 48 bytes");
  REQUIRE_OK(open_document(TYPE("48"), LITTLE, "\"foo\"", &codec, ERR));
  CHECK_EQUAL(ZN5_DTYPE_UTF32, zn5_codec_dtype(codec));
  CHECK_EQUAL(48, zn5_codec_element_size(codec));
  CHECK_STATUS(ZN5_OK, zn5_codec_fill_value(codec, fill, sizeof fill, ERR));
  CHECK_BYTES(foo, fill, sizeof foo);
  CHECK_STATUS(ZN5_OK, zn5_fill_block(codec, &three, chunk, sizeof chunk, ERR));
  for (i = 0; i < 3; i++)
    CHECK_BYTES(foo, chunk + 12 * i, sizeof foo);
  zn5_codec_free(codec);
}

static void documents_that_are_refused(void) {
  static const struct {
    const char *data_type, *codecs, *fill_value;
    zn5_status status;
    const char *named;
  } cases[] = {
      {TYPE("8"), LITTLE, "\"foo\"", ZN5_ERROR_STRING_TOO_LONG, "fill_value"},
      {TYPE("8"), LITTLE, "\"\\u0000\\u0000\\u0000\"", ZN5_ERROR_STRING_TOO_LONG, "fill_value"},
      {TYPE("8"), LITTLE, "0", ZN5_ERROR_INVALID_METADATA, "fill_value"},
      {TYPE("8"), LITTLE, "null", ZN5_ERROR_INVALID_METADATA, "fill_value"},
      {TYPE("8"), LITTLE, "\"\\ud83d\"", ZN5_ERROR_INVALID_CODE_POINT, "fill_value"},
      {TYPE("8"), LITTLE, "\"\\ude00\\ud83d\"", ZN5_ERROR_INVALID_CODE_POINT, "fill_value"},
      {TYPE("0"), LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
      {TYPE("-4"), LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
      {TYPE("10"), LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
      {TYPE("4.0"), LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
      {TYPE("\"12\""), LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
      {"{\"name\":\"fixed_length_utf32\",\"configuration\":{}}", LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA,
       "length_bytes"},
      {"{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bits\":96}}", LITTLE, "\"\"",
       ZN5_ERROR_INVALID_METADATA, "length_bits"},
      {"{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":8,\"pad\":0}}", LITTLE, "\"\"",
       ZN5_ERROR_INVALID_METADATA, "pad"},
      {"{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":8},\"must_understand\":false}", LITTLE,
       "\"\"", ZN5_ERROR_INVALID_METADATA, "must_understand"},
      {"\"fixed_length_utf32\"", LITTLE, "\"\"", ZN5_ERROR_INVALID_METADATA, "fixed_length_utf32"},
      {"{\"name\":\"numpy.fixed_length_utf32\",\"configuration\":{\"length_bytes\":8}}", LITTLE, "\"\"",
       ZN5_ERROR_UNSUPPORTED_DATA_TYPE, "numpy.fixed_length_utf32"},
      {"\"string\"", LITTLE, "\"\"", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, "string"},
      {TYPE("8"), "\"bytes\"", "\"\"", ZN5_ERROR_INVALID_METADATA, "endian"},
      {TYPE("8"), "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"native\"}}", "\"\"", ZN5_ERROR_INVALID_METADATA,
       "endian"},
      {TYPE("8"), N5_DEFAULT, "\"\"", ZN5_ERROR_UNSUPPORTED_DATA_TYPE, "fixed_length_utf32"},
      {TYPE("8"), "{\"name\":\"vlen-utf8\"}", "\"\"", ZN5_ERROR_UNSUPPORTED_CODEC, "vlen-utf8"},
  };
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = (zn5_codec *)(void *)&test_poison;
    set_case("%s, fill value %s", cases[i].data_type, cases[i].fill_value);
    CHECK_STATUS(cases[i].status, open_document(cases[i].data_type, cases[i].codecs, cases[i].fill_value, &codec, ERR));
    CHECK_MESSAGE(cases[i].named);
    CHECK(codec == NULL);
  }
}

/* N5 has no such type, so no codec object can be given for it either. */
static void not_inside_n5(void) {
  static const uint64_t chunk_shape = 1;
  static const char json[] = N5_DEFAULT;
  zn5_codec *codec = NULL;
  set_case("zn5_codec_new of UTF32");
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE,
               zn5_codec_new(json, strlen(json), ZN5_DTYPE_UTF32, 1, &chunk_shape, NULL, &codec, ERR));
  CHECK(codec == NULL);
}

int main(void) {
  elements();
  trailing_nuls_are_padding();
  array_of_four();
  names();
  fill_value_fills();
  documents_that_are_refused();
  not_inside_n5();
  return test_result();
}
