/* The native half of the Java class org.zn5.Native: each function checks what it is given, calls zn5.h, and turns
 * failures into exceptions.
 *
 * Nothing that Java says about sizes is believed. While an array is pinned (GetPrimitiveArrayCritical) no JNI function
 * is called. An error object of zn5 is freed before the exception is thrown. Apart from references to classes and
 * methods, nothing is kept between calls.
 */
#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zn5.h>

#if defined(__GNUC__)
#define EXPORTED JNIEXPORT __attribute__((visibility("default")))
#define UNUSED __attribute__((unused))
#else
#define EXPORTED JNIEXPORT
#define UNUSED
#endif

/* G1, the usual collector, goes on while arrays are pinned from Java 22 on; the first version of JNI that tells so is
 * that of 24. */
#define JNI_VERSION_THAT_COLLECTS_BESIDE_PINS 0x00180000

/* Raw blocks of up to this size are copied in about a millisecond, which collectors of older VMs may wait. */
#define SHORT_PIN_BYTES ((size_t)16 << 20)

/* ---- what is kept: references, set once by JNI_OnLoad --------------------------------------------------------------
 */

enum { KIND_COUNT = 6 };

static const struct {
  const char *array, *buffer;
  size_t width;
} kinds[KIND_COUNT] = {{"[B", "java/nio/ByteBuffer", 1},  {"[S", "java/nio/ShortBuffer", 2},
                       {"[I", "java/nio/IntBuffer", 4},   {"[J", "java/nio/LongBuffer", 8},
                       {"[F", "java/nio/FloatBuffer", 4}, {"[D", "java/nio/DoubleBuffer", 8}};

static struct {
  /* Weak: a strong one would keep the class, and so its loader and this library, for ever. It is alive while one of its
   * methods runs. */
  jweak natives;
  jclass arrays[KIND_COUNT], buffers[KIND_COUNT];
  jmethodID failure, progress, problem;
} java;

/* ---- exceptions ----------------------------------------------------------------------------------------------------
 */

static jbyteArray new_bytes(JNIEnv *env, const void *bytes, size_t len) {
  jbyteArray array;
  if (len > INT32_MAX)
    len = INT32_MAX;
  array = (*env)->NewByteArray(env, (jsize)len);
  if (array != NULL && len > 0)
    (*env)->SetByteArrayRegion(env, array, 0, (jsize)len, (const jbyte *)bytes);
  return array;
}

/* To be deleted; NULL after throwing OutOfMemoryError. */
static jclass local_natives(JNIEnv *env) {
  return (jclass)(*env)->NewLocalRef(env, java.natives);
}

static void throw_message(JNIEnv *env, zn5_status status, jlong offset, jlong native_code, jbyteArray message) {
  jclass natives;
  jobject failure;
  if (message == NULL) /* NewByteArray has thrown OutOfMemoryError. */
    return;
  natives = local_natives(env);
  if (natives == NULL)
    return;
  failure = (*env)->CallStaticObjectMethod(env, natives, java.failure, (jint)status, offset, native_code, message);
  (*env)->DeleteLocalRef(env, natives);
  if ((*env)->ExceptionCheck(env) || failure == NULL)
    return;
  (*env)->Throw(env, (jthrowable)failure);
}

static void throw_text(JNIEnv *env, zn5_status status, const char *text) {
  throw_message(env, status, -1, 0, new_bytes(env, text, strlen(text)));
}

static void throw_error(JNIEnv *env, zn5_status status, zn5_error *error) {
  const char *message = error != NULL ? zn5_error_message(error) : zn5_status_message(status);
  jlong offset = zn5_error_offset(error), native_code = zn5_error_native_code(error);
  jbyteArray bytes = new_bytes(env, message, strlen(message));
  zn5_error_free(error);
  throw_message(env, status, offset, native_code, bytes);
}

/* Returns 1 after success, else throws. An exception that a callback left goes before what zn5 says of it. */
static int succeeded(JNIEnv *env, zn5_status status, zn5_error *error) {
  if (status == ZN5_OK && !(*env)->ExceptionCheck(env))
    return 1;
  if ((*env)->ExceptionCheck(env))
    zn5_error_free(error);
  else
    throw_error(env, status, error);
  return 0;
}

static void throw_out_of_memory(JNIEnv *env) {
  throw_text(env, ZN5_ERROR_OUT_OF_MEMORY, "memory outside the Java heap is exhausted");
}

/* ---- numbers -------------------------------------------------------------------------------------------------------
 */

static int multiply(size_t a, size_t b, size_t *product) {
  if (b != 0 && a > (size_t)PTRDIFF_MAX / b)
    return 0;
  *product = a * b;
  return 1;
}

/* The lists of one call, one number an axis, in one piece of memory. A list that Java gave as null is NULL. */
typedef struct {
  void *memory;
  size_t ndim;
  uint64_t *shape, *offset, *extent, *counter;
  ptrdiff_t *strides, *packed;
} lists;

static int read_list(JNIEnv *env, jlongArray array, size_t ndim, int may_be_negative, int64_t *list) {
  size_t axis;
  if ((size_t)(*env)->GetArrayLength(env, array) != ndim) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT,
               "a shape, offset, extent or list of strides has another length than the array has dimensions");
    return 0;
  }
  if (ndim > 0)
    (*env)->GetLongArrayRegion(env, array, 0, (jsize)ndim, (jlong *)list);
  if ((*env)->ExceptionCheck(env))
    return 0;
  for (axis = 0; axis < ndim; axis++) {
    if (!may_be_negative && list[axis] < 0) {
      throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "a shape, offset or extent has a negative number");
      return 0;
    }
    if (list[axis] > PTRDIFF_MAX || list[axis] < -PTRDIFF_MAX) {
      throw_text(env, ZN5_ERROR_LIMIT_EXCEEDED, "a number is too large for this machine");
      return 0;
    }
  }
  return 1;
}

static int read_lists(JNIEnv *env, size_t ndim, jlongArray shape, jlongArray offset, jlongArray extent,
                      jlongArray strides, lists *l) {
  jlongArray given[3];
  uint64_t **unsigned_lists[3];
  uint64_t *room;
  size_t i;
  memset(l, 0, sizeof *l);
  l->ndim = ndim;
  /* At least one number, so that a pointer is not NULL without dimensions. */
  l->memory = calloc(6 * ndim + 1, sizeof *room);
  if (l->memory == NULL) {
    throw_out_of_memory(env);
    return 0;
  }
  room = (uint64_t *)l->memory;
  given[0] = shape;
  given[1] = offset;
  given[2] = extent;
  unsigned_lists[0] = &l->shape;
  unsigned_lists[1] = &l->offset;
  unsigned_lists[2] = &l->extent;
  for (i = 0; i < 3; i++) {
    if (given[i] == NULL)
      continue;
    *unsigned_lists[i] = room + i * ndim;
    if (!read_list(env, given[i], ndim, 0, (int64_t *)*unsigned_lists[i]))
      goto failed;
  }
  l->counter = room + 3 * ndim;
  l->packed = (ptrdiff_t *)(room + 4 * ndim);
  if (strides != NULL) {
    int64_t *numbers = (int64_t *)(room + 5 * ndim);
    if (!read_list(env, strides, ndim, 1, numbers))
      goto failed;
    l->strides = (ptrdiff_t *)numbers;
    if (sizeof(ptrdiff_t) != sizeof(int64_t))
      for (i = 0; i < ndim; i++)
        l->strides[i] = (ptrdiff_t)numbers[i];
  }
  return 1;
failed:
  free(l->memory);
  l->memory = NULL;
  return 0;
}

