#include "search/refinement/freezing.h"

#include <algorithm>

namespace cryolite {
namespace {

// The realised readers and producers of a Func, looking through inlined ones, and the Func itself if it is
// realised.
class Neighbours {
public:
    explicit Neighbours(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    std::vector<FuncId> of(FuncId f) const {
        std::vector<FuncId> out;
        if (!is_inlined(f)) out.push_back(f);
        collect(f, out, [&](FuncId g, auto visit) {
            for (EdgeId e : graph_.func(g).outgoing)
                visit(graph_.func_of(graph_.edge(e).consumer).id);
        });
        collect(f, out, [&](FuncId g, auto visit) {
            for (StageId s : graph_.func(g).stages)
                for (EdgeId e : graph_.stage(s).incoming)
                    if (!graph_.func(graph_.edge(e).producer).is_input())
                        visit(graph_.edge(e).producer);
        });
        return out;
    }

private:
    bool is_inlined(FuncId f) const { return nest_.at(f).placement == Placement::Inline; }

    template <typename Next>
    void collect(FuncId from, std::vector<FuncId> &out, Next next) const {
        std::vector<FuncId> through{from};
        for (size_t i = 0; i < through.size(); i++)
            next(through[i], [&](FuncId g) {
                std::vector<FuncId> &list = is_inlined(g) ? through : out;
                if (std::ranges::find(list, g) == list.end()) list.push_back(g);
            });
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
};

std::vector<double> seconds_by_func(const StageGraph &graph, const ScheduleTime &explained) {
    std::vector<double> seconds(graph.num_scheduled(), 0);
    for (const StageTime &t : explained.stages)
        seconds[graph.func_of(t.stage).id.index()] += t.seconds();
    return seconds;
}

}  // namespace

Freezing::Freezing(const LoopNest &complete, const ScheduleTime &explained, double share) {
    const StageGraph &graph = complete.graph();
    const size_t n = graph.num_scheduled();
    const std::vector<double> seconds = seconds_by_func(graph, explained);
    const Neighbours neighbours(complete);
    std::vector<std::vector<FuncId>> near(n);
    std::vector<double> stake(n, 0);
    std::vector<size_t> by_stake(n);
    for (size_t i = 0; i < n; i++) {
        by_stake[i] = i;
        near[i] = neighbours.of(FuncId(i));
        for (FuncId g : near[i]) stake[i] += seconds[g.index()];
    }
    std::ranges::stable_sort(by_stake, {}, [&](size_t i) { return stake[i]; });

    std::vector<bool> frozen(n, false), counted(n, false);
    double left = share * explained.seconds;
    for (size_t i : by_stake) {
        double more = 0;
        for (FuncId g : near[i])
            if (!counted[g.index()]) more += seconds[g.index()];
        if (more > left) break;
        left -= more;
        for (FuncId g : near[i]) counted[g.index()] = true;
        frozen[i] = true;
    }

    hold(complete, frozen);
}

Freezing::Freezing(const LoopNest &complete, std::span<const FuncId> free) {
    std::vector<bool> frozen(complete.graph().num_scheduled(), true);
    for (FuncId f : free) frozen[f.index()] = false;
    hold(complete, frozen);
}

void Freezing::hold(const LoopNest &complete, const std::vector<bool> &frozen) {
    const StageGraph &graph = complete.graph();
    decisions_.resize(frozen.size());
    // Readers have lower ids. A Func computed in loops that are drawn anew cannot keep its place.
    for (size_t i = 0; i < frozen.size(); i++) {
        const FuncNest &placed = complete.at(FuncId(i));
        const bool has_host =
            !placed.compute_at ||
            decisions_[graph.func_of(placed.compute_at->stage).id.index()].has_value();
        // A locked Func has only one decision anyway.
        if (!frozen[i] || !has_host || graph.func(FuncId(i)).locked) continue;
        decisions_[i] = decision_of(complete, FuncId(i));
        count_++;
    }
}

std::optional<LoopNest> Freezing::decided(const LoopNest &nest, FuncId f) const {
    if (!holds(f)) return std::nullopt;
    LoopNest out = nest;
    if (!repeat_decision(out, *decisions_[f.index()])) return std::nullopt;
    return out;
}

}  // namespace cryolite
