// A header field that has no row.
// case 1: no header field of this name
#include "act/neff/header.h"

std::uint64_t data_size(const act::neff::Header& header) {
#if ACTKIT_CASE == 1
  return header.number(act::neff::header_field("data_sise"));
#else
  return header.number(act::neff::header_field("data_size"));
#endif
}