/* The bytes of a box; 0 if they are too many. */
static int box_len(const uint64_t *extent, size_t ndim, size_t element_size, size_t *len) {
  size_t axis, product = element_size;
  int empty = 0;
  for (axis = 0; axis < ndim; axis++)
    empty |= extent[axis] == 0;
  for (axis = 0; !empty && axis < ndim; axis++)
    if (extent[axis] > SIZE_MAX || !multiply(product, (size_t)extent[axis], &product))
      return 0;
  *len = empty ? 0 : product;
  return 1;
}

/* Whether all elements of a box lie within `len` bytes. The box is not empty. */
static int box_fits(const lists *l, const uint64_t *extent, size_t element_size, size_t origin, size_t len) {
  size_t axis, low = 0, high = 0, reach;
  for (axis = 0; axis < l->ndim; axis++) {
    ptrdiff_t stride = l->strides[axis];
    size_t size = stride < 0 ? (size_t)-stride : (size_t)stride;
    if (!multiply(size, (size_t)(extent[axis] - 1), &reach))
      return 0;
    if (stride < 0 ? reach > origin - low : reach > (size_t)PTRDIFF_MAX - high)
      return 0;
    if (stride < 0)
      low += reach;
    else
      high += reach;
  }
  return origin <= len && high <= len - origin && element_size <= len - origin - high;
}

/* ---- arrays and buffers --------------------------------------------------------------------------------------------
 */

/* The part of an array or a direct buffer that a call may touch. `bytes` is set for a direct buffer, and while an array
 * is pinned. */
typedef struct {
  jobject array; /* NULL: a direct buffer */
  size_t width, first, len;
  unsigned char *bytes;
} region;

/* Fills `r`, or throws. Bytes hold elements of any type. */
static int region_of(JNIEnv *env, jobject object, jlong first, jlong len, size_t element_size, region *r) {
  size_t kind, all = 0;
  int is_buffer = 0;
  memset(r, 0, sizeof *r);
  if (object == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "an array or buffer is null");
    return 0;
  }
  for (kind = 0; kind < KIND_COUNT; kind++) {
    if ((*env)->IsInstanceOf(env, object, java.arrays[kind]))
      break;
    is_buffer = (*env)->IsInstanceOf(env, object, java.buffers[kind]);
    if (is_buffer)
      break;
  }
  if (kind == KIND_COUNT) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT,
               "not an array of byte, short, int, long, float or double, nor a buffer of them");
    return 0;
  }
  r->width = kinds[kind].width;
  if (r->width != element_size && r->width != 1) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT,
               "the elements of the array or buffer are not as large as those of the data");
    return 0;
  }
  if (is_buffer) {
    jlong capacity = (*env)->GetDirectBufferCapacity(env, object);
    r->bytes = (unsigned char *)(*env)->GetDirectBufferAddress(env, object);
    if (capacity < 0 || (r->bytes == NULL && capacity > 0)) {
      throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "the buffer is not a direct one");
      return 0;
    }
    if (!multiply((size_t)capacity, r->width, &all))
      all = 0;
  } else {
    r->array = object;
    all = (size_t)(*env)->GetArrayLength(env, (jarray)object) * r->width;
  }
  if (first < 0 || len < 0 || (uint64_t)first > all || (uint64_t)len > all - (size_t)first) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "a range leaves its array or buffer");
    return 0;
  }
  r->first = (size_t)first;
  r->len = (size_t)len;
  if (r->bytes != NULL)
    r->bytes += r->first;
  return 1;
}

/* Whether the memory of an array may be used while zn5 works, instead of a copy of it. */
static int may_pin(JNIEnv *env, const char *compression, size_t len) {
  if ((*env)->GetVersion(env) >= JNI_VERSION_THAT_COLLECTS_BESIDE_PINS)
    return 1;
  return len <= SHORT_PIN_BYTES && strcmp(compression, "raw") == 0;
}

/* Between pin and unpin no JNI function may be called. Without success nothing is pinned, and nothing thrown. */
static int pin(JNIEnv *env, region *r) {
  if (r->array == NULL)
    return 1;
  r->bytes = (unsigned char *)(*env)->GetPrimitiveArrayCritical(env, (jarray)r->array, NULL);
  if (r->bytes == NULL)
    return 0;
  r->bytes += r->first;
  return 1;
}

static void unpin(JNIEnv *env, region *r, int was_written) {
  if (r->array == NULL || r->bytes == NULL)
    return;
  (*env)->ReleasePrimitiveArrayCritical(env, (jarray)r->array, r->bytes - r->first, was_written ? 0 : JNI_ABORT);
  r->bytes = NULL;
}

/* A copy of a byte array's part outside of the Java heap, or NULL after throwing. */
static unsigned char *copy_of(JNIEnv *env, const region *r) {
  unsigned char *copy = (unsigned char *)malloc(r->len > 0 ? r->len : 1);
  if (copy == NULL) {
    throw_out_of_memory(env);
    return NULL;
  }
  (*env)->GetByteArrayRegion(env, (jbyteArray)r->array, (jsize)r->first, (jsize)r->len, (jbyte *)copy);
  return copy;
}

/* Strides of a box that lies in one piece, first axis fastest. */
static void pack(const lists *l, const uint64_t *extent, size_t element_size) {
  size_t axis, stride = element_size;
  for (axis = 0; axis < l->ndim; axis++) {
    l->packed[axis] = (ptrdiff_t)stride;
    stride *= (size_t)extent[axis];
  }
}

static void copy_row(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride,
                     uint64_t count, size_t element_size) {
  uint64_t i;
  if (to_stride == from_stride && to_stride == (ptrdiff_t)element_size) {
    memcpy(to, from, (size_t)count * element_size);
    return;
  }
  for (i = 0; i < count; i++) {
    /* Of a constant size, so that compilers make one instruction of it. */
    switch (element_size) {
    case 1:
      *to = *from;
      break;
    case 2:
      memcpy(to, from, 2);
      break;
    case 4:
      memcpy(to, from, 4);
      break;
    case 8:
      memcpy(to, from, 8);
      break;
    default:
      memcpy(to, from, element_size);
    }
    if (i + 1 < count) {
      to += to_stride;
      from += from_stride;
    }
  }
}

/* Copies a box that has strides between its place in an image and a packed copy of it. box_fits() has been asked, and
 * the box is not empty. */
