// The per-function profile (`pwp_jsons/<func>_<N>p.json`, 02 section 7): what a table generator hands over
// and what the vendor's simulator loads.
#pragma once

#include <string>
#include <string_view>

#include "act/diag/result.h"
#include "act/files/files.h"
#include "act/tables/manifest.h"
#include "act/tables/records.h"

namespace act {

// Folder of the profiles inside a catalog directory, and a profile's name in it: "pwp_jsons/exp_400p.json".
inline constexpr std::string_view kProfileFolder = "pwp_jsons";
std::string profile_file_name(std::string_view function, std::uint32_t budget);

// Reads a profile. Of a float box only `int` counts (signed or unsigned); strict mode wants all six members
// and wants them to agree. The name comes from `func_name`, else from the stem of `file`. func_id is
// sunda_id. The operand selector is in no profile: parametric_relu has kParametricSelector, others 0. Errors:
// json-*, duplicate-name, bad-value (an octave out of order, more sections than capacity, a lut_size that is
// not their sum).
Result<Profile> parse_profile(std::string_view text, const std::string& file, Strictness strictness,
                              Diagnostics& warnings);

// The text of a profile, keys in the order of 02 section 7, text form of section 3.
std::string print_profile(const Profile& profile);

// The profile that belongs to a table of a shipped or own function; ids from the function catalog, the
// table's func_id where that does not know the name.
Profile make_profile(const FunctionTable& table, float max_diff);

// Whether two tables agree in all that a profile holds (V-16): everything but func_id and the operand
// selector. Names the first difference; empty when there is none.
std::string profile_difference(const FunctionTable& from_blobs, const FunctionTable& from_profile);

}  // namespace act
