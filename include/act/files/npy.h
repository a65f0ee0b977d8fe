// NumPy's .npy array files, format versions 1.0, 2.0 and 3.0.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "act/files/files.h"

namespace act {

// Element type of an array: kind 'b' (bool), 'i', 'u', 'f', or 'V' (opaque bytes: what bfloat16 and the 8-bit
// floats of ml_dtypes are stored as), and the element's size in bytes.
struct NpyType {
  char kind = 'f';
  unsigned bytes = 4;

  friend constexpr bool operator==(const NpyType&, const NpyType&) = default;
  std::string name() const;  // "f4"
};

// Type of the C++ number T (integers, bool, float, double).
template <class T>
constexpr NpyType npy_type() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
  if (std::is_same_v<T, bool>) return {'b', 1};
  if (std::is_floating_point_v<T>) return {'f', sizeof(T)};
  return {std::is_signed_v<T> ? 'i' : 'u', sizeof(T)};
}

// An array in memory: always C order (the last index varies fastest) and little-endian, whatever the file
// had.
struct NpyArray {
  NpyType type;
  std::vector<std::uint64_t> shape;  // empty = a single number
  Bytes data;                        // count() * type.bytes bytes

  // Number of elements. Precondition: the product fits in 64 bits, which holds for every array that was read.
  std::uint64_t count() const;

  // Bits of element i, zero-extended; type.bytes of 1, 2, 4 or 8.
  std::uint64_t bits(std::uint64_t i) const;
  void set_bits(std::uint64_t i, std::uint64_t value);

  // The elements as numbers of type T. Precondition: sizeof(T) == type.bytes.
  template <class T>
  std::vector<T> values() const {
    std::vector<T> out(data.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), data.data(), out.size() * sizeof(T));
    return out;
  }
  template <class T>
  static NpyArray from(std::vector<std::uint64_t> shape, const std::vector<T>& values) {
    NpyArray a{npy_type<T>(), std::move(shape), Bytes(values.size() * sizeof(T))};
    if (!values.empty()) std::memcpy(a.data.data(), values.data(), a.data.size());
    return a;
  }
};

inline constexpr std::size_t kNpyMaxDimensions = 32;
inline constexpr std::uint32_t kNpyMaxHeaderBytes = 65536;

// Reads an array from the content of a .npy file. Fortran order is reordered and big-endian data swapped.
// Types: b1, i1..i8, u1..u8, f2..f8, V1..V16; objects, structures, strings, dates and complex numbers are
// refused. Errors: bad-npy (the header), bad-size (more or less data than the shape needs).
Result<NpyArray> parse_npy(std::span<const std::uint8_t> content);
// The file of an array, version 1.0. Error: bad-size when data and shape disagree, bad-npy for a type that
// parse_npy refuses.
Result<Bytes> format_npy(const NpyArray& array);

// The same from and to a file ("-" = standard input or output); errors of files.h besides.
Result<NpyArray> read_npy(const std::string& path, std::uint64_t limit = kDefaultReadLimit);
Status write_npy(const std::string& path, const NpyArray& array);

}  // namespace act
