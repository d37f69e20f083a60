/* zn5_decode_region gives exactly the box of what zn5_decode_block gives, wherever the strides put it, and touches no
 * other byte of the image: for every compression, both orders, blocks that are smaller and larger than asked, and boxes
 * of all sorts. */
#include "support.h"

#define NDIM 3
#define SIZE 4

static const uint64_t chunk[NDIM] = {7, 5, 6};
static const uint32_t fill = 0xdeadbeef;

/* Strides for a box, and the origin and length of the smallest image around it. */
typedef struct {
  ptrdiff_t strides[NDIM];
  size_t origin, len;
} placement;

static placement choose_placement(const uint64_t *extent, uint32_t *random) {
  static const uint32_t permutations[6][NDIM] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const uint32_t *axes = permutations[next_random(random) % 6];
  placement p;
  ptrdiff_t stride = SIZE + (ptrdiff_t)(next_random(random) % 4);
  uint32_t i;
  p.origin = next_random(random) % 9;
  p.len = p.origin + SIZE;
  for (i = 0; i < NDIM; i++) {
    uint32_t axis = axes[i];
    size_t reach = (size_t)(extent[axis] == 0 ? 0 : extent[axis] - 1) * (size_t)stride;
    p.strides[axis] = stride;
    p.len += reach;
    if (next_random(random) % 2 == 0) {
      p.strides[axis] = -stride;
      p.origin += reach;
    }
    stride = stride * (ptrdiff_t)(extent[axis] + next_random(random) % 2) + (ptrdiff_t)(next_random(random) % 5);
    if (stride < SIZE)
      stride = SIZE;
  }
  return p;
}

/* One box at random, against a model that copies element by element. */
static void check_box(const zn5_codec *codec, uint32_t order, const unsigned char *block, size_t block_len,
                      const uint64_t *shape, const unsigned char *whole, uint32_t *random) {
  uint64_t offset[NDIM], extent[NDIM], index[NDIM] = {0}, at[NDIM];
  uint32_t axis;
  placement p;
  guarded image, src = guarded_copy(block, block_len);
  unsigned char *expected;
  for (axis = 0; axis < NDIM; axis++) {
    offset[axis] = next_random(random) % (shape[axis] + 1);
    extent[axis] = next_random(random) % (shape[axis] - offset[axis] + 1);
  }
  p = choose_placement(extent, random);
  image = next_random(random) % 2 == 0 ? guard_after(p.len) : guard_before(p.len);
  expected = (unsigned char *)allocate(p.len);
  memcpy(expected, image.bytes, p.len);
  if (product(extent, NDIM) != 0)
    do {
      ptrdiff_t place = (ptrdiff_t)p.origin;
      for (axis = 0; axis < NDIM; axis++) {
        place += (ptrdiff_t)index[axis] * p.strides[axis];
        at[axis] = offset[axis] + index[axis];
      }
      memcpy(expected + place, whole + element_number(at, shape, NDIM, order) * SIZE, SIZE);
    } while (next_index(index, extent, NDIM));
  CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, src.bytes, src.len, shape, offset, extent, image.bytes, p.len, p.origin,
                                         p.strides, ERR));
  CHECK_BYTES(expected, image.bytes, p.len);
  free(expected);
  GUARD_FREE(image);
  GUARD_FREE(src);
}

