/* Small blocks written by hand, each for something that went wrong for people: D01 to D10 and D13 to D17 of the cases.
 */
#include "support.h"

#define MAX_COUNT 64

/* An element as a number. */
static double value_at(zn5_dtype dtype, const unsigned char *element) {
  switch (dtype) {
#define CASE(name, type)                                                                                               \
  case ZN5_DTYPE_##name: {                                                                                             \
    type value;                                                                                                        \
    memcpy(&value, element, sizeof value);                                                                             \
    return (double)value;                                                                                              \
  }
    CASE(UINT8, uint8_t)
    CASE(UINT16, uint16_t)
    CASE(UINT32, uint32_t)
    CASE(UINT64, uint64_t)
    CASE(INT8, int8_t)
    CASE(INT16, int16_t)
    CASE(INT32, int32_t)
    CASE(INT64, int64_t)
    CASE(FLOAT32, float)
    CASE(FLOAT64, double)
#undef CASE
  default:
    REQUIRE(!"a numeric type");
    return 0;
  }
}

/* Compares with "1,4,2": C order, last axis fastest. */
static void check_values(const zn5_codec *codec, const unsigned char *array, const char *values) {
  size_t size = zn5_codec_element_size(codec), i = 0;
  while (*values != '\0') {
    char *end;
    double expected = strtod(values, &end), actual = value_at(zn5_codec_dtype(codec), array + i * size);
    REQUIRE(end != values);
    if (expected < actual || expected > actual)
      fail_at(__FILE__, __LINE__, "element %lu is %g, not %g", (unsigned long)i, actual, expected);
    values = *end == ',' ? end + 1 : end;
    i++;
  }
}

static zn5_status decode_hex(const zn5_codec *codec, const char *hex, unsigned char *array, zn5_error **error) {
  size_t block_len;
  uint64_t size = 0;
  unsigned char *block = from_hex(hex, &block_len);
  zn5_status status;
  CHECK_EQUAL(ZN5_OK, zn5_codec_decoded_size(codec, NULL, &size, NULL));
  status = decode_guarded(codec, block, block_len, NULL, array, (size_t)size, error);
  free(block);
  return status;
}

#define D02 "0000 0002 00000003 00000002 000100020003000400050006"

static const struct {
  const char *name, *data_type, *chunk, *compression, *block, *values;
} decoded[] = {
    {"D01", "uint16", "1,2,3", "{\"type\":\"raw\"}", "0000 0003 00000001 00000002 00000003 000100020003000400050006",
     "1,3,5,2,4,6"},
    {"D02", "uint16", "3,2", "{\"type\":\"raw\"}", D02, "1,4,2,5,3,6"},
    {"D05", "uint16", "1,2,3", "{\"type\":\"gzip\",\"level\":-1}",
     "0000 0003 00000001 00000002 00000003 1f8b08000000000000006360646062606660616065600300aaea6dbf0c000000",
     "1,3,5,2,4,6"},
    {"D09", "uint16", "3,2", "{\"type\":\"zstd\",\"level\":0}",
     "0000 0002 00000003 00000002 28b52ffd200c610000000100020003000400050006", "1,4,2,5,3,6"},
    {"D10, policy_08: no content size", "uint8", "4,3", "{\"type\":\"zstd\",\"level\":3}",
     "0000 0002 00000004 00000003 28b52ffd005861000048656c6c6f20576f726c6421",
     "72,111,114,101,32,108,108,87,100,108,111,33"},
    {"zlib", "uint16", "3,2", "{\"type\":\"gzip\",\"useZlib\":true}",
     "0000 0002 00000003 00000002 789c636064606260666061606560030000670016", "1,4,2,5,3,6"},
    {"bzip2 by Java", "uint16", "3,2", "{\"type\":\"bzip2\",\"blockSize\":9}",
     "0000 0002 00000003 00000002 "
     "425a6839314159265359023e0dd200000040007f002000310c010d31a87394337c5dc914e1424008f83748",
     "1,4,2,5,3,6"},
    {"bzip2 by libbz2", "uint16", "3,2", "{\"type\":\"bzip2\",\"blockSize\":9}",
     "0000 0002 00000003 00000002 "
     "425a6839314159265359023e0dd200000040007f002000221a63508600e72866f8bb9229c2848011f06e90",
     "1,4,2,5,3,6"},
    {"xz", "uint16", "3,2", "{\"type\":\"xz\",\"preset\":6}",
     "0000 0002 00000003 00000002 fd377a585a000004e6d6b4460200210116000000742fe5a3"
     "01000b000100020003000400050006000d0309ca34ec15a70001240ca618d8d81fb6f37d010000000004595a",
     "1,4,2,5,3,6"},
    {"policy_07: lz4 of Java", "uint16", "3,2", "{\"type\":\"lz4\",\"blockSize\":65536}",
     "0000 0002 00000003 00000002 4c5a34426c6f636b160c0000000c00000090258b06000100020003000400050006"
     "4c5a34426c6f636b16000000000000000000000000",
     "1,4,2,5,3,6"},
    {"policy_07: lz4 frame", "uint16", "3,2", "{\"type\":\"lz4\",\"blockSize\":65536}",
     "0000 0002 00000003 00000002 04224d186440a70c0000800001000200030004000500060000000041373308", "1,4,2,5,3,6"},
    {"policy_07: lz4 of numcodecs", "uint16", "3,2", "{\"type\":\"lz4\",\"blockSize\":65536}",
     "0000 0002 00000003 00000002 0c000000c0000100020003000400050006", "1,4,2,5,3,6"},
    {"policy_07: lz4 of z5", "uint16", "3,2", "{\"type\":\"lz4\",\"blockSize\":6}",
     "0000 0002 00000003 00000002 c0000100020003000400050006", "1,4,2,5,3,6"},
    {"policy_09: blosc, labelled otherwise", "uint16", "3,2",
     "{\"type\":\"blosc\",\"cname\":\"blosclz\",\"shuffle\":0}",
     "0000 0002 00000003 00000002 020133020c0000000c0000001c000000000100020003000400050006", "1,4,2,5,3,6"},
};

