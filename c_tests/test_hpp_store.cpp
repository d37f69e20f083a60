/* Stores through zn5.hpp: folders, values and listings by lambda, a store that is a class, and what either of them
 * throws.
 */
#include "support.hpp"

#include "store.h"

#include <filesystem>

namespace {

const char *const array_json = "{\"dimensions\":[3],\"blockSize\":[2],\"dataType\":\"uint8\","
                               "\"compression\":{\"type\":\"raw\"}}";

std::string names_below(const zn5::store &store, std::string_view prefix) {
  std::vector<std::string> names;
  store.list(prefix, [&](std::string_view name, zn5::entry_kind kind) {
    names.push_back(std::string(name) + (kind == zn5::entry_kind::prefix ? "/" : ""));
  });
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string &name : names)
    all += name + " ";
  return all;
}

std::string nodes_below(const zn5::store &store, const std::string &path) {
  std::string all;
  store.list_nodes(path, [&](std::string_view name, zn5::node_kind kind) {
    all += std::string(name) + (kind == zn5::node_kind::group   ? " group "
                                : kind == zn5::node_kind::array ? " array "
                                                                : " unsupported ");
  });
  return all;
}

void values(const zn5::store &store) {
  const std::string text = "some text";
  store.set("a/b", text);
  CHECK(store.get_text("a/b") == text);
  store.set("a/b", std::vector<std::uint16_t>{1, 2});
  CHECK_EQUAL(4, store.get("a/b").size());
  store.set("a/empty", {});
  CHECK(store.get("a/empty").empty() && store.get_text("a/empty").empty());
  CHECK(names_below(store, "a/") == "b empty ");
  CHECK(names_below(store, "") == "a/ ");
  int calls = 0;
  store.list("a/", [&](std::string_view, zn5::entry_kind) {
    calls++;
    return false;
  });
  CHECK_EQUAL(1, calls);
  calls = 0;
  store.get("a/b", [&](zn5::bytes next) {
    calls += static_cast<int>(next.size());
    return false;
  });
  CHECK(calls >= 1);
  CHECK_THROWS_MINE(1, store.list("a/", [](std::string_view, zn5::entry_kind) { throw mine{1}; }));
  CHECK_THROWS_MINE(2, store.get("a/b", [](zn5::bytes) { throw mine{2}; }));
  CHECK_THROWS_MINE(3, store.list("a/", [](std::string_view, zn5::entry_kind) -> bool { throw mine{3}; }));
  store.erase("a/b");
  store.erase("a/b");
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, store.get("a/b"));
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, store.get_text("a/b"));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.get("a/../b"));
  CHECK_THROWS(ZN5_ERROR_INVALID_UTF8, store.set("\xff", text));

  /* Nodes. */
  store.create_group("groups/one");
  store.set("groups/two/attributes.json", std::string(array_json));
  store.set("groups/three/attributes.json", std::string("{\"dimensions\":[3]}"));
  CHECK(nodes_below(store, "groups") == "one group three unsupported two array ");
  CHECK_THROWS_MINE(4, store.list_nodes("groups", [](std::string_view, zn5::node_kind) { throw mine{4}; }));
  calls = 0;
  store.list_nodes("groups", [&](std::string_view, zn5::node_kind) { return ++calls < 2; });
  CHECK_EQUAL(2, calls);
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, nodes_below(store, "nowhere"));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.create_group(std::string("a\0b", 3)));
  store.set_attributes("groups/two", "{\"unit\":\"nm\",\"scale\":1.50}");
  CHECK(store.attributes("groups/two") == "{\"unit\":\"nm\",\"scale\":1.50}");
  CHECK(store.attributes("groups/one") == "{}");
  /* Python writes NaN, which no parser of JSON takes. */
  store.set("nan/attributes.json", std::string("{\"limits\":[NaN,-Infinity]}"));
  CHECK(store.attributes("nan") == "{\"limits\":[NaN,-Infinity]}");
  CHECK(store.attributes_json("nan") == "{\"limits\":[\"NaN\",\"-Infinity\"]}");
  CHECK_THROWS(ZN5_ERROR_INVALID_JSON, store.set_attributes("groups/two", "{"));

  /* Groups of Zarr, because they are asked for, or lie below such a group. */
  CHECK_THROWS(ZN5_ERROR_ALREADY_EXISTS, store.create_group("groups/one", zn5::metadata_language::zarr));
  store.create_group("image", zn5::metadata_language::zarr);
  store.create_group("image/labels/cells");
  CHECK(store.get_text("image/labels/zarr.json") == zn5::implicit_group());
  CHECK(nodes_below(store, "image/labels") == "cells group ");
  CHECK(store.node_language("image/labels/cells") == zn5::metadata_language::zarr);
  CHECK(store.node_language("groups/two") == zn5::metadata_language::n5);
  CHECK(store.node_language("") == zn5::metadata_language::n5);
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, store.node_language("nowhere"));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, store.create_group("x", static_cast<zn5::metadata_language>(3)));
  store.erase("image/labels/cells/zarr.json");
  store.erase("image/labels/zarr.json");
  store.erase("image/zarr.json");

  const zn5::store zarr = zn5::store::n5_as_zarr(store, zn5::chunk_grid::regular, true);
  CHECK(names_below(zarr, "groups/two/") == "zarr.json ");
  CHECK(zarr.get_text("groups/two/zarr.json").find("\"shape\":[3]") != std::string::npos);
  CHECK(zarr.get_text("groups/zarr.json") == zn5::implicit_group());
}

