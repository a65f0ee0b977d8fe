// The assembly language: what lines mean, and what is said about lines that mean nothing.
#include "act/asm/text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/files/files.h"
#include "act/isa/memory_map.h"
#include "act/rows/json.h"
#include "asm/assemble.h"

namespace act {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class... T>
std::string text_of(std::string_view pattern, const T&... values) {
  return fmt::vformat(pattern, fmt::make_format_args(values...));
}

TEST(Text, TheExampleIsAProgram) {
  const auto text = read_text(std::string(ACTKIT_SOURCE_DIR) + "/examples/first.act");
  ASSERT_TRUE(text);
  const auto program = parse_text(*text, "first.act");
  ASSERT_TRUE(program) << errors_of(*text);
  EXPECT_EQ(program->generation, Generation::cayman);
  ASSERT_EQ(program->tensors.size(), 4u);
  EXPECT_EQ(program->tensors[0].addr, kPsumBase);
  EXPECT_EQ(program->tensors[2].role, TensorBinding::Role::output);
  EXPECT_THAT(program->tensors[2].shape, ElementsAre(128, 512));
  ASSERT_EQ(program->streams.size(), 1u);
  ASSERT_EQ(program->streams[0].bundles.size(), 3u);
  EXPECT_EQ(program->streams[0].lines[1], 11u);
  const S3d3Ac x = decode_as<S3d3Ac>(program->streams[0].bundles[1]);
  EXPECT_EQ(x.activation_func, 7);
  EXPECT_EQ(x.src_mem_pattern, (Tensor3d{kPsumBase, {1, 1, 1}, {512, 1, 1}}));
  EXPECT_EQ(x.dst_mem_pattern, (Tensor3d{0x1000, {1, 1, 1}, {512, 1, 1}}));
  EXPECT_EQ(x.in_bias_dtype, DtypePair::of(Dtype::fp32, Dtype::fp32));
  EXPECT_EQ(x.out_dtype, Dtype::bfloat16);
  EXPECT_EQ(x.bias_src_n, ImmSrcN::POINTER);
  EXPECT_EQ(x.scale_value.bits, 0x3F800000u);
  // Printing and reading again gives the same bytes.
  const auto again = parse_text(print_text(*program), "again");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->streams[0].bundles, program->streams[0].bundles);
  EXPECT_EQ(again->tensors.size(), program->tensors.size());
}

TEST(Text, EventsReadAsInTheWorkedExample) {
  // 01 section 2.6.
  const Bundle b = assemble("activate exp wait sem[3] >= 5 then sem[7]++");
  EXPECT_EQ(to_hex(Record(b).first(12)), "211000000503130705000000");
}


// The hex digits of bytes [from, from + n) of the instruction a line gives.
std::string bytes_of(std::string_view line, std::size_t from, std::size_t n) { return to_hex(Record(assemble(line)).subspan(from, n)); }

TEST(Text, TheExponentialOfTheBook) {
  // 05 section 6: bundle, its profiler text, and the same in our language.
  const std::string bytes =
      "21100000050613040500000000000000002000020100010001000002010001" "00aa0a80070000803f104800000000000020480000010001000100000201000100";
  EXPECT_EQ(bytes_of("activate exp src=psum[p0+bank4] fp32 [1 x 512] dst=sbuf[p0+0x4820] fp32 [1 x 512] channels=128 bias=sbuf[p0+0x4810] "
                     "wait sem[6] >= 5 then sem[4]++", 0, 64), bytes);
  EXPECT_EQ(bytes_of("ACTIVATE S[6] (Vector)>=5 S[4] (Scalar)++@complete EXP bias_ptr=fp32@0x4810 src=fp32@0x2002000[1,1,1][512,1,1] "
                     "dst=fp32@0x4820[1,1,1][512,1,1] channels=128 scale=1.000000 imm=0.000000 accumulator_cmd=IDLE", 0, 64), bytes);
}

