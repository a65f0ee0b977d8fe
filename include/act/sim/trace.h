// What a run tells about itself: one record per retired instruction, as text lines or as a Chrome trace.
#pragma once

#include <string>
#include <vector>

#include "act/sim/machine.h"
#include "act/sim/operand.h"

namespace act::sim {

// First values of an operand in channel 0, before (sources) or after (destination) the instruction.
struct TracedOperand {
  Operand operand;
  std::uint32_t address = 0;
  std::vector<float> first;
};

struct Retired {
  std::size_t stream = 0;
  const Stream* source = nullptr;
  std::size_t index = 0;
  std::uint32_t line = 0;  // of the source text; 0 = none
  Bundle bundle;
  std::string resident;  // name of the resident set, empty before the first load
  std::string function;  // of an activation
  std::vector<TracedOperand> operands;
  std::uint64_t elements = 0;  // per channel of the destination, else of the first source
  unsigned channels = 0;
  std::vector<float> accumulators;  // first lanes of the bank that the instruction uses, afterwards; empty = none
  std::string note;
  double start_ns = 0, duration_ns = 0;  // estimates
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void begin(const Program& program, const Policies& policies, const std::string& catalog) = 0;
  virtual void retire(const Retired& retired) = 0;
  // The whole trace.
  virtual std::string finish() = 0;
};

// One line per instruction behind a header with generation, catalog and every policy.
class TextTrace final : public TraceSink {
 public:
  void begin(const Program& program, const Policies& policies, const std::string& catalog) override;
  void retire(const Retired& retired) override;
  std::string finish() override { return std::move(text_); }

 private:
  std::string text_;
};

// Trace-event JSON for trace viewers: a row per engine, durations by the cost model (an estimate), colours by resident set.
class ChromeTrace final : public TraceSink {
 public:
  void begin(const Program& program, const Policies& policies, const std::string& catalog) override;
  void retire(const Retired& retired) override;
  std::string finish() override;

 private:
  std::string events_, header_;
  std::vector<std::string> sets_;  // in order of first use: position selects the colour
};

}  // namespace act::sim
