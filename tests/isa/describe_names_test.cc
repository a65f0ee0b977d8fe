// Every name of 01 sections 1.2, 7 and 8 that a person may meet in a diagnostic or a book is explained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/isa/describe.h"

namespace act {
namespace {

using testing::HasSubstr;

TEST(Describe, NamesOfTheBooks) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"TENS_SCALAR_REV_OPS", "SECOND"},
      {"REDUCE_AXIS", "0x01 Partitions"},
      {"pool_type", "0x02 Avg"},
      {"CompressOp", "0x09 Max"},
      {"CUSTOM_OP_ARG_LOCATION", "0x02 HBM"},
      {"CUSTOM_OP_TENSOR_SHAPE_TYPE", "0x02 INLINE_SHAPE4D"},
      {"dtype_int64_illegal_check", "INT64"},
      {"dtype_membership_check", "generation"},
      {"valid_event_modes", "has_valid_neuron_events"},
      {"is_valid_imm_reg", "below 64"},
      {"tensor_scalar_reverse_chk", "at most 3"},
      {"0xE3", "mariana, maverick"},
      {"OP_0xE3", "QuantizeMx"},
      {"0xFF", "INVALID"},
      {"semaphore_value", "sync_value"},
      {"debug_hint", "inst_flags"},
      {"ACT", "id 1 on the device, 2 in the compiler"},
      {"dve", "id 3 on the device, 5 in the compiler"},
      {"IMM64", "8 bytes"},
  };
  for (const auto& [name, part] : kCases) EXPECT_THAT(describe(name).value_or(""), HasSubstr(part)) << name;
  EXPECT_FALSE(describe("nonsense"));
  EXPECT_FALSE(describe("0x00"));
}

// A name of several things explains all of them.
TEST(Describe, AllThatHasTheName) {
  std::vector<std::string_view> kinds;
  for (const Description& d : descriptions("wait_mode")) kinds.push_back(d.kind);
  EXPECT_THAT(kinds, testing::ElementsAre("enumeration", "field"));
  EXPECT_THAT(describe("INVALID").value_or(""), testing::AllOf(HasSubstr("data type INVALID"), HasSubstr("of wait_mode")));
  EXPECT_THAT(descriptions("fp32"), testing::SizeIs(1));
}

}  // namespace
}  // namespace act
