/*
 * utf32_strings.c: prints the strings of a Zarr v3 array whose data type is fixed_length_utf32, NumPy's "<U12" and the
 * like.
 *
 *     utf32_strings ARRAY
 *
 * ARRAY is the folder that holds zarr.json. The steps are those of any program that reads such arrays through zn5:
 *
 *   1. hand zarr.json to zn5_codec_from_zarr_metadata, and get a codec that knows shapes, length, byte order,
 * compressors;
 *   2. fill memory for the array with zn5_fill_block, since chunks that hold nothing but the fill value may be missing;
 *   3. let zn5_decode_region put each stored chunk into its place: these are UTF-32 code units of this machine's byte
 * order;
 *   4. turn them into text with zn5_utf32_decode_array: UTF-8, one string behind the other, and the offsets between
 * them.
 *
 * Chunks are looked for under the keys of the encoding `default` with "/", such as c/0/1; another array needs another
 * read_chunk.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zn5.h>

#define MAX_NDIM 16 /* of this example; zn5 itself has no limit */

typedef struct {
  const char *path;
  zn5_codec *codec;
  uint32_t ndim;
  size_t length_bytes; /* of one string: four bytes a code point */
  uint64_t shape[MAX_NDIM];
  uint64_t chunk_shape[MAX_NDIM];
} string_array;

/* Every zn5 function reports through its last argument. The message names what is wrong, where, and what helps. */
static int fail(const char *where, zn5_error *error) {
  fprintf(stderr, "utf32_strings: %s: %s (%s)\n", where, zn5_error_message(error),
          zn5_status_name(zn5_error_status(error)));
  zn5_error_free(error);
  return -1;
}

static int fail_text(const char *where, const char *message) {
  fprintf(stderr, "utf32_strings: %s: %s\n", where, message);
  return -1;
}

/* Reads a whole file into memory that the caller frees; NULL if there is none. */
static char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  long size = -1;
  if (file == NULL)
    return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    *len = (size_t)size;
    bytes = malloc(*len + 1); /* malloc(0) may give NULL */
    if (bytes != NULL && fread(bytes, 1, *len, file) != *len) {
      free(bytes);
      bytes = NULL;
    }
  }
  fclose(file);
  return bytes;
}

/* The chunk at `grid`; NULL if none is stored. */
static char *read_chunk(const string_array *source, const uint64_t *grid, size_t *len) {
  char path[4096];
  size_t used = (size_t)snprintf(path, sizeof path, "%s/c", source->path);
  uint32_t axis;
  for (axis = 0; axis < source->ndim && used < sizeof path; axis++)
    used += (size_t)snprintf(path + used, sizeof path - used, "/%" PRIu64, grid[axis]);
  return used < sizeof path ? read_file(path, len) : NULL;
}

static int open_array(const char *path, string_array *opened) {
  zn5_error *error = NULL;
  char metadata_path[4096];
  char *json;
  size_t json_len;

  memset(opened, 0, sizeof *opened);
  opened->path = path;
  snprintf(metadata_path, sizeof metadata_path, "%s/zarr.json", path);
  json = read_file(metadata_path, &json_len);
  if (json == NULL)
    return fail_text(metadata_path, "cannot be read; name the folder of a Zarr v3 array");
  zn5_codec_from_zarr_metadata(json, json_len, NULL, &opened->codec, &error);
  free(json);
  if (error != NULL)
    return fail(metadata_path, error);

  if (zn5_codec_dtype(opened->codec) != ZN5_DTYPE_UTF32)
    return fail_text(metadata_path, "this is no array of fixed_length_utf32");
  opened->length_bytes = zn5_codec_element_size(opened->codec);
  opened->ndim = zn5_codec_ndim(opened->codec);
  if (opened->ndim > MAX_NDIM)
    return fail_text(path, "has more dimensions than this example handles");
  if (zn5_codec_array_shape(opened->codec, opened->shape, MAX_NDIM, &error) != ZN5_OK ||
      zn5_codec_chunk_shape(opened->codec, opened->chunk_shape, MAX_NDIM, &error) != ZN5_OK)
    return fail(path, error);
  return 0;
}

