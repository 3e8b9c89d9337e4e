// The lines that a schedule brings into each cache: the misses of caches that keep what was used last,
// without prefetchers and write-backs. What a simulator of caches counts.
//
// What a stage touches of a Func in one iteration of a loop is still there in the next one if all that
// is touched between two uses of it fits. That is what one iteration of the loop touches; less where
// loops inside it only repeat the same points: then it is what an iteration of these touches. So
// each Func that a stage reads or writes has an outermost loop across whose iterations it is kept,
// and every run of that loop brings its lines in once.
//
// What is computed inside a loop and read in the same iteration is there if the iteration fits. What
// is stored inside a loop has the same memory each time.
#pragma once

#include <vector>

#include "featurize/kernel_work.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Per cache of the Machine, in lines, of all runs of the kernel's loops on one core. `work` counts lines.
std::vector<double> cache_misses(const StageGraph &graph, const Machine &machine,
                                 const KernelWork &work);

// Of all kernels of a complete schedule. Empty if something is inlined beyond reason.
std::vector<double> cache_misses(const LoopNest &nest, const Machine &machine);

}  // namespace cryolite