static void copy_box(const lists *l, const uint64_t *extent, size_t element_size, unsigned char *image,
                     unsigned char *packed, int to_image) {
  size_t axis;
  memset(l->counter, 0, l->ndim * sizeof *l->counter);
  for (;;) {
    ptrdiff_t stride = l->ndim > 0 ? l->strides[0] : (ptrdiff_t)element_size;
    uint64_t count = l->ndim > 0 ? extent[0] : 1;
    if (to_image)
      copy_row(image, stride, packed, (ptrdiff_t)element_size, count, element_size);
    else
      copy_row(packed, (ptrdiff_t)element_size, image, stride, count, element_size);
    packed += count * element_size;
    for (axis = 1; axis < l->ndim; axis++) {
      if (++l->counter[axis] < extent[axis]) {
        image += l->strides[axis];
        break;
      }
      l->counter[axis] = 0;
      image -= l->strides[axis] * (ptrdiff_t)(extent[axis] - 1);
    }
    if (axis >= l->ndim)
      return;
  }
}

/* An image and the box of it that a call reads or writes, either in place or through a packed copy. */
typedef struct {
  region image;
  lists l;
  const uint64_t *extent;
  size_t element_size, origin, packed_len;
  unsigned char *packed; /* NULL: in place */
} target;

/* Checks everything; `l` belongs to the target from here on, whether it works or not. */
static int target_of(JNIEnv *env, jobject object, jlong first, jlong len, jlong origin, const lists *l,
                     const uint64_t *extent, size_t element_size, target *t) {
  memset(t, 0, sizeof *t);
  t->l = *l;
  t->extent = extent;
  t->element_size = element_size;
  if (!region_of(env, object, first, len, element_size, &t->image))
    return 0;
  if (origin < 0 || (uint64_t)origin > t->image.len) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "the origin lies outside of the image");
    return 0;
  }
  t->origin = (size_t)origin;
  if (!box_len(extent, l->ndim, element_size, &t->packed_len) ||
      (t->packed_len > 0 && (l->strides == NULL ? t->packed_len > t->image.len - t->origin
                                                : !box_fits(l, extent, element_size, t->origin, t->image.len)))) {
    throw_text(env, ZN5_ERROR_BUFFER_TOO_SMALL, "elements of the region would lie outside of the array or buffer");
    return 0;
  }
  return 1;
}

static int target_allocate(JNIEnv *env, target *t) {
  t->packed = (unsigned char *)malloc(t->packed_len > 0 ? t->packed_len : 1);
  if (t->packed == NULL) {
    throw_out_of_memory(env);
    return 0;
  }
  if (t->l.strides != NULL && t->packed_len > 0)
    pack(&t->l, t->extent, t->element_size);
  return 1;
}

/* Moves the box between image and packed copy. Collectors of older VMs wait for a pin, so that one piece goes in parts.
 */
static int target_copy(JNIEnv *env, target *t, int to_image) {
  size_t done = 0, step;
  while (done < t->packed_len) {
    if (!pin(env, &t->image)) {
      if (!(*env)->ExceptionCheck(env))
        throw_out_of_memory(env);
      return 0;
    }
    if (t->l.strides != NULL) {
      step = t->packed_len;
      copy_box(&t->l, t->extent, t->element_size, t->image.bytes + t->origin, t->packed, to_image);
    } else {
      unsigned char *image = t->image.bytes + t->origin + done, *packed = t->packed + done;
      step = t->packed_len - done < SHORT_PIN_BYTES ? t->packed_len - done : SHORT_PIN_BYTES;
      memcpy(to_image ? image : packed, to_image ? packed : image, step);
    }
    unpin(env, &t->image, to_image);
    done += step;
  }
  return 1;
}

static void target_free(target *t) {
  free(t->packed);
  free(t->l.memory);
}

/* Where zn5 finds the box: the image itself, or its packed copy. */
static unsigned char *target_bytes(const target *t) {
  return t->packed != NULL ? t->packed : t->image.bytes;
}
static size_t target_len(const target *t) {
  return t->packed != NULL ? t->packed_len : t->image.len;
}
static size_t target_origin(const target *t) {
  return t->packed != NULL ? 0 : t->origin;
}
static const ptrdiff_t *target_strides(const target *t) {
  return t->packed != NULL && t->l.strides != NULL && t->packed_len > 0 ? t->l.packed : t->l.strides;
}

/* ---- text ----------------------------------------------------------------------------------------------------------
 */

/* A NUL-terminated copy of a byte array, or NULL after throwing. */
static char *text_of(JNIEnv *env, jbyteArray array, size_t *len) {
  char *text;
  jsize count;
  if (array == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "a text is null");
    return NULL;
  }
  count = (*env)->GetArrayLength(env, array);
  text = (char *)malloc((size_t)count + 1);
  if (text == NULL) {
    throw_out_of_memory(env);
    return NULL;
  }
  (*env)->GetByteArrayRegion(env, array, 0, count, (jbyte *)text);
  text[count] = '\0';
  *len = (size_t)count;
  return text;
}

/* A path for zn5, which ends at the first NUL: one inside is refused. */
static char *path_of(JNIEnv *env, jbyteArray array) {
  size_t len;
  char *path = text_of(env, array, &len);
  if (path != NULL && strlen(path) != len) {
    free(path);
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "a path has a NUL character");
    return NULL;
  }
  return path;
}

/* What the two calls for a text have in common; `get` is called with a buffer of the size that it told. */
typedef zn5_status (*text_getter)(const void *object, char *dst, size_t dst_len, size_t *needed, zn5_error **error);

static jbyteArray get_text(JNIEnv *env, text_getter get, const void *object) {
  zn5_error *error = NULL;
  size_t len = 0;
  char *text;
  jbyteArray array = NULL;
  if (!succeeded(env, get(object, NULL, 0, &len, &error), error))
    return NULL;
  text = (char *)malloc(len > 0 ? len : 1);
  if (text == NULL) {
    throw_out_of_memory(env);
    return NULL;
  }
  if (succeeded(env, get(object, text, len, &len, &error), error))
    array = new_bytes(env, text, len);
  free(text);
  return array;
}

/* ---- the library ---------------------------------------------------------------------------------------------------
 */

static jint JNICALL version_number(JNIEnv *env UNUSED, jclass class UNUSED) {
  return (jint)zn5_version_number();
}

static jstring JNICALL version_string(JNIEnv *env, jclass class UNUSED) {
  return (*env)->NewStringUTF(env, zn5_version_string());
}

static jstring JNICALL build_info(JNIEnv *env, jclass class UNUSED) {
  return (*env)->NewStringUTF(env, zn5_build_info());
}

static jstring JNICALL status_name(JNIEnv *env, jclass class UNUSED, jint status) {
  return (*env)->NewStringUTF(env, zn5_status_name(status));
}

static jboolean JNICALL compression_available(JNIEnv *env, jclass class UNUSED, jbyteArray name) {
  jboolean available;
  size_t len;
  char *text = text_of(env, name, &len);
  if (text == NULL)
    return JNI_FALSE;
  available = strlen(text) == len && zn5_compression_available(text) != 0;
  free(text);
  return available;
}

/* ---- codecs --------------------------------------------------------------------------------------------------------
 */

