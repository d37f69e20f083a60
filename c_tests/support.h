/* What every C test uses: checks that say where they failed, buffers whose neighbouring pages fault, files, codecs made
 * from text.
 *
 * Include it first: it asks the C library for its POSIX functions before any other header is read. A program ends with
 * `return test_result();`, which is 0, or 1 after a failed check. Checks are never compiled out. */
#ifndef ZN5_TEST_SUPPORT_H
#define ZN5_TEST_SUPPORT_H

#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#endif

#include "zn5.h"

/* gcc says it by macros, clang by features. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED
#endif
#endif

#if defined(__GNUC__)
#define PRINTF_LIKE(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define PRINTF_LIKE(format_index, first_index)
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEST_MAX_NDIM 8
/* What ctest takes for "skipped". */
#define TEST_SKIPPED 77

/* ---- Checks ---- */

static int test_failures;
static char test_case[256];
/* Of the last CHECK_STATUS. */
static char last_message[1024];
static int64_t last_offset, last_native_code;
/* Where the calls inside CHECK_STATUS put their error object; see ERR. */
static zn5_error *last_error;
static char test_poison;

/* Names what is being tried; printed with every failure until the next. */
static inline void PRINTF_LIKE(1, 2) set_case(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(test_case, sizeof test_case, format, arguments);
  va_end(arguments);
}

static inline int PRINTF_LIKE(3, 4) fail_at(const char *file, int line, const char *format, ...) {
  va_list arguments;
  printf("%s:%d: ", file, line);
  if (test_case[0] != '\0')
    printf("[%s] ", test_case);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
  fflush(stdout);
  test_failures++;
  if (test_failures >= 20) {
    printf("too many failures\n");
    exit(1);
  }
  return 0;
}

static inline int test_result(void) {
  if (test_failures != 0)
    printf("%d failed checks\n", test_failures);
  return test_failures == 0 ? 0 : 1;
}

static inline int check_at(const char *file, int line, const char *text, int condition) {
  return condition ? 1 : fail_at(file, line, "not so: %s", text);
}

static inline int check_equal_at(const char *file, int line, const char *text, int64_t expected, int64_t actual) {
  if (expected == actual)
    return 1;
  return fail_at(file, line, "%s is %" PRId64 ", not %" PRId64, text, actual, expected);
}

static inline int check_text_at(const char *file, int line, const char *text, const char *expected,
                                const char *actual) {
  if (actual != NULL && strcmp(expected, actual) == 0)
    return 1;
  return fail_at(file, line, "%s is \"%s\", not \"%s\"", text, actual == NULL ? "(NULL)" : actual, expected);
}

static inline int check_bytes_at(const char *file, int line, const char *text, const void *expected, const void *actual,
                                 size_t len) {
  const unsigned char *a = (const unsigned char *)expected, *b = (const unsigned char *)actual;
  size_t i;
  for (i = 0; i < len; i++)
    if (a[i] != b[i])
      return fail_at(file, line, "%s: byte %lu of %lu is %02x, not %02x", text, (unsigned long)i, (unsigned long)len,
                     b[i], a[i]);
  return 1;
}

/* Every call must write *error: NULL on success, otherwise an object of the same status that has a message. */
static inline int check_status_at(const char *file, int line, const char *call, zn5_status expected, zn5_status got) {
  zn5_error *error = last_error;
  int sound = 1;
  last_error = NULL;
  last_message[0] = '\0';
  last_offset = -1;
  last_native_code = 0;
  if ((void *)error == (void *)&test_poison) {
    sound = fail_at(file, line, "%s: *error was not written", call);
  } else {
    if ((error == NULL) != (got == ZN5_OK))
      sound = fail_at(file, line, "%s: an error object goes with failure and none with success", call);
    if (error != NULL && (zn5_error_status(error) != got || zn5_error_message(error)[0] == '\0'))
      sound = fail_at(file, line, "%s: the error object has status %d and message \"%s\", the call returned %d", call,
                      (int)zn5_error_status(error), zn5_error_message(error), (int)got);
    snprintf(last_message, sizeof last_message, "%s", zn5_error_message(error));
    last_offset = zn5_error_offset(error);
    last_native_code = zn5_error_native_code(error);
    zn5_error_free(error);
  }
  if (got != expected)
    sound =
        fail_at(file, line, "%s: %s, not %s: %s", call, zn5_status_name(got), zn5_status_name(expected), last_message);
  return sound;
}

