// What a person or a program reads of a state, a fault and an operation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "act/rows/json.h"
#include "act/tile/block.h"

namespace act::tile {

// A tile: one line of description, then its rows in hexadecimal, padding behind a bar, "undef" where
// undefined; equal rows are printed once.
std::string tile_text(const State& state, unsigned index);
Json tile_json(const State& state, unsigned index);

// PC, open block, status, capacity in use and every allocated tile.
std::string state_text(const State& state);
Json state_json(const State& state);

Json step_json(const Step& step);
// A fault as a diagnostic: its code, the address, the command and the reason.
Diagnostic fault_diagnostic(const Step& step);

// Names that describe() knows: the operations, then the block commands.
std::vector<std::string_view> described_names();
// All that is known of an operation ("TRELU") or a block command ("B.IOT"), letter case ignored, for `actkit
// info`; nothing for any other name.
std::optional<std::string> describe(std::string_view name);
std::optional<Json> describe_json(std::string_view name);

}  // namespace act::tile