/* Every box of every compression is a slice of the whole block. */
static void policy_33_slices(void) {
  static const uint64_t stored[][NDIM] = {{7, 5, 6}, {4, 5, 2}, {9, 3, 8}, {1, 1, 1}, {10, 10, 10}};
  static const uint64_t asked[][NDIM] = {{7, 5, 6}, {3, 5, 6}, {12, 4, 9}};
  uint32_t random = 1;
  size_t c, s, a, i;
  for (c = 0; c < COUNT(all_compressions); c++)
    for (s = 0; s < COUNT(stored); s++) {
      uint32_t order;
      for (order = ZN5_ORDER_C; order <= ZN5_ORDER_F; order++) {
        size_t array_len = (size_t)product(stored[s], NDIM) * SIZE, block_len = 0;
        uint64_t bound = 0;
        unsigned char *array = (unsigned char *)allocate(array_len), *block;
        zn5_codec_options options = default_options();
        zn5_codec *codec;
        options.order = order;
        options.fill_value = &fill;
        options.fill_value_len = SIZE;
        codec = n5_codec("uint32", all_compressions[c], NDIM, chunk, &options);
        set_case("%s, block %lu, order %u", all_compressions[c], (unsigned long)s, order);
        fill_runs(array, array_len, (uint32_t)(c * 31 + s));
        REQUIRE_OK(zn5_codec_encode_bound(codec, stored[s], &bound, ERR));
        block = (unsigned char *)allocate((size_t)bound);
        REQUIRE_OK(zn5_encode_block(codec, stored[s], array, array_len, block, (size_t)bound, &block_len, ERR));
        for (a = 0; a < COUNT(asked); a++) {
          size_t whole_len = (size_t)product(asked[a], NDIM) * SIZE;
          guarded whole = guard_after(whole_len);
          uint64_t index[NDIM] = {0};
          REQUIRE_OK(zn5_decode_block(codec, block, block_len, asked[a], whole.bytes, whole_len, ERR));
          /* policy_11: per axis, crop here and pad there. */
          do {
            int inside = index[0] < stored[s][0] && index[1] < stored[s][1] && index[2] < stored[s][2];
            const void *expected = inside ? array + element_number(index, stored[s], NDIM, order) * SIZE
                                          : (const unsigned char *)(const void *)&fill;
            CHECK_BYTES(expected, whole.bytes + element_number(index, asked[a], NDIM, order) * SIZE, SIZE);
          } while (next_index(index, asked[a], NDIM));
          for (i = 0; i < 12; i++)
            check_box(codec, order, block, block_len, asked[a], whole.bytes, &random);
          GUARD_FREE(whole);
        }
        zn5_codec_free(codec);
        free(block);
        free(array);
      }
    }
}

/* NULL offset, extent and strides. */
static void defaults(void) {
  static const uint64_t shape[2] = {3, 2}, offset[2] = {1, 1}, extent[2] = {2, 1};
  static const uint16_t array[6] = {1, 4, 2, 5, 3, 6}, tail[2] = {5, 6}, head[2] = {1, 2};
  zn5_codec *codec = n5_codec("uint16", NULL, 2, shape, NULL);
  size_t len;
  unsigned char *block = encode_chunk(codec, array, sizeof array, &len);
  uint16_t image[6];
  set_case("all NULL");
  CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, NULL, image, sizeof image, 0, NULL, ERR));
  CHECK_BYTES(array, image, sizeof array);
  set_case("the rest of the shape");
  memset(image, 0, sizeof image);
  CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, offset, NULL, image, sizeof image, 2, NULL, ERR));
  CHECK(image[0] == 0 && image[3] == 0);
  CHECK_BYTES(tail, image + 1, sizeof tail);
  set_case("from the beginning");
  memset(image, 0, sizeof image);
  CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, extent, image, 4, 0, NULL, ERR));
  CHECK_BYTES(head, image, sizeof head);
  free(block);
  zn5_codec_free(codec);
}

typedef struct {
  const char *name;
  uint64_t offset[2], extent[2];
  size_t len, origin;
  ptrdiff_t strides[2];
  zn5_status expected;
} bounds_case;

#define SMALL ZN5_ERROR_BUFFER_TOO_SMALL
#define WRONG ZN5_ERROR_INVALID_ARGUMENT

