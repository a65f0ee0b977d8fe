// What is known of a table, in numbers a reader can measure again (02 section 17, G-11; docs/catalogs.md has the format).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "act/diag/result.h"
#include "act/fit/accuracy.h"
#include "act/fit/generate.h"

namespace act::fit {

inline constexpr std::string_view kCertificateFile = "certificates.json";

struct Certificate {
  std::string function;      // "exp"
  std::uint32_t budget = 1;  // 400
  std::string method;        // "taylor", "minimax"
  std::string structure;     // source_name()
  std::size_t sections = 0;
  SideStructure neg, pos;    // cut and thresholds
  ErrorDomain domain;        // inputs the figures are about
  Measurement measured;      // over every one of them
  std::uint64_t digest = 0;  // result_digest() of the table
  // Side by side: the Taylor table of the same cut, inner, outer and tail figures only. Absent for Taylor tables and where
  // the row of the function does not fit the cut.
  bool has_taylor = false;
  Measurement taylor;
};

// The cut of a finished table.
SideStructure side_structure(const Side& side, int exponent_offset);

// Measures every input, octave by octave on all processors: minutes per function. `stride` above 1 looks at every
// stride-th input and leaves the digest 0: an understatement for a quick look. Result independent of the number of threads.
Certificate certify(const FunctionInfo& function, const FunctionTable& table, const TableOrigin& origin,
                    std::uint32_t stride = 1);

// The inputs a table's figures are about: the function's, or those of a goal's domain (both signs where a fold serves
// them from one side).
ErrorDomain certified_domain(const FunctionInfo& function, const TableGoal& goal);

std::string print_certificates(std::string_view catalog, const std::vector<Certificate>& certificates);
// Reads them back (untrusted). Errors: json-*, bad-value, unknown-name.
Result<std::vector<Certificate>> parse_certificates(std::string_view text, const std::string& file,
                                                    Diagnostics& warnings);

}  // namespace act::fit
