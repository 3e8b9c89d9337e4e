// The door: the features of all stages of a schedule.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "featurize/counts/footprint.h"
#include "featurize/counts/kernel_work.h"
#include "featurize/feature_cache.h"
#include "featurize/schema.h"
#include "featurize/thesis/row_limits.h"
#include "machine/machine.h"

namespace cryolite {

// The features of one LoopNest. They stay valid when the Featurizer forgets them.
class Features {
public:
    // Kernels stand in the order of their root Funcs. Stages within a kernel stand in the order of KernelWork.
    std::span<const std::shared_ptr<const KernelFeatures>> kernels() const { return kernels_; }
    // Empty for a stage that is inlined or not decided.
    std::span<const double> row(StageId stage) const;
    // Whether some kernel is too large. Its stages have no rows.
    bool too_large() const { return too_large_; }

private:
    friend class Featurizer;
    std::vector<std::shared_ptr<const KernelFeatures>> kernels_;
    bool too_large_ = false;
};

// Makes the rows of a kernel that is counted already. Remembers answers of algorithm 1, so keep one per thread.
class FeatureRows {
public:
    // graph and machine must outlive this.
    FeatureRows(const StageGraph &graph, const Machine &machine);
    // [i]: the row of work.stages()[i]. The kernel must not be too large.
    std::vector<FeatureRow> of(const KernelWork &work);

private:
    const StageGraph &graph_;
    const Machine &machine_;
    thesis::RowLimits row_limits_;
    // The part of a row that follows from the stage and from the Funcs that are inlined into it. All else is 0.
    struct BaseRow {
        std::vector<FuncId> inlined;  // with these
        bool expanded = false;        // false: so far it has the algorithm's features alone
        FeatureRow row{};
    };
    const FeatureRow &base_row(const StageCode &code);

    std::vector<BaseRow> base_;  // by stage, for the Funcs that were inlined last
};

// Remembers kernels, so keep it: one per search thread. graph and machine must outlive it.
class Featurizer {
public:
    // cache_bytes: about how much it may remember. 0: nothing.
    Featurizer(const StageGraph &graph, const Machine &machine,
               int64_t cache_bytes = int64_t{128} << 20);

    // The features of the Funcs decided so far. All others count as stored at root.
    Features features(const LoopNest &nest);

    size_t kernels_computed() const { return kernels_computed_; }
    size_t kernels_remembered() const { return kernels_remembered_; }

private:
    KernelFeatures compute(const LoopNest &nest, const Kernel &kernel);

    const StageGraph &graph_;
    const Machine &machine_;
    const int64_t cache_bytes_;
    StageExpander expander_;
    FootprintWalker walker_;
    FeatureRows rows_;
    FeatureCache cache_;
    size_t kernels_computed_ = 0, kernels_remembered_ = 0;
};

}  // namespace cryolite
