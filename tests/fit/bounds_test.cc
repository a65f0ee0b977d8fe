// What no table of the shipped memory can beat: the figures of docs/accuracy.md, section "Bounds".
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "fit/committed.h"
#include "fit/minimax_frame.h"
#include "fit/section_fit.h"

namespace act::fit {
namespace {

using testing_support::committed;

// Minimax errors of the real cubics of an octave, by extract size.
class OctaveBound {
 public:
  OctaveBound(Model& model, bool negative, int exponent, std::uint32_t last_mantissa)
      : model_(&model),
        base_(static_cast<std::uint32_t>(exponent + 127) << 23 | (negative ? 0x80000000 : 0)),
        last_(last_mantissa) {}

  int sections(int size) const { return static_cast<int>(last_ >> (23 - size)) + 1; }
  double error(int size) {
    const auto [at, fresh] = known_.try_emplace(size, 0);
    for (int k = 0; fresh && k < sections(size); ++k) {
      const std::uint32_t lo = base_ + (static_cast<std::uint32_t>(k) << (23 - size));
      const std::uint32_t hi = std::min(lo + (1U << (23 - size)) - 1, base_ + last_);
      at->second = std::max(at->second, section_minimax(*model_, lo, hi));
    }
    return at->second;
  }

 private:
  Model* model_;
  std::uint32_t base_, last_;
  std::map<int, double> known_;
};

// The smallest worst error of any cut into powers of two within the budget. A section's real minimax cubic
// bounds every record of that section from below (de la Vallee-Poussin), finer sections are never worse, and
// so refining the worst octave until the next refinement no longer fits is optimal: every other cut leaves
// that octave as it is or coarser.
double lower_bound(const FunctionInfo& f, int budget) {
  Model model(f);
  const Frame frame = minimax_frame(f, model);
  std::vector<OctaveBound> octaves;
  for (const bool negative : {true, false}) {
    const SideFrame& side = frame.side(negative);
    for (int e = side.range.lowest; e < side.range.lowest + side.range.count; ++e) {
      const std::uint32_t base = static_cast<std::uint32_t>(e + 127) << 23;
      if (side.threshold <= base) continue;
      octaves.emplace_back(model, negative, e, std::min(side.threshold - 1 - base, 0x7fffffU));
    }
  }
  std::vector<int> sizes(octaves.size(), 0);
  int used = static_cast<int>(octaves.size());
  while (true) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < octaves.size(); ++i) {
      if (octaves[i].error(sizes[i]) > octaves[worst].error(sizes[worst])) worst = i;
    }
    int& size = sizes[worst];
    const int price = size == 10 ? budget : octaves[worst].sections(size + 1) - octaves[worst].sections(size);
    if (used + price > budget) return octaves[worst].error(size);
    used += price;
    ++size;
  }
}

struct Held {
  const char* function;
  double slack;  // what rounding adds to the bound, at most
};

TEST(LowerBounds, TheLargestFiguresAreHeldUpByTheMemory) {
  for (const Held& h : {Held{"exp", 1.5}, Held{"derivative_tanh", 1.5}, Held{"derivative_erf", 1.5},
                        Held{"gelu", 1.6}, Held{"gelu_apprx_tanh", 1.2}, Held{"derivative_gelu", 1.2}}) {
    const FunctionInfo& f = *find_function(h.function);
    const double bound = lower_bound(f, f.budgets[0].lut_size);
    const Certificate& c = *committed("trainium-minimax")
                                .certificate(h.function, static_cast<std::uint32_t>(f.budgets[0].budget));
    std::printf("%-18s no table below %.2f ULP, ours %.2f\n", h.function, bound, c.measured.inner.error);
    EXPECT_GE(c.measured.inner.error, bound * 0.999) << h.function;
    EXPECT_LE(c.measured.inner.error, bound + h.slack) << h.function;
  }
}

}  // namespace
}  // namespace act::fit
