// Walks: order of elements, definedness, blocks between memory and registers.
#include "act/sim/exec.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "elements.h"
#include "walk.h"

namespace act::sim {
namespace {

bool same_walk(const Operand& a, const Operand& b) {
  return !a.indirect && !b.indirect && a.offset == b.offset && a.bytes == b.bytes && a.dims == b.dims && a.step == b.step &&
         a.num == b.num;
}

// Calls visit(offset) for every byte of a walk, element after element.
template <class Visit>
void for_bytes(const Operand& o, Visit&& visit) {
  for_runs(o, 0, o.count, [&](std::int64_t offset, std::int64_t step, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i, offset += step)
      for (unsigned b = 0; b < o.bytes; ++b) visit(offset + b);
  });
}

// Whether two elements of the walk share a byte.
bool repeats(const Operand& o) {
  for (unsigned d = 0; d < o.dims; ++d)
    if (o.num[d] > 1 && o.step[d] == 0) return true;
  if (o.dims == 1) return o.num[0] > 1 && std::abs(o.step[0]) < o.bytes;
  std::vector<bool> seen(static_cast<std::size_t>(o.high - o.low));
  bool again = false;
  for_bytes(o, [&](std::int64_t at) {
    again = again || seen[static_cast<std::size_t>(at - o.low)];
    seen[static_cast<std::size_t>(at - o.low)] = true;
  });
  return again;
}

bool spans_meet(const Operand& a, const Operand& b) { return a.low < b.high && b.low < a.high; }

// Whether the walks share a byte offset of a partition.
bool bytes_meet(const Operand& a, const Operand& b) {
  if (!spans_meet(a, b)) return false;
  if (a.indirect || b.indirect || (a.dense() && b.dense())) return true;
  std::vector<bool> map(static_cast<std::size_t>(b.high - b.low));
  for_bytes(b, [&](std::int64_t at) { map[static_cast<std::size_t>(at - b.low)] = true; });
  bool meet = false;
  for_bytes(a, [&](std::int64_t at) { meet = meet || (at >= b.low && at < b.high && map[static_cast<std::size_t>(at - b.low)]); });
  return meet;
}

float flush(float x) { return (bits_of(x) & kInfF32) == 0 ? f32(bits_of(x) & kSignF32) : x; }

}  // namespace

void Exec::begin(std::size_t index, std::uint8_t opcode) {
  index_ = index;
  opcode_ = opcode;
  consumed_ = 0;
  halted_ = false;
  operands_.clear();
  reported_.clear();
  note.clear();
  watcher_ = nullptr;
}

// --- reports -------------------------------------------------------------------------------------------------

void Exec::report(Severity severity, Code code, std::string message, std::string_view field, std::string value) {
  const std::lock_guard lock(report_mutex_);
  for (const auto& [known, where] : reported_)
    if (known == code && where == field) return;
  reported_.emplace_back(code, field);
  Diagnostic d;
  d.code = code;
  d.severity = severity;
  d.field = field;
  d.value = std::move(value);
  d.message = std::move(message);
  d.where.file = stream_.name;
  d.where.instruction = index_;
  if (index_ < stream_.lines.size()) d.where.line = stream_.lines[index_];
  reports_.push_back(std::move(d));
}

void Exec::fail(Code code, std::string message, std::string_view field, std::string value) {
  if (failed_) return;
  report(Severity::error, code, std::move(message), field, std::move(value));
  failed_ = true;
}

void Exec::warn(Code code, std::string message, std::string_view field, std::string value) {
  report(Severity::warning, code, std::move(message), field, std::move(value));
}

void Exec::report_undefined(const Operand& o, unsigned channel, std::uint64_t element, std::uint32_t offset) {
  if (policies().undefined == UndefinedPolicy::ignore) return;
  const unsigned partition = o.partition + channel;
  const std::string value = fmt::format("{:#x}", machine.memory.address(o.space, partition, offset));
  std::string message = fmt::format("channel {}, element {} reads {}, which nothing has written", channel, element,
                                    place_text(o.space, partition, offset));
  if (policies().undefined == UndefinedPolicy::error) return fail(Code::undefined_read, std::move(message), o.name, value);
  warn(Code::undefined_read, std::move(message), o.name, value);
}

// --- planning ------------------------------------------------------------------------------------------------

