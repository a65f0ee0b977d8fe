#include "act/fit/user_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "act/fit/certificate.h"
#include "act/fit/frame.h"
#include "act/fit/taylor.h"
#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "fit/allocate.h"
#include "fit/goal_error.h"
#include "fit/goal_frame.h"
#include "fit/model.h"
#include "fit/section_fit.h"

namespace act::fit {
namespace {

// Samples of a section when octaves are compared, and when a fit is looked at before every input is.
constexpr int kDraftSamples = 17, kFinalSamples = 257;
constexpr std::size_t kClampSlots = 4;
// A draft within this much of the tolerance is worth the careful fit.
constexpr double kWorthFitting = 1.5;
// Two sizes in a row that gain less than this leave rounding, once the error is down to so many ULP.
constexpr double kGain = 0.98, kNoise = 8;

// What is known of one octave while a tolerance is sought.
struct OctaveFit {
  std::array<double, kMaxExtractSize + 1> drafts{};
  int drafted = 0;  // sizes with a draft
  int size = -1;    // in use
  std::vector<Section> sections;
  bool exhausted = false;  // no size is left; the best one is in use
  int best_size = -1;
  double best_error = INFINITY;
  std::vector<Section> best;

  void remember(double error) {
    if (error >= best_error) return;
    best_size = size;
    best_error = error;
    best = sections;
  }
};

// Three digits, not below the value: the error that is named must be one that can be reached.
std::string rounded_up(double value) {
  for (double factor = 1;; factor += 0.001) {
    std::string text = fmt::format("{:.3g}", value * factor);
    if (!(std::strtod(text.c_str(), nullptr) < value)) return text;
  }
}

class GoalFitter {
 public:
  GoalFitter(const FunctionInfo& function, int budget, const TableGoal& goal, Method method, IdSpace ids)
      : f_(function), budget_(budget), goal_(with_default(goal, budget)), method_(method), ids_(ids), model_(function),
        domain_(certified_domain(function, goal_)), frame_(function, goal_, domain_),
        meter_(function, domain_, goal_.metric, goal_.tolerance.value_or(INFINITY)),
        most_(std::min<std::size_t>(goal_.sections.value_or(kMaxBuckets), kMaxBuckets - kClampSlots)) {
    model_.set_metric(goal_.metric);
  }

  Result<GoalTable> run() { return goal_.tolerance ? meet_tolerance() : minimise(); }

 private:
  static TableGoal with_default(TableGoal goal, int budget) {
    if (goal.tolerance || goal.sections) return goal;
    goal.metric = Metric::ulp;
    goal.tolerance = budget;
    return goal;
  }

  // --- sections of one octave

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
      worst = std::max(worst, frame_.error_at(evaluate_cubic(section, bits_float(bits)), model_(bits)));
    }
    return worst;
  }

  // Worst sampled error of an octave at a size; the sections are kept when `keep` is given.
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

  double draft(const OpenOctave& o, int size) {
    OctaveFit& known = fits_[o];
    while (known.drafted <= size) {
      known.drafts[static_cast<std::size_t>(known.drafted)] =
          octave_error(o, known.drafted, kDraft, kDraftSamples, nullptr);
      ++known.drafted;
    }
    return known.drafts[static_cast<std::size_t>(size)];
  }

  double finish(const OpenOctave& o, OctaveFit& known, int size) {
    known.size = size;
    known.sections.clear();
    return octave_error(o, size, kFinal, kFinalSamples, &known.sections);
  }

  // Errors up to here are mostly rounding.
  double noise(const OpenOctave& o) {
    double most = 0;
    for (const std::uint32_t bits : {o.base(), o.last()}) {
      const double f = model_(bits);
      most = std::max(most, kNoise * ulp_of(static_cast<float>(f)) / metric_unit(goal_.metric, f));
    }
    return most;
  }

  // Whether sizes above this one gain nothing, by the drafts up to it alone.
  bool levels_off(const OpenOctave& o, int size) {
    double best = INFINITY;
    int still = 0;
    for (int s = 0; s <= size; ++s) {
      if (const double d = draft(o, s); d < kGain * best) {
        best = d;
        still = 0;
      } else if (++still == 2 && best <= noise(o)) {
        return true;
      }
    }
    return false;
  }

