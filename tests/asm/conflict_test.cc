// Operands of one line that write the same field: their order never decides, and what they say must agree.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/asm/json_lines.h"
#include "act/asm/profiler.h"
#include "asm/assemble.h"

namespace act {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Pair {
  const char* rest;           // the other operands of the line
  const char *first, *second; // disagree
  const char *names_first, *names_second;
};
constexpr char kActivate[] = "activate exp dst=sbuf[p0] fp32 [1 x 8] channels=1";

TEST(Conflict, IsAnErrorInEitherOrder) {
  const Pair pairs[] = {
      {"copy dst=sbuf[p0+0x40] fp32 [1 x 8] channels=1", "src=sbuf[p0] fp32 [1 x 8]", "in_dtype=BFLOAT16", "src_mem_pattern", "in_dtype"},
      {"copy src=sbuf[p0+0x40] fp32 [1 x 8] channels=1", "dst=fp32@0x40[1,1,1,1][8,1,1,1]", "out_dtype=6", "dst_mem_pattern", "out_dtype"},
      {kActivate, "src=psum[p0] fp32 [1 x 8]", "in_bias_dtype=BFLOAT16/FP16", "src_mem_pattern", "in_bias_dtype"},
      {"activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]", "bias=sbuf[p0+0x10] fp16", "in_bias_dtype=FP32/BFLOAT16", "bias", "in_bias_dtype"},
      {"activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]", "scale=sbuf[p0+0x40]", "scale_src=0", "scale_value", "scale_src"},
      {"activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]", "scale=0.5", "scale_src=POINTER_IMMEDIATE", "scale_value", "scale_src"},
      {"activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]", "bias=sbuf[p0+0x40]", "bias_src_n=INSTRUCTION", "bias", "bias_src_n"},
      {"activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]", "bias_ptr=fp32@0x40", "bias_src_n=INSTRUCTION", "bias", "bias_src_n"},
      {"activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]", "bias=reg[3]", "bias_src_n=POINTER", "bias", "bias_src_n"},
      {"nop", "wait sem[3] >= 5", "wait_mode=NONE", "the wait", "wait_mode"},
      {"nop", "wait unordered", "wait_mode=EVT_SET", "the wait", "wait_mode"},
      {"nop", "S[3]>=5", "wait_idx=4", "the wait", "wait_idx"},
      {"nop", "then sem[7]++", "update_mode=SEM_DEC_COMPLETE", "the update", "update_mode"},
      {"nop", "on_read event[7] set", "update_idx=6", "the update", "update_idx"},
      {"nop", "wait sem[3] >= 5", "sync_value=6", "the wait", "sync_value"},
      {"nop", "then sem[3] += 5", "semaphore_value=6", "the update", "sync_value"},
  };
  for (const Pair& p : pairs) {
    for (const std::string& line : {fmt::format("{} {} {}", p.rest, p.first, p.second), fmt::format("{} {} {}", p.rest, p.second, p.first)})
      EXPECT_THAT(errors_of(line), AllOf(HasSubstr("different values"), HasSubstr(p.names_first), HasSubstr(p.names_second))) << line;
  }
}

TEST(Conflict, TheSameValueTwiceIsFine) {
  const Bundle copy = assemble("copy src=sbuf[p0] bfloat16 [1 x 8] dst=sbuf[p0+0x40] fp32 [1 x 8] channels=1");
  EXPECT_EQ(assemble("copy src=sbuf[p0] bfloat16 [1 x 8] in_dtype=BFLOAT16 dst=sbuf[p0+0x40] fp32 [1 x 8] channels=1"), copy);
  EXPECT_EQ(assemble("copy in_dtype=BFLOAT16 src=sbuf[p0] [1 x 8] out_dtype=FP32 dst=sbuf[p0+0x40] [1 x 8] channels=1"), copy);
  const Bundle nop = assemble("nop wait sem[3] >= 5 then sem[4]++");
  EXPECT_EQ(assemble("nop wait_mode=SEM_GE_IMM wait sem[3] >= 5 sync_value=5 wait_idx=3 then sem[4]++ update_idx=4"), nop);
  EXPECT_EQ(nop.bytes[4], 0x05);
  EXPECT_EQ(nop.bytes[6], 0x13);
}

// A bare pattern leaves the source to a selector that is written out, on either side of it (the profiler's form).
TEST(Conflict, APatternTakesTheSelector) {
  const std::string rest = "activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8] channels=1";
  const Bundle b = assemble(rest + " scale=0x40 scale_src=POINTER_IMMEDIATE");
  EXPECT_EQ(b.bytes[13], 1);
  EXPECT_EQ(b.bytes[36], 0x40);
  EXPECT_EQ(assemble(rest + " scale_src=POINTER_IMMEDIATE scale=0x40"), b);
  EXPECT_EQ(assemble(rest + " scale=sbuf[p0+0x40]"), b);
}

TEST(Conflict, EachOperandOnce) {
  EXPECT_THAT(errors_of("copy reserved_39=01 reserved_39=02"), HasSubstr("given twice"));
  EXPECT_THAT(errors_of(".reg 5 = 0x40\n.reg 5 = 0x80\nnop"), HasSubstr("given twice"));
  EXPECT_THAT(errors_of(".shape_reg 5 = [1 x 8]\n.shape_reg 5 = [2 x 8]\nnop"), HasSubstr("given twice"));
  EXPECT_THAT(errors_of(".gen v2\n.gen v4\nnop"), HasSubstr("second .gen"));
  EXPECT_THAT(errors_of(".reg 5 = psum[p1]\n.gen v5\nnop"), HasSubstr(".gen stands before"));
  EXPECT_EQ(errors_of(".gen v4\n.gen mariana\nnop"), "");
}

TEST(Conflict, JsonKeysStandOnceAndAliasesAgree) {
  const auto refused = [](std::string_view line) {
    const auto b = bundle_from_json_line(line, "t.jsonl", 1);
    return b ? std::string{} : to_text(b.error()[0]);
  };
  EXPECT_THAT(refused(R"({"opcode":"NOP","opcode":"HALT","fields":{}})"), HasSubstr("duplicate-name"));
  EXPECT_THAT(refused(R"({"opcode":"NOP","fields":{"wait_idx":1,"wait_idx":2}})"), HasSubstr("occurs twice"));
  EXPECT_THAT(refused(R"({"opcode":"NOP","fields":{"sync_value":5,"semaphore_value":6}})"), HasSubstr("different values"));
  EXPECT_THAT(refused(R"({"opcode":"NOP","fields":{"debug_hint":1,"inst_flags":1}})"), HasSubstr("different values"));
  EXPECT_EQ(refused(R"({"opcode":"NOP","fields":{"debug_hint":1,"debug_cmd":3,"inst_flags":259}})"), "");
  EXPECT_EQ(refused(R"({"opcode":"NOP","fields":{"sync_value":5,"semaphore_value":5}})"), "");
}

TEST(Messages, NameWhatIsWrong) {
  EXPECT_THAT(errors_of("copy src=sbuf[p0] fp99 [1 x 8] dst=sbuf[p0] fp32 [1 x 8]"), AllOf(HasSubstr("no data type of this name"), HasSubstr("found fp99,")));
  EXPECT_THAT(errors_of(std::string(kActivate) + " scale=1e39"), HasSubstr("does not fit"));
  EXPECT_THAT(errors_of(std::string(kActivate) + " scale=0x1p128"), HasSubstr("does not fit"));
  EXPECT_THAT(errors_of("activate_quantize quant_scale_value=-1e39"), HasSubstr("does not fit"));
  const auto wide = bundle_from_json_line(R"({"opcode":"ACTIVATE","fields":{"in_bias_dtype":{"lo":"FP4_EXP2","hi":"FP32"}}})", "t", 1);
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error()[0].message, HasSubstr("4 bits"));
  EXPECT_THAT(wide.error()[0].allowed, testing::Not(HasSubstr("FP4_EXP2")));
}

