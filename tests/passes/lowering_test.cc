// The acceptance tests of 03 section 15, and the optimal cover against brute force.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <random>

#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "passes/modules.h"

namespace act::passes {
namespace {

using ir::Inst;
using ir::InstKind;
using ir::Module;
using ir::Node;

Module straight(const std::vector<std::string>& functions) {
  std::vector<Inst> list;
  for (std::size_t k = 0; k < functions.size(); ++k)
    list.push_back(functions[k] == "Copy@" ? isa(Opcode::COPY, ir::EngineId::Activation, fmt::format("I-{}", k)) : activation(functions[k], fmt::format("I-{}", k)));
  return module_of({block(std::move(list))});
}

// "load 2 before I-3" for every load of a block, in order.
std::string loads_of(const Node& b) {
  std::string out;
  for (std::size_t k = 0; k < b.instructions.size(); ++k)
    if (b.instructions[k].is_load()) out += fmt::format("{}@{} ", b.instructions[k].set().index(), k + 1 < b.instructions.size() ? b.instructions[k + 1].name : "end");
  return out;
}

struct CoverCase {
  const char* id;
  std::vector<std::string> functions;
  std::string trainium, with_ln;  // as loads_of prints; "error …" for a failure at an instruction
};

TEST(Cover, TableOfTheBook) {
  const CoverCase cases[] = {
      {"B-01", {"Exp"}, "0@I-0 ", "0@I-0 "},
      {"B-02", {"Tanh"}, "0@I-0 ", "0@I-0 "},
      {"B-03", {"Tanh", "Sigmoid"}, "2@I-0 ", "1@I-0 "},
      {"B-04", {"Exp", "Tanh", "Exp"}, "0@I-0 ", "0@I-0 "},
      {"B-05", {"Exp", "Sigmoid", "Exp", "Sigmoid"}, "0@I-0 2@I-1 0@I-2 2@I-3 ", "0@I-0 1@I-1 0@I-2 1@I-3 "},
      {"B-06", {"Ln"}, "5@I-0 ", "5@I-0 "},
      {"B-07", {"Ln", "Exp"}, "6@I-0 ", "5@I-0 0@I-1 "},
      {"B-08", {"Copy", "Relu"}, "0@I-0 ", "error I-0"},
      {"B-09", {"Gelu", "Erf"}, "10@I-0 2@I-1 ", "6@I-0 13@I-1 "},
      {"B-10", {"Sin", "Arctan"}, "9@I-0 ", "12@I-0 "},
      {"B-11", {"Silu", "Sin", "Tanh"}, "18@I-0 ", "error I-0"},
      {"B-12", {"Arctan", "Sin", "Sigmoid", "Erf"}, "9@I-0 2@I-2 ", "12@I-0 1@I-2 13@I-3 "},
      {"B-13", {"Exp", "Copy", "Sqrt", "Square", "Rsqrt"}, "0@I-0 3@I-2 14@I-4 ", "error I-1"},
      {"B-14", {"Softplus", "Tanh"}, "1@I-0 0@I-1 ", "2@I-0 "},
      {"B-15", {"Square", "Reciprocal", "Sqrt"}, "13@I-0 3@I-2 ", "10@I-0 3@I-2 "},
      {"B-16", {"Identity", "Tanh", "Gelu_apprx_tanh", "Relu", "Exp"}, "11@I-0 0@I-4 ", "7@I-0 0@I-4 "},
      {"B-17", {"Unknown"}, "error I-0", "error I-0"},
      {"B-29", {"Copy@", "Exp", "Exp", "Exp", "Exp", "Copy@"}, "0@I-0 ", "0@I-0 "},
      {"B-30", {"Copy@", "Copy@"}, "0@I-0 ", "0@I-0 "},
      {"B-31", {}, "", ""},
  };
  for (const char* catalog : {"trainium", "with_ln"}) {
    const Options o = options_for(catalog);
    for (const CoverCase& c : cases) {
      const std::string& want = std::string_view(catalog) == "trainium" ? c.trainium : c.with_ln;
      Diagnostics notes;
      const auto m = lower_act(straight(c.functions), o, notes);
      if (want.starts_with("error ")) {
        ASSERT_FALSE(m) << c.id << ' ' << catalog;
        EXPECT_NE(m.error()[0].message.find("Invalid activation function found in instruction"), std::string::npos);
        EXPECT_NE(m.error()[0].message.find(want.substr(6)), std::string::npos) << m.error()[0].message;
      } else {
        ASSERT_TRUE(m) << c.id << ' ' << catalog << to_text(m.error()[0]);
        EXPECT_EQ(loads_of(m->functions[0].body[0]), want) << c.id << ' ' << catalog;
        EXPECT_TRUE(m->dynamic_pwp);
      }
    }
  }
}

TEST(Cover, NamesAndClashes) {
  Module m = straight({"Exp"});
  m.functions[0].body[0].instructions.push_back(isa(Opcode::NOP, ir::EngineId::Pool, "I-0-PWP"));
  Diagnostics notes;
  const auto out = lower_act(m, options_for("trainium"), notes);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->functions[0].body[0].instructions[0].name, "I-0-PWP.1");
}

// B-18: nine functions whose sets differ.
TEST(Cover, NinthSetIsAnError) {
  const std::vector<std::string> nine = {"Softplus", "Sigmoid", "Sqrt", "Reciprocal", "Rsqrt", "Abs_reciprocal_sqrt", "Mish", "Silu", "Gelu_apprx_tanh"};
  Diagnostics notes;
  const Options o = options_for("trainium");
  EXPECT_TRUE(lower_act(straight({nine.begin(), nine.end() - 1}), o, notes));
  const auto m = lower_act(straight(nine), o, notes);
  ASSERT_FALSE(m);
  EXPECT_NE(m.error()[0].message.find("Instruction LoadActFuncSet I-8-PWP: the number of activation tables must be <= 8"), std::string::npos) << m.error()[0].message;
}

// B-28.
TEST(Cover, LoadsBeforeLoweringAreAnError) {
  Diagnostics notes;
  const auto m = lower_act(module_of({block({load(0, "L"), activation("Exp", "I")})}), options_for("trainium"), notes);
  ASSERT_FALSE(m);
  EXPECT_NE(m.error()[0].message.find("InstLoadActFuncSet should not exist before lower activate"), std::string::npos);
}

TEST(FixedMode, OneSetOrAnError) {
  Options o = options_for("trainium");
  o.table_mode = TableMode::fixed;
  Diagnostics notes;
  const auto one = lower(straight({"Tanh", "Sigmoid"}), o, notes);
  ASSERT_TRUE(one) << to_text(one.error()[0]);
  EXPECT_EQ(one->act_set, "sigmoid_and_others");
  EXPECT_EQ(loads_of(one->functions[0].body[0]), "");
  EXPECT_FALSE(one->dynamic_pwp);
  const auto none = lower(straight({"Gelu", "Erf"}), o, notes);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error()[0].message.find("static activation table mode: no single set covers all activation functions"), std::string::npos);
}

