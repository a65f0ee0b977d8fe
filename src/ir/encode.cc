#include "act/ir/encode.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/isa/event_modes.h"
#include "act/tables/functions.h"
#include "encode_context.h"

namespace act::ir {
namespace {

constexpr std::uint8_t kRelu = 2;  // BIR ordinal

// The events of a module's instruction, split over its bundles: waits before everything, updates after everything. The one
// value goes where it is used.
void put_sync(const Sync& s, Encoded& out) {
  Bundle& first = out.bundles[0];
  Bundle& last = out.bundles[out.count - 1];
  if (s.wait_mode != WaitMode::NONE) {
    first.bytes[4] = static_cast<std::uint8_t>(s.wait_mode);
    first.bytes[5] = s.wait_idx;
    if (uses_value(s.wait_mode)) put_bits(first, 64, 32, s.sync_value);
  }
  if (s.update_mode != UpdateMode::NONE) {
    last.bytes[6] = static_cast<std::uint8_t>(s.update_mode);
    last.bytes[7] = s.update_idx;
    if (uses_value(s.update_mode)) put_bits(last, 64, 32, s.sync_value);
  }
}

void add_sync(const Encoder& e, Encoded& out) {
  const Sync& s = e.inst.sync;
  if (s.empty()) return;
  if (e.inst.kind == InstKind::Isa && get_bits(out.bundles[0], 32, 64) != 0) return e.fail("the events are given twice, in fields and in sync_info");
  put_sync(s, out);
}

// Keys that change what an operand means and that this encoder does not know.
void check_kept_keys(const Encoder& e) {
  if (e.inst.extras.empty()) return;
  const auto given = [&](std::string_view key) {
    const std::size_t at = e.inst.extras.find(fmt::format("\"{}\":", key));
    return at != std::string::npos && !std::string_view(e.inst.extras).substr(at + key.size() + 3).starts_with("[]");
  };
  const bool drain = e.inst.kind == InstKind::ReadActivationAccumulator || e.inst.kind == InstKind::ActivationReadAccumulator;
  if (given("indirection_ins"))
    e.fail(drain ? "ACTIVATION_READ_ACCUMULATOR doesn't support TensorIndirect AP since ISA only has one dimensional AP" : "operands with indirection_ins cannot be encoded");
  if (given("predicates")) e.fail("an instruction with predicates cannot be encoded");
}

void encode_activation(const Encoder& e, Encoded& out) {
  const bool two = e.inst.outs.size() == 2;
  if (e.inst.outs.empty() && e.inst.activation().acc >= Accumulation::Accumulate) e.fail("Cannot accumulate to nothing");
  if (e.inst.outs.empty() || e.inst.outs.size() > 2) return e.fail("Activation instruction can only have 1 or 2 outputs", std::to_string(e.inst.outs.size()));
  if (e.inst.ins.size() != 4) {
    if (e.inst.activation().acc == Accumulation::LoadAccumulate && e.inst.ins.size() == 3) e.fail("an instruction that does a LoadAccumulate must provide an immediate value to load");
    return e.fail("Activation instruction can only have 4 arguments", std::to_string(e.inst.ins.size()));
  }
  if (e.inst.activation().is_activate2) {
    if (two) e.fail("an Activate2 instruction has one output; its sums are read by a drain of their own");
    out.bundles[0] = encode_activate2(e);
    out.count = 1;
    return;
  }
  out.bundles[0] = encode_activate(e);
  out.count = 1;
  if (!two) return;
  out.bundles[1] = encode_drain(e, Opcode::ACTIVATION_READ_ACCUMULATOR, 1, false);
  out.count = 2;
}

void encode_kind(const Encoder& e, Encoded& out) {
  out.count = 1;
  switch (e.inst.kind) {
    case InstKind::Activation: return encode_activation(e, out);
    case InstKind::LoadActFuncSet: out.bundles[0] = encode_load(e); return;
    case InstKind::ReadActivationAccumulator:
    case InstKind::ActivationReadAccumulator: out.bundles[0] = encode_drain(e, Opcode::ACTIVATION_READ_ACCUMULATOR, 0, false); return;
    case InstKind::DveReadAccumulator: out.bundles[0] = encode_drain(e, Opcode::DVE_READ_ACCUMULATOR, 0, std::get<DrainFields>(e.inst.fields).negated); return;
    case InstKind::Reciprocal: out.bundles[0] = encode_reciprocal(e); return;
    case InstKind::Exponential: out.bundles[0] = encode_exponential(e); return;
    case InstKind::GenericRelu: {
      if (e.inst.ins.size() != 1 || e.inst.outs.size() != 1) return e.fail("a GenericRelu has one argument and one output");
      const Inst activation = lowered_relu(e.inst);
      return encode_activation({activation, e.options, e.errors}, out);
    }
    case InstKind::Isa: out.bundles[0] = e.inst.bundle(); return;
  }
}

}  // namespace

const FunctionCodes& published_function_codes() {
  static const FunctionCodes codes = [] {
    FunctionCodes c;
    c.fill(kNoCode);
    for (const FunctionInfo& f : all_functions())
      if (f.bir_ordinal >= 0) c[static_cast<std::size_t>(f.bir_ordinal)] = static_cast<std::uint16_t>(f.neuron_code);
    return c;
  }();
  return codes;
}

FunctionCodes function_codes(const Catalog& catalog) {
  if (catalog.id_space != IdSpace::tonga) return published_function_codes();
  FunctionCodes c;
  c.fill(kNoCode);
  for (const TableSet& set : catalog.sets)
    for (const FunctionTable& t : set.functions)
      if (const FunctionInfo* f = find_function(t.name); f != nullptr && f->bir_ordinal >= 0) c[static_cast<std::size_t>(f->bir_ordinal)] = static_cast<std::uint16_t>(t.func_id);
  return c;
}

Diagnostic generation_error(const Inst& inst, std::string message, std::string value, std::string allowed) {
  Diagnostic d = make_error(Code::code_generation, fmt::format("{}: {}", place_of(inst), message));
  d.where.line = inst.line;
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  return d;
}

Inst lowered_relu(const Inst& relu) {
  Inst i = relu;
  i.kind = InstKind::Activation;
  ActivationFields f;
  f.func = kRelu;
  i.fields = f;
  Argument one;
  one.value = kOne;
  i.ins.resize(1);
  i.ins.insert(i.ins.end(), {Argument{}, one, Argument{}});
  return i;
}

Opcodes opcodes_of(const Inst& inst, LoadForm form) {
  const auto one = [](Opcode o) { return Opcodes{{static_cast<std::uint8_t>(o), 0}, 1}; };
  switch (inst.kind) {
    case InstKind::Activation: {
      if (inst.activation().is_activate2) return one(Opcode::ACTIVATE2);
      if (inst.outs.size() != 2) return one(Opcode::ACTIVATE);
      return {{static_cast<std::uint8_t>(Opcode::ACTIVATE), static_cast<std::uint8_t>(Opcode::ACTIVATION_READ_ACCUMULATOR)}, 2};
    }
    case InstKind::GenericRelu: return one(Opcode::ACTIVATE);
    case InstKind::LoadActFuncSet: return one(form == LoadForm::name ? Opcode::PSEUDO_LOAD_ACT_FUNC_SET : Opcode::ACTIVATION_TABLE_LOAD);
    case InstKind::ReadActivationAccumulator:
    case InstKind::ActivationReadAccumulator: return one(Opcode::ACTIVATION_READ_ACCUMULATOR);
    case InstKind::DveReadAccumulator: return one(Opcode::DVE_READ_ACCUMULATOR);
    case InstKind::Reciprocal: return one(Opcode::RECIPROCAL);
    case InstKind::Exponential: return one(Opcode::EXPONENTIAL);
    case InstKind::Isa: break;
  }
  return {{inst.bundle().opcode(), 0}, 1};
}

bool check_encoded(const Inst& inst, std::span<const Bundle> bundles, Generation generation, Diagnostics& errors) {
  static const CheckOptions kOptions;
  bool ok = true;
  Diagnostics found;  // stays without memory for sound bundles
  for (const Bundle& b : bundles) {
    check_bundle(b, generation, kOptions, found);
    for (Diagnostic& d : found) {
      if (d.severity != Severity::error) continue;
      ok = false;
      d.message = fmt::format("{}: {}", place_of(inst), d.message);
      d.where.line = inst.line;
      errors.push_back(std::move(d));
    }
    found.clear();
  }
  return ok;
}

bool encode(const Inst& inst, const EncodeOptions& options, Encoded& out, Diagnostics& errors) {
  const std::size_t before = errors.size();
  const Encoder e{inst, options, errors};
  check_kept_keys(e);
  encode_kind(e, out);
  if (errors.size() == before) add_sync(e, out);
  if (errors.size() != before) return false;
  return !options.wire_check || check_encoded(inst, out.span(), options.generation, errors);
}

Result<Encoded> encode(const Inst& inst, const EncodeOptions& options) {
  Encoded out;
  Diagnostics errors;
  if (!encode(inst, options, out, errors)) return errors;
  return out;
}

}  // namespace act::ir
