#include "act/tables/functions.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cfloat>
#include <cmath>
#include <random>
#include <set>
#include <string>

namespace act {
namespace {

// One line per function: name, BIR name, code, sections of each budget, ctrl words (02 sections 2.1 and 2.2).
struct Expected {
  const char* name;
  const char* bir;
  int code;
  int budget, lut, budget2, lut2, octaves;
};
constexpr Expected kBook[] = {
    {"identity", "Identity", 1, 1, 0, 0, 0, 2},
    {"square", "Square", 30, 1, 0, 0, 0, 1},
    {"relu", "Relu", 2, 1, 0, 0, 0, 2},
    {"leaky_relu", "Lrelu", 3, 1, 0, 0, 0, 2},
    {"parametric_relu", "Prelu", 4, 1, 0, 0, 0, 0},
    {"sigmoid", "Sigmoid", 5, 40, 796, 0, 0, 11},
    {"tanh", "Tanh", 6, 4, 104, 0, 0, 17},
    {"exp", "Exp", 7, 400, 777, 0, 0, 52},
    {"softplus", "Softplus", 9, 40, 828, 0, 0, 41},
    {"sqrt", "Sqrt", 8, 65536, 1113, 0, 0, 234},
    {"reciprocal_sqrt", "Rsqrt", 29, 40000, 1202, 0, 0, 185},
    {"ln", "Ln", 10, 40, 1219, 400, 513, 128},
    {"erf", "Erf", 21, 4, 66, 0, 0, 7},
    {"sin", "Sin", 19, 4, 55, 0, 0, 13},
    {"arctan", "Arctan", 28, 4, 168, 0, 0, 27},
    {"sign", "Sign", 31, 1, 0, 0, 0, 1},
    {"gelu", "Gelu", 23, 4, 504, 0, 0, 21},
    {"mish", "Mish", 24, 4, 1099, 0, 0, 24},
    {"gelu_apprx_tanh", "Gelu_apprx_tanh", 25, 40, 945, 0, 0, 20},
    {"gelu_apprx_sigmoid", "Gelu_apprx_sigmoid", 26, 40, 1042, 0, 0, 23},
    {"derivative_gelu_apprx_sigmoid", "Derivative_Gelu_apprx_sigmoid", 38, 4096, 1283, 0, 0, 13},
    {"derivative_gelu", "Derivative_Gelu", 32, 40, 115, 0, 0, 9},
    {"derivative_erf", "Derivative_Erf", 22, 400, 466, 0, 0, 10},
    {"copy", "Copy", 128, 1, 0, 0, 0, 2},
    {"abs", "Abs", 33, 1, 0, 0, 0, 2},
    {"reciprocal", "Reciprocal", 129, 400, 1016, 0, 0, 85},
    {"abs_reciprocal_sqrt", "Abs_reciprocal_sqrt", 34, 40000, 1202, 0, 0, 185},
    {"silu", "Silu", 36, 32, 908, 0, 0, 25},
    {"derivative_silu", "Derivative_silu", 37, 32, 1008, 0, 0, 12},
    {"is_finite", "Is_finite", 35, 1, 0, 0, 0, 1},
    {"memset_zero", "", 130, 1, 0, 0, 0, 1},
    {"derivative_relu", "", 12, 1, 0, 0, 0, 2},
    {"derivative_leaky_relu", "", 13, 1, 0, 0, 0, 2},
    {"derivative_identity", "", 11, 1, 0, 0, 0, 2},
    {"derivative_sigmoid", "", 15, 40, 797, 0, 0, 11},
    {"derivative_tanh", "", 16, 400, 397, 0, 0, 12},
};

TEST(Functions, RowsAreThoseOfTheBook) {
  ASSERT_EQ(std::size(kBook), 36u);
  int at = 0;
  for (const Expected& e : kBook) {
    const FunctionInfo* f = find_function(e.name);
    ASSERT_NE(f, nullptr) << e.name;
    EXPECT_EQ(f, &all_functions()[static_cast<std::size_t>(at)]) << e.name << ": order";
    EXPECT_EQ(f->bir_name, e.bir);
    EXPECT_EQ(f->bir_ordinal, at < 30 ? at : -1) << e.name;
    EXPECT_EQ(f->neuron_code, e.code) << e.name;
    EXPECT_EQ(f->budgets[0].budget, e.budget) << e.name;
    EXPECT_EQ(f->budgets[0].lut_size, e.lut) << e.name;
    EXPECT_EQ(f->budgets[1].budget, e.budget2) << e.name;
    EXPECT_EQ(f->budgets[1].lut_size, e.lut2) << e.name;
    EXPECT_EQ(f->octaves(), e.octaves) << e.name;
    EXPECT_EQ(f->has_table(), e.lut > 0) << e.name;
    EXPECT_EQ(f->origin, FunctionOrigin::shipped);
    ++at;
  }
}

// 02 section 2.3, the remap table by ordinal.
TEST(Functions, RemapTable) {
  constexpr int kRemap[] = {1,  30, 2,  3,  4,  5,  6,  7,  9,   8,  29,  10, 21, 19, 28,
                            31, 23, 24, 25, 26, 38, 32, 22, 128, 33, 129, 34, 36, 37, 35};
  ASSERT_EQ(std::size(kRemap), 30u);
  for (int ordinal = 0; ordinal < 30; ++ordinal) {
    ASSERT_NE(find_function_by_ordinal(ordinal), nullptr) << ordinal;
    EXPECT_EQ(find_function_by_ordinal(ordinal)->neuron_code, kRemap[ordinal]) << ordinal;
  }
  EXPECT_EQ(find_function_by_ordinal(30), nullptr);
  EXPECT_EQ(find_function_by_ordinal(-1), nullptr);
}

TEST(Functions, NamesAndCodesAreUnique) {
  std::set<std::string> names;
  std::set<int> codes;
  for (const FunctionInfo& f : all_functions()) {
    EXPECT_TRUE(names.insert(std::string(f.name)).second) << f.name;
    EXPECT_TRUE(codes.insert(f.neuron_code).second) << f.name;
    EXPECT_EQ(find_function_by_code(f.neuron_code), &f);
    EXPECT_LE(f.neuron_code, 255);
    EXPECT_FALSE(f.formula.empty()) << f.name;
    EXPECT_EQ(f.origin == FunctionOrigin::extension, f.budgets[0].budget == 0) << f.name;
    if (!f.bir_name.empty()) {
      EXPECT_EQ(find_function(f.bir_name), &f);
    }
  }
  for (const char* name : {"cos", "log1p", "expm1", "exp2", "log2", "elu", "selu", "celu", "hard_sigmoid", "hard_swish",
                           "log_sigmoid", "softsign", "cbrt", "tanhshrink"})
    EXPECT_NE(find_function(name), nullptr) << name;
  EXPECT_EQ(find_function("Exp")->name, "exp");
  EXPECT_EQ(find_function("EXP"), nullptr);
  EXPECT_EQ(find_function(""), nullptr);
}

TEST(Functions, TongaIdsAreThePublishedOnes) {
  for (const FunctionInfo& f : all_functions()) {
    const int published = f.name == "exp" ? 7 : f.name == "reciprocal" ? 15 : f.name == "abs" ? 22 : 0;
    EXPECT_EQ(f.tonga_id, published) << f.name;
  }
  EXPECT_EQ(find_function("abs")->tonga_func_id(), 22);
  EXPECT_EQ(find_function("tanh")->tonga_func_id(), 6);
}

// Correctly rounded values: the oracle of the public reports, and easy exact ones.
struct Value {
  const char* name;
  std::uint32_t input, output;
};
constexpr Value kValues[] = {
    {"gelu", 0xc1580000, 0x8001263e},  // -13.5
    {"gelu", 0xc1500000, 0x81d87b8a},
    {"gelu", 0xc1400000, 0x8add6065},
    {"gelu", 0xc1200000, 0x9ab83c9b},
    {"gelu", 0xc0a00000, 0xb5c05e5d},
    {"gelu", 0x006ce3ee, 0x003671f7},
    {"gelu", 0x40400000, 0x403fbda6},
    {"gelu", 0xbf800000, 0xbe227686},
    {"gelu_apprx_tanh", 0xc0400000, 0xbb6e6150},
    {"gelu_apprx_tanh", 0xc0a00000, 0xb476146a},
    {"gelu_apprx_sigmoid", 0xc0400000, 0xbc940a49},
    {"gelu_apprx_sigmoid", 0x3f800000, 0x3f588612},
    {"silu", 0xc2aeae14, 0x83ae13ff},
    {"silu", 0xc2b40000, 0x81c8c18a},
    {"silu", 0xc1a00000, 0xb3310d3f},
    {"mish", 0xc2b40000, 0x81c8c18a},
    {"mish", 0xbf800000, 0xbe9b5770},
    {"derivative_silu", 0xbfa39581, 0x38d44375},
    {"derivative_silu", 0xc1a00000, 0xb32832fc},
    {"derivative_erf", 0x00000000, 0x3f906ebb},
    {"derivative_erf", 0x40400000, 0x39120475},
    {"erf", 0x3f000000, 0x3f053f7b},
    {"erf", 0x4079999a, 0x3f7fffff},
    {"erf", 0x40800000, 0x3f800000},
    {"erf", 0x2edbe6ff, 0x2ef8221a},
    {"exp", 0x42b17217, 0x7f7fff84},
    {"exp", 0x42b17218, 0x7f800000},
    {"exp", 0xc2aeac4f, 0x00800026},
    {"exp", 0xc2b00000, 0x0041edc4},
    {"exp", 0xc2cff0a4, 0x00000001},
    {"exp", 0xc2d00000, 0x00000000},
    {"sin", 0x40490fdb, 0xb3bbbd2e},
    {"cbrt", 0x41d80000, 0x40400000},
    {"log2", 0x3e800000, 0xc0000000},
    {"exp2", 0xbf800000, 0x3f000000},
    {"hard_sigmoid", 0x40400000, 0x3f800000},
    {"hard_swish", 0xbfc00000, 0xbec00000},
    {"elu", 0x40000000, 0x40000000},
    {"softsign", 0xc0400000, 0xbf400000},
    {"cos", 0x00000000, 0x3f800000},
};

TEST(Functions, CorrectlyRoundedValues) {
  for (const Value& v : kValues) {
    const FunctionInfo& f = *find_function(v.name);
    EXPECT_EQ(float_bits(correctly_rounded(f, bits_float(v.input))), v.output) << v.name << " " << std::hex << v.input;
    EXPECT_LE(ulp_error(f, bits_float(v.input), bits_float(v.output)), 0.5) << v.name;
  }
}

// Inputs that matter: every octave's ends, near roots, near the bounds, and random patterns.
std::vector<float> probe_inputs(const FunctionInfo& f) {
  std::vector<float> inputs;
  for (std::uint32_t e = 0; e < 255; ++e)
    for (std::uint32_t m : {0u, 1u, 0x400000u, 0x7fffffu})
      for (std::uint32_t sign : {0u, 0x80000000u}) inputs.push_back(bits_float(sign | e << 23 | m));
  for (const Root& r : f.roots)
    if (r.exists)
      for (int step = -3; step <= 3; ++step)
        inputs.push_back(bits_float(float_bits(static_cast<float>(r.x)) + static_cast<std::uint32_t>(step)));
  std::mt19937 random(20240229);
  std::uniform_real_distribution<float> near(-20, 20);
  for (int i = 0; i < 1500; ++i) inputs.push_back(bits_float(static_cast<std::uint32_t>(random())));
  for (int i = 0; i < 1500; ++i) inputs.push_back(near(random));
  return inputs;
}

TEST(Functions, FastReferenceKeepsItsBoundAgainstMpfr) {
  for (const FunctionInfo& f : all_functions()) {
    for (const float x : probe_inputs(f)) {
      if (!std::isfinite(x)) continue;
      const DoubleDouble exact = exact_value(f, x);
      const double got = reference(f, x);
      if (std::isnan(exact.hi)) {
        EXPECT_TRUE(std::isnan(got)) << f.name << " " << x;
      } else if (std::fabs(exact.hi) >= FLT_MIN && std::fabs(exact.hi) <= FLT_MAX) {
        EXPECT_LE(std::fabs(got - exact.hi), f.rel_bound * std::fabs(exact.hi) + f.abs_bound)
            << f.name << " at " << x << ": " << got << " instead of " << exact.hi;
      }
    }
  }
}

// The correctly rounded value lies within half an ULP; its neighbours are no closer.
TEST(Functions, CorrectlyRoundedIsNearest) {
  for (const FunctionInfo& f : all_functions()) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> near(-12, 12);
    for (int i = 0; i < 200; ++i) {
      const float x = near(random), y = correctly_rounded(f, x);
      if (!std::isfinite(y)) continue;
      const double error = ulp_error(f, x, y);
      EXPECT_LE(error, 0.5) << f.name << " " << x;
      EXPECT_GE(ulp_error(f, x, std::nextafter(y, 1e38f)), error);
      EXPECT_GE(ulp_error(f, x, std::nextafter(y, -1e38f)), error);
    }
  }
}

// Away from cancellation the printed formulas agree with the exact function; constants printed with 7 digits
// allow 1e-7.
TEST(Functions, ClosedFormsAgreeWithTheExactFunctions) {
  for (const FunctionInfo& f : all_functions()) {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> near(-4, 4);
    for (int i = 0; i < 400; ++i) {
      const float x = near(random);
      const double exact = exact_value(f, x).hi, closed = closed_form64(f, x);
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(closed)) << f.name;
      } else {
        EXPECT_NEAR(closed, exact, 1e-7 * std::fabs(exact) + 3e-8) << f.name << " " << x;
      }
    }
  }
  EXPECT_EQ(closed_form(*find_function("parametric_relu"), -2, 0.25f), -0.5f);
  EXPECT_EQ(closed_form(*find_function("leaky_relu"), -2, 0.25f), -0.02f);
}

