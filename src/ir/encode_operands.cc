// Operands of encoded instructions, and the loads.
#include <fmt/format.h>

#include <algorithm>

#include "act/isa/memory_map.h"
#include "encode_context.h"

namespace act::ir {

bool Encoder::is_pattern(const Argument& a, std::string_view what) const {
  if (a.kind == Argument::Kind::pattern) return true;
  fail(fmt::format("contains wrong argument type: the {} lies in memory", what));
  return false;
}

void Encoder::too_many_dims(std::string_view what, unsigned dims, unsigned most) const {
  fail(fmt::format("the {} has more free dimensions than the instruction holds", what), std::to_string(dims), fmt::format("1..{}", most));
}

void Encoder::check_pointer(const Argument& a, std::string_view what, unsigned channels) const {
  if (a.kind == Argument::Kind::reg && a.value >= kAddressRegisters) fail(fmt::format("the {} names a register that does not exist", what), std::to_string(a.value), "0..63");
  if (a.kind != Argument::Kind::pattern) return;
  const Location at = locate(a.value, options.generation);
  if (at.space == Space::off_chip || (a.value & ~kAddressMask) != 0) return fail("ISA immediate pointer should only be SB/PSUM accesses", fmt::format("0x{:x}", a.value));
  if (a.elements() != 1) fail(fmt::format("the {} has one element a channel", what), std::to_string(a.elements()), "1");
  if (a.channels < channels) fail(fmt::format("the {} has fewer channels than the output", what), std::to_string(a.channels), std::to_string(channels));
}

std::uint8_t Encoder::channels(const Argument& in, const Argument& out) const {
  if (in.kind == Argument::Kind::pattern && out.kind == Argument::Kind::pattern && in.channels != out.channels)
    fail("input and output have different numbers of channels", fmt::format("{} and {}", in.channels, out.channels));
  return out.channels;
}

std::optional<std::uint8_t> encoded_set_index(const Inst& load, std::size_t sets, Diagnostics& errors) {
  const auto fail = [&](std::string message, std::string value = {}, std::string allowed = {}) {
    errors.push_back(generation_error(load, std::move(message), std::move(value), std::move(allowed)));
    return std::nullopt;
  };
  if (!load.set().is_static()) return fail("symbolic act_func_set_id cannot be encoded");
  const std::int64_t id = load.set().index();
  if (sets == 0) return fail("Module has no Activation Function Tables set up for this InstLoadActFuncSet");
  if (id == kNoSet) return fail("the set NAME must exist: the load names no set");
  if (id < 0 || id >= static_cast<std::int64_t>(sets)) return fail("Invalid Activation function table ID", std::to_string(id), fmt::format("0..{}", sets - 1));
  if (id > 255) return fail("check: 'instr.act_tbl_sel' does not fit a byte", std::to_string(id), "0..255");
  return static_cast<std::uint8_t>(id);
}

Bundle encode_load(const Encoder& e) {
  const auto id = encoded_set_index(e.inst, e.options.sets.size(), e.errors);
  if (!id) return {};
  if (e.options.load_form == LoadForm::index) {
    CtrlNo x = make<CtrlNo>(Opcode::ACTIVATION_TABLE_LOAD);
    x.act_tbl_sel = *id;
    return act::encode(x);
  }
  auto x = make<PseudoLoadActFuncSet>(Opcode::PSEUDO_LOAD_ACT_FUNC_SET);
  const std::string& name = e.options.sets[*id];
  if (!e.core_v5() && !e.options.allow_named_loads) e.fail("For CoreV4-, Engine2UsedActSetNames must be emtpy after visting Module: loads by name need core_v5, or the option that allows them", std::string(generation_name(e.options.generation)));
  if (name.size() > x.act_set_name.chars.size()) {
    e.fail(fmt::format("act set name longer than 32 bytes: {}", name));
    return {};
  }
  std::ranges::copy(name, x.act_set_name.chars.begin());
  return act::encode(x);
}

}  // namespace act::ir
