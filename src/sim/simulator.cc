#include "act/sim/simulator.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/sim/cost.h"
#include "act/sim/dispatch.h"
#include "act/sim/events.h"
#include "tensor_io.h"

namespace act::sim {
namespace {

constexpr unsigned kTracedValues = 4;

bool is_activation(std::uint8_t opcode) {
  return opcode >= static_cast<std::uint8_t>(Opcode::ACTIVATE) && opcode <= static_cast<std::uint8_t>(Opcode::ACTIVATE_MULTIPASS);
}

// Field of an activation that selects its function; nullptr for other instructions.
const Field* function_field(const Bundle& bundle) {
  const Format* format = format_of(bundle);
  return format == nullptr ? nullptr : format->find("activation_func");
}

bool uses_accumulators(const Bundle& b, Engine& bank) {
  const Format* format = format_of(b);
  const auto opcode = static_cast<Opcode>(b.opcode());
  bank = is_activation(b.opcode()) ? Engine::ACT : Engine::DVE;
  if (opcode == Opcode::ACTIVATION_READ_ACCUMULATOR || opcode == Opcode::DVE_READ_ACCUMULATOR) return true;
  for (const char* name : {"accumulator_cmd", "reduce_cmd"})
    if (const Field* f = format == nullptr ? nullptr : format->find(name); f != nullptr && get(b, *f) != 0) return true;
  return false;
}

// First values of an operand in its channel 0, without any effect on definedness.
std::vector<float> first_values(const Machine& machine, const Operand& o) {
  std::vector<float> values;
  if (o.indirect) return values;
  const NumericPolicy policy = machine.policies().numeric();
  for (std::uint64_t k = 0; k < std::min<std::uint64_t>(o.count, kTracedValues); ++k) {
    std::uint64_t bits = 0, rest = k;
    std::int64_t offset = o.offset;
    for (unsigned d = 0; d < o.dims; ++d) {
      offset += static_cast<std::int64_t>(rest % o.num[d]) * o.step[d];
      rest /= o.num[d];
    }
    std::uint8_t raw[8] = {};
    machine.memory.read({o.space, o.partition, static_cast<std::uint32_t>(offset), true}, {raw, o.bytes});
    std::memcpy(&bits, raw, sizeof bits);
    values.push_back(widen(o.dtype, bits, policy));
  }
  return values;
}

}  // namespace

Simulator::Simulator(const Program& program, const RunOptions& options)
    : program_(program), options_(options),
      machine_(std::make_unique<Machine>(program.generation, options.policies, options.catalog)),
      read_(program.tensors.size()), written_(program.tensors.size()) {
  machine_->functions.set_source(options.source);
  machine_->functions.set_staging(options.trace != nullptr);
  for (const TensorBinding& t : program.tensors) extents_.push_back(check_binding(*machine_, t) ? extent_of(*machine_, t) : TensorExtent{});
  // Tensors that fill a good part of SBUF are walked again and again, and small pages then cost a look-up each.
  constexpr std::uint64_t kManyBytes = std::uint64_t{4} << 20;
  std::uint64_t bytes = 0;
  for (const TensorExtent& e : extents_)
    if (e.space == Space::sbuf) bytes += e.channels * static_cast<std::uint64_t>(e.high - e.low);
  if (bytes >= kManyBytes) machine_->memory.store(Space::sbuf).prefer_large_pages();
  for (const RegisterInit& r : program.registers)
    if (r.number < kAddressRegisters) machine_->registers[r.number] = r.value;
  for (const ShapeRegisterInit& r : program.shape_registers)
    if (r.number < kAddressRegisters) machine_->shape_registers[r.number] = r.shape;
}

Status Simulator::load(const TensorBinding& tensor, const NpyArray& array) { return load_tensor(*machine_, tensor, array); }
Result<NpyArray> Simulator::store(const TensorBinding& tensor) const { return store_tensor(*machine_, tensor); }

// On v2 to v4 the function tables belong to ACT; on v5 they lie in the DVE block and both engines reach them.
bool Simulator::engine_fits(Cursor& cursor, const Bundle& bundle) {
  const bool load = bundle.opcode() == static_cast<std::uint8_t>(Opcode::PSEUDO_LOAD_ACT_FUNC_SET);
  if (!is_activation(bundle.opcode()) && !load) return true;
  const Engine engine = cursor.stream->engine;
  if (engine == Engine::ACT || engine == Engine::ANY || (engine == Engine::DVE && program_.generation == Generation::maverick)) return true;
  cursor.exec->fail(Code::wrong_engine, fmt::format("{} needs the function tables, which {} does not reach", opcode_name(bundle.opcode()), engine_name(engine)));
  return false;
}

// Whether the next instruction of the stream may start; takes its events when it does.
bool Simulator::ready(Cursor& cursor, std::size_t) {
  const Bundle& bundle = cursor.stream->bundles[cursor.at];
  const bool two = bundle.opcode() == static_cast<std::uint8_t>(Opcode::EVENT_SEMAPHORE);
  const EventBand bands[] = {header_band(bundle), two ? second_band(bundle) : EventBand{}};
  cursor.exec->begin(cursor.at, bundle.opcode());
  if (!two && !bands[0].waits() && bands[0].wait_mode == WaitMode::NONE && !bands[0].updates()) return true;
  for (const EventBand& band : bands) {
    if (const std::string fault = band_fault(band, *machine_); !fault.empty()) {
      cursor.exec->fail(Code::bad_value, fault, "wait_mode");
      return true;  // step() sees the failure
    }
  }
  for (const EventBand& band : bands)
    if (band.waits() && !holds(band, *machine_)) return false;
  for (const EventBand& band : bands) {
    if (!band.waits()) continue;
    take(band, *machine_);
    const bool event = band.wait_mode >= WaitMode::EVT_SET && band.wait_mode <= WaitMode::EVT_CLEAR_THEN_SET;
    cursor.time_ns = std::max(cursor.time_ns, (event ? event_time_ : semaphore_time_)[band.wait_idx]);
  }
  return true;
}

void Simulator::finish_events(Cursor& cursor, const Bundle& bundle) {
  const bool two = bundle.opcode() == static_cast<std::uint8_t>(Opcode::EVENT_SEMAPHORE);
  for (const EventBand& band : {header_band(bundle), two ? second_band(bundle) : EventBand{}}) {
    if (!band.updates()) continue;
    update(band, *machine_);
    const auto operation = static_cast<std::uint8_t>(band.update_mode) & 0x0F;
    double& when = (operation <= 2 ? event_time_ : semaphore_time_)[band.update_idx];
    when = std::max(when, cursor.time_ns);
  }
}

void Simulator::note_accesses(const std::vector<Operand>& operands) {
  for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
    if (read_[t] && written_[t]) continue;
    const TensorExtent& e = extents_[t];
    for (const Operand& o : operands) {
      const bool meets = o.space == e.space && o.partition < e.partition + e.channels && e.partition < o.partition + o.channels &&
                         o.low < e.high && e.low < o.high;
      if (meets) (o.writes ? written_ : read_)[t] = true;
    }
  }
}

