/* Regions of a dataset in a folder: equal to the blocks decoded one by one, with threads, strides and both orders;
 * progress and cancelling; what is refused. */
#include "support.h"

#define CHANNELS 3
#define WIDTH 451
#define HEIGHT 300
#define PIXELS (CHANNELS * WIDTH * HEIGHT)

static const char container[] = "examples/data/cat.n5";
static unsigned char whole[PIXELS];

static unsigned char pixel(size_t channel, size_t x, size_t y) {
  return whole[(channel * WIDTH + x) * HEIGHT + y];
}

/* What a program needs, at its shortest. */
static void five_lines(void) {
  static const uint64_t offset[3] = {0, 100, 50}, extent[3] = {3, 20, 10};
  unsigned char box[3 * 20 * 10];
  zn5_store *store;
  zn5_dataset *dataset;
  size_t c, x, y;
  set_case("five lines");
  REQUIRE(zn5_store_open("examples/data/cat.n5", 0, &store, NULL) == ZN5_OK);
  REQUIRE(zn5_dataset_open(store, "photo", NULL, &dataset, NULL) == ZN5_OK);
  CHECK(zn5_dataset_read(dataset, offset, extent, box, sizeof box, 0, NULL, NULL, NULL) == ZN5_OK);
  zn5_dataset_free(dataset);
  zn5_store_free(store);
  for (c = 0; c < 3; c++)
    for (x = 0; x < 20; x++)
      for (y = 0; y < 10; y++)
        CHECK_EQUAL(pixel(c, 100 + x, 50 + y), box[(c * 20 + x) * 10 + y]);
}

static void whole_array(zn5_dataset *dataset) {
  static unsigned char image[PIXELS];
  static const uint32_t threads[] = {0, 1, 4, 100000};
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  size_t t;
  for (t = 0; t < COUNT(threads); t++) {
    set_case("whole, %u threads", (unsigned)threads[t]);
    io.threads = threads[t];
    memset(image, 0xee, sizeof image);
    CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, image, sizeof image, 0, NULL, &io, ERR));
    CHECK_BYTES(whole, image, sizeof image);
  }
}

/* A box in the middle of a larger image, rows from below: nothing around it is touched. */
static void strided(zn5_dataset *dataset) {
  enum { ROW = 4 * 80, ROWS = 70 };
  static const uint64_t offset[3] = {0, 60, 40}, extent[3] = {3, 75, 65};
  static const ptrdiff_t strides[3] = {1, 4, -ROW};
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  guarded image = guard_after(ROW * ROWS);
  size_t c, x, y, touched = 0, i;
  set_case("strided");
  io.threads = 3;
  memset(image.bytes, 0xee, image.len);
  CHECK_STATUS(ZN5_OK,
               zn5_dataset_read(dataset, offset, extent, image.bytes, image.len, 8 + 66 * ROW, strides, &io, ERR));
  for (y = 0; y < 65; y++)
    for (x = 0; x < 75; x++)
      for (c = 0; c < 3; c++) {
        unsigned char *place = image.bytes + 8 + (66 - y) * ROW + 4 * x + c;
        CHECK_EQUAL(pixel(c, 60 + x, 40 + y), *place);
        *place = 0xee;
      }
  for (i = 0; i < image.len; i++)
    touched += image.bytes[i] != 0xee;
  CHECK_EQUAL(0, touched);
  GUARD_FREE(image);
}

static void order_f(const zn5_store *store) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  zn5_dataset *dataset = NULL;
  static unsigned char image[PIXELS];
  size_t c, x, y;
  set_case("F order");
  options.order = ZN5_ORDER_F;
  REQUIRE_OK(zn5_dataset_open(store, "/photo/", &options, &dataset, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, image, sizeof image, 0, NULL, NULL, ERR));
  for (c = 0; c < CHANNELS; c++)
    for (x = 0; x < WIDTH; x += 7)
      for (y = 0; y < HEIGHT; y += 5)
        CHECK_EQUAL(pixel(c, x, y), image[c + CHANNELS * (x + WIDTH * y)]);
  zn5_dataset_free(dataset);
}

typedef struct {
  uint64_t calls, done, total, stop;
  int wrong;
} counter;

static int32_t count(void *user_data, uint64_t done, uint64_t total) {
  counter *c = (counter *)user_data;
  c->wrong += (c->calls == 0 ? done != 0 : done <= c->done) || done > total;
  c->calls++;
  c->done = done;
  c->total = total;
  return done >= c->stop ? 7 : 0;
}

static void progress(zn5_dataset *dataset) {
  static unsigned char image[PIXELS];
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  uint32_t threads;
  for (threads = 1; threads <= 4; threads += 3) {
    counter c = {0, 0, 0, 1000, 0};
    set_case("progress, %u threads", (unsigned)threads);
    io.threads = threads;
    io.progress = count;
    io.user_data = &c;
    CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, NULL, NULL, image, sizeof image, 0, NULL, &io, ERR));
    CHECK(c.wrong == 0 && c.calls >= 2);
    CHECK_EQUAL(25, c.done);
    CHECK_EQUAL(25, c.total);
    c.calls = 0;
    c.stop = 3;
    CHECK_STATUS(ZN5_ERROR_CANCELLED, zn5_dataset_read(dataset, NULL, NULL, image, sizeof image, 0, NULL, &io, ERR));
    c.calls = 0;
    c.stop = 0;
    CHECK_STATUS(ZN5_ERROR_CANCELLED, zn5_dataset_read(dataset, NULL, NULL, image, sizeof image, 0, NULL, &io, ERR));
    CHECK_EQUAL(1, c.calls);
  }
}

