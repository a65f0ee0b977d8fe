// The tile operations that blocks can start, one row each (04 header and section 3.1).
#pragma once

#include <cstdint>
#include <string_view>

namespace act::tile {

struct Operation {
  std::string_view name, contract;  // "TRELU", "PTO-TILE-TRELU"
  std::string_view family;          // of the carrier command
  std::uint8_t selector;            // Mode << 5 | Function
  std::uint8_t index;               // place in the operation catalog
  std::string_view handler;         // what executes it
  std::string_view operation_class, group, engine;
  std::string_view summary;

  constexpr unsigned mode() const { return selector >> 5; }
  constexpr unsigned function() const { return selector & 31; }
};

inline constexpr Operation kOperations[] = {
    {"TRELU", "PTO-TILE-TRELU", "TEPL", 0x17, 21, "ExecuteTileUnary", "elementwise-tile-tile", "logical",
     "VEC", "same-type elementwise rectifier of one Local tile into a new one"},
};
inline constexpr const Operation& kTrelu = kOperations[0];

// Selectors that the catalog keeps free.
inline constexpr std::uint8_t kSelectorHoles[] = {0x18, 0x19};

// Null when no operation of the family has the selector.
constexpr const Operation* decode_operation(std::string_view family, unsigned selector) {
  for (const Operation& op : kOperations)
    if (op.family == family && op.selector == selector) return &op;
  return nullptr;
}
constexpr const Operation* operation_at(unsigned index) {
  for (const Operation& op : kOperations)
    if (op.index == index) return &op;
  return nullptr;
}

}  // namespace act::tile
