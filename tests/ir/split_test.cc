// Modules whose lists of instructions are read record by record, and those that are parsed at once: the same module.
#include "../../src/ir/split.h"

#include <gmock/gmock.h>

#include "act/ir/json.h"

namespace act::ir {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRecord = R"({"opcode":"Reciprocal","engine":"DVE","name":"R","ins":[{"tensor":"x"}],"outs":[{"tensor":"x"}]})";

std::string module_with(const std::string& list, const std::string& name = "m") {
  return R"({"actkit_module":1,"name":")" + name + R"(","tensors":[{"name":"x","shape":[4,4]}],"functions":[{"name":"main","body":[{"block":"b","instructions" : )" + list + "}]}]}";
}

TEST(Split, TakesRecordsOut) {
  const std::string text = R"({"a":[{"instructions":[ {"x":"]}"} , {"y":[1,{"z":2}]}]}, {"instructions":[]}],"b":"instructions"})";
  const auto s = split_instructions(text);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->skeleton, R"({"a":[{"instructions":0}, {"instructions":1}],"b":"instructions"})");
  ASSERT_EQ(s->lists.size(), 2u);
  EXPECT_THAT(s->lists[0], ElementsAre(R"({"x":"]}"})", R"({"y":[1,{"z":2}]})"));
  EXPECT_TRUE(s->lists[1].empty());
  EXPECT_EQ(s->deepest, 4u);
}

TEST(Split, EscapesInsideRecordsAreTheirs) {
  const std::string text = R"({"instructions":[{"name":"a\"]}\\"}]})";
  const auto s = split_instructions(text);
  ASSERT_TRUE(s);
  EXPECT_THAT(s->lists[0], ElementsAre(R"({"name":"a\"]}\\"})"));
}

TEST(Split, LeavesTheUnusualToTheParser) {
  for (const char* text : {R"({"instructions":5})", R"({"instructions":[1]})", R"({"instructions":[{}{}]})", R"({"instructions":[{},]})", R"({"instructions":[{})", R"({"instructions":[{"a)",
                           R"({"instr\u0075ctions":0,"instructions":[]})", R"({"instructions":)", "}", R"({"name":"\)", R"(")"})
    EXPECT_FALSE(split_instructions(text)) << text;
}

TEST(Split, BothWaysGiveTheSameModule) {
  const std::string list = std::string("[") + kRecord + ",\n" + R"({"opcode":"LoadActFuncSet","engine":"Activation","name":"L","act_func_set_id":3})" + "]";
  const auto split = read_module(module_with(list), "m.json");
  const auto whole = read_module(module_with(list, R"(\u006d)"), "m.json");  // an escape outside of records
  ASSERT_TRUE(split && whole);
  EXPECT_EQ(write_module(*split), write_module(*whole));
}

TEST(Split, ErrorsInsideARecordHaveItsPlace) {
  const auto m = read_module(module_with(std::string("[") + kRecord + R"(,{"opcode":"Reciprocal" "engine":1}])"), "m.json");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error()[0].code, Code::json_syntax);
  EXPECT_EQ(m.error()[0].where.pointer, "/functions/0/body/0/instructions/1");
  ReadLimits shallow;
  shallow.depth = 10;
  std::string deep = R"({"opcode":"Reciprocal","debug":)" + std::string(12, '[') + std::string(12, ']') + "}";
  EXPECT_FALSE(read_module(module_with("[" + deep + "]"), "m.json", shallow));
}

TEST(Split, CompilerNamesAreRemapped) {
  const auto read = [](const std::string& generation) {
    const std::string text = R"({"actkit_module":1,"generation":")" + generation + R"(","tensors":[{"name":"x","shape":[4,4]}],"functions":[{"name":"main","body":[{"block":"b","instructions":[)"
        R"({"opcode":"Activation","engine":"Activation","name":"A","ins":[{"tensor":"x","dtype":"fp4x4"},{"immediate":0},{"immediate":1},{"immediate":0}],)"
        R"("outs":[{"tensor":"x","dtype":"e8m0"}],"func":"Relu","acc":"Idle","scale":1,"alpha":0,"op0":"not_equal","op1":"le","reduce_op":"abs"}]}]}]})";
    auto m = read_module(text, "m.json");
    EXPECT_TRUE(m) << (m ? "" : to_text(m.error()[0]));
    return m ? m->functions[0].body[0].instructions[0] : Inst{};
  };
  const Inst v3 = read("cayman"), v4 = read("mariana");
  EXPECT_EQ(v3.ins[0].dtype, Dtype::uint16);
  EXPECT_EQ(v4.ins[0].dtype, Dtype::fp4_exp2);
  EXPECT_EQ(v3.outs[0].dtype, Dtype::uint8);
  EXPECT_EQ(v3.activation().op0, AluOp::is_ne);
  EXPECT_EQ(v3.activation().op1, AluOp::is_le);
  EXPECT_EQ(v3.activation().reduce_op, AluOp::absolute_value);
}

TEST(Split, RefusedOperandsOfTheEncoder) {
  const auto error = [](const std::string& ins, const std::string& flag) {
    const auto m = read_module(module_with(R"([{"opcode":"Activation","engine":"Activation","name":"A","ins":)" + ins + R"(,"outs":[{"tensor":"x"}],"func":"Relu","acc":"Idle","scale":1,"alpha":0,"op0":"bypass","op1":"bypass","reduce_op":"bypass",)" + flag + "}]"), "m.json");
    return m ? std::string("no error") : m.error()[0].message;
  };
  EXPECT_EQ(error(R"([{"tensor":"x"},{"register":1,"offset":2},{"immediate":1},{"immediate":0}])", R"("reverse0":false)"), "offset register cannot be applied to register immediate in ISA");
  for (const char* flag : {"is_activate2", "reverse0", "reverse1", "can_read_uninit"})
    EXPECT_EQ(error(R"([{"tensor":"x"},{"immediate":0},{"immediate":1},{"immediate":0}])", std::string("\"") + flag + R"(":{"affine":{"const":1,"terms":[]}})"), "an affine flag cannot be encoded");
}

TEST(Split, GenerationInPlaceOfTheModules) {
  ReadLimits limits;
  limits.generation = Generation::sunda;
  const auto m = read_module(module_with("[]"), "m.json", limits);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->generation, Generation::sunda);
}

}  // namespace
}  // namespace act::ir
