/* What callers get wrong with fixed_length_utf32: buffers that are too small, lengths, byte orders, offsets. Each gets
 * the documented status, results are written on success only, and no byte outside the buffers is touched. */
#include "support.h"
#include "utf32.h"

#define LE ZN5_ENDIAN_LITTLE
#define UNTOUCHED 7777

static const char ab[] = "ab";
static const unsigned char element_ab[12] = {'a', 0, 0, 0, 'b'};

/* ---- NULL ---- */

/* NULL goes with length 0, and no error object need be asked for. */
static void null_where_nothing_is(void) {
  static const unsigned char zeros[12] = {0};
  unsigned char element[12];
  uint64_t offsets[2] = {0, 0};
  size_t needed = UNTOUCHED;
  set_case("NULL with length 0");
  memset(element, 1, sizeof element);
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode(NULL, 0, LE, element, 12, ERR));
  CHECK_BYTES(zeros, element, 12);
  memset(element, 1, sizeof element);
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode_array(NULL, 0, offsets, 1, LE, 12, element, 12, ERR));
  CHECK_BYTES(zeros, element, 12);
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode_array(NULL, 0, offsets, 0, LE, 12, NULL, 0, ERR));
  offsets[0] = UNTOUCHED;
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(NULL, 0, 0, LE, 12, NULL, 0, offsets, &needed, ERR));
  CHECK_EQUAL(0, needed);
  CHECK_EQUAL(0, offsets[0]);
  CHECK_EQUAL(0, offsets[1]);
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(NULL, 0, 0, LE, 12, NULL, 0, NULL, &needed, ERR));
  needed = UNTOUCHED;
  CHECK_STATUS(ZN5_OK, zn5_utf32_validate(NULL, 0, 0, LE, 12, &needed, ERR));
  CHECK_EQUAL(0, needed);
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_utf32_from_json(NULL, 0, LE, element, 12, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_JSON, zn5_utf32_data_type_parse(NULL, 0, &needed, ERR));
  CHECK_EQUAL(ZN5_OK, zn5_utf32_encode(ab, 2, LE, element, 12, NULL));
  CHECK_EQUAL(ZN5_ERROR_STRING_TOO_LONG, zn5_utf32_encode(ab, 2, LE, element, 4, NULL));
}

/* ---- Lengths and byte orders ---- */

/* All functions that take them, with good arguments otherwise. */
static void check_format(zn5_status expected, size_t length_bytes, zn5_endian endian, size_t count) {
  unsigned char elements[16] = {0};
  uint64_t offsets[3] = {0, 1, 2};
  char text[64];
  size_t needed = UNTOUCHED, array_len = count * length_bytes;
  set_case("length_bytes %lu, endian %lu", (unsigned long)length_bytes, (unsigned long)endian);
  memset(elements, 'x', sizeof elements);
  CHECK_STATUS(expected, zn5_utf32_encode(ab, 1, endian, elements, length_bytes, ERR));
  CHECK_STATUS(expected, zn5_utf32_decode(elements, length_bytes, endian, text, 64, &needed, ERR));
  CHECK_STATUS(expected, zn5_utf32_encode_array(ab, 2, offsets, count, endian, length_bytes, elements, 16, ERR));
  CHECK_STATUS(expected, zn5_utf32_decode_array(elements, array_len, count, endian, length_bytes, text, 64, offsets,
                                                &needed, ERR));
  CHECK_STATUS(expected, zn5_utf32_validate(elements, array_len, count, endian, length_bytes, &needed, ERR));
  CHECK_STATUS(expected, zn5_utf32_from_json("\"a\"", 3, endian, elements, length_bytes, ERR));
  CHECK_STATUS(expected, zn5_utf32_to_json(elements, length_bytes, endian, text, 64, &needed, ERR));
  CHECK_STATUS(expected, zn5_utf32_numpy_dtype(length_bytes, endian, text, 64, &needed, ERR));
  CHECK_EQUAL(UNTOUCHED, needed);
  CHECK(elements[0] == 'x' && memcmp(elements, elements + 1, sizeof elements - 1) == 0);
}

