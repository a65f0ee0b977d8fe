#include "act/passes/codegen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "act/isa/engines.h"

namespace act::passes {
namespace {

constexpr std::size_t kMaxErrors = 100;

// The compiler's error numbers of a failed gate (03 section 12.2), by generation.
struct GateCodes {
  int engine, format;
};
GateCodes gate_codes(Generation g) {
  switch (g) {
    case Generation::sunda: return {1083, 999};
    case Generation::cayman: return {1084, 1000};
    case Generation::mariana:
    case Generation::maverick: break;
  }
  return {935, 934};
}

class Generator {
 public:
  Generator(const ir::Module& m, const CodegenOptions& o) : module_(m), options_(o) {
    code_.program.generation = o.encode.generation;
    code_.program.tensors = m.tensors;
    code_.program.registers = m.registers;
    encode_ = o.encode;
    encode_.wire_check = o.mode == CodegenMode::check;
  }

  Result<GeneratedCode> run() {
    count();
    for (const ir::Function& f : module_.functions) {
      where_ = f.name;
      for (const ir::Node& n : f.body) {
        if (n.kind == ir::Node::Kind::block) block(n);
        else control_flow(n);
      }
    }
    if (options_.mode == CodegenMode::generate) check_all();
    if (!errors_.empty()) return std::move(errors_);
    code_.used_sets.assign(used_.begin(), used_.end());
    return std::move(code_);
  }

 private:
  // Instructions by engine, so that streams grow once.
  void count() {
    for (const ir::Function& f : module_.functions)
      for (const ir::Node& n : f.body)
        for (const ir::Inst& i : n.instructions)
          if (const auto engine = device_engine(i.engine)) ++counts_[static_cast<std::size_t>(*engine)];
    std::size_t all = 0;
    for (const std::size_t n : counts_) all += n;
    if (options_.mode == CodegenMode::generate) code_.ranges.reserve(all);
  }

  bool full() const { return errors_.size() >= kMaxErrors; }

  void control_flow(const ir::Node& n) {
    constexpr std::string_view kNames[] = {"block", "loop", "branch", "call"};
    Diagnostic d = make_error(Code::code_generation, fmt::format("code is generated from straight-line blocks, and a {} is left; the pass unroll removes it", kNames[static_cast<std::size_t>(n.kind)]));
    d.where.pointer = where_;
    d.value = n.name;
    errors_.push_back(std::move(d));
  }

  void block(const ir::Node& n) {
    for (const ir::Inst& i : n.instructions) {
      if (full()) return;
      ++code_.instructions;
      instruction(i);
    }
  }

  void instruction(const ir::Inst& i) {
    const auto engine = device_engine(i.engine);
    if (!engine) {
      errors_.push_back(ir::generation_error(i, fmt::format("{}, but DMA, Unassigned and ALL are not valid TPB engines", i.name), std::string(engine_id_name(i.engine))));
      return;
    }
    const ir::Opcodes opcodes = opcodes_of(i, encode_.load_form);
    if (options_.mode == CodegenMode::collect) return collect(i, opcodes);
    if (!engine_gate(i, *engine, opcodes)) return;
    ir::Encoded encoded;
    const std::size_t before = errors_.size();
    if (!ir::encode(i, encode_, encoded, errors_)) return name_format_gate(before);
    if (i.is_load() && !note_load(i)) return;
    if (options_.mode == CodegenMode::generate) append(i, *engine, encoded);
  }

  void collect(const ir::Inst& i, const ir::Opcodes& opcodes) {
    code_.collected.push_back({i.name, {opcodes.span().begin(), opcodes.span().end()}});
    if (i.is_load() && i.set().is_static() && i.set().index() <= 255) used_.insert(static_cast<std::uint8_t>(i.set().index()));
  }

  // The name form serves one set per engine (L-22).
  bool note_load(const ir::Inst& i) {
    used_.insert(static_cast<std::uint8_t>(i.set().index()));
    if (encode_.load_form != ir::LoadForm::name || encode_.allow_named_loads) return true;
    auto& sets = named_[i.engine];
    sets.insert(i.set().index());
    if (sets.size() <= 1) return true;
    errors_.push_back(ir::generation_error(i, "loads by name serve one set per engine: Engine2UsedActSetNames.size() <= 1", std::to_string(sets.size()), "1"));
    return false;
  }

  bool engine_gate(const ir::Inst& i, Engine engine, const ir::Opcodes& opcodes) {
    for (const std::uint8_t opcode : opcodes.span()) {
      if (runs_on(opcode, engine, encode_.generation)) continue;
      Diagnostic d = ir::generation_error(i, fmt::format("engine gate (code {}): {} does not execute {}", gate_codes(encode_.generation).engine, engine_name(engine), opcode_name(opcode)),
                                          std::string(engine_name(engine)), engines_of(opcode, encode_.generation));
      d.field = "engine";
      errors_.push_back(std::move(d));
      return false;
    }
    return true;
  }

