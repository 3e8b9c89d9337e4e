// The raw terms of one kernel: a Func at root and all Funcs that are computed inside its loops.
//
// On a CPU a stage has core-bound cycles (stage_cycles.h) and traffic at every boundary of the memory hierarchy
// (memory_traffic.h). Parallel loops and allocations add their own costs. Stages in the blocks of a GPU have the terms
// of gpu/stage_terms.h. Stages that stay on its host have a single term, their time there.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analytical/compile/compile_cost.h"
#include "analytical/memory/allocations.h"
#include "analytical/stage_time.h"
#include "code/stage/expanded_stage.h"
#include "featurize/counts/cache_sets.h"
#include "featurize/counts/footprint.h"
#include "featurize/features.h"
#include "machine/hardware.h"

namespace cryolite {

// Funcs at root that stages read or write, themselves or through inlined Funcs. What both sides touch is copied between
// them. Each list in id order.
struct TouchedFuncs {
    std::vector<FuncId> by_host, by_device;
};

struct KernelTerms {
    std::vector<StageTerms> stages;
    std::vector<FeatureRow> rows;                 // [i]: of stages[i]; empty unless asked for
    bool too_large = false;                       // inlining or unrolling beyond reason
    double peak_bytes = 0;                        // allocated by all Funcs of the kernel together
    KernelAllocations allocations;                // bytes only; priced() adds the seconds
    CompileCost compiling;                        // predicted
    std::shared_ptr<const TouchedFuncs> touched;  // null if there is no GPU
};

class KernelCost {
public:
    KernelCost(const StageGraph &graph, Hardware hardware)
        : graph_(graph),
          machine_(*hardware.cpu),
          gpu_(hardware.gpu),
          expander_(graph),
          walker_(graph),
          set_loads_(machine_) {}

    // members: the root Func first, then the Funcs computed inside it, in id order. with_rows: whether to make
    // KernelTerms::rows.
    KernelTerms evaluate(const LoopNest &nest, std::span<const FuncId> members, bool with_rows);

    StageExpander &expander() { return expander_; }
    const Machine &machine() const { return machine_; }

private:
    KernelTerms on_cpu(const LoopNest &nest, std::span<const FuncId> members, bool with_rows);
    KernelTerms on_gpu(const LoopNest &nest, std::span<const FuncId> members, bool with_rows);

    const StageGraph &graph_;
    const Machine &machine_;
    const gpu::GpuDevice *gpu_;  // null: all kernels run on the CPU
    StageExpander expander_;
    FootprintWalker walker_;
    SetLoadsMemo set_loads_;
    std::optional<FeatureRows> rows_;  // made when rows are first asked for
};

}  // namespace cryolite
