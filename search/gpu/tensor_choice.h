// Whether each product of a schedule is computed on tensor cores, and what the other way would cost. For people: the
// search has compared both ways as it went.
#pragma once

#include <string>
#include <vector>

#include "machine/hardware.h"
#include "search/options.h"

namespace cryolite {

struct TensorChoice {
    StageId product;
    bool is_taken = false;
    std::string problem;    // why no tile kernel can compute it; then there are no seconds
    tensorcore::Tile tile;  // of the kernel that is taken, or would be
    std::optional<FuncId> finished_in;
    // Predicted for the whole pipeline, all other Funcs as they are where that is possible.
    double with_seconds = 0, without_seconds = 0;
};

// One for each product of the graph. The nest is complete.
std::vector<TensorChoice> tensor_choices(const LoopNest &complete, Hardware hardware,
                                         const SearchOptions &options);

// For each product that may be computed both ways, the cheapest schedule of the way that `complete` does not take, if
// it takes at most twice as long. For those who can measure.
std::vector<LoopNest> near_other_ways(const LoopNest &complete, Hardware hardware,
                                      const SearchOptions &options);

// What became of it, without the Func's name.
std::string text_of(const StageGraph &graph, const TensorChoice &choice);

}  // namespace cryolite
