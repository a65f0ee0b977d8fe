// Every case of 05 section 9, built here (N-T5).
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "act/neff/archive.h"
#include "neff/forge.h"

namespace act::neff {
namespace {
namespace fs = std::filesystem;
using forge::Tar;

struct Outcome {
  std::optional<Archive> archive;
  Diagnostics errors, problems;
};

Outcome read(const Bytes& file, const Limits& limits = {}) {
  Outcome out;
  Result<Archive> r = read_archive(file, "f.neff", limits, out.problems);
  if (r)
    out.archive = std::move(*r);
  else
    out.errors = std::move(r).error();
  return out;
}

// A directory that only the tests write to, so that "nothing was written" can be seen.
class Hostile : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / fmt::format("actkit_neff_{}", ::getpid());
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  // Reading keeps the member "good" and refuses one with `code`; unpacking fails and leaves the directory
  // empty.
  void refuses_one(Tar tar, Code code, std::string_view member) {
    const Outcome o = read(forge::wrap(tar.file("good", "g")));
    ASSERT_TRUE(o.archive);
    EXPECT_FALSE(o.archive->sound);
    ASSERT_EQ(o.archive->members.size(), 1u);
    EXPECT_EQ(o.archive->members[0].name, "good");
    ASSERT_EQ(o.problems.size(), 1u);
    EXPECT_EQ(o.problems[0].code, code) << to_text(o.problems[0]);
    EXPECT_EQ(o.problems[0].severity, Severity::error);
    EXPECT_EQ(o.problems[0].where.file, fmt::format("f.neff({})", member));
    EXPECT_FALSE(extract(*o.archive, (dir_ / "out").string()));
    EXPECT_TRUE(fs::is_empty(dir_));
  }
  // Reading fails with exactly this error.
  Diagnostic fails(const Bytes& file, Code code, const Limits& limits = {}) {
    const Outcome o = read(file, limits);
    EXPECT_FALSE(o.archive);
    EXPECT_EQ(o.errors.size(), 1u);
    if (o.errors.empty()) return {};
    EXPECT_EQ(o.errors[0].code, code) << to_text(o.errors[0]);
    return o.errors[0];
  }
  fs::path dir_;
};

TEST_F(Hostile, NamesThatLeaveTheArchive) {
  refuses_one(Tar{}.file("../x"), Code::bad_path, "../x");
  refuses_one(Tar{}.file("a/../../x"), Code::bad_path, "a/../../x");
  refuses_one(Tar{}.file("/etc/passwd"), Code::bad_path, "/etc/passwd");
  refuses_one(Tar{}.file("a\\b"), Code::bad_path, "a\\\\b");
  refuses_one(Tar{}.file("C:x"), Code::bad_path, "C:x");
  refuses_one(Tar{}.file("a\nb"), Code::bad_path, "a\\nb");
  refuses_one(Tar{}.file("a\x1b[2Jb"), Code::bad_path, "a\\x1b[2Jb");
  refuses_one(Tar{}.add({.name = "", .link = "", .size = ""}, "x"), Code::bad_path, "");
  refuses_one(Tar{}.pax({{"path", "x/" + std::string(256, 'p')}}).file("short"), Code::bad_path,
              "x/" + std::string(256, 'p'));
}

TEST_F(Hostile, NamesWithAZeroByte) {
  refuses_one(Tar{}.file(std::string("a\0b", 3)), Code::bad_path, "a");
  refuses_one(Tar{}.pax({{"path", std::string("a\0../b", 6)}}).file("short"), Code::bad_path, "a");
  refuses_one(Tar{}.add({"././@LongLink", 'L', "", ""}, std::string_view("a\0b", 4)).file("short"),
              Code::bad_path, "a");
}

TEST_F(Hostile, AZeroByteIsFoundWhereverTheHeaderStands) {
  // The name's block at many distances from the pieces in which the tar is decompressed.
  for (std::size_t before = 60'000; before < 70'000; before += 512) {
    const Outcome o =
        read(forge::wrap(Tar{}.file("first", std::string(before, 'z')).file(std::string("n\0m", 3))));
    ASSERT_TRUE(o.archive);
    EXPECT_EQ(forge::count(o.problems, Code::bad_path), 1u) << before;
  }
}

TEST_F(Hostile, OnlyFilesAndDirectories) {
  refuses_one(Tar{}.add({"l", '2', "/etc/passwd", ""}), Code::bad_member, "l");
  refuses_one(Tar{}.add({"h", '1', "good", ""}), Code::bad_member, "h");
  refuses_one(Tar{}.add({"c", '3', "", ""}), Code::bad_member, "c");
  refuses_one(Tar{}.add({"b", '4', "", ""}), Code::bad_member, "b");
  refuses_one(Tar{}.add({"p", '6', "", ""}), Code::bad_member, "p");
  refuses_one(Tar{}.pax({{"GNU.sparse.map", "0,1,1000,1"}, {"GNU.sparse.size", "2000"}}).file("s", "xy"),
              Code::bad_member, "s");
}

TEST_F(Hostile, ALinkIsNeverFollowed) {
  // A link to a directory outside, then a file "through" it.
  const std::string outside = (dir_ / "outside").string();
  fs::create_directory(outside);
  const Outcome o = read(forge::wrap(Tar{}.add({"d", '2', outside, ""}).file("d/f", "evil")));
  ASSERT_TRUE(o.archive);
  EXPECT_FALSE(extract(*o.archive, (dir_ / "out").string()));
  EXPECT_TRUE(fs::is_empty(outside));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
}

TEST_F(Hostile, DirectoriesAndHarmlessSpellingsAreFine) {
  const Outcome o = read(forge::wrap(
      Tar{}.add({"./", '5', "", ""}).add({"./d/", '5', "", ""}).file("./d//f", "1").file("e", "2")));
  ASSERT_TRUE(o.archive);
  EXPECT_TRUE(o.problems.empty()) << to_text(o.problems[0]);
  ASSERT_TRUE(o.archive->contains("d/f"));
  ASSERT_TRUE(extract(*o.archive, (dir_ / "out").string()));
  EXPECT_EQ(read_text((dir_ / "out/d/f").string()).value(), "1");
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(dir_), {}), 4);
}

