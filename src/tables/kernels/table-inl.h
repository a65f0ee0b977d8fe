// Functions with a table body. Included once per instruction set, inside its namespace; no include guard.

using F = hn::ScalableTag<float>;
using I = hn::RebindToSigned<F>;
using HalfF = hn::Half<F>;
using D = hn::RepartitionToWide<F>;  // binary64, half as many lanes
using Quad = hn::FixedTag<float, 4>;
using Pair = hn::FixedTag<double, 2>;
using VecF = hn::Vec<F>;
using VecI = hn::Vec<I>;
using VecD = hn::Vec<D>;
using Mask = hn::Mask<F>;

constexpr std::size_t kChunk = 256;
constexpr std::size_t kLanes = HWY_LANES(float);
constexpr std::size_t kGroups = kLanes / 4;  // rows of 16 bytes in a register
static_assert(kChunk % kLanes == 0);
constexpr int kRowBits = 5;
static_assert(sizeof(Row) == 1 << kRowBits);

HWY_INLINE VecI magnitude_of(VecI bits) { return hn::And(bits, hn::Set(I(), 0x7fffffff)); }

// A per-side value for every lane.
template <bool kFolded>
HWY_INLINE VecI choose(const PerSide& v, bool to_negative, hn::Mask<I> negative) {
  const I d;
  if constexpr (kFolded) return hn::Set(d, v[to_negative ? 1 : 0]);
  return hn::IfThenElse(negative, hn::Set(d, v[1]), hn::Set(d, v[0]));
}

// words[index % kPermute], all words in registers.
HWY_INLINE VecI permute_words(const std::int32_t* words, VecI any_index) {
  const I d;
  const VecI index = hn::And(any_index, hn::Set(d, kPermute - 1));
  if constexpr (kLanes < 8) {
    return hn::GatherIndex(d, words, index);
  } else {
    const auto lane =
        hn::IndicesFromVec(d, hn::And(index, hn::Set(d, static_cast<std::int32_t>(kLanes - 1))));
    VecI word = hn::TableLookupLanes(hn::LoadU(d, words), lane);
    for (std::size_t at = kLanes; at < kPermute; at += kLanes) {
      const auto here = hn::Gt(index, hn::Set(d, static_cast<std::int32_t>(at - 1)));
      word = hn::IfThenElse(here, hn::TableLookupLanes(hn::LoadU(d, words + at), lane), word);
    }
    return word;
  }
}

template <Lookup kLookup, bool kFolded>
HWY_INLINE VecI octave_words(const Prepared& p, VecI index, hn::Mask<I> negative) {
  const std::int32_t* words = p.words.data();
  if constexpr (kLookup == Lookup::gather) return hn::GatherIndex(I(), words, index);
  if constexpr (kLookup == Lookup::joint) return permute_words(words, index);
  if constexpr (kFolded) return permute_words(words + (p.to_negative ? 0 : kPermute), index);
  return hn::IfThenElse(negative, permute_words(words, index), permute_words(words + kPermute, index));
}

// Pass 1, steps 2 to 5: where the records of a chunk stand. Tells whether an input is zero, infinite or NaN;
// it has a record too.
template <Lookup kLookup, bool kFolded>
HWY_NOINLINE bool find_records(const Prepared& p, const float* HWY_RESTRICT in,
                               std::uint32_t* HWY_RESTRICT records) {
  const I d;
  const hn::RebindToUnsigned<I> du;
  const PerSide least = p.least, greatest = p.greatest, octave_base = p.octave_base, low_upto = p.low_upto,
                low_slot = p.low_slot, high_after = p.high_after, high_slot = p.high_slot;
  auto extreme = hn::Zero(du);
  for (std::size_t i = 0; i < kChunk; i += kLanes) {
    const VecI bits = hn::BitCast(d, hn::LoadU(F(), in + i));
    const VecI key = magnitude_of(bits);
    extreme = hn::Max(extreme, hn::BitCast(du, hn::Sub(key, hn::Set(d, 1))));
    const auto negative = hn::Lt(bits, hn::Zero(d));
    const auto side = [&](const PerSide& v) HWY_ATTR { return choose<kFolded>(v, p.to_negative, negative); };
    // A permute wraps round outside its words, and such keys take a slot below; memory does not.
    const VecI cut = kLookup == Lookup::gather ? hn::Min(hn::Max(key, side(least)), side(greatest)) : key;
    const VecI octave = hn::Add(hn::ShiftRight<23>(cut), side(octave_base));
    const VecI word = octave_words<kLookup, kFolded>(p, octave, negative);
    const VecI section =
        hn::BitCast(d, hn::Shr(hn::BitCast(du, cut), hn::BitCast(du, hn::And(word, hn::Set(d, 31)))));
    VecI record = hn::Add(hn::ShiftRight<5>(word), section);
    record = hn::IfThenElse(hn::Gt(key, side(low_upto)), record, side(low_slot));
    record = hn::IfThenElse(hn::Gt(key, side(high_after)), side(high_slot), record);
    hn::StoreU(hn::BitCast(du, hn::ShiftLeft<kRowBits>(record)), du, records + i);
  }
  const auto limit = hn::Set(du, 0x7f800000u - 2);  // of magnitude - 1, where zero has wrapped round
  return !hn::AllTrue(du, hn::Eq(hn::Max(extreme, limit), limit));
}