static const zn5_codec *codec_of(JNIEnv *env, jlong handle) {
  if (handle == 0)
    throw_text(env, ZN5_ERROR_NULL_POINTER, "the codec is null");
  return (const zn5_codec *)(intptr_t)handle;
}

static zn5_codec_options options_of(jint order, jint flags, jlong max_decoded_bytes) {
  zn5_codec_options options = ZN5_CODEC_OPTIONS_INIT;
  options.order = (zn5_order)order;
  options.flags = (uint32_t)flags;
  options.max_decoded_bytes = (uint64_t)max_decoded_bytes;
  return options;
}

static jlong JNICALL codec_new(JNIEnv *env, jclass class UNUSED, jbyteArray json, jboolean is_zarr, jint order,
                               jint flags, jlong max_decoded_bytes) {
  zn5_codec_options options = options_of(order, flags, max_decoded_bytes);
  zn5_codec *codec = NULL;
  zn5_error *error = NULL;
  zn5_status status;
  size_t len;
  char *text = text_of(env, json, &len);
  if (text == NULL)
    return 0;
  status = is_zarr ? zn5_codec_from_zarr_metadata(text, len, &options, &codec, &error)
                   : zn5_codec_from_n5_attributes(text, len, &options, &codec, &error);
  free(text);
  return succeeded(env, status, error) ? (jlong)(intptr_t)codec : 0;
}

static void JNICALL codec_free(JNIEnv *env UNUSED, jclass class UNUSED, jlong handle) {
  zn5_codec_free((zn5_codec *)(intptr_t)handle);
}

static jint JNICALL codec_dtype(JNIEnv *env UNUSED, jclass class UNUSED, jlong handle) {
  return (jint)zn5_codec_dtype((const zn5_codec *)(intptr_t)handle);
}

static jlong JNICALL codec_element_size(JNIEnv *env UNUSED, jclass class UNUSED, jlong handle) {
  return (jlong)zn5_codec_element_size((const zn5_codec *)(intptr_t)handle);
}

static jint JNICALL codec_ndim(JNIEnv *env UNUSED, jclass class UNUSED, jlong handle) {
  return (jint)zn5_codec_ndim((const zn5_codec *)(intptr_t)handle);
}

static jstring JNICALL codec_compression(JNIEnv *env, jclass class UNUSED, jlong handle) {
  return (*env)->NewStringUTF(env, zn5_codec_compression((const zn5_codec *)(intptr_t)handle));
}

static zn5_status json_of_codec(const void *codec, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  return zn5_codec_to_json((const zn5_codec *)codec, dst, dst_len, needed, error);
}

static jbyteArray JNICALL codec_json(JNIEnv *env, jclass class UNUSED, jlong handle) {
  return get_text(env, json_of_codec, (const void *)(intptr_t)handle);
}

static zn5_status fill_value_of_codec(const void *object, char *dst, size_t dst_len, size_t *needed,
                                      zn5_error **error) {
  const zn5_codec *codec = (const zn5_codec *)object;
  *needed = zn5_codec_element_size(codec);
  if (dst == NULL) {
    *error = NULL;
    return ZN5_OK;
  }
  return zn5_codec_fill_value(codec, dst, dst_len, error);
}

static jbyteArray JNICALL codec_fill_value(JNIEnv *env, jclass class UNUSED, jlong handle) {
  if (codec_of(env, handle) == NULL)
    return NULL;
  return get_text(env, fill_value_of_codec, (const void *)(intptr_t)handle);
}

/* The longs of a list of extents that zn5 tells. */
typedef zn5_status (*shape_getter)(const void *object, uint64_t *shape, size_t shape_count, zn5_error **error);

static jlongArray get_shape(JNIEnv *env, shape_getter get, const void *object, size_t ndim) {
  zn5_error *error = NULL;
  jlongArray array = NULL;
  uint64_t *shape = (uint64_t *)calloc(ndim + 1, sizeof *shape);
  if (shape == NULL) {
    throw_out_of_memory(env);
    return NULL;
  }
  if (succeeded(env, get(object, shape, ndim, &error), error)) {
    array = (*env)->NewLongArray(env, (jsize)ndim);
    /* zn5 admits no extent above 2^63 - 1, so that none becomes negative. */
    if (array != NULL && ndim > 0)
      (*env)->SetLongArrayRegion(env, array, 0, (jsize)ndim, (const jlong *)shape);
  }
  free(shape);
  return array;
}

static zn5_status chunk_shape_of(const void *codec, uint64_t *shape, size_t shape_count, zn5_error **error) {
  return zn5_codec_chunk_shape((const zn5_codec *)codec, shape, shape_count, error);
}

static zn5_status array_shape_of(const void *codec, uint64_t *shape, size_t shape_count, zn5_error **error) {
  return zn5_codec_array_shape((const zn5_codec *)codec, shape, shape_count, error);
}

static jlongArray JNICALL codec_shape(JNIEnv *env, jclass class UNUSED, jlong handle, jboolean of_array) {
  const zn5_codec *codec = codec_of(env, handle);
  if (codec == NULL)
    return NULL;
  return get_shape(env, of_array ? array_shape_of : chunk_shape_of, codec, zn5_codec_ndim(codec));
}

static jlong JNICALL codec_size(JNIEnv *env, jclass class UNUSED, jlong handle, jlongArray shape, jboolean encoded) {
  const zn5_codec *codec = codec_of(env, handle);
  zn5_error *error = NULL;
  uint64_t size = 0;
  zn5_status status;
  lists l;
  if (codec == NULL || !read_lists(env, zn5_codec_ndim(codec), shape, NULL, NULL, NULL, &l))
    return 0;
  status = encoded ? zn5_codec_encode_bound(codec, l.shape, &size, &error)
                   : zn5_codec_decoded_size(codec, l.shape, &size, &error);
  free(l.memory);
  return succeeded(env, status, error) ? (jlong)size : 0;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------
 */

/* Without copies. If a pin fails, the status is ZN5_ERROR_OUT_OF_MEMORY, and perhaps the VM has thrown. */
static zn5_status decode_in_place(JNIEnv *env, const zn5_codec *codec, region *src, target *t, zn5_error **error) {
  zn5_status status = ZN5_ERROR_OUT_OF_MEMORY;
  *error = NULL;
  if (!pin(env, src))
    return status;
  if (pin(env, &t->image)) {
    status = zn5_decode_region(codec, src->bytes, src->len, t->l.shape, t->l.offset, t->extent, target_bytes(t),
                               target_len(t), target_origin(t), target_strides(t), error);
    unpin(env, &t->image, 1);
  }
  unpin(env, src, 0);
  return status;
}

static void JNICALL decode(JNIEnv *env, jclass class UNUSED, jlong handle, jobject block, jlong block_first,
                           jlong block_len, jlongArray shape, jlongArray offset, jlongArray extent, jobject image,
                           jlong image_first, jlong image_len, jlong origin, jlongArray strides) {
  const zn5_codec *codec = codec_of(env, handle);
  const char *compression;
  unsigned char *copy = NULL;
  zn5_error *error = NULL;
  zn5_status status;
  region src;
  target t;
  lists l;
  if (codec == NULL)
    return;
  if (shape == NULL || extent == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "a shape or extent is null");
    return;
  }
  if (!region_of(env, block, block_first, block_len, 1, &src))
    return;
  if (!read_lists(env, zn5_codec_ndim(codec), shape, offset, extent, strides, &l))
    return;
  if (!target_of(env, image, image_first, image_len, origin, &l, l.extent, zn5_codec_element_size(codec), &t))
    goto done;
  compression = zn5_codec_compression(codec);
  if (t.image.array == NULL ? src.array == NULL : may_pin(env, compression, t.packed_len + src.len)) {
    status = decode_in_place(env, codec, &src, &t, &error);
    (void)succeeded(env, status, error);
    goto done;
  }
  if (src.array != NULL) {
    copy = copy_of(env, &src);
    if (copy == NULL)
      goto done;
    src.array = NULL;
    src.bytes = copy;
  }
  if (t.image.array != NULL && !target_allocate(env, &t))
    goto done;
  status = zn5_decode_region(codec, src.bytes, src.len, l.shape, l.offset, l.extent, target_bytes(&t), target_len(&t),
                             target_origin(&t), target_strides(&t), &error);
  if (succeeded(env, status, error) && t.packed != NULL)
    (void)target_copy(env, &t, 1);
done:
  free(copy);
  target_free(&t);
}

