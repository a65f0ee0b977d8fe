// The committed minimax catalogs: what they may use, how exact they are, what shape they have, and that they
// are what the generator makes.
#include "act/fit/minimax.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/fit/taylor.h"
#include "act/numeric/ulp.h"
#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "act/tables/published.h"
#include "fit/committed.h"

namespace act::fit {
namespace {

using testing_support::Committed;
using testing_support::committed;

constexpr const char* kCatalogs[] = {"trainium-minimax", "with_ln-minimax"};

// Largest errors in ULP that the tables may have, over every input (inner octaves; outer ones behind).
struct Limit {
  const char* function;
  std::uint32_t budget;
  double inner;
  double outer;  // 0: none
};
constexpr Limit kLimits[] = {
    {"tanh", 4, 1.75, 0},
    {"erf", 4, 2, 0},
    {"sin", 4, 2.5, 0},
    {"arctan", 4, 2.3, 0},
    {"sigmoid", 40, 4, 0},
    {"softplus", 40, 4, 0},
    {"silu", 32, 3, 0},
    {"mish", 4, 3, 0},
    {"gelu_apprx_sigmoid", 40, 2.6, 0},
    {"exp", 400, 24, 0},
    {"sqrt", 65536, 2.2, 65536},
    {"ln", 40, 2.2, 7},
    {"reciprocal_sqrt", 40000, 10, 40000},
    {"abs_reciprocal_sqrt", 40000, 10, 40000},
    {"ln", 400, 14, 400},
    {"reciprocal", 400, 30, 400},
};

TEST(MinimaxCatalogs, FiguresReached) {
  for (const char* name : kCatalogs) {
    const Committed& c = committed(name);
    for (const Limit& limit : kLimits) {
      const Certificate* found = c.certificate(limit.function, limit.budget);
      if (found == nullptr) continue;  // with_ln has fewer functions
      SCOPED_TRACE(std::string(name) + " " + limit.function);
      EXPECT_LE(found->measured.inner.error, limit.inner);
      EXPECT_LE(found->measured.outer.error, limit.outer);
    }
  }
}

// Every other function: at most 3.5 ULP, or a sixth of what Taylor reaches with the same sections.
TEST(MinimaxCatalogs, EveryOtherFunctionCloseOrSixTimesBelowTaylor) {
  for (const char* name : kCatalogs) {
    for (const Certificate& c : committed(name).certificates) {
      SCOPED_TRACE(std::string(name) + " " + c.function);
      ASSERT_TRUE(c.has_taylor);
      EXPECT_EQ(c.method, "minimax");
      EXPECT_TRUE(c.measured.inner.error <= 3.5 || c.measured.inner.error * 6 <= c.taylor.inner.error)
          << c.measured.inner.error << " and " << c.taylor.inner.error;
    }
  }
}

// derivative_gelu beyond 4 counts absolutely: on the negative side, where f vanishes, a sixth of Taylor's
// error; on the positive side f is about 1, and half an ULP of that is the final rounding alone.
TEST(MinimaxCatalogs, AbsoluteTailSixTimesBelowTaylor) {
  const FunctionInfo& f = *find_function("derivative_gelu");
  const FunctionTable& t = *committed("trainium-minimax").table("derivative_gelu", 40);
  const Structure cut{side_structure(t.neg, t.exponent_offset), {}, StructureSource::own};
  const FunctionTable taylor = taylor_table(f, 40, cut, IdSpace::sunda);
  const double ours = measure_octave(f, t, true, 2).tail.error;
  EXPECT_LE(6 * ours, measure_octave(f, taylor, true, 2, 61).tail.error);
  EXPECT_LE(ours, 0x1p-26);
  EXPECT_LE(measure(f, t, 997).tail.error, 0.6 * 0x1p-23);
}

// A strided sweep finds nothing worse than the certificates say (to their six digits), and comes near to it.
TEST(MinimaxCatalogs, StridedSweepAgreesWithCertificates) {
  constexpr double kDigits = 1 + 1e-5;
  const Committed& all = committed("trainium-minimax");
  for (const Certificate& c : all.certificates) {
    SCOPED_TRACE(c.function);
    const Measurement m = measure(*find_function(c.function), *all.table(c.function, c.budget), 4999);
    EXPECT_LE(m.inner.error, c.measured.inner.error * kDigits);
    EXPECT_LE(m.outer.error, c.measured.outer.error * kDigits);
    EXPECT_LE(m.tail.error, c.measured.tail.error * kDigits);
    EXPECT_LE(m.subnormal.error, c.measured.subnormal.error * kDigits);
    EXPECT_GE(m.inner.error, 0.6 * c.measured.inner.error);
  }
}

// The worst inputs of the certificates err as they say, against the correctly rounded value (MPFR), not the
// model.
TEST(MinimaxCatalogs, WorstInputsErrAsCertified) {
  const Committed& all = committed("trainium-minimax");
  for (const Certificate& c : all.certificates) {
    SCOPED_TRACE(c.function);
    const FunctionInfo& f = *find_function(c.function);
    const FunctionTable& t = *all.table(c.function, c.budget);
    const WorstCase& w = c.measured.inner;
    EXPECT_NEAR(std::fabs(ulp_error(f, w.input, evaluate(t, w.input))), w.error, 1e-3 + w.error * 1e-3);
  }
}

// No more sections or octaves than the shipped tables, no larger blobs, and rules V-01 to V-19 hold.
TEST(MinimaxCatalogs, WithinTheShippedMemory) {
  for (const char* name : kCatalogs) {
    const Committed& c = committed(name);
    const Roster& roster = *find_roster(std::string(name).substr(0, std::string(name).find('-')));
    ASSERT_EQ(c.catalog.sets.size(), roster.sets.size());
    for (std::size_t i = 0; i < roster.sets.size(); ++i) {
      const TableSet& set = c.catalog.sets[i];
      std::size_t records = 0;
      std::size_t words = 0;
      for (const FunctionTable& t : set.functions) {
        records += t.record_count();
        words += t.octave_count();
        const FunctionInfo& f = *find_function(t.name);
        EXPECT_EQ(t.octave_count(), static_cast<std::size_t>(f.octaves())) << t.name;
        for (const FunctionBudget& b : f.budgets) {
          if (b.budget != static_cast<int>(t.budget)) continue;
          EXPECT_LE(t.lut_size(), static_cast<std::size_t>(b.lut_size)) << t.name;
        }
        for (const Side* side : {&t.neg, &t.pos}) {
          for (const Octave& o : side->octaves) EXPECT_LE(o.extract_size, 10U) << t.name;
        }
      }
      EXPECT_LE(records, static_cast<std::size_t>(roster.sets[i].bkt_entries)) << set.name();
      EXPECT_EQ(words, static_cast<std::size_t>(roster.sets[i].ctrl_entries)) << set.name();
      for (const Diagnostic& d : check_tables(set, c.catalog.id_space)) {
        EXPECT_NE(d.severity, Severity::error) << to_text(d);
      }
    }
  }
}

// The same table whichever set holds it, and the two catalogs differ in codes only.
TEST(MinimaxCatalogs, OneTablePerFunction) {
  const Committed& trainium = committed("trainium-minimax");
  for (const char* name : kCatalogs) {
    for (const TableSet& set : committed(name).catalog.sets) {
      for (const FunctionTable& t : set.functions) {
        if (t.resident()) continue;
        FunctionTable other = *trainium.table(t.name, t.budget);
        other.func_id = t.func_id;
        EXPECT_EQ(t, other) << name << " " << set.name() << " " << t.name;
      }
    }
  }
}

// The generator makes the committed bytes: the quick functions here, all of them under the label slow.
TEST(MinimaxCatalogs, GeneratorReproducesTables) {
  for (const char* name : {"tanh", "erf", "sin", "arctan", "derivative_erf", "derivative_tanh"}) {
    const FunctionInfo& f = *find_function(name);
    const auto made = fit_minimax(f);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->table,
              *committed("trainium-minimax").table(name, static_cast<std::uint32_t>(f.budgets[0].budget)))
        << name;
  }
}

TEST(MinimaxFit, BudgetsOfOneSectionAnOctaveAndLess) {
  const FunctionInfo& f = *find_function("sin");
  EXPECT_FALSE(fit_minimax(f, {4, 12}));
  const auto least = fit_minimax(f, {4, 13});
  ASSERT_TRUE(least);
  EXPECT_EQ(least->table.lut_size(), 13U);
  const auto more = fit_minimax(f, {4, 40});
  ASSERT_TRUE(more);
  EXPECT_LT(more->report.inner_ulp, least->report.inner_ulp);
  EXPECT_FALSE(unresolved_input(more->table));
}

TEST(MinimaxFit, AResidentHasNothingToFit) { EXPECT_FALSE(fit_minimax(*find_function("relu"))); }

// --- Shape (02 section 17, G-9) ---

// The folded functions: exactly odd, exactly even, exactly f(x) + f(-x) = 1 up to the rounding of the sum.
TEST(MinimaxShape, Symmetry) {
  const Committed& all = committed("trainium-minimax");
  for (const Certificate& c : all.certificates) {
    const FunctionTable& t = *all.table(c.function, c.budget);
    if (!t.symmetry.enabled) continue;
    for (std::uint32_t b = 0x00400000; b < 0x7f000000; b += 99991) {
      const float plus = evaluate(t, bits_float(b));
      const float minus = evaluate(t, bits_float(b | 0x80000000));
      if (t.symmetry.point == 1) {
        ASSERT_EQ(plus, 1 - minus) << t.name;
      } else {
        ASSERT_EQ(plus, t.symmetry.invert_sign ? -minus : minus) << t.name;
      }
    }
  }
}

TEST(MinimaxShape, NoValueOutsideTheRange) {
  const Committed& all = committed("trainium-minimax");
  for (const char* name : {"tanh", "erf", "sin", "sigmoid", "exp", "softplus", "derivative_tanh",
                           "derivative_erf", "derivative_sigmoid"}) {
    const FunctionInfo& f = *find_function(name);
    const FunctionTable& t = *all.table(name, static_cast<std::uint32_t>(f.budgets[0].budget));
    for (std::uint32_t b = 0x00000001; b < 0x7f800000; b += 4099) {
      for (const std::uint32_t sign : {0U, 0x80000000U}) {
        const float x = bits_float(b | sign);
        if (x < f.lower_bound || x > f.upper_bound) continue;
        const float y = evaluate(t, x);
        ASSERT_GE(y, static_cast<float>(f.lowest_value)) << name << " at " << x;
        ASSERT_LE(y, static_cast<float>(f.highest_value)) << name << " at " << x;
      }
    }
  }
}

// All places where the record changes, as the first input of the new one.
std::vector<std::uint32_t> seams(const Side& side) {
  std::vector<std::uint32_t> found;
  for (const Octave& o : side.octaves) {
    const std::uint32_t base = static_cast<std::uint32_t>(o.exponent + 127) << 23;
    for (std::size_t s = 0; s < o.sections.size(); ++s) {
      found.push_back(base + (static_cast<std::uint32_t>(s) << (23 - o.extract_size)));
    }
  }
  found.push_back(side.high.sat_point << 23 | side.high.mantissa_point);
  return found;
}

// From one section to the next the result moves as the function does, give or take the certified error: both
// records are evaluated at the seam itself. A cubic errs to the same side at both ends of its section; the
// constants and parabolas of outer octaves err to opposite sides, so that two errors meet at a seam.
TEST(MinimaxShape, NoStepLargerThanTheCertifiedError) {
  const Committed& all = committed("trainium-minimax");
  for (const Certificate& c : all.certificates) {
    const FunctionInfo& f = *find_function(c.function);
    const FunctionTable& t = *all.table(c.function, c.budget);
    const ErrorDomain domain = error_domain(f);
    for (const bool negative : {true, false}) {
      const std::uint32_t sign = negative ? 0x80000000 : 0;
      for (const std::uint32_t seam : seams(t.side(negative))) {
        const float here = bits_float(seam | sign);
        const float before = bits_float((seam - 1) | sign);
        if (std::fabs(here) >= domain.absolute_beyond || here > domain.highest || here < domain.lowest)
          continue;
        EvalPath path;
        const Section* old_one = find_section(t, before, path);
        const Section* new_one = find_section(t, here, path);
        if (old_one == nullptr || new_one == nullptr || old_one == new_one) continue;
        const double exact = exact_value(f, here).hi;
        const double unit = ulp_of(static_cast<float>(exact));
        if (unit < 0x1p-148 || std::isinf(static_cast<float>(exact))) continue;  // at the end of a tail
        const double step = std::fabs(static_cast<double>(evaluate_cubic(*new_one, here)) -
                                      static_cast<double>(evaluate_cubic(*old_one, here)));
        const int octave = static_cast<int>(seam >> 23) - 127;
        const OctaveRange& inner = domain.inner;
        const bool outer =
            inner.count > 0 && (octave <= inner.lowest || octave >= inner.lowest + inner.count);
        EXPECT_LE(step / unit, (outer ? 2 * c.measured.outer.error : c.measured.inner.error) + 1.0)
            << c.function << " at " << here;
      }
    }
  }
}

// Where f rises or falls throughout, a result never turns back by more than the certified error allows.
TEST(MinimaxShape, MonotoneUpToTheCertifiedError) {
  const Committed& all = committed("trainium-minimax");
  for (const Certificate& c : all.certificates) {
    const FunctionInfo& f = *find_function(c.function);
    if (f.monotone == Monotone::no) continue;
    const FunctionTable& t = *all.table(c.function, c.budget);
    const double allowed = 2 * std::max(c.measured.inner.error, c.measured.outer.error);
    double last = NAN;
    for (std::int64_t key = -0x7f000000; key < 0x7f000000; key += 30011) {
      const float x = bits_float(key < 0 ? static_cast<std::uint32_t>(-key) | 0x80000000
                                         : static_cast<std::uint32_t>(key));
      if (x < f.lower_bound || x > f.upper_bound || x == 0) continue;
      const double y = evaluate(t, x);
      const double turned = f.monotone == Monotone::rising ? last - y : y - last;
      ASSERT_FALSE(turned / ulp_of(static_cast<float>(y)) > allowed) << c.function << " at " << x;
      last = y;
    }
  }
}

}  // namespace
}  // namespace act::fit
