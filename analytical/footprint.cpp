#include "analytical/footprint.h"

#include <cmath>

namespace cryolite {

double contiguous_runs(const Func &func, const Box &box) {
    double runs = 1;
    bool whole = true;  // so far every dimension is covered from end to end
    for (size_t i = 0; i < box.size(); i++) {
        const size_t d = static_cast<size_t>(func.storage_order[i]);
        if (!whole) runs *= static_cast<double>(box[d].extent());
        whole = whole && box[d].extent() >= func.root_region[d].extent();
    }
    return runs;
}

double line_bytes(const Func &func, const Box &box, int line) {
    const int bytes = func.bytes_per_point();
    if (box.empty()) return bytes;
    return points(box) * bytes + contiguous_runs(func, box) * (line - bytes) * 0.5;
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
