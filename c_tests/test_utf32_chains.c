/* Arrays whose chain is `bytes` with or without compressors: strings of every length up to 64 KiB and the ten numeric
 * types, in both byte orders, through each compressor and several of them, whole and by regions. */
#include "support.h"
#include "utf32.h"

static const char *const all_chains[] = {
    "",
    ",{\"name\":\"gzip\",\"configuration\":{\"level\":6}}",
    ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}",
    ",{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":true}}",
    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"noshuffle\",\"blocksize\":0}"
    "}",
    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\",\"typesize\":4,"
    "\"blocksize\":0}}",
    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"zstd\",\"clevel\":5,\"shuffle\":\"bitshuffle\",\"typesize\":4,"
    "\"blocksize\":0}}",
    ",{\"name\":\"numcodecs.bz2\",\"configuration\":{\"level\":1}}",
    ",{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":1,\"check\":-1,\"preset\":1,\"filters\":null}}",
    ",{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":6}}",
    ",{\"name\":\"gzip\",\"configuration\":{\"level\":6}},{\"name\":\"zstd\",\"configuration\":{\"level\":3,"
    "\"checksum\":"
    "false}}",
    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\",\"typesize\":4,"
    "\"blocksize\":0}},{\"name\":\"gzip\",\"configuration\":{\"level\":1}},{\"name\":\"numcodecs.bz2\","
    "\"configuration\":{\"level\":1}}",
};

/* What "blosc" as a chain of its own needs to be told; `%lu` is the type size. */
#define BLOSC_OF_TYPESIZE                                                                                              \
  ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"%s\",\"typesize\":%lu,"        \
  "\"blocksize\":0}}"

/* Words of code units of all sizes, so that a chunk has something to compress. */
static void fill_units(unsigned char *units, size_t length_bytes, size_t count) {
  static const uint32_t alphabet[] = {'z', 'n', '5', ' ', 0xE9, 0x416, 0x65E5, 0x8A9E, 0x1F600};
  const size_t capacity = length_bytes / 4;
  uint32_t seed = 5;
  size_t element, place;
  for (element = 0; element < count; element++) {
    size_t used = next_random(&seed) % (capacity + 1);
    for (place = 0; place < capacity; place++)
      store_unit(units + element * length_bytes + 4 * place,
                 place < used ? alphabet[next_random(&seed) % COUNT(alphabet)] : 0, ZN5_ENDIAN_NATIVE);
  }
}

/* The stored chunk of `native` elements: their units, or numbers, in the byte order of the chain. */
static void to_stored(unsigned char *bytes, size_t len, size_t unit_size, zn5_endian endian) {
  if (endian != ZN5_ENDIAN_NATIVE)
    reverse_elements(bytes, len, unit_size);
}

/* A chunk there and back, and a box from its middle; without compressors also what is stored, to the byte. */
static void check_chunk(const zn5_codec *codec, const unsigned char *array, const uint64_t shape[2], size_t unit_size,
                        zn5_endian endian, int compressed) {
  const size_t size = zn5_codec_element_size(codec), array_len = (size_t)(shape[0] * shape[1]) * size;
  uint64_t offset[2], extent[2], index[2];
  unsigned char *decoded = (unsigned char *)allocate(array_len), *stored = (unsigned char *)allocate(array_len);
  guarded box;
  size_t len;
  unsigned char *block = encode_chunk(codec, array, array_len, &len);
  if (!compressed && CHECK_EQUAL(array_len, len)) {
    memcpy(stored, array, array_len);
    to_stored(stored, array_len, unit_size, endian);
    CHECK_BYTES(stored, block, len);
  }
  CHECK_STATUS(ZN5_OK, decode_guarded(codec, block, len, NULL, decoded, array_len, ERR));
  CHECK_BYTES(array, decoded, array_len);

  for (index[0] = 0; index[0] < 2; index[0]++) {
    offset[index[0]] = shape[index[0]] / 3;
    extent[index[0]] = shape[index[0]] - offset[index[0]] - (shape[index[0]] > 2 ? 1 : 0);
  }
  box = guard_after((size_t)(extent[0] * extent[1]) * size);
  CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, offset, extent, box.bytes, box.len, 0, NULL, ERR));
  for (index[0] = 0; index[0] < extent[0]; index[0]++)
    CHECK_BYTES(array + (size_t)((offset[0] + index[0]) * shape[1] + offset[1]) * size,
                box.bytes + (size_t)(index[0] * extent[1]) * size, (size_t)extent[1] * size);
  GUARD_FREE(box);

  /* A cut chunk is never taken for a whole one. */
  if (len > 0)
    CHECK(zn5_decode_block(codec, block, len - 1, NULL, decoded, array_len, NULL) != ZN5_OK);
  free(block);
  free(stored);
  free(decoded);
}

static void strings_of(size_t length_bytes, zn5_endian endian, const char *chain) {
  const uint64_t shape[2] = {3, 4};
  const size_t array_len = 12 * length_bytes;
  unsigned char *array = (unsigned char *)allocate(array_len);
  char json[2048];
  zn5_codec *codec;
  set_case("length_bytes %lu, %s, chain%s", (unsigned long)length_bytes, endian_name(endian), chain);
  string_zarr_json(json, sizeof json, length_bytes, 2, shape, shape, endian, chain, "\"\"");
  codec = codec_from_zarr(json, NULL);
  CHECK_EQUAL(length_bytes, zn5_codec_element_size(codec));
  fill_units(array, length_bytes, 12);
  check_chunk(codec, array, shape, 4, endian, *chain != '\0');
  zn5_codec_free(codec);
  free(array);
}

