#include "schedule/schedule_call.h"

#include <algorithm>
#include <map>
#include <set>

#include "schedule/func_nest.h"

namespace cryolite {

namespace {

using Method = ScheduleCall::Method;

class Walk {
public:
    explicit Walk(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    std::vector<ScheduleCall> all() {
        for (const Func &func : graph_.funcs()) {
            if (func.is_input() || !nest_.decided(func.id)) continue;
            const FuncNest &placed = nest_.at(func.id);
            if (placed.compute_at) sites_.insert(*placed.compute_at);
            if (placed.store_at) sites_.insert(*placed.store_at);
        }
        for (const Func &func : graph_.funcs()) {
            if (func.is_input() || !nest_.decided(func.id)) continue;
            const FuncNest &placed = nest_.at(func.id);
            if (func.locked || placed.placement == Placement::Inline) continue;
            place(func, placed);
            if (func.is_extern) continue;
            // A loop is found by its name alone: the new names differ in all stages of a Func.
            used_.clear();
            used_.clear();
            used_.insert(func.dims.begin(), func.dims.end());
            for (StageId s : func.stages) {
                for (const StageLoop &loop : graph_.stage(s).loops) used_.insert(loop.name);
            }
            bool touched = false;
            for (const StageNest &stage : placed.stages) {
                const size_t before = calls_.size();
                shape(func, stage);
                touched |= calls_.size() > before;
            }
            if (touched) leave_others(placed);
        }
        return std::move(calls_);
    }

private:
    ScheduleCall &add(Method method, StageId stage, std::vector<LoopVariable> variables) {
        ScheduleCall call;
        call.method = method;
        call.stage = stage;
        call.variables = std::move(variables);
        calls_.push_back(std::move(call));
        return calls_.back();
    }

    void place(const Func &func, const FuncNest &placed) {
        const StageId pure = func.stages[0];
        if (placed.placement == Placement::Root) {
            if (!func.is_output()) add(Method::ComputeRoot, pure, {});
            return;
        }
        add(Method::ComputeAt, pure, {variable(*placed.compute_at)}).site = placed.compute_at->stage;
        if (placed.store_at == placed.compute_at) return;
        if (placed.store_at) {
            add(Method::StoreAt, pure, {variable(*placed.store_at)}).site = placed.store_at->stage;
        } else {
            add(Method::StoreRoot, pure, {});
        }
    }

    void leave_others(const FuncNest &placed) {
        for (const StageNest &nest : placed.stages) {
            const Stage &stage = graph_.stage(nest.stage);
            if (stage.index > 0 && is_default(stage, nest)) add(Method::Unscheduled, stage.id, {});
        }
    }

    // Decided before: the readers come first.
    const LoopVariable &variable(LoopName loop) const { return variables_.at(loop); }

    void shape(const Func &func, const StageNest &nest) {
        const Stage &stage = graph_.stage(nest.stage);
        for (const StageLoop &loop : stage.loops) used_.insert(loop.name);
        for (const std::string &dim : func.dims) used_.insert(dim);
        std::vector<LoopName> order;
        for (size_t d = stage.loops.size(); d-- > 0;) split(func, stage, nest, d, order);
        reorder(nest, order);
        for (const LoopLevel &loop : nest.loops) {
            if (loop.kind == LoopKind::Vectorized) add(Method::Vectorize, stage.id, {variable(loop.name)});
            if (loop.kind == LoopKind::Unrolled) add(Method::Unroll, stage.id, {variable(loop.name)});
        }
        parallel(nest);
        rename_sites(func, nest);
    }

    // Halide finds the loop of a compute_at by the names of the Func and of the loop; the stage does
    // not count. A site whose name another stage has, too, gets its own.
    void rename_sites(const Func &func, const StageNest &nest) {
        for (const LoopLevel &loop : nest.loops) {
            if (sites_.count(loop.name) == 0) continue;
            const LoopVariable old = variable(loop.name);
            bool shared = false;
            for (StageId s : func.stages) {
                if (s == nest.stage) continue;
                for (const StageLoop &other : graph_.stage(s).loops) shared |= other.name == old.name;
            }
            if (!shared) continue;
            const std::string wanted = old.name + "_s" + std::to_string(graph_.stage(nest.stage).index);
            const LoopVariable renamed{fresh(wanted), old.is_reduction};
            add(Method::Rename, nest.stage, {old, renamed});
            variables_[loop.name] = renamed;
        }
    }

    std::string fresh(const std::string &wanted) {
        std::string name = wanted;
        for (int i = 2; !used_.insert(name).second; i++) name = wanted + std::to_string(i);
        return name;
    }

    // Splits one dimension into its levels, outermost first; appends them to `order`.
    void split(const Func &func, const Stage &stage, const StageNest &nest, size_t d,
               std::vector<LoopName> &order) {
        const StageLoop &dimension = stage.loops[d];
        std::vector<const LoopLevel *> levels;
        for (const LoopLevel &loop : nest.loops) {
            if (static_cast<size_t>(loop.name.dim) == d) levels.push_back(&loop);
        }
        LoopVariable rest{dimension.name, dimension.is_reduction};
        for (size_t level = 0; level < levels.size(); level++) {
            order.push_back(levels[level]->name);
            if (level + 1 == levels.size()) {
                variables_[levels[level]->name] = rest;
                break;
            }
            const bool last = level + 2 == levels.size();
            const bool vector = last && levels[level + 1]->kind == LoopKind::Vectorized;
            const LoopVariable outer{fresh(dimension.name + (level == 0 ? "_o" : last ? "_m" : "_t")),
                                     dimension.is_reduction};
            const LoopVariable inner{fresh(dimension.name + (vector ? "_v" : last ? "_i" : "_r")),
                                     dimension.is_reduction};
            ScheduleCall &call = add(Method::Split, stage.id, {rest, outer, inner});
            call.factor = levels[level]->span;
            const bool may_round = level == 0 && !dimension.is_reduction && !func.is_output() &&
                                   func.may_overcompute[static_cast<size_t>(dimension.func_dim)];
            if (may_round) call.tail = ScheduleCall::Tail::RoundUp;
            variables_[levels[level]->name] = outer;
            rest = inner;
        }
    }

    void reorder(const StageNest &nest, const std::vector<LoopName> &order) {
        std::vector<LoopVariable> innermost_first;
        bool same = true;
        for (size_t i = nest.loops.size(); i-- > 0;) {
            same &= nest.loops[i].name == order[i];
            innermost_first.push_back(variable(nest.loops[i].name));
        }
        if (!same) add(Method::Reorder, nest.stage, std::move(innermost_first));
    }

    void parallel(const StageNest &nest) {
        const size_t count = count_parallel(nest);
        if (count == 0) return;
        LoopVariable fused = variable(nest.loops[0].name);
        for (size_t i = 1; i < count; i++) {
            const LoopVariable inner = variable(nest.loops[i].name);
            LoopVariable both{fresh(inner.name + "_" + fused.name), inner.is_reduction || fused.is_reduction};
            add(Method::Fuse, nest.stage, {inner, fused, both});
            variables_[nest.loops[i].name] = both;
            fused = both;
        }
        add(Method::Parallel, nest.stage, {fused});
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::vector<ScheduleCall> calls_;
    std::map<LoopName, LoopVariable> variables_;
    std::set<LoopName> sites_;    // where something is computed or stored
    std::set<std::string> used_;  // names taken in the Func at hand
};

}  // namespace

std::vector<ScheduleCall> schedule_calls(const LoopNest &nest) { return Walk(nest).all(); }

}  // namespace cryolite