#ifndef _WIN32
void folder() {
  char path[1024];
  set_case("folder");
  make_folder(path);
  const std::string below = std::string(path) + "/below";
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, zn5::store::open(below));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::store::open(std::string("a\0b", 3)));
  {
    zn5::store store = zn5::store::open(below, zn5::store_access::create);
    values(store);
    const zn5::store reader = zn5::store::open(below);
    CHECK(reader.get("a/empty").empty());
    CHECK_THROWS(ZN5_ERROR_READ_ONLY, reader.set("a/c", {}));
    zn5::store moved(std::move(store));
    CHECK(store.handle() == nullptr);
    CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.get("a/empty"));
    store = std::move(moved);
    CHECK(store.get("a/empty").empty());
    store = zn5::store::open(below, zn5::store_access::write);
    store.erase("a/empty");
  }
  remove_folder(path);
}

void paths() {
  char folder[1024];
  set_case("paths");
  make_folder(folder);
  const std::filesystem::path path = std::filesystem::path(folder) / "b\xc3\xa9low";
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, zn5::store::open(path));
  zn5::store::open(path, zn5::store_access::create).set("key", std::vector<int>{1});
  CHECK(std::filesystem::exists(path / "key"));
  CHECK_EQUAL(4, zn5::store::open(path).get("key").size());
  CHECK_EQUAL(4, zn5::store::open(path.string()).get("key").size());
  CHECK_EQUAL(4, zn5::store::open(path.c_str()).get("key").size());
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, zn5::store::open(path / "key" / "below"));
  CHECK_THROWS(ZN5_ERROR_INVALID_ARGUMENT, zn5::store::open(std::filesystem::path(std::string("a\0b", 3))));
  remove_folder(folder);
}
#endif

/* Counts how often it is destroyed. */
class counted_store : public memory_store {
public:
  explicit counted_store(int &destroyed) : destroyed_(destroyed) {
  }
  ~counted_store() override {
    destroyed_++;
  }

private:
  int &destroyed_;
};

void of_a_class() {
  int destroyed = 0;
  set_case("of a class");
  {
    values(zn5::store::from_interface(std::make_unique<counted_store>(destroyed)));
    CHECK_EQUAL(1, destroyed);
    auto shared = std::make_shared<counted_store>(destroyed);
    {
      zn5::store view = zn5::store::n5_as_zarr(zn5::store::from_interface(shared));
      shared->values["attributes.json"] = array_json;
      CHECK(view.get_text("zarr.json").find("\"shape\":[3]") != std::string::npos);
      zn5::store other = std::move(view);
      CHECK(names_below(other, "") == "zarr.json ");
    }
    CHECK_EQUAL(1, destroyed);
  }
  CHECK_EQUAL(2, destroyed);
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, zn5::store::from_interface(nullptr));
}

