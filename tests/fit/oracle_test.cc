// Function values collected from public bug reports: the references give them to the bit; every embedded
// table gives specials to the bit and smooth values within its certified error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "act/fit/certificate.h"
#include "act/tables/catalog_io.h"
#include "act/tables/evaluate.h"

namespace act::fit {
namespace {

struct Oracle {
  const char* function;
  std::uint32_t input, output;  // output correctly rounded
};
constexpr Oracle kSmooth[] = {
    {"gelu", 0xc1580000, 0x8001263e},
    {"gelu", 0xc1500000, 0x81d87b8a},
    {"gelu", 0xc1400000, 0x8add6065},
    {"gelu", 0xc1200000, 0x9ab83c9b},
    {"gelu", 0xc1000000, 0xa7b34e96},
    {"gelu", 0xc0e00000, 0xad1d9a58},
    {"gelu", 0xc0b20000, 0xb39ed5ff},
    {"gelu", 0xc0b00000, 0xb3e049ec},
    {"gelu", 0xc0ac0000, 0xb45cfe43},
    {"gelu", 0xc0a00000, 0xb5c05e5d},
    {"gelu", 0xc0800000, 0xb904d6bd},
    {"gelu", 0xc0400000, 0xbb84b34c},
    {"gelu", 0x006ce3ee, 0x003671f7},
    {"gelu", 0x1e3ce508, 0x1dbce508},
    {"gelu", 0x40400000, 0x403fbda6},
    {"gelu", 0xbf800000, 0xbe227686},
    {"gelu", 0x3f800000, 0x3f57625f},
    {"softplus", 0xc09fe83e, 0x3bdcaf7c},
    {"softplus", 0xc0a00000, 0x3bdc0c6d},
    {"softplus", 0xc1a00000, 0x310da433},
    {"softplus", 0xc0400000, 0x3d470388},
    {"softplus", 0x41a00000, 0x41a00000},
    {"softplus", 0x42b00000, 0x42b00000},
    {"softplus", 0x3f800000, 0x3fa818f5},
    {"silu", 0xc2aeae14, 0x83ae13ff},
    {"silu", 0xc2b40000, 0x81c8c18a},
    {"silu", 0xc2b60000, 0x81155967},
    {"silu", 0xc1a00000, 0xb3310d3f},
    {"silu", 0xbf800000, 0xbe89b2b1},
    {"silu", 0x3f800000, 0x3f3b26a8},
    {"mish", 0xc2b40000, 0x81c8c18a},
    {"mish", 0xbf800000, 0xbe9b5770},
    {"mish", 0x3f800000, 0x3f5d7717},
    {"mish", 0x41a00000, 0x41a00000},
    {"ln", 0x3f800001, 0x33ffffff},
    {"ln", 0x3f7fffff, 0xb3800000},
    {"ln", 0x3f8020c5, 0x3a83033b},
    {"sigmoid", 0x40000000, 0x3f617beb},
    {"sigmoid", 0x41880000, 0x3f7fffff},
    {"sigmoid", 0x41900000, 0x3f800000},
    {"exp", 0x42b17217, 0x7f7fff84},
    {"exp", 0xc2aeac4f, 0x00800026},
    {"exp", 0xbf800000, 0x3ebc5ab2},
    {"exp", 0x3f800000, 0x402df854},
    {"erf", 0x3f000000, 0x3f053f7b},
    {"erf", 0x3f800000, 0x3f57bb3d},
    {"erf", 0x4079999a, 0x3f7fffff},
    {"erf", 0x40800000, 0x3f800000},
    {"erf", 0x2edbe6ff, 0x2ef8221a},
    {"derivative_erf", 0x3f800000, 0x3ed488f8},
    {"derivative_erf", 0x40400000, 0x39120475},
    {"derivative_silu", 0xc1a00000, 0xb32832fc},
    {"derivative_silu", 0xbfa39581, 0x38d44375},
    {"gelu_apprx_tanh", 0xc0400000, 0xbb6e6150},
    {"gelu_apprx_tanh", 0x3f800000, 0x3f57585c},
    {"gelu_apprx_sigmoid", 0xc0400000, 0xbc940a49},
    {"gelu_apprx_sigmoid", 0x3f800000, 0x3f588612},
    {"arctan", 0x3f800000, 0x3f490fdb},
    {"sqrt", 0x40000000, 0x3fb504f3},
    {"sqrt", 0x3dcccccd, 0x3ea1e89b},
    {"reciprocal", 0x40400000, 0x3eaaaaab},
};

// Results that tables hold to the bit: stored specials and clamps.
constexpr Oracle kExact[] = {
    {"exp", 0x42b17218, 0x7f800000},
    {"exp", 0xc2d00000, 0x00000000},
    {"exp", 0x7f800000, 0x7f800000},
    {"exp", 0xff800000, 0x00000000},
    {"exp", 0x00000000, 0x3f800000},
    {"exp", 0x7fc00000, 0x7fc00000},
    {"tanh", 0x7fc00000, 0x7fc00000},
    {"tanh", 0x7f800000, 0x3f800000},
    {"tanh", 0xff800000, 0xbf800000},
    {"softplus", 0x00000000, 0x3f317218},
    {"gelu", 0x7f800000, 0x7f800000},
    {"gelu", 0xff800000, 0x00000000},
    {"silu", 0xff800000, 0x00000000},
    {"silu", 0x7fc00000, 0x7fc00000},
    {"ln", 0x7f800000, 0x7f800000},
    {"ln", 0x00000000, 0xff800000},
    {"ln", 0xbf800000, 0x7fc00000},
    {"reciprocal_sqrt", 0x00000000, 0x7f800000},
    {"reciprocal_sqrt", 0x7f800000, 0x00000000},
    {"sqrt", 0xbf800000, 0x7fc00000},
    {"derivative_erf", 0x00000000, 0x3f906ebb},
    {"softplus", 0x42b00000, 0x42b00000},
    {"mish", 0x41a00000, 0x41a00000},
    {"sigmoid", 0x41900000, 0x3f800000},
};

TEST(Oracle, ReferencesAreCorrectlyRounded) {
  for (const Oracle& o : kSmooth)
    EXPECT_EQ(float_bits(correctly_rounded(*find_function(o.function), bits_float(o.input))), o.output)
        << o.function << " " << bits_float(o.input);
}

class EmbeddedOracle : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const DirectoryFolder folder(std::string(ACTKIT_SOURCE_DIR) + "/data/catalogs/" + GetParam());
    if (!folder.contains("act_info.json")) GTEST_SKIP() << "no catalog " << GetParam();
    Diagnostics warnings;
    auto catalog = read_catalog(folder, {}, warnings);
    ASSERT_TRUE(catalog);
    catalog_ = *std::move(catalog);
    const auto text = folder.read(kCertificateFile);
    if (!text) return;  // the tests that need certificates skip
    auto certificates = parse_certificates(as_text(*text), std::string(kCertificateFile), warnings);
    ASSERT_TRUE(certificates);
    certificates_ = *std::move(certificates);
  }
  const FunctionTable* table(std::string_view function) const {
    const TableSet* set = catalog_.set_with(function);
    return set != nullptr ? set->find(function) : nullptr;
  }
  const Certificate* certificate(const FunctionTable& table) const {
    for (const Certificate& c : certificates_)
      if (c.function == table.name && c.budget == table.budget) return &c;
    return nullptr;
  }
  Catalog catalog_;
  std::vector<Certificate> certificates_;
};

