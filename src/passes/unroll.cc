// Straight-line code for code generation: loops unrolled, calls inlined, symbolic set ids made static (L-05).
#include <fmt/format.h>

#include <unordered_set>

#include "passes/cover.h"

namespace act::passes {
namespace {

using ir::Condition;
using ir::Node;

// Whether the condition holds whatever the registers hold; nothing when it depends on them. Comparisons are unsigned.
std::optional<bool> decide(const Condition& c, const ir::Module& m, bool constant_registers) {
  if (c.compare == Condition::Compare::ALWAYS) return true;
  if (c.against_register && c.value == c.reg) return ir::holds(c.compare, 0, 0);
  if (!c.against_register && c.value == 0 && c.compare == Condition::Compare::GE) return true;
  if (!c.against_register && c.value == 0 && c.compare == Condition::Compare::LT) return false;
  if (!constant_registers) return std::nullopt;
  const auto value = [&](std::uint32_t number) -> std::optional<std::uint32_t> {
    std::optional<std::uint32_t> v;
    for (const RegisterInit& r : m.registers)
      if (r.number == number) v = r.value;
    return v;
  };
  const auto left = value(c.reg), right = c.against_register ? value(c.value) : std::optional(c.value);
  if (!left || !right) return std::nullopt;
  return ir::holds(c.compare, *left, *right);
}

class Unroller {
 public:
  Unroller(ir::Module& m, const Options& o) : module_(m), options_(o) {}

  Result<ir::Module> run() {
    if (module_.functions.empty()) return std::move(module_);
    const std::uint64_t size = size_of(module_.functions[0].body, 0);
    if (!errors_.empty()) return std::move(errors_);
    if (size > options_.unroll_limit)
      return lowering_error(fmt::format("unrolled, the module has more than {} instructions and blocks: {}", options_.unroll_limit, size == kTooLarge ? "2^64 or more" : std::to_string(size)));
    find_names();
    ir::Function flat{module_.functions[0].name, {}};
    expand(module_.functions[0].body, {}, flat.body);
    if (!errors_.empty()) return std::move(errors_);
    module_.functions.clear();
    module_.functions.push_back(std::move(flat));
    return std::move(module_);
  }

 private:
  static constexpr std::uint64_t kTooLarge = ~std::uint64_t{0};

  void error(std::string message) {
    if (errors_.size() < kMaxErrors) errors_.push_back(lowering_error(std::move(message)));
  }

  // The arm that is taken; nullptr after an error.
  const std::vector<Node>* arm(const Node& n) {
    const auto taken = decide(n.condition, module_, options_.constant_registers);
    if (taken) return *taken ? &n.body : &n.otherwise;
    error(fmt::format("a branch on register {} ({}) cannot be decided when code is generated; a module run executes it", n.condition.reg, ir::compare_name(n.condition.compare)));
    return nullptr;
  }

  // Instructions and items of the expansion, saturating; reports what cannot be expanded.
  std::uint64_t size_of(const std::vector<Node>& nodes, std::size_t calls) {
    std::uint64_t sum = 0;
    const auto add = [&](std::uint64_t n) { sum = sum > kTooLarge - n ? kTooLarge : sum + n; };
    for (const Node& n : nodes) {
      add(1);
      switch (n.kind) {
        case Node::Kind::block: add(n.instructions.size()); break;
        case Node::Kind::loop: {
          if (n.trip == 0) break;
          const std::uint64_t body = size_of(n.body, calls), trip = static_cast<std::uint64_t>(n.trip);
          add(body != 0 && trip > kTooLarge / body ? kTooLarge : trip * body);
          break;
        }
        case Node::Kind::branch:
          if (const auto* taken = arm(n)) add(size_of(*taken, calls));
          break;
        case Node::Kind::call: add(size_of_call(n, calls)); break;
      }
    }
    return sum;
  }

  std::uint64_t size_of_call(const Node& n, std::size_t calls) {
    const ir::Function* callee = module_.find_function(n.name);
    if (callee == nullptr) return error("a call of a function that the module lacks: " + n.name), 0;
    if (calls >= ir::kMaxCallDepth) return error(fmt::format("calls are nested more than {} deep, or a function calls itself: {}", ir::kMaxCallDepth, n.name)), 0;
    if (const auto known = call_sizes_.find(callee); known != call_sizes_.end()) return known->second;
    const std::uint64_t size = size_of(callee->body, calls + 1);
    return call_sizes_[callee] = size;
  }

