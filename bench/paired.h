// Two ways of doing the same work, measured in turns in one process: A, B, A. Only the ratio of neighbouring
// turns counts, so that what disturbs a shared machine disturbs both; medians over the rounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace act::bench {

// Memory for measurements: aligned, padded on both sides (arrays that touch make some peers slow), and
// touched.
class Buffer {
 public:
  explicit Buffer(std::size_t floats);
  float* data() { return data_; }
  const float* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::vector<float> memory_;
  float* data_;
  std::size_t size_;
};

struct Pair {
  std::string what;
  std::string against;
  double items = 1;  // elements of one call, for the times
  std::function<void()> ours, other;
  // Time of `ours` where it is not the processor time of this process's call: what the call returned, in
  // seconds.
  std::function<double()> other_seconds;  // instead of `other`: runs it and returns its seconds
  double at_least = 0;                    // wanted: other / ours at least this, 0 = not wanted
  double at_most = 0;                     // wanted: ours / other at most this
};

struct PairResult {
  double ours_ns = 0, other_ns = 0;  // medians, per item
  double ratio = 0;  // median of the rounds: other / ours, or ours / other where at_most is given
  double noise = 0;  // median difference of the two turns of A, relative
  bool reached = true;
};

// `rounds` rounds after a warm-up, every turn at least `turn_seconds` long.
PairResult measure(const Pair& pair, int rounds, double turn_seconds);

// One line of the table in docs/performance.md; and its head.
std::string table_head();
std::string table_line(const Pair& pair, const PairResult& result);

// main of a program of pairs: measures those whose text contains `--only=TEXT`, prints them, and with
// --write=FILE puts the table into FILE, between the lines of `section`. --quick: few short rounds.
struct PairSection {
  std::string marker, title, text, command;
  std::vector<std::string> notes;  // below the table
};
int run_pairs(int argc, char** argv, const PairSection& section,
              const std::function<std::vector<Pair>()>& pairs);

}  // namespace act::bench