// The record that a number stands for, as pass 1 leaves it: its distance in bytes from the first.
HWY_INLINE const Row& row_at(const Row* rows, std::uint32_t offset) {
  return *reinterpret_cast<const Row*>(reinterpret_cast<const char*>(rows) + offset);
}

// Blocks of 16 bytes to a register: block b is block(b).
template <class D, class Block>
HWY_INLINE hn::Vec<D> join_blocks(D d, const Block& block) {
  using T = hn::TFromD<D>;
  if constexpr (kGroups == 1) {
    return hn::Vec<D>(block(0));
  } else if constexpr (kGroups == 2) {
    return hn::Combine(d, block(1), block(0));
  } else {
    const hn::FixedTag<T, 32 / sizeof(T)> half;
    return hn::Combine(d, hn::Combine(half, block(3), block(2)), hn::Combine(half, block(1), block(0)));
  }
}

struct Narrow {
  VecF d0, d1, x;
};
// The binary32 part of kLanes records: loaded so that transposing blocks of four floats gives lanes in order.
HWY_INLINE Narrow narrow_part(const Row* rows, const std::uint32_t* records) {
  const F d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<F>> dw;
  const auto column = [&](std::size_t k) HWY_ATTR {
    return join_blocks(
        d, [&](std::size_t b) HWY_ATTR { return hn::LoadU(Quad(), &row_at(rows, records[4 * b + k]).d0); });
  };
  const VecF a = column(0), b = column(1), c = column(2), e = column(3);
  const auto ab = hn::BitCast(dw, hn::InterleaveLower(d, a, b)),
             ce = hn::BitCast(dw, hn::InterleaveLower(d, c, e));
  const auto ab_x = hn::BitCast(dw, hn::InterleaveUpper(d, a, b)),
             ce_x = hn::BitCast(dw, hn::InterleaveUpper(d, c, e));
  return {hn::BitCast(d, hn::InterleaveLower(dw, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(dw, ab, ce)),
          hn::BitCast(d, hn::InterleaveLower(dw, ab_x, ce_x))};
}

// Step 6, the terms in binary64 of kLanes / 2 inputs.
HWY_INLINE hn::Vec<HalfF> wide_terms(const Row* rows, const std::uint32_t* records, hn::Vec<HalfF> t,
                                     hn::Vec<HalfF> p) {
  const D d;
  const auto column = [&](std::size_t k) HWY_ATTR {
    return join_blocks(
        d, [&](std::size_t b) HWY_ATTR { return hn::LoadU(Pair(), &row_at(rows, records[2 * b + k]).d2); });
  };
  const VecD a = column(0), b = column(1);
  const VecD wide = hn::PromoteTo(d, t);
  const VecD square = hn::Mul(wide, wide);
  const VecD cube = hn::Mul(square, wide);
  VecD r = hn::Add(hn::PromoteTo(d, p), hn::Mul(square, hn::InterleaveLower(d, a, b)));
  r = hn::Add(hn::Mul(cube, hn::InterleaveUpper(d, a, b)), r);
  return hn::DemoteTo(HalfF(), r);
}

// Step 7 and the one bit pattern of NaN.
HWY_INLINE VecF reconstruct(const Prepared& p, VecF input, VecF r) {
  const F d;
  const Mask below = hn::Lt(input, hn::Zero(d)), above = hn::Gt(input, hn::Zero(d));
  const Mask mirrored = p.recon_positive ? above : below;
  const VecF sign = p.invert_sign ? hn::SignBit(d) : hn::Zero(d);
  return hn::IfThenElse(mirrored, hn::Add(hn::Xor(r, sign), hn::Set(d, p.point)), r);
}
HWY_INLINE VecF canonical_nan(VecF r) {
  const F d;
  return hn::IfThenElse(hn::IsNaN(r), hn::BitCast(d, hn::Set(I(), static_cast<std::int32_t>(kQuietNanBits))),
                        r);
}

// Pass 2, steps 6 and 7.
template <bool kFolded, bool kLinear>
HWY_NOINLINE void evaluate_records(const Prepared& p, const float* in,
                                   const std::uint32_t* HWY_RESTRICT records, float* out) {
  const F d;
  const HalfF dh;
  const Row* rows = p.rows.data();
  for (std::size_t i = 0; i < kChunk; i += kLanes) {
    const VecF input = hn::LoadU(d, in + i);
    VecF selected = input;
    if constexpr (kFolded) selected = p.to_negative ? hn::Or(input, hn::SignBit(d)) : hn::Abs(input);
    const Narrow c = narrow_part(rows, records + i);
    const VecF t = hn::Sub(selected, c.x);
    VecF r = hn::Add(hn::Mul(t, c.d1), c.d0);
    if constexpr (kLinear) {
      r = hn::Add(r, hn::Zero(d));  // as adding the vanishing terms does: -0 becomes +0
    } else {
      r = hn::Combine(d,
                      wide_terms(rows, records + i + kLanes / 2, hn::UpperHalf(dh, t), hn::UpperHalf(dh, r)),
                      wide_terms(rows, records + i, hn::LowerHalf(dh, t), hn::LowerHalf(dh, r)));
    }
    if constexpr (kFolded) r = reconstruct(p, input, r);
    hn::StoreU(canonical_nan(r), d, out + i);
  }
}

// Step 1 over results.
HWY_INLINE VecF with_specials(const Prepared& p, VecF v, VecF r) {
  const F d;
  const VecF infinity = hn::BitCast(d, hn::Set(I(), 0x7f800000));
  r = hn::IfThenElse(hn::Eq(v, hn::Zero(d)), hn::Set(d, p.zero), r);
  r = hn::IfThenElse(hn::Eq(v, infinity), hn::Set(d, p.pinf), r);
  r = hn::IfThenElse(hn::Eq(v, hn::Neg(infinity)), hn::Set(d, p.ninf), r);
  return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, p.nan), r);
}

