/* Groups, listings and attributes, in a store written in C; and NULL for each pointer of the functions of nodes and
 * datasets. */
#include "support.h"

#include "store.h"

#define NULL_POINTER ZN5_ERROR_NULL_POINTER

static const char attributes[] =
    "{\"dimensions\":[4],\"blockSize\":[2],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"},\"unit\": 1.50}";

typedef struct {
  char text[512];
  int left;
} nodes;

static int32_t collect_node(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  nodes *n = (nodes *)user_data;
  size_t len = strlen(n->text);
  snprintf(n->text + len, sizeof n->text - len, "%.*s %s, ", (int)name_len, name,
           kind == ZN5_NODE_GROUP   ? "group"
           : kind == ZN5_NODE_ARRAY ? "array"
                                    : "unsupported");
  CHECK(kind == ZN5_NODE_GROUP || kind == ZN5_NODE_ARRAY || kind == ZN5_NODE_UNSUPPORTED);
  return --n->left == 0;
}

static void listing_of(const zn5_store *store) {
  nodes n;
  memset(&n, 0, sizeof n);
  set_case("list");
  CHECK_STATUS(ZN5_OK, zn5_node_list(store, "/", collect_node, &n, ERR));
  CHECK_TEXT("broken unsupported, g group, v array, ", n.text);
  memset(&n, 0, sizeof n);
  CHECK_STATUS(ZN5_OK, zn5_node_list(store, "v", collect_node, &n, ERR));
  CHECK_TEXT("", n.text);
  n.left = 2;
  CHECK_STATUS(ZN5_ERROR_CANCELLED, zn5_node_list(store, "", collect_node, &n, ERR));
  CHECK_TEXT("broken unsupported, g group, ", n.text);
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_node_list(store, "x/y", collect_node, &n, ERR));
  CHECK_MESSAGE("x/y");
}

static void check_attributes(const zn5_store *store, const char *path, const char *expected) {
  char text[256];
  size_t needed = 0;
  set_case("attributes of \"%s\"", path);
  CHECK_STATUS(ZN5_OK, zn5_attributes_get(store, path, NULL, 0, &needed, ERR));
  CHECK_EQUAL(strlen(expected), needed);
  REQUIRE(needed < sizeof text);
  CHECK_STATUS(needed == 0 ? ZN5_OK : ZN5_ERROR_BUFFER_TOO_SMALL,
               zn5_attributes_get(store, path, text, needed - 1, &needed, ERR));
  CHECK_STATUS(ZN5_OK, zn5_attributes_get(store, path, text, sizeof text, &needed, ERR));
  text[needed] = '\0';
  CHECK_TEXT(expected, text);
}

static void nulls(const zn5_store *store, zn5_dataset *dataset) {
  zn5_dataset *made = (zn5_dataset *)(void *)&test_poison;
  uint64_t shape[1];
  unsigned char bytes[4];
  size_t needed;
  nodes n;
  set_case("NULL");
  CHECK_STATUS(NULL_POINTER, zn5_node_list(NULL, "", collect_node, &n, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_node_list(store, NULL, collect_node, &n, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_node_list(store, "", NULL, &n, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_group_create(NULL, "g", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_group_create(store, NULL, ZN5_LANGUAGE_AUTO, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_get(NULL, "", NULL, 0, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_get(store, NULL, NULL, 0, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_get(store, "", NULL, 5, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_get(store, "", NULL, 0, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_set(NULL, "", "{}", 2, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_set(store, NULL, "{}", 2, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_attributes_set(store, "", NULL, 2, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_attributes_set(store, "", NULL, 0, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_open(NULL, "v", NULL, &made, ERR));
  CHECK(made == NULL);
  CHECK_STATUS(NULL_POINTER, zn5_dataset_open(store, NULL, NULL, &made, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_open(store, "v", NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_create(NULL, "n", attributes, 5, NULL, &made, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_create(store, NULL, attributes, 5, NULL, &made, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_create(store, "n", NULL, 5, NULL, &made, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_create(store, "n", attributes, strlen(attributes), NULL, NULL, ERR));
  CHECK_VALUE(store, "n/attributes.json", NULL);
  CHECK_STATUS(NULL_POINTER, zn5_dataset_shape(NULL, shape, 1, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_shape(dataset, NULL, 1, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_metadata(NULL, NULL, 0, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_metadata(dataset, NULL, 3, &needed, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_metadata(dataset, NULL, 0, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_read(NULL, NULL, NULL, bytes, 4, 0, NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_read(dataset, NULL, NULL, NULL, 4, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_dataset_read(dataset, NULL, NULL, NULL, 0, 0, NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_write(NULL, NULL, NULL, bytes, 4, 0, NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_write(dataset, NULL, NULL, NULL, 4, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH, zn5_dataset_write(dataset, NULL, NULL, NULL, 0, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_dataset_read(dataset, NULL, NULL, bytes, SIZE_MAX, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_dataset_write(dataset, NULL, NULL, bytes, SIZE_MAX, 0, NULL, NULL, ERR));
  CHECK_STATUS(NULL_POINTER, zn5_dataset_verify(dataset, NULL, NULL, NULL, ERR));
  CHECK(zn5_dataset_codec(NULL) == NULL);
  CHECK_EQUAL(NULL_POINTER, zn5_dataset_open(NULL, NULL, NULL, NULL, NULL));
  zn5_dataset_free(NULL);
}

int main(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  zn5_dataset *dataset = NULL;
  set_text(store, "attributes.json", "{\"name\":\"test\"}");
  REQUIRE_OK(zn5_dataset_create(store, "v", attributes, strlen(attributes), NULL, &dataset, ERR));
  CHECK_VALUE(store, "attributes.json", "{\"n5\":\"4.0.0\",\"name\":\"test\"}");
  CHECK_VALUE(store, "v/attributes.json", attributes);
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, NULL, NULL, "1234", 4, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "/g", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_STATUS(ZN5_OK, zn5_group_create(store, "g", ZN5_LANGUAGE_AUTO, ERR));
  CHECK_VALUE(store, "g/attributes.json", "{}");
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_group_create(store, "v", ZN5_LANGUAGE_AUTO, ERR));
  set_text(store, "broken/attributes.json", "{");
  set_text(store, "README", "no node");
  listing_of(store);

  check_attributes(store, "", "{\"name\":\"test\"}");
  check_attributes(store, "v", "{\"unit\":1.50}");
  check_attributes(store, "g", "{}");
  set_case("set");
  CHECK_STATUS(ZN5_OK, zn5_attributes_set(store, "v", "{\"a\": [1e999]}", 14, ERR));
  check_attributes(store, "v", "{\"a\":[1e999]}");
  CHECK_STATUS(ZN5_ERROR_NOT_REPRESENTABLE, zn5_attributes_set(store, "v", "{\"blockSize\":[1]}", 17, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_METADATA, zn5_attributes_set(store, "v", "[]", 2, ERR));
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_attributes_set(store, "x", "{}", 2, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_attributes_set(store, "broken", "{}", 2, ERR));
  nulls(store, dataset);
  zn5_store_free(store);
  zn5_dataset_free(dataset);
  CHECK_EQUAL(1, m.releases);
  return test_result();
}
