// Reading and writing files with limits; folders of untrusted names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "act/diag/result.h"

namespace act {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint64_t kDefaultReadLimit = std::uint64_t{1} << 30;

// Whole content of a file, or of standard input for "-". Errors: io-error, too-large (more than `limit` bytes).
Result<Bytes> read_file(const std::string& path, std::uint64_t limit = kDefaultReadLimit);
Result<std::string> read_text(const std::string& path, std::uint64_t limit = kDefaultReadLimit);

// Writes `data` under a temporary name beside `path` and renames it; on failure nothing is left. "-" is
// standard output.
Status write_file(const std::string& path, std::span<const std::uint8_t> data);
Status write_text(const std::string& path, std::string_view text);

// A name from an untrusted file that must stay inside its folder: not empty, relative, no "..", backslash, colon
// after a drive letter, control character or NUL; parts up to 255 bytes. Error: bad-path.
Status check_inner_name(std::string_view name);

// A read-only set of named files: a directory on disk, or the members of a container.
class Folder {
 public:
  virtual ~Folder() = default;
  // Content of `name` (checked by check_inner_name). Errors: bad-path, io-error, too-large.
  virtual Result<Bytes> read(std::string_view name, std::uint64_t limit = kDefaultReadLimit) const = 0;
  virtual bool contains(std::string_view name) const = 0;
  // What to call the folder in a message.
  virtual std::string label() const = 0;
};

// Files below one directory; symbolic links that lead outside are refused.
class DirectoryFolder final : public Folder {
 public:
  explicit DirectoryFolder(std::filesystem::path root) : root_(std::move(root)) {}
  Result<Bytes> read(std::string_view name, std::uint64_t limit = kDefaultReadLimit) const override;
  bool contains(std::string_view name) const override;
  std::string label() const override { return root_.string(); }

 private:
  std::filesystem::path root_;
};

// A directory being filled: written under a temporary name beside `target`, moved there by commit(), removed by the
// destructor otherwise. An existing target is replaced only when it is empty or `replace` is set.
class StagedDirectory {
 public:
  static Result<StagedDirectory> create(const std::string& target, bool replace = false);
  StagedDirectory(StagedDirectory&& other) noexcept;
  StagedDirectory& operator=(StagedDirectory&&) = delete;
  ~StagedDirectory();

  // Parents are created; `name` obeys check_inner_name; an existing file of that name is an error.
  Status write(std::string_view name, std::span<const std::uint8_t> data);
  Status write(std::string_view name, std::string_view text);
  Status commit();

 private:
  StagedDirectory(std::filesystem::path target, std::filesystem::path staging, bool replace)
      : target_(std::move(target)), staging_(std::move(staging)), replace_(replace) {}
  std::filesystem::path target_, staging_;
  bool replace_;
};

inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace act
