/* Strings of fixed length through zn5.hpp: elements, arrays, JSON, the names of the type.
 */
#include "support.hpp"

namespace {

void elements() {
  set_case("elements");
  std::vector<char32_t> element(5, U'x');
  zn5::utf32::encode("h\xc3\xa9!", element);
  CHECK(element[0] == U'h' && element[1] == 0xe9 && element[2] == U'!' && element[3] == 0 && element[4] == 0);
  CHECK(zn5::utf32::decode(element) == "h\xc3\xa9!");
  CHECK(zn5::utf32::to_json(element) == "\"h\xc3\xa9!\"");
  unsigned char big[8];
  zn5::utf32::encode("A", big, zn5::byte_order::big);
  CHECK_BYTES("\0\0\0A\0\0\0\0", big, 8);
  CHECK(zn5::utf32::decode(big, zn5::byte_order::big) == "A");
  CHECK_THROWS(ZN5_ERROR_INVALID_CODE_POINT, zn5::utf32::decode(big, zn5::byte_order::little));
  CHECK_EQUAL(0, last_offset);
  zn5::utf32::from_json("\"\\u0042\"", big, zn5::byte_order::big);
  CHECK_BYTES("\0\0\0B\0\0\0\0", big, 8);
  CHECK_THROWS(ZN5_ERROR_STRING_TOO_LONG, zn5::utf32::encode("ABC", big));
  CHECK_THROWS(ZN5_ERROR_INVALID_LENGTH, zn5::utf32::encode("A", zn5::mutable_bytes(big, 7)));
  CHECK_THROWS(ZN5_ERROR_INVALID_METADATA, zn5::utf32::from_json("1", big));
  CHECK(zn5::utf32::decode(std::vector<char32_t>(3)).empty());
}

void arrays() {
  set_case("arrays");
  const std::vector<std::string> texts{"one", "", "\xe2\x80\x94", std::string("a\0b", 3)};
  std::vector<std::byte> elements = zn5::utf32::encode_array(texts, 12, zn5::byte_order::little);
  CHECK_EQUAL(48, elements.size());
  const zn5::utf32::text_array read = zn5::utf32::decode_array(elements, 12, zn5::byte_order::little);
  CHECK_EQUAL(4, read.size());
  for (std::size_t i = 0; i < texts.size(); i++)
    CHECK(read[i] == texts[i]);
  CHECK(read.utf8() == "one\xe2\x80\x94" + texts[3]);
  CHECK((read.offsets() == std::vector<std::uint64_t>{0, 3, 3, 6, 9}));
  const char *const literals[] = {"x", "yy"};
  CHECK(zn5::utf32::decode_array(zn5::utf32::encode_array(literals, 8), 8)[1] == "yy");

  CHECK(!zn5::utf32::find_invalid(elements, 12, zn5::byte_order::little).has_value());
  elements[12 + 3] = std::byte{1};
  CHECK(zn5::utf32::find_invalid(elements, 12, zn5::byte_order::little) == std::optional<std::size_t>(1));
  CHECK_THROWS(ZN5_ERROR_INVALID_CODE_POINT, zn5::utf32::decode_array(elements, 12, zn5::byte_order::little));
  CHECK_EQUAL(12, last_offset);

  CHECK_EQUAL(0, zn5::utf32::decode_array({}, 12).size());
  CHECK_EQUAL(3, zn5::utf32::decode_array(std::vector<std::byte>(36), 12).size());
  CHECK_EQUAL(0, zn5::utf32::encode_array(std::vector<std::string>(), 12).size());
  CHECK_THROWS(ZN5_ERROR_SIZE_MISMATCH, zn5::utf32::decode_array(std::vector<std::byte>(13), 12));
  CHECK_THROWS(ZN5_ERROR_INVALID_LENGTH, zn5::utf32::decode_array({}, 0));
  CHECK_THROWS(ZN5_ERROR_INVALID_LENGTH, zn5::utf32::encode_array(texts, 6));
  CHECK_THROWS(ZN5_ERROR_LIMIT_EXCEEDED, zn5::utf32::encode_array(texts, SIZE_MAX / 2));
}

void names() {
  set_case("names");
  CHECK_EQUAL(48, zn5::utf32::parse_data_type_json(zn5::utf32::data_type_json(48)));
  CHECK(zn5::utf32::numpy_dtype_name(48, zn5::byte_order::big) == ">U12");
  const zn5::utf32::numpy_dtype dtype = zn5::utf32::parse_numpy_dtype("<U3");
  CHECK(dtype.length_bytes == 12 && dtype.order == zn5::byte_order::little);
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5::utf32::parse_numpy_dtype("<f8"));
}

} // namespace

int main() {
  elements();
  arrays();
  names();
  return test_result();
}