static void decode_cases(void) {
  size_t i;
  for (i = 0; i < COUNT(decoded); i++) {
    uint64_t chunk[TEST_MAX_NDIM];
    uint32_t ndim = parse_extents(decoded[i].chunk, chunk);
    unsigned char array[MAX_COUNT * 8];
    zn5_codec *codec = n5_codec(decoded[i].data_type, decoded[i].compression, ndim, chunk, NULL);
    set_case("%s", decoded[i].name);
    if (CHECK_STATUS(ZN5_OK, decode_hex(codec, decoded[i].block, array, ERR)))
      check_values(codec, array, decoded[i].values);
    zn5_codec_free(codec);
  }
}

/* The same array with a truncated and with a padded last block: chunks differ, the array does not. */
static void d03_d04_edges(void) {
  static const char attributes[] =
      "{\"dimensions\":[5,2],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}";
  static const char *const last_blocks[] = {"0000 0002 00000002 00000002 000700080009000a",
                                            "0000 0002 00000003 00000002 00070008 0000 0009000a 0000"};
  static const char *const last_chunks[] = {"7,9,8,10,9,9", "7,9,8,10,0,0"};
  static const uint64_t first_extent[2] = {3, 2}, last_extent[2] = {2, 2};
  static const ptrdiff_t strides[2] = {4, 2};
  const uint16_t fill = 9;
  zn5_codec_options options = default_options();
  zn5_codec *codec;
  size_t i, first_len, last_len;
  unsigned char *first = from_hex(D02, &first_len);
  options.fill_value = &fill;
  options.fill_value_len = sizeof fill;
  codec = codec_from_attributes(attributes, &options);
  for (i = 0; i < 2; i++) {
    unsigned char chunk[12], *last = from_hex(last_blocks[i], &last_len);
    guarded image = guard_after(20);
    set_case("%s", i == 0 ? "D03, policy_01: truncated" : "D04: padded");
    CHECK_STATUS(ZN5_OK, decode_hex(codec, last_blocks[i], chunk, ERR));
    check_values(codec, chunk, last_chunks[i]);
    CHECK_STATUS(
        ZN5_OK, zn5_decode_region(codec, first, first_len, NULL, NULL, first_extent, image.bytes, 20, 0, strides, ERR));
    CHECK_STATUS(ZN5_OK,
                 zn5_decode_region(codec, last, last_len, NULL, NULL, last_extent, image.bytes, 20, 12, strides, ERR));
    check_values(codec, image.bytes, "1,4,2,5,3,6,7,9,8,10");
    GUARD_FREE(image);
    free(last);
  }
  free(first);
  zn5_codec_free(codec);
}

