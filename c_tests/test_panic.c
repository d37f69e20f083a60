/* A panic inside the library becomes ZN5_ERROR_PANIC and an error object; the library goes on working. Needs a library
 * with the feature test-panic and ZN5_TEST_PANIC; others do not have the function that panics. */
#include "support.h"

#ifdef ZN5_TEST_PANIC
#ifdef __cplusplus
extern "C"
#endif
    zn5_status
    zn5_test_panic(zn5_error **error);
#endif

int main(void) {
#ifdef ZN5_TEST_PANIC
  static const uint64_t chunk[1] = {3};
  zn5_codec *codec = n5_codec("uint8", "{\"type\":\"gzip\"}", 1, chunk, NULL);
  unsigned char dst[3], block[64];
  size_t len;
  int round;
  for (round = 0; round < 3; round++) {
    CHECK_STATUS(ZN5_ERROR_PANIC, zn5_test_panic(ERR));
    CHECK_MESSAGE("on purpose");
    CHECK_EQUAL(ZN5_ERROR_PANIC, zn5_test_panic(NULL));
    CHECK_STATUS(ZN5_OK, zn5_encode_block(codec, NULL, "abc", 3, block, sizeof block, &len, ERR));
    CHECK_STATUS(ZN5_OK, zn5_decode_block(codec, block, len, NULL, dst, sizeof dst, ERR));
    CHECK_BYTES("abc", dst, 3);
  }
  zn5_codec_free(codec);
  return test_result();
#else
  printf("skipped: built without ZN5_TEST_PANIC\n");
  return TEST_SKIPPED;
#endif
}
