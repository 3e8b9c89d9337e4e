// Schedules to fall back on where Halide cannot lower the best one in time. Lowering takes a multiple of
// the time with every Func that is computed inside of another one's loops, inside of another's: what is
// kept are schedules that nest less deeply.
#pragma once

#include <map>
#include <vector>

#include "machine/machine.h"
#include "search/beam.h"

namespace cryolite {

// The longest chain of Funcs of which each is computed inside of the next one's loops. 0: all are at root
// or inlined.
int nesting_depth(const LoopNest &nest);

// The state with chains no longer than `depth`. A Func that lies deeper moves out to the innermost loop that
// is allowed, or to root, and gets plain loops. The state must be complete; so is what is returned.
LoopNest flattened(const LoopNest &complete, int depth, const Machine &machine);

// The cheapest complete states by depth.
class Alternatives {
public:
    void add(const BeamState &complete);
    // The cheapest that is no deeper; null if there is none.
    const BeamState *at_most(int depth) const;

private:
    std::map<int, BeamState> cheapest_;
};

}  // namespace cryolite
