#include "featurize/counts/cache_sets.h"

#include <algorithm>
#include <cmath>
#include <map>

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

namespace {

// [n]: how many of a number of places, one after another and then again from the first, have n lines of the rows.
// Every place is one line long.
std::map<int64_t, int64_t> places_with(const MemoryRows &rows, int64_t line, int64_t places) {
    // By how much the lines of a place are more than those of the place before: a row adds one at its first place
    // and takes one away behind its last.
    std::vector<int64_t> rise(static_cast<size_t>(places), 0);
    int64_t everywhere = 0;
    const int64_t count = rows.count();
    for (int64_t row = 0; row < count; row++) {
        int64_t first = rows.first_byte, rest = row;
        for (const MemoryRows::Step &s : rows.steps) {
            first += rest % s.count * s.bytes;
            rest /= s.count;
        }
        const int64_t begin = first / line, end = (first + rows.length - 1) / line + 1;
        everywhere += (end - begin) / places;
        if ((end - begin) % places == 0) continue;
        rise[static_cast<size_t>(begin % places)]++;
        rise[static_cast<size_t>(end % places)]--;
        if (end % places < begin % places) rise[0]++;
    }
    std::map<int64_t, int64_t> with;
    int64_t here = everywhere;
    for (int64_t r : rise) with[here += r]++;
    return with;
}

// Adds the share `lines` of all lines to loads, where n lines fall into sets by chance, into one of `colours` each.
// A line's set has, besides it, k of the n - 1 others: a binomial distribution.
void add_scattered(SetLoads &loads, int64_t n, double colours, double lines) {
    const double same = 1 / colours;
    const auto others = static_cast<double>(n - 1);
    double chance = std::pow(1 - same, others), rest = 1;
    for (size_t k = 0; k + 2 < loads.size() && static_cast<double>(k) <= others; k++) {
        loads[k + 1] += lines * chance;
        rest -= chance;
        const auto so_far = static_cast<double>(k);
        chance *= (others - so_far) / (so_far + 1) * same / (1 - same);
    }
    loads.back() += lines * std::max(0.0, rest);
}

}  // namespace

SetLoads set_loads(const MemoryRows &rows, const CacheLevel &cache, int64_t page_bytes) {
    const int64_t sets = sets_of(cache), line = cache.line_bytes;
    const double least_lines = static_cast<double>(rows.count()) *
                               static_cast<double>(rows.length) / static_cast<double>(line);
    // More lines than the cache holds push each other out wherever they lie.
    if (rows.steps.empty() || least_lines > 1.5 * static_cast<double>(sets * cache.ways))
        return even_loads(std::ceil(least_lines), cache);
    SetLoads loads(static_cast<size_t>(cache.ways) + 2, 0);
    const double colours = static_cast<double>(sets * line) / static_cast<double>(page_bytes);
    const bool scattered = colours > 1 && page_bytes >= line;
    const auto places = places_with(rows, line, scattered ? page_bytes / line : sets);
    double lines = 0;
    for (const auto &[n, of] : places) lines += static_cast<double>(n * of);
    for (const auto &[n, of] : places) {
        const double share = static_cast<double>(n * of) / lines;
        if (n > 0 && scattered)
            add_scattered(loads, n, colours, share);
        else
            loads[static_cast<size_t>(std::min<int64_t>(n, cache.ways + 1))] += share;
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
    return known_.emplace(key, set_loads(key.rows, level, machine_.page_bytes)).first->second;
}

}  // namespace cryolite
