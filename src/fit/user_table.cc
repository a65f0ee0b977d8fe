#include "act/fit/user_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "act/fit/frame.h"
#include "act/fit/taylor.h"
#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "fit/allocate.h"
#include "fit/model.h"
#include "fit/section_fit.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
// Without a tolerance a clamp is good enough below this many ULP.
constexpr double kClampUlps = 0.75;
// The low clamp may start here at the latest, and here at the earliest.
constexpr int kHighestLow = -1, kLowestLow = -100;
// A high clamp starts at 0.5 at the earliest; it is looked for in steps of an eighth of an octave.
constexpr std::uint32_t kEarliestClamp = 0x3f000000, kClampStep = 1U << 20;
// Samples of a section when octaves are compared, and when the finished table is judged.
constexpr int kDraftSamples = 17, kFinalSamples = 257;
constexpr std::size_t kClampSlots = 4;

// One side of the domain as magnitudes.
struct SideGoal {
  bool stored = false;
  bool from_zero = false;         // the domain reaches down to 0
  std::uint32_t first = 0;        // magnitude pattern of the input nearest to 0
  std::uint32_t end = 0;          // one past the farthest
  std::uint32_t threshold = 0;    // first magnitude that takes the high slot
  Section low, high;
};

struct OpenOctave {
  bool negative = false;
  int exponent = 0;
  std::uint32_t last_mantissa = 0x7fffff;
  std::uint32_t base() const { return static_cast<std::uint32_t>(exponent + 127) << 23 | (negative ? kSign : 0); }
  std::uint32_t last() const { return base() | last_mantissa; }
};

class GoalFitter {
 public:
  GoalFitter(const FunctionInfo& function, int budget, const TableGoal& goal, Method method)
      : f_(function), budget_(budget), goal_(goal), method_(method), model_(function) {
    if (!goal_.tolerance && !goal_.sections) {
      goal_.metric = Metric::ulp;
      goal_.tolerance = budget;
    }
    model_.set_metric(goal_.metric);
  }

  Result<GoalTable> run(IdSpace ids) {
    frame_sides();
    open_octaves();
    const std::size_t most = std::min<std::size_t>(goal_.sections.value_or(kMaxBuckets), kMaxBuckets - kClampSlots);
    if (octaves_.size() > most) return refuse(fmt::format("{} octaves", octaves_.size()), INFINITY);
    if (octaves_.size() > kMaxControls) return refuse(fmt::format("{} octaves", octaves_.size()), INFINITY);
    if (goal_.tolerance) {
      if (auto status = meet_tolerance(most); !status) return std::move(status).error();
    } else {
      minimise(most);
    }
    GoalTable out{build(ids), 0};
    out.error = *std::max_element(errors_.begin(), errors_.end());
    return out;
  }

 private:
  // Error of a value in the metric; a value that is f rounded has none where f leaves binary32.
  double error_at(float y, double f) const {
    const auto nearest = static_cast<float>(f);
    if (std::isinf(nearest) || std::isnan(nearest) || !std::isfinite(y)) return y == nearest ? 0 : INFINITY;
    return std::fabs(static_cast<double>(y) - f) / metric_unit(goal_.metric, f);
  }
  double exact(std::uint32_t bits) const { return exact_value(f_, bits_float(bits)).hi; }
  bool clamp_holds(const Section& slot, std::uint32_t bits) const {
    const double f = exact(bits);
    const float y = evaluate_cubic(slot, bits_float(bits));
    if (goal_.tolerance) return error_at(y, f) <= *goal_.tolerance;
    const auto nearest = static_cast<float>(f);
    if (std::isinf(nearest)) return y == nearest;
    return std::fabs(static_cast<double>(y) - f) <= kClampUlps * ulp_of(nearest);
  }

  static void take_range(SideGoal& side, float nearest, float farthest) {
    side.stored = true;
    side.from_zero = nearest == 0;
    side.first = float_bits(nearest);
    side.end = float_bits(farthest) + 1;
  }

