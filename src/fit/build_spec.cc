#include "act/fit/build_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "act/tables/catalog_io.h"
#include "act/tables/check.h"
#include "act/tables/functions.h"
#include "act/tables/published.h"
#include "tables/json_reader.h"

namespace act::fit {
namespace {

constexpr std::array<std::string_view, 7> kTopMembers = {"name",   "generation", "id_space", "method",
                                                         "roster", "sets",       "functions"};
constexpr std::array<std::string_view, 2> kSetMembers = {"name", "act"};
constexpr std::array<std::string_view, 6> kGoalMembers = {"method",    "domain",   "metric",
                                                          "tolerance", "sections", "func_id"};
constexpr std::int64_t kMostBudget = 1'000'000;
// Sets of these names would overwrite the files of the catalog itself.
constexpr std::array<std::string_view, 3> kCatalogNames = {"act_info", "version", "certificates"};
constexpr std::size_t kMostNamed = 8;  // in a message

class SpecReader {
 public:
  SpecReader(const std::string& file, Diagnostics& warnings) : in_(file, Strictness::strict, warnings) {}

  Result<BuildSpec> read(const OrderedJson& json) {
    const JsonPlace top{&json, ""};
    if (in_.is_object(top)) {
      in_.known_members(top, kTopMembers);
      head(top);
      sets(top);
      if (const auto place = optional(top, "functions")) {
        goals(*place);
        if (in_.ok()) goals_have_tables(*place);
      }
    }
    if (!in_.ok()) return in_.take_errors();
    return std::move(spec_);
  }

 private:
  std::optional<JsonPlace> optional(const JsonPlace& object, std::string_view name) {
    const auto at = object.json->find(std::string(name));
    if (at == object.json->end()) return std::nullopt;
    return object.at(name, *at);
  }

  // A text member out of a list of names; `find` gives the value of one.
  template <class T, class Find>
  void choice(const JsonPlace& object, std::string_view name, T& value, std::string_view allowed, Find find) {
    const auto place = optional(object, name);
    if (!place) return;
    const auto text = in_.text(*place);
    if (!text) return;
    if (const auto found = find(*text)) {
      value = *found;
    } else {
      in_.error(Code::unknown_name, *place, fmt::format("no {} of this name", name), *text, std::string(allowed));
    }
  }

  static std::optional<Method> find_method(std::string_view name) {
    if (name == "taylor") return Method::taylor;
    if (name == "minimax") return Method::minimax;
    return std::nullopt;
  }

  void head(const JsonPlace& top) {
    if (const auto place = in_.member(top, "name")) {
      if (const auto text = in_.text(*place)) spec_.name = *text;
    }
    choice(top, "generation", spec_.generation, "sunda, cayman, mariana, mariana_plus, maverick", find_generation);
    choice(top, "method", spec_.method, "taylor, minimax", find_method);
    choice(top, "id_space", spec_.id_space, "sunda, tonga", [](std::string_view name) -> std::optional<IdSpace> {
      if (name == "sunda") return IdSpace::sunda;
      if (name == "tonga") return IdSpace::tonga;
      return std::nullopt;
    });
  }

  void sets(const JsonPlace& top) {
    const auto roster = optional(top, "roster"), list = optional(top, "sets");
    if (roster && list) {
      in_.error(Code::bad_value, *list, "a specification has either a roster or sets of its own");
    } else if (roster) {
      published(*roster);
    } else if (const auto place = in_.member(top, "sets"); place && in_.is_array(*place)) {
      own(*place);
    }
  }

  void published(const JsonPlace& place) {
    const auto name = in_.text(place);
    if (!name) return;
    const Roster* roster = find_roster(*name);
    if (roster == nullptr) {
      in_.error(Code::unknown_name, place, "no published roster of this name", *name, "trainium, with_ln");
      return;
    }
    spec_.id_space = roster->id_space;
    for (const RosterSet& set : roster->sets) spec_.sets.push_back({std::string(set.name), act_map(set)});
  }

