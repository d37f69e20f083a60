/* Every array of strings that another implementation wrote is read: as code units in C and in F order, chunk by chunk
 * and straight into the image, as text, and back again. Odd code units stay readable beside text. Documents are opened
 * or refused as they should be. */
#include "support.h"
#include "utf32.h"

typedef struct {
  const char *folder, *separator;
  int zarr_format;
  uint64_t shape[TEST_MAX_NDIM], chunk_shape[TEST_MAX_NDIM], grid_shape[TEST_MAX_NDIM];
  uint32_t ndim;
  size_t length_bytes, count, array_len, chunk_len;
  unsigned long stored_count, missing_count;
  unsigned char *expected[2]; /* by order; native code units */
} strings;

/* ---- Text ---- */

/* Whether the text of element `index` is the one in hexadecimal, or none where that is "-". `bad` gets 1 in the second
 * case. */
static void check_element(const unsigned char *units, size_t index, size_t length_bytes, const char *hex, int *bad) {
  size_t text_len, needed = 99, i;
  guarded element = guarded_copy(units + index * length_bytes, length_bytes);
  guarded text = guard_after(length_bytes), again = guard_after(length_bytes);
  *bad = strcmp(hex, "-") == 0;
  if (*bad) {
    for (i = 0; is_scalar_value(load_unit(element.bytes + 4 * i, ZN5_ENDIAN_NATIVE)); i++)
      REQUIRE(4 * i + 4 < length_bytes);
    CHECK_STATUS(ZN5_ERROR_INVALID_CODE_POINT, zn5_utf32_decode(element.bytes, length_bytes, ZN5_ENDIAN_NATIVE,
                                                                (char *)text.bytes, length_bytes, &needed, ERR));
    CHECK_EQUAL(4 * i, last_offset);
    CHECK_EQUAL(99, needed);
    for (i = 0; i < length_bytes; i++)
      CHECK(text.bytes[i] == GUARD_PATTERN);
  } else {
    unsigned char *expected = from_hex(hex, &text_len);
    CHECK_STATUS(ZN5_OK, zn5_utf32_decode(element.bytes, length_bytes, ZN5_ENDIAN_NATIVE, (char *)text.bytes,
                                          length_bytes, &needed, ERR));
    CHECK_EQUAL(text_len, needed);
    CHECK_BYTES(expected, text.bytes, text_len);
    CHECK_STATUS(ZN5_OK, zn5_utf32_encode((const char *)text.bytes, text_len, ZN5_ENDIAN_NATIVE, again.bytes,
                                          length_bytes, ERR));
    CHECK_BYTES(element.bytes, again.bytes, length_bytes);
    free(expected);
  }
  GUARD_FREE(element);
  GUARD_FREE(text);
  GUARD_FREE(again);
}

