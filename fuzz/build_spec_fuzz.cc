// Table specifications: any text parses or is refused; what parses has sound sets.
#include <cstdint>
#include <cstdlib>

#include "act/files/files.h"
#include "act/fit/build_spec.h"
#include "act/tables/functions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  act::Diagnostics warnings;
  const auto spec = act::fit::parse_build_spec(act::as_text({data, size}), "fuzz", warnings);
  if (!spec) return 0;
  for (const act::fit::SetSpec& set : spec->sets) {
    if (!act::check_inner_name(set.name)) std::abort();
    for (const auto& [name, budget] : set.act)
      if (act::find_function(name) == nullptr || budget == 0) std::abort();
  }
  return 0;
}
