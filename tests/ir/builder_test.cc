// The builder: what it makes, where it puts tensors, and that every mistake is told at the end.
#include "act/ir/builder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "act/ir/json.h"

namespace act::ir {
namespace {

TEST(Builder, TensorsLieBehindEachOther) {
  Builder b("m");
  const View x = b.input("x", Dtype::fp32, {128, 64}), y = b.output("y", Dtype::bfloat16, {128, 3}), z = b.scratch("z", Dtype::fp32, {4, 1});
  const View p = b.scratch("p", Dtype::fp32, {128, 8}, Space::psum), q = b.scratch("q", Dtype::fp32, {128, 8}, Space::psum);
  EXPECT_EQ(x.pattern.value, 0u);
  EXPECT_EQ(y.pattern.value, 256u);
  EXPECT_EQ(z.pattern.value, 320u) << "pieces of 64 bytes";
  EXPECT_EQ(p.pattern.value, 0x2000000u);
  EXPECT_EQ(q.pattern.value, 0x2000800u) << "banks of 2048 bytes";
  EXPECT_EQ(x.columns(8, 24).pattern.value, 32u);
  EXPECT_EQ(x.columns(8, 24).pattern.num[0], 16);
  EXPECT_EQ(x.channels(32, 64).pattern.value, 32u * 0x40000);
  EXPECT_EQ(p.channels(32, 64).pattern.value, 0x2000000u + 32 * 0x8000);
  EXPECT_EQ(x.channels(32, 64).pattern.channels, 32);
  const View walk = x.as({2, 4}, {1, 16});
  EXPECT_EQ(walk.pattern.dims, 2);
  EXPECT_EQ(walk.pattern.elements(), 8u);
}

TEST(Builder, StructureIsAsWritten) {
  Builder b("m");
  const View x = b.output("x", Dtype::fp32, {4, 4});
  b.memset(x, 0);
  b.loop("i", 3, [&] {
    b.block("inside");
    b.memset(x, 1).name("one");
    b.branch({Condition::Compare::LT, 2, false, 7}, [&] { b.memset(x, 2); });
    b.memset(x, 3);
  });
  b.call("f");
  b.memset(x, 5);
  b.function("f", [&] { b.memset(x, 4); });
  b.memset(x, 6);
  const auto m = b.finish();
  ASSERT_TRUE(m) << to_text(m.error()[0]);
  const auto& main = m->functions[0].body;
  ASSERT_EQ(main.size(), 4u);
  EXPECT_EQ(main[1].kind, Node::Kind::loop);
  EXPECT_EQ(main[1].trip, 3);
  ASSERT_EQ(main[1].body.size(), 3u);
  EXPECT_EQ(main[1].body[0].name, "inside");
  EXPECT_EQ(main[1].body[0].instructions[0].name, "one");
  EXPECT_EQ(main[1].body[1].condition.value, 7u);
  EXPECT_TRUE(main[1].body[1].otherwise.empty());
  EXPECT_EQ(main[2].name, "f");
  EXPECT_EQ(main[3].instructions.size(), 2u) << "a function in between does not close the block";
  EXPECT_EQ(m->functions[1].body[0].instructions[0].name, "I-6") << "unnamed instructions are numbered";
  const std::string text = write_module(*m);
  const auto back = read_module(text, "m");
  ASSERT_TRUE(back);
  EXPECT_EQ(write_module(*back), text);
}

TEST(Builder, InstructionsHoldWhatWasAsked) {
  Builder b("m", Generation::mariana);
  const View x = b.input("x", Dtype::bfloat16, {8, 16}), y = b.output("y", Dtype::fp32, {8, 16}), c = b.scratch("c", Dtype::fp32, {8, 1});
  b.activate("Prelu", x, y).scale(2.0F).bias(c).alpha(ScalarOperand::reg(9)).accumulate(Accumulation::AddAccumulate).drain(c).line(17).wait(8, 16).increment(30);
  b.tensor_scalar(y, y, AluOp::mult, c, AluOp::add, 1.5F).wait(6, 2).increment(6);
  b.exponential(x, y, 0.5F, AccumCmd::ZERO_ACCUMULATE);
  b.activate("Copy", x, y).stages(AluOp::mult, AluOp::add, AluOp::abs_max).accumulate(Accumulation::ZeroAccumulate);
  const auto m = b.finish();
  ASSERT_TRUE(m) << to_text(m.error()[0]);
  const auto& list = m->functions[0].body[0].instructions;
  const Inst& a = list[0];
  EXPECT_EQ(a.ins[1].kind, Argument::Kind::pattern);
  EXPECT_EQ(a.ins[2].value, 0x40000000u);
  EXPECT_EQ(a.ins[3].kind, Argument::Kind::reg);
  EXPECT_EQ(a.outs.size(), 2u);
  EXPECT_EQ(a.line, 17u);
  EXPECT_EQ(a.sync.wait_mode, WaitMode::SEM_GE_IMM);
  EXPECT_EQ(a.sync.sync_value, 16u);
  EXPECT_EQ(a.sync.update_mode, UpdateMode::SEM_INC_COMPLETE);
  const auto t = decode_as<S3d3Ts>(list[1].bundle());
  EXPECT_EQ(t.imm0_src, ImmSrc::POINTER_IMMEDIATE);
  EXPECT_EQ(t.imm0.bits, c.pattern.value);
  EXPECT_EQ(t.imm1_src, ImmSrc::INSTRUCTION_IMMEDIATE);
  EXPECT_EQ(t.imm1.bits, 0x3FC00000u);
  EXPECT_EQ(t.wait_idx, 6);
  EXPECT_EQ(t.sync_value, 2u);
  EXPECT_EQ(t.num_active_channels, 8);
  EXPECT_EQ(std::get<ExponentialFields>(list[2].fields).reduce_cmd, AccumCmd::ZERO_ACCUMULATE);
  EXPECT_TRUE(list[3].activation().is_activate2);
  EXPECT_EQ(list[3].activation().reduce_op, AluOp::abs_max);
}

TEST(Builder, EveryMistakeIsTold) {
  Builder b("m");
  const View x = b.input("x", Dtype::fp32, {4, 4});
  b.scratch("huge", Dtype::fp32, {128, 60000});
  b.scratch("more", Dtype::fp32, {128, 60000});
  b.activate("Expp", x, x).name("typo");
  b.memset(x, 0).bias(1.0F);
  b.memset(x, 0).set("nonsense", 1);
  b.memset(x, 0).set("num_active_channels", 256);
  b.memset(x, 0).set("dtype", x);
  b.memset(x, 0).accumulate(Accumulation::Zero);
  b.call("nowhere");
  const auto m = b.finish();
  ASSERT_FALSE(m);
  std::string all;
  for (const Diagnostic& d : m.error()) all += to_text(d) + "\n";
  for (const char* part : {"no place for tensor huge", "Expp", "bias, scale and alpha belong to activations", "nonsense", "256 does not fit num_active_channels", "no tensor field dtype", "accumulate command", "nowhere"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
}

}  // namespace
}  // namespace act::ir
