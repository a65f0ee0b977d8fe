// A Folder whose files are in memory: embedded data, tests, the members of an archive.
#pragma once

#include <map>

#include "act/files/files.h"

namespace act {

class MemoryFolder final : public Folder {
 public:
  explicit MemoryFolder(std::string label) : label_(std::move(label)) {}

  void add(std::string name, Bytes content) { files_.insert_or_assign(std::move(name), std::move(content)); }
  void remove(const std::string& name) { files_.erase(name); }
  const std::map<std::string, Bytes, std::less<>>& files() const { return files_; }

  Result<Bytes> read(std::string_view name, std::uint64_t limit = kDefaultReadLimit) const override {
    if (Status ok = check_inner_name(name); !ok) return std::move(ok).error();
    const auto at = files_.find(name);
    const auto refuse = [&](Code code, std::string message) {
      Diagnostic d = make_error(code, std::move(message));
      d.where.file = label_ + "/" + std::string(name);
      return d;
    };
    if (at == files_.end()) return refuse(Code::io_error, "there is no such file");
    if (at->second.size() > limit)
      return refuse(Code::too_large, "the file has more than " + std::to_string(limit) + " bytes");
    return at->second;
  }
  bool contains(std::string_view name) const override { return files_.find(name) != files_.end(); }
  std::string label() const override { return label_; }

 private:
  std::string label_;
  std::map<std::string, Bytes, std::less<>> files_;
};

}  // namespace act
