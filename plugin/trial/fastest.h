// mode=top_k: which of several schedules runs fastest on this computer.
#pragma once

#include <Halide.h>

#include <optional>
#include <string>
#include <vector>

#include "autotune/runner/array_file.h"
#include "base/log.h"
#include "graph/builder/build.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct Measured {
    const LoopNest *nest;
    std::string name;
};

struct MeasureOptions {
    int cores = 1;                      // that the pipeline runs on
    double benchmark_seconds = 3;       // of timing at most, all schedules together
    double compile_limit_seconds = 30;  // of a processor, for each
    uint64_t seed = 0;                  // of the inputs' values
    InputFiles inputs;                  // contents of inputs; the others are drawn
};

// The number of the fastest of `schedules`. The last is the plain schedule: the others must compute what it does. The
// first is taken unless another is faster by more than measuring can tell. Nothing: none could be run, and a warning
// says why.
std::optional<size_t> fastest(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                              const Halide::Target &target, const std::vector<Measured> &schedules,
                              const MeasureOptions &options, const Log &log);

}  // namespace cryolite
