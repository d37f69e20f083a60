/* zn5.hpp without a store: errors, views, moving, copying, and blocks decoded and encoded by type.
 */
#include "support.hpp"

#include <array>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

using std::uint16_t;
using std::uint64_t;
using std::uint8_t;

const char *const attributes = "{\"dimensions\":[5,4],\"blockSize\":[3,2],\"dataType\":\"uint16\","
                               "\"compression\":{\"type\":\"raw\"}}";
/* Extents 3 and 2, axis 0 fastest: 1 to 6. */
const uint8_t block[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};

zn5::codec make(zn5::codec_options options = {}) {
  return zn5::codec::from_n5_attributes(attributes, options);
}

void errors() {
  set_case("errors");
  CHECK_THROWS(ZN5_ERROR_INVALID_JSON, zn5::codec::from_n5_attributes("{\"dimensions\": ]"));
  CHECK_EQUAL(15, last_offset);
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5::parse_data_type("complex64"));
  CHECK_MESSAGE("complex64");
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, zn5::parse_data_type(""));
  const std::string corrupt("\0\0\0\2\0\0\0\3\0\0\0\2not gzip", 20);
  const auto gzip = zn5::codec::from_n5_attributes("{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint16\","
                                                   "\"compression\":{\"type\":\"gzip\"}}");
  CHECK_THROWS(ZN5_ERROR_CORRUPT_PAYLOAD, gzip.decode_block<uint16_t>(corrupt));
  try {
    zn5::codec::from_n5_attributes("{}");
    CHECK(false);
  } catch (const std::exception &failure) {
    CHECK(dynamic_cast<const zn5::error *>(&failure) != nullptr);
  }
  static_assert(std::is_nothrow_copy_constructible<zn5::error>::value, "exceptions are copied while others fly");
  const zn5::error made(ZN5_ERROR_NOT_FOUND, "gone", 7, -3), copy = made;
  CHECK_TEXT("gone", copy.what());
  CHECK_TEXT("ZN5_ERROR_NOT_FOUND", copy.name());
  CHECK_EQUAL(ZN5_ERROR_NOT_FOUND, copy.status());
  CHECK_EQUAL(7, copy.offset());
  CHECK_EQUAL(-3, copy.native_code());
}

void moving() {
  set_case("moving");
  static_assert(std::is_nothrow_move_constructible<zn5::codec>::value, "");
  static_assert(std::is_nothrow_move_assignable<zn5::codec>::value, "");
  static_assert(std::is_nothrow_move_constructible<zn5::store>::value, "");
  static_assert(std::is_nothrow_move_assignable<zn5::store>::value, "");
  static_assert(std::is_nothrow_move_constructible<zn5::dataset>::value, "");
  static_assert(std::is_nothrow_move_assignable<zn5::dataset>::value, "");

  zn5::codec first = make();
  const zn5_codec *const raw = first.handle();
  zn5::codec second(std::move(first));
  CHECK(second.handle() == raw && first.handle() == nullptr);
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, first.to_json());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, first.decode_block<uint16_t>(block));
  CHECK_MESSAGE("this zn5::codec is empty: it was moved from");

  zn5::codec third = zn5::codec::from_n5_attributes("{\"dimensions\":[7],\"blockSize\":[7],\"dataType\":\"int8\","
                                                    "\"compression\":{\"type\":\"raw\"}}");
  CHECK_EQUAL(1, third.ndim());
  third = std::move(second);
  CHECK(third.handle() == raw && second.handle() == nullptr);
  zn5::codec &itself = third;
  third = std::move(itself);
  CHECK(third.handle() == raw);
  CHECK_EQUAL(2, third.ndim());

  std::vector<zn5::codec> codecs;
  for (int i = 0; i < 5; i++)
    codecs.push_back(make());
  CHECK_EQUAL(6, codecs[2].decode_block<uint16_t>(block).back());
}

