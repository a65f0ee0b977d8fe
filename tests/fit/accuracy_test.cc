#include "act/fit/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/fit/minimax.h"
#include "act/numeric/ulp.h"
#include "act/tables/evaluate.h"
#include "fit/pieces.h"

namespace act::fit {
namespace {

const FunctionTable& sine() {
  static const FunctionTable table = fit_minimax(*find_function("sin"))->table;
  return table;
}

// The sweep against evaluate() and MPFR, the long way, over one octave.
TEST(Accuracy, OctaveEqualsTheLongWay) {
  const FunctionInfo& f = *find_function("sin");
  double worst = 0;
  for (std::uint32_t b = float_bits(0.5F); b < float_bits(1.0F); b += 1013) {
    worst = std::max(worst, std::fabs(ulp_error(f, bits_float(b), evaluate(sine(), bits_float(b)))));
  }
  const Measurement strided = measure_octave(f, sine(), false, -1, 1013);
  EXPECT_GE(strided.inner.error, worst - 1e-4);
  const Measurement all = measure_octave(f, sine(), false, -1);
  EXPECT_EQ(all.inputs, 1U << 23);
  EXPECT_GE(all.inner.error, strided.inner.error);
  EXPECT_NEAR(std::fabs(ulp_error(f, all.inner.input, evaluate(sine(), all.inner.input))), all.inner.error,
              1e-4);
}

// Octaves that are settled without a sweep have the errors a sweep would find.
TEST(Accuracy, SettledOctavesEqualASweep) {
  const FunctionInfo& f = *find_function("sin");
  const Measurement whole = measure(f, sine(), 4001);
  for (const int exponent : {-120, -90, -60, -30, -14}) {
    double worst = 0;
    for (std::uint32_t m = 0; m < 0x800000; m += 10007) {
      const float x = bits_float(static_cast<std::uint32_t>(exponent + 127) << 23 | m);
      worst = std::max(worst, std::fabs(ulp_error(f, x, evaluate(sine(), x))));
    }
    EXPECT_LE(worst, whole.inner.error + 1e-4) << exponent;
  }
}

// Every piece answers as evaluate() does, and the pieces cover all inputs once.
TEST(Accuracy, PiecesEqualTheReference) {
  for (const char* name : {"sin", "sigmoid", "derivative_tanh", "exp"}) {
    const FunctionInfo& f = *find_function(name);
    const FunctionTable t = std::string_view(name) == "sin" ? sine() : fit_minimax(f, {0, 200})->table;
    for (const bool negative : {true, false}) {
      for (std::uint32_t e = 0; e<255; e += e> 100 && e < 140 ? 1 : 9) {
        std::uint64_t covered = 0;
        for (const Piece& p : pieces(t, negative, e)) {
          ASSERT_NE(p.section, nullptr) << name;
          covered += p.last - p.first + 1;
          for (const std::uint32_t b : {p.first, p.first + (p.last - p.first) / 3, p.last}) {
            const float direct = evaluate(t, bits_float(b));
            EXPECT_EQ(float_bits(piece_value(t, p, bits_float(b))), float_bits(direct))
                << name << " " << bits_float(b);
          }
        }
        EXPECT_EQ(covered, (e == 0 ? 0x7fffffU : 0x800000U)) << name << " " << e;
      }
    }
  }
}

}  // namespace
}  // namespace act::fit
