// Neighbouring steps of an update that scatters, unrolled. LLVM puts four of them side by side: it loads what they read
// together and computes their addresses in one vector; of more copies it does so with four alone. A joint histogram of
// bytes takes 3.4 cycles a step as a loop on a Zen 4; unrolled by 2, 4, 8, 16 and 128 it takes 2.3, 1.9, 2.1, 2.4, 3.0.
#pragma once

#include "analytical/cycles/access_cycles.h"

namespace cryolite {

struct ScatteredCopies {
    size_t loop = 0;      // of Stage::loops
    double copies = 1;    // of the loop
    double together = 1;  // of them
};

// Nothing: the body is a vector, or no such loop is unrolled.
std::optional<ScatteredCopies> scattered_copies(const Stage &stage, const InnerLoops &in,
                                                int lanes);

// What is left of the arithmetic that each of them does.
double arithmetic_left(const ScatteredCopies &copies);

// What is left of their loads of the group.
double loads_left(const ScatteredCopies &copies, const LoopNest &schedule, const Stage &stage,
                  const LoadGroup &load);

}  // namespace cryolite