  void frame_sides() {
    const Interval d = goal_.domain.value_or(Interval{f_.lower_bound, f_.upper_bound});
    const float near = d.lowest > 0 ? d.lowest : d.highest < 0 ? -d.highest : 0;
    if (f_.symmetry.enabled) {
      take_range(side(f_.symmetry.use_neg_region), near, std::max(std::fabs(d.lowest), std::fabs(d.highest)));
    } else {
      if (d.highest > 0) take_range(pos_, std::max(d.lowest, 0.0F), d.highest);
      if (d.lowest < 0) take_range(neg_, std::max(-d.highest, 0.0F), -d.lowest);
    }
    for (const bool negative : {true, false})
      if (side(negative).stored) high_clamp(negative);
    lowest_ = 1000;
    for (const bool negative : {true, false})
      if (side(negative).stored) lowest_ = std::min(lowest_, lowest_octave(negative));
    for (const bool negative : {true, false}) low_clamp(negative);
  }

  SideGoal& side(bool negative) { return negative ? neg_ : pos_; }
  static std::uint32_t sign(bool negative) { return negative ? kSign : 0; }

  // The function's own clamp where it is good enough, else the value of the edge beyond the domain.
  void high_clamp(bool negative) {
    SideGoal& s = side(negative);
    const Clamp& rule = negative ? f_.high_neg : f_.high_pos;
    const std::uint32_t last = s.end - 1;
    if (rule.rule != ClampRule::edge && rule.rule != ClampRule::none && rule.rule != ClampRule::carry_on) {
      s.high = clamp_section(f_, rule, negative, 0);
      if (clamp_holds(s.high, last | sign(negative))) {
        s.threshold = clamp_start(negative, s, last);
        return;
      }
    }
    s.threshold = s.end;
    s.high = {correctly_rounded(f_, bits_float(last | sign(negative))), 0, 0, 0, 0};
  }

