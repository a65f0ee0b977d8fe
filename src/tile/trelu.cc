#include "act/tile/trelu.h"

#include <fmt/format.h>

#include <cassert>

#include "act/tile/checks.h"

namespace act::tile {
namespace {

// Layouts whose elements the model finds by row and column.
bool generically_indexable(TileLayout layout) {
  return layout == TileLayout::row_major || layout == TileLayout::column_major || layout == TileLayout::zn ||
         layout == TileLayout::nz;
}

bool same_shape(const Descriptor& a, const Descriptor& b) {
  return a.rows == b.rows && a.columns == b.columns && a.valid_rows == b.valid_rows &&
         a.valid_columns == b.valid_columns && a.layout == b.layout && a.storage == b.storage &&
         a.type == b.type;
}

std::string describe(const Descriptor& d) {
  return fmt::format("{} {}x{} valid {}x{} {}", d.type->name, d.rows, d.columns, d.valid_rows,
                     d.valid_columns, layout_name(d.layout));
}

// First valid element that does not pass, as "(row, column)"; empty when all do.
template <class Pass>
std::string first_failing(const Register& tile, Pass&& pass) {
  for (std::uint32_t r = 0; r < tile.shape.valid_rows; ++r)
    for (std::uint32_t c = 0; c < tile.shape.valid_columns; ++c)
      if (!pass(tile.index(r, c))) return fmt::format("({}, {})", r, c);
  return {};
}

}  // namespace

Verdict check_operands(const Descriptor& destination, const Register& source, std::uint64_t tile_capacity) {
  if (!data_type_supported(*destination.type))
    return refuse(10, fmt::format("TRELU does not take {}", destination.type->name));
  if (!source.allocated) return refuse(14, "the source register holds no tile");
  const Descriptor& s = source.shape;
  if (!descriptor_legal(s, tile_capacity)) return refuse(14, "the source has an illegal descriptor");
  if (s.storage != Storage::numeric) return refuse(14, "the source is a predicate tile");
  if (!generically_indexable(s.layout))
    return refuse(14, fmt::format("elements of layout {} cannot be indexed", layout_name(s.layout)));
  if (const auto at = first_failing(source, [&](std::size_t i) { return bool{source.defined[i]}; });
      !at.empty())
    return refuse(15, fmt::format("source element {} is undefined", at));
  if (!same_shape(destination, s))
    return refuse(16,
                  fmt::format("the source is {}, the destination {}", describe(s), describe(destination)));
  if (s.layout != TileLayout::row_major)
    return refuse(17, fmt::format("the source has layout {}", layout_name(s.layout)));
  if (const auto at =
          first_failing(source, [&](std::size_t i) { return encoding_valid(*s.type, source.payload[i]); });
      !at.empty())
    return refuse(18, fmt::format("source element {} is no valid {} encoding", at, s.type->name));
  return std::nullopt;
}

Register rectified_tile(const Descriptor& destination, const Register& source, Pad pad, std::uint8_t mask,
                        std::uint8_t& flags) {
  const TileType& type = *destination.type;
  Register out;
  out.allocated = true;
  out.shape = destination;
  out.mask = mask;
  const Word padding = pad == Pad::max ? max_value(type) : pad == Pad::min ? min_value(type) : 0;
  out.payload.assign(destination.elements(), padding);
  out.defined.assign(destination.elements(), pad != Pad::null);
  for (std::uint32_t r = 0; r < destination.valid_rows; ++r)
    for (std::uint32_t c = 0; c < destination.valid_columns; ++c) {
      const std::size_t i = out.index(r, c);
      const Rectified value = rectify(type, source.payload[i]);
      out.payload[i] = value.result;
      out.defined[i] = true;
      if (value.invalid) flags |= kInvalidFlag;
    }
  return out;
}

bool operands_legal(const State& state, unsigned dst, unsigned src) {
  const Register& d = state.tiles[dst];
  return d.allocated && descriptor_legal(d.shape, state.tile_capacity) &&
         !check_operands(d.shape, state.tiles[src], state.tile_capacity);
}

void execute(State& state, unsigned dst, unsigned src, Pad pad) {
  assert(operands_legal(state, dst, src));
  std::uint8_t flags = 0;
  // The result is a tile of its own until it is complete, so dst == src reads the old contents throughout.
  Register result =
      rectified_tile(state.tiles[dst].shape, state.tiles[src], pad, state.tiles[dst].mask, flags);
  state.tiles[dst] = std::move(result);
  state.status |= flags;
}

}  // namespace act::tile