static inline zn5_error **armed_error(void) {
  last_error = (zn5_error *)(void *)&test_poison;
  return &last_error;
}

/* The last argument of a call inside CHECK_STATUS. */
#define ERR (armed_error())

#define CHECK(condition) check_at(__FILE__, __LINE__, #condition, (condition))
#define REQUIRE(condition) ((void)((condition) || (fail_at(__FILE__, __LINE__, "not so: %s", #condition), exit(1), 0)))
#define CHECK_EQUAL(expected, actual)                                                                                  \
  check_equal_at(__FILE__, __LINE__, #actual, (int64_t)(expected), (int64_t)(actual))
#define CHECK_TEXT(expected, actual) check_text_at(__FILE__, __LINE__, #actual, (expected), (actual))
#define CHECK_BYTES(expected, actual, len)                                                                             \
  check_bytes_at(__FILE__, __LINE__, #actual, (expected), (actual), (size_t)(len))
#define CHECK_STATUS(expected, call) check_status_at(__FILE__, __LINE__, #call, (expected), (call))
#define REQUIRE_OK(call) ((void)(CHECK_STATUS(ZN5_OK, call) || (exit(1), 0)))
/* The message of the last CHECK_STATUS names this. */
#define CHECK_MESSAGE(part)                                                                                            \
  (strstr(last_message, (part)) != NULL                                                                                \
       ? 1                                                                                                             \
       : fail_at(__FILE__, __LINE__, "the message does not name %s: %s", (part), last_message))

/* ---- Surroundings ---- */

static inline int ci(void) {
  const char *value = getenv("CI");
  return value != NULL && strcmp(value, "true") == 0;
}

static inline int long_run(void) {
  const char *value = getenv("ZN5_TEST_LONG");
  return value != NULL && strcmp(value, "1") == 0;
}

/* Under valgrind or a sanitizer times and memory say nothing, and many rounds take too long. */
static inline int instrumented(void) {
  const char *preload = getenv("LD_PRELOAD");
#ifdef TEST_SANITIZED
  return 1;
#else
  return preload != NULL && strstr(preload, "vgpreload") != NULL;
#endif
}

/* ---- Memory ---- */

static inline void *allocate(size_t len) {
  void *memory = malloc(len == 0 ? 1 : len);
  REQUIRE(memory != NULL);
  return memory;
}

/* A buffer with a page right behind its end (or right before its start) that faults when touched. What lies between the
 * other side and the page border holds a pattern, which guard_free checks. Where pages cannot be protected, patterns on
 * both sides have to do. */
typedef struct {
  unsigned char *bytes;
  size_t len;
  unsigned char *area; /* what may be accessed: the slack and the bytes */
  size_t area_len;
  void *map;
  size_t map_len;
} guarded;

#define GUARD_PATTERN 0xA7
#define GUARD_PORTABLE 64

static inline guarded guard_make(size_t len, int before) {
  guarded g;
  g.len = len;
#ifndef _WIN32
  {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = len / page + 1;
    void *map = mmap(NULL, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(map != MAP_FAILED);
    g.map = map;
    g.map_len = (pages + 2) * page;
    g.area = (unsigned char *)map + page;
    g.area_len = pages * page;
    REQUIRE(mprotect(g.area, g.area_len, PROT_READ | PROT_WRITE) == 0);
    g.bytes = before ? g.area : g.area + g.area_len - len;
  }
#else
  (void)before;
  g.area_len = len + 2 * GUARD_PORTABLE;
  g.area = (unsigned char *)allocate(g.area_len);
  g.map = g.area;
  g.map_len = g.area_len;
  g.bytes = g.area + GUARD_PORTABLE;
#endif
  memset(g.area, GUARD_PATTERN, g.area_len);
  return g;
}

/* The byte behind the end faults. */
static inline guarded guard_after(size_t len) {
  return guard_make(len, 0);
}

/* The byte before the start faults. */
static inline guarded guard_before(size_t len) {
  return guard_make(len, 1);
}

static inline guarded guarded_copy(const void *bytes, size_t len) {
  guarded g = guard_after(len);
  if (len != 0)
    memcpy(g.bytes, bytes, len);
  return g;
}

static inline int guard_is_intact(const guarded *g) {
  const unsigned char *byte;
  for (byte = g->area; byte < g->area + g->area_len; byte++)
    if ((byte < g->bytes || byte >= g->bytes + g->len) && *byte != GUARD_PATTERN)
      return 0;
  return 1;
}

static inline void guard_free_at(const char *file, int line, guarded *g) {
  if (!guard_is_intact(g))
    fail_at(file, line, "bytes beside a buffer of %lu bytes were written", (unsigned long)g->len);
#ifndef _WIN32
  munmap(g->map, g->map_len);
#else
  free(g->map);
#endif
}

#define GUARD_FREE(guard) guard_free_at(__FILE__, __LINE__, &(guard))

/* ---- Random numbers, always the same ---- */

static inline uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Bytes that a compressor shrinks, but not to nothing: runs of random lengths and values. */
static inline void fill_runs(void *dst, size_t len, uint32_t seed) {
  unsigned char *bytes = (unsigned char *)dst;
  size_t i = 0;
  while (i < len) {
    size_t run = next_random(&seed) % 24 + 1;
    unsigned char value = (unsigned char)(next_random(&seed) & 0xff);
    while (run-- > 0 && i < len)
      bytes[i++] = value;
  }
}

/* ---- Files ---- */

/* A whole file, to be freed; NULL if it is not there. */
static inline unsigned char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes;
  long size;
  *len = 0;
  if (file == NULL)
    return NULL;
  REQUIRE(fseek(file, 0, SEEK_END) == 0);
  size = ftell(file);
  REQUIRE(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
  *len = (size_t)size;
  bytes = (unsigned char *)allocate(*len);
  REQUIRE(fread(bytes, 1, *len, file) == *len);
  fclose(file);
  return bytes;
}

static inline void PRINTF_LIKE(2, 3) format_path(char path[1024], const char *format, ...) {
  va_list arguments;
  int len;
  va_start(arguments, format);
  len = vsnprintf(path, 1024, format, arguments);
  va_end(arguments);
  REQUIRE(len > 0 && len < 1024);
}

static inline unsigned char *require_file(const char *path, size_t *len) {
  unsigned char *bytes = read_file(path, len);
  if (bytes == NULL) {
    printf("%s cannot be read; run the tests from the project's root, or set ZN5_TEST_VECTORS\n", path);
    exit(1);
  }
  return bytes;
}

static inline const char *vectors_folder(void) {
  const char *folder = getenv("ZN5_TEST_VECTORS");
  return folder != NULL && folder[0] != '\0' ? folder : "tests/vectors";
}

/* ---- Text ---- */

static inline int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  return -1;
}

/* Bytes from hexadecimal text, blanks between them allowed; to be freed. */
static inline unsigned char *from_hex(const char *hex, size_t *len) {
  unsigned char *bytes = (unsigned char *)allocate(strlen(hex) / 2);
  *len = 0;
  while (*hex != '\0') {
    if (*hex == ' ') {
      hex++;
      continue;
    }
    REQUIRE(hex_digit(hex[0]) >= 0 && hex_digit(hex[1]) >= 0);
    bytes[(*len)++] = (unsigned char)(hex_digit(hex[0]) * 16 + hex_digit(hex[1]));
    hex += 2;
  }
  return bytes;
}

/* The next tab-separated field of a line, ended by NUL; the line shrinks. */
static inline char *next_field(char **line) {
  char *field = *line, *tab = strchr(field, '\t');
  if (tab == NULL) {
    *line = field + strlen(field);
  } else {
    *tab = '\0';
    *line = tab + 1;
  }
  return field;
}

/* Calls `visit` with what follows the kind in each line of that kind of vectors.tsv; their number. */
static inline int for_each_vector(const char *kind, void (*visit)(char *line)) {
  size_t len, kind_len = strlen(kind);
  char *table = (char *)require_file("c_tests/vectors.tsv", &len), *line = table, *end;
  int count = 0;
  REQUIRE(len > 0 && table[len - 1] == '\n');
  for (; line < table + len; line = end + 1) {
    end = (char *)memchr(line, '\n', (size_t)(table + len - line));
    *end = '\0';
    if (strncmp(line, kind, kind_len) == 0 && line[kind_len] == '\t') {
      visit(line + kind_len + 1);
      count++;
    }
  }
  free(table);
  return count;
}

/* "4,3" as extents. */
static inline uint32_t parse_extents(const char *text, uint64_t extents[TEST_MAX_NDIM]) {
  uint32_t ndim = 0;
  while (*text != '\0') {
    char *end;
    REQUIRE(ndim < TEST_MAX_NDIM);
    extents[ndim++] = strtoull(text, &end, 10);
    REQUIRE(end != text);
    text = *end == ',' ? end + 1 : end;
  }
  return ndim;
}

/* ---- Arrays, done slowly and plainly ---- */

static inline uint64_t product(const uint64_t *extents, uint32_t ndim) {
  uint64_t count = 1;
  while (ndim-- > 0)
    count *= extents[ndim];
  return count;
}

/* Goes through all index tuples, the last axis fastest; 0 after the last tuple. Begin with zeros, and only if no extent
 * is 0. */
static inline int next_index(uint64_t *index, const uint64_t *shape, uint32_t ndim) {
  while (ndim-- > 0) {
    if (++index[ndim] < shape[ndim])
      return 1;
    index[ndim] = 0;
  }
  return 0;
}

/* The number of an element in a contiguous array. */
static inline size_t element_number(const uint64_t *index, const uint64_t *shape, uint32_t ndim, uint32_t order) {
  uint64_t number = 0;
  uint32_t i;
  for (i = 0; i < ndim; i++) {
    uint32_t axis = order == ZN5_ORDER_C ? i : ndim - 1 - i;
    number = number * shape[axis] + index[axis];
  }
  return (size_t)number;
}

static inline void strides_of(ptrdiff_t *strides, const uint64_t *shape, uint32_t ndim, uint32_t order, size_t size) {
  ptrdiff_t stride = (ptrdiff_t)size;
  uint32_t i;
  for (i = 0; i < ndim; i++) {
    uint32_t axis = order == ZN5_ORDER_C ? ndim - 1 - i : i;
    strides[axis] = stride;
    stride *= (ptrdiff_t)shape[axis];
  }
}

static inline int is_little_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

/* Turns the bytes of each element round, as from big-endian to little-endian. */
static inline void reverse_elements(void *bytes, size_t len, size_t size) {
  unsigned char *at = (unsigned char *)bytes, *end = at + len;
  size_t i;
  for (; at < end; at += size)
    for (i = 0; i < size / 2; i++) {
      unsigned char byte = at[i];
      at[i] = at[size - 1 - i];
      at[size - 1 - i] = byte;
    }
}

/* An array in C order as an array in F order. */
static inline void to_order_f(void *dst, const void *src, const uint64_t *shape, uint32_t ndim, size_t size) {
  uint64_t index[TEST_MAX_NDIM] = {0};
  if (product(shape, ndim) == 0)
    return;
  do {
    memcpy((unsigned char *)dst + element_number(index, shape, ndim, ZN5_ORDER_F) * size,
           (const unsigned char *)src + element_number(index, shape, ndim, ZN5_ORDER_C) * size, size);
  } while (next_index(index, shape, ndim));
}

/* The header of a mode 0 block; its length. */
static inline size_t write_header(unsigned char *dst, const uint64_t *shape, uint32_t ndim) {
  uint32_t axis;
  dst[0] = dst[1] = 0;
  dst[2] = (unsigned char)(ndim >> 8);
  dst[3] = (unsigned char)(ndim & 0xff);
  for (axis = 0; axis < ndim; axis++) {
    unsigned char *at = dst + 4 + 4 * axis;
    at[0] = (unsigned char)(shape[axis] >> 24 & 0xff);
    at[1] = (unsigned char)(shape[axis] >> 16 & 0xff);
    at[2] = (unsigned char)(shape[axis] >> 8 & 0xff);
    at[3] = (unsigned char)(shape[axis] & 0xff);
  }
  return 4 + 4 * (size_t)ndim;
}

/* A raw block, to be freed, of an array in C order and native byte order. */
static inline unsigned char *make_raw_block(const void *array, const uint64_t *shape, uint32_t ndim, size_t size,
                                            size_t *len) {
  size_t payload_len = (size_t)product(shape, ndim) * size, header_len = 4 + 4 * (size_t)ndim;
  unsigned char *block = (unsigned char *)allocate(header_len + payload_len);
  write_header(block, shape, ndim);
  to_order_f(block + header_len, array, shape, ndim, size);
  if (is_little_endian())
    reverse_elements(block + header_len, payload_len, size);
  *len = header_len + payload_len;
  return block;
}

/* ---- Codecs ---- */

/* One of every compression that zn5 encodes, with every variant of Blosc that a block can tell. */
static const char *const all_compressions[] = {
    "{\"type\":\"raw\"}",
    "{\"type\":\"gzip\",\"level\":6,\"useZlib\":false}",
    "{\"type\":\"gzip\",\"level\":1,\"useZlib\":true}",
    "{\"type\":\"bzip2\",\"blockSize\":1}",
    "{\"type\":\"xz\",\"preset\":1}",
    "{\"type\":\"lz4\",\"blockSize\":65536}",
    "{\"type\":\"lz4\",\"blockSize\":64}",
    "{\"type\":\"zstd\",\"level\":3}",
    "{\"type\":\"blosc\",\"cname\":\"blosclz\",\"clevel\":6,\"shuffle\":0,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"lz4hc\",\"clevel\":5,\"shuffle\":1,\"blocksize\":256}",
    "{\"type\":\"blosc\",\"cname\":\"zlib\",\"clevel\":5,\"shuffle\":2,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"zstd\",\"clevel\":5,\"shuffle\":-1,\"blocksize\":0}",
};

static const char *const n5_data_types[] = {"uint8", "uint16", "uint32", "uint64",  "int8",
                                            "int16", "int32",  "int64",  "float32", "float64"};

static inline zn5_codec *codec_from_attributes(const char *json, const zn5_codec_options *options) {
  zn5_codec *codec = NULL;
  if (!CHECK_STATUS(ZN5_OK, zn5_codec_from_n5_attributes(json, strlen(json), options, &codec, ERR))) {
    printf("the attributes: %s\n", json);
    exit(1);
  }
  return codec;
}

static inline void append_extents(char *json, size_t room, const char *name, const uint64_t *extents, uint32_t ndim) {
  uint32_t axis;
  size_t used = strlen(json);
  snprintf(json + used, room - used, "\"%s\":[", name);
  for (axis = 0; axis < ndim; axis++) {
    used = strlen(json);
    snprintf(json + used, room - used, "%s%" PRIu64, axis == 0 ? "" : ",", extents[axis]);
  }
  used = strlen(json);
  snprintf(json + used, room - used, "],");
}

/* A codec for an array of one chunk. `compression` is the JSON object, or NULL for raw. */
static inline zn5_codec *n5_codec(const char *data_type, const char *compression, uint32_t ndim,
                                  const uint64_t *chunk_shape, const zn5_codec_options *options) {
  char json[1024] = "{";
  size_t used;
  append_extents(json, sizeof json, "dimensions", chunk_shape, ndim);
  append_extents(json, sizeof json, "blockSize", chunk_shape, ndim);
  used = strlen(json);
  snprintf(json + used, sizeof json - used, "\"dataType\":\"%s\",\"compression\":%s}", data_type,
           compression == NULL ? all_compressions[0] : compression);
  return codec_from_attributes(json, options);
}

static inline zn5_codec_options default_options(void) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  return options;
}

static inline zn5_codec_options strict_options(void) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  options.flags = ZN5_STRICT;
  return options;
}

