// The lines that a schedule brings into each cache. A cache here replaces the least recently used line; it has no
// prefetchers and no write-backs. A cache simulator counts the same misses.
//
// - A stage touches lines in one iteration of a loop. They stay for the next iteration if everything fits that is
//   touched in between.
// - Between two uses lies what one iteration of the loop touches. If loops inside only repeat the same points, less
//   lies between: what one iteration of these loops touches.
// - So each Func that a stage reads or writes has an outermost loop across whose iterations its lines stay. Every run
//   of that loop brings the lines in once.
// - Values that are computed and read in the same iteration of a loop are there if the iteration fits.
// - Storage inside a loop is the same memory in every iteration.
#pragma once

#include <vector>

#include "featurize/kernel_work.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Lines per cache of the Machine, over all runs of the kernel's loops on one core. `work` must count lines.
std::vector<double> cache_misses(const StageGraph &graph, const Machine &machine,
                                 const KernelWork &work);

// The same, summed over all kernels of a complete schedule. Empty if a stage is inlined beyond reason.
std::vector<double> cache_misses(const LoopNest &nest, const Machine &machine);

}  // namespace cryolite
