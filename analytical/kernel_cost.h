// The estimated time of one kernel: a Func at root and all that is computed inside its loops.
//
// Per stage: core-bound cycles (stage_cycles.h) against the traffic at every boundary of the memory
// hierarchy (memory_traffic.h).
#pragma once

#include <span>
#include <vector>

#include "analytical/allocations.h"
#include "analytical/compile_cost.h"
#include "analytical/cost_components.h"
#include "code/stage/expanded_stage.h"
#include "featurize/footprint.h"
#include "machine/machine.h"

namespace cryolite {

struct StageTime {
    StageId stage;
    double seconds = 0;     // of the whole pipeline run, after parallel speed-up
    CostBreakdown parts{};  // of `seconds`, which they add up to (to rounding)
    BoundBy bound_by = BoundBy::Core;
    double core_seconds = 0;  // on one core, before overlap and speed-up
    double l2_seconds = 0, last_level_seconds = 0, memory_seconds = 0;  // before overlap
    double overhead_seconds = 0;  // allocations, page faults, parallel loops
    // Of its Func's storage, if that is allocated from fresh pages; not in `seconds` yet. See
    // allocations.h.
    double page_fault_seconds = 0;
    double realisations = 1;
    double speedup = 1;
    bool too_large = false;  // unrolled beyond reason
};

struct KernelTime {
    double seconds = 0;  // without page faults, which depend on the other kernels' allocations
    std::vector<StageTime> stages;
    bool too_large = false;  // inlining or unrolling beyond reason
    double peak_bytes = 0;   // allocated at once by this kernel's Funcs
    KernelAllocations allocations;
    CompileCost compiling;  // predicted
};

class KernelCost {
public:
    KernelCost(const StageGraph &graph, const Machine &machine)
        : graph_(graph), machine_(machine), expander_(graph), walker_(graph) {}

    // members: the root Func first, then Funcs computed inside it, in id order.
    KernelTime evaluate(const LoopNest &nest, std::span<const FuncId> members);

    StageExpander &expander() { return expander_; }
    const Machine &machine() const { return machine_; }

private:
    const StageGraph &graph_;
    const Machine &machine_;
    StageExpander expander_;
    FootprintWalker walker_;
};

}  // namespace cryolite
