/* Metadata both ways through the C API: text by two calls, the grids by flags, refusals by name, NULL, lengths and
 * overlaps. */
#include "support.h"

#define AREA 1024

typedef zn5_status (*converter)(const char *, size_t, uint32_t, char *, size_t, size_t *, zn5_error **);

static const char n5[] = "{\"u\":1.50,\"dimensions\":[100,200,300],\"blockSize\":[64,64,32],\"dataType\":\"uint16\","
                         "\"compression\":{\"type\":\"gzip\",\"level\":-1,\"x\":1}}";

/* Converts by both ways of calling, between guards; NUL-terminated, to be freed. */
static char *convert(converter call, const char *json, uint32_t flags) {
  guarded src = guarded_copy(json, strlen(json)), exact, small;
  size_t needed = 77, len = 77;
  char *text;
  REQUIRE_OK(call((const char *)src.bytes, src.len, flags, NULL, 0, &needed, ERR));
  exact = guard_after(needed);
  CHECK_STATUS(ZN5_OK, call((const char *)src.bytes, src.len, flags, (char *)exact.bytes, needed, &len, ERR));
  CHECK_EQUAL(needed, len);
  text = (char *)allocate(needed + 1);
  memcpy(text, exact.bytes, needed);
  text[needed] = '\0';
  CHECK_EQUAL(needed, strlen(text));
  small = guard_after(needed - 1);
  memset(small.bytes, 0x5c, needed - 1);
  len = 77;
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL,
               call((const char *)src.bytes, src.len, flags, (char *)small.bytes, needed - 1, &len, ERR));
  CHECK_EQUAL(needed, len);
  CHECK_BYTES(json, src.bytes, src.len);
  GUARD_FREE(src);
  GUARD_FREE(exact);
  GUARD_FREE(small);
  return text;
}

static void policy_20_grids_there_and_back(void) {
  static const struct {
    uint32_t flags;
    const char *grid;
  } cases[] = {
      {ZN5_GRID_REGULAR, "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[64,64,32]}}"},
      {ZN5_GRID_REGULAR_BOUNDED, "{\"name\":\"zarrs.regular_bounded\",\"configuration\":{\"chunk_shape\":[64,64,32]}}"},
      {ZN5_GRID_RECTILINEAR,
       "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[64,36],[["
       "64,3],8],[[32,9],12]]}}"}};
  size_t i;
  for (i = 0; i < COUNT(cases); i++) {
    char expected[2048], *zarr, *back;
    uint64_t shape[3];
    zn5_codec *codec = NULL;
    set_case("grid %u", (unsigned)cases[i].flags);
    zarr = convert(zn5_metadata_n5_to_zarr, n5, cases[i].flags);
    snprintf(
        expected, sizeof expected,
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[100,200,300],\"data_type\":\"uint16\",\"chunk_grid\":%s,"
        "\"chunk_key_encoding\":{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}},\"fill_value\":0,"
        "\"codecs\":[{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\","
        "\"configuration\":{\"order\":[2,1,0]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},"
        "{\"name\":\"gzip\",\"configuration\":{\"level\":6}}]}}],\"attributes\":{\"u\":1.50,\"_n5\":%s}}",
        cases[i].grid, n5);
    CHECK_TEXT(expected, zarr);
    REQUIRE_OK(zn5_codec_from_zarr_metadata(zarr, strlen(zarr), NULL, &codec, ERR));
    CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(codec, shape, 3, ERR));
    CHECK(shape[0] == 64 && shape[1] == 64 && shape[2] == 32);
    zn5_codec_free(codec);
    back = convert(zn5_metadata_zarr_to_n5, zarr, 0);
    CHECK_TEXT(n5, back);
    free(zarr);
    free(back);
  }
}

static void groups(void) {
  const char *implicit = zn5_metadata_implicit_group();
  char *text;
  set_case("groups");
  CHECK_TEXT("{\"zarr_format\":3,\"node_type\":\"group\"}", implicit);
  CHECK(implicit == zn5_metadata_implicit_group());
  text = convert(zn5_metadata_zarr_to_n5, implicit, 0);
  CHECK_TEXT("{}", text);
  free(text);
  text = convert(zn5_metadata_n5_to_zarr, "{\"n5\":\"4.0.0\",\"a\":[1 ]} // root", ZN5_GRID_REGULAR);
  CHECK_TEXT(
      "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"a\":[1 ],\"_n5\":{\"n5\":\"4.0.0\",\"a\":[1 ]}}}",
      text);
  free(text);
}

