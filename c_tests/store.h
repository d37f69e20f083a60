/* What the tests of stores share: a store in memory written in C, values and listings as text, a folder of the test's
 * own.
 *
 * Include it after support.h. */
#ifndef ZN5_TEST_STORE_H
#define ZN5_TEST_STORE_H

#ifndef _WIN32
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#endif

/* ---- A store in memory ---- */

typedef struct stored {
  struct stored *next;
  char *key; /* not terminated */
  size_t key_len;
  unsigned char *value;
  size_t value_len;
} stored;

typedef struct {
  stored *first;
  int releases;
#ifndef _WIN32
  pthread_mutex_t mutex;
#endif
} memory;

static inline void memory_lock(memory *m) {
#ifndef _WIN32
  REQUIRE(pthread_mutex_lock(&m->mutex) == 0);
#else
  (void)m;
#endif
}

static inline void memory_unlock(memory *m) {
#ifndef _WIN32
  REQUIRE(pthread_mutex_unlock(&m->mutex) == 0);
#else
  (void)m;
#endif
}

/* The place of the pointer to the value, or of the NULL behind the last. */
static inline stored **memory_find(memory *m, const char *key, size_t key_len) {
  stored **place = &m->first;
  while (*place != NULL && ((*place)->key_len != key_len || memcmp((*place)->key, key, key_len) != 0))
    place = &(*place)->next;
  return place;
}

static inline void memory_remove(stored **place) {
  stored *old = *place;
  *place = old->next;
  free(old->key);
  free(old->value);
  free(old);
}

static zn5_status memory_get(void *user_data, const char *key, size_t key_len, uint64_t offset, uint64_t max_len,
                             zn5_sink *sink) {
  memory *m = (memory *)user_data;
  zn5_status status = ZN5_ERROR_NOT_FOUND;
  stored *found;
  memory_lock(m);
  found = *memory_find(m, key, key_len);
  if (found != NULL) {
    size_t start = offset < found->value_len ? (size_t)offset : found->value_len;
    size_t len = found->value_len - start;
    /* In two pieces, which nobody should notice. */
    if (len > max_len)
      len = (size_t)max_len;
    status = zn5_sink_write(sink, found->value + start, len / 2);
    if (status == ZN5_OK)
      status = zn5_sink_write(sink, found->value + start + len / 2, len - len / 2);
  }
  memory_unlock(m);
  return status;
}

static zn5_status memory_set(void *user_data, const char *key, size_t key_len, const void *value, size_t value_len) {
  memory *m = (memory *)user_data;
  stored *added = (stored *)allocate(sizeof *added), **place;
  added->key = (char *)allocate(key_len);
  memcpy(added->key, key, key_len);
  added->key_len = key_len;
  added->value = (unsigned char *)allocate(value_len);
  memcpy(added->value, value, value_len);
  added->value_len = value_len;
  memory_lock(m);
  place = memory_find(m, key, key_len);
  if (*place != NULL)
    memory_remove(place);
  added->next = m->first;
  m->first = added;
  memory_unlock(m);
  return ZN5_OK;
}

static zn5_status memory_erase(void *user_data, const char *key, size_t key_len) {
  memory *m = (memory *)user_data;
  stored **place;
  zn5_status status = ZN5_ERROR_NOT_FOUND;
  memory_lock(m);
  place = memory_find(m, key, key_len);
  if (*place != NULL) {
    memory_remove(place);
    status = ZN5_OK;
  }
  memory_unlock(m);
  return status;
}

/* The length of the name directly below the prefix; 0 if the key is not below it. */
static inline size_t child_len(const stored *s, const char *prefix, size_t prefix_len) {
  size_t len = 0;
  if (s->key_len <= prefix_len || memcmp(s->key, prefix, prefix_len) != 0)
    return 0;
  while (prefix_len + len < s->key_len && s->key[prefix_len + len] != '/')
    len++;
  return len;
}

static zn5_status memory_list(void *user_data, const char *prefix, size_t prefix_len, zn5_sink *sink) {
  memory *m = (memory *)user_data;
  char names[64][64];
  uint32_t kinds[64];
  size_t count = 0, i;
  const stored *s;
  zn5_status status = ZN5_OK;
  memory_lock(m);
  for (s = m->first; s != NULL; s = s->next) {
    size_t len = child_len(s, prefix, prefix_len);
    uint32_t kind = prefix_len + len < s->key_len ? ZN5_ENTRY_PREFIX : ZN5_ENTRY_KEY;
    if (len == 0)
      continue;
    REQUIRE(count < COUNT(names) && len < sizeof names[0]);
    memcpy(names[count], s->key + prefix_len, len);
    names[count][len] = '\0';
    for (i = 0; i < count; i++)
      if (strcmp(names[i], names[count]) == 0 && kinds[i] == kind)
        break;
    if (i == count)
      kinds[count++] = kind;
  }
  /* The sink may call back, so no lock is held. */
  memory_unlock(m);
  for (i = 0; i < count && status == ZN5_OK; i++)
    status = zn5_sink_entry(sink, names[i], strlen(names[i]), kinds[i]);
  return status;
}

static void memory_release(void *user_data) {
  memory *m = (memory *)user_data;
  m->releases++;
  while (m->first != NULL)
    memory_remove(&m->first);
}

static inline void memory_init(memory *m) {
  m->first = NULL;
  m->releases = 0;
#ifndef _WIN32
  REQUIRE(pthread_mutex_init(&m->mutex, NULL) == 0);
#endif
}

