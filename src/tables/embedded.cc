#include "act/tables/embedded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

// embedded_data.S
extern "C" {
extern const char act_embedded_data[];
extern const std::uint32_t act_embedded_count;
extern const std::uint32_t act_embedded_index[];
}

namespace act {
namespace {

struct EmbeddedFile {
  std::string_view path;  // "trainium/act_info.json"
  std::span<const std::uint8_t> content;
};

EmbeddedFile embedded_file(std::size_t i) {
  const std::uint32_t* entry = act_embedded_index + 3 * i;
  return {act_embedded_data + entry[0],
          {reinterpret_cast<const std::uint8_t*>(act_embedded_data) + entry[1], entry[2]}};
}

class EmbeddedFolder final : public Folder {
 public:
  explicit EmbeddedFolder(std::string_view name) : name_(name) {}

  Result<Bytes> read(std::string_view name, std::uint64_t limit) const override {
    if (Status ok = check_inner_name(name); !ok) return std::move(ok).error();
    Diagnostic d = make_error(Code::io_error, "there is no such file");
    d.where.file = fmt::format("{}/{}", name_, name);
    const auto content = find(name);
    if (!content) return d;
    if (content->size() <= limit) return Bytes(content->begin(), content->end());
    d.code = Code::too_large;
    d.message = fmt::format("the file has more than {} bytes", limit);
    return d;
  }
  bool contains(std::string_view name) const override { return find(name).has_value(); }
  std::string label() const override { return name_; }

 private:
  std::optional<std::span<const std::uint8_t>> find(std::string_view name) const {
    const std::string path = fmt::format("{}/{}", name_, name);
    for (std::size_t i = 0; i < act_embedded_count; ++i)
      if (const EmbeddedFile file = embedded_file(i); file.path == path) return file.content;
    return std::nullopt;
  }

  std::string name_;
};

}  // namespace

std::vector<std::string_view> embedded_catalogs() {
  std::vector<std::string_view> names;  // the index is sorted
  for (std::size_t i = 0; i < act_embedded_count; ++i) {
    const std::string_view path = embedded_file(i).path;
    const std::string_view name = path.substr(0, path.find('/'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::unique_ptr<Folder> embedded_folder(std::string_view name) {
  for (const std::string_view known : embedded_catalogs())
    if (known == name) return std::make_unique<EmbeddedFolder>(name);
  return nullptr;
}

Result<std::unique_ptr<Folder>> open_catalog_folder(const std::string& name, const FolderOpener& other) {
  if (auto folder = embedded_folder(name)) return folder;
  std::error_code ec;
  if (std::filesystem::is_directory(name, ec))
    return std::unique_ptr<Folder>(std::make_unique<DirectoryFolder>(name));
  if (other && std::filesystem::exists(name, ec)) return other(name);
  Diagnostic d = make_error(Code::unknown_name, "there is no catalog of this name");
  d.field = "catalog";
  d.value = name;
  d.allowed = fmt::format("{}{}a directory with act_info.json{}", fmt::join(embedded_catalogs(), ", "),
                          embedded_catalogs().empty() ? "" : ", ", other ? ", or a container" : "");
  return d;
}

Result<Catalog> open_catalog(const std::string& name, Diagnostics& warnings, const FolderOpener& other) {
  const auto folder = open_catalog_folder(name, other);
  if (!folder) return folder.error();
  Diagnostics found;
  auto catalog = read_catalog(**folder, {}, found);
  std::copy_if(found.begin(), found.end(), std::back_inserter(warnings),
               [](const Diagnostic& d) { return d.code != Code::set_absent; });
  return catalog;
}

}  // namespace act
