// Links everything that is installed; uses a container, which needs each library that actkit depends on at run time.
#include <cstdio>

#include "act/neff/listing.h"
#include "act/neff/writer.h"

int main() {
  act::neff::ContainerSpec spec;
  spec.name = "consumer.neff";
  const auto file = act::neff::write_container(spec);
  if (!file) return 1;
  act::Diagnostics problems;
  const auto container = act::neff::read_container(*file, "consumer.neff", {}, problems);
  if (!container || !problems.empty()) return 1;
  std::fputs(act::neff::listing_text(*container).c_str(), stdout);
  return container->name == "consumer.neff" ? 0 : 1;
}
