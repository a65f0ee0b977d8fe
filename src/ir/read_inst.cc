#include "ir/read_inst.h"

#include <algorithm>
#include <unordered_map>

#include "act/isa/memory_map.h"
#include "act/rows/json.h"
#include "act/tables/functions.h"
#include "ir/json_names.h"
#include "ir/tensor_index.h"

namespace act::ir {
namespace {

constexpr std::int64_t kMaxU32 = 0xFFFFFFFF;

template <class Row>
const Row* named_row(Reader& r, dom::element e, const Path& at, const Row* (*find)(std::string_view), const char* what) {
  const std::string_view name = r.name(e, at);
  const Row* row = name.empty() ? nullptr : find(name);
  if (row == nullptr && !name.empty()) r.error(Code::unknown_name, at, fmt::format("no such {}", what), std::string(name.substr(0, 80)));
  return row;
}

// The compiler's names of types are remapped for the generation (01 section 5.6); names of the instruction set stand for
// themselves.
Dtype read_dtype(Reader& r, dom::element e, const Path& at, Generation g) {
  std::string_view name;
  if (e.get(name) == simdjson::SUCCESS && !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0)
    for (const CompilerDtypeRow& row : kCompilerDtypeRows)
      if (row.name == name) return g < Generation::mariana ? row.before_v4 : row.since_v4;
  const DtypeRow* row = named_row<DtypeRow>(r, e, at, [](std::string_view n) { return find_dtype(n); }, "data type");
  return row != nullptr ? row->dtype : Dtype::fp32;
}

// Likewise with the compiler's names of operations (01 section 6.8).
AluOp read_alu_op(Reader& r, dom::element e, const Path& at) {
  std::string_view name;
  if (e.get(name) == simdjson::SUCCESS)
    for (const CompilerAluRow& row : kCompilerAluRows)
      if (!row.name.empty() && row.name == name) return row.op;
  const AluOpRow* row = named_row<AluOpRow>(r, e, at, [](std::string_view n) { return find_alu_op(n); }, "ALU operation");
  return row != nullptr ? row->op : AluOp::bypass;
}

// Fills dims and step or num from a list of 1 to 4 numbers, innermost first.
template <class T>
void read_list(Reader& r, dom::element e, const Path& at, std::array<T, 4>& out, std::uint8_t& dims, std::int64_t min, std::int64_t max) {
  std::uint8_t n = 0;
  r.items(e, at, [&](dom::element item, const Path& here) {
    if (n < 4) out[n] = static_cast<T>(r.integer(item, here, min, max));
    ++n;
  });
  if (n < 1 || n > 4 || (dims != 0 && dims != n)) r.error(Code::bad_value, at, "one number per free dimension, 1 to 4, as many steps as counts", std::to_string(n));
  dims = std::min<std::uint8_t>(n, 4);
}

struct PatternKeys {
  std::int64_t offset = 0, partition = 0, addr = -1;
  bool has_list = false, has_dtype = false, has_channels = false, has_place = false;
  bool given() const { return has_list || has_dtype || has_channels || has_place; }
};

void finish_pattern(Reader& r, const Path& at, const Module& m, Argument& a, const PatternKeys& keys) {
  const std::uint32_t stride = geometry(m.generation).sbuf_stride;
  if (a.tensor >= 0) {
    const TensorBinding& t = m.tensors[static_cast<std::size_t>(a.tensor)];
    const Space space = locate(t.addr, m.generation).space;
    if (!keys.has_dtype) a.dtype = t.dtype;
    if (!keys.has_channels) a.channels = static_cast<std::uint8_t>(std::min<std::uint64_t>(t.shape[0], kPartitions));
    if (!keys.has_list) {
      const std::optional<Argument> whole = whole_tensor(m, a.tensor);
      if (!whole) return r.error(Code::bad_value, at, "the tensor is too large for one pattern; give step and num", t.name);
      a.dims = whole->dims;
      a.step = whole->step;
      a.num = whole->num;
    }
    const std::uint32_t apart = space == Space::psum ? kPsumStride : stride;
    a.value = t.addr + static_cast<std::uint32_t>(keys.partition) * apart + static_cast<std::uint32_t>(keys.offset) * dtype_bytes(t.dtype);
  } else if (keys.addr >= 0) {
    a.value = static_cast<std::uint32_t>(keys.addr);
    if (!keys.has_list || !keys.has_channels || !keys.has_dtype) r.error(Code::json_missing, at, "an address needs dtype, channels, step and num");
  } else {
    r.error(Code::json_missing, at, "an operand is a tensor, an address, a register or an immediate");
  }
}

Argument read_argument(Reader& r, dom::element e, const Path& at, const Module& m) {
  Argument a;
  PatternKeys keys;
  bool pattern = true;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "register") {
      a.kind = Argument::Kind::reg;
      a.value = static_cast<std::uint32_t>(r.integer(v, here, 0, kAddressRegisters - 1));
      pattern = false;
    } else if (key == "immediate") {
      a.kind = Argument::Kind::immediate;
      a.value = r.float_bits(v, here);
      pattern = false;
    } else if (key == "tensor") {
      const std::string_view name = r.name(v, here);
      keys.has_place = true;
      a.tensor = m.find_tensor(name);
      if (a.tensor < 0) r.error(Code::unknown_name, here, "no such tensor", std::string(name.substr(0, 80)));
    } else if (key == "addr") {
      keys.has_place = true;
      keys.addr = r.integer(v, here, 0, kAddressMask);
    } else if (key == "offset") {
      keys.has_place = true;
      keys.offset = r.integer(v, here, 0, 1 << 20);
    } else if (key == "partition") {
      keys.has_place = true;
      keys.partition = r.integer(v, here, 0, kPartitions - 1);
    } else if (key == "dtype") {
      a.dtype = read_dtype(r, v, here, m.generation);
      keys.has_dtype = true;
    } else if (key == "channels") {
      a.channels = static_cast<std::uint8_t>(r.integer(v, here, 1, kPartitions));
      keys.has_channels = true;
    } else if (key == "step") {
      read_list(r, v, here, a.step, a.dims, INT16_MIN, INT16_MAX);
      keys.has_list = true;
    } else if (key == "num") {
      read_list(r, v, here, a.num, a.dims, 1, UINT16_MAX);
      keys.has_list = true;
    } else {
      return false;
    }
    return true;
  });
  if (!pattern) {
    if (keys.given()) r.error(Code::bad_value, at, "offset register cannot be applied to register immediate in ISA");
    return a;
  }
  a.kind = Argument::Kind::pattern;
  if (r.ok()) finish_pattern(r, at, m, a, keys);
  return a;
}

