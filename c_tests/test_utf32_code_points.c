/* Every Unicode scalar value becomes a code unit and text again, in every place of an element and in either byte order;
 * every other unit is refused where it stands. Text is checked against an encoder of this test's own, and so is what
 * zn5 takes for UTF-8. */
#include "support.h"
#include "utf32.h"

#define MAX_UNITS 20
#define POINTS 0x110000u

/* Around every border of what UTF-8 and UTF-32 tell apart. */
static const uint32_t borders[] = {0x01,     0x7F,     0x80,     0xFF,       0x100,     0x7FF,    0x800,
                                   0xFFF,    0x1000,   0xD7FF,   0xD800,     0xDBFF,    0xDC00,   0xDFFF,
                                   0xE000,   0xFFFD,   0xFFFF,   0x10000,    0xFFFFF,   0x100000, 0x10FFFF,
                                   0x110000, 0x1FFFFF, 0x200000, 0x80000000, 0xFFFFFFFF};

/* ---- Alone ---- */

static void one_alone(uint32_t unit, zn5_endian endian) {
  unsigned char element[4], utf8[4], text[4], encoded[4];
  size_t len, needed = 99;
  zn5_status status;
  store_unit(element, unit, endian);
  status = zn5_utf32_decode(element, 4, endian, (char *)text, 4, &needed, NULL);
  if (!is_scalar_value(unit)) {
    if (status != ZN5_ERROR_INVALID_CODE_POINT)
      fail_at(__FILE__, __LINE__, "U+%04lX is %s", (unsigned long)unit, zn5_status_name(status));
    return;
  }
  len = unit == 0 ? 0 : utf8_of(unit, utf8);
  if (status != ZN5_OK || needed != len || memcmp(text, utf8, len) != 0)
    fail_at(__FILE__, __LINE__, "U+%04lX: %s, %lu bytes", (unsigned long)unit, zn5_status_name(status),
            (unsigned long)needed);
  status = zn5_utf32_encode((const char *)utf8, len, endian, encoded, 4, NULL);
  if (status != ZN5_OK || memcmp(encoded, element, 4) != 0)
    fail_at(__FILE__, __LINE__, "U+%04lX: %s", (unsigned long)unit, zn5_status_name(status));
}

static void all_alone(void) {
  const uint32_t step = instrumented() ? 13 : 1;
  uint32_t unit, seed = 1;
  size_t i;
  for (i = 0; i < COUNT(both_endians); i++) {
    set_case("alone, %s", endian_name(both_endians[i]));
    for (unit = 0; unit < POINTS; unit += step)
      one_alone(unit, both_endians[i]);
    for (unit = 0; unit < 100000; unit += step)
      one_alone(POINTS + (next_random(&seed) << 8 | next_random(&seed) % 256), both_endians[i]);
  }
}

/* ---- In arrays ---- */

/* Surrogates fill exactly one batch. */
#define BATCH 0x800u

typedef struct {
  unsigned char array[BATCH * 4 * MAX_UNITS], again[BATCH * 4 * MAX_UNITS];
  unsigned char expected[BATCH * 4 * MAX_UNITS], text[BATCH * 4 * MAX_UNITS];
  uint64_t offsets[BATCH + 1];
} batch;

static void no_text(const batch *b, uint32_t first, zn5_endian endian) {
  const size_t length_bytes = 4 * MAX_UNITS;
  size_t found, needed, i;
  char text[4 * MAX_UNITS];
  for (i = 0; i < BATCH; i++) {
    const unsigned char *rest = b->array + i * length_bytes;
    const size_t count = BATCH - i;
    uint64_t offsets[2];
    CHECK_STATUS(ZN5_OK, zn5_utf32_validate(rest, count * length_bytes, count, endian, length_bytes, &found, ERR));
    CHECK_EQUAL(0, found);
    CHECK_STATUS(ZN5_ERROR_INVALID_CODE_POINT, zn5_utf32_decode_array(rest, length_bytes, 1, endian, length_bytes, text,
                                                                      sizeof text, offsets, &needed, ERR));
    CHECK_EQUAL(4 * ((first + i) % MAX_UNITS), last_offset);
  }
}

