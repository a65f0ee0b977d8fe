// 0xA0, 0xB1, 0xCC: nothing but their events, which the run loop performs.
#include "ops.h"

namespace act::sim::ops {

void synchronise(Exec&, const Raw&) {}

}  // namespace act::sim::ops