TEST(Text, ProfilerTextOfOtherInstructionsIsRead) {
  EXPECT_EQ(assemble("ACT_TABLE_LOAD table_sel=3").bytes[35], 3);
  const S3d3Ts x = decode_as<S3d3Ts>(assemble("TENSOR_SCALAR ops=MULTIPLY,BYPASS imm=0x6840,0 imm_src=PTR,INSTRUCTION src=fp32@0x2002000[1,1,1][128,1,1] "
                                              "dst=fp32@0x8850[1,1,1][128,1,1] channels=128"));
  EXPECT_EQ(x.op0, AluOp::mult);
  EXPECT_EQ(x.imm0.bits, 0x6840u);
  EXPECT_EQ(x.imm0_src, ImmSrc::POINTER_IMMEDIATE);
  EXPECT_EQ(x.imm1_src, ImmSrc::INSTRUCTION_IMMEDIATE);
  EXPECT_EQ(assemble("EVENT_SEMAPHORE S[24] (qGpSimdDynamic)>=16 setter=0").bytes[5], 24);
}

TEST(Text, Addresses) {
  // The worked words of 01 section 3.1.
  const auto word = [](std::string_view place, std::string_view gen = "cayman") {
    const auto p = parse_text(text_of(".gen {}\nactivation_read_accumulator dst={} fp32 [1 x 1]", gen, place), "t");
    EXPECT_TRUE(p) << place;
    return p ? decode_as<D1Rd>(p->streams[0].bundles[0]).dst_mem_pattern.addr : 0;
  };
  EXPECT_EQ(word("sbuf[p32+0x100]"), 0x00800100u);
  EXPECT_EQ(word("sbuf[p32+0x100]", "v5"), 0x02000100u);
  EXPECT_EQ(word("psum[p64+bank3+0x8]"), 0x02201808u);
  EXPECT_EQ(word("psum[p64+0x1808]"), 0x02201808u);
  EXPECT_EQ(word("reg[5]"), 0x80000005u);
  EXPECT_EQ(word("addr[0x40000400]"), 0x40000400u);
}

TEST(Text, ShapeRegisterAndGather) {
  const S3d3Ts x = decode_as<S3d3Ts>(assemble("tensor_scalar_arith_op src=sbuf[p0+0x400] fp32 shape_reg[3] dst=gather sbuf[p0+0x1000] by reg[9] x 16 fp32"));
  EXPECT_EQ(x.src_mem_pattern.addr, 0x40000400u);
  EXPECT_EQ(x.src_mem_pattern.step[0], 3);
  EXPECT_EQ(x.src_mem_pattern.num, (std::array<std::uint16_t, 3>{0, 0, 0}));
  const Bundle b = encode(x);
  const IndirectView v = get_indirect(b, *FormatOf<S3d3Ts>::value.find("dst_mem_pattern"));
  EXPECT_EQ(v.index_addr, 0xA0000009u);  // the worked word
  EXPECT_EQ(v.data_addr, 0x1000u);
  EXPECT_EQ(v.count, 16);
}

TEST(Text, BiasSelectorHasTheOtherPolarity) {
  EXPECT_EQ(decode_as<S3d3Ac>(assemble("activate exp bias=1.0 scale=1.0 imm=1.0")).bias_src_n, ImmSrcN::INSTRUCTION);
  const S3d3Ac pointers = decode_as<S3d3Ac>(assemble("activate exp bias=sbuf[p0+0x40] bf16 scale=sbuf[p0+0x40] imm=sbuf[p0+0x40]"));
  EXPECT_EQ(static_cast<int>(pointers.bias_src_n), 0);
  EXPECT_EQ(static_cast<int>(pointers.scale_src), 1);
  EXPECT_EQ(static_cast<int>(pointers.imm_src), 1);
  EXPECT_EQ(pointers.in_bias_dtype.hi(), Dtype::bfloat16);
  const S3d3Ac registers = decode_as<S3d3Ac>(assemble("activate exp bias=reg[9] scale=reg[9] imm=reg[9]"));
  EXPECT_EQ(static_cast<int>(registers.bias_src_n), 2);
  EXPECT_EQ(static_cast<int>(registers.scale_src), 2);
}

