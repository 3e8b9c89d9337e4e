#include "reference/reuse/segment_regions.h"

namespace cryolite::reuse {

SegmentRegions::SegmentRegions(const StageGraph &graph, Segment segment)
    : graph_(graph), segment_(std::move(segment)), local_(graph.funcs().size(), -1) {
    const auto add = [&](FuncId f) {
        if (local_[f.index()] >= 0 || f == segment_.output) return;
        local_[f.index()] = static_cast<int>(funcs_.size());
        funcs_.push_back(f);
    };
    for (FuncId f : segment_.members) add(f);
    const auto add_producers = [&](FuncId f) {
        for (StageId s : graph.func(f).stages) {
            for (EdgeId e : graph.stage(s).incoming) add(graph.edge(e).producer);
        }
    };
    add_producers(segment_.output);
    for (FuncId f : segment_.members) add_producers(f);
}

SegmentRegions::Walk::Walk(const SegmentRegions &regions)
    : regions_(regions), needed_(regions.num_funcs()) {
    for (FuncId f : regions.funcs_) {
        boxes_.emplace_back(regions.graph_.func(f).root_region.size());
    }
}

void SegmentRegions::Walk::clear() {
    for (size_t i = 0; i < boxes_.size(); i++) {
        boxes_[i].assign(boxes_[i].size(), Interval{});
        needed_[i] = false;
    }
}

void SegmentRegions::Walk::stage_runs(StageId stage, std::span<const Interval> loops) {
    for (EdgeId e : regions_.graph_.stage(stage).incoming) {
        const Edge &edge = regions_.graph_.edge(e);
        if (edge.is_self) continue;
        const auto to = static_cast<size_t>(regions_.local(edge.producer));
        const Box &whole = regions_.func(to).root_region;
        side_.resize(whole.size());
        edge.region.evaluate(loops, side_);
        for (size_t d = 0; d < whole.size(); d++) {
            if (RegionExpression::is_unbounded(side_[d].min)) side_[d].min = whole[d].min;
            if (RegionExpression::is_unbounded(side_[d].max)) side_[d].max = whole[d].max;
        }
        grow_to_hull(boxes_[to], side_);
        needed_[to] = true;
    }
}

void SegmentRegions::Walk::member_computes(size_t local, const Box &box) {
    for (StageId s : regions_.func(local).stages) {
        const Stage &stage = regions_.graph_.stage(s);
        loops_.resize(stage.loops.size());
        regions_.graph_.loop_ranges(stage, box, loops_);
        stage_runs(s, loops_);
    }
}

const Box &SegmentRegions::Walk::finish(size_t local) {
    const Func &func = regions_.func(local);
    if (needed_[local] && func.stages.size() > 1) {
        regions_.graph_.include_self_accesses(func, boxes_[local]);
    }
    return boxes_[local];
}

void SegmentRegions::walk_all(Walk &walk, std::span<const Interval> driver_loops) const {
    walk.clear();
    walk.stage_runs(segment_.driver, driver_loops);
    for (size_t i = 0; i < num_members(); i++) {
        if (walk.needed(i)) walk.member_computes(i, walk.finish(i));
    }
}

}  // namespace cryolite::reuse
