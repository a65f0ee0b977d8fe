// The 64-byte instruction and its typed forms, all made from the rows in formats/.
#pragma once

#include <bit>
#include <variant>

#include "act/isa/field_types.h"

namespace act {

inline constexpr unsigned kBundleBytes = 64;

// One instruction as it stands in a stream.
struct Bundle {
  std::array<std::uint8_t, kBundleBytes> bytes{};

  constexpr operator Record() const { return bytes; }
  constexpr operator MutableRecord() { return bytes; }
  constexpr std::uint8_t opcode() const { return bytes[0]; }
  friend constexpr bool operator==(const Bundle&, const Bundle&) = default;
};
static_assert(sizeof(Bundle) == kBundleBytes);

inline constexpr std::uint8_t kInstWordLen = 16;

// One struct per format. Members are the rows in wire order, reserved ranges included (`reserved_12`), so that a decoded
// bundle encodes to itself whatever it holds. All members start as zero.
#define ACT_FORMAT(NAME, Type, doc) struct Type {
#define ACT_FIELD(name, byte, T, doc) T name{};
#define ACT_RESERVED(byte, size) std::array<std::uint8_t, size> reserved_##byte{};
#define ACT_FORMAT_END(NAME, Type)                               \
  friend constexpr bool operator==(const Type&, const Type&) = default; \
  };
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END

namespace detail {
// The rows of each format.
#define ACT_FORMAT(NAME, Type, doc) inline constexpr Field k##Type##Fields[] = {
#define ACT_FIELD(name, byte, T, doc) FieldType<T>::row(#name, byte, doc),
#define ACT_RESERVED(byte, size)
#define ACT_FORMAT_END(NAME, Type) };
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END

// The reserved ranges of each format; a leading empty entry keeps formats without any valid C++.
#define ACT_FORMAT(NAME, Type, doc) inline constexpr Reserved k##Type##Reserved[] = {{0, 0},
#define ACT_FIELD(name, byte, T, doc)
#define ACT_RESERVED(byte, size) {byte, size},
#define ACT_FORMAT_END(NAME, Type) };
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END
}  // namespace detail

// FormatOf<S3d3Ac>::value is the Format of a typed instruction.
template <class T>
struct FormatOf;

#define ACT_FORMAT(NAME, Type, doc)                                                             \
  template <>                                                                                   \
  struct FormatOf<Type> {                                                                       \
    static constexpr Format value{#NAME, kBundleBytes, detail::k##Type##Fields,                 \
                                  std::span(detail::k##Type##Reserved).subspan(1), doc};        \
    static_assert(check_layout(value) != Layout::fields_overlap, "fields of " #NAME " overlap"); \
    static_assert(check_layout(value) != Layout::bits_uncovered, "bytes of " #NAME " are covered by no field"); \
    static_assert(check_layout(value) != Layout::field_without_doc, "a field of " #NAME " has no documentation"); \
    static_assert(check_layout(value) == Layout::ok, "the layout of " #NAME " is not sound");    \
  };
#define ACT_FIELD(name, byte, T, doc)
#define ACT_RESERVED(byte, size)
#define ACT_FORMAT_END(NAME, Type)
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END

namespace detail {
// Members are trivially copyable and hold their bytes in wire order.
template <class T>
void load_field(T& member, const Bundle& b, unsigned byte) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(&member, b.bytes.data() + byte, sizeof(T));
}
template <class T>
void store_field(const T& member, Bundle& b, unsigned byte) {
  std::memcpy(b.bytes.data() + byte, &member, sizeof(T));
}
}  // namespace detail
static_assert(std::endian::native == std::endian::little, "records are copied as little-endian memory");

// decode_as<S3d3Ac>(bundle): the typed form, without looking at the opcode. encode(x): back to bytes; every byte is written.
template <class T>
T decode_as(const Bundle& bundle);
#define ACT_FORMAT(NAME, Type, doc)                \
  template <>                                      \
  inline Type decode_as<Type>(const Bundle& b) {   \
    Type x;
#define ACT_FIELD(name, byte, T, doc) detail::load_field(x.name, b, byte);
#define ACT_RESERVED(byte, size) detail::load_field(x.reserved_##byte, b, byte);
#define ACT_FORMAT_END(NAME, Type) \
    return x;                      \
  }
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END

#define ACT_FORMAT(NAME, Type, doc)      \
  inline Bundle encode(const Type& x) {  \
    Bundle b;
#define ACT_FIELD(name, byte, T, doc) detail::store_field(x.name, b, byte);
#define ACT_RESERVED(byte, size) detail::store_field(x.reserved_##byte, b, byte);
#define ACT_FORMAT_END(NAME, Type) \
    return b;                      \
  }
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END

// Any typed instruction. The empty alternative stands for bytes that no opcode owns.
using Instruction = std::variant<std::monostate
#define ACT_FORMAT(NAME, Type, doc) , Type
#define ACT_FIELD(name, byte, T, doc)
#define ACT_RESERVED(byte, size)
#define ACT_FORMAT_END(NAME, Type)
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END
                                 >;

// Index of a format in the Instruction variant and in all_formats() (1-based; 0 = none).
enum class FormatId : std::uint8_t {
  none,
#define ACT_FORMAT(NAME, Type, doc) NAME,
#define ACT_FIELD(name, byte, T, doc)
#define ACT_RESERVED(byte, size)
#define ACT_FORMAT_END(NAME, Type)
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END
};

}  // namespace act