static void strings_of_all_lengths(void) {
  static const size_t lengths[] = {4, 8, 48, 252, 256, 260, 1020, 1024, 65532, 65536};
  char chain[512];
  size_t length, order, i;
  for (length = 0; length < COUNT(lengths); length++)
    for (order = 0; order < COUNT(both_endians); order++) {
      for (i = 0; i < COUNT(all_chains); i++)
        strings_of(lengths[length], both_endians[order], all_chains[i]);
      /* Blosc knows no elements of more than 255 bytes; others write their size all the same. */
      for (i = 0; i < 3; i++) {
        static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
        snprintf(chain, sizeof chain, BLOSC_OF_TYPESIZE, shuffles[i], (unsigned long)lengths[length]);
        strings_of(lengths[length], both_endians[order], chain);
      }
    }
}

static void numbers(const char *data_type, zn5_endian endian, const char *chain) {
  const uint64_t shape[2] = {5, 7};
  char json[2048], name[32];
  unsigned char array[35 * 8];
  zn5_codec *codec;
  size_t size;
  set_case("%s, %s, chain%s", data_type, endian_name(endian), chain);
  snprintf(name, sizeof name, "\"%s\"", data_type);
  zarr_json(json, sizeof json, name, 2, shape, shape, endian, chain, "0");
  codec = codec_from_zarr(json, NULL);
  size = zn5_codec_element_size(codec);
  REQUIRE(size <= 8);
  fill_runs(array, 35 * size, (uint32_t)size);
  check_chunk(codec, array, shape, size, endian, *chain != '\0');
  zn5_codec_free(codec);
}

static void numbers_of_all_types(void) {
  size_t type, order, i;
  for (type = 0; type < COUNT(n5_data_types); type++)
    for (order = 0; order < COUNT(both_endians); order++)
      for (i = 0; i < COUNT(all_chains); i++)
        numbers(n5_data_types[type], both_endians[order], all_chains[i]);
}

/* `to_json` gives the chain as an array of codecs, from which the same codec can be made again. */
static void chains_are_told(void) {
  const uint64_t shape[1] = {3};
  size_t i, needed;
  for (i = 0; i < COUNT(all_chains); i++) {
    char json[2048], codecs[1000], again[1000];
    zn5_codec *codec;
    set_case("to_json, chain%s", all_chains[i]);
    string_zarr_json(json, sizeof json, 400, 1, shape, shape, ZN5_ENDIAN_BIG, all_chains[i], "\"\"");
    codec = codec_from_zarr(json, NULL);
    CHECK_STATUS(ZN5_OK, zn5_codec_to_json(codec, codecs, sizeof codecs - 1, &needed, ERR));
    codecs[needed] = '\0';
    zn5_codec_free(codec);
    CHECK(codecs[0] == '[' && strstr(codecs, "\"endian\":\"big\"") != NULL);
    snprintf(strstr(json, "\"codecs\":"), 1024, "\"codecs\":%s}", codecs);
    codec = codec_from_zarr(json, NULL);
    CHECK_STATUS(ZN5_OK, zn5_codec_to_json(codec, again, sizeof again - 1, &needed, ERR));
    again[needed] = '\0';
    CHECK_TEXT(codecs, again);
    zn5_codec_free(codec);
  }
}

/* Regions of an image with flipped and spread strides, in which an element is many code units. */
static void boxes_of_strings(void) {
  const uint64_t shape[2] = {3, 4}, extent[2] = {3, 4};
  const size_t size = 400, row = 5 * size;
  const ptrdiff_t strides[2] = {(ptrdiff_t)row, -(ptrdiff_t)size};
  char json[2048];
  unsigned char *array = (unsigned char *)allocate(12 * size), *block, *again;
  size_t chain, len, again_len, y, x;
  fill_units(array, size, 12);
  for (chain = 0; chain < COUNT(all_chains); chain++) {
    guarded image = guard_after(3 * row);
    zn5_codec *codec;
    uint64_t bound = 0;
    set_case("flipped image, chain%s", all_chains[chain]);
    string_zarr_json(json, sizeof json, size, 2, shape, shape, ZN5_ENDIAN_BIG, all_chains[chain], "\"\"");
    codec = codec_from_zarr(json, NULL);
    block = encode_chunk(codec, array, 12 * size, &len);
    CHECK_STATUS(ZN5_OK, zn5_decode_region(codec, block, len, NULL, NULL, extent, image.bytes, image.len, 4 * size,
                                           strides, ERR));
    for (y = 0; y < 3; y++) {
      for (x = 0; x < 4; x++)
        CHECK_BYTES(array + (y * 4 + x) * size, image.bytes + y * row + (4 - x) * size, size);
      for (x = 0; x < size; x++)
        CHECK(image.bytes[y * row + x] == GUARD_PATTERN);
    }
    REQUIRE_OK(zn5_codec_encode_bound(codec, NULL, &bound, ERR));
    again = (unsigned char *)allocate((size_t)bound);
    CHECK_STATUS(ZN5_OK, zn5_encode_region(codec, NULL, image.bytes, image.len, 4 * size, strides, again, (size_t)bound,
                                           &again_len, ERR));
    if (CHECK_EQUAL(len, again_len))
      CHECK_BYTES(block, again, len);
    GUARD_FREE(image);
    free(again);
    free(block);
    zn5_codec_free(codec);
  }
  free(array);
}

int main(void) {
  strings_of_all_lengths();
  numbers_of_all_types();
  chains_are_told();
  boxes_of_strings();
  return test_result();
}
