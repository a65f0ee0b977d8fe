#include <algorithm>

#include "act/ir/json.h"
#include "act/isa/memory_map.h"
#include "ir/json_names.h"
#include "ir/read_inst.h"

namespace act::ir {
namespace {

constexpr std::int64_t kMaxU32 = 0xFFFFFFFF;

void read_nodes(Reader& r, dom::element e, const Path& at, const Module& m, std::vector<Node>& out);

void read_condition(Reader& r, dom::element e, const Path& at, Condition& c) {
  constexpr std::string_view kNames[] = {"ALWAYS", "LT", "LE", "EQ", "NE", "GE", "GT"};
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "compare") c.compare = static_cast<Condition::Compare>(r.choice(v, here, kNames));
    else if (key == "register") c.reg = static_cast<std::uint8_t>(r.integer(v, here, 0, kAddressRegisters - 1));
    else if (key == "value") c.value = static_cast<std::uint32_t>(r.integer(v, here, 0, kMaxU32));
    else if (key == "against_register") {
      c.against_register = true;
      c.value = static_cast<std::uint32_t>(r.integer(v, here, 0, kAddressRegisters - 1));
    } else return false;
    return true;
  });
}

// The records of a block: from the text where it was split, else from the tree.
void read_instructions(Reader& r, dom::element e, const Path& at, const Module& m, std::vector<Inst>& out) {
  std::uint64_t number = 0;
  if (r.records == nullptr || e.get(number) != simdjson::SUCCESS) {
    dom::array a;
    if (e.get(a) == simdjson::SUCCESS) out.reserve(a.size());
    return r.items(e, at, [&](dom::element item, const Path& p) { out.push_back(read_inst(r, item, p, m)); });
  }
  const std::vector<std::string_view>& records = r.records->texts.lists[number];
  out.reserve(records.size());
  for (std::size_t k = 0; k < records.size() && !r.full(); ++k) {
    const Path here{&at, {}, static_cast<std::int64_t>(k)};
    dom::element record;
    if (const auto code = r.records->parse(records[k]).get(record); code != simdjson::SUCCESS) return r.error(Code::json_syntax, here, simdjson::error_message(code));
    out.push_back(read_inst(r, record, here, m));
  }
}

// {"block": name, "instructions": […]}, {"loop": index, "trip": n, "body": […]}, {"branch": condition, "then": […], "else": […]},
// {"call": function}
Node read_node(Reader& r, dom::element e, const Path& at, const Module& m) {
  Node n;
  bool kind = false;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    const bool first = !kind;
    if (key == "block" || key == "loop" || key == "call" || key == "branch") {
      n.kind = key == "block" ? Node::Kind::block : key == "loop" ? Node::Kind::loop : key == "call" ? Node::Kind::call : Node::Kind::branch;
      if (!first) r.error(Code::bad_value, here, "an item is one of block, loop, branch and call");
      kind = true;
      if (key == "branch") read_condition(r, v, here, n.condition);
      else n.name = r.text(v, here);
    } else if (key == "instructions") {
      read_instructions(r, v, here, m, n.instructions);
    } else if (key == "trip") {
      n.trip = r.integer(v, here, 0, INT64_MAX);
    } else if (key == "body" || key == "then") {
      read_nodes(r, v, here, m, n.body);
    } else if (key == "else") {
      read_nodes(r, v, here, m, n.otherwise);
    } else {
      return false;
    }
    return true;
  });
  if (!kind && e.is_object()) r.error(Code::json_missing, at, "an item is one of block, loop, branch and call");
  if ((n.kind != Node::Kind::block && !n.instructions.empty()) || (n.kind != Node::Kind::branch && !n.otherwise.empty()) ||
      ((n.kind == Node::Kind::block || n.kind == Node::Kind::call) && !n.body.empty()))
    r.error(Code::bad_value, at, "a block has instructions, a loop a body, a branch two arms, a call nothing");
  return n;
}

void read_nodes(Reader& r, dom::element e, const Path& at, const Module& m, std::vector<Node>& out) {
  r.items(e, at, [&](dom::element item, const Path& here) { out.push_back(read_node(r, item, here, m)); });
}

TensorBinding read_tensor(Reader& r, dom::element e, const Path& at, const Module& m) {
  TensorBinding t;
  Space space = Space::sbuf;
  std::int64_t partition = 0, offset = 0;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "name") {
      t.name = r.name(v, here);
    } else if (key == "role") {
      t.role = static_cast<TensorBinding::Role>(r.choice(v, here, kRoles));
    } else if (key == "space") {
      constexpr std::string_view kSpaces[] = {"SBUF", "PSUM"};
      space = static_cast<Space>(r.choice(v, here, kSpaces));
    } else if (key == "partition") {
      partition = r.integer(v, here, 0, kPartitions - 1);
    } else if (key == "offset") {
      offset = r.integer(v, here, 0, active_bytes(Space::sbuf, Generation::maverick) - 1);
    } else if (key == "dtype") {
      const std::string_view name = r.name(v, here);
      const DtypeRow* row = find_dtype(name);
      if (row == nullptr || dtype_bytes(row->dtype) == 0) r.error(Code::unknown_name, here, "no data type of whole bytes", std::string(name.substr(0, 80)));
      else t.dtype = row->dtype;
    } else if (key == "shape") {
      r.items(v, here, [&](dom::element item, const Path& p) { t.shape.push_back(static_cast<std::uint64_t>(r.integer(item, p, 1, 1 << 20))); });
    } else if (key == "line") {
      t.line = static_cast<std::uint32_t>(r.integer(v, here, 0, kMaxU32));
    } else {
      return false;
    }
    return true;
  });
  if (t.name.empty()) r.error(Code::json_missing, at, "a tensor has a name");
  if (t.shape.empty()) r.error(Code::json_missing, at, "a tensor has a shape, channels first");
  if (space == Space::psum && geometry(m.generation).psum_window == 0) r.error(Code::bad_value, at, "the generation has no PSUM", std::string(generation_name(m.generation)));
  else t.addr = make_address(space, static_cast<unsigned>(partition), static_cast<std::uint32_t>(offset), m.generation);
  if (offset >= active_bytes(space, m.generation)) r.error(Code::bad_value, at, "the offset is behind the partition's storage", std::to_string(offset), fmt::format("below {}", active_bytes(space, m.generation)));
  return t;
}