static void all_text(batch *b, uint32_t first, zn5_endian endian) {
  const size_t length_bytes = 4 * MAX_UNITS, array_len = sizeof b->array;
  size_t len = 0, needed = 0, found, i, place;
  CHECK_STATUS(ZN5_OK, zn5_utf32_validate(b->array, array_len, BATCH, endian, length_bytes, &found, ERR));
  CHECK_EQUAL(BATCH, found);
  CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(b->array, array_len, BATCH, endian, length_bytes, (char *)b->text,
                                              array_len, b->offsets, &needed, ERR));
  for (i = 0; i < BATCH && b->offsets[i] == len; i++)
    for (place = 0; place < MAX_UNITS; place++)
      len += utf8_of(load_unit(b->array + i * length_bytes + 4 * place, endian), b->expected + len);
  CHECK_EQUAL(first + BATCH, first + i);
  CHECK_EQUAL(len, needed);
  CHECK_EQUAL(len, b->offsets[BATCH]);
  CHECK_BYTES(b->expected, b->text, len);
  CHECK_STATUS(ZN5_OK, zn5_utf32_encode_array((const char *)b->text, len, b->offsets, BATCH, endian, length_bytes,
                                              b->again, array_len, ERR));
  CHECK_BYTES(b->array, b->again, array_len);
}

/* The element of each code point has `neighbour` in every place but one, which differs from point to point. */
static void all_in_arrays(zn5_endian endian, uint32_t neighbour) {
  const uint32_t step = instrumented() ? 9 : 1; /* surrogates included */
  batch *b = (batch *)allocate(sizeof *b);
  uint32_t first, i, place;
  for (first = 0; first < POINTS; first += BATCH * step) {
    set_case("U+%04lX and on among U+%04lX, %s", (unsigned long)first, (unsigned long)neighbour, endian_name(endian));
    for (i = 0; i < BATCH; i++)
      for (place = 0; place < MAX_UNITS; place++)
        store_unit(b->array + 4 * (i * MAX_UNITS + place), place == (first + i) % MAX_UNITS ? first + i : neighbour,
                   endian);
    if (first == 0xD800)
      no_text(b, first, endian);
    else
      all_text(b, first, endian);
  }
  free(b);
}

/* ---- Borders in every place ---- */

/* An element of `count` units, all `neighbour` but for the one at `place`; NULs behind `used`. */
static void border_in_place(uint32_t unit, uint32_t neighbour, size_t place, size_t used, size_t count,
                            zn5_endian endian) {
  const size_t length_bytes = 4 * count;
  guarded element = guard_after(length_bytes), text = guard_after(4 * used), again = guard_after(length_bytes);
  unsigned char expected[4 * MAX_UNITS];
  size_t len = 0, needed = 99, found = 99, i;
  uint64_t offsets[2] = {77, 77};
  zn5_status status = is_scalar_value(unit) ? ZN5_OK : ZN5_ERROR_INVALID_CODE_POINT;
  set_case("U+%04lX at %lu of %lu of %lu units, %s", (unsigned long)unit, (unsigned long)place, (unsigned long)used,
           (unsigned long)count, endian_name(endian));
  memset(element.bytes, 0, length_bytes);
  for (i = 0; i < used; i++) {
    uint32_t at = i == place ? unit : neighbour;
    store_unit(element.bytes + 4 * i, at, endian);
    if (is_scalar_value(at))
      len += utf8_of(at, expected + len);
  }
  CHECK_STATUS(ZN5_OK, zn5_utf32_validate(element.bytes, length_bytes, 1, endian, length_bytes, &found, ERR));
  CHECK_EQUAL(status == ZN5_OK ? 1 : 0, found);
  CHECK_STATUS(status,
               zn5_utf32_decode(element.bytes, length_bytes, endian, (char *)text.bytes, text.len, &needed, ERR));
  CHECK_EQUAL(status == ZN5_OK ? -1 : (int64_t)(4 * place), last_offset);
  CHECK_EQUAL(status == ZN5_OK ? len : 99, needed);
  if (status == ZN5_OK) {
    CHECK_BYTES(expected, text.bytes, len);
    /* With exactly the room that the text needs. */
    CHECK_STATUS(ZN5_OK, zn5_utf32_decode_array(element.bytes, length_bytes, 1, endian, length_bytes,
                                                (char *)text.bytes + text.len - len, len, offsets, &needed, ERR));
    CHECK_BYTES(expected, text.bytes + text.len - len, len);
    CHECK_EQUAL(0, offsets[0]);
    CHECK_EQUAL(len, offsets[1]);
    CHECK_STATUS(ZN5_OK, zn5_utf32_encode((const char *)expected, len, endian, again.bytes, length_bytes, ERR));
    CHECK_BYTES(element.bytes, again.bytes, length_bytes);
    if (used == count && count > 1) {
      status = zn5_utf32_encode((const char *)expected, len, endian, again.bytes, length_bytes - 4, ERR);
      CHECK_STATUS(ZN5_ERROR_STRING_TOO_LONG, status);
    }
  }
  GUARD_FREE(element);
  GUARD_FREE(text);
  GUARD_FREE(again);
}