std::vector<Argument> read_arguments(Reader& r, dom::element e, const Path& at, const Module& m) {
  std::vector<Argument> out;
  if (dom::array a; e.get(a) == simdjson::SUCCESS) out.reserve(a.size());
  r.items(e, at, [&](dom::element item, const Path& here) { out.push_back(read_argument(r, item, here, m)); });
  return out;
}

template <class Enum>
Enum read_mode(Reader& r, dom::element e, const Path& at, const EnumTable& table) {
  const std::string_view name = r.name(e, at);
  if (const Choice* c = table.find(name)) return static_cast<Enum>(c->value);
  if (!name.empty()) r.error(Code::unknown_name, at, fmt::format("no {}", table.name), std::string(name.substr(0, 80)));
  return {};
}

Sync read_sync(Reader& r, dom::element e, const Path& at) {
  Sync s;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "wait_mode") s.wait_mode = read_mode<WaitMode>(r, v, here, kWaitModeTable);
    else if (key == "update_mode") s.update_mode = read_mode<UpdateMode>(r, v, here, kUpdateModeTable);
    else if (key == "wait_idx") s.wait_idx = static_cast<std::uint8_t>(r.integer(v, here, 0, 255));
    else if (key == "update_idx") s.update_idx = static_cast<std::uint8_t>(r.integer(v, here, 0, 255));
    else if (key == "sync_value") s.sync_value = static_cast<std::uint32_t>(r.integer(v, here, 0, kMaxU32));
    else return false;
    return true;
  });
  return s;
}

Affine::Term read_term(Reader& r, dom::element e, const Path& at) {
  Affine::Term t;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "idx") t.index = r.text(v, here);
    else if (key == "coef") t.coefficient = r.integer(v, here, INT64_MIN, INT64_MAX);
    else if (key == "op") t.op = static_cast<Affine::Op>(r.choice(v, here, kAffineOps));
    else if (key == "k") t.k = r.integer(v, here, INT64_MIN, INT64_MAX);
    else return false;
    return true;
  });
  return t;
}

SetId read_set_id(Reader& r, dom::element e, const Path& at) {
  if (!e.is_object()) return {r.integer(e, at, 0, kNoSet)};
  Affine a;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key != "affine") return false;
    r.members(v, here, [&](std::string_view inner, dom::element w, const Path& there) {
      if (inner == "const") a.constant = r.integer(w, there, INT64_MIN, INT64_MAX);
      else if (inner == "terms") r.items(w, there, [&](dom::element term, const Path& p) { a.terms.push_back(read_term(r, term, p)); });
      else return false;
      return true;
    });
    return true;
  });
  return {a};
}

