// How a loop moves an index.
#pragma once

#include <optional>

#include "graph/stage_graph.h"

namespace cryolite {

inline bool moves(const IndexMap &index, size_t loop) {
    return loop < index.depends_on.size() && index.depends_on[loop];
}

inline bool is_affine_in(const IndexMap &index, size_t loop) {
    return index.affine && !index.data_dependent && loop < index.coefficient.size();
}

inline bool moves_by_one(const IndexMap &index, size_t loop) {
    return is_affine_in(index, loop) && index.coefficient[loop] == Rational{1, 1};
}

// The stage's pure loop over a dimension of its Func.
inline std::optional<size_t> loop_over(const Stage &stage, int dim) {
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (stage.loops[l].func_dim == dim && !stage.loops[l].is_reduction) return l;
    return std::nullopt;
}

}  // namespace cryolite
