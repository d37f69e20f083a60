/* N5 shown as Zarr: metadata translated both ways, blocks untouched, grids, implicit groups; a view keeps its store
 * alive, in whatever order the handles are freed. */
#include "support.h"

#include "store.h"

static const char attributes[] = "{\"dimensions\":[5,4],\"blockSize\":[2,3],\"dataType\":\"uint16\",\"compression\":"
                                 "{\"type\":\"gzip\",\"level\":6,\"useZlib\":false},\"unit\":\"nm\"}";

static zn5_store *view_of(const zn5_store *inner, uint32_t flags) {
  zn5_store *store = NULL;
  REQUIRE_OK(zn5_store_n5_as_zarr(inner, flags, &store, ERR));
  REQUIRE(store != NULL);
  return store;
}

/* What zn5_metadata_n5_to_zarr gives; to be freed. */
static char *translated(uint32_t grid) {
  size_t needed = 0;
  char *text;
  REQUIRE_OK(zn5_metadata_n5_to_zarr(attributes, strlen(attributes), grid, NULL, 0, &needed, ERR));
  text = (char *)allocate(needed + 1);
  REQUIRE_OK(zn5_metadata_n5_to_zarr(attributes, strlen(attributes), grid, text, needed, &needed, ERR));
  text[needed] = '\0';
  return text;
}

static void metadata(void) {
  memory m;
  zn5_store *n5 = memory_store(&m);
  uint32_t grid;
  set_text(n5, "attributes.json", "{\"n5\":\"4.0.0\"}");
  set_text(n5, "g/a/attributes.json", attributes);
  set_text(n5, "g/a/0/1", "block");
  set_text(n5, "g/broken/attributes.json", "{");
  for (grid = ZN5_GRID_REGULAR; grid <= ZN5_GRID_RECTILINEAR; grid++) {
    zn5_store *zarr = view_of(n5, grid), *implicit = view_of(n5, grid | ZN5_STORE_IMPLICIT_GROUPS);
    char *text = translated(grid);
    collected c = {NULL, 0, 0};
    set_case("grid %u", (unsigned)grid);
    CHECK_VALUE(zarr, "g/a/zarr.json", text);
    CHECK_VALUE(implicit, "g/a/zarr.json", text);
    CHECK_VALUE(zarr, "g/a/attributes.json", attributes);
    CHECK_VALUE(zarr, "g/a/0/1", "block");
    CHECK_LIST(zarr, "", "g/ zarr.json");
    CHECK_LIST(zarr, "g/", "a/ broken/");
    CHECK_LIST(zarr, "g/a/", "0/ zarr.json");
    CHECK_VALUE(zarr, "g/zarr.json", NULL);
    CHECK_VALUE(implicit, "g/zarr.json", zn5_metadata_implicit_group());
    CHECK_VALUE(implicit, "h/zarr.json", NULL);
    CHECK_VALUE(implicit, "g/a/0/zarr.json", NULL);
    CHECK_VALUE(implicit, "g/a/0/1/zarr.json", NULL);
    CHECK_LIST(implicit, "g/", "a/ broken/ zarr.json");
    CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_store_get(zarr, "g/broken/zarr.json", 18, collect_bytes, &c, ERR));
    CHECK_MESSAGE("g/broken/attributes.json");
    free(text);
    zn5_store_free(zarr);
    zn5_store_free(implicit);
  }
  set_case("flags");
  {
    static const uint32_t flags[] = {3, 4, 255, 512, 256 + 3, UINT32_MAX};
    size_t i;
    for (i = 0; i < COUNT(flags); i++) {
      zn5_store *store = n5;
      CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_n5_as_zarr(n5, flags[i], &store, ERR));
      CHECK(store == NULL);
    }
  }
  zn5_store_free(n5);
  CHECK_EQUAL(1, m.releases);
}

static void writing(void) {
  memory m;
  zn5_store *n5 = memory_store(&m), *zarr = view_of(n5, ZN5_GRID_REGULAR);
  char *text = translated(ZN5_GRID_REGULAR);
  set_case("writing");
  set_text(zarr, "a/zarr.json", text);
  CHECK_VALUE(n5, "a/attributes.json", attributes);
  CHECK_LIST(n5, "a/", "attributes.json");
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_store_set(zarr, "a/zarr.json", 11, "{", 1, ERR));
  CHECK_MESSAGE("a/zarr.json");
  CHECK_VALUE(n5, "a/attributes.json", attributes);
  set_text(zarr, "a/0/0", "block");
  CHECK_VALUE(n5, "a/0/0", "block");
  CHECK_STATUS(ZN5_OK, zn5_store_erase(zarr, "a/zarr.json", 11, ERR));
  CHECK_LIST(n5, "a/", "0/");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_set(zarr, "../zarr.json", 12, text, strlen(text), ERR));
  free(text);
  zn5_store_free(n5);
  zn5_store_free(zarr);
  CHECK_EQUAL(1, m.releases);
}

/* Three handles that need each other, freed in each of the six orders. */
static void freeing(void) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  size_t o, i, left;
  for (o = 0; o < COUNT(orders); o++) {
    memory m;
    zn5_store *stores[3];
    stores[0] = memory_store(&m);
    stores[1] = view_of(stores[0], ZN5_GRID_REGULAR);
    stores[2] = view_of(stores[1], ZN5_GRID_REGULAR);
    set_text(stores[0], "a/0", "block");
    for (i = 0; i < 3; i++) {
      set_case("order %d, handle %d", (int)o, (int)i);
      CHECK_EQUAL(0, m.releases);
      for (left = i; left < 3; left++)
        CHECK_VALUE(stores[orders[o][left]], "a/0", "block");
      zn5_store_free(stores[orders[o][i]]);
    }
    CHECK_EQUAL(1, m.releases);
  }
}

int main(void) {
  metadata();
  writing();
  freeing();
  return test_result();
}
