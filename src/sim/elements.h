// Elements between memory and FP32 or raw patterns, by runs of equal step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

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

inline bool is_dense(Dtype t, std::ptrdiff_t step) { return step == static_cast<std::ptrdiff_t>(dtype_bits(t) / 8); }

// Elements with gaps between them are converted in dense pieces: calls piece(bytes, dense, done, count) with the element's
// size as a constant and room for the `count` elements behind the first `done`.
template <class Piece>
void by_dense_pieces(Dtype t, std::size_t n, Piece&& piece) {
  constexpr std::size_t kPiece = 256;
  with_size(dtype_bits(t) / 8, [&](auto bytes) {
    std::uint8_t dense[kPiece * decltype(bytes)::value];
    for (std::size_t done = 0; done < n; done += kPiece) piece(bytes, dense, done, std::min(kPiece, n - done));
  });
}

inline void widen_run(Dtype t, const std::uint8_t* p, std::ptrdiff_t step, std::size_t n, float* out,
                      const NumericPolicy& policy) {
  if (n == 1 || is_dense(t, step)) return widen_block(t, p, n, policy, out);
  by_dense_pieces(t, n, [&](auto bytes, std::uint8_t* dense, std::size_t done, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, p += step) std::memcpy(dense + i * bytes, p, bytes);
    widen_block(t, dense, count, policy, out + done);
  });
}

inline void narrow_run(Dtype t, const float* in, std::size_t n, std::uint8_t* p, std::ptrdiff_t step,
                       const NumericPolicy& policy) {
  if (n == 1 || is_dense(t, step)) return narrow_block(t, in, n, policy, p);
  by_dense_pieces(t, n, [&](auto bytes, std::uint8_t* dense, std::size_t done, std::size_t count) {
    narrow_block(t, in + done, count, policy, dense);
    for (std::size_t i = 0; i < count; ++i, p += step) std::memcpy(p, dense + i * bytes, bytes);
  });
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
