/* zn5.hpp: the C API of zn5 for C++17 and later. Everything is inline over zn5.h; a program links zn5 as one in C does.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

/**
 * @file zn5.hpp
 * @brief The C++ layer over zn5.h: handles that free themselves, exceptions, typed reads, lambdas.
 */

#ifndef ZN5_HPP
#define ZN5_HPP

// An older compiler gets one error, and nothing of what it would stumble over. MSVC tells in a macro of its own what it
// compiles; doxygen tells nothing.
#if !defined(DOXYGEN) && (defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : !defined(__cplusplus) || __cplusplus < 201703L)
#error "zn5.hpp needs C++17 or later: compile with -std=c++17, or /std:c++17 for MSVC"
#else

#include "zn5.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/** @cond What follows is no part of the interface. */
// Lets clang warn where a view is kept of an object that ends with the statement.
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define ZN5_HPP_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#ifndef ZN5_HPP_LIFETIMEBOUND
#define ZN5_HPP_LIFETIMEBOUND
#endif
/** @endcond */

/**
 * The C++ layer of zn5. What a function does in detail stands at the function of zn5.h that its
 * text names.
 *
 * - **Handles** are zn5::codec, zn5::store and zn5::dataset. They free themselves. A copy shares
 * what it is a copy of, as a std::shared_ptr does: copying costs the counting of a number, the
 * last one frees, and copies are used and destroyed in any threads. One object that a thread
 * assigns to or moves from while another one uses it is a data race, as with a std::shared_ptr;
 * give each thread a copy.
 * - **Empty handles** are those that were moved from, default-made, or given `{}`. Converted to
 * bool they are false, handle() is null, and every other call throws zn5::error with
 * ZN5_ERROR_NULL_POINTER.
 * - **Failures** are exceptions: zn5::error with the status of zn5.h, std::bad_alloc where the C++
 * side has no memory.
 * - **Callbacks** are lambdas. What one throws ends the call and comes out of it unchanged, on the
 * thread that made the call. One that returns bool ends the call by false; one that returns
 * nothing goes on. The same holds for what a zn5::store_interface throws, from whichever thread
 * zn5 called it. No callback is kept longer than the call that it is passed to.
 * - **Shapes**, offsets, extents, positions and strides are zn5::per_axis, which owns its numbers.
 * It is made of integers of any type, also of several: `{x, 0, row}`, a std::vector<int>, a
 * std::array<long, 3>, an array, a std::span. Negative numbers are refused where none can be.
 * Left out or `{}` they are what NULL is in C.
 * - **Arrays** of elements are passed as zn5::bytes and zn5::mutable_bytes, views of whatever is
 * contiguous: std::vector, std::array, std::span, a pointer and a size. A view does not own: it is
 * for the call that it is passed to.
 * - **Lifetime**: what a function returns owns what it tells, unless its text says how long it
 * lives. Where the object that is asked is a temporary, it is returned by value instead, or does
 * not compile. zn5::per_axis refers to its numbers as a std::vector does; clang warns.
 */
namespace zn5 {

/* ---- Errors ---- */

/** A failure of zn5. what() says what happened, in one line that names the value, the place and the remedy. */
class error : public std::runtime_error {
public:
  /**
   * Makes an error, also for a program's own store to throw.
   *
   * @param status       one of ZN5_ERROR_...
   * @param message      what what() returns
   * @param offset       see offset()
   * @param native_code  see native_code()
   */
  explicit error(zn5_status status, const std::string &message, std::int64_t offset = -1, std::int64_t native_code = 0)
      : std::runtime_error(message), status_(status), offset_(offset), native_code_(native_code) {
  }

  /** Returns one of ZN5_ERROR_..., by which programs decide. */
  zn5_status status() const noexcept {
    return status_;
  }

  /** Returns the name of the status, such as "ZN5_ERROR_EMPTY_BLOCK". */
  const char *name() const noexcept {
    return zn5_status_name(status_);
  }

  /** Returns the byte offset in the input where the failure was noticed; -1 if unknown. */
  std::int64_t offset() const noexcept {
    return offset_;
  }

  /** Returns the compression library's own code, for bug reports; 0 if there is none. See zn5_error_native_code(). */
  std::int64_t native_code() const noexcept {
    return native_code_;
  }

private:
  zn5_status status_;
  std::int64_t offset_;
  std::int64_t native_code_;
};

/** @cond What follows is no part of the interface. */
namespace detail {

template <class T, class... Types> constexpr bool is_one_of() {
  return (std::is_same<T, Types>::value || ...);
}

/* Whether T is a number, which bool and the types of characters are not. */
template <class T> constexpr bool is_integer() {
  return is_one_of<T, unsigned char, unsigned short, unsigned, unsigned long, unsigned long long, signed char, short,
                   int, long, long long>();
}

template <class T> constexpr bool is_element() {
  return is_integer<T>() || is_one_of<T, float, double>();
}

/* Types that are two on one machine are one on another, where compilers warn of a cast. */
template <class To, class From> constexpr To convert(From value) noexcept {
  if constexpr (std::is_same<To, From>::value)
    return value;
  else
    return static_cast<To>(value);
}

/* Whether T is an integer, or an object or enumerator that stands for one. */
template <class T, class = void> struct counts : std::false_type {};
template <class T>
struct counts<T, std::void_t<decltype(+std::declval<const T &>())>>
    : std::bool_constant<!is_one_of<T, bool, char, wchar_t, char16_t, char32_t>() &&
                         is_integer<std::decay_t<decltype(+std::declval<const T &>())>>()> {};

/* What a container holds: what begin() leads to, or data() where it has no iterators. */
template <class Container> auto held(int) -> decltype(*std::begin(std::declval<Container &>()));
template <class Container>
auto held(long) -> decltype(*(std::declval<Container &>().data() + std::declval<Container &>().size()));

template <class Container, class = void> struct has_begin : std::false_type {};
template <class Container>
struct has_begin<Container, std::void_t<decltype(std::begin(std::declval<Container &>()))>> : std::true_type {};

} // namespace detail
/** @endcond */

/* ---- Numbers ---- */

/**
 * An integer of any type, as it stands in `{x, y, z}`.
 *
 * It is also made of what unary + turns into an integer, such as cv::MatStep or
 * std::integral_constant. bool, characters and floating point do not compile.
 */
class integer {
public:
  /** Takes a number. */
  template <class T, std::enable_if_t<!std::is_class<T>::value && detail::counts<T>::value, int> = 0>
  constexpr integer(T value) noexcept : bits_(detail::convert<std::uint64_t>(+value)), negative_(is_negative(+value)) {
  }

  /** Takes what stands for a number. */
  template <class T, std::enable_if_t<std::is_class<T>::value && detail::counts<T>::value, int> = 0>
  constexpr integer(const T &value) : integer(+value) {
  }

  /** Returns whether T can hold the number. */
  template <class T> constexpr bool fits() const noexcept {
    if (negative_)
      return std::is_signed<T>::value &&
             detail::convert<std::int64_t>(bits_) >= detail::convert<std::int64_t>((std::numeric_limits<T>::min)());
    return bits_ <= detail::convert<std::uint64_t>((std::numeric_limits<T>::max)());
  }

  /** Returns the number as a T, which holds it: fits(). */
  template <class T> constexpr T to() const noexcept {
    return detail::convert<T>(bits_);
  }

  /** Returns the number in decimal digits. */
  std::string text() const {
    return negative_ ? std::to_string(detail::convert<std::int64_t>(bits_)) : std::to_string(bits_);
  }

private:
  template <class T> static constexpr bool is_negative(T value) noexcept {
    if constexpr (std::is_signed<T>::value)
      return value < 0;
    else
      return false;
  }

  /* The number, in two's complement. */
  std::uint64_t bits_;
  bool negative_;
};

/**
 * One number for each axis, axis 0 first. Owns its numbers; up to eight need no memory of their
 * own.
 *
 * @tparam T  what the numbers are kept as; one that T cannot hold throws zn5::error with
 *   ZN5_ERROR_INVALID_ARGUMENT
 */
template <class T> class per_axis {
  template <class Container>
  using enable_container = std::enable_if_t<
      !std::is_base_of<per_axis, std::decay_t<Container>>::value &&
      std::is_convertible<decltype(detail::held<std::remove_reference_t<Container>>(0)), integer>::value>;

public:
  /** The type of the numbers. */
  using value_type = T;

  /** Makes no numbers: what NULL is in C. */
  per_axis() = default;

  /** Copies the numbers of a list of integers, which may be of several types: `{x, 0, row}`. */
  per_axis(std::initializer_list<integer> numbers) {
    for (const integer &number : numbers)
      add(number);
  }

  /** Copies size integers from first on; ZN5_ERROR_INVALID_ARGUMENT if size is negative. */
  template <class I, class = std::enable_if_t<std::is_convertible<const I &, integer>::value>>
  per_axis(const I *first, integer size) {
    if (!size.fits<std::size_t>())
      throw error(ZN5_ERROR_INVALID_ARGUMENT, "there are " + size.text() + " numbers; give 0 or more");
    for (std::size_t axis = 0; axis < size.to<std::size_t>(); axis++)
      add(first[axis]);
  }

  /** Copies the integers of an array, or of a container: by begin() and end(), or data() and
   * size(). */
  template <class Container, class = enable_container<Container>> per_axis(Container &&container) {
    if constexpr (detail::has_begin<std::remove_reference_t<Container>>::value)
      for (const auto &number : container)
        add(number);
    else
      *this = per_axis(container.data(), container.size());
  }

  /** Returns how many numbers there are. */
  std::size_t size() const noexcept {
    return many_.empty() ? few_size_ : many_.size();
  }

  /** Returns whether there are none. */
  bool empty() const noexcept {
    return size() == 0;
  }

  /** Returns where the numbers begin, until this object changes or ends. */
  const T *data() const noexcept ZN5_HPP_LIFETIMEBOUND {
    return many_.empty() ? few_.data() : many_.data();
  }

  /** Returns where the numbers begin, until this object changes or ends. */
  T *data() noexcept ZN5_HPP_LIFETIMEBOUND {
    return many_.empty() ? few_.data() : many_.data();
  }

  /** Returns an iterator to the first number. */
  const T *begin() const noexcept ZN5_HPP_LIFETIMEBOUND {
    return data();
  }

  /** Returns an iterator to the first number. */
  T *begin() noexcept ZN5_HPP_LIFETIMEBOUND {
    return data();
  }

  /** Returns the iterator behind the last number. */
  const T *end() const noexcept ZN5_HPP_LIFETIMEBOUND {
    return data() + size();
  }

  /** Returns the iterator behind the last number. */
  T *end() noexcept ZN5_HPP_LIFETIMEBOUND {
    return data() + size();
  }

  /** Returns the number of an axis, which is below size(). */
  const T &operator[](std::size_t axis) const ZN5_HPP_LIFETIMEBOUND {
    return data()[axis];
  }

  /** Returns the number of an axis, which is below size(). */
  T &operator[](std::size_t axis) ZN5_HPP_LIFETIMEBOUND {
    return data()[axis];
  }

private:
  void add(const integer &number) {
    if (!number.fits<T>())
      throw error(ZN5_ERROR_INVALID_ARGUMENT, "the number of axis " + std::to_string(size()) + " is " + number.text() +
                                                  "; give one from " + std::to_string((std::numeric_limits<T>::min)()) +
                                                  " to " + std::to_string((std::numeric_limits<T>::max)()));
    const T value = number.to<T>();
    if (many_.empty() && few_size_ < few_.size()) {
      few_[few_size_++] = value;
      return;
    }
    if (many_.empty())
      many_.assign(few_.begin(), few_.end());
    few_size_ = 0;
    many_.push_back(value);
  }

  /* All are in one of the two: in many_ where they are more than few_ has room for. */
  std::array<T, 8> few_ = {};
  std::size_t few_size_ = 0;
  std::vector<T> many_ = {};
};

/** A shape, extents, an offset or a grid position, in N5 `dimensions` order: axis 0 first. */
using coordinates = per_axis<std::uint64_t>;

/** Strides in bytes, axis 0 first; a negative one flips its axis. None: contiguous, in the codec's
 * order. */
using byte_strides = per_axis<std::ptrdiff_t>;

/** Another name of zn5::coordinates, which own their numbers under this name too. */
using shape_view = coordinates;

/** Another name of zn5::byte_strides, which own their numbers under this name too. */
using strides_view = byte_strides;

/** A number of bytes, of an integer of any type; one that is negative throws zn5::error. */
class byte_count {
public:
  /** Takes a number of bytes; ZN5_ERROR_INVALID_ARGUMENT if it is negative. */
  template <class T, std::enable_if_t<!std::is_class<T>::value && detail::counts<T>::value, int> = 0>
  byte_count(T value) : value_(checked(value)) {
  }

