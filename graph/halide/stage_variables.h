// What the variables of a stage's schedule walk: which part of which dimension, after all splits, fusions and
// renamings. Both ways of reading a user's schedule start here: as loops around which the search works
// (builder/user_loops.h), and as a schedule in our own space (emit/import_schedule.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/halide/pipeline_view.h"

namespace cryolite {

// The part of a dimension that a variable walks: `points` points (0: all), `span` of them per iteration.
struct LoopPart {
    int dim;  // of Stage::loops
    int64_t span, points;
};
using LoopParts = std::vector<LoopPart>;  // outermost first; several where loops are fused

// What a split says of the end of its range. `points` and `span` are those of the outer variable.
struct SplitTail {
    int dim;
    int64_t span, points;
    Halide::TailStrategy tail;
};

struct StageVariables {
    std::map<std::string, LoopParts> parts;
    std::vector<SplitTail> tails;
    // Variables of splits that only hide an alignment (builder/alignment.h), and their dimensions. The variable has no
    // part: the inner variable of its split walks all.
    std::map<std::string, int> hides_alignment;
    // A line for each split that parts do not express. The parts are then the nearest ones.
    std::vector<std::string> inexact;
};

// factor: the value of a split's factor; nothing if it has none.
using FactorValue = std::function<std::optional<int64_t>(const Expr &factor)>;

// view: for the stage's dimensions. schedule: that of the definition or of one of its specialisations.
StageVariables stage_variables(const StageView &view, const ir::StageSchedule &schedule,
                               const FactorValue &factor);

// The value of a constant.
std::optional<int64_t> constant_factor(const Expr &factor);

// Halide prefixes a loop's name with those of the loops that it was split from. This is the name without them.
std::string own_name(const std::string &variable);

// Whether the level is a loop of a Func, and neither root nor inlined.
bool is_at_loop(const Halide::LoopLevel &level);

}  // namespace cryolite