static void lengths_and_byte_orders(void) {
  static const size_t wrong_lengths[] = {0, 1, 2, 3, 5, 6, 7};
  static const zn5_endian wrong_orders[] = {0, 3, 4, 0x80000001u, 0xFFFFFFFFu};
  size_t i, needed = UNTOUCHED;
  char text[64];
  for (i = 0; i < COUNT(wrong_lengths); i++) {
    check_format(ZN5_ERROR_INVALID_LENGTH, wrong_lengths[i], ZN5_ENDIAN_LITTLE, 2);
    check_format(ZN5_ERROR_INVALID_LENGTH, wrong_lengths[i], ZN5_ENDIAN_BIG, 0);
    CHECK_STATUS(ZN5_ERROR_INVALID_LENGTH, zn5_utf32_data_type_json(wrong_lengths[i], text, 64, &needed, ERR));
    CHECK_EQUAL(UNTOUCHED, needed);
  }
  for (i = 0; i < COUNT(wrong_orders); i++)
    check_format(ZN5_ERROR_INVALID_ARGUMENT, 8, wrong_orders[i], 2);
  check_format(ZN5_ERROR_LIMIT_EXCEEDED, (size_t)PTRDIFF_MAX + 1, ZN5_ENDIAN_BIG, 0);
}

/* ---- Sizes that cannot be ---- */

static void counts_that_overflow(void) {
  static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 12 + 1, (size_t)PTRDIFF_MAX / 12 + 1};
  unsigned char element[12] = {0};
  uint64_t offsets[2] = {0, 0};
  char text[12];
  size_t needed = UNTOUCHED, i;
  set_case("counts that overflow");
  for (i = 0; i < COUNT(counts); i++) {
    const size_t wrapped = counts[i] * 12;
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_utf32_encode_array(ab, 2, offsets, counts[i], LE, 12, element, 12, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED,
                 zn5_utf32_decode_array(element, wrapped, counts[i], LE, 12, text, 12, offsets, &needed, ERR));
    CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_utf32_validate(element, wrapped, counts[i], LE, 12, &needed, ERR));
  }
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_utf32_encode(ab, (size_t)PTRDIFF_MAX + 1, LE, element, 12, ERR));
  CHECK_STATUS(ZN5_ERROR_LIMIT_EXCEEDED, zn5_utf32_from_json(ab, SIZE_MAX, LE, NULL, 12, ERR));
  CHECK_EQUAL(UNTOUCHED, needed);
}

static void array_sizes_are_exact(void) {
  unsigned char elements[36] = {0};
  uint64_t offsets[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
  char text[36];
  size_t needed = UNTOUCHED, len;
  set_case("src_len of two elements");
  for (len = 0; len <= sizeof elements; len++) {
    if (len == 24)
      continue;
    CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH,
                 zn5_utf32_decode_array(elements, len, 2, LE, 12, text, sizeof text, offsets, &needed, ERR));
    CHECK_STATUS(ZN5_ERROR_SIZE_MISMATCH, zn5_utf32_validate(elements, len, 2, LE, 12, &needed, ERR));
  }
  CHECK_EQUAL(UNTOUCHED, needed);
  CHECK_EQUAL(UNTOUCHED, offsets[0]);
}

/* ---- Room ---- */

static void check_untouched(const unsigned char *bytes, size_t len) {
  size_t i;
  for (i = 0; i < len; i++)
    if (bytes[i] != GUARD_PATTERN) {
      fail_at(__FILE__, __LINE__, "byte %lu of %lu was written", (unsigned long)i, (unsigned long)len);
      return;
    }
}

/* Every length of dst around what the text needs; what lies behind the text in dst is not touched, and dst not at all
 * if it is too small. */
