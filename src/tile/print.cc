// Commands to text and JSON lines.
#include <fmt/format.h>

#include <algorithm>

#include "act/tile/operation.h"
#include "act/tile/state.h"
#include "act/tile/text.h"

namespace act::tile {
namespace {

// Name of a field's value; its row has choices.
std::string_view name(const Command& c, std::string_view field) {
  const Choice* choice = c.form().format.find(field)->choices->find(*c.get(field));
  return choice != nullptr ? choice->name : "?";
}

std::string start_text(const Command& c) {
  return fmt::format("BSTART.VEC {}, {}", name(c, "selector"), name(c, "data_type"));
}

std::string data_attributes_text(const Command& c) {
  return fmt::format("B.DATR {{{}, {}, {}, {}, {}, {}, {}}}", name(c, "layout"), name(c, "data_type"),
                     name(c, "pad"), name(c, "cmode"), name(c, "rmode"), *c.get("sat"),
                     *c.get("canonicalize"));
}

std::string fixed_point_text(const Command& c) {
  return fmt::format("B.FPATR {}, {}, {}, {}, {}, {}, {}", *c.get("pre_quant_mode"), *c.get("relu_mode"),
                     *c.get("group_n"), *c.get("row_max"), *c.get("group_max"), *c.get("row_max_init"),
                     *c.get("max_abs"));
}

std::string dimension_text(const Command& c) {
  if (c.get("imm8")) return fmt::format("C.B.DIMI {}, ->{}", *c.get("imm8"), name(c, "lb"));
  return fmt::format("B.DIM {}, {}, ->{}", name(c, "reg_src"), c.uimm17(), name(c, "lb"));
}

std::string tile_io_text(const Command& c) {
  std::string out = "B.IOT ";
  for (const char* source : {"src0", "src1"})
    if (c.get(source)) out += register_name(static_cast<unsigned>(*c.get(source))) + ", ";
  out += fmt::format("mask={}", name(c, "pe_mode"));
  if (*c.get("last") != 0) out += ", <last>";
  if (c.get("dst")) out += fmt::format(", ->{}<{}>", name(c, "dst"), *c.get("size_code"));
  return out;
}

// Trailing register 0 names are left out, so an all-zero B.IOR is its mnemonic alone.
std::string scalar_io_text(const Command& c) {
  const unsigned sources = *c.get("src2") != 0                         ? 3
                           : *c.get("src1") != 0                       ? 2
                           : *c.get("src0") != 0 || *c.get("dst") != 0 ? 1
                                                                       : 0;
  std::string out = "B.IOR";
  constexpr std::string_view kSources[] = {"src0", "src1", "src2"};
  for (unsigned i = 0; i < sources; ++i)
    out += fmt::format("{}{}", i == 0 ? " " : ", ", name(c, kSources[i]));
  if (*c.get("dst") != 0) out += fmt::format(", ->{}", name(c, "dst"));
  return out;
}

std::string shared_io_text(const Command& c) {
  if (*c.get("size_code") == 0)
    return fmt::format("B.IOS S{}, mask={}", *c.get("shared_tid"), name(c, "pe_mode"));
  return fmt::format("B.IOS mask={}, ->S{}<{}>", name(c, "pe_mode"), *c.get("shared_tid"),
                     *c.get("size_code"));
}

std::string plain_text(const Command& c) {
  switch (c.op()) {
    case Op::start:
      return start_text(c);
    case Op::data_attributes:
      return data_attributes_text(c);
    case Op::fixed_point:
      return fixed_point_text(c);
    case Op::dimension:
      return dimension_text(c);
    case Op::tile_io:
      return tile_io_text(c);
    case Op::scalar_io:
      return scalar_io_text(c);
    case Op::shared_io:
      return shared_io_text(c);
    case Op::stop:
      break;
  }
  return std::string(c.form().mnemonic);
}

}  // namespace

std::string command_text(const Command& c) {
  if (const auto ignored = c.get("ignored"); ignored && *ignored != 0)
    return fmt::format("{}  // {} with {} in bits 8..7", raw_text(c.bytes()), plain_text(c), *ignored);
  return plain_text(c);
}

std::string raw_text(Record bytes) { return ".bytes " + to_hex(bytes); }

Line line_at(Record stream, std::uint64_t offset, std::uint64_t index) {
  const Record rest = stream.subspan(offset);
  Line line{offset,
            index,
            rest.first(std::min<std::size_t>(command_length(rest[0]), rest.size())),
            std::nullopt,
            {}};
  if (auto c = decode(rest))
    line.command = *c;
  else
    line.problems = std::move(c).error();
  for (Diagnostic& d : line.problems) {
    d.severity = Severity::warning;
    d.where.instruction = index;
  }
  return line;
}

std::string line_text(const Line& line) {
  if (line.command) return command_text(*line.command);
  return fmt::format("{}  // {}", raw_text(line.bytes), line.problems.front().message);
}

std::string line_json(const Line& line) {
  Json out{{"index", line.index}, {"offset", line.offset}};
  if (line.command) {
    out.update(to_json(*line.command));
  } else {
    out["opcode"] = nullptr;
    out["bytes"] = to_hex(line.bytes);
    out["diagnostics"] = Json::array();
    for (const Diagnostic& d : line.problems)
      out["diagnostics"].push_back(Json::parse(act::to_json(d), nullptr, false));
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string disassemble(Record stream) {
  std::string out;
  std::uint64_t index = 0;
  for (std::uint64_t at = 0; at < stream.size();) {
    const Line line = line_at(stream, at, index++);
    out += line_text(line) + '\n';
    at += line.bytes.size();
  }
  return out;
}

}  // namespace act::tile
