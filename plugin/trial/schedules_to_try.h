// The schedules that may be emitted, the best first: what the search or a strategy finds, then what there always is.
#pragma once

#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/log.h"
#include "plugin/plugin_options.h"
#include "plugin/target/platform.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A schedule, and what to call it.
struct ScheduleToTry {
    LoopNest nest;
    std::string name;
    bool is_makeshift = false;        // only for when Halide takes too long to lower the others
    bool is_to_be_lightened = false;  // once it is tried: see lightened() in search/search.h
};

// Of the time limit: what is left to try schedules, at least.
constexpr double trial_share = 0.25;

// What is worth more than the fallbacks. Empty where nothing is left to schedule, or the mode asks for no search.
std::vector<ScheduleToTry> good_schedules(const StageGraph &graph, const Platform &platform,
                                          const PluginOptions &options, const Deadline &deadline,
                                          const Log &log);

// What is emitted where nothing better is taken.
std::vector<ScheduleToTry> fallbacks(const StageGraph &graph, const Platform &platform);

// When trying schedules has to end. The search leaves time for it. Where the computer held the search up beyond that,
// as one that is overloaded or was suspended does, what was found is tried for as long all the same: else it would be
// lost.
Deadline end_of_trials(const Deadline &deadline, const PluginOptions &options);

// Seconds in which Halide has to lower a schedule, or it is given up for a poorer one.
double lowering_budget(const PluginOptions &options);

}  // namespace cryolite
