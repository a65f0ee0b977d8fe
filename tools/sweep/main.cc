// actkit-sweep: `actkit pwp sweep` spread over the processes of an MPI job; rank 0 adds the shards up and
// tells.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "sweep_run.h"

namespace act::tool {
namespace {

// What a rank sends: plain data.
struct Share {
  std::uint64_t inputs = 0, mismatches = 0, first = 0, has_first = 0, digest = 0;
  fit::Measurement errors;
};
static_assert(std::is_trivially_copyable_v<Share>);

Share share_of(const SweepOutcome& o) {
  return {o.result.inputs,
          o.result.mismatches,
          o.result.first_mismatch.value_or(0),
          o.result.first_mismatch.has_value(),
          o.result.digest,
          o.errors};
}
SweepOutcome outcome_of(const Share& s) {
  SweepOutcome o;
  o.result = {s.inputs, s.mismatches, std::nullopt, s.digest};
  if (s.has_first != 0) o.result.first_mismatch = static_cast<std::uint32_t>(s.first);
  o.errors = s.errors;
  return o;
}

int sweep_together(const SweepOptions& options, int rank, int ranks) {
  Reporter reporter;
  const auto sweep = prepare_sweep(options, reporter);  // each rank reads the catalog; all fail or none
  if (sweep == nullptr) return reporter.exit_code();
  Share mine = share_of(
      run_part(*sweep, options, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(ranks)));
  std::vector<Share> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank != 0) return kClean;
  SweepOutcome outcome;
  for (const Share& s : all) outcome = combine(outcome, outcome_of(s));
  tell_sweep(*sweep, options, outcome, reporter);
  return reporter.exit_code();
}

int run(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CLI::App app(
      "All 2^32 inputs of a function, spread over the processes of an MPI job, one thread each unless told "
      "otherwise;\nthe digest is that of `actkit pwp sweep`.");
  app.footer("Example:\n  mpirun -n 4 actkit-sweep tanh");
  SweepOptions options;
  options.threads = 1;
  add_sweep_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = rank == 0 ? app.exit(e) : e.get_exit_code();
    return status == 0 ? kClean : kUsage;
  }
  return sweep_together(options, rank, ranks);
}

}  // namespace
}  // namespace act::tool

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = act::tool::run(argc, argv);
  MPI_Finalize();
  return status;
}
