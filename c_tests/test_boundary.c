/* Calls every function of zn5.h in every wrong way that its parameters allow, one at a time and two at a time: NULL,
 * lengths of 0, too small and larger than memory, buffers that overlap, unknown numbers and bits, structs of other
 * sizes. Each must give the status that boundary.txt says and the function's comment lists.
 *
 * boundary_cases.h is made from boundary.txt and zn5.h by tests/boundary.rs. */
#include "support.h"

#include "store.h"

/* ---- What the table names ---- */

typedef struct {
  const void *bytes;
  size_t len;
} blob;

#define TEXT_BLOB(name, text) static const blob name = {text, sizeof(text) - 1}

#define N5_ARRAY "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}}"
#define N5_CODEC                                                                                                       \
  "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":{\"order\":"      \
  "[1,0]}},{\"name\":\"bytes\"}]}}"

TEXT_BLOB(type_name, "uint16");
TEXT_BLOB(codec_object, N5_CODEC);
TEXT_BLOB(n5_array, N5_ARRAY);
TEXT_BLOB(zarr_array,
          "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[3,2],\"data_type\":\"uint8\",\"chunk_grid\":"
          "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[3,2]}},\"chunk_key_encoding\":"
          "{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}},\"fill_value\":0,\"codecs\":[" N5_CODEC "]}");
TEXT_BLOB(ab, "ab");
TEXT_BLOB(json_string, "\"ab\"");
TEXT_BLOB(string_type, "{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":48}}");
TEXT_BLOB(numpy_type, "<U3");
TEXT_BLOB(key, "image/0/0");
TEXT_BLOB(prefix, "image/");
TEXT_BLOB(name, "entry");
TEXT_BLOB(user_attributes, "{\"a\":[1,2]}");

static const unsigned char block_bytes[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};
static const blob block = {block_bytes, sizeof block_bytes};
static const unsigned char array_bytes[] = {1, 4, 2, 5, 3, 6};
static const blob array = {array_bytes, sizeof array_bytes};
static const unsigned char element_bytes[24] = {'a', 0, 0, 0, 'b', 0, 0, 0, 0, 0, 0, 0, 'c'};
static const blob element = {element_bytes, 12};
static const blob elements = {element_bytes, 24};

/* ---- The form of boundary_cases.h ---- */

typedef struct {
  void *pointer;
  uint64_t number;
} argument;

/* What a call returns: a number, or, of a function that returns text, that; "*" is any text that is not empty. */
typedef struct {
  int64_t number;
  const char *text;
} outcome;

typedef struct {
  uint64_t number;
  const char *text;
  outcome expected;
} unknown;

typedef enum {
  ROLE_HANDLE,
  ROLE_FREE,
  ROLE_MAKE,
  ROLE_SINK,
  ROLE_INPUT,
  ROLE_LENGTH,
  ROLE_STRING,
  ROLE_EXTENTS,
  ROLE_STRIDES,
  ROLE_OUTPUT,
  ROLE_ROOM,
  ROLE_NUMBERS,
  ROLE_COUNT,
  ROLE_RESULT,
  ROLE_SIZE,
  ROLE_VALUE,
  ROLE_FLAGS,
  ROLE_OPTIONS,
  ROLE_IO,
  ROLE_CALLBACKS,
  ROLE_CALLBACK,
  ROLE_USER_DATA,
  ROLE_ERROR
} role;

enum { KIND_CODEC, KIND_DATASET, KIND_STORE, KIND_ERROR, KIND_GET, KIND_LIST, KIND_BYTES, KIND_ENTRY, KIND_PROBLEM };

typedef struct {
  const char *name;
  role is;
  int partner; /* of a pointer its length, of a length its pointer; -1: none */
  const blob *content;
  uint64_t number; /* the valid number, length or count, the bytes of a result, or a KIND_ */
  int told;        /* a result that is written with ZN5_ERROR_BUFFER_TOO_SMALL too */
  outcome null, empty, zero, less, huge, max;
  const unknown *wrong;
  size_t wrong_count;
} parameter;

