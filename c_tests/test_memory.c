/* policy_15: decoding takes memory in proportion to the header, the caller's array and the input, whatever a stream
 * claims or expands to: the peak grows by at most header bytes + requested bytes + 16 MiB; for xz by the dictionary
 * too. */
#include "corpus.h"

#define MIB (UINT64_C(1) << 20)

static void decode_all(int xz, uint64_t dictionary) {
  uint64_t before = peak_memory(), most = 0;
  size_t i;
  for (i = 0; i < corpus_count; i++) {
    const corpus_item *item = &corpus[i];
    uint64_t asked = header_bytes(item, item->block, item->len) + item->array_len, grown;
    unsigned char *array;
    if (is_xz(item) != xz)
      continue;
    array = (unsigned char *)allocate(item->array_len);
    if (asked > most)
      most = asked;
    set_case("%s", item->name);
    zn5_decode_block(item->codec, item->block, item->len, NULL, array, item->array_len, NULL);
    zn5_decode_region(item->codec, item->block, item->len, NULL, NULL, NULL, array, item->array_len, 0, NULL, NULL);
    free(array);
    grown = peak_memory() - before;
    if (grown > most + 16 * MIB + dictionary) {
      fail_at(__FILE__, __LINE__, "peak memory grew by %" PRIu64 " bytes", grown);
      before = peak_memory();
    }
  }
}

int main(void) {
  if (peak_memory() == 0 || instrumented()) {
    printf("skipped: peak memory cannot be told here\n");
    return TEST_SKIPPED;
  }
  return_memory_at_once();
  load_corpus();
  decode_all(0, 0);
  decode_all(1, 8 * MIB); /* the dictionary of preset 6, the largest among the vectors */
  free_corpus();
  return test_result();
}
