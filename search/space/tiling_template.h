// One way to arrange the loops of a Func's stages, before it is spelled out as actions.
#pragma once

#include <vector>

#include "base/small_vector.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A template for all stages of a Func; every stage takes from it what its loops allow.
struct TilingTemplate {
    int vector_dim = -1;  // Func dimension; -1: scalar
    int width = 1;        // points: lanes of all woven vectors together
    int woven = 1;        // action::Vectorize::woven
    // The vector is longer than its loop, which rounds up. Loops of half its lanes or less take none.
    bool rounds_up = false;
    // Func dimension of interleaved colours; -1: none. Its unrolled copies stand inside of all others: Halide
    // interleaves vectors that follow each other (KnownAddresses::interleaved).
    int colour_dim = -1;
    // Func dimension of short rows, each of which is joined whole in each lane of the vectors (action::Join); -1: none.
    int joined_dim = -1;
    // An update without a loop along vector_dim, as one that scatters along it, takes its vectors across: along its
    // innermost pure loop.
    bool updates_across = false;
    SmallVector<int64_t, 6> tile;    // per Func dimension: span of the outer loop; 0: not tiled
    SmallVector<int64_t, 6> unroll;  // per Func dimension: points (vector dimension: vectors)
    // The tile loop of the vector dimension stands around the tile loops of the others.
    bool vector_tiles_outside = false;
    // Where the loops of short dimensions go that are neither tiled nor vectorised.
    enum class Short { Outside, BetweenTiles, Inside } short_loops = Short::BetweenTiles;
    // Reduction loops of updates stand outside the untiled and inner loops; else only outside the unrolled.
    bool reduction_outside = false;
    int64_t reduction_tile = 0;  // span of the outer part of the innermost reduction loop; 0: whole
    // Which reduction loops of constant extent are unrolled whole: none, those of decides_copies(), or all. Where all
    // are too much code, those of row_taps are.
    enum class Unrolled { None, Deciding, All } unrolled_reductions = Unrolled::None;
    SmallVector<int, 4> row_taps;  // by Stage::index: the loop (row_taps.h); -1: it has none
    // Pure loops over all of their channels (StageLoop::channels) are unrolled whole.
    bool unrolled_channels = false;
    // A reduction loop of an update, of which so many iterations become copies beside the vector: neighbours in it
    // (action::Join, search/space/dots.h), or unrolled ones (search/space/strided_sums.h). 1: none.
    struct Part {
        int stage = 0;  // Stage::index
        int loop = -1;  // of Stage::loops
        int64_t points = 1;
        bool is_dot = false;  // not where a loop of the stage is parallel
    } part;
    // Of each recurrence (graph/facts/recurrences.h) and each update that scatters, so many steps that follow each
    // other are unrolled. By Stage::index: its loop; -1: there is none.
    int64_t steps = 1;
    SmallVector<int, 4> step_loops;
    int parallel = 0;  // how many of the outermost loops are parallel, where allowed
    // Where the outermost loops of an update carry values from one iteration to the next, the loop inside of them is
    // parallel (action::Parallel::inside); else none of that stage is.
    bool parallel_in_steps = false;
};

// The Func dimension along which `stage` takes the vectors of the template.
int vector_dim_of(const Stage &stage, const TilingTemplate &shape);

// Whether unrolling all of reduction loop `l` makes copies that are smaller than the stage's body: each copy
// keeps only a part of the operations (OperationGroup::kept_share).
bool decides_copies(const Stage &stage, size_t l);

// The actions that give `stage` this shape; apply() accepts them. The stage has default loops with extents
// `range`. Parts that the stage cannot take are left out.
// whole_of_tile: is_whole_of_tile() per loop; empty: false for all.
std::vector<Action> to_actions(const Stage &stage, const Intervals &range,
                               const TilingTemplate &shape,
                               const std::vector<bool> &whole_of_tile = {});

}  // namespace cryolite