TEST(Functions, LimitsAndPoles) {
  EXPECT_EQ(reference(*find_function("relu"), INFINITY), INFINITY);
  EXPECT_EQ(reference(*find_function("gelu"), -INFINITY), 0);
  EXPECT_EQ(reference(*find_function("silu"), INFINITY), INFINITY);
  EXPECT_EQ(reference(*find_function("derivative_silu"), -INFINITY), 0);
  EXPECT_EQ(reference(*find_function("softsign"), -INFINITY), -1);
  EXPECT_EQ(reference(*find_function("ln"), 0), -INFINITY);
  EXPECT_EQ(reference(*find_function("reciprocal_sqrt"), 0), INFINITY);
  EXPECT_TRUE(std::isnan(reference(*find_function("sin"), INFINITY)));
  EXPECT_TRUE(std::isnan(correctly_rounded(*find_function("exp"), NAN)));
}

// Derivatives by high-precision central differences of the exact value.
TEST(Functions, TaylorCoefficientsMatchDifferences) {
  for (const FunctionInfo& f : all_functions()) {
    if (!f.has_table()) continue;
    for (const double x : {0.37, 1.7, 2.9, -0.61, -2.3}) {
      if (f.positive_only() && x < 0) continue;
      if (f.name == "log1p" && x < -1) continue;
      const auto d = taylor_binary64(f, x);
      const double h = 0x1p-7;  // fourth-order stencils below: error about h^4
      const auto v = [&](int k) { return exact_value(f, x + k * h).hi; };
      const double first = (v(-2) - 8 * v(-1) + 8 * v(1) - v(2)) / (12 * h);
      const double second = (-v(-2) + 16 * v(-1) - 30 * v(0) + 16 * v(1) - v(2)) / (12 * h * h);
      const double third = (v(-3) - 8 * v(-2) + 13 * v(-1) - 13 * v(1) + 8 * v(2) - v(3)) / (8 * h * h * h);
      EXPECT_EQ(d[0], v(0)) << f.name;
      const double scale = 1 + std::fabs(d[1]) + std::fabs(d[2]) + std::fabs(d[3]);
      EXPECT_NEAR(d[1], first, 2e-5 * scale) << f.name << " " << x;
      EXPECT_NEAR(d[2], second / 2, 2e-5 * scale) << f.name << " " << x;
      EXPECT_NEAR(d[3], third / 6, 2e-4 * scale) << f.name << " " << x;
    }
  }
}

