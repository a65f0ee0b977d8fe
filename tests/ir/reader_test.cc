// The reader on what strangers send: every mistake with its place, nothing without end.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "act/ir/json.h"
#include "act/ir/verify.h"

namespace act::ir {
namespace {

std::string errors_of(const std::string& text, const ReadLimits& limits = {}) {
  const auto m = read_module(text, "m.json", limits);
  std::string out;
  if (m) {
    Diagnostics faults;
    verify_module(*m, "m.json", faults);
    for (const Diagnostic& d : faults) out += to_text(d) + "\n";
    return out;
  }
  for (const Diagnostic& d : m.error()) out += to_text(d) + "\n";
  return out;
}

std::string module_with(const std::string& instructions) {
  return R"({"actkit_module":1,"tensors":[{"name":"x","shape":[4,4]}],"functions":[{"name":"main","body":[{"block":"b","instructions":[)" + instructions + "]}]}]}";
}

TEST(Reader, PlacesAreJsonPointersAndSourceLines) {
  const std::string e = errors_of(module_with(R"({"opcode":"Reciprocal","line":31,"ins":[{"tensor":"x"}],"outs":[{"tensor":"y"}]})"));
  EXPECT_NE(e.find("/functions/0/body/0/instructions/0/outs/0/tensor"), std::string::npos) << e;
  EXPECT_NE(e.find("31"), std::string::npos) << e;
  EXPECT_EQ(errors_of(module_with("")), "");
}

TEST(Reader, AllMistakesAreReportedUpToALimit) {
  std::string list;
  for (int k = 0; k < 300; ++k) list += std::string(k == 0 ? "" : ",") + R"({"opcode":"Nothing"})";
  const auto m = read_module(module_with(list), "m.json");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().size(), 100u);
}

TEST(Reader, RefusesWhatItDoesNotKnow) {
  const struct {
    const char* text;
    const char* part;
  } cases[] = {
      {"", ""},
      {"[]", "object"},
      {R"({"actkit_module":1,"functions":[],"functions":[]})", "twice"},
      {R"({"functions":[]})", "actkit_module"},
      {R"({"actkit_module":1,"generation":"tonga"})", "no such generation"},
      {R"({"actkit_module":1,"tensors":[{"name":"x","shape":[1]},{"name":"x","shape":[1]}]})", "two tensors"},
      {R"({"actkit_module":1,"tensors":[{"name":"x","shape":[1],"offset":999999999}]})", "out of range"},
      {R"({"actkit_module":1,"functions":[{"name":"main","body":[{"call":"main"}]}]})", "calls itself"},
      {R"({"actkit_module":1,"functions":[{"name":"main","body":[{"loop":"i","trip":1,"body":[{"loop":"i","trip":1,"body":[]}]}]}]})", "outer loop"},
  };
  for (const auto& c : cases) {
    const std::string e = errors_of(c.text);
    EXPECT_FALSE(e.empty()) << c.text;
    EXPECT_NE(e.find(c.part), std::string::npos) << e;
  }
}

TEST(Reader, DepthAndSizeAreLimited) {
  std::string deep = R"({"actkit_module":1,"functions":[{"name":"main","body":[)";
  for (int k = 0; k < 100; ++k) deep += fmt::format(R"({{"loop":"i{}","trip":1,"body":[)", k);
  for (int k = 0; k < 100; ++k) deep += "]}";
  EXPECT_NE(errors_of(deep + "]}]}"), "");
  EXPECT_NE(errors_of(std::string(100000, '[')), "");
  ReadLimits small;
  small.bytes = 50;
  EXPECT_NE(errors_of(module_with(""), small).find("too-large"), std::string::npos);
}

// Every prefix of a module, and every single byte of it changed, is read or refused.
TEST(Reader, TruncatedAndFlippedText) {
  const std::string text = module_with(R"({"opcode":"Isa","engine":"DVE","instruction":"MEMSET","fields":{"dst_mem_pattern":{"tensor":"x"},"set_value":7}},{"opcode":"LoadActFuncSet","act_func_set_id":{"affine":{"const":1,"terms":[]}}})");
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_NE(errors_of(text.substr(0, n)), "");
  for (std::size_t n = 0; n < text.size(); ++n)
    for (const char c : {'\0', '"', '{', '9', '-', '\xff'}) {
      std::string changed = text;
      changed[n] = c;
      errors_of(changed);
    }
}

}  // namespace
}  // namespace act::ir
