/* The native half of the classes over a zn5 that panics where it should decode: tests that a fault in zn5 is an
 * exception in Java, also with the unwinder that zig links. Takes a zn5 with the feature test-panic. */
#include <zn5.h>

zn5_status zn5_test_panic(zn5_error **error);

#define zn5_decode_region(codec, src, src_len, shape, offset, extent, dst, dst_len, dst_origin, dst_strides, error)    \
  zn5_test_panic(error)
#include "../../../../src/main/c/zn5_jni.c"
