// The residency report against counts made by hand.
#include "act/passes/report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "passes/random_modules.h"

namespace act::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ir::Inst;
using ir::Module;
using ir::Node;

Node block_of(std::vector<Inst> list, std::string name) {
  Node n;
  n.name = std::move(name);
  n.instructions = std::move(list);
  return n;
}
Node loop_of(std::string index, std::int64_t trip, std::vector<Node> body) {
  Node n;
  n.kind = Node::Kind::loop;
  n.name = std::move(index);
  n.trip = trip;
  n.body = std::move(body);
  return n;
}
Node branch_of(std::vector<Node> then, std::vector<Node> otherwise) {
  Node n;
  n.kind = Node::Kind::branch;
  n.condition.compare = ir::Condition::Compare::EQ;
  n.body = std::move(then);
  n.otherwise = std::move(otherwise);
  return n;
}
Node call_of(std::string function) {
  Node n;
  n.kind = Node::Kind::call;
  n.name = std::move(function);
  return n;
}
Module module_with(std::vector<Node> body) {
  Module m;
  m.functions.push_back({"main", std::move(body)});
  return m;
}
// f(in) from one place to another.
Inst apply(const std::string& func, const std::string& name, std::uint32_t from, std::uint32_t to) {
  Inst i = activation(func, name);
  i.ins[0] = pattern(from);
  i.outs[0] = pattern(to);
  return i;
}

Report report_of(Module m, Options o = options_for("trainium")) {
  ReportTracker tracker;
  tracker.start(m);
  Diagnostics notes;
  std::vector<const Pass*> passes;
  for (const char* name : {"lower_act", "prefetch_act", "optimize_act", "verify_act"}) passes.push_back(find_pass(name));
  auto lowered = run_passes(std::move(m), passes, o, notes, [&](const Pass& p, const Module& after) { tracker.after(p.name, after); });
  EXPECT_TRUE(lowered) << (lowered ? "" : to_text(lowered.error()[0]));
  return lowered ? tracker.finish(*lowered, o, 1000) : Report{};
}

TEST(Report, CountsWhatThePassesDo) {
  // Set 0 in front of the loop; the loop's own load of set 0 is deleted, as is the one behind it.
  const Report r = report_of(module_with({block_of({isa(Opcode::MATMUL, ir::EngineId::PE, "M"), apply("Exp", "A", 0, 4096)}, "first"),
                                          loop_of("i", 5, {block_of({apply("Exp", "B", 0, 4096)}, "body")}), block_of({apply("Tanh", "C", 0, 4096)}, "last")}));
  EXPECT_EQ(r.inserted, 3u);
  EXPECT_EQ(r.deleted, 2u);
  EXPECT_EQ(r.hoisted, 1u);
  ASSERT_EQ(r.remaining.size(), 1u);
  EXPECT_EQ(r.remaining[0].name, "A-PWP");
  EXPECT_EQ(r.remaining[0].where, "main/first");
  EXPECT_TRUE(r.remaining[0].hoisted);
  EXPECT_EQ(r.executed.most, 1u);
  ASSERT_EQ(r.groups.size(), 3u);
  EXPECT_EQ(r.groups[0].load, "A-PWP");
  EXPECT_EQ(r.groups[0].why, "lowest set that holds Exp");
  EXPECT_EQ(r.groups[1].where, "main/loop i/body");
  EXPECT_EQ(r.groups[1].set_name, "exp_and_others");
  EXPECT_EQ(r.groups[1].load, "");
  EXPECT_EQ(r.groups[1].why, "resident on every path into the block");
  EXPECT_THAT(r.groups[2].activations, ElementsAre("C"));
}

TEST(Report, ExecutedLoadsCountTripsCallsAndBranches) {
  // Loop of 7 with two loads: 14; a branch with 1 or 0; a function of one load called in a loop of 3.
  Module m = module_with({loop_of("i", 7, {block_of({load(0, "L1"), load(2, "L2")}, "b")}), branch_of({block_of({load(1, "L3")}, "then")}, {}),
                          loop_of("j", 3, {call_of("f")})});
  m.functions.push_back({"f", {block_of({load(4, "L4")}, "b")}});
  const Executions e = executed_loads(m);
  EXPECT_EQ(e.least, 17u);
  EXPECT_EQ(e.most, 18u);
  Module huge = module_with({loop_of("i", INT64_MAX, {loop_of("j", INT64_MAX, {block_of({load(0, "L")}, "b")})})});
  EXPECT_EQ(executed_loads(huge).most, ~std::uint64_t{0});
  EXPECT_EQ(executed_loads(Module{}).most, 0u);
}

TEST(Report, IndependentActivationsCouldBeGrouped) {
  // Exp, Sigmoid, Exp, Sigmoid on separate data, 6 times: two loads a round would do.
  const Report r = report_of(module_with({loop_of("i", 6, {block_of({apply("Exp", "A", 0, 4096), apply("Sigmoid", "B", 0, 8192), apply("Exp", "C", 0, 12288), apply("Sigmoid", "D", 0, 16384)}, "b")})}));
  ASSERT_EQ(r.reorder.size(), 1u);
  EXPECT_EQ(r.reorder[0].where, "main/loop i/b");
  EXPECT_EQ(r.reorder[0].loads, 4u);
  EXPECT_EQ(r.reorder[0].possible, 2u);
  EXPECT_EQ(r.reorder_saves, 12u);
}