/* The whole array as one text, or the error of its first element that is none; then each element alone. */
static void check_texts(const unsigned char *units, size_t count, size_t length_bytes, char *texts) {
  size_t array_len = count * length_bytes, first_bad = count, total = 0, needed = 99, found = 99, i;
  char **hex = (char **)allocate(count * sizeof *hex);
  unsigned char *expected = (unsigned char *)allocate(array_len), *part;
  uint64_t *ends = (uint64_t *)allocate((count + 1) * sizeof *ends);
  guarded src = guarded_copy(units, array_len), dst = guard_after(array_len);
  guarded offsets = guard_after((count + 1) * sizeof(uint64_t)), again = guard_after(array_len);
  ends[0] = 0;
  for (i = 0; i < count; i++) {
    int bad;
    size_t len = 0;
    hex[i] = next_item(&texts);
    check_element(units, i, length_bytes, hex[i], &bad);
    if (bad) {
      first_bad = first_bad == count ? i : first_bad;
    } else {
      part = from_hex(hex[i], &len);
      memcpy(expected + total, part, len);
      free(part);
    }
    total += len;
    ends[i + 1] = total;
  }
  CHECK(*texts == '\0');
  CHECK_STATUS(ZN5_OK, zn5_utf32_validate(src.bytes, array_len, count, ZN5_ENDIAN_NATIVE, length_bytes, &found, ERR));
  CHECK_EQUAL(first_bad, found);
  if (first_bad == count) {
    CHECK_STATUS(ZN5_OK,
                 zn5_utf32_decode_array(src.bytes, array_len, count, ZN5_ENDIAN_NATIVE, length_bytes, (char *)dst.bytes,
                                        array_len, (uint64_t *)(void *)offsets.bytes, &needed, ERR));
    CHECK_EQUAL(total, needed);
    CHECK_BYTES(expected, dst.bytes, total);
    CHECK_BYTES(ends, offsets.bytes, offsets.len);
    CHECK_STATUS(ZN5_OK, zn5_utf32_encode_array((const char *)dst.bytes, total, (const uint64_t *)(void *)offsets.bytes,
                                                count, ZN5_ENDIAN_NATIVE, length_bytes, again.bytes, array_len, ERR));
    CHECK_BYTES(src.bytes, again.bytes, array_len);
  } else {
    CHECK_STATUS(ZN5_ERROR_INVALID_CODE_POINT,
                 zn5_utf32_decode_array(src.bytes, array_len, count, ZN5_ENDIAN_NATIVE, length_bytes, (char *)dst.bytes,
                                        array_len, (uint64_t *)(void *)offsets.bytes, &needed, ERR));
    CHECK_EQUAL(first_bad, (size_t)last_offset / length_bytes);
    CHECK_EQUAL(99, needed);
    for (i = 0; i < dst.len; i++)
      CHECK(dst.bytes[i] == GUARD_PATTERN);
    for (i = 0; i < offsets.len; i++)
      CHECK(offsets.bytes[i] == GUARD_PATTERN);
  }
  GUARD_FREE(src);
  GUARD_FREE(dst);
  GUARD_FREE(offsets);
  GUARD_FREE(again);
  free(ends);
  free(expected);
  free(hex);
}

/* ---- Arrays ---- */

/* The chunk at `grid`, or NULL. */
static unsigned char *read_chunk(const strings *s, const uint64_t *grid, size_t *len) {
  char path[1024];
  uint32_t axis;
  size_t used;
  format_path(path, "%s/%s%s", vectors_folder(), s->folder, s->zarr_format == 3 ? "/c" : "");
  for (axis = 0; axis < s->ndim; axis++) {
    used = strlen(path);
    snprintf(path + used, sizeof path - used, "%s%" PRIu64, axis == 0 && s->zarr_format == 2 ? "/" : s->separator,
             grid[axis]);
  }
  return read_file(path, len);
}

/* A chunk is the same after encoding: to the byte where nothing compresses it, else after decoding. */
static void check_encoding(const strings *s, const zn5_codec *codec, const unsigned char *chunk,
                           const unsigned char *stored, size_t stored_len) {
  size_t len;
  unsigned char *block = encode_chunk(codec, chunk, s->chunk_len, &len);
  unsigned char *decoded = (unsigned char *)allocate(s->chunk_len);
  if (strcmp(zn5_codec_compression(codec), "raw") == 0) {
    if (CHECK_EQUAL(stored_len, len))
      CHECK_BYTES(stored, block, len);
  }
  CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, decoded, s->chunk_len, ERR));
  CHECK_BYTES(chunk, decoded, s->chunk_len);
  free(block);
  free(decoded);
}

/* Where the chunk at `grid` lies in the array; its part inside. */
static size_t place(const strings *s, const uint64_t *grid, const ptrdiff_t *strides, uint64_t *extent) {
  size_t origin = 0;
  uint32_t axis;
  for (axis = 0; axis < s->ndim; axis++) {
    uint64_t first = grid[axis] * s->chunk_shape[axis], rest = s->shape[axis] - first;
    extent[axis] = rest < s->chunk_shape[axis] ? rest : s->chunk_shape[axis];
    origin += (size_t)first * (size_t)strides[axis];
  }
  return origin;
}

/* Copies the part of a decoded chunk that lies inside the array. */
static void paste(const strings *s, const uint64_t *grid, uint32_t order, const unsigned char *chunk,
                  unsigned char *array) {
  uint64_t index[TEST_MAX_NDIM] = {0}, at[TEST_MAX_NDIM], extent[TEST_MAX_NDIM];
  ptrdiff_t strides[TEST_MAX_NDIM];
  uint32_t axis;
  strides_of(strides, s->shape, s->ndim, order, s->length_bytes);
  place(s, grid, strides, extent);
  do {
    for (axis = 0; axis < s->ndim; axis++)
      at[axis] = grid[axis] * s->chunk_shape[axis] + index[axis];
    memcpy(array + element_number(at, s->shape, s->ndim, order) * s->length_bytes,
           chunk + element_number(index, s->chunk_shape, s->ndim, order) * s->length_bytes, s->length_bytes);
  } while (next_index(index, extent, s->ndim));
}

