#include "act/isa/engines.h"

namespace act {
namespace {

constexpr Engine kEngines[] = {Engine::PE, Engine::ACT, Engine::POOL, Engine::DVE, Engine::SP};

// Engines beyond the one in the opcode's row.
struct AlsoRow {
  Opcode opcode;
  Engine also;
};
constexpr AlsoRow kAlso[] = {
    {Opcode::TENSOR_TENSOR_ARITH_OP, Engine::POOL},  {Opcode::TENSOR_TENSOR_BITVEC_OP, Engine::POOL},
    {Opcode::TENSOR_SCALAR_ARITH_OP, Engine::ACT},   {Opcode::TENSOR_SCALAR_ARITH_OP, Engine::POOL},
    {Opcode::TENSOR_SCALAR_BITVEC_OP, Engine::ACT},  {Opcode::TENSOR_SCALAR_BITVEC_OP, Engine::POOL},
    {Opcode::COPY, Engine::ACT},                     {Opcode::COPY, Engine::POOL},
    {Opcode::CAST, Engine::ACT},                     {Opcode::CAST, Engine::POOL},
    {Opcode::MEMSET, Engine::DVE},                   {Opcode::LOAD_MASK_SELECT, Engine::POOL},
    {Opcode::REG_STORE, Engine::ANY},                {Opcode::RNG, Engine::ANY},
};

}  // namespace

bool runs_on(std::uint8_t opcode, Engine engine, Generation generation) {
  const OpcodeInfo* row = find_opcode(opcode);
  if (row == nullptr || row->engine == Engine::ANY || row->engine == engine || engine == Engine::ANY) return true;
  for (const AlsoRow& r : kAlso)
    if (static_cast<std::uint8_t>(r.opcode) == opcode && (r.also == engine || r.also == Engine::ANY)) return true;
  return row->engine == Engine::ACT && engine == Engine::DVE && generation >= Generation::maverick;
}

std::string engines_of(std::uint8_t opcode, Generation generation) {
  std::string out;
  unsigned count = 0;
  for (const Engine e : kEngines) {
    if (!runs_on(opcode, e, generation)) continue;
    out += (out.empty() ? "" : ", ") + std::string(engine_name(e));
    ++count;
  }
  return count == std::size(kEngines) ? "any" : out;
}

}  // namespace act
