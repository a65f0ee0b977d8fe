#include "act/fit/minimax.h"

#include <algorithm>
#include <string>
#include <vector>

#include "act/fit/frame.h"
#include "fit/allocate.h"
#include "fit/minimax_frame.h"
#include "fit/section_fit.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000, kMantissa = 0x7fffff;

// Inputs of one octave that reach its sections.
struct OctaveInputs {
  bool negative = false;
  int exponent = 0;
  std::uint32_t last_mantissa = kMantissa;

  std::uint32_t base() const {
    return (static_cast<std::uint32_t>(exponent + 127) << 23) | (negative ? kSignBit : 0);
  }
  std::uint32_t first(int size, int section) const {
    return base() + (static_cast<std::uint32_t>(section) << (23 - size));
  }
  std::uint32_t last(int size, int section) const {
    return std::min(first(size, section) + (1U << (23 - size)) - 1, base() + last_mantissa);
  }
};

class Builder {
 public:
  Builder(const FunctionInfo& function, const MinimaxOptions& options)
      : f_(function), options_(options), model_(function), frame_(minimax_frame(function, model_)) {}

  Result<MinimaxTable> run() {
    collect(true);
    collect(false);
    std::vector<OctaveDemand> demands;
    for (const OctaveInputs& o : octaves_) {
      const OctaveRange& inner = frame_.inner;
      demands.push_back(
          {inner.count > 0 && (o.exponent < inner.lowest || o.exponent >= inner.lowest + inner.count),
           o.last_mantissa});
    }
    Allocator a(std::move(demands), options_.sections, options_.budget,
                [this](std::size_t i, int size) { return octave_error(i, size); });
    if (!a.settle()) return too_few(a.used());
    MinimaxTable out;
    out.report.inner_ulp = a.worst(false);
    out.report.outer_ulp = a.worst(true);
    // Half of what is left carries a tail on below the normal range, the other half goes where it is felt
    // more; what then fits nowhere else goes to the tail after all.
    extend_tails(a, a.left() / 2);
    a.spend();
    extend_tails(a, a.left());
    out.report.sections = a.used();
    out.report.inner = frame_.inner;
    assemble(a, out.table);
    return out;
  }

 private:
  Diagnostic too_few(int needed) const {
    Diagnostic d =
        make_error(Code::out_of_reach,
                   "a section for every octave, and the tolerance of the outer ones, need more sections");
    d.field = "sections";
    d.value = std::to_string(options_.sections);
    d.allowed = std::to_string(needed) + " or more";
    return d;
  }

  void collect(bool negative) {
    const SideFrame& s = frame_.side(negative);
    for (int e = s.range.lowest; e < s.range.lowest + s.range.count; ++e) {
      OctaveInputs o{negative, e};
      const std::uint32_t base = o.base() & ~kSignBit;
      if (s.threshold <= base) {
        empty_.push_back(o);
        continue;
      }
      o.last_mantissa = std::min(s.threshold - 1 - base, kMantissa);
      octaves_.push_back(o);
    }
  }

  // A tail clamped to zero goes on as far as sections are left (G-10).
  void extend_tails(Allocator& a, int sections) {
    for (std::size_t i = 0; i < octaves_.size(); ++i) extend_tail(a, i, sections);
  }

  void extend_tail(Allocator& a, std::size_t i, int more) {
    OctaveInputs& o = octaves_[i];
    SideFrame& s = frame_.side(o.negative);
    const std::uint32_t base = o.base() & ~kSignBit;
    if (s.threshold == s.tail_end || s.threshold - 1 - base != o.last_mantissa) return;
    const int lsb = 23 - a.size(i);
    const auto sections = static_cast<std::uint32_t>(a.octave(i).sections(a.size(i)) + more);
    // One input short of a full section, so that the threshold's own section is the last one.
    const std::uint64_t reach = (std::uint64_t{sections} << lsb) - 2;
    o.last_mantissa = static_cast<std::uint32_t>(std::max<std::uint64_t>(
        o.last_mantissa, std::min<std::uint64_t>({reach, s.tail_end - 1 - base, kMantissa})));
    s.threshold = base + o.last_mantissa + 1;
    a.extend(i, o.last_mantissa);
  }

  ValueRange range() const {
    ValueRange r;
    r.lowest = static_cast<float>(f_.lowest_value);
    r.highest = static_cast<float>(f_.highest_value);
    return r;
  }

  double octave_error(std::size_t i, int size) {
    const OctaveInputs& o = octaves_[i];
    const int count = static_cast<int>(o.last_mantissa >> (23 - size)) + 1;
    double worst = 0;
    for (int k = 0; k < count; ++k) {
      worst = std::max(worst, fit_section(model_, o.first(size, k), o.last(size, k), kDraft).error);
    }
    return worst;
  }

  void assemble(const Allocator& a, FunctionTable& t) {
    t = table_frame(f_, options_.budget, options_.ids);
    t.exponent_offset = f_.neg.count > 0 ? frame_.neg.range.lowest : frame_.pos.range.lowest;
    for (std::size_t i = 0; i < octaves_.size(); ++i) {
      const OctaveInputs& o = octaves_[i];
      Octave octave;
      octave.exponent = o.exponent;
      octave.extract_size = static_cast<std::uint32_t>(a.size(i));
      const int count = static_cast<int>(o.last_mantissa >> (23 - a.size(i))) + 1;
      for (int k = 0; k < count; ++k) {
        octave.sections.push_back(
            fit_section(model_, o.first(a.size(i), k), o.last(a.size(i), k), kFinal, range()).section);
      }
      t.side(o.negative).octaves.push_back(std::move(octave));
    }
    for (const OctaveInputs& o : empty_) {
      Octave octave;
      octave.exponent = o.exponent;
      t.side(o.negative).octaves.push_back(octave);
    }
    for (const bool negative : {true, false}) {
      const SideFrame& s = frame_.side(negative);
      Side& side = t.side(negative);
      side.low.section = s.low;
      side.high.section = s.high;
      if (s.range.count == 0) continue;
      side.low.sat_point = static_cast<std::uint32_t>(s.range.lowest + 127);
      side.high.sat_point = s.threshold >> 23;
      side.high.mantissa_point = s.threshold & kMantissa;
    }
  }

  const FunctionInfo& f_;
  MinimaxOptions options_;
  Model model_;
  Frame frame_;
  std::vector<OctaveInputs> octaves_, empty_;
};

}  // namespace

Result<MinimaxTable> fit_minimax(const FunctionInfo& function, const MinimaxOptions& options) {
  if (!function.has_table()) {
    Diagnostic d = make_error(Code::bad_value, "a resident has no sections to fit");
    d.value = function.name;
    return d;
  }
  MinimaxOptions o = options;
  if (o.budget == 0) o.budget = function.budgets[0].budget;
  for (const FunctionBudget& b : function.budgets) {
    if (o.sections == 0 && b.budget == o.budget) o.sections = b.lut_size;
  }
  return Builder(function, o).run();
}

}  // namespace act::fit
