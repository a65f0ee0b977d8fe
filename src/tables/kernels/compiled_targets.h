// The instruction sets that the kernels are compiled for: those of Highway without these. Included before
// Highway.
#pragma once

// Clang 14 dies in its instruction selection where masks of 512 bits are chosen between.
#if defined(__clang__) && __clang_major__ < 15
#define ACTKIT_BROKEN_TARGETS HWY_AVX3
#else
#define ACTKIT_BROKEN_TARGETS 0
#endif

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | ACTKIT_BROKEN_TARGETS)
