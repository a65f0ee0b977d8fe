// The block form of functions without sections equals the scalar evaluator bit for bit.
#include "sim/kernels/direct.h"
#include "build.h"

namespace act::sim::plain {
namespace {

TEST(Direct, EveryFunctionWithoutSectionsIsCoveredAndExact) {
  std::mt19937_64 rng(3);
  unsigned covered = 0;
  for (const TableSet& set : trainium().sets)
    for (const FunctionTable& f : set.functions) {
      if (!is_direct(f, {})) {
        EXPECT_TRUE(!f.resident() || f.name == "parametric_relu") << f.name;
        continue;
      }
      ++covered;
      std::vector<float> in = {0.0F, -0.0F, INFINITY, -INFINITY, NAN, f32(0xFFC00001), f32(1), f32(0x80000001), f32(0x7F7FFFFF), f32(0xFF7FFFFF), f32(0x00800000), f32(0x1F800000), f32(0x5F800000)};
      for (int k = 0; k < 4000; ++k) in.push_back(f32(static_cast<std::uint32_t>(rng())));
      std::vector<float> out(in.size());
      evaluate_direct(f, in, out);
      for (std::size_t k = 0; k < in.size(); ++k) ASSERT_EQ(bits_of(out[k]), bits_of(evaluate(f, in[k]))) << f.name << " at " << std::hex << bits_of(in[k]);
      evaluate_direct(f, in, in);  // in place
      for (std::size_t k = 0; k < in.size(); ++k) ASSERT_EQ(bits_of(out[k]), bits_of(in[k]));
    }
  EXPECT_GT(covered, 200u);
}

}  // namespace
}  // namespace act::sim::plain