static jbyteArray JNICALL encode(JNIEnv *env, jclass class UNUSED, jlong handle, jlongArray shape, jobject image,
                                 jlong image_first, jlong image_len, jlong origin, jlongArray strides) {
  const zn5_codec *codec = codec_of(env, handle);
  jbyteArray block = NULL;
  unsigned char *dst = NULL;
  zn5_error *error = NULL;
  zn5_status status;
  uint64_t bound = 0;
  size_t written = 0;
  int pinned;
  target t;
  lists l;
  if (codec == NULL)
    return NULL;
  if (shape == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "the shape is null");
    return NULL;
  }
  if (!read_lists(env, zn5_codec_ndim(codec), shape, NULL, NULL, strides, &l))
    return NULL;
  if (!target_of(env, image, image_first, image_len, origin, &l, l.shape, zn5_codec_element_size(codec), &t))
    goto done;
  if (!succeeded(env, zn5_codec_encode_bound(codec, l.shape, &bound, &error), error))
    goto done;
  if (bound > PTRDIFF_MAX || (dst = (unsigned char *)malloc(bound > 0 ? (size_t)bound : 1)) == NULL) {
    throw_out_of_memory(env);
    goto done;
  }
  pinned = t.image.array != NULL && may_pin(env, zn5_codec_compression(codec), t.packed_len);
  if (t.image.array != NULL && !pinned && (!target_allocate(env, &t) || !target_copy(env, &t, 0)))
    goto done;
  if (pinned && !pin(env, &t.image)) {
    if (!(*env)->ExceptionCheck(env))
      throw_out_of_memory(env);
    goto done;
  }
  status = zn5_encode_region(codec, l.shape, target_bytes(&t), target_len(&t), target_origin(&t), target_strides(&t),
                             dst, (size_t)bound, &written, &error);
  if (pinned)
    unpin(env, &t.image, 0);
  if (!succeeded(env, status, error))
    goto done;
  if (written > INT32_MAX)
    throw_text(env, ZN5_ERROR_LIMIT_EXCEEDED, "the block has more bytes than a Java array holds");
  else
    block = new_bytes(env, dst, written);
done:
  free(dst);
  target_free(&t);
  return block;
}

static void JNICALL fill(JNIEnv *env, jclass class UNUSED, jlong handle, jlongArray shape, jobject image, jlong first,
                         jlong len) {
  const zn5_codec *codec = codec_of(env, handle);
  zn5_error *error = NULL;
  zn5_status status = ZN5_ERROR_OUT_OF_MEMORY;
  target t;
  lists l;
  if (codec == NULL)
    return;
  if (shape == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "the shape is null");
    return;
  }
  if (!read_lists(env, zn5_codec_ndim(codec), shape, NULL, NULL, NULL, &l))
    return;
  if (target_of(env, image, first, len, 0, &l, l.shape, zn5_codec_element_size(codec), &t)) {
    if (pin(env, &t.image)) {
      status = zn5_fill_block(codec, l.shape, t.image.bytes, t.image.len, &error);
      unpin(env, &t.image, 1);
    }
    (void)succeeded(env, status, error);
  }
  target_free(&t);
}

/* {mode, element count, bytes of the header, extents...} */
static jlongArray JNICALL block_header(JNIEnv *env, jclass class UNUSED, jobject block, jlong first, jlong len) {
  enum { LONGEST = 16 + 4 * UINT16_MAX };
  unsigned char *copy = NULL;
  const void *bytes;
  uint64_t *numbers = NULL, count = 0;
  jlongArray result = NULL;
  zn5_error *error = NULL;
  uint16_t mode = 0, ndim = 0;
  size_t header_len = 0;
  region src;
  if (!region_of(env, block, first, len, 1, &src))
    return NULL;
  bytes = src.bytes;
  if (src.array != NULL) {
    /* No header is longer. */
    if (src.len > LONGEST)
      src.len = LONGEST;
    copy = copy_of(env, &src);
    if (copy == NULL)
      return NULL;
    bytes = copy;
  }
  numbers = (uint64_t *)calloc(3 + (size_t)UINT16_MAX, sizeof *numbers);
  if (numbers == NULL)
    throw_out_of_memory(env);
  else if (succeeded(
               env,
               zn5_block_header(bytes, src.len, &mode, &ndim, numbers + 3, UINT16_MAX, &count, &header_len, &error),
               error)) {
    numbers[0] = mode;
    numbers[1] = count;
    numbers[2] = header_len;
    result = (*env)->NewLongArray(env, 3 + ndim);
    if (result != NULL)
      (*env)->SetLongArrayRegion(env, result, 0, 3 + ndim, (const jlong *)numbers);
  }
  free(numbers);
  free(copy);
  return result;
}

static zn5_status key_of(const void *object, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  const lists *l = (const lists *)object;
  return zn5_block_key((uint32_t)l->ndim, l->shape, dst, dst_len, needed, error);
}

static jbyteArray JNICALL block_key(JNIEnv *env, jclass class UNUSED, jlongArray grid) {
  jbyteArray key;
  lists l;
  if (grid == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "the grid position is null");
    return NULL;
  }
  if (!read_lists(env, (size_t)(*env)->GetArrayLength(env, grid), grid, NULL, NULL, NULL, &l))
    return NULL;
  key = get_text(env, key_of, &l);
  free(l.memory);
  return key;
}

/* ---- metadata ------------------------------------------------------------------------------------------------------
 */

typedef struct {
  const char *json;
  size_t len;
  uint32_t flags;
} document;

static zn5_status to_zarr(const void *object, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  const document *d = (const document *)object;
  return zn5_metadata_n5_to_zarr(d->json, d->len, d->flags, dst, dst_len, needed, error);
}