static void room_for_text(void) {
  static const char json[] = "\"a\\n\xc3\xa9\xf0\x9f\x98\x80\"";
  static const char utf8[] = "a\n\xc3\xa9\xf0\x9f\x98\x80";
  const size_t utf8_len = strlen(utf8), json_len = strlen(json), length_bytes = 80;
  unsigned char element[80];
  size_t room, needed;
  REQUIRE_OK(zn5_utf32_encode(utf8, utf8_len, ZN5_ENDIAN_BIG, element, length_bytes, ERR));
  for (room = 0; room < 40; room++) {
    guarded dst = guard_after(room), offsets = guard_after(2 * sizeof(uint64_t));
    static const uint64_t expected[2] = {0, 8};
    zn5_status status = room < utf8_len ? ZN5_ERROR_BUFFER_TOO_SMALL : ZN5_OK;
    set_case("room for %lu bytes", (unsigned long)room);
    needed = UNTOUCHED;
    CHECK_STATUS(status,
                 zn5_utf32_decode(element, length_bytes, ZN5_ENDIAN_BIG, (char *)dst.bytes, room, &needed, ERR));
    CHECK_EQUAL(utf8_len, needed);
    CHECK_BYTES(utf8, dst.bytes, status == ZN5_OK ? utf8_len : 0);
    check_untouched(dst.bytes + (status == ZN5_OK ? utf8_len : 0), room - (status == ZN5_OK ? utf8_len : 0));

    memset(dst.bytes, GUARD_PATTERN, room);
    needed = UNTOUCHED;
    CHECK_STATUS(status,
                 zn5_utf32_decode_array(element, length_bytes, 1, ZN5_ENDIAN_BIG, length_bytes, (char *)dst.bytes, room,
                                        (uint64_t *)(void *)offsets.bytes, &needed, ERR));
    CHECK_EQUAL(utf8_len, needed);
    CHECK_BYTES(utf8, dst.bytes, status == ZN5_OK ? utf8_len : 0);
    check_untouched(dst.bytes + (status == ZN5_OK ? utf8_len : 0), room - (status == ZN5_OK ? utf8_len : 0));
    if (status == ZN5_OK)
      CHECK_BYTES(expected, offsets.bytes, sizeof expected);
    else
      check_untouched(offsets.bytes, offsets.len);

    memset(dst.bytes, GUARD_PATTERN, room);
    status = room < json_len ? ZN5_ERROR_BUFFER_TOO_SMALL : ZN5_OK;
    needed = UNTOUCHED;
    CHECK_STATUS(status,
                 zn5_utf32_to_json(element, length_bytes, ZN5_ENDIAN_BIG, (char *)dst.bytes, room, &needed, ERR));
    CHECK_EQUAL(json_len, needed);
    CHECK_BYTES(json, dst.bytes, status == ZN5_OK ? json_len : 0);
    check_untouched(dst.bytes + (status == ZN5_OK ? json_len : 0), room - (status == ZN5_OK ? json_len : 0));
    GUARD_FREE(dst);
    GUARD_FREE(offsets);
  }
}

static void room_for_names(void) {
  static const char data_type[] = "{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":48}}";
  static const char dtype[] = ">U12";
  size_t room, needed;
  for (room = 0; room < sizeof data_type + 2; room++) {
    guarded dst = guard_after(room);
    size_t len = strlen(dtype);
    zn5_status status = room < len ? ZN5_ERROR_BUFFER_TOO_SMALL : ZN5_OK;
    set_case("names in %lu bytes", (unsigned long)room);
    CHECK_STATUS(status, zn5_utf32_numpy_dtype(48, ZN5_ENDIAN_BIG, (char *)dst.bytes, room, &needed, ERR));
    CHECK_EQUAL(len, needed);
    CHECK_BYTES(dtype, dst.bytes, status == ZN5_OK ? len : 0);
    check_untouched(dst.bytes + (status == ZN5_OK ? len : 0), room - (status == ZN5_OK ? len : 0));
    memset(dst.bytes, GUARD_PATTERN, room);
    len = strlen(data_type);
    status = room < len ? ZN5_ERROR_BUFFER_TOO_SMALL : ZN5_OK;
    CHECK_STATUS(status, zn5_utf32_data_type_json(48, (char *)dst.bytes, room, &needed, ERR));
    CHECK_EQUAL(len, needed);
    CHECK_BYTES(data_type, dst.bytes, status == ZN5_OK ? len : 0);
    check_untouched(dst.bytes + (status == ZN5_OK ? len : 0), room - (status == ZN5_OK ? len : 0));
    GUARD_FREE(dst);
  }
}

/* dst NULL with dst_len 0. Offsets may be given or not; there is nothing to put into them yet. */
static void the_size_is_told(void) {
  uint64_t offsets[2] = {UNTOUCHED, UNTOUCHED};
  size_t needed = 0;
  set_case("asking for the size");
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode(element_ab, 12, LE, NULL, 0, &needed, ERR));
  CHECK_EQUAL(2, needed);
  needed = 0;
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(element_ab, 12, 1, LE, 12, NULL, 0, NULL, &needed, ERR));
  CHECK_EQUAL(2, needed);
  needed = 0;
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(element_ab, 12, 1, LE, 12, NULL, 0, offsets, &needed, ERR));
  CHECK_EQUAL(2, needed);
  CHECK_STATUS(ZN5_OK, zn5_utf32_to_json(element_ab, 12, LE, NULL, 0, &needed, ERR));
  CHECK_EQUAL(4, needed);
  CHECK_STATUS(ZN5_OK, zn5_utf32_data_type_json(12, NULL, 0, &needed, ERR));
  CHECK(needed > 40);
  CHECK_STATUS(ZN5_OK, zn5_utf32_numpy_dtype(12, LE, NULL, 0, &needed, ERR));
  CHECK_EQUAL(3, needed);
}