  /** Takes what stands for a number of bytes; ZN5_ERROR_INVALID_ARGUMENT if it is negative. */
  template <class T, std::enable_if_t<std::is_class<T>::value && detail::counts<T>::value, int> = 0>
  byte_count(const T &value) : value_(checked(value)) {
  }

  /** Returns the number. */
  constexpr operator std::size_t() const noexcept {
    return value_;
  }

  /** Adds bytes; ZN5_ERROR_INVALID_ARGUMENT if the sum is more than this machine can address. */
  byte_count &operator+=(byte_count more) {
    if (more.value_ > (std::numeric_limits<std::size_t>::max)() - value_)
      throw error(ZN5_ERROR_INVALID_ARGUMENT, std::to_string(value_) + " and " + std::to_string(more.value_) +
                                                  " bytes are more than this machine can address");
    value_ += more.value_;
    return *this;
  }

private:
  static std::size_t checked(const integer &number) {
    if (!number.fits<std::size_t>())
      throw error(ZN5_ERROR_INVALID_ARGUMENT, "a number of bytes is " + number.text() + "; give one from 0 to " +
                                                  std::to_string((std::numeric_limits<std::size_t>::max)()));
    return number.to<std::size_t>();
  }

  std::size_t value_;
};

/* ---- Views ---- */

/** @cond What follows is no part of the interface. */
namespace detail {

/* Whether a temporary of this type takes its objects along when it ends. What is copied by bytes
 * refers to objects elsewhere, but for std::array. */
template <class Container> constexpr bool ends_with_objects() {
  return !std::is_reference<Container>::value && !std::is_trivially_copyable<Container>::value;
}

} // namespace detail
/** @endcond */

/**
 * Bytes that are read, of whatever is contiguous and can be copied by bytes: numbers, strings,
 * structures.
 *
 * A view: what it was made of must live as long. In an argument that may be a temporary; for a
 * variable clang warns.
 */
class bytes {
  template <class Container, bool EndsWithObjects>
  using enable_container = std::enable_if_t<
      !std::is_base_of<bytes, std::decay_t<Container>>::value &&
          !std::is_array<std::remove_reference_t<Container>>::value &&
          std::is_trivially_copyable<
              std::remove_pointer_t<decltype(std::declval<const std::decay_t<Container> &>().data())>>::value &&
          std::is_convertible<decltype(std::declval<const std::decay_t<Container> &>().size()), std::size_t>::value &&
          detail::ends_with_objects<Container>() == EndsWithObjects,
      int>;

public:
  /** Makes a view of nothing. */
  constexpr bytes() noexcept = default;

  /** Makes a view of size bytes from data on. */
  bytes(const void *data, std::size_t size) noexcept : data_(static_cast<const std::byte *>(data)), size_(size) {
  }

  /** Makes a view of an array. */
  template <class T, std::size_t Size, class = std::enable_if_t<std::is_trivially_copyable<T>::value>>
  bytes(const T (&array)[Size]) noexcept : bytes(&array, sizeof array) {
  }

  /** Is deleted, for nobody means the NUL at the end of "text"; pass a std::string_view, or a pointer and a size. */
  template <std::size_t Size> bytes(const char (&text)[Size]) = delete;

  /** Makes a view of a container that has data() and size(). */
  template <class Container, enable_container<Container, false> = 0>
  bytes(Container &&container) noexcept : bytes(of(container)) {
  }

  /** Makes a view of a temporary container, for the statement that it is written in. */
  template <class Container, enable_container<Container, true> = 0>
  bytes(Container &&container ZN5_HPP_LIFETIMEBOUND) noexcept : bytes(of(container)) {
  }

  /** Returns where the bytes begin. */
  constexpr const std::byte *data() const noexcept {
    return data_;
  }

  /** Returns the number of bytes. */
  constexpr std::size_t size() const noexcept {
    return size_;
  }

private:
  template <class Container> static bytes of(const Container &container) noexcept {
    return {container.data(), detail::convert<std::size_t>(container.size()) * sizeof *container.data()};
  }

  const std::byte *data_ = nullptr;
  std::size_t size_ = 0;
};

/**
 * Bytes that are written, of whatever is contiguous and can be copied by bytes.
 *
 * A view: what it was made of must live as long.
 */
class mutable_bytes {
  template <class Container> using object = std::remove_pointer_t<decltype(std::declval<Container &>().data())>;
  template <class Container, bool EndsWithObjects>
  using enable_container =
      std::enable_if_t<!std::is_base_of<mutable_bytes, std::decay_t<Container>>::value &&
                           !std::is_array<std::remove_reference_t<Container>>::value &&
                           std::is_trivially_copyable<object<Container>>::value &&
                           !std::is_const<object<Container>>::value &&
                           std::is_convertible<decltype(std::declval<Container &>().size()), std::size_t>::value &&
                           detail::ends_with_objects<Container>() == EndsWithObjects,
                       int>;

public:
  /** Makes a view of nothing. */
  constexpr mutable_bytes() noexcept = default;

  /** Makes a view of size bytes from data on. */
  mutable_bytes(void *data, std::size_t size) noexcept : data_(static_cast<std::byte *>(data)), size_(size) {
  }

  /** Makes a view of an array. */
  template <class T, std::size_t Size,
            class = std::enable_if_t<std::is_trivially_copyable<T>::value && !std::is_const<T>::value>>
  mutable_bytes(T (&array)[Size]) noexcept : mutable_bytes(&array, sizeof array) {
  }

  /** Makes a view of a container that has data() and size(). */
  template <class Container, enable_container<Container, false> = 0>
  mutable_bytes(Container &&container) noexcept : mutable_bytes(of(container)) {
  }

  /** Makes a view of a temporary container, for the statement that it is written in. */
  template <class Container, enable_container<Container, true> = 0>
  mutable_bytes(Container &&container ZN5_HPP_LIFETIMEBOUND) noexcept : mutable_bytes(of(container)) {
  }

  /** Returns where the bytes begin. */
  constexpr std::byte *data() const noexcept {
    return data_;
  }

  /** Returns the number of bytes. */
  constexpr std::size_t size() const noexcept {
    return size_;
  }

private:
  template <class Container> static mutable_bytes of(Container &container) noexcept {
    return {container.data(), detail::convert<std::size_t>(container.size()) * sizeof *container.data()};
  }