static void refusals(const zn5_store *store, zn5_dataset *dataset) {
  static const uint64_t beyond[3] = {0, 452, 0}, edge[3] = {3, 451, 300}, one[3] = {1, 1, 1}, none[3] = {0, 0, 0};
  static const uint64_t far_away[3] = {0, UINT64_MAX, 0};
  static const ptrdiff_t overlapping[3] = {0, 1, 500};
  unsigned char byte[4] = {0xee, 0xee, 0xee, 0xee};
  zn5_dataset *other = (zn5_dataset *)(void *)byte;
  struct {
    zn5_io_options io;
    unsigned char tail[8];
  } longer;
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  set_case("refusals");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_read(dataset, beyond, one, byte, 1, 0, NULL, NULL, ERR));
  CHECK_MESSAGE("axis 1");
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_read(dataset, far_away, one, byte, 1, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_read(dataset, edge, one, byte, 1, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, edge, none, NULL, 0, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, edge, NULL, NULL, 0, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_dataset_read(dataset, none, one, byte, 1, 1, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_dataset_read(dataset, NULL, NULL, byte, 4, 0, NULL, NULL, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT,
               zn5_dataset_read(dataset, NULL, NULL, whole, sizeof whole, 0, overlapping, NULL, ERR));
  CHECK_BYTES("\xee\xee\xee\xee", byte, 4);
  io.flags = 8;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_read(dataset, none, one, byte, 4, 0, NULL, &io, ERR));
  io.flags = 0;
  io.struct_size = sizeof io - 1;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_read(dataset, none, one, byte, 4, 0, NULL, &io, ERR));
  CHECK_MESSAGE("ZN5_IO_OPTIONS_INIT");
  memset(&longer, 0, sizeof longer);
  longer.io.struct_size = sizeof longer;
  CHECK_STATUS(ZN5_OK, zn5_dataset_read(dataset, none, one, byte, 4, 0, NULL, &longer.io, ERR));
  longer.tail[3] = 1;
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_read(dataset, none, one, byte, 4, 0, NULL, &longer.io, ERR));

  CHECK_STATUS(ZN5_ERROR_NOT_FOUND, zn5_dataset_open(store, "foto", NULL, &other, ERR));
  CHECK(other == NULL);
  CHECK_MESSAGE("foto");
  CHECK_STATUS(ZN5_ERROR_NOT_AN_ARRAY, zn5_dataset_open(store, "", NULL, &other, ERR));
  CHECK_STATUS(ZN5_ERROR_NOT_AN_ARRAY, zn5_dataset_open(store, "photo/0", NULL, &other, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_ARGUMENT, zn5_dataset_open(store, "../cat.n5/photo", NULL, &other, ERR));
  CHECK_STATUS(ZN5_ERROR_INVALID_UTF8, zn5_dataset_open(store, "ph\xffoto", NULL, &other, ERR));
  CHECK_EQUAL(2, last_offset);
}

static void facts(const zn5_store *store, const zn5_dataset *dataset) {
  const zn5_codec *codec = zn5_dataset_codec(dataset);
  uint64_t shape[3], chunk[3];
  size_t needed = 0, len;
  char path[1024], *text, *file;
  (void)store;
  set_case("facts");
  CHECK_EQUAL(ZN5_DTYPE_UINT8, zn5_codec_dtype(codec));
  CHECK_EQUAL(3, zn5_codec_ndim(codec));
  CHECK_TEXT("blosc", zn5_codec_compression(codec));
  CHECK_STATUS(ZN5_OK, zn5_codec_chunk_shape(codec, chunk, 3, ERR));
  CHECK(chunk[0] == 3 && chunk[1] == 96 && chunk[2] == 64);
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_dataset_shape(dataset, shape, 2, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_shape(dataset, shape, 3, ERR));
  CHECK(shape[0] == CHANNELS && shape[1] == WIDTH && shape[2] == HEIGHT);
  format_path(path, "%s/photo/attributes.json", container);
  file = (char *)require_file(path, &len);
  CHECK_STATUS(ZN5_OK, zn5_dataset_metadata(dataset, NULL, 0, &needed, ERR));
  CHECK_EQUAL(len, needed);
  text = (char *)allocate(needed);
  CHECK_STATUS(ZN5_ERROR_BUFFER_TOO_SMALL, zn5_dataset_metadata(dataset, text, needed - 1, &needed, ERR));
  CHECK_STATUS(ZN5_OK, zn5_dataset_metadata(dataset, text, needed, &needed, ERR));
  CHECK_BYTES(file, text, len);
  free(text);
  free(file);
}

int main(void) {
  zn5_store *store = NULL;
  zn5_dataset *dataset = NULL;
  ptrdiff_t strides[TEST_MAX_NDIM];
  uint64_t shape[3] = {CHANNELS, WIDTH, HEIGHT};
  char path[1024];
  REQUIRE_OK(zn5_store_open(container, 0, &store, ERR));
  REQUIRE_OK(zn5_dataset_open(store, "photo", NULL, &dataset, ERR));
  strides_of(strides, shape, 3, ZN5_ORDER_C, 1);
  format_path(path, "%s/photo", container);
  CHECK_EQUAL(25, read_dataset(path, zn5_dataset_codec(dataset), whole, sizeof whole, strides));
  five_lines();
  whole_array(dataset);
  strided(dataset);
  order_f(store);
  progress(dataset);
  refusals(store, dataset);
  facts(store, dataset);
  zn5_store_free(store);
  zn5_dataset_free(dataset);
  return test_result();
}