// A name for the folder itself is no place for a file, and no path is longer than a file system takes.
TEST_F(Hostile, NamesThatNoFileCanHave) {
  refuses_one(Tar{}.file("."), Code::bad_path, ".");
  refuses_one(Tar{}.file("./."), Code::bad_path, "./.");
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "d/";
  refuses_one(Tar{}.pax({{"path", deep + "f"}}).file("short"), Code::bad_path, deep.substr(0, 300) + "...");
}

// A path that fits the archive but not, below the target, the file system.
TEST_F(Hostile, APathTooLongForTheTarget) {
  std::string deep;
  while (deep.size() < 4080) deep += std::string(200, 'd') + "/";
  deep.resize(4080);
  const Outcome o = read(forge::wrap(Tar{}.file("good", "g").pax({{"path", deep}}).file("short")));
  ASSERT_TRUE(o.archive && o.archive->sound);
  const Status s = extract(*o.archive, (dir_ / std::string(100, 'o')).string());
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error()[0].code, Code::bad_path);
  EXPECT_EQ(s.error()[0].where.file, fmt::format("f.neff({}...)", deep.substr(0, 300)));
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(Hostile, NamesOfTwoMembers) {
  const auto doubled = [&](Tar tar) {
    const Outcome o = read(forge::wrap(tar));
    ASSERT_TRUE(o.archive);
    EXPECT_EQ(forge::count(o.problems, Code::duplicate_name, Severity::warning), 1u);
    const Status s = extract(*o.archive, (dir_ / "out").string());
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error()[0].code, Code::duplicate_name);
    EXPECT_EQ(s.error()[0].severity, Severity::error);
    EXPECT_TRUE(fs::is_empty(dir_));
  };
  doubled(Tar{}.file("a/b", "1").file("a/b", "2"));
  doubled(Tar{}.file("a/b", "1").file("./a//b", "2"));
  doubled(Tar{}.file("a/b", "1").file("A/B", "2"));
  doubled(Tar{}.file("a", "1").file("a/b", "2"));
  doubled(Tar{}.file("x/y", "1").file("X", "2"));
  EXPECT_EQ(as_text(read(forge::wrap(Tar{}.file("a", "1").file("a", "2"))).archive->find("a")->data), "2");
}

