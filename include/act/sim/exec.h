// What the body of an instruction works with: operands of the instruction under execution, blocks of their elements, and
// reports that name the instruction, operand, channel, element and address.
#pragma once

#include <functional>
#include <initializer_list>
#include <mutex>

#include "act/numeric/alu_block.h"
#include "act/sim/machine.h"
#include "act/sim/operand.h"

namespace act::sim {

struct ExecLimits {
  std::uint64_t elements = std::uint64_t{1} << 30;  // of one instruction, all channels
  unsigned threads = 1;
  std::uint64_t parallel_from = std::uint64_t{1} << 16;  // elements below which threads are not worth their start
  bool load_by_name = false;  // execute 0xC6
};

class Exec {
 public:
  Exec(Machine& m, const Stream& stream, Diagnostics& reports, const ExecLimits& limits)
      : machine(m), stream_(stream), reports_(reports), limits_(limits) {}

  Machine& machine;

  // --- the instruction ---------------------------------------------------------------------------------------
  const Stream& stream() const { return stream_; }
  std::size_t index() const { return index_; }
  Generation generation() const { return machine.generation(); }
  const Policies& policies() const { return machine.policies(); }
  const ExecLimits& limits() const { return limits_; }
  // The bundles behind the current one; consume(n) makes the run loop pass over n of them.
  std::span<const Bundle> following() const { return std::span(stream_.bundles).subspan(index_ + 1); }
  void consume(std::size_t n) { consumed_ = n; }
  void halt() { halted_ = true; }

  // --- reports -----------------------------------------------------------------------------------------------
  bool failed() const { return failed_; }
  // Stops the simulation after this instruction; `field` and `value` may be empty.
  void fail(Code code, std::string message, std::string_view field = {}, std::string value = {});
  // Once per instruction, code and field.
  void warn(Code code, std::string message, std::string_view field = {}, std::string value = {});

  // --- operands ----------------------------------------------------------------------------------------------
  // Resolve a descriptor: registers, shape registers and the gather form are looked up, placement and bounds are checked.
  // On failure the operand is not valid() and failed() holds; everything below does nothing then.
  template <unsigned N>
  Operand source(const TensorN<N>& t, Dtype dtype, std::string_view name, unsigned channels) {
    return resolve(view(t), dtype, name, channels, false, false);
  }
  template <unsigned N>
  Operand source(const MemPatternN<N>& t, Dtype dtype, std::string_view name, unsigned channels) {
    return resolve(view(t), dtype, name, channels, false, true);
  }
  template <unsigned N>
  Operand destination(const TensorN<N>& t, Dtype dtype, std::string_view name, unsigned channels) {
    return resolve(view(t), dtype, name, channels, true, false);
  }
  template <unsigned N>
  Operand destination(const MemPatternN<N>& t, Dtype dtype, std::string_view name, unsigned channels) {
    return resolve(view(t), dtype, name, channels, true, true);
  }
  // A scalar by its source selector: the field itself, or one element of `dtype` per channel at a pointer or register
  // pointer. Inline values are FP32 (scalar) or the raw word (scalar_bits).
  Scalar scalar(Immediate field, ImmSrc source, Dtype dtype, std::string_view name, unsigned channels);
  ScalarBits scalar_bits(Immediate field, ImmSrc source, Dtype dtype, std::string_view name, unsigned channels);
  ScalarBits scalar_bits(Immediate64 field, ImmSrc source, Dtype dtype, std::string_view name, unsigned channels);
  // Content of an address register.
  std::uint32_t register_value(unsigned number, std::string_view field);

  // The function of a code, with the warnings about what is resident; nullptr after a failure.
  const Function* function(std::uint8_t code);

