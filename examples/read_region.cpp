// read_region.cpp: as read_region.c, through zn5.hpp: opens a container that is a folder, and reads a region of an
// array.
//
//   read_region_cpp examples/data/cat.n5 photo

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <zn5.hpp>

static void print_region(const char *folder, const char *array) {
  // In N5's order of axes: channel, x, y. Threads: as many as there are cores.
  const zn5::dataset dataset = zn5::dataset::open(zn5::store::open(folder), array);
  const std::vector<std::uint8_t> region = dataset.read<std::uint8_t>({0, 189, 126}, {3, 6, 4});
  // The last axis is the fastest, as in C.
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 6; x++)
      std::printf("%3d%c", region[static_cast<std::size_t>(x * 4 + y)], x < 5 ? ' ' : '\n');
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: read_region_cpp FOLDER ARRAY\n");
    return 2;
  }
  try {
    print_region(argv[1], argv[2]);
  } catch (const std::exception &failure) {
    // Of zn5 it is a zn5::error, which also tells a status.
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