TEST_F(Hostile, DamagedGzip) {
  const Bytes gzip = forge::gzip(Tar{}.file("a", "payload").end().bytes);
  for (std::size_t cut = 0; cut < gzip.size(); ++cut)
    EXPECT_NE(fails(forge::wrap(std::span(gzip).first(cut)), Code::bad_archive).message.find("the gzip data"), std::string::npos) << cut;
  // Wherever it is cut behind its header, the truncation is what is named: in a header, in a member, at the end.
  std::string numbers;
  for (int i = 0; i < 3000; ++i) numbers += std::to_string(i * 7919 % 10007);
  const Bytes longer = forge::gzip(Tar{}.file("a", numbers).file("b", numbers).end().bytes);
  for (std::size_t cut = 10; cut < longer.size(); cut += 97)
    EXPECT_EQ(fails(forge::wrap(std::span(longer).first(cut)), Code::bad_archive).message, "the gzip data ends early") << cut;
  Bytes crc = gzip, length = gzip;
  crc[gzip.size() - 8] ^= 1;
  length[gzip.size() - 4] ^= 1;
  EXPECT_NE(fails(forge::wrap(crc), Code::bad_archive).message.find("data check"), std::string::npos);
  EXPECT_NE(fails(forge::wrap(length), Code::bad_archive).message.find("length check"), std::string::npos);
  fails(forge::wrap(std::span(gzip).subspan(1)), Code::bad_archive);
  fails(forge::wrap(as_bytes("this is no gzip data at all, but text")), Code::bad_archive);
  fails(forge::wrap(Bytes(10240)), Code::bad_archive);
}

TEST_F(Hostile, EveryBitFlipIsFoundOrHarmless) {
  const Bytes gzip = forge::gzip(Tar{}.file("a", "payload").end().bytes);
  for (std::size_t bit = 0; bit < gzip.size() * 8; ++bit) {
    Bytes flipped = gzip;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    const Outcome o = read(forge::wrap(flipped));
    if (!o.archive) continue;
    EXPECT_EQ(as_text(o.archive->find("a")->data), "payload") << bit;  // e.g. the time stamp
  }
}

TEST_F(Hostile, WhatFollowsTheGzipMember) {
  const Bytes one = forge::gzip(Tar{}.file("a").end().bytes);
  const auto with = [&](std::span<const std::uint8_t> tail) {
    Bytes payload = one;
    payload.insert(payload.end(), tail.begin(), tail.end());
    return read(forge::wrap(payload));
  };
  EXPECT_TRUE(with(Bytes(10165)).problems.empty());
  const Outcome junk = with(Bytes{0, 0, 7});
  ASSERT_TRUE(junk.archive);
  EXPECT_EQ(forge::count(junk.problems, Code::bad_archive, Severity::warning), 1u);
  EXPECT_EQ(junk.problems[0].where.byte, 1024 + one.size() + 2);
  for (const std::size_t zeros : {0, 100}) {
    Bytes tail(zeros);
    const Bytes second = forge::gzip(Tar{}.file("b").end().bytes);
    tail.insert(tail.end(), second.begin(), second.end());
    const Outcome two = with(tail);
    ASSERT_TRUE(two.archive);
    EXPECT_EQ(forge::count(two.problems, Code::bad_archive), 1u);
    EXPECT_FALSE(two.archive->contains("b"));
    EXPECT_FALSE(extract(*two.archive, (dir_ / "out").string()));
    EXPECT_TRUE(fs::is_empty(dir_));
  }
}

TEST_F(Hostile, DamagedTar) {
  const std::string tar = Tar{}.file("a", std::string(1000, 'x')).file("b").end().bytes;
  const auto cut = [&](std::size_t size) { return forge::wrap(forge::gzip(tar.substr(0, size))); };
  fails(cut(700), Code::bad_archive);
  fails(cut(1400), Code::bad_archive);
  fails(forge::wrap(forge::gzip("")), Code::bad_archive);
  fails(forge::wrap(forge::gzip(std::string(2000, 'x'))), Code::bad_archive);
  std::string bad_sum = tar;
  bad_sum[0] ^= 1;
  const Outcome o = read(forge::wrap(forge::gzip(bad_sum)));
  EXPECT_TRUE(!o.archive || !o.archive->sound);
}

TEST_F(Hostile, DeclaredSizesAreNotBelieved) {
  // 8 GiB in octal, 2^63-1 and -1 in base 256, with nothing behind them.
  Diagnostic d = fails(forge::wrap(Tar{}.add({"big", '0', "", "77777777777 "})), Code::too_large);
  EXPECT_EQ(d.where.file, "f.neff(big)");
  EXPECT_NE(d.value.find("8589934591"), std::string::npos);
  std::string huge(12, '\xff');
  huge[0] = '\x80';
  huge[1] = huge[2] = huge[3] = 0;
  huge[4] = '\x7f';
  EXPECT_TRUE(!read(forge::wrap(Tar{}.add({"big", '0', "", huge}))).archive);
  EXPECT_TRUE(!read(forge::wrap(Tar{}.add({"big", '0', "", std::string(12, '\xff')}))).archive);
  // Within the limits but not there.
  fails(forge::wrap(Tar{}.add({"big", '0', "", "03777777777 "})), Code::bad_archive);
}

