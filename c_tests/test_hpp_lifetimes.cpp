/* What zn5.hpp owns: shapes, offsets and strides of any integers, kept in variables; temporaries that are asked;
 * handles that threads keep. Small and for itself, as tests/c_abi.rs compiles it by two compilers at every level of
 * optimising, with every warning: where something dangles, that shows at some levels only.
 */
#include "zn5.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <list>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

using std::uint16_t;
using std::uint64_t;

int failures = 0;

void check(bool holds, int line, const char *text) {
  if (!holds) {
    std::fprintf(stderr, "test_hpp_lifetimes.cpp:%d: %s\n", line, text);
    failures++;
  }
}

#define CHECK(...) check((__VA_ARGS__), __LINE__, #__VA_ARGS__)

/* As a program writes its first store. */
class memory_store : public zn5::store_interface {
public:
  /* Tells alive when it is destroyed. */
  explicit memory_store(bool *alive = nullptr) : alive_(alive) {
    if (alive_ != nullptr)
      *alive_ = true;
  }
  memory_store(const memory_store &) = delete;
  memory_store &operator=(const memory_store &) = delete;
  ~memory_store() override {
    if (alive_ != nullptr)
      *alive_ = false;
  }

  bool get(std::string_view key, uint64_t offset, uint64_t max_len, zn5::byte_sink &sink) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const entry &found : entries_) {
      if (found.key != key)
        continue;
      const std::size_t begin = std::min<uint64_t>(offset, found.value.size());
      sink.write({found.value.data() + begin, std::min<uint64_t>(max_len, found.value.size() - begin)});
      return true;
    }
    return false;
  }
  void list(std::string_view, zn5::entry_sink &sink) override {
    sink.add("v", zn5::entry_kind::prefix);
  }
  bool is_writable() const override {
    return true;
  }
  void set(std::string_view key, zn5::bytes value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto *text = reinterpret_cast<const char *>(value.data());
    entries_.insert(entries_.begin(), {std::string(key), std::string(text, value.size())});
  }

private:
  struct entry {
    std::string key, value;
  };
  std::mutex mutex_ = {};
  std::vector<entry> entries_ = {};
  bool *alive_;
};

const char *const volume = "{\"dimensions\":[70,65,3],\"blockSize\":[32,32,2],\"dataType\":\"uint16\","
                           "\"compression\":{\"type\":\"raw\"}}";

/* What the volume has at a place. */
uint16_t at(std::size_t x, std::size_t y, std::size_t z) {
  return static_cast<uint16_t>(x + 100 * y + 7000 * z);
}

zn5::dataset make_volume() {
  zn5::codec_options options;
  options.order = zn5::element_order::f;
  const zn5::dataset dataset =
      zn5::dataset::create(zn5::store::from_interface(std::make_shared<memory_store>()), "v", volume, options);
  std::vector<uint16_t> elements;
  for (std::size_t z = 0; z < 3; z++)
    for (std::size_t y = 0; y < 65; y++)
      for (std::size_t x = 0; x < 70; x++)
        elements.push_back(at(x, y, z));
  dataset.write(elements);
  return dataset;
}

/* ---- Numbers in variables ---- */

void in_variables(const zn5::dataset &d) {
  zn5::shape_view offset = {0, 0, 0}, extent = {64, 64, 1};
  auto v = d.read<std::uint16_t>(offset, extent);
  CHECK(v.size() == 64 * 64);
  CHECK(v.back() == at(63, 63, 0));

  const zn5::coordinates begin{3, 2, 1}, box{5, 1, 1};
  CHECK((d.read<uint16_t>(begin, box) == std::vector<uint16_t>{7203, 7204, 7205, 7206, 7207}));

  std::vector<uint16_t> image(64 * 64, 1);
  zn5::layout place{0, {2, 128, 0}};
  d.read_into(image, offset, extent, place);
  CHECK(image == v);
  place = {4 * 128 + 6, {-2, 128, 0}};
  d.read_into(image, begin, {3, 2, 1}, place);
  CHECK(image[4 * 64 + 1] == at(5, 2, 1) && image[4 * 64 + 3] == at(3, 2, 1) && image[5 * 64 + 1] == at(5, 3, 1));
  place.origin += 128;
  place.strides = {2, 128, 2};
  d.read_into(image, begin, {1, 1, 1}, place);
  CHECK(image[5 * 64 + 3] == at(3, 2, 1));

  /* As members, and from functions. */
  struct window {
    zn5::coordinates offset, extent;
  };
  const window w{{0, 64, 2}, {2, 1, 1}};
  CHECK((d.read<uint16_t>(w.offset, w.extent) == std::vector<uint16_t>{at(0, 64, 2), at(1, 64, 2)}));
  const auto shifted = [](zn5::coordinates numbers, int by) {
    numbers[0] += static_cast<unsigned>(by);
    return numbers;
  };
  CHECK(d.read<uint16_t>(shifted(begin, 10), {1, 1, 1})[0] == at(13, 2, 1));
  std::vector<zn5::coordinates> offsets;
  for (int x = 0; x < 20; x++)
    offsets.push_back({x, 2 * x, 0});
  for (std::size_t i = 0; i < offsets.size(); i++)
    CHECK(d.read<uint16_t>(offsets[i], {1, 1, 1})[0] == at(i, 2 * i, 0));
}