typedef struct {
  const char *name;
  int64_t (*call)(const argument *arguments);
  const parameter *parameters;
  int count;
  const zn5_status *documented; /* NULL: does not return how the call went */
  size_t documented_count;
  outcome result;
} function;

/* The valid length is that of the text, which the call itself tells. */
#define TEXT UINT64_MAX
#define MAX_PARAMETERS 12

static const char *returned_text;

static int32_t take_bytes(void *user_data, const void *bytes, size_t len) {
  (void)user_data;
  return bytes != NULL || len == 0 ? 0 : 1;
}

static int32_t take_entry(void *user_data, const char *entry, size_t len, uint32_t kind) {
  (void)user_data;
  return entry != NULL && len != 0 && kind != 0 ? 0 : 1;
}

static int32_t take_problem(void *user_data, zn5_status status, const char *where, size_t len, int64_t offset,
                            const char *message) {
  (void)user_data;
  (void)offset;
  return status != ZN5_OK && where != NULL && len != 0 && message != NULL ? 0 : 1;
}

#include "boundary_cases.h"

/* ---- Objects ---- */

/* A container in memory with one array, and what else a call may need. */
typedef struct {
  memory values;
  zn5_store *store;
  zn5_codec *codec;
  zn5_dataset *dataset;
  zn5_error *error;
} objects;

static void make_objects(objects *o) {
  unsigned char dst[6];
  zn5_status status;
  o->store = memory_store(&o->values);
  set_text(o->store, "attributes.json", "{\"n5\":\"4.0.0\"}");
  set_text(o->store, "image/attributes.json", N5_ARRAY);
  REQUIRE_OK(zn5_store_set(o->store, "image/0/0", 9, block_bytes, sizeof block_bytes, ERR));
  o->codec = codec_from_attributes(N5_ARRAY, NULL);
  REQUIRE_OK(zn5_dataset_open(o->store, "image", NULL, &o->dataset, ERR));
  status = zn5_decode_block(o->codec, NULL, 0, NULL, dst, sizeof dst, &o->error);
  REQUIRE(status == ZN5_ERROR_EMPTY_BLOCK && o->error != NULL);
}

static void **place_of(objects *o, uint64_t kind) {
  switch (kind) {
  case KIND_CODEC:
    return (void **)(void *)&o->codec;
  case KIND_DATASET:
    return (void **)(void *)&o->dataset;
  case KIND_STORE:
    return (void **)(void *)&o->store;
  default:
    return (void **)(void *)&o->error;
  }
}

static void free_object(uint64_t kind, void *object) {
  switch (kind) {
  case KIND_CODEC:
    zn5_codec_free((zn5_codec *)object);
    break;
  case KIND_DATASET:
    zn5_dataset_free((zn5_dataset *)object);
    break;
  case KIND_STORE:
    zn5_store_free((zn5_store *)object);
    break;
  default:
    zn5_error_free((zn5_error *)object);
  }
}

static void free_objects(objects *o) {
  uint64_t kind;
  for (kind = KIND_CODEC; kind <= KIND_ERROR; kind++)
    free_object(kind, *place_of(o, kind));
}

/* ---- Structs that begin with their size ---- */

static zn5_status find_nothing(void *user_data, const char *where, size_t len, uint64_t offset, uint64_t max_len,
                               zn5_sink *sink) {
  (void)user_data;
  (void)where;
  (void)len;
  (void)offset;
  (void)max_len;
  (void)sink;
  return ZN5_ERROR_NOT_FOUND;
}

static zn5_status list_nothing(void *user_data, const char *where, size_t len, zn5_sink *sink) {
  (void)user_data;
  (void)where;
  (void)len;
  (void)sink;
  return ZN5_OK;
}

static const unsigned char fill_value[2] = {7, 7};

/* Number `variant` of a struct, in memory that ends where the struct says that it ends, and what a call with it gives;
 * 0 if there are no more. Number 0 is good. */
