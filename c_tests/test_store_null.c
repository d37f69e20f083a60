/* NULL for every pointer of the functions for stores that must not be NULL: ZN5_ERROR_NULL_POINTER, and handles set to
 * NULL; NULL where it is allowed. */
#include "support.h"

#include "store.h"

#define NULL_POINTER ZN5_ERROR_NULL_POINTER

static void making(const zn5_store *inner) {
  memory m;
  zn5_store_callbacks callbacks = memory_callbacks();
  zn5_store *store = (zn5_store *)(void *)&m;
  memory_init(&m);
  set_case("open");
  CHECK_STATUS(NULL_POINTER, zn5_store_open(NULL, 0, &store, ERR));
  CHECK(store == NULL);
  CHECK_STATUS(NULL_POINTER, zn5_store_open(".", 0, NULL, ERR));
  CHECK_EQUAL(NULL_POINTER, zn5_store_open(NULL, 0, NULL, NULL));
  set_case("from_callbacks");
  store = (zn5_store *)(void *)&m;
  CHECK_STATUS(NULL_POINTER, zn5_store_from_callbacks(NULL, &m, &store, ERR));
  CHECK(store == NULL);
  CHECK_STATUS(NULL_POINTER, zn5_store_from_callbacks(&callbacks, &m, NULL, ERR));
  callbacks.get = NULL;
  store = (zn5_store *)(void *)&m;
  CHECK_STATUS(NULL_POINTER, zn5_store_from_callbacks(&callbacks, &m, &store, ERR));
  CHECK_MESSAGE("get");
  CHECK(store == NULL);
  callbacks = memory_callbacks();
  callbacks.list = NULL;
  CHECK_STATUS(NULL_POINTER, zn5_store_from_callbacks(&callbacks, &m, &store, ERR));
  CHECK_MESSAGE("list");
  CHECK_EQUAL(0, m.releases);
  set_case("n5_as_zarr");
  store = (zn5_store *)(void *)&m;
  CHECK_STATUS(NULL_POINTER, zn5_store_n5_as_zarr(NULL, 0, &store, ERR));
  CHECK(store == NULL);
  CHECK_STATUS(NULL_POINTER, zn5_store_n5_as_zarr(inner, 0, NULL, ERR));
  zn5_store_free(NULL);
}

static void using_it(const zn5_store *store) {
  collected c = {NULL, 0, 0};
  listing l;
  l.count = 0;
  set_case("get");
  CHECK_STATUS(NULL_POINTER, zn5_store_get(NULL, "a", 1, collect_bytes, &c, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_get(store, NULL, 1, collect_bytes, &c, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_get(store, "a", 1, NULL, &c, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_get(store, NULL, 0, collect_bytes, &c, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_store_get(store, "a", SIZE_MAX, collect_bytes, &c, ERR));
  set_case("set");
  CHECK_STATUS(NULL_POINTER, zn5_store_set(NULL, "a", 1, "x", 1, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_set(store, NULL, 1, "x", 1, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_set(store, "a", 1, NULL, 1, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_store_set(store, "a", 1, "x", SIZE_MAX, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_set(store, "a", 1, NULL, 0, ERR));
  CHECK_VALUE(store, "a", "");
  set_case("erase");
  CHECK_STATUS(NULL_POINTER, zn5_store_erase(NULL, "a", 1, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_erase(store, NULL, 1, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_erase(store, NULL, 0, ERR));
  set_case("list");
  CHECK_STATUS(NULL_POINTER, zn5_store_list(NULL, "", 0, collect_entry, &l, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_list(store, NULL, 1, collect_entry, &l, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_store_list(store, "", 0, NULL, &l, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_list(store, NULL, 0, collect_entry, &l, ERR));
  CHECK_EQUAL(1, l.count);
  CHECK_EQUAL(0, c.calls);
  CHECK_EQUAL(NULL_POINTER, zn5_store_list(NULL, NULL, 0, NULL, NULL, NULL));
}

int main(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  making(store);
  using_it(store);
  zn5_store_free(store);
  CHECK_EQUAL(1, m.releases);
  return test_result();
}