std::uint8_t read_func(Reader& r, dom::element e, const Path& at) {
  static const std::unordered_map<std::string_view, std::uint8_t> kOrdinals = [] {
    std::unordered_map<std::string_view, std::uint8_t> ordinals{{"Unknown", std::uint8_t{30}}};
    for (const FunctionInfo& f : all_functions())
      if (f.bir_ordinal >= 0) ordinals[f.bir_name] = static_cast<std::uint8_t>(f.bir_ordinal);
    return ordinals;
  }();
  const std::string_view name = r.name(e, at);
  const auto it = kOrdinals.find(name);
  if (it != kOrdinals.end()) return it->second;
  if (!name.empty()) r.error(Code::unknown_name, at, "no activation function type of this name", std::string(name.substr(0, 80)));
  return kOrdinals.at("Unknown");
}

// A flag; the compiler may give an expression over loop indices instead, which its encoder refuses too.
bool read_flag(Reader& r, dom::element e, const Path& at) {
  if (!e.is_object()) return r.boolean(e, at);
  r.error(Code::bad_value, at, "an affine flag cannot be encoded", Reader::brief(e), "true, false");
  return false;
}

// Keys of an activation (03 section 3.1); false for a key of another kind.
bool read_activation_key(Reader& r, std::string_view key, dom::element v, const Path& at, ActivationFields& f, unsigned& required) {
  constexpr std::string_view kRequired[] = {"scale", "alpha", "func", "acc", "op0", "op1", "reduce_op"};
  if (const auto it = std::ranges::find(kRequired, key); it != std::end(kRequired)) required |= 1u << (it - kRequired);
  if (key == "scale") f.scale = r.float_bits(v, at);
  else if (key == "alpha") f.alpha = r.float_bits(v, at);
  else if (key == "func") f.func = read_func(r, v, at);
  else if (key == "acc") f.acc = static_cast<Accumulation>(r.choice(v, at, kAccumulations));
  else if (key == "op0") f.op0 = read_alu_op(r, v, at);
  else if (key == "op1") f.op1 = read_alu_op(r, v, at);
  else if (key == "reduce_op") f.reduce_op = read_alu_op(r, v, at);
  else if (key == "is_activate2") f.is_activate2 = read_flag(r, v, at);
  else if (key == "reverse0") f.reverse0 = read_flag(r, v, at);
  else if (key == "reverse1") f.reverse1 = read_flag(r, v, at);
  else if (key == "can_read_uninit") f.can_read_uninit = read_flag(r, v, at);
  else return false;
  return true;
}

// Members of an object that stands for a field.
void check_members(Reader& r, dom::element v, const Path& at) {
  constexpr std::string_view kKnown[] = {"lo", "hi", "addr", "step", "num", "index_addr", "data_addr", "count"};
  if (v.is_object()) r.members(v, at, [&](std::string_view key, dom::element, const Path&) { return std::ranges::find(kKnown, key) != std::end(kKnown); });
}

bool names_tensor(dom::element v) { return v.is_object() && v.at_key("tensor").error() == simdjson::SUCCESS; }

// The fields of an Isa record: those of its format, with operands by the names of tensors where a descriptor, an address or a
// pointer is wanted.
void read_isa_fields(Reader& r, dom::element e, const Path& at, const Module& m, Bundle& b) {
  const Format* format = format_of(b);
  if (format == nullptr) return;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    const Field* f = format->find(key);
    if (f == nullptr || key == "opcode") return false;
    if (names_tensor(v) && (f->kind == Kind::tensor || f->kind == Kind::address || f->kind == Kind::immediate || f->kind == Kind::wide_immediate)) {
      const Argument a = read_argument(r, v, here, m);
      if (!r.ok()) return true;
      if (f->kind != Kind::tensor) return put(b, *f, a.value), true;
      if (a.kind != Argument::Kind::pattern || a.dims > f->dims) {
        r.error(Code::bad_value, here, fmt::format("the operand has {} dimensions", a.dims), {}, fmt::format("up to {}", f->dims));
        return true;
      }
      put_tensor(b, *f, {a.value, f->dims, a.step, a.num});
      return true;
    }
    check_members(r, v, here);
    const Status s = field_from_json(b, *f, Json::parse(std::string(simdjson::minify(v)), nullptr, false));
    if (!s) r.add(Diagnostics(s.error()), here);
    return true;
  });
}

// The part of a record that all kinds share; false for a key that the kind must know.
bool read_common_key(Reader& r, std::string_view key, dom::element v, const Path& at, const Module& m, Inst& i) {
  if (key == "name") {
    i.name = r.text(v, at);
  } else if (key == "engine") {
    const std::string_view name = r.name(v, at);
    const auto engine = find_engine_id(name);
    if (!engine) r.error(Code::unknown_name, at, "no such engine", std::string(name.substr(0, 80)));
    i.engine = engine.value_or(EngineId::Unassigned);
  } else if (key == "ins") {
    i.ins = read_arguments(r, v, at, m);
  } else if (key == "outs") {
    i.outs = read_arguments(r, v, at, m);
  } else if (key == "sync_info") {
    i.sync = read_sync(r, v, at);
  } else if (key == "line") {
    r.integer(v, at, 0, kMaxU32);  // read before the others
  } else if (key == "opcode" || key == "instruction") {
    return true;  // likewise
  } else if (std::ranges::find(kKeptKeys, key) != std::end(kKeptKeys)) {
    i.extras += fmt::format(",\"{}\":{}", key, std::string(simdjson::minify(v)));
  } else {
    return false;
  }
  return true;
}