// Executes the instruction under the cursor. False = the simulation ends.
bool Simulator::step(Cursor& cursor, std::size_t stream) {
  const Bundle& bundle = cursor.stream->bundles[cursor.at];
  Exec& x = *cursor.exec;
  if (x.failed()) return false;
  const OpBody body = op_body(bundle.opcode());
  if (body == nullptr) {
    const std::string name = opcode_name(bundle.opcode());
    x.fail(Code::not_simulated, name.empty() ? fmt::format("{:#04x} is no opcode", bundle.opcode()) : name + " cannot be executed");
    return false;
  }
  if (!opcode_generations(bundle.opcode()).contains(program_.generation)) {
    x.fail(Code::not_simulated, fmt::format("{} has no {}", generation_name(program_.generation), opcode_name(bundle.opcode())));
    return false;
  }
  if (!engine_fits(cursor, bundle)) return false;
  std::optional<Retired> record;
  if (options_.trace != nullptr) {
    record.emplace();
    x.watch([&](const Operand& o) {
      record->operands.push_back({o, machine_->memory.address(o.space, o.partition, o.offset), o.writes ? std::vector<float>{} : first_values(*machine_, o)});
    });
  }
  body(x, bundle);
  note_accesses(x.operands());
  if (x.failed()) return false;
  ++retired_;

  std::uint64_t elements = 0;
  for (const Operand& o : x.operands()) elements = std::max(elements, o.count);
  const double duration = act::sim::estimated_ns(bundle.opcode(), cursor.stream->engine, elements);
  if (record) trace(cursor, stream, bundle, *record, duration);
  cursor.time_ns += duration;
  estimated_ns_ = std::max(estimated_ns_, cursor.time_ns);
  finish_events(cursor, bundle);
  cursor.at += 1 + std::min(x.consumed(), cursor.stream->bundles.size() - cursor.at - 1);
  cursor.done = x.halted() || cursor.at >= cursor.stream->bundles.size();
  return true;
}