  std::byte *data_ = nullptr;
  std::size_t size_ = 0;
};

/**
 * Where in an image the elements of a box lie: `{origin, {2, row, 0}}`, of integers of any type.
 * The default is a contiguous box at the beginning, in the codec's order.
 */
struct layout {
  /** The byte offset in the image of the box's first element. */
  byte_count origin = 0;
  /** Byte strides in the image; a negative one flips its axis. Empty: contiguous. */
  byte_strides strides = {};
};

/* ---- Kinds ---- */

/** The type of an array's elements; the names are N5's and Zarr's. */
enum class data_type : zn5_dtype {
  uint8 = ZN5_DTYPE_UINT8,     /**< 8-bit unsigned integer. */
  uint16 = ZN5_DTYPE_UINT16,   /**< 16-bit unsigned integer. */
  uint32 = ZN5_DTYPE_UINT32,   /**< 32-bit unsigned integer. */
  uint64 = ZN5_DTYPE_UINT64,   /**< 64-bit unsigned integer. */
  int8 = ZN5_DTYPE_INT8,       /**< 8-bit signed integer. */
  int16 = ZN5_DTYPE_INT16,     /**< 16-bit signed integer. */
  int32 = ZN5_DTYPE_INT32,     /**< 32-bit signed integer. */
  int64 = ZN5_DTYPE_INT64,     /**< 64-bit signed integer. */
  float32 = ZN5_DTYPE_FLOAT32, /**< IEEE 754 binary32. */
  float64 = ZN5_DTYPE_FLOAT64, /**< IEEE 754 binary64. */
  utf32 = ZN5_DTYPE_UTF32,     /**< Zarr's "fixed_length_utf32". */
};

/** The order of a contiguous array's elements in memory. */
enum class element_order : zn5_order {
  c = ZN5_ORDER_C, /**< The last axis varies fastest, as in C, NumPy and Zarr. */
  f = ZN5_ORDER_F, /**< The first axis varies fastest, as in an N5 block, Fortran and ImgLib2. */
};

/** The byte order of code units. */
enum class byte_order : zn5_endian {
  little = ZN5_ENDIAN_LITTLE, /**< The least significant byte first, as in NumPy's "<U12". */
  big = ZN5_ENDIAN_BIG,       /**< The most significant byte first, as in NumPy's ">U12". */
  native = ZN5_ENDIAN_NATIVE, /**< That of this machine: one of the other two. */
};

/** The language of metadata. */
enum class metadata_language : zn5_language {
  automatic = ZN5_LANGUAGE_AUTO, /**< That of what is there already. */
  n5 = ZN5_LANGUAGE_N5,          /**< N5: attributes.json. */
  zarr = ZN5_LANGUAGE_ZARR,      /**< Zarr version 3: zarr.json. */
};

/** The chunk grid that a zarr.json is given. */
enum class chunk_grid : std::uint32_t {
  regular = ZN5_GRID_REGULAR,                 /**< "regular", which every reader of Zarr knows. */
  regular_bounded = ZN5_GRID_REGULAR_BOUNDED, /**< "zarrs.regular_bounded", whose chunks at the edges are cut. */
  rectilinear = ZN5_GRID_RECTILINEAR,         /**< "rectilinear", which lists the extents of all chunks. */
};

/** What may be done with a store that is a folder. */
enum class store_access : std::uint32_t {
  read = 0,                                    /**< Values can be got only. */
  write = ZN5_STORE_WRITE,                     /**< Values can be stored and erased; the folder is there. */
  create = ZN5_STORE_WRITE | ZN5_STORE_CREATE, /**< As write, and the folder is made if it is missing. */
};

/** The kind of an entry of a store. */
enum class entry_kind : std::uint32_t {
  key = ZN5_ENTRY_KEY,       /**< A value. */
  prefix = ZN5_ENTRY_PREFIX, /**< A folder, or the common beginning of keys. */
};

/** The kind of a node of a container. */
enum class node_kind : std::uint32_t {
  group = ZN5_NODE_GROUP,             /**< A group. */
  array = ZN5_NODE_ARRAY,             /**< An array, which N5 calls a dataset. */
  unsupported = ZN5_NODE_UNSUPPORTED, /**< Its metadata is broken or says what zn5 does not support. */
};

/* ---- Options ---- */

/** What a program can ask of a codec beside the metadata; see zn5_codec_options. */
struct codec_options {
  /** The order of decoded arrays and of the sources of encoding. */
  element_order order = element_order::c;
  /** Harmless deviations from the formats are errors too; see ZN5_STRICT. */
  bool strict = false;
  /** The most bytes that one block may decode to, or that may be encoded at once; 0 is the default of
   * zn5_codec_options. */
  std::uint64_t max_decoded_bytes = 0;
  /** One element in native byte order, which replaces the fill value of the metadata; empty keeps that. See
   * set_fill_value(). */
  std::vector<std::byte> fill_value = {};

  /** Sets fill_value to one element, whose type must be that of the array. */
  template <class T> codec_options &set_fill_value(const T &element) & {
    static_assert(std::is_trivially_copyable<T>::value, "an element is a number");
    const auto *first = reinterpret_cast<const std::byte *>(&element);
    fill_value.assign(first, first + sizeof element);
    return *this;
  }

  /** Sets fill_value of options that are a temporary, and returns them. */
  template <class T> codec_options set_fill_value(const T &element) && {
    return std::move(set_fill_value(element));
  }
};

/** How a call reads or writes blocks; see zn5_io_options. */
struct io_options {
  /** Threads of the call, the calling one among them: 0 for as many as cores, 1 for the calling thread only. */
  std::uint32_t threads = 0;
  /** A block of 0 bytes is taken for a missing one; see ZN5_IO_EMPTY_AS_MISSING. */
  bool empty_as_missing = false;
  /** Blocks that hold nothing but the fill value are stored like others; see ZN5_IO_WRITE_FILL. */
  bool write_fill = false;
  /** N5 blocks at the array's edge are stored with the extents of a whole chunk; see ZN5_IO_PAD_EDGES. */
  bool pad_edges = false;
  /**
   * Gets how many of how many blocks are done, on the calling thread only. False ends the call, which then throws
   * zn5::error with ZN5_ERROR_CANCELLED. Empty if nobody wants to know.
   */
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress = {};
};

/** @cond What follows is no part of the interface. */
namespace detail {

inline std::size_t to_size(std::uint64_t size) {
  if (size > (std::numeric_limits<std::size_t>::max)())
    throw error(ZN5_ERROR_LIMIT_EXCEEDED, std::to_string(size) + " bytes are more than this machine can address");
  return convert<std::size_t>(size);
}

inline const char *c_string(const std::string &text, const char *name) {
  if (text.find('\0') != std::string::npos)
    throw error(ZN5_ERROR_INVALID_ARGUMENT, std::string(name) + " has a NUL, which no path can have");
  return text.c_str();
}

/* The numbers for C, which relies on there being as many as dimensions. */
template <class T> const T *axes(const per_axis<T> &numbers, std::size_t ndim, const char *name) {
  if (numbers.empty())
    return nullptr;
  if (numbers.size() != ndim)
    throw error(ZN5_ERROR_INVALID_ARGUMENT, std::string(name) + " has " + std::to_string(numbers.size()) +
                                                " numbers, but there are " + std::to_string(ndim) +
                                                " dimensions; give one for each axis, or none");
  return numbers.data();
}

/* The exceptions of a store's callbacks on their way to the call that they end. A call finds its own by a number, which
 * the callback returns and zn5 hands on as the error's native code. Those that no call asks for (of several threads'
 * failures one counts) are forgotten after a while. */
class thrown_exceptions {
public:
  zn5_status keep(std::exception_ptr exception) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    count_ = count_ == last_number ? 1 : count_ + 1;
    slot &place = slots_[static_cast<std::size_t>(count_) % slots_.size()];
    place.number = -first_number - count_;
    place.exception = std::move(exception);
    return place.number;
  }

  std::exception_ptr take(std::int64_t number) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (slot &place : slots_)
      if (place.exception && place.number == number)
        return std::exchange(place.exception, nullptr);
    return nullptr;
  }

private:
  struct slot {
    zn5_status number = 0;
    std::exception_ptr exception = nullptr;
  };

  /* Far from the codes that operating systems and compression libraries use. */
  static constexpr zn5_status first_number = 1000000000, last_number = 1000000000;

  std::mutex mutex_;
  zn5_status count_ = 0;
  /* As many as one call can have threads. */
  std::array<slot, 256> slots_;
};

/* The handle for a call, which an object that is empty has not. */
template <class Raw> const Raw *live(const std::shared_ptr<const Raw> &owned, const char *type) {
  if (!owned)
    throw error(ZN5_ERROR_NULL_POINTER, "this zn5::" + std::string(type) +
                                            " is empty: it was moved from or closed, or never opened; assign one to "
                                            "it before it is used");
  return owned.get();
}

struct error_deleter {
  void operator()(zn5_error *raw) const noexcept {
    zn5_error_free(raw);
  }
};

using error_handle = std::unique_ptr<zn5_error, error_deleter>;

[[noreturn]] inline void fail(zn5_status status, const error_handle &raw, thrown_exceptions *thrown) {
  if (thrown != nullptr && status == ZN5_ERROR_IO)
    if (std::exception_ptr exception = thrown->take(zn5_error_native_code(raw.get())))
      std::rethrow_exception(exception);
  throw error(status, raw ? zn5_error_message(raw.get()) : zn5_status_message(status), zn5_error_offset(raw.get()),
              zn5_error_native_code(raw.get()));
}

/* Makes a call, which gets the place for its error, and throws if it fails. */
template <class Call> void check(Call call, thrown_exceptions *thrown = nullptr) {
  zn5_error *raw = nullptr;
  const zn5_status status = call(&raw);
  const error_handle owned(raw);
  if (status != ZN5_OK)
    fail(status, owned, thrown);
}

/* What the callbacks of one call did. */
struct outcome {
  std::exception_ptr exception = nullptr;
  bool ended = false;

  template <class Function, class... Arguments>
  std::int32_t run(Function &function, const Arguments &...arguments) noexcept {
    try {
      if constexpr (std::is_void<std::invoke_result_t<Function &, const Arguments &...>>::value)
        function(arguments...);
      else
        ended = !function(arguments...);
      return ended ? 1 : 0;
    } catch (...) {
      exception = std::current_exception();
      return 1;
    }
  }
};

/* A call with callbacks: what they threw comes first, and that they had enough is no failure. */
template <class Call> void check_callbacks(Call call, const outcome &done, thrown_exceptions *thrown = nullptr) {
  zn5_error *raw = nullptr;
  const zn5_status status = call(&raw);
  const error_handle owned(raw);
  if (done.exception)
    std::rethrow_exception(done.exception);
  if (status != ZN5_OK && !(done.ended && status == ZN5_ERROR_CANCELLED))
    fail(status, owned, thrown);
}

/* The text of a call that is made twice, or more often if the text grows meanwhile. */
template <class Call> std::string text(Call call, thrown_exceptions *thrown = nullptr) {
  std::string result;
  for (;;) {
    std::size_t needed = 0;
    zn5_error *raw = nullptr;
    const zn5_status status = call(result.empty() ? nullptr : result.data(), result.size(), &needed, &raw);
    const error_handle owned(raw);
    if (status != ZN5_OK && status != ZN5_ERROR_BUFFER_TOO_SMALL)
      fail(status, owned, thrown);
    const bool complete = needed <= result.size();
    result.resize(needed);
    if (complete)
      return result;
  }
}

inline zn5_codec_options raw_options(const codec_options &options) {
  zn5_codec_options raw = {};
  raw.struct_size = sizeof raw;
  raw.order = static_cast<zn5_order>(options.order);
  raw.flags = options.strict ? ZN5_STRICT : 0;
  raw.max_decoded_bytes = options.max_decoded_bytes;
  raw.fill_value = options.fill_value.empty() ? nullptr : options.fill_value.data();
  raw.fill_value_len = options.fill_value.size();
  return raw;
}

/* The options of one call for C; the progress callback leads back here. */
class raw_io {
public:
  explicit raw_io(const io_options &options) : options_(options) {
    raw_.struct_size = sizeof raw_;
    raw_.threads = options.threads;
    raw_.flags = (options.empty_as_missing ? ZN5_IO_EMPTY_AS_MISSING : 0u) |
                 (options.write_fill ? ZN5_IO_WRITE_FILL : 0u) | (options.pad_edges ? ZN5_IO_PAD_EDGES : 0u);
    if (options.progress) {
      raw_.progress = progress;
      raw_.user_data = this;
    }
  }
  raw_io(const raw_io &) = delete;
  raw_io &operator=(const raw_io &) = delete;

