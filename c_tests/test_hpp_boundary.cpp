/* Every member function of zn5.hpp's classes on an object without a handle, which a moved-from one is: what fails
 * throws ZN5_ERROR_NULL_POINTER, what cannot fail tells nothing. And what zn5.hpp refuses by itself. tests/boundary.rs
 * holds this file against the classes. */
#include "support.hpp"

#define N5_ARRAY "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}}"

static void no_codec() {
  const zn5::codec codec(nullptr);
  std::vector<std::uint8_t> array(6);
  const std::vector<std::uint8_t> block(18);
  set_case("a codec without a handle");
  CHECK(codec.handle() == nullptr && codec.dtype() == zn5::data_type() && codec.element_size() == 0);
  CHECK(codec.ndim() == 0);
  CHECK_TEXT("", codec.compression());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.chunk_shape());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.array_shape());
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, codec.fill_value<std::uint8_t>());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.fill_value_bytes());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.to_json());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.decoded_size());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.encode_bound());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.decode_block(block, array));
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, codec.decode_block<std::uint8_t>(block));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.decode_region(block, {}, {}, {}, array));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.encode_block(array));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.encode_region(array, {}, {}));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, codec.fill_block(array));
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, codec.require<std::uint8_t>());
}

static void no_store() {
  const zn5::store store(nullptr);
  const auto take = [](auto...) { return true; };
  set_case("a store without a handle");
  CHECK(store.handle() == nullptr);
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.get("a"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.get_text("a"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.get("a", take));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.set("a", std::vector<std::uint8_t>(1)));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.erase("a"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.list("", take));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.list_nodes("", take));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.node_language("a"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.create_group("a"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.attributes(""));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.set_attributes("", "{}"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, zn5::store::n5_as_zarr(store));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, zn5::store::from_interface(nullptr));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, zn5::dataset::open(store, "a"));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, zn5::dataset::create(store, "a", N5_ARRAY));
}

static void no_dataset() {
  const zn5::dataset dataset(nullptr);
  std::vector<std::uint8_t> array(6);
  const auto take = [](auto...) { return true; };
  set_case("a dataset without a handle");
  CHECK(dataset.handle() == nullptr && dataset.codec().handle() == nullptr && dataset.ndim() == 0);
  CHECK(dataset.dtype() == zn5::data_type());
  CHECK(dataset.language() == zn5::metadata_language::automatic);
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.shape());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.metadata());
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, dataset.read<std::uint8_t>());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.read_into(array));
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, dataset.write(array));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.write_from(array));
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.verify(take));
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

int main() {
  no_codec();
  no_store();
  no_dataset();
  refused_here();
  return test_result();
}