void Simulator::trace(Cursor& cursor, std::size_t stream, const Bundle& bundle, Retired& r, double duration) {
  const Exec& x = *cursor.exec;
  r.stream = stream;
  r.source = cursor.stream;
  r.index = cursor.at;
  if (cursor.at < cursor.stream->lines.size()) r.line = cursor.stream->lines[cursor.at];
  r.bundle = bundle;
  if (const TableSet* set = machine_->functions.resident()) r.resident = set->name();
  if (const Field* f = function_field(bundle))
    if (const Function& function = machine_->functions.find(static_cast<std::uint8_t>(get(bundle, *f))); function.table != nullptr) r.function = function.table->name;
  for (TracedOperand& o : r.operands) {
    if (o.operand.writes) o.first = first_values(*machine_, o.operand);
    if (o.operand.writes || r.channels == 0) {
      r.channels = o.operand.channels;
      r.elements = o.operand.count;
    }
  }
  Engine bank = Engine::ACT;
  if (uses_accumulators(bundle, bank)) {
    const Accumulators& a = machine_->accumulators(bank);
    r.accumulators.assign(a.begin(), a.begin() + std::min(std::max(r.channels, 1u), kTracedValues));
  }
  r.note = x.note;
  r.start_ns = cursor.time_ns;
  r.duration_ns = duration;
  options_.trace->retire(r);
}

// Tensors that cannot lie where they are bound end a run before it begins.
bool Simulator::begin() {
  for (const TensorBinding& t : program_.tensors)
    if (const Status fits = check_binding(*machine_, t); !fits) reports_.insert(reports_.end(), fits.error().begin(), fits.error().end());
  begin_trace();
  return !has_errors(reports_);
}

void Simulator::begin_trace() {
  if (options_.trace != nullptr)
    options_.trace->begin(program_, options_.policies, options_.catalog == nullptr ? "none" : options_.catalog->label);
}

bool Simulator::run() {
  if (!begin()) return false;
  std::vector<Cursor> cursors(program_.streams.size());
  for (std::size_t s = 0; s < cursors.size(); ++s) {
    Cursor& c = cursors[s];
    c.stream = &program_.streams[s];
    c.done = c.stream->bundles.empty();
    c.exec = std::make_unique<Exec>(*machine_, *c.stream, reports_, options_.limits);
  }
  // Streams take turns in their order, each going on until it must wait: the same interleaving on every run.
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < cursors.size(); ++s) {
      Cursor& c = cursors[s];
      while (!c.done && ready(c, s)) {
        if (!step(c, s)) return false;
        moved = true;
      }
    }
  }
  if (!std::all_of(cursors.begin(), cursors.end(), [](const Cursor& c) { return c.done; })) {
    for (const Cursor& c : cursors)
      if (!c.done) report_deadlock(c);
    return false;
  }
  return finish();
}

std::size_t Simulator::execute(const Stream& stream, std::size_t at, std::size_t track) {
  if (tracks_.empty() && !begin()) return 0;
  if (track >= tracks_.size()) tracks_.resize(track + 1);
  Cursor& c = tracks_[track];
  if (c.stream != &stream) {
    c.stream = &stream;
    c.exec = std::make_unique<Exec>(*machine_, stream, reports_, options_.limits);
  }
  c.at = at;
  if (!ready(c, track)) {
    report_deadlock(c);
    return 0;
  }
  if (!step(c, track)) return 0;
  c.done = c.exec->halted();
  return c.at - at;
}

bool Simulator::finish() {
  report_tensors();
  return !has_errors(reports_);
}

void Simulator::report_deadlock(const Cursor& c) {
  const Bundle& bundle = c.stream->bundles[c.at];
  EventBand band = header_band(bundle);
  if (!band.waits() || holds(band, *machine_)) band = second_band(bundle);
  Where where;
  where.file = c.stream->name;
  where.instruction = c.at;
  if (c.at < c.stream->lines.size()) where.line = c.stream->lines[c.at];
  Diagnostic d = make_error(Code::deadlock, fmt::format("{} waits for ever: {}", engine_name(c.stream->engine), wait_text(band, *machine_)), where);
  d.field = "wait_mode";
  reports_.push_back(std::move(d));
}

void Simulator::report_tensors() {
  for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
    const TensorBinding& b = program_.tensors[t];
    Where where;
    where.line = b.line;
    const bool out = b.role == TensorBinding::Role::output || b.role == TensorBinding::Role::both;
    const bool in = b.role == TensorBinding::Role::input || b.role == TensorBinding::Role::both;
    if (in && !read_[t]) reports_.push_back(make_warning(Code::input_not_read, "input " + b.name + " is never read", where));
    if (!out) continue;
    if (!written_[t]) {
      reports_.push_back(make_warning(Code::output_not_written, fmt::format("output {} is never written; it holds the fill pattern", b.name), where));
    } else if (const std::uint64_t missing = undefined_elements(*machine_, b); missing != 0) {
      reports_.push_back(make_warning(Code::output_not_written, fmt::format("{} elements of output {} are never written", missing, b.name), where));
    }
  }
}

}  // namespace act::sim
