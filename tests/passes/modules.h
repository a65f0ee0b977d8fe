// Small modules for the tests of the passes.
#pragma once

#include <gtest/gtest.h>

#include "act/ir/verify.h"
#include "act/passes/passes.h"
#include "act/tables/embedded.h"
#include "act/tables/functions.h"

namespace act::passes {

inline Options options_for(const std::string& catalog) {
  Diagnostics warnings;
  const auto c = open_catalog(catalog, warnings);
  EXPECT_TRUE(c) << (c ? "" : to_text(c.error()[0]));
  Options o;
  if (c) o.sets = act_sets(*c);
  return o;
}

inline ir::Argument pattern(std::uint32_t addr, std::uint16_t n = 64) {
  ir::Argument a;
  a.kind = ir::Argument::Kind::pattern;
  a.channels = 32;
  a.dims = 1;
  a.value = addr;
  a.num[0] = n;
  return a;
}

inline ir::Inst activation(const std::string& func, const std::string& name) {
  ir::Inst i;
  i.kind = ir::InstKind::Activation;
  i.name = name;
  ir::ActivationFields f;
  const FunctionInfo* info = find_function(func);
  f.func = info != nullptr ? static_cast<std::uint8_t>(info->bir_ordinal) : 30;
  i.fields = f;
  ir::Argument zero, one;
  one.value = 0x3F800000;
  i.ins = {pattern(0), zero, one, zero};
  i.outs = {pattern(4096)};
  return i;
}

inline ir::Inst isa(Opcode opcode, ir::EngineId engine, const std::string& name) {
  ir::Inst i;
  i.kind = ir::InstKind::Isa;
  i.engine = engine;
  i.name = name;
  Bundle b;
  b.bytes[0] = static_cast<std::uint8_t>(opcode);
  b.bytes[1] = kInstWordLen;
  i.fields = b;
  return i;
}

inline ir::Inst load(std::int64_t set, const std::string& name) {
  ir::Inst i;
  i.kind = ir::InstKind::LoadActFuncSet;
  i.fields = ir::SetId{set};
  i.name = name;
  return i;
}

inline ir::Node block(std::vector<ir::Inst> list, std::string name = "b") {
  ir::Node n;
  n.name = std::move(name);
  n.instructions = std::move(list);
  return n;
}
inline ir::Node loop(std::string index, std::int64_t trip, std::vector<ir::Node> body) {
  ir::Node n;
  n.kind = ir::Node::Kind::loop;
  n.name = std::move(index);
  n.trip = trip;
  n.body = std::move(body);
  return n;
}
inline ir::Node branch(std::vector<ir::Node> then, std::vector<ir::Node> otherwise) {
  ir::Node n;
  n.kind = ir::Node::Kind::branch;
  n.condition.compare = ir::Condition::Compare::EQ;
  n.body = std::move(then);
  n.otherwise = std::move(otherwise);
  return n;
}
inline ir::Module module_of(std::vector<ir::Node> body) {
  ir::Module m;
  m.name = "m";
  m.functions.push_back({"main", std::move(body)});
  return m;
}
inline ir::Node call(std::string function) {
  ir::Node n;
  n.kind = ir::Node::Kind::call;
  n.name = std::move(function);
  return n;
}

// Loads executed by a lowered module, arms of a branch counted as the worse; independent of the passes' own bookkeeping.
inline std::uint64_t executed(const std::vector<ir::Node>& nodes) {
  std::uint64_t n = 0;
  for (const ir::Node& x : nodes) {
    for (const ir::Inst& i : x.instructions) n += i.is_load() ? 1 : 0;
    if (x.kind == ir::Node::Kind::loop) n += static_cast<std::uint64_t>(x.trip) * executed(x.body);
    if (x.kind == ir::Node::Kind::branch) n += std::max(executed(x.body), executed(x.otherwise));
  }
  return n;
}

}  // namespace act::passes
