// Memset, pool and control instructions, custom operations (01 section 8.8, and the pages of their opcodes).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/rules/context.h"

namespace act::rules {
namespace {

// --- TENSOR_SCALAR_ADDR: five cases of integer address arithmetic ------------------------------------------------

bool is_addr_dtype(Dtype t) { return t == Dtype::uint32 || t == Dtype::int32 || t == Dtype::uint64 || t == Dtype::int64; }

bool is_table_index(const S2d2Addr& x) {
  return x.op0 == AluOp::mult && x.op1 == AluOp::add && x.imm0_imm1_dtype == DtypePair::of(Dtype::int32, Dtype::uint64) &&
         x.in_out_dtype == DtypePair::of(Dtype::int32, Dtype::uint64);
}
bool is_base_plus_offset(const S2d2Addr& x) {
  return x.op0 == AluOp::add && x.op1 == AluOp::bypass && x.imm1_is_ptr == ImmSrc::INSTRUCTION_IMMEDIATE && x.imm0_imm1_dtype.lo() == Dtype::uint64 &&
         x.in_out_dtype == DtypePair::of(Dtype::int32, Dtype::uint64);
}
bool is_scaled_index(const S2d2Addr& x) {
  return x.op0 == AluOp::mult && (x.op1 == AluOp::bypass || (x.op1 == AluOp::add && x.imm0_imm1_dtype.hi() == Dtype::int32)) &&
         x.imm0_imm1_dtype.lo() == Dtype::int32 && x.in_out_dtype == DtypePair::of(Dtype::int32, Dtype::int32);
}
bool is_range_check(const S2d2Addr& x, Dtype address) {
  return x.op0 == AluOp::subtract && x.op1 == AluOp::is_lt && x.imm0_imm1_dtype == DtypePair::of(address, address) && x.in_out_dtype.lo() == address &&
         is_valid_int_dtype_datapath(x.in_out_dtype.hi());
}

void check_wide_immediate(const Context& c, std::string_view field, ImmSrc source, std::uint64_t bits, Dtype dtype, unsigned channels) {
  if (source != ImmSrc::POINTER_IMMEDIATE && source != ImmSrc::REG_PTR_IMMEDIATE) return;
  c.require(bits >> 32 == 0, Rule::has_valid_immediates, field, "the upper word of a pointer or register", "0");
  check_immediate(c, Rule::has_valid_immediates, field, source, static_cast<std::uint32_t>(bits), dtype_alignment(dtype, c.generation), channels);
}

// --- CTRL_IM -----------------------------------------------------------------------------------------------------

void check_mask(const Context& c, const CtrlIm& x) {
  for (unsigned i = 0; i < x.immediate.size(); ++i) {
    const unsigned entry = x.immediate[i];
    if (entry < 64 || entry == 255) continue;
    c.fail(Rule::has_valid_masksel_data, "immediate", fmt::format("entry {} is {}", i, entry), "0..63, 255").where.byte = 32 + i;
  }
}

void check_arguments(const Context& c, const CtrlIm& x) {
  for (unsigned i = 0; i < 8; ++i) {
    if ((x.imm_ptr_select >> i & 1) == 0) continue;
    std::uint32_t word;
    std::memcpy(&word, x.immediate.data() + 4 * i, 4);
    const Location at = locate(word, c.generation);
    const bool ok = (word & ~kAddressMask) == 0 && word % 4 == 0 && at.space == Space::sbuf && at.active && at.partition % kQuadrantPartitions == 0;
    if (!ok) c.fail(Rule::ld_pool_arg_has_valid_imm_ptrs, "immediate", fmt::format("word {} is 0x{:08x}", i, word)).where.byte = 32 + 4 * i;
  }
}

}  // namespace

void check_payload(const Context& c, const D4Mr& x) {
  check_dtype(c, "dtype", x.dtype, {.fp32r = true});
  check_channels(c, x.num_active_channels);
  check_tensor(c, "dst_mem_pattern", x.dtype, x.num_active_channels, {.valid = Rule::tensor4d_valid, .write = true});
  const unsigned size = dtype_bytes(x.dtype);
  const bool fits = x.dtype != Dtype::fp32r && (size == 4 || ((size == 1 || size == 2) && x.set_value >> (8 * size) == 0));
  if (is_valid_dtype(x.dtype, c.generation, true))
    c.require(fits, Rule::memset_set_value_type, "set_value", [&] { return fmt::format("a pattern for {}", dtype_name(x.dtype)); }, size == 1 ? "0..0xff" : size == 2 ? "0..0xffff" : "a type other than FP32R");
  if (const Count n = element_count(c, "dst_mem_pattern"); n.known && n.value != x.dst_element_count)
    c.warn(Rule::memset_dst_element_count, "dst_element_count", "", fmt::format("{}", n.value));
}

void check_payload(const Context& c, const S4Pb& x) {
  constexpr std::uint64_t kBufferElements = 512;
  check_dtype(c, "in_dtype", x.in_dtype, {});
  check_channels(c, x.num_active_channels);
  check_tensor(c, "src_mem_pattern", x.in_dtype, x.num_active_channels, {.valid = Rule::tensor4d_valid, .psum = false});
  if (const Count n = element_count(c, "src_mem_pattern"); n.known)
    c.require(n.value <= kBufferElements, Rule::valid_pool_buffer_load_element_count, "src_mem_pattern", [&] { return fmt::format("{} elements", n.value); }, "1..512 elements");
}

void check_payload(const Context& c, const CtrlIm& x) {
  const auto op = static_cast<Opcode>(x.opcode);
  if (op != Opcode::LOAD_PARAMETER_RAM) c.require(x.param_ram_offset == 0, Rule::has_zero_pram_offset, "param_ram_offset", "", "0");
  if (op != Opcode::LOAD_POOL_ARGUMENT) c.require(x.imm_ptr_select == 0, Rule::ctrl_imm_ptr_select_zero, "imm_ptr_select", "", "0");
  if (op == Opcode::LOAD_MASK_SELECT) check_mask(c, x);
  if (op == Opcode::LOAD_POOL_ARGUMENT) check_arguments(c, x);
  if (op == Opcode::ENGINE_NOP) c.require(std::ranges::all_of(x.immediate, [](std::uint8_t b) { return b == 0; }), Rule::zero_immediate, "immediate", "", "0");
}

void check_payload(const Context& c, const S2d2Addr& x) {
  const Dtype out = x.in_out_dtype.hi();
  c.require(is_addr_dtype(x.imm0_imm1_dtype.lo()) && (is_addr_dtype(x.imm0_imm1_dtype.hi()) || x.op1 == AluOp::bypass), Rule::ts_addr_valid_types, "imm0_imm1_dtype", "", "UINT32, INT32, UINT64, INT64");
  c.require(is_addr_dtype(x.in_out_dtype.lo()) && (is_addr_dtype(out) || is_valid_int_dtype_datapath(out)), Rule::ts_addr_valid_types, "in_out_dtype", "", "UINT32, INT32, UINT64, INT64; output also of 8 or 16 bits");
  const bool known = is_table_index(x) || is_base_plus_offset(x) || is_scaled_index(x) || is_range_check(x, Dtype::uint64) || is_range_check(x, Dtype::uint32);
  c.require(known, Rule::ts_addr_valid_ops, "op0", [&] { return fmt::format("{} then {} on {} into {}", alu_op_name(x.op0), alu_op_name(x.op1), dtype_name(x.in_out_dtype.lo()), dtype_name(out)); });
  check_channels(c, x.num_active_channels);
  check_wide_immediate(c, "imm0", x.imm0_is_ptr, x.imm0.bits, x.imm0_imm1_dtype.lo(), x.num_active_channels);
  check_wide_immediate(c, "imm1", x.imm1_is_ptr, x.imm1.bits, x.imm0_imm1_dtype.hi(), x.num_active_channels);
  check_tensor(c, "src_mem_pattern", x.in_out_dtype.lo(), x.num_active_channels, {.valid = Rule::tensor2d_valid, .psum = false});
  check_tensor(c, "dst_mem_pattern", out, x.num_active_channels, {.valid = Rule::tensor2d_valid, .write = true, .psum = false});
  check_overlap(c, {"src_mem_pattern", x.in_out_dtype.lo(), x.src_mem_pattern}, {"dst_mem_pattern", out, x.dst_mem_pattern}, x.num_active_channels);
  check_counts(c, Rule::same_element_count_t2d, "src_mem_pattern", "dst_mem_pattern");
}

void check_payload(const Context& c, const ModifyPoolConfig& x) {
  constexpr std::uint32_t kMaxLibraryBytes = 65536;
  c.require(x.library_size <= kMaxLibraryBytes, Rule::has_valid_modify_pool_config_library_size, "library_size", "", "0..65536");
}

void check_payload(const Context& c, const CustomOpHeader& x) {
  const bool none = x.scratch_space_addr == 0 && x.scratch_space_size == 0 && x.scratch_space_num_partitions == 0;
  const bool all = x.scratch_space_addr != 0 && x.scratch_space_size != 0 && x.scratch_space_num_partitions != 0;
  c.require(x.has_scratch_space == 0 ? none : all, Rule::scratch_space_valid, "has_scratch_space",
            [&] { return fmt::format("address 0x{:x}, {} bytes, {} partitions", x.scratch_space_addr, x.scratch_space_size, x.scratch_space_num_partitions); });
}

}  // namespace act::rules
