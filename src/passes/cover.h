// Choice of table sets for the instructions of one block (03 section 6.2).
#pragma once

#include <vector>

#include "act/passes/passes.h"

namespace act::passes {

// A load before instruction `position` of a block; position = number of instructions means at its end.
struct LoadAt {
  std::size_t position = 0;
  unsigned set = 0;
  friend bool operator==(const LoadAt&, const LoadAt&) = default;
};

// What an instruction that uses tables needs of its set (ir::table_function).
std::uint8_t function_of(const ir::Inst& inst);
// Whether the set serves the instruction.
bool serves(const ActSet& set, const ir::Inst& inst);

// Running intersection, lowest index wins; a block boundary closes the chunk. Error: invalid function.
Result<std::vector<LoadAt>> cover_greedy(const ir::Node& block, std::span<const ActSet> sets);
// The lowest set of every instruction by itself.
Result<std::vector<LoadAt>> cover_first_fit(const ir::Node& block, std::span<const ActSet> sets);

// An error of code lowering at an instruction.
Diagnostic lowering_error(std::string message, const ir::Inst* inst = nullptr);
// "Invalid activation function found in instruction" with what it is.
Diagnostic invalid_function(const ir::Inst& inst);
std::string_view function_name(std::uint8_t ordinal);

}  // namespace act::passes
