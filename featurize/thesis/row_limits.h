// Algorithm 1 remembered: it walks all lines of a cache, and a search asks it about the same rows again and again.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "featurize/thesis/cache_emulation.h"

namespace cryolite::thesis {

class RowLimits {
public:
    // Of the first two caches; fewer where the machine has fewer.
    explicit RowLimits(const Machine &machine);

    size_t caches() const { return caches_.size(); }
    // Rows of row_bytes, pitch_bytes apart, that stay in caches[level] together, however many there are. 0: not even
    // one does. row_bytes >= 1, pitch_bytes >= a line.
    double most_rows(size_t level, int64_t row_bytes, int64_t pitch_bytes);
    // Lines that the level holds.
    double lines(size_t level) const;

private:
    std::vector<EmulatedCache> caches_;
    std::map<std::tuple<size_t, int64_t, int64_t>, int64_t> known_;
};

}  // namespace cryolite::thesis
