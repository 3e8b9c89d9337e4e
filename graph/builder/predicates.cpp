#include "graph/builder/predicates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "graph/builder/regions.h"
#include "graph/halide/expression_values.h"

namespace cryolite {
namespace {

// At most this many iterations are sampled.
constexpr int64_t most_samples = 1024;

bool is_sum(const Expr &e) {
    if (e.as<ir::Variable>() || ir::is_const(e)) return true;
    if (const auto *a = e.as<ir::Add>()) return is_sum(a->a) && is_sum(a->b);
    if (const auto *s = e.as<ir::Sub>()) return is_sum(s->a) && is_sum(s->b);
    return false;
}

template <typename Comparison>
bool compares_sums(const Expr &e) {
    const auto *c = e.as<Comparison>();
    return c && is_sum(c->a) && is_sum(c->b);
}

// Iterations of the loops that the predicate depends on: all of them, or samples spread evenly over their ranges.
class Samples {
public:
    Samples(std::span<const StageLoop> loops, std::span<const Interval> ranges)
        : loops_(loops), ranges_(ranges) {
        double all = 1;
        for (size_t l = 0; l < loops.size(); l++)
            if (loops[l].in_predicate) all *= static_cast<double>(ranges[l].extent());
        is_complete_ = all <= static_cast<double>(most_samples);
        count_ = is_complete_ ? static_cast<int64_t>(all) : most_samples;
    }

    int64_t count() const { return count_; }

    std::map<std::string, int64_t> at(int64_t sample) const {
        std::map<std::string, int64_t> values;
        int64_t rest = sample;
        for (size_t l = 0; l < loops_.size(); l++) {
            if (!loops_[l].in_predicate) continue;
            const int64_t extent = ranges_[l].extent();
            int64_t step = rest % extent;
            if (is_complete_) {
                rest /= extent;
            } else {
                step = static_cast<int64_t>(spread(l, sample) * static_cast<double>(extent));
            }
            values[loops_[l].name] = ranges_[l].min + step;
        }
        return values;
    }

private:
    // In [0, 1): fractional parts of the multiples of an irrational number, with another number for each loop
    // (Weyl's equidistribution).
    static double spread(size_t loop, int64_t sample) {
        const double irrational = std::sqrt(2.0 + 3.0 * static_cast<double>(loop * loop + loop));
        double whole = 0;
        return std::modf((static_cast<double>(sample) + 0.5) * irrational, &whole);
    }

    const std::span<const StageLoop> loops_;
    const std::span<const Interval> ranges_;
    bool is_complete_ = true;
    int64_t count_ = 0;
};

// Values that are spread evenly from min to max. step: the distance of neighbours; 0: there is none.
struct Spread {
    double min = 0, max = 0, step = 0;

    double at(double share) const { return min + share * (max - min); }
    // The share of the values that are at most v, or below v.
    double at_most(double v) const { return below(v + step); }
    double below(double v) const {
        const double width = max - min + step;
        return width > 0 ? std::clamp((v - min) / width, 0.0, 1.0) : v > min ? 1 : 0;
    }
};

std::optional<double> constant_value(const Expr &e) {
    if (!e.defined()) return {};
    if (const auto i = ir::as_const_int(e)) return static_cast<double>(*i);
    if (const auto u = ir::as_const_uint(e)) return static_cast<double>(*u);
    if (const auto f = ir::as_const_float(e)) return static_cast<double>(*f);
    return {};
}

class ShareOfSamples {
public:
    // scope: the ranges of the loops.
    ShareOfSamples(const ExpressionDag &dag, const Samples &samples,
                   const ir::Scope<ir::Interval> &scope, const ir::FuncValueBounds &value_bounds)
        : dag_(dag), samples_(samples), scope_(scope), value_bounds_(value_bounds), values_(dag) {}

    // The share of samples for which all conditions hold. The conditions contain no loads.
    double of(const std::vector<int> &conditions) {
        if (conditions.empty()) return 1;
        int64_t passing = 0;
        for (int64_t s = 0; s < samples_.count(); s++) {
            values_.set(samples_.at(s));
            // A condition on a parameter without estimate is assumed to hold.
            passing += std::ranges::all_of(conditions,
                                           [&](int c) { return values_.of(c).value_or(1) != 0; });
        }
        return static_cast<double>(passing) / static_cast<double>(samples_.count());
    }

