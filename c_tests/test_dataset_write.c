/* Datasets in a store that is written in C: created, written by several threads, read back and verified; flags; what
 * a store's own errors become; handles freed in any order. */
#include "support.h"

#include "store.h"

static const char attributes[] = "{\"dimensions\":[20,9],\"blockSize\":[5,3],\"dataType\":\"int16\",\"compression\":"
                                 "{\"type\":\"gzip\",\"level\":5,\"useZlib\":false}}";
static const char zarr[] =
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[20,9],\"data_type\":\"int16\",\"chunk_grid\":{\"name\":"
    "\"regular\",\"configuration\":{\"chunk_shape\":[5,3]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
    "\"fill_value\":-1,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}";

static zn5_dataset *create(const zn5_store *store, const char *path, const char *json) {
  zn5_dataset *dataset = NULL;
  REQUIRE_OK(zn5_dataset_create(store, path, json, strlen(json), NULL, &dataset, ERR));
  REQUIRE(dataset != NULL);
  return dataset;
}

typedef struct {
  int count;
  zn5_status status;
  int64_t offset;
  char key[64], message[256];
} problems;

static int32_t note(void *user_data, zn5_status status, const char *key, size_t key_len, int64_t offset,
                    const char *message) {
  problems *p = (problems *)user_data;
  REQUIRE(key_len < sizeof p->key);
  p->count++;
  p->status = status;
  p->offset = offset;
  memcpy(p->key, key, key_len);
  p->key[key_len] = '\0';
  snprintf(p->message, sizeof p->message, "%s", message);
  return 0;
}

static int32_t stop(void *user_data, zn5_status status, const char *key, size_t key_len, int64_t offset,
                    const char *message) {
  (void)status, (void)key, (void)key_len, (void)offset, (void)message;
  ++*(int *)user_data;
  return 1;
}

static void round_trip(const char *json, const char *path) {
  static const uint64_t offset[2] = {3, 2}, extent[2] = {12, 5};
  memory m;
  zn5_store *store = memory_store(&m);
  zn5_dataset *dataset = create(store, path, json), *again = NULL;
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  int16_t array[20][9], box[12][5], got[20][9];
  problems p;
  size_t i, j;
  memset(&p, 0, sizeof p);
  set_case("round trip, %s", path);
  for (i = 0; i < 20; i++)
    for (j = 0; j < 9; j++)
      array[i][j] = (int16_t)(i * 1000 + j + 1);
  io.threads = 4;
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, NULL, NULL, array, sizeof array, 0, NULL, &io, ERR));
  for (i = 0; i < 12; i++)
    for (j = 0; j < 5; j++)
      array[i + 3][j + 2] = box[i][j] = (int16_t) - (int)(i * 100 + j + 2);
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, offset, extent, box, sizeof box, 0, NULL, &io, ERR));
  zn5_store_free(store);
  zn5_dataset_free(dataset);
  CHECK_EQUAL(1, m.releases);

  /* The same in another order of freeing: the dataset keeps the store. */
  store = memory_store(&m);
  dataset = create(store, path, json);
  zn5_store_free(store);
  CHECK_EQUAL(0, m.releases);
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, NULL, NULL, array, sizeof array, 0, NULL, &io, ERR));
  memset(got, 0, sizeof got);
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, got, sizeof got, 0, NULL, &io, ERR));
  CHECK_BYTES(array, got, sizeof got);
  CHECK_STATUS(ZN5_OK, zn5_dataset_verify(dataset, note, &p, &io, ERR));
  CHECK_EQUAL(0, p.count);
  CHECK(again == NULL);
  zn5_dataset_free(dataset);
  CHECK_EQUAL(1, m.releases);
}

