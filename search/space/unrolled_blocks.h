// The blocks of copies that a Func's templates unroll on a CPU: vectors, rows, channels.
#pragma once

#include <vector>

#include "search/space/tiling_space.h"

namespace cryolite {

// Copies per dimension of the Func (TilingTemplate::unroll).
using UnrolledBlock = SmallVector<int64_t, 6>;

// In a fixed order; one may come twice. vector_dim: -1 if there are no vectors.
std::vector<UnrolledBlock> unrolled_blocks(const TilingSpace &space, int vector_dim);

}  // namespace cryolite
