#include "act/isa/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "act/isa/memory_map.h"
#include "act/rows/check.h"

namespace act {
namespace {

struct Presence {
  Opcode opcode;
  std::string_view on[4];
  std::string_view evidence;
};
constexpr Presence kPresence[] = {
#define ACT_PRESENCE(NAME, v2, v3, v4, v5, evidence) {Opcode::NAME, {v2, v3, v4, v5}, evidence},
#include "act/isa/presence.def"
#undef ACT_PRESENCE
};

// What has a name in the books but no row (glossary.def).
struct Term {
  std::string_view kind, names, text;
};
constexpr Term kTerms[] = {
#define ACT_TERM(kind, names, text) {kind, names, text},
#include "isa/glossary.def"
#undef ACT_TERM
};

// Other names of enumerations and fields in the books; the last two are halves of one field (D-03).
struct OtherName {
  std::string_view alias, name;
};
constexpr OtherName kOtherNames[] = {{"TENS_SCALAR_REV_OPS", "rev_ops"}, {"semaphore_value", "sync_value"}, {"debug_hint", "inst_flags"}};

// Names that the compiler's own checks have for our rules.
struct RuleAlias {
  std::string_view alias, rule;
};
constexpr RuleAlias kRuleAliases[] = {{"d3_ac_element_count", "same_element_count_t3d"},   {"d3_ac_channel_check", "has_valid_active_channel_range"},
                                      {"d3_ac_bias_check", "s3d3_ac_bias_checks"},         {"d3_ac_imm_check", "s3d3_ac_imm_checks"},
                                      {"d3_ac_scale_check", "s3d3_ac_scale_checks"},       {"d3_ac_reserved_zero", "reserved_zero"}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}
bool same(std::string_view a, std::string_view b) { return lower(a) == lower(b); }

std::string join_generations(GenerationSet set) {
  std::string out;
  for (const Generation g : kGenerations)
    if (set.contains(g)) out += fmt::format("{}{}", out.empty() ? "" : ", ", generation_name(g));
  return out.empty() ? "none" : out;
}

std::string_view support_text(Support s) {
  switch (s) {
    case Support::full: return "all fields, all rules";
    case Support::fields: return "all fields; header, event, range and reserved checks";
    case Support::stream: return "header and events; a payload of bytes without rules";
    case Support::raw: break;
  }
  return "header and events; the checker refuses it, since its rules are not published";
}

struct Box {
  unsigned byte, bytes;
  std::string label;
};

std::vector<Box> boxes_of(const Format& format) {
  std::vector<Box> boxes;
  for (const Field& f : format.fields) boxes.push_back({f.byte(), f.bytes(), std::string(f.name)});
  for (const Reserved& r : format.reserved) boxes.push_back({r.byte, r.bytes, "-"});
  std::ranges::sort(boxes, {}, &Box::byte);
  return boxes;
}

std::string field_table(const Format& format, bool markdown) {
  std::string out = markdown ? "| byte | field | type | meaning |\n|---:|---|---|---|\n" : "";
  for (const Field& f : format.fields) {
    const std::string bytes = f.bytes() == 1 ? fmt::format("{}", f.byte()) : fmt::format("{}-{}", f.byte(), f.byte() + f.bytes() - 1);
    out += markdown ? fmt::format("| {} | `{}` | {} | {} |\n", bytes, f.name, f.type, f.doc) : fmt::format("  {:>5}  {:<22} {:<16} {}\n", bytes, f.name, f.type, f.doc);
  }
  return out;
}

std::string opcodes_with(const Format& format) {
  std::string out;
  for (const OpcodeInfo& row : all_opcodes())
    if (&format_of(row.format) == &format) out += fmt::format("{}{}", out.empty() ? "" : ", ", row.name);
  return out;
}

// `but_types`: the data type of this name is described already.
std::optional<std::string> describe_enumerator(std::string_view name, bool but_types) {
  std::string out;
  for (const EnumTable* table : all_enums())
    for (const Choice& c : table->choices)
      if (same(c.name, name) && !(but_types && table == &kDtypeTable)) out += fmt::format("{} = 0x{:02x} of {} ({})\n  {}\n  generations: {}\n", c.name, c.value, table->name, table->doc, c.doc, join_generations(c.generations));
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<std::string> describe_field(std::string_view name) {
  std::string out;
  for (const Format* format : all_formats())
    if (const Field* f = format->find(lower(name))) out += fmt::format("{} byte {}: {} ({}): {}\n", format->name, f->byte(), f->name, f->type, f->doc);
  if (out.empty()) return std::nullopt;
  return out;
}

// An opcode byte as text: 0xNN, OP_0xNN.
std::optional<std::uint8_t> code_by_text(std::string_view name) {
  if (lower(name).starts_with("op_")) name.remove_prefix(3);
  if (name.size() != 4 || (name.substr(0, 2) != "0x" && name.substr(0, 2) != "0X")) return std::nullopt;
  unsigned code = 0;
  for (const char ch : name.substr(2)) {
    if (!std::isxdigit(static_cast<unsigned char>(ch))) return std::nullopt;
    code = code * 16 + static_cast<unsigned>(std::isdigit(static_cast<unsigned char>(ch)) ? ch - '0' : std::tolower(ch) - 'a' + 10);
  }
  return static_cast<std::uint8_t>(code);
}

// A byte of the opcode sets that has no row.
std::string describe_member(std::uint8_t code) {
  const std::string_view special = code == 0xFF ? ", the member INVALID, which no instruction has" : code == 0xE3 ? " (QuantizeMx; bit 0 of its length byte says saturate)" : "";
  return fmt::format("{} (0x{:02x}): a member of the opcode sets{}\n  generations: {}\n  support here: {}\n\n{}", opcode_name(code), code, special,
                     join_generations(opcode_generations(code)), support_text(Support::raw), describe_format(format_of(FormatId::RAW)));
}

bool has_word(std::string_view names, std::string_view word) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (same(names.substr(0, end), word)) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

const Format* format_by_text(std::string_view name) {
  for (const Format* f : all_formats())
    if (same(f->name, name) || same(f->name.substr(1), name)) return f;
  return nullptr;
}

}  // namespace

std::string byte_map(const Format& format) {
  constexpr unsigned kPerRow = 16, kCell = 5;
  std::string out = "      ";
  for (unsigned i = 0; i < kPerRow; ++i) out += fmt::format("{:^{}}", fmt::format("+{}", i), kCell);
  out += '\n';
  const std::vector<Box> boxes = boxes_of(format);
  for (unsigned row = 0; row < format.bytes; row += kPerRow) {
    std::string line = fmt::format("{:>4}  ", row), rule = "      ";
    for (const Box& box : boxes) {
      const unsigned begin = std::max(box.byte, row), end = std::min({box.byte + box.bytes, row + kPerRow, format.bytes});
      if (begin >= end) continue;
      const std::size_t inner = (end - begin) * kCell - 1;
      line += fmt::format("|{:^{}}", box.label.substr(0, inner), inner);
      rule += '+' + std::string(inner, '-');
    }
    out += rule + "+\n" + line + "|\n";
    if (row + kPerRow >= format.bytes) out += rule + "+\n";
  }
  return out;
}

std::string describe_format(const Format& format) {
  return fmt::format("format {}: {}\n  {} bytes, little-endian; opcodes: {}\n\n{}\n{}", format.name, format.doc, format.bytes, opcodes_with(format), byte_map(format), field_table(format, false));
}

std::string describe_opcode(const OpcodeInfo& row) {
  std::string out = fmt::format("{} (0x{:02x}): {}\n  aliases: {}\n  engine: {}\n  generations: {}\n  support here: {}\n", row.name, row.code(), row.doc, row.aliases, engine_name(row.engine),
                                join_generations(row.generations), support_text(row.support));
  for (const Presence& p : kPresence)
    if (p.opcode == row.opcode)
      out += fmt::format("  dispatch: sunda {}; cayman {}; mariana {}; maverick {} ({})\n", p.on[0], p.on[1], p.on[2], p.on[3], p.evidence);
  return out + "\n" + describe_format(format_of(row.format));
}

std::string describe_enum(const EnumTable& table) {
  std::string out = fmt::format("enumeration {}: {}\n", table.name, table.doc);
  for (const Choice& c : table.choices) out += fmt::format("  0x{:02x} {:<26} {}{}\n", c.value, c.name, c.doc, c.generations == GenerationSet::all() ? "" : fmt::format(" [{}]", join_generations(c.generations)));
  return out;
}

std::string describe_dtype(const DtypeRow& row) {
  return fmt::format("data type {} (0x{:02x}): {}\n  storage: {} bits; alignment: {}\n  generations: {}\n", row.name, code_of(row.dtype), row.doc, row.bits,
                     row.alignment == 0 ? "no address is aligned" : fmt::format("{} bytes", row.alignment), join_generations(row.generations));
}

std::string describe_generation(Generation g) {
  const GenerationRow& row = generation_row(g);
  const Geometry& geo = geometry(g);
  std::size_t named = 0;
  for (unsigned code = 0; code < 256; ++code) named += opcode_generations(static_cast<std::uint8_t>(code)).contains(g) ? 1 : 0;
  return fmt::format("generation {} ({}): {}\n  products: {}\n  opcodes: {}\n  SBUF: 128 partitions, stride {} bytes, {} bytes stored\n  PSUM: {}\n", row.name, row.core, row.doc,
                     row.products.empty() ? "not named" : row.products, named, geo.sbuf_stride, geo.sbuf_active,
                     geo.psum_window == 0 ? "none" : fmt::format("128 partitions from 0x{:x}, stride {} bytes, {} bytes stored in banks of {}", kPsumBase, kPsumStride, kPsumActive, kPsumBankBytes));
}

std::string describe_rule(const RuleInfo& rule) { return fmt::format("rule {}\n  {}\n", rule.name, rule.why); }

std::vector<Description> descriptions(std::string_view name) {
  std::vector<Description> out;
  const auto add = [&out](std::string_view kind, std::string_view own, std::string text) { out.push_back({kind, std::string(own), std::move(text)}); };
  const auto code = code_by_text(name);
  const OpcodeInfo* opcode = code ? find_opcode(*code) : find_opcode(name);
  if (opcode != nullptr) add("opcode", opcode->name, describe_opcode(*opcode));
  if (opcode == nullptr && code && !opcode_generations(*code).empty()) add("opcode", opcode_name(*code), describe_member(*code));
  if (const Format* f = format_by_text(name)) add("format", f->name, describe_format(*f));
  if (const auto g = find_generation(name)) add("generation", generation_name(*g), describe_generation(*g));
  const DtypeRow* dtype = find_dtype(name);
  if (dtype != nullptr) add("data type", dtype->name, describe_dtype(*dtype));
  for (const Term& t : kTerms)
    if (has_word(t.names, name)) add(t.kind, t.names.substr(0, t.names.find(' ')), fmt::format("{} {}: {}\n", t.kind, t.names.substr(0, t.names.find(' ')), t.text));
  for (const OtherName& a : kOtherNames)
    if (same(a.alias, name)) name = a.name;
  for (const EnumTable* table : all_enums())
    if (same(table->name, name)) add("enumeration", table->name, describe_enum(*table));
  for (const RuleAlias& a : kRuleAliases)
    if (same(a.alias, name)) name = a.rule;
  if (const RuleInfo* rule = find_rule(lower(name))) add("rule", rule->name, describe_rule(*rule));
  if (auto text = describe_enumerator(name, dtype != nullptr)) add("enumerator", name, std::move(*text));
  if (auto text = describe_field(name)) add("field", name, std::move(*text));
  return out;
}

std::optional<std::string> describe(std::string_view name) {
  std::string out;
  for (const Description& d : descriptions(name)) out += d.text;
  if (out.empty()) return std::nullopt;
  return out;
}

std::string opcode_page_name(const OpcodeInfo& row) { return lower(row.name) + ".md"; }

std::string opcode_page(const OpcodeInfo& row) {
  const Format& format = format_of(row.format);
  std::string out = fmt::format("<!-- made by actkit-docs from the rows; do not edit -->\n# {} (0x{:02x})\n\n{}.\n\n", row.name, row.code(), row.doc);
  out += fmt::format("| engine | generations | format | support |\n|---|---|---|---|\n| {} | {} | {} | {} |\n\n", engine_name(row.engine), join_generations(row.generations), format.name, support_text(row.support));
  for (const Presence& p : kPresence)
    if (p.opcode == row.opcode)
      out += fmt::format("Dispatch per generation: sunda {}; cayman {}; mariana {}; maverick {} (evidence: {}).\n\n", p.on[0], p.on[1], p.on[2], p.on[3], p.evidence);
  out += fmt::format("## Encoding\n\n```\n{}```\n\nEvery field is little-endian. A `-` is a reserved range and must be zero.\n\n## Fields\n\n{}", byte_map(format), field_table(format, true));
  return out;
}

std::string opcode_roster() {
  std::string out;
  for (const OpcodeInfo& row : all_opcodes()) out += fmt::format("0x{:02x}  {:<34} {:<5} {:<26} {}\n", row.code(), row.name, engine_name(row.engine), format_of(row.format).name, row.doc);
  return out;
}

}  // namespace act
