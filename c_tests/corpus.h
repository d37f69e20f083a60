/* All blocks of the interop vectors with the codecs that belong to them, good and malformed, for tests that damage them
 * further. */
#ifndef ZN5_TEST_CORPUS_H
#define ZN5_TEST_CORPUS_H

#include "support.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct {
  char name[160], folder[1024];
  zn5_codec *codec; /* shared by the blocks of a dataset */
  int owns_codec, malformed;
  unsigned char *block;
  size_t len, array_len; /* of the chunk */
} corpus_item;

static corpus_item corpus[1024];
static size_t corpus_count;

static inline corpus_item *corpus_add(const char *id, const char *folder, zn5_codec *codec, unsigned char *block,
                                      size_t len) {
  corpus_item *item = &corpus[corpus_count];
  uint64_t size = 0;
  REQUIRE(corpus_count < COUNT(corpus));
  corpus_count++;
  REQUIRE_OK(zn5_codec_decoded_size(codec, NULL, &size, ERR));
  snprintf(item->name, sizeof item->name, "%s, block %lu", id, (unsigned long)corpus_count);
  snprintf(item->folder, sizeof item->folder, "%s", folder);
  item->codec = codec;
  item->owns_codec = 0;
  item->malformed = 0;
  item->block = block;
  item->len = len;
  item->array_len = (size_t)size;
  return item;
}

static inline zn5_codec *corpus_codec(const char *folder, const zn5_codec_options *options) {
  char path[1200], *json;
  size_t len;
  zn5_codec *codec = NULL;
  snprintf(path, sizeof path, "%s/attributes.json", folder);
  json = (char *)require_file(path, &len);
  REQUIRE_OK(zn5_codec_from_n5_attributes(json, len, options, &codec, ERR));
  free(json);
  return codec;
}

static inline void corpus_add_dataset(char *line) {
  uint64_t grid[TEST_MAX_NDIM] = {0}, shape[TEST_MAX_NDIM], chunk[TEST_MAX_NDIM], grid_shape[TEST_MAX_NDIM];
  const char *id = next_field(&line);
  char folder[1024];
  zn5_codec *codec;
  uint32_t ndim;
  int owns = 1;
  format_path(folder, "%s/%s", vectors_folder(), next_field(&line));
  codec = corpus_codec(folder, NULL);
  ndim = grid_of(codec, shape, chunk, grid_shape);
  do {
    size_t len;
    unsigned char *block = read_block(folder, ndim, grid, &len);
    if (block != NULL) {
      corpus_add(id, folder, codec, block, len)->owns_codec = owns;
      owns = 0;
    }
  } while (next_index(grid, grid_shape, ndim));
  REQUIRE(!owns);
}

static inline void corpus_add_malformed(char *line) {
  const char *id = next_field(&line);
  char folder[1024], path[2048];
  size_t len;
  corpus_item *item;
  unsigned char *block;
  format_path(folder, "%s/%s", vectors_folder(), next_field(&line));
  snprintf(path, sizeof path, "%s/%s", folder, next_field(&line));
  block = require_file(path, &len);
  item = corpus_add(id, folder, corpus_codec(folder, NULL), block, len);
  item->owns_codec = 1;
  item->malformed = 1;
}

static inline void load_corpus(void) {
  REQUIRE(for_each_vector("dataset", corpus_add_dataset) > 0);
  REQUIRE(for_each_vector("malformed", corpus_add_malformed) > 0);
}

static inline void free_corpus(void) {
  size_t i;
  for (i = 0; i < corpus_count; i++) {
    free(corpus[i].block);
    if (corpus[i].owns_codec)
      zn5_codec_free(corpus[i].codec);
  }
}

static inline int is_xz(const corpus_item *item) {
  return strcmp(zn5_codec_compression(item->codec), "xz") == 0;
}

/* The bytes that a block's header asks for, as far as zn5 does not refuse them: the caller's limit is the default one.
 */
static inline uint64_t header_bytes(const corpus_item *item, const unsigned char *block, size_t len) {
  uint16_t mode;
  uint64_t count = 0, limit = UINT64_C(64) << 20, chunk = item->array_len;
  size_t size = zn5_codec_element_size(item->codec);
  if (zn5_block_header(block, len, &mode, NULL, NULL, 0, &count, NULL, NULL) != ZN5_OK || mode != 0)
    return 0;
  if (chunk * 16 > limit)
    limit = chunk * 16;
  return count > limit / size ? 0 : count * size;
}

/* Gives large freed memory back at once; glibc would keep it, the more the longer a process runs, and the peak would
 * tell nothing. */
static inline void return_memory_at_once(void) {
#ifdef __GLIBC__
  /* A sanitizer's allocator has no such setting. */
  REQUIRE(mallopt(M_MMAP_THRESHOLD, 128 * 1024) == 1 || instrumented());
#endif
}

/* The most memory this process ever had, in bytes; 0 where that is unknown. (getrusage counts what ran here before
 * exec, too.) */
static inline uint64_t peak_memory(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  unsigned long long kibibytes = 0;
  if (file == NULL)
    return 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %llu", &kibibytes) == 1)
      break;
  fclose(file);
  return (uint64_t)kibibytes * 1024;
}

#endif /* ZN5_TEST_CORPUS_H */