// Undefined bytes of the block get the fill pattern, and the first of them is reported.
void Exec::require_defined(const Operand& o, const Block& block) {
  Store& store = machine.memory.store(o.space);
  const unsigned partition = o.partition + block.channel;
  if (!o.indirect && store.defined(partition, static_cast<std::uint32_t>(o.low), static_cast<std::size_t>(o.high - o.low))) return;
  std::uint64_t k = block.begin;
  const auto check = [&](std::int64_t offset) {
    const auto at = static_cast<std::uint32_t>(offset);
    if (!store.defined(partition, at, o.bytes)) {
      for (unsigned b = 0; b < o.bytes; ++b)
        if (!store.defined(partition, at + b, 1)) store.partition(partition)[at + b] = machine.memory.fill();
      report_undefined(o, block.channel, k, at);
    }
    ++k;
  };
  for_runs(o, block.begin, block.count, [&](std::int64_t offset, std::int64_t step, std::uint64_t n) {
    if (step == o.bytes && store.defined(partition, static_cast<std::uint32_t>(offset), n * o.bytes)) {
      k += n;
      return;
    }
    for (std::uint64_t i = 0; i < n && !failed_; ++i, offset += step) check(offset);
  });
}

bool Exec::plan_reads(std::initializer_list<const Operand*> sources) {
  block_ = kBlock;
  parallel_ = false;
  check_reads_ = false;
  for (const Operand* s : sources) {
    if (failed_ || !s->valid()) return false;
    if (s->indirect) {
      check_reads_ = true;
      continue;
    }
    for (unsigned c = 0; c < s->channels && !failed_; ++c)
      for (std::uint64_t k = 0; k < s->count; k += std::uint64_t{1} << 30)
        require_defined(*s, {c, k, static_cast<unsigned>(std::min<std::uint64_t>(s->count - k, std::uint64_t{1} << 30))});
  }
  return !failed_;
}

bool Exec::plan(std::initializer_list<const Operand*> sources, const Operand& destination, bool same_counts) {
  block_ = kBlock;
  parallel_ = false;
  check_reads_ = false;
  if (failed_ || !destination.valid()) return false;
  bool across = false;  // channels touch each other's partitions
  for (const Operand* s : sources) {
    if (!s->valid()) return false;
    if (same_counts && s->count != destination.count) {
      fail(Code::bad_value, fmt::format("{} elements in {} and {} in {}", s->count, s->name, destination.count, destination.name),
           destination.name);
      return false;
    }
    if (s->space != destination.space || !bytes_meet(*s, destination)) continue;
    const unsigned first = s->partition, last = first + s->channels;
    if (first == destination.partition) {
      if (same_walk(*s, destination) && !repeats(destination)) continue;
      block_ = 1;
    } else if (first < destination.partition + destination.channels && destination.partition < last) {
      across = true;
    } else {
      continue;
    }
    warn(Code::operand_overlap, fmt::format("{} and {} overlap with different address sequences; elements run in order", s->name, destination.name), destination.name);
  }
  check_reads_ = block_ == 1 || across;
  for (const Operand* s : sources) check_reads_ = check_reads_ || s->indirect;
  if (!check_reads_) {
    for (const Operand* s : sources)
      if (const unsigned block = block_; !plan_reads({s})) return false;
      else block_ = block;
  }
  const bool many = destination.count * destination.channels >= limits_.parallel_from;
  independent_ = block_ != 1 && !across && !check_reads_ && !destination.indirect;
  parallel_ = limits_.threads > 1 && many && independent_;
  return true;
}

// Which thread takes which channel makes no difference: channels of such a walk share nothing.
void Exec::run_parallel(unsigned count, const std::function<void(unsigned)>& body) {
  tbb::task_arena arena(static_cast<int>(std::min(limits_.threads, count)));
  arena.execute([&] { tbb::parallel_for(0u, count, body); });
}

// --- blocks --------------------------------------------------------------------------------------------------

namespace {

// Calls run(bytes, step, n) with memory of the block's elements; those of a gather come one by one and are checked.
template <class Check, class Run>
void for_memory(Machine& machine, const Operand& o, const Block& block, Check&& check, Run&& run) {
  std::uint8_t* base = machine.memory.store(o.space).partition(o.partition + block.channel);
  if (!o.indirect) {
    for_runs(o, block.begin, block.count, [&](std::int64_t offset, std::int64_t step, std::uint64_t n) { run(base + offset, offset, step, n); });
    return;
  }
  for (unsigned i = 0; i < block.count; ++i) {
    const std::int64_t offset = check(block.begin + i);
    if (offset < 0) return;
    run(base + offset, offset, o.bytes, std::uint64_t{1});
  }
}

}  // namespace

