/* Hierarchies of Zarr as a C program makes them: the groups above an array, attributes of groups, an image at the root,
 * languages that are asked for and told; and containers of N5, which stay what they are. */
#include "support.h"

#include "store.h"

#define GROUP "{\"zarr_format\":3,\"node_type\":\"group\"}"
#define GROUP_WITH(attributes) "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":" attributes "}"

static const char zarr_array[] =
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[2,3],\"data_type\":\"uint16\",\"chunk_grid\":{\"name\":"
    "\"regular\",\"configuration\":{\"chunk_shape\":[2,2]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
    "\"fill_value\":0,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}";
#define N5_MEMBERS "\"dimensions\":[2,3],\"blockSize\":[2,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"raw\"}"
static const char n5_array[] = "{" N5_MEMBERS "}";

/* Makes an array, writes 1 to 6 into it, and opens it again. */
static void make_array(const zn5_store *store, const char *path, const char *json, zn5_language language) {
  static const uint16_t values[6] = {1, 2, 3, 4, 5, 6};
  uint16_t read[6] = {0};
  zn5_dataset *dataset = NULL;
  REQUIRE_OK(zn5_dataset_create(store, path, json, strlen(json), NULL, &dataset, ERR));
  CHECK_EQUAL(language, zn5_dataset_language(dataset));
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, NULL, NULL, values, sizeof values, 0, NULL, NULL, ERR));
  zn5_dataset_free(dataset);
  REQUIRE_OK(zn5_dataset_open(store, path, NULL, &dataset, ERR));
  CHECK_EQUAL(language, zn5_dataset_language(dataset));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, read, sizeof read, 0, NULL, NULL, ERR));
  CHECK_BYTES(values, read, sizeof values);
  zn5_dataset_free(dataset);
}

static void set_attributes(const zn5_store *store, const char *path, const char *json) {
  CHECK_STATUS(ZN5_OK, zn5_attributes_set(store, path, json, strlen(json), ERR));
}

static void check_language_at(int line, const zn5_store *store, const char *path, zn5_language expected) {
  zn5_language language = 99;
  check_status_at(__FILE__, line, path, ZN5_OK, zn5_node_language(store, path, &language, ERR));
  check_equal_at(__FILE__, line, path, expected, language);
}

#define CHECK_LANGUAGE(store, path, expected) check_language_at(__LINE__, (store), (path), (expected))

/* An array first, then the groups above it. */
static void hierarchy(const zn5_store *store) {
  set_case("hierarchy");
  make_array(store, "a/b/0", zarr_array, ZN5_LANGUAGE_ZARR);
  CHECK_LIST(store, "", "a/ zarr.json");
  CHECK_LIST(store, "a/", "b/ zarr.json");
  CHECK_LIST(store, "a/b/", "0/ zarr.json");
  CHECK_VALUE(store, "zarr.json", GROUP);
  CHECK_VALUE(store, "a/zarr.json", GROUP);
  CHECK_VALUE(store, "a/b/zarr.json", GROUP);
  CHECK_VALUE(store, "a/b/0/zarr.json", zarr_array);
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "a/b", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "a/b", ZN5_LANGUAGE_ZARR, ERR));
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_group_create(store, "a/b", ZN5_LANGUAGE_N5, ERR));
  CHECK_MESSAGE("a/b/zarr.json");
  CHECK_MESSAGE("N5");
  set_attributes(store, "a/b", "{\"ome\":{}}");
  CHECK_VALUE(store, "a/b/zarr.json", GROUP_WITH("{\"ome\":{}}"));
  /* Nothing is made twice. */
  make_array(store, "a/b/1", zarr_array, ZN5_LANGUAGE_ZARR);
  CHECK_VALUE(store, "a/b/zarr.json", GROUP_WITH("{\"ome\":{}}"));
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "x/y/z", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_VALUE(store, "x/zarr.json", GROUP);
  CHECK_VALUE(store, "x/y/zarr.json", GROUP);
  CHECK_VALUE(store, "x/y/z/zarr.json", GROUP);
  CHECK_LANGUAGE(store, "", ZN5_LANGUAGE_ZARR);
  CHECK_LANGUAGE(store, "x/y/z", ZN5_LANGUAGE_ZARR);
  CHECK_LANGUAGE(store, "a/b/1", ZN5_LANGUAGE_ZARR);
  /* N5 in a container of Zarr leaves no trace above it. */
  make_array(store, "n5/0", n5_array, ZN5_LANGUAGE_N5);
  CHECK_VALUE(store, "n5/0/attributes.json", n5_array);
  CHECK_VALUE(store, "attributes.json", NULL);
  CHECK_LIST(store, "n5/", "0/");
  CHECK_LANGUAGE(store, "n5/0", ZN5_LANGUAGE_N5);
}

