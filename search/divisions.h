// Which changes of reductions (graph/divided_reduction.h) are worth a try: partial results and copies. A change alters the
// pipeline's graph, so that the caller tries it by a search of its own.
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
    // Points of a single vector. Several vectors of partial results are first added to one, in vectors.
    int64_t vector = 0;
};

// For each update that reduces and whose points alone feed neither the cores nor the lanes. Blocks are offered where
// the update has fewer points than there are cores; their number depends on the estimates, the size of a block is fixed.
// Lanes are offered where neighbouring iterations of the loop read neighbouring values, and no loop over points does; a
// few also where loaded values choose what is changed, as in a histogram.
std::vector<DivisionChoice> division_choices(const StageGraph &graph, const Machine &machine);

// A copy of each Func that holds sums at addresses that are not constants, and is read as a whole (whole_reads.h). Where a
// single Func reads it part by part, tiles of that reader do what tiles of the copy would do. A copy, too, of each Func
// that gathers along its rows (gathered_rows.h) and of which its readers load several points for one of theirs. A search
// may inline a copy that is of no use.
std::vector<DividedReduction> copy_choices(const StageGraph &graph);

}  // namespace cryolite
