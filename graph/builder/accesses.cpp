#include "graph/builder/accesses.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>

#include "graph/builder/equalities.h"
#include "graph/builder/kept_shares.h"
#include "graph/builder/periods.h"
#include "graph/halide/expression_dag.h"
#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

// sum_l coefficient[l] * loop_l + offset + base, with all inner rounding ignored.
struct Affine {
    std::vector<Rational> coefficient;
    Rational offset;
    // The unknown base: a sum of multiples of nodes that are no affine maps. [node] = factor.
    std::map<int, Rational> base = {};
    Clamp clamp = Clamp::None;
    bool exact = true;
    std::vector<int64_t> run = {};  // see IndexMap

    bool moves() const {
        return std::any_of(coefficient.begin(), coefficient.end(),
                           [](Rational r) { return !r.is_zero(); });
    }
    bool is_constant() const { return !moves() && base.empty(); }
    bool same_place(const Affine &other) const {
        return coefficient == other.coefficient && offset == other.offset && base == other.base &&
               run == other.run;
    }
};

// Whether the value of an index depends on integer parameters or sizes of buffers, which the estimates replace. The
// bounds of a promise change no value. rfactor() leaves promises around the indices of divided reductions.
bool has_integer_parameters(const Expr &index) {
    std::vector<Expr> todo{index};
    std::unordered_set<const ir::IRNode *> seen;
    while (!todo.empty()) {
        const Expr e = todo.back();
        todo.pop_back();
        if (!e.defined() || !seen.insert(e.get()).second) continue;
        const auto *v = e.as<ir::Variable>();
        if (v && !v->type.is_float() && (v->param.defined() || v->image.defined())) return true;
        const auto *call = e.as<ir::Call>();
        if (call && is_transparent(*call) && !call->args.empty())
            todo.push_back(call->args[0]);
        else
            std::ranges::copy(operands(e), std::back_inserter(todo));
    }
    return false;
}

class AffineAnalysis {
public:
    // estimated: nodes in which an estimate stands for a parameter or a size.
    AffineAnalysis(const ExpressionDag &dag, const StageView &stage, std::set<int> estimated)
        : dag_(dag), stage_(stage), estimated_(std::move(estimated)) {}

    IndexMap index_map(int n) {
        const Affine a = affine(n).value_or(unknown(n));
        IndexMap map;
        map.clamp = a.clamp;
        map.offset = a.offset;
        if (a.base.empty()) map.run = a.run;
        map.exact = a.exact && estimated_.count(n) == 0;
        if (a.base.empty()) {
            map.coefficient = a.coefficient;
            for (const Rational &r : map.coefficient) map.depends_on.push_back(!r.is_zero());
            return map;
        }
        map.affine = false;
        map.irregular.assign(num_loops(), false);
        for (const auto &[node, factor] : a.base) {
            map.data_dependent |= dag_.node(node).has_load;
            const std::vector<bool> changed_by = loops_below(node);
            for (size_t l = 0; l < num_loops(); l++)
                if (changed_by[l]) map.irregular[l] = true;
        }
        for (size_t l = 0; l < num_loops(); l++) {
            map.step.push_back(map.irregular[l] ? Rational{} : a.coefficient[l]);
            map.depends_on.push_back(map.irregular[l] || !map.step[l].is_zero());
        }
        map.base = number_of_base(a);
        map.wrapped = wrapped_parts(a, map.irregular);
        return map;
    }

private:
    size_t num_loops() const { return stage_.loops.size(); }

    int loop_of(const std::string &name) const {
        for (size_t l = 0; l < num_loops(); l++) {
            if (stage_.loops[l].name == name) return static_cast<int>(l);
        }
        return -1;
    }

    Affine constant(int64_t v) const {
        return {std::vector<Rational>(num_loops()), make_rational(v, 1)};
    }

