#include "tests/oracle/interpreter.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/hash.h"

namespace cryolite::oracle {

namespace {

bool shifts_inwards(const StageGraph &graph, const StageNest &nest, const Intervals &ranges) {
    const Func &func = graph.func_of(nest.stage);
    bool fits =
        func.is_output() && func.stages.size() == 1 && func.outgoing.empty() && func.may_specialize;
    for (const LoopLevel &l : nest.loops)
        fits = fits && l.span <= ranges[static_cast<size_t>(l.name.dim)].extent();
    return fits;
}

using Point = std::vector<int64_t>;

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

template <typename Visit>
void for_each_point(const Box &box, const Visit &visit) {
    Point p;
    for (const Interval &i : box) p.push_back(i.min);
    for (bool more = true; more;) {
        visit(p);
        more = false;
        for (size_t d = 0; d < p.size() && !more; d++) {
            more = ++p[d] <= box[d].max;
            if (!more) p[d] = box[d].min;
        }
    }
}

// floor(sum of coefficients * loops + offset), over one common denominator.
int64_t evaluate(const IndexMap &map, const Point &loops) {
    int64_t denominator = map.offset.denominator;
    for (const Rational &c : map.coefficient) denominator *= c.denominator;
    int64_t sum = map.offset.numerator * (denominator / map.offset.denominator);
    for (size_t l = 0; l < map.coefficient.size(); l++) {
        const Rational &c = map.coefficient[l];
        sum += c.numerator * (denominator / c.denominator) * loops[l];
    }
    return floor_divide(sum, denominator);
}

class Interpreter {
public:
    Interpreter(const RandomGraph &subject, const LoopNest &nest, Tails tails, Observer &observer)
        : subject_(subject),
          graph_(subject.graph),
          nest_(nest),
          tails_(tails),
          observer_(observer),
          states_(graph_.funcs().size()) {
        for (const Func &f : graph_.funcs()) {
            states_[f.id.index()].needed.resize(f.dims.size());
            states_[f.id.index()].held.resize(f.dims.size());
            if (f.is_input() || nest.at(f.id).placement != Placement::At) continue;
            computed_at_[*nest.at(f.id).compute_at].push_back(f.id);
            if (nest.at(f.id).store_at) stored_at_[*nest.at(f.id).store_at].push_back(f.id);
        }
    }

    std::string run() {
        for (const Func &f : graph_.funcs()) {
            if (f.is_output()) {
                grow_to_hull(state(f.id).needed, f.root_region);
                state(f.id).asked = true;
            }
            if (!f.is_input() && nest_.at(f.id).placement == Placement::Root) produce(f.id);
        }
        for (const Func &f : graph_.funcs()) {
            if (f.is_input() || nest_.at(f.id).placement == Placement::Inline) continue;
            if (!nest_.at(f.id).store_at) release(f.id);
        }
        return wrong_;
    }

private:
    struct State {
        // Since it was last computed:
        Box needed;
        bool asked = false;
        // Since its storage was made:
        Box held;
        bool holds = false;
        int64_t window = 0;
        int64_t filled = 0;  // up to here along the window's dimension
        Box stage_wrote;     // by the stage at hand
        std::set<Point> written;
    };
    State &state(FuncId f) { return states_[f.index()]; }

    void produce(FuncId f) {
        State &s = state(f);
        if (!s.asked) return;
        const FuncNest &placed = nest_.at(f);
        Production production{s.needed, s.needed, !s.holds};
        s.asked = false;
        s.needed.assign(s.needed.size(), Interval{});
        Box box = production.needed;
        if (placed.slide_dim >= 0) {
            Interval &moving = box[static_cast<size_t>(placed.slide_dim)];
            s.window = std::max(s.window, moving.extent());
            if (s.holds && slides(s.held, box, placed.slide_dim))
                moving.min = std::max(moving.min, s.filled + 1);
            s.filled = s.holds ? std::max(s.filled, moving.max) : moving.max;
        }
        grow_to_hull(s.held, production.needed);
        s.holds = true;
        production.computed.assign(box.size(), Interval{});
        // The last update first: the stages before it also compute what it reads and overwrites.
        const Func &func = graph_.func(f);
        bool empty = false;
        for (const Interval &i : box) empty = empty || i.empty();
        for (size_t k = func.stages.size(); k-- > 0 && !empty;) {
            s.stage_wrote.assign(box.size(), Interval{});
            run_stage(func.stages[k], box);
            grow_to_hull(production.computed, s.stage_wrote);
            if (k == 0) continue;
            grow_to_hull(box, s.stage_wrote);
            if (s.asked) grow_to_hull(box, s.needed);
            s.asked = false;
            s.needed.assign(s.needed.size(), Interval{});
        }
        check_written(func, production.needed);
        grow_to_hull(s.held, production.computed);
        observer_.produced(f, production, stack_);
    }

