#include "graph/build_periods.h"

#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "graph/expression_walk.h"

namespace cryolite {
namespace {

// A sum of multiples of the loops and a constant.
struct Sum {
    std::vector<int64_t> coefficient;  // per loop
    int64_t constant = 0;

    bool moves() const {
        return std::ranges::any_of(coefficient, [](int64_t c) { return c != 0; });
    }
};

class Sums {
public:
    explicit Sums(std::span<const StageLoop> loops) : loops_(loops) {}

    // Nothing if the value is another, as one with a parameter: where such a value begins is not known anyway.
    std::optional<Sum> of(const Expr &e) const {
        if (const auto v = ir::as_const_int(e)) return Sum{zeros(), *v};
        if (const auto *v = e.as<ir::Variable>()) {
            Sum sum{zeros()};
            for (size_t l = 0; l < loops_.size(); l++)
                if (loops_[l].name == v->name) sum.coefficient[l] = 1;
            return sum.moves() ? std::optional(sum) : std::nullopt;
        }
        const std::vector<Expr> parts = operands(e);
        switch (node_type(e)) {
            case ir::IRNodeType::Add: return added(of(parts[0]), of(parts[1]), 1);
            case ir::IRNodeType::Sub: return added(of(parts[0]), of(parts[1]), -1);
            case ir::IRNodeType::Mul: return product(of(parts[0]), of(parts[1]));
            case ir::IRNodeType::Min:
            case ir::IRNodeType::Max: return clamped(of(parts[0]), of(parts[1]));
            case ir::IRNodeType::Call:
                if (is_transparent(*e.as<ir::Call>()) && !parts.empty()) return of(parts[0]);
                return std::nullopt;
            default: return std::nullopt;
        }
    }

private:
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
};

struct Repeating {
    Expr value;
    int64_t divisor = 1;
};

// value / divisor or value % divisor, however it is written.
std::optional<Repeating> repeating(const Expr &e) {
    if (!e.type().is_int() || !e.type().is_scalar()) return std::nullopt;
    const std::vector<Expr> parts = operands(e);
    if (parts.size() != 2) return std::nullopt;
    auto by = ir::as_const_int(parts[1]);
    if (const auto bits = ir::as_const_uint(parts[1])) by = static_cast<int64_t>(*bits);
    if (!by || *by < 1) return std::nullopt;
    const auto kind = node_type(e);
    if (kind == ir::IRNodeType::Div || kind == ir::IRNodeType::Mod) return Repeating{parts[0], *by};
    const auto *call = e.as<ir::Call>();
    if (!call) return std::nullopt;
    if (is_intrinsic(*call, "shift_right") && *by < 31)
        return Repeating{parts[0], int64_t{1} << *by};
    if (is_intrinsic(*call, "bitwise_and") && (*by & (*by + 1)) == 0)
        return Repeating{parts[0], *by + 1};
    return std::nullopt;
}

}  // namespace

void note_periods(const StageView &stage, std::span<StageLoop> loops) {
    const Sums sums(loops);
    ExpressionWalk note([&](const Expr &e) {
        const std::optional<Repeating> found = repeating(e);
        const std::optional<Sum> sum = found ? sums.of(found->value) : std::nullopt;
        for (size_t l = 0; sum && l < loops.size(); l++) {
            if (sum->coefficient[l] == 0) continue;
            const int64_t step = std::abs(sum->coefficient[l]);
            loops[l].period =
                common_period(loops[l].period, found->divisor / std::gcd(step, found->divisor));
        }
    });
    std::vector<Expr> unlet;  // alive while they are walked
    for (const Expr &e : stage.expressions())
        unlet.push_back(ir::substitute_in_all_lets(ir::common_subexpression_elimination(e)));
    for (const Expr &e : unlet) note(e);
}

}  // namespace cryolite
