#include "act/ir/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "act/ir/verify.h"
#include "act/isa/memory_map.h"
#include "act/tables/functions.h"

namespace act::ir {
namespace {

constexpr std::uint32_t kAlignment = 64;  // of tensors in a partition
constexpr std::uint32_t kOne = 0x3F800000;

Argument immediate(std::uint32_t bits) {
  Argument a;
  a.value = bits;
  return a;
}

TensorView descriptor(const Argument& a, unsigned dims) {
  TensorView t;
  t.addr = a.value;
  t.dims = dims;
  t.step = a.step;
  t.num = a.num;
  return t;
}

// Selector value of a scalar field: value in the field, pointer, register. The bias exchanges the first two.
std::uint64_t selector(const Field& f, Argument::Kind kind) {
  const bool exchanged = f.choices == &kImmSrcNTable;
  switch (kind) {
    case Argument::Kind::immediate: return exchanged ? 1 : 0;
    case Argument::Kind::pattern: return exchanged ? 0 : 1;
    case Argument::Kind::reg: break;
  }
  return 2;
}

}  // namespace

// --- operands --------------------------------------------------------------------------------------------------------

View View::columns(unsigned begin, unsigned end) const {
  View v = *this;
  v.pattern.value += begin * static_cast<std::uint32_t>(pattern.step[0]) * dtype_bytes(pattern.dtype);
  v.pattern.num[0] = static_cast<std::uint16_t>(end - begin);
  return v;
}

View View::channels(unsigned begin, unsigned end, Generation g) const {
  View v = *this;
  v.pattern.value += begin * partition_stride(locate(pattern.value, g).space, g);
  v.pattern.channels = static_cast<std::uint8_t>(end - begin);
  return v;
}

View View::as(std::initializer_list<std::uint16_t> num, std::initializer_list<std::int16_t> step) const {
  View v = *this;
  v.pattern.num.fill(1);
  v.pattern.step.fill(1);
  v.pattern.dims = static_cast<std::uint8_t>(std::min({num.size(), step.size(), std::size_t{4}}));
  std::copy_n(num.begin(), v.pattern.dims, v.pattern.num.begin());
  std::copy_n(step.begin(), v.pattern.dims, v.pattern.step.begin());
  return v;
}

ScalarOperand::ScalarOperand(float value) : argument(immediate(std::bit_cast<std::uint32_t>(value))) {}
ScalarOperand ScalarOperand::bits(std::uint32_t pattern) {
  ScalarOperand s(0.0F);
  s.argument.value = pattern;
  return s;
}
ScalarOperand ScalarOperand::reg(std::uint8_t number) {
  ScalarOperand s = bits(number);
  s.argument.kind = Argument::Kind::reg;
  return s;
}

// --- the instruction added last ----------------------------------------------------------------------------------------

void Added::fault(std::string message) { faults_.push_back(make_error(Code::bad_module, fmt::format("{}: {}", place_of(inst_), message))); }

// An Isa record has its events in its bundle, the others beside their operands.
Added& Added::wait(std::uint8_t semaphore, std::uint32_t at_least) {
  if (inst_.kind == InstKind::Isa) return set("wait_mode", static_cast<std::uint64_t>(WaitMode::SEM_GE_IMM)).set("wait_idx", semaphore).set("sync_value", at_least);
  inst_.sync.wait_mode = WaitMode::SEM_GE_IMM;
  inst_.sync.wait_idx = semaphore;
  inst_.sync.sync_value = at_least;
  return *this;
}

Added& Added::increment(std::uint8_t semaphore) { return update(UpdateMode::SEM_INC_COMPLETE, semaphore); }

Added& Added::update(UpdateMode mode, std::uint8_t index, std::uint32_t value) {
  if (inst_.kind == InstKind::Isa) {
    set("update_mode", static_cast<std::uint64_t>(mode)).set("update_idx", index);
    return value != 0 ? set("sync_value", value) : *this;
  }
  inst_.sync.update_mode = mode;
  inst_.sync.update_idx = index;
  if (value != 0) inst_.sync.sync_value = value;
  return *this;
}

Added& Added::operand_at(std::size_t index, const ScalarOperand& operand) {
  if (!inst_.is_activation()) fault("bias, scale and alpha belong to activations");
  else inst_.ins[index] = operand.argument;
  return *this;
}

Added& Added::accumulate(Accumulation command) {
  if (auto* a = std::get_if<ActivationFields>(&inst_.fields)) a->acc = command;
  else fault("an accumulate command belongs to an activation");
  return *this;
}

Added& Added::drain(const View& sums) {
  if (inst_.is_activation()) inst_.outs.resize(1), inst_.outs.push_back(sums.pattern);
  else fault("a fused drain belongs to an activation");
  return *this;
}

Added& Added::stages(AluOp op0, AluOp op1, AluOp reduce_op) {
  auto* a = std::get_if<ActivationFields>(&inst_.fields);
  if (a == nullptr) return fault("the stages belong to an activation"), *this;
  a->is_activate2 = true;
  a->op0 = op0;
  a->op1 = op1;
  a->reduce_op = reduce_op;
  return *this;
}

Added& Added::set(std::string_view field, std::uint64_t value) {
  auto* b = std::get_if<Bundle>(&inst_.fields);
  const Field* f = b == nullptr || format_of(*b) == nullptr ? nullptr : format_of(*b)->find(field);
  if (f == nullptr || f->width > 64) return fault(fmt::format("no number field {}", field)), *this;
  if (f->width < 64 && value >> f->width != 0) return fault(fmt::format("{} does not fit {}", value, field)), *this;
  put(*b, *f, value);
  return *this;
}

Added& Added::set(std::string_view field, const View& view) {
  auto* b = std::get_if<Bundle>(&inst_.fields);
  const Field* f = b == nullptr || format_of(*b) == nullptr ? nullptr : format_of(*b)->find(field);
  if (f == nullptr || f->kind != Kind::tensor) return fault(fmt::format("no tensor field {}", field)), *this;
  if (view.pattern.dims > f->dims) return fault(fmt::format("{} has {} dimensions", field, f->dims)), *this;
  put_tensor(*b, *f, descriptor(view.pattern, f->dims));
  return *this;
}

Added& Added::set(std::string_view field, const ScalarOperand& operand) {
  const auto* b = std::get_if<Bundle>(&inst_.fields);
  const Format* format = b == nullptr ? nullptr : format_of(*b);
  if (format == nullptr || format->find(field) == nullptr) return fault(fmt::format("no field {}", field)), *this;
  const Field* source = format->find(std::string(field) + "_src");
  if (source == nullptr) source = format->find(std::string(field) + "_src_n");
  if (source != nullptr) set(source->name, selector(*source, operand.argument.kind));
  return set(field, std::uint64_t{operand.argument.value});
}

// --- builder: tensors and structure --------------------------------------------------------------------------------------

Builder::Builder(std::string name, Generation generation) : regions_{&main_} {
  module_.name = std::move(name);
  module_.generation = generation;
}

void Builder::fault(std::string message) { faults_.push_back(make_error(Code::bad_module, std::move(message))); }

View Builder::tensor(std::string name, TensorBinding::Role role, Dtype dtype, Shape shape, Space space) {
  const Generation g = module_.generation;
  TensorBinding t{std::move(name), role, 0, dtype, std::move(shape), 0};
  std::uint64_t elements = 1;
  for (std::size_t d = 1; d < t.shape.size(); ++d) elements *= t.shape[d];
  const std::uint64_t bytes = elements * dtype_bytes(dtype);
  std::uint32_t& next = space == Space::psum ? next_bank_ : next_sbuf_;
  const std::uint32_t unit = space == Space::psum ? kPsumBankBytes : kAlignment;
  View v;
  if (t.shape.empty() || space == Space::off_chip || (space == Space::psum && geometry(g).psum_window == 0) || elements > 0xFFFF || next + bytes > active_bytes(space, g)) {
    fault("no place for tensor " + t.name);
    return v;
  }
  t.addr = make_address(space, 0, next, g);
  next += (static_cast<std::uint32_t>(bytes) + unit - 1) / unit * unit;
  v.pattern.kind = Argument::Kind::pattern;
  v.pattern.dtype = dtype;
  v.pattern.channels = static_cast<std::uint8_t>(std::min<std::uint64_t>(t.shape[0], 255));
  v.pattern.dims = 1;
  v.pattern.tensor = static_cast<std::int32_t>(module_.tensors.size());
  v.pattern.value = t.addr;
  v.pattern.num[0] = static_cast<std::uint16_t>(elements);
  module_.tensors.push_back(std::move(t));
  return v;
}

void Builder::block(std::string name) {
  Node n;
  n.name = std::move(name);
  region().push_back(std::move(n));
  open_ = true;
}

void Builder::inside(std::vector<Node>& nodes, const Body& body) {
  regions_.push_back(&nodes);
  open_ = false;
  if (body) body();
  regions_.pop_back();
  open_ = false;
}

// Bodies are built apart: what they hold may not be reached through the region while it grows.
void Builder::loop(std::string index, std::int64_t trip, const Body& body) {
  Node n;
  n.kind = Node::Kind::loop;
  n.name = std::move(index);
  n.trip = trip;
  inside(n.body, body);
  region().push_back(std::move(n));
}

void Builder::branch(const Condition& condition, const Body& then, const Body& otherwise) {
  Node n;
  n.kind = Node::Kind::branch;
  n.condition = condition;
  inside(n.body, then);
  inside(n.otherwise, otherwise);
  region().push_back(std::move(n));
}

void Builder::call(std::string function) {
  Node n;
  n.kind = Node::Kind::call;
  n.name = std::move(function);
  region().push_back(std::move(n));
  open_ = false;
}

void Builder::function(std::string name, const Body& body) {
  Function f{std::move(name), {}};
  const bool open = open_;
  inside(f.body, body);
  open_ = open;
  functions_.push_back(std::move(f));
}

// --- builder: instructions -------------------------------------------------------------------------------------------------

Added Builder::add(Inst inst) {
  if (!open_) block(fmt::format("b{}", region().size()));
  auto& list = region().back().instructions;
  list.push_back(std::move(inst));
  return Added(list.back(), faults_);
}

Added Builder::activate(std::string_view func, const View& src, const View& dst) {
  Inst i;
  i.kind = InstKind::Activation;
  ActivationFields f;
  const FunctionInfo* info = find_function(func);
  if (info == nullptr || info->bir_name != func) fault(fmt::format("no activation function type of this name: {}", func));
  else f.func = static_cast<std::uint8_t>(info->bir_ordinal);
  i.fields = f;
  i.ins = {operand(src), immediate(0), immediate(kOne), immediate(0)};
  i.outs = {operand(dst)};
  return add(std::move(i));
}

Added Builder::load(std::int64_t set) {
  Inst i;
  i.kind = InstKind::LoadActFuncSet;
  i.fields = SetId{set};
  return add(std::move(i));
}

Added Builder::load(Affine set) {
  Inst i;
  i.kind = InstKind::LoadActFuncSet;
  i.fields = SetId{std::move(set)};
  return add(std::move(i));
}

Added Builder::drain(const View& sums) {
  Inst i;
  i.kind = InstKind::ActivationReadAccumulator;
  i.outs = {operand(sums)};
  return add(std::move(i));
}

Added Builder::dve_drain(const View& sums, bool negated) {
  Inst i;
  i.kind = InstKind::DveReadAccumulator;
  i.engine = EngineId::DVE;
  i.fields = DrainFields{negated};
  i.outs = {operand(sums)};
  return add(std::move(i));
}

Added Builder::reciprocal(const View& src, const View& dst) {
  Inst i;
  i.kind = InstKind::Reciprocal;
  i.engine = EngineId::DVE;
  i.ins = {operand(src)};
  i.outs = {operand(dst)};
  return add(std::move(i));
}

Added Builder::exponential(const View& src, const View& dst, const ScalarOperand& shift, AccumCmd command) {
  Inst i;
  i.kind = InstKind::Exponential;
  i.engine = EngineId::DVE;
  i.fields = ExponentialFields{command};
  i.ins = {operand(src), shift.argument};
  i.outs = {operand(dst)};
  return add(std::move(i));
}

Added Builder::isa(Opcode opcode, EngineId engine) {
  Inst i;
  i.kind = InstKind::Isa;
  i.engine = engine;
  Bundle b;
  b.bytes[0] = static_cast<std::uint8_t>(opcode);
  b.bytes[1] = kInstWordLen;
  i.fields = b;
  return add(std::move(i));
}

namespace {

// What the formats with in_dtype and out_dtype share.
void set_common(Added& a, const View& src, const View& dst) {
  a.set("src_mem_pattern", src).set("dst_mem_pattern", dst);
  a.set("in_dtype", static_cast<std::uint64_t>(src.pattern.dtype)).set("out_dtype", static_cast<std::uint64_t>(dst.pattern.dtype));
  a.set("num_active_channels", dst.pattern.channels);
}

void set_pair(Added& a, const View& left, const View& right, const View& dst) {
  a.set("in0_in1_dtype", static_cast<std::uint64_t>(left.pattern.dtype) | static_cast<std::uint64_t>(right.pattern.dtype) << 4);
  a.set("out_dtype", static_cast<std::uint64_t>(dst.pattern.dtype)).set("num_active_channels", dst.pattern.channels);
  a.set("src0_mem_pattern", left).set("src1_mem_pattern", right).set("dst_mem_pattern", dst);
}

}  // namespace

Added Builder::copy(const View& src, const View& dst) {
  Added a = isa(Opcode::COPY, EngineId::DVE);
  set_common(a, src, dst);
  return a;
}

Added Builder::cast(const View& src, const View& dst) {
  Added a = isa(Opcode::CAST, EngineId::DVE);
  set_common(a, src, dst);
  return a;
}

Added Builder::tensor_tensor(AluOp op, const View& left, const View& right, const View& dst) {
  Added a = isa(Opcode::TENSOR_TENSOR_ARITH_OP, EngineId::DVE);
  set_pair(a, left, right, dst);
  a.set("op", static_cast<std::uint64_t>(op));
  return a;
}

Added Builder::tensor_scalar(const View& src, const View& dst, AluOp op0, const ScalarOperand& operand0) {
  Added a = isa(Opcode::TENSOR_SCALAR_ARITH_OP, EngineId::DVE);
  set_common(a, src, dst);
  a.set("op0", static_cast<std::uint64_t>(op0)).set("imm0", operand0).set("op1", static_cast<std::uint64_t>(AluOp::bypass));
  return a;
}

Added Builder::tensor_scalar(const View& src, const View& dst, AluOp op0, const ScalarOperand& operand0, AluOp op1, const ScalarOperand& operand1) {
  Added a = tensor_scalar(src, dst, op0, operand0);
  a.set("op1", static_cast<std::uint64_t>(op1)).set("imm1", operand1);
  return a;
}

Added Builder::reduce(AluOp op, TensorSubdim dims, const View& src, const View& dst, bool negated) {
  Added a = isa(Opcode::TENSOR_REDUCE_ARITH_OP, EngineId::DVE);
  set_common(a, src, dst);
  a.set("op", static_cast<std::uint64_t>(op)).set("op_dim", static_cast<std::uint64_t>(dims)).set("negated", negated ? 1 : 0);
  return a;
}

Added Builder::memset(const View& dst, std::uint32_t element) {
  Added a = isa(Opcode::MEMSET, EngineId::DVE);
  a.set("dst_mem_pattern", dst).set("dtype", static_cast<std::uint64_t>(dst.pattern.dtype)).set("num_active_channels", dst.pattern.channels);
  a.set("dst_element_count", dst.pattern.elements()).set("set_value", element);
  return a;
}

Added Builder::copy_predicated(const View& mask, const View& src, const View& dst) {
  Added a = isa(Opcode::COPY_PREDICATED, EngineId::DVE);
  set_pair(a, mask, src, dst);
  return a;
}

Added Builder::mask_select(const std::array<std::uint8_t, 32>& entries) {
  Inst i;
  i.kind = InstKind::Isa;
  i.engine = EngineId::DVE;
  CtrlIm record;
  record.opcode = static_cast<OpcodeByte>(Opcode::LOAD_MASK_SELECT);
  record.inst_word_len = kInstWordLen;
  record.immediate = entries;
  i.fields = encode(record);
  return add(std::move(i));
}

Added Builder::stream_shuffle(const View& src, const View& dst) {
  Added a = isa(Opcode::STREAM_SHUFFLE, EngineId::DVE);
  set_common(a, src, dst);
  return a;
}

// --- the module ------------------------------------------------------------------------------------------------------------

Result<Module> Builder::finish() {
  if (!open_ && main_.empty() && functions_.empty()) fault("a module without instructions");
  module_.functions.push_back({"main", std::move(main_)});
  std::ranges::move(functions_, std::back_inserter(module_.functions));
  unsigned number = 0;
  for (Function& f : module_.functions)
    for_blocks(f.body, [&](Node& block) {
      for (Inst& i : block.instructions) {
        if (i.name.empty()) i.name = fmt::format("I-{}", number);
        ++number;
      }
    });
  verify_module(module_, module_.name, faults_);
  if (has_errors(faults_)) return std::move(faults_);
  return std::move(module_);
}

}  // namespace act::ir
