/* Datasets through zn5.hpp: typed reads and writes, images with strides, progress, problems, and exceptions from other
 * threads.
 */
#include "support.hpp"

#include <atomic>
#include <numeric>
#include <thread>

namespace {

using std::int16_t;
using std::uint64_t;

const char *const attributes = "{\"dimensions\":[20,9],\"blockSize\":[5,3],\"dataType\":\"int16\","
                               "\"compression\":{\"type\":\"gzip\"},\"unit\":\"nm\"}";

std::vector<int16_t> counted(std::size_t count) {
  std::vector<int16_t> values(count);
  std::iota(values.begin(), values.end(), int16_t{1});
  return values;
}

void typed() {
  set_case("typed");
  auto inner = std::make_shared<memory_store>();
  zn5::dataset dataset = zn5::dataset::create(zn5::store::from_interface(inner), "a/b", attributes);
  CHECK_EQUAL(2, dataset.ndim());
  CHECK(dataset.dtype() == zn5::data_type::int16);
  CHECK((dataset.shape() == std::vector<uint64_t>{20, 9}));
  CHECK((dataset.codec().chunk_shape() == std::vector<uint64_t>{5, 3}));
  CHECK(dataset.metadata() == attributes);
  CHECK(dataset.language() == zn5::metadata_language::n5);
  CHECK(dataset.read<int16_t>() == std::vector<int16_t>(180));

  std::vector<int16_t> values = counted(180);
  zn5::io_options io;
  io.threads = 4;
  dataset.write(values, {}, {}, io);
  CHECK(dataset.read<int16_t>({}, {}, io) == values);
  const std::vector<int16_t> row = dataset.read<int16_t>({3, 2}, {1, 4});
  CHECK((row == std::vector<int16_t>{30, 31, 32, 33}));
  CHECK((dataset.read<int16_t>({19, 7}) == std::vector<int16_t>{179, 180}));
  CHECK(dataset.read<int16_t>({20, 0}).empty());

  const int16_t patch[] = {-1, -2, -3, -4, -5, -6};
  dataset.write(patch, {4, 2}, {2, 3});
  CHECK((dataset.read<int16_t>({4, 1}, {2, 5}) == std::vector<int16_t>{38, -1, -2, -3, 42, 47, -4, -5, -6, 51}));

  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, dataset.read<std::uint16_t>());
  CHECK_MESSAGE("int16");
  CHECK_THROWS(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, dataset.write(std::vector<float>(180)));
  CHECK_THROWS(ZN5_ERROR_SIZE_MISMATCH, dataset.write(patch));
  CHECK_MESSAGE("6 elements, but the region has 180");
  CHECK_THROWS(ZN5_ERROR_SIZE_MISMATCH, dataset.write(patch, {0, 0}, {1, 5}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<int16_t>({18, 0}, {3, 1}));
  CHECK_MESSAGE("axis 0");
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<int16_t>({0, 10}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<int16_t>({1, 1}, {UINT64_MAX, UINT64_MAX}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<int16_t>({1}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read<int16_t>({}, {1, 1, 1}));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write(patch, {4}, {2, 3}));

  /* It keeps its store, and so do those that it is moved to. */
  zn5::dataset moved(std::move(dataset));
  CHECK(dataset.handle() == nullptr && moved.ndim() == 2);
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.shape());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, dataset.read<int16_t>());
  CHECK_MESSAGE("this zn5::dataset is empty: it was moved from");
  dataset = std::move(moved);
  CHECK((dataset.read<int16_t>({3, 2}, {1, 4}) == row));
}