// 02 section 8.4: record 0 of the shipped exp table, and the low slot of tanh with its negative zero.
TEST(Functions, TaylorCoefficientsOfShippedRecords) {
  const auto exp0 = taylor_binary32(*find_function("exp"), bits_float(0xb63fffff));
  EXPECT_EQ(float_bits(exp0[0]), 0x3f7fffd0u);
  EXPECT_EQ(float_bits(exp0[1]), 0x3f7fffd0u);
  EXPECT_EQ(float_bits(exp0[2]), 0x3effffd0u);
  EXPECT_EQ(float_bits(exp0[3]), 0x3e2aaa8bu);
  const auto tanh0 = taylor_binary32(*find_function("tanh"), 0);
  EXPECT_EQ(float_bits(tanh0[0]), 0u);
  EXPECT_EQ(float_bits(tanh0[1]), 0x3f800000u);
  EXPECT_EQ(float_bits(tanh0[2]), 0x80000000u);
  EXPECT_EQ(float_bits(tanh0[3]), 0xbeaaaaabu);
}

TEST(Functions, DeclaredRangesHoldAndRootsAreRoots) {
  for (const FunctionInfo& f : all_functions()) {
    for (const float x : probe_inputs(f)) {
      if (!(x >= f.lower_bound && x <= f.upper_bound) || f.lower_bound == f.upper_bound) continue;
      if (f.positive_only() && !(x > 0)) continue;
      if (std::fabs(x) < 0x1p-87f && (f.name == "reciprocal" || f.name == "abs_reciprocal_sqrt")) continue;
      if (f.name == "reciprocal" && std::fabs(x) < 0x1p-42f) continue;
      const double y = exact_value(f, x).hi;
      EXPECT_GE(y, f.lowest_value - 1e-15 * std::fabs(f.lowest_value)) << f.name << " " << x;
      EXPECT_LE(y, f.highest_value + 1e-15 * std::fabs(f.highest_value)) << f.name << " " << x;
    }
    for (const Root& r : f.roots)
      if (r.exists) {
        EXPECT_LT(std::fabs(exact_value(f, r.x).hi), 1e-15) << f.name;
      }
  }
}

