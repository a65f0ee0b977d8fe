// A part of actkit inside another project's tree.
#include <cstdio>

#include "act/files/json.h"

int main() {
  const auto bad = act::parse_json("{\"a\": }", "consumer.json");
  if (bad) return 1;
  std::puts(act::to_text(bad.error().front()).c_str());
  return bad.error().front().where.column == 7 ? 0 : 1;
}
