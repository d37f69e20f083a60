/*
 * png.h: writes a picture as a PNG file, for the examples. It needs nothing but the C library, so it does not compress.
 */
#ifndef ZN5_EXAMPLES_PNG_H
#define ZN5_EXAMPLES_PNG_H

#include <stdint.h>

/*
 * Writes `height` rows of `width` pixels, top row first, each pixel of `channels` bytes: 1 for grey, 3 for RGB.
 * Returns 0, or -1 with errno set. A file of that name is overwritten.
 */
int png_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels);

#endif