static int struct_variant(role is, size_t variant, guarded *g, zn5_status *expected) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  zn5_store_callbacks callbacks = {sizeof callbacks, find_nothing, NULL, NULL, list_nothing, NULL};
  void *bytes = is == ROLE_OPTIONS ? (void *)&options : is == ROLE_IO ? (void *)&io : (void *)&callbacks;
  size_t known = is == ROLE_OPTIONS ? sizeof options : is == ROLE_IO ? sizeof io : sizeof callbacks, i;
  size_t sizes[] = {known,   known + 8, 0, 1, sizeof(size_t), known - 1, known + 8, 4097, (size_t)PTRDIFF_MAX + 1,
                    SIZE_MAX};
  size_t claimed = known, len;
  int tail = variant == 6;
  *expected = ZN5_ERROR_INVALID_ARGUMENT;
  if (variant < COUNT(sizes)) {
    claimed = sizes[variant];
    if (variant < 2)
      *expected = ZN5_OK;
  } else if (is == ROLE_CALLBACKS) {
    *expected = ZN5_ERROR_NULL_POINTER;
    if (variant == COUNT(sizes))
      callbacks.get = NULL;
    else if (variant == COUNT(sizes) + 1)
      callbacks.list = NULL;
    else
      return 0;
  } else {
    const uint32_t all =
        is == ROLE_OPTIONS ? ZN5_STRICT : ZN5_IO_EMPTY_AS_MISSING | ZN5_IO_WRITE_FILL | ZN5_IO_PAD_EDGES;
    i = variant - COUNT(sizes);
    if (i < 32) {
      uint32_t bit = (uint32_t)1 << i;
      *(is == ROLE_OPTIONS ? &options.flags : &io.flags) = bit;
      *expected = (bit & all) != 0 ? ZN5_OK : ZN5_ERROR_INVALID_ARGUMENT;
    } else if (is == ROLE_IO) {
      return 0;
    } else if (i < 35) {
      options.order = i == 32 ? ZN5_ORDER_F : i == 33 ? 2 : UINT32_MAX;
      if (i == 32)
        *expected = ZN5_OK;
    } else if (i < 41) {
      /* A fill value, whose element has one byte. */
      static const size_t lens[] = {1, 0, 2, (size_t)PTRDIFF_MAX + 1, SIZE_MAX, 1};
      options.fill_value_len = lens[i - 35];
      options.fill_value = i == 40 ? NULL : fill_value;
      *expected = i == 35   ? ZN5_OK
                  : i == 40 ? ZN5_ERROR_NULL_POINTER
                  : i >= 38 ? ZN5_ERROR_LIMIT_EXCEEDED
                            : ZN5_ERROR_INVALID_ARGUMENT;
    } else {
      return 0;
    }
  }
  memcpy(bytes, &claimed, sizeof claimed);
  len = claimed < sizeof(size_t) ? sizeof(size_t) : claimed > 4096 ? known : claimed;
  *g = guard_after(len);
  memset(g->bytes, 0, len);
  memcpy(g->bytes, bytes, len < known ? len : known);
  if (tail)
    g->bytes[len - 1] = 1;
  return 1;
}

/* ---- What is changed in a valid call ---- */

typedef enum { CHANGE_NULL, CHANGE_EMPTY, CHANGE_NUMBER, CHANGE_STRING, CHANGE_STRUCT, CHANGE_FREED } change_kind;

typedef struct {
  int at;
  change_kind kind;
  uint64_t number;
  const char *text;
  outcome expected;
  const char *what;
} change;

#define MAX_CHANGES 256

static size_t add(change *list, size_t count, int at, change_kind kind, uint64_t number, const char *text,
                  outcome expected, const char *what) {
  change c;
  c.at = at;
  c.kind = kind;
  c.number = number;
  c.text = text;
  c.expected = expected;
  c.what = what;
  REQUIRE(count < MAX_CHANGES);
  list[count] = c;
  return count + 1;
}