void copies() {
  set_case("copies");
  int destroyed = 0;
  zn5::codec codec;
  {
    zn5::dataset last;
    {
      zn5::store store = zn5::store::from_interface(std::make_shared<counted_store>(destroyed)), copy = store;
      CHECK(copy.handle() == store.handle());
      store = {};
      CHECK(destroyed == 0 && !store);
      const zn5::dataset dataset = zn5::dataset::create(copy, "v", array_json);
      last = dataset;
      CHECK(last.handle() == dataset.handle());
      copy.set("key", std::vector<int>{1});
    }
    CHECK_EQUAL(0, destroyed);
    last.write(std::vector<std::uint8_t>{7, 8}, {1}, {2});
    CHECK((last.read<std::uint8_t>() == std::vector<std::uint8_t>{0, 7, 8}));
    codec = last.codec();
  }
  CHECK_EQUAL(1, codec.ndim());
  codec = {};
  CHECK_EQUAL(1, destroyed);
  /* Handles in containers, which make empty ones and copy them. */
  std::map<std::string, zn5::store> by_name;
  by_name["a"] = zn5::store::from_interface(std::make_shared<counted_store>(destroyed));
  const std::vector<zn5::store> stores(3, by_name["a"]);
  stores[0].set("key", std::vector<int>{1});
  CHECK_EQUAL(4, stores[2].get("key").size());
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, by_name["b"].get("key"));
}

/* What a store that only reads has to say: get and list. */
class read_only_store : public zn5::store_interface {
public:
  bool get(std::string_view, std::uint64_t, std::uint64_t, zn5::byte_sink &sink) override {
    sink.write(std::string_view("x"));
    return true;
  }
  void list(std::string_view, zn5::entry_sink &) override {
  }
};

void read_only() {
  set_case("read only");
  const zn5::store store = zn5::store::from_interface(std::make_shared<read_only_store>());
  CHECK(store.get_text("a") == "x");
  CHECK(names_below(store, "").empty());
  CHECK_THROWS(ZN5_ERROR_READ_ONLY, store.set("a", {}));
  CHECK_THROWS(ZN5_ERROR_READ_ONLY, store.erase("a"));
  read_only_store direct;
  CHECK_THROWS(ZN5_ERROR_READ_ONLY, direct.set("a", {}));
  CHECK_THROWS(ZN5_ERROR_READ_ONLY, direct.erase("a"));
}

/* Throws where it is told to. */
class throwing_store : public memory_store {
public:
  enum class what { nothing, mine, error, not_found, bad_alloc };
  what next = what::nothing;

  bool get(std::string_view key, std::uint64_t offset, std::uint64_t max_len, zn5::byte_sink &sink) override {
    act();
    return memory_store::get(key, offset, max_len, sink);
  }
  void list(std::string_view prefix, zn5::entry_sink &sink) override {
    act();
    memory_store::list(prefix, sink);
  }
  void set(std::string_view key, zn5::bytes value) override {
    act();
    memory_store::set(key, value);
  }
  void erase(std::string_view key) override {
    act();
    memory_store::erase(key);
  }

private:
  void act() const {
    switch (next) {
    case what::mine:
      throw mine{7};
    case what::error:
      throw zn5::error(ZN5_ERROR_PERMISSION, "the bucket is locked", 5, 403);
    case what::not_found:
      throw zn5::error(ZN5_ERROR_NOT_FOUND, "no such object");
    case what::bad_alloc:
      throw std::bad_alloc();
    case what::nothing:
      break;
    }
  }
};

template <class Call> void check_each_call(throwing_store &inner, Call call) {
  for (int function = 0; function < 4; function++) {
    set_case("throws %d in function %d", static_cast<int>(inner.next), function);
    call(function);
  }
}