// Largest resident size of this process so far, in bytes.
std::uint64_t peak_bytes() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<std::uint64_t>(u.ru_maxrss) * 1024;
}

TEST_F(Hostile, TheBombIsASoundGzipMember) {
  const Outcome o = read(forge::wrap(forge::gzip_bomb(Tar{}.file("a").end().bytes, 3)));
  ASSERT_TRUE(o.archive);
  EXPECT_EQ(o.archive->tar_bytes, 2048u + (3u << 20));
}

TEST_F(Hostile, TenGibibytesOfZeros) {
  constexpr std::uint64_t kMebibytes = 10 * 1024;
  // 10 GiB in base 256, as tar writes sizes that need more than eleven octal digits.
  std::string ten_gib(12, '\0');
  ten_gib[0] = '\x80';
  ten_gib[7] = 2;
  ten_gib[8] = '\x80';
  const struct {
    std::string beginning, where;
  } cases[] = {
      {Tar{}.add({"zeros", '0', "", ten_gib}).bytes, "f.neff(zeros)"},  // a member that says what it is
      {Tar{}.add({"../zeros", '0', "", ten_gib}).bytes,
       "f.neff(../zeros)"},                     // refused, and to be stepped over
      {Tar{}.file("a").end().bytes, "f.neff"},  // behind the end of the archive
  };
  for (const auto& c : cases) {
    const Bytes file = forge::wrap(forge::gzip_bomb(c.beginning, kMebibytes));
    const std::uint64_t before = peak_bytes();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(fails(file, Code::too_large).where.file, c.where);
    EXPECT_LT(peak_bytes() - before, std::uint64_t{16} << 20) << c.where;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << c.where;
  }
}

TEST_F(Hostile, LimitsAreExact) {
  Limits limits;
  const Bytes file = forge::wrap(Tar{}.file("a", std::string(1000, 'x')).file("b", std::string(500, 'y')));
  const std::uint64_t tar_bytes = read(file).archive->tar_bytes;
  limits.total_bytes = tar_bytes;
  EXPECT_TRUE(read(file, limits).archive);
  limits.total_bytes = tar_bytes - 1;
  fails(file, Code::too_large, limits);
  limits = {};
  limits.member_bytes = 1000;
  EXPECT_TRUE(read(file, limits).archive);
  limits.member_bytes = 999;
  EXPECT_EQ(fails(file, Code::too_large, limits).where.file, "f.neff(a)");
  limits = {};
  limits.members = 2;
  EXPECT_TRUE(read(file, limits).archive);
  limits.members = 1;
  fails(file, Code::too_large, limits);
}

TEST_F(Hostile, RatioCountsOnlyPastItsStart) {
  const Bytes file = forge::wrap(Tar{}.file("z", std::string(1'000'000, '\0')));
  Limits limits;
  limits.ratio = 10;
  EXPECT_TRUE(read(file, limits).archive);
  limits.ratio_from = 500'000;
  fails(file, Code::too_large, limits);
  limits.ratio = 1100;  // deflate cannot do better than 1032
  EXPECT_TRUE(read(file, limits).archive);
}

TEST_F(Hostile, TooManyMembersStopEarly) {
  Tar tar;
  for (int i = 0; i < 100'001; ++i) tar.add({fmt::format("d{}/", i), '5', "", ""});
  fails(forge::wrap(tar), Code::too_large);
}

TEST_F(Hostile, ExtractionNeverReplaces) {
  const Outcome o = read(forge::wrap(Tar{}.file("a")));
  fs::create_directories(dir_ / "out");
  std::ofstream(dir_ / "out" / "mine") << "kept";
  const Status s = extract(*o.archive, (dir_ / "out").string());
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error()[0].code, Code::io_error);
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(dir_), {}), 2);
}

TEST(LooksLike, OnlyTheFirstBytesCount) {
  const Bytes file = forge::wrap(Tar{}.file("a"));
  EXPECT_TRUE(looks_like_container(file));
  EXPECT_TRUE(looks_like_container(std::span(file).first(16)));
  EXPECT_FALSE(looks_like_container(std::span(file).first(15)));
  Bytes bundle(64);
  bundle[0] = 0x02;
  bundle[1] = 0x10;
  EXPECT_FALSE(looks_like_container(bundle));
  EXPECT_FALSE(looks_like_container(Bytes(64)));
}

}  // namespace
}  // namespace act::neff
