/* Zarr arrays whose chain is `bytes` and compressors: no header, C order, either byte order, several compressors in a
 * row. */
#include "support.h"

#define GZIP "{\"name\":\"gzip\",\"configuration\":{\"level\":5}}"
#define ZSTD "{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}"
#define BLOSC                                                                                                          \
  "{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\",\"typesize\":4,"      \
  "\"blocksize\":0}}"
#define BZ2 "{\"name\":\"numcodecs.bz2\",\"configuration\":{\"level\":1}}"
#define LZMA "{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":1,\"check\":-1,\"preset\":1,\"filters\":null}}"
#define ZLIB "{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":1}}"

static const struct {
  const char *codecs, *compression;
} chains[] = {
    {"", "raw"},
    {"," GZIP, "gzip"},
    {"," ZSTD, "zstd"},
    {"," BLOSC, "blosc"},
    {"," BZ2, "bzip2"},
    {"," LZMA, "xz"},
    {"," ZLIB, "gzip"},
    {"," BLOSC "," GZIP, "gzip"},
    {"," GZIP "," ZSTD "," BZ2, "bzip2"},
    {"," ZSTD "," ZSTD "," ZSTD "," ZSTD, "zstd"},
    {"," LZMA "," BLOSC "," ZLIB, "gzip"},
};

static const uint64_t chunk[3] = {3, 4, 5};

#define FOUR(codec) codec codec codec codec

static zn5_status open_chain(const char *data_type, const char *bytes, const char *codecs,
                             const zn5_codec_options *options, zn5_codec **codec) {
  char json[2048];
  snprintf(
      json, sizeof json,
      "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[7,8,9],\"data_type\":\"%s\",\"chunk_grid\":{\"name\":"
      "\"regular\","
      "\"configuration\":{\"chunk_shape\":[3,4,5]}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":3,"
      "\"codecs\":[%s%s]}",
      data_type, bytes, codecs);
  return zn5_codec_from_zarr_metadata(json, strlen(json), options, codec, ERR);
}

static const char *bytes_codec(int big) {
  return big ? "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
             : "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}";
}

static void policy_18_round_trips(void) {
  size_t i, t;
  for (i = 0; i < COUNT(chains); i++)
    for (t = 0; t < COUNT(n5_data_types); t++) {
      zn5_codec_options options = default_options();
      zn5_codec *codec = NULL;
      unsigned char array[60 * 8], in_order[60 * 8], back[60 * 8], part[2 * 8], *stored;
      size_t size, len;
      int big = (int)(i + t) % 2;
      uint64_t offset[3] = {2, 3, 1}, extent[3] = {1, 1, 2};
      options.order = (uint32_t)(i + t / 2) % 2;
      set_case("%s%s of %s, order %u", bytes_codec(big), chains[i].codecs, n5_data_types[t], options.order);
      REQUIRE_OK(open_chain(n5_data_types[t], bytes_codec(big), chains[i].codecs, &options, &codec));
      CHECK_TEXT(chains[i].compression, zn5_codec_compression(codec));
      size = zn5_codec_element_size(codec);
      fill_runs(array, sizeof array, (uint32_t)(i + t));
      memcpy(in_order, array, sizeof array);
      if (options.order == ZN5_ORDER_F)
        to_order_f(in_order, array, chunk, 3, size);
      stored = encode_chunk(codec, in_order, 60 * size, &len);
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, stored, len, NULL, back, 60 * size, ERR));
      CHECK_BYTES(in_order, back, 60 * size);
      CHECK_STATUS(ZN5_OK,
                   zn5_decode_region(codec, stored, len, NULL, offset, extent, part, sizeof part, 0, NULL, ERR));
      CHECK_BYTES(array + ((2 * 4 + 3) * 5 + 1) * size, part, 2 * size);
      if (i == 0) { /* stored as they are, in C order */
        CHECK_EQUAL(60 * size, len);
        memcpy(back, stored, len);
        if (big == is_little_endian())
          reverse_elements(back, len, size);
        CHECK_BYTES(array, back, len);
      }
      /* Damage is noticed here too: nothing, a byte less, a byte more. */
      CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_decode_block(codec, NULL, 0, NULL, back, sizeof back, ERR));
      CHECK_STATUS(i == 0 ? ZN5_ERROR_TRUNCATED_BLOCK : ZN5_ERROR_CORRUPT_PAYLOAD,
                   zn5_decode_block(codec, stored, len - 1, NULL, back, sizeof back, ERR));
      free(stored);
      zn5_codec_free(codec);
    }
}

