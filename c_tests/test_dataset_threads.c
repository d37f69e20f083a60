/* Threads write parts of the same blocks by one handle, into a store in C and into a folder: nothing is lost, a store
 * that fails is in nobody's way, and callbacks may write the dataset that they serve; policy 44. */
#include "support.h"

#include "store.h"

#ifdef _WIN32
int main(void) {
  printf("skipped: this test needs POSIX threads\n");
  return TEST_SKIPPED;
}
#else

#define THREADS 16
#define EXTENT 64

static const char attributes[] = "{\"dimensions\":[64],\"blockSize\":[16],\"dataType\":\"uint16\",\"compression\":"
                                 "{\"type\":\"gzip\",\"level\":1}}";
static const char plane[] = "{\"dimensions\":[8,8],\"blockSize\":[5,3],\"dataType\":\"uint16\",\"compression\":"
                            "{\"type\":\"raw\"}}";
static const char zarr[] =
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[64],\"data_type\":\"uint16\",\"chunk_grid\":{\"name\":"
    "\"regular\",\"configuration\":{\"chunk_shape\":[24]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
    "\"fill_value\":7,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"zstd\","
    "\"configuration\":{\"level\":1,\"checksum\":true}}]}";

/* What the store in C does beside keeping values. */
typedef struct {
  memory m;  /* first, so that its callbacks can be used */
  int slow;  /* time passes between reading a block and storing it */
  int fails; /* nothing is stored */
  /* While a block is stored: this element of this dataset is written. */
  const zn5_dataset *dataset;
  uint64_t element;
  int has_written;
  zn5_status outcome;
} strange;

static zn5_status strange_get(void *user_data, const char *key, size_t key_len, uint64_t offset, uint64_t max_len,
                              zn5_sink *sink) {
  zn5_status status = memory_get(user_data, key, key_len, offset, max_len, sink);
  if (((strange *)user_data)->slow)
    usleep(200);
  return status;
}

static zn5_status strange_set(void *user_data, const char *key, size_t key_len, const void *value, size_t value_len) {
  static const uint64_t one[1] = {1};
  strange *s = (strange *)user_data;
  zn5_status status = s->fails ? ZN5_ERROR_PERMISSION : memory_set(user_data, key, key_len, value, value_len);
  int is_first;
  memory_lock(&s->m);
  is_first = s->dataset != NULL && !s->has_written;
  if (is_first)
    s->has_written = 1;
  memory_unlock(&s->m);
  if (is_first) {
    const uint16_t number = 4711;
    s->outcome = zn5_dataset_write(s->dataset, &s->element, one, &number, 2, 0, NULL, NULL, NULL);
  }
  return status;
}

static zn5_store *strange_store(strange *s) {
  zn5_store_callbacks callbacks = memory_callbacks();
  zn5_store *store = NULL;
  memset(s, 0, sizeof *s);
  memory_init(&s->m);
  callbacks.get = strange_get;
  callbacks.set = strange_set;
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, s, &store, ERR));
  return store;
}

static zn5_dataset *create(const zn5_store *store, const char *path, const char *json, uint32_t order) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  zn5_dataset *dataset = NULL;
  options.order = order;
  REQUIRE_OK(zn5_dataset_create(store, path, json, strlen(json), &options, &dataset, ERR));
  return dataset;
}

typedef struct {
  const zn5_dataset *dataset;
  uint64_t shape[2];
  uint32_t ndim, number, order, flags;
  zn5_status expected;
  int failed;
} job;

/* Writes each THREADS-th element, one a call. */
static void *write_elements(void *argument) {
  static const uint64_t one[2] = {1, 1};
  job *j = (job *)argument;
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  uint64_t index[2] = {0, 0};
  io.threads = 1 + j->number % 2;
  io.flags = j->flags;
  do {
    size_t element = element_number(index, j->shape, j->ndim, j->order);
    uint16_t value = (uint16_t)(element + 1);
    if (element % THREADS == j->number &&
        zn5_dataset_write(j->dataset, index, one, &value, sizeof value, 0, NULL, &io, NULL) != j->expected)
      j->failed = __LINE__;
  } while (next_index(index, j->shape, j->ndim));
  return NULL;
}

static void all_write(const zn5_dataset *dataset, uint32_t order, uint32_t flags, zn5_status expected) {
  pthread_t threads[THREADS];
  job jobs[THREADS];
  uint32_t t;
  for (t = 0; t < THREADS; t++) {
    jobs[t].dataset = dataset;
    jobs[t].ndim = zn5_codec_ndim(zn5_dataset_codec(dataset));
    REQUIRE_OK(zn5_dataset_shape(dataset, jobs[t].shape, COUNT(jobs[t].shape), ERR));
    jobs[t].number = t;
    jobs[t].order = order;
    jobs[t].flags = flags;
    jobs[t].expected = expected;
    jobs[t].failed = 0;
    REQUIRE(pthread_create(&threads[t], NULL, write_elements, &jobs[t]) == 0);
  }
  for (t = 0; t < THREADS; t++) {
    REQUIRE(pthread_join(threads[t], NULL) == 0);
    CHECK_EQUAL(0, jobs[t].failed);
  }
}