std::string names_of(const Node& b) {
  std::string out;
  for (const Inst& i : b.instructions) out += i.name + " ";
  return out;
}

TEST(Prefetch, B20AndB21) {
  Diagnostics notes;
  const Options o = options_for("trainium");
  const auto first = prefetch_act(module_of({block({isa(Opcode::MATMUL, ir::EngineId::PE, "mm"), load(0, "L"), activation("Exp", "E")})}), o, notes);
  ASSERT_TRUE(first);
  EXPECT_EQ(names_of(first->functions[0].body[0]), "L mm E ");
  const auto second = prefetch_act(module_of({block({load(0, "K"), activation("Exp", "E"), isa(Opcode::RECIPROCAL, ir::EngineId::DVE, "d"), load(2, "L"), activation("Sigmoid", "S")})}), o, notes);
  ASSERT_TRUE(second);
  EXPECT_EQ(names_of(second->functions[0].body[0]), "K E L d S ");
  EXPECT_FALSE(prefetch_act(module_of({block({load(21, "L"), activation("Exp", "E")})}), o, notes));
}

TEST(Optimize, B22ToB27) {
  Diagnostics notes;
  const Options o = options_for("trainium");
  const auto run = [&](std::vector<Node> body) {
    auto m = optimize_act(module_of(std::move(body)), o, notes);
    EXPECT_TRUE(m);
    auto again = optimize_act(*m, o, notes);
    EXPECT_EQ(again->functions, m->functions) << "not idempotent";
    return m->functions[0].body;
  };
  const auto exp = [](const char* name) { return activation("Exp", name); };
  const auto sigmoid = [](const char* name) { return activation("Sigmoid", name); };
  EXPECT_EQ(names_of(run({block({load(0, "L0"), exp("E")}), block({load(0, "L1"), activation("Tanh", "T")})})[1]), "T ");
  EXPECT_EQ(names_of(run({branch({block({load(0, "L0"), exp("E")})}, {block({load(2, "L2"), sigmoid("S")})}), block({load(0, "L"), exp("F")})})[1]), "L F ");
  EXPECT_EQ(names_of(run({branch({block({load(0, "L0"), exp("E")})}, {block({load(0, "L2"), exp("S")})}), block({load(0, "L"), exp("F")})})[1]), "F ");
  EXPECT_EQ(names_of(run({block({load(0, "L0"), exp("E")}), loop("i", 4, {block({load(0, "L1"), exp("F")})})})[1].body[0]), "F ");
  EXPECT_EQ(names_of(run({block({load(0, "L0"), exp("E")}), loop("i", 4, {block({load(2, "L1"), sigmoid("S"), load(0, "L2"), exp("F")})})})[1].body[0]), "L1 S L2 F ");
  EXPECT_EQ(names_of(run({block({load(2, "L2"), load(0, "L0"), exp("E")})})[0]), "L0 E ");
}