void images() {
  set_case("images");
  const zn5::store store = zn5::store::from_interface(std::make_shared<memory_store>());
  zn5::codec_options options;
  options.set_fill_value(int16_t{-7});
  const zn5::dataset dataset = zn5::dataset::create(store, "", attributes, options);
  int16_t image[4][10] = {};
  /* Two rows of three, flipped, at column 1. */
  dataset.read_into(image, {0, 0}, {2, 3}, {1 * 20 + 3 * 2, {20, -2}});
  CHECK(image[1][1] == -7 && image[1][3] == -7 && image[2][2] == -7 && image[1][0] == 0 && image[1][4] == 0);
  for (int16_t &element : image[1])
    element = static_cast<int16_t>(&element - image[1]);
  /* The same row for all, by a stride of 0. */
  dataset.write_from(image, {0, 0}, {3, 9}, {20, {0, 2}});
  CHECK((dataset.read<int16_t>({2, 6}, {1, 3}) == std::vector<int16_t>{6, 7, 8}));
  CHECK((dataset.read<int16_t>({4, 6}, {1, 3}) == std::vector<int16_t>{0, 0, 0}));
  CHECK_EQUAL(-7, dataset.read<int16_t>({5, 0}, {1, 1})[0]);
  CHECK_THROWS(ZN5_ERROR_BUFFER_TOO_SMALL, dataset.read_into(image));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.read_into(image, {}, {1, 1}, {0, {2}}));
  CHECK_THROWS(ZN5_ERROR_SIZE_MISMATCH, dataset.write_from(image));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, dataset.write_from(image, {}, {1, 1}, {0, {2, 2, 2}}));
}

void opening() {
  set_case("opening");
  auto inner = std::make_shared<memory_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, zn5::dataset::open(store, "a"));
  zn5::dataset::create(store, "a", attributes);
  CHECK_THROWS(ZN5_ERROR_ALREADY_EXISTS, zn5::dataset::create(store, "a", attributes));
  CHECK_THROWS(ZN5_ERROR_NOT_AN_ARRAY, zn5::dataset::open(store, ""));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::dataset::open(store, std::string("a\0", 2)));
  CHECK_THROWS(ZN5_ERROR_INVALID_METADATA, zn5::dataset::create(store, "b", "{\"dimensions\":[1]}"));
  CHECK_EQUAL(20, zn5::dataset::open(store, "a").shape()[0]);
  CHECK_EQUAL(20, zn5::dataset::open(zn5::store::n5_as_zarr(store), "/a/").shape()[0]);
}

void flags() {
  set_case("flags");
  auto inner = std::make_shared<memory_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  const zn5::dataset dataset = zn5::dataset::create(store, "v",
                                                    "{\"dimensions\":[3],\"blockSize\":[2],\"dataType\":"
                                                    "\"uint8\",\"compression\":{\"type\":\"raw\"}}");
  const std::vector<std::uint8_t> zeros(3), numbers{1, 2, 3};
  zn5::io_options io;
  dataset.write(zeros);
  CHECK_EQUAL(0, inner->values.count("v/0"));
  io.write_fill = true;
  dataset.write(zeros, {}, {}, io);
  CHECK_EQUAL(1, inner->values.count("v/0"));
  CHECK_EQUAL(9, inner->values["v/1"].size());
  io.pad_edges = true;
  dataset.write(numbers, {}, {}, io);
  CHECK_EQUAL(10, inner->values["v/1"].size());
  inner->values["v/0"] = "";
  CHECK_THROWS(ZN5_ERROR_EMPTY_BLOCK, dataset.read<std::uint8_t>());
  io.empty_as_missing = true;
  CHECK((dataset.read<std::uint8_t>({}, {}, io) == std::vector<std::uint8_t>{0, 0, 3}));
}

