// The features of a stage that no schedule changes.
#pragma once

#include <span>

#include "featurize/schema.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Fills the features of scope Algorithm. row.size() == num_features.
void algorithm_features(const StageGraph &graph, const Stage &stage, std::span<double> row);

}  // namespace cryolite
