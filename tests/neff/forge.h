// Containers made by hand, byte by byte, so that a test can lie about anything.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "act/neff/container.h"

namespace act::neff::forge {

struct Tar {
  std::string bytes;

  struct Fields {
    std::string name;
    char type = '0';
    std::string link;
    std::string size;  // as it stands in the header; empty = the length of the data
  };
  static void checksum(char* block) {
    std::memset(block + 148, ' ', 8);
    unsigned sum = 0;
    for (int i = 0; i < 512; ++i) sum += static_cast<unsigned char>(block[i]);
    std::snprintf(block + 148, 8, "%06o", sum);
  }
  Tar& add(const Fields& f, std::string_view data = {}) {
    char block[512] = {};
    std::memcpy(block, f.name.data(), std::min<std::size_t>(f.name.size(), 100));
    std::memcpy(block + 100, "000644 ", 7);
    std::memcpy(block + 108, "000000 ", 7);
    std::memcpy(block + 116, "000000 ", 7);
    const std::string size = f.size.empty() ? fmt::format("{:011o} ", data.size()) : f.size;
    std::memcpy(block + 124, size.data(), std::min<std::size_t>(size.size(), 12));
    std::memcpy(block + 136, "00000000000 ", 12);
    block[156] = f.type;
    std::memcpy(block + 157, f.link.data(), std::min<std::size_t>(f.link.size(), 100));
    std::memcpy(block + 257, "ustar\00000", 8);
    checksum(block);
    bytes.append(block, 512);
    bytes.append(data);
    bytes.append((512 - data.size() % 512) % 512, '\0');
    return *this;
  }
  Tar& file(const std::string& name, std::string_view data = "x") { return add({name, '0', "", ""}, data); }
  // A pax extended header in front of the next member.
  Tar& pax(const std::vector<std::pair<std::string, std::string>>& records) {
    std::string text;
    for (const auto& [key, value] : records) {
      const std::size_t bare = key.size() + value.size() + 3;  // blank, '=', line feed
      std::size_t length = bare + 1;
      while (std::to_string(length).size() + bare != length) ++length;
      text += fmt::format("{} {}={}\n", length, key, value);
    }
    return add({"pax", 'x', "", ""}, text);
  }
  Tar& end() {
    bytes.append(1024, '\0');
    return *this;
  }
};

inline Bytes gzip(std::string_view data) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Bytes out(deflateBound(&z, data.size()) + 64);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// Raw deflate of `data` that ends on a byte and depends on nothing before it.
inline Bytes deflate_piece(std::string_view data, int flush) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Bytes out(data.size() + 1024);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, flush);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// A sound gzip member of `first` followed by `mebibytes` of zeros: one compressed mebibyte, repeated.
inline Bytes gzip_bomb(std::string_view first, std::uint64_t mebibytes) {
  const std::string zeros(std::size_t{1} << 20, '\0');
  const Bytes block = deflate_piece(zeros, Z_FULL_FLUSH), end = deflate_piece({}, Z_FINISH);
  Bytes out = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  const Bytes head = deflate_piece(first, Z_FULL_FLUSH);
  out.insert(out.end(), head.begin(), head.end());
  uLong crc = crc32(0, reinterpret_cast<const Bytef*>(first.data()), static_cast<uInt>(first.size()));
  const uLong zeros_crc =
      crc32(0, reinterpret_cast<const Bytef*>(zeros.data()), static_cast<uInt>(zeros.size()));
  for (std::uint64_t i = 0; i < mebibytes; ++i) {
    out.insert(out.end(), block.begin(), block.end());
    crc = crc32_combine(crc, zeros_crc, static_cast<z_off_t>(zeros.size()));
  }
  out.insert(out.end(), end.begin(), end.end());
  for (const std::uint64_t number : {std::uint64_t{crc}, first.size() + (mebibytes << 20)})
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(number >> 8 * i));
  return out;
}

// Header with a right size and digest, then `payload` as it is.
inline Bytes wrap(std::span<const std::uint8_t> payload) {
  Header h;
  h.set_number(header_field("package_version"), 2);
  h.set_number(header_field("header_size"), 1024);
  h.set_number(header_field("data_size"), payload.size());
  h.set_number(header_field("major_version"), 2);
  h.set_number(header_field("digest_kind"), 1);
  h.set_bytes(header_field("digest"), reverse_words(md5(payload)));
  Bytes file(kHeaderBytes + payload.size());
  std::ranges::copy(h.raw(), file.begin());
  std::ranges::copy(payload, file.begin() + kHeaderBytes);
  return file;
}

inline Bytes wrap(Tar tar) { return wrap(gzip(tar.end().bytes)); }

inline std::size_t count(const Diagnostics& list, Code code, Severity severity = Severity::error) {
  std::size_t n = 0;
  for (const Diagnostic& d : list) n += d.code == code && d.severity == severity;
  return n;
}

}  // namespace act::neff::forge