/* z5 issue: blocks of an array that they exceed on both axes. */
static void d06_sixteen_hundreds(void) {
  static const char block_hex[] = "0000 0002 00000003 00000003 1f8b08000000000002ff7388640003070a690086c6308348000000";
  zn5_codec *codec = codec_from_attributes("{\"dimensions\":[4,4],\"blockSize\":[3,3],\"dataType\":\"float64\","
                                           "\"compression\":{\"type\":\"gzip\",\"level\":5}}",
                                           NULL);
  double image[4][4], expected[4][4];
  ptrdiff_t strides[2] = {(ptrdiff_t)sizeof image[0], (ptrdiff_t)sizeof image[0][0]};
  size_t len, i, k;
  unsigned char *block = from_hex(block_hex, &len);
  set_case("D06");
  memset(image, 0, sizeof image);
  for (i = 0; i < 2; i++)
    for (k = 0; k < 2; k++) {
      uint64_t extent[2];
      extent[0] = i == 0 ? 3 : 1;
      extent[1] = k == 0 ? 3 : 1;
      CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, extent, image, sizeof image,
                                             i * 3 * sizeof image[0] + k * 3 * sizeof image[0][0], strides, ERR));
    }
  for (i = 0; i < 16; i++)
    expected[i / 4][i % 4] = 100.0;
  CHECK_BYTES(expected, image, sizeof image);
  free(block);
  zn5_codec_free(codec);
}

static void d07_d08_blosc(void) {
  static const uint64_t chunk[2] = {8, 8};
  static const char java[] = "0000 0002 00000008 00000008 02010201800000008000000090000000";
  static const char lz4[] =
      "0000 0002 00000008 00000008 0201310280000000800000005e00000014000000460000001f0001002df0300102030405060708090a0b"
      "0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";
  char stored[512];
  uint16_t array[8][8], x, y, i;
  int which;
  snprintf(stored, sizeof stored, "%s", java);
  for (i = 0; i < 64; i++)
    snprintf(stored + strlen(stored), sizeof stored - strlen(stored), "%04x", i);
  for (which = 0; which < 2; which++) {
    zn5_codec *codec = n5_codec("uint16", "{\"type\":\"blosc\"}", 2, chunk, NULL);
    set_case("%s", which == 0 ? "D07" : "D08");
    CHECK_STATUS(ZN5_OK, decode_hex(codec, which == 0 ? stored : lz4, (unsigned char *)array, ERR));
    for (x = 0; x < 8; x++)
      for (y = 0; y < 8; y++)
        CHECK_EQUAL(x + 8 * y, array[x][y]);
    zn5_codec_free(codec);
  }
}

#define CODEC(codecs) "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[" codecs "]}}"
#define TRANSPOSE(order) "{\"name\":\"transpose\",\"configuration\":{\"order\":[" order "]}}"
#define BYTES(endian) "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"" endian "\"}}"

static void d13_policy_18_configurations(void) {
  static const struct {
    const char *name, *json;
    zn5_dtype dtype;
    zn5_status expected;
  } cases[] = {
      {"big", CODEC(TRANSPOSE("1,0") "," BYTES("big")), ZN5_DTYPE_UINT16, ZN5_OK},
      {"little", CODEC(TRANSPOSE("1,0") "," BYTES("little")), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"little, one byte", CODEC(TRANSPOSE("1,0") "," BYTES("little")), ZN5_DTYPE_UINT8, ZN5_ERROR_INVALID_METADATA},
      {"order [0,1]", CODEC(TRANSPOSE("0,1") "," BYTES("big")), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"order [0]", CODEC(TRANSPOSE("0") "," BYTES("big")), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"no transpose", CODEC(BYTES("big")), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"nothing", CODEC(""), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"bytes first", CODEC(BYTES("big") "," TRANSPOSE("1,0")), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"no endian", CODEC(TRANSPOSE("1,0") ",{\"name\":\"bytes\"}"), ZN5_DTYPE_UINT16, ZN5_ERROR_INVALID_METADATA},
      {"no endian, one byte", CODEC(TRANSPOSE("1,0") ",{\"name\":\"bytes\"}"), ZN5_DTYPE_UINT8, ZN5_OK},
      {"no endian, one byte", CODEC(TRANSPOSE("1,0") ",{\"name\":\"bytes\"}"), ZN5_DTYPE_INT8, ZN5_OK},
  };
  static const uint64_t chunk[2] = {3, 2};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = NULL;
    set_case("D13, %s", cases[i].name);
    CHECK_STATUS(cases[i].expected,
                 zn5_codec_new(cases[i].json, strlen(cases[i].json), cases[i].dtype, 2, chunk, NULL, &codec, ERR));
    zn5_codec_free(codec);
  }
}

