// What the last, partial iteration of a dimension's outermost loop does, as the schedule is emitted
// (schedule/schedule_call.h): it decides how many points are computed for a range.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

enum class Tail : uint8_t {
    None,     // the dimension is not split, or its parts divide it
    Guarded,  // points past the end are skipped
    RoundsUp,
    ShiftsInwards  // the last part is computed whole, some of it twice
};

// Of dimension `dim` of Stage::loops.
Tail tail_of(const StageGraph &graph, const StageNest &nest, size_t dim);

// Points computed along the dimension over one production, those past the end and those computed
// twice included.
int64_t computed_extent(const StageGraph &graph, const StageNest &nest, size_t dim);

}  // namespace cryolite