void progress() {
  set_case("progress");
  const zn5::store store = zn5::store::from_interface(std::make_shared<memory_store>());
  const zn5::dataset dataset = zn5::dataset::create(store, "a", attributes);
  const std::thread::id here = std::this_thread::get_id();
  uint64_t last = 0, most = 0;
  bool strange = false;
  zn5::io_options io;
  io.threads = 3;
  io.progress = [&](uint64_t done, uint64_t total) {
    strange = strange || std::this_thread::get_id() != here || done < last;
    last = done;
    most = total;
    return true;
  };
  dataset.write(counted(180), {}, {}, io);
  CHECK(!strange);
  CHECK_EQUAL(12, last);
  CHECK_EQUAL(12, most);

  for (const std::uint32_t threads : {1u, 3u}) {
    io.threads = threads;
    io.progress = [](uint64_t done, uint64_t) { return done < 2; };
    CHECK_THROWS(ZN5_ERROR_CANCELLED, dataset.read<int16_t>({}, {}, io));
    CHECK_THROWS(ZN5_ERROR_CANCELLED, dataset.verify([](const zn5::problem &) {}, io));
    for (const uint64_t when : {0u, 2u, 12u}) {
      io.progress = [when](uint64_t done, uint64_t) {
        if (done >= when)
          throw mine{8};
        return true;
      };
      CHECK_THROWS_MINE(8, dataset.read<int16_t>({}, {}, io));
      CHECK_THROWS_MINE(8, dataset.write(counted(180), {}, {}, io));
    }
    CHECK_THROWS_MINE(8, dataset.verify([](const zn5::problem &) {}, io));
  }
}

void verifying() {
  set_case("verifying");
  auto inner = std::make_shared<memory_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  const zn5::dataset dataset = zn5::dataset::create(store, "a", attributes);
  dataset.write(counted(180));
  int count = 0;
  dataset.verify([&](const zn5::problem &) { count++; });
  CHECK_EQUAL(0, count);
  inner->values["a/1/1"].resize(5);
  inner->values["a/2/0"].clear();
  std::string keys;
  dataset.verify([&](const zn5::problem &found) {
    keys += std::string(found.key) + " " + zn5_status_name(found.status) + "; ";
    CHECK(found.message.substr(0, found.key.size()) == found.key);
    CHECK(found.offset >= -1);
  });
  CHECK_TEXT("a/1/1 ZN5_ERROR_TRUNCATED_BLOCK; a/2/0 ZN5_ERROR_EMPTY_BLOCK; ", keys.c_str());
  dataset.verify([&](const zn5::problem &) {
    count++;
    return false;
  });
  CHECK_EQUAL(1, count);
  CHECK_THROWS_MINE(9, dataset.verify([](const zn5::problem &) { throw mine{9}; }));
  CHECK_THROWS(ZN5_ERROR_TRUNCATED_BLOCK, dataset.read<int16_t>({5, 3}, {1, 1}));
  CHECK_MESSAGE("a/1/1");
}

/* What callbacks are given may be kept. */
void kept_from_callbacks() {
  set_case("kept from callbacks");
  const auto inner = std::make_shared<memory_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  const zn5::dataset dataset =
      zn5::dataset::create(store, "a folder with a name that no small string holds", attributes);
  std::vector<zn5::problem> problems;
  inner->values["a folder with a name that no small string holds/0/0"] = "short";
  inner->values["a folder with a name that no small string holds/1/0"] = "";
  dataset.verify([&](const zn5::problem &found) { problems.push_back(found); });
  CHECK_EQUAL(2, problems.size());
  CHECK(problems[0].key == "a folder with a name that no small string holds/0/0");
  CHECK(problems[0].message.find("holds/0/0: ") != std::string::npos);
  CHECK(problems[1].key == "a folder with a name that no small string holds/1/0");
  CHECK_EQUAL(ZN5_ERROR_EMPTY_BLOCK, problems[1].status);
  std::vector<std::string> names;
  const auto keep = [&](auto name, auto) { names.push_back(name); };
  store.list("", keep);
  store.list_nodes("", keep);
  store.list_nodes("", [&](const std::string &name, zn5::node_kind) { names.push_back(name); });
  store.list_nodes("", [&](std::string_view name, zn5::node_kind) { names.emplace_back(name); });
  CHECK_EQUAL(4, std::count(names.begin(), names.end(), "a folder with a name that no small string holds"));
}

