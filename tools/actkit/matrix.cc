#include "matrix.h"

#include <fmt/format.h>

#include "act/isa/opcode.h"
#include "act/sim/dispatch.h"

namespace act::tool {
namespace {

std::string generations_of(const OpcodeInfo& row) {
  std::string out;
  for (const Generation g : kGenerations)
    if (row.generations.contains(g)) out += fmt::format("{}v{}", out.empty() ? "" : " ", static_cast<unsigned>(g));
  return out;
}

std::string_view encoded(const OpcodeInfo& row) { return row.format == FormatId::RAW ? "payload as bytes" : "fields"; }
std::string_view checked(const OpcodeInfo& row) {
  switch (row.support) {
    case Support::full: return "all rules";
    case Support::fields: return "common rules";
    case Support::stream: return "header, events";
    case Support::raw: break;
  }
  return "refused";
}

}  // namespace

std::string instruction_matrix() {
  std::string out = "| code | instruction | generations | engine | encode | check | simulate |\n|---|---|---|---|---|---|---|\n";
  for (const OpcodeInfo& row : all_opcodes())
    out += fmt::format("| 0x{:02X} | {} | {} | {} | {} | {} | {} |\n", row.code(), row.name, generations_of(row), engine_name(row.engine), encoded(row), checked(row),
                       sim::op_body(row.code()) != nullptr ? "yes" : "no");
  return out;
}

}  // namespace act::tool
