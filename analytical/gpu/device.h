// The GPU that kernels are planned for: what machine/gpu.h knows of it, and what the runtime that
// launches them allows.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "machine/gpu.h"

namespace cryolite::gpu {

// Threads along x, y and z that a block may have (CUDA C++ Programming Guide, table of technical
// specifications; the same for every capability).
constexpr std::array<int64_t, 3> max_block_extent{1024, 1024, 64};

struct GpuDevice {
    std::string name;
    GpuLimits limits;
    GpuSpeeds speeds;
    int sm_count = 80;
    // That kernels may use. Without opting in, as Halide's runtime does not, CUDA grants 48 KB.
    int64_t shared_bytes_per_block = GpuLimits{}.shared_bytes_per_block;
    // Registers that the compiler may give a thread, as far as it matters: Halide's CUDA runtime
    // caps them at 64 up to version 21.
    int register_cap = 64;
    // See LaunchLimits: what OpenCL devices compile right, and a PoCL among them does not.
    bool conditional_barriers = true;
};

}  // namespace cryolite::gpu