  const zn5_io_options *get() const noexcept {
    return &raw_;
  }

  std::exception_ptr exception() const noexcept {
    return done_.exception;
  }

private:
  static std::int32_t progress(void *user_data, std::uint64_t done, std::uint64_t total) noexcept {
    auto *self = static_cast<raw_io *>(user_data);
    return self->done_.run(self->options_.progress, done, total);
  }

  const io_options &options_;
  zn5_io_options raw_ = {};
  outcome done_;
};

} // namespace detail
/** @endcond */

/** Returns the data type of a C++ type: one of the fixed-width integers, float or double. */
template <class T> constexpr data_type data_type_of() noexcept {
  static_assert(detail::is_element<T>(),
                "an element is a fixed-width integer, a float or a double; texts (fixed_length_utf32) go as bytes: "
                "read_into() and zn5::utf32::decode_array(), zn5::utf32::encode_array() and write_from()");
  static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754");
  if (std::is_floating_point<T>::value)
    return sizeof(T) == 4 ? data_type::float32 : data_type::float64;
  if (std::is_signed<T>::value)
    return sizeof(T) == 1   ? data_type::int8
           : sizeof(T) == 2 ? data_type::int16
           : sizeof(T) == 4 ? data_type::int32
                            : data_type::int64;
  return sizeof(T) == 1   ? data_type::uint8
         : sizeof(T) == 2 ? data_type::uint16
         : sizeof(T) == 4 ? data_type::uint32
                          : data_type::uint64;
}

/** Returns the name that N5's "dataType" and Zarr's "data_type" use; see zn5_dtype_name(). */
inline const char *data_type_name(data_type dtype) noexcept {
  return zn5_dtype_name(static_cast<zn5_dtype>(dtype));
}

/** Returns the bytes of one element; 0 of data_type::utf32; see zn5_dtype_size(). */
inline std::size_t data_type_size(data_type dtype) noexcept {
  return zn5_dtype_size(static_cast<zn5_dtype>(dtype));
}

/** Finds the data type of a name; see zn5_dtype_parse(). */
inline data_type parse_data_type(std::string_view name) {
  zn5_dtype dtype = 0;
  detail::check([&](zn5_error **error) { return zn5_dtype_parse(name.data(), name.size(), &dtype, error); });
  return static_cast<data_type>(dtype);
}

/** Returns the version of the library that runs, to compare with ZN5_VERSION_NUMBER. */
inline std::uint32_t version_number() noexcept {
  return zn5_version_number();
}

/** Returns a line for bug reports; see zn5_build_info(). */
inline const char *build_info() noexcept {
  return zn5_build_info();
}

/** Returns whether this library decodes and encodes a compression, by the "type" of N5's "compression". */
inline bool compression_available(const std::string &n5_type) noexcept {
  return zn5_compression_available(n5_type.c_str()) != 0;
}

/* ---- Codec ---- */

/** The header of an N5 block. */
struct block_header {
  /** 0 (default), 1 (varlength) or 2 (object); zn5 decodes mode 0 alone. */
  std::uint16_t mode = 0;
  /** The extents, axis 0 first; none in mode 2. */
  std::vector<std::uint64_t> shape = {};
  /** The count in the header (modes 1 and 2) or the product of the extents (mode 0). */
  std::uint64_t element_count = 0;
  /** The bytes of the header, where the payload begins. */
  std::size_t header_len = 0;
};

/** Reads the header of a block, or of its beginning; see zn5_block_header(). */
inline block_header read_block_header(bytes block) {
  block_header header;
  std::uint16_t ndim = 0;
  for (int round = 0; round < 2; round++) {
    zn5_error *raw = nullptr;
    const zn5_status status = zn5_block_header(block.data(), block.size(), &header.mode, &ndim,
                                               header.shape.empty() ? nullptr : header.shape.data(),
                                               header.shape.size(), &header.element_count, &header.header_len, &raw);
    const detail::error_handle owned(raw);
    if (status != ZN5_OK && (status != ZN5_ERROR_BUFFER_TOO_SMALL || round > 0))
      detail::fail(status, owned, nullptr);
    header.shape.resize(ndim);
  }
  return header;
}

/**
 * What decodes and encodes the chunks of one array; see zn5_codec. A copy shares it.
 *
 * Any number of threads may use it at once.
 */
class codec {
public:
  /** Makes a codec from the text of a whole attributes.json; see zn5_codec_from_n5_attributes(). */
  static codec from_n5_attributes(std::string_view json, const codec_options &options = {}) {
    return make(
        [&](const zn5_codec_options *raw, zn5_codec **made, zn5_error **error) {
          return zn5_codec_from_n5_attributes(json.data(), json.size(), raw, made, error);
        },
        options);
  }

  /** Makes a codec from the text of a whole zarr.json; see zn5_codec_from_zarr_metadata(). */
  static codec from_zarr_metadata(std::string_view json, const codec_options &options = {}) {
    return make(
        [&](const zn5_codec_options *raw, zn5_codec **made, zn5_error **error) {
          return zn5_codec_from_zarr_metadata(json.data(), json.size(), raw, made, error);
        },
        options);
  }

  /** Makes a codec from a codec object `{"name":"n5_default",...}`; see zn5_codec_new(). */
  static codec from_codec_json(std::string_view codec_json, data_type dtype, const coordinates &chunk_shape,
                               const codec_options &options = {}) {
    if (chunk_shape.size() > (std::numeric_limits<std::uint32_t>::max)())
      throw error(ZN5_ERROR_INVALID_ARGUMENT, "chunk_shape has more than 65535 numbers");
    return make(
        [&](const zn5_codec_options *raw, zn5_codec **made, zn5_error **error) {
          return zn5_codec_new(codec_json.data(), codec_json.size(), static_cast<zn5_dtype>(dtype),
                               static_cast<std::uint32_t>(chunk_shape.size()), chunk_shape.data(), raw, made, error);
        },
        options);
  }

  /** Makes an empty one, to be assigned to. */
  codec() noexcept = default;

  /** Takes a codec of the C API over, and frees it in the end. */
  explicit codec(zn5_codec *owned) : owned_(owned, zn5_codec_free) {
  }

  /** Shares a codec of the C API, which owned keeps alive. */
  explicit codec(std::shared_ptr<const zn5_codec> owned) noexcept : owned_(std::move(owned)) {
  }

  /** Returns the codec for the C API, which stays with this and its copies; null if empty. */
  const zn5_codec *handle() const &noexcept {
    return owned_.get();
  }

  /** Is deleted: the codec of a temporary may end with it. */
  const zn5_codec *handle() const && = delete;

  /** Returns whether this is not empty. */
  explicit operator bool() const noexcept {
    return owned_ != nullptr;
  }

  /** Returns the type of the elements. */
  data_type dtype() const {
    return static_cast<data_type>(zn5_codec_dtype(live()));
  }

  /** Returns the bytes of one element. */
  std::size_t element_size() const {
    return zn5_codec_element_size(live());
  }

  /** Returns the number of dimensions. */
  std::uint32_t ndim() const {
    return zn5_codec_ndim(live());
  }

  /** Returns the N5 name of the compression; see zn5_codec_compression(). */
  const char *compression() const {
    return zn5_codec_compression(live());
  }

  /** Returns the chunk shape: N5's blockSize, Zarr's chunk_shape. */
  std::vector<std::uint64_t> chunk_shape() const {
    std::vector<std::uint64_t> shape(ndim());
    detail::check([&](zn5_error **error) { return zn5_codec_chunk_shape(live(), shape.data(), shape.size(), error); });
    return shape;
  }

  /** Returns the shape of the whole array; ZN5_ERROR_NOT_FOUND if the codec was never told. See
   * zn5_codec_array_shape(). */
  std::vector<std::uint64_t> array_shape() const {
    std::vector<std::uint64_t> shape(ndim());
    detail::check([&](zn5_error **error) { return zn5_codec_array_shape(live(), shape.data(), shape.size(), error); });
    return shape;
  }

  /** Returns the fill value, whose type must be that of the elements. */
  template <class T> T fill_value() const {
    require<T>();
    T element = {};
    detail::check([&](zn5_error **error) { return zn5_codec_fill_value(live(), &element, sizeof element, error); });
    return element;
  }

  /** Returns the bytes of the fill value, in native byte order, of any type. */
  std::vector<std::byte> fill_value_bytes() const {
    std::vector<std::byte> element(element_size());
    detail::check(
        [&](zn5_error **error) { return zn5_codec_fill_value(live(), element.data(), element.size(), error); });
    return element;
  }

