// The published set rosters of the two vendor catalogs and the sizes of their files (02 sections 4, 5 and 9).
#pragma once

#include <span>
#include <string_view>

#include "act/tables/records.h"

namespace act {

struct RosterSet {
  std::string_view name;
  std::string_view act;  // `act` map in layout order; abbreviations expanded by act_map()
  int bkt_entries = 0, ctrl_entries = 0;  // published
  int manifest_bytes = 0;                 // published
};

struct Roster {
  std::string_view name;  // "trainium", "with_ln"
  IdSpace id_space = IdSpace::sunda;
  std::span<const RosterSet> sets;  // in array order: the position is the set index
};

// trainium, with_ln. The act order of with_ln is the one that its published manifest lengths allow
// (docs/decisions.md, P-09).
std::span<const Roster> published_rosters();
const Roster* find_roster(std::string_view name);

ActMap act_map(const RosterSet& set);

}  // namespace act
