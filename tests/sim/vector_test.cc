// The vector engine's element-wise instructions and reductions against the plain model.
#include <algorithm>

#include "build.h"

namespace act::sim::plain {
namespace {

constexpr Dtype kTypes[] = {Dtype::fp32, Dtype::bfloat16, Dtype::fp16, Dtype::int32, Dtype::uint32, Dtype::int16, Dtype::uint16, Dtype::int8, Dtype::uint8,
                            Dtype::fp8_exp3, Dtype::fp8_exp4, Dtype::fp8_exp5};
constexpr Dtype kInts[] = {Dtype::int32, Dtype::uint32, Dtype::int16, Dtype::uint16, Dtype::int8, Dtype::uint8};

float larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return canonical_nan(std::isnan(a) ? b : a);
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Domain F in the words of the table of operations.
float plain_float(AluOp op, float a, float b) {
  const bool ta = a != 0, tb = b != 0;
  float r = 0;
  switch (op) {
    case AluOp::bypass: return a;
    case AluOp::add: r = a + b; break;
    case AluOp::subtract: r = a - b; break;
    case AluOp::mult: r = a * b; break;
    case AluOp::max: return larger(a, b);
    case AluOp::min: return canonical_nan(-larger(-a, -b));
    case AluOp::logical_and: return ta && tb ? 1.0F : 0.0F;
    case AluOp::logical_or: return ta || tb ? 1.0F : 0.0F;
    case AluOp::logical_xor: return ta != tb ? 1.0F : 0.0F;
    case AluOp::is_eq: return a == b ? 1.0F : 0.0F;
    case AluOp::is_gt: return a > b ? 1.0F : 0.0F;
    case AluOp::is_ge: return a >= b ? 1.0F : 0.0F;
    case AluOp::is_le: return a <= b ? 1.0F : 0.0F;
    case AluOp::is_lt: return a < b ? 1.0F : 0.0F;
    case AluOp::is_ne: return a == b ? 0.0F : 1.0F;
    case AluOp::absolute_diff: r = std::fabs(a - b); break;
    case AluOp::absolute_value: r = std::fabs(a); break;
    default: ADD_FAILURE() << "operation not in the test";
  }
  return canonical_nan(r);
}
constexpr AluOp kFloatOps[] = {AluOp::add, AluOp::subtract, AluOp::mult, AluOp::max, AluOp::min, AluOp::logical_and, AluOp::logical_or, AluOp::logical_xor, AluOp::is_eq,
                               AluOp::is_gt, AluOp::is_ge, AluOp::is_le, AluOp::is_lt, AluOp::is_ne, AluOp::absolute_diff, AluOp::absolute_value, AluOp::bypass};
constexpr AluOp kBitOps[] = {AluOp::bitwise_and, AluOp::bitwise_or, AluOp::bitwise_xor, AluOp::bitwise_not, AluOp::logical_shift_left, AluOp::logical_shift_right, AluOp::arith_shift_right};

std::uint64_t low_bits(int width) { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

std::uint64_t plain_bit_op(AluOp op, std::uint64_t a, std::uint64_t b, int width) {
  const std::uint64_t mask = low_bits(width);
  const bool top = (a >> (width - 1) & 1) != 0;
  switch (op) {
    case AluOp::bitwise_and: return a & b;
    case AluOp::bitwise_or: return a | b;
    case AluOp::bitwise_xor: return a ^ b;
    case AluOp::bitwise_not: return ~a & mask;
    case AluOp::logical_shift_left: return b >= static_cast<std::uint64_t>(width) ? 0 : a << b & mask;
    case AluOp::logical_shift_right: return b >= static_cast<std::uint64_t>(width) ? 0 : a >> b;
    case AluOp::arith_shift_right: {
      const std::uint64_t n = std::min<std::uint64_t>(b, static_cast<std::uint64_t>(width));
      std::uint64_t r = n == 64 ? 0 : a >> n;
      for (std::uint64_t k = 0; top && k < n; ++k) r |= std::uint64_t{1} << (static_cast<std::uint64_t>(width) - 1 - k);
      return r;
    }
    default: ADD_FAILURE() << "operation not in the test"; return 0;
  }
}

__extension__ using Wide = __int128;
Wide plain_integer(Dtype t, std::uint64_t code) {
  bool is_signed = t == Dtype::int64;
  int bits = 64;
  plain_is_int(t, is_signed, bits);
  Wide v = static_cast<Wide>(code & low_bits(bits));
  if (is_signed && v >= (Wide{1} << (bits - 1))) v -= Wide{1} << bits;
  return v;
}

struct Place {
  unsigned channels = 1, partition = 0;
  std::uint32_t at(bool psum, std::uint32_t offset = 0) const { return (psum ? 0x2000000 + partition * 0x8000 : partition * 0x40000) + offset; }
};
Place random_place(std::mt19937_64& rng) {
  Place p;
  random_channels(rng, p.channels, p.partition);
  return p;
}

// --- 0x41, 0x51 ----------------------------------------------------------------------------------------------------

TEST(TensorTensor, FloatOperationsOnAllTypes) {
  std::mt19937_64 rng(41);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Dtype a = kTypes[rng() % std::size(kTypes)], b = kTypes[rng() % std::size(kTypes)], out = kTypes[rng() % std::size(kTypes)];
    const AluOp op = kFloatOps[rng() % std::size(kFloatOps)];
    const Place p = random_place(rng);
    const std::vector<int> num = random_counts(rng, 3);
    const Walk x = random_walk(rng, a, num, p.at(rng() % 2 == 0), 0, 1024, true), y = random_walk(rng, b, reshaped(rng, num), p.at(false), 1024, 2048, true);
    const Walk z = random_walk(rng, out, reshaped(rng, num), p.at(plain_bytes(out) == 4 && rng() % 2 == 0), 2048, 3072, false);
    auto i = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
    x.put(i.src0_mem_pattern);
    y.put(i.src1_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in0_in1_dtype = DtypePair::of(a, b);
    i.out_dtype = out;
    i.op = op;
    i.num_active_channels = static_cast<std::uint8_t>(p.channels);
    Twins t;
    t.add(i);
    t.fill(x, p.channels, rng);
    t.fill(y, p.channels, rng);
    for (unsigned c = 0; c < p.channels; ++c)
      for (std::uint64_t k = 0; k < z.count(); ++k) t.twin.set(z.at(c, k), out, plain_float(op, t.twin.get(x.at(c, k), a), t.twin.get(y.at(c, k), b)));
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(std::min(128u, p.partition + p.channels + 1));
    if (HasFailure()) return;
  }
}

TEST(TensorTensor, BitOperationsSeePatterns) {
  std::mt19937_64 rng(51);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const Dtype type = kInts[rng() % std::size(kInts)];
    const AluOp op = kBitOps[rng() % std::size(kBitOps)];
    const std::vector<int> num = random_counts(rng, 3);
    const Walk x = random_walk(rng, type, num, 0, 0, 1024, true), y = random_walk(rng, type, num, 0, 1024, 2048, true), z = random_walk(rng, type, num, 0, 2048, 3072, false);
    auto i = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_BITVEC_OP);
    x.put(i.src0_mem_pattern);
    y.put(i.src1_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in0_in1_dtype = DtypePair::of(type, type);
    i.out_dtype = type;
    i.op = op;
    i.num_active_channels = 2;
    Twins t;
    t.add(i);
    t.fill(x, 2, rng);
    for (unsigned c = 0; c < 2; ++c)
      for (std::uint64_t k = 0; k < y.count(); ++k) t.set_code(y.at(c, k), type, rng() % 3 == 0 ? random_code(rng, type) : rng() % 34);
    for (unsigned c = 0; c < 2; ++c)
      for (std::uint64_t k = 0; k < z.count(); ++k)
        t.twin.set_code(z.at(c, k), type, plain_bit_op(op, t.twin.code(x.at(c, k), type), t.twin.code(y.at(c, k), type), 8 * plain_bytes(type)));
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(3);
    if (HasFailure()) return;
  }
}

TEST(TensorTensor, TheIntegerBandWrapsAtTheSourceAndClampsIntoTheDestination) {
  constexpr AluOp kOps[] = {AluOp::add_int, AluOp::subtract_int, AluOp::mult_int, AluOp::divide_int, AluOp::mod_int, AluOp::is_equal_int};
  std::mt19937_64 rng(45);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const bool is_signed = rng() % 2 == 0;
    const Dtype type = is_signed ? (rng() % 2 == 0 ? Dtype::int32 : Dtype::int16) : (rng() % 2 == 0 ? Dtype::uint32 : Dtype::uint8);
    const Dtype out = is_signed ? (rng() % 2 == 0 ? Dtype::int32 : Dtype::int8) : (rng() % 2 == 0 ? Dtype::uint32 : Dtype::uint16);
    const AluOp op = kOps[rng() % std::size(kOps)];
    const Walk x{0, type, {1}, {6}}, y{0x100, type, {1}, {6}}, z{0x200, out, {1}, {6}};
    auto i = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
    x.put(i.src0_mem_pattern);
    y.put(i.src1_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in0_in1_dtype = DtypePair::of(type, type);
    i.out_dtype = out;
    i.op = op;
    i.num_active_channels = 1;
    Twins t;
    t.add(i);
    t.fill(x, 1, rng);
    t.fill(y, 1, rng);
    bool divides_by_zero = false;
    for (std::uint64_t k = 0; k < 6; ++k) {
      const Wide a = plain_integer(type, t.twin.code(x.at(0, k), type)), b = plain_integer(type, t.twin.code(y.at(0, k), type));
      Wide r = 0;
      switch (op) {
        case AluOp::add_int: r = a + b; break;
        case AluOp::subtract_int: r = a - b; break;
        case AluOp::mult_int: r = a * b; break;
        case AluOp::divide_int: r = b == 0 ? 0 : a / b; break;
        case AluOp::mod_int: r = b == 0 ? a : a % b; break;
        default: r = a == b ? 1 : 0; break;
      }
      divides_by_zero = divides_by_zero || (b == 0 && (op == AluOp::divide_int || op == AluOp::mod_int));
      const Wide wrapped = plain_integer(type, static_cast<std::uint64_t>(r));
      bool out_signed = false;
      int bits = 0;
      plain_is_int(out, out_signed, bits);
      const Wide low = out_signed ? -(Wide{1} << (bits - 1)) : 0, high = (Wide{1} << (out_signed ? bits - 1 : bits)) - 1;
      t.twin.set_code(z.at(0, k), out, static_cast<std::uint64_t>(wrapped < low ? low : wrapped > high ? high : wrapped));
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(2);
    EXPECT_EQ(t.reported(Code::division_by_zero), divides_by_zero);
    if (HasFailure()) return;
  }
}

TEST(TensorTensor, PowIsCorrectlyRounded) {
  auto i = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
  Walk{0, Dtype::fp32, {1}, {64}}.put(i.src0_mem_pattern);
  Walk{0x100, Dtype::fp32, {1}, {64}}.put(i.src1_mem_pattern);
  Walk{0x200, Dtype::fp32, {1}, {64}}.put(i.dst_mem_pattern);
  i.in0_in1_dtype = DtypePair::of(Dtype::fp32, Dtype::fp32);
  i.out_dtype = Dtype::fp32;
  i.op = AluOp::pow;
  i.num_active_channels = 1;
  Twins t;
  t.add(i);
  std::mt19937_64 rng(1);
  for (unsigned k = 0; k < 64; ++k) {
    t.set(4 * k, Dtype::fp32, static_cast<float>(1 + rng() % 5000) / 97);
    t.set(0x100 + 4 * k, Dtype::fp32, static_cast<float>(rng() % 800) / 61 - 6);
  }
  ASSERT_TRUE(t.run()) << t.reports();
  for (unsigned k = 0; k < 64; ++k)
    EXPECT_EQ(t.get(0x200 + 4 * k), static_cast<float>(std::pow(static_cast<long double>(t.twin.get(4 * k, Dtype::fp32)), static_cast<long double>(t.twin.get(0x100 + 4 * k, Dtype::fp32)))));
}

// --- 0x42, 0x52 ----------------------------------------------------------------------------------------------------

TEST(TensorReduce, FoldsTheNamedDimensionsInOrder) {
  constexpr AluOp kOps[] = {AluOp::add, AluOp::subtract, AluOp::mult, AluOp::max, AluOp::min, AluOp::logical_and, AluOp::logical_or, AluOp::logical_xor};
  std::mt19937_64 rng(42);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const bool bitvec = rng() % 4 == 0;
    const Dtype in = bitvec ? kInts[rng() % std::size(kInts)] : kTypes[rng() % std::size(kTypes)], out = bitvec ? in : kTypes[rng() % std::size(kTypes)];
    const AluOp op = bitvec ? kBitOps[rng() % 3] : kOps[rng() % std::size(kOps)];
    const unsigned dims = 1 + static_cast<unsigned>(rng() % 4);  // folded
    const std::vector<int> num = random_counts(rng, 4);
    int size = 1;
    std::vector<int> kept;
    for (unsigned d = 0; d < 4; ++d) {
      if (d < dims) size *= num[d];
      else kept.push_back(num[d]);
    }
    if (kept.empty()) kept.push_back(1);
    const Place p = random_place(rng);
    const Walk x = random_walk(rng, in, num, p.at(!bitvec && rng() % 2 == 0), 0, 2048, true), z = random_walk(rng, out, kept, p.at(false), 2048, 3072, false);
    auto i = make<S4d4Tr>(bitvec ? Opcode::TENSOR_REDUCE_BITVEC_OP : Opcode::TENSOR_REDUCE_ARITH_OP);
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = in;
    i.out_dtype = out;
    i.op = op;
    i.op_dim = static_cast<TensorSubdim>(dims + 1);
    i.negated = bitvec ? 0 : static_cast<std::uint8_t>(rng() % 2);
    i.num_active_channels = static_cast<std::uint8_t>(p.channels);
    Twins t;
    t.add(i);
    t.fill(x, p.channels, rng);
    for (unsigned c = 0; c < p.channels; ++c)
      for (std::uint64_t g = 0; g < z.count(); ++g) {
        const std::uint64_t first = g * static_cast<std::uint64_t>(size);
        if (bitvec) {
          std::uint64_t acc = t.twin.code(x.at(c, first), in);
          for (int k = 1; k < size; ++k) acc = plain_bit_op(op, acc, t.twin.code(x.at(c, first + static_cast<std::uint64_t>(k)), in), 8 * plain_bytes(in));
          t.twin.set_code(z.at(c, g), out, acc);
          continue;
        }
        float acc = t.twin.get(x.at(c, first), in);
        for (int k = 1; k < size; ++k) acc = plain_float(op, acc, t.twin.get(x.at(c, first + static_cast<std::uint64_t>(k)), in));
        t.twin.set(z.at(c, g), out, i.negated != 0 ? -acc : acc);
      }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(std::min(128u, p.partition + p.channels + 1));
    if (HasFailure()) return;
  }
}

// --- 0x43, 0x53, 0x93 ------------------------------------------------------------------------------------------------

TEST(TensorScalar, TwoStagesWithReversalsAndPointers) {
  std::mt19937_64 rng(43);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Dtype in = kTypes[rng() % std::size(kTypes)], out = kTypes[rng() % std::size(kTypes)];
    const AluOp op0 = kFloatOps[rng() % (std::size(kFloatOps) - 1)], op1 = kFloatOps[rng() % std::size(kFloatOps)];
    const Place p = random_place(rng);
    const std::vector<int> num = random_counts(rng, 3);
    const Walk x = random_walk(rng, in, num, p.at(rng() % 2 == 0), 0, 1024, true), z = random_walk(rng, out, reshaped(rng, num), p.at(false), 1024, 2048, false);
    const unsigned kind[2] = {static_cast<unsigned>(rng() % 3), static_cast<unsigned>(rng() % 3)};
    const std::uint32_t inline_bits[2] = {static_cast<std::uint32_t>(random_code(rng, Dtype::fp32)), static_cast<std::uint32_t>(random_code(rng, Dtype::fp32))};
    const std::uint32_t at[2] = {p.at(false, 3200), p.at(false, 3204)};
    auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = in;
    i.out_dtype = out;
    i.op0 = op0;
    i.op1 = op1;
    i.reverse_operands = static_cast<RevOps>(rng() % 4);
    i.num_active_channels = static_cast<std::uint8_t>(p.channels);
    i.imm0_src = static_cast<ImmSrc>(kind[0]);
    i.imm1_src = static_cast<ImmSrc>(kind[1]);
    i.imm0.bits = kind[0] == 0 ? inline_bits[0] : kind[0] == 1 ? at[0] : 20;
    i.imm1.bits = kind[1] == 0 ? inline_bits[1] : kind[1] == 1 ? at[1] : 21;
    Twins t;
    t.program.registers = {{20, at[0]}, {21, at[1]}};
    t.add(i);
    t.fill(x, p.channels, rng);
    for (unsigned c = 0; c < p.channels; ++c)
      for (std::uint32_t a : at) t.set_code(a + c * 0x40000, Dtype::fp32, random_code(rng, Dtype::fp32));
    for (unsigned c = 0; c < p.channels; ++c) {
      float imm[2];
      for (int v = 0; v < 2; ++v) imm[v] = kind[v] == 0 ? plain_widen(Dtype::fp32, inline_bits[v]) : t.twin.get(at[v] + c * 0x40000, Dtype::fp32);
      for (std::uint64_t k = 0; k < z.count(); ++k) {
        const int reverse = static_cast<int>(i.reverse_operands);
        const float v = t.twin.get(x.at(c, k), in);
        const float a = (reverse & 1) != 0 ? plain_float(op0, imm[0], v) : plain_float(op0, v, imm[0]);
        const float b = op1 == AluOp::bypass ? a : (reverse & 2) != 0 ? plain_float(op1, imm[1], a) : plain_float(op1, a, imm[1]);
        t.twin.set(z.at(c, k), out, b);
      }
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(std::min(128u, p.partition + p.channels + 1));
    if (HasFailure()) return;
  }
}

TEST(TensorScalar, WorkedExampleOfReversal) {
  for (const auto& [reverse, expected] : {std::pair{0, 30.0F}, {1, -30.0F}, {2, 30.0F}, {3, -30.0F}}) {
    auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
    Walk{0, Dtype::fp32, {1}, {1}}.put(i.src_mem_pattern);
    Walk{0x40, Dtype::fp32, {1}, {1}}.put(i.dst_mem_pattern);
    i.in_dtype = i.out_dtype = Dtype::fp32;
    i.op0 = AluOp::subtract;
    i.op1 = AluOp::mult;
    i.imm0.bits = bits_of(2.0F);
    i.imm1.bits = bits_of(10.0F);
    i.reverse_operands = static_cast<RevOps>(reverse);
    i.num_active_channels = 1;
    Twins t;
    t.add(i);
    t.set(0, Dtype::fp32, 5);
    ASSERT_TRUE(t.run());
    EXPECT_EQ(t.get(0x40), expected);
  }
}

TEST(TensorScalar, BitStages) {
  std::mt19937_64 rng(53);
  for (int round = 0; round < 150; ++round) {
    const Dtype type = kInts[rng() % std::size(kInts)];
    const int width = 8 * plain_bytes(type);
    const AluOp op0 = kBitOps[rng() % std::size(kBitOps)], op1 = kBitOps[rng() % std::size(kBitOps)];
    const std::uint64_t imm0 = rng() % 40 & low_bits(width), imm1 = random_code(rng, type);
    auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_BITVEC_OP);
    const Walk x{0, type, {1}, {5}}, z{0x100, type, {1}, {5}};
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = i.out_dtype = type;
    i.op0 = op0;
    i.op1 = op1;
    i.imm0.bits = static_cast<std::uint32_t>(imm0);
    i.imm1.bits = static_cast<std::uint32_t>(imm1);
    i.reverse_operands = static_cast<RevOps>(rng() % 4);
    i.num_active_channels = 1;
    Twins t;
    t.add(i);
    t.fill(x, 1, rng);
    for (std::uint64_t k = 0; k < 5; ++k) {
      const int reverse = static_cast<int>(i.reverse_operands);
      const std::uint64_t v = t.twin.code(x.at(0, k), type);
      const std::uint64_t a = (reverse & 1) != 0 ? plain_bit_op(op0, imm0, v, width) : plain_bit_op(op0, v, imm0, width);
      t.twin.set_code(z.at(0, k), type, (reverse & 2) != 0 ? plain_bit_op(op1, imm1, a, width) : plain_bit_op(op1, a, imm1, width));
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(2);
    if (HasFailure()) return;
  }
}

TEST(TensorScalar, TransposedSource) {
  std::mt19937_64 rng(93);
  for (const unsigned channels : {32u, 64u, 128u}) {
    const Walk x{0, Dtype::bfloat16, {1}, {96}}, z{0x400, Dtype::fp32, {1}, {96}};
    auto i = make<S3d3Ts>(Opcode::TRANSPOSE_TENSOR_SCALAR_ARITH_OP);
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = Dtype::bfloat16;
    i.out_dtype = Dtype::fp32;
    i.op0 = AluOp::mult;
    i.imm0_src = ImmSrc::POINTER_IMMEDIATE;
    i.imm0.bits = 0x800;
    i.num_active_channels = static_cast<std::uint8_t>(channels);
    Twins t;
    t.add(i);
    t.fill(x, channels, rng);
    for (unsigned c = 0; c < channels; ++c) t.set(c * 0x40000 + 0x800, Dtype::fp32, static_cast<float>(c + 1));
    for (unsigned c = 0; c < channels; ++c)
      for (unsigned k = 0; k < 96; ++k) {
        const float v = t.twin.get(x.at(c / 32 * 32 + k % 32, k / 32 * 32 + c % 32), Dtype::bfloat16);
        t.twin.set(z.at(c, k), Dtype::fp32, plain_float(AluOp::mult, v, static_cast<float>(c + 1)));
      }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal();
  }
}

// --- 0x46, 0x47, 0x49 -----------------------------------------------------------------------------------------------

TEST(CopyAndCast, AllPairsOfTypes) {
  std::mt19937_64 rng(47);
  for (const Dtype in : kTypes)
    for (const Dtype out : kTypes) {
      SCOPED_TRACE(std::string(dtype_name(in)) + " to " + std::string(dtype_name(out)));
      const std::vector<int> num = random_counts(rng, 4);
      const Walk x = random_walk(rng, in, num, 0, 0, 1536, true), z = random_walk(rng, out, reshaped(rng, num), 0, 1536, 3072, false);
      auto i = make<S4d4Tr>(in == out ? Opcode::COPY : Opcode::CAST);
      x.put(i.src_mem_pattern);
      z.put(i.dst_mem_pattern);
      i.in_dtype = in;
      i.out_dtype = out;
      i.num_active_channels = 3;
      Twins t;
      t.add(i);
      t.fill(x, 3, rng);
      for (unsigned c = 0; c < 3; ++c)
        for (std::uint64_t k = 0; k < z.count(); ++k) {
          if (in == out) t.twin.set_code(z.at(c, k), out, t.twin.code(x.at(c, k), in));
          else t.twin.set(z.at(c, k), out, t.twin.get(x.at(c, k), in));
        }
      ASSERT_TRUE(t.run()) << t.reports();
      t.expect_equal(4);
      if (HasFailure()) return;
    }
}

TEST(Memset, WritesTheLowBytesEverywhere) {
  std::mt19937_64 rng(49);
  for (const Dtype type : kTypes) {
    const std::vector<int> num = random_counts(rng, 4);
    const Walk z = random_walk(rng, type, num, 0, 0, 2048, false);
    auto i = make<D4Mr>(Opcode::MEMSET);
    z.put(i.dst_mem_pattern);
    i.dtype = type;
    i.set_value = static_cast<std::uint32_t>(random_code(rng, type));
    i.dst_element_count = static_cast<std::uint32_t>(z.count());
    i.num_active_channels = 5;
    Twins t;
    t.add(i);
    for (unsigned c = 0; c < 5; ++c)
      for (std::uint64_t k = 0; k < z.count(); ++k) t.twin.set_code(z.at(c, k), type, i.set_value);
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(6);
  }
}

// --- 0x30, 0x48 -----------------------------------------------------------------------------------------------------

TEST(Exponential, IsExactAndSumsInTheVectorAccumulator) {
  for (int command = 0; command <= 4; ++command) {
    auto i = make<S3d3Ts>(Opcode::EXPONENTIAL);
    const Walk x{0, Dtype::fp32, {1}, {64}}, z{0x200, Dtype::fp32, {1}, {64}};
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = i.out_dtype = Dtype::fp32;
    i.accumulator_cmd = static_cast<AccumCmd>(command);
    i.imm0_src = ImmSrc::POINTER_IMMEDIATE;
    i.imm0.bits = 0x400;
    i.imm1.bits = command == 4 ? bits_of(3.5F) : 0;
    i.num_active_channels = 2;
    Twins t(Generation::mariana);
    t.add(i);
    std::mt19937_64 rng(30);
    float acc[2] = {0.25F, 0.5F};
    for (unsigned c = 0; c < 2; ++c) {
      t.machine().accumulators(Engine::DVE)[c] = acc[c];
      const float top = static_cast<float>(c) + 2.5F;
      t.set(c * 0x40000 + 0x400, Dtype::fp32, top);
      if (command == 1 || command == 3) acc[c] = 0;
      if (command == 4) acc[c] = 3.5F;
      for (unsigned k = 0; k < 64; ++k) {
        const float v = static_cast<float>(static_cast<int>(rng() % 20000) - 12000) / 1000;
        t.set(x.at(c, k), Dtype::fp32, v);
        const float e = static_cast<float>(std::exp(static_cast<long double>(v - top)));
        t.twin.set(z.at(c, k), Dtype::fp32, e);
        if (command >= 2) acc[c] += e;
      }
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(3);
    for (unsigned c = 0; c < 2; ++c) EXPECT_EQ(t.machine().accumulators(Engine::DVE)[c], acc[c]) << command;
  }
}

TEST(Reciprocal, ExactOnAllHalfAndBrainFloats) {
  for (const Dtype type : {Dtype::fp16, Dtype::bfloat16}) {
    for (std::uint32_t base = 0; base < 65536; base += 8192) {
      Twins t;
      t.add(transfer(Opcode::RECIPROCAL, type, 0, Dtype::fp32, 0x8000, 8192));
      Bytes raw(2 * 8192);
      for (unsigned k = 0; k < 8192; ++k) {
        const auto code = static_cast<std::uint16_t>(base + k);
        std::memcpy(raw.data() + 2 * k, &code, 2);
      }
      t.machine().memory.write(t.machine().memory.locate(0), raw);
      ASSERT_TRUE(t.run());
      for (unsigned k = 0; k < 8192; ++k) {
        const float x = plain_widen(type, base + k), y = t.get(0x8000 + 4 * k);
        const auto expected = canonical_nan(static_cast<float>(1.0L / static_cast<long double>(x)));
        ASSERT_EQ(bits_of(y), bits_of(expected)) << base + k;
      }
    }
  }
}

}  // namespace
}  // namespace act::sim::plain
