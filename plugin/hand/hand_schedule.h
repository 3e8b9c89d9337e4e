// The schedule that a pipeline's author has written, for mode=improve and mode=as_scheduled.
//
// It is either on the Funcs that the plugin is given, or in the generator's code that is left out while an
// autoscheduler is set (`if (!using_autoscheduler())`). In the second case the generator is asked for its pipeline once
// more, without an autoscheduler: Halide knows the generators of the process by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Halide.h>

#include "base/log.h"
#include "base/result.h"
#include "emit/import/import_schedule.h"
#include "plugin/plugin_options.h"

namespace cryolite {

struct HandSchedule {
    std::unique_ptr<const BuiltGraph>
        built;                  // of the pipeline that has the schedule, as if it had none
    ImportedSchedule imported;  // its nest is of `built`
};

// Reads the schedule and takes it off the given pipeline, so that all of its Funcs are free.
// Errors: there is no schedule, with what to say; no such generator, or it refuses its parameters.
Result<HandSchedule> take_hand_schedule(const Halide::Pipeline &pipeline,
                                        const Halide::Target &target, const PluginOptions &options);

// The schedule by hand for the graph of the pipeline that the plugin was given. Nothing, with a warning, where their
// algorithms differ, as where the schedule has made Funcs by rfactor or Func::in.
std::optional<LoopNest> start_of(const HandSchedule &by_hand, const StageGraph &graph,
                                 const Log &log);

// A line per difference.
std::vector<std::string> difference_lines(const HandSchedule &by_hand);

inline bool is_of_hand_schedule(const std::string &mode) {
    return mode == "improve" || mode == "as_scheduled";
}

}  // namespace cryolite