// The tail of erfc is computed by a continued fraction: against mpfr_erfc itself.
TEST(Functions, TailOfErfcAgainstMpfr) {
  const FunctionInfo& gelu = *find_function("gelu");
  mpfr_t z, r;
  mpfr_inits2(320, z, r, nullptr);
  for (const double x : {-5.65, -5.66, -6.0, -7.25, -9.5, -13.0, -14.375}) {
    mpfr_set_d(z, -x, MPFR_RNDN);
    mpfr_sqrt_ui(r, 2, MPFR_RNDN);
    mpfr_div(z, z, r, MPFR_RNDN);
    mpfr_erfc(r, z, MPFR_RNDN);
    mpfr_mul_d(r, r, x / 2, MPFR_RNDN);
    const DoubleDouble got = exact_value(gelu, x);
    mpfr_sub_d(r, r, got.hi, MPFR_RNDN);
    EXPECT_NEAR(mpfr_get_d(r, MPFR_RNDN), got.lo, std::fabs(got.hi) * 0x1p-100) << x;
  }
  mpfr_clears(z, r, nullptr);
}

TEST(Functions, UlpErrorOfSpecials) {
  const FunctionInfo& exp = *find_function("exp");
  EXPECT_EQ(ulp_error(exp, 0, 1.0f + FLT_EPSILON), 1);
  EXPECT_EQ(ulp_error(exp, 0, 1.0f), 0);
  EXPECT_EQ(ulp_error(exp, 100, INFINITY), 0);
  EXPECT_EQ(ulp_error(exp, 1, INFINITY), INFINITY);
  EXPECT_EQ(ulp_error(exp, NAN, NAN), 0);
  EXPECT_EQ(ulp_error(exp, 1, NAN), INFINITY);
}

}  // namespace
}  // namespace act
