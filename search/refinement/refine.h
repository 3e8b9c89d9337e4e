// Hill climbing on a complete state. The beam shapes a Func before it knows what will be computed inside. Here
// each Func's place and loops are drawn anew while all other decisions stay, and the best change is kept.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "machine/hardware.h"
#include "schedule/loop_nest.h"
#include "search/beam/place_lessons.h"
#include "search/refinement/decision.h"
#include "search/refinement/twins.h"

namespace cryolite {

// A change of one Func's decision: its place and its loops. With a twin's decision, all of it is made in `placed`.
struct Change {
    // The Func has its new place, its dependents are undecided. Changes to the same place share it.
    std::shared_ptr<const LoopNest> placed;
    std::vector<Action> loops;
    // The dependents' decisions. They are repeated after the change, in this order.
    std::shared_ptr<const std::vector<Decision>> dependents;
    // One of nearby_loops.h, which must be worth its compiling: is_worth_compiling() in beam.h.
    bool is_small = false;
    // The new place, where the loops were drawn or taught; else null.
    std::shared_ptr<const PlacementActions> where = nullptr;
};

// Which part of a decision is drawn anew.
enum class Redraw : uint8_t { PlacesAndLoops, LoopsOnly };

class Refinement {
public:
    // twins: of the same graph; they must outlive the Refinement.
    Refinement(LoopNest complete, Hardware hardware, const Twins &twins,
               int64_t tilings_per_placement, Redraw redraw)
        : complete_(std::move(complete)),
          hardware_(hardware),
          twins_(twins),
          tilings_per_placement_(tilings_per_placement),
          redraw_(redraw) {}

    // The changes of one Func that are worth trying, without those that are refused at once. lessons: what loops others
    // have tried at its places; few are drawn there.
    std::vector<Change> changes(size_t func, Random random, const PlaceLessons &lessons = {}) const;

    // Those of them that decide the Func and what is computed in its loops as its twins are.
    std::vector<Change> changes_by_twins(FuncId f) const;

    // Those that make less code of the Func, whatever they cost: its loops without unrolling, plain ones, Halide's own,
    // or no place at all.
    std::vector<Change> simpler(FuncId f) const;

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
    // What `f` reads and is computed in its loops or inlined there.
    std::vector<FuncId> group(FuncId f) const;
    // The complete state with these decisions of these Funcs in place of those that they have now, readers first.
    std::optional<LoopNest> decided(const std::vector<FuncId> &funcs,
                                    const std::vector<Decision> &now,
                                    const std::vector<Decision> &repeated) const;
    // What has to be undecided before `f` and its group are decided as those of a twin are: readers first.
    std::vector<FuncId> undecided_for_twin(FuncId f, FuncId twin) const;

    LoopNest complete_;
    Hardware hardware_;
    const Twins &twins_;
    int64_t tilings_per_placement_;
    Redraw redraw_;
};

}  // namespace cryolite