void throwing() {
  auto inner = std::make_shared<throwing_store>();
  inner->values["a"] = "x";
  const zn5::store store = zn5::store::from_interface(inner), view = zn5::store::n5_as_zarr(store);
  const auto call = [&](int function) {
    switch (function) {
    case 0:
      return static_cast<void>(store.get("a"));
    case 1:
      return static_cast<void>(names_below(view, ""));
    case 2:
      return store.set("a", {});
    default:
      return view.erase("a");
    }
  };
  inner->next = throwing_store::what::mine;
  check_each_call(*inner, [&](int function) { CHECK_THROWS_MINE(7, call(function)); });
  inner->next = throwing_store::what::error;
  check_each_call(*inner, [&](int function) {
    CHECK_THROWS(ZN5_ERROR_PERMISSION, call(function));
    CHECK_TEXT("the bucket is locked", last_message);
    CHECK_EQUAL(5, last_offset);
    CHECK_EQUAL(403, last_native_code);
  });
  inner->next = throwing_store::what::bad_alloc;
  check_each_call(*inner, [&](int function) {
    bool caught = false;
    try {
      call(function);
    } catch (const std::bad_alloc &) {
      caught = true;
    }
    CHECK(caught);
  });
  /* In a store "not found" is an answer. */
  set_case("not found");
  inner->next = throwing_store::what::not_found;
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, store.get("a"));
  CHECK(names_below(store, "").empty());
  store.erase("a");
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, store.set("a", {}));
  CHECK_TEXT("no such object", last_message);
  /* Nodes and attributes lead through the same functions. */
  inner->next = throwing_store::what::mine;
  CHECK_THROWS_MINE(7, nodes_below(store, ""));
  CHECK_THROWS_MINE(7, store.attributes(""));
  CHECK_THROWS_MINE(7, store.attributes_json(""));
  CHECK_THROWS_MINE(7, store.set_attributes("", "{}"));
  CHECK_THROWS_MINE(7, store.create_group("g"));
  /* More exceptions than are kept, then one more. */
  for (int i = 0; i < 600; i++)
    CHECK_THROWS_MINE(7, store.get("a"));
  inner->next = throwing_store::what::nothing;
  CHECK(store.get_text("a") == "x");
  /* A C caller, who cannot catch, gets a status. */
  inner->next = throwing_store::what::mine;
  CHECK_STATUS(ZN5_ERROR_IO, zn5_store_erase(store.handle(), "a", 1, ERR));
}

/* A store over a store: what the inner one throws comes out of the outer one's call. */
class forwarding_store : public zn5::store_interface {
public:
  explicit forwarding_store(zn5::store inner) : inner_(std::move(inner)) {
  }
  bool get(std::string_view key, std::uint64_t offset, std::uint64_t max_len, zn5::byte_sink &sink) override {
    const std::vector<std::byte> value = inner_.get(key);
    const std::size_t begin = std::min<std::uint64_t>(offset, value.size());
    sink.write(
        {value.data() + begin, static_cast<std::size_t>(std::min<std::uint64_t>(max_len, value.size() - begin))});
    return true;
  }
  void list(std::string_view prefix, zn5::entry_sink &sink) override {
    inner_.list(prefix, [&](std::string_view name, zn5::entry_kind kind) { sink.add(name, kind); });
  }

private:
  zn5::store inner_;
};

void forwarding() {
  set_case("forwarding");
  auto inner = std::make_shared<throwing_store>();
  inner->values["a"] = "x";
  inner->values["b"] = "y";
  const zn5::store store =
      zn5::store::from_interface(std::make_shared<forwarding_store>(zn5::store::from_interface(inner)));
  CHECK(store.get_text("a") == "x");
  CHECK_THROWS(ZN5_ERROR_NOT_FOUND, store.get("c"));
  CHECK(names_below(store, "") == "a b ");
  /* Through two sinks and back. */
  CHECK_THROWS_MINE(5, store.list("", [](std::string_view, zn5::entry_kind) { throw mine{5}; }));
  int calls = 0;
  store.list("", [&](std::string_view, zn5::entry_kind) { return ++calls < 1; });
  CHECK_EQUAL(1, calls);
  inner->next = throwing_store::what::mine;
  CHECK_THROWS_MINE(7, store.get("a"));
  CHECK_THROWS_MINE(7, names_below(store, ""));
}

/* A store whose get writes more than it is asked for, and hides what the sink throws. */
class hiding_store : public memory_store {
public:
  bool get(std::string_view, std::uint64_t, std::uint64_t, zn5::byte_sink &sink) override {
    try {
      sink.write({nullptr, 1});
    } catch (const std::exception &) {
      refusals++;
    }
    return true;
  }
  int refusals = 0;
};

void sinks() {
  set_case("sinks");
  auto inner = std::make_shared<hiding_store>();
  const zn5::store store = zn5::store::from_interface(inner);
  CHECK_THROWS(ZN5_ERROR_NULL_POINTER, store.get("a"));
  CHECK_EQUAL(1, inner->refusals);
}

} // namespace

int main() {
#ifndef _WIN32
  folder();
  paths();
#endif
  of_a_class();
  copies();
  read_only();
  throwing();
  forwarding();
  sinks();
  return test_result();
}
