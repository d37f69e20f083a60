/*
 * decode_dataset.c: reads a whole N5 dataset with zn5 and writes it as a PNG picture.
 *
 *     decode_dataset DATASET PICTURE.png
 *
 * DATASET is the folder that holds attributes.json. The steps are those of any program that reads N5 through zn5:
 *
 *   1. hand attributes.json to zn5_codec_from_n5_attributes, and get a codec that knows shapes, type and compression;
 *   2. for each block that the wanted part of the array touches, ask zn5_block_key where it is stored, and read that
 * file;
 *   3. let zn5_decode_region put it straight into its place in the image.
 *
 * zn5 does no I/O here: where the bytes come from (files, HTTP, an object store) is up to you.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zn5.h>

#include "png.h"

#define MAX_NDIM 16 /* of this example; zn5 itself has no limit */

typedef struct {
  const char *path;
  zn5_codec *codec;
  uint32_t ndim;
  size_t element_size;
  uint64_t shape[MAX_NDIM];       /* of the array, in N5 order: the first axis varies fastest in a block */
  uint64_t chunk_shape[MAX_NDIM]; /* of every block, but for those cut at the array's end */
} dataset;

typedef struct {
  uint64_t stored_count;
  uint64_t missing_count;
  uint64_t decoded_len;
  double seconds; /* CPU time within zn5, reading files not included */
} statistics;

/* How an array lies in a picture: which part of it is shown, and how far apart its elements are. */
typedef struct {
  uint64_t start[MAX_NDIM];
  uint64_t count[MAX_NDIM];
  ptrdiff_t strides[MAX_NDIM];
  uint32_t width, height, channels;
} layout;

/* Every zn5 function reports through its last argument. The message names what is wrong, where, and what helps. */
static int fail(const char *where, zn5_error *error) {
  fprintf(stderr, "decode_dataset: %s: %s (%s)\n", where, zn5_error_message(error),
          zn5_status_name(zn5_error_status(error)));
  zn5_error_free(error);
  return -1;
}

static int fail_text(const char *where, const char *message) {
  fprintf(stderr, "decode_dataset: %s: %s\n", where, message);
  return -1;
}

typedef enum { FILE_READ, FILE_MISSING, FILE_FAILED } file_result;

/* Reads a whole file into memory that the caller frees. A missing file is no failure: N5 leaves blocks out. */
static file_result read_file(const char *path, char **bytes, size_t *len) {
  FILE *file = fopen(path, "rb");
  long size = -1;
  *bytes = NULL;
  if (file == NULL) {
    if (errno == ENOENT)
      return FILE_MISSING;
    fail_text(path, strerror(errno));
    return FILE_FAILED;
  }
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    *len = (size_t)size;
    *bytes = malloc(*len + 1); /* malloc(0) may give NULL */
    if (*bytes != NULL && fread(*bytes, 1, *len, file) == *len) {
      fclose(file);
      return FILE_READ;
    }
  }
  fail_text(path, "cannot be read");
  free(*bytes);
  *bytes = NULL;
  fclose(file);
  return FILE_FAILED;
}

static int join_path(char *dst, size_t dst_len, const char *folder, const char *name) {
  int written = snprintf(dst, dst_len, "%s/%s", folder, name);
  return written > 0 && (size_t)written < dst_len ? 0 : fail_text(folder, "the path is too long");
}

static int open_dataset(const char *path, dataset *opened) {
  zn5_error *error = NULL;
  char attributes_path[4096];
  char *json;
  size_t json_len;

  memset(opened, 0, sizeof *opened);
  opened->path = path;
  if (join_path(attributes_path, sizeof attributes_path, path, "attributes.json") != 0)
    return -1;
  switch (read_file(attributes_path, &json, &json_len)) {
  case FILE_READ:
    break;
  case FILE_MISSING:
    return fail_text(attributes_path, "no such file; name the folder of an N5 dataset");
  case FILE_FAILED:
    return -1;
  }
  zn5_codec_from_n5_attributes(json, json_len, NULL, &opened->codec, &error);
  free(json);
  if (error != NULL)
    return fail(attributes_path, error);

  opened->ndim = zn5_codec_ndim(opened->codec);
  opened->element_size = zn5_codec_element_size(opened->codec);
  if (opened->ndim > MAX_NDIM)
    return fail_text(path, "has more dimensions than this example handles");
  if (zn5_codec_array_shape(opened->codec, opened->shape, MAX_NDIM, &error) != ZN5_OK ||
      zn5_codec_chunk_shape(opened->codec, opened->chunk_shape, MAX_NDIM, &error) != ZN5_OK)
    return fail(path, error);
  return 0;
}

