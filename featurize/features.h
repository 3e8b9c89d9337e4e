// The door: the features of all stages of a schedule.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "featurize/feature_cache.h"
#include "featurize/footprint.h"
#include "featurize/kernel_work.h"
#include "featurize/schema.h"
#include "featurize/thesis/row_limits.h"
#include "machine/machine.h"

namespace cryolite {

// Of one LoopNest. Holds what it shows, whatever the Featurizer forgets.
class Features {
public:
    // By kernel in the order of the Funcs at root, and within a kernel in that of KernelWork.
    std::span<const std::shared_ptr<const KernelFeatures>> kernels() const { return kernels_; }
    // Empty for stages that are inlined or not decided.
    std::span<const double> row(StageId stage) const;
    // A kernel is: the rows of that kernel are missing.
    bool too_large() const { return too_large_; }

private:
    friend class Featurizer;
    std::vector<std::shared_ptr<const KernelFeatures>> kernels_;
    bool too_large_ = false;
};

// The rows of a kernel that is counted already.
class FeatureRows {
public:
    // graph and machine must outlive it.
    FeatureRows(const StageGraph &graph, const Machine &machine);
    // [i]: of work.stages()[i]. The kernel must not be too large.
    std::vector<FeatureRow> of(const KernelWork &work);

private:
    const StageGraph &graph_;
    const Machine &machine_;
    thesis::RowLimits row_limits_;
    std::vector<FeatureRow> algorithm_;  // by stage: what no schedule changes, the rest 0
};

// Remembers kernels, so it wants to be kept; one per search thread. Graph and Machine must outlive it.
class Featurizer {
public:
    // cache_bytes: about how much is remembered; 0: nothing.
    Featurizer(const StageGraph &graph, const Machine &machine,
               int64_t cache_bytes = int64_t{128} << 20);

    // Of the Funcs decided so far; those that are not count as stored at root.
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
