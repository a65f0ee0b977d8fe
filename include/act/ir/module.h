// A module before and after lowering: functions of structured control flow over blocks of instructions, and the tensors
// they work on (03 sections 2 to 4). docs/module.md and docs/module.schema.json describe the JSON form.
#pragma once

#include <array>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "act/isa/program.h"

namespace act::ir {

// Engines by the compiler's numbers (01 section 1.2).
enum class EngineId : std::uint8_t { Unassigned = 0, Pool = 1, Activation = 2, PE = 3, DMA = 4, DVE = 5, SP = 6, ALL = 7 };
std::string_view engine_id_name(EngineId engine);
std::optional<EngineId> find_engine_id(std::string_view name);
// The device's engine of a stream, or nothing for DMA, Unassigned and ALL.
std::optional<Engine> device_engine(EngineId engine);

// Classes of instructions: the published ones by their class names, and ISA for every other opcode, by its rows.
enum class InstKind : std::uint8_t {
  Activation,
  LoadActFuncSet,
  ReadActivationAccumulator,  // IT 5, the older spelling of the next
  ActivationReadAccumulator,  // IT 101
  DveReadAccumulator,
  Reciprocal,
  Exponential,
  GenericRelu,  // lowered to Activation before encoding
  Isa,
};
std::string_view inst_kind_name(InstKind kind);
std::optional<InstKind> find_inst_kind(std::string_view name);

// An operand: elements in memory, a register, or a binary32 immediate.
struct Argument {
  enum class Kind : std::uint8_t { pattern, reg, immediate };

  Kind kind = Kind::immediate;
  Dtype dtype = Dtype::fp32;       // pattern: of its elements
  std::uint8_t channels = 0;       // pattern: partitions it spans
  std::uint8_t dims = 0;           // pattern: free dimensions, dimension 0 innermost
  std::int32_t tensor = -1;        // pattern: index into Module::tensors, -1 = an address of its own
  std::uint32_t value = 0;         // pattern: on-chip address; reg: number; immediate: binary32 bits
  std::array<std::int16_t, 4> step{1, 1, 1, 1};
  std::array<std::uint16_t, 4> num{1, 1, 1, 1};

  // Elements per channel of a pattern.
  std::uint64_t elements() const { return std::uint64_t{1} * num[0] * num[1] * num[2] * num[3]; }
  friend bool operator==(const Argument&, const Argument&) = default;
};

// Accumulate command of an activation, by the compiler's numbers (03 section 3.3).
enum class Accumulation : std::uint8_t { Idle = 0, Zero = 1, Accumulate = 2, ZeroAccumulate = 3, AddAccumulate = 4, LoadAccumulate = 5 };

struct ActivationFields {
  std::uint8_t func = 0;  // BIR ordinal 0..30
  Accumulation acc = Accumulation::Idle;
  AluOp op0 = AluOp::bypass, op1 = AluOp::bypass, reduce_op = AluOp::bypass;
  bool is_activate2 = false, reverse0 = false, reverse1 = false, can_read_uninit = false;
  std::uint32_t scale = 0x3F800000, alpha = 0;  // binary32 bits
  friend bool operator==(const ActivationFields&, const ActivationFields&) = default;
};

// c0 + sum of coefficient * (loop index op k) (L-05).
struct Affine {
  enum class Op : std::uint8_t { mul, floordiv, mod };
  struct Term {
    std::string index;
    std::int64_t coefficient = 0;
    Op op = Op::mul;
    std::int64_t k = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
  friend bool operator==(const Affine&, const Affine&) = default;
};

inline constexpr std::int64_t kNoSet = 0xFFFFFFFF;

// Set index of a load: a number (kNoSet = none) or an expression over loop indices.
struct SetId {
  std::variant<std::int64_t, Affine> value = kNoSet;
  bool is_static() const { return value.index() == 0; }
  // Precondition: is_static().
  std::int64_t index() const { return std::get<0>(value); }
  friend bool operator==(const SetId&, const SetId&) = default;
};
// Value of an expression under loop indices; nothing when an index is missing, a divisor is 0 or the value overflows.
std::optional<std::int64_t> evaluate(const Affine& a, const std::map<std::string, std::int64_t>& indices);

struct DrainFields {
  bool negated = false;
  friend bool operator==(const DrainFields&, const DrainFields&) = default;
};
struct ExponentialFields {
  AccumCmd reduce_cmd = AccumCmd::IDLE;
  friend bool operator==(const ExponentialFields&, const ExponentialFields&) = default;
};

// Waits and updates, as the header of a bundle holds them.
struct Sync {
  WaitMode wait_mode = WaitMode::NONE;
  std::uint8_t wait_idx = 0;
  UpdateMode update_mode = UpdateMode::NONE;
  std::uint8_t update_idx = 0;
  std::uint32_t sync_value = 0;
  bool empty() const { return *this == Sync{}; }
  friend bool operator==(const Sync&, const Sync&) = default;
};

struct Inst {
  InstKind kind = InstKind::Isa;
  EngineId engine = EngineId::Activation;
  std::uint32_t line = 0;  // in the module's source, 0 = not given
  std::string name;
  std::vector<Argument> ins, outs;
  Sync sync;
  // By kind: Activation; LoadActFuncSet; the drains; Exponential; Isa (a whole bundle, events and all).
  std::variant<std::monostate, ActivationFields, SetId, DrainFields, ExponentialFields, Bundle> fields;
  std::string extras;  // published header keys that nothing here reads, as the text of JSON members; kept for the writer
  std::uint8_t trigger = 0;  // load: BIR ordinal of the activation it was made for; not written