/* Blocks of fill value are not stored unless asked for; edges are cut unless asked for otherwise. */
static void policy_31_and_flags(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  zn5_dataset *dataset = create(store, "v",
                                "{\"dimensions\":[3],\"blockSize\":[2],\"dataType\":\"uint8\",\"compression\":"
                                "{\"type\":\"raw\"}}");
  static const uint64_t first[1] = {0}, two[1] = {2}, last[1] = {2}, one[1] = {1};
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  unsigned char bytes[3] = {1, 2, 3}, read[3];
  zn5_dataset *filled = NULL;
  set_case("flags");
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, NULL, NULL, bytes, 3, 0, NULL, NULL, ERR));
  CHECK_LIST(store, "v/", "0 1 attributes.json");
  {
    collected c = {NULL, 0, 0};
    CHECK_STATUS(ZN5_OK, zn5_store_get(store, "v/1", 3, collect_bytes, &c, ERR));
    CHECK_EQUAL(9, c.len);
    free(c.text);
  }
  io.flags = ZN5_IO_PAD_EDGES;
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, last, one, bytes + 2, 1, 0, NULL, &io, ERR));
  {
    collected c = {NULL, 0, 0};
    CHECK_STATUS(ZN5_OK, zn5_store_get(store, "v/1", 3, collect_bytes, &c, ERR));
    CHECK_EQUAL(10, c.len);
    CHECK_BYTES("\0\0\0\1\0\0\0\2\3\0", c.text, 10);
    free(c.text);
  }
  memset(bytes, 0, 3);
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, first, two, bytes, 2, 0, NULL, NULL, ERR));
  CHECK_LIST(store, "v/", "1 attributes.json");
  io.flags = ZN5_IO_WRITE_FILL;
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, first, two, bytes, 2, 0, NULL, &io, ERR));
  CHECK_LIST(store, "v/", "0 1 attributes.json");

  /* The caller's fill value is what missing blocks read as; it is never stored, nor taken for the stored one. */
  REQUIRE_OK(zn5_store_erase(store, "v/0", 3, ERR));
  options.fill_value = "\7";
  options.fill_value_len = 1;
  REQUIRE_OK(zn5_dataset_open(store, "v", &options, &filled, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(filled, NULL, NULL, read, 3, 0, NULL, NULL, ERR));
  CHECK_BYTES("\7\7\3", read, 3);
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(filled, first, one, "\7", 1, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(filled, NULL, NULL, read, 3, 0, NULL, NULL, ERR));
  CHECK_BYTES("\7\0\3", read, 3);
  zn5_dataset_free(filled);

  /* An empty block. */
  set_text(store, "v/0", "");
  CHECK_STATUS(ZN5_ERROR_EMPTY_BLOCK, zn5_dataset_read(dataset, NULL, NULL, read, 3, 0, NULL, NULL, ERR));
  CHECK_MESSAGE("v/0: ");
  io.flags = ZN5_IO_EMPTY_AS_MISSING;
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, read, 3, 0, NULL, &io, ERR));
  CHECK_BYTES("\0\0\3", read, 3);
  zn5_store_free(store);
  zn5_dataset_free(dataset);
}

