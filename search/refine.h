// Hill climbing on a complete state. The beam shapes a Func before it knows what will be computed
// inside; here each Func's place and loops are drawn anew with all other decisions in place, and the
// best change is kept.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A change of one Func's decision: the state before it, the actions in its stead, and what was
// decided after it, which is applied as far as it goes.
struct Change {
    std::vector<Action> actions;
    size_t func = 0;  // index into Refinement's decisions
};

class Refinement {
public:
    Refinement(const LoopNest &complete, const Machine &machine, int64_t tilings_per_placement);

    size_t num_funcs() const { return decisions_.size(); }

    // The changes of one Func that are worth trying, without those that are refused at once.
    std::vector<Change> changes(size_t func, Random random) const;

    // The complete state with the change; nothing if a later Func's place has gone with it.
    std::optional<LoopNest> with(const Change &change) const;

private:
    struct Decision {
        FuncId func;
        std::vector<Action> where;
        std::vector<Action> how;
    };

    const StageGraph *graph_;
    const Machine *machine_;
    int64_t tilings_per_placement_;
    std::vector<Decision> decisions_;
    std::vector<LoopNest> before_;  // [i]: with the decisions before i
};

}  // namespace cryolite
