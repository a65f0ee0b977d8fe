#include "act/sim/cost.h"

#include <array>

namespace act::sim {
namespace {

// One element per cycle of ACT at 1.2 GHz and of DVE at 0.96 GHz; copies on DVE run at twice that.
constexpr double kAct = 0.8333, kDve = 1.04, kDveCopy = 0.52;

constexpr CostRow kRows[] = {
    {Opcode::ACTIVATION_TABLE_LOAD, Engine::ANY, 1283, 0, "measured"},
    {Opcode::PSEUDO_LOAD_ACT_FUNC_SET, Engine::ANY, 1283, 0, "as ACTIVATION_TABLE_LOAD"},
    {Opcode::ACTIVATE, Engine::ANY, 293.5, kAct, "measured"},
    {Opcode::ACTIVATE_QUANTIZE, Engine::ANY, 293.5, kAct, "as ACTIVATE"},
    {Opcode::ACTIVATE2, Engine::ANY, 293.5, kAct, "as ACTIVATE"},
    {Opcode::ACTIVATE_MULTIPASS, Engine::ANY, 293.5, kAct, "as ACTIVATE"},
    {Opcode::ACTIVATION_READ_ACCUMULATOR, Engine::ANY, 279, 0, "measured"},
    {Opcode::DVE_READ_ACCUMULATOR, Engine::ANY, 279, 0, "as ACTIVATION_READ_ACCUMULATOR"},
    {Opcode::COPY, Engine::ACT, 157.3, kAct, "measured (128 and 512 elements from PSUM)"},
    {Opcode::COPY, Engine::ANY, 160.5, kDveCopy, "measured"},
    {Opcode::CAST, Engine::ACT, 157.3, kAct, "as COPY"},
    {Opcode::CAST, Engine::ANY, 160.5, kDveCopy, "as COPY"},
    {Opcode::MEMSET, Engine::ANY, 160.5, kDveCopy, "as COPY"},
    {Opcode::TENSOR_REDUCE_ARITH_OP, Engine::ANY, 152.5, kDve, "measured"},
    {Opcode::TENSOR_REDUCE_BITVEC_OP, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_TENSOR_ARITH_OP, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_TENSOR_BITVEC_OP, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_SCALAR_ARITH_OP, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_SCALAR_BITVEC_OP, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TRANSPOSE_TENSOR_SCALAR_ARITH_OP, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_SCALAR_CACHE_REDUCE, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_SCALAR_CACHE_CUMULATIVE, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::TENSOR_SCALAR_ADDR, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::EXPONENTIAL, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::COPY_PREDICATED, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::CAST_PREDICATED, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::STREAM_SHUFFLE, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::STREAM_TRANSPOSE, Engine::ANY, 152.5, kDve, "as TENSOR_REDUCE_ARITH_OP"},
    {Opcode::POOL_BUFFER_LOAD, Engine::ANY, 160.5, kDveCopy, "as COPY"},
    {Opcode::RECIPROCAL, Engine::ANY, 154.3, 6.25, "measured"},
};

// Position of the first row of each opcode; rows of one opcode follow each other.
constexpr auto kFirst = [] {
  std::array<std::uint8_t, 256> first{};
  first.fill(std::size(kRows));
  for (std::size_t i = std::size(kRows); i-- > 0;) first[static_cast<std::uint8_t>(kRows[i].opcode)] = static_cast<std::uint8_t>(i);
  return first;
}();

}  // namespace

std::span<const CostRow> cost_rows() { return kRows; }

double estimated_ns(std::uint8_t opcode, Engine engine, std::uint64_t elements_per_channel) {
  for (std::size_t i = kFirst[opcode]; i < std::size(kRows) && static_cast<std::uint8_t>(kRows[i].opcode) == opcode; ++i)
    if (const CostRow& row = kRows[i]; row.engine == Engine::ANY || row.engine == engine)
      return row.fixed_ns + row.per_element_ns * static_cast<double>(elements_per_channel);
  return 0;
}

}  // namespace act::sim