static void d14_d15_refused_blocks(void) {
  static const struct {
    const char *name, *block;
    zn5_status expected;
  } cases[] = {
      {"D14, policy_13: mode 1", "0001 0002 00000003 00000002 00000006 000100020003000400050006",
       ZN5_ERROR_UNSUPPORTED_BLOCK_MODE},
      {"D15, policy_02: empty", "", ZN5_ERROR_EMPTY_BLOCK},
      {"D15: three bytes", "000000", ZN5_ERROR_TRUNCATED_BLOCK},
      {"D15: a header alone", "0000 0002 00000003 00000002", ZN5_ERROR_TRUNCATED_BLOCK},
      {"D15: the last byte is missing", "0000 0002 00000003 00000002 0001000200030004000500",
       ZN5_ERROR_TRUNCATED_BLOCK},
      {"D15, policy_03: one byte more", D02 "00", ZN5_ERROR_TRAILING_DATA},
  };
  static const uint64_t chunk[2] = {3, 2}, six[1] = {6};
  zn5_codec *codec = n5_codec("uint16", NULL, 2, chunk, NULL), *flat = n5_codec("uint16", NULL, 1, six, NULL);
  unsigned char array[12];
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    set_case("%s", cases[i].name);
    CHECK_STATUS(cases[i].expected, decode_hex(codec, cases[i].block, array, ERR));
  }
  set_case("D14, policy_14: rank 2 for rank 1");
  CHECK_STATUS(ZN5_ERROR_DIMENSION_MISMATCH, decode_hex(flat, D02, array, ERR));
  zn5_codec_free(codec);
  zn5_codec_free(flat);
}

static void d16_types(void) {
  static const struct {
    const char *data_type, *block, *value;
  } cases[] = {
      {"uint8", "01", "1"},         {"uint16", "0001", "1"},
      {"uint32", "00000001", "1"},  {"uint64", "0000000000000001", "1"},
      {"int8", "ff", "-1"},         {"int16", "ffff", "-1"},
      {"int32", "ffffffff", "-1"},  {"int64", "ffffffffffffffff", "-1"},
      {"float32", "3f800000", "1"}, {"float64", "bff0000000000000", "-1"},
  };
  static const char *const refused[] = {"float16", "bool", "complex64", "string", "object", "UINT8", ""};
  static const uint64_t one[1] = {1};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = n5_codec(cases[i].data_type, NULL, 1, one, NULL);
    unsigned char element[8];
    char block[64];
    set_case("D16, %s", cases[i].data_type);
    CHECK_TEXT(cases[i].data_type, zn5_dtype_name(zn5_codec_dtype(codec)));
    snprintf(block, sizeof block, "0000 0001 00000001 %s", cases[i].block);
    CHECK_STATUS(ZN5_OK, decode_hex(codec, block, element, ERR));
    check_values(codec, element, cases[i].value);
    zn5_codec_free(codec);
  }
  for (i = 0; i < COUNT(refused); i++) {
    zn5_codec *codec = NULL;
    char json[256];
    set_case("D16, \"%s\"", refused[i]);
    snprintf(json, sizeof json,
             "{\"dimensions\":[1],\"blockSize\":[1],\"dataType\":\"%s\",\"compression\":{\"type\":\"raw\"}}",
             refused[i]);
    CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5_codec_from_n5_attributes(json, strlen(json), NULL, &codec, ERR));
  }
}

static void d17_encoded(void) {
  static const uint64_t chunk[2] = {3, 2};
  static const uint16_t array[6] = {1, 4, 2, 5, 3, 6};
  size_t expected_len, i;
  unsigned char *expected = from_hex(D02, &expected_len);
  for (i = 0; i < COUNT(all_compressions); i++) {
    zn5_codec *codec = n5_codec("uint16", all_compressions[i], 2, chunk, NULL);
    uint16_t back[6];
    size_t len;
    unsigned char *block = encode_chunk(codec, array, sizeof array, &len);
    set_case("D17, %s", all_compressions[i]);
    CHECK_BYTES(expected, block, 12);
    if (i == 0) {
      CHECK_EQUAL(expected_len, len);
      CHECK_BYTES(expected, block, expected_len);
    }
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, back, sizeof back, ERR));
    CHECK_BYTES(array, back, sizeof array);
    free(block);
    zn5_codec_free(codec);
  }
  free(expected);
}

int main(void) {
  decode_cases();
  d03_d04_edges();
  d06_sixteen_hundreds();
  d07_d08_blosc();
  d13_policy_18_configurations();
  d14_d15_refused_blocks();
  d16_types();
  d17_encoded();
  return test_result();
}
