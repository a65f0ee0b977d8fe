// 0x74 TensorScalarAddr: exact integer address arithmetic (src[k] op0 imm0) op1 imm1 in five cases (D-52; seed
// "Gap-Cluster", section 10). Operands are widened by their own types; sums and products wrap modulo 2^64, or modulo 2^32
// where everything is 32 bits wide; the range checks compare unsigned and give 1 or 0.
#include "ops.h"

namespace act::sim::ops {
namespace {

std::uint64_t extend(std::uint64_t bits, Dtype t) {
  if (t == Dtype::int32) return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
  return t == Dtype::uint32 ? bits & 0xFFFFFFFFu : bits;
}

bool known(AluOp op) { return op == AluOp::bypass || op == AluOp::add || op == AluOp::subtract || op == AluOp::mult || op == AluOp::is_lt; }

struct Stage {
  AluOp op;
  bool reversed;
  std::uint64_t wrap;  // mask of the arithmetic's width
  std::uint64_t operator()(std::uint64_t running, std::uint64_t operand) const {
    if (op == AluOp::bypass) return running;
    const std::uint64_t a = (reversed ? operand : running) & wrap, b = (reversed ? running : operand) & wrap;
    switch (op) {
      case AluOp::add: return (a + b) & wrap;
      case AluOp::subtract: return (a - b) & wrap;
      case AluOp::mult: return (a * b) & wrap;
      default: return a < b ? 1 : 0;
    }
  }
};

}  // namespace

void tensor_scalar_addr(Exec& x, const S2d2Addr& i) {
  const unsigned n = i.num_active_channels;
  const Dtype in = i.in_out_dtype.lo(), out = i.in_out_dtype.hi(), type0 = i.imm0_imm1_dtype.lo(), type1 = i.imm0_imm1_dtype.hi();
  const Operand s = x.source(i.src_mem_pattern, in, "src_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, out, "dst_mem_pattern", n);
  for (const Operand* o : {&s, &d})
    if (o->valid() && o->space != Space::sbuf) x.fail(Code::misplaced_operand, "must be in SBUF", o->name);
  if (!known(i.op0) || !known(i.op1)) return x.fail(Code::not_simulated, "no operation of address arithmetic", "op0");
  const ScalarBits imm0 = x.scalar_bits(i.imm0, i.imm0_is_ptr, type0, "imm0", n);
  ScalarBits imm1;
  if (i.op1 != AluOp::bypass) imm1 = x.scalar_bits(i.imm1, i.imm1_is_ptr, type1, "imm1", n);
  if (x.failed()) return;

  const bool wide = dtype_bytes(in) == 8 || dtype_bytes(out) == 8;
  const std::uint64_t wrap = wide ? ~std::uint64_t{0} : 0xFFFFFFFFu;
  const bool first_reversed = i.reverse_operands == RevOps::FIRST || i.reverse_operands == RevOps::BOTH;
  const bool second_reversed = i.reverse_operands == RevOps::SECOND || i.reverse_operands == RevOps::BOTH;
  const Stage first{i.op0, first_reversed, wrap}, second{i.op1, second_reversed, wrap};
  x.elements({&s}, d, [&](const Block& at) {
    std::uint64_t v[kBlock];
    x.read_bits(s, at, v);
    const std::uint64_t a = extend(imm0.at(at.channel), type0), b = extend(imm1.at(at.channel), type1);
    for (unsigned k = 0; k < at.count; ++k) v[k] = second(first(extend(v[k], in), a), b);
    x.write_bits(d, at, v);
  });
}

}  // namespace act::sim::ops
