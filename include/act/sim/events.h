// Waits and updates of semaphores and events (01 section 2.4).
#pragma once

#include <string>

#include "act/sim/machine.h"

namespace act::sim {

// One band: a wait, an update and their operands. In the header both share one value.
struct EventBand {
  WaitMode wait_mode = WaitMode::NONE;
  std::uint8_t wait_idx = 0;
  UpdateMode update_mode = UpdateMode::NONE;
  std::uint8_t update_idx = 0;
  std::uint32_t wait_value = 0, update_value = 0;

  bool waits() const { return wait_mode != WaitMode::NONE && wait_mode != WaitMode::UNORDERED; }
  bool updates() const { return update_mode != UpdateMode::NONE; }
};

// Bytes 4..11 of every bundle.
EventBand header_band(const Bundle& bundle);
// The band at byte 32 of EVENT_SEMAPHORE: 12 bytes, wait value at +4, update value at +8; empty when all are zero.
EventBand second_band(const Bundle& bundle);

// Whether the band can be executed at all: known modes, registers that are set. Empty = yes.
std::string band_fault(const EventBand& band, const Machine& machine);

// Whether the wait holds now. Precondition: no band_fault.
bool holds(const EventBand& band, const Machine& machine);
// The change that a satisfied wait makes (EVT_SET_THEN_CLEAR, EVT_CLEAR_THEN_SET).
void take(const EventBand& band, Machine& machine);
// The update. Precondition: no band_fault.
void update(const EventBand& band, Machine& machine);

// "semaphore 3 >= 5, which is 2"
std::string wait_text(const EventBand& band, const Machine& machine);

}  // namespace act::sim