/* Encodes the codec's chunk; the block, to be freed. */
static inline unsigned char *encode_chunk(const zn5_codec *codec, const void *array, size_t array_len, size_t *len) {
  uint64_t bound = 0;
  unsigned char *block;
  REQUIRE_OK(zn5_codec_encode_bound(codec, NULL, &bound, ERR));
  block = (unsigned char *)allocate((size_t)bound);
  REQUIRE_OK(zn5_encode_block(codec, NULL, array, array_len, block, (size_t)bound, len, ERR));
  return block;
}

/* Decodes between guards, whatever comes of it: no byte beside `dst_len` is touched. */
static inline zn5_status decode_guarded(const zn5_codec *codec, const void *block, size_t block_len,
                                        const uint64_t *shape, void *dst, size_t dst_len, zn5_error **error) {
  guarded src = guarded_copy(block, block_len), array = guard_after(dst_len);
  zn5_status status;
  memset(array.bytes, 0x5c, dst_len);
  status = zn5_decode_block(codec, src.bytes, src.len, shape, array.bytes, dst_len, error);
  if (dst_len != 0)
    memcpy(dst, array.bytes, dst_len);
  if (block_len != 0 && memcmp(src.bytes, block, block_len) != 0)
    fail_at(__FILE__, __LINE__, "the input was written");
  GUARD_FREE(src);
  GUARD_FREE(array);
  return status;
}

