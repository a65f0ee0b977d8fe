#include "asm/events.h"

namespace act::text {
namespace {

using enum EventOperand;

constexpr WaitForm kWaits[] = {
    {WaitMode::SEM_EQ_IMM, false, "==", value},
    {WaitMode::SEM_LT_IMM, false, "<", value},
    {WaitMode::SEM_LE_IMM, false, "<=", value},
    {WaitMode::SEM_GT_IMM, false, ">", value},
    {WaitMode::SEM_GE_IMM, false, ">=", value},
    {WaitMode::SEM_EQ_REG, false, "==", reg},
    {WaitMode::SEM_LT_REG, false, "<", reg},
    {WaitMode::SEM_LE_REG, false, "<=", reg},
    {WaitMode::SEM_GT_REG, false, ">", reg},
    {WaitMode::SEM_GE_REG, false, ">=", reg},
    {WaitMode::EVT_SET, true, "set", none},
    {WaitMode::EVT_SET_THEN_CLEAR, true, "set_then_clear", none},
    {WaitMode::EVT_CLEAR, true, "clear", none},
    {WaitMode::EVT_CLEAR_THEN_SET, true, "clear_then_set", none},
};

constexpr UpdateForm kUpdates[] = {
    {UpdateMode::SEM_INC_COMPLETE, false, false, "++", none},
    {UpdateMode::SEM_DEC_COMPLETE, false, false, "--", none},
    {UpdateMode::SEM_ADD_IMM_COMPLETE, false, false, "+=", value},
    {UpdateMode::SEM_SUB_IMM_COMPLETE, false, false, "-=", value},
    {UpdateMode::SEM_WR_IMM_COMPLETE, false, false, "=", value},
    {UpdateMode::SEM_ADD_REG_COMPLETE, false, false, "+=", reg},
    {UpdateMode::SEM_SUB_REG_COMPLETE, false, false, "-=", reg},
    {UpdateMode::SEM_WR_REG_COMPLETE, false, false, "=", reg},
    {UpdateMode::EVT_SET_COMPLETE, true, false, "set", none},
    {UpdateMode::EVT_CLR_COMPLETE, true, false, "clear", none},
    {UpdateMode::SEM_INC_READ, false, true, "++", none},
    {UpdateMode::SEM_DEC_READ, false, true, "--", none},
    {UpdateMode::SEM_ADD_IMM_READ, false, true, "+=", value},
    {UpdateMode::SEM_SUB_IMM_READ, false, true, "-=", value},
    {UpdateMode::SEM_WR_IMM_READ, false, true, "=", value},
    {UpdateMode::SEM_ADD_REG_READ, false, true, "+=", reg},
    {UpdateMode::SEM_SUB_REG_READ, false, true, "-=", reg},
    {UpdateMode::SEM_WR_REG_READ, false, true, "=", reg},
    {UpdateMode::EVT_SET_READ, true, true, "set", none},
    {UpdateMode::EVT_CLR_READ, true, true, "clear", none},
};

static_assert([] {
  constexpr std::size_t kHalf = std::size(kUpdates) / 2;
  for (std::size_t i = 0; i < kHalf; ++i)
    if (kUpdates[i].on_read || !kUpdates[i + kHalf].on_read || kUpdates[i].words != kUpdates[i + kHalf].words) return false;
  return true;
}());

// Position of the form of every mode byte plus one.
template <std::size_t N, class Form>
constexpr std::array<std::uint8_t, 256> index_forms(const Form (&forms)[N]) {
  std::array<std::uint8_t, 256> index{};
  for (std::size_t i = 0; i < N; ++i) index[static_cast<std::size_t>(forms[i].mode)] = static_cast<std::uint8_t>(i + 1);
  return index;
}
constexpr auto kWaitIndex = index_forms(kWaits);
constexpr auto kUpdateIndex = index_forms(kUpdates);

void print_operand(EventOperand operand, std::uint32_t v, Out& out) {
  if (operand == none) return;
  out.put(operand == reg ? " reg[" : " ");
  out.decimal(std::uint64_t{v});
  if (operand == reg) out.put(']');
}

void print_place(bool event, std::uint8_t index, Out& out) {
  out.put(event ? " event[" : " sem[");
  out.decimal(std::uint64_t{index});
  out.put(']');
}

void print_field(std::string_view name, std::uint64_t v, Out& out) {
  if (v == 0) return;
  out.put(name);
  out.decimal(v);
}

}  // namespace

bool print_wait(std::uint8_t mode, std::uint8_t index, std::uint32_t v, Out& out) {
  if (mode == static_cast<std::uint8_t>(WaitMode::UNORDERED)) {
    out.put(" wait unordered");
    print_field(" wait_idx=", index, out);
    return false;
  }
  if (kWaitIndex[mode] == 0) {
    print_field(" wait_mode=", mode, out);
    print_field(" wait_idx=", index, out);
    return false;
  }
  const WaitForm& form = kWaits[kWaitIndex[mode] - 1];
  out.put(" wait");
  print_place(form.event, index, out);
  out.put(' ');
  out.put(form.words);
  print_operand(form.operand, v, out);
  return form.operand != none;
}

bool print_update(std::uint8_t mode, std::uint8_t index, std::uint32_t v, Out& out) {
  if (kUpdateIndex[mode] == 0) {
    print_field(" update_mode=", mode, out);
    print_field(" update_idx=", index, out);
    return false;
  }
  const UpdateForm& form = kUpdates[kUpdateIndex[mode] - 1];
  out.put(form.on_read ? " on_read" : " then");
  print_place(form.event, index, out);
  if (form.event || form.operand != none) out.put(' ');
  out.put(form.words);
  print_operand(form.operand, v, out);
  return form.operand != none;
}

std::span<const WaitForm> wait_forms() { return kWaits; }
// The table holds the forms at completion first, then the same ones at the reading of the sources.
std::span<const UpdateForm> complete_update_forms() { return std::span(kUpdates).first(std::size(kUpdates) / 2); }
std::span<const UpdateForm> read_update_forms() { return std::span(kUpdates).last(std::size(kUpdates) / 2); }

void print_events(const Bundle& bundle, Out& out) {
  const std::uint8_t* b = bundle.bytes.data();
  std::uint64_t all;
  std::memcpy(&all, b + 4, sizeof all);
  if (all == 0) return;
  std::uint32_t v;
  std::memcpy(&v, b + 8, sizeof v);
  bool shown = print_wait(b[4], b[5], v, out);
  shown |= print_update(b[6], b[7], v, out);
  if (!shown) print_field(" sync_value=", v, out);
}

std::uint32_t derived_count(const Bundle& bundle, const Plan& plan) {
  const Field& dst = *plan.operands[plan.dst].field;
  std::uint32_t product = 1;
  for (unsigned d = 0; d < dst.dims; ++d) {
    std::uint16_t n;
    std::memcpy(&n, bundle.bytes.data() + dst.byte() + 4 + 2 * (dst.dims + d), sizeof n);
    product *= n;
  }
  return product;
}

}  // namespace act::text
