// Elements between memory and FP32 or raw patterns, by runs of equal step: one template, compiled for every data type.
#pragma once

#include <cstddef>
#include <cstring>

#include "act/numeric/convert_block.h"

namespace act::sim {

template <unsigned Bytes>
std::uint64_t load_bits(const std::uint8_t* p) {
  std::uint64_t v = 0;
  std::memcpy(&v, p, Bytes);
  return v;
}
template <unsigned Bytes>
void store_bits(std::uint8_t* p, std::uint64_t v) {
  std::memcpy(p, &v, Bytes);
}

// Calls run(std::integral_constant<Dtype, T>) for the type.
template <class Run>
void with_dtype(Dtype t, Run&& run) {
  switch (t) {
#define ACT_CASE(name) \
  case Dtype::name: return run(std::integral_constant<Dtype, Dtype::name>{});
    ACT_CASE(fp32)
    ACT_CASE(bfloat16)
    ACT_CASE(fp16)
    ACT_CASE(fp32r)
    ACT_CASE(int8)
    ACT_CASE(uint8)
    ACT_CASE(int16)
    ACT_CASE(uint16)
    ACT_CASE(int32)
    ACT_CASE(uint32)
    ACT_CASE(int64)
    ACT_CASE(uint64)
    ACT_CASE(fp8_exp3)
    ACT_CASE(fp8_exp4)
    ACT_CASE(fp8_exp5)
    ACT_CASE(fp8_exp2)
#undef ACT_CASE
    default: return;  // no operand has such a type: resolve() refuses it
  }
}

inline void widen_run(Dtype t, const std::uint8_t* p, std::ptrdiff_t step, std::size_t n, float* out,
                      const NumericPolicy& policy) {
  if (step == static_cast<std::ptrdiff_t>(dtype_bits(t) / 8)) return widen_block(t, p, n, policy, out);
  with_dtype(t, [&](auto type) {
    constexpr Dtype kType = decltype(type)::value;
    for (std::size_t i = 0; i < n; ++i, p += step) out[i] = widen(kType, load_bits<dtype_bits(kType) / 8>(p), policy);
  });
}

inline void narrow_run(Dtype t, const float* in, std::size_t n, std::uint8_t* p, std::ptrdiff_t step,
                       const NumericPolicy& policy) {
  if (step == static_cast<std::ptrdiff_t>(dtype_bits(t) / 8)) return narrow_block(t, in, n, policy, p);
  with_dtype(t, [&](auto type) {
    constexpr Dtype kType = decltype(type)::value;
    for (std::size_t i = 0; i < n; ++i, p += step) store_bits<dtype_bits(kType) / 8>(p, narrow(kType, in[i], policy));
  });
}

// Calls run(std::integral_constant<unsigned, Bytes>) for the size of an element.
template <class Run>
void with_size(unsigned bytes, Run&& run) {
  switch (bytes) {
    case 1: return run(std::integral_constant<unsigned, 1>{});
    case 2: return run(std::integral_constant<unsigned, 2>{});
    case 4: return run(std::integral_constant<unsigned, 4>{});
    default: return run(std::integral_constant<unsigned, 8>{});
  }
}

inline void load_run(unsigned bytes, const std::uint8_t* p, std::ptrdiff_t step, std::size_t n, std::uint64_t* out) {
  with_size(bytes, [&](auto size) {
    for (std::size_t i = 0; i < n; ++i, p += step) out[i] = load_bits<decltype(size)::value>(p);
  });
}
inline void store_run(unsigned bytes, const std::uint64_t* in, std::size_t n, std::uint8_t* p, std::ptrdiff_t step) {
  with_size(bytes, [&](auto size) {
    for (std::size_t i = 0; i < n; ++i, p += step) store_bits<decltype(size)::value>(p, in[i]);
  });
}

}  // namespace act::sim
