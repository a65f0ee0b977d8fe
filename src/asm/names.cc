#include "asm/names.h"

namespace act::text {
namespace {

// Lower case of letters; maps the other name characters one to one, which is all that a comparison needs.
constexpr unsigned char fold(char c) { return static_cast<unsigned char>(c | 0x20); }

std::uint32_t hash(std::string_view name) {
  std::uint32_t h = 2166136261U;
  for (const char c : name) h = (h ^ fold(c)) * 16777619U;
  return h ^ h >> 15;
}

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (fold(a[i]) != fold(b[i])) return false;
  return true;
}

}  // namespace

std::size_t NameTable::place(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash(name) & mask;
  while (slots_[i].value != kNone && !same(slots_[i].name, name)) i = (i + 1) & mask;
  return i;
}

void NameTable::add(std::string_view name, int value) {
  if (2 * used_ >= slots_.size()) grow();
  Slot& slot = slots_[place(name)];
  if (slot.value != kNone) return;
  slot = {name, value};
  ++used_;
}

int NameTable::find(std::string_view name) const { return slots_[place(name)].value; }

void NameTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.value != kNone) slots_[place(slot.name)] = slot;
}

}  // namespace act::text