/* Of a chunk of (4,3) two-byte elements. */
static const bounds_case bounds[] = {
    {"fits exactly", {0, 0}, {4, 3}, 24, 0, {6, 2}, ZN5_OK},
    {"one byte short", {0, 0}, {4, 3}, 23, 0, {6, 2}, SMALL},
    {"one byte further", {0, 0}, {4, 3}, 24, 1, {6, 2}, SMALL},
    {"origin at the end", {0, 0}, {1, 1}, 24, 24, {6, 2}, SMALL},
    {"origin far out", {0, 0}, {1, 1}, 24, SIZE_MAX, {6, 2}, SMALL},
    {"origin wraps", {0, 0}, {4, 3}, 24, SIZE_MAX - 11, {6, 2}, SMALL},
    {"flipped, fits", {0, 0}, {4, 3}, 24, 18, {-6, 2}, ZN5_OK},
    {"flipped, one byte before the start", {0, 0}, {4, 3}, 24, 17, {-6, 2}, SMALL},
    {"flipped twice", {0, 0}, {4, 3}, 24, 22, {-6, -2}, ZN5_OK},
    {"a stride of the largest number", {0, 0}, {2, 1}, 24, 0, {PTRDIFF_MAX, 2}, SMALL},
    {"a stride of the smallest number", {0, 0}, {2, 1}, 24, 22, {PTRDIFF_MIN, 2}, SMALL},
    {"an axis of one element has no stride", {0, 0}, {1, 3}, 6, 0, {PTRDIFF_MIN, 2}, ZN5_OK},
    {"an empty box may lie anywhere", {4, 3}, {0, 0}, 0, SIZE_MAX, {PTRDIFF_MIN, 0}, ZN5_OK},
    {"an empty axis", {1, 1}, {0, 2}, 24, 0, {0, 0}, ZN5_OK},
    {"a stride of 0", {0, 0}, {2, 1}, 24, 0, {0, 2}, WRONG},
    {"equal strides", {0, 0}, {2, 2}, 24, 0, {2, 2}, WRONG},
    {"a stride below the element", {0, 0}, {1, 3}, 24, 0, {6, 1}, WRONG},
    {"a negative stride below the element", {0, 0}, {1, 3}, 24, 12, {6, -1}, WRONG},
    {"elements meet across axes", {0, 0}, {3, 2}, 24, 0, {2, 4}, WRONG},
    {"interleaved axes that never meet", {0, 0}, {4, 3}, 28, 0, {6, 4}, ZN5_OK},
    {"odd strides", {0, 0}, {4, 3}, 27, 0, {7, 2}, ZN5_OK},
    {"the box begins beyond the shape", {5, 0}, {0, 1}, 24, 0, {6, 2}, WRONG},
    {"the box ends beyond the shape", {1, 0}, {4, 3}, 24, 0, {6, 2}, WRONG},
    {"offset and extent wrap", {2, 0}, {UINT64_MAX, 3}, 24, 0, {6, 2}, WRONG},
    {"an offset that wraps", {UINT64_MAX, 0}, {2, 3}, 24, 0, {6, 2}, WRONG},
};

static void out_of_bounds(void) {
  static const uint64_t shape[2] = {4, 3}, huge[2] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
  static const ptrdiff_t two_bytes[2] = {2, 2};
  zn5_codec *codec = n5_codec("uint16", NULL, 2, shape, NULL);
  unsigned char array[24];
  size_t len, i;
  unsigned char *block;
  fill_runs(array, sizeof array, 3);
  block = encode_chunk(codec, array, sizeof array, &len);
  for (i = 0; i < COUNT(bounds); i++) {
    const bounds_case *b = &bounds[i];
    guarded image = guard_after(b->len);
    set_case("%s", b->name);
    CHECK_STATUS(b->expected, zn5_decode_region(codec, block, len, NULL, b->offset, b->extent, image.bytes, b->len,
                                                b->origin, b->strides, ERR));
    GUARD_FREE(image);
  }
  set_case("an empty box without memory");
  CHECK_STATUS(ZN5_OK,
               zn5_decode_region(codec, block, len, NULL, bounds[12].offset, bounds[12].extent, NULL, 0, 0, NULL, ERR));
  set_case("a shape beyond all memory");
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED,
               zn5_decode_region(codec, block, len, huge, NULL, NULL, array, sizeof array, 0, NULL, ERR));
  {
    zn5_status status = zn5_decode_region(codec, block, len, huge, NULL, NULL, array, sizeof array, 0, two_bytes, NULL);
    CHECK(status == SMALL || status == ZN5_ERROR_LIMIT_EXCEEDED || status == WRONG);
  }
  set_case("a small box of a shape beyond all memory");
  {
    uint64_t offset[2] = {1, 2}, extent[2] = {1, 1};
    CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, huge, offset, extent, array, 2, 0, NULL, ERR));
  }
  free(block);
  zn5_codec_free(codec);
}

