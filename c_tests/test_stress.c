/* Threads at everything at once: codecs made, shared and freed, damaged blocks among good ones, tiles of one image,
 * regions of one dataset. What they get is what one thread gets. Meant for ThreadSanitizer, and worth running without.
 */
#include "support.h"

#include "store.h"

#ifdef _WIN32
int main(void) {
  printf("skipped: this test needs POSIX threads\n");
  return TEST_SKIPPED;
}
#else

#define THREADS 8
#define SIZE 4
#define CODECS COUNT(all_compressions)

static const uint64_t chunk[3] = {9, 7, 5};
#define CHUNK_LEN (9 * 7 * 5 * SIZE)

/* The image is a grid of chunks along each axis, and so is the dataset. */
static const uint64_t grid[3] = {4, 3, 3};
static const uint64_t image_shape[3] = {36, 21, 15};
#define TILES (4 * 3 * 3)
#define IMAGE_LEN (36 * 21 * 15 * SIZE)

/* What all threads share. They only read it, but for `next`, which the mutex guards, and for their own parts of
 * `image`. */
typedef struct {
  zn5_codec *codecs[CODECS];
  unsigned char *blocks[CODECS][2]; /* of two arrays */
  size_t lens[CODECS][2];
  unsigned char arrays[2][CHUNK_LEN];
  unsigned char *image;
  const unsigned char *expected;
  ptrdiff_t strides[3];
  zn5_store *store;
  zn5_dataset *dataset;
  size_t next, rounds;
  pthread_mutex_t mutex;
} shared;

typedef struct {
  shared *all;
  uint32_t random;
  size_t number;
  int failed; /* the line */
} job;

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      j->failed = __LINE__;                                                                                            \
  } while (0)

static size_t take(shared *all) {
  size_t taken;
  pthread_mutex_lock(&all->mutex);
  taken = all->next++;
  pthread_mutex_unlock(&all->mutex);
  return taken;
}

/* Good and damaged blocks with a codec that others use, or that is made and freed here. */
static void use_codec(job *j, const zn5_codec *codec, size_t c) {
  shared *all = j->all;
  unsigned char array[CHUNK_LEN], *damaged;
  size_t which = next_random(&j->random) % 2, len = all->lens[c][which], written = 0;
  zn5_error *error = NULL;
  zn5_status status;
  uint64_t bound = 0;
  EXPECT(zn5_decode_block(codec, all->blocks[c][which], len, NULL, array, sizeof array, NULL) == ZN5_OK);
  EXPECT(memcmp(array, all->arrays[which], sizeof array) == 0);
  damaged = (unsigned char *)malloc(len);
  if (damaged == NULL)
    return;
  memcpy(damaged, all->blocks[c][which], len);
  damaged[next_random(&j->random) % len] ^= (unsigned char)(1u << next_random(&j->random) % 8);
  status = zn5_decode_block(codec, damaged, len - next_random(&j->random) % 3, NULL, array, sizeof array, &error);
  EXPECT((status == ZN5_OK) == (error == NULL) && status != ZN5_ERROR_PANIC);
  EXPECT(status == zn5_error_status(error));
  zn5_error_free(error);
  free(damaged);
  if (zn5_codec_encode_bound(codec, NULL, &bound, NULL) == ZN5_OK) {
    unsigned char *block = (unsigned char *)malloc((size_t)bound);
    status = zn5_encode_block(codec, NULL, all->arrays[which], CHUNK_LEN, block, (size_t)bound, &written, NULL);
    EXPECT(status == ZN5_OK && written == len && memcmp(block, all->blocks[c][which], len) == 0);
    free(block);
  } else {
    j->failed = __LINE__;
  }
}

static void *work_on_codecs(void *argument) {
  job *j = (job *)argument;
  while (take(j->all) < j->all->rounds && j->failed == 0) {
    size_t c = next_random(&j->random) % CODECS;
    if (next_random(&j->random) % 3 == 0) {
      char json[1024];
      zn5_codec *own = NULL;
      snprintf(json, sizeof json,
               "{\"dimensions\":[9,7,5],\"blockSize\":[9,7,5],\"dataType\":\"int32\",\"compression\":%s}",
               all_compressions[c]);
      EXPECT(zn5_codec_from_n5_attributes(json, strlen(json), NULL, &own, NULL) == ZN5_OK);
      if (own != NULL)
        use_codec(j, own, c);
      zn5_codec_free(own);
    } else {
      use_codec(j, j->all->codecs[c], c);
    }
  }
  return NULL;
}