/*
 * Decodes what the block at `grid` and the window (`start`, `count`) of the array have in common into `dst`, the memory
 * of the window, whose elements are `strides` bytes apart.
 */
static int read_block(const dataset *source, const uint64_t *grid, const uint64_t *start, const uint64_t *count,
                      void *dst, size_t dst_len, const ptrdiff_t *strides, statistics *done) {
  uint64_t shape[MAX_NDIM], offset[MAX_NDIM], extent[MAX_NDIM];
  size_t origin = 0, key_len, block_len;
  uint64_t box_len = source->element_size;
  zn5_error *error = NULL;
  char key[MAX_NDIM * 21], path[4096];
  char *block;
  clock_t before;
  uint32_t axis;

  for (axis = 0; axis < source->ndim; axis++) {
    uint64_t first = grid[axis] * source->chunk_shape[axis]; /* where in the array the block begins, ends */
    uint64_t end = first + source->chunk_shape[axis];
    uint64_t window_end = start[axis] + count[axis];
    uint64_t from = first > start[axis] ? first : start[axis]; /* where the common part begins, ends */
    uint64_t to;
    if (end > source->shape[axis])
      end = source->shape[axis];
    to = end < window_end ? end : window_end;
    /* At the array's end some programs store a cut block, some a padded one. Asking for the cut shape reads both. */
    shape[axis] = end - first;
    offset[axis] = from - first;
    extent[axis] = to - from;
    origin += (size_t)(from - start[axis]) * (size_t)strides[axis];
    box_len *= extent[axis];
  }

  if (zn5_block_key(source->ndim, grid, key, sizeof key - 1, &key_len, &error) != ZN5_OK)
    return fail(source->path, error);
  key[key_len] = '\0';
  if (join_path(path, sizeof path, source->path, key) != 0)
    return -1;
  switch (read_file(path, &block, &block_len)) {
  case FILE_READ:
    break;
  case FILE_MISSING:
    done->missing_count++;
    return 0;
  case FILE_FAILED:
    return -1;
  }
  before = clock();
  zn5_decode_region(source->codec, block, block_len, shape, offset, extent, dst, dst_len, origin, strides, &error);
  done->seconds += (double)(clock() - before) / CLOCKS_PER_SEC;
  free(block);
  if (error != NULL)
    return fail(path, error);
  done->stored_count++;
  done->decoded_len += box_len;
  return 0;
}

/* Decodes the window (`start`, `count`; no count is 0) of the array into `dst`. Where no block is stored, `dst` is
 * left. */
static int read_window(const dataset *source, const uint64_t *start, const uint64_t *count, void *dst, size_t dst_len,
                       const ptrdiff_t *strides, statistics *done) {
  uint64_t first[MAX_NDIM], last[MAX_NDIM], grid[MAX_NDIM];
  uint32_t axis;

  for (axis = 0; axis < source->ndim; axis++) {
    first[axis] = start[axis] / source->chunk_shape[axis];
    last[axis] = (start[axis] + count[axis] - 1) / source->chunk_shape[axis];
    grid[axis] = first[axis];
  }
  for (;;) {
    if (read_block(source, grid, start, count, dst, dst_len, strides, done) != 0)
      return -1;
    /* The next position in the grid, counting like the digits of a number. */
    for (axis = 0; axis < source->ndim && grid[axis] == last[axis]; axis++)
      grid[axis] = first[axis];
    if (axis == source->ndim)
      return 0;
    grid[axis]++;
  }
}

/*
 * Decides how the array becomes a picture. An axis of extent 3, first or last, is colour; the first two others are x
 * and y; of any further axis the middle is shown. Only the strides say so: zn5 transposes while it decodes.
 */