/* All changes of one parameter, appended. `valid` is its valid number. */
static size_t add_changes(const parameter *p, int at, uint64_t valid, change *list, size_t count) {
  const outcome ok = {ZN5_OK, NULL};
  size_t i;
  switch (p->is) {
  case ROLE_ERROR:
    return add(list, count, at, CHANGE_NULL, 0, NULL, ok, "NULL");
  case ROLE_HANDLE:
  case ROLE_FREE:
    count = add(list, count, at, CHANGE_FREED, 0, NULL, p->null, "freed and NULL");
    /* fall through */
  case ROLE_MAKE:
  case ROLE_SINK:
  case ROLE_STRING:
  case ROLE_EXTENTS:
  case ROLE_STRIDES:
  case ROLE_RESULT:
  case ROLE_CALLBACK:
  case ROLE_USER_DATA:
    count = add(list, count, at, CHANGE_NULL, 0, NULL, p->null, "NULL");
    break;
  case ROLE_INPUT:
  case ROLE_OUTPUT:
  case ROLE_NUMBERS:
    count = add(list, count, at, CHANGE_NULL, 0, NULL, p->null, "NULL");
    if (p->partner >= 0)
      count = add(list, count, at, CHANGE_EMPTY, 0, NULL, p->empty, "NULL with length 0");
    break;
  case ROLE_LENGTH:
  case ROLE_ROOM:
  case ROLE_COUNT:
  case ROLE_SIZE:
    /* An origin of 0 is what the valid call has. */
    if (valid != 0)
      count = add(list, count, at, CHANGE_NUMBER, 0, NULL, p->zero, "0");
    if (valid > 1)
      count = add(list, count, at, CHANGE_NUMBER, valid - 1, NULL, p->less, "one too small");
    count = add(list, count, at, CHANGE_NUMBER, (uint64_t)PTRDIFF_MAX + 1, NULL, p->huge, "PTRDIFF_MAX + 1");
    count = add(list, count, at, CHANGE_NUMBER, SIZE_MAX, NULL, p->max, "SIZE_MAX");
    break;
  case ROLE_FLAGS:
    for (i = 0; i < 32; i++)
      if ((p->number >> i & 1) == 0) {
        outcome refused = {ZN5_ERROR_INVALID_ARGUMENT, NULL};
        count = add(list, count, at, CHANGE_NUMBER, (uint64_t)1 << i, NULL, refused, "an unknown bit");
      }
    break;
  case ROLE_OPTIONS:
  case ROLE_IO:
  case ROLE_CALLBACKS:
    count = add(list, count, at, CHANGE_NULL, 0, NULL, p->null, "NULL");
    for (i = 0;; i++) {
      guarded g;
      zn5_status expected;
      outcome result = {0, NULL};
      if (!struct_variant(p->is, i, &g, &expected))
        break;
      GUARD_FREE(g);
      result.number = expected;
      count = add(list, count, at, CHANGE_STRUCT, i, NULL, result, "another struct");
    }
    break;
  case ROLE_VALUE:
    break;
  }
  for (i = 0; i < p->wrong_count; i++) {
    const unknown *w = &p->wrong[i];
    count = add(list, count, at, w->text != NULL ? CHANGE_STRING : CHANGE_NUMBER, w->number, w->text, w->expected,
                "an unknown value");
  }
  return count;
}

/* ---- One call ---- */

/* Two buffers that share memory, at byte offsets in one area. */
typedef struct {
  int input, output;
  size_t input_at, output_at, area_len;
} overlap;

typedef struct {
  const function *f;
  argument a[MAX_PARAMETERS];
  guarded memory[MAX_PARAMETERS];
  int has_memory[MAX_PARAMETERS];
  int64_t returned;
  int calls;
} invocation;

/* The valid number of each parameter; texts have been measured. */
static uint64_t valid_numbers[MAX_PARAMETERS];
static unsigned long case_count;

static zn5_status inside_get(void *user_data, const char *where, size_t len, uint64_t offset, uint64_t max_len,
                             zn5_sink *sink) {
  invocation *call = (invocation *)user_data;
  (void)where;
  (void)len;
  (void)offset;
  (void)max_len;
  if (call->a[0].number != 0)
    call->a[0].pointer = sink;
  call->returned = call->f->call(call->a);
  call->calls++;
  return ZN5_OK;
}