  void own(const JsonPlace& list) {
    if (list.json->empty() || list.json->size() > kMaxSets)
      in_.error(Code::capacity, list, "number of sets", std::to_string(list.json->size()),
                fmt::format("1..{}", kMaxSets));
    for (std::size_t i = 0; i < std::min(list.json->size(), kMaxSets); ++i) set(list.at(i));
  }

  void set(const JsonPlace& place) {
    if (!in_.is_object(place)) return;
    in_.known_members(place, kSetMembers);
    const auto name_place = in_.member(place, "name"), act = in_.member(place, "act");
    if (!name_place || !act || !in_.is_object(*act)) return;
    const auto name = in_.text(*name_place);
    if (!name) return;
    if (!plain_file_name(*name))
      in_.error(Code::bad_path, *name_place, "a set name becomes file names", *name,
                "a plain file name of up to 200 bytes that does not begin with . or -");
    if (std::find(kCatalogNames.begin(), kCatalogNames.end(), *name) != kCatalogNames.end())
      in_.error(Code::bad_path, *name_place, "a set of this name would overwrite a file of the catalog", *name,
                fmt::format("any name but {}", fmt::join(kCatalogNames, ", ")));
    for (const SetSpec& other : spec_.sets)
      if (other.name == *name) in_.error(Code::duplicate_name, *name_place, "two sets have this name", *name);
    SetSpec spec{*name, {}};
    if (act->json->size() > kMaxFunctions)
      in_.error(Code::capacity, *act, "functions of a set", std::to_string(act->json->size()),
                fmt::format("up to {}", kMaxFunctions));
    for (const auto& [function, budget] : act->json->items()) entry(act->at(function, budget), function, spec.act);
    spec_.sets.push_back(std::move(spec));
  }

  static bool plain_file_name(const std::string& name) {
    return check_inner_name(name) && name.find('/') == name.npos && name.size() <= 200 && name[0] != '.' && name[0] != '-';
  }

  // A wish that meets no table was a slip of the pen: "exp_5p" where the sets have exp_4p.
  void goals_have_tables(const JsonPlace& object) {
    for (const auto& [stem, goal] : spec_.goals) {
      const auto [name, budget] = split_budgeted_name(stem);
      std::vector<std::string> variants, all;
      bool met = false;
      for (const SetSpec& set : spec_.sets) {
        for (const auto& [function, n] : set.act) {
          const std::string variant = budgeted_name(function, n);
          met = met || (function == name && (budget == 0 || budget == n));
          std::vector<std::string>& list = function == name ? variants : all;
          if (std::find(list.begin(), list.end(), variant) == list.end()) list.push_back(variant);
        }
      }
      if (met) continue;
      std::vector<std::string>& allowed = variants.empty() ? all : variants;
      if (allowed.size() > kMostNamed) allowed.resize(kMostNamed), allowed.push_back("...");
      in_.error(Code::unknown_name, object.at(stem, (*object.json)[stem]), "no set has this table", stem,
                fmt::format("{}", fmt::join(allowed, ", ")));
    }
  }

  void entry(const JsonPlace& place, const std::string& name, ActMap& map) {
    const FunctionInfo* function = known_function(place, name);
    const auto budget = in_.integer(place, 1, kMostBudget);
    if (function == nullptr || !budget) return;
    if (function->has_table() == (*budget == 1))
      in_.error(Code::bad_value, place,
                function->has_table() ? "budget of a table function" : "budget of a function without sections",
                std::to_string(*budget), function->has_table() ? "2 or more" : "1");
    map.emplace_back(name, static_cast<std::uint32_t>(*budget));
  }

  const FunctionInfo* known_function(const JsonPlace& place, const std::string& name) {
    const FunctionInfo* function = find_function(name);
    if (function != nullptr && function->name == name) return function;
    in_.error(Code::unknown_name, place, "no function of this name", name, "a name `actkit info` lists");
    return nullptr;
  }

