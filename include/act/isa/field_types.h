// The types that fields have: for each the C++ type of the member and how a row describes it.
#pragma once

#include <cstring>

#include "act/isa/enums.h"
#include "act/rows/record.h"

namespace act {

// Integers that stand for themselves.
enum class OpcodeByte : std::uint8_t {};

// A 32-bit address word (01 section 3.1) that stands outside a descriptor.
struct PartitionOffset {
  std::uint32_t word = 0;
  friend constexpr bool operator==(PartitionOffset, PartitionOffset) = default;
};
// A binary32 pattern.
struct F32 {
  std::uint32_t bits = 0;
  friend constexpr bool operator==(F32, F32) = default;
};
// 32 bits that are a binary32 or integer value, a pointer, or a register number, as the source field says.
struct Immediate {
  std::uint32_t bits = 0;
  friend constexpr bool operator==(Immediate, Immediate) = default;
};
// 64 bits likewise (01 section 7, IMM64).
struct Immediate64 {
  std::uint64_t bits = 0;
  friend constexpr bool operator==(Immediate64, Immediate64) = default;
};
template <unsigned N>
using ByteArray = std::array<std::uint8_t, N>;
template <unsigned N>
struct Text {
  std::array<char, N> chars{};
  friend constexpr bool operator==(const Text&, const Text&) = default;
};

using Tensor1d = TensorN<1>;
using Tensor2d = TensorN<2>;
using Tensor3d = TensorN<3>;
using Tensor4d = TensorN<4>;
// The union forms (01 section 4.2): the bits of TensorN, which on nc >= 4 may hold a gather.
template <unsigned N>
struct MemPatternN : TensorN<N> {
  friend constexpr bool operator==(const MemPatternN&, const MemPatternN&) = default;
};
using MemPattern2d = MemPatternN<2>;
using MemPattern3d = MemPatternN<3>;
using MemPattern4d = MemPatternN<4>;

// FieldType<T>::row(name, byte, doc) makes the row of a field of type T.
template <class T>
struct FieldType;

namespace detail {
template <class T>
constexpr Field make_row(std::string_view name, std::string_view type, unsigned byte, Kind kind, std::string_view doc,
                         const EnumTable* choices = nullptr, unsigned dims = 0, bool indirect = false) {
  return {.name = name, .type = type, .bit = byte * 8, .width = sizeof(T) * 8, .kind = kind, .choices = choices, .dims = dims, .indirect = indirect, .doc = doc};
}
}  // namespace detail

#define ACT_FIELD_TYPE(T, type, ...)                                                        \
  template <>                                                                               \
  struct FieldType<T> {                                                                     \
    static constexpr Field row(std::string_view name, unsigned byte, std::string_view doc) { \
      return detail::make_row<T>(name, type, byte, __VA_ARGS__);                            \
    }                                                                                       \
  };
ACT_FIELD_TYPE(OpcodeByte, "opcode", Kind::integer, doc)
ACT_FIELD_TYPE(std::uint8_t, "u8", Kind::integer, doc)
ACT_FIELD_TYPE(std::uint16_t, "u16", Kind::integer, doc)
ACT_FIELD_TYPE(std::uint32_t, "u32", Kind::integer, doc)
ACT_FIELD_TYPE(std::uint64_t, "u64", Kind::integer, doc)
ACT_FIELD_TYPE(PartitionOffset, "partition_offset", Kind::address, doc)
ACT_FIELD_TYPE(F32, "f32", Kind::f32, doc)
ACT_FIELD_TYPE(Immediate, "activation_imm", Kind::immediate, doc)
ACT_FIELD_TYPE(Immediate64, "imm64", Kind::wide_immediate, doc)
ACT_FIELD_TYPE(Dtype, "dtype", Kind::enumerator, doc, &kDtypeTable)
ACT_FIELD_TYPE(AluOp, "alu_op", Kind::enumerator, doc, &kAluOpTable)
ACT_FIELD_TYPE(DtypePair, "dtype_pair", Kind::nibbles, doc, &kDtypeTable)
ACT_FIELD_TYPE(Tensor1d, "tensor1d", Kind::tensor, doc, nullptr, 1)
ACT_FIELD_TYPE(Tensor2d, "tensor2d", Kind::tensor, doc, nullptr, 2)
ACT_FIELD_TYPE(Tensor3d, "tensor3d", Kind::tensor, doc, nullptr, 3)
ACT_FIELD_TYPE(Tensor4d, "tensor4d", Kind::tensor, doc, nullptr, 4)
ACT_FIELD_TYPE(MemPattern2d, "tensor2d", Kind::tensor, doc, nullptr, 2, true)
ACT_FIELD_TYPE(MemPattern3d, "tensor3d", Kind::tensor, doc, nullptr, 3, true)
ACT_FIELD_TYPE(MemPattern4d, "tensor4d", Kind::tensor, doc, nullptr, 4, true)
ACT_FIELD_TYPE(ByteArray<32>, "bytes32", Kind::bytes, doc)
ACT_FIELD_TYPE(ByteArray<48>, "bytes48", Kind::bytes, doc)
ACT_FIELD_TYPE(ByteArray<52>, "bytes52", Kind::bytes, doc)
ACT_FIELD_TYPE(Text<32>, "char32", Kind::text, doc)
#define ACT_ENUM(Type, field_type, doc_) ACT_FIELD_TYPE(Type, #field_type, Kind::enumerator, doc, &k##Type##Table)
#define ACT_VALUE(name, code, doc)
#define ACT_ENUM_END(Type)
#include "act/isa/enums.def"
#undef ACT_ENUM
#undef ACT_VALUE
#undef ACT_ENUM_END
#undef ACT_FIELD_TYPE

}  // namespace act