TEST(Text, FloatsAreExact) {
  const auto scale = [](std::string_view value) { return decode_as<S3d3Ac>(assemble(text_of("activate exp scale={}", value))).scale_value.bits; };
  EXPECT_EQ(scale("1"), 0x3F800000u);
  EXPECT_EQ(scale("-0.0"), 0x80000000u);
  EXPECT_EQ(scale("0x1.8p+1"), 0x40400000u);
  EXPECT_EQ(scale("0x3fc00000"), 0x3FC00000u);
  EXPECT_EQ(scale("1e-45"), 1u);
  EXPECT_EQ(scale("nan"), 0x7FC00000u);
  EXPECT_EQ(scale("-nan:0x1"), 0xFF800001u);
  EXPECT_EQ(scale("-inf"), 0xFF800000u);
  EXPECT_EQ(scale("0.99999994"), 0x3F7FFFFFu);
  S3d3Ac x = make<S3d3Ac>(Opcode::ACTIVATE);
  x.scale_value.bits = 0x3F7FFFFF;
  EXPECT_THAT(print_instruction(encode(x)), HasSubstr("scale_value=0.99999994"));
  x.scale_value.bits = 0x7F800001;
  EXPECT_THAT(print_instruction(encode(x)), HasSubstr("scale_value=nan:0x1"));
}

TEST(Text, WidePatternsKeepEveryBit) {
  EXPECT_EQ(decode_as<ModifyPoolConfig>(assemble("modify_pool_config soc_addr=0xffffffff80000000")).soc_addr, 0xFFFFFFFF80000000u);
  EXPECT_EQ(decode_as<S2d2Addr>(assemble("tensor_scalar_addr imm0=0xffffffff00000001 uint64")).imm0.bits, 0xFFFFFFFF00000001u);
  EXPECT_EQ(decode_as<S2d2Addr>(assemble("tensor_scalar_addr imm0=-1 int64")).imm0.bits, ~std::uint64_t{0});
  EXPECT_EQ(decode_as<S3d3Ts>(assemble("tensor_scalar_bitvec_op imm0=4294967295 imm1=-2147483648")).imm1.bits, 0x80000000u);
}

TEST(Text, StepsAndCountsFillTheirFields) {
  // A5: what fits round-trips, what does not is refused and never wrapped.
  const Bundle b = assemble("copy src=sbuf[p0] fp32 [32767,-32768 x 65535,0] dst=sbuf[p0] fp32 [1 x 1]");
  EXPECT_EQ(assemble(print_instruction(b)), b);
  EXPECT_EQ(decode_as<S4d4Tr>(b).src_mem_pattern.step[1], -32768);
  for (const std::string_view bad : {"[46208 x 1]", "[-48528 x 1]", "[32768 x 1]", "[-32769 x 1]", "[1 x 65536]", "[1 x -1]"})
    EXPECT_THAT(errors_of(text_of("copy src=sbuf[p0] fp32 {}", bad)), HasSubstr("bad-value")) << bad;
}

TEST(Text, DefaultsAreThoseOfTheManual) {
  const S3d3Ac x = decode_as<S3d3Ac>(assemble("activate exp"));
  EXPECT_EQ(x.scale_value.bits, 0x3F800000u);
  EXPECT_EQ(x.bias_src_n, ImmSrcN::INSTRUCTION);
  EXPECT_EQ(x.in_bias_dtype.hi(), Dtype::fp32);
  EXPECT_EQ(decode_as<D4Mr>(assemble("memset dst=sbuf[p0] fp32 [1,8 x 8,4]")).dst_element_count, 32u);
  EXPECT_EQ(decode_as<D4Mr>(assemble("memset dst=sbuf[p0] fp32 [1,8 x 8,4] dst_element_count=0")).dst_element_count, 0u);
}

TEST(Text, LineEndsTabsAndMarksMakeNoDifference) {
  const std::string plain = "# note\nnop then sem[3]++\nhalt // end\n";
  std::string crlf = "\xEF\xBB\xBF";
  for (const char c : plain) crlf += c == '\n' ? "\r\n" : c == ' ' ? "\t" : std::string(1, c);
  crlf.resize(crlf.size() - 2);
  const auto a = parse_text(plain), b = parse_text(crlf);
  ASSERT_TRUE(a && b) << errors_of(crlf);
  EXPECT_EQ(a->streams[0].bundles, b->streams[0].bundles);
  EXPECT_EQ(a->streams[0].bundles.size(), 2u);
}

