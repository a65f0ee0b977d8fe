// S4D4_TR, S3D3_TS and S3S3D3_TT: copies, reductions, tensor-scalar and tensor-tensor instructions (01 section 8.8).
#include <fmt/format.h>

#include "isa/rules/context.h"

namespace act::rules {
namespace {

constexpr DtypeAllow kAnyInteger{.uint64 = true, .int64 = true};
constexpr DtypeAllow kAnyOutput{.fp32r = true, .uint64 = true, .int64 = true};

// The types of POW and RSQRT (01 section 6.6).
bool takes_roots(Dtype t) { return t == Dtype::fp32 || t == Dtype::fp16 || t == Dtype::bfloat16; }

bool is_64_bit(Dtype t) { return t == Dtype::uint64 || t == Dtype::int64; }

// --- S4D4_TR ---------------------------------------------------------------------------------------------------

bool is_reduction(Opcode op) { return op == Opcode::TENSOR_REDUCE_ARITH_OP || op == Opcode::TENSOR_REDUCE_BITVEC_OP; }

bool reduces_floats(AluOp op, Generation g) {
  switch (op) {
    case AluOp::add: case AluOp::subtract: case AluOp::mult: case AluOp::max: case AluOp::min:
    case AluOp::logical_and: case AluOp::logical_or: case AluOp::logical_xor: return true;
    case AluOp::abs_max: case AluOp::abs_min: return g >= Generation::mariana;
    default: return false;
  }
}

bool reduces_integers(AluOp op, Generation g) {
  if (!is_valid_int_aluop(op, g)) return false;
  return op == AluOp::add_int || op == AluOp::mult_int || op == AluOp::max_int || op == AluOp::min_int || op == AluOp::mult_uint ||
         op == AluOp::max_uint || op == AluOp::min_uint;
}

void check_reduce_ops(const Context& c, const S4d4Tr& x) {
  if (static_cast<Opcode>(x.opcode) == Opcode::TENSOR_REDUCE_BITVEC_OP) {
    const bool bits = x.op == AluOp::bitwise_and || x.op == AluOp::bitwise_or || x.op == AluOp::bitwise_xor;
    c.require(bits, Rule::tensor_reduce_valid_ops, "op", "", "BITWISE_AND, BITWISE_OR, BITWISE_XOR");
    c.require(is_valid_int_dtype(x.in_dtype) && is_valid_int_dtype(x.out_dtype), Rule::tensor_reduce_valid_ops, "in_dtype", "bit patterns of a type that is no integer", "integer types");
    return;
  }
  if (reduces_integers(x.op, c.generation)) {
    const bool wide = is_valid_int_dtype(x.in_dtype) && dtype_bytes(x.in_dtype) >= 4;
    c.require(wide && int_signedness_matches(x.op, x.in_dtype, x.in_dtype, x.out_dtype), Rule::tensor_reduce_valid_ops, "in_dtype",
              [&] { return fmt::format("{} of {} into {}", alu_op_name(x.op), dtype_name(x.in_dtype), dtype_name(x.out_dtype)); }, "32- and 64-bit integers of the operation's signedness");
    const Location at = locate(x.src_mem_pattern.addr, c.generation);
    c.require((x.src_mem_pattern.addr & addr4::kAddrReg) != 0 || at.space != Space::psum, Rule::tensor_reduce_valid_ops, "src_mem_pattern", "integer reduction from PSUM", "SBUF");
    return;
  }
  c.require(reduces_floats(x.op, c.generation), Rule::tensor_reduce_valid_ops, "op", "", "ADD, SUBTRACT, MULT, MAX, MIN, LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR, from v4 ABS_MAX, ABS_MIN, and integer sums, products and extremes");
  c.require(!is_64_bit(x.in_dtype) && !is_64_bit(x.out_dtype), Rule::tensor_reduce_valid_ops, "in_dtype", "64-bit types are reduced by integer operations only", "types of up to 32 bits");
}

// Product of the source counts that a reduction keeps.
Count kept_count(const Context& c, const S4d4Tr& x) {
  if (!element_count(c, "src_mem_pattern").known) return {false, 0};
  const unsigned folded = static_cast<unsigned>(x.op_dim) - 1;  // X = 2 folds one dimension
  std::uint64_t n = 1;
  for (unsigned d = folded; d < 4; ++d) n *= x.src_mem_pattern.num[d];
  return {true, n};
}

void check_reduction(const Context& c, const S4d4Tr& x) {
  const bool arith = static_cast<Opcode>(x.opcode) == Opcode::TENSOR_REDUCE_ARITH_OP;
  check_dtype(c, "in_dtype", x.in_dtype, kAnyInteger);
  check_dtype(c, "out_dtype", x.out_dtype, kAnyOutput);
  check_reduce_ops(c, x);
  const unsigned dim = static_cast<unsigned>(x.op_dim);
  c.require(dim >= 2 && dim <= 5, Rule::is_valid_subdim, "op_dim", "", "X, XY, XYZ, XYZW");
  c.require(x.negated <= (arith ? 1 : 0), arith ? Rule::has_valid_negated_field : Rule::has_zero_negated_field, "negated", "", arith ? "0..1" : "0");
  c.require(x.mask_enable == 0, Rule::mask_enable_zero, "mask_enable", "", "0");
  if (dim < 2 || dim > 5) return;
  const Count want = kept_count(c, x), have = element_count(c, "dst_mem_pattern");
  if (want.known && have.known && want.value != have.value)
    c.fail(Rule::s4d4_tr_reduce_src_dst_count, "dst_mem_pattern", fmt::format("{} elements for {} groups", have.value, want.value), fmt::format("{} elements", want.value));
}

void check_movement(const Context& c, const S4d4Tr& x) {
  const auto op = static_cast<Opcode>(x.opcode);
  const bool transpose = op == Opcode::STREAM_TRANSPOSE, shuffle = op == Opcode::STREAM_SHUFFLE || transpose;
  check_dtype(c, "in_dtype", x.in_dtype, {});
  check_dtype(c, "out_dtype", x.out_dtype, {.fp32r = true});
  if (shuffle || op == Opcode::COPY)
    c.require(x.in_dtype == x.out_dtype, Rule::s4d4_tr_same_src_dst_type, "out_dtype", [&] { return fmt::format("{} from {}", dtype_name(x.out_dtype), dtype_name(x.in_dtype)); }, dtype_name(x.in_dtype));
  c.require(x.op == AluOp::bypass, Rule::s4d4_tr_op_bypass, "op", "", "BYPASS");
  c.require(x.op_dim == TensorSubdim::UNUSED || x.op_dim == TensorSubdim::X, Rule::is_zero_subdim, "op_dim", "", "UNUSED, X");
  c.require(x.negated == 0, Rule::has_zero_negated_field, "negated", "", "0");
  c.require(x.mask_enable <= (transpose ? 1 : 0), transpose ? Rule::mask_enable_valid : Rule::mask_enable_zero, "mask_enable", "", transpose ? "0..1" : "0");
  if (shuffle)
    c.require(x.num_active_channels % 32 == 0 && x.num_active_channels >= 32 && x.num_active_channels <= 128, Rule::has_multiple_32_channels, "num_active_channels", "", "32, 64, 96, 128");
  check_counts(c, transpose ? Rule::s4d4_tr_transpose_src_dst_count : Rule::s4d4_tr_same_src_dst_count, "src_mem_pattern", "dst_mem_pattern", transpose);
  if (const Count n = element_count(c, "src_mem_pattern"); transpose && n.known)
    c.require(n.value % 32 == 0, Rule::has_transpose_src_element_count_t4d, "src_mem_pattern", [&] { return fmt::format("{} elements", n.value); }, "a multiple of 32");
}

// --- S3D3_TS ---------------------------------------------------------------------------------------------------

bool is_bitvec(Opcode op) { return op == Opcode::TENSOR_SCALAR_BITVEC_OP; }
bool is_cache(Opcode op) { return op == Opcode::TENSOR_SCALAR_CACHE_REDUCE || op == Opcode::TENSOR_SCALAR_CACHE_CUMULATIVE; }

void check_ts_immediate(const Context& c, const S3d3Ts& x, std::string_view field, ImmSrc source, std::uint32_t bits) {
  const bool bitvec = is_bitvec(static_cast<Opcode>(x.opcode));
  if (source == ImmSrc::INSTRUCTION_IMMEDIATE && bitvec) {
    const unsigned size = dtype_bytes(x.in_dtype);
    if (size < 4) c.require(size == 0 || bits >> (8 * size) == 0, Rule::tensor_scalar_immediates_check, field, [&] { return fmt::format("bits above {}", dtype_name(x.in_dtype)); }, [&] { return fmt::format("below 2^{}", 8 * size); });
  }
  check_immediate(c, Rule::tensor_scalar_immediates_check, field, source, bits, bitvec ? dtype_alignment(x.in_dtype, c.generation) : 4, x.num_active_channels);
}

void check_ts_types(const Context& c, const S3d3Ts& x) {
  if (is_bitvec(static_cast<Opcode>(x.opcode))) {
    c.require(x.in_dtype == x.out_dtype && is_valid_int_dtype_datapath(x.in_dtype), Rule::tensor_scalar_valid_types, "out_dtype",
              [&] { return fmt::format("{} into {}", dtype_name(x.in_dtype), dtype_name(x.out_dtype)); }, "one integer type of 8, 16 or 32 bits");
    c.require(alu_shift_check(x.op0, x.op1, x.in_dtype), Rule::tensor_scalar_shift_chk, "op0", [&] { return fmt::format("{} then {} on {}", alu_op_name(x.op0), alu_op_name(x.op1), dtype_name(x.in_dtype)); }, "a 4-byte type");
  } else if (x.op0 == AluOp::rsqrt) {
    c.require(takes_roots(x.in_dtype), Rule::tensor_scalar_valid_types, "in_dtype", "RSQRT", "FP32, FP16, BFLOAT16");
  }
  for (const auto& [field, op] : {std::pair{"op0", x.op0}, std::pair{"op1", x.op1}})
    if (is_valid_int_aluop_dve(op, c.generation) && op != AluOp::bypass)
      c.require(int_signedness_matches(op, x.in_dtype, x.in_dtype, x.out_dtype), Rule::tensor_scalar_valid_types, field, [&x, op = op] { return fmt::format("{} on {} into {}", alu_op_name(op), dtype_name(x.in_dtype), dtype_name(x.out_dtype)); },
                "integers of the operation's signedness");
}

void check_ts_ops(const Context& c, const S3d3Ts& x) {
  const auto op = static_cast<Opcode>(x.opcode);
  const bool plain_zero = x.imm0.bits == 0 && x.imm1.bits == 0 && x.imm0_src == ImmSrc::INSTRUCTION_IMMEDIATE && x.imm1_src == ImmSrc::INSTRUCTION_IMMEDIATE;
  const auto pair = [&] { return fmt::format("{} then {}", alu_op_name(x.op0), alu_op_name(x.op1)); };
  if (op == Opcode::EXPONENTIAL) {
    c.require(x.op0 == AluOp::bypass && x.op1 == AluOp::bypass, Rule::tensor_scalar_valid_ops, "op0", pair, "BYPASS then BYPASS");
  } else if (is_cache(op)) {
    c.require(is_general_arith_op(x.op0, c.generation), Rule::tensor_scalar_valid_ops, "op0", pair, "a general arithmetic operation");
    c.require(cache_fold_accepts(x.op1), Rule::tensor_scalar_valid_ops, "op1", pair, "ADD, SUBTRACT, MULT, MAX, MIN");
  } else if (is_bitvec(op)) {
    c.require(tensor_scalar_bitvec_accepts(x.op0, x.op1, c.generation), Rule::tensor_scalar_valid_ops, "op0", pair, "two bit operations; after BYPASS only BYPASS");
  } else {
    c.require(tensor_scalar_arith_accepts(x.op0, x.op1, c.generation, plain_zero), Rule::tensor_scalar_valid_ops, "op0", pair,
              "two general arithmetic operations, after BYPASS only BYPASS; or RSQRT then BYPASS with inline zeros");
  }
}

void check_ts_accumulator(const Context& c, const S3d3Ts& x) {
  const auto op = static_cast<Opcode>(x.opcode);
  const bool loads = x.accumulator_cmd == AccumCmd::LOAD_ACCUMULATE;
  if (op == Opcode::EXPONENTIAL) {
    c.require(loads || (x.imm1_src == ImmSrc::INSTRUCTION_IMMEDIATE && x.imm1.bits == 0), Rule::exponential_imm1_check, "imm1", "", "inline 0");
  } else if (is_cache(op)) {
    c.require(loads || x.accumulator_cmd == AccumCmd::ACCUMULATE || x.accumulator_cmd == AccumCmd::ZERO_ACCUMULATE, Rule::has_valid_cache_accum_cmd, "accumulator_cmd", "", "ACCUMULATE, ZERO_ACCUMULATE, LOAD_ACCUMULATE");
  } else {
    c.require(x.accumulator_cmd == AccumCmd::IDLE, Rule::has_zero_accum_cmd_field, "accumulator_cmd", "", "IDLE");
  }
}

// --- S3S3D3_TT -------------------------------------------------------------------------------------------------

void check_partitions(const Context& c, const S3s3d3Tt& x) {
  const std::uint32_t a = x.src0_mem_pattern.addr, b = x.src1_mem_pattern.addr;
  if (addr4::addr_from_register(a) || addr4::addr_from_register(b) || ((a | b) & addr4::kIndirect) != 0) return;
  const Location p = locate(a, c.generation), q = locate(b, c.generation);
  if (p.space == Space::off_chip || q.space == Space::off_chip || p.space != q.space) return;
  const bool same_head = p.space == Space::sbuf && p.active && q.active && p.partition % kQuadrantPartitions == 0 && p.partition == q.partition;
  c.require(same_head, Rule::tt_valid_partitions, "src1_mem_pattern", [&] { return fmt::format("src0 at {} partition {}, src1 at {} partition {}", space_name(p.space), p.partition, space_name(q.space), q.partition); });
}

void check_tt_ops(const Context& c, const S3s3d3Tt& x) {
  const Dtype a = x.in0_in1_dtype.lo(), b = x.in0_in1_dtype.hi();
  const auto what = [&] { return fmt::format("{} on {} and {} into {}", alu_op_name(x.op), dtype_name(a), dtype_name(b), dtype_name(x.out_dtype)); };
  if (static_cast<Opcode>(x.opcode) == Opcode::TENSOR_TENSOR_BITVEC_OP) {
    c.require(is_general_bitvec_op(x.op, c.generation), Rule::tensor_tensor_valid_ops, "op", "", "a general bit operation");
    c.require(is_valid_int_dtype(a) && is_valid_int_dtype(b) && is_valid_int_dtype(x.out_dtype), Rule::tensor_tensor_valid_types, "in0_in1_dtype", what, "integer types");
    return;
  }
  c.require(tensor_tensor_arith_accepts(x.op, c.generation), Rule::tensor_tensor_valid_ops, "op", "", "a general arithmetic operation, POW, or an integer operation of the generation");
  if (is_valid_int_aluop(x.op, c.generation)) {
    c.require(int_signedness_matches(x.op, a, b, x.out_dtype), Rule::tensor_tensor_valid_types, "in0_in1_dtype", what, "integers of the operation's signedness");
  } else if (x.op == AluOp::pow) {
    c.require(takes_roots(a) && takes_roots(b) && (takes_roots(x.out_dtype) || x.out_dtype == Dtype::fp32r), Rule::tensor_tensor_valid_types, "in0_in1_dtype", what, "FP32, FP16, BFLOAT16; FP32R as output");
  } else {
    c.require(!is_64_bit(a) && !is_64_bit(b) && !is_64_bit(x.out_dtype), Rule::tensor_tensor_valid_types, "in0_in1_dtype", what, "types of up to 32 bits");
  }
}

void check_predicated(const Context& c, const S3s3d3Tt& x) {
  const Dtype a = x.in0_in1_dtype.lo(), b = x.in0_in1_dtype.hi();
  check_dtype(c, "in0_in1_dtype", a, {});
  check_dtype(c, "in0_in1_dtype", b, {});
  check_dtype(c, "out_dtype", x.out_dtype, {});
  c.require(is_valid_int_dtype_datapath(a), Rule::s3s3d3_copy_pred_src0_dtype, "in0_in1_dtype", [&] { return fmt::format("predicate of {}", dtype_name(a)); }, "INT8, UINT8, INT16, UINT16, INT32, UINT32");
  if (static_cast<Opcode>(x.opcode) == Opcode::COPY_PREDICATED)
    c.require(b == x.out_dtype, Rule::s3s3d3_copy_cast_pred_src1_dst_dtype, "out_dtype", [&] { return fmt::format("{} from {}", dtype_name(x.out_dtype), dtype_name(b)); }, dtype_name(b));
  c.require(x.op == AluOp::bypass, Rule::s3s3d3_tt_is_zero_op, "op", "", "BYPASS");
}

}  // namespace

void check_payload(const Context& c, const S4d4Tr& x) {
  if (is_reduction(static_cast<Opcode>(x.opcode))) {
    check_reduction(c, x);
  } else {
    check_movement(c, x);
  }
  check_channels(c, x.num_active_channels);
  const Rule valid = c.v4() ? Rule::mem4d_valid : Rule::tensor4d_valid;
  check_tensor(c, "src_mem_pattern", x.in_dtype, x.num_active_channels, {.valid = valid, .mem_pattern = true});
  check_tensor(c, "dst_mem_pattern", x.out_dtype, x.num_active_channels, {.valid = valid, .write = true, .mem_pattern = true});
  check_overlap(c, {"src_mem_pattern", x.in_dtype, x.src_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
}

void check_payload(const Context& c, const S3d3Ts& x) {
  check_dtype(c, "in_dtype", x.in_dtype, {});
  check_dtype(c, "out_dtype", x.out_dtype, {.fp32r = true});
  check_channels(c, x.num_active_channels);
  check_ts_ops(c, x);
  check_ts_types(c, x);
  check_ts_accumulator(c, x);
  check_ts_immediate(c, x, "imm0", x.imm0_src, x.imm0.bits);
  check_ts_immediate(c, x, "imm1", x.imm1_src, x.imm1.bits);
  const OperandRules operand{.valid = c.v4() ? Rule::mem3d_valid : Rule::tensor3d_valid, .mem_pattern = true, .quadrant = Rule::indirect_quadrant_check_src3d_dst3d};
  OperandRules output = operand;
  output.write = true;
  check_tensor(c, "src_mem_pattern", x.in_dtype, x.num_active_channels, operand);
  check_tensor(c, "dst_mem_pattern", x.out_dtype, x.num_active_channels, output);
  check_counts(c, Rule::same_element_count_m3d, "src_mem_pattern", "dst_mem_pattern");
  check_overlap(c, {"src_mem_pattern", x.in_dtype, x.src_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, x.num_active_channels);
  if (static_cast<Opcode>(x.opcode) != Opcode::TRANSPOSE_TENSOR_SCALAR_ARITH_OP) return;
  const unsigned nac = x.num_active_channels;
  c.require(nac % 32 == 0 && nac >= 32 && nac <= 128, Rule::s3d3_transpose_check, "num_active_channels", "", "32, 64, 96, 128");
  if (const Count n = element_count(c, "src_mem_pattern"); n.known)
    c.require(n.value % 32 == 0, Rule::s3d3_transpose_check, "src_mem_pattern", [&] { return fmt::format("{} elements", n.value); }, "a multiple of 32");
}

void check_payload(const Context& c, const S3s3d3Tt& x) {
  const auto op = static_cast<Opcode>(x.opcode);
  if (op == Opcode::COPY_PREDICATED || op == Opcode::CAST_PREDICATED) {
    check_predicated(c, x);
  } else {
    check_dtype(c, "in0_in1_dtype", x.in0_in1_dtype.lo(), kAnyInteger);
    check_dtype(c, "in0_in1_dtype", x.in0_in1_dtype.hi(), kAnyInteger);
    check_dtype(c, "out_dtype", x.out_dtype, kAnyOutput);
    check_tt_ops(c, x);
  }
  check_channels(c, x.num_active_channels);
  const unsigned nac = x.num_active_channels;
  check_tensor(c, "src0_mem_pattern", x.in0_in1_dtype.lo(), nac, {.valid = Rule::tensor3d_valid});
  check_tensor(c, "src1_mem_pattern", x.in0_in1_dtype.hi(), nac, {.valid = Rule::tensor3d_valid});
  check_tensor(c, "dst_mem_pattern", x.out_dtype, nac, {.valid = Rule::tensor3d_valid, .write = true});
  check_counts(c, Rule::s3s3d3_tt_src_element_cnt_check, "src0_mem_pattern", "src1_mem_pattern");
  check_counts(c, Rule::s3s3d3_tt_dst_element_cnt_check, "src0_mem_pattern", "dst_mem_pattern");
  check_partitions(c, x);
  check_overlap(c, {"src0_mem_pattern", x.in0_in1_dtype.lo(), x.src0_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, nac);
  check_overlap(c, {"src1_mem_pattern", x.in0_in1_dtype.hi(), x.src1_mem_pattern}, {"dst_mem_pattern", x.out_dtype, x.dst_mem_pattern}, nac);
}

}  // namespace act::rules