  // First magnitude from which on the high slot holds: it may hold again near a root, so the search comes from above.
  std::uint32_t clamp_start(bool negative, const SideGoal& s, std::uint32_t last) const {
    const std::uint32_t stop = std::min(std::max(s.first, kEarliestClamp), last);
    std::uint32_t low = last, high = last;
    while (low > stop && clamp_holds(s.high, low | sign(negative))) {
      high = low;
      low = std::max(stop, low - std::min(low, kClampStep));
    }
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (clamp_holds(s.high, middle | sign(negative))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  int lowest_octave(bool negative) {
    const SideGoal& s = side(negative);
    const int top = static_cast<int>((s.threshold - 1) >> 23) - 127;
    if (!s.from_zero) return static_cast<int>(s.first >> 23) - 127;
    const Clamp& rule = negative ? f_.low_neg : f_.low_pos;
    if (rule.rule != ClampRule::taylor && rule.rule != ClampRule::identity && rule.rule != ClampRule::constant)
      return std::min((negative ? f_.neg : f_.pos).lowest, top);
    const Section slot = clamp_section(f_, rule, negative, 0);
    for (int e = std::min(top, kHighestLow); e > kLowestLow; --e) {
      const std::uint32_t edge = static_cast<std::uint32_t>(e + 127) << 23;
      bool holds = true;
      for (std::uint32_t step = 0; holds && step < 24; ++step)
        holds = clamp_holds(slot, (edge - (step << 21)) | sign(negative));
      if (holds) return e;
    }
    return kLowestLow;
  }

  void low_clamp(bool negative) {
    SideGoal& s = side(negative);
    const Clamp& rule = negative ? f_.low_neg : f_.low_pos;
    if (!s.stored) {
      // Inputs of a side outside the domain take the high slot: the function's NaN, or the value of the nearest edge.
      if (f_.symmetry.enabled) return;
      const bool undefined = rule.rule == ClampRule::constant && std::isnan(bits_float(rule.bits));
      const SideGoal& other = side(!negative);
      const std::uint32_t nearest = other.from_zero ? 0 : other.first | sign(!negative);
      s.high.d0 = s.low.d0 = undefined ? bits_float(rule.bits) : correctly_rounded(f_, bits_float(nearest));
      return;
    }
    const float edge = bits_float(static_cast<std::uint32_t>(lowest_ + 127) << 23);
    if (s.from_zero) {
      s.low = clamp_section(f_, rule, negative, edge);
    } else {
      s.low = {correctly_rounded(f_, negative ? -edge : edge), 0, 0, 0, 0};
    }
  }

  void open_octaves() {
    for (const bool negative : {true, false}) {
      const SideGoal& s = side(negative);
      if (!s.stored) continue;
      const int top = static_cast<int>((s.threshold - 1) >> 23) - 127;
      for (int e = lowest_; e <= top; ++e) {
        OpenOctave o{negative, e};
        if (e == top) o.last_mantissa = (s.threshold - 1) & 0x7fffff;
        octaves_.push_back(o);
      }
    }
    sizes_.assign(octaves_.size(), 0);
    errors_.assign(octaves_.size(), 0);
  }

  Section fit(const OpenOctave& o, int size, std::uint32_t index, const Effort& effort) {
    const auto extract = static_cast<std::uint32_t>(size);
    if (method_ == Method::taylor) return taylor_section(f_, o.negative, o.exponent, extract, index);
    const std::uint32_t first = o.base() + (index << (23 - extract));
    const std::uint32_t last = std::min(first + (1U << (23 - extract)) - 1, o.last());
    ValueRange range;
    range.lowest = static_cast<float>(f_.lowest_value);
    range.highest = static_cast<float>(f_.highest_value);
    return fit_section(model_, first, last, effort, range).section;
  }

  double judge(const Section& section, std::uint32_t first, std::uint32_t last, int samples) {
    double worst = 0;
    for (int i = 0; i < samples; ++i) {
      const std::uint64_t part = std::uint64_t{last - first} * static_cast<std::uint64_t>(i);
      const std::uint32_t bits = first + static_cast<std::uint32_t>(part / static_cast<std::uint64_t>(samples - 1));
      worst = std::max(worst, error_at(evaluate_cubic(section, bits_float(bits)), model_(bits)));
    }
    return worst;
  }

  // Worst error of an octave at a size; the sections are kept when `keep` is given.
  double octave_error(const OpenOctave& o, int size, const Effort& effort, int samples, std::vector<Section>* keep) {
    double worst = 0;
    for (std::uint32_t i = 0; i <= o.last_mantissa >> (23 - size); ++i) {
      const std::uint32_t first = o.base() + (i << (23 - size));
      const std::uint32_t last = std::min(first + (1U << (23 - size)) - 1, o.last());
      const Section section = fit(o, size, i, effort);
      worst = std::max(worst, judge(section, first, last, samples));
      if (keep != nullptr) keep->push_back(section);
    }
    return worst;
  }

  void finish(std::size_t i) {
    sections_[i].clear();
    errors_[i] = octave_error(octaves_[i], sizes_[i], kFinal, kFinalSamples, &sections_[i]);
  }

  std::size_t used() const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < octaves_.size(); ++i)
      n += (octaves_[i].last_mantissa >> (23 - sizes_[i])) + 1;
    return n;
  }

  Diagnostics refuse(std::string value, double achievable) const {
    Diagnostic d = make_error(Code::out_of_reach, fmt::format("the goal of {} cannot be met", budgeted_name(f_.name, static_cast<std::uint32_t>(budget_))));
    d.field = "functions";
    d.value = std::move(value);
    if (std::isfinite(achievable))
      d.allowed = fmt::format("an error of {:.3g} {} or more", achievable, metric_name(goal_.metric));
    return {d};
  }

