// What a CUDA GPU grants to kernels, by compute capability: the constants of NVIDIA's occupancy
// calculator. Sources: the table of compute capabilities in the CUDA C++ Programming Guide;
// register and shared memory allocation from the calculator.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace cryolite::gpu {

struct GpuLimits {
    int major = 0, minor = 0;
    // Per streaming multiprocessor (SM).
    int max_threads = 2048;
    int max_warps = 64;
    int max_blocks = 32;
    int registers = 65536;
    int64_t shared_bytes = 96 << 10;
    // Per block.
    int64_t shared_bytes_per_block = 96 << 10;  // at most, where the runtime opts in
    int64_t reserved_shared_bytes = 0;          // taken by the system of every block
    int64_t shared_unit_bytes = 256;            // allocations are rounded up to this
    int max_threads_per_block = 1024;
    int max_block_extent[3] = {1024, 1024, 64};  // x, y, z
    // Registers are allocated to whole warps, in units, from the partition that the warp runs on.
    int max_registers_per_thread = 255;
    int register_unit = 256;
    int partitions = 4;
    int warp_size = 32;
};

// Without opting in; Halide's runtime does not.
constexpr int64_t default_shared_bytes_per_block = 48 << 10;

// Known: 7.0, 7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 12.0. Others are an error that says so: the limits do
// not follow from the number (8.0 has more of everything than 8.6).
Result<GpuLimits> gpu_limits(int major, int minor);

// A GPU: so many SMs of one capability.
struct GpuDevice {
    GpuLimits limits;
    int sm_count = 80;
    int64_t shared_bytes_per_block = default_shared_bytes_per_block;  // that kernels may use
    // Registers that the compiler may give a thread, as far as it matters: Halide's CUDA runtime
    // caps them at 64 up to version 21.
    int register_cap = 64;
};

}  // namespace cryolite::gpu