void copying() {
  set_case("copying");
  static_assert(std::is_nothrow_copy_constructible<zn5::codec>::value, "a copy counts a number");
  static_assert(std::is_nothrow_copy_assignable<zn5::codec>::value, "a copy counts a number");
  static_assert(std::is_nothrow_copy_constructible<zn5::store>::value, "a copy counts a number");
  static_assert(std::is_nothrow_copy_assignable<zn5::store>::value, "a copy counts a number");
  static_assert(std::is_nothrow_copy_constructible<zn5::dataset>::value, "a copy counts a number");
  static_assert(std::is_nothrow_copy_assignable<zn5::dataset>::value, "a copy counts a number");
  zn5::codec first = make();
  const zn5_codec *const raw = first.handle();
  zn5::codec second = first;
  CHECK(first.handle() == raw && second.handle() == raw);
  first = {};
  CHECK_EQUAL(6, second.decode_block<uint16_t>(block).back());
  const zn5::codec &itself = second;
  second = itself;
  CHECK(second.handle() == raw);
  first = second;
  second = make();
  CHECK(first.handle() == raw && second.handle() != raw);

  /* One of the C API, which something else keeps. */
  zn5_codec *made = nullptr;
  CHECK_STATUS(ZN5_OK, zn5_codec_from_n5_attributes(attributes, std::strlen(attributes), nullptr, &made, ERR));
  int freed = 0;
  std::shared_ptr<const zn5_codec> kept(made, [&](zn5_codec *codec) {
    zn5_codec_free(codec);
    freed++;
  });
  {
    const zn5::codec shared(kept), copy = shared;
    kept = nullptr;
    CHECK(copy.handle() == made && copy.ndim() == 2);
    CHECK_EQUAL(0, freed);
  }
  CHECK_EQUAL(1, freed);
}

void tells() {
  set_case("tells");
  const zn5::codec codec = make();
  CHECK(codec.dtype() == zn5::data_type::uint16);
  CHECK_EQUAL(2, codec.element_size());
  CHECK_TEXT("raw", codec.compression());
  CHECK((codec.chunk_shape() == std::vector<uint64_t>{3, 2}));
  CHECK((codec.array_shape() == std::vector<uint64_t>{5, 4}));
  CHECK_EQUAL(0, codec.fill_value<uint16_t>());
  CHECK_EQUAL(12, codec.decoded_size());
  CHECK_EQUAL(40, codec.decoded_size({4, 5}));
  CHECK_EQUAL(24, codec.encode_bound());
  const std::string json = codec.to_json();
  CHECK(json.find("\"n5_default\"") != std::string::npos);
  const auto again = zn5::codec::from_codec_json(json, codec.dtype(), codec.chunk_shape());
  CHECK(again.to_json() == json);
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, again.array_shape());

  zn5::codec_options options;
  options.set_fill_value(uint16_t{7});
  const zn5::codec filled = make(options);
  CHECK_EQUAL(7, filled.fill_value<uint16_t>());
  CHECK_EQUAL(2, filled.fill_value_bytes().size());
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, filled.fill_value<std::int16_t>());
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, make(zn5::codec_options().set_fill_value(1.0)));
  std::vector<uint16_t> values(4);
  filled.fill_block(values, {2, 2});
  CHECK((values == std::vector<uint16_t>{7, 7, 7, 7}));
  CHECK_THROWS(ZN5_ERROR_BUFFER_TOO_SMALL, filled.fill_block(values));

  CHECK_EQUAL(ZN5_VERSION_NUMBER, zn5::version_number());
  CHECK_TEXT(zn5_build_info(), zn5::build_info());
  CHECK(zn5::compression_available("gzip") && !zn5::compression_available("jpeg"));
  CHECK(zn5::parse_data_type("float64") == zn5::data_type::float64);
  CHECK_TEXT("int8", zn5::data_type_name(zn5::data_type::int8));
  CHECK_EQUAL(4, zn5::data_type_size(zn5::data_type::float32));
}

void types() {
  using zn5::data_type;
  using zn5::data_type_of;
  static_assert(data_type_of<std::uint8_t>() == data_type::uint8 && data_type_of<std::int8_t>() == data_type::int8, "");
  static_assert(data_type_of<uint16_t>() == data_type::uint16 && data_type_of<short>() == data_type::int16, "");
  static_assert(data_type_of<unsigned>() == data_type::uint32 && data_type_of<int>() == data_type::int32, "");
  static_assert(data_type_of<uint64_t>() == data_type::uint64 && data_type_of<std::int64_t>() == data_type::int64, "");
  static_assert(data_type_of<unsigned long long>() == data_type::uint64, "of two types of one size both are meant");
  static_assert(data_type_of<long long>() == data_type::int64, "of two types of one size both are meant");
  static_assert(data_type_of<float>() == data_type::float32 && data_type_of<double>() == data_type::float64, "");
}