static zn5_status inside_list(void *user_data, const char *where, size_t len, zn5_sink *sink) {
  return inside_get(user_data, where, len, 0, 0, sink);
}

/* Functions for a sink are called where one is: inside a callback. */
static void call_with_sink(invocation *call, uint64_t kind) {
  zn5_store_callbacks callbacks = {sizeof callbacks, inside_get, NULL, NULL, inside_list, NULL};
  zn5_store *store = NULL;
  zn5_status outer, inner;
  REQUIRE_OK(zn5_store_from_callbacks(&callbacks, call, &store, ERR));
  outer = kind == KIND_GET ? zn5_store_get(store, "key", 3, take_bytes, NULL, ERR)
                           : zn5_store_list(store, NULL, 0, take_entry, NULL, ERR);
  inner = (zn5_status)call->returned;
  /* The sink's failure is that of the call; without a sink there is none that it could be told. */
  if (call->a[0].pointer == NULL)
    inner = ZN5_OK;
  CHECK_STATUS(inner, outer);
  CHECK_EQUAL(1, call->calls);
  zn5_store_free(store);
}

static int is_buffer(role is) {
  return is == ROLE_INPUT || is == ROLE_EXTENTS || is == ROLE_STRIDES || is == ROLE_OUTPUT || is == ROLE_NUMBERS ||
         is == ROLE_RESULT || is == ROLE_MAKE || is == ROLE_STRING;
}

static int is_input(role is) {
  return is == ROLE_INPUT || is == ROLE_EXTENTS || is == ROLE_STRIDES;
}

static int is_output(role is) {
  return is == ROLE_OUTPUT || is == ROLE_NUMBERS || is == ROLE_RESULT || is == ROLE_MAKE;
}

/* The bytes of a buffer in the valid call. */
static size_t valid_len(const function *f, int at) {
  const parameter *p = &f->parameters[at];
  switch (p->is) {
  case ROLE_OUTPUT:
    return (size_t)valid_numbers[p->partner];
  case ROLE_NUMBERS:
    return (size_t)valid_numbers[at] * sizeof(uint64_t);
  case ROLE_RESULT:
    return (size_t)p->number;
  case ROLE_MAKE:
    return sizeof(void *);
  default:
    return p->content->len;
  }
}

/* The bytes that the call may use: what the arguments claim, unless that is more than there is. */
static size_t claimed_len(const function *f, int at, const argument *a) {
  const parameter *p = &f->parameters[at];
  size_t len = valid_len(f, at), unit = p->is == ROLE_NUMBERS ? sizeof(uint64_t) : 1;
  if (p->partner >= 0 && a[p->partner].number < len / unit)
    len = (size_t)a[p->partner].number * unit;
  return len;
}

static int all_bytes(const void *bytes, size_t len, unsigned char byte) {
  const unsigned char *b = (const unsigned char *)bytes;
  while (len-- > 0)
    if (*b++ != byte)
      return 0;
  return 1;
}

static int is_documented(const function *f, int64_t status) {
  size_t i;
  for (i = 0; i < f->documented_count; i++)
    if (f->documented[i] == status)
      return 1;
  return 0;
}

/* Makes the call with these changes, and checks all that holds whatever is wrong; `expected` NULL: any documented
 * outcome. */
