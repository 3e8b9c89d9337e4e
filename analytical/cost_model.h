// The cost of a schedule in seconds: the sum of its kernels' times, and of the page faults of what they
// allocate. A kernel's time depends on the kernel alone, so it is memoised by the kernel, and the cost of a
// child state is the cost of the kernels that the last action changed: what the others cost, its parent
// knows. Only whether pages are fresh is asked of all kernels together. Funcs not yet decided count as
// graph/assumed_inlining.h says.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analytical/cost_noise.h"
#include "analytical/costed_nest.h"
#include "analytical/priced_kernel.h"
#include "code/kernel/changed_kernels.h"

namespace cryolite {

struct ScheduleTime {
    double seconds = 0;             // of one run of the pipeline at the estimates
    bool too_large = false;         // inlining or unrolling beyond reason
    double peak_bytes = 0;          // allocated by all kernels, each at once
    CompileCost compiling;          // predicted
    std::vector<StageTime> stages;  // filled by explain() only, with their overlap
};

class CostModel {
public:
    // memo_bytes: about how much the memos may hold; past it they are emptied and filled anew, which
    // costs time and changes no result. remember_kernels: false computes every kernel anew.
    // noise: of evaluate() alone.
    CostModel(const StageGraph &graph, const Machine &machine,
              int64_t memo_bytes = int64_t{256} << 20, bool remember_kernels = true,
              CostNoise noise = {});

    // From now on terms are corrected by this, which must not change. What is remembered is kept and priced
    // anew, not counted anew (if the correction reads rows, only once they have been made). A CostedNest
    // made before keeps its prices: make it anew.
    void correct_by(std::shared_ptr<const Correction> correction);

    // Seconds of one run of the pipeline at the estimates on the Machine, of the Funcs decided so far.
    ScheduleTime evaluate(const LoopNest &nest);
    // The same to the bit. The less the nest differs from `near` the less time it takes; where no
    // kernels are remembered, those of `near` are not either.
    ScheduleTime evaluate(const LoopNest &nest, const CostedNest &near);
    // What nests that differ little from this one are evaluated by. near: null, or another such nest.
    std::shared_ptr<const CostedNest> costed(const LoopNest &nest, const CostedNest *near);
    // The same with the parts of every stage, never from the memo.
    ScheduleTime explain(const LoopNest &nest);

    size_t kernels_evaluated() const { return kernels_evaluated_; }
    // Funcs realised in the kernels in which evaluated nests differed from those nearby, remembered or not:
    // about in proportion to the time that evaluating takes, and the same however it is done.
    uint64_t funcs_priced() const { return funcs_priced_; }
    size_t memos_emptied() const { return memos_emptied_; }
    // Those of a nest nearby are, too.
    size_t kernels_remembered() const { return kernels_remembered_; }

private:
    // The kernels that replace those of a nest nearby.
    struct Changes {
        ChangedKernels which;
        std::vector<std::optional<KernelCosts>> costs;  // [i]: at which.roots[i]; none: no kernel
    };
    ChangedKernels changed(const LoopNest &nest, const CostedNest &near);
    Changes changes(const LoopNest &nest, const CostedNest &near);

    // The allocations of Funcs not yet decided.
    Allocations undecided(const LoopNest &nest) const;
    Allocations undecided(const LoopNest &nest, const CostedNest &near,
                          const ChangedKernels &changed) const;

    // Which Funcs a kernel computes, however their loops are shaped.
    uint64_t structure_of(const LoopNest &nest, const Kernel &kernel);
    KernelCosts remembered(const LoopNest &nest, Kernel kernel);
    void forget_beyond_limit();

    struct Entry {
        std::vector<uint64_t> key;  // the full key, compared on a hit
        KernelTerms terms;
        PricedKernel priced;
        uint64_t priced_by;  // correction_number_ at the time
    };
    KernelTerms counted(const LoopNest &nest, const Kernel &kernel);
    KernelCosts costs_of(const LoopNest &nest, const Kernel &kernel, uint64_t key_hash,
                         const KernelTerms &terms, const PricedKernel &priced);
    const StageGraph &graph_;
    KernelCost kernel_cost_;
    const OverlapRule rule_;
    std::shared_ptr<const Correction> correction_ = std::make_shared<NoCorrection>();
    uint64_t correction_number_ = 0;
    std::unordered_multimap<uint64_t, Entry> memo_;
    const int64_t memo_bytes_;
    const bool remember_kernels_;
    const CostNoise noise_;
    const UndecidedBlocks undecided_blocks_;
    int64_t memo_bytes_used_ = 0;
    size_t memos_emptied_ = 0;
    size_t kernels_evaluated_ = 0, kernels_remembered_ = 0;
    uint64_t funcs_priced_ = 0;
};

}  // namespace cryolite