static void image_at_the_root(const zn5_store *store) {
  set_case("image at the root");
  make_array(store, "0", zarr_array, ZN5_LANGUAGE_ZARR);
  set_attributes(store, "", "{\"ome\":{\"version\":\"0.5\"}}");
  CHECK_VALUE(store, "zarr.json", GROUP_WITH("{\"ome\":{\"version\":\"0.5\"}}"));
  CHECK_LIST(store, "", "0/ zarr.json");
}

static void array_at_the_root(const zn5_store *store) {
  set_case("array at the root");
  make_array(store, "", zarr_array, ZN5_LANGUAGE_ZARR);
  CHECK_VALUE(store, "zarr.json", zarr_array);
  CHECK_VALUE(store, "attributes.json", NULL);
  CHECK_LANGUAGE(store, "/", ZN5_LANGUAGE_ZARR);
}

static void n5_array_at_the_root(const zn5_store *store) {
  char text[256];
  size_t needed = 0;
  zn5_dataset *dataset = NULL;
  set_case("policy_43: N5 array at the root");
  make_array(store, "/", n5_array, ZN5_LANGUAGE_N5);
  CHECK_VALUE(store, "attributes.json", "{\"n5\":\"4.0.0\"," N5_MEMBERS "}");
  REQUIRE_OK(zn5_dataset_open(store, "", NULL, &dataset, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_metadata(dataset, text, sizeof text - 1, &needed, ERR));
  text[needed] = '\0';
  CHECK_TEXT("{\"n5\":\"4.0.0\"," N5_MEMBERS "}", text);
  zn5_dataset_free(dataset);
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_group_create(store, "", ZN5_LANGUAGE_ZARR, ERR));
}

static void n5_stays_n5(const zn5_store *store) {
  set_case("N5 stays N5");
  set_text(store, "attributes.json", "{\"n5\":\"2.5.0\"}");
  make_array(store, "a/b/0", zarr_array, ZN5_LANGUAGE_ZARR);
  CHECK_LIST(store, "", "a/ attributes.json");
  CHECK_LIST(store, "a/", "b/");
  CHECK_LIST(store, "a/b/", "0/");
  CHECK_LANGUAGE(store, "a/b", ZN5_LANGUAGE_N5);
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "a/b", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_VALUE(store, "a/b/attributes.json", "{}");
  /* A group of Zarr that is asked for has such groups below. */
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "ome", ZN5_LANGUAGE_ZARR, ERR));
  make_array(store, "ome/labels/0", zarr_array, ZN5_LANGUAGE_ZARR);
  CHECK_VALUE(store, "ome/labels/zarr.json", GROUP);
  CHECK_VALUE(store, "attributes.json", "{\"n5\":\"2.5.0\"}");
  CHECK_VALUE(store, "zarr.json", NULL);
}

/* Each in a container of its own, in memory and, where there are folders, in one. */
static void in_new_containers(void (*test)(const zn5_store *store)) {
  memory m;
  zn5_store *store = memory_store(&m);
  test(store);
  zn5_store_free(store);
  CHECK_EQUAL(1, m.releases);
#ifndef _WIN32
  {
    char path[1024];
    make_folder(path);
    store = open_folder(path, ZN5_STORE_WRITE);
    test(store);
    zn5_store_free(store);
    remove_folder(path);
  }
#endif
}