  // --- walks -------------------------------------------------------------------------------------------------
  // Calls body(block) for all elements of all channels in the order of D-15. Blocks cover up to kBlock consecutive
  // elements where that cannot be told from element by element; where source and destination overlap with different
  // address sequences they are single elements, and a warning is given. Body reads and writes through read() and
  // write() below. All counts must be equal. With several threads, channels run side by side where they are independent.
  // A body that uses no buffer for these operands may ask for longer blocks, see block_for().
  template <class Body>
  void elements(std::initializer_list<const Operand*> sources, const Operand& destination, Body&& body, unsigned block = kBlock) {
    if (!plan(sources, destination, true)) return;
    const unsigned size = check_reads_ ? block_ : block;  // checked block by block: as ever, whatever the body
    for_channels(destination.channels, [&](unsigned channel) {
      for (std::uint64_t k = 0; k < destination.count && !failed_; k += size)
        body(Block{channel, k, static_cast<unsigned>(destination.count - k < size ? destination.count - k : size)});
    });
  }
  // The same by groups of up to `width` channels: body(first, n) gets the block of the group's first channel and handles that
  // block and the same one of the n - 1 channels behind it. Groups of one where the order of channels can be told. Blocks
  // cover up to `block` elements.
  template <class Body>
  void groups(std::initializer_list<const Operand*> sources, const Operand& destination, unsigned width, unsigned block, Body&& body) {
    if (!plan(sources, destination, true)) return;
    const unsigned step = independent_ ? width : 1, size = block_ < block ? block_ : block, channels = destination.channels;
    for_channels((channels + step - 1) / step, [&](unsigned group) {
      const unsigned first = group * step, n = channels - first < step ? channels - first : step;
      for (std::uint64_t k = 0; k < destination.count && !failed_; k += size)
        body(Block{first, k, static_cast<unsigned>(destination.count - k < size ? destination.count - k : size)}, n);
    });
  }
  // The same without a common element count: body(channel) walks on its own. Reads of a channel may be delayed or repeated
  // only if `overlapping()` is false.
  template <class Body>
  void channels(std::initializer_list<const Operand*> sources, const Operand& destination, Body&& body) {
    if (!plan(sources, destination, false)) return;
    for_channels(destination.channels, std::forward<Body>(body));
  }
  // For instructions without a destination in memory: every source is checked, channels run in order.
  template <class Body>
  void channels(std::initializer_list<const Operand*> sources, unsigned count, Body&& body) {
    if (!plan_reads(sources)) return;
    for (unsigned c = 0; c < count && !failed_; ++c) body(c);
  }
  // Whether the planned walk goes element by element.
  bool overlapping() const { return block_ == 1; }

  // Whether read() and place_for() give memory itself.
  bool in_memory(const Operand& o) const { return o.dtype == Dtype::fp32 && o.dense() && !policies().adjusts_values(); }
  // Length of the blocks of a body whose only buffers are those of read() and place_for() for these operands.
  unsigned block_for(std::initializer_list<const Operand*> operands) const {
    for (const Operand* o : operands)
      if (!in_memory(*o)) return kBlock;
    return kLongBlock;
  }
  // Elements of a block as FP32; the result is `buffer` or, where memory holds FP32 densely, memory itself. What comes after a
  // failed read is without meaning, so nothing is written, or marked as written, from then on.
  const float* read(const Operand& operand, const Block& block, float* buffer);
  void write(const Operand& operand, const Block& block, const float* values);
  // Where to compute the values for write(): the destination's memory where it holds FP32 densely, else `buffer`.
  float* place_for(const Operand& operand, const Block& block, float* buffer);
  // Memory of a block of a dense() operand: read as it is, or written to by the caller, who then says so with wrote().
  const std::uint8_t* dense_source(const Operand& operand, const Block& block);
  std::uint8_t* dense_destination(const Operand& operand, const Block& block);
  void wrote(const Operand& operand, const Block& block);
  // Raw patterns of the elements, zero-extended.
  void read_bits(const Operand& operand, const Block& block, std::uint64_t* buffer);
  void write_bits(const Operand& operand, const Block& block, const std::uint64_t* values);

