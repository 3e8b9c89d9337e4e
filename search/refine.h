// Hill climbing on a complete state. The beam shapes a Func before it knows what will be computed inside. Here
// each Func's place and loops are drawn anew while all other decisions stay, and the best change is kept.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "machine/hardware.h"
#include "schedule/loop_nest.h"
#include "search/decision.h"

namespace cryolite {

// A change of one Func's decision: its place and its loops.
struct Change {
    // The Func has its new place, its dependents are undecided. Changes to the same place share it.
    std::shared_ptr<const LoopNest> placed;
    std::vector<Action> loops;
    // The dependents' decisions. They are repeated after the change, in this order.
    std::shared_ptr<const std::vector<Decision>> dependents;
};

// Which part of a decision is drawn anew.
enum class Redraw : uint8_t { PlacesAndLoops, LoopsOnly };

class Refinement {
public:
    Refinement(LoopNest complete, Hardware hardware, int64_t tilings_per_placement, Redraw redraw)
        : complete_(std::move(complete)),
          hardware_(hardware),
          tilings_per_placement_(tilings_per_placement),
          redraw_(redraw) {}

    // The changes of one Func that are worth trying, without those that are refused at once.
    std::vector<Change> changes(size_t func, Random random) const;

    // The complete state with the change; nothing if the change removes the place of a dependent.
    std::optional<LoopNest> with(const Change &change) const;

private:
    // Funcs that it reads, directly or not, and that are computed inside a kernel which it is part of: they
    // depend on its place as well.
    std::vector<FuncId> read_within_its_kernels(FuncId f) const;
    // The state without the decisions of a Func and its dependents.
    struct Start {
        LoopNest nest;
        std::shared_ptr<const std::vector<Decision>> dependents;  // what was decided, readers first
    };
    Start start(FuncId f, std::vector<FuncId> dependents) const;

    LoopNest complete_;
    Hardware hardware_;
    int64_t tilings_per_placement_;
    Redraw redraw_;
};

}  // namespace cryolite
