// The loops that a hand schedule wants of a stage, in the form that our space has: parts of dimensions by their
// iterations, parallel loops outermost, one vector loop innermost.
#pragma once

#include <string>
#include <vector>

#include "emit/import/difference.h"
#include "graph/halide/stage_variables.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct WantedLoop {
    int dim = 0;        // of Stage::loops
    int64_t count = 0;  // iterations; 0: as many as the dimension needs
    LoopKind kind = LoopKind::Serial;
    int32_t woven = 1;       // LoopLevel::woven
    bool is_joined = false;  // LoopLevel::is_joined
    // Variables of the hand schedule. What is computed in their loops is computed in this loop.
    std::vector<std::string> variables = {};
    bool is_site = false;  // some Func is computed or stored there
};

struct WantedLoops {
    std::vector<WantedLoop> loops;  // outermost first; the outermost of each dimension has no count
    std::vector<std::string>
        around;  // variables whose loops are gone, with no loop of the stage around them
};

// Removes a loop, or makes it one with the next part of its dimension. Its variables go to the loop around it.
void remove_loop(WantedLoops &wanted, size_t position);

// schedule: of the stage's definition, or of the specialisation that is taken. Notes what the form does not hold.
WantedLoops wanted_loops(const Func &func, const Stage &stage,
                         const Halide::Internal::StageSchedule &schedule,
                         const StageVariables &variables, DifferenceNotes &notes);

}  // namespace cryolite
