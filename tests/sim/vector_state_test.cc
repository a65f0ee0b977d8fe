// The vector and pool instructions that move lanes, keep state or call the user: shuffles, transposes, predicates, addresses,
// scans, buffers, arguments, libraries, custom operations, control.
#include <gmock/gmock.h>

#include <algorithm>

#include "act/sim/reciprocal.h"
#include "build.h"

namespace act::sim::plain {
namespace {

using testing::HasSubstr;

// --- 0x48, policy seed_refine ---------------------------------------------------------------------------------------

TEST(ReciprocalRefined, EveryStageSquaresTheError) {
  double seed = 0, first = 0, second = 0, half = 0;
  for (std::uint32_t m = 0; m < (1u << 23); m += 257) {
    const float x = f32(0x3F800000 | m);
    const double exact = 1.0 / static_cast<double>(x);
    const auto error = [&](float y) { return std::fabs(static_cast<double>(y) / exact - 1); };
    const float y0 = reciprocal_seed(x), y1 = reciprocal_stage(x, y0), y2 = reciprocal_stage(x, y1);
    seed = std::max(seed, error(y0));
    first = std::max(first, error(y1));
    second = std::max(second, error(y2));
    EXPECT_EQ(bits_of(reciprocal_refined_f32(x)), bits_of(y2));
  }
  for (std::uint16_t code = 0x3C00; code < 0x4000; ++code) {
    const float x = plain_widen(Dtype::fp16, code);
    half = std::max(half, std::fabs(static_cast<double>(reciprocal_refined_f16(x)) * static_cast<double>(x) - 1));
  }
  EXPECT_LT(seed, std::ldexp(1, -7));                     // about 8 bits
  EXPECT_GT(seed, std::ldexp(1, -9));
  EXPECT_LT(first, seed * seed + 3 * std::ldexp(1, -24));  // Newton: e -> e^2, three roundings
  EXPECT_LT(second, first * first + 3 * std::ldexp(1, -24));
  EXPECT_LT(half, std::ldexp(1, -9));                     // FP16 has 11 bits
}

TEST(ReciprocalRefined, ThePolicySelectsItAndSpecialsStay) {
  Policies p;
  p.reciprocal = ReciprocalPolicy::seed_refine;
  Twins t(Generation::cayman, p);
  t.add(transfer(Opcode::RECIPROCAL, Dtype::fp32, 0, Dtype::fp32, 0x100, 6));
  const std::uint32_t in[] = {bits_of(3.0F), 0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000};
  for (unsigned k = 0; k < 6; ++k) t.set_code(4 * k, Dtype::fp32, in[k]);
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.get(0x100), reciprocal_refined_f32(3.0F));
  EXPECT_EQ(t.code(0x104, Dtype::fp32), 0x7F800000u);
  EXPECT_EQ(t.code(0x108, Dtype::fp32), 0xFF800000u);
  EXPECT_EQ(t.code(0x10C, Dtype::fp32), 0u);
  EXPECT_EQ(t.code(0x110, Dtype::fp32), 0x80000000u);
  EXPECT_EQ(t.code(0x114, Dtype::fp32), 0x7FC00000u);
}

// --- 0x69, 0x6A, 0x6B -------------------------------------------------------------------------------------------------

CtrlIm mask_of(const std::array<std::uint8_t, 32>& mask) {
  auto i = make<CtrlIm>(Opcode::LOAD_MASK_SELECT);
  std::copy(mask.begin(), mask.end(), i.immediate.begin());
  return i;
}

TEST(StreamShuffle, RandomMasksInEveryQuadrantAlsoInPlace) {
  std::mt19937_64 rng(0x6A);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const unsigned channels = 32 * (1 + static_cast<unsigned>(rng() % 4));
    const Dtype type = rng() % 2 == 0 ? Dtype::bfloat16 : Dtype::int32;
    const bool in_place = rng() % 3 == 0;
    const std::vector<int> num = random_counts(rng, 4);
    Walk x = random_walk(rng, type, num, 0, 0, 1024, false), z = in_place ? x : random_walk(rng, type, reshaped(rng, num), 0, 1024, 2048, false);
    std::array<std::uint8_t, 32> mask;
    for (std::uint8_t& m : mask) m = rng() % 5 == 0 ? 255 : static_cast<std::uint8_t>(rng() % 32);
    auto i = make<S4d4Tr>(Opcode::STREAM_SHUFFLE);
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = i.out_dtype = type;
    i.num_active_channels = static_cast<std::uint8_t>(channels);
    Twins t(Generation::cayman, {}, round % 2 == 0 ? 1 : 2);
    t.options.limits.parallel_from = 1;
    t.add(mask_of(mask));
    t.add(i);
    t.fill(z, channels, rng);
    t.fill(x, channels, rng);
    std::vector<std::vector<std::uint64_t>> before(channels);
    for (unsigned c = 0; c < channels; ++c)
      for (std::uint64_t k = 0; k < x.count(); ++k) before[c].push_back(t.twin.code(x.at(c, k), type));
    for (unsigned c = 0; c < channels; ++c)
      for (std::uint64_t k = 0; k < x.count(); ++k)
        if (mask[c % 32] != 255) t.twin.set_code(z.at(c, k), type, before[c / 32 * 32 + mask[c % 32]][k]);
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal();
    if (HasFailure()) return;
  }
}