  Status meet_tolerance(std::size_t most) {
    sections_.assign(octaves_.size(), {});
    for (std::size_t i = 0; i < octaves_.size(); ++i) {
      double best = INFINITY;
      // The draft finds the size, the finished fit confirms it.
      for (sizes_[i] = 0; sizes_[i] <= kMaxExtractSize; ++sizes_[i]) {
        const double draft = octave_error(octaves_[i], sizes_[i], kDraft, kDraftSamples, nullptr);
        best = std::min(best, draft);
        if (draft > *goal_.tolerance) continue;
        finish(i);
        if (errors_[i] <= *goal_.tolerance) break;
      }
      if (sizes_[i] > kMaxExtractSize)
        return refuse(fmt::format("tolerance {} {} at inputs of exponent {}", *goal_.tolerance,
                                  metric_name(goal_.metric), octaves_[i].exponent), best);
    }
    if (used() <= most) return Done{};
    const std::size_t needed = used();
    minimise(most);
    return refuse(fmt::format("tolerance {} {} takes {} sections, {} are allowed", *goal_.tolerance,
                              metric_name(goal_.metric), needed, most),
                  *std::max_element(errors_.begin(), errors_.end()));
  }

  void minimise(std::size_t most) {
    std::vector<OctaveDemand> demands;
    for (const OpenOctave& o : octaves_) demands.push_back({false, o.last_mantissa});
    Allocator allocator(std::move(demands), static_cast<int>(most), 0, [this](std::size_t i, int size) {
      return octave_error(octaves_[i], size, kDraft, kDraftSamples, nullptr);
    });
    allocator.settle();
    allocator.spend();
    sections_.assign(octaves_.size(), {});
    for (std::size_t i = 0; i < octaves_.size(); ++i) {
      sizes_[i] = allocator.size(i);
      finish(i);
    }
  }

  FunctionTable build(IdSpace ids) {
    FunctionTable table = table_frame(f_, budget_, ids);
    if (goal_.func_id) table.func_id = static_cast<std::uint32_t>(*goal_.func_id);
    if (goal_.domain) bound(table, *goal_.domain);
    table.exponent_offset = lowest_;
    for (std::size_t i = 0; i < octaves_.size(); ++i)
      table.side(octaves_[i].negative)
          .octaves.push_back({octaves_[i].exponent, static_cast<std::uint32_t>(sizes_[i]), std::move(sections_[i])});
    for (const bool negative : {true, false}) {
      const SideGoal& s = side(negative);
      Side& out = table.side(negative);
      out.low.section = s.low;
      out.high.section = s.high;
      if (!s.stored) continue;
      out.low.sat_point = static_cast<std::uint32_t>(lowest_ + 127);
      out.high.sat_point = s.threshold >> 23;
      out.high.mantissa_point = s.threshold & 0x7fffff;
    }
    return table;
  }

  // Bounds of the folded input, as table_frame() stores them.
  void bound(FunctionTable& table, const Interval& domain) const {
    const float farthest = std::max(std::fabs(domain.lowest), std::fabs(domain.highest));
    const bool folded = f_.symmetry.enabled, onto_negative = f_.symmetry.use_neg_region;
    table.lower_bound = !folded ? domain.lowest : onto_negative ? -farthest : 0;
    table.upper_bound = !folded ? domain.highest : onto_negative ? 0 : farthest;
  }

  const FunctionInfo& f_;
  int budget_;
  TableGoal goal_;
  Method method_;
  Model model_;
  SideGoal neg_, pos_;
  int lowest_ = 0;
  std::vector<OpenOctave> octaves_;
  std::vector<int> sizes_;
  std::vector<double> errors_;
  std::vector<std::vector<Section>> sections_;
};

}  // namespace

Result<GoalTable> fit_goal(const FunctionInfo& function, int budget, const TableGoal& goal, Method method, IdSpace ids) {
  return GoalFitter(function, budget, goal, method).run(ids);
}

}  // namespace act::fit
