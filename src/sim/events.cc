#include "act/sim/events.h"

#include <fmt/format.h>

#include <cstring>

namespace act::sim {
namespace {

// Codes with bit 7 take their value from a register; the rest of the code is the operation.
bool by_register(std::uint8_t mode) { return mode >= 0x81 && mode <= 0x99; }
WaitMode immediate_form(WaitMode m) {
  const auto code = static_cast<std::uint8_t>(m);
  return by_register(code) ? static_cast<WaitMode>(code & 0x7F) : m;
}
// READ and COMPLETE forms do the same here: both fire when the instruction retires (D-06).
std::uint8_t operation(UpdateMode m) { return static_cast<std::uint8_t>(m) & 0x0F; }

std::uint32_t value_of(std::uint8_t mode, std::uint32_t value, const Machine& machine) {
  return by_register(mode) ? machine.registers[value].value_or(0) : value;
}

bool wait_uses_value(WaitMode m) { return immediate_form(m) >= WaitMode::SEM_EQ_IMM && immediate_form(m) <= WaitMode::SEM_GE_IMM; }
bool update_uses_value(UpdateMode m) { return operation(m) >= 5; }

EventBand read_band(const std::uint8_t* p) {
  EventBand b;
  b.wait_mode = static_cast<WaitMode>(p[0]);
  b.wait_idx = p[1];
  b.update_mode = static_cast<UpdateMode>(p[2]);
  b.update_idx = p[3];
  std::memcpy(&b.wait_value, p + 4, 4);
  b.update_value = b.wait_value;
  return b;
}

}  // namespace

EventBand header_band(const Bundle& bundle) { return read_band(bundle.bytes.data() + 4); }

EventBand second_band(const Bundle& bundle) {
  EventBand b = read_band(bundle.bytes.data() + 32);
  std::memcpy(&b.update_value, bundle.bytes.data() + 40, 4);
  return b;
}

std::string band_fault(const EventBand& band, const Machine& machine) {
  const Choice* wait = kWaitModeTable.find(static_cast<std::uint64_t>(band.wait_mode));
  if (wait == nullptr || band.wait_mode == WaitMode::INVALID)
    return fmt::format("wait mode {:#04x} is not legal", static_cast<unsigned>(band.wait_mode));
  const Choice* up = kUpdateModeTable.find(static_cast<std::uint64_t>(band.update_mode));
  if (up == nullptr || band.update_mode == UpdateMode::INVALID)
    return fmt::format("update mode {:#04x} is not legal", static_cast<unsigned>(band.update_mode));
  const auto register_fault = [&](std::uint8_t mode, std::uint32_t number) -> std::string {
    if (!by_register(mode)) return {};
    if (number >= kAddressRegisters) return fmt::format("register {} is beyond the 64 registers", number);
    return machine.registers[number] ? std::string{} : fmt::format("register {} is read and has no value", number);
  };
  if (wait_uses_value(band.wait_mode))
    if (std::string fault = register_fault(static_cast<std::uint8_t>(band.wait_mode), band.wait_value); !fault.empty()) return fault;
  if (update_uses_value(band.update_mode)) return register_fault(static_cast<std::uint8_t>(band.update_mode), band.update_value);
  return {};
}

bool holds(const EventBand& band, const Machine& machine) {
  const std::uint32_t s = machine.semaphores[band.wait_idx];
  const bool e = machine.events[band.wait_idx];
  const std::uint32_t v = wait_uses_value(band.wait_mode) ? value_of(static_cast<std::uint8_t>(band.wait_mode), band.wait_value, machine) : 0;
  switch (immediate_form(band.wait_mode)) {
    case WaitMode::SEM_EQ_IMM: return s == v;
    case WaitMode::SEM_LT_IMM: return s < v;
    case WaitMode::SEM_LE_IMM: return s <= v;
    case WaitMode::SEM_GT_IMM: return s > v;
    case WaitMode::SEM_GE_IMM: return s >= v;
    case WaitMode::EVT_SET:
    case WaitMode::EVT_SET_THEN_CLEAR: return e;
    case WaitMode::EVT_CLEAR:
    case WaitMode::EVT_CLEAR_THEN_SET: return !e;
    default: return true;
  }
}

void take(const EventBand& band, Machine& machine) {
  if (band.wait_mode == WaitMode::EVT_SET_THEN_CLEAR) machine.events[band.wait_idx] = false;
  if (band.wait_mode == WaitMode::EVT_CLEAR_THEN_SET) machine.events[band.wait_idx] = true;
}

void update(const EventBand& band, Machine& machine) {
  std::uint32_t& s = machine.semaphores[band.update_idx];
  const std::uint32_t v = update_uses_value(band.update_mode) ? value_of(static_cast<std::uint8_t>(band.update_mode), band.update_value, machine) : 0;
  switch (operation(band.update_mode)) {
    case 1: machine.events[band.update_idx] = true; break;
    case 2: machine.events[band.update_idx] = false; break;
    case 3: s += 1; break;
    case 4: s -= 1; break;
    case 5: s += v; break;
    case 7: s -= v; break;
    case 9: s = v; break;
    default: break;
  }
}

std::string wait_text(const EventBand& band, const Machine& machine) {
  static constexpr std::string_view kSigns[] = {"", "==", "<", "<=", ">", ">="};
  const auto code = static_cast<std::uint8_t>(immediate_form(band.wait_mode));
  if (wait_uses_value(band.wait_mode)) {
    return fmt::format("semaphore {} {} {}, which is {}", band.wait_idx, kSigns[code],
                       value_of(static_cast<std::uint8_t>(band.wait_mode), band.wait_value, machine), machine.semaphores[band.wait_idx]);
  }
  const bool set = band.wait_mode == WaitMode::EVT_SET || band.wait_mode == WaitMode::EVT_SET_THEN_CLEAR;
  return fmt::format("event {} to be {}", band.wait_idx, set ? "set" : "clear");
}

}  // namespace act::sim