  /** Returns the codec as Zarr metadata; see zn5_codec_to_json(). */
  std::string to_json() const {
    return detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
      return zn5_codec_to_json(live(), dst, dst_len, needed, error);
    });
  }

  /** Returns the bytes of a decoded array of a shape, by default that of a chunk; see zn5_codec_decoded_size(). */
  std::size_t decoded_size(const coordinates &shape = {}) const {
    std::uint64_t size = 0;
    const std::uint64_t *extents = axes(shape, "shape");
    detail::check([&](zn5_error **error) { return zn5_codec_decoded_size(live(), extents, &size, error); });
    return detail::to_size(size);
  }

  /** Returns the most bytes that an encoded block of a shape can have; see zn5_codec_encode_bound(). */
  std::size_t encode_bound(const coordinates &shape = {}) const {
    std::uint64_t size = 0;
    const std::uint64_t *extents = axes(shape, "shape");
    detail::check([&](zn5_error **error) { return zn5_codec_encode_bound(live(), extents, &size, error); });
    return detail::to_size(size);
  }

  /**
   * Decodes a block into a contiguous array that is there already; see zn5_decode_block().
   *
   * @param block  the block
   * @param array  gets the elements, at least decoded_size(shape) bytes
   * @param shape  the shape of the array; by default that of a chunk
   */
  void decode_block(bytes block, mutable_bytes array, const coordinates &shape = {}) const {
    const std::uint64_t *extents = axes(shape, "shape");
    detail::check([&](zn5_error **error) {
      return zn5_decode_block(live(), block.data(), block.size(), extents, array.data(), array.size(), error);
    });
  }

  /**
   * Decodes a block.
   *
   * @tparam T     the type of the elements; another one is ZN5_ERROR_UNSUPPORTED_DATA_TYPE
   * @param block  the block
   * @param shape  the shape of the array; by default that of a chunk
   * @return the elements, in the codec's order
   */
  template <class T> std::vector<T> decode_block(bytes block, const coordinates &shape = {}) const {
    require<T>();
    std::vector<T> array(decoded_size(shape) / sizeof(T));
    decode_block(block, {array.data(), array.size() * sizeof(T)}, shape);
    return array;
  }

  /**
   * Decodes a box of a block straight into a larger image; see zn5_decode_region().
   *
   * @param block   the block
   * @param shape   the shape of the whole array; empty for that of a chunk
   * @param offset  where in it the box begins; empty for zeros
   * @param extent  the extents of the box; empty for the rest
   * @param image   the whole image
   * @param place   where in the image the box lies
   */
  void decode_region(bytes block, const coordinates &shape, const coordinates &offset, const coordinates &extent,
                     mutable_bytes image, const layout &place = {}) const {
    const std::uint64_t *extents = axes(shape, "shape"), *begin = axes(offset, "offset"), *box = axes(extent, "extent");
    const std::ptrdiff_t *strides = axes(place.strides, "strides");
    detail::check([&](zn5_error **error) {
      return zn5_decode_region(live(), block.data(), block.size(), extents, begin, box, image.data(), image.size(),
                               place.origin, strides, error);
    });
  }

  /**
   * Encodes a contiguous array into a block; see zn5_encode_block().
   *
   * @param array  the elements in the codec's order, exactly decoded_size(shape) bytes
   * @param shape  the shape of the array and of the block; by default that of a chunk
   * @return the block
   */
  std::vector<std::byte> encode_block(bytes array, const coordinates &shape = {}) const {
    std::vector<std::byte> block(encode_bound(shape));
    const std::uint64_t *extents = axes(shape, "shape");
    std::size_t written = 0;
    detail::check([&](zn5_error **error) {
      return zn5_encode_block(live(), extents, array.data(), array.size(), block.data(), block.size(), &written, error);
    });
    block.resize(written);
    return block;
  }

  /**
   * Encodes a box of a larger image into a block; see zn5_encode_region().
   *
   * @param image  the whole image
   * @param shape  the extents of the box and of the block; empty for the chunk shape
   * @param place  where in the image the box lies
   * @return the block
   */
  std::vector<std::byte> encode_region(bytes image, const coordinates &shape, const layout &place) const {
    std::vector<std::byte> block(encode_bound(shape));
    const std::uint64_t *extents = axes(shape, "shape");
    const std::ptrdiff_t *strides = axes(place.strides, "strides");
    std::size_t written = 0;
    detail::check([&](zn5_error **error) {
      return zn5_encode_region(live(), extents, image.data(), image.size(), place.origin, strides, block.data(),
                               block.size(), &written, error);
    });
    block.resize(written);
    return block;
  }

  /** Fills a contiguous array with the fill value: what a missing block reads as; see zn5_fill_block(). */
  void fill_block(mutable_bytes array, const coordinates &shape = {}) const {
    const std::uint64_t *extents = axes(shape, "shape");
    detail::check(
        [&](zn5_error **error) { return zn5_fill_block(live(), extents, array.data(), array.size(), error); });
  }

  /** Throws ZN5_ERROR_UNSUPPORTED_DATA_TYPE unless T is the type of the elements. */
  template <class T> void require() const {
    if (dtype() != data_type_of<T>())
      throw error(ZN5_ERROR_UNSUPPORTED_DATA_TYPE, std::string("the array's elements are ") + data_type_name(dtype()) +
                                                       ", not " + data_type_name(data_type_of<T>()) +
                                                       "; use the type that dtype() tells");
  }

private:
  template <class Make> static codec make(Make make, const codec_options &options) {
    const zn5_codec_options raw = detail::raw_options(options);
    zn5_codec *made = nullptr;
    detail::check([&](zn5_error **error) { return make(&raw, &made, error); });
    return codec(made);
  }

  const zn5_codec *live() const {
    return detail::live(owned_, "codec");
  }

  template <class T> const T *axes(const per_axis<T> &numbers, const char *name) const {
    return detail::axes(numbers, ndim(), name);
  }

  std::shared_ptr<const zn5_codec> owned_ = nullptr;
};

/* ---- Metadata ---- */

/** Writes the zarr.json of an attributes.json, array or group; see zn5_metadata_n5_to_zarr(). */
inline std::string n5_to_zarr(std::string_view json, chunk_grid grid = chunk_grid::regular) {
  return detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_metadata_n5_to_zarr(json.data(), json.size(), static_cast<std::uint32_t>(grid), dst, dst_len, needed,
                                   error);
  });
}

/** Writes the attributes.json of a zarr.json, array or group; see zn5_metadata_zarr_to_n5(). */
inline std::string zarr_to_n5(std::string_view json) {
  return detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_metadata_zarr_to_n5(json.data(), json.size(), 0, dst, dst_len, needed, error);
  });
}

/** Returns the zarr.json of a group that nobody stored; see zn5_metadata_implicit_group(). */
inline const char *implicit_group() noexcept {
  return zn5_metadata_implicit_group();
}

/** Returns the key of a block below its dataset, such as "0/3/1"; see zn5_block_key(). */
inline std::string block_key(const coordinates &grid_position) {
  if (grid_position.size() > (std::numeric_limits<std::uint32_t>::max)())
    throw error(ZN5_ERROR_INVALID_ARGUMENT, "grid_position has more than 65535 numbers");
  return detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_block_key(static_cast<std::uint32_t>(grid_position.size()), grid_position.data(), dst, dst_len, needed,
                         error);
  });
}

/* ---- Strings of fixed length ---- */

/** Zarr's `fixed_length_utf32` and NumPy's `<U12`. Text is UTF-8; lengths of elements are in bytes, 4 a code point. */
namespace utf32 {

/** The texts of an array of elements: one string, and where in it each text lies. */
class text_array {
public:
  /** Makes texts that lie in utf8 one behind the other; offsets has one number more than there are texts. */
  text_array(std::string utf8, std::vector<std::uint64_t> offsets)
      : utf8_(std::move(utf8)), offsets_(std::move(offsets)) {
  }

  /** Returns the number of texts. */
  std::size_t size() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }

  /** Returns a text, which lives as long as this object; index is below size(). */
  std::string_view operator[](std::size_t index) const & {
    const auto begin = zn5::detail::convert<std::size_t>(offsets_[index]);
    return std::string_view(utf8_).substr(begin, zn5::detail::convert<std::size_t>(offsets_[index + 1]) - begin);
  }

  /** Returns a text of a temporary; index is below size(). */
  std::string operator[](std::size_t index) const && {
    return std::string((*this)[index]);
  }

  /** Returns all texts, one behind the other. */
  const std::string &utf8() const &noexcept {
    return utf8_;
  }

  /** Returns all texts of a temporary, one behind the other. */
  std::string utf8() &&noexcept {
    return std::move(utf8_);
  }

  /** Returns where the texts begin in utf8(), and the last one ends. */
  const std::vector<std::uint64_t> &offsets() const &noexcept {
    return offsets_;
  }

  /** Returns where the texts of a temporary begin, and the last one ends. */
  std::vector<std::uint64_t> offsets() &&noexcept {
    return std::move(offsets_);
  }

  /** Are deleted: the texts of a constant temporary end with it. */
  const std::string &utf8() const && = delete;
  /** Are deleted: the texts of a constant temporary end with it. */
  const std::vector<std::uint64_t> &offsets() const && = delete;

private:
  std::string utf8_;
  std::vector<std::uint64_t> offsets_;
};

/** A NumPy name of the type, such as "<U12". */
struct numpy_dtype {
  /** The bytes of one element. */
  std::size_t length_bytes = 0;
  /** The byte order of the code units: little or big. */
  byte_order order = byte_order::native;
};

/** @cond What follows is no part of the interface. */
namespace detail {

inline zn5_endian raw(byte_order order) noexcept {
  return static_cast<zn5_endian>(order);
}

/* A last element that is not whole counts, so that zn5 reports it. */
inline std::size_t count(bytes elements, std::size_t length_bytes) noexcept {
  return length_bytes == 0 ? 0 : elements.size() / length_bytes + (elements.size() % length_bytes != 0 ? 1 : 0);
}

/* The bytes of count elements. */
inline std::size_t product(std::size_t count, std::size_t length_bytes) {
  if (length_bytes != 0 && count > (std::numeric_limits<std::size_t>::max)() / length_bytes)
    throw error(ZN5_ERROR_LIMIT_EXCEEDED, std::to_string(count) + " elements of " + std::to_string(length_bytes) +
                                              " bytes are more than this machine can address");
  return count * length_bytes;
}

} // namespace detail
/** @endcond */

/** Writes a text into one element, which is all of element; see zn5_utf32_encode(). */
inline void encode(std::string_view text, mutable_bytes element, byte_order order = byte_order::native) {
  zn5::detail::check([&](zn5_error **error) {
    return zn5_utf32_encode(text.data(), text.size(), detail::raw(order), element.data(), element.size(), error);
  });
}

/** Reads the text of one element, which is all of element; see zn5_utf32_decode(). */
inline std::string decode(bytes element, byte_order order = byte_order::native) {
  return zn5::detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_utf32_decode(element.data(), element.size(), detail::raw(order), dst, dst_len, needed, error);
  });
}

/**
 * Writes texts into an array of elements; see zn5_utf32_encode_array().
 *
 * @param texts         a container of what converts to std::string_view
 * @param length_bytes  the bytes of one element
 * @param order         the byte order of the code units
 * @return the elements
 */
template <class Texts>
std::vector<std::byte> encode_array(const Texts &texts, std::size_t length_bytes,
                                    byte_order order = byte_order::native) {
  std::string utf8;
  std::vector<std::uint64_t> offsets{0};
  for (const auto &text : texts) {
    utf8 += std::string_view(text);
    offsets.push_back(utf8.size());
  }
  std::vector<std::byte> elements(detail::product(offsets.size() - 1, length_bytes));
  zn5::detail::check([&](zn5_error **error) {
    return zn5_utf32_encode_array(utf8.data(), utf8.size(), offsets.data(), offsets.size() - 1, detail::raw(order),
                                  length_bytes, elements.data(), elements.size(), error);
  });
  return elements;
}

/**
 * Reads the texts of an array of elements; see zn5_utf32_decode_array().
 *
 * @param elements      the elements
 * @param length_bytes  the bytes of one element
 * @param order         the byte order of the code units
 * @return the texts, trailing U+0000 removed from each
 */