    // The share for one condition with loads. Its parts are assumed to be independent.
    double guess(int condition) {
        const ExpressionNode &node = dag_.node(condition);
        if (!node.has_load) return of({condition});
        switch (node.kind()) {
            case ir::IRNodeType::And: return guess(node.operands[0]) * guess(node.operands[1]);
            case ir::IRNodeType::Or:
                return 1 - (1 - guess(node.operands[0])) * (1 - guess(node.operands[1]));
            case ir::IRNodeType::Not: return 1 - guess(node.operands[0]);
            case ir::IRNodeType::EQ: return equal(node);
            case ir::IRNodeType::NE: return 1 - equal(node);
            case ir::IRNodeType::LT: return less(node.operands[0], node.operands[1], false);
            case ir::IRNodeType::LE: return less(node.operands[0], node.operands[1], true);
            case ir::IRNodeType::GT: return less(node.operands[1], node.operands[0], false);
            case ir::IRNodeType::GE: return less(node.operands[1], node.operands[0], true);
            default: return 0.5;
        }
    }

private:
    // The share for an equality of a loaded value and one that is not loaded.
    double equal(const ExpressionNode &node) {
        for (int side : node.operands) {
            if (dag_.node(side).has_load || !dag_.node(side).has_loop) continue;
            std::set<int64_t> distinct;
            for (int64_t s = 0; s < samples_.count(); s++) {
                values_.set(samples_.at(s));
                if (const std::optional<int64_t> v = values_.of(side)) distinct.insert(*v);
            }
            if (!distinct.empty()) return 1 / static_cast<double>(distinct.size());
        }
        return 0.5;
    }

    int loads_in(int n, std::set<int> &seen) const {
        if (!seen.insert(n).second) return 0;
        const auto *call = dag_.node(n).expression.as<ir::Call>();
        int loads = call && is_load(*call) ? 1 : 0;
        for (int o : dag_.node(n).operands) loads += loads_in(o, seen);
        return loads;
    }

    // How the values of one side of a comparison are spread. A side with several loads is not spread evenly.
    std::optional<Spread> spread(int n) {
        const ExpressionNode &node = dag_.node(n);
        std::set<int> seen;
        if (loads_in(n, seen) > 1) return {};
        const ir::Interval bounds =
            ir::bounds_of_expr_in_scope(node.expression, scope_, value_bounds_);
        const std::optional<double> min = constant_value(ir::simplify(bounds.min)),
                                    max = constant_value(ir::simplify(bounds.max));
        if (!min || !max) return {};
        return Spread{*min, *max, node.expression.type().is_float() ? 0.0 : 1.0};
    }

    // The share for a < b, or for a <= b.
    double less(int a, int b, bool or_equal) {
        const std::optional<Spread> left = spread(a), right = spread(b);
        if (!left || !right) return 0.5;
        if (left->min == left->max)
            return 1 - (or_equal ? right->below(left->min) : right->at_most(left->min));
        constexpr int steps = 64;
        double share = 0;
        for (int i = 0; i < steps; i++) {
            const double v = right->at((i + 0.5) / steps);
            share += (or_equal ? left->at_most(v) : left->below(v)) / steps;
        }
        return share;
    }

    const ExpressionDag &dag_;
    const Samples &samples_;
    const ir::Scope<ir::Interval> &scope_;
    const ir::FuncValueBounds &value_bounds_;
    ExpressionValues values_;
};

// A sum of loops and constants, each times a constant.
struct SumOfLoops {
    explicit SumOfLoops(std::span<const StageLoop> of) : loops(of), coefficient(of.size()) {}

    // Whether the expression is such a sum; then it is added `factor` times.
    bool add(const Expr &e, int64_t factor) {
        if (e.type() != Halide::Int(32)) return false;
        if (const auto *a = e.as<ir::Add>()) return add(a->a, factor) && add(a->b, factor);
        if (const auto *s = e.as<ir::Sub>()) return add(s->a, factor) && add(s->b, -factor);
        if (const auto *m = e.as<ir::Mul>()) {
            const auto *times = m->b.as<ir::IntImm>();
            return times && add(m->a, factor * times->value);
        }
        if (const auto *c = e.as<ir::IntImm>()) {
            constant += factor * c->value;
            return true;
        }
        const auto *v = e.as<ir::Variable>();
        const auto loop = v ? std::ranges::find(loops, v->name, &StageLoop::name) : loops.end();
        if (loop == loops.end()) return false;
        coefficient[static_cast<size_t>(loop - loops.begin())] += factor;
        return true;
    }

