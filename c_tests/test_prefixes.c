/* Every prefix of every vector's block is an error, or decodes to what the whole block decodes to; no byte behind the
 * prefix is read. */
#include "corpus.h"

/* Of blocks that expand or are long, some prefixes have to do. */
#define LONGEST 8192

static void check_prefixes(const corpus_item *item) {
  guarded src = guard_after(item->len), dst = guard_after(item->array_len), pixel;
  unsigned char *whole = (unsigned char *)allocate(item->array_len);
  int whole_decodes =
      zn5_decode_block(item->codec, item->block, item->len, NULL, whole, item->array_len, NULL) == ZN5_OK;
  size_t len, step = item->len > LONGEST ? item->len / 64 : instrumented() ? item->len / 16 + 1 : 1;
  size_t size = zn5_codec_element_size(item->codec);
  uint64_t extent[TEST_MAX_NDIM] = {1, 1, 1, 1, 1, 1, 1, 1};
  pixel = guard_after(size);
  for (len = 0; len < item->len; len += step) {
    unsigned char *start = src.bytes + (item->len - len);
    zn5_status status;
    uint16_t mode, ndim;
    uint64_t shape[TEST_MAX_NDIM], count;
    size_t header_len;
    if (len != 0)
      memcpy(start, item->block, len);
    set_case("%s, %lu bytes of %lu", item->name, (unsigned long)len, (unsigned long)item->len);
    status = zn5_decode_block(item->codec, start, len, NULL, dst.bytes, dst.len, NULL);
    CHECK((status == ZN5_ERROR_EMPTY_BLOCK) == (len == 0));
    if (status == ZN5_OK && whole_decodes)
      CHECK_BYTES(whole, dst.bytes, dst.len);
    CHECK(status != ZN5_OK || whole_decodes || item->malformed);
    status = zn5_decode_region(item->codec, start, len, NULL, NULL, extent, pixel.bytes, size, 0, NULL, NULL);
    if (status == ZN5_OK && whole_decodes)
      CHECK_BYTES(whole, pixel.bytes, size);
    if (zn5_block_header(start, len, &mode, &ndim, shape, TEST_MAX_NDIM, &count, &header_len, NULL) == ZN5_OK)
      CHECK(header_len <= len);
  }
  free(whole);
  GUARD_FREE(src);
  GUARD_FREE(dst);
  GUARD_FREE(pixel);
}

int main(void) {
  size_t i;
  load_corpus();
  for (i = 0; i < corpus_count; i++)
    check_prefixes(&corpus[i]);
  free_corpus();
  return test_result();
}
