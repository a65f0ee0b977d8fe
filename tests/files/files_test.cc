#include "act/files/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "act/files/stream.h"

namespace act {
namespace {
namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("actkit_files_" + std::to_string(::getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  fs::path dir_;
};

TEST_F(Files, WritesAndReadsBack) {
  ASSERT_TRUE(write_text(path("a"), "hello"));
  EXPECT_EQ(read_text(path("a")).value(), "hello");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator{}), 1);
}

fs::perms mode(const fs::path& p) { return fs::status(p).permissions() & fs::perms::mask; }

// Sets the umask for one scope.
struct Umask {
  mode_t before;
  explicit Umask(mode_t mask) : before(::umask(mask)) {}
  ~Umask() { ::umask(before); }
};

TEST_F(Files, NewFilesAndDirectoriesFollowTheUmask) {
  for (const auto& [mask, file, directory] : {std::tuple{077u, 0600u, 0700u}, {022u, 0644u, 0755u}, {002u, 0664u, 0775u}}) {
    const Umask set(mask);
    const std::string name = path(std::to_string(mask));
    ASSERT_TRUE(write_text(name, "x"));
    EXPECT_EQ(mode(name), fs::perms(file));
    auto writer = FileWriter::create(name + "s");
    ASSERT_TRUE(writer && writer->write("x") && writer->commit());
    EXPECT_EQ(mode(name + "s"), fs::perms(file));
    auto staged = StagedDirectory::create(name + "d");
    ASSERT_TRUE(staged && staged->write("sub/file", "x") && staged->commit());
    EXPECT_EQ(mode(name + "d"), fs::perms(directory));
    EXPECT_EQ(mode(name + "d/sub"), fs::perms(directory));
    EXPECT_EQ(mode(name + "d/sub/file"), fs::perms(file));
  }
}

TEST_F(Files, WhatIsReplacedKeepsItsPermissions) {
  const Umask set(022);
  for (const unsigned m : {0600u, 0640u, 0666u}) {
    ASSERT_TRUE(write_text(path("a"), "old"));
    fs::permissions(path("a"), fs::perms(m));
    ASSERT_TRUE(write_text(path("a"), "new"));
    EXPECT_EQ(mode(path("a")), fs::perms(m));
    auto writer = FileWriter::create(path("a"));
    ASSERT_TRUE(writer && writer->write("newer") && writer->commit());
    EXPECT_EQ(mode(path("a")), fs::perms(m));
    EXPECT_EQ(read_text(path("a")).value(), "newer");
  }
  for (const bool replace : {false, true}) {
    const std::string name = path(replace ? "full" : "empty");
    fs::create_directory(name);
    if (replace) {
      ASSERT_TRUE(write_text(name + "/old", "x"));
    }
    fs::permissions(name, fs::perms(0700));
    auto staged = StagedDirectory::create(name, replace);
    ASSERT_TRUE(staged && staged->write("new", "x") && staged->commit());
    EXPECT_EQ(mode(name), fs::perms(0700));
    EXPECT_FALSE(fs::exists(name + "/old"));
  }
}

TEST_F(Files, ANameOfTheGreatestLengthCanBeWritten) {
  const std::string name(255, 'n');
  ASSERT_TRUE(write_text(path(name), "x"));
  EXPECT_EQ(read_text(path(name)).value(), "x");
}

TEST_F(Files, LimitIsAnErrorThatNamesTheFile) {
  ASSERT_TRUE(write_text(path("a"), "hello"));
  const auto r = read_file(path("a"), 4);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error()[0].code, Code::too_large);
  EXPECT_EQ(r.error()[0].where.file, path("a"));
  EXPECT_TRUE(read_file(path("a"), 5));
  const auto endless = read_file("/dev/zero", 1000);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error()[0].code, Code::too_large);
}

TEST_F(Files, MissingFileAndDirectoryAreIoErrors) {
  for (const std::string& p : {path("nothing"), dir_.string()}) {
    const auto r = read_file(p);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error()[0].code, Code::io_error);
  }
}

TEST_F(Files, FailedWriteLeavesNothing) {
  EXPECT_FALSE(write_text(path("no/such/dir/file"), "x"));
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(Files, InnerNamesThatEscapeAreRefused) {
  for (std::string_view bad : {"", "/etc/passwd", "..", "a/../b", "a\\b", "C:x", "a\nb"}) {
    const Status s = check_inner_name(bad);
    ASSERT_FALSE(s) << bad;
    EXPECT_EQ(s.error()[0].code, Code::bad_path);
  }
  EXPECT_FALSE(check_inner_name(std::string_view("a\0b", 3)));
  EXPECT_FALSE(check_inner_name(std::string(256, 'a')));
  for (std::string_view good : {"a", "sg00/act_info.json", "a..b", "..a", "a/./b"})
    EXPECT_TRUE(check_inner_name(good)) << good;
}

TEST_F(Files, FolderRefusesLinksThatLeadOutside) {
  fs::create_directories(dir_ / "in");
  ASSERT_TRUE(write_text(path("secret"), "s"));
  fs::create_symlink(dir_ / "secret", dir_ / "in" / "link");
  const DirectoryFolder folder(dir_ / "in");
  const auto r = folder.read("link");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error()[0].code, Code::bad_path);
  ASSERT_TRUE(write_text(path("in/ok"), "fine"));
  EXPECT_EQ(as_text(folder.read("ok").value()), "fine");
  EXPECT_TRUE(folder.contains("ok"));
  EXPECT_FALSE(folder.contains("../secret"));
}

TEST_F(Files, StagedDirectoryAppearsOnlyOnCommit) {
  {
    auto staged = StagedDirectory::create(path("out"));
    ASSERT_TRUE(staged);
    ASSERT_TRUE(staged->write("x/y", "1"));
    EXPECT_FALSE(staged->write("x/y", "2"));
    EXPECT_FALSE(staged->write("../z", "2"));
  }
  EXPECT_TRUE(fs::is_empty(dir_));
  auto staged = StagedDirectory::create(path("out"));
  ASSERT_TRUE(staged->write("x/y", "1"));
  ASSERT_TRUE(staged->commit());
  EXPECT_EQ(read_text(path("out/x/y")).value(), "1");
  EXPECT_FALSE(StagedDirectory::create(path("out")));
}

}  // namespace
}  // namespace act
