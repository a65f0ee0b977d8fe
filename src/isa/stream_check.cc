// Rules over several instructions of a stream.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "act/isa/check.h"
#include "act/isa/program.h"

namespace act {
namespace {

constexpr std::size_t kMaxSets = 8;

// The function code of an activation, or -1 for another instruction.
int function_code(const Bundle& b) {
  switch (static_cast<Opcode>(b.opcode())) {
    case Opcode::ACTIVATE: return decode_as<S3d3Ac>(b).activation_func;
    case Opcode::ACTIVATE_QUANTIZE: return decode_as<S3d3Aq>(b).activation_func;
    case Opcode::ACTIVATE2: return decode_as<S2d2Ac>(b).activation_func;
    case Opcode::ACTIVATE_MULTIPASS: return decode_as<S1s2d2Am>(b).activation_func;
    default: return -1;
  }
}

bool is_load(const Bundle& b) {
  return b.opcode() == static_cast<std::uint8_t>(Opcode::ACTIVATION_TABLE_LOAD) || b.opcode() == static_cast<std::uint8_t>(Opcode::PSEUDO_LOAD_ACT_FUNC_SET);
}

std::string text_of(const Text<32>& t) { return {t.chars.data(), strnlen(t.chars.data(), t.chars.size())}; }

}  // namespace

StreamChecker::StreamChecker(Generation generation, const CheckOptions& options) : generation_(generation), options_(options) {}

Diagnostic& StreamChecker::report(Rule rule, bool only_final, std::string message, Diagnostics& out) const {
  Diagnostic d = make_error(Code::bad_value, fmt::format("{}: {}", std::move(message), rule_info(rule).why));
  if (only_final && !options_.final_stream) d.severity = Severity::warning;
  d.rule = rule_info(rule).name;
  d.where.instruction = index_;
  d.where.byte = 0;
  out.push_back(std::move(d));
  return out.back();
}

void StreamChecker::feed(const Bundle& bundle, Diagnostics& out) {
  const std::size_t first = out.size();
  check_bundle(bundle, generation_, options_, out);
  for (std::size_t i = first; i < out.size(); ++i) out[i].where.instruction = index_;
  check_order(bundle, out);
  if (is_load(bundle)) note_load(bundle, out);
  check_activation(bundle, out);
  ++index_;
}

void StreamChecker::check_order(const Bundle& bundle, Diagnostics& out) {
  const auto op = static_cast<Opcode>(bundle.opcode());
  if (op == Opcode::CUSTOM_OP_PAYLOAD) {
    check_argument(bundle, out);
  } else {
    end_payloads(out);
  }
  if (op == Opcode::CUSTOM_OP_HEADER) {
    payloads_due_ = decode_as<CustomOpHeader>(bundle).num_payloads;
    header_index_ = index_;
  }
  const OpcodeInfo* row = find_opcode(bundle.opcode());
  if (is_pseudo_opcode(bundle.opcode()) && (row == nullptr || row->support != Support::stream) && !opcode_name(bundle.opcode()).empty())
    report(Rule::pseudo_opcode, true, fmt::format("{} in the stream", opcode_name(bundle.opcode())), out).field = "opcode";
}

// A payload needs its header; behind an array of n tensors stand n payloads of one tensor each (D-55).
void StreamChecker::check_argument(const Bundle& bundle, Diagnostics& out) {
  if (payloads_due_ == 0) {
    report(Rule::custom_op_payloads, true, "CUSTOM_OP_PAYLOAD without a header", out);
    return;
  }
  --payloads_due_;
  const auto payload = decode_as<CustomOpPayload>(bundle);
  if (array_due_ > 0) {
    --array_due_;
    if (payload.arg_type != CustomOpArgType::TENSOR) report(Rule::custom_op_payloads, true, "no tensor inside an array of tensors", out).field = "arg_type";
  } else if (payload.arg_type == CustomOpArgType::ARRAY_OF_TENSOR) {
    array_due_ = static_cast<std::uint32_t>(get_bits(bundle, 16 * 8, 32));
    if (array_due_ > payloads_due_) {
      Diagnostic& d = report(Rule::custom_op_payloads, true, fmt::format("an array of {} tensors with {} payloads behind it", array_due_, payloads_due_), out);
      d.field = "arg";
      d.value = fmt::format("{}", array_due_);
      d.allowed = fmt::format("0..{}", payloads_due_);
      array_due_ = payloads_due_;
    }
  }
}

// Where a header's payloads end too early, the header is what is wrong.
void StreamChecker::end_payloads(Diagnostics& out) {
  if (payloads_due_ == 0) return;
  Diagnostic& d = report(Rule::custom_op_payloads, true, fmt::format("{} payloads are missing behind the header", payloads_due_), out);
  d.where.instruction = header_index_;
  d.field = "num_payloads";
  payloads_due_ = array_due_ = 0;
}

void StreamChecker::note_load(const Bundle& bundle, Diagnostics& out) {
  loaded_ = true;
  resident_ = -1;
  std::string name;
  if (static_cast<Opcode>(bundle.opcode()) == Opcode::ACTIVATION_TABLE_LOAD) {
    const unsigned index = decode_as<CtrlNo>(bundle).act_tbl_sel;
    name = index < options_.sets.size() ? options_.sets[index].name : fmt::format("set {}", index);
    if (index < options_.sets.size()) resident_ = static_cast<int>(index);
  } else {
    name = text_of(decode_as<PseudoLoadActFuncSet>(bundle).act_set_name);
    const auto it = std::ranges::find(options_.sets, name, &KnownSet::name);
    if (it != options_.sets.end()) {
      resident_ = static_cast<int>(it - options_.sets.begin());
    } else if (!options_.sets.empty()) {
      Diagnostic& d = report(Rule::valid_act_tbl_sel, false, fmt::format("the catalog has no set {:?}", name), out);
      d.field = "act_set_name";
      d.value = name;
    }
  }
  if (distinct_sets_.size() > kMaxSets || std::ranges::find(distinct_sets_, name) != distinct_sets_.end()) return;
  distinct_sets_.push_back(name);
  if (distinct_sets_.size() == kMaxSets + 1) report(Rule::max_table_sets, false, fmt::format("{} is the ninth set", name), out).value = name;
}

void StreamChecker::check_activation(const Bundle& bundle, Diagnostics& out) {
  const int code = function_code(bundle);
  if (code < 0) return;
  if (!loaded_) {
    report(Rule::table_loaded_before_use, true, "an activation before any table load", out).field = "activation_func";
    loaded_ = true;  // said once
    return;
  }
  if (resident_ < 0 || options_.sets[static_cast<std::size_t>(resident_)].functions.test(static_cast<std::size_t>(code))) return;
  Diagnostic& d = report(Rule::table_loaded_before_use, true, fmt::format("function code {} is not in the resident set {}", code, options_.sets[static_cast<std::size_t>(resident_)].name), out);
  d.field = "activation_func";
  d.value = fmt::format("{}", code);
}

void StreamChecker::finish(std::size_t trailing_bytes, Diagnostics& out) {
  end_payloads(out);
  if (trailing_bytes == 0) return;
  Diagnostic d = make_error(Code::bad_size, fmt::format("{} bytes behind the last whole instruction: {}", trailing_bytes, rule_info(Rule::stream_length).why));
  d.rule = rule_info(Rule::stream_length).name;
  d.where.byte = index_ * kBundleBytes;
  d.value = fmt::format("{} bytes", index_ * kBundleBytes + trailing_bytes);
  d.allowed = "a multiple of 64 bytes";
  out.push_back(std::move(d));
}

Diagnostics check_program(const Program& program, const CheckOptions& options) {
  Diagnostics out;
  for (const Stream& stream : program.streams)
    for (std::size_t i = 0; i < stream.bundles.size(); ++i) {
      const std::size_t first = out.size();
      check_bundle(stream.bundles[i], program.generation, options, out);
      for (std::size_t d = first; d < out.size(); ++d) {
        out[d].where.file = stream.name;
        out[d].where.instruction = i;
        if (i < stream.lines.size()) out[d].where.line = stream.lines[i];
      }
    }
  return out;
}

}  // namespace act