    std::vector<bool> loops_below(int n) {
        std::vector<bool> found(num_loops());
        std::vector<bool> seen(static_cast<size_t>(dag_.size()));
        std::vector<int> todo = {n};
        while (!todo.empty()) {
            const int next = todo.back();
            todo.pop_back();
            if (seen[static_cast<size_t>(next)]) continue;
            seen[static_cast<size_t>(next)] = true;
            const ExpressionNode &node = dag_.node(next);
            if (const auto *v = node.expression.as<ir::Variable>()) {
                const int l = loop_of(v->name);
                if (l >= 0) found[static_cast<size_t>(l)] = true;
            }
            todo.insert(todo.end(), node.operands.begin(), node.operands.end());
        }
        return found;
    }

    // Steps of loops that change the base belong to the base: two indices with one number then move alike.
    int number_of_base(const Affine &a) {
        std::vector<bool> changed_by(num_loops(), false);
        for (const auto &[node, factor] : a.base) {
            const std::vector<bool> below = loops_below(node);
            for (size_t l = 0; l < num_loops(); l++) changed_by[l] = changed_by[l] || below[l];
        }
        Affine of_base = a;
        of_base.offset = Rational{};
        for (size_t l = 0; l < num_loops(); l++)
            if (!changed_by[l]) of_base.coefficient[l] = Rational{};
        const auto found = std::ranges::find_if(
            bases_, [&](const Affine &known) { return known.same_place(of_base); });
        const auto number = static_cast<int>(found - bases_.begin()) + 1;
        if (found == bases_.end()) bases_.push_back(std::move(of_base));
        return number;
    }

    // The node, if it is a remainder of whole steps of the loops.
    std::optional<WrappedIndex> wrapped(int n) {
        const auto found = repeating(dag_, dag_.node(n));
        if (!found || !found->is_remainder) return std::nullopt;
        const std::optional<Affine> value = affine(found->value);
        if (!value || value->clamp != Clamp::None || !value->exact) return std::nullopt;
        // x % 64 % 32 is x % 32.
        if (value->base.size() == 1 && !value->moves() && value->offset.is_zero() &&
            value->base.begin()->second == Rational{1, 1}) {
            std::optional<WrappedIndex> inner = wrapped(value->base.begin()->first);
            if (!inner || inner->modulus % found->divisor != 0) return std::nullopt;
            inner->modulus = found->divisor;
            return inner;
        }
        if (!value->base.empty() || value->offset.denominator != 1) return std::nullopt;
        WrappedIndex index{{}, value->offset.numerator, found->divisor};
        for (const Rational &c : value->coefficient) {
            if (c.denominator != 1) return std::nullopt;
            index.coefficient.push_back(c.numerator);
        }
        return index;
    }

    // The parts of the base. Empty if it has others, or if a loop that moves them moves the index beside them: `step`
    // does not say so.
    std::vector<WrappedIndex> wrapped_parts(const Affine &a, const std::vector<bool> &irregular) {
        std::vector<WrappedIndex> parts;
        for (size_t l = 0; l < num_loops(); l++)
            if (irregular[l] && !a.coefficient[l].is_zero()) return parts;
        for (const auto &[node, factor] : a.base) {
            std::optional<WrappedIndex> part = wrapped(node);
            if (!part) return {};
            part->factor = factor;
            parts.push_back(std::move(*part));
        }
        return parts;
    }

    // The node itself as the base, and nothing else.
    Affine unknown(int n) const {
        Affine a = constant(0);
        a.base.emplace(n, make_rational(1, 1));
        return a;
    }

    // Free of loops and loads: the same in every iteration.
    bool is_invariant(int n) const { return !dag_.node(n).has_load && !dag_.node(n).has_loop; }

    bool has_likely(int n) const {
        const ExpressionNode &node = dag_.node(n);
        if (const auto *c = node.expression.as<ir::Call>()) {
            if (c->is_tag()) return true;
            if (is_load(*c)) return false;
        }
        return std::any_of(node.operands.begin(), node.operands.end(),
                           [&](int o) { return has_likely(o); });
    }