  void expand(const std::vector<Node>& nodes, const std::string& suffix, std::vector<Node>& out) {
    for (const Node& n : nodes) {
      if (!errors_.empty()) return;
      switch (n.kind) {
        case Node::Kind::block: out.push_back(copy_block(n, suffix)); break;
        case Node::Kind::loop: expand_loop(n, suffix, out); break;
        case Node::Kind::branch: expand(*arm(n), suffix, out); break;
        case Node::Kind::call: expand(module_.find_function(n.name)->body, fmt::format("{}-c{}", suffix, calls_++), out); break;
      }
    }
  }

  void expand_loop(const Node& n, const std::string& suffix, std::vector<Node>& out) {
    if (n.body.empty()) return;  // nothing, however often
    const auto outer = indices_.find(n.name) == indices_.end() ? std::optional<std::int64_t>{} : indices_[n.name];
    for (std::int64_t i = 0; i < n.trip && errors_.empty(); ++i) {
      indices_[n.name] = i;
      expand(n.body, fmt::format("{}-{}", suffix, i), out);
    }
    if (outer) indices_[n.name] = *outer;
    else indices_.erase(n.name);
  }

  Node copy_block(const Node& n, const std::string& suffix) {
    Node block = n;
    if (!suffix.empty()) block.name += suffix;
    for (ir::Inst& i : block.instructions) {
      if (!suffix.empty() && !i.name.empty()) i.name = unique_name(i.name + suffix);
      if (auto* set = std::get_if<ir::SetId>(&i.fields)) make_static(i, *set);
    }
    return block;
  }

  void make_static(const ir::Inst& i, ir::SetId& set) {
    if (set.is_static()) return;
    const auto value = evaluate(std::get<ir::Affine>(set.value), indices_);
    if (value && *value >= 0 && *value < ir::kNoSet) set.value = *value;
    else errors_.push_back(lowering_error("the set expression has no value here, or a negative one", &i));
  }

  // Iterations are told by suffixes "-3" and calls by "-c3". Two copies can only be called the same when one instruction is
  // already called like another with such a suffix; then, and only then, every name is looked up.
  void find_names() {
    for (const ir::Function& f : module_.functions)
      ir::for_blocks(f.body, [&](const Node& block) {
        for (const ir::Inst& i : block.instructions) taken_.insert(i.name);
      });
    for (const std::string& name : taken_)
      for (std::string_view left = without_suffix(name); !left.empty() && !look_up_; left = without_suffix(left)) look_up_ = taken_.contains(std::string(left));
    if (!look_up_) taken_.clear();
  }
  // The name without a last suffix; empty when it has none.
  static std::string_view without_suffix(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789");
    if (digits == name.npos || digits + 1 == name.size()) return {};
    name = name.substr(0, digits + 1);
    if (name.ends_with("-c")) return name.substr(0, name.size() - 2);
    return name.ends_with('-') ? name.substr(0, name.size() - 1) : std::string_view{};
  }

  std::string unique_name(std::string base) {
    if (!look_up_) return base;
    std::string name = base;
    for (unsigned k = 1; !taken_.insert(name).second; ++k) name = fmt::format("{}.{}", base, k);
    return name;
  }

  static constexpr std::size_t kMaxErrors = 100;
  ir::Module& module_;
  const Options& options_;
  Diagnostics errors_;
  std::unordered_set<std::string> taken_;  // empty unless they are looked up
  bool look_up_ = false;
  std::map<const ir::Function*, std::uint64_t> call_sizes_;
  std::map<std::string, std::int64_t> indices_;
  std::uint64_t calls_ = 0;
};

bool is_straight(const ir::Module& m) {
  if (m.functions.size() != 1) return false;
  for (const Node& n : m.functions[0].body) {
    if (n.kind != Node::Kind::block) return false;
    for (const ir::Inst& i : n.instructions)
      if (i.is_load() && !i.set().is_static()) return false;
  }
  return true;
}

}  // namespace

Result<ir::Module> unroll(ir::Module module, const Options& options, Diagnostics&) {
  if (is_straight(module)) return module;
  return Unroller(module, options).run();
}

}  // namespace act::passes