// Offset of element k of a gather, or -1 after a report.
std::int64_t Exec::gather_offset(const Operand& o, unsigned channel, std::uint64_t k) {
  Operand index = o;
  index.name = o.name;
  index.dtype = Dtype::uint32;
  index.bytes = 4;
  index.space = o.index_space;
  index.partition = o.index_partition;
  index.offset = o.index_offset + static_cast<std::uint32_t>(4 * k);
  index.dims = 1;
  index.num[0] = 1;
  index.count = 1;
  index.low = index.offset;
  index.high = index.low + 4;
  index.indirect = false;
  require_defined(index, {channel, 0, 1});
  if (failed_) return -1;
  std::uint32_t v = 0;
  std::memcpy(&v, machine.memory.store(index.space).partition(index.partition + channel) + index.offset, 4);
  const std::int64_t offset = std::int64_t{o.offset} + std::int64_t{v} * o.bytes;
  if (offset + o.bytes <= active_bytes(o.space, generation())) return offset;
  fail(Code::out_of_bounds,
       fmt::format("channel {}, element {} with index {} leaves its partition: {}", channel, k, v, place_text(o.space, o.partition + channel, offset)), o.name);
  return -1;
}

void Exec::check_block(const Operand& o, const Block& block) {
  if (!check_reads_) return;
  if (!o.indirect) return require_defined(o, block);
  for (unsigned i = 0; i < block.count && !failed_; ++i) {
    const std::int64_t offset = gather_offset(o, block.channel, block.begin + i);
    if (offset < 0) return;
    Operand one = o;
    one.indirect = false;
    one.offset = static_cast<std::uint32_t>(offset);
    one.num[0] = 1;
    one.count = 1;
    one.low = offset;
    one.high = offset + o.bytes;
    require_defined(one, {block.channel, 0, 1});
  }
}

const float* Exec::read(const Operand& o, const Block& block, float* buffer) {
  check_block(o, block);
  if (in_memory(o)) return reinterpret_cast<const float*>(dense_destination(o, block));
  const NumericPolicy policy = policies().numeric();
  float* out = buffer;
  for_memory(machine, o, block, [&](std::uint64_t k) { return gather_offset(o, block.channel, k); },
             [&](const std::uint8_t* p, std::int64_t, std::int64_t step, std::uint64_t n) {
               widen_run(o.dtype, p, step, n, out, policy);
               out += n;
             });
  if (policies().subnormals == SubnormalPolicy::flush)
    for (unsigned i = 0; i < block.count; ++i) buffer[i] = flush(buffer[i]);
  return buffer;
}

std::uint8_t* Exec::dense_destination(const Operand& o, const Block& block) {
  return machine.memory.store(o.space).partition(o.partition + block.channel) + o.offset + block.begin * o.bytes;
}

const std::uint8_t* Exec::dense_source(const Operand& o, const Block& block) {
  check_block(o, block);
  return dense_destination(o, block);
}

void Exec::wrote(const Operand& o, const Block& block) {
  if (failed_) return;
  mark_written(o, block.channel, o.offset + static_cast<std::int64_t>(block.begin) * o.bytes, o.bytes, block.count);
}

float* Exec::place_for(const Operand& o, const Block& block, float* buffer) {
  return in_memory(o) ? reinterpret_cast<float*>(dense_destination(o, block)) : buffer;
}

void Exec::read_bits(const Operand& o, const Block& block, std::uint64_t* buffer) {
  check_block(o, block);
  for_memory(machine, o, block, [&](std::uint64_t k) { return gather_offset(o, block.channel, k); },
             [&](const std::uint8_t* p, std::int64_t, std::int64_t step, std::uint64_t n) {
               load_run(o.bytes, p, step, n, buffer);
               buffer += n;
             });
}

