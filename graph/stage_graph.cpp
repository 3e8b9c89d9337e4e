#include "graph/stage_graph.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "graph/facts/assumed_inlining.h"
#include "graph/facts/constant_regions.h"
#include "graph/facts/followed_dims.h"
#include "graph/facts/growing_regions.h"
#include "graph/facts/recurrences.h"

namespace cryolite {

int64_t common_period(int64_t a, int64_t b) {
    constexpr int64_t longest = 4096;
    const int64_t both = std::lcm(a, b);
    return both <= longest ? both : a;
}

int Func::bytes_per_point() const {
    int bytes = 0;
    for (const ScalarType &t : values) bytes += t.bytes();
    return bytes;
}

int64_t interleaved_colours(const Func &func) {
    constexpr int64_t most = 4;  // Halide shuffles strides up to this
    if (func.strides.empty()) return 1;
    const auto dense = static_cast<size_t>(func.storage_order[0]);
    const int64_t colours = func.root_region[dense].extent();
    if (func.strides.size() < 2 || func.strides[dense] != 1 || colours < 2) return 1;
    const int64_t stride = func.strides[static_cast<size_t>(func.storage_order[1])];
    return stride >= colours && stride <= most ? colours : 1;
}

int row_dim(const Func &func) {
    if (func.storage_order.empty()) return -1;
    return func.storage_order[interleaved_colours(func) > 1 ? 1 : 0];
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
    for (Stage &s : stages_)
        if (s.index > 0) s.recurrence = find_recurrence(s, edges_);
    for (const Func &f : funcs_)
        if (f.is_input() || f.is_output()) inputs_and_outputs_.push_back(f.id);
    while (num_scheduled_ < funcs_.size() && !funcs_[num_scheduled_].is_input()) num_scheduled_++;
    const std::vector<bool> inlined = cryolite::assumed_inlined(*this);
    for (Func &f : funcs_) f.assumed_inlined = inlined[f.id.index()];
    std::vector<std::vector<Repetition>> repeated = repetitions(*this);
    for (Func &f : funcs_) f.repetition = std::move(repeated[f.id.index()]);
    const std::vector<std::vector<bool>> constant = constant_regions(funcs_, stages_, edges_);
    for (Func &f : funcs_) f.constant_region = constant[f.id.index()];
    for (Edge &e : edges_) {
        e.grows_at_ends = cryolite::grows_at_ends(*this, e);
        regions_grow_ |= std::ranges::find(e.grows_at_ends, true) != e.grows_at_ends.end();
    }
    find_readers();
    const auto is_output = [](const Func &f) { return f.is_output(); };
    if (std::ranges::count_if(funcs_, is_output) > 1)
        for (const Func &f : funcs_)
            if (f.is_output()) walkers_.emplace(f.id, dim_walkers(*this, f.id));
    find_what_only_feeds();
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

void StageGraph::find_readers() {
    words_per_func_ = (funcs_.size() + 63) / 64;
    readers_.resize(funcs_.size() * words_per_func_);
    // Readers come before producers: their rows are complete.
    for (const Func &f : funcs_) {
        uint64_t *const row = &readers_[f.id.index() * words_per_func_];
        for (EdgeId e : f.outgoing) {
            const size_t reader = stage(edge(e).consumer).func.index();
            const uint64_t *const of_reader = &readers_[reader * words_per_func_];
            for (size_t w = 0; w < words_per_func_; w++) row[w] |= of_reader[w];
            row[reader / 64] |= uint64_t{1} << (reader % 64);
        }
    }
}

// Dominators of an acyclic graph: a Func only feeds another one if each of its readers is that Func or only feeds it.
void StageGraph::find_what_only_feeds() {
    const size_t n = funcs_.size();
    constexpr int none = -1;
    std::vector<int> parent(n, none), depth(n, 0);
    for (const Func &f : funcs_) {
        const size_t i = f.id.index();
        bool is_first = true;
        for (EdgeId e : f.outgoing) {
            int a = stage(edge(e).consumer).func.value, b = is_first ? a : parent[i];
            while (a != b) {
                if (a == none || b == none) {
                    a = b = none;
                } else {
                    int &deeper =
                        depth[static_cast<size_t>(a)] > depth[static_cast<size_t>(b)] ? a : b;
                    deeper = parent[static_cast<size_t>(deeper)];
                }
            }
            parent[i] = a;
            is_first = false;
        }
        depth[i] = parent[i] == none ? 0 : depth[static_cast<size_t>(parent[i])] + 1;
    }
    num_feeding_.assign(n, 1);
    for (size_t i = n; i-- > 0;)
        if (parent[i] != none) num_feeding_[static_cast<size_t>(parent[i])] += num_feeding_[i];
    feeding_order_.resize(n);
    std::vector<int> next(n + 1, 0);  // position of each Func's next child; [n]: of the next root
    for (size_t i = 0; i < n; i++) {
        int &place = parent[i] == none ? next[n] : next[static_cast<size_t>(parent[i])];
        feeding_order_[i] = place;
        place += num_feeding_[i];
        next[i] = feeding_order_[i] + 1;
    }
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

// Starts with the last update: the stages before it must compute all that it reads and writes.
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
