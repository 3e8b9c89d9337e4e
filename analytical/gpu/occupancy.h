// Occupancy: how many warps of a kernel a streaming multiprocessor (SM) holds at once, over the most that it can hold.
// More warps hide more latency. The rules are those of NVIDIA's occupancy calculator (thesis, section 6.3, [59]).
#pragma once

#include <cstdint>

#include "machine/gpu_device.h"

namespace cryolite::gpu {

struct KernelResources {
    int threads_per_block = 1;
    int registers_per_thread = 0;  // 0: not known, no limit
    int64_t shared_bytes_per_block = 0;
};

enum class OccupancyLimit : uint8_t { Blocks, Warps, Registers, SharedMemory, CannotLaunch };

struct Occupancy {
    int blocks_per_sm = 0;  // resident at once; 0: the kernel cannot be launched
    int warps_per_sm = 0;
    double fraction = 0;  // of the warps that an SM can hold
    OccupancyLimit limited_by = OccupancyLimit::CannotLaunch;
};
Occupancy occupancy(const GpuLimits &limits, const KernelResources &kernel);

// The most registers per thread with which a block of so many threads can still be launched. Section 6.4 gives
// N_regs <= min(registers per thread, registers per SM / threads). The result is rounded down to units of allocation:
// 65,536 / 768 = 85 would be allocated as 88, and 24 warps of 88 do not fit. It is at most `cap`.
int estimate_registers(const GpuLimits &limits, int threads_per_block, int cap);

// What section 6.4 needs of each stage of a kernel. Active threads are those of one block: listing 6.1 starts its
// minimum over them at the most that a block may have.
struct StageActivity {
    double occupancy = 0;    // warps of the stage's threads on an SM, over the most it can hold
    int active_threads = 0;  // of one block
    int active_sms = 0;
};
// Blocks are resident as a whole. The threads and the memory of `kernel` decide how many are resident. A stage that
// needs fewer threads leaves the other threads of its block idle. Listing 6.1 instead passes the stage's own threads,
// as if the block were no larger. This would count blocks that are not there.
StageActivity stage_activity(const GpuDevice &device, const KernelResources &kernel,
                             int stage_threads, double blocks_in_grid);

}  // namespace cryolite::gpu
