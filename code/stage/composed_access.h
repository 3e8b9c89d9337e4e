// How a stage reaches points of other Funcs through Funcs that are inlined into it: maps of the stage's
// loops, composed along the way.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

struct ComposedIndex {
    bool affine = true;
    bool data_dependent = false;
    std::vector<Rational> coefficient;  // per loop of the stage
    std::vector<Rational> step;         // the same, of an index that is not affine, too
    std::vector<bool> irregular;        // per loop; see IndexMap
    // Of which unknown base, see IndexMap: equal ones are equal in the same iteration. 0: not known, or none.
    uint64_t base = 0;
    Rational offset;
    std::vector<bool> depends_on;
    std::vector<Clamp> clamped;  // per loop

    // Whether it can be told from another one.
    bool known() const { return affine ? !data_dependent : base != 0; }
    std::vector<int64_t> key() const;
};
using ComposedAccess = std::vector<ComposedIndex>;  // one per dimension

// Of an access of the stage itself.
ComposedAccess composed_access(const Access &access, size_t num_loops);

// Of an access of an inlined Func's pure stage, which the stage calls at `call`.
ComposedAccess composed_access(const Access &access, const Stage &inlined,
                               const ComposedAccess &call, size_t num_loops);

bool is_known(const ComposedAccess &access);

// For each loop: how many of the points, whose steps and bases are equal, are left when those are dropped
// that another is some whole number of iterations later. Of many, all: it takes the square of their
// number.
std::vector<float> distinct_along(const std::vector<ComposedAccess> &points, size_t num_loops);

}  // namespace cryolite
