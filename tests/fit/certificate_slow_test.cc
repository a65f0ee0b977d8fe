// Every certificate that is committed beside a catalog is measured again at every input.
#include "act/fit/certificate.h"

#include <gtest/gtest.h>

#include "act/tables/catalog_io.h"

namespace act::fit {
namespace {

class CommittedCertificates : public ::testing::TestWithParam<const char*> {};

TEST_P(CommittedCertificates, HoldAtEveryInput) {
  const DirectoryFolder folder(std::string(ACTKIT_SOURCE_DIR) + "/data/catalogs/" + GetParam());
  if (!folder.contains("act_info.json")) GTEST_SKIP() << "no catalog " << GetParam();
  Diagnostics warnings;
  const auto catalog = read_catalog(folder, {}, warnings);
  ASSERT_TRUE(catalog);
  const auto text = folder.read(kCertificateFile);
  if (!text) GTEST_SKIP() << GetParam() << " has no certificates";
  const auto certificates = parse_certificates(as_text(*text), std::string(kCertificateFile), warnings);
  ASSERT_TRUE(certificates);
  for (const Certificate& c : *certificates) {
    const FunctionTable* table = nullptr;
    for (const TableSet& set : catalog->sets)
      for (const FunctionTable& f : set.functions)
        if (f.name == c.function && f.budget == c.budget) table = &f;
    ASSERT_NE(table, nullptr) << c.function;
    const Measurement m = measure_parallel(*find_function(c.function), *table, c.domain);
    const double slack = 1 + 1e-5;  // the file has six digits
    EXPECT_LE(m.inner.error, c.measured.inner.error * slack) << c.function;
    EXPECT_GE(m.inner.error * slack, c.measured.inner.error) << c.function;
    EXPECT_EQ(float_bits(m.inner.input), float_bits(c.measured.inner.input)) << c.function;
    EXPECT_LE(m.outer.error, c.measured.outer.error * slack) << c.function;
    EXPECT_LE(m.subnormal.error, c.measured.subnormal.error * slack) << c.function;
    EXPECT_LE(m.tail.error, c.measured.tail.error * slack) << c.function;
    EXPECT_EQ(result_digest(*table), c.digest) << c.function;
    EXPECT_EQ(table->lut_size(), c.sections) << c.function;
  }
}
INSTANTIATE_TEST_SUITE_P(Embedded, CommittedCertificates,
                         ::testing::Values("trainium", "with_ln", "trainium-minimax", "with_ln-minimax"));

}  // namespace
}  // namespace act::fit
