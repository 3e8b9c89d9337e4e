// The cost of a schedule in seconds, for a CPU, or for a GPU and its host: the times of its kernels, of the page faults
// of their allocations, and of copies between host and device. A kernel's time depends on the kernel alone, so a memo
// holds it by kernel. The parent of a state knows the costs of most of its kernels; only the kernels that the last
// action changed are new. Fresh pages and copies depend on all kernels together. Funcs not yet decided count as
// graph/facts/assumed_inlining.h says.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analytical/copies.h"
#include "analytical/cost_noise.h"
#include "analytical/costed_nest.h"
#include "analytical/priced_kernel.h"
#include "code/kernel/changed_kernels.h"

namespace cryolite {

struct ScheduleTime {
    double seconds = 0;             // of one run of the pipeline at the estimates
    bool too_large = false;         // inlining or unrolling beyond reason
    double peak_bytes = 0;          // sum over the kernels of KernelTerms::peak_bytes
    CompileCost compiling;          // predicted
    std::vector<StageTime> stages;  // filled by explain() only
};

// What is remembered of a kernel.
enum class KernelMemo : uint8_t {
    Nothing,  // every kernel is counted anew
    Costs,    // enough for one correction; a search has no other
    Terms     // another correction prices what is remembered anew, without counting
};

class CostModel {
public:
    // memo_bytes: about how much the memos may hold. Fuller memos are emptied, which costs time and changes no result.
    // noise: for evaluate() and costed(); explain() has none.
    CostModel(const StageGraph &graph, Hardware hardware, int64_t memo_bytes = int64_t{256} << 20,
              KernelMemo memo = KernelMemo::Terms, CostNoise noise = {});

    // For one search after the other: later prices have this noise, and what is counted begins at 0 again. What is
    // remembered of kernels stays.
    void begin(CostNoise noise);

    // Sets the correction of all later prices; it must not change. Null: there is none. Remembered terms are priced
    // anew, unless it is the correction that there was. A kernel is counted anew only if its terms are not remembered,
    // or if the correction reads rows and they have none. A CostedNest made before keeps its old prices: make it anew.
    void correct_by(std::shared_ptr<const Correction> correction);

    // Seconds of one run of the pipeline on the Machine at the estimates. Only the Funcs decided so far count.
    ScheduleTime evaluate(const LoopNest &nest);
    // The same result to the bit. The less `nest` differs from `near`, the faster. With KernelMemo::Nothing the
    // costs in `near` are not used either.
    ScheduleTime evaluate(const LoopNest &nest, const CostedNest &near);
    // The nest with its costs, to evaluate nests near it by. near: null, or a nest near this one.
    std::shared_ptr<const CostedNest> costed(const LoopNest &nest, const CostedNest *near);
    // Like evaluate() without noise, with the terms of every stage. Never from the memo.
    ScheduleTime explain(const LoopNest &nest);

    size_t kernels_evaluated() const { return kernels_evaluated_; }
    // Funcs in all kernels in which evaluated nests differed from nests near them. The count is about in proportion to
    // the time of evaluation. It does not depend on what is remembered.
    uint64_t funcs_priced() const { return funcs_priced_; }
    size_t memos_emptied() const { return memos_emptied_; }
    // Kernels whose costs came from the memo or from a nest nearby.
    size_t kernels_remembered() const { return kernels_remembered_; }

    // What is remembered. No result depends on it.
    void forget();

private:
    // The kernels that replace those of a nest nearby.
    struct Changes {
        ChangedKernels which;
        std::vector<std::optional<KernelCosts>> costs;  // [i]: at which.roots[i]; nullopt: none
    };
    ChangedKernels changed(const LoopNest &nest, const CostedNest &near);
    Changes changes(const LoopNest &nest, const CostedNest &near);

    // Allocations that Funcs not yet decided would make.
    Allocations undecided(const LoopNest &nest) const;
    Allocations undecided(const LoopNest &nest, const CostedNest &near,
                          const ChangedKernels &changed) const;

    // Hash of the Funcs that a kernel computes, whatever the shape of their loops.
    uint64_t structure_of(const LoopNest &nest, const Kernel &kernel);
    KernelCosts remembered(const LoopNest &nest, Kernel kernel);
    void forget_beyond_limit();

    struct Entry {
        std::vector<uint64_t> key;           // the full key, compared on a hit
        KernelCosts costs;                   // without noise
        uint64_t priced_by;                  // correction_number_ when it was priced
        std::unique_ptr<KernelTerms> terms;  // with KernelMemo::Terms
        std::optional<uint64_t> structure;   // structure_of(), once noise has asked for it
    };
    KernelTerms counted(const LoopNest &nest, const Kernel &kernel);
    KernelCosts costs_of(const Kernel &kernel, const KernelTerms &terms) const;
    KernelCosts disturbed(KernelCosts costs, uint64_t structure, uint64_t key_hash) const;
    // The costs of a remembered kernel by another correction than before.
    void price_anew(Entry &entry, const LoopNest &nest, const Kernel &kernel);
    Entry counted_entry(const LoopNest &nest, Kernel kernel);

    const StageGraph &graph_;
    KernelCost kernel_cost_;
    const gpu::GpuDevice *gpu_;
    const OverlapRule rule_;
    // given_: by the caller, perhaps null.
    std::shared_ptr<const Correction> given_, correction_ = std::make_shared<NoCorrection>();
    uint64_t correction_number_ = 0;
    std::unordered_multimap<uint64_t, Entry> memo_;
    const int64_t memo_bytes_;
    const KernelMemo keeps_;
    CostNoise noise_;
    const UndecidedBlocks undecided_blocks_;
    int64_t memo_bytes_used_ = 0;
    size_t memos_emptied_ = 0;
    size_t kernels_evaluated_ = 0, kernels_remembered_ = 0;
    uint64_t funcs_priced_ = 0;
};

}  // namespace cryolite
