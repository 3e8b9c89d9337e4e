// Whether there is an OpenCL device, PoCL on this computer's CPU for instance, to run kernels on.
#pragma once

#include <string>

#include <Halide.h>

namespace cryolite {

Halide::Target opencl_target();

// Needs a driver: a GPU's, or the emulator of tests/tensorcore, which sees races between barriers:
// LD_PRELOAD=libcryolite_emulator.so.
Halide::Target cuda_target();

// Empty if kernels run, else why not. Tried in a child process: OpenCL does not survive a fork, and
// cases run in children.
std::string why_no_opencl();

}  // namespace cryolite
