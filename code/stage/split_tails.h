// What the last, partial iteration of a dimension's outermost loop does in the emitted schedule (emit/schedule_call.h).
// It decides how many points are computed for a range.
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

// Whether parts of the Stage::loops dimension may compute points past the end of its range, as far as the algorithm is
// concerned. Nobody may see these points, and they may not read outside of an input.
bool may_round_up(const Func &func, const StageLoop &loop);

// Dimension `dim` of Stage::loops is computed up to a multiple of this many points. 1: it is not rounded up. If the
// Func may overcompute, its vectors and unrolled bodies round up. Its tiles round up only if other Funcs are computed
// inside: the regions of those Funcs are then constant. A Func in another's GPU kernel rounds nothing up.
int64_t rounding_span(const StageGraph &graph, const StageNest &nest, size_t dim,
                      bool holds_others);

// Whether the last vector along the dimension shifts inwards, in a Func that is no output (Func::shifts_vectors). A
// shifted vector marks the index of all of them as likely, so that Halide cuts clamps off the middle of the loop that
// it would not cut otherwise (Clamp). Such a dimension is not rounded up. A range shorter than a vector is computed
// from before its begin: those points are clamped, too.
bool shifts_vectors(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others);

// A dimension that is split, and the least extent that holds a whole part.
struct WholePart {
    int func_dim;
    int64_t extent;
    bool is_exact =
        false;           // all points from 0 to extent - 1, and no others (code/kernel/channels.h)
    int64_t period = 1;  // the first point is a multiple of it (code/kernel/periods.h)
    bool ends_at_period = false;  // and so is the extent
    // The first point is 0 and the extent a multiple of `extent`: no part is shifted, and every part's place is a
    // constant times its number (code/kernel/periods.h).
    bool divides = false;
};

// Whether WholePart::divides holds of an output's dimension at the estimates.
bool may_divide(const StageNest &output, size_t dim);

// The split dimensions of an output that is specialised for sizes that hold a whole part in each of them. In that case
// the last parts shift inwards, and no guard is left. Empty: there is no such case.
std::vector<WholePart> shifted_case(const StageGraph &graph, const StageNest &nest);

// Whether the nest is an output's that may have that case, and the estimates hold a whole part in every dimension.
bool shifts_inwards(const StageGraph &graph, const StageNest &nest);

// Whether the last part of the dimension's outermost loop stands under a guard. A smaller part may round up at the same
// time: vectors of 8 in tiles of 32 over 36 points.
bool is_guarded(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others);

// The tail of a dimension. If it both rounds up and is guarded, the answer is RoundsUp, which decides how many points
// are computed.
Tail tail_of(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others);

// Points computed along the dimension over one production, with points past the end and points computed twice.
int64_t computed_extent(const StageGraph &graph, const StageNest &nest, size_t dim,
                        bool holds_others);

}  // namespace cryolite
