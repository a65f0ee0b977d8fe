#include "act/asm/profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "act/asm/text.h"
#include "act/isa/memory_map.h"
#include "asm/events.h"
#include "asm/operands.h"

namespace act {
namespace {

// Names under which the profiler prints opcodes (01 section 1.3); the others are spelled as here.
constexpr std::pair<Opcode, std::string_view> kOpcodeNames[] = {
    {Opcode::ACTIVATION_TABLE_LOAD, "ACT_TABLE_LOAD"}, {Opcode::TENSOR_TENSOR_ARITH_OP, "TENSOR_TENSOR"},
    {Opcode::TENSOR_REDUCE_ARITH_OP, "TENSOR_REDUCE"}, {Opcode::TENSOR_SCALAR_ARITH_OP, "TENSOR_SCALAR"},
    {Opcode::PSEUDO_DMA_DIRECT2D, "DMA_DIRECT2D"},
};

// What it prints for an instruction whose payload is all zero.
constexpr std::pair<Opcode, std::string_view> kConstantOperands[] = {
    {Opcode::EVENT_SEMAPHORE, "setter=0"}, {Opcode::NOP, "cycle=0"}, {Opcode::SET_ORDERING_MODE, "ordering_mode=relaxed"}};

constexpr std::size_t kPayload = 12, kSecondWait = 32, kWaitBytes = 8;

std::string dtype_text(Dtype t) {
  const std::string_view name = text::dtype_text(static_cast<std::uint8_t>(t));
  return name.empty() ? fmt::format("0x{:x}", static_cast<unsigned>(t)) : std::string(name);
}

// Markers other than a register's stay in the number, so that nothing is lost.
std::string address_text(std::uint32_t word) {
  if (word == addr4::register_word(addr4::regnum(word))) return fmt::format("$R[{}]", addr4::regnum(word));
  return fmt::format("0x{:x}", word);
}

std::string tensor_text(std::string_view name, Dtype type, const TensorView& t) {
  return fmt::format(" {}={}@{}[{}][{}]", name, dtype_text(type), address_text(t.addr),
                     fmt::join(t.step.begin(), t.step.begin() + t.dims, ","), fmt::join(t.num.begin(), t.num.begin() + t.dims, ","));
}

template <unsigned N>
TensorView view(const TensorN<N>& t) {
  TensorView v;
  v.addr = t.addr;
  v.dims = N;
  std::copy(t.step.begin(), t.step.end(), v.step.begin());
  std::copy(t.num.begin(), t.num.end(), v.num.begin());
  return v;
}

std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string alu_text(AluOp op) {
  if (op == AluOp::mult) return "MULTIPLY";
  const Choice* c = kAluOpTable.find(static_cast<std::uint64_t>(op));
  return c == nullptr ? fmt::format("{}", static_cast<unsigned>(op)) : std::string(c->name);
}

template <class Enum>
std::string enum_text(const EnumTable& table, Enum value) {
  const Choice* c = table.find(static_cast<std::uint64_t>(value));
  return c == nullptr ? fmt::format("{}", static_cast<unsigned>(value)) : std::string(c->name);
}

std::string source_text(ImmSrc source) {
  switch (source) {
    case ImmSrc::INSTRUCTION_IMMEDIATE: return "INSTRUCTION";
    case ImmSrc::POINTER_IMMEDIATE: return "PTR";
    case ImmSrc::REG_PTR_IMMEDIATE: return "REG_PTR";
  }
  return fmt::format("{}", static_cast<unsigned>(source));
}

std::string value_text(ImmSrc source, Immediate v, bool bits) {
  if (bits || source != ImmSrc::INSTRUCTION_IMMEDIATE) return fmt::format("0x{:x}", v.bits);
  return fmt::format("{}", std::bit_cast<float>(v.bits));
}

// "scale=1.000000", or "scale_ptr=0x40" when it is read from memory.
std::string scalar_text(std::string_view name, ImmSrc source, Immediate v) {
  if (source == ImmSrc::INSTRUCTION_IMMEDIATE) return fmt::format(" {}={:.6f}", name, std::bit_cast<float>(v.bits));
  return fmt::format(" {}_ptr={}", name, source == ImmSrc::REG_PTR_IMMEDIATE ? fmt::format("$R[{}]", v.bits) : fmt::format("0x{:x}", v.bits));
}

std::string function_text(std::uint8_t code) {
  const std::string_view name = text::function_text(code);
  return name.empty() ? fmt::format("{}", code) : upper(name);
}

std::string operands(const S3d3Ac& x) {
  std::string out = fmt::format(" {}", function_text(x.activation_func));
  if (x.bias_src_n == ImmSrcN::POINTER) out += fmt::format(" bias_ptr={}@0x{:x}", dtype_text(x.in_bias_dtype.hi()), x.bias.bits);
  if (x.bias_src_n == ImmSrcN::REG_PTR) out += fmt::format(" bias_ptr={}@$R[{}]", dtype_text(x.in_bias_dtype.hi()), x.bias.bits);
  if (x.bias_src_n == ImmSrcN::INSTRUCTION && x.bias.bits != 0) out += fmt::format(" bias={:.6f}", std::bit_cast<float>(x.bias.bits));
  out += tensor_text("src", x.in_bias_dtype.lo(), view(x.src_mem_pattern)) + tensor_text("dst", x.out_dtype, view(x.dst_mem_pattern));
  out += fmt::format(" channels={}", x.num_active_channels);
  out += scalar_text("scale", x.scale_src, x.scale_value) + scalar_text("imm", x.imm_src, x.imm);
  return out + fmt::format(" accumulator_cmd={}", enum_text(kAccumCmdTable, x.accumulator_cmd));
}

std::string operands(const S4d4Tr& x) {
  std::string out;
  if (static_cast<Opcode>(x.opcode) == Opcode::TENSOR_REDUCE_ARITH_OP || static_cast<Opcode>(x.opcode) == Opcode::TENSOR_REDUCE_BITVEC_OP) {
    out += fmt::format(" op={} dim={}", alu_text(x.op), enum_text(kTensorSubdimTable, x.op_dim));
    if (x.negated != 0) out += fmt::format(" negated={}", x.negated);
  }
  out += tensor_text("src", x.in_dtype, view(x.src_mem_pattern)) + tensor_text("dst", x.out_dtype, view(x.dst_mem_pattern));
  return out + fmt::format(" channels={}", x.num_active_channels);
}

std::string operands(const S3d3Ts& x) {
  const bool bits = opcode_name(static_cast<std::uint8_t>(x.opcode)).ends_with("_BITVEC_OP");
  std::string out = fmt::format(" ops={},{} imm={},{} imm_src={},{}", alu_text(x.op0), alu_text(x.op1), value_text(x.imm0_src, x.imm0, bits),
                                value_text(x.imm1_src, x.imm1, bits), source_text(x.imm0_src), source_text(x.imm1_src));
  out += tensor_text("src", x.in_dtype, view(x.src_mem_pattern)) + tensor_text("dst", x.out_dtype, view(x.dst_mem_pattern));
  return out + fmt::format(" channels={}", x.num_active_channels);
}

std::string operands(const S3s3d3Tt& x) {
  std::string out = fmt::format(" op={}", alu_text(x.op));
  out += tensor_text("src0", x.in0_in1_dtype.lo(), view(x.src0_mem_pattern)) + tensor_text("src1", x.in0_in1_dtype.hi(), view(x.src1_mem_pattern));
  return out + tensor_text("dst", x.out_dtype, view(x.dst_mem_pattern)) + fmt::format(" channels={}", x.num_active_channels);
}

std::string operands(const D1Rd& x) {
  return tensor_text("dst", x.dtype, view(x.dst_mem_pattern)) + fmt::format(" channels={}", x.num_active_channels);
}

std::string operands(const D4Mr& x) {
  return tensor_text("dst", x.dtype, view(x.dst_mem_pattern)) + fmt::format(" channels={}", x.num_active_channels);
}

std::string operands(const CtrlNo& x) {
  return static_cast<Opcode>(x.opcode) == Opcode::ACTIVATION_TABLE_LOAD ? fmt::format(" table_sel={}", x.act_tbl_sel) : std::string{};
}

// Formats whose text is not documented print no operands.
template <class T>
std::string operands(const T&) {
  return {};
}

std::string semaphore_text(unsigned n, const SemaphoreOwner& owner) {
  const std::string name = owner ? owner(n) : std::string{};
  return name.empty() ? fmt::format(" S[{}]", n) : fmt::format(" S[{}] ({})", n, name);
}

// One wait as it stands at bytes 4..11, or in EVENT_SEMAPHORE a second one at byte 32; empty for other conditions.
std::string wait_text(const Bundle& b, std::size_t at, const SemaphoreOwner& owner) {
  if (b.bytes[at] != static_cast<std::uint8_t>(WaitMode::SEM_GE_IMM)) return {};
  std::uint32_t v = 0;
  std::memcpy(&v, b.bytes.data() + at + 4, sizeof v);
  return semaphore_text(b.bytes[at + 1], owner) + fmt::format(">={}", v);
}

// The wait and the update. The profiler's text has forms for one of each; the others are written in the assembly language.
struct EventsText {
  std::string wait, update;
};
EventsText events_text(const Bundle& b, const SemaphoreOwner& owner) {
  char buffer[256];
  std::uint32_t v = 0;
  std::memcpy(&v, b.bytes.data() + 8, sizeof v);
  EventsText out{wait_text(b, 4, owner), {}};
  bool shown = !out.wait.empty();
  if (!shown) {
    text::Out o{buffer};
    shown = text::print_wait(b.bytes[4], b.bytes[5], v, o);
    out.wait.assign(buffer, o.at);
  }
  if (b.bytes[6] == static_cast<std::uint8_t>(UpdateMode::SEM_INC_COMPLETE)) {
    out.update = fmt::format("{}++@complete", semaphore_text(b.bytes[7], owner));
  } else {
    text::Out o{buffer};
    shown |= text::print_update(b.bytes[6], b.bytes[7], v, o);
    out.update.assign(buffer, o.at);
  }
  if (!shown && v != 0) out.update += fmt::format(" sync_value={}", v);
  return out;
}

bool all_zero(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; });
}

