// Random inputs of every function of an embedded catalog: library against ExactFunction.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "act/tables/embedded.h"
#include "act/tables/evaluate.h"
#include "exact_evaluator.h"

namespace act::testing_support {

// A random pattern, or one inside the function's octaves, where sections are.
inline float random_input(std::mt19937_64& gen, const FunctionTable& table) {
  const std::uint64_t bits = gen();
  const auto pattern = static_cast<std::uint32_t>(bits);
  const std::size_t octaves = std::max(table.neg.octaves.size(), table.pos.octaves.size()) + 2;
  if ((bits >> 62) == 0 || table.resident()) return bits_float(pattern);
  const int exponent = table.exponent_offset - 1 + static_cast<int>((bits >> 32) % octaves);
  return bits_float((pattern & 0x807fffffu) | static_cast<std::uint32_t>(exponent + 127) << 23);
}

// Compares `count` inputs of every function; each table is looked at once, however many sets hold it.
inline void exact_sweep(std::string_view catalog_name, int count) {
  const auto folder = embedded_folder(catalog_name);
  ASSERT_NE(folder, nullptr) << catalog_name;
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder, {}, warnings);
  ASSERT_TRUE(catalog);
  std::set<std::string> seen;
  std::mt19937_64 gen(12345);
  for (const TableSet& set : catalog->sets) {
    const Bytes bkt = folder->read(set.row.bkt_bin).value(), ctrl = folder->read(set.row.ctrl_bin).value(),
                text = folder->read(set.row.profile_json).value();
    const nlohmann::json manifest = nlohmann::json::parse(as_text(text));
    for (const FunctionTable& table : set.functions) {
      if (table.name == "parametric_relu" || !seen.insert(budgeted_name(table)).second) continue;
      const nlohmann::json* record = nullptr;
      for (const nlohmann::json& r : manifest.at("profile_meta_data"))
        if (r.at("func_name") == budgeted_name(table)) record = &r;
      ASSERT_NE(record, nullptr);
      const ExactFunction exact(*record, bkt, ctrl,
                                ctrl.size() / manifest.at("ctl_entry_cnt").get<std::size_t>());
      int said = 0;
      for (int i = 0; i < count; ++i) {
        const float x = random_input(gen, table);
        const auto expected = exact(x);
        const float got = evaluate(table, x);
        if (!expected) continue;
        ++said;
        // Rationals know one zero; the library's sign of a zero is checked elsewhere.
        if (*expected == 0 && got == 0) continue;
        if (std::isnan(*expected) && std::isnan(got)) continue;
        ASSERT_EQ(float_bits(got), float_bits(*expected))
            << catalog_name << " " << table.name << " at " << std::hexfloat << x;
      }
      EXPECT_GT(said, count / 3) << table.name;
    }
  }
  EXPECT_GT(seen.size(), 20u);
}

}  // namespace act::testing_support
