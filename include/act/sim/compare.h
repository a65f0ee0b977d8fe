// How far the tables take a program's results from the exact functions.
#pragma once

#include <string>
#include <vector>

#include "act/sim/simulator.h"

namespace act::sim {

// Error of one output tensor in units of the last place of its data type: steps between codes, infinity being the step
// after the largest value. Integers: differences.
struct Comparison {
  std::string tensor;
  std::uint64_t elements = 0;
  std::uint64_t max_ulp = 0;
  double mean_ulp = 0;
  unsigned channel = 0;        // where the largest error is
  std::uint64_t element = 0;   // within the channel
  float value = 0, exact = 0;  // there
  std::uint64_t nan_mismatches = 0;  // elements that are NaN on one side only; not in the other figures
  NpyArray exact_values;             // the tensor as the exact functions leave it
};

// Steps between two codes of a type, as above.
std::uint64_t code_distance(Dtype type, std::uint64_t a, std::uint64_t b);

// Runs the program again, by `run`, with every table function replaced by its closed form in binary64, rounded once, and
// compares the output tensors of `simulator`, which has run. The rest of the arithmetic stays what it is.
Result<std::vector<Comparison>> compare_exact(
    const Program& program, const RunOptions& options, const std::vector<std::pair<std::size_t, NpyArray>>& inputs, const Simulator& simulator,
    const std::function<bool(Simulator&)>& run = [](Simulator& s) { return s.run(); });

std::string to_text(const Comparison& comparison);

}  // namespace act::sim