static zn5_status to_n5(const void *object, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  const document *d = (const document *)object;
  return zn5_metadata_zarr_to_n5(d->json, d->len, d->flags, dst, dst_len, needed, error);
}

static jbyteArray JNICALL convert_metadata(JNIEnv *env, jclass class UNUSED, jbyteArray json, jboolean into_zarr,
                                           jint flags) {
  jbyteArray result;
  document d;
  char *text = text_of(env, json, &d.len);
  if (text == NULL)
    return NULL;
  d.json = text;
  d.flags = (uint32_t)flags;
  result = get_text(env, into_zarr ? to_zarr : to_n5, &d);
  free(text);
  return result;
}

/* ---- strings -------------------------------------------------------------------------------------------------------
 */

static jbyteArray JNICALL utf32_encode(JNIEnv *env, jclass class UNUSED, jbyteArray utf8, jlongArray offsets,
                                       jint endian, jlong length_bytes) {
  zn5_error *error = NULL;
  jbyteArray result = NULL;
  size_t count, dst_len, len = 0;
  unsigned char *dst = NULL;
  char *text;
  lists l;
  if (offsets == NULL || (*env)->GetArrayLength(env, offsets) < 1 || length_bytes < 0) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "no offsets of texts, or a negative length of elements");
    return NULL;
  }
  count = (size_t)(*env)->GetArrayLength(env, offsets) - 1;
  if ((uint64_t)length_bytes > SIZE_MAX || !multiply(count, (size_t)length_bytes, &dst_len) || dst_len > INT32_MAX) {
    throw_text(env, ZN5_ERROR_LIMIT_EXCEEDED, "the elements have more bytes than a Java array holds");
    return NULL;
  }
  text = text_of(env, utf8, &len);
  if (text == NULL)
    return NULL;
  if (read_lists(env, count + 1, offsets, NULL, NULL, NULL, &l)) {
    dst = (unsigned char *)malloc(dst_len > 0 ? dst_len : 1);
    if (dst == NULL)
      throw_out_of_memory(env);
    else if (succeeded(env,
                       zn5_utf32_encode_array(text, len, l.shape, count, (zn5_endian)endian, (size_t)length_bytes, dst,
                                              dst_len, &error),
                       error))
      result = new_bytes(env, dst, dst_len);
    free(l.memory);
  }
  free(dst);
  free(text);
  return result;
}

static jbyteArray JNICALL utf32_decode(JNIEnv *env, jclass class UNUSED, jobject elements, jlong first, jlong len,
                                       jint endian, jlong length_bytes, jlongArray offsets) {
  unsigned char *copy = NULL;
  zn5_error *error = NULL;
  jbyteArray result = NULL;
  uint64_t *starts = NULL;
  size_t count, needed = 0;
  const void *bytes;
  char *text = NULL;
  region src;
  if (offsets == NULL || (*env)->GetArrayLength(env, offsets) < 1 || length_bytes < 0) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "no room for offsets, or a negative length of elements");
    return NULL;
  }
  count = (size_t)(*env)->GetArrayLength(env, offsets) - 1;
  if (!region_of(env, elements, first, len, 1, &src))
    return NULL;
  bytes = src.bytes;
  if (src.array != NULL) {
    copy = copy_of(env, &src);
    if (copy == NULL)
      return NULL;
    bytes = copy;
  }
  /* UTF-8 never takes more bytes than UTF-32. */
  text = (char *)malloc(src.len > 0 ? src.len : 1);
  starts = (uint64_t *)calloc(count + 1, sizeof *starts);
  if (text == NULL || starts == NULL)
    throw_out_of_memory(env);
  else if (succeeded(env,
                     zn5_utf32_decode_array(bytes, src.len, count, (zn5_endian)endian, (size_t)length_bytes, text,
                                            src.len, starts, &needed, &error),
                     error)) {
    (*env)->SetLongArrayRegion(env, offsets, 0, (jsize)(count + 1), (const jlong *)starts);
    result = (*env)->ExceptionCheck(env) ? NULL : new_bytes(env, text, needed);
  }
  free(starts);
  free(text);
  free(copy);
  return result;
}

static jlong JNICALL utf32_validate(JNIEnv *env, jclass class UNUSED, jobject elements, jlong first, jlong len,
                                    jlong count, jint endian, jlong length_bytes) {
  unsigned char *copy = NULL;
  zn5_error *error = NULL;
  size_t bad_index = 0;
  const void *bytes;
  jlong result = -1;
  region src;
  if (count < 0 || length_bytes < 0) {
    throw_text(env, ZN5_ERROR_INVALID_ARGUMENT, "a negative count or length of elements");
    return result;
  }
  if (!region_of(env, elements, first, len, 1, &src))
    return result;
  bytes = src.bytes;
  if (src.array != NULL) {
    copy = copy_of(env, &src);
    if (copy == NULL)
      return result;
    bytes = copy;
  }
  if (succeeded(env,
                zn5_utf32_validate(bytes, src.len, (size_t)count, (zn5_endian)endian, (size_t)length_bytes, &bad_index,
                                   &error),
                error))
    result = (jlong)bad_index;
  free(copy);
  return result;
}

/* {bytes of an element, byte order}; the byte order of a Zarr data type is 0, for it has none. */
static jlongArray JNICALL utf32_parse_type(JNIEnv *env, jclass class UNUSED, jbyteArray name, jboolean is_numpy) {
  zn5_endian endian = 0;
  zn5_error *error = NULL;
  zn5_status status;
  jlongArray result = NULL;
  jlong numbers[2];
  size_t len, length_bytes = 0;
  char *text = text_of(env, name, &len);
  if (text == NULL)
    return NULL;
  status = is_numpy ? zn5_utf32_numpy_dtype_parse(text, len, &length_bytes, &endian, &error)
                    : zn5_utf32_data_type_parse(text, len, &length_bytes, &error);
  free(text);
  if (!succeeded(env, status, error))
    return NULL;
  numbers[0] = (jlong)length_bytes;
  numbers[1] = (jlong)endian;
  result = (*env)->NewLongArray(env, 2);
  if (result != NULL)
    (*env)->SetLongArrayRegion(env, result, 0, 2, numbers);
  return result;
}

typedef struct {
  size_t length_bytes;
  zn5_endian endian; /* 0: the Zarr data type, which has none */
} string_type;

static zn5_status name_of_type(const void *object, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  const string_type *type = (const string_type *)object;
  return type->endian != 0 ? zn5_utf32_numpy_dtype(type->length_bytes, type->endian, dst, dst_len, needed, error)
                           : zn5_utf32_data_type_json(type->length_bytes, dst, dst_len, needed, error);
}

static jbyteArray JNICALL utf32_type_name(JNIEnv *env, jclass class UNUSED, jlong length_bytes, jint endian) {
  string_type type;
  if (length_bytes < 0 || (uint64_t)length_bytes > PTRDIFF_MAX) {
    throw_text(env, ZN5_ERROR_INVALID_LENGTH, "the length of an element is negative or too large");
    return NULL;
  }
  type.length_bytes = (size_t)length_bytes;
  type.endian = (zn5_endian)endian;
  return get_text(env, name_of_type, &type);
}