/* ---- Datasets on disk ---- */

static inline uint32_t grid_of(const zn5_codec *codec, uint64_t *shape, uint64_t *chunk_shape, uint64_t *grid_shape) {
  uint32_t axis, ndim = zn5_codec_ndim(codec);
  REQUIRE(ndim <= TEST_MAX_NDIM);
  REQUIRE_OK(zn5_codec_array_shape(codec, shape, TEST_MAX_NDIM, ERR));
  REQUIRE_OK(zn5_codec_chunk_shape(codec, chunk_shape, TEST_MAX_NDIM, ERR));
  for (axis = 0; axis < ndim; axis++)
    grid_shape[axis] = (shape[axis] + chunk_shape[axis] - 1) / chunk_shape[axis];
  return ndim;
}

/* The block at a grid position below a folder, to be freed; NULL if there is none. */
static inline unsigned char *read_block(const char *folder, uint32_t ndim, const uint64_t *grid, size_t *len) {
  char key[256], path[1024];
  size_t key_len;
  REQUIRE_OK(zn5_block_key(ndim, grid, key, sizeof key - 1, &key_len, ERR));
  key[key_len] = '\0';
  format_path(path, "%s/%s", folder, key);
  return read_file(path, len);
}

/* Decodes all blocks below a folder straight into an image, cut to the array; the number of blocks. What is missing is
 * left as it is. */
