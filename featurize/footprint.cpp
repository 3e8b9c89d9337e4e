#include "featurize/footprint.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cryolite {

namespace {

constexpr double gap_bytes_read_across = 4 * 64;

// A box as rows of memory. A row leaves out no line. All in bytes.
struct MemoryRows {
    struct Step {
        int64_t count, bytes;  // number of rows, distance between them
    };
    int64_t length = 0;  // from a row's first byte to its last
    int64_t first_byte = 0;
    std::vector<Step> steps;
};

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

// Counts the pieces of a box that are more than most_gap bytes apart. Dimensions are added from the innermost on.
class Pieces {
public:
    explicit Pieces(double most_gap) : most_gap_(most_gap) {}
    // extent: of the box along the dimension. gap: bytes of memory that the box leaves out along it.
    void add(double extent, double gap) {
        if (!whole_) count_ *= extent;
        whole_ = whole_ && gap <= most_gap_;
    }
    double count() const { return count_; }

private:
    const double most_gap_;
    double count_ = 1;
    bool whole_ = true;  // all dimensions so far are covered from end to end
};

}  // namespace

BoxInMemory box_in_memory(const Layout &layout, const Box &box, const Box &stored, int line) {
    const int bytes = layout.bytes_per_point;
    BoxInMemory m;
    m.points = points(box);
    m.line_bytes = bytes;
    if (box.empty()) return m;
    double covered = m.points * bytes;
    double stride = bytes;
    bool line_after_line = true;  // gaps shorter than a line are part of the lines around them
    Pieces beyond_lines(line - 1), runs(gap_bytes_read_across);
    for (int dim : layout.order) {
        const auto d = static_cast<size_t>(dim);
        const auto has = static_cast<double>(box[d].extent());
        const auto all = static_cast<double>(stored[d].extent());
        const double gap = (all - has) * stride;
        beyond_lines.add(has, gap);
        runs.add(has, gap);
        if (all > has) {
            line_after_line = line_after_line && gap < line;
            if (line_after_line) covered *= all / has;
        }
        stride *= all;
    }
    m.line_bytes = covered + beyond_lines.count() * (line - bytes) * 0.5;
    m.contiguous_runs = runs.count();
    return m;
}

double contiguous_runs(const Layout &layout, const Box &box, const Box &stored) {
    return box_in_memory(layout, box, stored, 1).contiguous_runs;
}

double line_bytes(const Layout &layout, const Box &box, const Box &stored, int line) {
    return box_in_memory(layout, box, stored, line).line_bytes;
}

