// Random programs through every pipeline: residency by an interpreter of its own, idempotence, one meaning whatever the cover
// and the passes, and the same bundles from a module that was written and read.
#include <gtest/gtest.h>

#include "act/ir/json.h"
#include "act/passes/codegen.h"
#include "passes/random_modules.h"
#include "passes/running.h"

namespace act::passes {
namespace {

using ir::Module;
using PassRun = Result<Module> (*)(Module, const Options&, Diagnostics&);

constexpr Cover kCovers[] = {Cover::greedy, Cover::first_fit, Cover::optimal};
// lower_act alone, and what may follow it.
const std::vector<std::vector<PassRun>> kPipelines = {{}, {prefetch_act}, {optimize_act}, {prefetch_act, optimize_act}, {optimize_act, prefetch_act}, {prefetch_act, optimize_act, prefetch_act, optimize_act}};

Options base_options() {
  Options o;
  o.sets = act_sets(trainium());
  return o;
}

// Lowered by lower_act and a pipeline; nothing where the program needs more than eight sets.
std::optional<Module> lowered_by(const Module& m, const std::vector<PassRun>& pipeline, const Options& options) {
  Diagnostics notes;
  Result<Module> out = lower_act(m, options, notes);
  if (!out) {
    EXPECT_NE(out.error()[0].message.find("must be <= 8"), std::string::npos) << out.error()[0].message;
    return std::nullopt;
  }
  for (const PassRun pass : pipeline) {
    out = pass(std::move(*out), options, notes);
    EXPECT_TRUE(out) << to_text(out.error()[0]);
    if (!out) return std::nullopt;
  }
  EXPECT_TRUE(notes.empty());
  return std::move(*out);
}

TEST(Pipelines, EveryActivationFindsItsFunctionOnEveryPath) {
  std::mt19937 random(41);
  const Options base = base_options();
  const auto registers = all_registers();
  unsigned checked = 0;
  for (int round = 0; round < 1500; ++round) {
    const Module m = random_module(random, 4 + static_cast<int>(random() % 20));
    for (const Cover cover : kCovers) {
      Options options = base;
      options.cover = cover;
      for (const auto& pipeline : kPipelines) {
        const auto lowered = lowered_by(m, pipeline, options);
        if (!lowered) continue;
        ++checked;
        Diagnostics notes;
        ASSERT_TRUE(verify_act(*lowered, options, notes)) << ir::write_module(*lowered);
        for (const auto& r : registers) {
          const Path path = walk_path(*lowered, base.sets, r);
          ASSERT_EQ(path.fault, "") << ir::write_module(*lowered);
        }
      }
    }
  }
  EXPECT_GT(checked, 15000u);
}

// The check notices what is wrong: with a load taken out or exchanged, it fails whenever some path does.
TEST(Pipelines, TheCheckNoticesBrokenResidency) {
  std::mt19937 random(42);
  const Options options = base_options();
  unsigned broken = 0;
  for (int round = 0; round < 1500; ++round) {
    auto m = lowered_by(random_module(random, 12), {prefetch_act, optimize_act}, options);
    if (!m) continue;
    std::vector<ir::Inst*> loads;
    for (ir::Function& f : m->functions)
      ir::for_blocks(f.body, [&](ir::Node& n) {
        for (ir::Inst& i : n.instructions)
          if (i.is_load()) loads.push_back(&i);
      });
    if (loads.empty()) continue;
    loads[random() % loads.size()]->fields = ir::SetId{static_cast<std::int64_t>(random() % options.sets.size())};
    bool fault = false;
    for (const auto& r : all_registers()) fault = fault || !walk_path(*m, options.sets, r).fault.empty();
    Diagnostics notes;
    const bool accepted = verify_act(*m, options, notes).has_value();
    if (fault) {
      ++broken;
      ASSERT_FALSE(accepted) << ir::write_module(*m);
    }
  }
  EXPECT_GT(broken, 300u);
}

TEST(Pipelines, PassesAreIdempotent) {
  std::mt19937 random(43);
  const Options base = base_options();
  for (int round = 0; round < 1500; ++round) {
    const Module m = random_module(random, 16);
    Options options = base;
    options.cover = kCovers[round % 3];
    Diagnostics notes;
    auto now = lower_act(m, options, notes);
    if (!now) continue;
    for (const PassRun pass : {lower_act, prefetch_act, optimize_act, verify_act}) {
      now = pass(std::move(*now), options, notes);
      ASSERT_TRUE(now);
      const auto again = pass(*now, options, notes);
      ASSERT_TRUE(again);
      ASSERT_EQ(again->functions, now->functions) << ir::write_module(*now);
    }
    // A lowered module is taken up where it stands.
    const auto relowered = lower(*now, options, notes);
    ASSERT_TRUE(relowered);
    ASSERT_EQ(relowered->functions, now->functions);
  }
}

// Loads on the worst path, calls included.
std::uint64_t worst_path(const Module& m, const std::vector<ir::Node>& nodes) {
  std::uint64_t n = 0;
  for (const ir::Node& x : nodes) {
    for (const ir::Inst& i : x.instructions) n += i.is_load() ? 1 : 0;
    if (x.kind == ir::Node::Kind::loop) n += static_cast<std::uint64_t>(x.trip) * worst_path(m, x.body);
    if (x.kind == ir::Node::Kind::branch) n += std::max(worst_path(m, x.body), worst_path(m, x.otherwise));
    if (x.kind == ir::Node::Kind::call) n += worst_path(m, m.find_function(x.name)->body);
  }
  return n;
}

// Never more with optimal than with greedy, never more after optimize_act.
TEST(Pipelines, LoadsNeverGrow) {
  std::mt19937 random(44);
  const Options base = base_options();
  for (int round = 0; round < 800; ++round) {
    const Module m = random_module(random, 20);
    Options greedy = base, optimal = base;
    optimal.cover = Cover::optimal;
    const auto plain = lowered_by(m, {}, greedy), fewer = lowered_by(m, {prefetch_act, optimize_act}, greedy);
    if (!plain || !fewer) continue;
    if (const auto best = lowered_by(m, {prefetch_act, optimize_act}, optimal)) {
      ASSERT_LE(worst_path(*best, best->functions[0].body), worst_path(*fewer, fewer->functions[0].body)) << ir::write_module(*best);
    }
    for (const auto& r : all_registers()) ASSERT_LE(walk_path(*fewer, base.sets, r).loads, walk_path(*plain, base.sets, r).loads);
  }
}

// Eight tables at most: where greedy keeps to them, optimal does too, with no more loads.
TEST(Pipelines, OptimalKeepsToEightTablesWhereGreedyDoes) {
  static const char* const kFunctions[] = {"Exp", "Tanh", "Sigmoid", "Erf", "Sin", "Arctan", "Softplus", "Sqrt", "Reciprocal", "Rsqrt", "Gelu", "Silu", "Mish", "Gelu_apprx_tanh", "Derivative_Gelu"};
  std::mt19937 random(48);
  Options greedy = base_options(), optimal = greedy;
  optimal.cover = Cover::optimal;
  unsigned close = 0, restricted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<ir::Node> body;
    int number = 0;
    const auto some = [&] {
      std::vector<ir::Inst> list;
      for (unsigned k = 1 + random() % 4; k > 0; --k) list.push_back(activation(kFunctions[random() % std::size(kFunctions)], fmt::format("I-{}", number++)));
      return block(std::move(list));
    };
    for (unsigned k = 3 + random() % 4; k > 0; --k) {
      if (random() % 2 == 0) body.push_back(some());
      else body.push_back(loop(fmt::format("i{}", number++), 1 + random() % 3, {some(), some()}));
    }
    const Module m = module_of(std::move(body));
    Diagnostics notes;
    const auto a = lower(m, greedy, notes);
    if (!a) continue;
    ++close;
    const auto b = lower(m, optimal, notes);
    ASSERT_TRUE(b) << to_text(b.error()[0]) << ir::write_module(m);
    ASSERT_LE(executed(b->functions[0].body), executed(a->functions[0].body));
    restricted += notes.empty() ? 0 : 1;
  }
  EXPECT_GT(close, 500u);
  EXPECT_GT(restricted, 0u);
}

// --- the optimal cover against enumeration ----------------------------------------------------------------------------------

// Up to four activations in loops and branches, with an empty block before every loop and branch where a load may stand.
std::vector<ir::Node> tiny_program(std::mt19937& random, unsigned depth, int& budget, int& number) {
  static const char* const kFunctions[] = {"Exp", "Tanh", "Sigmoid", "Sin"};
  std::vector<ir::Node> out;
  for (unsigned k = 1 + random() % 2; k > 0 && budget > 0; --k) {
    const unsigned kind = depth == 0 ? 0 : random() % 3;
    if (kind == 0) {
      --budget;
      out.push_back(block({activation(kFunctions[random() % 4], fmt::format("I-{}", number++))}));
      continue;
    }
    out.push_back(block({}));
    if (kind == 1) {
      out.push_back(loop(fmt::format("i{}", number++), 1 + random() % 3, tiny_program(random, depth - 1, budget, number)));
    } else {
      auto then = tiny_program(random, depth - 1, budget, number);
      out.push_back(branch(std::move(then), random() % 2 == 0 ? std::vector<ir::Node>{} : tiny_program(random, depth - 1, budget, number)));
      out.back().condition.reg = static_cast<std::uint8_t>(number++ % 64);
    }
  }
  return out;
}

// The fewest loads on the worst path over all placements before and behind every activation and in every empty block that the
// residency check accepts.
std::uint64_t fewest_loads(const Module& m, const Options& options, const std::vector<int>& candidates) {
  struct Place {
    std::size_t block, position;
  };
  std::vector<Place> places;
  Module copy = m;
  std::vector<ir::Node*> blocks;
  ir::for_blocks(copy.functions[0].body, [&](ir::Node& n) {
    for (std::size_t p = 0; p <= n.instructions.size(); ++p) places.push_back({blocks.size(), p});
    blocks.push_back(&n);
  });
  std::vector<std::vector<ir::Inst>> original;
  for (const ir::Node* n : blocks) original.push_back(n->instructions);
  std::uint64_t best = ~std::uint64_t{0};
  std::vector<std::size_t> pick(places.size(), 0);
  for (;;) {
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b]->instructions.clear();
    for (std::size_t k = 0; k < places.size(); ++k) {
      auto& list = blocks[places[k].block]->instructions;
      if (candidates[pick[k]] >= 0) list.push_back(load(candidates[pick[k]], "L"));
      if (places[k].position < original[places[k].block].size()) list.push_back(original[places[k].block][places[k].position]);
    }
    const std::uint64_t cost = executed(copy.functions[0].body);
    Diagnostics notes;
    if (cost < best && verify_act(copy, options, notes)) best = cost;
    std::size_t k = 0;
    while (k < places.size() && ++pick[k] == candidates.size()) pick[k++] = 0;
    if (k == places.size()) return best;
  }
}