void blocks() {
  set_case("blocks");
  const zn5::codec codec = make();
  const std::vector<uint16_t> c_order{1, 4, 2, 5, 3, 6};
  CHECK(codec.decode_block<uint16_t>(block) == c_order);
  CHECK((codec.decode_block<uint16_t>(block, {2, 1}) == std::vector<uint16_t>{1, 2}));
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, codec.decode_block<std::int16_t>(block));
  CHECK_MESSAGE("uint16");
  CHECK_MESSAGE("int16");
  CHECK_THROWS(ZN5_ERROR_LIMIT_EXCEEDED, codec.decode_block<uint16_t>(block, {UINT64_MAX, UINT64_MAX}));
  CHECK_THROWS(ZN5_ERROR_EMPTY_BLOCK, codec.decode_block<uint16_t>({}));

  zn5::codec_options options;
  options.order = zn5::element_order::f;
  CHECK((make(options).decode_block<uint16_t>(block) == std::vector<uint16_t>{1, 2, 3, 4, 5, 6}));
  options.max_decoded_bytes = 11;
  CHECK_THROWS(ZN5_ERROR_LIMIT_EXCEEDED, make(options).decode_block<uint16_t>(block));
  options = {};
  options.strict = true;
  uint8_t large[sizeof block];
  std::memcpy(large, block, sizeof block);
  std::swap(large[7], large[11]);
  CHECK_EQUAL(4, codec.decode_block<uint16_t>(large)[3]);
  CHECK_THROWS(ZN5_ERROR_INVALID_BLOCK_SHAPE, make(options).decode_block<uint16_t>(large));

  std::array<uint16_t, 6> array{};
  codec.decode_block(block, array);
  CHECK(std::equal(array.begin(), array.end(), c_order.begin()));
  CHECK_THROWS(ZN5_ERROR_BUFFER_TOO_SMALL, codec.decode_block(block, zn5::mutable_bytes(array.data(), 11)));

  std::vector<std::byte> encoded = codec.encode_block(c_order);
  CHECK_EQUAL(sizeof block, encoded.size());
  CHECK_BYTES(block, encoded.data(), sizeof block);
  CHECK_EQUAL(14, codec.encode_block(std::array<uint16_t, 1>{{9}}, {1, 1}).size());
  CHECK_THROWS(ZN5_ERROR_SIZE_MISMATCH, codec.encode_block(c_order, {1, 1}));

  /* A box of 2 x 2 in an image of 3 rows of 4, the first axis flipped, and back. */
  const std::ptrdiff_t strides[] = {-8, 2};
  uint16_t image[3][4] = {};
  codec.decode_region(block, {}, {1, 0}, {2, 2}, image, {16 + 2, strides});
  CHECK(image[2][1] == 2 && image[2][2] == 5 && image[1][1] == 3 && image[1][2] == 6 && image[0][1] == 0);
  encoded = codec.encode_region(image, {2, 2}, {16 + 2, strides});
  CHECK((codec.decode_block<uint16_t>(encoded, {2, 2}) == std::vector<uint16_t>{2, 5, 3, 6}));

  const zn5::block_header header = zn5::read_block_header(block);
  CHECK_EQUAL(0, header.mode);
  CHECK((header.shape == std::vector<uint64_t>{3, 2}));
  CHECK_EQUAL(6, header.element_count);
  CHECK_EQUAL(12, header.header_len);
  CHECK_THROWS(ZN5_ERROR_EMPTY_BLOCK, zn5::read_block_header({}));
  CHECK_THROWS(ZN5_ERROR_TRUNCATED_BLOCK, zn5::read_block_header({block, 11}));
  const uint8_t object[] = {0, 2, 0, 0, 0, 9};
  CHECK(zn5::read_block_header(object).mode == 2 && zn5::read_block_header(object).shape.empty());
}

