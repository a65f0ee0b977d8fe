// From a FunctionTable to the form of the kernels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tables/kernels/prepared.h"
#include "tables/kernels/quick.h"

namespace act::kernels {
namespace {

constexpr std::int32_t kMantissaBits = 23, kBias = 127, kInfinityKey = 0x7f800000;
constexpr std::int32_t kShiftBits = 5;

std::int32_t key_of(std::uint32_t exponent, std::uint32_t mantissa) {
  constexpr std::uint64_t kMost = kInfinityKey;  // what is not finite never gets here
  return static_cast<std::int32_t>(std::min((std::uint64_t{exponent} << kMantissaBits) + mantissa, kMost));
}

float value_of(std::int32_t key) { return bits_float(static_cast<std::uint32_t>(key)); }

// A key whose value is at most `magnitude`, and close to it.
std::int32_t key_within(double magnitude) {
  return static_cast<std::int32_t>(float_bits(static_cast<float>(magnitude))) - 1;
}

Row row_of(const Section& s) { return {s.d0, s.d1, s.x, 0, s.d2, s.d3}; }

class Layout {
 public:
  Layout(const FunctionTable& table, Prepared& p) : t_(table), p_(p) {}

  bool run() {
    const std::size_t neg = words_of(t_.neg), pos = words_of(t_.pos);
    p_.lookup = neg + pos <= kPermute                ? Lookup::joint
                : neg <= kPermute && pos <= kPermute ? Lookup::per_side
                                                     : Lookup::gather;
    if (!add_side(t_.neg, 1)) return false;
    if (p_.lookup == Lookup::per_side) p_.words.resize(kPermute);
    if (!add_side(t_.pos, 0)) return false;
    if (p_.words.size() < 2 * kPermute) p_.words.resize(2 * kPermute);
    if (!centred_) p_.quick.clear();
    return true;
  }

 private:
  static std::size_t words_of(const Side& side) { return std::max<std::size_t>(side.octaves.size(), 1); }

  // `centre` is where the quick cubic expands, `reach` how far inputs are from there.
  std::int32_t add_record(const Section& s, float centre, double reach) {
    p_.rows.push_back(row_of(s));
    p_.quick.push_back(quick_row(s, reach));
    centred_ = centred_ && s.x == centre;
    return static_cast<std::int32_t>(p_.rows.size() - 1);
  }

  // Twice: near its centre, if that is among its inputs, the quick cubic may be good for it.
  void add_high_slot(const Section& s, std::size_t which) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    const double x = std::fabs(s.x), least = value_of(p_.high_after[which] + 1);
    double reach = x;
    // An infinity stays one however often it is halved.
    while (reach < kFar && reach > 0x1p-100 && std::isnan(quick_row(s, reach).d0)) reach /= 2;
    const bool own_side = s.x != 0 && (s.x < 0) == (which == 1);
    if (!own_side || x - reach > least) reach = kFar;
    p_.high_centre[which] = static_cast<std::int32_t>(float_bits(s.x));
    p_.high_upto[which] =
        reach == kFar ? kInfinityKey : std::max(key_within(x + reach), p_.high_after[which]);
    p_.high_slot[which] = add_record(s, s.x, reach);
    p_.beyond_slot[which] = add_record(s, s.x, kFar);
  }

  // False when an input between the clamps has no section.
  bool add_side(const Side& side, std::size_t which) {
    p_.high_after[which] = key_of(side.high.sat_point, side.high.mantissa_point) - 1;
    p_.low_upto[which] = key_of(side.low.sat_point, side.low.mantissa_point);
    add_high_slot(side.high.section, which);
    p_.low_slot[which] = add_record(side.low.section, 0, value_of(p_.low_upto[which]));
    const std::int32_t first = p_.low_upto[which] + 1, last = p_.high_after[which];
    const bool negative_local =
        p_.lookup == Lookup::per_side && which == 0;  // its own permute counts from zero
    const auto start = static_cast<std::int32_t>(p_.words.size() - (negative_local ? kPermute : 0));
    if (first > last) {  // clamps meet: any word will do
      p_.least[which] = p_.greatest[which] = 0;
      p_.octave_base[which] = start;
      p_.words.push_back(0);
      return true;
    }
    return add_octaves(side, which, start, first, last);
  }

