// Loops that the compiler vectorises, compiled for several instruction sets and chosen when the program is loaded. For
// functions of plain arithmetic: contraction is off, so every clone gives the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(ACTKIT_NO_CLONES)
#define ACT_VECTOR_CLONES __attribute__((flatten, target_clones("avx512f", "avx2", "default")))
#else
#define ACT_VECTOR_CLONES
#endif