static void borders_in_every_place(void) {
  static const uint32_t neighbours[] = {0x61, 0xE9, 0x65E5, 0x1F600};
  const size_t step = instrumented() ? 6 : 1;
  size_t border, neighbour, place, used, count, endian;
  for (border = 0; border < COUNT(borders); border++)
    for (count = 1; count <= MAX_UNITS; count += step)
      for (used = count; used > 0 && used + 2 >= count; used--)
        for (place = 0; place < used; place++)
          for (endian = 0; endian < COUNT(both_endians); endian++) {
            /* All kinds of neighbours, though not each with each. */
            neighbour = (border + count + place) % COUNT(neighbours);
            border_in_place(borders[border], neighbours[neighbour], place, used, count, both_endians[endian]);
          }
}

/* ---- What is UTF-8 ---- */

/* For all sequences of up to three bytes, whether they are the UTF-8 of one code point. */
static unsigned char one_byte[0x100], two_bytes[0x10000], three_bytes[0x1000000];

static void mark_what_is_utf8(void) {
  uint32_t point;
  unsigned char utf8[4];
  for (point = 0; point < 0x10000; point++) {
    if (!is_scalar_value(point))
      continue;
    switch (utf8_of(point, utf8)) {
    case 1:
      one_byte[utf8[0]] = 1;
      break;
    case 2:
      two_bytes[utf8[0] << 8 | utf8[1]] = 1;
      break;
    default:
      three_bytes[utf8[0] << 16 | utf8[1] << 8 | utf8[2]] = 1;
      break;
    }
  }
}

static void check_utf8(const unsigned char *utf8, size_t len, int valid) {
  unsigned char element[16];
  zn5_status status = zn5_utf32_encode((const char *)utf8, len, ZN5_ENDIAN_LITTLE, element, sizeof element, NULL);
  if (status != (valid ? ZN5_OK : ZN5_ERROR_INVALID_UTF8))
    fail_at(__FILE__, __LINE__, "%02x %02x %02x %02x (%lu bytes): %s", utf8[0], utf8[1], utf8[2], utf8[3],
            (unsigned long)len, zn5_status_name(status));
}

static void short_sequences(void) {
  const uint32_t step = instrumented() ? 251 : 1;
  uint32_t i;
  set_case("sequences of up to three bytes");
  for (i = 0; i < 0x100; i++) {
    unsigned char utf8[4] = {0};
    utf8[0] = (unsigned char)i;
    check_utf8(utf8, 1, one_byte[i]);
  }
  for (i = 0; i < 0x10000; i++) {
    unsigned char utf8[4] = {0};
    utf8[0] = (unsigned char)(i >> 8);
    utf8[1] = (unsigned char)(i & 0xff);
    check_utf8(utf8, 2, two_bytes[i] || (one_byte[utf8[0]] && one_byte[utf8[1]]));
  }
  /* Of those that begin with ASCII or within a code point two bytes tell as much as three. */
  for (i = 0xC00000; i < 0x1000000; i += step) {
    unsigned char utf8[4] = {0};
    utf8[0] = (unsigned char)(i >> 16);
    utf8[1] = (unsigned char)(i >> 8 & 0xff);
    utf8[2] = (unsigned char)(i & 0xff);
    check_utf8(utf8, 3, three_bytes[i] || (two_bytes[i >> 8] && one_byte[utf8[2]]));
  }
}

