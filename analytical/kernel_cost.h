// The raw terms of one kernel: a Func at root and all Funcs that are computed inside its loops.
//
// A stage has core-bound cycles (stage_cycles.h) and traffic at every boundary of the memory hierarchy
// (memory_traffic.h). Parallel loops and allocations add their own costs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analytical/allocations.h"
#include "analytical/compile_cost.h"
#include "analytical/stage_time.h"
#include "code/stage/expanded_stage.h"
#include "featurize/cache_sets.h"
#include "featurize/features.h"
#include "featurize/footprint.h"
#include "machine/machine.h"

namespace cryolite {

struct KernelTerms {
    std::vector<StageTerms> stages;
    std::vector<FeatureRow> rows;   // [i]: of stages[i]; empty unless asked for
    bool too_large = false;         // inlining or unrolling beyond reason
    double peak_bytes = 0;          // allocated by all Funcs of the kernel together
    KernelAllocations allocations;  // bytes only; priced() adds the seconds
    CompileCost compiling;          // predicted
};

class KernelCost {
public:
    KernelCost(const StageGraph &graph, const Machine &machine)
        : graph_(graph), machine_(machine), expander_(graph), walker_(graph), set_loads_(machine) {}

    // members: the root Func first, then the Funcs computed inside it, in id order. with_rows: whether to make
    // KernelTerms::rows.
    KernelTerms evaluate(const LoopNest &nest, std::span<const FuncId> members, bool with_rows);

    StageExpander &expander() { return expander_; }
    const Machine &machine() const { return machine_; }

private:
    const StageGraph &graph_;
    const Machine &machine_;
    StageExpander expander_;
    FootprintWalker walker_;
    SetLoadsMemo set_loads_;
    std::optional<FeatureRows> rows_;  // made when rows are first asked for
};

}  // namespace cryolite
