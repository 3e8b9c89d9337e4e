#include "featurize/cache_sets.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"

namespace cryolite {
namespace {

// Of a searched pipeline's rows. More are rare, and are counted again.
constexpr size_t most_remembered = 4096;

}  // namespace

int64_t MemoryRows::count() const {
    int64_t count = 1;
    for (const Step &s : steps) count *= s.count;
    return count;
}

MemoryRows rows_of(const Layout &layout, const Box &box, const Box &stored, int line) {
    MemoryRows rows;
    int64_t stride = layout.bytes_per_point;
    rows.length = stride;
    bool one_row = true;  // so far
    for (int dim : layout.order) {
        const auto d = static_cast<size_t>(dim);
        const int64_t has = box[d].extent(), all = std::max(has, stored[d].extent());
        rows.first_byte += stride * std::max<int64_t>(0, box[d].min - stored[d].min);
        if (one_row) {
            rows.length += (has - 1) * stride;
        } else if (has > 1) {
            rows.steps.push_back({has, stride});
        }
        // Gaps shorter than a line are part of the lines around them.
        one_row = one_row && (all - has) * stride < line;
        stride *= all;
    }
    return rows;
}

int64_t sets_of(const CacheLevel &cache) {
    return std::max<int64_t>(1, cache.size_bytes / (int64_t{cache.ways} * cache.line_bytes));
}

SetLoads even_loads(double lines, const CacheLevel &cache) {
    const auto ways = static_cast<size_t>(cache.ways);
    SetLoads loads(ways + 2, 0);
    const double mean = std::max(1.0, lines / static_cast<double>(sets_of(cache)));
    const auto less = static_cast<size_t>(std::min(mean, static_cast<double>(ways + 1)));
    const double more = less > ways ? 0 : mean - static_cast<double>(less);
    loads[less] = 1 - more;
    if (more > 0) loads[less + 1] = more;
    return loads;
}

SetLoads set_loads(const MemoryRows &rows, const CacheLevel &cache) {
    const int64_t sets = sets_of(cache), line = cache.line_bytes, count = rows.count();
    const double least_lines =
        static_cast<double>(count) * static_cast<double>(rows.length) / static_cast<double>(line);
    // More lines than the cache holds push each other out wherever they lie.
    if (rows.steps.empty() || least_lines > 1.5 * static_cast<double>(sets * cache.ways))
        return even_loads(std::ceil(least_lines), cache);
    // By how much the lines of a set are more than those of the set before: a row adds one at its first set and takes
    // one away behind its last.
    std::vector<int64_t> rise(static_cast<size_t>(sets), 0);
    int64_t in_every_set = 0, lines = 0;
    for (int64_t row = 0; row < count; row++) {
        int64_t first = rows.first_byte, rest = row;
        for (const MemoryRows::Step &s : rows.steps) {
            first += rest % s.count * s.bytes;
            rest /= s.count;
        }
        const int64_t begin = first / line, end = (first + rows.length - 1) / line + 1;
        lines += end - begin;
        in_every_set += (end - begin) / sets;
        if ((end - begin) % sets == 0) continue;
        rise[static_cast<size_t>(begin % sets)]++;
        rise[static_cast<size_t>(end % sets)]--;
        if (end % sets < begin % sets) rise[0]++;
    }
    const int64_t ways = cache.ways;
    SetLoads loads(static_cast<size_t>(ways) + 2, 0);
    int64_t in_set = in_every_set;
    for (int64_t r : rise) {
        in_set += r;
        loads[static_cast<size_t>(std::min(in_set, ways + 1))] +=
            static_cast<double>(in_set) / static_cast<double>(lines);
    }
    return loads;
}

size_t SetLoadsMemo::KeyHash::operator()(const Key &key) const {
    Hasher h;
    h.add(key.cache)
        .add(static_cast<uint64_t>(key.rows.length))
        .add(static_cast<uint64_t>(key.rows.first_byte));
    for (const MemoryRows::Step &s : key.rows.steps)
        h.add(static_cast<uint64_t>(s.count)).add(static_cast<uint64_t>(s.bytes));
    return h.value();
}

const SetLoads &SetLoadsMemo::operator()(const MemoryRows &rows, size_t cache) {
    Key key{rows, cache};
    const CacheLevel &level = machine_.caches[cache];
    key.rows.first_byte %= level.line_bytes;  // where the rows start turns the sets around, no more
    const auto it = known_.find(key);
    if (it != known_.end()) return it->second;
    if (known_.size() >= most_remembered) known_.clear();
    return known_.emplace(key, set_loads(key.rows, level)).first->second;
}

}  // namespace cryolite
