// The GPU that kernels are planned for: its description (machine/gpu.h), and what the runtime that launches kernels
// allows.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "machine/gpu.h"

namespace cryolite::gpu {

// The most threads of a block along x, y and z (CUDA C++ Programming Guide, table of technical specifications). Every
// compute capability has the same limits.
constexpr std::array<int64_t, 3> max_block_extent{1024, 1024, 64};

struct GpuDevice {
    std::string name;
    GpuLimits limits;
    GpuSpeeds speeds;
    int sm_count = 80;
    // Shared memory that a block may use. CUDA grants 48 KB to a runtime that does not opt in to more. Halide's runtime
    // does not.
    int64_t shared_bytes_per_block = GpuLimits{}.shared_bytes_per_block;
    // The most registers that the compiler gives a thread. Halide's CUDA runtime caps them at 64 up to version 21.
    int register_cap = 64;
    // LaunchLimits::conditional_barriers. OpenCL devices compile them right, except PoCL.
    bool conditional_barriers = true;
};

// A GPU through a runtime that takes nothing away from it.
inline GpuDevice device_of(const Gpu &gpu) {
    GpuDevice device;
    device.name = gpu.name;
    device.limits = gpu.limits;
    device.speeds = gpu.speeds;
    device.sm_count = gpu.multiprocessors;
    return device;
}

}  // namespace cryolite::gpu
