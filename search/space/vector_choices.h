// The vectors that a Func's templates have on a CPU: along which dimension, and of how many lanes.
#pragma once

#include <vector>

#include "search/space/tiling_space.h"

namespace cryolite {

struct VectorChoice {
    int dim, width;  // -1, 1: scalars
    int woven = 1;
    bool joins_rows = false;  // of the innermost dimension of storage: action::Join
    bool rounds_up = false;   // TilingTemplate::rounds_up
    bool operator==(const VectorChoice &) const = default;
};

// Along the innermost dimension of storage, or others if that is too short for a vector. A transposing copy may also
// have vectors along the rows that it reads.
std::vector<VectorChoice> vector_choices(const TilingSpace &space);

// The dimension along which vectors are dense in memory; -1: none.
int dense_dim(const TilingSpace &space);

// Whether vectors along the dimension are taken apart lane by lane, so that scalars may cost less in all:
// - Most of what the Func's stages load is gathered from places that were loaded or computed, as a picture is that is
//   warped. Each lane's address is taken out of a vector, and what it loads is put into another one.
// - Something is gathered where a condition on loaded values holds. Then each lane also has a branch of its own.
bool lanes_come_apart(const TilingSpace &space, int dim);

}  // namespace cryolite
