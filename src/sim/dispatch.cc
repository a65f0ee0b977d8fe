#include "act/sim/dispatch.h"

#include <array>

#include "ops/ops.h"

namespace act::sim {
namespace {

constexpr std::array<OpBody, 256> make_table() {
  std::array<OpBody, 256> table{};
#define ACT_OP(opcode, Type, body) \
  table[static_cast<std::uint8_t>(Opcode::opcode)] = [](Exec& x, const Bundle& b) { ops::body(x, decode_as<Type>(b)); };
#include "ops/list.def"
#undef ACT_OP
  return table;
}

constexpr std::array<OpBody, 256> kBodies = make_table();

}  // namespace

OpBody op_body(std::uint8_t opcode) { return kBodies[opcode]; }

}  // namespace act::sim
