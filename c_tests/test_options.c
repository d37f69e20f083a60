/* zn5_codec_options: its size is checked, a longer struct may end in zeros, unknown bits and orders are refused, the
 * fill value is copied. */
#include "support.h"

static const char attributes[] =
    "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}}";

static void expect(zn5_status expected, const zn5_codec_options *options) {
  zn5_codec *codec = (zn5_codec *)(void *)&test_poison;
  CHECK_STATUS(expected, zn5_codec_from_n5_attributes(attributes, strlen(attributes), options, &codec, ERR));
  CHECK((codec == NULL) == (expected != ZN5_OK));
  zn5_codec_free(codec);
}

/* Options that claim `claimed` bytes, with `tail` at byte `tail_at`; the memory ends where the claim does. */
static void expect_size(zn5_status expected, size_t claimed, size_t tail_at, unsigned char tail) {
  zn5_codec_options options = default_options();
  guarded g = guard_after(claimed < sizeof(size_t) ? sizeof(size_t) : claimed);
  memset(g.bytes, 0, g.len);
  options.struct_size = claimed;
  memcpy(g.bytes, &options, g.len < sizeof options ? g.len : sizeof options);
  if (tail != 0)
    g.bytes[tail_at] = tail;
  set_case("struct_size %lu, byte %u at %lu", (unsigned long)claimed, tail, (unsigned long)tail_at);
  expect(expected, (const zn5_codec_options *)(const void *)g.bytes);
  GUARD_FREE(g);
}

static void sizes(void) {
  static const size_t wrong[] = {
      0, 1, 4, 8, 12, 16, 24, 25, sizeof(zn5_codec_options) - 8, sizeof(zn5_codec_options) - 1};
  size_t full = sizeof(zn5_codec_options), i;
  zn5_codec_options options = default_options();
  for (i = 0; i < COUNT(wrong); i++)
    expect_size(ZN5_ERROR_INVALID_ARGUMENT, wrong[i], 0, 0);
  expect_size(ZN5_OK, full, 0, 0);
  expect_size(ZN5_OK, full + 1, 0, 0);
  expect_size(ZN5_OK, full + 64, 0, 0);
  expect_size(ZN5_ERROR_INVALID_ARGUMENT, full + 1, full, 1);
  expect_size(ZN5_ERROR_INVALID_ARGUMENT, full + 64, full + 63, 0x80);
  set_case("an impossible size is not read to its end");
  options.struct_size = SIZE_MAX;
  expect(ZN5_ERROR_INVALID_ARGUMENT, &options);
  set_case("NULL");
  expect(ZN5_OK, NULL);
}

static void layout(void) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  set_case("layout");
  CHECK_EQUAL(0, offsetof(zn5_codec_options, struct_size));
  CHECK(offsetof(zn5_codec_options, order) < offsetof(zn5_codec_options, flags));
  CHECK(offsetof(zn5_codec_options, flags) < offsetof(zn5_codec_options, max_decoded_bytes));
  CHECK(offsetof(zn5_codec_options, max_decoded_bytes) < offsetof(zn5_codec_options, fill_value));
  CHECK(offsetof(zn5_codec_options, fill_value) < offsetof(zn5_codec_options, fill_value_len));
  CHECK_EQUAL(sizeof options, options.struct_size);
  CHECK(options.order == ZN5_ORDER_C && options.flags == 0 && options.max_decoded_bytes == 0);
  CHECK(options.fill_value == NULL && options.fill_value_len == 0);
}

static void orders_and_flags(void) {
  static const uint32_t orders[] = {2, 255, UINT32_MAX}, flags[] = {2, 3, 0x80000000u, UINT32_MAX};
  zn5_codec_options options;
  size_t i;
  for (i = 0; i < COUNT(orders); i++) {
    options = default_options();
    options.order = orders[i];
    set_case("order %lu", (unsigned long)orders[i]);
    expect(ZN5_ERROR_INVALID_ARGUMENT, &options);
  }
  for (i = 0; i < COUNT(flags); i++) {
    options = default_options();
    options.flags = flags[i];
    set_case("flags %lx", (unsigned long)flags[i]);
    expect(ZN5_ERROR_INVALID_ARGUMENT, &options);
  }
  set_case("strict");
  options = strict_options();
  expect(ZN5_OK, &options);
}

static void fill_values(void) {
  static const size_t wrong[] = {1, 3, 4, 8};
  unsigned char fill[8] = {0x34, 0x12, 0, 0, 0, 0, 0, 0}, back[8] = {0};
  zn5_codec_options options = default_options();
  zn5_codec *codec;
  guarded g = guarded_copy(fill, 2);
  size_t i;
  options.fill_value = fill;
  for (i = 0; i < COUNT(wrong); i++) {
    set_case("a fill value of %lu bytes for uint16", (unsigned long)wrong[i]);
    options.fill_value_len = wrong[i];
    expect(ZN5_ERROR_INVALID_ARGUMENT, &options);
  }
  set_case("a fill value of 0 bytes");
  options.fill_value_len = 0;
  expect(ZN5_ERROR_INVALID_ARGUMENT, &options);
  set_case("fill_value NULL with a length");
  options.fill_value = NULL;
  options.fill_value_len = 2;
  expect(ZN5_ERROR_NULL_POINTER, &options);
  set_case("the fill value is copied");
  options.fill_value = g.bytes;
  codec = codec_from_attributes(attributes, &options);
  memset(g.bytes, 0xff, 2);
  REQUIRE_OK(zn5_codec_fill_value(codec, back, sizeof back, ERR));
  CHECK_BYTES(fill, back, sizeof back);
  zn5_codec_free(codec);
  GUARD_FREE(g);
}

int main(void) {
  layout();
  sizes();
  orders_and_flags();
  fill_values();
  return test_result();
}
