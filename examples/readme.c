/* Decodes one N5 block, an array of 3 x 2 numbers compressed with zstd. */
#include <stdio.h>
#include <string.h>
#include <zn5.h>

static const char attributes[] = "{\"dimensions\": [3, 2], \"blockSize\": [3, 2], \"dataType\": \"uint16\","
                                 " \"compression\": {\"type\": \"zstd\", \"level\": 3}}";
static const unsigned char block[] = {0,  0,  0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0x28, 0xb5, 0x2f, 0xfd, 0x20,
                                      12, 97, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0,    5,    0,    6};
int main(void) {
  uint16_t array[3][2];
  zn5_codec *codec = NULL;
  zn5_error *error = NULL;
  zn5_status status = zn5_codec_from_n5_attributes(attributes, strlen(attributes), NULL, &codec, &error);
  if (status == ZN5_OK)
    status = zn5_decode_block(codec, block, sizeof block, NULL, array, sizeof array, &error);
  if (status == ZN5_OK)
    printf("%d %d\n%d %d\n%d %d\n", array[0][0], array[0][1], array[1][0], array[1][1], array[2][0], array[2][1]);
  else
    fprintf(stderr, "%s\n", zn5_error_message(error));
  zn5_error_free(error);
  zn5_codec_free(codec);
  return status == ZN5_OK ? 0 : 1;
}
