/* The fill value pads blocks and stands for missing ones, bit for bit; bits of stored elements survive too; extents of
 * 0 are all fill. */
#include "support.h"

#define ZARR(type, fill)                                                                                               \
  "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[3,2],\"data_type\":\"" type                                   \
  "\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[3,2]}},\"chunk_key_encoding\":{"        \
  "\"name\":"                                                                                                          \
  "\"v2\",\"configuration\":{\"separator\":\"/\"}},\"fill_value\":" fill                                               \
  ",\"codecs\":[{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":{"   \
  "\"order\":"                                                                                                         \
  "[1,0]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]}}]}"

static const uint64_t chunk[2] = {3, 2};

/* Fill values of documents, as bytes in big-endian order. */
static void policy_17_fill_values(void) {
  static const struct {
    const char *json, *expected;
  } cases[] = {
      {ZARR("uint8", "255"), "ff"},
      {ZARR("int8", "-128"), "80"},
      {ZARR("uint16", "258"), "0102"},
      {ZARR("int64", "-9223372036854775808"), "8000000000000000"},
      {ZARR("uint64", "18446744073709551615"), "ffffffffffffffff"},
      {ZARR("float32", "1"), "3f800000"},
      {ZARR("float32", "-0.0"), "80000000"},
      {ZARR("float32", "0.1"), "3dcccccd"},
      {ZARR("float32", "\"NaN\""), "7fc00000"},
      {ZARR("float32", "\"Infinity\""), "7f800000"},
      {ZARR("float32", "\"-Infinity\""), "ff800000"},
      {ZARR("float32", "\"0x7fa00001\""), "7fa00001"},
      {ZARR("float64", "\"NaN\""), "7ff8000000000000"},
      {ZARR("float64", "\"0xfff0000000000001\""), "fff0000000000001"},
      {ZARR("float64", "5e-324"), "0000000000000001"},
  };
  size_t i, k;
  for (i = 0; i < COUNT(cases); i++) {
    zn5_codec *codec = NULL;
    size_t size;
    unsigned char *expected = from_hex(cases[i].expected, &size), value[8];
    guarded dst;
    set_case("%s", cases[i].json);
    if (is_little_endian())
      reverse_elements(expected, size, size);
    REQUIRE_OK(zn5_codec_from_zarr_metadata(cases[i].json, strlen(cases[i].json), NULL, &codec, ERR));
    CHECK_EQUAL(size, zn5_codec_element_size(codec));
    CHECK_STATUS(ZN5_OK, zn5_codec_fill_value(codec, value, sizeof value, ERR));
    CHECK_BYTES(expected, value, size);
    dst = guard_after(6 * size);
    CHECK_STATUS(ZN5_OK, zn5_fill_block(codec, NULL, dst.bytes, dst.len, ERR));
    for (k = 0; k < 6; k++)
      CHECK_BYTES(expected, dst.bytes + k * size, size);
    GUARD_FREE(dst);
    free(expected);
    zn5_codec_free(codec);
  }
}

static void policy_01_missing_chunks(void) {
  static const uint64_t shapes[][2] = {{3, 2}, {1, 1}, {10, 7}, {0, 5}, {64, 64}};
  size_t t, s, i;
  for (t = 0; t < COUNT(n5_data_types); t++)
    for (s = 0; s < COUNT(shapes); s++) {
      static const unsigned char fill[8] = {1, 2, 3, 4, 5, 6, 7, 8}, zero[8] = {0};
      zn5_codec *plain = n5_codec(n5_data_types[t], NULL, 2, chunk, NULL), *filled;
      zn5_codec_options options = default_options();
      size_t size = zn5_codec_element_size(plain), len = (size_t)product(shapes[s], 2) * size;
      guarded dst = guard_after(len + 3), room = guard_before(len + 3);
      options.fill_value = fill;
      options.fill_value_len = size;
      filled = n5_codec(n5_data_types[t], NULL, 2, chunk, &options);
      set_case("%s, shape %lu", n5_data_types[t], (unsigned long)s);
      CHECK_STATUS(ZN5_OK, zn5_fill_block(plain, shapes[s], room.bytes, room.len, ERR));
      CHECK_STATUS(ZN5_OK, zn5_fill_block(filled, shapes[s], dst.bytes, dst.len, ERR));
      for (i = 0; i < len / size; i++) {
        CHECK_BYTES(zero, room.bytes + i * size, size);
        CHECK_BYTES(fill, dst.bytes + i * size, size);
      }
      for (i = len; i < len + 3; i++)
        CHECK(dst.bytes[i] == GUARD_PATTERN && room.bytes[i] == GUARD_PATTERN);
      if (len > 0)
        CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_fill_block(filled, shapes[s], dst.bytes, len - 1, ERR));
      GUARD_FREE(dst);
      GUARD_FREE(room);
      zn5_codec_free(plain);
      zn5_codec_free(filled);
    }
}