/* ---- datasets ------------------------------------------------------------------------------------------------------
 */

/* Opens the array at `path` in a folder, or makes it where `metadata` is not null. */
static jlong JNICALL dataset_open(JNIEnv *env, jclass class UNUSED, jbyteArray folder, jbyteArray path,
                                  jbyteArray metadata, jint store_flags, jint order, jint flags,
                                  jlong max_decoded_bytes) {
  zn5_codec_options options = options_of(order, flags, max_decoded_bytes);
  zn5_store *store = NULL;
  zn5_dataset *dataset = NULL;
  zn5_error *error = NULL;
  zn5_status status;
  size_t len = 0;
  char *folder_text = path_of(env, folder), *path_text = NULL, *json = NULL;
  if (folder_text != NULL)
    path_text = path_of(env, path);
  if (path_text != NULL && metadata != NULL)
    json = text_of(env, metadata, &len);
  if (path_text == NULL || (metadata != NULL && json == NULL))
    goto done;
  status = zn5_store_open(folder_text, (uint32_t)store_flags, &store, &error);
  if (status == ZN5_OK && json != NULL)
    status = zn5_dataset_create(store, path_text, json, len, &options, &dataset, &error);
  else if (status == ZN5_OK)
    status = zn5_dataset_open(store, path_text, &options, &dataset, &error);
  zn5_store_free(store);
  (void)succeeded(env, status, error);
done:
  free(json);
  free(path_text);
  free(folder_text);
  return (jlong)(intptr_t)dataset;
}

static void JNICALL dataset_free(JNIEnv *env UNUSED, jclass class UNUSED, jlong handle) {
  zn5_dataset_free((zn5_dataset *)(intptr_t)handle);
}

static jlong JNICALL dataset_codec(JNIEnv *env UNUSED, jclass class UNUSED, jlong handle) {
  return (jlong)(intptr_t)zn5_dataset_codec((const zn5_dataset *)(intptr_t)handle);
}

static zn5_status metadata_of(const void *dataset, char *dst, size_t dst_len, size_t *needed, zn5_error **error) {
  return zn5_dataset_metadata((const zn5_dataset *)dataset, dst, dst_len, needed, error);
}

static jbyteArray JNICALL dataset_metadata(JNIEnv *env, jclass class UNUSED, jlong handle) {
  return get_text(env, metadata_of, (const void *)(intptr_t)handle);
}

/* Who is told of progress and problems. Callbacks come on the thread that called, so that its `env` serves. */
typedef struct {
  JNIEnv *env;
  jclass natives;
  jobject listener, problems;
} observer;

static int32_t on_progress(void *user_data, uint64_t done, uint64_t total) {
  const observer *o = (const observer *)user_data;
  JNIEnv *env = o->env;
  jboolean go_on;
  /* What a callback threw is not yet thrown on. */
  if ((*env)->ExceptionCheck(env))
    return 1;
  go_on = (*env)->CallStaticBooleanMethod(env, o->natives, java.progress, o->listener, (jlong)done, (jlong)total);
  return (*env)->ExceptionCheck(env) || !go_on;
}

static zn5_io_options io_of(jint threads, jint flags, observer *o) {
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  io.threads = (uint32_t)threads;
  io.flags = (uint32_t)flags;
  if (o->listener != NULL) {
    io.progress = on_progress;
    io.user_data = o;
  }
  return io;
}

static void JNICALL dataset_transfer(JNIEnv *env, jclass class, jlong handle, jboolean is_write, jlongArray offset,
                                     jlongArray extent, jobject image, jlong first, jlong len, jlong origin,
                                     jlongArray strides, jint threads, jint flags, jobject listener) {
  const zn5_dataset *dataset = (const zn5_dataset *)(intptr_t)handle;
  const zn5_codec *codec = zn5_dataset_codec(dataset);
  observer o = {NULL, NULL, NULL, NULL};
  zn5_io_options io;
  zn5_error *error = NULL;
  zn5_status status;
  target t;
  lists l;
  if (codec == NULL || offset == NULL || extent == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "the dataset, the offset or the extent is null");
    return;
  }
  if (!read_lists(env, zn5_codec_ndim(codec), NULL, offset, extent, strides, &l))
    return;
  if (!target_of(env, image, first, len, origin, &l, l.extent, zn5_codec_element_size(codec), &t))
    goto done;
  /* Blocks are got and progress is told meanwhile: an array cannot stay pinned. */
  if (t.image.array != NULL && (!target_allocate(env, &t) || (is_write && !target_copy(env, &t, 0))))
    goto done;
  o.env = env;
  o.natives = class;
  o.listener = listener;
  io = io_of(threads, flags, &o);
  status = is_write ? zn5_dataset_write(dataset, l.offset, l.extent, target_bytes(&t), target_len(&t),
                                        target_origin(&t), target_strides(&t), &io, &error)
                    : zn5_dataset_read(dataset, l.offset, l.extent, target_bytes(&t), target_len(&t), target_origin(&t),
                                       target_strides(&t), &io, &error);
  if (succeeded(env, status, error) && !is_write && t.packed != NULL)
    (void)target_copy(env, &t, 1);
done:
  target_free(&t);
}

static int32_t on_problem(void *user_data, zn5_status status, const char *key, size_t key_len, int64_t offset,
                          const char *message) {
  const observer *o = (const observer *)user_data;
  JNIEnv *env = o->env;
  jboolean go_on = JNI_FALSE;
  jbyteArray key_bytes, text = NULL;
  if ((*env)->ExceptionCheck(env))
    return 1;
  key_bytes = new_bytes(env, key, key_len);
  if (key_bytes != NULL)
    text = new_bytes(env, message, strlen(message));
  if (text != NULL)
    go_on = (*env)->CallStaticBooleanMethod(env, o->natives, java.problem, o->problems, (jint)status, key_bytes,
                                            (jlong)offset, text);
  /* There may be many of them, and local references live until the native method returns. */
  (*env)->DeleteLocalRef(env, text);
  (*env)->DeleteLocalRef(env, key_bytes);
  return (*env)->ExceptionCheck(env) || !go_on;
}

static void JNICALL dataset_verify(JNIEnv *env, jclass class, jlong handle, jobject problems, jint threads, jint flags,
                                   jobject listener) {
  observer o;
  zn5_io_options io;
  zn5_error *error = NULL;
  zn5_status status;
  if (problems == NULL) {
    throw_text(env, ZN5_ERROR_NULL_POINTER, "nobody takes the problems");
    return;
  }
  o.env = env;
  o.natives = class;
  o.listener = listener;
  o.problems = problems;
  io = io_of(threads, flags, &o);
  status = zn5_dataset_verify((const zn5_dataset *)(intptr_t)handle, on_problem, &o, &io, &error);
  (void)succeeded(env, status, error);
}

/* ---- loading -------------------------------------------------------------------------------------------------------
 */

/* RegisterNatives asks for `void *`, and C99 has no cast from a function to it. */
typedef union {
  void (*function)(void);
  void *address;
} function_pointer;

