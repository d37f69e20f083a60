/* Input and output that share a byte are refused before anything is written; neighbours are not. */
#include "support.h"

#define AREA 256

static const uint64_t chunk[2] = {3, 2};
static const unsigned char block[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};
static const unsigned char array[6] = {1, 4, 2, 5, 3, 6};

enum { DECODE_BLOCK, DECODE_REGION, ENCODE_BLOCK, ENCODE_REGION, BLOCK_HEADER, FUNCTIONS };
static const char *const names[] = {"decode_block", "decode_region", "encode_block", "encode_region", "block_header"};

/* Calls one function with its input at `src_at` and its output at `dst_at` of one area. */
static zn5_status call(int function, const zn5_codec *codec, unsigned char *area, size_t src_at, size_t dst_at,
                       size_t *src_len, size_t *dst_len, zn5_error **error) {
  unsigned char *src = area + src_at, *dst = area + dst_at;
  uint16_t mode;
  size_t written;
  int decodes = function == DECODE_BLOCK || function == DECODE_REGION;
  *src_len = decodes || function == BLOCK_HEADER ? sizeof block : sizeof array;
  *dst_len = decodes ? sizeof array : function == BLOCK_HEADER ? 16 : 40;
  memset(area, 0x11, AREA);
  memcpy(src, decodes || function == BLOCK_HEADER ? block : array, *src_len);
  switch (function) {
  case DECODE_BLOCK:
    return zn5_decode_block(codec, src, *src_len, NULL, dst, *dst_len, error);
  case DECODE_REGION:
    return zn5_decode_region(codec, src, *src_len, NULL, NULL, NULL, dst, *dst_len, 0, NULL, error);
  case ENCODE_BLOCK:
    return zn5_encode_block(codec, NULL, src, *src_len, dst, *dst_len, &written, error);
  case ENCODE_REGION:
    return zn5_encode_region(codec, NULL, src, *src_len, 0, NULL, dst, *dst_len, &written, error);
  default:
    return zn5_block_header(src, *src_len, &mode, NULL, (uint64_t *)(void *)dst, 2, NULL, NULL, error);
  }
}

int main(void) {
  zn5_codec *codec = n5_codec("uint8", NULL, 2, chunk, NULL);
  unsigned char area[AREA], before[AREA];
  int function;
  for (function = 0; function < FUNCTIONS; function++) {
    size_t src_at = 100, dst_at, src_len, dst_len;
    for (dst_at = 40; dst_at < 140; dst_at++) {
      zn5_status status = call(function, codec, area, src_at, dst_at, &src_len, &dst_len, ERR);
      int overlap = dst_at < src_at + src_len && src_at < dst_at + dst_len;
      set_case("%s, input at %lu, output at %lu", names[function], (unsigned long)src_at, (unsigned long)dst_at);
      CHECK_STATUS(overlap ? ZN5_ERROR_BUFFERS_OVERLAP : ZN5_OK, status);
      memset(before, 0x11, AREA);
      memcpy(before + src_at, src_len == sizeof block ? block : array, src_len);
      if (!overlap)
        memcpy(before + dst_at, area + dst_at, dst_len);
      CHECK_BYTES(before, area, AREA);
    }
  }
  set_case("the input in a gap of the image is still inside it");
  {
    static const ptrdiff_t strides[2] = {100, 1};
    memset(area, 0, sizeof area);
    memcpy(area + 50, block, sizeof block);
    CHECK_STATUS(ZN5_ERROR_BUFFERS_OVERLAP,
                 zn5_decode_region(codec, area + 50, sizeof block, NULL, NULL, NULL, area, AREA, 0, strides, ERR));
  }
  set_case("an empty input overlaps nothing");
  CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_decode_block(codec, area + 3, 0, NULL, area, 6, ERR));
  zn5_codec_free(codec);
  return test_result();
}
