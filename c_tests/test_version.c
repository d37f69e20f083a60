/* Versions: header and library agree, the number is composed as documented, and the library says what it contains. */
#include "support.h"

int main(void) {
  static const char *const compressions[] = {"raw", "gzip", "bzip2", "xz", "lz4", "blosc", "zstd"};
  static const char *const others[] = {"jpeg", "", "GZIP", "gzip ", "zlib", "lzma", "\xff"};
  char text[64];
  size_t i;

  CHECK_EQUAL(ZN5_VERSION_NUMBER, zn5_version_number());
  CHECK_EQUAL(ZN5_VERSION_MAJOR * 10000 + ZN5_VERSION_MINOR * 100 + ZN5_VERSION_PATCH, ZN5_VERSION_NUMBER);
  snprintf(text, sizeof text, "%d.%d.%d", ZN5_VERSION_MAJOR, ZN5_VERSION_MINOR, ZN5_VERSION_PATCH);
  CHECK_TEXT(text, ZN5_VERSION_STRING);
  CHECK_TEXT(text, zn5_version_string());

  CHECK(strstr(zn5_build_info(), text) != NULL);
  CHECK(strstr(zn5_build_info(), "zstd") != NULL);
  CHECK(strchr(zn5_build_info(), '\n') == NULL);
  CHECK(zn5_build_info() == zn5_build_info());

  for (i = 0; i < COUNT(compressions); i++) {
    set_case("%s", compressions[i]);
    CHECK_EQUAL(1, zn5_compression_available(compressions[i]));
  }
  for (i = 0; i < COUNT(others); i++) {
    set_case("\"%s\"", others[i]);
    CHECK_EQUAL(0, zn5_compression_available(others[i]));
  }
  CHECK_EQUAL(0, zn5_compression_available(NULL));
  return test_result();
}
