#include "act/sim/function_unit.h"

#include "act/tables/functions.h"

namespace act::sim {

Status FunctionUnit::load(int index) {
  resident_index_ = index;
  resident_ = &catalog_->sets[static_cast<std::size_t>(index)];
  for (auto& entry : by_code_) entry.reset();
  return Done{};
}

namespace {

const FunctionTable* table_of(const TableSet& set, std::uint8_t code) {
  for (const FunctionTable& f : set.functions)
    if (f.func_id == code) return &f;
  return nullptr;
}

}  // namespace

const Function& FunctionUnit::find(std::uint8_t code) {
  std::unique_ptr<Function>& entry = by_code_[code];
  if (entry != nullptr) return *entry;
  entry = std::make_unique<Function>();
  if (resident_ != nullptr) entry->table = table_of(*resident_, code);
  if (entry->table != nullptr) {
    entry->set = resident_;
    entry->resident = true;
    return *entry;
  }
  if (catalog_ == nullptr) return *entry;
  for (const TableSet& set : catalog_->sets) {
    if (!set.present) continue;
    entry->table = table_of(set, code);
    if (entry->table == nullptr) continue;
    entry->set = &set;
    break;
  }
  return *entry;
}

void FunctionUnit::evaluate(const FunctionTable& table, std::span<const float> in, std::span<float> out, float alpha) const {
  if (source_ == FunctionSource::closed_form) {
    if (const FunctionInfo* info = find_function(table.name); info != nullptr) {
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = closed_form(*info, in[i], alpha);
      return;
    }
  }
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = act::evaluate(table, in[i], policy_, alpha);
}

}  // namespace act::sim
