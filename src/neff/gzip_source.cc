#include "gzip_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace act::neff {
namespace {

std::uint64_t without_padding(std::span<const std::uint8_t> payload) {
  const auto last = std::find_if(payload.rbegin(), payload.rend(), [](std::uint8_t b) { return b != 0; });
  return static_cast<std::uint64_t>(payload.rend() - last);
}

}  // namespace

GzipSource::GzipSource(std::span<const std::uint8_t> payload, const Limits& limits)
    : payload_(payload), rest_(payload), limits_(limits), compressed_bytes_(without_padding(payload)) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&z_, kGzipOnly) != Z_OK) refuse(Code::bad_archive, "decompression cannot start");
}

std::span<const std::uint8_t> GzipSource::next() {
  z_.next_out = piece_.data();
  z_.avail_out = static_cast<uInt>(piece_.size());
  while (!ended_ && !failure_ && z_.avail_out != 0) {
    if (z_.avail_in == 0) {  // zlib counts its input in 32 bits
      const auto some = rest_.first(std::min(rest_.size(), std::size_t{1} << 30));
      z_.next_in = const_cast<Bytef*>(some.data());
      z_.avail_in = static_cast<uInt>(some.size());
      rest_ = rest_.subspan(some.size());
    }
    const int status = inflate(&z_, Z_NO_FLUSH);
    ended_ = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR && z_.avail_in == 0 && rest_.empty())
      refuse(Code::bad_archive, "the gzip data ends early");
    else if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      refuse(Code::bad_archive,
             fmt::format("the gzip data is damaged: {}", z_.msg != nullptr ? z_.msg : "no stream"));
  }
  const std::size_t got = piece_.size() - z_.avail_out;
  produced_ += got;
  if (failure_ || !within_limits()) return {};
  return std::span(piece_).first(got);
}

bool GzipSource::within_limits() {
  if (produced_ > limits_.total_bytes)
    refuse(Code::too_large, fmt::format("the archive has more than {} bytes", limits_.total_bytes));
  else if (produced_ > limits_.ratio_from && produced_ / limits_.ratio > compressed_bytes_)
    refuse(Code::too_large, fmt::format("the archive expands to more than {} times its size", limits_.ratio));
  return !failure_;
}

}  // namespace act::neff