TEST(StreamShuffle, StartsWithTheIdentityAndRefusesLanesBeyondTheGroup) {
  Twins t;
  t.add(transfer(Opcode::STREAM_SHUFFLE, Dtype::fp32, 0, Dtype::fp32, 0x40, 1, 32));
  for (unsigned p = 0; p < 32; ++p) t.set(p * 0x40000, Dtype::fp32, static_cast<float>(p));
  ASSERT_TRUE(t.run());
  for (unsigned p = 0; p < 32; ++p) EXPECT_EQ(t.get(p * 0x40000 + 0x40), static_cast<float>(p));
  Twins bad;
  std::array<std::uint8_t, 32> mask{};
  mask[4] = 33;
  bad.add(mask_of(mask));
  bad.add(transfer(Opcode::STREAM_SHUFFLE, Dtype::fp32, 0, Dtype::fp32, 0x40, 1, 32));
  EXPECT_FALSE(bad.run());
  EXPECT_TRUE(bad.reported(Code::bad_value));
}

TEST(StreamTranspose, BlocksOf32AndAShorterDestination) {
  std::mt19937_64 rng(0x6B);
  for (const int stored : {64, 40}) {
    const Walk x{0, Dtype::fp16, {1}, {64}}, z{0x200, Dtype::fp16, {1}, {stored}};
    auto i = make<S4d4Tr>(Opcode::STREAM_TRANSPOSE);
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = i.out_dtype = Dtype::fp16;
    i.num_active_channels = 64;
    Twins t;
    t.add(i);
    t.fill(x, 64, rng);
    for (unsigned c = 0; c < 64; ++c)
      for (unsigned k = 0; k < static_cast<unsigned>(stored); ++k) t.twin.set_code(z.at(c, k), Dtype::fp16, t.twin.code(x.at(c / 32 * 32 + k % 32, k / 32 * 32 + c % 32), Dtype::fp16));
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal();
    Twins partial;
    i.mask_enable = 1;
    partial.add(i);
    EXPECT_FALSE(partial.run());
    EXPECT_TRUE(partial.reported(Code::not_simulated));
  }
}

// --- 0x72, 0x99 -----------------------------------------------------------------------------------------------------------

