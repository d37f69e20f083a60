/* read_region.c: opens an N5 or Zarr container that is a folder, and reads a region of an array in it: all blocks that
 * the region touches, by as many threads as there are cores. This one reads 3 x 6 x 4 values of one byte and prints
 * the first of the three planes: of the photograph, the red one.
 *
 *   read_region examples/data/cat.n5 photo
 *   read_region FOLDER ARRAY OFFSET0 OFFSET1 OFFSET2
 */
#include <stdio.h>
#include <stdlib.h>
#include <zn5.h>

/* In N5's order of axes: of the photograph channel, x, y. */
static uint64_t offset[3] = {0, 189, 126};
static const uint64_t extent[3] = {3, 6, 4};

/* The array must be of the type and rank that `region` is made for. */
static int fits(const zn5_dataset *dataset) {
  const zn5_codec *codec = zn5_dataset_codec(dataset);
  return zn5_codec_dtype(codec) == ZN5_DTYPE_UINT8 && zn5_codec_ndim(codec) == 3;
}

int main(int argc, char **argv) {
  uint8_t region[3][6][4];
  zn5_store *store = NULL;
  zn5_dataset *dataset = NULL;
  zn5_error *error = NULL;
  zn5_status status;
  int x, y, read = 0;
  if (argc != 3 && argc != 6) {
    fprintf(stderr, "usage: read_region FOLDER ARRAY [OFFSET0 OFFSET1 OFFSET2]\n");
    return 2;
  }
  for (x = 3; x < argc; x++)
    offset[x - 3] = strtoull(argv[x], NULL, 10);
  status = zn5_store_open(argv[1], 0, &store, &error);
  if (status == ZN5_OK)
    status = zn5_dataset_open(store, argv[2], NULL, &dataset, &error);
  if (status == ZN5_OK && (read = fits(dataset)) != 0)
    status = zn5_dataset_read(dataset, offset, extent, region, sizeof region, 0, NULL, NULL, &error);
  if (status != ZN5_OK)
    fprintf(stderr, "%s\n", zn5_error_message(error));
  else if (!read)
    fprintf(stderr, "%s is no array of uint8 with three axes\n", argv[2]);
  else
    for (y = 0; y < 4; y++)
      for (x = 0; x < 6; x++)
        printf("%3d%c", region[0][x][y], x < 5 ? ' ' : '\n');
  zn5_error_free(error);
  zn5_dataset_free(dataset);
  zn5_store_free(store);
  return status == ZN5_OK && read ? 0 : 1;
}
