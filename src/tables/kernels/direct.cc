// Functions without a table body: which of the direct kernels a table is for.
#include <cmath>
#include <limits>

#include "tables/kernels/prepared.h"

namespace act::kernels {
namespace {

DirectKind kind_of(const std::array<Row, 2>& slots) {
  const auto both = [&](auto&& holds) { return holds(slots[0]) && holds(slots[1]); };
  if (both([](const Row& s) { return s.d2 == 0 && (s.d1 == 0 || s.d1 == 1); })) return DirectKind::unit;
  if (both([](const Row& s) { return s.d2 == 0; })) return DirectKind::linear;
  // A square in binary64 is exact, so rounding it to binary32 is what multiplying there does.
  if (both([](const Row& s) { return s.d0 == 0 && s.d1 == 0 && s.d2 == 1; })) return DirectKind::square;
  return DirectKind::quadratic;
}

// What the kernel of a kind gives for one input: direct_vector() in direct-inl.h.
float direct_value(const Constants& p, float v) {
  const float selected = !p.folds ? v : p.to_negative ? -std::fabs(v) : std::fabs(v);
  const Row& slot = p.direct[selected < 0 ? 1 : 0];
  float r = p.direct_kind == DirectKind::unit     ? (slot.d1 == 0 ? 0 : selected) + slot.d0
            : p.direct_kind == DirectKind::square ? selected * selected
                                                  : selected * slot.d1 + slot.d0;
  if (p.folds && (p.recon_positive ? v > 0 : v < 0)) r = (p.invert_sign ? -r : r) + p.point;
  return r;
}

}  // namespace

bool is_direct(const FunctionTable& table) {
  for (const Side* side : {&table.pos, &table.neg}) {
    const ClampPoint& high = side->high;
    const Section& s = high.section;
    // d0 other than -0: no sum is -0 then, which adding a zero cube would change.
    if (high.sat_point != 0 || high.mantissa_point > 1 || float_bits(s.x) != 0 || float_bits(s.d3) != 0 ||
        float_bits(s.d0) == 0x80000000u)
      return false;
  }
  return true;
}

void choose_direct(Prepared& p) {
  p.direct_kind = kind_of(p.direct);
  const auto follows = [&](float v, float stored) {
    return float_bits(direct_value(p, v)) == float_bits(stored);
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool finite = std::isfinite(p.direct[0].d0) && std::isfinite(p.direct[1].d0) &&
                      std::isfinite(p.direct[0].d1) && std::isfinite(p.direct[1].d1) &&
                      std::isfinite(p.point);
  p.specials_follow = p.direct_kind != DirectKind::quadratic && finite && follows(0.0F, p.zero) &&
                      follows(-0.0F, p.zero) && follows(kInfinity, p.pinf) && follows(-kInfinity, p.ninf);
}

}  // namespace act::kernels
