/* Sixteen threads use one codec at once and fill one image, whose elements they interleave: the image is right, and
 * what they encode is what one thread encodes (policy_30). */
#include "support.h"

#ifdef _WIN32
int main(void) {
  printf("skipped: this test needs POSIX threads\n");
  return TEST_SKIPPED;
}
#else
#include <pthread.h>

#define THREADS 16
#define SIZE 2

static const uint64_t chunk[3] = {13, 11, 7};
#define COUNT_IN_CHUNK (13 * 11 * 7)

typedef struct {
  const zn5_codec *codec;
  const unsigned char *block, *array;
  size_t block_len;
  unsigned char *image;
  size_t number;
  int rounds, failed;
} job;

/* The image has an axis of threads behind the axes of the chunk, so that neighbouring elements belong to different
 * threads. */
static void *work(void *argument) {
  job *j = (job *)argument;
  unsigned char *block = (unsigned char *)malloc(8192), dst[8];
  ptrdiff_t strides[3];
  int round;
  strides_of(strides, chunk, 3, ZN5_ORDER_C, SIZE * THREADS);
  for (round = 0; round < j->rounds; round++) {
    zn5_error *error = NULL;
    size_t len = 0;
    if (zn5_decode_region(j->codec, j->block, j->block_len, NULL, NULL, NULL, j->image, COUNT_IN_CHUNK * SIZE * THREADS,
                          j->number * SIZE, strides, NULL) != ZN5_OK)
      j->failed = __LINE__;
    if (zn5_encode_block(j->codec, NULL, j->array, COUNT_IN_CHUNK * SIZE, block, 8192, &len, NULL) != ZN5_OK ||
        len != j->block_len || memcmp(block, j->block, len) != 0)
      j->failed = __LINE__;
    /* Errors belong to the call that got them. */
    if (zn5_decode_block(j->codec, j->block, 3 + j->number % 2, NULL, dst, sizeof dst, &error) == ZN5_OK ||
        error == NULL)
      j->failed = __LINE__;
    zn5_error_free(error);
  }
  free(block);
  return NULL;
}

static void share(const char *compression, int rounds) {
  zn5_codec *codec = n5_codec("uint16", compression, 3, chunk, NULL);
  static unsigned char arrays[THREADS][COUNT_IN_CHUNK * SIZE];
  guarded image = guard_after(COUNT_IN_CHUNK * SIZE * THREADS);
  pthread_t threads[THREADS];
  job jobs[THREADS];
  size_t t, i;
  for (t = 0; t < THREADS; t++) {
    fill_runs(arrays[t], sizeof arrays[t], (uint32_t)t);
    jobs[t].codec = codec;
    jobs[t].array = arrays[t];
    jobs[t].block = encode_chunk(codec, arrays[t], sizeof arrays[t], &jobs[t].block_len);
    jobs[t].image = image.bytes;
    jobs[t].number = t;
    jobs[t].rounds = rounds;
    jobs[t].failed = 0;
  }
  set_case("%s", compression);
  for (t = 0; t < THREADS; t++)
    REQUIRE(pthread_create(&threads[t], NULL, work, &jobs[t]) == 0);
  for (t = 0; t < THREADS; t++)
    REQUIRE(pthread_join(threads[t], NULL) == 0);
  for (t = 0; t < THREADS; t++) {
    CHECK_EQUAL(0, jobs[t].failed);
    for (i = 0; i < COUNT_IN_CHUNK; i++)
      if (!CHECK_BYTES(arrays[t] + i * SIZE, image.bytes + (i * THREADS + t) * SIZE, SIZE))
        break;
    free((void *)(uintptr_t)jobs[t].block);
  }
  GUARD_FREE(image);
  zn5_codec_free(codec);
}

int main(void) {
  size_t c;
  for (c = 0; c < COUNT(all_compressions); c++)
    share(all_compressions[c], instrumented() ? 1 : 20);
  return test_result();
}
#endif
