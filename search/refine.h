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

// A change of one Func's decision: the actions in its stead.
struct Change {
    std::vector<Action> actions;
    size_t func = 0;  // index into Refinement's decisions
    bool moves = false;
};

// What of a decision is drawn anew. A Func that moves changes where others may be computed: all that
// was decided after it is applied again. One that is reshaped only concerns what is computed inside.
enum class Redraw : uint8_t { PlacesAndLoops, LoopsOnly };

class Refinement {
public:
    Refinement(const LoopNest &complete, const Machine &machine, int64_t tilings_per_placement,
               Redraw redraw);

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

    // The state in which a Func and all that is computed inside it are undecided.
    LoopNest emptied(size_t func) const;
    // Indices of decisions, in order.
    std::vector<size_t> computed_inside(FuncId f) const;

    LoopNest complete_;
    const StageGraph *graph_;
    const Machine *machine_;
    int64_t tilings_per_placement_;
    Redraw redraw_;
    std::vector<Decision> decisions_;
    std::vector<LoopNest> before_;  // [i]: with the decisions before i; empty where none moves
};

}  // namespace cryolite