static inline zn5_store_callbacks memory_callbacks(void) {
  zn5_store_callbacks callbacks = {
      sizeof(zn5_store_callbacks), memory_get, memory_set, memory_erase, memory_list, memory_release};
  return callbacks;
}

static inline zn5_store *memory_store(memory *m) {
  zn5_store_callbacks callbacks = memory_callbacks();
  zn5_store *store = NULL;
  memory_init(m);
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, m, &store, ERR));
  REQUIRE(store != NULL);
  return store;
}

/* ---- Values and listings as text ---- */

typedef struct {
  char *text; /* terminated */
  size_t len;
  int calls;
} collected;

static int32_t collect_bytes(void *user_data, const void *bytes, size_t len) {
  collected *c = (collected *)user_data;
  c->text = (char *)realloc(c->text, c->len + len + 1);
  REQUIRE(c->text != NULL && bytes != NULL);
  memcpy(c->text + c->len, bytes, len);
  c->len += len;
  c->text[c->len] = '\0';
  c->calls++;
  return 0;
}

static inline void check_value_at(const char *file, int line, const zn5_store *store, const char *key,
                                  const char *expected) {
  collected c = {NULL, 0, 0};
  zn5_status status = zn5_store_get(store, key, strlen(key), collect_bytes, &c, ERR);
  check_status_at(file, line, key, expected == NULL ? ZN5_ERROR_NOT_FOUND : ZN5_OK, status);
  if (expected != NULL && (c.calls == 0 || strcmp(c.text, expected) != 0))
    fail_at(file, line, "%s is \"%s\", not \"%s\"", key, c.calls == 0 ? "(nothing)" : c.text, expected);
  if (expected == NULL && c.calls != 0)
    fail_at(file, line, "%s: bytes of a missing value", key);
  free(c.text);
}

/* The value under `key` is the text `expected`; NULL: nothing is stored there. */
#define CHECK_VALUE(store, key, expected) check_value_at(__FILE__, __LINE__, (store), (key), (expected))

typedef struct {
  char names[64][80]; /* prefixes with a '/' behind them */
  size_t count;
} listing;

static int32_t collect_entry(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  listing *l = (listing *)user_data;
  char *place = l->names[l->count];
  REQUIRE(l->count < COUNT(l->names) && name_len + 2 < sizeof l->names[0]);
  REQUIRE(kind == ZN5_ENTRY_KEY || kind == ZN5_ENTRY_PREFIX);
  memcpy(place, name, name_len);
  place[name_len] = '\0';
  if (kind == ZN5_ENTRY_PREFIX)
    strcat(place, "/");
  l->count++;
  return 0;
}

static int compare_names(const void *a, const void *b) {
  return strcmp((const char *)a, (const char *)b);
}

static inline void check_list_at(const char *file, int line, const zn5_store *store, const char *prefix,
                                 const char *expected) {
  listing l;
  char text[2048] = "";
  size_t i;
  l.count = 0;
  check_status_at(file, line, prefix, ZN5_OK, zn5_store_list(store, prefix, strlen(prefix), collect_entry, &l, ERR));
  qsort(l.names, l.count, sizeof l.names[0], compare_names);
  for (i = 0; i < l.count; i++) {
    if (i > 0)
      strcat(text, " ");
    REQUIRE(strlen(text) + 100 < sizeof text);
    strcat(text, l.names[i]);
  }
  if (strcmp(text, expected) != 0)
    fail_at(file, line, "below \"%s\" lies \"%s\", not \"%s\"", prefix, text, expected);
}

/* The names below `prefix`, sorted, with blanks between, prefixes with a '/' behind them. */
#define CHECK_LIST(store, prefix, expected) check_list_at(__FILE__, __LINE__, (store), (prefix), (expected))

static inline void set_text(const zn5_store *store, const char *key, const char *value) {
  REQUIRE_OK(zn5_store_set(store, key, strlen(key), value, strlen(value), ERR));
}

/* ---- Folders ---- */

#ifndef _WIN32

/* A new folder for this test. */
static inline void make_folder(char path[1024]) {
  const char *parent = getenv("TMPDIR");
  format_path(path, "%s/zn5-test-XXXXXX", parent != NULL && parent[0] != '\0' ? parent : "/tmp");
  REQUIRE(mkdtemp(path) != NULL);
}

/* Calls `visit` with the path of every file below a folder, hidden ones included. */
static inline void for_each_file(const char *path, void (*visit)(const char *path, void *user_data), void *user_data) {
  DIR *folder = opendir(path);
  const struct dirent *entry;
  REQUIRE(folder != NULL);
  while ((entry = readdir(folder)) != NULL) {
    char below[1024];
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    format_path(below, "%s/%s", path, entry->d_name);
    REQUIRE(lstat(below, &status) == 0);
    if (S_ISDIR(status.st_mode))
      for_each_file(below, visit, user_data);
    else
      visit(below, user_data);
  }
  closedir(folder);
}

static inline void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  const struct dirent *entry;
  REQUIRE(folder != NULL);
  while ((entry = readdir(folder)) != NULL) {
    char below[1024];
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    format_path(below, "%s/%s", path, entry->d_name);
    REQUIRE(lstat(below, &status) == 0);
    if (S_ISDIR(status.st_mode))
      remove_folder(below);
    else
      REQUIRE(unlink(below) == 0);
  }
  closedir(folder);
  REQUIRE(rmdir(path) == 0);
}

static inline zn5_store *open_folder(const char *path, uint32_t flags) {
  zn5_store *store = NULL;
  REQUIRE_OK(zn5_store_open(path, flags, &store, ERR));
  REQUIRE(store != NULL);
  return store;
}

#endif

#endif
