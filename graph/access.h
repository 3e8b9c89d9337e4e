// How one load (or store) of a stage addresses a Func: an affine map of the stage's loops where
// there is one.
#pragma once

#include <cstdint>
#include <vector>

namespace cryolite {

struct Rational {
    int64_t numerator = 0;
    int64_t denominator = 1;  // > 0, lowest terms

    bool is_zero() const { return numerator == 0; }
    double value() const {
        return static_cast<double>(numerator) / static_cast<double>(denominator);
    }
    bool operator==(const Rational &) const = default;
};

Rational make_rational(int64_t numerator, int64_t denominator);
Rational operator*(Rational a, Rational b);
Rational operator+(Rational a, Rational b);

// How an index is kept inside of bounds. A clamp by bounds that no loop moves is likely to do nothing, whether
// it is a boundary condition's, which says so, or the user's own: Halide takes both out of the middle of a
// loop when it partitions that. Where they stay they make gathers of vector loads.
enum class Clamp : uint8_t { None, Likely };

// The index in one dimension of the producer: an affine map of the loops plus, where it is not affine, an
// unknown base.
//   affine: index = floor(sum_l coefficient[l] * loop_l + offset) up to rounding of inner divisions.
//   Clamps are looked through (clamp(x-1, 0, w-1) counts as x-1: that is what it is on nearly all
//   iterations); `clamp` says that there is one.
//   not affine: index = sum_l step[l] * loop_l + offset + base. Nothing is known of the base but the loops
//   that may change it, the `irregular` ones; data_dependent says that it is made of loaded values (a
//   gather). In table(row(y) * n + x) the base is row(y) * n, and x moves the index by 1.
struct IndexMap {
    bool affine = true;
    bool data_dependent = false;
    Clamp clamp = Clamp::None;
    // Holds as it stands at all sizes and for all parameters: nothing is rounded or estimated.
    bool exact = true;
    std::vector<Rational> coefficient;  // one per loop of the consumer stage; empty when not affine
    Rational offset;
    std::vector<bool> depends_on;  // one per loop of the consumer stage
    // Not affine: how far an iteration of each loop moves the index while the base stands still; 0 for a
    // loop that changes the base. Empty when affine.
    std::vector<Rational> step;
    std::vector<bool> irregular;  // likewise: the loops that may change the base
    // Which base: indices of one stage with the same number, from 1, have the same base in the same
    // iteration. 0: not known, or none.
    int base = 0;
};

// One distinct call site after common subexpression elimination.
struct Access {
    std::vector<IndexMap> index;    // one per producer dimension
    double count = 1;               // how often per point (a select's both sides count as 1 each)
    int value = 0;                  // which element of the producer's tuple
    std::vector<float> kept_share;  // as OperationGroup::kept_share
};

// Makes `share`, a kept_share, that of something that is also kept where `other` is: at least the greater
// of both.
void keep_more(std::vector<float> &share, const std::vector<float> &other);

}  // namespace cryolite
