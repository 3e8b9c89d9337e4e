// A pipeline that somebody has scheduled by hand, as a LoopNest: its price, and a place for the search to start from.
//
// Halide's splits are trees of named variables. Here each loop becomes a part of a dimension, and each Func the actions
// that make its place and its loops. Every action goes through apply(). Where apply() refuses one, a plainer form is
// tried: the next loop further out, then root; fewer parts; a serial loop. What a LoopNest cannot hold is named.
#pragma once

#include "base/result.h"
#include "emit/import/difference.h"
#include "graph/builder/build.h"
#include "graph/halide/pipeline_view.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct ImportedSchedule {
    LoopNest nest;  // complete and legal; its graph is that of the BuiltGraph
    ScheduleDifferences differences;
};

// by_hand: view_pipeline() of the scheduled pipeline. built: the graph of the same pipeline after clear_schedules(), so
// that nothing in it is locked. built must outlive the result.
// Errors: the two are not the same pipeline; Halide cannot evaluate a factor.
Result<ImportedSchedule> import_schedule(const BuiltGraph &built, const PipelineView &by_hand);

}  // namespace cryolite
