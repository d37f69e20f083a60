/*
 * n5_store.c: a store of one's own in some forty lines. This one serves an N5 container that is compiled into the
 * program; a store over HTTP, an archive or a database looks the same: it gets bytes by key, and lists names.
 */
#include <stdio.h>
#include <string.h>

#include <zn5.h>

/* ---- The store: from here ---- */

typedef struct {
  const char *key;
  const void *value;
  size_t value_len;
} entry;

#define LITERAL(text) text, sizeof text - 1
/* An array of 3 x 2 numbers in one block. Sorted by key, so that what lies below a prefix lies together. */
static const entry container[] = {
    {"array/0/0", LITERAL("\0\0\0\2\0\0\0\3\0\0\0\2\0\1\0\2\0\3\0\4\0\5\0\6")},
    {"array/attributes.json", LITERAL("{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint16\","
                                      "\"compression\":{\"type\":\"raw\"}}")},
    {"attributes.json", LITERAL("{\"n5\":\"4.0.0\",\"made by\":\"n5_store.c\"}")},
};
#define END (container + sizeof container / sizeof container[0])

/* zn5 may call this from several threads at once; it changes nothing, so it needs no lock. */
static zn5_status get(void *user_data, const char *key, size_t key_len, uint64_t offset, uint64_t max_len,
                      zn5_sink *sink) {
  const entry *e;
  (void)user_data;
  for (e = container; e < END; e++)
    if (strlen(e->key) == key_len && memcmp(e->key, key, key_len) == 0) {
      size_t start = offset < e->value_len ? (size_t)offset : e->value_len, len = e->value_len - start;
      return zn5_sink_write(sink, (const char *)e->value + start, len < max_len ? len : (size_t)max_len);
    }
  return ZN5_ERROR_NOT_FOUND;
}

static zn5_status list(void *user_data, const char *prefix, size_t prefix_len, zn5_sink *sink) {
  const char *before = "";
  size_t before_len = 0;
  zn5_status status = ZN5_OK;
  const entry *e;
  (void)user_data;
  for (e = container; e < END && status == ZN5_OK; e++)
    if (strncmp(e->key, prefix, prefix_len) == 0) {
      const char *name = e->key + prefix_len;
      size_t len = strcspn(name, "/");
      if (len == before_len && memcmp(name, before, len) == 0)
        continue; /* each name once */
      status = zn5_sink_entry(sink, name, len, name[len] == '/' ? ZN5_ENTRY_PREFIX : ZN5_ENTRY_KEY);
      before = name;
      before_len = len;
    }
  return status;
}

/* Neither set nor erase: zn5 refuses to write. */
static const zn5_store_callbacks callbacks = {sizeof callbacks, get, NULL, NULL, list, NULL};

/* ---- to here. What follows uses it ---- */

static int32_t print_bytes(void *user_data, const void *bytes, size_t len) {
  fwrite(bytes, 1, len, (FILE *)user_data);
  return 0;
}

static int32_t print_name(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  fprintf((FILE *)user_data, "%.*s%s\n", (int)name_len, name, kind == ZN5_ENTRY_PREFIX ? "/" : "");
  return 0;
}

int main(void) {
  zn5_store *n5 = NULL, *zarr = NULL;
  zn5_error *error = NULL;
  zn5_status status = zn5_store_from_callbacks(&callbacks, NULL, &n5, &error);
  /* The same container as Zarr sees it. */
  if (status == ZN5_OK)
    status = zn5_store_n5_as_zarr(n5, ZN5_GRID_REGULAR | ZN5_STORE_IMPLICIT_GROUPS, &zarr, &error);
  if (status == ZN5_OK)
    status = zn5_store_list(zarr, LITERAL("array/"), print_name, stdout, &error);
  if (status == ZN5_OK)
    status = zn5_store_get(zarr, LITERAL("array/zarr.json"), print_bytes, stdout, &error);
  if (status == ZN5_OK)
    printf("\n");
  else
    fprintf(stderr, "%s\n", zn5_error_message(error));
  zn5_error_free(error);
  /* In any order: the view keeps what it shows. */
  zn5_store_free(n5);
  zn5_store_free(zarr);
  return status == ZN5_OK ? 0 : 1;
}
