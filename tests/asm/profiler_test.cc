// The profiler's operand text against the profiles of two real kernels.
#include "act/asm/profiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "act/asm/text.h"
#include "act/neff/container.h"
#include "act/rows/json.h"

namespace act {
namespace {

// White space as one blank, and without the names of owners.
std::string plain(const std::string& text) {
  std::string out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word[0] == '(' && word.find(')') != std::string::npos) word.erase(0, word.find(')') + 1);
    const bool glue = out.ends_with(']') && (word.starts_with(">=") || word.starts_with("++"));
    if (!out.empty() && !glue && !word.empty()) out += ' ';
    out += word;
  }
  return out;
}

// Waits and updates at the start of an operand text.
std::string events_only(const std::string& text) {
  std::string out;
  std::istringstream words(text);
  for (std::string word; words >> word && word.starts_with("S[");) out += word + " ";
  return out;
}

constexpr std::pair<std::string_view, std::string_view> kSubgroups[] = {
    {"Scalar", "act"}, {"Vector", "dve"}, {"Tensor", "pe"}, {"GpSimd", "pool"}, {"Sync", "sp"}};

// Instructions whose operands the books do not describe: only their events are compared.
bool operands_documented(std::string_view opcode) { return opcode != "LDWEIGHTS" && opcode != "MATMUL" && opcode != "DMA_DIRECT2D"; }

class Profile : public testing::TestWithParam<const char*> {};

TEST_P(Profile, EqualsTheStoredText) {
  const std::string base = std::string(ACTKIT_SHARED_DIR) + "/real/" + GetParam();
  if (!std::filesystem::exists(base + ".neff")) GTEST_SKIP() << "the real containers are absent";
  Diagnostics problems;
  const auto container = neff::read_container_file(base + ".neff", {}, problems);
  ASSERT_TRUE(container);
  std::map<std::pair<std::string, std::string>, std::span<const std::uint8_t>> streams;
  const auto views = container->streams();
  ASSERT_TRUE(views);
  for (const neff::StreamView& v : *views) streams[{std::string(v.graph), std::string(v.engine->key)}] = v.bytes;
  std::ifstream in(base + ".profile.jsonl");
  int full = 0, rows = 0;
  for (std::string line; std::getline(in, line); ++rows) {
    const auto row = nlohmann::json::parse(line);
    std::string engine;
    for (const auto& [subgroup, key] : kSubgroups)
      if (row["subgroup"] == subgroup) engine = key;
    const std::string graph = row["subgraph"];
    const auto bytes = streams.at({graph, engine});
    const std::size_t at = row["compiler_pc"].get<std::size_t>() * kBundleBytes;
    ASSERT_LE(at + kBundleBytes, bytes.size());
    Bundle b;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), kBundleBytes, b.bytes.begin());
    const SemaphoreOwner owner = [&](unsigned n) {
      if (std::string name = engine_semaphore_owner(n); !name.empty()) return name;
      const neff::DmaQueue* queue = container->queue_of(graph, n);
      return queue == nullptr ? std::string{} : queue->name;
    };
    const std::string opcode = row["opcode"], expected = row["operands"];
    EXPECT_EQ(profiler_opcode(b.opcode()), opcode) << line;
    const std::string got = profiler_operands(b, owner);
    if (operands_documented(opcode)) {
      EXPECT_EQ(plain(got), plain(expected)) << line;
      ++full;
      // The text can be read back, as far as it says everything.
      Diagnostics warnings;
      const auto again = parse_text(opcode + " " + expected, TextOptions{}, warnings);
      ASSERT_TRUE(again) << to_text(again.error()[0]);
      Bundle read = again->streams[0].bundles[0];
      if (opcode == "ACTIVATE") {
        EXPECT_EQ(read, b) << line;
      } else {
        EXPECT_EQ(profiler_operands(read, owner), got) << line;
      }
    } else {
      EXPECT_EQ(events_only(plain(got)), events_only(plain(expected))) << line;
    }
  }
  EXPECT_GT(full, 30);
  EXPECT_GT(rows, 100);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Profile, testing::Values("attention_fused_fp32_s512", "attention_baseline_bf16_s512"),
                         [](const auto& i) { return std::string(i.param); });

TEST(Profiler, ThePublishedExample) {
  const auto raw = from_hex(
      "21100000050613040500000000000000002000020100010001000002010001" "00aa0a80070000803f104800000000000020480000010001000100000201000100");
  ASSERT_TRUE(raw);
  Bundle b;
  std::copy(raw->begin(), raw->end(), b.bytes.begin());
  EXPECT_EQ(print_profiler(b),
            "ACTIVATE S[6] (Vector)>=5 S[4] (Scalar)++@complete EXP bias_ptr=fp32@0x4810 src=fp32@0x2002000[1,1,1][512,1,1] "
            "dst=fp32@0x4820[1,1,1][512,1,1] channels=128 scale=1.000000 imm=0.000000 accumulator_cmd=IDLE");
}

TEST(Profiler, AnyBytesPrint) {
  Bundle b;
  for (unsigned code = 0; code < 256; ++code) {
    b.bytes.fill(0xFF);
    b.bytes[0] = static_cast<std::uint8_t>(code);
    EXPECT_FALSE(print_profiler(b).empty());
  }
}

TEST(RealContainers, EveryBundleSurvivesText) {
  int containers = 0;
  for (const char* name : {"matmul_small", "matmul_large", "attention_fused_fp32_s512", "attention_baseline_bf16_s512"}) {
    const std::string path = std::string(ACTKIT_SHARED_DIR) + "/real/" + name + ".neff";
    if (!std::filesystem::exists(path)) continue;
    ++containers;
    Diagnostics problems;
    const auto container = neff::read_container_file(path, {}, problems);
    ASSERT_TRUE(container);
    const auto views = container->streams();
    ASSERT_TRUE(views);
    for (const neff::StreamView& v : *views) {
      std::string text;
      for (std::size_t at = 0; at < v.bytes.size(); at += kBundleBytes) {
        Bundle b;
        std::copy_n(v.bytes.begin() + static_cast<std::ptrdiff_t>(at), kBundleBytes, b.bytes.begin());
        EXPECT_EQ(encode(decode(b)), b);
        TextPrinter().append(b, text);
      }
      EXPECT_EQ(text.find(".bytes"), std::string::npos);
      const auto program = parse_text(text);
      ASSERT_TRUE(program);
      std::vector<std::uint8_t> bytes;
      if (!program->streams.empty())
        for (const Bundle& b : program->streams[0].bundles) bytes.insert(bytes.end(), b.bytes.begin(), b.bytes.end());
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), v.bytes.begin(), v.bytes.end())) << name << " " << v.member;
    }
  }
  if (containers == 0) GTEST_SKIP() << "the real containers are absent";
}

}  // namespace
}  // namespace act