  // The next size that samples find within the tolerance; the best one when there is none.
  void advance(const OpenOctave& o) {
    OctaveFit& known = fits_[o];
    int least_draft = 0;
    for (int size = known.size + 1; size <= kMaxExtractSize && (size == 0 || !levels_off(o, size - 1)); ++size) {
      if (draft(o, size) > kWorthFitting * *goal_.tolerance) continue;
      const double sampled = finish(o, known, size);
      if (sampled <= *goal_.tolerance) return;
      known.remember(sampled);
    }
    known.exhausted = true;
    if (known.best_size < 0) {
      for (int size = 1; size < known.drafted; ++size)
        if (draft(o, size) < draft(o, least_draft)) least_draft = size;
      known.remember(finish(o, known, least_draft));
    }
    known.size = known.best_size;
    known.sections = known.best;
  }

  // --- a tolerance

  Result<GoalTable> meet_tolerance() {
    while (true) {
      open_octaves();
      // Too many to be stored: what can be reached is what the capacity can do.
      if (octaves_.size() > kMaxControls || octaves_.size() > kMaxBuckets - kClampSlots) break;
      for (const OpenOctave& o : octaves_)
        if (fits_[o].size < 0) advance(o);
      GoalTable out = measured();
      if (out.error <= *goal_.tolerance) {
        if (out.table.lut_size() <= most_) return out;
        return share_sections(fmt::format("takes {} sections, {} are allowed", out.table.lut_size(), most_));
      }
      if (!improve())
        return refuse(fmt::format("{} at the input {:.9g}", wish(), static_cast<double>(meter_.worst().input)), out.error);
    }
    return share_sections(fmt::format("takes {} octaves, {} are allowed", octaves_.size(), kMaxControls));
  }

  // Moves on wherever the measured table misses the tolerance. False when nothing is left to move.
  bool improve() {
    bool moved = false;
    for (const OpenOctave& o : octaves_) {
      const double error = section_error(o);
      OctaveFit& known = fits_[o];
      if (error <= *goal_.tolerance || known.exhausted) continue;
      known.remember(error);
      advance(o);
      meter_.forget(o.exponent);
      moved = true;
    }
    moved = lower_low_clamp() || moved;
    for (const bool negative : {true, false}) moved = raise_high_clamp(negative) || moved;
    return moved;
  }

  // Of both signs where a fold serves both by the one octave.
  double section_error(const OpenOctave& o) const {
    const double own = meter_.octave(o.negative, o.exponent).section.error;
    return f_.symmetry.enabled ? std::max(own, meter_.octave(!o.negative, o.exponent).section.error) : own;
  }

  bool lower_low_clamp() {
    std::uint32_t nearest = 0;
    for (const bool negative : {true, false})
      for (int e = -127; e <= frame_.lowest(); ++e)
        if (const std::uint32_t n = meter_.octave(negative, e).nearest_low; n != 0)
          nearest = nearest == 0 ? n : std::min(nearest, n);
    if (nearest == 0) return false;
    // The end itself takes the clamp.
    const int exponent = static_cast<int>((nearest - 1) >> 23) - 127;
    if (exponent >= frame_.lowest() || !frame_.can_lower(exponent)) return false;
    meter_.forget_up_to(frame_.lowest());
    frame_.set_lowest(exponent);
    return true;
  }

  bool raise_high_clamp(bool negative) {
    const SideGoal& s = frame_.side(negative);
    if (!s.stored) return false;
    std::uint32_t farthest = 0;
    for (int e = -127; e <= 127; ++e) {
      farthest = std::max(farthest, meter_.octave(negative, e).farthest_high);
      if (f_.symmetry.enabled) farthest = std::max(farthest, meter_.octave(!negative, e).farthest_high);
    }
    if (farthest == 0 || farthest + 1 <= s.threshold) return false;
    meter_.forget_from(static_cast<int>((s.threshold - 1) >> 23) - 127);
    frame_.set_threshold(negative, farthest + 1);
    return true;
  }

  // The fewest sections for the tolerance are too many; shared out anew, for the smallest worst error, they may still do.
  Result<GoalTable> share_sections(std::string problem) {
    auto out = minimise();
    if (!out || out->error <= *goal_.tolerance) return out;
    return refuse(fmt::format("{} {}", wish(), problem), out->error);
  }

  // --- a number of sections

