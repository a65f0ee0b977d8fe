#include "act/ir/module.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/tables/functions.h"

namespace act::ir {
namespace {

constexpr std::string_view kEngines[] = {"Unassigned", "Pool", "Activation", "PE", "DMA", "DVE", "SP", "ALL"};
constexpr std::string_view kKinds[] = {"Activation", "LoadActFuncSet", "ReadActivationAccumulator", "ActivationReadAccumulator", "DveReadAccumulator", "Reciprocal", "Exponential", "GenericRelu", "Isa"};
constexpr std::uint8_t kUnknownFunction = 30;
constexpr std::string_view kCompares[] = {"ALWAYS", "LT", "LE", "EQ", "NE", "GE", "GT"};

template <class Enum, std::size_t N>
std::optional<Enum> find_in(const std::string_view (&names)[N], std::string_view name) {
  const auto it = std::ranges::find(names, name);
  if (it == std::end(names)) return std::nullopt;
  return static_cast<Enum>(it - std::begin(names));
}

// floor(a / b) and the matching remainder, b not 0.
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

// The value of one term; false when it has none.
bool add_term(const Affine::Term& t, std::int64_t index, std::int64_t& sum) {
  std::int64_t v = 0;
  switch (t.op) {
    case Affine::Op::mul:
      if (__builtin_mul_overflow(index, t.k, &v)) return false;
      break;
    case Affine::Op::floordiv:
    case Affine::Op::mod:
      if (t.k == 0 || (t.k == -1 && index == INT64_MIN)) return false;
      v = t.op == Affine::Op::floordiv ? floor_div(index, t.k) : index - floor_div(index, t.k) * t.k;
      break;
  }
  return !__builtin_mul_overflow(v, t.coefficient, &v) && !__builtin_add_overflow(sum, v, &sum);
}

}  // namespace

std::string_view engine_id_name(EngineId engine) { return kEngines[static_cast<std::size_t>(engine)]; }
std::optional<EngineId> find_engine_id(std::string_view name) { return find_in<EngineId>(kEngines, name); }

std::optional<Engine> device_engine(EngineId engine) {
  switch (engine) {
    case EngineId::Pool: return Engine::POOL;
    case EngineId::Activation: return Engine::ACT;
    case EngineId::PE: return Engine::PE;
    case EngineId::DVE: return Engine::DVE;
    case EngineId::SP: return Engine::SP;
    case EngineId::Unassigned:
    case EngineId::DMA:
    case EngineId::ALL: break;
  }
  return std::nullopt;
}

std::string_view inst_kind_name(InstKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::optional<InstKind> find_inst_kind(std::string_view name) { return find_in<InstKind>(kKinds, name); }
std::string_view compare_name(Condition::Compare c) { return kCompares[static_cast<std::size_t>(c)]; }

bool holds(Condition::Compare compare, std::uint32_t left, std::uint32_t right) {
  switch (compare) {
    case Condition::Compare::ALWAYS: return true;
    case Condition::Compare::LT: return left < right;
    case Condition::Compare::LE: return left <= right;
    case Condition::Compare::EQ: return left == right;
    case Condition::Compare::NE: return left != right;
    case Condition::Compare::GE: return left >= right;
    case Condition::Compare::GT: return left > right;
  }
  return false;
}

std::optional<std::int64_t> evaluate(const Affine& a, const std::map<std::string, std::int64_t>& indices) {
  std::int64_t sum = a.constant;
  for (const Affine::Term& t : a.terms) {
    const auto it = indices.find(t.index);
    if (it == indices.end() || !add_term(t, it->second, sum)) return std::nullopt;
  }
  return sum;
}

int Module::find_tensor(std::string_view tensor) const {
  const auto it = std::ranges::find(tensors, tensor, &TensorBinding::name);
  return it == tensors.end() ? -1 : static_cast<int>(it - tensors.begin());
}

const Function* Module::find_function(std::string_view function) const {
  const auto it = std::ranges::find(functions, function, &Function::name);
  return it == functions.end() ? nullptr : &*it;
}

std::optional<std::uint8_t> table_function(const Inst& inst) {
  if (inst.is_activation()) return inst.activation().func;
  if (inst.kind != InstKind::Isa) return std::nullopt;
  const Bundle& b = inst.bundle();
  switch (static_cast<Opcode>(b.opcode())) {
    case Opcode::COPY:
    case Opcode::CAST: return inst.engine == EngineId::Activation ? std::optional(kAnySet) : std::nullopt;
    case Opcode::ACTIVATE:
    case Opcode::ACTIVATE_QUANTIZE:
    case Opcode::ACTIVATE2:
    case Opcode::ACTIVATE_MULTIPASS: break;
    default: return std::nullopt;
  }
  const FunctionInfo* f = find_function_by_code(static_cast<std::uint8_t>(get(b, *format_of(b)->find("activation_func"))));
  return f != nullptr && f->bir_ordinal >= 0 ? static_cast<std::uint8_t>(f->bir_ordinal) : kUnknownFunction;
}

std::string place_of(const Inst& inst) {
  const std::string name = inst.name.empty() ? std::string(inst_kind_name(inst.kind)) : inst.name;
  return inst.line != 0 ? fmt::format("line {}: instruction {}", inst.line, name) : fmt::format("instruction {}", name);
}

}  // namespace act::ir
