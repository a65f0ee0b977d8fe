// Builds modules in C++, so that an example is as short as the kernel it stands for:
//
//   Builder b("rmsnorm");
//   const View rows = b.input("rows", Dtype::fp32, {2, 4096}), eps = b.input("eps", Dtype::fp32, {2, 1});
//   const View out = b.output("out", Dtype::bfloat16, {2, 4096}), rstd = b.scratch("rstd", Dtype::fp32, {2, 1});
//   b.activate("Square", rows, junk).accumulate(Accumulation::ZeroAccumulate);
//   b.drain(sum);
//   b.activate("Rsqrt", sum, rstd).scale(1 / 4096.0F).bias(eps);
//   b.activate("Copy", rows, out).scale(rstd);
//   Result<Module> m = b.finish();
//
// Nothing here fails half way: what is wrong is kept and returned by finish(), with everything verify_module finds.
#pragma once

#include <functional>
#include <initializer_list>

#include "act/diag/result.h"
#include "act/ir/module.h"
#include "act/isa/memory_map.h"

namespace act::ir {

// Elements of a tensor, all of them or a part: an operand in the making.
struct View {
  Argument pattern;
  // Elements [begin, end) of the innermost dimension. Precondition: a view of one free dimension.
  View columns(unsigned begin, unsigned end) const;
  // Channels [begin, end).
  View channels(unsigned begin, unsigned end, Generation g = kDefaultGeneration) const;
  // The same elements walked with these counts and steps, dimension 0 innermost.
  View as(std::initializer_list<std::uint16_t> num, std::initializer_list<std::int16_t> step) const;
};

// A scalar operand: one binary32 value, one element per channel at a view, or a register.
struct ScalarOperand {
  Argument argument;
  ScalarOperand(float value);
  ScalarOperand(const View& view) : argument(view.pattern) {}
  static ScalarOperand bits(std::uint32_t pattern);
  static ScalarOperand reg(std::uint8_t number);
};

// The instruction added last; refine it before adding the next.
class Added {
 public:
  explicit Added(Inst& inst, Diagnostics& faults) : inst_(inst), faults_(faults) {}

  Added& name(std::string text) { return inst_.name = std::move(text), *this; }
  Added& line(std::uint32_t number) { return inst_.line = number, *this; }
  Added& on(EngineId engine) { return inst_.engine = engine, *this; }
  Added& wait(std::uint8_t semaphore, std::uint32_t at_least);
  Added& increment(std::uint8_t semaphore);
  Added& update(UpdateMode mode, std::uint8_t index, std::uint32_t value = 0);

  // Activations.
  Added& bias(const ScalarOperand& operand) { return operand_at(1, operand); }
  Added& scale(const ScalarOperand& operand) { return operand_at(2, operand); }
  Added& alpha(const ScalarOperand& operand) { return operand_at(3, operand); }
  Added& accumulate(Accumulation command);
  Added& drain(const View& sums);  // second output: the accumulators, by a fused read
  // The two stages before the function and the reduction behind it; makes the instruction an ACTIVATE2 (mariana and later).
  // Arguments 1, 2 and 3 are then the immediates of op0 and op1 and the slope.
  Added& stages(AluOp op0, AluOp op1, AluOp reduce_op = AluOp::bypass);

  // Records of other opcodes: any field of the format by its name. An unknown name or a wrong kind is a fault.
  Added& set(std::string_view field, std::uint64_t value);
  Added& set(std::string_view field, const View& view);
  // A scalar field with its source selector (`<field>_src`, `bias_src_n`).
  Added& set(std::string_view field, const ScalarOperand& operand);

 private:
  Added& operand_at(std::size_t index, const ScalarOperand& operand);
  void fault(std::string message);
  Inst& inst_;
  Diagnostics& faults_;
};

class Builder {
 public:
  using Shape = std::vector<std::uint64_t>;
  using Body = std::function<void()>;

  explicit Builder(std::string name, Generation generation = kDefaultGeneration);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // --- tensors, channels first; placed one behind the other, PSUM tensors in a bank each ---------------------------
  View input(std::string name, Dtype dtype, Shape shape, Space space = Space::sbuf) { return tensor(std::move(name), TensorBinding::Role::input, dtype, std::move(shape), space); }
  View output(std::string name, Dtype dtype, Shape shape, Space space = Space::sbuf) { return tensor(std::move(name), TensorBinding::Role::output, dtype, std::move(shape), space); }
  View scratch(std::string name, Dtype dtype, Shape shape, Space space = Space::sbuf) { return tensor(std::move(name), TensorBinding::Role::scratch, dtype, std::move(shape), space); }
  View tensor(std::string name, TensorBinding::Role role, Dtype dtype, Shape shape, Space space = Space::sbuf);
  void reg(std::uint8_t number, std::uint32_t value) { module_.registers.push_back({number, value}); }

  // --- structure ---------------------------------------------------------------------------------------------------
  // Instructions go to the block that is open; a new one is opened where there is none.
  void block(std::string name);
  void loop(std::string index, std::int64_t trip, const Body& body);
  void branch(const Condition& condition, const Body& then, const Body& otherwise = {});
  void call(std::string function);
  // What `body` adds belongs to the function; the entry function is the one that stands outside all.
  void function(std::string name, const Body& body);

  // --- instructions ------------------------------------------------------------------------------------------------
  Added activate(std::string_view func, const View& src, const View& dst);  // by its BIR name; scale 1, bias 0, alpha 0
  Added load(std::int64_t set);
  Added load(Affine set);
  Added drain(const View& sums);  // the activation engine's accumulators
  Added dve_drain(const View& sums, bool negated = false);
  Added reciprocal(const View& src, const View& dst);
  Added exponential(const View& src, const View& dst, const ScalarOperand& shift, AccumCmd command = AccumCmd::IDLE);
  Added copy(const View& src, const View& dst);
  Added cast(const View& src, const View& dst);
  Added tensor_tensor(AluOp op, const View& left, const View& right, const View& dst);
  Added tensor_scalar(const View& src, const View& dst, AluOp op0, const ScalarOperand& operand0);
  Added tensor_scalar(const View& src, const View& dst, AluOp op0, const ScalarOperand& operand0, AluOp op1, const ScalarOperand& operand1);
  Added reduce(AluOp op, TensorSubdim dims, const View& src, const View& dst, bool negated = false);
  Added memset(const View& dst, std::uint32_t element);
  Added copy_predicated(const View& mask, const View& src, const View& dst);
  Added mask_select(const std::array<std::uint8_t, 32>& entries);
  Added stream_shuffle(const View& src, const View& dst);
  Added isa(Opcode opcode, EngineId engine);  // all fields zero

  // The module; names I-0, I-1, … for instructions without one. Errors: every fault noted on the way, and those of
  // verify_module. The builder is used up.
  Result<Module> finish();

 private:
  Added add(Inst inst);
  std::vector<Node>& region() { return *regions_.back(); }
  void inside(std::vector<Node>& nodes, const Body& body);
  void fault(std::string message);
  Argument operand(const View& view) const { return view.pattern; }

  Module module_;
  std::vector<std::vector<Node>*> regions_;
  std::vector<Node> main_;
  std::vector<Function> functions_;
  Diagnostics faults_;
  std::uint32_t next_sbuf_ = 0, next_bank_ = 0;
  bool open_ = false;  // the last node of the region is a block that takes instructions
};

}  // namespace act::ir