inline text_array decode_array(bytes elements, std::size_t length_bytes, byte_order order = byte_order::native) {
  const std::size_t count = detail::count(elements, length_bytes);
  std::vector<std::uint64_t> offsets(count + 1);
  std::string utf8 = zn5::detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_utf32_decode_array(elements.data(), elements.size(), count, detail::raw(order), length_bytes, dst,
                                  dst_len, offsets.data(), needed, error);
  });
  return {std::move(utf8), std::move(offsets)};
}

/** Returns the index of the first element that is no text, or nothing if all are; see zn5_utf32_validate(). */
inline std::optional<std::size_t> find_invalid(bytes elements, std::size_t length_bytes,
                                               byte_order order = byte_order::native) {
  const std::size_t count = detail::count(elements, length_bytes);
  std::size_t bad_index = count;
  zn5::detail::check([&](zn5_error **error) {
    return zn5_utf32_validate(elements.data(), elements.size(), count, detail::raw(order), length_bytes, &bad_index,
                              error);
  });
  return bad_index < count ? std::optional<std::size_t>(bad_index) : std::nullopt;
}

/** Writes the text of a JSON string into one element, which is all of element; see zn5_utf32_from_json(). */
inline void from_json(std::string_view json, mutable_bytes element, byte_order order = byte_order::native) {
  zn5::detail::check([&](zn5_error **error) {
    return zn5_utf32_from_json(json.data(), json.size(), detail::raw(order), element.data(), element.size(), error);
  });
}

/** Returns one element as a JSON string; see zn5_utf32_to_json(). */
inline std::string to_json(bytes element, byte_order order = byte_order::native) {
  return zn5::detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_utf32_to_json(element.data(), element.size(), detail::raw(order), dst, dst_len, needed, error);
  });
}

/** Reads a Zarr data type object and returns the bytes of one element; see zn5_utf32_data_type_parse(). */
inline std::size_t parse_data_type_json(std::string_view json) {
  std::size_t length_bytes = 0;
  zn5::detail::check(
      [&](zn5_error **error) { return zn5_utf32_data_type_parse(json.data(), json.size(), &length_bytes, error); });
  return length_bytes;
}

/** Returns the Zarr data type object of elements of a length; see zn5_utf32_data_type_json(). */
inline std::string data_type_json(std::size_t length_bytes) {
  return zn5::detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_utf32_data_type_json(length_bytes, dst, dst_len, needed, error);
  });
}

/** Reads a NumPy name of the type; see zn5_utf32_numpy_dtype_parse(). */
inline numpy_dtype parse_numpy_dtype(std::string_view name) {
  numpy_dtype dtype;
  zn5_endian order = 0;
  zn5::detail::check([&](zn5_error **error) {
    return zn5_utf32_numpy_dtype_parse(name.data(), name.size(), &dtype.length_bytes, &order, error);
  });
  dtype.order = static_cast<byte_order>(order);
  return dtype;
}

/** Returns the NumPy name of elements of a length and byte order; see zn5_utf32_numpy_dtype(). */
inline std::string numpy_dtype_name(std::size_t length_bytes, byte_order order = byte_order::native) {
  return zn5::detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
    return zn5_utf32_numpy_dtype(length_bytes, detail::raw(order), dst, dst_len, needed, error);
  });
}

} // namespace utf32

/* ---- Stores of the program ---- */

/** @cond What follows is no part of the interface. */
namespace detail {

/* Leads out of a callback after its sink has failed; zn5 knows the failure already. */
class sink_failed : public error {
public:
  explicit sink_failed(zn5_status status) : error(status, zn5_status_message(status)) {
  }
};

} // namespace detail
/** @endcond */

/** Where store_interface::get() puts the bytes of a value. Lives until that returns. */
class byte_sink {
public:
  /** Makes a sink over one of the C API. */
  explicit byte_sink(zn5_sink *raw) noexcept : raw_(raw) {
  }
  /** Is deleted: a copy could be kept. */
  byte_sink(const byte_sink &) = delete;
  /** Is deleted: a copy could be kept. */
  byte_sink &operator=(const byte_sink &) = delete;

  /** Writes the next bytes. Throws where zn5 wants no more; that exception may be let out. See zn5_sink_write(). */
  void write(bytes next) {
    const zn5_status status = zn5_sink_write(raw_, next.data(), next.size());
    if (status != ZN5_OK)
      throw detail::sink_failed(status);
  }

private:
  zn5_sink *raw_;
};

/** Where store_interface::list() puts the entries that it found. Lives until that returns. */
class entry_sink {
public:
  /** Makes a sink over one of the C API. */
  explicit entry_sink(zn5_sink *raw) noexcept : raw_(raw) {
  }
  /** Is deleted: a copy could be kept. */
  entry_sink(const entry_sink &) = delete;
  /** Is deleted: a copy could be kept. */
  entry_sink &operator=(const entry_sink &) = delete;

  /** Tells the next entry. Throws where zn5 wants no more; that exception may be let out. See zn5_sink_entry(). */
  void add(std::string_view name, entry_kind kind) {
    const zn5_status status = zn5_sink_entry(raw_, name.data(), name.size(), static_cast<std::uint32_t>(kind));
    if (status != ZN5_OK)
      throw detail::sink_failed(status);
  }

private:
  zn5_sink *raw_;
};

/**
 * A store that a program brings: S3, an archive, a cache, a database. Made a store by store::from_interface().
 *
 * The functions are called from any thread and at the same time, also from threads that zn5 makes for a call; keys and
 * prefixes have been checked. They may throw whatever they like. It ends the call of zn5 in whose service they ran, and
 * comes out of that call unchanged, on the thread that made it; only dataset::verify() goes on and reports a problem
 * with ZN5_ERROR_IO. A zn5::error with ZN5_ERROR_NOT_FOUND means that there is no such value.
 *
 * What a function writes by the dataset in whose service it runs waits for nobody, and it must not wait for another
 * thread that writes by that dataset; see zn5_store_callbacks.
 */
class store_interface {
public:
  /** Is called after the last use of the store, from the thread that gave it up last. Must not throw. */
  virtual ~store_interface() = default;

  /**
   * Writes a value to a sink.
   *
   * @param key      the key
   * @param offset   the byte of the value to begin with; behind its end there are none
   * @param max_len  the most bytes to write; UINT64_MAX is to the end
   * @param sink     gets the bytes, in one or more pieces
   * @return false if nothing is stored under key
   */
  virtual bool get(std::string_view key, std::uint64_t offset, std::uint64_t max_len, byte_sink &sink) = 0;

  /**
   * Gives a sink each name directly below a prefix once. While the sink takes an entry, zn5 may call this store from
   * the same thread.
   *
   * @param prefix  empty, or ends in '/'
   * @param sink    gets the entries; none if nothing lies there
   */
  virtual void list(std::string_view prefix, entry_sink &sink) = 0;

  /** Returns whether values can be stored and erased. Asked once, when the store is made; by default false. */
  virtual bool is_writable() const {
    return false;
  }

  /**
   * Stores a value in place of what was there, if is_writable(). While it does, others should get the old value or the
   * new one.
   *
   * @param key    the key
   * @param value  the value, which lives until the call returns
   */
  virtual void set(std::string_view key, bytes value) {
    static_cast<void>(value);
    throw error(ZN5_ERROR_READ_ONLY, std::string(key) + ": this store cannot be written");
  }

  /** Removes a value, if is_writable(); one that is missing is no failure. */
  virtual void erase(std::string_view key) {
    throw error(ZN5_ERROR_READ_ONLY, std::string(key) + ": this store cannot be written");
  }

protected:
  /** For the classes that implement the interface. */
  store_interface() = default;
  /** For the classes that implement the interface. */
  store_interface(const store_interface &) = default;
  /** For the classes that implement the interface. */
  store_interface &operator=(const store_interface &) = default;
};

/** @cond What follows is no part of the interface. */
namespace detail {

/* A store_interface for C, whose exceptions stay on this side. */
class store_adapter {
public:
  store_adapter(std::shared_ptr<store_interface> store, std::shared_ptr<thrown_exceptions> thrown)
      : store_(std::move(store)), thrown_(std::move(thrown)) {
  }

  zn5_store_callbacks callbacks() const {
    zn5_store_callbacks raw = {};
    raw.struct_size = sizeof raw;
    raw.get = get;
    raw.list = list;
    raw.release = release;
    if (store_->is_writable()) {
      raw.set = set;
      raw.erase = erase;
    }
    return raw;
  }

private:
  template <class Call> static zn5_status run(void *user_data, bool may_be_missing, Call call) noexcept {
    auto *self = static_cast<store_adapter *>(user_data);
    try {
      return call(*self->store_);
    } catch (const sink_failed &failure) {
      return failure.status();
    } catch (const error &failure) {
      if (may_be_missing && failure.status() == ZN5_ERROR_NOT_FOUND)
        return ZN5_ERROR_NOT_FOUND;
      return self->thrown_->keep(std::current_exception());
    } catch (...) {
      return self->thrown_->keep(std::current_exception());
    }
  }

  static zn5_status get(void *user_data, const char *key, std::size_t key_len, std::uint64_t offset,
                        std::uint64_t max_len, zn5_sink *raw) noexcept {
    return run(user_data, true, [&](store_interface &store) {
      byte_sink sink(raw);
      return store.get(std::string_view(key, key_len), offset, max_len, sink) ? ZN5_OK : ZN5_ERROR_NOT_FOUND;
    });
  }

  static zn5_status set(void *user_data, const char *key, std::size_t key_len, const void *value,
                        std::size_t value_len) noexcept {
    return run(user_data, false, [&](store_interface &store) {
      store.set(std::string_view(key, key_len), bytes(value, value_len));
      return ZN5_OK;
    });
  }

  static zn5_status erase(void *user_data, const char *key, std::size_t key_len) noexcept {
    return run(user_data, true, [&](store_interface &store) {
      store.erase(std::string_view(key, key_len));
      return ZN5_OK;
    });
  }

  static zn5_status list(void *user_data, const char *prefix, std::size_t prefix_len, zn5_sink *raw) noexcept {
    return run(user_data, true, [&](store_interface &store) {
      entry_sink sink(raw);
      store.list(std::string_view(prefix, prefix_len), sink);
      return ZN5_OK;
    });
  }

  static void release(void *user_data) noexcept {
    delete static_cast<store_adapter *>(user_data);
  }

  std::shared_ptr<store_interface> store_;
  std::shared_ptr<thrown_exceptions> thrown_;
};

} // namespace detail
/** @endcond */

/* ---- Stores and nodes ---- */

