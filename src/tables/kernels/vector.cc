// The kernels, compiled once per instruction set. A block of inputs goes through two passes: the record of
// every input, then the cubic. Each rounding stands where the scalar reference has it, and no multiply-add is
// fused, but in the quick cubic (quick.h), which proves its results.
#if ACTKIT_SIMD
#include <algorithm>
#include <bit>
#include <cstring>

#include "tables/kernels/compiled_targets.h"
#include "tables/kernels/quick.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tables/kernels/vector.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace act::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
#include "tables/kernels/table-inl.h"
// Uses the one above, so it is not to be sorted before it.
#include "tables/kernels/direct-inl.h"
#endif

const Kernels* kernels_here() {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  static constexpr Kernels kKernels = {table, direct, parametric};
  return &kKernels;
#else
  return nullptr;
#endif
}

std::string_view name_here() {
  return HWY_TARGET == HWY_AVX3   ? "AVX-512"
         : HWY_TARGET == HWY_AVX2 ? "AVX2"
         : HWY_TARGET == HWY_SSE4 ? "SSE4"
                                  : "scalar";
}

}  // namespace act::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace act {
namespace kernels {
HWY_EXPORT(kernels_here);
HWY_EXPORT(name_here);
const Kernels* active_kernels() { return HWY_DYNAMIC_DISPATCH(kernels_here)(); }
static std::string_view active_name() { return HWY_DYNAMIC_DISPATCH(name_here)(); }
}  // namespace kernels

std::string_view vector_target() { return kernels::active_name(); }
}  // namespace act
#endif  // HWY_ONCE
#endif  // ACTKIT_SIMD