static void check_elements(const zn5_dataset *dataset) {
  uint16_t found[EXTENT], expected[EXTENT];
  size_t i;
  for (i = 0; i < EXTENT; i++)
    expected[i] = (uint16_t)(i + 1);
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, found, sizeof found, 0, NULL, NULL, ERR));
  CHECK_BYTES(expected, found, sizeof found);
}

static void policy_44_no_element_is_lost(const zn5_store *store, const char *medium) {
  static const char *const documents[] = {attributes, plane, zarr};
  static const uint32_t flags[] = {0, ZN5_IO_WRITE_FILL, ZN5_IO_PAD_EDGES};
  size_t d, f;
  for (d = 0; d < COUNT(documents); d++)
    for (f = 0; f < COUNT(flags); f++) {
      uint32_t order = (uint32_t)(d + f) % 2 == 0 ? ZN5_ORDER_C : ZN5_ORDER_F;
      char path[16];
      zn5_dataset *dataset;
      set_case("%s, document %lu, flags %lu", medium, (unsigned long)d, (unsigned long)flags[f]);
      snprintf(path, sizeof path, "a%lu%lu", (unsigned long)d, (unsigned long)f);
      dataset = create(store, path, documents[d], order);
      all_write(dataset, order, flags[f], ZN5_OK);
      check_elements(dataset);
      zn5_dataset_free(dataset);
    }
}

static void policy_44_a_store_that_fails_is_in_nobody_s_way(void) {
  strange s;
  zn5_store *store = strange_store(&s);
  zn5_dataset *dataset = create(store, "d", attributes, ZN5_ORDER_C);
  set_case("a store that fails");
  s.fails = 1;
  all_write(dataset, ZN5_ORDER_C, 0, ZN5_ERROR_PERMISSION);
  s.fails = 0;
  all_write(dataset, ZN5_ORDER_C, 0, ZN5_OK);
  check_elements(dataset);
  zn5_dataset_free(dataset);
  zn5_store_free(store);
}

/* The block that is being stored, another one, and both when whole blocks are stored. */
static void policy_44_a_callback_may_write_the_dataset_that_it_serves(void) {
  static const struct {
    uint64_t offset, extent, within;
  } cases[] = {{5, 1, 6}, {5, 1, 40}, {0, 16, 3}, {0, 64, 20}, {10, 30, 63}};
  size_t i, threads;
  for (i = 0; i < COUNT(cases); i++)
    for (threads = 1; threads <= 3; threads += 2) {
      strange s;
      zn5_store *store = strange_store(&s);
      zn5_dataset *dataset = create(store, "d", attributes, ZN5_ORDER_C);
      zn5_io_options io = ZN5_IO_OPTIONS_INIT;
      uint16_t values[EXTENT], found[EXTENT];
      size_t at;
      set_case("a callback that writes, %lu, %lu threads", (unsigned long)i, (unsigned long)threads);
      for (at = 0; at < EXTENT; at++)
        values[at] = 1;
      io.threads = (uint32_t)threads;
      s.dataset = dataset;
      s.element = cases[i].within;
      CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, &cases[i].offset, &cases[i].extent, values,
                                             (size_t)cases[i].extent * 2, 0, NULL, &io, ERR));
      CHECK(s.has_written);
      CHECK_EQUAL(ZN5_OK, s.outcome);
      CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, found, sizeof found, 0, NULL, NULL, ERR));
      for (at = 0; at < EXTENT; at++) {
        int is_inside = at >= cases[i].offset && at < cases[i].offset + cases[i].extent;
        /* Which block a call with several threads stores first is open. */
        if (at != cases[i].within)
          CHECK_EQUAL(is_inside ? 1 : 0, found[at]);
        else
          CHECK(found[at] == 4711 || (is_inside && found[at] == 1));
      }
      zn5_dataset_free(dataset);
      zn5_store_free(store);
    }
}

int main(void) {
  char folder[1024];
  strange s;
  zn5_store *store = strange_store(&s);
  s.slow = 1;
  policy_44_no_element_is_lost(store, "a store in C");
  zn5_store_free(store);
  CHECK_EQUAL(1, s.m.releases);
  make_folder(folder);
  store = open_folder(folder, ZN5_STORE_WRITE);
  policy_44_no_element_is_lost(store, "a folder");
  zn5_store_free(store);
  remove_folder(folder);
  policy_44_a_store_that_fails_is_in_nobody_s_way();
  policy_44_a_callback_may_write_the_dataset_that_it_serves();
  return test_result();
}
#endif