/* ---- Numbers of every type ---- */

template <class From, class To> constexpr bool converts = std::is_convertible<From, To>::value;

/* A container with data() and size() alone, whose size has a sign. */
struct bare {
  const short *data() const {
    return numbers;
  }
  int size() const {
    return 3;
  }
  short numbers[3];
};

/* What stands for a number, as OpenCV's step of a matrix. */
struct step {
  operator std::size_t() const {
    return 128;
  }
};

enum channel { red, green };

bool is_1_2_0(const zn5::coordinates &numbers) {
  return numbers.size() == 3 && numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 0;
}

void of_any_type() {
  const int x = 1;
  const std::size_t y = 2;
  const std::int64_t z = 0;
  CHECK(is_1_2_0({1, 2, 0}));
  CHECK(is_1_2_0({x, y, z}));
  CHECK(is_1_2_0({x, static_cast<unsigned char>(y), static_cast<short>(z)}));
  CHECK(is_1_2_0({1u, 2ul, 0ll}));
  CHECK(is_1_2_0({green, std::integral_constant<int, 2>(), red}));
  CHECK(is_1_2_0(std::vector<int>{1, 2, 0}));
  CHECK(is_1_2_0(std::vector<uint64_t>{1, 2, 0}));
  CHECK(is_1_2_0(std::array<long, 3>{{1, 2, 0}}));
  CHECK(is_1_2_0(std::array<std::int8_t, 3>{{1, 2, 0}}));
  CHECK(is_1_2_0(std::list<unsigned short>{1, 2, 0}));
  CHECK(is_1_2_0(bare{{1, 2, 0}}));
  int array[] = {1, 2, 0};
  const std::size_t sizes[] = {1, 2, 0};
  const std::initializer_list<long> list = {1, 2, 0};
  CHECK(is_1_2_0(array));
  CHECK(is_1_2_0(sizes));
  CHECK(is_1_2_0(list));
  CHECK(is_1_2_0({array, x + 2}));
  CHECK(is_1_2_0({array, 3u}));
  CHECK(is_1_2_0(zn5::byte_strides{1, 2, 0}));
#if __cplusplus >= 202002L
  CHECK(is_1_2_0(std::span<int>(array)));
  const zn5::coordinates kept(std::span<const std::size_t>(sizes, 3));
  const std::span<const uint64_t> seen = kept;
  CHECK(is_1_2_0(kept) && seen.size() == 3 && seen[1] == 2);
#endif
  const zn5::byte_strides strides{x, -x, step(), y, std::numeric_limits<std::ptrdiff_t>::min()};
  CHECK(strides[0] == 1 && strides[1] == -1 && strides[2] == 128 && strides[3] == 2);
  CHECK(strides[4] == std::numeric_limits<std::ptrdiff_t>::min());
  CHECK((zn5::coordinates{UINT64_MAX}[0]) == UINT64_MAX);
  const zn5::layout place{x, {step(), y}};
  CHECK(place.origin == 1 && place.strides.size() == 2);
  CHECK((zn5::layout{step(), {}}.origin) == 128);

  static_assert(converts<std::vector<int> &, zn5::coordinates> && converts<const long(&)[2], zn5::coordinates>, "");
  static_assert(!converts<double, zn5::integer> && !converts<float, zn5::integer>, "no number of elements");
  static_assert(!converts<bool, zn5::integer> && !converts<char, zn5::integer>, "no number of elements");
  static_assert(!converts<std::vector<double>, zn5::coordinates>, "no numbers of elements");
  static_assert(!converts<std::string, zn5::coordinates> && !converts<const char(&)[3], zn5::coordinates>, "no text");
  static_assert(!converts<int, zn5::coordinates>, "one number is one axis only where braces say so");
  static_assert(std::is_nothrow_move_constructible<zn5::coordinates>::value, "");
}

/* ---- Temporaries ---- */

/* Whether an expression of an object of this type compiles. */
#define COMPILES(name, expression)                                                                                     \
  template <class T, class = void> struct name : std::false_type {};                                                   \
  template <class T> struct name<T, std::void_t<decltype(expression)>> : std::true_type {}
