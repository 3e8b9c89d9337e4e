// Which changes of reductions (graph/divided_reduction.h) are worth a try: partial results and copies. A change alters
// the pipeline's graph, so that the caller tries it by a search of its own.
#pragma once

#include <optional>
#include <vector>

#include "graph/stage_graph.h"
#include "machine/hardware.h"

namespace cryolite {

struct DivisionChoice {
    StageId stage;
    std::optional<DividedReduction> blocks;  // for the cores, or the threads of a GPU
    std::optional<DividedReduction> lanes;   // for the lanes of a vector, or of a warp
    // Points of a single vector. Several vectors of partial results are first added to one, in vectors.
    int64_t vector = 0;
    // The blocks' results are so many that they are combined in two steps: this division of the loop that combines
    // them, whose name is known once the blocks are there.
    std::optional<DividedReduction> combination;
    // A single partial result, of all iterations of a loop: the sums of an output then grow in registers, in tiles of
    // it. In its own buffer they would lie in memory.
    std::optional<DividedReduction> whole;
    // Ways to cut a loop into parts that a block of a GPU walks one after the other, with what it reads of each in
    // shared memory (gpu_divisions.cpp). One of them is taken. Where there is a `whole`, it is cut instead.
    std::vector<DividedReduction> chunks;
};

// For a CPU: each update that reduces and whose points alone feed neither the cores nor the lanes. Blocks are
// offered where the update has fewer points than there are cores, or fewer vectors of points, or fewer pages of a row
// that it walks down; their number depends on the estimates, the size of a block is fixed. Lanes are offered where
// neighbouring iterations of the loop read neighbouring values, and no loop over points does; over a short loop, as
// over the rows of small blocks of an image, a lane for each iteration. A few are offered where loaded values choose
// what is changed, as in a histogram. For each output that sums up, too.
// For a GPU: see gpu_divisions.h.
std::vector<DivisionChoice> division_choices(const StageGraph &graph, Hardware hardware);

// A copy of each Func that holds sums at addresses that are not constants, and is read as a whole (whole_reads.h).
// Where a single Func reads it part by part, tiles of that reader do what tiles of the copy would do. On a CPU a copy,
// too, of each Func that gathers along its rows (gathered_rows.h) and of which its readers load several points for one
// of theirs. A search may inline a copy that is of no use.
std::vector<DividedReduction> copy_choices(const StageGraph &graph, Hardware hardware);

}  // namespace cryolite
