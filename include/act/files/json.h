// JSON from strangers: parsed without exceptions, within limits on size, depth and work.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "act/diag/result.h"

namespace act {

struct JsonLimits {
  std::uint64_t bytes = std::uint64_t{64} << 20;
  unsigned depth = 64;               // arrays and objects inside each other
  std::uint64_t values = 8'000'000;  // scalars, arrays and objects in all; bounds the memory of the tree
  bool unique_keys = false;          // a key given twice in one object is an error (duplicate-name)
  std::uint64_t compares =
      500'000'000;  // key comparisons of an order-keeping tree, which looks keys up one by one
};

// The tree of `text`; `file` names it in messages. Errors: too-large, json-syntax (with line and column),
// duplicate-name where the limits ask for unique keys.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& file,
                                  const JsonLimits& limits = {});
// The same, with the members of every object in the order of the text.
Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text, const std::string& file,
                                                  const JsonLimits& limits = {});

}  // namespace act
