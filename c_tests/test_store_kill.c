/* Writers killed at any moment leave whole values, and nothing else that a listing shows. ZN5_TEST_LONG=1 kills a
 * hundred of them, else ten. */
#include "support.h"

#include "store.h"

#ifdef _WIN32
int main(void) {
  printf("skipped: this test needs POSIX processes\n");
  return TEST_SKIPPED;
}
#else
#include <signal.h>
#include <sys/wait.h>

#define KEYS 4
#define MAX_LEN 200000

/* A value tells its own length and content, so that a mixture or a part of values shows. */
static size_t make_value(unsigned char *value, uint32_t number) {
  size_t len = 8 + (size_t)number * 7919u % (MAX_LEN - 8);
  uint32_t stored_len = (uint32_t)len;
  memset(value, (int)(number % 251), len);
  memcpy(value, &stored_len, 4);
  memcpy(value + 4, &number, 4);
  return len;
}

static void key_of(char key[32], uint32_t number) {
  snprintf(key, 32, "d/%u/%u", (unsigned)(number / 2 % 2), (unsigned)(number % 2));
}

/* Writes until it is killed; erases now and then. */
static void write_forever(const char *folder, uint32_t number) {
  unsigned char *value = (unsigned char *)allocate(MAX_LEN);
  zn5_store *store = NULL;
  if (zn5_store_open(folder, ZN5_STORE_WRITE, &store, NULL) != ZN5_OK)
    _exit(1);
  for (;; number++) {
    char key[32];
    size_t len = make_value(value, number);
    key_of(key, number);
    if (zn5_store_set(store, key, strlen(key), value, len, NULL) != ZN5_OK)
      _exit(2);
    if (number % 17 == 0 && zn5_store_erase(store, key, strlen(key), NULL) != ZN5_OK)
      _exit(3);
  }
}

static int check_value(const zn5_store *store, uint32_t k, unsigned char *expected) {
  char key[32];
  collected c = {NULL, 0, 0};
  uint32_t number;
  zn5_status status;
  key_of(key, k);
  status = zn5_store_get(store, key, strlen(key), collect_bytes, &c, NULL);
  if (status != ZN5_ERROR_NOT_FOUND && CHECK_EQUAL(ZN5_OK, status) && CHECK(c.len >= 8)) {
    memcpy(&number, c.text + 4, 4);
    CHECK_EQUAL(k, number % KEYS);
    if (CHECK_EQUAL(make_value(expected, number), c.len))
      CHECK_BYTES(expected, c.text, c.len);
  }
  free(c.text);
  return status == ZN5_OK;
}

static void check_names(const zn5_store *store, const char *prefix) {
  listing l;
  size_t i;
  l.count = 0;
  CHECK_STATUS(ZN5_OK, zn5_store_list(store, prefix, strlen(prefix), collect_entry, &l, ERR));
  for (i = 0; i < l.count; i++)
    CHECK(l.names[i][0] == '0' || l.names[i][0] == '1');
}

int main(void) {
  char folder[1024];
  unsigned char *expected = (unsigned char *)allocate(MAX_LEN);
  zn5_store *store;
  uint32_t random = 1, found = 0;
  int kills = long_run() ? 100 : instrumented() ? 3 : 10, kill_count;
  make_folder(folder);
  store = open_folder(folder, 0);
  for (kill_count = 0; kill_count < kills; kill_count++) {
    uint32_t k;
    int status = 0;
    pid_t child;
    set_case("kill %d", kill_count);
    fflush(stdout);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
      write_forever(folder, next_random(&random) % 100000);
    next_random(&random);
    /* While it writes, a reader sees whole values too. */
    usleep((instrumented() ? 300000 : 2000) + next_random(&random) % 30000);
    for (k = 0; k < KEYS; k++)
      check_value(store, k, expected);
    REQUIRE(kill(child, SIGKILL) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (k = 0; k < KEYS; k++)
      found += (uint32_t)check_value(store, k, expected);
    CHECK_LIST(store, "", "d/");
    check_names(store, "d/");
    check_names(store, "d/0/");
    check_names(store, "d/1/");
  }
  CHECK(found > 0);
  zn5_store_free(store);
  free(expected);
  remove_folder(folder);
  return test_result();
}
#endif
