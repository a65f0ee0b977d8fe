// Measured errors of a catalog's tables against its certificates.
#pragma once

#include <cstdint>

#include "act/files/files.h"
#include "command.h"

namespace act::tool {

// Measures every table that certificates.json of `folder` speaks of, at every `stride`-th input, prints one
// line each, and reports table-rule (G-11) where an error is larger than certified; with stride 1 also where
// the largest errors or the digest of all results are others.
void check_accuracy(const Folder& folder, std::uint32_t stride, Reporter& reporter);

}  // namespace act::tool
