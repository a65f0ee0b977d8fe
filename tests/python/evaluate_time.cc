// Seconds that one evaluation of 2^24 inputs takes in C++, the best of several: what the test of the Python binding compares with.
// Usage: evaluate_time FUNCTION REPEATS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "act/tables/embedded.h"
#include "act/tables/vector_evaluate.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  act::Diagnostics warnings;
  const auto catalog = act::open_catalog("trainium", warnings);
  if (!catalog) return 1;
  const act::TableSet* set = catalog->set_with(argv[1]);
  if (set == nullptr) return 1;
  const act::VectorTable table(*set->find(argv[1]));
  constexpr std::size_t n = std::size_t{1} << 24;
  std::vector<float> in(n), out(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = -8.0F + 16.0F * static_cast<float>(i) / static_cast<float>(n);
  double best = 1e9;
  for (int r = std::atoi(argv[2]); r > 0; --r) {
    const auto start = std::chrono::steady_clock::now();
    table.evaluate(in, out);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%.9f\n", best);
  return 0;
}
