// What `actkit pwp sweep` and `actkit-sweep` share: options, the table, running one shard, and telling the
// result.
#pragma once

#include <memory>

#include "act/fit/sweep.h"
#include "pwp.h"

namespace act::tool {

struct Shard {
  std::uint64_t index = 0, count = 1;
};

struct SweepOptions {
  std::string function, catalog, set, against = "reference", shard = "0/1";
  unsigned threads = 0;
  bool json = false;
};
void add_sweep_options(CLI::App& command, SweepOptions& options);

// The tables of a sweep, ready to run.
struct PreparedSweep {
  Catalog catalog;
  std::optional<Catalog> other;  // of --against CATALOG
  ChosenTable chosen;
  const FunctionTable* compared = nullptr;
  const FunctionInfo* exact = nullptr;  // of --against exact
  Shard shard;
};
// Opens what the options name; problems are reported. Errors bad-value: --shard of
// another form; --against exact for a function without a table body.
std::unique_ptr<PreparedSweep> prepare_sweep(const SweepOptions& options, Reporter& reporter);

struct SweepOutcome {
  fit::SweepResult result;
  fit::Measurement errors;  // of --against exact
};
// The part `part` of the shard, of `parts` that together are the shard.
SweepOutcome run_part(const PreparedSweep& sweep, const SweepOptions& options, std::uint64_t part,
                      std::uint64_t parts);
SweepOutcome combine(const SweepOutcome& a, const SweepOutcome& b);

// Prints the outcome of the shard; a mismatch is an error of the reporter.
void tell_sweep(const PreparedSweep& sweep, const SweepOptions& options, const SweepOutcome& outcome,
                Reporter& reporter);

}  // namespace act::tool
