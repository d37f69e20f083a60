/* A C program that uses an installed zn5: decodes three blocks, and checks that header and library are of one version.
 */

#include "cases.h"

#include <zn5.h>

#include <stdio.h>
#include <string.h>

static int check(const block_case *test) {
  uint16_t decoded[block_case_most_elements];
  size_t expected_len = test->expected_count * sizeof *decoded;
  zn5_codec *codec = NULL;
  zn5_error *error = NULL;
  int failed = 1;

  if (zn5_codec_from_n5_attributes(test->attributes, strlen(test->attributes), NULL, &codec, &error) != ZN5_OK ||
      zn5_decode_block(codec, test->block, test->block_len, NULL, decoded, expected_len, &error) != ZN5_OK) {
    fprintf(stderr, "%s: %s\n", test->name, zn5_error_message(error));
  } else if (memcmp(decoded, test->expected, expected_len) != 0) {
    fprintf(stderr, "%s: wrong values\n", test->name);
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

  for (i = 0; i < block_case_count; i++) {
    failures += check(&block_cases[i]);
  }
  if (zn5_version_number() != ZN5_VERSION_NUMBER || strcmp(zn5_version_string(), ZN5_VERSION_STRING) != 0) {
    fprintf(stderr, "the header is of %s, the library of %s\n", ZN5_VERSION_STRING, zn5_version_string());
    failures++;
  }
  return failures != 0;
}