static size_t tile_origin(size_t tile, const ptrdiff_t *strides, uint64_t *offset) {
  size_t origin = 0, axis;
  for (axis = 3; axis-- > 0; tile /= (size_t)grid[axis]) {
    offset[axis] = tile % grid[axis] * chunk[axis];
    origin += (size_t)offset[axis] * (size_t)strides[axis];
  }
  return origin;
}

/* Tiles of the image: each round another compression, a damaged block first. */
static void *work_on_image(void *argument) {
  job *j = (job *)argument;
  shared *all = j->all;
  size_t taken;
  while ((taken = take(all)) < TILES && j->failed == 0) {
    size_t c = (taken + all->rounds) % CODECS, which = taken % 2;
    uint64_t offset[3];
    size_t origin = tile_origin(taken, all->strides, offset);
    const unsigned char *block = all->blocks[c][which];
    zn5_status status = zn5_decode_region(all->codecs[c], block, all->lens[c][which] - 1, NULL, NULL, NULL, all->image,
                                          IMAGE_LEN, origin, all->strides, NULL);
    EXPECT(status != ZN5_ERROR_PANIC);
    status = zn5_decode_region(all->codecs[c], block, all->lens[c][which], NULL, NULL, NULL, all->image, IMAGE_LEN,
                               origin, all->strides, NULL);
    EXPECT(status == ZN5_OK);
  }
  return NULL;
}

/* Blocks of the dataset are written, and other regions are read that nobody writes meanwhile. */
static void *work_on_dataset(void *argument) {
  job *j = (job *)argument;
  shared *all = j->all;
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  size_t taken;
  io.threads = (uint32_t)(j->number % 3 + 1);
  while ((taken = take(all)) < TILES && j->failed == 0) {
    uint64_t offset[3];
    size_t origin = tile_origin(taken, all->strides, offset);
    unsigned char array[CHUNK_LEN];
    zn5_dataset *own = NULL;
    zn5_error *error = NULL;
    EXPECT(zn5_dataset_write(all->dataset, offset, chunk, all->expected, IMAGE_LEN, origin, all->strides, &io, NULL) ==
           ZN5_OK);
    EXPECT(zn5_dataset_open(all->store, "a", NULL, &own, NULL) == ZN5_OK);
    if (own == NULL)
      continue;
    /* What was just written, into its part of the image that all threads fill. */
    EXPECT(zn5_dataset_read(own, offset, chunk, all->image, IMAGE_LEN, origin, all->strides, &io, NULL) == ZN5_OK);
    EXPECT(zn5_dataset_read(own, offset, image_shape, array, sizeof array, 0, NULL, &io, &error) != ZN5_OK);
    EXPECT(error != NULL);
    zn5_error_free(error);
    zn5_dataset_free(own);
    EXPECT(zn5_dataset_open(all->store, "nowhere", NULL, &own, NULL) == ZN5_ERROR_NOT_FOUND);
  }
  return NULL;
}

static void run(shared *all, void *(*work)(void *)) {
  pthread_t threads[THREADS];
  job jobs[THREADS];
  size_t t;
  all->next = 0;
  /* Nobody takes anything before all are there. */
  REQUIRE(pthread_mutex_lock(&all->mutex) == 0);
  for (t = 0; t < THREADS; t++) {
    jobs[t].all = all;
    jobs[t].random = (uint32_t)(t * 7919 + all->rounds);
    jobs[t].number = t;
    jobs[t].failed = 0;
    REQUIRE(pthread_create(&threads[t], NULL, work, &jobs[t]) == 0);
  }
  REQUIRE(pthread_mutex_unlock(&all->mutex) == 0);
  for (t = 0; t < THREADS; t++) {
    REQUIRE(pthread_join(threads[t], NULL) == 0);
    CHECK_EQUAL(0, jobs[t].failed);
  }
}

