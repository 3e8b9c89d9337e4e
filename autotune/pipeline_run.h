// A pipeline compiled just in time, with inputs and outputs of the estimated sizes, ready to run.
#pragma once

#include <Halide.h>

#include <cstdint>
#include <memory>
#include <string>

#include "autotune/runnable.h"
#include "autotune/runner/array_file.h"
#include "graph/builder/build.h"

namespace cryolite {

// Why code for the target cannot run in this process; empty if it can. `host`: what this computer can do.
std::string why_not_here(const Halide::Target &target,
                         const Halide::Target &host = Halide::get_host_target());

// Bytes of all outputs at the estimates, as PipelineRun::outputs() gives them.
size_t output_bytes(const Halide::Pipeline &pipeline, const BuiltGraph &built);

// Compiles `scheduled`, which may be the pipeline itself or a copy. Inputs that nobody has set get a buffer of their
// estimated size, with the contents of `files`, or else filled at random by `seed`: floats from 0 to 1, 8 bits of all
// values, 16 bits below 1,024, wider integers below 256. Parameters get their estimates. Halide's errors, which are no
// std::exception, are thrown as std::runtime_error, here and by the runs.
//
// It sets the pipeline's parameters and the number of threads of all pipelines in this process. So it belongs in a
// process of its own.
std::unique_ptr<Runnable> pipeline_run(const Halide::Pipeline &scheduled, const BuiltGraph &built,
                                       const Halide::Target &target, int threads, uint64_t seed,
                                       const InputFiles &files = {});

}  // namespace cryolite
