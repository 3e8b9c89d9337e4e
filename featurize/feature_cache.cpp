#include "featurize/feature_cache.h"

namespace cryolite {

std::shared_ptr<const KernelFeatures> FeatureCache::find(const Kernel &kernel,
                                                         uint64_t hash) const {
    const auto [first, last] = entries_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (it->second.key == kernel.key) return it->second.features;
    return nullptr;
}

void FeatureCache::remember(Kernel kernel, uint64_t hash,
                            std::shared_ptr<const KernelFeatures> features) {
    constexpr size_t bookkeeping_bytes = 128;  // the nodes of map and pointer
    const auto size = static_cast<int64_t>(
        sizeof(Entry) + sizeof(KernelFeatures) + bookkeeping_bytes +
        kernel.key.size() * sizeof(uint64_t) + features->rows.size() * sizeof(FeatureRow));
    if (bytes_ + size > limit_bytes_) {
        entries_.clear();
        bytes_ = 0;
        if (size > limit_bytes_) return;
    }
    bytes_ += size;
    entries_.emplace(hash, Entry{std::move(kernel.key), std::move(features)});
}

}  // namespace cryolite
