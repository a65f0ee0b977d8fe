// Loops that the compiler vectorises, compiled for several instruction sets and chosen when the program is loaded. For
// functions of plain arithmetic: contraction is off, so every clone gives the same bits.
#pragma once

// Whole levels of the architecture rather than "avx512f" alone: packing to 16 and 8 bits needs the byte and word
// instructions that come with the level.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(ACTKIT_NO_CLONES)
#define ACT_VECTOR_CLONES __attribute__((flatten, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ACT_VECTOR_CLONES
#endif

// In front of a loop whose turns do not depend on each other: its buffers are the same or disjoint, and turn k touches
// element k alone. The compiler then needs neither proof nor a check at run time. Nothing for Clang, whose form of it warns
// about each loop that stays scalar all the same.
#if defined(__GNUC__) && !defined(__clang__)
#define ACT_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#else
#define ACT_INDEPENDENT_TURNS
#endif