TEST(Predicated, MergesWhereThePredicateIsNotZero) {
  constexpr Dtype kPredicates[] = {Dtype::uint8, Dtype::int8, Dtype::int16, Dtype::uint16, Dtype::int32, Dtype::uint32};
  constexpr Dtype kData[] = {Dtype::fp32, Dtype::bfloat16, Dtype::int16, Dtype::uint8};
  std::mt19937_64 rng(0x72);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const Dtype predicate = kPredicates[rng() % std::size(kPredicates)], data = kData[rng() % std::size(kData)];
    const bool cast = rng() % 2 == 0;
    const Dtype out = cast ? kData[rng() % std::size(kData)] : data;
    const std::vector<int> num = random_counts(rng, 3);
    const Walk p = random_walk(rng, predicate, num, 0, 0, 1024, true), x = random_walk(rng, data, reshaped(rng, num), rng() % 2 == 0 ? 0 : 0x2000000, 1024, 2048, true);
    const Walk z = random_walk(rng, out, reshaped(rng, num), 0, 2048, 3072, false);
    auto i = make<S3s3d3Tt>(cast ? Opcode::CAST_PREDICATED : Opcode::COPY_PREDICATED);
    p.put(i.src0_mem_pattern);
    x.put(i.src1_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in0_in1_dtype = DtypePair::of(predicate, data);
    i.out_dtype = out;
    i.num_active_channels = 3;
    Twins t;
    t.add(i);
    t.fill(x, 3, rng);
    t.fill(z, 3, rng);
    for (unsigned c = 0; c < 3; ++c)
      for (std::uint64_t k = 0; k < p.count(); ++k) t.set_code(p.at(c, k), predicate, rng() % 2 == 0 ? 0 : std::uint64_t{1} << rng() % static_cast<std::uint64_t>(8 * plain_bytes(predicate)));
    for (unsigned c = 0; c < 3; ++c)
      for (std::uint64_t k = 0; k < p.count(); ++k) {
        if (t.twin.code(p.at(c, k), predicate) == 0) continue;
        if (data == out) t.twin.set_code(z.at(c, k), out, t.twin.code(x.at(c, k), data));
        else t.twin.set(z.at(c, k), out, t.twin.get(x.at(c, k), data));
      }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(4);
    if (HasFailure()) return;
  }
}

// --- 0x74 -------------------------------------------------------------------------------------------------------------------

struct AddressCase {
  Dtype in, out, imm0_type, imm1_type;
  AluOp op0, op1;
};

