#include "act/sim/reciprocal.h"

#include <array>
#include <cmath>

#include "act/numeric/bits.h"
#include "act/numeric/convert.h"

namespace act::sim {
namespace {

constexpr int kSeedIndexBits = 7, kSeedBits = 8;

// Entry i: 1 / (1 + (i + 1/2) / 128) to 8 fractional bits; integers only, so that it is the same everywhere.
constexpr std::array<std::uint16_t, 1 << kSeedIndexBits> kSeeds = [] {
  std::array<std::uint16_t, 1 << kSeedIndexBits> table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    const unsigned denominator = 2 * (128 + i) + 1;  // in units of 1/256
    table[i] = static_cast<std::uint16_t>((2 * 65536 + denominator) / (2 * denominator));
  }
  return table;
}();

float round_to_f16(float v) { return f32_from_fp16(fp16_from_f32(v)); }

// The result of the special inputs, or a number that says there is none.
bool special(float x, float& result) {
  if (x == x && x != 0.0F && std::fabs(x) <= 3.4028234663852886e38F) return false;
  result = reciprocal_exact(x);
  return true;
}

// 1/x from 1/m where x = m * 2^e, m in [1, 2): exact unless the result is subnormal.
template <class Core>
float scaled(float x, Core&& core) {
  int e = 0;
  const float m = std::frexp(std::fabs(x), &e) * 2.0F;  // frexp gives [1/2, 1)
  const float y = std::ldexp(core(m), 1 - e);
  return std::signbit(x) ? -y : y;
}

}  // namespace

float reciprocal_exact(float x) { return canonical(1.0F / x); }

float reciprocal_seed(float m) {
  const std::uint32_t index = bits_of(m) >> (23 - kSeedIndexBits) & ((1u << kSeedIndexBits) - 1);
  return static_cast<float>(kSeeds[index]) / static_cast<float>(1 << kSeedBits);
}

float reciprocal_stage(float m, float y) {
  const float product = m * y;
  const float correction = 2.0F - product;
  return y * correction;
}

float reciprocal_refined_f32(float x) {
  float result;
  if (special(x, result)) return result;
  return scaled(x, [](float m) { return reciprocal_stage(m, reciprocal_stage(m, reciprocal_seed(m))); });
}

float reciprocal_refined_f16(float x) {
  float result;
  if (special(x, result)) return result;
  return scaled(x, [](float m) {
    const float y = reciprocal_seed(m);
    return round_to_f16(y * round_to_f16(2.0F - round_to_f16(m * y)));
  });
}

}  // namespace act::sim
