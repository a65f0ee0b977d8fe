// The commit checks, one function each, in the order of 04 section 7.2. Every number below is a check of that
// list.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "act/tile/block.h"
#include "act/tile/checks.h"
#include "act/tile/trelu.h"

namespace act::tile {
namespace {

// 3: only commands with mask 0000 were seen.
bool nothing_bound(const Block& block) {
  return block.zero_participation && block.bindings.empty() && block.shared.empty();
}

// 5: bindings with mask 0000 that were recorded directly; no command records one.
bool nobody_takes_part(const Block& block) {
  return !block.bindings.empty() && std::all_of(block.bindings.begin(), block.bindings.end(),
                                                [](const Binding& b) { return b.mask == 0; });
}

// 4.
Verdict no_shared(const Block& block) {
  if (block.shared.empty()) return std::nullopt;
  return refuse(4, fmt::format("TRELU takes no Shared tile, S{} is bound", block.shared.front().tid));
}

// 6.
Verdict binding_counts(const Block& block) {
  unsigned sources = 0, destinations = 0;
  for (const Binding& b : block.bindings) {
    sources += (b.src0 ? 1u : 0u) + (b.src1 ? 1u : 0u);
    destinations += b.hand ? 1u : 0u;
  }
  if (destinations != 1 || sources != 1)
    return refuse(6, fmt::format("TRELU takes one source and one destination, {} and {} are bound", sources,
                                 destinations));
  if (!block.bindings.back().last) return refuse(6, "the last B.IOT lacks <last>");
  if (const auto& s = block.scalar; s && (s->dst | s->src0 | s->src1 | s->src2) != 0)
    return refuse(6, "TRELU takes no register, B.IOR names one");
  return std::nullopt;
}

// 7.
Verdict attributes_legal(const Block& block) {
  if (!block.attributes || datr_fields_legal(*block.attributes)) return std::nullopt;
  return refuse(7, "B.DATR may set the padding only");
}

// 8.
Verdict one_binding(const Block& block) {
  const Binding& b = block.bindings.front();
  if (block.bindings.size() == 1 && b.src0 && !b.src1 && b.hand && b.last) return std::nullopt;
  return refuse(8, "source and destination stand in different B.IOT commands");
}

// 9.
Verdict dimensions_legal(const Block& block) {
  for (unsigned i = 0; i < block.dimension.size(); ++i) {
    const auto& lb = block.dimension[i];
    if (i == 0 && !lb) return refuse(9, "LB0, the number of valid columns, is not set");
    if (lb && (*lb < 1 || *lb > kMaxDimension))
      return refuse(9, fmt::format("LB{} is {}, allowed 1..{}", i, *lb, kMaxDimension));
  }
  return std::nullopt;
}

// 10.
Verdict type_legal(const Block& block) {
  if (data_type_supported(*block.type)) return std::nullopt;
  return refuse(10, fmt::format("TRELU does not take {}", block.type->name));
}

// 11: the lowest free register of the hand (T-06).
std::optional<unsigned> free_register(const State& state, unsigned hand) {
  for (unsigned i = hand * kHandSize; i < (hand + 1) * kHandSize; ++i)
    if (!state.tiles[i].allocated) return i;
  return std::nullopt;
}

// 12.
Verdict capacity_left(const State& state, const Binding& b) {
  const std::uint64_t needed =
      std::uint64_t{size_bytes(b.size_code)} * static_cast<unsigned>(std::popcount(b.mask));
  const std::uint64_t used = state.core_charge();
  if (used + needed <= state.tile_capacity) return std::nullopt;
  return refuse(12, fmt::format("{} bytes in use and {} more exceed TILE_CAPACITY {}", used, needed,
                                state.tile_capacity));
}

// 13: absent LB1 is one row, absent LB2 the number of valid columns.
std::optional<Descriptor> destination_shape(const State& state, const Binding& b) {
  const auto& lb = state.block.dimension;
  const Word valid_columns = *lb[0], valid_rows = lb[1].value_or(1), columns = lb[2].value_or(valid_columns);
  return make_descriptor(size_bytes(b.size_code), columns, valid_rows, valid_columns, *state.block.type,
                         TileLayout::row_major, state.tile_capacity);
}

// 6 to 10: what depends on the header alone.
Verdict check_header(const Block& block) {
  for (const auto check : {binding_counts, attributes_legal, one_binding, dimensions_legal, type_legal})
    if (Verdict v = check(block)) return v;
  return std::nullopt;
}

}  // namespace

Verdict block_operation(State& state) {
  Block& block = state.block;
  if (nothing_bound(block)) return std::nullopt;
  if (Verdict v = no_shared(block)) return v;
  if (nobody_takes_part(block)) return std::nullopt;
  if (Verdict v = check_header(block)) return v;
  Binding& b = block.bindings.front();
  const auto target = free_register(state, *b.hand);
  if (!target)
    return refuse(11, fmt::format("no register of hand {} is free", kHandTable.choices[*b.hand].name));
  if (Verdict v = capacity_left(state, b)) return v;
  const auto shape = destination_shape(state, b);
  if (!shape) return refuse(13, "the destination has no legal shape");
  const Register& source = state.tiles[*b.src0];
  if (Verdict v = check_operands(*shape, source, state.tile_capacity)) {
    v->why = fmt::format("{}: {}", register_name(*b.src0), v->why);
    return v;
  }
  // Nothing can fail from here on (04 section 9.1): the tile appears complete, with its flags.
  std::uint8_t flags = 0;
  state.tiles[*target] = rectified_tile(*shape, source, block.pad(), b.mask, flags);
  state.status |= flags;
  b.allocated = *target;
  return std::nullopt;
}

Verdict complete_block(State& state, Word continuation) {
  if (!state.block.active) return refuse(1, "no block is open");
  if (continuation % 2 != 0)
    return refuse(2, fmt::format("the block would continue at the odd address 0x{:x}", continuation));
  if (Verdict v = block_operation(state)) return v;
  state.block = Block{};
  state.pc = continuation;
  return std::nullopt;
}

}  // namespace act::tile
