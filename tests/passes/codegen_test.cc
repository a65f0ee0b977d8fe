// Code generation: modes, gates, streams, files and containers (03 sections 11, 12 and 15; 05).
#include "act/passes/codegen.h"

#include <gmock/gmock.h>

#include "act/ir/json.h"
#include "act/neff/container.h"
#include "act/passes/artifacts.h"
#include "act/tables/embedded.h"
#include "ir/encode_samples.h"

namespace act::passes {
namespace {

using ir::activation;
using ir::drain;
using ir::EngineId;
using ir::Inst;
using ir::InstKind;
using ir::load;
using ir::Module;
using ir::Node;
using ir::pattern;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Codes = std::vector<std::uint8_t>;

Node block(std::vector<Inst> list, std::string name = "b") {
  Node n;
  n.name = std::move(name);
  n.instructions = std::move(list);
  return n;
}
Module module_of(std::vector<Inst> list, Generation g = Generation::cayman) {
  Module m;
  m.name = "m";
  m.generation = g;
  m.functions.push_back({"main", {block(std::move(list))}});
  return m;
}

CodegenOptions options(CodegenMode mode = CodegenMode::generate, Generation g = Generation::cayman) {
  CodegenOptions o;
  o.mode = mode;
  o.encode.generation = g;
  o.encode.sets = {"exp_and_others", "softplus_and_others", "sigmoid_and_others"};
  return o;
}

std::string errors_of(const Module& m, const CodegenOptions& o) {
  const auto code = generate_code(m, o);
  if (code) return "no error";
  std::string out;
  for (const Diagnostic& d : code.error()) out += to_text(d) + "\n";
  return out;
}

Inst on(EngineId engine, Inst i) {
  i.engine = engine;
  return i;
}
Inst isa(Opcode opcode, EngineId engine, const std::string& name = "W-1") {
  Inst i;
  i.kind = InstKind::Isa;
  i.engine = engine;
  i.name = name;
  Bundle b;
  b.bytes[0] = static_cast<std::uint8_t>(opcode);
  b.bytes[1] = kInstWordLen;
  i.fields = b;
  return i;
}
Inst reciprocal(const std::string& name) {
  Inst i;
  i.kind = InstKind::Reciprocal;
  i.engine = EngineId::DVE;
  i.name = name;
  i.ins = {pattern(0x1000, 64)};
  i.outs = {pattern(0x2000, 64)};
  return i;
}
Inst two_outputs() {
  Inst i = activation("Exp", "I-2");
  i.outs.push_back(pattern(0x3000, 1));
  return i;
}

TEST(Codegen, ModesByName) {
  for (const char* name : {"collect", "COLLECT_OPCODES"}) EXPECT_EQ(*find_codegen_mode(name), CodegenMode::collect);
  for (const char* name : {"generate", "GENERATE_ISACODE"}) EXPECT_EQ(*find_codegen_mode(name), CodegenMode::generate);
  for (const char* name : {"check", "RUN_ISA_CHECKS"}) EXPECT_EQ(*find_codegen_mode(name), CodegenMode::check);
  const auto wrong = find_codegen_mode("2");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error()[0].message, "Wrong CodeGenMode. It must be one of GENERATE_ISACODE, RUN_ISA_CHECKS, or COLLECT_OPCODES");
}

TEST(Codegen, CollectRecordsOpcodesAndBuildsNothing) {
  const Module m = module_of({load(0), activation("Exp"), two_outputs(), drain(InstKind::ActivationReadAccumulator, pattern(0x3000, 1))});
  const auto code = generate_code(m, options(CodegenMode::collect));
  ASSERT_TRUE(code);
  ASSERT_EQ(code->collected.size(), 4u);
  EXPECT_EQ(code->collected[0].codes, Codes{35});
  EXPECT_EQ(code->collected[1].codes, Codes{33});
  EXPECT_EQ(code->collected[2].codes, (Codes{33, 36}));
  EXPECT_EQ(code->collected[3].codes, Codes{36});
  EXPECT_THAT(code->program.streams, IsEmpty());
  CodegenOptions by_name = options(CodegenMode::collect);
  by_name.encode.load_form = ir::LoadForm::name;
  EXPECT_EQ(generate_code(m, by_name)->collected[0].codes, Codes{198});
}

TEST(Codegen, CheckBuildsBundlesAndKeepsNone) {
  EXPECT_TRUE(generate_code(module_of({load(0), activation("Exp")}), options(CodegenMode::check)));
  EXPECT_THAT(generate_code(module_of({load(0), activation("Exp")}), options(CodegenMode::check))->program.streams, IsEmpty());
  Inst bad = activation("Exp", "I-5");
  bad.line = 31;
  bad.ins[0] = pattern(0x1000, 63);
  for (const CodegenMode mode : {CodegenMode::check, CodegenMode::generate}) {
    const std::string errors = errors_of(module_of({bad}), options(mode));
    EXPECT_THAT(errors, HasSubstr("line 31: instruction I-5"));
    EXPECT_THAT(errors, HasSubstr("same_element_count_t3d"));
    EXPECT_THAT(errors, HasSubstr("format gate, code 1000"));
  }
  EXPECT_EQ(errors_of(module_of({bad}), options(CodegenMode::collect)), "no error");
}

TEST(Codegen, StreamsByEngineInProgramOrder) {
  const Module m = module_of({load(0), reciprocal("R-1"), two_outputs(), reciprocal("R-2"), activation("Tanh")});
  const auto code = generate_code(m, options());
  ASSERT_TRUE(code);
  ASSERT_EQ(code->program.streams.size(), 2u);
  const Stream& act = code->program.streams[0];
  const Stream& dve = code->program.streams[1];
  EXPECT_EQ(act.engine, Engine::ACT);
  EXPECT_EQ(dve.engine, Engine::DVE);
  std::vector<int> opcodes;
  for (const Bundle& b : act.bundles) opcodes.push_back(b.opcode());
  EXPECT_THAT(opcodes, ElementsAre(0x23, 0x21, 0x24, 0x21));
  EXPECT_EQ(dve.bundles.size(), 2u);
  EXPECT_EQ(code->instructions, 5u);
  EXPECT_EQ(code->histogram[0x21], 2u);
  EXPECT_EQ(code->used_sets, Codes{0});
  ASSERT_EQ(code->ranges.size(), 5u);
  EXPECT_EQ(code->ranges[2].inst->name, "I-2");
  EXPECT_EQ(code->ranges[2].first, 1u);
  EXPECT_EQ(code->ranges[2].count, 2u);
}

TEST(Codegen, FirstFunctionFirst) {
  Module m = module_of({activation("Exp", "I-1")});
  m.functions.push_back({"call_definition", {block({activation("Tanh", "I-2")})}});
  const auto code = generate_code(m, options());
  ASSERT_TRUE(code);
  EXPECT_EQ(code->ranges[0].inst->name, "I-1");
  EXPECT_EQ(code->ranges[1].inst->name, "I-2");
}

TEST(Codegen, EngineGate) {
  const std::pair<Generation, const char*> codes[] = {{Generation::sunda, "code 1083"}, {Generation::cayman, "code 1084"}, {Generation::mariana, "code 935"}};
  for (const auto& [g, code] : codes) EXPECT_THAT(errors_of(module_of({on(EngineId::DVE, activation("Exp"))}), options(CodegenMode::generate, g)), HasSubstr(code));
  EXPECT_THAT(errors_of(module_of({on(EngineId::Activation, reciprocal("R-1"))}), options()), HasSubstr("engine gate"));
  EXPECT_THAT(errors_of(module_of({on(EngineId::DVE, load(0))}), options()), HasSubstr("ACT"));
  EXPECT_EQ(errors_of(module_of({on(EngineId::DVE, load(0)), on(EngineId::DVE, activation("Exp"))}), options(CodegenMode::generate, Generation::maverick)), "no error");
  // No engine in the roster: any.
  for (const EngineId e : {EngineId::PE, EngineId::Activation, EngineId::Pool, EngineId::DVE, EngineId::SP}) EXPECT_EQ(errors_of(module_of({isa(Opcode::NOP, e)}), options()), "no error");
  for (const EngineId e : {EngineId::DMA, EngineId::Unassigned, EngineId::ALL})
    EXPECT_THAT(errors_of(module_of({isa(Opcode::NOP, e)}), options()), HasSubstr("W-1, but DMA, Unassigned and ALL are not valid TPB engines"));
}

TEST(Codegen, FusedDrainIsRefusedOnV5) {
  Inst i = two_outputs();
  i.engine = EngineId::DVE;
  EXPECT_THAT(errors_of(module_of({i}), options(CodegenMode::generate, Generation::maverick)), HasSubstr("ActivationReadAccumulator not supported in core_v5"));
}

TEST(Codegen, ControlFlowIsRefused) {
  Module m = module_of({activation("Exp")});
  Node loop;
  loop.kind = Node::Kind::loop;
  loop.name = "i";
  loop.trip = 2;
  m.functions[0].body.push_back(loop);
  EXPECT_FALSE(is_straight_line(m));
  EXPECT_THAT(errors_of(m, options()), HasSubstr("a loop is left"));
  Module symbolic = module_of({load(0)});
  symbolic.functions[0].body[0].instructions[0].fields = ir::SetId{ir::Affine{0, {}}};
  EXPECT_FALSE(is_straight_line(symbolic));
  EXPECT_THAT(errors_of(symbolic, options()), HasSubstr("symbolic act_func_set_id cannot be encoded"));
  EXPECT_TRUE(is_straight_line(module_of({load(0)})));
}

TEST(Codegen, NamedLoadsServeOneSetPerEngine) {
  CodegenOptions o = options(CodegenMode::generate, Generation::maverick);
  o.encode.load_form = ir::LoadForm::name;
  const auto loads = [](std::vector<std::int64_t> sets) {
    std::vector<Inst> list;
    for (const std::int64_t s : sets) list.push_back(on(EngineId::DVE, load(s)));
    return module_of(std::move(list), Generation::maverick);
  };
  EXPECT_EQ(errors_of(loads({2, 2}), o), "no error");
  EXPECT_THAT(errors_of(loads({2, 0}), o), HasSubstr("Engine2UsedActSetNames.size() <= 1"));
  o.encode.allow_named_loads = true;
  EXPECT_EQ(errors_of(loads({2, 0}), o), "no error");
}

TEST(Codegen, Prologue) {
  CodegenOptions o = options();
  o.stream_prologue = true;
  const auto first = [&](Generation g) {
    o.encode.generation = g;
    const auto code = generate_code(module_of({activation("Exp")}), o);
    std::vector<int> opcodes;
    for (const Bundle& b : code->program.streams[0].bundles) opcodes.push_back(b.opcode());
    return opcodes;
  };
  EXPECT_THAT(first(Generation::cayman), ElementsAre(0xB1, 0xCC, 0x21));
  EXPECT_THAT(first(Generation::sunda), ElementsAre(0xB1, 0x21));
}

TEST(Codegen, ErrorsAreBounded) {
  std::vector<Inst> list(1000, activation("Unknown"));
  const auto code = generate_code(module_of(std::move(list)), options());
  ASSERT_FALSE(code);
  EXPECT_GE(code.error().size(), 100u);
  EXPECT_LE(code.error().size(), 110u);
}

TEST(Artifacts, Files) {
  const Module m = module_of({load(2), reciprocal("R/1"), activation("Sigmoid")});
  const auto code = generate_code(m, options());
  ASSERT_TRUE(code);
  const std::vector<std::string> sets = used_set_names(m, *code, options().encode.sets);
  EXPECT_THAT(sets, ElementsAre("sigmoid_and_others"));
  const auto files = engine_files(*code, sets, true);
  std::vector<std::string> names;
  for (const NamedFile& f : files) names.push_back(f.first);
  EXPECT_THAT(names, ElementsAre("Activation.bin", "Activation.json", "DVE.bin", "DVE.json", "Activation.000000000000000000000000.I-1-PWP.bin",
                                 "DVE.000000000000000000000001.R_1.bin", "Activation.000000000000000000000002.I-1.bin"));
  EXPECT_EQ(as_text(files[1].second),
            R"({"act_info":"act_info.json","act_semaphore":12,"activation_function_sets":["sigmoid_and_others"],"dma":[],"instr":"Activation.bin","name":"Activation.json"})");
  EXPECT_EQ(as_text(files[3].second), R"({"dma":[],"instr":"DVE.bin","name":"DVE.json"})");
  EXPECT_EQ(files[0].second.size(), 128u);
  EXPECT_EQ(Bytes(files[0].second.begin(), files[0].second.begin() + 64), files[4].second);
}

Result<neff::Container> container(const Module& m, bool dynamic_pwp) {
  Diagnostics warnings;
  const auto catalog = open_catalog("trainium", warnings);
  CodegenOptions o = options();
  o.encode.sets.clear();
  for (const TableSet& s : catalog->sets) o.encode.sets.push_back(s.name());
  const auto code = generate_code(m, o);
  const auto folder = open_catalog_folder("trainium");
  ContainerOptions c;
  c.dynamic_pwp = dynamic_pwp;
  const auto bytes = container_of(m, *code, used_set_names(m, *code, o.encode.sets), **folder, c);
  if (!bytes) return bytes.error();
  Diagnostics problems;
  auto read = neff::read_container(*bytes, "c.neff", {}, problems);
  EXPECT_THAT(problems, IsEmpty());
  return read;
}

TEST(Artifacts, Container) {
  Module m = module_of({load(2), activation("Sigmoid"), load(0, "I-9-PWP"), activation("Exp", "I-9"), reciprocal("R-1")});
  m.dynamic_pwp = true;
  TensorBinding x;
  x.name = "x";
  x.role = TensorBinding::Role::input;
  x.shape = {128, 64};
  m.tensors.push_back(x);
  const auto plain = container(m, false), marked = container(m, true);
  ASSERT_TRUE(plain && marked);
  EXPECT_EQ(plain->archive.header.feature_mask() & 0x40, 0u);
  EXPECT_EQ(marked->archive.header.feature_mask() & 0x40, 0x40u);
  EXPECT_THAT(plain->graphs[0].neff_features, ElementsAre("neff_feature_vnc"));
  EXPECT_THAT(marked->graphs[0].neff_features, ::testing::Contains("neff_feature_dynamic_pwp"));
  // Ascending by catalog index, every one with its files.
  EXPECT_THAT(plain->graphs[0].engines[0].activation_function_sets, ElementsAre("exp_and_others", "sigmoid_and_others"));
  for (const std::size_t set : {0u, 2u}) EXPECT_TRUE(plain->graphs[0].sets[set].present);
  EXPECT_FALSE(plain->graphs[0].sets[1].present);
  EXPECT_EQ(plain->graphs[0].sets.size(), 21u);
  ASSERT_EQ(plain->tensors.size(), 1u);
  EXPECT_EQ(plain->tensors[0].dtype, "float32");
  const auto streams = plain->streams({}, "act");
  ASSERT_TRUE(streams);
  ASSERT_EQ((*streams)[0].bytes.size(), 4u * 64);
  EXPECT_EQ((*streams)[0].bytes[35], 2);
}

TEST(Artifacts, ContainersOfOtherTargetsAreRefused) {
  Module m = module_of({activation("Exp")}, Generation::mariana);
  const auto code = generate_code(m, options(CodegenMode::generate, Generation::mariana));
  const auto folder = open_catalog_folder("trainium");
  const auto bytes = container_of(m, *code, {}, **folder, {});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error()[0].code, Code::unknown_name);
  const std::vector<std::string> unknown{"no_such_set"};
  m.generation = Generation::cayman;
  const auto none = container_of(m, *generate_code(m, options()), unknown, **folder, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error()[0].message, HasSubstr("unable to find used act set no_such_set"));
}

}  // namespace
}  // namespace act::passes