static void check_array(const strings *s, const zn5_codec *codec, uint32_t order) {
  uint64_t grid[TEST_MAX_NDIM] = {0}, extent[TEST_MAX_NDIM];
  ptrdiff_t strides[TEST_MAX_NDIM];
  unsigned char *chunk = (unsigned char *)allocate(s->chunk_len), *array = (unsigned char *)allocate(s->array_len);
  unsigned char *fill = (unsigned char *)allocate(s->length_bytes);
  guarded image = guard_after(s->array_len);
  unsigned long stored = 0, missing = 0;
  size_t i, len;
  strides_of(strides, s->shape, s->ndim, order, s->length_bytes);
  CHECK_STATUS(ZN5_OK, zn5_codec_fill_value(codec, fill, s->length_bytes, ERR));
  for (i = 0; i < s->count; i++)
    memcpy(image.bytes + i * s->length_bytes, fill, s->length_bytes);
  do {
    unsigned char *block = read_chunk(s, grid, &len);
    if (block == NULL) {
      missing++;
      CHECK_STATUS(ZN5_OK, zn5_fill_block(codec, NULL, chunk, s->chunk_len, ERR));
    } else {
      size_t origin = place(s, grid, strides, extent);
      stored++;
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, chunk, s->chunk_len, ERR));
      CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, extent, image.bytes, image.len, origin,
                                             strides, ERR));
      check_encoding(s, codec, chunk, block, len);
    }
    paste(s, grid, order, chunk, array);
    free(block);
  } while (next_index(grid, s->grid_shape, s->ndim));
  CHECK_EQUAL(s->stored_count, stored);
  CHECK_EQUAL(s->missing_count, missing);
  CHECK_BYTES(s->expected[order], array, s->array_len);
  CHECK_BYTES(s->expected[order], image.bytes, s->array_len);
  GUARD_FREE(image);
  free(fill);
  free(array);
  free(chunk);
}

static void check_settings(const strings *s, const zn5_codec *codec) {
  uint64_t shape[TEST_MAX_NDIM];
  CHECK_EQUAL(ZN5_DTYPE_UTF32, zn5_codec_dtype(codec));
  CHECK_EQUAL(s->length_bytes, zn5_codec_element_size(codec));
  REQUIRE(zn5_codec_ndim(codec) == s->ndim);
  CHECK_STATUS(ZN5_OK, zn5_codec_array_shape(codec, shape, TEST_MAX_NDIM, ERR));
  CHECK_BYTES(s->shape, shape, s->ndim * sizeof *shape);
  CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(codec, shape, TEST_MAX_NDIM, ERR));
  CHECK_BYTES(s->chunk_shape, shape, s->ndim * sizeof *shape);
}

/* The zarr.json of a Zarr v2 array. */
static char *equivalent_document(const strings *s, const char *dtype, const char *codec, const char *fill_value) {
  enum { ROOM = 2048 };
  char *json = (char *)allocate(ROOM), more[256] = "";
  size_t length_bytes;
  zn5_endian endian;
  REQUIRE_OK(zn5_utf32_numpy_dtype_parse(dtype, strlen(dtype), &length_bytes, &endian, ERR));
  CHECK_EQUAL(s->length_bytes, length_bytes);
  if (*codec != '\0')
    snprintf(more, sizeof more, ",%s", codec);
  string_zarr_json(json, ROOM, length_bytes, s->ndim, s->shape, s->chunk_shape, endian, more, fill_value);
  return json;
}

