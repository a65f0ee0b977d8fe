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
constexpr int kQuickRowBits = 4;
static_assert(sizeof(QuickRow) == 1 << kQuickRowBits);

HWY_INLINE VecI magnitude_of(VecI bits) { return hn::And(bits, hn::Set(I(), 0x7fffffff)); }

// A per-side value for every lane.
template <bool kFolded>
HWY_INLINE VecI choose(const PerSide& v, bool to_negative, hn::Mask<I> negative) {
  const I d;
  if constexpr (kFolded) return hn::Set(d, v[to_negative ? 1 : 0]);
  return hn::IfThenElse(negative, hn::Set(d, v[1]), hn::Set(d, v[0]));
}

// words[index % kPermute], all words in registers: halves, quarters, … are chosen by the bits of the index.
template <std::size_t kFrom, std::size_t kCount, class Lanes>
HWY_INLINE VecI permute_among(const std::int32_t* words, VecI index, const Lanes& lane) {
  const I d;
  if constexpr (kCount == kLanes) {
    return hn::TableLookupLanes(hn::LoadU(d, words + kFrom), lane);
  } else {
    constexpr std::size_t kHalf = kCount / 2;
    const auto upper = hn::TestBit(index, hn::Set(d, static_cast<std::int32_t>(kHalf)));
    return hn::IfThenElse(upper, permute_among<kFrom + kHalf, kHalf>(words, index, lane),
                          permute_among<kFrom, kHalf>(words, index, lane));
  }
}
HWY_INLINE VecI permute_words(const std::int32_t* words, VecI index) {
  const I d;
  if constexpr (kLanes < 8) {
    return hn::GatherIndex(d, words, hn::And(index, hn::Set(d, kPermute - 1)));
  } else {
    const auto lane =
        hn::IndicesFromVec(d, hn::And(index, hn::Set(d, static_cast<std::int32_t>(kLanes - 1))));
    return permute_among<0, kPermute>(words, index, lane);
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

// Where pass 1 leaves its results for a chunk: the distance in bytes of every input's record from the first,
// and for the quick cubic the distance of the input from where its record expands.
template <bool kQuick>
struct Found {
  alignas(64) std::uint32_t records[kChunk];
  alignas(64) float t[kQuick ? kChunk : 1];
};

// Where the section of `key` expands, without its sign: see G-1 of 02 section 17.
HWY_INLINE VecI centre_of(VecI section, VecI shift) {
  const I d;
  const hn::RebindToUnsigned<I> du;
  const VecI one = hn::Set(d, 1);
  const VecI odd = hn::Or(hn::Add(section, section), one);
  const VecI end = hn::BitCast(d, hn::Shl(hn::BitCast(du, odd), hn::BitCast(du, hn::Sub(shift, one))));
  return hn::Sub(end, one);
}

template <bool kFolded>
HWY_INLINE VecF select(const Constants& p, VecF input) {
  if constexpr (!kFolded) return input;
  return p.to_negative ? hn::Or(input, hn::SignBit(F())) : hn::Abs(input);
}

// The sign bits of what select() gives.
template <bool kFolded>
HWY_INLINE VecI sign_of_selected(VecI input, bool to_negative) {
  const I d;
  const VecI sign = hn::BitCast(d, hn::SignBit(F()));
  if constexpr (kFolded) return to_negative ? sign : hn::Zero(d);
  return hn::And(input, sign);
}

// Pass 1, steps 2 to 5: where the records of a chunk stand. Tells whether an input is zero, infinite or NaN;
// it has a record too.
template <Lookup kLookup, bool kFolded, bool kQuick>
HWY_NOINLINE bool find_records(const Prepared& p, const float* HWY_RESTRICT in,
                               Found<kQuick>* HWY_RESTRICT found) {
  const I d;
  const hn::RebindToUnsigned<I> du;
  const PerSide least = p.least, greatest = p.greatest, octave_base = p.octave_base, low_upto = p.low_upto,
                low_slot = p.low_slot, high_after = p.high_after, high_slot = p.high_slot,
                high_centre = p.high_centre, high_upto = p.high_upto, beyond_slot = p.beyond_slot;
  constexpr int kBits = kQuick ? kQuickRowBits : kRowBits;
  const bool high_expands = high_centre[0] != 0 || high_centre[1] != 0;
  auto extreme = hn::Zero(du);
  for (std::size_t i = 0; i < kChunk; i += kLanes) {
    const VecF input = hn::LoadU(F(), in + i);
    const VecI bits = hn::BitCast(d, input);
    const VecI key = magnitude_of(bits);
    extreme = hn::Max(extreme, hn::BitCast(du, hn::Sub(key, hn::Set(d, 1))));
    const auto negative = hn::Lt(bits, hn::Zero(d));
    const auto side = [&](const PerSide& v) HWY_ATTR { return choose<kFolded>(v, p.to_negative, negative); };
    // A permute wraps round outside its words, and such keys take a slot below; memory does not.
    const VecI cut = kLookup == Lookup::gather ? hn::Min(hn::Max(key, side(least)), side(greatest)) : key;
    const VecI octave = hn::Add(hn::ShiftRight<23>(cut), side(octave_base));
    const VecI word = octave_words<kLookup, kFolded>(p, octave, negative);
    const VecI shift = hn::And(word, hn::Set(d, 31));
    const VecI section = hn::BitCast(d, hn::Shr(hn::BitCast(du, cut), hn::BitCast(du, shift)));
    VecI record = hn::Add(hn::ShiftRight<5>(word), section);
    const auto above_low = hn::Gt(key, side(low_upto)), high = hn::Gt(key, side(high_after));
    record = hn::IfThenElse(above_low, record, side(low_slot));
    record = hn::IfThenElse(high, side(high_slot), record);
    if (kQuick && high_expands)
      record = hn::IfThenElse(hn::Gt(key, side(high_upto)), side(beyond_slot), record);
    hn::StoreU(hn::BitCast(du, hn::ShiftLeft<kBits>(record)), du, found->records + i);
    if constexpr (kQuick) {
      const VecF selected = select<kFolded>(p, input);
      const auto in_section =
          high_expands ? above_low : hn::AndNot(high, above_low);  // the slots expand at zero
      const VecI of_section = hn::IfThenElseZero(in_section, centre_of(section, shift));
      const VecI sign = sign_of_selected<kFolded>(bits, p.to_negative);
      VecI centre = hn::Or(of_section, sign);
      if (high_expands) centre = hn::IfThenElse(high, side(high_centre), centre);
      hn::StoreU(hn::Sub(selected, hn::BitCast(F(), centre)), F(), found->t + i);
    }
  }
  const auto limit = hn::Set(du, 0x7f800000u - 2);  // of magnitude - 1, where zero has wrapped round
  return !hn::AllTrue(du, hn::Eq(hn::Max(extreme, limit), limit));
}

// The record that a number stands for, as pass 1 leaves it: its distance in bytes from the first, in units of
// 2^kShift.
template <int kShift, class R>
HWY_INLINE const R& row_at(const R* rows, std::uint32_t offset) {
  return *reinterpret_cast<const R*>(reinterpret_cast<const char*>(rows) + (std::size_t{offset} << kShift));
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

struct Four {
  VecF a, b, c, d;
};
// The first four floats of kLanes records: loaded so that transposing blocks of four gives lanes in order.
template <int kShift, class R>
HWY_INLINE Four four_floats(const R* rows, const std::uint32_t* records) {
  const F d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<F>> dw;
  const auto column = [&](std::size_t k) HWY_ATTR {
    return join_blocks(d, [&](std::size_t b) HWY_ATTR {
      return hn::LoadU(Quad(), &row_at<kShift>(rows, records[4 * b + k]).d0);
    });
  };
  const VecF r0 = column(0), r1 = column(1), r2 = column(2), r3 = column(3);
  const auto lower_01 = hn::BitCast(dw, hn::InterleaveLower(d, r0, r1)),
             lower_23 = hn::BitCast(dw, hn::InterleaveLower(d, r2, r3)),
             upper_01 = hn::BitCast(dw, hn::InterleaveUpper(d, r0, r1)),
             upper_23 = hn::BitCast(dw, hn::InterleaveUpper(d, r2, r3));
  return {hn::BitCast(d, hn::InterleaveLower(dw, lower_01, lower_23)),
          hn::BitCast(d, hn::InterleaveUpper(dw, lower_01, lower_23)),
          hn::BitCast(d, hn::InterleaveLower(dw, upper_01, upper_23)),
          hn::BitCast(d, hn::InterleaveUpper(dw, upper_01, upper_23))};
}

struct Narrow {
  VecF d0, d1, x;
};
// The binary32 part of kLanes records.
template <int kShift>
HWY_INLINE Narrow narrow_part(const Row* rows, const std::uint32_t* records) {
  const Four four = four_floats<kShift>(rows, records);
  return {four.a, four.b, four.c};
}

// Step 6, the terms in binary64 of kLanes / 2 inputs.
template <int kShift>
HWY_INLINE hn::Vec<HalfF> wide_terms(const Row* rows, const std::uint32_t* records, hn::Vec<HalfF> t,
                                     hn::Vec<HalfF> p) {
  const D d;
  const auto column = [&](std::size_t k) HWY_ATTR {
    return join_blocks(d, [&](std::size_t b) HWY_ATTR {
      return hn::LoadU(Pair(), &row_at<kShift>(rows, records[2 * b + k]).d2);
    });
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
HWY_INLINE Mask mirrored_lanes(const Constants& p, VecF input) {
  const VecF zero = hn::Zero(F());
  return p.recon_positive ? hn::Gt(input, zero) : hn::Lt(input, zero);
}
HWY_INLINE VecF reconstruct(const Constants& p, VecF input, VecF r) {
  const F d;
  const VecF sign = p.invert_sign ? hn::SignBit(d) : hn::Zero(d);
  return hn::IfThenElse(mirrored_lanes(p, input), hn::Add(hn::Xor(r, sign), hn::Set(d, p.point)), r);
}
HWY_INLINE VecF canonical_nan(VecF r) {
  const F d;
  return hn::IfThenElse(hn::IsNaN(r), hn::BitCast(d, hn::Set(I(), static_cast<std::int32_t>(kQuietNanBits))),
                        r);
}

// Step 6 as documented for kLanes inputs at distance t.
template <int kShift>
HWY_INLINE VecF cubic(const Narrow& c, const Row* rows, const std::uint32_t* records, VecF t) {
  const F d;
  const HalfF dh;
  const VecF r = hn::Add(hn::Mul(t, c.d1), c.d0);
  return hn::Combine(
      d, wide_terms<kShift>(rows, records + kLanes / 2, hn::UpperHalf(dh, t), hn::UpperHalf(dh, r)),
      wide_terms<kShift>(rows, records, hn::LowerHalf(dh, t), hn::LowerHalf(dh, r)));
}

// Pass 2, steps 6 and 7.
template <bool kFolded, bool kLinear>
HWY_NOINLINE void evaluate_records(const Prepared& p, const float* in, const Found<false>& found,
                                   float* out) {
  const F d;
  const Row* rows = p.rows.data();
  for (std::size_t i = 0; i < kChunk; i += kLanes) {
    const VecF input = hn::LoadU(d, in + i);
    const Narrow c = narrow_part<0>(rows, found.records + i);
    const VecF t = hn::Sub(select<kFolded>(p, input), c.x);
    VecF r;
    if constexpr (kLinear) {
      // Adding zero is what adding the vanishing terms does: -0 becomes +0.
      r = hn::Add(hn::Add(hn::Mul(t, c.d1), c.d0), hn::Zero(d));
    } else {
      r = cubic<0>(c, rows, found.records + i, t);
    }
    if constexpr (kFolded) r = reconstruct(p, input, r);
    hn::StoreU(canonical_nan(r), d, out + i);
  }
}

// Step 1 over results.
HWY_INLINE VecF with_specials(const Constants& p, VecF v, VecF r) {
  const F d;
  const VecF infinity = hn::BitCast(d, hn::Set(I(), 0x7f800000));
  r = hn::IfThenElse(hn::Eq(v, hn::Zero(d)), hn::Set(d, p.zero), r);
  r = hn::IfThenElse(hn::Eq(v, infinity), hn::Set(d, p.pinf), r);
  r = hn::IfThenElse(hn::Eq(v, hn::Neg(infinity)), hn::Set(d, p.ninf), r);
  return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, p.nan), r);
}

template <bool kFolded, bool kQuick>
using FindRecords = bool (*)(const Prepared&, const float* HWY_RESTRICT, Found<kQuick>* HWY_RESTRICT);
template <bool kFolded, bool kQuick>
FindRecords<kFolded, kQuick> find_records_for(Lookup lookup) {
  if (lookup == Lookup::joint) return find_records<Lookup::joint, kFolded, kQuick>;
  if (lookup == Lookup::per_side) return find_records<Lookup::per_side, kFolded, kQuick>;
  return find_records<Lookup::gather, kFolded, kQuick>;
}

#if HWY_NATIVE_FMA
#include "tables/kernels/quick-inl.h"
#endif

enum class Step6 { linear, quick, cubic };

template <bool kFolded, Step6 kStep>
HWY_INLINE void evaluate_found(const Prepared& p, const float* in, const Found<kStep == Step6::quick>& found,
                               float* out) {
#if HWY_NATIVE_FMA
  if constexpr (kStep == Step6::quick) return evaluate_quick<kFolded>(p, in, found, out);
#endif
  if constexpr (kStep != Step6::quick) evaluate_records<kFolded, kStep == Step6::linear>(p, in, found, out);
}

template <bool kFolded, Step6 kStep>
void evaluate_chunk(const Prepared& p, FindRecords<kFolded, kStep == Step6::quick> find, const float* in,
                    float* out) {
  Found<kStep == Step6::quick> found;
  const bool special = find(p, in, &found);
  if (!special) return evaluate_found<kFolded, kStep>(p, in, found, out);
  const F d;
  alignas(64) float results[kChunk];
  evaluate_found<kFolded, kStep>(p, in, found, results);
  for (std::size_t i = 0; i < kChunk; i += kLanes)
    hn::StoreU(with_specials(p, hn::LoadU(d, in + i), hn::LoadU(d, results + i)), d, out + i);
}

template <bool kFolded, Step6 kStep>
void table_as(const Prepared& p, const float* in, float* out, std::size_t n) {
  const auto find = find_records_for<kFolded, kStep == Step6::quick>(p.lookup);
  std::size_t i = 0;
  for (; i + kChunk <= n; i += kChunk) evaluate_chunk<kFolded, kStep>(p, find, in + i, out + i);
  if (i == n) return;
  alignas(64) float rest[kChunk];
  std::memcpy(rest, in + i, (n - i) * sizeof(float));
  std::fill(rest + (n - i), rest + kChunk, 1.0F);
  evaluate_chunk<kFolded, kStep>(p, find, rest, rest);
  std::memcpy(out + i, rest, (n - i) * sizeof(float));
}

template <Step6 kStep>
void table_by(const Prepared& p, const float* in, float* out, std::size_t n) {
  return p.folds ? table_as<true, kStep>(p, in, out, n) : table_as<false, kStep>(p, in, out, n);
}

void table(const Prepared& p, bool linear, const float* in, float* out, std::size_t n) {
  if (linear) return table_by<Step6::linear>(p, in, out, n);
#if HWY_NATIVE_FMA
  if (!p.quick.empty()) return table_by<Step6::quick>(p, in, out, n);
#endif
  table_by<Step6::cubic>(p, in, out, n);
}
