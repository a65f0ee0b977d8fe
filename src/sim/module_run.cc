#include "act/sim/module_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace act::sim {
namespace {

using ir::Node;

// The rows of the trace: streams of frame_of().
constexpr ir::EngineId kTracks[] = {ir::EngineId::Activation, ir::EngineId::Pool, ir::EngineId::PE, ir::EngineId::DVE, ir::EngineId::SP};
constexpr std::size_t kNoTrack = std::size(kTracks);

std::size_t track_of(ir::EngineId engine) {
  return static_cast<std::size_t>(std::ranges::find(kTracks, engine) - std::begin(kTracks));
}

// A block as bundles: a stream per engine, and the order of its instructions over them.
struct Encoding {
  struct Item {
    std::size_t track = 0, at = 0;
    const ir::Inst* inst = nullptr;
    bool symbolic = false;  // a load to be encoded when it is reached
  };
  std::array<Stream, std::size(kTracks)> streams;
  std::vector<Item> items;
};

class Run {
 public:
  Run(const ir::Module& m, const ModuleRunOptions& o, Simulator& s) : module_(m), options_(o), simulator_(s) {
    options_.encode.generation = m.generation;
    if (const Catalog* catalog = s.machine().functions.catalog(); catalog != nullptr) {
      options_.encode.functions = ir::function_codes(*catalog);
      options_.encode.sets.clear();
      for (const TableSet& set : catalog->sets) options_.encode.sets.push_back(set.name());
    }
  }

  bool run() {
    if (!module_.act_set.empty() && !make_resident(module_.act_set, simulator_)) return false;
    if (module_.functions.empty()) return fail(Code::bad_module, "a module has at least one function");
    return region(module_.functions[0].body, 0) && simulator_.finish();
  }

 private:
  bool fail(Code code, std::string message) {
    simulator_.report(make_error(code, std::move(message)));
    return false;
  }

  bool count() {
    if (++executed_ <= options_.limit) return true;
    return fail(Code::too_large, fmt::format("the module executes more than {} instructions", options_.limit));
  }

  bool region(const std::vector<Node>& nodes, unsigned calls) {
    for (const Node& n : nodes)
      if (!node(n, calls)) return false;
    return true;
  }

  bool node(const Node& n, unsigned calls) {
    if (!count()) return false;
    switch (n.kind) {
      case Node::Kind::block: return block(n);
      case Node::Kind::loop: return loop(n, calls);
      case Node::Kind::branch: {
        bool taken = false;
        return condition(n.condition, taken) && region(taken ? n.body : n.otherwise, calls);
      }
      case Node::Kind::call: break;
    }
    const ir::Function* callee = module_.find_function(n.name);
    if (callee == nullptr) return fail(Code::unknown_name, "a call of a function that the module lacks: " + n.name);
    if (calls >= ir::kMaxCallDepth) return fail(Code::bad_module, fmt::format("calls are nested more than {} deep, or a function calls itself: {}", ir::kMaxCallDepth, n.name));
    return region(callee->body, calls + 1);
  }

  bool loop(const Node& n, unsigned calls) {
    if (n.body.empty()) return true;
    const auto outer = indices_.find(n.name);
    const std::optional<std::int64_t> hidden = outer == indices_.end() ? std::nullopt : std::optional(outer->second);
    bool ok = true;
    for (std::int64_t i = 0; ok && i < n.trip; ++i) {
      indices_[n.name] = i;
      ok = region(n.body, calls);
    }
    if (hidden) indices_[n.name] = *hidden;
    else indices_.erase(n.name);
    return ok;
  }

  bool condition(const ir::Condition& c, bool& taken) {
    const auto& registers = simulator_.machine().registers;
    const auto value = [&](std::uint32_t number) { return number < registers.size() ? registers[number] : std::nullopt; };
    const bool always = c.compare == ir::Condition::Compare::ALWAYS;
    const auto left = value(c.reg), right = c.against_register ? value(c.value) : std::optional(c.value);
    if (!always && (!left || !right)) return fail(Code::register_not_set, fmt::format("a branch reads register {}, which has no value", left ? c.value : c.reg));
    taken = always || ir::holds(c.compare, *left, *right);
    return true;
  }

