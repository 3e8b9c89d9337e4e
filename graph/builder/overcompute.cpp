// The proof goes load by load. It lets the loop of dimension d run on for ever. Then one of these must hold for each
// end of each index:
// - The end stays where the required region has it.
// - The load is of an input, and the end provably stays inside the buffer.
// - The load is of a Func that is itself extensible at that end.
// Upper and lower ends are separate because a mirrored access turns one into the other. All bounds are symbolic, so
// that a proof holds at every size. What cannot be proved counts as false.
#include "graph/builder/overcompute.h"

#include <map>
#include <set>

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
                        const Estimates &estimates, const ir::FuncValueBounds &value_bounds)
        : view_(view), estimates_(estimates), value_bounds_(value_bounds) {
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

    bool possible(int func, int dim) const { return !impossible_.count({func, dim, kUp}); }

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
        // Many loads share an index.
        std::set<std::tuple<std::string, int, int>> seen;
        for (int n = 0; n < dag.size(); n++) {
            const auto *call = dag.node(n).expression.as<ir::Call>();
            if (!call || !is_load(*call)) continue;
            for (size_t k = 0; k < dag.node(n).operands.size(); k++) {
                const int index = dag.node(n).operands[k];
                if (!seen.insert({call->name, static_cast<int>(k), index}).second) continue;
                for (const LoopView &loop : stage.loops) {
                    if (loop.func_dim < 0 || !uses_loop(dag, index, loop.name)) continue;
                    for (Direction direction : {kUp, kDown}) {
                        extend({func, loop.func_dim, direction}, stage, loop, *call,
                               static_cast<int>(k));
                    }
                }
            }
        }
    }

    // Bounds of an index when the loop `extended` runs on for ever in one direction.
    ir::Interval bounds(const Expr &index, const StageView &stage, const std::string &extended,
                        Direction direction) const {
        ir::Scope<ir::Interval> scope;
        for (const LoopView &loop : stage.loops) {
            ir::Interval range(loop_min(loop), loop_max(loop));
            if (loop.name == extended && direction == kUp) range.max = ir::Interval::pos_inf();
            if (loop.name == extended && direction == kDown) range.min = ir::Interval::neg_inf();
            scope.push(loop.name, range);
        }
        return ir::bounds_of_expr_in_scope(index, scope, value_bounds_);
    }

    // Bounds of an index that depends on one argument only.
    ir::Interval bounds(const Expr &index, const std::string &argument,
                        const ir::Interval &range) const {
        ir::Scope<ir::Interval> scope;
        scope.push(argument, range);
        return ir::bounds_of_expr_in_scope(index, scope, value_bounds_);
    }

    bool at_most(const Expr &e, const Expr &limit) const {
        return proves_at_most(estimates_.apply_constraints(e), estimates_.apply_constraints(limit),
                              sizes_);
    }

    bool at_least(const Expr &e, const Expr &limit) const {
        return proves_at_least(estimates_.apply_constraints(e), estimates_.apply_constraints(limit),
                               sizes_);
    }

    void extend(const Extension &what, const StageView &stage, const LoopView &loop,
                const ir::Call &call, int k) {
        const Expr index = constrained(call.args[static_cast<size_t>(k)]);
        check(what, call, k, bounds(index, stage, "", kUp),
              bounds(index, stage, loop.name, what.direction), 0);
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
            low_stays || (extended.has_lower_bound() && at_least(extended.min, low));
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
        const StageView &stage = g.stages[0];
        const std::string &argument = g.copy.args()[static_cast<size_t>(k)];
        ExpressionDag dag;
        for (const Expr &e : stage.values) dag.add(constrained(e));
        struct Load {
            const ir::Call *call;
            int dim;
        };
        std::vector<Load> loads;
        for (int n = 0; n < dag.size(); n++) {
            const auto *call = dag.node(n).expression.as<ir::Call>();
            if (!call || !is_load(*call)) continue;
            for (size_t d = 0; d < call->args.size(); d++) {
                const int index = dag.node(n).operands[d];
                if (!uses_loop(dag, index, argument)) continue;
                // With several arguments in one index, the box of the region would give it a wider range.
                for (const std::string &other : g.copy.args()) {
                    if (other != argument && uses_loop(dag, index, other)) return false;
                }
                loads.push_back({call, static_cast<int>(d)});
            }
        }
        for (const Load &load : loads) {
            const Expr index = constrained(load.call->args[static_cast<size_t>(load.dim)]);
            check(what, *load.call, load.dim, bounds(index, argument, required),
                  bounds(index, argument, extended), depth + 1);
        }
        return true;
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
    ir::Scope<ir::Interval> sizes_;
    std::vector<bool> never_;  // per Func: an output, extern or locked
    std::set<Extension> impossible_;
    std::map<Extension, std::vector<Extension>> needs_;
};

}  // namespace

std::vector<std::vector<bool>> overcomputable_dimensions(const PipelineView &view,
                                                         const std::vector<std::string> &locked,
                                                         const Estimates &estimates,
                                                         const ir::FuncValueBounds &value_bounds) {
    const OvercomputeAnalysis analysis(view, locked, estimates, value_bounds);
    std::vector<std::vector<bool>> result;
    for (size_t f = 0; f < view.funcs.size(); f++) {
        std::vector<bool> dims;
        for (int d = 0; d < view.funcs[f].copy.dimensions(); d++) {
            dims.push_back(analysis.possible(static_cast<int>(f), d));
        }
        result.push_back(std::move(dims));
    }
    return result;
}

}  // namespace cryolite
