// Which divisions of reductions into partial results (graph/divided_reduction.h) are worth a try. A division changes the
// pipeline's graph, so that the caller tries each by a search of its own.
#pragma once

#include <optional>
#include <vector>

#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// The loops of the stage along which its reduction may be divided, by index; none if it may not be. Halide has the last
// word: it also has to prove that the update is associative.
std::vector<size_t> dividable_loops(const StageGraph &graph, const Stage &stage);

struct DivisionChoice {
    StageId stage;
    std::optional<DividedReduction> blocks;  // for the cores
    std::optional<DividedReduction> lanes;   // for the lanes of a vector
};

// For each update that reduces and whose points alone feed neither the cores nor the lanes. Blocks are offered where
// the update has fewer points than there are cores; their number depends on the estimates, the size of a block is fixed.
// Lanes are offered where neighbouring iterations of the loop read neighbouring values, and no loop over points does; a
// few also where loaded values choose what is changed, as in a histogram.
std::vector<DivisionChoice> division_choices(const StageGraph &graph, const Machine &machine);

}  // namespace cryolite