  bool add_octaves(const Side& side, std::size_t which, std::int32_t start, std::int32_t first,
                   std::int32_t last) {
    if (side.octaves.empty()) return false;
    const std::int32_t lowest = side.octaves.front().exponent + kBias;
    const auto count = static_cast<std::int32_t>(side.octaves.size());
    if ((first >> kMantissaBits) < lowest || (last >> kMantissaBits) >= lowest + count) return false;
    p_.least[which] = first;
    p_.greatest[which] = last;
    p_.octave_base[which] = start - lowest;
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t begin = (lowest + i) << kMantissaBits, end = begin + ((1 << kMantissaBits) - 1);
      if (!add_octave(side.octaves[static_cast<std::size_t>(i)], begin, std::min(end, last),
                      std::max(begin, first), which == 1))
        return false;
    }
    return true;
  }

  // `begin` is the key of the octave's first input; [from, to] are those that reach it.
  bool add_octave(const Octave& octave, std::int32_t begin, std::int32_t to, std::int32_t from,
                  bool negative) {
    const std::int32_t shift = kMantissaBits - static_cast<std::int32_t>(octave.extract_size);
    if (from <= to && static_cast<std::size_t>((to - begin) >> shift) >= octave.sections.size()) return false;
    const auto base = static_cast<std::int32_t>(p_.rows.size()) - (begin >> shift);
    p_.words.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(base) << kShiftBits) | shift);
    std::int32_t key = begin;
    centred_ = centred_ && shift > 0;
    for (const Section& s : octave.sections) {
      const std::int32_t width = std::int32_t{1} << shift, centre = key + width / 2 - 1;
      const double reach =
          std::max(value_of(centre) - value_of(key), value_of(key + width - 1) - value_of(centre));
      add_record(s, negative ? -value_of(centre) : value_of(centre), reach);
      key += width;
    }
    return true;
  }

  const FunctionTable& t_;
  Prepared& p_;
  bool centred_ = true;  // all sections expand where G-1 of 02 section 17 puts them, the low slots at zero
};

bool linear_section(const Section& s, bool negative) {
  const bool own_side = s.x == 0 || (s.x < 0) == negative;  // so that input - x does not overflow
  return float_bits(s.d2) == 0 && float_bits(s.d3) == 0 && own_side;
}

}  // namespace

bool is_linear(const FunctionTable& table) {
  for (const bool negative : {false, true}) {
    const Side& side = table.side(negative);
    if (!linear_section(side.low.section, negative) || !linear_section(side.high.section, negative))
      return false;
    for (const Octave& o : side.octaves)
      for (const Section& s : o.sections)
        if (!linear_section(s, negative)) return false;
  }
  return true;
}

bool lay_out(const FunctionTable& table, const EvalPolicy& policy, Prepared& p) {
  p.folds = table.symmetry.enabled;
  p.to_negative = table.symmetry.use_neg_region;
  p.recon_positive = policy.recon == ReconPolicy::folded && p.to_negative;
  p.invert_sign = table.symmetry.invert_sign;
  p.point = table.symmetry.point;
  p.zero = table.specials.zero;
  p.nan = policy.nan == NanPolicy::nan_result ? table.specials.nan : bits_float(kQuietNanBits);
  p.pinf = table.specials.pinf;
  p.ninf = table.specials.ninf;
  for (const std::size_t which : {0u, 1u}) {
    const Section& s = table.side(which == 1).high.section;
    p.direct[which] = row_of(s);
  }
  return Layout(table, p).run();
}

}  // namespace act::kernels
