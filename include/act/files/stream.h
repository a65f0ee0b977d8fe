// Files piece by piece: what is larger than memory, and pipes.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "act/diag/result.h"

namespace act {

// A window that slides over a file, or over standard input for "-". The window is as large as the largest fill() so far
// (at least 1 MiB), whatever the size of the file.
class FileReader {
 public:
  // Errors: io-error (a directory cannot be read either).
  static Result<FileReader> open(const std::string& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&&) = delete;
  ~FileReader();

  // Reads until at least `wanted` bytes are in the window or the file ends. Error: io-error.
  Status fill(std::size_t wanted);
  // What has been read and not consumed.
  std::span<const std::uint8_t> window() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) { begin_ += bytes, consumed_ += bytes; }  // precondition: bytes <= window().size()
  // The file has no bytes behind the window.
  bool at_end() const { return at_end_; }
  // Bytes consumed so far: the offset of the window in the file.
  std::uint64_t offset() const { return consumed_; }
  const std::string& path() const { return path_; }

 private:
  FileReader(int fd, std::string path);
  int fd_;
  std::string path_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
  std::uint64_t consumed_ = 0;
  bool at_end_ = false;
};

// A file being written under a temporary name; commit() gives it its own, the destructor removes it otherwise. "-" is
// standard output, and a device is written in place: there nothing can be taken back.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status write(std::span<const std::uint8_t> data);  // Error: io-error
  Status write(std::string_view text);
  Status commit();

 private:
  FileWriter(int fd, std::string path, std::string temporary);
  int fd_;
  std::string path_, temporary_;  // temporary_ is empty when the file is written in place
};

}  // namespace act