static void check_strings(char *line) {
  strings s;
  char path[1024], *json;
  const char *id = next_field(&line), *dtype, *codec_json, *fill_value;
  size_t json_len;
  uint32_t axis, order;
  set_case("%s", id);
  s.folder = next_field(&line);
  format_path(path, "%s/%s", vectors_folder(), next_field(&line));
  s.expected[ZN5_ORDER_C] = require_file(path, &s.array_len);
  s.length_bytes = (size_t)strtoul(next_field(&line), NULL, 10);
  s.ndim = parse_extents(next_field(&line), s.shape);
  REQUIRE(parse_extents(next_field(&line), s.chunk_shape) == s.ndim);
  s.stored_count = strtoul(next_field(&line), NULL, 10);
  s.missing_count = strtoul(next_field(&line), NULL, 10);
  dtype = next_field(&line);
  s.separator = next_field(&line);
  codec_json = next_field(&line);
  fill_value = next_field(&line);
  for (axis = 0; axis < s.ndim; axis++)
    s.grid_shape[axis] = (s.shape[axis] + s.chunk_shape[axis] - 1) / s.chunk_shape[axis];
  s.count = (size_t)product(s.shape, s.ndim);
  s.chunk_len = (size_t)product(s.chunk_shape, s.ndim) * s.length_bytes;
  REQUIRE(s.array_len == s.count * s.length_bytes);
  if (!is_little_endian())
    reverse_elements(s.expected[ZN5_ORDER_C], s.array_len, 4);
  s.expected[ZN5_ORDER_F] = (unsigned char *)allocate(s.array_len);
  to_order_f(s.expected[ZN5_ORDER_F], s.expected[ZN5_ORDER_C], s.shape, s.ndim, s.length_bytes);

  s.zarr_format = *dtype == '\0' ? 3 : 2;
  if (s.zarr_format == 2) {
    json = equivalent_document(&s, dtype, codec_json, fill_value);
    json_len = strlen(json);
  } else {
    format_path(path, "%s/%s/zarr.json", vectors_folder(), s.folder);
    json = (char *)require_file(path, &json_len);
  }
  for (order = ZN5_ORDER_C; order <= ZN5_ORDER_F; order++) {
    zn5_codec_options options = default_options();
    zn5_codec *codec = NULL;
    set_case("%s, %s order", id, order == ZN5_ORDER_C ? "C" : "F");
    options.order = order;
    REQUIRE_OK(zn5_codec_from_zarr_metadata(json, json_len, &options, &codec, ERR));
    check_settings(&s, codec);
    check_array(&s, codec, order);
    zn5_codec_free(codec);
  }
  set_case("%s, text", id);
  check_texts(s.expected[ZN5_ORDER_C], s.count, s.length_bytes, next_field(&line));
  free(json);
  free(s.expected[ZN5_ORDER_C]);
  free(s.expected[ZN5_ORDER_F]);
}

/* ---- Odd code units, and chunks of the wrong size ---- */

typedef struct {
  const char *id;
  zn5_status status;
  const char *named; /* by the message */
} refusal;

static const refusal *find_refusal(const refusal *table, size_t count, const char *id) {
  while (count-- > 0)
    if (strcmp(table[count].id, id) == 0)
      return &table[count];
  fail_at(__FILE__, __LINE__, "no status is given for %s", id);
  exit(1);
}

static const refusal refused_chunks[] = {
    {"chunk-short-element", ZN5_ERROR_TRUNCATED_BLOCK, "60"},
    {"chunk-short-byte", ZN5_ERROR_TRUNCATED_BLOCK, "79"},
    {"chunk-long-unit", ZN5_ERROR_TRAILING_DATA, "84"},
    {"chunk-empty", ZN5_ERROR_EMPTY_BLOCK, "0 bytes"},
};

