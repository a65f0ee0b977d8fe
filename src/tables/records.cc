#include "act/tables/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace act {

namespace {

// Position of the "_<K>mp" that ends the name of one pass, or npos.
std::size_t pass_suffix(std::string_view name) {
  const std::size_t cut = name.rfind('_');
  if (cut == name.npos || cut == 0 || cut + 4 > name.size() || !name.ends_with("mp")) return name.npos;
  const std::string_view digits = name.substr(cut + 1, name.size() - cut - 3);
  return digits.find_first_not_of("0123456789") == digits.npos ? cut : name.npos;
}

}  // namespace

std::string budgeted_name(std::string_view name, std::uint32_t budget) {
  const std::size_t pass = std::min(pass_suffix(name), name.size());
  return fmt::format("{}_{}p{}", name.substr(0, pass), budget, name.substr(pass));
}

std::pair<std::string, std::uint32_t> split_budgeted_name(std::string_view full) {
  const std::pair<std::string, std::uint32_t> whole{std::string(full), 0};
  const std::size_t pass = std::min(pass_suffix(full), full.size());
  const std::string_view name = full.substr(0, pass);
  const std::size_t cut = name.rfind('_');
  if (cut == name.npos || cut == 0 || !name.ends_with('p')) return whole;
  const std::string_view digits = name.substr(cut + 1, name.size() - cut - 2);
  std::uint32_t budget = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), budget);
  if (error != std::errc{} || end != digits.data() + digits.size() || budget == 0) return whole;
  return {fmt::format("{}{}", name.substr(0, cut), full.substr(pass)), budget};
}

RosterRow standard_row(std::string_view name, ActMap act) {
  return {std::string(name), fmt::format("{}_bkt.bin", name), fmt::format("{}_ctrl.bin", name),
          fmt::format("{}.json", name), std::move(act)};
}

const FunctionTable* TableSet::find(std::string_view function) const {
  const auto at =
      std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == function; });
  return at == functions.end() ? nullptr : &*at;
}

TableSet make_set(std::string_view name, std::vector<FunctionTable> functions) {
  ActMap act;
  for (const FunctionTable& f : functions) act.emplace_back(f.name, f.budget);
  return {standard_row(name, std::move(act)), true, std::move(functions)};
}

const TableSet* Catalog::find_set(std::string_view name) const {
  const int at = set_index(name);
  return at < 0 ? nullptr : &sets[static_cast<std::size_t>(at)];
}

int Catalog::set_index(std::string_view name) const {
  const auto at = std::find_if(sets.begin(), sets.end(), [&](const TableSet& s) { return s.name() == name; });
  return at == sets.end() ? -1 : static_cast<int>(at - sets.begin());
}

const TableSet* Catalog::set_with(std::string_view function) const {
  const auto at = std::find_if(sets.begin(), sets.end(), [&](const TableSet& s) { return s.find(function); });
  return at == sets.end() ? nullptr : &*at;
}

}  // namespace act
