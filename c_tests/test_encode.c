/* Encoding: the bound always suffices, a smaller buffer may, the bytes depend on the array alone, and what comes out
 * decodes to what went in. */
#include "support.h"

/* Bytes that no compressor shrinks. */
static void fill_noise(void *dst, size_t len, uint32_t seed) {
  unsigned char *bytes = (unsigned char *)dst;
  while (len-- > 0)
    *bytes++ = (unsigned char)(next_random(&seed) >> 5 & 0xff);
}

static void check_array(const zn5_codec *codec, const uint64_t *shape, const unsigned char *array, size_t array_len) {
  uint64_t bound = 0;
  size_t len = 77, again = 77, less;
  unsigned char *block, *copy, *back = (unsigned char *)allocate(array_len);
  guarded src = guarded_copy(array, array_len), dst;
  REQUIRE_OK(zn5_codec_encode_bound(codec, shape, &bound, ERR));
  dst = guard_after((size_t)bound);
  REQUIRE_OK(zn5_encode_block(codec, shape, src.bytes, src.len, dst.bytes, dst.len, &len, ERR));
  CHECK(len <= bound);
  block = (unsigned char *)allocate(len);
  memcpy(block, dst.bytes, len);
  GUARD_FREE(dst);

  /* policy_30: the same bytes again, into any buffer that holds them. */
  for (less = 0; less < 3; less++) {
    size_t room = less == 0 ? (size_t)bound + 100 : less == 1 ? len : (len + (size_t)bound) / 2;
    dst = guard_after(room);
    CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, shape, src.bytes, src.len, dst.bytes, room, &again, ERR));
    CHECK_EQUAL(len, again);
    CHECK_BYTES(block, dst.bytes, len);
    GUARD_FREE(dst);
  }
  for (less = 0; less < 3; less++) {
    size_t room = less == 0 ? len - 1 : less == 1 ? 5 : 0;
    dst = guard_after(room);
    again = 77;
    CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL,
                 zn5_encode_block(codec, shape, src.bytes, src.len, room == 0 ? NULL : dst.bytes, room, &again, ERR));
    CHECK_EQUAL(77, again);
    GUARD_FREE(dst);
  }
  copy = (unsigned char *)allocate(array_len);
  memcpy(copy, array, array_len);
  CHECK_BYTES(copy, src.bytes, array_len);
  CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, shape, back, array_len, ERR));
  CHECK_BYTES(array, back, array_len);
  free(copy);
  free(back);
  free(block);
  GUARD_FREE(src);
}

static void policy_30_bounds_and_bytes(void) {
  static const char *const more[] = {
      "{\"type\":\"gzip\",\"level\":0}",
      "{\"type\":\"gzip\",\"level\":9,\"useZlib\":true}",
      "{\"type\":\"zstd\",\"level\":-7}",
      "{\"type\":\"zstd\",\"level\":19}",
      "{\"type\":\"xz\",\"preset\":9}",
      "{\"type\":\"xz\",\"preset\":0}",
      "{\"type\":\"bzip2\",\"blockSize\":9}",
      "{\"type\":\"lz4\",\"blockSize\":33554432}",
      "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":0,\"shuffle\":2,\"blocksize\":0}",
  };
  static const uint64_t shapes[][3] = {{1, 1, 1}, {5, 3, 2}, {16, 16, 8}, {33, 1, 1}};
  size_t c, t, s;
  for (c = 0; c < COUNT(all_compressions) + COUNT(more); c++) {
    const char *compression = c < COUNT(all_compressions) ? all_compressions[c] : more[c - COUNT(all_compressions)];
    for (t = 0; t < COUNT(n5_data_types); t++)
      for (s = 0; s < COUNT(shapes); s++) {
        zn5_codec_options options = default_options();
        zn5_codec *codec;
        size_t len;
        unsigned char *array;
        if (s > 0 && (t + c) % (instrumented() ? 9 : 3) != 0)
          continue; /* every pair once with one element, each third with all shapes */
        options.order = (t + c) % 2 == 0 ? ZN5_ORDER_C : ZN5_ORDER_F;
        codec = n5_codec(n5_data_types[t], compression, 3, shapes[2], &options);
        len = (size_t)product(shapes[s], 3) * zn5_codec_element_size(codec);
        array = (unsigned char *)allocate(len);
        set_case("%s, %s, shape %lu", compression, n5_data_types[t], (unsigned long)s);
        fill_noise(array, len, (uint32_t)(c + t + s));
        check_array(codec, shapes[s], array, len);
        fill_runs(array, len, (uint32_t)(c + t + s));
        check_array(codec, shapes[s], array, len);
        memset(array, 0, len);
        check_array(codec, shapes[s], array, len);
        free(array);
        zn5_codec_free(codec);
      }
  }
}

