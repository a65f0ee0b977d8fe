// Instructions as tests write them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "act/ir/encode.h"
#include "act/tables/functions.h"

namespace act::ir {

// `n` elements in each of `channels` partitions from `addr` on.
inline Argument pattern(std::uint32_t addr, std::uint16_t n, std::uint8_t channels = 128, Dtype dtype = Dtype::fp32) {
  Argument a;
  a.kind = Argument::Kind::pattern;
  a.value = addr;
  a.channels = channels;
  a.dims = 1;
  a.num[0] = n;
  a.dtype = dtype;
  return a;
}
inline Argument immediate(std::uint32_t bits) {
  Argument a;
  a.value = bits;
  return a;
}
inline Argument reg(std::uint32_t number) {
  Argument a;
  a.kind = Argument::Kind::reg;
  a.value = number;
  return a;
}

// func(in * 1 + 0) of 64 elements, by BIR name.
inline Inst activation(const std::string& func, const std::string& name = "I-1") {
  Inst i;
  i.kind = InstKind::Activation;
  i.name = name;
  ActivationFields f;
  const FunctionInfo* info = find_function(func);
  f.func = info != nullptr ? static_cast<std::uint8_t>(info->bir_ordinal) : 30;
  i.fields = f;
  i.ins = {pattern(0x1000, 64), immediate(0), immediate(0x3F800000), immediate(0)};
  i.outs = {pattern(0x2000, 64)};
  return i;
}
inline Inst load(std::int64_t set, const std::string& name = "I-1-PWP") {
  Inst i;
  i.kind = InstKind::LoadActFuncSet;
  i.fields = SetId{set};
  i.name = name;
  return i;
}
inline Inst drain(InstKind kind, Argument out) {
  Inst i;
  i.kind = kind;
  i.name = "D-1";
  if (kind == InstKind::DveReadAccumulator) {
    i.fields = DrainFields{};
    i.engine = EngineId::DVE;
  }
  i.outs = {out};
  return i;
}

inline std::string hex(const Bundle& b) {
  std::string out;
  for (std::size_t k = 0; k < b.bytes.size(); ++k) out += fmt::format("{}{:02x}", k != 0 && k % 4 == 0 ? " " : "", b.bytes[k]);
  return out;
}

}  // namespace act::ir
