// Smooth function values of public reports (correctly rounded there) within the certified error of each embedded table.
#include <gtest/gtest.h>

#include <cmath>

#include "act/fit/certificate.h"
#include "act/tables/embedded.h"
#include "act/tables/evaluate.h"
#include "act/tables/functions.h"

namespace act {
namespace {

struct Row {
  const char* function;
  std::uint32_t input, output;
};

constexpr Row kRows[] = {
    {"gelu", 0xC1580000, 0x8001263E}, {"gelu", 0xC1500000, 0x81D87B8A}, {"gelu", 0xC1400000, 0x8ADD6065},
    {"gelu", 0xC1200000, 0x9AB83C9B}, {"gelu", 0xC1000000, 0xA7B34E96}, {"gelu", 0xC0E00000, 0xAD1D9A58},
    {"gelu", 0xC0B20000, 0xB39ED5FF}, {"gelu", 0xC0B00000, 0xB3E049EC}, {"gelu", 0xC0AC0000, 0xB45CFE43},
    {"gelu", 0xC0A00000, 0xB5C05E5D}, {"gelu", 0xC0800000, 0xB904D6BD}, {"gelu", 0xC0400000, 0xBB84B34C},
    {"gelu", 0x006CE3EE, 0x003671F7}, {"gelu", 0x1E3CE508, 0x1DBCE508}, {"gelu", 0x40400000, 0x403FBDA6},
    {"gelu", 0xBF800000, 0xBE227686}, {"gelu", 0x3F800000, 0x3F57625F},
    {"softplus", 0xC09FE83E, 0x3BDCAF7C}, {"softplus", 0xC0A00000, 0x3BDC0C6D}, {"softplus", 0xC1A00000, 0x310DA433},
    {"softplus", 0xC0400000, 0x3D470388}, {"softplus", 0x41A00000, 0x41A00000}, {"softplus", 0x3F800000, 0x3FA818F5},
    {"silu", 0xC2AEAE14, 0x83AE13FF}, {"silu", 0xC2B40000, 0x81C8C18A}, {"silu", 0xC2B60000, 0x81155967},
    {"silu", 0xC1A00000, 0xB3310D3F}, {"silu", 0xBF800000, 0xBE89B2B1}, {"silu", 0x3F800000, 0x3F3B26A8},
    {"mish", 0xC2B40000, 0x81C8C18A}, {"mish", 0xBF800000, 0xBE9B5770}, {"mish", 0x3F800000, 0x3F5D7717},
    {"ln", 0x3F800001, 0x33FFFFFF}, {"ln", 0x3F7FFFFF, 0xB3800000}, {"ln", 0x3F8020C5, 0x3A83033B},
    {"ln", 0x1F800000, 0xC2317218}, {"sigmoid", 0x40000000, 0x3F617BEB}, {"sigmoid", 0x41880000, 0x3F7FFFFF},
    {"sigmoid", 0x41900000, 0x3F800000}, {"exp", 0x42B17217, 0x7F7FFF84}, {"exp", 0xC2AEAC4F, 0x00800026},
    {"exp", 0xC2B00000, 0x0041EDC4}, {"exp", 0xC2CFF0A4, 0x00000001}, {"exp", 0xBF800000, 0x3EBC5AB2},
    {"exp", 0x3F800000, 0x402DF854}, {"erf", 0x3F000000, 0x3F053F7B}, {"erf", 0x3F800000, 0x3F57BB3D},
    {"erf", 0x4079999A, 0x3F7FFFFF}, {"erf", 0x40800000, 0x3F800000}, {"erf", 0x2EDBE6FF, 0x2EF8221A},
    {"derivative_erf", 0x3F800000, 0x3ED488F8}, {"derivative_erf", 0x40400000, 0x39120475},
    {"derivative_silu", 0xC1A00000, 0xB32832FC}, {"derivative_silu", 0xBFA39581, 0x38D44375},
    {"gelu_apprx_tanh", 0xC0400000, 0xBB6E6150}, {"gelu_apprx_tanh", 0x3F800000, 0x3F57585C},
    {"gelu_apprx_sigmoid", 0xC0400000, 0xBC940A49}, {"gelu_apprx_sigmoid", 0x3F800000, 0x3F588612},
    {"arctan", 0x3F800000, 0x3F490FDB}, {"sqrt", 0x40000000, 0x3FB504F3}, {"sqrt", 0x3DCCCCCD, 0x3EA1E89B},
    {"sqrt", 0x70000000, 0x57B504F3}, {"sqrt", 0x05800000, 0x22800000}, {"reciprocal_sqrt", 0x14000000, 0x553504F3},
    {"reciprocal_sqrt", 0x40800002, 0x3EFFFFFE}, {"reciprocal_sqrt", 0x6F800000, 0x27800000},
    {"reciprocal", 0x40400000, 0x3EAAAAAB}};

TEST(CertifiedValues, RowsAreCorrectlyRounded) {
  for (const Row& r : kRows)
    EXPECT_EQ(float_bits(correctly_rounded(*find_function(r.function), bits_float(r.input))), r.output)
        << r.function << " 0x" << std::hex << r.input;
}

// The error that the certificate allows at this input, in the unit of that figure, and the one found.
void expect_certified(const fit::Certificate& c, const FunctionTable& table, const Row& row) {
  const FunctionInfo& info = *find_function(row.function);
  const float x = bits_float(row.input), got = evaluate(table, x);
  if (x < c.domain.lowest || x > c.domain.highest || std::fabs(x) < c.domain.least_magnitude) return;
  const double exact = exact_value(info, x).hi;
  const double absolute = std::fabs(static_cast<double>(got) - exact);
  const auto place = [&] { return std::string(row.function) + " " + std::to_string(x); };
  constexpr double kSlack = 1 + 1e-6;
  if (std::fabs(exact) < 0x1p-126)
    EXPECT_LE(absolute / 0x1p-149, c.measured.subnormal.error * kSlack) << place();
  else if (std::fabs(x) >= c.domain.absolute_beyond)
    EXPECT_LE(absolute, c.measured.tail.error * kSlack) << place();
  else
    EXPECT_LE(ulp_error(info, x, got), std::max(c.measured.inner.error, c.measured.outer.error) * kSlack) << place();
}

TEST(CertifiedValues, EveryEmbeddedTableKeepsItsWord) {
  std::size_t compared = 0;
  for (const std::string_view name : embedded_catalogs()) {
    const auto folder = embedded_folder(name);
    if (!folder->contains(fit::kCertificateFile)) continue;
    Diagnostics warnings;
    const auto certificates =
        fit::parse_certificates(as_text(folder->read(fit::kCertificateFile).value()), std::string(name), warnings);
    const auto catalog = read_catalog(*folder, {}, warnings);
    ASSERT_TRUE(certificates && catalog) << name;
    for (const fit::Certificate& c : *certificates) {
      const FunctionTable* table = nullptr;
      for (const TableSet& set : catalog->sets)
        if (const FunctionTable* t = set.find(c.function); t != nullptr && t->budget == c.budget) table = t;
      ASSERT_NE(table, nullptr) << name << " " << c.function;
      for (const Row& row : kRows) {
        if (c.function != row.function) continue;
        expect_certified(c, *table, row);
        ++compared;
      }
    }
  }
  if (compared == 0) GTEST_SKIP() << "no embedded catalog has certificates";
}

}  // namespace
}  // namespace act
