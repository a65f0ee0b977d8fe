#include "act/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "act/isa/memory_map.h"

namespace act::ir {
namespace {

class Verifier {
 public:
  Verifier(const Module& m, const std::string& file, Diagnostics& out) : m_(m), file_(file), out_(out) {}

  void run() {
    if (m_.functions.empty()) report(Code::bad_module, "a module has at least one function");
    std::set<std::string_view> tensors;
    for (const TensorBinding& t : m_.tensors)
      if (!tensors.insert(t.name).second) report(Code::duplicate_name, "two tensors of one name", t.name);
    std::set<std::string_view> names;
    for (const Function& f : m_.functions) {
      where_ = f.name;
      if (f.name.empty()) report(Code::bad_module, "a function has a name");
      if (!names.insert(f.name).second) report(Code::duplicate_name, "two functions of one name", f.name);
      nodes(f.body, {});
      check_calls(f);
    }
  }

 private:
  void report(Code code, std::string message, std::string value = {}, const Inst* inst = nullptr) {
    if (out_.size() >= kMaxErrors) return;
    if (inst != nullptr) message = fmt::format("{}: {}", place_of(*inst), message);
    Diagnostic d = make_error(code, std::move(message));
    d.where.file = file_;
    d.where.pointer = where_;
    if (inst != nullptr) d.where.line = inst->line;
    d.value = std::move(value);
    out_.push_back(std::move(d));
  }

  void nodes(const std::vector<Node>& list, std::vector<std::string> loops) {
    for (const Node& n : list) {
      const std::string outer = where_;
      switch (n.kind) {
        case Node::Kind::block:
          where_ += "/" + n.name;
          for (const Inst& i : n.instructions) instruction(i, loops);
          break;
        case Node::Kind::loop: {
          where_ += "/loop " + n.name;
          if (n.name.empty()) report(Code::bad_module, "a loop names its index");
          if (std::ranges::find(loops, n.name) != loops.end()) report(Code::duplicate_name, "an outer loop has this index too", n.name);
          auto inner = loops;
          inner.push_back(n.name);
          nodes(n.body, std::move(inner));
          break;
        }
        case Node::Kind::branch:
          where_ += "/branch";
          nodes(n.body, loops);
          nodes(n.otherwise, loops);
          break;
        case Node::Kind::call:
          if (m_.find_function(n.name) == nullptr) report(Code::unknown_name, "a call of a function that the module lacks", n.name);
          break;
      }
      where_ = outer;
    }
  }

  void instruction(const Inst& i, const std::vector<std::string>& loops) {
    if (i.kind != InstKind::Isa && !i.name.empty() && !names_.insert(i.name).second) report(Code::duplicate_name, "two instructions of one name", i.name, &i);
    if (!device_engine(i.engine)) report(Code::bad_module, fmt::format("{}, but DMA, Unassigned and ALL are not valid TPB engines", i.name), std::string(engine_id_name(i.engine)), &i);
    for (const Argument& a : i.ins) operand(i, a);
    for (const Argument& a : i.outs) operand(i, a);
    counts(i);
    if (const auto* set = std::get_if<SetId>(&i.fields)) symbolic(i, *set, loops);
  }

