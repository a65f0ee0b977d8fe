// Functions without a table body, and the one whose slope comes with the instruction. Included once per
// instruction set, after table-inl.h.

template <bool kFolded, bool kLinear>
HWY_INLINE VecF direct_vector(const Prepared& p, VecF v) {
  const F d;
  const VecF selected = !kFolded ? v : p.to_negative ? hn::Or(v, hn::SignBit(d)) : hn::Abs(v);
  const Mask negative = hn::Lt(selected, hn::Zero(d));
  const auto pick = [&](float pos, float neg)
                        HWY_ATTR { return hn::IfThenElse(negative, hn::Set(d, neg), hn::Set(d, pos)); };
  const Row &pos = p.direct[0], &neg = p.direct[1];
  VecF r = hn::Add(hn::Mul(selected, pick(pos.d1, neg.d1)), pick(pos.d0, neg.d0));
  if constexpr (!kLinear) {
    const HalfF dh;
    const VecF d2 = pick(static_cast<float>(pos.d2), static_cast<float>(neg.d2));  // they were binary32
    const auto half = [](hn::Vec<HalfF> t, hn::Vec<HalfF> sum, hn::Vec<HalfF> factor) HWY_ATTR {
      const D dd;
      const VecD wide = hn::PromoteTo(dd, t);
      return hn::DemoteTo(
          HalfF(), hn::Add(hn::PromoteTo(dd, sum), hn::Mul(hn::Mul(wide, wide), hn::PromoteTo(dd, factor))));
    };
    r = hn::Combine(d, half(hn::UpperHalf(dh, selected), hn::UpperHalf(dh, r), hn::UpperHalf(dh, d2)),
                    half(hn::LowerHalf(dh, selected), hn::LowerHalf(dh, r), hn::LowerHalf(dh, d2)));
  }
  if constexpr (kFolded) r = reconstruct(p, v, r);
  return with_specials(p, v, canonical_nan(r));
}

// Applies `f` to every vector; what is left at the end goes through a padded one.
template <class Vector>
HWY_INLINE void map(const float* in, float* out, std::size_t n, const Vector& f) {
  const F d;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(f(hn::LoadU(d, in + i)), d, out + i);
  if (i == n) return;
  alignas(64) float rest[kLanes] = {};
  std::memcpy(rest, in + i, (n - i) * sizeof(float));
  hn::StoreU(f(hn::LoadU(d, rest)), d, rest);
  std::memcpy(out + i, rest, (n - i) * sizeof(float));
}

template <bool kFolded, bool kLinear>
void direct_as(const Prepared& p, const float* in, float* out, std::size_t n) {
  map(in, out, n, [&p](VecF v) HWY_ATTR { return direct_vector<kFolded, kLinear>(p, v); });
}

void direct(const Prepared& p, const float* in, float* out, std::size_t n) {
  if (p.folds)
    return p.direct_linear ? direct_as<true, true>(p, in, out, n) : direct_as<true, false>(p, in, out, n);
  return p.direct_linear ? direct_as<false, true>(p, in, out, n) : direct_as<false, false>(p, in, out, n);
}

void parametric(float alpha, const float* in, float* out, std::size_t n) {
  map(in, out, n, [alpha](VecF v) HWY_ATTR {
    const F d;
    return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v, canonical_nan(hn::Mul(v, hn::Set(d, alpha))));
  });
}
