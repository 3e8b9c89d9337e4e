// Which Funcs need the same points at all sizes of the pipeline. A table, the weights of a filter or the inner side of
// a matrix product with a constant number of terms have such regions. Stored at root, their strides are constants in
// the compiled code.
#pragma once

#include <span>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// [FuncId][dimension]: whether the region of the Func is a constant in the dimension. It is if every reader, and every
// update of the Func itself, reaches it by an exact affine index in which only loops of constant range occur: reduction
// loops, or pure loops over such a dimension of the reader. It is also one if the user has given it as constants
// (Func::constant_by_user), which is the only way for outputs: the user brings their buffers. Never for inputs.
std::vector<std::vector<bool>> constant_regions(std::span<const Func> funcs,
                                                std::span<const Stage> stages,
                                                std::span<const Edge> edges);

}  // namespace cryolite
