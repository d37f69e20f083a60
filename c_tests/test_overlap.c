/* Overlap that a generated case has no form for: an input in a gap of an image, the same byte offset by offset, and
 * inputs without bytes. */
#include "support.h"

#define AREA 256

static const uint64_t chunk[2] = {3, 2};
static const unsigned char block[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};

/* The array at every distance from the block; nothing is written where they touch, and nothing beside it where not. */
static void every_distance(const zn5_codec *codec) {
  unsigned char area[AREA], expected[AREA];
  const size_t src_at = 100, dst_len = 6;
  size_t dst_at;
  for (dst_at = 80; dst_at < 130; dst_at++) {
    int overlap = dst_at < src_at + sizeof block && src_at < dst_at + dst_len;
    memset(area, 0x11, AREA);
    memcpy(area + src_at, block, sizeof block);
    memcpy(expected, area, AREA);
    if (!overlap)
      memcpy(expected + dst_at, "\1\4\2\5\3\6", dst_len);
    set_case("the block at %lu, the array at %lu", (unsigned long)src_at, (unsigned long)dst_at);
    CHECK_STATUS(overlap ? ZN5_ERROR_BUFFERS_OVERLAP : ZN5_OK,
                 zn5_decode_block(codec, area + src_at, sizeof block, NULL, area + dst_at, dst_len, ERR));
    CHECK_BYTES(expected, area, AREA);
  }
}

int main(void) {
  static const ptrdiff_t strides[2] = {100, 1};
  zn5_codec *codec = n5_codec("uint8", NULL, 2, chunk, NULL);
  unsigned char area[AREA] = {0};
  every_distance(codec);
  set_case("the input in a gap of the image is still inside it");
  memcpy(area + 50, block, sizeof block);
  CHECK_STATUS(ZN5_ERROR_BUFFERS_OVERLAP,
               zn5_decode_region(codec, area + 50, sizeof block, NULL, NULL, NULL, area, AREA, 0, strides, ERR));
  set_case("an empty input overlaps nothing");
  CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_decode_block(codec, area + 3, 0, NULL, area, 6, ERR));
  zn5_codec_free(codec);
  return test_result();
}