/* C reads as many numbers as there are dimensions, so another count must not get there. */
void counts() {
  set_case("counts");
  const zn5::codec codec = make();
  uint16_t image[6];
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_block<uint16_t>(block, {3}));
  CHECK_MESSAGE("shape has 1 numbers");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_block(block, image, {3, 2, 1}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, {3, 2}, {0}, {}, image));
  CHECK_MESSAGE("offset");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, {3, 2}, {}, {1}, image));
  CHECK_MESSAGE("extent");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, {3, 2}, {}, {}, image, {0, {2}}));
  CHECK_MESSAGE("strides");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_block(image, {6}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_region(image, {}, {0, {2, 2, 2}}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.fill_block(image, {1}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_bound({1}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decoded_size({1}));
}

template <class From, class To> constexpr bool converts = std::is_convertible<From, To>::value;

void views() {
  set_case("views");
  static_assert(converts<std::vector<int> &, zn5::bytes> && converts<const std::vector<int> &, zn5::bytes>, "");
  static_assert(converts<std::string_view, zn5::bytes> && converts<zn5::mutable_bytes, zn5::bytes>, "");
  static_assert(converts<std::vector<int> &, zn5::mutable_bytes>, "");
  static_assert(!converts<const std::vector<int> &, zn5::mutable_bytes>, "const stays const");
  static_assert(!converts<zn5::bytes, zn5::mutable_bytes>, "const stays const");
  static_assert(!converts<const int(&)[3], zn5::mutable_bytes>, "const stays const");
  static_assert(!converts<std::vector<std::string> &, zn5::bytes>, "strings are no bytes");
  static_assert(!converts<std::vector<std::string> &, zn5::mutable_bytes>, "strings are no bytes");
  static_assert(!converts<const char(&)[3], zn5::bytes>, "a literal has a NUL that nobody means");
#if __cplusplus >= 202002L
  static_assert(converts<std::span<float>, zn5::mutable_bytes> && converts<std::span<const float>, zn5::bytes>, "");
  static_assert(!converts<std::span<const float>, zn5::mutable_bytes>, "const stays const");
  CHECK_EQUAL(12, zn5::bytes(std::span<const uint8_t>(block, 12)).size());
#endif
  std::vector<uint64_t> numbers{3, 4, 5};
  CHECK_EQUAL(24, zn5::bytes(numbers).size());
  CHECK(zn5::bytes().size() == 0 && zn5::mutable_bytes().data() == nullptr);
  /* A list of zeros is no NULL and a size. */
  CHECK((zn5::block_key({0, 2}) == "0/2"));
  CHECK((zn5::block_key({0}) == "0"));
}

/* Up to eight numbers lie in the object, more elsewhere; both are copied, moved and changed alike. */
void numbers() {
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 40u}) {
    set_case("%u numbers", static_cast<unsigned>(count));
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 5);
    zn5::coordinates made(numbers);
    const auto same = [&](const zn5::coordinates &others) {
      return others.size() == count && others.empty() == (count == 0) &&
             std::equal(numbers.begin(), numbers.end(), others.begin(),
                        [](int a, uint64_t b) { return static_cast<uint64_t>(a) == b; }) &&
             others.end() - others.begin() == static_cast<std::ptrdiff_t>(count) && others.data() == others.begin();
    };
    CHECK(same(made));
    zn5::coordinates copy = made, moved = std::move(made);
    CHECK(same(copy) && same(moved) && copy.data() != moved.data());
    made = {1, 2};
    CHECK(made.size() == 2 && made[1] == 2);
    made = moved;
    moved = {};
    CHECK(same(made) && moved.empty());
    for (uint64_t &number : copy)
      number = 0;
    CHECK(same(made));
    const zn5::coordinates &itself = made;
    made = itself;
    CHECK(same(made));
    made = zn5::coordinates(numbers.data(), numbers.size());
    CHECK(same(made));
  }
}

void metadata() {
  set_case("metadata");
  const std::string zarr = zn5::n5_to_zarr(attributes);
  CHECK(zarr.find("\"shape\":[5,4]") != std::string::npos);
  CHECK(zn5::n5_to_zarr(attributes, zn5::chunk_grid::rectilinear).find("rectilinear") != std::string::npos);
  CHECK(zn5::zarr_to_n5(zarr) == attributes);
  CHECK_THROWS(ZN5_ERROR_NOT_REPRESENTABLE, zn5::n5_to_zarr("{\"_n5\":1}"));
  CHECK_TEXT(zn5_metadata_implicit_group(), zn5::implicit_group());
  CHECK(zn5::block_key({0, 3, 1}) == "0/3/1");
  CHECK(zn5::block_key({}) == "0");
  CHECK(zn5::codec::from_zarr_metadata(zarr).array_shape() == make().array_shape());
}

} // namespace

int main() {
  errors();
  moving();
  copying();
  tells();
  types();
  blocks();
  counts();
  views();
  numbers();
  metadata();
  return test_result();
}
