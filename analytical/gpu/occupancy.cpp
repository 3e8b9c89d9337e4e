#include "analytical/gpu/occupancy.h"

#include <algorithm>

namespace cryolite::gpu {
namespace {

int64_t round_up_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t unit) { return round_up_divide(a, unit) * unit; }

// Registers that a warp takes from its partition, in whole units of allocation.
int64_t registers_per_warp(const GpuLimits &limits, int per_thread) {
    return round_up(int64_t{per_thread} * limits.threads_per_warp, limits.register_allocation_unit);
}

}  // namespace

Occupancy occupancy(const GpuLimits &limits, const KernelResources &kernel) {
    if (kernel.threads_per_block < 1 || kernel.threads_per_block > limits.threads_per_block ||
        kernel.registers_per_thread > limits.registers_per_thread ||
        kernel.shared_bytes_per_block > limits.shared_bytes_per_block_opt_in) {
        return {};
    }
    const int64_t warps = round_up_divide(kernel.threads_per_block, limits.threads_per_warp);
    int64_t blocks = limits.blocks_per_multiprocessor;
    OccupancyLimit by = OccupancyLimit::Blocks;
    const auto at_most = [&](int64_t n, OccupancyLimit what) {
        if (n < blocks) {
            blocks = n;
            by = what;
        }
    };
    at_most(limits.warps_per_multiprocessor / warps, OccupancyLimit::Warps);
    if (kernel.registers_per_thread > 0) {
        // A warp takes its registers from one partition.
        const int64_t per_partition = limits.registers_per_multiprocessor / limits.sub_partitions /
                                      registers_per_warp(limits, kernel.registers_per_thread);
        at_most(limits.sub_partitions * per_partition / warps, OccupancyLimit::Registers);
    }
    const int64_t shared =
        round_up(kernel.shared_bytes_per_block + limits.shared_bytes_reserved_per_block,
                 limits.shared_allocation_unit);
    if (shared > 0)
        at_most(limits.shared_bytes_per_multiprocessor / shared, OccupancyLimit::SharedMemory);
    if (blocks == 0) return {};

    Occupancy o;
    o.blocks_per_sm = static_cast<int>(blocks);
    o.warps_per_sm = static_cast<int>(blocks * warps);
    o.fraction = static_cast<double>(o.warps_per_sm) / limits.warps_per_multiprocessor;
    o.limited_by = by;
    return o;
}

int estimate_registers(const GpuLimits &limits, int threads_per_block, int cap) {
    const int64_t warps = round_up_divide(std::max(1, threads_per_block), limits.threads_per_warp);
    const int64_t per_partition = round_up_divide(warps, limits.sub_partitions);
    const int64_t units = limits.registers_per_multiprocessor / limits.sub_partitions /
                          per_partition / limits.register_allocation_unit;
    const int64_t per_thread = units * limits.register_allocation_unit / limits.threads_per_warp;
    return static_cast<int>(std::min<int64_t>({per_thread, limits.registers_per_thread, cap}));
}

StageActivity stage_activity(const GpuDevice &device, const KernelResources &kernel,
                             int stage_threads, double blocks_in_grid) {
    const Occupancy o = occupancy(device.limits, kernel);
    StageActivity a;
    if (o.blocks_per_sm == 0) return a;
    a.active_threads = std::min(stage_threads, kernel.threads_per_block);
    const int64_t warps = round_up_divide(a.active_threads, device.limits.threads_per_warp);
    a.occupancy =
        static_cast<double>(o.blocks_per_sm * warps) / device.limits.warps_per_multiprocessor;
    a.active_sms = static_cast<int>(std::min(blocks_in_grid, static_cast<double>(device.sm_count)));
    return a;
}

}  // namespace cryolite::gpu