    static int64_t run_of(const Affine &a, size_t loop) { return a.run.empty() ? 1 : a.run[loop]; }

    static int64_t whole_run_of(const Affine &a, size_t loop) {
        return whole_run(a.coefficient[loop], run_of(a, loop));
    }

    // Equal maps have equal vectors: one of ones is empty.
    static void set_run(Affine &a, size_t loop, int64_t run) {
        if (run != 1 && a.run.empty()) a.run.assign(a.coefficient.size(), 1);
        if (a.run.empty()) return;
        a.run[loop] = run;
        if (std::ranges::all_of(a.run, [](int64_t r) { return r == 1; })) a.run.clear();
    }

    static Affine scaled(Affine a, Rational factor) {
        for (size_t l = 0; l < a.coefficient.size(); l++) {
            const int64_t run = run_of_multiple(a.coefficient[l], run_of(a, l), a.offset, factor);
            a.coefficient[l] = a.coefficient[l] * factor;
            set_run(a, l, a.coefficient[l].denominator == run ? 1 : run);
        }
        a.offset = a.offset * factor;
        if (factor.is_zero()) a.base.clear();
        for (auto &[node, multiple] : a.base) multiple = multiple * factor;
        return a;
    }

    static Affine sum(Affine a, const Affine &b) {
        for (size_t l = 0; l < a.coefficient.size(); l++) {
            const bool a_moves = !a.coefficient[l].is_zero(), b_moves = !b.coefficient[l].is_zero();
            int64_t run = run_of(a_moves ? a : b, l);
            if (a_moves && b_moves) run = run_of_sum(whole_run_of(a, l), whole_run_of(b, l));
            a.coefficient[l] = a.coefficient[l] + b.coefficient[l];
            set_run(a, l, a.coefficient[l].denominator == run ? 1 : run);
        }
        a.offset = a.offset + b.offset;
        for (const auto &[node, multiple] : b.base) {
            Rational &all = a.base[node];
            all = all + multiple;
            if (all.is_zero()) a.base.erase(node);
        }
        a.clamp = std::max(a.clamp, b.clamp);
        a.exact = a.exact && b.exact;
        return a;
    }

    static std::optional<Affine> rounded(std::optional<Affine> a) {
        if (a) a->exact = false;
        return a;
    }

    static std::optional<Affine> clamped(std::optional<Affine> a, Clamp how) {
        // A clamp around the base alone does not clamp the loops' steps.
        if (a && a->moves()) a->clamp = std::max(a->clamp, how);
        return a;
    }

    std::optional<Affine> affine(int n) {
        if (const auto found = known_.find(n); found != known_.end()) return found->second;
        std::optional<Affine> result = compute(n);
        // Any other integer may be part of an index's base.
        const Expr &e = dag_.node(n).expression;
        if (!result && !e.type().is_float() && !e.type().is_handle() && !e.type().is_bool())
            result = unknown(n);
        known_.emplace(n, result);
        return result;
    }

