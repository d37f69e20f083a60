/* A folder as a store: opening and making it, values, listings, what stands in the way, what is left on the disk. */
#include "support.h"

#include "store.h"

#ifdef _WIN32
int main(void) {
  printf("skipped: this test needs POSIX folders\n");
  return TEST_SKIPPED;
}
#else

static void count_file(const char *path, void *user_data) {
  (void)path;
  ++*(int *)user_data;
}

static int file_count(const char *folder) {
  int count = 0;
  for_each_file(folder, count_file, &count);
  return count;
}

/* An address of this machine is a path; those of others are refused, and no folder is made for them. */
static void addresses(const char *folder) {
  static const char *const servers[] = {"s3://bucket/x.n5", "gs://bucket", "https://host/x.zarr", "http://host",
                                        "simplecache::s3://bucket"};
  char path[1024], address[2048];
  zn5_store *store;
  size_t i;
  for (i = 0; i < sizeof servers / sizeof servers[0]; ++i) {
    set_case("%s", servers[i]);
    store = (zn5_store *)(void *)&path;
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_open(servers[i], 0, &store, ERR));
    CHECK(store == NULL);
    CHECK_MESSAGE(servers[i]);
    CHECK_MESSAGE("folders of this machine");
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT,
                 zn5_store_open(servers[i], ZN5_STORE_WRITE | ZN5_STORE_CREATE, &store, ERR));
  }
  set_case("file:");
  format_path(path, "%s/a b%%", folder);
  store = open_folder(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE);
  set_text(store, "key", "value");
  zn5_store_free(store);
  for (i = 0; i < 3; ++i) {
    static const char *const beginnings[] = {"file://", "file://localhost", "FILE:"};
    snprintf(address, sizeof address, "%s%s/a%%20b%%25", beginnings[i], folder);
    store = open_folder(address, 0);
    CHECK_VALUE(store, "key", "value");
    zn5_store_free(store);
  }
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_open("file://otherhost/x", 0, &store, ERR));
  CHECK_MESSAGE("otherhost");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_open("file:///a%00b", 0, &store, ERR));
  CHECK_MESSAGE("%00");
  /* A folder may have such a name all the same. */
  format_path(path, "%s/s3:/bucket", folder);
  store = open_folder(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE);
  set_text(store, "key", "mine");
  zn5_store_free(store);
  format_path(path, "%s/./s3://bucket", folder);
  store = open_folder(path, 0);
  CHECK_VALUE(store, "key", "mine");
  zn5_store_free(store);
}

static void opening(const char *folder) {
  char path[1024];
  zn5_store *store = (zn5_store *)(void *)&path;
  FILE *file;
  set_case("opening");
  format_path(path, "%s/new/one", folder);
  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_store_open(path, ZN5_STORE_WRITE, &store, ERR));
  CHECK_MESSAGE("/new/one");
  CHECK(store == NULL);
  CHECK_STATUS(ZN5_OK, zn5_store_open(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE, &store, ERR));
  zn5_store_free(store);
  CHECK_STATUS(ZN5_OK, zn5_store_open(path, 0, &store, ERR));
  zn5_store_free(store);
  CHECK_STATUS(ZN5_OK, zn5_store_open(path, ZN5_STORE_CREATE, &store, ERR));
  zn5_store_free(store);
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_open(path, 4, &store, ERR));
  CHECK_MESSAGE("0x4");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_open("", 0, &store, ERR));
  format_path(path, "%s/file", folder);
  file = fopen(path, "wb");
  REQUIRE(file != NULL && fclose(file) == 0);
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_open(path, 0, &store, ERR));
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_store_open(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE, &store, ERR));
  CHECK(store == NULL);
  addresses(folder);
#ifdef __linux__
  /* Any bytes but NUL are a path. */
  format_path(path, "%s/\xff\xfe", folder);
  CHECK_STATUS(ZN5_OK, zn5_store_open(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE, &store, ERR));
  set_text(store, "a", "b");
  zn5_store_free(store);
#endif
}

