/* Many threads use one store and its handle at once: a folder and a store written in C. */
#include "support.h"

#include "store.h"

#ifdef _WIN32
int main(void) {
  printf("skipped: this test needs POSIX threads\n");
  return TEST_SKIPPED;
}
#else

#define THREADS 8
#define LEN 5000

typedef struct {
  const zn5_store *store;
  uint32_t number;
  int rounds, failed;
} job;

static int32_t ignore_entry(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  (void)name, (void)name_len, (void)kind;
  ++*(int *)user_data;
  return 0;
}

/* All write, erase and read the same four keys; a value is one byte many times. */
static void *work(void *argument) {
  job *j = (job *)argument;
  unsigned char *value = (unsigned char *)malloc(LEN + 256);
  int round;
  for (round = 0; round < j->rounds && value != NULL; round++) {
    char key[16];
    collected c = {NULL, 0, 0};
    zn5_status status;
    int entries = 0, byte = (round * THREADS + (int)j->number) % 256;
    size_t i;
    snprintf(key, sizeof key, "t/%d", round % 4);
    memset(value, byte, LEN + (size_t)byte);
    status = round % 8 == 7 ? zn5_store_erase(j->store, key, 3, NULL)
                            : zn5_store_set(j->store, key, 3, value, LEN + (size_t)byte, NULL);
    if (status != ZN5_OK)
      j->failed = __LINE__;
    status = zn5_store_get(j->store, key, 3, collect_bytes, &c, NULL);
    if (status != ZN5_OK && status != ZN5_ERROR_NOT_FOUND)
      j->failed = __LINE__;
    if (status == ZN5_OK) {
      byte = (unsigned char)c.text[0];
      if (c.len != LEN + (size_t)byte)
        j->failed = __LINE__;
      for (i = 0; i < c.len; i++)
        if ((unsigned char)c.text[i] != byte)
          j->failed = __LINE__;
    }
    free(c.text);
    if (zn5_store_list(j->store, "t/", 2, ignore_entry, &entries, NULL) != ZN5_OK || entries > 4)
      j->failed = __LINE__;
  }
  free(value);
  return NULL;
}

static void share(const zn5_store *store) {
  pthread_t threads[THREADS];
  job jobs[THREADS];
  uint32_t t;
  for (t = 0; t < THREADS; t++) {
    jobs[t].store = store;
    jobs[t].number = t;
    jobs[t].rounds = instrumented() ? 16 : 200;
    jobs[t].failed = 0;
    REQUIRE(pthread_create(&threads[t], NULL, work, &jobs[t]) == 0);
  }
  for (t = 0; t < THREADS; t++) {
    REQUIRE(pthread_join(threads[t], NULL) == 0);
    CHECK_EQUAL(0, jobs[t].failed);
  }
}

int main(void) {
  char folder[1024];
  memory m;
  zn5_store *store = memory_store(&m);
  set_case("a store in C");
  share(store);
  zn5_store_free(store);
  CHECK_EQUAL(1, m.releases);
  set_case("a folder");
  make_folder(folder);
  store = open_folder(folder, ZN5_STORE_WRITE);
  share(store);
  zn5_store_free(store);
  remove_folder(folder);
  return test_result();
}
#endif
