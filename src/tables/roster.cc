#include <fmt/format.h>

#include <array>
#include <set>

#include "act/tables/catalog_io.h"
#include "json_reader.h"

namespace act {
namespace {

constexpr std::array<std::string_view, 2> kTopKeys = {"pwp_file_keys", "act_func_sets"};
constexpr std::array<std::string_view, 3> kFileKeys = {"bkt_bin", "ctrl_bin", "profile_json"};
constexpr std::array<std::string_view, 5> kSetKeys = {"name", "bkt_bin", "ctrl_bin", "profile_json", "act"};
constexpr std::int64_t kMaxBudget = 0x7fffffff;

class RosterReader {
 public:
  explicit RosterReader(JsonReader& in) : in_(in) {}

  std::vector<RosterRow> read(const JsonPlace& top) {
    std::vector<RosterRow> rows;
    if (!in_.is_object(top)) return rows;
    in_.known_members(top, kTopKeys);
    if (const auto keys = in_.member(top, "pwp_file_keys")) check_file_keys(*keys);
    const auto sets = in_.member(top, "act_func_sets");
    if (!sets || !in_.is_array(*sets)) return rows;
    if (sets->json->size() > kMaxSets) {
      in_.error(Code::too_large, *sets, "too many sets", std::to_string(sets->json->size()),
                fmt::format("up to {}", kMaxSets));
      return rows;
    }
    for (std::size_t i = 0; i < sets->json->size(); ++i) rows.push_back(row(sets->at(i)));
    return rows;
  }

 private:
  void check_file_keys(const JsonPlace& place) {
    if (!in_.is_array(place)) return;
    const OrderedJson expected = kFileKeys;
    if (*place.json != expected)
      in_.error(Code::bad_value, place, "the file keys are not the known ones",
                place.json->dump(-1, ' ', true, OrderedJson::error_handler_t::replace).substr(0, 200),
                expected.dump());
  }

  RosterRow row(const JsonPlace& place) {
    RosterRow r;
    if (!in_.is_object(place)) return r;
    in_.known_members(place, kSetKeys);
    r.name = inner_name(place, "name");
    r.bkt_bin = inner_name(place, "bkt_bin");
    r.ctrl_bin = inner_name(place, "ctrl_bin");
    r.profile_json = inner_name(place, "profile_json");
    if (!r.name.empty() && !names_.insert(r.name).second)
      in_.error(Code::duplicate_name, place, "two sets have one name", r.name.substr(0, 200));
    if (const auto act = in_.member(place, "act"); act && in_.is_object(*act))
      for (const auto& item : act->json->items())
        if (const auto budget = in_.integer(act->at(item.key(), item.value()), 1, kMaxBudget))
          r.act.emplace_back(item.key(), static_cast<std::uint32_t>(*budget));
    return r;
  }

  // The set's name too names files when it is written elsewhere, so the same rules hold.
  std::string inner_name(const JsonPlace& set, std::string_view key) {
    const auto place = in_.member(set, key);
    std::string name = place ? in_.text(*place).value_or("") : "";
    if (!place || !place->json->is_string()) return name;
    if (const Status inner = check_inner_name(name); !inner)
      in_.error(Code::bad_path, *place, inner.error()[0].message, inner.error()[0].value);
    return name;
  }

  JsonReader& in_;
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<RosterRow>> parse_roster(std::string_view text, const std::string& file,
                                            Strictness strictness, Diagnostics& warnings) {
  const auto json = parse_catalog_json(text, file);
  if (!json) return json.error();
  JsonReader in(file, strictness, warnings);
  std::vector<RosterRow> rows = RosterReader(in).read({&*json, ""});
  if (!in.ok()) return in.take_errors();
  return rows;
}

std::string print_roster(const std::vector<RosterRow>& rows) {
  OrderedJson sets = OrderedJson::array();
  for (const RosterRow& r : rows) {
    OrderedJson act = OrderedJson::object();
    for (const auto& [function, budget] : r.act) act[function] = budget;
    sets.push_back({{"name", r.name},
                    {"bkt_bin", r.bkt_bin},
                    {"ctrl_bin", r.ctrl_bin},
                    {"profile_json", r.profile_json},
                    {"act", std::move(act)}});
  }
  OrderedJson top = {{"pwp_file_keys", kFileKeys}, {"act_func_sets", std::move(sets)}};
  return top.dump(4, ' ', true, OrderedJson::error_handler_t::replace);
}

}  // namespace act
