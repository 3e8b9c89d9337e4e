#include "graph/access.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace cryolite {
namespace {

using Wide = __int128;

Wide magnitude(Wide v) { return v < 0 ? -v : v; }

// In lowest terms. A value that does not fit loses low bits; no index is that large.
Rational reduced(Wide numerator, Wide denominator) {
    assert(denominator != 0);
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    Wide a = magnitude(numerator), b = denominator;
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    numerator /= a;
    denominator /= a;
    constexpr Wide limit = std::numeric_limits<int64_t>::max();
    while (magnitude(numerator) > limit || denominator > limit) {
        numerator /= 2;
        denominator = denominator > 1 ? denominator / 2 : 1;
    }
    return {static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

}  // namespace

Rational make_rational(int64_t numerator, int64_t denominator) {
    return reduced(numerator, denominator);
}

Rational operator*(Rational a, Rational b) {
    return reduced(Wide{a.numerator} * b.numerator, Wide{a.denominator} * b.denominator);
}

Rational operator+(Rational a, Rational b) {
    return reduced(Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator,
                   Wide{a.denominator} * b.denominator);
}

std::optional<int64_t> constant_index(const IndexMap &index) {
    const bool moves =
        std::ranges::any_of(index.coefficient, [](const Rational &c) { return !c.is_zero(); }) ||
        std::ranges::any_of(index.depends_on, [](bool d) { return d; });
    if (!index.affine || index.data_dependent || !index.exact || moves ||
        index.offset.denominator != 1)
        return std::nullopt;
    return index.offset.numerator;
}

int64_t run_of_multiple(Rational coefficient, int64_t run, Rational offset, Rational factor) {
    // A quotient is rounded once more, so that its coefficient tells.
    const bool is_rounded_before = factor.denominator == 1 && std::abs(factor.numerator) > 1;
    if (!is_rounded_before || coefficient.denominator == 1) return run;
    return run != 1 || std::abs(coefficient.numerator) > 1 || offset.denominator != 1
               ? 0
               : coefficient.denominator;
}

int64_t whole_run(Rational coefficient, int64_t run) {
    if (run != 1 || coefficient.denominator == 1) return run;
    return std::abs(coefficient.numerator) == 1 ? coefficient.denominator : 0;
}

int64_t run_of_sum(int64_t a, int64_t b) { return a == b ? a : 0; }

bool is_loop(const IndexMap &index, size_t loop) {
    if (!index.affine || index.data_dependent || !index.exact || !index.offset.is_zero())
        return false;
    for (size_t l = 0; l < index.coefficient.size(); l++)
        if (index.coefficient[l] != Rational{l == loop ? 1 : 0, 1}) return false;
    return true;
}

void keep_more(std::vector<float> &share, const std::vector<float> &other) {
    if (other.empty()) share.clear();
    for (size_t l = 0; l < share.size(); l++) share[l] = std::max(share[l], other[l]);
}

}  // namespace cryolite
