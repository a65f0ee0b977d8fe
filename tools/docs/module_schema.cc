#include "module_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "act/ir/module.h"
#include "act/isa/memory_map.h"
#include "act/numeric/alu.h"
#include "act/tables/functions.h"

namespace act::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxU32 = 0xFFFFFFFF;

Json integer(std::int64_t min, std::int64_t max) { return {{"type", "integer"}, {"minimum", min}, {"maximum", max}}; }
Json unsigned_of(unsigned width) {
  if (width >= 64) return {{"type", "integer"}, {"minimum", 0}, {"maximum", ~std::uint64_t{0}}};
  return integer(0, static_cast<std::int64_t>((std::uint64_t{1} << width) - 1));
}
Json text() { return {{"type", "string"}}; }
Json name() { return {{"type", "string"}, {"minLength", 1}}; }
Json boolean() { return {{"type", "boolean"}}; }
Json definition_of(std::string_view key) { return {{"$ref", "#/$defs/" + std::string(key)}}; }
Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }
Json names(std::vector<std::string> values) { return {{"enum", std::move(values)}}; }
Json one_of(std::initializer_list<Json> choices) { return {{"oneOf", Json(choices)}}; }

// An object with exactly these members.
Json object(Json properties, std::vector<std::string> required = {}) {
  Json j{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) j["required"] = std::move(required);
  return j;
}

Json enumerators(const EnumTable& table) {
  std::vector<std::string> out;
  for (const Choice& c : table.choices) out.emplace_back(c.name);
  return names(std::move(out));
}

