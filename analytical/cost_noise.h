// Disturbs costs at random, in order to draw schedules. A search by disturbed costs ends with a schedule that differs
// from the best predicted one. Yet none of its choices is much worse.
#pragma once

#include <cstdint>

namespace cryolite {

struct CostNoise {
    double factor = 1;  // the disturbance lies between 1 / factor and factor
    uint64_t seed = 0;

    // The factor on the cost of a kernel. It depends only on the arguments, factor and seed. structure: hash of the
    // Funcs that the kernel computes. kernel: hash of the whole kernel, with the shape of its loops.
    // Half of the logarithm is drawn by the structure and half by the kernel, both uniformly. If only the shape
    // mattered, the minimum over a structure's many shapes would be much the same for all structures.
    double disturbance(uint64_t structure, uint64_t kernel) const;
};

}  // namespace cryolite