using FindRecords = bool (*)(const Prepared&, const float* HWY_RESTRICT, std::uint32_t* HWY_RESTRICT);
template <bool kFolded>
FindRecords find_records_for(Lookup lookup) {
  if (lookup == Lookup::joint) return find_records<Lookup::joint, kFolded>;
  if (lookup == Lookup::per_side) return find_records<Lookup::per_side, kFolded>;
  return find_records<Lookup::gather, kFolded>;
}

template <bool kFolded, bool kLinear>
void evaluate_chunk(const Prepared& p, FindRecords find, const float* in, float* out) {
  alignas(64) std::uint32_t records[kChunk];
  const bool special = find(p, in, records);
  if (!special) return evaluate_records<kFolded, kLinear>(p, in, records, out);
  const F d;
  alignas(64) float results[kChunk];
  evaluate_records<kFolded, kLinear>(p, in, records, results);
  for (std::size_t i = 0; i < kChunk; i += kLanes)
    hn::StoreU(with_specials(p, hn::LoadU(d, in + i), hn::LoadU(d, results + i)), d, out + i);
}

template <bool kFolded, bool kLinear>
void table_as(const Prepared& p, const float* in, float* out, std::size_t n) {
  const FindRecords find = find_records_for<kFolded>(p.lookup);
  std::size_t i = 0;
  for (; i + kChunk <= n; i += kChunk) evaluate_chunk<kFolded, kLinear>(p, find, in + i, out + i);
  if (i == n) return;
  alignas(64) float rest[kChunk];
  std::memcpy(rest, in + i, (n - i) * sizeof(float));
  std::fill(rest + (n - i), rest + kChunk, 1.0F);
  evaluate_chunk<kFolded, kLinear>(p, find, rest, rest);
  std::memcpy(out + i, rest, (n - i) * sizeof(float));
}

void table(const Prepared& p, bool linear, const float* in, float* out, std::size_t n) {
  if (p.folds) return linear ? table_as<true, true>(p, in, out, n) : table_as<true, false>(p, in, out, n);
  return linear ? table_as<false, true>(p, in, out, n) : table_as<false, false>(p, in, out, n);
}