static void values(const char *folder) {
  char path[1024];
  zn5_store *store, *reader;
  unsigned char *bytes;
  size_t len;
  set_case("values");
  format_path(path, "%s/values", folder);
  store = open_folder(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE);
  reader = open_folder(path, 0);
  CHECK_LIST(reader, "", "");
  set_text(store, "v/attributes.json", "{}");
  set_text(store, "v/0/1", "block");
  set_text(store, "v/0/1", "other block");
  set_text(store, "v/0/0", "");
  CHECK_VALUE(reader, "v/attributes.json", "{}");
  CHECK_VALUE(reader, "v/0/1", "other block");
  CHECK_VALUE(reader, "v/0/0", "");
  CHECK_VALUE(reader, "v/0/2", NULL);
  CHECK_VALUE(reader, "v", NULL);
  CHECK_VALUE(reader, "v/0", NULL);
  CHECK_VALUE(reader, "v/0/1/2", NULL);
  CHECK_LIST(reader, "", "v/");
  CHECK_LIST(reader, "v/", "0/ attributes.json");
  CHECK_LIST(reader, "v/0/", "0 1");
  CHECK_LIST(reader, "v/0/1/", "");
  CHECK_EQUAL(3, file_count(path));

  set_case("files are values");
  format_path(path, "%s/values/v/0/1", folder);
  bytes = require_file(path, &len);
  CHECK_EQUAL(11, len);
  CHECK_BYTES("other block", bytes, 11);
  free(bytes);

  set_case("in the way");
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_store_set(store, "v/0", 3, "x", 1, ERR));
  CHECK_MESSAGE("values/v/0\"");
  CHECK_STATUS(ZN5_ERROR_ALREADY_EXISTS, zn5_store_set(store, "v/0/1/2", 7, "x", 1, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0", 3, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0/1/2", 7, ERR));

  set_case("read only");
  CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_store_set(reader, "v/0/1", 5, "x", 1, ERR));
  CHECK_STATUS(ZN5_ERROR_READ_ONLY, zn5_store_erase(reader, "v/0/1", 5, ERR));
  CHECK_VALUE(reader, "v/0/1", "other block");

  set_case("erasing");
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0/1", 5, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0/1", 5, ERR));
  CHECK_STATUS(ZN5_OK, zn5_store_erase(store, "v/0/0", 5, ERR));
  CHECK_VALUE(reader, "v/0/1", NULL);
  /* The folder stays: in N5 it is a group. */
  CHECK_LIST(reader, "v/", "0/ attributes.json");
  zn5_store_free(store);
  CHECK_VALUE(reader, "v/attributes.json", "{}");
  zn5_store_free(reader);
  format_path(path, "%s/values", folder);
  CHECK_EQUAL(1, file_count(path));
}

/* No key reaches a file beside the root. */
static void attacks(const char *folder) {
  static const char *const keys[] = {"../secret", "a/../../secret", "./../secret", "a/b/../../../secret", "..//secret"};
  char path[1024], absolute[1024];
  zn5_store *store, *outside = open_folder(folder, ZN5_STORE_WRITE);
  collected c = {NULL, 0, 0};
  size_t i;
  set_case("attacks");
  set_text(outside, "secret", "untouched");
  format_path(path, "%s/root", folder);
  store = open_folder(path, ZN5_STORE_WRITE | ZN5_STORE_CREATE);
  set_text(store, "a/b/c", "x");
  for (i = 0; i < COUNT(keys); i++) {
    size_t len = strlen(keys[i]);
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_get(store, keys[i], len, collect_bytes, &c, ERR));
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_set(store, keys[i], len, "x", 1, ERR));
    CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_erase(store, keys[i], len, ERR));
  }
  format_path(absolute, "%s/secret", folder);
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_get(store, absolute, strlen(absolute), collect_bytes, &c, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_store_erase(store, absolute, strlen(absolute), ERR));
  CHECK_EQUAL(0, c.calls);
  CHECK_VALUE(outside, "secret", "untouched");
  CHECK_EQUAL(1, file_count(path));
  zn5_store_free(store);
  zn5_store_free(outside);
}

/* A store keeps its place when the working directory changes. */
static void working_directory(const char *folder) {
  char before[1024];
  zn5_store *store;
  set_case("working directory");
  REQUIRE(getcwd(before, sizeof before) != NULL);
  REQUIRE(chdir(folder) == 0);
  store = open_folder("values", 0);
  REQUIRE(chdir(before) == 0);
  CHECK_VALUE(store, "v/attributes.json", "{}");
  zn5_store_free(store);
}

int main(void) {
  char folder[1024];
  make_folder(folder);
  opening(folder);
  values(folder);
  attacks(folder);
  working_directory(folder);
  remove_folder(folder);
  return test_result();
}
#endif
