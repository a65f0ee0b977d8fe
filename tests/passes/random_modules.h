// Random modules with loops, branches, calls and work on two engines.
#pragma once

#include <fmt/format.h>

#include <random>

#include "act/ir/builder.h"
#include "passes/modules.h"

namespace act::passes {

struct RandomModule {
  std::mt19937& random;
  ir::Builder b{"random"};
  ir::View all = b.output("all", Dtype::fp32, {32, 64});
  int budget = 0, loops = 0;

  explicit RandomModule(std::mt19937& r, int instructions) : random(r), budget(instructions) {}

  unsigned pick(unsigned n) { return static_cast<unsigned>(random() % n); }
  ir::View piece(unsigned width) {
    const unsigned begin = pick(64 - width + 1);
    return all.columns(begin, begin + width);
  }

  // Functions of all kinds of sets, none of them with two tables (ln has).
  void instruction() {
    static const char* const kFunctions[] = {"Exp", "Tanh", "Sigmoid", "Erf", "Sin", "Arctan", "Relu", "Copy", "Square", "Silu", "Sqrt", "Gelu"};
    --budget;
    const unsigned width = 1 + pick(6);
    switch (pick(8)) {
      case 0: b.tensor_tensor(AluOp::add, piece(width), piece(width), piece(width)); break;
      case 1: b.copy(piece(width), piece(width)).on(ir::EngineId::Activation); break;
      case 2: b.activate(kFunctions[pick(12)], piece(width), piece(width)).accumulate(ir::Accumulation::ZeroAccumulate).drain(piece(1)); break;
      case 3: b.tensor_scalar(piece(width), piece(width), AluOp::mult, 0.5F); break;
      default: b.activate(kFunctions[pick(12)], piece(width), piece(width)).scale(0.25F).bias(piece(1)); break;
    }
  }

  void region(unsigned depth, bool calls) {
    for (unsigned k = 1 + pick(3); k > 0 && budget > 0; --k) {
      switch (depth == 0 ? 0 : pick(6)) {
        case 1: b.loop(fmt::format("i{}", loops++), static_cast<std::int64_t>(pick(4)), [&] { region(depth - 1, calls); }); break;
        case 2: {
          const auto compare = static_cast<ir::Condition::Compare>(pick(7));
          b.branch({compare, static_cast<std::uint8_t>(pick(3)), false, pick(3)}, [&] { region(depth - 1, calls); }, [&] { if (pick(2) == 0) region(depth - 1, calls); });
          break;
        }
        case 3:
          if (calls) b.call(pick(2) == 0 ? "f" : "g");
          else instruction();
          break;
        case 4: b.block(fmt::format("b{}", budget)); [[fallthrough]];
        default:
          for (unsigned n = 1 + pick(3); n > 0 && budget > 0; --n) instruction();
      }
    }
  }

  // Registers 0 to 2 decide the branches; a run gives them values.
  ir::Module make() {
    b.memset(all, 0x3E800000);
    region(3, true);
    budget = std::max(budget, 4);
    b.function("f", [&] { region(1, false); });
    b.function("g", [&] { b.call("f"); region(1, false); });
    auto m = b.finish();
    EXPECT_TRUE(m) << to_text(m.error()[0]);
    return std::move(*m);
  }
};

inline ir::Module random_module(std::mt19937& random, int instructions) { return RandomModule(random, instructions).make(); }

// --- an interpreter of residency, instruction by instruction along one path ---------------------------------------------

struct Path {
  const ir::Module& module;
  std::span<const ActSet> sets;
  std::array<std::uint32_t, 3> registers;
  std::int64_t resident = -1;
  std::uint64_t loads = 0;
  std::string fault;

  void walk(const std::vector<ir::Node>& nodes) {
    for (const ir::Node& n : nodes) {
      switch (n.kind) {
        case ir::Node::Kind::block:
          for (const ir::Inst& i : n.instructions) step(i);
          break;
        case ir::Node::Kind::loop:
          for (std::int64_t k = 0; k < n.trip; ++k) walk(n.body);
          break;
        case ir::Node::Kind::branch: walk(taken(n.condition) ? n.body : n.otherwise); break;
        case ir::Node::Kind::call: walk(module.find_function(n.name)->body); break;
      }
    }
  }
  bool taken(const ir::Condition& c) const {
    const std::uint32_t left = registers[c.reg], right = c.value;
    switch (c.compare) {
      case ir::Condition::Compare::ALWAYS: return true;
      case ir::Condition::Compare::LT: return left < right;
      case ir::Condition::Compare::LE: return left <= right;
      case ir::Condition::Compare::EQ: return left == right;
      case ir::Condition::Compare::NE: return left != right;
      case ir::Condition::Compare::GE: return left >= right;
      case ir::Condition::Compare::GT: return left > right;
    }
    return false;
  }
  void step(const ir::Inst& i) {
    if (i.is_load()) {
      resident = i.set().index();
      ++loads;
    }
    if (!i.is_activation()) return;
    if (resident < 0 || !sets[static_cast<std::size_t>(resident)].holds(i.activation().func)) fault = fmt::format("{} finds set {}", i.name, resident);
  }
};

inline Path walk_path(const ir::Module& m, std::span<const ActSet> sets, std::array<std::uint32_t, 3> registers) {
  Path p{m, sets, registers, -1, 0, {}};
  p.walk(m.functions[0].body);
  return p;
}

// All 27 values of the three registers.
inline std::vector<std::array<std::uint32_t, 3>> all_registers() {
  std::vector<std::array<std::uint32_t, 3>> out;
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t b = 0; b < 3; ++b)
      for (std::uint32_t c = 0; c < 3; ++c) out.push_back({a, b, c});
  return out;
}

}  // namespace act::passes