static void the_header_has_the_shape(void) {
  static const uint64_t chunk[2] = {4, 3}, cut[2] = {4, 1}, larger[2] = {5, 7};
  static const uint64_t *const shapes[] = {NULL, cut, larger};
  zn5_codec *codec = n5_codec("int16", "{\"type\":\"zstd\"}", 2, chunk, NULL);
  unsigned char array[70], block[512];
  size_t i;
  fill_runs(array, sizeof array, 5);
  for (i = 0; i < COUNT(shapes); i++) {
    const uint64_t *shape = shapes[i] == NULL ? chunk : shapes[i];
    uint16_t mode, ndim;
    uint64_t stored[2], count;
    size_t len, header_len;
    set_case("shape %lu", (unsigned long)i);
    CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, shapes[i], array, (size_t)product(shape, 2) * 2, block, sizeof block,
                                          &len, ERR));
    CHECK_STATUS(ZN5_OK, zn5_block_header(block, len, &mode, &ndim, stored, 2, &count, &header_len, ERR));
    CHECK(mode == 0 && ndim == 2 && header_len == 12 && count == product(shape, 2));
    CHECK_BYTES(shape, stored, sizeof stored);
  }
  zn5_codec_free(codec);
}

static void refused_shapes_and_sizes(void) {
  static const uint64_t chunk[2] = {3, 2};
  static const struct {
    uint64_t shape[2];
    zn5_status expected;
  } shapes[] = {
      {{0, 2}, ZN5_ERROR_INVALID_ARGUMENT},
      {{3, 0}, ZN5_ERROR_INVALID_ARGUMENT},
      {{UINT64_C(1) << 32, 1}, ZN5_ERROR_INVALID_ARGUMENT},
      {{1, UINT64_C(1) << 32}, ZN5_ERROR_INVALID_ARGUMENT},
      {{UINT64_MAX, UINT64_MAX}, ZN5_ERROR_INVALID_ARGUMENT},
      {{UINT64_C(1) << 31, 1}, ZN5_ERROR_LIMIT_EXCEEDED},
      {{UINT32_MAX, 1}, ZN5_ERROR_LIMIT_EXCEEDED},
      {{UINT64_C(1) << 30, 1}, ZN5_ERROR_LIMIT_EXCEEDED},       /* 2^31 bytes */
      {{(UINT64_C(1) << 30) - 6, 1}, ZN5_ERROR_LIMIT_EXCEEDED}, /* 2^31 bytes with its header */
      {{(UINT64_C(1) << 30) - 7, 1}, ZN5_OK},
      {{(UINT64_C(1) << 31) - 1, (UINT64_C(1) << 31) - 1}, ZN5_ERROR_LIMIT_EXCEEDED},
      {{UINT32_MAX, UINT32_MAX}, ZN5_ERROR_LIMIT_EXCEEDED},
  };
  static const size_t lens[] = {0, 11, 13, 24};
  zn5_codec *codec = n5_codec("uint16", NULL, 2, chunk, NULL);
  unsigned char array[24] = {0}, block[64];
  uint64_t bound = 77;
  size_t i, written = 77;
  for (i = 0; i < COUNT(shapes); i++) {
    set_case("shape %" PRIu64 ",%" PRIu64, shapes[i].shape[0], shapes[i].shape[1]);
    bound = 77;
    CHECK_STATUS(shapes[i].expected, zn5_codec_encode_bound(codec, shapes[i].shape, &bound, ERR));
    CHECK((bound == 77) == (shapes[i].expected != ZN5_OK));
    if (shapes[i].expected == ZN5_OK)
      continue;
    CHECK_STATUS(shapes[i].expected,
                 zn5_encode_block(codec, shapes[i].shape, array, 12, block, sizeof block, &written, ERR));
    CHECK_STATUS(shapes[i].expected,
                 zn5_encode_region(codec, shapes[i].shape, array, 12, 0, NULL, block, sizeof block, &written, ERR));
  }
  for (i = 0; i < COUNT(lens); i++) {
    set_case("src_len %lu of 12", (unsigned long)lens[i]);
    CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH,
                 zn5_encode_block(codec, NULL, array, lens[i], block, sizeof block, &written, ERR));
  }
  CHECK_EQUAL(77, written);
  zn5_codec_free(codec);
}