/* No header tells the stored shape: the call does. */
static void stored_shapes(void) {
  static const uint64_t other[3] = {1, 2, 3}, same_size[3] = {5, 4, 3};
  zn5_codec *codec = NULL;
  unsigned char array[60], back[60], stored[256];
  size_t len, i;
  for (i = 0; i < 2; i++) {
    const char *codecs = i == 0 ? "" : "," GZIP;
    set_case("stored shape, %s", i == 0 ? "raw" : "gzip");
    REQUIRE_OK(open_chain("uint8", bytes_codec(0), codecs, NULL, &codec));
    fill_runs(array, sizeof array, 2);
    CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, other, array, 6, stored, sizeof stored, &len, ERR));
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, stored, len, other, back, 6, ERR));
    CHECK_BYTES(array, back, 6);
    CHECK_STATUS(i == 0 ? ZN5_ERROR_TRUNCATED_BLOCK : ZN5_ERROR_PAYLOAD_SIZE_MISMATCH,
                 zn5_decode_block(codec, stored, len, NULL, back, sizeof back, ERR));
    CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, NULL, array, 60, stored, sizeof stored, &len, ERR));
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, stored, len, same_size, back, 60, ERR));
    CHECK_STATUS(i == 0 ? ZN5_ERROR_TRAILING_DATA : ZN5_ERROR_PAYLOAD_SIZE_MISMATCH,
                 zn5_decode_block(codec, stored, len, other, back, sizeof back, ERR));
    zn5_codec_free(codec);
  }
}

static void policy_18_byte_orders(void) {
  zn5_codec *codec = NULL;
  set_case("no endian");
  CHECK_STATUS(ZN5_OK, open_chain("uint8", "{\"name\":\"bytes\"}", "", NULL, &codec));
  zn5_codec_free(codec);
  CHECK_STATUS(ZN5_ERROR_INVALID_METADATA, open_chain("uint16", "{\"name\":\"bytes\"}", "", NULL, &codec));
  set_case("another endian");
  CHECK_STATUS(
      ZN5_ERROR_INVALID_METADATA,
      open_chain("uint16", "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"native\"}}", "", NULL, &codec));
  set_case("an unknown codec behind");
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_CODEC,
               open_chain("uint16", bytes_codec(0), ",{\"name\":\"crc32c\"}", NULL, &codec));
  CHECK(codec == NULL);
}

static void as_json(void) {
  static const char expected[] = "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},"
                                 "{\"name\":\"gzip\",\"configuration\":{\"level\":5}},"
                                 "{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}]";
  zn5_codec *codec = NULL;
  char text[512];
  size_t len = 0;
  set_case("to_json");
  REQUIRE_OK(open_chain("int32", bytes_codec(1), "," GZIP "," ZSTD, NULL, &codec));
  CHECK_STATUS(ZN5_OK, zn5_codec_to_json(codec, text, sizeof text - 1, &len, ERR));
  text[len] = '\0';
  CHECK_TEXT(expected, text);
  zn5_codec_free(codec);
}

/* Further compressors do not let a stream expand without end: what lies between two is limited by the chunk. */
static void policy_15_streams_between_compressors(void) {
  static const uint64_t large[1] = {1 << 20}, small[1] = {12};
  static const char *const last = "," ZLIB;
  zn5_codec *one = NULL, *many = NULL;
  unsigned char *array = (unsigned char *)calloc(1, 1 << 20), stored[4096], back[12];
  char codecs[2048] = "";
  const char *format =
      "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[12],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":"
      "\"regular\",\"configuration\":{\"chunk_shape\":[12]}},\"chunk_key_encoding\":\"default\",\"fill_value\":0,"
      "\"codecs\":[\"bytes\"%s]}";
  char json[4096];
  size_t len = 0;
  set_case("16 compressors");
  REQUIRE(array != NULL);
  snprintf(json, sizeof json, format, last);
  REQUIRE_OK(zn5_codec_from_zarr_metadata(json, strlen(json), NULL, &one, ERR));
  strcpy(codecs, FOUR(FOUR("," ZLIB)));
  snprintf(json, sizeof json, format, codecs);
  REQUIRE_OK(zn5_codec_from_zarr_metadata(json, strlen(json), NULL, &many, ERR));
  CHECK_STATUS(ZN5_OK, zn5_encode_block(one, large, array, 1 << 20, stored, sizeof stored, &len, ERR));
  CHECK_STATUS(ZN5_ERROR_PAYLOAD_SIZE_MISMATCH, zn5_decode_block(many, stored, len, small, back, sizeof back, ERR));
  CHECK_STATUS(ZN5_OK, zn5_encode_block(many, small, array, 12, stored, sizeof stored, &len, ERR));
  CHECK_STATUS(ZN5_OK, zn5_decode_block(many, stored, len, small, back, sizeof back, ERR));
  CHECK_BYTES(array, back, 12);
  zn5_codec_free(one);
  zn5_codec_free(many);
  set_case("17 compressors");
  strcat(codecs, last);
  snprintf(json, sizeof json, format, codecs);
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_CODEC, zn5_codec_from_zarr_metadata(json, strlen(json), NULL, &many, ERR));
  CHECK(many == NULL);
  free(array);
}

int main(void) {
  policy_18_round_trips();
  stored_shapes();
  policy_18_byte_orders();
  as_json();
  policy_15_streams_between_compressors();
  return test_result();
}
