/* Status numbers never change and all have a name and a message; error objects answer for themselves, and NULL for
 * success. */
#include "support.h"

#define STATUS(number, name)                                                                                           \
  { number, ZN5_##name, "ZN5_" #name }

static const struct {
  zn5_status number, value;
  const char *name;
} statuses[] = {
    STATUS(0, OK),
    STATUS(101, ERROR_NULL_POINTER),
    STATUS(102, ERROR_INVALID_ARGUMENT),
    STATUS(103, ERROR_BUFFER_TOO_SMALL),
    STATUS(104, ERROR_SIZE_MISMATCH),
    STATUS(105, ERROR_BUFFERS_OVERLAP),
    STATUS(106, ERROR_INVALID_UTF8),
    STATUS(201, ERROR_INVALID_JSON),
    STATUS(202, ERROR_INVALID_METADATA),
    STATUS(203, ERROR_UNSUPPORTED_DATA_TYPE),
    STATUS(204, ERROR_UNSUPPORTED_CODEC),
    STATUS(205, ERROR_UNSUPPORTED_COMPRESSION),
    STATUS(206, ERROR_NOT_REPRESENTABLE),
    STATUS(207, ERROR_NOT_AN_ARRAY),
    STATUS(301, ERROR_EMPTY_BLOCK),
    STATUS(302, ERROR_TRUNCATED_BLOCK),
    STATUS(303, ERROR_UNSUPPORTED_BLOCK_MODE),
    STATUS(304, ERROR_DIMENSION_MISMATCH),
    STATUS(305, ERROR_INVALID_BLOCK_SHAPE),
    STATUS(306, ERROR_CORRUPT_PAYLOAD),
    STATUS(307, ERROR_PAYLOAD_SIZE_MISMATCH),
    STATUS(308, ERROR_TRAILING_DATA),
    STATUS(309, ERROR_LIMIT_EXCEEDED),
    STATUS(401, ERROR_STRING_TOO_LONG),
    STATUS(402, ERROR_INVALID_CODE_POINT),
    STATUS(403, ERROR_INVALID_LENGTH),
    STATUS(501, ERROR_NOT_FOUND),
    STATUS(502, ERROR_ALREADY_EXISTS),
    STATUS(503, ERROR_PERMISSION),
    STATUS(504, ERROR_IO),
    STATUS(505, ERROR_READ_ONLY),
    STATUS(506, ERROR_CANCELLED),
    STATUS(901, ERROR_OUT_OF_MEMORY),
    STATUS(902, ERROR_PANIC),
    STATUS(903, ERROR_INTERNAL),
};

static void names(void) {
  static const zn5_status unknown[] = {-1, 1, 100, 107, 208, 310, 404, 507, 904, INT32_MAX, INT32_MIN};
  size_t i, k;
  for (i = 0; i < COUNT(statuses); i++) {
    set_case("%s", statuses[i].name);
    CHECK_EQUAL(statuses[i].number, statuses[i].value);
    CHECK_TEXT(statuses[i].name, zn5_status_name(statuses[i].value));
    CHECK(zn5_status_message(statuses[i].value)[0] != '\0');
    for (k = 0; k < i; k++)
      CHECK(strcmp(zn5_status_message(statuses[i].value), zn5_status_message(statuses[k].value)) != 0);
  }
  for (i = 0; i < COUNT(unknown); i++) {
    set_case("status %d", (int)unknown[i]);
    CHECK_TEXT("", zn5_status_name(unknown[i]));
    CHECK_TEXT("unknown status", zn5_status_message(unknown[i]));
  }
}

static void no_object(void) {
  set_case("the error object NULL");
  CHECK_EQUAL(ZN5_OK, zn5_error_status(NULL));
  CHECK_TEXT("", zn5_error_message(NULL));
  CHECK_EQUAL(-1, zn5_error_offset(NULL));
  CHECK_EQUAL(0, zn5_error_native_code(NULL));
  zn5_error_free(NULL);
  zn5_codec_free(NULL);
}

/* Says where in the block the fault is, and what the compression library called it. */
static void object(void) {
  static const char text[] =
      "{\"dimensions\":[4],\"blockSize\":[4],\"dataType\":\"uint8\",\"compression\":{\"type\":\"zstd\"}}";
  static const unsigned char cut[] = {0, 0, 0, 1, 0, 0};
  static const unsigned char corrupt[] = {0, 0, 0, 1, 0, 0, 0, 4, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0xff, 0xff, 0xff, 1};
  zn5_codec *codec = codec_from_attributes(text, NULL);
  unsigned char dst[4];
  zn5_error *error = NULL, *first;
  zn5_status status;

  set_case("a cut header");
  status = zn5_decode_block(codec, cut, sizeof cut, NULL, dst, sizeof dst, &error);
  CHECK_EQUAL(ZN5_ERROR_TRUNCATED_BLOCK, status);
  CHECK_EQUAL(status, zn5_error_status(error));
  CHECK_EQUAL(sizeof cut, zn5_error_offset(error));
  CHECK_EQUAL(0, zn5_error_native_code(error));
  first = error;

  set_case("a corrupt payload");
  status = zn5_decode_block(codec, corrupt, sizeof corrupt, NULL, dst, sizeof dst, &error);
  CHECK_EQUAL(ZN5_ERROR_CORRUPT_PAYLOAD, status);
  CHECK(error != first);
  CHECK(zn5_error_offset(error) >= 8 && zn5_error_offset(error) <= (int64_t)sizeof corrupt);
  CHECK(zn5_error_native_code(error) != 0);
  /* The older object was overwritten in `error`, not freed. */
  CHECK_EQUAL(ZN5_ERROR_TRUNCATED_BLOCK, zn5_error_status(first));
  zn5_error_free(first);
  zn5_error_free(error);

  set_case("no place for an object");
  CHECK_EQUAL(ZN5_ERROR_EMPTY_BLOCK, zn5_decode_block(codec, NULL, 0, NULL, dst, sizeof dst, NULL));
  zn5_codec_free(codec);
}

int main(void) {
  names();
  no_object();
  object();
  return test_result();
}
