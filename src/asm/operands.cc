#include "asm/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "act/tables/functions.h"
#include "asm/numbers.h"

namespace act::text {
namespace {

// Fields whose data types are written behind another operand.
struct DtypeLink {
  std::string_view dtype;
  std::uint8_t shift, mask;
  std::array<std::string_view, 2> operands;  // the first that the format has
  int code = Operand::kAbsent;               // meant when the text names none
};
constexpr std::uint8_t kWhole = 0xFF, kHalf = 0x0F;
constexpr int kFp32 = static_cast<int>(Dtype::fp32);
constexpr DtypeLink kDtypeLinks[] = {
    {"in_dtype", 0, kWhole, {"src_mem_pattern", ""}},
    {"out_dtype", 0, kWhole, {"dst_mem_pattern", ""}},
    {"dtype", 0, kWhole, {"dst_mem_pattern", ""}},
    {"in_bias_dtype", 0, kHalf, {"src_mem_pattern", ""}},
    {"in_bias_dtype", 4, kHalf, {"bias", "bias_addr"}, kFp32},
    {"in0_in1_dtype", 0, kHalf, {"src0_mem_pattern", ""}},
    {"in0_in1_dtype", 4, kHalf, {"src1_mem_pattern", ""}},
    {"in_out_dtype", 0, kHalf, {"src_mem_pattern", ""}},
    {"in_out_dtype", 4, kHalf, {"dst_mem_pattern", ""}},
    {"imm0_imm1_dtype", 0, kHalf, {"imm0", ""}},
    {"imm0_imm1_dtype", 4, kHalf, {"imm1", ""}},
};

// Other names under which operands are read: the short ones people write, and those of the vendor's profiler.
struct Alias {
  std::string_view alias, first, second = {};
  bool pointer = false;
};
constexpr Alias kAliases[] = {
    {"src", "src_mem_pattern"},
    {"src0", "src0_mem_pattern"},
    {"src1", "src1_mem_pattern"},
    {"dst", "dst_mem_pattern"},
    {"prev_pass", "prev_pass_mem_pattern"},
    {"channels", "num_active_channels"},
    {"func", "activation_func"},
    {"scale", "scale_value"},
    {"bias_ptr", "bias", {}, true},
    {"scale_ptr", "scale_value", {}, true},
    {"imm_ptr", "imm", {}, true},
    {"set", "act_tbl_sel"},
    {"table_sel", "act_tbl_sel"},
    {"dim", "op_dim"},
    {"ops", "op0", "op1"},
    {"imm", "imm0", "imm1"},
    {"imm_src", "imm0_src", "imm1_src"},
    {"semaphore_value", "sync_value"},
};
struct ChoiceAlias {
  std::string_view table, alias, name;
};
constexpr ChoiceAlias kChoiceAliases[] = {
    {"alu_op", "MULTIPLY", "MULT"},
    {"imm_src", "INSTRUCTION", "INSTRUCTION_IMMEDIATE"},
    {"imm_src", "PTR", "POINTER_IMMEDIATE"},
    {"imm_src", "REG_PTR", "REG_PTR_IMMEDIATE"},
    {"imm_src_n", "PTR", "POINTER"},
};

// Integers that are patterns or addresses rather than amounts.
constexpr std::string_view kPatterns[] = {"inst_flags", "imm_ptr_select", "scratch_space_addr", "set_value", "mask",
                                          "core_mask",  "soc_addr"};

// What an operand that is not written stands for, where that is not zero: an activation without a scale or bias has the
// scale 1 and the bias 0, both in the instruction.
struct Default {
  FormatId format;
  std::string_view operand;
  std::uint32_t bits;
  std::uint8_t selector, dtype;
};
constexpr Default kDefaults[] = {
    {FormatId::S3D3_AC, "scale_value", 0x3F800000, static_cast<std::uint8_t>(ImmSrc::INSTRUCTION_IMMEDIATE), 0},
    {FormatId::S3D3_AC, "bias", 0, static_cast<std::uint8_t>(ImmSrcN::INSTRUCTION), static_cast<std::uint8_t>(kFp32)},
};

bool contains(std::span<const std::string_view> list, std::string_view name) { return std::ranges::count(list, name) != 0; }

Shape shape_of(const Field& f) {
  if (f.name == "activation_func") return Shape::function;
  switch (f.kind) {
    case Kind::tensor: return Shape::tensor;
    case Kind::immediate: return Shape::immediate;
    case Kind::wide_immediate: return Shape::wide;
    case Kind::f32: return Shape::f32;
    case Kind::address: return Shape::address;
    case Kind::enumerator: return Shape::enumerator;
    case Kind::nibbles: return Shape::pair;
    case Kind::bytes: return Shape::bytes;
    case Kind::text: return Shape::string;
    case Kind::integer:
    case Kind::sinteger: break;
  }
  return contains(kPatterns, f.name) ? Shape::pattern : Shape::integer;
}

// Print order: function, operations, tensors, channels, immediates, the rest in wire order.
int rank(const Operand& x) {
  if (x.shape == Shape::function) return 0;
  if (x.name.starts_with("op")) return 1;
  if (x.shape == Shape::tensor) return 2;
  if (x.name == "num_active_channels") return 3;
  return x.shape == Shape::immediate || x.shape == Shape::wide ? 4 : 5;
}

constexpr std::string_view kEventFields[] = {"wait_mode", "wait_idx", "update_mode", "update_idx", "sync_value"};

bool is_selector(const Field& f) { return f.type == "imm_src" || f.type == "imm_src_n"; }

// "imm0_src", "imm0_is_ptr", "scale_src" and "bias_src_n" select imm0, imm0, scale_value and bias.
bool selects(std::string_view selector, std::string_view operand) {
  if (operand.ends_with("_value")) operand.remove_suffix(6);
  if (!selector.starts_with(operand)) return false;
  selector.remove_prefix(operand.size());
  return selector == "_src" || selector == "_src_n" || selector == "_is_ptr";
}

void link_selector(Operand& x, const Format& format) {
  if (x.shape != Shape::immediate && x.shape != Shape::wide) return;
  for (const Field& f : format.fields) {
    if (!is_selector(f) || !selects(f.name, x.name)) continue;
    x.selector_byte = static_cast<int>(f.byte());
    x.selector_name = f.name;
    if (f.type == "imm_src_n") {
      x.inline_code = static_cast<std::uint8_t>(ImmSrcN::INSTRUCTION);
      x.pointer_code = static_cast<std::uint8_t>(ImmSrcN::POINTER);
    }
  }
}

void link_dtypes(Plan& plan, const DtypeLink& link) {
  const Field* dtype = plan.format->find(link.dtype);
  if (dtype == nullptr) return;
  for (const std::string_view name : link.operands) {
    const auto x = std::ranges::find(plan.operands, name, &Operand::name);
    if (x == plan.operands.end()) continue;
    x->dtype_byte = static_cast<int>(dtype->byte());
    x->dtype_shift = link.shift;
    x->dtype_mask = link.mask;
    x->dtype_default = link.code;
    // The field is still read under its own name.
    std::ranges::find(plan.operands, link.dtype, &Operand::name)->printed = false;
    return;
  }
}

Operand make_operand(const Field& f) {
  Operand x;
  x.name = f.name;
  x.field = &f;
  x.shape = shape_of(f);
  x.byte = static_cast<std::uint8_t>(f.byte());
  x.bytes = static_cast<std::uint8_t>(f.bytes());
  if (f.choices != nullptr) x.choices = &names_of(*f.choices);
  // The opcode is the mnemonic; events and selectors are written with what they belong to.
  x.printed = !contains(kEventFields, f.name) && !is_selector(f);
  x.derived_count = f.name == "dst_element_count";
  return x;
}

void set_defaults(Plan& plan, FormatId id) {
  for (const Default& d : kDefaults) {
    if (d.format != id) continue;
    Operand& x = *std::ranges::find(plan.operands, d.operand, &Operand::name);
    x.default_bits = d.bits;
    x.default_selector = d.selector;
    x.default_dtype = d.dtype;
    std::memcpy(plan.defaults.bytes.data() + x.byte, &d.bits, sizeof d.bits);
    plan.defaults.bytes[static_cast<std::size_t>(x.selector_byte)] = d.selector;
    if (x.dtype_byte >= 0) plan.defaults.bytes[static_cast<std::size_t>(x.dtype_byte)] |= static_cast<std::uint8_t>(d.dtype << x.dtype_shift);
  }
  Operand& length = *std::ranges::find(plan.operands, "inst_word_len", &Operand::name);
  length.default_bits = kInstWordLen;
  plan.defaults.bytes[length.byte] = kInstWordLen;
}

void add_names(Plan& plan) {
  const auto index_of = [&plan](std::string_view name) {
    const auto x = std::ranges::find(plan.operands, name, &Operand::name);
    return x == plan.operands.end() ? Operand::kAbsent : static_cast<int>(x - plan.operands.begin());
  };
  const auto add = [&plan](std::string_view name, int first, int second, bool pointer) {
    plan.targets.push_back({first, second, pointer});
    plan.names.add(name, static_cast<int>(plan.targets.size() - 1));
  };
  for (std::size_t i = 0; i < plan.operands.size(); ++i) add(plan.operands[i].name, static_cast<int>(i), Operand::kAbsent, false);
  for (const Alias& a : kAliases) {
    const int first = index_of(a.first), second = a.second.empty() ? Operand::kAbsent : index_of(a.second);
    if (first != Operand::kAbsent && (a.second.empty() || second != Operand::kAbsent)) add(a.alias, first, second, a.pointer);
  }
}

Plan make_plan(FormatId id) {
  Plan plan;
  plan.format = &format_of(id);
  for (const Field& f : plan.format->fields)
    if (f.name != "opcode") plan.operands.push_back(make_operand(f));
  for (const DtypeLink& link : kDtypeLinks) link_dtypes(plan, link);
  for (Operand& x : plan.operands) link_selector(x, *plan.format);
  std::ranges::stable_sort(plan.operands, {}, [](const Operand& x) { return (x.printed ? 0 : 100) + rank(x); });
  plan.printed = static_cast<std::size_t>(std::ranges::count(plan.operands, true, &Operand::printed));
  set_defaults(plan, id);
  add_names(plan);
  const auto dst = std::ranges::find(plan.operands, "dst_mem_pattern", &Operand::name);
  plan.dst = dst == plan.operands.end() ? 0 : static_cast<std::size_t>(dst - plan.operands.begin());
  return plan;
}

Mnemonic make_mnemonic(std::uint8_t opcode) {
  Mnemonic m;
  Bundle b;
  b.bytes[0] = opcode;
  const Format* format = format_of(b);
  if (format == nullptr) return m;
  const std::string name = opcode_name(opcode);
  m.length = static_cast<std::uint8_t>(std::min(name.size(), m.name.size()));
  std::transform(name.begin(), name.begin() + m.length, m.name.begin(), numeric_detail::ascii_lower);
  m.bitvec = name.ends_with("_BITVEC_OP");
  for (unsigned id = 1; id <= all_formats().size(); ++id)
    if (all_formats()[id - 1] == format) m.plan = &plan_of(static_cast<FormatId>(id));
  // "activation_table_load" alone would not say which set.
  if (opcode == static_cast<std::uint8_t>(Opcode::ACTIVATION_TABLE_LOAD)) m.always = m.plan->targets[static_cast<std::size_t>(m.plan->names.find("act_tbl_sel"))].first;
  return m;
}

const std::array<Mnemonic, 256>& mnemonics() {
  static const std::array<Mnemonic, 256> kAll = [] {
    std::array<Mnemonic, 256> all;
    for (unsigned code = 0; code < 256; ++code) all[code] = make_mnemonic(static_cast<std::uint8_t>(code));
    return all;
  }();
  return kAll;
}

EnumNames make_names(const EnumTable& table) {
  EnumNames names;
  for (const Choice& c : table.choices) {
    if (c.value < 256) names.text[c.value] = c.name;
    names.values.add(c.name, static_cast<int>(c.value));
  }
  for (const ChoiceAlias& a : kChoiceAliases)
    if (a.table == table.name) names.values.add(a.alias, static_cast<int>(table.find(a.name)->value));
  if (&table == &kDtypeTable)
    for (const DtypeRow& row : kDtypeRows) {
      names.values.add(row.short_name, static_cast<int>(code_of(row.dtype)));
      for (const std::string_view alias : row.aliases)
        if (!alias.empty()) names.values.add(alias, static_cast<int>(code_of(row.dtype)));
    }
  return names;
}

}  // namespace

const EnumNames& names_of(const EnumTable& table) {
  static const std::map<std::string_view, EnumNames> kAll = [] {
    std::map<std::string_view, EnumNames> all;
    for (const EnumTable* t : all_enums()) all.emplace(t->name, make_names(*t));
    return all;
  }();
  return kAll.at(table.name);
}

const Plan& plan_of(FormatId id) {
  static const std::vector<Plan> kPlans = [] {
    std::vector<Plan> plans;
    for (unsigned i = 1; i <= all_formats().size(); ++i) plans.push_back(make_plan(static_cast<FormatId>(i)));
    return plans;
  }();
  return kPlans[static_cast<std::size_t>(id) - 1];
}

const Mnemonic& mnemonic_of(std::uint8_t opcode) { return mnemonics()[opcode]; }

int find_mnemonic(std::string_view name) {
  static const NameTable kNames = [] {
    NameTable names;
    for (unsigned code = 0; code < 256; ++code)
      if (const Mnemonic& m = mnemonics()[code]; m.length != 0) names.add({m.name.data(), m.length}, static_cast<int>(code));
    for (const OpcodeInfo& row : all_opcodes())
      for (std::string_view rest = row.aliases; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        names.add(rest.substr(0, end), row.code());
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    return names;
  }();
  return kNames.find(name);
}

int find_dtype_code(std::string_view name) {
  static const NameTable& kNames = names_of(kDtypeTable).values;
  return kNames.find(name);
}

int read_dtype(std::string_view text) {
  const int code = find_dtype_code(text);
  if (code != NameTable::kNone) return code;
  const auto n = read_integer(text);
  return n && n->magnitude < 256 && !n->negative ? static_cast<int>(n->magnitude) : NameTable::kNone;
}

std::string_view dtype_text(std::uint8_t code) {
  const DtypeRow* row = find_dtype(code);
  return row == nullptr ? std::string_view{} : row->short_name;
}

int find_function_code(std::string_view name) {
  static const NameTable kNames = [] {
    NameTable names;
    for (const FunctionInfo& f : all_functions()) {
      if (f.origin != FunctionOrigin::shipped) continue;
      names.add(f.name, f.neuron_code);
      if (!f.bir_name.empty()) names.add(f.bir_name, f.neuron_code);
    }
    return names;
  }();
  return kNames.find(name);
}

std::string_view function_text(std::uint8_t code) {
  static const std::array<std::string_view, 256> kNames = [] {
    std::array<std::string_view, 256> names;
    for (const FunctionInfo& f : all_functions())
      if (f.origin == FunctionOrigin::shipped && f.neuron_code > 0 && f.neuron_code < 256)
        names[static_cast<std::size_t>(f.neuron_code)] = f.name;
    return names;
  }();
  return kNames[code];
}

}  // namespace act::text