TEST(TensorScalarAddr, TheFiveCases) {
  const AddressCase cases[] = {{Dtype::int32, Dtype::uint64, Dtype::int32, Dtype::uint64, AluOp::mult, AluOp::add},
                               {Dtype::int32, Dtype::uint64, Dtype::uint64, Dtype::uint64, AluOp::add, AluOp::bypass},
                               {Dtype::int32, Dtype::int32, Dtype::int32, Dtype::int32, AluOp::mult, AluOp::add},
                               {Dtype::uint64, Dtype::uint8, Dtype::uint64, Dtype::uint64, AluOp::subtract, AluOp::is_lt},
                               {Dtype::uint32, Dtype::int16, Dtype::uint32, Dtype::uint32, AluOp::subtract, AluOp::is_lt}};
  std::mt19937_64 rng(0x74);
  for (const AddressCase& c : cases) {
    for (const bool pointer : {false, true}) {
      const Walk x{0, c.in, {1}, {16}}, z{0x200, c.out, {1}, {16}};
      auto i = make<S2d2Addr>(Opcode::TENSOR_SCALAR_ADDR);
      x.put(i.src_mem_pattern);
      z.put(i.dst_mem_pattern);
      i.imm0_imm1_dtype = DtypePair::of(c.imm0_type, c.imm1_type);
      i.in_out_dtype = DtypePair::of(c.in, c.out);
      i.op0 = c.op0;
      i.op1 = c.op1;
      i.num_active_channels = 2;
      const std::uint64_t imm0 = plain_bytes(c.imm0_type) == 8 ? 0xFFFFFFFF00000010ULL + rng() % 64 : 0xFFFFFFF0ULL + rng() % 16;
      const std::uint64_t imm1 = plain_bytes(c.imm1_type) == 8 ? 0x123456789ABCDEF0ULL : 0x40000000ULL;
      i.imm0_is_ptr = i.imm1_is_ptr = pointer ? ImmSrc::POINTER_IMMEDIATE : ImmSrc::INSTRUCTION_IMMEDIATE;
      i.imm0.bits = pointer ? 0x400 : imm0;
      i.imm1.bits = c.op1 == AluOp::bypass ? 0 : pointer ? 0x408 : imm1;
      Twins t;
      t.add(i);
      for (unsigned p = 0; p < 2; ++p) {
        t.set_code(p * 0x40000 + 0x400, c.imm0_type, imm0);
        t.set_code(p * 0x40000 + 0x408, c.imm1_type, imm1);
        for (unsigned k = 0; k < 16; ++k) t.set_code(x.at(p, k), c.in, plain_bytes(c.in) == 8 ? imm0 + (rng() % 2 == 0 ? rng() % 100 : rng()) : rng() & 0xFFFFFFFF);
      }
      const auto value = [](Dtype type, std::uint64_t code) {
        return type == Dtype::int32 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(code))) : code;
      };
      const bool wide = plain_bytes(c.in) == 8 || plain_bytes(c.out) == 8;
      const std::uint64_t wrap = wide ? ~std::uint64_t{0} : 0xFFFFFFFF;
      for (unsigned p = 0; p < 2; ++p)
        for (unsigned k = 0; k < 16; ++k) {
          const std::uint64_t v = value(c.in, t.twin.code(x.at(p, k), c.in)), a = value(c.imm0_type, imm0), b = value(c.imm1_type, imm1);
          std::uint64_t r = (c.op0 == AluOp::mult ? v * a : c.op0 == AluOp::add ? v + a : v - a) & wrap;
          if (c.op1 == AluOp::add) r = (r + b) & wrap;
          if (c.op1 == AluOp::is_lt) r = r < (b & wrap) ? 1 : 0;
          t.twin.set_code(z.at(p, k), c.out, r);
        }
      ASSERT_TRUE(t.run()) << t.reports();
      t.expect_equal(3);
    }
  }
}

TEST(TensorScalarAddr, PsumIsOutOfReach) {
  auto i = make<S2d2Addr>(Opcode::TENSOR_SCALAR_ADDR);
  Walk{0x2000000, Dtype::int32, {1}, {1}}.put(i.src_mem_pattern);
  Walk{0, Dtype::int32, {1}, {1}}.put(i.dst_mem_pattern);
  i.imm0_imm1_dtype = i.in_out_dtype = DtypePair::of(Dtype::int32, Dtype::int32);
  i.op0 = AluOp::mult;
  i.num_active_channels = 1;
  Twins t;
  t.add(i);
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::misplaced_operand));
}

// --- 0x9A, 0xE6 ---------------------------------------------------------------------------------------------------------------