  bool block(const Node& n) {
    auto [found, fresh] = blocks_.try_emplace(&n);
    if (fresh && !encode(n, found->second)) return false;
    Encoding& e = found->second;
    std::array<std::size_t, std::size(kTracks)> next{};  // bundles that an instruction took beyond its own are behind it
    for (const Encoding::Item& item : e.items) {
      if (item.at < next[item.track] || simulator_.halted(item.track)) continue;
      if (!count() || (item.symbolic && !evaluate(*item.inst, e.streams[item.track].bundles[item.at]))) return false;
      const std::size_t reports = simulator_.reports().size();
      const std::size_t taken = simulator_.execute(e.streams[item.track], item.at, item.track);
      for (Diagnostic& d : simulator_.reports_since(reports)) name_place(d, n, *item.inst);
      if (taken == 0) return false;
      next[item.track] = item.at + taken;
    }
    return true;
  }

  // Positions in a block's streams tell a reader of the module nothing; names do.
  static void name_place(Diagnostic& d, const Node& n, const ir::Inst& inst) {
    d.where.file.clear();
    d.where.instruction.reset();
    d.where.pointer = n.name;
    d.message = fmt::format("{}: {}", ir::place_of(inst), d.message);
  }

  bool encode(const Node& n, Encoding& out) {
    Diagnostics errors;
    for (std::size_t t = 0; t < std::size(kTracks); ++t) {
      out.streams[t].engine = *ir::device_engine(kTracks[t]);
      out.streams[t].name = n.name;
    }
    ir::Encoded encoded;
    for (const ir::Inst& i : n.instructions) {
      const std::size_t track = track_of(i.engine);
      if (track == kNoTrack) {
        errors.push_back(ir::generation_error(i, fmt::format("{}, but DMA, Unassigned and ALL are not valid TPB engines", i.name)));
        continue;
      }
      const bool symbolic = i.is_load() && !i.set().is_static();
      if (!symbolic && !ir::encode(i, options_.encode, encoded, errors)) continue;
      if (symbolic) encoded = ir::Encoded{{}, 1};
      for (const Bundle& b : encoded.span()) {
        Stream& s = out.streams[track];
        out.items.push_back({track, s.bundles.size(), &i, symbolic});
        s.bundles.push_back(b);
        s.lines.push_back(i.line);
      }
    }
    for (Diagnostic& d : errors) simulator_.report(std::move(d));
    return errors.empty();
  }

  bool evaluate(const ir::Inst& load, Bundle& out) {
    const auto value = ir::evaluate(std::get<ir::Affine>(load.set().value), indices_);
    if (!value || *value < 0) return fail(Code::bad_value, fmt::format("{}: the set expression has no value here, or a negative one", ir::place_of(load)));
    ir::Inst fixed = load;
    fixed.fields = ir::SetId{*value};
    ir::Encoded encoded;
    Diagnostics errors;
    if (ir::encode(fixed, options_.encode, encoded, errors)) return out = encoded.bundles[0], true;
    for (Diagnostic& d : errors) simulator_.report(std::move(d));
    return false;
  }

  const ir::Module& module_;
  ModuleRunOptions options_;
  Simulator& simulator_;
  std::unordered_map<const Node*, Encoding> blocks_;
  std::map<std::string, std::int64_t> indices_;
  std::uint64_t executed_ = 0;
};

}  // namespace

Program frame_of(const ir::Module& module) {
  Program p;
  p.generation = module.generation;
  p.tensors = module.tensors;
  p.registers = module.registers;
  for (const ir::EngineId engine : kTracks) p.streams.push_back({*ir::device_engine(engine), std::string(ir::engine_id_name(engine)), {}, {}});
  return p;
}

bool make_resident(const std::string& set, Simulator& simulator) {
  FunctionUnit& functions = simulator.machine().functions;
  const Catalog* catalog = functions.catalog();
  for (std::size_t k = 0; catalog != nullptr && k < catalog->sets.size(); ++k) {
    if (catalog->sets[k].name() != set) continue;
    const Status loaded = functions.load(static_cast<int>(k));
    if (loaded) return true;
    for (const Diagnostic& d : loaded.error()) simulator.report(d);
    return false;
  }
  simulator.report(make_error(Code::lowering, fmt::format("unable to find used act set {}", set)));
  return false;
}

bool run_module(const ir::Module& module, const ModuleRunOptions& options, Simulator& simulator) { return Run(module, options, simulator).run(); }

}  // namespace act::sim