    // Where a window has turned or widened since, it is computed anew.
    static bool slides(const Box &held, const Box &needed, int dim) {
        for (size_t d = 0; d < held.size(); d++) {
            const bool along = static_cast<int>(d) == dim;
            if (along ? needed[d].min < held[d].min : !held[d].contains(needed[d])) return false;
        }
        return true;
    }

    void release(FuncId f) {
        State &s = state(f);
        if (!s.holds) return;
        observer_.realised(f, {s.held, s.window}, stack_);
        s.holds = false;
        s.held.assign(s.held.size(), Interval{});
        s.window = 0;
        s.written.clear();
    }

    // Every point of the box has been computed since the storage was made.
    void check_written(const Func &func, const Box &box) {
        if (!wrong_.empty()) return;
        const std::set<Point> &written = state(func.id).written;
        for_each_point(box, [&](const Point &p) {
            if (written.count(p) == 0) wrong_ = func.name + " is read where it was not computed";
        });
    }

    // --- loops ---
    struct Running {
        const Stage &stage;
        const StageNest &nest;
        std::vector<int64_t> ends;  // per loop of the stage: what is beyond does not run
        bool shifts = false;
    };

    void run_stage(StageId id, const Box &box) {
        const Stage &stage = graph_.stage(id);
        Intervals ranges;
        for (const StageLoop &l : stage.loops)
            ranges.push_back(l.is_reduction ? l.range : box[static_cast<size_t>(l.func_dim)]);
        Running running{stage, nest_.stage_nest(id), {}, false};
        choose_tails(running, ranges);
        run_loop(running, 0, ranges);
    }

    void choose_tails(Running &running, const Intervals &ranges) const {
        for (const Interval &range : ranges) running.ends.push_back(range.max);
        if (tails_ == Tails::Exact) return;
        running.shifts = shifts_inwards(graph_, running.nest, ranges);
        for (size_t l = 0; l < ranges.size() && !running.shifts; l++)
            running.ends[l] = ranges[l].min + emitted_extent(nest_, running.nest, l, ranges) - 1;
    }

    void run_loop(const Running &running, size_t position, const Intervals &ranges) {
        if (position == running.nest.loops.size()) {
            run_point(running.stage, ranges);
            return;
        }
        const LoopLevel &loop = running.nest.loops[position];
        const auto d = static_cast<size_t>(loop.name.dim);
        const Interval range = ranges[d];
        const int64_t iterations = (range.extent() + loop.span - 1) / loop.span;
        const bool around_is_middle = stack_.empty() || stack_.back().middle;
        Intervals inner = ranges;
        for (int64_t i = 0; i < iterations; i++) {
            inner[d] = {range.min + i * loop.span, range.min + (i + 1) * loop.span - 1};
            const int64_t beyond = inner[d].max - range.max;
            if (beyond > 0 && !running.shifts)
                inner[d].max = std::min(inner[d].max, running.ends[d]);
            if (beyond > 0 && running.shifts) inner[d] = {inner[d].min - beyond, range.max};
            const bool middle = around_is_middle && i == (iterations - 1) / 2;
            stack_.push_back({loop.name, loop.kind, i, iterations, ++instances_, middle});
            run_loop(running, position + 1, inner);
            end_iteration(loop.name);
            stack_.pop_back();
        }
    }

    void end_iteration(LoopName loop) {
        if (const auto here = computed_at_.find(loop); here != computed_at_.end())
            for (FuncId f : here->second) produce(f);
        if (const auto here = stored_at_.find(loop); here != stored_at_.end())
            for (FuncId f : here->second) release(f);
        observer_.end_iteration(stack_);
    }

    // --- points ---
    void run_point(const Stage &stage, const Intervals &ranges) {
        Point loops;
        for (const Interval &i : ranges) loops.push_back(i.min);
        observer_.point(stage.id, stack_);
        reader_ = stage.id;
        seen_.clear();
        run_loads(stage, loops, true);
        for (const Access &store : stage.stores) run_store(stage, store, loops);
    }

    // happens: false where the stage is inlined and only might have been called at this point.
    void run_loads(const Stage &stage, const Point &loops, bool happens) {
        for (EdgeId id : stage.incoming) {
            const Edge &edge = graph_.edge(id);
            const Func &producer = graph_.func(edge.producer);
            const bool inlined = !producer.is_input() && !edge.is_self &&
                                 nest_.at(producer.id).placement == Placement::Inline;
            const Box &gathered = subject_.gathered[id.index()];
            for (const Access &a : edge.accesses) {
                const Point at = index_of(a.index, gathered, loops);
                const Box might = might_touch(a.index, gathered, at);
                if (inlined) {
                    run_inlined(producer, at, happens);
                    for_each_point(might, [&](const Point &p) { run_inlined(producer, p, false); });
                    continue;
                }
                State &s = state(producer.id);
                s.asked = true;
                grow_to_hull(s.needed, might);
                const Touch touch{reader_, producer.id, a.value, at, might};
                observer_.need(touch, stack_);
                if (happens && seen_.insert({producer.id, a.value, at}).second)
                    observer_.load(touch, stack_);
            }
        }
    }