    std::optional<Affine> compute(int n) {
        const ExpressionNode &node = dag_.node(n);
        const Expr &e = node.expression;
        if (e.type().is_float() || e.type().is_handle()) return std::nullopt;
        if (const auto v = ir::as_const_int(e)) return constant(*v);
        if (const auto v = ir::as_const_uint(e)) return constant(static_cast<int64_t>(*v));
        if (const auto *v = e.as<ir::Variable>()) {
            Affine a = constant(0);  // also for a parameter without estimate, which is constant
            const int l = loop_of(v->name);
            if (l >= 0) a.coefficient[static_cast<size_t>(l)] = make_rational(1, 1);
            return a;
        }
        switch (node.kind()) {
            case ir::IRNodeType::Cast: {
                if (dag_.node(node.operands[0]).expression.type().is_bool()) return std::nullopt;
                const auto a = affine(node.operands[0]);
                return e.type().bits() < 32 ? rounded(a) : a;  // may wrap
            }
            case ir::IRNodeType::Add:
            case ir::IRNodeType::Sub: {
                const auto a = affine(node.operands[0]), b = affine(node.operands[1]);
                if (!a || !b) return std::nullopt;
                const int sign = node.kind() == ir::IRNodeType::Add ? 1 : -1;
                return sum(*a, scaled(*b, make_rational(sign, 1)));
            }
            case ir::IRNodeType::Mul: {
                const auto a = affine(node.operands[0]), b = affine(node.operands[1]);
                if (!a || !b) return std::nullopt;
                if (b->is_constant()) return scaled(*a, b->offset);
                if (a->is_constant()) return scaled(*b, a->offset);
                return std::nullopt;
            }
            case ir::IRNodeType::Div: {
                const auto a = affine(node.operands[0]), b = affine(node.operands[1]);
                if (!a || !b || !b->is_constant() || b->offset.is_zero()) return std::nullopt;
                return rounded(
                    scaled(*a, make_rational(b->offset.denominator, b->offset.numerator)));
            }
            case ir::IRNodeType::Min:
            case ir::IRNodeType::Max: return common(node.operands[0], node.operands[1]);
            case ir::IRNodeType::Select: {
                const int a = node.operands[1], b = node.operands[2];
                if (has_likely(a) != has_likely(b))
                    return clamped(affine(has_likely(a) ? a : b), Clamp::Likely);
                return common(a, b);
            }
            case ir::IRNodeType::Call: return call(node);
            default: return std::nullopt;
        }
    }

    // A choice between two values. If only one moves with the loops, the other one is a clamp's bound.
    std::optional<Affine> common(int a, int b) {
        const auto x = affine(a), y = affine(b);
        // Either of two constants may be the value: neither is a clamp's bound.
        if (x && y && x->is_constant() && y->is_constant())
            return x->same_place(*y) ? x : rounded(x);
        if (is_invariant(b)) return clamped(x, has_likely(a) ? Clamp::Likely : Clamp::ByHand);
        if (is_invariant(a)) return clamped(y, has_likely(b) ? Clamp::Likely : Clamp::ByHand);
        return x && y && x->same_place(*y) ? x : std::nullopt;
    }

    std::optional<Affine> call(const ExpressionNode &node) {
        const ir::Call &c = *node.expression.as<ir::Call>();
        if (is_transparent(c) && !c.args.empty()) return affine(node.operands[0]);
        const bool left = is_intrinsic(c, "shift_left"), right = is_intrinsic(c, "shift_right");
        if (!left && !right) return std::nullopt;
        const auto a = affine(node.operands[0]), bits = affine(node.operands[1]);
        if (!a || !bits || !bits->is_constant() || bits->offset.denominator != 1 ||
            bits->offset.numerator < 0 || bits->offset.numerator > 31) {
            return std::nullopt;
        }
        const int64_t factor = int64_t{1} << bits->offset.numerator;
        return left ? scaled(*a, make_rational(factor, 1))
                    : rounded(scaled(*a, make_rational(1, factor)));
    }

    const ExpressionDag &dag_;
    const StageView &stage_;
    const std::set<int> estimated_;
    std::map<int, std::optional<Affine>> known_;
    std::vector<Affine> bases_;  // bases_[i] has number i + 1
};

// At the estimates, and away from where a clamp bites.
bool same_place(const Access &a, const Access &b) {
    if (a.value != b.value) return false;
    for (size_t d = 0; d < a.index.size(); d++) {
        const IndexMap &x = a.index[d], &y = b.index[d];
        if (x.affine != y.affine || x.base != y.base || !(x.offset == y.offset)) return false;
        if (x.coefficient != y.coefficient || x.step != y.step || x.run != y.run) return false;
    }
    return true;
}