static void verifying(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  zn5_dataset *dataset = create(store, "a/v", attributes);
  int16_t array[180];
  problems p;
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  int calls = 0;
  memset(array, 1, sizeof array);
  memset(&p, 0, sizeof p);
  set_case("verify");
  CHECK_STATUS(ZN5_OK, zn5_dataset_write(dataset, NULL, NULL, array, sizeof array, 0, NULL, NULL, ERR));
  REQUIRE_OK(zn5_store_set(store, "a/v/2/1", 7, "\0\0\0\2\0", 5, ERR));
  io.threads = 3;
  CHECK_STATUS(ZN5_OK, zn5_dataset_verify(dataset, note, &p, &io, ERR));
  CHECK_EQUAL(1, p.count);
  CHECK_EQUAL(ZN5_ERROR_TRUNCATED_BLOCK, p.status);
  CHECK_TEXT("a/v/2/1", p.key);
  CHECK_EQUAL(5, p.offset);
  CHECK(strncmp(p.message, "a/v/2/1: ", 9) == 0);
  REQUIRE_OK(zn5_store_set(store, "a/v/2/3", 7, "?", 1, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_verify(dataset, note, &p, &io, ERR));
  CHECK_EQUAL(3, p.count);
  CHECK_EQUAL(ZN5_ERROR_INVALID_ARGUMENT, p.status);
  CHECK_TEXT("a/v/2/3", p.key);
  CHECK_EQUAL(-1, p.offset);
  CHECK_STATUS(ZN5_ERROR_CANCELLED, zn5_dataset_verify(dataset, stop, &calls, &io, ERR));
  CHECK_EQUAL(1, calls);
  CHECK_STATUS(ZN5_ERROR_TRUNCATED_BLOCK,
               zn5_dataset_read(dataset, NULL, NULL, array, sizeof array, 0, NULL, &io, ERR));
  CHECK_MESSAGE("a/v/2/1: ");
  CHECK_EQUAL(5, last_offset);
  zn5_dataset_free(dataset);
  zn5_store_free(store);
}

static zn5_status broken_get(void *user_data, const char *key, size_t key_len, uint64_t offset, uint64_t max_len,
                             zn5_sink *sink) {
  if (key_len == 3 && memcmp(key, "v/1", 3) == 0)
    return ZN5_ERROR_PERMISSION;
  return memory_get(user_data, key, key_len, offset, max_len, sink);
}

/* A store's own error comes out of the call with its status, and a store without `set` is read-only. */
static void errors_of_the_store(void) {
  memory m;
  zn5_store_callbacks callbacks = memory_callbacks();
  zn5_store *store = memory_store(&m), *broken = NULL, *read_only = NULL;
  zn5_dataset *dataset, *other = NULL;
  unsigned char bytes[3];
  set_case("errors of the store");
  dataset = create(store, "v",
                   "{\"dimensions\":[3],\"blockSize\":[2],\"dataType\":\"uint8\",\"compression\":"
                   "{\"type\":\"raw\"}}");
  zn5_dataset_free(dataset);
  callbacks.get = broken_get;
  callbacks.release = NULL;
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, &m, &broken, ERR));
  REQUIRE_OK(zn5_dataset_open(broken, "v", NULL, &dataset, ERR));
  CHECK_STATUS(ZN5_ERROR_PERMISSION, zn5_dataset_read(dataset, NULL, NULL, bytes, 3, 0, NULL, NULL, ERR));
  CHECK_MESSAGE("v/1");
  zn5_dataset_free(dataset);
  callbacks.get = memory_get;
  callbacks.set = NULL;
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, &m, &read_only, ERR));
  REQUIRE_OK(zn5_dataset_open(read_only, "v", NULL, &dataset, ERR));
  CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_dataset_write(dataset, NULL, NULL, "123", 3, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_READ_ONLY,
               zn5_dataset_create(read_only, "w", attributes, strlen(attributes), NULL, &other, ERR));
  CHECK(other == NULL);
  zn5_dataset_free(dataset);
  zn5_store_free(broken);
  zn5_store_free(read_only);
  zn5_store_free(store);
}

static void refusals(void) {
  memory m;
  zn5_store *store = memory_store(&m);
  zn5_dataset *dataset = create(store, "v", attributes), *other = NULL;
  static const uint64_t offset[2] = {19, 8}, extent[2] = {1, 2};
  set_case("refusals");
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_dataset_create(store, "/v", zarr, strlen(zarr), NULL, &other, ERR));
  CHECK(other == NULL);
  CHECK_STATUS(ZN5_ERROR_NOT_AN_ARRAY, zn5_dataset_create(store, "w", "{}", 2, NULL, &other, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_dataset_create(store, "w", NULL, 0, NULL, &other, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_write(dataset, offset, extent, "1234", 4, 0, NULL, NULL, ERR));
  CHECK_MESSAGE("axis 1");
  CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH, zn5_dataset_write(dataset, NULL, NULL, "1234", 4, 0, NULL, NULL, ERR));
  zn5_dataset_free(dataset);
  zn5_store_free(store);
}

int main(void) {
  round_trip(attributes, "a/n5");
  round_trip(zarr, "a/zarr");
  policy_31_and_flags();
  verifying();
  errors_of_the_store();
  refusals();
  return test_result();
}