TEST(Pipelines, OptimalIsWhatEnumerationFinds) {
  std::mt19937 random(47);
  Options options = base_options();
  options.cover = Cover::optimal;
  const std::vector<int> candidates = {-1, 0, 2, 9, 18};  // no load; exp tanh; tanh sigmoid; sin; tanh sin
  unsigned programs = 0, better = 0;
  while (programs < 2000) {
    int budget = 4, number = 0;
    const Module m = module_of(tiny_program(random, 2, budget, number));
    std::size_t places = 0;
    ir::for_blocks(m.functions[0].body, [&](const ir::Node& n) { places += n.instructions.size() + 1; });
    if (places > 6) continue;
    ++programs;
    Diagnostics notes;
    const auto lowered = lower(m, options, notes);
    ASSERT_TRUE(lowered) << to_text(lowered.error()[0]);
    const std::uint64_t best = fewest_loads(m, options, candidates);
    ASSERT_EQ(executed(lowered->functions[0].body), best) << ir::write_module(*lowered);
    Options greedy = options;
    greedy.cover = Cover::greedy;
    const auto other = lower(m, greedy, notes);
    better += executed(other->functions[0].body) > best ? 1 : 0;
  }
  EXPECT_GT(better, 100u);
}

std::optional<std::vector<std::uint8_t>> bits_of(const Module& m, const std::array<std::uint32_t, 3>& registers) {
  sim::RunOptions o;
  o.catalog = &trainium();
  o.policies.undefined = sim::UndefinedPolicy::ignore;
  Program frame = sim::frame_of(m);
  for (std::uint8_t k = 0; k < 3; ++k) frame.registers.push_back({k, registers[k]});
  sim::Simulator s(frame, o);
  if (!sim::run_module(m, {}, s)) {
    ADD_FAILURE() << to_text(s.reports().back());
    return std::nullopt;
  }
  return s.store(frame.tensors[0])->data;
}