std::set<int> nodes_below(const ExpressionDag &dag, int root) {
    std::set<int> found{root};
    std::vector<int> work{root};
    while (!work.empty()) {
        const int n = work.back();
        work.pop_back();
        for (int o : dag.node(n).operands)
            if (found.insert(o).second) work.push_back(o);
    }
    return found;
}

}  // namespace

StageAccesses stage_accesses(const StageView &stage, std::span<const StageLoop> loops,
                             const Estimates &estimates) {
    ExpressionDag dag;
    const auto add = [&](const Expr &e) {
        return dag.add(estimates.apply(ir::common_subexpression_elimination(e)));
    };
    std::vector<int> left;
    for (const Expr &e : stage.arguments) left.push_back(add(e));
    std::vector<int> roots = left;
    for (const Expr &e : stage.values) roots.push_back(add(e));
    std::set<int> of_predicate;
    if (stage.predicate.defined()) {
        roots.push_back(add(stage.predicate));
        of_predicate = nodes_below(dag, roots.back());
    }
    // The DAG has each index already: adding it again gives its node.
    std::set<int> estimated;
    const auto note_estimate = [&](const Expr &index) {
        if (has_integer_parameters(index)) estimated.insert(dag.add(estimates.apply(index)));
    };
    ExpressionWalk note_loads([&](const Expr &node) {
        const auto *call = node.as<ir::Call>();
        if (call && is_load(*call)) std::ranges::for_each(call->args, note_estimate);
    });
    std::ranges::for_each(stage.arguments, note_estimate);
    std::vector<Expr> unlet;  // alive while they are walked
    for (const Expr &e : stage.expressions())
        unlet.push_back(ir::substitute_in_all_lets(ir::common_subexpression_elimination(e)));
    std::ranges::for_each(unlet, note_loads);
    const std::vector<std::vector<float>> kept = kept_shares(dag, roots, loops);
    const std::vector<std::vector<bool>> equated = loops_equated(dag, loops);

    StageAccesses result;
    AffineAnalysis analysis(dag, stage, std::move(estimated));
    Access store;
    for (int n : left) store.index.push_back(analysis.index_map(n));
    for (size_t v = 0; v < stage.values.size(); v++) {
        store.value = static_cast<int>(v);
        result.stores.push_back(store);
    }
    // The DAG contains nothing but the expressions above, so every load in it is a load of the stage.
    for (int n = 0; n < dag.size(); n++) {
        const auto *call = dag.node(n).expression.as<ir::Call>();
        if (!call || !is_load(*call)) continue;
        Access access;
        access.value = call->value_index;
        access.of_predicate = of_predicate.contains(n);
        access.kept_share = kept[static_cast<size_t>(n)];
        access.equated = equated[static_cast<size_t>(n)];
        for (int o : dag.node(n).operands) access.index.push_back(analysis.index_map(o));
        std::vector<Access> &known = result.loads[call->name];
        const auto same = std::find_if(known.begin(), known.end(),
                                       [&](const Access &k) { return same_place(k, access); });
        result.sites.push_back(
            {dag.node(n).expression, call->name, static_cast<size_t>(same - known.begin())});
        if (same != known.end()) {
            same->count += 1;
            same->of_predicate |= access.of_predicate;
            keep_more(same->kept_share, access.kept_share);
            // Elsewhere they may be apart, as far as one is not exact or has another clamp.
            for (size_t d = 0; d < access.index.size(); d++)
                same->index[d].exact &=
                    access.index[d].exact && access.index[d].clamp == same->index[d].clamp;
            same->equated.resize(std::max(same->equated.size(), access.equated.size()));
            for (size_t l = 0; l < access.equated.size(); l++)
                same->equated[l] = same->equated[l] || access.equated[l];
        } else {
            known.push_back(std::move(access));
        }
    }
    return result;
}

}  // namespace cryolite
