// The committed minimax catalogs and their certificates, for the tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "act/fit/certificate.h"
#include "act/tables/catalog_io.h"

namespace act::fit::testing_support {

struct Committed {
  Catalog catalog;
  std::vector<Certificate> certificates;

  // The table of a function and budget, from the first set that has it.
  const FunctionTable* table(std::string_view function, std::uint32_t budget) const {
    for (const TableSet& set : catalog.sets) {
      for (const FunctionTable& t : set.functions) {
        if (t.name == function && t.budget == budget) return &t;
      }
    }
    return nullptr;
  }
  const Certificate* certificate(std::string_view function, std::uint32_t budget) const {
    for (const Certificate& c : certificates) {
      if (c.function == function && c.budget == budget) return &c;
    }
    return nullptr;
  }
};

inline Committed read_committed(const std::string& name) {
  Committed out;
  const DirectoryFolder folder(std::string(ACTKIT_SOURCE_DIR) + "/data/catalogs/" + name);
  Diagnostics warnings;
  auto catalog = read_catalog(folder, {}, warnings);
  EXPECT_TRUE(catalog) << name;
  if (catalog) out.catalog = *std::move(catalog);
  const auto text = folder.read(kCertificateFile, std::uint64_t{1} << 20);
  EXPECT_TRUE(text) << name;
  if (!text) return out;
  auto certificates = parse_certificates(as_text(*text), name, warnings);
  EXPECT_TRUE(certificates) << name;
  if (certificates) out.certificates = *std::move(certificates);
  return out;
}

inline const Committed& committed(const std::string& name) {
  static std::map<std::string, Committed> all;
  const auto at = all.find(name);
  return at != all.end() ? at->second : all.emplace(name, read_committed(name)).first->second;
}

}  // namespace act::fit::testing_support
