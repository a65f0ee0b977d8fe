// actkit pwp sweep: every input of a function through the vector path, compared, with a digest.
#include "sweep_run.h"

namespace act::tool {
namespace {

void run(const SweepOptions& options, Reporter& reporter) {
  const auto sweep = prepare_sweep(options, reporter);
  if (sweep != nullptr) tell_sweep(*sweep, options, run_part(*sweep, options, 0, 1), reporter);
}

}  // namespace

void add_pwp_sweep(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* sweep = add_command(
      pwp, "sweep",
      "All 2^32 inputs of a function through the vector evaluator: compared bit for bit, and a digest of the "
      "results.\n"
      "Digests of shards add up modulo 2^64 to the digest of all inputs, which certificates carry.",
      "  actkit pwp sweep exp\n  actkit pwp sweep gelu --against exact\n"
      "  actkit pwp sweep tanh --against trainium-minimax --shard 3/64 --json");
  add_sweep_options(*sweep, *options);
  sweep->callback([options, &reporter] { run(*options, reporter); });
}

}  // namespace act::tool