/* The image with the two arrays in turn. */
static void expect_image(const shared *all, unsigned char *image) {
  size_t tile;
  for (tile = 0; tile < TILES; tile++) {
    uint64_t offset[3], index[3] = {0};
    size_t origin = tile_origin(tile, all->strides, offset);
    do {
      size_t at = origin, axis;
      for (axis = 0; axis < 3; axis++)
        at += (size_t)index[axis] * (size_t)all->strides[axis];
      memcpy(image + at, all->arrays[tile % 2] + element_number(index, chunk, 3, ZN5_ORDER_C) * SIZE, SIZE);
    } while (next_index(index, chunk, 3));
  }
}

static void stress_image(shared *all) {
  size_t round;
  for (round = 0; round < CODECS; round++) {
    set_case("tiles of one image, round %lu", (unsigned long)round);
    all->rounds = round;
    memset(all->image, 0x5c, IMAGE_LEN);
    run(all, work_on_image);
    CHECK_BYTES(all->expected, all->image, IMAGE_LEN);
  }
}

static void stress_dataset(shared *all) {
  size_t c, with_folder;
  for (with_folder = 0; with_folder < 2; with_folder++)
    for (c = 0; c < CODECS; c++) {
      char json[1024], folder[1024];
      memory m;
      set_case("a dataset in %s: %s", with_folder ? "a folder" : "a store in C", all_compressions[c]);
      if (with_folder) {
        make_folder(folder);
        all->store = open_folder(folder, ZN5_STORE_WRITE);
      } else {
        all->store = memory_store(&m);
      }
      snprintf(json, sizeof json,
               "{\"dimensions\":[36,21,15],\"blockSize\":[9,7,5],\"dataType\":\"int32\",\"compression\":%s}",
               all_compressions[c]);
      REQUIRE_OK(zn5_dataset_create(all->store, "a", json, strlen(json), NULL, &all->dataset, ERR));
      memset(all->image, 0x5c, IMAGE_LEN);
      run(all, work_on_dataset);
      CHECK_BYTES(all->expected, all->image, IMAGE_LEN);
      zn5_store_free(all->store);
      memset(all->image, 0x5c, IMAGE_LEN);
      CHECK_STATUS(ZN5_OK, zn5_dataset_read(all->dataset, NULL, NULL, all->image, IMAGE_LEN, 0, NULL, NULL, ERR));
      CHECK_BYTES(all->expected, all->image, IMAGE_LEN);
      zn5_dataset_free(all->dataset);
      if (with_folder)
        remove_folder(folder);
      else
        CHECK_EQUAL(1, m.releases);
    }
}

int main(void) {
  static shared all;
  unsigned char *expected = (unsigned char *)allocate(IMAGE_LEN);
  guarded image = guard_after(IMAGE_LEN);
  size_t c, which;
  REQUIRE(pthread_mutex_init(&all.mutex, NULL) == 0);
  strides_of(all.strides, image_shape, 3, ZN5_ORDER_C, SIZE);
  all.image = image.bytes;
  for (which = 0; which < 2; which++)
    fill_runs(all.arrays[which], CHUNK_LEN, (uint32_t)which + 1);
  expect_image(&all, expected);
  all.expected = expected;
  for (c = 0; c < CODECS; c++) {
    all.codecs[c] = n5_codec("int32", all_compressions[c], 3, chunk, NULL);
    for (which = 0; which < 2; which++)
      all.blocks[c][which] = encode_chunk(all.codecs[c], all.arrays[which], CHUNK_LEN, &all.lens[c][which]);
  }
  set_case("codecs made, shared and freed");
  all.rounds = long_run() ? 20000 : instrumented() ? 300 : 3000;
  run(&all, work_on_codecs);
  stress_image(&all);
  stress_dataset(&all);
  for (c = 0; c < CODECS; c++) {
    zn5_codec_free(all.codecs[c]);
    for (which = 0; which < 2; which++)
      free(all.blocks[c][which]);
  }
  GUARD_FREE(image);
  free(expected);
  pthread_mutex_destroy(&all.mutex);
  return test_result();
}
#endif