  const ActivationFields& activation() const { return std::get<ActivationFields>(fields); }
  const SetId& set() const { return std::get<SetId>(fields); }
  const Bundle& bundle() const { return std::get<Bundle>(fields); }
  bool is_load() const { return kind == InstKind::LoadActFuncSet; }
  bool is_activation() const { return kind == InstKind::Activation; }
  friend bool operator==(const Inst&, const Inst&) = default;
};

// Condition of a branch: a register against a constant or another register.
struct Condition {
  enum class Compare : std::uint8_t { ALWAYS = 0, LT = 1, LE = 2, EQ = 3, NE = 4, GE = 5, GT = 6 };
  Compare compare = Compare::ALWAYS;
  std::uint8_t reg = 0;
  bool against_register = false;
  std::uint32_t value = 0;  // constant, or register number
  friend bool operator==(const Condition&, const Condition&) = default;
};
std::string_view compare_name(Condition::Compare c);
// Unsigned comparison; ALWAYS holds.
bool holds(Condition::Compare compare, std::uint32_t left, std::uint32_t right);

// A piece of a function: a block of instructions, a loop, a branch or a call.
struct Node {
  enum class Kind : std::uint8_t { block, loop, branch, call };
  Kind kind = Kind::block;
  std::string name;                // block name, loop index, or function called
  std::vector<Inst> instructions;  // block
  std::vector<Node> body;          // loop body, or taken arm
  std::vector<Node> otherwise;     // other arm
  std::int64_t trip = 0;           // loop
  Condition condition;             // branch
  friend bool operator==(const Node&, const Node&) = default;
};

struct Function {
  std::string name;
  std::vector<Node> body;
  friend bool operator==(const Function&, const Function&) = default;
};

inline constexpr unsigned kMaxCallDepth = 64;

struct Module {
  std::string name;
  Generation generation = kDefaultGeneration;
  bool lowered = false;  // loads are in place: lowering takes it up where it stands
  bool dynamic_pwp = false;  // attribute 7, neff_feature_dynamic_pwp
  std::string act_set;       // static mode: the one set, resident from the start
  std::vector<TensorBinding> tensors;
  std::vector<RegisterInit> registers;
  std::vector<Function> functions;  // the first is entered first

  int find_tensor(std::string_view tensor) const;
  const Function* find_function(std::string_view function) const;
};

// Calls visit(block) for every block of a region, in the order of the text, arms and bodies included.
template <class Nodes, class Visit>
void for_blocks(Nodes& nodes, Visit&& visit) {
  for (auto& n : nodes) {
    if (n.kind == Node::Kind::block) visit(n);
    for_blocks(n.body, visit);
    for_blocks(n.otherwise, visit);
  }
}

// What an instruction needs in the resident set: a BIR ordinal (30, Unknown, for a function code without one), or kAnySet for
// the copies and casts of the activation engine, which every set serves (L-33). Nothing for all others.
inline constexpr std::uint8_t kAnySet = 255;
std::optional<std::uint8_t> table_function(const Inst& inst);
inline bool uses_tables(const Inst& inst) { return table_function(inst).has_value(); }

// "line 12: instruction I-4" or as much of it as is known, for messages.
std::string place_of(const Inst& inst);

}  // namespace act::ir