// What has to be known before the rest: kind, source line, opcode of an Isa record.
void read_first(Reader& r, dom::element e, const Path& at, Inst& i) {
  std::int64_t line = 0;
  if (e["line"].get(line) == simdjson::SUCCESS && line >= 0 && line <= kMaxU32) i.line = static_cast<std::uint32_t>(line);
  r.line = i.line;
  std::string_view name;
  if (e["opcode"].get(name) != simdjson::SUCCESS) return r.error(Code::json_missing, at, "an instruction has an opcode");
  const auto kind = find_inst_kind(name);
  if (!kind) return r.error(Code::unknown_name, Path{&at, "opcode", -1}, "no class of instructions of this name", std::string(name.substr(0, 80)));
  i.kind = *kind;
  switch (i.kind) {
    case InstKind::Activation:
    case InstKind::GenericRelu: i.fields = ActivationFields{}; return;
    case InstKind::LoadActFuncSet: i.fields = SetId{}; return;
    case InstKind::DveReadAccumulator: i.fields = DrainFields{}; i.engine = EngineId::DVE; return;
    case InstKind::Exponential: i.fields = ExponentialFields{}; i.engine = EngineId::DVE; return;
    case InstKind::Reciprocal: i.engine = EngineId::DVE; return;
    case InstKind::ReadActivationAccumulator:
    case InstKind::ActivationReadAccumulator: return;
    case InstKind::Isa: break;
  }
  Bundle b;
  std::string_view opcode;
  const Path here{&at, "instruction", -1};
  if (e["instruction"].get(opcode) != simdjson::SUCCESS) r.error(Code::json_missing, here, "an Isa record names its instruction");
  const auto code = parse_opcode(opcode);
  if (!opcode.empty() && !code) r.error(Code::unknown_name, here, "no instruction of this name", std::string(opcode.substr(0, 80)));
  b.bytes[0] = code.value_or(static_cast<std::uint8_t>(Opcode::NOP));
  b.bytes[1] = kInstWordLen;
  i.fields = b;
}

}  // namespace

std::uint32_t Reader::float_bits(dom::element e, const Path& at) {
  double d;
  if (e.get(d) == simdjson::SUCCESS) {
    const auto f = static_cast<float>(d);
    if (static_cast<double>(f) != d) error(Code::bad_value, at, "the number is no binary32; give its bits as \"0x…\" or a nearer one", brief(e));
    return std::bit_cast<std::uint32_t>(f);
  }
  std::string_view t;
  if (e.get(t) == simdjson::SUCCESS && t.size() > 2 && t.size() <= 10 && t.substr(0, 2) == "0x" &&
      std::ranges::all_of(t.substr(2), [](unsigned char c) { return std::isxdigit(c) != 0; }))
    return static_cast<std::uint32_t>(std::stoul(std::string(t), nullptr, 16));
  error(Code::json_type, at, "a number or \"0x\" with hex digits is wanted", brief(e));
  return 0;
}

Inst read_inst(Reader& r, dom::element e, const Path& at, const Module& m) {
  Inst i;
  if (!e.is_object()) {
    r.error(Code::json_type, at, "an instruction is an object", Reader::brief(e));
    return i;
  }
  read_first(r, e, at, i);
  unsigned required = 0;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (auto* a = std::get_if<ActivationFields>(&i.fields); a != nullptr && i.is_activation() && read_activation_key(r, key, v, here, *a, required)) return true;
    if (auto* s = std::get_if<SetId>(&i.fields); s != nullptr && key == "act_func_set_id") return *s = read_set_id(r, v, here), true;
    if (auto* d = std::get_if<DrainFields>(&i.fields); d != nullptr && key == "negated") return d->negated = r.boolean(v, here), true;
    if (auto* x = std::get_if<ExponentialFields>(&i.fields); x != nullptr && key == "reduce_cmd") return x->reduce_cmd = read_mode<AccumCmd>(r, v, here, kAccumCmdTable), true;
    if (auto* b = std::get_if<Bundle>(&i.fields); b != nullptr && key == "fields") return read_isa_fields(r, v, here, m, *b), true;
    return read_common_key(r, key, v, here, m, i);
  });
  if (i.is_activation() && required != 0x7F) r.error(Code::json_missing, at, "an activation has scale, alpha, func, acc, op0, op1 and reduce_op");
  r.line = 0;
  return i;
}

}  // namespace act::ir
