// A gzip member decompressed piece by piece under limits.
#pragma once

#include <zlib.h>

#include <array>
#include <optional>
#include <span>
#include <string>

#include "act/neff/archive.h"

namespace act::neff {

// zlib and not libarchive's filter: that one glues several members together and checks neither CRC nor
// length.
class GzipSource {
 public:
  GzipSource(std::span<const std::uint8_t> payload, const Limits& limits);
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() { inflateEnd(&z_); }

  // The next piece, valid until the next call; empty at the end of the member and after a failure.
  std::span<const std::uint8_t> next();
  // Why there is no further piece; nothing when the member ended well.
  const std::optional<Diagnostic>& failure() const { return failure_; }
  std::uint64_t produced() const { return produced_; }
  std::uint64_t consumed() const { return payload_.size() - rest_.size() - z_.avail_in; }
  // What follows the member; meaningful once next() has come to the end without failure.
  std::span<const std::uint8_t> after_member() const { return payload_.subspan(consumed()); }

 private:
  void refuse(Code code, std::string message) { failure_ = make_error(code, std::move(message)); }
  bool within_limits();

  std::span<const std::uint8_t> payload_, rest_;
  const Limits& limits_;
  std::uint64_t compressed_bytes_;  // of the payload without its zero padding
  std::uint64_t produced_ = 0;
  z_stream z_{};
  bool ended_ = false;
  std::optional<Diagnostic> failure_;
  std::array<std::uint8_t, std::size_t{64} << 10> piece_;
};

}  // namespace act::neff
