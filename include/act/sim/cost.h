// An estimate of how long instructions take, from laws measured by others on cayman (05 section 7). It never changes what
// is computed.
#pragma once

#include <string_view>

#include "act/isa/opcode.h"

namespace act::sim {

// Time of one instruction: fixed_ns + per_element_ns * elements of one channel.
struct CostRow {
  Opcode opcode;
  Engine engine;  // ANY: on every engine
  double fixed_ns, per_element_ns;
  std::string_view basis;  // "measured", or what the figure is taken from
};

std::span<const CostRow> cost_rows();

// 0 for opcodes without a row: control instructions.
double estimated_ns(std::uint8_t opcode, Engine engine, std::uint64_t elements_per_channel);

}  // namespace act::sim