/* Through the view of N5 as Zarr: a program of Zarr makes groups of N5. */
static void view(uint32_t flags) {
  memory m;
  zn5_store *n5 = memory_store(&m), *zarr = NULL;
  size_t needed = 0;
  char json[1024];
  zn5_dataset *dataset = NULL;
  set_case("view, flags %u", (unsigned)flags);
  REQUIRE_OK(zn5_store_n5_as_zarr(n5, flags, &zarr, ERR));
  REQUIRE_OK(zn5_metadata_n5_to_zarr(n5_array, strlen(n5_array), ZN5_GRID_REGULAR, json, sizeof json, &needed, ERR));
  REQUIRE_OK(zn5_dataset_create(zarr, "a/b/0", json, needed, NULL, &dataset, ERR));
  CHECK_EQUAL(ZN5_LANGUAGE_ZARR, zn5_dataset_language(dataset));
  zn5_dataset_free(dataset);
  CHECK_VALUE(n5, "attributes.json", "{\"n5\":\"4.0.0\"}");
  CHECK_VALUE(n5, "a/attributes.json", "{}");
  CHECK_VALUE(n5, "a/b/attributes.json", "{}");
  CHECK_VALUE(n5, "a/b/0/attributes.json", n5_array);
  CHECK_LANGUAGE(zarr, "a/b", ZN5_LANGUAGE_ZARR);
  CHECK_LANGUAGE(n5, "a/b", ZN5_LANGUAGE_N5);
  zn5_store_free(n5);
  zn5_store_free(zarr);
  CHECK_EQUAL(1, m.releases);
}

/* A store whose callbacks only read stores nothing, and says so before it is asked to. */
static void read_only(void) {
  memory m;
  zn5_store_callbacks callbacks = memory_callbacks();
  zn5_store *store = NULL;
  zn5_dataset *dataset = NULL;
  set_case("read only");
  memory_init(&m);
  callbacks.set = NULL;
  callbacks.erase = NULL;
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, &m, &store, ERR));
  CHECK_STATUS(ZN5_ERROR_READ_ONLY,
               zn5_dataset_create(store, "a/0", zarr_array, strlen(zarr_array), NULL, &dataset, ERR));
  CHECK(dataset == NULL);
  CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_group_create(store, "a/b", ZN5_LANGUAGE_ZARR, ERR));
  CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_attributes_set(store, "", "{}", 2, ERR));
  CHECK_LIST(store, "", "");
  zn5_store_free(store);
}

static void version_2(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  zn5_dataset *dataset = NULL;
  zn5_language language = 99;
  set_case("Zarr version 2");
  set_text(store, ".zgroup", "{\"zarr_format\":2}");
  set_text(store, "old/.zarray", "{\"zarr_format\":2}");
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_CODEC, zn5_dataset_open(store, "old", NULL, &dataset, ERR));
  CHECK_MESSAGE("old/.zarray: an array of Zarr version 2");
  CHECK_MESSAGE("zarr migrate v3");
  CHECK_STATUS(ZN5_ERROR_NOT_AN_ARRAY, zn5_dataset_open(store, "", NULL, &dataset, ERR));
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_CODEC, zn5_node_language(store, "old", &language, ERR));
  CHECK_EQUAL(99, language);
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_CODEC, zn5_group_create(store, "new", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "new", ZN5_LANGUAGE_ZARR, ERR));
  CHECK_LIST(store, "", ".zgroup new/ old/");
  set_text(store, "old/attributes.json", n5_array);
  REQUIRE_OK(zn5_dataset_open(store, "old", NULL, &dataset, ERR));
  CHECK_EQUAL(ZN5_LANGUAGE_N5, zn5_dataset_language(dataset));
  zn5_dataset_free(dataset);
  zn5_store_free(store);
  CHECK_EQUAL(ZN5_LANGUAGE_AUTO, zn5_dataset_language(NULL));
}

int main(void) {
  in_new_containers(hierarchy);
  in_new_containers(image_at_the_root);
  in_new_containers(array_at_the_root);
  in_new_containers(n5_array_at_the_root);
  in_new_containers(n5_stays_n5);
  view(ZN5_GRID_REGULAR);
  view(ZN5_GRID_REGULAR | ZN5_STORE_IMPLICIT_GROUPS);
  read_only();
  version_2();
  return test_result();
}
