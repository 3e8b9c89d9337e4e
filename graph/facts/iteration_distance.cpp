#include "graph/facts/iteration_distance.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

bool is_whole(Rational r) { return r.denominator == 1; }

// Whether both indices move alike, so that the loops' distances along them are those of their offsets.
bool makes_equation(const IndexMap &a, const IndexMap &b, Trust trust) {
    return a.affine && b.affine && a.coefficient == b.coefficient &&
           (trust == Trust::Estimates || (holds_at_all_sizes(a) && holds_at_all_sizes(b)));
}

// What one dimension says of the loops: sum_l coefficient[l] * distance[l] = difference.
struct Equation {
    const std::vector<Rational> *coefficient;
    double difference;
};

// Solves the equation where one loop is left. Returns whether something new is known.
bool solve(const Equation &equation, IterationDistance &result) {
    double rest = equation.difference;
    std::optional<size_t> open;
    for (size_t l = 0; l < result.loops.size(); l++) {
        const Rational c = (*equation.coefficient)[l];
        if (c.is_zero()) continue;
        if (result.loops[l]) {
            rest -= c.value() * *result.loops[l];
        } else if (open) {
            return false;
        } else {
            open = l;
        }
    }
    if (!open) {
        result.never |= rest != 0;
        return false;
    }
    result.loops[*open] = rest / (*equation.coefficient)[*open].value();
    return true;
}

}  // namespace

bool holds_at_all_sizes(const IndexMap &index) {
    return index.affine && index.exact && index.clamp == Clamp::None && is_whole(index.offset) &&
           std::ranges::all_of(index.coefficient, is_whole);
}

IterationDistance iteration_distance(const Access &first, const Access &second, LoopDistances known,
                                     Trust trust) {
    IterationDistance result{false, std::move(known)};
    std::vector<Equation> equations;
    for (size_t d = 0; d < first.index.size(); d++) {
        const IndexMap &a = first.index[d], &b = second.index[d];
        if (makes_equation(a, b, trust))
            equations.push_back({&a.coefficient, a.offset.value() - b.offset.value()});
    }
    // Each round knows one loop more, or is the last.
    bool is_new = true;
    while (is_new && !result.never) {
        is_new = false;
        for (const Equation &e : equations) is_new |= solve(e, result);
    }
    if (trust == Trust::AllSizes)
        result.never |= std::ranges::any_of(
            result.loops, [](const auto &d) { return d && std::floor(*d) != *d; });
    return result;
}

}  // namespace cryolite