  void goals(const JsonPlace& object) {
    if (!in_.is_object(object)) return;
    for (const auto& [stem, value] : object.json->items()) {
      const JsonPlace place = object.at(stem, value);
      const FunctionInfo* function = known_function(place, split_budgeted_name(stem).first);
      if (function == nullptr || !in_.is_object(place)) continue;
      in_.known_members(place, kGoalMembers);
      if (!function->has_table() && value.size() > (value.contains("func_id") ? 1u : 0u))
        in_.error(Code::bad_value, place, "a function without sections takes nothing but a func_id", stem);
      spec_.goals[stem] = goal(place, *function);
    }
  }

  TableGoal goal(const JsonPlace& place, const FunctionInfo& function) {
    TableGoal goal;
    choice(place, "method", goal.method, "taylor, minimax", find_method);
    choice(place, "metric", goal.metric, "ulp, relative, absolute, mixed", find_metric);
    if (const auto at = optional(place, "domain")) goal.domain = interval(*at, function);
    if (const auto at = optional(place, "tolerance")) goal.tolerance = positive(*at);
    if (const auto at = optional(place, "sections"))
      if (const auto n = in_.integer(*at, 1, kMaxBuckets)) goal.sections = static_cast<int>(*n);
    if (const auto at = optional(place, "func_id"))
      if (const auto n = in_.integer(*at, 0, 255)) goal.func_id = static_cast<int>(*n);
    return goal;
  }

  std::optional<double> number(const JsonPlace& place) {
    if (place.json->is_number()) return place.json->get<double>();
    in_.error(Code::json_type, place, "not a number", place.json->type_name(), "number");
    return std::nullopt;
  }

  std::optional<double> positive(const JsonPlace& place) {
    const auto value = number(place);
    if (!value || (*value > 0 && std::isfinite(*value))) return value;
    in_.error(Code::bad_value, place, "a tolerance", fmt::format("{}", *value), "a number above 0");
    return std::nullopt;
  }

  std::optional<Interval> interval(const JsonPlace& place, const FunctionInfo& function) {
    if (!in_.is_array(place)) return std::nullopt;
    if (place.json->size() != 2) {
      in_.error(Code::bad_value, place, "a domain", std::to_string(place.json->size()) + " elements",
                "[lowest, highest]");
      return std::nullopt;
    }
    const auto lowest = number(place.at(0)), highest = number(place.at(1));
    if (!lowest || !highest) return std::nullopt;
    const Interval domain{static_cast<float>(*lowest), static_cast<float>(*highest)};
    const bool sound = std::isfinite(domain.lowest) && std::isfinite(domain.highest) && domain.lowest < domain.highest;
    const bool defined = !std::isnan(reference(function, domain.lowest)) && !(function.positive_only() && domain.lowest < 0);
    if (sound && defined) return domain;
    in_.error(Code::bad_value, place, "a domain of this function", fmt::format("{}..{}", *lowest, *highest),
              "lowest below highest, finite binary32 numbers where the function has a value");
    return std::nullopt;
  }

  JsonReader in_;
  BuildSpec spec_;
};

}  // namespace

std::string_view metric_name(Metric metric) {
  switch (metric) {
    case Metric::ulp: return "ulp";
    case Metric::relative: return "relative";
    case Metric::absolute: return "absolute";
    case Metric::mixed: return "mixed";
  }
  return "";
}

std::optional<Metric> find_metric(std::string_view name) {
  for (const Metric m : {Metric::ulp, Metric::relative, Metric::absolute, Metric::mixed})
    if (metric_name(m) == name) return m;
  return std::nullopt;
}

TableGoal BuildSpec::goal(std::string_view function, std::uint32_t budget) const {
  if (const auto at = goals.find(budgeted_name(function, budget)); at != goals.end()) return at->second;
  if (const auto at = goals.find(function); at != goals.end()) return at->second;
  return {};
}

Result<BuildSpec> parse_build_spec(std::string_view text, const std::string& file, Diagnostics& warnings) {
  const auto json = parse_ordered_json(text, file, kTableJsonLimits);
  if (!json) return json.error();
  return SpecReader(file, warnings).read(*json);
}

}  // namespace act::fit
