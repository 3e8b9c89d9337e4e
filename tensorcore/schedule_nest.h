// Gives the tile kernels of a schedule to a pipeline. Everything else of the schedule is emitted (emit/emit.h).
#pragma once

#include <Halide.h>

#include "base/result.h"
#include "schedule/loop_nest.h"

namespace cryolite::tensorcore {

// Schedules the products with schedule_product(), and adds the pass. The pipeline is the graph's, or a copy with the
// same names. Returns how many there are; a nest without tile kernels changes nothing. Error: one that
// schedule_product() gives.
Result<size_t> schedule_tile_kernels(const Halide::Pipeline &pipeline, const LoopNest &nest,
                                     const Halide::Target &target);

}  // namespace cryolite::tensorcore