double touched_lines(const Layout &layout, const Box &box, const Box &stored, int line,
                     double access_bytes, bool starts_anywhere) {
    if (box.empty()) return 1;
    const MemoryRows rows = rows_of(layout, box, stored, line);
    bool aligned = !starts_anywhere && rows.first_byte % line == 0;
    double count = 1;
    for (const MemoryRows::Step &s : rows.steps) {
        count *= static_cast<double>(s.count);
        aligned = aligned && s.bytes % line == 0;
    }
    const auto length = static_cast<double>(rows.length);
    if (aligned) return count * std::ceil(length / line);
    return count * (std::max(0.0, length - access_bytes) / line + 1);
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

SetLoads set_loads(const Layout &layout, const Box &box, const Box &stored,
                   const CacheLevel &cache) {
    const MemoryRows rows = rows_of(layout, box, stored, cache.line_bytes);
    const int64_t sets = sets_of(cache), line = cache.line_bytes;
    int64_t count = 1;
    for (const MemoryRows::Step &s : rows.steps) count *= s.count;
    const double least_lines =
        static_cast<double>(count) * static_cast<double>(rows.length) / static_cast<double>(line);
    // More lines than the cache holds push each other out wherever they lie.
    if (rows.steps.empty() || least_lines > 1.5 * static_cast<double>(sets * cache.ways))
        return even_loads(std::ceil(least_lines), cache);
    std::vector<size_t> in_set(static_cast<size_t>(sets), 0);
    double lines = 0;
    for (int64_t row = 0; row < count; row++) {
        int64_t first = rows.first_byte, rest = row;
        for (const MemoryRows::Step &s : rows.steps) {
            first += rest % s.count * s.bytes;
            rest /= s.count;
        }
        for (int64_t l = first / line; l <= (first + rows.length - 1) / line; l++) {
            in_set[static_cast<size_t>(l % sets)]++;
            lines++;
        }
    }
    const auto ways = static_cast<size_t>(cache.ways);
    SetLoads loads(ways + 2, 0);
    for (size_t n : in_set) loads[std::min(n, ways + 1)] += static_cast<double>(n) / lines;
    return loads;
}

double occupied_bytes(const Layout &layout, const Box &box, const Box &stored, double bytes,
                      const CacheLevel &cache) {
    if (box.size() < 2 || box.empty()) return bytes;
    const size_t inner = static_cast<size_t>(layout.order[0]);
    const int64_t element = layout.bytes_per_point;
    const int64_t stride = stored[inner].extent() * element;
    const int64_t sets = cache.size_bytes / (int64_t{cache.ways} * cache.line_bytes);
    if (sets <= 1 || stride % cache.line_bytes != 0) return bytes;  // rows spread over the sets
    const int64_t row_lines =
        (box[inner].extent() * element + cache.line_bytes - 1) / cache.line_bytes;
    const int64_t offsets = sets / std::gcd(stride / cache.line_bytes, sets);
    const double rows = points(box) / static_cast<double>(box[inner].extent());
    const double used =
        std::min<double>(static_cast<double>(sets), std::min(rows, static_cast<double>(offsets)) *
                                                        static_cast<double>(row_lines));
    const double ways = bytes / cache.line_bytes / used;
    return ways <= 0.5 * cache.ways ? bytes : bytes * static_cast<double>(sets) / used;
}

Box box_of_group(const LoadGroup &group, const Intervals &ranges, const Box &hull) {
    Box box = hull;
    for (size_t d = 0; d < box.size(); d++) {
        const std::vector<float> &by = group.coefficient[d];
        double extent = 1 + group.offset_span[d];
        for (size_t l = 0; l < by.size() && l < ranges.size(); l++)
            extent += std::abs(by[l]) * static_cast<double>(ranges[l].extent() - 1);
        const auto whole = static_cast<int64_t>(std::ceil(extent));
        box[d].max = box[d].min + std::clamp<int64_t>(whole, 1, hull[d].extent()) - 1;
    }
    return box;
}

void FootprintWalker::walk(const ExpandedStage &body, const Intervals &ranges,
                           std::vector<Box> &out) {
    inlined_.resize(std::max(inlined_.size(), body.inlined.size()));
    for (size_t i = 0; i < body.inlined.size(); i++)
        inlined_[i].assign(graph_.func(body.inlined[i]).dims.size(), Interval{});
    out.resize(body.reads.size());
    for (size_t i = 0; i < body.reads.size(); i++)
        out[i].assign(graph_.func(body.reads[i]).dims.size(), Interval{});

    for (const FootprintStep &step : body.steps) {
        const Edge &edge = graph_.edge(step.edge);
        const Func &producer = graph_.func(edge.producer);
        std::span<const Interval> from = ranges;
        if (step.from_inlined >= 0) {
            const Stage &s = graph_.stage(
                graph_.func(body.inlined[static_cast<size_t>(step.from_inlined)]).stages[0]);
            loops_.resize(s.loops.size());
            graph_.loop_ranges(s, inlined_[static_cast<size_t>(step.from_inlined)], loops_);
            from = loops_;
        }
        box_.resize(producer.dims.size());
        edge.region.evaluate(from, box_);
        Box &target = step.to_inlined ? inlined_[static_cast<size_t>(step.to)]
                                      : out[static_cast<size_t>(step.to)];
        for (size_t d = 0; d < box_.size(); d++) {
            const Interval &whole = producer.root_region[d];
            if (box_[d].min <= -RegionExpression::unbounded / 2) box_[d].min = whole.min;
            if (box_[d].max >= RegionExpression::unbounded / 2) box_[d].max = whole.max;
            // A predicate excludes this iteration. It stands for others of its kind, which the predicate lets pass.
            if (box_[d].empty() && !whole.empty())
                box_[d].min = box_[d].max = std::clamp(box_[d].max, whole.min, whole.max);
            target[d] = hull(target[d], box_[d]);
        }
    }
}

}  // namespace cryolite
