#include "act/tile/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/tile/text.h"

namespace act::tile {
namespace {

Refusal control(std::string why) { return {Fault::bundle_control, 0, std::move(why)}; }
constexpr std::string_view kNoBlock = "no block is open";

unsigned field(const Command& c, std::string_view name) {
  return static_cast<unsigned>(c.get(name).value_or(0));
}

// A block that is already open is committed first; the new one starts only when that succeeds.
Verdict start(State& state, const Command& c) {
  if (state.block.active)
    if (Verdict v = complete_block(state, state.pc)) return v;
  state.block = Block{};
  state.block.active = true;
  state.block.operation = decode_operation(kTrelu.family, field(c, "selector"));
  state.block.type = find_type(std::uint64_t{field(c, "data_type")});
  return std::nullopt;
}

Verdict data_attributes(State& state, const Command& c) {
  if (!state.block.active) return control(std::string(kNoBlock));
  if (state.block.attributes) return control("the block has a B.DATR already");
  set_data_attributes(state, {.cmode = field(c, "cmode"),
                              .pad = static_cast<Pad>(field(c, "pad")),
                              .sat = field(c, "sat"),
                              .canonicalize = field(c, "canonicalize"),
                              .data_type = field(c, "data_type"),
                              .rmode = field(c, "rmode"),
                              .layout = field(c, "layout")});
  return std::nullopt;
}

Verdict dimension(State& state, const Command& c) {
  const unsigned which = field(c, "lb");
  if (!state.block.active) return control(std::string(kNoBlock));
  if (state.block.dimension[which]) return control(fmt::format("LB{} is written twice", which));
  const unsigned source = field(c, "reg_src");
  const Word base = source == 0 ? 0 : state.gpr[source];
  const Word value = c.get("imm8") ? *c.get("imm8") : (base + c.uimm17()) & 0xFFFF;
  set_dimension(state, which, value);
  return std::nullopt;
}

// PEMode 0 binds nothing and is not even looked at further; only an open block remembers it.
bool skipped_for_zero_mask(State& state, std::uint8_t mask) {
  if (mask != 0) return false;
  if (state.block.active) state.block.zero_participation = true;
  return true;
}

std::string mask_text(std::uint8_t mask) { return fmt::format("{:04b}", mask); }

Verdict tile_io(State& state, const Command& c) {
  Binding b;
  b.mask = mask_of_mode(field(c, "pe_mode"));
  if (skipped_for_zero_mask(state, b.mask)) return std::nullopt;
  if (!state.block.active) return control(std::string(kNoBlock));
  auto& list = state.block.bindings;
  if (!list.empty() && list.back().last) return control("an earlier B.IOT closed the sequence with <last>");
  if (!list.empty() && list.front().mask != b.mask)
    return Refusal{Fault::tile_legality, 0,
                   fmt::format("mask {} differs from the {} of earlier bindings", mask_text(b.mask),
                               mask_text(list.front().mask))};
  if (c.get("dst")) b.hand = field(c, "dst");
  b.size_code = field(c, "size_code");
  if (c.get("src0")) b.src0 = field(c, "src0");
  if (c.get("src1")) b.src1 = field(c, "src1");
  b.last = field(c, "last") != 0;
  return add_binding(state, b);
}

Verdict scalar_io(State& state, const Command& c) {
  if (!state.block.active) return control(std::string(kNoBlock));
  if (state.block.scalar) return control("the block has a B.IOR already");
  state.block.scalar = ScalarBinding{field(c, "dst"), field(c, "src0"), field(c, "src1"), field(c, "src2")};
  return std::nullopt;
}

// The rules of the command's owner: masks agree with every binding so far, no Shared register twice, at most
// four.
Verdict shared_io(State& state, const Command& c) {
  const SharedBinding b{field(c, "shared_tid"), field(c, "size_code"), mask_of_mode(field(c, "pe_mode"))};
  if (skipped_for_zero_mask(state, b.mask)) return std::nullopt;
  if (!state.block.active) return control(std::string(kNoBlock));
  Block& block = state.block;
  const auto other_mask = [&](const auto& x) { return x.mask != b.mask; };
  if (std::any_of(block.bindings.begin(), block.bindings.end(), other_mask) ||
      std::any_of(block.shared.begin(), block.shared.end(), other_mask))
    return Refusal{Fault::tile_legality, 0, "the mask differs from that of earlier bindings"};
  if (std::any_of(block.shared.begin(), block.shared.end(),
                  [&](const SharedBinding& x) { return x.tid == b.tid; }))
    return control(fmt::format("S{} is bound twice", b.tid));
  if (block.shared.size() >= kMaxSharedBindings) return control("the block has four Shared bindings already");
  block.shared.push_back(b);
  return std::nullopt;
}

Verdict dispatch(State& state, const Command& c) {
  switch (c.op()) {
    case Op::start:
      return start(state, c);
    case Op::data_attributes:
      return data_attributes(state, c);
    case Op::fixed_point:
      return control("B.FPATR belongs to matrix blocks");
    case Op::dimension:
      return dimension(state, c);
    case Op::tile_io:
      return tile_io(state, c);
    case Op::scalar_io:
      return scalar_io(state, c);
    case Op::shared_io:
      return shared_io(state, c);
    case Op::stop:
      return complete_block(state, state.pc + c.length());
  }
  return std::nullopt;
}

Verdict finish(State& state, Verdict verdict) {
  state.last_fault = verdict ? verdict->fault : Fault::none;
  if (verdict) state.fault_address = state.pc;
  return verdict;
}

Refusal undecodable(const Diagnostics& errors) {
  const Diagnostic& d = errors.front();
  return {Fault::illegal_instruction, 0, fmt::format("{}; found {}", d.message, d.value)};
}

}  // namespace

Verdict execute_command(State& state, const Command& command) {
  Verdict verdict = finish(state, dispatch(state, command));
  // A stop moves the PC itself, to the continuation.
  if (!verdict && command.op() != Op::stop) state.pc += command.length();
  return verdict;
}

Verdict execute_word(State& state, Word word, unsigned length) {
  const auto command = decode_word(word, length);
  if (!command) return finish(state, undecodable(command.error()));
  return execute_command(state, *command);
}

std::optional<Step> run(State& state, Record program, std::vector<Step>* steps) {
  std::uint64_t index = 0;
  for (std::uint64_t offset = 0; offset < program.size();) {
    Step step{index++, state.pc, offset, {}, std::nullopt};
    const auto command = decode(program.subspan(offset));
    if (command) {
      step.text = command_text(*command);
      step.verdict = execute_command(state, *command);
      offset += command->length();
    } else {
      const std::size_t length =
          std::min<std::size_t>(command_length(program[offset]), program.size() - offset);
      step.text = raw_text(program.subspan(offset, length));
      step.verdict = finish(state, undecodable(command.error()));
    }
    if (steps != nullptr) steps->push_back(step);
    if (step.verdict) return step;
  }
  return std::nullopt;
}

}  // namespace act::tile