std::string lower_case(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string enum_key(const EnumTable& table) { return "enum_" + std::string(table.name); }

// Every enumeration of the rows once; fields refer to it.
void add_enumerations(Json& defs) {
  for (const EnumTable* table : {&kWaitModeTable, &kUpdateModeTable, &kAccumCmdTable}) defs[enum_key(*table)] = enumerators(*table);
  for (const Format* format : all_formats())
    for (const Field& f : format->fields)
      if (f.choices != nullptr) defs[enum_key(*f.choices)] = enumerators(*f.choices);
}

Json dtypes(bool whole_bytes) {
  std::vector<std::string> out;
  for (const Choice& c : kDtypeTable.choices) {
    if (whole_bytes && dtype_bytes(static_cast<Dtype>(c.value)) == 0) continue;
    for (const std::string& spelling : {std::string(c.name), lower_case(c.name), std::string(dtype_row(static_cast<Dtype>(c.value)).short_name)})
      if (std::ranges::find(out, spelling) == out.end()) out.push_back(spelling);
  }
  return names(std::move(out));
}

Json alu_ops() {
  std::vector<std::string> out;
  for (const AluOpRow& row : kAluOpRows) {
    std::string lower(row.name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    out.push_back(std::move(lower));
  }
  return names(std::move(out));
}

Json function_types() {
  std::vector<std::string> out;
  for (int ordinal = 0; ordinal < 30; ++ordinal)
    if (const FunctionInfo* f = find_function_by_ordinal(ordinal); f != nullptr) out.emplace_back(f->bir_name);
  out.emplace_back("Unknown");
  return names(std::move(out));
}

template <class Enum>
Json names_of(unsigned count, std::string_view (*name_of)(Enum)) {
  std::vector<std::string> out;
  for (unsigned k = 0; k < count; ++k) out.emplace_back(name_of(static_cast<Enum>(k)));
  return names(std::move(out));
}

// --- operands ----------------------------------------------------------------------------------------------------------

Json numbers(Json item) { return {{"type", "array"}, {"items", std::move(item)}, {"minItems", 1}, {"maxItems", 4}}; }
Json steps() { return numbers(integer(INT16_MIN, INT16_MAX)); }
Json counts(int min) { return numbers(integer(min, UINT16_MAX)); }

Json tensor_operand() {
  return object({{"tensor", name()}, {"partition", integer(0, kPartitions - 1)}, {"offset", integer(0, 1 << 20)}, {"dtype", definition_of("dtype")}, {"channels", integer(1, kPartitions)}, {"step", steps()}, {"num", counts(1)}},
                {"tensor"});
}
Json address_operand() {
  return object({{"addr", integer(0, kAddressMask)}, {"dtype", definition_of("dtype")}, {"channels", integer(1, kPartitions)}, {"step", steps()}, {"num", counts(1)}}, {"addr", "dtype", "channels", "step", "num"});
}

void add_operands(Json& defs) {
  defs["binary32"] = one_of({{{"type", "number"}}, {{"type", "string"}, {"pattern", "^0x[0-9a-fA-F]{1,8}$"}}});
  defs["binary32"]["description"] = "a number that a binary32 holds exactly, or the bits in hex";
  defs["dtype"] = dtypes(false);
  defs["tensor_operand"] = tensor_operand();
  defs["operand"] = one_of({definition_of("tensor_operand"), address_operand(), object({{"register", integer(0, kAddressRegisters - 1)}}, {"register"}), object({{"immediate", definition_of("binary32")}}, {"immediate"})});
  Json sync{{"wait_mode", definition_of(enum_key(kWaitModeTable))}, {"wait_idx", integer(0, 255)}, {"update_mode", definition_of(enum_key(kUpdateModeTable))}, {"update_idx", integer(0, 255)}, {"sync_value", integer(0, kMaxU32)}};
  defs["sync_info"] = object(std::move(sync));
  const Json any = integer(INT64_MIN, INT64_MAX);
  const Json term = object({{"idx", text()}, {"coef", any}, {"op", names({"mul", "floordiv", "mod"})}, {"k", any}});
  defs["set_id"] = one_of({integer(0, ir::kNoSet), object({{"affine", object({{"const", any}, {"terms", list_of(term)}})}})});
}

// --- instructions ------------------------------------------------------------------------------------------------------

Json common_keys(Json opcode) {
  Json p{{"opcode", std::move(opcode)}, {"engine", names_of<ir::EngineId>(8, ir::engine_id_name)}, {"name", text()}, {"line", integer(0, kMaxU32)}, {"sync_info", definition_of("sync_info")}};
  for (const char* key : {"engine_id", "indirection_ins", "predicates", "order", "origin", "dependencies", "loop_carried_dependencies", "unroll_dependencies", "optin_passes", "loopnest", "scheduled_start", "scheduled_end", "debug"})
    p[key] = true;  // published header keys, kept and not interpreted
  return p;
}

Json constant(std::string_view value) { return {{"const", std::string(value)}}; }

// A class of instructions: its keys beside the common ones, and how many operands it has.
Json instruction(ir::InstKind kind, Json keys, unsigned ins_min, unsigned ins_max, unsigned outs_min, unsigned outs_max, std::vector<std::string> required = {}) {
  Json p = common_keys(constant(ir::inst_kind_name(kind)));
  const auto operands = [](unsigned min, unsigned max) { return Json{{"type", "array"}, {"items", definition_of("operand")}, {"minItems", min}, {"maxItems", max}}; };
  p["ins"] = operands(ins_min, ins_max);
  p["outs"] = operands(outs_min, outs_max);
  for (auto& [key, value] : keys.items()) p[key] = value;
  required.insert(required.begin(), "opcode");
  if (ins_min != 0) required.emplace_back("ins");
  if (outs_min != 0) required.emplace_back("outs");
  return object(std::move(p), std::move(required));
}

Json field_schema(const Field& f) {
  const Json number = unsigned_of(f.width);
  switch (f.kind) {
    case Kind::enumerator: return one_of({definition_of(enum_key(*f.choices)), number});
    case Kind::nibbles: {
      const Json nibble = one_of({definition_of(enum_key(*f.choices)), integer(0, 15)});
      return one_of({integer(0, 255), object({{"lo", nibble}, {"hi", nibble}}, {"lo", "hi"})});
    }
    case Kind::sinteger: return integer(-(std::int64_t{1} << (f.width - 1)), (std::int64_t{1} << (f.width - 1)) - 1);
    case Kind::address:
    case Kind::immediate:
    case Kind::wide_immediate: return one_of({number, definition_of("tensor_operand")});
    case Kind::bytes:
    case Kind::text: return {{"type", "string"}, {"pattern", "^[0-9a-fA-F]{" + std::to_string(2 * f.bytes()) + "}$"}};
    case Kind::tensor: {
      const auto row = [&](Json item) { return Json{{"type", "array"}, {"items", std::move(item)}, {"minItems", f.dims}, {"maxItems", f.dims}}; };
      Json plain = object({{"addr", integer(0, kMaxU32)}, {"step", row(integer(INT16_MIN, INT16_MAX))}, {"num", row(integer(0, UINT16_MAX))}}, {"addr", "step", "num"});
      if (!f.indirect || f.dims < 3) return one_of({definition_of("tensor_operand"), plain});
      return one_of({definition_of("tensor_operand"), plain, object({{"index_addr", integer(0, kMaxU32)}, {"data_addr", integer(0, kMaxU32)}, {"count", integer(0, UINT16_MAX)}}, {"index_addr", "data_addr", "count"})});
    }
    case Kind::integer:
    case Kind::f32: break;
  }
  return number;
}

Json fields_schema(const Format& format) {
  Json p = Json::object();
  for (const Field& f : format.fields)
    if (f.name != "opcode") p[std::string(f.name)] = field_schema(f);
  return object(std::move(p));
}

// Records of the other opcodes: by format, the opcodes that have it and their fields.
Json isa_record(Json& defs) {
  std::vector<Json> forms;
  for (const Format* format : all_formats()) {
    std::vector<std::string> opcodes;
    for (const OpcodeInfo& row : all_opcodes())
      if (&format_of(row.format) == format && row.opcode != Opcode::ACTIVATION_TABLE_LOAD && row.opcode != Opcode::PSEUDO_LOAD_ACT_FUNC_SET) opcodes.emplace_back(row.name);
    if (format->name == "RAW") {
      for (unsigned code = 0; code < 256; ++code) {
        const std::string n = opcode_name(static_cast<std::uint8_t>(code));
        if (n.starts_with("OP_")) opcodes.push_back(n);
      }
    }
    if (opcodes.empty()) continue;
    const std::string key = "fields_" + std::string(format->name);
    defs[key] = fields_schema(*format);
    forms.push_back(instruction(ir::InstKind::Isa, {{"instruction", names(std::move(opcodes))}, {"fields", definition_of(key)}}, 0, 0, 0, 0, {"instruction"}));
  }
  return {{"oneOf", std::move(forms)}};
}

Json activation_record() {
  Json keys{{"scale", definition_of("binary32")}, {"alpha", definition_of("binary32")}, {"func", definition_of("function")}, {"acc", names({"Idle", "Zero", "Accumulate", "ZeroAccumulate", "AddAccumulate", "LoadAccumulate"})}, {"op0", definition_of("alu_op")}, {"op1", definition_of("alu_op")}, {"reduce_op", definition_of("alu_op")}};
  std::vector<std::string> required;
  for (auto& [key, value] : keys.items()) required.push_back(key);
  for (const char* flag : {"is_activate2", "reverse0", "reverse1", "can_read_uninit"}) keys[flag] = boolean();
  return instruction(ir::InstKind::Activation, std::move(keys), 4, 4, 1, 2, std::move(required));
}

void add_instructions(Json& defs) {
  using ir::InstKind;
  defs["function"] = function_types();
  defs["alu_op"] = alu_ops();
  defs["activation"] = activation_record();
  defs["load"] = instruction(InstKind::LoadActFuncSet, {{"act_func_set_id", definition_of("set_id")}}, 0, 0, 0, 0);
  defs["isa"] = isa_record(defs);
  const Json negated{{"negated", boolean()}};
  Json kinds = Json::array({definition_of("activation"), definition_of("load"), definition_of("isa")});
  kinds.push_back(instruction(InstKind::ReadActivationAccumulator, Json::object(), 0, 0, 1, 1));
  kinds.push_back(instruction(InstKind::ActivationReadAccumulator, Json::object(), 0, 0, 1, 1));
  kinds.push_back(instruction(InstKind::DveReadAccumulator, negated, 0, 0, 1, 1));
  kinds.push_back(instruction(InstKind::Reciprocal, Json::object(), 1, 1, 1, 1));
  kinds.push_back(instruction(InstKind::GenericRelu, Json::object(), 1, 1, 1, 1));
  kinds.push_back(instruction(InstKind::Exponential, {{"reduce_cmd", definition_of(enum_key(kAccumCmdTable))}}, 1, 3, 1, 1));
  defs["instruction"] = {{"oneOf", std::move(kinds)}};
}

// --- structure -----------------------------------------------------------------------------------------------------------

void add_structure(Json& defs) {
  const Json reg = integer(0, kAddressRegisters - 1);
  Json tensor{{"name", name()}, {"role", names({"input", "output", "both", "scratch"})}, {"space", names({"SBUF", "PSUM"})}, {"partition", integer(0, kPartitions - 1)},
              {"offset", integer(0, active_bytes(Space::sbuf, Generation::maverick) - 1)}, {"dtype", dtypes(true)}, {"shape", {{"type", "array"}, {"items", integer(1, 1 << 20)}, {"minItems", 1}}}, {"line", integer(0, kMaxU32)}};
  defs["tensor"] = object(std::move(tensor), {"name", "shape"});
  defs["condition"] = object({{"compare", names_of<ir::Condition::Compare>(7, ir::compare_name)}, {"register", reg}, {"value", integer(0, kMaxU32)}, {"against_register", reg}});
  defs["condition"]["not"] = {{"required", {"value", "against_register"}}};
  defs["items"] = list_of(one_of({
      object({{"block", text()}, {"instructions", list_of(definition_of("instruction"))}}, {"block"}),
      object({{"loop", name()}, {"trip", integer(0, INT64_MAX)}, {"body", definition_of("items")}}, {"loop"}),
      object({{"branch", definition_of("condition")}, {"then", definition_of("items")}, {"else", definition_of("items")}}, {"branch"}),
      object({{"call", text()}}, {"call"}),
  }));
}

}  // namespace

std::string module_schema() {
  std::vector<std::string> generations;
  for (const Generation g : {Generation::sunda, Generation::cayman, Generation::mariana, Generation::maverick}) generations.emplace_back(generation_name(g));
  Json defs = Json::object();
  add_enumerations(defs);
  add_operands(defs);
  add_instructions(defs);
  add_structure(defs);
  Json properties{{"actkit_module", {{"const", 1}}},
                  {"name", text()},
                  {"generation", names(std::move(generations))},
                  {"lowered", boolean()},
                  {"act_set", text()},
                  {"attributes", object({{"neff_feature_dynamic_pwp", boolean()}})},
                  {"tensors", list_of(definition_of("tensor"))},
                  {"registers", list_of(object({{"register", integer(0, kAddressRegisters - 1)}, {"value", integer(0, kMaxU32)}}))},
                  {"functions", {{"type", "array"}, {"items", object({{"name", name()}, {"body", definition_of("items")}}, {"name"})}, {"minItems", 1}}}};
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "actkit module"},
              {"description", "Made by actkit-docs from the rows; docs/module.md explains it. Names that refer to something in the module, placement and operand bounds are checked by `actkit check`."}};
  const Json body = object(std::move(properties), {"actkit_module", "functions"});
  for (const auto& [key, value] : body.items()) schema[key] = value;
  schema["$defs"] = std::move(defs);
  return schema.dump(1) + "\n";
}

}  // namespace act::tool
