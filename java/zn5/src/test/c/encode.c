/* Encodes one block through zn5.h, to compare with what Java encodes: encode ATTRIBUTES ELEMENTS BLOCK [EXTENT...].
 * ELEMENTS is a file of the array in F order and the machine's byte order; BLOCK gets the block. */
#include <stdio.h>
#include <stdlib.h>
#include <zn5.h>

static unsigned char *read_file(const char *path, size_t *len) {
  unsigned char *bytes = malloc(1 << 24);
  FILE *file = fopen(path, "rb");
  if (bytes == NULL || file == NULL)
    exit(2);
  *len = fread(bytes, 1, 1 << 24, file);
  fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  zn5_codec *codec = NULL;
  zn5_error *error = NULL;
  uint64_t bound = 0, shape[16];
  size_t json_len, len, written = 0;
  unsigned char *json, *elements, *block;
  FILE *file;
  int i;
  if (argc < 4 || argc > 4 + 16)
    return 2;
  json = read_file(argv[1], &json_len);
  elements = read_file(argv[2], &len);
  for (i = 4; i < argc; i++)
    shape[i - 4] = strtoull(argv[i], NULL, 10);
  options.order = ZN5_ORDER_F;
  if (zn5_codec_from_n5_attributes((const char *)json, json_len, &options, &codec, &error) != ZN5_OK ||
      zn5_codec_encode_bound(codec, argc > 4 ? shape : NULL, &bound, &error) != ZN5_OK)
    goto failed;
  block = malloc((size_t)bound);
  if (block == NULL ||
      zn5_encode_block(codec, argc > 4 ? shape : NULL, elements, len, block, (size_t)bound, &written, &error) != ZN5_OK)
    goto failed;
  file = fopen(argv[3], "wb");
  if (file == NULL || fwrite(block, 1, written, file) != written || fclose(file) != 0)
    return 2;
  return 0;
failed:
  fprintf(stderr, "%s\n", zn5_error_message(error));
  return 1;
}
