/* A store written in C: what is stored comes back, listings, errors of its functions, misuse of sinks, the struct's
 * growth, and release, which runs once. */
#include "support.h"

#include "store.h"

static const unsigned char with_nul[] = {'a', 0, 'b'};

static void values(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  collected c = {NULL, 0, 0};
  set_case("values");
  CHECK_VALUE(store, "v/attributes.json", NULL);
  set_text(store, "v/attributes.json", "{}");
  set_text(store, "v/0/1", "block");
  set_text(store, "v/0/1", "other block");
  set_text(store, "empty", "");
  REQUIRE_OK(zn5_store_set(store, "nul", 3, with_nul, sizeof with_nul, ERR));
  CHECK_VALUE(store, "v/attributes.json", "{}");
  CHECK_VALUE(store, "v/0/1", "other block");
  CHECK_VALUE(store, "empty", "");
  CHECK_STATUS(ZN5_OK, zn5_store_get(store, "nul", 3, collect_bytes, &c, ERR));
  CHECK_EQUAL(sizeof with_nul, c.len);
  CHECK_BYTES(with_nul, c.text, sizeof with_nul);
  free(c.text);
  /* The length counts, not a terminator. */
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_store_get(store, "null", 4, collect_bytes, &c, ERR));
  CHECK_MESSAGE("\"null\"");
  CHECK_LIST(store, "", "empty nul v/");
  CHECK_LIST(store, "v/", "0/ attributes.json");
  CHECK_LIST(store, "v/0/", "1");
  CHECK_LIST(store, "w/", "");
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0/1", 5, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0/1", 5, ERR));
  CHECK_VALUE(store, "v/0/1", NULL);
  CHECK_LIST(store, "v/", "attributes.json");
  CHECK_EQUAL(0, m.releases);
  zn5_store_free(store);
  CHECK_EQUAL(1, m.releases);
}

/* Keys that could leave a store never reach its functions. */
static void keys(void) {
  static const char *const refused[] = {"",     "/",       "..",    "../a",     "a/../../b", "/etc/passwd",
                                        "a//b", "a/./b",   "a/",    ".zn5-1-1", "a/.zn5-x",  "./a",
                                        "a/..", "a/b/../", "//a/b", "."};
  memory m;
  zn5_store *store = memory_store(&m);
  collected c = {NULL, 0, 0};
  listing l;
  size_t i;
  l.count = 0;
  for (i = 0; i < COUNT(refused); i++) {
    size_t len = strlen(refused[i]);
    set_case("key \"%s\"", refused[i]);
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_get(store, refused[i], len, collect_bytes, &c, ERR));
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_set(store, refused[i], len, "x", 1, ERR));
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_erase(store, refused[i], len, ERR));
    if (len > 0 && strcmp(refused[i], "a/") != 0)
      CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_list(store, refused[i], len, collect_entry, &l, ERR));
  }
  set_case("NUL and UTF-8");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_set(store, "a\0b", 3, "x", 1, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_UTF8, zn5_store_set(store, "ab\xff", 3, "x", 1, ERR));
  CHECK_EQUAL(2, last_offset);
  CHECK_STATUS(ZN5_ERROR_INVALID_UTF8, zn5_store_list(store, "\xc3/", 2, collect_entry, &l, ERR));
  CHECK(m.first == NULL && c.calls == 0 && l.count == 0);
  zn5_store_free(store);
}

/* ---- Functions that fail ---- */

typedef enum {
  PLAIN,
  WRITES_FIRST,
  WRITES_TO_LIST,
  LISTS_TO_GET,
  BAD_NAME,
  IGNORES_SINK,
  NULL_BYTES,
  NESTED
} behaviour;

typedef struct {
  zn5_status status;
  behaviour how;
  zn5_status sink_status;
  int releases;
  zn5_store *store;
} failing;

static zn5_status failing_get(void *user_data, const char *key, size_t key_len, uint64_t offset, uint64_t max_len,
                              zn5_sink *sink) {
  failing *f = (failing *)user_data;
  (void)key, (void)key_len, (void)offset, (void)max_len;
  if (f->how == WRITES_FIRST)
    f->sink_status = zn5_sink_write(sink, "left", 4);
  if (f->how == LISTS_TO_GET)
    f->sink_status = zn5_sink_entry(sink, "a", 1, ZN5_ENTRY_KEY);
  if (f->how == NULL_BYTES)
    f->sink_status = zn5_sink_write(sink, NULL, 1);
  return f->status;
}

static zn5_status failing_set(void *user_data, const char *key, size_t key_len, const void *value, size_t value_len) {
  (void)key, (void)key_len, (void)value, (void)value_len;
  return ((failing *)user_data)->status;
}

static zn5_status failing_erase(void *user_data, const char *key, size_t key_len) {
  (void)key, (void)key_len;
  return ((failing *)user_data)->status;
}

static zn5_sink *outer_sink;

