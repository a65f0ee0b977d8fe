#include "act/sim/function_unit.h"

#include <fmt/format.h>

#include "act/tables/functions.h"

namespace act::sim {

Status FunctionUnit::load(int index) {
  resident_index_ = index;
  resident_ = &catalog_->sets[static_cast<std::size_t>(index)];
  for (auto& entry : by_code_) entry.reset();
  on_device_.clear();
  staged_ = false;
  if (source_ != FunctionSource::device && !always_stage_) return Done{};
  Status staged = device_.stage(*resident_, generation_);
  staged_ = staged.has_value();
  return source_ == FunctionSource::device ? staged : Done{};
}

std::string FunctionUnit::transfers() const {
  std::string text;
  if (!staged_) return text;
  for (const StagedRegion& r : device_.transfers()) {
    text += fmt::format("{}{} of {} {} bytes to {}", text.empty() ? "" : ", ", r.table, resident_->name(), r.bytes,
                        fmt::format("{}{}{}", r.region, r.region.empty() ? "" : " ", r.address == 0 ? "(address not published)" : fmt::format("{:#x}", r.address)));
  }
  return text;
}

Result<const Function*> FunctionUnit::find_on_device(std::uint8_t opcode, std::uint8_t code) {
  const auto known = on_device_.find({opcode, code});
  if (known != on_device_.end()) return &known->second;
  const std::optional<unsigned> slot = device_.match(opcode, code);
  if (!slot) {
    const std::string what = resident_ == nullptr ? "no table set is resident" : "resident is " + resident_->name();
    return make_error(Code::unknown_function, "no CAM entry matches the opcode and this function code; " + what);
  }
  Result<DeviceProfile> profile = device_.profile(*slot);
  if (!profile) return std::move(profile).error();
  const Function& by_catalog = find(code);
  static const FunctionTable unnamed = [] {
    FunctionTable t;
    t.name = "unnamed";
    return t;
  }();
  Function f;
  f.table = by_catalog.table != nullptr ? by_catalog.table : &unnamed;  // for its name and documented range
  f.set = by_catalog.set;
  f.resident = true;
  f.device = std::move(*profile);
  return &on_device_.emplace(std::pair{opcode, code}, std::move(f)).first->second;
}

namespace {

const FunctionTable* table_of(const TableSet& set, std::uint8_t code) {
  for (const FunctionTable& f : set.functions)
    if (f.func_id == code) return &f;
  return nullptr;
}

}  // namespace

void FunctionUnit::attach_vector(Function& f) {
  if (f.table != nullptr) f.vector = &vectors_.try_emplace(f.table, *f.table, policy_).first->second;
}

const Function& FunctionUnit::find(std::uint8_t code) {
  std::unique_ptr<Function>& entry = by_code_[code];
  if (entry != nullptr) return *entry;
  entry = std::make_unique<Function>();
  if (resident_ != nullptr) entry->table = table_of(*resident_, code);
  entry->resident = entry->table != nullptr;
  if (entry->resident) entry->set = resident_;
  if (!entry->resident && catalog_ != nullptr) {
    for (const TableSet& set : catalog_->sets) {
      if (!set.present) continue;
      entry->table = table_of(set, code);
      if (entry->table == nullptr) continue;
      entry->set = &set;
      break;
    }
  }
  attach_vector(*entry);
  return *entry;
}

void FunctionUnit::evaluate(const Function& function, std::span<const float> in, std::span<float> out, float alpha) const {
  const FunctionTable& table = *function.table;
  if (function.device) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = device_.evaluate(*function.device, in[i], policy_, alpha);
    return;
  }
  if (source_ == FunctionSource::closed_form) {
    if (const FunctionInfo* info = find_function(table.name); info != nullptr) {
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = closed_form(*info, in[i], alpha);
      return;
    }
  }
  constexpr std::size_t kVectorFrom = 16;  // below it the layout may not pay for itself
  if (function.vector != nullptr && in.size() >= kVectorFrom) return function.vector->get().evaluate(in, out, alpha);
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = act::evaluate(table, in[i], policy_, alpha);
}

}  // namespace act::sim