// Rounded to nearest, ties to even: below half of the smallest subnormal that is zero, with its sign.
TEST(Floats, TheSmallestBecomeZero) {
  constexpr std::pair<const char*, std::uint32_t> kCases[] = {
      {"1e-50", 0},           {"-1e-50", 0x80000000},     {"0x1p-150", 0},      {"-0x1p-150", 0x80000000}, {"0x1.8p-150", 1},
      {"0x1.000001p-150", 1}, {"7e-46", 0},               {"7.1e-46", 1},       {"1e-99999999999999999999", 0},
      {"0x1p-149", 1},        {"0.00000000000000000000000000000000000000000000000001", 0}};
  for (const auto& [text, bits] : kCases) {
    EXPECT_EQ(decode_as<S3d3Ac>(assemble(std::string(kActivate) + " src=psum[p0] fp32 [1 x 8] scale=" + text)).scale_value.bits, bits) << text;
    EXPECT_EQ(decode_as<S3d3Aq>(assemble(std::string("activate_quantize quant_scale_value=") + text)).quant_scale_value.bits, bits) << text;
  }
}

// What the profiler's text has no form for is written as the assembly language has it, so that nothing is dropped.
TEST(Profiler, EveryWaitAndUpdateIsPrinted) {
  EXPECT_EQ(print_profiler(assemble("nop then sem[7] += 5")), "NOP then sem[7] += 5 cycle=0");
  EXPECT_EQ(print_profiler(assemble("nop wait event[3] set")), "NOP wait event[3] set cycle=0");
  EXPECT_EQ(print_profiler(assemble("nop on_read sem[4]++")), "NOP on_read sem[4]++ cycle=0");
  EXPECT_EQ(print_profiler(assemble("nop wait unordered then sem[4]++")), "NOP wait unordered S[4] (Scalar)++@complete cycle=0");
  Bundle b = assemble("nop");
  for (unsigned mode = 0; mode < 256; ++mode)
    for (const std::size_t at : {std::size_t{4}, std::size_t{6}}) {
      Bundle x = b;
      x.bytes[at] = static_cast<std::uint8_t>(mode);
      x.bytes[at + 1] = 9;
      x.bytes[8] = 17;
      EXPECT_EQ(assemble(print_profiler(x)), x) << print_profiler(x);
    }
}

