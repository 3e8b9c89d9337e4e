// Random Halide pipelines, small but with everything that has broken schedulers: stencils, RDoms,
// predicates, scatters, scans, gathers, resampling, tuples, scalars, wrappers, several outputs,
// sizes down to 1. The same seed always builds the same pipeline, so that a pipeline can be built
// twice, once to be scheduled and once as the reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Halide.h>

#include "base/interval.h"

namespace cryolite {

struct SizeProfile {
    int max_funcs = 25;
    int64_t max_output_points = 6000;  // at the estimates
    // Of operations, the share that interpret a program (interpreter_operation.cpp). 0: a seed makes the
    // pipeline that it made before there were any.
    double interpreters = 0.06;
    // Likewise, the share of Funcs that choose by their third dimension (mux, select).
    double channels = 0.06;
    // Likewise, the share of Funcs that sum up products of small integers.
    double products = 0.06;
    // Likewise, the share of pipelines with further outputs of the first one's size, which can share its loops.
    double siblings = 0.06;
};

struct PipelineInput {
    Halide::ImageParam image;
    // Only read inside of its own bounds, whatever they are: any size will do, and the estimate is
    // this box. Otherwise its size is what the outputs need, and it may lack an estimate.
    bool bounded = false;
    Box estimate;
};

struct PipelineOutput {
    Halide::Func func;
    Box estimate;
    std::vector<bool> fixed;  // dimensions that the pipeline itself binds to the estimate
    int same_region_as = -1;  // the output that reads this one, or is read by it
    // Not empty: it has sizes of its own, and the estimates of these dimensions of the first output.
    std::vector<size_t> sibling_dims;
    std::vector<double> error_bounds;  // per tuple element; 0: exact
};

struct PipelineParameter {
    Halide::Param<int32_t> param;
    Interval values;  // the estimate is the minimum
};

struct RandomPipeline {
    Halide::Pipeline pipeline;
    std::vector<PipelineInput> inputs;
    std::vector<PipelineOutput> outputs;
    std::vector<PipelineParameter> parameters;
    std::vector<Halide::Func> wrappers;
    std::string description;  // the algorithm as pseudo-C++
};

RandomPipeline make_random_pipeline(uint64_t seed, const SizeProfile &profile = {});

// Every Func that computes something, the anonymous ones of inline reductions included.
std::vector<Halide::Func> all_funcs(const RandomPipeline &pipeline);

}  // namespace cryolite
