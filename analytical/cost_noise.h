// Costs disturbed at random, for drawing schedules: a search by disturbed costs ends with a schedule
// that differs from the best predicted one, and yet nowhere makes a choice that is much worse.
#pragma once

#include <cstdint>

namespace cryolite {

struct CostNoise {
    double factor = 1;  // a kernel's cost is multiplied by something between 1 / factor and factor
    uint64_t seed = 0;

    // What the cost of a kernel is multiplied by, a function of the arguments alone. Half of its
    // logarithm is drawn by the structure (which Funcs the kernel computes) and half by the kernel
    // (the shape of its loops besides): disturbed by shape alone, the minimum over the many shapes
    // of a structure would be much the same for all structures. Both halves are uniform.
    double disturbance(uint64_t structure, uint64_t kernel) const;
};

}  // namespace cryolite
