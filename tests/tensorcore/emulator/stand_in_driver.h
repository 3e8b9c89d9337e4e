// A library in the place of CUDA's driver. It exports the calls that Halide's runtime makes and runs kernels in the
// emulator, so that whole pipelines run without a GPU. A program that links it needs no other libcuda.
#pragma once

#include <functional>
#include <string>

namespace cryolite::emulator {

// What the last failing launch did wrong; empty if none failed since the last call. A failing launch returns an error
// to the runtime, which stops the pipeline.
std::string take_problem();

// Changes the PTX of a module for each launch. Tests break kernels with it. Empty: nothing is changed.
void set_mutation(std::function<std::string(const std::string &)> mutation);

// Launches of kernels whose name contains `part`, since the program began.
int count_launches(const std::string &part);

}  // namespace cryolite::emulator
