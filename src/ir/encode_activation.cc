// Activations (0x21, 0x25), drains (0x24, 0x9B), and the two functions with an instruction of their own.
#include <fmt/format.h>

#include "encode_context.h"

namespace act::ir {
namespace {

// Function codes that decide how the third immediate is written (03 section 3.2).
constexpr std::uint16_t kPrelu = 4, kCopy = 128, kReciprocal = 129;

std::uint8_t function_code(const Encoder& e) {
  const std::uint8_t f = e.inst.activation().func;
  const std::uint16_t code = f < kFunctionTypes ? e.options.functions[f] : kNoCode;
  if (code == kNoCode) e.fail("Invalid enum variant for enum ActivationFunctionType", std::to_string(f));
  return static_cast<std::uint8_t>(code);
}

AccumCmd accumulator_command(const Encoder& e) {
  switch (e.inst.activation().acc) {
    case Accumulation::Idle: return e.options.idle_clears ? AccumCmd::ZERO_ACCUMULATE : AccumCmd::IDLE;
    case Accumulation::Zero: return AccumCmd::ZERO;
    case Accumulation::ZeroAccumulate: return AccumCmd::ZERO_ACCUMULATE;
    case Accumulation::AddAccumulate: return AccumCmd::ACCUMULATE;
    case Accumulation::LoadAccumulate: return AccumCmd::LOAD_ACCUMULATE;
    case Accumulation::Accumulate: break;
  }
  e.fail("Invalid enum variant for enum EngineAccumulationType", "Accumulate");
  return AccumCmd::IDLE;
}

ReduceCmd reduce_command(const Encoder& e) {
  switch (e.inst.activation().acc) {
    case Accumulation::Idle: return ReduceCmd::IDLE;
    case Accumulation::Zero: return ReduceCmd::RESET;
    case Accumulation::ZeroAccumulate: return ReduceCmd::RESET_REDUCE;
    case Accumulation::AddAccumulate: return ReduceCmd::REDUCE;
    case Accumulation::LoadAccumulate: e.fail("LoadAccumulate is not supported by Activate2"); return ReduceCmd::IDLE;
    case Accumulation::Accumulate: break;
  }
  e.fail("Invalid enum variant for enum EngineAccumulationType", "Accumulate");
  return ReduceCmd::IDLE;
}

// The bias may also be BF16 or FP16 in memory; scale and alpha are read as binary32.
void check_float_operands(const Encoder& e) {
  const auto in_memory = [](const Argument& a) { return a.kind == Argument::Kind::pattern; };
  const Argument &bias = e.inst.ins[1], &scale = e.inst.ins[2], &alpha = e.inst.ins[3];
  if (in_memory(scale) && scale.dtype != Dtype::fp32) e.fail("scale for activation must be a float32", std::string(dtype_name(scale.dtype)));
  if (in_memory(alpha) && alpha.dtype != Dtype::fp32) e.fail("activation function only support float32 bias/scale/alpha", std::string(dtype_name(alpha.dtype)));
  if (in_memory(bias) && bias.dtype != Dtype::fp32 && bias.dtype != Dtype::bfloat16 && bias.dtype != Dtype::fp16)
    e.fail("activation function only support float32 bias/scale/alpha", std::string(dtype_name(bias.dtype)), "FP32, BFLOAT16, FP16 for the bias");
}

void check_seed(const Encoder& e, unsigned channels) {
  const Argument& seed = e.inst.ins[3];
  if (seed.kind != Argument::Kind::pattern) return;
  if (seed.dtype != Dtype::fp32) e.fail("immediate value for LoadAccumulate must be an fp32", std::string(dtype_name(seed.dtype)));
  if (seed.channels != channels)
    e.fail("imm_ptr for LoadAccumulate must have the same number of partitions as the src/dst", std::to_string(seed.channels), std::to_string(channels));
}

// The third immediate is the slope of Prelu and the seed of LoadAccumulate; the compiler writes a null pointer for codes 128
// and 129, and nothing for the others.
void put_third_immediate(const Encoder& e, S3d3Ac& x) {
  const Argument& alpha = e.inst.ins[3];
  const bool seed = x.accumulator_cmd == AccumCmd::LOAD_ACCUMULATE;
  if (seed) check_seed(e, x.num_active_channels);
  if (seed || x.activation_func == kPrelu) {
    e.check_pointer(alpha, "alpha", x.num_active_channels);
    x.imm_src = e.source(alpha);
    x.imm.bits = alpha.value;
  } else if (x.activation_func == kCopy || x.activation_func == kReciprocal) {
    x.imm_src = ImmSrc::POINTER_IMMEDIATE;
  }
}

ImmSrcN inverted(ImmSrc s) {
  switch (s) {
    case ImmSrc::INSTRUCTION_IMMEDIATE: return ImmSrcN::INSTRUCTION;
    case ImmSrc::POINTER_IMMEDIATE: return ImmSrcN::POINTER;
    case ImmSrc::REG_PTR_IMMEDIATE: break;
  }
  return ImmSrcN::REG_PTR;
}

}  // namespace

Bundle encode_activate(const Encoder& e) {
  const Argument &in = e.inst.ins[0], &bias = e.inst.ins[1], &scale = e.inst.ins[2], &out = e.inst.outs[0];
  auto x = make<S3d3Ac>(Opcode::ACTIVATE);
  x.activation_func = function_code(e);
  x.accumulator_cmd = accumulator_command(e);
  x.src_mem_pattern = e.tensor<3>(in, "input");
  x.dst_mem_pattern = e.tensor<3>(out, "output");
  x.out_dtype = out.dtype;
  x.num_active_channels = e.channels(in, out);
  check_float_operands(e);
  e.check_pointer(bias, "bias", x.num_active_channels);
  e.check_pointer(scale, "scale", x.num_active_channels);
  // A bias of a type that does not fit has been told already.
  if (code_of(in.dtype) > 0xF) e.fail("the data type of the input does not fit the instruction", std::string(dtype_name(in.dtype)));
  else x.in_bias_dtype = DtypePair::of(in.dtype, bias.kind == Argument::Kind::pattern ? bias.dtype : Dtype::fp32);
  x.bias_src_n = inverted(e.source(bias));
  x.bias.bits = bias.value;
  x.scale_src = e.source(scale);
  x.scale_value.bits = scale.value;
  put_third_immediate(e, x);
  return act::encode(x);
}

Bundle encode_activate2(const Encoder& e) {
  const ActivationFields& f = e.inst.activation();
  if (e.options.generation < Generation::mariana) e.fail("Activate2 requires core_v4", std::string(generation_name(e.options.generation)));
  const Argument &in = e.inst.ins[0], &imm0 = e.inst.ins[1], &imm1 = e.inst.ins[2], &relu_param = e.inst.ins[3], &out = e.inst.outs[0];
  auto x = make<S2d2Ac>(Opcode::ACTIVATE2);
  x.activation_func = function_code(e);
  x.reduce_cmd = reduce_command(e);
  x.op0 = f.op0;
  x.op1 = f.op1;
  x.reduce_op = f.reduce_op;
  static_cast<Tensor2d&>(x.src_mem_pattern) = e.tensor<2>(in, "input");
  static_cast<Tensor2d&>(x.dst_mem_pattern) = e.tensor<2>(out, "output");
  x.in_dtype = in.dtype;
  x.out_dtype = out.dtype;
  x.imm_dtype = relu_param.kind == Argument::Kind::pattern ? relu_param.dtype : Dtype::fp32;
  x.num_active_channels = e.channels(in, out);
  const auto put = [&](const Argument& a, std::string_view what, ImmSrc& source, Immediate& value) {
    e.check_pointer(a, what, x.num_active_channels);
    if (a.kind == Argument::Kind::pattern && a.dtype != x.imm_dtype)
      e.fail(fmt::format("{} has another data type than argument 3, which gives that of all immediates", what), std::string(dtype_name(a.dtype)), std::string(dtype_name(x.imm_dtype)));
    source = e.source(a);
    value.bits = a.value;
  };
  put(imm0, "imm0", x.imm0_src, x.imm0);
  put(imm1, "imm1", x.imm1_src, x.imm1);
  put(relu_param, "relu_param", x.relu_param_src, x.relu_param);
  x.reverse_operands = static_cast<RevOps>((f.reverse0 ? 1 : 0) + (f.reverse1 ? 2 : 0));
  return act::encode(x);
}

Bundle encode_drain(const Encoder& e, Opcode opcode, std::size_t index, bool negated) {
  if (opcode == Opcode::ACTIVATION_READ_ACCUMULATOR && e.core_v5()) e.fail("ActivationReadAccumulator not supported in core_v5");
  if (e.inst.outs.size() <= index) {
    e.fail("a drain has one output and no argument");
    return {};
  }
  const Argument& out = e.inst.outs[index];
  if (out.elements() != 1) e.fail("ScalarEng read accum instr dst element count must be 1", std::to_string(out.elements()));
  if (out.num[0] != 1) e.fail("ScalarEng read accum dst_mem_pattern.num_elem[0] must be 1", std::to_string(out.num[0]));
  Argument one = out;  // dimensions of one element say nothing
  one.dims = 1;
  auto x = make<D1Rd>(opcode);
  x.dst_mem_pattern = e.tensor<1>(one, "output");
  x.dst_element_count = 1;
  x.dtype = out.dtype;
  x.negated = negated ? 1 : 0;
  x.num_active_channels = out.channels;
  return act::encode(x);
}

Bundle encode_reciprocal(const Encoder& e) {
  if (e.inst.ins.size() != 1 || e.inst.outs.size() != 1) {
    e.fail("a Reciprocal has one argument and one output");
    return {};
  }
  const Argument &in = e.inst.ins[0], &out = e.inst.outs[0];
  auto x = make<S4d4Tr>(Opcode::RECIPROCAL);
  static_cast<Tensor4d&>(x.src_mem_pattern) = e.tensor<4>(in, "input");
  static_cast<Tensor4d&>(x.dst_mem_pattern) = e.tensor<4>(out, "output");
  x.in_dtype = in.dtype;
  x.out_dtype = out.dtype;
  x.num_active_channels = e.channels(in, out);
  return act::encode(x);
}

Bundle encode_exponential(const Encoder& e) {
  if (e.inst.ins.empty() || e.inst.ins.size() > 3 || e.inst.outs.size() != 1) {
    e.fail("an Exponential has an input, an optional shift and seed, and one output");
    return {};
  }
  const Argument &in = e.inst.ins[0], &out = e.inst.outs[0];
  auto x = make<S3d3Ts>(Opcode::EXPONENTIAL);
  x.accumulator_cmd = std::get<ExponentialFields>(e.inst.fields).reduce_cmd;
  static_cast<Tensor3d&>(x.src_mem_pattern) = e.tensor<3>(in, "input");
  static_cast<Tensor3d&>(x.dst_mem_pattern) = e.tensor<3>(out, "output");
  x.in_dtype = in.dtype;
  x.out_dtype = out.dtype;
  x.num_active_channels = e.channels(in, out);
  const auto put = [&](std::size_t argument, std::string_view what, ImmSrc& source, Immediate& value) {
    if (e.inst.ins.size() <= argument) return;
    const Argument& a = e.inst.ins[argument];
    e.check_pointer(a, what, x.num_active_channels);
    if (a.kind == Argument::Kind::pattern && a.dtype != Dtype::fp32) e.fail(fmt::format("the {} of an Exponential is binary32", what), std::string(dtype_name(a.dtype)));
    source = e.source(a);
    value.bits = a.value;
  };
  put(1, "shift", x.imm0_src, x.imm0);
  put(2, "seed", x.imm1_src, x.imm1);
  return act::encode(x);
}

}  // namespace act::ir