static void sequences_of_four(void) {
  static const unsigned char tails[] = {0x00, 0x41, 0x7F, 0x80, 0x9F, 0xBF, 0xC0, 0xFF};
  uint32_t first, second;
  size_t third, fourth;
  set_case("sequences of four bytes");
  for (first = 0xF0; first < 0x100; first++)
    for (second = 0; second < 0x100; second++)
      for (third = 0; third < COUNT(tails); third++)
        for (fourth = 0; fourth < COUNT(tails); fourth++) {
          unsigned char utf8[4], expected[4];
          uint32_t point;
          utf8[0] = (unsigned char)first;
          utf8[1] = (unsigned char)second;
          utf8[2] = tails[third];
          utf8[3] = tails[fourth];
          point = (first & 7u) << 18 | (second & 0x3fu) << 12 | (utf8[2] & 0x3fu) << 6 | (utf8[3] & 0x3fu);
          check_utf8(utf8, 4,
                     is_scalar_value(point) && utf8_of(point, expected) == 4 && memcmp(utf8, expected, 4) == 0);
        }
}

/* The offset says where the text stops being UTF-8, however much ASCII precedes it. */
static void bad_bytes_are_found(void) {
  static const struct {
    const char *bytes;
    size_t len, good;
  } cases[] = {
      {"\xff", 1, 0},         {"\x80", 1, 0},         {"\xc3", 1, 0},
      {"\xc0\xaf", 2, 0},     {"\xe0\x80\xaf", 3, 0}, {"\xed\xa0\x80", 3, 0},
      {"\xf0\x9f\x98", 3, 0}, {"\xc3\xa9\xff", 3, 2}, {"\xf4\x90\x80\x80", 4, 0},
  };
  unsigned char utf8[64], element[256];
  size_t i, before, behind;
  for (i = 0; i < COUNT(cases); i++)
    for (before = 0; before < 40; before++)
      for (behind = 0; behind < 2; behind++) {
        uint64_t offsets[3];
        set_case("bad bytes %lu after %lu", (unsigned long)i, (unsigned long)before);
        memset(utf8, 'a', sizeof utf8);
        memcpy(utf8 + before, cases[i].bytes, cases[i].len);
        CHECK_STATUS(ZN5_ERROR_INVALID_UTF8, zn5_utf32_encode((const char *)utf8, before + cases[i].len + 9 * behind,
                                                              ZN5_ENDIAN_BIG, element, sizeof element, ERR));
        CHECK_EQUAL(before + cases[i].good, last_offset);
        /* As the second of two texts, the first of which ends in the middle. */
        offsets[0] = 0;
        offsets[1] = before / 2;
        offsets[2] = before + cases[i].len + 9 * behind;
        CHECK_STATUS(ZN5_ERROR_INVALID_UTF8,
                     zn5_utf32_encode_array((const char *)utf8, sizeof utf8, offsets, 2, ZN5_ENDIAN_BIG,
                                            sizeof element / 2, element, sizeof element, ERR));
        CHECK_EQUAL(before + cases[i].good, last_offset);
        CHECK_MESSAGE("element 1");
      }
}

int main(void) {
  size_t i;
  all_alone();
  for (i = 0; i < COUNT(both_endians); i++) {
    all_in_arrays(both_endians[i], 0x78);
    all_in_arrays(both_endians[i], 0x20AC);
  }
  borders_in_every_place();
  mark_what_is_utf8();
  short_sequences();
  sequences_of_four();
  bad_bytes_are_found();
  return test_result();
}
