// A C++ program that uses an installed zn5: decodes three blocks, with destructors for zn5's objects.

#include "cases.h"

#include <zn5.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct codec_deleter {
  void operator()(zn5_codec *codec) const {
    zn5_codec_free(codec);
  }
};

void require(zn5_status status, zn5_error *error) {
  std::string message = zn5_error_message(error);
  zn5_error_free(error);
  if (status != ZN5_OK) {
    throw std::runtime_error(message);
  }
}

std::vector<uint16_t> decode(const block_case &test) {
  std::string attributes = test.attributes;
  zn5_codec *made = nullptr;
  zn5_error *error = nullptr;
  zn5_status status = zn5_codec_from_n5_attributes(attributes.data(), attributes.size(), nullptr, &made, &error);
  std::unique_ptr<zn5_codec, codec_deleter> codec(made);
  require(status, error);

  uint64_t size = 0;
  status = zn5_codec_decoded_size(codec.get(), nullptr, &size, &error);
  require(status, error);
  std::vector<uint16_t> decoded(static_cast<size_t>(size) / sizeof(uint16_t));
  status = zn5_decode_block(codec.get(), test.block, test.block_len, nullptr, decoded.data(),
                            decoded.size() * sizeof(uint16_t), &error);
  require(status, error);
  return decoded;
}

} // namespace

int main() {
  int failures = 0;
  for (const block_case &test : block_cases) {
    try {
      if (decode(test) != std::vector<uint16_t>(test.expected, test.expected + test.expected_count)) {
        throw std::runtime_error("wrong values");
      }
    } catch (const std::exception &failure) {
      std::fprintf(stderr, "%s: %s\n", test.name, failure.what());
      failures++;
    }
  }
  return failures != 0;
}