/* Elements are written between guards; one byte too few is noticed before any is written. */
static void room_for_elements(void) {
  static const char utf8[] = "eins\xc3\xa9zwei";
  static const uint64_t offsets[] = {0, 4, 6, 6, 10};
  const size_t array_len = 4 * 16;
  size_t room;
  for (room = 0; room < array_len + 20; room++) {
    guarded dst = guard_after(room), text = guarded_copy(utf8, 10), ends = guarded_copy(offsets, sizeof offsets);
    zn5_status status = room < array_len ? ZN5_ERROR_BUFFER_TOO_SMALL : ZN5_OK;
    set_case("four elements in %lu bytes", (unsigned long)room);
    CHECK_STATUS(status, zn5_utf32_encode_array((const char *)text.bytes, 10, (const uint64_t *)(void *)ends.bytes, 4,
                                                ZN5_ENDIAN_LITTLE, 16, dst.bytes, room, ERR));
    check_untouched(dst.bytes + (status == ZN5_OK ? array_len : 0), room - (status == ZN5_OK ? array_len : 0));
    GUARD_FREE(dst);
    GUARD_FREE(text);
    GUARD_FREE(ends);
  }
}

/* ---- Offsets ---- */

static void offsets_are_checked(void) {
  static const struct {
    zn5_status status;
    size_t count;
    uint64_t offsets[4];
  } cases[] = {
      {ZN5_OK, 3, {0, 1, 2, 6}},
      {ZN5_OK, 3, {0, 0, 0, 0}},
      {ZN5_OK, 3, {6, 6, 6, 6}},
      {ZN5_OK, 3, {2, 3, 3, 5}},
      {ZN5_OK, 1, {3, 6, 0, 0}},
      {ZN5_OK, 0, {0, 0, 0, 0}},
      {ZN5_OK, 0, {6, 0, 0, 0}},
      {ZN5_ERROR_INVALID_ARGUMENT, 0, {7, 0, 0, 0}},
      {ZN5_ERROR_INVALID_ARGUMENT, 0, {UINT64_MAX, 0, 0, 0}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {0, 1, 2, 7}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {0, 2, 1, 6}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {1, 0, 1, 6}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {0, 1, 6, 5}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {7, 7, 7, 7}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {0, 1, UINT64_MAX, 6}},
      {ZN5_ERROR_INVALID_ARGUMENT, 3, {UINT64_MAX, 0, 1, 2}},
      {ZN5_ERROR_INVALID_ARGUMENT, 1, {0, UINT64_MAX, 0, 0}},
      {ZN5_ERROR_INVALID_ARGUMENT, 1, {UINT64_MAX, UINT64_MAX, 0, 0}},
  };
  size_t i, element;
  for (i = 0; i < COUNT(cases); i++) {
    const size_t array_len = cases[i].count * 24;
    guarded text = guarded_copy("abcdef", 6), dst = guard_after(array_len);
    guarded offsets = guarded_copy(cases[i].offsets, (cases[i].count + 1) * sizeof(uint64_t));
    set_case("offsets, case %lu", (unsigned long)i);
    CHECK_STATUS(cases[i].status,
                 zn5_utf32_encode_array((const char *)text.bytes, 6, (const uint64_t *)(void *)offsets.bytes,
                                        cases[i].count, ZN5_ENDIAN_BIG, 24, dst.bytes, array_len, ERR));
    for (element = 0; cases[i].status == ZN5_OK && element < cases[i].count; element++) {
      uint64_t first = cases[i].offsets[element], len = cases[i].offsets[element + 1] - first, at;
      for (at = 0; at < 6; at++)
        CHECK_EQUAL(at < len ? "abcdef"[first + at] : 0, load_unit(dst.bytes + 24 * element + 4 * at, ZN5_ENDIAN_BIG));
    }
    GUARD_FREE(text);
    GUARD_FREE(offsets);
    GUARD_FREE(dst);
  }
}

/* Neither elements nor offsets need be aligned. */
static void nothing_need_be_aligned(void) {
  static const uint64_t offsets[3] = {0, 2, 3};
  size_t shift;
  for (shift = 0; shift < 8; shift++) {
    unsigned char bytes[64], ends[40], decoded_ends[40];
    char text[32];
    size_t needed, found;
    set_case("%lu bytes beside an aligned address", (unsigned long)shift);
    memcpy(ends + shift, offsets, sizeof offsets);
    CHECK_STATUS(ZN5_OK, zn5_utf32_encode_array("abc", 3, (const uint64_t *)(const void *)(ends + shift), 2, LE, 12,
                                                bytes + shift, 24, ERR));
    CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(bytes + shift, 24, 2, LE, 12, text + shift, 3,
                                                (uint64_t *)(void *)(decoded_ends + shift), &needed, ERR));
    CHECK_BYTES("abc", text + shift, 3);
    CHECK_BYTES(offsets, decoded_ends + shift, sizeof offsets);
    CHECK_STATUS(ZN5_OK, zn5_utf32_validate(bytes + shift, 24, 2, LE, 12, &found, ERR));
    CHECK_EQUAL(2, found);
  }
}