TEST_P(EmbeddedOracle, SpecialsAndClampsToTheBit) {
  for (const Oracle& o : kExact)
    if (const FunctionTable* t = table(o.function)) {
      EXPECT_EQ(float_bits(evaluate(*t, bits_float(o.input))), o.output)
          << o.function << " " << bits_float(o.input);
    }
}

TEST_P(EmbeddedOracle, SmoothValuesWithinTheCertifiedError) {
  if (certificates_.empty()) GTEST_SKIP() << "the catalog has no certificates";
  int compared = 0;
  for (const Oracle& o : kSmooth) {
    const FunctionTable* t = table(o.function);
    if (t == nullptr) continue;
    const Certificate* c = certificate(*t);
    ASSERT_NE(c, nullptr) << o.function;
    const float x = bits_float(o.input), exact = bits_float(o.output);
    const double error = ulp_error(*find_function(o.function), x, evaluate(*t, x));
    const double certified = std::fabs(exact) < 0x1p-126f
                                 ? c->measured.subnormal.error
                                 : std::max(c->measured.inner.error, c->measured.outer.error);
    EXPECT_LE(error, certified * (1 + 1e-5)) << o.function << " " << x;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

// G-9: where a section ends and the next begins the table steps by no more than the two errors that are
// certified, and it is monotone where the function is, up to them.
TEST_P(EmbeddedOracle, StepsBetweenSectionsStayWithinTheCertifiedError) {
  if (certificates_.empty()) GTEST_SKIP() << "the catalog has no certificates";
  for (const Certificate& c : certificates_) {
    const FunctionInfo& f = *find_function(c.function);
    const FunctionTable& t = *table(c.function);
    if (t.budget != c.budget) continue;
    const double certified = std::max(c.measured.inner.error, c.measured.outer.error);
    for (const bool negative : {true, false}) {
      for (const Octave& octave : t.side(negative).octaves) {
        for (std::size_t i = 0; i <= octave.sections.size(); ++i) {
          const std::uint32_t first = static_cast<std::uint32_t>(octave.exponent + 127) << 23;
          const std::uint32_t at = first + static_cast<std::uint32_t>(i << (23 - octave.extract_size));
          const std::uint32_t sign = negative ? 0x80000000u : 0u;
          const float before = bits_float((at - 1) | sign), after = bits_float(at | sign);
          if (before < c.domain.lowest || before > c.domain.highest || after < c.domain.lowest ||
              after > c.domain.highest)
            continue;
          if (std::fabs(before) < c.domain.least_magnitude) continue;
          const double fa = exact_value(f, before).hi, fb = exact_value(f, after).hi;
          if (!(std::fabs(fa) >= 0x1p-125 && std::fabs(fa) < 0x1p127)) continue;
          const auto error = [&](float x, double value) {
            return std::fabs(x) >= c.domain.absolute_beyond ? c.measured.tail.error : certified * ulp_of(static_cast<float>(value));
          };
          const double step = static_cast<double>(evaluate(t, after)) - evaluate(t, before);
          EXPECT_LE(std::fabs(step - (fb - fa)), 1.001 * (error(before, fa) + error(after, fb))) << c.function << " at " << after;
        }
      }
    }
  }
}

// N15: x + mirror = 1, and the oddness and evenness of folded tables, exactly.
TEST_P(EmbeddedOracle, SymmetryIsExact) {
  for (const TableSet& set : catalog_.sets)
    for (const FunctionTable& t : set.functions) {
      if (!t.symmetry.enabled || t.resident()) continue;
      for (std::uint32_t bits = 0x20000000; bits < 0x7f800000; bits += 0x35791) {
        const float x = bits_float(bits);
        if (t.symmetry.point == 0) {
          EXPECT_EQ(evaluate(t, -x), t.symmetry.invert_sign ? -evaluate(t, x) : evaluate(t, x))
              << t.name << " " << x;
        } else {
          EXPECT_EQ(evaluate(t, x), t.symmetry.point - evaluate(t, -x)) << t.name << " " << x;
        }
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Catalogs, EmbeddedOracle,
                         ::testing::Values("trainium", "with_ln", "trainium-minimax", "with_ln-minimax"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace act::fit
