/* A program with compression functions of its own, under the names of the libraries inside zn5, which abort when they
 * are called: zn5 must use its own, and must leave the program's names to the program. Encodes and decodes by every
 * compressor.
 */

#include <zn5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAP(name)                                                                                                     \
  void name(void);                                                                                                     \
  void name(void) {                                                                                                    \
    fputs("zn5 called the host's " #name "\n", stderr);                                                                \
    abort();                                                                                                           \
  }

/* zlib */
TRAP(inflate)
TRAP(inflateInit_)
TRAP(inflateInit2_)
TRAP(inflateEnd)
TRAP(deflate)
TRAP(deflateInit_)
TRAP(deflateInit2_)
TRAP(deflateEnd)
TRAP(compress2)
TRAP(uncompress)
TRAP(crc32)
TRAP(adler32)
/* libdeflate */
TRAP(libdeflate_alloc_compressor)
TRAP(libdeflate_alloc_decompressor)
TRAP(libdeflate_gzip_compress)
TRAP(libdeflate_gzip_decompress_ex)
TRAP(libdeflate_zlib_decompress_ex)
TRAP(libdeflate_deflate_decompress_ex)
/* zstd */
TRAP(ZSTD_createCCtx)
TRAP(ZSTD_createDCtx)
TRAP(ZSTD_compress)
TRAP(ZSTD_compress2)
TRAP(ZSTD_compressCCtx)
TRAP(ZSTD_decompress)
TRAP(ZSTD_decompressDCtx)
TRAP(ZSTD_decompressStream)
TRAP(ZSTD_isError)
/* bzip2 */
TRAP(BZ2_bzCompressInit)
TRAP(BZ2_bzCompress)
TRAP(BZ2_bzDecompressInit)
TRAP(BZ2_bzDecompress)
/* liblzma */
TRAP(lzma_code)
TRAP(lzma_end)
TRAP(lzma_easy_encoder)
TRAP(lzma_stream_decoder)
TRAP(lzma_crc64)
/* lz4 and xxhash */
TRAP(LZ4_compress_default)
TRAP(LZ4_compress_fast)
TRAP(LZ4_compress_HC)
TRAP(LZ4_decompress_safe)
TRAP(XXH32)
TRAP(XXH64)
/* c-blosc */
TRAP(blosc_init)
TRAP(blosc_compress_ctx)
TRAP(blosc_decompress)
TRAP(blosc_decompress_ctx)
TRAP(blosc_getitem)
TRAP(blosc_cbuffer_validate)

static const char *const compressions[] = {
    "{\"type\":\"raw\"}",
    "{\"type\":\"gzip\",\"level\":6,\"useZlib\":false}",
    "{\"type\":\"gzip\",\"level\":6,\"useZlib\":true}",
    "{\"type\":\"bzip2\",\"blockSize\":9}",
    "{\"type\":\"xz\",\"preset\":6}",
    "{\"type\":\"lz4\",\"blockSize\":65536}",
    "{\"type\":\"blosc\",\"cname\":\"blosclz\",\"clevel\":6,\"shuffle\":1,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":6,\"shuffle\":1,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"lz4hc\",\"clevel\":6,\"shuffle\":2,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"zlib\",\"clevel\":6,\"shuffle\":1,\"blocksize\":0}",
    "{\"type\":\"blosc\",\"cname\":\"zstd\",\"clevel\":6,\"shuffle\":0,\"blocksize\":0}",
    "{\"type\":\"zstd\",\"level\":3}",
};

enum { extent = 64, element_count = extent * extent };

static int round_trip(const char *compression) {
  static uint16_t original[element_count], decoded[element_count];
  static unsigned char block[4 * sizeof original];
  char attributes[256];
  size_t block_len = 0;
  zn5_codec *codec = NULL;
  zn5_error *error = NULL;
  int failed = 1, i;

  for (i = 0; i < element_count; i++) {
    original[i] = (uint16_t)(i / extent * 3 + i % extent / 5);
  }
  memset(decoded, 0, sizeof decoded);
  sprintf(attributes, "{\"dimensions\":[%d,%d],\"blockSize\":[%d,%d],\"dataType\":\"uint16\",\"compression\":%s}",
          extent, extent, extent, extent, compression);

  if (zn5_codec_from_n5_attributes(attributes, strlen(attributes), NULL, &codec, &error) != ZN5_OK ||
      zn5_encode_block(codec, NULL, original, sizeof original, block, sizeof block, &block_len, &error) != ZN5_OK ||
      zn5_decode_block(codec, block, block_len, NULL, decoded, sizeof decoded, &error) != ZN5_OK) {
    fprintf(stderr, "%s: %s\n", compression, zn5_error_message(error));
  } else if (memcmp(original, decoded, sizeof original) != 0) {
    fprintf(stderr, "%s: decodes to other values than were encoded\n", compression);
  } else if (block_len >= sizeof original && strcmp(zn5_codec_compression(codec), "raw") != 0) {
    fprintf(stderr, "%s: did not compress, so it proves nothing\n", compression);
  } else {
    failed = 0;
  }
  zn5_error_free(error);
  zn5_codec_free(codec);
  return failed;
}

int main(void) {
  int failures = 0;
  size_t i;

  for (i = 0; i < sizeof compressions / sizeof *compressions; i++) {
    failures += round_trip(compressions[i]);
  }
  return failures != 0;
}
