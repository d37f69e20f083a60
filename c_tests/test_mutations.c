/* Blocks damaged at random give an error or an array of the right shape: no crash, no byte outside a buffer, no hang,
 * and memory in proportion to what the header and the caller ask for. 2000 rounds, with ZN5_TEST_LONG=1 100000. */
#include "corpus.h"

#define MAX_LEN 16384

/* The C++ build tries others than the C build. */
#ifdef __cplusplus
static uint32_t state = 20240607;
#else
static uint32_t state = 19700101;
#endif

static size_t below(size_t limit) {
  return next_random(&state) % (uint32_t)limit;
}

/* Changes the block in one way; its new length. */
static size_t mutate(unsigned char *block, size_t len) {
  static const unsigned char odd[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe, 0x10, 0x40};
  size_t at = len == 0 ? 0 : below(len), other, count;
  if (len == 0)
    return 1 + below(40); /* whatever bytes are there */
  switch (below(9)) {
  case 0:
    block[at] ^= (unsigned char)(1u << below(8));
    return len;
  case 1:
    block[at] = odd[below(COUNT(odd))];
    return len;
  case 2:
    block[at] = (unsigned char)below(256);
    return len;
  case 3: /* the header and the payload's own header are the most delicate */
    block[below(len < 32 ? len : 32)] = odd[below(COUNT(odd))];
    return len;
  case 4:
    return at;
  case 5: /* a longer block */
    count = below(40);
    if (len + count > MAX_LEN)
      return len;
    memset(block + len, (int)below(2) * 0x55, count);
    return len + count;
  case 6: /* a piece somewhere else */
    other = below(len);
    count = below(len - (at > other ? at : other));
    memmove(block + at, block + other, count);
    return len;
  case 7: /* a piece taken out */
    count = below(len - at) + 1;
    memmove(block + at, block + at + count, len - at - count);
    return len - count;
  default: /* a number of four bytes */
    for (count = 0; count < 4 && at + count < len; count++)
      block[at + count] = odd[below(COUNT(odd))];
    return len;
  }
}

/* What decodes, decodes to the same bytes whatever was in memory before, and a box of it is a slice of it. */
static void check_decoding(const zn5_codec *codec, uint32_t order, const unsigned char *src, size_t len,
                           size_t array_len) {
  guarded first = guard_after(array_len), second = guard_before(array_len), part;
  size_t size = zn5_codec_element_size(codec), part_len;
  uint64_t shape[TEST_MAX_NDIM], offset[TEST_MAX_NDIM], extent[TEST_MAX_NDIM], index[TEST_MAX_NDIM] = {0};
  uint32_t axis, ndim = zn5_codec_ndim(codec);
  zn5_status status;
  memset(first.bytes, 0, array_len);
  memset(second.bytes, 0xff, array_len);
  status = zn5_decode_block(codec, src, len, NULL, first.bytes, array_len, NULL);
  CHECK_EQUAL(status, zn5_decode_block(codec, src, len, NULL, second.bytes, array_len, NULL));
  if (status == ZN5_OK)
    CHECK_BYTES(first.bytes, second.bytes, array_len);
  REQUIRE_OK(zn5_codec_chunk_shape(codec, shape, TEST_MAX_NDIM, ERR));
  for (axis = 0; axis < ndim; axis++) {
    offset[axis] = below((size_t)shape[axis]);
    extent[axis] = below((size_t)(shape[axis] - offset[axis])) + 1;
  }
  part_len = (size_t)product(extent, ndim) * size;
  part = guard_after(part_len);
  if (status == ZN5_OK) {
    CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, src, len, NULL, offset, extent, part.bytes, part_len, 0, NULL, ERR));
    do {
      uint64_t at[TEST_MAX_NDIM];
      for (axis = 0; axis < ndim; axis++)
        at[axis] = offset[axis] + index[axis];
      if (!CHECK_BYTES(first.bytes + element_number(at, shape, ndim, order) * size,
                       part.bytes + element_number(index, extent, ndim, order) * size, size))
        break;
    } while (next_index(index, extent, ndim));
  } else {
    zn5_decode_region(codec, src, len, NULL, offset, extent, part.bytes, part_len, 0, NULL, NULL);
  }
  GUARD_FREE(first);
  GUARD_FREE(second);
  GUARD_FREE(part);
}

static void round_once(uint64_t *most) {
  static unsigned char block[MAX_LEN];
  const corpus_item *item;
  zn5_codec_options options = default_options();
  zn5_codec *own = NULL;
  guarded src;
  size_t len, changes, header_len;
  uint64_t asked, shape[TEST_MAX_NDIM];
  uint16_t mode, ndim;
  do
    item = &corpus[below(corpus_count)];
  while (item->len > MAX_LEN);
  len = item->len;
  if (len != 0)
    memcpy(block, item->block, len);
  for (changes = below(4) + 1; changes > 0; changes--)
    len = mutate(block, len);
  set_case("%s, damaged to %lu bytes", item->name, (unsigned long)len);
  src = guarded_copy(block, len);
  asked = header_bytes(item, block, len) + item->array_len;
  if (asked > *most)
    *most = asked;
  /* A codec keeps its scratch memory; that of a hundred codecs would hide what one call takes. */
  options.order = (uint32_t)below(4) / 3;
  options.flags = (uint32_t)below(8) / 7 * ZN5_STRICT;
  if (asked > UINT64_C(1) << 20 || options.order != ZN5_ORDER_C || options.flags != 0)
    own = corpus_codec(item->folder, &options);
  check_decoding(own != NULL ? own : item->codec, options.order, src.bytes, len, item->array_len);
  if (zn5_block_header(src.bytes, len, &mode, &ndim, shape, TEST_MAX_NDIM, NULL, &header_len, NULL) == ZN5_OK)
    CHECK(header_len <= len);
  CHECK_BYTES(block, src.bytes, len);
  GUARD_FREE(src);
  zn5_codec_free(own);
}

int main(void) {
  long rounds = long_run() ? 100000 : instrumented() ? 200 : 2000, i;
  uint64_t before, most = 0;
  return_memory_at_once();
  load_corpus();
  before = peak_memory();
  for (i = 0; i < rounds; i++)
    round_once(&most);
  set_case("after %ld rounds", rounds);
  if (before != 0 && !instrumented()) {
    /* The vectors' xz streams have dictionaries of 8 MiB. */
    uint64_t allowed = most + (UINT64_C(16) << 20) + (UINT64_C(8) << 20);
    if (peak_memory() - before > allowed)
      fail_at(__FILE__, __LINE__, "peak memory grew by %" PRIu64 " bytes, %" PRIu64 " are allowed",
              peak_memory() - before, allowed);
  }
  free_corpus();
  return test_result();
}