    std::span<const StageLoop> loops;
    std::vector<int64_t> coefficient;
    int64_t constant = 0;
};

}  // namespace

bool is_plain_predicate(const Expr &predicate) {
    const Expr e = ir::substitute_in_all_lets(predicate);
    if (const auto *both = e.as<ir::And>())
        return is_plain_predicate(both->a) && is_plain_predicate(both->b);
    return compares_sums<ir::LT>(e) || compares_sums<ir::LE>(e) || compares_sums<ir::GT>(e) ||
           compares_sums<ir::GE>(e);
}

std::vector<LoopCondition> loop_conditions(const StageView &stage,
                                           std::span<const StageLoop> loops) {
    std::vector<LoopCondition> conditions;
    // less + apart <= more. Halide may have made one of two such conditions, with a minimum or a maximum of sums.
    const std::function<void(const Expr &, const Expr &, int64_t)> is_at_most =
        [&](const Expr &less, const Expr &more, int64_t apart) {
            if (const auto *both = more.as<ir::Min>()) {
                is_at_most(less, both->a, apart);
                is_at_most(less, both->b, apart);
            } else if (const auto *either = less.as<ir::Max>()) {
                is_at_most(either->a, more, apart);
                is_at_most(either->b, more, apart);
            } else if (SumOfLoops sum(loops); sum.add(more, 1) && sum.add(less, -1)) {
                conditions.push_back({sum.coefficient, apart - sum.constant});
            }
        };
    for (const Expr &part : stage.definition.split_predicate()) {
        const Expr e = ir::substitute_in_all_lets(part);
        if (const auto *lt = e.as<ir::LT>()) is_at_most(lt->a, lt->b, 1);
        if (const auto *le = e.as<ir::LE>()) is_at_most(le->a, le->b, 0);
        if (const auto *gt = e.as<ir::GT>()) is_at_most(gt->b, gt->a, 1);
        if (const auto *ge = e.as<ir::GE>()) is_at_most(ge->b, ge->a, 0);
    }
    return conditions;
}

PassingShare passing_share(const StageView &stage, std::span<const StageLoop> loops,
                           std::span<const Interval> ranges, const Estimates &estimates,
                           const ir::FuncValueBounds &value_bounds) {
    ExpressionDag dag;
    std::vector<int> free, loaded;
    for (const Expr &condition : stage.definition.split_predicate()) {
        const int n = dag.add(ir::substitute_in_all_lets(
            estimates.apply(ir::common_subexpression_elimination(condition))));
        (dag.node(n).has_load ? loaded : free).push_back(n);
    }
    ir::Scope<ir::Interval> scope;
    for (size_t l = 0; l < loops.size(); l++) {
        if (ranges[l].extent() < 1) return {};
        scope.push(loops[l].name,
                   {Expr(static_cast<int>(ranges[l].min)), Expr(static_cast<int>(ranges[l].max))});
    }
    const Samples samples(loops, ranges);
    ShareOfSamples share(dag, samples, scope, value_bounds);
    // Never 0: the user wrote the update to be run.
    constexpr double least = 1 / static_cast<double>(most_samples);
    PassingShare passing;
    for (int n : loaded) passing.loaded *= share.guess(n);
    passing.loaded = std::max(passing.loaded, least);
    passing.all = std::max(passing.loaded * share.of(free), least);
    return passing;
}

bool narrows_loops(const FuncView &f, const StageView &stage, std::span<const StageLoop> loops,
                   const Estimates &estimates, const ir::FuncValueBounds &value_bounds) {
    ir::Scope<ir::Interval> scope;
    std::vector<Expr> variables;
    std::vector<ir::Interval> ranges;
    for (size_t l = 0; l < loops.size(); l++) {
        const StageLoop &loop = loops[l];
        ranges.emplace_back(loop_min(stage.loops[l]), loop_max(stage.loops[l]));
        if (loop.is_reduction && loop.constant_range)
            ranges.back() = {Expr(static_cast<int>(loop.range.min)),
                             Expr(static_cast<int>(loop.range.max))};
        scope.push(loop.name, ranges.back());
        variables.push_back(ir::Variable::make(Halide::Int(32), loop.name));
    }
    // An imaginary Func with a dimension per loop. Halide's bounds inference says which of its points are touched.
    const std::string name = f.name() + ".iterations";
    ir::Stmt s = ir::Provide::make(name, {Expr(0)}, variables, ir::const_true());
    for (const Expr &condition : stage.definition.split_predicate())
        s = ir::IfThenElse::make(
            estimates.apply_constraints(ir::common_subexpression_elimination(condition)), s);
    const ir::Box touched = ir::box_touched(s, name, scope, value_bounds);
    if (touched.size() != loops.size()) return true;
    for (size_t l = 0; l < loops.size(); l++)
        if (!touched[l].is_bounded() ||
            !ir::is_const_zero(ir::simplify(touched[l].min - ranges[l].min)) ||
            !ir::is_const_zero(ir::simplify(touched[l].max - ranges[l].max)))
            return true;
    return false;
}

}  // namespace cryolite
