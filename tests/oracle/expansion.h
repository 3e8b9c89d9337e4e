// A stage with what is inlined into it, expanded call by call: the operations and the distinct loads of
// one point, and how each load moves with the stage's loops.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite::oracle {

// Indices are taken at a random point of a large prime field, where a fraction is a number like any
// other: inlined indices compose by plain evaluation, and two affine maps are the same if they
// agree there. Nothing is rounded.
namespace field {
inline constexpr uint64_t prime = (uint64_t{1} << 61) - 1;
uint64_t add(uint64_t a, uint64_t b);
uint64_t subtract(uint64_t a, uint64_t b);
uint64_t multiply(uint64_t a, uint64_t b);
uint64_t from(int64_t v);
uint64_t from(Rational r);
}  // namespace field

using Place = std::vector<uint64_t>;  // one field element per dimension

struct ExpandedLoad {
    FuncId func;
    int value = 0;
    bool known = true;         // no gather on the way
    Place at;                  // one more, unique, where it is not known
    std::vector<Place> steps;  // [l]: what one step of loop l adds
    std::vector<bool> moves;   // [l]: some index depends on loop l

    // What stands for the load so many iterations of loop l later. Equal ones are one load.
    std::tuple<FuncId, int, Place> after(size_t l, int iterations) const;
};

// What is computed of some values, for one point of them.
struct ExpandedComputation {
    ExpandedLoad of;  // the point; `func` is not told apart from other kinds of points here
    OpHistogram ops;
};

struct Expansion {
    OpHistogram ops;
    std::vector<ExpandedComputation> computations;  // distinct
    double inlined_calls = 0;
    std::vector<ExpandedLoad> loads;  // distinct
};

Expansion expand(const LoopNest &nest, StageId stage);

}  // namespace cryolite::oracle