// The same of the streams that code generation makes.
std::optional<std::vector<std::uint8_t>> bits_of_streams(const Module& m) {
  CodegenOptions options;
  options.encode.generation = m.generation;
  for (const TableSet& set : trainium().sets) options.encode.sets.push_back(set.name());
  auto code = generate_code(m, options);
  if (!code) {
    ADD_FAILURE() << to_text(code.error()[0]);
    return std::nullopt;
  }
  code->program.tensors = m.tensors;
  sim::RunOptions o;
  o.catalog = &trainium();
  o.policies.undefined = sim::UndefinedPolicy::ignore;
  sim::Simulator s(code->program, o);
  if (!s.run()) {
    ADD_FAILURE() << to_text(s.reports().back());
    return std::nullopt;
  }
  return s.store(m.tensors[0])->data;
}

TEST(Pipelines, OneMeaningWhateverTheCoverAndThePasses) {
  std::mt19937 random(45);
  const Options base = base_options();
  unsigned compared = 0;
  for (int round = 0; round < 60; ++round) {
    const Module m = random_module(random, 16);
    const std::array<std::uint32_t, 3> registers = {static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3)};
    std::optional<std::vector<std::uint8_t>> wanted;
    for (const Cover cover : kCovers) {
      Options options = base;
      options.cover = cover;
      const auto& pipeline = kPipelines[random() % kPipelines.size()];
      const auto lowered = lowered_by(m, pipeline, options);
      if (!lowered) continue;
      const auto bits = bits_of(*lowered, registers);
      ASSERT_TRUE(bits);
      if (!wanted) wanted = bits;
      ASSERT_EQ(*bits, *wanted) << ir::write_module(*lowered);
      // Straight-line code with the registers as constants, and with waits.
      Module fixed = *lowered;
      for (std::uint8_t k = 0; k < 3; ++k) fixed.registers.push_back({k, registers[k]});
      options.constant_registers = true;
      Diagnostics notes;
      const auto flat = unroll(fixed, options, notes);
      ASSERT_TRUE(flat) << to_text(flat.error()[0]);
      ASSERT_EQ(walk_path(*flat, base.sets, registers).loads, walk_path(*lowered, base.sets, registers).loads);
      const auto synced = sync(*flat, options, notes);
      ASSERT_TRUE(synced) << to_text(synced.error()[0]);
      ASSERT_EQ(*bits_of(*synced, registers), *wanted) << ir::write_module(*synced);
      ASSERT_EQ(*bits_of_streams(*synced), *wanted) << ir::write_module(*synced);
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

std::vector<Bundle> bundles_of(const Module& m) {
  ir::EncodeOptions options;
  options.generation = m.generation;
  for (const TableSet& set : trainium().sets) options.sets.push_back(set.name());
  std::vector<Bundle> out;
  for (const ir::Function& f : m.functions)
    ir::for_blocks(f.body, [&](const ir::Node& n) {
      for (const ir::Inst& i : n.instructions) {
        const auto encoded = ir::encode(i, options);
        EXPECT_TRUE(encoded) << to_text(encoded.error()[0]);
        if (encoded) out.insert(out.end(), encoded->span().begin(), encoded->span().end());
      }
    });
  return out;
}

TEST(Pipelines, WrittenAndReadAgainGivesTheSameBundles) {
  std::mt19937 random(46);
  const Options base = base_options();
  for (int round = 0; round < 300; ++round) {
    auto m = lowered_by(random_module(random, 20), {prefetch_act, optimize_act}, base);
    if (!m) continue;
    Options options = base;
    options.constant_registers = true;
    m->registers = {{0, 1}, {1, 2}, {2, 0}};
    Diagnostics notes;
    auto flat = unroll(*m, options, notes);
    ASSERT_TRUE(flat);
    flat = sync(std::move(*flat), options, notes);
    ASSERT_TRUE(flat);
    for (const Module* each : {&*m, &*flat}) {
      const std::string text = ir::write_module(*each);
      const auto back = ir::read_module(text, "m.json");
      ASSERT_TRUE(back) << to_text(back.error()[0]) << text;
      ASSERT_EQ(bundles_of(*back), bundles_of(*each)) << text;
      ASSERT_EQ(ir::write_module(*back), text);
    }
  }
}

}  // namespace
}  // namespace act::passes