static void check_units(char *line) {
  const char *id = next_field(&line), *folder = next_field(&line), *key = next_field(&line);
  size_t length_bytes = (size_t)strtoul(next_field(&line), NULL, 10);
  size_t count = (size_t)strtoul(next_field(&line), NULL, 10), array_len = length_bytes * count, len, i;
  char path[1024], *json, *units = next_field(&line), *texts = next_field(&line);
  unsigned char *array = (unsigned char *)allocate(array_len), *block;
  zn5_codec *codec = NULL;
  set_case("%s", id);
  format_path(path, "%s/%s/zarr.json", vectors_folder(), folder);
  json = (char *)require_file(path, &len);
  REQUIRE_OK(zn5_codec_from_zarr_metadata(json, len, NULL, &codec, ERR));
  CHECK_EQUAL(length_bytes, zn5_codec_element_size(codec));
  format_path(path, "%s/%s/%s", vectors_folder(), folder, key);
  block = require_file(path, &len);
  if (*units == '\0') {
    const refusal *expected = find_refusal(refused_chunks, COUNT(refused_chunks), id);
    CHECK_STATUS(expected->status, decode_guarded(codec, block, len, NULL, array, array_len, ERR));
    CHECK_MESSAGE(expected->named);
    CHECK_STATUS(expected->status,
                 zn5_decode_region(codec, block, len, NULL, NULL, NULL, array, array_len, 0, NULL, ERR));
  } else {
    CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, array, array_len, ERR));
    for (i = 0; i < count; i++) {
      size_t expected_len, at;
      unsigned char *expected = from_hex(next_item(&units), &expected_len);
      REQUIRE(expected_len == length_bytes);
      for (at = 0; at < length_bytes; at += 4)
        CHECK_EQUAL(load_unit(expected + at, ZN5_ENDIAN_BIG),
                    load_unit(array + i * length_bytes + at, ZN5_ENDIAN_NATIVE));
      free(expected);
    }
    check_texts(array, count, length_bytes, texts);
  }
  zn5_codec_free(codec);
  free(block);
  free(array);
  free(json);
}

/* ---- Documents ---- */

static const refusal refused_documents[] = {
    {"fill-too-long", ZN5_ERROR_STRING_TOO_LONG, "fill_value"},
    {"fill-too-long-nuls", ZN5_ERROR_STRING_TOO_LONG, "fill_value"},
    {"fill-lone-surrogate", ZN5_ERROR_INVALID_CODE_POINT, "fill_value"},
    {"fill-number", ZN5_ERROR_INVALID_METADATA, "fill_value"},
    {"fill-null", ZN5_ERROR_INVALID_METADATA, "fill_value"},
    {"fill-array", ZN5_ERROR_INVALID_METADATA, "fill_value"},
    {"fill-bool", ZN5_ERROR_INVALID_METADATA, "fill_value"},
    {"length-0", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
    {"length-21", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
    {"length-negative", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
    {"length-string", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
    {"length-missing", ZN5_ERROR_INVALID_METADATA, "length_bytes"},
    {"configuration-missing", ZN5_ERROR_INVALID_METADATA, "configuration"},
    {"type-bare-string", ZN5_ERROR_INVALID_METADATA, "configuration"},
    {"endian-missing", ZN5_ERROR_INVALID_METADATA, "endian"},
    {"endian-odd", ZN5_ERROR_INVALID_METADATA, "endian"},
};

static void check_document(char *line) {
  const char *id = next_field(&line);
  char path[1024], *json;
  unsigned char *points, *element;
  size_t len, points_len, at;
  zn5_codec *codec = (zn5_codec *)(void *)&test_poison;
  set_case("%s", id);
  format_path(path, "%s/%s", vectors_folder(), next_field(&line));
  json = (char *)require_file(path, &len);
  if (strcmp(next_field(&line), "accept") == 0) {
    REQUIRE_OK(zn5_codec_from_zarr_metadata(json, len, NULL, &codec, ERR));
    points = from_hex(next_field(&line), &points_len);
    len = zn5_codec_element_size(codec);
    element = (unsigned char *)allocate(len);
    REQUIRE(points_len <= len);
    CHECK_STATUS(ZN5_OK, zn5_codec_fill_value(codec, element, len, ERR));
    for (at = 0; at < len; at += 4)
      CHECK_EQUAL(at < points_len ? load_unit(points + at, ZN5_ENDIAN_BIG) : 0,
                  load_unit(element + at, ZN5_ENDIAN_NATIVE));
    zn5_codec_free(codec);
    free(element);
    free(points);
  } else {
    const refusal *expected = find_refusal(refused_documents, COUNT(refused_documents), id);
    CHECK_STATUS(expected->status, zn5_codec_from_zarr_metadata(json, len, NULL, &codec, ERR));
    CHECK_MESSAGE(expected->named);
    CHECK(codec == NULL);
  }
  free(json);
}

int main(void) {
  int found = for_each_vector("string", check_strings) > 0 && for_each_vector("string_unit", check_units) > 0 &&
              for_each_vector("string_document", check_document) > 0;
  return found ? test_result() : 1;
}