TEST(Cache, ReduceAndCumulativeKeepTheAccumulator) {
  constexpr AluOp kFold[] = {AluOp::add, AluOp::subtract, AluOp::mult, AluOp::max, AluOp::min};
  std::mt19937_64 rng(0x9A);
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    const bool cumulative = rng() % 2 == 0;
    const AluOp op1 = kFold[rng() % std::size(kFold)];
    const int command = 2 + static_cast<int>(rng() % 3), reverse = static_cast<int>(rng() % 4);
    const Walk x{0, Dtype::bfloat16, {1, 20}, {7, 3}}, z{0x400, Dtype::fp32, {1}, {21}};
    auto i = make<S3d3Ts>(cumulative ? Opcode::TENSOR_SCALAR_CACHE_CUMULATIVE : Opcode::TENSOR_SCALAR_CACHE_REDUCE);
    x.put(i.src_mem_pattern);
    z.put(i.dst_mem_pattern);
    i.in_dtype = Dtype::bfloat16;
    i.out_dtype = Dtype::fp32;
    i.op0 = AluOp::subtract;
    i.op1 = op1;
    i.reverse_operands = static_cast<RevOps>(reverse);
    i.accumulator_cmd = static_cast<AccumCmd>(command);
    i.imm0.bits = bits_of(0.5F);
    i.imm1.bits = bits_of(1.25F);
    i.num_active_channels = 2;
    Twins t;
    t.add(i);
    t.add(drain(0x600, 2, Opcode::DVE_READ_ACCUMULATOR));
    for (unsigned c = 0; c < 2; ++c)
      for (std::uint64_t k = 0; k < 21; ++k) t.set(x.at(c, k), Dtype::bfloat16, static_cast<float>(rng() % 64) / 16 - 2);
    for (unsigned c = 0; c < 2; ++c) {
      float acc = 3;
      t.machine().accumulators(Engine::DVE)[c] = acc;
      if (command == 3) acc = op1 == AluOp::mult ? 1.0F : op1 == AluOp::max ? -INFINITY : op1 == AluOp::min ? INFINITY : 0.0F;
      if (command == 4) acc = 1.25F;
      for (std::uint64_t k = 0; k < 21; ++k) {
        const float v = t.twin.get(x.at(c, k), Dtype::bfloat16);
        const float s = (reverse & 1) != 0 ? 0.5F - v : v - 0.5F;
        const float a = (reverse & 2) != 0 ? s : acc, b = (reverse & 2) != 0 ? acc : s;
        switch (op1) {
          case AluOp::add: acc = a + b; break;
          case AluOp::subtract: acc = a - b; break;
          case AluOp::mult: acc = a * b; break;
          case AluOp::max: acc = std::max(a, b); break;
          default: acc = std::min(a, b); break;
        }
        if (cumulative) t.twin.set(z.at(c, k), Dtype::fp32, acc);
      }
      if (!cumulative)
        for (std::uint64_t k = 0; k < 21; ++k) t.twin.set(z.at(c, k), Dtype::fp32, acc);
      t.twin.set(c * 0x40000 + 0x600, Dtype::fp32, acc);
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(3);
    if (HasFailure()) return;
  }
}

// --- 0x66, 0x67, 0x7A, 0x95 ---------------------------------------------------------------------------------------------------

TEST(PoolBuffer, LoadsRawElementsAndMatchesIndices) {
  auto i = make<S4Pb>(Opcode::POOL_BUFFER_LOAD);
  const Walk x{0, Dtype::fp16, {2}, {300}};
  x.put(i.src_mem_pattern);
  i.in_dtype = Dtype::fp16;
  i.num_active_channels = 3;
  i.start_index = 0xab400;
  i.mask = 0x1ff;
  Twins t;
  t.add(i);
  std::mt19937_64 rng(0x67);
  t.fill(x, 3, rng);
  ASSERT_TRUE(t.run()) << t.reports();
  const PoolBuffer& b = t.machine().pool_buffer;
  ASSERT_EQ(b.count, 300u);
  EXPECT_EQ(b.element_bytes, 2u);
  for (unsigned c = 0; c < 3; ++c)
    for (unsigned k = 0; k < 300; ++k) EXPECT_EQ(b.elements[c][k], t.twin.code(x.at(c, k), Dtype::fp16));
  EXPECT_EQ(b.match(0xab400), 0u);
  EXPECT_EQ(b.match(0xab400 + 299), 299u);
  EXPECT_EQ(b.match(0xab400 + 300), std::nullopt);  // matches, but nothing was loaded there
  EXPECT_EQ(b.match(0xab600), std::nullopt);
  EXPECT_EQ(b.match(0xab3ff), std::nullopt);
  EXPECT_EQ(PoolBuffer{}.match(0), std::nullopt);
}