    // Like a load once per point of the reader, however often the expression names it.
    void run_inlined(const Func &func, const Point &at, bool happens) {
        if (!seen_.insert({func.id, happens ? 0 : -1, at}).second) return;
        const Stage &stage = graph_.stage(func.stages[0]);
        Point loops;
        for (const StageLoop &l : stage.loops) loops.push_back(at[static_cast<size_t>(l.func_dim)]);
        run_loads(stage, loops, happens);
    }

    void run_store(const Stage &stage, const Access &store, const Point &loops) {
        Box anywhere(store.index.size());
        for (EdgeId e : stage.incoming)
            if (graph_.edge(e).is_self) anywhere = subject_.gathered[e.index()];
        const Point at = index_of(store.index, anywhere, loops);
        const Box might = might_touch(store.index, anywhere, at);
        State &s = state(stage.func);
        grow_to_hull(s.stage_wrote, might);
        if (stage.index == 0) s.written.insert(at);
        observer_.store({stage.id, stage.func, store.value, at, might}, stack_);
    }

    static Box might_touch(const std::vector<IndexMap> &index, const Box &gathered,
                           const Point &at) {
        Box box;
        for (size_t d = 0; d < at.size(); d++)
            box.push_back(index[d].affine ? Interval::point(at[d]) : gathered[d]);
        return box;
    }

    Point index_of(const std::vector<IndexMap> &index, const Box &gathered, const Point &loops) {
        Point at;
        for (size_t d = 0; d < index.size(); d++) {
            if (index[d].affine) {
                at.push_back(evaluate(index[d], loops));
                continue;
            }
            Hasher found;
            for (size_t l = 0; l < loops.size(); l++)
                if (index[d].depends_on[l]) found.add(static_cast<uint64_t>(loops[l]));
            const auto extent = static_cast<uint64_t>(gathered[d].extent());
            at.push_back(gathered[d].min + static_cast<int64_t>(found.value() % extent));
        }
        return at;
    }

    const RandomGraph &subject_;
    const StageGraph &graph_;
    const LoopNest &nest_;
    const Tails tails_;
    Observer &observer_;
    std::vector<State> states_;
    std::map<LoopName, std::vector<FuncId>> computed_at_, stored_at_;
    Stack stack_;
    int64_t instances_ = 0;
    StageId reader_;  // the stage whose point is run
    std::set<std::tuple<FuncId, int, Point>>
        seen_;  // what has been loaded or inlined for that point
    std::string wrong_;
};

}  // namespace

int64_t emitted_extent(const LoopNest &nest, const StageNest &stage, size_t l,
                       const Intervals &ranges) {
    const StageGraph &graph = nest.graph();
    const Func &func = graph.func_of(stage.stage);
    const StageLoop &of_stage = graph.stage(stage.stage).loops[l];
    const bool shifts = shifts_inwards(graph, stage, ranges);
    const bool rounds = !of_stage.is_reduction && !func.is_output() &&
                        func.may_overcompute[static_cast<size_t>(of_stage.func_dim)];
    // Of tiles the last is whole where something is computed in them, copies of a body always are.
    bool holds_others = shifts;
    for (const Func &f : graph.funcs()) {
        if (f.is_input()) continue;
        const FuncNest &placed = nest.at(f.id);
        for (const auto &site : {placed.compute_at, placed.store_at})
            holds_others = holds_others || (site && site->stage == stage.stage);
    }
    int64_t part = 1, around = 1;
    for (const LoopLevel &loop : stage.loops) {
        if (static_cast<size_t>(loop.name.dim) != l || !(shifts || rounds)) continue;
        const bool copies = loop.kind == LoopKind::Vectorized || loop.kind == LoopKind::Unrolled;
        if (loop.name.level == 0 && holds_others) part = loop.span;
        if (loop.name.level > 0 && copies) part = std::max(part, around);
        around = loop.span;
    }
    return (ranges[l].extent() + part - 1) / part * part;
}

std::string interpret(const RandomGraph &subject, const LoopNest &nest, Tails tails,
                      Observer &observer) {
    return Interpreter(subject, nest, tails, observer).run();
}

}  // namespace cryolite::oracle