/* Counts up like the digits of a number, the last axis fastest; 0 after the last position. */
static int next_position(uint64_t *position, const uint64_t *end, uint32_t ndim) {
  while (ndim-- > 0) {
    if (++position[ndim] < end[ndim])
      return 1;
    position[ndim] = 0;
  }
  return 0;
}

/* Puts the whole array into `units`. */
static int read_units(const string_array *source, char *units, size_t units_len) {
  uint64_t grid[MAX_NDIM] = {0}, grid_shape[MAX_NDIM], extent[MAX_NDIM];
  ptrdiff_t strides[MAX_NDIM], stride = (ptrdiff_t)source->length_bytes;
  zn5_error *error = NULL;
  uint32_t axis;

  for (axis = source->ndim; axis-- > 0; stride *= (ptrdiff_t)source->shape[axis]) {
    strides[axis] = stride;
    grid_shape[axis] = (source->shape[axis] + source->chunk_shape[axis] - 1) / source->chunk_shape[axis];
  }
  if (zn5_fill_block(source->codec, source->shape, units, units_len, &error) != ZN5_OK)
    return fail(source->path, error);
  do {
    size_t chunk_len, origin = 0;
    char *chunk = read_chunk(source, grid, &chunk_len);
    if (chunk == NULL)
      continue; /* the fill value is there already */
    /* Chunks at the array's end are stored whole; only what lies inside is wanted. */
    for (axis = 0; axis < source->ndim; axis++) {
      uint64_t first = grid[axis] * source->chunk_shape[axis], rest = source->shape[axis] - first;
      extent[axis] = rest < source->chunk_shape[axis] ? rest : source->chunk_shape[axis];
      origin += (size_t)first * (size_t)strides[axis];
    }
    zn5_decode_region(source->codec, chunk, chunk_len, NULL, NULL, extent, units, units_len, origin, strides, &error);
    free(chunk);
    if (error != NULL)
      return fail(source->path, error);
  } while (next_position(grid, grid_shape, source->ndim));
  return 0;
}

static void print_texts(const string_array *source, const char *text, const uint64_t *offsets) {
  uint64_t index[MAX_NDIM] = {0};
  uint32_t axis;
  do {
    printf("[");
    for (axis = 0; axis < source->ndim; axis++)
      printf("%s%" PRIu64, axis == 0 ? "" : ", ", index[axis]);
    printf("] ");
    /* A text has a length and no NUL at its end; NULs inside belong to it. */
    fwrite(text + offsets[0], 1, (size_t)(offsets[1] - offsets[0]), stdout);
    printf("\n");
    offsets++;
  } while (next_position(index, source->shape, source->ndim));
}

static int print_array(const string_array *source) {
  zn5_error *error = NULL;
  uint64_t units_len = 0, *offsets;
  size_t count, text_len;
  char *units, *text;
  int result = -1;

  if (zn5_codec_decoded_size(source->codec, source->shape, &units_len, &error) != ZN5_OK)
    return fail(source->path, error);
  count = (size_t)units_len / source->length_bytes;
  if (count == 0)
    return 0;
  units = malloc((size_t)units_len);
  text = malloc((size_t)units_len); /* UTF-8 never needs more bytes than UTF-32 */
  offsets = malloc((count + 1) * sizeof *offsets);
  if (units == NULL || text == NULL || offsets == NULL) {
    fail_text(source->path, "not enough memory");
  } else if (read_units(source, units, (size_t)units_len) == 0) {
    /* One string with a surrogate or a unit above U+10FFFF makes this fail, and the message says which;
     * zn5_utf32_decode reads the others one by one. */
    if (zn5_utf32_decode_array(units, (size_t)units_len, count, ZN5_ENDIAN_NATIVE, source->length_bytes, text,
                               (size_t)units_len, offsets, &text_len, &error) != ZN5_OK) {
      fail(source->path, error);
    } else {
      print_texts(source, text, offsets);
      result = 0;
    }
  }
  free(offsets);
  free(text);
  free(units);
  return result;
}

int main(int argc, char **argv) {
  string_array source;
  int result;
  if (argc != 2) {
    fprintf(stderr, "usage: utf32_strings ARRAY\n");
    return 2;
  }
  result = open_array(argv[1], &source);
  if (result == 0)
    result = print_array(&source);
  zn5_codec_free(source.codec);
  return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
