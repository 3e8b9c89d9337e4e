// Which loops of a GPU's kernel Halide must not cut.
//
// Halide cuts a loop with guards or clamps into a middle without them and two ends, in kernels too, wherever no barrier
// stands inside. Blocks, threads and serial loops are cut alike. Each part is a copy of all code inside, and parts of
// outer loops hold the parts of inner ones.
//
// Where most iterations are in the middle, the guards that are gone are worth the copies. The serial loops around the
// unrolled box of a Func in another's thread have one iteration, and what is known of it follows from its block. There
// the copies of much code serve nothing: they no longer fit the instruction cache, and the time in which Halide lowers
// a kernel grows faster than its code (bench/results/compile.md).
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// The serial loops of all kernels, but those over reductions, around more code than may be copied, in any order.
std::vector<LoopName> uncut_kernel_loops(const LoopNest &nest);

}  // namespace cryolite
