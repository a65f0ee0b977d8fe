// The catalogs that travel inside the library, and the one way every command opens a catalog.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "act/files/files.h"
#include "act/tables/catalog_io.h"

namespace act {

// The faithful catalog, used where none is named (00 section 5).
inline constexpr std::string_view kDefaultCatalog = "trainium";

// Names of the embedded catalogs, sorted.
std::vector<std::string_view> embedded_catalogs();
// Files of one embedded catalog; nullptr when there is none of that name.
std::unique_ptr<Folder> embedded_folder(std::string_view name);

// Opens what is neither an embedded name nor a directory (a container). The program supplies it; the library
// knows no container at this level.
using FolderOpener = std::function<Result<std::unique_ptr<Folder>>(const std::string& path)>;

// The files behind `--catalog NAME`: an embedded catalog of that name, else a directory, else whatever
// `other` makes of the path. A directory called like an embedded catalog is reached as "./NAME". Error:
// unknown-name.
Result<std::unique_ptr<Folder>> open_catalog_folder(const std::string& name, const FolderOpener& other = {});

// The same, read. Sets without files are in the catalog and not `present`; that is no warning here.
Result<Catalog> open_catalog(const std::string& name, Diagnostics& warnings, const FolderOpener& other = {});

}  // namespace act
