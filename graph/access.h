// How one load or store of a stage addresses a Func: if possible, as an affine map of the stage's loops.
#pragma once

#include <cstdint>
#include <optional>
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

// How an index is kept inside bounds. A clamp whose bounds no loop moves is likely to change nothing, whether it
// belongs to a boundary condition (Likely) or to the user (ByHand). Halide removes both kinds from the middle of a loop
// when it partitions the loop. Where a clamp stays, vector loads become gathers.
// Halide knows a clamp by hand only by its place in the index of a load. What several loads share it computes before
// them, so such a clamp stays, unless something else marks it: see shifts_vectors() in code/stage/split_tails.h.
enum class Clamp : uint8_t { None, ByHand, Likely };

// A part of an index that wraps around: factor * ((sum_l coefficient[l] * loop_l + offset) % modulus).
struct WrappedIndex {
    std::vector<int64_t> coefficient;  // one per loop of the consumer stage
    int64_t offset = 0;
    int64_t modulus = 1;
    Rational factor{1, 1};
};

// The index in one dimension of the producer: an affine map of the loops. Where it is not affine, an unknown base
// is added.
// - affine: index = floor(sum_l coefficient[l] * loop_l + offset), up to the rounding of inner divisions.
//   Clamps are looked through: clamp(x-1, 0, w-1) counts as x-1, its value in nearly all iterations. `clamp` says
//   that there is one.
// - not affine: index = sum_l step[l] * loop_l + offset + base. Only the `irregular` loops may change the base.
//   data_dependent: the base contains loaded values (a gather). In table(row(y) * n + x) the base is row(y) * n,
//   and x moves the index by 1.
struct IndexMap {
    bool affine = true;
    bool data_dependent = false;
    Clamp clamp = Clamp::None;
    // The map holds at all sizes and for all parameters: nothing is rounded or estimated.
    bool exact = true;
    // Per loop: how many iterations in a row have the same index, from a multiple of this on, where the coefficient
    // does not say so, because what it multiplies is rounded: 8 for 8 * (x / 8) + 3, whose coefficient is 1. 1: the
    // coefficient tells. 0: the runs begin elsewhere, or have no one length. Empty: 1 for all.
    std::vector<int64_t> run;
    std::vector<Rational> coefficient;  // one per loop of the consumer stage; empty when not affine
    Rational offset;
    std::vector<bool> depends_on;  // one per loop of the consumer stage
    // Not affine: how far an iteration of each loop moves the index while the base stays; 0 for a loop that may
    // change the base. Empty when affine.
    std::vector<Rational> step;
    std::vector<bool>
        irregular;  // not affine: the loops that may change the base. Empty when affine
    // Number of the base, from 1. Indices of one stage with the same number have the same base in each iteration.
    // 0: not known, or no base.
    int base = 0;
    // The parts of the base, if they are nothing else: 8 * (x % 64), or 2 * (y % 2) + x % 2.
    std::vector<WrappedIndex> wrapped;
};

// One distinct call site after common subexpression elimination. Sites with equal maps are one access.
struct Access {
    std::vector<IndexMap> index;  // one per producer dimension
    double count = 1;             // loads per point; both sides of a select count
    bool of_predicate =
        false;      // the predicate needs it: it is done in iterations that are excluded too
    int value = 0;  // which element of the producer's tuple
    std::vector<float> kept_share;  // see OperationGroup::kept_share
    // Per loop: whether the access happens only where the loop equals something (builder/equalities.h). Halide takes
    // the points from there to the loop's own for needed, too. Empty: no loop does.
    std::vector<bool> equated;
};

// The index where it depends on no loop, and the same at all sizes; nothing where it is another.
std::optional<int64_t> constant_index(const IndexMap &index);
// IndexMap::run of an index with this coefficient, run and offset, once it is rounded and multiplied by `factor`.
int64_t run_of_multiple(Rational coefficient, int64_t run, Rational offset, Rational factor);
// IndexMap::run with what the coefficient tells put in: 3 for a third of the loop's variable, 0 for two thirds.
int64_t whole_run(Rational coefficient, int64_t run);
// Of the sum of two indices that move with the loop, by their whole_run()s.
int64_t run_of_sum(int64_t a, int64_t b);
// Whether the index is the loop's variable itself.
bool is_loop(const IndexMap &index, size_t loop);

// Merges two kept_shares of something that is kept wherever either says. The result is the greater one of each
// loop, a lower bound.
void keep_more(std::vector<float> &share, const std::vector<float> &other);

}  // namespace cryolite
