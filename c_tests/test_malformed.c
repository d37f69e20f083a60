/* Every malformed vector ends with the status that malformed.h gives it, by default and strictly; where a vector is
 * accepted, its bytes are the ones that the manifest allows. */
#include "support.h"

#include "malformed.h"

static const malformed_case *find(const char *id) {
  size_t i;
  for (i = 0; i < COUNT(malformed_cases); i++)
    if (strcmp(malformed_cases[i].id, id) == 0)
      return &malformed_cases[i];
  return NULL;
}

static void check_vector(char *line) {
  const char *id = next_field(&line), *folder = next_field(&line), *key = next_field(&line);
  uint64_t shape[TEST_MAX_NDIM];
  uint32_t ndim = parse_extents(next_field(&line), shape), order;
  size_t size = (size_t)strtoul(next_field(&line), NULL, 10), len = (size_t)product(shape, ndim) * size;
  size_t accepted_len, json_len, block_len;
  unsigned char *accepted[2], *block, *decoded = (unsigned char *)allocate(len);
  char path[1024], *json;
  const malformed_case *row = find(id);
  int strict;

  set_case("%s", id);
  REQUIRE(row != NULL);
  accepted[0] = from_hex(next_field(&line), &accepted_len);
  accepted[1] = (unsigned char *)allocate(len);
  if (accepted_len != 0) {
    REQUIRE(accepted_len == len);
    if (!is_little_endian())
      reverse_elements(accepted[0], len, size);
    to_order_f(accepted[1], accepted[0], shape, ndim, size);
  }
  format_path(path, "%s/%s/attributes.json", vectors_folder(), folder);
  json = (char *)require_file(path, &json_len);
  format_path(path, "%s/%s/%s", vectors_folder(), folder, key);
  block = require_file(path, &block_len);

  for (strict = 0; strict <= 1; strict++)
    for (order = ZN5_ORDER_C; order <= ZN5_ORDER_F; order++) {
      zn5_status expected = strict ? row->strict : row->expected;
      zn5_codec_options options = strict ? strict_options() : default_options();
      zn5_codec *codec = NULL;
      set_case("%s%s, %s order", id, strict ? ", strict" : "", order == ZN5_ORDER_C ? "C" : "F");
      options.order = order;
      REQUIRE_OK(zn5_codec_from_n5_attributes(json, json_len, &options, &codec, ERR));
      if (CHECK_STATUS(expected, decode_guarded(codec, block, block_len, NULL, decoded, len, ERR)) &&
          expected == ZN5_OK) {
        CHECK_EQUAL(len, accepted_len);
        CHECK_BYTES(accepted[order], decoded, accepted_len);
      }
      zn5_codec_free(codec);
    }
  free(block);
  free(json);
  free(accepted[0]);
  free(accepted[1]);
  free(decoded);
}

int main(void) {
  int count = for_each_vector("malformed", check_vector);
  set_case("%s", "");
  CHECK_EQUAL(COUNT(malformed_cases), count);
  return test_result();
}
