#include "tests/oracle/counts.h"

#include <algorithm>

namespace cryolite::oracle {

void Sample::add(int64_t value, bool is_middle) {
    least = instances == 0 ? value : std::min(least, value);
    most = instances == 0 ? value : std::max(most, value);
    instances++;
    sum += value;
    if (is_middle) middle = value;
}

namespace {

int64_t next_power_of_two(int64_t v) {
    int64_t p = 1;
    while (p < v) p *= 2;
    return p;
}

int64_t volume(const Box &box) { return static_cast<int64_t>(points(box)); }

class Counter : public Observer {
public:
    Counter(const StageGraph &graph, const LoopNest &nest, bool footprints)
        : graph_(graph), nest_(nest), footprints_(footprints), open_(graph.stages().size()) {
        counts_.stages.resize(graph.stages().size());
        counts_.funcs.resize(graph.funcs().size());
        for (const Func &f : graph.funcs()) counts_.touched.emplace_back(f.dims.size());
    }

    Counts finish() {
        for (size_t s = 0; s < open_.size(); s++)
            for (size_t p = open_[s].scopes.size(); p-- > 0;) close(s, p);
        counts_.peak_bytes = alive_[0].here + alive_[0].inside;
        counts_.peak_bytes_in_loops = alive_[0].inside;
        return std::move(counts_);
    }

    void point(StageId id, const Stack &stack) override {
        const size_t s = id.index();
        StageCount &count = counts_.stages[s];
        Open &open = open_[s];
        if (count.scopes.empty()) {
            count.scopes.resize(stack.size() + 1);
            open.scopes.resize(stack.size() + 1);
            for (const Frame &f : stack) {
                count.loops.push_back(f.loop);
                count.kinds.push_back(f.kind);
            }
            count.middle_iterations.resize(stack.size());
        }
        for (size_t p = 0; p < stack.size() && (p == 0 || stack[p - 1].middle); p++)
            count.middle_iterations[p] = stack[p].iterations;
        for (size_t p = stack.size() + 1; p-- > 0;) {
            OpenScope &scope = open.scopes[p];
            const int64_t instance = p == 0 ? 0 : stack[p - 1].instance;
            if (scope.instance != instance) {
                close(s, p);
                scope.instance = instance;
                scope.middle = p == 0 || stack[p - 1].middle;
            }
            scope.points++;
        }
    }

    void load(const Touch &t, const Stack &) override {
        counts_.stages[t.stage.index()].loads[t.func]++;
        touch(t, false);
    }

    void need(const Touch &t, const Stack &stack) override {
        grow_to_hull(counts_.touched[t.func.index()], t.might);
        for (size_t p = 0; p <= stack.size(); p++) {
            if (p > 0 && !stack[p - 1].middle) break;
            if (p > 0) grow(counts_.funcs[t.func.index()].needed_by[stack[p - 1].loop], t.might);
            grow(counts_.stages[t.stage.index()].scopes[p].reads[t.func].middle_box, t.might);
        }
    }

    void store(const Touch &t, const Stack &stack) override {
        StageCount &count = counts_.stages[t.stage.index()];
        count.stores++;
        touch(t, true);
        grow_to_hull(counts_.touched[t.func.index()], t.might);
        for (size_t p = 0; p <= stack.size() && (p == 0 || stack[p - 1].middle); p++)
            grow(count.scopes[p].writes.middle_box, t.might);
    }

    void produced(FuncId f, const Production &production, const Stack &stack) override {
        FuncCount &func = counts_.funcs[f.index()];
        const bool middle = stack.empty() || stack.back().middle;
        func.produced.add(volume(production.computed), middle);
        for (const Frame &frame : stack)
            if (frame.middle) grow(func.needed_by[frame.loop], production.computed);
        if (!middle) return;
        func.middle_needed = production.needed;
        func.middle_computed = production.computed;
        func.middle_starts_window = production.starts_window;
    }

    void realised(FuncId f, const Realisation &realisation, const Stack &stack) override {
        FuncCount &func = counts_.funcs[f.index()];
        const bool middle = stack.empty() || stack.back().middle;
        func.held.add(volume(realisation.held), middle);
        Box folded = realisation.held;
        const int slide = nest_.at(f).slide_dim;
        if (slide >= 0) {
            Interval &i = folded[static_cast<size_t>(slide)];
            i.max = i.min + std::min(i.extent(), next_power_of_two(realisation.window)) - 1;
        }
        const int64_t bytes = volume(folded) * graph_.func(f).bytes_per_point();
        func.held_bytes.add(bytes, middle);
        func.most_window = std::max(func.most_window, realisation.window);
        if (middle) func.middle_held = realisation.held;
        alive(stack.size()).here += bytes;
    }

