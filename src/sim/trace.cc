#include "act/sim/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace act::sim {
namespace {

std::string values_text(const std::vector<float>& v) {
  std::string text;
  for (float x : v) text += fmt::format("{}{}", text.empty() ? "" : ",", x);
  return text;
}

// The notation of the vendor's profiler: type@address[steps][counts].
std::string operand_text(const TracedOperand& t) {
  const Operand& o = t.operand;
  std::string steps, counts;
  for (unsigned d = 0; d < o.written_dims; ++d) {
    steps += fmt::format("{}{}", d == 0 ? "" : ",", o.written_step[d]);
    counts += fmt::format("{}{}", d == 0 ? "" : ",", o.written_num[d]);
  }
  return fmt::format("{}={}@{:#x}[{}][{}]{}", o.name, dtype_row(o.dtype).short_name, t.address, steps, counts,
                     o.indirect ? " gather" : "");
}

}  // namespace

void TextTrace::begin(const Program& program, const Policies& policies, const std::string& catalog) {
  text_ += fmt::format("# generation {}, catalog {}\n# policies {}\n# ns are estimates; the model follows public documentation, not verified on silicon\n",
                       generation_name(program.generation), catalog, to_text(policies));
}

void TextTrace::retire(const Retired& r) {
  text_ += fmt::format("{:>6}", r.index);
  if (r.source != nullptr) text_ += fmt::format(" {}", engine_name(r.source->engine));
  if (r.line != 0) text_ += fmt::format(" line {}", r.line);
  text_ += ' ' + opcode_name(r.bundle.opcode());
  if (!r.resident.empty()) text_ += " set=" + r.resident;
  if (!r.function.empty()) text_ += " func=" + r.function;
  for (const TracedOperand& o : r.operands) text_ += ' ' + operand_text(o);
  if (r.channels != 0) text_ += fmt::format(" channels={} elements={}", r.channels, r.elements);
  for (const TracedOperand& o : r.operands)
    if (!o.first.empty()) text_ += fmt::format(" {}:{}", o.operand.writes ? "out" : "in", values_text(o.first));
  if (!r.accumulators.empty()) text_ += " acc:" + values_text(r.accumulators);
  if (!r.note.empty()) text_ += " (" + r.note + ")";
  text_ += fmt::format(" ~{:.0f}+{:.0f}ns\n", r.start_ns, r.duration_ns);
}

void ChromeTrace::begin(const Program& program, const Policies& policies, const std::string& catalog) {
  nlohmann::ordered_json other;
  other["generation"] = generation_name(program.generation);
  other["catalog"] = catalog;
  other["policies"] = to_text(policies);
  other["times"] = "an estimate from published measurements, not a measurement of this program";
  header_ = other.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t s = 0; s < program.streams.size(); ++s) {
    nlohmann::ordered_json e;
    e["name"] = "thread_name";
    e["ph"] = "M";
    e["pid"] = 0;
    e["tid"] = s;
    e["args"]["name"] = std::string(engine_name(program.streams[s].engine)) + " " + program.streams[s].name;
    events_ += (events_.empty() ? "" : ",\n") + e.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

void ChromeTrace::retire(const Retired& r) {
  // Reserved colour names of the trace-event format.
  static constexpr const char* kColours[] = {"thread_state_running", "rail_response", "rail_animation", "rail_idle", "rail_load",
                                             "thread_state_iowait", "cq_build_passed", "cq_build_attempt_running", "olive", "yellow"};
  nlohmann::ordered_json e;
  const std::string opcode = opcode_name(r.bundle.opcode());
  e["name"] = r.function.empty() ? opcode : opcode + " " + r.function;
  e["cat"] = r.resident.empty() ? "no set" : r.resident;
  e["ph"] = "X";
  e["ts"] = r.start_ns / 1000;
  e["dur"] = r.duration_ns / 1000;
  e["pid"] = 0;
  e["tid"] = r.stream;
  if (!r.resident.empty()) {
    auto at = std::find(sets_.begin(), sets_.end(), r.resident);
    if (at == sets_.end()) at = sets_.insert(sets_.end(), r.resident);
    e["cname"] = kColours[static_cast<std::size_t>(at - sets_.begin()) % std::size(kColours)];
  }
  auto& args = e["args"];
  args["index"] = r.index;
  if (r.line != 0) args["line"] = r.line;
  args["set"] = r.resident;
  if (!r.function.empty()) args["function"] = r.function;
  for (const TracedOperand& o : r.operands) args[std::string(o.operand.name)] = operand_text(o);
  if (r.channels != 0) args["channels"] = r.channels;
  if (r.channels != 0) args["elements"] = r.elements;
  if (!r.note.empty()) args["note"] = r.note;
  events_ += (events_.empty() ? "" : ",\n") + e.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ChromeTrace::finish() {
  return "{\"displayTimeUnit\":\"ns\",\"otherData\":" + header_ + ",\"traceEvents\":[\n" + events_ + "\n]}\n";
}

}  // namespace act::sim
