// The proof goes load by load; those that differ by constants count as one (read_groups.h). It lets the loop of
// dimension d run on for ever. Then one of these must hold for each end of each index:
// - The end stays where the required region has it.
// - The load is of an input, and the end provably stays inside the buffer.
// - The load is of a Func that is itself extensible at that end.
// Upper and lower ends are separate because a mirrored access turns one into the other. All bounds are symbolic, so
// that a proof holds at every size. What cannot be proved counts as false.
#include "graph/builder/overcompute.h"

#include <map>
#include <set>

#include "graph/builder/read_groups.h"
#include "graph/builder/regions.h"
#include "graph/halide/bound_proof.h"
#include "graph/halide/expression_dag.h"

namespace cryolite {
namespace {

// Through how many pure Funcs a limited extension is followed.
constexpr int kMaxDepth = 4;

enum Direction { kUp = 0, kDown = 1 };

struct Extension {
    int func, dim;
    Direction direction;
    auto operator<=>(const Extension &) const = default;
};

class OvercomputeAnalysis {
public:
    OvercomputeAnalysis(const PipelineView &view, const std::vector<std::string> &locked,
                        const Estimates &estimates, const ir::FuncValueBounds &value_bounds,
                        bool inputs_have_zero = false)
        : view_(view),
          estimates_(estimates),
          value_bounds_(value_bounds),
          inputs_have_zero_(inputs_have_zero) {
        for (size_t f = 0; f < view_.funcs.size(); f++) {
            const FuncView &func = view_.funcs[f];
            never_.push_back(func.is_output || func.copy.has_extern_definition() ||
                             !locked[f].empty());
            for (int d = 0; never_[f] && d < func.copy.dimensions(); d++) {
                impossible_.insert({static_cast<int>(f), d, kUp});
                impossible_.insert({static_cast<int>(f), d, kDown});
            }
        }
        for (size_t f = 0; f < view_.funcs.size(); f++) {
            if (never_[f]) continue;
            for (const StageView &stage : view_.funcs[f].stages)
                analyse(static_cast<int>(f), stage);
        }
        propagate();
    }

    std::vector<std::vector<bool>> possible(Direction direction) const {
        std::vector<std::vector<bool>> result;
        for (size_t f = 0; f < view_.funcs.size(); f++) {
            result.emplace_back();
            for (int d = 0; d < view_.funcs[f].copy.dimensions(); d++)
                result.back().push_back(!impossible_.count({static_cast<int>(f), d, direction}));
        }
        return result;
    }

private:
    bool uses_loop(const ExpressionDag &dag, int n, const std::string &loop) const {
        const ExpressionNode &node = dag.node(n);
        if (!node.has_loop) return false;
        if (const auto *v = node.expression.as<ir::Variable>()) return v->name == loop;
        for (int o : node.operands) {
            if (uses_loop(dag, o, loop)) return true;
        }
        return false;
    }

    void analyse(int func, const StageView &stage) {
        ExpressionDag dag;
        for (const Expr &e : stage.expressions()) {
            dag.add(constrained(e));
        }
        for (const ReadGroup &reads : read_groups(dag)) {
            for (const LoopView &loop : stage.loops) {
                if (loop.func_dim < 0 || !uses_loop(dag, reads.index, loop.name)) continue;
                for (Direction direction : {kUp, kDown})
                    check({func, loop.func_dim, direction}, *reads.load, reads.dim,
                          bounds(reads, stage, "", kUp), bounds(reads, stage, loop.name, direction),
                          0);
            }
        }
    }

    // Bounds of the indices when the loop `extended` runs on for ever in one direction.
    ir::Interval bounds(const ReadGroup &reads, const StageView &stage, const std::string &extended,
                        Direction direction) const {
        ir::Scope<ir::Interval> scope;
        for (const LoopView &loop : stage.loops) {
            ir::Interval range(loop_min(loop), loop_max(loop));
            if (loop.name == extended && direction == kUp) range.max = ir::Interval::pos_inf();
            if (loop.name == extended && direction == kDown) range.min = ir::Interval::neg_inf();
            scope.push(loop.name, range);
        }
        return bounds(reads, scope);
    }

    // Bounds of indices that depend on one argument only.
    ir::Interval bounds(const ReadGroup &reads, const std::string &argument,
                        const ir::Interval &range) const {
        ir::Scope<ir::Interval> scope;
        scope.push(argument, range);
        return bounds(reads, scope);
    }

    ir::Interval bounds(const ReadGroup &reads, const ir::Scope<ir::Interval> &scope) const {
        const auto of = [&](const Expr &index) {
            return ir::bounds_of_expr_in_scope(constrained(index), scope, value_bounds_);
        };
        ir::Interval ends = of(reads.first);
        if (!reads.first.same_as(reads.last)) ends.max = of(reads.last).max;
        return ends;
    }

    bool at_most(const Expr &e, const Expr &limit) const {
        return proves_at_most(estimates_.apply_constraints(e), estimates_.apply_constraints(limit),
                              sizes_);
    }

    bool at_least(const Expr &e, const Expr &limit) const {
        return proves_at_least(estimates_.apply_constraints(e), estimates_.apply_constraints(limit),
                               sizes_);
    }

    Expr constrained(const Expr &e) const {
        return estimates_.apply_constraints(ir::common_subexpression_elimination(e));
    }

