/* Containers that other programs wrote, as they were found: every block decodes, and the arrays are what their makers
 * say. They lie outside the project, in the folder that ZN5_REALDATA names; without it the program says so and
 * returns 77, in CI it fails. */
#include "support.h"

static char folder[512];

static zn5_codec *open_attributes(const char *dataset, const zn5_codec_options *options) {
  char path[1024];
  size_t len;
  char *json;
  zn5_codec *codec = NULL;
  format_path(path, "%s/%s/attributes.json", folder, dataset);
  set_case("%s", dataset);
  json = (char *)require_file(path, &len);
  REQUIRE_OK(zn5_codec_from_n5_attributes(json, len, options, &codec, ERR));
  free(json);
  return codec;
}

/* The whole array in C order, to be freed. */
static unsigned char *read_array(const char *dataset, unsigned long block_count, size_t *len) {
  zn5_codec *codec = open_attributes(dataset, NULL);
  uint64_t shape[TEST_MAX_NDIM], chunk[TEST_MAX_NDIM], grid[TEST_MAX_NDIM];
  ptrdiff_t strides[TEST_MAX_NDIM];
  uint32_t ndim = grid_of(codec, shape, chunk, grid);
  unsigned char *array;
  char path[1024];
  *len = (size_t)product(shape, ndim) * zn5_codec_element_size(codec);
  array = (unsigned char *)allocate(*len);
  memset(array, 0xee, *len);
  strides_of(strides, shape, ndim, ZN5_ORDER_C, zn5_codec_element_size(codec));
  format_path(path, "%s/%s", folder, dataset);
  CHECK_EQUAL(block_count, read_dataset(path, codec, array, *len, strides));
  zn5_codec_free(codec);
  return array;
}

/* A picture of three colours, decoded as rows of interleaved pixels, has the pixels of its reference image: these are
 * compared by the FNV-1a hash that the reference image has. */
static void astronaut(void) {
  static const char *const datasets[] = {"gzip", "raw"};
  static const ptrdiff_t strides[3] = {1, 3, 3 * 512};
  static unsigned char picture[512 * 512 * 3];
  size_t d, i;
  for (d = 0; d < COUNT(datasets); d++) {
    char dataset[128], path[1024];
    zn5_codec *codec;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    snprintf(dataset, sizeof dataset, "zarr-implementations-astronaut/z5py.n5/%s", datasets[d]);
    codec = open_attributes(dataset, NULL);
    CHECK_TEXT(datasets[d], zn5_codec_compression(codec));
    format_path(path, "%s/%s", folder, dataset);
    memset(picture, 0, sizeof picture);
    CHECK_EQUAL(108, read_dataset(path, codec, picture, sizeof picture, strides));
    for (i = 0; i < sizeof picture; i++)
      hash = (hash ^ picture[i]) * UINT64_C(0x100000001b3);
    CHECK(hash == UINT64_C(0xfa4e6bff08e5e8fb));
    zn5_codec_free(codec);
  }
}

/* Every dataset holds the array of raw.npy. */
static void zarr_python(void) {
  static const struct {
    const char *name;
    unsigned long block_count;
  } datasets[] = {{"single_chunk", 1},
                  {"even_chunk", 4},
                  {"uneven_chunk_padded", 4},
                  {"uneven_chunk_truncated", 4},
                  {"gzip", 1},
                  {"bz2", 1},
                  {"zstd", 1},
                  {"blosc", 1}};
  char path[1024];
  size_t npy_len, len, i;
  const size_t expected_len = 256 * 128 * 4;
  unsigned char *npy, *expected;
  format_path(path, "%s/zarr-python-n5/raw.npy", folder);
  npy = require_file(path, &npy_len);
  REQUIRE(npy_len > expected_len);
  expected = npy + npy_len - expected_len;
  if (!is_little_endian())
    reverse_elements(expected, expected_len, 4);
  for (i = 0; i < COUNT(datasets); i++) {
    char dataset[128];
    unsigned char *array;
    snprintf(dataset, sizeof dataset, "zarr-python-n5/%s.n5", datasets[i].name);
    array = read_array(dataset, datasets[i].block_count, &len);
    CHECK_EQUAL(expected_len, len);
    CHECK_BYTES(expected, array, expected_len);
    free(array);
  }
  free(npy);
}

