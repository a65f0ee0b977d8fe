// Rows of an instruction that contradict each other, leave a byte out or say nothing.
// case 1: fields of BROKEN overlap
// case 2: bytes of BROKEN are covered by no field
// case 3: a field of BROKEN has no documentation
#include "act/isa/bundle.h"

static_assert(act::FormatOf<act::Broken>::value.fields.size() > 8);