static void run(const function *f, const change *changes, size_t change_count, const overlap *shared,
                const outcome *expected) {
  invocation call;
  objects o;
  zn5_error *error = (zn5_error *)(void *)&test_poison;
  guarded area = {NULL, 0, NULL, 0, NULL, 0};
  const change *of[MAX_PARAMETERS] = {NULL};
  int at, failed, error_at = -1;
  size_t i;
  REQUIRE(f->count <= MAX_PARAMETERS);
  memset(&call, 0, sizeof call);
  call.f = f;
  make_objects(&o);
  case_count++;
  for (i = 0; i < change_count; i++)
    of[changes[i].at] = &changes[i];
  for (at = 0; at < f->count; at++)
    call.a[at].number = of[at] != NULL && of[at]->kind == CHANGE_NUMBER ? of[at]->number
                        : f->parameters[at].is == ROLE_FLAGS            ? 0
                                                                        : valid_numbers[at];
  for (at = 0; at < f->count; at++)
    if (of[at] != NULL && of[at]->kind == CHANGE_EMPTY)
      call.a[f->parameters[at].partner].number = 0;
  if (shared != NULL)
    area = guard_after(shared->area_len);
  for (at = 0; at < f->count; at++) {
    const parameter *p = &f->parameters[at];
    int is_null = of[at] != NULL && (of[at]->kind == CHANGE_NULL || of[at]->kind == CHANGE_EMPTY);
    if (p->is == ROLE_SINK || p->is == ROLE_CALLBACK)
      call.a[at].number = !is_null;
    if (p->is == ROLE_ERROR && !is_null) {
      error_at = at;
      call.a[at].pointer = &error;
    }
    if (p->is == ROLE_HANDLE || p->is == ROLE_FREE) {
      if (of[at] != NULL && of[at]->kind == CHANGE_FREED) {
        free_object(p->number, *place_of(&o, p->number));
        *place_of(&o, p->number) = NULL;
      }
      call.a[at].pointer = is_null ? NULL : *place_of(&o, p->number);
      if (p->is == ROLE_FREE && !is_null)
        *place_of(&o, p->number) = NULL;
    }
    if (p->is == ROLE_USER_DATA && !is_null)
      call.a[at].pointer = &o;
    if (is_null)
      continue;
    if (p->is == ROLE_OPTIONS || p->is == ROLE_IO || p->is == ROLE_CALLBACKS) {
      zn5_status ignored;
      size_t variant = of[at] != NULL && of[at]->kind == CHANGE_STRUCT ? (size_t)of[at]->number : 0;
      REQUIRE(struct_variant(p->is, variant, &call.memory[at], &ignored));
      call.has_memory[at] = 1;
      call.a[at].pointer = call.memory[at].bytes;
    }
    if (!is_buffer(p->is))
      continue;
    if (shared != NULL && (at == shared->input || at == shared->output)) {
      call.a[at].pointer = area.bytes + (at == shared->input ? shared->input_at : shared->output_at);
    } else if (of[at] != NULL && of[at]->kind == CHANGE_STRING) {
      call.memory[at] = guarded_copy(of[at]->text, strlen(of[at]->text) + 1);
      call.has_memory[at] = 1;
      call.a[at].pointer = call.memory[at].bytes;
    } else {
      size_t len = claimed_len(f, at, call.a);
      call.memory[at] = guard_after(len);
      call.has_memory[at] = 1;
      call.a[at].pointer = call.memory[at].bytes;
      if (p->content != NULL && len != 0)
        memcpy(call.memory[at].bytes, p->content->bytes, len);
    }
  }
  if (shared != NULL && is_input(f->parameters[shared->input].is))
    memcpy(area.bytes + shared->input_at, f->parameters[shared->input].content->bytes, valid_len(f, shared->input));

  returned_text = NULL;
  if (f->count > 0 && f->parameters[0].is == ROLE_SINK)
    call_with_sink(&call, f->parameters[0].number);
  else
    call.returned = f->call(call.a);

  failed = f->documented != NULL && call.returned != ZN5_OK;
  if (f->documented != NULL) {
    const char *got = zn5_status_name((zn5_status)call.returned);
    if (!is_documented(f, call.returned))
      fail_at(__FILE__, __LINE__, "%s, which the comment of the function does not list", got);
    if (expected != NULL && call.returned != expected->number)
      fail_at(__FILE__, __LINE__, "%s, not %s: %s", got, zn5_status_name((zn5_status)expected->number),
              error_at >= 0 && error != (zn5_error *)(void *)&test_poison ? zn5_error_message(error) : "");
  } else if (expected != NULL && expected->text != NULL) {
    CHECK(returned_text != NULL);
    if (strcmp(expected->text, "*") == 0)
      CHECK(returned_text != NULL && returned_text[0] != '\0');
    else
      CHECK_TEXT(expected->text, returned_text);
  } else if (expected != NULL) {
    CHECK_EQUAL(expected->number, call.returned);
  }
  if (error_at >= 0) {
    CHECK(error != (zn5_error *)(void *)&test_poison);
    CHECK((error != NULL) == failed);
    if (failed && error != NULL)
      CHECK(zn5_error_status(error) == call.returned && zn5_error_message(error)[0] != '\0');
    zn5_error_free(error);
  }
  for (at = 0; at < f->count; at++) {
    const parameter *p = &f->parameters[at];
    int in_area = shared != NULL && (at == shared->input || at == shared->output);
    int told = p->told && call.returned == ZN5_ERROR_BUFFER_TOO_SMALL;
    void *made;
    if (p->is == ROLE_MAKE && call.a[at].pointer != NULL) {
      memcpy(&made, call.a[at].pointer, sizeof made);
      if ((made == NULL) != failed)
        fail_at(__FILE__, __LINE__, "a handle goes with success, and NULL with failure: %s", p->name);
      else
        free_object(p->number, made);
    }
    if (!call.has_memory[at] || in_area)
      continue;
    if (p->content != NULL && !(of[at] != NULL && of[at]->kind == CHANGE_STRING) &&
        memcmp(call.memory[at].bytes, p->content->bytes, call.memory[at].len) != 0)
      fail_at(__FILE__, __LINE__, "the input %s was written", p->name);
    if ((p->is == ROLE_RESULT || p->is == ROLE_NUMBERS) && failed && !told &&
        !all_bytes(call.memory[at].bytes, call.memory[at].len, GUARD_PATTERN))
      fail_at(__FILE__, __LINE__, "the result %s was written by a call that failed", p->name);
    if (p->is == ROLE_RESULT && (told || (f->documented != NULL && !failed)) &&
        all_bytes(call.memory[at].bytes, call.memory[at].len, GUARD_PATTERN))
      fail_at(__FILE__, __LINE__, "the result %s was not written", p->name);
    /* Text is written whole or not at all. */
    if (p->is == ROLE_OUTPUT && f->parameters[p->partner].number == TEXT && failed &&
        !all_bytes(call.memory[at].bytes, call.memory[at].len, GUARD_PATTERN))
      fail_at(__FILE__, __LINE__, "text was written to %s by a call that failed", p->name);
    GUARD_FREE(call.memory[at]);
  }
  if (shared != NULL)
    GUARD_FREE(area);
  free_objects(&o);
}

