// Random places, tilings and loop orders of a pipeline on one core: what analytical terms about caches
// are judged by. Unlike those of search/draw.h, most are bad, which is what a rank correlation
// of misses needs.
#pragma once

#include "base/random.h"
#include "schedule/loop_nest.h"

namespace cryolite::bench {

// Complete. Funcs that only copy inlined, the others at root, inlined or inside a loop of a reader,
// windows included; every loop in
// up to three parts of any length, in any legal order; most innermost dimensions vectorised, and
// nothing parallel or unrolled. vector_bytes: of the vectors that stages are given.
LoopNest draw_order(const StageGraph &graph, int vector_bytes, Random random);

}  // namespace cryolite::bench
