/* policy_11: a block is cropped and padded axis by axis, to whatever shape is asked; strictly, one that exceeds the
 * codec's chunk shape is refused, and only such a one. */
#include "support.h"

int main(void) {
  static const uint64_t stored[][2] = {{4, 3}, {2, 3}, {4, 1}, {6, 2}, {3, 5}, {6, 5}, {1, 1}};
  static const int exceeds[] = {0, 0, 0, 1, 1, 1, 0};
  static const uint64_t chunk[2] = {4, 3}, asked[][2] = {{4, 3}, {8, 8}, {1, 5}, {5, 1}};
  size_t c, s, a;
  for (c = 0; c < COUNT(all_compressions); c++) {
    zn5_codec_options strictly = strict_options();
    zn5_codec *codec = n5_codec("int32", all_compressions[c], 2, chunk, NULL);
    zn5_codec *strict = n5_codec("int32", all_compressions[c], 2, chunk, &strictly);
    for (s = 0; s < COUNT(stored); s++) {
      uint32_t array[30], dst[64];
      unsigned char block[512];
      size_t len, i;
      for (i = 0; i < 30; i++)
        array[i] = (uint32_t)i * 0x01010101u + 1;
      REQUIRE_OK(
          zn5_encode_block(codec, stored[s], array, (size_t)product(stored[s], 2) * 4, block, sizeof block, &len, ERR));
      for (a = 0; a < COUNT(asked); a++) {
        uint64_t index[2] = {0, 0};
        size_t dst_len = (size_t)product(asked[a], 2) * 4;
        set_case("%s, stored %lu, asked %lu", all_compressions[c], (unsigned long)s, (unsigned long)a);
        CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, asked[a], dst, dst_len, ERR));
        do {
          int inside = index[0] < stored[s][0] && index[1] < stored[s][1];
          CHECK_EQUAL(inside ? array[element_number(index, stored[s], 2, ZN5_ORDER_C)] : 0,
                      dst[element_number(index, asked[a], 2, ZN5_ORDER_C)]);
        } while (next_index(index, asked[a], 2));
        CHECK_STATUS(exceeds[s] ? ZN5_ERROR_INVALID_BLOCK_SHAPE : ZN5_OK,
                     decode_guarded(strict, block, len, asked[a], dst, dst_len, ERR));
        if (exceeds[s])
          CHECK_EQUAL(4, last_offset);
        CHECK_STATUS(exceeds[s] ? ZN5_ERROR_INVALID_BLOCK_SHAPE : ZN5_OK,
                     zn5_decode_region(strict, block, len, asked[a], NULL, NULL, dst, dst_len, 0, NULL, ERR));
      }
    }
    zn5_codec_free(codec);
    zn5_codec_free(strict);
  }
  return test_result();
}
