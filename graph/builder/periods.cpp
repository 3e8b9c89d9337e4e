#include "graph/builder/periods.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "graph/halide/expression_dag.h"

namespace cryolite {
namespace {

// Halide takes no vectors apart into more.
constexpr int64_t most_parts = 4;

// Larger ones do not fit an index, as in a hash.
constexpr int64_t largest = std::numeric_limits<int32_t>::max();

// A sum of multiples of the loops and a constant.
struct Sum {
    std::vector<int64_t> coefficient;  // per loop
    int64_t constant = 0;

    bool moves() const {
        return std::ranges::any_of(coefficient, [](int64_t c) { return c != 0; });
    }
    bool fits() const {
        const auto is_small = [](int64_t c) { return -largest <= c && c <= largest; };
        return is_small(constant) && std::ranges::all_of(coefficient, is_small);
    }
};

// Of the nodes of a stage's expressions, by number. Nothing if a value is another, as one with a parameter: where such
// a value begins is not known anyway.
class Sums {
public:
    Sums(const ExpressionDag &dag, std::span<const StageLoop> loops) : loops_(loops) {
        for (int n = 0; n < dag.size(); n++) {
            sums_.push_back(of(dag.node(n)));
            if (sums_.back() && !sums_.back()->fits()) sums_.back().reset();
        }
    }

    const std::optional<Sum> &operator[](int node) const {
        return sums_[static_cast<size_t>(node)];
    }

private:
    // Operands have smaller numbers.
    std::optional<Sum> of(const ExpressionNode &node) const {
        const Expr &e = node.expression;
        if (const auto v = ir::as_const_int(e)) return Sum{zeros(), *v};
        if (const auto *v = e.as<ir::Variable>()) {
            Sum sum{zeros()};
            for (size_t l = 0; l < loops_.size(); l++)
                if (loops_[l].name == v->name) sum.coefficient[l] = 1;
            return sum.moves() ? std::optional(sum) : std::nullopt;
        }
        const auto operand = [&](size_t k) -> const std::optional<Sum> & {
            return (*this)[node.operands[k]];
        };
        switch (node.kind()) {
            case ir::IRNodeType::Add: return added(operand(0), operand(1), 1);
            case ir::IRNodeType::Sub: return added(operand(0), operand(1), -1);
            case ir::IRNodeType::Mul: return product(operand(0), operand(1));
            case ir::IRNodeType::Min:
            case ir::IRNodeType::Max: return clamped(operand(0), operand(1));
            case ir::IRNodeType::Call:
                if (is_transparent(*e.as<ir::Call>()) && !node.operands.empty()) return operand(0);
                return std::nullopt;
            default: return std::nullopt;
        }
    }

    std::vector<int64_t> zeros() const { return std::vector<int64_t>(loops_.size()); }

    static std::optional<Sum> added(std::optional<Sum> a, const std::optional<Sum> &b,
                                    int64_t sign) {
        if (!a || !b) return std::nullopt;
        for (size_t l = 0; l < a->coefficient.size(); l++)
            a->coefficient[l] += sign * b->coefficient[l];
        a->constant += sign * b->constant;
        return a;
    }

    static std::optional<Sum> product(std::optional<Sum> a, std::optional<Sum> b) {
        if (!a || !b || (a->moves() && b->moves())) return std::nullopt;
        if (a->moves()) std::swap(a, b);
        for (int64_t &c : b->coefficient) c *= a->constant;
        b->constant *= a->constant;
        return b;
    }

    // Halide cuts a loop so that a clamp is gone from its middle.
    static std::optional<Sum> clamped(const std::optional<Sum> &a, const std::optional<Sum> &b) {
        const bool first = a && a->moves(), second = b && b->moves();
        if (first == second) return std::nullopt;
        return first ? a : b;
    }

    std::span<const StageLoop> loops_;
    std::vector<std::optional<Sum>> sums_;
};

// By node: whether a value of the stage needs it outside of the indices of loads.
std::vector<bool> outside_of_indices(const StageView &stage, ExpressionDag &dag) {
    std::vector<int> values;
    for (const Expr &e : stage.values) values.push_back(dag.add(e));
    std::vector<bool> outside(static_cast<size_t>(dag.size()));
    for (int n : values) outside[static_cast<size_t>(n)] = true;
    // Operands have smaller numbers.
    for (int n = dag.size(); n-- > 0;) {
        const ExpressionNode &node = dag.node(n);
        const auto *call = node.expression.as<ir::Call>();
        const bool is_load =
            call && (call->call_type == ir::Call::Halide || call->call_type == ir::Call::Image);
        if (!outside[static_cast<size_t>(n)] || is_load) continue;
        for (int operand : node.operands) outside[static_cast<size_t>(operand)] = true;
    }
    return outside;
}

}  // namespace

std::optional<Repeating> repeating(const ExpressionDag &dag, const ExpressionNode &node) {
    const Expr &e = node.expression;
    if (!e.type().is_int() || !e.type().is_scalar() || node.operands.size() != 2)
        return std::nullopt;
    const int value = node.operands[0];
    const Expr &second = dag.node(node.operands[1]).expression;
    auto by = ir::as_const_int(second);
    if (const auto bits = ir::as_const_uint(second)) by = static_cast<int64_t>(*bits);
    if (!by || *by < 1 || *by > largest) return std::nullopt;
    const auto kind = node.kind();
    if (kind == ir::IRNodeType::Div) return Repeating{value, *by};
    if (kind == ir::IRNodeType::Mod) return Repeating{value, *by, true};
    const auto *call = e.as<ir::Call>();
    if (!call) return std::nullopt;
    if (is_intrinsic(*call, "shift_right") && *by < 31) return Repeating{value, int64_t{1} << *by};
    if (is_intrinsic(*call, "bitwise_and") && (*by & (*by + 1)) == 0)
        return Repeating{value, *by + 1, true};
    return std::nullopt;
}

void note_periods(const StageView &stage, std::span<StageLoop> loops) {
    ExpressionDag dag;
    for (const Expr &e : stage.expressions()) dag.add(e);
    const std::vector<bool> outside = outside_of_indices(stage, dag);
    const Sums sums(dag, loops);
    for (int n = 0; n < dag.size(); n++) {
        const std::optional<Repeating> found = repeating(dag, dag.node(n));
        if (!found) continue;
        const std::optional<Sum> &sum = sums[found->value];
        for (size_t l = 0; sum && l < loops.size(); l++) {
            if (sum->coefficient[l] == 0) continue;
            const int64_t step = std::abs(sum->coefficient[l]);
            const int64_t period = found->divisor / std::gcd(step, found->divisor);
            loops[l].period = common_period(loops[l].period, period);
            if (outside[static_cast<size_t>(n)] && period <= most_parts)
                loops[l].parts = std::max(loops[l].parts, period);
        }
    }
}

}  // namespace cryolite