static void tensorstore(void) {
  static const char *const datasets[] = {"raw", "gzip", "bzip2", "xz", "blosc"};
  uint16_t expected[20];
  size_t i, len;
  for (i = 0; i < 20; i++)
    expected[i] = (uint16_t)i;
  for (i = 0; i < COUNT(datasets); i++) {
    char dataset[128];
    unsigned char *array;
    snprintf(dataset, sizeof dataset, "tensorstore-codecs/%s", datasets[i]);
    array = read_array(dataset, 4, &len);
    CHECK_EQUAL(sizeof expected, len);
    CHECK_BYTES(expected, array, len);
    free(array);
  }
}

/* policy_23: the oldest has compressionType. Each block holds its number. */
static void old_java(void) {
  static const char *const versions[] = {"1.5.0", "2.5.1", "3.1.3"};
  unsigned char expected[7][5];
  size_t i, len, x, y;
  for (x = 0; x < 7; x++)
    for (y = 0; y < 5; y++)
      expected[x][y] = (unsigned char)((x >= 5) + 2 * (y >= 4));
  for (i = 0; i < COUNT(versions); i++) {
    char dataset[128];
    unsigned char *array;
    snprintf(dataset, sizeof dataset, "n5-java-backward/data-%s.n5/raw", versions[i]);
    array = read_array(dataset, 4, &len);
    CHECK_EQUAL(sizeof expected, len);
    CHECK_BYTES(expected, array, len);
    free(array);
  }
}

/* The specification's example describes one array in both languages. */
static void specification(void) {
  zn5_codec *n5 = open_attributes("zarr-extensions-zstd-array", NULL), *zarr = NULL;
  uint64_t shape[2][2], chunk[2][2];
  char path[1024], text[2][512];
  size_t len, text_len[2];
  char *json;
  format_path(path, "%s/zarr-extensions-zstd-array/zarr.json", folder);
  json = (char *)require_file(path, &len);
  REQUIRE_OK(zn5_codec_from_zarr_metadata(json, len, NULL, &zarr, ERR));
  free(json);
  CHECK_EQUAL(ZN5_DTYPE_FLOAT32, zn5_codec_dtype(n5));
  CHECK_EQUAL(ZN5_DTYPE_FLOAT32, zn5_codec_dtype(zarr));
  CHECK_STATUS(ZN5_OK, zn5_codec_array_shape(n5, shape[0], 2, ERR));
  CHECK_STATUS(ZN5_OK, zn5_codec_array_shape(zarr, shape[1], 2, ERR));
  CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(n5, chunk[0], 2, ERR));
  CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(zarr, chunk[1], 2, ERR));
  CHECK(shape[0][0] == 256 && shape[0][1] == 128);
  CHECK_BYTES(shape[0], shape[1], sizeof shape[0]);
  CHECK_BYTES(chunk[0], chunk[1], sizeof chunk[0]);
  CHECK_STATUS(ZN5_OK, zn5_codec_to_json(n5, text[0], sizeof text[0] - 1, &text_len[0], ERR));
  CHECK_STATUS(ZN5_OK, zn5_codec_to_json(zarr, text[1], sizeof text[1] - 1, &text_len[1], ERR));
  text[0][text_len[0]] = text[1][text_len[1]] = '\0';
  CHECK_TEXT(text[0], text[1]);
  zn5_codec_free(n5);
  zn5_codec_free(zarr);
}

int main(void) {
  const char *chosen = getenv("ZN5_REALDATA");
  char path[1024];
  size_t len;
  unsigned char *readme;
  if (chosen == NULL || chosen[0] == '\0') {
    printf("skipped: set ZN5_REALDATA to the folder of the real containers\n");
    return ci() ? 1 : TEST_SKIPPED;
  }
  snprintf(folder, sizeof folder, "%s", chosen);
  format_path(path, "%s/README.md", folder);
  readme = read_file(path, &len);
  if (readme == NULL) {
    printf("ZN5_REALDATA names %s, where no containers are\n", folder);
    return 1;
  }
  free(readme);
  astronaut();
  zarr_python();
  tensorstore();
  old_java();
  specification();
  return test_result();
}