TEST(Text, BytesLines) {
  Bundle b;
  for (unsigned i = 0; i < kBundleBytes; ++i) b.bytes[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(assemble(print_instruction(b)), b);  // opcode 0: no instruction
  std::string spaced = ".bytes";
  for (const std::uint8_t x : b.bytes) spaced.append(1, ' ').append(to_hex(std::span(&x, 1)));
  EXPECT_EQ(assemble(spaced), b);
  EXPECT_THAT(errors_of(".bytes 00ff"), HasSubstr("bad-size"));
  EXPECT_THAT(errors_of(".bytes 00ff\nnop"), HasSubstr("nothing may follow"));
  EXPECT_THAT(errors_of(".bytes 0"), HasSubstr("pairs of hex digits"));
}

TEST(Text, EveryErrorIsReportedWithItsPlace) {
  const auto program = parse_text("nop\n  activate exq channels=500 dst=sbuf[p128] fp32 [1 x 1]\nfrobnicate\n", "t.act");
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), 4u);
  const Diagnostic& function = program.error()[0];
  EXPECT_EQ(function.where.line, 2u);
  EXPECT_EQ(function.where.column, 12u);
  EXPECT_EQ(function.where.end_column, 15u);
  EXPECT_EQ(function.value, "exq");
  EXPECT_EQ(program.error()[1].field, "num_active_channels");
  EXPECT_EQ(program.error()[1].allowed, "0..255");
  EXPECT_EQ(program.error()[2].value, "p128");
  EXPECT_EQ(program.error()[3].where.line, 3u);
}

TEST(Text, ErrorsAreBounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "frobnicate\n";
  Diagnostics warnings;
  const auto program = parse_text(text, TextOptions{.file = "t", .max_errors = 7}, warnings);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().size(), 7u);
}

TEST(Text, RefusedLines) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"activate exp exp", "given twice"},
      {"activate exp channels=1 num_active_channels=2", "given twice"},
      {"activate exp src=sbuf[p0] [1 x 512]", "data type of src_mem_pattern is missing"},
      {"activate exp frob=1", "no operand of this name"},
      {"activate exp src=sbuf[p0+0x40000] fp32 [1 x 1]", "leaves the partition"},
      {"activate exp src=psum[p0+bank8] fp32 [1 x 1]", "allowed 0..7"},
      {".gen v5\nactivate exp src=psum[p0] fp32 [1 x 1]", "maverick has no PSUM"},
      {"activate exp src=sbuf[p0] fp32 [1,1 x 1]", "2 steps and 1 counts"},
      {"activate exp src=sbuf[p0] fp32 [1,1,1,1 x 1,1,1,1]", "too many dimensions"},
      {"activate exp src=gather sbuf[p0] by sbuf[p0] x 1 fp32", "no gather form"},
      {"activate exp scale=1e99", "the number does not fit"},
      {"activate exp accumulator_cmd=SUM", "allowed IDLE, ZERO"},
      {"nop wait sem[3] >= 5 then sem[7] += 6", "share one value"},
      {"nop wait sem[256] >= 5", "allowed 0..255"},
      {"nop wait sem[3] => 5", "no such condition"},
      {"nop then event[3] ++", "no such update"},
      {"nop wait sem[1] >= 1 wait sem[2] >= 1", "a second wait"},
      {"nop halt", "name=value"},
      {"nop reserved_13=00", "no reserved bytes there"},
      {"nop inst_word_len=256", "does not fit"},
      {"nop\n.gen v2", "before everything"},
      {".engine GPU", "allowed PE, ACT"},
      {".tensor t input sbuf[p0] fp32 [0]", "none of them 0"},
      {".tensor t input sbuf[p0] fp32 [4]\n.tensor t input sbuf[p0] fp32 [4]", "second tensor"},
      {".tensor sbuf input sbuf[p0] fp32 [4]", "meaning of its own"},
      {".reg 64 = 1", "allowed 0..63"},
      {".frob", "no directive"},
      {".gen v9", "no generation"},
      {"modify_pool_config modify_op=LoadLib extra", "name=value"},
      {"pseudo_load_act_func_set act_set_name=\"a", "closing quote"},
      {"pseudo_load_act_func_set act_set_name=\"012345678901234567890123456789012\"", "too long"},
      {"activate_quantize quant_scale_value=two", "binary32"},
      {"activate exp bias=sbuf[p0] fp4", "half a byte"},
  };
  for (const auto& [text, message] : kCases) EXPECT_THAT(errors_of(text), HasSubstr(std::string(message))) << text;
}

TEST(Text, MissingOpcodesOfAGenerationWarn) {
  Diagnostics warnings;
  const auto program = parse_text("activate2 exp\nactivate2 exp", TextOptions{}, warnings);
  ASSERT_TRUE(program);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].message, HasSubstr("cayman"));
}