RegisterInit read_register(Reader& r, dom::element e, const Path& at) {
  RegisterInit init;
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "register") init.number = static_cast<std::uint8_t>(r.integer(v, here, 0, kAddressRegisters - 1));
    else if (key == "value") init.value = static_cast<std::uint32_t>(r.integer(v, here, 0, kMaxU32));
    else return false;
    return true;
  });
  return init;
}

// What instructions refer to has to be read before them, wherever it stands: the generation, then the tensors.
void read_generation(Reader& r, dom::element e, const Path& at, Module& m) {
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key != "generation") return true;
    const std::string_view name = r.name(v, here);
    if (const auto g = find_generation(name)) m.generation = *g;
    else if (!name.empty()) r.error(Code::unknown_name, here, "no such generation", std::string(name.substr(0, 80)));
    return true;
  });
}

void read_declarations(Reader& r, dom::element e, const Path& at, Module& m) {
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == "tensors")
      r.items(v, here, [&](dom::element item, const Path& p) {
        TensorBinding t = read_tensor(r, item, p, m);
        if (m.find_tensor(t.name) >= 0) r.error(Code::duplicate_name, p, "two tensors of one name", t.name);
        m.tensors.push_back(std::move(t));
      });
    return true;
  });
}

void read_rest(Reader& r, dom::element e, const Path& at, Module& m) {
  r.members(e, at, [&](std::string_view key, dom::element v, const Path& here) {
    if (key == kVersionKey) {
      r.integer(v, here, kFormatVersion, kFormatVersion);
    } else if (key == "name") {
      m.name = r.text(v, here);
    } else if (key == "lowered") {
      m.lowered = r.boolean(v, here);
    } else if (key == "act_set") {
      m.act_set = r.text(v, here);
    } else if (key == "attributes") {
      r.members(v, here, [&](std::string_view attribute, dom::element w, const Path& p) {
        if (attribute != "neff_feature_dynamic_pwp") return false;
        m.dynamic_pwp = r.boolean(w, p);
        return true;
      });
    } else if (key == "registers") {
      r.items(v, here, [&](dom::element item, const Path& p) { m.registers.push_back(read_register(r, item, p)); });
    } else if (key == "functions") {
      r.items(v, here, [&](dom::element item, const Path& p) {
        Function f;
        r.members(item, p, [&](std::string_view inner, dom::element w, const Path& q) {
          if (inner == "name") f.name = r.name(w, q);
          else if (inner == "body") read_nodes(r, w, q, m, f.body);
          else return false;
          return true;
        });
        m.functions.push_back(std::move(f));
      });
    } else {
      return key == "generation" || key == "tensors";
    }
    return true;
  });
  dom::element version;
  if (e.is_object() && e[kVersionKey].get(version) != simdjson::SUCCESS) r.error(Code::json_missing, at, "a module has the member actkit_module");
}

Diagnostic syntax_error(simdjson::error_code code, const std::string& file) {
  Diagnostic d = make_error(code == simdjson::CAPACITY ? Code::too_large : Code::json_syntax, simdjson::error_message(code));
  d.where.file = file;
  return d;
}

}  // namespace

Result<Module> read_module(std::string_view text, const std::string& file, const ReadLimits& limits) {
  if (text.size() > limits.bytes) return syntax_error(simdjson::CAPACITY, file);
  Records records;
  if (auto split = split_instructions(text); split && split->deepest < limits.depth) {
    records.texts = std::move(*split);
    records.end = text.data() + text.size();
    if (const auto code = records.parser.allocate(4096, limits.depth - records.texts.deepest); code != simdjson::SUCCESS) return syntax_error(code, file);
  }
  const bool is_split = records.end != nullptr;
  const std::string_view whole = is_split ? std::string_view(records.texts.skeleton) : text;
  dom::parser parser;
  if (const auto code = parser.allocate(std::max<std::size_t>(whole.size(), 64), limits.depth); code != simdjson::SUCCESS) return syntax_error(code, file);
  dom::element root;
  if (const auto code = parser.parse(simdjson::padded_string(whole)).get(root); code != simdjson::SUCCESS) return syntax_error(code, file);
  Reader r(file);
  if (is_split) r.records = &records;
  Module m;
  const Path top;
  read_generation(r, root, top, m);
  if (limits.generation) m.generation = *limits.generation;
  read_declarations(r, root, top, m);
  if (r.ok()) read_rest(r, root, top, m);
  if (!r.ok()) return r.take_errors();
  return m;
}

bool looks_like_module(std::string_view text) { return text.substr(0, 4096).find("\"actkit_module\"") != text.npos; }

}  // namespace act::ir
