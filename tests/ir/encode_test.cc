// Bytes of encoded instructions, written out from 01 appendix A, 03 section 15 and 05 section 6.
#include <gmock/gmock.h>

#include "encode_samples.h"

namespace act::ir {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kSets = {"exp_and_others", "softplus_and_others", "sigmoid_and_others", "sqrt_and_others"};

EncodeOptions options(Generation g = Generation::cayman) {
  EncodeOptions o;
  o.generation = g;
  o.sets = kSets;
  return o;
}

Bundle bundle_of(const Inst& inst, const EncodeOptions& o = options(), unsigned index = 0) {
  const auto e = encode(inst, o);
  EXPECT_TRUE(e) << (e ? "" : to_text(e.error()[0]));
  if (!e || e->count <= index) return {};
  return e->bundles[index];
}

std::string errors_of(const Inst& inst, const EncodeOptions& o = options()) {
  const auto e = encode(inst, o);
  if (e) return "no error";
  std::string out;
  for (const Diagnostic& d : e.error()) out += to_text(d) + "\n";
  return out;
}

TEST(Encode, PublishedBundle) {
  Inst i = activation("Exp");
  i.ins = {pattern(0x2002000, 512), pattern(0x4810, 1), immediate(0x3F800000), immediate(0)};
  i.outs = {pattern(0x4820, 512)};
  i.sync = {WaitMode::SEM_GE_IMM, 6, UpdateMode::SEM_INC_COMPLETE, 4, 5};
  EXPECT_EQ(hex(bundle_of(i)),
            "21100000 05061304 05000000 00000000 00200002 01000100 01000002 01000100 "
            "aa0a8007 0000803f 10480000 00000000 20480000 01000100 01000002 01000100");
}

// Appendix A of 01, but for the pair of data types: a bias in the instruction is binary32 and told as such.
TEST(Encode, InlineOperands) {
  Inst i = activation("Sigmoid");
  i.ins = {pattern(0x2000000, 512), immediate(0xBF800000), immediate(0x3F000000), immediate(0)};
  i.outs = {pattern(0x1000, 512, 128, Dtype::bfloat16)};
  i.sync = {WaitMode::SEM_GE_IMM, 3, UpdateMode::SEM_INC_COMPLETE, 7, 5};
  EXPECT_EQ(hex(bundle_of(i)),
            "21100000 05031307 05000000 00000001 00000002 01000100 01000002 01000100 "
            "aa068005 0000003f 000080bf 00000000 00100000 01000100 01000002 01000100");
}

TEST(Encode, FunctionCodes) {
  // BIR ordinals 0 to 29 in the order of 02 section 2.3.
  const int published[] = {1, 30, 2, 3, 4, 5, 6, 7, 9, 8, 29, 10, 21, 19, 28, 31, 23, 24, 25, 26, 38, 32, 22, 128, 33, 129, 34, 36, 37, 35};
  Inst i = activation("Exp");
  for (unsigned ordinal = 0; ordinal < 30; ++ordinal) {
    std::get<ActivationFields>(i.fields).func = static_cast<std::uint8_t>(ordinal);
    EXPECT_EQ(bundle_of(i).bytes[35], published[ordinal]) << ordinal;
  }
  for (const unsigned ordinal : {30u, 31u, 255u}) {
    std::get<ActivationFields>(i.fields).func = static_cast<std::uint8_t>(ordinal);
    EXPECT_THAT(errors_of(i), HasSubstr("Invalid enum variant for enum ActivationFunctionType"));
  }
  EXPECT_EQ(bundle_of(activation("Sigmoid")).bytes[35], 0x05);
  EXPECT_EQ(bundle_of(activation("Exp")).bytes[35], 0x07);
  EXPECT_EQ(bundle_of(activation("Tanh")).bytes[35], 0x06);
  EXPECT_EQ(bundle_of(activation("Silu")).bytes[35], 0x24);
  EXPECT_EQ(bundle_of(activation("Copy")).bytes[35], 0x80);
  EXPECT_EQ(bundle_of(activation("Reciprocal")).bytes[35], 0x81);
}

TEST(Encode, AccumulateCommands) {
  const std::pair<Accumulation, int> rows[] = {
      {Accumulation::Idle, 0}, {Accumulation::Zero, 1}, {Accumulation::ZeroAccumulate, 3}, {Accumulation::AddAccumulate, 2}, {Accumulation::LoadAccumulate, 4}};
  Inst i = activation("Exp");
  for (const auto& [acc, wire] : rows) {
    std::get<ActivationFields>(i.fields).acc = acc;
    EXPECT_EQ(bundle_of(i).bytes[14], wire);
  }
  std::get<ActivationFields>(i.fields).acc = Accumulation::Accumulate;
  EXPECT_THAT(errors_of(i), HasSubstr("Invalid enum variant for enum EngineAccumulationType"));
  std::get<ActivationFields>(i.fields).acc = Accumulation::Idle;
  EncodeOptions clear = options();
  clear.idle_clears = true;
  EXPECT_EQ(bundle_of(i, clear).bytes[14], 3);
}

// Bytes 12 (imm_src) and 44..47 (imm) by function: only code 4 carries alpha, codes 128 and 129 a null pointer.
TEST(Encode, ThirdImmediate) {
  const auto third = [](const std::string& f) {
    Inst i = activation(f);
    i.ins[3] = immediate(0x3DCCCCCD);
    const Bundle b = bundle_of(i);
    return std::pair<int, std::uint64_t>{b.bytes[12], get_bits(b, 44 * 8, 32)};
  };
  EXPECT_EQ(third("Prelu"), (std::pair<int, std::uint64_t>{0, 0x3DCCCCCD}));
  EXPECT_EQ(third("Copy"), (std::pair<int, std::uint64_t>{1, 0}));
  EXPECT_EQ(third("Reciprocal"), (std::pair<int, std::uint64_t>{1, 0}));
  EXPECT_EQ(third("Exp"), (std::pair<int, std::uint64_t>{0, 0}));
  EXPECT_EQ(third("Lrelu"), (std::pair<int, std::uint64_t>{0, 0}));
  Inst seed = activation("Exp");
  std::get<ActivationFields>(seed.fields).acc = Accumulation::LoadAccumulate;
  seed.ins[3] = pattern(0x3000, 1);
  const Bundle b = bundle_of(seed);
  EXPECT_EQ(b.bytes[12], 1);
  EXPECT_EQ(get_bits(b, 44 * 8, 32), 0x3000u);
}

TEST(Encode, OperandSources) {
  Inst i = activation("Prelu");
  i.ins[1] = reg(5);
  i.ins[2] = pattern(0x3000, 1);
  i.ins[3] = reg(63);
  const Bundle b = bundle_of(i);
  EXPECT_EQ(b.bytes[15], 2);  // bias_src_n
  EXPECT_EQ(b.bytes[13], 1);  // scale_src
  EXPECT_EQ(b.bytes[12], 2);  // imm_src
  EXPECT_EQ(get_bits(b, 40 * 8, 32), 5u);
  EXPECT_EQ(get_bits(b, 36 * 8, 32), 0x3000u);
  EXPECT_EQ(get_bits(b, 44 * 8, 32), 63u);
  i.ins[1] = pattern(0x4000, 1, 128, Dtype::bfloat16);
  const Bundle pointer = bundle_of(i);
  EXPECT_EQ(pointer.bytes[15], 0);
  EXPECT_EQ(pointer.bytes[32], 0x6A);
}

TEST(Encode, TableLoad) {
  EXPECT_EQ(hex(bundle_of(load(2))),
            "23100000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
            "00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
  EncodeOptions name = options();
  name.load_form = LoadForm::name;
  EXPECT_THAT(errors_of(load(2), name), HasSubstr("loads by name need core_v5"));
  name.allow_named_loads = true;
  EXPECT_EQ(hex(bundle_of(load(2), name)),
            "c6100000 00000000 00000000 7369676d 6f69645f 616e645f 6f746865 72730000 "
            "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
  name.sets = {std::string(32, 'x'), "derivative_gelu_apprx_sigmoid_and_others"};
  EXPECT_EQ(get_bits(bundle_of(load(0), name), 43 * 8, 16), 'x');  // byte 43 is the last of the name
  EXPECT_THAT(errors_of(load(1), name), HasSubstr("act set name longer than 32 bytes: derivative_gelu_apprx_sigmoid_and_others"));
}

TEST(Encode, TableLoadErrors) {
  EXPECT_THAT(errors_of(load(4)), HasSubstr("Invalid Activation function table ID"));
  EXPECT_THAT(errors_of(load(-1)), HasSubstr("Invalid Activation function table ID"));
  EXPECT_THAT(errors_of(load(kNoSet)), HasSubstr("the set NAME must exist"));
  EncodeOptions none = options();
  none.sets.clear();
  EXPECT_THAT(errors_of(load(0), none), HasSubstr("Module has no Activation Function Tables set up for this InstLoadActFuncSet"));
  EncodeOptions many = options();
  many.sets.resize(300);
  EXPECT_THAT(errors_of(load(256), many), HasSubstr("'instr.act_tbl_sel'"));
  Inst symbolic = load(0);
  symbolic.fields = SetId{Affine{1, {}}};
  EXPECT_THAT(errors_of(symbolic), HasSubstr("symbolic act_func_set_id cannot be encoded"));
}

TEST(Encode, FusedDrain) {
  Inst i = activation("Exp");
  std::get<ActivationFields>(i.fields).acc = Accumulation::ZeroAccumulate;
  i.outs.push_back(pattern(0x3000, 1, 128, Dtype::bfloat16));
  i.sync = {WaitMode::SEM_GE_IMM, 6, UpdateMode::SEM_ADD_IMM_COMPLETE, 4, 5};
  for (const Generation g : {Generation::sunda, Generation::cayman, Generation::mariana}) {
    const auto e = encode(i, options(g));
    ASSERT_TRUE(e) << to_text(e.error()[0]);
    ASSERT_EQ(e->count, 2u);
    EXPECT_EQ(e->bundles[0].bytes[0], 0x21);
    // Wait before the activation, update behind the drain.
    EXPECT_EQ(get_bits(e->bundles[0], 32, 64), 0x0000000500000605u);
    EXPECT_EQ(hex(e->bundles[1]),
              "24100000 00001504 05000000 00000000 00000000 00000000 00000000 01000000 "
              "06008000 00000000 00000000 00300000 01000100 00000000 00000000 00000000");
  }
  EXPECT_THAT(errors_of(i, options(Generation::maverick)), HasSubstr("ActivationReadAccumulator not supported in core_v5"));
}

TEST(Encode, Drains) {
  const std::string bytes =
      " 00000000 00000000 00000000 00000000 00000000 00000000 01000000 "
      "0a008000 00000000 00000000 00300000 01000100 00000000 00000000 00000000";
  for (const InstKind kind : {InstKind::ReadActivationAccumulator, InstKind::ActivationReadAccumulator}) {
    EXPECT_EQ(hex(bundle_of(drain(kind, pattern(0x3000, 1)))), "24100000" + bytes);
    EXPECT_THAT(errors_of(drain(kind, pattern(0x3000, 1)), options(Generation::maverick)), HasSubstr("ActivationReadAccumulator not supported in core_v5"));
  }
  Inst dve = drain(InstKind::DveReadAccumulator, pattern(0x3000, 1));
  EXPECT_EQ(hex(bundle_of(dve)), "9b100000" + bytes);
  EXPECT_EQ(hex(bundle_of(dve, options(Generation::maverick))), "9b100000" + bytes);
  std::get<DrainFields>(dve.fields).negated = true;
  EXPECT_EQ(bundle_of(dve).bytes[33], 1);
}

TEST(Encode, DrainErrors) {
  const auto of = [](Argument out) { return errors_of(drain(InstKind::ActivationReadAccumulator, out)); };
  EXPECT_THAT(of(pattern(0x3000, 2)), HasSubstr("ScalarEng read accum instr dst element count must be 1"));
  EXPECT_THAT(of(pattern(0x3000, 2)), HasSubstr("ScalarEng read accum dst_mem_pattern.num_elem[0] must be 1"));
  EXPECT_THAT(of(pattern(0x3000, 1, 128, Dtype::int8)), HasSubstr("activation_read_accumulator_type_check"));
  EXPECT_THAT(of(immediate(0)), HasSubstr("contains wrong argument type"));
  Inst gather = drain(InstKind::ReadActivationAccumulator, pattern(0x3000, 1));
  gather.extras = ",\"indirection_ins\":[1]";
  EXPECT_THAT(errors_of(gather), HasSubstr("ACTIVATION_READ_ACCUMULATOR doesn't support TensorIndirect AP since ISA only has one dimensional AP"));
  gather.extras = ",\"indirection_ins\":[]";
  EXPECT_EQ(errors_of(gather), "no error");
  Inst none = drain(InstKind::ReadActivationAccumulator, pattern(0x3000, 1));
  none.outs.clear();
  EXPECT_THAT(errors_of(none), HasSubstr("a drain has one output"));
}

TEST(Encode, Activate2) {
  Inst i = activation("Prelu");
  auto& f = std::get<ActivationFields>(i.fields);
  f.is_activate2 = true;
  f.op0 = AluOp::mult;
  f.op1 = AluOp::add;
  f.reverse1 = true;
  f.acc = Accumulation::ZeroAccumulate;
  f.reduce_op = AluOp::add;
  i.ins = {pattern(0x1000, 64, 32, Dtype::bfloat16), immediate(0x40000000), pattern(0x5000, 1, 32, Dtype::bfloat16), pattern(0x6000, 1, 32, Dtype::bfloat16)};
  i.outs = {pattern(0x2000, 64, 32)};
  EXPECT_EQ(hex(bundle_of(i, options(Generation::mariana))),
            "25100000 00000000 00000000 00100000 01000100 40000100 01000301 06060404 "
            "060a2004 00000040 00500000 00600000 00200000 01000100 40000100 02000000");
  EXPECT_EQ(hex(bundle_of(i, options(Generation::maverick))).substr(0, 8), "25100000");
  EXPECT_THAT(errors_of(i), HasSubstr("Activate2 requires core_v4"));
  EXPECT_THAT(errors_of(i, options(Generation::sunda)), HasSubstr("Activate2 requires core_v4"));
  f.reverse0 = true;
  EXPECT_EQ(bundle_of(i, options(Generation::mariana)).bytes[60], 3);
}

TEST(Encode, Activate2Rules) {
  const EncodeOptions v4 = options(Generation::mariana);
  Inst i = activation("Exp");
  auto& f = std::get<ActivationFields>(i.fields);
  f.is_activate2 = true;
  f.op0 = AluOp::mult;
  f.op1 = AluOp::add;
  const std::tuple<Accumulation, AluOp, int> rows[] = {{Accumulation::Idle, AluOp::bypass, 0},
                                                       {Accumulation::Zero, AluOp::add, 1},
                                                       {Accumulation::ZeroAccumulate, AluOp::max, 3},
                                                       {Accumulation::AddAccumulate, AluOp::add, 2}};
  for (const auto& [acc, op, wire] : rows) {
    f.acc = acc;
    f.reduce_op = op;
    EXPECT_EQ(bundle_of(i, v4).bytes[26], wire);
  }
  f.acc = Accumulation::Idle;
  f.reduce_op = AluOp::add;
  EXPECT_THAT(errors_of(i, v4), HasSubstr("has_valid_reduce_op"));
  f.acc = Accumulation::LoadAccumulate;
  EXPECT_THAT(errors_of(i, v4), HasSubstr("LoadAccumulate is not supported"));
  f.acc = Accumulation::Idle;
  f.reduce_op = AluOp::bypass;
  f.op0 = AluOp::bypass;
  EXPECT_THAT(errors_of(i, v4), HasSubstr("has_valid_activation_ts_ops"));
  f.op0 = AluOp::mult;
  i.outs.push_back(pattern(0x3000, 1));
  EXPECT_THAT(errors_of(i, v4), HasSubstr("an Activate2 instruction has one output"));
  i.outs.pop_back();
  i.ins[1] = pattern(0x5000, 1, 128, Dtype::bfloat16);
  EXPECT_THAT(errors_of(i, v4), HasSubstr("imm0 has another data type than argument 3"));
  // Erratum 3071: the pointer lies in another quadrant than the input.
  i.ins = {pattern(0x1000, 64, 32), pattern(32 * 0x40000, 1, 32), immediate(0), immediate(0)};
  i.outs = {pattern(0x2000, 64, 32)};
  EXPECT_THAT(errors_of(i, v4), HasSubstr("act2_quadrant_restrictions_errata_3071"));
}

TEST(Encode, DedicatedInstructions) {
  Inst r;
  r.kind = InstKind::Reciprocal;
  r.engine = EngineId::DVE;
  r.name = "R-1";
  r.ins = {pattern(0x1000, 64)};
  r.outs = {pattern(0x2000, 64, 128, Dtype::bfloat16)};
  EXPECT_EQ(hex(bundle_of(r)),
            "48100000 00000000 00000000 00100000 01000100 01000100 40000100 01000100 "
            "0a068000 00000000 00000000 00200000 01000100 01000100 40000100 01000100");
  Inst x = r;
  x.kind = InstKind::Exponential;
  x.fields = ExponentialFields{AccumCmd::LOAD_ACCUMULATE};
  x.ins = {pattern(0x1000, 64), pattern(0x3000, 1), immediate(0x3F800000)};
  EXPECT_EQ(hex(bundle_of(x, options(Generation::mariana))),
            "30100000 00000000 00000000 04000000 00100000 01000100 01004000 01000100 "
            "0a068001 00000000 00300000 0000803f 00200000 01000100 01004000 01000100");
  EXPECT_THAT(errors_of(x), HasSubstr("EXPONENTIAL"));  // v4 and later
  x.fields = ExponentialFields{};
  EXPECT_NE(errors_of(x, options(Generation::mariana)), "no error");  // a seed without LOAD_ACCUMULATE
  x.ins.clear();
  EXPECT_THAT(errors_of(x, options(Generation::mariana)), HasSubstr("an Exponential has an input"));
  r.ins.clear();
  EXPECT_THAT(errors_of(r), HasSubstr("a Reciprocal has one argument and one output"));
}

TEST(Encode, GenericReluIsAnActivation) {
  Inst r = activation("Relu");
  const Bundle want = bundle_of(r);
  r.kind = InstKind::GenericRelu;
  r.ins.resize(1);
  r.fields = ActivationFields{};
  EXPECT_EQ(hex(bundle_of(r)), hex(want));
  r.ins.clear();
  EXPECT_THAT(errors_of(r), HasSubstr("a GenericRelu has one argument and one output"));
}

TEST(Encode, IsaRecordsPassThrough) {
  Inst i;
  i.kind = InstKind::Isa;
  i.name = "W-1";
  Bundle b = encode(make<CtrlNo>(Opcode::NOP));
  i.fields = b;
  EXPECT_EQ(bundle_of(i), b);
  i.sync = {WaitMode::SEM_GE_IMM, 6, UpdateMode::NONE, 0, 5};
  EXPECT_EQ(get_bits(bundle_of(i), 32, 64), 0x0000000500000605u);
  b.bytes[6] = static_cast<std::uint8_t>(UpdateMode::SEM_INC_COMPLETE);
  i.fields = b;
  EXPECT_THAT(errors_of(i), HasSubstr("the events are given twice"));
  i.sync = {};
  b.bytes[20] = 1;
  i.fields = b;
  EXPECT_THAT(errors_of(i), HasSubstr("reserved_zero"));
  EXPECT_THAT(errors_of(i), HasSubstr("instruction W-1"));
}

TEST(Encode, OperandErrors) {
  const auto with = [](std::size_t argument, const Argument& a) {
    Inst i = activation("Prelu", "I-7");
    i.line = 12;
    i.ins[argument] = a;
    return errors_of(i);
  };
  EXPECT_THAT(with(0, immediate(0)), HasSubstr("line 12: instruction I-7: contains wrong argument type"));
  for (const std::size_t argument : {1u, 2u, 3u}) {
    EXPECT_THAT(with(argument, pattern(0x10000000, 1)), HasSubstr("ISA immediate pointer should only be SB/PSUM accesses"));
    EXPECT_THAT(with(argument, pattern(0x3000, 2)), HasSubstr("has one element a channel"));
    EXPECT_THAT(with(argument, pattern(0x3000, 1, 64)), HasSubstr("has fewer channels than the output"));
    EXPECT_THAT(with(argument, reg(64)), HasSubstr("names a register that does not exist"));
  }
  EXPECT_THAT(with(1, pattern(0x3000, 1, 128, Dtype::int32)), HasSubstr("activation function only support float32 bias/scale/alpha"));
  EXPECT_THAT(with(2, pattern(0x3000, 1, 128, Dtype::bfloat16)), HasSubstr("scale for activation must be a float32"));
  EXPECT_THAT(with(3, pattern(0x3000, 1, 128, Dtype::fp16)), HasSubstr("activation function only support float32 bias/scale/alpha"));
  EXPECT_THAT(with(0, pattern(0x1000, 64, 64)), HasSubstr("input and output have different numbers of channels"));
  EXPECT_THAT(with(0, pattern(0x1000, 63)), HasSubstr("same_element_count_t3d"));
  EXPECT_THAT(with(0, pattern(0x1002, 64)), HasSubstr("addr_aligned_dtype"));
  Argument deep = pattern(0x1000, 64);
  deep.dims = 4;
  EXPECT_THAT(with(0, deep), HasSubstr("has more free dimensions than the instruction holds"));
  EXPECT_THAT(with(0, pattern(0x1000, 64, 128, Dtype::fp4_exp2)), HasSubstr("does not fit the instruction"));
}

TEST(Encode, OperandCounts) {
  Inst i = activation("Exp");
  i.ins.pop_back();
  EXPECT_THAT(errors_of(i), HasSubstr("Activation instruction can only have 4 arguments"));
  std::get<ActivationFields>(i.fields).acc = Accumulation::LoadAccumulate;
  EXPECT_THAT(errors_of(i), HasSubstr("an instruction that does a LoadAccumulate must provide an immediate value to load"));
  i = activation("Exp");
  i.outs.clear();
  EXPECT_THAT(errors_of(i), HasSubstr("Activation instruction can only have 1 or 2 outputs"));
  std::get<ActivationFields>(i.fields).acc = Accumulation::AddAccumulate;
  EXPECT_THAT(errors_of(i), HasSubstr("Cannot accumulate to nothing"));
  i.outs.assign(3, pattern(0x2000, 64));
  EXPECT_THAT(errors_of(i), HasSubstr("Activation instruction can only have 1 or 2 outputs"));
}

TEST(Encode, LoadAccumulateErrors) {
  Inst i = activation("Exp");
  std::get<ActivationFields>(i.fields).acc = Accumulation::LoadAccumulate;
  i.ins[3] = pattern(0x3000, 1, 128, Dtype::bfloat16);
  EXPECT_THAT(errors_of(i), HasSubstr("immediate value for LoadAccumulate must be an fp32"));
  i.ins = {pattern(0x1000, 64, 32), immediate(0), immediate(0x3F800000), pattern(0x3000, 1, 64)};
  i.outs = {pattern(0x2000, 64, 32)};
  EXPECT_THAT(errors_of(i), HasSubstr("imm_ptr for LoadAccumulate must have the same number of partitions as the src/dst"));
}

TEST(Encode, PredicatesAreRefused) {
  Inst i = activation("Exp");
  i.extras = ",\"predicates\":[{\"reg\":1}]";
  EXPECT_THAT(errors_of(i), HasSubstr("an instruction with predicates cannot be encoded"));
  i.extras = ",\"indirection_ins\":[0]";
  EXPECT_THAT(errors_of(i), HasSubstr("operands with indirection_ins cannot be encoded"));
}

TEST(Encode, CollectedOpcodes) {
  using Codes = std::vector<std::uint8_t>;
  const auto codes = [](const Inst& inst, LoadForm form) {
    const Opcodes o = opcodes_of(inst, form);
    return Codes(o.span().begin(), o.span().end());
  };
  Inst i = activation("Exp");
  EXPECT_EQ(codes(i, LoadForm::index), Codes{33});
  i.outs.push_back(pattern(0x3000, 1));
  EXPECT_EQ(codes(i, LoadForm::index), (Codes{33, 36}));
  std::get<ActivationFields>(i.fields).is_activate2 = true;
  EXPECT_EQ(codes(i, LoadForm::index), Codes{37});
  EXPECT_EQ(codes(load(0), LoadForm::index), Codes{35});
  EXPECT_EQ(codes(load(0), LoadForm::name), Codes{198});
  EXPECT_EQ(codes(drain(InstKind::ReadActivationAccumulator, pattern(0, 1)), LoadForm::index), Codes{36});
  EXPECT_EQ(codes(drain(InstKind::DveReadAccumulator, pattern(0, 1)), LoadForm::index), Codes{0x9B});
}

TEST(Encode, FirstGenerationCodes) {
  Catalog catalog;
  catalog.id_space = IdSpace::tonga;
  TableSet set;
  FunctionTable reciprocal;
  reciprocal.name = "reciprocal";
  reciprocal.func_id = 15;
  set.functions.push_back(reciprocal);
  catalog.sets.push_back(set);
  EncodeOptions o = options();
  o.functions = function_codes(catalog);
  EXPECT_EQ(bundle_of(activation("Reciprocal"), o).bytes[35], 15);
  EXPECT_THAT(errors_of(activation("Exp"), o), HasSubstr("Invalid enum variant for enum ActivationFunctionType"));
}

}  // namespace
}  // namespace act::ir