/* Quiet and signalling NaN with payloads, both zeros, the smallest and the largest, through crop and pad. */
static void policy_17_bit_patterns(void) {
  static const uint32_t singles[6] = {0x7fc00123u, 0xffa00001u, 0x80000000u, 0x00000001u, 0x7f7fffffu, 0xffffffffu};
  static const uint64_t doubles[6] = {UINT64_C(0x7ff8000000000123), UINT64_C(0xfff0000000000001),
                                      UINT64_C(0x8000000000000000), 1,
                                      UINT64_C(0x7fefffffffffffff), UINT64_MAX};
  static const uint64_t cropped[2] = {2, 1}, padded[2] = {4, 3};
  size_t c, kind;
  for (c = 0; c < COUNT(all_compressions); c++)
    for (kind = 0; kind < 4; kind++) {
      static const char *const types[] = {"float32", "float64", "uint32", "int64"};
      size_t size = kind % 2 == 0 ? 4 : 8, len;
      const unsigned char *array =
          kind % 2 == 0 ? (const unsigned char *)(const void *)singles : (const unsigned char *)(const void *)doubles;
      const unsigned char *fill = array + size; /* a signalling NaN */
      unsigned char dst[12 * 8], *block;
      uint64_t index[2] = {0, 0};
      zn5_codec_options options = default_options();
      zn5_codec *codec;
      options.fill_value = fill;
      options.fill_value_len = size;
      codec = n5_codec(types[kind], all_compressions[c], 2, chunk, &options);
      block = encode_chunk(codec, array, 6 * size, &len);
      set_case("%s of %s", all_compressions[c], types[kind]);
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, dst, 6 * size, ERR));
      CHECK_BYTES(array, dst, 6 * size);
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, cropped, dst, 2 * size, ERR));
      CHECK_BYTES(array, dst, size);
      CHECK_BYTES(array + 2 * size, dst + size, size);
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, padded, dst, 12 * size, ERR));
      do {
        int inside = index[0] < 3 && index[1] < 2;
        CHECK_BYTES(inside ? array + element_number(index, chunk, 2, ZN5_ORDER_C) * size : fill,
                    dst + element_number(index, padded, 2, ZN5_ORDER_C) * size, size);
      } while (next_index(index, padded, 2));
      free(block);
      zn5_codec_free(codec);
    }
}

/* The payload of an empty block may be absent or decompress to nothing. */
static void policy_12_extents_of_zero(void) {
  static const struct {
    const char *compression, *nothing, *something;
  } cases[] = {
      {"{\"type\":\"raw\"}", "", "00"},
      {"{\"type\":\"gzip\"}", "1f8b080000000000000303000000000000000000",
       "1f8b0800000000000003 630000 8def02d2 01000000"},
      {"{\"type\":\"gzip\",\"useZlib\":true}", "789c030000000001", "789c630000 00010001"},
      {"{\"type\":\"bzip2\"}", "425a683917724538509000000000", NULL},
      {"{\"type\":\"zstd\"}", "28b52ffd2000010000", "28b52ffd2001 090000 00"},
      {"{\"type\":\"lz4\"}", "4c5a34426c6f636b16000000000000000000000000", NULL},
  };
  static const uint64_t zeros[][2] = {{0, 2}, {3, 0}, {0, 0}, {0, 4000000000u}};
  static const uint16_t fill = 0x1234;
  size_t c, z, i;
  for (c = 0; c < COUNT(cases); c++)
    for (z = 0; z < COUNT(zeros); z++) {
      zn5_codec_options options = default_options();
      zn5_codec *codec;
      unsigned char block[256];
      uint16_t dst[6];
      size_t header_len = write_header(block, zeros[z], 2), len;
      unsigned char *payload = from_hex(cases[c].nothing, &len);
      options.fill_value = &fill;
      options.fill_value_len = sizeof fill;
      codec = n5_codec("uint16", cases[c].compression, 2, chunk, &options);
      memcpy(block + header_len, payload, len);
      free(payload);
      set_case("policy_12: %s, zeros %lu, a stream of nothing", cases[c].compression, (unsigned long)z);
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, header_len + len, NULL, dst, sizeof dst, ERR));
      for (i = 0; i < 6; i++)
        CHECK_EQUAL(fill, dst[i]);
      set_case("policy_12: %s, zeros %lu, no payload", cases[c].compression, (unsigned long)z);
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, header_len, NULL, dst, sizeof dst, ERR));
      for (i = 0; i < 6; i++)
        CHECK_EQUAL(fill, dst[i]);
      if (cases[c].something != NULL) {
        payload = from_hex(cases[c].something, &len);
        memcpy(block + header_len, payload, len);
        free(payload);
        set_case("policy_12: %s, zeros %lu, a stream of something", cases[c].compression, (unsigned long)z);
        CHECK_STATUS(ZN5_ERROR_PAYLOAD_SIZE_MISMATCH,
                     decode_guarded(codec, block, header_len + len, NULL, dst, sizeof dst, ERR));
      }
      zn5_codec_free(codec);
    }
}

/* A requested extent of 0 gives nothing and checks the block all the same. */
static void empty_requests(void) {
  static const uint64_t none[2] = {0, 2};
  zn5_codec *codec = n5_codec("uint8", "{\"type\":\"zstd\"}", 2, chunk, NULL);
  unsigned char block[64];
  size_t len;
  set_case("a shape with an extent of 0");
  CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, NULL, "abcdef", 6, block, sizeof block, &len, ERR));
  CHECK_STATUS(ZN5_OK, zn5_decode_block(codec, block, len, none, NULL, 0, ERR));
  CHECK_STATUS(ZN5_ERROR_CORRUPT_PAYLOAD, zn5_decode_block(codec, block, len - 1, none, NULL, 0, ERR));
  zn5_codec_free(codec);
}

int main(void) {
  policy_17_fill_values();
  policy_01_missing_chunks();
  policy_17_bit_patterns();
  policy_12_extents_of_zero();
  empty_requests();
  return test_result();
}
