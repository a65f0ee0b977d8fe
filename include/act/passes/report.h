// What lowering did to a module, for people who write kernels: which set is resident at each activation and why, how many
// loads there are and how often they run, and what another order of independent instructions would save.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "act/passes/passes.h"

namespace act::passes {

// Executions over the paths through a module's branches; loops count by their trip counts, saturating at 2^64 - 1.
struct Executions {
  std::uint64_t least = 0, most = 0;
};

struct ReportLoad {
  std::string name, set_name;
  std::int64_t set = ir::kNoSet;  // kNoSet: an expression over loop indices
  std::string where;              // "main/loop i/b0"
  bool hoisted = false;
  std::uint64_t executions = 0;   // when every branch around it is taken this way
};

// Instructions in a row that need a set and find the same one, from the same load.
struct ReportGroup {
  std::string where, set_name, load;  // load: empty when the set is resident on entry to the block
  std::string why;
  std::vector<std::string> activations;
};

// A block in which independent instructions could be grouped by set.
struct ReportReorder {
  std::string where;
  std::uint64_t loads = 0, possible = 0;  // loads in the block now, and with the order found
  std::uint64_t executions = 0;           // of the block
};

struct Report {
  std::uint64_t inserted = 0, hoisted = 0, deleted = 0;  // loads, over the passes that ran
  std::vector<ReportLoad> remaining;
  Executions executed;     // loads
  double load_ns = 0;      // estimate for one load
  std::vector<ReportGroup> groups;
  std::vector<ReportReorder> reorder;
  std::uint64_t reorder_saves = 0;           // executed loads, at least
  std::uint64_t blocks_without_reorder = 0;  // too large to look at
  std::string act_set;                       // static mode

  std::uint64_t loads() const { return remaining.size(); }
};

// Watches the passes of one module.
class ReportTracker {
 public:
  void start(const ir::Module& module);
  void after(std::string_view pass, const ir::Module& module);
  // The report on the module as it is behind the lowering passes. `load_ns`: what one load is taken to cost.
  Report finish(const ir::Module& module, const Options& options, double load_ns);

 private:
  // Block in text order, and instructions other than loads before it there.
  using Place = std::pair<std::size_t, std::size_t>;
  using Places = std::unordered_map<std::string, Place>;
  static Places places_of(const ir::Module& module);

  Places places_;
  std::unordered_map<std::string, bool> hoisted_;
  Report report_;
};

std::string report_text(const Report& report);
// One line of JSON.
std::string report_json(const Report& report);

// Loads that a run executes.
Executions executed_loads(const ir::Module& module);

}  // namespace act::passes