#define NATIVE(name, signature, function)                                                                              \
  { name, signature, (void (*)(void))function }

static const struct {
  const char *name, *signature;
  void (*function)(void);
} natives[] = {
    NATIVE("versionNumber", "()I", version_number),
    NATIVE("versionString", "()Ljava/lang/String;", version_string),
    NATIVE("buildInfo", "()Ljava/lang/String;", build_info),
    NATIVE("statusName", "(I)Ljava/lang/String;", status_name),
    NATIVE("compressionAvailable", "([B)Z", compression_available),
    NATIVE("codecNew", "([BZIIJ)J", codec_new),
    NATIVE("codecFree", "(J)V", codec_free),
    NATIVE("codecDtype", "(J)I", codec_dtype),
    NATIVE("codecElementSize", "(J)J", codec_element_size),
    NATIVE("codecNdim", "(J)I", codec_ndim),
    NATIVE("codecCompression", "(J)Ljava/lang/String;", codec_compression),
    NATIVE("codecJson", "(J)[B", codec_json),
    NATIVE("codecFillValue", "(J)[B", codec_fill_value),
    NATIVE("codecShape", "(JZ)[J", codec_shape),
    NATIVE("codecSize", "(J[JZ)J", codec_size),
    NATIVE("decode", "(JLjava/lang/Object;JJ[J[J[JLjava/lang/Object;JJJ[J)V", decode),
    NATIVE("encode", "(J[JLjava/lang/Object;JJJ[J)[B", encode),
    NATIVE("fill", "(J[JLjava/lang/Object;JJ)V", fill),
    NATIVE("blockHeader", "(Ljava/lang/Object;JJ)[J", block_header),
    NATIVE("blockKey", "([J)[B", block_key),
    NATIVE("convertMetadata", "([BZI)[B", convert_metadata),
    NATIVE("utf32Encode", "([B[JIJ)[B", utf32_encode),
    NATIVE("utf32Decode", "(Ljava/lang/Object;JJIJ[J)[B", utf32_decode),
    NATIVE("utf32Validate", "(Ljava/lang/Object;JJJIJ)J", utf32_validate),
    NATIVE("utf32ParseType", "([BZ)[J", utf32_parse_type),
    NATIVE("utf32TypeName", "(JI)[B", utf32_type_name),
    NATIVE("datasetOpen", "([B[B[BIIIJ)J", dataset_open),
    NATIVE("datasetFree", "(J)V", dataset_free),
    NATIVE("datasetCodec", "(J)J", dataset_codec),
    NATIVE("datasetMetadata", "(J)[B", dataset_metadata),
    NATIVE("datasetTransfer", "(JZ[J[JLjava/lang/Object;JJJ[JIILjava/lang/Object;)V", dataset_transfer),
    NATIVE("datasetVerify", "(JLjava/lang/Object;IILjava/lang/Object;)V", dataset_verify),
};

enum { NATIVE_COUNT = sizeof natives / sizeof natives[0] };

static jclass global_class(JNIEnv *env, const char *name) {
  jclass local = (*env)->FindClass(env, name), global = NULL;
  if (local != NULL) {
    global = (jclass)(*env)->NewGlobalRef(env, local);
    (*env)->DeleteLocalRef(env, local);
  }
  return global;
}

/* The class whose natives these are. A jar that was relocated by shading has it under another name, which its loader
 * tells by a property of the system. FindClass looks where the class that loads this library was found. */
static jclass natives_class(JNIEnv *env) {
  jclass found = NULL, system = (*env)->FindClass(env, "java/lang/System");
  jmethodID get_property;
  jstring key, value;
  const char *name;
  if (system == NULL)
    return NULL;
  get_property = (*env)->GetStaticMethodID(env, system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
  key = get_property != NULL ? (*env)->NewStringUTF(env, "zn5jni.class") : NULL;
  if (key == NULL)
    return NULL;
  value = (jstring)(*env)->CallStaticObjectMethod(env, system, get_property, key);
  if ((*env)->ExceptionCheck(env))
    return NULL;
  if (value == NULL)
    return (*env)->FindClass(env, "org/zn5/Native");
  name = (*env)->GetStringUTFChars(env, value, NULL);
  if (name == NULL)
    return NULL;
  found = (*env)->FindClass(env, name);
  (*env)->ReleaseStringUTFChars(env, value, name);
  return found;
}

static int register_natives(JNIEnv *env, jclass class) {
  JNINativeMethod methods[NATIVE_COUNT];
  size_t i;
  for (i = 0; i < NATIVE_COUNT; i++) {
    function_pointer pointer;
    pointer.function = natives[i].function;
    /* JNI's struct has no const, but nothing writes there. */
    memcpy(&methods[i].name, &natives[i].name, sizeof methods[i].name);
    memcpy(&methods[i].signature, &natives[i].signature, sizeof methods[i].signature);
    methods[i].fnPtr = pointer.address;
  }
  return (*env)->RegisterNatives(env, class, methods, NATIVE_COUNT) == 0;
}

static void forget(JNIEnv *env) {
  size_t kind;
  for (kind = 0; kind < KIND_COUNT; kind++) {
    (*env)->DeleteGlobalRef(env, java.arrays[kind]);
    (*env)->DeleteGlobalRef(env, java.buffers[kind]);
  }
  (*env)->DeleteWeakGlobalRef(env, java.natives);
  memset(&java, 0, sizeof java);
}

static int remember(JNIEnv *env) {
  jclass natives_found;
  size_t kind;
  for (kind = 0; kind < KIND_COUNT; kind++) {
    java.arrays[kind] = global_class(env, kinds[kind].array);
    if (java.arrays[kind] == NULL)
      return 0;
    java.buffers[kind] = global_class(env, kinds[kind].buffer);
    if (java.buffers[kind] == NULL)
      return 0;
  }
  natives_found = natives_class(env);
  if (natives_found == NULL)
    return 0;
  java.natives = (*env)->NewWeakGlobalRef(env, natives_found);
  if (java.natives == NULL)
    return 0;
  java.failure = (*env)->GetStaticMethodID(env, natives_found, "failure", "(IJJ[B)Ljava/lang/Throwable;");
  if (java.failure == NULL)
    return 0;
  java.progress = (*env)->GetStaticMethodID(env, natives_found, "progress", "(Ljava/lang/Object;JJ)Z");
  if (java.progress == NULL)
    return 0;
  java.problem = (*env)->GetStaticMethodID(env, natives_found, "problem", "(Ljava/lang/Object;I[BJ[B)Z");
  return java.problem != NULL && register_natives(env, natives_found);
}

EXPORTED jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved UNUSED) {
  void *env = NULL;
  if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_8) != JNI_OK)
    return JNI_ERR;
  if (remember((JNIEnv *)env))
    return JNI_VERSION_1_8;
  /* What is pending is thrown by System.load. */
  forget((JNIEnv *)env);
  return JNI_ERR;
}

EXPORTED void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved UNUSED) {
  void *env = NULL;
  if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_8) == JNI_OK)
    forget((JNIEnv *)env);
}