  void operand(const Inst& i, const Argument& a) {
    if (a.kind != Argument::Kind::pattern) return;
    const Location at = locate(a.value, m_.generation);
    if (at.space == Space::off_chip || !at.active) return report(Code::out_of_bounds, "an operand outside the chip's memories", fmt::format("0x{:x}", a.value), &i);
    if (a.channels == 0 || at.partition + a.channels > kPartitions) return report(Code::out_of_bounds, "an operand in more channels than there are behind its first partition", std::to_string(a.channels), &i);
    std::int64_t low = at.offset, high = at.offset + dtype_bytes(a.dtype);
    for (unsigned d = 0; d < a.dims; ++d) {
      const std::int64_t reach = std::int64_t{dtype_bytes(a.dtype)} * a.step[d] * (a.num[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    if (low < 0 || high > active_bytes(at.space, m_.generation)) report(Code::out_of_bounds, "an operand that reaches outside its partition", fmt::format("bytes {}..{}", low, high - 1), &i);
  }

  void counts(const Inst& i) {
    const auto expect = [&](std::size_t ins_low, std::size_t ins_high, std::size_t outs_low, std::size_t outs_high, std::string_view text) {
      if (i.ins.size() < ins_low || i.ins.size() > ins_high || i.outs.size() < outs_low || i.outs.size() > outs_high)
        report(Code::bad_module, std::string(text), fmt::format("{} and {}", i.ins.size(), i.outs.size()), &i);
    };
    switch (i.kind) {
      case InstKind::Activation:
        expect(4, 4, 0, 99, "Activation instruction can only have 4 arguments");
        expect(0, 99, 1, 2, "Activation instruction can only have 1 or 2 outputs");
        return;
      case InstKind::ReadActivationAccumulator:
      case InstKind::ActivationReadAccumulator:
      case InstKind::DveReadAccumulator: return expect(0, 0, 1, 1, "a drain has one output and no argument");
      case InstKind::Reciprocal:
      case InstKind::GenericRelu: return expect(1, 1, 1, 1, "one argument and one output");
      case InstKind::Exponential: return expect(1, 3, 1, 1, "an input, an optional shift and seed, and one output");
      case InstKind::LoadActFuncSet: return expect(0, 0, 0, 0, "a load has no operands");
      case InstKind::Isa:
        if (const auto op = static_cast<Opcode>(i.bundle().opcode()); op == Opcode::ACTIVATION_TABLE_LOAD || op == Opcode::PSEUDO_LOAD_ACT_FUNC_SET)
          report(Code::bad_module, "a table load is a LoadActFuncSet record", std::string(opcode_name(i.bundle().opcode())), &i);
        return expect(0, 0, 0, 0, "an Isa record has its operands in its fields");
    }
  }

  void symbolic(const Inst& i, const SetId& set, const std::vector<std::string>& loops) {
    if (set.is_static()) return;
    for (const Affine::Term& t : std::get<Affine>(set.value).terms) {
      if (std::ranges::find(loops, t.index) == loops.end()) report(Code::unknown_name, "no loop around the instruction has this index", t.index, &i);
      if (t.op != Affine::Op::mul && t.k == 0) report(Code::bad_module, "a division by zero in a set expression", t.index, &i);
    }
  }

  // Reports calls in a circle and too deep ones; the depth of a function is known once.
  void check_calls(const Function& f) { call_depth(f, 1); }
  unsigned call_depth(const Function& f, unsigned level) {
    if (level > kMaxCallDepth) return level;
    if (const auto known = call_depths_.find(&f); known != call_depths_.end()) return known->second;
    call_depths_[&f] = kMaxCallDepth + 1;  // met again before it is done: it calls itself
    unsigned deepest = 0;
    visit_calls(f.body, [&](std::string_view callee) {
      if (const Function* next = m_.find_function(callee); next != nullptr) deepest = std::max(deepest, call_depth(*next, level + 1));
    });
    if (deepest >= kMaxCallDepth) report(Code::bad_module, fmt::format("the function calls itself, or calls are nested more than {} deep", kMaxCallDepth), f.name);
    return call_depths_[&f] = std::min(deepest + 1, kMaxCallDepth + 1);
  }
  template <class Visit>
  static void visit_calls(const std::vector<Node>& list, Visit&& visit) {
    for (const Node& n : list) {
      if (n.kind == Node::Kind::call) visit(std::string_view(n.name));
      visit_calls(n.body, visit);
      visit_calls(n.otherwise, visit);
    }
  }

  static constexpr std::size_t kMaxErrors = 1000;
  const Module& m_;
  const std::string& file_;
  Diagnostics& out_;
  std::string where_;
  std::unordered_set<std::string_view> names_;
  std::map<const Function*, unsigned> call_depths_;
};

}  // namespace

void verify_module(const Module& module, const std::string& file, Diagnostics& out) { Verifier(module, file, out).run(); }

}  // namespace act::ir