COMPILES(has_handle, std::declval<T>().handle());
COMPILES(has_utf8, std::declval<T>().utf8());
COMPILES(has_offsets, std::declval<T>().offsets());

void temporaries() {
  const auto inner = std::make_shared<memory_store>();
  const auto open = [&] { return zn5::dataset::open(zn5::store::from_interface(inner), "v"); };
  zn5::dataset::create(zn5::store::from_interface(inner), "v", volume);
  /* The codec outlives the dataset that it was asked of, and what that keeps. */
  const zn5::codec codec = open().codec();
  std::vector<uint16_t> scratch(100000);
  CHECK((codec.chunk_shape() == std::vector<uint64_t>{32, 32, 2}));
  CHECK(codec.decode_block<uint16_t>(codec.encode_block(std::vector<uint16_t>(2048))).size() == 2048);
  CHECK(std::string(open().codec().compression()) == "raw");
  CHECK(std::string(zn5::data_type_name(open().dtype())) == "uint16");
  const std::string metadata = open().metadata();
  CHECK(metadata == volume && open().shape()[0] == 70);

  const std::vector<std::string> texts{"one text that is too long for a small string", "two"};
  const auto read = [&] { return zn5::utf32::decode_array(zn5::utf32::encode_array(texts, 400), 400); };
  const auto first = read()[0];
  const auto all = read().utf8();
  const auto offsets = read().offsets();
  scratch.assign(scratch.size(), 0x7777);
  CHECK(first == texts[0] && all == texts[0] + texts[1]);
  CHECK((offsets == std::vector<uint64_t>{0, texts[0].size(), texts[0].size() + 3}));
  const zn5::utf32::text_array kept = read();
  static_assert(std::is_same<decltype(kept[0]), std::string_view>::value, "what is kept is not copied");
  static_assert(std::is_same<decltype(read()[0]), std::string>::value, "what is not kept is copied");
  static_assert(std::is_same<decltype(std::declval<const zn5::utf32::text_array>()[0]), std::string>::value, "");
  static_assert(has_utf8<zn5::utf32::text_array>::value && has_offsets<zn5::utf32::text_array>::value, "");
  static_assert(!has_utf8<const zn5::utf32::text_array>::value, "");
  static_assert(!has_offsets<const zn5::utf32::text_array>::value, "");

  static_assert(has_handle<zn5::store &>::value && !has_handle<zn5::store>::value, "");
  static_assert(has_handle<const zn5::dataset &>::value && !has_handle<zn5::dataset>::value, "");
  static_assert(has_handle<zn5::codec &>::value && !has_handle<const zn5::codec>::value, "");
  static_assert(!std::is_copy_constructible<zn5::byte_sink>::value, "a sink ends with its call");
  static_assert(!std::is_copy_constructible<zn5::entry_sink>::value, "a sink ends with its call");

  const auto &options = zn5::codec_options().set_fill_value(std::uint32_t{9});
  scratch.assign(scratch.size(), 0x5555);
  CHECK(options.fill_value == zn5::codec_options().set_fill_value(std::uint32_t{9}).fill_value);
  CHECK(options.fill_value.size() == 4);
}

/* ---- Copies ---- */

/* A lambda, and so a std::function, keeps a copy; threads use and end theirs at once. */
void threads() {
  bool alive = false;
  std::function<std::size_t()> count;
  std::vector<std::size_t> found(4);
  std::vector<std::thread> running;
  {
    const zn5::store store = zn5::store::from_interface(std::make_shared<memory_store>(&alive));
    const zn5::dataset dataset = zn5::dataset::create(store, "v", volume);
    dataset.write(std::vector<uint16_t>(70 * 65 * 3, 3));
    count = [store] {
      std::size_t nodes = 0;
      store.list_nodes("", [&](std::string_view, zn5::node_kind) { nodes++; });
      return nodes;
    };
    for (std::size_t &elements : found)
      running.emplace_back([dataset, store, &elements] {
        zn5::io_options io;
        io.threads = 1;
        for (int round = 0; round < 20; round++) {
          const zn5::dataset copy = dataset, other = zn5::dataset::open(store, "v");
          const std::vector<uint16_t> read =
              (round % 2 == 0 ? copy : other).read<uint16_t>({round, 0, 0}, {2, 3, 1}, io);
          elements += static_cast<std::size_t>(std::count(read.begin(), read.end(), uint16_t{3}));
        }
      });
  }
  for (std::thread &thread : running)
    thread.join();
  CHECK(found == std::vector<std::size_t>(4, 20 * 6));
  CHECK(alive && count() == 1);
  count = nullptr;
  CHECK(!alive);
}

} // namespace

int main() {
  in_variables(make_volume());
  of_any_type();
  temporaries();
  threads();
  return failures != 0;
}
