// The GPU that a Halide target stands for.
#pragma once

#include <string>

#include <Halide.h>

#include "base/result.h"
#include "machine/gpu_device.h"

namespace cryolite {

struct TargetGpu {
    gpu::GpuDevice device;
    std::string source;  // where it came from, for the log
};

bool names_gpu_preset(const std::string &name);

// The target must have a GPU feature. name: a GPU preset; anything else takes the preset of the
// target's CUDA capability, the oldest one where the target names none or has another interface than
// CUDA. What a block may have is no more than the interface promises. parallelism: 0 for the GPU's own
// multiprocessors.
TargetGpu gpu_of_target(const Halide::Target &target, const std::string &name, int64_t parallelism);

}  // namespace cryolite
