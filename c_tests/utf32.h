/* What the tests of fixed_length_utf32 share, to be included after support.h: code units in either byte order, an UTF-8
 * encoder of their own, and zarr.json documents of arrays whose chain is `bytes` with or without compressors. */
#ifndef ZN5_TEST_UTF32_H
#define ZN5_TEST_UTF32_H

static const zn5_endian both_endians[] = {ZN5_ENDIAN_LITTLE, ZN5_ENDIAN_BIG};

static inline const char *endian_name(zn5_endian endian) {
  return endian == ZN5_ENDIAN_LITTLE ? "little" : "big";
}

static inline void store_unit(unsigned char *dst, uint32_t unit, zn5_endian endian) {
  int byte;
  for (byte = 0; byte < 4; byte++)
    dst[byte] = (unsigned char)(unit >> (endian == ZN5_ENDIAN_LITTLE ? 8 * byte : 24 - 8 * byte) & 0xff);
}

static inline uint32_t load_unit(const unsigned char *src, zn5_endian endian) {
  uint32_t unit = 0;
  int byte;
  for (byte = 0; byte < 4; byte++)
    unit |= (uint32_t)src[byte] << (endian == ZN5_ENDIAN_LITTLE ? 8 * byte : 24 - 8 * byte);
  return unit;
}

static inline int is_scalar_value(uint32_t point) {
  return point < 0xD800 || (point > 0xDFFF && point <= 0x10FFFF);
}

/* The UTF-8 of a scalar value; its length. */
static inline size_t utf8_of(uint32_t point, unsigned char *dst) {
  size_t len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4, at;
  static const unsigned char first[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
  for (at = len - 1; at > 0; at--, point >>= 6)
    dst[at] = (unsigned char)(0x80 | (point & 0x3f));
  dst[0] = (unsigned char)(first[len] | point);
  return len;
}

/* A zarr.json. `more_codecs` is "" or `,{...}`, what follows `bytes`. */
static inline void zarr_json(char *json, size_t room, const char *data_type, uint32_t ndim, const uint64_t *shape,
                             const uint64_t *chunk_shape, zn5_endian endian, const char *more_codecs,
                             const char *fill_value) {
  size_t used;
  snprintf(json, room, "{\"zarr_format\":3,\"node_type\":\"array\",\"data_type\":%s,", data_type);
  append_extents(json, room, "shape", shape, ndim);
  used = strlen(json);
  snprintf(json + used, room - used, "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{");
  append_extents(json, room, "chunk_shape", chunk_shape, ndim);
  used = strlen(json) - 1; /* the comma */
  snprintf(json + used, room - used,
           "}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":%s,\"codecs\":[{\"name\":\"bytes\","
           "\"configuration\":{\"endian\":\"%s\"}}%s]}",
           fill_value, endian_name(endian), more_codecs);
  REQUIRE(strlen(json) + 1 < room);
}

static inline zn5_codec *codec_from_zarr(const char *json, const zn5_codec_options *options) {
  zn5_codec *codec = NULL;
  if (!CHECK_STATUS(ZN5_OK, zn5_codec_from_zarr_metadata(json, strlen(json), options, &codec, ERR))) {
    printf("the document: %s\n", json);
    exit(1);
  }
  return codec;
}

/* Does the same for an array of strings. */
static inline void string_zarr_json(char *json, size_t room, size_t length_bytes, uint32_t ndim, const uint64_t *shape,
                                    const uint64_t *chunk_shape, zn5_endian endian, const char *more_codecs,
                                    const char *fill_value) {
  char data_type[128];
  size_t needed = 0;
  REQUIRE_OK(zn5_utf32_data_type_json(length_bytes, data_type, sizeof data_type - 1, &needed, ERR));
  data_type[needed] = '\0';
  zarr_json(json, room, data_type, ndim, shape, chunk_shape, endian, more_codecs, fill_value);
}

/* The next item of a comma-separated list, ended by NUL; the list shrinks. */
static inline char *next_item(char **list) {
  char *item = *list, *comma = strchr(item, ',');
  if (comma == NULL) {
    *list = item + strlen(item);
  } else {
    *comma = '\0';
    *list = comma + 1;
  }
  return item;
}

#endif /* ZN5_TEST_UTF32_H */
