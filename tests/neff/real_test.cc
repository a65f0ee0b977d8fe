// Real compiler output: what 05 says is true in all of it (N-T3 and N-T6 as far as they are container
// matters).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "act/neff/writer.h"
#include "neff/forge.h"

namespace act::neff {
namespace {
namespace fs = std::filesystem;

struct Real {
  const char* file;
  std::uint64_t mask;
  std::array<std::size_t, 10> bundles;  // sg00 act pool pe dve sp, then sg01
};

class RealFiles : public ::testing::TestWithParam<Real> {
 protected:
  void SetUp() override {
    path_ = std::string(ACTKIT_SHARED_DIR) + "/real/" + GetParam().file;
    if (!fs::exists(path_)) GTEST_SKIP() << "no real container at " << path_;
    bytes_ = read_file(path_).value();
  }
  std::string digest_of(const Container& c, const std::string& member) const {
    const Member* m = c.archive.find(member);
    return m == nullptr ? "absent" : fmt::format("{:02x}", fmt::join(md5(m->data), ""));
  }
  std::string path_;
  Bytes bytes_;
};

TEST_P(RealFiles, ReadsWithoutAWord) {
  Diagnostics problems;
  EXPECT_TRUE(looks_like_container(bytes_));
  const auto c = read_container(bytes_, GetParam().file, {}, problems);
  ASSERT_TRUE(c);
  EXPECT_TRUE(problems.empty()) << to_text(problems[0]);
  EXPECT_EQ(c->archive.digest, DigestForm::words_reversed);
  EXPECT_EQ(c->archive.header.feature_mask(), GetParam().mask);
  EXPECT_EQ(c->target, "cayman");
  EXPECT_EQ(c->kelf_version, "0.5");
  EXPECT_EQ(c->name, c->archive.header.text(header_field("network_name")));
  EXPECT_TRUE(check_loadable(c->archive.header, "f"));
  const std::uint64_t padding = bytes_.size() - 1024 - c->archive.gzip_bytes;
  EXPECT_GE(padding, 24u);
  EXPECT_LE(padding, 10165u);

  ASSERT_EQ(c->graphs.size(), 2u);
  const auto streams = c->streams();
  ASSERT_EQ(streams->size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ((*streams)[i].bytes.size() / 64, GetParam().bundles[i]) << i;
  for (std::uint64_t n = 0; n < 40; ++n) {  // engines have the low numbers, queues begin at 8
    const DmaQueue* queue = c->queue_of("sg00", n);
    ASSERT_EQ(queue != nullptr, n >= 8) << n;
    EXPECT_TRUE(queue == nullptr || find_engine(queue->owner) != nullptr) << n;
  }
}

TEST_P(RealFiles, OneLoadPerComputingActivationStream) {
  Diagnostics problems;
  const auto c = read_container(bytes_, "f", {}, problems);
  const auto streams = c->streams("", "act");
  for (const StreamView& s : *streams) {
    std::size_t loads = 0, work = 0;
    for (std::size_t at = 0; at < s.bytes.size(); at += 64) {
      loads += s.bytes[at] == 0x23;
      work += s.bytes[at] == 0x21 || s.bytes[at] == 0x46 || s.bytes[at] == 0x47;
    }
    EXPECT_EQ(loads, work == 0 ? 0u : 1u) << s.member;
  }
}

// N-T6
TEST_P(RealFiles, EmbeddedSetHasThePublishedDigests) {
  Diagnostics problems;
  auto c = std::make_shared<const Container>(read_container(bytes_, "f", {}, problems).value());
  for (const Graph& g : c->graphs) {
    EXPECT_EQ(digest_of(*c, g.roster), "aa8ea33a5b7414695fa87ca890f50d6c");
    ASSERT_EQ(g.sets.size(), 21u);
    std::vector<std::string> present;
    for (const TableSet& s : g.sets)
      if (s.present) present.push_back(s.name);
    EXPECT_EQ(present, g.engines[0].activation_function_sets);
    if (present.empty()) continue;
    EXPECT_THAT(present, ::testing::ElementsAre("exp_and_others"));
    EXPECT_EQ(digest_of(*c, g.name + "/exp_and_others_ctrl.bin"), "0fddfa2e29d5bc3d31d033b45deb7356");
    EXPECT_EQ(digest_of(*c, g.name + "/exp_and_others_bkt.bin"), "14b0d1b5d0ae7b57bed70bdebeca46dc");
    EXPECT_EQ(digest_of(*c, g.name + "/exp_and_others.json"), "276ca51fce4d2a5f1407fa69d4f30d08");
  }
  const ContainerFolder folder(c);
  EXPECT_EQ(folder.read("exp_and_others_bkt.bin")->size(), 30112u);
  EXPECT_FALSE(folder.contains("sigmoid_and_others_bkt.bin"));
}

TEST_P(RealFiles, ExtractsToTheSameBytesAndPacksAgain) {
  Diagnostics problems;
  const auto a = read_archive(bytes_, "f", {}, problems);
  const fs::path out = fs::temp_directory_path() / fmt::format("actkit_real_{}", ::getpid());
  ASSERT_TRUE(extract(*a, out.string()));
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(out)) files += entry.is_regular_file();
  EXPECT_EQ(files, a->members.size());
  for (const Member& m : a->members) EXPECT_EQ(read_file((out / m.name).string()).value(), m.data) << m.name;
  fs::remove_all(out);

  const auto packed = pack(a->header, a->members);
  const auto again = read_archive(*packed, "f", {}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(std::ranges::equal(again->members, a->members, [](const Member& x, const Member& y) {
    return x.name == y.name && x.data == y.data;
  }));
  EXPECT_EQ(again->tar_bytes, a->tar_bytes);
  EXPECT_EQ(again->header.text(header_field("network_name")), a->header.text(header_field("network_name")));
}

INSTANTIATE_TEST_SUITE_P(
    All, RealFiles,
    ::testing::Values(
        Real{"attention_baseline_bf16_s512.neff", 0xC00, {23, 8, 117, 20, 8, 2, 2, 2, 2, 2}},
        Real{"attention_fused_fp32_s512.neff", 0xC00, {11, 7, 124, 19, 3, 2, 2, 2, 2, 2}},
        Real{"matmul_large.neff", 0x201C00, {103, 6873, 21269, 1101, 449, 103, 6873, 21269, 1101, 449}},
        Real{"matmul_small.neff", 0x209C00, {5, 7, 12, 2, 3, 5, 7, 12, 2, 3}}),
    [](const auto& p) { return fs::path(p.param.file).stem().string(); });

}  // namespace
}  // namespace act::neff
