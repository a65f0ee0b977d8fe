#include "passes/access.h"

#include <algorithm>
#include <map>

namespace act::passes {
namespace {

constexpr unsigned kUnknownBytes = 8;  // of an element whose type is not told

Accesses::State state(Keep keep, bool write) { return {keep, write}; }

// Adds the elements of a walk. Partitions of instructions that move data between them count in whole quadrants.
void add_walk(const TensorView& t, unsigned bytes, unsigned channels, bool whole_quadrants, bool write, Generation g, Accesses& out) {
  const Location at = locate(t.addr, g);
  if ((t.addr & ~kAddressMask) != 0 || at.space == Space::off_chip) {
    (write ? out.writes_anywhere : out.reads_anywhere) = true;
    return;
  }
  std::int64_t low = at.offset, high = std::int64_t{at.offset} + bytes;
  for (unsigned d = 0; d < t.dims; ++d) {
    const std::int64_t reach = std::int64_t{bytes} * t.step[d] * (std::max<std::int64_t>(t.num[d], 1) - 1);
    (reach < 0 ? low : high) += reach;
  }
  unsigned first = at.partition, last = at.partition + std::max(channels, 1u);
  if (whole_quadrants) {
    first = first / kQuadrantPartitions * kQuadrantPartitions;
    last = (last + kQuadrantPartitions - 1) / kQuadrantPartitions * kQuadrantPartitions;
  }
  last = std::min(last, kPartitions);
  Rect r{at.space, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last), static_cast<std::uint32_t>(std::max<std::int64_t>(low, 0)),
         static_cast<std::uint32_t>(std::max<std::int64_t>(high, 0))};
  out.memory.push_back({r, write});
}

void add_argument(const ir::Argument& a, bool write, Generation g, Accesses& out) {
  if (a.kind == ir::Argument::Kind::reg) out.reads_anywhere = true;
  if (a.kind != ir::Argument::Kind::pattern) return;
  add_walk({a.value, a.dims, a.step, a.num}, dtype_bytes(a.dtype), a.channels, false, write, g, out);
}

// --- records of other opcodes, by the rows of their formats ------------------------------------------------------------

struct OperandRow {
  const Field* field = nullptr;
  const Field* dtype = nullptr;   // of its elements; nullptr = not told
  const Field* source = nullptr;  // of a scalar: memory when it selects a pointer
  bool high_nibble = false, write = false;
};

struct FormatRows {
  std::vector<OperandRow> operands;
  const Field* channels = nullptr;
};

const Field* first_of(const Format& f, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const Field* field = f.find(name); field != nullptr) return field;
  return nullptr;
}

OperandRow tensor_row(const Format& f, const Field& field) {
  OperandRow r{&field};
  r.write = field.name.starts_with("dst");
  const bool as_output = r.write || field.name.starts_with("prev_pass");
  if (as_output) r.dtype = first_of(f, {"out_dtype", "dtype", "in_out_dtype"});
  else r.dtype = first_of(f, {"in0_in1_dtype", "in_bias_dtype", "in_dtype", "dtype", "in_out_dtype"});
  const bool pair = r.dtype != nullptr && r.dtype->kind == act::Kind::nibbles;
  r.high_nibble = pair && (as_output || field.name.starts_with("src1"));
  return r;
}

FormatRows rows_of(const Format& f) {
  FormatRows rows;
  rows.channels = f.find("num_active_channels");
  for (const Field& field : f.fields) {
    if (field.kind == act::Kind::tensor) rows.operands.push_back(tensor_row(f, field));
    if (field.kind == act::Kind::address) rows.operands.push_back({&field, nullptr, nullptr, false, false});
    if (field.kind != act::Kind::immediate && field.kind != act::Kind::wide_immediate) continue;
    const std::string name(field.name.ends_with("_value") ? field.name.substr(0, field.name.size() - 6) : field.name);
    const std::string sources[] = {name + "_src", name + "_src_n", name + "_is_ptr"};
    const Field* source = first_of(f, {sources[0], sources[1], sources[2]});
    if (source != nullptr) rows.operands.push_back({&field, nullptr, source, false, false});
  }
  return rows;
}

const FormatRows& rows_of_bundle(const Bundle& b) {
  static const std::map<const Format*, FormatRows> rows = [] {
    std::map<const Format*, FormatRows> m;
    for (const Format* f : all_formats()) m.emplace(f, rows_of(*f));
    return m;
  }();
  return rows.at(format_of(b));
}

unsigned element_bytes(const Bundle& b, const OperandRow& row) {
  if (row.dtype == nullptr) return kUnknownBytes;
  std::uint64_t code = get(b, *row.dtype);
  if (row.dtype->kind == act::Kind::nibbles) code = row.high_nibble ? code >> 4 : code & 15;
  const unsigned bytes = dtype_bytes(static_cast<Dtype>(code));
  return bytes == 0 ? kUnknownBytes : bytes;
}

void add_operand(const Bundle& b, const OperandRow& row, unsigned channels, bool moves_partitions, Generation g, Accesses& out) {
  if (row.field->kind == act::Kind::tensor) return add_walk(get_tensor(b, *row.field), element_bytes(b, row), channels, moves_partitions, row.write, g, out);
  if (row.source != nullptr) {
    const std::uint64_t selected = get(b, *row.source), pointer = row.source->choices == &kImmSrcNTable ? 0 : 1;
    if (selected == 2) out.reads_anywhere = true;
    if (selected != pointer) return;
  }
  TensorView one;
  one.addr = static_cast<std::uint32_t>(get(b, *row.field));
  add_walk(one, kUnknownBytes, channels, false, false, g, out);
}