  Result<GoalTable> minimise() {
    const int first = frame_.lowest();
    if (octave_count(first) > std::min(most_, kMaxControls)) coarsen();
    if (octave_count(frame_.lowest()) > most_) return too_few_sections();
    int best = frame_.lowest();
    double best_error = INFINITY;
    for (int lowest = best; lowest <= frame_.highest_lowest(); ++lowest) {
      const double clamp = lowest == first ? 0 : frame_.low_error(lowest);
      if (clamp >= best_error) break;
      frame_.set_lowest(lowest);
      open_octaves();
      Allocator allocator = allocate();
      const double error = std::max(clamp, allocator.worst(false));
      if (error >= kGain * best_error) continue;
      best = lowest;
      best_error = error;
    }
    frame_.set_lowest(best);
    open_octaves();
    Allocator allocator = allocate();
    allocator.spend();
    for (std::size_t i = 0; i < octaves_.size(); ++i) finish(octaves_[i], fits_[octaves_[i]], allocator.size(i));
    meter_.forget_up_to(127);
    return measured();
  }

  Allocator allocate() {
    std::vector<OctaveDemand> demands;
    for (const OpenOctave& o : octaves_) demands.push_back({false, o.last_mantissa});
    Allocator allocator(std::move(demands), static_cast<int>(most_), 0,
                        [this](std::size_t i, int size) { return draft(octaves_[i], size); });
    allocator.settle();
    return allocator;
  }

  std::size_t octave_count(int lowest) const {
    std::size_t n = 0;
    for (const bool negative : {true, false})
      if (frame_.side(negative).stored)
        n += static_cast<std::size_t>(static_cast<int>((frame_.side(negative).threshold - 1) >> 23) - 127 - lowest + 1);
    return n;
  }

  // A low clamp that reaches farther than it is good, until every octave has a section.
  void coarsen() {
    int lowest = frame_.lowest();
    while (octave_count(lowest) > std::min(most_, kMaxControls) && lowest < frame_.highest_lowest()) ++lowest;
    frame_.set_lowest(lowest);
  }

  Result<GoalTable> too_few_sections() {
    const std::size_t wanted = most_;
    most_ = octave_count(frame_.lowest());
    auto out = minimise();
    if (!out) return out;
    Diagnostics refused = refuse(fmt::format("{} sections", wanted), INFINITY);
    refused[0].allowed = fmt::format("{} sections or more; these many reach an error of {} {}", most_,
                                     rounded_up(out->error), metric_name(goal_.metric));
    return refused;
  }

  // --- the table

  void open_octaves() { octaves_ = frame_.octaves(); }

  GoalTable measured() {
    GoalTable out{build(), 0};
    meter_.measure(out.table);
    out.error = meter_.worst().error;
    return out;
  }

  std::string wish() const { return fmt::format("tolerance {} {}", *goal_.tolerance, metric_name(goal_.metric)); }

  Diagnostics refuse(std::string value, double achievable) const {
    Diagnostic d = make_error(Code::out_of_reach, fmt::format("the goal of {} cannot be met", budgeted_name(f_.name, static_cast<std::uint32_t>(budget_))));
    d.field = "functions";
    d.value = std::move(value);
    if (std::isfinite(achievable)) {
      d.allowed = fmt::format("an error of {} {} or more", rounded_up(achievable), metric_name(goal_.metric));
    } else {
      d.allowed = "a domain without this input: the table has no number near the value there";
    }
    return {d};
  }

  FunctionTable build() {
    FunctionTable table = table_frame(f_, budget_, ids_);
    if (goal_.func_id) table.func_id = static_cast<std::uint32_t>(*goal_.func_id);
    if (goal_.domain) bound(table, *goal_.domain);
    table.exponent_offset = frame_.lowest();
    for (const OpenOctave& o : octaves_) {
      const OctaveFit& known = fits_[o];
      table.side(o.negative).octaves.push_back({o.exponent, static_cast<std::uint32_t>(known.size), known.sections});
    }
    for (const bool negative : {true, false}) {
      const SideGoal& s = frame_.side(negative);
      Side& out = table.side(negative);
      out.low.section = s.low;
      out.high.section = s.high;
      if (!s.stored) continue;
      out.low.sat_point = static_cast<std::uint32_t>(frame_.lowest() + 127);
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
  IdSpace ids_;
  Model model_;
  ErrorDomain domain_;
  GoalFrame frame_;
  GoalMeter meter_;
  std::size_t most_;  // sections of both sides
  std::vector<OpenOctave> octaves_;
  std::map<OpenOctave, OctaveFit> fits_;
};

}  // namespace

Result<GoalTable> fit_goal(const FunctionInfo& function, int budget, const TableGoal& goal, Method method, IdSpace ids) {
  return GoalFitter(function, budget, goal, method, ids).run();
}

}  // namespace act::fit