static zn5_status failing_list(void *user_data, const char *prefix, size_t prefix_len, zn5_sink *sink) {
  failing *f = (failing *)user_data;
  (void)prefix, (void)prefix_len;
  if (f->how == WRITES_FIRST)
    f->sink_status = zn5_sink_entry(sink, "left", 4, ZN5_ENTRY_KEY);
  if (f->how == WRITES_TO_LIST)
    f->sink_status = zn5_sink_write(sink, "a", 1);
  if (f->how == BAD_NAME)
    f->sink_status = zn5_sink_entry(sink, "a/b", 3, ZN5_ENTRY_KEY);
  if (f->how == NESTED) {
    outer_sink = sink;
    f->sink_status = zn5_sink_entry(sink, "a", 1, ZN5_ENTRY_KEY);
  }
  if (f->how == IGNORES_SINK) {
    int i;
    for (i = 0; i < 5; i++)
      f->sink_status = zn5_sink_entry(sink, "a", 1, ZN5_ENTRY_KEY);
  }
  return f->status;
}

static void failing_release(void *user_data) {
  ((failing *)user_data)->releases++;
}

static int32_t refuse_bytes(void *user_data, const void *bytes, size_t len) {
  (void)user_data, (void)bytes, (void)len;
  return 7;
}

static int32_t refuse_third(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  (void)name, (void)name_len, (void)kind;
  return ++*(int *)user_data == 3 ? -1 : 0;
}

/* Uses the sink that is in use. */
static int32_t nest(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  *(zn5_status *)user_data = zn5_sink_entry(outer_sink, name, name_len, kind);
  return 0;
}

static zn5_store *failing_store(failing *f) {
  zn5_store_callbacks callbacks = {
      sizeof(zn5_store_callbacks), failing_get, failing_set, failing_erase, failing_list, failing_release};
  memset(f, 0, sizeof *f);
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, f, &f->store, ERR));
  return f->store;
}

/* Status codes come through; numbers that are none become I/O errors. */
static void statuses(void) {
  static const struct {
    zn5_status returned, expected;
  } cases[] = {
      {ZN5_ERROR_PERMISSION, ZN5_ERROR_PERMISSION},
      {ZN5_ERROR_IO, ZN5_ERROR_IO},
      {ZN5_ERROR_CANCELLED, ZN5_ERROR_CANCELLED},
      {ZN5_ERROR_READ_ONLY, ZN5_ERROR_READ_ONLY},
      {ZN5_ERROR_ALREADY_EXISTS, ZN5_ERROR_ALREADY_EXISTS},
      {ZN5_ERROR_OUT_OF_MEMORY, ZN5_ERROR_OUT_OF_MEMORY},
      {ZN5_ERROR_CORRUPT_PAYLOAD, ZN5_ERROR_CORRUPT_PAYLOAD},
      {ZN5_ERROR_INTERNAL, ZN5_ERROR_INTERNAL},
      {1, ZN5_ERROR_IO},
      {-1, ZN5_ERROR_IO},
      {INT32_MAX, ZN5_ERROR_IO},
      {INT32_MIN, ZN5_ERROR_IO},
  };
  failing f;
  zn5_store *store = failing_store(&f);
  size_t i;
  int how;
  for (i = 0; i < COUNT(cases); i++)
    for (how = PLAIN; how <= WRITES_FIRST; how++) {
      collected c = {NULL, 0, 0};
      listing l;
      l.count = 0;
      f.status = cases[i].returned;
      f.how = (behaviour)how;
      set_case("status %d, %d", (int)f.status, how);
      CHECK_STATUS(cases[i].expected, zn5_store_get(store, "a/b", 3, collect_bytes, &c, ERR));
      if (cases[i].expected != ZN5_ERROR_OUT_OF_MEMORY) {
        CHECK_MESSAGE("\"a/b\"");
        CHECK_MESSAGE("get");
      }
      CHECK_EQUAL(0, c.calls);
      /* A number of the program's own comes back to it. */
      CHECK_EQUAL(cases[i].returned == cases[i].expected ? 0 : cases[i].returned, last_native_code);
      CHECK_STATUS(cases[i].expected, zn5_store_set(store, "a/b", 3, "x", 1, ERR));
      CHECK_STATUS(cases[i].expected, zn5_store_erase(store, "a/b", 3, ERR));
      CHECK_STATUS(cases[i].expected, zn5_store_list(store, "a/", 2, collect_entry, &l, ERR));
      CHECK_EQUAL(how == WRITES_FIRST, l.count);
    }
  set_case("not found");
  f.status = ZN5_ERROR_NOT_FOUND;
  f.how = WRITES_FIRST;
  CHECK_VALUE(store, "a", NULL);
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_store_set(store, "a", 1, "x", 1, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "a", 1, ERR));
  CHECK_LIST(store, "a/", "left");
  set_case("nothing written");
  f.status = ZN5_OK;
  f.how = PLAIN;
  CHECK_VALUE(store, "a", "");
  CHECK_LIST(store, "", "");
  zn5_store_free(store);
  CHECK_EQUAL(1, f.releases);
}