/* ---- JSON ---- */

static void json_strings(void) {
  static const struct {
    const char *json;
    zn5_status status;
    const char *utf8; /* what is written on success */
  } cases[] = {
      {"\"\"", ZN5_OK, ""},
      {" \t\r\n\"ab\" \n", ZN5_OK, "ab"},
      {"\"\\\"\\\\\\/\\b\"", ZN5_OK, "\"\\/\b"},
      {"\"\\f\\n\\r\\t\"", ZN5_OK, "\f\n\r\t"},
      {"\"\\u00E9\\ud83D\\uDe00\"", ZN5_OK, "\xc3\xa9\xf0\x9f\x98\x80"},
      {"\"\xc3\xa9\xf0\x9f\x98\x80\x7f\"", ZN5_OK, "\xc3\xa9\xf0\x9f\x98\x80\x7f"},
      {"\"abcde\"", ZN5_ERROR_STRING_TOO_LONG, NULL},
      {"\"a\\u0000\\u0000\\u0000\\u0000\"", ZN5_ERROR_STRING_TOO_LONG, NULL},
      {"\"\\ud800\"", ZN5_ERROR_INVALID_CODE_POINT, NULL},
      {"\"\\udc00\"", ZN5_ERROR_INVALID_CODE_POINT, NULL},
      {"\"\\ud83d\\ud83d\\ude00\"", ZN5_ERROR_INVALID_CODE_POINT, NULL},
      {"\"\\ud83dx\"", ZN5_ERROR_INVALID_CODE_POINT, NULL},
      {"\"\\ud83d\\n\"", ZN5_ERROR_INVALID_CODE_POINT, NULL},
      {"0", ZN5_ERROR_INVALID_METADATA, NULL},
      {"null", ZN5_ERROR_INVALID_METADATA, NULL},
      {"[\"a\"]", ZN5_ERROR_INVALID_METADATA, NULL},
      {"{}", ZN5_ERROR_INVALID_METADATA, NULL},
      {"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"a", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"a\\\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"\\x41\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"\\u12\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"\\u12g4\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"a\tb\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"a\" \"b\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\f\"a\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"a\"\f", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"\xff\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"\xed\xa0\x80\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"\"\xc3\"", ZN5_ERROR_INVALID_JSON, NULL},
      {"'a'", ZN5_ERROR_INVALID_JSON, NULL},
      {"a", ZN5_ERROR_INVALID_JSON, NULL},
  };
  size_t i, needed;
  for (i = 0; i < COUNT(cases); i++) {
    guarded json = guarded_copy(cases[i].json, strlen(cases[i].json)), element = guard_after(16);
    unsigned char expected[16];
    char text[64];
    set_case("the JSON %s", cases[i].json);
    CHECK_STATUS(cases[i].status,
                 zn5_utf32_from_json((const char *)json.bytes, json.len, ZN5_ENDIAN_BIG, element.bytes, 16, ERR));
    if (cases[i].status == ZN5_OK) {
      REQUIRE_OK(zn5_utf32_encode(cases[i].utf8, strlen(cases[i].utf8), ZN5_ENDIAN_BIG, expected, 16, ERR));
      CHECK_BYTES(expected, element.bytes, 16);
      REQUIRE_OK(zn5_utf32_to_json(element.bytes, 16, ZN5_ENDIAN_BIG, text, sizeof text, &needed, ERR));
      CHECK_STATUS(ZN5_OK, zn5_utf32_from_json(text, needed, ZN5_ENDIAN_BIG, element.bytes, 16, ERR));
      CHECK_BYTES(expected, element.bytes, 16);
    }
    GUARD_FREE(json);
    GUARD_FREE(element);
  }
}

int main(void) {
  null_where_nothing_is();
  lengths_and_byte_orders();
  counts_that_overflow();
  array_sizes_are_exact();
  room_for_text();
  room_for_names();
  the_size_is_told();
  room_for_elements();
  offsets_are_checked();
  nothing_need_be_aligned();
  json_strings();
  return test_result();
}
