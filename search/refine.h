// Hill climbing on a complete state. The beam shapes a Func before it knows what will be computed
// inside; here each Func's place and loops are drawn anew with all other decisions in place, and the
// best change is kept.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"
#include "search/decision.h"

namespace cryolite {

// A change of one Func's decision: the actions in its stead.
struct Change {
    // What several changes begin with: a state in which the Func is undecided, and with it what hangs
    // on it. The latter is decided as before again, in this order.
    struct Start {
        LoopNest nest;
        std::vector<Decision> again;
    };
    FuncId func;
    std::vector<Action> actions;
    std::shared_ptr<const Start> start;
};

// What of a decision is drawn anew.
enum class Redraw : uint8_t { PlacesAndLoops, LoopsOnly };

class Refinement {
public:
    Refinement(LoopNest complete, const Machine &machine, int64_t tilings_per_placement,
               Redraw redraw)
        : complete_(std::move(complete)),
          machine_(&machine),
          tilings_per_placement_(tilings_per_placement),
          redraw_(redraw) {}

    size_t num_funcs() const { return complete_.graph().num_scheduled(); }

    // The changes of one Func that are worth trying, without those that are refused at once.
    std::vector<Change> changes(size_t func, Random random) const;

    // The complete state with the change; nothing if a later Func's place has gone with it.
    std::optional<LoopNest> with(const Change &change) const;

private:
    // What hangs on a Func's loops: what is computed inside of them.
    std::vector<FuncId> computed_inside(FuncId f) const;
    // What hangs on its place as well: of what it reads, all that is computed in a kernel that it has
    // a part in.
    std::vector<FuncId> fed_from_its_kernels(FuncId f) const;
    std::shared_ptr<const Change::Start> start(FuncId f, std::vector<FuncId> undecided) const;

    LoopNest complete_;
    const Machine *machine_;
    int64_t tilings_per_placement_;
    Redraw redraw_;
};

}  // namespace cryolite
