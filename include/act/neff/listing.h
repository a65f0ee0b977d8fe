// What is in a container, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "act/neff/container.h"

namespace act::neff {

// Several lines, the last one ended; strings of the file escaped.
std::string listing_text(const Container& container);
// One object: file, header (every row of kHeaderFields but the reserved one), digest, features, sizes, names,
// tensors, graphs with engines, sets and queues, members.
nlohmann::ordered_json listing_json(const Container& container);

}  // namespace act::neff
