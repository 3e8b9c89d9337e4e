// Fallback schedules, for when Halide cannot lower the best schedule in time. Lowering takes several times
// as long with each Func that is computed inside another Func's loops. Fallbacks therefore nest less deeply.
#pragma once

#include <map>
#include <vector>

#include "machine/machine.h"
#include "search/beam/beam.h"

namespace cryolite {

// Length of the longest chain of Funcs in which each Func is computed inside the next one's loops.
// 0: every Func is at root or inlined.
int nesting_depth(const LoopNest &nest);

// `complete` with no chain longer than `depth`. A Func that lies deeper moves out to the innermost legal loop
// that is shallow enough, or to root, and gets plain loops there. Both schedules are complete.
LoopNest flattened(const LoopNest &complete, int depth, Hardware hardware);

// The cheapest complete state of each nesting depth.
class Alternatives {
public:
    void add(const BeamState &complete);
    // The cheapest state of at most this depth; null if there is none.
    const BeamState *at_most(int depth) const;

private:
    std::map<int, BeamState> cheapest_;
};

}  // namespace cryolite