TEST(Verify, NamesTheActivationFunctionAndSet) {
  Diagnostics notes;
  const Options o = options_for("trainium");
  const auto wrong = verify_act(module_of({block({load(2, "L"), activation("Exp", "E")})}), o, notes);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error()[0].message.find("activation E: function Exp not in resident set sigmoid_and_others"), std::string::npos) << wrong.error()[0].message;
  const auto none = verify_act(module_of({block({activation("Exp", "E")})}), o, notes);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error()[0].message.find("not in resident set none"), std::string::npos);
}

// --- random programs: every pipeline verifies, and optimal is what brute force finds ---------------------------------

constexpr std::int64_t kUnknownState = -1;

std::vector<Node> random_program(std::mt19937& random, unsigned depth, int& budget, int& name) {
  static const char* const kFunctions[] = {"Exp", "Tanh", "Sigmoid", "Erf", "Sin", "Arctan", "Relu"};
  std::vector<Node> out;
  const int items = 1 + static_cast<int>(random() % 3);
  for (int k = 0; k < items && budget > 0; ++k) {
    const unsigned kind = depth == 0 ? 0 : random() % 4;
    if (kind == 2) {
      out.push_back(loop(fmt::format("i{}", name++), 1 + random() % 3, random_program(random, depth - 1, budget, name)));
    } else if (kind == 3) {
      auto then = random_program(random, depth - 1, budget, name);
      out.push_back(branch(std::move(then), random() % 2 == 0 ? std::vector<Node>{} : random_program(random, depth - 1, budget, name)));
    } else {
      std::vector<Inst> list;
      for (int j = static_cast<int>(random() % 3); j >= 0 && budget > 0; --j, --budget) list.push_back(activation(kFunctions[random() % 7], fmt::format("I-{}", name++)));
      out.push_back(block(std::move(list)));
    }
  }
  return out;
}

TEST(Optimal, NeverWorseThanGreedyAndAlwaysVerified) {
  std::mt19937 random(11);
  Options greedy = options_for("trainium"), first_fit = greedy, optimal = greedy;
  first_fit.cover = Cover::first_fit;
  optimal.cover = Cover::optimal;
  unsigned better = 0;
  for (int round = 0; round < 2000; ++round) {
    int budget = 10, name = 0;
    const Module m = module_of(random_program(random, 2, budget, name));
    Diagnostics notes;
    const auto a = lower(m, greedy, notes), b = lower(m, optimal, notes), c = lower(m, first_fit, notes);
    ASSERT_TRUE(a) << to_text(a.error()[0]) << ir::write_module(m);
    ASSERT_TRUE(b) << to_text(b.error()[0]) << ir::write_module(m);
    ASSERT_TRUE(c) << to_text(c.error()[0]) << ir::write_module(m);
    const auto cost_a = executed(a->functions[0].body), cost_b = executed(b->functions[0].body);
    ASSERT_LE(cost_b, cost_a) << ir::write_module(m);
    better += cost_b < cost_a ? 1 : 0;
  }
  EXPECT_GT(better, 50u);
}