  // One ALU stage of domain F under the policies (01 section 6.7): on a value, on a block with one operand, with two
  // stages or with a block of operands (`out` may be an input), and as a running value over a block.
  float alu(AluOp op, float running, float operand, bool reversed = false) const;
  void alu(AluOp op, const float* running, float operand, bool reversed, unsigned n, float* out) const;
  void alu(const AluStage& first, const AluStage& second, const float* running, unsigned n, float* out) const;
  void alu(AluOp op, const float* running, const float* operands, unsigned n, float* out) const;
  float fold(AluOp op, float running, const float* values, unsigned n) const;

  // --- trace -------------------------------------------------------------------------------------------------
  const std::vector<Operand>& operands() const { return operands_; }  // resolved by this instruction
  // Called with every operand as it is resolved, before anything is read or written; until the next begin().
  void watch(std::function<void(const Operand&)> watcher) { watcher_ = std::move(watcher); }
  std::string note;  // what the body wants the trace line to say besides

  // Run loop only.
  void begin(std::size_t index, std::uint8_t opcode);
  std::size_t consumed() const { return consumed_; }
  bool halted() const { return halted_; }

 private:
  // A descriptor of either form with its raw words.
  struct Descriptor {
    TensorView t;
  };
  template <unsigned N>
  static Descriptor view(const TensorN<N>& t) {
    Descriptor d;
    d.t.addr = t.addr;
    d.t.dims = N;
    for (unsigned i = 0; i < N; ++i) {
      d.t.step[i] = t.step[i];
      d.t.num[i] = t.num[i];
    }
    return d;
  }
  Operand resolve(const Descriptor& d, Dtype dtype, std::string_view name, unsigned channels, bool writes, bool union_field);
  bool resolve_indirect(const Descriptor& d, Operand& o);
  bool place(std::uint32_t word, Operand& o);
  bool check_placement(const Operand& o, std::uint32_t address);
  bool check_bounds(Operand& o);
  void join_dimensions(Operand& o, const TensorView& shape);
  std::uint32_t pointer_of(std::uint32_t field, ImmSrc source, std::string_view name);
  template <class Fetch>
  void fetch_per_channel(std::uint32_t pointer, Dtype dtype, std::string_view name, unsigned channels, Fetch&& fetch);

  bool propagates_nan(AluOp op) const;
  bool plan(std::initializer_list<const Operand*> sources, const Operand& destination, bool same_counts);
  bool plan_reads(std::initializer_list<const Operand*> sources);
  template <class Body>
  void for_channels(unsigned count, Body&& body) {
    if (parallel_) return run_parallel(count, body);
    for (unsigned c = 0; c < count && !failed_; ++c) body(c);
  }
  void run_parallel(unsigned count, const std::function<void(unsigned)>& body);
  void require_defined(const Operand& o, const Block& block);
  void check_block(const Operand& o, const Block& block);
  std::int64_t gather_offset(const Operand& o, unsigned channel, std::uint64_t k);
  void mark_written(const Operand& o, unsigned channel, std::int64_t offset, std::int64_t step, std::uint64_t n);
  void report_undefined(const Operand& o, unsigned channel, std::uint64_t element, std::uint32_t offset);
  std::string place_text(Space space, unsigned partition, std::int64_t offset) const;
  void report(Severity severity, Code code, std::string message, std::string_view field, std::string value);

  const Stream& stream_;
  Diagnostics& reports_;
  const ExecLimits& limits_;
  std::size_t index_ = 0, consumed_ = 0;
  std::uint8_t opcode_ = 0;
  bool failed_ = false, halted_ = false;
  bool check_reads_ = false;  // definedness is checked block by block, because the walk itself defines bytes
  bool parallel_ = false;
  bool independent_ = false;  // the planned walk reads nothing that another channel writes
  unsigned block_ = kBlock;
  std::vector<Operand> operands_;
  std::vector<std::pair<Code, std::string>> reported_;
  std::mutex report_mutex_;  // bodies may report from several channels at once
  std::function<void(const Operand&)> watcher_;
};

}  // namespace act::sim
