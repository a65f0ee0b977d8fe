// Bytes 4..11 as text: "wait sem[3] >= 5 then sem[7]++".
#pragma once

#include "act/isa/opcode.h"
#include "asm/numbers.h"
#include "asm/operands.h"

namespace act::text {

// How a wait or update reads: the place, what is asked of it or done to it, and where the operand comes from.
enum class EventOperand : std::uint8_t { none, value, reg };  // the shared sync_value: unused, a number, a register number

struct WaitForm {
  WaitMode mode;
  bool event;              // event[n] rather than sem[n]
  std::string_view words;  // behind the place: ">=", "set"
  EventOperand operand;
};
struct UpdateForm {
  UpdateMode mode;
  bool event;
  bool on_read;            // "on_read" rather than "then"
  std::string_view words;  // "++", "+=", "set"
  EventOperand operand;
};
std::span<const WaitForm> wait_forms();
std::span<const UpdateForm> complete_update_forms();
std::span<const UpdateForm> read_update_forms();

// Appends " wait …" and " then …"; what these cannot say exactly is written as wait_mode=, wait_idx=, … instead.
void print_events(const Bundle& bundle, Out& out);

// Their parts, for the profiler's text: each says whether the shared value stands in what it printed.
bool print_wait(std::uint8_t mode, std::uint8_t index, std::uint32_t v, Out& out);
bool print_update(std::uint8_t mode, std::uint8_t index, std::uint32_t v, Out& out);

// An address word as a place: sbuf[…] or psum[…], or addr[…] for markers and off-chip addresses.
void print_word(std::uint32_t word, Generation generation, Out& out);

// Elements of the destination of a plan with a derived count: the product of the counts, modulo 2^32.
std::uint32_t derived_count(const Bundle& bundle, const Plan& plan);

}  // namespace act::text