namespace {

// The values of a block as the policies want them stored. A negative value that is too small for the type is a -0 too.
void adjust(const Policies& policies, Dtype t, const float* in, unsigned n, float* out) {
  const NumericPolicy numeric = policies.numeric();
  const bool no_negative_zero = policies.negative_zero == NegativeZeroPolicy::positive;
  const std::uint64_t negative_zero = narrow(t, -0.0f, numeric);
  for (unsigned i = 0; i < n; ++i) {
    float v = in[i];
    if (policies.subnormals == SubnormalPolicy::flush) v = flush(v);
    if (no_negative_zero && std::signbit(v) && narrow(t, v, numeric) == negative_zero) v = 0;
    if (policies.int_nan == IntNanPolicy::max && is_nan(v) && is_valid_int_dtype(t)) v = f32(kInfF32);
    out[i] = v;
  }
}

}  // namespace

void Exec::mark_written(const Operand& o, unsigned channel, std::int64_t offset, std::int64_t step, std::uint64_t n) {
  Store& store = machine.memory.store(o.space);
  const unsigned partition = o.partition + channel;
  if (step == o.bytes || n == 1) return store.mark_defined(partition, static_cast<std::uint32_t>(offset), n * o.bytes);
  for (std::uint64_t i = 0; i < n; ++i, offset += step) store.mark_defined(partition, static_cast<std::uint32_t>(offset), o.bytes);
}

void Exec::write(const Operand& o, const Block& block, const float* values) {
  if (failed_) return;
  if (place_for(o, block, nullptr) == values) return wrote(o, block);  // computed where they belong
  float adjusted[kBlock];  // blocks are longer only where in_memory() holds, and then nothing is adjusted
  if (policies().adjusts_values()) {
    adjust(policies(), o.dtype, values, block.count, adjusted);
    values = adjusted;
  }
  const NumericPolicy policy = policies().numeric();
  for_memory(machine, o, block, [&](std::uint64_t k) { return gather_offset(o, block.channel, k); },
             [&](std::uint8_t* p, std::int64_t offset, std::int64_t step, std::uint64_t n) {
               narrow_run(o.dtype, values, n, p, step, policy);
               mark_written(o, block.channel, offset, step, n);
               values += n;
             });
}

void Exec::write_bits(const Operand& o, const Block& block, const std::uint64_t* values) {
  if (failed_) return;
  for_memory(machine, o, block, [&](std::uint64_t k) { return gather_offset(o, block.channel, k); },
             [&](std::uint8_t* p, std::int64_t offset, std::int64_t step, std::uint64_t n) {
               store_run(o.bytes, values, n, p, step);
               mark_written(o, block.channel, offset, step, n);
               values += n;
             });
}

// Whether the operation gives NaN for NaN where the ALU's own form prefers the number.
bool Exec::propagates_nan(AluOp op) const {
  const bool extreme = op == AluOp::max || op == AluOp::min || op == AluOp::abs_max || op == AluOp::abs_min || op == AluOp::re_lu;
  return extreme && policies().minmax_nan == MinMaxNanPolicy::propagate;
}

float Exec::alu(AluOp op, float running, float operand, bool reversed) const {
  if (propagates_nan(op) && (is_nan(running) || (is_nan(operand) && op != AluOp::re_lu))) return kCanonicalNan;
  return alu_stage(op, running, operand, reversed);
}

void Exec::alu(AluOp op, const float* running, float operand, bool reversed, unsigned n, float* out) const {
  if (!propagates_nan(op)) return alu_block(op, running, operand, reversed, n, out);
  for (unsigned k = 0; k < n; ++k) out[k] = alu(op, running[k], operand, reversed);
}

void Exec::alu(const AluStage& first, const AluStage& second, const float* running, unsigned n, float* out) const {
  if (!propagates_nan(first.op) && !propagates_nan(second.op)) return alu_block(first, second, running, n, out);
  alu(first.op, running, first.operand, first.reversed, n, out);
  if (second.op != AluOp::bypass) alu(second.op, out, second.operand, second.reversed, n, out);
}

void Exec::alu(AluOp op, const float* running, const float* operands, unsigned n, float* out) const {
  if (!propagates_nan(op)) return alu_block(op, running, operands, n, out);
  for (unsigned k = 0; k < n; ++k) out[k] = alu(op, running[k], operands[k]);
}

float Exec::fold(AluOp op, float running, const float* values, unsigned n) const {
  if (!propagates_nan(op)) return alu_fold(op, running, values, n);
  for (unsigned k = 0; k < n; ++k) running = alu(op, running, values[k]);
  return running;
}

}  // namespace act::sim
