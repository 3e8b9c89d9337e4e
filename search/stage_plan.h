// One way to arrange the loops of a stage, before it is spelled out as actions.
#pragma once

#include <vector>

#include "base/small_vector.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A template for all stages of a Func; every stage takes from it what its loops allow.
struct TilingTemplate {
    int vector_dim = -1;  // Func dimension; -1: scalar
    int width = 1;
    SmallVector<int64_t, 6> tile;    // per Func dimension: span of the outer loop; 0: not tiled
    SmallVector<int64_t, 6> unroll;  // per Func dimension: points (the vector dimension: vectors)
    bool vector_tiles_outside =
        false;  // the tiles of the vector dimension around those of the others
    // Where the loops of short dimensions go that are neither tiled nor vectorised.
    enum class Short { Outside, BetweenTiles, Inside } short_loops = Short::BetweenTiles;
    // Reduction loops of updates: outside the untiled and inner loops, or only outside the unrolled.
    bool reduction_outside = false;
    int64_t reduction_tile = 0;  // span of the outer part of the innermost reduction loop; 0: whole
    // Reduction loops that are unrolled whole, where they are of constant extents: all of them, or those
    // that decide what a copy of the body keeps, see decides_copies().
    enum class Unrolled { None, Deciding, All } unrolled_reductions = Unrolled::None;
    int parallel = 0;  // how many of the outermost loops, where allowed
};

// Whether copies of a stage's body, unrolled along the whole of reduction loop `l`, are less than the
// body: each keeps a part of its operations.
bool decides_copies(const Stage &stage, size_t l);

// The actions that give `stage` (with default loops, extents `range`) this shape. Parts that the
// stage cannot take are left out; what is returned is accepted by apply(). `whole_of_tile`: per loop,
// is_whole_of_tile(); none where it is empty.
std::vector<Action> to_actions(const Stage &stage, const Intervals &range,
                               const TilingTemplate &shape,
                               const std::vector<bool> &whole_of_tile = {});

}  // namespace cryolite
