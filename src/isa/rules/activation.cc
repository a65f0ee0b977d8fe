// The activation family: 0x21 to 0x26 and the accumulator reads (01 section 8.8).
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "isa/rules/context.h"

namespace act::rules {
namespace {

constexpr unsigned kFp32Alignment = 4;

bool is_bias_dtype(Dtype t) { return t == Dtype::fp32 || t == Dtype::bfloat16 || t == Dtype::fp16; }
unsigned bias_alignment(Dtype t) { return t == Dtype::bfloat16 || t == Dtype::fp16 ? 2 : 4; }

void check_bias(const Context& c, const S3d3Ac& x) {
  const Dtype dtype = x.in_bias_dtype.hi();
  c.require(is_bias_dtype(dtype), Rule::s3d3_ac_bias_checks, "in_bias_dtype", [&] { return fmt::format("bias of {}", dtype_name(dtype)); }, "FP32, BFLOAT16, FP16");
  if (x.bias_src_n == ImmSrcN::POINTER) check_pointer(c, Rule::s3d3_ac_bias_checks, "bias", x.bias.bits, bias_alignment(dtype), x.num_active_channels);
  if (x.bias_src_n == ImmSrcN::REG_PTR) check_register(c, Rule::s3d3_ac_bias_checks, "bias", x.bias.bits);
}

void check_quant_scale(const Context& c, std::string_view field, F32 scale) {
  const float value = std::bit_cast<float>(scale.bits);
  if (std::isnan(value)) c.warn(Rule::s3d3_aq_scale_check, field, "the scale is NaN");
  c.require(value != 0.0f, Rule::s3d3_aq_scale_check, field, "the scale is zero", "not 0");
}

// What 0x25 and 0x26 share; the erratum and relu_param are 0x25's own.
template <class T>
void check_two_stages(const Context& c, const T& x) {
  check_dtype(c, "in_dtype", x.in_dtype, {});
  check_dtype(c, "imm_dtype", x.imm_dtype, {});
  check_dtype(c, "out_dtype", x.out_dtype, {.fp32r = true});
  check_channels(c, x.num_active_channels);
  c.require(activate2_accepts(x.op0, x.op1), Rule::has_valid_activation_ts_ops, "op0", [&] { return fmt::format("{} with {}", alu_op_name(x.op0), alu_op_name(x.op1)); },
            "(MULT,ADD) (MULT,SUBTRACT) (MULT,BYPASS) (ADD,BYPASS) (SUBTRACT,BYPASS) (BYPASS,BYPASS)");
  c.require((x.reduce_cmd == ReduceCmd::IDLE) == (x.reduce_op == AluOp::bypass), Rule::has_valid_reduce_op, "reduce_op", "",
            x.reduce_cmd == ReduceCmd::IDLE ? "BYPASS" : "an operation");
  const unsigned alignment = dtype_alignment(x.imm_dtype, c.generation);
  check_immediate(c, Rule::has_valid_activation_immediate, "imm0", x.imm0_src, x.imm0.bits, alignment, x.num_active_channels);
  check_immediate(c, Rule::has_valid_activation_immediate, "imm1", x.imm1_src, x.imm1.bits, alignment, x.num_active_channels);
}

// Quadrant of an address in the first partition of one, or nothing (addresses_in_same_sbuf_quadrant).
int quadrant_head(std::uint32_t address, Generation g) {
  const Location at = locate(address, g);
  return at.space == Space::sbuf && at.active && at.partition % kQuadrantPartitions == 0 ? static_cast<int>(at.quadrant()) : -1;
}

std::string describe(std::uint32_t address, Generation g) {
  const Location at = locate(address, g);
  if (at.space == Space::off_chip) return "off chip";
  return fmt::format("{} quadrant {}", space_name(at.space), at.quadrant());
}

void check_erratum_3071(const Context& c, const S2d2Ac& x) {
  if ((x.src_mem_pattern.addr & ~kAddressMask) != 0) return;
  struct Operand {
    std::string_view field;
    ImmSrc source;
    std::uint32_t bits;
  };
  const Operand operands[] = {{"imm0", x.imm0_src, x.imm0.bits}, {"imm1", x.imm1_src, x.imm1.bits}, {"relu_param", x.relu_param_src, x.relu_param.bits}};
  const Location src = locate(x.src_mem_pattern.addr, c.generation);
  int want = src.space == Space::sbuf ? quadrant_head(x.src_mem_pattern.addr, c.generation) : -2;
  bool broken = false;
  std::string_view culprit;
  for (const Operand& o : operands) {
    if (o.source != ImmSrc::POINTER_IMMEDIATE) continue;
    const int at = quadrant_head(o.bits, c.generation);
    if (want == -2) want = at;  // source in PSUM: the first pointer names the quadrant
    if (at < 0 || at != want) {
      broken = true;
      culprit = o.field;
    }
  }
  if (!broken) return;
  std::string places = fmt::format("src in {}", describe(x.src_mem_pattern.addr, c.generation));
  for (const Operand& o : operands)
    if (o.source == ImmSrc::POINTER_IMMEDIATE) places += fmt::format(", {} in {}", o.field, describe(o.bits, c.generation));
  c.fail(Rule::act2_quadrant_restrictions_errata_3071, culprit, std::move(places));
}

}  // namespace

void check_payload(const Context& c, const S3d3Ac& x) {
  check_dtype(c, "in_bias_dtype", x.in_bias_dtype.lo(), {});
  check_dtype(c, "out_dtype", x.out_dtype, {.fp32r = true});
  check_channels(c, x.num_active_channels);
  check_tensor(c, "src_mem_pattern", x.in_bias_dtype.lo(), x.num_active_channels, {.valid = Rule::tensor3d_valid});
  check_tensor(c, "dst_mem_pattern", x.out_dtype, x.num_active_channels, {.valid = Rule::tensor3d_valid, .write = true});
  check_overlap(c, {"src_mem_pattern", x.in_bias_dtype.lo(), x.src_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
  check_counts(c, Rule::same_element_count_t3d, "src_mem_pattern", "dst_mem_pattern");
  check_immediate(c, Rule::s3d3_ac_scale_checks, "scale_value", x.scale_src, x.scale_value.bits, kFp32Alignment, x.num_active_channels);
  check_immediate(c, Rule::s3d3_ac_imm_checks, "imm", x.imm_src, x.imm.bits, kFp32Alignment, x.num_active_channels);
  check_bias(c, x);
}

void check_payload(const Context& c, const S3d3Aq& x) {
  constexpr std::uint8_t kParametricRelu = 4;
  const Dtype in = x.in_bias_dtype.lo(), bias = x.in_bias_dtype.hi();
  c.require(is_bias_dtype(bias), Rule::s3d3_aq_type_check, "in_bias_dtype", [&] { return fmt::format("bias of {}", dtype_name(bias)); }, "FP32, BFLOAT16, FP16");
  c.require(in == Dtype::fp32 || in == Dtype::int32, Rule::s3d3_aq_type_check, "in_bias_dtype", [&] { return fmt::format("input of {}", dtype_name(in)); }, "FP32, INT32");
  c.require(x.out_dtype == Dtype::uint8, Rule::s3d3_aq_type_check, "out_dtype", "", "UINT8");
  check_quant_scale(c, "quant_scale_value", x.quant_scale_value);
  check_quant_scale(c, "dequant_scale_value", x.dequant_scale_value);
  check_pointer(c, Rule::s3d3_aq_bias_check, "bias_addr", x.bias_addr.word, bias_alignment(bias), x.num_active_channels);
  check_channels(c, x.num_active_channels);
  check_tensor(c, "src_mem_pattern", in, x.num_active_channels, {.valid = Rule::tensor3d_valid});
  check_tensor(c, "dst_mem_pattern", x.out_dtype, x.num_active_channels, {.valid = Rule::tensor3d_valid, .write = true, .narrow_psum_warns = true});
  check_overlap(c, {"src_mem_pattern", in, x.src_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
  check_counts(c, Rule::same_element_count_t3d, "src_mem_pattern", "dst_mem_pattern");
  if (x.activation_func == kParametricRelu) c.warn(Rule::s3d3_aq_activation_func, "activation_func", "");
}

void check_payload(const Context& c, const CtrlNo& x) {
  if (static_cast<Opcode>(x.opcode) != Opcode::ACTIVATION_TABLE_LOAD) {
    c.require(x.act_tbl_sel == 0, Rule::zero_act_tbl_sel, "act_tbl_sel", "", "0");
  } else if (!c.options.sets.empty() && x.act_tbl_sel >= c.options.sets.size()) {
    c.fail(Rule::valid_act_tbl_sel, "act_tbl_sel", fmt::format("the catalog has {} sets", c.options.sets.size()), fmt::format("0..{}", c.options.sets.size() - 1));
  }
}

void check_payload(const Context& c, const D1Rd& x) {
  const bool dve = static_cast<Opcode>(x.opcode) == Opcode::DVE_READ_ACCUMULATOR;
  const bool narrow = x.dtype == Dtype::fp16 || x.dtype == Dtype::bfloat16 || x.dtype == Dtype::fp32 || x.dtype == Dtype::fp32r;
  c.require(x.dst_element_count == 1, Rule::read_accumulator_dst_size, "dst_element_count", "", "1");
  c.require(!element_count(c, "dst_mem_pattern").known || x.dst_mem_pattern.num[0] == 1, Rule::read_accumulator_dst_size, "dst_mem_pattern", "", "one element");
  if (dve) {
    c.require(narrow || x.dtype == Dtype::fp8_exp3 || x.dtype == Dtype::fp8_exp4 || x.dtype == Dtype::fp8_exp5, Rule::dve_read_accumulator_type_check, "dtype", "",
              "FP32, FP32R, BFLOAT16, FP16, FP8_EXP3, FP8_EXP4, FP8_EXP5");
    c.require(x.negated <= 1, Rule::d1_rd_has_valid_negated_field, "negated", "", "0..1");
  } else {
    c.require(narrow, Rule::activation_read_accumulator_type_check, "dtype", "", "FP16, BFLOAT16, FP32, FP32R");
    c.require(x.negated == 0, Rule::d1_rd_has_zero_negated_field, "negated", "", "0");
  }
  check_channels(c, x.num_active_channels);
  check_tensor(c, "dst_mem_pattern", x.dtype, x.num_active_channels, {.valid = Rule::tensor1d_valid, .write = true, .narrow_psum_warns = true});
}

void check_payload(const Context& c, const S2d2Ac& x) {
  check_two_stages(c, x);
  check_immediate(c, Rule::has_valid_activation_immediate, "relu_param", x.relu_param_src, x.relu_param.bits, dtype_alignment(x.imm_dtype, c.generation), x.num_active_channels);
  check_tensor(c, "src_mem_pattern", x.in_dtype, x.num_active_channels, {.valid = Rule::mem2d_valid});
  check_tensor(c, "dst_mem_pattern", x.out_dtype, x.num_active_channels, {.valid = Rule::mem2d_valid, .write = true});
  check_overlap(c, {"src_mem_pattern", x.in_dtype, x.src_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
  check_counts(c, Rule::same_element_count_m2d, "src_mem_pattern", "dst_mem_pattern");
  check_erratum_3071(c, x);
}

void check_payload(const Context& c, const S1s2d2Am& x) {
  check_two_stages(c, x);
  check_tensor(c, "src_mem_pattern", x.in_dtype, x.num_active_channels, {.valid = Rule::mem2d_valid, .psum = false});
  check_tensor(c, "dst_mem_pattern", x.out_dtype, x.num_active_channels, {.valid = Rule::mem2d_valid, .write = true, .psum = false});
  check_overlap(c, {"src_mem_pattern", x.in_dtype, x.src_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
  check_tensor(c, "prev_pass_mem_pattern", x.out_dtype, x.num_active_channels, {.valid = Rule::tensor1d_valid, .psum = false});
  check_overlap(c, {"prev_pass_mem_pattern", x.out_dtype, x.prev_pass_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
  check_counts(c, Rule::same_element_count_m2d, "src_mem_pattern", "dst_mem_pattern");
}

}  // namespace act::rules
