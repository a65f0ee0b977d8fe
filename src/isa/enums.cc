#include "act/isa/enums.h"

#include <array>

namespace act {
namespace {

constexpr auto kDtypeChoices = [] {
  std::array<Choice, std::size(kDtypeRows)> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = {kDtypeRows[i].name, code_of(kDtypeRows[i].dtype), kDtypeRows[i].doc, kDtypeRows[i].generations};
  return out;
}();

constexpr auto kAluOpChoices = [] {
  std::array<Choice, std::size(kAluOpRows)> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = {kAluOpRows[i].name, static_cast<std::uint64_t>(kAluOpRows[i].op), kAluOpRows[i].doc, kAluOpRows[i].generations};
  return out;
}();

}  // namespace

constexpr EnumTable kDtypeTable{"dtype", kDtypeChoices, "data type of an element"};
constexpr EnumTable kAluOpTable{"alu_op", kAluOpChoices, "operation of an ALU stage"};

std::span<const EnumTable* const> all_enums() {
  static constexpr const EnumTable* kAll[] = {
#define ACT_ENUM(Type, field_type, doc) &k##Type##Table,
#define ACT_VALUE(name, code, doc)
#define ACT_ENUM_END(Type)
#include "act/isa/enums.def"
#undef ACT_ENUM
#undef ACT_VALUE
#undef ACT_ENUM_END
      &kDtypeTable, &kAluOpTable};
  return kAll;
}

}  // namespace act
