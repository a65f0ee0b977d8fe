// Function values of public reports: where the result is exact or special, the embedded faithful tables give
// it to the bit. The table path returns zero_result for both zeros. Smooth values: the tolerance of the
// table's name where its structure is known (02 section 17, G-5).
#include <gtest/gtest.h>

#include <cmath>

#include "act/tables/embedded.h"
#include "act/tables/evaluate.h"
#include "act/tables/functions.h"

namespace act {
namespace {

const Catalog& trainium() {
  static const Catalog catalog = [] {
    Diagnostics warnings;
    return open_catalog("trainium", warnings).value();
  }();
  return catalog;
}

const FunctionTable& table(const std::string& name) { return *trainium().set_with(name)->find(name); }

struct Row {
  const char* function;
  std::uint32_t input, output;
};

TEST(PublicValues, SpecialsZerosInfinitiesAndClampsToTheBit) {
  constexpr std::uint32_t kNan = 0x7fc00000, kPinf = 0x7f800000, kNinf = 0xff800000;
  const Row rows[] = {{"exp", kNan, kNan},
                      {"exp", 0x42B17218, kPinf},
                      {"exp", 0xC2D00000, 0},
                      {"exp", kPinf, kPinf},
                      {"exp", kNinf, 0},
                      {"exp", 0, 0x3f800000},
                      {"exp", 0xFF7FFFFF, 0},
                      {"tanh", kNan, kNan},
                      {"tanh", kPinf, 0x3f800000},
                      {"tanh", kNinf, 0xbf800000},
                      {"tanh", 0x80000000, 0},
                      {"tanh", 0x41200000, 0x3f800000},
                      {"tanh", 0xC1200000, 0xbf800000},
                      {"gelu", kPinf, kPinf},
                      {"gelu", kNinf, 0},
                      {"gelu", kNan, kNan},
                      {"gelu", 0, 0},
                      {"gelu", 0x42C80000, 0x42C80000},
                      {"gelu", 0xC2C80000, 0},
                      {"silu", kNinf, 0},
                      {"silu", kPinf, kPinf},
                      {"silu", kNan, kNan},
                      {"silu", 0, 0},
                      {"mish", kNinf, 0},
                      {"mish", kPinf, kPinf},
                      {"mish", 0, 0},
                      {"mish", 0x41A00000, 0x41A00000},
                      {"softplus", 0, 0x3F317218},
                      {"softplus", kNinf, 0},
                      {"softplus", kPinf, kPinf},
                      {"softplus", 0x42B00000, 0x42B00000},
                      {"ln", kPinf, kPinf},
                      {"ln", 0, kNinf},
                      {"ln", 0xBF800000, kNan},
                      {"ln", kNinf, kNan},
                      {"ln", kNan, kNan},
                      {"sqrt", 0xBF800000, kNan},
                      {"sqrt", 0, 0},
                      {"sqrt", 0x80000000, 0},
                      {"sqrt", kPinf, kPinf},
                      {"sqrt", kNinf, kNan},
                      {"reciprocal_sqrt", kPinf, 0},
                      {"reciprocal_sqrt", 0, kPinf},
                      {"reciprocal_sqrt", 0xBF800000, kNan},
                      {"reciprocal", kPinf, 0},
                      {"reciprocal", kNinf, 0},
                      {"reciprocal", 0, 0x7f7f0000},
                      {"sigmoid", 0, 0x3f000000},
                      {"sigmoid", kPinf, 0x3f800000},
                      {"sigmoid", kNinf, 0},
                      {"sigmoid", 0x41900000, 0x3f800000},
                      {"sigmoid", 0xC3800000, 0},
                      {"erf", kPinf, 0x3f800000},
                      {"erf", kNinf, 0xbf800000},
                      {"erf", 0, 0},
                      {"erf", 0x40A00000, 0x3f800000},
                      {"derivative_erf", 0, 0x3F906EBB},
                      {"relu", kNan, kNan},
                      {"relu", 0x80000000, 0},
                      {"abs", kNinf, kPinf},
                      {"square", kNinf, kPinf},
                      {"is_finite", kNan, 0},
                      {"is_finite", kPinf, 0},
                      {"sign", kNinf, 0xbf800000},
                      {"copy", kNan, kNan},
                      {"memset_zero", kNan, 0}};
  for (const Row& r : rows)
    EXPECT_EQ(float_bits(evaluate(table(r.function), bits_float(r.input))), r.output)
        << r.function << " 0x" << std::hex << r.input;
}

// Correctly rounded values of the reports.
constexpr Row kSmooth[] = {{"exp", 0xBF800000, 0x3EBC5AB2},
                           {"exp", 0x3F800000, 0x402DF854},
                           {"exp", 0x42B17217, 0x7F7FFF84},
                           {"exp", 0xC2AEAC4F, 0x00800026},
                           {"erf", 0x3F000000, 0x3F053F7B},
                           {"erf", 0x3F800000, 0x3F57BB3D},
                           {"erf", 0x4079999A, 0x3F7FFFFF},
                           {"erf", 0x40800000, 0x3F800000},
                           {"erf", 0x2EDBE6FF, 0x2EF8221A},
                           {"derivative_erf", 0x3F800000, 0x3ED488F8},
                           {"derivative_erf", 0x40400000, 0x39120475},
                           {"sigmoid", 0x40000000, 0x3F617BEB},
                           {"sigmoid", 0x41880000, 0x3F7FFFFF},
                           {"arctan", 0x3F800000, 0x3F490FDB},
                           {"gelu_apprx_tanh", 0xC0400000, 0xBB6E6150},
                           {"gelu_apprx_tanh", 0x3F800000, 0x3F57585C},
                           {"gelu_apprx_sigmoid", 0xC0400000, 0xBC940A49},
                           {"gelu_apprx_sigmoid", 0x3F800000, 0x3F588612},
                           {"reciprocal", 0x40400000, 0x3EAAAAAB}};

TEST(PublicValues, SmoothValuesWithinTheToleranceOfTheName) {
  for (const Row& r : kSmooth) {
    const FunctionTable& t = table(r.function);
    const float x = bits_float(r.input);
    EXPECT_EQ(float_bits(correctly_rounded(*find_function(r.function), x)), r.output)
        << r.function << " 0x" << std::hex << r.input;
    // The rule compares with RN32 of the closed form, half a unit from the exact value.
    EXPECT_LE(ulp_error(*find_function(r.function), x, evaluate(t, x)), t.budget + 1.0)
        << r.function << " 0x" << std::hex << r.input;
  }
}

// sin(9) extrapolates, about 27.65, and tools warn.
TEST(PublicValues, SineOutsideItsRange) {
  const FunctionTable& sin = table("sin");
  EXPECT_NEAR(evaluate(sin, 9), 27.6526, 2e-4);
  EXPECT_NEAR(evaluate(sin, -9), -27.6526, 2e-4);
  EXPECT_TRUE(outside_bounds(sin, 9));
  EXPECT_TRUE(outside_bounds(sin, -9));
  EXPECT_FALSE(outside_bounds(sin, 3.14159f));
  EXPECT_TRUE(std::isnan(evaluate(sin, INFINITY)));
}

// A12 of section 20: sigmoid from its stored negative side.
TEST(PublicValues, SigmoidIsOneMinusItsMirror) {
  const FunctionTable& sigmoid = table("sigmoid");
  for (float x = 0.01f; x < 20; x *= 1.37f)
    EXPECT_EQ(evaluate(sigmoid, x), -evaluate(sigmoid, -x) + 1.0f) << x;
}

// The result depends on all bits of the input, no narrower table in between.
TEST(PublicValues, GeluSeesEveryBit) {
  EXPECT_NE(evaluate(table("gelu"), bits_float(0x3F800001)), evaluate(table("gelu"), 1));
}

}  // namespace
}  // namespace act
