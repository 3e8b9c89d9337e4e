// What an iteration of a serial loop costs beside its body: the same body in a loop of its own and
// eight times in one. Eight iterations' overhead is then one's, hence the factor 8/7. The body is a
// scalar load, which hides as little of the overhead as any.
#include "tools/calibrate/find_kernel.h"

namespace cryolite::calibrate {

Experiment loop_experiment() {
    return {{kernel_probe("loop rolled", scalar_kernels(), "loop_rolled"),
             kernel_probe("loop unrolled", scalar_kernels(), "loop_unrolled")},
            [](const Findings &found, Conclusions &out) {
                const Estimate overhead =
                    (found.cycles("loop rolled") - found.cycles("loop unrolled")) * (8.0 / 7);
                if (overhead.value > 0) out["loop_iteration_cycles"] = overhead;
            }};
}

}  // namespace cryolite::calibrate
