// The explanation of what a Halide generator's pipeline is scheduled as: the generator runs in a
// process of its own with the plugin and its option `explain`.
#pragma once

#include <string>
#include <vector>

#include "analytical/explain/explanation.h"
#include "base/result.h"

namespace cryolite::tools {

struct GeneratorRun {
    std::string generator;                // the path of the program
    std::string name;                     // -g
    std::vector<std::string> parameters;  // KEY=VALUE, as the generator takes them
    std::string plugin;
    std::string target;   // empty: that among the parameters, or host
    std::string machine;  // empty: the plugin's default
    // The file of the schedule to explain, as the plugin's trace_file, or JSON with the trace under
    // "trace": a sample, or an explanation. Empty: what the plugin chooses.
    std::string trace_file;
};

// Errors: a missing or failing generator (with what it said: bad parameters, options and traces are
// its to refuse), a missing plugin or trace, a generator that never asked Cryolite for a schedule.
Result<Explanation> explain_generator(const GeneratorRun &run);

// The plugin beside this program: in its folder, ../lib, ../lib64 or ../plugin (the build tree).
// Errors: there is none.
Result<std::string> find_plugin();

}  // namespace cryolite::tools
