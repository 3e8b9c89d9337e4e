// The clock of a core: additions that wait for each other take one cycle each.
#include "tools/calibrate/find_kernel.h"

namespace cryolite::calibrate {

Experiment clock_experiment() {
    return {{kernel_probe(clock_probe, scalar_kernels(), "dependent_additions")},
            [](const Findings &found, Conclusions &out) { out["hertz"] = found.hertz(); }};
}

}  // namespace cryolite::calibrate
