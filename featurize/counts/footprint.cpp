#include "featurize/counts/footprint.h"

#include <algorithm>
#include <cmath>

namespace cryolite {

namespace {

constexpr double gap_bytes_read_across = 4 * 64;

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
    // As rows_of(), of which only sums are needed. This is the search's innermost loop.
    int64_t stride = layout.bytes_per_point, length = stride, first_byte = 0;
    double rows = 1;
    bool one_row = true, aligned = !starts_anywhere;
    for (int dim : layout.order) {
        const auto d = static_cast<size_t>(dim);
        const int64_t has = box[d].extent(), all = std::max(has, stored[d].extent());
        first_byte += stride * std::max<int64_t>(0, box[d].min - stored[d].min);
        if (one_row) {
            length += (has - 1) * stride;
        } else if (has > 1) {
            rows *= static_cast<double>(has);
            aligned = aligned && stride % line == 0;
        }
        one_row = one_row && (all - has) * stride < line;
        stride *= all;
    }
    if (aligned && first_byte % line == 0)
        return rows * static_cast<double>((length + line - 1) / line);
    return rows * (std::max(0.0, static_cast<double>(length) - access_bytes) / line + 1);
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
