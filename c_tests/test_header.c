/* zn5_block_header: the three modes, what each output gets, and no byte read behind the header's end. */
#include "support.h"

typedef struct {
  zn5_status status;
  uint16_t mode, ndim;
  uint64_t shape[4], element_count;
  size_t header_len;
} header;

/* Parses from a buffer that ends at a guard; outputs begin with 77. */
static header parse(const char *hex, size_t shape_count, zn5_status expected) {
  header h = {ZN5_OK, 77, 77, {77, 77, 77, 77}, 77, 77};
  size_t len;
  unsigned char *bytes = from_hex(hex, &len);
  guarded src = guarded_copy(bytes, len);
  h.status = zn5_block_header(src.bytes, src.len, &h.mode, &h.ndim, shape_count == 0 ? NULL : h.shape, shape_count,
                              &h.element_count, &h.header_len, ERR);
  CHECK_STATUS(expected, h.status);
  GUARD_FREE(src);
  free(bytes);
  return h;
}

static void policy_13_modes(void) {
  header h;
  set_case("mode 0");
  h = parse("0000 0002 00000003 00000002 0001", 4, ZN5_OK);
  CHECK(h.mode == 0 && h.ndim == 2 && h.shape[0] == 3 && h.shape[1] == 2 && h.shape[2] == 77);
  CHECK(h.element_count == 6 && h.header_len == 12);
  set_case("mode 1, whose count is its own");
  h = parse("0001 0002 00000003 00000002 00000004 0001", 2, ZN5_OK);
  CHECK(h.mode == 1 && h.ndim == 2 && h.shape[0] == 3 && h.shape[1] == 2);
  CHECK(h.element_count == 4 && h.header_len == 16);
  set_case("mode 2, which has no dimensions");
  h = parse("0002 0000003e aced", 4, ZN5_OK);
  CHECK(h.mode == 2 && h.ndim == 0 && h.shape[0] == 77 && h.element_count == 0x3e && h.header_len == 6);
  set_case("mode 3");
  h = parse("0003 0002 00000003 00000002", 4, ZN5_ERROR_UNSUPPORTED_BLOCK_MODE);
  CHECK_MESSAGE("3");
  CHECK(h.mode == 77 && h.ndim == 77 && h.shape[0] == 77 && h.element_count == 77 && h.header_len == 77);
  parse("0100 0002 00000003 00000002", 4, ZN5_ERROR_UNSUPPORTED_BLOCK_MODE);
  set_case("no dimensions");
  h = parse("0000 0000 2a", 0, ZN5_OK);
  CHECK(h.mode == 0 && h.ndim == 0 && h.element_count == 1 && h.header_len == 4);
}

static void outputs(void) {
  static const unsigned char block[] = {0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2};
  uint16_t mode = 77, ndim = 77;
  uint64_t shape[2] = {77, 77};
  header h;

  set_case("every output but mode may be NULL");
  CHECK_STATUS(ZN5_OK, zn5_block_header(block, sizeof block, &mode, NULL, NULL, 0, NULL, NULL, ERR));
  CHECK_EQUAL(0, mode);
  set_case("large extents");
  CHECK_STATUS(ZN5_OK, zn5_block_header(block, sizeof block, &mode, &ndim, shape, 2, NULL, NULL, ERR));
  CHECK(shape[0] == 0xffffffffu && shape[1] == 2);
  set_case("room for one extent of two");
  mode = 77;
  shape[0] = 77;
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL,
               zn5_block_header(block, sizeof block, &mode, &ndim, shape, 1, NULL, NULL, ERR));
  CHECK(mode == 77 && ndim == 2 && shape[0] == 77);
  ndim = 77;
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL,
               zn5_block_header(block, sizeof block, &mode, &ndim, shape, 0, NULL, NULL, ERR));
  CHECK_EQUAL(2, ndim);
  set_case("unaligned outputs");
  {
    unsigned char memory[64];
    memset(memory, 0, sizeof memory);
    CHECK_STATUS(ZN5_OK, zn5_block_header(block, sizeof block, &mode, NULL, (uint64_t *)(void *)(memory + 1), 2, NULL,
                                          NULL, ERR));
    memcpy(shape, memory + 1, sizeof shape);
    CHECK(shape[0] == 0xffffffffu && shape[1] == 2 && memory[0] == 0 && memory[17] == 0);
  }
  set_case("policy_15: a product above 2^64 is no number");
  h = parse("0000 0003 ffffffff ffffffff ffffffff", 4, ZN5_ERROR_LIMIT_EXCEEDED);
  CHECK(h.mode == 77 && h.element_count == 77);
  set_case("policy_12: an extent of 0");
  h = parse("0000 0003 ffffffff 00000000 ffffffff", 4, ZN5_OK);
  CHECK_EQUAL(0, h.element_count);
}

static void policy_02_and_05_prefixes(void) {
  static const char *const whole[] = {"0000000200000003000000020001", "00010002000000030000000200000004",
                                      "00020000003eaced"};
  static const size_t header_len[] = {12, 16, 6};
  size_t i, len, total;
  for (i = 0; i < COUNT(whole); i++) {
    unsigned char *bytes = from_hex(whole[i], &total);
    for (len = 0; len <= total; len++) {
      guarded src = guarded_copy(bytes, len);
      uint16_t mode = 77, ndim = 77;
      uint64_t shape[2];
      zn5_status expected = len == 0 ? ZN5_ERROR_EMPTY_BLOCK : len < header_len[i] ? ZN5_ERROR_TRUNCATED_BLOCK : ZN5_OK;
      set_case("%lu bytes of %s", (unsigned long)len, whole[i]);
      CHECK_STATUS(expected, zn5_block_header(src.bytes, len, &mode, &ndim, shape, 2, NULL, NULL, ERR));
      CHECK_EQUAL(expected == ZN5_OK ? i : 77, mode);
      GUARD_FREE(src);
    }
    free(bytes);
  }
  set_case("no block at all");
  {
    uint16_t mode;
    CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_block_header(NULL, 0, &mode, NULL, NULL, 0, NULL, NULL, ERR));
  }
}

static void policy_16_the_highest_rank(void) {
  size_t header_len = 4 + 4 * (size_t)65535, i;
  unsigned char *block = (unsigned char *)allocate(header_len);
  uint64_t *shape = (uint64_t *)allocate(65535 * sizeof *shape), count = 0;
  uint16_t mode = 77, ndim = 0;
  size_t len = 0;
  set_case("65535 dimensions");
  block[0] = block[1] = 0;
  block[2] = block[3] = 0xff;
  for (i = 4; i < header_len; i++)
    block[i] = i % 4 == 3;
  block[header_len - 1] = 5;
  CHECK_STATUS(ZN5_OK, zn5_block_header(block, header_len, &mode, &ndim, shape, 65535, &count, &len, ERR));
  CHECK(ndim == 65535 && count == 5 && len == header_len && shape[0] == 1 && shape[65534] == 5);
  CHECK_STATUS(ZN5_ERROR_TRUNCATED_BLOCK,
               zn5_block_header(block, header_len - 1, &mode, &ndim, shape, 65535, &count, &len, ERR));
  free(shape);
  free(block);
}

int main(void) {
  policy_13_modes();
  outputs();
  policy_02_and_05_prefixes();
  policy_16_the_highest_rank();
  return test_result();
}
