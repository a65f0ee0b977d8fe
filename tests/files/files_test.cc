#include "act/files/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
