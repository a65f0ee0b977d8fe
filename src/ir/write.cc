// The canonical JSON text of a module: two-space structure down to one line per instruction, tensor and register.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "act/ir/json.h"
#include "act/isa/memory_map.h"
#include "act/rows/json.h"
#include "act/tables/functions.h"
#include "ir/json_names.h"
#include "ir/tensor_index.h"

namespace act::ir {
namespace {

std::string json_text(std::string_view text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string lower(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Decimal when it reads back to the same bits, else the bits in hex (NaN, infinity, -0).
std::string number(std::uint32_t bits) {
  const float v = std::bit_cast<float>(bits);
  if (!std::isfinite(v) || (v == 0 && bits != 0)) return fmt::format("\"0x{:08x}\"", bits);
  return fmt::format("{}", static_cast<double>(v));
}

template <class T>
std::string list(const std::array<T, 4>& values, unsigned n) {
  std::string out = "[";
  for (unsigned i = 0; i < n; ++i) out += fmt::format("{}{}", i == 0 ? "" : ",", values[i]);
  return out + "]";
}

// "tensor" and where in it, without the braces.
std::string place_in(const Module& m, std::int32_t tensor, unsigned partition, std::uint32_t element) {
  std::string out = fmt::format("\"tensor\":{}", json_text(m.tensors[static_cast<std::size_t>(tensor)].name));
  if (partition != 0) out += fmt::format(",\"partition\":{}", partition);
  if (element != 0) out += fmt::format(",\"offset\":{}", element);
  return out;
}

// A pattern of a tensor is written relative to it, without what is the same for the whole tensor; others by their address.
std::string pattern(const Argument& a, const Module& m) {
  if (a.tensor < 0)
    return fmt::format("{{\"addr\":{},\"dtype\":\"{}\",\"channels\":{},\"step\":{},\"num\":{}}}", a.value, dtype_name(a.dtype), a.channels, list(a.step, a.dims), list(a.num, a.dims));
  const TensorBinding& t = m.tensors[static_cast<std::size_t>(a.tensor)];
  const Location base = locate(t.addr, m.generation), at = locate(a.value, m.generation);
  std::string out(1, '{');
  out += place_in(m, a.tensor, at.partition - base.partition, (at.offset - base.offset) / dtype_bytes(t.dtype));
  const std::optional<Argument> whole = whole_tensor(m, a.tensor);
  if (a.dtype != t.dtype) out += fmt::format(",\"dtype\":\"{}\"", dtype_name(a.dtype));
  if (a.channels != std::min<std::uint64_t>(t.shape[0], kPartitions)) out += fmt::format(",\"channels\":{}", a.channels);
  if (!whole || a.dims != whole->dims || a.step != whole->step || a.num != whole->num) out += fmt::format(",\"step\":{},\"num\":{}", list(a.step, a.dims), list(a.num, a.dims));
  out += '}';
  return out;
}

std::string argument(const Argument& a, const Module& m) {
  switch (a.kind) {
    case Argument::Kind::pattern: return pattern(a, m);
    case Argument::Kind::reg: return fmt::format("{{\"register\":{}}}", a.value);
    case Argument::Kind::immediate: break;
  }
  return fmt::format("{{\"immediate\":{}}}", number(a.value));
}

void append_arguments(std::string& out, std::string_view key, const std::vector<Argument>& list_, const Module& m) {
  if (list_.empty()) return;
  out += fmt::format(",\"{}\":[", key);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (i != 0) out += ',';
    out += argument(list_[i], m);
  }
  out += ']';
}

void append_sync(std::string& out, const Sync& s) {
  if (s.empty()) return;
  const Choice* wait = kWaitModeTable.find(static_cast<std::uint64_t>(s.wait_mode));
  const Choice* update = kUpdateModeTable.find(static_cast<std::uint64_t>(s.update_mode));
  out += fmt::format(",\"sync_info\":{{\"wait_mode\":\"{}\",\"wait_idx\":{},\"update_mode\":\"{}\",\"update_idx\":{},\"sync_value\":{}}}", wait->name, s.wait_idx, update->name, s.update_idx, s.sync_value);
}

std::string_view func_name(std::uint8_t ordinal) {
  const FunctionInfo* f = find_function_by_ordinal(ordinal);
  return f != nullptr ? f->bir_name : "Unknown";
}

// A field that holds an address of a tensor, by the tensor's name; empty for others. Reading it gives the same bits.
std::string named_field(const Bundle& b, const Format& format, const Field& f, const Module& m, const TensorIndex& tensors) {
  const bool scalar = f.kind == Kind::immediate || f.kind == Kind::wide_immediate;
  if (scalar) {
    const std::string sources[] = {std::string(f.name) + "_src", std::string(f.name) + "_src_n", std::string(f.name) + "_is_ptr"};
    const Field* source = nullptr;
    for (const std::string& name : sources)
      if (source == nullptr) source = format.find(name);
    if (source == nullptr && f.name.ends_with("_value")) source = format.find(std::string(f.name.substr(0, f.name.size() - 6)) + "_src");
    if (source == nullptr || get(b, *source) != (source->choices == &kImmSrcNTable ? 0u : 1u)) return {};
  }
  if (!scalar && f.kind != Kind::address && f.kind != Kind::tensor) return {};
  const TensorView t = f.kind == Kind::tensor ? get_tensor(b, f) : TensorView{static_cast<std::uint32_t>(get(b, f)), 0, {}, {}};
  if (f.kind == Kind::wide_immediate && get(b, f) > kAddressMask) return {};
  const auto place = tensors.find(t.addr);
  if (!place) return {};
  std::string out(1, '{');
  out += place_in(m, place->tensor, place->partition, place->element);
  if (f.kind == Kind::tensor) {
    const std::optional<Argument> whole = whole_tensor(m, place->tensor);
    const auto same = [&](const auto& values, const auto& wanted) { return std::equal(values.begin(), values.begin() + f.dims, wanted.begin()); };
    if (!whole || whole->dims > f.dims || !same(t.step, whole->step) || !same(t.num, whole->num)) out += fmt::format(",\"step\":{},\"num\":{}", list(t.step, f.dims), list(t.num, f.dims));
  }
  out += '}';
  return out;
}

struct FieldWriter {
  std::string& out;
  const Inst& inst;
  const Module& m;
  const TensorIndex& tensors;

  void operator()(std::monostate) const {}
  void operator()(const ActivationFields& a) const {
    if (!inst.is_activation()) return;
    out += fmt::format(",\"func\":\"{}\",\"acc\":\"{}\",\"scale\":{},\"alpha\":{},\"op0\":\"{}\",\"op1\":\"{}\",\"reduce_op\":\"{}\"", func_name(a.func), kAccumulations[static_cast<std::size_t>(a.acc)],
                       number(a.scale), number(a.alpha), lower(alu_op_name(a.op0)), lower(alu_op_name(a.op1)), lower(alu_op_name(a.reduce_op)));
    for (const auto& [key, value] : {std::pair{"is_activate2", a.is_activate2}, std::pair{"reverse0", a.reverse0}, std::pair{"reverse1", a.reverse1}, std::pair{"can_read_uninit", a.can_read_uninit}})
      if (value) out += fmt::format(",\"{}\":true", key);
  }
  void operator()(const SetId& s) const {
    if (const auto* id = std::get_if<std::int64_t>(&s.value)) {
      if (*id != kNoSet) out += fmt::format(",\"act_func_set_id\":{}", *id);
      return;
    }
    const Affine& a = std::get<Affine>(s.value);
    out += fmt::format(",\"act_func_set_id\":{{\"affine\":{{\"const\":{},\"terms\":[", a.constant);
    for (std::size_t i = 0; i < a.terms.size(); ++i)
      out += fmt::format("{}{{\"idx\":{},\"coef\":{},\"op\":\"{}\",\"k\":{}}}", i == 0 ? "" : ",", json_text(a.terms[i].index), a.terms[i].coefficient, kAffineOps[static_cast<std::size_t>(a.terms[i].op)], a.terms[i].k);
    out += "]}}";
  }
  void operator()(const DrainFields& d) const {
    if (d.negated) out += ",\"negated\":true";
  }
  void operator()(const ExponentialFields& x) const {
    if (x.reduce_cmd != AccumCmd::IDLE) out += fmt::format(",\"reduce_cmd\":\"{}\"", kAccumCmdTable.find(static_cast<std::uint64_t>(x.reduce_cmd))->name);
  }
  // Fields that are not zero; the opcode stands in "instruction".
  void operator()(const Bundle& b) const {
    const Format& format = *format_of(b);
    out += fmt::format(",\"instruction\":\"{}\",\"fields\":{{", opcode_name(b.opcode()));
    bool first = true;
    for (const Field& f : format.fields) {
      const bool standard = f.name == "inst_word_len" && get(b, f) == kInstWordLen;
      const bool pointer = f.kind == Kind::immediate || f.kind == Kind::wide_immediate || f.kind == Kind::address;
      const std::string named = f.kind == Kind::tensor || pointer ? named_field(b, format, f, m, tensors) : std::string{};
      const bool zero = std::ranges::all_of(bytes_of(Record(b), f), [](std::uint8_t x) { return x == 0; });
      if (f.name == "opcode" || standard || (zero && named.empty()) || (zero && f.kind == Kind::tensor)) continue;
      out += fmt::format("{}\"{}\":{}", first ? "" : ",", f.name, named.empty() ? field_to_json(b, f).dump() : named);
      first = false;
    }
    out += '}';
  }
};

std::string instruction(const Inst& i, const Module& m, const TensorIndex& tensors) {
  std::string out = fmt::format("{{\"opcode\":\"{}\",\"engine\":\"{}\"", inst_kind_name(i.kind), engine_id_name(i.engine));
  if (!i.name.empty()) out += ",\"name\":" + json_text(i.name);
  if (i.line != 0) out += fmt::format(",\"line\":{}", i.line);
  append_arguments(out, "ins", i.ins, m);
  append_arguments(out, "outs", i.outs, m);
  std::visit(FieldWriter{out, i, m, tensors}, i.fields);
  append_sync(out, i.sync);
  return out + i.extras + "}";
}

std::string condition(const Condition& c) {
  std::string out = fmt::format("{{\"compare\":\"{}\"", compare_name(c.compare));
  if (c.compare != Condition::Compare::ALWAYS) out += fmt::format(",\"register\":{},\"{}\":{}", c.reg, c.against_register ? "against_register" : "value", c.value);
  return out + "}";
}

class Writer {
 public:
  explicit Writer(const Module& m) : m_(m), tensors_(m) {}

  std::string run() {
    out_ = fmt::format("{{\n  \"{}\": {},\n  \"name\": {},\n  \"generation\": \"{}\"", kVersionKey, kFormatVersion, json_text(m_.name), generation_name(m_.generation));
    if (m_.lowered) out_ += ",\n  \"lowered\": true";
    if (m_.dynamic_pwp) out_ += ",\n  \"attributes\": {\"neff_feature_dynamic_pwp\": true}";
    if (!m_.act_set.empty()) out_ += ",\n  \"act_set\": " + json_text(m_.act_set);
    lines("tensors", m_.tensors, [&](const TensorBinding& t) { return tensor(t); });
    lines("registers", m_.registers, [](const RegisterInit& r) { return fmt::format("{{\"register\":{},\"value\":{}}}", r.number, r.value); });
    out_ += ",\n  \"functions\": [";
    for (std::size_t i = 0; i < m_.functions.size(); ++i) {
      out_ += fmt::format("{}\n    {{\"name\": {}, \"body\": ", i == 0 ? "" : ",", json_text(m_.functions[i].name));
      nodes(m_.functions[i].body, 4);
      out_ += "}";
    }
    return std::move(out_) + (m_.functions.empty() ? "]\n}\n" : "\n  ]\n}\n");
  }

 private:
  template <class T, class Print>
  void lines(std::string_view key, const std::vector<T>& items, Print&& print) {
    if (items.empty()) return;
    out_ += fmt::format(",\n  \"{}\": [", key);
    for (std::size_t i = 0; i < items.size(); ++i) out_ += (i == 0 ? "\n    " : ",\n    ") + print(items[i]);
    out_ += "\n  ]";
  }

  std::string tensor(const TensorBinding& t) const {
    const Location at = locate(t.addr, m_.generation);
    std::string shape;
    for (const std::uint64_t n : t.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ",", n);
    return fmt::format("{{\"name\":{},\"role\":\"{}\",\"space\":\"{}\",\"partition\":{},\"offset\":{},\"dtype\":\"{}\",\"shape\":[{}]{}}}", json_text(t.name), kRoles[static_cast<std::size_t>(t.role)], space_name(at.space),
                       at.partition, at.offset, dtype_name(t.dtype), shape, t.line == 0 ? "" : fmt::format(",\"line\":{}", t.line));
  }

  void nodes(const std::vector<Node>& list_, std::size_t indent) {
    out_ += '[';
    for (std::size_t i = 0; i < list_.size(); ++i) {
      out_ += fmt::format("{}\n{:{}}", i == 0 ? "" : ",", "", indent + 2);
      node(list_[i], indent + 2);
    }
    out_ += list_.empty() ? "]" : fmt::format("\n{:{}}]", "", indent);
  }

  void node(const Node& n, std::size_t indent) {
    switch (n.kind) {
      case Node::Kind::block:
        out_ += fmt::format("{{\"block\": {}, \"instructions\": [", json_text(n.name));
        for (std::size_t i = 0; i < n.instructions.size(); ++i) {
          out_ += fmt::format("{}\n{:{}}", i == 0 ? "" : ",", "", indent + 2);
          out_ += instruction(n.instructions[i], m_, tensors_);
        }
        out_ += n.instructions.empty() ? "]}" : fmt::format("\n{:{}}]}}", "", indent);
        return;
      case Node::Kind::loop:
        out_ += fmt::format("{{\"loop\": {}, \"trip\": {}, \"body\": ", json_text(n.name), n.trip);
        nodes(n.body, indent);
        out_ += '}';
        return;
      case Node::Kind::branch:
        out_ += fmt::format("{{\"branch\": {}, \"then\": ", condition(n.condition));
        nodes(n.body, indent);
        out_ += ", \"else\": ";
        nodes(n.otherwise, indent);
        out_ += '}';
        return;
      case Node::Kind::call: out_ += fmt::format("{{\"call\": {}}}", json_text(n.name));
    }
  }

  const Module& m_;
  TensorIndex tensors_;
  std::string out_;
};

}  // namespace

std::string write_module(const Module& module) { return Writer(module).run(); }

}  // namespace act::ir
