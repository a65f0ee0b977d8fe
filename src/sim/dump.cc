// The whole state of a machine as text.
#include <fmt/format.h>

#include "act/sim/machine.h"

namespace act::sim {
namespace {

// Ranges of defined bytes per partition; partitions with equal ranges stand on one line.
std::string defined_ranges(const Store& store, unsigned p) {
  std::string text;
  const std::uint32_t active = store.active_bytes();
  constexpr std::uint32_t kChunk = 64;
  std::uint32_t start = active;
  for (std::uint32_t at = 0; at < active;) {
    const bool inside = start != active;
    if (at % kChunk == 0 && at + kChunk <= active) {
      const bool whole = store.defined(p, at, kChunk), none = store.untouched(p, at, kChunk);
      if ((inside && whole) || (!inside && none)) {
        at += kChunk;
        continue;
      }
    }
    const bool defined = store.defined(p, at, 1);
    if (defined && !inside) start = at;
    if (!defined && inside) {
      text += fmt::format(" {:#x}..{:#x}", start, at - 1);
      start = active;
    }
    ++at;
  }
  if (start != active) text += fmt::format(" {:#x}..{:#x}", start, active - 1);
  return text;
}

std::string dump_store(const Store& store, std::string_view name) {
  std::string text;
  unsigned first = 0;
  std::string ranges = defined_ranges(store, 0);
  for (unsigned p = 1; p <= kPartitions; ++p) {
    std::string next = p < kPartitions ? defined_ranges(store, p) : "end";
    if (next == ranges) continue;
    if (!ranges.empty()) text += fmt::format("{} partitions {}..{}: bytes{}\n", name, first, p - 1, ranges);
    ranges = std::move(next);
    first = p;
  }
  return text.empty() ? fmt::format("{} nothing written\n", name) : text;
}

std::string dump_accumulators(const Accumulators& a, std::string_view name) {
  std::string text;
  for (unsigned c = 0; c < kPartitions; ++c)
    if (bits_of(a[c]) != 0) text += fmt::format(" [{}]={}", c, a[c]);
  return fmt::format("{} accumulators:{}\n", name, text.empty() ? " all 0" : text);
}

}  // namespace

std::string Machine::dump() const {
  std::string text = fmt::format("generation {}\npolicies {}\n", generation_name(generation_), to_text(policies_));
  text += fmt::format("resident set: {}\n", functions.resident() == nullptr ? "none" : fmt::format("{} ({})", functions.resident()->name(), functions.resident_index()));
  if (generation_ == Generation::maverick) {
    text += dump_accumulators(dve_accumulators_, "ACT and DVE");
  } else {
    text += dump_accumulators(act_accumulators_, "ACT");
    text += dump_accumulators(dve_accumulators_, "DVE");
  }
  for (unsigned s = 0; s < semaphores.size(); ++s)
    if (semaphores[s] != 0) text += fmt::format("semaphore {} = {}\n", s, semaphores[s]);
  for (unsigned e = 0; e < events.size(); ++e)
    if (events[e]) text += fmt::format("event {} set\n", e);
  for (unsigned r = 0; r < registers.size(); ++r)
    if (registers[r]) text += fmt::format("register {} = {:#x}\n", r, *registers[r]);
  for (unsigned r = 0; r < shape_registers.size(); ++r) {
    if (!shape_registers[r]) continue;
    text += fmt::format("shape register {} =", r);
    for (unsigned d = 0; d < shape_registers[r]->dims; ++d) text += fmt::format(" {}x{}", shape_registers[r]->num[d], shape_registers[r]->step[d]);
    text += '\n';
  }
  text += "mask select:";
  for (std::uint8_t m : mask_select) text += fmt::format(" {}", m);
  text += '\n';
  if (pool_buffer.element_bytes != 0) {
    text += fmt::format("pool buffer: {} elements of {} bytes in {} channels, start index {:#x}, mask {:#x}\n", pool_buffer.count,
                        pool_buffer.element_bytes, pool_buffer.channels, pool_buffer.start_index, pool_buffer.mask);
  }
  text += "pool arguments:";
  for (std::uint32_t a : pool_arguments) text += fmt::format(" {:#x}", a);
  text += '\n';
  for (std::size_t at = 0; at + 32 <= parameter_ram.size(); at += 32) {
    std::string line;
    bool any = false;
    for (std::size_t i = 0; i < 32; ++i) {
      line += fmt::format("{:02x}", parameter_ram[at + i]);
      any = any || parameter_ram[at + i] != 0;
    }
    if (any) text += fmt::format("parameter RAM {:#06x}: {}\n", at, line);
  }
  for (const auto& [index, library] : libraries)
    text += fmt::format("library {}: {} bytes from {:#x}, cores {:#04x}\n", index, library.size, library.soc_addr, library.core_mask);
  text += fmt::format("HBM: {} pages of {} bytes\n", hbm.pages(), Hbm::kPageBytes);
  text += dump_store(memory.store(Space::sbuf), "SBUF");
  text += dump_store(memory.store(Space::psum), "PSUM");
  return text;
}

}  // namespace act::sim