    // Checks `what`, by which the index of dimension k of this load ranges over `extended` instead of `required`.
    void check(const Extension &what, const ir::Call &call, int k, const ir::Interval &required,
               const ir::Interval &extended, int depth) {
        const bool low_stays = !required.has_lower_bound() ||
                               (extended.has_lower_bound() && at_least(extended.min, required.min));
        const bool high_stays = !required.has_upper_bound() ||
                                (extended.has_upper_bound() && at_most(extended.max, required.max));
        if (low_stays && high_stays) return;

        if (call.call_type == ir::Call::Halide) {
            const int producer = view_.func_by_name.at(call.name);
            const bool limited = (low_stays || extended.has_lower_bound()) &&
                                 (high_stays || extended.has_upper_bound());
            if (limited && depth < kMaxDepth &&
                check_through(what, producer, k, required, extended, depth)) {
                return;
            }
            if (!high_stays) needs_[{producer, k, kUp}].push_back(what);
            if (!low_stays) needs_[{producer, k, kDown}].push_back(what);
            return;
        }
        const auto [low, high] = buffer_ends(call, k);
        const bool low_inside =
            low_stays ||
            (extended.has_lower_bound() &&
             (at_least(extended.min, low) || (inputs_have_zero_ && at_least(extended.min, 0))));
        const bool high_inside =
            high_stays || (extended.has_upper_bound() && at_most(extended.max, high));
        if (!low_inside || !high_inside) impossible_.insert(what);
    }

    // A limited extension of a pure Func is a limited extension of what it reads. An example is a clamp in front of
    // the Func through which Halide reads an ImageParam. False if this cannot be followed: the Func must then be
    // extensible without limit.
    bool check_through(const Extension &what, int producer, int k, const ir::Interval &required,
                       const ir::Interval &extended, int depth) {
        const FuncView &g = view_.funcs[static_cast<size_t>(producer)];
        if (never_[static_cast<size_t>(producer)] || !g.copy.is_pure()) return false;
        const std::string &argument = g.copy.args()[static_cast<size_t>(k)];
        const Values &values = values_of(producer);
        const ExpressionDag &dag = values.dag;
        std::vector<ReadGroup> followed;
        for (const ReadGroup &reads : values.reads) {
            if (!uses_loop(dag, reads.index, argument)) continue;
            // With several arguments in one index, the box of the region would give it a wider range.
            for (const std::string &other : g.copy.args()) {
                if (other != argument && uses_loop(dag, reads.index, other)) return false;
            }
            followed.push_back(reads);
        }
        for (const ReadGroup &reads : followed)
            check(what, *reads.load, reads.dim, bounds(reads, argument, required),
                  bounds(reads, argument, extended), depth + 1);
        return true;
    }

    // What a pure Func is computed from.
    struct Values {
        ExpressionDag dag;
        std::vector<ReadGroup> reads;
    };
    const Values &values_of(int func) {
        const auto [found, is_new] = values_.try_emplace(func);
        Values &values = found->second;
        if (!is_new) return values;
        for (const Expr &e : view_.funcs[static_cast<size_t>(func)].stages[0].values)
            values.dag.add(constrained(e));
        values.reads = read_groups(values.dag);
        return values;
    }

    std::pair<Expr, Expr> buffer_ends(const ir::Call &call, int k) {
        if (call.image.defined()) {
            const auto dim = call.image.dim(k);
            return {Expr(dim.min()), Expr(dim.min() + dim.extent() - 1)};
        }
        const std::string suffix = "." + std::to_string(k);
        const Expr min =
            ir::Variable::make(Halide::Int(32), call.name + ".min" + suffix, call.param);
        const std::string extent_name = call.name + ".extent" + suffix;
        const Expr extent = ir::Variable::make(Halide::Int(32), extent_name, call.param);
        // Nothing reads an empty buffer: its extent counts as at least 1. So may what the user says that it is,
        // such as the extent of another input.
        at_least_1(extent_name);
        const Expr same = estimates_.apply_constraints(extent);
        if (const auto *v = same.as<ir::Variable>()) at_least_1(v->name);
        return {min, min + extent - 1};
    }

    void at_least_1(const std::string &size) {
        if (!sizes_.contains(size))
            sizes_.push(size, ir::Interval(Expr(1), ir::Interval::pos_inf()));
    }

    void propagate() {
        std::vector<Extension> todo(impossible_.begin(), impossible_.end());
        while (!todo.empty()) {
            const Extension last = todo.back();
            todo.pop_back();
            for (const Extension &dependent : needs_[last]) {
                if (impossible_.insert(dependent).second) todo.push_back(dependent);
            }
        }
    }

    const PipelineView &view_;
    const Estimates &estimates_;
    const ir::FuncValueBounds &value_bounds_;
    bool inputs_have_zero_;
    ir::Scope<ir::Interval> sizes_;
    std::vector<bool> never_;  // per Func: an output, extern or locked
    std::set<Extension> impossible_;
    std::map<Extension, std::vector<Extension>> needs_;
    std::map<int, Values> values_;  // [Func of the view]
};

}  // namespace

std::vector<std::vector<bool>> overcomputable_dimensions(const PipelineView &view,
                                                         const std::vector<std::string> &locked,
                                                         const Estimates &estimates,
                                                         const ir::FuncValueBounds &value_bounds) {
    return OvercomputeAnalysis(view, locked, estimates, value_bounds).possible(kUp);
}

std::vector<std::vector<bool>> dimensions_that_may_begin_before(
    const PipelineView &view, const std::vector<std::string> &locked, const Estimates &estimates,
    const ir::FuncValueBounds &value_bounds) {
    return OvercomputeAnalysis(view, locked, estimates, value_bounds, true).possible(kDown);
}

}  // namespace cryolite