TEST(PoolBuffer, MoreThan512ElementsOrPsumAreRefused) {
  for (const bool psum : {false, true}) {
    auto i = make<S4Pb>(Opcode::POOL_BUFFER_LOAD);
    Walk{psum ? 0x2000000u : 0u, Dtype::fp16, {1}, {psum ? 4 : 513}}.put(i.src_mem_pattern);
    i.in_dtype = Dtype::fp16;
    i.num_active_channels = 1;
    Twins t;
    t.add(i);
    EXPECT_FALSE(t.run());
  }
}

TEST(PoolArguments, AreWordsOrPointers) {
  auto i = make<CtrlIm>(Opcode::LOAD_POOL_ARGUMENT);
  i.imm_ptr_select = 0b10000010;
  for (std::uint32_t k = 0; k < 8; ++k) {
    const std::uint32_t word = (i.imm_ptr_select >> k & 1) != 0 ? 0x100 + 4 * k : 1000 + k;
    std::memcpy(i.immediate.data() + 4 * k, &word, 4);
  }
  Twins t;
  t.add(i);
  t.set_code(0x104, Dtype::uint32, 0xDEADBEEF);
  t.set_code(0x11C, Dtype::uint32, 0x12345678);
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.machine().pool_arguments, (std::array<std::uint32_t, 8>{1000, 0xDEADBEEF, 1002, 1003, 1004, 1005, 1006, 0x12345678}));
}

TEST(ParameterRam, TakesItsBytesAtTheOffset) {
  auto i = make<CtrlIm>(Opcode::LOAD_PARAMETER_RAM);
  i.param_ram_offset = 65535;
  for (std::uint8_t k = 0; k < 32; ++k) i.immediate[k] = k;
  Twins t;
  t.add(i);
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.machine().parameter_ram[65535 + 31], 31);
  EXPECT_EQ(t.machine().parameter_ram[65534], 0);
}

TEST(Libraries, AreLoadedAndUnloaded) {
  auto load = make<ModifyPoolConfig>(Opcode::MODIFY_POOL_CONFIG);
  load.modify_op = ModifyPoolOp::LoadLib;
  load.library_index = 7;
  load.soc_addr = 0x1234567890;
  load.library_size = 4096;
  auto unload = load;
  unload.modify_op = ModifyPoolOp::UnloadLib;
  Twins loaded;
  loaded.add(load);
  ASSERT_TRUE(loaded.run());
  EXPECT_EQ(loaded.machine().libraries.at(7).soc_addr, 0x1234567890u);
  EXPECT_THAT(loaded.machine().dump(), HasSubstr("library 7: 4096 bytes"));
  Twins both;
  both.add(load);
  both.add(unload);
  both.add(unload);
  ASSERT_TRUE(both.run());
  EXPECT_TRUE(both.machine().libraries.empty());
  EXPECT_TRUE(both.reported(Code::bad_value));  // the second unload found nothing
}

// --- 0x85, 0x86 -----------------------------------------------------------------------------------------------------------------

CustomOpPayload tensor_payload(std::uint8_t location, std::uint64_t address, std::uint32_t elements, std::uint8_t partitions) {
  auto p = make<CustomOpPayload>(Opcode::CUSTOM_OP_PAYLOAD);
  p.arg_type = CustomOpArgType::TENSOR;
  p.arg[0] = location;
  p.arg[1] = 2;  // four 32-bit extents
  p.arg[2] = static_cast<std::uint8_t>(Dtype::fp32);
  std::memcpy(p.arg.data() + 8, &elements, 4);
  if (location == 1) {
    const auto low = static_cast<std::uint32_t>(address);
    std::memcpy(p.arg.data() + 24, &low, 4);
    std::memcpy(p.arg.data() + 28, &elements, 4);
    p.arg[32] = partitions;
  } else {
    std::memcpy(p.arg.data() + 24, &address, 8);
    std::memcpy(p.arg.data() + 32, &elements, 4);
  }
  return p;
}

