/*
 * png.c: a PNG writer of the simplest kind: filter 0, and a zlib stream whose deflate blocks are all "stored".
 * Each stored block travels in an IDAT chunk of its own, so that only one block is in memory twice.
 */
#include "png.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORED_MAX 65535u /* bytes that one stored deflate block holds */

static void put_u32(uint8_t *dst, uint32_t value) {
  dst[0] = (uint8_t)(value >> 24);
  dst[1] = (uint8_t)(value >> 16);
  dst[2] = (uint8_t)(value >> 8);
  dst[3] = (uint8_t)value;
}

static uint32_t crc32_update(uint32_t crc, const uint8_t *bytes, size_t len) {
  size_t i;
  int bit;
  for (i = 0; i < len; i++) {
    crc ^= bytes[i];
    for (bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return crc;
}

static uint32_t adler32_update(uint32_t adler, const uint8_t *bytes, size_t len) {
  uint32_t a = adler & 0xFFFFu, b = adler >> 16;
  size_t i;
  for (i = 0; i < len; i++) {
    a = (a + bytes[i]) % 65521u;
    b = (b + a) % 65521u;
  }
  return (b << 16) | a;
}

static int write_chunk(FILE *file, const char *type, const uint8_t *bytes, size_t len) {
  uint8_t head[8], tail[4];
  uint32_t crc;
  put_u32(head, (uint32_t)len);
  memcpy(head + 4, type, 4);
  crc = crc32_update(0xFFFFFFFFu, head + 4, 4);
  put_u32(tail, ~crc32_update(crc, bytes, len));
  if (fwrite(head, 1, 8, file) != 8 || fwrite(bytes, 1, len, file) != len || fwrite(tail, 1, 4, file) != 4)
    return -1;
  return 0;
}

/* The picture as PNG filters it: each row led by the number of its filter, here 0, "none". */
static uint8_t *filter_rows(const uint8_t *pixels, size_t row_len, uint32_t height, size_t *filtered_len) {
  uint8_t *filtered;
  uint32_t y;
  if (row_len >= SIZE_MAX / height) {
    errno = ENOMEM;
    return NULL;
  }
  *filtered_len = (row_len + 1) * height;
  filtered = malloc(*filtered_len);
  if (filtered == NULL)
    return NULL;
  for (y = 0; y < height; y++) {
    filtered[y * (row_len + 1)] = 0;
    memcpy(filtered + y * (row_len + 1) + 1, pixels + y * row_len, row_len);
  }
  return filtered;
}

static int write_image_data(FILE *file, const uint8_t *filtered, size_t filtered_len) {
  uint8_t *chunk = malloc(2 + 5 + STORED_MAX + 4); /* zlib header, block header, block, checksum */
  uint32_t adler = 1;
  size_t done = 0;
  int result = chunk == NULL ? -1 : 0;
  while (result == 0 && done < filtered_len) {
    size_t part = filtered_len - done < STORED_MAX ? filtered_len - done : STORED_MAX;
    int is_last = done + part == filtered_len;
    size_t len = 0;
    if (done == 0) {
      chunk[len++] = 0x78;
      chunk[len++] = 0x01;
    }
    chunk[len++] = (uint8_t)is_last;
    chunk[len++] = (uint8_t)part;
    chunk[len++] = (uint8_t)(part >> 8);
    chunk[len++] = (uint8_t)~part;
    chunk[len++] = (uint8_t)(~part >> 8);
    memcpy(chunk + len, filtered + done, part);
    len += part;
    adler = adler32_update(adler, filtered + done, part);
    if (is_last) {
      put_u32(chunk + len, adler);
      len += 4;
    }
    result = write_chunk(file, "IDAT", chunk, len);
    done += part;
  }
  free(chunk);
  return result;
}

int png_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  uint8_t header[13] = {0};
  uint8_t *filtered;
  size_t filtered_len;
  FILE *file;
  int result = -1;

  if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX || (channels != 1 && channels != 3) ||
      width > SIZE_MAX / channels) {
    errno = EINVAL;
    return -1;
  }
  put_u32(header, width);
  put_u32(header + 4, height);
  header[8] = 8;                     /* bits a sample */
  header[9] = channels == 3 ? 2 : 0; /* colour type: RGB or grey */

  filtered = filter_rows(pixels, (size_t)width * channels, height, &filtered_len);
  if (filtered == NULL)
    return -1;
  file = fopen(path, "wb");
  if (file != NULL) {
    if (fwrite(signature, 1, sizeof signature, file) == sizeof signature &&
        write_chunk(file, "IHDR", header, sizeof header) == 0 && write_image_data(file, filtered, filtered_len) == 0)
      result = write_chunk(file, "IEND", header, 0);
    if (fclose(file) != 0)
      result = -1;
  }
  free(filtered);
  return result;
}