typedef struct {
  const char *name;
  size_t len, origin;
  ptrdiff_t strides[2];
  zn5_status expected;
} region_case;

/* Of a block of (3,2) one-byte elements; source bytes count from 0. */
static const region_case regions[] = {
    {"contiguous", 6, 0, {2, 1}, ZN5_OK},
    {"transposed", 6, 0, {1, 3}, ZN5_OK},
    {"flipped", 6, 4, {-2, 1}, ZN5_OK},
    {"flipped twice", 6, 5, {-2, -1}, ZN5_OK},
    {"a stride of 0 repeats", 1, 0, {0, 0}, ZN5_OK},
    {"one row for all", 2, 0, {0, 1}, ZN5_OK},
    {"overlapping windows", 4, 0, {1, 1}, ZN5_OK},
    {"with gaps", 17, 3, {5, 3}, ZN5_OK},
    {"one byte short", 16, 3, {5, 3}, ZN5_ERROR_SIZE_MISMATCH},
    {"before the start", 6, 3, {-2, 1}, ZN5_ERROR_SIZE_MISMATCH},
    {"origin far out", 6, SIZE_MAX, {0, 0}, ZN5_ERROR_SIZE_MISMATCH},
    {"a stride of the largest number", 6, 0, {PTRDIFF_MAX, 1}, ZN5_ERROR_SIZE_MISMATCH},
    {"a stride of the smallest number", 6, 5, {PTRDIFF_MIN, 1}, ZN5_ERROR_SIZE_MISMATCH},
    {"no memory", 0, 0, {2, 1}, ZN5_ERROR_SIZE_MISMATCH},
};

static void regions_of_an_image(void) {
  static const uint64_t chunk[2] = {3, 2};
  size_t c, i, k, x, y;
  for (c = 0; c < COUNT(all_compressions); c++) {
    zn5_codec *codec = n5_codec("uint8", all_compressions[c], 2, chunk, NULL);
    for (i = 0; i < COUNT(regions); i++) {
      const region_case *r = &regions[i];
      guarded image = guard_after(r->len);
      unsigned char block[512], again[512], array[3][2];
      size_t len = 77, again_len = 77;
      for (k = 0; k < r->len; k++)
        image.bytes[k] = (unsigned char)k;
      set_case("%s, %s", all_compressions[c], r->name);
      CHECK_STATUS(r->expected, zn5_encode_region(codec, NULL, image.bytes, r->len, r->origin, r->strides, block,
                                                  sizeof block, &len, ERR));
      if (r->expected == ZN5_OK) {
        for (x = 0; x < 3; x++)
          for (y = 0; y < 2; y++)
            array[x][y] =
                image.bytes[(ptrdiff_t)r->origin + (ptrdiff_t)x * r->strides[0] + (ptrdiff_t)y * r->strides[1]];
        CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, NULL, array, sizeof array, again, sizeof again, &again_len, ERR));
        CHECK_EQUAL(again_len, len);
        CHECK_BYTES(again, block, len);
      } else {
        CHECK_EQUAL(77, len);
      }
      GUARD_FREE(image);
    }
    set_case("%s, no strides", all_compressions[c]);
    {
      static const unsigned char image[8] = {9, 9, 1, 4, 2, 5, 3, 6};
      unsigned char block[512], back[6];
      size_t len;
      CHECK_STATUS(ZN5_OK,
                   zn5_encode_region(codec, NULL, image, sizeof image, 2, NULL, block, sizeof block, &len, ERR));
      CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, back, sizeof back, ERR));
      CHECK_BYTES(image + 2, back, sizeof back);
    }
    zn5_codec_free(codec);
  }
}

