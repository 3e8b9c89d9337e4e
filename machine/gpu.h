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

// How fast the parts of a GPU are.
struct GpuSpeeds {
    double hertz = 1.4e9;                     // boost
    double memory_bytes_per_second = 1.5e12;  // peak
    int64_t l2_bytes = 40 << 20;

    // Results per clock of a multiprocessor: the CUDA C++ Programming Guide's table of the throughput of
    // native arithmetic instructions. Integer: add, compare, minimum, logical, shift, multiply of 32 bits.
    // Special: reciprocal, square root, exponential, logarithm, sine. Conversion: between integers and
    // floating point.
    double float16_per_cycle = 128, float32_per_cycle = 64, float64_per_cycle = 32;
    double integer_per_cycle = 64, special_per_cycle = 16, conversion_per_cycle = 16;

    // Of a multiprocessor. L1 and shared memory: 128 bytes, a warp's words, in every white paper since
    // Volta's. L2: a share of 2,048 bytes of a V100's 80, of 5,120 of an A100's 108 (A100's white paper).
    double l1_bytes_per_cycle = 128, l2_bytes_per_cycle = 32;

    // Tensor cores: multiply-adds per clock of a multiprocessor, half of the dense FLOPs that NVIDIA publishes. 8 cores
    // of 64 in Turing's white paper, 4 of 256 in the A100's, 4 of 128 in GA102's and AD102's, 4 of 512 in the H100's.
    // Wide: of 16-bit floats to sums of 32 bits. GeForce does these at half the rate (same papers: 119 and 59.5 TFLOPS
    // of an RTX 3080, 330 and 165 of a 4090); A10, A40, L4 and L40S do not.
    double tensor_float16_per_cycle = 1024, tensor_wide_per_cycle = 1024;
    double tensor_int8_per_cycle = 2048;
    // 32-bit floats that are rounded to tf32: half of Wide on every chip that has them (156 of 312 TFLOPS of an A100,
    // 29.8 of 59.5 of an RTX 3080, 82.6 of 165 of a 4090, 495 of 989 of an H100; same papers).
    double tensor_tf32_per_cycle = 512;
    // Of that rate, what mma.sync reaches. Since 9.0 the whole rate is for wgmma alone: 58 % on an H100
    // (bench/results/gpu.md; Luo et al. 2024, arXiv:2402.13499, report 63 %). 10.0 counts the same.
    double mma_share = 1;
    // A tile kernel's instructions to copy a unit of 16 bytes, and to gather one element that lies anywhere: a guess
    // that nobody has counted. A thread's registers beside sums and fragments: 34 to 56 by ptxas,
    // bench/results/tensorcore.md.
    double unit_copy_instructions = 12, gather_instructions = 20, tile_address_registers = 50;
    // To round a float to tf32 (cvt.rna): a comparison, an addition and a mask in the code of ptxas 13.0 for sm_80,
    // sm_86 and sm_90.
    double rounding_instructions = 3;

    // Not in any table. Of the peak bandwidth, what long copies reach; from a load of device memory to
    // its value; from one kernel to the next in a queue (3.1 us on an H100); and between host and device over PCI
    // Express 3.0 x16.
    double memory_share = 0.85;
    double memory_latency_cycles = 500;
    // Of a load that L1 serves, and of one of shared memory: 40 and 29 cycles on an H100 (bench/results/gpu.md).
    double l1_latency_cycles = 40, shared_latency_cycles = 29;
    double exposed_share = 0.2, overlap_sharpness = 32;  // see Machine
    // Four schedulers each start an instruction a cycle, and a dependent one waits four: 16 warps keep them busy (CUDA
    // C++ Best Practices Guide, register dependencies). A warp's independent instructions and loads count as more
    // warps, up to these numbers.
    double busy_warps = 16, warp_instructions_in_parallel = 4, warp_loads_in_flight = 8;
    // Instructions of an operation that is no single one: steps of a division, terms of a polynomial.
    double division_instructions = 8, modulo_instructions = 10, square_root_instructions = 4;
    double transcendental_instructions = 10, extern_call_instructions = 40;
    // Share of L2 that a kernel's result may fill and still be there for the next kernel.
    double kept_l2_share = 0.5;
    double launch_seconds = 4e-6;
    // Blocks that the whole GPU hands out in a cycle: an H100 starts one a multiprocessor in 158 cycles, whatever its
    // threads (bench/results/gpu.md). Other GPUs count the same.
    double blocks_per_cycle = 0.83;
    double host_bytes_per_second = 12e9;
};

struct Gpu {
    std::string name;
    GpuLimits limits;
    int multiprocessors = 0;
    GpuSpeeds speeds;
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
