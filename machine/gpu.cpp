#include "machine/gpu.h"

#include <array>
#include <utility>

namespace cryolite {
namespace {

constexpr int64_t kilobyte = 1 << 10, megabyte = 1 << 20;

struct Capability {
    int major, minor, threads, warps, blocks;
    int64_t shared_kilobytes, shared_opt_in_kilobytes, reserved_kilobytes, shared_unit;
    double float16, float32, float64;  // results per clock
    double tensor_float16, tensor_wide, tensor_int8, tensor_tf32, mma_share;
};

// Tensor cores, of capabilities that several chips share: the GeForce's. 10.0: a B200's 2.25 PFLOPS of 16-bit floats.
constexpr auto capabilities = std::to_array<Capability>({
    {7, 0, 2048, 64, 32, 96, 96, 0, 256, 128, 64, 32, 0, 0, 0, 0, 1},
    {7, 5, 1024, 32, 16, 64, 64, 0, 256, 128, 64, 2, 512, 512, 1024, 0, 1},
    {8, 0, 2048, 64, 32, 164, 163, 1, 128, 256, 64, 32, 1024, 1024, 2048, 512, 1},
    {8, 6, 1536, 48, 16, 100, 99, 1, 128, 256, 128, 2, 512, 256, 1024, 128, 1},
    {8, 9, 1536, 48, 24, 100, 99, 1, 128, 256, 128, 2, 512, 256, 1024, 128, 1},
    {9, 0, 2048, 64, 32, 228, 227, 1, 128, 256, 128, 64, 2048, 2048, 4096, 1024, 0.58},
    {10, 0, 2048, 64, 32, 228, 227, 1, 128, 256, 128, 64, 4096, 4096, 8192, 2048, 0.58},
    {12, 0, 1536, 48, 24, 100, 99, 1, 128, 256, 128, 2, 512, 256, 1024, 128, 1},
});

// Of the table, the latest that is no later; null: all are.
const Capability *nearest(int major, int minor) {
    const Capability *best = nullptr;
    for (const Capability &c : capabilities)
        if (std::pair(c.major, c.minor) <= std::pair(major, minor)) best = &c;
    return best;
}

GpuLimits limits_of(const Capability &c) {
    GpuLimits l;
    l.major = c.major;
    l.minor = c.minor;
    l.threads_per_multiprocessor = c.threads;
    l.warps_per_multiprocessor = c.warps;
    l.blocks_per_multiprocessor = c.blocks;
    l.shared_bytes_per_multiprocessor = c.shared_kilobytes * kilobyte;
    l.shared_bytes_per_block_opt_in = c.shared_opt_in_kilobytes * kilobyte;
    l.shared_bytes_reserved_per_block = c.reserved_kilobytes * kilobyte;
    l.shared_allocation_unit = c.shared_unit;
    return l;
}

std::string text_of(int major, int minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

GpuPreset preset(std::string name, std::string doc, int major, int minor, int multiprocessors,
                 double hertz, int64_t l2_megabytes, double memory_bytes_per_second) {
    GpuSpeeds speeds;
    speeds.hertz = hertz;
    speeds.l2_bytes = l2_megabytes * megabyte;
    speeds.memory_bytes_per_second = memory_bytes_per_second;
    const Capability &c = *nearest(major, minor);
    speeds.float16_per_cycle = c.float16;
    speeds.float32_per_cycle = c.float32;
    speeds.float64_per_cycle = c.float64;
    speeds.tensor_float16_per_cycle = c.tensor_float16;
    speeds.tensor_wide_per_cycle = c.tensor_wide;
    speeds.tensor_int8_per_cycle = c.tensor_int8;
    speeds.tensor_tf32_per_cycle = c.tensor_tf32;
    speeds.mma_share = c.mma_share;
    // An H100 does 15 pairs, to an integer and back, in a cycle (bench/results/gpu.md).
    if (major == 9) speeds.conversion_per_cycle = 30;
    return {name, std::move(doc), Gpu{name, limits_of(c), multiprocessors, speeds}};
}

}  // namespace

Result<KnownGpuLimits> gpu_limits(int major, int minor) {
    const Capability *best = nearest(major, minor);
    if (!best)
        return Error{"compute capability " + text_of(major, minor) + " is not supported; " +
                     text_of(capabilities.front().major, capabilities.front().minor) +
                     " is the oldest that is"};
    KnownGpuLimits known{limits_of(*best), ""};
    if (best->major != major || best->minor != minor)
        known.note = "the limits of compute capability " + text_of(major, minor) +
                     " are not known; those of " + text_of(best->major, best->minor) + " are taken";
    return known;
}

// Multiprocessors, caches and bandwidths from NVIDIA's data sheets and architecture white papers;
// clocks are the boost clocks given there.
const std::vector<GpuPreset> &gpu_presets() {
    static const std::vector<GpuPreset> presets = {
        preset("v100", "Tesla V100 SXM2, Volta", 7, 0, 80, 1.53e9, 6, 0.9e12),
        preset("t4", "Tesla T4, Turing", 7, 5, 40, 1.59e9, 4, 0.32e12),
        preset("a100", "A100 40 GB, Ampere", 8, 0, 108, 1.41e9, 40, 1.555e12),
        preset("a100-80gb", "A100 80 GB SXM, Ampere", 8, 0, 108, 1.41e9, 40, 2.039e12),
        preset("rtx-3090", "GeForce RTX 3090, Ampere", 8, 6, 82, 1.695e9, 6, 0.936e12),
        preset("rtx-4090", "GeForce RTX 4090, Ada", 8, 9, 128, 2.52e9, 72, 1.008e12),
        preset("h100", "H100 SXM, Hopper", 9, 0, 132, 1.98e9, 50, 3.35e12),
        preset("h200", "H200 SXM, Hopper", 9, 0, 132, 1.98e9, 60, 4.8e12),
    };
    return presets;
}

Result<Gpu> gpu_preset(std::string_view name) {
    std::string known;
    for (const GpuPreset &p : gpu_presets()) {
        if (p.name == name) return p.gpu;
        known += "\n  " + p.name + "  (" + p.doc + ")";
    }
    return Error{"unknown GPU '" + std::string(name) + "'; the GPUs are:" + known};
}

}  // namespace cryolite