/* ---- All calls of a function ---- */

/* Asks a function that writes text how much that is. */
static void measure(const function *f) {
  int at, needed = -1, room = -1;
  for (at = 0; at < f->count; at++) {
    const parameter *p = &f->parameters[at];
    valid_numbers[at] = p->is == ROLE_LENGTH ? p->content->len : p->number;
    if (p->told && p->is == ROLE_RESULT && p->number == sizeof(size_t))
      needed = at;
    if (p->is == ROLE_ROOM && p->number == TEXT)
      room = at;
  }
  if (room >= 0) {
    argument a[MAX_PARAMETERS];
    objects o;
    uint64_t numbers[8];
    size_t len = 0;
    REQUIRE(needed >= 0);
    memset(a, 0, sizeof a);
    make_objects(&o);
    for (at = 0; at < f->count; at++) {
      const parameter *p = &f->parameters[at];
      a[at].number = valid_numbers[at];
      if (p->content != NULL)
        a[at].pointer = (void *)(uintptr_t)p->content->bytes;
      if (p->is == ROLE_HANDLE)
        a[at].pointer = *place_of(&o, p->number);
      if (p->is == ROLE_NUMBERS)
        a[at].pointer = numbers;
    }
    a[needed].pointer = &len;
    a[room].number = 0;
    REQUIRE(f->call(a) == ZN5_OK && len > 0);
    valid_numbers[room] = len;
    free_objects(&o);
  }
}