TEST(Profiler, ReadsItsOwnPointersRegistersAndSecondWait) {
  for (const char* line : {
           "activate exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8] channels=1 scale=sbuf[p0+0x40] bias=reg[3] imm=reg[4]",
           "activate exp src=reg[5] bfloat16 [1 x 8] dst=reg[6] fp32 [1 x 8] channels=1 imm=psum[p0] bias=sbuf[p0+0x40] fp16",
           "copy src=sbuf[p0] fp32 shape_reg[3] dst=sbuf[p0] 0x1f [1 x 2] channels=3",
           "tensor_scalar_bitvec_op ops=BITWISE_AND,BITWISE_XOR imm=0xff,0x1 src=sbuf[p0] uint32 [1 x 8] dst=sbuf[p0] uint32 [1 x 8] channels=1",
           "event_semaphore wait sem[3] >= 5 payload=000000000000000000000000000000000000000005040000110000",
           "event_semaphore payload=00ff", "set_ordering_mode payload=01"}) {
    const Bundle b = assemble(line);
    EXPECT_EQ(assemble(print_profiler(b)), b) << print_profiler(b);
  }
  EXPECT_EQ(assemble("activate scale_ptr=0x40"), assemble("activate scale=sbuf[p0+0x40]"));
}

}  // namespace
}  // namespace act
