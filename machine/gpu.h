// What is known about an NVIDIA GPU: the limits of its compute capability, and its own sizes and
// speeds. Pure data, like Machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cryolite {

// Sources: the table of technical specifications per compute capability in NVIDIA's CUDA C++
// Programming Guide; allocation units from its occupancy calculator.
struct GpuLimits {
    int major = 0, minor = 0;
    int threads_per_multiprocessor = 2048;
    int warps_per_multiprocessor = 64;
    int blocks_per_multiprocessor = 32;
    int threads_per_block = 1024;
    int threads_per_warp = 32;
    int registers_per_multiprocessor = 65536;
    int registers_per_thread = 255;
    int register_allocation_unit = 256;  // per warp
    // A warp lives in one of these, and takes its registers from that part's share.
    int sub_partitions = 4;
    int64_t shared_bytes_per_multiprocessor = 0;
    int64_t shared_bytes_per_block = 48 << 10;
    int64_t shared_bytes_per_block_opt_in = 0;
    int64_t shared_bytes_reserved_per_block = 0;
    int64_t shared_allocation_unit = 128;
};

struct KnownGpuLimits {
    GpuLimits limits;
    std::string note;  // empty if the table has this very capability
};

// The limits of a compute capability: the table's, or those of the nearest lower one with a note
// that says so. Errors: older than the oldest of the table.
Result<KnownGpuLimits> gpu_limits(int major, int minor);

struct Gpu {
    std::string name;
    GpuLimits limits;
    int multiprocessors = 0;
    double hertz = 0;  // boost
    int64_t l2_bytes = 0;
    double memory_bytes_per_second = 0;  // peak
};

struct GpuPreset {
    std::string name;
    std::string doc;  // what it stands for
    Gpu gpu;
};

const std::vector<GpuPreset> &gpu_presets();

// Errors: an unknown name; the message lists the presets.
Result<Gpu> gpu_preset(std::string_view name);

}  // namespace cryolite
