// How the resources that a stage occupies hide each other. This is the one way from terms to seconds.
//
// Where resources work side by side, the slowest counts in full. A share e of all others stays exposed:
//     side by side(x) = |x|_p + e * (sum(x) - |x|_p)
// |x|_p is the p-norm. It is near the maximum if p is large.
//
// Inside a core, arithmetic and L1's accesses work side by side, with a small e, and loops come on top. A core also
// waits for results that depend on each other. Waiting occupies nothing: a core goes on with what does not wait, loops
// included. So none of it is exposed unless it is the longest:
//     busy = |(arithmetic, L1)|_p + e * (arithmetic + L1 - |(arithmetic, L1)|_p) + loops
//     core = |(busy, waiting)|_p
// The core and the levels of memory work side by side, with a larger e. Terms that nothing hides are added at the end.
//
// The norm replaces the maximum because training needs the derivative of the seconds by every term. The seconds are
// homogeneous as well. By Euler's theorem, the products of each term and its derivative then add up to the seconds.
// Such a product is the exposed part of its term. If e > 0, no term that occupies a resource is hidden whole. A search
// that lowers a hidden term therefore sees a gain.
#pragma once

#include "analytical/terms.h"

namespace cryolite {

struct OverlapRule {
    double core_exposed_share = 1, memory_exposed_share = 1;  // e; 1: resources do not overlap
    double sharpness = 32;                                    // p, at least 1
};
OverlapRule overlap_rule(const Machine &machine);

// Seconds.
double overlapped(const Terms &terms, TermTarget target, const OverlapRule &rule);

struct Overlap {
    double seconds = 0;
    Terms exposed{};  // seconds by term; they add up to `seconds`, to rounding
    Resource bound_by = Resource::Arithmetic;  // the one with the most exposed seconds; never Added
};
Overlap explained_overlap(const Terms &terms, TermTarget target, const OverlapRule &rule);

}  // namespace cryolite
