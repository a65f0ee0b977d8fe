#include "act/numeric/document.h"

#include <fmt/format.h>

#include <bit>

#include "act/numeric/alu.h"
#include "act/numeric/convert.h"

namespace act {
namespace {

std::string_view role_name(DtypeRole role) {
  constexpr std::string_view names[] = {"sentinel",   "compute",     "64-bit, where admitted", "output only",
                                        "MX element", "block scale", "transport only"};
  return names[static_cast<unsigned>(role)];
}

std::string since(GenerationSet generations) {
  for (Generation g : kGenerations)
    if (generations.contains(g)) return std::string(generation_name(g));
  return "";
}

std::string dtype_table() {
  std::string out =
      "| code | name | short name, aliases | bits | alignment | since | role | "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const DtypeRow& row : kDtypeRows) {
    std::string names = fmt::format("`{}`", row.short_name);
    for (std::string_view alias : row.aliases)
      if (!alias.empty()) names += fmt::format(", `{}`", alias);
    out += fmt::format("| 0x{:02X} | {} | {} | {} | {} | {} | {} | {} |\n", code_of(row.dtype), row.name,
                       names, row.bits == 0 ? "" : std::to_string(row.bits),
                       row.alignment == 0 ? "" : std::to_string(row.alignment), since(row.generations),
                       role_name(row.role), row.doc);
  }
  return out;
}

// A power of two as such, anything else in decimal.
std::string value_text(float x) {
  const std::uint32_t bits = bits_of(x);
  if ((bits & 0x7FFFFF) == 0) return fmt::format("2^{}", static_cast<int>(bits >> 23) - 127);
  if (bits < 0x00800000 && std::has_single_bit(bits))
    return fmt::format("2^{}", std::countr_zero(bits) - 149);
  return fmt::format("{:g}", x);
}

std::string format_row(std::string_view name, const FloatFormat& f) {
  const std::uint32_t first_normal = f.subnormals ? 1u << f.mantissa_bits : 0;
  const auto code_text = [&f](std::uint32_t code) {
    return fmt::format("{:0{}X}", code, (f.sign_bits + f.magnitude_bits() + 3) / 4);
  };
  const auto with_code = [&](std::uint32_t code) {
    return fmt::format("{} ({})", value_text(decode_float(f, code)), code_text(code));
  };
  return fmt::format("| {} | {}-{}-{} | {} | {} | {} | {} | {} | {} |\n", name, f.sign_bits, f.exponent_bits,
                     f.mantissa_bits, f.bias, with_code(f.max_finite_code()), with_code(first_normal),
                     f.subnormals ? with_code(1) : "none",
                     f.has_infinity() ? code_text(f.overflow_code()) : "none",
                     f.top == TopExponent::finite ? "none" : code_text(f.nan_code()));
}

std::string format_table() {
  std::string out =
      "| format | sign-exponent-mantissa | bias | largest | smallest normal | smallest subnormal | infinity "
      "| NaN written |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const DtypeRow& row : kDtypeRows) {
    if (row.kind != DtypeKind::floating || row.dtype == Dtype::fp32r) continue;
    out += format_row(row.name, row.format);
    if (row.dtype == Dtype::fp8_exp4) out += format_row("FP8_EXP4, `fp8_mode = ocp`", kFp8Exp4Ocp);
  }
  return out + format_row("FP32R, upper 22 bits", kFp32rFormat);
}

std::string alu_sets(const AluOpRow& row) {
  std::string out;
  const auto add = [&out](bool member, std::string_view name) {
    if (member) out += fmt::format("{}{}", out.empty() ? "" : " ", name);
  };
  add(row.in.arith, "A");
  add(row.in.general_arith, "GA");
  add(row.in.bitvec, "V");
  add(row.in.general_bitvec, "GV");
  add(row.in.int_aluop, "IA");
  add(row.in.int_dve, "DVE");
  return out;
}

std::string alu_table() {
  constexpr std::string_view signs[] = {"", "both", "signed", "unsigned"};
  std::string out =
      "| code | name | since | sets | integers | operands | result |\n|---|---|---|---|---|---|---|\n";
  for (const AluOpRow& row : kAluOpRows) {
    std::string doc(row.doc);
    for (std::size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2) doc.insert(at, 1, '\\');
    out += fmt::format("| 0x{:02X} | {} | {} | {} | {} | {} | {} |\n", code_of(row.op), row.name,
                       since(row.generations), alu_sets(row), signs[static_cast<unsigned>(row.sign)],
                       row.operands, doc);
  }
  return out;
}

std::string generation_table() {
  std::string out = "| generation | core | products | also read as | |\n|---|---|---|---|---|\n";
  for (const GenerationRow& row : kGenerationRows) {
    std::string names;
    for (std::string_view alias : row.aliases)
      if (!alias.empty()) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", alias);
    out += fmt::format("| {} | {} | {} | {} | {} |\n", row.name, row.core, row.products, names, row.doc);
  }
  return out;
}

}  // namespace

std::vector<NumericTable> numeric_tables() {
  return {{"generations", generation_table()},
          {"dtypes", dtype_table()},
          {"formats", format_table()},
          {"alu", alu_table()}};
}

}  // namespace act