// The second wait of EVENT_SEMAPHORE, where its payload holds nothing else.
std::string second_wait_text(const Bundle& b, const SemaphoreOwner& owner) {
  const std::span all(b.bytes);
  if (b.opcode() != static_cast<std::uint8_t>(Opcode::EVENT_SEMAPHORE) || b.bytes[4] != b.bytes[kSecondWait]) return {};
  const bool alone = all_zero(all.subspan(kPayload, kSecondWait - kPayload)) && all_zero(all.subspan(kSecondWait + 2, 2)) && all_zero(all.subspan(kSecondWait + kWaitBytes));
  return alone ? wait_text(b, kSecondWait, owner) : std::string{};
}

// What stands for the payload of the opcodes with constant operands: those, or the bytes where they are others.
std::string constant_text(const Bundle& b, bool payload_shown) {
  for (const auto& [code, words] : kConstantOperands) {
    if (static_cast<std::uint8_t>(code) != b.opcode()) continue;
    if (payload_shown || all_zero(std::span(b.bytes).subspan(kPayload))) return fmt::format(" {}", words);
    // Behind the mnemonic and the events, the assembly language says it all.
    Bundle plain = b;
    std::fill_n(plain.bytes.begin() + 4, kWaitBytes, std::uint8_t{0});
    const std::string line = print_instruction(plain);
    return line.substr(std::min(line.find(' '), line.size()));
  }
  return {};
}

}  // namespace