static inline unsigned long read_dataset(const char *folder, const zn5_codec *codec, void *image, size_t image_len,
                                         const ptrdiff_t *strides) {
  uint64_t grid[TEST_MAX_NDIM] = {0}, shape[TEST_MAX_NDIM], chunk[TEST_MAX_NDIM], grid_shape[TEST_MAX_NDIM];
  uint64_t extent[TEST_MAX_NDIM];
  uint32_t axis, ndim = grid_of(codec, shape, chunk, grid_shape);
  unsigned long count = 0;
  do {
    size_t len, origin = 0;
    unsigned char *block = read_block(folder, ndim, grid, &len);
    guarded src;
    if (block == NULL)
      continue;
    for (axis = 0; axis < ndim; axis++) {
      uint64_t first = grid[axis] * chunk[axis];
      extent[axis] = shape[axis] - first < chunk[axis] ? shape[axis] - first : chunk[axis];
      origin += (size_t)first * (size_t)strides[axis];
    }
    src = guarded_copy(block, len);
    CHECK_STATUS(ZN5_OK,
                 zn5_decode_region(codec, src.bytes, len, NULL, NULL, extent, image, image_len, origin, strides, ERR));
    GUARD_FREE(src);
    free(block);
    count++;
  } while (next_index(grid, grid_shape, ndim));
  return count;
}

#endif /* ZN5_TEST_SUPPORT_H */