/** @cond What follows is no part of the interface. */
namespace detail {

/* Whether Path is a std::filesystem::path, or one of the libraries that it came from. */
template <class Path, class = void> struct is_path : std::false_type {};
template <class Path>
struct is_path<Path, std::void_t<typename Path::value_type, decltype(std::declval<const Path &>().native()),
                                 decltype(std::declval<const Path &>().is_absolute())>> : std::true_type {};

} // namespace detail
/** @endcond */

/**
 * Where the values of a container lie, by key; see zn5_store. A copy shares it, and what was made
 * from a store keeps it alive.
 *
 * Any number of threads may use it at once.
 */
class store {
public:
  /**
   * Opens a folder; see zn5_store_open().
   *
   * @param path    the folder; POSIX: any bytes, Windows: UTF-8
   * @param access  what may be done with it
   */
  static store open(const std::string &path, store_access access = store_access::read) {
    const char *name = detail::c_string(path, "path");
    zn5_store *made = nullptr;
    detail::check(
        [&](zn5_error **error) { return zn5_store_open(name, static_cast<std::uint32_t>(access), &made, error); });
    return store(made);
  }

  /**
   * Opens a folder that a std::filesystem::path names; see zn5_store_open(). A template, so that
   * programs without \<filesystem\> do not compile it.
   *
   * @param path    the folder
   * @param access  what may be done with it
   */
  template <class Path, class = std::enable_if_t<detail::is_path<Path>::value>>
  static store open(const Path &path, store_access access = store_access::read) {
    if constexpr (std::is_same<typename Path::value_type, char>::value) {
      return open(path.native(), access);
    } else {
      const auto utf8 = path.u8string();
      return open(std::string(reinterpret_cast<const char *>(utf8.data()), utf8.size()), access);
    }
  }

  /** Makes a store of what the program brings; see zn5_store_from_callbacks(). */
  static store from_interface(std::shared_ptr<store_interface> interface_object) {
    if (!interface_object)
      throw error(ZN5_ERROR_NULL_POINTER, "interface_object is null");
    auto thrown = std::make_shared<detail::thrown_exceptions>();
    auto adapter = std::make_unique<detail::store_adapter>(std::move(interface_object), thrown);
    const zn5_store_callbacks callbacks = adapter->callbacks();
    zn5_store *made = nullptr;
    detail::check([&](zn5_error **error) { return zn5_store_from_callbacks(&callbacks, adapter.get(), &made, error); });
    // The store releases it.
    static_cast<void>(adapter.release());
    return store(made, std::move(thrown));
  }

  /**
   * Shows a store that holds N5 as Zarr; see zn5_store_n5_as_zarr().
   *
   * @param inner            the store that holds N5
   * @param grid             the chunk grid of arrays
   * @param implicit_groups  folders that have no metadata are groups
   */
  static store n5_as_zarr(const store &inner, chunk_grid grid = chunk_grid::regular, bool implicit_groups = false) {
    const std::uint32_t flags = static_cast<std::uint32_t>(grid) | (implicit_groups ? ZN5_STORE_IMPLICIT_GROUPS : 0u);
    const zn5_store *whole = inner.live();
    zn5_store *made = nullptr;
    detail::check([&](zn5_error **error) { return zn5_store_n5_as_zarr(whole, flags, &made, error); });
    return store(made, inner.thrown_);
  }

  /** Makes an empty one, to be assigned to. */
  store() noexcept = default;

  /** Takes a store of the C API over, and frees it in the end. */
  explicit store(zn5_store *owned) : owned_(owned, zn5_store_free) {
  }

  /** Returns the store for the C API, which stays with this and its copies; null if empty. */
  const zn5_store *handle() const &noexcept {
    return owned_.get();
  }

  /** Is deleted: the store of a temporary may end with it. */
  const zn5_store *handle() const && = delete;

  /** Returns whether this is not empty. */
  explicit operator bool() const noexcept {
    return owned_ != nullptr;
  }

  /** Returns a value; ZN5_ERROR_NOT_FOUND if it is missing. See zn5_store_get(). */
  std::vector<std::byte> get(std::string_view key) const {
    std::vector<std::byte> value;
    get(key, [&](bytes next) { value.insert(value.end(), next.data(), next.data() + next.size()); });
    return value;
  }

  /** Returns a value as text; ZN5_ERROR_NOT_FOUND if it is missing. See zn5_store_get(). */
  std::string get_text(std::string_view key) const {
    std::string value;
    get(key, [&](bytes next) { value.append(reinterpret_cast<const char *>(next.data()), next.size()); });
    return value;
  }

  /**
   * Gets a value in pieces; see zn5_store_get().
   *
   * @param key       the key
   * @param callback  is called with zn5::bytes, which live until it returns
   */
  template <class Callback> void get(std::string_view key, Callback &&callback) const {
    context<Callback> c(callback);
    detail::check_callbacks(
        [&](zn5_error **error) {
          return zn5_store_get(live(), key.data(), key.size(), context<Callback>::take_bytes, &c, error);
        },
        c.done, thrown_.get());
  }

  /** Stores a value, in place of what was there; see zn5_store_set(). */
  void set(std::string_view key, bytes value) const {
    check([&](zn5_error **error) {
      return zn5_store_set(live(), key.data(), key.size(), value.data(), value.size(), error);
    });
  }

  /**
   * Removes a value; nothing happens if it is missing. See zn5_store_erase().
   *
   * A folder is no value, so the path of a dataset or group erases nothing: what lies in it has
   * keys of its own, which list() tells.
   */
  void erase(std::string_view key) const {
    check([&](zn5_error **error) { return zn5_store_erase(live(), key.data(), key.size(), error); });
  }

  /**
   * Lists what lies directly below a prefix; see zn5_store_list().
   *
   * @param prefix    empty, or names each followed by '/'
   * @param callback  is called with a std::string, the name, and an entry_kind
   */
  template <class Callback> void list(std::string_view prefix, Callback &&callback) const {
    context<Callback> c(callback);
    detail::check_callbacks(
        [&](zn5_error **error) {
          return zn5_store_list(live(), prefix.data(), prefix.size(),
                                context<Callback>::template take_entry<entry_kind>, &c, error);
        },
        c.done, thrown_.get());
  }

  /**
   * Lists the groups and arrays directly below a node, sorted by name; see zn5_node_list().
   *
   * @param path      the node; "" or "/" is the root
   * @param callback  is called with a std::string, the name, and a node_kind
   */
  template <class Callback> void list_nodes(const std::string &path, Callback &&callback) const {
    const char *name = detail::c_string(path, "path");
    context<Callback> c(callback);
    detail::check_callbacks(
        [&](zn5_error **error) {
          return zn5_node_list(live(), name, context<Callback>::template take_entry<node_kind>, &c, error);
        },
        c.done, thrown_.get());
  }

  /** Tells whether a node is N5 or Zarr; see zn5_node_language(). */
  metadata_language node_language(const std::string &path) const {
    const char *name = detail::c_string(path, "path");
    zn5_language found = ZN5_LANGUAGE_AUTO;
    check([&](zn5_error **error) { return zn5_node_language(live(), name, &found, error); });
    return static_cast<metadata_language>(found);
  }

  /**
   * Makes a group, unless it is there; see zn5_group_create().
   *
   * @param path      the group; "" or "/" is the root
   * @param language  the language that it is to have; by itself that of the nearest document
   */
  void create_group(const std::string &path, metadata_language language = metadata_language::automatic) const {
    const char *name = detail::c_string(path, "path");
    check(
        [&](zn5_error **error) { return zn5_group_create(live(), name, static_cast<zn5_language>(language), error); });
  }

  /** Returns the user's attributes of a group or array, a JSON object; see zn5_attributes_get(). */
  std::string attributes(const std::string &path) const {
    const char *name = detail::c_string(path, "path");
    return detail::text(
        [&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
          return zn5_attributes_get(live(), name, dst, dst_len, needed, error);
        },
        thrown_.get());
  }

  /** Returns the same as JSON in any case, NaN and the infinities as strings; see zn5_attributes_get_json(). */
  std::string attributes_json(const std::string &path) const {
    const char *name = detail::c_string(path, "path");
    return detail::text(
        [&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
          return zn5_attributes_get_json(live(), name, dst, dst_len, needed, error);
        },
        thrown_.get());
  }

  /** Replaces the user's attributes of a group or array by those of a JSON object; see zn5_attributes_set(). */
  void set_attributes(const std::string &path, std::string_view json) const {
    const char *name = detail::c_string(path, "path");
    check([&](zn5_error **error) { return zn5_attributes_set(live(), name, json.data(), json.size(), error); });
  }

private:
  friend class dataset;

  /* The callback of one call. */
  template <class Callback> struct context {
    explicit context(Callback &taker) : callback(taker) {
    }

    static std::int32_t take_bytes(void *user_data, const void *data, std::size_t len) noexcept {
      auto *self = static_cast<context *>(user_data);
      return self->done.run(self->callback, bytes(data, len));
    }

    template <class Kind>
    static std::int32_t take_entry(void *user_data, const char *name, std::size_t name_len,
                                   std::uint32_t kind) noexcept {
      auto *self = static_cast<context *>(user_data);
      const auto call = [&] {
        const std::string text(name, name_len);
        return self->callback(text, static_cast<Kind>(kind));
      };
      return self->done.run(call);
    }

    Callback &callback;
    detail::outcome done = {};
  };

  store(zn5_store *owned, std::shared_ptr<detail::thrown_exceptions> thrown)
      : owned_(owned, zn5_store_free), thrown_(std::move(thrown)) {
  }

  const zn5_store *live() const {
    return detail::live(owned_, "store");
  }

  template <class Call> void check(Call call) const {
    detail::check(call, thrown_.get());
  }

  std::shared_ptr<const zn5_store> owned_ = nullptr;
  std::shared_ptr<detail::thrown_exceptions> thrown_ = nullptr;
};

/* ---- Datasets ---- */

/** One problem that dataset::verify() found, which may be kept. */
struct problem {
  /** What is wrong with the block, as reading it would fail. */
  zn5_status status = ZN5_OK;
  /** The key in the store. */
  std::string key = {};
  /** The byte offset in the block; -1 unknown. */
  std::int64_t offset = -1;
  /** What is wrong; begins with the key. */
  std::string message = {};
};

/**
 * One array in a store; see zn5_dataset. A copy shares it, and it keeps its store alive.
 *
 * Any number of threads may read and write it at once.
 */
