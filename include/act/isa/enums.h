// Enumerations of instruction fields, as C++ types and as tables, both from enums.def.
#pragma once

#include "act/numeric/alu.h"
#include "act/numeric/dtype.h"
#include "act/rows/field.h"

namespace act {

#define ACT_ENUM(Type, field_type, doc) enum class Type : std::uint8_t {
#define ACT_VALUE(name, code, doc) name = code,
#define ACT_ENUM_END(Type) };
#include "act/isa/enums.def"
#undef ACT_ENUM
#undef ACT_VALUE
#undef ACT_ENUM_END

namespace detail {
#define ACT_ENUM(Type, field_type, doc) inline constexpr Choice k##Type##Choices[] = {
#define ACT_VALUE(name, code, doc) Choice{#name, code, doc},
#define ACT_ENUM_END(Type) };
#include "act/isa/enums.def"
#undef ACT_ENUM
#undef ACT_VALUE
#undef ACT_ENUM_END
}  // namespace detail

#define ACT_ENUM(Type, field_type, doc) inline constexpr EnumTable k##Type##Table{#field_type, detail::k##Type##Choices, doc};
#define ACT_VALUE(name, code, doc)
#define ACT_ENUM_END(Type)
#include "act/isa/enums.def"
#undef ACT_ENUM
#undef ACT_VALUE
#undef ACT_ENUM_END

// Data types and ALU operations as tables, built from the rows of numeric.
extern const EnumTable kDtypeTable, kAluOpTable;

// Every table, in the order of enums.def, then dtype and alu_op.
std::span<const EnumTable* const> all_enums();

}  // namespace act