static void sinks(void) {
  failing f;
  zn5_store *store = failing_store(&f);
  collected c = {NULL, 0, 0};
  listing l;
  zn5_status nested = ZN5_OK;
  int count = 0;
  l.count = 0;
  set_case("sinks");
  CHECK_EQUAL(ZN5_ERROR_NULL_POINTER, zn5_sink_write(NULL, "a", 1));
  CHECK_EQUAL(ZN5_ERROR_NULL_POINTER, zn5_sink_entry(NULL, "a", 1, ZN5_ENTRY_KEY));
  /* The functions return ZN5_OK all the same: what the sink noticed stands. */
  f.how = LISTS_TO_GET;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_get(store, "a", 1, collect_bytes, &c, ERR));
  CHECK_MESSAGE("zn5_sink_write");
  CHECK_EQUAL(ZN5_ERROR_INVALID_ARGUMENT, f.sink_status);
  f.how = NULL_BYTES;
  CHECK_STATUS(ZN5_ERROR_NULL_POINTER, zn5_store_get(store, "a", 1, collect_bytes, &c, ERR));
  f.how = WRITES_TO_LIST;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_list(store, "", 0, collect_entry, &l, ERR));
  CHECK_MESSAGE("zn5_sink_entry");
  f.how = BAD_NAME;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_list(store, "", 0, collect_entry, &l, ERR));
  CHECK_MESSAGE("\"a/b\"");
  CHECK_EQUAL(0, l.count);
  CHECK_EQUAL(0, c.calls);
  f.how = NESTED;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_list(store, "", 0, nest, &nested, ERR));
  CHECK_EQUAL(ZN5_ERROR_INVALID_ARGUMENT, nested);
  CHECK_EQUAL(ZN5_ERROR_INVALID_ARGUMENT, f.sink_status);
  set_case("cancelling");
  f.how = IGNORES_SINK;
  CHECK_STATUS(ZN5_ERROR_CANCELLED, zn5_store_list(store, "", 0, refuse_third, &count, ERR));
  CHECK_EQUAL(3, count);
  CHECK_EQUAL(ZN5_ERROR_CANCELLED, f.sink_status);
  f.how = WRITES_FIRST;
  CHECK_STATUS(ZN5_ERROR_CANCELLED, zn5_store_get(store, "a", 1, refuse_bytes, NULL, ERR));
  CHECK_MESSAGE("7");
  zn5_store_free(store);
}

static void read_only(void) {
  int missing;
  for (missing = 0; missing < 3; missing++) {
    memory m;
    zn5_store_callbacks callbacks = memory_callbacks();
    zn5_store *store;
    set_case("without set or erase: %d", missing);
    memory_init(&m);
    memory_set(&m, "a", 1, "value", 5);
    if (missing != 1)
      callbacks.set = NULL;
    if (missing != 0)
      callbacks.erase = NULL;
    REQUIRE_OK(zn5_store_from_callbacks(&callbacks, &m, &store, ERR));
    CHECK_VALUE(store, "a", "value");
    CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_store_set(store, "a", 1, "x", 1, ERR));
    CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_store_erase(store, "a", 1, ERR));
    CHECK_VALUE(store, "a", "value");
    zn5_store_free(store);
    CHECK_EQUAL(1, m.releases);
  }
}

static void structs(void) {
  struct {
    zn5_store_callbacks known;
    unsigned char tail[16];
  } grown;
  memory m;
  zn5_store_callbacks callbacks = memory_callbacks();
  zn5_store *store = (zn5_store *)(void *)&m;
  size_t size;
  memory_init(&m);
  set_case("struct_size");
  for (size = 0; size < sizeof callbacks; size++) {
    callbacks.struct_size = size;
    store = (zn5_store *)(void *)&m;
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_from_callbacks(&callbacks, &m, &store, ERR));
    CHECK(store == NULL);
  }
  CHECK_MESSAGE("sizeof(zn5_store_callbacks)");
  memset(&grown, 0, sizeof grown);
  grown.known = memory_callbacks();
  grown.known.struct_size = sizeof grown;
  CHECK_STATUS(ZN5_OK, zn5_store_from_callbacks(&grown.known, &m, &store, ERR));
  zn5_store_free(store);
  CHECK_EQUAL(1, m.releases);
  grown.tail[15] = 1;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_from_callbacks(&grown.known, &m, &store, ERR));
  CHECK(store == NULL);
  grown.known.struct_size = SIZE_MAX;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_from_callbacks(&grown.known, &m, &store, ERR));
  /* Nothing was made, so nothing is released. */
  CHECK_EQUAL(1, m.releases);

  set_case("without release");
  callbacks = memory_callbacks();
  callbacks.release = NULL;
  CHECK_STATUS(ZN5_OK, zn5_store_from_callbacks(&callbacks, &m, &store, ERR));
  zn5_store_free(store);
  CHECK_EQUAL(1, m.releases);
}

int main(void) {
  values();
  keys();
  statuses();
  sinks();
  read_only();
  structs();
  return test_result();
}
