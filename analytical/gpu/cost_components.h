// The components that the predicted time of a stage on a GPU is the sum of, in the terms of OOPSLA 2021,
// appendix B, each in seconds by the GPU's constants. Its cost_of_malloc has no component: Halide's
// runtime keeps device allocations. idle_core_wastage and idle_lane_wastage are no summands: core-bound
// time is that of the multiprocessor with the most blocks, and whole warps are counted.
//
// As on a CPU, costs that run at the same time hide each other, and a component counts with what stays
// exposed.
#pragma once

#include "analytical/cost_components.h"
#include "machine/gpu.h"

namespace cryolite::gpu {

enum class GpuCostComponent : uint8_t {
    Compute,
    RegisterSpills,
    GlobalLoads,
    SharedLoads,
    SharedStores,
    L2Loads,
    L2Stores,
    MemoryLoads,
    MemoryStores,
    LoadLatency,
    Launches,
    Blocks,
    HostStages,
    Copies,
    Count
};
inline constexpr size_t num_gpu_cost_components = static_cast<size_t>(GpuCostComponent::Count);
constexpr size_t index(GpuCostComponent c) { return static_cast<size_t>(c); }

// In the order of GpuCostComponent.
const std::array<CostComponentInfo, num_gpu_cost_components> &gpu_cost_component_table();

// Seconds by component.
using GpuCostBreakdown = std::array<double, num_gpu_cost_components>;
double sum(const GpuCostBreakdown &parts);

// What hides the other costs that run beside it. Latency: loads that too few warps wait for at once.
enum class GpuBoundBy : uint8_t { Core, L1, L2, Memory, Latency, Host };
const char *name(GpuBoundBy bound);

// The keys (machine/machine_fields.h) of the GPU's speeds that the component is computed from.
std::vector<std::string> constants_of(GpuCostComponent component);

}  // namespace cryolite::gpu