TEST(CustomOps, AreCalledWithTheirTensors) {
  // out (SBUF) = a (SBUF) + b (HBM), then everything times the number of the function.
  Twins t;
  auto header = make<CustomOpHeader>(Opcode::CUSTOM_OP_HEADER);
  header.function_id = 3;
  header.num_payloads = 3;
  header.num_arguments = 2;
  header.has_scratch_space = 1;
  header.scratch_space_addr = 0x1000;
  header.scratch_space_size = 64;
  header.scratch_space_num_partitions = 2;
  t.add(header);
  t.add(tensor_payload(1, 0x100, 8, 2));
  t.add(tensor_payload(1, 0x0, 8, 2));
  t.add(tensor_payload(2, 0x4000000000ULL, 8, 0));
  unsigned calls = 0;
  t.machine().custom_ops[3] = [&](CustomCall& call) -> Status {
    ++calls;
    EXPECT_EQ(call.outputs, 1u);
    EXPECT_EQ(call.scratch_addr, 0x1000u);
    EXPECT_EQ(call.scratch_bytes, 64u);
    CustomTensor &out = call.arguments[0][0], &a = call.arguments[1][0], &b = call.arguments[2][0];
    for (unsigned k = 0; k < 8; ++k)
      out.elements[k] = bits_of((f32(static_cast<std::uint32_t>(a.elements[k])) + f32(static_cast<std::uint32_t>(b.elements[k]))) * static_cast<float>(call.function_id));
    return Done{};
  };
  for (unsigned k = 0; k < 8; ++k) {
    t.set(k / 4 * 0x40000 + 4 * (k % 4), Dtype::fp32, static_cast<float>(k));
    const float b = 100;
    t.machine().hbm.write(0x4000000000ULL + 4 * k, {reinterpret_cast<const std::uint8_t*>(&b), 4});
  }
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(calls, 1u);
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(t.get(k / 4 * 0x40000 + 0x100 + 4 * (k % 4)), 3 * (100 + static_cast<float>(k)));
}

TEST(CustomOps, UnknownNumbersMissingPayloadsAndFailuresAreErrors) {
  auto header = make<CustomOpHeader>(Opcode::CUSTOM_OP_HEADER);
  header.function_id = 9;
  Twins unknown;
  unknown.add(header);
  EXPECT_FALSE(unknown.run());
  EXPECT_TRUE(unknown.reported(Code::unknown_custom_op));
  header.num_payloads = 1;
  Twins missing;
  missing.add(header);
  EXPECT_FALSE(missing.run());
  EXPECT_TRUE(missing.reported(Code::bad_value));
  header.num_payloads = 0;
  Twins failing;
  failing.add(header);
  failing.machine().custom_ops[9] = [](CustomCall&) -> Status { return make_error(Code::bad_value, "the user's function failed"); };
  EXPECT_FALSE(failing.run());
  EXPECT_THAT(failing.reports(), HasSubstr("the user's function failed"));
  Twins orphan;
  orphan.add(make<CustomOpPayload>(Opcode::CUSTOM_OP_PAYLOAD));
  EXPECT_FALSE(orphan.run());
}

// --- control ------------------------------------------------------------------------------------------------------------------

TEST(Control, DoesItsEventsAndHaltStops) {
  Twins t;
  for (const Opcode o : {Opcode::DRAIN, Opcode::INSTRUCTION_FLUSH, Opcode::NOP, Opcode::NOTIFY, Opcode::HALT, Opcode::NOP}) {
    auto i = make<CtrlNo>(o);
    i.update_mode = UpdateMode::SEM_INC_COMPLETE;
    i.update_idx = 2;
    t.add(i);
  }
  auto nop = make<CtrlIm>(Opcode::ENGINE_NOP);
  nop.update_mode = UpdateMode::SEM_INC_COMPLETE;
  nop.update_idx = 2;
  t.program.streams[0].bundles.insert(t.program.streams[0].bundles.begin(), encode(nop));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.machine().semaphores[2], 6u);  // the NOP behind HALT never runs
  EXPECT_EQ(t.simulator->retired(), 6u);
}

}  // namespace
}  // namespace act::sim::plain
