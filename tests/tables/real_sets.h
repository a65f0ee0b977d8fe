// The catalogs inside the real containers, unpacked in memory; absent where the shared folder is.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <optional>
#include <string>

#include "act/files/memory_folder.h"

namespace act::testing_support {

inline const char* const kRealContainers[] = {"matmul_small", "matmul_large", "attention_fused_fp32_s512",
                                              "attention_baseline_bf16_s512"};

// Files of `sg00/` of one container: payload behind the 1024-byte header, a gzip'd tar.
inline std::optional<MemoryFolder> real_catalog(const std::string& name) {
  const std::string path = std::string(ACTKIT_SHARED_DIR) + "/real/" + name + ".neff";
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Bytes file = read_file(path).value();
  MemoryFolder folder(name);
  archive* in = archive_read_new();
  archive_read_support_filter_gzip(in);
  archive_read_support_format_tar(in);
  if (archive_read_open_memory(in, file.data() + 1024, file.size() - 1024) != ARCHIVE_OK) return std::nullopt;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(in, &entry) == ARCHIVE_OK) {
    std::string member = archive_entry_pathname(entry);
    if (member.starts_with("./")) member.erase(0, 2);
    if (!member.starts_with("sg00/") || archive_entry_size(entry) == 0) continue;
    Bytes content(static_cast<std::size_t>(archive_entry_size(entry)));
    if (archive_read_data(in, content.data(), content.size()) != static_cast<la_ssize_t>(content.size()))
      return std::nullopt;
    folder.add(member.substr(5), std::move(content));
  }
  archive_read_free(in);
  return folder;
}

}  // namespace act::testing_support