bool moves_partitions(Opcode op) {
  switch (op) {
    case Opcode::STREAM_SHUFFLE:
    case Opcode::STREAM_TRANSPOSE:
    case Opcode::TRANSPOSE_TENSOR_SCALAR_ARITH_OP:
    case Opcode::TRANSPOSE_TENSOR_REDUCE_ARITH_OP:
    case Opcode::TRANSPOSE_TENSOR_REDUCE_BITVEC_OP: return true;
    default: return false;
  }
}

// State of an opcode; false for one whose effects are not known.
bool add_states(Opcode op, Generation g, Accesses& out) {
  const Keep act_bank = g == Generation::maverick ? Keep::dve_accumulators : Keep::act_accumulators;
  switch (op) {
    case Opcode::ACTIVATE:
    case Opcode::ACTIVATE2:
    case Opcode::ACTIVATE_MULTIPASS: out.states.push_back(state(act_bank, true)); return true;
    case Opcode::ACTIVATION_READ_ACCUMULATOR: out.states.push_back(state(act_bank, false)); return true;
    case Opcode::EXPONENTIAL:
    case Opcode::TENSOR_SCALAR_CACHE_REDUCE:
    case Opcode::TENSOR_SCALAR_CACHE_CUMULATIVE: out.states.push_back(state(Keep::dve_accumulators, true)); return true;
    case Opcode::DVE_READ_ACCUMULATOR: out.states.push_back(state(Keep::dve_accumulators, false)); return true;
    case Opcode::LOAD_MASK_SELECT: out.states.push_back(state(Keep::mask_select, true)); return true;
    case Opcode::STREAM_SHUFFLE: out.states.push_back(state(Keep::mask_select, false)); return true;
    case Opcode::LOAD_PARAMETER_RAM:
    case Opcode::POOL_BUFFER_LOAD:
    case Opcode::LOAD_POOL_ARGUMENT:
    case Opcode::MODIFY_POOL_CONFIG: out.states.push_back(state(Keep::pool, true)); return true;
    default: return false;
  }
}

// Opcodes that touch neither memory nor state. The payload of a custom operation belongs to its header.
bool is_control(Opcode op) {
  switch (op) {
    case Opcode::NOP:
    case Opcode::ENGINE_NOP:
    case Opcode::NOTIFY:
    case Opcode::DRAIN:
    case Opcode::HALT:
    case Opcode::INSTRUCTION_FLUSH:
    case Opcode::EVENT_SEMAPHORE:
    case Opcode::SET_ORDERING_MODE:
    case Opcode::PSEUDO_BRANCH_LABEL:
    case Opcode::CUSTOM_OP_PAYLOAD: return true;
    default: return false;
  }
}

void add_record(const ir::Inst& inst, Generation g, Accesses& out) {
  const Bundle& b = inst.bundle();
  const auto op = static_cast<Opcode>(b.opcode());
  if (is_control(op)) return;
  const bool known = add_states(op, g, out);
  const FormatRows& rows = rows_of_bundle(b);
  const auto channels = static_cast<unsigned>(rows.channels == nullptr ? kPartitions : get(b, *rows.channels));
  for (const OperandRow& row : rows.operands) add_operand(b, row, channels, moves_partitions(op), g, out);
  if (known || !rows.operands.empty()) return;
  out.reads_anywhere = out.writes_anywhere = true;  // raw payloads and custom operations
  for (std::size_t k = 0; k < kKeeps; ++k) out.states.push_back(state(static_cast<Keep>(k), true));
}

}  // namespace

void Accesses::clear() {
  memory.clear();
  states.clear();
  reads_anywhere = writes_anywhere = false;
}

void accesses_of(const ir::Inst& inst, Generation g, Accesses& out) {
  out.clear();
  for (const ir::Argument& a : inst.ins) add_argument(a, false, g, out);
  for (const ir::Argument& a : inst.outs) add_argument(a, true, g, out);
  const Keep act_bank = g == Generation::maverick ? Keep::dve_accumulators : Keep::act_accumulators;
  switch (inst.kind) {
    case ir::InstKind::Activation:
    case ir::InstKind::GenericRelu:
      if (inst.outs.size() > 1 || inst.activation().acc != ir::Accumulation::Idle || inst.activation().is_activate2) out.states.push_back(state(act_bank, true));
      break;
    case ir::InstKind::LoadActFuncSet: out.states.push_back(state(Keep::tables, true)); break;
    case ir::InstKind::ReadActivationAccumulator:
    case ir::InstKind::ActivationReadAccumulator: out.states.push_back(state(act_bank, false)); break;
    case ir::InstKind::DveReadAccumulator: out.states.push_back(state(Keep::dve_accumulators, false)); break;
    case ir::InstKind::Exponential: out.states.push_back(state(Keep::dve_accumulators, true)); break;
    case ir::InstKind::Reciprocal: break;
    case ir::InstKind::Isa: add_record(inst, g, out); break;
  }
  if (ir::uses_tables(inst)) out.states.push_back(state(Keep::tables, false));
}

}  // namespace act::passes
