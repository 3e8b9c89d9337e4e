// The schedulers of Sioutas's thesis as ways to schedule a whole pipeline, beside Cryolite's own
// search: each makes one plan from formulas and carries it out, with no alternatives compared by
// the cost model. For reference, and to see what the search gains.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/legality/apply.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A new one is a value here, a row in strategy.cpp and a file of its own.
enum class Strategy : uint8_t {
    Temporal,  // chapter 4: tiles for what comes back to L1 and L2 (algorithm 2)
    Spatial,   // chapter 4: tiles for the lines of transposed arrays (algorithm 3)
    Reuse,     // chapter 5: fusion, folding, tiling, splitting (algorithms 4 to 8)
};
const char *name(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);
std::vector<std::string> strategy_names();

// How far the schedule is the plan.
struct StrategyReport {
    uint64_t stages_as_planned = 0;
    uint64_t stages_adapted = 0;  // the nearest loops that are legal
    uint64_t stages_plain = 0;    // not covered by the method: as in the plain schedule
    uint64_t funcs_moved = 0;     // computed or stored elsewhere than planned
    std::array<uint64_t, static_cast<size_t>(Reason::Count)> rejected{};
    std::vector<std::string> notes;  // a line for each change, and why a stage is plain

    std::string text() const;
};

struct StrategyResult {
    LoopNest nest;  // complete and valid; refers to the graph
    StrategyReport report;
};

// Never fails: what is refused falls back to the nearest legal thing, in the end to the plain
// schedule's choice, and is counted. Depends on its arguments alone.
StrategyResult schedule_by(Strategy strategy, const StageGraph &graph, const Machine &machine);

}  // namespace cryolite