std::string engine_semaphore_owner(unsigned semaphore) {
  switch (semaphore) {
    case 4: return "Scalar";
    case 5: return "Tensor";
    case 6: return "Vector";
    default: return {};
  }
}

std::string profiler_opcode(std::uint8_t opcode) {
  for (const auto& [code, name] : kOpcodeNames)
    if (static_cast<std::uint8_t>(code) == opcode) return std::string(name);
  return opcode_name(opcode);
}

std::string profiler_operands(const Bundle& bundle, const SemaphoreOwner& owner) {
  const EventsText events = events_text(bundle, owner);
  const std::string second = second_wait_text(bundle, owner);
  std::string out = events.wait + second + events.update;
  out += std::visit(
      [](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>) {
          return std::string{};
        } else {
          return operands(x);
        }
      },
      decode(bundle));
  out += constant_text(bundle, !second.empty());
  if (!out.empty()) out.erase(0, 1);
  return out;
}

std::string print_profiler(const Bundle& bundle, const SemaphoreOwner& owner) {
  const std::string opcode = profiler_opcode(bundle.opcode());
  if (opcode.empty()) {
    std::string line;
    TextPrinter().append_bytes(bundle.bytes, line);
    line.pop_back();
    return line;
  }
  const std::string rest = profiler_operands(bundle, owner);
  return rest.empty() ? opcode : fmt::format("{} {}", opcode, rest);
}

}  // namespace act
