/* What the tests of zn5.hpp use beside support.h: checks of exceptions, and a store in memory that is a class.
 */
#ifndef ZN5_TEST_SUPPORT_HPP
#define ZN5_TEST_SUPPORT_HPP

#include "support.h"

#include "zn5.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

/* The call throws zn5::error of this status, with a message. */
template <class Call>
int check_throws_at(const char *file, int line, const char *text, zn5_status expected, Call call) {
  try {
    call();
  } catch (const zn5::error &failure) {
    std::snprintf(last_message, sizeof last_message, "%s", failure.what());
    last_offset = failure.offset();
    last_native_code = failure.native_code();
    if (failure.status() == expected && last_message[0] != '\0')
      return 1;
    return fail_at(file, line, "%s throws %s, not %s: %s", text, failure.name(), zn5_status_name(expected),
                   failure.what());
  } catch (const std::exception &failure) {
    return fail_at(file, line, "%s throws no zn5::error: %s", text, failure.what());
  }
  return fail_at(file, line, "%s throws nothing", text);
}

#define CHECK_THROWS(status, expression)                                                                               \
  check_throws_at(__FILE__, __LINE__, #expression, (status), [&] { static_cast<void>(expression); })

/* What no part of zn5 throws. */
struct mine {
  int number;
};

/* The call throws `mine` of this number, unchanged. */
template <class Call> int check_throws_mine_at(const char *file, int line, const char *text, int number, Call call) {
  try {
    call();
  } catch (const mine &thrown) {
    return thrown.number == number ? 1 : fail_at(file, line, "%s throws mine{%d}", text, thrown.number);
  } catch (const std::exception &failure) {
    return fail_at(file, line, "%s throws %s", text, failure.what());
  }
  return fail_at(file, line, "%s throws nothing", text);
}

#define CHECK_THROWS_MINE(number, expression)                                                                          \
  check_throws_mine_at(__FILE__, __LINE__, #expression, (number), [&] { static_cast<void>(expression); })

/* A store in memory that can be written; tests override what they want to fail. */
class memory_store : public zn5::store_interface {
public:
  bool get(std::string_view key, std::uint64_t offset, std::uint64_t max_len, zn5::byte_sink &sink) override {
    std::string value;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      const auto found = values.find(std::string(key));
      if (found == values.end())
        return false;
      const std::size_t begin = std::min<std::uint64_t>(offset, found->second.size());
      value = found->second.substr(begin, std::min<std::uint64_t>(max_len, std::string::npos));
    }
    /* In two pieces, which nobody should notice. */
    sink.write(value.substr(0, value.size() / 2));
    sink.write(value.substr(value.size() / 2));
    return true;
  }

  void list(std::string_view prefix, zn5::entry_sink &sink) override {
    std::map<std::string, zn5::entry_kind> entries;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      for (const auto &value : values) {
        if (value.first.compare(0, prefix.size(), prefix) != 0)
          continue;
        const std::size_t end = value.first.find('/', prefix.size());
        entries[value.first.substr(prefix.size(), end - prefix.size())] =
            end == std::string::npos ? zn5::entry_kind::key : zn5::entry_kind::prefix;
      }
    }
    /* The sink may call back, so no lock is held. */
    for (const auto &entry : entries)
      sink.add(entry.first, entry.second);
  }

  bool is_writable() const override {
    return true;
  }

  void set(std::string_view key, zn5::bytes value) override {
    const std::lock_guard<std::mutex> lock(mutex);
    values[std::string(key)] = std::string(reinterpret_cast<const char *>(value.data()), value.size());
  }

  void erase(std::string_view key) override {
    const std::lock_guard<std::mutex> lock(mutex);
    values.erase(std::string(key));
  }

  std::mutex mutex;
  std::map<std::string, std::string> values;
};

#endif