// All placements of loads directly before activations of one loop body with a block before it, by enumeration: for each
// activation no load or any set; a placement counts when a plain interpretation of every iteration finds every function.
TEST(Optimal, EqualsEnumerationOnSmallLoops) {
  const Options base = options_for("trainium");
  Options optimal = base;
  optimal.cover = Cover::optimal;
  const std::vector<int> candidates = {-1, 0, 2, 9, 18};  // no load, and sets that hold some of the functions below
  std::mt19937 random(5);
  static const char* const kFunctions[] = {"Exp", "Tanh", "Sigmoid", "Sin"};
  for (int round = 0; round < 200; ++round) {
    const int before = 1 + static_cast<int>(random() % 2), inside = 1 + static_cast<int>(random() % 3);
    const std::int64_t trip = 1 + static_cast<std::int64_t>(random() % 3);
    std::vector<Inst> head, body;
    for (int k = 0; k < before; ++k) head.push_back(activation(kFunctions[random() % 4], fmt::format("h{}", k)));
    for (int k = 0; k < inside; ++k) body.push_back(activation(kFunctions[random() % 4], fmt::format("b{}", k)));
    // Places: before each activation, and one at the end of the head (the preheader).
    const int places = before + inside + 1;
    std::uint64_t best = ~std::uint64_t{0};
    std::vector<int> pick(static_cast<std::size_t>(places), 0);
    for (;;) {
      std::uint64_t cost = 0;
      std::int64_t state = kUnknownState;
      bool ok = true;
      const auto step = [&](int place, const Inst* use) {
        const int set = candidates[static_cast<std::size_t>(pick[static_cast<std::size_t>(place)])];
        if (set >= 0) {
          state = set;
          ++cost;
        }
        if (use != nullptr) ok = ok && state >= 0 && base.sets[static_cast<std::size_t>(state)].holds(use->activation().func);
      };
      for (int k = 0; k < before; ++k) step(k, &head[static_cast<std::size_t>(k)]);
      step(before, nullptr);
      for (std::int64_t t = 0; t < trip && ok; ++t)
        for (int k = 0; k < inside; ++k) step(before + 1 + k, &body[static_cast<std::size_t>(k)]);
      if (ok) best = std::min(best, cost);
      int k = 0;
      while (k < places && ++pick[static_cast<std::size_t>(k)] == static_cast<int>(candidates.size())) pick[static_cast<std::size_t>(k++)] = 0;
      if (k == places) break;
    }
    Diagnostics notes;
    const auto m = lower(module_of({block(head), loop("i", trip, {block(body)})}), optimal, notes);
    ASSERT_TRUE(m) << to_text(m.error()[0]);
    ASSERT_EQ(executed(m->functions[0].body), best) << ir::write_module(*m);
  }
}

TEST(Modules, LoweredModuleReadsBackTheSame) {
  std::mt19937 random(3);
  const Options o = options_for("trainium");
  for (int round = 0; round < 100; ++round) {
    int budget = 12, name = 0;
    Diagnostics notes;
    const auto m = lower(module_of(random_program(random, 2, budget, name)), o, notes);
    ASSERT_TRUE(m);
    const std::string text = ir::write_module(*m);
    const auto back = ir::read_module(text, "m.json");
    ASSERT_TRUE(back) << to_text(back.error()[0]) << text;
    EXPECT_EQ(ir::write_module(*back), text);
    Diagnostics faults;
    ir::verify_module(*back, "m.json", faults);
    EXPECT_FALSE(has_errors(faults)) << to_text(faults[0]);
  }
}

}  // namespace
}  // namespace act::passes
