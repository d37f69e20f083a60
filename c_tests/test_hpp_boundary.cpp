/* Every member function of zn5.hpp's classes on an object without a handle, which a moved-from one is: it throws
 * ZN5_ERROR_NULL_POINTER and says why there is none. And what zn5.hpp refuses by itself. tests/boundary.rs holds this
 * file against the classes. */
#include "support.hpp"

#define N5_ARRAY "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}}"

/* The call says that the object, of this class, is empty. */
#define CHECK_EMPTY(type, expression)                                                                                  \
  do {                                                                                                                 \
    CHECK_THROWS(ZN5_ERROR_NULL_POINTER, expression);                                                                  \
    CHECK_MESSAGE("this zn5::" type " is empty: it was moved from or closed");                                         \
  } while (0)

static void no_codec(const char *name, const zn5::codec &codec) {
  std::vector<std::uint8_t> array(6);
  const std::vector<std::uint8_t> block(18);
  set_case("a codec without a handle: %s", name);
  CHECK(codec.handle() == nullptr && !codec);
  CHECK_EMPTY("codec", codec.dtype());
  CHECK_EMPTY("codec", codec.element_size());
  CHECK_EMPTY("codec", codec.ndim());
  CHECK_EMPTY("codec", codec.compression());
  CHECK_EMPTY("codec", codec.chunk_shape());
  CHECK_EMPTY("codec", codec.array_shape());
  CHECK_EMPTY("codec", codec.fill_value<std::uint8_t>());
  CHECK_EMPTY("codec", codec.fill_value_bytes());
  CHECK_EMPTY("codec", codec.to_json());
  CHECK_EMPTY("codec", codec.decoded_size());
  CHECK_EMPTY("codec", codec.encode_bound());
  CHECK_EMPTY("codec", codec.decode_block(block, array));
  CHECK_EMPTY("codec", codec.decode_block<std::uint8_t>(block));
  CHECK_EMPTY("codec", codec.decode_region(block, {}, {}, {}, array));
  CHECK_EMPTY("codec", codec.encode_block(array));
  CHECK_EMPTY("codec", codec.encode_region(array, {}, {}));
  CHECK_EMPTY("codec", codec.fill_block(array));
  CHECK_EMPTY("codec", codec.require<std::uint8_t>());
}

static void no_store(const char *name, const zn5::store &store) {
  const auto take = [](auto...) { return true; };
  set_case("a store without a handle: %s", name);
  CHECK(store.handle() == nullptr && !store);
  CHECK_EMPTY("store", store.get("a"));
  CHECK_EMPTY("store", store.get_text("a"));
  CHECK_EMPTY("store", store.get("a", take));
  CHECK_EMPTY("store", store.set("a", std::vector<std::uint8_t>(1)));
  CHECK_EMPTY("store", store.erase("a"));
  CHECK_EMPTY("store", store.list("", take));
  CHECK_EMPTY("store", store.list_nodes("", take));
  CHECK_EMPTY("store", store.node_language("a"));
  CHECK_EMPTY("store", store.create_group("a"));
  CHECK_EMPTY("store", store.attributes(""));
  CHECK_EMPTY("store", store.attributes_json(""));
  CHECK_EMPTY("store", store.set_attributes("", "{}"));
  CHECK_EMPTY("store", zn5::store::n5_as_zarr(store));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, zn5::store::from_interface(nullptr));
  CHECK_EMPTY("store", zn5::dataset::open(store, "a"));
  CHECK_EMPTY("store", zn5::dataset::create(store, "a", N5_ARRAY));
}

static void no_dataset(const char *name, const zn5::dataset &dataset) {
  std::vector<std::uint8_t> array(6);
  const auto take = [](auto...) { return true; };
  set_case("a dataset without a handle: %s", name);
  CHECK(dataset.handle() == nullptr && !dataset);
  CHECK_EMPTY("dataset", dataset.codec());
  CHECK_EMPTY("dataset", dataset.ndim());
  CHECK_EMPTY("dataset", dataset.dtype());
  CHECK_EMPTY("dataset", dataset.language());
  CHECK_EMPTY("dataset", dataset.shape());
  CHECK_EMPTY("dataset", dataset.metadata());
  CHECK_EMPTY("dataset", dataset.read<std::uint8_t>());
  CHECK_EMPTY("dataset", dataset.read_into(array));
  CHECK_EMPTY("dataset", dataset.write(array));
  CHECK_EMPTY("dataset", dataset.write_from(array));
  CHECK_EMPTY("dataset", dataset.verify(take));
}

