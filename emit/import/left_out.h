// The directives of a hand schedule that are not in the LoopNest that was imported from it.
#pragma once

#include <vector>

#include "emit/import/difference.h"
#include "graph/halide/stage_variables.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// What was read of a stage: of the case that was taken.
struct ReadStage {
    const Halide::Internal::StageSchedule *schedule = nullptr;  // null: nothing was read
    StageVariables variables;
};

// Names what the emitted calls of `nest` do not say again: storage, the ends of splits, and directives that have no
// form in our space. stages: by StageId.
void name_left_out(const LoopNest &nest, const PipelineView &by_hand,
                   const std::vector<ReadStage> &stages, ScheduleDifferences &differences);

}  // namespace cryolite