static int choose_layout(const dataset *source, layout *picture) {
  const uint64_t largest = 32768;
  uint32_t axis, colour = source->ndim, placed = 0;
  uint64_t size[2] = {1, 1};

  picture->channels = 1;
  if (source->ndim >= 3 && (source->shape[0] == 3 || source->shape[source->ndim - 1] == 3)) {
    colour = source->shape[0] == 3 ? 0 : source->ndim - 1;
    picture->channels = 3;
  }
  for (axis = 0; axis < source->ndim; axis++) {
    picture->start[axis] = 0;
    picture->count[axis] = source->shape[axis];
    picture->strides[axis] = 0;
    if (source->shape[axis] == 0)
      return fail_text(source->path, "the array is empty, there is nothing to draw");
    if (axis == colour) {
      picture->strides[axis] = (ptrdiff_t)source->element_size;
    } else if (placed < 2) {
      if (source->shape[axis] > largest)
        return fail_text(source->path, "is wider or higher than the 32768 pixels that this example draws");
      picture->strides[axis] = (ptrdiff_t)(source->element_size * picture->channels * size[0]);
      size[placed] = source->shape[axis];
      placed++;
    } else {
      picture->start[axis] = source->shape[axis] / 2;
      picture->count[axis] = 1;
    }
  }
  picture->width = (uint32_t)size[0];
  picture->height = (uint32_t)size[1];
  return 0;
}

/* Spreads 16-bit samples from the least to the greatest over 0 to 255, since many microscopes use few of the bits. */
static void scale_to_bytes(const void *samples, uint8_t *bytes, size_t sample_count) {
  const uint16_t *values = samples;
  uint32_t least = UINT16_MAX, greatest = 0, range;
  size_t i;
  for (i = 0; i < sample_count; i++) {
    least = values[i] < least ? values[i] : least;
    greatest = values[i] > greatest ? values[i] : greatest;
  }
  range = greatest > least ? greatest - least : 1;
  for (i = 0; i < sample_count; i++)
    bytes[i] = (uint8_t)((values[i] - least) * 255u / range);
}

static void print_shape(const uint64_t *shape, uint32_t ndim) {
  uint32_t axis;
  for (axis = 0; axis < ndim; axis++)
    printf("%s%" PRIu64, axis == 0 ? "" : " x ", shape[axis]);
}

static int draw(const dataset *source, const char *picture_path) {
  zn5_dtype dtype = zn5_codec_dtype(source->codec);
  statistics done = {0, 0, 0, 0.0};
  zn5_error *error = NULL;
  uint8_t fill[2];
  layout picture;
  size_t sample_count, image_len, i;
  char *image;
  int result = -1;

  if (dtype != ZN5_DTYPE_UINT8 && dtype != ZN5_DTYPE_UINT16) {
    fprintf(stderr, "decode_dataset: %s: is %s; zn5 decodes it, but this example draws uint8 and uint16 only\n",
            source->path, zn5_dtype_name(dtype));
    return -1;
  }
  if (choose_layout(source, &picture) != 0)
    return -1;
  if (zn5_codec_fill_value(source->codec, fill, sizeof fill, &error) != ZN5_OK)
    return fail(source->path, error);

  sample_count = (size_t)picture.width * picture.height * picture.channels;
  image_len = sample_count * source->element_size;
  image = malloc(image_len);
  if (image == NULL)
    return fail_text(source->path, "not enough memory for the picture");
  for (i = 0; i < sample_count; i++)
    memcpy(image + i * source->element_size, fill, source->element_size);

  if (read_window(source, picture.start, picture.count, image, image_len, picture.strides, &done) == 0) {
    if (dtype == ZN5_DTYPE_UINT16)
      scale_to_bytes(image, (uint8_t *)image, sample_count);
    result = png_write(picture_path, (const uint8_t *)image, picture.width, picture.height, picture.channels);
    if (result != 0)
      fail_text(picture_path, strerror(errno));
  }
  free(image);
  if (result != 0)
    return -1;

  printf("array     %s, ", zn5_dtype_name(dtype));
  print_shape(source->shape, source->ndim);
  printf("\nblocks    %" PRIu64 " of ", done.stored_count);
  print_shape(source->chunk_shape, source->ndim);
  printf(", compression %s, %" PRIu64 " missing\n", zn5_codec_compression(source->codec), done.missing_count);
  printf("decoded   %" PRIu64 " bytes in %.2f ms\n", done.decoded_len, done.seconds * 1e3);
  printf("picture   %s, %" PRIu32 " x %" PRIu32 " %s\n", picture_path, picture.width, picture.height,
         picture.channels == 3 ? "RGB" : "grey");
  return 0;
}

int main(int argc, char **argv) {
  dataset source;
  int result;
  if (argc != 3) {
    fprintf(stderr, "usage: decode_dataset DATASET PICTURE.png\n");
    return 2;
  }
  printf("zn5       %s\ndataset   %s\n", zn5_version_string(), argv[1]);
  result = open_dataset(argv[1], &source);
  if (result == 0)
    result = draw(&source, argv[2]);
  zn5_codec_free(source.codec);
  return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
