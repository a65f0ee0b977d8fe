// Header, events, reserved bytes, enumerations, data types, channel counts.
#include <fmt/format.h>

#include "act/isa/event_modes.h"
#include "act/rows/check.h"
#include "act/rows/json.h"
#include "isa/rules/context.h"

namespace act::rules {
namespace {

bool is_known(const EnumTable& table, std::uint64_t value) { return table.find(value) != nullptr; }

bool uses_register(std::uint8_t mode) { return (mode & 0x80) != 0; }

// The opcode as messages call it; bytes that are no opcode have only their number.
std::string opcode_label(std::uint8_t code) {
  const std::string name = opcode_name(code);
  return name.empty() ? fmt::format("0x{:02x}", code) : name;
}

void check_header(const Context& c) {
  const std::uint8_t opcode = c.bundle.opcode();
  const OpcodeInfo* row = find_opcode(opcode);
  const GenerationSet where = opcode_generations(opcode);
  if (!where.contains(c.generation)) {
    std::string names;
    for (const Generation g : kGenerations)
      if (where.contains(g)) names += fmt::format("{}{}", names.empty() ? "" : ", ", generation_name(g));
    c.fail(Rule::has_valid_neuron_header, "opcode", fmt::format("{} has no opcode {}", generation_name(c.generation), opcode_label(opcode)),
           names.empty() ? "" : fmt::format("on {}", names));
  } else if (row == nullptr || row->support == Support::raw || !row->generations.contains(c.generation)) {
    c.fail(Rule::unsupported_opcode, "opcode", fmt::format("unsupported opcode {} on {}", opcode_name(opcode), generation_name(c.generation)), {},
           c.options.lenient ? Severity::warning : Severity::error);
  }
  const std::uint8_t length = c.bundle.bytes[1];
  const bool quantize_mx = opcode == 0xE3 && c.v4() && length == kInstWordLen + 1;
  c.require(length == kInstWordLen || quantize_mx, Rule::has_valid_inst_len, "inst_word_len", "wrong length", "16");
  const std::uint16_t flags = static_cast<std::uint16_t>(c.bundle.bytes[2] | c.bundle.bytes[3] << 8);
  if (c.generation == Generation::maverick) {
    if (flags != 0)
      c.fail(Rule::has_valid_active_channel_range, "inst_flags", "tile flags are not supported", "0", c.options.lenient ? Severity::warning : Severity::error);
  } else if (!is_known(kDebugCmdTable, c.bundle.bytes[2])) {
    c.warn(Rule::debug_cmd, "inst_flags", "the low byte is no profiling marker", "0, 1, 3, 5, 7, 9");
  }
}

void check_events(const Context& c) {
  const auto wait = static_cast<WaitMode>(c.bundle.bytes[4]);
  const auto update = static_cast<UpdateMode>(c.bundle.bytes[6]);
  const bool wait_ok = is_known(kWaitModeTable, c.bundle.bytes[4]) && wait != WaitMode::INVALID;
  const bool update_ok = is_known(kUpdateModeTable, c.bundle.bytes[6]) && update != UpdateMode::INVALID;
  if (!wait_ok) c.fail(Rule::has_valid_neuron_events, "wait_mode", "wait_mode membership");
  if (!update_ok) c.fail(Rule::has_valid_neuron_events, "update_mode", "update_mode membership");
  if (!wait_ok || !update_ok) return;
  if (uses_value(wait) && uses_value(update) && uses_register(c.bundle.bytes[4]) != uses_register(c.bundle.bytes[6]))
    c.fail(Rule::has_valid_neuron_events, "sync_value", "wait and update disagree: one takes the value, the other a register", "both immediate or both register");
  const std::uint32_t value = static_cast<std::uint32_t>(get_bits(c.bundle, 64, 32));
  if (!uses_value(wait) && !uses_value(update) && value != 0) c.warn(Rule::has_valid_neuron_events, "sync_value", "nothing uses the value", "0");
  if (wait == WaitMode::NONE && c.bundle.bytes[5] != 0) c.warn(Rule::has_valid_neuron_events, "wait_idx", "nothing uses the index", "0");
  if (update == UpdateMode::NONE && c.bundle.bytes[7] != 0) c.warn(Rule::has_valid_neuron_events, "update_idx", "nothing uses the index", "0");
}

void check_enums(const Context& c) {
  for (const Field& f : c.format.fields) {
    if (f.kind != Kind::enumerator || f.choices == &kDtypeTable || f.choices == &kWaitModeTable || f.choices == &kUpdateModeTable) continue;
    const Choice* choice = f.choices->find(get(c.bundle, f));
    const bool invalid = choice == nullptr || choice->name == "INVALID" || choice->name == "Invalid";
    if (invalid) {
      c.fail(Rule::is_valid_enum, f.name, fmt::format("no enumerator of {}", f.choices->name), allowed_values(f, c.generation));
    } else if (!choice->generations.contains(c.generation)) {
      c.fail(Rule::is_valid_enum, f.name, fmt::format("{} has no {}", generation_name(c.generation), choice->name), allowed_values(f, c.generation));
    }
  }
}

}  // namespace

Diagnostic& Context::fail(Rule rule, std::string_view field, std::string detail, std::string allowed, Severity severity) const {
  const RuleInfo& info = rule_info(rule);
  Diagnostic d = make_error(rule == Rule::reserved_zero ? Code::reserved_not_zero : Code::bad_value,
                            fmt::format("{} {}{}{}: {}", opcode_label(bundle.opcode()), field, detail.empty() ? "" : ": ", detail, info.why));
  d.severity = severity;
  d.rule = info.name;
  d.field = field;
  d.allowed = std::move(allowed);
  if (const Field* f = format.find(field)) {
    d.value = print_value(bundle, *f);
    d.where.byte = f->byte();
  }
  out.push_back(std::move(d));
  return out.back();
}

void check_common(const Context& c) {
  check_header(c);
  check_events(c);
  check_reserved(c.bundle, c.format, [&](const Reserved& range) {
    Diagnostic& d = c.fail(Rule::reserved_zero, fmt::format("reserved_{}", range.byte), fmt::format("{} bytes", range.bytes), "0",
                           c.options.lenient ? Severity::warning : Severity::error);
    d.value = to_hex(Record(c.bundle).subspan(range.byte, range.bytes));
    unsigned first = range.byte;
    while (c.bundle.bytes[first] == 0) ++first;
    d.where.byte = first;
  });
  check_enums(c);
}

void check_dtype(const Context& c, std::string_view field, Dtype dtype, DtypeAllow allow) {
  const DtypeFault fault = dtype_fault(dtype, c.generation, allow);
  if (fault == DtypeFault::none) return;
  std::string allowed;
  for (const DtypeRow& row : kDtypeRows)
    if (dtype_fault(row.dtype, c.generation, allow) == DtypeFault::none) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", row.name);
  c.fail(Rule::is_valid_dtype, field, fmt::format("{} on {} ({})", find_dtype(static_cast<std::uint8_t>(dtype)) ? dtype_name(dtype) : "an unassigned code", generation_name(c.generation), dtype_fault_name(fault)),
         std::move(allowed));
}

void check_channels(const Context& c, unsigned channels, std::string_view field) {
  c.require(channels >= 1 && channels <= kPartitions, Rule::has_valid_active_channel_range, field, "out of range", "1..128");
}

}  // namespace act::rules