/* A region call checks header, total size and what follows the payload, and of the payload what it touches. */
static void policy_33_what_is_checked(void) {
  static const uint64_t shape[1] = {4096}, first[1] = {16}, last[1] = {4080};
  static const struct {
    const char *compression;
    size_t bad_byte_from_start, bad_byte_from_end; /* damages the last piece, which is seen in it alone */
  } partial[] = {
      {"{\"type\":\"lz4\",\"blockSize\":64}", 0, 21 + 4},
      {"{\"type\":\"blosc\",\"cname\":\"zstd\",\"clevel\":5,\"shuffle\":0,\"blocksize\":256}", 8 + 16 + 15 * 4 + 3, 0},
  };
  unsigned char array[4096], dst[4096];
  size_t i, len;
  fill_runs(array, sizeof array, 7);
  for (i = 0; i < COUNT(partial); i++) {
    zn5_codec *codec = n5_codec("uint8", partial[i].compression, 1, shape, NULL);
    unsigned char *block = encode_chunk(codec, array, sizeof array, &len);
    size_t bad =
        partial[i].bad_byte_from_start != 0 ? partial[i].bad_byte_from_start : len - partial[i].bad_byte_from_end;
    set_case("%s, damaged in its last piece", partial[i].compression);
    block[bad] ^= 0x7f;
    CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, first, dst, sizeof dst, 0, NULL, ERR));
    CHECK_BYTES(array, dst, 16);
    CHECK_STATUS(ZN5_ERROR_CORRUPT_PAYLOAD,
                 zn5_decode_region(codec, block, len, NULL, last, NULL, dst, sizeof dst, 0, NULL, ERR));
    CHECK_STATUS(ZN5_ERROR_CORRUPT_PAYLOAD, zn5_decode_block(codec, block, len, NULL, dst, sizeof dst, ERR));
    free(block);
    zn5_codec_free(codec);
  }
  for (i = 0; i < COUNT(all_compressions); i++) {
    zn5_codec *codec = n5_codec("uint8", all_compressions[i], 1, shape, NULL);
    unsigned char *block = encode_chunk(codec, array, sizeof array, &len);
    unsigned char *longer = (unsigned char *)allocate(len + 1);
    zn5_status status;
    memcpy(longer, block, len);
    longer[len] = 1;
    set_case("%s, a byte more", all_compressions[i]);
    CHECK_STATUS(ZN5_ERROR_TRAILING_DATA,
                 zn5_decode_region(codec, longer, len + 1, NULL, NULL, first, dst, sizeof dst, 0, NULL, ERR));
    set_case("%s, a byte less", all_compressions[i]);
    status = zn5_decode_region(codec, longer, len - 1, NULL, NULL, first, dst, sizeof dst, 0, NULL, NULL);
    if (strstr(all_compressions[i], "lz4\",\"blockSize") == NULL) /* where the end mark is no piece of the box */
      CHECK_EQUAL(i == 0 ? ZN5_ERROR_TRUNCATED_BLOCK : ZN5_ERROR_CORRUPT_PAYLOAD, status);
    else
      CHECK(status == ZN5_OK || status == ZN5_ERROR_CORRUPT_PAYLOAD);
    free(longer);
    free(block);
    zn5_codec_free(codec);
  }
}

int main(void) {
  policy_33_slices();
  defaults();
  out_of_bounds();
  policy_33_what_is_checked();
  return test_result();
}
