// The lines that a schedule brings into each cache, by the cost's own count (memory_traffic.h), for caches that hold
// nothing when the pipeline starts. A cache simulator without prefetchers counts the same misses. For
// `./dev bench cachemisses`.
#pragma once

#include <vector>

#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Lines per cache of the Machine, over all runs of the loops on one core. Empty if a stage is inlined beyond reason.
std::vector<double> cache_misses(const LoopNest &nest, const Machine &machine);

}  // namespace cryolite