class dataset {
public:
  /**
   * Opens an array: by attributes.json if that describes one, else by zarr.json; see zn5_dataset_open().
   *
   * @param where    the store
   * @param path     the array, such as "volume/s0"; "" or "/" is the root
   * @param options  what is asked of its codec
   */
  static dataset open(const store &where, const std::string &path, const codec_options &options = {}) {
    const char *name = detail::c_string(path, "path");
    const zn5_codec_options raw = detail::raw_options(options);
    const zn5_store *container = where.live();
    zn5_dataset *made = nullptr;
    where.check([&](zn5_error **error) { return zn5_dataset_open(container, name, &raw, &made, error); });
    return dataset(made, where.thrown_);
  }

  /**
   * Makes a new array without blocks and opens it; see zn5_dataset_create().
   *
   * @param where          the store, which can be written
   * @param path           the array; "" or "/" is the root
   * @param metadata_json  the text of an attributes.json or zarr.json
   * @param options        what is asked of its codec
   */
  static dataset create(const store &where, const std::string &path, std::string_view metadata_json,
                        const codec_options &options = {}) {
    const char *name = detail::c_string(path, "path");
    const zn5_codec_options raw = detail::raw_options(options);
    const zn5_store *container = where.live();
    zn5_dataset *made = nullptr;
    where.check([&](zn5_error **error) {
      return zn5_dataset_create(container, name, metadata_json.data(), metadata_json.size(), &raw, &made, error);
    });
    return dataset(made, where.thrown_);
  }

  /** Makes an empty one, to be assigned to. */
  dataset() noexcept = default;

  /** Takes a dataset of the C API over, and frees it in the end. */
  explicit dataset(zn5_dataset *owned) : owned_(owned, zn5_dataset_free) {
  }

  /** Returns the dataset for the C API, which stays with this and its copies; null if empty. */
  const zn5_dataset *handle() const &noexcept {
    return owned_.get();
  }

  /** Is deleted: the dataset of a temporary may end with it. */
  const zn5_dataset *handle() const && = delete;

  /** Returns whether this is not empty. */
  explicit operator bool() const noexcept {
    return owned_ != nullptr;
  }

  /** Returns the codec of the blocks, which keeps the dataset alive. */
  zn5::codec codec() const {
    return zn5::codec(std::shared_ptr<const zn5_codec>(owned_, zn5_dataset_codec(live())));
  }

  /** Returns the type of the elements. */
  data_type dtype() const {
    return codec().dtype();
  }

  /** Returns the number of dimensions. */
  std::uint32_t ndim() const {
    return codec().ndim();
  }

  /** Returns the shape of the array: N5's dimensions, Zarr's shape. */
  std::vector<std::uint64_t> shape() const {
    std::vector<std::uint64_t> extents(ndim());
    check([&](zn5_error **error) { return zn5_dataset_shape(live(), extents.data(), extents.size(), error); });
    return extents;
  }

  /** Returns the metadata document as it was stored when the dataset was opened; see zn5_dataset_metadata(). */
  std::string metadata() const {
    return detail::text([&](char *dst, std::size_t dst_len, std::size_t *needed, zn5_error **error) {
      return zn5_dataset_metadata(live(), dst, dst_len, needed, error);
    });
  }

  /** Tells whether the array is N5 or Zarr; see zn5_dataset_language(). */
  metadata_language language() const {
    return static_cast<metadata_language>(zn5_dataset_language(live()));
  }

  /**
   * Reads a region; see zn5_dataset_read(), also for what it costs: instead of plane by plane, read slabs as thick as a
   * block, and take the planes from memory.
   *
   * @tparam T      the type of the elements; another one is ZN5_ERROR_UNSUPPORTED_DATA_TYPE
   * @param offset  where in the array the region begins; empty for zeros
   * @param extent  the extents of the region; empty for the rest of the array
   * @param io      how to read
   * @return the elements of the region, in the codec's order
   */
  template <class T>
  std::vector<T> read(const coordinates &offset = {}, const coordinates &extent = {}, const io_options &io = {}) const {
    codec().require<T>();
    std::vector<T> elements(region_size(offset, extent) / sizeof(T));
    read_into({elements.data(), elements.size() * sizeof(T)}, offset, extent, {}, io);
    return elements;
  }

  /**
   * Reads a region of any type into an image that is there already; see zn5_dataset_read().
   *
   * @param image   the whole image
   * @param offset  where in the array the region begins; empty for zeros
   * @param extent  the extents of the region; empty for the rest of the array
   * @param place   where in the image the region lies
   * @param io      how to read
   */
  void read_into(mutable_bytes image, const coordinates &offset = {}, const coordinates &extent = {},
                 const layout &place = {}, const io_options &io = {}) const {
    const std::uint64_t *begin = axes(offset, "offset"), *box = axes(extent, "extent");
    const std::ptrdiff_t *strides = axes(place.strides, "strides");
    transfer(io, [&](const zn5_io_options *raw, zn5_error **error) {
      return zn5_dataset_read(live(), begin, box, image.data(), image.size(), place.origin, strides, raw, error);
    });
  }

  /**
   * Writes a region; see zn5_dataset_write(). Calls at the same time by one object may cover parts of the same block,
   * and nothing is lost. Other objects of the same array, in this process or in others, are not waited for: there,
   * align regions to blocks, or serialise the calls.
   *
   * @param elements  the elements of the region in the codec's order: a contiguous container of the array's type
   *   (another one is ZN5_ERROR_UNSUPPORTED_DATA_TYPE) with exactly as many as the region has (else
   * ZN5_ERROR_SIZE_MISMATCH)
   * @param offset    where in the array the region begins; empty for zeros
   * @param extent    the extents of the region; empty for the rest of the array
   * @param io        how to write
   */
  template <class Container>
  void write(const Container &elements, const coordinates &offset = {}, const coordinates &extent = {},
             const io_options &io = {}) const {
    using element = std::remove_cv_t<std::remove_reference_t<decltype(*std::data(elements))>>;
    codec().require<element>();
    const bytes source(std::data(elements), std::size(elements) * sizeof(element));
    const std::size_t size = region_size(offset, extent);
    if (source.size() != size)
      throw error(ZN5_ERROR_SIZE_MISMATCH, "there are " + std::to_string(std::size(elements)) +
                                               " elements, but the region has " +
                                               std::to_string(size / sizeof(element)) + "; give one for each");
    write_from(source, offset, extent, {}, io);
  }

  /**
   * Writes a region of any type from an image; see zn5_dataset_write().
   *
   * @param image   the whole image
   * @param offset  where in the array the region begins; empty for zeros
   * @param extent  the extents of the region; empty for the rest of the array
   * @param place   where in the image the region lies
   * @param io      how to write
   */
  void write_from(bytes image, const coordinates &offset = {}, const coordinates &extent = {}, const layout &place = {},
                  const io_options &io = {}) const {
    const std::uint64_t *begin = axes(offset, "offset"), *box = axes(extent, "extent");
    const std::ptrdiff_t *strides = axes(place.strides, "strides");
    transfer(io, [&](const zn5_io_options *raw, zn5_error **error) {
      return zn5_dataset_write(live(), begin, box, image.data(), image.size(), place.origin, strides, raw, error);
    });
  }

  /**
   * Reads every stored block whole and reports what is wrong; see zn5_dataset_verify().
   *
   * @param callback  is called with each zn5::problem
   * @param io        how to read
   */
  template <class Callback> void verify(Callback &&callback, const io_options &io = {}) const {
    detail::raw_io raw(io);
    verifier<Callback> v{callback, {}};
    zn5_error *failure = nullptr;
    const zn5_status status = zn5_dataset_verify(live(), verifier<Callback>::take, &v, raw.get(), &failure);
    const detail::error_handle owned(failure);
    // Either of the two callbacks may have ended the call, but not both.
    const std::exception_ptr exception = v.done.exception ? v.done.exception : raw.exception();
    if (exception)
      std::rethrow_exception(exception);
    if (status != ZN5_OK && !(v.done.ended && status == ZN5_ERROR_CANCELLED))
      detail::fail(status, owned, thrown_.get());
  }

private:
  /* The callback of one verify(). */
  template <class Callback> struct verifier {
    static std::int32_t take(void *user_data, zn5_status status, const char *key, std::size_t key_len,
                             std::int64_t offset, const char *message) noexcept {
      auto *self = static_cast<verifier *>(user_data);
      const auto call = [&] { return self->callback(problem{status, std::string(key, key_len), offset, message}); };
      return self->done.run(call);
    }

    Callback &callback;
    detail::outcome done;
  };

  dataset(zn5_dataset *owned, std::shared_ptr<detail::thrown_exceptions> thrown)
      : owned_(owned, zn5_dataset_free), thrown_(std::move(thrown)) {
  }

  const zn5_dataset *live() const {
    return detail::live(owned_, "dataset");
  }

  template <class Call> void check(Call call) const {
    detail::check(call, thrown_.get());
  }

  template <class T> const T *axes(const per_axis<T> &numbers, const char *name) const {
    return detail::axes(numbers, ndim(), name);
  }

  /* The bytes of a region, which is in the array, so that nobody allocates what cannot be read. */
  std::size_t region_size(const coordinates &offset, const coordinates &extent) const {
    axes(offset, "offset");
    axes(extent, "extent");
    std::vector<std::uint64_t> size = shape();
    for (std::size_t axis = 0; axis < size.size(); axis++) {
      const std::uint64_t begin = offset.empty() ? 0 : offset[axis];
      const bool outside = begin > size[axis] || (!extent.empty() && extent[axis] > size[axis] - begin);
      if (outside)
        throw error(ZN5_ERROR_INVALID_ARGUMENT,
                    "the region leaves the array on axis " + std::to_string(axis) + ": it begins at " +
                        std::to_string(begin) + (extent.empty() ? "" : " with extent " + std::to_string(extent[axis])) +
                        ", the array's extent is " + std::to_string(size[axis]));
      size[axis] = extent.empty() ? size[axis] - begin : extent[axis];
    }
    return codec().decoded_size(size);
  }

  template <class Call> void transfer(const io_options &io, Call call) const {
    detail::raw_io raw(io);
    zn5_error *failure = nullptr;
    const zn5_status status = call(raw.get(), &failure);
    const detail::error_handle owned(failure);
    if (raw.exception())
      std::rethrow_exception(raw.exception());
    if (status != ZN5_OK)
      detail::fail(status, owned, thrown_.get());
  }

  std::shared_ptr<const zn5_dataset> owned_ = nullptr;
  std::shared_ptr<detail::thrown_exceptions> thrown_ = nullptr;
};

} // namespace zn5

#undef ZN5_HPP_LIFETIMEBOUND

#endif /* C++17 */

#endif /* ZN5_HPP */