TEST(Report, DependentActivationsCannot) {
  // Each reads what the one before wrote.
  const Report chain = report_of(module_with({block_of({apply("Exp", "A", 0, 4096), apply("Sigmoid", "B", 4096, 8192), apply("Exp", "C", 8192, 12288), apply("Sigmoid", "D", 12288, 16384)}, "b")}));
  EXPECT_THAT(chain.reorder, IsEmpty());
  EXPECT_EQ(chain.reorder_saves, 0u);
  // Something between them that may touch anything.
  const Report wall = report_of(module_with({block_of({apply("Exp", "A", 0, 4096), apply("Sigmoid", "B", 0, 8192), isa(Opcode::EVENT_SEMAPHORE, ir::EngineId::Activation, "W"),
                                                       apply("Exp", "C", 0, 12288), apply("Sigmoid", "D", 0, 16384)}, "b")}));
  // In front of the wall Exp, Sigmoid; behind it Sigmoid first, then Exp: one load fewer, but the block ends with another set.
  EXPECT_EQ(wall.reorder_saves, 0u);
}

// Random programs against the interpreter of residency: what a path executes lies within the counts, every instruction that needs
// a set stands in one group, and what its group says is resident is resident.
TEST(Report, RandomPrograms) {
  std::mt19937 random(51);
  Options o = options_for("trainium");
  for (int round = 0; round < 300; ++round) {
    o.cover = round % 2 == 0 ? Cover::greedy : Cover::first_fit;
    const Module m = random_module(random, 4 + static_cast<int>(random() % 20));
    Diagnostics notes;
    const auto lowered = lower(m, o, notes);
    if (!lowered) continue;  // more than eight sets
    ReportTracker tracker;
    tracker.start(m);
    tracker.after("lower", *lowered);
    const Report r = tracker.finish(*lowered, o, 1000);
    std::uint64_t most = 0;
    for (const ReportLoad& l : r.remaining) most += l.executions;
    for (const auto& registers : all_registers()) {
      const Path path = walk_path(*lowered, o.sets, registers);
      EXPECT_LE(r.executed.least, path.loads);
      EXPECT_GE(r.executed.most, path.loads);
      EXPECT_GE(most, path.loads);
    }
    std::map<std::string, std::string> set_of;
    for (const ReportGroup& g : r.groups)
      for (const std::string& name : g.activations) EXPECT_TRUE(set_of.emplace(name, g.set_name).second) << name;
    std::size_t users = 0;
    for (const ir::Function& f : lowered->functions)
      ir::for_blocks(f.body, [&](const Node& b) {
        for (const Inst& i : b.instructions) {
          if (!ir::uses_tables(i)) continue;
          ++users;
          const auto set = std::ranges::find(o.sets, set_of[i.name], &ActSet::name);
          if (set == o.sets.end() || !i.is_activation()) continue;  // never reached: a loop of no trips
          EXPECT_TRUE(set->holds(i.activation().func)) << i.name;
        }
      });
    EXPECT_EQ(users, set_of.size());
  }
}

TEST(Report, StaticModeNamesItsSet) {
  Options o = options_for("trainium");
  o.table_mode = TableMode::fixed;
  const Report r = report_of(module_with({block_of({apply("Exp", "A", 0, 4096), apply("Tanh", "B", 0, 8192)}, "b")}), o);
  EXPECT_EQ(r.act_set, "exp_and_others");
  EXPECT_EQ(r.loads(), 0u);
  ASSERT_EQ(r.groups.size(), 1u);
  EXPECT_THAT(r.groups[0].why, HasSubstr("static mode"));
  EXPECT_EQ(r.groups[0].set_name, "exp_and_others");
}

TEST(Report, TextAndJsonSayThatTimesAreEstimates) {
  const Report r = report_of(module_with({loop_of("i", 10, {block_of({apply("Exp", "A", 0, 4096), apply("Sigmoid", "B", 4096, 4096)}, "b")})}));
  EXPECT_EQ(r.executed.most, 20u);
  EXPECT_THAT(report_text(r), HasSubstr("about 20.00 us of table switches at most (an estimate"));
  const auto j = nlohmann::json::parse(report_json(r));
  EXPECT_EQ(j["executed"]["most"], 20);
  EXPECT_EQ(j["estimate"]["switch_ns"], 20000.0);
  EXPECT_EQ(j["loads"].size(), 2u);
  EXPECT_EQ(j["loads"][0]["executions"], 10);
  EXPECT_EQ(j["resident"][0]["activations"], nlohmann::json::array({"A"}));
}

TEST(Report, CoversGiveTheirReasons) {
  Options o = options_for("trainium");
  const Module m = module_with({block_of({apply("Tanh", "A", 0, 4096), apply("Sigmoid", "B", 0, 8192)}, "b")});
  EXPECT_EQ(report_of(m, o).groups[0].why, "lowest set that holds Tanh, Sigmoid");
  o.cover = Cover::first_fit;
  EXPECT_EQ(report_of(m, o).groups[0].why, "first set that holds Tanh");
  o.cover = Cover::optimal;
  EXPECT_THAT(report_of(m, o).groups[0].why, HasSubstr("fewest executed loads"));
  EXPECT_EQ(report_of(module_with({block_of({isa(Opcode::COPY, ir::EngineId::Activation, "K")}, "b")})).groups[0].why, "any set serves copies and casts; the lowest is taken");
}

}  // namespace
}  // namespace act::passes