/* Throws at some blocks, from whatever thread it is called. */
class failing_store : public memory_store {
public:
  std::atomic<bool> fails{false};
  std::atomic<int> elsewhere{0};
  const std::thread::id made_by = std::this_thread::get_id();

  bool get(std::string_view key, uint64_t offset, uint64_t max_len, zn5::byte_sink &sink) override {
    act(key);
    return memory_store::get(key, offset, max_len, sink);
  }
  void set(std::string_view key, zn5::bytes value) override {
    act(key);
    memory_store::set(key, value);
  }

private:
  void act(std::string_view key) {
    if (!fails || key.find("json") != std::string_view::npos)
      return;
    if (std::this_thread::get_id() != made_by)
      elsewhere++;
    throw mine{key.front() == 'a' ? 100 : 200};
  }
};

void thrown_elsewhere() {
  set_case("thrown elsewhere");
  auto inner = std::make_shared<failing_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  const zn5::dataset a = zn5::dataset::create(store, "a", attributes), b = zn5::dataset::create(store, "b", attributes);
  const std::vector<int16_t> values = counted(180);
  zn5::io_options io;
  io.threads = 4;
  a.write(values, {}, {}, io);
  b.write(values, {}, {}, io);
  inner->fails = true;
  const int rounds = instrumented() ? 5 : 50;
  for (int round = 0; round < rounds; round++) {
    CHECK_THROWS_MINE(100, a.read<int16_t>({}, {}, io));
    CHECK_THROWS_MINE(200, b.write(values, {}, {}, io));
  }
  /* Two threads at once on one store each get what was thrown for them. */
  std::atomic<int> wrong{0};
  const auto reads = [&](const zn5::dataset &dataset, int number) {
    for (int round = 0; round < rounds; round++)
      try {
        dataset.read<int16_t>({}, {}, io);
        wrong++;
      } catch (const mine &thrown) {
        wrong += thrown.number != number;
      } catch (...) {
        wrong++;
      }
  };
  std::thread other(reads, std::cref(b), 200);
  reads(a, 100);
  other.join();
  CHECK_EQUAL(0, wrong.load());
  CHECK(inner->elsewhere > 0);
  /* A check of all blocks is not ended by one that cannot be got. */
  int problems = 0;
  a.verify([&](const zn5::problem &found) { problems += found.status == ZN5_ERROR_IO; }, io);
  CHECK_EQUAL(12, problems);
  inner->fails = false;
  CHECK(a.read<int16_t>() == values);
}

/* An array of Zarr brings the groups above it, whose attributes are then set as Zarr's. */
void hierarchy() {
  const std::string zarr =
      "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[3],\"data_type\":\"int16\",\"chunk_grid\":"
      "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":"
      "{\"name\":\"default\"},\"fill_value\":0,\"codecs\":[{\"name\":\"bytes\",\"configuration\":"
      "{\"endian\":\"little\"}}]}";
  set_case("hierarchy");
  auto inner = std::make_shared<memory_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  const zn5::dataset dataset = zn5::dataset::create(store, "a/b/0", zarr);
  CHECK(dataset.language() == zn5::metadata_language::zarr);
  store.create_group("a/b");
  store.set_attributes("a/b", "{\"ome\":{}}");
  CHECK_EQUAL(4, inner->values.size());
  CHECK(inner->values["zarr.json"] == zn5::implicit_group());
  CHECK(inner->values["a/zarr.json"] == zn5::implicit_group());
  CHECK(inner->values["a/b/zarr.json"] == "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"ome\":{}}}");
  CHECK(inner->values["a/b/0/zarr.json"] == zarr);
  CHECK(store.node_language("a") == zn5::metadata_language::zarr);
}

} // namespace

int main() {
  typed();
  hierarchy();
  images();
  opening();
  flags();
  progress();
  verifying();
  kept_from_callbacks();
  thrown_elsewhere();
  return test_result();
}
