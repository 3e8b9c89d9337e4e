#include "featurize/thesis/row_limits.h"

#include <algorithm>
#include <limits>

#include "base/hash.h"

namespace cryolite::thesis {
namespace {

// The most answers that are kept, about 400 KB. A search of a large pipeline asks a few thousand questions.
constexpr size_t most_known = 4096;

}  // namespace

RowLimits::RowLimits(const Machine &machine) {
    for (size_t level = 0; level < std::min<size_t>(2, machine.caches.size()); level++)
        caches_.push_back(emulated_cache(machine, level));
}

size_t RowLimits::QuestionHash::operator()(const Question &q) const {
    return Hasher()
        .add(static_cast<uint64_t>(q.level))
        .add(static_cast<uint64_t>(q.row_bytes))
        .add(static_cast<uint64_t>(q.pitch_bytes))
        .value();
}

double RowLimits::lines(size_t level) const {
    return static_cast<double>(caches_[level].sets * caches_[level].ways);
}

double RowLimits::most_rows(size_t level, int64_t row_bytes, int64_t pitch_bytes) {
    const EmulatedCache &cache = caches_[level];
    // Rows that start on lines take whole lines.
    if (pitch_bytes % cache.line_bytes == 0)
        row_bytes = (row_bytes + cache.line_bytes - 1) / cache.line_bytes * cache.line_bytes;
    // Pitches that differ by whole rounds of all sets meet the same sets.
    const int64_t around = cache.sets * cache.line_bytes;
    const int64_t reach = row_bytes + cache.prefetch_distance * cache.line_bytes;
    if (pitch_bytes >= 2 * around && reach <= around) pitch_bytes = around + pitch_bytes % around;
    const Question question{level, row_bytes, pitch_bytes};
    Answer &recent = recent_[QuestionHash()(question) % recent_.size()];
    if (recent.question == question) return recent.rows;
    if (known_.size() >= most_known) known_.clear();
    const auto [it, fresh] = known_.try_emplace(question, 0);
    if (fresh)
        it->second = rows_without_interference(
            cache, {0, row_bytes, pitch_bytes, std::numeric_limits<int64_t>::max()});
    recent = {question, static_cast<double>(it->second)};
    return recent.rows;
}

}  // namespace cryolite::thesis
