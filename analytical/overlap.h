// How the resources that a stage occupies hide each other: the one way from terms to seconds.
//
// Where resources work side by side, the slowest counts in full and a share e of all others stays exposed:
//     side by side(x) = |x|_p + e * (sum(x) - |x|_p)
// |x|_p is the p-norm, which is near the maximum for a large p. Arithmetic and L1's accesses stand side by side inside a
// core, with a small e. Beside them a core waits for results that depend on each other; waiting occupies nothing, so
// none of it is exposed where it is not the longest:
//     core = |(arithmetic, L1, waiting)|_p + e * (arithmetic + L1 - |(arithmetic, L1)|_p) + loops
// The core and the levels of memory stand side by side, with a larger e. What nothing hides is added.
//
// The norm in place of the maximum makes the seconds differentiable by every term, as training needs. The seconds are
// homogeneous too, so that by Euler's theorem each term times its derivative are shares that add up to the seconds:
// what stays exposed of the term. With e > 0 nothing that occupies a resource is hidden whole, so that a search that
// lowers a hidden term still sees it.
#pragma once

#include "analytical/terms.h"

namespace cryolite {

struct OverlapRule {
    double core_exposed_share = 1, memory_exposed_share = 1;  // e; 1: nothing overlaps
    double sharpness = 32;                                    // p, at least 1
};
OverlapRule overlap_rule(const Machine &machine);

// Seconds.
double overlapped(const Terms &terms, TermTarget target, const OverlapRule &rule);

struct Overlap {
    double seconds = 0;
    Terms exposed{};  // shares of the seconds, which they add up to (to rounding)
    Resource bound_by = Resource::Arithmetic;  // with the most exposed, of those that overlap
};
Overlap explained_overlap(const Terms &terms, TermTarget target, const OverlapRule &rule);

}  // namespace cryolite
