// The error of a function table over every binary32 input (02 section 17, G-8 and G-11).
#pragma once

#include <cstdint>
#include <limits>

#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

// Which inputs a function's figures are about.
struct ErrorDomain {
  float lowest = 0, highest = 0;  // inputs between these, both included (02 section 11, P-30)
  float least_magnitude = 0;      // smaller ones are outside: a function with a pole at 0 is constant there
  OctaveRange inner;              // octaves of the first figure; count 0 = all
  float absolute_beyond =
      std::numeric_limits<float>::infinity();  // from this magnitude on the error counts absolutely
};
ErrorDomain error_domain(const FunctionInfo& function);

struct WorstCase {
  double error = 0;
  float input = 0;
};

struct Measurement {
  WorstCase inner;           // ULP of RN32(f), results in the normal range, inner octaves
  WorstCase outer;           // the same, octaves where no full cubic can be stored
  WorstCase tail;            // absolute, where the error counts absolutely
  WorstCase subnormal;       // units of 2^-149, results below the normal range
  WorstCase absolute;        // absolute, all of the above
  std::uint64_t inputs = 0;  // looked at
};

// Compares with the function at every `stride`-th input of each section, and at its last. The values compared
// with carry a relative error below kReferenceError. Octaves where table and function repeat the octave
// beside them, or are both constant or straight, are settled by that instead of input by input.
Measurement measure(const FunctionInfo& function, const FunctionTable& table, std::uint32_t stride = 1);
inline constexpr double kReferenceError = 0x1p-42;

// The same, restricted to inputs of one sign and one unbiased exponent (-127: the subnormal ones), over the
// function's domain or another one.
Measurement measure_octave(const FunctionInfo& function, const FunctionTable& table, bool negative,
                           int exponent, std::uint32_t stride = 1);
Measurement measure_octave(const FunctionInfo& function, const FunctionTable& table,
                           const ErrorDomain& domain, bool negative, int exponent, std::uint32_t stride);

// measure() over `domain` with the octaves spread over the processors; the result does not depend on their
// number.
Measurement measure_parallel(const FunctionInfo& function, const FunctionTable& table,
                             const ErrorDomain& domain, std::uint32_t stride = 1);

// Fingerprint of the results r of all 2^32 input patterns in ascending order, default policies: h = 0, then
// h = h K + r modulo 2^64 with K = 0x9e3779b97f4a7c15.
std::uint64_t result_digest(const FunctionTable& table);

}  // namespace act::fit
