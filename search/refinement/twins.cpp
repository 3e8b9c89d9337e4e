#include "search/refinement/twins.h"

#include <algorithm>
#include <ranges>

#include "schedule/renamed_action.h"

namespace cryolite {
namespace {

// Decisions of so many twins are tried in each state of a beam.
constexpr size_t most_tried = 4;
// A Func is computed in the loops of a near reader, hardly ever beyond so many Funcs.
constexpr size_t furthest_counterpart = 64;

bool reads_alike(const Access &a, const Access &b) {
    return std::ranges::equal(a.index, b.index, [](const IndexMap &x, const IndexMap &y) {
        return x.affine == y.affine && x.coefficient == y.coefficient &&
               x.depends_on == y.depends_on;
    });
}

bool walks_alike(const StageLoop &a, const StageLoop &b) {
    return a.is_reduction == b.is_reduction && a.func_dim == b.func_dim &&
           a.walked_dim == b.walked_dim && a.in_predicate == b.in_predicate &&
           a.constant_range == b.constant_range &&
           (!a.constant_range || a.range.extent() == b.range.extent());
}

class Alike {
public:
    explicit Alike(const StageGraph &graph) : graph_(graph) {}

    bool operator()(const Func &a, const Func &b) const {
        return a.dims.size() == b.dims.size() && a.values == b.values && !a.is_extern &&
               !b.is_extern && std::ranges::equal(a.stages, b.stages, [&](StageId s, StageId t) {
                   return works_alike(graph_.stage(s), graph_.stage(t));
               });
    }

private:
    bool works_alike(const Stage &s, const Stage &t) const {
        return std::ranges::equal(s.loops, t.loops, walks_alike) && s.ops.count == t.ops.count &&
               std::ranges::equal(s.incoming, t.incoming, [&](EdgeId d, EdgeId e) {
                   return std::ranges::equal(graph_.edge(d).accesses, graph_.edge(e).accesses,
                                             reads_alike);
               });
    }

    const StageGraph &graph_;
};

// Funcs next to `f` along the pipeline, each with the stage that reads. Its own updates are not among them.
struct Neighbour {
    FuncId func;
    int reading_stage;
};

std::vector<Neighbour> readers(const StageGraph &graph, FuncId f) {
    std::vector<Neighbour> out;
    for (EdgeId e : graph.func(f).outgoing) {
        const Stage &reader = graph.stage(graph.edge(e).consumer);
        out.push_back({reader.func, reader.index});
    }
    return out;
}

std::vector<Neighbour> producers(const StageGraph &graph, FuncId f) {
    std::vector<Neighbour> out;
    for (StageId s : graph.func(f).stages)
        for (EdgeId e : graph.stage(s).incoming) {
            const FuncId producer = graph.edge(e).producer;
            if (producer != f && !graph.func(producer).is_input())
                out.push_back({producer, graph.stage(s).index});
        }
    return out;
}

}  // namespace

Twins::Twins(const StageGraph &graph) : graph_(&graph) {
    const Alike alike(graph);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &f = graph.func(FuncId(i));
        auto known = std::ranges::find_if(classes_, [&](const std::vector<FuncId> &c) {
            return alike(graph.func(c.front()), f);
        });
        if (known == classes_.end()) known = classes_.insert(known, std::vector<FuncId>());
        known->push_back(f.id);
        class_of_.push_back(static_cast<size_t>(known - classes_.begin()));
    }
}

std::vector<FuncId> Twins::of(FuncId f) const {
    std::vector<FuncId> out;
    for (FuncId g : classes_[class_of_[f.index()]])
        if (g != f && !graph_->func(g).locked) out.push_back(g);
    const auto distance = [&](FuncId g) {
        return std::max(f.index(), g.index()) - std::min(f.index(), g.index());
    };
    std::ranges::stable_sort(out, {}, distance);
    return out;
}

std::optional<FuncId> Twins::counterpart(FuncId g, FuncId from, FuncId to) const {
    const bool is_upwards = g == from || graph_->reads(g, from);
    if (!is_upwards && !graph_->reads(from, g)) return std::nullopt;
    struct Pair {
        FuncId from, to;
    };
    std::vector<Pair> pairs{{from, to}};
    for (size_t i = 0; i < pairs.size() && i < furthest_counterpart; i++) {
        const Pair at = pairs[i];
        if (at.from == g) return at.to;
        auto next = [&](FuncId f) {
            return is_upwards ? readers(*graph_, f) : producers(*graph_, f);
        };
        const std::vector<Neighbour> others = next(at.to);
        for (const Neighbour &n : next(at.from)) {
            if (std::ranges::find(pairs, n.func, &Pair::from) != pairs.end()) continue;
            const auto match = std::ranges::find_if(others, [&](const Neighbour &o) {
                return o.reading_stage == n.reading_stage && are_twins(o.func, n.func) &&
                       std::ranges::find(pairs, o.func, &Pair::to) == pairs.end();
            });
            if (match != others.end()) pairs.push_back({n.func, match->func});
        }
    }
    return std::nullopt;
}

std::optional<Decision> Twins::decision(const LoopNest &nest, FuncId from, FuncId to) const {
    const auto counterpart_of = [&](FuncId g) { return counterpart(g, from, to); };
    Decision out = decision_of(nest, from);
    for (std::vector<Action> *actions : {&out.where, &out.how})
        for (Action &a : *actions) {
            const std::optional<Action> other = renamed(a, *graph_, counterpart_of);
            if (!other) return std::nullopt;
            a = *other;
        }
    return out;
}

std::vector<Decision> Twins::decisions(const LoopNest &nest, FuncId f) const {
    std::vector<Decision> out;
    for (FuncId twin : of(f)) {
        if (out.size() == most_tried) break;
        if (!nest.decided(twin)) continue;
        std::optional<Decision> d = decision(nest, twin, f);
        if (d && std::ranges::find(out, *d) == out.end()) out.push_back(std::move(*d));
    }
    return out;
}

}  // namespace cryolite