/* Shapes that have not one number for each axis, and paths with a NUL, which C would not see. */
static void refused_here() {
  const zn5::codec codec = zn5::codec::from_n5_attributes(N5_ARRAY);
  const zn5::store store = zn5::store::from_interface(std::make_shared<memory_store>());
  const zn5::dataset dataset = zn5::dataset::create(store, "image", N5_ARRAY);
  const std::string nul("a\0b", 3);
  const std::vector<std::uint64_t> large(65536, 1);
  std::vector<std::uint8_t> array(6);
  const std::vector<std::uint8_t> block(18);
  const auto take = [](auto...) { return true; };
  set_case("shapes");
  for (const std::vector<std::uint64_t> &wrong : {std::vector<std::uint64_t>{3}, std::vector<std::uint64_t>{3, 2, 1}}) {
    const std::vector<std::ptrdiff_t> strides(wrong.size(), 1);
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decoded_size(wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_bound(wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_block(block, array, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_block<std::uint8_t>(block, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, wrong, {}, {}, array));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, {}, wrong, {}, array));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, {}, {}, wrong, array));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.decode_region(block, {}, {}, {}, array, {0, strides}));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_block(array, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_region(array, wrong, {}));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.encode_region(array, {}, {0, strides}));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, codec.fill_block(array, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<std::uint8_t>(wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<std::uint8_t>({}, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read_into(array, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read_into(array, {}, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read_into(array, {}, {}, {0, strides}));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write(array, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write(array, {}, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write_from(array, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write_from(array, {}, wrong));
    CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write_from(array, {}, {}, {0, strides}));
  }
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::block_key(large));
  CHECK_THROWS(ZN5_ERROR_INVALID_METADATA, zn5::codec::from_codec_json("{}", zn5::data_type::uint8, large));
  set_case("paths with a NUL");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::store::open(nul));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.list_nodes(nul, take));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.node_language(nul));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.create_group(nul));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.attributes(nul));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.set_attributes(nul, "{}"));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::dataset::open(store, nul));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::dataset::create(store, nul, N5_ARRAY));
  set_case("elements of another type");
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, codec.fill_value<std::uint16_t>());
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, codec.decode_block<std::uint16_t>(block));
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, dataset.read<float>());
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, dataset.write(std::vector<float>(6)));
  set_case("memory that is shared");
  CHECK_THROWS(ZN5_ERROR_BUFFERS_OVERLAP, codec.decode_block(array, array));
}

/* Numbers that no shape, stride or length can be. */
static void refused_numbers() {
  set_case("numbers");
  const int minus = -3;
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::block_key({0, minus, 0}));
  CHECK_MESSAGE("the number of axis 1 is -3; give one from 0 to 18446744073709551615");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::coordinates(std::vector<std::int8_t>{1, 2, 3, -128}));
  CHECK_MESSAGE("axis 3 is -128");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, (zn5::coordinates{INT64_MIN}));
  CHECK_MESSAGE("axis 0 is -9223372036854775808");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, (zn5::coordinates{0, 0, 0, 0, 0, 0, 0, 0, 0, -1L}));
  CHECK_MESSAGE("axis 9 is -1");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::coordinates(&minus, minus));
  CHECK_MESSAGE("-3 numbers");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, (zn5::byte_strides{-1, UINT64_MAX}));
  CHECK_MESSAGE("axis 1 is 18446744073709551615; give one from -9223372036854775808 to 9223372036854775807");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, (zn5::layout{minus, {}}));
  CHECK_MESSAGE("a number of bytes is -3");
  zn5::layout place{SIZE_MAX, {}};
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, place.origin += 1);
  CHECK_MESSAGE("18446744073709551615 and 1 bytes");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, place.origin = minus);
  CHECK_EQUAL(SIZE_MAX, place.origin);
}

/* Each way to an object without a handle. */
static void empty_objects() {
  zn5::codec codec = zn5::codec::from_n5_attributes(N5_ARRAY);
  zn5::store store = zn5::store::from_interface(std::make_shared<memory_store>());
  zn5::dataset dataset = zn5::dataset::create(store, "", N5_ARRAY);
  set_case("full");
  CHECK(codec && store && dataset && codec.ndim() == 2 && dataset.ndim() == 2);
  const zn5::codec last_codec(std::move(codec));
  const zn5::store last_store(std::move(store));
  const zn5::dataset last_dataset(std::move(dataset));
  no_codec("moved from", codec);
  no_store("moved from", store);
  no_dataset("moved from", dataset);
  codec = last_codec;
  store = last_store;
  dataset = last_dataset;
  set_case("assigned to");
  CHECK(codec && store && dataset && codec.ndim() == 2 && dataset.ndim() == 2);
  codec = {};
  store = {};
  dataset = {};
  no_codec("closed", codec);
  no_store("closed", store);
  no_dataset("closed", dataset);
  no_codec("of NULL", zn5::codec(nullptr));
  no_codec("of no shared codec", zn5::codec(std::shared_ptr<const zn5_codec>()));
  no_store("of NULL", zn5::store(nullptr));
  no_dataset("of NULL", zn5::dataset(nullptr));
  no_codec("default", zn5::codec());
  no_store("default", zn5::store());
  no_dataset("default", zn5::dataset());
}

int main() {
  empty_objects();
  refused_here();
  refused_numbers();
  return test_result();
}
