// How a stage reaches points of other Funcs through Funcs that are inlined into it. The index maps of all Funcs on the
// way are composed into one map of the stage's loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// An index with parts that wrap around counts as affine, as if they went on: most iterations do not wrap. `wrapped`
// says where they do.
struct ComposedIndex {
    bool affine = true;
    bool data_dependent = false;
    std::vector<Rational> coefficient;  // per loop of the stage
    std::vector<Rational> step;   // like coefficient, but also for an index that is not affine
    std::vector<bool> irregular;  // per loop; see IndexMap
    std::vector<int64_t> run;     // per loop; see IndexMap
    // Identifies the unknown base, see IndexMap. Equal bases have equal values in the same iteration. 0: the base is
    // not known, or there is none.
    uint64_t base = 0;
    Rational offset;
    std::vector<bool> depends_on;
    std::vector<Clamp> clamped;  // per loop
    std::vector<WrappedIndex> wrapped;

    // Whether the index can be compared with another one.
    bool known() const { return affine ? !data_dependent : base != 0; }
    std::vector<int64_t> key() const;
};
using ComposedAccess = std::vector<ComposedIndex>;  // one per dimension

// The access of the stage itself.
ComposedAccess composed_access(const Access &access, size_t num_loops);

// The access of an inlined Func's pure stage. The stage calls that Func at `call`.
ComposedAccess composed_access(const Access &access, const Stage &inlined,
                               const ComposedAccess &call, size_t num_loops);

bool is_known(const ComposedAccess &access);

// The kept_share, per loop of the stage, of what an inlined Func's pure stage does when it is called at `call`.
// of_call: that of the call. own: of the inlined stage, per loop of its own. A choice by one of its loops is followed
// where the index is a loop of the stage itself; a choice by the place in a period also a constant away from it.
std::vector<float> kept_share_at(const ComposedAccess &call, const std::vector<float> &of_call,
                                 const Stage &inlined, const std::vector<float> &own,
                                 size_t num_loops);

// How the points of one iteration lie along a loop. Those that are a whole number of iterations apart are one line:
// an iteration reaches points of its neighbours.
struct PointsAlong {
    double lines = 1;
    // Iterations from each point of a line to the next one, where that is more than one. Between such points lie
    // others, which only the iterations between reach.
    std::vector<double> gaps;

    // How many different points so many iterations in a row reach, if one reaches `count`.
    double reached(double count, double iterations) const;
};

// Per loop. All points must have equal steps and bases. The comparison takes quadratic time, so very many points are
// all lines of their own.
std::vector<PointsAlong> points_along(const std::vector<ComposedAccess> &points, size_t num_loops);

}  // namespace cryolite
