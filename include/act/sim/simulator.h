// Runs a program: engine streams side by side, tensors in and out, what was wrong, and a trace.
#pragma once

#include <memory>

#include "act/files/npy.h"
#include "act/sim/exec.h"
#include "act/sim/trace.h"

namespace act::sim {

// Where a tensor lies: bytes [low, high) of `channels` partitions.
struct TensorExtent {
  Space space = Space::off_chip;
  unsigned partition = 0, channels = 0;
  std::int64_t low = 0, high = 0;
};

struct RunOptions {
  Policies policies;
  const Catalog* catalog = nullptr;  // must outlive the simulator
  ExecLimits limits;
  FunctionSource source = FunctionSource::catalog;
  TraceSink* trace = nullptr;
};

class Simulator {
 public:
  // `program` must outlive the simulator.
  Simulator(const Program& program, const RunOptions& options);

  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  const Program& program() const { return program_; }

  // Fills the tensor of a binding. Floating arrays are rounded to a floating dtype of the binding; 16-bit and 8-bit unsigned
  // or opaque arrays are the raw codes of BFLOAT16 and the 8-bit floats; integers must have the dtype's size and kind.
  // Errors: bad-binding with the shapes or types, out-of-bounds.
  Status load(const TensorBinding& tensor, const NpyArray& array);
  // The content of a tensor: FP32 as f4, FP16 as f2, integers as they are, other floats as raw unsigned codes.
  Result<NpyArray> store(const TensorBinding& tensor) const;

  // Runs all streams to their ends. False after an error; everything that was noticed is in reports().
  bool run();

  // The pieces of a run in program order (module_run.h). execute: bundle `at` of a stream outside the program, on row `track`
  // of the trace; returns how many bundles it took, 0 after an error or when its wait does not hold. halted: a HALT ended
  // the track. finish: reports about the tensors; false when there were errors.
  std::size_t execute(const Stream& stream, std::size_t at, std::size_t track);
  bool halted(std::size_t track) const { return track < tracks_.size() && tracks_[track].done; }
  bool finish();
  // A report of the caller's, in line with the simulator's own; and those that came since there were `from`, for what the
  // caller knows of their places.
  void report(Diagnostic d) { reports_.push_back(std::move(d)); }
  std::span<Diagnostic> reports_since(std::size_t from) { return std::span(reports_).subspan(from); }
  const Diagnostics& reports() const { return reports_; }
  std::uint64_t retired() const { return retired_; }
  double estimated_ns() const { return estimated_ns_; }

 private:
  struct Cursor {
    const Stream* stream = nullptr;
    std::size_t at = 0;
    bool done = false;
    double time_ns = 0;
    std::unique_ptr<Exec> exec;
  };

  bool begin();
  void begin_trace();
  bool ready(Cursor& cursor, std::size_t stream);
  bool step(Cursor& cursor, std::size_t stream);
  void finish_events(Cursor& cursor, const Bundle& bundle);
  bool engine_fits(Cursor& cursor, const Bundle& bundle);
  void trace(Cursor& cursor, std::size_t stream, const Bundle& bundle, Retired& retired, double duration);
  void note_accesses(const std::vector<Operand>& operands);
  void report_deadlock(const Cursor& cursor);
  void report_tensors();

  const Program& program_;
  RunOptions options_;
  std::unique_ptr<Machine> machine_;
  Diagnostics reports_;
  std::vector<bool> read_, written_;  // by tensor
  std::vector<TensorExtent> extents_;  // by tensor
  std::vector<Cursor> tracks_;         // of execute()
  std::array<double, 256> semaphore_time_{}, event_time_{};  // when each last changed, for the estimate
  std::uint64_t retired_ = 0;
  double estimated_ns_ = 0;
};

}  // namespace act::sim
