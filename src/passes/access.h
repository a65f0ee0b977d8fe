// What an instruction reads and writes: pieces of memory, and state that an engine keeps between instructions.
#pragma once

#include <vector>

#include "act/ir/module.h"
#include "act/isa/memory_map.h"

namespace act::passes {

// State outside the memories that instructions leave for others.
enum class Keep : std::uint8_t {
  act_accumulators,
  dve_accumulators,
  tables,       // the resident set
  mask_select,  // entries of STREAM_SHUFFLE
  pool,         // parameter RAM, gather buffer, pool arguments, libraries
};
inline constexpr std::size_t kKeeps = 5;

// Bytes [low, high) of partitions [first, last) of a memory.
struct Rect {
  Space space = Space::sbuf;
  std::uint8_t first = 0, last = 0;
  std::uint32_t low = 0, high = 0;
  bool meets(const Rect& o) const { return space == o.space && first < o.last && o.first < last && low < o.high && o.low < high; }
  friend bool operator==(const Rect&, const Rect&) = default;
};

struct Accesses {
  struct Memory {
    Rect rect;
    bool write = false;
  };
  struct State {
    Keep keep = Keep::pool;
    bool write = false;
  };
  std::vector<Memory> memory;
  std::vector<State> states;
  // Somewhere, not known where: addresses from registers, gathers, instructions without rows.
  bool reads_anywhere = false, writes_anywhere = false;

  void clear();
  bool empty() const { return memory.empty() && states.empty() && !reads_anywhere && !writes_anywhere; }
};

// Fills `out`. Never too little; more than what happens only where an address or a length is not known.
void accesses_of(const ir::Inst& inst, Generation g, Accesses& out);

}  // namespace act::passes
