// The assembly language: what lines mean, and what is said about lines that mean nothing.
#include "act/asm/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/files/files.h"
#include "act/isa/memory_map.h"
#include "act/rows/json.h"

namespace act {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string errors_of(std::string_view text) {
  const auto program = parse_text(text, "t.act");
  std::string out;
  if (program) return out;
  for (const Diagnostic& d : program.error()) out += to_text(d, source_line(text, d)) + "\n";
  return out;
}

Bundle assemble(std::string_view line) {
  const auto program = parse_text(line, "t.act");
  EXPECT_TRUE(program) << errors_of(line);
  return program && !program->streams.empty() ? program->streams[0].bundles.at(0) : Bundle{};
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

}  // namespace
}  // namespace act
