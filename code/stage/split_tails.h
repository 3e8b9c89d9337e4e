// What the last, partial iteration of a dimension's outermost loop does, as the schedule is emitted
// (schedule_call.h): it decides how many points are computed for a range.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

enum class Tail : uint8_t {
    None,     // the dimension is not split, or its parts divide it
    Guarded,  // points past the end are skipped
    RoundsUp,
    ShiftsInwards  // the last part is computed whole, some of it twice
};

// Whether parts of the Stage::loops dimension may compute points past the end of its range, as far as
// the algorithm is concerned: nobody sees them and they cost no access outside of an input.
bool may_round_up(const Func &func, const StageLoop &loop);

// Of dimension `dim` of Stage::loops: a range that the parts do not divide is computed up to a multiple
// of this many points; 1: it is not rounded up. Vectors and unrolled bodies round up where a Func may
// overcompute; its tiles only where others are computed inside, whose regions are then constant. In a
// kernel nothing does.
int64_t rounding_span(const StageGraph &graph, const StageNest &nest, size_t dim,
                      bool holds_others);

// A dimension that is split, and the extent from which on it holds a whole part.
struct WholePart {
    int func_dim;
    int64_t extent;
};

// The split dimensions of an output that has a case of its own for sizes that hold a whole part in each: there the
// last parts are shifted inwards, and no guard is left. Empty: there is no such case.
std::vector<WholePart> shifted_case(const StageGraph &graph, const StageNest &nest);

// Whether the estimates are of that case, or nothing is split.
bool shifts_inwards(const StageGraph &graph, const StageNest &nest);

// Whether the last part of the dimension's outermost loop stands under a guard. It may be beside a smaller part that
// rounds up: vectors of 8 in tiles of 32 over 40 points.
bool is_guarded(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others);

// Where a dimension both rounds up and is guarded, the first is said: it decides how many points are computed.
Tail tail_of(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others);

// Points computed along the dimension over one production, those past the end and those computed
// twice included.
int64_t computed_extent(const StageGraph &graph, const StageNest &nest, size_t dim,
                        bool holds_others);

}  // namespace cryolite
