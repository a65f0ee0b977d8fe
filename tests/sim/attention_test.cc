// A public experiment: attention without scaling, 128 x 512, whose error statistics were measured on hardware. The matrix
// products are made here in binary32 and put into PSUM; row maximum, exp through the table, row sum, reciprocal and the final
// product run in the simulator. Bands: fp32 mean within 15 % and p99 within 10 % of the hardware's, max 3e-6 to 6e-6; bf16 all
// three within 0.1 %.
#include <algorithm>

#include "build.h"
#include "numpy_random.h"

namespace act::sim::plain {
namespace {

constexpr unsigned kRows = 128, kLength = 512;
using Matrix = std::vector<float>;  // kRows x kLength, row-major

Matrix draw(NumpyRandom& rng) {
  Matrix m(kRows * kLength);
  for (float& v : m) v = static_cast<float>((rng.random() - 0.5) * 2);
  return m;
}

struct Statistics {
  double max = 0, mean = 0, p99 = 0;
};

// softmax(q^T k) v^T in binary32; sums in 16 partial sums, as vectorised libraries make them.
Matrix reference(const Matrix& q, const Matrix& k, const Matrix& v) {
  Matrix out(kLength * kRows);
  std::vector<float> e(kLength);
  for (unsigned row = 0; row < kLength; ++row) {
    float top = -INFINITY;
    for (unsigned j = 0; j < kLength; ++j) {
      float lanes[16] = {};
      for (unsigned d = 0; d < kRows; ++d) lanes[d % 16] += q[d * kLength + row] * k[d * kLength + j];
      float s = 0;
      for (float lane : lanes) s += lane;
      e[j] = s;
      top = std::max(top, s);
    }
    double total = 0;
    for (float& x : e) {
      x = static_cast<float>(std::exp(static_cast<double>(x - top)));
      total += x;
    }
    for (unsigned d = 0; d < kRows; ++d) {
      float lanes[16] = {};
      for (unsigned j = 0; j < kLength; ++j) lanes[j % 16] += e[j] / static_cast<float>(total) * v[d * kLength + j];
      float s = 0;
      for (float lane : lanes) s += lane;
      out[row * kRows + d] = s;
    }
  }
  return out;
}

// One step of the kernel: 128 query rows. `out` is written as `type`.
void attend(const Matrix& q, const Matrix& k, const Matrix& v, unsigned first, Dtype type, Matrix& out) {
  constexpr std::uint32_t kScores = 0x2000000, kProduct = 0x2000800, kWeights = 0, kNegmax = 0x1000, kTotal = 0x1004, kRecip = 0x1008, kOut = 0x1100;
  Twins t;
  auto maximum = transfer(Opcode::TENSOR_REDUCE_ARITH_OP, Dtype::fp32, kScores, Dtype::fp32, kNegmax, kLength, kRows);
  maximum.dst_mem_pattern.num[0] = 1;
  maximum.op = AluOp::max;
  maximum.op_dim = TensorSubdim::X;
  maximum.negated = 1;
  auto exp = activation(code_of_function("exp_and_others", "exp"), kScores, kWeights, kLength, kRows);
  exp.bias_src_n = ImmSrcN::POINTER;
  exp.bias.bits = kNegmax;
  auto total = transfer(Opcode::TENSOR_REDUCE_ARITH_OP, Dtype::fp32, kWeights, Dtype::fp32, kTotal, kLength, kRows);
  total.dst_mem_pattern.num[0] = 1;
  total.op = AluOp::add;
  total.op_dim = TensorSubdim::X;
  t.add(maximum);
  t.load_set("exp_and_others");
  t.add(exp);
  t.add(total);
  t.add(transfer(Opcode::RECIPROCAL, Dtype::fp32, kTotal, Dtype::fp32, kRecip, 1, kRows));

  Machine& m = t.machine();
  const auto put = [](Machine& to, std::uint32_t addr, float x) {
    std::uint8_t raw[4];
    std::memcpy(raw, &x, 4);
    to.memory.write(to.memory.locate(addr), raw);
  };
  const auto get = [](Machine& from, std::uint32_t addr) {
    std::uint8_t raw[4];
    from.memory.read(from.memory.locate(addr), raw);
    float x;
    std::memcpy(&x, raw, 4);
    return x;
  };
  for (unsigned p = 0; p < kRows; ++p)
    for (unsigned j = 0; j < kLength; ++j) {
      float s = 0;
      for (unsigned d = 0; d < kRows; ++d) s += q[d * kLength + first + p] * k[d * kLength + j];
      put(m, kScores + p * 0x8000 + 4 * j, s);
    }
  ASSERT_TRUE(t.run()) << t.reports();

  Twins last;
  auto product = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
  Walk{kProduct, Dtype::fp32, {1}, {static_cast<int>(kRows)}}.put(product.src_mem_pattern);
  Walk{kOut, type, {1}, {static_cast<int>(kRows)}}.put(product.dst_mem_pattern);
  product.in_dtype = Dtype::fp32;
  product.out_dtype = type;
  product.num_active_channels = kRows;
  product.op0 = AluOp::mult;
  product.imm0_src = ImmSrc::POINTER_IMMEDIATE;
  product.imm0.bits = kRecip;
  last.add(product);
  for (unsigned p = 0; p < kRows; ++p) {
    put(last.machine(), kRecip + p * 0x40000, get(m, kRecip + p * 0x40000));
    std::vector<float> weights(kLength);
    for (unsigned j = 0; j < kLength; ++j) weights[j] = get(m, kWeights + p * 0x40000 + 4 * j);
    for (unsigned d = 0; d < kRows; ++d) {
      float s = 0;
      for (unsigned j = 0; j < kLength; ++j) s += weights[j] * v[d * kLength + j];
      put(last.machine(), kProduct + p * 0x8000 + 4 * d, s);
    }
  }
  ASSERT_TRUE(last.run()) << last.reports();
  for (unsigned p = 0; p < kRows; ++p)
    for (unsigned d = 0; d < kRows; ++d)
      out[(first + p) * kRows + d] = last.get(kOut + p * 0x40000 + d * static_cast<unsigned>(plain_bytes(type)), type);
}

Statistics measure(Dtype type) {
  NumpyRandom rng(42);
  Matrix q = draw(rng), k = draw(rng), v = draw(rng);
  const Matrix wanted = reference(q, k, v);
  if (type == Dtype::bfloat16)
    for (Matrix* m : {&q, &k, &v})
      for (float& x : *m) x = plain_widen(type, plain_narrow(type, x));
  Matrix out(kLength * kRows);
  for (unsigned first = 0; first < kLength; first += kRows) attend(q, k, v, first, type, out);
  std::vector<double> error(out.size());
  Statistics s;
  for (std::size_t i = 0; i < out.size(); ++i) {
    error[i] = std::fabs(static_cast<double>(out[i]) - static_cast<double>(wanted[i]));
    s.mean += error[i] / static_cast<double>(out.size());
  }
  std::sort(error.begin(), error.end());
  s.max = error.back();
  const double at = 0.99 * static_cast<double>(error.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  s.p99 = error[below] + (at - static_cast<double>(below)) * (error[below + 1] - error[below]);
  return s;
}

TEST(Attention, TheInputsAreThoseOfNumpy) { EXPECT_EQ(NumpyRandom(42).random(), 0.7739560485559633); }

TEST(Attention, Fp32ErrorsAreThoseOfTheHardware) {
  const Statistics s = measure(Dtype::fp32);
  RecordProperty("max", std::to_string(s.max));
  std::printf("fp32: max %.4g mean %.4g p99 %.4g\n", s.max, s.mean, s.p99);
  EXPECT_NEAR(s.mean, 4.071e-7, 0.15 * 4.071e-7);
  EXPECT_NEAR(s.p99, 1.758e-6, 0.10 * 1.758e-6);
  EXPECT_GT(s.max, 3e-6);
  EXPECT_LT(s.max, 6e-6);
}

TEST(Attention, Bf16ErrorsAreThoseOfTheHardware) {
  const Statistics s = measure(Dtype::bfloat16);
  std::printf("bf16: max %.7g mean %.7g p99 %.7g\n", s.max, s.mean, s.p99);
  EXPECT_NEAR(s.max, 0.0111953, 0.001 * 0.0111953);
  EXPECT_NEAR(s.mean, 0.00106345, 0.001 * 0.00106345);
  EXPECT_NEAR(s.p99, 0.00424773, 0.001 * 0.00424773);
}

}  // namespace
}  // namespace act::sim::plain