    void end_iteration(const Stack &stack) override {
        const size_t depth = stack.size();
        const int64_t bytes = alive(depth).here + alive(depth).inside;
        alive(depth) = {};
        alive(depth - 1).inside = std::max(alive(depth - 1).inside, bytes);
    }

private:
    struct OpenScope {
        int64_t instance = -1;
        bool middle = false;
        int64_t points = 0;
        std::map<FuncId, int64_t> reads;
        int64_t writes = 0;
    };
    struct Open {
        std::vector<OpenScope> scopes;
        // By Func (past the last: stores), element and scope: the last instance that touched it.
        std::map<size_t, std::vector<int64_t>> stamps;
    };
    struct Alive {
        int64_t here = 0;    // stored at this loop
        int64_t inside = 0;  // the most that any iteration of the loops inside has held
    };

    Alive &alive(size_t depth) {
        if (alive_.size() <= depth) alive_.resize(depth + 1);
        return alive_[depth];
    }

    static void grow(Box &box, const Box &other) {
        if (box.empty()) box.resize(other.size());
        grow_to_hull(box, other);
    }

    void touch(const Touch &t, bool writes) {
        if (!footprints_) return;
        const Func &func = graph_.func(t.func);
        int64_t place = 0, stride = 1;
        for (size_t d = 0; d < t.at.size(); d++) {
            const Interval &whole = func.root_region[d];
            if (t.at[d] < whole.min || t.at[d] > whole.max) {
                counts_.wrong = func.name + " is touched outside of its root region";
                return;
            }
            place += (t.at[d] - whole.min) * stride;
            stride *= whole.extent();
        }
        Open &open = open_[t.stage.index()];
        const size_t depths = open.scopes.size();
        std::vector<int64_t> &stamps = open.stamps[writes ? graph_.funcs().size() : t.func.index()];
        if (stamps.empty())
            stamps.assign(static_cast<size_t>(stride) * func.values.size() * depths, -1);
        const size_t element = static_cast<size_t>(place + t.value * stride);
        for (size_t p = depths; p-- > 0;) {
            OpenScope &scope = open.scopes[p];
            ScopeCount &count = counts_.stages[t.stage.index()].scopes[p];
            int64_t &stamp = stamps[element * depths + p];
            if (stamp == scope.instance) break;  // in all scopes around, too
            stamp = scope.instance;
            (writes ? scope.writes : scope.reads[t.func])++;
            if (scope.middle)
                (writes ? count.writes : count.reads[t.func]).middle.push_back({place, t.value});
        }
    }

    void close(size_t s, size_t p) {
        OpenScope &scope = open_[s].scopes[p];
        if (scope.points == 0) return;
        StageCount &stage = counts_.stages[s];
        ScopeCount &count = stage.scopes[p];
        count.points.add(scope.points, scope.middle);
        const LoopLevels &own = nest_.stage_nest(StageId(s)).loops;
        // The scope of the production is closed last.
        if (p + 1 == stage.scopes.size() - 1 && scope.points == own.back().extent &&
            open_[s].scopes[stage.loops.size() - own.size()].middle)
            stage.whole_innermost_runs++;
        for (auto &[f, unique] : scope.reads) count.reads[f].unique.add(unique, scope.middle);
        count.writes.unique.add(scope.writes, scope.middle);
        scope.points = scope.writes = 0;
        scope.reads.clear();
    }

    const StageGraph &graph_;
    const LoopNest &nest_;
    const bool footprints_;
    Counts counts_;
    std::vector<Open> open_;
    std::vector<Alive> alive_{1};
};

}  // namespace

Counts count(const RandomGraph &subject, const LoopNest &nest, Tails tails) {
    Counter counter(subject.graph, nest, tails == Tails::Exact);
    const std::string wrong = interpret(subject, nest, tails, counter);
    Counts counts = counter.finish();
    if (!wrong.empty()) counts.wrong = wrong;
    return counts;
}

}  // namespace cryolite::oracle