/* policy_20, policy_21: what cannot be said in the other language, with the word that the message must have. */
static void policy_21_refusals(void) {
#define ARRAY(compression)                                                                                             \
  "{\"dimensions\":[5],\"blockSize\":[3],\"dataType\":\"int8\",\"compression\":{\"type\":\"" compression "\"}"
#define ZARR(fill, attributes)                                                                                         \
  "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[5],\"data_type\":\"int8\",\"chunk_grid\":{\"name\":"          \
  "\"regular\",\"configuration\":{\"chunk_shape\":[3]}},\"chunk_key_encoding\":{\"name\":\"v2\",\"configuration\":{"   \
  "\"separator\":\"/\"}},\"fill_value\":" fill                                                                         \
  ",\"codecs\":[{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{"                                             \
  "\"name\":\"transpose\",\"configuration\":{\"order\":[0]}},{\"name\":\"bytes\"}]}}],\"attributes\":" attributes "}"
  static const struct {
    converter call;
    const char *json;
    zn5_status status;
    const char *word;
  } cases[] = {{zn5_metadata_n5_to_zarr, ARRAY("lz4") "}", ZN5_ERROR_NOT_REPRESENTABLE, "lz4"},
               {zn5_metadata_n5_to_zarr, ARRAY("jpeg") "}", ZN5_ERROR_NOT_REPRESENTABLE, "jpeg"},
               {zn5_metadata_n5_to_zarr, ARRAY("raw") ",\"_n5\":1}", ZN5_ERROR_NOT_REPRESENTABLE, "_n5"},
               {zn5_metadata_n5_to_zarr, ARRAY("zfp") "}", ZN5_ERROR_UNSUPPORTED_COMPRESSION, "zfp"},
               {zn5_metadata_n5_to_zarr, "{", ZN5_ERROR_INVALID_JSON, "is cut"},
               {zn5_metadata_n5_to_zarr, "[]", ZN5_ERROR_INVALID_METADATA, "object"},
               {zn5_metadata_zarr_to_n5, ZARR("1", "{}"), ZN5_ERROR_NOT_REPRESENTABLE, "fill_value"},
               {zn5_metadata_zarr_to_n5, ZARR("0", "{\"codecs\":1}"), ZN5_ERROR_NOT_REPRESENTABLE, "codecs"},
               {zn5_metadata_zarr_to_n5, ZARR("0", "[]"), ZN5_ERROR_INVALID_METADATA, "attributes"},
               {zn5_metadata_zarr_to_n5, "{\"zarr_format\":2}", ZN5_ERROR_INVALID_METADATA, "zarr_format"},
               {zn5_metadata_zarr_to_n5, "", ZN5_ERROR_INVALID_JSON, "is empty"}};
  size_t i;
  char *text;
  for (i = 0; i < COUNT(cases); i++) {
    size_t needed = 77;
    set_case("%s", cases[i].json);
    CHECK_STATUS(cases[i].status, cases[i].call(cases[i].json, strlen(cases[i].json), 0, NULL, 0, &needed, ERR));
    CHECK(strstr(last_message, cases[i].word) != NULL);
    CHECK(last_offset >= 0);
    CHECK_EQUAL(77, needed);
  }
  text = convert(zn5_metadata_zarr_to_n5, ZARR("0", "{\"_n5\":1}"), 0);
  CHECK_TEXT(ARRAY("raw") "}", text);
  free(text);
}

static void flags_and_pointers(converter call, const char *name, uint32_t first_bad_flag) {
  const char *json = call == zn5_metadata_n5_to_zarr ? n5 : zn5_metadata_implicit_group();
  const size_t len = strlen(json);
  const uint32_t bad_flags[] = {first_bad_flag, 4, 0x80000000, UINT32_MAX};
  char dst[AREA];
  size_t needed = 77, i;
  set_case("%s", name);
  for (i = 0; i < COUNT(bad_flags); i++)
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, call(json, len, bad_flags[i], dst, sizeof dst, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, call(NULL, 5, 0, dst, sizeof dst, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, call(json, len, 0, NULL, 5, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, call(json, len, 0, dst, sizeof dst, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, call(json, len, 0, NULL, 0, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, call(NULL, 0, 0, dst, sizeof dst, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, call(json, SIZE_MAX, 0, dst, sizeof dst, &needed, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, call(json, len, 0, dst, SIZE_MAX, &needed, ERR));
  CHECK_EQUAL(77, needed);
  CHECK_EQUAL(ZN5_ERROR_NULL_POINTER, call(NULL, 5, 0, NULL, 0, NULL, NULL));
  CHECK_EQUAL(ZN5_OK, call(json, len, 0, dst, sizeof dst, &needed, NULL));
}

/* Any two of document, result and size that share a byte are refused, and nothing is written. */
static void overlaps(void) {
  static const char group[] = "{\"a\":1}";
  const size_t len = strlen(group), dst_len = 120, json_at = 200;
  unsigned char area[AREA], before[AREA];
  size_t needed, dst_at;
  for (dst_at = 60; dst_at < 230; dst_at++) {
    int overlap = dst_at < json_at + len && json_at < dst_at + dst_len;
    zn5_status status;
    set_case("result at %lu", (unsigned long)dst_at);
    memset(area, 0x11, AREA);
    memcpy(area + json_at, group, len);
    memcpy(before, area, AREA);
    status = zn5_metadata_n5_to_zarr((char *)area + json_at, len, 0, (char *)area + dst_at, dst_len, &needed, ERR);
    CHECK_STATUS(overlap ? ZN5_ERROR_BUFFERS_OVERLAP : ZN5_OK, status);
    if (!overlap)
      memcpy(before + dst_at, area + dst_at, needed);
    CHECK_BYTES(before, area, AREA);
  }
  set_case("the size inside another buffer");
  {
    size_t slots[AREA / sizeof(size_t)];
    char *bytes = (char *)slots;
    memset(slots, 0, sizeof slots);
    memcpy(bytes, group, len);
    CHECK_STATUS(ZN5_ERROR_BUFFERS_OVERLAP, zn5_metadata_n5_to_zarr(bytes, len, 0, NULL, 0, slots, ERR));
    CHECK_STATUS(ZN5_ERROR_BUFFERS_OVERLAP,
                 zn5_metadata_n5_to_zarr(group, len, 0, bytes, sizeof slots, slots + 3, ERR));
    CHECK_BYTES(group, bytes, len);
    CHECK_STATUS(ZN5_OK, zn5_metadata_n5_to_zarr(bytes, len, 0, bytes + 64, 256, slots + 8 + 256 / sizeof *slots, ERR));
  }
}

int main(void) {
  policy_20_grids_there_and_back();
  groups();
  policy_21_refusals();
  flags_and_pointers(zn5_metadata_n5_to_zarr, "n5_to_zarr", 3);
  flags_and_pointers(zn5_metadata_zarr_to_n5, "zarr_to_n5", 1);
  overlaps();
  return test_result();
}
