// Pass 2 with the quick cubic (quick.h). Included by table-inl.h, for instruction sets with a fused
// multiply-add.

struct Four {
  VecF d0, d1, d2, d3;
};
// The records of kLanes inputs: loaded so that transposing blocks of four floats gives lanes in order.
HWY_INLINE Four quick_rows(const QuickRow* rows, const std::uint32_t* records) {
  const F d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<F>> dw;
  const auto column = [&](std::size_t k) HWY_ATTR {
    return join_blocks(
        d, [&](std::size_t b) HWY_ATTR { return hn::LoadU(Quad(), &row_at(rows, records[4 * b + k]).d0); });
  };
  const VecF a = column(0), b = column(1), c = column(2), e = column(3);
  const auto ab = hn::BitCast(dw, hn::InterleaveLower(d, a, b)),
             ce = hn::BitCast(dw, hn::InterleaveLower(d, c, e));
  const auto ab_2 = hn::BitCast(dw, hn::InterleaveUpper(d, a, b)),
             ce_2 = hn::BitCast(dw, hn::InterleaveUpper(d, c, e));
  return {hn::BitCast(d, hn::InterleaveLower(dw, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(dw, ab, ce)),
          hn::BitCast(d, hn::InterleaveLower(dw, ab_2, ce_2)),
          hn::BitCast(d, hn::InterleaveUpper(dw, ab_2, ce_2))};
}

constexpr int kQuickToRow = kRowBits - kQuickRowBits;

// What the quick cubic leaves of kLanes inputs, as documented.
HWY_NOINLINE void many_as_documented(const Prepared& p, const std::uint32_t* quick_records, const float* t,
                                     float* r) {
  alignas(64) std::uint32_t records[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) records[k] = quick_records[k] << kQuickToRow;
  const Row* rows = p.rows.data();
  const VecF distance = hn::LoadU(F(), t);
  hn::StoreU(cubic(narrow_part(rows, records), rows, records, distance), F(), r);
}

// The same of one input, with step 7.
HWY_INLINE float one_as_documented(const Prepared& p, std::uint32_t quick_record, float t, bool mirrored) {
  const Row& row = row_at(p.rows.data(), quick_record << kQuickToRow);
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

template <bool kFolded>
HWY_NOINLINE void evaluate_quick(const Prepared& p, const float* in, const Found<true>& found, float* out) {
  const F d;
  const QuickRow* rows = p.quick.data();
  const Constants constants = p;
  const VecF above = hn::Set(d, kQuickAbove), below = hn::Set(d, kQuickBelow),
             least = hn::Set(d, kQuickLeast);
  constexpr int kFew = 3;  // inputs of a vector that are better computed one by one
  std::uint32_t left[kChunk / kLanes], folded[kChunk / kLanes];
  std::uint32_t any_left = 0;
  for (std::size_t i = 0; i < kChunk; i += kLanes) {
    const VecF t = hn::LoadU(d, found.t + i);
    const Four c = quick_rows(rows, found.records + i);
    const VecF first = hn::Add(hn::Mul(t, c.d1), c.d0);
    const VecF g = hn::MulAdd(c.d3, t, c.d2);
    const VecF q = hn::Mul(hn::Mul(t, t), g);
    VecF r = hn::MulAdd(q, below, first);
    const Mask sure = hn::And(hn::Eq(r, hn::MulAdd(q, above, first)), hn::Ge(hn::Abs(r), least));
    const Mask linear = hn::Eq(g, hn::Zero(d));
    r = hn::IfThenElse(linear, first, r);
    std::uint32_t unsure = lanes_of(hn::Not(hn::Or(sure, linear)));
    if (HWY_UNLIKELY(std::popcount(unsure) > kFew)) {
      alignas(64) float exact[kLanes];
      many_as_documented(p, found.records + i, found.t + i, exact);
      r = hn::LoadU(d, exact);
      unsure = 0;
    }
    left[i / kLanes] = unsure;
    any_left |= unsure;
    if constexpr (kFolded) {
      const VecF input = hn::LoadU(d, in + i);
      folded[i / kLanes] = lanes_of(mirrored_lanes(constants, input));
      r = reconstruct(constants, input, r);
    }
    hn::StoreU(canonical_nan(r), d, out + i);
  }
  if (any_left == 0) return;
  for (std::size_t i = 0; i < kChunk; i += kLanes)
    for (std::uint32_t bits = left[i / kLanes]; bits != 0; bits &= bits - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(bits)), k = i + lane;
      const bool mirrored = kFolded && (folded[i / kLanes] >> lane & 1) != 0;
      out[k] = one_as_documented(p, found.records[k], found.t[k], mirrored);
    }
}
