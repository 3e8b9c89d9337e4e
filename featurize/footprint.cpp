#include "featurize/footprint.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cryolite {

namespace {

constexpr double gap_bytes_read_across = 4 * 64;

}  // namespace

double contiguous_runs(const Func &func, const Box &box, const Box &stored) {
    double runs = 1;
    double stride = func.bytes_per_point();
    bool whole = true;  // so far every dimension is covered from end to end
    for (size_t i = 0; i < box.size(); i++) {
        const size_t d = static_cast<size_t>(func.storage_order[i]);
        if (!whole) runs *= static_cast<double>(box[d].extent());
        const double gap = static_cast<double>(stored[d].extent() - box[d].extent()) * stride;
        whole = whole && gap <= gap_bytes_read_across;
        stride *= static_cast<double>(stored[d].extent());
    }
    return runs;
}

double line_bytes(const Func &func, const Box &box, const Box &stored, int line) {
    const int bytes = func.bytes_per_point();
    if (box.empty()) return bytes;
    // Gaps shorter than a line are part of the lines around them.
    double covered = points(box) * bytes;
    double stride = bytes;
    for (int d : func.storage_order) {
        const auto has = static_cast<double>(box[static_cast<size_t>(d)].extent());
        const auto all = static_cast<double>(stored[static_cast<size_t>(d)].extent());
        if (all > has && (all - has) * stride >= line) break;
        covered *= std::max(1.0, all / has);
        stride *= all;
    }
    return covered + contiguous_runs(func, box, stored) * (line - bytes) * 0.5;
}

double occupied_bytes(const Func &func, const Box &box, const Box &stored, double bytes,
                      const CacheLevel &cache) {
    if (box.size() < 2 || box.empty()) return bytes;
    const size_t inner = static_cast<size_t>(func.storage_order[0]);
    const int64_t element = func.bytes_per_point();
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

void FootprintWalker::walk(const ExpandedStage &body, const std::vector<Interval> &ranges,
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
            target[d] = hull(target[d], box_[d]);
        }
    }
}

}  // namespace cryolite
