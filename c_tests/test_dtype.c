/* Data types: their numbers, sizes and names, and the way back from a name. */
#include "support.h"

static const struct {
  zn5_dtype dtype, number;
  size_t size;
  const char *name;
} types[] = {
    {ZN5_DTYPE_UINT8, 1, 1, "uint8"},
    {ZN5_DTYPE_UINT16, 2, 2, "uint16"},
    {ZN5_DTYPE_UINT32, 3, 4, "uint32"},
    {ZN5_DTYPE_UINT64, 4, 8, "uint64"},
    {ZN5_DTYPE_INT8, 5, 1, "int8"},
    {ZN5_DTYPE_INT16, 6, 2, "int16"},
    {ZN5_DTYPE_INT32, 7, 4, "int32"},
    {ZN5_DTYPE_INT64, 8, 8, "int64"},
    {ZN5_DTYPE_FLOAT32, 9, 4, "float32"},
    {ZN5_DTYPE_FLOAT64, 10, 8, "float64"},
    {ZN5_DTYPE_UTF32, 11, 0, "fixed_length_utf32"},
};

int main(void) {
  static const char *const others[] = {"",          "UINT8",  "uint",   "uint16 ", "float16", "bool",
                                       "complex64", "string", "object", "|u1",     "uint128", "\xff\xfe"};
  static const zn5_dtype unknown[] = {0, 12, 255, UINT32_MAX};
  zn5_dtype dtype;
  size_t i;

  for (i = 0; i < COUNT(types); i++) {
    guarded name = guarded_copy(types[i].name, strlen(types[i].name));
    set_case("%s", types[i].name);
    CHECK_EQUAL(types[i].number, types[i].dtype);
    CHECK_EQUAL(types[i].size, zn5_dtype_size(types[i].dtype));
    CHECK_TEXT(types[i].name, zn5_dtype_name(types[i].dtype));
    dtype = 99;
    CHECK_STATUS(ZN5_OK, zn5_dtype_parse((const char *)name.bytes, name.len, &dtype, ERR));
    CHECK_EQUAL(types[i].dtype, dtype);
    GUARD_FREE(name);
  }
  for (i = 0; i < COUNT(others); i++) {
    set_case("\"%s\"", others[i]);
    dtype = 99;
    CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5_dtype_parse(others[i], strlen(others[i]), &dtype, ERR));
    CHECK_EQUAL(99, dtype);
  }
  set_case("a NUL inside the name");
  CHECK_STATUS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5_dtype_parse("uint8", 6, &dtype, ERR));
  for (i = 0; i < COUNT(unknown); i++) {
    set_case("data type %u", (unsigned)unknown[i]);
    CHECK_EQUAL(0, zn5_dtype_size(unknown[i]));
    CHECK_TEXT("", zn5_dtype_name(unknown[i]));
  }
  return test_result();
}
