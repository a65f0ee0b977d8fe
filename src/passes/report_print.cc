// The residency report as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "act/passes/report.h"

namespace act::passes {
namespace {

using Json = nlohmann::ordered_json;

std::string count(std::uint64_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// "I-1", "I-1, I-2", "I-1 … I-9 (9)".
std::string names(const std::vector<std::string>& list) {
  if (list.size() > 3) return fmt::format("{} … {} ({})", list.front(), list.back(), list.size());
  std::string out;
  for (const std::string& n : list) out += (out.empty() ? "" : ", ") + n;
  return out;
}

std::string times_text(std::uint64_t n) { return n == 1 ? std::string{} : fmt::format(", runs {} times", n); }

double microseconds(std::uint64_t loads, double load_ns) { return static_cast<double>(loads) * load_ns / 1000; }

}  // namespace

std::string report_text(const Report& r) {
  std::string out = fmt::format("table loads: {} inserted, {} hoisted, {} deleted, {} left\n", r.inserted, r.hoisted, r.deleted, r.loads());
  const std::string executed = r.executed.least == r.executed.most ? fmt::format("{}", r.executed.most) : fmt::format("{} to {}", r.executed.least, r.executed.most);
  out += fmt::format("executed: {}, about {:.2f} us of table switches at most (an estimate: {:.0f} ns a load, measured by others on cayman)\n", executed,
                     microseconds(r.executed.most, r.load_ns), r.load_ns);
  for (const ReportLoad& l : r.remaining)
    out += fmt::format("  load {} in {}: {}{}{}\n", l.name, l.where, l.set == ir::kNoSet ? "a set by loop index" : fmt::format("set {} {}", l.set, l.set_name), l.hoisted ? ", hoisted" : "", times_text(l.executions));
  if (!r.act_set.empty()) out += fmt::format("static mode: {} is resident from the start\n", r.act_set);
  out += "resident sets:\n";
  std::string_view where;
  for (const ReportGroup& g : r.groups) {
    if (g.where != where) out += fmt::format("  {}\n", g.where);
    where = g.where;
    out += fmt::format("    {}: {}{}: {}\n", names(g.activations), g.set_name.empty() ? "none" : g.set_name, g.load.empty() ? std::string{} : fmt::format(" by {}", g.load), g.why);
  }
  if (r.reorder.empty()) {
    out += "reordering: no order of independent instructions within a block was found that needs fewer loads\n";
  } else {
    out += fmt::format("reordering independent instructions within blocks would save {}, about {:.2f} us (an estimate)\n", count(r.reorder_saves, "executed load"), microseconds(r.reorder_saves, r.load_ns));
    for (const ReportReorder& b : r.reorder) out += fmt::format("  {}: {} in place of {}{}\n", b.where, count(b.possible, "load"), b.loads, times_text(b.executions));
  }
  if (r.blocks_without_reorder != 0) out += fmt::format("reordering: {} not looked at: too large, or with symbolic sets\n", count(r.blocks_without_reorder, "block"));
  return out;
}

std::string report_json(const Report& r) {
  Json j = {{"inserted", r.inserted}, {"hoisted", r.hoisted}, {"deleted", r.deleted}, {"left", r.loads()}, {"executed", {{"least", r.executed.least}, {"most", r.executed.most}}},
            {"estimate", {{"load_ns", r.load_ns}, {"switch_ns", static_cast<double>(r.executed.most) * r.load_ns}, {"basis", "measured by others on cayman; not a guarantee"}}}};
  if (!r.act_set.empty()) j["act_set"] = r.act_set;
  j["loads"] = Json::array();
  for (const ReportLoad& l : r.remaining) {
    Json set = l.set == ir::kNoSet ? Json(nullptr) : Json(l.set);
    j["loads"].push_back({{"name", l.name}, {"where", l.where}, {"set", set}, {"set_name", l.set_name}, {"hoisted", l.hoisted}, {"executions", l.executions}});
  }
  j["resident"] = Json::array();
  for (const ReportGroup& g : r.groups) j["resident"].push_back({{"where", g.where}, {"set", g.set_name}, {"load", g.load.empty() ? Json(nullptr) : Json(g.load)}, {"why", g.why}, {"activations", g.activations}});
  Json blocks = Json::array();
  for (const ReportReorder& b : r.reorder) blocks.push_back({{"where", b.where}, {"loads", b.loads}, {"possible", b.possible}, {"executions", b.executions}});
  j["reorder"] = {{"saves_executed", r.reorder_saves}, {"saves_ns", static_cast<double>(r.reorder_saves) * r.load_ns}, {"blocks", blocks}, {"blocks_not_looked_at", r.blocks_without_reorder}};
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace act::passes
