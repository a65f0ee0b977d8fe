// Which kernels run: chosen once by what the processor offers, or by name.
#include <cstdint>

#include "tables/kernels/prepared.h"

#if ACTKIT_SIMD
#include <hwy/targets.h>

#include "tables/kernels/compiled_targets.h"
#endif

namespace act {

#if ACTKIT_SIMD
namespace {

struct Target {
  std::int64_t bit;
  std::string_view name;
};
constexpr Target kTargets[] = {{HWY_AVX3, "AVX-512"}, {HWY_AVX2, "AVX2"}, {HWY_SSE4, "SSE4"}};
constexpr std::string_view kScalar = "scalar";

// The processor's own that there are kernels for, whatever was selected before.
std::int64_t offered() {
  static const std::int64_t bits = hwy::SupportedTargets() & ~std::int64_t{HWY_DISABLED_TARGETS};
  return bits;
}

}  // namespace

std::vector<std::string_view> vector_targets() {
  std::vector<std::string_view> names;
  for (const Target& t : kTargets)
    if ((offered() & t.bit) != 0) names.push_back(t.name);
  names.push_back(kScalar);
  return names;
}

bool select_vector_target(std::string_view name) {
  if (name.empty()) {
    hwy::GetChosenTarget().Update(offered());
    return true;
  }
  if (name == kScalar) {
    hwy::GetChosenTarget().Update(0);
    return true;
  }
  for (const Target& t : kTargets) {
    if (t.name != name || (offered() & t.bit) == 0) continue;
    hwy::GetChosenTarget().Update(t.bit);
    return true;
  }
  return false;
}
#else
namespace kernels {
const Kernels* active_kernels() { return nullptr; }
}  // namespace kernels

std::vector<std::string_view> vector_targets() { return {"scalar"}; }
std::string_view vector_target() { return "scalar"; }
bool select_vector_target(std::string_view name) { return name.empty() || name == "scalar"; }
#endif

}  // namespace act