TEST(Text, FieldsAreFoundInTheirLine) {
  const std::string_view line = "  activate exp src=sbuf[p0] fp32 [1 x 4] channels=8 bias=reg[3] wait sem[1] >= 2";
  const auto at = [&line](std::string_view field) {
    const Columns c = find_operand(line, field);
    return std::string(line.substr(c.column - 1, c.end_column - c.column));
  };
  EXPECT_EQ(at("num_active_channels"), "channels=8");
  EXPECT_EQ(at("src_mem_pattern"), "src=sbuf[p0]");
  EXPECT_EQ(at("in_bias_dtype"), "src=sbuf[p0]");
  EXPECT_EQ(at("bias_src_n"), "bias=reg[3]");
  EXPECT_EQ(at("activation_func"), "exp");
  EXPECT_EQ(at("wait_idx"), "wait sem[1]");
  EXPECT_EQ(at("out_dtype"), "activate");
}

TEST(Text, ProgramsPrintTheirDirectives) {
  const std::string text =
      ".gen mariana\n.tensor a input sbuf[p32+0x40] bfloat16 [32,4,8]\n.tensor b both psum[p0+bank1] fp32 [128,1]\n.reg 5 = 0x800100\n"
      ".shape_reg 3 = [1,64,1,1 x 64,2,1,1]\n.engine DVE \"v\"\ncopy src_mem_pattern=sbuf[p32+0x40] bfloat16 [1 x 32] dst_mem_pattern=reg[5] bfloat16 [1 x 32] "
      "num_active_channels=32\n";
  const auto program = parse_text(text);
  ASSERT_TRUE(program) << errors_of(text);
  EXPECT_EQ(print_text(*program), text);
  EXPECT_EQ(program->streams[0].engine, Engine::DVE);
  EXPECT_EQ(program->registers[0].value, 0x800100u);
  EXPECT_EQ(program->shape_registers[0].shape.step[1], 64);
}

TEST(Text, ANamedTensorIsWalkedDensely) {
  const auto program = parse_text(".tensor a input sbuf[p0+0x40] fp32 [128,3,1,5]\ncopy src=a dst=a+0x8 [5,1 x 3,5]");
  ASSERT_TRUE(program) << errors_of(".tensor a input sbuf[p0+0x40] fp32 [128,3,1,5]\ncopy src=a dst=a+0x8 [5,1 x 3,5]");
  const S4d4Tr x = decode_as<S4d4Tr>(program->streams[0].bundles[0]);
  EXPECT_EQ(x.src_mem_pattern.num, (std::array<std::uint16_t, 4>{5, 3, 1, 1}));
  EXPECT_EQ(x.src_mem_pattern.step, (std::array<std::int16_t, 4>{1, 5, 1, 1}));
  EXPECT_EQ(x.dst_mem_pattern.addr, 0x48u);
  EXPECT_EQ(x.in_dtype, Dtype::fp32);
}

TEST(Text, JunkDoesNotCrash) {
  for (const std::string_view junk : {std::string_view(""), std::string_view("\0\0\0", 3), std::string_view("=\n[\n]\n\"\n.\n#"), std::string_view("activate ="),
                                      std::string_view("activate src=\nactivate src=sbuf[\nactivate src=sbuf[p\nactivate bias=@")})
    (void)parse_text(junk);
  (void)parse_text(std::string(1 << 20, '\xFF'));
}

// What the manual shows assembles, and its error message is the real one.
TEST(Text, TheManualIsRight) {
  const auto manual = read_text(std::string(ACTKIT_SOURCE_DIR) + "/docs/text.md");
  ASSERT_TRUE(manual);
  const auto block = [&manual](std::size_t number) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < 2 * number; ++i) at = manual->find("```", at) + 3;
    const std::size_t begin = manual->find('\n', manual->find("```", at)) + 1;
    return manual->substr(begin, manual->find("```", begin) - begin);
  };
  const auto program = parse_text(block(0));
  ASSERT_TRUE(program) << errors_of(block(0));
  EXPECT_EQ(program->streams[0].bundles.size(), 3u);
  EXPECT_TRUE(parse_text("copy " + block(1)));
  const std::string shown = block(2);
  const auto refused = parse_text(shown.substr(shown.find('\n') + 1), "bad.act");
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_text(refused.error()[0]), shown.substr(0, shown.find('\n')));
}

}  // namespace
}  // namespace act