/* Every input with every output, and every two outputs: the same begin, a byte in common at either end; and side by
 * side, which is allowed. */
static void overlaps(const function *f) {
  static const char *const places[] = {"at the same place", "overlapping at the front", "overlapping at the end",
                                       "before", "behind"};
  int first, second;
  size_t place;
  for (first = 0; first < f->count; first++)
    for (second = 0; second < f->count; second++) {
      role a = f->parameters[first].is, b = f->parameters[second].is;
      if (!is_output(b) || first == second || !(is_input(a) || (is_output(a) && first < second)))
        continue;
      for (place = 0; place < COUNT(places); place++) {
        size_t la = valid_len(f, first), lb = valid_len(f, second);
        outcome expected = {place < 3 ? ZN5_ERROR_BUFFERS_OVERLAP : ZN5_OK, NULL};
        overlap shared;
        shared.input = first;
        shared.output = second;
        shared.area_len = place == 0 ? (la > lb ? la : lb) : la + lb - (place < 3);
        shared.input_at = place == 1 ? lb - 1 : place == 3 ? lb : 0;
        shared.output_at = place == 2 ? la - 1 : place == 4 ? la : 0;
        set_case("%s: %s, and %s %s", f->name, f->parameters[first].name, f->parameters[second].name, places[place]);
        run(f, NULL, 0, &shared, &expected);
      }
    }
}

static void all_calls(const function *f) {
  change *list = (change *)allocate(MAX_CHANGES * sizeof *list), everything[MAX_PARAMETERS];
  size_t count = 0, i, k, all = 0;
  int at;
  measure(f);
  set_case("%s", f->name);
  run(f, NULL, 0, NULL, &f->result);
  for (at = 0; at < f->count; at++)
    count = add_changes(&f->parameters[at], at, valid_numbers[at], list, count);
  for (i = 0; i < count; i++) {
    const outcome *expected =
        f->documented == NULL || list[i].kind != CHANGE_NULL || f->parameters[list[i].at].is != ROLE_ERROR
            ? &list[i].expected
            : &f->result;
    set_case("%s: %s is %s (%" PRIu64 ")", f->name, f->parameters[list[i].at].name, list[i].what, list[i].number);
    run(f, &list[i], 1, NULL, expected);
  }
  overlaps(f);
  /* Two at a time: what comes first is not promised, but that it is documented is. */
  for (i = 0; i < count; i++)
    for (k = i + 1; k < count; k++) {
      change two[2];
      two[0] = list[i];
      two[1] = list[k];
      if (two[0].at == two[1].at || (instrumented() && !long_run() && (i + k) % 16 != 0))
        continue;
      set_case("%s: %s is %s (%" PRIu64 "), %s is %s (%" PRIu64 ")", f->name, f->parameters[two[0].at].name,
               two[0].what, two[0].number, f->parameters[two[1].at].name, two[1].what, two[1].number);
      run(f, two, 2, NULL, NULL);
    }
  /* NULL and 0 for everything. */
  for (at = 0; at < f->count; at++) {
    const parameter *p = &f->parameters[at];
    if (p->is == ROLE_VALUE || p->is == ROLE_FLAGS || p->is == ROLE_LENGTH || p->is == ROLE_ROOM ||
        p->is == ROLE_COUNT || p->is == ROLE_SIZE)
      all = add(everything, all, at, CHANGE_NUMBER, 0, NULL, f->result, "0");
    else
      all = add(everything, all, at, CHANGE_NULL, 0, NULL, f->result, "NULL");
  }
  set_case("%s: all NULL and 0", f->name);
  if (all > 0)
    run(f, everything, all, NULL, NULL);
  free(list);
}

int main(void) {
  size_t i;
  for (i = 0; i < COUNT(functions); i++)
    all_calls(&functions[i]);
  printf("%lu functions, %lu calls\n", (unsigned long)COUNT(functions), case_count);
  return test_result();
}
