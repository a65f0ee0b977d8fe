// Pass 2 with the quick cubic (quick.h). Included by table-inl.h, for instruction sets with a fused
// multiply-add.

constexpr int kQuickToRow = kRowBits - kQuickRowBits;

// What the quick cubic leaves of kLanes inputs, as documented.
HWY_NOINLINE void many_as_documented(const Prepared& p, const std::uint32_t* quick_records, const float* t,
                                     float* r) {
  const Row* rows = p.rows.data();
  const Narrow c = narrow_part<kQuickToRow>(rows, quick_records);
  hn::StoreU(cubic<kQuickToRow>(c, rows, quick_records, hn::LoadU(F(), t)), F(), r);
}

// The same of one input, with step 7.
HWY_INLINE float one_as_documented(const Prepared& p, std::uint32_t quick_record, float t, bool mirrored) {
  const Row& row = row_at<kQuickToRow>(p.rows.data(), quick_record);
  const Section section{row.d0, row.d1, static_cast<float>(row.d2), static_cast<float>(row.d3), 0};
  float r = evaluate_cubic(section, t);
  if (mirrored) r = (p.invert_sign ? -r : r) + p.point;
  return r != r ? bits_float(kQuietNanBits) : r;
}

// Bits of the lanes in which a mask is set.
HWY_INLINE std::uint32_t lanes_of(Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(F(), mask, bytes);
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// The constants of quick.h in registers.
struct QuickLimits {
  VecF above, below, least;
};
struct Quick {
  VecF r;
  std::uint32_t unsure;  // the lanes that it cannot answer
};
HWY_INLINE Quick quick_cubic(const QuickRow* rows, const std::uint32_t* records, VecF t,
                             const QuickLimits& limits) {
  const F d;
  const auto [d0, d1, d2, d3] = four_floats<0>(rows, records);
  const VecF first = hn::Add(hn::Mul(t, d1), d0);
  const VecF g = hn::MulAdd(d3, t, d2);
  const VecF q = hn::Mul(hn::Mul(t, t), g);
  const VecF r = hn::MulAdd(q, limits.below, first);
  const Mask same = hn::Eq(r, hn::MulAdd(q, limits.above, first));
  const Mask sure = hn::And(same, hn::Ge(hn::Abs(r), limits.least));
  const Mask linear = hn::Eq(g, hn::Zero(d));
  return {hn::IfThenElse(linear, first, r), lanes_of(hn::Not(hn::Or(sure, linear)))};
}

// What is left of a chunk: lanes by vector, and those that step 7 is for.
struct Left {
  std::uint32_t lanes[kChunk / kLanes], mirrored[kChunk / kLanes];
};
HWY_NOINLINE void evaluate_left(const Prepared& p, const Left& left, const Found<true>& found, float* out) {
  for (std::size_t v = 0; v < kChunk / kLanes; ++v)
    for (std::uint32_t bits = left.lanes[v]; bits != 0; bits &= bits - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(bits)), k = v * kLanes + lane;
      out[k] = one_as_documented(p, found.records[k], found.t[k], (left.mirrored[v] >> lane & 1) != 0);
    }
}

template <bool kFolded>
HWY_NOINLINE void evaluate_quick(const Prepared& p, const float* in, const Found<true>& found, float* out) {
  const F d;
  const Constants constants = p;
  constexpr int kFew = 3;  // inputs of a vector that are better computed one by one
  constexpr std::uint32_t kAll = kLanes == 32 ? ~0u : (1u << kLanes % 32) - 1;
  const QuickRow* rows = p.quick.data();
  const QuickLimits limits = {hn::Set(d, kQuickAbove), hn::Set(d, kQuickBelow), hn::Set(d, kQuickLeast)};
  Left left;
  std::uint32_t any_left = 0, unsure = 0;
  for (std::size_t i = 0, v = 0; i < kChunk; i += kLanes, ++v) {
    VecF r = hn::Zero(d);
    // Where nothing of a vector is quick, the next are rarely better.
    if (HWY_LIKELY(unsure != kAll)) {
      const Quick quick = quick_cubic(rows, found.records + i, hn::LoadU(d, found.t + i), limits);
      r = quick.r;
      unsure = quick.unsure;
    }
    const bool many = std::popcount(unsure) > kFew;
    if (HWY_UNLIKELY(many)) {
      alignas(64) float exact[kLanes];
      many_as_documented(p, found.records + i, found.t + i, exact);
      r = hn::LoadU(d, exact);
    }
    left.lanes[v] = many ? 0 : unsure;
    any_left |= left.lanes[v];
    left.mirrored[v] = 0;
    if constexpr (kFolded) {
      const VecF input = hn::LoadU(d, in + i);
      left.mirrored[v] = lanes_of(mirrored_lanes(constants, input));
      r = reconstruct(constants, input, r);
    }
    hn::StoreU(canonical_nan(r), d, out + i);
  }
  if (any_left != 0) evaluate_left(p, left, found, out);
}