/* The raw block of an array is known byte for byte. */
static void raw_blocks(void) {
  static const uint64_t chunk[4] = {2, 3, 1, 4};
  size_t t;
  for (t = 0; t < COUNT(n5_data_types); t++) {
    uint32_t order;
    for (order = ZN5_ORDER_C; order <= ZN5_ORDER_F; order++) {
      zn5_codec_options options = default_options();
      zn5_codec *codec;
      unsigned char array[24 * 8], in_order[24 * 8], *expected, *block;
      size_t size, expected_len, len;
      options.order = order;
      codec = n5_codec(n5_data_types[t], NULL, 4, chunk, &options);
      size = zn5_codec_element_size(codec);
      set_case("%s, order %u", n5_data_types[t], order);
      fill_noise(array, sizeof array, (uint32_t)t);
      memcpy(in_order, array, sizeof array);
      if (order == ZN5_ORDER_F)
        to_order_f(in_order, array, chunk, 4, size);
      expected = make_raw_block(array, chunk, 4, size, &expected_len);
      block = encode_chunk(codec, in_order, 24 * size, &len);
      CHECK_EQUAL(expected_len, len);
      CHECK_BYTES(expected, block, len);
      free(expected);
      free(block);
      zn5_codec_free(codec);
    }
  }
}

/* What a strict codec writes, it reads. */
static void policy_11_strict_codecs_write_no_oversized_blocks(void) {
  static const uint64_t chunk[2] = {3, 2}, cut[2] = {2, 1}, larger[2] = {2, 3};
  static const uint16_t array[6] = {1, 2, 3, 4, 5, 6};
  zn5_codec_options options = strict_options();
  zn5_codec *strict = n5_codec("uint16", NULL, 2, chunk, &options);
  zn5_codec *lenient = n5_codec("uint16", NULL, 2, chunk, NULL);
  unsigned char block[64];
  size_t written = 0;
  uint64_t bound = 0;
  set_case("strict encoding");
  CHECK_STATUS(ZN5_OK, zn5_encode_block(strict, cut, array, 4, block, sizeof block, &written, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_BLOCK_SHAPE,
               zn5_encode_block(strict, larger, array, 12, block, sizeof block, &written, ERR));
  CHECK_MESSAGE("axis 1");
  CHECK_STATUS(ZN5_ERROR_INVALID_BLOCK_SHAPE, zn5_codec_encode_bound(strict, larger, &bound, ERR));
  CHECK_STATUS(ZN5_OK, zn5_encode_block(lenient, larger, array, 12, block, sizeof block, &written, ERR));
  zn5_codec_free(strict);
  zn5_codec_free(lenient);
}

int main(void) {
  policy_11_strict_codecs_write_no_oversized_blocks();
  policy_30_bounds_and_bytes();
  the_header_has_the_shape();
  refused_shapes_and_sizes();
  regions_of_an_image();
  raw_blocks();
  return test_result();
}
