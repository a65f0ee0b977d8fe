// Sollya as the oracle: its Remez and its certified supremum norms against ours, on a sample of sections.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "act/numeric/ulp.h"
#include "fit/section_fit.h"

namespace act::fit {
namespace {

// The binary32 or binary64 number as an integer times a power of two, which Sollya reads exactly.
std::string exact_text(double v) {
  int exponent = 0;
  const double m = std::frexp(v, &exponent);
  return fmt::format("({} * 2^({}))", static_cast<std::int64_t>(std::ldexp(m, 53)), exponent - 53);
}

// Runs a script; the numbers it prints, one a line.
std::vector<double> run_sollya(const std::string& script) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("actkit-sollya-{}.sollya", getpid());
  std::ofstream(path) << script;
  std::vector<double> numbers;
  if (FILE* pipe = popen(fmt::format("sollya --warnonstderr {} 2>/dev/null", path.string()).c_str(), "r")) {
    std::array<char, 512> line;
    while (fgets(line.data(), line.size(), pipe) != nullptr) {
      char* end = nullptr;
      const double value = std::strtod(line.data(), &end);
      if (end != line.data()) numbers.push_back(value);
    }
    pclose(pipe);
  }
  std::filesystem::remove(path);
  return numbers;
}

struct Sample {
  const char* function;
  const char* formula;
  float lo, hi;  // within one binade of the result, so that an ULP has one size
};

constexpr Sample kSamples[] = {
    {"exp", "exp(x)", 0.5F, 0.625F},
    {"exp", "exp(x)", -20.0F, -19.75F},
    {"tanh", "tanh(x)", 0.75F, 0.875F},
    {"tanh", "tanh(x)", 2.0F, 2.25F},
    {"erf", "erf(x)", 1.0F, 1.0625F},
    {"sin", "sin(x)", 0.75F, 0.8125F},
    {"arctan", "atan(x)", 0.5625F, 0.625F},
    {"ln", "log(x)", 3.0F, 3.5F},
    {"sqrt", "sqrt(x)", 1.0F, 1.125F},
    {"reciprocal", "1/x", 1.125F, 1.25F},
    {"reciprocal_sqrt", "1/sqrt(x)", 2.0F, 2.25F},
    {"sigmoid", "1/(1+exp(-x))", -0.75F, -0.5F},
    {"softplus", "log1p(exp(x))", 1.0F, 1.125F},
    {"silu", "x/(1+exp(-x))", 2.0F, 2.125F},
    {"derivative_erf", "2/sqrt(pi)*exp(-x^2)", 0.75F, 0.8125F},
};

class SollyaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v sollya >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "the program sollya is not installed";
  }
  // Patterns of the section, and an ULP of its results.
  static std::pair<std::uint32_t, std::uint32_t> patterns(const Sample& s) {
    return s.lo < 0 ? std::pair(float_bits(s.hi), float_bits(s.lo))
                    : std::pair(float_bits(s.lo), float_bits(s.hi));
  }
  static double ulp(Model& model, const Sample& s) {
    const double a = ulp_of(static_cast<float>(model(float_bits(s.lo))));
    EXPECT_EQ(a, ulp_of(static_cast<float>(model(float_bits(std::nextafter(s.hi, s.lo)))))) << s.function;
    return a;
  }
};

// Both engines find the same minimax error.
TEST_F(SollyaTest, MinimaxErrorsAgree) {
  std::string script = "prec=140!; display=decimal!;\n";
  for (const Sample& s : kSamples) {
    const std::string range = fmt::format("[{};{}]", exact_text(s.lo), exact_text(s.hi));
    script += fmt::format("f={}; p=remez(f,3,{}); print(dirtyinfnorm(f-p,{}));\n", s.formula, range, range);
  }
  const std::vector<double> theirs = run_sollya(script + "quit;\n");
  ASSERT_EQ(theirs.size(), std::size(kSamples));
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const Sample& s = kSamples[i];
    SCOPED_TRACE(s.function);
    Model model(*find_function(s.function));
    const auto [lo, hi] = patterns(s);
    EXPECT_NEAR(section_minimax(model, lo, hi) * ulp(model, s), theirs[i], 0.02 * theirs[i]);
  }
}

// The stored record as a real polynomial: Sollya certifies its distance from f; sampling it finds the same,
// and the measured error of the record exceeds it by no more than the roundings of the evaluation.
TEST_F(SollyaTest, CertifiedSupremumNorms) {
  std::string script = "prec=140!; display=decimal!;\n";
  std::vector<SectionFit> fits;
  for (const Sample& s : kSamples) {
    Model model(*find_function(s.function));
    const auto [lo, hi] = patterns(s);
    fits.push_back(fit_section(model, lo, hi, kFinal));
    const Section& d = fits.back().section;
    script += fmt::format(
        "f={}; t=x-{}; p=horner({}+{}*t+{}*t^2+{}*t^3); print(sup(supnorm(p,f,[{};{}],absolute,2^(-12))));\n",
        s.formula, exact_text(d.x), exact_text(d.d0), exact_text(d.d1), exact_text(d.d2), exact_text(d.d3),
        exact_text(s.lo), exact_text(s.hi));
  }
  const std::vector<double> certified = run_sollya(script + "quit;\n");
  ASSERT_EQ(certified.size(), std::size(kSamples));
  for (std::size_t i = 0; i < certified.size(); ++i) {
    const Sample& s = kSamples[i];
    SCOPED_TRACE(s.function);
    Model model(*find_function(s.function));
    const Section& d = fits[i].section;
    const auto [lo, hi] = patterns(s);
    const double unit = ulp(model, s);
    double sampled = 0;
    for (std::uint32_t b = lo; b <= hi; b += 97) {
      const double t = static_cast<double>(bits_float(b)) - static_cast<double>(d.x);
      const double p = d.d0 + t * (d.d1 + t * (d.d2 + t * static_cast<double>(d.d3)));
      sampled = std::max(sampled, std::fabs(p - model(b)));
    }
    EXPECT_LE(sampled, certified[i] * (1 + 1e-6));
    EXPECT_GE(sampled, certified[i] * 0.98 - 0.02 * unit);
    EXPECT_LE(fits[i].error, certified[i] / unit + 2.0);
  }
}

}  // namespace
}  // namespace act::fit
