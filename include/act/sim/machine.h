// The state of one core: memories, semaphores, registers, and what the engines keep between instructions. Follows public
// documentation of the hardware; not verified on silicon.
#pragma once

#include <array>
#include <bitset>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "act/isa/program.h"
#include "act/sim/custom_op.h"
#include "act/sim/function_unit.h"
#include "act/sim/memory.h"
#include "act/sim/pool_buffer.h"

namespace act::sim {

namespace ops {
class PatternTable;
}

using Accumulators = std::array<float, kPartitions>;

// A library that MODIFY_POOL_CONFIG has loaded.
struct Library {
  std::uint64_t soc_addr = 0;
  std::uint32_t size = 0;
  std::uint8_t core_mask = 0;
};

inline constexpr std::size_t kParameterRamBytes = 65536 + 32;  // any 16-bit offset and 32 bytes from there

class Machine {
 public:
  Machine(Generation generation, const Policies& policies, const Catalog* catalog)
      : generation_(generation), policies_(policies), memory(generation, policies), functions(catalog, policies, generation) {
    for (std::size_t i = 0; i < mask_select.size(); ++i) mask_select[i] = static_cast<std::uint8_t>(i);
  }

  Generation generation() const { return generation_; }
  const Policies& policies() const { return policies_; }

  // The per-lane accumulators that instructions of `engine` (ACT or DVE) use: two banks, one on maverick (D-54).
  Accumulators& accumulators(Engine engine) {
    return engine == Engine::ACT && generation_ != Generation::maverick ? act_accumulators_ : dve_accumulators_;
  }

 private:
  Generation generation_;
  Policies policies_;
  Accumulators act_accumulators_{}, dve_accumulators_{};

 public:
  Memory memory;
  Hbm hbm;
  std::array<std::uint32_t, 256> semaphores{};
  std::bitset<256> events;
  std::array<std::optional<std::uint32_t>, kAddressRegisters> registers{};
  std::array<std::optional<TensorView>, kAddressRegisters> shape_registers{};  // D-10
  FunctionUnit functions;  // the resident table set
  std::array<std::uint8_t, kQuadrantPartitions> mask_select{};  // identity after reset (D-48)
  PoolBuffer pool_buffer;
  std::array<std::uint32_t, 8> pool_arguments{};  // LOAD_POOL_ARGUMENT: eight words
  std::vector<std::uint8_t> parameter_ram = std::vector<std::uint8_t>(kParameterRamBytes, 0);
  std::map<std::uint32_t, Library> libraries;  // by library_index
  CustomOps custom_ops;
  // Not of the hardware: the last activation that was tabulated, kept because the next one often is the same.
  std::shared_ptr<const ops::PatternTable> pattern_table;

  // Everything above as text, memory as ranges of defined bytes: `actkit run --dump-state`.
  std::string dump() const;
};

}  // namespace act::sim