  void append(const ir::Inst& i, Engine engine, const ir::Encoded& encoded) {
    const std::uint32_t index = stream_of(engine);
    Stream& s = code_.program.streams[index];
    code_.ranges.push_back({&i, index, static_cast<std::uint32_t>(s.bundles.size()), encoded.count});
    for (const Bundle& b : encoded.span()) {
      s.bundles.push_back(b);
      s.lines.push_back(i.line);
      ++code_.histogram[b.opcode()];
    }
  }

  std::uint32_t stream_of(Engine engine) {
    std::int16_t& known = streams_[static_cast<std::size_t>(engine)];
    if (known >= 0) return static_cast<std::uint32_t>(known);
    known = static_cast<std::int16_t>(code_.program.streams.size());
    Stream& s = code_.program.streams.emplace_back();
    s.engine = engine;
    s.name = engine_stem(engine);
    s.bundles.reserve(counts_[static_cast<std::size_t>(engine)]);
    s.lines.reserve(counts_[static_cast<std::size_t>(engine)]);
    if (options_.stream_prologue) prologue(s);
    return static_cast<std::uint32_t>(known);
  }

  void prologue(Stream& s) {
    for (const Bundle& b : prologue_of(encode_.generation)) {
      s.bundles.push_back(b);
      s.lines.push_back(0);
      ++code_.histogram[b.opcode()];
    }
  }

  // The wire checks that generation puts off until everything is there.
  void check_all() {
    for (const CodeRange& r : code_.ranges) {
      if (full()) return;
      const std::size_t before = errors_.size();
      ir::check_encoded(*r.inst, std::span(code_.program.streams[r.stream].bundles).subspan(r.first, r.count), encode_.generation, errors_);
      name_format_gate(before);
    }
  }
  // Violations of the wire rules get the compiler's number.
  void name_format_gate(std::size_t from) {
    for (std::size_t k = from; k < errors_.size(); ++k)
      if (!errors_[k].rule.empty()) errors_[k].message += fmt::format(" (format gate, code {})", gate_codes(encode_.generation).format);
  }

  const ir::Module& module_;
  const CodegenOptions& options_;
  ir::EncodeOptions encode_;
  GeneratedCode code_;
  Diagnostics errors_;
  std::string where_;
  std::set<std::uint8_t> used_;
  std::map<ir::EngineId, std::set<std::int64_t>> named_;
  std::array<std::size_t, 5> counts_{};  // instructions by device engine
  std::array<std::int16_t, 5> streams_{-1, -1, -1, -1, -1};
};

}  // namespace

Result<CodegenMode> find_codegen_mode(std::string_view name) {
  if (name == "collect" || name == "COLLECT_OPCODES") return CodegenMode::collect;
  if (name == "generate" || name == "GENERATE_ISACODE") return CodegenMode::generate;
  if (name == "check" || name == "RUN_ISA_CHECKS") return CodegenMode::check;
  Diagnostic d = make_error(Code::unknown_name, "Wrong CodeGenMode. It must be one of GENERATE_ISACODE, RUN_ISA_CHECKS, or COLLECT_OPCODES");
  d.value = std::string(name.substr(0, 80));
  d.allowed = "collect, check, generate";
  return d;
}

Result<GeneratedCode> generate_code(const ir::Module& module, const CodegenOptions& options) { return Generator(module, options).run(); }

std::vector<Bundle> prologue_of(Generation generation) {
  std::vector<Bundle> out{encode(make<Raw>(Opcode::SET_ORDERING_MODE))};
  if (generation == Generation::cayman) out.push_back(encode(make<Raw>(Opcode::PSEUDO_BRANCH_LABEL)));
  return out;
}

bool is_straight_line(const ir::Module& module) {
  for (const ir::Function& f : module.functions)
    for (const ir::Node& n : f.body) {
      if (n.kind != ir::Node::Kind::block) return false;
      for (const ir::Inst& i : n.instructions)
        if (i.is_load() && !i.set().is_static()) return false;
    }
  return true;
}

std::string_view engine_stem(Engine engine) {
  switch (engine) {
    case Engine::PE: return "PE";
    case Engine::ACT: return "Activation";
    case Engine::POOL: return "Pool";
    case Engine::DVE: return "DVE";
    case Engine::SP: return "SP";
    case Engine::ANY: break;
  }
  return "ALL";
}

std::string instruction_file_name(Engine engine, std::uint64_t sequence, std::string_view name) {
  std::string safe(name.substr(0, 160));
  std::ranges::replace_if(safe, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '_');
  return fmt::format("{}.{:024}.{}.bin", engine_stem(engine), sequence, safe);
}

}  // namespace act::passes
