// Straight-line code: what is executed, in what order, with what sets.
#include <gtest/gtest.h>

#include "passes/modules.h"

namespace act::passes {
namespace {

using ir::Module;

std::string flat_names(const Module& m) {
  std::string out;
  for (const ir::Node& n : m.functions[0].body) {
    EXPECT_EQ(n.kind, ir::Node::Kind::block);
    for (const ir::Inst& i : n.instructions) out += i.name + " ";
  }
  return out;
}

std::string message_of(const Result<Module>& r) { return r ? std::string("no error") : r.error()[0].message; }

TEST(Unroll, LoopsAndCallsInProgramOrder) {
  Diagnostics notes;
  Module m = module_of({block({activation("Exp", "A")}), loop("i", 2, {block({activation("Exp", "B")}), loop("j", 2, {block({activation("Exp", "C")})})}), call("f")});
  m.functions.push_back({"f", {block({activation("Exp", "D")})}});
  const auto flat = unroll(m, {}, notes);
  ASSERT_TRUE(flat) << message_of(flat);
  EXPECT_EQ(flat->functions.size(), 1u);
  EXPECT_EQ(flat_names(*flat), "A B-0 C-0-0 C-0-1 B-1 C-1-0 C-1-1 D-c0 ");
  const auto again = unroll(*flat, {}, notes);
  EXPECT_EQ(again->functions, flat->functions);
}

TEST(Unroll, NamesStayDistinct) {
  Diagnostics notes;
  const auto flat = unroll(module_of({block({activation("Exp", "A-0")}), loop("i", 1, {block({activation("Exp", "A")})})}), {}, notes);
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat_names(*flat), "A-0 A-0.1 ");
  // Copies of A in two loops, of A-1 in one: both want A-1-0.
  const auto nested = unroll(module_of({loop("i", 2, {loop("j", 1, {block({activation("Exp", "A")})})}), loop("k", 1, {block({activation("Exp", "A-1"), activation("Exp", "I-7")})})}), {}, notes);
  ASSERT_TRUE(nested);
  EXPECT_EQ(flat_names(*nested), "A-0-0 A-1-0 A-1-0.1 I-7-0 ");
}

TEST(Unroll, SetExpressionsBecomeStatic) {
  Diagnostics notes;
  ir::Inst symbolic = load(0, "L");
  symbolic.fields = ir::SetId{ir::Affine{3, {{"i", 2, ir::Affine::Op::mod, 2}, {"j", 1, ir::Affine::Op::floordiv, 2}}}};
  const auto flat = unroll(module_of({loop("i", 3, {loop("j", 3, {block({symbolic})})})}), {}, notes);
  ASSERT_TRUE(flat) << message_of(flat);
  std::vector<std::int64_t> sets;
  for (const ir::Node& n : flat->functions[0].body)
    for (const ir::Inst& i : n.instructions) sets.push_back(i.set().index());
  EXPECT_EQ(sets, (std::vector<std::int64_t>{3, 3, 4, 5, 5, 6, 3, 3, 4}));
  symbolic.fields = ir::SetId{ir::Affine{-1, {{"i", 1, ir::Affine::Op::mul, 1}}}};
  EXPECT_NE(message_of(unroll(module_of({loop("i", 3, {block({symbolic})})}), {}, notes)).find("no value"), std::string::npos);
}

TEST(Unroll, BranchesAreDecidedOrRefused) {
  Diagnostics notes;
  ir::Node n = branch({block({activation("Exp", "T")})}, {block({activation("Exp", "E")})});
  const Result<Module> undecided = unroll(module_of({n}), {}, notes);
  EXPECT_NE(message_of(undecided).find("cannot be decided"), std::string::npos) << message_of(undecided);
  Module given = module_of({n});
  given.registers = {{n.condition.reg, n.condition.value}};
  EXPECT_FALSE(unroll(given, {}, notes)) << "a register is run-time state";
  Options constant;
  constant.constant_registers = true;
  EXPECT_EQ(flat_names(*unroll(given, constant, notes)), "T ");
  given.registers[0].value += 1;
  EXPECT_EQ(flat_names(*unroll(given, constant, notes)), "E ");
  EXPECT_FALSE(unroll(module_of({n}), constant, notes)) << "no value given";
  n.condition.compare = ir::Condition::Compare::ALWAYS;
  EXPECT_EQ(flat_names(*unroll(module_of({n}), {}, notes)), "T ");
  n.condition = {ir::Condition::Compare::GE, 5, false, 0};
  EXPECT_EQ(flat_names(*unroll(module_of({n}), {}, notes)), "T ");
  n.condition = {ir::Condition::Compare::LT, 5, true, 5};
  EXPECT_EQ(flat_names(*unroll(module_of({n}), {}, notes)), "E ");
  EXPECT_EQ(flat_names(*unroll(module_of({loop("i", 0, {branch({block({activation("Exp", "T")})}, {})})}), constant, notes)), "") << "never reached";
}

TEST(Unroll, SizeIsLimitedBeforeAnythingGrows) {
  Diagnostics notes;
  const auto nest = [](std::int64_t trip) {
    std::vector<ir::Node> body = {block({activation("Exp", "A")})};
    for (int k = 0; k < 8; ++k) body = {loop("i" + std::to_string(k), trip, std::move(body))};
    return module_of(std::move(body));
  };
  EXPECT_NE(message_of(unroll(nest(1'000'000'000), {}, notes)).find("more than 20000000"), std::string::npos);
  EXPECT_TRUE(unroll(nest(2), {}, notes));
  Options small;
  small.unroll_limit = 100;
  EXPECT_FALSE(unroll(nest(2), small, notes));
  EXPECT_TRUE(unroll(module_of({loop("i", INT64_MAX, {})}), {}, notes)) << "nothing, however often";
}

TEST(Unroll, CallsThatNeverEnd) {
  Diagnostics notes;
  Module m = module_of({call("main")});
  EXPECT_NE(message_of(unroll(m, {}, notes)).find("calls itself"), std::string::npos);
  Module chain = module_of({call("f0")});
  for (int k = 0; k < 5000; ++k) chain.functions.push_back({"f" + std::to_string(k), {call("f" + std::to_string(k + 1))}});
  chain.functions.push_back({"f5000", {}});
  EXPECT_FALSE(unroll(chain, {}, notes));
  Diagnostics faults;
  ir::verify_module(chain, "m", faults);
  EXPECT_TRUE(has_errors(faults));
}

}  // namespace
}  // namespace act::passes
