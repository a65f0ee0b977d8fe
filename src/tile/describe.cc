// Documentation of operations and block commands, made from their rows.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "act/rows/check.h"
#include "act/tile/checks.h"
#include "act/tile/operation.h"
#include "act/tile/report.h"
#include "act/tile/trelu.h"

namespace act::tile {
namespace {

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::toupper(static_cast<unsigned char>(x)) == std::toupper(static_cast<unsigned char>(y));
  });
}

const Operation* find_operation(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                   [&](const Operation& op) { return same(op.name, name); });
  return found == std::end(kOperations) ? nullptr : found;
}

std::uint64_t start_word(const Operation& op, const TileType& type) {
  return Command(*find_form("BSTART.VEC")).set("selector", op.selector).set("data_type", type.code).word();
}

// Bits of a field as they stand in the word: "15..18" or "19".
std::string bit_range(const Field& f) {
  return f.width == 1 ? fmt::format("{}", f.bit) : fmt::format("{}..{}", f.bit + f.width - 1, f.bit);
}

std::string form_text(const Form& form) {
  const int digits = static_cast<int>(form.format.bytes) * 2;
  std::string out = fmt::format("{}: {} bits, mask 0x{:0{}x}, match 0x{:0{}x}; {}\n", form.format.name,
                                form.format.bytes * 8, fixed_mask(form.format), digits,
                                fixed_match(form.format), digits, form.format.doc);
  for (const Field& f : form.format.fields)
    out += fmt::format("  bits {:7} {:15} {}; {}\n", bit_range(f), f.name, f.doc, allowed_values(f));
  return out;
}

Json form_json(const Form& form) {
  Json fields = Json::array();
  for (const Field& f : form.format.fields)
    fields.push_back({{"name", f.name},
                      {"bit", f.bit},
                      {"width", f.width},
                      {"doc", f.doc},
                      {"allowed", allowed_values(f)}});
  return {{"format", form.format.name},    {"opcode", form.mnemonic},
          {"bits", form.format.bytes * 8}, {"mask", fmt::format("0x{:x}", fixed_mask(form.format))},
          {"doc", form.format.doc},        {"match", fmt::format("0x{:x}", fixed_match(form.format))},
          {"fields", std::move(fields)}};
}

// Sample of the block's text; the same lines stand in docs/tile/trelu.md and in examples/tile/relu.pto.
constexpr std::string_view kSample =
    "  BSTART.VEC TRELU, FP32\n"
    "  B.DIM zero, 3, ->LB0                    // valid columns, required\n"
    "  B.DIM zero, 4, ->LB2                    // physical columns; LB1 = valid rows, 1 when absent\n"
    "  B.IOT T#2, mask=1111, <last>, ->T<1>    // from T#2 into a new tile of hand T, 128 bytes on each PE\n"
    "  BSTOP\n";

std::string operation_text(const Operation& op) {
  std::string out = fmt::format(
      "{} ({}): {}\n"
      "PTO tile instruction, engine {}, class {} / {}; no opcode of its own: carrier BSTART.{} with Mode {}, "
      "Function {}\n"
      "(selector 0x{:03x}, catalog index {}, handler {}).\n\nWritten as a block:\n{}\n"
      "Value of an element: negative integers 0; unsigned integers unchanged; floating: NaN becomes the "
      "quiet NaN of the type\n"
      "(a signaling one sets NV), negative numbers, -inf and -0 become +0, the rest is unchanged.\n\n"
      "Types and the start word of each:\n",
      op.name, op.contract, op.summary, op.engine, op.operation_class, op.group, op.family, op.mode(),
      op.function(), op.selector, op.index, op.handler, kSample);
  for (const TileType& t : kTypes)
    if (t.rectified) {
      out += fmt::format("  {:5} {:2} bits  0x{:08x}  max 0x{:x}, min 0x{:x}", t.name, t.bits,
                         start_word(op, t), max_value(t), min_value(t));
      out += t.floating() ? fmt::format(", NaN 0x{:x}\n", t.canonical_nan()) : "\n";
    }
  out +=
      "\nB.DATR may set the padding: Zero, Max or Min of the type (defined), Null (undefined; also without "
      "B.DATR).\n";
  out +=
      "\nChecks of the commit, in order; a fault changes nothing, keeps the block open, and the stop can be "
      "issued again:\n";
  for (const CommitCheck& c : kCommitChecks)
    out +=
        fmt::format("  {:2} {}{}\n", c.number, c.condition,
                    c.fault == Fault::none ? std::string() : fmt::format(" - else {}", fault_name(c.fault)));
  return out +
         "\nThe model follows the public description of the machine and was not verified on hardware. See "
         "docs/tile/trelu.md.\n";
}

Json operation_json(const Operation& op) {
  Json types = Json::array(), checks = Json::array();
  for (const TileType& t : kTypes)
    if (t.rectified)
      types.push_back({{"name", t.name},
                       {"code", t.code},
                       {"bits", t.bits},
                       {"word", fmt::format("0x{:08x}", start_word(op, t))}});
  for (const CommitCheck& c : kCommitChecks)
    checks.push_back({{"number", c.number},
                      {"condition", c.condition},
                      {"fault", c.fault == Fault::none ? Json(nullptr) : Json(fault_name(c.fault))}});
  return {{"name", op.name},
          {"contract", op.contract},
          {"family", op.family},
          {"selector", op.selector},
          {"index", op.index},
          {"handler", op.handler},
          {"class", op.operation_class},
          {"group", op.group},
          {"engine", op.engine},
          {"summary", op.summary},
          {"data_types", std::move(types)},
          {"checks", std::move(checks)}};
}

}  // namespace

std::vector<std::string_view> described_names() {
  std::vector<std::string_view> out;
  for (const Operation& op : kOperations) out.push_back(op.name);
  for (const Form& form : forms())
    if (std::find(out.begin(), out.end(), form.mnemonic) == out.end()) out.push_back(form.mnemonic);
  return out;
}

std::optional<std::string> describe(std::string_view name) {
  if (const Operation* op = find_operation(name)) return operation_text(*op);
  std::string out;
  for (const Form& form : forms())
    if (same(form.mnemonic, name)) out += form_text(form);
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<Json> describe_json(std::string_view name) {
  if (const Operation* op = find_operation(name)) return operation_json(*op);
  Json forms_found = Json::array();
  for (const Form& form : forms())
    if (same(form.mnemonic, name)) forms_found.push_back(form_json(form));
  if (forms_found.empty()) return std::nullopt;
  return Json{{"name", forms_found[0]["opcode"]}, {"formats", std::move(forms_found)}};
}

}  // namespace act::tile
