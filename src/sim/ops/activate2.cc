// 0x25 Activate2: two ALU stages, the function, a reduction into the accumulators (seed "Activate", section 7).
// 0x26 ActivateMultipass: the same with the result of the previous pass (02 section 14).
#include <algorithm>
#include <cstdlib>
#include <string>

#include "accumulation.h"
#include "function_stage.h"
#include "ops.h"

namespace act::sim::ops {
namespace {

// (x op0 imm0) op1 imm1, each operand pair swapped where reverse_operands says so.
struct AluStages {
  AluOp op0, op1;
  RevOps reverse;
  Scalar imm0, imm1;

  void apply(const Exec& x, const Block& at, const float* in, float* v) const {
    const bool swap0 = reverse == RevOps::FIRST || reverse == RevOps::BOTH;
    const bool swap1 = reverse == RevOps::SECOND || reverse == RevOps::BOTH;
    x.alu({op0, imm0.at(at.channel), swap0}, {op1, imm1.at(at.channel), swap1}, in, at.count, v);
  }
};

template <class Inst>
AluStages alu_stages(Exec& x, const Inst& i) {
  if (!activate2_accepts(i.op0, i.op1)) x.fail(Code::bad_value, "no such pair of operations before a function", "op0");
  AluStages stages{i.op0, i.op1, i.reverse_operands, {}, {}};
  if (i.op0 != AluOp::bypass) stages.imm0 = x.scalar(i.imm0, i.imm0_src, i.imm_dtype, "imm0", i.num_active_channels);
  if (i.op1 != AluOp::bypass) stages.imm1 = x.scalar(i.imm1, i.imm1_src, i.imm_dtype, "imm1", i.num_active_channels);
  return stages;
}

bool resets(ReduceCmd c) { return c == ReduceCmd::RESET || c == ReduceCmd::RESET_REDUCE; }
bool reduces(ReduceCmd c) { return c == ReduceCmd::REDUCE || c == ReduceCmd::RESET_REDUCE; }

void check_reduce(Exec& x, AluOp op, ReduceCmd command) {
  if (command > ReduceCmd::RESET_REDUCE) return x.fail(Code::bad_value, "no such reduce command", "reduce_cmd");
  if (command != ReduceCmd::IDLE && !alu_computes(op, AluDomain::floating))
    x.fail(Code::bad_value, "no operation that reduces FP32 values", "reduce_op");
}

// Half-open domain of one pass of a multipass function (02 section 14): the first takes everything below and the special
// inputs, the last everything above.
class PassDomain {
 public:
  PassDomain(const FunctionTable& table, const TableSet* set) {
    const std::size_t underscore = table.name.rfind('_');
    if (!table.use_multipass || underscore == std::string::npos || !table.name.ends_with("mp")) return;
    const int pass = std::atoi(table.name.c_str() + underscore + 1);
    const std::string next = table.name.substr(0, underscore + 1) + std::to_string(pass + 1) + "mp";
    multipass_ = true;
    first_ = pass == 0;
    last_ = set == nullptr || set->find(next) == nullptr;
    low_ = table.lower_bound;
    high_ = table.upper_bound;
  }
  bool multipass() const { return multipass_; }
  bool takes(float v) const {
    if (!multipass_) return true;
    if (v == 0 || is_nan(v) || is_inf(v)) return first_;
    return (first_ || v >= low_) && (last_ || v < high_);
  }

 private:
  bool multipass_ = false, first_ = false, last_ = false;
  float low_ = 0, high_ = 0;
};

}  // namespace

void activate2(Exec& x, const S2d2Ac& i) {
  const unsigned n = i.num_active_channels;
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const AluStages stages = alu_stages(x, i);
  check_reduce(x, i.reduce_op, i.reduce_cmd);
  FunctionStage f(x, i.activation_func);
  Scalar slope;
  if (f.parametric()) slope = x.scalar(i.relu_param, i.relu_param_src, i.imm_dtype, "relu_param", n);
  if (x.failed()) return;

  Accumulation reduction(x, x.machine.accumulators(Engine::ACT), i.reduce_op, reduces(i.reduce_cmd));
  if (resets(i.reduce_cmd)) reduction.set(n, reduce_identity(i.reduce_op));
  x.elements({&s}, d, [&](const Block& at) {
    float buffer[kBlock], v[kBlock];
    stages.apply(x, at, x.read(s, at, buffer), v);
    f.apply(at, v, slope.at(at.channel));
    x.write(d, at, v);
    reduction.add(at, d.count, v);
  });
}

void activate_multipass(Exec& x, const S1s2d2Am& i) {
  const unsigned n = i.num_active_channels;
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", n);
  const Operand p = x.source(i.prev_pass_mem_pattern, i.out_dtype, "prev_pass_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  for (const Operand* o : {&s, &p, &d})
    if (o->valid() && o->space != Space::sbuf) x.fail(Code::misplaced_operand, "must be in SBUF", o->name);
  const AluStages stages = alu_stages(x, i);
  check_reduce(x, i.reduce_op, i.reduce_cmd);
  FunctionStage f(x, i.activation_func);
  if (x.failed()) return;
  const PassDomain domain(f.table(), x.machine.functions.find(i.activation_func).set);
  const bool previous = p.count == d.count && (domain.multipass() || p.count != 1);  // as many elements as results
  if (!previous && p.count != 1)
    return x.fail(Code::bad_value, "neither one element per channel nor as many as the destination", "prev_pass_mem_pattern");

  Accumulation reduction(x, x.machine.accumulators(Engine::ACT), i.reduce_op, reduces(i.reduce_cmd));
  if (resets(i.reduce_cmd)) reduction.set(n, reduce_identity(i.reduce_op));
  if (!previous && i.reduce_cmd != ReduceCmd::IDLE) {
    Scalar seed;
    seed.uniform = false;
    x.channels({&p}, n, [&](unsigned c) { seed.values[c] = *x.read(p, {c, 0, 1}, &seed.values[c]); });
    if (!x.failed()) reduction.set(n, seed);
  }
  const auto body = [&](const Block& at) {
    float buffer[kBlock], before[kBlock], v[kBlock], input[kBlock];
    stages.apply(x, at, x.read(s, at, buffer), v);
    if (previous) {
      const float* kept = x.read(p, at, before);
      std::copy_n(v, at.count, input);
      f.apply(at, v, 0.0F);
      for (unsigned k = 0; k < at.count; ++k)
        if (!domain.takes(input[k])) v[k] = kept[k];
    } else {
      f.apply(at, v, 0.0F);
    }
    x.write(d, at, v);
    reduction.add(at, d.count, v);
  };
  if (previous) {
    x.elements({&s, &p}, d, body);
  } else {
    x.elements({&s}, d, body);
  }
}

}  // namespace act::sim::ops
