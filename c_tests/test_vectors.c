/* Every dataset that another implementation wrote decodes to its expected array: from each document that describes it,
 * in C and in F order, block by block with decode_block and straight into the whole image with decode_region. Missing
 * blocks read as the fill value. */
#include "support.h"

typedef struct {
  const char *id;
  char folder[1024];
  uint64_t shape[TEST_MAX_NDIM], chunk_shape[TEST_MAX_NDIM];
  uint32_t ndim;
  size_t element_size, array_len;
  unsigned long block_count, missing_count;
  unsigned char *expected[2]; /* by order */
} dataset;

/* Copies the part of a decoded chunk that lies inside the array. */
static void paste(const dataset *d, const uint64_t *grid, uint32_t order, const unsigned char *chunk,
                  unsigned char *array) {
  uint64_t index[TEST_MAX_NDIM] = {0}, at[TEST_MAX_NDIM];
  do {
    uint32_t axis;
    for (axis = 0; axis < d->ndim; axis++) {
      at[axis] = grid[axis] * d->chunk_shape[axis] + index[axis];
      if (at[axis] >= d->shape[axis])
        break;
    }
    if (axis == d->ndim)
      memcpy(array + element_number(at, d->shape, d->ndim, order) * d->element_size,
             chunk + element_number(index, d->chunk_shape, d->ndim, order) * d->element_size, d->element_size);
  } while (next_index(index, d->chunk_shape, d->ndim));
}

/* decode_block for every position, assembled here. */
static void by_blocks(const dataset *d, const zn5_codec *codec, uint32_t order) {
  uint64_t grid[TEST_MAX_NDIM] = {0}, grid_shape[TEST_MAX_NDIM], shape[TEST_MAX_NDIM], chunk_shape[TEST_MAX_NDIM];
  size_t chunk_len = (size_t)product(d->chunk_shape, d->ndim) * d->element_size, block_len;
  unsigned char *chunk = (unsigned char *)allocate(chunk_len);
  unsigned char *array = (unsigned char *)allocate(d->array_len);
  unsigned long stored = 0, missing = 0;
  grid_of(codec, shape, chunk_shape, grid_shape);
  do {
    unsigned char *block = read_block(d->folder, d->ndim, grid, &block_len);
    if (block == NULL) {
      missing++;
      CHECK_STATUS(ZN5_OK, zn5_fill_block(codec, NULL, chunk, chunk_len, ERR));
    } else {
      stored++;
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, block_len, NULL, chunk, chunk_len, ERR));
    }
    paste(d, grid, order, chunk, array);
    free(block);
  } while (next_index(grid, grid_shape, d->ndim));
  CHECK_EQUAL(d->block_count, stored);
  CHECK_EQUAL(d->missing_count, missing);
  CHECK_BYTES(d->expected[order], array, d->array_len);
  free(array);
  free(chunk);
}

/* decode_region for every position, cut to the array, with the strides of the image. */
static void into_image(const dataset *d, const zn5_codec *codec, uint32_t order) {
  ptrdiff_t strides[TEST_MAX_NDIM];
  guarded image = guard_after(d->array_len);
  memset(image.bytes, 0, image.len); /* missing blocks */
  strides_of(strides, d->shape, d->ndim, order, d->element_size);
  CHECK_EQUAL(d->block_count, read_dataset(d->folder, codec, image.bytes, image.len, strides));
  CHECK_BYTES(d->expected[order], image.bytes, d->array_len);
  GUARD_FREE(image);
}

static void check_settings(const dataset *d, const zn5_codec *codec) {
  uint64_t shape[TEST_MAX_NDIM];
  CHECK_EQUAL(d->ndim, zn5_codec_ndim(codec));
  CHECK_EQUAL(d->element_size, zn5_codec_element_size(codec));
  REQUIRE_OK(zn5_codec_array_shape(codec, shape, TEST_MAX_NDIM, ERR));
  CHECK_BYTES(d->shape, shape, d->ndim * sizeof *shape);
  REQUIRE_OK(zn5_codec_chunk_shape(codec, shape, TEST_MAX_NDIM, ERR));
  CHECK_BYTES(d->chunk_shape, shape, d->ndim * sizeof *shape);
}

/* `path` is an attributes.json or a zarr.json. */
static void from_document(const dataset *d, const char *path, int zarr) {
  uint32_t order;
  size_t len;
  char *json = (char *)require_file(path, &len);
  for (order = ZN5_ORDER_C; order <= ZN5_ORDER_F; order++) {
    zn5_codec_options options = default_options();
    zn5_codec *codec = NULL;
    options.order = order;
    set_case("%s, %s order", path, order == ZN5_ORDER_C ? "C" : "F");
    if (zarr)
      REQUIRE_OK(zn5_codec_from_zarr_metadata(json, len, &options, &codec, ERR));
    else
      REQUIRE_OK(zn5_codec_from_n5_attributes(json, len, &options, &codec, ERR));
    check_settings(d, codec);
    by_blocks(d, codec, order);
    into_image(d, codec, order);
    zn5_codec_free(codec);
  }
  free(json);
}

static void check_dataset(char *line) {
  dataset d;
  char path[1024], *documents, *comma;
  d.id = next_field(&line);
  set_case("%s", d.id);
  format_path(d.folder, "%s/%s", vectors_folder(), next_field(&line));
  format_path(path, "%s/%s", vectors_folder(), next_field(&line));
  d.expected[ZN5_ORDER_C] = require_file(path, &d.array_len);
  d.element_size = (size_t)strtoul(next_field(&line), NULL, 10);
  d.ndim = parse_extents(next_field(&line), d.shape);
  REQUIRE(parse_extents(next_field(&line), d.chunk_shape) == d.ndim);
  d.block_count = strtoul(next_field(&line), NULL, 10);
  d.missing_count = strtoul(next_field(&line), NULL, 10);
  REQUIRE(d.array_len == product(d.shape, d.ndim) * d.element_size);
  if (!is_little_endian())
    reverse_elements(d.expected[ZN5_ORDER_C], d.array_len, d.element_size);
  d.expected[ZN5_ORDER_F] = (unsigned char *)allocate(d.array_len);
  to_order_f(d.expected[ZN5_ORDER_F], d.expected[ZN5_ORDER_C], d.shape, d.ndim, d.element_size);

  format_path(path, "%.1000s/attributes.json", d.folder);
  from_document(&d, path, 0);
  for (documents = next_field(&line); *documents != '\0'; documents = comma) {
    comma = documents + strcspn(documents, ",");
    if (*comma != '\0')
      *comma++ = '\0';
    format_path(path, "%s/%s", vectors_folder(), documents);
    from_document(&d, path, 1);
  }
  free(d.expected[ZN5_ORDER_C]);
  free(d.expected[ZN5_ORDER_F]);
}

int main(void) {
  return for_each_vector("dataset", check_dataset) > 0 ? test_result() : 1;
}
