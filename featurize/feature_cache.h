// Remembers features by kernel. A child state of the search shares all kernels with its parent but the one that its
// last action changed.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "code/kernel/kernels.h"
#include "featurize/schema.h"

namespace cryolite {

// The features of all stages of one kernel. Immutable.
struct KernelFeatures {
    std::vector<StageId> stages;
    std::vector<FeatureRow> rows;  // [i]: of stages[i]; empty where too_large
    bool too_large = false;        // inlining multiplies the work beyond reason
};

class FeatureCache {
public:
    // limit_bytes: about how much the cache may hold. Past the limit it forgets everything, which costs time and
    // changes no result. 0: it remembers nothing.
    explicit FeatureCache(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

    // Null if the kernel is unknown.
    std::shared_ptr<const KernelFeatures> find(const Kernel &kernel, uint64_t hash) const;
    void remember(Kernel kernel, uint64_t hash, std::shared_ptr<const KernelFeatures> features);

    int64_t bytes() const { return bytes_; }

private:
    struct Entry {
        std::vector<uint64_t> key;  // the full key, compared on a hit
        std::shared_ptr<const KernelFeatures> features;
    };
    const int64_t limit_bytes_;
    int64_t bytes_ = 0;
    std::unordered_multimap<uint64_t, Entry> entries_;
};

}  // namespace cryolite
