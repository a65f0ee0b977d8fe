// Functions without a table body, and the one whose slope comes with the instruction. Included once per
// instruction set, after table-inl.h.

// A value of the side that `negative` tells.
HWY_INLINE VecF pick(Mask negative, float pos, float neg) {
  return hn::IfThenElse(negative, hn::Set(F(), neg), hn::Set(F(), pos));
}

// d0 + d1 v + d2 v^2, the square in binary64.
HWY_INLINE VecF quadratic(const Constants& p, VecF selected, Mask negative) {
  const F d;
  const HalfF dh;
  const Row &pos = p.direct[0], &neg = p.direct[1];
  const VecF line =
      hn::Add(hn::Mul(selected, pick(negative, pos.d1, neg.d1)), pick(negative, pos.d0, neg.d0));
  // They were binary32.
  const VecF d2 = pick(negative, static_cast<float>(pos.d2), static_cast<float>(neg.d2));
  const auto half = [](hn::Vec<HalfF> t, hn::Vec<HalfF> sum, hn::Vec<HalfF> factor) HWY_ATTR {
    const D dd;
    const VecD wide = hn::PromoteTo(dd, t);
    return hn::DemoteTo(
        HalfF(), hn::Add(hn::PromoteTo(dd, sum), hn::Mul(hn::Mul(wide, wide), hn::PromoteTo(dd, factor))));
  };
  return hn::Combine(d, half(hn::UpperHalf(dh, selected), hn::UpperHalf(dh, line), hn::UpperHalf(dh, d2)),
                     half(hn::LowerHalf(dh, selected), hn::LowerHalf(dh, line), hn::LowerHalf(dh, d2)));
}

template <bool kFolded, DirectKind kKind, bool kFollow>
HWY_INLINE VecF direct_vector(const Constants& p, VecF v) {
  const F d;
  const VecF selected = select<kFolded>(p, v);
  const Mask negative = hn::Lt(selected, hn::Zero(d));
  const Row &pos = p.direct[0], &neg = p.direct[1];
  VecF r;
  if constexpr (kKind == DirectKind::unit) {
    const VecF keep =
        hn::BitCast(d, hn::IfThenElse(hn::RebindMask(I(), negative), hn::Set(I(), neg.d1 == 0 ? 0 : -1),
                                      hn::Set(I(), pos.d1 == 0 ? 0 : -1)));
    r = hn::Add(hn::And(selected, keep), pick(negative, pos.d0, neg.d0));
  } else if constexpr (kKind == DirectKind::linear) {
    r = hn::Add(hn::Mul(selected, pick(negative, pos.d1, neg.d1)), pick(negative, pos.d0, neg.d0));
  } else if constexpr (kKind == DirectKind::square) {
    r = hn::Mul(selected, selected);
  } else {
    r = quadratic(p, selected, negative);
  }
  if constexpr (kFolded) r = reconstruct(p, v, r);
  if constexpr (kFollow) return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, p.nan), r);
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

template <bool kFolded, DirectKind kKind>
void direct_as(const Constants& shared, const float* in, float* out, std::size_t n) {
  const Constants p = shared;
  if (kKind != DirectKind::quadratic && p.specials_follow)
    return map(in, out, n, [&p](VecF v) HWY_ATTR { return direct_vector<kFolded, kKind, true>(p, v); });
  map(in, out, n, [&p](VecF v) HWY_ATTR { return direct_vector<kFolded, kKind, false>(p, v); });
}

template <bool kFolded>
void direct_by(const Constants& p, const float* in, float* out, std::size_t n) {
  switch (p.direct_kind) {
    case DirectKind::unit:
      return direct_as<kFolded, DirectKind::unit>(p, in, out, n);
    case DirectKind::linear:
      return direct_as<kFolded, DirectKind::linear>(p, in, out, n);
    case DirectKind::square:
      return direct_as<kFolded, DirectKind::square>(p, in, out, n);
    case DirectKind::quadratic:
      return direct_as<kFolded, DirectKind::quadratic>(p, in, out, n);
  }
}

void direct(const Prepared& p, const float* in, float* out, std::size_t n) {
  return p.folds ? direct_by<true>(p, in, out, n) : direct_by<false>(p, in, out, n);
}

void parametric(float alpha, const float* in, float* out, std::size_t n) {
  map(in, out, n, [alpha](VecF v) HWY_ATTR {
    const F d;
    return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v, canonical_nan(hn::Mul(v, hn::Set(d, alpha))));
  });
}
