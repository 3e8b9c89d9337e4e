#include "graph/stage_graph.h"

#include <cassert>
#include <utility>

namespace cryolite {

int Func::bytes_per_point() const {
    int bytes = 0;
    for (const ScalarType &t : values) bytes += t.bytes();
    return bytes;
}

StageGraph::StageGraph(std::vector<Func> funcs, std::vector<Stage> stages, std::vector<Edge> edges,
                       uint64_t algorithm_hash)
    : funcs_(std::move(funcs)),
      stages_(std::move(stages)),
      edges_(std::move(edges)),
      algorithm_hash_(algorithm_hash) {
    for (Stage &s : stages_)
        if (s.operation_groups.empty() && s.ops.total() > 0)
            s.operation_groups.push_back(undivided(s.ops, s.loops.size()));
    for (const Func &f : funcs_)
        if (f.is_input() || f.is_output()) inputs_and_outputs_.push_back(f.id);
    while (num_scheduled_ < funcs_.size() && !funcs_[num_scheduled_].is_input()) num_scheduled_++;
#ifndef NDEBUG
    for (size_t i = 0; i < funcs_.size(); i++) {
        const Func &f = funcs_[i];
        assert(f.id.index() == i);
        assert(f.is_input() == (i >= num_scheduled_));
        assert(f.stages.empty() == f.is_input());
        assert(f.root_region.size() == f.dims.size());
        assert(f.may_overcompute.size() == f.dims.size());
        assert(f.storage_order.size() == f.dims.size());
        for (size_t k = 0; k < f.stages.size(); k++) {
            assert(stage(f.stages[k]).func == f.id);
            assert(stage(f.stages[k]).index == static_cast<int>(k));
        }
        for (EdgeId e : f.outgoing) assert(edge(e).producer == f.id && !edge(e).is_self);
    }
    for (size_t i = 0; i < stages_.size(); i++) {
        assert(stages_[i].id.index() == i);
        for (EdgeId e : stages_[i].incoming) assert(edge(e).consumer == stages_[i].id);
    }
    for (size_t i = 0; i < edges_.size(); i++) {
        const Edge &e = edges_[i];
        assert(e.id.index() == i);
        const FuncId consumer = stage(e.consumer).func;
        assert(e.is_self == (consumer == e.producer));
        assert(e.is_self || consumer < e.producer);
        assert(e.region.dims.size() == func(e.producer).dims.size());
        for (const Access &a : e.accesses) assert(a.index.size() == e.region.dims.size());
    }
#endif
}

FuncId StageGraph::find(std::string_view name) const {
    for (const Func &f : funcs_) {
        if (f.name == name) return f.id;
    }
    return {};
}

void StageGraph::loop_ranges(const Stage &stage, const Box &region, std::span<Interval> out) const {
    assert(out.size() == stage.loops.size());
    for (size_t l = 0; l < out.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        out[l] = loop.is_reduction ? loop.range : region[static_cast<size_t>(loop.func_dim)];
    }
}

// The last update first: what it touches is computed by the stages before it, too.
void StageGraph::include_self_accesses(const Func &func, Box &region) const {
    Intervals loops;
    Box touched(region.size());
    for (size_t k = func.stages.size(); k-- > 1;) {
        const Stage &update = stage(func.stages[k]);
        loops.resize(update.loops.size());
        loop_ranges(update, region, loops);
        for (EdgeId id : update.incoming) {
            const Edge &e = edge(id);
            if (!e.is_self) continue;
            e.region.evaluate(loops, touched);
            for (size_t d = 0; d < region.size(); d++) {
                Interval &t = touched[d];
                if (RegionExpression::is_unbounded(t.min)) t.min = func.root_region[d].min;
                if (RegionExpression::is_unbounded(t.max)) t.max = func.root_region[d].max;
                region[d] = hull(region[d], t);
            }
        }
    }
}

}  // namespace cryolite
