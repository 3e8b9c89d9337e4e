// A stage's loops tiled once: D of the thesis, section 5.4. The loops inside a tile are not mixed
// with the loops between tiles. A level is a loop by its place in the order, from 0, the innermost;
// "at" a level means inside the body of that loop, with all loops of smaller level run completely
// there.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"

namespace cryolite::reuse {

struct TiledLoop {
    int loop = 0;  // index into Stage::loops
    bool between_tiles = false;
    bool operator==(const TiledLoop &) const = default;
};

struct TiledNest {
    StageId stage;
    Intervals ranges;              // of Stage::loops, at the estimates
    std::vector<int64_t> tile;     // per loop: points of a tile; all of the loop: not tiled
    std::vector<TiledLoop> order;  // innermost first; all loops inside tiles before those between
    int vector_level = -1;         // the vectorised loop, at it: per vector; -1: none
    int64_t vector_width = 1;      // points that one iteration of the vectorised loop covers
    int parallel_level = -1;       // the outermost loop between tiles; -1: none

    // Outside of all loops.
    int root_level() const { return static_cast<int>(order.size()); }
    // The innermost place where something can be computed: nothing is inside a vectorised loop.
    int innermost_level() const { return vector_level < 0 ? 0 : vector_level; }
    // The body of the innermost loop between tiles, that is one tile; root if there is none.
    int tile_level() const;

    // Iterations of the loop of a level in one run of it; partial ones count.
    int64_t extent(int level) const;
    // Points of `loop` that one full iteration at `level` covers.
    int64_t span(int loop, int level) const;

    // The ranges of Stage::loops over one iteration at `level`, every loop around in mid-range. The
    // loop of that level stands at `iteration`, a middle one unless said (then below extent()).
    Intervals iteration(int level, int64_t iteration = -1) const;
};

// Iterations at a level that cover equally many points. Sizes that the tile does not divide have
// smaller last tiles, that is up to four kinds of a loop's iterations.
struct Piece {
    Intervals ranges;  // of Stage::loops, a representative one
    double count = 0;
};

// All iterations at a level: sum of counts times points is the number of points of the stage. The
// first piece is the one with full tiles.
std::vector<Piece> pieces(const TiledNest &nest, int level);

}  // namespace cryolite::reuse
