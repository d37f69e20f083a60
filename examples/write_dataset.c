/* write_dataset.c: writes an array in memory as an N5 dataset, and reads it back. The folder is made if it is missing;
 * a dataset that is there already is left alone.
 *
 *   write_dataset /tmp/new.n5
 */
#include <stdio.h>
#include <string.h>
#include <zn5.h>

enum { width = 100, height = 60 };

/* What attributes.json is to hold. Members that N5 does not know are the user's own. */
static const char metadata[] = "{\"dimensions\": [100, 60], \"blockSize\": [32, 32], \"dataType\": \"uint16\","
                               " \"compression\": {\"type\": \"zstd\", \"level\": 3},"
                               " \"units\": [\"nm\", \"nm\"], \"resolution\": [4, 4]}";

static uint16_t image[width][height], again[width][height];

static zn5_status write_and_read(const char *folder, zn5_error **error) {
  zn5_store *store = NULL;
  zn5_dataset *dataset = NULL;
  zn5_status status = zn5_store_open(folder, ZN5_STORE_WRITE | ZN5_STORE_CREATE, &store, error);
  if (status == ZN5_OK)
    status = zn5_dataset_create(store, "image", metadata, strlen(metadata), NULL, &dataset, error);
  /* No offset and extent: the whole array. No strides: it lies as C arrays do. No zn5_io_options: all cores. */
  if (status == ZN5_OK)
    status = zn5_dataset_write(dataset, NULL, NULL, image, sizeof image, 0, NULL, NULL, error);
  if (status == ZN5_OK)
    status = zn5_dataset_read(dataset, NULL, NULL, again, sizeof again, 0, NULL, NULL, error);
  zn5_dataset_free(dataset);
  zn5_store_free(store);
  return status;
}

int main(int argc, char **argv) {
  zn5_error *error = NULL;
  zn5_status status;
  int x, y;
  if (argc != 2) {
    fprintf(stderr, "usage: write_dataset FOLDER\n");
    return 2;
  }
  for (x = 0; x < width; x++)
    for (y = 0; y < height; y++)
      image[x][y] = (uint16_t)(100 * x + y);
  status = write_and_read(argv[1], &error);
  if (status != ZN5_OK)
    fprintf(stderr, "%s\n", zn5_error_message(error));
  else
    printf("wrote %d x %d values to %s/image, and read %s\n", width, height, argv[1],
           memcmp(image, again, sizeof image) == 0 ? "the same" : "others");
  zn5_error_free(error);
  return status == ZN5_OK ? 0 : 1;
}
